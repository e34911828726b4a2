"""Attempts at puzzles, and the selection of those that meet the requirements.

Attempt c of a seed is made from the seed and c alone, and so does not depend on how attempts
are shared among threads. The puzzles are those of the attempts that succeed, in the order of
their numbers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import count as naturals
from threading import TIMEOUT_MAX, Event, Thread
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from dlx.compiled.timer import CompileTimer
from sudoku.errors import SudokuError
from sudoku.explain.difficulty import difficulties
from sudoku.generate.addition import add_groups, grow
from sudoku.generate.alteration import Alteration
from sudoku.generate.filling import fill
from sudoku.generate.pattern import groups_of
from sudoku.generate.removal import (
    FEW_PUZZLES,
    INTERPRETED_PUZZLES,
    LARGEST_INTERPRETED,
    is_minimal,
    may_interpret,
    remove_givens,
)
from sudoku.generate.requirements import SOLUTIONS, Requirements
from sudoku.grid import Grid
from sudoku.grids import random_grids
from sudoku.grids.grid_numbers import grid_numbers
from sudoku.grids.random_fill import random_fill
from sudoku.random_numbers import Uint64s, derive_key, random_between, random_permutations
from sudoku.solving.batch_search import Cells, Stopped, UniquenessCheck
from sudoku.solving.driver import is_classic
from sudoku.solving.interpreted import InterpretedCheck

Piece = tuple[Cells, float]

EFFORT = 5_000_000
"""Search nodes (see `UniquenessCheck.effort`) spent in a row without a puzzle after which the
search is given up. For 9x9 this allows about 480,000 attempts, and 700,000 for minimal puzzles of
full symmetry, of which one in 13,000 succeeds."""

OVERHEAD = 10
"""Searches that take as long as the rest of an attempt: to draw a grid and an order."""

LEAST_WAIT = 0.01
"""Seconds between two looks at the time while numba compiles, at least."""

ORDER_KEY, GIVENS_KEY, GRID_KEY, GROWTH_KEY, FILL_KEY = 21, 22, 23, 24, 27
"""Purposes that random keys are derived for."""


class Attempts:
    """Makes the attempts of a seed; once the event `stop` is set, they raise Stopped."""

    def __init__(self, required: Requirements, seed: int) -> None:
        self.required, self.seed, self.stop = required, seed, Event()
        self.groups = groups_of(required.layout, required.symmetry)

    def __call__(self, first: int, number: int) -> Piece:
        """Return the puzzles of attempts `first` to `first + number - 1`, and the effort."""
        required, groups = self.required, self.groups
        check = self._check(number)
        check.add_effort(OVERHEAD * number, 0)
        counters = np.arange(first, first + number, dtype=np.uint64)
        if required.cells is not None:
            return self._on_pattern(required.cells, counters, check), check.effort
        order = random_permutations(len(groups.size), derive_key(self.seed, ORDER_KEY), counters)
        if required.method == "grow":
            key = derive_key(self.seed, GROWTH_KEY)
            puzzles, solutions = grow(groups, order, key, counters, check)
        else:
            puzzles = solutions = self._grids(counters)
        least = np.zeros(number, np.int64)
        if required.minimal == "no":
            key = derive_key(self.seed, GIVENS_KEY)
            least = random_between(required.least, required.most, key, counters)
        alteration = Alteration(required, groups, self.seed, counters, order, least)
        target = alteration.givens_before()
        if required.minimal == "no" and required.method == "grow":
            puzzles = add_groups(puzzles, solutions, groups, order, target)
        puzzles = remove_givens(puzzles, solutions, groups, order, check, target)
        altered = alteration.apply(puzzles, solutions)
        givens = (altered > 0).sum(axis=1)
        accepted = (givens >= required.least) & (givens <= required.most)
        accepted = np.flatnonzero(accepted & (solutions > 0).any(axis=1))
        if required.minimal == "given" and required.symmetry != "none":
            accepted = accepted[is_minimal(puzzles[accepted], check)]
        return self._selected(altered[accepted], check), check.effort

    def _check(self, number: int) -> UniquenessCheck:
        """Return the check for `number` attempts: without a kernel if its nodes do not matter."""
        required = self.required
        usual = (required.method, required.solutions, required.symmetry) == ("dig", "one", "none")
        others = required.cells, required.difficulty, required.rating, required.hardest
        is_plain = usual and others == (None,) * 4
        # other kernels count nodes for the effort, which matters where an attempt may fail
        any_number = (required.least, required.most) == (0, required.layout.cells)
        is_plain &= any_number or is_classic(required.layout)
        if is_plain and may_interpret(required.layout, number):
            return InterpretedCheck(required.layout, self.stop)
        return UniquenessCheck(required.layout, self.stop)

    def _grids(self, counters: Uint64s) -> Cells:
        key, layout = derive_key(self.seed, GRID_KEY), self.required.layout
        if grid_numbers(layout) is None:
            # the same as `random_grids`, which has no way to be stopped
            return random_fill(layout, key, counters, self.stop)
        return random_grids(len(counters), key, box=layout, start=int(counters[0]))

    def _on_pattern(self, cells: list[int], counters: Uint64s, check: UniquenessCheck) -> Cells:
        """Return puzzles with givens in these cells."""
        key = derive_key(self.seed, FILL_KEY)
        puzzles = fill(self._grids(counters), cells, key, counters, check)
        if self.required.minimal != "no":
            puzzles = puzzles[is_minimal(puzzles, check)]
        return self._selected(puzzles, check)

    def _selected(self, puzzles: Cells, check: UniquenessCheck) -> Cells:
        """Return the puzzles with the required scores and number of solutions."""
        required = self.required
        if required.difficulty is not None:
            low, high = required.difficulty
            score, _ = difficulties(puzzles, required.layout, check)
            puzzles = puzzles[(score >= low) & (score <= high)]
        # the final check counts the solutions of every puzzle as it will be returned
        puzzles = puzzles[check(puzzles)[0] == SOLUTIONS[required.solutions]]
        if required.rating is not None or required.hardest is not None:
            puzzles = puzzles[self._is_rated(puzzles, check)]
        return puzzles

    def _is_rated(self, puzzles: Cells, check: UniquenessCheck) -> NDArray[np.bool_]:
        """Return whether the steps of each puzzle are as hard as required."""
        from sudoku.explain.grid_deducer import GridDeducer
        from sudoku.explain.rating import rate_up_to
        from sudoku.explain.techniques import RECTANGLE, TECHNIQUES, up_to

        layout, hardest = self.required.layout, self.required.hardest
        low, high = self.required.rating or (0.0, float("inf"))
        # where a technique above `high` is needed there is a guess instead, which ends the rating;
        # but none in a puzzle with several solutions
        is_cut = hardest is None and self.required.solutions == "one"
        techniques, most = (up_to(high), high) if is_cut else (TECHNIQUES, float("inf"))
        deducer = GridDeducer(layout, hardest == RECTANGLE.name, hardest, techniques=techniques)
        # search nodes that take about as long as to rate a minimal puzzle
        effort = 700 if layout.cells <= 81 else 3 * layout.cells**2
        accepted = np.zeros(len(puzzles), bool)
        for k, puzzle in enumerate(puzzles):
            if self.stop.is_set():
                raise Stopped
            rating = rate_up_to(most, Grid(layout, puzzle), deducer)
            accepted[k] = rating is not None and low <= rating.score <= high
            if hardest is not None:
                # no easier technique suffices: a harder one is used only where all easier fail
                used = np.flatnonzero(deducer.counts)
                accepted[k] &= len(used) > 0 and deducer.techniques[used[-1]].name == hardest
            check.effort += effort
        return accepted


def first_puzzles(
    required: Requirements, n: float, seed: int, jobs: int, time_limit: float | None
) -> Iterator[Cells]:
    """Yield the first n puzzles of a seed, in arrays uint8[k, cells]; n may be infinite.

    The sizes of the pieces that `jobs` threads work on depend on the requirements alone, and so
    does the effort that is spent before the search is given up (SudokuError). TimeoutError is
    raised after `time_limit` seconds, without those of compiling; the puzzles of pieces that are
    not ready are lost.
    """
    attempts = Attempts(required, seed)
    sizes = _sizes(required)
    alone = 0
    if required.cells is None and is_classic(required.layout):
        alone = FEW_PUZZLES
    elif required.cells is None and required.layout.size <= LARGEST_INTERPRETED:
        alone = INTERPRETED_PUZZLES
    found = start = done = tried = 0
    effort = 0.0
    waiting: deque[tuple[int, Callable[[], Piece]]] = deque()
    pool = ThreadPoolExecutor(jobs) if jobs > 1 else None
    with ExitStack() as stack:
        if pool is not None:
            stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        if time_limit is not None:
            arguments = time_limit, attempts.stop, stack.enter_context(CompileTimer())
            Thread(target=stop_after, args=arguments, daemon=True).start()
        stack.callback(attempts.stop.set)
        while found < n:
            # the first pieces are made alone: they may be enough, and compile the kernels
            while len(waiting) < (jobs if done > alone else 1):
                size = next(sizes)
                task = partial(attempts, start, size)
                waiting.append((size, task if pool is None else pool.submit(task).result))
                start += size
            size, result = waiting.popleft()
            try:
                piece, spent = result()
            except Stopped:
                raise TimeoutError(
                    f"stopped at the time limit of {time_limit:g} s; {_of(found, n)} found"
                ) from None
            done += size
            effort, tried = (0.0, 0) if len(piece) else (effort + spent, tried + size)
            if len(piece):
                yield piece[: int(min(n - found, len(piece)))]
                found += len(piece)
            elif effort >= EFFORT:
                raise SudokuError(_given_up(required, tried, found, n))


def stop_after(seconds: float, stop: Event, compiled: Callable[[], float]) -> None:
    """Set an event after this time, to which the seconds of `compiled` do not count."""
    began = perf_counter()
    while (left := seconds - (perf_counter() - began - compiled())) > 0:
        if stop.wait(min(max(left, LEAST_WAIT), TIMEOUT_MAX)):
            return
    stop.set()


def _sizes(required: Requirements) -> Iterator[int]:
    """Yield the number of attempts in each piece: few at first, then about a third of a second's.

    The puzzles of a piece that is interrupted are lost.
    """
    layout = required.layout
    largest = 1024 if is_classic(layout) else min(1024, max(1, 4 * 256**2 // layout.cells**2))
    if required.cells is not None:
        largest = max(1, largest // 16)
    smallest = min(largest, 4 if layout.cells <= 81 else 1)
    return (min(largest, smallest << min(number, 10)) for number in naturals())


def _given_up(required: Requirements, tried: int, found: int, n: float) -> str:
    hint = ""
    if required.minimal != "no" and required.least > required.layout.cells // 3:
        hint = "; so many givens are easy where they need not be minimal"
    elif required.minimal == "given" and required.symmetry != "none":
        hint = '; symmetrical puzzles are far more common with minimal "group"'
    elif required.cells is None and required.minimal == "no":
        hint = "; those with more givens are found more often"
    elif required.cells is None and required.rating is not None and required.rating[1] <= 4:
        # singles and pairs solve few minimal puzzles
        hint = '; those with needless givens, minimal "no" and more givens, are easier'
    return (
        f"given up after {tried} attempts in a row without such a puzzle; {_of(found, n)} found "
        f"before. Puzzles of this kind are rare or impossible{hint}"
    )


def _of(found: int, n: float) -> str:
    return f"{found} of {n}" if n < float("inf") else str(found)
