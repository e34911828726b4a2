"""Solve files of puzzles: ``python -m sudoku.dlx [FILE ...]``.

Also a home of ``solve``, ``solutions``, ``count_solutions``, ``is_unique`` and their like, as in
``sudoku`` itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sudoku.shell.arguments import Parser
    from sudoku.solving.solve import count_batch as count_batch
    from sudoku.solving.solve import count_solutions as count_solutions
    from sudoku.solving.solve import is_unique as is_unique
    from sudoku.solving.solve import sample as sample
    from sudoku.solving.solve import solutions as solutions
    from sudoku.solving.solve import solve as solve
    from sudoku.solving.solve import solve_batch as solve_batch
    from sudoku.solving.solve import why as why

_SOLVER = (
    *("count_batch", "count_solutions", "is_unique", "sample", "solutions"),
    *("solve", "solve_batch", "why"),
)


def __getattr__(name: str) -> Any:
    if name in _SOLVER:
        from sudoku.solving import solve as solver

        return getattr(solver, name)
    raise AttributeError(f"module 'sudoku.dlx' has no attribute {name!r}")


def _parser() -> Parser:
    from sudoku.shell import arguments
    from sudoku.shell.printer import FORMATS

    parser = arguments.Parser(
        prog="python -m sudoku.dlx",
        description="Solve sudoku puzzles of any size: one a line, as grids, or in a CSV file; "
        "the format and the symbols are found out.",
        epilog="A puzzle without a solution gives the line 'no solution'. Exit status: 0 all "
        "solved (with --check: all unique), 1 some not, 2 bad input or usage, 130 Ctrl-C.",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--all", action="store_true", help="every solution of each puzzle")
    what.add_argument("--count", action="store_true", help="how many solutions, exactly")
    what.add_argument("--check", action="store_true", help="unique, several or none")
    limit = arguments.at_least(1)
    parser.add_argument("--limit", type=limit, metavar="N", help="at most N solutions a puzzle")
    arguments.add_puzzles(parser)
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="default: the shape a puzzle came in; of several svg pictures each goes to a file "
        "of its own, numbered; with --count and --check line (the default), json or csv",
    )
    seconds = arguments.at_least(0, float)
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="stop after S seconds")
    arguments.add_jobs(parser)
    arguments.add_handling(parser)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; its exit status."""
    try:
        from sudoku.shell import command

        return command.run(lambda: _solve_files(_parser(), argv))
    except KeyboardInterrupt:  # before anything was begun
        return 130


def script() -> NoReturn:
    """``main`` as a process."""
    status = main()
    from sudoku.shell import command

    command.end(status)


def _solve_files(parser: Parser, argv: Sequence[str] | None) -> int:
    from sudoku.shell import command
    from sudoku.shell.input import Puzzles
    from sudoku.shell.solve_task import Task

    options = parser.parse_args(argv)
    _check(parser, options)
    puzzles = Puzzles(options)
    ask = "count" if options.count else "check" if options.check else "solve"
    if options.all or (ask == "solve" and (options.limit or 0) > 1):
        ask = "all"
    progress = command.Progress(options.quiet)
    with command.Output(options.output) as output:
        task = Task(
            ask,
            options.limit,
            options.format,
            options.time_limit,
            options.jobs,
            output,
            progress,
            puzzles.sources,
        )
        try:
            for batch in puzzles:
                if not task.work(batch):
                    command.tell(f"time limit of {options.time_limit:g} s: the rest is left")
                    break
        except KeyboardInterrupt:
            command.tell(f"interrupted: {task.summary(puzzles.bad)}")
            raise
        if puzzles.refused:
            task.sheets.discard()
            output.discard()
            return command.BAD_INPUT
        task.sheets.finish()
    if not options.quiet:
        command.tell(task.summary(puzzles.bad))
    some_not = task.out_of_time or task.none or (ask == "check" and task.several)
    return 1 if puzzles.bad or some_not else 0


def _check(parser: Parser, options: argparse.Namespace) -> None:
    """Refuse what does not go together."""
    asked = "--count" if options.count else "--check" if options.check else ""
    if asked and options.format in ("grid", "pretty", "svg"):
        parser.error(f"{asked} has no {options.format}: the formats are line, json and csv")
    if options.check and options.limit is not None:
        parser.error("--check has no --limit: it looks for a second solution, never for more")


if __name__ == "__main__":
    script()
