"""The everyday functions: solve, solutions, count_solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dlx.count.driver import Count
from dlx.deprecated import by_keyword
from dlx.problem import Problem
from dlx.search.driver import Search, Stats


def solve(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    given: Iterable[int] = (),
    time_limit: float | None = None,
    kernel: str = "auto",
) -> tuple[int, ...] | None:
    """Return the first solution.

    Parameters
    ----------
    problem, given, time_limit, kernel
        As for `Search`.

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

    Examples
    --------
    >>> solve([[0, 1], [2], [1, 2]])
    (0, 1)
    """
    search = Search(problem, given=given, limit=1, time_limit=time_limit, kernel=kernel)
    solution = next(search, None)
    if solution is None and search.status == "time limit":
        raise TimeoutError(f"no solution found within {time_limit} s, and more is left to search")
    return solution


class _Solutions(Search):
    """A search that raises TimeoutError when its time limit ends a run.

    The caller of `dlx.solutions` iterates and need not look at `status`. The search stays as it
    is, and another loop continues it.
    """

    def _end_run(self, status: str) -> bool:
        super()._end_run(status)
        if status == "time limit":
            raise _timeout(self.time_limit, self.num_solutions)
        return False


def solutions(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    limit: int | None = None,
    time_limit: float | None = None,
    given: Iterable[int] = (),
    progress: Callable[[Stats], object] | None = None,
    kernel: str = "auto",
) -> Search:
    """Iterate over all solutions.

    Parameters
    ----------
    problem, limit, time_limit, given, progress, kernel
        As for `Search`.

    Returns
    -------
    Search
        An iterator over the solutions, with `status` and `stats`. When its time limit ends a
        loop (or a call of `next`, `arrays` or `count`), it raises TimeoutError, where a plain
        `Search` ends the loop and leaves it to the caller to look at `status`. The search can
        then be continued by another loop.

    Raises
    ------
    ProblemError, KernelError
        As for `Search`.

    Examples
    --------
    >>> for solution in solutions([[0, 1], [2], [0], [1, 2]], limit=1):
    ...     print(solution)
    (0, 1)
    """
    return _Solutions(
        problem,
        given=given,
        limit=limit,
        time_limit=time_limit,
        progress=progress,
        kernel=kernel,
    )


@by_keyword("limit")
def count_solutions(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    limit: int | None = None,
    time_limit: float | None = None,
    given: Iterable[int] = (),
    progress: Callable[[Stats], object] | None = None,
    kernel: str = "auto",
    method: str = "auto",
    memory_limit: int | None = None,
) -> int:
    """Count the solutions.

    Parameters
    ----------
    problem, limit, time_limit, given, progress, kernel, method, memory_limit
        As for `Count`.

    Returns
    -------
    int
        The exact number of solutions, or `limit` if there are at least that many.

    Raises
    ------
    TimeoutError
        The count was not complete within `time_limit` seconds.
    ProblemError, KernelError, MemoryError
        As for `Count`.

    See Also
    --------
    Count : Can be interrupted and continued, and then has a lower bound.

    Examples
    --------
    >>> count_solutions([[0, 1], [2], [0], [1, 2]])
    2
    """
    counting = Count(
        problem,
        given=given,
        limit=limit,
        time_limit=time_limit,
        progress=progress,
        kernel=kernel,
        method=method,
        memory_limit=memory_limit,
    )
    count = counting.count()
    if counting.status == "time limit":
        raise _timeout(time_limit, count)
    return count


def _timeout(time_limit: float | None, found: int) -> TimeoutError:
    return TimeoutError(f"not done within {time_limit} s; {found} solutions found so far")
