"""Fast path from one or a few puzzles to their kernel, for programs that solve few in a call.

Puzzles as most programs have them (`sudoku.reading.plain`) need no reader of files and no slices.
All other arguments, valid or not, take the general path (`sudoku.reading.convert.as_grid`, then
`BatchSearch`), which gives the same answers and reports the errors. So does a puzzle that its
kernel gives up after a bounded number of guesses, some milliseconds.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from sudoku.errors import LayoutError
from sudoku.grid import Grid
from sudoku.kernels.kernel import UNDECIDED, Array, Kernel, KernelBatch
from sudoku.layout import Box, Layout
from sudoku.reading.lines import SIDE
from sudoku.reading.plain import plain_puzzle
from sudoku.solving.batch_search import UNLIMITED
from sudoku.solving.driver import kernel_of, tables_of
from sudoku.symbols import Symbols

SMALL, FEW_NODES = 25, 64
"""The workspace of a larger grid than N = SMALL is used again only after a search of at most
FEW_NODES nodes: then at most 10 MB of its 50 to 540 MB were written, and so take memory."""

MOST_PUZZLES = 1024  # of a batch; if the kernel gives one of them up, all are searched again


class _Workspace(NamedTuple):
    """Arrays for one search at a time."""

    state: Any  # of the kernel; no puzzle is searched between two calls
    budget: int  # of a call of the kernel
    batches: list[KernelBatch]  # the same arrays for one puzzle, with the limits 0, 1 and 2; with
    # the latter, only counts are wanted
    puzzle: memoryview  # the cells of the puzzle in `batches`


class _Searcher(NamedTuple):
    """The kernel of a layout, and what its searches share."""

    layout: Layout
    symbols: Symbols  # by default
    digits: bytes  # 0 to N
    kernel: Kernel
    is_small: bool  # its workspaces are always used again
    idle: list[_Workspace]
    """Workspaces that no thread uses. They hold no answers; an interrupted search drops its own."""

    def workspace(self) -> _Workspace:
        """Return an idle workspace or a new one."""
        try:
            return self.idle.pop()
        except IndexError:
            pass
        state = self.kernel.start(tables_of(self.kernel, self.layout))
        puzzles, solutions = np.zeros((2, 1, self.layout.cells), np.uint8)
        counts, nodes = np.zeros((2, 1), np.int64)
        batches = [
            KernelBatch(puzzles, limit, counts, solutions[: limit < 2], nodes) for limit in range(3)
        ]
        budget = self.kernel.first_budget(state)
        return _Workspace(state, budget, batches, memoryview(puzzles[0]))

    def run(self, workspace: _Workspace, batch: KernelBatch) -> None:
        """Search a batch to its end. The caller reads what it needs, then makes this idle."""
        state, budget, _, _ = workspace
        while not self.kernel.advance(state, budget, batch):
            pass


def _searcher(n: int, box: Any, diagonal: Any) -> _Searcher | None:
    """Return the searcher of a layout; None if there is none, or it is unusual."""
    if box is not None and type(box) is not str and type(box) is not Layout:
        return None
    if diagonal is not None and type(diagonal) is not bool:
        return None
    return _known_searcher(n, box, diagonal is True)


@lru_cache(maxsize=16)
def _known_searcher(n: int, box: Box, diagonal: bool) -> _Searcher | None:
    try:
        layout = Layout.of(n, box, diagonal)
    except LayoutError:
        return None
    symbols, digits = Symbols.default(n), bytes(range(n + 1))
    return _Searcher(layout, symbols, digits, kernel_of(layout), n <= SMALL, [])


def _search(
    puzzle: Any, limit: int, box: Box, diagonal: bool | None
) -> tuple[int, bytes, Layout, Symbols] | None:
    """Return the number of solutions, at most `limit` <= 2, and the digits of the first one."""
    if type(puzzle) is Grid:
        if box is not None or diagonal is not None:
            return None
        box = puzzle.layout
    parts = plain_puzzle(puzzle)
    if parts is None:
        return None
    n, digits, symbols = parts
    searcher = _searcher(n, box, diagonal)
    if searcher is None or digits.translate(None, searcher.digits):
        return None
    workspace = searcher.workspace()
    batch = workspace.batches[limit]
    workspace.puzzle[:] = digits
    searcher.run(workspace, batch)
    number, solution = batch.counts.item(0), batch.solutions.tobytes()
    if searcher.is_small or batch.nodes.item(0) <= FEW_NODES:
        searcher.idle.append(workspace)
    if number == UNDECIDED:
        return None
    return number, solution, searcher.layout, symbols or searcher.symbols


def counts(puzzles: Any, limit: int, box: Box, diagonal: bool | None) -> Array | None:
    """Return the numbers of solutions of usual puzzles, uint8[k, N*N] or uint8[k, N, N].

    None: take the general path.
    """
    if type(limit) is not int or not 1 <= limit <= UNLIMITED:
        return None
    return _search_batch(puzzles, limit, True, box, diagonal)


def solutions(puzzles: Any, box: Box, diagonal: bool | None) -> Array | None:
    """Return the first solution of each, zeros where there is none; otherwise as `counts`."""
    return _search_batch(puzzles, 1, False, box, diagonal)


def _search_batch(
    puzzles: Any, limit: int, only_counts: bool, box: Box, diagonal: bool | None
) -> Array | None:
    if type(puzzles) is not np.ndarray or puzzles.dtype != np.uint8:
        return None
    shape = puzzles.shape
    if len(shape) == 2:
        number, cells = shape
    elif len(shape) == 3 and shape[1] == shape[2]:
        number, cells = shape[0], shape[1] * shape[2]
    else:
        return None
    n = SIDE.get(cells)
    if n is None or not 1 <= number <= MOST_PUZZLES:
        return None
    searcher = _searcher(n, box, diagonal)
    if searcher is None:
        return None
    if number == 1 and limit <= (2 if only_counts else 1):
        digits = puzzles.tobytes()
        if digits.translate(None, searcher.digits):
            return None
        workspace = searcher.workspace()
        searched = workspace.batches[limit]
        workspace.puzzle[:] = digits
    else:
        # copied, as another thread might change them between check and search
        rows = puzzles.reshape(number, cells).copy()
        if rows.item(rows.argmax()) > n:  # many times as fast as `translate`
            return None
        workspace = searcher.workspace()
        results, nodes = np.zeros(number, np.int64), np.empty(number, np.int64)
        none = workspace.batches[2].solutions
        grids = none if only_counts else np.zeros((number, cells), np.uint8)
        searched = KernelBatch(rows, limit, results, grids, nodes)
    searcher.run(workspace, searched)
    answers = searched.counts if only_counts else searched.solutions
    if number == 1:  # perhaps those of the workspace
        answers = answers.copy()
    given_up = searched.counts.item(searched.counts.argmin()) == UNDECIDED
    if searcher.is_small or searched.nodes.max() <= FEW_NODES:
        searcher.idle.append(workspace)
    return None if given_up else answers


def count(puzzle: Any, limit: int | None, box: Box, diagonal: bool | None) -> int | None:
    """Return the number of solutions up to a limit of 1 or 2; None: take the general path."""
    if type(limit) is not int or not 1 <= limit <= 2:
        return None
    result = _search(puzzle, limit, box, diagonal)
    return None if result is None else result[0]


def solve(puzzle: Any, box: Box, diagonal: bool | None) -> tuple[Grid | None] | None:
    """Return a tuple with the first solution, or with None; None: take the general path."""
    result = _search(puzzle, 1, box, diagonal)
    if result is None:
        return None
    number, digits, layout, symbols = result
    return (Grid.trusted(layout, digits, symbols) if number else None,)
