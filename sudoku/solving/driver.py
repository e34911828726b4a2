"""The driver of searches on grids: calls kernels in slices of about a hundredth of a second.

A kernel runs without the interpreter's lock. Between two slices Ctrl-C and time limits are checked,
progress is reported, and other threads may run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from sudoku.kernels.kernel import Advancing, Kernel
    from sudoku.layout import Layout

SLICE_SECONDS = 0.01
MOST_GROWTH = 4.0
LARGEST_BUDGET = 1 << 40
LARGEST_OF_HOUSES = 12
"""Largest N of the kernel `houses`; on 16x16 grids it is no faster than `masks`."""

T = TypeVar("T")


def is_classic(layout: Layout) -> bool:
    """Return whether grids have 3x3 boxes and no more houses: these have their own kernel."""
    return (layout.box_rows, layout.box_columns, layout.extra) == (3, 3, ())


@lru_cache(maxsize=32)
def kernel_of(layout: Layout, candidates: bool = False) -> Kernel:
    """Return the kernel for batches of a layout, or of puzzles with `candidates`; import no other.

    All but `classic` take candidates.
    """
    if is_classic(layout) and not candidates:
        from sudoku.kernels import classic

        return classic
    if layout.size <= LARGEST_OF_HOUSES:
        from sudoku.kernels import houses

        return houses
    from sudoku.kernels import masks

    return masks


@lru_cache(maxsize=32)
def tables_of(kernel: Any, layout: Layout) -> Any:
    """Return a kernel's tables of a layout; the same object for all searches."""
    return kernel.tables(layout.houses, layout.pairs)


def fitted(amount: int, seconds: float) -> int:
    """Return the amount of work for a slice if `amount` took `seconds`; at most 4 times as much.

    >>> fitted(100, 0.02), fitted(100, 0.0)
    (49, 400)
    """
    growth = min(MOST_GROWTH, SLICE_SECONDS / (seconds + 1e-9))
    return min(max(1, int(amount * growth)), LARGEST_BUDGET)


class Driver:
    """Calls kernels in slices, until the work is done or has to stop.

    It stops after the slice in which `seconds`, the time of all slices, reaches the time limit or
    the event `stop` is set.
    """

    def __init__(self, time_limit: float | None = None, stop: Event | None = None) -> None:
        self._time_limit, self._stop = time_limit, stop
        self.seconds = 0.0

    @property
    def out_of_time(self) -> bool:
        """Whether the time limit is reached."""
        return self._time_limit is not None and self.seconds >= self._time_limit

    @property
    def may_continue(self) -> bool:
        """Whether there is time left and `stop` is not set."""
        return not self.out_of_time and (self._stop is None or not self._stop.is_set())

    def slice(self, call: Callable[[int], T], budget: int) -> tuple[T, int]:
        """Return the result of `call(budget)` and the budget for the next slice."""
        began = time.perf_counter()
        result = call(budget)
        spent = time.perf_counter() - began
        self.seconds += spent
        return result, fitted(budget, spent)

    def finish(
        self,
        kernel: Advancing,
        state: Any,
        batch: Any,
        report: Callable[[], object] | None = None,
    ) -> bool:
        """Work on a batch in slices, with a `report` after each; return whether it is done."""
        budget = kernel.first_budget(state)
        while self.may_continue:
            done, budget = self.slice(lambda most: kernel.advance(state, most, batch), budget)
            if report is not None:
                report()
            if done:
                return True
        return False
