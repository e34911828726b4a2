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
from llvmlite import ir
from numba import njit
from numba.core import cgutils
from numba.extending import intrinsic

BITS = 60  # in a limb of a count: two of them can be added in 64 bits
HEADROOM = 28  # bits; one round adds at most 2**28 counts, for a Problem has fewer options

# what `advance` returns
DONE, PAUSED, ROOM, EDGES, WIDEN = range(5)

# places in Sweep.counters
LAYER, OPEN, USED, NODES, TRIED, EDGE, WIDE, WORK = range(8)
NUM_COUNTERS = 8

ACTIVE, WAITING = 0, 1  # the two lists of each layer

GROUP = 32  # children that are looked up together, beside those of one state

CLOSED, END = 0, 1  # links: of a state that has been expanded, of the last one in a list,
FIRST = 2  # and of a state that is followed by state 0
TERMINAL = -1  # the child of an edge that completes a cover

Array = npt.NDArray[Any]


class Sweep(NamedTuple):
    """Everything `advance` reads and writes; flat arrays, words are uint64.

    need, kill : [options, words]
    lowest : int32[primary + 1], options of lowest item i are lowest[i] to lowest[i + 1] - 1
    relevant : [primary + 1, words], the bits of options whose lowest item is i or later
    primary : [words], the bits of primary items
    member : [bits, sets], the options that have a bit; sets = 0 selects the rule "first item"
    rows : [capacity, 1 + words + limbs], the states: link, key, and the number of ways to reach it
        (side by side, for a state is met in no order, and each array would be a cache miss)
    number : int32[capacity if recording else 0], of a state's node in the diagram
    slot : [power of two >= 2 * capacity], 0 if free, else high half hash, low half state + 1
    head : int64[2, primary + 1], links to each layer's first active and first waiting state
    total : [1, 1 + words + limbs], as a row
    edges : int32[room, 3], parent, option, child by their `number`; room 0: not recorded
    child : [degree + GROUP, 1 + words], target, chosen, parent : int32[degree + GROUP], the
        children of some states of a layer: hash and key, layer, option, state
    active, after : [sets], bits : [words], for passing use; counters : int64[NUM_COUNTERS]
    """

    need: Array
    kill: Array
    lowest: Array
    relevant: Array
    primary: Array
    member: Array
    rows: Array
    number: Array
    slot: Array
    head: Array
    total: Array
    edges: Array
    child: Array
    target: Array
    chosen: Array
    parent: Array
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


