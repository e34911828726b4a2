"""The cheapest solutions: runs the branch and bound in slices, with limits and interrupts."""

from __future__ import annotations

import os
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Self

from dlx.checks import as_options, at_least, progress_property, time_limit_property
from dlx.costs import cheapest_kernel, saved
from dlx.costs.cheapest_kernel import GAP, INFINITE, LIMIT, SMALL, State
from dlx.costs.start import costs_of, has_ended, limit_of, restart, scale_of, start
from dlx.problem import Costed, Problem, as_problem
from dlx.search.counters import EXHAUSTED, LENGTH, LEVEL, NODES, SOLUTIONS, UPDATES
from dlx.search.driver import REPORT_SECONDS, Stats

SLICE_UPDATES = 1 << 20  # updates between two checks of limits and for Ctrl-C: some milliseconds


class CheapestSearch:
    """A search for the k cheapest solutions, which can be stopped and continued at any time.

    Parameters
    ----------
    problem : Problem, or what Problem takes
        With costs.
    k : int
        Solutions wanted, at least 1.
    given : iterable of int
        Options that are part of every solution.
    time_limit : float, optional
        Stop each run after this many seconds of searching.
    progress : callable, optional
        Called with `stats` some ten times a second, and at the end of a run.

    Attributes
    ----------
    status : str
        Why the search has ended or paused: as for `dlx.Search`, but never "limit".

    Raises
    ------
    ProblemError
        The problem has no costs; their absolute values, divided by their greatest common divisor,
        add up to 2^59 or more; or another argument is of the wrong type or out of range.

    Notes
    -----
    Iteration continues the search, and yields each solution that is among the k cheapest so far.
    The order depends on the problem alone. A `for` loop, `run`, and `next` after a run has ended
    start a new run. Ctrl-C raises KeyboardInterrupt, and loses nothing.

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

    time_limit: float | None = time_limit_property()
    progress: Callable[[Stats], object] | None = progress_property()

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
        self.time_limit = time_limit
        self.progress = progress
        self.status = "ready"
        self._unit, self._costs = costs_of(self.problem)
        self._scale = scale_of(self._costs)
        self._best: list[Costed] = []  # their costs in units
        self._proven: int | None = None  # the largest lower bound seen, in units
        self._taken = 0  # solutions that the kernel found and `_take` has seen
        self._seconds = self._reported = 0.0
        self._stopped = self._compiled = False
        self._lock = threading.RLock()
        self._state = (
            start(self.problem, self.given, self._costs, self._scale)
            if self.problem.compatible(self.given)
            else None
        )

    @property
    def best(self) -> list[Costed]:
        """The cheapest solutions found so far, at most k, by cost, then by option numbers."""
        return [self._priced(costed) for costed in self._best]

    @property
    def lower_bound(self) -> int | None:
        """A proven lower bound of all costs; None if none is known, or there is no solution.

        It never falls, except by `save` and `load`.
        """
        cheapest = self._best[0].cost if self._best else None
        if self._has_ended():
            return None if cheapest is None else cheapest * self._unit
        state: Any = self._state
        limit, scaled = int(state.counters[LIMIT]), int(state.lower[0])
        if limit < INFINITE:  # solutions above the limit have not been looked for
            scaled = min(scaled, limit + 1)
            gap = int(state.walk[GAP])
            scaled = max(scaled, limit - gap) if gap < INFINITE else scaled
        if scaled > cheapest_kernel.NO_BOUND:
            # the present prices and limit may prove less than those before
            proven = -(-scaled // self._scale)
            self._proven = proven if self._proven is None else max(self._proven, proven)
        if self._proven is None:
            return None
        return self._unit * (self._proven if cheapest is None else min(self._proven, cheapest))

    @property
    def gap(self) -> int | None:
        """The cost of the best solution found minus the lower bound; 0 if it is optimal."""
        lower = self.lower_bound
        return self.best[0].cost - lower if self._best and lower is not None else None

    @property
    def num_solutions(self) -> int:
        """The number of solutions in `best`."""
        return len(self._best)

    def __repr__(self) -> str:
        found = f"best {self.best[0].cost}" if self._best else "nothing found"
        return f"<CheapestSearch of {self.problem!r}: {self.status}, {found}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a CheapestSearch cannot be pickled or copied; save() and load() keep it in a file"
        )

    @property
    def stats(self) -> Stats:
        """Solutions in `best`, nodes, updates, seconds; done is 1 once the search is exhausted."""
        counters = [0] * LENGTH if self._state is None else self._state.counters.tolist()
        return Stats(
            len(self._best),
            counters[NODES],
            counters[UPDATES],
            self._seconds,
            "branch and bound",
            1.0 if self._has_ended() else 0.0,
        )

    def __iter__(self) -> Self:
        self._begin_run()
        return self

    def __next__(self) -> Costed:
        with self._lock:
            if self.status != "running":
                self._begin_run()
            found = self._advance()
        if found is None:
            raise StopIteration
        return self._priced(found)

    def run(self) -> str:
        """Continue to the end of the search, or to the time limit or `stop`; return `status`."""
        self._begin_run()
        while self._advance() is not None:
            pass
        return self.status

    def stop(self) -> None:
        """End the present run after its present slice; another thread may call this."""
        self._stopped = True

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the search to a file, from which `load` continues it.

        The file is complete or not there: it is written under a temporary name, then renamed.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        with self._lock:
            self._take()
            data = saved.SavedCheapest(self.k, self.given, self._seconds, self._best, self._state)
            saved.write(path, self.problem, data)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        problem: Problem | Iterable[Iterable[Any]],
        *,
        time_limit: float | None = None,
        progress: Callable[[Stats], object] | None = None,
    ) -> CheapestSearch:
        """Return the search saved in a file, with its k, its givens and what it has found.

        Parameters
        ----------
        path : str or path
        problem : Problem, or what Problem takes
            The problem of the saved search.
        time_limit, progress
            As for `CheapestSearch`.

        Raises
        ------
        OSError
            The file cannot be read.
        StateError
            The file holds no saved search for cheapest solutions, one of another problem, or it is
            damaged.
        ProblemError
            As for `CheapestSearch`.
        """
        checked = as_problem(problem)
        costs_of(checked)
        data = saved.read(path, checked)
        search = cls(checked, data.k, given=data.given, time_limit=time_limit, progress=progress)
        search._best, search._seconds, search._state = data.best, data.seconds, data.state
        search._taken = search._num_found()
        return search

    def _begin_run(self) -> None:
        """Begin a run, also where a loop was left; its time limit counts from here."""
        with self._lock:
            self.status = "running"
            self._stopped = False
            self._run_end = None if self.time_limit is None else self._seconds + self.time_limit

    def _advance(self) -> Costed | None:
        """Search until another solution is among the best; None if the run is over."""
        with self._lock:
            try:
                if self._state is not None and not self._compiled:  # this is no part of the search
                    cheapest_kernel.advance(self._state, 0)
                    self._compiled = True
                while not self._has_ended():
                    if self._stopped:
                        self._end("stopped")
                        return None
                    if self._run_end is not None and self._seconds >= self._run_end:
                        self._end("time limit")
                        return None
                    began = self.clock()
                    state: Any = self._state
                    if state.counters[EXHAUSTED]:
                        state = self._restart(state)
                    if self._num_found() == self._taken:
                        cheapest_kernel.advance(state, SLICE_UPDATES)
                    solution = self._take()
                    self._timed(self.clock() - began)
                    if solution is not None:
                        return solution
            except BaseException as error:
                is_interrupt = isinstance(error, KeyboardInterrupt)  # else an error of `progress`
                self.status = "interrupted" if is_interrupt else "stopped"
                raise
            self._end("exhausted")
            return None

    def _priced(self, costed: Costed) -> Costed:
        return Costed(costed.cost * self._unit, costed.solution)

    def _has_ended(self) -> bool:
        return self._state is None or has_ended(self._state, self._best, self.k, self._scale)

    def _num_found(self) -> int:
        return 0 if self._state is None else int(self._state.counters[SOLUTIONS])

    def _take(self) -> Costed | None:
        """Add a solution that the kernel has found to the best; return it if it is new there.

        After an interrupt between kernel and this call, the next run adds it.
        """
        state = self._state
        if state is None or self._num_found() == self._taken:
            return None
        level = int(state.counters[LEVEL])
        chosen = sorted([*self.given, *state.chosen[:level].tolist()])
        found = Costed(sum(self._costs[option] for option in chosen), tuple(chosen))
        at = bisect_left(self._best, found)
        is_new = self._best[at : at + 1] != [found]  # else found with a lower limit before
        if is_new:
            self._best[at:] = [found, *self._best[at:]][: self.k - at]
        self._taken = self._num_found()
        limit = int(state.counters[LIMIT])
        is_small = self.problem.num_entries <= SMALL
        if is_small and limit == INFINITE and state.lower[0] != cheapest_kernel.NO_BOUND:
            self._restart(state)
        else:  # look for cheaper ones only from now on
            state.counters[LIMIT] = min(limit, limit_of(self._best, self.k, self._scale))
            if (gap := int(state.walk[GAP])) < INFINITE:
                state.walk[GAP] = gap - limit + int(state.counters[LIMIT])
        return found if is_new else None

    def _restart(self, state: State) -> State:
        self._state = restart(self.problem, self.given, state, self._best, self.k)
        return self._state

    def _timed(self, seconds: float) -> None:
        self._seconds += seconds
        if self.progress is not None and self._seconds >= self._reported + REPORT_SECONDS:
            self._reported = self._seconds
            self.progress(self.stats)

    def _end(self, status: str) -> None:
        self.status = status
        if self.progress is not None:
            self.progress(self.stats)


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
        raise TimeoutError(f"not done within {search.time_limit:g} s; {describe(search)}")
    return search.best


def improving(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    given: Iterable[int] = (),
    time_limit: float | None = None,
    progress: Callable[[Stats], object] | None = None,
) -> CheapestSearch:
    """Return an iterator over cheaper and cheaper solutions; the last one is the cheapest of all.

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
        least = search.lower_bound
        return "no solution found" + ("" if least is None else f", none costs less than {least}")
    cost = search.best[0].cost
    if search.lower_bound is None:
        return f"cheapest solution found costs {cost}"
    bound = f"none less than {search.lower_bound}, gap {search.gap}"
    return f"cheapest solution found costs {cost}, {bound}"
