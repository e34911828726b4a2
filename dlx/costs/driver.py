"""The cheapest solutions: runs the branch and bound in slices, with limits and interrupts."""

from __future__ import annotations

import threading
import time
from bisect import insort
from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np

from dlx.checks import as_options, as_time_limit, at_least
from dlx.costs import bound_kernel
from dlx.costs.bound_kernel import COLOURED, LIMIT, PHASE, UNLIMITED, State
from dlx.diagram.solution_set import Costed
from dlx.errors import ProblemError
from dlx.problem import Problem, as_problem
from dlx.search.bounds import after_givens, live_options, most_included
from dlx.search.counters import EXHAUSTED, LENGTH, LEVEL, NODES, UPDATES
from dlx.search.driver import Stats

LARGEST = 1 << 59  # the costs of all options together, scaled, and likewise the prices
FINEST = 20  # bits after the point of a scaled cost, at most
SLICE = 1 << 20  # updates between two looks at limits and for Ctrl-C: some milliseconds
REPORT_SECONDS = 0.1  # between two calls of `progress`


class CheapestSearch:
    """A search for the k cheapest solutions, which can be stopped and continued at any time.

    Parameters
    ----------
    problem : Problem, or what Problem takes
        With costs.
    k : int
        Solutions wanted.
    given : iterable of int
        Options that are part of every solution.
    time_limit : float, optional
        Stop each run after this many seconds of searching.
    progress : callable, optional
        Called with `stats` some ten times a second.

    Raises
    ------
    ProblemError
        The problem has no costs, their sum does not fit into 59 bits, or another argument makes no
        sense.

    Notes
    -----
    Iteration continues the search, and yields each solution that is among the k cheapest so far.
    The order depends on the problem alone. Ctrl-C raises KeyboardInterrupt, and loses nothing.

    Of several solutions that cost the same as the last of the k, the first found are kept.

    Examples
    --------
    >>> problem = Problem([[0, 1], [2], [0], [1, 2]], costs=[5, 1, 1, 4])
    >>> search = CheapestSearch(problem, k=2)
    >>> search.run()
    'exhausted'
    >>> search.best, search.lower_bound, search.gap
    ([Costed(cost=5, solution=(2, 3)), Costed(cost=6, solution=(0, 1))], 5, 0)
    """

    clock = staticmethod(time.perf_counter)
    """The only clock of a search, in seconds; tests replace it."""

    def __init__(
        self,
        problem: Problem | Iterable[Iterable[Any]],
        k: int = 1,
        *,
        given: Iterable[int] = (),
        time_limit: float | None = None,
        progress: Callable[[Stats], object] | None = None,
    ) -> None:
        self.problem = as_problem(problem)
        self.k = at_least(k, 1, "k")
        self.given = as_options(given, self.problem.num_options, "given")
        self.time_limit = as_time_limit(time_limit)
        self.progress = progress
        self.status = "ready"
        self._costs = _costs_of(self.problem)
        self._scale = scale_of(self._costs)
        self._best: list[Costed] = []
        self._seconds = self._reported = 0.0
        self._stopped = False
        self._lock = threading.RLock()
        self._state = (
            _start(self.problem, self.given, self._costs, self._scale)
            if self.problem.compatible(self.given)
            else None
        )

    @property
    def best(self) -> list[Costed]:
        """The cheapest solutions found so far, at most k, by cost, then by option numbers."""
        return list(self._best)

    @property
    def lower_bound(self) -> int | None:
        """No solution costs less, as far as is known; None if nothing is known or none exists."""
        cheapest = self._best[0].cost if self._best else None
        if self._state is None or self._state.counters[EXHAUSTED]:
            return cheapest
        scaled = int(self._state.lower[0])
        if scaled == bound_kernel.NOTHING:
            return None
        proven = -(-scaled // self._scale)
        return proven if cheapest is None else min(proven, cheapest)

    @property
    def gap(self) -> int | None:
        """How much cheaper than the cheapest solution found another may be; 0: it is optimal."""
        lower = self.lower_bound
        return self._best[0].cost - lower if self._best and lower is not None else None

    @property
    def num_solutions(self) -> int:
        """The number of solutions in `best`."""
        return len(self._best)

    @property
    def stats(self) -> Stats:
        """Solutions in `best`, nodes, updates, seconds; done is 1 once the search is exhausted."""
        counters = [0] * LENGTH if self._state is None else self._state.counters.tolist()
        ended = self._state is None or counters[EXHAUSTED]
        return Stats(
            len(self._best),
            counters[NODES],
            counters[UPDATES],
            self._seconds,
            "branch and bound",
            1.0 if ended else 0.0,
        )

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Costed:
        found = self._advance()
        if found is None:
            raise StopIteration
        return found

    def run(self) -> str:
        """Continue to the end, or to a limit; return `status`."""
        while self._advance() is not None:
            pass
        return self.status

    def stop(self) -> None:
        """End the present run after its present slice; another thread may call this."""
        self._stopped = True

    def _advance(self) -> Costed | None:
        """Search until another solution is among the best; None if the run is over."""
        with self._lock:
            if self.status != "running":
                self.status = "running"
                self._stopped = False
                self._run_end = self._seconds + (self.time_limit or 0.0)
            state = self._state
            try:
                while state is not None and not state.counters[EXHAUSTED]:
                    if self._stopped:
                        self._end("stopped")
                        return None
                    if self.time_limit is not None and self._seconds >= self._run_end:
                        self._end("time limit")
                        return None
                    began = self.clock()
                    found = bound_kernel.advance(state, SLICE)
                    solution = self._take(state) if found else None
                    self._timed(self.clock() - began)
                    if solution is not None:
                        return solution
            except KeyboardInterrupt:
                self.status = "interrupted"
                raise
            self._end("exhausted")
            return None

    def _take(self, state: State) -> Costed:
        """Add the solution at hand to the best; look for cheaper ones only from now on."""
        level = int(state.counters[LEVEL])
        chosen = sorted([*self.given, *state.chosen[:level].tolist()])
        found = Costed(sum(self._costs[option] for option in chosen), tuple(chosen))
        insort(self._best, found)
        del self._best[self.k :]
        if len(self._best) == self.k:
            state.counters[LIMIT] = (self._best[-1].cost - 1) * self._scale
        return found

    def _timed(self, seconds: float) -> None:
        self._seconds += seconds
        if self.progress is not None and self._seconds >= self._reported + REPORT_SECONDS:
            self._reported = self._seconds
            self.progress(self.stats)

    def _end(self, status: str) -> None:
        self.status = status
        if self.progress is not None:
            self.progress(self.stats)


def _costs_of(problem: Problem) -> tuple[int, ...]:
    if problem.costs is None:
        if problem.num_options:
            raise ProblemError("the problem has no costs; Problem(..., costs=) sets them")
        return ()
    total = sum(map(abs, problem.costs))
    if total >= LARGEST:
        raise ProblemError(
            f"the costs are too large: their absolute values add up to {total}, and the search"
            " takes less than 2**59; solution_set(problem).best() takes any"
        )
    return problem.costs


def scale_of(costs: tuple[int, ...]) -> int:
    """Return the factor of costs and prices: a power of two that keeps all sums below LARGEST."""
    total = max(1, sum(map(abs, costs)))
    scale = 1
    while scale < 1 << FINEST and 2 * scale * total < LARGEST:
        scale *= 2
    return scale


def _start(problem: Problem, given: tuple[int, ...], costs: tuple[int, ...], scale: int) -> State:
    """Return the state before the first node."""
    need, room, settled = after_givens(problem, given)
    is_live = live_options(problem, given, room, settled)
    live = np.flatnonzero(is_live).astype(np.int32)
    num_items, first = problem.num_items, problem.num_primary
    needs, rooms = np.maximum(need, 0).astype(np.int64), room.astype(np.int64)
    needs[first:] = 0
    rooms[first:] = 1
    rooms[problem.item[problem.colour > 0]] = COLOURED
    many = np.bincount(problem.item, minlength=num_items)
    rooms[:first] = np.minimum(rooms[:first], many[:first])
    priced = int(rooms[rooms < COLOURED].sum()) + problem.num_entries + 1
    most_price = LARGEST // priced
    depth = most_included(problem, is_live, room) + 2
    scaled = np.array([cost * scale for cost in costs], np.int64)
    spent = np.zeros(depth, np.int64)
    spent[0] = sum(costs[option] for option in given) * scale
    order = np.zeros(problem.num_options, np.int32)
    order[: len(live)] = live
    alive = np.zeros(depth, np.int64)
    alive[0] = len(live)
    counters = np.zeros(LENGTH, np.int64)
    counters[LIMIT], counters[PHASE] = UNLIMITED, bound_kernel.ENTER
    return State(
        start=problem.start,
        item=problem.item,
        colour=problem.colour,
        cost=scaled,
        need=needs,
        room=rooms,
        settled=settled,
        since=np.full(num_items, -1, np.int32),
        order=order,
        reduced=np.zeros(problem.num_options, np.int64),
        size=np.zeros(num_items, np.int64),
        price=_first_prices(problem, live, scaled, most_price),
        direction=np.zeros(num_items, np.float64),
        most_price=np.array([most_price], np.int64),
        best_price=np.zeros((depth, num_items), np.int64),
        alive=alive,
        spent=spent,
        lower=np.full(depth, bound_kernel.NOTHING, np.int64),
        chosen=np.zeros(depth, np.int32),
        walk=np.zeros(3, np.int64),
        pace=np.ones(1, np.float64),
        counters=counters,
    )


def _first_prices(problem: Problem, live: Any, cost: Any, most_price: int) -> Any:
    """int64[items]: for each primary item the least cost per item of an option that has it."""
    prices = np.full(problem.num_items, most_price, np.int64)
    length = np.maximum(np.diff(problem.start), 1)
    share = cost // length
    alive = np.zeros(problem.num_options, bool)
    alive[live] = True
    entries = np.repeat(alive, np.diff(problem.start))
    np.minimum.at(prices, problem.item[entries], np.repeat(share, np.diff(problem.start))[entries])
    prices[problem.num_primary :] = 0
    prices[prices == most_price] = 0
    return np.clip(prices, -most_price, most_price)


def cheapest(
    problem: Problem | Iterable[Iterable[Any]],
    k: int = 1,
    *,
    given: Iterable[int] = (),
    time_limit: float | None = None,
    progress: Callable[[Stats], object] | None = None,
) -> list[Costed]:
    """Return the k cheapest solutions of a problem with costs, by branch and bound.

    Parameters
    ----------
    problem, k, given, time_limit, progress
        As for `dlx.costs.driver.CheapestSearch`.

    Returns
    -------
    list of Costed
        Pairs (cost, solution), cheapest first; fewer than k if there are no more solutions.

    Raises
    ------
    TimeoutError
        Not all was searched within `time_limit` seconds; says what was found.
    ProblemError
        As for `CheapestSearch`.

    Examples
    --------
    >>> cheapest(Problem([[0, 1], [2], [0], [1, 2]], costs=[5, 1, 1, 4]))
    [Costed(cost=5, solution=(2, 3))]
    """
    search = CheapestSearch(problem, k, given=given, time_limit=time_limit, progress=progress)
    if search.run() == "time limit":
        raise TimeoutError(f"not done within {time_limit} s; {describe(search)}")
    return search.best


def improving(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    given: Iterable[int] = (),
    time_limit: float | None = None,
    progress: Callable[[Stats], object] | None = None,
) -> CheapestSearch:
    """Return an iterator over ever cheaper solutions; the last one is the cheapest of all.

    Parameters
    ----------
    problem, given, time_limit, progress
        As for `dlx.costs.driver.CheapestSearch`.

    Returns
    -------
    CheapestSearch
        Its `best`, `lower_bound`, `gap` and `status` may be read at any time.

    Raises
    ------
    ProblemError
        As for `CheapestSearch`.

    Examples
    --------
    >>> for cost, solution in improving(Problem([[0, 1], [2], [0], [1, 2]], costs=[5, 1, 1, 4])):
    ...     print(cost, solution)
    5 (2, 3)
    """
    return CheapestSearch(problem, given=given, time_limit=time_limit, progress=progress)


def describe(search: CheapestSearch) -> str:
    """Return what is known of the cheapest solution, as a text."""
    if not search.best:
        known = search.lower_bound
        return "no solution found" + ("" if known is None else f", none costs less than {known}")
    cost = search.best[0].cost
    if search.lower_bound is None:
        return f"cheapest solution found costs {cost}"
    return f"cheapest solution found costs {cost}, none less than {search.lower_bound}"
