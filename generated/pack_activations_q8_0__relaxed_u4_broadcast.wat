;; pack_activations_q8_0__relaxed_u4_broadcast
;;
;; nr columns of n f32, bx bytes from one to the next, to records of prepared activations, a record for each
;; 32 values, column by column: the quants and f16 scales of quantize_row_q8_0, and what a matrix kernel makes
;; of them for every row.
;;
;;   record, 160 bytes: pairs: a start, an f32 scale and 8 words of quants, each four times
;;
;; Contract: n is a multiple of 32, nr is not negative; columns and records lie in memory and do not overlap;
;; else it traps, with nothing written. Where nr or n is 0 it does nothing. Reads nr columns of 4 * n bytes
;; and writes nr * n / 32 records, at any alignment, and not a byte more. bx may be anything, 0 too. A block
;; with an infinity or NaN gets such a scale, and quants 0.
;;
;; Needs: SIMD and relaxed SIMD.
;; How: records of pairs, broadcast, 4 blocks a turn, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 102.75 opcodes per 32 values in the main loop, locals and constants not counted.
;; Generated: edit templates/frames/pack_activations.wat.j2 and what it imports, then `make bless`.
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
    (local $stop i32)         ;; address where the unrolled loop leaves the rest
    (local $magnitude v128)   ;; all bits of an f32 but its sign
    (local $minus v128)       ;; -1 in each i16 lane
    (local $m0 v128)          ;; i32x4 largest magnitudes, block 0 of a group; sums of its quants
    (local $m1 v128)          ;; i32x4 largest magnitudes, block 1 of a group; sums of its quants
    (local $m2 v128)          ;; i32x4 largest magnitudes, block 2 of a group; sums of its quants
    (local $m3 v128)          ;; i32x4 largest magnitudes, block 3 of a group; sums of its quants
    (local $own v128)         ;; f32x4 of 2 / scale of one block
    (local $d v128)           ;; f32x4 scales, one block a lane
    (local $id2 v128)         ;; f32x4 of 2 / scale
    (local $h v128)           ;; i32x4 scales as f16
    (local $n0 v128)          ;; i16x8 of 2 * value / scale
    (local $n1 v128)          ;; i16x8 of 2 * value / scale
    (local $q0 v128)          ;; i8x16 quants, the first half of a block
    (local $q1 v128)          ;; i8x16 quants, the second half
    (local $dp v128)          ;; f32x4 scales as records have them

    (local.set $end
      (i32.add (local.get $x)
        (i32.mul (local.get $n) (i32.const 4))))
    (local.set $magnitude (v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff))
    (local.set $minus (v128.const i16x8 -1 -1 -1 -1 -1 -1 -1 -1))

    ;; 4 blocks a turn
    (local.set $stop
      (i32.add (local.get $x)
        (i32.mul (i32.div_u (local.get $n) (i32.const 128)) (i32.const 512))))
    (if (i32.ne (local.get $x) (local.get $stop))
      (then
        (loop $unrolled
          ;; block 0: the largest magnitude; magnitudes are ordered as their bits are, NaN above all
          (local.set $m0
            (i32x4.max_u
              (i32x4.max_u
                (i32x4.max_u
                  (v128.and (v128.load offset=0 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=16 align=1 (local.get $x)) (local.get $magnitude)))
                (i32x4.max_u
                  (v128.and (v128.load offset=32 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=48 align=1 (local.get $x)) (local.get $magnitude))))
              (i32x4.max_u
                (i32x4.max_u
                  (v128.and (v128.load offset=64 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=80 align=1 (local.get $x)) (local.get $magnitude)))
                (i32x4.max_u
                  (v128.and (v128.load offset=96 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=112 align=1 (local.get $x)) (local.get $magnitude))))))
          ;; block 1: the largest magnitude; magnitudes are ordered as their bits are, NaN above all
          (local.set $m1
            (i32x4.max_u
              (i32x4.max_u
                (i32x4.max_u
                  (v128.and (v128.load offset=128 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=144 align=1 (local.get $x)) (local.get $magnitude)))
                (i32x4.max_u
                  (v128.and (v128.load offset=160 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=176 align=1 (local.get $x)) (local.get $magnitude))))
              (i32x4.max_u
                (i32x4.max_u
                  (v128.and (v128.load offset=192 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=208 align=1 (local.get $x)) (local.get $magnitude)))
                (i32x4.max_u
                  (v128.and (v128.load offset=224 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=240 align=1 (local.get $x)) (local.get $magnitude))))))
          ;; block 2: the largest magnitude; magnitudes are ordered as their bits are, NaN above all
          (local.set $m2
            (i32x4.max_u
              (i32x4.max_u
                (i32x4.max_u
                  (v128.and (v128.load offset=256 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=272 align=1 (local.get $x)) (local.get $magnitude)))
                (i32x4.max_u
                  (v128.and (v128.load offset=288 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=304 align=1 (local.get $x)) (local.get $magnitude))))
              (i32x4.max_u
                (i32x4.max_u
                  (v128.and (v128.load offset=320 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=336 align=1 (local.get $x)) (local.get $magnitude)))
                (i32x4.max_u
                  (v128.and (v128.load offset=352 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=368 align=1 (local.get $x)) (local.get $magnitude))))))
          ;; block 3: the largest magnitude; magnitudes are ordered as their bits are, NaN above all
          (local.set $m3
            (i32x4.max_u
              (i32x4.max_u
                (i32x4.max_u
                  (v128.and (v128.load offset=384 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=400 align=1 (local.get $x)) (local.get $magnitude)))
                (i32x4.max_u
                  (v128.and (v128.load offset=416 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=432 align=1 (local.get $x)) (local.get $magnitude))))
              (i32x4.max_u
                (i32x4.max_u
                  (v128.and (v128.load offset=448 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=464 align=1 (local.get $x)) (local.get $magnitude)))
                (i32x4.max_u
                  (v128.and (v128.load offset=480 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=496 align=1 (local.get $x)) (local.get $magnitude))))))
          ;; blocks 0 to 3: each one's largest in a lane of its own
          (local.set $m0
            (i32x4.max_u
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m0) (local.get $m1))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m0) (local.get $m1))))
          (local.set $m2
            (i32x4.max_u
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m2) (local.get $m3))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m2) (local.get $m3))))
          (local.set $m0
            (i32x4.max_u
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $m0) (local.get $m2))
              (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $m0) (local.get $m2))))
          ;; scale d = largest / 127, and 2 / d
          (local.set $d (f32x4.div (local.get $m0) (v128.const f32x4 127 127 127 127)))
          (local.set $id2 (f32x4.div (v128.const f32x4 2 2 2 2) (local.get $d)))
          ;; d as f16: normal, at most infinite; or subnormal; or NaN
          (local.set $h
            (i32x4.min_u
              (i32x4.shr_u
                (i32x4.add
                  (i32x4.add (local.get $d) (v128.const i32x4 0xc8000fff 0xc8000fff 0xc8000fff 0xc8000fff))
                  (v128.and (i32x4.shr_u (local.get $d) (i32.const 13)) (v128.const i32x4 1 1 1 1)))
                (i32.const 13))
              (v128.const i32x4 0x7c00 0x7c00 0x7c00 0x7c00)))
          (local.set $h
            (v128.bitselect
              (i32x4.sub
                (f32x4.add (local.get $d) (v128.const f32x4 0x1p-1 0x1p-1 0x1p-1 0x1p-1))
                (v128.const f32x4 0x1p-1 0x1p-1 0x1p-1 0x1p-1))
              (local.get $h)
              (f32x4.lt (local.get $d) (v128.const f32x4 0x1p-14 0x1p-14 0x1p-14 0x1p-14))))
          (local.set $h
            (v128.bitselect
              (v128.const i32x4 0x7e00 0x7e00 0x7e00 0x7e00)
              (local.get $h)
              (f32x4.ne (local.get $m0) (local.get $m0))))
          ;; d' = the f16's value * 0x1p+112
          (local.set $dp
            (v128.or
              (f32x4.mul
                (f32x4.mul (i32x4.shl (local.get $h) (i32.const 13)) (v128.const f32x4 0x1p+112 0x1p+112 0x1p+112 0x1p+112))
                (v128.const f32x4 0x1p+112 0x1p+112 0x1p+112 0x1p+112))
              (v128.and
                (i32x4.gt_s (local.get $h) (v128.const i32x4 0x7bff 0x7bff 0x7bff 0x7bff))
                (v128.or
                  (i32x4.shl (local.get $h) (i32.const 13))
                  (v128.const i32x4 0x7f800000 0x7f800000 0x7f800000 0x7f800000)))))
          ;; block 0: scale, and value / d rounded half away from zero, as half of trunc(2 * value / d)
          (v128.store offset=16 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $dp) (local.get $dp)))
          (local.set $own (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $id2) (local.get $id2)))
          (local.set $n0
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=0 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=16 align=1 (local.get $x)) (local.get $own)))))
          (local.set $n1
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=32 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=48 align=1 (local.get $x)) (local.get $own)))))
          (local.set $q0
            (i8x16.narrow_i16x8_s
              (i16x8.shr_s
                (i16x8.sub (local.get $n0) (i16x8.gt_s (local.get $n0) (local.get $minus)))
                (i32.const 1))
              (i16x8.shr_s
                (i16x8.sub (local.get $n1) (i16x8.gt_s (local.get $n1) (local.get $minus)))
                (i32.const 1))))
          (local.set $n0
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=64 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=80 align=1 (local.get $x)) (local.get $own)))))
          (local.set $n1
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=96 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=112 align=1 (local.get $x)) (local.get $own)))))
          (local.set $q1
            (i8x16.narrow_i16x8_s
              (i16x8.shr_s
                (i16x8.sub (local.get $n0) (i16x8.gt_s (local.get $n0) (local.get $minus)))
                (i32.const 1))
              (i16x8.shr_s
                (i16x8.sub (local.get $n1) (i16x8.gt_s (local.get $n1) (local.get $minus)))
                (i32.const 1))))
          (v128.store offset=32 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q0) (local.get $q0)))
          (v128.store offset=48 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q0) (local.get $q0)))
          (v128.store offset=64 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q0) (local.get $q0)))
          (v128.store offset=80 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q0) (local.get $q0)))
          (v128.store offset=96 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q1) (local.get $q1)))
          (v128.store offset=112 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q1) (local.get $q1)))
          (v128.store offset=128 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q1) (local.get $q1)))
          (v128.store offset=144 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q1) (local.get $q1)))
          (local.set $m0
            (i16x8.add (i16x8.extadd_pairwise_i8x16_s (local.get $q0)) (i16x8.extadd_pairwise_i8x16_s (local.get $q1))))
          ;; block 1: scale, and value / d rounded half away from zero, as half of trunc(2 * value / d)
          (v128.store offset=176 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $dp) (local.get $dp)))
          (local.set $own (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $id2) (local.get $id2)))
          (local.set $n0
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=128 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=144 align=1 (local.get $x)) (local.get $own)))))
          (local.set $n1
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=160 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=176 align=1 (local.get $x)) (local.get $own)))))
          (local.set $q0
            (i8x16.narrow_i16x8_s
              (i16x8.shr_s
                (i16x8.sub (local.get $n0) (i16x8.gt_s (local.get $n0) (local.get $minus)))
                (i32.const 1))
              (i16x8.shr_s
                (i16x8.sub (local.get $n1) (i16x8.gt_s (local.get $n1) (local.get $minus)))
                (i32.const 1))))
          (local.set $n0
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=192 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=208 align=1 (local.get $x)) (local.get $own)))))
          (local.set $n1
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=224 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=240 align=1 (local.get $x)) (local.get $own)))))
          (local.set $q1
            (i8x16.narrow_i16x8_s
              (i16x8.shr_s
                (i16x8.sub (local.get $n0) (i16x8.gt_s (local.get $n0) (local.get $minus)))
                (i32.const 1))
              (i16x8.shr_s
                (i16x8.sub (local.get $n1) (i16x8.gt_s (local.get $n1) (local.get $minus)))
                (i32.const 1))))
          (v128.store offset=192 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q0) (local.get $q0)))
          (v128.store offset=208 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q0) (local.get $q0)))
          (v128.store offset=224 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q0) (local.get $q0)))
          (v128.store offset=240 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q0) (local.get $q0)))
          (v128.store offset=256 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q1) (local.get $q1)))
          (v128.store offset=272 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q1) (local.get $q1)))
          (v128.store offset=288 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q1) (local.get $q1)))
          (v128.store offset=304 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q1) (local.get $q1)))
          (local.set $m1
            (i16x8.add (i16x8.extadd_pairwise_i8x16_s (local.get $q0)) (i16x8.extadd_pairwise_i8x16_s (local.get $q1))))
          ;; block 2: scale, and value / d rounded half away from zero, as half of trunc(2 * value / d)
          (v128.store offset=336 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $dp) (local.get $dp)))
          (local.set $own (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $id2) (local.get $id2)))
          (local.set $n0
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=256 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=272 align=1 (local.get $x)) (local.get $own)))))
          (local.set $n1
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=288 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=304 align=1 (local.get $x)) (local.get $own)))))
          (local.set $q0
            (i8x16.narrow_i16x8_s
              (i16x8.shr_s
                (i16x8.sub (local.get $n0) (i16x8.gt_s (local.get $n0) (local.get $minus)))
                (i32.const 1))
              (i16x8.shr_s
                (i16x8.sub (local.get $n1) (i16x8.gt_s (local.get $n1) (local.get $minus)))
                (i32.const 1))))
          (local.set $n0
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=320 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=336 align=1 (local.get $x)) (local.get $own)))))
          (local.set $n1
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=352 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=368 align=1 (local.get $x)) (local.get $own)))))
          (local.set $q1
            (i8x16.narrow_i16x8_s
              (i16x8.shr_s
                (i16x8.sub (local.get $n0) (i16x8.gt_s (local.get $n0) (local.get $minus)))
                (i32.const 1))
              (i16x8.shr_s
                (i16x8.sub (local.get $n1) (i16x8.gt_s (local.get $n1) (local.get $minus)))
                (i32.const 1))))
          (v128.store offset=352 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q0) (local.get $q0)))
          (v128.store offset=368 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q0) (local.get $q0)))
          (v128.store offset=384 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q0) (local.get $q0)))
          (v128.store offset=400 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q0) (local.get $q0)))
          (v128.store offset=416 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q1) (local.get $q1)))
          (v128.store offset=432 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q1) (local.get $q1)))
          (v128.store offset=448 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q1) (local.get $q1)))
          (v128.store offset=464 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q1) (local.get $q1)))
          (local.set $m2
            (i16x8.add (i16x8.extadd_pairwise_i8x16_s (local.get $q0)) (i16x8.extadd_pairwise_i8x16_s (local.get $q1))))
          ;; block 3: scale, and value / d rounded half away from zero, as half of trunc(2 * value / d)
          (v128.store offset=496 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $dp) (local.get $dp)))
          (local.set $own (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $id2) (local.get $id2)))
          (local.set $n0
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=384 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=400 align=1 (local.get $x)) (local.get $own)))))
          (local.set $n1
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=416 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=432 align=1 (local.get $x)) (local.get $own)))))
          (local.set $q0
            (i8x16.narrow_i16x8_s
              (i16x8.shr_s
                (i16x8.sub (local.get $n0) (i16x8.gt_s (local.get $n0) (local.get $minus)))
                (i32.const 1))
              (i16x8.shr_s
                (i16x8.sub (local.get $n1) (i16x8.gt_s (local.get $n1) (local.get $minus)))
                (i32.const 1))))
          (local.set $n0
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=448 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=464 align=1 (local.get $x)) (local.get $own)))))
          (local.set $n1
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=480 align=1 (local.get $x)) (local.get $own)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=496 align=1 (local.get $x)) (local.get $own)))))
          (local.set $q1
            (i8x16.narrow_i16x8_s
              (i16x8.shr_s
                (i16x8.sub (local.get $n0) (i16x8.gt_s (local.get $n0) (local.get $minus)))
                (i32.const 1))
              (i16x8.shr_s
                (i16x8.sub (local.get $n1) (i16x8.gt_s (local.get $n1) (local.get $minus)))
                (i32.const 1))))
          (v128.store offset=512 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q0) (local.get $q0)))
          (v128.store offset=528 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q0) (local.get $q0)))
          (v128.store offset=544 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q0) (local.get $q0)))
          (v128.store offset=560 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q0) (local.get $q0)))
          (v128.store offset=576 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q1) (local.get $q1)))
          (v128.store offset=592 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q1) (local.get $q1)))
          (v128.store offset=608 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q1) (local.get $q1)))
          (v128.store offset=624 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q1) (local.get $q1)))
          (local.set $m3
            (i16x8.add (i16x8.extadd_pairwise_i8x16_s (local.get $q0)) (i16x8.extadd_pairwise_i8x16_s (local.get $q1))))
          ;; start = -8 * the sums of quants i with i % 4 below 2, and of the others, as i16
          (local.set $m0
            (i16x8.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m0) (local.get $m1))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m0) (local.get $m1))))
          (local.set $m2
            (i16x8.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m2) (local.get $m3))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m2) (local.get $m3))))
          (local.set $m0
            (i16x8.add
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $m0) (local.get $m2))
              (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $m0) (local.get $m2))))
          (local.set $m0 (i16x8.neg (i16x8.shl (local.get $m0) (i32.const 3))))
          (v128.store offset=0 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $m0) (local.get $m0)))
          (v128.store offset=160 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $m0) (local.get $m0)))
          (v128.store offset=320 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $m0) (local.get $m0)))
          (v128.store offset=480 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $m0) (local.get $m0)))
          ;; nearly never: zeros, NaN, infinities or tiny numbers came by, 2 / d is no number above 0: once more
          (if
            (i32.eqz
              (i32x4.all_true
                (v128.and
                  (f32x4.gt (local.get $id2) (v128.const f32x4 0 0 0 0))
                  (f32x4.lt (local.get $id2) (v128.const f32x4 inf inf inf inf)))))
            (then
              (call $quantize_again
                (i32.add (local.get $x) (i32.const 0))
                (i32.add (local.get $y) (i32.const 0))
                (i32.add (local.get $x) (i32.const 512))
                (local.get $d))))
          (local.set $x (i32.add (local.get $x) (i32.const 512)))
          (local.set $y (i32.add (local.get $y) (i32.const 640)))
          (br_if $unrolled (i32.ne (local.get $x) (local.get $stop))))))

    ;; what is left, one block a turn
    (if (i32.ne (local.get $x) (local.get $end))
      (then
        (loop $single
          ;; block 0: the largest magnitude; magnitudes are ordered as their bits are, NaN above all
          (local.set $m0
            (i32x4.max_u
              (i32x4.max_u
                (i32x4.max_u
                  (v128.and (v128.load offset=0 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=16 align=1 (local.get $x)) (local.get $magnitude)))
                (i32x4.max_u
                  (v128.and (v128.load offset=32 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=48 align=1 (local.get $x)) (local.get $magnitude))))
              (i32x4.max_u
                (i32x4.max_u
                  (v128.and (v128.load offset=64 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=80 align=1 (local.get $x)) (local.get $magnitude)))
                (i32x4.max_u
                  (v128.and (v128.load offset=96 align=1 (local.get $x)) (local.get $magnitude))
                  (v128.and (v128.load offset=112 align=1 (local.get $x)) (local.get $magnitude))))))
          ;; block 0: its largest in every lane
          (local.set $m0
            (i32x4.max_u
              (local.get $m0)
              (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $m0) (local.get $m0))))
          (local.set $m0
            (i32x4.max_u
              (local.get $m0)
              (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $m0) (local.get $m0))))
          ;; scale d = largest / 127, and 2 / d
          (local.set $d (f32x4.div (local.get $m0) (v128.const f32x4 127 127 127 127)))
          (local.set $id2 (f32x4.div (v128.const f32x4 2 2 2 2) (local.get $d)))
          ;; d as f16: normal, at most infinite; or subnormal; or NaN
          (local.set $h
            (i32x4.min_u
              (i32x4.shr_u
                (i32x4.add
                  (i32x4.add (local.get $d) (v128.const i32x4 0xc8000fff 0xc8000fff 0xc8000fff 0xc8000fff))
                  (v128.and (i32x4.shr_u (local.get $d) (i32.const 13)) (v128.const i32x4 1 1 1 1)))
                (i32.const 13))
              (v128.const i32x4 0x7c00 0x7c00 0x7c00 0x7c00)))
          (local.set $h
            (v128.bitselect
              (i32x4.sub
                (f32x4.add (local.get $d) (v128.const f32x4 0x1p-1 0x1p-1 0x1p-1 0x1p-1))
                (v128.const f32x4 0x1p-1 0x1p-1 0x1p-1 0x1p-1))
              (local.get $h)
              (f32x4.lt (local.get $d) (v128.const f32x4 0x1p-14 0x1p-14 0x1p-14 0x1p-14))))
          (local.set $h
            (v128.bitselect
              (v128.const i32x4 0x7e00 0x7e00 0x7e00 0x7e00)
              (local.get $h)
              (f32x4.ne (local.get $m0) (local.get $m0))))
          ;; d' = the f16's value * 0x1p+112
          (local.set $dp
            (v128.or
              (f32x4.mul
                (f32x4.mul (i32x4.shl (local.get $h) (i32.const 13)) (v128.const f32x4 0x1p+112 0x1p+112 0x1p+112 0x1p+112))
                (v128.const f32x4 0x1p+112 0x1p+112 0x1p+112 0x1p+112))
              (v128.and
                (i32x4.gt_s (local.get $h) (v128.const i32x4 0x7bff 0x7bff 0x7bff 0x7bff))
                (v128.or
                  (i32x4.shl (local.get $h) (i32.const 13))
                  (v128.const i32x4 0x7f800000 0x7f800000 0x7f800000 0x7f800000)))))
          ;; block 0: scale, and value / d rounded half away from zero, as half of trunc(2 * value / d)
          (v128.store offset=16 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $dp) (local.get $dp)))
          (local.set $n0
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=0 align=1 (local.get $x)) (local.get $id2)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=16 align=1 (local.get $x)) (local.get $id2)))))
          (local.set $n1
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=32 align=1 (local.get $x)) (local.get $id2)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=48 align=1 (local.get $x)) (local.get $id2)))))
          (local.set $q0
            (i8x16.narrow_i16x8_s
              (i16x8.shr_s
                (i16x8.sub (local.get $n0) (i16x8.gt_s (local.get $n0) (local.get $minus)))
                (i32.const 1))
              (i16x8.shr_s
                (i16x8.sub (local.get $n1) (i16x8.gt_s (local.get $n1) (local.get $minus)))
                (i32.const 1))))
          (local.set $n0
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=64 align=1 (local.get $x)) (local.get $id2)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=80 align=1 (local.get $x)) (local.get $id2)))))
          (local.set $n1
            (i16x8.narrow_i32x4_s
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=96 align=1 (local.get $x)) (local.get $id2)))
              (i32x4.relaxed_trunc_f32x4_s
                (f32x4.mul (v128.load offset=112 align=1 (local.get $x)) (local.get $id2)))))
          (local.set $q1
            (i8x16.narrow_i16x8_s
              (i16x8.shr_s
                (i16x8.sub (local.get $n0) (i16x8.gt_s (local.get $n0) (local.get $minus)))
                (i32.const 1))
              (i16x8.shr_s
                (i16x8.sub (local.get $n1) (i16x8.gt_s (local.get $n1) (local.get $minus)))
                (i32.const 1))))
          (v128.store offset=32 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q0) (local.get $q0)))
          (v128.store offset=48 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q0) (local.get $q0)))
          (v128.store offset=64 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q0) (local.get $q0)))
          (v128.store offset=80 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q0) (local.get $q0)))
          (v128.store offset=96 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q1) (local.get $q1)))
          (v128.store offset=112 align=1 (local.get $y)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q1) (local.get $q1)))
          (v128.store offset=128 align=1 (local.get $y)
            (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q1) (local.get $q1)))
          (v128.store offset=144 align=1 (local.get $y)
            (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q1) (local.get $q1)))
          (local.set $m0
            (i16x8.add (i16x8.extadd_pairwise_i8x16_s (local.get $q0)) (i16x8.extadd_pairwise_i8x16_s (local.get $q1))))
          ;; start = -8 * the sums of quants i with i % 4 below 2, and of the others, as i16
          (local.set $m0
            (i16x8.add
              (local.get $m0)
              (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $m0) (local.get $m0))))
          (local.set $m0
            (i16x8.add
              (local.get $m0)
              (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $m0) (local.get $m0))))
          (local.set $m0 (i16x8.neg (i16x8.shl (local.get $m0) (i32.const 3))))
          (v128.store offset=0 align=1 (local.get $y)
            (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $m0) (local.get $m0)))
          ;; nearly never: zeros, NaN, infinities or tiny numbers came by, 2 / d is no number above 0: once more
          (if
            (i32.eqz
              (i32x4.all_true
                (v128.and
                  (f32x4.gt (local.get $id2) (v128.const f32x4 0 0 0 0))
                  (f32x4.lt (local.get $id2) (v128.const f32x4 inf inf inf inf)))))
            (then
              (call $quantize_again
                (i32.add (local.get $x) (i32.const 0))
                (i32.add (local.get $y) (i32.const 0))
                (i32.add (local.get $x) (i32.const 128))
                (local.get $d))))
          (local.set $x (i32.add (local.get $x) (i32.const 128)))
          (local.set $y (i32.add (local.get $y) (i32.const 160)))
          (br_if $single (i32.ne (local.get $x) (local.get $end)))))))

  ;; quants of blocks, for any scale; scales are written already
  (func $quantize_again
    (param $x i32)    ;; the next value
    (param $y i32)    ;; what the next block becomes
    (param $end i32)  ;; address where the values end
    (param $d v128)   ;; f32x4 scales, one block a lane
    (local $id v128)  ;; f32x4 of 1 / scale, the next block's first
    (local $own v128) ;; f32x4 of 1 / scale of one block
    (local $v v128)   ;; f32x4 of value / scale
    (local $n0 v128)  ;; i16x8 of 2 * value / scale
    (local $n1 v128)  ;; i16x8 of 2 * value / scale
    (local $q0 v128)  ;; i8x16 quants, the first half of a block
    (local $q1 v128)  ;; i8x16 quants, the second half
    (local $m0 v128)  ;; i16x8 sums of quants, then starts
    ;; 1 / d, or 0 where quants are 0: where d is 0, infinite or NaN, or 1 / d overflows
    (local.set $id (f32x4.div (v128.const f32x4 1 1 1 1) (local.get $d)))
    (local.set $id
      (v128.and (local.get $id) (f32x4.lt (local.get $id) (v128.const f32x4 inf inf inf inf))))
    (loop $block
      (local.set $own (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $id) (local.get $id)))
      ;; value / d, rounded half away from zero
      (local.set $n0
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s
            (f32x4.add
              (local.tee $v (f32x4.mul (v128.load offset=0 align=1 (local.get $x)) (local.get $own)))
              (v128.bitselect
                (v128.const f32x4 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2)
                (local.get $v)
                (v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff))))
          (i32x4.trunc_sat_f32x4_s
            (f32x4.add
              (local.tee $v (f32x4.mul (v128.load offset=16 align=1 (local.get $x)) (local.get $own)))
              (v128.bitselect
                (v128.const f32x4 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2)
                (local.get $v)
                (v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff))))))
      (local.set $n1
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s
            (f32x4.add
              (local.tee $v (f32x4.mul (v128.load offset=32 align=1 (local.get $x)) (local.get $own)))
              (v128.bitselect
                (v128.const f32x4 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2)
                (local.get $v)
                (v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff))))
          (i32x4.trunc_sat_f32x4_s
            (f32x4.add
              (local.tee $v (f32x4.mul (v128.load offset=48 align=1 (local.get $x)) (local.get $own)))
              (v128.bitselect
                (v128.const f32x4 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2)
                (local.get $v)
                (v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff))))))
      (local.set $q0 (i8x16.narrow_i16x8_s (local.get $n0) (local.get $n1)))
      (local.set $n0
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s
            (f32x4.add
              (local.tee $v (f32x4.mul (v128.load offset=64 align=1 (local.get $x)) (local.get $own)))
              (v128.bitselect
                (v128.const f32x4 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2)
                (local.get $v)
                (v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff))))
          (i32x4.trunc_sat_f32x4_s
            (f32x4.add
              (local.tee $v (f32x4.mul (v128.load offset=80 align=1 (local.get $x)) (local.get $own)))
              (v128.bitselect
                (v128.const f32x4 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2)
                (local.get $v)
                (v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff))))))
      (local.set $n1
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s
            (f32x4.add
              (local.tee $v (f32x4.mul (v128.load offset=96 align=1 (local.get $x)) (local.get $own)))
              (v128.bitselect
                (v128.const f32x4 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2)
                (local.get $v)
                (v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff))))
          (i32x4.trunc_sat_f32x4_s
            (f32x4.add
              (local.tee $v (f32x4.mul (v128.load offset=112 align=1 (local.get $x)) (local.get $own)))
              (v128.bitselect
                (v128.const f32x4 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2 0x1.fffffep-2)
                (local.get $v)
                (v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff))))))
      (local.set $q1 (i8x16.narrow_i16x8_s (local.get $n0) (local.get $n1)))
      (v128.store offset=32 align=1 (local.get $y)
        (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q0) (local.get $q0)))
      (v128.store offset=48 align=1 (local.get $y)
        (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q0) (local.get $q0)))
      (v128.store offset=64 align=1 (local.get $y)
        (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q0) (local.get $q0)))
      (v128.store offset=80 align=1 (local.get $y)
        (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q0) (local.get $q0)))
      (v128.store offset=96 align=1 (local.get $y)
        (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $q1) (local.get $q1)))
      (v128.store offset=112 align=1 (local.get $y)
        (i8x16.shuffle 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 (local.get $q1) (local.get $q1)))
      (v128.store offset=128 align=1 (local.get $y)
        (i8x16.shuffle 8 9 10 11 8 9 10 11 8 9 10 11 8 9 10 11 (local.get $q1) (local.get $q1)))
      (v128.store offset=144 align=1 (local.get $y)
        (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $q1) (local.get $q1)))
      (local.set $m0
        (i16x8.add (i16x8.extadd_pairwise_i8x16_s (local.get $q0)) (i16x8.extadd_pairwise_i8x16_s (local.get $q1))))
      ;; start = -8 * the sums of quants i with i % 4 below 2, and of the others, as i16
      (local.set $m0
        (i16x8.add
          (local.get $m0)
          (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $m0) (local.get $m0))))
      (local.set $m0
        (i16x8.add
          (local.get $m0)
          (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $m0) (local.get $m0))))
      (local.set $m0 (i16x8.neg (i16x8.shl (local.get $m0) (i32.const 3))))
      (v128.store offset=0 align=1 (local.get $y)
        (i8x16.shuffle 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $m0) (local.get $m0)))
      (local.set $id (i8x16.shuffle 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 (local.get $id) (local.get $id)))
      (local.set $x (i32.add (local.get $x) (i32.const 128)))
      (local.set $y (i32.add (local.get $y) (i32.const 160)))
      (br_if $block (i32.ne (local.get $x) (local.get $end)))))

  (func $pack_activations_q8_0 (export "pack_activations_q8_0")
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
        (i64.const 160)))
    (call $ranges_apart (local.get $s) (local.get $s_end) (local.get $vx) (local.get $vx_end))

    ;; one column a turn
    (loop $column
      (call $quantize_column (local.get $n) (local.get $vx) (local.get $s))
      (local.set $vx (i32.add (local.get $vx) (local.get $bx)))
      (local.set $s (i32.add (local.get $s) (i32.mul (local.get $blocks) (i32.const 160))))
      (br_if $column (local.tee $nr (i32.sub (local.get $nr) (i32.const 1)))))))
