;; quantize_mat_q8_0__scalar_u1
;;
;; nr columns of n f32, bx bytes from one to the next, to records of prepared activations, a record for each
;; 32 values, column by column: the quants and f16 scales of quantize_row_q8_0, and what a matrix kernel makes
;; of them for every row.
;;
;;   record, 40 bytes: sums: a start, an f32 scale and 8 words of quants, each once
;;
;; Contract: n is a multiple of 32, nr is not negative; columns and records lie in memory and do not overlap;
;; else it traps, with nothing written. Where nr or n is 0 it does nothing. Reads nr columns of 4 * n bytes
;; and writes nr * n / 32 records, at any alignment, and not a byte more. bx may be anything, 0 too. A block
;; with an infinity or NaN gets such a scale, and quants 0.
;;
;; Needs: no SIMD.
;; How: records of sums, compact, 1 block a turn, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 457.00 opcodes per 32 values in the main loop, locals and constants not counted.
;; Generated: edit templates/frames/quantize_mat.wat.j2 and what it imports, then `make bless`.
(module
  (memory (export "memory") 1)

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

  ;; one column to records; what is where has been checked
  (func $quantize_column
    (param $n i32)  ;; values
    (param $x i32)  ;; the next value
    (param $y i32)  ;; where the next record goes
    (local $end i32)          ;; address where the values end
    (local $m0 i32)           ;; largest magnitude so far, as bits of an f32
    (local $m1 i32)           ;; largest magnitude so far, as bits of an f32
    (local $m2 i32)           ;; largest magnitude so far, as bits of an f32
    (local $m3 i32)           ;; largest magnitude so far, as bits of an f32
    (local $d f32)            ;; the scale
    (local $id f32)           ;; 1 / scale
    (local $h i32)            ;; the scale as f16
    (local $v f32)            ;; value / scale
    (local $q i32)            ;; a quant, in its low byte
    (local $sum i32)          ;; of the quants

    (local.set $end
      (i32.add (local.get $x)
        (i32.mul (local.get $n) (i32.const 4))))

    ;; one block a turn
    (if (i32.ne (local.get $x) (local.get $end))
      (then
        (loop $single
          ;; block 0: the largest magnitude; magnitudes are ordered as their bits are, NaN above all
          (local.set $m0 (i32.and (i32.load offset=0 align=1 (local.get $x)) (i32.const 0x7fffffff)))
          (local.set $m1 (i32.and (i32.load offset=4 align=1 (local.get $x)) (i32.const 0x7fffffff)))
          (local.set $m2 (i32.and (i32.load offset=8 align=1 (local.get $x)) (i32.const 0x7fffffff)))
          (local.set $m3 (i32.and (i32.load offset=12 align=1 (local.get $x)) (i32.const 0x7fffffff)))
          (local.set $m0
            (select
              (local.get $m0)
              (local.tee $h (i32.and (i32.load offset=16 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m0) (local.get $h))))
          (local.set $m1
            (select
              (local.get $m1)
              (local.tee $h (i32.and (i32.load offset=20 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m1) (local.get $h))))
          (local.set $m2
            (select
              (local.get $m2)
              (local.tee $h (i32.and (i32.load offset=24 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m2) (local.get $h))))
          (local.set $m3
            (select
              (local.get $m3)
              (local.tee $h (i32.and (i32.load offset=28 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m3) (local.get $h))))
          (local.set $m0
            (select
              (local.get $m0)
              (local.tee $h (i32.and (i32.load offset=32 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m0) (local.get $h))))
          (local.set $m1
            (select
              (local.get $m1)
              (local.tee $h (i32.and (i32.load offset=36 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m1) (local.get $h))))
          (local.set $m2
            (select
              (local.get $m2)
              (local.tee $h (i32.and (i32.load offset=40 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m2) (local.get $h))))
          (local.set $m3
            (select
              (local.get $m3)
              (local.tee $h (i32.and (i32.load offset=44 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m3) (local.get $h))))
          (local.set $m0
            (select
              (local.get $m0)
              (local.tee $h (i32.and (i32.load offset=48 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m0) (local.get $h))))
          (local.set $m1
            (select
              (local.get $m1)
              (local.tee $h (i32.and (i32.load offset=52 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m1) (local.get $h))))
          (local.set $m2
            (select
              (local.get $m2)
              (local.tee $h (i32.and (i32.load offset=56 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m2) (local.get $h))))
          (local.set $m3
            (select
              (local.get $m3)
              (local.tee $h (i32.and (i32.load offset=60 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m3) (local.get $h))))
          (local.set $m0
            (select
              (local.get $m0)
              (local.tee $h (i32.and (i32.load offset=64 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m0) (local.get $h))))
          (local.set $m1
            (select
              (local.get $m1)
              (local.tee $h (i32.and (i32.load offset=68 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m1) (local.get $h))))
          (local.set $m2
            (select
              (local.get $m2)
              (local.tee $h (i32.and (i32.load offset=72 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m2) (local.get $h))))
          (local.set $m3
            (select
              (local.get $m3)
              (local.tee $h (i32.and (i32.load offset=76 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m3) (local.get $h))))
          (local.set $m0
            (select
              (local.get $m0)
              (local.tee $h (i32.and (i32.load offset=80 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m0) (local.get $h))))
          (local.set $m1
            (select
              (local.get $m1)
              (local.tee $h (i32.and (i32.load offset=84 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m1) (local.get $h))))
          (local.set $m2
            (select
              (local.get $m2)
              (local.tee $h (i32.and (i32.load offset=88 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m2) (local.get $h))))
          (local.set $m3
            (select
              (local.get $m3)
              (local.tee $h (i32.and (i32.load offset=92 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m3) (local.get $h))))
          (local.set $m0
            (select
              (local.get $m0)
              (local.tee $h (i32.and (i32.load offset=96 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m0) (local.get $h))))
          (local.set $m1
            (select
              (local.get $m1)
              (local.tee $h (i32.and (i32.load offset=100 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m1) (local.get $h))))
          (local.set $m2
            (select
              (local.get $m2)
              (local.tee $h (i32.and (i32.load offset=104 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m2) (local.get $h))))
          (local.set $m3
            (select
              (local.get $m3)
              (local.tee $h (i32.and (i32.load offset=108 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m3) (local.get $h))))
          (local.set $m0
            (select
              (local.get $m0)
              (local.tee $h (i32.and (i32.load offset=112 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m0) (local.get $h))))
          (local.set $m1
            (select
              (local.get $m1)
              (local.tee $h (i32.and (i32.load offset=116 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m1) (local.get $h))))
          (local.set $m2
            (select
              (local.get $m2)
              (local.tee $h (i32.and (i32.load offset=120 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m2) (local.get $h))))
          (local.set $m3
            (select
              (local.get $m3)
              (local.tee $h (i32.and (i32.load offset=124 align=1 (local.get $x)) (i32.const 0x7fffffff)))
              (i32.gt_u (local.get $m3) (local.get $h))))
          (local.set $m0
            (select
              (local.get $m0)
              (local.tee $h (local.get $m1))
              (i32.gt_u (local.get $m0) (local.get $h))))
          (local.set $m0
            (select
              (local.get $m0)
              (local.tee $h (local.get $m2))
              (i32.gt_u (local.get $m0) (local.get $h))))
          (local.set $m0
            (select
              (local.get $m0)
              (local.tee $h (local.get $m3))
              (i32.gt_u (local.get $m0) (local.get $h))))
          ;; scale d = largest / 127, and 1 / d
          (local.set $d (f32.div (f32.reinterpret_i32 (local.get $m0)) (f32.const 127)))
          (local.set $id (f32.div (f32.const 1) (local.get $d)))
          ;; d as f16: normal, at most infinite; or subnormal; or NaN
          (local.set $h
            (i32.shr_u
              (i32.add
                (i32.add (local.tee $h (i32.reinterpret_f32 (local.get $d))) (i32.const 0xc8000fff))
                (i32.and (i32.shr_u (local.get $h) (i32.const 13)) (i32.const 1)))
              (i32.const 13)))
          (local.set $h
            (select (local.get $h) (i32.const 0x7c00) (i32.lt_u (local.get $h) (i32.const 0x7c00))))
          (local.set $h
            (select
              (i32.sub (i32.reinterpret_f32 (f32.add (local.get $d) (f32.const 0x1p-1))) (i32.const 0x3f000000))
              (local.get $h)
              (f32.lt (local.get $d) (f32.const 0x1p-14))))
          (local.set $h
            (select (i32.const 0x7e00) (local.get $h) (i32.gt_u (local.get $m0) (i32.const 0x7f800000))))
          ;; d' = the f16's value * 0x1p+112
          (i32.store offset=4 align=1 (local.get $y)
            (i32.or
              (i32.reinterpret_f32
                (f32.mul
                  (f32.mul
                    (f32.reinterpret_i32 (i32.shl (local.get $h) (i32.const 13)))
                    (f32.const 0x1p+112))
                  (f32.const 0x1p+112)))
              (select
                (i32.or (i32.shl (local.get $h) (i32.const 13)) (i32.const 0x7f800000))
                (i32.const 0)
                (i32.ge_u (local.get $h) (i32.const 0x7c00)))))
          (if (i32.and (f32.gt (local.get $id) (f32.const 0)) (f32.lt (local.get $id) (f32.const inf)))
            (then
              ;; value / d, rounded half away from zero
              (local.set $sum (i32.const 0x98000000))
              (local.set $v (f32.mul (f32.load offset=0 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=8 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=4 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=9 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=8 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=10 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=12 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=11 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=16 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=12 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=20 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=13 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=24 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=14 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=28 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=15 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=32 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=16 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=36 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=17 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=40 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=18 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=44 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=19 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=48 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=20 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=52 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=21 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=56 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=22 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=60 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=23 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=64 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=24 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=68 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=25 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=72 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=26 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=76 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=27 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=80 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=28 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=84 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=29 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=88 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=30 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=92 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=31 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=96 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=32 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=100 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=33 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=104 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=34 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=108 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=35 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=112 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=36 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=116 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=37 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=120 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=38 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              (local.set $v (f32.mul (f32.load offset=124 align=1 (local.get $x)) (local.get $id)))
              (i32.store8 offset=39 (local.get $y)
                (local.tee $q
                  (i32.reinterpret_f32
                    (f32.add
                      (f32.trunc (f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))))
                      (f32.const 0x1.8p+23)))))
              (local.set $sum (i32.add (local.get $sum) (local.get $q)))
              ;; start = -8 * the sum of quants
              (i32.store offset=0 align=1 (local.get $y) (i32.mul (local.get $sum) (i32.const -8)))
            )
            (else
              ;; 1 / d is 0, infinite or NaN: all quants are 0
              (i64.store offset=8 align=1 (local.get $y) (i64.const 0))
              (i64.store offset=16 align=1 (local.get $y) (i64.const 0))
              (i64.store offset=24 align=1 (local.get $y) (i64.const 0))
              (i64.store offset=32 align=1 (local.get $y) (i64.const 0))
              (i32.store offset=0 align=1 (local.get $y) (i32.const 0))
            ))
          (local.set $x (i32.add (local.get $x) (i32.const 128)))
          (local.set $y (i32.add (local.get $y) (i32.const 40)))
          (br_if $single (i32.ne (local.get $x) (local.get $end)))))))

  (func $quantize_mat_q8_0 (export "quantize_mat_q8_0")
    (param $n i32)   ;; values of a column, a multiple of 32
    (param $s i32)   ;; where the records of the next column go
    (param $vx i32)  ;; the next column
    (param $bx i32)  ;; bytes from a column to the next
    (param $nr i32)  ;; columns left
    (local $s_end i64)    ;; address where the records end
    (local $vx_end i64)   ;; address where the columns end
    (local $blocks i32)   ;; of a column

    ;; the contract: trap before anything is written
    (if (i32.or
          (i32.and (local.get $n) (i32.const 0x8000001f))
          (i32.lt_s (local.get $nr) (i32.const 0)))
      (then (unreachable)))
    (local.set $blocks (i32.div_u (local.get $n) (i32.const 32)))
    (if (i32.or (i32.eqz (local.get $blocks)) (i32.eqz (local.get $nr)))
      (then (return)))
    (local.set $vx_end
      (call $range_end (local.get $vx)
        (i64.add
          (i64.mul
            (i64.extend_i32_u (i32.sub (local.get $nr) (i32.const 1)))
            (i64.extend_i32_u (local.get $bx)))
          (i64.mul (i64.extend_i32_u (local.get $n)) (i64.const 4)))
        (i64.const 1)))
    (local.set $s_end
      (call $range_end (local.get $s)
        (i64.mul (i64.extend_i32_u (local.get $blocks)) (i64.extend_i32_u (local.get $nr)))
        (i64.const 40)))
    (call $ranges_apart (local.get $s) (local.get $s_end) (local.get $vx) (local.get $vx_end))

    ;; one column a turn
    (loop $column
      (call $quantize_column (local.get $n) (local.get $vx) (local.get $s))
      (local.set $vx (i32.add (local.get $vx) (local.get $bx)))
      (local.set $s (i32.add (local.get $s) (i32.mul (local.get $blocks) (i32.const 40))))
      (br_if $column (local.tee $nr (i32.sub (local.get $nr) (i32.const 1)))))))
