"""Numbers for all grids of a layout: a bijection between 0 ... total - 1 and the grids.

A number is ``label * rests + rest``. The label is the rank, in lexicographic order, of what the
digits are called: of the first box, read row by row, on 9 x 9 grids, of the first row on
smaller ones. The rest numbers the grids that can be had without renaming digits. Both fit a
64-bit integer where the number itself may not: 9 x 9 grids need 73 bits.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from math import factorial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sudoku.errors import LayoutError
from sudoku.layout import Layout

Grids = NDArray[np.uint8]
Integers = NDArray[np.int64]


class Numbering(Protocol):
    """What the numbering of a layout offers; digits are 1 to N."""

    labels: int
    rests: int

    def at(self, label: Integers, rest: Integers) -> Grids:
        """The grids, uint8[n, cells], of numbers in range, int64[n] each."""

    def of(self, grids: Grids) -> tuple[Integers, Integers, int]:
        """Labels and rests of grids, and how many were grids before the first that is none."""


class _Nine:
    """The 3 x 3 boxes: see :mod:`sudoku.grids.ranking`."""

    def __init__(self) -> None:
        from sudoku.grids.bands import bands

        self.tables = bands()
        self.labels = factorial(9)
        self.rests = int(self.tables.start[-1])

    def at(self, label: Integers, rest: Integers) -> Grids:
        from sudoku.grids.ranking import unrank

        # in order of the rest, tables stay in cache and branches go the same way: 1.4 x as fast
        order = np.argsort(rest)
        ordered = np.empty((len(label), 81), np.uint8)
        unrank(self.tables, label[order], rest[order], ordered)
        grids = np.empty_like(ordered)
        grids[order] = ordered
        return grids

    def of(self, grids: Grids) -> tuple[Integers, Integers, int]:
        from sudoku.grids.ranking import rank

        label, rest = np.zeros(len(grids), np.int64), np.zeros(len(grids), np.int64)
        return label, rest, int(rank(self.tables, grids, label, rest))


class _Listed:
    """Few enough grids to list those whose first row is 1 to N, in lexicographic order."""

    def __init__(self, layout: Layout) -> None:
        self.size = layout.size
        self.listed = _first_row_ascending(layout)
        self.keys = self.listed.view(f"S{layout.cells}").ravel()
        self.names = np.array(list(permutations(range(1, self.size + 1))), np.uint8)
        self.labels = len(self.names)
        self.rests = len(self.listed)

    def at(self, label: Integers, rest: Integers) -> Grids:
        return np.take_along_axis(self.names[label], self.listed[rest] - np.uint8(1), axis=1)

    def of(self, grids: Grids) -> tuple[Integers, Integers, int]:
        first = grids[:, : self.size]
        digits = np.arange(1, self.size + 1)
        good = (np.sort(first, axis=1) == digits).all(axis=1)
        label = np.zeros(len(grids), np.int64)
        for place in range(self.size):
            smaller = (first[:, place + 1 :] < first[:, [place]]).sum(axis=1)
            label += smaller * factorial(self.size - 1 - place)
        inverse = np.zeros((len(grids), 256), np.uint8)
        np.put_along_axis(inverse, first, digits.astype(np.uint8)[None, :], axis=1)
        keys = np.take_along_axis(inverse, grids, axis=1).view(self.keys.dtype).ravel()
        rest = np.searchsorted(self.keys, keys)
        good &= self.keys[np.minimum(rest, self.rests - 1)] == keys
        return label, rest, int(np.argmin(good)) if not good.all() else len(grids)


def _first_row_ascending(layout: Layout) -> Grids:
    """All grids whose first row is 1 to N, sorted: row by row, each grid times each row."""
    n = layout.size
    rows = np.array(list(permutations(range(1, n + 1))), np.uint8)
    clash = [[] for _ in range(layout.cells)]  # type: list[list[int]]
    for house in layout.houses[n:]:
        for i, cell in enumerate(house):
            clash[cell] += [int(other) for other in house[:i] if other // n < cell // n]
            clash[cell] += [int(other) for other in house[i + 1 :] if other // n < cell // n]
    for house in layout.houses[n:]:
        # two cells of one row that share a box always differ
        assert len(set(house.tolist())) == n
    grids = rows[:1]
    for r in range(1, n):
        found = []
        for part in np.array_split(grids, len(grids) // 2000 + 1):
            fits = np.ones((len(part), len(rows)), bool)
            for c in range(n):
                for other in sorted(set(clash[r * n + c])):
                    fits &= part[:, other, None] != rows[:, c]
            which, row = np.nonzero(fits)
            found.append(np.concatenate((part[which], rows[row]), axis=1))
        grids = np.concatenate(found)
    return np.ascontiguousarray(grids)


@lru_cache(maxsize=8)
def numbering(layout: Layout) -> Numbering | None:
    """The numbering of a layout, made at first use and kept; None where there is none.

    There is one for 9 x 9 without diagonals, and for 4 x 4 and 6 x 6 with and without.

    >>> six = numbering(Layout(2, 3))
    >>> six.labels * six.rests
    28200960
    >>> numbering(Layout(4, 4)) is None
    True
    """
    if layout == Layout(3, 3):
        return _Nine()
    if layout.size <= 6:
        return _Listed(layout)
    return None


def required(layout: Layout) -> Numbering:
    """The numbering of a layout.

    Raises:
        LayoutError: it has none.
    """
    found = numbering(layout)
    if found is None:
        raise LayoutError(
            f"{layout.name} grids{' with diagonals' * layout.diagonal} have no numbers: "
            "4x4 and 6x6 have them, and 9x9 without diagonals"
        )
    return found
