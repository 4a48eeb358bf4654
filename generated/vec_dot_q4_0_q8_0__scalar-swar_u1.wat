;; vec_dot_q4_0_q8_0__scalar-swar_u1
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
;; How: swar, 1 block a turn, 1 accumulator, arithmetic f16 scales, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 144.00 opcodes per 32 weights in the main loop, locals and constants not counted.
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
    (local $q i64)        ;; 16 packed weights
    (local $a i64)        ;; 8 activations, biased
    (local $w i64)        ;; 4 nibbles, one in each 16-bit lane
    (local $b i64)        ;; their activations, in the opposite order
    (local $products i64) ;; products; the top lane is the sum of 16
    (local $sums i64)     ;; 16 * nibbles + activations, by lanes
    (local $qa i64)       ;; sum of nibble * biased activation
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
          (local.set $qa (i64.const 0))
          (local.set $sums (i64.const 0))
          (local.set $q (i64.load offset=2 align=1 (local.get $x)))
          (local.set $products (i64.const 0))
          ;; activations + 128, the halves of the word exchanged
          (local.set $a
            (i64.rotl
              (i64.xor (i64.load offset=2 align=1 (local.get $y)) (i64.const 0x8080808080808080))
              (i64.const 32)))
          (local.set $w (i64.and (local.get $q) (i64.const 0x000f000f000f000f)))
          (local.set $b
            (i64.or
              (i64.and (i64.shr_u (local.get $a) (i64.const 16)) (i64.const 0x000000ff000000ff))
              (i64.shl (i64.and (local.get $a) (i64.const 0x000000ff000000ff)) (i64.const 16))))
          (local.set $products (i64.add (local.get $products) (i64.mul (local.get $w) (local.get $b))))
          (local.set $sums (i64.add (local.get $sums) (i64.add (i64.shl (local.get $w) (i64.const 4)) (local.get $b))))
          (local.set $w (i64.and (i64.shr_u (local.get $q) (i64.const 8)) (i64.const 0x000f000f000f000f)))
          (local.set $b
            (i64.or
              (i64.and (i64.shr_u (local.get $a) (i64.const 24)) (i64.const 0x000000ff000000ff))
              (i64.shl (i64.and (local.get $a) (i64.const 0x0000ff000000ff00)) (i64.const 8))))
          (local.set $products (i64.add (local.get $products) (i64.mul (local.get $w) (local.get $b))))
          (local.set $sums (i64.add (local.get $sums) (i64.add (i64.shl (local.get $w) (i64.const 4)) (local.get $b))))
          ;; activations + 128, the halves of the word exchanged
          (local.set $a
            (i64.rotl
              (i64.xor (i64.load offset=18 align=1 (local.get $y)) (i64.const 0x8080808080808080))
              (i64.const 32)))
          (local.set $w (i64.and (i64.shr_u (local.get $q) (i64.const 4)) (i64.const 0x000f000f000f000f)))
          (local.set $b
            (i64.or
              (i64.and (i64.shr_u (local.get $a) (i64.const 16)) (i64.const 0x000000ff000000ff))
              (i64.shl (i64.and (local.get $a) (i64.const 0x000000ff000000ff)) (i64.const 16))))
          (local.set $products (i64.add (local.get $products) (i64.mul (local.get $w) (local.get $b))))
          (local.set $sums (i64.add (local.get $sums) (i64.add (i64.shl (local.get $w) (i64.const 4)) (local.get $b))))
          (local.set $w (i64.and (i64.shr_u (local.get $q) (i64.const 12)) (i64.const 0x000f000f000f000f)))
          (local.set $b
            (i64.or
              (i64.and (i64.shr_u (local.get $a) (i64.const 24)) (i64.const 0x000000ff000000ff))
              (i64.shl (i64.and (local.get $a) (i64.const 0x0000ff000000ff00)) (i64.const 8))))
          (local.set $products (i64.add (local.get $products) (i64.mul (local.get $w) (local.get $b))))
          (local.set $sums (i64.add (local.get $sums) (i64.add (i64.shl (local.get $w) (i64.const 4)) (local.get $b))))
          (local.set $qa (i64.add (local.get $qa) (i64.shr_u (local.get $products) (i64.const 48))))
          (local.set $q (i64.load offset=10 align=1 (local.get $x)))
          (local.set $products (i64.const 0))
          ;; activations + 128, the halves of the word exchanged
          (local.set $a
            (i64.rotl
              (i64.xor (i64.load offset=10 align=1 (local.get $y)) (i64.const 0x8080808080808080))
              (i64.const 32)))
          (local.set $w (i64.and (local.get $q) (i64.const 0x000f000f000f000f)))
          (local.set $b
            (i64.or
              (i64.and (i64.shr_u (local.get $a) (i64.const 16)) (i64.const 0x000000ff000000ff))
              (i64.shl (i64.and (local.get $a) (i64.const 0x000000ff000000ff)) (i64.const 16))))
          (local.set $products (i64.add (local.get $products) (i64.mul (local.get $w) (local.get $b))))
          (local.set $sums (i64.add (local.get $sums) (i64.add (i64.shl (local.get $w) (i64.const 4)) (local.get $b))))
          (local.set $w (i64.and (i64.shr_u (local.get $q) (i64.const 8)) (i64.const 0x000f000f000f000f)))
          (local.set $b
            (i64.or
              (i64.and (i64.shr_u (local.get $a) (i64.const 24)) (i64.const 0x000000ff000000ff))
              (i64.shl (i64.and (local.get $a) (i64.const 0x0000ff000000ff00)) (i64.const 8))))
          (local.set $products (i64.add (local.get $products) (i64.mul (local.get $w) (local.get $b))))
          (local.set $sums (i64.add (local.get $sums) (i64.add (i64.shl (local.get $w) (i64.const 4)) (local.get $b))))
          ;; activations + 128, the halves of the word exchanged
          (local.set $a
            (i64.rotl
              (i64.xor (i64.load offset=26 align=1 (local.get $y)) (i64.const 0x8080808080808080))
              (i64.const 32)))
          (local.set $w (i64.and (i64.shr_u (local.get $q) (i64.const 4)) (i64.const 0x000f000f000f000f)))
          (local.set $b
            (i64.or
              (i64.and (i64.shr_u (local.get $a) (i64.const 16)) (i64.const 0x000000ff000000ff))
              (i64.shl (i64.and (local.get $a) (i64.const 0x000000ff000000ff)) (i64.const 16))))
          (local.set $products (i64.add (local.get $products) (i64.mul (local.get $w) (local.get $b))))
          (local.set $sums (i64.add (local.get $sums) (i64.add (i64.shl (local.get $w) (i64.const 4)) (local.get $b))))
          (local.set $w (i64.and (i64.shr_u (local.get $q) (i64.const 12)) (i64.const 0x000f000f000f000f)))
          (local.set $b
            (i64.or
              (i64.and (i64.shr_u (local.get $a) (i64.const 24)) (i64.const 0x000000ff000000ff))
              (i64.shl (i64.and (local.get $a) (i64.const 0x0000ff000000ff00)) (i64.const 8))))
          (local.set $products (i64.add (local.get $products) (i64.mul (local.get $w) (local.get $b))))
          (local.set $sums (i64.add (local.get $sums) (i64.add (i64.shl (local.get $w) (i64.const 4)) (local.get $b))))
          (local.set $qa (i64.add (local.get $qa) (i64.shr_u (local.get $products) (i64.const 48))))
          ;; sum of (q - 8) * a = sum of q * (a + 128) - 8 * (16 * sum of q + sum of (a + 128)) + 8 * 128 * 32
          (local.set $p0
            (i32.add
              (i32.wrap_i64
                (i64.sub (local.get $qa)
                  (i64.shl
                    (i64.shr_u (i64.mul (local.get $sums) (i64.const 0x0001000100010001)) (i64.const 48))
                    (i64.const 3))))
              (i32.const 32768)))
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
