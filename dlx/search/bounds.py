"""Kernel "bounds": primary items with multiplicities, for any problem.

This module translates a problem into the masks that `bounds_kernel` describes and searches.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.errors import KernelError
from dlx.problem import HIGH, LOW, Int32s, Problem
from dlx.search import bounds_kernel
from dlx.search.bounds_kernel import ENTERING, INCLUDED, LAST, PRIMARY, TAKEN, UNNEEDED, State
from dlx.search.branch import Branch
from dlx.search.counters import EXHAUSTED, LENGTH, LEVEL
from dlx.search.endgame_kernel import ENDGAME_OPTIONS, FREE, Endgame

Bools: TypeAlias = npt.NDArray[np.bool_]

name = "bounds"
takes_options = True  # one decision
changing = ("path", "ways", "counters")

ENDGAME = ENDGAME_OPTIONS  # options alive with which `endgame_kernel` takes over
LEVELS_SEEN = 40  # by `fraction_done`: deeper levels change the estimate by less than its error


def suits(problem: Problem) -> bool:
    """Return True: items without a multiplicity are covered from 1 to 1 times."""
    return True


def start(problem: Problem, given: tuple[int, ...]) -> State | None:
    """Return the state before the first node; None if the givens are not compatible."""
    if not problem.compatible(given):
        return None
    num_items, num_options = problem.num_items, problem.num_options
    need, room, settled = after_givens(problem, given)
    live = live_options(problem, given, room, settled)
    word = np.zeros(num_items + 1, np.int64)
    base, size = np.zeros(num_items, np.int64), np.zeros(num_items, np.int32)
    place = np.zeros(problem.num_entries, np.uint64)
    owner, shade = (np.zeros(problem.num_entries, np.int32) for _ in range(2))
    words = -(-np.bincount(problem.item, minlength=1) // 64)
    mask = np.zeros(int(words.sum()), np.uint64)
    arrays = problem.start, problem.item, problem.colour, live
    bounds_kernel.link(*arrays, place, word, base, owner, shade, mask, size)
    num_alive = int(np.count_nonzero(live))
    counters = np.zeros(LENGTH, np.int64)
    counters[ENTERING] = 1
    counters[PRIMARY] = problem.num_primary
    state = State(
        start=problem.start,
        item=problem.item,
        colour=problem.colour,
        place=place,
        word=word,
        base=base,
        owner=owner,
        shade=shade,
        mask=mask,
        size=size,
        need=need,
        room=room,
        settled=settled,
        since=np.full(num_items, -1, np.int32),
        path=np.zeros(num_alive + 1, np.int32),
        ways=np.zeros(num_alive + 1, np.int32),
        mark=np.zeros(num_alive + 1, np.int32),
        removed=np.zeros(num_options, np.int32),
        included=np.zeros(len(given) + most_included(problem, live, room), np.int32),
        given=np.array(given, np.int32),
        lengths=np.zeros(4, np.int64),
        endgame=empty_endgame(problem),
        counters=counters,
    )
    state.included[: len(given)] = given
    state.lengths[INCLUDED], state.lengths[LAST] = len(given), ENDGAME
    if (size < need).any():
        counters[EXHAUSTED], counters[ENTERING] = 1, 0
    return state


def empty_endgame(problem: Problem) -> Endgame:
    """Return the arrays for the last options of a search."""
    longest = np.sort(np.diff(problem.start))[-ENDGAME_OPTIONS:]
    return Endgame(
        among=np.zeros(-(-problem.num_options // 64), np.uint64),
        number=np.zeros(problem.num_options, np.int32),
        slot=np.zeros(problem.num_items, np.int32),
        option=np.zeros(ENDGAME_OPTIONS, np.int32),
        first=np.zeros(ENDGAME_OPTIONS + 1, np.int64),
        entry=np.zeros(int(longest.sum()), np.int32),
        clash=np.zeros(ENDGAME_OPTIONS, np.uint64),
        member=np.zeros(problem.num_primary, np.uint64),
        need=np.zeros(problem.num_primary, np.int64),
        full=np.zeros(problem.num_primary, np.int64),
        active=np.zeros(ENDGAME_OPTIONS + 2, np.uint64),
    )


def after_givens(problem: Problem, given: tuple[int, ...]) -> tuple[Int32s, Int32s, Int32s]:
    """Return the need, the room and the colour of each item once the givens are included."""
    first = problem.num_primary
    need = np.full(problem.num_items, UNNEEDED, np.int32)
    room = np.zeros(problem.num_items, np.int32)
    need[:first] = 1 if problem.bounds is None else problem.bounds[:, LOW]
    room[:first] = 1 if problem.bounds is None else problem.bounds[:, HIGH]
    settled = np.full(problem.num_items, FREE, np.int32)
    for option in given:
        entries = slice(problem.start[option], problem.start[option + 1])
        items, colours = problem.item[entries], problem.colour[entries]
        need[items[items < first]] -= 1
        room[items[items < first]] -= 1
        settled[items] = np.where(colours > 0, colours, TAKEN)
    settled[:first] = FREE
    return need, room, settled


def live_options(problem: Problem, given: tuple[int, ...], room: Int32s, settled: Int32s) -> Bools:
    """Return which options may be included beside the givens: bool[options]."""
    live = np.zeros(problem.num_options, bool)
    if problem.num_options:
        primary = problem.item < problem.num_primary
        colours = settled[problem.item]
        free = np.where(
            primary, room[problem.item] > 0, (colours == FREE) | (colours == problem.colour)
        )
        starts = problem.start[:-1]
        live = np.logical_and.reduceat(free, starts) & np.logical_or.reduceat(primary, starts)
        live[list(given)] = False
    return live


def most_included(problem: Problem, live: Bools, room: Int32s) -> int:
    """Return an upper bound on the number of options that are included beside the givens."""
    if not live.any():
        return 0
    primary = np.add.reduceat(problem.item < problem.num_primary, problem.start[:-1], dtype=int)
    covered = int(room.sum(dtype=np.int64))
    return min(int(np.count_nonzero(live)), covered // int(primary[live].min()))


def max_depth(state: State) -> int:
    """Return an upper bound on the number of options of a solution, givens included."""
    return len(state.included)


def advance(state: State, budget: int, room: int, out: Int32s) -> int:
    """Continue the search; return the number of solutions found. See `kernel.Kernel.advance`."""
    return int(bounds_kernel.advance(tuple(state), budget, room, out))


def open_branches(state: State, weight: float) -> list[Branch]:
    """Return what a search has left. See `kernel.Kernel.open_branches`.

    In `chosen` and `options`, decisions as those of `State.path` follow the given options.
    """
    level = int(state.counters[LEVEL])
    decisions = state.path[:level].tolist()
    path = (*state.given.tolist(), *decisions)
    branches = []
    pairs = zip(decisions, state.ways[:level].tolist(), strict=True)
    for depth, (decision, ways) in enumerate(pairs, len(state.given)):
        if decision >= 0:
            rest = weight * (ways - 1) / ways
            branches.append(Branch(path, (~decision,), rest, depth))
            weight /= ways
        else:
            weight *= (ways - 1) / ways
    if state.counters[ENTERING]:
        branches.append(Branch(path, (), weight))
    return branches[::-1]


def restart(problem: Problem, root: State, state: State | None, branch: Branch) -> State:
    """Return the state of a search of one branch. See `kernel.Kernel.restart`."""
    num_given = len(root.given)
    fresh = start(problem, branch.chosen[:num_given])
    chosen = (*branch.chosen, *branch.options)
    path = chosen[num_given:]
    if fresh is None or len(branch.options) > 1 or len(path) > len(fresh.path):
        raise KernelError("a branch does not belong to this problem")
    fresh.path[: len(path)] = path
    fresh.counters[LEVEL] = len(path)
    if not fresh.counters[EXHAUSTED] and not bounds_kernel.apply(tuple(fresh), True):
        fresh.counters[EXHAUSTED], fresh.counters[ENTERING] = 1, 0  # a dead end
    # from here on, these decisions are as given: the search does not go back behind them
    fresh.counters[LEVEL] = fresh.lengths[bounds_kernel.APPLIED] = 0
    fresh.since[:] = -1
    return fresh._replace(given=np.array(chosen, np.int32))


def is_reachable(fresh: State, state: State) -> bool:
    """Return whether a search can reach a state: repeat its decisions."""
    counters = state.counters
    level, entering = int(counters[LEVEL]), int(counters[ENTERING])
    if not 0 <= level < len(state.path) or entering not in (0, 1):
        return False
    if counters[PRIMARY] != fresh.counters[PRIMARY]:
        return False
    if counters[EXHAUSTED] != (level == 0 and not entering):
        return False
    if fresh.counters[EXHAUSTED]:
        return bool(counters[EXHAUSTED])
    fresh.path[:level] = state.path[:level]
    fresh.counters[LEVEL] = level
    if not bounds_kernel.apply(tuple(fresh), True):
        return False
    if not np.array_equal(fresh.ways[:level], state.ways[:level]):
        return False
    return bool(entering) or level == 0 or bool(bounds_kernel.is_leaf(fresh))


def fraction_done(state: State) -> float:
    """Return an estimate, from 0 to 1, of the fraction of the tree that has been searched.

    All ways to decide an item are taken to be the same amount of work.
    """
    if state.counters[EXHAUSTED]:
        return 1.0
    behind, share = 0.0, 1.0
    levels = min(int(state.counters[LEVEL]), LEVELS_SEEN)
    for decision, ways in zip(
        state.path[:levels].tolist(), state.ways[:levels].tolist(), strict=True
    ):
        ways = max(1, ways)  # it may be 0 while another thread searches
        if decision >= 0:
            share /= ways
        else:
            behind += share / ways
            share *= (ways - 1) / ways
    return min(behind, 1 - 1e-12)
