"""Random complete grids where there is no numbering: from search with random branching.

Each grid is the first one that ``masks`` finds from an empty grid, with random weights on
what to branch on; then digits, and rows and columns as far as the layout allows, are shuffled.
A search that goes astray is given up for one with other weights. Every grid can appear as far
as we know, but not all are equally likely.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudoku.errors import SudokuError
from sudoku.grids.random_numbers import Words, key_of, words
from sudoku.grids.symmetry import random_maps, shuffled
from sudoku.kernels import masks
from sudoku.layout import Layout

_NODES_A_CELL = 4
"""Search nodes to spend, by number of cells, before other weights are tried. A search without
detours has 0.5 (9 x 9) to 0.9 (36 x 36); restarts cost little."""

_ATTEMPTS = 500
"""Weights to try: some ten suffice up to 36 x 36, with diagonals some hundred; above, none may."""


def random_fill(layout: Layout, seed: int, counters: Words) -> NDArray[np.uint8]:
    """Random grids, uint8[n, cells], not uniform; the k-th depends on seed and counter alone.

    Raises:
        SudokuError: no grid found in 500 attempts, as it happens above 36 x 36.
    """
    tables = masks.tables(layout)
    found = np.empty((len(counters), layout.cells), np.uint8)
    search_key, map_key = key_of(seed, 11), key_of(seed, 12)
    empty = np.zeros(layout.cells, np.uint8)
    for row in range(len(counters)):
        for attempt in range(_ATTEMPTS):
            state = masks.start(tables, empty)
            items = np.arange(len(state.weight) - 1, dtype=np.uint64)
            drawn = words(search_key ^ int(counters[row]) * 0xFF51AFD7ED558CCD, items, attempt)
            state.weight[:-1] = 1 + (drawn >> np.uint64(11)) * 2.0**-53
            if masks.advance(state, _NODES_A_CELL * layout.cells, 1, found[row : row + 1]):
                break
        else:
            raise SudokuError(
                f"no {layout.name} grid found in {_ATTEMPTS} attempts; 36x36 is within reach"
            )
    digits = shuffled(layout.size, map_key, counters, 1 << 20).astype(np.uint8) + np.uint8(1)
    found = np.take_along_axis(digits, found - np.uint8(1), axis=1)
    return np.take_along_axis(found, random_maps(layout, map_key, counters), axis=1)
