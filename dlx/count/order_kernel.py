"""Kernel: numbers for items that do not depend on their names, orders of items, sampled states.

`refine` gives items that are alike the same colour, by what their options contain (colour
refinement, the first step of the canonical labelling of graphs: McKay 1981). `greedy` makes an
order of the items for a sweep. `walk` follows random choices through the sweep of an order; how
often two walks reach the same state yields an estimate of the number of states (`estimate`).

But for `walk`, nothing is kept between two calls: each function makes its scratch, writes only the
arrays that its docstring names as filled or refined, and its result depends on its arguments alone.
Within a call:

    refine: after each round, bits of different colours before it have different colours, unless two
    hashes collide: then there may be fewer colours, and it ends.
    greedy: before each step, order[:step] are the items taken, and left[i] is False for them;
    `reached` is the union of their rows of `near`; reached_at[i] is the first step that reached
    item i; `front` counts the items that are reached and left; taken_near[j] of the items_near[j]
    items near bit j are taken; closes[i] counts the secondary bits near i and no other item left.
    walk: key[d] and at[d] are the key and the layer of the walk's state at depth d, d <= depth.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.compiled import allocating, helper, kernel
from dlx.compiled.instructions import count_bits, lowest_bit
from dlx.count.mask_kernel import sorted_places
from dlx.count.sweep_kernel import exchange_bits, expansion_work, table_size

SUMMED = (1 << 40) - 1  # sums of up to 2**24 numbers below this stay below 2**64

FIRST_REACHED, MOST_ADVANCED, ANYWHERE, APART = range(4)  # rules of `greedy`

MOST_WORDS = 1 << 29  # that `greedy` looks at: more take longer than Ctrl-C should wait
WALK_STEPS = 3  # of a walk that steps back, at most, times the primary items

# places in Walks.counters: states met, walks that have ended, units of work; of the present walk,
# its depth, the last layer it has reached, how far the next dead end leads back, and the steps it
# may still take, 0 before it begins
MET, WALKED, WORK, DEPTH, DEEPEST, BACK, STEPS_LEFT = range(7)
NUM_COUNTERS = 7

Array = npt.NDArray[Any]


@helper
def mix(h):  # type: ignore[no-untyped-def]
    """A hash of a number; products of 32-bit halves never overflow."""
    low = np.uint64(0xFFFFFFFF)
    h = ((h & low) * np.uint64(0x9E3779B1)) ^ ((h >> np.uint64(32)) * np.uint64(0xC2B2AE3D))
    h ^= h >> np.uint64(29)
    h = ((h & low) * np.uint64(0x85EBCA6B)) ^ ((h >> np.uint64(32)) * np.uint64(0x27D4EB2F))
    return h ^ (h >> np.uint64(31))


@helper
def _number_of_classes(colours, slot):  # type: ignore[no-untyped-def]
    """How many colours there are; `slot` is a table of twice as many places, a power of two."""
    slot[:] = -1
    mask = np.int64(len(slot) - 1)
    number = 0
    for b in range(len(colours)):
        place = np.int64(colours[b] & np.uint64(mask))
        while slot[place] >= 0 and colours[slot[place]] != colours[b]:
            place = place + 1 & mask
        if slot[place] < 0:
            slot[place] = b
            number += 1
    return number


@allocating
def refine(option, bit, field, num_options, colours, most_rounds):  # type: ignore[no-untyped-def]
    """Refine the colours of bits in place until no more of them are distinguished.

    Parameters
    ----------
    option, bit : int64[entries]
    field : int64[bits]
        Below `bits`: the item that a bit belongs to.
    num_options : int
    colours : uint64[bits]
    most_rounds : int

    Returns
    -------
    classes, rounds : int, int
    """
    low_bits = np.uint64(SUMMED)
    slot = np.empty(table_size(len(colours)), np.int64)
    classes = _number_of_classes(colours, slot)
    rounds = 0
    of_option = np.zeros(num_options, np.uint64)
    of_field = np.zeros(len(field), np.uint64)
    mixed = np.zeros(len(field), np.uint64)
    summed = np.zeros(len(field), np.uint64)
    while classes < len(colours) and rounds < most_rounds:
        rounds += 1
        of_option[:] = np.uint64(0)
        of_field[:] = np.uint64(0)
        summed[:] = np.uint64(0)
        for b in range(len(field)):
            of_field[field[b]] += mix(colours[b] ^ np.uint64(0x5851F42D)) & low_bits
            mixed[b] = mix(colours[b]) & low_bits
        for e in range(len(option)):
            of_option[option[e]] += mixed[bit[e]]
        for o in range(num_options):
            of_option[o] = mix(of_option[o]) & low_bits
        for e in range(len(option)):
            summed[bit[e]] += of_option[option[e]]
        for b in range(len(field)):
            around = (mix(summed[b]) & low_bits) + (mix(of_field[field[b]]) & low_bits)
            colours[b] = mix(mixed[b] + around)
        number = _number_of_classes(colours, slot)
        if number <= classes:
            break
        classes = number
    return classes, rounds


@kernel
def invariant(colours):  # type: ignore[no-untyped-def]
    """A number that depends on the colours, not on which bit has which."""
    total = np.uint64(0)
    for b in range(len(colours)):
        total += mix(colours[b] ^ np.uint64(0x2545F491)) & np.uint64(SUMMED)
    return total


@allocating
def greedy(near, ranked, start, rule):  # type: ignore[no-untyped-def]
    """An order of the primary items: each next one widens the frontier least.

    An item brings the bits near it into the frontier. It leaves the frontier itself, and so does a
    secondary bit when the last item near it is taken.

    Parameters
    ----------
    near : uint64[bits, words]
        The bits that share an option with each bit, itself among them; primary items first.
    ranked : int64[num_items]
        The primary items.
    start : int
        The first item.
    rule : int
        FIRST_REACHED: one of the frontier; ties go to the item that was reached first.
        MOST_ADVANCED: one of the frontier; ties go to the item near bits most of whose items are in
        the order. ANYWHERE: the same, of all items that are left. APART: the same, of those outside
        of the frontier while there are any; where each option has one item of a kind (a cell),
        these come first. Other ties go to the first one in `ranked`.

    Returns
    -------
    int64[num_items]
        Empty if it takes more than MOST_WORDS to find.
    """
    num_bits, words = near.shape
    num_items = len(ranked)
    item_words = (num_items + 63) >> 6
    zero, one = np.uint64(0), np.uint64(1)
    order = np.empty(num_items, np.int64)
    left = np.ones(num_bits, np.bool_)
    reached = np.zeros(words, np.uint64)
    reached_at = np.full(num_items, num_items)
    items_near = np.zeros(num_bits)
    taken_near = np.zeros(num_bits)
    closes = np.zeros(num_items, np.int64)  # secondary bits that leave the frontier with an item
    for i in range(num_items):
        for w in range(words):
            bits = near[i, w]
            while bits != zero:
                items_near[(w << 6) + lowest_bit(bits)] += 1
                bits &= bits - one
    for i in range(num_items):
        for w in range(words):
            bits = near[i, w]
            while bits != zero:
                j = (w << 6) + lowest_bit(bits)
                bits &= bits - one
                closes[i] += j >= num_items and items_near[j] == 1
    front = looked = 0
    for step in range(num_items):
        if looked > MOST_WORDS:
            return order[:0]
        best, best_gain, best_tie = np.int64(-1), np.int64(1 << 40), np.float64(0)
        for i in ranked:
            in_front = reached_at[i] < num_items
            if not left[i] or (rule <= MOST_ADVANCED and front > 0 and not in_front):
                continue
            if rule == APART and in_front and num_items - step > front:
                continue
            gain = -closes[i] - 1
            looked += words
            for w in range(words):
                gain += count_bits(near[i, w] & ~reached[w])
            if gain > best_gain:
                continue
            tie = np.float64(reached_at[i])
            if rule != FIRST_REACHED:
                tie = np.float64(0)
                for w in range(words):
                    bits = near[i, w]
                    while bits != zero:
                        j = (w << 6) + lowest_bit(bits)
                        bits &= bits - one
                        if left[j]:
                            tie -= taken_near[j] / items_near[j]
            if gain < best_gain or tie < best_tie - 1e-9:
                best, best_gain, best_tie = np.int64(i), gain, tie
        if step == 0:
            best = start
        order[step] = best
        left[best] = False
        front -= reached_at[best] < num_items
        for w in range(words):
            reached[w] |= near[best, w]
            bits = near[best, w]
            while bits != zero:
                j = (w << 6) + lowest_bit(bits)
                bits &= bits - one
                taken_near[j] += 1
                if j < num_items:
                    if reached_at[j] == num_items:
                        reached_at[j] = step
                        front += left[j]
                    continue
                last = taken_near[j] == items_near[j] - 1
                if taken_near[j] > 1 and not last:
                    continue
                for v in range(item_words):
                    others = near[j, v]
                    while others != zero:
                        k = (v << 6) + lowest_bit(others)
                        others &= others - one
                        if k >= num_items or not left[k]:
                            continue
                        closes[k] += last
                        if reached_at[k] == num_items:
                            reached_at[k] = step
                            front += 1
    return order


@allocating
def frontier_bound(option, bit, field, rank, num_options, num_primary):  # type: ignore[no-untyped-def]
    """A bound on the states of a sweep.

    An item is in the frontier after the first of its options, up to the last one. There it takes
    a bit, and if it may have j colours by then, so many bits that j + 1 numbers fit.

    Parameters
    ----------
    option, bit : int64[entries]
    field : int64[bits]
        The item that a bit belongs to.
    rank : int64[bits]
        Places in the order, for primary items below `num_primary`.
    num_options, num_primary : int

    Returns
    -------
    float
    """
    lowest = np.full(num_options, num_primary)
    for e in range(len(option)):
        lowest[option[e]] = min(lowest[option[e]], rank[bit[e]])
    first = np.full(len(rank), num_primary)
    num_fields = np.int64(0)
    for b in range(len(field)):  # to compile `field.max()` takes numba 0.4 s
        num_fields = max(num_fields, field[b] + 1)
    last = np.zeros(num_fields, np.int64)
    for e in range(len(option)):
        place = lowest[option[e]]
        first[bit[e]] = min(first[bit[e]], place)
        last[field[bit[e]]] = max(last[field[bit[e]]], place)
    colours = np.zeros(len(last), np.int64)
    wider = np.zeros(num_primary + 2, np.int64)
    for b in sorted_places(first, num_primary + 1):
        x = field[b]
        if first[b] < last[x]:
            colours[x] += 1
            if colours[x] & (colours[x] - 1) == 0:  # one more does not fit into the bits so far
                wider[first[b] + 1] += 1
                wider[last[x] + 1] -= 1
    width = 0
    bound = 0.0
    for place in range(num_primary + 1):
        width += wider[place]
        bound += 2.0 ** min(width, 1000)
    return bound


class Walks(NamedTuple):
    """What `walk` continues.

    Attributes
    ----------
    key : uint64[num_primary + 2, 1 + words]
        Of each depth of the present walk, as `State.child`; at depth 0 the root.
    at : int64[num_primary + 1]
        The layer at each depth; 0 at depth 0.
    possible : int32[options]
        Scratch.
    random : uint64[1]
        The last random number; at first the seed, not 0.
    counters : int64[NUM_COUNTERS]
        Zeros at first.
    """

    key: Array
    at: Array
    possible: Array
    random: Array
    counters: Array


@kernel
def walk(masks, walks, budget, s, tags, most):  # type: ignore[no-untyped-def]
    """Follow random choices from the root of a sweep, many times.

    Where many choices lead to dead ends, few walks reach the middle layers. So with a budget, a
    walk steps back at a dead end: by one state, then by two, four and so on, until it comes to a
    layer beyond all that it has seen. There the steps back begin again with one.

    Parameters
    ----------
    masks : sweep_kernel.Masks
    walks : int
    budget : int
        Units of work, about, after which no other walk begins. 0: no limit, and a walk ends at its
        first dead end.
    s : Walks
    tags : uint64[walks * num_primary]
        Filled, for each state that was met in a layer beyond those before: its layer in 20 bits,
        its hash in 44.
    most : int
        Units of work, about, after which this call ends; a further one continues.

    Returns
    -------
    bool
        Whether all walks have ended; then counters[MET] states were met by counters[WALKED] walks.
    """
    need, kill, lowest = masks.need, masks.kill, masks.lowest
    relevant, primary = masks.relevant, masks.primary
    key, at, possible, c = s.key, s.at, s.possible, s.counters
    words = need.shape[1]
    num_primary = len(lowest) - 1
    zero = np.uint64(0)
    random = s.random[0]
    met, number, work = c[MET], c[WALKED], c[WORK]
    depth, deepest, back, steps = c[DEPTH], c[DEEPEST], c[BACK], c[STEPS_LEFT]
    stop = work + most
    while number < walks and work < stop:
        if steps == 0:
            if budget and work >= budget:
                break
            depth, deepest, back = np.int64(0), np.int64(0), np.int64(1)
            steps = np.int64(WALK_STEPS * num_primary)
        while at[depth] < num_primary and steps > 0 and work < stop:
            steps -= 1
            layer = at[depth]
            work += expansion_work(lowest[layer + 1] - lowest[layer], words)
            num_possible = 0
            for option in range(lowest[layer], lowest[layer + 1]):
                w = 0
                while w < words and need[option, w] & ~key[depth, 1 + w] == zero:
                    w += 1
                if w == words:
                    possible[num_possible] = option
                    num_possible += 1
            ends = num_possible == 0
            if not ends:
                random ^= random << np.uint64(13)  # Marsaglia's xorshift
                random ^= random >> np.uint64(7)
                random ^= random << np.uint64(17)
                option = possible[np.int64((random >> np.uint64(33)) % np.uint64(num_possible))]
                layer = np.int64(num_primary)
                for w in range(1, 1 + words):
                    key[depth + 1, w] = key[depth, w] & ~kill[option, w - 1]
                    uncovered = key[depth + 1, w] & primary[w - 1]
                    if layer == num_primary and uncovered != zero:
                        layer = (w - 1 << 6) + lowest_bit(uncovered)
                for w in range(1, 1 + words):
                    ends |= key[depth + 1, w] & primary[w - 1] & ~relevant[layer, w - 1] != zero
                    key[depth + 1, w] &= relevant[layer, w - 1]
            if ends:
                if depth == 0 or budget == 0:
                    steps = np.int64(0)
                    break
                depth = max(np.int64(0), depth - back)
                back *= 2
                continue
            depth += 1
            work += exchange_bits(key, depth, masks, layer)
            at[depth] = layer
            if layer > deepest:
                deepest, back = layer, np.int64(1)
                tag = np.uint64(0x9E3779B97F4A7C15)
                for w in range(words):
                    tag = mix(tag ^ key[depth, 1 + w])
                if layer < num_primary:
                    tags[met] = (np.uint64(layer) << np.uint64(44)) | (tag >> np.uint64(20))
                    met += 1
        if at[depth] == num_primary or steps == 0:
            steps = np.int64(0)
            number += 1
    c[MET], c[WALKED], c[WORK] = met, number, work
    c[DEPTH], c[DEEPEST], c[BACK], c[STEPS_LEFT] = depth, deepest, back, steps
    s.random[0] = random
    return number == walks or (steps == 0 and budget > 0 and work >= budget)


@allocating
def estimate(ordered, walks, states):  # type: ignore[no-untyped-def]
    """Estimate the states in each layer by how often the same ones were met.

    Of v visits to a layer, d met a new state, and f states were met once only. So a further visit
    would meet a known state with a probability of about 1 - f / v. If all states are equally
    likely, there are d divided by that; otherwise more, depending on how much their probabilities
    differ, which is estimated from the number of pairs of visits to one state (Chao and Lee,
    Journal of the American Statistical Association 87, 1992, 210-217).

    Parameters
    ----------
    ordered : uint64[n]
        The tags of `walk`, sorted.
    walks : int
    states : float64[num_primary]
        Filled.

    Returns
    -------
    bool
        Whether enough pairs met in each layer that most walks went through.
    """
    num_primary = len(states)
    states[:] = 0.0
    pairs = np.zeros(num_primary)
    visits = np.zeros(num_primary)
    once = np.zeros(num_primary)
    begin = 0
    for k in range(len(ordered)):
        at = np.int64(ordered[k] >> np.uint64(44))
        if ordered[k] != ordered[begin]:
            begin = k
        states[at] += begin == k
        pairs[at] += k - begin
        visits[at] += 1
        alone = k + 1 == len(ordered) or ordered[k + 1] != ordered[k]
        once[at] += begin == k and alone
    enough = True
    for i in range(num_primary):
        enough &= pairs[i] >= 4 or 4 * visits[i] < walks
        if visits[i] < 2:
            continue
        known = max(visits[i] - once[i], 1.0) / visits[i]
        number = states[i] / known
        variation = number * 2 * pairs[i] / (visits[i] * (visits[i] - 1)) - 1
        states[i] = number + visits[i] * (1 - known) / known * max(0.0, variation)
    return enough
