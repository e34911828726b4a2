"""Parse the arguments of commands; report a wrong argument in one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from dlx.checks import brief, num_cores
from dlx.shell.command import BAD_INPUT
from dlx.shell.output import one_line


class Parser(argparse.ArgumentParser):
    """An argument parser with ``--version``, whose errors are one line and exit status 2.

    Parameters
    ----------
    **settings
        As for ``argparse.ArgumentParser``.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        version = sys.modules["dlx"].__version__  # importing dlx here would be a circle
        self.add_argument("--version", action="version", version=f"%(prog)s {version}")

    def error(self, message: str) -> NoReturn:
        """Write one line to standard error and raise SystemExit(2)."""
        if message.endswith(": expected one argument"):
            message += "; if it begins with -, write = before it"
        self.exit(BAD_INPUT, f"{self.prog}: {one_line(message)}; see --help\n")

    def add_output(self, how: str = "") -> None:
        """Add ``-o FILE``; its help text begins with `how`, by what way it is written."""
        self.add_argument(
            "-o",
            "--output",
            metavar="FILE",
            help=f"{how}compressed if its name ends with .gz or .xz; default: standard output",
        )

    def parse_with_files(self, arguments: Sequence[str] | None) -> argparse.Namespace:
        """Return the arguments of a command whose `files` may stand before and after options."""
        options, words = self.parse_known_args(arguments)
        if any(word.startswith("-") and word != "-" for word in words):
            self.error(f"unrecognized arguments: {' '.join(words)}")
        options.files += words
        return options

    def refuse(self, options: argparse.Namespace, task: str, ignored: Iterable[str]) -> None:
        """Report the first option that was given although a task ignores it.

        Parameters
        ----------
        options : argparse.Namespace
            The parsed arguments.
        task : str
            The task as the user writes it, such as ``--count``.
        ignored : iterable of str
            Options such as ``--seed``. One counts as given if its value differs from its default.
        """
        for option in ignored:
            name = option.lstrip("-").replace("-", "_").lower()
            if getattr(options, name) != self.get_default(name):
                self.error(f"{option} has no effect with {task}")


def integer(text: str) -> int:
    """Return a text as an integer; ValueError for any other text, such as ``1_0``.

    Raises
    ------
    argparse.ArgumentTypeError
        It has more digits than Python converts.
    """
    try:
        return int(text.replace("_", "x"))  # Python takes it for 10
    except ValueError:
        if text.lstrip("+-").isdecimal():
            most = sys.get_int_max_str_digits()
            fault = f"numbers may have at most {most} digits; this one has {len(text)}"
            raise argparse.ArgumentTypeError(fault) from None
        raise


def threads(text: str) -> int:
    """Return a number of threads from a text: a number, or ``all`` for one for each core."""
    if text == "all":
        return num_cores()
    if not (text.isascii() and text.isdigit() and integer(text) > 0):
        raise argparse.ArgumentTypeError(f"{brief(text)} is not a number from 1 on, nor all")
    return int(text)


def at_least(least: float, kind: type = int) -> Callable[[str], float]:
    """Return an argparse type: a number of at least `least`.

    Parameters
    ----------
    least : float
        The lowest number that is accepted.
    kind : type
        ``int`` for whole numbers only, ``float`` for all numbers.
    """

    def number(text: str) -> float:
        try:
            value: float = integer(text) if kind is int else kind(text.replace("_", "x"))
        except ValueError:
            value = float("nan")
        if not value >= least:
            name = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{brief(text)} is not {name} of at least {least}")
        return value

    return number
