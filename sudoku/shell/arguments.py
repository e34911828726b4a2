"""Arguments that several commands take."""

from __future__ import annotations

import argparse
import os
import re
import warnings
from collections.abc import Sequence

from dlx.checks import brief, num_cores
from dlx.shell.arguments import Parser, at_least, integer, threads
from dlx.shell.output import print_message
from sudoku.errors import FileError, FormatError, LayoutError
from sudoku.layout import NAMES, Box, Layout, parsed
from sudoku.reading.sources import label_of, whole_text


def whole_number(text: str) -> int:
    """Return an argument as an integer; this is an argparse type."""
    try:
        return integer(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{brief(text)} is not a whole number") from None


def add_work(parser: argparse.ArgumentParser, time_limit: str, default: str = "") -> None:
    """Add ``--time-limit S`` and ``--jobs N``; None if they are not given.

    `time_limit` is the help text of the first, `default` a part of that of the second.
    """
    parser.add_argument("--time-limit", type=at_least(0, float), metavar="S", help=time_limit)
    parser.add_argument(
        "--jobs",
        type=threads,
        metavar="N",
        help=f"number of threads; all: one for each core (default: {default}all, {num_cores()}); "
        "the output does not depend on it",
    )


def add_puzzles(parser: Parser) -> None:
    """Add the puzzle files, how they are read, and what is done with output and bad puzzles."""
    parser.add_argument(
        "files",
        nargs="*",
        default=[],
        metavar="FILE",
        help="files of puzzles; none, or -, for standard input",
    )
    _add_layout(parser, "nearest to a square")
    parser.add_argument(
        "--symbols", metavar="S", help="the N symbols: N characters, or N words between spaces"
    )
    _add_output(parser, "no summary and no progress on standard error")
    parser.add_argument(
        "--skip-bad", action="store_true", help="report bad puzzles and continue without them"
    )


def add_generation(parser: Parser, formats: Sequence[str], unit: str) -> None:
    """Add how grids or puzzles are made and written; `unit` is what is made, in the plural.

    The first of `formats` is the default.
    """
    _add_output(parser, "no seed and no progress on standard error")
    seed = f"the same seed gives the same {unit}; default: a new seed, which is reported"
    parser.add_argument("--seed", type=at_least(0), help=seed)
    _add_layout(parser, "3x3")
    parser.add_argument(
        "--format",
        choices=formats,
        help=f"default: {formats[0]}; several svg pictures go to numbered files",
    )


NO_FILE = "; there is no file of this name either"
"""End of a message on a text that may be meant as the name of a file."""


def add_sheet(parser: argparse.ArgumentParser) -> None:
    """Add ``--sheet RxC``, two numbers."""
    parser.add_argument(
        "--sheet",
        type=_sheet,
        metavar="RxC",
        help="write an HTML page to print: sheets with R rows of C puzzles, their solutions on the "
        "back",
    )


def _sheet(text: str) -> tuple[int, int]:
    """Return ``2x3`` as two numbers; this is an argparse type."""
    rows, _, columns = text.lower().partition("x")
    are_numbers = rows.isdecimal() and columns.isdecimal()
    if not (are_numbers and 0 < integer(rows) * integer(columns) <= 100):
        raise argparse.ArgumentTypeError(
            f"{brief(text)} is not RxC, as 2x3, with at most 100 puzzles"
        )
    return int(rows), int(columns)


def _add_layout(parser: argparse.ArgumentParser, box: str) -> None:
    parser.add_argument("--diagonal", action="store_true", help="both diagonals are houses as well")
    parser.add_argument(
        "--box",
        metavar="RxC",
        help="boxes of R rows by C columns, in grids with R*C rows: 2x3 for grids of 6x6; "
        f"default: {box}",
    )
    parser.add_argument(
        "--layout",
        metavar="NAME[+NAME...]",
        help=f"more houses: {', '.join(NAMES)}; or latin, without boxes",
    )
    parser.add_argument(
        "--regions",
        metavar="FILE|TEXT",
        help="the regions of a jigsaw, in place of boxes: a name of one character for each cell; "
        "in a file, # begins a comment",
    )


def box_of(options: argparse.Namespace) -> Box:
    """The value of ``--box``, ``--layout`` and ``--regions`` together; see `Layout.of`."""
    parts = [part for part in (options.box, options.layout) if part is not None]
    box = "+".join(parts) if parts else None
    if options.regions is None:
        return box
    text, name = text_of(options.regions)
    if name:  # comments become blanks, so that every character stays at its place
        text = re.sub("#.*", lambda comment: " " * len(comment[0]), text)
    try:
        with warnings.catch_warnings(record=True) as doubts:
            warnings.simplefilter("always")
            layout = Layout.of(box=box, regions=text)
    except LayoutError as error:
        if parsed(box)[0] is not None:  # with a box it is wrong, whatever the text is
            raise
        if not name and re.fullmatch(r"\S+\.\w+", text):  # may be meant as a file
            raise FileError(f"{text}: no such file; as a text: {error}") from None
        message = str(error)
        if not name and re.fullmatch(r"[\w-]+", text):  # perhaps, too, without an extension
            message += NO_FILE
        raise LayoutError(_placed(message, error.cell, text, name)) from None
    for doubt in doubts:
        cell = getattr(doubt.message, "cell", None)
        print_message(f"warning: {_placed(str(doubt.message), cell, text, name)}")
    return layout


def _placed(message: str, cell: int | None, text: str, name: str) -> str:
    """Return a message on a cell, a character of a text, with the file's name, line and column."""
    if not name:
        return message
    if cell is None:
        return f"{name}: {message}"
    at = [place for place, character in enumerate(text) if not character.isspace()][cell]
    column = at - text.rfind("\n", 0, at)
    return str(FormatError(message, name, text.count("\n", 0, at) + 1, column))


def text_of(argument: str) -> tuple[str, str]:
    """Return the text and the name of a file; of no file of this name, the argument and ``""``.

    An argument with a separator of folders or a usual extension is a file, and an error if there
    is none; ``-`` is standard input.
    """
    is_file = argument == "-" or os.path.isfile(argument) or os.sep in argument
    is_file |= argument.lower().endswith((".txt", ".csv", ".dat", ".gz", ".xz"))
    return (whole_text(argument), label_of(argument)) if is_file else (argument, "")


def _add_output(parser: Parser, quiet: str) -> None:
    parser.add_output("written to a temporary file, then renamed; ")
    parser.add_argument("--quiet", action="store_true", help=quiet)
