"""The first state of a branch and bound: costs as scaled integers that no sum overflows."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.checks import brief
from dlx.costs import cheapest_kernel
from dlx.costs.cheapest_kernel import COLOURED, GAP, INFINITE, LIMIT, OPEN, PHASE, State
from dlx.errors import ProblemError
from dlx.problem import Costed, Problem
from dlx.search.bounds import Bools, after_givens, live_options, most_included
from dlx.search.counters import EXHAUSTED, LENGTH, NODES, SOLUTIONS, UPDATES

LARGEST_SUM = 1 << 59  # the costs of all options together, scaled, and likewise the prices
FRACTION = 16  # see `restart`
FINEST = 20  # bits after the point of a scaled cost, at most

Int64s: TypeAlias = npt.NDArray[np.int64]


def costs_of(problem: Problem) -> tuple[int, tuple[int, ...]]:
    """Return the greatest common divisor of the costs, and the costs in units of it.

    Costs of two solutions differ by at least a unit, so bounds need not be closer than that.

    Raises
    ------
    ProblemError
        There are none, or their sum in units does not fit into 59 bits.
    """
    if problem.costs is None:
        if problem.num_options:
            raise ProblemError("the problem has no costs; Problem(..., costs=) sets them")
        return 1, ()
    unit = gcd(*problem.costs) or 1
    costs = tuple(cost // unit for cost in problem.costs)
    total = sum(map(abs, costs))
    if total >= LARGEST_SUM:
        divided = "" if unit == 1 else f", divided by their common divisor {brief(unit)},"
        raise ProblemError(
            f"the costs are too large: their absolute values{divided} add up to {brief(total)}, and"
            " the search takes less than 2**59; solution_set(problem).best() takes any"
        )
    return unit, costs


def scale_of(costs: tuple[int, ...]) -> int:
    """Return the factor of costs and prices: a power of two; sums stay below LARGEST_SUM."""
    total = max(1, sum(map(abs, costs)))
    scale = 1
    while scale < 1 << FINEST and 2 * scale * total < LARGEST_SUM:
        scale *= 2
    return scale


def limit_of(best: Sequence[Costed], k: int, scale: int) -> int:
    """Return the greatest scaled cost of a further solution among the k cheapest."""
    return (best[-1].cost - 1) * scale if len(best) == k else INFINITE


def start(problem: Problem, given: tuple[int, ...], costs: tuple[int, ...], scale: int) -> State:
    """Return the state before the first node."""
    need, room, settled = after_givens(problem, given)
    is_live = live_options(problem, given, room, settled)
    live = np.flatnonzero(is_live).astype(np.int32)
    num_items, first = problem.num_items, problem.num_primary
    needs, rooms = np.maximum(need, 0).astype(np.int64), room.astype(np.int64)
    needs[first:] = 0
    rooms[first:] = 1
    rooms[problem.item[problem.colour > 0]] = COLOURED
    counts = np.bincount(problem.item, minlength=num_items)
    rooms[:first] = np.minimum(rooms[:first], counts[:first])
    priced = int(rooms[rooms < COLOURED].sum()) + problem.num_entries + 1
    most_price = LARGEST_SUM // priced
    depth = most_included(problem, is_live, room) + 2
    scaled = np.array([cost * scale for cost in costs], np.int64)
    spent = np.zeros(depth, np.int64)
    spent[0] = sum(costs[option] for option in given) * scale
    order = np.zeros(problem.num_options, np.int32)
    order[: len(live)] = live
    alive = np.zeros(depth, np.int64)
    alive[0] = len(live)
    counters = np.zeros(LENGTH, np.int64)
    counters[LIMIT], counters[PHASE] = INFINITE, cheapest_kernel.ENTER
    return State(
        start=problem.start,
        item=problem.item,
        colour=problem.colour,
        cost=scaled,
        need=needs,
        room=rooms,
        settled=settled,
        since=np.full(num_items, -1, np.int32),
        order=order,
        reduced=np.zeros(problem.num_options, np.int64),
        size=np.zeros(num_items, np.int64),
        price=_first_prices(problem, is_live, scaled, most_price),
        direction=np.zeros(num_items, np.float64),
        most_price=np.array([most_price], np.int64),
        best_price=np.zeros((depth, num_items), np.int64),
        alive=alive,
        spent=spent,
        lower=np.full(depth, cheapest_kernel.NO_BOUND, np.int64),
        chosen=np.zeros(depth, np.int32),
        walk=np.array([0, 0, 0, INFINITE], np.int64),
        pace=np.ones(1, np.float64),
        counters=counters,
    )


def has_ended(state: State, best: Sequence[Costed], k: int, scale: int) -> bool:
    """Return whether a search is exhausted, and was so with the last limit."""
    last = min(limit_of(best, k, scale), OPEN)
    return bool(state.counters[EXHAUSTED]) and int(state.counters[LIMIT]) >= last


def restart(
    problem: Problem, given: tuple[int, ...], state: State, best: Sequence[Costed], k: int
) -> State:
    """Return the state of a search that begins anew at the root with another limit.

    The first limit is 1 / FRACTION of the way from the bound to the first solution; each limit
    after it is twice as far above what is proven by then. So few nodes are visited with a limit
    that is far too high, even if the first solutions are expensive.
    """
    _, costs = costs_of(problem)
    scale = scale_of(costs)
    limit = int(state.counters[LIMIT])
    if limit == INFINITE:
        proven = -(-int(state.lower[0]) // scale)
        gap = max(1, (best[0].cost - proven) // FRACTION)
    else:
        proven = limit // scale + 1
        gap = max(1, 2 * int(state.walk[GAP]) // scale)
    last = min(limit_of(best, k, scale), OPEN)
    limit = last if proven + gap >= best[-1].cost else min(last, (proven + gap) * scale)
    fresh = start(problem, given, costs, scale)
    fresh.price[:] = state.best_price[0]
    fresh.walk[GAP] = limit - proven * scale
    for place in (NODES, UPDATES, SOLUTIONS):
        fresh.counters[place] = state.counters[place]
    fresh.counters[LIMIT] = limit
    return fresh


def _first_prices(problem: Problem, is_live: Bools, cost: Int64s, most_price: int) -> Int64s:
    """int64[items]: for each primary item the least cost per item of an option that has it."""
    prices = np.full(problem.num_items, most_price, np.int64)
    lengths = np.diff(problem.start)
    shares = np.repeat(cost // np.maximum(lengths, 1), lengths)
    entries = np.repeat(is_live, lengths)
    np.minimum.at(prices, problem.item[entries], shares[entries])
    prices[problem.num_primary :] = 0
    prices[prices == most_price] = 0
    return np.clip(prices, -most_price, most_price)
