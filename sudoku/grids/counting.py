"""How many complete grids there are, counted.

Grids of 3 x 3 boxes come from :mod:`bands`. Grids of 2 x C boxes are turned so that there
are two bands of C rows and C stacks of two columns. A column that holds the digits X in the upper
band holds the others in the lower one, and the other column of its stack the other way round.
Hence both bands are to be arranged under the same column sets, and the number of grids is the
sum, over all choices of C half-sets X, of the square of the number of arrangements. That number
is the same when digits are relabelled, stacks exchanged, or the columns of a stack exchanged:
10 digits leave 355 classes.

A class is a tuple of *sides*, ascending, one a digit: bit s says which column of stack s has it.

The arrangements are counted by meeting in the middle. What a few stacks have put into the rows
is a *filling*: the set of digits of each row, packed in ascending order (so fillings that
differ in the order of the rows are one). The ways to reach it with half of the stacks, times the
ways to reach its complement with the others, summed, is the number: C! times over for the order
of the rows, which is in both factors; equal rows have fewer orders, so it is multiplied back.
"""

from __future__ import annotations

from itertools import permutations, product
from math import comb, factorial, prod
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sudoku.grids.bands import bands

Array = NDArray[Any]
Sides = tuple[int, ...]
Table = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Fillings, or -1 where there is none, placed by hash; and their counts."""


@njit(cache=True, nogil=True)
def _place(keys: Array, key: Any) -> Any:
    """Where ``key`` is in the open hash table ``keys``, or would be."""
    mask = len(keys) - 1
    # 30 bits times 31: no overflow, and the bits in the middle depend on all
    at = (((key ^ key >> 22) & 0x3FFFFFFF) * 0x5E3779B1 >> 24) & mask
    while keys[at] != key and keys[at] != -1:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def _pack(rows: Array, work: Array) -> Any:
    """Row sets in ascending order, as many bits each as there are rows twice over."""
    height = len(rows)
    for i in range(height):
        x = rows[i]
        j = i
        while j > 0 and work[j - 1] > x:
            work[j] = work[j - 1]
            j -= 1
        work[j] = x
    key = 0
    for i in range(height):
        key = key << 2 * height | work[i]
    return key


@njit(cache=True, nogil=True)
def _add_column(
    keys: Array, counts: Array, digits: Array, new_keys: Array, new_counts: Array
) -> Any:
    """Add a column that holds ``digits`` to fillings: one to a row, to none that holds it.

    Returns the number of new fillings, or -1 if they fill more than half of ``new_keys``.
    ``full[n]`` is the set of rows that the first n digits went to.
    """
    height = len(digits)
    size = 2 * height
    rows = np.empty(height, np.int64)
    work = np.empty(height, np.int64)
    choice = np.empty(height, np.int64)
    full = np.zeros(height + 1, np.int64)
    found = 0
    for start in range(len(keys)):
        if keys[start] == -1:
            continue
        for r in range(height):
            rows[r] = keys[start] >> 2 * height * r & (1 << size) - 1
        n = 0
        choice[0] = -1
        while n >= 0:
            if n == height:
                key = _pack(rows, work)
                at = _place(new_keys, key)
                if new_keys[at] == -1:
                    new_keys[at] = key
                    found += 1
                    if 2 * found > len(new_keys):
                        return -1
                new_counts[at] += counts[start]
                n -= 1
                continue
            bit = 1 << digits[n]
            if choice[n] >= 0:
                rows[choice[n]] ^= bit
            r = choice[n] + 1
            while r < height and (full[n] >> r & 1 or rows[r] & bit):
                r += 1
            if r == height:
                n -= 1
                continue
            choice[n] = r
            rows[r] |= bit
            n += 1
            full[n] = full[n - 1] | 1 << r
            if n < height:
                choice[n] = -1
    return found


@njit(cache=True, nogil=True)
def _meet(
    keys: Array, counts: Array, other_keys: Array, other_counts: Array, relabel: Array, height: Any
) -> Any:
    """Sum, over fillings, of count times the other table's count of the complement.

    ``relabel`` carries the first table's digits to the other's. A filling with equal rows
    weighs as many times as they have orders.
    """
    rows = np.empty(height, np.int64)
    work = np.empty(height, np.int64)
    image = np.zeros(1 << 2 * height, np.int64)
    for s in range(len(image)):
        for d in range(2 * height):
            image[s] |= (s >> d & 1) << relabel[d]
    total = 0
    for i in range(len(keys)):
        if keys[i] != -1:
            for r in range(height):
                rows[r] = image[~(keys[i] >> 2 * height * r) & (len(image) - 1)]
            at = _place(other_keys, _pack(rows, work))
            if other_keys[at] != -1:
                weight = counts[i] * other_counts[at]
                run = 1
                for r in range(1, height):
                    run = run + 1 if rows[r] == rows[r - 1] else 1
                    weight *= run
                total += weight
    return total


def _canonical(sides: Sides, stacks: int) -> tuple[Sides, list[int]]:
    """The class of digits' sides, and the digits in the order that shows it.

    Exchanging columns adds one pattern to all sides, so the lowest digit of the least form
    may be given side 0; what is left is the order of the stacks.
    """
    given = np.array(sides)
    moved = given ^ given[:, None]
    orders = np.array(list(permutations(range(stacks))))
    reordered = sum((moved >> s & 1) << orders[:, s, None, None] for s in range(stacks))
    forms = np.sort(reordered, axis=-1).reshape(-1, len(sides))
    key = forms @ (1 << stacks * np.arange(len(sides))[::-1])
    best = int(key.argmin())
    chosen = reordered.reshape(-1, len(sides))[best]
    order = [int(d) for d in np.argsort(chosen, kind="stable")]
    return tuple(int(side) for side in forms[best]), order


def _classes(stacks: int) -> dict[Sides, int]:
    """Classes of ``stacks`` half-sets of 2 * stacks digits, and how many choices are in each."""
    half = stacks
    level = {(0,) * half + (1,) * half: comb(2 * half, half)}
    for k in range(1, stacks):
        grown: dict[Sides, int] = {}
        for sides, weight in level.items():
            kinds = sorted(set(sides))
            sizes = [sides.count(kind) for kind in kinds]
            for taken in product(*(range(size + 1) for size in sizes)):
                # the column that digit 0's kind favours: the other half is the mirror image
                if sum(taken) != half or 2 * taken[0] > sizes[0]:
                    continue
                ways = prod(comb(size, take) for size, take in zip(sizes, taken, strict=True))
                ways *= 1 if 2 * taken[0] == sizes[0] else 2
                new = [
                    kind | (i < take) << k
                    for kind, size, take in zip(kinds, sizes, taken, strict=True)
                    for i in range(size)
                ]
                form = tuple(sorted(new))
                grown[form] = grown.get(form, 0) + weight * ways
        level = {}
        for sides, weight in grown.items():
            form = _canonical(sides, k + 1)[0]
            level[form] = level.get(form, 0) + weight
    return level


def _table(sides: Sides, stacks: int, known: dict[Sides, Table]) -> Table:
    """The fillings that the first ``stacks`` stacks of a class can make, and their counts."""
    if sides in known:
        return known[sides]
    height = len(sides) // 2
    filling: Table = (np.zeros(1, np.int64), np.ones(1, np.int64))
    for s in range(stacks):
        for side in range(2):
            digits = np.array([d for d in range(len(sides)) if sides[d] >> s & 1 == side])
            room = 64 if s == 0 or height < 5 else 1 << 21
            while True:
                keys, counts = np.full(room, -1), np.zeros(room, np.int64)
                if _add_column(*filling, digits, keys, counts) >= 0:
                    break
                room *= 8
            filling = keys, counts
        if s == 0:
            # the rows were all alike until now: each way was found in every order of them
            counts //= factorial(height)
    known[sides] = filling
    return filling


def count_two_bands(height: int) -> int:
    """Number of grids with boxes of ``height`` x 2 cells: 2 to 5, the last within a minute.

    >>> count_two_bands(3)
    28200960
    """
    upper = height // 2
    lower = height - upper
    tables: tuple[dict[Sides, Table], dict[Sides, Table]] = ({}, {})
    total = 0
    for sides, weight in _classes(height).items():
        form, order = _canonical(tuple(side & (1 << upper) - 1 for side in sides), upper)
        other_form, other_order = _canonical(tuple(side >> upper for side in sides), lower)
        relabel = np.empty(len(sides), np.int64)
        # digit order[i] of the class is digit i of the one table, other_order[i] of the other
        place = {d: i for i, d in enumerate(other_order)}
        relabel[:] = [place[d] for d in order]
        ways = _meet(
            *_table(form, upper, tables[0]), *_table(other_form, lower, tables[1]), relabel, height
        )
        total += weight * (int(ways) * factorial(height)) ** 2
    return total


def count_three_bands() -> int:
    """Number of grids with boxes of 3 x 3 cells.

    >>> count_three_bands()
    6670903752021072936960
    """
    bands.cache_clear()
    return factorial(9) * int(bands().start[-1])
