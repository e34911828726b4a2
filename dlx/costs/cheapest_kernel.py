"""Compiled branch and bound for the cheapest solutions, with Lagrangian lower bounds.

Each item has a price, and the *reduced cost* of an option is its cost minus the prices of its
items. Whatever the prices are, no solution below a node costs less than

    costs of the options included
    + for each item: price * (need if the price is positive, else room)
    + the sum of the negative reduced costs of the options alive.

(Each solution has at least `need` and at most `room` more options of an item, and each option at
most once.) The best prices give the bound of the linear relaxation. A subgradient method lowers the
price of an item that is in too many options of negative reduced cost, and raises the price of an
item that is in too few. It takes many steps at the root and a few at every other node, which begins
with the prices of its parent; none if an item needs all its options. An option whose reduced cost
alone lifts the bound above the limit is dropped; that decides most options once a good solution is
known.

A node branches on the item with fewest options among those that need one: it includes the option of
least reduced cost, and excludes it afterwards. The same level then continues without that option.

`start.restart` sets the limit: it may lie far below the cheapest solution found, so that few
useless nodes are visited; if there is no solution within it, the search begins again with a higher
one.

All costs and prices are integers, scaled by a factor that the caller chooses; all sums are exact,
and the caller ensures that none overflows (`start.scale_of`). Steps are computed with float64
in a fixed order, so every machine takes the same steps, and no answer depends on their size.

The options alive at a node are the first `alive[level]` of `order`, a permutation: to drop an
option is to swap it behind the others, and to go back is to restore the number.

Invariants between two steps:

- The options included are compatible; the options alive are those that are compatible with them
  and have neither been excluded nor dropped at this level or above.
- No solution with the options included, and without those excluded, costs less than
  `lower[level]`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.compiled import helper, kernel
from dlx.search.counters import EXHAUSTED, LEVEL, NODES, OWN, SOLUTIONS, UPDATES

LIMIT = OWN  # place in State.counters: solutions of a higher scaled cost are not looked for
PHASE = OWN + 1  # place in State.counters: the next thing to do
ENTER, PRICE, BRANCH, LEAVE = range(4)
# places in State.walk: steps at this node, those without gain, the most of them; GAP: all solutions
# cost at least LIMIT - GAP, which may exceed LIMIT, unless GAP is INFINITE
STEPS, STALLED, STEP_LIMIT, GAP = range(4)

FREE, TAKEN = -2, -1
"""In place of a colour: no option included has the item; one has it without a colour.
(`search.bounds.after_givens` writes the same values. They stand here once more because a kernel is
compiled with the constants of its own file.)"""
NO_BOUND = -(1 << 62)  # no lower bound
INFINITE = 1 << 61  # all sums are below; the limit until a solution is found
OPEN = INFINITE - 1  # the last limit as long as fewer solutions are known than wanted
COLOURED = 1 << 40  # the room of a secondary item with colours; its price stays 0

SMALL = 1 << 15  # entries: problems up to this size take the second of the values below, and begin
# anew after the first solution
ROOT_STEPS = (400, 1000)  # steps of the prices at the root
MOST_ROOT_STEPS, FINE = 4000, 0.05
"""MOST_ROOT_STEPS: their limit in a large problem, as long as a step is longer than FINE: until
then the bound rises."""
MOST_STALLED = (12, 20)  # steps without gain before the steps get shorter
PACE_AFTER_STALL = (0.6, 0.7)  # factor of the length of the steps after that
PACE_AFTER_GAIN = (1.0, 1.1)  # likewise after a gain, as long as no solution is known
LONGEST_STEP = 30.0  # a step; no gain makes steps longer
SHORTEST_STEP = 0.004  # a step; a node has no more of them when they would be shorter
ANEW_STEPS = 400  # at the root, when the search begins anew with another limit
CHILD_STEPS = 12  # steps at a child, and after an exclusion
AGAIN_STEPS = 4
PACE_AGAIN = 0.5  # the length of the first step after an exclusion
GOAL_SHARE, GOAL_UNITS = 0.05, 1.0
"""While there is no limit, a step aims above the bound by GOAL_SHARE of its absolute value, plus
GOAL_UNITS, so that a bound of 0 has a step, too; else it aims just above the limit."""
NO_NEED = 1 << 40  # what `_count` returns if no item needs an option: more than any problem has
MOMENTUM = (0.8, 0.6)  # of the direction of the step before: at the root, elsewhere

U = np.uint64  # an unsigned index costs no test whether it is negative
ONE = U(1)


class State(NamedTuple):
    """A branch and bound between two calls of `advance`. See the module."""

    # the arrays of the problem
    start: npt.NDArray[np.int32]
    item: npt.NDArray[np.int32]
    colour: npt.NDArray[np.int32]
    cost: npt.NDArray[np.int64]  # [options] scaled
    # [items] how many more options of an item a solution needs, and may have
    need: npt.NDArray[np.int64]
    room: npt.NDArray[np.int64]
    settled: npt.NDArray[np.int32]  # [items] the colour of a secondary item, FREE or TAKEN
    since: npt.NDArray[np.int32]  # [items] the level that settled it
    order: npt.NDArray[np.int32]  # [options]
    reduced: npt.NDArray[np.int64]  # [options]
    size: npt.NDArray[np.int64]  # [items] the options alive of each item
    price: npt.NDArray[np.int64]  # [items]
    direction: npt.NDArray[np.float64]  # [items]
    most_price: npt.NDArray[np.int64]  # [1] the greatest absolute value of a price
    best_price: npt.NDArray[np.int64]  # [levels, items] the prices that gave `lower`
    alive: npt.NDArray[np.int64]  # [levels]
    spent: npt.NDArray[np.int64]  # [levels] the cost of the options included before a level
    lower: npt.NDArray[np.int64]  # [levels] the bound at the level
    chosen: npt.NDArray[np.int32]  # [levels] the option included at each level, without the givens
    walk: npt.NDArray[np.int64]  # [4]
    pace: npt.NDArray[np.float64]  # [1] the length of the next step
    counters: npt.NDArray[np.int64]  # [8] see `dlx.search.counters`; an update is an entry read


@helper
def _copy(source, target):  # type: ignore[no-untyped-def]
    """Do ``target[:] = source``, which numba takes seconds to compile (with an error text)."""
    for x in range(len(target)):
        target[x] = source[x]


@helper
def _evaluate(alive, start, item, cost, need, room, order, reduced, price, direction, blend):  # type: ignore[no-untyped-def]
    """Compute reduced costs and the direction of the next step.

    Returns
    -------
    bound : the Lagrangian bound without the costs of the options included
    norm : the square of the length of the direction
    entries : number of entries read
    """
    num_items = len(price)
    bound = np.int64(0)
    for x in range(num_items):
        direction[x] *= blend
    entries = U(0)
    for k in range(U(alive)):
        option = U(order[k])
        first, last = U(start[option]), U(start[option + ONE])
        entries += last - first
        reduced_cost = cost[option]
        for e in range(first, last):
            reduced_cost -= price[U(item[e])]
        reduced[option] = reduced_cost
        if reduced_cost < 0:
            bound += reduced_cost
            for e in range(first, last):
                direction[U(item[e])] -= 1.0
    norm = 0.0
    for x in range(num_items):
        least = max(need[x], np.int64(0))
        if price[x] > 0:
            bound += price[x] * least
            direction[x] += least
        elif price[x] < 0:
            bound += price[x] * room[x]
            direction[x] += room[x]
        elif direction[x] + least > 0:
            direction[x] += least
        elif direction[x] + room[x] < 0:
            direction[x] += room[x]
        else:
            direction[x] = 0.0
        norm += direction[x] * direction[x]
    return bound, norm, np.int64(entries)


@helper
def _count(alive, start, item, need, order, size):  # type: ignore[no-untyped-def]
    """Count the options alive of each item; return the least number beyond the need of one."""
    size[:] = 0
    for k in range(U(alive)):
        option = U(order[k])
        for e in range(U(start[option]), U(start[option + ONE])):
            size[U(item[e])] += 1
    least = np.int64(NO_NEED)
    for x in range(len(size)):
        if need[x] > 0:
            least = min(least, size[x] - need[x])
    return least


@helper
def _drop_costly(alive, slack, order, reduced):  # type: ignore[no-untyped-def]
    """Drop the options of a reduced cost above the slack; return how many are left alive."""
    k = 0
    while k < alive:
        option = order[k]
        if reduced[option] > slack:
            alive -= 1
            order[k] = order[alive]
            order[alive] = option
        else:
            k += 1
    return alive


@helper
def _drop_conflicts(alive, start, item, colour, room, settled, order):  # type: ignore[no-untyped-def]
    """Drop the options that are not compatible with those included; return how many are left."""
    k = 0
    while k < alive:
        option = U(order[k])
        conflict = False
        for e in range(U(start[option]), U(start[option + ONE])):
            x = U(item[e])
            if room[x] <= 0 or (settled[x] != FREE and settled[x] != colour[e]):
                conflict = True
                break
        if conflict:
            alive -= 1
            order[k] = order[alive]
            order[alive] = option
        else:
            k += 1
    return alive


@kernel
def advance(state, budget):  # type: ignore[no-untyped-def]
    """Continue until a solution within the limit is found, the search ends or work is done.

    Parameters
    ----------
    state : State
        Changed in place.
    budget : int
        Return after about this many updates.

    Returns
    -------
    bool
        Whether a solution was found: `chosen[:level]`, of cost `spent[level]`.
    """
    (
        start, item, colour, cost, need, room, settled, since, order, reduced, size, price,
        direction, most_price, best_price, alive, spent, lower, chosen, walk, pace, counters,
    ) = state  # fmt: skip
    num_items = len(price)
    small = int(len(item) <= SMALL)
    limit = counters[LIMIT]
    level = counters[LEVEL]
    phase = counters[PHASE]
    updates = 0
    found = False
    while updates < budget and counters[EXHAUSTED] == 0:
        if phase == ENTER:
            # a new set of options: it is a solution if no item needs a further one
            counters[NODES] += 1
            walk[STEPS], walk[STALLED] = 0, 0
            walk[STEP_LIMIT] = ROOT_STEPS[small] if limit == INFINITE else ANEW_STEPS
            if level > 0:
                walk[STEP_LIMIT] = CHILD_STEPS
            pace[0] = 1.0
            direction[:] = 0.0
            lower[level] = NO_BOUND if level == 0 else lower[level - 1]
            phase = PRICE
            complete = True
            for x in range(num_items):
                complete = complete and need[x] <= 0
            if complete and spent[level] <= limit:
                found = True
                counters[SOLUTIONS] += 1
                break
        elif phase == PRICE:
            if walk[STEPS] == 0:
                updates += num_items  # a node with an item that needs all its options has no steps
                least = _count(alive[level], start, item, need, order, size)
                if least < 0:
                    phase = LEAVE
                    continue
                if least == 0 and level > 0:
                    _copy(price, best_price[level])
                    phase = BRANCH
                    continue
            bound, norm, entries = _evaluate(
                alive[level], start, item, cost, need, room, order, reduced, price,
                direction, MOMENTUM[int(level > 0)],
            )  # fmt: skip
            updates += entries + num_items
            bound += spent[level]
            first = walk[STEPS] == 0
            walk[STEPS] += 1
            if bound > lower[level] or first:
                gain = bound > lower[level]
                _copy(price, best_price[level])
                lower[level] = max(lower[level], bound)
                walk[STALLED] = 0 if gain else walk[STALLED]
                if gain and limit >= OPEN:
                    pace[0] = min(LONGEST_STEP, pace[0] * PACE_AFTER_GAIN[small])
            else:
                walk[STALLED] += 1
            if lower[level] > limit:
                phase = LEAVE
                continue
            alive[level] = _drop_costly(alive[level], limit - bound, order, reduced)
            if walk[STALLED] >= MOST_STALLED[small]:
                walk[STALLED] = 0
                pace[0] *= PACE_AFTER_STALL[small]
                _copy(best_price[level], price)
                direction[:] = 0.0
                if pace[0] < SHORTEST_STEP:
                    walk[STEPS] = walk[STEP_LIMIT]
                continue
            rises = level == 0 and not small and pace[0] > FINE
            if walk[STEPS] >= (MOST_ROOT_STEPS if rises else walk[STEP_LIMIT]) or norm == 0.0:
                _copy(best_price[level], price)
                phase = BRANCH
                continue
            goal = np.float64(limit - bound + 1)
            if limit >= OPEN:
                goal = GOAL_SHARE * abs(np.float64(bound)) + GOAL_UNITS
            step = pace[0] * goal / norm
            most_step = np.float64(most_price[0])
            for x in range(num_items):
                by = min(most_step, max(-most_step, step * direction[x]))
                price[x] = min(most_price[0], max(-most_price[0], price[x] + np.int64(by)))
        elif phase == BRANCH:
            bound, norm, entries = _evaluate(
                alive[level], start, item, cost, need, room, order, reduced, price,
                direction, 0.0,
            )  # fmt: skip
            updates += entries + num_items
            bound += spent[level]
            lower[level] = max(lower[level], bound)
            alive[level] = _drop_costly(alive[level], limit - bound, order, reduced)
            least = _count(alive[level], start, item, need, order, size)
            if lower[level] > limit or least < 0 or alive[level] == 0:
                phase = LEAVE
                continue
            best = -1
            for x in range(num_items):
                if best < 0 and need[x] > 0 and size[x] - need[x] == least:
                    best = x
            at = -1
            for k in range(alive[level]):
                option = order[k]
                if (
                    at < 0
                    or reduced[option] < reduced[order[at]]
                    or (reduced[option] == reduced[order[at]] and option < order[at])
                ):
                    has = best < 0
                    for e in range(start[option], start[option + 1]):
                        has = has or item[e] == best
                    if has:
                        at = k
            # the option leaves this level, where it is excluded afterwards
            option = order[at]
            alive[level] -= 1
            order[at] = order[alive[level]]
            order[alive[level]] = option
            chosen[level] = option
            for e in range(start[option], start[option + 1]):
                x = item[e]
                need[x] -= 1
                room[x] -= 1
                if settled[x] == FREE and room[x] > COLOURED // 2:
                    settled[x] = colour[e] if colour[e] > 0 else TAKEN
                    since[x] = level
            spent[level + 1] = spent[level] + cost[option]
            alive[level + 1] = _drop_conflicts(
                alive[level], start, item, colour, room, settled, order
            )
            level += 1
            phase = ENTER
        else:
            if level == 0:
                counters[EXHAUSTED] = 1
                break
            level -= 1
            option = chosen[level]
            for e in range(start[option], start[option + 1]):
                x = item[e]
                need[x] += 1
                room[x] += 1
                if settled[x] != FREE and since[x] == level:
                    settled[x] = FREE
            _copy(best_price[level], price)
            walk[STEPS], walk[STALLED], walk[STEP_LIMIT] = 0, 0, AGAIN_STEPS
            pace[0] = PACE_AGAIN
            direction[:] = 0.0
            phase = PRICE
    counters[UPDATES] += updates
    counters[LEVEL] = level
    counters[PHASE] = phase
    return found
