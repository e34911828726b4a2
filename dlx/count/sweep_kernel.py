"""Kernel: partial solutions with equal remainders are merged, and counted layer by layer.

A *state* is the remainder of a set of chosen options. Sets of options with equal remainders can be
completed by the same options, so they are one state with the number of sets that lead to it.
States stand in layers, and an option leads from a state to one in a later layer. So the
number of a state is final when its layer is expanded, and the state is not needed afterwards. This
is the forward form of a search with a memo cache (Knuth's DLX6; the transfer-matrix or
broken-profile method where the items are cells of a board); it holds a few layers where a memo
cache holds all states.

The key of a state is a set of bits. A primary item is one bit, set while it is uncovered. A
secondary item is one bit for each colour it has in some option, and one for its uncoloured
options; a bit is set while an option of that kind may still be chosen *and* some option that is
still possible has it. So the key determines which options are possible (those whose bits are all
set), and contains nothing else.

    need[o]   the bits of option o; it is possible while all of them are set
    kill[o]   the bits that go when o is chosen: its primary and uncoloured items, and of a
              coloured item every other colour

A state branches on its lowest uncovered item, whose number is the layer of the state. Options are
numbered by their lowest item. There are few states where the order of items has a narrow frontier.
Where none has, a diagram may be recorded by another rule, *fewest* (`Fewest`).

Invariants, whenever `advance` returns:

    solutions = total + sum over open states of count * (number of completions of the state).
    Open states are in the list of their layer and in the table, each key once, and none is in a
    layer before counters[LAYER]. So no state is expanded twice. Those that have been expanded may
    still be in the table; they are not met again.
    Every count is below 2**(LIMB_BITS * limbs - HEADROOM), so that no addition can overflow
    (`add_count`), unless counters[WIDE] is 1: then `advance` does nothing before the counts have
    another limb.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.compiled import helper, inlined, kernel
from dlx.compiled.instructions import count_bits, lowest_bit, prefetch

LIMB_BITS = 60  # in a limb of a count: two of them can be added in 64 bits
HEADROOM = 28  # bits of a last limb that are 0 before a round or a merge begins; see `add_count`

# what `advance` returns
DONE, PAUSED, NEEDS_ROWS, NEEDS_EDGES, NEEDS_LIMB = range(5)

PARENT, OPTION, CHILD = range(3)  # columns of State.edges

# places in State.counters: the layer that is expanded, open states, rows used, states met, states
# expanded, edges recorded, whether a count needs another limb, work done, most states open at once
LAYER, OPEN, USED, STATES, EXPANDED, EDGES_USED, WIDE, WORK, PEAK = range(9)
NUM_COUNTERS = 9

CACHE = 1 << 25  # bytes of rows and table above which look-ups wait for the memory
STATE_WORK, TEST_WORK = 50, 3
LOOKUP_WORK, LOOKUP_WORD_WORK = 40, 10
EXCHANGE_WORK, MOVE_WORK = 3, 100
"""Units of work: to expand a state without its options; to test an option, beside one for each word
of its bits; to look up a child in a table in the caches, and for each word of its key; to compare
two bits for an exchange; to move a state to another arena."""
DEPTHS = 16  # of an option's bits, for each of which `skip` has a place
LOOKED_UP = 32  # children that are looked up together, beside those of one state

BEGIN, BEYOND = 0, 1  # columns of Masks.exchanges
FIRST_BIT, SECOND_BIT = 0, 1  # columns of Masks.pair
LINK = HASH = 0  # the first column: of `State.rows`, and of `State.child`
END, FIRST = 0, 1  # links: of the last state in a list, and of a state that is followed by state 0
TERMINAL = -1  # the child of an edge that completes a solution

Array = npt.NDArray[Any]


class Masks(NamedTuple):
    """What a sweep reads of a problem: bit masks, for one order of the primary items.

    Attributes
    ----------
    option : int64[options]
        The problem's number of each option, of the first one where several are equal.
    times : int32[options]
        How many equal options each one stands for.
    need, kill : uint64[options, words]
        Sorted by the bits of `need`, ascending, as sequences.
    skip : int32[options, 1 to DEPTHS + 1]
        The next option that differs in one of its first d + 1 bits, for each d below DEPTHS; in
        column DEPTHS, which is there if an option has more bits, the next option.
    lowest : int32[primary + 1]
        Options of lowest item i are lowest[i] to lowest[i + 1] - 1.
    relevant : uint64[primary + 1, words]
        The bits of options whose lowest item is i or later.
    primary : uint64[words]
        The bits of primary items.
    exchanges : int32[primary + 1, 2]
        Columns BEGIN, BEYOND: states of layer i may use the exchanges from the one to before the
        other.
    pairs : int32[exchanges + 1]
        Exchange e exchanges the bits of pairs number pairs[e] to pairs[e + 1] - 1.
    pair : int32[pairs, 2]
        Columns FIRST_BIT, SECOND_BIT: the bits. Those of an exchange in the first column ascend,
        and are less than those in the second.
    """

    option: Array
    times: Array
    need: Array
    kill: Array
    skip: Array
    lowest: Array
    relevant: Array
    primary: Array
    exchanges: Array
    pairs: Array
    pair: Array


class State(NamedTuple):
    """Everything `advance` reads and writes; flat arrays, words are uint64.

    Attributes
    ----------
    masks : Masks
        Only read.
    rows : uint64[capacity, 1 + words + limbs]
        The states: link, key, and how many sets of options lead to it. Side by side, for states
        are met in no order, and each array of its own would be a cache miss.
    number : int32[capacity if recording else 0]
        Each state's node in the diagram.
    slot : uint64[power of two >= 2 * capacity]
        The table: 0 if free, else the high half is the hash, the low half the state + 1.
    head : int64[primary + 1]
        A link to each layer's first open state.
    begun : int64[primary + 1]
        The work done when each layer was last reached; valid up to counters[LAYER].
    total : uint64[1, 1 + words + limbs]
        The solutions completed so far, in the form of a row.
    edges : int32[room, 3]
        Columns PARENT, OPTION, CHILD, the states by their `number`; room 0: not recorded.
    child : uint64[degree + LOOKED_UP, 1 + words]
        Hash and key of the children of some states of a layer.
    target, chosen, parent : int32[degree + LOOKED_UP]
        Layer, option and state of each of these children.
    counters : int64[NUM_COUNTERS]
    """

    masks: Masks
    rows: Array
    number: Array
    slot: Array
    head: Array
    begun: Array
    total: Array
    edges: Array
    child: Array
    target: Array
    chosen: Array
    parent: Array
    counters: Array


class Fewest(NamedTuple):
    """What `advance` needs for the rule "fewest"; with None, states branch on their lowest item.

    A state branches on the item with the fewest possible options, ties by lowest bit. Its layer is
    its number of covered items. Children that leave an item without options are dropped.

    Attributes
    ----------
    member : uint64[bits, sets]
        The options that have a bit; only read.
    active, after : uint64[sets]
        Scratch: the possible options of a state, and of a child.
    bits : uint64[words]
        Scratch.
    """

    member: Array
    active: Array
    after: Array
    bits: Array


@helper
def expansion_work(tests, words):  # type: ignore[no-untyped-def]
    """Units of work to expand a state, if so many options are tested."""
    return STATE_WORK + tests * (TEST_WORK + words)


@helper
def lookup_work(words, far):  # type: ignore[no-untyped-def]
    """Units of work to look up a child; `far` is 1 if the table exceeds the caches, else 0.

    Measured: a look-up costs about twice as much there.
    """
    return (1 + far) * (LOOKUP_WORK + LOOKUP_WORD_WORK * words)


@helper
def table_size(rows):  # type: ignore[no-untyped-def]
    """The places of a table for some rows: a power of two, at least twice as many."""
    size = np.int64(4)
    while size < 2 * rows:
        size *= 2
    return size


@helper
def hash_key(rows, row, words):  # type: ignore[no-untyped-def]
    """A hash of the key of a row; products of 32-bit halves never overflow."""
    low = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    h = np.uint64(0x9E3779B97F4A7C15)
    for w in range(1, 1 + words):
        h ^= rows[row, w]
        h = ((h & low) * np.uint64(0x9E3779B1)) ^ ((h >> shift) * np.uint64(0xC2B2AE3D))
        h ^= h >> np.uint64(29)
    return ((h & low) * np.uint64(0x85EBCA6B)) ^ (h >> np.uint64(31))


@helper
def add_count(rows, state, source_rows, source, words):  # type: ignore[no-untyped-def]
    """Add the ways to reach `source`; returns whether the headroom is used up.

    A limb has LIMB_BITS bits, but the last one may use all 64. Before a round or a merge it is less
    than 2**(LIMB_BITS - HEADROOM) = 2**32 in every count, so an addition with its carry makes it at
    most 2**32 larger, and 2**32 - 1 additions to one count cannot overflow. To merge n rows takes
    n - 1. A round of `advance` expands at most LOOKED_UP + 1 states that have children, and adds
    each of them at most T times, if T options (equal ones counted) have one item. So 33 T < 2**32
    is required, T < 130 million: sweeps have at most `remainder.MOST_OPTIONS` options.
    """
    mask = np.uint64((1 << LIMB_BITS) - 1)
    carry = np.uint64(0)
    last = rows.shape[1] - 1
    for i in range(1 + words, last):
        carry += rows[state, i] + source_rows[source, i]
        rows[state, i] = carry & mask
        carry >>= np.uint64(LIMB_BITS)
    rows[state, last] += carry + source_rows[source, last]
    return rows[state, last] >> np.uint64(LIMB_BITS - HEADROOM) != np.uint64(0)


@inlined
def list_children(masks, rows, state, layer, listed, children):  # type: ignore[no-untyped-def]
    """List the children of a state whose lowest uncovered item is `layer`.

    Parameters
    ----------
    masks, rows, state, layer : Masks, uint64[], int, int
    listed : child, target, chosen; uint64[], int32[], int32[]
        As `State` has them; one tuple, as states of several types have these arrays.
    children : int
        How many are listed already.

    Returns
    -------
    int, int
        How many are listed then; options that were tested.
    """
    need, kill, skip, relevant = masks.need, masks.kill, masks.skip, masks.relevant
    primary = masks.primary
    child, target, chosen = listed
    words, last_depth = len(primary), skip.shape[1] - 1
    num_primary = len(masks.lowest) - 1
    zero, one = np.uint64(0), np.uint64(1)
    start = layer >> 6
    option, end = np.int64(masks.lowest[layer]), np.int64(masks.lowest[layer + 1])
    tests = np.int64(0)
    while option < end:
        tests += 1
        missing, depth = zero, np.int64(0)
        for w in range(start, words):
            missing = need[option, w] & ~rows[state, 1 + w]
            if missing != zero:
                depth += count_bits(need[option, w] & ((missing & (~missing + one)) - one))
                break
            depth += count_bits(need[option, w])
        if missing != zero:
            # so do all options that begin with the same bits
            option = np.int64(skip[option, min(depth, last_depth)])
            continue
        goal = np.int64(num_primary)
        for v in range(words):
            child[children, 1 + v] = rows[state, 1 + v] & ~kill[option, v]
            if goal == num_primary and child[children, 1 + v] & primary[v] != zero:
                goal = (v << 6) + lowest_bit(child[children, 1 + v] & primary[v])
        lost = zero
        for v in range(words):
            lost |= child[children, 1 + v] & primary[v] & ~relevant[goal, v]
            child[children, 1 + v] &= relevant[goal, v]
        if lost == zero:
            target[children] = goal
            chosen[children] = option
            children += 1
        option += 1
    return children, tests


@helper
def exchange_bits(child, k, masks, layer):  # type: ignore[no-untyped-def]
    """Exchange bits of a child's key, as long as that makes it larger; return the work done."""
    exchanges, pairs, pair = masks.exchanges, masks.pairs, masks.pair
    one = np.uint64(1)
    work = np.int64(0)
    sorted_ = False
    while not sorted_:
        sorted_ = True
        for e in range(exchanges[layer, BEGIN], exchanges[layer, BEYOND]):
            for p in range(pairs[e], pairs[e + 1]):
                a, b = np.int64(pair[p, FIRST_BIT]), np.int64(pair[p, SECOND_BIT])
                first = child[k, 1 + (a >> 6)] >> np.uint64(a & 63) & one
                second = child[k, 1 + (b >> 6)] >> np.uint64(b & 63) & one
                work += EXCHANGE_WORK
                if first == second:
                    continue
                if first > second:
                    break
                sorted_ = False
                for q in range(p, pairs[e + 1]):
                    a, b = np.int64(pair[q, FIRST_BIT]), np.int64(pair[q, SECOND_BIT])
                    v, w = 1 + (a >> 6), 1 + (b >> 6)
                    i, j = np.uint64(a & 63), np.uint64(b & 63)
                    differ = ((child[k, v] >> i) ^ (child[k, w] >> j)) & one
                    child[k, v] ^= differ << i
                    child[k, w] ^= differ << j
                break
    return work


