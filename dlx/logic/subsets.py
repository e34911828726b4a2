"""Deductions on items and options: singles, and k items that k others cover.

An item with a single option left has its choice made. And where the options of k *base* items, no
two of which share an option, all contain one of k *cover* items, the k choices of the base items
use every cover item up: all other options of the cover items can go. (Counting argument of Hall's
theorem; Allan Barker calls the pair a rank 0 set, sudokuone.com.) In a finned subset some base
options lie outside the cover items. Either one of these *fins* is chosen, or the subset holds
without them; so whatever is deleted must also conflict with every fin.

Base and cover items are looked for in *frames*: two families of items, each pairwise disjoint.
Which frames make sense, and what their finds are called, is for the caller to say. Invariants of
the state, and the log, are those of `dlx.logic.state`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dlx.logic.state import (
    BROKEN,
    BROKEN_ITEM,
    CLOCK,
    FULL,
    HEADER,
    SINGLE,
    SOLVED,
    STUCK,
    Frame,
    Frames,
    Live,
    Net,
    State,
)
from dlx.problem import Problem

MOST_FINS = 6
ROOM = HEADER + MOST_FINS + 8

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

# no way in from Python: less to compile
helper = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _lists(rows: Iterable[Iterable[int]]) -> tuple[Ints, Ints]:
    """Flatten lists: where each starts, and all of them in a row."""
    start, flat = [0], list[int]()
    for row in rows:
        flat.extend(row)
        start.append(len(flat))
    return np.array(start, np.int32), np.array(flat, np.int32)


def new_state(problem: Problem, kinds: Sequence[int], frames: Sequence[Frame]) -> State:
    """State of a deduction in which every option is alive.

    problem -- without secondary items.
    kinds -- for each item a power of two that says what kind of item it is.
    frames -- where subsets are looked for; the items of a family share no option, at most 63 of
        them. ValueError if there are more.

    >>> from dlx.problem import Problem
    >>> problem = Problem([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1), ("c", 3)])
    >>> from dlx.logic.state import Frame
    >>> frame = Frame(1, base=[0, 2, 4], cover=[1, 3, 5])
    >>> state = new_state(problem, [1, 2, 1, 2, 1, 2], [frame])
    >>> state.live.size.tolist()
    [2, 3, 2, 2, 2, 1]
    """
    if any(len(f.base) > 63 or len(f.cover) > 63 for f in frames):
        raise ValueError("a family of a frame has at most 63 items")
    start = np.ascontiguousarray(problem.start, np.int32)
    item = np.ascontiguousarray(problem.item, np.int32)
    owner = np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))
    order = np.lexsort((owner, item))
    option = np.ascontiguousarray(owner[order])
    first = np.searchsorted(item[order], np.arange(problem.num_items + 1)).astype(np.int32)

    base, base_item = _lists(f.base for f in frames)
    cover, cover_item = _lists(f.cover for f in frames)
    # the items of the options of each item, one option after the other
    width = np.diff(start)[option]
    at = np.concatenate(([0], np.cumsum(width)))
    around = item[np.repeat(start[option] - at[:-1], width) + np.arange(at[-1])]
    cross, reach, sight = [0], [np.empty(0, np.int8)], [np.empty(0, np.int64)]
    for frame in frames:
        place = np.full(problem.num_options, -1, np.int8)
        places = np.zeros(problem.num_items, np.int64)
        for c, i in enumerate(frame.cover):
            place[option[first[i] : first[i + 1]]] = c
            places[around[at[first[i]] : at[first[i + 1]]]] |= 1 << c
        places[[*frame.base, *frame.cover]] = 0
        for i in frame.base:
            own = slice(first[i], first[i + 1])
            reach.append(place[option[own]])
            near = places[around[at[first[i]] : at[first[i + 1]]]]
            sight.append(np.bitwise_or.reduceat(near, at[own] - at[first[i]]))
            cross.append(cross[-1] + len(reach[-1]))
    frame_kinds = np.array([f.kind for f in frames], np.int32)
    return _state(
        Net(start, item, first, option, np.array(kinds, np.int32)),
        Frames(
            frame_kinds,
            base,
            base_item,
            np.array(cross, np.int32),
            np.concatenate(reach),
            np.concatenate(sight),
            cover,
            cover_item,
        ),
    )


def another(state: State) -> State:
    """A second deduction on the same problem; shares what no deduction changes."""
    return _state(state.net, state.frames)


def _state(net: Net, frames: Frames) -> State:
    options, items = len(net.start) - 1, len(net.first) - 1
    live = Live(
        np.empty(options, np.uint8),
        np.empty(len(net.option), np.int32),
        np.empty(items, np.int32),
        np.empty(items, np.uint8),
        np.empty(items, np.int32),
        np.empty(2, np.int32),
    )
    state = State(net, frames, live, np.empty((len(frames.kind), 2), np.int32))
    begin(state, np.empty(0, np.int32))
    return state


@helper
def _strike(net: Net, live: Live, option: int) -> None:
    live.alive[option] = 0
    live.scalar[CLOCK] += 1
    for k in range(net.start[option], net.start[option + 1]):
        i = net.item[k]
        live.size[i] -= 1
        live.changed[i] = live.scalar[CLOCK]
        if live.size[i] == 0 and live.scalar[BROKEN_ITEM] < 0:
            live.scalar[BROKEN_ITEM] = i


@helper
def _delete(net: Net, live: Live, option: int, log: Ints) -> None:
    _strike(net, live, option)
    log[log[0]] = option
    log[0] += 1


@helper
def _choose(net: Net, live: Live, option: int, log: Ints) -> None:
    """Delete what conflicts with the option."""
    for k in range(net.start[option], net.start[option + 1]):
        i = net.item[k]
        live.met[i] = 1
        for j in range(net.first[i], net.first[i + 1]):
            other = net.option[j]
            if live.alive[other] and other != option:
                _delete(net, live, other, log)


@njit(cache=True, nogil=True)
def begin(state: State, given: Ints) -> int:
    """Make all options alive, then choose the given ones (int32, in order).

    Returns -1, or the position in `given` of the first option that conflicts with one before it;
    that one and the later ones are not chosen.
    """
    net, live = state.net, state.live
    for o in range(live.alive.size):
        live.alive[o] = 1
    live.scalar[CLOCK] = 0
    live.scalar[BROKEN_ITEM] = -1
    for f in range(state.tried.shape[0]):
        state.tried[f, 0] = state.tried[f, 1] = -1
    for i in range(live.size.size):
        live.met[i] = 0
        live.changed[i] = 0
        live.size[i] = net.first[i + 1] - net.first[i]
        if live.size[i] == 0:
            live.scalar[BROKEN_ITEM] = i
    for k in range(given.size):
        if live.alive[given[k]] == 0:
            return k
        for e in range(net.start[given[k]], net.start[given[k] + 1]):
            i = net.item[e]
            live.met[i] = 1
            for j in range(net.first[i], net.first[i + 1]):
                if live.alive[net.option[j]] and net.option[j] != given[k]:
                    _strike(net, live, net.option[j])
    return -1


@njit(cache=True, nogil=True)
def delete(state: State, options: Ints) -> None:
    """Delete options (int32) that some other deduction has ruled out."""
    log = np.empty(options.size + 1, np.int32)
    log[0] = 1
    for o in options:
        if state.live.alive[o]:
            _delete(state.net, state.live, o, log)


@helper
def _header(log: Ints, where: int) -> int:
    """Open a record; rung and lengths of lists are filled in later. Returns where it starts."""
    at = int(log[0])
    for k in range(at, at + HEADER):
        log[k] = 0
    log[at + 1] = where
    log[at + 2] = -1
    log[0] = at + HEADER
    return at


@helper
def _single(net: Net, live: Live, kinds: int, log: Ints) -> bool:
    """Choose the option of the first item of these kinds that has one left and is not met."""
    for i in range(live.size.size):
        if live.size[i] == 1 and live.met[i] == 0 and net.kind[i] & kinds:
            j = net.first[i]
            while live.alive[net.option[j]] == 0:
                j += 1
            chosen = net.option[j]
            at = _header(log, i)
            log[at + 2] = chosen
            log[at + 3] = 1
            log[log[0]] = i
            log[0] += 1
            before = log[0]
            _choose(net, live, chosen, log)
            log[at + 6] = log[0] - before
            return True
    return False


@helper
def _count(mask: int) -> int:
    bits = 0
    while mask:
        mask &= mask - 1
        bits += 1
    return bits


@helper
def _apply(
    net: Net, frames: Frames, live: Live, f: int, rows: Ints, mask: int, union: int, marks: Ints,
    log: Ints,
) -> bool:  # fmt: skip
    """Delete what base items and the cover items of `mask` rule out; False if there is nothing.

    rows -- where the base items stand in frames.base_item.
    union -- mask of the cover items that they reach; what is not in `mask` is reached by fins.
    marks -- a zero for each item, and again afterwards. Meanwhile a set for each item: bit n if it
        is in the n-th fin, bit MOST_FINS if it is a base item. So the union over the items of an
        option says which fins it conflicts with.
    """
    at = _header(log, f)
    for b in rows:
        log[log[0]] = frames.base_item[b]
        log[0] += 1
    first_cover = log[0]
    for c in range(frames.cover[f + 1] - frames.cover[f]):
        if mask >> c & 1:
            log[log[0]] = frames.cover_item[frames.cover[f] + c]
            log[0] += 1
    first_fin = log[0]
    fins = 0
    if union != mask:
        for b in rows:
            i = frames.base_item[b]
            for j in range(net.first[i], net.first[i + 1]):
                q = net.option[j]
                held = int(frames.reach[frames.cross[b] + j - net.first[i]])
                if live.alive[q] and not mask >> held & 1:
                    if fins == MOST_FINS:
                        log[0] = at
                        return False
                    fins += 1
                    log[log[0]] = q
                    log[0] += 1
    for b in rows:
        marks[frames.base_item[b]] = 1 << MOST_FINS
    for n in range(fins):
        q = log[first_fin + n]
        for e in range(net.start[q], net.start[q + 1]):
            marks[net.item[e]] |= 1 << n
    first_gone = log[0]
    for c in range(first_cover, first_fin):
        i = log[c]
        for j in range(net.first[i], net.first[i + 1]):
            q = net.option[j]
            if live.alive[q]:
                met = 0
                for e in range(net.start[q], net.start[q + 1]):
                    met |= marks[net.item[e]]
                if met == (1 << fins) - 1:
                    _delete(net, live, q, log)
    for n in range(fins):
        q = log[first_fin + n]
        for e in range(net.start[q], net.start[q + 1]):
            marks[net.item[e]] = 0
    for b in rows:
        marks[frames.base_item[b]] = 0
    log[at + 3] = rows.size
    log[at + 4] = first_fin - first_cover
    log[at + 5] = fins
    log[at + 6] = log[0] - first_gone
    if log[0] == first_gone:
        log[0] = at
        return False
    return True


@helper
def _subset(
    net: Net, frames: Frames, live: Live, f: int, k: int, spare: int, marks: Ints, views: Longs,
    log: Ints,
) -> bool:  # fmt: skip
    """Find k base items of frame f covered by k cover items, at most `spare` more reached by fins.

    Base items are taken in ascending combinations; the first that deletes something is applied.
    marks -- as for _apply. views -- int64[most base items, most cover items], filled: what fins by
        these two may delete lies in these cover items (a mask).
    """
    eligible = np.empty(64, np.int32)
    masks = np.empty(64, np.int64)
    n = 0
    for b in range(frames.base[f], frames.base[f + 1]):
        i = frames.base_item[b]
        if live.size[i] < 2:
            continue
        mask = 0
        for j in range(net.first[i], net.first[i + 1]):
            if live.alive[net.option[j]]:
                c = int(frames.reach[frames.cross[b] + j - net.first[i]])
                if c < 0:
                    mask = -1
                    break
                if spare > 0:
                    if not mask >> c & 1:
                        views[n, c] = -1
                    views[n, c] &= frames.sight[frames.cross[b] + j - net.first[i]]
                mask |= 1 << c
        if mask > 0 and _count(mask) <= k + spare:
            eligible[n] = b
            masks[n] = mask
            n += 1
    if n < k:
        return False
    rows = np.empty(k, np.int32)
    picked = np.empty(k, np.int32)
    union = np.zeros(k, np.int64)
    depth = 0
    picked[0] = -1
    while depth >= 0:
        picked[depth] += 1
        if picked[depth] > n - k + depth:
            depth -= 1
            continue
        mask = union[depth] | masks[picked[depth]]
        if _count(mask) > k + spare:
            continue
        rows[depth] = eligible[picked[depth]]
        if depth < k - 1:
            depth += 1
            union[depth] = mask
            picked[depth] = picked[depth - 1]
            continue
        # every choice of k of the cover items that are reached; the others hold the fins
        over = max(0, _count(mask) - k)
        if over == 0 and spare > 0:
            continue
        width = frames.cover[f + 1] - frames.cover[f]
        for a in range(width if over > 0 else 1):
            if over > 0 and not mask >> a & 1:
                continue
            for b in range(a if over > 1 else 1):
                if over > 1 and not mask >> b & 1:
                    continue
                less = mask
                if over > 0:
                    less &= ~(1 << a)
                if over > 1:
                    less &= ~(1 << b)
                seen = less
                for r in range(k if over > 0 else 0):
                    if masks[picked[r]] >> a & 1:
                        seen &= views[picked[r], a]
                    if over > 1 and masks[picked[r]] >> b & 1:
                        seen &= views[picked[r], b]
                if seen and _apply(net, frames, live, f, rows, less, mask, marks, log):
                    return True
    return False


@njit(cache=True, nogil=True)
def advance(state: State, rungs: Ints, steps: int, counts: Ints, log: Ints) -> int:
    """Deduce, always by the lowest rung that finds something, at most `steps` times.

    rungs -- int32[rungs, 5], easiest first: its number, ascending; SINGLE or SUBSET; the kinds of
        items or frames (a mask); k; how many cover items beyond k may be reached by fins (0 to 2).
    counts -- int32, counts[rung] goes up by one a step.
    log -- int32, at least options + 2 items + ROOM + 1 long; filled from log[0] on.

    Returns SOLVED (all items are met), STUCK (no rung finds anything), BROKEN (an item has no
    option) or FULL (`steps` are done, or the log has no room for one more).
    """
    net, frames, live, tried = state.net, state.frames, state.live, state.tried
    items = live.size.size
    marks = np.zeros(items, np.int32)
    views = np.empty((64, 64), np.int64)
    room = log.size - live.alive.size - 2 * items - ROOM
    while live.scalar[BROKEN_ITEM] < 0:
        if steps == 0 or log[0] > room:
            return FULL
        found = False
        at = log[0]
        for r in range(rungs.shape[0]):
            rung = rungs[r, 0]
            if rungs[r, 1] == SINGLE:
                found = _single(net, live, rungs[r, 2], log)
            else:
                k, spare = rungs[r, 3], rungs[r, 4]
                for f in range(frames.kind.size):
                    if not frames.kind[f] & rungs[r, 2]:
                        continue
                    latest = 0
                    for b in range(frames.base[f], frames.base[f + 1]):
                        latest = max(latest, live.changed[frames.base_item[b]])
                    if latest <= tried[f, 0] and rung <= tried[f, 1]:
                        continue
                    found = _subset(net, frames, live, f, k, spare, marks, views, log)
                    if found:
                        break
                    tried[f, 0] = live.scalar[CLOCK]
                    tried[f, 1] = rung
            if found:
                log[at] = rung
                counts[rung] += 1
                steps -= 1
                break
        if not found:
            for i in range(items):
                if live.met[i] == 0:
                    return STUCK
            return SOLVED
    return BROKEN
