"""Kernel: exchanges of bits that leave the options of some layer and later ones as they are.

An exchange is proposed by two colourings of the bits, `left` and `right`, which are refined side by
side (`order_kernel.refine`). Where each bit has a colour of its own in both, equal colours say
which bit takes the place of which. The exchange is used only if it maps items to items, primary to
primary ones, and each option to one that stands equally often among these options: all sets are
compared in full. As no two options that differ have the same image, this is a permutation.

Nothing is kept between two calls. `exchange` fills `image`, and `_maps_items` and `_maps_options`
use `partner` and `moved` as scratch; all other arguments are only read. Whenever `exchanges` looks
for another exchange:

    pair[ends[e] : ends[e + 1]], for e < number, are the pairs of exchange e, which was compared in
    full here or for an earlier layer.
    Two bits are in one tree of `parent` if and only if these exchanges, one after the other, can
    move one bit to the place of the other; such bits are not tried.
"""

from __future__ import annotations

import numpy as np

from dlx.compiled import allocating, helper
from dlx.count.order_kernel import invariant, mix, refine

MOST_FAILURES = 20  # in a layer, before no more exchanges are sought there


@allocating
def exchanges(suffix, bits, table, fixed, known, most):  # type: ignore[no-untyped-def]
    """Seek the exchanges of a layer.

    An exchange of the layer before permutes the options of this layer and later ones. If it also
    leaves the item of this layer fixed, it is used again, without the bits that no option of this
    layer or a later one has.

    Parameters
    ----------
    suffix : option, bit, num_options; int64[entries] each, int
        The entries of the options of this layer and later ones, by option.
    bits : field, kind; int64[bits] each
        The item that a bit belongs to, below `bits`; 0 for primary items, 1 for bits that take a
        whole secondary item, 2 for colours.
    table : sets, slot, same; uint64[options, words], int64[power of two], int64[options]
        The bits of each option; what `numbered` returns.
    fixed : int
        The item of the layer.
    known : ends, pair; int32[n + 1], int32[m, 2]
        The exchanges of the layer before, in the same form as those returned.
    most : int
        Entries and bits that all refinements visit, at most, before no new exchanges are sought.

    Returns
    -------
    ends, pair, steps : int32[n + 1], int32[m, 2], int
        Exchange e has the pairs of bits from ends[e] to before ends[e + 1]; entries and bits
        visited.
    """
    option, bit, num_options = suffix
    field, kind = bits
    sets, _, same = table
    known_ends, known_pair = known
    num_bits = len(field)
    ends = np.zeros(len(known_ends) + num_bits, np.int32)
    pair = np.zeros((len(known_pair) + 4 * num_bits, 2), np.int32)
    number = size = 0
    idle = np.ones(num_bits, np.bool_)
    for e in range(len(bit)):
        idle[bit[e]] = False
    parent = np.arange(num_bits)  # trees of the bits that exchanges lead to
    for e in range(len(known_ends) - 1):
        begin, end = known_ends[e], known_ends[e + 1]
        moves = False
        for p in range(begin, end):
            moves |= known_pair[p, 0] == fixed or known_pair[p, 1] == fixed
        for p in range(begin, begin if moves else end):
            if not idle[known_pair[p, 0]]:
                pair[size, 0], pair[size, 1] = known_pair[p, 0], known_pair[p, 1]
                _join(parent, np.int64(pair[size, 0]), np.int64(pair[size, 1]))
                size += 1
        if size > ends[number]:
            number += 1
            ends[number] = size
    if most <= 0:
        return ends[: number + 1], pair[:size], np.int64(0)

    colours = np.empty(num_bits, np.uint64)
    for b in range(num_bits):
        colours[b] = np.uint64((1 << 32) + b if idle[b] else 2 + kind[b])
    colours[fixed] = np.uint64(1)
    visits = len(bit) + num_bits  # of a round
    _, rounds = refine(option, bit, field, num_options, colours, most // visits + 1)
    steps = rounds * visits
    copies = np.zeros(len(sets), np.int64)
    for o in range(num_options):
        copies[same[o]] += 1
    image, partner = np.empty(num_bits, np.int64), np.empty(num_bits, np.int64)
    moved = np.empty(sets.shape[1], np.uint64)
    failures = 0
    order = _ascending(colours)
    begins, sizes = _cells(colours, order)
    for cell in range(len(begins)):
        members = order[begins[cell] : begins[cell] + sizes[cell]]
        for k in range(len(members)):
            root = _root(parent, members[k])
            for other in members[k + 1 :]:
                if _root(parent, other) == root:
                    continue
                if steps > most or failures > MOST_FAILURES:
                    return ends[: number + 1], pair[:size], steps
                found, rounds = exchange(
                    option, bit, field, num_options, colours, members[k], other, image
                )
                steps += rounds * visits
                found = found and _maps_items(image, idle, field, kind, partner)
                if not (found and _maps_options(image, option, bit, table, copies, moved)):
                    failures += 1
                    continue
                if size + num_bits > len(pair):
                    longer = np.zeros((2 * len(pair), 2), np.int32)
                    for p in range(size):
                        longer[p, 0], longer[p, 1] = pair[p, 0], pair[p, 1]
                    pair = longer
                for b in range(num_bits):
                    if image[b] > b:
                        pair[size, 0], pair[size, 1] = b, image[b]
                        _join(parent, b, image[b])
                        size += 1
                number += 1
                ends[number] = size
                break
    return ends[: number + 1], pair[:size], steps


@helper
def _root(parent, bit):  # type: ignore[no-untyped-def]
    while parent[bit] != bit:
        parent[bit] = parent[parent[bit]]
        bit = parent[bit]
    return bit


@helper
def _join(parent, a, b):  # type: ignore[no-untyped-def]
    parent[_root(parent, b)] = _root(parent, a)


@allocating
def _ascending(values):  # type: ignore[no-untyped-def]
    """int64[n]: the places of values in ascending order; equal ones stay.

    By merging runs (Knuth, The Art of Computer Programming 3, section 5.2.4): numba takes two
    seconds to compile its own `argsort`.
    """
    order, merged = np.arange(len(values)), np.arange(len(values))
    run = 1
    while run < len(values):
        for begin in range(0, len(values), 2 * run):
            middle, end = min(begin + run, len(values)), min(begin + 2 * run, len(values))
            left, right = begin, middle
            for k in range(begin, end):
                if right == end or (left < middle and values[order[left]] <= values[order[right]]):
                    merged[k] = order[left]
                    left += 1
                else:
                    merged[k] = order[right]
                    right += 1
        order, merged = merged, order
        run *= 2
    return order


@allocating
def _cells(colours, order):  # type: ignore[no-untyped-def]
    """Find the bits of each colour that several have; the smallest of these sets first.

    Parameters
    ----------
    colours : uint64[bits]
    order : int64[bits]
        The bits by colour.

    Returns
    -------
    begins, sizes : int64[n], int64[n]
        Where each of these sets begins in `order`, and how many bits it has.
    """
    begins, sizes = np.zeros(len(colours), np.int64), np.zeros(len(colours), np.int64)
    keys = np.zeros(len(colours), np.uint64)
    number = begin = 0
    for k in range(1, len(colours) + 1):
        if k < len(colours) and colours[order[k]] == colours[order[begin]]:
            continue
        if k - begin > 1:
            keys[number] = np.uint64(((k - begin) << 32) + begin)
            number += 1
        begin = k
    smallest = _ascending(keys[:number])
    for k in range(number):
        key = keys[smallest[k]]
        begins[k], sizes[k] = np.int64(key & np.uint64(0xFFFFFFFF)), np.int64(key >> np.uint64(32))
    return begins[:number], sizes[:number]


@helper
def _place(sets, values, slot):  # type: ignore[no-untyped-def]
    """The place of a set in the table of all sets, or the free one where it belongs."""
    mask = np.int64(len(slot) - 1)
    tag = np.uint64(0)
    for w in range(len(values)):
        tag = mix(tag ^ values[w])
    place = np.int64(tag & np.uint64(mask))
    while slot[place] >= 0:
        w = 0
        while w < len(values) and sets[slot[place], w] == values[w]:
            w += 1
        if w == len(values):
            break
        place = place + 1 & mask
    return place


@allocating
def numbered(sets):  # type: ignore[no-untyped-def]
    """Find equal options.

    Parameters
    ----------
    sets : uint64[options, words]

    Returns
    -------
    slot : int64[power of two]
        The table: the first option with a set, or -1.
    same : int64[options]
        The first option equal to each.
    """
    size = 4
    while size < 2 * len(sets):
        size *= 2
    slot = np.full(size, -1)
    same = np.zeros(len(sets), np.int64)
    for o in range(len(sets)):
        place = _place(sets, sets[o], slot)
        if slot[place] < 0:
            slot[place] = o
        same[o] = slot[place]
    return slot, same


@helper
def _maps_items(image, idle, field, kind, partner):  # type: ignore[no-untyped-def]
    """Whether bits keep their kind, and those of one item stay together.

    As an exchange is its own inverse, it is enough to look from one side.
    """
    partner[:] = -1
    for b in range(len(image)):
        if idle[b]:
            continue
        to = field[image[b]]
        if kind[image[b]] != kind[b] or (partner[field[b]] >= 0 and partner[field[b]] != to):
            return False
        partner[field[b]] = to
    return True


@helper
def _maps_options(image, option, bit, table, copies, moved):  # type: ignore[no-untyped-def]
    """Whether the image of each option is one that stands equally often among these options."""
    sets, slot, same = table
    begin = 0
    for e in range(len(option)):
        if e + 1 < len(option) and option[e + 1] == option[e]:
            continue
        moves = False
        for k in range(begin, e + 1):
            moves |= image[bit[k]] != bit[k]
        if moves:
            moved[:] = np.uint64(0)
            for k in range(begin, e + 1):
                to = image[bit[k]]
                moved[to >> 6] |= np.uint64(1) << np.uint64(to & 63)
            other = slot[_place(sets, moved, slot)]
            if other < 0 or copies[other] != copies[same[option[e]]]:
                return False
        begin = e + 1
    return True


@allocating
def exchange(option, bit, field, num_options, base, a, b, image):  # type: ignore[no-untyped-def]
    """Seek an exchange of bits a and b that leaves most other bits in their places.

    Parameters
    ----------
    option, bit, field, num_options
        As for `refine`.
    base : uint64[bits]
        Refined colours, equal for a and b.
    a, b : int
    image : int64[bits]
        Filled: the bit that takes the place of each one.

    Returns
    -------
    found, rounds : bool, int
        Whether there is a candidate, and the rounds of refinement that it took.
    """
    num_bits = len(base)
    most = np.int64(1 << 30)
    left, right = base.copy(), base.copy()
    left[a] = right[b] = np.uint64(5)
    left[b] = right[a] = np.uint64(6)
    rounds = np.int64(0)
    step = np.int64(0)
    while True:
        classes, first_rounds = refine(option, bit, field, num_options, left, most)
        others, other_rounds = refine(option, bit, field, num_options, right, most)
        rounds += first_rounds + other_rounds
        if classes != others or invariant(left) != invariant(right):
            return False, rounds
        if classes == num_bits:
            break
        step += 1
        if step == 1:  # bits that can stay keep their places
            for c in range(num_bits):
                if left[c] == right[c]:
                    left[c] = right[c] = mix(np.uint64(7919 + c))
            continue
        order = _ascending(left)
        x = np.int64(-1)
        for k in range(num_bits - 1):
            if left[order[k]] == left[order[k + 1]]:
                x = order[k]
                break
        y = np.int64(-1)
        for c in range(num_bits):
            if right[c] == left[x] and left[c] == right[x]:
                y = np.int64(c)
                break
        if y < 0:
            return False, rounds
        mark = np.uint64(8 + 2 * step)
        left[x] = right[y] = mark
        left[y] = right[x] = mark + np.uint64(1 if x != y else 0)
    of_left, of_right = _ascending(left), _ascending(right)
    for k in range(num_bits):
        if left[of_left[k]] != right[of_right[k]]:
            return False, rounds
        image[of_left[k]] = of_right[k]
    for c in range(num_bits):
        if image[image[c]] != c:
            return False, rounds
    return True, rounds
