"""Compiled code that reads the open branches of a search at rest, and starts "bits" at one of them.

A branch is a set of chosen options, perhaps with the options of one item of which one is to be
chosen next (`dlx.search.branch.Branch`).
"""

from __future__ import annotations

import numpy as np

from dlx.compiled import helper, kernel
from dlx.compiled.instructions import lowest_bit
from dlx.search.bits_kernel import ALL_PRIMARY, ROOT_IS_SOLUTION, TWINS
from dlx.search.counters import EXHAUSTED, LEVEL
from dlx.search.links_kernel import DOWN, NODE, SPACER
from dlx.search.vectors import VECTOR, lane_bits, open_lanes

ONE = np.uint64(1)


@kernel
def chosen_in_row(state, level, out):  # type: ignore[no-untyped-def]
    """Write the options chosen at a level of "bits", one for each covered item.

    Parameters
    ----------
    state : State
    level : int
    out : int64[num_options + lanes]
        Written.

    Returns
    -------
    int
        How many were written; an option may be written several times.
    """
    rows, first, option_of = state.rows, state.first, state.option_of
    bits = lane_bits(rows)
    lanes = 8 * VECTOR // bits
    blocks = len(first) - 1
    row = level * first[blocks] * lanes
    length = 0
    for b in range(blocks):
        opened = open_lanes(rows, row, b)
        for k in range(lanes):
            if not (opened >> np.uint64(k)) & ONE:
                at = first[b] * lanes + k
                while not rows[row + at]:
                    at += lanes
                option = np.int64(option_of[at * bits + lowest_bit(rows[row + at])])
                if option >= 0:
                    out[length] = option
                    length += 1
    return length


@kernel
def options_in_lane(state, level, at, out):  # type: ignore[no-untyped-def]
    """Write the options of a lane of "bits" from place `at` of its row on; return their number."""
    rows, first, option_of = state.rows, state.first, state.option_of
    bits = lane_bits(rows)
    lanes = 8 * VECTOR // bits
    blocks = len(first) - 1
    row = level * first[blocks] * lanes
    end = first[0] * lanes
    for b in range(blocks):
        if first[b] * lanes <= at:
            end = first[b + 1] * lanes
    length = 0
    while at < end:
        word = np.uint64(rows[row + at])
        while word:
            out[length] = option_of[at * bits + lowest_bit(word)]
            length += 1
            word &= word - ONE
        at += lanes
    return length


@kernel
def restart_bits(state, root, chosen, options, scratch):  # type: ignore[no-untyped-def]
    """Make a state of "bits" that of a search of one branch, before its first node.

    Parameters
    ----------
    state : State
        Changed: the row of level 0, its branch, LEVEL and EXHAUSTED.
    root : like a row of `state.rows`
        The row before the first node of the whole search.
    chosen, options : int64[]
        The options that are chosen, compatible with each other; those of an item to choose from,
        ascending, or none.
    scratch : int64[]
        As long as an item has options.

    Returns
    -------
    bool
        False if no item has all of `options` at this place.
    """
    rows, first = state.rows, state.first
    lanes = 8 * VECTOR // lane_bits(rows)
    blocks = len(first) - 1
    size = first[blocks] * lanes
    for j in range(size):  # numba would compile the error of `rows[:size] = root` for seconds
        rows[j] = root[j]
    for o in chosen:
        for j in range(size):
            rows[j] &= state.compatible[o * size + j]
    best = np.int64(-1)
    least = np.int64(1) << 40
    all_two = True
    # the other lanes matter only for the choice of one, and for twins
    every = len(options) == 0 or (len(options) == 2 and state.counters[ALL_PRIMARY] != 0)
    for b in range(blocks):
        unread = open_lanes(rows, 0, b)
        while unread and (every or best < 0):
            at = first[b] * lanes + lowest_bit(unread)
            unread &= unread - ONE
            length = options_in_lane(state, np.int64(0), at, scratch)
            all_two &= length == 2
            if len(options) == 0:
                if length < least:
                    best, least = at, np.int64(length)
            elif best < 0:
                matched = 0
                for k in range(length):
                    if matched < len(options) and scratch[k] == options[matched]:
                        matched += 1
                if matched == len(options):
                    best, least = at, np.int64(matched)
    counters = state.counters
    counters[LEVEL] = 0
    counters[EXHAUSTED] = 0
    state.share[0] = 1.0
    if best < 0:
        state.untried[0] = ROOT_IS_SOLUTION
        return len(options) == 0
    state.branch[0] = best
    state.untried[0] = least
    if least == 0:
        counters[LEVEL] = -1
        counters[EXHAUSTED] = 1
        return True
    state.share[0] = 1.0 / np.float64(least)
    if len(options):
        _keep_in_lane(state, best, options)
        if least == 2 and all_two and counters[ALL_PRIMARY] != 0:
            state.untried[0] = TWINS
    return True


@helper
def _keep_in_lane(state, at, options):  # type: ignore[no-untyped-def]
    """Remove all options but some, ascending, from the lane at a place of row 0."""
    rows, first, option_of = state.rows, state.first, state.option_of
    bits = lane_bits(rows)
    lanes = 8 * VECTOR // bits
    end = first[0] * lanes
    for b in range(len(first) - 1):
        if first[b] * lanes <= at:
            end = first[b + 1] * lanes
    kept = 0
    while at < end:
        word = np.uint64(rows[at])
        mask = np.uint64(0)
        while word:
            bit = lowest_bit(word)
            if kept < len(options) and option_of[at * bits + bit] == options[kept]:
                mask |= ONE << np.uint64(bit)
                kept += 1
            word &= word - ONE
        rows[at] = rows.dtype.type(mask)
        at += lanes


@kernel
def untried_links(state, out, stop, total):  # type: ignore[no-untyped-def]
    """Write the options that a search by "links" has left to try.

    Parameters
    ----------
    state : State
    out : int64[num_options]
        Written: the options left at level 0, then those at level 1, and so on.
    stop, total : int64[levels]
        Written for each level: the end of its options in `out`, and the number of options of
        its item, tried and left.
    """
    nodes, choice = state.nodes, state.choice
    length = 0
    for level in range(state.counters[LEVEL]):
        p = np.int64(choice[level])
        header = NODE * np.int64(nodes[p])
        number = 0
        behind = True
        q = np.int64(nodes[header + DOWN])
        while q != header:
            number += 1
            if behind:
                behind = q != p
            else:
                e = q
                while nodes[e] < SPACER:
                    e += NODE
                out[length] = np.int64(nodes[e]) - SPACER
                length += 1
            q = np.int64(nodes[q + DOWN])
        stop[level] = length
        total[level] = number
