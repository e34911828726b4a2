"""Searches of one puzzle to the end, which can be watched and stopped.

A kernel runs for some 10 ms at a time. Between two such slices Ctrl-C, time limits and reports
of progress get their turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sudoku.grid import Grid

__all__ = ["CoverCount", "CoverSearch", "GridSearch", "counting"]

SLICE = 0.01
"""Seconds that a kernel is asked to run at a time."""

UNLIMITED = 1 << 62
MOST = 1 << 40  # nodes at a time, more than a slice has room for
Cells = NDArray[np.uint8]


class GridSearch:
    """All grids of one puzzle, by ``sudoku.kernels.masks``.

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
        from sudoku.kernels import masks

        self._advance, self._flags = masks.advance, (masks.NODES, masks.EXHAUSTED)
        self._state = masks.start(masks.tables(grid.layout), grid.values.astype(np.uint8))
        self._cells = grid.layout.cells
        self._limit = UNLIMITED if limit is None else min(limit, UNLIMITED)
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

    def compile(self) -> None:
        """Compile what searches, or load it; nothing is searched yet."""
        self._advance(self._state, 0, 0, np.empty((0, self._cells), dtype=np.uint8))

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
            self.compile()  # not to be timed
        began = time.perf_counter()
        count = self._advance(self._state, self._budget, rows or self._limit - self.found, out)
        self.found += count
        spent = time.perf_counter() - began
        self._seconds += spent
        fitting = int(self._budget * min(4.0, SLICE / (spent + 1e-9)))
        self._budget = min(max(16, fitting), MOST)
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
        return self._search.stats.solutions

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


class CoverCount:
    """How many grids one puzzle has, by ``dlx.Count``: for small grids with very many.

    Up to 8x8 partial grids that leave the same are merged where that pays; beyond, where it
    rarely does, they are met one by one, several millions a second.

    Attributes as those of GridSearch.
    """

    MERGED = 8

    def __init__(
        self,
        grid: Grid,
        limit: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[], None] | None = None,
    ) -> None:
        from dlx.count.race import Count
        from sudoku import cover

        self.progress = progress
        self._count = Count(
            cover.problem(grid.layout),
            given=cover.givens(grid),
            limit=limit,
            time_limit=time_limit,
            progress=self._tell,
            method="auto" if grid.layout.size <= self.MERGED else "search",
        )

    def compile(self) -> None:
        """Compile what counts, or load it; nothing is counted yet."""
        from dlx.count.race import Count
        from sudoku import cover
        from sudoku.layout import Layout

        small = cover.problem(Layout(2, 2))
        Count(small, kernel=self._count.stats.kernel, method="search").count()
        if self._count.method != "search":
            Count(small, method="memo").count()

    def _tell(self, stats: object) -> None:
        if self.progress is not None:
            self.progress()

    @property
    def found(self) -> int:
        return self._count.stats.solutions

    @property
    def nodes(self) -> int:
        return self._count.stats.nodes

    @property
    def status(self) -> str:
        return self._count.status

    def count(self) -> int:
        return self._count.count()


def counting(
    grid: Grid, limit: int | None = None, time_limit: float | None = None
) -> CoverCount | GridSearch:
    """What counts the grids of a puzzle that has many, call its ``count``.

    ``masks`` takes digits that no given mentions for interchangeable; from four of them
    on that is worth more than the speed of the engine. On large grids, too, it is the safer one,
    for it learns where contradictions lie.
    """
    unmentioned = grid.layout.size - len(set(grid.values.reshape(-1).tolist()) - {0})
    by_masks = unmentioned >= 4 or grid.layout.size > 9
    return (GridSearch if by_masks else CoverCount)(grid, limit, time_limit)
