"""The command line: argparse, and what becomes of errors. The verbs are in codegen/cli/.

Exit status: 0 done; 1 a check failed; 2 the call was wrong, told in one line on standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import metadata

from codegen.base import process
from codegen.base.errors import CodegenError, printable
from codegen.cli import (
    DONE,
    INTERRUPTED,
    javascript,
    kernels,
    linking,
    page,
    report,
    speed,
    tuning,
    verification,
)
from codegen.cli.arguments import WRONG_CALL, Parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a verb; its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words and words[0].startswith("--emit"):
        words.insert(0, "emit")
    process.prepare()
    try:
        parser = _parser()
        if not words:
            parser.print_help()
            return DONE
        options, unknown = parser.parse_known_args(words)
        if unknown:
            options.parser.refuse(unknown)
        status: int = options.verb(options)
        sys.stdout.flush()
    except CodegenError as error:
        print(f"codegen: {error}", file=sys.stderr)
        return WRONG_CALL
    except KeyboardInterrupt:
        print("codegen: interrupted; run it again to finish", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        process.drop_stdout()  # the reader has gone: nothing more to say
        return DONE
    except MemoryError:
        print(
            "codegen: out of memory; free some, or allow more addresses, `ulimit -v unlimited`",
            file=sys.stderr,
        )
        return WRONG_CALL
    except OSError as error:
        process.drop_stdout()
        file = printable(str(error.filename or "standard output"))
        print(f"codegen: {file}: {error.strerror or error}", file=sys.stderr)
        return WRONG_CALL
    return status


def _parser() -> Parser:
    parser = Parser(prog="codegen", description="WebAssembly SIMD kernels for GGML's quantised models.")
    parser.add_argument("--version", action="version", version=f"codegen {_version()}")
    verbs = parser.add_subparsers(required=True, metavar="VERB", parser_class=Parser)

    def verb(name: str, run_it: Callable[[argparse.Namespace], int], text: str, *parents: Parser) -> Parser:
        added = verbs.add_parser(name, help=text, description=text, parents=list(parents))
        added.set_defaults(verb=run_it, parser=added)
        return added

    for module in (kernels, linking, javascript, page, verification, speed, report, tuning):
        module.add(verb)
    return parser


def _version() -> str:
    try:
        return metadata.version("ggml-wat")
    except metadata.PackageNotFoundError:
        return "of a checkout that is not installed"


if __name__ == "__main__":
    sys.exit(main())
