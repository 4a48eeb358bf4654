"""What is built, how it is served, and what is said where that cannot be done."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from codegen.base.errors import InputError
from codegen.engines.pages import ISOLATED
from codegen.products.page import build
from codegen.products.page.serve import server
from tests.cli.command import arguments, assert_refused, codegen, environment
from tests.page.conftest import Serve

pytestmark = pytest.mark.slow

SCHEMES = re.compile(rb"(?:https?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE)


def test_pages_and_styles_name_no_other_host(site: Path) -> None:
    for path in (*site.glob("*.html"), *site.glob("*.css"), site / "app.js"):
        assert SCHEMES.findall(path.read_bytes()) == [], path
    page = (site / "index.html").read_text()
    assert re.findall(r'(?:src|href)="(?!#)([^"]+)"', page) == ["icon.svg", "style.css", "app.js"]
    assert "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'" in page


def test_every_file_can_be_chosen_and_many_at_once(site: Path) -> None:
    """The content decides: a phone that knows no such type greys out what `accept` names."""
    (chooser,) = re.findall(r'<input[^>]* type="file"[^>]*>', (site / "index.html").read_text())
    assert "accept" not in chooser
    assert " multiple" in chooser


def test_a_second_build_gives_the_same_files_and_removes_what_is_old(site: Path) -> None:
    before = {path: path.read_bytes() for path in site.rglob("*") if path.is_file()}
    for name in ("data/old.bin", "data/mine.bin"):
        (site / name).write_bytes(b"old")
    listed = site / "files.txt"
    listed.write_text(listed.read_text() + "data/old.bin\n../outside\n")
    (site.parent / "outside").write_text("not the page's")
    build.build(site)
    assert (site.parent / "outside").read_text() == "not the page's"
    assert (site / "data" / "mine.bin").read_bytes() == b"old"  # nobody's but its owner's
    (site / "data" / "mine.bin").unlink()
    assert {path: path.read_bytes() for path in site.rglob("*") if path.is_file()} == before


def test_a_folder_of_somebodys_is_left_alone(tmp_path: Path) -> None:
    photo = tmp_path / "data" / "photo.jpg"
    photo.parent.mkdir()
    photo.write_bytes(b"mine")
    with pytest.raises(InputError, match="has files that are no page's; choose an empty folder"):
        build.build(tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [photo]


def test_without_the_sources_it_says_where_to_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "SOURCES", tmp_path / "web")
    with pytest.raises(InputError, match="sources are not here; build it in a checkout"):
        build.build(tmp_path / "dist")


@pytest.mark.parametrize("isolated", [True, False])
def test_headers_for_threads_are_sent_unless_told_not_to(site: Path, serve: Serve, isolated: bool) -> None:
    with urllib.request.urlopen(serve(site, isolated=isolated) + "app.js") as answer:
        assert answer.headers["Content-Type"] == "text/javascript"
        assert [answer.headers[name] for name in ISOLATED] == (
            list(ISOLATED.values()) if isolated else [None, None]
        )


def test_nothing_outside_the_folder_is_served(site: Path, serve: Serve) -> None:
    (site.parent / "secret").write_text("secret")
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(serve(site) + "../secret")


def test_serve_says_where_and_ends_cleanly(site: Path) -> None:
    with subprocess.Popen(
        arguments("serve", "--port", "0", site), env=environment(), stdout=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stdout
        first = serving.stdout.readline()
        url = first.split()[0]
        assert b"<!doctype html>" in urllib.request.urlopen(url).read()
        serving.send_signal(signal.SIGINT)
        assert serving.wait(timeout=20) == 0


def test_a_port_in_use_and_a_folder_without_a_page_are_told_in_one_line(tmp_path: Path) -> None:
    assert_refused(
        codegen("serve", cwd=tmp_path, status=None),
        "dist/page: there is no page; `codegen page -o dist/page` builds it",
    )
    (tmp_path / "index.html").touch()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"^port {port}: .*; choose another by --port$"):
            server(tmp_path, port)
