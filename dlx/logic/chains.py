"""Kernels for alternating chains, forks and refutations (`dlx.logic.rules`).

They change only the order of `live.option`. They empty a log (`dlx.logic.state`), and write the
deduction to it as one record.

A call returns UNFINISHED after a budget of work, and a further one continues at `place`; the log
has the best deduction so far. Nothing else is kept between two calls: `Scratch` may hold any
values, and may be shared by calls that do not run at the same time. Within a call:

    `_begin` puts the options of each item that are alive first in `live.option`, and removes all
    marks. `net` and `live` do not change after that.
    Each walk has a mark of its own, above those before. An entry of `walk` whose mark differs is
    left over from an earlier walk, and does not count.
    queue[:n] are the options that the walk found to be in, by ascending depth.
    refute: before each option is tried, `Trial.alive` and `Trial.size` are those of `live`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlx.compiled import allocating, copied, helper, interpreted, is_stored, kernel
from dlx.logic.state import Ints, Live, Net, Records, record

# record types, so that numba notices an edit
CHAIN = record("rule", "links", "weak", "conjugate")
"""A rule for chains: its number; most strong links; kinds of items of weak links; whether weak
links only use items with two options."""

FORK = record("rule", "start", "widest", "weak", "links", "total")
"""A rule for forks: its number, and fields of `dlx.logic.rules.Fork`."""

# Helpers take int64 alone: they would be compiled once more for a literal or for another type.
# Locals that change begin with int64: numba repeats its type inference until no type changes.
int64: Any = np.int64
NONE, ZERO, ONE, TWO = int64(-1), int64(0), int64(1), int64(2)
FAR = int64(1 << 30)
END, FIRST = 0, 1  # places in a log, see `dlx.logic.state`

UNFINISHED = -1
NEXT, ROW, BEST, ITEM, OPTION, BUDGET = range(6)
"""Places in the array `place`, which says where a search continues; all but BUDGET are 0 at first:

NEXT: the next option to look at
ROW: for chains, by which rule
BEST: the length of the best deduction so far, 0 for none
ITEM, OPTION: for forks, the item of that deduction, and an option that it deletes
BUDGET: the units of work of a call, about; afterwards what is left of them
"""

EACH, STEP, CLEARED, TAKEN_OUT = 4, 256, 16, 16
"""Units of work, of some nanoseconds: for an option at which a search looks, and for each option
that its walk finds to be in; the options whose marks are removed in one unit; for an option that a
refutation excludes."""


WALK = record(
    "depth",  # strong links on the way to the option that is in
    "on_mark",
    "on_from",  # the option that is out before it
    "on_item",  # the item of the strong link between them
    "off_mark",
    "off_from",  # the option that is in before it
    "off_item",  # the item of the weak link between them
)
"""What follows from one supposition, for each option.

An option is "in" if it must be chosen and "out" if it must not be. `depth`, `on_from` and `on_item`
count only where `on_mark` is the walk's mark, `off_from` and `off_item` only where `off_mark` is.
"""


class Scratch(NamedTuple):
    """The kernels' own arrays; numpy makes them, as to compile an allocation takes longer."""

    walk: Records  # WALK[options]
    queue: Ints  # [options] those that are in, in the order found, so by ascending depth
    near: Ints  # [options] marks of options that conflict with the ends of chains
    starts: Ints  # [items] where forks may begin
    ends: Ints  # [options] the last option of each chain of a fork
    path: Ints  # [longest] the options of chains, in the order of the log
    links: Ints  # [longest] their items


def new_scratch(options: int, items: int, longest: int) -> Scratch:
    """Return the arrays, for chains with `longest` options together; their values do not matter."""
    queue, near, ends = np.zeros((3, options), np.int32)
    path, links = np.zeros((2, longest), np.int32)
    starts = np.zeros(items, np.int32)
    return Scratch(np.zeros(options, WALK), queue, near, starts, ends, path, links)


