"""Kernel for batches of 9 x 9 puzzles: sixteen depth-first searches at once, one per lane."""

from typing import Any

import numpy as np
from numba import njit

from sudoku.lanes import WIDTH, load, lowest, nonzero, splat, store

# Rows of the state, uint32[ROWS, WIDTH]: column l belongs to the search in lane l.
# Cells: word j holds the 27 cells of the columns j, j + 3, j + 6; bit 9 r + box is the cell of that
# box in its r-th row and j-th column. Row 3 d + j: where digit d + 1 may still go.
SOLE = 27  # row SOLE + d: cells of boxes in which digit d + 1 has one place left
CLAIM = 36  # row CLAIM + j: cells that are the one place left for some digit in a box
ONE = 39  # cells with a candidate
TWO = 42  # cells with two candidates or more
THREE = 45  # cells with three or more
ROWS = 48
DEPTH = 82  # more than the cells: every level of a stack has assigned one

BOXES = 0x1FF  # the nine bits of an r (or j)
CELLS = 0x7FFFFFF


@njit(nogil=True, inline="always")
def _next_third(x: Any) -> Any:
    """Bits 9 i + b come from 9 (i + 1) + b, i modulo 3; bits from 27 on are arbitrary."""
    return (x >> 9) | (x << 18)


@njit(nogil=True, inline="always")
def _next_across(x: Any) -> Any:
    """Bits 3 b + k come from 3 b + (k + 1), k modulo 3: the next box of the band."""
    return ((x >> 1) & 0o333333333) | ((x << 2) & 0o444444444)


@njit(nogil=True, inline="always")
def _next_down(x: Any) -> Any:
    """Bits 3 b + k come from 3 (b + 1) + k, b modulo 3: the next box of the stack."""
    return ((x >> 3) & 0o077077077) | ((x << 6) & 0o700700700)


@njit(nogil=True, inline="always")
def _first_third(x: Any) -> Any:
    """The first nine bits, three times."""
    y = x & BOXES
    return y | (y << 9) | (y << 18)


@njit(nogil=True)
def _round(state: Any) -> Any:
    """One round of inference in every lane: which are contradictory, changed, unsolved."""
    claim0 = load(state, CLAIM)
    claim1 = load(state, CLAIM + 1)
    claim2 = load(state, CLAIM + 2)
    one0 = one1 = one2 = splat(0)
    two0 = two1 = two2 = splat(0)
    three0 = three1 = three2 = splat(0)
    for digit in range(9):
        sole = load(state, SOLE + digit)
        place = load(state, 3 * digit) & (~claim0 | sole)
        store(state, 3 * digit, place)
        three0 = three0 | (two0 & place)
        two0 = two0 | (one0 & place)
        one0 = one0 | place
        place = load(state, 3 * digit + 1) & (~claim1 | sole)
        store(state, 3 * digit + 1, place)
        three1 = three1 | (two1 & place)
        two1 = two1 | (one1 & place)
        one1 = one1 | place
        place = load(state, 3 * digit + 2) & (~claim2 | sole)
        store(state, 3 * digit + 2, place)
        three2 = three2 | (two2 & place)
        two2 = two2 | (one2 & place)
        one2 = one2 | place
    store(state, TWO, two0)
    store(state, TWO + 1, two1)
    store(state, TWO + 2, two2)
    store(state, THREE, three0)
    store(state, THREE + 1, three1)
    store(state, THREE + 2, three2)
    known0 = ~two0
    known1 = ~two1
    known2 = ~two2
    bad = (one0 & one1 & one2) ^ CELLS
    full = splat(CELLS)
    changed = splat(0)
    claim0 = claim1 = claim2 = splat(0)
    for digit in range(9):
        old0 = load(state, 3 * digit)
        old1 = load(state, 3 * digit + 1)
        old2 = load(state, 3 * digit + 2)
        # a cell that is known clears its box
        place0 = old0 & known0
        place1 = old1 & known1
        place2 = old2 & known2
        box = place0 | place1 | place2
        twice = (place0 & place1) | (place2 & (place0 | place1))
        box1 = box >> 9
        box2 = box >> 18
        bad = bad | twice | (((box & box1) | (box2 & (box | box1))) & BOXES)
        box = _first_third(box | box1 | box2)
        new0 = old0 & (~box | known0)
        new1 = old1 & (~box | known1)
        new2 = old2 & (~box | known2)
        # bands
        row = new0 | new1 | new2
        next_row = _next_third(row)
        pair = (row & _next_across(next_row)) | (next_row & _next_across(row))
        row = row & _next_across(_next_third(pair))
        new0 = new0 & row
        new1 = new1 & row
        new2 = new2 & row
        # stacks
        column = (
            ((new0 | (new0 >> 9) | (new0 >> 18)) & BOXES)
            | (((new1 << 9) | new1 | (new1 >> 9)) & (BOXES << 9))
            | (((new2 << 18) | (new2 << 9) | new2) & (BOXES << 18))
        )
        next_column = _next_third(column)
        pair = (column & _next_down(next_column)) | (next_column & _next_down(column))
        column = column & _next_down(_next_third(pair))
        new0 = new0 & _first_third(column)
        new1 = new1 & _first_third(column >> 9)
        new2 = new2 & _first_third(column >> 18)
        store(state, 3 * digit, new0)
        store(state, 3 * digit + 1, new1)
        store(state, 3 * digit + 2, new2)
        changed = changed | (old0 ^ new0) | (old1 ^ new1) | (old2 ^ new2)
        # boxes
        row1 = row >> 9
        row2 = row >> 18
        column1 = column >> 9
        column2 = column >> 18
        full = full & (row | row1 | row2) & (column | column1 | column2)
        sole = (
            (row ^ row1 ^ row2) & ~(row & row1) & (column ^ column1 ^ column2) & ~(column & column1)
        )
        sole = _first_third(sole)
        store(state, SOLE + digit, sole)
        place = new0 & sole
        bad = bad | (place & claim0)
        claim0 = claim0 | place
        place = new1 & sole
        bad = bad | (place & claim1)
        claim1 = claim1 | place
        place = new2 & sole
        bad = bad | (place & claim2)
        claim2 = claim2 | place
    store(state, CLAIM, claim0)
    store(state, CLAIM + 1, claim1)
    store(state, CLAIM + 2, claim2)
    bad = bad | ((full & BOXES) ^ BOXES)
    changed = changed | (claim0 & two0) | (claim1 & two1) | (claim2 & two2)
    return nonzero(bad), nonzero(changed), nonzero(two0 | two1 | two2)


