"""Pages for browsers: files served on the loopback interface, and the report that a page sends back."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath

_PAGE = b"""<!doctype html>
<title>codegen engines</title>
<script type="module" src="./page.mjs"></script>
"""

_SCRIPT = b"""const report = await import("./report.mjs")
  .then(({ report }) => report())
  .catch((error) => ({ error: String(error) }));
await fetch("report", { method: "POST", body: JSON.stringify(report) });
"""

TYPES = {
    "": "text/html",
    ".bin": "application/octet-stream",
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
}
"""By suffix, whatever this machine's own table says: a browser runs no module that is called plain text."""


ISOLATED = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
"""Headers of a page whose threads may share memory."""


@dataclass(frozen=True)
class Site:
    """What a browser is shown.

    Attributes:
        files: contents by path; `report.mjs` exports `report()`, which resolves to what is sent back as JSON.
        headers: sent with each file.
    """

    files: Mapping[str, bytes]
    headers: Mapping[str, str] = field(default_factory=dict)

    def find(self, path: str) -> tuple[str, bytes] | None:
        """Content type and content of what is at a path."""
        files = {"": _PAGE, "page.mjs": _SCRIPT, **self.files}
        name = path.partition("?")[0].removeprefix("/")
        if name not in files:
            return None
        return TYPES.get(PurePosixPath(name).suffix, "application/octet-stream"), files[name]


def folder(path: Path, at: str = "") -> dict[str, bytes]:
    """The files of a folder, for a site to have under a path."""
    return {f"{at}{file.relative_to(path).as_posix()}": file.read_bytes() for file in path.rglob("*.*")}


@contextmanager
def serve(site: Site) -> Iterator[tuple[str, queue.Queue[bytes]]]:
    """Serves a site on the loopback interface; its address, and where a report will arrive."""
    reports: queue.Queue[bytes] = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = site.find(self.path)
            self._answer(404, "text/plain", b"") if found is None else self._answer(200, *found)

        def do_POST(self) -> None:
            report = self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(200, "text/plain", b"")
            reports.put(report)

        def _answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            headers = {"Content-Type": kind, "Content-Length": str(len(body)), **site.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """Says nothing: a browser that was ended amid a request is told by its missing report."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", reports
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
