"""Kernel that removes givens from 9 x 9 puzzles: sixteen puzzles at once, one per vector lane.

A given can be removed if no other digit is possible in its cell. So a trial blanks the cell,
forbids its digit there and searches, as `sudoku.kernels.classic` does, for any solution: if there
is one, the given has to stay. A lane whose trial has ended begins the next one, and after the last
trial it takes the next puzzle of the batch.

Two tests make most trials unnecessary. If the houses of the cell have all other digits as givens,
the given can be removed. It has to stay if it is the last given in an unavoidable set, a set of
cells that can be filled in another way (McGuire, Tugemann, Civario, There is no 16-clue sudoku,
2012): the places of two digits, or the cells of two rows of a band or two columns of a stack, fall
into parts, in each of which the two may be exchanged. Each cell is in twelve such sets. They detect
half of the givens that have to stay, whose searches would take longest.

Groups of givens are removed together or not at all: their cells are blanked one after the other; if
one has to stay, those before it are restored. This is exact: a solution that differs from the known
one in the group agrees with it in all cells after some place of the group, but not at that place.

Between two calls of `advance`, for each lane that is busy:

    In `Removals.puzzles` the cells of the groups removed so far are blank; SPARE is
    `Removals.spare` less the number of these cells. The groups before PLACE in the order of the
    puzzle are done with.
    The rows GIVEN of `known` are the givens of that puzzle without the cells of the present group
    up to that at TRIED_PLACE. `seen` and `left` agree with them; `member` depends on the solution
    alone.
    The lane searches for a solution with another digit in that cell: in words[:KNOWN, lane], and in
    stack[h, lane] for each h below HEIGHT. The branches searched before have none.
    The row BEGINS is 0 in all lanes; `place` and `pairs` are scratch.

A state serves one batch: NEXT is not reset.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlx.compiled import copied, helper, inlined, kernel
from dlx.compiled.instructions import count_bits, lowest_bit
from sudoku.kernels.bit_planes import CELLS, KNOWN, PLACE_OF, read_cells
from sudoku.kernels.classic import DEPTH, FRESH, NUM_ROWS, PATIENCE, _branch, _round, _step_back
from sudoku.kernels.classic import first_budget as first_budget
from sudoku.kernels.kernel import Array
from sudoku.kernels.lanes import BUSY, NEXT
from sudoku.kernels.vectors import WIDTH, aligned, load, store

# Rows of State.known; rows below KNOWN are the bit planes of each lane's solution
GIVEN = KNOWN  # +j: the cells that are given
BEGINS = KNOWN + 3  # all bits where a search begins, otherwise 0
NUM_KNOWN = KNOWN + 4

# Columns of State.searches
PUZZLE = 0  # its number in the batch
PLACE = 1  # of the group that is tried, in the order of the puzzle
TRIED_PLACE = 2  # place of the cell that is tried in Removals.cell
HEIGHT = 3  # of the lane's stack
GUESSES = 4  # of this search
SPARE = 5  # givens that may still go
NUM_SEARCHES = 6

UNTRIED, GOES, STAYS, OPEN = 0, 1, 2, 3  # what is known of the given that is tried

GIVE, BLANK = np.int64(1), np.int64(-1)  # `_put` would be compiled once more for a literal

ALL_BITS = 0xFFFFFFFF
ALL_DIGITS = 0x1FF
SETS = 12  # that each cell is in: eight of two digits, two of two rows, two of two columns
MOST_SETS = 4 * (36 + 9 + 9)  # a part has two rows or columns at least

WORD = np.array([PLACE_OF[cell][0] for cell in range(81)], np.int64)  # of each cell in a bit plane
BIT = np.array([1 << PLACE_OF[cell][1] for cell in range(81)], np.int64)
HOUSES = np.array(  # of each cell its row, 9 + column, 18 + box
    [(cell // 9, 9 + cell % 9, 18 + cell // 27 * 3 + cell % 9 // 3) for cell in range(81)], np.int64
)


class Removals(NamedTuple):
    """Puzzles with one solution, k of them, and what is to be removed."""

    puzzles: Array  # uint8[k, 81]: 0 for a blank; groups that are removed become blank
    solutions: Array  # uint8[k, 81]
    start: Array  # int64[groups + 1]: where in `cell` the cells of each group begin
    cell: Array  # int64[81]: the cells, group by group
    # int64[k, groups]: the order in which to try the groups of each puzzle, a permutation
    order: Array
    spare: Array  # int64[k]: the most givens to remove
    work: Array  # int64[k]: searches and branches of each puzzle, written during the search


class State(NamedTuple):
    """Sixteen searches and the position in the batch."""

    words: Array  # uint32[NUM_ROWS, WIDTH]: as in the kernel `classic`
    known: Array  # uint32[NUM_KNOWN, WIDTH]: a lane in each column
    seen: Array  # int64[WIDTH, 27]: digits given in each row, column and box, as bits
    member: Array  # uint8[WIDTH, 81, SETS]: the sets that each cell is in
    left: Array  # int16[WIDTH, MOST_SETS]: givens in each set
    place: Array  # int64[3, 9, 9]: scratch of `_find_sets`
    pairs: Array  # int64[3, 9]: scratch of `_find_sets`
    stack: Array  # uint32[DEPTH, WIDTH, 27]: candidates to return to
    searches: Array  # int64[WIDTH, NUM_SEARCHES]: a search in each row
    counters: Array  # int64[2]


def start() -> State:
    """Return sixteen idle lanes, for one batch."""
    return State(
        words=aligned(NUM_ROWS),
        known=aligned(NUM_KNOWN),
        seen=np.zeros((WIDTH, 27), np.int64),
        member=np.zeros((WIDTH, 81, SETS), np.uint8),
        left=np.zeros((WIDTH, MOST_SETS), np.int16),
        place=np.zeros((3, 9, 9), np.int64),
        pairs=np.zeros((3, 9), np.int64),
        stack=np.empty((DEPTH, WIDTH, KNOWN), np.uint32),
        searches=np.zeros((WIDTH, NUM_SEARCHES), np.int64),
        counters=np.zeros(2, np.int64),
    )


# Compiled into `advance`: to pass the arrays of a state takes longer than what these do.


@helper
def _number_sets(
    pairs: Array, member: Array, left: Array, sets: int, slot: int, other_slot: int
) -> int:
    """Number the sets of nine pairs of cells from `sets` on; return the next number.

    A pair is a column of `pairs`: its cells, and the pairs that it leads to, as bits. These are
    permutations, so no other pair leads to those that the first one leads to: they are a set.
    """
    one, other, onward = pairs
    seen = np.int64(0)
    while seen != ALL_DIGITS:
        part = new = ~seen & (seen + 1)
        while new:
            k = lowest_bit(new)
            new = (new & (new - 1)) | (onward[k] & ~part)
            part |= onward[k]
            member[one[k], slot] = sets
            member[other[k], other_slot] = sets
        left[sets] = 2 * count_bits(part)
        seen |= part
        sets += 1
    return sets


@helper
def _find_sets(
    solutions: Array, number: int, member: Array, left: Array, place: Array, pairs: Array
) -> None:
    """Number the sets that each cell is in, and count their cells.

    `place[0]` has the column of each digit in each row, `place[1]` its row in each column and
    `place[2]` its row in each box.
    """
    one, other, onward = pairs
    sets = np.int64(0)
    for cell in range(81):
        row, column, digit = cell // 9, cell % 9, np.int64(solutions[number, cell]) - 1
        place[0, digit, row] = column
        place[1, digit, column] = row
        place[2, digit, HOUSES[cell, 2] - 18] = row
    for a in range(9):
        for b in range(a):
            for row in range(9):
                column = place[0, a, row]
                box = row // 3 * 3 + column // 3
                one[row] = 9 * row + column
                other[row] = 9 * row + place[0, b, row]
                onward[row] = (1 << place[1, b, column]) | (1 << place[2, b, box])
            sets = _number_sets(pairs, member, left, sets, b, a - 1)
    for turned in range(2):  # two rows, then two columns
        line_step, step = (1, 9) if turned else (9, 1)
        for first in range(9):
            second = first // 3 * 3 + (first + 1) % 3
            for k in range(9):
                one[k] = line_step * first + step * k
                other[k] = line_step * second + step * k
                digit = np.int64(solutions[number, one[k]]) - 1
                onward[k] = 1 << place[turned, digit, second]
            sets = _number_sets(pairs, member, left, sets, 8 + 2 * turned, 9 + 2 * turned)


@inlined
def _put(state: State, lane: int, cell: int, change: int, removals: Removals) -> None:
    """GIVE or BLANK a cell of a lane."""
    digit = np.int64(removals.solutions[state.searches[lane, PUZZLE], cell]) - 1
    state.known[GIVEN + WORD[cell], lane] ^= BIT[cell]
    for k in range(3):
        state.seen[lane, HOUSES[cell, k]] ^= 1 << digit
    for k in range(SETS):
        state.left[lane, state.member[lane, cell, k]] += change


@copied
def _begin_puzzle(state: State, lane: int, number: int, removals: Removals) -> None:
    """Give a puzzle to a lane."""
    member, left = state.member[lane], state.left[lane]
    read_cells(removals.solutions, number, state.known, lane)
    for j in range(3):
        state.known[GIVEN + j, lane] = CELLS
    for house in range(27):
        state.seen[lane, house] = ALL_DIGITS
    _find_sets(removals.solutions, number, member, left, state.place, state.pairs)
    state.searches[lane, PUZZLE] = number
    for cell in range(81):
        if removals.puzzles[number, cell] == 0:
            _put(state, lane, cell, BLANK, removals)
    state.searches[lane, PLACE] = -1
    state.searches[lane, SPARE] = removals.spare[number]
    removals.work[number] = 0


@copied
def _end_trial(state: State, lane: int, stays: bool, removals: Removals) -> bool:
    """Keep or leave blank the cell that was tried; return whether its group has another one."""
    searches = state.searches
    puzzle, place = searches[lane, PUZZLE], searches[lane, TRIED_PLACE]
    group = removals.order[puzzle, searches[lane, PLACE]]
    begin, end = removals.start[group], removals.start[group + 1]
    more = False
    if stays:
        for i in range(begin, place + 1):
            _put(state, lane, removals.cell[i], GIVE, removals)
    elif place + 1 < end:
        searches[lane, TRIED_PLACE] = place + 1
        more = True
    else:
        for i in range(begin, end):
            removals.puzzles[puzzle, removals.cell[i]] = 0
        searches[lane, SPARE] -= end - begin
    return more


@copied
def _next_group(searches: Array, lane: int, removals: Removals) -> bool:
    """Move to the next group of a lane's puzzle that may go; return whether there is one."""
    puzzle, place, more = searches[lane, PUZZLE], searches[lane, PLACE], False
    while not more and place + 1 < removals.order.shape[1]:
        place += 1
        group = removals.order[puzzle, place]
        begin, end = removals.start[group], removals.start[group + 1]
        given = removals.puzzles[puzzle, removals.cell[begin]]
        if given and end - begin <= searches[lane, SPARE]:
            searches[lane, PLACE] = place
            searches[lane, TRIED_PLACE] = begin
            more = True
    return more