class ChainSearch(NamedTuple):
    """The arrays of `Net` and `Live` that chains need, and those of `Scratch`."""

    options: Records  # Net.options
    item: Ints  # Net.item
    items: Records  # Net.items
    option: Ints  # Live.option
    live: Records  # Live.items
    walk: Records
    queue: Ints
    near: Ints


@helper
def _begin(net: Net, live: Live, scratch: Scratch) -> ChainSearch:
    """Gather of each item the options that are alive; remove the marks of earlier calls."""
    for i in range(live.items.size):
        at = int64(net.items[i]["first"])
        for j in range(net.items[i]["first"], net.items[i]["stop"]):
            if live.alive[net.option[j]]:
                live.option[at] = net.option[j]
                at += 1
    walk, queue, near = scratch.walk, scratch.queue, scratch.near
    for o in range(walk.size):
        walk[o]["on_mark"] = walk[o]["off_mark"] = 0
    return ChainSearch(net.options, net.item, net.items, live.option, live.items, walk, queue, near)


@copied
def _open_record(log: Ints, rule: int, item: int) -> None:
    """Begin the only record of the log; no option of it is chosen."""
    log[FIRST], log[FIRST + 1], log[FIRST + 2] = rule, item, -1
    log[END] = FIRST + 3


@helper
def _append_list(log: Ints, values: Ints) -> None:
    log[log[END]] = values.size
    for k in range(values.size):
        log[log[END] + 1 + k] = values[k]
    log[END] += values.size + 1


@helper
def _append_marked(log: Ints, near: Ints, mark: int) -> None:
    """Append the list of the options with this mark."""
    at = log[END]
    log[END] += 1
    for q in range(near.size):
        if near[q] == mark:
            log[log[END]] = q
            log[END] += 1
    log[at] = log[END] - at - 1


@copied
def _clear(marks: Ints) -> None:
    for k in range(marks.size):
        marks[k] = 0


@copied
def _follow(search: ChainSearch, out: int, level: int, kinds: int, mark: int, n: int) -> int:
    """Queue the options that are in by strong links of these kinds if `out` is out; its length."""
    walk = search.walk
    for k in range(search.options[out]["conflict_start"], search.options[out]["conflict_stop"]):
        i = search.item[k]
        if search.live[i]["size"] != 2 or not search.items[i]["kind"] & kinds:
            continue
        j = search.items[i]["first"]
        r = search.option[j + 1] if search.option[j] == out else search.option[j]
        if walk[r]["on_mark"] != mark:
            walk[r]["on_mark"] = mark
            walk[r]["on_from"] = out
            walk[r]["on_item"] = i
            walk[r]["depth"] = level + 1
            search.queue[n] = r
            n += 1
    return n


@helper
def _spread(
    search: ChainSearch, n: int, strong: Ints, weak: int, conjugate: int, most: int, mark: int
) -> int:
    """Follow chains from the n options in the queue, up to `most` strong links; queue length."""
    walk = search.walk
    head = ZERO
    while head < n:
        p = search.queue[head]
        head += 1
        level = int64(walk[p]["depth"])
        if level >= most:
            break
        kinds = int64(strong[level])
        for k in range(search.options[p]["conflict_start"], search.options[p]["conflict_stop"]):
            i = search.item[k]
            if not search.items[i]["kind"] & weak or (conjugate and search.live[i]["size"] != 2):
                continue
            for j in range(
                search.items[i]["first"], search.items[i]["first"] + search.live[i]["size"]
            ):
                q = int64(search.option[j])
                if q != p and walk[q]["off_mark"] != mark:
                    walk[q]["off_mark"] = mark
                    walk[q]["off_from"] = p
                    walk[q]["off_item"] = i
                    n = _follow(search, q, level, kinds, mark, n)
    return n


@helper
def _surround(search: ChainSearch, a: int, old: int) -> int:
    """Add 1 to the mark `old` of each option alive that conflicts with a; how many."""
    near = search.near
    turned = ZERO
    for k in range(search.options[a]["conflict_start"], search.options[a]["conflict_stop"]):
        i = search.item[k]
        first = search.items[i]["first"]
        for j in range(first, first + search.live[i]["size"]):
            q = search.option[j]
            if near[q] == old and q != a:
                near[q] = old + 1
                turned += 1
    return int(turned)


