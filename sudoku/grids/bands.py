"""Bands of 9 x 9 grids by the sets of digits in their columns, and how many grids they make.

A band is three rows of a grid. The three columns that a box has in a band hold three digits
each, so they split the nine digits into three sets: one of 280 *partitions*. A band has three of
them, one a box. All that one band asks of the two others is, for every column, which digits are
left; and the number of ways to arrange given column sets into three rows depends on the three
partitions alone. Relabelling the digits changes no count, so the first partition may be taken to
be {0 1 2} {3 4 5} {6 7 8} (partition 0), and the two others matter up to the 1,296 relabellings
that keep it. That leaves some hundred classes of bands; all else is sums of products.

Bands by column sets: K. F. Pettersen, in "Sudoku enumeration" (2006); the count of all grids was
first found by B. Felgenhauer and F. Jarvis, "Mathematics of Sudoku I" (2006).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]

PARTITIONS = 280
OPTIONS = 56  # ways to choose the column sets of a box in the second band, given the first
TOPS = 72_576  # first bands with a given first box, up to the order of the columns in the others
ALL = 511  # the set of all nine digits


class Bands(NamedTuple):
    """The tables behind counting and numbering; digits are 0 to 8, sets of digits 9-bit masks.

    A band ``(p, q, r)`` is classified by carrying ``p`` to partition 0 with ``unfold[p]``,
    then ``q`` to the first partition of its orbit with ``turn``, then ``r`` with ``settle``.
    The three relabellings in a row carry the band to the one that stands for its class.
    """

    digits: NDArray[np.int8]
    """[512, 3] the lowest three digits of each set; 0 where there are fewer"""
    sets: NDArray[np.int16]
    """[280, 3] the sets of each partition, by lowest digit"""
    second: NDArray[np.int16]
    """[512, 512] partition whose set with digit 0 is the first index, whose set with the
    lowest other digit is the second; -1 if none"""
    relative: NDArray[np.int16]
    """[280, 280] image of a partition under the relabelling that unfolds another one"""
    unfold: NDArray[np.int8]
    """[280, 9] relabelling that carries the partition to partition 0, set by set in order"""
    turn: NDArray[np.int8]
    """[280, 9] relabelling that keeps partition 0 and carries this one to its orbit's first"""
    turned: NDArray[np.int16]
    """[280, 280] image of the second partition under the ``turn`` of the first"""
    orbit: NDArray[np.int16]
    """[280] number of the partition's orbit under the relabellings that keep partition 0"""
    settle: NDArray[np.int8]
    """[orbits, 280, 9] relabelling that keeps partition 0 and the orbit's first partition and
    carries this one to the first it can reach"""
    kind: NDArray[np.int16]
    """[orbits, 280] class of the band (partition 0, first of the orbit, partition)"""
    member: NDArray[np.int16]
    """[classes, 3] the band that stands for each class"""
    after: NDArray[np.int16]
    """[280, 56, 3] sets that the columns of a box may have in the second band, given the
    partition (its sets in order) in the first; the third band gets what is left"""
    after_second: NDArray[np.int16]
    """[280, 56] the same as a partition"""
    after_third: NDArray[np.int16]
    """[280, 56] the partition of what is left for the third band"""
    ways: NDArray[np.int64]
    """[280, 280] number of bands with these column sets, the first partition being 0"""
    arrangement: NDArray[np.int64]
    """arrangements of each class's band, ascending; bits 2(9s + d) and up are the row of digit
    d in box s"""
    arrangement_start: NDArray[np.int32]
    """[classes + 1] where each class begins in ``arrangement``"""
    pairs: NDArray[np.int64]
    """[classes, 56 * 56 + 1] cumulative number of ways to complete the class's band to a grid,
    by the options taken in the first two boxes"""
    rows: NDArray[np.int16]
    """[56, 3] row sets of the second box, given the first box (digit 3c + r in row r, column c)"""
    top: NDArray[np.int32]
    """[72576] the first bands, ordered by class, as (row sets, order in box 2, order in box 3)"""
    top_place: NDArray[np.int32]
    """[72576] where each stands in ``top``"""
    top_start: NDArray[np.int32]
    """[classes + 1] where each class begins in ``top``"""
    start: NDArray[np.int64]
    """[classes + 1] number of grids with a given first box whose band is of an earlier class"""


