"""The command ``python -m sudoku.grids``: distinct complete grids, their number, their indices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dlx.shell.command import end_process, run_command
from sudoku.errors import FormatError, PuzzleError, SudokuError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from dlx.shell.arguments import Parser
    from sudoku.layout import Box, Layout


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process); return its status."""
    return run_command(lambda: _command(arguments), SudokuError)


def _command(arguments: Sequence[str] | None) -> int:
    from sudoku.grids import check_size, layout_of
    from sudoku.shell.arguments import box_of

    parser = _parser()
    options = parser.parse_args(arguments)
    _refuse(parser, options)
    box = box_of(options)  # once: it may read standard input, and warns of regions
    layout = layout_of(box, options.diagonal)
    if options.n is not None:
        check_size(layout)
        _write_distinct(layout, options)
    elif options.index_of is not None:
        _write_indices(box, options)
    else:
        _write_one(layout, options)
    return 0


def _refuse(parser: Parser, options: argparse.Namespace) -> None:
    """Report options that exclude each other or have no effect."""
    task = "--count" if options.count else "--index-of" if options.index_of is not None else ""
    if task:
        parser.refuse(options, task, ["--format"])
    task = task or ("--index" if options.index is not None else "")
    if bool(task) == (options.n is not None):
        parser.error("give either N, or --count, --index or --index-of")
    if task:
        parser.refuse(options, task, ["--first", "--seed"])


def _parser() -> Parser:
    from dlx.shell.arguments import Parser, at_least
    from sudoku.shell.arguments import add_generation, whole_number
    from sudoku.writing.texts import FORMS

    parser = Parser(
        prog="python -m sudoku.grids",
        description="Write N distinct complete grids, or answer a question about complete grids.",
        epilog="Grids up to 36x36. 9x9 grids with boxes alone and all grids up to 6x6 have numbers "
        "and are drawn with equal probability. Others come from search, and their probabilities "
        "differ. Exit status: 0, 2 for bad input or usage, 130 for Ctrl-C, 143 for SIGTERM.",
    )
    parser.add_argument("n", nargs="?", metavar="N", type=at_least(1), help="how many grids")
    add_generation(parser, (*FORMS, "svg"), "grids")
    parser.add_argument("--first", metavar="D", help="digit in the first cell of all grids")
    actions = parser.add_mutually_exclusive_group()
    actions.add_argument(
        "--count",
        action="store_true",
        help="print how many grids there are; some 15 seconds for boxes of 2x5 cells",
    )
    actions.add_argument(
        "--index", metavar="I", type=whole_number, help="print the grid with this number, from 0"
    )
    actions.add_argument(
        "--index-of",
        metavar="FILE",
        help="print the number of each grid of a file; its size and boxes are recognised unless "
        "--box is given",
    )
    return parser


def _write_one(layout: Layout, options: argparse.Namespace) -> None:
    """Write the number of all grids, or the grid of a number."""
    from sudoku.grids import count_grids_of, grids_at
    from sudoku.shell.output import Output, write_grids

    with Output(options.output) as output, output.exit_on_interrupt():
        if options.count:
            output.write(b"%d\n" % count_grids_of(layout))
        else:
            grids = grids_at([options.index], layout)
            write_grids(output, grids, layout, options.format or "line")


def _write_distinct(layout: Layout, options: argparse.Namespace) -> None:
    """Write N distinct grids."""
    from sudoku.grids import stream_distinct
    from sudoku.shell.output import write_made

    first = None if options.first is None else _digit(options.first, layout)
    make = partial(stream_distinct, options.n, box=layout, first=first)
    write_made(make, layout, options, "grids")


def _digit(name: str, layout: Layout) -> int:
    """Return the digit that the default symbols of a layout write like this."""
    from sudoku.symbols import Symbols

    names = Symbols.default(layout.size).names
    if name not in names:
        digits = f"a digit of {layout.name} grids is {names[0]} to {names[-1]}"
        raise SudokuError(f"--first {name or repr(name)}: {digits}")
    return names.index(name) + 1


def _write_indices(box: Box, options: argparse.Namespace) -> None:
    """Write the numbers of the grids of a file."""
    from dlx.shell.output import print_message
    from sudoku.shell.output import Output, with_first

    with Output(options.output) as output:
        try:
            for numbers in with_first(_indices(box, options), output):
                output.write("".join(f"{number}\n" for number in numbers).encode(), len(numbers))
        except KeyboardInterrupt:
            print_message(f"interrupted after {output.count} grids")
            raise


def _indices(box: Box, options: argparse.Namespace) -> Iterator[list[int]]:
    """Yield the numbers of the grids of a file, in pieces."""
    import numpy as np

    from sudoku.grids import check_complete, indices_of
    from sudoku.reading.convert import grids_of
    from sudoku.reading.reader import Reader

    for batch in Reader([options.index_of], box=box, diagonal=options.diagonal):
        cells = np.frombuffer(batch.values, np.uint8).reshape(-1, batch.layout.cells)
        try:
            yield indices_of(cells, batch.layout)
        except PuzzleError:
            # the message has the file and the line of the grid, and its digits by their symbols
            for line, grid in zip(batch.lines, grids_of(batch), strict=True):
                try:
                    check_complete(grid)
                except PuzzleError as error:
                    raise FormatError(str(error), batch.source, line) from None
            raise


if __name__ == "__main__":
    end_process(main())