@copied
def _loses(search: ChainSearch, o: int, r: int) -> int:
    """Mark with 2 in `near` what is deleted if one of o and r is chosen, the ends of a chain.

    Returns how many. In `near` what conflicts with o is 1, the rest 0; if nothing is deleted, this
    is so afterwards. If the ends conflict, the chain is a loop, and both options of any of its weak
    links are such a pair.
    """
    walk, near = search.walk, search.near
    if r == o:
        return int(_surround(search, o, ONE))
    loop = near[r] == 1
    lost = _surround(search, r, ONE)
    while loop and walk[r]["on_from"] != o:
        q = int64(walk[r]["on_from"])
        r = int64(walk[q]["off_from"])
        for k in range(near.size):
            near[k] &= 2
        _surround(search, r, ZERO)
        lost += _surround(search, q, ONE)
    if loop and lost == 0:
        _clear(near)
        _surround(search, o, ZERO)
    return int(lost)


@helper
def _conflict(search: ChainSearch, a: int, b: int) -> int:
    """An item by which two options conflict, -1 if none."""
    for k in range(search.options[a]["conflict_start"], search.options[a]["conflict_stop"]):
        i = search.item[k]
        first = search.items[i]["first"]
        for j in range(first, first + search.live[i]["size"]):
            if search.option[j] == b:
                return int(i)
    return -1


@copied
def _log_chain(
    search: ChainSearch, scratch: Scratch, rule: int, o: int, r: int, links: int, log: Ints
) -> None:
    """Log the chain from o to r that the walk found, and the options marked with 2."""
    walk = search.walk
    path, items = scratch.path[: 2 * links], scratch.links[: 2 * links]
    x = r
    for at in range(2 * links - 2, -1, -2):
        q = walk[x]["on_from"]
        path[at] = q
        path[at + 1] = x
        items[at + 1] = walk[x]["on_item"]
        items[at] = walk[q]["off_item"]
        x = walk[q]["off_from"]
    items[0] = _conflict(search, o, r) if o != r else -1
    _open_record(log, rule, NONE)
    _append_list(log, path)
    _append_list(log, items)
    _append_marked(log, search.near, TWO)


@kernel
def chain(
    net: Net,
    live: Live,
    scratch: Scratch,
    rules: NDArray[Any],
    strong: Ints,
    log: Ints,
    place: Ints,
) -> int:
    """Log the shortest alternating chain that deletes something.

    Parameters
    ----------
    net : Net
    live : Live
    scratch : Scratch
        Overwritten.
    rules : CHAIN[rules]
        Easiest first; the first that finds a chain counts.
    strong : int32[rules, most links]
        Kinds of items whose strong link may be the n-th.
    log : int32, at least 5 options + 7 long
    place : int64[6]
        Where the search continues; changed.

    Returns
    -------
    int
        Strong links of the chain, or 0; or UNFINISHED.
    """
    search = _begin(net, live, scratch)
    walk, near = search.walk, search.near
    options = live.alive.size
    mark = ZERO
    first, best = int64(place[NEXT]), int64(place[BEST])
    left = int64(place[BUDGET])
    for row in range(place[ROW], rules.size):
        rule = rules[row]
        most, weak, conjugate = int64(rule["links"]), int64(rule["weak"]), int64(rule["conjugate"])
        if best > 0:
            most = best - 1
        for o in range(first, options):
            if left <= 0:
                place[NEXT], place[ROW], place[BEST], place[BUDGET] = o, row, best, left
                return UNFINISHED
            left -= EACH
            if live.alive[o] == 0:
                continue
            mark += 1
            walk[o]["off_mark"] = mark
            n = _follow(search, o, ZERO, int64(strong[row, 0]), mark, ZERO)
            if n == 0:
                continue
            n = _spread(search, n, strong[row], weak, conjugate, most, mark)
            left -= STEP * n + options // CLEARED
            _clear(near)
            _surround(search, o, ZERO)
            for k in range(n):
                r = int64(search.queue[k])
                # a chain from r back to o is the same one
                if r < o or _loses(search, o, r) == 0:
                    continue
                best = int64(walk[r]["depth"])
                most = best - 1
                _log_chain(search, scratch, int64(rule["rule"]), int64(o), r, best, log)
                break
            if best == 1:
                break
        if best > 0:
            break
        first = ZERO
    place[BUDGET] = left
    return int(best)


