"""Top-level functions: solve, solutions, count_solutions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from dlx.checks import refuse_unknown, timeout_error
from dlx.deprecated import by_keyword
from dlx.problem import Problem
from dlx.search.driver import Search, Settings

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dlx.count.driver import Count, CountSettings
    from dlx.parallel.count import ParallelCount
    from dlx.parallel.driver import ParallelSearch, WorkerSettings

    Workers: TypeAlias = Executor | Callable[[], Executor]


def solve(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    given: Iterable[int] = (),
    time_limit: float | None = None,
    kernel: str = "auto",
    jobs: int | str | None = None,
    executor: Workers | None = None,
) -> tuple[int, ...] | None:
    """Return the first solution.

    Parameters
    ----------
    problem, given, time_limit, kernel
        As for `Search`.
    jobs, executor
        As for `count_solutions`; the solution is the same.

    Returns
    -------
    tuple of int, or None
        The option numbers, ascending; None if there is no solution.

    Raises
    ------
    TimeoutError
        No solution was found within `time_limit` seconds, and more is left to search.
    ProblemError, KernelError
        As for `Search`.
    WorkerError
        As for `count_solutions`.

    Examples
    --------
    >>> solve([[0, 1], [2], [1, 2]])
    (0, 1)
    """
    search: Search | ParallelSearch
    if jobs is None and executor is None:
        search = Search(problem, given=given, limit=1, time_limit=time_limit, kernel=kernel)
    else:
        limits: Settings = {"limit": 1, "time_limit": time_limit}
        workers: WorkerSettings = {"jobs": jobs, "executor": executor}
        search = _parallel(problem, given=given, kernel=kernel, **limits, **workers)
    solution = next(search, None)
    if solution is None and search.status == "time limit":
        raise TimeoutError(f"no solution found within {time_limit} s, and more is left to search")
    return solution


class _Solutions(Search):
    """A search that raises TimeoutError when its time limit ends a run.

    So the caller of `dlx.solutions` need not check `status`. Another loop continues the search.
    """

    def _end_run(self, status: str) -> bool:
        super()._end_run(status)
        if status == "time limit":
            raise timeout_error(self.time_limit, self.num_solutions)
        return False


def solutions(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    jobs: int | str | None = None,
    executor: Workers | None = None,
    ledger: str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> Search | ParallelSearch:
    """Iterate over all solutions.

    Parameters
    ----------
    problem, limit, time_limit, given, progress, kernel
        As for `Search`.
    jobs, executor, ledger
        As for `count_solutions`; the solutions and their order are the same.

    Returns
    -------
    Search, or ParallelSearch with `jobs`, `executor` or `ledger`
        An iterator over the solutions, with `status` and `stats`. When its time limit ends a
        loop (or a call of `next`, `arrays` or `count`), it raises TimeoutError; a plain `Search`
        ends the loop without an error, and its `status` says why. Another loop continues the
        search.

    Raises
    ------
    ProblemError, KernelError
        As for `Search`.
    StateError, OutputError, WorkerError
        As for `count_solutions`; WorkerError while it runs.

    Examples
    --------
    >>> for solution in solutions([[0, 1], [2], [0], [1, 2]], limit=1):
    ...     print(solution)
    (0, 1)
    """
    refuse_unknown(settings, Settings.__optional_keys__, "solutions")
    if jobs is not None or executor is not None or ledger is not None:
        return _parallel(
            problem, jobs=jobs, executor=executor, ledger=ledger, raises=True, **settings
        )
    return _Solutions(problem, **settings)


@by_keyword("limit")
def count_solutions(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    executor: Workers | None = None,
    ledger: str | os.PathLike[str] | None = None,
    **settings: Unpack[CountSettings],
) -> int:
    """Count the solutions.

    Parameters
    ----------
    problem, limit, time_limit, given, progress, kernel, method, memory_limit, spill
        As for `Count`.
    jobs : int or "all", optional
        Search, or sweep over many states, with this many threads; "all" for one on each core that
        the process may use.
    executor : concurrent.futures.Executor, or a function that returns one, optional
        Search with the workers of an executor: processes, or other machines. With `spill`, a folder
        that all of them see, they also sweep over the states that are there.
    ledger : str or path, optional
        SQLite file in which every task that ends is recorded. If the process is killed, the same
        call continues from there. Without `spill` such a count is always a search, also where
        merging takes less work; by default with as many threads as with ``jobs="all"``.

    Returns
    -------
    int
        The exact number of solutions, or `limit` if there are at least that many.

    Raises
    ------
    TimeoutError
        The count was not complete within `time_limit` seconds.
    ProblemError, KernelError, MemoryError, StateError, OutputError, WorkerError
        As for `Count`; StateError and OutputError for a ledger, too; the last if workers fail.

    See Also
    --------
    Count : A count that can be interrupted and continued; it has a lower bound at any time.

    Examples
    --------
    >>> count_solutions([[0, 1], [2], [0], [1, 2]])
    2
    """
    count_class, names = _count_class()
    refuse_unknown(settings, names, "count_solutions")
    counting: Count | ParallelCount | ParallelSearch
    if executor is not None or ledger is not None or settings.get("jobs") is not None:
        from dlx.parallel.count import parallel_count

        counting = parallel_count(problem, executor=executor, ledger=ledger, **settings)
        with closing(counting):
            count = counting.count()
    else:
        counting = count_class(problem, **settings)
        count = counting.count()
    if counting.status == "time limit":
        raise timeout_error(counting.time_limit, count)
    return count


@cache
def _count_class() -> tuple[type[Count], frozenset[str]]:
    """Import the methods of counting, and numba with them; return the class and its settings."""
    from dlx.count.driver import Count, CountSettings

    return Count, CountSettings.__optional_keys__


def _parallel(problem: Problem | Iterable[Iterable[Any]], **settings: Any) -> ParallelSearch:
    from dlx.parallel.driver import ParallelSearch

    return ParallelSearch(problem, **settings)
