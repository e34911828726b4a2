"""Patterns of givens: groups of cells that a symmetry of the square maps to each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudoku.layout import Layout

Move = Callable[[int, int, int], tuple[int, int]]
"""Row, column and the number of the last row, to the row and column of the image."""


def _quarter_turn(row: int, column: int, last: int) -> tuple[int, int]:
    return column, last - row


def _transpose(row: int, column: int, last: int) -> tuple[int, int]:
    return column, row


SYMMETRIES: dict[str, tuple[Move, ...]] = {
    "none": (),
    "rotate180": (lambda row, column, last: (last - row, last - column),),
    "rotate90": (_quarter_turn,),
    "mirror": (lambda row, column, last: (row, last - column),),
    "diagonal": (_transpose,),
    "full": (_quarter_turn, _transpose),
}
"""Names of symmetries, and moves of the square that generate each."""


class Groups(NamedTuple):
    """Groups of cells of which all are given or none."""

    group_of: NDArray[np.int64]  # [cells]: number of each cell's group
    size: NDArray[np.int64]  # [groups]: number of cells of each group


def orbits(size: int, symmetry: str) -> list[list[int]]:
    """Return the cells of an N x N grid in groups that a symmetry maps to each other.

    >>> orbits(4, "rotate90")[:2]
    [[0, 3, 12, 15], [1, 7, 8, 14]]
    """
    seen: set[int] = set()
    groups = []
    for cell in range(size * size):
        if cell in seen:
            continue
        group = [cell]
        for member in group:
            for move in SYMMETRIES[symmetry]:
                row, column = move(*divmod(member, size), size - 1)
                if (image := row * size + column) not in group:
                    group.append(image)
        seen.update(group)
        groups.append(sorted(group))
    return groups


def groups_of(layout: Layout, symmetry: str) -> Groups:
    """Return the groups of a symmetry as arrays."""
    import numpy as np

    groups = orbits(layout.size, symmetry)
    group_of = np.empty(layout.cells, np.int64)
    for number, cells in enumerate(groups):
        group_of[cells] = number
    return Groups(group_of, np.array([len(cells) for cells in groups]))
