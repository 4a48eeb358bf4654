;; vec_dot_q4_0_q8_0__scalar_u4
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
;; How: mul, 4 blocks a turn, 1 accumulator, arithmetic f16 scales, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 186.00 opcodes per 32 weights in the main loop, locals and constants not counted.
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
    (local $stop i32)     ;; address where the unrolled loop leaves the rest
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

    ;; 4 blocks a turn
    (local.set $stop
      (i32.add (local.get $x)
        (i32.mul (i32.div_u (local.get $n) (i32.const 128)) (i32.const 72))))
    (if (i32.ne (local.get $x) (local.get $stop))
      (then
        (loop $unrolled
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
          ;; block 1: partial sums
          (local.set $w (i32.xor (i32.load offset=20 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=36 (local.get $y))))
          (local.set $high
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=52 (local.get $y))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=37 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=53 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=38 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=54 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=39 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=55 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=24 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=40 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=56 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=41 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=57 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=42 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=58 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=43 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=59 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=28 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=44 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=60 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=45 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=61 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=46 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=62 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=47 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=63 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=32 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=48 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=64 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=49 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=65 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=50 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=66 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=51 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=67 (local.get $y)))))
          (local.set $p0 (i32.add (local.get $low) (local.get $high)))
          ;; block 1: add sum * scale; an f16's bits in an f32's place read 2^-112 of its value
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
                              (i32.shl (i32.load16_s offset=18 align=1 (local.get $x)) (i32.const 13))
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
                              (i32.shl (i32.load16_s offset=34 align=1 (local.get $y)) (i32.const 13))
                              (i32.const 0x8fffe000)))
                          (i32.const 0x70000000))
                        (local.get $h)
                        (i32.eq
                          (i32.and (local.get $h) (i32.const 0x0f800000))
                          (i32.const 0x0f800000))))
                    (f32.const 0x1p+112))))))
          ;; block 2: partial sums
          (local.set $w (i32.xor (i32.load offset=38 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=70 (local.get $y))))
          (local.set $high
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=86 (local.get $y))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=71 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=87 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=72 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=88 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=73 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=89 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=42 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=74 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=90 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=75 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=91 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=76 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=92 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=77 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=93 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=46 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=78 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=94 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=79 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=95 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=80 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=96 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=81 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=97 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=50 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=82 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=98 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=83 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=99 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=84 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=100 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=85 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=101 (local.get $y)))))
          (local.set $p0 (i32.add (local.get $low) (local.get $high)))
          ;; block 2: add sum * scale; an f16's bits in an f32's place read 2^-112 of its value
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
                              (i32.shl (i32.load16_s offset=36 align=1 (local.get $x)) (i32.const 13))
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
                              (i32.shl (i32.load16_s offset=68 align=1 (local.get $y)) (i32.const 13))
                              (i32.const 0x8fffe000)))
                          (i32.const 0x70000000))
                        (local.get $h)
                        (i32.eq
                          (i32.and (local.get $h) (i32.const 0x0f800000))
                          (i32.const 0x0f800000))))
                    (f32.const 0x1p+112))))))
          ;; block 3: partial sums
          (local.set $w (i32.xor (i32.load offset=56 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=104 (local.get $y))))
          (local.set $high
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=120 (local.get $y))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=105 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=121 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=106 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=122 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=107 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=123 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=60 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=108 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=124 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=109 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=125 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=110 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=126 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=111 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=127 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=64 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=112 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=128 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=113 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=129 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=114 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=130 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=115 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=131 (local.get $y)))))
          (local.set $w (i32.xor (i32.load offset=68 align=1 (local.get $x)) (i32.const 0x88888888)))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 28)) (i32.const 28)) (i32.load8_s offset=116 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 24)) (i32.const 28)) (i32.load8_s offset=132 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 20)) (i32.const 28)) (i32.load8_s offset=117 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 16)) (i32.const 28)) (i32.load8_s offset=133 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 12)) (i32.const 28)) (i32.load8_s offset=118 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 8)) (i32.const 28)) (i32.load8_s offset=134 (local.get $y)))))
          (local.set $low (i32.add (local.get $low)
            (i32.mul (i32.shr_s (i32.shl (local.get $w) (i32.const 4)) (i32.const 28)) (i32.load8_s offset=119 (local.get $y)))))
          (local.set $high (i32.add (local.get $high)
            (i32.mul (i32.shr_s (local.get $w) (i32.const 28)) (i32.load8_s offset=135 (local.get $y)))))
          (local.set $p0 (i32.add (local.get $low) (local.get $high)))
          ;; block 3: add sum * scale; an f16's bits in an f32's place read 2^-112 of its value
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
                              (i32.shl (i32.load16_s offset=54 align=1 (local.get $x)) (i32.const 13))
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
                              (i32.shl (i32.load16_s offset=102 align=1 (local.get $y)) (i32.const 13))
                              (i32.const 0x8fffe000)))
                          (i32.const 0x70000000))
                        (local.get $h)
                        (i32.eq
                          (i32.and (local.get $h) (i32.const 0x0f800000))
                          (i32.const 0x0f800000))))
                    (f32.const 0x1p+112))))))
          (local.set $x (i32.add (local.get $x) (i32.const 72)))
          (local.set $y (i32.add (local.get $y) (i32.const 136)))
          (br_if $unrolled (i32.ne (local.get $x) (local.get $stop))))))

    ;; what is left, one block a turn
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
