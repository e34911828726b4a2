"""The command ``python -m sudoku.dlx [FILE ...]``, which solves files of puzzles.

The functions that solve puzzles, such as ``solve`` and ``count_solutions``, can be imported from
this module as well as from ``sudoku``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from dlx.shell.command import end_process, run_command
from sudoku.errors import SudokuError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from dlx.shell.arguments import Parser
    from sudoku.solving.solve import *  # noqa: F403  the names that `__getattr__` finds


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):  # Python looks up __path__ and the like in every module
        from sudoku.solving import solve as solver

        if name in solver.__all__:
            return getattr(solver, name)
    raise AttributeError(f"module 'sudoku.dlx' has no attribute {name!r}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process); return its status."""
    return run_command(lambda: _command(arguments), SudokuError)


def script() -> NoReturn:
    """Run the command as a process of its own."""
    end_process(main())


def _command(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    options = parser.parse_with_files(arguments)
    _refuse(parser, options)
    if options.distinct:
        from sudoku.shell.distinct_command import DistinctCommand

        return DistinctCommand(options).run()
    if options.candidates:
        from sudoku.shell.candidates_command import CandidatesCommand

        return CandidatesCommand(options).run()
    from sudoku.shell.solve_command import SolveCommand

    return SolveCommand(options).run()


def _refuse(parser: Parser, options: argparse.Namespace) -> None:
    """Report options that exclude each other or have no effect."""
    if options.sheet:
        others = ["--all", "--count", "--check", "--distinct", "--candidates", "--format"]
        parser.refuse(options, "--sheet", [*others, "--limit"])
    if options.distinct:
        if options.format in ("svg", "fpuzzles"):
            parser.error(f"--distinct has no --format {options.format}: use a text, json or csv")
        parser.refuse(options, "--distinct", ["--limit", "--time-limit", "--jobs"])
    if options.candidates:
        from sudoku.shell.candidates_command import FORMATS

        if options.candidates in ("True", "TRUE"):
            parser.error(f"--candidates {options.candidates}: write true in small letters")
        if options.candidates not in ("all", "true"):  # --candidates FILE
            options.files.insert(0, options.candidates)
            options.candidates = "all"
        if options.format not in (None, *FORMATS):
            parser.error(f"--candidates has no --format {options.format}: use {', '.join(FORMATS)}")
        parser.refuse(options, "--candidates", ["--limit", "--time-limit", "--jobs"])
    task = "--count" if options.count else "--check" if options.check else ""
    if task and options.format not in (None, "line", "json", "csv"):
        parser.error(f"{task} has no --format {options.format}: use line, json or csv")
    if options.check:
        parser.refuse(options, "--check, which looks for two solutions at most", ["--limit"])
    if options.all or (not task and (options.limit or 0) > 1):
        parser.refuse(options, "--all or --limit: one thread lists solutions", ["--jobs"])


def _parser() -> Parser:
    from dlx.shell.arguments import Parser, at_least
    from sudoku.shell.arguments import add_puzzles, add_sheet, add_work
    from sudoku.shell.printer import FORMATS

    parser = Parser(
        prog="python -m sudoku.dlx",
        description="Solve sudoku puzzles of any size from files: one puzzle a line, grids, CSV, "
        "JSON and other formats. The format and the symbols are recognised.",
        epilog="A puzzle without a solution gives a line that begins with 'no solution'. Exit "
        "status: 0 if every puzzle has a solution (with --check: exactly one), 1 if not or at the "
        "time limit, 2 for bad input or usage, 130 for Ctrl-C, 143 for SIGTERM.",
    )
    question = parser.add_mutually_exclusive_group()
    question.add_argument("--all", action="store_true", help="print all solutions of each puzzle")
    question.add_argument(
        "--count", action="store_true", help="print the exact number of solutions of each puzzle"
    )
    question.add_argument(
        "--check", action="store_true", help="print unique, several or none for each puzzle"
    )
    question.add_argument(
        "--distinct",
        action="store_true",
        help="print the puzzles, without those that are equivalent to an earlier one: by other "
        "digits, bands, stacks, rows and columns, or transposition",
    )
    question.add_argument(
        "--candidates",
        nargs="?",
        const="all",
        metavar="true",
        help="print the candidates of each cell: the digits that no other cell of its houses has; "
        "true: those that the cell has in a solution",
    )
    parser.add_argument(
        "--limit", type=at_least(1), metavar="N", help="find at most N solutions of each puzzle"
    )
    add_puzzles(parser)
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="default: as the puzzle is written; several svg pictures go to numbered files; with "
        "--count and --check: line (the default), json or csv",
    )
    add_sheet(parser)
    add_work(parser, "stop after S seconds")
    return parser


if __name__ == "__main__":
    script()
