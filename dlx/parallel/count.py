"""ParallelCount: a count that chooses its method as `Count` does, and searches in parallel.

The methods run in turns (`dlx.count.race`) until only plain search is worth continuing. It is
continued with all workers, in rounds. After a round the work of the whole search is known better;
if another method is then expected to take less, the turns continue, and the next rounds are short
again. A round ends when certain tasks have ended, which are the same for any number of workers: so
are all these decisions.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack
from weakref import WeakMethod

from dlx.checks import as_executor, as_jobs, as_path, as_progress, time_limit_property
from dlx.count.driver import Count, CountSettings, as_method
from dlx.count.memory import MemoryAccount
from dlx.count.race import ComponentCount
from dlx.errors import ProblemError
from dlx.problem import Problem, as_problem
from dlx.search import row_sizes
from dlx.search.driver import Settings, Stats
from dlx.search.kernel import kernel_name, work_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dlx.parallel.driver import ParallelSearch, WorkerSettings

FIRST_ROUND, LARGEST_ROUND = 16, 1 << 14
"""Tasks in the first round, and at most; each round has twice as many as the one before."""


class _Turns(Count):
    """The methods in turns: a count that stops once only plain search is worth continuing."""

    gave_up = False
    remote: Callable[[Any], Any] | None = None  # as of `MemoryAccount`

    def _account(self) -> MemoryAccount:
        account = super()._account()
        account.remote = self.remote
        return account

    def _advance(self) -> None:
        if self.search_leads:
            self.gave_up = True
            self.stop()
        else:
            super()._advance()

    def _complete_some(self) -> None:
        if not self.gave_up:  # else the search will find solutions
            super()._complete_some()

    def parallel_search(self, **settings: Any) -> ParallelSearch:
        """The parallel search that continues where plain search stopped."""
        from dlx.parallel.driver import ParallelSearch

        return ParallelSearch.after(self._search, self._counted, **settings)

    def resumes(self, search: ParallelSearch) -> bool:
        """Whether another method is worth continuing, by the figures of a parallel search."""
        stats = search.stats
        work = work_of(stats.kernel, stats.nodes, stats.updates)
        if isinstance(self._components, ComponentCount):
            done = max(stats.done, stats.solutions / self.limit if self.limit else 0.0)
            self._components.learn(work, work / done if done else math.inf)
        self.gave_up = self.search_leads
        return not self.gave_up


def parallel_count(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    method: str = "auto",
    kernel: str = "auto",
    memory_limit: int | None = None,
    spill: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> ParallelCount | ParallelSearch:
    """Return a count by this method with `jobs`, an `executor` and so on; see `dlx.Count`.

    Raises
    ------
    ProblemError, KernelError
        As for `dlx.Count` and `ParallelSearch`; or a sweep is wanted with a ledger, or with an
        executor and no folder `spill`.
    """
    problem = as_problem(problem)
    chosen, counted = as_method(method, kernel, problem, spill)
    ledger = settings.get("ledger")
    if ledger is not None:  # before `exists`, which takes a number for an open file
        ledger = settings["ledger"] = as_path(ledger, "ledger")
    if chosen == "sweep" and ledger is not None:
        raise ProblemError('method="sweep" takes no ledger: it continues from the folder spill=')
    if chosen == "sweep" and settings.get("executor") is not None and spill is None:
        text = 'method="sweep" with an executor needs a folder that all workers see: spill='
        raise ProblemError(text)
    # With `spill` a sweep is recorded, too, so the methods may take turns. But a search that is in
    # a ledger continues, and `counted` may be another problem than the one of the ledger.
    is_recorded = ledger is not None and (
        spill is None or os.path.exists(ledger) or counted is not problem
    )
    if chosen == "search" or is_recorded:
        from dlx.parallel.driver import ParallelSearch

        if kernel_name(problem, kernel, largest=row_sizes.MEMORY) == "links":
            kernel = "links"  # the larger rows of "bits" would count against the limit of memory
        return ParallelSearch(problem, kernel=kernel, **settings)
    return ParallelCount(problem, method=chosen, memory_limit=memory_limit, spill=spill, **settings)


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
    While the methods run in turns, sweeps with many states use threads, and up to two
    methods run at the same time; so a count of several components may use one core. The executor
    works such a sweep once its states are in the folder `spill`, which all its workers must see. A
    search with a ledger continues to its end.

    Examples
    --------
    >>> ParallelCount([[0, 1], [2], [0], [1, 2]], jobs=2).count()
    2
    """

    time_limit: float | None = time_limit_property()

    def __init__(
        self,
        problem: Problem | Iterable[Iterable[Any]],
        *,
        executor: Executor | Callable[[], Executor] | None = None,
        ledger: str | os.PathLike[str] | None = None,
        **settings: Unpack[CountSettings],
    ) -> None:
        problem = as_problem(problem)
        self.time_limit = settings.get("time_limit")
        executor = as_executor(executor)
        jobs = settings.get("jobs")
        self._progress = progress = as_progress(settings.get("progress"))
        reference = WeakMethod(self._report)  # a reference cycle would keep threads and files

        def report(stats: Stats) -> None:
            if (method := reference()) is not None:
                method(stats)

        shown = None if progress is None else report
        threads = ("all" if executor is None else 1) if jobs is None else jobs
        own_settings: CountSettings = {**settings, "progress": shown, "jobs": threads}
        turns = _Turns(problem, **own_settings)
        if executor is not None and settings.get("spill") is not None:
            from dlx.parallel.sweeps import SweepWorkers

            turns.remote = partial(SweepWorkers, executor=executor, jobs=as_jobs(jobs))
        self._turns = turns
        self._search: ParallelSearch | None = None
        self._active: _Turns | ParallelSearch = turns
        self._round = FIRST_ROUND
        self._done = 0.0  # the most that was reported
        self._workers: WorkerSettings = {"jobs": jobs, "executor": executor, "ledger": ledger}
        self._limits: Settings = {"given": turns.given, "limit": turns.limit, "progress": shown}
        self._stopped = False

    @property
    def status(self) -> str:
        """Why the count has ended or paused: as for `dlx.Search`."""
        return self._active.status

    @property
    def num_solutions(self) -> int:
        """A lower bound, exact once the status is "exhausted"."""
        search = self._search
        found = self._turns.num_solutions
        return found if search is None else max(found, search.num_solutions)

    @property
    def stats(self) -> Stats:
        """As for `Count`; nodes and updates are those of the method that counts."""
        seconds = self._turns.stats.seconds
        if self._search is not None:
            seconds += self._search.stats.seconds
        return self._active.stats._replace(solutions=self.num_solutions, seconds=seconds)

    def _report(self, stats: Stats) -> None:
        """Report with numbers that never fall."""
        assert self._progress is not None
        self._done = max(self._done, stats.done)
        self._progress(self.stats._replace(done=self._done))

    def stop(self) -> None:
        """End the present run at its next slice."""
        self._stopped = True
        self._active.stop()

    def close(self) -> None:
        """Close the search, if the count has begun one; see `ParallelSearch.close`."""
        if self._search is not None:
            self._search.close()

    def count(self) -> int:
        """Continue to the end, or a limit; return the number of solutions found so far."""
        self._stopped = False
        seconds = self.time_limit
        while True:
            active = self._active
            active.time_limit = seconds
            before = active.stats.seconds
            if not self._continue_count() or self._stopped:
                return self.num_solutions
            if seconds is not None:
                seconds = max(0.0, seconds - (active.stats.seconds - before))

    def _continue_count(self) -> bool:
        """Run the methods in turns, or a round of the search; return whether to continue."""
        turns, search = self._turns, self._search
        if self._active is turns:
            turns.count()
            if turns.gave_up:
                self._search = search or turns.parallel_search(**self._limits, **self._workers)
                self._active = self._search
            return turns.gave_up
        assert search is not None
        if self._workers["ledger"] is not None:
            search.count()
            return False
        if not search.count_round(self._round):
            return False
        self._round = min(2 * self._round, LARGEST_ROUND)
        if turns.resumes(search):
            self._active, self._round = turns, FIRST_ROUND
        return True
