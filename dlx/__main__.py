"""The command: python -m dlx FILE.

Arguments are parsed, and errors in the input found, before numba is imported.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from dlx.checks import brief, digits, duration, num_cores, solutions_text
from dlx.deprecated import current_method
from dlx.errors import DlxError, FormatError, KernelError, ProblemError
from dlx.shell.arguments import Parser, at_least, integer, threads
from dlx.shell.command import FOUND, NONE, end_process, run_command
from dlx.shell.interrupt import interruptible
from dlx.shell.output import Output, print_message, show_compilation

if TYPE_CHECKING:
    from dlx.costs.driver import CheapestSearch
    from dlx.count.driver import Count
    from dlx.formats import Parsed
    from dlx.parallel.count import ParallelCount
    from dlx.parallel.driver import ParallelSearch
    from dlx.problem import Problem
    from dlx.search.driver import Search, Stats

    Running: TypeAlias = Search | Count | CheapestSearch | ParallelSearch | ParallelCount

EPILOGUE = """\
The file has Knuth's format: a line of items, primary ones, then after a | the secondary ones;
after it one line for each option, its items separated by spaces, a secondary item optionally as
item:colour. Before a primary item there may be its multiplicity, n|item or low:high|item; after an
option its cost, |n. Lines that start with | are comments.

Exit status: 0 a solution was found, 1 none was found (there is none, or the time limit came first),
2 bad input or usage, 130 after Ctrl-C and 143 after SIGTERM (what was found is kept, with -o FILE
in FILE.partial; a count is then a lower bound)."""

OF_ALL = ("--index", "--sample")  # tasks that build the set of all solutions
TASKS = ("--status", "--all", "--count", "--to", "--estimate", "--best", *OF_ALL)
NEEDS = {
    "--method": ("--count",),
    "--seed": ("--sample", "--estimate"),
    "--memory-limit": ("--count", *OF_ALL),
    "--spill": ("--count",),
    "--ledger": ("--count", "--all", "--best"),
    "--json": ("--status",),
}
"""Options that only some tasks use, and these tasks."""
WORKERS = ("--jobs", "--dask", "--ledger")
IGNORED = {
    "--status": ("--limit", "--time-limit", "--kernel", *WORKERS),
    "--to": ("--limit", "--time-limit", "--kernel", *WORKERS),
    "--estimate": ("--limit", "--time-limit", *WORKERS),
    "--best": ("--limit", "--kernel", "--jobs", "--dask"),
    "--index": ("--limit", "--kernel", *WORKERS),
    "--sample": ("--limit", "--kernel", *WORKERS),
}
"""Tasks, and the options that have no effect with each."""
TEXT_SHARE = 4  # a text takes at most this part of the memory: it is read as a whole
DRAWN = 1000  # solutions drawn at random that are written at once
RECORD_SECONDS = 5.0  # of searching, between two saves of a search for the cheapest solutions


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        The exit status.
    """

    def body() -> int:
        args = _parse(arguments)
        try:
            with Output(args.output) as output:
                return _Command(args, output).run()
        except FormatError:  # which names the file itself
            raise
        except (ProblemError, KernelError) as error:
            raise DlxError(f"{_source(args)}: {error}") from None
        except MemoryError as error:
            reason = str(error) or "this does not fit into memory"
            raise DlxError(f"{_source(args)}: {reason}") from None

    return run_command(body, DlxError, prefix="dlx: ")


