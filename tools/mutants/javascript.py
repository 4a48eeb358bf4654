"""Faults in the JavaScript module: an engine believed that is wrong, a wrong number, memory that is somebody else's."""

from __future__ import annotations

from tools.mutants.mutant import ProgramMutant, code

_LOAD = "tests/javascript/test_load.py::test_whatever_computes_one_bit_wrong_is_not_taken[node]"
_CALLS, _MEMORY, _ERRORS, _THREADS = (
    f"tests/javascript/test_module.py::test_a_suite_in_an_engine[node-{suite}]"
    for suite in ("calls", "memory", "errors", "threads")
)
_ANSWERS = "tests/javascript/test_load.py"

JAVASCRIPT: tuple[ProgramMutant, ...] = (
    code("js: known answers not compared", _LOAD, "js/known.js",
         "if (same(got, wanted)) return true;", "return true;"),
    code("js: only cold answers", _LOAD, "js/pick.js",
         "  wrong = fault();\n  return wrong && `wrong once", "  wrong = null;\n  return wrong && `wrong once"),
    code("js: only hot answers", _LOAD, "js/pick.js",
         "if (wrong) return `wrong at first", "if (false) return `wrong at first"),
    code("js: wrong opcodes believed", _ANSWERS, "js/pick.js", "    if (opcode) {", "    if (false) {"),
    code("js: wrong sets believed", _LOAD, "js/pick.js", "candidates.filter(({ fault }) => !fault)", "candidates"),
    code("js: all room asked for is there", _MEMORY, "js/arena.js",
         "this.#put(this.memory.grow(count) * PAGE, count * PAGE);",
         "this.#put(this.memory.grow(count) * PAGE, pages * PAGE);"),
    code("js: freed blocks never joined", _MEMORY, "js/arena.js",
         "    this.#join(index);\n    this.#join(index - 1);\n", ""),
    code("js: views of memory kept while it grows", _MEMORY, "js/arena.js",
         "if (buffer !== this.memory.buffer) return", "if (buffer) return"),
    code("js: freed matrices multiplied", _ERRORS, "js/matrix.js", "if (matrix.#freed) throw", "if (false) throw"),
    code("js: matrices freed under a product", _MEMORY, "js/matrix.js",
         "this.#freed && this.#users === 0", "this.#freed"),
    code("js: lengths not checked", _ERRORS, "js/checks.js", "if (view.length === length) return;", "return;"),
    code("js: rows of the first chunk for all", _THREADS, "js/share.js",
         "weights + row * rowBytes", "weights"),
    code("js: nobody waits for workers", _THREADS, "js/pool.js",
         "    await this.#othersDone(); // also then", "    // also then"),
    code("js: leaving in two steps", _THREADS, "js/share.js",
         "Atomics.sub(words, AT.state, 1) === WAITED + 1",
         "(Atomics.sub(words, AT.state, 1) & ~WAITED) === 1 && (Atomics.load(words, AT.state) & WAITED) !== 0"),
    code("js: a trap while it is optimised", _LOAD, "js/pick.js",
         "    } catch (error) {\n      return `trapped", "    } catch (error) {\n      throw error; return `trapped"),
    code("js: a worker's trap forgotten", _THREADS, "js/worker.js",
         "Atomics.store(words, AT.failed, 1);", ""),
    code("js: records of half a size", _CALLS, "codegen/products/javascript/package.py",
         '"bytes": record.bytes, "copies"', '"bytes": record.bytes // 2, "copies"'),
)  # fmt: skip
