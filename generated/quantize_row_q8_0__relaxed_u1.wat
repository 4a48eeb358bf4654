;; quantize_row_q8_0__relaxed_u1
;;
;; A row of k f32 x to Q8_0 blocks y, as GGML's reference does it: of each 32 values, d = largest magnitude /
;; 127, and quants = values times 1 / d, rounded half away from zero.
;;
;;   q8_0, 34 bytes: f16 d, then 32 signed bytes; byte * d
;;
;; Contract: k is a multiple of 32; x and y lie in memory and do not overlap; else it traps, with nothing
;; written. k = 0 does nothing. Reads 4 * k bytes and writes k / 32 blocks, at any alignment, and not a byte
;; more. A block with a NaN gets the scale 0x7e00, one with an infinity an infinite scale, and both all quants
;; 0.
;;
;; Needs: SIMD and relaxed SIMD.
;; How: relaxed, 1 block a turn, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 99.00 opcodes per 32 values in the main loop, locals and constants not counted.
;; Generated: edit templates/frames/quantize_row.wat.j2 and what it imports, then `make bless`.
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
      (v128.store offset=2 align=1 (local.get $y) (local.get $q0))
      (v128.store offset=18 align=1 (local.get $y) (local.get $q1))

      (local.set $id (i8x16.shuffle 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 (local.get $id) (local.get $id)))
      (local.set $x (i32.add (local.get $x) (i32.const 128)))
      (local.set $y (i32.add (local.get $y) (i32.const 34)))
      (br_if $block (i32.ne (local.get $x) (local.get $end)))))

  (func $quantize_row_q8_0 (export "quantize_row_q8_0")
    (param $x i32)    ;; the next f32
    (param $y i32)    ;; where the next block goes
    (param $k i64)    ;; values, a multiple of 32
    (local $x_end i64)        ;; address where what is at x ends, 0 for nothing
    (local $y_end i64)        ;; address where what is at y ends, 0 for nothing
    (local $end i32)          ;; address where the values end
    (local $magnitude v128)   ;; all bits of an f32 but its sign
    (local $minus v128)       ;; -1 in each i16 lane
    (local $m0 v128)          ;; i32x4 largest magnitudes, block 0 of a group
    (local $d v128)           ;; f32x4 scales, one block a lane
    (local $id2 v128)         ;; f32x4 of 2 / scale
    (local $h v128)           ;; i32x4 scales as f16
    (local $n0 v128)          ;; i16x8 of 2 * value / scale
    (local $n1 v128)          ;; i16x8 of 2 * value / scale
    (local $q0 v128)          ;; i8x16 quants, the first half of a block
    (local $q1 v128)          ;; i8x16 quants, the second half

    ;; the contract: trap before anything is written; a k that is negative is beyond any memory
    (if (i64.ne (i64.and (local.get $k) (i64.const 31)) (i64.const 0))
      (then (unreachable)))
    (local.set $x_end
      (call $range_end (local.get $x)
        (local.get $k)
        (i64.const 4)))
    (local.set $y_end
      (call $range_end (local.get $y)
        (i64.div_u (local.get $k) (i64.const 32))
        (i64.const 34)))
    (call $ranges_apart (local.get $x) (local.get $x_end) (local.get $y) (local.get $y_end))

    (local.set $end
      (i32.add (local.get $x)
        (i32.mul (i32.wrap_i64 (local.get $k)) (i32.const 4))))
    (local.set $magnitude (v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff))
    (local.set $minus (v128.const i16x8 -1 -1 -1 -1 -1 -1 -1 -1))

    ;; one block a turn
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

          ;; block 0: scale, and value / d rounded half away from zero, as half of trunc(2 * value / d)
          (v128.store16_lane offset=0 align=1 0 (local.get $y) (local.get $h))
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
          (v128.store offset=2 align=1 (local.get $y) (local.get $q0))
          (v128.store offset=18 align=1 (local.get $y) (local.get $q1))

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
          (local.set $y (i32.add (local.get $y) (i32.const 34)))
          (br_if $single (i32.ne (local.get $x) (local.get $end))))))))