@copied
def _nearest_fork(
    search: ChainSearch,
    alive: NDArray[np.uint8],
    starts: Ints,
    rule: Any,
    strong: Ints,
    place: Ints,
) -> tuple[int, int, int]:
    """The start of the fork with the fewest strong links, an option it deletes, and the links.

    (-1, -1, above the rule's total) if there is none; place[NEXT] is the number of options at the
    end of the search.
    """
    walk = search.walk
    weak, links = int64(rule["weak"]), int64(rule["links"])
    num_starts = ZERO
    fewest = 3 if links > 0 else 2  # an item with two options and links starts a chain
    for i in range(search.items.size):
        if (
            fewest <= search.live[i]["size"] <= rule["widest"]
            and search.items[i]["kind"] & rule["start"]
        ):
            starts[num_starts] = i
            num_starts += 1
    item = option = NONE
    best = int64(rule["total"]) + 1
    mark = ZERO
    if place[NEXT] > 0:
        item, option, best = int64(place[ITEM]), int64(place[OPTION]), int64(place[BEST])
    left = int64(place[BUDGET])
    # a chain from x in to q out is, read backwards, one from q in to x out: so a single walk from q
    # finds all forks that delete it
    for q in range(place[NEXT], alive.size):
        if left <= 0:
            break
        left -= EACH
        place[NEXT] = q + 1
        if alive[q] == 0:
            continue
        mark += 1
        search.queue[0] = q
        walk[q]["depth"] = 0
        walk[q]["on_mark"] = mark
        # one level more than `links`, for the options excluded by the last ones
        n = _spread(search, ONE, strong, weak, ZERO, min(links, best) + 1, mark)
        left -= STEP * n + num_starts
        walk[q]["off_mark"] = 0
        for k in range(num_starts):
            i = int64(starts[k])
            length = ZERO
            for j in range(
                search.items[i]["first"], search.items[i]["first"] + search.live[i]["size"]
            ):
                x = search.option[j]
                if walk[x]["off_mark"] != mark:
                    length = FAR
                    break
                length += walk[walk[x]["off_from"]]["depth"]
            if length < best or (length == best and i < item):
                best, item, option = length, i, int64(q)
    place[ITEM], place[OPTION], place[BEST], place[BUDGET] = item, option, best, left
    return item, option, best


@copied
def _log_fork(
    search: ChainSearch,
    scratch: Scratch,
    rule: Any,
    strong: Ints,
    item: int,
    option: int,
    log: Ints,
) -> None:
    """Log the fork from each option of the item to what conflicts with `option`."""
    walk, near = search.walk, search.near
    path, items, ends = scratch.path, scratch.links, scratch.ends
    size = int64(search.live[item]["size"])
    at = ZERO
    for branch in range(size):
        x = search.option[search.items[item]["first"] + branch]
        mark = int64(search.queue.size + branch + 1)  # above those of `_nearest_fork`
        search.queue[0] = x
        walk[x]["depth"] = 0
        walk[x]["on_mark"] = mark
        _spread(search, ONE, strong, int64(rule["weak"]), ZERO, int64(rule["links"]), mark)
        k = ZERO
        while search.queue[k] == option or _conflict(search, int64(search.queue[k]), option) < 0:
            k += 1
        p = ends[branch] = search.queue[k]
        path[at] = x
        items[at] = -1
        end = at + 2 * walk[p]["depth"] + 1
        for k in range(end - 1, at, -2):
            q = walk[p]["on_from"]
            path[k] = p
            path[k - 1] = q
            items[k] = walk[p]["on_item"]
            items[k - 1] = walk[q]["off_item"]
            p = walk[q]["off_from"]
        at = end
    _open_record(log, int64(rule["rule"]), item)
    _append_list(log, path[:at])
    _append_list(log, items[:at])
    _clear(near)
    for branch in range(size):
        _surround(search, int64(ends[branch]), int64(branch))
    _append_marked(log, near, size)


