"""Race: several exact methods count a component in turns; the first to end gives the number.

The methods are plain search, sweeps over merged states (`sweep_kernel`), and sums over the choices
among a few options (`cuts`). Which one is fastest depends on the problem, by factors of thousands,
and is not known beforehand. So each method works for a slice of work at a time, and its progress
gives an estimate of its total work: a good one for plain search, a rough one for a sweep. A sweep
gets further slices while its expected work is much less than that of plain search. A sweep that is
given up has taken a few per cent of the work.

All decisions compare units of work (`methods`), so they are the same on every machine and in every
run.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from dlx.count import cuts, orders
from dlx.count.components import components
from dlx.count.memory import MemoryAccount, limit_for
from dlx.count.methods import (
    Contender,
    Figures,
    Finished,
    Method,
    PlainSearch,
    SumOfProducts,
    as_figures,
    together,
)
from dlx.count.numbering import canonical
from dlx.count.remainder import Remainder, masks_size, remainder_of
from dlx.count.saved import Record, Store, as_count
from dlx.count.sweep import Sweep
from dlx.problem import Problem

# All work is in the units of `methods`, about a nanosecond each.

FIRST_SLICE, SLICE = 1_000_000, 20_000_000
"""Work of a method's first and of its largest slices. SLICE limits the delay of Ctrl-C."""

SHORT, ITEM_WORK, ENTRY_WORK, SLOW_SHARE = 40_000_000, 50_000, 10_000, 0.5
"""A search is short, and no other method is prepared, while its remaining work is below the largest
of SHORT, ITEM_WORK for each primary item, and ENTRY_WORK for each entry; a slow one, below
SLOW_SHARE of that. ITEM_WORK and ENTRY_WORK are twice the cost of numbering the items, comparing
orders and preparing the sweeps."""

UNCERTAIN_WORK = 4_000_000
"""Before UNCERTAIN_WORK units of work the estimate of a search is uncertain: then the limit above
is multiplied by UNCERTAIN_WORK / work."""

FORESIGHT_EXPECTED, FORESIGHT_SHARE, FORESIGHT_WORK = 0.03, 0.5, 50_000_000
"""Random descents estimate a search if they take at most FORESIGHT_EXPECTED of the expected work,
FORESIGHT_SHARE of the work so far, and FORESIGHT_WORK units, by which Ctrl-C may be delayed."""

TRIAL_SHARE, PROMISE = 0.01, (0.3, 0.9)
"""A sweep gets slices until it has done TRIAL_SHARE of the expected work of plain search; after
that only if its remaining work is less than a factor times that of the search. The factor rises
from the first number of PROMISE at the beginning of the sweep, where its estimate is rough, to the
second one at its end."""

LEAST_SEARCH = 0.05
"""Plain search does at least this share of the work of the sweeps, which improves its estimate and
the lower bound."""

LEAST_SWEEP = 0.1  # the least work of a sweep that gets slices, as a share of the most of another

CUT_WORK, CUT_ENTRY_WORK = 500_000_000, 50_000
"""A cut is sought after CUT_WORK, and CUT_ENTRY_WORK for each entry: ten times its cost."""

SECOND_WORK, SECOND_TIMES, SECOND_MEMORY, EXCEEDED = 1_000_000_000, 4, 1 << 29, 4
"""A second sweep, in another order, begins if the first one has done SECOND_WORK, is expected to
take at least SECOND_TIMES its work so far in addition, and SECOND_MEMORY bytes are free. If the
first one has done more than EXCEEDED times the work that the walks estimated, SECOND_TIMES /
EXCEEDED times its work so far is enough."""

MARGIN, LEAST_MARGIN = 16, 1 << 27
"""Two methods run at the same time if half of the memory limit has room for `MARGIN` times what the
first one holds, and for `LEAST_MARGIN` bytes more: then neither one is short of memory."""

KnownComponents = WeakValueDictionary[tuple[object, ...], "ComponentCount"]
C = TypeVar("C", bound=Contender)


