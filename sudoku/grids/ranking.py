"""Kernels that turn numbers into 9 x 9 grids and back.

A grid's number has two parts. The *label* is the rank, among the 9! permutations in
lexicographic order, of its first box read row by row. The *rest* numbers, from 0, the grids whose
first box reads 1 to 9 downwards, after relabelling. It is split further, most significant first:

1. the class of the first band and the band among its class (``Bands.start``, ``Bands.top``);
2. the order of the columns in the second and the third box, 6 x 6;
3. the column sets of the second and third band, by the number of grids they make: first those of
   the boxes below the first two (``Bands.pairs``), then of the last;
4. the arrangement of the second band, and that of the third.

Inside, digits are 0 to 8 and digit 3c + r stands in row r, column c of the first box. Steps 3 and
4 happen in the coordinates of the band that stands for the class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sudoku.grids.bands import Bands

Array = NDArray[Any]


@njit(cache=True, nogil=True)
def _band_class(tables: Bands, p: Any, q: Any, r: Any, relabel: Array) -> Any:
    """Class of a band; ``relabel`` becomes the relabelling that carries it to its class's band."""
    unfolded2 = tables.relative[p, q]
    unfolded3 = tables.relative[p, r]
    settled = tables.turned[unfolded2, unfolded3]
    orbit = tables.orbit[unfolded2]
    for d in range(9):
        relabel[d] = tables.settle[orbit, settled, tables.turn[unfolded2, tables.unfold[p, d]]]
    return tables.kind[orbit, settled]


@njit(cache=True, nogil=True)
def _partition(tables: Bands, columns: Array) -> Any:
    """Number of the partition with these three sets, in any order."""
    one = columns[0]
    for j in range(1, 3):
        if columns[j] & 1:
            one = columns[j]
    rest = 511 ^ one
    lowest = rest & -rest
    two = columns[0]
    for j in range(1, 3):
        if columns[j] & lowest:
            two = columns[j]
    return tables.second[one, two]


@njit(cache=True, nogil=True)
def _last_not_above(values: Array, low: Any, high: Any, x: Any) -> Any:
    """Greatest i in low ... high - 1 with ``values[i] <= x``; ``values`` ascends."""
    while high - low > 1:
        middle = (low + high) >> 1
        if values[middle] <= x:
            low = middle
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _last_box_ways(tables: Bands, p: Any, q: Any, r: Any, i: Any, j: Any, k: Any) -> Any:
    """Arrangements of the second and of the third band under column sets ``i, j, k``."""
    p2, p3 = tables.after_second[p, i], tables.after_third[p, i]
    q2, q3 = tables.after_second[q, j], tables.after_third[q, j]
    r2, r3 = tables.after_second[r, k], tables.after_third[r, k]
    return (
        tables.ways[tables.relative[p2, q2], tables.relative[p2, r2]],
        tables.ways[tables.relative[p3, q3], tables.relative[p3, r3]],
    )


@njit(cache=True, nogil=True)
def _columns_of_class(
    tables: Bands, kind: Any, column_of: Array, back: Array, place: Array
) -> None:
    """``place[s, j]``: the grid's column, in box s, of column j of the class's band.

    ``column_of[s, d]`` is the column of digit d in box s, ``back`` the inverse relabelling.
    """
    for s in range(3):
        for j in range(3):
            digits = tables.sets[tables.member[kind, s], j]
            place[s, j] = column_of[s, back[tables.digits[digits, 0]]]


