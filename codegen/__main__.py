"""The command line: argparse and one short function a verb.

Exit status: 0 done; 1 a check failed; 2 the call was wrong, told in one line on standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from codegen import arguments, golden, process, registry, run, show
from codegen.arguments import WRONG_CALL, Parser
from codegen.assemble import default_assembler
from codegen.bench.timing import time_kernels
from codegen.emit import GENERATED, Emit, emit, emit_to_stdout
from codegen.errors import CodegenError, printable
from codegen.gguf_file import GGUFFile
from codegen.output import progress, tracked, write_file
from codegen.runtime import Kernel
from codegen.spec import MAX_UNROLL, KernelSpec
from codegen.strategies import Isa
from codegen.verify import verify

VECTORS = Path("tests/vectors")

DONE, FAILED = 0, 1


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a verb; its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words and words[0].startswith("--emit"):
        words.insert(0, "emit")
    process.prepare()
    try:
        options = _parser().parse_args(words)
        status: int = options.verb(options)
        sys.stdout.flush()
    except CodegenError as error:
        print(f"codegen: {error}", file=sys.stderr)
        return WRONG_CALL
    except KeyboardInterrupt:
        print("codegen: interrupted; run it again to finish", file=sys.stderr)
        return 130
    except BrokenPipeError:
        process.drop_stdout()  # the reader has gone: nothing more to say
        return DONE
    except OSError as error:
        process.drop_stdout()
        file = printable(str(error.filename or "standard output"))
        print(f"codegen: {file}: {error.strerror or error}", file=sys.stderr)
        return WRONG_CALL
    return status


def _emit(options: argparse.Namespace) -> int:
    specs = _selected(options)
    if options.out == "-":
        emit_to_stdout(specs, options.emit)
        return DONE
    written = list(emit(specs, options.emit, Path(options.out) if options.out else None))
    changed = [one.path for one in written if one.changed]
    for path in changed:
        print(f"wrote {path}")
    with_assembler = f", assembled by {default_assembler()}" if Emit.WASM in options.emit else ""
    files = "1 file" if len(written) == 1 else f"{len(written)} files"
    print(f"{files}: {len(changed)} written, {len(written) - len(changed)} up to date{with_assembler}")
    if strange := [spec for spec in specs if spec not in registry.REGISTERED]:
        print(f"{len(strange)} not registered, so not run in other engines yet: see docs/verification.md")
    return DONE


def _list(options: argparse.Namespace) -> int:
    show.kernels(_selected(options), options.json)
    return DONE


def _verify(options: argparse.Namespace) -> int:
    if options.engine:
        return _verify_in_engines(options)
    reports = [verify(spec) for spec in tracked(_selected(options), "verify")]
    show.reports(reports, options.json)
    return DONE if all(report.passed for report in reports) else FAILED


def _verify_in_engines(options: argparse.Namespace) -> int:
    from codegen import engines, vectors  # here, since what drives browsers is slow to import

    chosen = engines.select(options.engine)
    with progress("engines", len(chosen)) as bar:
        matrix = engines.run_matrix(
            vectors.job(_selected(options)), chosen, lambda _: bar.advance(bar.task_ids[0])
        )
    # Who names an engine wants it run; who says "all" means all that are here.
    missing = [r for r in matrix.reports if r.skipped and "all" not in options.engine]
    if len(missing) < len(matrix.reports):
        show.matrix(matrix, options.json)
    for report in missing:
        print(f"codegen: engine {report.name}: {report.skipped}", file=sys.stderr)
    return DONE if matrix.passed and not missing else FAILED


def _vectors(options: argparse.Namespace) -> int:
    from codegen import vectors

    for name, text in vectors.files().items():
        path = Path(options.out or VECTORS) / name
        print(f"{'wrote' if write_file(path, text.encode()) else 'up to date:'} {path}")
    return DONE


def _check(options: argparse.Namespace) -> int:
    differences = golden.check(Path(options.out or GENERATED))
    for difference in differences:
        print(difference.diff, end="")
        again = f"codegen bless --out {options.out}" if options.out else golden.BLESS
        mend = f"if that is meant: {again}" if difference.blessable else "remove it"
        print(f"{difference.file} {difference.what}; {mend}", file=sys.stderr)
    if not differences:
        print(f"{options.out or GENERATED}/ is what the generator says")
    return FAILED if differences else DONE


def _bless(options: argparse.Namespace) -> int:
    folder = Path(options.out or GENERATED)
    changed, removed = golden.bless(folder)
    for path in changed:
        print(f"blessed {path}")
    for path in removed:
        print(f"removed {path}")
    count = len(changed) + len(removed)
    print(
        f"{count} file{'s' * (count != 1)} changed; review `git add -N {folder} && git diff {folder}`, and commit"
    )
    return DONE


def _run(options: argparse.Namespace) -> int:
    spec = KernelSpec.parse(options.kernel) if options.kernel else registry.FASTEST[options.isa]
    with GGUFFile.open(options.model) as file:
        matrices = [file.matrix(options.tensor)] if options.tensor else list(file.matrices)
        vectors = {
            columns: run.activations(columns, options.seed, options.input)
            for columns in {matrix.columns for matrix in matrices}
        }
        kernel = Kernel.load(spec)
        results = [run.multiply(kernel, m, vectors[m.columns]) for m in tracked(matrices, "run")]
        left_out = [] if options.tensor else list(file.left_out)
    show.matrices(str(options.model), spec, results, left_out, options.json)
    return DONE if not any(result.wrong for result in results) else FAILED


def _bench(options: argparse.Namespace) -> int:
    specs = _selected(options)
    baseline = KernelSpec(Isa.SCALAR)
    specs = (baseline, *(spec for spec in specs if spec != baseline))
    with progress("bench", options.rounds) as bar:
        timings = time_kernels(specs, options.n, options.rounds, lambda: bar.advance(bar.task_ids[0]))
    show.timings(timings, options.rounds, options.json)
    return DONE


def _selected(options: argparse.Namespace) -> tuple[KernelSpec, ...]:
    return registry.select(options.kernel or (), options.isa or (), options.unroll)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="codegen", description="WebAssembly SIMD kernels for GGML's quantised models.")
    verbs = parser.add_subparsers(required=True, metavar="VERB", parser_class=Parser)

    choice = Parser(add_help=False)
    choice.add_argument(
        "--kernel", action="append", metavar="NAME", help="a name or pattern; may be repeated"
    )
    choice.add_argument(
        "--isa", action="append", type=arguments.isa, help=f"one of {', '.join(Isa)}; may be repeated"
    )
    choice.add_argument(
        "--unroll",
        type=arguments.whole(1, MAX_UNROLL),
        metavar="N",
        help="blocks per loop iteration, 1 to 16",
    )
    as_json = Parser(add_help=False)
    as_json.add_argument("--json", action="store_true", help="for machines")

    def verb(name: str, run_it: Callable[[argparse.Namespace], int], text: str, *parents: Parser) -> Parser:
        added = verbs.add_parser(name, help=text, description=text, parents=list(parents))
        added.set_defaults(verb=run_it)
        return added

    made = verb("emit", _emit, "write kernels; `codegen --emit wat` is short for it", choice)
    made.add_argument(
        "--emit",
        type=arguments.kinds,
        default=[Emit.WAT],
        metavar="KINDS",
        help="wat, wasm or wat,wasm; default wat",
    )
    made.add_argument(
        "-o",
        "--out",
        type=arguments.folder,
        metavar="DIR",
        help="default generated/ and build/; - for standard output",
    )
    verb("list", _list, "the kernels there are", choice, as_json)
    verified = verb("verify", _verify, "run kernels against the oracle and scalar", choice, as_json)
    verified.add_argument(
        "--engine",
        action="append",
        metavar="NAME",
        help="run the conformance vectors in this engine instead, or in all that are found; may be repeated",
    )
    for name, run_it, text in (
        ("check", _check, "compare generated/ with what the generator says"),
        ("bless", _bless, "write what the generator says to generated/"),
        ("vectors", _vectors, "write the conformance vectors to tests/vectors/"),
    ):
        verb(name, run_it, text).add_argument(
            "-o", "--out", type=arguments.folder, metavar="DIR", help="instead of that"
        )
    bench = verb("bench", _bench, "time kernels against scalar, interleaved, in wasmtime", choice, as_json)
    bench.add_argument(
        "--n", type=arguments.whole(32, 1 << 20), default=4096, help="elements, a multiple of 32"
    )
    bench.add_argument(
        "--rounds", type=arguments.whole(1, 10_000), default=15, help="how often each is timed; default 15"
    )
    model = verb("run", _run, "multiply the Q4_0 matrices of a GGUF file, each row checked", as_json)
    model.add_argument("model", type=Path, metavar="MODEL.gguf")
    model.add_argument("--tensor", metavar="NAME", help="only this one")
    model.add_argument(
        "--isa", type=arguments.isa, default=Isa.RELAXED, help="uses its fastest kernel (default: relaxed)"
    )
    model.add_argument("--kernel", metavar="NAME", help="this kernel instead")
    model.add_argument("--input", type=Path, metavar="X.npy", help="activations; default: random, seeded")
    model.add_argument(
        "--seed", type=arguments.whole(0, 2**63), default=0, help="of random activations; default 0"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
