"""Fast path of one or a few 9x9 puzzles to their kernel, for programs that solve few in a call.

A text of 81 characters, a list or an array of digits needs no reader of files, no `Grid` and no
slices: the kernel gives a puzzle up after a bounded number of guesses, some milliseconds. Whatever
is unusual, be it valid or not, takes the general path (`sudoku.reading.convert.as_grid`, then
`BatchSearch`), which gives the same answers and reports the errors.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from sudoku.grid import Grid
from sudoku.kernels import classic
from sudoku.kernels.kernel import UNDECIDED, KernelBatch
from sudoku.layout import Layout
from sudoku.symbols import Symbols

SIZE, CELLS = 9, 81
LAYOUT = Layout(3, 3)
SYMBOLS, SYMBOLS_ZERO = Symbols.default(SIZE), Symbols.guess(SIZE, "0")
CHARACTERS = b".0123456789"
DIGIT_OF = bytes.maketrans(CHARACTERS, bytes([0, *range(10)]))
DIGITS = bytes(range(10))
MOST_PUZZLES = 1024  # of a batch; if the kernel gives one of them up, all are searched again
MOST_SOLUTIONS = 1 << 62


class _Workspace(NamedTuple):
    """Arrays for one search at a time."""

    state: classic.State  # every lane is idle between two searches
    batches: list[KernelBatch]  # the same arrays for one puzzle, with the limits 0, 1 and 2
    puzzle: memoryview  # the 81 bytes of the puzzle in `batches`


_idle: list[_Workspace] = []
"""Workspaces that no thread uses. They hold no answers; a search that is interrupted drops its."""


def _workspace() -> _Workspace:
    puzzles, solutions = np.zeros((2, 1, CELLS), np.uint8)
    counts, nodes = np.zeros((2, 1), np.int64)
    batches = [KernelBatch(puzzles, limit, counts, solutions, nodes) for limit in range(3)]
    return _Workspace(classic.start(None), batches, memoryview(puzzles[0]))


def _digits(puzzle: Any) -> bytes | None:
    """Return the digits of a usual puzzle, 0 for a blank; None for anything else."""
    kind = type(puzzle)
    if kind is str or kind is bytes:
        if len(puzzle) != CELLS or not puzzle.isascii():
            return None
        text: bytes = puzzle.encode() if kind is str else puzzle
        return None if text.translate(None, CHARACTERS) else text.translate(DIGIT_OF)
    if kind is np.ndarray:
        if puzzle.dtype != np.uint8 or puzzle.shape not in ((CELLS,), (SIZE, SIZE)):
            return None
        digits: bytes = puzzle.tobytes()
    elif kind is list:
        if len(puzzle) == SIZE and all(type(row) is list and len(row) == SIZE for row in puzzle):
            puzzle = list(chain.from_iterable(puzzle))
        if len(puzzle) != CELLS or set(map(type, puzzle)) != {int}:
            return None
        try:
            digits = bytes(puzzle)
        except ValueError:  # a number above 255 or below 0
            return None
    else:
        return None
    return None if digits.translate(None, DIGITS) else digits


def _search(puzzle: Any, limit: int) -> tuple[int, bytes] | None:
    """Return the number of solutions, at most `limit` <= 2, and the digits of the first one."""
    digits = _digits(puzzle)
    if digits is None:
        return None
    try:
        workspace = _idle.pop()
    except IndexError:
        workspace = _workspace()
    state, batch = workspace.state, workspace.batches[limit]
    workspace.puzzle[:] = digits
    state.counters[classic.NEXT] = 0
    while not classic.advance(state, classic.FIRST_BUDGET, batch):
        pass
    found = int(batch.counts[0])
    result = None if found == UNDECIDED else (found, batch.solutions.tobytes())
    _idle.append(workspace)
    return result


def batch(puzzles: Any, limit: int) -> KernelBatch | None:
    """Return some usual puzzles, uint8[k, 81] or uint8[k, 9, 9], with their counts and solutions.

    None: take the general path.
    """
    if type(puzzles) is not np.ndarray or puzzles.dtype != np.uint8 or type(limit) is not int:
        return None
    number = len(puzzles) if puzzles.ndim else 0
    if puzzles.shape[1:] not in ((CELLS,), (SIZE, SIZE)) or not 1 <= number <= MOST_PUZZLES:
        return None
    if puzzles.tobytes().translate(None, DIGITS) or not 1 <= limit <= MOST_SOLUTIONS:
        return None
    own = np.array(puzzles, order="C").reshape(number, CELLS)
    counts, nodes = np.zeros((2, number), np.int64)
    searched = KernelBatch(own, limit, counts, np.zeros((number, CELLS), np.uint8), nodes)
    try:
        workspace = _idle.pop()
    except IndexError:
        workspace = _workspace()
    state = workspace.state
    state.counters[classic.NEXT] = 0
    while not classic.advance(state, classic.FIRST_BUDGET, searched):
        pass
    _idle.append(workspace)
    return None if UNDECIDED in counts.tolist() else searched


def count(puzzle: Any, limit: int | None) -> int | None:
    """Return the number of solutions up to a limit of 1 or 2; None: take the general path."""
    if type(limit) is not int or not 1 <= limit <= 2:
        return None
    result = _search(puzzle, limit)
    return None if result is None else result[0]


def solve(puzzle: Any) -> tuple[Grid | None] | None:
    """Return a tuple with the first solution, or with None; None: take the general path."""
    result = _search(puzzle, 1)
    if result is None:
        return None
    found, digits = result
    if not found:
        return (None,)
    text = puzzle.decode() if type(puzzle) is bytes else puzzle
    zero = type(text) is str and "0" in text and "." not in text
    return (Grid.trusted(LAYOUT, digits, SYMBOLS_ZERO if zero else SYMBOLS),)
