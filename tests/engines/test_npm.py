"""npm without a network: told in seconds, whether nobody answers or nobody is there."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codegen.engines import npm
from codegen.engines.report import EngineError

pytestmark = pytest.mark.needs("npm")


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed() -> int:
    """A port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


@pytest.mark.parametrize(("registry", "reason"), [("silent", "FETCH_ERROR"), ("closed", "ECONNREFUSED")])
def test_a_registry_out_of_reach_is_told_in_seconds_with_the_mend(
    registry: str,
    reason: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{request.getfixturevalue(registry)}/")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    monkeypatch.setattr(npm, "SILENCE_S", 1)
    start = time.monotonic()
    with pytest.raises(EngineError) as caught:
        npm.install_from_npm(tmp_path / "packages", "esbuild")
    assert time.monotonic() - start < 30
    assert str(caught.value) == (
        f"npm cannot fetch what is needed ({reason}): "
        "connect to the network, or to another registry by `npm config set registry URL`"
    )
    assert capsys.readouterr().err == "fetching esbuild from npm's registry ...\n"
