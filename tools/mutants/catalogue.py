"""All mutants."""

from __future__ import annotations

from tools.mutants.bench import BENCH
from tools.mutants.contract import CONTRACT
from tools.mutants.javascript import JAVASCRIPT
from tools.mutants.linking import LINKING
from tools.mutants.loops import LOOPS
from tools.mutants.matrix import MATRIX
from tools.mutants.matrix_walk import MATRIX_WALK
from tools.mutants.memories import MEMORIES
from tools.mutants.prepare import PREPARE
from tools.mutants.products import PRODUCTS
from tools.mutants.quantize import QUANTIZE
from tools.mutants.ranges import RANGES
from tools.mutants.run import RUN
from tools.mutants.scales import SCALE_FAULTS
from tools.mutants.strict import STRICT
from tools.mutants.together import TOGETHER

MUTANTS = (
    *PRODUCTS,
    *STRICT,
    *SCALE_FAULTS,
    *TOGETHER,
    *LOOPS,
    *CONTRACT,
    *QUANTIZE,
    *RANGES,
    *PREPARE,
    *MATRIX,
    *MATRIX_WALK,
    *MEMORIES,
    *BENCH,
    *RUN,
    *LINKING,
    *JAVASCRIPT,
)
