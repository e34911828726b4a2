"""Kernels for singles and subsets (`dlx.logic.rules.Single`, `Subset`), and for deletions.

The state and the log are those of `dlx.logic.state`. These kernels delete the options that they
find, as do `begin` and `delete`, so they are the only ones that change a state.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlx.compiled import copied, helper, interpreted, is_stored, kernel
from dlx.logic.state import Ints, Live, Net, Records, State, record

SOLVED, STUCK, BROKEN, FULL = 0, 1, 2, 3
END, FIRST = 0, 1  # places in a log, see `dlx.logic.state`

MOST_FINS = 6
FAMILY = 64
"""Room for the items of a family."""

RECORD = 3 + 3 + MOST_FINS
"""Integers of a record beside its items and deleted options, at most."""

# record types belong to the signatures of kernels, so that numba's cache notices an edit
RULE = record("rule", "kinds", "size", "fins")
"""A rule: its number; kinds of items or of frames (a mask); base items of a subset, 0 for a single;
how many cover items may be reached by fins."""

SLOT = np.dtype([(name, np.int64) for name in ("base", "reached", "picked", "union")])
"""Slot n is about the n-th base item of a frame that may take part in a subset: its index in
`Frames.base`, and the cover items that its options contain (a mask). It is also about the n-th item
of a combination of these: which slot it is, and the cover items of the items before it."""

# Locals that change begin with a typed value: numba repeats its type inference until no type
# changes, so a literal, which becomes int64 later, would double its time.
int64: Any = np.int64

# Functions are `copied` where a call would copy all arrays of a state to the stack.


class Work(NamedTuple):
    """Scratch arrays of `advance`; numpy makes them, as to compile an allocation takes longer."""

    marks: Ints  # [items] 0 between uses. During one: bit n if the item is in the n-th fin, bit
    # MOST_FINS if it is a base item. The union over the items of an option is the set of fins that
    # it conflicts with.
    views: NDArray[np.int64]  # [FAMILY, FAMILY] by slot and cover item: what a fin of these two may
    # delete lies in these cover items (a mask)
    slots: Records  # SLOT[FAMILY]


def new_work(items: int) -> Work:
    """Return the scratch arrays for states of `items` items."""
    views = np.empty((FAMILY, FAMILY), np.int64)
    return Work(np.zeros(items, np.int32), views, np.empty(FAMILY, SLOT))


@helper
def _strike(net: Net, live: Live, option: int) -> None:
    live.alive[option] = 0
    live.totals[0]["clock"] += 1
    for k in range(net.options[option]["start"], net.options[option]["stop"]):
        i = net.item[k]
        live.items[i]["size"] -= 1
        live.items[i]["changed"] = live.totals[0]["clock"]
        if live.items[i]["size"] == 0 and i < net.num_primary and live.totals[0]["broken"] < 0:
            live.totals[0]["broken"] = i


@helper
def _choose(net: Net, live: Live, chosen: int, log: Ints) -> None:
    """Delete the options that conflict with an option; append their list to the log."""
    at = log[END]
    deleted = int64(0)
    for k in range(net.options[chosen]["conflict_start"], net.options[chosen]["conflict_stop"]):
        i = net.item[k]
        live.items[i]["met"] = 1
        for j in range(net.items[i]["first"], net.items[i]["stop"]):
            q = net.option[j]
            if live.alive[q] and q != chosen:
                _strike(net, live, q)
                deleted += 1
                log[at + deleted] = q
    log[at] = deleted
    log[END] = at + deleted + 1


@kernel
def begin(state: State, given: Ints, log: Ints) -> int:
    """Make all options alive, then choose the given ones (int32, in order).

    Returns -1, or the position in `given` of the first option that conflicts with one before it;
    that one and the later ones are not chosen. The log is overwritten.
    """
    net, live = state.net, state.live
    for o in range(live.alive.size):
        live.alive[o] = 1
    live.totals[0]["clock"] = 0
    live.totals[0]["broken"] = -1
    for f in range(state.tried.size):
        state.tried[f]["clock"] = -1
        state.tried[f]["rule"] = -1
    for i in range(live.items.size):
        live.items[i]["met"] = 0
        live.items[i]["changed"] = 0
        live.items[i]["size"] = net.items[i]["stop"] - net.items[i]["first"]
        if live.items[i]["size"] == 0 and i < net.num_primary:
            live.totals[0]["broken"] = i
    for k in range(given.size):
        if live.alive[given[k]] == 0:
            return k
        log[END] = FIRST
        _choose(net, live, given[k], log)
    return -1


@kernel
def delete(state: State, options: Ints) -> None:
    """Delete the options (int32) that are alive."""
    for o in options:
        if state.live.alive[o]:
            _strike(state.net, state.live, o)


@copied
def _single(net: Net, live: Live, rule: Any, log: Ints) -> bool:
    """Choose the option of the first item of the rule's kinds that has one left and is not met."""
    kinds = rule["kinds"]
    for i in range(net.num_primary):
        if (
            live.items[i]["size"] == 1
            and live.items[i]["met"] == 0
            and net.items[i]["kind"] & kinds
        ):
            j = int64(net.items[i]["first"])
            while live.alive[net.option[j]] == 0:
                j += 1
            at = log[END]
            log[at], log[at + 1], log[at + 2] = rule["rule"], i, net.option[j]
            log[at + 3], log[at + 4], log[at + 5] = 0, 1, i
            log[END] = at + 6
            _choose(net, live, net.option[j], log)
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
    state: State, work: Work, rule: Any, f: int, cover: int, reached: int, log: Ints
) -> bool:  # fmt: skip
    """Delete what the picked base items and the cover items of the mask `cover` rule out.

    `reached` is the mask of the cover items that the base items reach; fins reach those that are
    not in `cover`. Returns False, with `log[END]` as before, if nothing is ruled out.
    """
    net, frames, live, marks, slots = state.net, state.frames, state.live, work.marks, work.slots
    frame = frames.frames[f]
    size = int64(rule["size"])
    log[log[END]], log[log[END] + 1], log[log[END] + 2] = rule["rule"], -1, -1
    fin, fins = log[END] + 4, int64(0)  # where the list of fins begins, and its length
    for d in range(size if reached != cover else 0):
        base = frames.base[slots[slots[d]["picked"]]["base"]]
        row = net.items[base["item"]]
        for j in range(row["first"], row["stop"]):
            place = int(frames.reach[base["reach"] + j - row["first"]])
            if live.alive[net.option[j]] and not cover >> place & 1:
                if fins == MOST_FINS:
                    return False
                log[fin + fins] = net.option[j]
                fins += 1
    log[fin - 1] = fins
    item, items = fin + fins + 1, size
    for d in range(size):
        log[item + d] = frames.base[slots[slots[d]["picked"]]["base"]]["item"]
    for c in range(frame["cover_stop"] - frame["cover"]):
        if cover >> c & 1:
            log[item + items] = frames.cover_item[frame["cover"] + c]
            items += 1
    log[item - 1] = items

    for d in range(size):
        marks[log[item + d]] = 1 << MOST_FINS
    for n in range(fins):
        row = net.options[log[fin + n]]
        for e in range(row["conflict_start"], row["conflict_stop"]):
            marks[net.item[e]] |= 1 << n
    gone = item + items + 1
    deleted = int64(0)
    for c in range(size, items):
        row = net.items[log[item + c]]
        for j in range(row["first"], row["stop"]):
            q = net.option[j]
            if live.alive[q]:
                met = int64(0)
                for e in range(net.options[q]["start"], net.options[q]["stop"]):
                    met |= marks[net.item[e]]
                if met == (1 << fins) - 1:
                    _strike(net, live, q)
                    log[gone + deleted] = q
                    deleted += 1
    for n in range(fins):
        row = net.options[log[fin + n]]
        for e in range(row["conflict_start"], row["conflict_stop"]):
            marks[net.item[e]] = 0
    for d in range(size):
        marks[log[item + d]] = 0
    if deleted == 0:
        return False
    log[gone - 1] = deleted
    log[END] = gone + deleted
    return True


