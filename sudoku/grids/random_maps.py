"""Random maps of cells that carry every house of a layout to a house."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudoku.grids.random_numbers import Uint64s, random_permutations, random_uint64
from sudoku.layout import Layout


def random_maps(layout: Layout, key: int, counters: Uint64s) -> NDArray[np.int64]:
    """Return a map for each counter, int64[n, cells]: cell i of the image is cell `map[i]`.

    With boxes alone, or none: rows within their band, bands, columns within their stack, and stacks
    are permuted, and rows are exchanged with columns where boxes are square. With more houses:
    those reflections of the square that keep these.
    """
    n, count = layout.size, len(counters)
    lines = np.broadcast_to(np.arange(n), (count, n))
    cells = np.arange(n * n).reshape(n, n)
    if layout.extra:
        flips = random_uint64(key, counters)
        rows, columns = lines, lines
        if _keeps(layout, cells[::-1]):
            rows = np.where(flips[:, None] & np.uint64(1), lines[:, ::-1], lines)
        if _keeps(layout, cells[:, ::-1]):
            columns = np.where(flips[:, None] & np.uint64(2), lines[:, ::-1], lines)
    else:
        rows = _permuted_lines(n, layout.box_rows, key, counters, 1)
        columns = _permuted_lines(n, layout.box_columns, key, counters, 2 + 2 * n)
    maps = rows[:, :, None] * n + columns[:, None, :]
    square = layout.box_rows == layout.box_columns or not layout.has_boxes
    if square and _keeps(layout, cells.T):
        turned = random_uint64(key, counters, 4 + 4 * n) & np.uint64(1)
        maps = np.where(turned[:, None, None], maps.transpose(0, 2, 1), maps)
    return maps.reshape(count, n * n)


def _keeps(layout: Layout, image: NDArray[np.int64]) -> bool:
    """Return whether a map of cells carries the houses beside rows, columns and boxes to such."""
    extra = {frozenset(house.cells) for house in layout.extra}
    flat = image.reshape(-1)
    return extra == {frozenset(flat[list(cells)].tolist()) for cells in extra}


def _permuted_lines(
    size: int, thick: int, key: int, counters: Uint64s, stream: int
) -> NDArray[np.int64]:
    """Permute the bands of `thick` lines, and the lines within each."""
    number = size // thick
    bands = random_permutations(number, key, counters, stream)
    streams = range(stream + number, stream + number + size, thick)
    within = np.stack([random_permutations(thick, key, counters, s) for s in streams], axis=1)
    ordered = np.take_along_axis(within, bands[:, :, None], axis=1) + thick * bands[:, :, None]
    return ordered.reshape(len(counters), size)
