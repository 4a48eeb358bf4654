;; The dot product of an article on Q4_0 x Q8_0 in WebAssembly SIMD, frozen: `make bench-article` and the report time it.
;;
;; It does what the article describes: both halves of the nibbles by byte shifts, four widening multiplications
;; (i16x8.extmul), their sum in i16, eight i16x8.extract_lane_s a block, and one block a turn. Only the conversion of f16
;; scales is ours, since the article's was wrong. The generator wrote this text while it had a strategy for
;; it; nothing writes it again.
;; $repeat is the loop that bench calls: templates/lib/timed/vec_dot.wat.j2 has the one of our kernels.
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
    (local $eights v128)  ;; the nibbles' zero point, in each byte
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
    (local.set $eights (v128.const i8x16 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8))

    ;; one block a turn
    (if (i32.ne (local.get $x) (local.get $end))
      (then
        (loop $single
          ;; block 0: partial sums
          (local.set $q (v128.load offset=2 align=1 (local.get $x)))
          (local.set $w0
            (i8x16.sub (v128.and (local.get $q) (local.get $low4)) (local.get $eights)))
          (local.set $w1
            (i8x16.sub (i8x16.shr_u (local.get $q) (i32.const 4)) (local.get $eights)))
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
                (f32.convert_i32_s
                  (i32.add
                    (i32.add
                      (i32.add (i16x8.extract_lane_s 0 (local.get $p0)) (i16x8.extract_lane_s 1 (local.get $p0)))
                      (i32.add (i16x8.extract_lane_s 2 (local.get $p0)) (i16x8.extract_lane_s 3 (local.get $p0))))
                    (i32.add
                      (i32.add (i16x8.extract_lane_s 4 (local.get $p0)) (i16x8.extract_lane_s 5 (local.get $p0)))
                      (i32.add (i16x8.extract_lane_s 6 (local.get $p0)) (i16x8.extract_lane_s 7 (local.get $p0))))))
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
      (local.get $sum0)))

  ;; Calls the kernel rounds * columns * rows times. Row i of column j reads x + i * x_step and y + j * y_column + i * y_step,
  ;; and writes s + 4 * (j * rows + i).
  (func (export "repeat")
    (param $rounds i32)    ;; how often to do it all, at least 1
    (param $rows i32)      ;; at least 1
    (param $columns i32)   ;; at least 1
    (param $n i32)         ;; elements a row
    (param $s i32)         ;; where the f32 results go
    (param $x i32)         ;; the first row of weights
    (param $x_step i32)    ;; bytes from a row to the next
    (param $y i32)         ;; the first row of activations
    (param $y_step i32)    ;; bytes from a row to the next, 0 to share one
    (param $y_column i32)  ;; bytes from a column to the next
    (local $i i32)         ;; row
    (local $j i32)         ;; column
    (local $to i32)        ;; where the column's results go
    (local $column i32)    ;; the column's activations
    (loop $round
      (local.set $j (i32.const 0))
      (local.set $to (local.get $s))
      (local.set $column (local.get $y))
      (loop $next
        (local.set $i (i32.const 0))
        (loop $row
          (call $ggml_vec_dot_q4_0_q8_0
            (local.get $n)
            (i32.add (local.get $to) (i32.shl (local.get $i) (i32.const 2)))
            (i32.const 0x5a5a5a5a)  ;; ignored
            (i32.add (local.get $x) (i32.mul (local.get $i) (local.get $x_step)))
            (i32.const 0x5a5a5a5a)  ;; ignored
            (i32.add (local.get $column) (i32.mul (local.get $i) (local.get $y_step)))
            (i32.const 0x5a5a5a5a)  ;; ignored
            (i32.const 1))
          (br_if $row (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $rows))))
        (local.set $to (i32.add (local.get $to) (i32.shl (local.get $rows) (i32.const 2))))
        (local.set $column (i32.add (local.get $column) (local.get $y_column)))
        (br_if $next (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 1))) (local.get $columns))))
      (br_if $round (local.tee $rounds (i32.sub (local.get $rounds) (i32.const 1))))))
)
