"""How many complete grids with boxes of 2 x C cells there are.

The grids are turned, so that there are two bands of C rows and C stacks of two columns. A column
with the digits X in the upper band holds all others in the lower band, and the other column of
its stack holds them the other way round. Hence both bands are arrangements of the same column
sets, and the number of grids is the sum, over all choices of C sets X of C digits, of the square
of the number of arrangements. That number stays the same if digits are relabelled, stacks
exchanged, or the columns of a stack exchanged: for 10 digits 355 classes of choices are left.

A class is a tuple of *sides*, one for each digit, ascending: bit s says which column of stack s
holds the digit.

The arrangements are counted by meeting in the middle. A *filling* is what some stacks have put
into the rows: the set of digits of each row, packed in ascending order, so that fillings which
differ in the order of rows are one. Its count is the number of ways to reach it, divided by the C!
orders of the rows. The number of arrangements is C! times the sum, over the fillings by one half of
the stacks, of its count, times the count of the complementary filling by the other half, times m!
for every m equal rows: these have fewer than C! orders.

All numbers fit into 64 bits up to C = 5. A filling takes 2 C^2 <= 50 bits. Its count is at most
the number of ways to order each of at most 6 columns, (5!)^6 < 2^42. Products and sums are at most
the number of arrangements. Bregman's bound on permanents, row by row, shows that this is at most
the product of (k!)^(2 C / k) for k = 1 to C: the 2 C cells of a row and the digits that are left
for them form a k-regular bipartite graph. For C = 5 that is less than 2^39. Squares of these
numbers are Python integers.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, permutations
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlx.compiled import allocating, helper
from sudoku.kernels.kernel import Array

Sides = tuple[int, ...]
Table = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Open hash table: fillings, -1 in free places; and their counts."""


@helper
def _place(keys: Array, key: Any) -> Any:
    """Return the place of `key` in the hash table `keys`, or the free place for it."""
    mask = len(keys) - 1
    # 30 bits times 31 bits do not overflow; the bits in the middle depend on all of them
    at = (((key ^ key >> 22) & 0x3FFFFFFF) * 0x5E3779B1 >> 24) & mask
    while keys[at] != key and keys[at] != -1:
        at = (at + 1) & mask
    return at


@helper
def _pack(rows: Array) -> Any:
    """Sort row sets; return them as one integer, ascending, 2 * height bits each."""
    height = len(rows)
    key = 0
    for i in range(height):
        x = rows[i]
        j = i
        while j > 0 and rows[j - 1] > x:
            rows[j] = rows[j - 1]
            j -= 1
        rows[j] = x
    for i in range(height):
        key = key << 2 * height | rows[i]
    return key


@allocating
def _add_column(
    keys: Array, counts: Array, digits: Array, orders: Array, new_keys: Array, new_counts: Array
) -> None:
    """Add a column that holds `digits` to all fillings: one to each row that lacks it.

    `orders` are all orders of the rows.
    """
    height = len(digits)
    rows = np.empty(height, np.int64)
    filled = np.empty(height, np.int64)
    for start in range(len(keys)):
        if keys[start] == -1:
            continue
        for r in range(height):
            rows[r] = keys[start] >> 2 * height * r & (1 << 2 * height) - 1
        for order in orders:
            n = 0
            while n < height and rows[order[n]] >> digits[n] & 1 == 0:
                filled[order[n]] = rows[order[n]] | 1 << digits[n]
                n += 1
            if n == height:
                key = _pack(filled)
                at = _place(new_keys, key)
                new_keys[at] = key
                new_counts[at] += counts[start]


