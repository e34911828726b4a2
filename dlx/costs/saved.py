"""The file of a saved search for the cheapest solutions.

The file has the format of `dlx.container`, with these values and arrays:

    version : int
    costs : str, a digest of the costs, which are no part of the digest of a problem
    k : int
    given : list of int
    seconds : float, time spent searching so far
    best : list of lists of int, the solutions found
    NAME : array, for each field NAME in `CHANGING` of the state

The other fields follow from the problem, the givens and the options chosen. What is read is
checked: compiled code stays within its arrays even with a file made by hand, `best` holds
solutions, and the saved prices prove the lower bounds. Which options have been excluded is not
checked.
"""

from __future__ import annotations

import hashlib
import os
from typing import NamedTuple

import numpy as np

from dlx import container
from dlx.costs.cheapest_kernel import (
    COLOURED,
    ENTER,
    FREE,
    GAP,
    INFINITE,
    LEAVE,
    LIMIT,
    LONGEST_STEP,
    NO_BOUND,
    PHASE,
    TAKEN,
    State,
)
from dlx.costs.start import LARGEST_SUM, costs_of, limit_of, scale_of, start
from dlx.errors import StateError
from dlx.problem import Costed, Int32s, Problem, is_solution
from dlx.search.counters import EXHAUSTED, LEVEL, NODES, SOLUTIONS, UNLIMITED, UPDATES

KIND = "search for the cheapest"
VERSION = 2
CHANGING = (
    "order", "price", "direction", "best_price", "alive", "lower", "chosen", "walk", "pace",
    "counters",
)  # fmt: skip


class SavedCheapest(NamedTuple):
    """A search as a file holds it; `state` is None for givens that are not compatible."""

    k: int
    given: tuple[int, ...]
    seconds: float
    best: list[Costed]
    state: State | None


def write(path: str | os.PathLike[str], problem: Problem, search: SavedCheapest) -> None:
    """Write a search to a file; raise OutputError if it cannot be written."""
    values = {
        "version": VERSION,
        "costs": _digest(costs_of(problem)[1]),
        "k": search.k,
        "given": list(search.given),
        "seconds": search.seconds,
        "best": [list(costed.solution) for costed in search.best],
    }
    fields = {} if search.state is None else search.state._asdict()
    arrays = {name: fields[name] for name in CHANGING if fields}
    container.write(path, KIND, problem, values, arrays)


def read(path: str | os.PathLike[str], problem: Problem) -> SavedCheapest:
    """Read a search of this problem, which has costs, from a file.

    Raises
    ------
    OSError
        The file cannot be read.
    StateError
        The file holds no such search, a search of another problem, or it is damaged.
    """
    values, arrays = container.read(path, KIND, problem)
    if values.get("version") != VERSION:
        raise StateError(f"{path}: saved by another version")
    _, costs = costs_of(problem)
    if values.get("costs") != _digest(costs):
        raise StateError(f"{path}: this search is for other costs")
    damaged = StateError(f"{path}: no search of this problem reaches the saved state")
    k, given, seconds = values.get("k"), values.get("given"), values.get("seconds")
    solutions = values.get("best")
    if type(k) is not int or k < 1 or not container.is_seconds(seconds):
        raise damaged
    if not isinstance(solutions, list) or len(solutions) > k:
        raise damaged
    num_options = problem.num_options
    if not container.are_options(given, num_options):
        raise damaged
    if not all(container.are_options(solution, num_options) for solution in solutions):
        raise damaged
    if any(numbers != sorted(set(numbers)) for numbers in (given, *solutions)):
        raise damaged
    chosen = tuple(given)
    best = [Costed(sum(costs[o] for o in solution), tuple(solution)) for solution in solutions]
    if best != sorted(set(best)):
        raise damaged
    if not all(set(chosen) <= set(s) and is_solution(problem, s) for _, s in best):
        raise damaged
    if not problem.compatible(chosen):
        return SavedCheapest(k, chosen, seconds, best, None)
    scale = scale_of(costs)
    state = start(problem, chosen, costs, scale)
    live = state.order[: state.alive[0]].copy()
    fields = {name: getattr(state, name) for name in CHANGING}
    if not container.fill(fields, arrays) or not _is_sound(problem, state, live):
        raise damaged
    if not -INFINITE < state.counters[LIMIT] <= limit_of(best, k, scale):
        raise damaged
    if not best and state.counters[LIMIT] != INFINITE:  # only a solution lowers the limit
        raise damaged
    return SavedCheapest(k, chosen, seconds, best, state)