@helper
def _without(active, member, bits):  # type: ignore[no-untyped-def]
    """Take the options that have one of the bits out of the set `active`; returns how many bits."""
    number = np.int64(0)
    for w in range(len(bits)):
        left = bits[w]
        number += count_bits(left)
        while left != np.uint64(0):
            bit = (w << 6) + lowest_bit(left)
            left &= left - np.uint64(1)
            for v in range(len(active)):
                active[v] &= ~member[bit, v]
    return number


@inlined
def _list_by_fewest(s, fewest, state, children):  # type: ignore[no-untyped-def]
    """As `list_children`, by the rule "fewest"; the second number is of the bits looked at."""
    kill, primary, member = s.masks.kill, s.masks.primary, fewest.member
    rows, child = s.rows, s.child
    active, after, bits = fewest.active, fewest.after, fewest.bits
    num_primary = len(s.masks.lowest) - 1
    words, sets = len(primary), member.shape[1]
    zero, one = np.uint64(0), np.uint64(1)
    for v in range(sets):
        active[v] = ~zero
    for w in range(words):
        bits[w] = ~rows[state, 1 + w]
    last = len(member) & 63
    if last:
        bits[words - 1] &= (one << np.uint64(last)) - one
    visited = _without(active, member, bits)
    item, least = np.int64(0), np.int64(1 << 40)
    for w in range(words):
        left = rows[state, 1 + w] & primary[w]
        visited += count_bits(left)
        while left != zero:
            bit = (w << 6) + lowest_bit(left)
            left &= left - one
            size = np.int64(0)
            for v in range(sets):
                size += count_bits(active[v] & member[bit, v])
            if size < least:
                item, least = bit, size
    for v in range(sets):
        rest = active[v] & member[item, v]
        while rest != zero:
            option = (v << 6) + lowest_bit(rest)
            rest &= rest - one
            for w in range(words):
                bits[w] = kill[option, w] & rows[state, 1 + w]
            for u in range(sets):
                after[u] = active[u]
            visited += _without(after, member, bits)
            goal = num_primary
            for w in range(words):
                child[children, 1 + w] = rows[state, 1 + w] & ~kill[option, w]
                left = child[children, 1 + w]
                while left != zero and goal >= 0:
                    bit = (w << 6) + lowest_bit(left)
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
                s.target[children] = goal
                s.chosen[children] = option
                children += 1
    return children, visited


