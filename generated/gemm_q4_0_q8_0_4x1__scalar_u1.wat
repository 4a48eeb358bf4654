;; gemm_q4_0_q8_0_4x1__scalar_u1
;;
;; Rows of Q4_0 weights x times columns of Q8_0 activations y, 4 rows by 1 column at a time: the f32 at s + 4
;; * (c * bs + r) is the dot product of row r and column c.
;;
;;   x, 72 bytes: 4 rows interleaved: f16 d of each, then 4 vectors; vector j has bytes 4j to 4j + 3 of each
;;     row's 16
;;   y, 40 bytes: sums: a start, an f32 scale and 8 words of quants, each once
;;
;; Contract: It traps before it writes anything where n is no multiple of 32, a size is negative, columns of
;; results overlap (bs < nc), anything lies beyond memory, or results overlap operands. Any number of rows nc,
;; columns nr and any alignment will do; n = 0 stores +0. Reads (nc + 3) / 4 * n / 32 blocks of 4 rows and nr
;; * n / 32 records, and not a byte more; writes nr * nc floats, and nothing between columns. Block sums are
;; exact integers; a term is scaled with one rounding, and the terms of a row are added in order: all matrix
;; kernels give the same bits.
;;
;; Needs: no SIMD.
;; How: mul, compact activations, unrolled steps, totals in registers, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 153.50 opcodes per 32 weights and a column in the main loop, locals and constants not counted.
;; Generated: edit templates/frames/gemm.wat.j2 and what it imports, then `make bless`.
(module
  (memory (export "memory") 1)

  ;; 4 rows by a column, whatever the scales are
  (func $exact_4x1
    (param $s i32)       ;; where the first result goes
    (param $rows i32)    ;; at least 1: what is beyond them or 4 is not stored
    (param $w i32)       ;; weights
    (param $y i32)       ;; activations
    (param $y_step i32)  ;; bytes of the column
    (local $end i32)          ;; where the activations end
    (local $a i32)            ;; an activation
    (local $h i32)            ;; a scale, moved to an f32's place
    (local $dy f32)           ;; the column's scale
    (local $q0 i32)           ;; packed weights of row 0
    (local $q1 i32)           ;; packed weights of row 1
    (local $q2 i32)           ;; packed weights of row 2
    (local $q3 i32)           ;; packed weights of row 3
    (local $sum0 i32)         ;; sum of a block, row 0
    (local $sum1 i32)         ;; sum of a block, row 1
    (local $sum2 i32)         ;; sum of a block, row 2
    (local $sum3 i32)         ;; sum of a block, row 3
    (local $total0 f32)       ;; total, row 0
    (local $total1 f32)       ;; total, row 1
    (local $total2 f32)       ;; total, row 2
    (local $total3 f32)       ;; total, row 3
    (local.set $end (i32.add (local.get $y) (local.get $y_step)))
    (if (i32.ne (local.get $y) (local.get $end))
      (then
        (loop $block
          ;; sums start from the zero point, -8 times each quant
          (local.set $a (i32.load align=1 (local.get $y)))
          (local.set $sum0 (local.get $a))
          (local.set $sum1 (local.get $a))
          (local.set $sum2 (local.get $a))
          (local.set $sum3 (local.get $a))
          ;; bytes 0 to 3 of each row
          (local.set $q0 (i32.load offset=8 align=1 (local.get $w)))
          (local.set $q1 (i32.load offset=12 align=1 (local.get $w)))
          (local.set $q2 (i32.load offset=16 align=1 (local.get $w)))
          (local.set $q3 (i32.load offset=20 align=1 (local.get $w)))
          (local.set $a (i32.load8_s offset=8 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 0)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 0)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 0)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 0)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=24 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 4)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 4)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 4)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 4)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=9 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 8)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 8)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 8)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 8)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=25 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 12)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 12)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 12)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 12)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=10 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 16)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 16)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 16)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 16)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=26 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 20)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 20)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 20)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 20)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=11 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 24)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 24)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 24)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 24)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=27 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 28)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 28)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 28)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 28)) (i32.const 15)))))
          ;; bytes 4 to 7 of each row
          (local.set $q0 (i32.load offset=24 align=1 (local.get $w)))
          (local.set $q1 (i32.load offset=28 align=1 (local.get $w)))
          (local.set $q2 (i32.load offset=32 align=1 (local.get $w)))
          (local.set $q3 (i32.load offset=36 align=1 (local.get $w)))
          (local.set $a (i32.load8_s offset=12 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 0)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 0)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 0)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 0)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=28 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 4)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 4)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 4)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 4)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=13 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 8)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 8)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 8)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 8)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=29 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 12)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 12)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 12)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 12)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=14 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 16)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 16)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 16)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 16)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=30 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 20)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 20)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 20)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 20)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=15 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 24)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 24)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 24)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 24)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=31 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 28)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 28)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 28)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 28)) (i32.const 15)))))
          ;; bytes 8 to 11 of each row
          (local.set $q0 (i32.load offset=40 align=1 (local.get $w)))
          (local.set $q1 (i32.load offset=44 align=1 (local.get $w)))
          (local.set $q2 (i32.load offset=48 align=1 (local.get $w)))
          (local.set $q3 (i32.load offset=52 align=1 (local.get $w)))
          (local.set $a (i32.load8_s offset=16 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 0)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 0)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 0)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 0)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=32 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 4)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 4)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 4)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 4)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=17 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 8)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 8)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 8)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 8)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=33 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 12)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 12)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 12)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 12)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=18 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 16)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 16)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 16)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 16)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=34 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 20)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 20)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 20)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 20)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=19 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 24)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 24)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 24)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 24)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=35 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 28)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 28)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 28)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 28)) (i32.const 15)))))
          ;; bytes 12 to 15 of each row
          (local.set $q0 (i32.load offset=56 align=1 (local.get $w)))
          (local.set $q1 (i32.load offset=60 align=1 (local.get $w)))
          (local.set $q2 (i32.load offset=64 align=1 (local.get $w)))
          (local.set $q3 (i32.load offset=68 align=1 (local.get $w)))
          (local.set $a (i32.load8_s offset=20 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 0)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 0)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 0)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 0)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=36 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 4)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 4)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 4)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 4)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=21 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 8)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 8)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 8)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 8)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=37 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 12)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 12)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 12)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 12)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=22 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 16)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 16)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 16)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 16)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=38 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 20)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 20)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 20)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 20)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=23 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 24)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 24)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 24)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 24)) (i32.const 15)))))
          (local.set $a (i32.load8_s offset=39 (local.get $y)))
          (local.set $sum0
            (i32.add (local.get $sum0)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q0) (i32.const 28)) (i32.const 15)))))
          (local.set $sum1
            (i32.add (local.get $sum1)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q1) (i32.const 28)) (i32.const 15)))))
          (local.set $sum2
            (i32.add (local.get $sum2)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q2) (i32.const 28)) (i32.const 15)))))
          (local.set $sum3
            (i32.add (local.get $sum3)
              (i32.mul (local.get $a)
                (i32.and (i32.shr_u (local.get $q3) (i32.const 28)) (i32.const 15)))))
          ;; add sum * scale; an f16's bits in an f32's place read 2^-112 of its value, and y's scale is 2^112 times too large
          (local.set $dy (f32.load offset=4 align=1 (local.get $y)))
          (local.set $h
            (i32.and
              (i32.shl (i32.load16_s offset=0 align=1 (local.get $w)) (i32.const 13))
              (i32.const 0x8fffe000)))
          (local.set $h
            (select
              (i32.or (local.get $h) (i32.const 0x70000000))
              (local.get $h)
              (i32.eq (i32.and (local.get $h) (i32.const 0x0f800000)) (i32.const 0x0f800000))))
          (local.set $total0
            (f32.add (local.get $total0)
              (f32.mul
                (f32.convert_i32_s (local.get $sum0))
                (f32.mul (f32.reinterpret_i32 (local.get $h)) (local.get $dy)))))
          (local.set $h
            (i32.and
              (i32.shl (i32.load16_s offset=2 align=1 (local.get $w)) (i32.const 13))
              (i32.const 0x8fffe000)))
          (local.set $h
            (select
              (i32.or (local.get $h) (i32.const 0x70000000))
              (local.get $h)
              (i32.eq (i32.and (local.get $h) (i32.const 0x0f800000)) (i32.const 0x0f800000))))
          (local.set $total1
            (f32.add (local.get $total1)
              (f32.mul
                (f32.convert_i32_s (local.get $sum1))
                (f32.mul (f32.reinterpret_i32 (local.get $h)) (local.get $dy)))))
          (local.set $h
            (i32.and
              (i32.shl (i32.load16_s offset=4 align=1 (local.get $w)) (i32.const 13))
              (i32.const 0x8fffe000)))
          (local.set $h
            (select
              (i32.or (local.get $h) (i32.const 0x70000000))
              (local.get $h)
              (i32.eq (i32.and (local.get $h) (i32.const 0x0f800000)) (i32.const 0x0f800000))))
          (local.set $total2
            (f32.add (local.get $total2)
              (f32.mul
                (f32.convert_i32_s (local.get $sum2))
                (f32.mul (f32.reinterpret_i32 (local.get $h)) (local.get $dy)))))
          (local.set $h
            (i32.and
              (i32.shl (i32.load16_s offset=6 align=1 (local.get $w)) (i32.const 13))
              (i32.const 0x8fffe000)))
          (local.set $h
            (select
              (i32.or (local.get $h) (i32.const 0x70000000))
              (local.get $h)
              (i32.eq (i32.and (local.get $h) (i32.const 0x0f800000)) (i32.const 0x0f800000))))
          (local.set $total3
            (f32.add (local.get $total3)
              (f32.mul
                (f32.convert_i32_s (local.get $sum3))
                (f32.mul (f32.reinterpret_i32 (local.get $h)) (local.get $dy)))))
          (local.set $w (i32.add (local.get $w) (i32.const 72)))
          (local.set $y (i32.add (local.get $y) (i32.const 40)))
          (br_if $block (i32.ne (local.get $y) (local.get $end))))))

    (f32.store align=1 (local.get $s) (local.get $total0))
    (if (i32.gt_u (local.get $rows) (i32.const 1))
      (then (f32.store offset=4 align=1 (local.get $s) (local.get $total1))))
    (if (i32.gt_u (local.get $rows) (i32.const 2))
      (then (f32.store offset=8 align=1 (local.get $s) (local.get $total2))))
    (if (i32.gt_u (local.get $rows) (i32.const 3))
      (then (f32.store offset=12 align=1 (local.get $s) (local.get $total3))))
  )

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

  (func $ggml_gemm_q4_0_q8_0 (export "ggml_gemm_q4_0_q8_0")
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
      (call $exactly
        (local.get $s) (local.get $bs) (local.get $vx) (local.get $w_step) (local.get $vy) (local.get $y_step)
        (local.get $nc) (local.get $panel))
      (local.set $s (i32.add (local.get $s) (i32.mul (local.get $bs) (local.get $panel))))
      (local.set $vy (i32.add (local.get $vy) (i32.mul (local.get $y_step) (local.get $panel))))
      (br_if $panels (local.tee $nr (i32.sub (local.get $nr) (local.get $panel)))))))