def _digest(costs: tuple[int, ...]) -> str:
    return hashlib.blake2b(repr(costs).encode(), digest_size=16).hexdigest()


def _is_sound(problem: Problem, state: State, live: Int32s) -> bool:
    """Check the fields of a state, and bring the others to where its choices lead.

    `live` holds the options that may be chosen at the root.
    """
    counters = state.counters
    level = int(counters[LEVEL])
    sizes = [counters[NODES], counters[UPDATES], counters[SOLUTIONS], *state.walk[:GAP]]
    sizes.append(abs(int(state.walk[GAP])))  # negative if no solution is within LIMIT
    if not (all(0 <= n < UNLIMITED for n in sizes) and 0 <= level < len(state.alive) - 1):
        return False
    if counters[EXHAUSTED] not in (0, 1) or not ENTER <= counters[PHASE] <= LEAVE:
        return False
    most = state.most_price[0]
    for prices in (state.price, *state.best_price[: level + 1]):
        if not ((prices >= -most) & (prices <= most)).all():
            return False
    lower = state.lower[: level + 1]
    if not ((lower >= NO_BOUND) & (lower < INFINITE)).all():
        return False
    if not (0 < state.pace[0] <= LONGEST_STEP and (np.abs(state.direction) < LARGEST_SUM).all()):
        return False
    alive = state.alive[: level + 1]
    if not (alive.min() >= 0 and alive[0] <= len(live) and (np.diff(alive) <= 0).all()):
        return False
    if not np.array_equal(np.sort(state.order[: len(live)]), live):
        return False
    if state.best_price[: level + 1, state.room == COLOURED].any():
        return False
    proven = NO_BOUND
    for depth in range(level + 1):
        if not _fit(problem, state, state.order[: alive[depth]]):
            return False
        proven = max(proven, _bound(problem, state, depth))
        if lower[depth] > proven and (depth < level or counters[PHASE] != ENTER):
            return False  # a level that is to be entered has no bound yet
        if depth < level:
            option = int(state.chosen[depth])
            if alive[depth] >= len(live) or state.order[alive[depth]] != option:
                return False
            if not _fit(problem, state, np.array([option], np.int32)):
                return False
            _include(problem, state, option, depth)
    return True


def _bound(problem: Problem, state: State, level: int) -> int:
    """Return the lower bound that the best prices of a level prove, as `cheapest_kernel` does."""
    price = state.best_price[level]
    paid = np.concatenate(([0], np.cumsum(price[problem.item])))
    reduced = state.cost - np.diff(paid[problem.start])
    alive = state.order[: state.alive[level]]
    times = np.where(price > 0, np.maximum(state.need, 0), state.room)
    return int(state.spent[level] + np.minimum(reduced[alive], 0).sum() + (price * times).sum())


def _fit(problem: Problem, state: State, options: Int32s) -> bool:
    """Return whether each of the options is compatible with those included."""
    is_among = np.zeros(problem.num_options, bool)
    is_among[options] = True
    entries = np.repeat(is_among, np.diff(problem.start))
    item, colour = problem.item[entries], problem.colour[entries]
    settled = state.settled[item]
    return bool((state.room[item] > 0).all() and ((settled == FREE) | (settled == colour)).all())


def _include(problem: Problem, state: State, option: int, level: int) -> None:
    """Include an option as `cheapest_kernel.advance` does."""
    entries = slice(problem.start[option], problem.start[option + 1])
    item, colour = problem.item[entries], problem.colour[entries]
    state.need[item] -= 1
    state.room[item] -= 1
    fresh = (state.settled[item] == FREE) & (state.room[item] > COLOURED // 2)
    state.settled[item[fresh]] = np.where(colour[fresh] > 0, colour[fresh], TAKEN)
    state.since[item[fresh]] = level
    state.spent[level + 1] = state.spent[level] + state.cost[option]