def slice_of(method: Contender) -> int:
    """The work of a method's next slice: more once it has done much."""
    return min(SLICE, max(FIRST_SLICE, method.work // 4))


def preparation(num_primary: int, num_entries: int) -> int:
    """Twice the work to number the items, compare orders and prepare the sweeps."""
    return max(ITEM_WORK * num_primary, ENTRY_WORK * num_entries)


def short_search(problem: Problem, factor: float = 1.0) -> float:
    """The remaining work of a plain search up to which no other method is prepared.

    Parameters
    ----------
    problem : Problem
    factor : float
        Scales SHORT.
    """
    return max(factor * SHORT, preparation(problem.num_primary, problem.num_entries))


def is_short(search: PlainSearch, problem: Problem, factor: float = 1.0) -> bool:
    """Whether a search has just begun, or is expected to end soon; `factor` scales SHORT."""
    if search.work < FIRST_SLICE:
        return True
    left = search.projected - search.work
    margin = SLOW_SHARE if search.is_slow else max(1, UNCERTAIN_WORK / search.work)
    return left < margin * short_search(problem, factor)


def continues_alone(search: PlainSearch, problem: Problem, factor: float = 1.0) -> bool:
    """Whether a search is expected to end soon, using random descents if those are cheap."""
    if is_short(search, problem, factor):
        return True
    return foresee(search, search.work, search.projected) and is_short(search, problem, factor)


def foresee(search: PlainSearch, work: int, expected: float) -> bool:
    """Estimate a search by random descents, unless that is done or would take long.

    Parameters
    ----------
    search : PlainSearch
    work : int
        Of all methods so far.
    expected : float
        Of all methods to the end, about.
    """
    most = min(FORESIGHT_EXPECTED * expected, FORESIGHT_SHARE * work, FORESIGHT_WORK)
    if search.is_close or search.foresight_work > most:
        return False
    search.foresee()
    return True


def choose(search: C | None, others: Sequence[C]) -> C:
    """The method to advance next.

    Parameters
    ----------
    search : Method or None
        The plain search, if it takes part.
    others : sequence of Method
        At least one if there is no plain search.
    """
    spent = sum(method.work for method in others)
    if search is not None:
        others = promising(search, others)
        if not others or search.work < LEAST_SEARCH * spent:
            return search
    behind = min(others, key=lambda method: method.work)
    if behind.work < LEAST_SWEEP * max(method.work for method in others):
        return behind
    return min(others, key=expected_total)


def expected_total(method: Contender) -> float:
    """The expected work of a method; infinite before anything is known."""
    return method.projected or math.inf


def turn(search: C | None, others: Sequence[C]) -> list[C]:
    """The method to advance next, and the one that is expected to end first, if it is another one.

    With threads both are advanced at the same time.
    """
    chosen = choose(search, others)
    worth = others if search is None else promising(search, others)
    best = min(worth, key=expected_total, default=chosen)
    return [chosen] if best is chosen else [chosen, best]


def promising(search: Contender, others: Sequence[C]) -> list[C]:
    """The methods that get slices beside a plain search, see `TRIAL_SHARE`."""
    expected = search.projected
    left = expected - search.work
    return [
        method
        for method in others
        if method.work + method.smallest_step < TRIAL_SHARE * expected or is_promising(method, left)
    ]


def is_promising(method: Contender, left: float) -> bool:
    """Whether a sweep is likely to end before a search that has `left` units of work left."""
    begin, end = PROMISE
    return method.projected - method.work < (begin + (end - begin) * method.done) * left


def least_left(methods: Sequence[Contender]) -> float:
    """The least remaining work of these methods; infinite if none is known."""
    return min((expected_total(method) - method.work for method in methods), default=math.inf)


def part_left(method: Contender) -> float:
    """The fraction of its work that a method has left; 1 if that is not known."""
    return 1 - method.work / method.projected if method.projected else 1.0


class ComponentCount:
    """A count of one component by a race of methods; itself a `Method`.

    Parameters
    ----------
    problem : Problem
        The component, in canonical numbering.
    method : "auto" or "sweep"
        Whether plain search takes part.
    account : MemoryAccount
    known : mapping
        The components of the whole count by their arrays: equal ones are counted once.
    search : PlainSearch, optional
        A search in another numbering, begun by the caller. It continues as the plain search of the
        race; its figures are then part of those of the race, but the caller saves it.
    """

    smallest_step = 0

    def __init__(
        self,
        problem: Problem,
        method: str,
        account: MemoryAccount,
        known: KnownComponents,
        *,
        search: PlainSearch | None = None,
    ) -> None:
        self.problem = problem
        self._method = method
        self._account = account
        self._known = known
        self._begun = search is not None
        self._search: PlainSearch | None = None
        if method == "auto":
            self._search = search or PlainSearch(problem, (), "auto")
        self._others: list[Any] | None = None  # until they are prepared
        self._remainder: Remainder | None = None  # until a cut has been sought
        self._orders: orders.Orders | None = None
        self._comparison: Iterator[None] | None = None  # of orders, until it has ended
        self._first: Sweep | None = None
        self._second: Sweep | None = None  # another one, by another order
        self._leader: Method | None = self._search
        self._elsewhere = 0  # units of work of plain search by other workers
        # of methods that were released; short of memory also if there is none for the masks
        self._released = Figures()
        self._lock = threading.Lock()  # is held by a slice in another thread
        self._slices = 0  # so far: one that comes late is left out
        self.users = 0  # sums of products that it is a part of
        self.is_released = False  # before it had ended: it cannot continue

    @property
    def _methods(self) -> list[Method]:
        search, others = self._search, self._others  # read once: a thread may end the race
        return ([] if search is None else [search]) + (others or [])

    @property
    def name(self) -> str:
        """The name of the method that led last."""
        return "sweep" if self._leader is None else self._leader.name

    @property
    def work(self) -> int:
        """Units of work of all methods."""
        return self._released.work + sum(method.work for method in self._methods)

    @property
    def figures(self) -> Figures:
        """Those of all methods."""
        return together([self._released, *(method.figures for method in self._methods)])

    @property
    def ended(self) -> bool:
        """Whether the number is exact."""
        return self._leader is not None and self._leader.ended

    @property
    def num_solutions(self) -> int:
        """A lower bound, exact once the race has ended."""
        return max((method.num_solutions for method in self._methods), default=0)

    @property
    def done(self) -> float:
        """The fraction done of the leading method, by its estimate."""
        return 0.0 if self._leader is None else self._leader.done

    @property
    def search_leads(self) -> bool:
        """Whether plain search alone gets slices, and no orders are to be compared."""
        if self._search is None or self._others is None:
            return False
        return not promising(self._search, self._others) and not self._orders_due()

    @property
    def projected(self) -> float:
        """The work done by all methods, and the least remaining work of one."""
        if self.ended:
            return self.work
        left = (method.projected - method.work for method in self._methods)
        return self.work + max(0.0, min(left, default=0.0))

    def advance(self, work: int) -> None:
        """Advance one method or two by a slice of about `work` at most.

        With threads, two methods run at the same time. If the first one ends, the slice of the
        second one is not counted: all figures are the same for any number of threads. While orders
        are compared, a step of that takes the place of a slice.
        """
        if self.ended:
            return
        self._settle()
        if self._compare_orders():
            return
        first, *second = self._next()
        figures = {id(method): method.figures for method in second}
        if second and self._account.jobs > 1 and self._may_run_in_parallel(first):
            self._slices += 1
            slice_ = self._account.workers().submit(self._advance, first, work, self._slices)
            self._leader = second[0]
            second[0].advance(min(work, slice_of(second[0])))
            if slice_.cancel():  # no thread had time for it
                self._advance(first, work, self._slices)
            else:
                slice_.result()
        else:
            for method in (first, *second):
                self._leader = method
                method.advance(min(work, slice_of(method)))
                if method.ended:
                    break
        if first.ended:
            self._leader = first
            self._release_all(first, figures)
        elif second and second[0].ended:
            self._release_all(second[0], {})

    def _may_run_in_parallel(self, method: Method) -> bool:
        """Whether a method may run in another thread.

        Only if both have plenty of memory: then neither result depends on the order of allocations.
        """
        account = self._account
        if account.spill is not None or not isinstance(method, PlainSearch | Sweep):
            return False
        return MARGIN * method.held + LEAST_MARGIN <= account.limit // 2 - account.used

    def _advance(self, method: Method, work: int, number: int) -> None:
        with self._lock:
            if number == self._slices:
                method.advance(min(work, slice_of(method)))

    def _settle(self) -> None:
        """Wait for a slice that an interrupt has left in another thread."""
        with self._lock:
            self._slices += 1

    def complete_some(self, work: int) -> None:
        """Spend about `work` units, for each method, on a better lower bound."""
        if not self.ended:
            self._settle()
            for method in self._methods:
                method.complete_some(work)

    def learn(self, work: int, expected: float) -> None:
        """Set the work of plain search by other workers, and its expected total work."""
        self._elsewhere = work
        if self._search is not None:
            self._search.expected = expected

    def release(self) -> None:
        """Give the memory of all methods back, when the last user has called this."""
        self.users -= 1
        self._settle()
        if self.users <= 0 and not self.ended:
            self.is_released = True
            for method in self._others or []:
                method.release()

    def pack(self, store: Store) -> Record:
        """What a file keeps of the count."""
        if self.ended:
            return {"ended": Finished.pack_of(self)}
        self._settle()
        self._follow_orders()
        others = self._others
        search = None if self._begun else self._search
        return {
            "search": None if search is None else search.pack(store),
            "others": None if others is None else [method.pack(store) for method in others],
            "comparisons": [] if self._orders is None else self._orders.comparisons,
            "comparing": self._comparison is not None,
            "second": self._second is not None,
            "cut_sought": others is not None and self._remainder is None,
            "leader": None if self._leader is None else self._methods.index(self._leader),
            "released": self._released[:-1],
            "short_of_memory": self._released.short_of_memory,
        }

    def unpack(self, record: Record, store: Store) -> None:
        """Continue from a record; raise ValueError if it is of another component."""
        if "ended" in record:
            self._search, self._leader = None, Finished(record["ended"])
            self._others = [self._leader]
            return
        own_search = self._search is not None and not self._begun
        if own_search != (record["search"] is not None):
            raise ValueError("another choice of methods")
        if own_search:
            self._search = PlainSearch.unpack(self.problem, (), record["search"], store)
        if record["others"] is not None:
            self._others = self._prepare()
            for number, left in record["comparisons"][: orders.CLOSEST]:
                self._repeat_comparison(as_count(number), float(left))
            if record["second"]:
                self._add_second()
            if record["cut_sought"]:
                self._seek_cut()
            for method, entry in zip(self._others, record["others"], strict=True):
                method.unpack(entry, store)
        leader = record["leader"]
        self._leader = None if leader is None else self._methods[as_count(leader)]
        is_short = Figures(short_of_memory=self._released.short_of_memory)  # for the masks
        self._released = together([is_short, as_figures(record["released"], record)])
        if record["comparing"]:
            self._begin_comparison()  # an early lower bound may have put it off: it changes `_left`

    def _release_all(self, winner: Method, figures: dict[int, Figures]) -> None:
        """Free the memory of all methods, the winner among them, whose result is kept.

        `figures` replaces the figures of some methods.
        """
        losers = [method for method in self._methods if method is not winner]
        self._search, self._others, self._orders, self._second = None, [winner], None, None
        for method in losers:
            self._release(method, figures.get(id(method)))
        winner.release()

    def _release(self, method: Method, figures: Figures | None = None) -> None:
        self._released = together([self._released, figures or method.figures])
        method.release()

    def _compare_orders(self) -> bool:
        """Prepare the methods if it is time for that; compare orders, if that is due.

        Returns
        -------
        bool
            Whether a comparison continues.
        """
        search = self._search
        self._follow_orders()  # an interrupt may have come before it did
        if self._comparison is None:
            if self._others is None:
                if search is not None and not self._begun and continues_alone(search, self.problem):
                    return False
                self._others = self._prepare()
            work = self.work + self._elsewhere
            if search is not None:
                foresee(search, work, work + min(self._left()))
            if not self._begin_comparison():
                if self._orders is not None and self._account.jobs > 1:
                    self._orders.start_ahead(work, *self._left())
                return False
        assert self._comparison is not None
        try:
            next(self._comparison)
        except StopIteration:
            self._follow_orders()
            self._comparison = None
            return False
        except BaseException:  # an interrupt has ended it
            self._begin_comparison()
            raise
        return True

    def _begin_comparison(self) -> bool:
        """Begin to compare orders, if that is due; return whether it is."""
        number = self._orders_due()
        self._comparison = None
        if number:
            assert self._orders is not None and self._first is not None
            self._comparison = self._orders.compare(number, part_left(self._first))
        return number > 0

    def _next(self) -> list[Method]:
        """The methods to advance next, one or two."""
        if self._others is None:
            assert self._search is not None
            return [self._search]
        if self._second_is_due():
            self._add_second()
        if self._remainder is not None and self.work + self._elsewhere > max(
            CUT_WORK, CUT_ENTRY_WORK * self.problem.num_entries
        ):
            self._seek_cut()
        methods: list[Method] = turn(self._search, self._others)
        return methods

    def _prepare(self) -> list[Any]:
        """The sweep in the best order, unless its masks alone are too large."""
        remainder = self._remainder = remainder_of(self.problem, ())
        limit = self._account.limit
        size = masks_size(remainder)
        if size <= limit // 4:
            search_left, _ = self._left()
            self._orders = orders.Orders(remainder, account=self._account, search_left=search_left)
            self._first = self._sweep(self._orders.chosen)
            return [self._first]
        if self._search is None:  # the limit that is named is enough for all components
            others = (masks_size(remainder_of(one.problem, ())) for one in self._known.values())
            size = max([size, *others])
            raise MemoryError(
                f"the options take {size} bytes: the memory limit must be at least"
                f" {limit_for(4 * size)} bytes"
            )
        self._released = self._released._replace(short_of_memory=True)
        return []

    def _orders_due(self) -> int:
        """How many orders to compare now."""
        work = self.work + self._elsewhere
        if self._orders is None or self._others is None or work < self._orders.cost:
            return 0
        return self._orders.due(work, *self._left())

    def _left(self) -> tuple[float, float]:
        """The work that plain search and the best sweep have left, about."""
        search = self._search
        search_left = math.inf if search is None else search.projected - search.work
        return search_left, least_left(self._others or [])

    def _second_is_due(self) -> bool:
        """Whether the first sweep is slow, and there is room for a second one."""
        first, account = self._first, self._account
        if first is None or self._second is not None or account.spill is not None:
            return False
        if first.work < SECOND_WORK:
            return False
        assert first.expected is not None
        exceeded = first.work > EXCEEDED * first.expected.total
        times = SECOND_TIMES / EXCEEDED if exceeded else SECOND_TIMES
        if first.projected < (1 + times) * first.work:
            return False
        size = sum(array.nbytes for array in first.masks)
        return max(SECOND_MEMORY, 4 * size) <= account.free

    def _add_second(self) -> None:
        """Add a sweep in the second best order, since the estimates of orders are uncertain."""
        assert self._orders is not None and self._others is not None
        second = self._sweep(self._orders.second())
        # no interrupt can come between these assignments, as no call does
        self._second, self._others = second, [self._others[0], second, *self._others[1:]]

    def _repeat_comparison(self, number: int, left: float) -> None:
        """Compare orders as before a count was saved."""
        if self._orders is None:
            raise ValueError("a comparison of no orders")
        deque(self._orders.compare(number, left), maxlen=0)
        self._follow_orders()

    def _follow_orders(self) -> None:
        """Make the first sweep one in the chosen order, also after an interrupt."""
        before = self._first
        if self._orders is None or self._others is None or before is None:
            return
        order = self._orders.chosen
        if order.masks is before.masks:
            before.expected = order.expected
            return
        after = self._sweep(order)
        others = [after if method is before else method for method in self._others]
        leader = after if self._leader is before else self._leader
        # no interrupt can come between these assignments, as no call does
        self._first, self._others, self._leader = after, others, leader
        self._release(before)

    def _sweep(self, plan: orders.Plan) -> Sweep:
        return Sweep(plan.masks, self._account, expected=plan.expected)

    def _seek_cut(self) -> None:
        assert self._remainder is not None and self._others is not None
        terms = cuts.split(self.problem, self._remainder)
        others = self._others
        if terms:
            products = sum_of_products(terms, self._method, self._account, self._known)
            others = [*others, products]
        # no interrupt can come between these assignments, as no call does
        self._others, self._remainder = others, None


def sum_of_products(
    terms: list[list[Problem]], method: str, account: MemoryAccount, known: KnownComponents
) -> SumOfProducts:
    """The counts of all components of all terms, equal components once."""

    def count(problem: Problem) -> ComponentCount:
        problem = canonical(problem)
        arrays = (problem.start, problem.item, problem.colour)
        key = (problem.num_primary, *(values.tobytes() for values in arrays))
        component = known.get(key)
        if component is None or component.is_released:
            component = known[key] = ComponentCount(problem, method, account, known)
        return component

    distinct = {id(problem): problem for term in terms for problem in term}
    counts = {key: count(problem) for key, problem in distinct.items()}
    products = SumOfProducts([[counts[id(problem)] for problem in term] for term in terms])
    for component in products.components:
        component.users += 1
    return products


def whole_count(
    problem: Problem,
    given: tuple[int, ...],
    method: str,
    account: MemoryAccount,
    search: PlainSearch,
) -> ComponentCount | SumOfProducts:
    """The count of what given options, compatible with each other, leave of a problem.

    Parameters
    ----------
    problem, given, method, account
        As for `ComponentCount`.
    search : PlainSearch
        A search of the whole problem that is not short. It continues if all is one component.
    """
    problems = components(remainder_of(problem, given))
    known: KnownComponents = WeakValueDictionary()
    if len(problems) == 1:
        return ComponentCount(canonical(problems[0]), method, account, known, search=search)
    return sum_of_products([problems], method, account, known)