def _source(args: argparse.Namespace) -> str:
    """What messages call the file of the problem."""
    return "standard input" if args.file == "-" else args.file or "''"


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed arguments; refuse options that have no effect."""
    parser = _parser()
    args = parser.parse_args(arguments)
    if isinstance(args.best, str):  # --best FILE, as before K could be given
        if args.file is not None:
            parser.error(f"--best: {args.best!r} is not a number of solutions")
        args.file, args.best = args.best, 1
    given = {
        f"--{name.replace('_', '-')}"
        for name, value in vars(args).items()
        if value is not None and value is not False
    }
    task = next((name for name in TASKS if name in given), None)
    for option, tasks in NEEDS.items():
        if option in given and task not in tasks:
            parser.error(f"{option} needs {' or '.join(tasks)}")
    if task in IGNORED:
        parser.refuse(args, task, IGNORED[task])
    names = [name for name in (args.output, args.ledger, args.spill) if name is not None]
    if len(set(map(os.path.realpath, names))) < len(names):
        parser.error("-o, --ledger and --spill need different names: one would replace another")
    if args.status is None and args.file is None:
        parser.error("the file of a problem is needed")
    if args.status is not None and args.file is not None:
        parser.error("--status needs no other file")
    if args.method == "sweep":
        parser.refuse(args, "--method sweep", ("--kernel",))
        if args.ledger is not None:
            parser.error("--method sweep takes no --ledger: it continues from --spill DIR")
        if args.dask is not None and args.spill is None:
            parser.error("--method sweep with --dask needs --spill DIR, which all workers see")
    if args.method == "search":
        parser.refuse(args, "--method search", ("--memory-limit", "--spill"))
    elif task == "--count" and args.kernel not in (None, "auto"):
        parser.refuse(args, "--kernel", ("--memory-limit", "--spill"))
    elif task == "--count" and args.ledger is not None and args.spill is None:
        parser.refuse(args, "--ledger", ("--memory-limit",))
    return args


def _parser() -> Parser:
    parser = Parser(
        prog="dlx",
        description="Solves an exact cover problem: finds one solution, all, or their number.",
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="the problem; - for standard input")
    _add_tasks(parser)
    parser.add_argument("--limit", metavar="N", type=at_least(0), help="stop after N solutions")
    parser.add_argument(
        "--time-limit", metavar="S", type=at_least(0, float), help="stop after S seconds"
    )
    parser.add_argument(
        "--kernel", choices=("auto", "bits", "links", "bounds"), help="how to search; default: auto"
    )
    parser.add_argument(
        "--method",
        choices=("auto", "search", "sweep"),
        type=lambda text: current_method(text, "--method {}"),
        help="how to count: visit each solution (search), merge partial solutions that leave the"
        " same items (sweep), or the one that takes less work (auto, the default)",
    )
    parser.add_argument(
        "--memory-limit",
        metavar="SIZE",
        type=_bytes,
        help="memory for merged states, such as 500M or 2G; default: a quarter of what the process"
        " may use",
    )
    parser.add_argument(
        "--spill",
        metavar="DIR",
        help="keep merged states that need more memory in files in DIR; the same command continues"
        " where it was killed; with --dask, all workers must see DIR, and expand the states in it",
    )
    parser.add_argument(
        "--seed", metavar="N", type=at_least(0), help="makes --sample and --estimate reproducible"
    )
    _add_workers(parser)
    parser.add_argument("--json", action="store_true", help="print --status as JSON")
    parser.add_output()
    parser.add_argument("--quiet", action="store_true", help="no summary on standard error")
    return parser


def _add_workers(parser: Parser) -> None:
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=threads,
        help="number of threads; all: one for each core that the process may use, the default",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="search, or count the states in --spill DIR, with the workers of a Dask cluster;"
        " local: start workers on this machine, --jobs of them",
    )
    parser.add_argument(
        "--ledger",
        metavar="FILE",
        help="record what is done in FILE; the same command continues where it was killed; "
        "without --spill, --count then visits each solution",
    )


def _add_tasks(parser: Parser) -> None:
    whole = at_least(0)
    task = parser.add_mutually_exclusive_group()
    task.add_argument("--all", action="store_true", help="print all solutions")
    task.add_argument("--count", action="store_true", help="print the number of solutions")
    task.add_argument(
        "--estimate",
        action="store_true",
        help="print estimates of the number of solutions and of nodes, with standard errors",
    )
    task.add_argument(
        "--status",
        metavar="FILE",
        help="print the progress recorded in the ledger of a count or a list, or in --spill DIR",
    )
    task.add_argument(
        "--index", metavar="I", type=whole, help="print solution I of all in a fixed order, from 0"
    )
    task.add_argument(
        "--sample", metavar="N", type=whole, help="print N solutions drawn with equal probability"
    )
    task.add_argument(
        "--to",
        choices=("cnf", "lp"),
        help="print the problem for other solvers: a formula in DIMACS form, or an integer program",
    )
    task.add_argument(
        "--best",
        metavar="K",
        nargs="?",
        const=1,
        type=_number_or_file,
        help="print the K cheapest solutions (1 by default); options have costs |n",
    )


def _number_or_file(text: str) -> int | str:
    is_number = text.isascii() and text.lstrip("+-").isdigit()
    return int(at_least(1)(text)) if is_number else text


def _bytes(text: str) -> int:
    scale = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}.get(text[-1:].upper(), 1)
    number = text[:-1] if scale > 1 else text
    if not number.isascii() or not number.isdigit() or integer(number) == 0:
        raise argparse.ArgumentTypeError(f"{brief(text)} is not a size such as 500M (K, M, G or T)")
    return int(number) * scale


class _Command:
    """One run of the command, and its messages when it is interrupted."""

    def __init__(self, args: argparse.Namespace, output: Output) -> None:
        self.args = args
        self.output = output
        self.workers = ExitStack()  # closed at the end of the search
        self.search: Running | None = None
        self.writing = 0.0  # seconds, which a search does not count; its workers go on meanwhile
        self.is_late = False  # the time limit has passed while solutions were written
        shown = not args.quiet and sys.stderr is not None and sys.stderr.isatty()
        self.progress: Callable[[Stats], object] | None = None
        if shown:
            self.progress = _Progress()
            show_compilation()

    def run(self) -> int:
        """Do the task; return the exit status.

        Raises
        ------
        KeyboardInterrupt
            The run was interrupted, and what was found has been written.
        """
        try:
            with interruptible(self._stop, self._leave) as check, self.workers:
                if self.args.status is not None:
                    return self._report_status()
                found = self._do_task(*self._read(check))
        except KeyboardInterrupt:
            self._report_interrupt()
            raise
        if self.search is not None:
            self._write_count()
            status = self.search.status
            if self.is_late and status == "stopped":
                status = "time limit"
            self._print_summary(_summary(self.search, status, self.writing))
            if self.args.quiet and status == "time limit":  # else the same as without a solution
                print_message(f"dlx: stopped at the time limit of {self.args.time_limit:g} s")
        return FOUND if found else NONE

    def _read(self, check: Callable[[], None]) -> Parsed:
        """Return the problem; `check` raises KeyboardInterrupt after a signal."""
        from dlx.count.memory import machine_memory
        from dlx.files import open_to_read, read_bytes

        source = _source(self.args)
        most = machine_memory() // TEXT_SHARE
        try:
            if self.args.file == "-":
                if sys.stdin is None:
                    raise DlxError(f"{source}: it is closed")
                data = read_bytes(sys.stdin.buffer, source, most)
            else:
                with open_to_read(self.args.file) as file:
                    data = read_bytes(file, source, most)
        except OSError as error:
            raise DlxError(f"{source}: {error.strerror or error}") from None
        check()  # a signal also ends the program that writes to a pipe: its text is incomplete
        from dlx import formats

        parsed = formats.parse(formats.decode(data, source, most), source)
        if self.progress is not None and (self.args.count or self.args.all):
            self.progress = _Progress(parsed[0])
        return parsed

    def _do_task(self, problem: Problem, lines: list[str]) -> bool:
        """Return whether there is a solution, as far as it is known."""
        args = self.args
        if args.count:
            return self._count(problem)
        if args.estimate:
            return self._estimate(problem)
        if args.to is not None:
            from dlx import export

            write = export.cnf if args.to == "cnf" else export.lp
            self.output.write(write(problem).encode())
            return True
        if args.best is not None:
            return self._cheapest(problem, lines)
        if args.index is not None or args.sample is not None:
            return self._choose(problem, lines)
        return self._list(problem, lines)

    def _count(self, problem: Problem) -> bool:
        args = self.args
        self._interpret_first_steps()
        settings = self._search_settings() | {
            "method": args.method or "auto",
            "memory_limit": args.memory_limit,
            "spill": args.spill,
        }
        if args.dask is not None or args.ledger is not None or self._jobs > 1:
            from dlx.parallel.count import parallel_count

            self.search = counting = parallel_count(problem, **settings, **self._worker_settings())
            self.workers.callback(counting.close)
            return counting.count() > 0
        from dlx.count.driver import Count

        self.search = Count(problem, **settings)
        return self.search.count() > 0

    def _search_settings(self) -> dict[str, Any]:
        """The arguments that a search and a count have in common."""
        args = self.args
        return {
            "limit": args.limit,
            "time_limit": args.time_limit,
            "progress": self.progress,
            "kernel": args.kernel or "auto",
        }

    def _interpret_first_steps(self) -> None:
        from dlx.search.kernel import interpreted_first_steps

        self.workers.enter_context(interpreted_first_steps())

    @property
    def _jobs(self) -> int:
        return self.args.jobs or num_cores()

    def _worker_settings(self) -> dict[str, Any]:
        """The arguments `jobs`, `executor` and `ledger` of a parallel search."""
        args = self.args
        executor = None
        if args.dask is not None:
            from dlx.parallel.cluster import dask_executor

            executor = self.workers.enter_context(dask_executor(args.dask, args.jobs))
        local = args.dask in (None, "local")  # then it has the cores of this process
        jobs = self._jobs if local else args.jobs
        return {"jobs": jobs, "executor": executor, "ledger": args.ledger}

    def _report_status(self) -> int:
        """Write the progress recorded in a ledger, or of the sweeps of a folder."""
        import json

        name = self.args.status
        try:
            if os.path.isdir(name):
                from dlx.parallel import folder

                statuses: list[Any] = folder.status(name)
            else:
                from dlx.parallel import ledger

                statuses = [ledger.status(name)]
        except DlxError:
            raise
        except OSError as error:
            raise DlxError(f"{name}: {error.strerror or error}") from None
        texts = (
            json.dumps(status._asdict()) if self.args.json else status.text() for status in statuses
        )
        self.output.write("".join(f"{text}\n" for text in texts).encode())
        return FOUND

    def _estimate(self, problem: Problem) -> bool:
        """Write the estimates of 1,000 random descents; return True."""
        from dlx.parallel.estimate import estimate

        found = estimate(problem, seed=self.args.seed, kernel=self.args.kernel or "auto")
        none = "" if found.solutions else ", as no descent has found one"
        lines = (
            f"solutions {_estimated(found.solutions, found.solutions_error)}{none}",
            f"nodes     {_estimated(found.nodes, found.nodes_error)}",
        )
        self.output.write("".join(f"{line}\n" for line in lines).encode())
        return True

    def _list(self, problem: Problem, lines: list[str]) -> bool:
        """Write one solution, or all."""
        from dlx.parallel.driver import ParallelSearch

        args = self.args
        self._interpret_first_steps()
        settings = self._search_settings() | self._worker_settings()
        if args.limit is None and not args.all:
            settings["limit"] = 1
        search = ParallelSearch(problem, **settings)
        self.workers.callback(search.close)
        self.search = search
        for batch in search.arrays():
            began = search.clock()
            self._write_solutions(batch.tolist(), lines)
            self.writing += search.clock() - began
            seconds = search.stats.seconds + self.writing
            if args.time_limit is not None and seconds >= args.time_limit:
                self.is_late = True
                search.stop()
        return search.num_solutions > 0

    def _choose(self, problem: Problem, lines: list[str]) -> bool:
        """Write solutions by index or at random."""
        args = self.args
        from dlx.diagram.build import solution_set

        try:
            solutions = solution_set(
                problem,
                time_limit=args.time_limit,
                progress=self.progress,
                memory_limit=args.memory_limit,
            )
        except TimeoutError as error:
            print_message(f"dlx: {error}")
            return False
        if args.index is not None:
            if args.index >= solutions.count:
                raise DlxError(
                    f"--index {args.index}: the problem has {solutions_text(solutions.count)}; "
                    "numbers begin at 0"
                )
            self._write_solutions([solutions[args.index]], lines)
        else:
            remaining, draws = args.sample, solutions.draws(args.seed)
            while remaining > 0 and (chosen := list(islice(draws, min(remaining, DRAWN)))):
                self._write_solutions(chosen, lines)
                remaining -= len(chosen)
        found = solutions_text(solutions.count, ",")
        self._print_summary(f"{found}, {solutions.nodes:,} nodes, {solutions.edges:,} edges")
        return bool(solutions)

    def _cheapest(self, problem: Problem, lines: list[str]) -> bool:
        """Write the cheapest solutions, or the cheapest found within limits."""
        from dlx.costs.driver import CheapestSearch, describe
        from dlx.files import expect_file
        from dlx.parallel.ledger import lock

        args = self.args
        if problem.costs is None and problem.num_options:
            raise ProblemError("no option has a cost, written |n at the end of its line")
        if args.ledger is not None:
            expect_file(args.ledger)
            self.workers.enter_context(closing(lock(args.ledger)))
        # an empty file is a new ledger, as for --count
        exists = args.ledger is not None and os.path.exists(args.ledger)
        if exists and os.path.getsize(args.ledger):
            try:
                search = CheapestSearch.load(args.ledger, problem, time_limit=args.time_limit)
            except OSError as error:
                raise DlxError(f"{args.ledger}: {error.strerror or error}") from None
            if search.k != args.best:
                raise DlxError(f"{args.ledger}: this search is for --best {search.k}")
        else:
            search = CheapestSearch(problem, args.best, time_limit=args.time_limit)
        self.search = search
        recorded = search.stats.seconds

        def record(stats: Stats) -> None:
            nonlocal recorded
            if args.ledger is not None and stats.seconds >= recorded + RECORD_SECONDS:
                recorded = stats.seconds
                search.save(args.ledger)
            if self.progress is not None:
                self.progress(stats)

        search.progress = record
        status = search.run()
        if args.ledger is not None:
            search.save(args.ledger)
        if status != "exhausted":
            self._print_summary(describe(search))
        for cost, solution in search.best:
            parts = [f"| cost {cost}", *(lines[option] for option in solution)]
            before = "\n" if self.output.count else ""
            self.output.write((before + "\n".join(parts) + "\n").encode(), 1)
        return bool(search.best)

    def _write_solutions(self, solutions: Iterable[Sequence[int]], lines: list[str]) -> None:
        """Write the lines of the options, a blank line between two solutions; skip padding (-1)."""
        texts = [
            "".join([lines[o] + "\n" for o in solution if o >= 0]) or "\n" for solution in solutions
        ]
        before = "\n" if self.output.count else ""
        self.output.write((before + "\n".join(texts)).encode(), len(texts))

    def _write_count(self) -> None:
        """With --count, write the number of solutions, or the lower bound that is known."""
        if self.args.count:
            exact = self.search is not None and self.search.status in ("exhausted", "limit")
            found = 0 if self.search is None else self.search.num_solutions
            self.output.write(f"{'' if exact else 'at least '}{digits(found)}\n".encode())

    def _print_summary(self, summary: str) -> None:
        if not self.args.quiet:
            print_message(summary)

    # Ctrl-C

    def _stop(self) -> None:
        if self.search is not None:
            self.search.stop()

    def _leave(self) -> None:
        """Write what was found; called when the process ends during a compilation or import."""
        self._report_interrupt()
        self.output.keep()

    def _report_interrupt(self) -> None:
        self._write_count()
        if self.search is None:
            print_message("interrupted")
        else:
            self._print_summary(_summary(self.search, "interrupted", self.writing))


def _summary(search: Running, status: str, writing: float) -> str:
    stats = search.stats
    why = "" if status == "exhausted" else f", stopped: {status}"
    return (
        f"{solutions_text(stats.solutions, ',')}, {stats.nodes:,} nodes, {stats.updates:,} updates,"
        f" {stats.seconds + writing:.3f} s, kernel {stats.kernel}"
        f"{', short of memory' if stats.short_of_memory else ''}{why}"
    )


def _estimated(mean: float, error: float) -> str:
    """Return the text of an estimate by 1,000 descents, one of which may be beyond 10**308."""
    return f"{mean:.6g} +- {error:.2g}" if mean < math.inf else "more than 1e+305, by estimate"


class _Progress:
    """Shows the progress of a search on standard error.

    Parameters
    ----------
    problem : Problem, optional
        Given if all its solutions are sought: then the time left is shown, computed from an
        estimate of the nodes, or from the fraction done if there is no estimate.
    """

    def __init__(self, problem: Problem | None = None) -> None:
        self._problem = problem
        self._nodes: float | None = None  # of a search, by estimate; 0 if there is none

    def __call__(self, stats: Stats) -> None:
        line = f"{stats.done:6.1%}  {solutions_text(stats.solutions, ',')}, {stats.nodes:,} nodes"
        if self._problem is not None and (seconds := self._seconds_left(stats)) is not None:
            line += f", {duration(seconds)} left"
        print(f"\r{line:70}\r", end="", file=sys.stderr, flush=True)

    def _seconds_left(self, stats: Stats) -> float | None:
        from dlx.parallel.estimate import estimate

        if self._nodes is None:
            assert self._problem is not None
            exact = self._problem.bounds is None
            # a descent may take as long as a look at all entries
            samples = max(1, min(100, 1_000_000 // max(1, self._problem.num_entries)))
            self._nodes = estimate(self._problem, samples, seed=0).nodes if exact else 0.0
        if stats.done == 1:
            return 0.0
        if stats.kernel in ("bits", "links") and 0 < stats.nodes < self._nodes:
            return stats.seconds * (self._nodes / stats.nodes - 1)
        return stats.seconds * (1 / stats.done - 1) if stats.done else None


def script() -> NoReturn:
    """Run the command as a process of its own."""
    end_process(main())


if __name__ == "__main__":
    script()
