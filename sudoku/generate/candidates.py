"""Candidates for puzzles, each made from the seed and its own number alone, and their selection.

Candidate c of a seed is the same whoever makes it, together with whichever others. The puzzles
are the candidates that meet the demand, in the order of their numbers: so they do not depend
on how many workers make them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import count as naturals

import numpy as np
from numpy.typing import NDArray

from sudoku.errors import SudokuError
from sudoku.explain.difficulty import difficulties
from sudoku.generate.alteration import Spoiler
from sudoku.generate.removal import (
    Counter,
    Stopped,
    dig,
    drawn_between,
    grow,
    is_minimal,
    pattern,
    random_order,
)
from sudoku.grid import Grid
from sudoku.grids import random_grids
from sudoku.grids.numbering import numbering
from sudoku.grids.random_fill import random_fill
from sudoku.grids.random_numbers import Words, key_of
from sudoku.layout import Layout
from sudoku.solving.batch_search import has_kernel_of_its_own
from sudoku.solving.threads import threads

Cells = NDArray[np.uint8]
Piece = tuple[Cells, float]

EFFORT = 5_000_000
"""Search nodes (see ``Counter.effort``) spent in a row without a puzzle after which a demand is
given up. On 9 x 9 that is 140,000 candidates, of the rarest kind that is made here, minimal ones
of full symmetry, even 300,000; of those, one in 13,000 is good."""

_CANDIDATE = 10
"""Searches that it takes as long as to draw a grid and an order, and to keep the books."""


@dataclass(frozen=True)
class Demand:
    """What puzzles are wanted; see ``sudoku.generate.generate``."""

    layout: Layout
    minimal: str
    """``"given"``, ``"group"`` or ``"no"``"""
    least: int
    most: int
    symmetry: str
    difficulty: tuple[float, float] | None
    rating: tuple[float, float] | None
    method: str
    solutions: str


class Maker:
    """Makes the candidates of a seed that meet a demand."""

    def __init__(self, demand: Demand, seed: int) -> None:
        self.demand, self.seed = demand, seed
        self.groups = pattern(demand.layout, demand.symmetry)
        self.count = Counter(demand.layout)

    def __call__(self, first: int, number: int) -> Piece:
        """Puzzles among candidates ``first`` to ``first + number - 1``, and the effort."""
        demand, groups = self.demand, self.groups
        count = copy(self.count)
        count.effort = 0.0
        count.spend(_CANDIDATE * number, 0)
        counters = np.arange(first, first + number, dtype=np.uint64)
        order = random_order(groups, key_of(self.seed, 21), counters)
        puzzles, solutions = self._begin(first, counters, order, count)
        least = np.zeros(number, np.int64)
        if demand.minimal == "no":
            least = drawn_between(demand.least, demand.most, key_of(self.seed, 22), counters)
        spoiler = Spoiler(demand, groups, self.seed, counters, order, least)
        target = spoiler.unspoilt()
        if demand.minimal == "no" and demand.method == "grow":
            puzzles = self._filled_up(puzzles, solutions, order, target)
        puzzles = dig(puzzles, solutions, groups, order, count, target)
        wanted = spoiler.spoilt(puzzles, solutions)
        givens = (wanted > 0).sum(axis=1)
        good = (givens >= demand.least) & (givens <= demand.most) & (solutions > 0).any(axis=1)
        good = np.flatnonzero(good)
        if demand.minimal == "given" and demand.symmetry != "none":
            good = good[is_minimal(puzzles[good], count)]
        if demand.difficulty is not None:
            low, high = demand.difficulty
            score, _ = difficulties(wanted[good], demand.layout, count)
            good = good[(score >= low) & (score <= high)]
        # whatever was done above: what is given out has been counted as it is
        expected = {"one": 1, "several": 2, "none": 0}[demand.solutions]
        good = good[count(wanted[good])[0] == expected]
        if demand.rating is not None:
            good = good[self._rated(wanted[good], count)]
        return wanted[good], count.effort

    def _rated(self, puzzles: Cells, count: Counter) -> NDArray[np.bool_]:
        """Whether the step by step rating of each is in range."""
        from sudoku.explain.rating import Rater

        assert self.demand.rating is not None
        low, high = self.demand.rating
        rater = Rater()
        good = np.zeros(len(puzzles), bool)
        for k, puzzle in enumerate(puzzles):
            if count.stopped.is_set():
                raise Stopped
            good[k] = low <= rater.rate(Grid(self.demand.layout, puzzle)).score <= high
            count.effort += _rating_effort(self.demand.layout)
        return good

    def _begin(
        self, first: int, counters: Words, order: NDArray[np.int64], count: Counter
    ) -> tuple[Cells, Cells]:
        """Puzzles with one solution to dig in, and the solutions."""
        layout = self.demand.layout
        if self.demand.method == "grow":
            key = key_of(self.seed, 24)
            return grow(layout, self.groups, order, key, counters, count)
        if numbering(layout) is None:
            grids = random_fill(layout, key_of(self.seed, 23), counters)
        else:
            grids = random_grids(
                len(counters),
                key_of(self.seed, 23),
                box=(layout.box_rows, layout.box_columns),
                diagonal=layout.diagonal,
                start=first,
            )
        return grids, grids

    def _filled_up(
        self, puzzles: Cells, solutions: Cells, order: NDArray[np.int64], least: NDArray[np.int64]
    ) -> Cells:
        """Grown puzzles with more of the solution, group by group, if they have too few givens."""
        before = self.groups.size[order].cumsum(axis=1) - self.groups.size[order]
        wanted = np.zeros(order.shape, bool)
        np.put_along_axis(wanted, order, before < least[:, None], axis=1)
        return np.where(wanted[:, self.groups.group_of], solutions, puzzles)


def puzzles(demand: Demand, n: int, seed: int, jobs: int) -> Iterator[Cells]:
    """The first n puzzles, in pieces uint8[k, cells]; ``jobs`` threads make the candidates.

    Candidates come in pieces whose sizes depend on the layout alone, and so does the effort that
    is spent before the demand is given up.

    Raises:
        SudokuError: after ``EFFORT`` in a row without a puzzle.
    """
    maker = Maker(demand, seed)
    jobs = threads(jobs)
    sizes = _sizes(demand.layout)
    found = asked = done = tried = 0
    effort = 0.0
    waiting: deque[tuple[int, Callable[[], Piece]]] = deque()
    pool = ThreadPoolExecutor(jobs) if jobs > 1 else None
    try:
        while found < n:
            # one piece alone first: it may be enough, and compiles what is used
            while len(waiting) < (jobs if done else 1):
                size = next(sizes)
                task = partial(maker, asked, size)
                waiting.append((size, task if pool is None else pool.submit(task).result))
                asked += size
            size, result = waiting.popleft()
            piece, spent = result()
            done += size
            effort, tried = (0.0, 0) if len(piece) else (effort + spent, tried + size)
            if len(piece):
                yield piece[: n - found]
                found += len(piece)
            elif effort >= EFFORT:
                raise SudokuError(_given_up(demand, tried, found, n))
    finally:
        maker.count.stopped.set()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)


def _rating_effort(layout: Layout) -> int:
    """Search nodes that take about as long as to rate a minimal puzzle."""
    return 700 if layout.cells <= 81 else 3 * layout.cells**2


def _sizes(layout: Layout) -> Iterator[int]:
    """Candidates in each piece: few at first, then what takes about a third of a second.

    What an interrupted piece has found is lost.
    """
    nine = has_kernel_of_its_own(layout)
    largest = 1024 if nine else min(1024, max(1, 4 * 256**2 // layout.cells**2))
    smallest = min(largest, 64 if layout.cells <= 81 else 1)
    return (min(largest, smallest << min(number, 10)) for number in naturals())


def _given_up(demand: Demand, tried: int, found: int, n: int) -> str:
    hint = ""
    if demand.minimal != "no" and demand.least > demand.layout.cells // 3:
        hint = "; so many givens are easy where they need not be minimal"
    elif demand.minimal == "given" and demand.symmetry != "none":
        hint = '; symmetrical puzzles are far more common with minimal "group"'
    return (
        f"given up after {tried} candidates in a row without such a puzzle; {found} of {n} found "
        f"before. The demand is rare or impossible{hint}"
    )
