"""Grow puzzles: add random givens to empty grids until they have one solution."""

from __future__ import annotations

from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from sudoku.generate.pattern import Groups
from sudoku.layout import Layout
from sudoku.random_numbers import GOLDEN_RATIO, Uint64s, mix, random_uint64
from sudoku.solving.batch_search import Cells, UniquenessCheck


def grow(
    groups: Groups, order: NDArray[np.int64], key: int, counters: Uint64s, check: UniquenessCheck
) -> tuple[Cells, Cells]:
    """Add random givens, group by group, until each puzzle has one solution.

    Each digit is drawn among those that the cell's houses leave; a group after which there is
    no solution is removed and drawn again. The groups are tried in the `order`, int64[k, groups], a
    permutation for each puzzle. Returns puzzles and solutions, both uint8[k, cells] and zeros
    where no puzzle was found.
    """
    layout, k = check.layout, len(order)
    puzzles, solutions = (np.zeros((k, layout.cells), np.uint8) for _ in range(2))
    members = [np.flatnonzero(groups.group_of == g) for g in range(len(groups.size))]
    member = np.array(list(zip_longest(*members, fillvalue=-1)))  # [largest size, groups]
    peer = padded_peers(layout)
    at = np.zeros(k, np.int64)
    row = np.arange(k)
    # below this no puzzle can be unique, and contradictions are rare
    unchecked = len(groups.size) // 8
    for attempt in range(4 * len(groups.size)):
        trial = puzzles[row]
        group = order[row, at[row]]
        fits = np.ones(len(row), bool)
        for i in range(len(member)):
            cell = member[i, group]
            stream = (attempt * len(member) + i) * layout.size + 7
            random = random_uint64(key, counters[row], stream)
            digit, fit = random_digits(trial, cell, peer, random, layout.size)
            drawn = cell >= 0
            fits &= fit | ~drawn
            trial[drawn, cell[drawn]] = digit[drawn]
        number = np.where(fits, 2, 0)
        if attempt >= unchecked:
            checked = np.flatnonzero(fits)
            number[checked], found, _ = check(trial[checked])
            unique = number[checked] == 1
            solutions[row[checked[unique]]] = found[unique]
        solvable = number > 0
        puzzles[row[solvable]] = trial[solvable]
        at[row[solvable]] += 1
        row = row[(number != 1) & (at[row] < len(groups.size))]
        if not len(row):
            break
    puzzles[(solutions == 0).all(axis=1)] = 0
    return puzzles, solutions


def padded_peers(layout: Layout) -> NDArray[np.int64]:
    """Return each cell and its peers, int64[cells, p], some repeated."""
    most = 1 + max(map(len, layout.peers))
    return np.array([np.resize((cell, *peers), most) for cell, peers in enumerate(layout.peers)])


def random_digits(
    puzzles: Cells, cell: NDArray[np.int64], peer: NDArray[np.int64], random: Uint64s, size: int
) -> tuple[Cells, NDArray[np.bool_]]:
    """Draw a digit for one cell of each puzzle; also return whether any digit fits."""
    one = np.uint64(1)
    seen = np.take_along_axis(puzzles, peer[cell], axis=1)
    used = np.bitwise_or.reduce(one << seen.astype(np.uint64), axis=1)
    digits = np.arange(1, size + 1, dtype=np.uint64)
    free = (used[:, None] >> digits & one) == 0
    # a random number for each digit, never 0
    score = mix(random[:, None] + digits * np.uint64(GOLDEN_RATIO)) | one
    score = np.where(free, score, np.uint64(0))
    return (score.argmax(axis=1) + 1).astype(np.uint8), free.any(axis=1)


def add_groups(
    puzzles: Cells,
    solutions: Cells,
    groups: Groups,
    order: NDArray[np.int64],
    least: NDArray[np.int64],
) -> Cells:
    """Return puzzles with more givens of the solution, group by group, until `least` are there."""
    before = groups.size[order].cumsum(axis=1) - groups.size[order]
    given = np.zeros(order.shape, bool)
    np.put_along_axis(given, order, before < least[:, None], axis=1)
    return np.where(given[:, groups.group_of], solutions, puzzles)
