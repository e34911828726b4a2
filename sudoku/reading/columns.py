"""Columns of a CSV file, and which of them has the puzzle."""

from __future__ import annotations

import csv
import re

__all__ = ["Columns", "unquoted"]

_DELIMITERS = ",;\t"
_HEADINGS = ("puzzle", "puzzles", "quiz", "quizzes", "sudoku", "grid", "givens", "question")
_QUOTED = re.compile(r'\s*"([^"]*)"')


class Columns:
    """The columns under a line of headings, apart by what the headings are apart by.

    Attributes:
        delimiter: a comma, a semicolon or a tab.
        column: the one headed ``puzzle`` or the like, else the first, from 0.

    >>> columns = Columns("n;puzzle")
    >>> columns.are_in('1;"53.."'), columns.puzzle('1;"53.."')
    (True, ('53..', 3))
    """

    def __init__(self, headings: str) -> None:
        self.delimiter = next((mark for mark in _DELIMITERS if mark in headings), ",")
        names = [name.strip().lower() for name in self._fields(headings)]
        self.column = next((names.index(name) for name in _HEADINGS if name in names), 0)

    def are_in(self, line: str) -> bool:
        """Whether a line has columns, or is one that is quoted."""
        return len(self._fields(line)) > 1 or line.lstrip().startswith('"')

    def puzzle(self, line: str) -> tuple[str, int]:
        """The field of the puzzle, without quotes, and where it begins."""
        fields = self._fields(line)
        text = fields[self.column] if self.column < len(fields) else ""
        return text, max(line.find(text), 0)

    def _fields(self, line: str) -> list[str]:
        try:
            return next(csv.reader([line], delimiter=self.delimiter, skipinitialspace=True))
        except csv.Error:  # no puzzle is as long as a field that it does not take
            return [line]


def unquoted(line: str) -> str:
    """The quoted field that a line begins with, each character in its place; else the line.

    >>> unquoted(' "53..", "a"'), unquoted("53..,a")
    ('  53..', '53..,a')
    """
    quoted = _QUOTED.match(line)
    return line[: quoted.end(1)].replace('"', " ") if quoted else line
