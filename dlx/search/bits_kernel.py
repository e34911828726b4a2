"""Compiled search of the kernel "bits": the options of every primary item as bits of a lane.

A *row* is one state of the search, or what one option leaves possible. It is made of vectors
of 64 bytes; a vector has 64 lanes of 8 bits, or 16 lanes of 32 bits:

    open lanes | block 0: plane 0, plane 1, ... | block 1: plane 0, ... | ...

A *block* is as many primary items as a vector has lanes. Lane k of its planes holds one bit for
each option of its item number k: plane 0 the first ones, plane 1 the next, and so on. The
vectors before the blocks hold one bit for each lane: whether its item is still open (not covered).

Row `compatible[o]` has the bits of all options that are compatible with option o, of o itself, and
of the lanes that stay open when o is chosen. Choosing o is `row &= compatible[o]`. Nothing is
undone, and the row alone describes the state:

* a lane without a bit: its item can no longer be covered;
* an open lane with one bit: that option is forced, and all forced ones are chosen at once;
* no lane open, no lane empty: the chosen options are a solution.

Where no option has a secondary item, two short cuts at the end of a branch are valid:

* all lanes have one bit: the options that are left cover each item once, so they are a solution;
* all open lanes have two bits, and choosing one option for the first lane led to a solution
  without a further branch: the options not chosen cover each open item once, too, so they are
  another solution, the *twin* of the first. If the first option is a dead end, so is the second.

The search branches on the item with the fewest options left; among equals, on the one with the
fewest at the start, then on the first. Its options are tried in ascending order. Only levels with
an option left to try are kept: the last option of an item replaces its parent's level.

Tried and left out, each over pentominoes, Soma, queens, Langford pairs, Latin squares, sudoku,
random sets and coloured squares: ties broken by how often an item ran out of options, or by the
most options at the start (0.6 to 1.2 times the nodes, but ten times on 16 x 16 sudoku);
options left divided by that number of failures (up to 5 times the nodes); and for consistency
`row &= compatible[a] | compatible[b] | ...` for the options of the branched item (up to 30 % fewer
nodes, for about as many more rows), or of all items with two or three options (up to 45 % fewer
nodes, for two to eight times the rows).

Sources: Knuth, The Art of Computer Programming 4B, 7.2.2.1 (exact cover, the MRV heuristic).
Masks per item, and copies instead of an undo, are common in sudoku programs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlx.compiled import copied, interpreted, is_stored, kernel
from dlx.compiled.instructions import lowest_bit
from dlx.search.counters import EXHAUSTED, LEVEL, NODES, OWN, SOLUTIONS, UPDATES
from dlx.search.vectors import (
    VECTOR,
    complement,
    fewest_above_one,
    intersect,
    intersect_and_count,
    lane_bits,
    open_lanes,
    two_or_more,
)

U = np.uint64  # an index of this type spares numba the test for negative ones
ONE = np.uint64(1)
ALL_64_BITS = np.uint64((1 << 64) - 1)
MOST_PLACES = 1000  # of an option, at which `_mark_items_of_all_options` seeks items of one kind

# places in State.counters beside the common ones: the number of the last round of forced options,
# whether no option has a secondary item, the greatest length of a solution
ROUND, ALL_PRIMARY, DEPTH = range(OWN, OWN + 3)

# values of State.untried beside the number of options that are left to try
ROOT_IS_SOLUTION = 0  # only at level 0: the given options cover all items
TWINS = -1  # two options, and all open lanes have two bits
TWIN_IS_SOLUTION = -2  # the first of the two led to a solution, in the row of the next level


class State(NamedTuple):
    """A search between two calls of `advance`.

    W is the unsigned integer type of the lanes, `size` the number of lanes of a row.
    """

    compatible: Any  # W[options * size]: row o is what option o leaves possible
    option_of: Any  # int32[size * bits of W]: the option of each bit of a row
    first: Any  # int64[blocks + 1]: first vector of each block; then the number of those of a row
    # W[levels * size]: the rows of the levels, which have no forced option and no empty lane
    rows: Any
    branch: Any  # int64[levels]: the place in the row of the lane that is branched on
    # int64[levels]: how many options of that lane are left to try, or one of the values above; the
    # bits of those tried are removed
    untried: Any
    # float64[levels]: the estimated fraction of the whole search that each of them stands for
    share: Any
    # Lanes that together show all options of a solution; int64[shown lanes] each
    shown_place: Any  # the place in the row
    shown_planes: Any  # the number of planes
    # int32[shown lanes]: their lowest options, if a solution can be read from them in ascending
    # order: they are consecutive lanes of one plane, and hold consecutive options; otherwise empty
    shown_lowest: Any
    given_secondary: Any  # int32[]: given options without a primary item, which are in no lane
    # scratch
    counts: Any  # W[blocks * lanes]: the number of bits of each lane
    single: Any  # uint64[blocks]: the lanes with one bit
    pending: Any  # int64[primary items + 1]: options to be chosen next
    forced_in: Any  # int64[options]: the last round in which an option was forced
    chosen: Any  # uint64[]: the options of a solution as a bit set
    counters: Any  # int64[8]: see `dlx.search.counters`; LEVEL is -1 once the search is exhausted


@kernel
def lay_out(start, item, sizes, lane, first, below, ascending):  # type: ignore[no-untyped-def]
    """Find the layout with the shortest rows.

    Items stand in ascending order of their number of options. So of several items with equally
    few options left, one with few options at the start is preferred (a tenth of the nodes on
    16 x 16 sudoku, half more on coloured squares), and items with equally many planes share
    blocks. Unused lanes stand before the items.

    Parameters
    ----------
    start, item : int32[]
        The arrays of the problem.
    sizes, lane : int64[num_primary]
        Zeros; receive the number of options of each item, and its lane.
    first : int64[]
        Receives the first vector of each block, then the number of vectors of a row.
    below, ascending : int64[num_options + 2], int64[num_primary]
        Zeros; scratch.

    Returns
    -------
    width, blocks, shortest : int
        Bits of a lane, blocks of a row, and the fewest primary items of an option that has any.
    """
    num_primary = len(sizes)
    num_options = len(start) - 1
    shortest = max(1, num_primary)
    for o in range(num_options):
        length = 0
        for e in range(start[o], start[o + 1]):
            if item[e] < num_primary:
                sizes[item[e]] += 1
                length += 1
        if length > 0:
            shortest = min(shortest, length)
    # a stable sort by counting
    for x in range(num_primary):
        below[sizes[x] + 1] += 1
    for k in range(num_options + 1):
        below[k + 1] += below[k]
    for x in range(num_primary):
        ascending[below[sizes[x]]] = sizes[x]
        lane[x] = below[sizes[x]]
        below[sizes[x]] += 1
    best = vectors = blocks = 0
    for width in (8, 32):
        if width == 8 and num_primary > 0 and ascending[num_primary - 1] > 255:
            continue  # a count would not fit in its lane
        lanes = 8 * VECTOR // width
        number = max(1, (num_primary + lanes - 1) // lanes)
        total = (number * lanes + 8 * VECTOR - 1) // (8 * VECTOR)
        for b in range(number):
            total += _planes(ascending, number - 1 - b, lanes, width)
        if best == 0 or total < vectors:
            best, vectors, blocks = width, total, number
    lanes = 8 * VECTOR // best
    first[0] = (blocks * lanes + 8 * VECTOR - 1) // (8 * VECTOR)
    for b in range(blocks):
        first[b + 1] = first[b] + _planes(ascending, blocks - 1 - b, lanes, best)
    for x in range(num_primary):
        lane[x] += blocks * lanes - num_primary
    return best, blocks, shortest


@copied
def _planes(ascending, after, lanes, width):  # type: ignore[no-untyped-def]
    """Return the planes of a block that `after` blocks follow: its last item has most options."""
    largest = len(ascending) - 1 - after * lanes
    return max(1, (ascending[largest] + width - 1) // width) if largest >= 0 else 1


@kernel
def fill(entries, layout, compatible, row, option_of, shown, root, scratch):  # type: ignore[no-untyped-def]
    """Write the rows of the options, the first row of the search and its branch at the root.

    A row for each kind, of the bits that an option with it forbids, is collected first. The row
    of an option is then what none of its entries forbids.

    Parameters
    ----------
    entries : start, item, kind, item_of, given; int32[] each
        The arrays of the problem; the kinds of `dlx.search.bits`: a number for each pair of item
        and colour, that of the item itself where there is no colour, and the item of each kind;
        and the given options.
    layout : width, shortest, sizes, lane, first
        As `dlx.search.bits` has it.
    compatible : words, bytes; uint64[], uint8[num_options * bytes of a row]
        The same memory, which receives the rows of the options.
    row : uint8[bytes of a row]
        Zeros.
    option_of : int32[]
        Of the state; filled with -1.
    shown : place, planes, lowest
        Of the state, for all items.
    root : branch, untried, counters
        Of the state.
    scratch : words, bytes, bit, of_item; uint64[], uint8[kinds * bytes of a row], \
