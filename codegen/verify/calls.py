"""One call of a kernel as data: what verification places in memory in many ways, and conformance vectors write down."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Call:
    """One call of an export, with what it reads and what it must write.

    Attributes:
        arguments: by parameter, a number, or the name of a buffer for its address.
        inputs: the bytes of each buffer that it reads.
        outputs: the bytes that each buffer it writes must have afterwards, in the order of layout.
        block_bytes: for buffers of blocks, the bytes of one.
        blocks: blocks it is about, for reports.
    """

    arguments: Mapping[str, int | str]
    inputs: Mapping[str, bytes]
    outputs: Mapping[str, bytes]
    block_bytes: Mapping[str, int] = field(default_factory=dict)
    blocks: int = 0

    def sizes(self) -> dict[str, int]:
        """Bytes of every buffer, inputs first."""
        return {name: len(data) for name, data in {**self.inputs, **self.outputs}.items()}

    def placed(self, addresses: Mapping[str, int]) -> Iterator[int]:
        """The arguments as numbers."""
        for value in self.arguments.values():
            yield addresses[value] if isinstance(value, str) else value

    def asking(self, **arguments: int | str) -> Call:
        """The same call with other arguments."""
        return replace(self, arguments={**self.arguments, **arguments})

    def of(self, buffers: Container[str]) -> Call:
        """The same call with just these of its buffers."""
        inputs, outputs = (
            {name: data for name, data in side.items() if name in buffers}
            for side in (self.inputs, self.outputs)
        )
        return replace(self, inputs=inputs, outputs=outputs)
