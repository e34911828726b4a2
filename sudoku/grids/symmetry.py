"""What leaves a layout as it is: maps of cells that carry every house to a house.

Two uses: the groups under which the givens of a symmetrical puzzle are arranged, and random
equivalents of a puzzle.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sudoku.errors import SudokuError
from sudoku.grids.random_numbers import Words, words
from sudoku.layout import Layout

SYMMETRIES = ("none", "rotate180", "rotate90", "mirror", "diagonal", "full")
"""What generated givens may look alike under: nothing, a half turn, quarter turns, exchange of
left and right, exchange of rows and columns, all eight symmetries of the square."""


def orbits(size: int, symmetry: str) -> list[list[int]]:
    """The cells of an N x N grid in groups that a symmetry carries into each other.

    Raises:
        SudokuError: no such symmetry.

    >>> orbits(4, "rotate90")[:2]
    [[0, 3, 12, 15], [1, 7, 8, 14]]
    """
    if symmetry not in SYMMETRIES:
        raise SudokuError(f"symmetry {symmetry!r}; there are {', '.join(SYMMETRIES)}")
    cells = np.arange(size * size).reshape(size, size)
    moves = {
        "none": [],
        "rotate180": [cells[::-1, ::-1]],
        "rotate90": [np.rot90(cells)],
        "mirror": [cells[:, ::-1]],
        "diagonal": [cells.T],
        "full": [np.rot90(cells), cells.T],
    }[symmetry]
    flat = [move.ravel().tolist() for move in moves]
    seen: set[int] = set()
    groups = []
    for cell in range(size * size):
        if cell in seen:
            continue
        group = [cell]
        for member in group:
            group += [move[member] for move in flat if move[member] not in group]
        seen.update(group)
        groups.append(sorted(group))
    return groups


def random_maps(layout: Layout, key: int, counters: Words) -> NDArray[np.int64]:
    """Random maps of cells, int64[n, cells]: cell i of the image is cell ``map[i]``.

    Without diagonals: rows within their band, bands, columns within their stack, stacks, and
    rows with columns where boxes are square. With diagonals: the symmetries of the square, the
    half turn and the two reflections where boxes are not square.
    """
    n, count = layout.size, len(counters)
    lines = np.broadcast_to(np.arange(n), (count, n))
    rows = columns = lines
    if layout.diagonal:
        flips = words(key, counters)
        rows = np.where(flips[:, None] & np.uint64(1), lines[:, ::-1], lines)
        columns = np.where(flips[:, None] & np.uint64(2), lines[:, ::-1], lines)
    else:
        rows = _shuffled_lines(n, layout.box_rows, key, counters, 1)
        columns = _shuffled_lines(n, layout.box_columns, key, counters, 2 + 2 * n)
    maps = rows[:, :, None] * n + columns[:, None, :]
    if layout.box_rows == layout.box_columns:
        turned = words(key, counters, 4 + 4 * n) & np.uint64(1)
        maps = np.where(turned[:, None, None], maps.transpose(0, 2, 1), maps)
    return maps.reshape(count, n * n)


def shuffled(size: int, key: int, counters: Words, stream: int) -> NDArray[np.int64]:
    """A random permutation of 0 to size - 1 for each counter, int64[n, size]."""
    drawn = np.stack([words(key, counters, stream + i) for i in range(size)], axis=1)
    return np.argsort(drawn, axis=1, kind="stable")


def _shuffled_lines(
    size: int, thick: int, key: int, counters: Words, stream: int
) -> NDArray[np.int64]:
    """Lines in bands of ``thick``: the bands shuffled, and the lines within each."""
    bands = shuffled(size // thick, key, counters, stream)
    starts = range(stream + size // thick, stream + size // thick + size + 1, thick)
    within = np.stack(
        [shuffled(thick, key, counters, start) for start, _ in pairwise(starts)], axis=1
    )
    ordered = np.take_along_axis(within, bands[:, :, None], axis=1) + thick * bands[:, :, None]
    return ordered.reshape(len(counters), size)
