"""What can go wrong with grids, in one tree.

::

    SudokuError
    |-- LayoutError (ValueError)      boxes that do not fit, symbols that are not N distinct names
    |-- PuzzleError (ValueError)      not a grid: a wrong length, an unknown symbol, a value above N
    |   `-- FormatError               the same in a text: knows source, line and column
    `-- FileError (OSError)           a file that cannot be read or written

A puzzle that breaks a rule of the game (two fives in a row) is none of these: it is a puzzle
without a solution, and ``sudoku.why`` says why.
"""

from __future__ import annotations

__all__ = ["FileError", "FormatError", "LayoutError", "PuzzleError", "SudokuError"]


class SudokuError(Exception):
    """Anything that this package refuses; its text is one line for the user."""


class LayoutError(SudokuError, ValueError):
    """No grid can have this shape or these symbols."""


class PuzzleError(SudokuError, ValueError):
    """What was given is not a puzzle of the layout."""


class FormatError(PuzzleError):
    """A text that is not a puzzle.

    Attributes:
        source: name of the file, or ``"<text>"``.
        line, column: where, counted from 1; 0 when it concerns the whole.
        reason: what is wrong and what would be right, without the place.

    >>> print(FormatError("80 cells; a 9x9 puzzle has 81", source="a.txt", line=7))
    a.txt:7: 80 cells; a 9x9 puzzle has 81
    """

    def __init__(self, reason: str, source: str = "<text>", line: int = 0, column: int = 0) -> None:
        self.reason, self.source, self.line, self.column = reason, source, line, column
        place = source
        if line:
            place += f":{line}"
            if column:
                place += f":{column}"
        super().__init__(f"{place}: {reason}")


class FileError(SudokuError, OSError):
    """A file that cannot be read or written; says which and why."""
