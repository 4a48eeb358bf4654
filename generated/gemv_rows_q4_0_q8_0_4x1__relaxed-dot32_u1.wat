;; gemv_rows_q4_0_q8_0_4x1__relaxed-dot32_u1
;;
;; Rows of Q4_0 weights x times columns of Q8_0 activations y, 4 rows by 1 column at a time: the f32 at s + 4
;; * (c * bs + r) is the dot product of row r and column c.
;;
;;   x, 72 bytes: 4 rows interleaved: f16 d of each, then 4 vectors; vector j has bytes 4j to 4j + 3 of each row's 16
;;   y, 40 bytes: sums: a start, an f32 scale and 8 words of quants, each once
;;
;; Contract: It traps before it writes anything where n is no multiple of 32, a size is negative, columns of
;; results overlap (bs < nc), anything lies beyond memory, or results overlap operands. Any number of rows nc,
;; columns nr and any alignment will do; n = 0 stores +0. Reads nc * n / 32 blocks and nr * n / 32 records,
;; and not a byte more; writes nr * nc floats, and nothing between columns. Block sums are exact integers; a
;; term is scaled with one rounding, and the terms of a row are added in order: all matrix kernels give the
;; same bits.
;;
;; Needs: SIMD and relaxed SIMD.
;; How: dot32, compact activations, rows as they are, totals in registers, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 19.25 opcodes per 32 weights and a column in the main loop, locals and constants not counted.
;; Generated: edit templates/gemm_q4_0_q8_0.wat.j2 and what it imports, then `make bless`.
(module
  (memory (export "memory") 1)

  ;; 4 rows by a column
  (func $tile_4x1
    (param $s i32)       ;; where the first result goes
    (param $s_step i32)  ;; bytes from a group's results to the next one's
    (param $bs i32)      ;; bytes from a column of results to the next
    (param $w0 i32)      ;; the first row
    (param $w_step i32)  ;; bytes from a group of 4 rows to the next
    (param $y0 i32)      ;; activations
    (param $y_step i32)  ;; bytes of the column
    (result i64)         ;; not 0 where a scale is infinite or NaN: then results are not right
    (local $w1 i32)           ;; row 1
    (local $w2 i32)           ;; row 2
    (local $w3 i32)           ;; row 3
    (local $end i32)          ;; where the activations end
    (local $low4 v128)        ;; 0x0f in each byte
    (local $a v128)           ;; activations of a part of the nibbles
    (local $q v128)           ;; packed weights of a row
    (local $n v128)           ;; nibbles of a row, a part of them
    (local $row0 v128)        ;; sums of row 0 of a group
    (local $row1 v128)        ;; sums of row 1 of a group
    (local $row2 v128)        ;; sums of row 2 of a group
    (local $row3 v128)        ;; sums of row 3 of a group
    (local $d0 i64)           ;; scales of rows 0 and 1 of a group, moved to an f32's place
    (local $d1 i64)           ;; scales of rows 2 and 3
    (local $dy v128)          ;; the column's scale, in all lanes
    (local $seen i64)         ;; scales so far: bit 28 is set where one is infinite or NaN
    (local $dx0 v128)         ;; f32x4 scales, group 0
    (local $sum0_0 v128)      ;; sums of a block, group 0
    (local $total0_0 v128)    ;; f32x4 totals, group 0
    (local.set $low4 (v128.const i8x16 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15))
    (local.set $w1 (i32.add (local.get $w0)
        (i32.mul (i32.div_u (local.get $y_step) (i32.const 40)) (i32.const 18))))
    (local.set $w2 (i32.add (local.get $w1)
        (i32.mul (i32.div_u (local.get $y_step) (i32.const 40)) (i32.const 18))))
    (local.set $w3 (i32.add (local.get $w2)
        (i32.mul (i32.div_u (local.get $y_step) (i32.const 40)) (i32.const 18))))
    (local.set $end (i32.add (local.get $y0) (local.get $y_step)))
    (if (i32.ne (local.get $y0) (local.get $end))
      (then
        (loop $block
          ;; group 0: sums of each row
          (local.set $q (v128.load offset=2 align=1 (local.get $w0)))
          (local.set $n (v128.and (local.get $q) (local.get $low4)))
          (local.set $a (v128.load offset=8 align=1 (local.get $y0)))
          (local.set $row0
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (v128.const i32x4 0 0 0 0)))
          (local.set $n (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=24 align=1 (local.get $y0)))
          (local.set $row0
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (local.get $row0)))
          (local.set $q (v128.load offset=2 align=1 (local.get $w1)))
          (local.set $n (v128.and (local.get $q) (local.get $low4)))
          (local.set $a (v128.load offset=8 align=1 (local.get $y0)))
          (local.set $row1
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (v128.const i32x4 0 0 0 0)))
          (local.set $n (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=24 align=1 (local.get $y0)))
          (local.set $row1
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (local.get $row1)))
          (local.set $q (v128.load offset=2 align=1 (local.get $w2)))
          (local.set $n (v128.and (local.get $q) (local.get $low4)))
          (local.set $a (v128.load offset=8 align=1 (local.get $y0)))
          (local.set $row2
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (v128.const i32x4 0 0 0 0)))
          (local.set $n (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=24 align=1 (local.get $y0)))
          (local.set $row2
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (local.get $row2)))
          (local.set $q (v128.load offset=2 align=1 (local.get $w3)))
          (local.set $n (v128.and (local.get $q) (local.get $low4)))
          (local.set $a (v128.load offset=8 align=1 (local.get $y0)))
          (local.set $row3
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (v128.const i32x4 0 0 0 0)))
          (local.set $n (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=24 align=1 (local.get $y0)))
          (local.set $row3
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (local.get $row3)))
          ;; folded, one row a lane; the zero point, -8 times each quant; add sum * scale
          (local.set $row0
            (i32x4.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $row0) (local.get $row1))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $row0) (local.get $row1))))
          (local.set $row2
            (i32x4.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $row2) (local.get $row3))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $row2) (local.get $row3))))
          (local.set $sum0_0
            (i32x4.add
              (i32x4.add
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $row0) (local.get $row2))
              (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $row0) (local.get $row2)))
              (v128.load32_splat offset=0 align=1 (local.get $y0))))
          (local.set $d0 (i64.and
              (i64.or
                (i64.extend_i32_u (i32.shl (i32.load16_s align=1 (local.get $w0)) (i32.const 13)))
                (i64.shl (i64.load16_s align=1 (local.get $w1)) (i64.const 45)))
              (i64.const 0x8fffe0008fffe000)))
          (local.set $d1 (i64.and
              (i64.or
                (i64.extend_i32_u (i32.shl (i32.load16_s align=1 (local.get $w2)) (i32.const 13)))
                (i64.shl (i64.load16_s align=1 (local.get $w3)) (i64.const 45)))
              (i64.const 0x8fffe0008fffe000)))
          (local.set $seen
            (i64.or (local.get $seen)
              (i64.or
                (i64.add (local.get $d0) (i64.const 0x0080000000800000))
                (i64.add (local.get $d1) (i64.const 0x0080000000800000)))))
          (local.set $dx0
            (f64x2.replace_lane 1
              (f64x2.splat (f64.reinterpret_i64 (local.get $d0)))
              (f64.reinterpret_i64 (local.get $d1))))
          (local.set $dy (v128.load32_splat offset=4 align=1 (local.get $y0)))
          (local.set $total0_0
            (f32x4.add (local.get $total0_0)
              (f32x4.mul
                (f32x4.convert_i32x4_s (local.get $sum0_0))
                (f32x4.mul (local.get $dx0) (local.get $dy)))))
          (local.set $w0 (i32.add (local.get $w0) (i32.const 18)))
          (local.set $w1 (i32.add (local.get $w1) (i32.const 18)))
          (local.set $w2 (i32.add (local.get $w2) (i32.const 18)))
          (local.set $w3 (i32.add (local.get $w3) (i32.const 18)))
          (local.set $y0 (i32.add (local.get $y0) (i32.const 40)))
          (br_if $block (i32.ne (local.get $y0) (local.get $end))))))

    (v128.store align=1 (local.get $s) (local.get $total0_0))
    (i64.and (local.get $seen) (i64.const 0x1000000010000000)))

  ;; 4 rows by a column, whatever the scales are
  (func $exact_4x1
    (param $s i32)       ;; where the first result goes
    (param $rows i32)    ;; at least 1: what is beyond them or 4 is not stored
    (param $w0 i32)      ;; the first row
    (param $y0 i32)      ;; activations
    (param $y_step i32)  ;; bytes of the column
    (local $w1 i32)           ;; row 1
    (local $w2 i32)           ;; row 2
    (local $w3 i32)           ;; row 3
    (local $end i32)          ;; where the activations end
    (local $low4 v128)        ;; 0x0f in each byte
    (local $a v128)           ;; activations of a part of the nibbles
    (local $q v128)           ;; packed weights of a row
    (local $n v128)           ;; nibbles of a row, a part of them
    (local $row0 v128)        ;; sums of row 0 of a group
    (local $row1 v128)        ;; sums of row 1 of a group
    (local $row2 v128)        ;; sums of row 2 of a group
    (local $row3 v128)        ;; sums of row 3 of a group
    (local $d0 i64)           ;; scales of rows 0 and 1 of a group, moved to an f32's place
    (local $d1 i64)           ;; scales of rows 2 and 3
    (local $dy v128)          ;; the column's scale, in all lanes
    (local $dx0 v128)         ;; f32x4 scales, group 0
    (local $sum0_0 v128)      ;; sums of a block, group 0
    (local $total0_0 v128)    ;; f32x4 totals, group 0
    (local.set $low4 (v128.const i8x16 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15))
    (local.set $w1 (i32.add (local.get $w0)
        (select
          (i32.mul (i32.div_u (local.get $y_step) (i32.const 40)) (i32.const 18))
          (i32.const 0)
          (i32.gt_u (local.get $rows) (i32.const 1)))))
    (local.set $w2 (i32.add (local.get $w1)
        (select
          (i32.mul (i32.div_u (local.get $y_step) (i32.const 40)) (i32.const 18))
          (i32.const 0)
          (i32.gt_u (local.get $rows) (i32.const 2)))))
    (local.set $w3 (i32.add (local.get $w2)
        (select
          (i32.mul (i32.div_u (local.get $y_step) (i32.const 40)) (i32.const 18))
          (i32.const 0)
          (i32.gt_u (local.get $rows) (i32.const 3)))))
    (local.set $end (i32.add (local.get $y0) (local.get $y_step)))
    (if (i32.ne (local.get $y0) (local.get $end))
      (then
        (loop $block
          ;; group 0: sums of each row
          (local.set $q (v128.load offset=2 align=1 (local.get $w0)))
          (local.set $n (v128.and (local.get $q) (local.get $low4)))
          (local.set $a (v128.load offset=8 align=1 (local.get $y0)))
          (local.set $row0
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (v128.const i32x4 0 0 0 0)))
          (local.set $n (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=24 align=1 (local.get $y0)))
          (local.set $row0
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (local.get $row0)))
          (local.set $q (v128.load offset=2 align=1 (local.get $w1)))
          (local.set $n (v128.and (local.get $q) (local.get $low4)))
          (local.set $a (v128.load offset=8 align=1 (local.get $y0)))
          (local.set $row1
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (v128.const i32x4 0 0 0 0)))
          (local.set $n (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=24 align=1 (local.get $y0)))
          (local.set $row1
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (local.get $row1)))
          (local.set $q (v128.load offset=2 align=1 (local.get $w2)))
          (local.set $n (v128.and (local.get $q) (local.get $low4)))
          (local.set $a (v128.load offset=8 align=1 (local.get $y0)))
          (local.set $row2
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (v128.const i32x4 0 0 0 0)))
          (local.set $n (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=24 align=1 (local.get $y0)))
          (local.set $row2
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (local.get $row2)))
          (local.set $q (v128.load offset=2 align=1 (local.get $w3)))
          (local.set $n (v128.and (local.get $q) (local.get $low4)))
          (local.set $a (v128.load offset=8 align=1 (local.get $y0)))
          (local.set $row3
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (v128.const i32x4 0 0 0 0)))
          (local.set $n (v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4)))
          (local.set $a (v128.load offset=24 align=1 (local.get $y0)))
          (local.set $row3
            (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $n) (local.get $row3)))
          ;; folded, one row a lane; the zero point, -8 times each quant; add sum * scale
          (local.set $row0
            (i32x4.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $row0) (local.get $row1))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $row0) (local.get $row1))))
          (local.set $row2
            (i32x4.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $row2) (local.get $row3))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $row2) (local.get $row3))))
          (local.set $sum0_0
            (i32x4.add
              (i32x4.add
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $row0) (local.get $row2))
              (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $row0) (local.get $row2)))
              (v128.load32_splat offset=0 align=1 (local.get $y0))))
          (local.set $d0 (i64.and
              (i64.or
                (i64.extend_i32_u (i32.shl (i32.load16_s align=1 (local.get $w0)) (i32.const 13)))
                (i64.shl (i64.load16_s align=1 (local.get $w1)) (i64.const 45)))
              (i64.const 0x8fffe0008fffe000)))
          (local.set $d1 (i64.and
              (i64.or
                (i64.extend_i32_u (i32.shl (i32.load16_s align=1 (local.get $w2)) (i32.const 13)))
                (i64.shl (i64.load16_s align=1 (local.get $w3)) (i64.const 45)))
              (i64.const 0x8fffe0008fffe000)))
          (local.set $dx0
            (f64x2.replace_lane 1
              (f64x2.splat (f64.reinterpret_i64 (local.get $d0)))
              (f64.reinterpret_i64 (local.get $d1))))
          (local.set $dx0
            (v128.or (local.get $dx0)
              (v128.and (v128.const i32x4 0x70000000 0x70000000 0x70000000 0x70000000)
                (i32x4.eq
                  (v128.and (local.get $dx0) (v128.const i32x4 0x0f800000 0x0f800000 0x0f800000 0x0f800000))
                  (v128.const i32x4 0x0f800000 0x0f800000 0x0f800000 0x0f800000)))))
          (local.set $dy (v128.load32_splat offset=4 align=1 (local.get $y0)))
          (local.set $total0_0
            (f32x4.add (local.get $total0_0)
              (f32x4.mul
                (f32x4.convert_i32x4_s (local.get $sum0_0))
                (f32x4.mul (local.get $dx0) (local.get $dy)))))
          (local.set $w0 (i32.add (local.get $w0) (i32.const 18)))
          (local.set $w1 (i32.add (local.get $w1) (i32.const 18)))
          (local.set $w2 (i32.add (local.get $w2) (i32.const 18)))
          (local.set $w3 (i32.add (local.get $w3) (i32.const 18)))
          (local.set $y0 (i32.add (local.get $y0) (i32.const 40)))
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
  (func $exactly
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
    (local.set $tiles (i32.div_u (local.get $rows) (i32.const 4)))
    (local.set $s_next (i32.const 16))
    (local.set $w_next (local.get $w_step))
    (local.set $s_far (i32.mul (local.get $tiles) (local.get $s_next)))
    (local.set $w_far (i32.mul (local.get $tiles) (local.get $w_next)))
    (local.set $s_rest (i32.add (local.get $s) (i32.mul (local.get $s_far) (i32.const 1))))
    (local.set $w_rest (i32.add (local.get $w) (i32.mul (local.get $w_far) (i32.const 1))))
    (local.set $rows (i32.rem_u (local.get $rows) (i32.const 4)))
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
                (call $tile_4x1
                  (local.get $to) (local.get $s_far) (local.get $bs) (local.get $w) (local.get $w_far)
                  (local.get $from) (local.get $y_step))))
            (local.set $to (i32.add (local.get $to) (local.get $bs)))
            (local.set $from (i32.add (local.get $from) (local.get $y_step)))
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br $column)))
        (if (i64.ne (local.get $seen) (i64.const 0))
          (then
            ;; nearly never: a tile once more, exactly
            (local.set $to (local.get $s))
            (local.set $from (local.get $w))
            (local.set $group (i32.const 1))
            (loop $again
              (call $exactly
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
        (call $exactly
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

  (func $gemv_rows_q4_0_q8_0 (export "gemv_rows_q4_0_q8_0")
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
          (i64.extend_i32_u (local.get $nc))
          (i64.extend_i32_u (i32.div_u (local.get $n) (i32.const 32))))
        (i64.const 18)))
    (local.set $vy_end
      (call $range_end (local.get $vy)
        (i64.mul
          (i64.extend_i32_u (local.get $nr))
          (i64.extend_i32_u (i32.div_u (local.get $n) (i32.const 32))))
        (i64.const 40)))
    (call $ranges_apart (local.get $s) (local.get $s_end) (local.get $vx) (local.get $vx_end))
    (call $ranges_apart (local.get $s) (local.get $s_end) (local.get $vy) (local.get $vy_end))

    (local.set $w_step
      (i32.mul (i32.div_u (local.get $n) (i32.const 32)) (i32.const 72)))
    (local.set $y_step
      (i32.mul (i32.div_u (local.get $n) (i32.const 32)) (i32.const 40)))
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
