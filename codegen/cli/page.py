"""The verbs of the page that tries kernels in a browser: page, serve."""

from __future__ import annotations

import argparse
from pathlib import Path

from codegen.base.output import progress
from codegen.cli import DONE, arguments
from codegen.cli.arguments import AddVerb

DIST = "dist/page"
PORT = 8000


def add(verb: AddVerb) -> None:
    """Adds the verbs and their arguments."""
    verb("page", _page, "build the page that verifies and times kernels in a browser").add_argument(
        "-o", "--out", type=arguments.folder, default=DIST, metavar="DIR", help=f"default {DIST}/"
    )
    served = verb("serve", _serve, "show the page on this machine, until interrupted")
    served.add_argument("folder", nargs="?", default=DIST, metavar="DIR", help=f"default {DIST}/")
    served.add_argument(
        "--port", type=arguments.whole(0, 65535), default=PORT, help=f"0 for any; default {PORT}"
    )
    served.add_argument(
        "--plain", action="store_true", help="without the headers for threads, as many hosts serve it"
    )


def _page(options: argparse.Namespace) -> int:
    from codegen.products.page import build

    with progress("page", len(build.STEPS)) as bar:
        task = bar.task_ids[0]
        started = iter(range(len(build.STEPS)))
        files = build.build(
            Path(options.out), lambda step: bar.update(task, completed=next(started), description=step)
        )
    size = sum(files.values()) / 1e6
    print(f"{options.out}/: {len(files)} files, {size:.1f} MB; `codegen serve {options.out}` shows it")
    return DONE


def _serve(options: argparse.Namespace) -> int:
    from codegen.products.page.serve import server

    with server(Path(options.folder), options.port, isolated=not options.plain) as serving:
        threads = "one thread" if options.plain else "with threads"
        print(f"http://127.0.0.1:{serving.server_port}/ ({threads}; Ctrl-C ends it)", flush=True)
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            print("\nended")
    return DONE
