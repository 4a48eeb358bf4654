;; vec_dot_q8_0_q8_0__relaxed_u4
;;
;; The dot product of n elements, Q8_0 weights x and Q8_0 activations y: s = sum over blocks of dx * dy * sum
;; of w * a.
;;
;;   q8_0, 34 bytes: f16 d, then 32 signed bytes; byte * d
;;   q8_0, 34 bytes: f16 d, then 32 signed bytes; byte * d
;;
;; Contract: n is a multiple of 32 and nrc is 1, or it traps; n = 0 stores +0. Reads n / 32 blocks of each, at
;; any alignment, and not a byte more. Writes 4 bytes at s, after all reads. Block sums are exact integers;
;; each is converted and scaled with one rounding.
;;
;; Needs: SIMD and relaxed SIMD.
;; How: split, 4 blocks a turn, 1 accumulator, arithmetic f16 scales, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 30.50 opcodes per 32 weights in the main loop, locals and constants not counted.
;; Generated: edit templates/frames/vec_dot.wat.j2 and what it imports, then `make bless`.
(module
  (memory (export "memory") 1)

  (func $ggml_vec_dot_q8_0_q8_0 (export "ggml_vec_dot_q8_0_q8_0")
    (param $n i32)    ;; elements, a multiple of 32
    (param $s i32)    ;; where the f32 result goes
    (param $bs i32)   ;; ignored
    (param $vx i32)   ;; q8_0 blocks
    (param $bx i32)   ;; ignored
    (param $vy i32)   ;; q8_0 blocks
    (param $by i32)   ;; ignored
    (param $nrc i32)  ;; 1
    (local $x i32)        ;; address of the next q8_0 block
    (local $y i32)        ;; address of the next q8_0 block
    (local $end i32)      ;; address where the q8_0 blocks end
    (local $stop i32)     ;; address where the unrolled loop leaves the rest
    (local $h i32)        ;; bits of the scale under conversion
    (local $low7 v128)    ;; all bits of a byte but its sign
    (local $one v128)     ;; 1 in each byte
    (local $factors4 v128);; a power of two for 4 scales
    (local $w0 v128)      ;; weights 0 to 15, i8x16
    (local $w1 v128)      ;; weights 16 to 31, i8x16
    (local $y0 v128)      ;; activations 0 to 15
    (local $y1 v128)      ;; activations 16 to 31
    (local $p0 v128)      ;; integer partial sums, block 0 of a group
    (local $p1 v128)      ;; integer partial sums, block 1 of a group
    (local $p2 v128)      ;; integer partial sums, block 2 of a group
    (local $p3 v128)      ;; integer partial sums, block 3 of a group
    (local $d v128)       ;; f32x4 products of scales, one block a lane
    (local $x01 i64)      ;; x scales 0 and 1
    (local $x23 i64)      ;; x scales 2 and 3
    (local $y01 i64)      ;; y scales 0 and 1
    (local $y23 i64)      ;; y scales 2 and 3
    (local $seen i64)     ;; bits 28 and 60 set once a scale was infinite or NaN
    (local $acc0 v128)    ;; f32x4 sum, one block a lane
    (local $total v128)   ;; f32x4 sum of the accumulators
    (local $sum0 f32)     ;; sum of blocks that go alone

    ;; the contract: trap before anything is written
    (if (i32.or
          (i32.and (local.get $n) (i32.const 0x8000001f))
          (i32.xor (local.get $nrc) (i32.const 1)))
      (then (unreachable)))

    (local.set $x (local.get $vx))
    (local.set $y (local.get $vy))
    (local.set $end
      (i32.add (local.get $x)
        (i32.mul (i32.div_u (local.get $n) (i32.const 32)) (i32.const 34))))
    (local.set $low7 (v128.const i8x16 0x7f 0x7f 0x7f 0x7f 0x7f 0x7f 0x7f 0x7f 0x7f 0x7f 0x7f 0x7f 0x7f 0x7f 0x7f 0x7f))
    (local.set $one (v128.const i8x16 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1))
    (local.set $factors4 (v128.const f32x4 0x1p+127 0x1p+127 0x1p+127 0x1p+127))

    ;; 4 blocks a turn
    (local.set $stop
      (i32.add (local.get $x)
        (i32.mul (i32.div_u (local.get $n) (i32.const 128)) (i32.const 136))))
    (if (i32.ne (local.get $x) (local.get $stop))
      (then
        (loop $unrolled
          ;; blocks 0 to 3: products of scales, one block a lane
          ;; two f16 an i64, each with sign, exponent and fraction where an f32 has them: they read 2^-112 of the value
          (local.set $x01
            (i64.and
              (i64.or
                (i64.extend_i32_u (i32.shl (i32.load16_s offset=0 align=1 (local.get $x)) (i32.const 13)))
                (i64.shl (i64.load16_s offset=34 align=1 (local.get $x)) (i64.const 45)))
              (i64.const 0x8fffe0008fffe000)))
          (local.set $x23
            (i64.and
              (i64.or
                (i64.extend_i32_u (i32.shl (i32.load16_s offset=68 align=1 (local.get $x)) (i32.const 13)))
                (i64.shl (i64.load16_s offset=102 align=1 (local.get $x)) (i64.const 45)))
              (i64.const 0x8fffe0008fffe000)))
          (local.set $y01
            (i64.and
              (i64.or
                (i64.extend_i32_u (i32.shl (i32.load16_s offset=0 align=1 (local.get $y)) (i32.const 13)))
                (i64.shl (i64.load16_s offset=34 align=1 (local.get $y)) (i64.const 45)))
              (i64.const 0x8fffe0008fffe000)))
          (local.set $y23
            (i64.and
              (i64.or
                (i64.extend_i32_u (i32.shl (i32.load16_s offset=68 align=1 (local.get $y)) (i32.const 13)))
                (i64.shl (i64.load16_s offset=102 align=1 (local.get $y)) (i64.const 45)))
              (i64.const 0x8fffe0008fffe000)))
          ;; an exponent of 31 (infinity, NaN) carries into bit 28 of its half, and is dealt with after the loop
          (local.set $seen
            (i64.or (local.get $seen)
              (i64.or
                (i64.or
                  (i64.add (local.get $x01) (i64.const 0x0080000000800000))
                  (i64.add (local.get $x23) (i64.const 0x0080000000800000)))
                (i64.or
                  (i64.add (local.get $y01) (i64.const 0x0080000000800000))
                  (i64.add (local.get $y23) (i64.const 0x0080000000800000))))))
          ;; 2^127 * 2^-112 * 2^-112 = 2^-97 of the products; the rest is made good after the loops
          (local.set $d
            (f32x4.mul
              (f32x4.mul
                (i64x2.replace_lane 1 (i64x2.splat (local.get $x01)) (local.get $x23))
                (local.get $factors4))
              (i64x2.replace_lane 1 (i64x2.splat (local.get $y01)) (local.get $y23))))
          ;; block 0: partial sums
          (local.set $w0
            (v128.load offset=2 align=1 (local.get $x)))
          (local.set $w1
            (v128.load offset=18 align=1 (local.get $x)))
          (local.set $y0 (v128.load offset=2 align=1 (local.get $y)))
          (local.set $y1 (v128.load offset=18 align=1 (local.get $y)))
          ;; sum of w * a = dot(a, w & 127) - 128 * dot(a, sign of w)
          (local.set $p0
            (i32x4.sub
              (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y1)
                (v128.and (local.get $w1) (local.get $low7))
                (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y0)
                  (v128.and (local.get $w0) (local.get $low7))
                  (v128.const i32x4 0 0 0 0)))
              (i32x4.shl
                (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y1)
                  (v128.and (i16x8.shr_u (local.get $w1) (i32.const 7)) (local.get $one))
                  (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y0)
                    (v128.and (i16x8.shr_u (local.get $w0) (i32.const 7)) (local.get $one))
                    (v128.const i32x4 0 0 0 0)))
                (i32.const 7))))
          ;; block 1: partial sums
          (local.set $w0
            (v128.load offset=36 align=1 (local.get $x)))
          (local.set $w1
            (v128.load offset=52 align=1 (local.get $x)))
          (local.set $y0 (v128.load offset=36 align=1 (local.get $y)))
          (local.set $y1 (v128.load offset=52 align=1 (local.get $y)))
          ;; sum of w * a = dot(a, w & 127) - 128 * dot(a, sign of w)
          (local.set $p1
            (i32x4.sub
              (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y1)
                (v128.and (local.get $w1) (local.get $low7))
                (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y0)
                  (v128.and (local.get $w0) (local.get $low7))
                  (v128.const i32x4 0 0 0 0)))
              (i32x4.shl
                (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y1)
                  (v128.and (i16x8.shr_u (local.get $w1) (i32.const 7)) (local.get $one))
                  (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y0)
                    (v128.and (i16x8.shr_u (local.get $w0) (i32.const 7)) (local.get $one))
                    (v128.const i32x4 0 0 0 0)))
                (i32.const 7))))
          ;; block 2: partial sums
          (local.set $w0
            (v128.load offset=70 align=1 (local.get $x)))
          (local.set $w1
            (v128.load offset=86 align=1 (local.get $x)))
          (local.set $y0 (v128.load offset=70 align=1 (local.get $y)))
          (local.set $y1 (v128.load offset=86 align=1 (local.get $y)))
          ;; sum of w * a = dot(a, w & 127) - 128 * dot(a, sign of w)
          (local.set $p2
            (i32x4.sub
              (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y1)
                (v128.and (local.get $w1) (local.get $low7))
                (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y0)
                  (v128.and (local.get $w0) (local.get $low7))
                  (v128.const i32x4 0 0 0 0)))
              (i32x4.shl
                (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y1)
                  (v128.and (i16x8.shr_u (local.get $w1) (i32.const 7)) (local.get $one))
                  (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y0)
                    (v128.and (i16x8.shr_u (local.get $w0) (i32.const 7)) (local.get $one))
                    (v128.const i32x4 0 0 0 0)))
                (i32.const 7))))
          ;; block 3: partial sums
          (local.set $w0
            (v128.load offset=104 align=1 (local.get $x)))
          (local.set $w1
            (v128.load offset=120 align=1 (local.get $x)))
          (local.set $y0 (v128.load offset=104 align=1 (local.get $y)))
          (local.set $y1 (v128.load offset=120 align=1 (local.get $y)))
          ;; sum of w * a = dot(a, w & 127) - 128 * dot(a, sign of w)
          (local.set $p3
            (i32x4.sub
              (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y1)
                (v128.and (local.get $w1) (local.get $low7))
                (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y0)
                  (v128.and (local.get $w0) (local.get $low7))
                  (v128.const i32x4 0 0 0 0)))
              (i32x4.shl
                (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y1)
                  (v128.and (i16x8.shr_u (local.get $w1) (i32.const 7)) (local.get $one))
                  (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y0)
                    (v128.and (i16x8.shr_u (local.get $w0) (i32.const 7)) (local.get $one))
                    (v128.const i32x4 0 0 0 0)))
                (i32.const 7))))
          ;; blocks 0 to 3: integer sums, one block a lane; add sum * scale
          (local.set $p0
            (i32x4.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $p0) (local.get $p1))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $p0) (local.get $p1))))
          (local.set $p2
            (i32x4.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $p2) (local.get $p3))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $p2) (local.get $p3))))
          (local.set $p0
            (i32x4.add
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $p0) (local.get $p2))
              (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $p0) (local.get $p2))))
          (local.set $acc0
            (f32x4.add (local.get $acc0)
              (f32x4.mul (f32x4.convert_i32x4_s (local.get $p0)) (local.get $d))))
          (local.set $x (i32.add (local.get $x) (i32.const 136)))
          (local.set $y (i32.add (local.get $y) (i32.const 136)))
          (br_if $unrolled (i32.ne (local.get $x) (local.get $stop))))))

    ;; a scale was infinite or NaN, and taken for a number: start over, all blocks in the loop below;
    ;; the sums so far cannot change what becomes of an infinity or NaN, and stay
    (if
      (i64.ne (i64.and (local.get $seen) (i64.const 0x1000000010000000)) (i64.const 0))
      (then
        (local.set $x (local.get $vx))
        (local.set $y (local.get $vy))))

    ;; what is left, one block a turn
    (if (i32.ne (local.get $x) (local.get $end))
      (then
        (loop $single
          ;; block 0: partial sums
          (local.set $w0
            (v128.load offset=2 align=1 (local.get $x)))
          (local.set $w1
            (v128.load offset=18 align=1 (local.get $x)))
          (local.set $y0 (v128.load offset=2 align=1 (local.get $y)))
          (local.set $y1 (v128.load offset=18 align=1 (local.get $y)))
          ;; sum of w * a = dot(a, w & 127) - 128 * dot(a, sign of w)
          (local.set $p0
            (i32x4.sub
              (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y1)
                (v128.and (local.get $w1) (local.get $low7))
                (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y0)
                  (v128.and (local.get $w0) (local.get $low7))
                  (v128.const i32x4 0 0 0 0)))
              (i32x4.shl
                (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y1)
                  (v128.and (i16x8.shr_u (local.get $w1) (i32.const 7)) (local.get $one))
                  (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y0)
                    (v128.and (i16x8.shr_u (local.get $w0) (i32.const 7)) (local.get $one))
                    (v128.const i32x4 0 0 0 0)))
                (i32.const 7))))
          ;; block 0: add sum * scale; an f16's bits in an f32's place read 2^-112 of its value
          (local.set $sum0
            (f32.add (local.get $sum0)
              (f32.mul
                (f32x4.extract_lane 0
                  (f32x4.convert_i32x4_s
                    (i32x4.add
                      (local.tee $p0
                        (i32x4.add
                          (local.get $p0)
                          (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $p0) (local.get $p0))))
                      (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $p0) (local.get $p0)))))
                (f32.mul
                  (f32.mul
                    (f32.reinterpret_i32
                      (select
                        (i32.or
                          (local.tee $h
                            (i32.and
                              (i32.shl (i32.load16_s offset=0 align=1 (local.get $x)) (i32.const 13))
                              (i32.const 0x8fffe000)))
                          (i32.const 0x70000000))
                        (local.get $h)
                        (i32.eq
                          (i32.and (local.get $h) (i32.const 0x0f800000))
                          (i32.const 0x0f800000))))
                    (f32.const 0x1p+112))
                  (f32.mul
                    (f32.reinterpret_i32
                      (select
                        (i32.or
                          (local.tee $h
                            (i32.and
                              (i32.shl (i32.load16_s offset=0 align=1 (local.get $y)) (i32.const 13))
                              (i32.const 0x8fffe000)))
                          (i32.const 0x70000000))
                        (local.get $h)
                        (i32.eq
                          (i32.and (local.get $h) (i32.const 0x0f800000))
                          (i32.const 0x0f800000))))
                    (f32.const 0x1p+112))))))
          (local.set $x (i32.add (local.get $x) (i32.const 34)))
          (local.set $y (i32.add (local.get $y) (i32.const 34)))
          (br_if $single (i32.ne (local.get $x) (local.get $end))))))

    ;; the result
    (local.set $total (local.get $acc0))
    (local.set $total
      (f32x4.mul (local.get $total) (v128.const f32x4 0x1p+97 0x1p+97 0x1p+97 0x1p+97)))
    (f32.store align=1 (local.get $s)
      (f32.add
        (f32.add
          (f32.add (f32x4.extract_lane 0 (local.get $total)) (f32x4.extract_lane 1 (local.get $total)))
          (f32.add (f32x4.extract_lane 2 (local.get $total)) (f32x4.extract_lane 3 (local.get $total))))
        (local.get $sum0)))))
