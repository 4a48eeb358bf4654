"""Verification in a process of its own, since a kernel with a fault may loop forever."""

from __future__ import annotations

import multiprocessing
import resource
from multiprocessing.connection import Connection

from codegen import KernelSpec
from codegen.verify.kernel import verify_wasm

_MOST_CPU_S = 20
"""Of one kernel, which loops forever after that. Processor time, so that a busy machine makes no difference."""

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload([__name__])
"""A process starts with everything imported: that takes longer than most mutants."""


class Verifier:
    """Verifies one kernel after the other in one process, which keeps what the oracle has computed."""

    def __init__(self, most_cpu_s: int = _MOST_CPU_S) -> None:
        self._most_cpu_s = most_cpu_s
        self._start()

    def failures(self, spec: KernelSpec, wasm: bytes) -> list[str]:
        """The first thing that is wrong with a kernel; nothing if it is right.

        Raises:
            TimeoutError: it loops forever.
        """
        self._kernels.send((spec.name, wasm))
        try:
            found: list[str] = self._kernels.recv()
        except EOFError:
            self.stop()
            self._start()
            raise TimeoutError from None
        return found

    def stop(self) -> None:
        """Ends the process."""
        self._kernels.close()
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        self._kernels, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_verify_each, args=(theirs, self._most_cpu_s), daemon=True)
        self._process.start()
        theirs.close()


def _verify_each(kernels: Connection, most_cpu_s: int) -> None:
    """Answers with the failures of each kernel that comes, and is ended by the system where one takes too long."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    while True:
        try:
            name, wasm = kernels.recv()
        except EOFError:
            return
        used = resource.getrusage(resource.RUSAGE_SELF)
        until = int(used.ru_utime + used.ru_stime) + most_cpu_s + 1
        resource.setrlimit(resource.RLIMIT_CPU, (until, most))
        kernels.send(verify_wasm(KernelSpec.parse(name), wasm, most=1).failures)
