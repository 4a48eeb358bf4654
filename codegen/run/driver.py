"""Many matrices in one call into wasm."""

from __future__ import annotations

from functools import cache

import wasmtime

from codegen.assemble import assemble
from codegen.host import as_func, as_i32
from codegen.render import filled
from codegen.runtime import Instance


@cache
def driver(parameters: tuple[str, ...], moving: str) -> bytes:
    """The module that does it (templates/matrices.wat.j2), for a function of these parameters.

    Args:
        parameters: their names; all are i32.
        moving: the one that says where a matrix is.
    """
    return assemble(filled("matrices.wat.j2", parameters=parameters, moving=moving))


class Driver:
    """Calls a function of an instance for matrices of one shape, `step` bytes apart."""

    def __init__(
        self, instance: Instance, function: wasmtime.Func, parameters: tuple[str, ...], moving: str
    ) -> None:
        self._instance = instance
        module = wasmtime.Module(instance.engine, driver(parameters, moving))
        exports = wasmtime.Instance(instance.store, module, [function]).exports(instance.store)
        self._repeat = as_func(exports["repeat"])

    def __call__(self, passes: int, matrices: int, step: int, *arguments: int) -> None:
        """All matrices, `passes` times over; `arguments` are the function's own for the first of them.

        Raises:
            KernelTrapError: it trapped.
        """
        self._instance.enter(self._repeat, *map(as_i32, (passes, matrices, step, *arguments)))
