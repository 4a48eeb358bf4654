;; repack_q4_0__scalar_u1
;;
;; nc rows of n Q4_0 weights, bx bytes from one to the next, to groups of 4 interleaved rows. No bit of a
;; block changes, and rows that the last group lacks are zeros.
;;
;;   q4_0, 18 bytes: f16 d, then 16 bytes: element j in the low nibble of byte j, j + 16 in the high; (nibble
;;     - 8) * d
;;   q4_0x4, 72 bytes: 4 rows interleaved: f16 d of each, then 4 vectors; vector j has bytes 4j to 4j + 3 of
;;     each row's 16
;;
;; Contract: n is a multiple of 32, nc is not negative; rows and groups lie in memory and do not overlap; else
;; it traps, with nothing written. Where nc or n is 0 it does nothing. Reads nc rows of n / 32 blocks and
;; writes a group for each 4 rows, at any alignment, and not a byte more. bx may be anything, 0 too.
;;
;; Needs: no SIMD.
;; How: word by word, memory by export.
;; Why it is right: docs/numerics.md.
;; Cost: 15.00 opcodes per 32 weights in the main loop, locals and constants not counted.
;; Generated: edit templates/frames/repack.wat.j2 and what it imports, then `make bless`.
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

  ;; a row's blocks into their places in a group
  (func $interleave_row
    (param $blocks i32)  ;; 1 at least
    (param $x i32)       ;; the next block
    (param $scale i32)   ;; where its scale goes
    (param $words i32)   ;; a group's first word of this row, less the scales
    (loop $block
      (i32.store16 align=1 (local.get $scale) (i32.load16_u offset=0 align=1 (local.get $x)))
      (i32.store offset=8 align=1 (local.get $words) (i32.load offset=2 align=1 (local.get $x)))
      (i32.store offset=24 align=1 (local.get $words) (i32.load offset=6 align=1 (local.get $x)))
      (i32.store offset=40 align=1 (local.get $words) (i32.load offset=10 align=1 (local.get $x)))
      (i32.store offset=56 align=1 (local.get $words) (i32.load offset=14 align=1 (local.get $x)))
      (local.set $x (i32.add (local.get $x) (i32.const 18)))
      (local.set $scale (i32.add (local.get $scale) (i32.const 72)))
      (local.set $words (i32.add (local.get $words) (i32.const 72)))
      (br_if $block (local.tee $blocks (i32.sub (local.get $blocks) (i32.const 1))))))

  ;; zeros where a group has no row
  (func $empty_row
    (param $blocks i32)  ;; 1 at least
    (param $scale i32)   ;; where a scale goes
    (param $words i32)   ;; a group's first word of this row, less the scales
    (loop $block
      (i32.store16 align=1 (local.get $scale) (i32.const 0))
      (i32.store offset=8 align=1 (local.get $words) (i32.const 0))
      (i32.store offset=24 align=1 (local.get $words) (i32.const 0))
      (i32.store offset=40 align=1 (local.get $words) (i32.const 0))
      (i32.store offset=56 align=1 (local.get $words) (i32.const 0))
      (local.set $scale (i32.add (local.get $scale) (i32.const 72)))
      (local.set $words (i32.add (local.get $words) (i32.const 72)))
      (br_if $block (local.tee $blocks (i32.sub (local.get $blocks) (i32.const 1))))))

  (func $repack_q4_0 (export "repack_q4_0")
    (param $n i32)   ;; elements of a row, a multiple of 32
    (param $s i32)   ;; where the groups go
    (param $vx i32)  ;; the next row
    (param $bx i32)  ;; bytes from a row to the next
    (param $nc i32)  ;; rows
    (local $s_end i64)    ;; address where the groups end
    (local $vx_end i64)   ;; address where the rows end
    (local $blocks i32)   ;; of a row
    (local $rows i32)     ;; rows, with those that fill up the last group
    (local $row i32)      ;; the next row
    (local $to i32)       ;; its group

    ;; the contract: trap before anything is written
    (if (i32.or
          (i32.and (local.get $n) (i32.const 0x8000001f))
          (i32.lt_s (local.get $nc) (i32.const 0)))
      (then (unreachable)))
    (local.set $blocks (i32.div_u (local.get $n) (i32.const 32)))
    (if (i32.or (i32.eqz (local.get $blocks)) (i32.eqz (local.get $nc)))
      (then (return)))
    (local.set $rows (i32.and (i32.add (local.get $nc) (i32.const 3)) (i32.const -4)))
    (local.set $vx_end
      (call $range_end (local.get $vx)
        (i64.add
          (i64.mul
            (i64.extend_i32_u (i32.sub (local.get $nc) (i32.const 1)))
            (i64.extend_i32_u (local.get $bx)))
          (i64.mul (i64.extend_i32_u (local.get $blocks)) (i64.const 18)))
        (i64.const 1)))
    (local.set $s_end
      (call $range_end (local.get $s)
        (i64.mul (i64.extend_i32_u (i32.shr_u (local.get $rows) (i32.const 2))) (i64.extend_i32_u (local.get $blocks)))
        (i64.const 72)))
    (call $ranges_apart (local.get $s) (local.get $s_end) (local.get $vx) (local.get $vx_end))

    ;; one row a turn, and zeros where it has none
    (block $filled
      (loop $next
        (br_if $filled (i32.eq (local.get $row) (local.get $rows)))
        (local.set $to
          (i32.add (local.get $s)
            (i32.mul
              (i32.shr_u (local.get $row) (i32.const 2))
              (i32.mul (local.get $blocks) (i32.const 72)))))
        (if (i32.lt_u (local.get $row) (local.get $nc))
          (then
            (call $interleave_row (local.get $blocks) (local.get $vx)
              (i32.add (local.get $to) (i32.mul (i32.and (local.get $row) (i32.const 3)) (i32.const 2)))
              (i32.add (local.get $to) (i32.mul (i32.and (local.get $row) (i32.const 3)) (i32.const 4)))))
          (else
            (call $empty_row (local.get $blocks)
              (i32.add (local.get $to) (i32.mul (i32.and (local.get $row) (i32.const 3)) (i32.const 2)))
              (i32.add (local.get $to) (i32.mul (i32.and (local.get $row) (i32.const 3)) (i32.const 4))))))
        (local.set $vx (i32.add (local.get $vx) (local.get $bx)))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br $next)))))
