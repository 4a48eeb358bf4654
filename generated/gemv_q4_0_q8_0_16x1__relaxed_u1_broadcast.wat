;; gemv_q4_0_q8_0_16x1__relaxed_u1_broadcast
;;
;; Rows of Q4_0 weights x times columns of Q8_0 activations y, 16 rows by 1 column at a time: the f32 at s + 4
;; * (c * bs + r) is the dot product of row r and column c.
;;
;;   x, 72 bytes: 4 rows interleaved: f16 d of each, then 4 vectors; vector j has bytes 4j to 4j + 3 of each
;;     row's 16
;;   y, 160 bytes: pairs: a start, an f32 scale and 8 words of quants, each four times
;;
;; Contract: It traps before it writes anything where n is no multiple of 32, a size is negative, columns of
;; results overlap (bs < nc), anything lies beyond memory, or results overlap operands. Any number of rows nc,
;; columns nr and any alignment will do; n = 0 stores +0. Reads (nc + 3) / 4 * n / 32 blocks of 4 rows and nr
;; * n / 32 records, and not a byte more; writes nr * nc floats, and nothing between columns. Block sums are
;; exact integers; a term is scaled with one rounding, and the terms of a row are added in order: all matrix
;; kernels give the same bits.
;;
;; Needs: SIMD and relaxed SIMD.
;; How: dot16, broadcast activations, unrolled steps, totals in registers, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 12.06 opcodes per 32 weights and a column in the main loop, locals and constants not counted.
;; Generated: edit templates/frames/gemm.wat.j2 and what it imports, then `make bless`.
(module
  (memory (export "memory") 1)

  ;; 16 rows by 1 column
  (func $tile_16x1
    (param $s i32)       ;; where the first result goes
    (param $s_step i32)  ;; bytes from a group's results to the next one's
    (param $bs i32)      ;; bytes from a column of results to the next
    (param $w0 i32)      ;; weights of the first group
    (param $w_step i32)  ;; bytes from a group to the next
    (param $y0 i32)      ;; activations of the first column
    (param $y_step i32)  ;; bytes of a column
    (result i64)         ;; not 0 where a scale is infinite or NaN: then results are not right
    (local $w1 i32)           ;; weights of group 1
    (local $w2 i32)           ;; weights of group 2
    (local $w3 i32)           ;; weights of group 3
    (local $end i32)          ;; where the activations of column 0 end
    (local $low4 v128)        ;; 0x0f in each byte
    (local $scale_bits v128)  ;; sign, exponent and fraction of an f16, moved to an f32's place
    (local $q v128)           ;; packed weights of 4 rows
    (local $a v128)           ;; a word of activations, in all lanes
    (local $dy v128)          ;; a column's scale, in all lanes
    (local $seen i64)         ;; f16 scales so far: a sign bit is set where one is infinite or NaN
    (local $n0_0 v128)        ;; nibbles of group 0, part 0
    (local $n0_1 v128)        ;; nibbles of group 0, part 1
    (local $n1_0 v128)        ;; nibbles of group 1, part 0
    (local $n1_1 v128)        ;; nibbles of group 1, part 1
    (local $n2_0 v128)        ;; nibbles of group 2, part 0
    (local $n2_1 v128)        ;; nibbles of group 2, part 1
    (local $n3_0 v128)        ;; nibbles of group 3, part 0
    (local $n3_1 v128)        ;; nibbles of group 3, part 1
    (local $dx0 v128)         ;; f32x4 scales, group 0
    (local $sum0_0 v128)      ;; sums of a block, group 0, column 0
    (local $total0_0 v128)    ;; f32x4 totals, group 0, column 0
    (local $dx1 v128)         ;; f32x4 scales, group 1
    (local $sum1_0 v128)      ;; sums of a block, group 1, column 0
    (local $total1_0 v128)    ;; f32x4 totals, group 1, column 0
    (local $dx2 v128)         ;; f32x4 scales, group 2
    (local $sum2_0 v128)      ;; sums of a block, group 2, column 0
    (local $total2_0 v128)    ;; f32x4 totals, group 2, column 0
    (local $dx3 v128)         ;; f32x4 scales, group 3
    (local $sum3_0 v128)      ;; sums of a block, group 3, column 0
    (local $total3_0 v128)    ;; f32x4 totals, group 3, column 0
    (local.set $low4 (v128.const i8x16 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15))
    (local.set $scale_bits (v128.const i32x4 0x8fffe000 0x8fffe000 0x8fffe000 0x8fffe000))
    (local.set $w1 (i32.add (local.get $w0) (local.get $w_step)))
    (local.set $w2 (i32.add (local.get $w1) (local.get $w_step)))
    (local.set $w3 (i32.add (local.get $w2) (local.get $w_step)))
    (local.set $end (i32.add (local.get $y0) (local.get $y_step)))
    (if (i32.ne (local.get $y0) (local.get $end))
      (then
        (loop $block
          ;; sums start from the zero point, -8 times each quant
          (local.set $a (v128.load offset=0 align=1 (local.get $y0)))
          (local.set $sum0_0 (local.get $a))
          (local.set $sum1_0 (local.get $a))
          (local.set $sum2_0 (local.get $a))
          (local.set $sum3_0 (local.get $a))
          ;; bytes 0 to 3 of each row
          (local.set $q (v128.load offset=8 align=1 (local.get $w0)))
          (local.set $n0_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n0_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=8 align=1 (local.get $w1)))
          (local.set $n1_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n1_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=8 align=1 (local.get $w2)))
          (local.set $n2_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n2_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=8 align=1 (local.get $w3)))
          (local.set $n3_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n3_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=32 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_0))))
          (local.set $sum1_0
            (i16x8.add (local.get $sum1_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n1_0))))
          (local.set $sum2_0
            (i16x8.add (local.get $sum2_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n2_0))))
          (local.set $sum3_0
            (i16x8.add (local.get $sum3_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n3_0))))
          (local.set $a (v128.load offset=96 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_1))))
          (local.set $sum1_0
            (i16x8.add (local.get $sum1_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n1_1))))
          (local.set $sum2_0
            (i16x8.add (local.get $sum2_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n2_1))))
          (local.set $sum3_0
            (i16x8.add (local.get $sum3_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n3_1))))
          ;; bytes 4 to 7 of each row
          (local.set $q (v128.load offset=24 align=1 (local.get $w0)))
          (local.set $n0_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n0_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=24 align=1 (local.get $w1)))
          (local.set $n1_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n1_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=24 align=1 (local.get $w2)))
          (local.set $n2_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n2_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=24 align=1 (local.get $w3)))
          (local.set $n3_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n3_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=48 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_0))))
          (local.set $sum1_0
            (i16x8.add (local.get $sum1_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n1_0))))
          (local.set $sum2_0
            (i16x8.add (local.get $sum2_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n2_0))))
          (local.set $sum3_0
            (i16x8.add (local.get $sum3_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n3_0))))
          (local.set $a (v128.load offset=112 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_1))))
          (local.set $sum1_0
            (i16x8.add (local.get $sum1_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n1_1))))
          (local.set $sum2_0
            (i16x8.add (local.get $sum2_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n2_1))))
          (local.set $sum3_0
            (i16x8.add (local.get $sum3_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n3_1))))
          ;; bytes 8 to 11 of each row
          (local.set $q (v128.load offset=40 align=1 (local.get $w0)))
          (local.set $n0_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n0_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=40 align=1 (local.get $w1)))
          (local.set $n1_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n1_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=40 align=1 (local.get $w2)))
          (local.set $n2_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n2_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=40 align=1 (local.get $w3)))
          (local.set $n3_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n3_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=64 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_0))))
          (local.set $sum1_0
            (i16x8.add (local.get $sum1_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n1_0))))
          (local.set $sum2_0
            (i16x8.add (local.get $sum2_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n2_0))))
          (local.set $sum3_0
            (i16x8.add (local.get $sum3_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n3_0))))
          (local.set $a (v128.load offset=128 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_1))))
          (local.set $sum1_0
            (i16x8.add (local.get $sum1_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n1_1))))
          (local.set $sum2_0
            (i16x8.add (local.get $sum2_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n2_1))))
          (local.set $sum3_0
            (i16x8.add (local.get $sum3_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n3_1))))
          ;; bytes 12 to 15 of each row
          (local.set $q (v128.load offset=56 align=1 (local.get $w0)))
          (local.set $n0_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n0_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=56 align=1 (local.get $w1)))
          (local.set $n1_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n1_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=56 align=1 (local.get $w2)))
          (local.set $n2_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n2_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $q (v128.load offset=56 align=1 (local.get $w3)))
          (local.set $n3_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n3_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=80 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_0))))
          (local.set $sum1_0
            (i16x8.add (local.get $sum1_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n1_0))))
          (local.set $sum2_0
            (i16x8.add (local.get $sum2_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n2_0))))
          (local.set $sum3_0
            (i16x8.add (local.get $sum3_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n3_0))))
          (local.set $a (v128.load offset=144 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_1))))
          (local.set $sum1_0
            (i16x8.add (local.get $sum1_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n1_1))))
          (local.set $sum2_0
            (i16x8.add (local.get $sum2_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n2_1))))
          (local.set $sum3_0
            (i16x8.add (local.get $sum3_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n3_1))))
          ;; add sum * scale, one row a lane
          (local.set $seen
            (i64.or (local.get $seen)
              (i64.add
                (i64.and (i64.load align=1 (local.get $w0)) (i64.const 0x7c007c007c007c00))
                (i64.const 0x0400040004000400))))
          (local.set $dx0
            (v128.and
              (i32x4.shl (v128.load16x4_s align=1 (local.get $w0)) (i32.const 13))
              (local.get $scale_bits)))
          (local.set $seen
            (i64.or (local.get $seen)
              (i64.add
                (i64.and (i64.load align=1 (local.get $w1)) (i64.const 0x7c007c007c007c00))
                (i64.const 0x0400040004000400))))
          (local.set $dx1
            (v128.and
              (i32x4.shl (v128.load16x4_s align=1 (local.get $w1)) (i32.const 13))
              (local.get $scale_bits)))
          (local.set $seen
            (i64.or (local.get $seen)
              (i64.add
                (i64.and (i64.load align=1 (local.get $w2)) (i64.const 0x7c007c007c007c00))
                (i64.const 0x0400040004000400))))
          (local.set $dx2
            (v128.and
              (i32x4.shl (v128.load16x4_s align=1 (local.get $w2)) (i32.const 13))
              (local.get $scale_bits)))
          (local.set $seen
            (i64.or (local.get $seen)
              (i64.add
                (i64.and (i64.load align=1 (local.get $w3)) (i64.const 0x7c007c007c007c00))
                (i64.const 0x0400040004000400))))
          (local.set $dx3
            (v128.and
              (i32x4.shl (v128.load16x4_s align=1 (local.get $w3)) (i32.const 13))
              (local.get $scale_bits)))
          (local.set $dy (v128.load offset=16 align=1 (local.get $y0)))
          (local.set $total0_0
            (f32x4.add (local.get $total0_0)
              (f32x4.mul
                (f32x4.convert_i32x4_s (i32x4.extadd_pairwise_i16x8_s (local.get $sum0_0)))
                (f32x4.mul (local.get $dx0) (local.get $dy)))))
          (local.set $total1_0
            (f32x4.add (local.get $total1_0)
              (f32x4.mul
                (f32x4.convert_i32x4_s (i32x4.extadd_pairwise_i16x8_s (local.get $sum1_0)))
                (f32x4.mul (local.get $dx1) (local.get $dy)))))
          (local.set $total2_0
            (f32x4.add (local.get $total2_0)
              (f32x4.mul
                (f32x4.convert_i32x4_s (i32x4.extadd_pairwise_i16x8_s (local.get $sum2_0)))
                (f32x4.mul (local.get $dx2) (local.get $dy)))))
          (local.set $total3_0
            (f32x4.add (local.get $total3_0)
              (f32x4.mul
                (f32x4.convert_i32x4_s (i32x4.extadd_pairwise_i16x8_s (local.get $sum3_0)))
                (f32x4.mul (local.get $dx3) (local.get $dy)))))
          (local.set $w0 (i32.add (local.get $w0) (i32.const 72)))
          (local.set $w1 (i32.add (local.get $w1) (i32.const 72)))
          (local.set $w2 (i32.add (local.get $w2) (i32.const 72)))
          (local.set $w3 (i32.add (local.get $w3) (i32.const 72)))
          (local.set $y0 (i32.add (local.get $y0) (i32.const 160)))
          (br_if $block (i32.ne (local.get $y0) (local.get $end))))))

    (v128.store align=1 (local.get $s) (local.get $total0_0))
    (local.set $s (i32.add (local.get $s) (local.get $s_step)))
    (v128.store align=1 (local.get $s) (local.get $total1_0))
    (local.set $s (i32.add (local.get $s) (local.get $s_step)))
    (v128.store align=1 (local.get $s) (local.get $total2_0))
    (local.set $s (i32.add (local.get $s) (local.get $s_step)))
    (v128.store align=1 (local.get $s) (local.get $total3_0))
    (i64.and (local.get $seen) (i64.const 0x8000800080008000)))

  ;; 4 rows by 1 column, whatever the scales are
  (func $exact_4x1
    (param $s i32)       ;; where the first result goes
    (param $rows i32)    ;; 1 to 4, of those that are stored
    (param $w0 i32)      ;; weights of the first group
    (param $y0 i32)      ;; activations of the first column
    (param $y_step i32)  ;; bytes of a column
    (local $end i32)          ;; where the activations of column 0 end
    (local $low4 v128)        ;; 0x0f in each byte
    (local $scale_bits v128)  ;; sign, exponent and fraction of an f16, moved to an f32's place
    (local $q v128)           ;; packed weights of 4 rows
    (local $a v128)           ;; a word of activations, in all lanes
    (local $dy v128)          ;; a column's scale, in all lanes
    (local $n0_0 v128)        ;; nibbles of group 0, part 0
    (local $n0_1 v128)        ;; nibbles of group 0, part 1
    (local $dx0 v128)         ;; f32x4 scales, group 0
    (local $sum0_0 v128)      ;; sums of a block, group 0, column 0
    (local $total0_0 v128)    ;; f32x4 totals, group 0, column 0
    (local.set $low4 (v128.const i8x16 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15))
    (local.set $scale_bits (v128.const i32x4 0x8fffe000 0x8fffe000 0x8fffe000 0x8fffe000))
    (local.set $end (i32.add (local.get $y0) (local.get $y_step)))
    (if (i32.ne (local.get $y0) (local.get $end))
      (then
        (loop $block
          ;; sums start from the zero point, -8 times each quant
          (local.set $a (v128.load offset=0 align=1 (local.get $y0)))
          (local.set $sum0_0 (local.get $a))
          ;; bytes 0 to 3 of each row
          (local.set $q (v128.load offset=8 align=1 (local.get $w0)))
          (local.set $n0_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n0_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=32 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_0))))
          (local.set $a (v128.load offset=96 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_1))))
          ;; bytes 4 to 7 of each row
          (local.set $q (v128.load offset=24 align=1 (local.get $w0)))
          (local.set $n0_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n0_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=48 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_0))))
          (local.set $a (v128.load offset=112 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_1))))
          ;; bytes 8 to 11 of each row
          (local.set $q (v128.load offset=40 align=1 (local.get $w0)))
          (local.set $n0_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n0_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=64 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_0))))
          (local.set $a (v128.load offset=128 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_1))))
          ;; bytes 12 to 15 of each row
          (local.set $q (v128.load offset=56 align=1 (local.get $w0)))
          (local.set $n0_0 (v128.and (local.get $q) (local.get $low4)))
          (local.set $n0_1 (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=80 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_0))))
          (local.set $a (v128.load offset=144 align=1 (local.get $y0)))
          (local.set $sum0_0
            (i16x8.add (local.get $sum0_0) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $a) (local.get $n0_1))))
          ;; add sum * scale, one row a lane
          (local.set $dx0
            (v128.and
              (i32x4.shl (v128.load16x4_s align=1 (local.get $w0)) (i32.const 13))
              (local.get $scale_bits)))
          (local.set $dx0
            (v128.or (local.get $dx0)
              (v128.and (v128.const i32x4 0x70000000 0x70000000 0x70000000 0x70000000)
                (i32x4.eq
                  (v128.and (local.get $dx0) (v128.const i32x4 0x0f800000 0x0f800000 0x0f800000 0x0f800000))
                  (v128.const i32x4 0x0f800000 0x0f800000 0x0f800000 0x0f800000)))))
          (local.set $dy (v128.load offset=16 align=1 (local.get $y0)))
          (local.set $total0_0
            (f32x4.add (local.get $total0_0)
              (f32x4.mul
                (f32x4.convert_i32x4_s (i32x4.extadd_pairwise_i16x8_s (local.get $sum0_0)))
                (f32x4.mul (local.get $dx0) (local.get $dy)))))
          (local.set $w0 (i32.add (local.get $w0) (i32.const 72)))
          (local.set $y0 (i32.add (local.get $y0) (i32.const 160)))
          (br_if $block (i32.ne (local.get $y0) (local.get $end))))))

    (if (i32.ge_u (local.get $rows) (i32.const 4))
      (then (v128.store align=1 (local.get $s) (local.get $total0_0)))
      (else
        (v128.store32_lane align=1 0 (local.get $s) (local.get $total0_0))
        (if (i32.ge_u (local.get $rows) (i32.const 2))
          (then (v128.store32_lane offset=4 align=1 1 (local.get $s) (local.get $total0_0))))
        (if (i32.ge_u (local.get $rows) (i32.const 3))
          (then (v128.store32_lane offset=8 align=1 2 (local.get $s) (local.get $total0_0)))))))

  ;; any number of rows and columns, whatever the scales are
  (func $slow_path
    (param $s i32)        ;; where the first result goes
    (param $bs i32)       ;; bytes from a column of results to the next
    (param $w i32)        ;; weights of the first rows
    (param $w_step i32)   ;; bytes from 4 rows to the next
    (param $y i32)        ;; activations of the first column
    (param $y_step i32)   ;; bytes of a column
    (param $rows i32)     ;; at least 1
    (param $columns i32)  ;; at least 1
    (local $to i32)       ;; where the next results go
    (local $from i32)     ;; activations of the next column
    (local $left i32)     ;; columns that are left
    (loop $group
      (local.set $to (local.get $s))
      (local.set $from (local.get $y))
      (local.set $left (local.get $columns))
      (loop $column
        (call $exact_4x1
          (local.get $to) (local.get $rows) (local.get $w) (local.get $from) (local.get $y_step))
        (local.set $to (i32.add (local.get $to) (local.get $bs)))
        (local.set $from (i32.add (local.get $from) (local.get $y_step)))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br_if $column (local.get $left)))
      (local.set $s (i32.add (local.get $s) (i32.const 16)))
      (local.set $w (i32.add (local.get $w) (local.get $w_step)))
      (local.set $rows (i32.sub (local.get $rows) (i32.const 4)))
      (br_if $group (i32.gt_s (local.get $rows) (i32.const 0)))))

  ;; a panel: tiles, then what does not fill one
  (func $panel
    (param $s i32)        ;; where the first result goes
    (param $bs i32)       ;; bytes from a column of results to the next
    (param $w i32)        ;; weights of the first rows
    (param $w_step i32)   ;; bytes from 4 rows to the next
    (param $y i32)        ;; activations of the first column
    (param $y_step i32)   ;; bytes of a column
    (param $rows i32)     ;; at least 1
    (param $columns i32)  ;; at least 1
    (local $to i32)       ;; where the next results go
    (local $from i32)     ;; activations of the next column
    (local $left i32)     ;; columns that are left
    (local $tiles i32)    ;; tiles of rows that are left
    (local $s_far i32)    ;; bytes from results of a tile's group to those of its next
    (local $w_far i32)    ;; bytes from weights of a tile's group to those of its next
    (local $s_next i32)   ;; bytes from results of a tile to those of the next
    (local $w_next i32)   ;; bytes from weights of a tile to those of the next
    (local $s_rest i32)   ;; where results of rows go that fill no tile
    (local $w_rest i32)   ;; weights of rows that fill no tile
    (local $group i32)    ;; groups of a tile that are left
    (local $seen i64)     ;; whether a scale was infinite or NaN
    (local.set $tiles (i32.div_u (local.get $rows) (i32.const 16)))
    (local.set $s_next (i32.const 16))
    (local.set $w_next (local.get $w_step))
    (local.set $s_far (i32.mul (local.get $tiles) (local.get $s_next)))
    (local.set $w_far (i32.mul (local.get $tiles) (local.get $w_next)))
    (local.set $s_rest (i32.add (local.get $s) (i32.mul (local.get $s_far) (i32.const 4))))
    (local.set $w_rest (i32.add (local.get $w) (i32.mul (local.get $w_far) (i32.const 4))))
    (local.set $rows (i32.rem_u (local.get $rows) (i32.const 16)))
    (block $no_more
      (loop $tile
        (br_if $no_more (i32.eqz (local.get $tiles)))
        (local.set $seen (i64.const 0))
        (local.set $to (local.get $s))
        (local.set $from (local.get $y))
        (local.set $left (local.get $columns))
        (block $no_column
          (loop $column
            (br_if $no_column (i32.eqz (local.get $left)))
            (local.set $seen
              (i64.or (local.get $seen)
                (call $tile_16x1
                  (local.get $to) (local.get $s_far) (local.get $bs) (local.get $w) (local.get $w_far)
                  (local.get $from) (local.get $y_step))))
            (local.set $to (i32.add (local.get $to) (local.get $bs)))
            (local.set $from (i32.add (local.get $from) (local.get $y_step)))
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br $column)))
        (if (i64.ne (local.get $seen) (i64.const 0))
          (then
            ;; rarely: the tile is computed again by the path for any scales
            (local.set $to (local.get $s))
            (local.set $from (local.get $w))
            (local.set $group (i32.const 4))
            (loop $again
              (call $slow_path
                (local.get $to) (local.get $bs) (local.get $from) (local.get $w_step) (local.get $y) (local.get $y_step)
                (i32.const 4) (local.get $columns))
              (local.set $to (i32.add (local.get $to) (local.get $s_far)))
              (local.set $from (i32.add (local.get $from) (local.get $w_far)))
              (br_if $again (local.tee $group (i32.sub (local.get $group) (i32.const 1)))))))
        (local.set $s (i32.add (local.get $s) (local.get $s_next)))
        (local.set $w (i32.add (local.get $w) (local.get $w_next)))
        (local.set $tiles (i32.sub (local.get $tiles) (i32.const 1)))
        (br $tile)))
    (if (local.get $rows)
      (then
        (call $slow_path
          (local.get $s_rest) (local.get $bs) (local.get $w_rest) (local.get $w_step)
          (local.get $y) (local.get $y_step) (local.get $rows) (local.get $columns)))))

  ;; the end of a range of memory, 0 where it is empty; traps where memory ends before
  (func $range_end
    (param $at i32)     ;; where it starts
    (param $items i64)  ;; what it has
    (param $bytes i64)  ;; bytes of each, below 2^16
    (result i64)
    (local $end i64)
    (if (i64.eqz (local.get $items))
      (then (return (i64.const 0))))
    ;; what follows does not wrap around
    (if (i64.gt_u (local.get $items) (i64.const 0x100000000))
      (then (unreachable)))
    (local.set $end
      (i64.add (i64.extend_i32_u (local.get $at)) (i64.mul (local.get $items) (local.get $bytes))))
    (if (i64.gt_u (local.get $end) (i64.shl (i64.extend_i32_u (memory.size)) (i64.const 16)))
      (then (unreachable)))
    (local.get $end))

  ;; traps where two ranges overlap
  (func $ranges_apart
    (param $a i32) (param $a_end i64)
    (param $b i32) (param $b_end i64)
    (if (i32.and
          (i64.lt_u (i64.extend_i32_u (local.get $a)) (local.get $b_end))
          (i64.lt_u (i64.extend_i32_u (local.get $b)) (local.get $a_end)))
      (then (unreachable))))

  (func $gemv_q4_0_q8_0 (export "gemv_q4_0_q8_0")
    (param $n i32)   ;; elements of a row and of a column, a multiple of 32
    (param $s i32)   ;; where the f32 results go
    (param $bs i32)  ;; floats from a column of results to the next
    (param $vx i32)  ;; weights
    (param $vy i32)  ;; activations
    (param $nr i32)  ;; columns
    (param $nc i32)  ;; rows of weights
    (local $s_end i64)        ;; address where what is at s ends, 0 for nothing
    (local $vx_end i64)       ;; address where what is at vx ends, 0 for nothing
    (local $vy_end i64)       ;; address where what is at vy ends, 0 for nothing
    (local $w_step i32)       ;; bytes from 4 rows of weights to the next 4
    (local $y_step i32)       ;; bytes of a column of activations
    (local $panel i32)        ;; columns of this panel

    ;; the contract: trap before anything is written
    (if (i32.and (local.get $n) (i32.const 0x8000001f))
      (then (unreachable)))
    (if (i32.or (i32.eqz (local.get $nr)) (i32.eqz (local.get $nc)))
      (then (return)))
    (if (i32.and (i32.gt_u (local.get $nr) (i32.const 1)) (i32.lt_u (local.get $bs) (local.get $nc)))
      (then (unreachable)))
    (local.set $s_end
      (call $range_end (local.get $s)
        (i64.add
          (i64.mul
            (i64.extend_i32_u (i32.sub (local.get $nr) (i32.const 1)))
            (i64.extend_i32_u (local.get $bs)))
          (i64.extend_i32_u (local.get $nc)))
        (i64.const 4)))
    (local.set $vx_end
      (call $range_end (local.get $vx)
        (i64.mul
          (i64.extend_i32_u (i32.div_u (i32.add (local.get $nc) (i32.const 3)) (i32.const 4)))
          (i64.extend_i32_u (i32.div_u (local.get $n) (i32.const 32))))
        (i64.const 72)))
    (local.set $vy_end
      (call $range_end (local.get $vy)
        (i64.mul
          (i64.extend_i32_u (local.get $nr))
          (i64.extend_i32_u (i32.div_u (local.get $n) (i32.const 32))))
        (i64.const 160)))
    (call $ranges_apart (local.get $s) (local.get $s_end) (local.get $vx) (local.get $vx_end))
    (call $ranges_apart (local.get $s) (local.get $s_end) (local.get $vy) (local.get $vy_end))

    (local.set $w_step
      (i32.mul (i32.div_u (local.get $n) (i32.const 32)) (i32.const 72)))
    (local.set $y_step
      (i32.mul (i32.div_u (local.get $n) (i32.const 32)) (i32.const 160)))
    (local.set $bs (i32.shl (local.get $bs) (i32.const 2)))
    (loop $panels
      (local.set $panel
        (select (local.get $nr) (i32.const 32) (i32.lt_u (local.get $nr) (i32.const 32))))
      (call $panel
        (local.get $s) (local.get $bs) (local.get $vx) (local.get $w_step) (local.get $vy) (local.get $y_step)
        (local.get $nc) (local.get $panel))
      (local.set $s (i32.add (local.get $s) (i32.mul (local.get $bs) (local.get $panel))))
      (local.set $vy (i32.add (local.get $vy) (i32.mul (local.get $y_step) (local.get $panel))))
      (br_if $panels (local.tee $nr (i32.sub (local.get $nr) (local.get $panel)))))))