int64[num_entries], four of int64[num_primary]
        Zeros; words and bytes are the same memory. To compile what makes arrays takes numba half a
        second.

    Returns
    -------
    num_shown, in_sequence : int, bool
        Number of items to read a solution from, and whether `shown_lowest` can be used.
    """
    start, item, kind, item_of, given = entries
    width, _shortest, sizes, lane, first = layout
    shown_place, shown_planes, shown_lowest = shown
    branch, untried, counters = root
    rows, compatible = compatible
    words, forbidden, bit, of_item = scratch
    place, rank, highest, marked = of_item
    num_primary, num_options, num_entries = len(sizes), len(start) - 1, len(item)
    lanes = 8 * VECTOR // width
    blocks = len(first) - 1

    # the bit of each entry in a row, the first place of each item, the options of an item so far
    shift = 3 if width == 8 else 5
    for x in range(num_primary):
        place[x] = first[lane[x] // lanes] * lanes + lane[x] % lanes
        highest[x] = -1
    in_lanes = 0
    for o in range(num_options):
        for e in range(start[o], start[o + 1]):
            x = item[e]
            if x < num_primary:
                in_lanes += 1
                plane = rank[x] >> shift
                bit[e] = (place[x] + plane * lanes) * width + (rank[x] & (width - 1))
                rank[x] += 1
                highest[x] = o
                option_of[bit[e]] = o
    counters[ALL_PRIMARY] = in_lanes == num_entries

    # the bits of the options with each kind; with a colour they are forbidden by the other colours,
    # and by the item without one
    row_bytes = len(row)
    for o in range(num_options):
        for e in range(start[o], start[o + 1]):
            first_byte = kind[e] * row_bytes
            for p in range(start[o], start[o + 1]):
                if item[p] < num_primary:
                    forbidden[U(first_byte + (bit[p] >> 3))] |= np.uint8(1 << (bit[p] & 7))
    length = U(row_bytes // 8)  # with a sign, the loops would not vectorise
    for k in range(len(item_of)):
        if item_of[k] != k:
            whole, part = U(item_of[k]) * length, U(k) * length
            for j in range(length):
                words[whole + j] |= words[part + j]
    for k in range(len(item_of)):
        if item_of[k] != k:
            whole, part = U(item_of[k]) * length, U(k) * length
            for j in range(length):
                words[part + j] = words[whole + j] & ~words[part + j]
    for o in range(num_options):
        to = U(o) * length
        every = ALL_64_BITS
        last = start[o + 1] - 1
        for e in range(start[o], start[o + 1], 3):  # each pass tests first what overlaps
            one = U(kind[e]) * length
            two = U(kind[min(e + 1, last)]) * length
            three = U(kind[min(e + 2, last)]) * length
            for j in range(length):
                others = words[one + j] | words[two + j] | words[three + j]
                rows[to + j] = (rows[to + j] | every) & ~others
            every = U(0)
        row_begin = o * row_bytes
        for e in range(start[o], start[o + 1]):
            if item[e] < num_primary:
                compatible[row_begin + (bit[e] >> 3)] |= np.uint8(1 << (bit[e] & 7))
                at = lane[item[e]]
                compatible[row_begin + (at >> 3)] &= np.uint8(~(1 << (at & 7)))

    # the first row: all bits, the lanes of all items open, one bit in each unused lane
    for e in range(num_entries):
        if item[e] < num_primary:
            row[bit[e] >> 3] |= np.uint8(1 << (bit[e] & 7))
    for x in range(num_primary):
        row[lane[x] >> 3] |= np.uint8(1 << (lane[x] & 7))
    for unused in range(blocks * lanes - num_primary):
        at = (first[unused // lanes] * lanes + unused % lanes) * width
        row[at >> 3] |= np.uint8(1)
    for o in given:
        own_row = U(o) * U(row_bytes)
        for j in range(U(row_bytes)):
            row[j] &= compatible[own_row + j]

    # the item with the fewest options left, of several that of the first lane
    for x in range(num_primary):
        rank[x] = 0
    for e in range(num_entries):
        if item[e] < num_primary:
            rank[item[e]] += (row[bit[e] >> 3] >> np.uint8(bit[e] & 7)) & 1
    best = -1
    for x in range(num_primary):
        if row[lane[x] >> 3] >> np.uint8(lane[x] & 7) & 1 != 0 and (
            best < 0 or rank[x] < rank[best] or (rank[x] == rank[best] and lane[x] < lane[best])
        ):
            best = x
    counters[NODES] = 1
    if best >= 0:
        branch[0] = place[best]
        untried[0] = rank[best]
        if rank[best] == 0:
            counters[LEVEL] = -1
            counters[EXHAUSTED] = 1

    # items to read a solution from
    _mark_items_of_all_options(start, item, marked)
    num_shown = 0
    in_sequence = True
    before = np.int64(-1)
    for x in range(num_primary):
        if marked[x]:
            planes = first[lane[x] // lanes + 1] - first[lane[x] // lanes]
            lowest = option_of[place[x] * width]
            shown_place[num_shown] = place[x]
            shown_planes[num_shown] = planes
            shown_lowest[num_shown] = lowest
            # as options without a primary item are in no lane, the last does not follow from sizes
            in_sequence &= planes == 1 and highest[x] - lowest + 1 == sizes[x]
            if num_shown > 0:
                in_sequence &= place[x] == shown_place[num_shown - 1] + 1 and lowest > before
            before = highest[x]
            num_shown += 1
    return num_shown, in_sequence


@copied
def _mark_items_of_all_options(start, item, marked):  # type: ignore[no-untyped-def]
    """Mark items such that every option with primary items has exactly one of them.

    Many problems have items of one kind (cells, pieces, rows) of which each option has exactly
    one. They are looked for at the same place in all options; without them all items are marked.
    """
    num_primary = len(marked)
    for place in range(MOST_PLACES):
        for x in range(num_primary):
            marked[x] = 0
        number = shortest = 0
        for o in range(len(start) - 1):
            k = 0
            for e in range(start[o], start[o + 1]):
                if item[e] < num_primary:
                    if k == place:
                        marked[item[e]] = 1
                    k += 1
            if k > 0:
                number += 1
                shortest = min(shortest, k) if number > 1 else k
        if 0 < shortest <= place:
            break
        for e in range(len(item)):
            if item[e] < num_primary:
                number -= marked[item[e]]
        if number == 0:
            return
    for x in range(num_primary):
        marked[x] = 1


@kernel
def advance(state, budget, room, out):  # type: ignore[no-untyped-def]
    """Continue the search; return the number of solutions found. See `kernel.Kernel.advance`.

    An option chosen costs as many updates as a row has vectors. `budget` is checked between nodes.
    """
    (compatible, option_of, first, rows, branch, untried, share, shown_place, shown_planes,
     shown_lowest, given_secondary, counts, single, pending, forced_in, chosen,
     counters) = state  # fmt: skip
    bits = lane_bits(rows)
    lanes = 8 * VECTOR // bits
    every_lane = ~U(0) >> U(64 - lanes)
    blocks = len(first) - 1
    size = first[blocks] * lanes
    listing = len(out) > 0
    all_primary = counters[ALL_PRIMARY] != 0
    shown = shown_place[0] if len(shown_place) else 0
    level = counters[LEVEL]
    nodes = counters[NODES]
    round_number = counters[ROUND]
    found = 0
    updates = 0

    while level >= 0 and found < room and updates < budget:
        # Invariant: the row of each level has no forced option and no empty lane; the options of
        # the branched lane that were tried are removed from that lane.
        remaining = untried[U(level)]
        row = level * size
        goal = row
        target = level
        solved = remaining == ROOT_IS_SOLUTION
        twin = remaining == TWIN_IS_SOLUTION
        twins = remaining == TWINS
        if not solved:
            nodes += 1
        if not solved and not twin:
            # Take the lowest option of the branched lane.
            at = branch[U(level)]
            while not rows[U(row + at)]:
                at += lanes
            word = rows[U(row + at)]
            pending[0] = option_of[U(at * bits + lowest_bit(word))]
            remaining = 1 if twins else remaining - 1
            untried[U(level)] = remaining
            if remaining:
                branch[U(level)] = at
                target += 1
            goal = target * size

            # Choose it and all that is forced by it.
            tried = row + at
            count = 1
            dead = False
            while count:
                updates += count * first[U(blocks)]
                solved = all_primary
                intersect(rows, goal, row, compatible, pending, count, size, 0, first[0])
                for b in range(blocks):
                    begin, end = first[U(b)], first[U(b + 1)]
                    empty, single[U(b)] = intersect_and_count(
                        rows, goal, row, compatible, pending, count, size, begin, end, counts, b
                    )
                    if empty:
                        dead = True
                        break
                    solved &= single[U(b)] == every_lane
                if dead or solved:
                    break
                row = goal
                round_number += 1
                count = 0
                for b in range(blocks):
                    unread = single[U(b)] & open_lanes(rows, goal, b)
                    while unread:
                        at = first[U(b)] * lanes + lowest_bit(unread)
                        unread &= unread - ONE
                        while not rows[U(goal + at)]:
                            at += lanes
                        forced = rows[U(goal + at)]
                        option = np.int64(option_of[U(at * bits + lowest_bit(forced))])
                        # Several lanes of one option are often single at once. The option is
                        # written each time and counted once, without a jump.
                        pending[U(count)] = option
                        count += int(forced_in[U(option)] != round_number)
                        forced_in[U(option)] = round_number
            if target > level:
                rows[U(tried)] = word & (word - rows.dtype.type(1))
            if dead:
                level = target - 2 if twins else target - 1
                continue

            if not solved:
                # Branch on the item with the fewest options.
                where = np.int64(-1)
                fewest = U(2)
                more = U(0)
                for b in range(blocks):
                    two, above = two_or_more(counts, b)
                    more |= above
                    if two and where < 0:
                        where = first[U(b)] * lanes + lowest_bit(two)
                if where < 0 and more:
                    fewest = ~U(0)
                    for b in range(blocks):
                        least, ties = fewest_above_one(counts, b)
                        if least < fewest:
                            fewest = least
                            where = first[U(b)] * lanes + lowest_bit(ties)
                if where >= 0:
                    branch[U(target)] = where
                    untried[U(target)] = np.int64(fewest) if more or not all_primary else TWINS
                    share[U(target)] = share[U(level)] / np.float64(fewest)
                    level = target
                    continue

        # As a function of its own, inlined or not, this part takes up to twice as long.
        if listing:
            if twin:
                goal += size
                for b in range(blocks):
                    complement(rows, goal, row, first[U(b)], first[U(b + 1)], b)
            solution = out[found]
            length = len(shown_lowest)
            for k in range(length):  # LLVM vectorises this loop
                mask = rows[U(goal + shown + k)]
                solution[k] = shown_lowest[k] + np.int32(lowest_bit(mask))
            if not length:
                for k in range(len(shown_place)):
                    at = where = shown_place[U(k)]
                    for _ in range(1, shown_planes[U(k)]):
                        at += lanes
                        where = at if rows[U(goal + at)] else where  # without a jump
                    bit = where * bits + lowest_bit(rows[U(goal + where)])
                    option = np.int64(option_of[U(bit)])
                    chosen[U(option >> 6)] |= ONE << U(option & 63)
                for option in given_secondary:
                    chosen[U(option >> 6)] |= ONE << U(option & 63)
                for k in range(len(chosen)):
                    mask = chosen[k]
                    chosen[k] = 0
                    while mask:
                        solution[length] = 64 * k + lowest_bit(mask)
                        length += 1
                        mask &= mask - ONE
            for k in range(length, out.shape[1]):
                solution[U(k)] = -1
        found += 1
        level = target - 1
        if twins:
            untried[U(level)] = TWIN_IS_SOLUTION

    counters[LEVEL] = level
    counters[NODES] = nodes
    counters[UPDATES] += updates
    counters[SOLUTIONS] += found
    counters[EXHAUSTED] = level < 0
    counters[ROUND] = round_number
    return found


lay_out_interpreted, fill_interpreted = interpreted(lay_out), interpreted(fill)


def has_stored_code() -> bool:
    """Whether `advance` only has to be loaded."""
    return is_stored(advance)


def has_stored_rows() -> bool:
    """Whether `lay_out` and `fill` only have to be loaded."""
    return is_stored(lay_out) and is_stored(fill)
