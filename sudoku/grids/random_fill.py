"""Random complete grids where grids are not numbered: from search with random branching.

Each grid is the first solution that `masks` finds of the empty grid with random weights of the
items; then digits, and rows and columns as far as the layout allows, are permuted. A search that
takes too many nodes is started again with other weights. As far as is known every grid can appear,
but not all are equally likely.
"""

from __future__ import annotations

from threading import Event

import numpy as np
from numpy.typing import NDArray

from sudoku.errors import SudokuError
from sudoku.kernels import masks
from sudoku.kernels.kernel import KernelBatch
from sudoku.layout import Layout
from sudoku.random_numbers import (
    Uint64s,
    derive_key,
    random_maps,
    random_permutations,
    random_uint64,
)
from sudoku.solving.batch_search import Stopped
from sudoku.solving.driver import Driver, tables_of

_NODES_A_CELL = 4
"""Search nodes per cell to spend before other weights are tried. A search that meets no
contradiction needs 0.5 (9x9) to 0.9 (36x36) per cell; to start again costs little."""

_ATTEMPTS = 500
"""Weights to try: some ten suffice up to 36x36, with diagonals some hundred."""

SEARCH_KEY, MAP_KEY = 11, 12
"""Purposes that random keys are derived for."""


def random_fill(
    layout: Layout, seed: int, counters: Uint64s, stop: Event | None = None
) -> NDArray[np.uint8]:
    """Return random grids, uint8[n, cells], not uniform; each depends on seed and counter alone.

    Once `stop` is set, Stopped is raised.
    """
    # the patience ends the search of one attempt
    state = masks.start(tables_of(masks, layout), _NODES_A_CELL * layout.cells)
    grids = np.empty((len(counters), layout.cells), np.uint8)
    search_key, map_key = derive_key(seed, SEARCH_KEY), derive_key(seed, MAP_KEY)
    empty = np.zeros((1, layout.cells), np.uint8)
    items = np.arange(len(state.weight) - 1, dtype=np.uint64)
    found, nodes = np.zeros((2, 1), np.int64)
    for row in range(len(counters)):
        key = search_key ^ int(counters[row]) * 0xFF51AFD7ED558CCD
        batch = KernelBatch(empty, 1, found, grids[row : row + 1], nodes)
        for attempt in range(_ATTEMPTS):
            masks.begin(state, empty[0])
            random = random_uint64(key, items, attempt)
            state.weight[:-1] = 1 + (random >> np.uint64(11)) * 2.0**-53
            state.batch[masks.FOUND] = 0  # it has begun
            if not Driver(stop=stop).finish(masks, state, batch):
                raise Stopped
            if found[0] == 1:
                break
            if found[0] == 0:
                raise SudokuError(f"there are no {layout.description} grids")
        else:
            raise SudokuError(
                f"no {layout.description} grid found in {_ATTEMPTS} attempts; there may be none"
            )
    digits = random_permutations(layout.size, map_key, counters, 1 << 20).astype(np.uint8)
    grids = np.take_along_axis(digits + np.uint8(1), grids - np.uint8(1), axis=1)
    return np.take_along_axis(grids, random_maps(layout, map_key, counters), axis=1)