@copied
def _gather(state: State, work: Work, rule: Any, f: int) -> int:
    """Fill the slots with the base items of frame f that may take part; returns how many."""
    net, frames, live = state.net, state.frames, state.live
    slots, views = work.slots, work.views
    fins = rule["fins"]
    most = rule["size"] + fins
    n = int64(0)
    for b in range(frames.frames[f]["base"], frames.frames[f]["base_stop"]):
        i = frames.base[b]["item"]
        if live.items[i]["size"] < 2:
            continue
        mask = int64(0)
        for j in range(net.items[i]["first"], net.items[i]["stop"]):
            if live.alive[net.option[j]]:
                at = frames.base[b]["reach"] + j - net.items[i]["first"]
                c = int(frames.reach[at])
                if c < 0:
                    mask = -1
                    break
                if fins > 0:
                    if not mask >> c & 1:
                        views[n, c] = -1
                    views[n, c] &= frames.conflicting[at]
                mask |= 1 << c
        if mask > 0 and _count(mask) <= most:
            slots[n]["base"] = b
            slots[n]["reached"] = mask
            n += 1
    return int(n)


@copied
def _search_frame(state: State, work: Work, rule: Any, f: int, log: Ints) -> bool:
    """Apply the rule to the first combination of base items of frame f that deletes something."""
    slots, views = work.slots, work.views
    size, fins = rule["size"], rule["fins"]
    n = _gather(state, work, rule, f)
    if n < size:
        return False
    width = state.frames.frames[f]["cover_stop"] - state.frames.frames[f]["cover"]
    depth = int64(0)
    slots[0]["picked"] = -1
    slots[0]["union"] = 0
    while depth >= 0:
        slots[depth]["picked"] += 1
        if slots[depth]["picked"] > n - size + depth:
            depth -= 1
            continue
        reached = slots[depth]["union"] | slots[slots[depth]["picked"]]["reached"]
        over = _count(reached) - size
        if over > fins:
            continue
        if depth < size - 1:
            depth += 1
            slots[depth]["union"] = reached
            slots[depth]["picked"] = slots[depth - 1]["picked"]
            continue
        if over <= 0:
            if fins == 0 and _apply(state, work, rule, f, reached, reached, log):
                return True
            continue
        # every choice of one or two cover items that are reached by fins
        for a in range(width):
            if not reached >> a & 1:
                continue
            for b in range(a if over > 1 else 1):
                if over > 1 and not reached >> b & 1:
                    continue
                cover = reached & ~(1 << a)
                if over > 1:
                    cover &= ~(1 << b)
                seen = cover
                for d in range(size):
                    p = slots[d]["picked"]
                    if slots[p]["reached"] >> a & 1:
                        seen &= views[p, a]
                    if over > 1 and slots[p]["reached"] >> b & 1:
                        seen &= views[p, b]
                if seen and _apply(state, work, rule, f, cover, reached, log):
                    return True
    return False


