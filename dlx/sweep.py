"""Kernel: all partial covers at once, merged where the same items are left, swept in one pass.

A *state* is what a set of chosen options leaves to be done. Two sets of options that leave the
same have the same ways to go on, so they are one state with a number of ways to reach it. States
stand in layers; an option leads from a state to one in a later layer; so when a layer's turn
comes its numbers are final, and once it is expanded it can be forgotten. This is the forward
form of a memoised search (Knuth's DLX6; the transfer-matrix or broken-profile method where the
items are cells of a board), holding a few layers where a memo holds everything.

The key of a state is a set of bits. A primary item is one bit, set while it is uncovered. A
secondary item is one bit for each colour it has in some option, and one for its uncoloured
options; a bit is set while an option of that kind may still be chosen *and* some option that is
still possible has it. So the key says which options are possible (those whose bits are all set),
and nothing that does not matter any more.

    need[o]   the bits of option o; it is possible while all of them are set
    kill[o]   the bits that go when o is chosen: its primary and uncoloured items, and of a
              coloured item every other colour

Two rules say which item a state branches on; both look at the key alone.

    first item   The lowest uncovered item; a state's layer. Options are numbered by their lowest
                 item. Cheap, and few states where the order of items has a narrow frontier.
    fewest       The item with the fewest possible options, ties by lowest bit; a state's layer is
                 its number of covered items. Children that leave an item without options are
                 dropped.

Invariants, whenever `advance` returns:

    covers = total + sum over open states of ways * (ways to complete the state).
    Open states are in a list of their layer, active or waiting, and in the table, each key once.
    Closed states may still be in the table; one is opened again if it is met again.
    No active state is in a layer before counters[LAYER].
    Every count is below 2**(BITS * limbs - HEADROOM), so that no addition can overflow (`_add`).

If all open states are active, no state is expanded twice. If they are too many for the memory,
most are set to wait, and a part of those in the last layers is swept to the end before more are
woken (`wake`): this merges less, holds less, and finds some covers soon.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import njit
from numba.extending import intrinsic

BITS = 60  # in a limb of a count: two of them can be added in 64 bits
HEADROOM = 28  # bits; one expansion adds at most 2**28 counts, for a Problem has fewer options

# what `advance` returns
DONE, PAUSED, ROOM, EDGES, WIDEN = range(5)

# places in Sweep.counters
LAYER, OPEN, USED, NODES, TRIED, EDGE, WIDE, WORK = range(8)
NUM_COUNTERS = 8

ACTIVE, WAITING = 0, 1  # the two lists of each layer

END = -1  # the last state of a list
CLOSED = -2  # the link of a state that has been expanded
TERMINAL = -1  # the child of an edge that completes a cover

Array = npt.NDArray[Any]


class Sweep(NamedTuple):
    """Everything `advance` reads and writes; flat arrays, words are uint64.

    need, kill : [options, words]
    lowest : int32[primary + 1], options of lowest item i are lowest[i] to lowest[i + 1] - 1
    relevant : [primary + 1, words], the bits of options whose lowest item is i or later
    primary : [words], the bits of primary items
    member : [bits, sets], the options that have a bit; sets = 0 selects the rule "first item"
    key : [capacity, words]; ways : [capacity, limbs], a count; link, number : int32[capacity]
    slot : [power of two >= 2 * capacity], 0 if free, else high half hash, low half state + 1
    head : int32[2, primary + 1], the first active and the first waiting state of each layer
    total : [limbs]
    edges : int32[room, 3], parent, option, child by their `number`; room 0: not recorded
    scratch : [4, max(words, sets)]; counters : int64[NUM_COUNTERS]
    """

    need: Array
    kill: Array
    lowest: Array
    relevant: Array
    primary: Array
    member: Array
    key: Array
    ways: Array
    link: Array
    number: Array
    slot: Array
    head: Array
    total: Array
    edges: Array
    child: Array
    target: Array
    chosen: Array
    active: Array
    after: Array
    bits: Array
    counters: Array


@intrinsic
def _ctpop(typingctx, x):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.ctpop(args[0])

    return numba.uint64(numba.uint64), codegen


@intrinsic
def _cttz(typingctx, x):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.cttz(args[0], numba.core.cgutils.false_bit)

    return numba.uint64(numba.uint64), codegen


if numba.config.DISABLE_JIT:

    def _ctpop(x):  # type: ignore[no-untyped-def]
        return int(x).bit_count()

    def _cttz(x):  # type: ignore[no-untyped-def]
        return (int(x) & -int(x)).bit_length() - 1


@njit(cache=True, nogil=True)
def _hash(key, row):  # type: ignore[no-untyped-def]
    # Products of 32-bit halves: they mix well, and never overflow.
    low = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    h = np.uint64(0x9E3779B97F4A7C15)
    for w in range(key.shape[1]):
        h ^= key[row, w]
        h = ((h & low) * np.uint64(0x9E3779B1)) ^ ((h >> shift) * np.uint64(0xC2B2AE3D))
        h ^= h >> np.uint64(29)
    return ((h & low) * np.uint64(0x85EBCA6B)) ^ (h >> np.uint64(31))


@njit(cache=True, nogil=True)
def _add(count, state, other, source):  # type: ignore[no-untyped-def]
    """count[state] += other[source]; returns whether the headroom is used up."""
    mask = np.uint64((1 << BITS) - 1)
    carry = np.uint64(0)
    last = count.shape[1] - 1
    for i in range(last):
        carry += count[state, i] + other[source, i]
        count[state, i] = carry & mask
        carry >>= np.uint64(BITS)
    count[state, last] += carry + other[source, last]
    return count[state, last] >> np.uint64(BITS - HEADROOM) != np.uint64(0)


@njit(cache=True, nogil=True)
def _by_first(  # type: ignore[no-untyped-def]
    need, kill, lowest, relevant, primary, key, state, layer, child, target, chosen
):
    """The children of a state whose lowest uncovered item is `layer`; returns their number."""
    words = key.shape[1]
    num_primary = len(lowest) - 1
    zero = np.uint64(0)
    children = 0
    start = layer >> 6
    for option in range(lowest[layer], lowest[layer + 1]):
        w = start
        while w < words and need[option, w] & ~key[state, w] == zero:
            w += 1
        if w < words:
            continue
        goal = np.int64(num_primary)
        for v in range(words):
            child[children, v] = key[state, v] & ~kill[option, v]
            if goal == num_primary and child[children, v] & primary[v] != zero:
                goal = (v << 6) + np.int64(_cttz(child[children, v] & primary[v]))
        lost = zero
        for v in range(words):
            lost |= child[children, v] & primary[v] & ~relevant[goal, v]
            child[children, v] &= relevant[goal, v]
        if lost == zero:
            target[children] = goal
            chosen[children] = option
            children += 1
    return children


@njit(cache=True, nogil=True)
def _without(active, member, bits):  # type: ignore[no-untyped-def]
    """Take the options that have one of the bits out of the set `active`."""
    for w in range(len(bits)):
        left = bits[w]
        while left != np.uint64(0):
            bit = (w << 6) + np.int64(_cttz(left))
            left &= left - np.uint64(1)
            for v in range(len(active)):
                active[v] &= ~member[bit, v]


@njit(cache=True, nogil=True)
def _by_fewest(  # type: ignore[no-untyped-def]
    kill, primary, num_primary, member, key, state, active, after, bits, child, target, chosen
):
    """The children of a state by the item with the fewest options; returns their number."""
    words, sets = key.shape[1], member.shape[1]
    zero, one = np.uint64(0), np.uint64(1)
    for v in range(sets):
        active[v] = ~zero
    for w in range(words):
        bits[w] = ~key[state, w]
    last = len(member) & 63
    if last:
        bits[words - 1] &= (one << np.uint64(last)) - one
    _without(active, member, bits)
    item, fewest = np.int64(0), np.int64(1 << 40)
    for w in range(words):
        left = key[state, w] & primary[w]
        while left != zero:
            bit = (w << 6) + np.int64(_cttz(left))
            left &= left - one
            size = np.int64(0)
            for v in range(sets):
                size += np.int64(_ctpop(active[v] & member[bit, v]))
            if size < fewest:
                item, fewest = bit, size
    children = 0
    for v in range(sets):
        rest = active[v] & member[item, v]
        while rest != zero:
            option = (v << 6) + np.int64(_cttz(rest))
            rest &= rest - one
            for w in range(words):
                bits[w] = kill[option, w] & key[state, w]
            for u in range(sets):
                after[u] = active[u]
            _without(after, member, bits)
            goal = num_primary
            for w in range(words):
                child[children, w] = key[state, w] & ~kill[option, w]
                left = child[children, w]
                while left != zero and goal >= 0:
                    bit = (w << 6) + np.int64(_cttz(left))
                    u = 0
                    while u < sets and after[u] & member[bit, u] == zero:
                        u += 1
                    if u == sets:
                        child[children, w] ^= left & ~(left - one)
                        if bit < num_primary:
                            goal = -1
                    elif bit < num_primary:
                        goal -= 1
                    left &= left - one
            if goal >= 0:
                target[children] = goal
                chosen[children] = option
                children += 1
    return children


@njit(cache=True, nogil=True)
def advance(s, budget):  # type: ignore[no-untyped-def]
    """Expand active states until none is left or about `budget` of work, in nanoseconds, is done.

    Returns DONE, PAUSED, ROOM (the arena needs room for the children of one more state), EDGES
    (so does `edges`) or WIDEN (counts need a limb more).
    """
    c, head, link, slot, edges = s.counters, s.head, s.link, s.slot, s.edges
    key, ways, number, child, total = s.key, s.ways, s.number, s.child, s.total
    target, chosen = s.target, s.chosen
    words, limbs, sets = key.shape[1], ways.shape[1], s.member.shape[1]
    degree = len(child)
    num_primary = len(s.lowest) - 1
    low = np.uint64(0xFFFFFFFF)
    mask = np.int64(len(slot) - 1)
    recording = len(edges) > 0
    layer, opened, used, edge = c[LAYER], c[OPEN], c[USED], c[EDGE]
    wide = c[WIDE] != 0
    work = np.int64(0)
    status = DONE
    while layer < num_primary:
        state = np.int64(head[ACTIVE, layer])
        if state == END:
            layer += 1
            continue
        if work >= budget:
            status = PAUSED
            break
        if wide:
            break
        if used + degree > len(key):
            status = ROOM
            break
        if recording and edge + degree > len(edges):
            status = EDGES
            break
        head[ACTIVE, layer] = link[state]
        link[state] = CLOSED
        opened -= 1
        c[TRIED] += 1
        if sets:
            children = _by_fewest(
                s.kill,
                s.primary,
                num_primary,
                s.member,
                key,
                state,
                s.active,
                s.after,
                s.bits,
                child,
                target,
                chosen,
            )
            work += 50 + sets * (len(s.member) >> 3)
        else:
            children = _by_first(
                s.need,
                s.kill,
                s.lowest,
                s.relevant,
                s.primary,
                key,
                state,
                layer,
                child,
                target,
                chosen,
            )
            work += 50 + (s.lowest[layer + 1] - s.lowest[layer]) * (5 + words)
        for k in range(children):
            goal = target[k]
            if goal == num_primary:
                if recording:
                    edges[edge, 0], edges[edge, 1], edges[edge, 2] = (
                        number[state],
                        chosen[k],
                        TERMINAL,
                    )
                    edge += 1
                else:
                    wide |= _add(total, 0, ways, state)
                continue
            tag = _hash(child, k)
            place = np.int64(tag & low) & mask
            tag &= ~low
            same = np.int64(-1)
            while slot[place] != np.uint64(0):
                if slot[place] & ~low == tag:
                    same = np.int64(slot[place] & low) - 1
                    w = 0
                    while w < words and key[same, w] == child[k, w]:
                        w += 1
                    if w == words:
                        break
                    same = np.int64(-1)
                place = (place + 1) & mask
            if same < 0:
                same = used
                used += 1
                slot[place] = tag | np.uint64(used)
                for w in range(words):
                    key[same, w] = child[k, w]
                link[same] = CLOSED
                c[NODES] += 1
                if recording:
                    number[same] = c[NODES]
            if link[same] == CLOSED:
                link[same] = head[ACTIVE, goal]
                head[ACTIVE, goal] = same
                opened += 1
                for i in range(limbs):
                    ways[same, i] = ways[state, i]
            elif not recording:
                wide |= _add(ways, same, ways, state)
            if recording:
                edges[edge, 0], edges[edge, 1], edges[edge, 2] = (
                    number[state],
                    chosen[k],
                    number[same],
                )
                edge += 1
            work += 60 + 10 * words
    c[LAYER], c[OPEN], c[USED], c[EDGE], c[WIDE] = layer, opened, used, edge, wide
    c[WORK] += work
    return WIDEN if wide else status


@njit(cache=True, nogil=True)
def wake(s, most):  # type: ignore[no-untyped-def]
    """Set all open states to wait, but for up to `most` of those in the last layers."""
    num_layers = s.head.shape[1]
    for layer in range(num_layers):
        state = np.int64(s.head[ACTIVE, layer])
        if state != END:
            last = state
            while s.link[last] != END:
                last = np.int64(s.link[last])
            s.link[last] = s.head[WAITING, layer]
            s.head[WAITING, layer] = state
            s.head[ACTIVE, layer] = END
    for layer in range(num_layers - 1, -1, -1):
        state = np.int64(s.head[WAITING, layer])
        if state == END or most <= 0:
            continue
        last = state
        most -= 1
        while most > 0 and s.link[last] != END:
            last = np.int64(s.link[last])
            most -= 1
        s.head[ACTIVE, layer] = state
        s.head[WAITING, layer] = s.link[last]
        s.link[last] = END
        s.counters[LAYER] = layer


@njit(cache=True, nogil=True)
def move(old, new, most):  # type: ignore[no-untyped-def]
    """Move up to `most` open states, list by list, to another arena; whether all are moved.

    The arenas share all but key, ways, link, number, slot and head.
    """
    low = np.uint64(0xFFFFFFFF)
    mask = np.int64(len(new.slot) - 1)
    used = new.counters[USED]
    for kind in range(2):
        for layer in range(old.head.shape[1]):
            state = np.int64(old.head[kind, layer])
            while state != END:
                if most <= 0:
                    new.counters[USED] = used
                    return False
                most -= 1
                old.head[kind, layer] = old.link[state]
                for w in range(old.key.shape[1]):
                    new.key[used, w] = old.key[state, w]
                for i in range(old.ways.shape[1]):
                    new.ways[used, i] = old.ways[state, i]
                if len(old.number):
                    new.number[used] = old.number[state]
                new.link[used] = new.head[kind, layer]
                new.head[kind, layer] = used
                tag = _hash(new.key, used)
                place = np.int64(tag & low) & mask
                while new.slot[place] != np.uint64(0):
                    place = (place + 1) & mask
                used += 1
                new.slot[place] = tag & ~low | np.uint64(used)
                state = np.int64(old.head[kind, layer])
    new.counters[USED] = used
    return True