@njit(cache=True, nogil=True)
def _arrange(columns: Array, limit: Any, out: Array) -> Any:
    """Number of ways to put nine columns' sets in three rows; the first ``limit`` go to ``out``.

    Depth first, one column after the other: ``used[r, j]`` is what row r holds before column
    j. A column's three digits go to the rows in one of six orders.
    """
    digit = np.zeros((9, 3), np.int64)
    for j in range(9):
        n = 0
        for d in range(9):
            if columns[j] >> d & 1:
                digit[j, n] = d
                n += 1
    order = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    used = np.zeros((10, 3), np.int64)
    key = np.zeros(10, np.int64)
    choice = np.full(10, -1)
    found = 0
    j = 0
    while j >= 0:
        choice[j] += 1
        if j == 9 or choice[j] == 6:
            if j == 9:
                if found < limit:
                    out[found] = key[9]
                found += 1
            choice[j] = -1
            j -= 1
            continue
        free = True
        packed = key[j]
        for n in range(3):
            r = order[choice[j], n]
            bit = 1 << digit[j, n]
            free = free and used[j, r] & bit == 0
            used[j + 1, r] = used[j, r] | bit
            packed |= r << 2 * (9 * (j // 3) + digit[j, n])
        if free:
            key[j + 1] = packed
            j += 1
    return found


def _completions(
    member: Array, after_second: Array, after_third: Array, relative: Array, ways: Array
) -> Array:
    """``Bands.pairs``: for each class the completions of its band, summed over the third box."""
    pairs = np.zeros((len(member), OPTIONS * OPTIONS + 1), np.int64)
    narrow = ways.astype(np.int16)  # at most 12^3
    for kind, (p, q, r) in enumerate(member):
        in_band = []  # arrangements of the second and the third band, [56, 56, 56]
        for after in (after_second, after_third):
            unfolded = relative[after[p]]
            in_band.append(
                narrow[unfolded[:, after[q]][:, :, None], unfolded[:, after[r]][:, None, :]]
            )
        pairs[kind, 1:] = np.einsum("ijk,ijk->ij", *in_band, dtype=np.int64).ravel().cumsum()
    return pairs


def _partitions() -> tuple[Array, Array]:
    """The 280 partitions as sets (280, 3), by lowest digits, and the table ``second``."""
    sets = np.zeros((PARTITIONS, 3), np.int16)
    second = np.full((512, 512), -1, np.int16)
    number = 0
    for one in combinations(range(1, 9), 2):
        rest = [digit for digit in range(9) if digit != 0 and digit not in one]
        for two in combinations(rest[1:], 2):
            first = 1 | 1 << one[0] | 1 << one[1]
            middle = 1 << rest[0] | 1 << two[0] | 1 << two[1]
            sets[number] = first, middle, ALL ^ first ^ middle
            second[first, middle] = number
            number += 1
    return sets, second


def _number(sets: Array, second: Array) -> Array:
    """Partition numbers of sets (..., 3) in any order."""
    with_zero = np.where(sets & 1, sets, 0).max(axis=-1)
    rest = ALL ^ with_zero
    lowest = rest & -rest
    with_lowest = np.where(sets & lowest[..., None], sets, 0).max(axis=-1)
    numbers: Array = second[with_zero, with_lowest]
    return numbers


def _images(relabellings: Array) -> Array:
    """Image of each of the 512 sets under each relabelling (n, 9): int16[n, 512]."""
    image = np.zeros((len(relabellings), 512), np.int16)
    masks = np.arange(512)
    for digit in range(9):
        bit = np.int16(1) << relabellings[:, digit].astype(np.int16)
        image |= np.where(masks >> digit & 1, bit[:, None], np.int16(0))
    return image


def _first_triples() -> NDArray[np.int16]:
    """The 56 ways to split nine digits into ordered sets that avoid {0 1 2} {3 4 5} {6 7 8}."""
    block = [7, 56, 448]
    triples = [sum(1 << digit for digit in chosen) for chosen in combinations(range(9), 3)]
    found = []
    for a, b in product(triples, repeat=2):
        c = ALL ^ a ^ b
        if not a & b and not a & block[0] and not b & block[1] and not c & block[2]:
            found.append((a, b, c))
    return np.array(found, np.int16)


def _lowest_digits() -> Array:
    digits = np.zeros((512, 3), np.int8)
    for members in range(512):
        inside = [digit for digit in range(9) if members >> digit & 1][:3]
        digits[members, : len(inside)] = inside
    return digits


@lru_cache(maxsize=1)
def bands() -> Bands:
    """All tables, made in some 0.2 s once the kernel is compiled, and kept.

    >>> tables = bands()
    >>> int(tables.start[-1]) * 362_880  # fixed first box, times its fillings: all grids
    6670903752021072936960
    """
    sets, second = _partitions()
    inner = list(permutations(range(3)))
    keep = np.array(
        [
            [3 * block[d // 3] + within[d // 3][d % 3] for d in range(9)]
            for block in inner
            for within in product(inner, repeat=3)
        ],
        np.int8,
    )  # the 1,296 relabellings that keep partition 0
    in_order = np.argsort(
        [[(sets[p] >> d & 1).argmax() for d in range(9)] for p in range(PARTITIONS)],
        axis=1,
        kind="stable",
    )  # the digits of each partition, set by set
    unfold = np.argsort(in_order, axis=1).astype(np.int8)
    relative = _number(_images(unfold)[:, sets], second)

    acted = _number(_images(keep)[:, sets], second)  # [1296, 280]
    leader = acted.min(axis=0)
    orbit_first, orbit = np.unique(leader, return_inverse=True)
    turn_of = acted.argmin(axis=0)
    settle = np.zeros((len(orbit_first), PARTITIONS, 9), np.int8)
    kind = np.zeros((len(orbit_first), PARTITIONS), np.int16)
    members: list[tuple[int, int, int]] = []
    for o, q in enumerate(orbit_first):
        fixing = np.flatnonzero(acted[:, q] == q)
        reached = acted[fixing].min(axis=0)
        settle[o] = keep[fixing[acted[fixing].argmin(axis=0)]]
        firsts, which = np.unique(reached, return_inverse=True)
        kind[o] = len(members) + which
        members += [(0, int(q), int(r)) for r in firsts]
    member = np.array(members, np.int16)

    triples = _first_triples()
    fold = _images(in_order.astype(np.int8))
    after = fold[:, triples]
    after_second = _number(after, second)
    third = ALL ^ after ^ sets[:, None, :]
    after_third = _number(third, second)

    arrangements = []
    buffer = np.zeros(12**3, np.int64)  # three equal partitions: a Latin square for each set
    for p, q, r in member:
        columns = np.concatenate((sets[p], sets[q], sets[r])).astype(np.int64)
        count = _arrange(columns, len(buffer), buffer)
        arrangements.append(np.sort(buffer[:count]))
    lengths = np.array([len(part) for part in arrangements])
    turned = acted[turn_of[:, None], np.arange(PARTITIONS)]
    ways = lengths[kind[orbit[:, None], turned]]
    pairs = _completions(member, after_second, after_third, relative, ways)

    rows, top_kind = _tops(triples, second, orbit, turned, kind)
    top = np.argsort(top_kind, kind="stable").astype(np.int32)
    top_place = np.argsort(top).astype(np.int32)
    top_count = np.bincount(top_kind, minlength=len(member))
    grids = top_count * 36 * pairs[:, -1]
    return Bands(
        _lowest_digits(), sets, second, relative, unfold, keep[turn_of], turned,
        orbit.astype(np.int16), settle, kind,
        member, after, after_second, after_third, ways,
        np.concatenate(arrangements), _starts(lengths).astype(np.int32), pairs,
        rows, top, top_place, _starts(top_count).astype(np.int32), _starts(grids),
    )  # fmt: skip


def _tops(
    triples: Array, second: Array, orbit: Array, turned: Array, kind: Array
) -> tuple[Array, Array]:
    """Row sets of box 2 given box 1, and the classes of the 72,576 first bands.

    A box's rows are three sets; its columns, in ascending order of the first row, come from
    36 ways to order the second and the third row: ``6 a + b``.
    """
    fold = np.array([[d % 3 * 3 + d // 3 for d in range(9)]], np.int8)  # rows for columns
    rows = _images(fold)[0, triples]
    third = ALL ^ rows ^ np.array([73, 146, 292])
    order = np.array(list(permutations(range(3))))
    partition = []
    for sets in (rows, third):
        digits = np.array([[[d for d in range(9) if s >> d & 1] for s in three] for three in sets])
        bits = 1 << digits  # [56, 3 rows, 3]
        columns = (
            bits[:, None, None, 0, :]
            + bits[:, 1][:, order][:, :, None]
            + bits[:, 2][:, order][:, None, :]
        )  # [56, 6, 6, 3 columns]
        partition.append(_number(columns.astype(np.int16), second).reshape(OPTIONS, 36))
    q, r = partition
    which = kind[orbit[q][:, :, None], turned[q[:, :, None], r[:, None, :]]]
    return rows, which.ravel()


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths)))
