"""A server for the page on the loopback interface, with the headers without which browsers give a page no threads."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from codegen.base.errors import InputError
from codegen.engines.pages import ISOLATED, TYPES


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = TYPES

    def __init__(self, headers: dict[str, str], *arguments: object, directory: str) -> None:
        self._more = headers
        super().__init__(*arguments, directory=directory)  # type: ignore[arg-type]

    def end_headers(self) -> None:
        for name, value in self._more.items():
            self.send_header(name, value)
        self.send_header("Cache-Control", "no-cache")  # asks again: the page may have been built anew
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing: a browser may leave amid a request."""


def server(folder: Path, port: int, *, isolated: bool = True) -> ThreadingHTTPServer:
    """A server that has not begun.

    Args:
        folder: of the page.
        port: 0 for any that is free.
        isolated: with the headers for threads.

    Raises:
        InputError: there is no page, or the port is not to be had.
    """
    if not (folder / "index.html").is_file():
        raise InputError(f"{folder}: there is no page; `codegen page -o {folder}` builds it")
    handler = partial(_Handler, ISOLATED if isolated else {}, directory=str(folder))
    try:
        return _Server(("127.0.0.1", port), handler)
    except OSError as error:
        raise InputError(f"port {port}: {error.strerror}; choose another by --port") from None
