"""Checks of arguments that many functions make."""

from __future__ import annotations

from operator import index

from dlx.checks import brief
from sudoku.errors import SudokuError


def whole(name: str, value: object, least: int) -> int:
    """The value of the argument `name` as an int; SudokuError unless it is an integer >= `least`.

    >>> whole("jobs", "2", 1)
    Traceback (most recent call last):
    sudoku.errors.SudokuError: jobs is '2'; a whole number from 1 on is needed
    """
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if number < least:
        raise SudokuError(f"{name} is {brief(value)}; a whole number from {least} on is needed")
    return number
