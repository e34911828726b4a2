"""QuickSweep: a sweep in an order that is quickly found, beside the first search of a count.

It is prepared in about a millisecond for 64 items (`quick_plan`), before the problem is split into
components and orders are compared for the race (`race`). Search and sweep take turns until one of
them ends, or neither is expected to end soon.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count import race
from dlx.count.memory import MemoryAccount
from dlx.count.methods import PlainSearch
from dlx.count.numbering import by_structure
from dlx.count.orders import (
    MOST_BITS_ANYWHERE,
    QUICK_RULES,
    Plan,
    chained,
    frontier_bound,
    neighbours,
    plan,
)
from dlx.count.race import preparation
from dlx.count.remainder import Remainder, masks, masks_size
from dlx.count.saved import Record, Store
from dlx.count.sweep import Expected, Sweep
from dlx.problem import Problem

DUE_WORK, DUE_ENTRY_WORK, DUE_ITEM_WORK = 2_000_000, 500, 20_000
"""A quick sweep is prepared if the search has more work left, or done, than DUE_WORK and
DUE_ENTRY_WORK for each entry, and than DUE_ITEM_WORK for each primary item: up to twice the cost of
the preparation."""

SOUGHT_AGAIN = 2
"""If none is expected to be short, one is sought again when the search has SOUGHT_AGAIN times as
much work left."""

GIVEN_UP, NEAR_END = 5, 1.0
"""A quick sweep is given up after GIVEN_UP times its expected work, unless NEAR_END times the work
so far is likely to end it. Before, it pauses while it is not expected to end before the search,
whose work may be estimated by random descents."""

COMPONENTS_FACTOR = 2
"""A quick sweep of several components is given up after the work to prepare other methods; if it is
near its end, after COMPONENTS_FACTOR times its expected work. Of 256 problems, 82 of them unions,
four took 0.48 to 0.91 times as long as with the latter alone, and none took longer."""

AHEAD_FACTOR, CLOSE_SHARE = 8, 0.2
"""If a quick sweep has more work left than CLOSE_SHARE times that of the search, it does at most
AHEAD_FACTOR times the work of the search, so that the estimate of the search improves. Of 547
problems, the 34 that these rules changed took 0.74 times as long in the geometric mean."""

HOPELESS_FACTOR = 3.0
"""If the order of a quick sweep is hopeless (`HOPELESS`), a search is short up to HOPELESS_FACTOR
times `race.SHORT`. Measured: with 3.0, four of 60 problems took 0.4 to 0.87 times as long and none
took longer; with 6.0, one took 1.5 times as long."""

QUICK_MEMORY = 1 << 25  # bytes: the states of a quick sweep stay in one table

WALKS = 1 << 7, 1 << 9, 1 << 11  # more if of those before too few met
EXPECTED_LEAST, EXPECTED_FACTOR = 1_000_000, 2.5
"""The expected units of work are EXPECTED_LEAST + EXPECTED_FACTOR x the estimate by walks."""

COMPARED_FROM, NARROWEST = 20_000_000, 4
"""If the expected work is above COMPARED_FROM, the NARROWEST narrowest orders are compared by
walks."""

HOPELESS, DOUBTFUL = 1000, 4
"""If the expected work of an order is HOPELESS times what a quick sweep may take, no other order is
tried; if it is DOUBTFUL times, only the fewest walks are followed. Other orders were better by
factors of up to 600, mostly of less than 3."""

Array = npt.NDArray[Any]


def quick_is_due(search: PlainSearch, problem: Problem, before: float = 0.0) -> bool:
    """Whether a search has enough work left to make a quick sweep worth preparing.

    Parameters
    ----------
    search, problem : PlainSearch, Problem
    before : float
        What was left when one was sought last; 0 if none was.
    """
    for_entries = DUE_WORK + DUE_ENTRY_WORK * problem.num_entries
    least = max(for_entries, DUE_ITEM_WORK * problem.num_primary, SOUGHT_AGAIN * before)
    if search.work < race.FIRST_SLICE or before >= race.SHORT:
        return False
    return work_left(search) > least


def work_left(search: PlainSearch) -> float:
    """The remaining work of a search, about: as much as it has done, if less seems to remain."""
    return min(max(search.projected - search.work, search.work), 1e18)


class QuickSweep(Sweep):
    """A sweep in an order that is quickly found, tried during the first search.

    Parameters
    ----------
    plan, account : Plan, MemoryAccount
    most : float
        Work after which it is given up, unless it is near its end.
    most_near_end : float
        Work after which it is given up even then.

    Attributes
    ----------
    is_worthwhile : bool
        Whether it has ended, or is expected to end before the search and within its limits.
    leads : bool
        Whether it gets the next slice, not the search.
    """

    def __init__(
        self, plan: Plan, account: MemoryAccount, most: float, most_near_end: float = math.inf
    ) -> None:
        super().__init__(plan.masks, account, expected=plan.expected)
        self._most, self._most_near_end = most, most_near_end
        self.is_worthwhile = self.leads = True

    def compare(self, search: PlainSearch) -> None:
        """Set `is_worthwhile` and `leads` by the remaining work of both."""
        if not self.work or self.ended:
            return
        left, search_left = self.projected - self.work, search.projected - search.work
        if left < search_left and not race.is_promising(self, search_left):
            race.foresee(search, search.work + self.work, self.projected)
            search_left = search.projected - search.work
        is_near = left <= NEAR_END * self.work and self.work < self._most_near_end
        is_late = self.work >= self._most and not is_near
        self.is_worthwhile = (
            not is_late and not self.in_portions and race.is_promising(self, search_left)
        )
        is_ahead = self.work >= AHEAD_FACTOR * search.work and left > CLOSE_SHARE * search_left
        self.leads = self.is_worthwhile and not is_ahead

    def pack(self, store: Store) -> Record:
        """Return the record of the sweep."""
        return {**super().pack(store), "leads": self.leads}

    def unpack(self, record: Record, store: Store) -> None:
        """Continue from a record; raise ValueError if it belongs to other masks, or to none."""
        super().unpack(record, store)
        self.leads = record["leads"] is True


def quick_sweep(
    remainder: Remainder, account: MemoryAccount, search_left: float, *, connected: bool = True
) -> tuple[QuickSweep | None, float]:
    """Return a quick sweep, if it is expected to take less than `race.SHORT` and `search_left`.

    Also return the factor for SHORT in the search: HOPELESS_FACTOR if the sweep is hopeless, or 1.

    Parameters
    ----------
    remainder : Remainder
    account : MemoryAccount
    search_left : float
        The remaining work of the search.
    connected : bool
        Whether all is one component. Otherwise the sweep is given up sooner, see
        `COMPONENTS_FACTOR`: to count the components one by one mostly takes much less work.
    """
    size = masks_size(remainder)
    if len(remainder.field) > MOST_BITS_ANYWHERE or size > account.limit // 4:
        return None, 1.0
    most = min(race.SHORT, search_left)
    plan, expected = quick_plan(by_structure(remainder, quick=True), most)
    if plan is None:
        return None, HOPELESS_FACTOR if expected > HOPELESS * most else 1.0
    if connected:
        return QuickSweep(plan, account, GIVEN_UP * expected), 1.0
    to_prepare = preparation(remainder.num_primary, len(remainder.bit))
    return QuickSweep(plan, account, to_prepare, COMPONENTS_FACTOR * expected), 1.0


def quick_plan(remainder: Remainder, most: float) -> tuple[Plan | None, float]:
    """A plan for an order that takes little to find, and the approximate work of its sweep.

    If that is probably more than `most`, there is no plan, and the work is a rough estimate.

    The order is the one with the narrowest frontier of some greedy ones and their reverses; each
    begins where the one before ended. The frontier gives a bound of the work, which is expected if
    it is little. If its geometric mean with the least work, one state for each item, is far too
    much, the order is hopeless; that mean is the rough estimate. Otherwise walks give an estimate,
    a few where it is doubtful: on 90 problems, each in six namings, a sweep took at most 3.9 times
    the work expected from them.

    Parameters
    ----------
    remainder : Remainder
        With up to MOST_BITS_ANYWHERE bits.
    most : float
    """
    degree = np.bincount(remainder.bit, minlength=len(remainder.field))[: remainder.num_primary]
    near = neighbours(remainder)
    state_work = 200 + 4 * len(remainder.options) / remainder.num_primary
    least = math.inf
    mean = 0.0
    bounded: list[tuple[float, Array]] = []
    for order in chained(near, np.argsort(degree, kind="stable"), QUICK_RULES):
        bounded += [(frontier_bound(remainder, one), one) for one in (order, order[::-1])]
        least = min(bound for bound, _ in bounded)
        mean = state_work * math.sqrt(remainder.num_primary * least)
        if mean > HOPELESS * most:
            return None, mean
        if state_work * least <= EXPECTED_LEAST:
            break
    narrowest = [one for _, one in sorted(bounded, key=lambda pair: pair[0])]
    first = masks(remainder, narrowest[0], merge=True)
    if state_work * least <= most:
        unknown = Expected(np.zeros(remainder.num_primary), True)  # mostly far less than the bound
        return Plan(first, unknown), state_work * least
    for walks in WALKS[: 1 if mean > DOUBTFUL * most else None]:
        chosen = plan(first, walks)
        expected = EXPECTED_LEAST + EXPECTED_FACTOR * chosen.expected.total
        if chosen.expected.sure or expected > most:
            break
    if expected > most or not chosen.expected.sure:
        return None, mean
    if expected > COMPARED_FROM:
        plans = [plan(masks(remainder, one, merge=True), walks) for one in narrowest[1:NARROWEST]]
        sure = [chosen, *(other for other in plans if other.expected.sure)]
        chosen = min(sure, key=lambda one: one.expected.total)
    return chosen, EXPECTED_LEAST + EXPECTED_FACTOR * chosen.expected.total
