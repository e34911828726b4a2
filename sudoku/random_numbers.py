"""Random numbers, permutations and maps of cells: each depends on its key and its number alone.

So the k-th grid of a seed is the same on every machine, however the work is split among pieces and
threads. The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable
pseudorandom number generators", OOPSLA 2014), a bijection of 64-bit integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudoku.layout import Layout

Uint64s = NDArray[np.uint64]

GOLDEN_RATIO = 0x9E3779B97F4A7C15  # 2^64 divided by it, rounded to an odd number
_STREAM_STEP = 0xD1B54A32D192ED03
_ROUNDS = 12
_ALL_BITS = (1 << 64) - 1


def mix(numbers: Uint64s) -> Uint64s:
    """Return SplitMix64's finaliser of each number, in a new array."""
    numbers = numbers ^ (numbers >> np.uint64(30))
    numbers *= np.uint64(0xBF58476D1CE4E5B9)
    numbers ^= numbers >> np.uint64(27)
    numbers *= np.uint64(0x94D049BB133111EB)
    numbers ^= numbers >> np.uint64(31)
    return numbers


def derive_key(seed: int, *purpose: int) -> int:
    """Return a 64-bit key for a seed of any size and small numbers that distinguish purposes.

    Negative seeds differ from positive ones.

    >>> derive_key(1, 2) == derive_key(1, 2) != derive_key(1, 3)
    True
    """
    limbs = [seed >> shift & _ALL_BITS for shift in range(0, max(seed.bit_length(), 1) + 1, 64)]
    key = 0
    for number in (*limbs, len(limbs), *purpose):
        key = int(mix(np.array([((key ^ number) + 1) * GOLDEN_RATIO & _ALL_BITS], np.uint64))[0])
    return key


def random_uint64(key: int, counters: Uint64s, stream: int = 0) -> Uint64s:
    """Return a random 64-bit integer for each counter; streams are independent of each other."""
    return _drawn(counters, np.uint64((key + stream * _STREAM_STEP) & _ALL_BITS))


def _drawn(counters: Uint64s, offset: Any) -> Uint64s:
    return mix(mix(counters * np.uint64(GOLDEN_RATIO) + offset) ^ offset)


def random_below(bound: int, key: int, counters: Uint64s) -> Uint64s:
    """Return a number from 0 to `bound - 1` (at most 2^63) for each counter.

    They are exactly uniform if the 64-bit integers are: integers above the last multiple of
    `bound` are drawn again, from streams 256 apart.

    >>> random_below(6, 1, np.arange(8, dtype=np.uint64)).max() < 6
    np.True_
    """
    stream = 0
    drawn = random_uint64(key, counters, stream)
    last = np.uint64((1 << 64) // bound * bound - 1)
    while (again := np.flatnonzero(drawn > last)).size:
        stream += 256
        drawn[again] = random_uint64(key, counters[again], stream)
    return drawn % np.uint64(bound)


def random_between(low: int, high: int, key: int, counters: Uint64s) -> NDArray[np.int64]:
    """Return a number from low to high for each counter."""
    return low + random_below(high - low + 1, key, counters).astype(np.int64)


def random_permutations(
    size: int, key: int, counters: Uint64s, stream: int = 0
) -> NDArray[np.int64]:
    """Return a permutation of 0 to size - 1 for each counter, int64[n, size].

    It uses the streams from `stream` to `stream + size - 1`.
    """
    streams = np.arange(stream, stream + size, dtype=np.uint64)
    offsets = np.uint64(key & _ALL_BITS) + streams * np.uint64(_STREAM_STEP)
    return np.argsort(_drawn(counters[:, None], offsets), axis=1, kind="stable")


def keyed_permutation(key: int, high: int, low: int, counters: Uint64s) -> tuple[Uint64s, Uint64s]:
    """Return a keyed permutation of the pairs (0 to high - 1, 0 to low - 1).

    A counter below 2^63 stands for the pair (counter // low, counter % low). Both sides of a
    Feistel network on Z_high x Z_low are changed in turn by adding a function of the other side
    (Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002), so different
    counters give different pairs.

    >>> pairs = keyed_permutation(7, 3, 4, np.arange(12, dtype=np.uint64))
    >>> len(set(zip(*(side.tolist() for side in pairs))))
    12
    """
    a, b = counters // np.uint64(low), counters % np.uint64(low)
    for number in range(_ROUNDS):
        a = (a + random_uint64(key, b, 2 * number) % np.uint64(high)) % np.uint64(high)
        b = (b + random_uint64(key, a, 2 * number + 1) % np.uint64(low)) % np.uint64(low)
    return a, b


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
