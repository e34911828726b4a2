"""The three questions: a cover, all covers, how many covers."""

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
    """One cover, as a tuple of option numbers, ascending; None if there is none.

    Raises TimeoutError if `time_limit` seconds did not suffice to tell; else as `Search`.

    >>> solve([[0, 1], [2], [1, 2]])
    (0, 1)
    """
    search = Search(problem, given=given, limit=1, time_limit=time_limit, kernel=kernel)
    cover = next(search, None)
    if cover is None and search.status == "time limit":
        raise TimeoutError(f"no solution found within {time_limit} s, and more is left to search")
    return cover


def solutions(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    limit: int | None = None,
    time_limit: float | None = None,
    given: Iterable[int] = (),
    progress: Callable[[Stats], object] | None = None,
    kernel: str = "auto",
) -> Search:
    """All covers, one by one: a `Search` to iterate over, which has a `status` and `stats`.

    given : options that are part of every cover; the caller's choice, so that one of secondary
        items alone, which no search chooses, may be among them
    limit, time_limit, progress, kernel : as for `Search`, which also says what is raised

    >>> for cover in solutions([[0, 1], [2], [0], [1, 2]], limit=1):
    ...     print(cover)
    (0, 1)
    """
    return Search(
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
    """How many covers there are, exactly, or `limit` if there are so many or more.

    method : "search" visits each solution, "sweep" merges partial solutions that leave the same
        items, "auto" takes the one that needs less work (with `kernel` given: "search")
    memory_limit : bytes that merged states may take, by default a quarter of the machine's memory

    Raises TimeoutError if `time_limit` seconds did not suffice; else as `Count`, which also has
    the number found so far when it is interrupted.

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
        raise TimeoutError(f"not done within {time_limit} s; {count} solutions found so far")
    return count