@helper
def find(slot, mask, rows, used, keys, i, words):  # type: ignore[no-untyped-def]
    """Find a key in a table of rows, or enter it.

    Parameters
    ----------
    slot, mask : uint64[mask + 1], int
        The table: 0, or the upper half of a row's hash and 1 + its number.
    rows, used : uint64[], int
        The first `used` rows are in the table.
    keys, i, words : uint64[], int, int
        Row i has the key and its hash.

    Returns
    -------
    int
        The row that has the key; `used` if none had: that row is in the table now, and the caller
        gives it the key.
    """
    low = np.uint64(0xFFFFFFFF)
    place = np.int64(keys[i, HASH] & low) & mask
    tag = keys[i, HASH] & ~low
    while slot[place] != np.uint64(0):
        if slot[place] & ~low == tag:
            same = np.int64(slot[place] & low) - 1
            w = 1
            while w <= words and rows[same, w] == keys[i, w]:
                w += 1
            if w > words:
                return same
        place = (place + 1) & mask
    slot[place] = tag | np.uint64(used + 1)
    return used


@helper
def enter(slot, mask, tag, row):  # type: ignore[no-untyped-def]
    """Enter a row in a table that does not have its key; `tag` is the hash of the key."""
    low = np.uint64(0xFFFFFFFF)
    place = np.int64(tag & low) & mask
    while slot[place] != np.uint64(0):
        place = (place + 1) & mask
    slot[place] = tag & ~low | np.uint64(row + 1)