@intrinsic
def _prefetch(typingctx, array, at):  # type: ignore[no-untyped-def]
    """Have the cache line of an array's item number `at`, in memory order, fetched."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.bitcast(builder.gep(data, [args[1]]), byte)
        builder.call(fetch, [place, flag(1), flag(3), flag(1)])  # to write, to keep, data
        return context.get_dummy_value()

    return numba.void(array, numba.int64), codegen


if numba.config.DISABLE_JIT:

    def _prefetch(array, at):  # type: ignore[no-untyped-def]
        pass

    def _ctpop(x):  # type: ignore[no-untyped-def]
        return int(x).bit_count()

    def _cttz(x):  # type: ignore[no-untyped-def]
        return (int(x) & -int(x)).bit_length() - 1


@njit(cache=True, nogil=True)
def _hash(rows, row, words):  # type: ignore[no-untyped-def]
    # Products of 32-bit halves: they mix well, and never overflow.
    low = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    h = np.uint64(0x9E3779B97F4A7C15)
    for w in range(1, 1 + words):
        h ^= rows[row, w]
        h = ((h & low) * np.uint64(0x9E3779B1)) ^ ((h >> shift) * np.uint64(0xC2B2AE3D))
        h ^= h >> np.uint64(29)
    return ((h & low) * np.uint64(0x85EBCA6B)) ^ (h >> np.uint64(31))


@njit(cache=True, nogil=True)
def _add(rows, state, source_rows, source, words):  # type: ignore[no-untyped-def]
    """Add the ways to reach `source`; returns whether the headroom is used up."""
    mask = np.uint64((1 << BITS) - 1)
    carry = np.uint64(0)
    last = rows.shape[1] - 1
    for i in range(1 + words, last):
        carry += rows[state, i] + source_rows[source, i]
        rows[state, i] = carry & mask
        carry >>= np.uint64(BITS)
    rows[state, last] += carry + source_rows[source, last]
    return rows[state, last] >> np.uint64(BITS - HEADROOM) != np.uint64(0)


@njit(cache=True, nogil=True)
def _by_first(  # type: ignore[no-untyped-def]
    need, kill, lowest, relevant, primary, rows, state, layer, child, target, chosen, children
):
    """Add the children of a state whose lowest uncovered item is `layer`; the new number."""
    words = len(primary)
    num_primary = len(lowest) - 1
    zero = np.uint64(0)
    start = layer >> 6
    for option in range(lowest[layer], lowest[layer + 1]):
        w = start
        while w < words and need[option, w] & ~rows[state, 1 + w] == zero:
            w += 1
        if w < words:
            continue
        goal = np.int64(num_primary)
        for v in range(words):
            child[children, 1 + v] = rows[state, 1 + v] & ~kill[option, v]
            if goal == num_primary and child[children, 1 + v] & primary[v] != zero:
                goal = (v << 6) + np.int64(_cttz(child[children, 1 + v] & primary[v]))
        lost = zero
        for v in range(words):
            lost |= child[children, 1 + v] & primary[v] & ~relevant[goal, v]
            child[children, 1 + v] &= relevant[goal, v]
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
    kill,
    primary,
    num_primary,
    member,
    rows,
    state,
    active,
    after,
    bits,
    child,
    target,
    chosen,
    children,
):
    """Add the children of a state by the item with the fewest options; the new number."""
    words, sets = len(primary), member.shape[1]
    zero, one = np.uint64(0), np.uint64(1)
    for v in range(sets):
        active[v] = ~zero
    for w in range(words):
        bits[w] = ~rows[state, 1 + w]
    last = len(member) & 63
    if last:
        bits[words - 1] &= (one << np.uint64(last)) - one
    _without(active, member, bits)
    item, fewest = np.int64(0), np.int64(1 << 40)
    for w in range(words):
        left = rows[state, 1 + w] & primary[w]
        while left != zero:
            bit = (w << 6) + np.int64(_cttz(left))
            left &= left - one
            size = np.int64(0)
            for v in range(sets):
                size += np.int64(_ctpop(active[v] & member[bit, v]))
            if size < fewest:
                item, fewest = bit, size
    for v in range(sets):
        rest = active[v] & member[item, v]
        while rest != zero:
            option = (v << 6) + np.int64(_cttz(rest))
            rest &= rest - one
            for w in range(words):
                bits[w] = kill[option, w] & rows[state, 1 + w]
            for u in range(sets):
                after[u] = active[u]
            _without(after, member, bits)
            goal = num_primary
            for w in range(words):
                child[children, 1 + w] = rows[state, 1 + w] & ~kill[option, w]
                left = child[children, 1 + w]
                while left != zero and goal >= 0:
                    bit = (w << 6) + np.int64(_cttz(left))
                    u = 0
                    while u < sets and after[u] & member[bit, u] == zero:
                        u += 1
                    if u == sets:
                        child[children, 1 + w] ^= left & ~(left - one)
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

    Returns DONE, PAUSED, ROOM (the arena needs room for the children of more states), EDGES
    (so does `edges`) or WIDEN (counts need a limb more).
    """
    c, head, slot, edges, rows = s.counters, s.head, s.slot, s.edges, s.rows
    number, child, total = s.number, s.child, s.total
    target, chosen, parent = s.target, s.chosen, s.parent
    words, sets, width = len(s.primary), s.member.shape[1], rows.shape[1]
    degree = len(child) - GROUP
    num_primary = len(s.lowest) - 1
    low = np.uint64(0xFFFFFFFF)
    mask = np.int64(len(slot) - 1)
    recording = len(edges) > 0
    layer, opened, used, edge = c[LAYER], c[OPEN], c[USED], c[EDGE]
    wide = c[WIDE] != 0
    work = np.int64(0)
    status = DONE
    while layer < num_primary:
        state = np.int64(head[ACTIVE, layer]) - FIRST
        if state < 0:
            layer += 1
            continue
        if work >= budget:
            status = PAUSED
            break
        if wide:
            break
        if used + len(child) > len(rows):
            status = ROOM
            break
        if recording and edge + len(child) > len(edges):
            status = EDGES
            break
        children = 0
        while state >= 0 and children + degree <= len(child):
            head[ACTIVE, layer] = rows[state, 0]
            rows[state, 0] = CLOSED
            opened -= 1
            c[TRIED] += 1
            known = children
            if sets:
                children = _by_fewest(
                    s.kill,
                    s.primary,
                    num_primary,
                    s.member,
                    rows,
                    state,
                    s.active,
                    s.after,
                    s.bits,
                    child,
                    target,
                    chosen,
                    known,
                )
                work += 50 + sets * (len(s.member) >> 3)
            else:
                children = _by_first(
                    s.need,
                    s.kill,
                    s.lowest,
                    s.relevant,
                    s.primary,
                    rows,
                    state,
                    layer,
                    child,
                    target,
                    chosen,
                    known,
                )
                work += 50 + (s.lowest[layer + 1] - s.lowest[layer]) * (5 + words)
            for k in range(known, children):
                parent[k] = state
            state = np.int64(head[ACTIVE, layer]) - FIRST
        # Where the children are looked up is fetched for all of them at once: a state is met in
        # no order, and each of these lines would be waited for.
        for k in range(children):
            tag = _hash(child, k, words)
            child[k, 0] = tag
            _prefetch(slot, np.int64(tag & low) & mask)
        for k in range(children):
            seen = slot[np.int64(child[k, 0] & low) & mask]
            if seen & ~low == child[k, 0] & ~low:
                _prefetch(rows, (np.int64(seen & low) - 1) * width)
        for k in range(children):
            goal, state = target[k], parent[k]
            if goal == num_primary:
                if recording:
                    edges[edge, 0], edges[edge, 1], edges[edge, 2] = (
                        number[state],
                        chosen[k],
                        TERMINAL,
                    )
                    edge += 1
                else:
                    wide |= _add(total, 0, rows, state, words)
                continue
            place = np.int64(child[k, 0] & low) & mask
            tag = child[k, 0] & ~low
            same = np.int64(-1)
            while slot[place] != np.uint64(0):
                if slot[place] & ~low == tag:
                    same = np.int64(slot[place] & low) - 1
                    w = 1
                    while w <= words and rows[same, w] == child[k, w]:
                        w += 1
                    if w > words:
                        break
                    same = np.int64(-1)
                place = (place + 1) & mask
            if same < 0:
                same = used
                used += 1
                slot[place] = tag | np.uint64(used)
                for w in range(1, 1 + words):
                    rows[same, w] = child[k, w]
                rows[same, 0] = CLOSED
                c[NODES] += 1
                if recording:
                    number[same] = c[NODES]
            if rows[same, 0] == CLOSED:
                rows[same, 0] = head[ACTIVE, goal]
                head[ACTIVE, goal] = FIRST + same
                opened += 1
                for i in range(1 + words, width):
                    rows[same, i] = rows[state, i]
            elif not recording:
                wide |= _add(rows, same, rows, state, words)
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
    head, rows = s.head, s.rows
    num_layers = head.shape[1]
    everything = most >= s.counters[OPEN]
    for layer in range(num_layers):
        if head[ACTIVE, layer] != END:
            if head[WAITING, layer] != END:  # else there may be millions to walk past
                last = np.int64(head[ACTIVE, layer]) - FIRST
                while rows[last, 0] != END:
                    last = np.int64(rows[last, 0]) - FIRST
                rows[last, 0] = head[WAITING, layer]
            head[WAITING, layer] = head[ACTIVE, layer]
            head[ACTIVE, layer] = END
    for layer in range(num_layers - 1, -1, -1):
        if head[WAITING, layer] == END or most <= 0:
            continue
        s.counters[LAYER] = layer
        if everything:
            head[ACTIVE, layer] = head[WAITING, layer]
            head[WAITING, layer] = END
            continue
        last = np.int64(head[WAITING, layer]) - FIRST
        most -= 1
        while most > 0 and rows[last, 0] != END:
            last = np.int64(rows[last, 0]) - FIRST
            most -= 1
        head[ACTIVE, layer] = head[WAITING, layer]
        head[WAITING, layer] = rows[last, 0]
        rows[last, 0] = END


