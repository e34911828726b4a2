"""The driver of kernels that search one puzzle in each lane of their vectors.

A round of inference is done in all lanes together. Between two rounds each lane branches,
backtracks, or takes the next puzzle of the batch, independently of the others: no lane waits for
another, and no result depends on its neighbours.

When no puzzle is left to begin, a lane that branches may pass the other side on to an idle lane. So
the parts of a puzzle are searched side by side; their solutions and guesses are added. With a limit
of two solutions that gives the same as a search in one lane if there are none or one. If there are
two, the first solution and the guesses would depend on the lanes: if they are wanted, the puzzle
is searched again in one lane. The same happens if the parts together take so many guesses that a
search in one lane might give up.

Between two calls of `search_lanes`:

    PARTIAL is within BUSY, and shares no lane with WHOLE; a lane of WHOLE may be idle.
    A puzzle before NEXT is answered, or has busy lanes: one that is not in PARTIAL, or one or more
    in PARTIAL. A puzzle from NEXT on has not begun; no lane is idle while there are such puzzles.
    The solutions of a puzzle in busy lanes are the sum of FOUND over its lanes, plus those that
    these lanes have not found yet: none is in two lanes. A part that ends adds its FOUND and
    GUESSES to another lane of its puzzle.
    If no lane is busy, the batch is done: NEXT, PARTIAL and WHOLE are 0, for another batch.

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
PARTIAL = 3  # bit l: lane l searches a part of a puzzle
WHOLE = 4  # bit l: lane l must not hand branches to idle lanes
REFUTED = 5  # branches of a puzzle without a solution after which it is searched in parts
NUM_COUNTERS = 6

FEW_REFUTED = 4  # with 0, puzzles with two solutions took twice as long


def lane_counters(most_since_found: int) -> Array:
    """Return the counters of lanes that are all idle."""
    return np.array([0, 0, most_since_found, 0, 0, FEW_REFUTED], np.int64)


@helper
def _pass_on(
    searches: Array, stack: Array, givers: Any, idle: Any, parts: Any, refuted: Any
) -> Any:  # fmt: skip
    """Move the last branch of some lanes to idle ones, for puzzles with `refuted` refuted branches.

    A lane that searches a part of a puzzle may give one at once. Returns the lanes that have one,
    and `parts` with both lanes of each branch.
    """
    taken = np.int64(0)
    while givers != 0 and idle != 0:
        lane = lowest_bit(givers)
        givers &= givers - 1
        height = searches[HEIGHT, lane]
        is_part = (parts >> lane) & 1
        if height == 0 or not (is_part or searches[GUESSES, lane] - height >= refuted):
            continue
        to = lowest_bit(idle)
        idle &= idle - 1
        taken |= np.int64(1) << to
        parts |= np.int64(1) << lane | np.int64(1) << to
        for word in range(stack.shape[2]):
            stack[0, to, word] = stack[height - 1, lane, word]
        searches[HEIGHT, lane] = height - 1
        for row in range(NUM_SEARCHES):
            searches[row, to] = 0
        searches[PUZZLE, to] = searches[PUZZLE, lane]
        searches[HEIGHT, to] = 1
    return taken, parts


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

    Counts and nodes (guesses) of a puzzle are written when its search ends, its first solution when
    it is found; puzzles do not end in their order.

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
    parts = counters[PARTIAL]
    whole = counters[WHOLE]
    idle = ((1 << searches.shape[1]) - 1) & ~busy
    only_counts = len(solutions) == 0
    refuted = 0 if only_counts else counters[REFUTED]
    in_parts = only_counts or limit == 2
    again = np.int64(0)  # idle lanes that search their puzzle again, in one lane
    while True:
        while idle != 0 and (next_puzzle < len(puzzles) or again != 0):
            lane = lowest_bit(idle)
            if again != 0:
                lane = lowest_bit(again)
                again &= again - 1
                whole |= 1 << lane
            else:
                puzzle[lane] = next_puzzle
                next_puzzle += 1
            idle ^= 1 << lane
            busy |= 1 << lane
            begin(state, lane, puzzles, puzzle[lane])
            height[lane] = found[lane] = guesses[lane] = since_found[lane] = 0
        if busy == 0 or rounds <= 0:
            break
        rounds -= 1
        bad, changed, unsolved = infer(state)
        stuck = busy & unsolved & ~(bad | changed)
        solved = busy & ~(bad | unsolved)
        back = busy & bad | solved
        givers = stuck & ~whole
        while stuck != 0:
            lane = lowest_bit(stuck)
            stuck &= stuck - 1
            if since_found[lane] == counters[MOST_SINCE_FOUND]:
                if (parts >> lane) & 1:
                    guesses[lane] += 1  # more than a search in one lane takes
                else:
                    found[lane] = UNDECIDED
                height[lane] = 0
                back |= 1 << lane
                continue
            branch(state, lane, stack[height[lane], lane])
            height[lane] += 1
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
        if idle != 0 and in_parts:
            taken, parts = _pass_on(searches, stack, givers, idle, parts, refuted)
            idle ^= taken
            busy |= taken
            back |= taken
            whole &= ~taken
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
                    again |= ended
                    ended |= others
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
    counters[PARTIAL] = parts
    counters[WHOLE] = whole if busy else 0
    return busy == 0
