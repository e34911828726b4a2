"""Methods: the ways to count that a race compares, all measured in one unit of work.

A unit of work is about a nanosecond on one core of a current server. The cost of a kernel's steps
was measured once, and is charged by what the kernel counts (nodes, updates, states) and by sizes.
No clock is read: a method reports the same work on every machine and in every run.
"""

from __future__ import annotations

import math
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from dlx.checks import digits
from dlx.count.foresight import Foresight
from dlx.count.numbering import for_counting
from dlx.count.saved import Record, Store, as_count, as_total
from dlx.problem import Problem
from dlx.search import row_sizes
from dlx.search.branch import Branch
from dlx.search.counters import EXHAUSTED, NODES, SOLUTIONS, UNLIMITED, UPDATES
from dlx.search.kernel import (
    choose_kernel,
    has_trial,
    load_first_steps,
    trial_updates,
    work_of,
)
from dlx.search.saved import SavedSearch

FIRST_PART = 32
"""The first call of a search makes work / FIRST_PART updates, which show what an update costs."""

MANY_ITEMS, MOST_LOOKS = 1 << 12, 1 << 28
"""With more than MANY_ITEMS items the calls of the kernel are short: their nodes look at MOST_LOOKS
items in total, some hundredths of a second."""

SLOW, LONGER = 1.1, 4
"""If the fraction done grew by less than the factor SLOW while the work doubled, the search is in a
branch much larger than others. Then LONGER times the estimated remaining work is expected, and at
least LONGER times the work so far."""


class Figures(NamedTuple):
    """What a method has done, or several together.

    Attributes
    ----------
    work : int
        Units of work.
    nodes, updates : int
        As in `Stats`.
    peak : int
        The most states held at once, 0 for a search.
    short_of_memory : bool
        As in `Stats`.
    """

    work: int = 0
    nodes: int = 0
    updates: int = 0
    peak: int = 0
    short_of_memory: bool = False


def together(figures: Iterable[Figures]) -> Figures:
    """The figures of several methods; their peak is the largest one."""
    work, nodes, updates, peaks, short = zip(Figures(), *figures, strict=True)
    return Figures(sum(work), sum(nodes), sum(updates), max(peaks), any(short))


def as_figures(numbers: Any, record: Record) -> Figures:
    """Return the first four figures and "short_of_memory" out of a record; or raise ValueError."""
    work, nodes, updates, peak = map(as_count, numbers)
    return Figures(work, nodes, updates, peak, record.get("short_of_memory") is True)


class Contender(Protocol):
    """What a race compares: these numbers decide which of several methods continues."""

    @property
    def work(self) -> int:
        """Units of work done."""

    @property
    def projected(self) -> float:
        """An estimate of the total work; 0 while nothing is known."""

    @property
    def done(self) -> float:
        """An estimate of the fraction done, from 0 to 1."""

    @property
    def smallest_step(self) -> int:
        """Work that cannot be interrupted."""


class Method(Contender, Protocol):
    """A way to count."""

    @property
    def name(self) -> str:
        """The name of the kernel, or "sweep"."""

    @property
    def figures(self) -> Figures:
        """What it has done so far."""

    @property
    def ended(self) -> bool:
        """Whether the number of solutions is exact."""

    @property
    def num_solutions(self) -> int:
        """A lower bound, exact once the method has ended."""

    def advance(self, work: int) -> None:
        """Continue for about `work` units, at most to the end."""

    def complete_some(self, work: int) -> None:
        """Spend about `work` units on a better lower bound."""

    def release(self) -> None:
        """Free all memory; called once, when only the result is needed."""

    def pack(self, store: Store) -> Record:
        """Return the record of the method for a file; put its arrays into the store."""