@kernel
def advance(s, fewest, budget):  # type: ignore[no-untyped-def]
    """Expand states until none is left or about `budget` units of work are done.

    A unit of work is about a nanosecond.

    Parameters
    ----------
    s : State
    fewest : Fewest or None
        Of two types, so numba compiles the rule that is used, alone.
    budget : int

    Returns
    -------
    int
        DONE, PAUSED, NEEDS_ROWS (the arena lacks rows for the children of more states),
        NEEDS_EDGES (so does `edges`) or NEEDS_LIMB (counts need a limb more).
    """
    c, head, slot, edges, rows = s.counters, s.head, s.slot, s.edges, s.rows
    number, child = s.number, s.child
    target, chosen, parent, times = s.target, s.chosen, s.parent, s.masks.times
    listed = child, target, chosen
    words, width = len(s.masks.primary), rows.shape[1]
    degree = len(child) - LOOKED_UP
    num_primary = len(s.masks.lowest) - 1
    sorting = len(s.masks.pairs) > 1
    low = np.uint64(0xFFFFFFFF)
    mask = np.int64(len(slot) - 1)
    recording = len(edges) > 0
    layer, opened, used, edge = c[LAYER], c[OPEN], c[USED], c[EDGES_USED]
    wide = c[WIDE] != 0
    lookup = lookup_work(words, 1 if rows.nbytes + slot.nbytes > CACHE else 0)
    work = np.int64(0)
    status = DONE
    while layer < num_primary:
        state = np.int64(head[layer]) - FIRST
        if state < 0:
            layer += 1
            s.begun[layer] = c[WORK] + work
            continue
        if work >= budget:
            status = PAUSED
            break
        if wide:
            break
        if used + len(child) > len(rows):
            status = NEEDS_ROWS
            break
        if recording and edge + len(child) > len(edges):
            status = NEEDS_EDGES
            break
        children = np.int64(0)
        while state >= 0 and children + degree <= len(child):
            head[layer] = rows[state, LINK]
            opened -= 1
            c[EXPANDED] += 1
            known = children
            if fewest is None:
                children, tests = list_children(s.masks, rows, state, layer, listed, known)
                work += expansion_work(tests, words)
            else:
                children, visited = _list_by_fewest(s, fewest, state, known)
                # two fifths of a unit for each word of a bit's options, and for four more
                work += 200 + 2 * visited * (len(fewest.after) + 4) // 5
            for k in range(known, children):
                parent[k] = state
            state = np.int64(head[layer]) - FIRST
        # The places of all children in the table are fetched together: states are met in no
        # order, so each look-up alone would wait for the memory.
        for k in range(children):
            if sorting:
                work += exchange_bits(child, k, s.masks, np.int64(target[k]))
            tag = hash_key(child, k, words)
            child[k, HASH] = tag
            prefetch(slot, np.int64(tag & low) & mask)
        for k in range(children):
            seen = slot[np.int64(child[k, HASH] & low) & mask]
            if seen & ~low == child[k, HASH] & ~low:
                prefetch(rows, (np.int64(seen & low) - 1) * width)
        work += children * lookup
        for k in range(children):
            goal, state = target[k], np.int64(parent[k])
            if goal == num_primary:
                if recording:
                    edges[edge, PARENT] = number[state]
                    edges[edge, OPTION] = chosen[k]
                    edges[edge, CHILD] = TERMINAL
                    edge += 1
                else:
                    for _ in range(times[chosen[k]]):
                        wide |= add_count(s.total, np.int64(0), rows, state, words)
                continue
            same = find(slot, mask, rows, used, child, k, words)
            if same == used:
                for w in range(1, 1 + words):
                    rows[same, w] = child[k, w]
                rows[same, LINK] = head[goal]
                head[goal] = FIRST + same
                used += 1
                opened += 1
                c[STATES] += 1
                if recording:
                    number[same] = c[STATES]
                for i in range(1 + words, width):
                    rows[same, i] = rows[state, i]
                for _ in range(1, times[chosen[k]]):
                    wide |= add_count(rows, same, rows, state, words)
            elif not recording:
                for _ in range(times[chosen[k]]):
                    wide |= add_count(rows, same, rows, state, words)
            if recording:
                edges[edge, PARENT] = number[state]
                edges[edge, OPTION] = chosen[k]
                edges[edge, CHILD] = number[same]
                edge += 1
        c[PEAK] = max(c[PEAK], opened)
    c[LAYER], c[OPEN], c[USED], c[EDGES_USED], c[WIDE] = layer, opened, used, edge, wide
    c[WORK] += work
    return NEEDS_LIMB if wide else status


