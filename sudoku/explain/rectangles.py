"""Unique rectangles: the only technique that assumes that there is exactly one solution.

Suppose that four blank cells in two rows, two columns and two boxes have no candidates but a and b.
Then a and b can change places in them, and no other cell is affected: there are two solutions. So
candidates that would leave such a rectangle are deleted. (Types 1, 2 and 4 of the usual count.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sudoku.layout import Layout


def rectangle(
    layout: Layout, alive: NDArray[np.bool_]
) -> tuple[Sequence[int], Sequence[int], Sequence[int]] | None:
    """The first unique rectangle that deletes something, for a `dlx.logic.rules.Custom` rule.

    `alive`, bool[cells * N], says which options are left. Returns no options to show, the four
    cells, which are items, and the options to delete.
    """
    n = layout.size
    bits = np.uint64(1) << np.arange(n, dtype=np.uint64)  # bit d - 1 for digit d
    masks = (alive.reshape(layout.cells, n) @ bits).tolist()
    for floor, roof in _places(layout, masks):
        gone = _deleted(layout, masks, masks[floor[0]], roof)
        if gone:
            options = [cell * n + d for cell, m in gone for d in range(n) if m >> d & 1]
            return (), sorted((*floor, *roof)), options
    return None


def _places(layout: Layout, masks: list[int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Rectangles with a and b in all corners: two that have no other candidate, and the others.

    These two, the floor, share a line or are opposite corners; the roof may have more candidates.
    """
    n = layout.size
    pairs = [cell for cell, mask in enumerate(masks) if mask.bit_count() == 2]
    for one in pairs:
        row, column = divmod(one, n)
        both = masks[one]
        for other in [cell for cell in pairs if masks[cell] == both and cell != one]:
            r, c = divmod(other, n)
            if r == row:
                roofs = [(q * n + column, q * n + c) for q in range(n) if q != r]
            elif c == column:
                roofs = [(row * n + q, r * n + q) for q in range(n) if q != c]
            else:
                roofs = [(row * n + c, r * n + column)]
            for roof in roofs:
                has_both = all(masks[cell] & both == both for cell in roof)
                if has_both and _swaps((one, other, *roof), layout.houses_of):
                    yield (one, other), roof


def _swaps(cells: Sequence[int], houses_of: Sequence[frozenset[int]]) -> bool:
    """Whether a and b may change places in the four cells: two or none of them in each house."""
    houses = [house for cell in cells for house in houses_of[cell]]
    if any(houses.count(house) != 2 for house in houses):
        return False
    # two that share no house hold the same digit
    return sum(bool(houses_of[a] & houses_of[b]) for a, b in combinations(cells, 2)) == 4


def _deleted(
    layout: Layout, masks: list[int], both: int, roof: Sequence[int]
) -> list[tuple[int, int]]:
    """Cells and masks of the candidates that a rectangle with this roof rules out."""
    houses_of = layout.houses_of
    extra = [masks[cell] & ~both for cell in roof]
    if not all(extra):
        # type 1: three corners have no other candidate, so the fourth has neither a nor b
        return [(cell, both) for cell, m in zip(roof, extra, strict=True) if m]
    if extra[0] == extra[1] and extra[0].bit_count() == 1:
        # type 2 (5 at opposite corners): one of the two has the extra digit
        seen = [
            cell
            for cell, mask in enumerate(masks)
            if cell not in roof
            and mask & extra[0]
            and all(houses_of[cell] & houses_of[corner] for corner in roof)
        ]
        if seen:
            return [(cell, extra[0]) for cell in seen]
    for house in sorted(houses_of[roof[0]] & houses_of[roof[1]]):
        cells = layout.all_houses[house].cells
        if len(cells) < layout.size:  # it need not have a
            continue
        # type 4: one of the two corners is a, so neither is b
        for bit in (both & -both, both & (both - 1)):
            if not any(masks[cell] & bit for cell in cells if cell not in roof):
                return [(cell, both ^ bit) for cell in roof]
    return []