class PlainSearch:
    """The search of `dlx.search`, which visits each solution.

    Parameters
    ----------
    problem : Problem
    given : tuple of int
    kernel : str
    limit : int, optional
        It may stop at this number of solutions.

    Attributes
    ----------
    foreseen, most_foreseen : float
        A lower and an upper limit of the total work by random descents, equal where their standard
        error is small; 0 if no descents have been made. Between the two, the fraction done gives
        the estimate.
    is_slow : bool
        Whether the fraction done hardly grew when the work last doubled, see `SLOW`.
    expected : float
        A lower bound of `projected`, given by the parallel search.
    is_over : callable
        Whether the run is over; `advance` then ends early, if it may take long.
    held : int
        Bytes taken from an account of memory: none.
    """

    smallest_step = 0
    held = 0

    def __init__(
        self,
        problem: Problem,
        given: tuple[int, ...],
        kernel: str,
        limit: int | None = None,
    ) -> None:
        self.limit = limit
        self.is_over: Callable[[], bool] = bool
        self.foreseen = self.most_foreseen = 0.0
        self._problem, self._given = problem, given
        self._listing = np.empty((0, 0), np.int32)  # solutions are not listed
        self._compiled = False
        self._mark = (0, 0.0)  # work and fraction done when the work had last doubled
        self._seen = (-1, -1)  # nodes and updates when `_seen_done` was computed
        self._seen_done = 0.0
        self.is_slow = False
        self.expected = 0.0
        is_trial = has_trial(problem, kernel)
        self._begin(problem, given, "links" if is_trial else kernel)
        if is_trial and self._state is not None:
            room = UNLIMITED if limit is None else min(limit, UNLIMITED)
            self._kernel.advance(self._state, trial_updates(problem), room, self._listing)
            if not self.ended and self.num_solutions != limit:
                self._begin(problem, given, kernel)

    def _begin(self, problem: Problem, given: tuple[int, ...], name: str) -> None:
        # larger rows would count against the limit of memory
        self._kernel = choose_kernel(problem, name, largest=row_sizes.MEMORY)
        self.name: str = self._kernel.name
        self._searched = for_counting(problem) if self.name == "bits" else problem
        self._first: Any = None  # the search by the interpreter, as long as that continues
        first_steps = load_first_steps(self.name)
        if first_steps is not None and problem.compatible(given):
            self._first = first_steps.begin(self._searched, given, listing=False)
        self._state: Any = None
        if self._first is None:
            self._state = self._kernel.start(self._searched, given)

    def _end_first_steps(self) -> None:
        """Advance the kernel to the node that the interpreter has reached."""
        if self._first is None:
            return
        state: Any = self._kernel.start(self._searched, self._given)
        counters = self._first.counters
        if counters[UPDATES]:
            self._kernel.advance(state, counters[UPDATES], UNLIMITED, self._listing)
        if missing := counters[SOLUTIONS] - int(state.counters[SOLUTIONS]):
            self._kernel.advance(state, 1, missing, self._listing)  # they took no updates
        # there is no call between these assignments, so no interrupt can come there
        self._state, self._first = state, None

    @cached_property
    def _foresight(self) -> Foresight:
        return Foresight(self._problem, self._given)

    def compile(self) -> None:
        """Compile the kernel, or load it, before anything is timed; not for the first steps."""
        if not self._compiled and self._state is not None:
            self._kernel.advance(self._state, 0, 0, self._listing)
        self._compiled = True

    def _counter(self, place: int) -> int:
        searched = self._state if self._first is None else self._first
        return 0 if searched is None else int(searched.counters[place])

    @property
    def work(self) -> int:
        """Units of work done."""
        return work_of(self.name, self.nodes, self.updates)

    @property
    def nodes(self) -> int:
        """Nodes visited."""
        return self._counter(NODES)

    @property
    def updates(self) -> int:
        """Updates made."""
        return self._counter(UPDATES)

    @property
    def figures(self) -> Figures:
        """Its work, nodes and updates."""
        return Figures(self.work, self.nodes, self.updates)

    @property
    def ended(self) -> bool:
        """Whether the search is exhausted."""
        is_none = self._state is None and self._first is None
        return is_none or self._counter(EXHAUSTED) > 0

    @property
    def num_solutions(self) -> int:
        """Solutions found."""
        return self._counter(SOLUTIONS)

    @property
    def done(self) -> float:
        """The kernel's estimate of the fraction of the search tree that was searched."""
        if self.ended:
            return 1.0
        counters = self.nodes, self.updates
        if self._seen != counters:  # a race reads it several times between two slices
            if self._first is not None:
                self._seen_done = self._first.fraction_done
            else:
                self._seen_done = float(self._kernel.fraction_done(self._state))
            self._seen = counters
        return self._seen_done

    @property
    def projected(self) -> float:
        """The expected total work: by random descents, or by the fraction done; see `SLOW`."""
        done = self.done
        if self.limit:
            done = max(done, min(1.0, self.num_solutions / self.limit))
        remaining = self.work * (1 - done) / done if done else math.inf
        if self.is_slow and done < 1:
            remaining = LONGER * max(self.work, remaining)
        if not self.limit and self.work < self.foreseen:
            remaining = max(remaining, (1 - done) * self.foreseen)
        if not self.limit and self.work < self.most_foreseen:
            remaining = min(remaining, (1 - done) * self.most_foreseen)
        return max(self.work + remaining, self.expected)

    @property
    def is_close(self) -> bool:
        """Whether `foreseen` is used instead of the fraction done, up to that work."""
        return 0 < self.foreseen == self.most_foreseen

    @property
    def foresight_work(self) -> float:
        """The units of work of the next call of `foresee`, about."""
        return self._foresight.work

    def foresee(self) -> None:
        """Estimate the work of all of the search by random descents, more each time."""
        node_work, largest = self.work / max(1, self.nodes), sys.float_info.max
        self.foreseen, self.most_foreseen = (
            min(nodes * node_work, largest) for nodes in self._foresight.descend(self.name)
        )

    def open_branches(self) -> list[Branch]:
        """Return what is left of the search, in its order."""
        if self._first is not None:
            return list(self._first.open_branches())
        return [] if self.ended else self._kernel.open_branches(self._state, 1.0)

    def advance(self, work: int) -> None:
        """Continue for about `work` units, at most to the end or the limit."""
        room = UNLIMITED if self.limit is None else min(UNLIMITED, self.limit - self.num_solutions)
        if self.ended or room <= 0:
            return
        if not self.updates:  # a short call, to learn how much work an update is with its nodes
            self._advance(work // FIRST_PART, room)
            room -= self.num_solutions
        if room > 0 and not self._counter(EXHAUSTED):
            budget = max(1, int(work * self.updates / max(1, self.work)))
            self._advance(budget, room)
        self._look_back()

    @property
    def is_slow_to_return(self) -> bool:
        """Whether `advance` may take long, so that it has to check `is_over`."""
        return self._first is not None or self.has_short_calls

    @property
    def has_short_calls(self) -> bool:
        """Whether a node looks at thousands of items, so that a call of the kernel is short."""
        return self._problem.num_primary > MANY_ITEMS and self.name != "bits"

    def _advance(self, budget: int, room: int) -> None:
        """Call the kernel, once or several times: the search ends at the same node."""
        while self._first is not None:
            before = self.updates
            room -= self._first.advance(min(budget, self._first.slice), room)
            budget -= self.updates - before
            if budget <= 0 or room <= 0 or self.ended or self.is_over():
                return
            if self._first.is_spent or (self.limit is None and self._first.is_too_long):
                self._end_first_steps()
        if not self.has_short_calls:
            self._kernel.advance(self._state, budget, room, self._listing)
            return
        longest = MOST_LOOKS // self._problem.num_primary
        while True:
            before = self.nodes + self.updates
            part = min(longest, budget)
            room -= self._kernel.advance(self._state, part, room, self._listing)
            budget -= max(part, self.nodes + self.updates - before)
            if budget <= 0 or room <= 0 or self.ended or self.is_over():
                return

    def _look_back(self) -> None:
        """Compare the fraction done with that at half of the work."""
        work, done = self._mark
        if self.work >= 2 * work:
            now = self.done
            self._mark = self.work, now
            self.is_slow = now < SLOW * done

    def complete_some(self, work: int) -> None:
        """Do nothing: each solution is counted when it is visited."""

    def release(self) -> None:
        """Do nothing: the state of a search is small."""

    def pack(self, store: Store) -> Record:
        """Return the record of the search."""
        self._end_first_steps()
        foresight = [self.foreseen, self.most_foreseen, *self._foresight.pack()]
        mark = [*self._mark, self.is_slow]
        record: Record = {"kernel": self.name, "arrays": None, "mark": mark, "foresight": foresight}
        if self._state is not None:
            fields = self._state._asdict()
            arrays = {name: fields[name] for name in self._kernel.changing}
            record["arrays"] = store.put(arrays)
        return record

    @classmethod
    def unpack(
        cls, problem: Problem, given: tuple[int, ...], record: Record, store: Store
    ) -> PlainSearch:
        """Return the search from a record made by `pack`; raise ValueError if it is invalid."""
        search = cls(problem, given, str(record["kernel"]))
        search._end_first_steps()
        if search.name != record["kernel"] or (search._state is None) != (record["arrays"] is None):
            raise ValueError("a search by another kernel")
        if search._state is not None:
            none = np.zeros((0, 0), np.int32)
            saved = SavedSearch(search.name, [], 0.0, none, store.get(record["arrays"]))
            saved.restore(search._kernel, search._state, "")
        foreseen, most_foreseen, *descents = record["foresight"]
        search.foreseen, search.most_foreseen = float(foreseen), float(most_foreseen)
        search._foresight.unpack(descents)
        if not 0 <= search.foreseen <= search.most_foreseen < math.inf:
            raise ValueError("an estimate out of range")
        work, done, search.is_slow = record["mark"]
        search._mark = as_count(work), float(done)
        if not 0 <= float(done) <= 1 or type(search.is_slow) is not bool:
            raise ValueError("a mark out of range")
        return search


class SumOfProducts:
    """Counts components in turns. Their numbers multiply; the products of all terms add up.

    Parameters
    ----------
    terms : list of lists of Method
        The components that each choice leaves. Terms may share components.

    Attributes
    ----------
    terms : list of lists of Method
    components : list of Method
        Each component once.
    """

    smallest_step = 0

    def __init__(self, terms: list[list[Any]]) -> None:
        self.terms: list[list[Any]] = terms
        self.components: list[Any] = list({id(c): c for term in terms for c in term}.values())
        self._times = [Counter(term) for term in terms]  # of each component
        self._open = deque(deque(term) for term in self.terms)

    @property
    def name(self) -> str:
        """The names of all methods that took part."""
        names = {name for component in self.components for name in component.name.split("+")}
        return "+".join(sorted(names)) or "sweep"

    @property
    def work(self) -> int:
        """Units of work done."""
        return sum(component.work for component in self.components)

    @property
    def figures(self) -> Figures:
        """Those of all components."""
        return together(component.figures for component in self.components)

    @property
    def ended(self) -> bool:
        """Whether every term is known."""
        return not self._open

    @property
    def num_solutions(self) -> int:
        """The sum of the products of the components' numbers."""
        return sum(math.prod(c.num_solutions**n for c, n in t.items()) for t in self._times)

    @property
    def done(self) -> float:
        """The mean over all components."""
        if self.ended:
            return 1.0
        return float(sum(c.done for c in self.components) / max(1, len(self.components)))

    @property
    def projected(self) -> float:
        """The work of all components."""
        return float(sum(component.projected for component in self.components))

    def advance(self, work: int) -> None:
        """Advance the next component of the next term."""
        # An interrupt may come between any two of these lines.
        term = self._open[0]
        if term and not term[0].ended:
            term[0].advance(work)
            if not term[0].ended:
                term.rotate(-1)
        while term and term[0].ended:
            if term[0].num_solutions:
                term.popleft()
            else:
                term.clear()
        if term:
            self._open.rotate(-1)
        else:
            self._open.popleft()

    def complete_some(self, work: int) -> None:
        """Complete solutions of components, of those without one first."""
        going = [component for component in self.components if not component.ended]
        going.sort(key=lambda component: component.num_solutions > 0)
        most = min(100, len(going))
        for k, component in enumerate(going):  # all of them wait for a slice in another thread
            component.complete_some(work // most if k < most else 0)

    def release(self) -> None:
        """Free the memory of all components."""
        for component in self.components:
            component.release()

    def pack(self, store: Store) -> Record:
        """Return the record of all components, and of the terms that are not known yet."""
        number = {id(component): k for k, component in enumerate(self.components)}
        records = [c.pack(store) if store.is_new(c) else None for c in self.components]
        return {
            "components": records,
            "open": [[number[id(c)] for c in term] for term in self._open],
        }

    def unpack(self, record: Record, store: Store) -> None:
        """Continue from a record; raise ValueError if it is of other components."""
        for component, entry in zip(self.components, record["components"], strict=True):
            if store.is_new(component) != (entry is not None):
                raise ValueError("components that are shared in another way")
            if entry is not None:
                component.unpack(entry, store)
        terms = record["open"]
        if len(terms) > len(self.terms):
            raise ValueError("more terms than there are")
        own_terms = [[self.components[as_count(k)] for k in term] for term in terms]
        self._open = deque(deque(term) for term in own_terms)


class Finished:
    """The result of a method that has ended, read from a file.

    Parameters
    ----------
    record : dict
        What `pack` returned.
    """

    smallest_step = 0
    ended = True
    done = 1.0

    def __init__(self, record: Record) -> None:
        self.name = str(record["name"])
        self.num_solutions = as_total(record["solutions"])
        self.figures = as_figures(record["numbers"], record)
        self.work = self.figures.work
        self.projected = float(self.work)

    def advance(self, work: int) -> None:
        """Do nothing."""

    def complete_some(self, work: int) -> None:
        """Do nothing."""

    def release(self) -> None:
        """Do nothing."""

    @staticmethod
    def pack_of(method: Method) -> Record:
        """The record of a method that has ended."""
        *numbers, short_of_memory = method.figures
        return {
            "name": method.name,
            "solutions": digits(method.num_solutions),
            "numbers": numbers,
            "short_of_memory": short_of_memory,
        }

    def pack(self, store: Store) -> Record:
        """The same record again."""
        return self.pack_of(self)
