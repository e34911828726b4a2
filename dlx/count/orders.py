"""Orders of the primary items for a sweep, chosen by sampled numbers of states.

When the items before some place are covered, two partial solutions differ only in the later items
that their options have reached: the frontier there. A frontier of f bits has at most 2**f states,
but often far fewer, and two orders with equal frontiers may differ by a factor of ten. So the
states of each candidate are estimated by sampling: by how often random walks through a layer meet
in one state. That takes milliseconds. With some thousand walks, estimates were mostly within a
factor of four. With too few, no walks meet, and there is no estimate.

Tried and left out: the sum of 2**width over all places, which prefers the worse order for Langford
pairs and does not distinguish those of the Soma cube (a factor of 12); the user's own order, which
may be good, or worse by any factor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from dlx.count import order_kernel as kernel
from dlx.count.memory import MemoryAccount
from dlx.count.remainder import Remainder, bit_rows, masks, masks_size, unite_rows
from dlx.count.sweep import Expected
from dlx.count.sweep_kernel import (
    LOOKUP_WORD_WORK,
    LOOKUP_WORK,
    STATE_WORK,
    TEST_WORK,
    Masks,
)
from dlx.count.symmetry import with_exchanges

Array = npt.NDArray[Any]
A = TypeVar("A")
R = TypeVar("R")

MOST_BITS, MOST_BITS_ANYWHERE = 1 << 14, 1 << 10
"""With more than MOST_BITS bits, neighbours take too much memory, and no greedy order is made; with
more than MOST_BITS_ANYWHERE, only one is, and no quick sweep is tried: to look at all items at each
step takes too long."""

WALKS = 1 << 7, 1 << 11  # for each order: in the first comparison, and where exchanges are sought
FEW_WALKS = 1 << 7, 1 << 9  # where the difference is large
NARROWEST = 8  # the number of orders compared first, those with the least bounds
COMPARED = 1 << 28
"""The most bytes that their masks have together, as to make these takes some tenths of a second:
where the masks of one order are larger, fewer orders are compared."""
KEPT = 1 << 24  # bytes that the masks of all of these may take together
THREADED_STEPS = 1 << 15  # steps of all walks together, from which several threads follow them
MOST_AHEAD = 1 << 18  # primary items times entries up to which exchanges are sought ahead of time
# in another thread: in some 0.1 s, by which Ctrl-C may be delayed
CLOSEST = 4  # orders whose exchanges are sought, at most
LAYER_WORK, LAYER_ENTRY_WORK = 100_000, 15  # units of work to seek the exchanges of a layer, and
# for each entry
WALKS_WORK, WALKS_BUDGET = 4_000_000, 20_000_000
"""Units of work of the walks that compare an order with the same order and its exchanges, and with
other orders. With fewer of the latter, a Steiner system took seven times as long."""
AHEAD_FROM, AHEAD_SHARE, AHEAD_WORK = 1_000_000, 0.25, 4_000_000
"""If the first order is expected to take more than AHEAD_FROM units of work, walks estimate its
layers more closely, spending AHEAD_SHARE of that work, at most AHEAD_WORK units."""
SHARE_OF_SEARCH, SHARE_OF_SWEEP = 0.04, 0.07
"""At most min(SHARE_OF_SEARCH x remaining search work, SHARE_OF_SWEEP x remaining sweep work) is
spent on exchanges. The estimate of the sweep is often too low."""
FIRST_SHARES = 0.075, 0.25  # instead, for the first order if the sweep is expected to end first

CHAINED_RULES = (
    kernel.FIRST_REACHED,
    kernel.MOST_ADVANCED,
    kernel.MOST_ADVANCED,
    kernel.FIRST_REACHED,
)
"""Greedy orders, of which each begins where the one before ended. Among sequences of two to four
rules, this one is close to the narrowest frontiers on 80 problems, in most of 12 namings. Of 52
random problems, nine took 0.63 to 0.97 times the work with them, five 1.04 to 1.46 times, and
`sppnw11` (docs/counting.md) 0.5 times."""

QUICK_RULES = (*CHAINED_RULES, kernel.ANYWHERE)
"""The orders of a quick sweep (`quick`). The last one has the narrowest frontier for some matchings
and Latin rectangles: with it, three of 50 problems took 0.33 to 0.74 times as long, and none took
longer. Among the orders of the other sweeps it made `sppnw11` take twice as long."""

SEED = np.uint64(88172645463325252)
"""One sequence of random numbers for all walks of an order. With a sequence for each part of the
walks, an order of a Steiner system was estimated too low, and its count took ten times as long."""

LONG_WALK = 1 << 13
"""Words of the states that a walk visits, in two milliseconds; of longer walks, fewer are followed.
So those of an order take up to a quarter of a second, by which time limits are delayed."""
WALKS_CALL = 1 << 24  # units of work of the walks that one call of the kernel follows: 0.05 s
OPTIONS_OF_STATE = 64  # a state takes about as long as this number of options
STEP_WORK = 100_000_000  # of a step of a comparison, about; limits of time wait for its end
UNSURE = 4  # an estimate for which too few walks met is multiplied by this
EQUAL_FACTOR = 1.3  # estimates that differ by less than this factor count as equal
BETTER = 0.9  # the chosen order's exchanges are used if they leave less than this part of the work
MUCH_BETTER = 0.4  # another order is used if it leaves less than this part: the ratio of two
# estimates may be wrong by more than two, where walks meet mostly in a few states


class Plan(NamedTuple):
    """A sweep in some order.

    Attributes
    ----------
    masks : Masks
    expected : Expected
    """

    masks: Masks
    expected: Expected


class Orders:
    """The candidate orders; the more work a count has left, the more of them are examined.

    The first comparison takes milliseconds. Later ones seek exchanges (`symmetry`), which may
    reduce the number of states by a factor of thousands, but take a tenth of a second for each
    order.

    Parameters
    ----------
    remainder : Remainder
    merge : bool
        Whether equal options and equal states may be merged: not for a diagram.
    account : MemoryAccount, optional
        Has the threads. Each order has one sequence of random numbers, followed by one thread, so
        they change no estimate.
    search_left : float
        The work that plain search has left, about; infinite if unknown.

    Attributes
    ----------
    chosen : Plan
        The best order so far.
    cost : int
        Units of work to seek the exchanges of one order: none are sought before a count has done
        this much work.
    comparisons : list of (int, float)
        The arguments of each call of `compare` so far.
    """

    def __init__(
        self,
        remainder: Remainder,
        *,
        merge: bool = True,
        account: MemoryAccount | None = None,
        search_left: float = math.inf,
    ) -> None:
        self._remainder = remainder
        self._merge = merge
        self._account = account or MemoryAccount(0)
        self._orders = list(candidate_orders(remainder, self._account))
        self._closely: Plan | None = None  # what `_plan` made of those chosen
        self._ahead: Callable[[], tuple[Plan, Plan]] | None = None  # what `start_ahead` began
        self.comparisons: list[tuple[int, float]] = []
        self.chosen = self._first(WALKS[0])
        layers = np.count_nonzero(np.diff(self.chosen.masks.lowest))
        self.cost = WALKS_WORK + int(layers) * (LAYER_WORK + LAYER_ENTRY_WORK * len(remainder.bit))
        total, first = self.chosen.expected.total, self._orders[0]
        self._first_masks: Callable[[], Masks] = lambda: self._with_exchanges(first)
        if self._is_likely(0, search_left, UNSURE * total):
            self._first_masks = self._account.in_background(self._first_masks)
        if total > AHEAD_FROM:
            budget = int(min(AHEAD_SHARE * total, AHEAD_WORK))
            self.chosen = plan(self.chosen.masks, WALKS[1], budget)

    @property
    def sought(self) -> int:
        """The orders whose exchanges were sought."""
        return sum(number for number, _ in self.comparisons)

    def due(self, work: int, search_left: float, sweep_left: float) -> int:
        """How many orders to compare now; 0 for none.

        Parameters
        ----------
        work : int
            Of the count so far.
        search_left, sweep_left : float
            The work that plain search and the best sweep have left, about; infinite if unknown.
        """
        if work < self.cost:
            return 0
        for_search, for_sweep = SHARE_OF_SEARCH * search_left, SHARE_OF_SWEEP * sweep_left
        most = min(CLOSEST, len(self._orders))
        number = int(min(for_search, for_sweep, most * self.cost) // self.cost)
        for_search, for_sweep = FIRST_SHARES[0] * search_left, FIRST_SHARES[1] * sweep_left
        if sweep_left < search_left and min(for_search, for_sweep) >= self.cost:
            number = max(1, number)
        if not self.sought:
            number = min(number, 1)
        return max(0, number - self.sought)

    def start_ahead(self, work: int, search_left: float, sweep_left: float) -> None:
        """Start the first comparison in another thread, if it is likely to be due.

        Its result does not depend on the time or the thread.

        Parameters
        ----------
        work, search_left, sweep_left
            As for `due`.
        """
        begun = self._ahead is not None or self.sought > 0
        if not begun and self._is_likely(work, search_left, sweep_left):
            self._ahead = self._account.in_background(self._first_comparison)

    def _is_likely(self, work: int, search_left: float, sweep_left: float) -> bool:
        """Whether the first comparison, which is not due yet, is likely to be."""
        ahead, size = self.cost - work, self._remainder.num_primary * len(self._remainder.bit)
        if ahead <= 0 or size > MOST_AHEAD:
            return False
        return self.due(self.cost, search_left - ahead, sweep_left - ahead) > 0

    def _first_comparison(self) -> tuple[Plan, Plan]:
        """The first order with its exchanges, and without.

        Fewer walks are enough where exchanges leave much less.
        """
        current, exchanged = self.chosen, self._first_masks()
        for walks in FEW_WALKS:
            rough = plan(exchanged, walks)
            if rough.expected.sure and rough.expected.total < MUCH_BETTER * current.expected.total:
                return rough, current
        return plan(exchanged, WALKS[1], WALKS_WORK), plan(current.masks, WALKS[1], WALKS_WORK)

    def compare(self, number: int, left: float) -> Iterator[None]:
        """Seek the exchanges of `number` more orders; `chosen` is the best of them at the end.

        Nothing changes before its end, so it may be abandoned and begun again. It yields after each
        step but the last; the number of orders in a step depends on sizes alone.

        Parameters
        ----------
        number : int
        left : float
            The part of the sweep in the chosen order that is left, from 0 to 1.
        """
        begin, end = self.sought, self.sought + number
        ranked, chosen, planned = self._orders, self.chosen, None
        if begin > 0 and chosen is not self._closely:
            planned = self._account.in_background(partial(self._plan, chosen.masks))
        if begin <= 1 < end:
            ranked = yield from self._sorted(WALKS[1] // 2)
        better = []
        if begin == 0:
            exchanged, chosen = (self._ahead or self._first_comparison)()
            if exchanged.expected.total < BETTER * left * chosen.expected.total:
                better.append(exchanged)
        others = ranked[max(1, begin) : end]
        plans = yield from self._in_steps(self._exchanged, others, WALKS[1], self.cost)
        chosen = chosen if planned is None else planned()
        expected_left = left * chosen.expected.total
        better += [one for one in plans if one.expected.total < MUCH_BETTER * expected_left]
        chosen = min(better, key=_total, default=chosen)
        comparisons = [*self.comparisons, (number, left)]
        # no interrupt can come between these assignments, as no call does
        self.comparisons, self._orders, self.chosen, self._ahead = comparisons, ranked, chosen, None
        self._closely = chosen if begin > 0 else None

    def second(self) -> Plan:
        """The order that seems to be the best beside the one chosen at first.

        By many walks, among the orders whose frontiers are narrow.
        """
        others = sorted(self._orders[1:], key=lambda order: frontier_bound(self._remainder, order))
        estimates = self._each(self._estimate(WALKS[1]), others[:NARROWEST], WALKS[1])
        return self._plan(self._masks(others[estimates.index(min(estimates))]))

    def _plan(self, masks: Masks) -> Plan:
        return plan(masks, WALKS[1], WALKS_BUDGET)

    def _first(self, walks: int) -> Plan:
        """The best order by a few walks, or by the frontier where few of them met."""
        bounds = [frontier_bound(self._remainder, order) for order in self._orders]
        most = max(1, min(NARROWEST, COMPARED // (1 + masks_size(self._remainder))))
        near = sorted(range(len(bounds)), key=bounds.__getitem__)[:most]
        small = len(near) == 1 or self._fit(len(near))
        # threads would make them one after the other
        masks_of = {k: self._masks(self._orders[k]) for k in near} if small else {}

        def estimate(k: int) -> Expected:
            return plan(masks_of[k] if small else self._masks(self._orders[k]), walks).expected

        expected = dict(zip(near, self._each(estimate, near, walks), strict=True))
        ranked = sorted(near, key=lambda k: expected[k].total * (1 if expected[k].sure else UNSURE))
        if not expected[ranked[0]].sure:
            # Too few walks met for an estimate: the bound by the frontier decides.
            ranked.sort(key=bounds.__getitem__)
        # of estimates too close to compare, the one with the narrowest frontier
        least = EQUAL_FACTOR * expected[ranked[0]].total
        close = [k for k in ranked if expected[k].total <= least] or ranked[:1]
        best = min(close, key=bounds.__getitem__)
        self._orders.insert(0, self._orders.pop(best))
        return Plan(masks_of[best] if small else self._masks(self._orders[0]), expected[best])

    def _sorted(self, walks: int) -> Generator[None, None, list[Array]]:
        """The orders; all but the first one, which was chosen at first, sorted by more walks."""
        estimates = yield from self._in_steps(self._estimate(walks), self._orders, walks, 0)
        ranked = sorted(range(1, len(estimates)), key=estimates.__getitem__)
        return [self._orders[k] for k in [0, *ranked]]

    def _estimate(self, walks: int) -> Callable[[Array], float]:
        """What returns the expected work of the sweep in an order."""
        return lambda order: plan(self._masks(order), walks).expected.total

    def _in_steps(
        self, call: Callable[[Array], R], orders: list[Array], walks: int, work: int
    ) -> Generator[None, None, list[R]]:
        """As `_each`, with a pause after every STEP_WORK; a call takes `work` and its walks."""
        remainder = self._remainder
        words = -(-len(remainder.field) // 64)
        options = len(remainder.options)
        work += _fewer(walks, remainder.num_primary, options, words) * options * words
        length = max(1, STEP_WORK // max(1, work))
        results: list[R] = []
        for begin in range(0, len(orders), length):
            if begin:
                yield
            results += self._each(call, orders[begin : begin + length], walks)
        return results

    def _each(self, call: Callable[[A], R], orders: list[A], walks: int) -> list[R]:
        """The results of calls that make the masks of an order each, and follow `walks` walks."""
        many = len(orders) * walks * self._remainder.num_primary >= THREADED_STEPS
        if many and self._fit(len(orders)):
            return self._account.each(call, orders)
        return [call(order) for order in orders]

    def _fit(self, number: int) -> bool:
        """Whether the masks of `number` orders may be kept together."""
        return number * masks_size(self._remainder) <= KEPT

    def _masks(self, order: Array) -> Masks:
        return masks(self._remainder, order, merge=self._merge)

    def _exchanged(self, order: Array) -> Plan:
        """An order with its exchanges."""
        return self._plan(self._with_exchanges(order))

    def _with_exchanges(self, order: Array) -> Masks:
        return with_exchanges(masks(self._remainder, order, merge=True), self._remainder, order)


def best(remainder: Remainder, *, merge: bool = True) -> Plan:
    """The order that the first comparison prefers."""
    return Orders(remainder, merge=merge).chosen


def chained(near: Array, ranked: Array, rules: Sequence[int]) -> Iterator[Array]:
    """A greedy order by each of some rules; each begins where the one before ended.

    Parameters
    ----------
    near, ranked
        As for `order_kernel.greedy`. The first order begins with the first of `ranked`.
    rules : sequence of int
        Those of `order_kernel.greedy`.
    """
    start = int(ranked[0])
    for rule in rules:
        order = kernel.greedy(near, ranked, start, rule)
        yield order
        start = int(order[-1])


def by_sides(remainder: Remainder, side: Array) -> Plan:
    """The best order that has the items of each side of a cut one after the other.

    Parameters
    ----------
    remainder : Remainder
    side : int64[num_primary]
    """
    orders = [
        order[np.argsort(side[order], kind="stable")] for order in candidate_orders(remainder)
    ]
    plans = (plan(masks(remainder, order), WALKS[1]) for order in orders)
    return min(plans, key=_total)


def candidate_orders(remainder: Remainder, account: MemoryAccount | None = None) -> Iterator[Array]:
    """Orders of the primary items that are worth comparing, each followed by its reverse.

    They are made by the threads of `account`.
    """
    num_items = remainder.num_primary
    degree = np.bincount(remainder.bit, minlength=len(remainder.field))[:num_items]
    numbered = np.arange(num_items)
    orders: list[Array] = [numbered, np.argsort(degree, kind="stable")]
    if len(remainder.field) <= MOST_BITS and num_items:
        near = neighbours(remainder)
        start, other = int(np.argmin(degree)), int(np.argmax(degree))
        first = kernel.greedy(near, numbered, start, kernel.FIRST_REACHED)
        orders += [first] if len(first) else []
        if len(remainder.field) <= MOST_BITS_ANYWHERE:
            rules = kernel.APART, kernel.ANYWHERE, kernel.MOST_ADVANCED, kernel.FIRST_REACHED
            kinds = list(product(rules, (start, other, int(first[-1]))))
            orders += (account or MemoryAccount(0)).each(
                lambda kind: kernel.greedy(near, numbered, kind[1], kind[0]), kinds
            )
            orders += chained(near, orders[1], CHAINED_RULES)
    seen = set()
    for order in orders:
        for one in (order, order[::-1]):
            if one.tobytes() not in seen:
                seen.add(one.tobytes())
                yield one


def plan(masks: Masks, walks: int, budget: int = 0) -> Plan:
    """Estimate the work of each layer of a sweep by random walks.

    Parameters
    ----------
    masks : Masks
    walks : int
        At most.
    budget : int
        Units of work for the walks, which then step back at dead ends; 0: no limit, and a walk ends
        at its first dead end.
    """
    num_primary, words = len(masks.lowest) - 1, masks.need.shape[1]
    states = np.zeros(num_primary)
    walks = _fewer(walks, num_primary, len(masks.need), words)
    tags = np.zeros(walks * num_primary, np.uint64)
    following = walks_of(masks)
    while not kernel.walk(masks, walks, budget, following, tags, WALKS_CALL):
        pass
    met, walks = following.counters[[kernel.MET, kernel.WALKED]].tolist()
    tags = tags[:met]
    tags.sort()  # by numpy: ten times as fast as in a kernel
    enough = kernel.estimate(tags, walks, states)
    lengths = np.diff(masks.lowest)
    tests = lengths * (TEST_WORK + words)
    lookups = np.minimum(lengths, 3) * (LOOKUP_WORK + LOOKUP_WORD_WORK * words)
    cost = STATE_WORK + tests + lookups
    return Plan(masks, Expected(states * cost, bool(enough)))


def walks_of(masks: Masks) -> kernel.Walks:
    """What `order_kernel.walk` starts with."""
    num_primary, words = len(masks.lowest) - 1, masks.need.shape[1]
    key = np.zeros((num_primary + 2, 1 + words), np.uint64)
    key[0, 1:] = masks.relevant[0]
    return kernel.Walks(
        key=key,
        at=np.zeros(num_primary + 1, np.int64),
        possible=np.zeros(len(masks.need), np.int32),
        random=np.array([SEED]),
        counters=np.zeros(kernel.NUM_COUNTERS, np.int64),
    )


def _total(plan: Plan) -> float:
    return plan.expected.total


def _fewer(walks: int, num_primary: int, num_options: int, words: int) -> int:
    """The number of walks, at most `walks`, so that they do not take too long.

    Their states and options have `words` words each; fewer than 8 walks are not of use.
    """
    visited = max(num_primary, num_options // OPTIONS_OF_STATE) * words
    return max(8, min(walks, walks * LONG_WALK // max(1, visited)))


def frontier_bound(remainder: Remainder, order: Array) -> float:
    """A bound on the states of a sweep."""
    size = len(remainder.options), remainder.num_primary
    arrays = remainder.option, remainder.bit, remainder.field, remainder.ranks(order)
    return float(kernel.frontier_bound(*arrays, *size))


def neighbours(remainder: Remainder) -> Array:
    """uint64[bits, words]: the bits that share an option with each bit."""
    words = -(-len(remainder.field) // 64)
    sets = bit_rows(len(remainder.options), words, remainder.option, remainder.bit)
    near = np.zeros((len(remainder.field), words), np.uint64)
    unite_rows(near, remainder.bit, sets, remainder.option)
    return near
