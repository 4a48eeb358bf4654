;; vec_dot_q4_0_q8_0__simd128-extmul_u1
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
;; How: extmul, 1 block a turn, 1 accumulator, arithmetic f16 scales, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 49.00 opcodes per 32 weights in the main loop, locals and constants not counted.
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
    (local $low4 v128)    ;; 0x0f in each byte
    (local $zero v128)    ;; the codes' zero point, in each byte
    (local $q v128)       ;; 32 packed weights
    (local $w0 v128)      ;; weights 0 to 15, i8x16
    (local $w1 v128)      ;; weights 16 to 31, i8x16
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
    (local.set $low4 (v128.const i8x16 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15))
    (local.set $zero (v128.const i8x16 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8))

    ;; one block a turn
    (if (i32.ne (local.get $x) (local.get $end))
      (then
        (loop $single
          ;; block 0: partial sums
          (local.set $q (v128.load offset=2 align=1 (local.get $x)))
          (local.set $w0
            (i8x16.sub (v128.and (local.get $q) (local.get $low4)) (local.get $zero)))
          (local.set $w1
            (i8x16.sub (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)) (local.get $zero)))
          (local.set $p0
            (i16x8.add
              (i16x8.add
                (i16x8.extmul_low_i8x16_s (v128.load offset=2 align=1 (local.get $y)) (local.get $w0))
                (i16x8.extmul_high_i8x16_s (v128.load offset=2 align=1 (local.get $y)) (local.get $w0)))
              (i16x8.add
                (i16x8.extmul_low_i8x16_s (v128.load offset=18 align=1 (local.get $y)) (local.get $w1))
                (i16x8.extmul_high_i8x16_s (v128.load offset=18 align=1 (local.get $y)) (local.get $w1)))))
          ;; block 0: add sum * scale; an f16's bits in an f32's place read 2^-112 of its value
          (local.set $sum0
            (f32.add (local.get $sum0)
              (f32.mul
                (f32x4.extract_lane 0
                  (f32x4.convert_i32x4_s
                    (i32x4.extadd_pairwise_i16x8_s
                      (i16x8.add
                        (local.tee $p0
                          (i16x8.add
                            (local.get $p0)
                            (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $p0) (local.get $p0))))
                        (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $p0) (local.get $p0))))))
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
          (local.set $x (i32.add (local.get $x) (i32.const 18)))
          (local.set $y (i32.add (local.get $y) (i32.const 34)))
          (br_if $single (i32.ne (local.get $x) (local.get $end))))))

    ;; the result
    (f32.store align=1 (local.get $s)
      (local.get $sum0))))
