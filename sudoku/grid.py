"""One grid: a layout, its cells, and the symbols it is written in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isqrt
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudoku.errors import PuzzleError
from sudoku.layout import Layout
from sudoku.symbols import Symbols

__all__ = ["Grid", "Puzzle", "grid"]


@dataclass(frozen=True, eq=False, repr=False)
class Grid:
    """A puzzle or a solution.

    Args:
        layout: the shape.
        values: (N, N) or (N*N,) integers, 0 (or None) blank, 1..N digits; kept as a read-only
            int16[N, N].
        symbols: how digits are written; by default ``Symbols.default(N)``.

    Raises:
        PuzzleError: another number of cells, or a value out of range.

    ``str(g)`` is one line; ``format(g, "grid")`` is N lines and ``format(g, "pretty")`` has
    the boxes ruled. Grids are equal if layout and values are.

    >>> g = grid([[1, 0, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]])
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

    def __post_init__(self) -> None:
        n = self.layout.size
        if self.symbols is None:
            object.__setattr__(self, "symbols", Symbols.default(n))
        if self.symbols.size != n:
            raise PuzzleError(f"{self.symbols.size} symbols for a {self.layout.name} grid: {n}")
        given = np.asarray(self.values)
        if given.size != n * n:
            raise PuzzleError(f"{given.size} cells; a {self.layout.name} grid has {n * n}")
        if given.dtype.kind == "O":
            given = np.array([_digit(value, n) for value in given.reshape(-1).tolist()])
        if given.dtype.kind not in "iu":
            raise PuzzleError(f"values of type {given.dtype}; a grid holds integers")
        if given.min() < 0 or given.max() > n:
            cell = int(np.flatnonzero((given < 0) | (given > n))[0])
            value = np.asarray(self.values).reshape(-1)[cell : cell + 1].tolist()[0]
            raise PuzzleError(
                f"value {value!r} in {self.layout.cell_name(cell)}: "
                f"a digit is 1 to {n}, or 0 for a blank"
            )
        values = given.astype(np.int16).reshape(n, n)
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @property
    def num_givens(self) -> int:
        """How many cells are not blank."""
        return int(np.count_nonzero(self.values))

    @property
    def is_complete(self) -> bool:
        """Whether no cell is blank; says nothing on the rules."""
        return self.num_givens == self.layout.cells

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grid):
            return NotImplemented
        return self.layout == other.layout and bool(np.array_equal(self.values, other.values))

    def __hash__(self) -> int:
        return hash((self.layout, self.values.tobytes()))

    def __getitem__(self, place: Any) -> Any:
        return self.values[place]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype)

    def tolist(self) -> list[list[int]]:
        """N lists of N ints."""
        rows: list[list[int]] = self.values.tolist()
        return rows

    def __str__(self) -> str:
        return format(self, "line")

    def __format__(self, spec: str) -> str:
        from sudoku.writing.writer import render

        return render(self.values.reshape(-1).tolist(), self.layout, self.symbols, spec or "line")

    def _repr_svg_(self) -> str:
        from sudoku.writing.picture import svg

        return svg(self)

    def __repr__(self) -> str:
        return f"Grid({self.layout!r}, {str(self)!r})"


Puzzle = str | Grid | Sequence[Sequence[int | None]] | ArrayLike
"""What every function here takes: text in any format, a Grid, nested lists, an integer array."""


def grid(
    puzzle: Puzzle,
    box: str | tuple[int, int] | None = None,
    diagonal: bool = False,
    symbols: Symbols | str | Sequence[str] | None = None,
) -> Grid:
    """Any puzzle as a Grid.

    Args:
        puzzle: text in any format that files may have, one puzzle; N lists of N ints or an
            integer array of shape (N, N) or (N*N,), 0 blank; N texts, or N lists of N symbols;
            or a Grid, which keeps its layout and symbols where nothing else is asked. None in
            a list is a blank, too.
        box: ``"2x3"`` or ``(2, 3)``; see ``Layout.of``.
        diagonal: whether both diagonals are houses.
        symbols: names of the digits; by default found from a text, else ``Symbols.default``.

    Raises:
        PuzzleError: not a grid; FormatError (a PuzzleError) from text.
        LayoutError: a box or symbols that do not fit.

    >>> grid([[1, 0, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]])
    Grid(Layout(2x2), '1.....2..3.....4')
    """
    names = symbols if symbols is None or isinstance(symbols, Symbols) else Symbols.parse(symbols)
    if isinstance(puzzle, str):
        from sudoku.reading.reader import parse

        return parse(puzzle, box=box, diagonal=diagonal, symbols=names)
    if isinstance(puzzle, Grid):
        if box is None and names is None and diagonal in (False, puzzle.layout.diagonal):
            return puzzle
        same = puzzle.layout
        shape = (same.box_rows, same.box_columns) if box is None else box
        layout = Layout.of(same.size, shape, diagonal or same.diagonal)
        return Grid(layout, puzzle.values, names or puzzle.symbols)
    try:
        values = np.asarray(puzzle)
    except ValueError:
        raise PuzzleError("rows of different lengths; a grid is N rows of N cells") from None
    if values.dtype.kind == "O" and any(isinstance(value, str) for value in values.flat):
        texts = ["" if value is None else str(value) for value in values.flat]
        values = np.array(texts).reshape(values.shape)
    if values.dtype.kind == "U" and values.ndim in (1, 2):  # symbols, as rows or cell by cell
        rows = (row if isinstance(row, str) else _written(row) for row in values.tolist())
        return grid("\n".join(rows), box, diagonal, names)
    if values.size and values.dtype.kind not in "iuO":
        raise PuzzleError(f"values of type {values.dtype}; a grid holds integers, 0 for a blank")
    n = isqrt(values.size)
    if n * n != values.size or values.shape not in ((n, n), (n * n,)):
        raise PuzzleError(f"an array of shape {values.shape}; a grid is (N, N) or (N*N,)")
    return Grid(Layout.of(n, box, diagonal), values, names or Symbols.default(n))


def _written(row: list[str]) -> str:
    return " ".join(cell.strip() or "." for cell in row)


def _digit(value: object, n: int) -> int:
    """A value as a digit, None as a blank; -1 for what is neither, a number out of range too."""
    if value is None:
        return 0
    try:
        digit = index(value)  # type: ignore[arg-type]
    except TypeError:
        return -1
    return digit if 0 <= digit <= n and not isinstance(value, bool) else -1
