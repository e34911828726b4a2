"""Compiled search of the kernel "bounds": each primary item is covered from low to high times.

The problem is that of Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1,
Algorithm M; the search is another one. A node decides one option: first it is included, then it is
excluded. So each set of options comes once, for any order of the decisions, and the item to branch
on is chosen anew after each decision.

- The options of an item, in their order, are bits of a mask of its own. To remove an option is to
  clear its bit in the masks of all its items; the list of removed options undoes it.
- An item is *open* while it has options. It *needs* the options that are missing to its low bound,
  and is *full* at its high bound: its other options are removed then. The branch is a dead end as
  soon as an item has fewer options than it needs.
- The search branches on the open item with the fewest options beyond those that it needs, among
  equals on the lowest; items that need none come last, because they cause no dead end. The lowest
  option of the item is decided.
- Without open primary items the included options are a solution. With one option left there are
  one or two solutions: with it, and without it if no item needs it. They are found at once, and
  counted as if they were nodes.
- `endgame_kernel` searches each node with at most 64 options left, with all nodes below.

All this follows from the decisions. So only their list has to be saved: a state in which fewer
decisions are applied than made (`applied`) applies the others first. Those below a node that
`endgame_kernel` searches are applied there.

Invariants between two nodes:

- The mask of an item holds exactly the options that are not decided and are compatible with all
  options included; `size` counts them.
- `need` and `room` are low and high of each item minus the options included that have it. No
  primary item has `size` < `need` (except perhaps at the root).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.compiled import allocating, inlined, kernel
from dlx.compiled.instructions import lowest_bit
from dlx.search.counters import EXHAUSTED, LEVEL, NODES, OWN, SOLUTIONS, UPDATES
from dlx.search.endgame_kernel import FREE, LATER, NO_RANK, ONE, Endgame, U, gather, search

# places in State.counters beside the common ones: whether the search enters a new node, the number
# of primary items
ENTERING, PRIMARY = OWN, OWN + 1
APPLIED, REMOVED, INCLUDED, LAST = range(4)  # places in State.lengths

TAKEN = -1  # a secondary item that an included option has without a colour; else FREE or a colour
UNNEEDED = -(1 << 30)  # the need of a secondary item


class State(NamedTuple):
    """A search between two calls of `advance`. See the invariants of the module."""

    # the arrays of the problem
    start: npt.NDArray[np.int32]
    item: npt.NDArray[np.int32]
    colour: npt.NDArray[np.int32]
    # [entries] the bit of each entry: 64 * number of a word of `mask` + number of the bit
    place: npt.NDArray[np.uint64]
    word: npt.NDArray[np.int64]  # [items + 1] item x has the words word[x] to word[x + 1] - 1
    base: npt.NDArray[np.int64]  # [items] the option of bit b of item x is owner[base[x] + b]
    owner: npt.NDArray[np.int32]  # [entries] the options of each item, ascending
    shade: npt.NDArray[np.int32]  # [entries] their colours
    mask: npt.NDArray[np.uint64]  # [words]
    size: npt.NDArray[np.int32]  # [items]
    need: npt.NDArray[np.int32]  # [items]
    room: npt.NDArray[np.int32]  # [items]
    settled: npt.NDArray[np.int32]  # [items] the colour of a secondary item, FREE or TAKEN
    since: npt.NDArray[np.int32]  # [items] the level that settled it
    # [levels] the decisions: option o is o if included, ~o if excluded; there is one place more
    # than options that may be decided
    path: npt.NDArray[np.int32]
    ways: npt.NDArray[np.int32]  # [levels] the ways that the item branched on had
    mark: npt.NDArray[np.int32]  # [levels] the number of options removed before each level
    removed: npt.NDArray[np.int32]  # [options]
    included: npt.NDArray[np.int32]  # [depth]
    given: npt.NDArray[np.int32]  # [givens]
    # [4] how many decisions are applied, how many options are removed and how many are included;
    # with how many options `endgame_kernel` takes over
    lengths: npt.NDArray[np.int64]
    endgame: Endgame
    counters: npt.NDArray[np.int64]  # [8] see `dlx.search.counters`


@allocating
def link(start, item, colour, live, place, word, base, owner, shade, mask, size):  # type: ignore[no-untyped-def]
    """Write the places of all entries, and the masks and sizes of the live options.

    Parameters
    ----------
    live : bool[options]
        Which options may be decided.
    start, item, colour, place, word, base, owner, shade, mask, size
        As in `State`; the last seven are written, of which word, mask and size are zeros before.
    """
    num_items = len(size)
    for e in range(len(item)):
        size[item[e]] += 1
    first = 0
    for x in range(num_items):
        base[x] = first - 64 * word[x]
        word[x + 1] = word[x] + (size[x] + 63 >> 6)
        first += size[x]
        size[x] = 0
    seen = np.zeros(num_items, np.int32)
    for option in range(len(start) - 1):
        for e in range(start[option], start[option + 1]):
            x = item[e]
            at = 64 * word[x] + seen[x]
            place[e] = at
            owner[base[x] + at] = option
            shade[base[x] + at] = colour[e]
            seen[x] += 1
            if live[option]:
                mask[at >> 6] |= ONE << U(at & 63)
                size[x] += 1


# Inlined by LLVM, as numba would type and lower each copy.


@inlined
def _remove(option, start, item, place, mask, size, need):  # type: ignore[no-untyped-def]
    """Remove an option; return whether an item is left with fewer options than it needs."""
    dead = False
    for e in range(U(start[U(option)]), U(start[U(option + 1)])):
        x = U(item[U(e)])
        at = place[U(e)]
        mask[at >> U(6)] &= ~(ONE << (at & U(63)))
        new_size = size[x] - np.int32(1)
        size[x] = new_size
        dead |= new_size < need[x]
    return dead


@inlined
def _restore(removed, begin, end, start, item, place, mask, size):  # type: ignore[no-untyped-def]
    """Bring back the removed options from begin to end - 1."""
    for k in range(U(begin), U(end)):
        option = U(removed[U(k)])
        for e in range(U(start[option]), U(start[option + ONE])):
            x = U(item[U(e)])
            at = place[U(e)]
            mask[at >> U(6)] |= ONE << (at & U(63))
            size[x] += np.int32(1)


@inlined
def _include(option, level, num_removed, state):  # type: ignore[no-untyped-def]
    """Include an option.

    Parameters
    ----------
    option, level : int
    num_removed : int
        Before.
    state : State

    Returns
    -------
    dead : bool
        Whether an item is left with fewer options than it needs. Removals end there; what was
        done is still undone by `_undo_include`.
    num_removed : int
    """
    (
        start, item, colour, place, word, base, owner, shade, mask, size, need, room, settled,
        since, _path, _ways, _mark, removed, _included, _given, _lengths, _endgame, counters,
    ) = state  # fmt: skip
    num_primary = U(counters[PRIMARY])
    first, last = U(start[U(option)]), U(start[U(option + 1)])
    dead = False
    for e in range(first, last):  # also does what `_remove` does
        x = U(item[U(e)])
        at = place[U(e)]
        mask[at >> U(6)] &= ~(ONE << (at & U(63)))
        size[x] -= np.int32(1)
        if x < num_primary:
            need[x] -= np.int32(1)
            room[x] -= np.int32(1)
            dead |= size[x] < need[x]
    removed[U(num_removed)] = option
    num_removed += 1
    for e in range(first, last):
        x = U(item[U(e)])
        kept = np.int32(0)
        if x < num_primary:
            if room[x] > 0:
                continue
        else:
            if settled[x] != FREE:
                continue
            kept = colour[U(e)]
            settled[x] = kept if kept > 0 else TAKEN
            since[x] = level
        if dead:
            continue  # colours are settled even so, as `_undo_include` undoes all of them
        for w in range(word[x], word[x + ONE]):
            bits = mask[U(w)]
            while bits:
                at = U(base[x] + np.int64(64) * np.int64(w) + lowest_bit(bits))
                bits &= bits - ONE
                if kept == 0 or shade[at] != kept:
                    other = np.int64(owner[at])
                    dead = _remove(other, start, item, place, mask, size, need)
                    removed[U(num_removed)] = other
                    num_removed += 1
                    if dead:
                        break
            if dead:
                break
    return dead, num_removed


@inlined
def _undo_include(option, level, start, item, size, need, room, settled, since, num_primary):  # type: ignore[no-untyped-def]
    """Undo `_include`, but for the options that it removed.

    Return whether an item of the option has fewer options than it needs.
    """
    dead = False
    for e in range(U(start[U(option)]), U(start[U(option + 1)])):
        x = U(item[U(e)])
        if x < num_primary:
            need[x] += np.int32(1)
            room[x] += np.int32(1)
            dead |= size[x] < need[x]
        elif since[x] == level and settled[x] != FREE:
            settled[x] = np.int32(FREE)
    return dead


@inlined
def _rank(size, need):  # type: ignore[no-untyped-def]
    """Return how many options an item has beyond its need; LATER more if it needs none."""
    zero = np.int32(0)
    rank = size - max(need, zero) + (np.int32(LATER) if need <= zero else zero)
    return np.int32(NO_RANK) if size == zero else rank


@inlined
def _branch_item(size, need, num_primary):  # type: ignore[no-untyped-def]
    """Return the item to branch on, -1 if none is open, and the ways to decide it.

    The ways are the options that may be the first one included, and that none is included.
    """
    least = np.int64(NO_RANK) << 32
    for x in range(U(num_primary)):  # rank and number in one: LLVM vectorises this loop
        least = min(least, np.int64(_rank(size[x], need[x])) << 32 | np.int64(x))
    best, ways = np.int64(-1), np.int64(0)
    if least >> 32 < NO_RANK:
        best = least & 0xFFFFFFFF
        ways = np.int64(least >> 32 & (LATER - 1)) + 1
    return best, ways


@inlined
def _lowest_option(x, word, base, owner, mask):  # type: ignore[no-untyped-def]
    """Return the lowest option in the mask of an open item."""
    w = U(word[U(x)])
    while mask[w] == 0:
        w += ONE
    return np.int64(owner[U(base[U(x)] + 64 * np.int64(w) + lowest_bit(mask[w]))])


@kernel
def apply(state, checked):  # type: ignore[no-untyped-def]
    """Apply the decisions of the path that are not applied yet.

    Parameters
    ----------
    state : State
    checked : bool
        Whether to return at a decision that no search makes here. Otherwise those that
        `endgame_kernel` made are left to it.

    Returns
    -------
    bool
        Whether a search makes these decisions.
    """
    (
        start, item, _colour, place, word, base, owner, _shade, mask, size, need, _room, _settled,
        _since, path, ways, mark, removed, included, _given, lengths, _endgame, counters,
    ) = state  # fmt: skip
    num_primary = U(counters[PRIMARY])
    num_removed = lengths[REMOVED]
    for level in range(lengths[APPLIED], counters[LEVEL]):
        if not checked and len(path) - 1 - num_removed <= lengths[LAST]:
            break
        x, ways[level] = _branch_item(size, need, num_primary)
        if checked and x < 0:
            return False
        option = _lowest_option(x, word, base, owner, mask)
        decision = np.int64(path[level])
        if checked and option != decision and option != ~decision:
            return False
        mark[level] = num_removed
        if decision >= 0:
            dead, num_removed = _include(option, level, num_removed, state)
            included[lengths[INCLUDED]] = option
            lengths[INCLUDED] += 1
        else:
            dead = _remove(option, start, item, place, mask, size, need)
            removed[num_removed] = option
            num_removed += 1
        if checked and dead:
            return False
        lengths[APPLIED] = level + 1
        lengths[REMOVED] = num_removed
    return True


@kernel
def is_leaf(state):  # type: ignore[no-untyped-def]
    """Return whether a search does not branch here: no primary item, or one option, is left."""
    alive = len(state.path) - 1 - state.lengths[REMOVED]
    return alive == 1 or _branch_item(state.size, state.need, U(state.counters[PRIMARY]))[0] < 0


@kernel
def advance(state, budget, room, out):  # type: ignore[no-untyped-def]
    """Continue the search; return the number of solutions found. See `kernel.Kernel.advance`."""
    # numba compiles a function once more for an argument that is a literal
    apply(state, np.bool_(False))
    (
        start, item, _colour, place, word, base, owner, _shade, mask, size, need, rooms, settled,
        since, path, ways, mark, removed, included, _given, lengths, endgame, counters,
    ) = state  # fmt: skip
    num_primary = U(counters[PRIMARY])
    level = counters[LEVEL]
    entering = counters[ENTERING] != 0
    decisions = path, ways, included
    num_removed, num_included = lengths[REMOVED], lengths[INCLUDED]
    num_alive = len(path) - 1
    applied = lengths[APPLIED]  # fewer than the level: the search is at an endgame
    visited = updates = found = np.int64(0)
    while True:
        if applied < level or (entering and num_alive - num_removed <= lengths[LAST]):
            num_open = gather(state, num_primary)
            allowed = budget - updates - visited
            level, entering, nodes, more, found = search(
                endgame, decisions, num_open, applied, num_included, level, entering, allowed, room,
                found, out,
            )  # fmt: skip
            visited += nodes
            updates += more
            if entering or level > applied:
                break
        elif entering:
            if updates + visited >= budget or found >= room:
                break
            visited += 1
            x, ways[U(level)] = _branch_item(size, need, num_primary)
            option = _lowest_option(x, word, base, owner, mask)
            mark[U(level)] = num_removed
            path[U(level)] = option
            included[U(num_included)] = option
            num_included += 1
            dead, now = _include(option, level, num_removed, state)
            updates += now - num_removed
            num_removed = now
            entering = not dead
            level += 1
        if not entering:
            if level == 0 or found >= room:
                break
            level -= 1
            option = np.int64(path[U(level)])
            before = np.int64(mark[U(level)])
            # an option included was the first to be removed, and stays so: now it is excluded,
            # unless the item branched on needs it
            again = option >= 0 and ways[U(level)] > 1
            _restore(removed, before + again, num_removed, start, item, place, mask, size)
            num_removed = before + again
            if option >= 0:
                dead = _undo_include(
                    option, level, start, item, size, need, rooms, settled, since, num_primary
                )
                num_included -= 1
            if again:
                updates += 1
                if dead:
                    _restore(removed, before, num_removed, start, item, place, mask, size)
                    num_removed = before
                else:
                    path[U(level)] = ~option
                    level += 1
                    entering = True
        applied = level
    if not entering and level == 0:
        counters[EXHAUSTED] = 1
    counters[NODES] += visited
    counters[UPDATES] += updates
    counters[SOLUTIONS] += found
    counters[LEVEL] = level
    counters[ENTERING] = entering
    lengths[APPLIED], lengths[REMOVED], lengths[INCLUDED] = applied, num_removed, num_included
    return found
