"""Many matrices in one call into wasm."""

from __future__ import annotations

from functools import cache

from codegen.render.text import filled
from codegen.runtime.host import as_arguments, as_func, types_of
from codegen.runtime.instance import Instance
from codegen.wasm.assemble import assemble
from codegen.wasm.c_parameters import AddressType
from codegen.wasm.wasmtime_library import wasmtime


@cache
def driver(parameters: tuple[tuple[str, str], ...], moving: str, address_type: AddressType) -> bytes:
    """The module that does it (templates/matrices.wat.j2), for a function of these parameters.

    Args:
        parameters: their names and types.
        moving: the one that says where a matrix is.
        address_type: its type.
    """
    return assemble(
        filled("matrices.wat.j2", address_type=address_type, parameters=parameters, moving=moving)
    )


class Driver:
    """Calls a function of an instance for matrices of one shape, `step` bytes apart."""

    def __init__(
        self, instance: Instance, function: wasmtime.Func, parameters: tuple[str, ...], moving: str
    ) -> None:
        self._instance = instance
        typed = tuple(zip(parameters, types_of(function, instance.store), strict=True))
        module = wasmtime.Module(instance.engine, driver(typed, moving, instance.spec.address_type))
        exports = wasmtime.Instance(instance.store, module, [function]).exports(instance.store)
        self._repeat = as_func(exports["repeat"])
        self._types = types_of(self._repeat, instance.store)

    def __call__(self, passes: int, matrices: int, step: int, *arguments: int) -> None:
        """All matrices, `passes` times over; `arguments` are the function's own for the first of them.

        Raises:
            KernelTrapError: it trapped.
        """
        given = (passes, matrices, step, *arguments)
        self._instance.enter(self._repeat, *as_arguments(self._types, given))
