"""Compiled search of the kernel "links": dancing links with colours over flat node arrays.

Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1, Algorithm C: cover and
uncover, hide and unhide, purify and unpurify. Here `commit` covers an item, or purifies it where
the node has a colour. Differences from the book:

- An item that loses its last option ends the branch at once, in the middle of a commit, not at
  the next choice of an item. The nodes visited are the same, the updates a fifth fewer.
- The sizes of the items stand side by side in an array of their own, each as size * ONE_OPTION +
  item, raised by COVERED while the item is covered. So the item of smallest size, and of several
  the lowest item, has the least of these numbers: one pass that vectorises, without a linked list
  of items.
- The items may have numbers of their own here, see `link`.
- The search is a loop over `level` and `choice` that stops between two nodes: the state below is
  all that is needed to continue.

A node is four numbers in `nodes`: its item, the nodes above and below it in the item's list,
and its colour. A pointer to a node is the place of the first of the four. The headers of the
items come first; then the options, the nodes of each in sequence, with a spacer before and after
each option. The item of a spacer is SPACER + the number of the option before it, its UP is the
first node of that option, and its DOWN the last node of the option after it.

Invariants between two nodes of the search:

- The list of an item that is not covered holds, in order of options, exactly the options that are
  compatible with all chosen ones, and its size counts them. (The sizes of secondary items are
  raised by COVERED permanently: the search neither branches on them nor needs them covered.)
- Every primary item that is not covered has at least one option (except perhaps at the root).
- A node with colour PURIFIED is in an option that agrees with the settled colour of its item; it
  stays in the item's list when its option is hidden.

Pointers are unsigned: a signed index costs a comparison, a third of the time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.compiled import helper, inlined, interpreted, is_stored, kernel
from dlx.search.counters import EXHAUSTED, LEVEL, NODES, OWN, SOLUTIONS, UPDATES

UP, DOWN, COLOUR, NODE = 1, 2, 3, 4  # fields of a node (the item is field 0), and its length
SPACER = 1 << 31
PURIFIED = 1 << 31
NONE = np.uint32(0)  # no colour; no option (place 0 is the header of item 0)
TAKEN = -1  # the colour that givens settle for an item that they cover without a colour
ONE_OPTION = 1 << 32
COVERED = 1 << 61
BLOCK_SIZES = 128  # sizes that are compared before a test whether a smaller one is possible

# Arguments of helpers have one type at all calls and are no literals: numba compiles a helper once
# more for each other type, and for literals.

int64: Any = np.int64
boolean: Any = np.bool_

# places in State.counters beside the common ones: items not yet covered, whether the search
# enters a new node, the number of primary items
REMAINING, ENTERING, PRIMARY = range(OWN, OWN + 3)


class State(NamedTuple):
    """A search between two calls of `advance`. See the invariants of the module."""

    nodes: npt.NDArray[np.uint32]  # [4 * (items + 1 + options + entries)]
    size: npt.NDArray[np.int64]  # [items]
    choice: npt.NDArray[np.int32]  # [levels] the node chosen at each level
    option: npt.NDArray[np.int32]  # [levels] the option of that node
    # [levels] items of size 0 before the choice; the chosen option must have all of them
    missing: npt.NDArray[np.int32]
    given: npt.NDArray[np.int32]  # [givens] ascending
    counters: npt.NDArray[np.int64]  # [8] see `dlx.search.counters`


@kernel
def link(  # type: ignore[no-untyped-def]
    start, item, colour, given, ascending, nodes, size, scratch, counters
):  # fmt: skip
    """Write the nodes and sizes of a problem, and the counters before the first node.

    Only live options are linked into the lists of their items. An option is live if it has a
    primary item and is compatible with the givens.

    Parameters
    ----------
    start, item, colour : int32[]
        The arrays of the problem.
    given : int32[]
        Ascending.
    ascending : bool
        Whether to number the primary items in ascending order of their number of options. Of
        several items with equally few options left the search then prefers the one with the fewest
        at the start, and it finds the solutions in the order of the kernel "bits".
    nodes, size, counters : arrays of the state
        Zeros, but for the number of primary items in `counters`.
    scratch : int32[2 * num_items + num_options + 2]
        Zeros.

    Returns
    -------
    int
        An upper bound on the levels of a search, at least 1; 0 if two givens are not compatible.
    """
    num_items = len(size)
    num_options = len(start) - 1
    num_primary = counters[PRIMARY]
    # the colour that the givens settle for an item, TAKEN without a colour, 0 if they do not cover
    # it; the number of each item in the state; the options of items with fewer options
    settled = scratch[:num_items]
    number = scratch[num_items : 2 * num_items]
    below = scratch[2 * num_items :]
    remaining = num_primary
    for option in given:
        for e in range(start[option], start[option + 1]):
            x = item[e]
            if settled[x] == 0:
                settled[x] = colour[e] if colour[e] > 0 else TAKEN
                remaining -= x < num_primary
            elif settled[x] != colour[e]:
                return 0
    if ascending:  # a stable sort by counting
        for x in item:
            number[x] += 1
        for x in range(num_primary):
            below[number[x] + 1] += 1
        for k in range(num_options + 1):
            below[k + 1] += below[k]
        for x in range(num_primary):
            k = number[x]
            number[x] = below[k]
            below[k] += 1
    for x in range(num_primary if ascending else 0, num_items):
        number[x] = x
    for i in range(num_items):
        nodes[NODE * i] = i
        nodes[NODE * i + UP] = NODE * i
        nodes[NODE * i + DOWN] = NODE * i
        size[i] = i
    num_alive = int64(0)  # typed, as all locals here: see `advance`
    shortest = num_items + 1
    p = NODE * num_items
    nodes[p] = SPACER
    nodes[p + UP] = p
    for option in range(num_options):
        alive = boolean(True)
        primary = int64(0)
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
            index = number[x]
            nodes[p] = index
            nodes[p + COLOUR] = PURIFIED if settled[x] > 0 else colour[e]
            nodes[p + UP] = p
            nodes[p + DOWN] = p
            if alive and settled[x] == 0:
                last = nodes[NODE * index + UP]
                nodes[p + UP] = last
                nodes[p + DOWN] = NODE * index
                nodes[last + DOWN] = p
                nodes[NODE * index + UP] = p
                size[index] += ONE_OPTION
        p += NODE
        nodes[p] = SPACER + option
        nodes[p + UP] = first
    nodes[p + DOWN] = p
    nodes[p + COLOUR] = 0
    for x in range(num_items):
        if x >= num_primary and size[x] >> 32 == 1:
            # no other option can disagree with the only one
            p = nodes[NODE * x + UP]
            nodes[p + COLOUR] = PURIFIED
        if x >= num_primary or settled[x] != 0:
            size[number[x]] += COVERED
    counters[REMAINING] = remaining
    counters[ENTERING] = 1
    return min(remaining // shortest, num_alive) + 1


@inlined
def _commit(nodes, size, header, colour, chosen):  # type: ignore[no-untyped-def]
    """Hide the options of an item; purify those that agree with `colour` instead.

    An item is missing if it loses its last option and the option at node `chosen` does not have
    it. With chosen > 0 this function returns as soon as an item is missing, after the option that
    took its last one; NONE is no option.

    Returns
    -------
    r : the node at which it ended; the header unless it ended early
    missing : number of missing items
    updates : number of options removed from lists
    """
    missing = updates = int64(0)
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
                    size[x] -= ONE_OPTION
                    updates += 1
                    if size[x] < ONE_OPTION and (chosen == NONE or not _has(nodes, chosen, x)):
                        missing += 1
                q = np.uint32(q + NODE)
            if missing > 0 and chosen != NONE:
                break
        r = nodes[r + DOWN]
    return r, missing, updates


@inlined
def _undo(nodes, size, header, colour, r):  # type: ignore[no-untyped-def]
    """Undo `_commit`, from node `r` upwards, in the opposite order."""
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
                    size[x] += ONE_OPTION
                q = np.uint32(q - NODE)
        r = nodes[r + UP]


@inlined
def _has(nodes, p, x):  # type: ignore[no-untyped-def]
    """Return whether the option at node p has item x."""
    q = np.uint32(p + NODE)
    while q != p and nodes[q] != x:
        q = nodes[q + UP] if nodes[q] >= SPACER else np.uint32(q + NODE)
    return nodes[q] == x


@kernel
def advance(state, budget, room, out):  # type: ignore[no-untyped-def]
    """Continue the search; return the number of solutions found. See `kernel.Kernel.advance`."""
    nodes, size, choice, option, missing, given, counters = state
    num_primary = counters[PRIMARY]
    level = counters[LEVEL]
    remaining = counters[REMAINING]
    entering = counters[ENTERING] != 0
    # Numba repeats its type inference until no type changes: locals that begin with a literal
    # would double it, and have `_write` compiled once more.
    visited = updates = found = int64(0)
    p = q = r = header = np.uint32(0)
    best = np.int64(0)
    # Locals between two rounds: `best` is the item branched on, p the node of its option that is
    # being tried; if `early`, the commits of that option ended early, at node r of the item of
    # node q.
    early = boolean(False)
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
                r, missing[level], spent = _commit(nodes, size, header, NONE, NONE)
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
        still = int64(missing[level])
        if still > 0:
            while p != header:
                still = int64(missing[level])
                q = np.uint32(p + NODE)
                while q != p:
                    x = nodes[q]
                    if x >= SPACER:
                        q = nodes[q + UP]
                        continue
                    still -= size[x] < ONE_OPTION
                    q = np.uint32(q + NODE)
                if still == 0:
                    break
                visited += 1
                p = nodes[p + DOWN]
        if p == header:
            _undo(nodes, size, header, NONE, nodes[header + UP])
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


@kernel
def replay(state, path):  # type: ignore[no-untyped-def]
    """Choose the options of a path of nodes, from the state before the first node.

    Returns
    -------
    bool
        Whether a search chooses this path; if not, the state is of no use.
    """
    nodes, size, choice, option, missing, _given, counters = state
    num_primary = counters[PRIMARY]
    remaining = counters[REMAINING]
    for level in range(len(path)):
        p = np.uint32(path[level])
        if remaining == 0 or nodes[p] >= num_primary or nodes[p] != _smallest(size, num_primary):
            return False
        best = np.int64(nodes[p])
        header = np.uint32(NODE * best)
        size[best] += COVERED
        remaining -= 1
        _, missing[level], _ = _commit(nodes, size, header, NONE, NONE)
        at = nodes[header + DOWN]
        while at != header and at != p:
            at = nodes[at + DOWN]
        if at != p:
            return False
        still = missing[level]
        q = np.uint32(p + NODE)
        while q != p:
            x = nodes[q]
            if x >= SPACER:
                q = nodes[q + UP]
                continue
            still -= size[x] < ONE_OPTION
            q = np.uint32(q + NODE)
        if missing[level] > 0 and still != 0:
            return False
        q = np.uint32(p + NODE)
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
                _, still, _ = _commit(nodes, size, np.uint32(NODE * x), colour, p)
                if still > 0:
                    return False
            q = np.uint32(q + NODE)
        choice[level] = p
    counters[LEVEL] = len(path)
    counters[REMAINING] = remaining
    return True


@inlined
def _smallest(size, num_primary):  # type: ignore[no-untyped-def]
    """Return the item of smallest size, the lowest of several."""
    least = np.int64(COVERED)
    beyond = num_primary - num_primary % BLOCK_SIZES  # blocks of a constant length are faster
    for first in range(0, beyond, BLOCK_SIZES):
        for i in range(BLOCK_SIZES):
            least = min(least, size[np.uint64(first + i)])
        if least < 2 * ONE_OPTION:
            return least & (ONE_OPTION - 1)
    for i in range(num_primary - beyond):
        least = min(least, size[np.uint64(beyond + i)])
    return least & (ONE_OPTION - 1)


@helper
def _write(out, row, given, option, level):  # type: ignore[no-untyped-def]
    """Write a solution into a row of the output, ascending (Shell's sort), padded with -1."""
    length = len(given) + level
    for i in range(len(given)):
        out[row, i] = given[i]
    for i in range(level):
        out[row, len(given) + i] = option[i]
    for i in range(length, out.shape[1]):
        out[row, i] = -1
    gap = int64(1)
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


link_interpreted, advance_interpreted = interpreted(link), interpreted(advance)


def has_stored_code() -> bool:
    """Whether `advance` only has to be loaded."""
    return is_stored(advance)
