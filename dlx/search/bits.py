"""Kernel: sets of options as bit masks, for dense problems of moderate size.

This file turns a problem into rows of masks; `bits_search` says what these are, and searches them.
An option costs one row, so these rows must fit in MEMORY. There is nothing to undo
and hardly a jump in the loop, so a node costs some ten to a hundred nanoseconds; where an option
touches only a small part of a large problem, dancing links do less work.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from dlx.problem import Int32s, Problem
from dlx.search.bits_search import (
    DEPTH,
    LEVEL,
    NODES,
    PLAIN,
    TWIN_IS_COVER,
    TWINS,
    VECTOR,
    State,
)
from dlx.search.bits_search import advance as _advance

__all__ = ["State", "advance", "done", "max_depth", "name", "start", "suits"]

name = "bits"

# Bytes that the rows of all options, items and colours may take. Up to there they pay even where a
# problem is large and sparse: random sets of 2 to 5 of 300 to 2,500 items took dancing links 1 to
# 15 times as long in the median of each kind, for a row forces all that is forced at once.
MEMORY = 1 << 25
WIDTHS = (8, 32)  # bits of a lane; each is compiled when it is first used

Int64s = npt.NDArray[np.int64]


def suits(problem: Problem) -> bool:
    """Whether the rows of this problem stay within MEMORY."""
    row = VECTOR * int(_layout(_sizes(problem))[2][-1])
    if (problem.num_options + problem.num_items) * row > MEMORY:
        return False
    return (problem.num_options + len(_kinds(problem)[1])) * row <= MEMORY


def start(problem: Problem, given: tuple[int, ...]) -> State | None:
    """The state before the first node; None if the givens contradict each other."""
    if not problem.compatible(given):
        return None
    num_primary, num_options = problem.num_primary, problem.num_options
    sizes = _sizes(problem)
    width, lane, first = _layout(sizes)
    word_type = np.dtype(f"u{width // 8}")
    lanes = 8 * VECTOR // width
    blocks = len(first) - 1
    size = int(first[-1]) * lanes

    # The place of each primary entry's bit, in the order of the entries.
    primary = np.flatnonzero(problem.item < num_primary)
    option = np.repeat(np.arange(num_options), np.diff(problem.start))[primary]
    item = problem.item[primary]
    by_item = np.argsort(item, kind="stable")
    rank = np.empty(len(item), np.int64)
    rank[by_item] = np.arange(len(item)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    where = lane[item]
    bit = ((first[where // lanes] + rank // width) * lanes + where % lanes) * width + rank % width
    option_of = np.full(size * width, -1, np.int32)
    option_of[bit] = option

    keep = _aligned(num_options * size, word_type)
    bit_start = np.zeros(num_options + 1, np.int64)
    np.cumsum(np.bincount(option, minlength=num_options), out=bit_start[1:])
    _fill(
        problem.start,
        problem.item,
        *_kinds(problem),
        bit_start,
        bit,
        where,
        keep.view(np.uint8).reshape(num_options, size * width // 8),
    )

    # The first row: all bits, all lanes open, one bit in each lane that has no item.
    bits = np.zeros(size * width, np.uint8)
    bits[bit] = 1
    bits[lane] = 1
    unused = np.arange(blocks * lanes - num_primary)
    bits[(first[unused // lanes] * lanes + unused % lanes) * width] = 1
    row = np.packbits(bits, bitorder="little").view(word_type)
    for o in given:
        row &= keep[o * size : (o + 1) * size]

    counts = np.zeros(blocks * lanes, np.int64)
    for b in range(blocks):
        planes = row[first[b] * lanes : first[b + 1] * lanes]
        ones = np.unpackbits(planes.view(np.uint8).reshape(len(planes), -1), axis=1).sum(axis=1)
        counts[b * lanes : (b + 1) * lanes] = ones.reshape(-1, lanes).sum(axis=0)
    is_open = np.unpackbits(row.view(np.uint8)[: blocks * lanes // 8], bitorder="little") > 0
    open_lanes = np.flatnonzero(is_open)

    shortest = int(np.diff(bit_start)[option].min(initial=max(1, num_primary)))
    levels = len(open_lanes) // shortest + 2
    own = _witnesses(bit_start, item)
    shown = lane[own]
    begin, end = first[shown // lanes], first[shown // lanes + 1]
    place = begin * lanes + shown % lanes
    witness = np.column_stack((place, end - begin))
    # Where the options in turn belong to consecutive lanes of one plane, a cover is read at once.
    lowest = option_of[place * width]
    if (
        (end - begin != 1).any()
        or (np.diff(place) != 1).any()
        or (np.append(lowest[1:], num_options) - lowest != sizes[own]).any()
    ):
        lowest = lowest[:0]
    lone = [o for o in given if bit_start[o] == bit_start[o + 1]]
    besides = np.array(lone, np.int32)
    state = State(
        keep=keep,
        option_of=option_of,
        first=first,
        masks=_aligned(levels * size, word_type),
        branch=np.zeros(levels, np.int64),
        left=np.zeros(levels, np.int64),
        share=np.ones(levels, np.float64),
        witness=witness,
        lowest=lowest[: 0 if lone else None],
        besides=besides,
        counts=_aligned(blocks * lanes, word_type),
        single=np.zeros(blocks, np.uint64),
        pending=np.zeros(num_primary + 1, np.int64),
        stamp=np.zeros(num_options, np.int64),
        bag=np.zeros(num_options // 64 + 1, np.uint64),
        counters=np.zeros(8, np.int64),
    )
    state.masks[:size] = row
    state.counters[NODES] = 1
    state.counters[DEPTH] = min(len(given) + len(open_lanes) // shortest, len(own) + len(lone))
    state.counters[PLAIN] = len(primary) == problem.num_entries
    if len(open_lanes):
        best = open_lanes[np.argmin(counts[open_lanes])]
        state.branch[0] = first[best // lanes] * lanes + best % lanes
        state.left[0] = counts[best]
        state.share[0] = 1 / max(1, counts[best])
        if counts[best] == 0:
            state.counters[LEVEL] = -1
    return state


def max_depth(state: State) -> int:
    """An upper bound on the length of a cover, givens included."""
    return int(state.counters[DEPTH])


def advance(state: State, budget: int, room: int, out: Int32s) -> int:
    """Goes on until `room` covers are found, `budget` updates spent, or the search exhausted.

    out : int32[rows, max_depth]; if rows > 0 (then room <= rows), row k gets the options of
    the k-th cover found in this call, ascending, padded by -1. Returns how many were found.
    """
    return int(_advance(state, budget, room, out))


def done(state: State) -> float:
    """An estimate of the part of the search that is behind, from 0 to 1.

    The options of a branch are taken to be equally much work.
    """
    levels = int(state.counters[LEVEL]) + 1
    left = state.left[:levels]
    left = np.select([left == TWINS, left == TWIN_IS_COVER], [2, 1], left)
    behind = 1.0 - float((left * state.share[:levels]).sum())
    return max(0.0, round(behind, 12))  # the sum's last digits must not make it fall back


def _sizes(problem: Problem) -> Int64s:
    """How many options each primary item has."""
    primary = problem.item[problem.item < problem.num_primary]
    return np.bincount(primary, minlength=problem.num_primary)


def _kinds(problem: Problem) -> tuple[Int64s, Int64s]:
    """A number for the item and colour of each entry; and the item of each of these numbers.

    An item without a colour keeps its own number; those with a colour come after.
    """
    kind = problem.item.astype(np.int64)
    (coloured,) = np.nonzero(problem.colour)
    key = kind[coloured] * (len(problem.colours) + 1) + problem.colour[coloured]
    distinct, place = np.unique(key, return_inverse=True)
    kind[coloured] = problem.num_items + place
    item_of = np.append(np.arange(problem.num_items), distinct // (len(problem.colours) + 1))
    return kind, item_of


def _witnesses(start: Int64s, item: Int32s) -> Int64s:
    """Items that together are in every option with primary items.

    Often there are items of one kind (cells, pieces, rows) of which each option has just one.
    They are looked for at the same place in all options; else all items are taken.
    """
    num_items = int(item.max(initial=-1)) + 1
    lengths = np.diff(start)
    (options,) = np.nonzero(lengths)
    for place in range(int(lengths[options].min(initial=1000))):
        of_kind = np.zeros(num_items, bool)
        of_kind[item[start[options] + place]] = True
        if np.count_nonzero(of_kind[item]) == len(options):
            return np.flatnonzero(of_kind)
    return np.arange(num_items)


def _layout(sizes: Int64s) -> tuple[int, Int64s, Int64s]:
    """The width of a lane in bits, each item's lane, and the first vector of each block.

    Items stand in order of their options' number, the fewest first, so that these are preferred
    among equals (a tenth of the nodes on 16 x 16 sudoku, half more on coloured squares) and
    items with as many planes share blocks. Lanes that are left over stand before them. The width
    is the one that makes rows shortest.
    """
    order = np.argsort(sizes, kind="stable")
    best: tuple[int, Int64s, Int64s] | None = None
    for width in WIDTHS:
        if width == 8 and sizes.max(initial=0) > 255:
            continue  # a count would not fit in its lane
        lanes = 8 * VECTOR // width
        blocks = max(1, -(-len(sizes) // lanes))
        lane = np.empty(len(sizes), np.int64)
        lane[order] = np.arange(blocks * lanes - len(sizes), blocks * lanes)
        planes = np.ones(blocks, np.int64)
        np.maximum.at(planes, lane // lanes, -(-sizes // width))
        first = np.cumsum([-(-blocks * lanes // (8 * VECTOR)), *planes])
        if best is None or first[-1] < best[2][-1]:
            best = width, lane, first
    assert best is not None
    return best


def _aligned(length: int, dtype: Any) -> npt.NDArray[Any]:
    """Zeros that start at a multiple of VECTOR, so that no vector lies across two cache lines."""
    dtype = np.dtype(dtype)
    raw = np.zeros(length * dtype.itemsize + VECTOR, np.uint8)
    skip = -raw.ctypes.data % VECTOR
    return raw[skip : skip + length * dtype.itemsize].view(dtype)


@njit(cache=True, nogil=True)
def _fill(start, item, kind, item_of, bit_start, bit, lane, keep):  # type: ignore[no-untyped-def]
    """Write keep[o], for all options o.

    For each item, and each colour of it, a row of the bits that an option with it forbids is
    collected first. A row of `keep` is then what none of its option's entries forbids.

    start, item : the problem
    kind : int64[num_entries], the entry's item if it has no colour, else a number for both
    item_of : int64[kinds], the item of each kind
    bit_start, bit, lane : each option's bits in a row, and its lanes
    keep : uint8[num_options, bytes of a row]
    """
    forbidden = np.zeros((len(item_of), keep.shape[1]), np.uint8)
    for o in range(len(keep)):
        for e in range(start[o], start[o + 1]):
            for p in range(bit_start[o], bit_start[o + 1]):
                one = np.uint8(1 << (bit[p] & 7))
                forbidden[item[e], bit[p] >> 3] |= one
                if kind[e] != item[e]:
                    forbidden[kind[e], bit[p] >> 3] |= one
    words = forbidden.view(np.uint64)
    rows = keep.view(np.uint64)
    for k in range(len(item_of)):
        if item_of[k] != k:  # an option with a colour forbids the other colours alone
            whole, own = words[item_of[k]], words[k]
            for j in range(len(own)):
                own[j] = whole[j] & ~own[j]
    for o in range(len(keep)):
        own = rows[o]
        for e in range(start[o], start[o + 1]):
            other = words[kind[e]]
            for j in range(len(own)):
                own[j] |= other[j]
        for j in range(len(own)):
            own[j] = ~own[j]
        for p in range(bit_start[o], bit_start[o + 1]):
            keep[o, bit[p] >> 3] |= np.uint8(1 << (bit[p] & 7))
            keep[o, lane[p] >> 3] &= np.uint8(~(1 << (lane[p] & 7)))
