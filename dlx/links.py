"""Kernel: dancing links with colours, over flat node arrays, for any problem.

Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1, Algorithm C: cover and
uncover, hide and unhide, purify and unpurify. Here `commit` is cover, or purify where the node
has a colour. What differs from the book:

- An item that lost its last option ends the branch at once, in the middle of a commit, not at
  the next choice of an item. The nodes visited are the same, the updates fewer.
- The sizes of the items stand side by side in an array of their own; a covered item's size is
  raised by COVERED. So the smallest is found by one pass that vectorises, without a linked list.
- The search is a loop over `level` and `choice`, and stops between two nodes: nothing but the
  state below is needed to go on.

A node is four numbers in `nodes`: its item, the nodes above and below it in the item's list,
and its colour. A pointer to a node is the place of the first of them. The nodes of an option
follow each other, with a spacer before and after; a spacer's item is -1 - (number of the option
before it), its UP the first node of the option before it, its DOWN the last of the one after.

Invariants between two nodes of the search:

- The list of an item that is not covered holds, in order of options, just the options that are
  compatible with all chosen ones; `size` is its length (plus COVERED for secondary items, which
  are never chosen to branch on, and never missed).
- Every item that is not covered has at least one option (but for the first node).
- A node with colour PURIFIED is in an option that agrees with the colour of its item, which is
  settled; it stays in the list of its item when its option is hidden.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from dlx.problem import Int32s, Problem

name = "links"

UP, DOWN, COLOUR, NODE = 1, 2, 3, 4  # fields of a node (the item is field 0), and its length
PURIFIED = -1  # a colour: that of the settled item
TAKEN = -1  # an item without colour, in a given option
COVERED = 1 << 29
BLOCK = 64  # items whose sizes are compared at once

# counters; the first five are the same in all kernels
NODES, UPDATES, EXHAUSTED, LEVEL, COVERS, REMAINING, ENTERING, PRIMARY = range(8)


class State(NamedTuple):
    """A search: all that is needed to go on with it. See the invariants of the module."""

    nodes: Int32s  # int32[4 * (items + 1 + options + entries)]
    size: Int32s  # int32[num_items]
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
    nodes = np.empty(NODE * length, np.int32)
    size = np.zeros(problem.num_items, np.int32)
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
    the colour that these give to an item, or TAKEN. Other options' nodes stay out of the lists.
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
    nodes[p] = -1
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
                size[x] += 1
        p += NODE
        nodes[p] = -1 - option
        nodes[p + UP] = first
    nodes[p + DOWN] = p
    nodes[p + COLOUR] = 0
    for x in range(num_items):
        if x >= num_primary and size[x] == 1:
            # nobody to share with: as good as settled
            p = nodes[NODE * x + UP]
            nodes[p + COLOUR] = PURIFIED
        if x >= num_primary or settled[x] != 0:
            size[x] += COVERED
    return num_alive, shortest


@njit(cache=True, nogil=True)
def _commit(nodes, size, header, colour, chosen):  # type: ignore[no-untyped-def]
    """Hides the options of an item but those that agree with `colour`, and purifies these.

    Ends early, after the option at fault, if an item that the option at node `chosen` does not
    have loses its last option. With chosen < 0 it goes on. Returns the node where it ended (the
    header, if it did not end early), the number of such items and of updates.
    """
    missing = 0
    updates = 0
    r = nodes[header + DOWN]
    while r != header:
        if colour > 0 and nodes[r + COLOUR] == colour:
            nodes[r + COLOUR] = PURIFIED
        else:
            q = r + NODE
            while q != r:
                x = nodes[q]
                if x < 0:
                    q = nodes[q + UP]
                    continue
                if nodes[q + COLOUR] >= 0:
                    up = nodes[q + UP]
                    down = nodes[q + DOWN]
                    nodes[up + DOWN] = down
                    nodes[down + UP] = up
                    size[x] -= 1
                    updates += 1
                    if size[x] == 0 and (chosen < 0 or not _has(nodes, chosen, x)):
                        missing += 1
                q += NODE
            if missing > 0 and chosen >= 0:
                break
        r = nodes[r + DOWN]
    return r, missing, updates


@njit(cache=True, nogil=True)
def _undo(nodes, size, header, colour, r):  # type: ignore[no-untyped-def]
    """Undoes `_commit`, from node `r` upwards, in the opposite order."""
    while r != header:
        if nodes[r + COLOUR] == PURIFIED:
            nodes[r + COLOUR] = colour
        else:
            q = r - NODE
            while q != r:
                x = nodes[q]
                if x < 0:
                    q = nodes[q + DOWN]
                    continue
                if nodes[q + COLOUR] >= 0:
                    nodes[nodes[q + UP] + DOWN] = q
                    nodes[nodes[q + DOWN] + UP] = q
                    size[x] += 1
                q -= NODE
        r = nodes[r + UP]


@njit(cache=True, nogil=True)
def _has(nodes, p, x):  # type: ignore[no-untyped-def]
    """Whether the option at node p has item x."""
    q = p + NODE
    while q != p:
        if nodes[q] == x:
            return True
        q = nodes[q + UP] if nodes[q] < 0 else q + NODE
    return nodes[p] == x


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
    while found < room:
        if entering:
            if updates + visited >= budget:
                break
            visited += 1
            if remaining == 0:
                if len(out):
                    _write(out[found], given, option[:level])
                found += 1
                entering = False
                continue
            best = _smallest(size, num_primary)
            size[best] += COVERED
            remaining -= 1
            p, missing[level], spent = _commit(nodes, size, NODE * best, 0, -1)
            updates += spent
            p = nodes[p + DOWN]
        else:
            if level == 0:
                counters[EXHAUSTED] = 1
                break
            level -= 1
            p = choice[level]
            remaining += _retract(nodes, size, num_primary, p, p, 0)
            best = nodes[p]
            p = nodes[p + DOWN]
        # try the options of item best, from node p on
        header = NODE * best
        entering = True
        while p != header:
            still = missing[level]
            q = p + NODE
            if still > 0:
                while q != p:
                    x = nodes[q]
                    if x < 0:
                        q = nodes[q + UP]
                        continue
                    still -= size[x] == 0
                    q += NODE
                q = p + NODE
            if still == 0:
                while q != p:
                    x = nodes[q]
                    if x < 0:
                        option[level] = -1 - x
                        q = nodes[q + UP]
                        continue
                    colour = nodes[q + COLOUR]
                    if colour >= 0:
                        if x < num_primary:
                            size[x] += COVERED
                            remaining -= 1
                        r, still, spent = _commit(nodes, size, NODE * x, colour, p)
                        updates += spent
                        if still > 0:
                            remaining += _retract(nodes, size, num_primary, p, q, r)
                            break
                    q += NODE
                if still == 0:
                    break
            visited += 1
            p = nodes[p + DOWN]
        if p == header:
            _undo(nodes, size, header, 0, nodes[header + UP])
            size[best] -= COVERED
            remaining += 1
            entering = False
        else:
            choice[level] = p
            level += 1
    counters[NODES] += visited
    counters[UPDATES] += updates
    counters[COVERS] += found
    counters[LEVEL] = level
    counters[REMAINING] = remaining
    counters[ENTERING] = entering
    return found


@njit(cache=True, nogil=True)
def _retract(nodes, size, num_primary, p, q, r):  # type: ignore[no-untyped-def]
    """Undoes the commits of the option at node p, all (q == p), or up to node r of that of q.

    Returns the number of primary items that are uncovered by this.
    """
    uncovered = 0
    partial = q != p
    if not partial:
        q = p - NODE
    while q != p:
        x = nodes[q]
        if x < 0:
            q = nodes[q + DOWN]
            continue
        colour = nodes[q + COLOUR]
        if colour >= 0:
            if not partial:
                r = nodes[NODE * x + UP]
            partial = False
            _undo(nodes, size, NODE * x, colour, r)
            if x < num_primary:
                size[x] -= COVERED
                uncovered += 1
        q -= NODE
    return uncovered


@njit(cache=True, nogil=True)
def _smallest(size, num_primary):  # type: ignore[no-untyped-def]
    """The item of smallest size, the lowest if there are several."""
    least = COVERED
    block = 0
    for b in range(0, num_primary, BLOCK):
        smallest = least
        for i in range(b, min(b + BLOCK, num_primary)):
            smallest = min(smallest, size[i])
        if smallest < least:
            least = smallest
            block = b
            if least <= 1:
                break
    while size[block] != least:
        block += 1
    return block


@njit(cache=True, nogil=True)
def _write(row, given, option):  # type: ignore[no-untyped-def]
    """Writes a cover into a row of the output, ascending (Shell's sort), padded by -1."""
    length = len(given) + len(option)
    row[: len(given)] = given
    row[len(given) : length] = option
    row[length:] = -1
    gap = 1
    while gap < length // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, length):
            value = row[i]
            k = i
            while k >= gap and row[k - gap] > value:
                row[k] = row[k - gap]
                k -= gap
            row[k] = value
        gap //= 3
