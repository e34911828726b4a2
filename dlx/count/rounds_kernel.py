"""Kernel: a sweep by layers in memory, by several threads that do not return to Python.

The method, the states and the masks are those of `sweep_kernel`. As in `layers_kernel`, a hash of
the keys splits the states of a layer into parts, and the states of a part are merged when the part
is expanded.

A *round* expands some parts of a layer. Each thread takes one part after the other, and appends
each child to a list of its own for the child's layer and part. So no two threads write to one list,
and the children are for later layers, which no thread reads in this round. The thread that is the
last to leave a round chooses the next one; the others wait for it, and return to Python if that
takes long. A thread may join a round at any time, and no round waits for a thread that has not
joined it: that thread may have other work, or an interrupt may have come when it returned. Rounds
depend on the states alone: figures are the same for any number of threads.

Lists consist of blocks of `BLOCK_STATES` rows, the last block first. There are enough blocks for
any round: it begins with less than now[OPEN_LIMIT] open states, and makes at most
now[CHILDREN_LIMIT] more.

Who writes what:

    During a round, thread k alone writes figures[k], kept[k], total[k], and for later layers
    head[k], length[k], filled[k] and the blocks of these lists. The thread that took a part sets
    its `length` to 0, in the rows of all threads. `shared` and `in_use` change by atomic operations
    only. `now`, `sizes` and `free` are only read.
    While shared[ROUND] is neither JOINABLE nor OVER, one thread is in `choose`. It alone writes
    `now`, `sizes`, `free`, `filled` and `figures`, and `shared` without need of atomic operations,
    except for `ROUND`: it adds to that last, which lets the others read what was written.

Whenever a round is chosen, so also between two calls of `begin`:

    figures[:, STATES_TAKEN : WIDE + 1] is 0, and now[OPEN] is the sum of `length`. During the
    round, the sum of `length` is now[OPEN] + figures[:, STATES_MADE].sum() -
    figures[:, STATES_TAKEN].sum(), but for the parts that are being expanded.
    Each block is in one list, in kept[k, : figures[k, KEPT]] of one thread, or in
    free[: shared[FREE]].
    solutions = sum of `total` + sum over all states of count * (completions).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.compiled import copied, helper, inlined, kernel
from dlx.compiled.atomics import fetch_add, load, replace
from dlx.compiled.instructions import prefetch
from dlx.count.sweep_kernel import (
    HASH,
    LIMB_BITS,
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

PARTS = 32  # of a layer, by bits of the hash
BLOCK_STATES = 8  # states
SOME, MOST_KEPT = 16, 1 << 11  # blocks that a thread takes at once, and keeps from round to round
OPTION_WORK = 16  # units of work for each option of the item of a state, about
FAR_STATES = 1 << 17  # open states from which to store and find one costs twice as much
SPINS = 1 << 14  # looks at the state of a round before a thread returns to Python

# what `choose` decides: the next round is on; or no state is left, the work is done, there are too
# many states, a part may have too many children, counts need a limb more
GOING, ENDED, PAUSED, MANY, CROWDED, NEEDS_LIMB = range(6)

# places in Pool.now: what was decided, the layer and the part after the last one of the round, the
# lowest layer with states; open states, the most of them so far, states expanded, work; the work
# and the open states to pause at, the most children of a round; whether the last layers go first,
# part by part; the work when the lowest layer with states was reached
NUM_NOW = 13
STATUS, LAYER, END, LOWEST, OPEN, PEAK = range(6)
EXPANDED, WORK, STOP, OPEN_LIMIT, CHILDREN_LIMIT, EARLY, BEGUN = range(6, NUM_NOW)

# places in Pool.shared, each in a cache line of its own: the next part to take, the round, free
# blocks that no thread keeps
NEXT, ROUND, FREE = 0, 8, 16
NUM_SHARED = 24

# the bits of shared[ROUND]: how many threads take part in the round; whether threads may join it;
# whether no round follows; from which bit on its number
TAKING, JOINABLE, OVER, NUMBER = (1 << 16) - 1, 1 << 16, 1 << 17, 32

# columns of Pool.figures: of this round, states taken, children made, states expanded, work,
# whether a count needs another limb; free blocks; the last round that the thread has joined
STATES_TAKEN, STATES_MADE, ROUND_EXPANDED, ROUND_WORK, WIDE, KEPT, LAST = range(7)
NUM_FIGURES = 16  # two cache lines


class Pool(NamedTuple):
    """What the threads share.

    Attributes
    ----------
    rows : uint64[blocks * BLOCK_STATES, 1 + words + limbs]
        Hash and key of a state, and how many sets of options lead to it.
    after : int32[blocks]
        The next block of a list.
    free : int32[blocks]
        Blocks in no list, that no thread keeps; the places behind are not used. Place i has
        blocks - 1 - i less the number of a block: so they begin with zeros, in memory that is not
        touched before it is used.
    kept : int32[threads, blocks]
        Likewise, those that each thread keeps: what it has read last is in its cache.
    head, length : int32[threads, primary, PARTS]
        The lists of each thread: first block, and states.
    filled : int64[threads, primary]
        Zero only if a thread has no states in a layer.
    sizes : int64[PARTS]
        The states of the layer that was chosen last.
    total : uint64[threads, limbs + 1]
        Solutions that each thread has completed.
    figures : int64[threads, NUM_FIGURES]
    shared : int64[NUM_SHARED]
        Changed by atomic operations.
    in_use : int64[threads]
        Likewise: 1 if a call works as this thread, else 0.
    now : int64[NUM_NOW]
        Changed by `choose` only.
    """

    rows: Array
    after: Array
    free: Array
    kept: Array
    head: Array
    length: Array
    filled: Array
    sizes: Array
    total: Array
    figures: Array
    shared: Array
    in_use: Array
    now: Array


class Thread(NamedTuple):
    """What one thread has for itself: all but the masks is scratch.

    Attributes
    ----------
    masks : Masks
        Only read.
    rows : uint64[most, 1 + words + limbs]
        The states of a part.
    slot : uint64[power of two >= 2 * most]
        The table: 0 if free, else the high half is the hash, the low half the state + 1.
    child : uint64[degree, 1 + words + limbs]
    target, chosen : int32[degree]
        Layer and option of each child.
    """

    masks: Masks
    rows: Array
    slot: Array
    child: Array
    target: Array
    chosen: Array


@inlined
def _append(s, k, layer, states, i, words):  # type: ignore[no-untyped-def]
    """Append a row of `states` to a list of thread k."""
    tag = hash_key(states, i, words)
    part = np.int64(tag >> np.uint64(32)) & (PARTS - 1)
    number = np.int64(s.length[k, layer, part])
    if number % BLOCK_STATES == 0:
        if s.figures[k, KEPT] == 0:
            first, last = fetch_add(s.shared, FREE, -SOME) - SOME, len(s.free) - 1
            for b in range(SOME):
                s.kept[k, b] = last - (first + b) - s.free[first + b]
            s.figures[k, KEPT] = SOME
        s.figures[k, KEPT] -= 1
        block = s.kept[k, s.figures[k, KEPT]]
        s.after[block] = s.head[k, layer, part]
        s.head[k, layer, part] = block
    s.length[k, layer, part] = number + 1
    s.filled[k, layer] = 1
    row = np.int64(s.head[k, layer, part]) * BLOCK_STATES + number % BLOCK_STATES
    s.rows[row, HASH] = tag
    for w in range(1, states.shape[1]):
        s.rows[row, w] = states[i, w]


@inlined
def _fetch_block(rows, block):  # type: ignore[no-untyped-def]
    """Prefetch a block, which may be in the cache of another core."""
    size = BLOCK_STATES * rows.shape[1]
    for at in range(block * size, (block + 1) * size, 8):
        prefetch(rows, at)


@helper
def _merge(s, t, layer, part):  # type: ignore[no-untyped-def]
    """Merge the states of a part, of all threads, into rows of a thread.

    Returns
    -------
    int, int, bool
        The states there were, those that are left, and whether a count is too wide.
    """
    source, rows, slot = s.rows, t.rows, t.slot
    words, width = len(t.masks.primary), rows.shape[1]
    number = np.int64(0)
    for u in range(len(s.figures)):
        number += s.length[u, layer, part]
        if s.length[u, layer, part]:
            _fetch_block(source, s.head[u, layer, part])
    size = table_size(number)
    mask = size - 1
    slot[:size] = np.uint64(0)
    used, wide = np.int64(0), False
    for u in range(len(s.figures)):
        left = np.int64(s.length[u, layer, part])
        block = np.int64(s.head[u, layer, part])
        while left > 0:
            in_block = (left - 1) % BLOCK_STATES + 1
            if left > in_block:
                _fetch_block(source, s.after[block])
            for i in range(block * BLOCK_STATES, block * BLOCK_STATES + in_block):
                same = find(slot, mask, rows, used, source, i, words)
                if same < used:
                    wide |= add_count(rows, same, source, i, words)
                    continue
                for w in range(width):
                    rows[used, w] = source[i, w]
                used += np.int64(1)
            left -= in_block
            block = np.int64(s.after[block])
    return number, used, wide


@copied
def _expand(s, t, k, layer, part):  # type: ignore[no-untyped-def]
    """Merge and expand a part; leave it as it is if that makes a count too wide."""
    figures, rows, child, total = s.figures, t.rows, t.child, s.total
    words, width = len(t.masks.primary), t.rows.shape[1]
    num_primary = len(t.masks.lowest) - 1
    sorting = len(t.masks.pairs) > 1
    listed = child, t.target, t.chosen
    number, merged, wide = _merge(s, t, layer, part)
    if wide:
        figures[k, WIDE] = 1
        return
    for u in range(len(figures)):
        block = np.int64(s.head[u, layer, part])
        for _ in range(0, s.length[u, layer, part], BLOCK_STATES):
            s.kept[k, figures[k, KEPT]] = block
            figures[k, KEPT] += 1
            block = np.int64(s.after[block])
        s.length[u, layer, part] = 0
    made, work = np.int64(0), np.int64(0)
    lookup = lookup_work(words, 1 if s.now[OPEN] >= FAR_STATES else 0)
    for state in range(merged):
        children, tests = list_children(t.masks, rows, state, layer, listed, np.int64(0))
        work += expansion_work(tests, words) + children * lookup
        for c in range(children):
            goal, times = np.int64(t.target[c]), t.masks.times[t.chosen[c]]
            if goal == num_primary:
                for _ in range(times):
                    carry = np.uint64(0)
                    for i in range(total.shape[1]):
                        carry += total[k, i]
                        if 1 + words + i < width:
                            carry += rows[state, 1 + words + i]
                        total[k, i] = carry & np.uint64((1 << LIMB_BITS) - 1)
                        carry >>= np.uint64(LIMB_BITS)
                continue
            if sorting:
                work += exchange_bits(child, c, t.masks, goal)
            for w in range(1 + words, width):
                child[c, w] = rows[state, w]
            for _ in range(1, times):
                wide |= add_count(child, c, rows, state, words)
            _append(s, k, goal, child, c, words)
            made += 1
    figures[k, STATES_TAKEN] += number
    figures[k, STATES_MADE] += made
    figures[k, ROUND_EXPANDED] += merged
    figures[k, ROUND_WORK] += work
    figures[k, WIDE] |= wide


@helper
def _has_states(s, layer):  # type: ignore[no-untyped-def]
    """Whether a layer has states; if so, `sizes` is filled."""
    if not s.filled[:, layer].any():
        return False
    s.sizes[:] = 0
    for u in range(len(s.figures)):
        for p in range(PARTS):
            s.sizes[p] += s.length[u, layer, p]
    if s.sizes.any():
        return True
    s.filled[:, layer] = 0
    return False


@helper
def choose(s, lowest):  # type: ignore[no-untyped-def]
    """Add up the figures of the threads, and choose the next round; all threads wait for it."""
    now, figures, shared = s.now, s.figures, s.shared
    wide = False
    for u in range(len(figures)):
        while figures[u, KEPT] > MOST_KEPT:
            figures[u, KEPT] -= 1
            s.free[shared[FREE]] = len(s.free) - 1 - shared[FREE] - s.kept[u, figures[u, KEPT]]
            shared[FREE] += 1
        now[OPEN] += figures[u, STATES_MADE] - figures[u, STATES_TAKEN]
        now[EXPANDED] += figures[u, ROUND_EXPANDED]
        now[WORK] += figures[u, ROUND_WORK]
        wide |= figures[u, WIDE] != 0
        figures[u, : WIDE + 1] = 0
    now[PEAK] = max(now[PEAK], now[OPEN])
    if wide:
        now[STATUS] = NEEDS_LIMB
        return
    if now[OPEN] == 0:
        now[STATUS] = ENDED
        return
    while not _has_states(s, now[LOWEST]):
        now[LOWEST] += 1
        now[BEGUN] = now[WORK]
    if now[OPEN] >= now[OPEN_LIMIT]:
        now[STATUS] = MANY
        return
    if now[WORK] >= now[STOP]:
        now[STATUS] = PAUSED
        return
    layer = np.int64(now[LOWEST])
    if now[EARLY]:
        layer = np.int64(s.filled.shape[1] - 1)
        while not _has_states(s, layer):
            layer -= 1
    degree = np.int64(lowest[layer + 1] - lowest[layer])
    first = 0
    while s.sizes[first] == 0:
        first += 1
    if s.sizes[first] * degree > now[CHILDREN_LIMIT]:
        now[STATUS] = CROWDED
        return
    room = min(now[CHILDREN_LIMIT], (now[STOP] - now[WORK]) // OPTION_WORK)
    room -= s.sizes[first] * degree
    end = first + 1
    while end < PARTS and s.sizes[end] * degree <= room and not now[EARLY]:
        room -= s.sizes[end] * degree
        end += 1
    now[STATUS], now[LAYER], now[END] = GOING, layer, end
    shared[NEXT] = first


@inlined
def _joins(figures, shared, k):  # type: ignore[no-untyped-def]
    """Whether there is a round that thread k has not taken part in; if so, it does from now on."""
    now = load(shared, ROUND)
    if now & JOINABLE == 0 or now >> NUMBER == figures[k, LAST]:
        return False
    if not replace(shared, ROUND, now, now + 1):
        return False
    figures[k, LAST] = now >> NUMBER
    return True


@inlined
def _leaves_last(shared):  # type: ignore[no-untyped-def]
    """Leave a round; return whether no thread takes part in it any longer, or may join."""
    while True:
        now = load(shared, ROUND)
        last = now & TAKING == 1
        if replace(shared, ROUND, now, now - 1 - (JOINABLE if last else 0)):
            return last


@kernel
def take_part(s, t, k):  # type: ignore[no-untyped-def]
    """Take part in rounds as thread k.

    Return False if no round could be joined within SPINS polls; True when the rounds are over, or
    if another call works as thread k.
    """
    figures, shared, now = s.figures, s.shared, s.now
    if not replace(s.in_use, k, 0, 1):
        return True
    spins = 0
    while load(shared, ROUND) & OVER == 0 and spins <= SPINS:
        spins += 1
        if not _joins(figures, shared, k):
            continue
        spins = 0
        layer, end = now[LAYER], now[END]
        part = fetch_add(shared, NEXT, 1)
        while part < end:
            _expand(s, t, k, layer, part)
            part = fetch_add(shared, NEXT, 1)
        if _leaves_last(shared):
            choose(s, t.masks.lowest)
            fetch_add(shared, ROUND, (1 << NUMBER) + (JOINABLE if now[STATUS] == GOING else OVER))
    fetch_add(s.in_use, k, -1)
    return spins <= SPINS


@kernel
def begin(s, lowest, budget, early):  # type: ignore[no-untyped-def]
    """Choose the first of some rounds, which any thread may join."""
    s.now[STOP], s.now[EARLY] = s.now[WORK] + budget, early
    choose(s, lowest)
    before = s.shared[ROUND]
    number = (before >> NUMBER) + 1
    new = (number << NUMBER) + (JOINABLE if s.now[STATUS] == GOING else OVER)
    # atomic: a thread that joins late must not see the new round before the rest; ARM reorders
    fetch_add(s.shared, ROUND, new - before)


@kernel
def fill(s, t, lengths, states):  # type: ignore[no-untyped-def]
    """Take over states, layer by layer, as rows without a first column."""
    thread = row = np.int64(0)  # literals would be a type of their own
    at = 0
    for layer in range(len(lengths) - 1):
        for i in range(at, at + lengths[layer]):
            for w in range(states.shape[1]):
                t.child[0, 1 + w] = states[i, w]
            _append(s, thread, layer, t.child, row, len(t.masks.primary))
        at += lengths[layer]
    s.now[OPEN] = at


@kernel
def collect(s, lengths, out):  # type: ignore[no-untyped-def]
    """List all states as `fill` takes them.

    Parameters
    ----------
    s : Pool
    lengths : int64[primary + 1]
        Filled: how many there are in each layer.
    out : uint64[states, words + limbs or more]
        The first words + limbs columns are filled.
    """
    at = np.int64(0)
    for layer in range(s.filled.shape[1]):
        for u in range(len(s.figures)):
            for p in range(PARTS):
                left = np.int64(s.length[u, layer, p])
                block = np.int64(s.head[u, layer, p])
                lengths[layer] += left
                while left > 0:
                    in_block = (left - 1) % BLOCK_STATES + 1
                    for i in range(block * BLOCK_STATES, block * BLOCK_STATES + in_block):
                        for w in range(1, s.rows.shape[1]):
                            out[at, w - 1] = s.rows[i, w]
                        at += 1
                    left -= in_block
                    block = np.int64(s.after[block])
