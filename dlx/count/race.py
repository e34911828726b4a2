"""Count: how many covers, by whichever way gets there first.

There are three: a plain search, which meets the covers one by one, and two sweeps over merged
partial covers (`sweep_kernel`), by first item and by fewest options. Which is best depends on the
problem, by factors of thousands, and cannot be seen beforehand. So they run in turns, each for a
slice of time. What each has done so far tells how long all of it will take: rather well for plain
search, as a guess for a sweep. A sweep goes on while it promises to need much less than plain
search, and is given up, with a few per cent of the time lost, when it does not. The count does
not depend on it: each way is exact, and the first to end gives the answer.

A problem that falls apart into independent parts is counted part by part, each in this manner.
One that falls apart once a few options are settled (`cuts`) has a fourth way: to count the
parts that each choice among these leaves. What is a part of several choices is counted once.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import numpy as np

from dlx.checks import as_memory_limit
from dlx.count import cuts, orders
from dlx.count import remainder as masks
from dlx.count.components import parts
from dlx.count.sweep import Memo, machine_memory
from dlx.deprecated import alias
from dlx.errors import ProblemError
from dlx.problem import Problem, as_problem
from dlx.search.driver import RESTLESS, Search, Stats

METHODS = ("auto", "search", "memo")

SLICE = 0.02  # seconds a way runs at a time, at most: how soon Ctrl-C and limits are noticed
REPORT = 0.1  # seconds between two calls of `progress`
TRIAL = 0.001  # seconds of plain search before anything else: many problems end here
SHORT = 0.015  # seconds: a plain search that is expected to need less is left alone
ITEM, ENTRY = 5e-4, 6e-6  # so is one of less than this for each item, and for each entry of an
# option: it takes about a tenth of that to prepare the sweeps
TRY = 0.02  # a sweep may spend this part of the expected time of plain search,
WIN = 0.6  # and more if what is left of it should take less than this part of what is left of that
CHECK = 0.05  # plain search gets this part of the time of the sweeps, to make sure, and so that
# there is a lower bound to show
SHARE = 0.1  # no sweep gets less than this part of the time of the other, while it is not given up
DIVE = 0.02  # seconds that each sweep spends on covers to show, when it is stopped,
EARLY = 0.05  # and from so many seconds on now and then until there is one: it may be stopped
# at a bad moment
LATE = 0.5  # seconds before a cut is looked for,
LOOK = 5e-5  # and seconds for each entry of an option: some ten times what it takes to look
LARGEST = 1 << 25  # bytes of masks for the rule "fewest", beyond which it is too slow


class _Plain:
    """Meets the covers one by one. Seconds are the processor's: others may be using it, too."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.name = search.stats.kernel
        self.seconds = 0.0

    @property
    def ended(self) -> bool:
        return self.search.status == "exhausted"

    @property
    def num_solutions(self) -> int:
        return self.search.num_solutions

    @property
    def nodes(self) -> int:
        return self.search.stats.nodes

    @property
    def done(self) -> float:
        return self.search.stats.done

    @property
    def projected(self) -> float:
        return self.seconds / self.done if self.done else float("inf")

    def advance(self, seconds: float) -> None:
        began, before = time.thread_time(), self.search.stats.seconds
        self.search.time_limit = seconds
        try:
            self.search.count()
        finally:  # what the search calls seconds leaves out compiling
            spent = self.search.stats.seconds - before
            self.seconds += min(time.thread_time() - began, spent)

    def dive(self, seconds: float) -> None:
        pass


class _Sweep:
    """Merges partial covers that leave the same."""

    name = "memo"

    def __init__(self, make: Callable[[], masks.Masks], memory_limit: int) -> None:
        began = time.thread_time()
        self.memo = Memo(make(), memory_limit)
        self.seconds = time.thread_time() - began
        self._rate = 1e9  # units of work a second
        self._dive_at = EARLY
        self.step = self.memo.step / self._rate  # seconds that one state may take
        self.memo.advance(0)  # compiles: not to be timed,
        self.memo.sweep_by_parts(None)  # nor to be waited for when the count is stopped

    @property
    def ended(self) -> bool:
        return self.memo.done

    @property
    def num_solutions(self) -> int:
        return self.memo.total

    @property
    def nodes(self) -> int:
        return self.memo.nodes

    @property
    def done(self) -> float:
        return self.memo.progress

    @property
    def projected(self) -> float:
        # By parts there is no telling.
        return float("inf") if self.memo.by_parts else self.seconds * self.memo.scale

    def advance(self, seconds: float) -> None:
        if self.seconds > self._dive_at and not self.num_solutions:
            self._dive_at = 2 * self.seconds
            self.dive(DIVE)
        began, before = time.thread_time(), self.memo.work
        self.memo.advance(max(1, int(seconds * self._rate)))
        spent = time.thread_time() - began
        self.seconds += spent
        self._rate = max(1e4, (self.memo.work - before) / max(spent, 1e-6))

    def dive(self, seconds: float) -> None:
        """Complete some states, so that there is a lower bound to show; not amid a move."""
        if not self.memo.moving:
            self.memo.dive(int(seconds * self._rate))


