"""Searches for all solutions of one puzzle, with progress reports and limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from dlx.search.driver import Stats
from sudoku import cover
from sudoku.layout import Layout
from sudoku.solving.batch_search import UNLIMITED, Cells
from sudoku.solving.driver import Driver, tables_of

if TYPE_CHECKING:
    from dlx import Count
    from sudoku.grid import Grid

MOST_ROWS = 1 << 10
LARGEST_MERGED = 8


class SolutionSearch:
    """The search for all solutions of one puzzle, by `sudoku.kernels.masks`.

    `progress` is called after each slice with `num_solutions`, the number found so far; after
    Ctrl-C it is a lower bound. `status` is "ready", "running", "exhausted", "limit" or "time limit"
    (seconds of searching).
    """

    def __init__(
        self,
        grid: Grid,
        limit: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> None:
        from sudoku.kernels import masks

        allowed = None
        if grid.candidates is not None:
            allowed = np.array(grid.candidates.reshape(1, -1)).view(np.int64)
        tables = tables_of(masks, grid.layout)
        self._kernel, self._state = masks, masks.start(tables, candidates=allowed)
        self._budget = masks.first_budget(self._state)
        masks.begin(self._state, grid.values.reshape(-1).astype(np.uint8))
        self._limit = UNLIMITED if limit is None else min(limit, UNLIMITED)
        self._driver, self._progress = Driver(time_limit), progress
        self.num_solutions, self.status = 0, "ready"

    @property
    def stats(self) -> Stats:
        """Solutions and nodes (branches taken) so far, as those of `dlx.Search`."""
        counters, kernel = self._state.counters, self._kernel
        nodes, done = int(counters[kernel.NODES]), float(counters[kernel.EXHAUSTED])
        return Stats(self.num_solutions, nodes, 0, self._driver.seconds, "masks", done)

    def __iter__(self) -> Iterator[Cells]:
        """Continue, and yield each solution, uint8[cells]."""
        for batch in self.batches():
            yield from batch

    def batches(self) -> Iterator[Cells]:
        """Continue, and yield the solutions in batches, uint8[m, cells]."""
        rows = 1
        while self._is_running():
            yield self._slice(min(rows, self._limit - self.num_solutions))
            rows = min(2 * rows, MOST_ROWS)

    def count(self) -> int:
        """Continue to the end without listing; return the number of all solutions found."""
        while self._is_running():
            self._slice(0)
        return self.num_solutions

    def compile(self) -> None:
        """Compile the kernel, or load it from the cache; search nothing yet."""
        self._kernel.find(self._state, 0, 0, np.empty((0, self._state.value.size), dtype=np.uint8))

    def _is_running(self) -> bool:
        if self.status == "ready":
            self.compile()  # not to be timed
        self.status = "running"
        if self._state.counters[self._kernel.EXHAUSTED]:
            self.status = "exhausted"
        elif self.num_solutions >= self._limit:
            self.status = "limit"
        elif self._driver.out_of_time:
            self.status = "time limit"
        return self.status == "running"

    def _slice(self, rows: int) -> Cells:
        """Search for one slice; return its solutions, or count them if there are no rows."""
        out = np.empty((rows, self._state.value.size), dtype=np.uint8)
        room = rows or self._limit - self.num_solutions
        new, self._budget = self._driver.slice(
            lambda budget: self._kernel.find(self._state, budget, room, out), self._budget
        )
        self.num_solutions += int(new)
        if self._progress is not None:
            self._progress(self.num_solutions)
        return out[:new]


def solution_counter(
    grid: Grid,
    limit: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[int], object] | None = None,
) -> Count | SolutionSearch:
    """Return a search whose `count` counts the solutions of a puzzle that has many.

    `masks` treats digits that no given mentions as interchangeable; with four such digits or more
    it is faster than the engine. On large grids it prefers items with contradictions, which avoids
    very long searches. Up to 8x8 the engine merges partial grids with equal remainders where that
    takes less work.
    """
    unmentioned = grid.layout.size - len(set(grid.digits) - {0})
    if unmentioned >= 4 or grid.layout.size > 9:
        return SolutionSearch(grid, limit, time_limit, progress)
    from dlx import Count

    problem, given = cover.question(grid)
    return Count(
        problem,
        given=given,
        limit=limit,
        time_limit=time_limit,
        progress=None if progress is None else lambda stats: progress(stats.solutions),
        method="auto" if grid.layout.size <= LARGEST_MERGED else "search",
    )


def compile_search(search: Count | SolutionSearch) -> None:
    """Compile the kernels of a search, or load them from the cache; search nothing yet."""
    if isinstance(search, SolutionSearch):
        search.compile()
        return
    for method in ("search", "sweep")[: 1 + (search.method != "search")]:
        _compile_count(method)


@cache
def _compile_count(method: str) -> None:
    from dlx import Count

    Count(cover.problem(Layout(2, 2)), method=method).count()
