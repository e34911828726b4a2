"""Build the diagram of all solutions of a problem by a recording sweep."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.checks import as_memory_limit, as_options, as_progress, as_time_limit
from dlx.compiled.elsewhere import CompilingElsewhere
from dlx.compiled.timer import CompileTimer
from dlx.count import components, cuts, orders
from dlx.count.memory import (
    MemoryAccount,
    as_available,
    is_tight,
    limit_for,
    states_limit,
)
from dlx.count.race import choose, slice_of
from dlx.count.remainder import Remainder, masks_size, remainder_of
from dlx.count.slack import without_multiplicities
from dlx.count.sweep_kernel import CHILD, OPTION, PARENT
from dlx.diagram.arrays import reduced
from dlx.diagram.recording import Recording, by_fewest, size_by_fewest
from dlx.diagram.solution_set import SolutionSet
from dlx.errors import interrupts
from dlx.problem import Problem, as_problem
from dlx.search.driver import REPORT_SECONDS, Stats

Array = npt.NDArray[Any]
Diagram = tuple[Array, Array, Array]  # as `reduced` returns it

CUT_WORK = 50_000_000  # units of work that a sweep should take before a cut is sought
LARGEST_FEWEST = 1 << 25  # bytes for the rule "fewest", beyond which it is too slow
LARGE_MASKS = 1 << 24  # bytes: to make them takes long, so the time is checked before


def solution_set(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    given: Iterable[int] = (),
    time_limit: float | None = None,
    progress: Callable[[Stats], object] | None = None,
    memory_limit: int | None = None,
) -> SolutionSet:
    """All solutions of a problem that contain the given options, as a `SolutionSet`.

    The diagram of each component is recorded by two sweeps (`Recording`), in turns chosen by
    `dlx.count.race`, until one has ended: a state branches on its first uncovered item, or on the
    one with the fewest options. If a few options connect two sides (`dlx.count.cuts`), the items of
    one side come first.

    Parameters
    ----------
    problem, given, time_limit
        As for `Search`.
    progress : callable, optional
        Called with `Stats` some ten times a second; solutions are known at the end only.
    memory_limit : int, optional
        Bytes that the diagram may take while it is built, by default a quarter of what the
        process may use.

    Returns
    -------
    SolutionSet

    Raises
    ------
    ProblemError
        An argument is of the wrong type or out of range, or the problem has multiplicities other
        than 0:1.
    MemoryError, TimeoutError
        A limit was too low.

    Examples
    --------
    >>> solution_set([[0, 1], [2], [0], [1, 2]])
    SolutionSet(2 solutions, 3 nodes, 4 edges)
    """
    checked = as_problem(problem)
    problem = without_multiplicities(checked, "a solution set")
    limit = as_available(as_memory_limit(memory_limit))
    time_limit = as_time_limit(time_limit)
    chosen = as_options(given, checked.num_options, "given")
    if not problem.compatible(chosen):
        none = np.zeros(0, np.int64)
        return SolutionSet(checked, chosen, *reduced(1, none, none, none))
    diagrams: list[Diagram] = []
    with interrupts(), CompilingElsewhere(is_tight(limit)), CompileTimer() as compiled:
        parts = components.component_remainders(remainder_of(problem, chosen))
        account = MemoryAccount(states_limit(limit))
        build = _Build(account, parts, time_limit, progress, compiled)
        for part in parts:
            diagrams.append(build.diagram(problem, part))
            if not len(diagrams[-1][1]):
                return SolutionSet(checked, chosen, *diagrams[-1])
    return SolutionSet(checked, chosen, *_one_after_the_other(diagrams))


def _one_after_the_other(diagrams: list[Diagram]) -> Diagram:
    """The diagram of all products: the end of each one is the root of the next."""
    first, option, child = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    nodes = edges = 0
    for own_first, own_option, own_child in diagrams:
        if nodes + len(own_first) > np.iinfo(np.int32).max:
            raise MemoryError(f"the diagram needs more than {nodes} nodes")
        first.append(own_first[1:] + edges)
        option.append(own_option)
        child.append(own_child + np.int32(nodes))
        nodes += len(own_first) - 1
        edges += len(own_option)
    return np.concatenate(first), np.concatenate(option), np.concatenate(child)


class _Build:
    """Records diagrams within limits that hold for all of them together."""

    def __init__(
        self,
        account: MemoryAccount,
        parts: list[Remainder],
        time_limit: float | None,
        progress: Callable[[Stats], object] | None,
        compiled: Callable[[], float],  # seconds of compiling, which are no part of a limit
    ) -> None:
        self._account = account
        self._parts, self._ended = parts, 0
        self._time_limit = time_limit
        self._progress = as_progress(progress)
        self._compiled = compiled
        self._began = self._reported = time.perf_counter()
        self._known: dict[tuple[object, ...], tuple[Diagram, Array]] = {}  # with its options
        self._nodes = self._work = 0  # of the sweeps before
        self._done = 0.0  # never falls, though another sweep may lead

    def _seconds(self, now: float) -> float:
        return now - self._began - self._compiled()

    def _check_time(self) -> None:
        """Raise TimeoutError if the time is over."""
        seconds = self._seconds(time.perf_counter())
        if self._time_limit is not None and seconds >= self._time_limit:
            raise TimeoutError(f"the diagram was not done within {self._time_limit:g} s")

    def diagram(self, problem: Problem, remainder: Remainder) -> Diagram:
        """The diagram of one component; equal ones are recorded once."""
        if (known := self._known.get(remainder.key)) is not None:
            (first, option, child), options = known
            self._ended += 1
            renumbered = remainder.options[np.searchsorted(options, option)].astype(option.dtype)
            return first, renumbered, child
        sweep = self._recorded(problem, remainder)
        edges = sweep.edges
        number, child = edges[:, PARENT], edges[:, CHILD]
        # Nodes are numbered anew in the order of their edges; one without edges is a dead end.
        begins = np.flatnonzero(np.diff(number, prepend=-1))
        nodes = len(begins)
        new = np.full(int(child.max(initial=0)) + 2, -1, np.int64)
        new[number[begins]] = np.arange(nodes)
        new[-1] = nodes  # to which TERMINAL points
        keep = new[child] >= 0
        parent, option = new[number[keep]], sweep.masks.option[edges[keep, OPTION]]
        arrays = reduced(max(1, nodes), parent, option, new[child[keep]])
        sweep.release()
        self._account.take(sum(array.nbytes for array in arrays))
        self._ended += 1
        self._known[remainder.key] = arrays, remainder.options
        return arrays

    def _recorded(self, problem: Problem, remainder: Remainder) -> Recording:
        """The sweep that ends first; the race chooses which of them to advance."""
        size, limit = masks_size(remainder), self._account.free
        if size > limit // 2:
            parts = self._parts[self._ended :]
            size = max(masks_size(part) for part in parts if part.key not in self._known)
            least = limit_for(self._account.used + 2 * size)
            raise MemoryError(
                f"the options take {size} bytes: the memory limit must be at least {least} bytes"
            )
        by_first = orders.best(remainder, merge=False)
        if size > LARGE_MASKS:
            self._check_time()
        if by_first.expected.total > CUT_WORK:
            side = cuts.sides(problem, remainder)
            by_first = by_first if side is None else orders.by_sides(remainder, side)
        sweeps = [Recording(by_first.masks, self._account, expected=by_first.expected)]
        if size_by_fewest(remainder) <= min(limit // 4, LARGEST_FEWEST):
            sweeps.append(by_fewest(remainder, self._account))
        while not any(sweep.ended for sweep in sweeps):
            sweep = choose(None, sweeps)
            try:
                sweep.advance(slice_of(sweep))
            except MemoryError:
                sweeps.remove(sweep)
                sweep.release()
                if not sweeps:
                    raise
                continue
            self._report(sweep, sweeps)
        ended = next(sweep for sweep in sweeps if sweep.ended)
        self._nodes += sum(sweep.nodes for sweep in sweeps)
        self._work += sum(sweep.work for sweep in sweeps)
        for sweep in sweeps:
            if sweep is not ended:
                sweep.release()
        return ended

    def _report(self, sweep: Recording, sweeps: list[Recording]) -> None:
        """Call `progress` when it is due; raise TimeoutError when the time is over."""
        now = time.perf_counter()
        seconds = self._seconds(now)
        is_done = sweep.ended and self._ended + 1 >= len(self._parts)
        if not is_done:
            self._check_time()
        if self._progress is not None and now - self._reported >= REPORT_SECONDS:
            self._reported = now
            work = self._work + sum(each.work for each in sweeps)
            nodes = self._nodes + sum(each.nodes for each in sweeps)
            self._done = max(self._done, (self._ended + sweep.done) / len(self._parts))
            self._progress(Stats(0, nodes, work, seconds, "sweep", self._done))