@kernel
def fork(
    net: Net,
    live: Live,
    scratch: Scratch,
    rules: NDArray[Any],
    strong: Ints,
    log: Ints,
    place: Ints,
) -> int:
    """Log the fork with the fewest strong links that deletes something.

    Of forks with equally few, the one from the lowest item is taken, then the one that deletes
    the lowest option.

    Parameters
    ----------
    net : Net
    live : Live
    scratch : Scratch
        Overwritten.
    rules : FORK[1]
    strong : int32[1, links + 1]
        As for `chain`; none at the end.
    log : int32, at least as long as two paths and all options, and 7 more
    place : int64[6]
        Where the search continues; changed.

    Returns
    -------
    int
        Strong links of all its chains, but at least 1; 0 if there is no fork; or UNFINISHED.
    """
    search = _begin(net, live, scratch)
    rule = rules[0]
    item, option, links = _nearest_fork(search, live.alive, scratch.starts, rule, strong[0], place)
    if place[NEXT] < live.alive.size:
        return UNFINISHED
    if item == NONE:
        return 0
    _log_fork(search, scratch, rule, strong[0], item, option, log)
    return int(max(links, 1))


class Trial(NamedTuple):
    """The arrays of a refutation."""

    alive: NDArray[np.uint8]  # [options] as the singles leave them
    size: Ints  # [items]
    placed: Ints  # [items] the trial that chose an option of the item
    cause: Ints  # [options] the option that was chosen and excluded this one
    via: Ints  # [options] the item whose last option this one was, or -1
    depth: Ints  # [options] options chosen on the way to this one
    needed: Ints  # [options] the trial whose contradiction needs it
    queue: Ints  # [items + 1] options chosen
    trail: Ints  # [options] options excluded


@helper
def _propagate(net: Net, live: Live, trial: Trial, o: int, best: int) -> tuple[int, int, int]:
    """Choose o, then the last options of items: an empty item or -1, lengths of queue and trail.

    Ends without a contradiction at options that are not chosen within `best` choices.
    """
    mark = o + 1
    queue, placed = trial.queue, trial.placed
    queue[0], trial.depth[o], trial.via[o] = o, 1, -1
    head, tail, excluded, empty = 0, 1, 0, NONE
    for k in range(net.options[o]["start"], net.options[o]["stop"]):
        placed[net.item[k]] = mark
    while head < tail and empty < 0:
        p = queue[head]
        head += 1
        if trial.depth[p] >= best:
            break
        for k in range(net.options[p]["conflict_start"], net.options[p]["conflict_stop"]):
            i = net.item[k]
            for j in range(net.items[i]["first"], net.items[i]["stop"]):
                q = net.option[j]
                if trial.alive[q] == 0 or q == p:
                    continue
                trial.alive[q] = 0
                trial.cause[q] = p
                trial.trail[excluded] = q
                excluded += 1
                for e in range(net.options[q]["start"], net.options[q]["stop"]):
                    s = net.item[e]
                    trial.size[s] -= 1
                    if s >= net.num_primary:
                        continue
                    if trial.size[s] == 0:
                        if empty < 0:
                            empty = int64(s)
                    elif trial.size[s] == 1 and placed[s] != mark and live.items[s]["met"] == 0:
                        f = net.items[s]["first"]
                        while trial.alive[net.option[f]] == 0:
                            f += 1
                        r = net.option[f]
                        trial.via[r] = s
                        trial.depth[r] = trial.depth[p] + 1
                        queue[tail] = r
                        tail += 1
                        for g in range(net.options[r]["start"], net.options[r]["stop"]):
                            placed[net.item[g]] = mark
    return empty, tail, excluded


