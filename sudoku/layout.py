"""Shape of a grid: N, the boxes and the diagonals.

Cells are numbered ``row * N + column`` from 0. A house is a row, a column, a box or a diagonal: N
cells with N different digits. N is the number of cells of a box.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from operator import index
from typing import TYPE_CHECKING

from sudoku.errors import LayoutError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MAX_SIZE", "Layout", "default_box", "parse_box"]

MAX_SIZE = 64
"""Largest N: the digits of a cell are a mask of 64 bits."""


@dataclass(frozen=True)
class Layout:
    """A square grid of boxes.

    Parameters
    ----------
    box_rows, box_columns : int
        Rows and columns of cells in a box, 2 or more each, with 64 cells in a box at most.
    diagonal : bool
        Whether both diagonals are houses.

    Raises
    ------
    LayoutError
        If a side of a box is out of range.

    Examples
    --------
    >>> layout = Layout(2, 3)
    >>> layout.size, layout.cells, layout.houses.shape, layout.house_names[2]
    (6, 36, (18, 6), 'row 3')
    """

    box_rows: int
    box_columns: int
    diagonal: bool = False

    def __post_init__(self) -> None:
        rows, columns = sides = self.box_rows, self.box_columns
        if not all(hasattr(side, "__index__") for side in sides):
            raise LayoutError(f"box sides {rows!r} and {columns!r}: whole numbers are needed")
        if rows < 2 or columns < 2:
            raise LayoutError(f"box {rows}x{columns}: each side of a box is at least 2")
        if rows * columns > MAX_SIZE:
            raise LayoutError(f"box {rows}x{columns}: a box has at most {MAX_SIZE} cells")

    @classmethod
    def of(
        cls, size: int, box: str | tuple[int, int] | None = None, diagonal: bool = False
    ) -> Layout:
        """The layout of a ``size`` x ``size`` grid.

        Parameters
        ----------
        size : int
            N.
        box : str or tuple of int, optional
            Rows and columns of a box, as ``"2x3"`` or ``(2, 3)``; by default `default_box`.
        diagonal : bool
            Whether both diagonals are houses.

        Raises
        ------
        LayoutError
            If N is a prime or out of range, or the box does not fit it.

        Examples
        --------
        >>> Layout.of(9), Layout.of(12, diagonal=True), Layout.of(6, "3x2")
        (Layout(3x3), Layout(3x4, diagonal), Layout(3x2))
        """
        if box is None:
            return cls(*default_box(size), diagonal)
        rows, columns = parse_box(box)
        layout = cls(rows, columns, diagonal)
        if layout.size != size:
            raise LayoutError(
                f"box {rows}x{columns} makes a {layout.name} grid, not {size}x{size}: "
                f"rows times columns of a box must be {size}"
            )
        return layout

    @property
    def size(self) -> int:
        """N."""
        return self.box_rows * self.box_columns

    @property
    def cells(self) -> int:
        """N * N."""
        return self.size * self.size

    @property
    def name(self) -> str:
        """``9x9``."""
        return f"{self.size}x{self.size}"

    def __repr__(self) -> str:
        return f"Layout({self.box_rows}x{self.box_columns}{', diagonal' * self.diagonal})"

    @cached_property
    def houses(self) -> NDArray[np.int32]:
        """The cells of each house, ascending: read-only int32[houses, N].

        Rows, columns, boxes row by row, then the diagonal and the antidiagonal.
        """
        import numpy as np

        n, rows, columns = self.size, self.box_rows, self.box_columns
        cell = np.arange(n * n, dtype=np.int32).reshape(n, n)
        boxes = cell.reshape(columns, rows, rows, columns).swapaxes(1, 2).reshape(n, n)
        parts = [cell, cell.T, boxes]
        if self.diagonal:
            parts += [cell.diagonal()[None], np.fliplr(cell).diagonal()[None]]
        houses = np.ascontiguousarray(np.concatenate(parts))
        houses.flags.writeable = False
        return houses

    @cached_property
    def house_names(self) -> tuple[str, ...]:
        """The name of each house, counted from 1."""
        numbers = range(1, self.size + 1)
        names = [f"{kind} {number}" for kind in ("row", "column", "box") for number in numbers]
        return (*names, "diagonal", "antidiagonal") if self.diagonal else tuple(names)

    def cell_name(self, cell: int) -> str:
        """``r3c5`` for the cell in row 3, column 5.

        >>> Layout(3, 3).cell_name(80)
        'r9c9'
        """
        row, column = divmod(cell, self.size)
        return f"r{row + 1}c{column + 1}"


def parse_box(box: str | tuple[int, int]) -> tuple[int, int]:
    """Rows and columns of a box ``"2x3"`` or ``(2, 3)``; LayoutError for anything else."""
    if isinstance(box, str):
        match = re.fullmatch(r"\s*(\d{1,4})\s*[xX×*]\s*(\d{1,4})\s*", box)
        if match is None:
            raise LayoutError(f"box {box!r}: a box is written RxC, as 2x3")
        return int(match[1]), int(match[2])
    try:
        rows, columns = map(index, box)
    except (TypeError, ValueError):  # not iterable or not of integers, or not two
        raise LayoutError(f"box {box!r}: a box is 'RxC' or two integers, as (2, 3)") from None
    return rows, columns


def default_box(size: int) -> tuple[int, int]:
    """Rows and columns of the box nearest to a square, with no more rows than columns.

    LayoutError if N is below 4, above 64 or a prime.

    >>> [default_box(size) for size in (4, 6, 8, 10, 12, 25)]
    [(2, 2), (2, 3), (2, 4), (2, 5), (3, 4), (5, 5)]
    """
    if not 4 <= size <= MAX_SIZE:
        raise LayoutError(f"a {size}x{size} grid: N is from 4 to {MAX_SIZE}")
    for rows in range(isqrt(size), 1, -1):
        if size % rows == 0:
            return rows, size // rows
    raise LayoutError(f"a {size}x{size} grid has no boxes: {size} is a prime")
