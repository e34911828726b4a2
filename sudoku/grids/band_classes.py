"""Classes of bands of 9 x 9 grids by the sets of digits in their columns.

A band is three rows of a grid. The three columns that a box has in a band hold three digits
each, so they split the nine digits into three sets: one of 280 *partitions*. A band has three
partitions, one for each box. They determine which digits are left for each column of the other two
bands; and the number of ways to arrange column sets into three rows depends on the partitions
alone. Relabelling the digits changes no number, so the first partition can be carried to
{0 1 2} {3 4 5} {6 7 8}, partition 0, and the two others count up to the 1,296 relabellings that
keep partition 0. That leaves 131 classes of bands; all else is sums of products.

All numbers here fit into 64 bits: the largest is the number of grids with a given first box,
18,383,222,420,692,992 < 2^54, which is a sum without negative terms.

Bands by column sets: K. F. Pettersen, in "Sudoku enumeration" (2006); the number of grids was
first found by B. Felgenhauer and F. Jarvis, "Mathematics of Sudoku I" (2006).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudoku.kernels.kernel import Array

PARTITIONS = 280
CHOICES = 56  # column sets of a box in the second band, given its partition in the first
ALL_DIGITS = 511  # the set of all nine digits


class BandTables(NamedTuple):
    """Tables to count and number 9x9 grids.

    Digits are 0 to 8, sets of digits are 9-bit masks. The class of a band (p, q, r) is found by
    three relabellings: the first carries p to partition 0, the second keeps it and carries
    q to the first partition of its orbit, the third keeps both and carries r to the first
    partition that it can reach. Together they carry the band to the representative of its class.
    """

    digits: Array  # int8[512, 3]: lowest three digits of each set; 0 where there are fewer
    sets: Array  # int16[280, 3]: sets of each partition, by lowest digit
    # int16[512, 512]: partition whose set with digit 0 is the first index, and whose set with the
    # lowest other digit is the second; -1 if there is none
    partition_of: Array
    relabel_first: Array  # int8[280, 9]: first relabelling, by p
    image_first: Array  # int16[280, 280]: image of the second index, relabelled by the first
    relabel_second: Array  # int8[280, 9]: second relabelling, by q
    image_second: Array  # int16[280, 280]: image of the second index, relabelled by the first
    orbit: Array  # int16[280]: number of the orbit of q
    relabel_third: Array  # int8[orbits, 280, 9]: third relabelling, by the orbit of q and by r
    band_class: Array  # int16[orbits, 280]: class of the band, by the orbit of q and by r
    representative: Array  # int16[classes, 3]: the band that represents each class
    # int16[280, 56, 3]: column sets that a box can have in the second band, given its partition in
    # the first (sets in order); the third band gets what is left
    next_sets: Array
    next_second: Array  # int16[280, 56]: partition of these sets
    next_third: Array  # int16[280, 56]: partition of what is left for the third band
    num_arrangements: Array  # int64[280, 280]: bands with these column sets, by q and r; p is 0
    # int64: arrangements of each representative, ascending; two bits from 2(9s + d) on are the row
    # of digit d in box s
    arrangements: Array
    arrangement_start: Array  # int32[classes + 1]: where each class begins in `arrangements`
    # int64[classes, 56 * 56 + 1]: ways to complete the representative to a grid in which the
    # choices for the first two boxes come before these
    completions: Array
    # int16[56, 3]: row sets of box 2, given box 1 (digit 3c + r in row r, column c)
    box_rows: Array
    # int32[72576]: first bands, ordered by class: (row sets, order in box 2, order in box 3)
    first_bands: Array
    first_band_place: Array  # int32[72576]: place of each first band in `first_bands`
    first_band_start: Array  # int32[classes + 1]: where each class begins in `first_bands`
    # int64[classes + 1]: grids with a given first box whose first band is of an earlier class
    pattern_start: Array


@lru_cache(maxsize=1)
def band_tables() -> BandTables:
    """Return the tables; they are made in 0.2 s, and kept."""
    members = [[d for d in range(9) if digits >> d & 1] for digits in range(512)]
    digits = np.array([(inside + [0] * 3)[:3] for inside in members], np.int8)
    triples = _disjoint_triples()
    lowest = triples & -triples
    sets = triples[(lowest[:, :-1] < lowest[:, 1:]).all(axis=1)]
    partition_of = np.full((512, 512), -1, np.int16)
    partition_of[sets[:, 0], sets[:, 1]] = np.arange(PARTITIONS)
    in_order = digits[sets].reshape(PARTITIONS, 9)
    relabel_first = np.argsort(in_order, axis=1).astype(np.int8)
    image_first = _number(_images(relabel_first)[:, sets], partition_of)

    keeping = _keep_partition_0()
    image = _number(_images(keeping)[:, sets], partition_of)  # [1296, 280]
    second = image.argmin(axis=0)
    image_second = image[second[:, None], np.arange(PARTITIONS)]
    orbit, relabel_third, band_class, representative = _classes(keeping, image)

    # those that avoid {0 1 2} {3 4 5} {6 7 8}
    triples = triples[(triples & [7, 56, 448] == 0).all(axis=1)]
    next_sets = np.ascontiguousarray(_images(in_order)[:, triples])
    next_second = _number(next_sets, partition_of)
    next_third = _number(ALL_DIGITS ^ next_sets ^ sets[:, None, :], partition_of)

    class_arranged, arrangements = _arrangements(sets[representative].reshape(-1, 9), digits)
    lengths = np.bincount(class_arranged)
    num_arrangements = lengths[band_class[orbit[:, None], image_second]]
    completions = _completions(
        representative, next_second, next_third, image_first, num_arrangements
    )

    box_rows, q, r = _first_bands(triples, digits, partition_of)
    class_of = band_class[orbit[q][:, :, None], image_second[q[:, :, None], r[:, None, :]]].ravel()
    first_bands = np.argsort(class_of, kind="stable").astype(np.int32)
    num_first_bands = np.bincount(class_of, minlength=len(representative))
    return BandTables(
        digits, sets, partition_of, relabel_first, image_first,
        keeping[second], image_second, orbit, relabel_third, band_class, representative,
        next_sets, next_second, next_third, num_arrangements,
        arrangements, _starts(lengths).astype(np.int32), completions,
        box_rows, first_bands, np.argsort(first_bands).astype(np.int32),
        _starts(num_first_bands).astype(np.int32),
        _starts(num_first_bands * 36 * completions[:, -1]),
    )  # fmt: skip


def _disjoint_triples() -> Array:
    """Return all triples of disjoint sets of three digits, int16[1680, 3]."""
    sets = [sum(1 << digit for digit in chosen) for chosen in combinations(range(9), 3)]
    pairs = product(sets, repeat=2)
    return np.array([(a, b, ALL_DIGITS ^ a ^ b) for a, b in pairs if not a & b], np.int16)


def _number(sets: Array, partition_of: Array) -> Array:
    """Return the partitions of sets (..., 3) in any order."""
    with_zero = np.where(sets & 1, sets, 0).max(axis=-1)
    outside = ALL_DIGITS ^ with_zero
    lowest = outside & -outside
    with_lowest = np.where(sets & lowest[..., None], sets, 0).max(axis=-1)
    return np.ascontiguousarray(partition_of[with_zero, with_lowest])


def _images(relabellings: Array) -> Array:
    """Return the image of each of the 512 sets under each relabelling (n, 9): int16[n, 512]."""
    image = np.zeros((len(relabellings), 512), np.int16)
    masks = np.arange(512)
    for digit in range(9):
        bit = np.int16(1) << relabellings[:, digit].astype(np.int16)
        image |= np.where(masks >> digit & 1, bit[:, None], np.int16(0))
    return image


def _keep_partition_0() -> Array:
    """Return the 1,296 relabellings that keep partition 0."""
    orders = list(permutations(range(3)))
    return np.array(
        [
            [3 * order[d // 3] + inside[d // 3][d % 3] for d in range(9)]
            for order in orders
            for inside in product(orders, repeat=3)
        ],
        np.int8,
    )


def _classes(keeping: Array, image: Array) -> tuple[Array, Array, Array, Array]:
    """Return the tables `orbit`, `relabel_third`, `band_class` and `representative`.

    `image[k, p]` is the image of partition p under relabelling k of those that keep partition 0.
    """
    firsts, orbit = np.unique(image.min(axis=0), return_inverse=True)
    relabel_third = np.zeros((len(firsts), PARTITIONS, 9), np.int8)
    band_class = np.zeros((len(firsts), PARTITIONS), np.int16)
    representatives: list[tuple[int, int, int]] = []
    for number, q in enumerate(firsts):
        fixing = np.flatnonzero(image[:, q] == q)
        relabel_third[number] = keeping[fixing[image[fixing].argmin(axis=0)]]
        reached, inverse = np.unique(image[fixing].min(axis=0), return_inverse=True)
        band_class[number] = len(representatives) + inverse
        representatives += [(0, int(q), int(r)) for r in reached]
    return orbit.astype(np.int16), relabel_third, band_class, np.array(representatives, np.int16)


def _arrangements(columns: Array, digits: Array) -> tuple[Array, Array]:
    """Return the class and the arrangement for all ways to put column sets [classes, 9] in rows.

    Column by column, the three digits of a set go to the rows in one of six orders.
    """
    rows = np.array(list(permutations(range(3))), np.int32)
    bits = (np.int32(1) << 9 * rows + digits[:, None].astype(np.int32)).sum(axis=2, dtype=np.int32)
    packed = (rows << 2 * digits[:, None].astype(np.int32)).sum(axis=2)  # [512, 6], as `bits`
    number = np.arange(len(columns))
    used, key = np.zeros(len(columns), np.int32), np.zeros(len(columns), np.int64)
    for j in range(9):
        column = columns[number, j]
        at, order = np.nonzero(used[:, None] & bits[column] == 0)
        number, column = number[at], column[at]
        used = used[at] | bits[column, order]
        key = key[at] | packed[column, order] << 18 * (j // 3)
    codes = np.sort(number << 54 | key)
    return codes >> 54, codes & (1 << 54) - 1


def _completions(
    representative: Array,
    next_second: Array,
    next_third: Array,
    image_first: Array,
    num_arrangements: Array,
) -> Array:
    """Return the table `completions`: for each class, summed over the third box."""
    completions = np.zeros((len(representative), CHOICES * CHOICES + 1), np.int64)
    # at most 12^3: equal partitions give a Latin square for each of the sets
    narrow = num_arrangements.astype(np.int16)
    for number, (p, q, r) in enumerate(representative):
        in_band = []  # arrangements of the second and the third band, [56, 56, 56]
        for following in (next_second, next_third):
            image = image_first[following[p]]
            in_band.append(
                narrow[image[:, following[q]][:, :, None], image[:, following[r]][:, None, :]]
            )
        sums = np.einsum("ijk,ijk->ij", *in_band, dtype=np.int64)
        completions[number, 1:] = sums.ravel().cumsum()
    return completions


def _first_bands(triples: Array, digits: Array, partition_of: Array) -> tuple[Array, Array, Array]:
    """Return the table `box_rows`, and the partitions of boxes 2 and 3: int16[56, 36] each.

    The rows of a box are three sets. Its columns, sorted by the digit in the first row, come from
    36 ways to order the digits of the second and the third row: 6 a + b.
    """
    columns_to_rows = np.array([[d % 3 * 3 + d // 3 for d in range(9)]], np.int8)
    rows = _images(columns_to_rows)[0, triples]
    third = ALL_DIGITS ^ rows ^ np.array([73, 146, 292])
    order = np.array(list(permutations(range(3))))
    partition = []
    for sets in (rows, third):
        bits = np.int16(1) << digits[sets].astype(np.int16)  # [56, 3 rows, 3]
        columns = (
            bits[:, None, None, 0, :]
            + bits[:, 1][:, order][:, :, None]
            + bits[:, 2][:, order][:, None, :]
        )  # [56, 6, 6, 3 columns]
        partition.append(_number(columns, partition_of).reshape(CHOICES, 36))
    return rows, partition[0], partition[1]


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each of several parts of these lengths begins, and the end of the last."""
    return np.concatenate(([0], np.cumsum(lengths)))
