"""Candidates for puzzles, each made from the seed and its own number alone, and their selection.

Candidate c of a seed is the same whoever makes it, together with whichever others. The puzzles
are the candidates that meet the demand, in the order of their numbers: so they do not depend
on how many workers make them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sudoku.dig import Counter, dig, drawn_between, grow, is_minimal, pattern, random_order
from sudoku.draws import Words, key_of
from sudoku.errors import SudokuError
from sudoku.fill import random_fill
from sudoku.grids import random_grids
from sudoku.guesses import difficulties
from sudoku.jobs import threads
from sudoku.layout import Layout
from sudoku.numbering import numbering

Cells = NDArray[np.uint8]
Piece = tuple[Cells, NDArray[np.int64]]


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
    method: str
    solutions: str


class Maker:
    """Makes the candidates of a seed that meet a demand."""

    def __init__(self, demand: Demand, seed: int) -> None:
        self.demand, self.seed = demand, seed
        self.groups = pattern(demand.layout, demand.symmetry)
        self.count = Counter(demand.layout)

    def __call__(self, first: int, number: int) -> Piece:
        """Puzzles among candidates ``first`` to ``first + number - 1``, and their numbers."""
        demand, groups, count = self.demand, self.groups, self.count
        counters = np.arange(first, first + number, dtype=np.uint64)
        order = random_order(groups, key_of(self.seed, 21), counters)
        puzzles, solutions = self._begin(first, counters, order)
        least = np.zeros(number, np.int64)
        if demand.minimal == "no":
            least = drawn_between(demand.least, demand.most, key_of(self.seed, 22), counters)
            if demand.method == "grow":
                puzzles = self._filled_up(puzzles, solutions, order, least)
        puzzles = dig(puzzles, solutions, groups, order, count, least)
        givens = (puzzles > 0).sum(axis=1)
        good = np.flatnonzero((givens >= demand.least) & (givens <= demand.most))
        if demand.minimal == "given" and demand.symmetry != "none":
            good = good[is_minimal(puzzles[good], count)]
        if demand.solutions != "one":
            puzzles[good] = self._spoilt(puzzles[good], solutions[good], counters[good])
            good = good[(puzzles[good] > 0).any(axis=1)]
        if demand.difficulty is not None:
            low, high = demand.difficulty
            score, _ = difficulties(puzzles[good], demand.layout, count)
            good = good[(score >= low) & (score <= high)]
        # whatever was done above: what is given out has been counted as it is
        expected = {"one": 1, "several": 2, "none": 0}[demand.solutions]
        good = good[count(puzzles[good])[0] == expected]
        return puzzles[good], first + good

    def _begin(self, first: int, counters: Words, order: NDArray[np.int64]) -> tuple[Cells, Cells]:
        """Puzzles with one solution to dig in, and the solutions."""
        layout = self.demand.layout
        if self.demand.method == "grow":
            key = key_of(self.seed, 24)
            return grow(layout, self.groups, order, key, counters, self.count)
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

    def _spoilt(self, puzzles: Cells, solutions: Cells, counters: Words) -> Cells:
        """Made to have several solutions, by taking 1 to 3 givens of each away, or none.

        To have none, a puzzle gets one more given, which is not in its solution although no
        given in its houses forbids it; zeros where there is no room for one.
        """
        layout = self.demand.layout
        puzzles = puzzles.copy()
        key = key_of(self.seed, 25)
        cells_in_turn = random_order(pattern(layout, "none"), key, counters)
        number = drawn_between(1, 3, key_of(self.seed, 26), counters)
        for k, puzzle in enumerate(puzzles):
            if self.demand.solutions == "several":
                turn = cells_in_turn[k]
                puzzle[turn[puzzle[turn] > 0][: number[k]]] = 0
                continue
            for cell in cells_in_turn[k]:
                houses = layout.houses[(layout.houses == cell).any(axis=1)]
                taken = {*puzzle[houses].ravel().tolist(), int(solutions[k, cell])}
                free = sorted(set(range(1, layout.size + 1)) - taken)
                if puzzle[cell] == 0 and free:
                    puzzle[cell] = free[int(counters[k]) % len(free)]
                    break
            else:
                puzzle[:] = 0
        return puzzles


def patience(layout: Layout) -> int:
    """Candidates in a row without a puzzle after which a demand is given up.

    200,000 up to 9 x 9: of the rarest kind of puzzle that is made here, minimal ones of full
    symmetry, there is one in 13,000 candidates. Fewer for larger grids, which take longer.
    """
    return 200_000 if layout.cells <= 81 else max(200, 200_000 * 81**3 // layout.cells**3)


def puzzles(demand: Demand, n: int, seed: int, jobs: int) -> Iterator[Cells]:
    """The first n puzzles, in pieces uint8[k, cells]; ``jobs`` threads make the candidates.

    Raises:
        SudokuError: so many candidates in a row were none that the demand is given up.
    """
    maker = Maker(demand, seed)
    jobs = threads(jobs)
    limit = patience(demand.layout)
    # pieces of about a second at most: what an interrupted one has found is lost
    cells = demand.layout.cells
    smallest, largest = (64, 1024) if cells <= 81 else (1, max(1, 16 * 256**2 // cells**2))
    found = tried = asked = 0
    last = -1
    waiting: deque[tuple[int, Callable[[], Piece]]] = deque()
    pool = ThreadPoolExecutor(jobs) if jobs > 1 else None
    try:
        while found < n:
            # one piece alone first, to see what share is good (and to compile what is used)
            while len(waiting) < (jobs if tried else 1):
                wanted = (n - found) * max(tried, 1) / max(found, 1) / jobs
                size = int(min(largest, max(smallest, wanted)))
                task = partial(maker, asked, size)
                waiting.append((size, task if pool is None else pool.submit(task).result))
                asked += size
            size, result = waiting.popleft()
            piece, numbers = result()
            tried += size
            good = 0
            for number in [*numbers.tolist(), tried]:
                if number - last > limit:
                    break
                last = number if number < tried else last
                good += number < tried
            good = min(good, n - found)
            if good:
                found += good
                yield piece[:good]
            if found < n and tried - last > limit:
                more = demand.minimal != "no" and demand.least > demand.layout.cells // 3
                raise SudokuError(
                    f"given up: the last {limit} candidates gave no such puzzle; "
                    f"{found} of {n} found before. The demand is rare or impossible"
                    + "; so many givens are easy where they need not be minimal"
                    * more
                )
    finally:
        maker.count.stopped = True
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
