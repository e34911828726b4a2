"""The command ``python -m sudoku.generate``: N puzzles of the kind that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sudoku.generate import stream_puzzles
from sudoku.generate.pattern import SYMMETRIES
from sudoku.generate.requirements import METHODS, SOLUTIONS
from sudoku.grids import check_drawable
from sudoku.layout import Layout, parse_box
from sudoku.shell.arguments import Parser, add_jobs, add_making, at_least
from sudoku.shell.command import (
    Output,
    Progress,
    end,
    run,
    starting,
    tell,
)

if TYPE_CHECKING:
    import argparse

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    return run(lambda: _command(arguments))


def _parser() -> Parser:
    parser = Parser(
        prog="python -m sudoku.generate",
        description="Writes N puzzles, each with exactly one solution and no given too many. They "
        "are drawn independently: where there are few, as on 4x4 grids, one may come again.",
        epilog="A demand is given up after 5,000,000 search nodes in a row without a puzzle, which "
        "takes 5 to 25 seconds a core: about 140,000 attempts for 9x9, 5,000 with diagonals, "
        "12,000 for 8x8, 130 for 16x16, 11 for 25x25. Up to 36x36. Exit status: 0; 2 for wrong "
        "input or a demand that was given up.",
    )
    parser.add_argument("n", metavar="N", type=at_least(1), help="how many puzzles")
    parser.add_argument(
        "--minimal",
        choices=("given", "group", "no"),
        default="given",
        help="no given can go (default; beyond 16x16, none that a short search finds needless); "
        "no group of symmetrical givens can go; some may",
    )
    parser.add_argument(
        "--givens", metavar="K[-L]", type=_range, help="how many givens: 24, or 22-26"
    )
    parser.add_argument("--symmetry", choices=SYMMETRIES, default="none", help="of the givens")
    parser.add_argument(
        "--difficulty",
        metavar="A-B",
        type=_scores,
        help="hard for search: mean number of its guesses, as sudoku.difficulty: 0-0, 1.5-10",
    )
    parser.add_argument(
        "--rating",
        metavar="A-B",
        type=_scores,
        help="hard for a person: weight of the steps, as sudoku.rate and sudoku.explain: 1.2 to "
        "2.8 singles, to 4 newspapers, 4-8 wings and chains, 8-10 nets, above 11 guesses",
    )
    parser.add_argument("--method", choices=METHODS, default="dig", help="default: %(default)s")
    parser.add_argument(
        "--solutions",
        choices=SOLUTIONS,
        default="one",
        help="default: %(default)s; of several and none, only --minimal is meant of the puzzle "
        "that was spoilt",
    )
    seed = "same seed, same puzzles; default: a new one, which is told"
    add_making(parser, ("line", "grid", "pretty", "json", "csv", "svg"), seed)
    add_jobs(parser)
    return parser


def _range(text: str) -> tuple[int, int]:
    from argparse import ArgumentTypeError

    low, _, high = text.partition("-")
    if not low.isdecimal() or not (high or low).isdecimal():
        raise ArgumentTypeError(f"{text!r}: a number such as 24, or a range such as 22-26")
    return int(low), int(high or low)


def _scores(text: str) -> tuple[float, float]:
    from argparse import ArgumentTypeError

    low, _, high = text.partition("-")
    try:
        return float(low), float(high) if high else float("inf")
    except ValueError:
        raise ArgumentTypeError(f"{text!r}: a range of scores such as 1.5-10") from None


def _command(arguments: Sequence[str] | None) -> int:
    args = _parser().parse_args(arguments)
    layout = Layout(*parse_box(args.box or "3x3"), args.diagonal)
    check_drawable(layout)
    with Output(args.output) as output:
        return _write(args, layout, output)


def _write(args: argparse.Namespace, layout: Layout, output: Output) -> int:
    with starting(output):
        from sudoku.grids.random_numbers import fresh_seed
        from sudoku.shell.writer import Writer, write_pieces

        boxes = layout.box_rows, layout.box_columns
        writer = Writer(output, layout, args.format, args.n)
        seed = fresh_seed() if args.seed is None else args.seed
        pieces = stream_puzzles(
            args.n,
            minimal=args.minimal,
            givens=args.givens,
            symmetry=args.symmetry,
            box=boxes,
            diagonal=args.diagonal,
            seed=seed,
            difficulty=args.difficulty,
            rating=args.rating,
            method=args.method,
            solutions=args.solutions,
            jobs=args.jobs,
        )
    write_pieces(pieces, args.n, writer, output, Progress(args.quiet))
    if args.seed is None and not args.quiet:
        tell(f"seed {seed}")
    return 0


if __name__ == "__main__":
    end(main())
