"""The driver of kernels that search one puzzle in each lane of their vectors.

A round of inference is done in all lanes together. Between two rounds each lane branches,
backtracks, or takes the next puzzle of the batch, independently of the others: no lane waits for
another, and no result depends on its neighbours.

numba's cache does not notice a change of this file: delete `__pycache__` after one.
"""

from __future__ import annotations

from typing import Any

from dlx.compiled import copied
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
    idle = ((1 << searches.shape[1]) - 1) & ~busy
    while True:
        while idle != 0 and next_puzzle < len(puzzles):
            lane = lowest_bit(idle)
            idle &= idle - 1
            busy |= 1 << lane
            begin(state, lane, puzzles, next_puzzle)
            puzzle[lane] = next_puzzle
            height[lane] = found[lane] = guesses[lane] = since_found[lane] = 0
            next_puzzle += 1
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
            if since_found[lane] == counters[MOST_SINCE_FOUND]:
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
            if found[lane] == 0:
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
            else:
                number = puzzle[lane]
                counts[number] = found[lane]
                nodes[number] = guesses[lane]
                if found[lane] <= 0:
                    solutions[number] = 0
                busy ^= 1 << lane
                idle |= 1 << lane
    counters[NEXT] = next_puzzle if busy else 0
    counters[BUSY] = busy
    return busy == 0