@njit(cache=True, nogil=True)
def unrank(tables: Bands, label: Array, rest: Array, out: Array) -> None:
    """Grids of the numbers (label, rest), both int64[n], to ``out``: uint8[n, 81]."""
    order = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    name = np.empty(9, np.uint8)
    row = np.empty((3, 3, 3), np.int64)  # box, row, place in the ascending row: digit
    column_of = np.empty((3, 9), np.int64)
    columns = np.empty((3, 3), np.int64)
    relabel = np.empty(9, np.int64)
    back = np.empty(9, np.int64)
    place = np.empty((3, 3), np.int64)
    numbers = np.empty(3, np.int64)
    chosen = np.empty(3, np.int64)
    for n in range(len(label)):
        pool = 0x876543210  # digits not yet named, four bits each
        x = label[n]
        unit = 40320
        for cell in range(9):
            shift = 4 * (x // unit)
            x %= unit
            unit //= max(8 - cell, 1)
            name[cell % 3 * 3 + cell // 3] = (pool >> shift & 15) + 1
            pool = (pool & (1 << shift) - 1) | (pool >> (shift + 4)) << shift

        x = rest[n]
        kind = _last_not_above(tables.start, 0, len(tables.start) - 1, x)
        x -= tables.start[kind]
        total = tables.pairs[kind, 3136]
        place_in_class = x // (36 * total)
        x -= 36 * total * place_in_class
        orders = x // total
        x -= total * orders
        code = tables.top[tables.top_start[kind] + place_in_class]

        columns[:] = 0
        for r in range(3):
            box2 = tables.rows[code // 1296, r]
            # box 1 holds digits r, r + 3, r + 6 in this row
            box3 = 511 ^ box2 ^ (73 << r)
            for c in range(3):
                row[1, r, c] = tables.digits[box2, c]
                row[2, r, c] = tables.digits[box3, c]
                out[n, 9 * r + c] = name[3 * c + r]
                column_of[0, 3 * c + r] = c
        columns[0, 0], columns[0, 1], columns[0, 2] = 7, 56, 448
        for s in range(1, 3):
            inside = code // 36 % 36 if s == 1 else code % 36
            outside = orders // 6 if s == 1 else orders % 6
            for c in range(3):
                j = order[outside, c]
                for r in range(3):
                    if r == 0:
                        d = row[s, 0, j]
                    elif r == 1:
                        d = row[s, 1, order[inside // 6, j]]
                    else:
                        d = row[s, 2, order[inside % 6, j]]
                    out[n, 9 * r + 3 * s + c] = name[d]
                    column_of[s, d] = c
                    columns[s, c] |= 1 << d
        _band_class(
            tables, 0, _partition(tables, columns[1]), _partition(tables, columns[2]), relabel
        )
        for d in range(9):
            back[relabel[d]] = d
        _columns_of_class(tables, kind, column_of, back, place)

        p, q, r = tables.member[kind, 0], tables.member[kind, 1], tables.member[kind, 2]
        pair = _last_not_above(tables.pairs[kind], 0, 3136, x)
        x -= tables.pairs[kind, pair]
        chosen[0], chosen[1], chosen[2] = pair // 56, pair % 56, 0
        while True:
            ways2, ways3 = _last_box_ways(tables, p, q, r, chosen[0], chosen[1], chosen[2])
            if x < ways2 * ways3:
                break
            x -= ways2 * ways3
            chosen[2] += 1
        for b in range(1, 3):
            for s in range(3):
                whole = tables.after_second if b == 1 else tables.after_third
                numbers[s] = whole[tables.member[kind, s], chosen[s]]
            like = _band_class(tables, numbers[0], numbers[1], numbers[2], relabel)
            choice = x // ways3 if b == 1 else x % ways3
            key = tables.arrangement[tables.arrangement_start[like] + choice]
            for s in range(3):
                p = tables.member[kind, s]
                for c in range(3):
                    digits = tables.after[p, chosen[s], c]
                    if b == 2:
                        digits ^= 511 ^ tables.sets[p, c]
                    for i in range(3):
                        d = tables.digits[digits, i]
                        r = key >> 2 * (9 * s + relabel[d]) & 3
                        out[n, 27 * b + 9 * r + 3 * s + place[s, c]] = name[back[d]]


@njit(cache=True, nogil=True)
def rank(tables: Bands, grids: Array, label: Array, rest: Array) -> Any:
    """Numbers of valid grids, uint8[n, 81], to ``label`` and ``rest``: int64[n].

    Stops at the first that is not a grid and returns its place; else returns n.
    """
    order_number = np.array([0, 1, 0, 2, 0, 3, 0, 4, 5])  # by 4 x first + second - 1
    digit_of = np.empty(10, np.int64)
    cell = np.empty((9, 9), np.int64)
    column_of = np.empty((3, 9), np.int64)
    columns = np.empty((3, 3), np.int64)
    relabel = np.empty(9, np.int64)
    relabel2 = np.empty(9, np.int64)
    back = np.empty(9, np.int64)
    place = np.empty((3, 3), np.int64)
    numbers = np.empty(3, np.int64)
    chosen = np.empty(3, np.int64)
    sort = np.empty((3, 3), np.int64)
    for n in range(len(grids)):
        grid = grids[n]
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
                return n

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
        label[n] = x
        for r in range(9):
            for c in range(9):
                cell[r, c] = digit_of[grid[9 * r + c]]

        columns[:] = 0
        for s in range(3):
            for r in range(3):
                for c in range(3):
                    columns[s, c] |= 1 << cell[r, 3 * s + c]
                    column_of[s, cell[r, 3 * s + c]] = c
        one = two = 0
        for c in range(3):
            one |= 1 << cell[0, 3 + c]
            two |= 1 << cell[1, 3 + c]
        code = 0
        while tables.rows[code, 0] != one or tables.rows[code, 1] != two:
            code += 1
        orders = 0
        for s in range(1, 3):
            # sort[r, i]: the column whose digit is the i-th lowest of row r
            for r in range(3):
                for c in range(3):
                    i = 0
                    for other in range(3):
                        if cell[r, 3 * s + other] < cell[r, 3 * s + c]:
                            i += 1
                    sort[r, i] = c
            # in columns sorted by row 0, which place has row r's digit
            inside = 0
            for r in range(1, 3):
                first = second = 0
                for i in range(3):
                    if sort[r, i] == sort[0, 0]:
                        first = i
                    elif sort[r, i] == sort[0, 1]:
                        second = i
                inside = 6 * inside + order_number[4 * first + second - 1]
            code = 36 * code + inside
            first = second = 0
            for i in range(3):
                if sort[0, i] == 0:
                    first = i
                elif sort[0, i] == 1:
                    second = i
            orders = 6 * orders + order_number[4 * first + second - 1]
        kind = _band_class(
            tables, 0, _partition(tables, columns[1]), _partition(tables, columns[2]), relabel
        )
        for d in range(9):
            back[relabel[d]] = d
        _columns_of_class(tables, kind, column_of, back, place)
        total = tables.pairs[kind, 3136]
        x = 36 * (tables.top_place[code] - tables.top_start[kind]) + orders
        x = tables.start[kind] + x * total

        for s in range(3):
            for c in range(3):
                columns[s, c] = 0
                for r in range(3, 6):
                    columns[s, c] |= 1 << relabel[cell[r, 3 * s + place[s, c]]]
            p = tables.member[kind, s]
            i = 0
            while tables.after[p, i, 0] != columns[s, 0] or tables.after[p, i, 1] != columns[s, 1]:
                i += 1
            chosen[s] = i
        p, q, r = tables.member[kind, 0], tables.member[kind, 1], tables.member[kind, 2]
        x += tables.pairs[kind, 56 * chosen[0] + chosen[1]]
        for k in range(chosen[2]):
            ways2, ways3 = _last_box_ways(tables, p, q, r, chosen[0], chosen[1], k)
            x += ways2 * ways3
        ways2, ways3 = _last_box_ways(tables, p, q, r, chosen[0], chosen[1], chosen[2])
        for b in range(1, 3):
            for s in range(3):
                whole = tables.after_second if b == 1 else tables.after_third
                numbers[s] = whole[tables.member[kind, s], chosen[s]]
            like = _band_class(tables, numbers[0], numbers[1], numbers[2], relabel2)
            key = 0
            for r in range(3):
                for c in range(9):
                    d = relabel2[relabel[cell[3 * b + r, c]]]
                    key |= r << 2 * (9 * (c // 3) + d)
            begin, end = tables.arrangement_start[like], tables.arrangement_start[like + 1]
            choice = _last_not_above(tables.arrangement, begin, end, key) - begin
            x += choice * ways3 if b == 1 else choice
        rest[n] = x
    return len(grids)
