"""Numbers for all grids of a layout: a bijection between 0 ... total - 1 and the grids.

A number is ``relabelling * num_patterns + pattern``. The *relabelling* is the rank, in
lexicographic order, of the names of the digits: of the first box, read row by row, of 9 x 9
grids, of the first row of smaller ones. The *pattern* numbers the grids that differ in more than
these names. Both fit into 64 bits, which the number itself may not: 9 x 9 grids need 73 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudoku.errors import LayoutError
from sudoku.layout import Layout

Grids = NDArray[np.uint8]
Integers = NDArray[np.int64]

FEW_GRIDS = 200
"""The first FEW_GRIDS 9 x 9 grids of a process are made in plain Python: a grid takes 0.2 ms,
loading the kernel 60 ms, compiling it 2 s."""


class GridNumbers9x9:
    """Boxes of 3 x 3 cells: see `sudoku.grids.rank_9x9`."""

    def __init__(self) -> None:
        from sudoku.grids.band_classes import band_tables

        self._tables = band_tables()
        self._interpreted = 0  # grids so far
        self.num_relabellings = factorial(9)
        self.num_patterns = int(self._tables.pattern_start[-1])

    def grids_of(self, relabelling: Integers, pattern: Integers) -> Grids:
        """Return the grids, uint8[n, N*N], of numbers that are in range, int64[n] each."""
        from sudoku.grids.rank_9x9 import unrank

        # sorted by pattern the kernel takes 0.7 of the time: tables stay in cache
        order = np.argsort(pattern)
        ordered = np.empty((len(pattern), 81), np.uint8)
        self._run(unrank, relabelling[order], pattern[order], ordered)
        grids = np.empty_like(ordered)
        grids[order] = ordered
        return grids

    def numbers_of(self, grids: Grids) -> tuple[Integers, Integers, int]:
        """Return relabellings, patterns, and the index of the first invalid grid, else n."""
        from sudoku.grids.rank_9x9 import rank

        relabelling, pattern = np.zeros((2, len(grids)), np.int64)
        grids = np.require(grids, requirements="W")  # the kernel is compiled for this type only
        return relabelling, pattern, int(self._run(rank, grids, relabelling, pattern))

    def _run(self, kernel: Callable[..., Any], *arrays: NDArray[Any]) -> Any:
        """Call a kernel for some grids: interpreted for the first few of a process."""
        from sudoku.grids.rank_9x9 import INTERPRETED, scratch

        self._interpreted += len(arrays[0])
        call = INTERPRETED[kernel] if self._interpreted <= FEW_GRIDS else kernel
        return call(self._tables, *arrays, scratch())


class ListedGridNumbers:
    """Grids up to 6 x 6: those whose first row is 1 to N are listed in lexicographic order."""

    def __init__(self, layout: Layout) -> None:
        self._size = layout.size
        self._listed = _first_row_ascending(layout)
        self._names = np.array(list(permutations(range(1, self._size + 1))), np.uint8)
        self.num_relabellings = len(self._names)
        self.num_patterns = len(self._listed)

    def grids_of(self, relabelling: Integers, pattern: Integers) -> Grids:
        """Return grids as `GridNumbers9x9.grids_of`."""
        listed = self._listed[pattern] - np.uint8(1)
        return np.take_along_axis(self._names[relabelling], listed, axis=1)

    def numbers_of(self, grids: Grids) -> tuple[Integers, Integers, int]:
        """Return numbers as `GridNumbers9x9.numbers_of`."""
        first = np.ascontiguousarray(grids[:, : self._size])
        relabelling, is_named = _places(self._names, first)
        digits = np.arange(1, self._size + 1, dtype=np.uint8)
        inverse = np.zeros((len(grids), 256), np.uint8)
        np.put_along_axis(inverse, first, digits[None, :], axis=1)
        pattern, is_listed = _places(self._listed, np.take_along_axis(inverse, grids, axis=1))
        valid = is_named & is_listed
        return relabelling, pattern, len(grids) if valid.all() else int(np.argmin(valid))


GridNumbers = GridNumbers9x9 | ListedGridNumbers
"""The numbers of the grids of a layout, whose values are 1 to N."""


@lru_cache(maxsize=8)
def grid_numbers(layout: Layout) -> GridNumbers | None:
    """Return the numbers of the grids of a layout, made at the first call; None if they have none.

    Grids of 9 x 9 with boxes alone have numbers, and those of all layouts up to 6 x 6.

    >>> six = grid_numbers(Layout(2, 3))
    >>> six.num_relabellings * six.num_patterns
    28200960
    >>> grid_numbers(Layout(4, 4)) is None
    True
    """
    if layout == Layout(3, 3):
        return GridNumbers9x9()
    if layout.size <= 6:
        return ListedGridNumbers(layout)
    return None


def existing_grid_numbers(layout: Layout) -> GridNumbers:
    """Return the numbers of the grids of a layout; LayoutError if there are none."""
    numbers = grid_numbers(layout)
    if numbers is None:
        raise LayoutError(
            f"{layout.description} grids have no numbers: "
            "those up to 6x6 have them, and 9x9 with boxes alone"
        )
    if not numbers.num_patterns:
        raise LayoutError(f"there are no {layout.description} grids")
    return numbers


def _places(listed: Grids, rows: Grids) -> tuple[Integers, NDArray[np.bool_]]:
    """Return where rows are in a sorted list of rows without zeros, and whether they are in it."""
    keys, wanted = (array.view(f"S{listed.shape[1]}").ravel() for array in (listed, rows))
    place = np.searchsorted(keys, wanted)
    return place, keys[np.minimum(place, len(keys) - 1)] == wanted


def _first_row_ascending(layout: Layout) -> Grids:
    """Return all grids whose first row is 1 to N, sorted.

    Each partial grid is extended by each permutation of the digits that may stand below all of its
    rows. Sets of permutations are rows of bits.
    """
    n = layout.size
    rows = np.array(list(permutations(range(1, n + 1))), np.uint8)
    chosen = np.zeros((1, 1), np.int16)  # numbers of permutations
    for r in range(1, n):
        below = [_may_stand_below(layout, rows, above, r) for above in range(r)]
        extended = []
        for part in np.array_split(chosen, len(chosen) // 2000 + 1):
            fits = below[0][part[:, 0]]
            for above in range(1, r):
                fits &= below[above][part[:, above]]
            allowed = np.unpackbits(fits, axis=1, count=len(rows)).view(np.bool_)
            # of two dimensions, or of numbers, numpy takes several times as long
            parent, row = np.divmod(np.flatnonzero(allowed), len(rows))
            extended.append(np.column_stack((part[parent], row.astype(np.int16))))
        chosen = np.concatenate(extended)
    return rows[chosen].reshape(-1, layout.cells)


def _may_stand_below(layout: Layout, rows: Grids, above: int, below: int) -> Grids:
    """Return for each permutation as one row, packed, which ones may be another row."""
    n = layout.size
    pairs = {
        (one % n, other % n)
        for _, house in layout.all_houses
        for one in house
        for other in house
        if (one // n, other // n) == (above, below)
    }
    fits = np.ones((len(rows), len(rows)), bool)
    for one, other in sorted(pairs):
        fits &= rows[:, one, None] != rows[:, other]
    return np.packbits(fits, axis=1)
