"""The command: python -m dlx FILE.

Arguments are parsed, and faults of the input found, before numba is imported.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

from dlx import __version__

if TYPE_CHECKING:
    from dlx.count import Count
    from dlx.problem import Problem
    from dlx.search import Search, Stats

FOUND, NONE, FAULT, INTERRUPTED = 0, 1, 2, 130  # exit statuses

EPILOGUE = """\
The file has Knuth's format: a line of items, primary ones, then after a | the secondary ones;
after it one line for each option, its items separated by spaces, a secondary item perhaps as
item:colour. Lines that start with | are comments.

Exit status: 0 a cover was found, 1 none was found, 2 bad input or usage, 130 interrupted (what
was found is kept; a count is then a lower bound)."""


class _Parser(argparse.ArgumentParser):
    """Tells a wrong argument in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(FAULT, f"{self.prog}: {message}; see --help\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command with these arguments (default: those of the process); its exit status."""
    args = _parser().parse_args(arguments)
    from dlx.errors import DlxError, cache_fault

    try:
        return _run(args)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # the reader has gone; Python would try to flush once more at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND
    except DlxError as error:
        fault = str(error)
    except OSError as error:
        fault = f"{error.filename or args.file}: {error.strerror or error}"
    except MemoryError as error:
        fault = f"{args.file}: {error or 'this does not fit into memory'}"
    except RuntimeError as error:
        fault = cache_fault(error)
    print(f"dlx: {fault}", file=sys.stderr)
    return FAULT


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="dlx",
        description="Solves an exact cover problem: finds one cover, all, or their number.",
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument("file", metavar="FILE", help="the problem; - for standard input")
    task = parser.add_mutually_exclusive_group()
    task.add_argument("--all", action="store_true", help="print all covers")
    task.add_argument("--count", action="store_true", help="print how many covers there are")
    task.add_argument(
        "--index", metavar="I", type=_whole, help="print cover I of all in a fixed order, from 0"
    )
    task.add_argument(
        "--sample", metavar="N", type=_whole, help="print N covers drawn with equal probability"
    )
    task.add_argument(
        "--best", action="store_true", help="print the cheapest cover; options have costs |n"
    )
    parser.add_argument("--limit", metavar="N", type=_whole, help="stop after N covers")
    parser.add_argument("--time-limit", metavar="S", type=_seconds, help="stop after S seconds")
    parser.add_argument(
        "--kernel", choices=("auto", "bits", "links"), default="auto", help="default: auto"
    )
    parser.add_argument(
        "--method",
        choices=("auto", "search", "memo"),
        default="auto",
        help="how to count: one by one (search), merging what leaves the same (memo), or by"
        " whichever gets along better (auto, the default)",
    )
    parser.add_argument(
        "--memory-limit",
        metavar="SIZE",
        type=_bytes,
        help="what merging may hold, such as 500M or 2G; default: a quarter of the memory",
    )
    parser.add_argument("--seed", metavar="N", type=_whole, help="makes --sample reproducible")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument("--quiet", action="store_true", help="no summary on standard error")
    return parser


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number such as 10")
    return int(text)


def _bytes(text: str) -> int:
    scale = {"K": 2**10, "M": 2**20, "G": 2**30}.get(text[-1:].upper(), 1)
    digits = text[:-1] if scale > 1 else text
    if not digits.isascii() or not digits.isdigit() or int(digits) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 500M")
    return int(digits) * scale


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= (seconds := float(text)) < float("inf"):
            return seconds
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds such as 2.5")


def _run(args: argparse.Namespace) -> int:
    if args.file == "-":
        data = sys.stdin.buffer.read()
    else:
        with open(args.file, "rb") as file:
            data = file.read()
    from dlx import formats

    source = "standard input" if args.file == "-" else args.file
    problem, lines = formats.parse(formats.decode(data, source), source)
    ask = _search if args.index is None and args.sample is None and not args.best else _cover_set
    with _output(args.output) as out:
        return ask(args, problem, lines, out)


def _search(args: argparse.Namespace, problem: Problem, lines: list[str], out: TextIO) -> int:
    """Prints a cover, all covers or their number."""
    from dlx.count import Count
    from dlx.search import Search

    progress = _show_progress if sys.stderr.isatty() and not args.quiet else None
    search: Search | Count
    if args.count:
        search = Count(
            problem,
            limit=args.limit,
            time_limit=args.time_limit,
            progress=progress,
            kernel=args.kernel,
            method=args.method,
            memory_limit=args.memory_limit,
        )
    else:
        search = Search(
            problem,
            limit=1 if args.limit is None and not args.all else args.limit,
            time_limit=args.time_limit,
            progress=progress,
            kernel=args.kernel,
        )
    interrupted = False
    try:
        if isinstance(search, Count):
            search.count()
        else:
            _print_covers(search, lines, out)
    except KeyboardInterrupt:
        interrupted = True  # what was found is kept
    covers = search.stats.covers
    if args.count:
        exact = search.status in ("exhausted", "limit")
        print(covers if exact else f"at least {covers}", file=out)
    if not args.quiet:
        print(_summary(search, interrupted), file=sys.stderr)
    if interrupted:
        return INTERRUPTED
    return FOUND if covers else NONE


def _cover_set(args: argparse.Namespace, problem: Problem, lines: list[str], out: TextIO) -> int:
    """Prints the covers that are asked for by index, by chance or by cost."""
    from dlx.errors import ProblemError

    if args.best and problem.costs is None:
        raise ProblemError(f"{args.file}: no option has a cost, written |n at the end of its line")
    from dlx.diagram import covers

    progress = _show_progress if sys.stderr.isatty() and not args.quiet else None
    try:
        found = covers(
            problem,
            time_limit=args.time_limit,
            progress=progress,
            memory_limit=args.memory_limit,
        )
    except TimeoutError as error:
        print(f"dlx: {error}", file=sys.stderr)
        return NONE
    if args.index is not None:
        if args.index >= found.count:
            raise ProblemError(
                f"--index {args.index}: there are {found.count} covers, which count from 0"
            )
        chosen = [found[args.index]]
    elif args.sample is not None:
        chosen = found.sample(args.sample, args.seed) if found else []
    else:
        best = found.best()
        chosen = [best.cover] if best else []
        if best:
            print(f"| cost {best.cost}", file=out)
    _print_covers(chosen, lines, out)
    if not args.quiet:
        number = "1 cover" if found.count == 1 else f"{found.count:,} covers"
        print(f"{number}, {found.nodes:,} nodes, {found.edges:,} edges", file=sys.stderr)
    return FOUND if found else NONE


def _print_covers(covers: Iterable[tuple[int, ...]], lines: list[str], out: TextIO) -> None:
    """Each option as the file wrote it, a blank line between two covers."""
    before = ""
    for cover in covers:
        out.write(before + "\n".join([lines[option] for option in cover]) + "\n")
        before = "\n"


def _summary(search: Search | Count, interrupted: bool) -> str:
    stats = search.stats
    status = "interrupted" if interrupted else search.status
    covers = "1 cover" if stats.covers == 1 else f"{stats.covers:,} covers"
    why = "" if status == "exhausted" else f", stopped: {status}"
    return (
        f"{covers}, {stats.nodes:,} nodes, {stats.updates:,} updates,"
        f" {stats.seconds:.3f} s, kernel {stats.kernel}{why}"
    )


def _show_progress(stats: Stats) -> None:
    line = f"{stats.done:6.1%}  {stats.covers:,} covers, {stats.nodes:,} nodes"
    print(f"\r{line:70}\r", end="", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _output(path: str | None) -> Iterator[TextIO]:
    """Standard output, or a file written beside its place and then renamed."""
    if path is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    beside = f"{path}.{os.getpid()}.part"
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(21, os.strerror(21), path)
        try:
            file = open(beside, "w", encoding="utf-8", newline="\n")  # noqa: SIM115
        except OSError as error:
            raise OSError(error.errno, error.strerror, path) from None
        with file:
            yield file
        os.replace(beside, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(beside)


def run() -> None:
    """Runs the command and ends the process."""
    status = main()
    sys.stderr.flush()
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    if "numba" in sys.modules:
        os._exit(status)  # taking numba and LLVM down in good order takes longer than Ctrl-C may
    sys.exit(status)


if __name__ == "__main__":
    run()
