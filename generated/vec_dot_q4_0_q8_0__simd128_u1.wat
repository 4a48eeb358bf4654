;; vec_dot_q4_0_q8_0__simd128_u1
;;
;; The dot product of n elements, Q4_0 weights x and Q8_0 activations y: s = sum over blocks of dx * dy * sum
;; of (w - 8) * a.
;;
;;   q4_0, 18 bytes: f16 d, then 16 bytes: element j in the low nibble of byte j, j + 16 in the high; (nibble
;;     - 8) * d
;;   q8_0, 34 bytes: f16 d, then 32 signed bytes; byte * d
;;
;; Contract: n is a multiple of 32 and nrc is 1, or it traps; n = 0 stores +0. Reads n / 32 blocks of each, at
;; any alignment, and not a byte more. Writes 4 bytes at s, after all reads. Block sums are exact integers;
;; each is converted and scaled with one rounding.
;;
;; Needs: SIMD.
;; How: dot, 1 block a turn, 1 accumulator, arithmetic f16 scales, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 53.00 opcodes per 32 weights in the main loop, locals and constants not counted.
;; Generated: edit templates/frames/vec_dot.wat.j2 and what it imports, then `make bless`.
(module
  (memory (export "memory") 1)

  (func $ggml_vec_dot_q4_0_q8_0 (export "ggml_vec_dot_q4_0_q8_0")
    (param $n i32)    ;; elements, a multiple of 32
    (param $s i32)    ;; where the f32 result goes
    (param $bs i32)   ;; ignored
    (param $vx i32)   ;; q4_0 blocks
    (param $bx i32)   ;; ignored
    (param $vy i32)   ;; q8_0 blocks
    (param $by i32)   ;; ignored
    (param $nrc i32)  ;; 1
    (local $x i32)        ;; address of the next q4_0 block
    (local $y i32)        ;; address of the next q8_0 block
    (local $end i32)      ;; address where the q4_0 blocks end
    (local $h i32)        ;; bits of the scale under conversion
    (local $signs v128)   ;; the top bit of each nibble
    (local $top v128)     ;; the top nibble of each i16 lane
    (local $q v128)       ;; 32 packed weights
    (local $r v128)       ;; the same, with the bytes of each i16 lane exchanged
    (local $p0 v128)      ;; integer partial sums, block 0 of a group
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
        (i32.mul (i32.div_u (local.get $n) (i32.const 32)) (i32.const 18))))
    (local.set $signs (v128.const i8x16 0x88 0x88 0x88 0x88 0x88 0x88 0x88 0x88 0x88 0x88 0x88 0x88 0x88 0x88 0x88 0x88))
    (local.set $top (v128.const i16x8 0xf000 0xf000 0xf000 0xf000 0xf000 0xf000 0xf000 0xf000))

    ;; one block a turn
    (if (i32.ne (local.get $x) (local.get $end))
      (then
        (loop $single
          ;; block 0: partial sums
          (local.set $q (v128.xor (v128.load offset=2 align=1 (local.get $x)) (local.get $signs)))
          (local.set $r (i8x16.shuffle 1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14 (local.get $q) (local.get $q)))
          ;; nibbles less 8, times 2^12, times activations sign-extended in i16 lanes: of even bytes, then of odd ones
          (local.set $p0
            (i32x4.add
              (i32x4.add
                (i32x4.dot_i16x8_s
                  (i16x8.shl (local.get $q) (i32.const 12))
                  (i16x8.shr_s (v128.load offset=1 align=1 (local.get $y)) (i32.const 8)))
                (i32x4.dot_i16x8_s
                  (v128.and (local.get $r) (local.get $top))
                  (i16x8.shr_s (v128.load offset=17 align=1 (local.get $y)) (i32.const 8))))
              (i32x4.add
                (i32x4.dot_i16x8_s
                  (i16x8.shl (local.get $r) (i32.const 12))
                  (i16x8.shr_s (v128.load offset=2 align=1 (local.get $y)) (i32.const 8)))
                (i32x4.dot_i16x8_s
                  (v128.and (local.get $q) (local.get $top))
                  (i16x8.shr_s (v128.load offset=18 align=1 (local.get $y)) (i32.const 8))))))
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
                    (f32.const 0x1p+100))))))
          (local.set $x (i32.add (local.get $x) (i32.const 18)))
          (local.set $y (i32.add (local.get $y) (i32.const 34)))
          (br_if $single (i32.ne (local.get $x) (local.get $end))))))

    ;; the result
    (f32.store align=1 (local.get $s)
      (local.get $sum0))))
