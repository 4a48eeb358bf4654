"""Contestants that are native code: GGML's own functions, each in a thread of its own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib.metadata import version

from codegen.speed.bench import native, native_functions
from codegen.speed.bench.contestant import Calibrated, Contestant, WrongResultError
from codegen.speed.bench.entry import Entry
from codegen.speed.bench.native_functions import Function
from codegen.speed.bench.problem import Problem


class NativeHost:
    """Brings GGML's own functions that do what entries do; the entries themselves are for engines."""

    name = native.HOST

    @property
    def version(self) -> str:
        """Name and version of the package, and the instructions it found."""
        cpu = native.load().cpu
        isa = next(
            (isa for isa in ("avx2", "avx", "neon") if getattr(cpu, f"ggml_cpu_has_{isa}")()), "no SIMD"
        )
        return f"libggml-python {version('libggml-python')} ({isa.upper()}), calls not counted"

    @contextmanager
    def open(self, entries: list[Entry], problem: Problem) -> Iterator[list[Contestant]]:
        """The functions that entries have as peers, as far as they can do the problem, each in a thread of its own."""
        peers = dict.fromkeys(entry.peer for entry in entries if entry.peer)
        with ExitStack() as stack:
            yield [
                stack.enter_context(Apart(function))
                for peer in peers
                if (function := native_functions.of(peer, problem))
            ]


class Apart:
    """A native function in a thread of its own, whose CPU time that thread tells.

    Functions compiled for AVX can leave the upper halves of vector registers in use, as GGML's gemm does. Then each
    instruction of the older encoding, which Cranelift has for spills, must keep them: what wasmtime ran in the same
    thread afterwards took 9 to 130 times as long. Each thread has registers of its own.
    """

    def __init__(self, function: Function) -> None:
        self.name, self._function, self._wrong = function.name, function, ""
        self._calibrated = Calibrated()
        self._thread = ThreadPoolExecutor(1, "native")

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()

    def sample(self) -> float:
        """See Contestant."""
        return self._thread.submit(self._sample).result()

    def _sample(self) -> float:
        self._wrong = self._wrong or self._function.check()
        if self._wrong:
            raise WrongResultError(f"{self.name}: {self._wrong}")
        return self._calibrated.measure(self._function.run, self._function.units)