@njit(cache=True, nogil=True)
def move(old, new, most):  # type: ignore[no-untyped-def]
    """Move about `most` open states, list by list, to another arena; whether all are moved.

    The arenas share all but rows, number, slot and head; `child` is scratch.
    """
    low = np.uint64(0xFFFFFFFF)
    mask = np.int64(len(new.slot) - 1)
    words = len(new.primary)
    tags = new.child
    used = new.counters[USED]
    for kind in range(2):
        for layer in range(old.head.shape[1]):
            while old.head[kind, layer] != END:
                if most <= 0:
                    new.counters[USED] = used
                    return False
                moved = 0
                while moved < len(tags) and old.head[kind, layer] != END:
                    state = np.int64(old.head[kind, layer]) - FIRST
                    old.head[kind, layer] = old.rows[state, 0]
                    for i in range(1, old.rows.shape[1]):
                        new.rows[used, i] = old.rows[state, i]
                    if len(old.number):
                        new.number[used] = old.number[state]
                    new.rows[used, 0] = new.head[kind, layer]
                    new.head[kind, layer] = FIRST + used
                    tags[moved, 0] = _hash(new.rows, used, words)
                    _prefetch(new.slot, np.int64(tags[moved, 0] & low) & mask)
                    used += 1
                    moved += 1
                most -= moved
                for k in range(moved):
                    place = np.int64(tags[k, 0] & low) & mask
                    while new.slot[place] != np.uint64(0):
                        place = (place + 1) & mask
                    new.slot[place] = tags[k, 0] & ~low | np.uint64(used - moved + k + 1)
    new.counters[USED] = used
    return True