@helper
def _mark_needed(net: Net, live: Live, trial: Trial, mark: int, empty: int, tail: int) -> int:
    """Mark the chosen options without which the item would not be empty; how many."""
    queue, needed = trial.queue, trial.needed
    length = 0
    i = empty
    for k in range(tail, -1, -1):
        if k < tail:
            if needed[queue[k]] != mark:
                continue
            length += 1
            i = int64(trial.via[queue[k]])
        if i >= 0:
            for j in range(net.items[i]["first"], net.items[i]["stop"]):
                q = net.option[j]
                if live.alive[q] and (k == tail or q != queue[k]):
                    needed[trial.cause[q]] = mark
    return length


@copied
def _log_refutation(trial: Trial, rule: int, mark: int, empty: int, tail: int, log: Ints) -> None:
    options = np.empty(tail, np.int32)
    items = np.empty(tail, np.int32)
    length = 0
    for k in range(tail):
        p = trial.queue[k]
        if trial.needed[p] == mark:
            options[length] = p
            items[length] = trial.via[p]
            length += 1
    _open_record(log, rule, empty)
    _append_list(log, options[:length])
    _append_list(log, items[:length])
    _append_list(log, trial.queue[:1])


@allocating
def refute(net: Net, live: Live, rule: int, log: Ints, place: Ints) -> int:
    """Log the option with the shortest refutation by singles.

    Its length is the number of options that are chosen, the refuted one first, each of the others
    being the last of an item, until an item has none left. Options of equal length are taken in
    order.

    Parameters
    ----------
    net : Net
    live : Live
    rule : int
        Number of the rule.
    log : int32, at least 3 options + 7 long
    place : int64[6]
        Where the search continues; changed.

    Returns
    -------
    int
        The length, 0 if no option is refuted; or UNFINISHED.
    """
    options, items = live.alive.size, live.items.size
    trial = Trial(
        live.alive.copy(),
        live.items["size"].copy(),
        np.zeros(items, np.int32),
        np.empty(options, np.int32),
        np.empty(options, np.int32),
        np.empty(options, np.int32),
        np.zeros(options, np.int32),
        np.empty(items + 1, np.int32),
        np.empty(options, np.int32),
    )
    best, left = options, int64(place[BUDGET])
    if place[NEXT] == 0:
        log[END] = FIRST
    elif place[BEST] > 0:
        best = int(place[BEST])
    for o in range(place[NEXT], options):
        if left <= 0:
            place[NEXT], place[BEST], place[BUDGET] = o, best, left
            return UNFINISHED
        left -= EACH
        if live.alive[o] == 0 or live.items[net.item[net.options[o]["start"]]]["met"]:
            continue
        empty, tail, excluded = _propagate(net, live, trial, int64(o), int64(best))
        left -= TAKEN_OUT * excluded
        if empty >= 0:
            length = _mark_needed(net, live, trial, int64(o + 1), empty, tail)
            if length < best:
                best = length
                _log_refutation(trial, int64(rule), int64(o + 1), empty, tail, log)
        for k in range(excluded):
            q = trial.trail[k]
            trial.alive[q] = 1
            for e in range(net.options[q]["start"], net.options[q]["stop"]):
                trial.size[net.item[e]] += 1
    place[BUDGET] = left
    return best if log[END] > FIRST else 0


INTERPRETED = {function: interpreted(function) for function in (chain, fork, refute)}
"""The kernels in plain Python."""

INTERPRETED_WORK = 1_000_000


def interpreter_work() -> int:
    """Work that the interpreter does before these kernels are called.

    Its unit is that of their budgets. The interpreter takes a second for it, and most puzzles that
    need a chain need less; to compile the kernels takes eight. Compiled ones are loaded in 0.1 s.
    """
    return 0 if is_stored(chain) else INTERPRETED_WORK
