"""Kernel "links": dancing links with colours, for any problem.

This module translates a problem into the node arrays that `links_kernel` describes and searches.

In a command the interpreter takes the first steps: it takes seconds to compile the kernel, and a
tenth of a second to load what was compiled. Many problems need less.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlx.errors import KernelError
from dlx.problem import Int32s, Problem
from dlx.search import links_kernel
from dlx.search.branch import Branch
from dlx.search.counters import EXHAUSTED, LENGTH, LEVEL, NODES, UPDATES
from dlx.search.links_kernel import (
    COLOUR,
    DOWN,
    ENTERING,
    NODE,
    PRIMARY,
    REMAINING,
    SPACER,
    State,
)

name = "links"
takes_options = False
changing = ("nodes", "size", "choice", "option", "missing", "counters")

# Fields that follow from the choices, by which a saved state is checked.
ARRAYS = ("nodes", "size")  # compared in full
PER_LEVEL = ("choice", "option", "missing")  # compared up to the current level

NO_GIVENS = np.zeros(0, np.int32)

FIRST_STEPS, FIRST_STEPS_IF_STORED = 1 << 19, 1 << 14
"""Steps that the interpreter takes before the kernel is compiled, and before it is loaded if its
code is stored. An entry or item that is linked and an update are a step each; a node is
1 + primary items / SCANNED steps. A step takes 3 us."""
SCANNED = 16
MOST_LINKED = 1 << 16  # entries and items that the interpreter links

SMALL_STATE = 1 << 12  # numbers in the nodes of a search whose branches need no compiled code
LEVELS_SEEN = 12  # by `fraction_done`: deeper levels change the estimate by less than its error


class _Interpreter:
    """The kernel in plain Python, and the steps that are left to it; none once the kernel runs."""

    def __init__(self) -> None:
        self.left = 0

    def link(self, *arguments: Any) -> int:
        """See `links_kernel.link`."""
        views = (one.data if isinstance(one, np.ndarray) else one for one in arguments)
        return int(links_kernel.link_interpreted(*views))

    def advance(self, state: State, budget: int, room: int, out: Int32s) -> tuple[int, int]:
        """Continue the search; return the nodes and updates, and the solutions found."""
        counters = state.counters
        node_steps = 1 + int(counters[PRIMARY]) // SCANNED
        visited, updates = int(counters[NODES]), int(counters[UPDATES])
        budget = min(budget, max(1, self.left // node_steps))
        views = tuple(array.data for array in state)
        found = int(links_kernel.advance_interpreted(views, budget, room, out.data))
        visited, updates = int(counters[NODES]) - visited, int(counters[UPDATES]) - updates
        self.left -= node_steps * visited + updates
        return visited + updates, found


_interpreter = _Interpreter()


def begin_first_steps() -> None:
    """Let the interpreter take the first steps; see `kernel.interpreted_first_steps`."""
    is_stored = links_kernel.has_stored_code()
    _interpreter.left = FIRST_STEPS_IF_STORED if is_stored else FIRST_STEPS


def end_first_steps() -> None:
    """Let the kernel take the next steps."""
    _interpreter.left = 0


def suits(problem: Problem) -> bool:
    """Return True for all problems without multiplicities."""
    return problem.bounds is None


def start(problem: Problem, given: tuple[int, ...], ascending: bool = False) -> State | None:
    """Return the state before the first node; None if the givens are not compatible.

    With `ascending` it is that of a trial, which finds the solutions in the order of "bits".
    """
    items, options = problem.num_items, problem.num_options
    nodes = np.zeros(NODE * (items + problem.num_entries + options + 1), np.uint32)
    size = np.zeros(items, np.int64)
    scratch = np.zeros(2 * items + options + 2, np.int32)
    givens = np.array(given, np.int32) if given else NO_GIVENS
    counters = np.zeros(LENGTH, np.int64)
    counters[PRIMARY] = problem.num_primary
    entries = problem.start, problem.item, problem.colour
    link = links_kernel.link
    if _interpreter.left > 0:
        number = problem.num_entries + problem.num_items
        _interpreter.left = _interpreter.left - number if number <= MOST_LINKED else 0
        if _interpreter.left > 0:
            link = _interpreter.link
    levels = link(*entries, givens, ascending, nodes, size, scratch, counters)
    if levels == 0:
        return None
    # three arrays: to take apart one of two dimensions takes longer
    choice, option = np.zeros(levels, np.int32), np.zeros(levels, np.int32)
    missing = np.zeros(levels, np.int32)
    return State(nodes, size, choice, option, missing, givens, counters)


def max_depth(state: State) -> int:
    """Return an upper bound on the number of options of a solution, givens included."""
    return len(state.given) + len(state.choice) - 1


def advance(state: State, budget: int, room: int, out: Int32s) -> int:
    """Continue the search; return the number of solutions found. See `kernel.Kernel.advance`.

    Without a budget it only compiles the kernel, or loads it.
    """
    spent = found = 0
    if _interpreter.left > 0:
        if budget:
            spent, found = _interpreter.advance(state, budget, room, out)
        if found >= room > 0 or spent >= budget > 0 or state.counters[EXHAUSTED]:
            return found
        _interpreter.left = 0
        budget, room, out = budget - spent, room - found, out[found:]
    return found + int(links_kernel.advance(tuple(state), budget, room, out))


def open_branches(state: State, weight: float) -> list[Branch]:
    """Return what a search has left. See `kernel.Kernel.open_branches`."""
    from dlx.search import branch_kernel  # compiled only for searches that are split

    level = int(state.counters[LEVEL])
    found = np.empty(len(state.nodes) // NODE, np.int64)
    stops, totals = np.empty((2, level), np.int64)
    untried = branch_kernel.untried_links
    if len(state.nodes) <= SMALL_STATE:  # Python itself takes less time than to compile or load it
        untried = getattr(untried, "py_func", untried)
    untried(state, found, stops, totals)
    num_given = len(state.given)
    path = (*state.given.tolist(), *state.option[:level].tolist())
    branches = []
    begin = 0
    for depth, (stop, total) in enumerate(zip(stops.tolist(), totals.tolist(), strict=True)):
        weight /= total
        if options := tuple(found[begin:stop].tolist()):
            branches.append(Branch(path, options, weight * len(options), num_given + depth))
        begin = stop
    if state.counters[ENTERING]:
        branches.append(Branch(path, (), weight))
    return branches[::-1]


def restart(problem: Problem, root: State, state: State | None, branch: Branch) -> State:
    """Return the state of a search of one branch. See `kernel.Kernel.restart`."""
    fresh = start(problem, tuple(sorted(branch.chosen)))
    if fresh is None or branch.options:
        raise KernelError("a branch does not belong to this problem")
    return fresh


def is_reachable(fresh: State, state: State) -> bool:
    """Return whether a search can reach a state: repeat its choices, and compare the arrays."""
    counters = state.counters
    level, entering = int(counters[LEVEL]), int(counters[ENTERING])
    if not 0 <= level < len(state.choice) or entering not in (0, 1):
        return False
    if counters[EXHAUSTED] != (level == 0 and not entering):
        return False
    num_items = len(state.size)
    path = state.choice[:level].astype(np.int64)
    in_options = (path >= NODE * num_items) & (path < len(state.nodes)) & (path % NODE == 0)
    if not in_options.all() or (fresh.nodes[path] >= num_items).any():
        return False
    if not links_kernel.replay(fresh, path):
        return False
    for nodes in (fresh.nodes.reshape(-1, NODE), state.nodes.reshape(-1, NODE)):
        nodes[nodes[:, 0] >= SPACER, COLOUR] = 0  # has no meaning; format 1 did not set it
    same = (LEVEL, REMAINING, PRIMARY)
    return (
        all(fresh.counters[place] == counters[place] for place in same)
        and all(np.array_equal(getattr(fresh, n), getattr(state, n)) for n in ARRAYS)
        and all(
            np.array_equal(getattr(fresh, n)[:level], getattr(state, n)[:level]) for n in PER_LEVEL
        )
    )


def fraction_done(state: State) -> float:
    """Return an estimate, from 0 to 1, of the fraction of the tree that has been searched.

    All options of an item are taken to be the same amount of work. Each level adds the share of
    the options of its item that have been tried.
    """
    if state.counters[EXHAUSTED]:
        return 1.0
    nodes = state.nodes
    behind, share = 0.0, 1.0
    for level in range(min(int(state.counters[LEVEL]), LEVELS_SEEN)):
        p = int(state.choice[level])
        header = NODE * int(nodes[p])
        place, length, q = 0, 0, int(nodes[header + DOWN])
        while q != header:
            if q == p:
                place = length
            length += 1
            q = int(nodes[q + DOWN])
        length = max(1, length)  # the list may be empty while another thread searches
        behind += share * place / length
        share /= length
    return min(behind, 1 - 1e-12)
