"""ParallelCount: a count that chooses its method as `Count` does, then searches in parallel."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakMethod

from dlx.checks import as_executor, as_jobs, as_options, as_time_limit
from dlx.count.driver import Count, as_method
from dlx.count.memory import MemoryAccount
from dlx.errors import ProblemError
from dlx.problem import Problem, as_problem
from dlx.search.driver import Stats

if TYPE_CHECKING:
    from dlx.parallel.driver import ParallelSearch


class _Trial(Count):
    """A count that stops where only plain search of the whole problem is worth going on."""

    gave_up = False
    remote: Callable[[Any], Any] | None = None  # as of `MemoryAccount`

    def _account(self) -> MemoryAccount:
        account = super()._account()
        if self.remote is not None:  # a task elsewhere may take long
            own = WeakMethod(self._is_over)  # a cycle would keep the folder locked
            account.remote = self.remote
            account.is_over = lambda: (method := own()) is None or method()
        return account

    def _is_over(self) -> bool:
        return self._stopped or self._is_late(time.perf_counter())

    def _advance(self) -> None:
        if self.search_leads:
            self.gave_up = True
            self.stop()
        else:
            super()._advance()

    def parallel_search(self, **settings: Any) -> ParallelSearch:
        """The search that goes on, in parallel, where plain search stopped."""
        from dlx.parallel.driver import ParallelSearch

        return ParallelSearch.after(self._search, self.problem, **settings)


def parallel_count(
    problem: Problem | Iterable[Iterable[Any]],
    method: str,
    kernel: str,
    memory_limit: int | None,
    spill: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> ParallelCount | ParallelSearch:
    """Return a count by this method with `jobs`, an `executor` and so on; see `dlx.Count`."""
    problem = as_problem(problem)
    own = as_method(method, kernel, problem)
    ledger = settings.get("ledger")
    if own == "sweep" and ledger is not None:
        raise ProblemError('method="sweep" takes no ledger: it goes on from the folder spill=')
    if own == "sweep" and settings.get("executor") is not None and spill is None:
        text = 'method="sweep" with an executor needs a folder that all workers see: spill='
        raise ProblemError(text)
    # a sweep is recorded in the folder `spill`; a search that its ledger has begun goes on
    if own == "search" or (ledger is not None and (spill is None or os.path.exists(ledger))):
        from dlx.parallel.driver import ParallelSearch

        return ParallelSearch(problem, kernel=kernel, **settings)
    return ParallelCount(problem, method=own, memory_limit=memory_limit, spill=spill, **settings)


class ParallelCount:
    """A count of the solutions of a problem, by several workers where plain search is best.

    Parameters
    ----------
    problem, given, limit, time_limit, progress, method, memory_limit, spill
        As for `dlx.Count`; the method is "auto" or "sweep".
    jobs, executor, ledger
        As for `ParallelSearch`; the ledger is begun with plain search. Sweeps use `jobs` threads
        of this process, by default one if there is an executor.

    Notes
    -----
    The methods run in turns until it is clear that no sweep over merged states takes less work
    than plain search; then plain search goes on with all workers. Until then only sweeps by first
    item with many states use threads, so a count of several components may use one core. The
    executor works such a sweep once its states are in the folder `spill`, which all its workers
    must see.

    Examples
    --------
    >>> ParallelCount([[0, 1], [2], [0], [1, 2]], jobs=2).count()
    2
    """

    def __init__(
        self,
        problem: Problem | Iterable[Iterable[Any]],
        *,
        given: Iterable[int] = (),
        limit: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[Stats], object] | None = None,
        method: str = "auto",
        memory_limit: int | None = None,
        spill: str | os.PathLike[str] | None = None,
        jobs: int | str | None = None,
        executor: Any = None,
        ledger: str | os.PathLike[str] | None = None,
    ) -> None:
        problem = as_problem(problem)
        given = as_options(given, problem.num_options, "given")
        self.time_limit = as_time_limit(time_limit)
        executor = as_executor(executor)
        common: dict[str, Any] = {"given": given, "limit": limit, "progress": progress}
        threads = ("all" if executor is None else 1) if jobs is None else jobs
        trial = _Trial(
            problem, method=method, memory_limit=memory_limit, jobs=threads, spill=spill, **common
        )
        if executor is not None and spill is not None:
            from dlx.parallel.sweeps import SweepWorkers

            trial.remote = partial(SweepWorkers, executor=executor, jobs=as_jobs(jobs))
        self._active: _Trial | ParallelSearch = trial
        self._settings = {"jobs": jobs, "executor": executor, "ledger": ledger, **common}
        self._stopped = False

    @property
    def status(self) -> str:
        """Why the count rests: as for `dlx.Search`."""
        return self._active.status

    @property
    def num_solutions(self) -> int:
        """A lower bound, exact once the status is "exhausted"."""
        return self._active.num_solutions

    @property
    def stats(self) -> Stats:
        """As for `Count`; of plain search alone, once the other methods have given up."""
        return self._active.stats

    def stop(self) -> None:
        """End the present run at its next slice."""
        self._stopped = True
        self._active.stop()

    def close(self) -> None:
        """End the present run."""
        if not isinstance(self._active, _Trial):
            self._active.close()

    def count(self) -> int:
        """Continue to the end, or a limit; return the number of solutions found so far."""
        self._stopped = False
        active, left = self._active, self.time_limit
        if isinstance(active, _Trial):
            active.time_limit = left
            before = active.stats.seconds
            active.count()
            if not active.gave_up or self._stopped:
                return self.num_solutions
            if left is not None:
                left = max(0.0, left - (active.stats.seconds - before))
            active = self._active = active.parallel_search(**self._settings)
        active.time_limit = left
        return active.count()
