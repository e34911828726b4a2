"""The command ``python -m sudoku.generate N``, which writes N puzzles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dlx.checks import brief, num_cores
from dlx.shell.command import end_process, run_command
from sudoku.errors import SudokuError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dlx.shell.arguments import Parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process); return its status."""
    return run_command(lambda: _command(arguments), SudokuError)


def _command(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.sheet:
        parser.refuse(options, "--sheet", ["--format"])
    from sudoku.generate import stream_puzzles
    from sudoku.generate.requirements import Requirements
    from sudoku.grids import check_size, layout_of
    from sudoku.shell.arguments import NO_FILE, box_of, text_of
    from sudoku.shell.output import write_made

    layout = layout_of(box_of(options), options.diagonal)
    check_size(layout)
    names = "minimal givens symmetry difficulty rating hardest method solutions time_limit"
    required: dict[str, Any] = {name: getattr(options, name) for name in names.split()}
    if options.pattern is not None:
        required["pattern"], name = text_of(options.pattern)
        try:
            Requirements(box=layout, pattern=required["pattern"])
        except SudokuError as error:
            text = required["pattern"]
            is_name = len(text) != layout.cells and re.fullmatch(r"[\w.-]*[^\W\d_][\w.-]*", text)
            message = f"{error}{NO_FILE if is_name else ''}"
            raise SudokuError(f"{name}: {error}" if name else message) from None
    jobs = options.jobs or num_cores()

    def make(seed: int) -> Iterator[Any]:
        return stream_puzzles(options.n, seed=seed, jobs=jobs, box=layout, **required)

    return 0 if write_made(make, layout, options, "puzzles") else 1


def _parser() -> Parser:
    from dlx.shell.arguments import Parser, at_least
    from sudoku.shell.arguments import add_generation, add_sheet, add_work
    from sudoku.writing.texts import FORMS

    parser = Parser(
        prog="python -m sudoku.generate",
        description="Write N puzzles, each with exactly one solution and no needless given. They "
        "are drawn independently: where there are few, as with 4x4 grids, some may be equal.",
        epilog="The command gives up after 5,000,000 search nodes in a row without a puzzle that "
        "meets the options. That takes 5 to 25 seconds on a core: 480,000 attempts or more for "
        "9x9, 5,000 with diagonals, 12,000 for 8x8, 130 for 16x16, 11 for 25x25. Grids up to "
        "36x36. Exit status: 0; 1 if fewer puzzles were found, at the time limit or when the "
        "command gave up; 2 for bad usage or if it gave up without a puzzle; 130 for Ctrl-C, 143 "
        "for SIGTERM.",
    )
    parser.add_argument("n", metavar="N", type=at_least(1), help="how many puzzles")
    _add_requirements(parser)
    add_generation(parser, (*FORMS, "fpuzzles", "json", "csv", "svg"), "puzzles")
    add_sheet(parser)
    add_work(parser, "stop after S seconds with the puzzles found")
    return parser


def _add_requirements(parser: Parser) -> None:
    """Add the options for the kind of puzzles."""
    from sudoku.generate.pattern import SYMMETRIES
    from sudoku.generate.requirements import METHODS, SOLUTIONS

    parser.add_argument(
        "--minimal",
        choices=("given", "group", "no"),
        help="given: without any one given there are several solutions (default without "
        "--pattern; beyond 16x16, or 12x12 with more houses: as far as a short search can tell); "
        "group: the same for each group of symmetrical givens; "
        "no: there may be needless givens",
    )
    parser.add_argument(
        "--givens", metavar="K[-L]", type=_range, help="number of givens, such as 24 or 22-26"
    )
    parser.add_argument(
        "--symmetry", choices=SYMMETRIES, default="none", help="symmetry of the pattern of givens"
    )
    parser.add_argument(
        "--pattern",
        metavar="FILE|TEXT",
        help="the cells that are given: a character for each cell; . 0 - and _ are blanks, "
        "every other mark is a given, # and * too",
    )
    parser.add_argument(
        "--difficulty",
        metavar="A-B",
        type=_scores,
        help="difficulty for search, as sudoku.difficulty: mean number of guesses, such as 0-0 or "
        "1.5-10; A alone: A or more",
    )
    parser.add_argument(
        "--rating",
        metavar="A-B",
        type=_scores,
        help="difficulty for people, as sudoku.rate and sudoku.explain: 1.2-2.8 singles, up to 4 "
        "as in newspapers, 4-8 wings and chains, 8-10 nets, above 11 guesses; A alone: A or more",
    )
    parser.add_argument(
        "--hardest",
        metavar="T",
        help="techniques up to T solve the puzzle, and none before T suffice; they are listed by "
        "python -m sudoku.explain --techniques",
    )
    parser.add_argument(
        "--method",
        choices=METHODS,
        default="dig",
        help="dig: remove givens from a complete grid (default); grow: add givens to an empty one",
    )
    parser.add_argument(
        "--solutions",
        choices=SOLUTIONS,
        default="one",
        help="default: %(default)s; for several and none a puzzle with one solution is altered, "
        "and --minimal applies before that",
    )


def _range(text: str) -> tuple[int, int]:
    """Return ``24`` or ``22-26`` as two numbers; this is an argparse type."""
    from argparse import ArgumentTypeError

    from dlx.shell.arguments import integer

    low, dash, high = text.partition("-")
    if not low.isdecimal() or not (high if dash else low).isdecimal():
        raise ArgumentTypeError(f"{brief(text)} is not a number such as 24 or a range as 22-26")
    return integer(low), integer(high or low)


def _scores(text: str) -> tuple[float, float]:
    """Return ``1.5-10`` or ``1.5`` (without an upper bound) as two numbers, as an argparse type."""
    from argparse import ArgumentTypeError

    low, dash, high = text.partition("-")
    try:
        scores = float(low), float(high) if dash else float("inf")
        if not 0 <= scores[0] < float("inf") or not scores[1] >= 0:
            raise ValueError
        return scores
    except ValueError:
        raise ArgumentTypeError(f"{brief(text)} is not a range of scores such as 1.5-10") from None


if __name__ == "__main__":
    end_process(main())
