"""Kernel: a task of a sweep by layers, which merges and expands some parts of a layer.

The method, the states and the masks are those of `sweep_kernel`. There, one table holds all states.
Here, a hash of the keys splits the states of a layer into parts, so that equal states are in the
same part; within a part they are unmerged, in the order in which they were made. So a task that
takes whole parts of a layer, from wherever they are stored, merges all equal states without reading
other parts. Its table fits into the caches, and several threads can run tasks.

A `Scratch` belongs to one thread at a time, which writes all of its arrays; `masks` are shared and
only read. Between two calls of `expand_states` for one task:

    rows[: counters[MERGED]] are its states, each key once. Those before the state that was returned
    last are expanded; the others are as `_merge` left them.
    solutions of its states = total + sum over the children of all calls, and over the states not
    expanded, of count * (number of completions).
    `out`, `layers` and `bounds` hold the children of the last call only: copy them before the next.
    `places` is zero. `slot`, `child`, `target` and `chosen` are scratch.
    If counters[WIDE] is 1, nothing of this holds: the task begins again with a limb more.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import carray
from numba.extending import intrinsic

from dlx.compiled import allocating, helper, kernel
from dlx.compiled.instructions import prefetch
from dlx.count.sweep_kernel import (
    HASH,
    Masks,
    add_count,
    exchange_bits,
    expansion_work,
    find,
    hash_key,
    list_children,
    lookup_work,
    table_size,
)

Array = npt.NDArray[Any]

PARTS = 256  # of a layer, by 8 bits of the hash
AHEAD = 16  # states whose places in the table are fetched together

# places in Scratch.counters: states left after merging, states expanded, work done, whether a count
# needs another limb
MERGED, EXPANDED, WORK, WIDE = range(4)
NUM_COUNTERS = 4


class Scratch(NamedTuple):
    """The arrays that a task reads and writes; another task may use them after it.

    Attributes
    ----------
    masks : Masks
        Only read.
    rows : uint64[most, 1 + words + limbs]
        The states: a column of scratch, key, and how many sets of options lead to it.
    slot : uint64[power of two >= 2 * most]
        The table: 0 if free, else the high half is the hash, the low half the state + 1.
    child : uint64[room, 1 + words + limbs]
        The children, room > degree. The first column is the hash.
    target, chosen : int32[room]
        Layer and option of each child.
    out : uint64[room, words + limbs]
        The children, sorted by layer and part.
    places : int64[primary + 1]
        Zero, between two calls.
    layers : int64[primary + 1]
        The layers of the children, ascending.
    bounds : int64[primary + 1, PARTS + 1]
        For layer layers[i], part p is out[bounds[i, p] : bounds[i, p + 1]].
    total : uint64[1, 1 + words + limbs]
        The solutions completed, in the form of a row.
    counters : int64[NUM_COUNTERS]
    """

    masks: Masks
    rows: Array
    slot: Array
    child: Array
    target: Array
    chosen: Array
    out: Array
    places: Array
    layers: Array
    bounds: Array
    total: Array
    counters: Array


@intrinsic
def _pointer(typingctx, address):  # type: ignore[no-untyped-def]
    """The pointer to numbers of type uint64 at an address."""
    kind = numba.types.CPointer(numba.uint64)

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.inttoptr(args[0], context.get_value_type(kind))

    return kind(numba.int64), codegen


@allocating
def load(rows, sources):  # type: ignore[no-untyped-def]
    """Fill the first rows of a task with states from several places in memory.

    Parameters
    ----------
    rows : uint64[most, 1 + words + limbs]
    sources : int64[places, 3]
        The address of some states, their number, and words + limbs of each: that many numbers lie
        side by side. Missing limbs are 0.
    """
    at = 0
    for i in range(len(sources)):
        address, number, width = sources[i]
        if number == 0:
            continue
        states = carray(_pointer(address), (number, width))
        for k in range(number):
            for w in range(width):
                rows[at, 1 + w] = states[k, w]
            for w in range(1 + width, rows.shape[1]):
                rows[at, w] = np.uint64(0)
            at += 1


if numba.config.DISABLE_JIT:

    def _pointer(address):  # type: ignore[no-untyped-def]
        return ctypes.cast(int(address), ctypes.POINTER(ctypes.c_uint64))


@helper
def _merge(t, number):  # type: ignore[no-untyped-def]
    """Merge equal states among the first `number` rows; returns whether a count is too wide."""
    rows, slot = t.rows, t.slot
    words, width = len(t.masks.primary), rows.shape[1]
    low = np.uint64(0xFFFFFFFF)
    size = table_size(number)
    mask = size - 1
    slot[:size] = np.uint64(0)
    used = np.int64(0)
    wide = False
    begin = 0
    while begin < number:
        end = min(begin + AHEAD, number)
        for i in range(begin, end):
            rows[i, HASH] = hash_key(rows, i, words)
            prefetch(slot, np.int64(rows[i, HASH] & low) & mask)
        for i in range(begin, end):
            same = find(slot, mask, rows, used, rows, i, words)
            if same < used:
                wide |= add_count(rows, same, rows, i, words)
                continue
            if used < i:
                for w in range(width):  # the hash, too
                    rows[used, w] = rows[i, w]
            used += np.int64(1)
        begin = end
    t.counters[MERGED] = used
    return wide


@helper
def _scatter(t, number):  # type: ignore[no-untyped-def]
    """Sort the children by layer and part into `out`; returns how many layers there are."""
    child, target, out, bounds, places = t.child, t.target, t.out, t.bounds, t.places
    part = np.uint64(PARTS - 1)
    shift = np.uint64(32)
    first, last = len(places), 0
    for k in range(number):
        places[target[k]] += 1
        first = min(first, target[k])
        last = max(last, target[k])
    found = 0
    for layer in range(first, last + 1):
        if places[layer]:
            t.layers[found] = layer
            places[layer] = found
            bounds[found, :] = 0
            found += 1
    for k in range(number):
        bounds[places[target[k]], np.int64(child[k, HASH] >> shift & part)] += 1
    position = 0
    for i in range(found):
        for p in range(PARTS + 1):
            size = bounds[i, p]
            bounds[i, p] = position
            position += size
    for k in range(number):
        i, q = places[target[k]], np.int64(child[k, HASH] >> shift & part)
        place = bounds[i, q]
        bounds[i, q] += 1
        for w in range(out.shape[1]):
            out[place, w] = child[k, 1 + w]
    for i in range(found):  # where a part ended now, it had begun where the one before ends
        for p in range(PARTS, 0, -1):
            bounds[i, p] = bounds[i, p - 1]
        bounds[i, 0] = 0 if i == 0 else bounds[i - 1, PARTS]
        places[t.layers[i]] = 0
    return found


@kernel
def expand_states(t, number, room, layer, begin, most):  # type: ignore[no-untyped-def]
    """Merge the first `number` rows if `begin` is 0; expand them, from that one on.

    There is room for `room` children, at least for those of one state. Once the task has done
    `most` units of work, no state is expanded.

    Returns
    -------
    int, int
        The first state that is not expanded yet; of how many layers there are children.
    """
    c, rows, child, target, chosen = t.counters, t.rows, t.child, t.target, t.chosen
    words, width = len(t.masks.primary), rows.shape[1]
    num_primary = len(t.masks.lowest) - 1
    degree = np.int64(t.masks.lowest[layer + 1] - t.masks.lowest[layer])
    sorting = len(t.masks.pairs) > 1
    listed = child, target, chosen
    lookup = lookup_work(words, 1)
    done = c[WORK]
    wide = False
    if begin == 0:
        wide |= _merge(t, number)
    state, children = np.int64(begin), np.int64(0)
    while state < c[MERGED] and children + degree <= room and done < most and not wide:
        known = children
        end, tests = list_children(t.masks, rows, state, layer, listed, known)
        done += expansion_work(tests, words)
        for k in range(known, end):
            if target[k] == num_primary:
                for _ in range(t.masks.times[chosen[k]]):
                    wide |= add_count(t.total, np.int64(0), rows, state, words)
                continue
            if k > children:
                for w in range(1, 1 + words):
                    child[children, w] = child[k, w]
                target[children] = target[k]
            for w in range(1 + words, width):
                child[children, w] = rows[state, w]
            for _ in range(1, t.masks.times[chosen[k]]):
                wide |= add_count(child, children, rows, state, words)
            if sorting:
                done += exchange_bits(child, children, t.masks, np.int64(target[children]))
            child[children, HASH] = hash_key(child, children, words)
            children += 1
        done += (children - known) * lookup
        state += 1
    c[WORK] = done
    c[EXPANDED] += state - begin
    c[WIDE] |= wide
    return state, _scatter(t, children)


@kernel
def merge(t, number, layer):  # type: ignore[no-untyped-def]
    """Merge equal states among the first `number` rows, all of one layer; sort them into `out`."""
    words = len(t.masks.primary)
    t.counters[WIDE] |= _merge(t, number)
    t.counters[WORK] += number * lookup_work(words, 1)
    for k in range(t.counters[MERGED]):
        t.target[k] = layer
        for w in range(t.rows.shape[1]):
            t.child[k, w] = t.rows[k, w]
    _scatter(t, t.counters[MERGED])


@kernel
def sort(t, number, layer):  # type: ignore[no-untyped-def]
    """Sort the first states in `child`, all of one layer, by part into `out`."""
    for k in range(number):
        t.child[k, HASH] = hash_key(t.child, k, len(t.masks.primary))
        t.target[k] = layer
    _scatter(t, number)