@copied
def _begin_trial(state: State, lane: int, removals: Removals) -> int:
    """Blank the cell to be tried; return whether its given goes or stays, if that is seen."""
    puzzle = state.searches[lane, PUZZLE]
    cell = removals.cell[state.searches[lane, TRIED_PLACE]]
    digit = np.int64(removals.solutions[puzzle, cell]) - 1
    _put(state, lane, cell, BLANK, removals)
    seen = 1 << digit
    for k in range(3):
        seen |= state.seen[lane, HOUSES[cell, k]]
    result = GOES if seen == ALL_DIGITS else OPEN
    for k in range(SETS):
        if state.left[lane, state.member[lane, cell, k]] == 0:
            result = STAYS
    return result


@copied
def _begin_searches(state: State, lanes: int, removals: Removals) -> None:
    """Set the candidates of these lanes: the givens, and the digit of the cell that is tried."""
    words, known, searches = state.words, state.known, state.searches
    new = load(known, BEGINS)
    for j in range(3):
        given = load(known, GIVEN + j)
        blank = (given ^ CELLS) & new
        for row in range(j, KNOWN, 3):
            store(words, row, (load(words, row) & ~new) | (load(known, row) & new) | blank)
        row = KNOWN + j
        store(words, row, (load(words, row) & ~new) | (given & new))
    store(words, FRESH, load(words, FRESH) | new)
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        puzzle = searches[lane, PUZZLE]
        cell = removals.cell[searches[lane, TRIED_PLACE]]
        digit = np.int64(removals.solutions[puzzle, cell]) - 1
        words[3 * digit + WORD[cell], lane] &= CELLS ^ BIT[cell]
        known[BEGINS, lane] = 0
        searches[lane, HEIGHT] = searches[lane, GUESSES] = 0
        removals.work[puzzle] += 1


