"""Checks of arguments that many functions make."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from secrets import randbits
from typing import TYPE_CHECKING, Any, TypeVar

from dlx import checks
from dlx.checks import brief
from dlx.errors import ProblemError
from sudoku.errors import PuzzleError, SudokuError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")

MAX_SIZE = 64
"""Largest N: the digits of a cell are a mask of 64 bits."""

MANY_THREADS = 64
"""More threads than this help only on a machine with more cores."""


def at_least(value: object, least: int, name: str) -> int:
    """The value of the argument `name` as an int; SudokuError unless it is an integer >= `least`.

    >>> at_least("2", 1, "jobs")
    Traceback (most recent call last):
    sudoku.errors.SudokuError: jobs is '2'; a whole number from 1 on is needed
    """
    try:
        return checks.at_least(value, least, name)
    except ProblemError:
        expected = f"a whole number from {least} on is needed"
        raise SudokuError(f"{name} is {brief(value)}; {expected}") from None


def threads(jobs: int | str) -> int:
    """The threads for the argument `jobs`: at most MANY_THREADS, or the cores if they are more.

    SudokuError unless it is a number from 1 on or "all", one for each core.

    >>> threads(3), threads("all") >= 1, threads(100_000) < 10_000
    (3, True, True)
    """
    number = None
    with suppress(ProblemError):
        number = checks.as_jobs(jobs)
    if number is None:
        raise SudokuError(f'jobs is {brief(jobs)}; a whole number from 1 on, or "all", is needed')
    return min(number, max(MANY_THREADS, checks.num_cores()))


def chosen_seed(seed: int | None) -> int:
    """The argument `seed` as an int from 0 on, for None a new seed; SudokuError for anything else.

    >>> chosen_seed("one")
    Traceback (most recent call last):
    sudoku.errors.SudokuError: seed is 'one'; a whole number from 0 on is needed
    """
    return randbits(48) if seed is None else at_least(seed, 0, "seed")  # short enough to be typed


def as_flag(value: object, name: str) -> bool:
    """The value of the argument `name` as a bool; SudokuError unless it is one, 0, 1 or None.

    >>> as_flag([True], "diagonal")
    Traceback (most recent call last):
    sudoku.errors.SudokuError: diagonal is [True]; True or False is needed
    """
    return _as_sudoku_error(checks.as_flag, value, name)


def counted(count: int, thing: str) -> str:
    """``1 cell``, ``2 cells``."""
    return f"1 {thing}" if count == 1 else f"{count} {thing}s"


def as_array(grids: Any, bools: bool = False) -> NDArray[Any]:
    """Values of one grid or many as an array; PuzzleError if rows differ in length or are masked.

    Bools among integers in lists give an array of objects, which are not digits, unless `bools`.
    """
    import numpy as np

    rows = grids if isinstance(grids, list | tuple) else ()
    if any(hasattr(one, "filled") for one in (grids, *rows)):  # `asarray` drops the masks
        raise PuzzleError("a masked array; fill it, as grids.filled(0) does with blanks")
    try:
        array = np.asarray(grids)
    except ValueError:
        raise PuzzleError("rows of different lengths; a grid is N rows of N cells") from None
    if rows and not bools and array.dtype.kind in "iu":
        objects = np.asarray(grids, object)
        if not {bool, np.bool_}.isdisjoint(map(type, objects.flat)):
            return objects
    return array


def as_masks(masks: ArrayLike, values: NDArray[np.int16]) -> NDArray[np.uint64]:
    """The candidates of a grid with these values, read-only; PuzzleError if they are invalid."""
    import numpy as np

    array, n = as_array(masks), len(values)
    if array.shape not in ((n, n), (n * n,)):
        cells = counted(array.size, "cell") if array.size != n * n else f"shape {array.shape}"
        raise PuzzleError(f"candidates of {cells}; a {n}x{n} grid has {n * n}, as (N, N) or (N*N,)")
    if array.dtype.kind not in "iu" or array.min() < 0 or int(array.max()) >> n:
        raise PuzzleError(f"candidates are masks of digits: integers from 0 to 2**{n} - 1")
    allowed = np.where(values > 0, np.uint64(1) << (values.astype(np.uint64) - 1), (1 << n) - 1)
    checked = array.astype(np.uint64).reshape(n, n) & allowed.astype(np.uint64)
    checked.flags.writeable = False
    return checked


def as_time_limit(value: float | None) -> float | None:
    """A number of seconds, or None; SudokuError for anything else."""
    return _as_sudoku_error(checks.as_time_limit, value)


def as_path(path: object, name: str) -> str:
    """The path of a file as text; SudokuError for anything else."""
    return _as_sudoku_error(checks.as_path, path, name)


def _as_sudoku_error(check: Callable[..., T], *arguments: object) -> T:
    """The result of a check of `dlx.checks`, whose error becomes a SudokuError."""
    try:
        return check(*arguments)
    except ProblemError as error:
        raise SudokuError(str(error)) from None
