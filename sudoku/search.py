"""Searches that can be watched and stopped: one puzzle to the end, or a batch by threads.

Kernels run without the interpreter's lock for some 10 ms at a time. Between two such slices
Ctrl-C, time limits and other threads get their turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sudoku.grid import Grid
    from sudoku.layout import Layout

__all__ = ["BatchSearch", "CoverSearch", "GridSearch", "has_kernel_of_its_own"]

SLICE = 0.01
"""Seconds that a kernel is asked to run at a time."""

UNLIMITED = 1 << 62
LARGE = 16
"""From this N on one puzzle may take long, so that a batch is searched puzzle by puzzle."""

Cells = NDArray[np.uint8]
Counts = NDArray[np.int64]


def has_kernel_of_its_own(layout: Layout) -> bool:
    """Whether batches go to ``sudoku.nine``, not to ``sudoku.masks``."""
    return (layout.box_rows, layout.box_columns, layout.diagonal) == (3, 3, False)


class GridSearch:
    """All grids of one puzzle, by ``sudoku.masks``.

    Args:
        grid: the puzzle.
        limit: stop after so many grids.
        time_limit: stop after so many seconds of searching.
        progress: called after each slice.

    Attributes:
        found: grids found so far; after Ctrl-C a lower bound.
        nodes: branches taken so far.
        status: ``"ready"``, ``"running"``, ``"exhausted"``, ``"limit"`` or ``"time limit"``.
    """

    def __init__(
        self,
        grid: Grid,
        limit: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[], None] | None = None,
    ) -> None:
        from sudoku import masks

        self._advance, self._flags = masks.advance, (masks.NODES, masks.EXHAUSTED)
        self._state = masks.start(masks.tables(grid.layout), grid.values.astype(np.uint8))
        self._cells = grid.layout.cells
        self._limit = UNLIMITED if limit is None else limit
        self._time_limit, self.progress = time_limit, progress
        self._seconds, self._budget = 0.0, 256
        self.found, self.status = 0, "ready"

    @property
    def nodes(self) -> int:
        return int(self._state.counters[self._flags[0]])

    def __iter__(self) -> Iterator[Cells]:
        """The grids that are left, each uint8[N*N]."""
        for found in self.batches():
            yield from found

    def batches(self) -> Iterator[Cells]:
        """The grids that are left, some at a time, uint8[m, N*N]."""
        rows = 1
        while self._goes_on():
            yield self._slice(min(rows, self._limit - self.found))
            rows = min(2 * rows, 1 << 10)

    def count(self) -> int:
        """Go on to the end without listing; all grids found."""
        while self._goes_on():
            self._slice(0)
        return self.found

    def _goes_on(self) -> bool:
        self.status = "running"
        if self._state.counters[self._flags[1]]:
            self.status = "exhausted"
        elif self.found >= self._limit:
            self.status = "limit"
        elif self._time_limit is not None and self._seconds >= self._time_limit:
            self.status = "time limit"
        return self.status == "running"

    def _slice(self, rows: int) -> Cells:
        out = np.empty((rows, self._cells), dtype=np.uint8)
        if self.nodes == 0:
            self._advance(self._state, 0, 0, out)  # compiles: not to be timed
        began = time.perf_counter()
        count = self._advance(self._state, self._budget, rows or self._limit - self.found, out)
        self.found += count
        spent = time.perf_counter() - began
        self._seconds += spent
        self._budget = max(16, int(self._budget * min(4.0, SLICE / (spent + 1e-9))))
        if self.progress is not None:
            self.progress()
        return out[:count]


class CoverSearch:
    """The same by the generic engine: ``dlx.Search`` over the exact cover problem of the layout.

    Attributes as those of GridSearch.
    """

    def __init__(
        self, grid: Grid, limit: int | None = None, time_limit: float | None = None
    ) -> None:
        from dlx import Search
        from sudoku import cover

        self._layout, self._to_values = grid.layout, cover.cover_to_values
        self._search = Search(
            cover.problem(grid.layout),
            given=cover.givens(grid),
            limit=limit,
            time_limit=time_limit,
        )

    @property
    def found(self) -> int:
        return self._search.stats.covers

    @property
    def nodes(self) -> int:
        return self._search.stats.nodes

    @property
    def status(self) -> str:
        return self._search.status

    def __iter__(self) -> Iterator[Cells]:
        for found in self._search:
            yield self._to_values(found, self._layout).reshape(-1).astype(np.uint8)

    def count(self) -> int:
        return self._search.count()


class BatchSearch:
    """k puzzles of one layout, each up to ``limit`` grids.

    Args:
        layout: of all puzzles.
        puzzles: uint8[k, cells], 0 blank.
        limit: at least 1.

    Attributes:
        counts: int64[k], grids found, -1 where the search did not come yet.
        solutions: uint8[k, cells], the first one found, zeros where there is none.
        nodes: int64[k].
    """

    def __init__(self, layout: Layout, puzzles: Cells, limit: int) -> None:
        k = len(puzzles)
        self.layout, self.puzzles, self.limit = layout, puzzles, limit
        self.counts = np.full(k, -1, dtype=np.int64)
        self.solutions = np.zeros((k, layout.cells), dtype=np.uint8)
        self.nodes = np.zeros(k, dtype=np.int64)
        self._run = self._kernel()
        self._next, self._stop, self._lock = 0, False, Lock()
        self._failure: BaseException | None = None
        self._deadline: float | None = None

    def run(
        self,
        jobs: int = 1,
        deadline: float | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> bool:
        """Search all puzzles, or until the deadline (of ``time.monotonic``); whether all are done.

        Results do not depend on ``jobs``, the number of threads. After Ctrl-C, ``counts`` says
        how far it came.
        """
        self._stop, self._failure, self._deadline = False, None, deadline
        self._next = (
            int(np.argmax(self.counts < 0)) if (self.counts < 0).any() else len(self.counts)
        )
        if not len(self.counts):
            return True
        if jobs <= 1 or len(self.counts) == 1:
            self._work(progress)
        else:
            self.warm()
            threads = [Thread(target=self._work, args=(None,)) for _ in range(jobs)]
            for thread in threads:
                thread.start()
            try:
                for thread in threads:
                    while thread.is_alive():
                        thread.join(0.1)
                        if progress is not None:
                            progress(self._next)
            finally:
                self._stop = True
                for thread in threads:
                    thread.join()
        if self._failure is not None:
            raise self._failure
        return bool((self.counts >= 0).all())

    @property
    def done(self) -> int:
        """Puzzles searched before the first that was not."""
        left = self.counts < 0
        return int(np.argmax(left)) if left.any() else len(self.counts)

    def _kernel(self) -> Callable[..., None]:
        layout = self.layout
        if has_kernel_of_its_own(layout):
            from sudoku import nine

            kernel: Callable[..., None] = nine.run
            return kernel
        from sudoku import masks

        tables = masks.tables(layout)
        if layout.size < LARGE:
            return lambda *arrays: masks.run(tables, *arrays)

        return partial(self._give_way, tables)

    def _give_way(
        self,
        tables: Any,
        puzzles: Cells,
        limit: int,
        counts: Counts,
        solutions: Cells,
        nodes: Counts,
    ) -> None:
        """A kernel for large grids: ``masks.run``, stopping in the midst of a puzzle if need be."""
        from sudoku import masks

        if not len(puzzles):  # only to compile
            masks.advance(masks.start(tables, self.puzzles[0] * 0), 0, 1, solutions)
        for k, puzzle in enumerate(puzzles):
            state = masks.start(tables, puzzle)
            found, budget = 0, 64
            while found < limit and not state.counters[masks.EXHAUSTED] and self._may_go_on():
                began = time.perf_counter()
                out = solutions[k : k + 1] if found == 0 else solutions[:0]
                found += masks.advance(state, budget, limit - found, out)
                spent = time.perf_counter() - began
                budget = max(16, int(budget * min(4.0, SLICE / (spent + 1e-9))))
            if found >= limit or state.counters[masks.EXHAUSTED]:
                counts[k], nodes[k] = found, state.counters[masks.NODES]

    def warm(self) -> None:
        """Compile or load the kernel, once, before threads would do so at the same time."""
        self._slice(0, 0)

    def _slice(self, begin: int, end: int) -> None:
        counts = np.full(end - begin, -1, dtype=np.int64)
        self._run(
            self.puzzles[begin:end],
            self.limit,
            counts,
            self.solutions[begin:end],
            self.nodes[begin:end],
        )
        self.counts[begin:end] = counts  # last: what is interrupted stays "not yet"

    def _may_go_on(self) -> bool:
        in_time = self._deadline is None or time.monotonic() < self._deadline
        return in_time and not self._stop

    def _work(self, progress: Callable[[int], None] | None) -> None:
        size = 1 if self.layout.size >= LARGE else 64
        try:
            while self._may_go_on():
                with self._lock:
                    begin = self._next
                    end = self._next = min(begin + size, len(self.counts))
                if begin == end:
                    return
                began = time.perf_counter()
                self._slice(begin, end)
                spent = time.perf_counter() - began
                size = max(1, int(size * min(4.0, SLICE / (spent + 1e-9))))
                if progress is not None:
                    progress(end)
        except BaseException as error:  # of a thread: for the one who waits
            self._failure = error
            self._stop = True


def warm_up(*layouts: Layout) -> None:
    """Compile, and so cache on disk, what batches and single puzzles of these layouts need."""
    for layout in layouts:
        BatchSearch(layout, np.zeros((1, layout.cells), dtype=np.uint8), 1).warm()


def as_cells(values: Any, cells: int) -> Cells:
    """Digits as the kernels take them: uint8[k, cells], contiguous, and a copy.

    For numba compiles a kernel once more for arrays that are read-only.
    """
    return np.array(values, dtype=np.uint8, order="C").reshape(-1, cells)
