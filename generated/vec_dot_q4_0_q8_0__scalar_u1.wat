;; vec_dot_q4_0_q8_0__scalar_u1
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
;; Needs: no SIMD.
;; How: mul, 1 block a turn, 1 accumulator, arithmetic f16 scales, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 189.00 opcodes per 32 weights in the main loop, locals and constants not counted.
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
    (local $w i32)        ;; eight weights, four bits each, two's complement
    (local $low i32)      ;; sum over low nibbles
    (local $high i32)     ;; sum over high nibbles
    (local $p0 i32)       ;; integer sum of a block
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

    ;; one block a turn
    (if (i32.ne (local.get $x) (local.get $end))
      (then
        (loop $single
          ;; block 0: partial sums
          (local.set $w (i32.xor (i32.load offset=2 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=2 (local.get $y))))
          (local.set $high
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=18 (local.get $y))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=3 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=19 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=4 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=20 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=5 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=21 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=6 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=6 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=22 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=7 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=23 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=8 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=24 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=9 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=25 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=10 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=10 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=26 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=11 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=27 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=12 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=28 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=13 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=29 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=14 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=14 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=30 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=15 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=31 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=16 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=32 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=17 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=33 (local.get $y)))))
          (local.set $p0 (i32.add (local.get $low) (local.get $high)))
          ;; block 0: add sum * scale; an f16's bits in an f32's place read 2^-112 of its value
          (local.set $sum0
            (f32.add (local.get $sum0)
              (f32.mul
                (f32.convert_i32_s (local.get $p0))
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
