"""Compiled search of the last options, by one mask: the end of the kernel "bounds".

Most nodes of a search have few options alive. There the options are numbered from 0 to 63, in their
order, and a set of them is a word. An item is the set of its options; including an option
intersects the set of those alive with the compatible ones. Backtracking restores only the needs of
the items of an option.

The decisions are those of `bounds_kernel`, and nodes are counted alike: the node at which a search
changes to this form affects its speed, not its result.

Invariants between two nodes:

- `active[k]` are the options that may be decided k levels below the first.
- `need[c]` is what item c needs; it is full when that is `full[c]`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.compiled import helper, inlined
from dlx.compiled.instructions import count_bits, lowest_bit

ENDGAME_OPTIONS = 64  # options, at most

FREE = -2  # the colour of a secondary item that no included option has
LATER = 1 << 29  # is added to the rank of an item that needs no option
NO_RANK = (1 << 31) - 1  # the rank of an item without options
U = np.uint64  # an unsigned index costs no test whether it is negative
ONE = U(1)


class Endgame(NamedTuple):
    """The last options of a search. Items are numbered anew, too: the open primary ones."""

    # [words] a bit for each option of the problem; all 0 but within `gather`
    among: npt.NDArray[np.uint64]
    number: npt.NDArray[np.int32]  # [options of the problem] their numbers among the last ones
    slot: npt.NDArray[np.int32]  # [items of the problem] their numbers here
    option: npt.NDArray[np.int32]  # [64] the option of the problem with this number
    # option k has the primary items entry[first[k]] to entry[first[k + 1] - 1]
    first: npt.NDArray[np.int64]  # [65]
    entry: npt.NDArray[np.int32]
    # [64] the options that share a secondary item with option k and do not agree with its colour
    clash: npt.NDArray[np.uint64]
    member: npt.NDArray[np.uint64]  # [primary items] the options of an item
    need: npt.NDArray[np.int64]  # [primary items]
    full: npt.NDArray[np.int64]  # [primary items]
    active: npt.NDArray[np.uint64]  # [66]

    def copy(self) -> Endgame:
        """Return a copy of all arrays."""
        arrays: Any = [array.copy() for array in self]
        return Endgame(*arrays)


@inlined
def gather(state, num_primary):  # type: ignore[no-untyped-def]
    """Number the options that are alive, at most ENDGAME_OPTIONS, and the open primary items.

    Parameters
    ----------
    state : bounds_kernel.State
    num_primary : int

    Returns
    -------
    int
        The number of items.
    """
    (
        start, item, colour, _place, word, base, owner, shade, mask, size, need, room, settled,
        _since, _path, _ways, _mark, _removed, _included, _given, _lengths, endgame, _counters,
    ) = state  # fmt: skip
    among, number, slot, option, first, entry, clash, member, needs, full, active = endgame
    num_items = 0
    for x in range(num_primary):
        if size[x] > 0:
            slot[x] = num_items
            member[num_items] = U(0)
            needs[num_items] = need[x]
            full[num_items] = need[x] - room[x]
            num_items += 1
            for w in range(word[x], word[x + 1]):
                bits = mask[w]
                while bits:
                    other = U(owner[base[x] + 64 * w + lowest_bit(bits)])
                    bits &= bits - ONE
                    among[other >> U(6)] |= ONE << (other & U(63))
    count = 0
    for w in range(len(among)):
        bits = among[w]
        among[w] = U(0)
        while bits:
            option[count] = 64 * w + lowest_bit(bits)
            number[option[count]] = count
            bits &= bits - ONE
            count += 1
    last = 0
    for k in range(count):
        first[k] = last
        clash[k] = U(0)
        for e in range(start[option[k]], start[option[k] + 1]):
            x = item[e]
            if x < num_primary:
                member[slot[x]] |= ONE << U(k)
                entry[last] = slot[x]
                last += 1
            elif settled[x] == FREE:
                for w in range(word[x], word[x + 1]):
                    bits = mask[w]
                    while bits:
                        at = base[x] + 64 * w + lowest_bit(bits)
                        bits &= bits - ONE
                        if colour[e] == 0 or shade[at] != colour[e]:
                            clash[k] |= ONE << U(number[owner[at]])
    first[count] = last
    active[0] = ~U(0) >> U(ENDGAME_OPTIONS - count) if count else U(0)
    return num_items


# Inlined by LLVM, as numba would type and lower each copy.


@inlined
def _least(active, member, need, num_items):  # type: ignore[no-untyped-def]
    """Return rank << 32 | number of the item to branch on, as `bounds_kernel` chooses it.

    It is negative if an item has fewer options than it needs.
    """
    least = np.int64(NO_RANK) << 32
    for c in range(U(num_items)):  # LLVM vectorises this loop
        size = count_bits(active & member[c])
        needed = need[c]
        rank = size - needed
        if needed <= 0:
            rank = LATER + size if size > 0 else np.int64(NO_RANK)
        least = min(least, rank << 32 | np.int64(c))
    return least


@inlined
def _include(k, active, first, entry, clash, member, need, full):  # type: ignore[no-untyped-def]
    """Include option k; return the options that may be decided then."""
    remaining = active & ~(clash[U(k)] | ONE << U(k))
    for e in range(U(first[U(k)]), U(first[U(k) + ONE])):
        c = U(entry[U(e)])
        new_need = need[c] - 1
        need[c] = new_need
        if new_need == full[c]:
            remaining &= ~member[c]
    return remaining


@helper
def search(  # type: ignore[no-untyped-def]
    endgame, decisions, num_items, above, num_included, level, entering, budget, room, found, out
):
    """Search what `gather` has numbered, until that is done or the budget or the room is used up.

    Parameters
    ----------
    endgame : Endgame
    decisions : path, ways, included
        As in `bounds_kernel.State`; the path has `level` decisions.
    num_items : int
    above : int
        The level at which the options were numbered.
    num_included : int
        Options included before level `above`.
    level, entering, budget, room, out
        As in `bounds_kernel.advance`.
    found : int
        Solutions in `out`, which count for `room`.

    Returns
    -------
    level, entering, visited, updates, found : int
        All is done if the level is `above` and no node is entered.
    """
    path, ways, included = decisions
    _among, number, _slot, options, first, entry, clash, member, need, full, active = endgame
    visited = updates = 0
    for at in range(above, level):
        decision = path[at]
        k = np.int64(number[max(decision, ~decision)])
        now = active[at - above]
        if decision >= 0:
            included[num_included] = decision
            num_included += 1
            active[at - above + 1] = _include(k, now, first, entry, clash, member, need, full)
        else:
            active[at - above + 1] = now & ~(ONE << U(k))
    least = np.int64(0)
    if entering:
        least = _least(active[level - above], member, need, num_items)
    while True:
        if entering:
            if updates + visited >= budget or found >= room:
                break
            visited += 1
            now = active[U(level - above)]
            if now == 0:
                ways[U(level)] = 0
                if len(out):
                    _write(out, found, included, num_included)
                found += 1
                entering = False
            else:
                rank = least >> 32
                num_ways = (rank & (LATER - 1)) + 1
                ways[U(level)] = num_ways
                k = lowest_bit(now & member[U(least & 0xFFFFFFFF)])
                option = options[U(k)]
                included[U(num_included)] = option
                if now & (now - ONE) == 0 and found + 2 <= room:
                    free = int(rank >= LATER)  # to exclude it: no item needs it
                    if len(out):
                        _write(out, found, included, num_included + 1)
                        if free:
                            _write(out, found + 1, included, num_included)
                    found += 1 + free
                    visited += 1 + free
                    updates += 1 + int(num_ways > 1)
                    entering = False
                else:
                    path[U(level)] = option
                    num_included += 1
                    remaining = _include(k, now, first, entry, clash, member, need, full)
                    updates += count_bits(now & ~remaining)
                    level += 1
                    active[U(level - above)] = remaining
                    least = _least(remaining, member, need, num_items)
                    entering = least >= 0
        if not entering:
            if level == above or found >= room:
                break
            level -= 1
            decision = path[U(level)]
            if decision >= 0:
                k = np.int64(number[U(decision)])
                for e in range(U(first[U(k)]), U(first[U(k) + ONE])):
                    need[U(entry[U(e)])] += 1
                num_included -= 1
                if ways[U(level)] > 1:  # else the item branched on needs it
                    updates += 1
                    remaining = active[U(level - above)] & ~(ONE << U(k))
                    least = _least(remaining, member, need, num_items)
                    if least >= 0:
                        path[U(level)] = ~decision
                        level += 1
                        active[U(level - above)] = remaining
                        entering = True
    return level, entering, visited, updates, found


@helper
def _write(out, row, included, length):  # type: ignore[no-untyped-def]
    """Write the options included into a row of the output, ascending, padded with -1.

    One insertion for each: the options of an item are included in their order, so that most are
    in place.
    """
    for i in range(length):
        option = included[i]
        k = i
        while k > 0 and out[row, k - 1] > option:
            out[row, k] = out[row, k - 1]
            k -= 1
        out[row, k] = option
    for i in range(length, out.shape[1]):
        out[row, i] = -1
