"""Faults in `run`: a wrong product that passes, or a wrong figure of a whole model."""

from __future__ import annotations

from tools.mutants.mutant import ProgramMutant, code

_RUN = "codegen/models/run/"
_BATCHES, _CHECK = (f"tests/unit/test_run_{name}.py" for name in ("batches", "check"))
_VERB = "tests/cli/test_run_verb.py"

RUN: tuple[ProgramMutant, ...] = (
    code("run: bits of products not compared", _CHECK, f"{_RUN}check.py",
         "if path.ordered else None", "if False else None"),
    code("run: every row against the first column", _CHECK, f"{_RUN}check.py",
         "own = (part.first + np.arange(first, first + results.shape[1])) % columns",
         "own = np.zeros(results.shape[1], int)"),
    code("run: rows held against those of the first range", _CHECK, f"{_RUN}check.py",
         "got[path.name][:, first : first + rows]", "got[path.name][:, :rows]"),
    code("run: a wrong row told by its place in a range", _CHECK, f"{_RUN}check.py",
         "part.first + first + row, wrong", "part.first + row, wrong"),
    code("run: only the first row range of a matrix", _BATCHES, f"{_RUN}batches.py",
         "for first in range(0, matrix.rows, most)", "for first in range(0, 1, most)"),
    code("run: a row range of the wrong rows", _BATCHES, f"{_RUN}batches.py",
         "self.matrix.read(self.first, self.rows)", "self.matrix.read(0, self.rows)"),
    code("run: results take no memory", _BATCHES, f"{_RUN}batches.py", "row_bytes(n) + 4 * columns", "row_bytes(n)"),
    code("run: the last batch left out", _BATCHES, f"{_RUN}batches.py", "    if batch:\n", "    if False:\n"),
    code("run: counted with what is not", _BATCHES, f"{_RUN}batches.py",
         "return part.counted, part.n, part.rows", "return True, part.n, part.rows"),
    code("run: the first matrix of a group again and again", _BATCHES, "templates/matrices.wat.j2",
         "(ptr.add (local.get ${{ moving }}) (local.get $step))", "(ptr.add (local.get ${{ moving }}) (ptr.const 0))"),
    code("run: passes begin where the last one ended", _BATCHES, "templates/matrices.wat.j2",
         "(local.set ${{ moving }} (local.get $first))", "(drop (local.get $first))"),
    code("run: one batch's time for all", _BATCHES, f"{_RUN}session.py",
         "[a + b for a, b in zip(total, seconds, strict=True)]", "list(seconds)"),
    code("run: one column's tokens for all", _VERB, f"{_RUN}result.py",
         "return self.activations / seconds", "return 1 / seconds"),
    code("run: experts counted", _VERB, f"{_RUN}batches.py", "matrix.stacked > 1 or ", ""),
    code("run: an embedding counted beside an output", _VERB, f"{_RUN}batches.py",
         "matrix.name != _EMBEDDING or _OUTPUT not in names", "True"),
    code("run: tokens of one matrix", _VERB, f"{_RUN}result.py", "not self.whole or path.wrong", "path.wrong"),
    code("run: the comparison's faults pass", _VERB, f"{_RUN}result.py",
         "any(path.wrong for path in self.paths if", "any(path.wrong for path in self.paths[:1] if"),
)  # fmt: skip
