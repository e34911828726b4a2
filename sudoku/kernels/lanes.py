"""The driver of kernels that search one puzzle in each lane of their vectors.

A round of inference is done in all lanes together. Between two rounds each lane branches,
backtracks, or takes the next puzzle of the batch, independently of the others: no lane waits for
another, and no result depends on its neighbours.

When no puzzle is left to begin, a lane that branches may pass the other side on to an idle lane. So
the parts of a puzzle are searched side by side; their solutions and guesses are added. With a limit
of two solutions that gives the same as a search in one lane if there are none or one. If there are
two, the first solution and the guesses would depend on the lanes: if they are asked for, the puzzle
is searched again in one lane. So it is if the parts together take so many guesses that a search in
one lane might give up.

numba's cache does not notice a change of this file: delete `__pycache__` after one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlx.compiled import copied, helper
from dlx.compiled.instructions import lowest_bit
from sudoku.kernels.kernel import UNDECIDED, Array

# rows of State.searches
PUZZLE = 0  # its number in the batch
HEIGHT = 1  # of the lane's stack
FOUND = 2  # solutions so far; UNDECIDED if the puzzle is given up
GUESSES = 3
SINCE_FOUND = 4  # guesses since the last solution
NUM_SEARCHES = 5

# State.counters
NEXT = 0  # number of the next puzzle that a lane takes
BUSY = 1  # bit l: lane l is searching
MOST_SINCE_FOUND = 2  # guesses without a solution after which a puzzle is given up
PARTS = 3  # bit l: lane l searches a part of a puzzle
WHOLE = 4  # bit l: lane l passes no branches on
REFUTED = 5  # branches of a puzzle without a solution after which it is searched in parts
NUM_COUNTERS = 6

FEW_REFUTED = 4  # with 0, puzzles with two solutions took twice as long


def lane_counters(most_since_found: int) -> Array:
    """Return the counters of lanes that are all idle."""
    return np.array([0, 0, most_since_found, 0, 0, FEW_REFUTED], np.int64)


@helper
def _other_parts(puzzle: Array, lane: Any, parts: Any) -> Any:
    """The other lanes of these that search the puzzle of `lane`."""
    others = np.int64(0)
    while parts != 0:
        other = lowest_bit(parts)
        parts &= parts - 1
        if puzzle[other] == puzzle[lane] and other != lane:
            others |= np.int64(1) << other
    return others


# `copied` into each kernel, so that its function arguments become direct calls. Compiled on its own
# it would take their addresses, and numba could not cache the kernel.
@copied
def search_lanes(
    state: Any, stack: Array, searches: Array, counters: Array, rounds: Any, batch: Any,
    begin: Any, infer: Any, branch: Any, write: Any, step_back: Any,
) -> Any:  # fmt: skip
    """Continue with a batch for at most `rounds` rounds; return whether it is done.

    `state` is the state of the kernel, which these functions of it take:

    - ``begin(state, lane, puzzles, number)`` sets the candidates of a puzzle;
    - ``infer(state)`` does a round and returns three masks of lanes: those with a contradiction,
      those where another round may find more, those that are not solved;
    - ``branch(state, lane, saved)`` takes one side of a branch, and saves the other;
    - ``step_back(state, lane, saved)`` takes the side that was saved;
    - ``write(state, lane, solutions, number)`` writes the grid of a lane that is solved.
    """
    puzzles, limit, counts, solutions, nodes = batch
    puzzle = searches[PUZZLE]
    height = searches[HEIGHT]
    found = searches[FOUND]
    guesses = searches[GUESSES]
    since_found = searches[SINCE_FOUND]
    next_puzzle = counters[NEXT]
    busy = counters[BUSY]
    parts = counters[PARTS]
    whole = counters[WHOLE]
    idle = ((1 << searches.shape[1]) - 1) & ~busy
    only_counts = len(solutions) == 0
    refuted = 0 if only_counts else counters[REFUTED]
    in_parts = only_counts or limit == 2
    fresh = np.int64(0)
    while True:
        while idle != 0 and next_puzzle < len(puzzles):
            lane = lowest_bit(idle)
            idle &= idle - 1
            fresh |= 1 << lane
            puzzle[lane] = next_puzzle
            next_puzzle += 1
        busy |= fresh
        while fresh != 0:
            lane = lowest_bit(fresh)
            fresh &= fresh - 1
            begin(state, lane, puzzles, puzzle[lane])
            height[lane] = found[lane] = guesses[lane] = since_found[lane] = 0
        if busy == 0 or rounds <= 0:
            break
        rounds -= 1
        bad, changed, unsolved = infer(state)
        stuck = busy & unsolved & ~(bad | changed)
        solved = busy & ~(bad | unsolved)
        back = busy & bad | solved
        while stuck != 0:
            lane = lowest_bit(stuck)
            stuck &= stuck - 1
            is_part = (parts >> lane) & 1
            if since_found[lane] == counters[MOST_SINCE_FOUND]:
                if is_part:
                    guesses[lane] += 1  # more than a search in one lane takes
                else:
                    found[lane] = UNDECIDED
                height[lane] = 0
                back |= 1 << lane
                continue
            to = lane
            is_long = is_part or guesses[lane] - height[lane] >= refuted
            if idle != 0 and in_parts and is_long and not (whole >> lane) & 1:
                to = lowest_bit(idle)
                idle &= idle - 1
                puzzle[to] = puzzle[lane]
                height[to] = found[to] = guesses[to] = since_found[to] = 0
                parts |= 1 << lane | 1 << to
                whole &= ~(1 << to)
                busy |= 1 << to
                back |= 1 << to
            branch(state, lane, stack[height[to], to])
            height[to] += 1
            guesses[lane] += 1
            since_found[lane] += 1
        while solved != 0:
            lane = lowest_bit(solved)
            solved &= solved - 1
            if found[lane] == 0 and not only_counts:
                write(state, lane, solutions, puzzle[lane])
            found[lane] += 1
            since_found[lane] = 0
            if found[lane] >= limit:
                height[lane] = 0
        while back != 0:
            lane = lowest_bit(back)
            back &= back - 1
            if height[lane] > 0:
                height[lane] -= 1
                step_back(state, lane, stack[height[lane], lane])
                continue
            ended = np.int64(1) << lane
            is_last = True
            if (parts >> lane) & 1:
                others = _other_parts(puzzle, lane, parts & busy)
                to = lane
                if others != 0:
                    to = lowest_bit(others)
                    found[to] += found[lane]
                    guesses[to] += guesses[lane]
                if only_counts and found[to] >= limit:
                    found[lane] = limit
                    ended |= others
                elif found[to] >= limit or guesses[to] > counters[MOST_SINCE_FOUND]:
                    is_last = False
                    fresh |= ended
                    whole |= ended
                    parts ^= ended
                    ended = others
                else:
                    is_last = others == 0
            if is_last:
                number = puzzle[lane]
                counts[number] = found[lane]
                nodes[number] = guesses[lane]
                if found[lane] <= 0 and not only_counts:
                    solutions[number] = 0
            busy &= ~ended
            idle |= ended
            back &= ~ended
            parts &= ~ended
    counters[NEXT] = next_puzzle if busy else 0
    counters[BUSY] = busy
    counters[PARTS] = parts
    counters[WHOLE] = whole if busy else 0
    return busy == 0
