"""Kernel for classic 9 x 9 puzzles: sixteen depth-first searches at once, one per vector lane.

A round of inference is bit logic without jumps, so it serves sixteen puzzles together, each in its
lane of the vectors. The lanes are driven by `sudoku.kernels.lanes`.

A digit's candidates are three words of 27 bits. Word j holds the cells of the columns j, j + 3
and j + 6 of the grid; its bit 9 r + box is the cell in row r of that box (r and j count from 0
within a box). In this order a digit has two patterns of the same form:

- its *rows*, bit 9 r + box: may row r of the box hold the digit? The or of the three words;
- its *columns*, bit 9 j + box: may column j of the box? The or of the three thirds of word j.

In each band the rows form a square, three rows by three boxes, in which the digit's places are a
permutation: a bit that is in no possible permutation is cleared (the square is then *closed*). That
finds every locked candidate of the band, and a square without a bit is a contradiction. Stacks are
the same for columns. If a box has one row and one column left for a digit, that cell is its sole
place (this finds every hidden single once the squares are closed). A row of a box that three digits
are locked in has no place for the other six, nor has such a column. Cells with one candidate left
(naked singles) are found by adding the nine digits bit by bit.

If another round would find nothing, the search branches on the band or stack that has the fewest
places left, counted in rows (columns) of boxes, and there on the digit that has the fewest: is it
in this row of the box, or not? With two permutations left, which is usual, either answer decides
all three boxes. The choice of the band and the reasoning with three cells of a row or column of a
box are ideas of Tom Dillon's Tdoku (https://t-dillon.github.io/tdoku/).

Tried without gain: branching on a cell with two candidates (twice the guesses on the hardest
puzzles, though fewer where solutions abound); a row of a box with three digits left keeping these
three (3 % fewer guesses, each round 12 % longer); another round after every new single (8 to 25 %
more rounds for 3 % fewer guesses); branching after every round, from the first guess on or a later
one (more guesses, and more rounds on hard puzzles); first the answer that leaves the digit fewer
cells (up to 10 % fewer guesses where solutions abound, but each takes longer); 8 lanes (25 %
slower, with AVX2 18 %); 32 lanes (10 % faster with AVX-512, with AVX2 12 % slower); closing a
square in 8 steps that depend on each other in place of 13, with 4 instructions more (2 % slower,
with AVX2 6 %).

Between two calls of `advance`, for each lane that is busy (`sudoku.kernels.lanes` has the rest):

    The solutions of its search that are not counted yet are those in words[:KNOWN, lane], the
    candidates, and those in stack[h, lane] for each h below its HEIGHT.
    Rows CLAIMED to COLUMN_FULL hold for these candidates, unless FRESH says that they do not count.
    Rows KNOWN are the cells that were single after the last round: the givens of a new puzzle, none
    after a step back.
    ROW_PATTERN and COLUMN_PATTERN are read right after the round that wrote them, by `_branch`.

The columns of other lanes are arbitrary: `_begin` writes all that a search reads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlx.compiled import copied, helper, inlined, kernel
from dlx.compiled.instructions import count_bits
from sudoku.kernels.bit_planes import CELLS, KNOWN, read_cells, write_cells
from sudoku.kernels.kernel import Array, KernelBatch
from sudoku.kernels.lanes import NUM_SEARCHES, lane_counters, search_lanes
from sudoku.kernels.vectors import WIDTH, aligned, load, nonzero, splat, store, word

FIRST_BUDGET = 1 << 14  # rounds of all lanes
PATIENCE = 1 << 12  # guesses without a solution; the hardest puzzles known take a tenth

# Rows of State.words; rows 3 d + j, below KNOWN, hold word j of digit d + 1. For each lane:
# a cell in CLAIMED or KNOWN, and a row or column of a box in ROW_FULL or COLUMN_FULL, stays there
# as long as the search only removes candidates; a lane that is FRESH (a new puzzle, or a
# step back) starts without.
CLAIMED = KNOWN + 3  # +j: cells that were the sole place of a digit in their box
ROW = CLAIMED + 3  # +d: rows that are the last one for the digit in their box
COLUMN = ROW + 9  # +d: boxes that have one column left for it at most, three times
ROW_FULL = COLUMN + 9  # rows of boxes that three digits are locked in
COLUMN_FULL = ROW_FULL + 1
FRESH = COLUMN_FULL + 1  # CELLS or NEW: CLAIMED, ROW, COLUMN, ROW_FULL, COLUMN_FULL do not count
ROW_PATTERN = FRESH + 1  # +d: rows of boxes that may hold the digit
COLUMN_PATTERN = ROW_PATTERN + 9
NUM_ROWS = COLUMN_PATTERN + 9

DEPTH = 163  # each step locks a digit in a row or column of a box: of the 9 x 9 in one more

THIRD = 0x1FF  # the boxes, once
BAND = 0o007007007  # the first band in a pattern of rows
STACK = 0o111111111  # the first stack in a pattern of columns

NEW = 0xFFFFFFFF  # FRESH of a new puzzle: its bits above CELLS say that a second round follows

LARGE = (1 << 62) - 1
int64: Any = np.int64


class State(NamedTuple):
    """Sixteen searches and the position in the batch."""

    words: Array  # uint32[NUM_ROWS, WIDTH]: a lane in each column
    stack: Array  # uint32[DEPTH, WIDTH, 27]: candidates to return to
    searches: Array  # int64[NUM_SEARCHES, WIDTH]: a search in each column
    counters: Array  # int64[NUM_COUNTERS]


def tables(houses: Array, pairs: Array | None = None) -> None:
    """Return nothing: the kernel has one layout."""


def start(tables: None, patience: int = PATIENCE) -> State:
    """Return sixteen idle lanes, for any batch.

    After `patience` guesses without a solution a puzzle is given up: the kernel `masks`, which
    weights items by their contradictions, is faster then.
    """
    return State(
        words=aligned(NUM_ROWS),
        stack=np.empty((DEPTH, WIDTH, KNOWN), np.uint32),
        searches=np.zeros((NUM_SEARCHES, WIDTH), np.int64),
        counters=lane_counters(patience),
    )


def first_budget(state: State) -> int:
    """Return a budget of a few milliseconds."""
    return FIRST_BUDGET


@inlined
def _next_third(x: Any) -> Any:
    """Bits 9 i + box come from 9 (i + 1) + box, i modulo 3; bits from 27 on are arbitrary."""
    return (x >> 9) | (x << 18)


@inlined
def _next_across(x: Any) -> Any:
    """Boxes 3 b + s come from 3 b + (s + 1), s modulo 3: the next box of the band."""
    return ((x >> 1) & 0o333333333) | ((x << 2) & 0o444444444)


@inlined
def _next_down(x: Any) -> Any:
    """Boxes 3 b + s come from 3 (b + 1) + s, b modulo 3: the next box of the stack."""
    return ((x >> 3) & 0o077077077) | ((x << 6) & 0o700700700)


@inlined
def _thrice(x: Any) -> Any:
    """The first nine bits in all three thirds."""
    y = x & THIRD
    return y | (y << 9) | (y << 18)


@helper
def _round(words: Any) -> Any:
    """One round of inference in every lane.

    Returns three masks of lanes: those with a contradiction; those where another round may find
    more (a sole place or three locked digits have other digits to clear, a new single is not its
    digit's sole place in the box, rows are to be checked, or the puzzle is new); those that are not
    solved.
    """
    fresh = load(words, FRESH)
    claimed0 = load(words, CLAIMED) & ~fresh
    claimed1 = load(words, CLAIMED + 1) & ~fresh
    claimed2 = load(words, CLAIMED + 2) & ~fresh
    known0 = load(words, KNOWN)
    known1 = load(words, KNOWN + 1)
    known2 = load(words, KNOWN + 2)
    rows3 = load(words, ROW_FULL) & ~fresh
    columns3 = load(words, COLUMN_FULL) & ~fresh
    rows1 = rows2 = columns1 = columns2 = splat(words, 0)
    loose_rows = loose_columns = splat(words, 0)
    complete = splat(words, CELLS)
    for digit in range(9):
        # cells that other digits claim; so no cell is ever claimed by two
        one_row = load(words, ROW + digit) & ~fresh
        one_column = load(words, COLUMN + digit) & ~fresh
        sole = one_row & one_column
        new0 = load(words, 3 * digit) & (~claimed0 | sole)
        new1 = load(words, 3 * digit + 1) & (~claimed1 | sole)
        new2 = load(words, 3 * digit + 2) & (~claimed2 | sole)

        # a known cell clears the rest of its box; two of them clear each other
        place0 = new0 & known0
        place1 = new1 & known1
        place2 = new2 & known2
        place12 = place1 | place2
        place = place0 | place12
        other = _next_third(place) | (place >> 18) | (place << 9)
        new0 = new0 & ~place12
        new1 = new1 & ~(place0 | place2)
        new2 = new2 & ~(place0 | place1)

        # bands
        row = (new0 | new1 | new2) & ~(other | (rows3 & ~one_row))
        across = _next_across(row)
        pair = (row & _next_third(across)) | (across & _next_third(row))
        row = row & _next_across(_next_third(pair))
        new0 = new0 & row
        new1 = new1 & row
        new2 = new2 & row

        # stacks
        column = (
            ((new0 | (new0 >> 9) | (new0 >> 18)) & THIRD)
            | (((new1 << 9) | new1 | (new1 >> 9)) & (THIRD << 9))
            | (((new2 << 18) | (new2 << 9) | new2) & (THIRD << 18))
        ) & (~columns3 | one_column)
        down = _next_down(column)
        pair = (column & _next_third(down)) | (down & _next_third(column))
        column = column & _next_down(_next_third(pair))
        new0 = new0 & _thrice(column)
        new1 = new1 & _thrice(column >> 9)
        new2 = new2 & _thrice(column >> 18)

        store(words, 3 * digit, new0)
        store(words, 3 * digit + 1, new1)
        store(words, 3 * digit + 2, new2)
        store(words, ROW_PATTERN + digit, row)
        store(words, COLUMN_PATTERN + digit, column)
        # boxes
        one_row = row & ~(_next_third(row) | (row >> 18) | (row << 9))
        store(words, ROW + digit, one_row)
        column1 = column >> 9
        column2 = column >> 18
        either = column | column1
        complete = complete & (either | column2)
        one_column = _thrice(~((column & column1) | (either & column2)))
        store(words, COLUMN + digit, one_column)

        # rows and columns of boxes that some digit is in without being locked in; that one digit or
        # more is locked in, two, three
        loose_rows = loose_rows | (row & ~one_row)
        loose_columns = loose_columns | (column & ~one_column)
        rows3 = rows3 | (rows2 & one_row)
        rows2 = rows2 | (rows1 & one_row)
        rows1 = rows1 | one_row
        column = column & one_column
        columns3 = columns3 | (columns2 & column)
        columns2 = columns2 | (columns1 & column)
        columns1 = columns1 | column

        # sole places
        sole = one_row & one_column
        claimed0 = claimed0 | (new0 & sole)
        claimed1 = claimed1 | (new1 & sole)
        claimed2 = claimed2 | (new2 & sole)
    store(words, CLAIMED, claimed0)
    store(words, CLAIMED + 1, claimed1)
    store(words, CLAIMED + 2, claimed2)
    store(words, FRESH, splat(words, 0))
    store(words, ROW_FULL, rows3)
    store(words, COLUMN_FULL, columns3)
    changed = (fresh >> 27) | (rows3 & loose_rows) | (columns3 & loose_columns)
    filled = splat(words, CELLS)
    loose = splat(words, 0)
    for j in range(3):
        one = two = splat(words, 0)  # cells with one candidate or more, two or more
        for digit in range(9):
            places = load(words, 3 * digit + j)
            two = two | (one & places)
            one = one | places
        filled = filled & one
        loose = loose | two
        claimed = load(words, CLAIMED + j)
        known = one & ~two
        changed = changed | (claimed & two) | ((known ^ load(words, KNOWN + j)) & ~claimed)
        store(words, KNOWN + j, known)
    bad = (filled ^ CELLS) | ((complete & THIRD) ^ THIRD)
    # With one candidate in each cell, boxes and columns have all digits. So do rows if each digit
    # was in one row of each box when they were checked; else the next round checks them again, as
    # candidates were removed from columns since.
    several = nonzero(loose)
    unchecked = nonzero(loose_rows) & ~several
    return nonzero(bad), nonzero(changed) | unchecked, several | unchecked


@inlined
def _added(words: Any, first: int, lane: int) -> Any:
    """Add the patterns of nine digits bit by bit: the sums' ones, and two numbers of twos.

    Each has some of the digits in its lower and the others in its upper half.
    """
    a = word(words, first, lane) | word(words, first + 1, lane) << 32
    b = word(words, first + 2, lane) | word(words, first + 3, lane) << 32
    c = word(words, first + 4, lane) | word(words, first + 5, lane) << 32
    d = word(words, first + 6, lane) | word(words, first + 7, lane) << 32
    e = word(words, first + 8, lane)
    ab = a ^ b
    abc = ab ^ c
    abcd = abc ^ d
    return abcd ^ e, (a & b) | (ab & c), (abc & d) | (abcd & e)


@inlined
def _branch(words: Any, lane: int, saved: Any) -> None:
    """Put a digit into one row (column) of a box; `saved`, uint32[27], gets the rest of the lane.

    Patterns are closed, so that a band with more than three places has some digit and row with
    two boxes or more, and such a box has two rows or more: both answers take candidates away.
    """
    # typed, as numba compiles a function for each literal, and repeats its type inference for
    # locals that begin with one
    rows, rows_a, rows_b = _added(words, int64(ROW_PATTERN), lane)
    columns, columns_a, columns_b = _added(words, int64(COLUMN_PATTERN), lane)
    best = int64(LARGE)
    # all digits of a band are decided at 27 places: & LARGE makes its negative key the greatest
    for i in range(3):
        mask = (BAND | BAND << 32) << 3 * i
        total = count_bits(rows & mask) + 2 * (
            count_bits(rows_a & mask) + count_bits(rows_b & mask)
        )
        best = min(best, (8 * (total - 28) + i) & LARGE)
    for i in range(3):
        mask = (STACK | STACK << 32) << i
        total = count_bits(columns & mask)
        total += 2 * (count_bits(columns_a & mask) + count_bits(columns_b & mask))
        best = min(best, (8 * (total - 28) + 3 + i) & LARGE)
    chute = best & 7
    # products with 0 and 1 below: branches would often be mispredicted
    down = np.int64(chute >= 3)
    across = 1 - down
    first = ROW_PATTERN + 9 * down
    mask = across * (BAND << 3 * chute) | down * (STACK << chute >> 3)
    best = int64(LARGE)
    for digit in range(9):
        places = count_bits(word(words, first + digit, lane) & mask)
        best = min(best, (16 * (places - 4) + digit) & LARGE)
    digit = best & 15
    pattern = word(words, first + digit, lane) & mask
    part = pattern & THIRD
    third = np.int64((part & (part - 1)) == 0)  # the first is decided: then the second is not
    part = (pattern >> (9 * third)) & THIRD
    box = part & -part
    cells = box | box << 9 | box << 18
    for row in range(KNOWN):
        saved[row] = word(words, row, lane)
    for j in range(3):
        side = across * (box << (9 * third)) | down * (cells * np.int64(j == third))
        saved[3 * digit + j] &= CELLS ^ side
        words[3 * digit + j, lane] &= CELLS ^ (cells ^ side)


@copied
def _step_back(words: Any, lane: int, saved: Any) -> None:
    """Restore the saved candidates of a lane; nothing else is known of it."""
    for row in range(KNOWN):
        words[row, lane] = saved[row]
    for j in range(3):
        words[KNOWN + j, lane] = 0
    words[FRESH, lane] = CELLS


@copied
def _begin(words: Any, lane: int, puzzles: Any, number: int) -> None:
    read_cells(puzzles, number, words, lane)
    words[FRESH, lane] = NEW


def advance(state: State, budget: int, batch: KernelBatch) -> bool:
    """Continue with a batch for at most `budget` rounds; see `sudoku.kernels.lanes`."""
    # numba takes a microsecond longer to see the types of named tuples
    return _search(tuple(state), budget, tuple(batch))  # type: ignore[no-any-return]


@kernel
def _search(state: Any, rounds: Any, batch: Any) -> Any:
    """Do what `advance` does."""
    words, stack, searches, counters = state
    return search_lanes(
        words, stack, searches, counters, rounds, batch,
        _begin, _round, _branch, write_cells, _step_back,
    )  # fmt: skip