@kernel
def move(old, new, most):  # type: ignore[no-untyped-def]
    """Move up to `most` open states, list by list, to another arena. Return whether all are moved.

    The arenas share all but rows, number, slot and head; `child` is scratch.
    """
    low = np.uint64(0xFFFFFFFF)
    mask = np.int64(len(new.slot) - 1)
    words = len(new.masks.primary)
    tags = new.child
    used = new.counters[USED]
    for layer in range(len(old.head)):
        while old.head[layer] != END:
            if most <= 0:
                new.counters[USED] = used
                return False
            moved, group = 0, min(most, len(tags))
            while moved < group and old.head[layer] != END:
                state = np.int64(old.head[layer]) - FIRST
                old.head[layer] = old.rows[state, LINK]
                for i in range(1, old.rows.shape[1]):
                    new.rows[used, i] = old.rows[state, i]
                if len(old.number):
                    new.number[used] = old.number[state]
                new.rows[used, LINK] = new.head[layer]
                new.head[layer] = FIRST + used
                tags[moved, HASH] = hash_key(new.rows, used, words)
                prefetch(new.slot, np.int64(tags[moved, HASH] & low) & mask)
                used += 1
                moved += 1
            most -= moved
            new.counters[WORK] += MOVE_WORK * moved
            for k in range(moved):
                enter(new.slot, mask, tags[k, HASH], used - moved + k)
    new.counters[USED] = used
    return True


