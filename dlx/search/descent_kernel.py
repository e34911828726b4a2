"""Compiled random descents in the search tree of a problem, and its first branches.

The tree is that of Knuth's Algorithm C (The Art of Computer Programming 4B, 7.2.2.1): a node
branches on the item with the fewest options, the first of several.

Invariants of a position (`alive`, `size`, `least`) of the tree:

- `alive[o]` is 1 if option o has a primary item, is not chosen, and is compatible with all chosen
  options.
- `size[x]` is the number of these options that have item x, or at least COVERED // 2 if a chosen
  option has it. Sizes of secondary items have no meaning.
- `least[b]` is the least size of primary items BLOCK_ITEMS * b to BLOCK_ITEMS * (b + 1) - 1, so
  that a node need not look at all items: a search of thousands of levels would take the square of
  them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlx.compiled import allocating, helper, kernel

COVERED = 1 << 40  # more than twice the options of any problem
BLOCK_ITEMS = 64


class Incidence(NamedTuple):
    """A problem, by options and by items."""

    # int32[] each, as in `Problem`; items that are preferred have lower numbers
    start: Any
    item: Any
    colour: Any
    # int64[items + 1]: item x has the entries entry[first[x]:first[x + 1]], by option
    first: Any
    entry: Any  # int32[entries]: the entries, one item after the other
    option_of: Any  # int32[entries]: the options of these
    num_primary: int


@kernel
def begin(arrays, given, alive, size, least):  # type: ignore[no-untyped-def]
    """Write the position at which these options, compatible with each other, are chosen."""
    start, item, _, first, _, _, num_primary = arrays
    for x in range(len(size)):
        size[x] = first[x + 1] - first[x]
    for b in range(len(least)):
        least[b] = _least_size(size, b, num_primary)
    for o in range(len(alive)):
        alive[o] = 0
        for e in range(start[o], start[o + 1]):
            if item[e] < num_primary:
                alive[o] = 1
    for o in given:
        choose(arrays, o, alive, size, least)


@helper
def _least_size(size, block, num_primary):  # type: ignore[no-untyped-def]
    """Return the least size of the primary items of a block."""
    found = np.int64(COVERED)
    for x in range(BLOCK_ITEMS * block, min(BLOCK_ITEMS * (block + 1), num_primary)):
        found = min(found, size[x])
    return found


@kernel
def choose(arrays, chosen, alive, size, least):  # type: ignore[no-untyped-def]
    """Choose an option: cover its items, remove the options that are not compatible with it."""
    start, item, colour, first, entry, option_of, num_primary = arrays
    alive[chosen] = 0
    for e in range(start[chosen], start[chosen + 1]):
        x = item[e]
        before = size[x]
        size[x] = COVERED
        if x < num_primary and before == least[x // BLOCK_ITEMS]:
            least[x // BLOCK_ITEMS] = _least_size(size, x // BLOCK_ITEMS, num_primary)
        for k in range(first[x], first[x + 1]):
            other = option_of[k]
            if alive[other] and (colour[e] == 0 or colour[entry[k]] != colour[e]):
                alive[other] = 0
                for f in range(start[other], start[other + 1]):
                    y = item[f]
                    size[y] -= 1
                    if y < num_primary:
                        least[y // BLOCK_ITEMS] = min(least[y // BLOCK_ITEMS], size[y])


@kernel
def fewest(size, least):  # type: ignore[no-untyped-def]
    """Return the item to branch on; -1 if all primary items are covered."""
    best = -1
    fewest_options = np.int64(COVERED // 2)
    for b in range(len(least)):
        if least[b] < fewest_options:
            best = b
            fewest_options = least[b]
    if best < 0:
        return best
    x = BLOCK_ITEMS * best
    while size[x] != fewest_options:
        x += 1
    return x


@kernel
def options_of(arrays, item, alive, found):  # type: ignore[no-untyped-def]
    """Write the options that an item has left to `found`, ascending; return their number."""
    _, _, _, first, _, option_of, _ = arrays
    length = 0
    for k in range(first[item], first[item + 1]):
        o = option_of[k]
        if alive[o]:
            found[length] = o
            length += 1
    return length


@allocating
def descend(  # type: ignore[no-untyped-def]
    arrays, alive, size, least, free, random, nodes, solutions
):  # fmt: skip
    """Descend from a position to a leaf, `len(nodes)` times, by random options.

    A descent whose branching numbers are d1, d2, ..., dk estimates 1 + d1 + d1 d2 + ... nodes, and
    d1 d2 ... dk solutions if it ends at one (Knuth, Math. Comp. 29, 1975, 122-136). Both estimates
    are unbiased.

    Parameters
    ----------
    arrays : Incidence
    alive, size, least : uint8[num_options], int64[num_items], int64[blocks]
        The position.
    free : int
        Which nodes are counted. 0: all, as "links" does. 1: below the root none where an item has
        one option left. 2: as 1, and where all items have two options left, the second is not
        counted if the first is a dead end; as "bits" does (1 with secondary items, else 2).
    random : uint64[1]
        State of the generator, not 0; changed.
    nodes, solutions : float64[samples]
        Written.
    """
    own_alive = alive.copy()
    own_size = size.copy()
    own_least = least.copy()
    found = np.empty(len(alive), np.int64)
    word = random[0]
    for sample in range(len(nodes)):
        # a slice assigned to a slice would have numba compile the text of an error, for seconds
        for o in range(len(alive)):
            own_alive[o] = alive[o]
        for x in range(len(size)):
            own_size[x] = size[x]
        for b in range(len(least)):
            own_least[b] = least[b]
        weight = 1.0
        total = 1.0
        solved = 0.0
        pending = 0.0  # nodes to be added unless the next option is a dead end
        is_root = True
        while True:
            x = fewest(own_size, own_least)
            if x < 0:
                solved = weight
                total += pending
                break
            count = options_of(arrays, x, own_alive, found)
            if count == 0:
                break
            if count > 1:
                total += pending
                pending = 0.0
            if free == 2 and not is_root and count == 2:
                twins = True
                for y in range(arrays.num_primary):
                    twins = own_size[y] == 2 or own_size[y] >= COVERED // 2
                    if not twins:
                        break
                if twins:
                    pending = weight
                    total -= weight
            weight *= count
            if free == 0 or is_root or count > 1:
                total += weight
            is_root = False
            # xorshift64 (Marsaglia, 2003); the upper 53 bits are a number from 0 to 1
            word ^= word << np.uint64(13)
            word ^= word >> np.uint64(7)
            word ^= word << np.uint64(17)
            part = np.float64(word >> np.uint64(11)) * 2.0**-53
            option = found[min(count - 1, np.int64(part * count))]
            choose(arrays, option, own_alive, own_size, own_least)
        nodes[sample] = total
        solutions[sample] = solved
    random[0] = word
