"""Patterns of givens: groups of cells that a symmetry of the square maps to each other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudoku.layout import Layout

SYMMETRIES: dict[str, Callable[[int, int, int, int], list[tuple[int, int]]]] = {
    "none": lambda r, c, s, d: [(r, c)],
    "rotate180": lambda r, c, s, d: [(r, c), (s, d)],
    "rotate90": lambda r, c, s, d: [(r, c), (c, s), (s, d), (d, r)],
    "mirror": lambda r, c, s, d: [(r, c), (r, d)],
    "diagonal": lambda r, c, s, d: [(r, c), (c, r)],
    "full": lambda r, c, s, d: [*product((r, s), (c, d)), *product((c, d), (r, s))],
}
"""The images, as row and column, of a cell in row r, column c, under each symmetry; counted from
the last row and the last column on, the cell is in row s, column d."""


class Groups(NamedTuple):
    """Groups of cells of which all are given or none."""

    group_of: NDArray[np.int64]  # [cells]: number of each cell's group
    size: NDArray[np.int64]  # [groups]: number of cells of each group


def orbits(size: int, symmetry: str) -> list[list[int]]:
    """Return the cells of an N x N grid in groups that a symmetry maps to each other.

    >>> orbits(4, "rotate90")[:2]
    [[0, 3, 12, 15], [1, 7, 8, 14]]
    """
    groups: dict[tuple[int, int], list[int]] = {}
    for cell in range(size * size):
        row, column = divmod(cell, size)
        images = SYMMETRIES[symmetry](row, column, size - 1 - row, size - 1 - column)
        groups.setdefault(min(images), []).append(cell)
    return list(groups.values())


def groups_of(layout: Layout, symmetry: str) -> Groups:
    """Return the groups of a symmetry as arrays."""
    import numpy as np

    groups = orbits(layout.size, symmetry)
    group_of = np.empty(layout.cells, np.int64)
    for number, cells in enumerate(groups):
        group_of[cells] = number
    return Groups(group_of, np.array([len(cells) for cells in groups]))
