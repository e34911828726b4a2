"""Deductions on options by implication: alternating chains, forks, and refutation by singles.

Two options *conflict* (a weak link) if they share an item: not both are chosen. They are joined by
a *strong link* if an item has no other option left: one of them is chosen. An alternating chain
starts with an option that is supposed out, and goes strong, weak, strong, ..., strong: the option
at its end is then in. So one of its two ends is chosen, and whatever conflicts with both can go.
A fork starts with each option of one item, supposed in, and goes weak, strong, ..., strong: one of
the ends is chosen, and whatever conflicts with all of them can go. A refutation supposes an option
in and chooses the last option of an item, again and again, until an item has none.
(Terms: Bernhard Hobiger, hodoku.sourceforge.net, "Chains and loops".)

Nothing here changes what the state (`dlx.logic.state.State`) says. What was found is written to a
log, which is emptied first, as one record in the form that `dlx.logic.state.records` reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dlx.logic.state import CONJUGATE, HEADER, Live, Net, State

Ints = NDArray[np.int32]

# no way in from Python: less to compile
helper = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


# a literal, or another type, would compile a helper once more: helpers get int64 alone
int64: Any = np.int64
NONE, ZERO, ONE, TWO = int64(-1), int64(0), int64(1), int64(2)
FAR = int64(1 << 30)

# rows of a walk, int32[8, options]: what follows from one supposition; an entry counts only where
# the mark above it is the walk's own
QUEUE = 0  # options that must be in, in the order found, so by ascending depth
DEPTH = 1  # strong links on the way to the option that is in
ON_MARK, ON_FROM, ON_ITEM = 2, 3, 4  # the option that is out before it; the item that links them
OFF_MARK, OFF_FROM, OFF_ITEM = 5, 6, 7  # the option that throws this one out; by which item


@helper
def _clear(marks: Ints) -> None:
    for k in range(marks.size):
        marks[k] = 0


@helper
def _gather(net: Net, live: Live) -> None:
    """List of each item the options that are alive."""
    for i in range(live.size.size):
        at = net.first[i]
        for j in range(net.first[i], net.first[i + 1]):
            if live.alive[net.option[j]]:
                live.option[at] = net.option[j]
                at += 1


@helper
def _follow(
    net: Net, live: Live, walk: Ints, out: int, level: int, kinds: int, mark: int, n: int
) -> int:
    """Queue what the strong links of these kinds bring in when `out` is out; new queue length."""
    for k in range(net.start[out], net.start[out + 1]):
        i = net.item[k]
        if live.size[i] != 2 or not net.kind[i] & kinds:
            continue
        j = net.first[i]
        r = live.option[j + 1] if live.option[j] == out else live.option[j]
        if walk[ON_MARK, r] != mark:
            walk[ON_MARK, r] = mark
            walk[ON_FROM, r] = out
            walk[ON_ITEM, r] = i
            walk[DEPTH, r] = level + 1
            walk[QUEUE, n] = r
            n += 1
    return n


@helper
def _spread(
    net: Net, live: Live, walk: Ints, n: int, strong: Ints, weak: int, most: int, mark: int
) -> int:  # fmt: skip
    """Follow chains from the n options in the queue, up to `most` strong links; queue length."""
    head = 0
    while head < n:
        p = walk[QUEUE, head]
        head += 1
        level = int64(walk[DEPTH, p])
        if level >= most:
            break
        kinds = int64(strong[level])
        for k in range(net.start[p], net.start[p + 1]):
            i = net.item[k]
            if not net.kind[i] & weak or (weak & CONJUGATE and live.size[i] != 2):
                continue
            for j in range(net.first[i], net.first[i] + live.size[i]):
                q = int64(live.option[j])
                if q != p and walk[OFF_MARK, q] != mark:
                    walk[OFF_MARK, q] = mark
                    walk[OFF_FROM, q] = p
                    walk[OFF_ITEM, q] = i
                    n = _follow(net, live, walk, q, level, kinds, mark, n)
    return n


@helper
def _surround(net: Net, live: Live, near: Ints, a: int, old: int) -> int:
    """Add 1 to the mark `old` of each option alive that conflicts with a; how many."""
    turned = 0
    for k in range(net.start[a], net.start[a + 1]):
        i = net.item[k]
        for j in range(net.first[i], net.first[i] + live.size[i]):
            q = live.option[j]
            if near[q] == old and q != a:
                near[q] = old + 1
                turned += 1
    return turned


@helper
def _loses(net: Net, live: Live, walk: Ints, near: Ints, o: int, r: int) -> int:
    """Mark with 2 in `near` what goes if one of o and r is chosen, the ends of a chain.

    Returns how many. In `near` what conflicts with o is 1, the rest 0; if nothing goes, this is so
    afterwards. If the ends conflict, the chain is a loop, and both options of any of its weak links
    are such a pair.
    """
    if r == o:
        return int(_surround(net, live, near, o, ONE))
    loop = near[r] == 1
    lost = _surround(net, live, near, r, ONE)
    while loop and walk[ON_FROM, r] != o:
        q = int64(walk[ON_FROM, r])
        r = int64(walk[OFF_FROM, q])
        for k in range(near.size):
            near[k] &= 2
        _surround(net, live, near, r, ZERO)
        lost += _surround(net, live, near, q, ONE)
    if loop and lost == 0:
        _clear(near)
        _surround(net, live, near, o, ZERO)
    return int(lost)


@helper
def _conflict(net: Net, a: int, b: int) -> int:
    """An item that both options contain, -1 if none."""
    for k in range(net.start[a], net.start[a + 1]):
        for j in range(net.start[b], net.start[b + 1]):
            if net.item[k] == net.item[j]:
                return int(net.item[k])
    return -1


@helper
def _open(log: Ints, rung: int, where: int, option: int) -> None:
    log[0] = 1 + HEADER
    log[1] = rung
    log[2] = where
    log[3] = option
    for k in range(4, 1 + HEADER):
        log[k] = 0


@helper
def _close(near: Ints, mark: int, log: Ints) -> None:
    """Log what is marked as the deleted options."""
    for q in range(near.size):
        if near[q] == mark:
            log[log[0]] = q
            log[0] += 1
            log[7] += 1


@njit(cache=True, nogil=True)
def chain(state: State, rungs: Ints, log: Ints) -> int:
    """Log the shortest alternating chain that deletes something; returns its strong links or 0.

    rungs -- int32[rungs, 3 + most links], easiest first; the first that finds a chain counts. Its
        number; how many strong links; kinds of items (a mask) for weak links, with CONJUGATE only
        those that are strong as well; kinds of items whose strong link may be the n-th.
    log -- int32, at least 5 options + HEADER + 1 long. The lists: options along the chain, two a
        strong link; items between them, and if it is a loop the item that closes it; none; deleted.

    Of equally short chains the one is taken that starts with the lowest option and is found first.
    """
    net, live = state.net, state.live
    _gather(net, live)
    options = live.alive.size
    walk = np.zeros((8, options), np.int32)
    near = np.zeros(options, np.int32)
    best = mark = ZERO
    for row in range(rungs.shape[0]):
        most, weak, strong = int64(rungs[row, 1]), int64(rungs[row, 2]), rungs[row, 3:]
        for o in range(options):
            if live.alive[o] == 0:
                continue
            mark += 1
            walk[OFF_MARK, o] = mark
            n = _follow(net, live, walk, o, ZERO, int64(strong[0]), mark, ZERO)
            if n == 0:
                continue
            n = _spread(net, live, walk, n, strong, weak, most, mark)
            _clear(near)
            _surround(net, live, near, o, ZERO)
            for k in range(n):
                r = int64(walk[QUEUE, k])
                # a chain from r back to o is the same one
                if r < o or _loses(net, live, walk, near, o, r) == 0:
                    continue
                best = int64(walk[DEPTH, r])
                most = best - 1
                _open(log, int64(rungs[row, 0]), best, r)
                log[4] = 2 * best
                log[5] = 2 * best - 1
                at = 1 + HEADER + 2 * best
                via = at + 2 * best - 1
                log[0] = via
                x = r
                for step in range(best):
                    at -= 2
                    via -= 2
                    log[at] = walk[ON_FROM, x]
                    log[at + 1] = x
                    log[via + 1] = walk[ON_ITEM, x]
                    if step < best - 1:
                        log[via] = walk[OFF_ITEM, walk[ON_FROM, x]]
                        x = walk[OFF_FROM, walk[ON_FROM, x]]
                closing = _conflict(net, o, r)
                if closing >= 0 and o != r:
                    log[log[0]] = closing
                    log[0] += 1
                    log[5] += 1
                _close(near, TWO, log)
                break
            if best == 1:
                break
        if best > 0:
            break
    return int(best)


@njit(cache=True, nogil=True)
def fork(
    state: State,
    items: int,
    widest: int,
    strong: int,
    most: int,
    total: int,
    weak: int,
    rung: int,
    log: Ints,
) -> int:
    """Log the shortest fork that deletes something; returns its strong links in all, or 0.

    items -- kinds of items (a mask) to start from, with 3 to `widest` options; without strong
        links also with 2, which would be a chain otherwise.
    strong, most, total -- kinds of items for strong links, how many each chain may have, and how
        many all of them together.
    weak -- kinds of items for weak links.
    log -- int32, at least 8 options long. The lists: options along the chains from each option of
        the item, one chain after the other; items between them; number of options in each chain;
        deleted options.

    Of equally short forks the one is taken that starts from the lowest item, then the one that
    deletes the lowest option.
    """
    net, live = state.net, state.live
    _gather(net, live)
    options = live.alive.size
    walk = np.zeros((8, options), np.int32)
    near = np.zeros(options, np.int32)
    kinds = np.zeros(most + 1, np.int32)
    for level in range(most):
        kinds[level] = strong
    starts = np.empty(live.size.size, np.int32)
    num_starts = 0
    fewest = 3 if most > 0 else 2
    for i in range(live.size.size):
        if fewest <= live.size[i] <= widest and net.kind[i] & items:
            starts[num_starts] = i
            num_starts += 1
    best_item = best_option = NONE
    best = int64(total) + 1
    mark = ZERO
    # a chain from x in to q out is, read backwards, one from q in to x out: so a single walk from q
    # finds all forks that delete it
    for q in range(options):
        if live.alive[q] == 0:
            continue
        mark += 1
        walk[QUEUE, 0] = q
        walk[DEPTH, q] = 0
        walk[ON_MARK, q] = mark
        # one level more than may count: for what the last options in throw out
        _spread(net, live, walk, ONE, kinds, weak, min(int64(most), best) + 1, mark)
        walk[OFF_MARK, q] = 0
        for k in range(num_starts):
            i = int64(starts[k])
            length = ZERO
            for j in range(net.first[i], net.first[i] + live.size[i]):
                x = live.option[j]
                if walk[OFF_MARK, x] != mark:
                    length = FAR
                    break
                length += walk[DEPTH, walk[OFF_FROM, x]]
            if length < best or (length == best and i < best_item):
                best, best_item, best_option = length, i, int64(q)
    if best_item == NONE:
        return 0
    _open(log, rung, best_item, best_option)
    ends = np.empty(live.size[best_item], np.int32)
    lengths = np.empty(live.size[best_item], np.int32)
    vias = np.empty(options, np.int32)
    path = np.empty(2 * options, np.int32)
    num_vias = 0
    branch = ZERO
    for j in range(net.first[best_item], net.first[best_item] + live.size[best_item]):
        x = live.option[j]
        mark += 1
        walk[QUEUE, 0] = x
        walk[DEPTH, x] = 0
        walk[ON_MARK, x] = mark
        _spread(net, live, walk, ONE, kinds, weak, int64(most), mark)
        k = 0
        while (
            walk[QUEUE, k] == best_option or _conflict(net, int64(walk[QUEUE, k]), best_option) < 0
        ):
            k += 1
        p = ends[branch] = walk[QUEUE, k]
        length = 2 * walk[DEPTH, p] + 1
        for k in range(walk[DEPTH, p]):
            q = walk[ON_FROM, p]
            path[length - 1 - 2 * k] = p
            path[length - 2 - 2 * k] = q
            vias[num_vias + length - 2 - 2 * k] = walk[ON_ITEM, p]
            vias[num_vias + length - 3 - 2 * k] = walk[OFF_ITEM, q]
            p = walk[OFF_FROM, q]
        path[0] = x
        num_vias += length - 1
        for k in range(length):
            log[log[0] + k] = path[k]
        log[0] += length
        log[4] += length
        lengths[branch] = length
        branch += 1
    log[5] = num_vias
    log[6] = branch
    for k in range(num_vias):
        log[log[0] + k] = vias[k]
    log[0] += num_vias
    for k in range(branch):
        log[log[0] + k] = lengths[k]
    log[0] += branch
    _clear(near)
    for k in range(branch):
        _surround(net, live, near, int64(ends[k]), k)
    _close(near, branch, log)
    return int(max(best, 1))


@njit(cache=True, nogil=True)
def refute(state: State, rung: int, log: Ints) -> int:
    """Log the option with the shortest refutation by singles; returns its length, 0 if none.

    The length is the number of options that are in, the refuted one first, each of the others
    being the last of an item, until an item has none left.
    log -- int32, at least 3 options + HEADER long. The record has that item; the lists: the options
        that are in, the items whose last ones they are (but for the first), none, the refuted one.
    """
    net, live = state.net, state.live
    options, items = live.alive.size, live.size.size
    here = live.alive.copy()
    size = live.size.copy()
    placed = np.zeros(items, np.int32)  # the trial that chose an option of the item
    cause = np.empty(options, np.int32)  # the option in that threw this one out
    via = np.empty(options, np.int32)  # the item whose last option this was
    depth = np.empty(options, np.int32)
    needed = np.zeros(options, np.int32)
    queue = np.empty(items + 1, np.int32)
    trail = np.empty(options, np.int32)
    best = options
    log[0] = 1
    for o in range(options):
        if live.alive[o] == 0:
            continue
        mark = o + 1
        queue[0], depth[o], via[o] = o, 1, -1
        head, tail, thrown, empty = 0, 1, 0, NONE
        for k in range(net.start[o], net.start[o + 1]):
            placed[net.item[k]] = mark
        if live.met[net.item[net.start[o]]]:
            continue
        while head < tail and empty < 0:
            p = queue[head]
            head += 1
            if depth[p] >= best:
                break
            for k in range(net.start[p], net.start[p + 1]):
                i = net.item[k]
                for j in range(net.first[i], net.first[i + 1]):
                    q = net.option[j]
                    if here[q] == 0 or q == p:
                        continue
                    here[q] = 0
                    cause[q] = p
                    trail[thrown] = q
                    thrown += 1
                    for e in range(net.start[q], net.start[q + 1]):
                        s = net.item[e]
                        size[s] -= 1
                        if size[s] == 0:
                            if empty < 0:
                                empty = int64(s)
                        elif size[s] == 1 and placed[s] != mark and live.met[s] == 0:
                            f = net.first[s]
                            while here[net.option[f]] == 0:
                                f += 1
                            r = net.option[f]
                            via[r] = s
                            depth[r] = depth[p] + 1
                            queue[tail] = r
                            tail += 1
                            for g in range(net.start[r], net.start[r + 1]):
                                placed[net.item[g]] = mark
        if empty >= 0:
            # walk back from the empty item to what is needed to empty it
            length = 0
            i = empty
            for k in range(tail, -1, -1):
                if k < tail:
                    if needed[queue[k]] != mark:
                        continue
                    length += 1
                    i = via[queue[k]]
                if i >= 0:
                    for j in range(net.first[i], net.first[i + 1]):
                        q = net.option[j]
                        if live.alive[q] and (k == tail or q != queue[k]):
                            needed[cause[q]] = mark
            if length < best:
                best = length
                _open(log, rung, empty, o)
                for k in range(tail):
                    if needed[queue[k]] == mark:
                        log[log[0]] = queue[k]
                        log[0] += 1
                log[4] = length
                log[5] = length - 1
                for k in range(1, length):
                    log[HEADER + length + k] = via[log[1 + HEADER + k]]
                log[0] += length - 1
                log[log[0]] = o
                log[0] += 1
                log[7] = 1
        for k in range(thrown):
            q = trail[k]
            here[q] = 1
            for e in range(net.start[q], net.start[q + 1]):
                size[net.item[e]] += 1
    return best if log[0] > 1 else 0
