"""What verification found, whatever the operation."""

from __future__ import annotations

from dataclasses import dataclass, field

from codegen.wasm.cost import Cost


@dataclass
class Report:
    """What verification found.

    Attributes:
        kernel: the kernel's name.
        cases: results compared.
        blocks: blocks in them.
        worst_ulp: the largest error of a float, in units that its operation defines; 0 where all is bytes.
        cost: what the assembled kernel costs.
        failures: one line each; empty where the kernel is right.
    """

    kernel: str
    cost: Cost
    cases: int = 0
    blocks: int = 0
    worst_ulp: float = 0.0
    failures: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    def count(self, blocks: int, ulp: float = 0.0, cases: int = 1) -> None:
        """Counts results that were compared, and the largest error among them."""
        self.cases += cases
        self.blocks += blocks
        self.worst_ulp = max(self.worst_ulp, ulp)
