from __future__ import annotations

import pytest

from codegen.base.errors import InputError
from codegen.engines import javascript
from codegen.speed.bench import contestant, javascript_host, native
from codegen.speed.bench.contestant import Host
from codegen.speed.bench.javascript_host import JavaScriptHost
from codegen.speed.bench.wasmtime_host import WasmtimeHost
from tests import needs


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values are tested here, and no speed."""
    set_slice(monkeypatch, 1e-4)


def set_slice(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    for module in (contestant, javascript_host):
        monkeypatch.setattr(module, "SLICE_S", seconds)


@pytest.fixture
def node() -> JavaScriptHost:
    needs.require("node")
    program = next(one for one in javascript.programs() if one.name == "node")
    return JavaScriptHost(program)


@pytest.fixture(params=["wasmtime", "node"])
def engine(request: pytest.FixtureRequest) -> Host:
    """Each kind of host that loads modules."""
    if request.param == "wasmtime":
        return WasmtimeHost()
    host: Host = request.getfixturevalue("node")
    return host


@pytest.fixture
def ggml() -> native.Libraries:
    """GGML's libraries, where they are installed."""
    try:
        return native.load()
    except InputError as error:
        pytest.skip(str(error))