class _Parts:
    """Counts independent parts in turns. Their numbers multiply; those of several ways add up.

    ways : for each way to split the problem, the parts that are left; ways may share parts
    """

    step = 0.0

    def __init__(self, ways: list[list[Count]]) -> None:
        self.ways = ways
        self.seconds = 0.0
        self.nodes = 0
        self._counts = list({id(count): count for way in ways for count in way}.values())
        self._left = deque(deque(way) for way in ways)

    @property
    def name(self) -> str:
        return "+".join(sorted({count.stats.kernel for count in self._counts})) or "memo"

    @property
    def ended(self) -> bool:
        return not self._left

    @property
    def num_solutions(self) -> int:
        return sum(math.prod(count.num_solutions for count in way) for way in self.ways)

    @property
    def done(self) -> float:
        if self.ended:
            return 1.0
        return sum(count.stats.done for count in self._counts) / max(1, len(self._counts))

    @property
    def projected(self) -> float:
        return self.seconds / self.done if self.done else 0.0

    def advance(self, seconds: float) -> None:
        # An interrupt may come between any two of these lines.
        way = self._left[0]
        if way and not way[0].ended:
            count = way[0]
            before = count.seconds, count.stats.nodes
            count.step()
            self.seconds += count.seconds - before[0]
            self.nodes += count.stats.nodes - before[1]
        if way and not way[0].ended:
            way.rotate(-1)
        elif way and way[0].num_solutions:
            way.popleft()
        else:
            way.clear()
        if way:
            self._left.rotate(-1)
        else:
            self._left.popleft()

    def dive(self, seconds: float) -> None:
        """Have parts complete some states, those without a cover first."""
        going = [count for count in self._counts if not count.ended]
        end = time.perf_counter() + seconds
        for count in sorted(going, key=lambda count: count.stats.solutions > 0):
            if time.perf_counter() >= end:
                break
            count.dive(seconds / len(going))


Way: TypeAlias = _Plain | _Sweep | _Parts


