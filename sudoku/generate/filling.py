"""Find digits for a given pattern of cells, so that the puzzle has one solution.

From the digits of a random grid, one or two givens get another digit that no given in their houses
has; the change is kept if there is a solution and there are no more than before. With many
puzzles at once, each change is counted in one batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sudoku.generate.addition import padded_peers, random_digits
from sudoku.kernels.kernel import UNDECIDED
from sudoku.random_numbers import Uint64s, random_uint64
from sudoku.solving.batch_search import Cells, UniquenessCheck

CHANGES = 600
"""Changes to try of a puzzle; with 26 to 30 givens of 9x9, one in ten needs more than 200."""
MOST_COUNTED = 500
"""Solutions of a puzzle that are counted; puzzles with more count as equal."""


def fill(
    grids: Cells, cells: Sequence[int], key: int, counters: Uint64s, check: UniquenessCheck
) -> Cells:
    """Return puzzles with givens in these cells, uint8[m, N*N], as many as were found.

    `grids`, uint8[k, N*N], are the complete grids to start from.
    """
    layout, place = check.layout, np.array(cells, np.int64)
    puzzles = np.zeros_like(grids)
    puzzles[:, place] = grids[:, place]
    number = check(puzzles, MOST_COUNTED)[0]
    number[number == UNDECIDED] = MOST_COUNTED
    peer = padded_peers(layout)
    for change in range(CHANGES):
        row = np.flatnonzero(number != 1)
        if not len(row):
            break
        trial = puzzles[row]
        fits = np.zeros(len(row), bool)
        for i in range(2):
            random = random_uint64(key, counters[row], 2 * change + i)
            cell = place[(random >> np.uint64(1)) % np.uint64(len(place))]
            digit, fit = random_digits(trial, cell, peer, random, layout.size)
            fit &= ((random & np.uint64(1)) == 0) | (i == 0)  # the second one every other time
            trial[fit, cell[fit]] = digit[fit]
            fits |= fit
        counted = check(trial[fits], MOST_COUNTED)[0]
        better = (counted > 0) & (counted <= number[row[fits]])
        row = row[fits][better]
        puzzles[row], number[row] = trial[fits][better], counted[better]
    unique: Cells = puzzles[number == 1]
    return unique
