"""One grid: a layout, its cells, and the symbols it is written in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudoku.checks import as_array, as_masks, counted
from sudoku.errors import LayoutError, PuzzleError
from sudoku.layout import Layout, as_layout
from sudoku.symbols import Symbols, digits_of
from sudoku.writing.texts import render, render_candidates


@dataclass(frozen=True, eq=False, repr=False)
class Grid:
    """A puzzle or a solution.

    Two grids are equal if layout and values are. ``str(g)`` is one line, ``format(g, "grid")`` has
    N lines, and ``format(g, "pretty")`` has rules between the boxes. Candidates need symbols of one
    character; with others ``str(g)`` has the values, followed by "with candidates".

    Parameters
    ----------
    layout : Layout
        Shape of the grid.
    values : array_like of int, shape (N, N) or (N*N,)
        0 (or None) for a blank, digits 1 to N. Kept as a read-only int16[N, N].
    symbols : Symbols, str or sequence of str, optional
        Names of the digits, by default ``Symbols.default(N)``.
    candidates : array_like of int, shape (N, N) or (N*N,), optional
        For each cell a mask of the digits that it may have: bit d - 1 for digit d. Solutions have
        no others. Kept as a read-only uint64[N, N]; of a cell with a digit, that digit alone, or
        none if it is not allowed, which is a puzzle without a solution.

    Raises
    ------
    PuzzleError
        If the number of cells is wrong or a value or a mask is out of range.
    LayoutError
        If there are not N symbols.

    Examples
    --------
    >>> g = Grid(Layout(2, 2), [1, 0, 0, 0, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 4])
    >>> g.values[1].tolist(), str(g)
    ([0, 0, 2, 0], '1.....2..3.....4')
    >>> print(format(g, "grid"))
    1...
    ..2.
    .3..
    ...4
    """

    layout: Layout
    values: NDArray[np.int16]
    symbols: Symbols = field(default=None)  # type: ignore[assignment]
    candidates: NDArray[np.uint64] | None = None

    def __post_init__(self) -> None:
        n = as_layout(self.layout).size
        object.__setattr__(self, "symbols", Symbols.of(self.symbols) or Symbols.default(n))
        if self.symbols.size != n:
            number = counted(self.symbols.size, "symbol")
            raise LayoutError(f"{number} for a {self.layout.name} grid, which needs {n}")
        array = as_array(self.values)
        if array.size != n * n:
            cells = counted(array.size, "cell")
            raise PuzzleError(f"{cells}; a {self.layout.name} grid has {n * n}")
        if array.dtype.kind == "O":
            array = np.array([_digit(value, n) for value in array.reshape(-1).tolist()])
        if array.dtype.kind not in "iu":
            raise PuzzleError(f"values of type {array.dtype}; a grid holds integers")
        if array.min() < 0 or array.max() > n:
            cell = int(np.flatnonzero((array < 0) | (array > n))[0])
            value = np.asarray(self.values).reshape(-1)[cell : cell + 1].tolist()[0]
            raise PuzzleError(
                f"value {value!r} in {self.layout.cell_name(cell)}: "
                f"a digit is 1 to {n}, or 0 for a blank"
            )
        values = array.astype(np.int16).reshape(n, n)
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
        if self.candidates is not None:
            object.__setattr__(self, "candidates", as_masks(self.candidates, values))

    @classmethod
    def trusted(
        cls, layout: Layout, digits: bytes, symbols: Symbols, candidates: bytes = b""
    ) -> Grid:
        """Return a grid of N * N bytes that are known to be digits, without the checks.

        `candidates` has the masks as N * N numbers of 8 bytes, unless it is empty.
        """
        grid = cls.__new__(cls)
        values = np.array(np.frombuffer(digits, np.uint8), np.int16).reshape(layout.size, -1)
        values.flags.writeable = False
        masks = np.frombuffer(candidates, np.uint64).reshape(values.shape) if candidates else None
        vars(grid).update(layout=layout, values=values, symbols=symbols, candidates=masks)
        return grid

    @property
    def num_givens(self) -> int:
        """How many cells are not blank."""
        return int(np.count_nonzero(self.values))

    @property
    def digits(self) -> list[int]:
        """The N*N digits by rows, 0 for a blank."""
        digits: list[int] = self.values.reshape(-1).tolist()
        return digits

    @property
    def is_complete(self) -> bool:
        """Whether no cell is blank; the rules are not checked."""
        return self.num_givens == self.layout.cells

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grid):
            return NotImplemented
        same = self.layout == other.layout and bool(np.array_equal(self.values, other.values))
        # without candidates an object array of None is compared, which is equal to itself
        return same and bool(np.array_equal(self.candidates, other.candidates))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash((self.layout, self.values.tobytes()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        for array in (self.values, self.candidates):
            if array is not None:
                array.flags.writeable = False  # pickles and copies do not keep the flag

    def __getitem__(self, place: Any) -> Any:
        return self.values[place]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        array = np.array(self.values, dtype=dtype)
        if copy is False and array.dtype != self.values.dtype:
            raise ValueError(f"the values as {array.dtype} are a copy")
        return self.values if copy is False else array

    def tolist(self) -> list[list[int]]:
        """N lists of N ints."""
        rows: list[list[int]] = self.values.tolist()
        return rows

    def __str__(self) -> str:
        return format(self)

    def __format__(self, spec: str) -> str:
        form = spec or "line"
        if self.candidates is None:
            return render(self.digits, self.layout, self.symbols, form)
        if not spec and not self.symbols.single:  # of `str`, which never raises
            return f"{self.symbols.text(self.digits)} with candidates"
        masks = self.candidates.reshape(-1).tolist()
        return render_candidates(masks, self.layout, self.symbols, form)

    def _repr_svg_(self) -> str:
        from sudoku.writing.picture import Marks, svg

        masks = [] if self.candidates is None else self.candidates.reshape(-1).tolist()
        return svg(self.digits, self.layout, self.symbols, marks=Marks(digits_of(masks)))

    def __repr__(self) -> str:
        return f"Grid({self.layout!r}, {str(self)!r})"


Puzzle = str | bytes | bytearray | Grid | Sequence[Sequence[int | None]] | ArrayLike
"""Argument of most functions: text in any format, a Grid, nested lists or an integer array."""


def _digit(value: object, n: int) -> int:
    """The digit of a value, 0 for None, -1 for anything that is not a digit of an N x N grid."""
    if value is None:
        return 0
    try:
        digit = -1 if isinstance(value, bool | np.bool_) else index(value)  # type: ignore[arg-type]
    except TypeError:
        return -1
    return digit if 0 <= digit <= n else -1