class Count:
    """A count of the covers of a problem, which can be stopped and gone on with.

    Parameters
    ----------
    problem, given, limit, time_limit, progress, kernel
        As for `Search`; with a limit, the count stops there.
    method : "auto", "search" or "memo"
        Whether covers are met one by one, or partial covers that leave the same are merged;
        "auto" tries both in turns and goes on with what gets along better; if a kernel is
        asked for, it is "search".
    memory_limit : int, optional
        Bytes that a merging count may hold, by default a quarter of the machine's memory. When
        they are full it merges less, or plain search takes over.

    Raises as `Search`; ProblemError for an unknown method or a senseless memory limit.

    >>> count = Count([[0, 1], [2], [0], [1, 2]])
    >>> count.count(), count.status
    (2, 'exhausted')
    """

    def __init__(
        self,
        problem: Problem | Iterable[Iterable[Any]],
        *,
        given: Iterable[int] = (),
        limit: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[Stats], object] | None = None,
        kernel: str = "auto",
        method: str = "auto",
        memory_limit: int | None = None,
    ) -> None:
        if method not in METHODS:
            raise ProblemError(f"there is no method {method!r}; there are {', '.join(METHODS)}")
        self.problem = as_problem(problem)
        self.method = "search" if method == "auto" and kernel != "auto" else method
        self.limit = limit
        self.time_limit = time_limit
        self.progress = progress
        self.memory_limit = as_memory_limit(memory_limit) or machine_memory() // 4
        self._plain = _Plain(
            Search(self.problem, given=given, limit=limit, time_limit=time_limit, kernel=kernel)
        )
        self._given = self._plain.search.given
        self._sweeps: list[_Sweep] | None = None
        self._parts: _Parts | None = None
        self._cut: _Parts | None = None
        self._rest: masks.Rest | None = None  # until it has been looked for a cut
        self._known: WeakValueDictionary[tuple[Any, ...], Count] = WeakValueDictionary()
        self._leader: Way = self._plain
        self._status = "ready"
        self._stopped = False

    @property
    def status(self) -> str:
        """Why the count rests: as for `Search`."""
        return "stopped" if self._stopped and self._status in RESTLESS else self._status

    @property
    def num_solutions(self) -> int:
        """A lower bound, exact once all are counted; any thread may ask, at any time."""
        solutions = max(way.num_solutions for way in self._ways)
        return solutions if self.limit is None else min(solutions, self.limit)

    @alias("num_solutions")
    def covers(self) -> None:
        """Deprecated spelling of `num_solutions`."""

    @property
    def stats(self) -> Stats:
        """Covers (a lower bound until the count is exhausted), nodes and seconds of all ways."""
        return Stats(
            self.num_solutions,
            sum(way.nodes for way in self._ways),
            self._plain.search.stats.updates,
            self.seconds,
            self._leader.name,
            self._leader.done,
        )

    @property
    def ended(self) -> bool:
        """Whether all covers are counted."""
        return self._leader.ended

    @property
    def seconds(self) -> float:
        """The seconds that all ways have taken."""
        return sum(way.seconds for way in self._ways)

    @property
    def _ways(self) -> list[Way]:
        return [self._plain, *self._others]

    @property
    def _others(self) -> list[_Sweep | _Parts]:
        parts = [way for way in (self._parts, self._cut) if way is not None]
        return [*(self._sweeps or ()), *parts]

    def stop(self) -> None:
        """Ends the present run at its next slice; for a progress callback, or another thread.

        At rest there is nothing to end: `count` goes on as ever.
        """
        self._stopped = True

    def count(self) -> int:
        """Goes on to the end, or a limit; the number of covers, or of those found so far."""
        self._stopped = False
        self._status = "running"
        self._plain.search.limit = self.limit
        began = reported = time.perf_counter()
        try:
            while True:
                now = time.perf_counter()
                if self.ended or self._at_limit():
                    return self._end("limit" if self._at_limit() else "exhausted")
                if self._stopped:
                    return self._end("stopped")
                if self.time_limit is not None and now - began >= self.time_limit:
                    return self._end("time limit")
                if self.progress is not None and now - reported >= REPORT:
                    reported = now
                    self.progress(self.stats)
                self.step()
        except KeyboardInterrupt:
            self._end("interrupted")
            raise
        except BaseException:  # out of `progress`, or of memory
            self._status = "stopped"
            raise

    def step(self) -> None:
        """Goes on for a slice of time, unless the count has ended."""
        self._leader = way = self._next()
        way.advance(min(SLICE, max(TRIAL, way.seconds / 4)))

    def dive(self, seconds: float) -> None:
        """Spends about so much time, for each way, on a better lower bound."""
        for way in self._ways:
            way.dive(seconds)

    def _end(self, status: str) -> int:
        self._status = status
        self._stopped = False
        if status not in ("exhausted", "limit"):
            self.dive(DIVE)
        if self.progress is not None and status != "interrupted":
            self.progress(self.stats)
        return self.num_solutions

    def _at_limit(self) -> bool:
        return self.limit is not None and self.num_solutions >= self.limit

    def _next(self) -> Way:
        """Whose turn it is."""
        plain = self._plain
        expected = plain.projected if self.method == "auto" else float("inf")
        if self.method == "search":
            return plain
        if self._sweeps is None:
            sizes = ITEM * self.problem.num_primary, ENTRY * self.problem.num_entries
            short = max(SHORT, *sizes)
            if self.method == "auto" and (plain.seconds < TRIAL or expected < short):
                return plain
            self._prepare()
        if self._parts is not None:
            return self._parts
        if self._rest is not None and self.seconds > max(LATE, LOOK * self.problem.num_entries):
            self._split()
        others = self._others
        spent = sum(way.seconds for way in others)
        left = expected - plain.seconds
        others = [
            way
            for way in others
            if way.seconds + way.step < TRY * expected or way.projected - way.seconds < WIN * left
        ]
        if not others or (self.method == "auto" and plain.seconds < CHECK * spent):
            return plain
        behind = min(others, key=lambda way: way.seconds)
        if behind.seconds < SHARE * max(way.seconds for way in others):
            return behind
        return min(others, key=lambda way: way.projected)

    def _prepare(self) -> None:
        """The parts, if there are several; else the sweeps."""
        sweeps: list[_Sweep] = []
        if self.problem.compatible(self._given):
            rest = masks.rest(self.problem, self._given)
            found = parts(rest)
            if len(found) > 1:
                self._parts = self._make_parts([found])
            else:
                sweeps = self._make_sweeps(rest)
                self._rest = rest
        self._sweeps = sweeps

    def _split(self) -> None:
        """The parts that are left by each choice among the options of a cut, if there is one."""
        assert self._rest is not None
        if choices := cuts.split(self.problem, self._given, self._rest):
            self._cut = self._make_parts(choices)
        self._rest = None

    def _make_parts(self, ways: list[list[Problem]]) -> _Parts:
        """One count for each different part, here and in parts of parts."""
        share = max(1, self.memory_limit // max(1, sum(map(len, ways))))

        def count(part: Problem) -> Count:
            arrays = (part.start, part.item, part.colour)
            key = (part.num_primary, *(values.tobytes() for values in arrays))
            known = self._known.get(key)
            if known is None:
                known = self._known[key] = Count(part, method=self.method, memory_limit=share)
                known._known = self._known
            return known

        return _Parts([[count(part) for part in way] for way in ways])

    def _make_sweeps(self, rest: masks.Rest) -> list[_Sweep]:
        """Both sweeps, but for those where the masks alone would be too large."""
        sweeps = []
        if masks.size(rest, fewest=False) <= self.memory_limit // 4:
            sweeps.append(_Sweep(lambda: orders.best(rest), self.memory_limit // 2))
        if masks.size(rest, fewest=True) <= min(self.memory_limit // 4, LARGEST):
            own = np.arange(rest.num_primary)
            sweeps.append(
                _Sweep(lambda: masks.masks(rest, own, fewest=True), self.memory_limit // 2)
            )
        if not sweeps and self.method == "memo":
            size = masks.size(rest, fewest=False)
            raise MemoryError(f"the options take {size} bytes; memory_limit= must be 4 times that")
        return sweeps