@allocating
def _meet(
    keys: Array, counts: Array, other_keys: Array, other_counts: Array, relabel: Array, height: Any
) -> Any:
    """Return the sum over fillings described above, without the factor C!.

    `relabel` carries the digits of the first table to those of the other.
    """
    rows = np.empty(height, np.int64)
    image = np.zeros(1 << 2 * height, np.int64)
    for s in range(len(image)):
        for d in range(2 * height):
            image[s] |= (s >> d & 1) << relabel[d]
    total = 0
    for i in range(len(keys)):
        if keys[i] != -1:
            for r in range(height):
                rows[r] = image[~(keys[i] >> 2 * height * r) & (len(image) - 1)]
            at = _place(other_keys, _pack(rows))
            if other_keys[at] != -1:
                weight = counts[i] * other_counts[at]
                run = 1
                for r in range(1, height):
                    run = run + 1 if rows[r] == rows[r - 1] else 1
                    weight *= run
                total += weight
    return total


def _canonical(sides: Sides, stacks: int) -> tuple[Sides, NDArray[np.int64]]:
    """Return the class of some sides, and the digits in the order of the class.

    The class is the least form of the sides. To exchange columns adds the same bits to all
    sides, so some digit has side 0 in the least form; each digit and each order of the stacks
    is tried.
    """
    array = np.array(sides)
    moved = array ^ array[:, None]
    orders = np.array(list(permutations(range(stacks))))
    reordered = sum((moved >> s & 1) << orders[:, s, None, None] for s in range(stacks))
    forms = np.sort(reordered, axis=-1).reshape(-1, len(sides))
    key = forms @ (1 << stacks * np.arange(len(sides))[::-1])
    best = int(key.argmin())
    chosen = reordered.reshape(-1, len(sides))[best]
    return tuple(forms[best].tolist()), np.argsort(chosen, kind="stable")


def _classes(stacks: int) -> Counter[Sides]:
    """Return the classes of choices for 2 * stacks digits, and how many choices are in each."""
    level = Counter({(0,) * 2 * stacks: 1})
    for k in range(stacks):
        grown: Counter[Sides] = Counter()
        for sides, weight in level.items():
            # the last digit stays in column 0; the other choices have the columns exchanged
            for taken in combinations(range(2 * stacks - 1), stacks):
                form = tuple(sorted(side | (d in taken) << k for d, side in enumerate(sides)))
                grown[form] += 2 * weight
        level = Counter()
        for sides, weight in grown.items():
            level[_canonical(sides, k + 1)[0]] += weight
    return level


def _table(sides: Sides, stacks: int) -> Table:
    """Return the fillings by the first `stacks` stacks of a class, and their counts."""
    height = len(sides) // 2
    orders = np.array(list(permutations(range(height))))
    room = 1 << (12 if height < 5 else 20)  # for at most 1,117 fillings, and 472,680
    filling: Table = (np.zeros(1, np.int64), np.ones(1, np.int64))
    for s in range(stacks):
        for side in range(2):
            digits = np.array([d for d in range(len(sides)) if sides[d] >> s & 1 == side])
            keys, counts = np.full(room, -1), np.zeros(room, np.int64)
            _add_column(*filling, digits, orders, keys, counts)
            filling = keys, counts
        if s == 0:
            # the rows differ now, and each filling was reached in every order of them
            counts //= factorial(height)
    return filling


def count_two_bands(height: int) -> int:
    """Return the number of grids with boxes of `height` x 2 cells, for `height` 2 to 5.

    5 takes some 15 seconds.

    >>> count_two_bands(3)
    28200960
    """
    upper = height // 2
    lower = height - upper
    table = cache(_table)  # for this call: the tables take much memory
    total = 0
    for sides, weight in _classes(height).items():
        form, order = _canonical(tuple(side & (1 << upper) - 1 for side in sides), upper)
        other_form, other_order = _canonical(tuple(side >> upper for side in sides), lower)
        # digit order[i] of the class is digit i of the first table, other_order[i] of the other
        relabel = np.argsort(other_order)[order]
        ways = _meet(*table(form, upper), *table(other_form, lower), relabel, height)
        total += weight * (int(ways) * factorial(height)) ** 2
    return total
