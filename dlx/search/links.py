"""Kernel: dancing links with colours, over flat node arrays, for any problem.

Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1, Algorithm C: cover and
uncover, hide and unhide, purify and unpurify. Here `commit` covers an item, or purifies it where
the node has a colour. What differs from the book:

- An item that loses its last option ends the branch at once, in the middle of a commit, not at
  the next choice of an item. The nodes visited are the same, the updates a fifth fewer.
- The sizes of the items stand side by side in an array of their own, each as size * ONE + item,
  raised by COVERED while the item is covered. So the smallest, and of several the lowest, is the
  least of these numbers: one pass that vectorises, without a linked list of items.
- The search is a loop over `level` and `choice` that stops between two nodes: nothing but the
  state below is needed to go on.

A node is four numbers in `nodes`: its item, the nodes above and below it in the item's list,
and its colour. A pointer to a node is the place of the first of the four. Items' headers come
first; then the options, whose nodes follow each other, a spacer before and after each. A spacer
has SPACER + the number of the option before it for its item, that option's first node for its
UP, and the last node of the option after it for its DOWN.

Invariants between two nodes of the search:

- The list of an item that is not covered holds, in order of options, just the options that are
  compatible with all chosen ones; its size counts them (secondary items are raised by COVERED
  for good: they are never branched on, and never missed).
- Every primary item that is not covered has at least one option (but perhaps at the root).
- A node with colour PURIFIED is in an option that agrees with the settled colour of its item; it
  stays in the item's list when its option is hidden.

Pointers are unsigned, for a signed index costs a comparison: a third of the time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from dlx.problem import Int32s, Problem

name = "links"

UP, DOWN, COLOUR, NODE = 1, 2, 3, 4  # fields of a node (the item is field 0), and its length
SPACER = 1 << 31
PURIFIED = 1 << 31
TAKEN = -1  # the colour that givens settle for an item that they cover without one
ONE = 1 << 32
COVERED = 1 << 61
BLOCK = 128  # sizes that are compared before looking whether a smaller one is possible

# counters; the first five are the same in all kernels
NODES, UPDATES, EXHAUSTED, LEVEL, SOLUTIONS, REMAINING, ENTERING, PRIMARY = range(8)


class State(NamedTuple):
    """A search: all that is needed to go on with it. See the invariants of the module."""

    nodes: npt.NDArray[np.uint32]  # uint32[4 * (items + 1 + options + entries)]
    size: npt.NDArray[np.int64]  # int64[num_items]
    choice: Int32s  # int32[levels]: the node chosen
    option: Int32s  # int32[levels]: the option it is in
    missing: Int32s  # int32[levels]: items of size 0 before the choice; the option must have them
    given: Int32s  # int32[number of givens], ascending
    counters: npt.NDArray[np.int64]  # int64[8], see above


def suits(problem: Problem) -> bool:
    """Dancing links take any problem."""
    return True


def max_depth(state: State) -> int:
    """An upper bound on the length of a cover, givens included."""
    return len(state.given) + len(state.choice) - 1


def start(problem: Problem, given: tuple[int, ...]) -> State | None:
    """The state before the first node; None if the givens contradict each other."""
    if not problem.compatible(given):
        return None
    settled = np.zeros(problem.num_items, np.int32)
    for option in given:
        entries = slice(problem.start[option], problem.start[option + 1])
        settled[problem.item[entries]] = problem.colour[entries]
        settled[problem.item[entries][problem.colour[entries] == 0]] = TAKEN
    length = problem.num_items + problem.num_entries + problem.num_options + 1
    nodes = np.empty(NODE * length, np.uint32)
    size = np.arange(problem.num_items, dtype=np.int64)
    num_alive, shortest = _link(
        problem.start, problem.item, problem.colour, problem.num_primary, settled, nodes, size
    )
    remaining = int(np.count_nonzero(settled[: problem.num_primary] == 0))
    levels = min(remaining // shortest, num_alive) + 1
    counters = np.zeros(8, np.int64)
    counters[REMAINING] = remaining
    counters[ENTERING] = 1
    counters[PRIMARY] = problem.num_primary
    return State(
        nodes,
        size,
        np.zeros(levels, np.int32),
        np.zeros(levels, np.int32),
        np.zeros(levels, np.int32),
        np.array(given, np.int32),
        counters,
    )


def advance(state: State, budget: int, room: int, out: Int32s) -> int:
    """Goes on until `room` covers are found, `budget` updates spent, or the search exhausted.

    out : int32[rows, max_depth]; if rows > 0 (then room <= rows), row k gets the options of
    the k-th cover found in this call, ascending, padded by -1. Returns how many were found.
    """
    return int(_advance(*state, budget, room, out))


def done(state: State) -> float:
    """An estimate of the part of the search that is behind, from 0 to 1.

    Each level of the search adds the share of its item's options that are behind.
    """
    nodes = state.nodes
    behind, width = 0.0, 1.0
    for level in range(min(int(state.counters[LEVEL]), 12)):
        p = int(state.choice[level])
        header = NODE * int(nodes[p])
        place, length, q = 0, 0, int(nodes[header + DOWN])
        while q != header:
            if q == p:
                place = length
            length += 1
            q = int(nodes[q + DOWN])
        behind += width * place / length
        width /= length
    return behind


@njit(cache=True, nogil=True)
def _link(start, item, colour, num_primary, settled, nodes, size):  # type: ignore[no-untyped-def]
    """Writes nodes and sizes; returns the number of live options and their fewest primary items.

    Live are the options with a primary item that are compatible with the givens: `settled` has
    the colour that these give to an item, or TAKEN. The nodes of others stay out of the lists.
    """
    num_items = len(size)
    num_options = len(start) - 1
    for i in range(num_items):
        nodes[NODE * i] = i
        nodes[NODE * i + UP] = NODE * i
        nodes[NODE * i + DOWN] = NODE * i
        nodes[NODE * i + COLOUR] = 0
    num_alive = 0
    shortest = num_items + 1
    p = NODE * num_items
    nodes[p] = SPACER
    nodes[p + UP] = p
    for option in range(num_options):
        alive = True
        primary = 0
        for e in range(start[option], start[option + 1]):
            x = item[e]
            primary += x < num_primary
            if settled[x] != 0 and (settled[x] == TAKEN or settled[x] != colour[e]):
                alive = False
        alive = alive and primary > 0
        if alive:
            num_alive += 1
            shortest = min(shortest, primary)
        first = p + NODE
        nodes[p + DOWN] = p + NODE * (start[option + 1] - start[option])
        for e in range(start[option], start[option + 1]):
            p += NODE
            x = item[e]
            nodes[p] = x
            nodes[p + COLOUR] = PURIFIED if settled[x] > 0 else colour[e]
            nodes[p + UP] = p
            nodes[p + DOWN] = p
            if alive and settled[x] == 0:
                last = nodes[NODE * x + UP]
                nodes[p + UP] = last
                nodes[p + DOWN] = NODE * x
                nodes[last + DOWN] = p
                nodes[NODE * x + UP] = p
                size[x] += ONE
        p += NODE
        nodes[p] = SPACER + option
        nodes[p + UP] = first
    nodes[p + DOWN] = p
    nodes[p + COLOUR] = 0
    for x in range(num_items):
        if x >= num_primary and size[x] >> 32 == 1:
            # there is no other option to disagree with
            p = nodes[NODE * x + UP]
            nodes[p + COLOUR] = PURIFIED
        if x >= num_primary or settled[x] != 0:
            size[x] += COVERED
    return num_alive, shortest


@njit(cache=True, nogil=True, inline="always")
def _commit(nodes, size, header, colour, chosen):  # type: ignore[no-untyped-def]
    """Hides the options of an item, but those that agree with `colour`, which it purifies.

    An item is missing if it loses its last option and the option at node `chosen` does not have
    it. Then this ends early, after the option at fault; not so if chosen < 0. Returns the node
    where it ended (the header, if not early), the number of missing items, and of updates.
    """
    missing = 0
    updates = 0
    r = nodes[header + DOWN]
    while r != header:
        if colour > 0 and nodes[r + COLOUR] == colour:
            nodes[r + COLOUR] = PURIFIED
        else:
            q = np.uint32(r + NODE)
            while q != r:
                x = nodes[q]
                if x >= SPACER:
                    q = nodes[q + UP]
                    continue
                if nodes[q + COLOUR] < PURIFIED:
                    up = nodes[q + UP]
                    down = nodes[q + DOWN]
                    nodes[up + DOWN] = down
                    nodes[down + UP] = up
                    size[x] -= ONE
                    updates += 1
                    if size[x] < ONE and (chosen < 0 or not _has(nodes, chosen, x)):
                        missing += 1
                q = np.uint32(q + NODE)
            if missing > 0 and chosen >= 0:
                break
        r = nodes[r + DOWN]
    return r, missing, updates


@njit(cache=True, nogil=True, inline="always")
def _undo(nodes, size, header, colour, r):  # type: ignore[no-untyped-def]
    """Undoes `_commit`, from node `r` upwards, in the opposite order."""
    while r != header:
        if nodes[r + COLOUR] == PURIFIED:
            nodes[r + COLOUR] = colour
        else:
            q = np.uint32(r - NODE)
            while q != r:
                x = nodes[q]
                if x >= SPACER:
                    q = nodes[q + DOWN]
                    continue
                if nodes[q + COLOUR] < PURIFIED:
                    nodes[nodes[q + UP] + DOWN] = q
                    nodes[nodes[q + DOWN] + UP] = q
                    size[x] += ONE
                q = np.uint32(q - NODE)
        r = nodes[r + UP]


@njit(cache=True, nogil=True, inline="always")
def _has(nodes, p, x):  # type: ignore[no-untyped-def]
    """Whether the option at node p has item x."""
    q = np.uint32(p + NODE)
    while q != p and nodes[q] != x:
        q = nodes[q + UP] if nodes[q] >= SPACER else np.uint32(q + NODE)
    return nodes[q] == x


@njit(cache=True, nogil=True)
def _advance(  # type: ignore[no-untyped-def]
    nodes, size, choice, option, missing, given, counters, budget, room, out
):
    num_primary = counters[PRIMARY]
    level = counters[LEVEL]
    remaining = counters[REMAINING]
    entering = counters[ENTERING] != 0
    visited = 0
    updates = 0
    found = 0
    p = q = r = header = np.uint32(0)
    best = np.int64(0)
    # Locals between two rounds: best is the item branched on, p the node of its option that is
    # being tried; if `early`, its commits ended early, at node r of the item of node q.
    early = False
    while True:
        if entering:
            if updates + visited >= budget or found >= room:
                break
            visited += 1
            if remaining > 0:
                best = _smallest(size, num_primary)
                header = np.uint32(NODE * best)
                size[best] += COVERED
                remaining -= 1
                r, missing[level], spent = _commit(nodes, size, header, 0, -1)
                updates += spent
                p = nodes[header + DOWN]
            else:
                if len(out):
                    _write(out, found, given, option, level)
                found += 1
                entering = False
        if not entering:
            if not early:
                if level == 0 or found >= room:
                    break
                level -= 1
                p = np.uint32(choice[level])
                best = np.int64(nodes[p])
                header = np.uint32(NODE * best)
                q = np.uint32(p - NODE)
            while q != p:
                x = nodes[q]
                if x >= SPACER:
                    q = nodes[q + DOWN]
                    continue
                colour = nodes[q + COLOUR]
                if colour < PURIFIED:
                    if not early:
                        r = nodes[NODE * x + UP]
                    early = False
                    _undo(nodes, size, np.uint32(NODE * x), colour, r)
                    if x < num_primary:
                        size[x] -= COVERED
                        remaining += 1
                q = np.uint32(q - NODE)
            p = nodes[p + DOWN]
        # try the options of item best, from node p on
        still = missing[level]
        if still > 0:
            while p != header:
                still = missing[level]
                q = np.uint32(p + NODE)
                while q != p:
                    x = nodes[q]
                    if x >= SPACER:
                        q = nodes[q + UP]
                        continue
                    still -= size[x] < ONE
                    q = np.uint32(q + NODE)
                if still == 0:
                    break
                visited += 1
                p = nodes[p + DOWN]
        if p == header:
            _undo(nodes, size, header, 0, nodes[header + UP])
            size[best] -= COVERED
            remaining += 1
            entering = False
            continue
        q = np.uint32(p + NODE)
        entering = True
        while q != p:
            x = nodes[q]
            if x >= SPACER:
                option[level] = x - SPACER
                q = nodes[q + UP]
                continue
            colour = nodes[q + COLOUR]
            if colour < PURIFIED:
                if x < num_primary:
                    size[x] += COVERED
                    remaining -= 1
                r, still, spent = _commit(nodes, size, np.uint32(NODE * x), colour, p)
                updates += spent
                if still > 0:
                    visited += 1
                    early = True
                    entering = False
                    break
            q = np.uint32(q + NODE)
        if entering:
            choice[level] = p
            level += 1
    if not entering and level == 0:
        counters[EXHAUSTED] = 1
    counters[NODES] += visited
    counters[UPDATES] += updates
    counters[SOLUTIONS] += found
    counters[LEVEL] = level
    counters[REMAINING] = remaining
    counters[ENTERING] = entering
    return found


@njit(cache=True, nogil=True, inline="always")
def _smallest(size, num_primary):  # type: ignore[no-untyped-def]
    """The item of smallest size, the lowest if there are several."""
    least = np.int64(COVERED)
    beyond = num_primary - num_primary % BLOCK  # whole blocks, of a constant length, are faster
    for first in range(0, beyond, BLOCK):
        for i in range(BLOCK):
            least = min(least, size[np.uint64(first + i)])
        if least < 2 * ONE:
            return least & (ONE - 1)
    for i in range(num_primary - beyond):
        least = min(least, size[np.uint64(beyond + i)])
    return least & (ONE - 1)


@njit(cache=True, nogil=True)
def _write(out, row, given, option, level):  # type: ignore[no-untyped-def]
    """Writes a cover into a row of the output, ascending (Shell's sort), padded by -1."""
    length = len(given) + level
    for i in range(len(given)):
        out[row, i] = given[i]
    for i in range(level):
        out[row, len(given) + i] = option[i]
    for i in range(length, out.shape[1]):
        out[row, i] = -1
    gap = 1
    while gap < length // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, length):
            value = out[row, i]
            k = i
            while k >= gap and out[row, k - gap] > value:
                out[row, k] = out[row, k - gap]
                k -= gap
            out[row, k] = value
        gap //= 3