@kernel
def advance(state: State, rounds: Any, removals: Removals) -> Any:
    """Continue with a batch for at most `rounds` rounds; return whether it is done.

    Every call with a state takes the same batch; no puzzle depends on the others. A search that
    would take more than PATIENCE guesses leaves its given in place.
    """
    words, stack, searches, counters = state.words, state.stack, state.searches, state.counters
    busy = counters[BUSY]
    free = ((1 << WIDTH) - 1) & ~busy
    stays = np.int64(0)
    while True:
        begins = np.int64(0)
        while free != 0:
            lane = lowest_bit(free)
            free &= free - 1
            result = UNTRIED
            if busy >> lane & 1:
                result = STAYS if stays >> lane & 1 else GOES
            while result != OPEN:
                more = False
                if result != UNTRIED:
                    more = _end_trial(state, lane, result == STAYS, removals)
                elif counters[NEXT] < len(removals.puzzles):
                    _begin_puzzle(state, lane, counters[NEXT], removals)
                    counters[NEXT] += 1
                else:
                    break
                if more or _next_group(searches, lane, removals):
                    result = _begin_trial(state, lane, removals)
                else:
                    result = UNTRIED
            if result == OPEN:
                state.known[BEGINS, lane] = ALL_BITS
                begins |= 1 << lane
                busy |= 1 << lane
            else:
                busy &= ~(1 << lane)
        if begins != 0:
            _begin_searches(state, begins, removals)
        if busy == 0 or rounds <= 0:
            break
        rounds -= 1
        bad, changed, unsolved = _round(words)
        stuck = busy & unsolved & ~(bad | changed)
        stays = busy & ~(bad | unsolved)
        back = busy & bad
        while stuck != 0:
            lane = lowest_bit(stuck)
            stuck &= stuck - 1
            if searches[lane, GUESSES] == PATIENCE:
                stays |= 1 << lane
                continue
            _branch(words, lane, stack[searches[lane, HEIGHT], lane])
            searches[lane, HEIGHT] += 1
            searches[lane, GUESSES] += 1
            removals.work[searches[lane, PUZZLE]] += 1
        free = stays
        while back != 0:
            lane = lowest_bit(back)
            back &= back - 1
            if searches[lane, HEIGHT] > 0:
                searches[lane, HEIGHT] -= 1
                _step_back(words, lane, stack[searches[lane, HEIGHT], lane])
            else:
                free |= 1 << lane
    counters[BUSY] = busy
    return busy == 0
