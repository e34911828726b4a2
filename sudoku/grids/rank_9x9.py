"""Kernels that turn numbers into 9 x 9 grids and back.

The number of a grid has two parts. The *relabelling* is the rank, among the 9! permutations in
lexicographic order, of its first box read row by row. The *pattern* numbers, from 0, the grids
whose first box reads 1 to 9 downwards, to which the relabelling is applied. It is composed, most
significant part first, of

1. the class of the first band, and the band within its class (`BandTables.pattern_start`,
   `first_bands`);
2. the order of the columns in the second and the third box, 6 x 6;
3. the choices of column sets for the second band, in the number of grids that they leave: first
   those of the first two boxes (`BandTables.completions`), then that of the third;
4. the arrangement of the second band, and that of the third.

Here digits are 0 to 8, and digit 3c + r stands in row r, column c of the first box. Steps 3 and 4
use the digits and columns of the representative of the class, to which `relabel` carries the digits
of the grid. All numbers are below the number of patterns, which is less than 2^54.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlx.compiled import helper, inlined, interpreted, kernel
from sudoku.grids.band_classes import BandTables
from sudoku.kernels.kernel import Array

PAIRS = np.int64(56 * 56)  # choices of column sets for the first two boxes
ORDERS = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], np.int64)

# int64 constants: numba would compile a helper once more for every literal argument
ZERO, ONE, TWO = np.int64(0), np.int64(1), np.int64(2)


class Scratch(NamedTuple):
    """Arrays that the kernels write to, int64: to allocate them would take longer to compile."""

    name: Array  # [10]: value in the grid, 1 to 9, of each digit; or the digit of each value
    cell: Array  # [9, 9]: digits of the grid; of the first band, [3 * box + row, place] ascending
    column_of: Array  # [box, digit]: column in the first band
    columns: Array  # [box, column]: set of digits
    relabel: Array  # [9]: carries the digits to those of the representative
    relabel2: Array  # [9]: likewise, for the second or third band
    back: Array  # [9]: the inverse of `relabel`
    place: Array  # [box, column of the representative]: column of the grid
    choice: Array  # [3]: choices of column sets


def scratch() -> Scratch:
    """Return arrays for `unrank` or `rank`."""
    shapes = (10, (9, 9), (3, 9), (3, 3), 9, 9, 9, (3, 3), 3)
    return Scratch(*(np.zeros(shape, np.int64) for shape in shapes))


@helper
def _class_of(tables: BandTables, p: Any, q: Any, r: Any, relabel: Array) -> Any:
    """Return the class of a band; set `relabel` to what carries it to the representative."""
    q1 = tables.image_first[p, q]
    r2 = tables.image_second[q1, tables.image_first[p, r]]
    orbit = tables.orbit[q1]
    for d in range(9):
        d2 = tables.relabel_second[q1, tables.relabel_first[p, d]]
        relabel[d] = tables.relabel_third[orbit, r2, d2]
    return tables.band_class[orbit, r2]


@helper
def _partition(tables: BandTables, columns: Array, s: Any) -> Any:
    """Return the partition of the three sets of box s, in any order."""
    one = columns[s, 0]
    for j in range(1, 3):
        if columns[s, j] & 1:
            one = columns[s, j]
    outside = 511 ^ one
    lowest = outside & -outside
    two = columns[s, 0]
    for j in range(1, 3):
        if columns[s, j] & lowest:
            two = columns[s, j]
    return np.int64(tables.partition_of[one, two])


@helper
def _last_not_above(values: Array, low: Any, high: Any, x: Any) -> Any:
    """Return the greatest i in low ... high - 1 with `values[i] <= x`; `values` ascends."""
    while high - low > 1:
        middle = (low + high) >> 1
        if values[middle] <= x:
            low = middle
        else:
            high = middle
    return low


@helper
def _num_arrangements(tables: BandTables, p: Any, q: Any, r: Any, i: Any, j: Any, k: Any) -> Any:
    """Return the numbers of arrangements of the second and the third band.

    (p, q, r) is the first band; i, j, k are the choices of column sets for its boxes.
    """
    p2, p3 = tables.next_second[p, i], tables.next_third[p, i]
    q2, q3 = tables.next_second[q, j], tables.next_third[q, j]
    r2, r3 = tables.next_second[r, k], tables.next_third[r, k]
    return (
        tables.num_arrangements[tables.image_first[p2, q2], tables.image_first[p2, r2]],
        tables.num_arrangements[tables.image_first[p3, q3], tables.image_first[p3, r3]],
    )


@inlined
def _first_class(tables: BandTables, scratch: Scratch) -> Any:
    """Return the class of the first band; set `relabel`, its inverse `back`, and `place`."""
    columns, relabel, back = scratch.columns, scratch.relabel, scratch.back
    band_class = _class_of(
        tables, ZERO, _partition(tables, columns, ONE), _partition(tables, columns, TWO), relabel
    )
    for d in range(9):
        back[relabel[d]] = d
    for s in range(3):
        for j in range(3):
            digits = tables.sets[tables.representative[band_class, s], j]
            scratch.place[s, j] = scratch.column_of[s, back[tables.digits[digits, 0]]]
    return band_class


@inlined
def _next_class(tables: BandTables, b: Any, band_class: Any, choice: Array, relabel: Array) -> Any:
    """Return the class of the second (b = 1) or third band; set `relabel` as `_class_of` does."""
    following = tables.next_second if b == 1 else tables.next_third
    p = following[tables.representative[band_class, 0], choice[0]]
    q = following[tables.representative[band_class, 1], choice[1]]
    r = following[tables.representative[band_class, 2], choice[2]]
    return _class_of(tables, np.int64(p), np.int64(q), np.int64(r), relabel)


@helper
def _unrank_permutation(x: Any, name: Array) -> None:
    """Set the value of each digit, so that the first box has rank `x`."""
    pool = np.int64(0x876543210)  # values not used yet, less 1, four bits each
    unit = np.int64(40320)
    for cell in range(9):
        shift = 4 * (x // unit)
        x %= unit
        unit //= max(8 - cell, 1)
        name[cell % 3 * 3 + cell // 3] = (pool >> shift & 15) + 1
        pool = (pool & (1 << shift) - 1) | (pool >> (shift + 4)) << shift


@kernel
def unrank(
    tables: BandTables, relabelling: Array, pattern: Array, out: Array, scratch: Scratch
) -> None:
    """Write the grids of numbers (relabelling, pattern), int64[n] each, to `out`, uint8[n, 81]."""
    name, row, column_of, columns, _, relabel, back, place, choice = scratch
    for n in range(len(relabelling)):
        _unrank_permutation(relabelling[n], name)

        # step 1 and 2: the first band
        x = pattern[n]
        band_class = _last_not_above(tables.pattern_start, ZERO, len(tables.pattern_start) - 1, x)
        x -= tables.pattern_start[band_class]
        completions = tables.completions[band_class, PAIRS]
        place_in_class = x // (36 * completions)
        x -= 36 * completions * place_in_class
        orders = x // completions
        x -= completions * orders
        first_band = tables.first_bands[tables.first_band_start[band_class] + place_in_class]
        for r in range(3):
            box2 = tables.box_rows[first_band // 1296, r]
            # box 1 holds digits r, r + 3, r + 6 in this row
            box3 = 511 ^ box2 ^ (73 << r)
            for c in range(3):
                row[3 + r, c] = tables.digits[box2, c]
                row[6 + r, c] = tables.digits[box3, c]
                out[n, 9 * r + c] = name[3 * c + r]
                column_of[0, 3 * c + r] = c
        for s in range(1, 3):
            inside = first_band // 36 % 36 if s == 1 else first_band % 36
            outside = orders // 6 if s == 1 else orders % 6
            for c in range(3):
                j = ORDERS[outside, c]
                columns[s, c] = 0
                for r in range(3):
                    d = row[3 * s + r, ORDERS[(0, inside // 6, inside % 6)[r], j]]
                    out[n, 9 * r + 3 * s + c] = name[d]
                    column_of[s, d] = c
                    columns[s, c] |= 1 << d

        _first_class(tables, scratch)

        # step 3: column sets of the second and the third band
        pair = _last_not_above(tables.completions[band_class], ZERO, PAIRS, x)
        x -= tables.completions[band_class, pair]
        choice[0], choice[1], choice[2] = pair // 56, pair % 56, 0
        p = tables.representative[band_class, 0]
        q = tables.representative[band_class, 1]
        r = tables.representative[band_class, 2]
        while True:  # a linear search: the third box has only 56 choices
            ways2, ways3 = _num_arrangements(tables, p, q, r, choice[0], choice[1], choice[2])
            if x < ways2 * ways3:
                break
            x -= ways2 * ways3
            choice[2] += 1

        # step 4: their arrangements
        for b in range(1, 3):
            like = _next_class(tables, b, band_class, choice, relabel)
            number = x // ways3 if b == 1 else x % ways3
            rows = tables.arrangements[tables.arrangement_start[like] + number]
            for s in range(3):
                p = tables.representative[band_class, s]
                for c in range(3):
                    digits = tables.next_sets[p, choice[s], c]
                    if b == 2:
                        digits ^= 511 ^ tables.sets[p, c]
                    for i in range(3):
                        d = tables.digits[digits, i]
                        r = rows >> 2 * (9 * s + relabel[d]) & 3
                        out[n, 27 * b + 9 * r + 3 * s + place[s, c]] = name[back[d]]


@helper
def _is_valid(grid: Array) -> bool:
    """Whether each row, column and box holds the values 1 to 9."""
    for h in range(9):
        in_row: Any = 0
        in_column: Any = 0
        in_box: Any = 0
        for i in range(9):
            in_row |= 1 << np.int64(grid[9 * h + i])
            in_column |= 1 << np.int64(grid[9 * i + h])
            cell_in_box = 9 * (h // 3 * 3 + i // 3) + h % 3 * 3 + i % 3
            in_box |= 1 << np.int64(grid[cell_in_box])
        if in_row != 1022 or in_column != 1022 or in_box != 1022:
            return False
    return True


@helper
def _rank_permutation(grid: Array, digit_of: Array) -> Any:
    """Return the rank of the first box; set the digit of each value."""
    x: Any = 0
    before: Any = 0
    for i in range(9):
        value = np.int64(grid[9 * (i // 3) + i % 3])
        smaller = value - 1
        for v in range(1, value):
            smaller -= before >> v & 1
        before |= 1 << value
        x = x * (9 - i) + smaller
        digit_of[value] = i % 3 * 3 + i // 3
    return x


@helper
def _order(a: Any, b: Any, c: Any) -> Any:
    """Return the rank, among the six orders of three numbers, of this one."""
    return 2 * (np.int64(b < a) + np.int64(c < a)) + np.int64(c < b)


@kernel
def rank(
    tables: BandTables, grids: Array, relabelling: Array, pattern: Array, scratch: Scratch
) -> Any:
    """Write the numbers of grids, uint8[n, 81], to `relabelling` and `pattern`, int64[n].

    Return the index of the first that is not a valid grid, where the kernel stops; else n.
    """
    digit_of, cell, column_of, columns, relabel, relabel2, _, place, choice = scratch
    for n in range(len(grids)):
        grid = grids[n]
        if not _is_valid(grid):
            return n
        relabelling[n] = _rank_permutation(grid, digit_of)
        for r in range(9):
            for c in range(9):
                cell[r, c] = digit_of[grid[9 * r + c]]

        # step 1 and 2: the first band
        for s in range(3):
            for c in range(3):
                columns[s, c] = 0
                for r in range(3):
                    columns[s, c] |= 1 << cell[r, 3 * s + c]
                    column_of[s, cell[r, 3 * s + c]] = c
        one = two = 0
        for c in range(3):
            one |= 1 << cell[0, 3 + c]
            two |= 1 << cell[1, 3 + c]
        first_band = 0
        while tables.box_rows[first_band, 0] != one or tables.box_rows[first_band, 1] != two:
            first_band += 1
        orders = 0
        for s in range(1, 3):
            a, b, c = 3 * s, 3 * s + 1, 3 * s + 2
            orders = 6 * orders + _order(cell[0, a], cell[0, b], cell[0, c])
            # columns sorted by the digit in row 0
            if cell[0, a] > cell[0, b]:
                a, b = b, a
            if cell[0, b] > cell[0, c]:
                b, c = c, b
            if cell[0, a] > cell[0, b]:
                a, b = b, a
            for r in range(1, 3):
                first_band = 6 * first_band + _order(cell[r, a], cell[r, b], cell[r, c])

        band_class = _first_class(tables, scratch)
        completions = tables.completions[band_class, PAIRS]
        place_in_class = tables.first_band_place[first_band] - tables.first_band_start[band_class]
        x = tables.pattern_start[band_class] + (36 * place_in_class + orders) * completions

        # step 3: column sets of the second and the third band
        for s in range(3):
            for c in range(3):
                columns[s, c] = 0
                for r in range(3, 6):
                    columns[s, c] |= 1 << relabel[cell[r, 3 * s + place[s, c]]]
            sets = tables.next_sets[tables.representative[band_class, s]]
            i = 0  # a linear search: a box has only 56 choices
            while sets[i, 0] != columns[s, 0] or sets[i, 1] != columns[s, 1]:
                i += 1
            choice[s] = i
        x += tables.completions[band_class, 56 * choice[0] + choice[1]]
        p = tables.representative[band_class, 0]
        q = tables.representative[band_class, 1]
        r = tables.representative[band_class, 2]
        for k in range(choice[2]):
            ways2, ways3 = _num_arrangements(tables, p, q, r, choice[0], choice[1], k)
            x += ways2 * ways3

        # step 4: their arrangements
        ways2, ways3 = _num_arrangements(tables, p, q, r, choice[0], choice[1], choice[2])
        for b in range(1, 3):
            like = _next_class(tables, b, band_class, choice, relabel2)
            rows = 0
            for r in range(3):
                for c in range(9):
                    d = relabel2[relabel[cell[3 * b + r, c]]]
                    rows |= r << 2 * (9 * (c // 3) + d)
            begin, end = tables.arrangement_start[like], tables.arrangement_start[like + 1]
            number = _last_not_above(tables.arrangements, begin, end, rows) - begin
            x += number * ways3 if b == 1 else number
        pattern[n] = x
    return len(grids)


INTERPRETED = {function: interpreted(function) for function in (rank, unrank)}
"""These kernels in plain Python."""
