"""Unique rectangles: the one technique that takes it for granted that there is one solution.

Four blank cells in two rows, two columns and two boxes that hold only a and b could be filled in
two ways, and no other cell would notice. So a puzzle with one solution never comes to this, and
what would lead there can go. (Types 1, 2 and 4 of the usual count.)
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sudoku.layout import Layout


def rectangle(layout: Layout, alive: NDArray[np.bool_], rung: int, log: NDArray[np.int32]) -> int:
    """Log the first unique rectangle that deletes something; 4, or 0 if there is none.

    alive -- bool[cells, N], the candidates.
    log -- gets one record as `dlx.logic.state.records` reads it: the four cells as base items, and
        the deleted options.
    """
    n = layout.size
    masks = [int(m) for m in (alive * (1 << np.arange(n, dtype=object))).sum(axis=1)]
    houses_of: list[set[int]] = [set() for _ in range(layout.cells)]
    for house, members in enumerate(layout.houses.tolist()):
        for cell in members:
            houses_of[cell].add(house)
    pairs = [cell for cell, mask in enumerate(masks) if mask.bit_count() == 2]
    for one in pairs:
        row, column = divmod(one, n)
        both = masks[one]
        for other in pairs:
            if masks[other] != both or other == one:
                continue
            # floor: one and other, in a line or at opposite corners; the roof may hold more
            r, c = divmod(other, n)
            if r == row:
                corners = [[q * n + column, q * n + c] for q in range(n) if q != r]
            elif c == column:
                corners = [[row * n + q, r * n + q] for q in range(n) if q != c]
            else:
                corners = [[row * n + c, r * n + column]]
            for roof in corners:
                if any(masks[cell] & both != both for cell in roof):
                    continue
                cells = (one, other, *roof)
                if not _swaps(cells, houses_of):
                    continue
                gone = _deleted(masks, both, roof, houses_of, layout.houses)
                if gone:
                    options = [cell * n + d for cell, m in gone for d in range(n) if m >> d & 1]
                    record = [rung, one, -1, 4, 0, 0, len(options), *sorted(cells), *options]
                    log[: len(record) + 1] = [len(record) + 1, *record]
                    return 4
    return 0


def _swaps(cells: tuple[int, ...], houses_of: list[set[int]]) -> bool:
    """Whether a and b may change places in the four cells: two or none of them in each house."""
    houses = [house for cell in cells for house in houses_of[cell]]
    if any(houses.count(house) != 2 for house in houses):
        return False
    # two that share no house hold the same digit
    return sum(bool(houses_of[a] & houses_of[b]) for a, b in combinations(cells, 2)) == 4


def _deleted(
    masks: list[int],
    both: int,
    roof: list[int],
    houses_of: list[set[int]],
    houses: NDArray[np.int32],
) -> list[tuple[int, int]]:
    """Cells and masks of candidates that a rectangle with this roof rules out."""
    extra = [masks[cell] & ~both for cell in roof]
    if not all(extra):
        # type 1: one corner alone keeps the four from being deadly
        return [(cell, both) for cell, m in zip(roof, extra, strict=True) if m]
    shared = houses_of[roof[0]] & houses_of[roof[1]]
    if extra[0] == extra[1] and extra[0].bit_count() == 1:
        # type 2 (5 at opposite corners): one of the two is the extra digit
        seen = [
            cell
            for cell, mask in enumerate(masks)
            if cell not in roof
            and mask & extra[0]
            and all(houses_of[cell] & houses_of[corner] for corner in roof)
        ]
        if seen:
            return [(cell, extra[0]) for cell in seen]
    for house in sorted(shared):
        # type 4: one of the two corners is a, so neither is b
        for bit in (both & -both, both & (both - 1)):
            others = [cell for cell in houses[house].tolist() if cell not in roof]
            if not any(masks[cell] & bit for cell in others):
                return [(cell, both ^ bit) for cell in roof]
    return []
