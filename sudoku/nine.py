"""Kernel for batches of 9 x 9 puzzles: sixteen depth-first searches at once, one per lane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

from sudoku.lanes import WIDTH, aligned, load, lowest, nonzero, popcount, splat, store
from sudoku.planes import read_cells, write_cells

# Rows of `words`.
ROW = 27
COLUMN = 36
CLAIMED = 45
KNOWN = 48
ROW_FULL = 51
COLUMN_FULL = 52
ROW_PATTERN = 53
COLUMN_PATTERN = 62
FRESH = 71
ROWS = 72

# Rows of `lanes`.
PUZZLE = 0
HEIGHT = 1
FOUND = 2
GUESSES = 3

DEALT = 0
BUSY = 1

DEPTH = 82

THIRD = 0x1FF
CELLS = 0x7FFFFFF
BAND = 0o007007007
STACK = 0o111111111


class State(NamedTuple):
    """Sixteen searches."""

    words: Any
    stack: Any
    lanes: Any
    counters: Any


@njit(nogil=True, inline="always")
def _next_third(x: Any) -> Any:
    """Bits 9 i + box come from 9 (i + 1) + box, i modulo 3; bits from 27 on are arbitrary."""
    return (x >> 9) | (x << 18)


@njit(nogil=True, inline="always")
def _next_across(x: Any) -> Any:
    """Boxes 3 b + s come from 3 b + (s + 1), s modulo 3: the next box of the band."""
    return ((x >> 1) & 0o333333333) | ((x << 2) & 0o444444444)


@njit(nogil=True, inline="always")
def _next_down(x: Any) -> Any:
    """Boxes 3 b + s come from 3 (b + 1) + s, b modulo 3: the next box of the stack."""
    return ((x >> 3) & 0o077077077) | ((x << 6) & 0o700700700)


@njit(nogil=True, inline="always")
def _thrice(x: Any) -> Any:
    """The first nine bits in all three thirds."""
    y = x & THIRD
    return y | (y << 9) | (y << 18)


@njit(nogil=True)
def _round(words: Any) -> Any:
    """One round of inference in every lane: which are contradictory, changed, unsolved."""
    fresh = load(words, FRESH)
    claimed0 = load(words, CLAIMED) & ~fresh
    claimed1 = load(words, CLAIMED + 1) & ~fresh
    claimed2 = load(words, CLAIMED + 2) & ~fresh
    known0 = load(words, KNOWN)
    known1 = load(words, KNOWN + 1)
    known2 = load(words, KNOWN + 2)
    rows3 = load(words, ROW_FULL) & ~fresh
    columns3 = load(words, COLUMN_FULL) & ~fresh
    rows1 = rows2 = columns1 = columns2 = splat(0)
    one0 = one1 = one2 = splat(0)
    two0 = two1 = two2 = splat(0)
    some = splat(CELLS)
    for digit in range(9):
        one_row = load(words, ROW + digit) & ~fresh
        one_column = load(words, COLUMN + digit) & ~fresh
        sole = one_row & one_column
        new0 = load(words, 3 * digit) & (~claimed0 | sole)
        new1 = load(words, 3 * digit + 1) & (~claimed1 | sole)
        new2 = load(words, 3 * digit + 2) & (~claimed2 | sole)

        place0 = new0 & known0
        place1 = new1 & known1
        place2 = new2 & known2
        place = place0 | place1 | place2
        other = _next_third(place) | (place >> 18) | (place << 9)
        new0 = new0 & ~(other | place1 | place2)
        new1 = new1 & ~(other | place0 | place2)
        new2 = new2 & ~(other | place0 | place1)

        row = (new0 | new1 | new2) & (~rows3 | one_row)
        next_row = _next_third(row)
        pair = (row & _next_across(next_row)) | (next_row & _next_across(row))
        row = row & _next_across(_next_third(pair))
        new0 = new0 & row
        new1 = new1 & row
        new2 = new2 & row

        column = (
            ((new0 | (new0 >> 9) | (new0 >> 18)) & THIRD)
            | (((new1 << 9) | new1 | (new1 >> 9)) & (THIRD << 9))
            | (((new2 << 18) | (new2 << 9) | new2) & (THIRD << 18))
        ) & (~columns3 | one_column)
        next_column = _next_third(column)
        pair = (column & _next_down(next_column)) | (next_column & _next_down(column))
        column = column & _next_down(_next_third(pair))
        new0 = new0 & _thrice(column)
        new1 = new1 & _thrice(column >> 9)
        new2 = new2 & _thrice(column >> 18)

        store(words, 3 * digit, new0)
        store(words, 3 * digit + 1, new1)
        store(words, 3 * digit + 2, new2)
        store(words, ROW_PATTERN + digit, row)
        store(words, COLUMN_PATTERN + digit, column)
        two0 = two0 | (one0 & new0)
        two1 = two1 | (one1 & new1)
        two2 = two2 | (one2 & new2)
        one0 = one0 | new0
        one1 = one1 | new1
        one2 = one2 | new2

        row1 = row >> 9
        one_row = _thrice((row ^ row1 ^ (row >> 18)) & ~(row & row1))
        store(words, ROW + digit, one_row)
        column1 = column >> 9
        column2 = column >> 18
        some = some & (column | column1 | column2)
        one_column = _thrice((column ^ column1 ^ column2) & ~(column & column1))
        store(words, COLUMN + digit, one_column)

        row = row & one_row
        rows3 = rows3 | (rows2 & row)
        rows2 = rows2 | (rows1 & row)
        rows1 = rows1 | row
        column = column & one_column
        columns3 = columns3 | (columns2 & column)
        columns2 = columns2 | (columns1 & column)
        columns1 = columns1 | column

        sole = one_row & one_column
        claimed0 = claimed0 | (new0 & sole)
        claimed1 = claimed1 | (new1 & sole)
        claimed2 = claimed2 | (new2 & sole)
    changed = (claimed0 & two0) | (claimed1 & two1) | (claimed2 & two2)
    changed = changed | (rows3 & ~load(words, ROW_FULL)) | (columns3 & ~load(words, COLUMN_FULL)) | fresh
    store(words, CLAIMED, claimed0)
    store(words, CLAIMED + 1, claimed1)
    store(words, CLAIMED + 2, claimed2)
    store(words, FRESH, splat(0))
    store(words, ROW_FULL, rows3)
    store(words, COLUMN_FULL, columns3)
    known0 = one0 & ~two0
    known1 = one1 & ~two1
    known2 = one2 & ~two2
    changed = changed | (known0 ^ load(words, KNOWN))
    changed = changed | (known1 ^ load(words, KNOWN + 1))
    changed = changed | (known2 ^ load(words, KNOWN + 2))
    store(words, KNOWN, known0)
    store(words, KNOWN + 1, known1)
    store(words, KNOWN + 2, known2)
    bad = ((one0 & one1 & one2) ^ CELLS) | ((some & THIRD) ^ THIRD)
    return nonzero(bad), nonzero(changed), nonzero(two0 | two1 | two2)


@njit(nogil=True)
def _forget(words: Any, lane: int) -> None:
    """Nothing is known of a lane but its candidates."""
    words[FRESH, lane] = CELLS
    for j in range(3):
        words[KNOWN + j, lane] = 0


@njit(nogil=True, inline="always")
def _less(a: int, b: int) -> int:
    """The lesser of two, without a jump: which one it is cannot be predicted."""
    difference = b - a
    return a + (difference & (difference >> 63))


@njit(nogil=True)
def _branch(words: Any, lane: int, saved: Any) -> None:
    """Choose a candidate: assign it in the lane, save the state without it, uint32[27]."""
    total0 = total1 = total2 = total3 = total4 = total5 = 0
    for digit in range(9):
        pattern = np.int64(words[ROW_PATTERN + digit, lane])
        total0 += popcount(pattern & BAND)
        total1 += popcount(pattern & (BAND << 3))
        total2 += popcount(pattern & (BAND << 6))
        pattern = np.int64(words[COLUMN_PATTERN + digit, lane])
        total3 += popcount(pattern & STACK)
        total4 += popcount(pattern & (STACK << 1))
        total5 += popcount(pattern & (STACK << 2))
    # 27 places: all is decided there
    best = 8 * ((total0 - 28) & 0xFF)
    best = _less(best, 8 * ((total1 - 28) & 0xFF) + 1)
    best = _less(best, 8 * ((total2 - 28) & 0xFF) + 2)
    best = _less(best, 8 * ((total3 - 28) & 0xFF) + 3)
    best = _less(best, 8 * ((total4 - 28) & 0xFF) + 4)
    best = _less(best, 8 * ((total5 - 28) & 0xFF) + 5)
    chute = best & 7
    if chute < 3:
        mask = BAND << (3 * chute)
        first = ROW_PATTERN
    else:
        mask = STACK << (chute - 3)
        first = COLUMN_PATTERN
    best = 1 << 20
    for digit in range(9):
        places = popcount(np.int64(words[first + digit, lane]) & mask)
        best = _less(best, 16 * ((places - 4) & 0xFF) + digit)
    digit = best & 15
    pattern = np.int64(words[first + digit, lane]) & mask
    part = pattern & THIRD
    third = np.int64((part & (part - 1)) == 0)
    part = (pattern >> (9 * third)) & THIRD
    box = part & -part
    for row in range(27):
        saved[row] = words[row, lane]
    cells = box | box << 9 | box << 18
    if chute < 3:
        this = box << (9 * third)
        for j in range(3):
            saved[3 * digit + j] &= CELLS ^ this
            words[3 * digit + j, lane] &= CELLS ^ (cells ^ this)
    else:
        for j in range(3):
            other = np.int64(j != third) * cells
            saved[3 * digit + j] &= CELLS ^ (cells ^ other)
            words[3 * digit + j, lane] &= CELLS ^ other


@njit(cache=True, nogil=True)
def _advance(
    state: State, budget: int, puzzles: Any, limit: int, counts: Any, solutions: Any, nodes: Any
) -> Any:
    words, stack, lanes, counters = state
    puzzle = lanes[PUZZLE]
    height = lanes[HEIGHT]
    found = lanes[FOUND]
    guesses = lanes[GUESSES]
    dealt = counters[DEALT]
    busy = counters[BUSY]
    size = len(puzzles)
    idle = ((1 << WIDTH) - 1) ^ busy
    while idle != 0 and dealt < size:
        lane = lowest(idle)
        idle &= idle - 1
        read_cells(puzzles, dealt, words, lane)
        puzzle[lane] = dealt
        height[lane] = found[lane] = guesses[lane] = 0
        busy |= 1 << lane
        dealt += 1
    while busy != 0 and budget > 0:
        budget -= 1
        bad, changed, unsolved = _round(words)
        event = busy & ~bad & ~changed & unsolved
        while event != 0:
            lane = lowest(event)
            event &= event - 1
            guesses[lane] += 1
            _branch(words, lane, stack[lane, height[lane]])
            height[lane] += 1
        event = busy & ~bad & ~changed & ~unsolved
        while event != 0:
            lane = lowest(event)
            event &= event - 1
            if found[lane] == 0:
                write_cells(words, lane, solutions, puzzle[lane])
            found[lane] += 1
            if found[lane] >= limit:
                height[lane] = 0
        event = busy & (bad | ~(changed | unsolved))
        while event != 0:
            lane = lowest(event)
            event &= event - 1
            if height[lane] > 0:
                height[lane] -= 1
                saved = stack[lane, height[lane]]
                for row in range(27):
                    words[row, lane] = saved[row]
                _forget(words, lane)
                continue
            done = puzzle[lane]
            counts[done] = found[lane]
            nodes[done] = guesses[lane]
            if found[lane] == 0:
                solutions[done] = 0
            if dealt < size:
                read_cells(puzzles, dealt, words, lane)
                puzzle[lane] = dealt
                found[lane] = guesses[lane] = 0
                dealt += 1
            else:
                busy ^= 1 << lane
    counters[DEALT] = dealt
    counters[BUSY] = busy
    return busy == 0


def run(puzzles: Any, limit: int, counts: Any, solutions: Any, nodes: Any) -> None:
    """Count the solutions of 9 x 9 puzzles, each up to `limit`, and keep the first of each.

    `puzzles: uint8[k, 81]` (0 blank, by rows), `limit >= 1`; written: `counts: int64[k]`,
    `solutions: uint8[k, 81]` (zeros where there is none), `nodes: int64[k]` (guesses made).
    """
    state = State(
        words=aligned(ROWS),
        stack=np.empty((WIDTH, DEPTH, 27), np.uint32),
        lanes=np.zeros((4, WIDTH), np.int64),
        counters=np.zeros(2, np.int64),
    )
    while not _advance(state, BUDGET, puzzles, limit, counts, solutions, nodes):
        pass


BUDGET = 20_000
