"""The command ``python -m sudoku.grids``: N distinct grids, or an answer about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sudoku.errors import PuzzleError, SudokuError
from sudoku.grids import (
    check_complete,
    check_drawable,
    count_grids,
    grids_at,
    indices_of,
    layout_of,
    stream_distinct,
)
from sudoku.shell.arguments import Parser, add_making, at_least, integer
from sudoku.shell.command import (
    Output,
    Progress,
    begun,
    end,
    run,
    starting,
    tell,
)

if TYPE_CHECKING:
    import argparse

    from sudoku.layout import Layout

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    return run(lambda: _command(arguments))


def _parser() -> Parser:
    parser = Parser(
        prog="python -m sudoku.grids",
        description="Writes N distinct complete grids, or answers a question about them.",
        epilog="Grids up to 36x36. Those without numbers (other than 4x4, 6x6 and 9x9; diagonals "
        "other than 4x4 and 6x6) come from search and are not uniform. Exit status: 0, or 2 for "
        "wrong input.",
    )
    parser.add_argument("n", nargs="?", metavar="N", type=at_least(1), help="how many grids")
    add_making(parser, ("line", "grid", "svg"), "same seed, same grids; default: a new one")
    parser.add_argument("--first", metavar="D", help="the first cell of all grids")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--count", action="store_true", help="print how many grids there are")
    what.add_argument("--index", metavar="I", type=integer, help="print the grid of this number")
    what.add_argument(
        "--index-of",
        metavar="FILE",
        help="print the number of each grid; "
        "size and boxes are found from the file unless --box is given",
    )
    return parser


def _command(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    args = parser.parse_args(arguments)
    if (args.n is None) != (args.count or args.index is not None or args.index_of is not None):
        parser.error("give either N, or --count, --index or --index-of")
    if args.n is None and (args.first or args.seed is not None):
        parser.error("--first and --seed go with N")
    layout = layout_of(args.box or "3x3", args.diagonal)
    if args.n is not None:
        check_drawable(layout)
    first = _first_digit(args.first, layout)
    with Output(args.output) as output:
        if args.count:
            with starting(output):
                total = count_grids(layout.box_rows, layout.box_columns, layout.diagonal)
            output.write(b"%d\n" % total)
        elif args.index_of is not None:
            _write_indices(args.index_of, args.box, args.diagonal, output)
        else:
            return _write_grids(args, layout, first, output)
    return 0


def _first_digit(name: str | None, layout: Layout) -> int | None:
    if name is None:
        return None
    from sudoku.symbols import Symbols

    names = Symbols.default(layout.size).names
    if name not in names:
        raise SudokuError(f"--first {name}: a digit of {layout.name} grids is {_span(names)}")
    return names.index(name) + 1


def _span(names: Sequence[str]) -> str:
    return f"{names[0]} to {names[-1]}"


def _write_grids(
    args: argparse.Namespace, layout: Layout, first: int | None, output: Output
) -> int:
    with starting(output):
        from sudoku.grids.random_numbers import fresh_seed
        from sudoku.shell.writer import Writer, write_pieces

        boxes = layout.box_rows, layout.box_columns
        writer = Writer(output, layout, args.format, args.n or 1)
        if args.index is not None:
            writer.put(grids_at([args.index], boxes, layout.diagonal))
            writer.finish()
            return 0
        seed = fresh_seed() if args.seed is None else args.seed
        pieces: Iterator[Any] = stream_distinct(
            args.n, seed, box=boxes, diagonal=layout.diagonal, first=first
        )
    write_pieces(pieces, args.n, writer, output, Progress(args.quiet, "grids"))
    if args.seed is None and not args.quiet:
        tell(f"seed {seed}")
    return 0


def _write_indices(name: str, box: str | None, diagonal: bool, output: Output) -> None:
    try:
        for numbers in begun(_indices(name, box, diagonal), output):
            output.write("".join(f"{number}\n" for number in numbers).encode(), len(numbers))
    except KeyboardInterrupt:
        tell(f"interrupted after {output.count} grids")
        raise


def _indices(name: str, box: str | None, diagonal: bool) -> Iterator[list[int]]:
    """The numbers of the grids of a file, in pieces."""
    import numpy as np

    from sudoku.errors import FormatError
    from sudoku.grid import Grid
    from sudoku.reading.reader import Reader

    done = 0
    for batch in Reader([name], box=box, diagonal=diagonal):
        layout = batch.layout
        cells = np.frombuffer(batch.values, np.uint8).reshape(-1, layout.cells)
        try:
            yield indices_of(cells, (layout.box_rows, layout.box_columns), diagonal)
        except PuzzleError:
            for k, values in enumerate(cells):
                try:
                    check_complete(Grid(layout, values.astype(np.int16), batch.symbols))
                except PuzzleError as error:
                    raise FormatError(f"grid {done + k + 1}: {error}", name) from None
            raise
        done += len(cells)


if __name__ == "__main__":
    end(main())
