"""The command: python -m dlx FILE.

Arguments are parsed, and faults of the input found, before numba is imported.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn

from dlx import __version__
from dlx.deprecated import warn
from dlx.errors import DlxError, ProblemError
from dlx.shell.arguments import Parser, at_least
from dlx.shell.command import end_process, run_command
from dlx.shell.interrupt import interruptible
from dlx.shell.output import Output, tell

if TYPE_CHECKING:
    from dlx.count.driver import Count
    from dlx.problem import Problem
    from dlx.search.driver import Search, Stats

FOUND, NONE = 0, 1  # exit statuses; others are those of `run_command`

EPILOGUE = """\
The file has Knuth's format: a line of items, primary ones, then after a | the secondary ones;
after it one line for each option, its items separated by spaces, a secondary item perhaps as
item:colour. Lines that start with | are comments.

Exit status: 0 a solution was found, 1 none was found, 2 bad input or usage, 130 interrupted (what
was found is kept, with -o FILE in FILE.partial; a count is then a lower bound)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process); return its status."""

    def body() -> int:
        args = _parser().parse_args(arguments)
        try:
            with Output(None if args.output == "-" else args.output) as output:
                return _Command(args, output).run()
        except MemoryError as error:
            reason = str(error) or "this does not fit into memory"
            raise DlxError(f"{args.file}: {reason}") from None

    return run_command(body, DlxError, prefix="dlx: ")


def _parser() -> Parser:
    parser = Parser(
        version=__version__,
        prog="dlx",
        description="Solves an exact cover problem: finds one solution, all, or their number.",
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole = at_least(0)
    parser.add_argument("file", metavar="FILE", help="the problem; - for standard input")
    task = parser.add_mutually_exclusive_group()
    task.add_argument("--all", action="store_true", help="print all solutions")
    task.add_argument("--count", action="store_true", help="print how many solutions there are")
    task.add_argument(
        "--index", metavar="I", type=whole, help="print solution I of all in a fixed order, from 0"
    )
    task.add_argument(
        "--sample", metavar="N", type=whole, help="print N solutions drawn with equal probability"
    )
    task.add_argument(
        "--best", action="store_true", help="print the cheapest solution; options have costs |n"
    )
    parser.add_argument("--limit", metavar="N", type=whole, help="stop after N solutions")
    parser.add_argument("--time-limit", metavar="S", type=_seconds, help="stop after S seconds")
    parser.add_argument(
        "--kernel", choices=("auto", "bits", "links"), default="auto", help="default: auto"
    )
    parser.add_argument(
        "--method",
        choices=("auto", "search", "sweep"),
        type=_method,
        default="auto",
        help="how to count: visit each solution (search), merge partial solutions that leave the"
        " same items (sweep), or the one that takes less work (auto, the default)",
    )
    parser.add_argument(
        "--memory-limit",
        metavar="SIZE",
        type=_bytes,
        help="memory for merged states, such as 500M or 2G; default: a quarter of the machine's",
    )
    parser.add_argument("--seed", metavar="N", type=whole, help="makes --sample reproducible")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument("--quiet", action="store_true", help="no summary on standard error")
    return parser


def _method(text: str) -> str:
    if text == "memo":
        warn("--method memo", "--method sweep")
        return "sweep"
    return text


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


class _Command:
    """One run of the command; what it does, and what there is to say when it is interrupted."""

    def __init__(self, args: argparse.Namespace, output: Output) -> None:
        self.args = args
        self.output = output
        self.search: Search | Count | None = None
        shown = not args.quiet and sys.stderr is not None and sys.stderr.isatty()
        self.progress: Callable[[Stats], object] | None = _show_progress if shown else None

    def run(self) -> int:
        """The exit status. Raises KeyboardInterrupt when all there was has been written."""
        try:
            with interruptible(self._stop, self._leave):
                problem, lines = self._read()
                args = self.args
                one_of_all = args.index is not None or args.sample is not None or args.best
                found = (self._choose if one_of_all else self._search)(problem, lines)
        except KeyboardInterrupt:
            self._say_interrupted()
            raise
        if self.search is not None:
            self._write_count(self.search)
            self._tell(_summary(self.search))
        return FOUND if found else NONE

    def _read(self) -> tuple[Problem, list[str]]:
        source = "standard input" if self.args.file == "-" else self.args.file
        try:
            if self.args.file == "-":
                data = sys.stdin.buffer.read()
            else:
                with open(source, "rb") as file:
                    data = file.read()
        except OSError as error:
            raise DlxError(f"{source}: {error.strerror or error}") from None
        from dlx import formats

        return formats.parse(formats.decode(data, source), source)

    def _search(self, problem: Problem, lines: list[str]) -> bool:
        """Writes a solution or all solutions, or counts them; whether there is one."""
        from dlx.count.driver import Count
        from dlx.search.driver import Search

        args = self.args
        if args.count:
            self.search = Count(
                problem,
                limit=args.limit,
                time_limit=args.time_limit,
                progress=self.progress,
                kernel=args.kernel,
                method=args.method,
                memory_limit=args.memory_limit,
            )
            return self.search.count() > 0
        self.search = search = Search(
            problem,
            limit=1 if args.limit is None and not args.all else args.limit,
            time_limit=args.time_limit,
            progress=self.progress,
            kernel=args.kernel,
        )
        writing = 0.0  # which the time limit of the search leaves out
        for batch in search.arrays():
            began = time.perf_counter()
            self._write_solutions(batch.tolist(), lines)
            writing += time.perf_counter() - began
            if args.time_limit is not None and search.stats.seconds + writing >= args.time_limit:
                search.time_limit = 0.0
                search.count()  # no further, but its status tells
                break
        return search.num_solutions > 0

    def _choose(self, problem: Problem, lines: list[str]) -> bool:
        """Write solutions by index, at random or by cost; return whether there is one."""
        args = self.args
        if args.best and problem.costs is None:
            raise ProblemError(
                f"{args.file}: no option has a cost, written |n at the end of its line"
            )
        from dlx.diagram.build import solution_set

        try:
            found = solution_set(
                problem,
                time_limit=args.time_limit,
                progress=self.progress,
                memory_limit=args.memory_limit,
            )
        except TimeoutError as error:
            tell(f"dlx: {error}")
            return False
        if args.index is not None:
            if args.index >= found.count:
                raise ProblemError(
                    f"--index {args.index}: there are {found.count} solutions, which count from 0"
                )
            chosen = [found[args.index]]
        elif args.sample is not None:
            chosen = found.sample(args.sample, args.seed) if found else []
        else:
            best = found.best()
            chosen = [best.solution] if best else []
            if best:
                self.output.write(f"| cost {best.cost}\n".encode())
        self._write_solutions(chosen, lines)
        number = "1 solution" if found.count == 1 else f"{found.count:,} solutions"
        self._tell(f"{number}, {found.nodes:,} nodes, {found.edges:,} edges")
        return bool(found)

    def _write_solutions(self, solutions: Iterable[Sequence[int]], lines: list[str]) -> None:
        """Each option as the file wrote it, a blank line between two solutions; -1 is no option."""
        texts = [
            "".join([lines[o] + "\n" for o in solution if o >= 0]) or "\n" for solution in solutions
        ]
        before = "\n" if self.output.count else ""
        self.output.write((before + "\n".join(texts)).encode(), len(texts))

    def _write_count(self, search: Search | Count | None) -> None:
        if self.args.count:
            exact = search is not None and search.status in ("exhausted", "limit")
            solutions = 0 if search is None else search.num_solutions
            self.output.write(f"{solutions if exact else f'at least {solutions}'}\n".encode())

    def _tell(self, summary: str) -> None:
        if not self.args.quiet:
            tell(summary)

    # Ctrl-C

    def _stop(self) -> None:
        if self.search is not None:
            self.search.stop()

    def _leave(self) -> None:
        """What is said when the command does not come to a stop, as it is compiling."""
        self._write_count(self.search)
        self.output.keep()
        tell("interrupted")

    def _say_interrupted(self) -> None:
        self._write_count(self.search)
        if self.search is None:
            tell("interrupted")
        else:
            self._tell(_summary(self.search, interrupted=True))


def _summary(search: Search | Count, interrupted: bool = False) -> str:
    stats = search.stats
    status = "interrupted" if interrupted else search.status
    solutions = "1 solution" if stats.solutions == 1 else f"{stats.solutions:,} solutions"
    why = "" if status == "exhausted" else f", stopped: {status}"
    return (
        f"{solutions}, {stats.nodes:,} nodes, {stats.updates:,} updates,"
        f" {stats.seconds:.3f} s, kernel {stats.kernel}{why}"
    )


def _show_progress(stats: Stats) -> None:
    line = f"{stats.done:6.1%}  {stats.solutions:,} solutions, {stats.nodes:,} nodes"
    print(f"\r{line:70}\r", end="", file=sys.stderr, flush=True)


def script() -> NoReturn:
    """Run the command as a process of its own."""
    end_process(main())


if __name__ == "__main__":
    script()
