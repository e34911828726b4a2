"""The arguments that commands share.

A wrong one is told in one line, before anything heavy is imported.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from dlx import __version__
from sudoku.shell.command import BAD_INPUT
from sudoku.solving.threads import default_jobs

__all__ = [
    "Parser",
    "add_handling",
    "add_jobs",
    "add_making",
    "add_puzzles",
    "at_least",
    "integer",
]


class Parser(argparse.ArgumentParser):
    """Arguments; a wrong one is told in one line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.add_argument("--version", action="version", version=f"%(prog)s {__version__}")

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see --help\n")


def at_least(least: float, kind: type = int) -> Callable[[str], float]:
    """An argparse type: a number not below ``least``."""

    def number(text: str) -> float:
        try:
            value: float = kind(text)
        except ValueError:
            value = float("nan")
        if not value >= least:
            name = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text!r}: {name} from {least} on is needed")
        return value

    return number


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """``--jobs N``."""
    parser.add_argument(
        "--jobs",
        type=at_least(1),
        default=default_jobs(),
        metavar="N",
        help="threads (default: the cores, %(default)s); the output is the same for any number",
    )


def integer(text: str) -> int:
    """An argparse type: any whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number is needed") from None


def add_puzzles(parser: argparse.ArgumentParser) -> None:
    """Which files to read, and how they are to be understood; see ``Puzzles``."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="- or none: standard input")
    parser.add_argument("--diagonal", action="store_true", help="both diagonals are houses, too")
    parser.add_argument("--box", metavar="RxC", help="boxes of R rows by C columns")
    parser.add_argument(
        "--symbols", metavar="S", help="the N symbols, as characters or as words apart by blanks"
    )


def add_handling(parser: argparse.ArgumentParser) -> None:
    """Where the answers go, and what is told beside them."""
    parser.add_argument("-o", "--output", metavar="FILE", help="written beside, then renamed")
    parser.add_argument("--skip-bad", action="store_true", help="go on without bad puzzles")
    parser.add_argument("--quiet", action="store_true", help="no summary, no progress")


def add_making(parser: argparse.ArgumentParser, formats: Sequence[str], seed: str) -> None:
    """How grids or puzzles are made and written.

    Args:
        formats: the default first.
        seed: what is said of ``--seed``.
    """
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument("--seed", type=integer, help=seed)
    parser.add_argument("--box", metavar="RxC", help="R rows by C columns; default: 3x3")
    parser.add_argument("--diagonal", action="store_true", help="diagonals hold every digit")
    parser.add_argument(
        "--format",
        choices=formats,
        default=formats[0],
        help="default: %(default)s; of several svg pictures each goes to a file of its own, "
        "numbered",
    )
    parser.add_argument("--quiet", action="store_true", help="nothing on standard error")