@kernel
def advance(
    state: State, work: Work, rules: NDArray[Any], steps: int, counts: Ints, log: Ints
) -> int:
    """Deduce at most `steps` times, each time by the first of the rules that finds something.

    Parameters
    ----------
    state : State
        Changed.
    work : Work
    rules : RULE[rules]
        Easiest first, their numbers ascending.
    steps : int
    counts : int32[rules]
        Incremented at the number of each rule that was used.
    log : int32, at least options + 2 items + RECORD + 2 long
        Records are appended.

    Returns
    -------
    int
        SOLVED (all primary items are met), STUCK (no rule finds anything), BROKEN (a primary item
        has no option) or FULL (`steps` are made, or the log has no room for one more).
    """
    net, live, tried, frames = state.net, state.live, state.tried, state.frames.frames
    room = log.size - live.alive.size - 2 * live.items.size - RECORD
    while live.totals[0]["broken"] < 0:
        if steps == 0 or log[END] > room:
            return FULL
        found = np.bool_(False)
        for r in range(rules.size):
            rule = rules[r]
            if rule["size"] == 0:
                found = _single(net, live, rule, log)
            for f in range(frames.size if rule["size"] > 0 else 0):
                if not frames[f]["kind"] & rule["kinds"]:
                    continue
                # the frame is skipped if this rule or a later one found nothing, and no option of
                # a base item was deleted since
                latest = int64(0)
                for b in range(frames[f]["base"], frames[f]["base_stop"]):
                    latest = max(latest, live.items[state.frames.base[b]["item"]]["changed"])
                if latest <= tried[f]["clock"] and rule["rule"] <= tried[f]["rule"]:
                    continue
                found = _search_frame(state, work, rule, f, log)
                if found:
                    break
                tried[f]["clock"] = live.totals[0]["clock"]
                tried[f]["rule"] = rule["rule"]
            if found:
                counts[rule["rule"]] += 1
                steps -= 1
                break
        if not found:
            for i in range(net.num_primary):
                if live.items[i]["met"] == 0:
                    return STUCK
            return SOLVED
    return BROKEN


INTERPRETED = {function: interpreted(function) for function in (begin, delete, advance)}
"""The kernels in plain Python."""

WIDEST = 62  # cover items of a frame of which the interpreter can store masks

LITTLE_WORK, WORK = 40_000, 1_500_000


def interpreter_work() -> int:
    """Work that the interpreter does before these kernels are called.

    Its unit is an item that `advance` looks at. If they are compiled it takes 30 ms, as a puzzle
    may need no more, and to load the first kernel takes 0.2 s; otherwise a second, as to compile
    them takes three.
    """
    return LITTLE_WORK if is_stored(advance) else WORK