@kernel
def collect(s, place, lengths, out):  # type: ignore[no-untyped-def]
    """List the next open states, layer by layer, as rows without their links.

    Parameters
    ----------
    s : State
    place : int64[2]
        Changed: the layer to continue, and the link to its next state; before the first call -1 and
        END.
    lengths : int64[primary + 1]
        Changed: how many states of each layer there were; 0 before the first call.
    out : uint64[states, words + limbs]
        Filled; no more states than are left.
    """
    layer, link = place
    for number in range(len(out)):
        while link == END:
            layer += 1
            link = s.head[layer]
        state = link - FIRST
        for i in range(out.shape[1]):
            out[number, i] = s.rows[state, 1 + i]
        lengths[layer] += 1
        link = np.int64(s.rows[state, LINK])
    place[0], place[1] = layer, link


@kernel
def are_states(masks, layer, states):  # type: ignore[no-untyped-def]
    """Whether rows without a first column are states of a layer, with counts that have headroom."""
    words, width = len(masks.primary), states.shape[1]
    num_primary = len(masks.lowest) - 1
    zero = np.uint64(0)
    if layer == num_primary:
        return False
    for i in range(len(states)):
        lowest = np.int64(num_primary)
        for w in range(words):
            if states[i, w] & ~masks.relevant[layer, w] != zero:
                return False
            uncovered = states[i, w] & masks.primary[w]
            if lowest == num_primary and uncovered != zero:
                lowest = (w << 6) + lowest_bit(uncovered)
        if layer != lowest:
            return False
        for w in range(words, width):
            if states[i, w] >> np.uint64(LIMB_BITS) != zero:
                return False
        if states[i, width - 1] >> np.uint64(LIMB_BITS - HEADROOM) != zero:
            return False
    return True


@kernel
def fill(s, lengths, listed):  # type: ignore[no-untyped-def]
    """Take over states that `collect` listed; the arena must be empty, and large enough."""
    words = len(s.masks.primary)
    mask = np.int64(len(s.slot) - 1)
    state = np.int64(0)
    for layer in range(len(s.head)):
        for k in range(lengths[layer]):
            for i in range(listed.shape[1]):
                s.rows[state, 1 + i] = listed[state, i]
            enter(s.slot, mask, hash_key(s.rows, state, words), state)
            s.rows[state, LINK] = END
            if k == 0:
                s.head[layer] = FIRST + state
            else:
                s.rows[state - 1, LINK] = FIRST + state
            state += np.int64(1)