@njit(nogil=True)
def _deal(state: Any, lane: int, puzzle: Any) -> None:
    """Put a puzzle (uint8[81]) into a lane."""
    given = np.zeros(30, np.int64)
    for cell in range(81):
        row = cell // 9
        column = cell - 9 * row
        bit = 1 << (9 * (row % 3) + 3 * (row // 3) + column // 3)
        given[3 * puzzle[cell] + column % 3] |= bit
    for j in range(3):
        for digit in range(9):
            state[3 * digit + j, lane] = given[j] | given[3 * digit + 3 + j]
        state[CLAIM + j, lane] = 0


@njit(nogil=True)
def _read(state: Any, lane: int, solution: Any) -> None:
    """Copy the digits of a solved lane to a grid, uint8[81]."""
    for digit in range(9):
        for j in range(3):
            word = np.int64(state[3 * digit + j, lane])
            while word != 0:
                bit = lowest(word)
                word &= word - 1
                third = bit // 9
                box = bit - 9 * third
                cell = 27 * (box // 3) + 9 * third + 3 * (box % 3) + j
                solution[cell] = digit + 1


@njit(nogil=True)
def _branch(state: Any, lane: int, saved: Any) -> None:
    """Choose a candidate: assign it in the lane, save the state without it, uint32[27]."""
    word = np.int64(0)
    chosen = 0
    for j in range(3):
        word = np.int64(state[TWO + j, lane]) & ~np.int64(state[THREE + j, lane])
        if word != 0:
            chosen = j
            break
    if word == 0:
        for j in range(3):
            word = np.int64(state[TWO + j, lane])
            if word != 0:
                chosen = j
                break
    bit = lowest(word)
    for row in range(27):
        saved[row] = state[row, lane]
    box = 1 << (bit % 9)
    box |= (box << 9) | (box << 18)
    for digit in range(9):
        if (np.int64(state[3 * digit + chosen, lane]) >> bit) & 1:
            for j in range(3):
                state[3 * digit + j, lane] &= CELLS ^ box
            state[3 * digit + chosen, lane] |= 1 << bit
            state[SOLE + digit, lane] |= box
            state[CLAIM + chosen, lane] |= 1 << bit
            saved[3 * digit + chosen] ^= 1 << bit
            break


@njit(cache=True, nogil=True)
def run(puzzles: Any, limit: int, counts: Any, solutions: Any, nodes: Any) -> None:
    """Count the solutions of 9 x 9 puzzles, each up to `limit`, and keep the first of each.

    `puzzles: uint8[k, 81]` (0 blank, by rows), `limit >= 1`; written: `counts: int64[k]`,
    `solutions: uint8[k, 81]` (zeros where there is none), `nodes: int64[k]` (guesses made).
    """
    size = len(puzzles)
    memory = np.zeros(ROWS * WIDTH + 16, np.uint32)
    offset = (-(memory.ctypes.data // 4)) % 16
    state = memory[offset : offset + ROWS * WIDTH].reshape(ROWS, WIDTH)
    stack = np.empty((WIDTH, DEPTH, 27), np.uint32)
    height = np.zeros(WIDTH, np.int64)
    owner = np.zeros(WIDTH, np.int64)
    dealt = 0
    busy = 0
    solutions[:] = 0
    while dealt < size and dealt < WIDTH:
        counts[dealt] = 0
        nodes[dealt] = 0
        _deal(state, dealt, puzzles[dealt])
        owner[dealt] = dealt
        busy |= 1 << dealt
        dealt += 1
    while busy != 0:
        bad, changed, unsolved = _round(state)
        event = busy & (bad | ~changed)
        while event != 0:
            lane = lowest(event)
            event &= event - 1
            flag = 1 << lane
            puzzle = owner[lane]
            if not bad & flag:
                if unsolved & flag:
                    nodes[puzzle] += 1
                    _branch(state, lane, stack[lane, height[lane]])
                    height[lane] += 1
                    continue
                counts[puzzle] += 1
                if counts[puzzle] == 1:
                    _read(state, lane, solutions[puzzle])
            if height[lane] > 0 and counts[puzzle] < limit:
                height[lane] -= 1
                saved = stack[lane, height[lane]]
                for row in range(27):
                    state[row, lane] = saved[row]
                for j in range(3):
                    state[CLAIM + j, lane] = 0
            elif dealt < size:
                counts[dealt] = 0
                nodes[dealt] = 0
                _deal(state, lane, puzzles[dealt])
                owner[lane] = dealt
                height[lane] = 0
                dealt += 1
            else:
                busy ^= flag
