"""Searches of many puzzles of one layout, shared among threads; checks of uniqueness."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudoku.checks import threads
from sudoku.grid import Grid
from sudoku.kernels.kernel import SETUP, UNDECIDED, Kernel, KernelBatch
from sudoku.layout import Layout
from sudoku.solving.driver import Driver, fitted, is_classic, kernel_of, tables_of

MANY_SOLUTIONS = 1000
UNLIMITED = 1 << 62
REPORT_SECONDS = 0.1
LARGEST_EXACT, LARGEST_EXACT_OF_MORE_HOUSES = 16, 12
"""Largest N for which every count is exact: with boxes alone, or none; with other houses.

On larger grids a count may take years; on 16x16 jigsaws some take minutes.
"""
LARGE_PATIENCE = 1000
"""Nodes after which the count of a larger puzzle is left UNDECIDED."""

CLASSIC_SPEED = 20
"""How many times as fast as the other kernels `classic` is, for a puzzle and for a node."""

Cells = NDArray[np.uint8]


class BatchSearch:
    """The search of k puzzles of one layout, each up to `limit` >= 1 solutions.

    `puzzles` is uint8[k, cells], see `as_cells`. After `patience` nodes, as the kernel counts them,
    it gives a puzzle up, whose count stays UNDECIDED (-1); by default all are decided.
    `candidates`, uint64 of any shape, has the masks of `Grid.candidates` of all puzzles, if they
    have any.

    Results are `counts`, int64[k], UNDECIDED where the search has not ended; `solutions`,
    uint8[k, cells], the first one found of each puzzle, or zeros; `nodes` of the search, int64[k].
    """

    def __init__(
        self,
        layout: Layout,
        puzzles: Cells,
        limit: int,
        patience: int | None = None,
        candidates: NDArray[np.uint64] | None = None,
    ) -> None:
        k = len(puzzles)
        self.candidates = None
        if candidates is not None:  # a writable copy, as of `as_cells`
            self.candidates = np.array(candidates).reshape(k, layout.cells).view(np.int64)
        self.layout, self.puzzles, self.limit = layout, puzzles, min(limit, UNLIMITED)
        self.counts = np.full(k, UNDECIDED, dtype=np.int64)
        self.solutions = np.zeros((k, layout.cells), dtype=np.uint8)
        self.nodes = np.zeros(k, dtype=np.int64)
        self._patience = patience

    @property
    def num_decided(self) -> int:
        """Puzzles before the first that is not decided."""
        undecided = np.flatnonzero(self.counts == UNDECIDED)
        return int(undecided[0]) if len(undecided) else len(self.counts)

    def run(
        self,
        jobs: int = 1,
        time_limit: float | None = None,
        progress: Callable[[int], object] | None = None,
        stop: Event | None = None,
    ) -> bool:
        """Search the puzzles from number `num_decided` on; return whether all were searched.

        Results do not depend on the number of threads, `jobs`. After Ctrl-C or an early end,
        `counts` tells which puzzles are decided, and the search may be run again. `progress` is
        called with the number of puzzles decided so far, after each slice or, with threads, each
        tenth of a second. The run ends once `stop` is set, as an error of a thread does.
        """
        first = self.num_decided

        def report() -> None:
            if progress is not None:
                progress(int(np.count_nonzero(self.counts != UNDECIDED)))

        if jobs > 1:
            piece = 256 if is_classic(self.layout) else 64 if self.layout.size < 16 else 1
            jobs = min(threads(jobs), -(-(len(self.counts) - first) // piece))
        if jobs <= 1:
            return self._search(first, len(self.counts), Driver(time_limit, stop), report)
        from concurrent.futures import ThreadPoolExecutor, wait

        # compiled here once, before several threads would do so at the same time
        compile_kernels(self.layout, candidates=self.candidates is not None)
        stop = stop or Event()
        lock = Lock()

        def search_pieces() -> bool:
            nonlocal first
            driver, size, completed = Driver(time_limit, stop), piece, True
            try:
                while completed:
                    with lock:
                        begin, end = first, min(first + size, len(self.counts))
                        first = end
                    if begin == end:
                        break
                    before = driver.seconds
                    completed = self._search(begin, end, driver)
                    size = fitted(size, driver.seconds - before)
            except BaseException:
                stop.set()
                raise
            return completed

        with ThreadPoolExecutor(jobs) as pool:
            try:
                workers = [pool.submit(search_pieces) for _ in range(jobs)]
                while wait(workers, REPORT_SECONDS).not_done:
                    report()
            except BaseException:
                stop.set()
                raise
        results = [worker.result() for worker in workers]
        return all(results)

    def _search(
        self, begin: int, end: int, driver: Driver, report: Callable[[], object] | None = None
    ) -> bool:
        """Search puzzles `begin` to `end - 1`; return whether the search ended."""
        kernel = kernel_of(self.layout, self.candidates is not None)
        completed = self._search_by(kernel, slice(begin, end), driver, report)
        if not completed or self._patience is not None:
            return completed
        for k in begin + np.flatnonzero(self.counts[begin:end] == UNDECIDED):
            from sudoku.kernels import masks

            if not self._search_by(masks, slice(k, k + 1), driver, report):
                return False
        return True

    def _search_by(
        self, kernel: Kernel, part: slice, driver: Driver, report: Callable[[], object] | None
    ) -> bool:
        """Search some puzzles by a kernel; return whether the search ended."""
        answers = (array[part] for array in (self.counts, self.solutions, self.nodes))
        batch = KernelBatch(self.puzzles[part], self.limit, *answers)
        masks = [] if self.candidates is None else [self.candidates[part]]
        patience = kernel.PATIENCE if self._patience is None else self._patience
        state = kernel.start(tables_of(kernel, self.layout), patience, *masks)
        return driver.finish(kernel, state, batch, report)


class Stopped(Exception):
    """A check was stopped by its event."""


class UniquenessCheck:
    """Counts the solutions of puzzles up to a limit; once `stop` is set, a check raises Stopped.

    `effort` is the work so far in search nodes of `masks`, the same on every machine. 5,000,000
    were measured to take 5 to 25 s on one core, depending on the layout.

    >>> check = UniquenessCheck(Layout(2, 2))
    >>> check(np.zeros((1, 16), np.uint8))[0].tolist()
    [2]
    """

    def __init__(self, layout: Layout, stop: Event | None = None) -> None:
        self.layout, self.stop = layout, stop or Event()
        self.effort = 0.0

    def __call__(
        self, puzzles: NDArray[np.uint8], limit: int = 2
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
        """Return counts up to `limit`, first solutions, and nodes of k puzzles, uint8[k, cells].

        Where the kernel gives a puzzle larger than `LARGEST_EXACT` up, the count is UNDECIDED.
        """
        most = LARGEST_EXACT_OF_MORE_HOUSES if self.layout.extra else LARGEST_EXACT
        patience = LARGE_PATIENCE if self.layout.size > most else None
        search = BatchSearch(self.layout, np.ascontiguousarray(puzzles), limit, patience)
        if not self._run(search):
            raise Stopped
        self.add_effort(len(puzzles), int(search.nodes.sum()))
        return search.counts, search.solutions, search.nodes

    def _run(self, search: BatchSearch) -> bool:
        return search.run(stop=self.stop)

    def add_effort(self, searches: int, nodes: int) -> None:
        """Add searches with `nodes` nodes together to the effort."""
        spent = nodes + searches * self.layout.size**3 / SETUP
        self.effort += spent / (CLASSIC_SPEED if is_classic(self.layout) else 1)


def batch_limit(limit: int | None) -> int:
    """Return up to how many solutions of a puzzle a batch counts.

    If it is less than `limit`, puzzles that reach it are counted by a `solution_counter`.
    """
    return MANY_SOLUTIONS if limit is None else min(limit, MANY_SOLUTIONS)


def compile_kernels(*layouts: Layout, candidates: bool = False) -> None:
    """Compile (and cache on disk) the kernels for puzzles of these layouts.

    `candidates` says whether the puzzles have candidates.
    """
    for layout in layouts:
        masks = np.zeros((0, layout.cells), np.uint64) if candidates else None
        puzzles = np.zeros((0, layout.cells), dtype=np.uint8)
        none = BatchSearch(layout, puzzles, 1, candidates=masks)
        none._search(0, 0, Driver())


def search_of(grid: Grid, limit: int, copies: int = 1) -> BatchSearch:
    """Return the search of one puzzle, or of copies in which other cells are to be filled."""
    puzzles = as_cells([grid.values] * copies, grid.layout.cells)
    masks = None if grid.candidates is None else np.array([grid.candidates] * copies)
    return BatchSearch(grid.layout, puzzles, limit, candidates=masks)


def as_cells(values: Any, cells: int) -> Cells:
    """Return a copy of puzzles as the kernels take them: uint8[k, cells], contiguous, writable.

    For arrays that are read-only, numba would compile each kernel once more.
    """
    return np.array(values, dtype=np.uint8, order="C").reshape(-1, cells)
