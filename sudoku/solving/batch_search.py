"""Searches of many puzzles of one layout, by threads over compiled code.

A kernel runs without the interpreter's lock for some 10 ms at a time. Between two such slices
Ctrl-C, deadlines and other threads get their turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sudoku.solving.threads import threads

if TYPE_CHECKING:
    from sudoku.layout import Layout

__all__ = ["BatchSearch", "as_cells", "has_kernel_of_its_own", "warm_up"]

SLICE = 0.01
"""Seconds that a kernel is asked to run at a time."""

LARGE = 16
"""From this N on one puzzle may take long, so that a batch is searched puzzle by puzzle."""

MOST = 1 << 62
"""A limit beyond this makes no difference."""

Cells = NDArray[np.uint8]
Counts = NDArray[np.int64]


def has_kernel_of_its_own(layout: Layout) -> bool:
    """Whether batches go to ``sudoku.kernels.nine_by_nine``, not to ``sudoku.kernels.masks``."""
    return (layout.box_rows, layout.box_columns, layout.diagonal) == (3, 3, False)


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
        self.layout, self.puzzles, self.limit = layout, puzzles, min(limit, MOST)
        self.counts = np.full(k, -1, dtype=np.int64)
        self.solutions = np.zeros((k, layout.cells), dtype=np.uint8)
        self.nodes = np.zeros(k, dtype=np.int64)
        # a kernel kept as a bound method would be a cycle, and the arrays stay until it is found
        self._tables = self._tables_of(layout)
        # puzzles of a first slice
        self._size = 1 if layout.size >= LARGE else 256 if has_kernel_of_its_own(layout) else 64
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
        self._next = self.done
        if not len(self.counts):
            return True
        jobs = threads(jobs, -(-(len(self.counts) - self._next) // self._size))
        if jobs <= 1:
            self._work(progress)
        else:
            self.warm()
            workers = [Thread(target=self._work, args=(None,)) for _ in range(jobs)]
            for thread in workers:
                thread.start()
            try:
                for thread in workers:
                    while thread.is_alive():
                        thread.join(0.1)
                        if progress is not None:
                            progress(self._next)
            finally:
                self._stop = True
                for thread in workers:
                    thread.join()
        if self._failure is not None:
            raise self._failure
        return bool((self.counts >= 0).all())

    @property
    def done(self) -> int:
        """Puzzles searched before the first that was not."""
        left = self.counts < 0
        return int(np.argmax(left)) if left.any() else len(self.counts)

    @staticmethod
    def _tables_of(layout: Layout) -> Any:
        if has_kernel_of_its_own(layout):
            return None
        from sudoku.kernels import masks

        return masks.tables(layout)

    def _run(
        self, puzzles: Cells, limit: int, counts: Counts, solutions: Cells, nodes: Counts
    ) -> None:
        """The kernel for the layout."""
        if self._tables is None:
            self._nine(puzzles, limit, counts, solutions, nodes)
        elif self.layout.size >= LARGE:
            self._give_way(self._tables, puzzles, limit, counts, solutions, nodes)
        else:
            from sudoku.kernels import masks

            masks.run(self._tables, puzzles, limit, counts, solutions, nodes)

    def _nine(
        self, puzzles: Cells, limit: int, counts: Counts, solutions: Cells, nodes: Counts
    ) -> None:
        """``nine.run``, stopping if need be; what it gives up goes to ``masks``."""
        from sudoku.kernels import nine_by_nine as nine

        state = nine.start()
        while not nine.advance(state, nine.ROUNDS, puzzles, limit, counts, solutions, nodes):
            if not self._may_go_on():
                return
        for k in np.flatnonzero(counts == nine.UNKNOWN).tolist():
            from sudoku.kernels import masks

            one = slice(k, k + 1)
            found = (counts[one], solutions[one], nodes[one])
            self._give_way(masks.tables(self.layout), puzzles[one], limit, *found)

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
        from sudoku.kernels import masks

        state = masks.start(tables, self.puzzles[0] * 0)
        if not len(puzzles):  # only to compile
            masks.advance(state, 0, 1, solutions)
        for k, puzzle in enumerate(puzzles):
            masks.restart(state, puzzle)
            found, budget = 0, 64
            while found < limit and not state.counters[masks.EXHAUSTED] and self._may_go_on():
                began = time.perf_counter()
                out = solutions[k : k + 1] if found == 0 else solutions[:0]
                found += masks.advance(state, budget, limit - found, out)
                spent = time.perf_counter() - began
                budget = min(max(16, int(budget * min(4.0, SLICE / (spent + 1e-9)))), 1 << 40)
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
        size = self._size
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
