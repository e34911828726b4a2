"""Exceptions raised by sudoku.

::

    SudokuError
    |-- LayoutError (ValueError)      boxes that do not fit, symbols that are not N distinct names
    |-- PuzzleError (ValueError)      not a grid: a wrong length, an unknown symbol, a value above N
    |   `-- FormatError               the same in a text, with source, line and column
    `-- FileError (OSError)           a file that cannot be read or written

A puzzle that breaks a rule of the game (two fives in a row) raises none of these: it is a puzzle
without a solution, and `sudoku.why` gives the reason. `RegionWarning` is a UserWarning.
"""

from __future__ import annotations

from typing import Any


class SudokuError(Exception):
    """Any error of this package; the message is one line for the user."""


class LayoutError(SudokuError, ValueError):
    """No grid can have this shape or these symbols.

    `cell` is the number of the cell whose region is wrong, where that is known.
    """

    def __init__(self, message: str, cell: int | None = None) -> None:
        self.cell = cell
        super().__init__(message)


class RegionWarning(UserWarning):
    """A region is not connected: its cell `cell` is not connected to its first cell."""

    def __init__(self, message: str, cell: int | None = None) -> None:
        self.cell = cell
        super().__init__(message)


class PuzzleError(SudokuError, ValueError):
    """The argument is not a puzzle of the layout."""


class FormatError(PuzzleError):
    """A text is not a puzzle.

    Parameters
    ----------
    reason : str
        What is wrong and what would be right, without the place.
    source : str
        Name of the file.
    line, column : int
        Place of the fault, from 1; 0 if it concerns the whole file or line.

    Examples
    --------
    >>> print(FormatError("80 cells; a 9x9 puzzle has 81", source="a.txt", line=7))
    a.txt:7: 80 cells; a 9x9 puzzle has 81
    """

    def __init__(self, reason: str, source: str = "<text>", line: int = 0, column: int = 0) -> None:
        self.reason, self.source, self.line, self.column = reason, source, line, column
        place = f"{source}:{line}" if line else source
        super().__init__(f"{place}:{column}: {reason}" if column else f"{place}: {reason}")

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = self.reason, self.source, self.line, self.column
        return type(self), arguments, vars(self)


class FileError(SudokuError, OSError):
    """A file cannot be read or written; the message names it and gives the reason."""
