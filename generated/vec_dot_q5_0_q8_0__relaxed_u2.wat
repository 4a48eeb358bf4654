;; vec_dot_q5_0_q8_0__relaxed_u2
;;
;; The dot product of n elements, Q5_0 weights x and Q8_0 activations y: s = sum over blocks of dx * dy * sum
;; of (w - 16) * a.
;;
;;   q5_0, 22 bytes: f16 d, then 4 bytes: bit 4 of element 8 * j + k in bit k of byte j, then 16 bytes: bits 0
;;     to 3 of element j in the low nibble of byte j, j + 16 in the high; (code - 16) * d
;;   q8_0, 34 bytes: f16 d, then 32 signed bytes; byte * d
;;
;; Contract: n is a multiple of 32 and nrc is 1, or it traps; n = 0 stores +0. Reads n / 32 blocks of each, at
;; any alignment, and not a byte more. Writes 4 bytes at s, after all reads. Block sums are exact integers;
;; each is converted and scaled with one rounding.
;;
;; Needs: SIMD and relaxed SIMD.
;; How: dot16, 2 blocks a turn, 1 accumulator, arithmetic f16 scales, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 42.00 opcodes per 32 weights in the main loop, locals and constants not counted.
;; Generated: edit templates/frames/vec_dot.wat.j2 and what it imports, then `make bless`.
(module
  (memory (export "memory") 1)

  (func $ggml_vec_dot_q5_0_q8_0 (export "ggml_vec_dot_q5_0_q8_0")
    (param $n i32)    ;; elements, a multiple of 32
    (param $s i32)    ;; where the f32 result goes
    (param $bs i32)   ;; ignored
    (param $vx i32)   ;; q5_0 blocks
    (param $bx i32)   ;; ignored
    (param $vy i32)   ;; q8_0 blocks
    (param $by i32)   ;; ignored
    (param $nrc i32)  ;; 1
    (local $x i32)        ;; address of the next q5_0 block
    (local $y i32)        ;; address of the next q8_0 block
    (local $end i32)      ;; address where the q5_0 blocks end
    (local $stop i32)     ;; address where the unrolled loop leaves the rest
    (local $h i32)        ;; bits of the scale under conversion
    (local $low4 v128)    ;; 0x0f in each byte
    (local $bit v128)     ;; one bit in each byte, each in turn
    (local $bit4 v128)    ;; bit 4 in each byte
    (local $zero v128)    ;; the codes' zero point, in each byte
    (local $factors2 v128);; a power of two for 2 scales
    (local $q v128)       ;; 32 packed weights
    (local $bits v128)    ;; the codes' top bits, four times
    (local $y0 v128)      ;; activations 0 to 15
    (local $y1 v128)      ;; activations 16 to 31
    (local $p0 v128)      ;; integer partial sums, block 0 of a group
    (local $p1 v128)      ;; integer partial sums, block 1 of a group
    (local $d v128)       ;; f32x4 products of scales, one block a lane
    (local $x01 i64)      ;; x scales 0 and 1
    (local $y01 i64)      ;; y scales 0 and 1
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
        (i32.mul (i32.div_u (local.get $n) (i32.const 32)) (i32.const 22))))
    (local.set $low4 (v128.const i8x16 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15))
    (local.set $bit (v128.const i8x16 1 2 4 8 16 32 64 128 1 2 4 8 16 32 64 128))
    (local.set $bit4 (v128.const i8x16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16))
    (local.set $zero (v128.const i8x16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16))
    (local.set $factors2 (v128.const f32x4 0x1p+127 0x1p+127 0 0))

    ;; 2 blocks a turn
    (local.set $stop
      (i32.add (local.get $x)
        (i32.mul (i32.div_u (local.get $n) (i32.const 64)) (i32.const 44))))
    (if (i32.ne (local.get $x) (local.get $stop))
      (then
        (loop $unrolled
          ;; blocks 0 to 1: products of scales, one block a lane
          ;; two f16 an i64, each with sign, exponent and fraction where an f32 has them: they read 2^-112 of the value
          (local.set $x01
            (i64.and
              (i64.or
                (i64.extend_i32_u (i32.shl (i32.load16_s offset=0 align=1 (local.get $x)) (i32.const 13)))
                (i64.shl (i64.load16_s offset=22 align=1 (local.get $x)) (i64.const 45)))
              (i64.const 0x8fffe0008fffe000)))
          (local.set $y01
            (i64.and
              (i64.or
                (i64.extend_i32_u (i32.shl (i32.load16_s offset=0 align=1 (local.get $y)) (i32.const 13)))
                (i64.shl (i64.load16_s offset=34 align=1 (local.get $y)) (i64.const 45)))
              (i64.const 0x8fffe0008fffe000)))
          ;; an exponent of 31 (infinity, NaN) carries into bit 28 of its half, and is dealt with after the loop
          (local.set $seen
            (i64.or (local.get $seen)
              (i64.or
                (i64.add (local.get $x01) (i64.const 0x0080000000800000))
                (i64.add (local.get $y01) (i64.const 0x0080000000800000)))))
          ;; 2^127 * 2^-112 * 2^-112 = 2^-97 of the products; the rest is made good after the loops
          (local.set $d
            (f32x4.mul
              (f32x4.mul
                (i64x2.splat (local.get $x01))
                (local.get $factors2))
              (i64x2.splat (local.get $y01))))
          ;; block 0: partial sums
          (local.set $q (v128.load offset=6 align=1 (local.get $x)))
          (local.set $bits (v128.load32_splat offset=2 align=1 (local.get $x)))
          ;; raw codes q are the 7-bit operand: sum of (q - 16) * a = dot(a, q) - dot(a, 16)
          (local.set $p0
            (i32x4.extadd_pairwise_i16x8_s
              (i16x8.sub
                (i16x8.add
                  (i16x8.relaxed_dot_i8x16_i7x16_s
                    (local.tee $y0 (v128.load offset=2 align=1 (local.get $y)))
                    (v128.or
                      (v128.and (local.get $q) (local.get $low4))
                      (v128.and
                        (i8x16.eq
                          (v128.and
                            (i8x16.shuffle 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 (local.get $bits) (local.get $bits))
                            (local.get $bit))
                          (local.get $bit))
                        (local.get $bit4))))
                  (i16x8.relaxed_dot_i8x16_i7x16_s
                    (local.tee $y1 (v128.load offset=18 align=1 (local.get $y)))
                    (v128.or
                      (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4))
                      (v128.and
                        (i8x16.eq
                          (v128.and
                            (i8x16.shuffle 2 2 2 2 2 2 2 2 3 3 3 3 3 3 3 3 (local.get $bits) (local.get $bits))
                            (local.get $bit))
                          (local.get $bit))
                        (local.get $bit4)))))
                (i16x8.add
                  (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $y0) (local.get $zero))
                  (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $y1) (local.get $zero))))))
          ;; block 1: partial sums
          (local.set $q (v128.load offset=28 align=1 (local.get $x)))
          (local.set $bits (v128.load32_splat offset=24 align=1 (local.get $x)))
          ;; raw codes q are the 7-bit operand: sum of (q - 16) * a = dot(a, q) - dot(a, 16)
          (local.set $p1
            (i32x4.extadd_pairwise_i16x8_s
              (i16x8.sub
                (i16x8.add
                  (i16x8.relaxed_dot_i8x16_i7x16_s
                    (local.tee $y0 (v128.load offset=36 align=1 (local.get $y)))
                    (v128.or
                      (v128.and (local.get $q) (local.get $low4))
                      (v128.and
                        (i8x16.eq
                          (v128.and
                            (i8x16.shuffle 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 (local.get $bits) (local.get $bits))
                            (local.get $bit))
                          (local.get $bit))
                        (local.get $bit4))))
                  (i16x8.relaxed_dot_i8x16_i7x16_s
                    (local.tee $y1 (v128.load offset=52 align=1 (local.get $y)))
                    (v128.or
                      (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4))
                      (v128.and
                        (i8x16.eq
                          (v128.and
                            (i8x16.shuffle 2 2 2 2 2 2 2 2 3 3 3 3 3 3 3 3 (local.get $bits) (local.get $bits))
                            (local.get $bit))
                          (local.get $bit))
                        (local.get $bit4)))))
                (i16x8.add
                  (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $y0) (local.get $zero))
                  (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $y1) (local.get $zero))))))
          ;; blocks 0 to 1: integer sums, one block a lane; add sum * scale
          (local.set $p0
            (i32x4.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $p0) (local.get $p1))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $p0) (local.get $p1))))
          (local.set $p0
            (i32x4.add
              (local.get $p0)
              (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $p0) (local.get $p0))))
          (local.set $acc0
            (f32x4.add (local.get $acc0)
              (f32x4.mul (f32x4.convert_i32x4_s (local.get $p0)) (local.get $d))))
          (local.set $x (i32.add (local.get $x) (i32.const 44)))
          (local.set $y (i32.add (local.get $y) (i32.const 68)))
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
          (local.set $q (v128.load offset=6 align=1 (local.get $x)))
          (local.set $bits (v128.load32_splat offset=2 align=1 (local.get $x)))
          ;; raw codes q are the 7-bit operand: sum of (q - 16) * a = dot(a, q) - dot(a, 16)
          (local.set $p0
            (i32x4.extadd_pairwise_i16x8_s
              (i16x8.sub
                (i16x8.add
                  (i16x8.relaxed_dot_i8x16_i7x16_s
                    (local.tee $y0 (v128.load offset=2 align=1 (local.get $y)))
                    (v128.or
                      (v128.and (local.get $q) (local.get $low4))
                      (v128.and
                        (i8x16.eq
                          (v128.and
                            (i8x16.shuffle 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 (local.get $bits) (local.get $bits))
                            (local.get $bit))
                          (local.get $bit))
                        (local.get $bit4))))
                  (i16x8.relaxed_dot_i8x16_i7x16_s
                    (local.tee $y1 (v128.load offset=18 align=1 (local.get $y)))
                    (v128.or
                      (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4))
                      (v128.and
                        (i8x16.eq
                          (v128.and
                            (i8x16.shuffle 2 2 2 2 2 2 2 2 3 3 3 3 3 3 3 3 (local.get $bits) (local.get $bits))
                            (local.get $bit))
                          (local.get $bit))
                        (local.get $bit4)))))
                (i16x8.add
                  (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $y0) (local.get $zero))
                  (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $y1) (local.get $zero))))))
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
          (local.set $x (i32.add (local.get $x) (i32.const 22)))
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
