"""Kernel "bits": sets of options as bit masks, for dense problems of moderate size.

This module translates a problem into the rows of masks that `bits_kernel` describes and searches.
An option costs one row, so all rows must fit in MEMORY. The search has no undo and hardly a jump,
so a node takes ten to a hundred nanoseconds. Where an option touches only a small part of a large
problem, dancing links do less work.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.errors import KernelError
from dlx.problem import Int32s, Problem
from dlx.search import bits_kernel
from dlx.search.bits_kernel import (
    ALL_PRIMARY,
    DEPTH,
    ROOT_IS_SOLUTION,
    ROUND,
    TWIN_IS_SOLUTION,
    TWINS,
    State,
)
from dlx.search.branch import Branch
from dlx.search.counters import EXHAUSTED, LENGTH, LEVEL, NODES, SOLUTIONS, UPDATES
from dlx.search.vectors import VECTOR

name = "bits"
changing = ("rows", "branch", "untried", "share", "counters")

# Bytes that the rows of all options, items and colours may take. Up to this size they pay even
# where a problem is large and sparse: on random sets of 2 to 5 of 300 to 2,500 items dancing links
# took 1 to 15 times as long in the median of each kind, as a row forces all forced options at once.
MEMORY = 1 << 25
LANE_BITS = (8, 32)  # each width is compiled when it is first used

Int64s = npt.NDArray[np.int64]


class _Layout(NamedTuple):
    """Where the primary items stand in a row.

    Attributes
    ----------
    width : int
        Bits of a lane.
    lanes : int
        Lanes of a vector.
    lane : int64[num_primary]
        The lane of each item; lanes are numbered through all blocks.
    first : int64[blocks + 1]
        The first vector of each block; then the number of vectors of a row.
    size : int
        Lanes of a row, over all its vectors.
    """

    width: int
    lanes: int
    lane: Int64s
    first: Int64s
    size: int

    @property
    def blocks(self) -> int:
        """Blocks of a row."""
        return len(self.first) - 1

    def place(self, lane: Int64s) -> Int64s:
        """The place in a row of the first plane of each of these lanes."""
        return self.first[lane // self.lanes] * self.lanes + lane % self.lanes

    def planes(self, lane: Int64s) -> Int64s:
        """The number of planes of each of these lanes."""
        block = lane // self.lanes
        return self.first[block + 1] - self.first[block]


class _Bits(NamedTuple):
    """The bits of a row: one for each primary item of each option, in the order of the options.

    Attributes
    ----------
    start : int64[num_options + 1]
        The bits of option o are those from `start[o]` to `start[o + 1] - 1`.
    option, item, lane : int[]
        The option, the item, and the item's lane of each bit.
    bit : int64[]
        The place of each bit in a row.
    """

    start: Int64s
    option: Int64s
    item: Int32s
    lane: Int64s
    bit: Int64s


def suits(problem: Problem) -> bool:
    """Return whether the rows of this problem fit in MEMORY; no problem with multiplicities."""
    if problem.bounds is not None:
        return False
    sizes = _sizes(problem)
    # most problems are so small that a bound tells: the widest lanes, all with equally many planes
    lanes = 8 * VECTOR // LANE_BITS[-1]
    planes = 1 + int(sizes.max(initial=0)) // LANE_BITS[-1]
    row = VECTOR * (1 + problem.num_primary // lanes) * (1 + planes)
    if (problem.num_options + problem.num_items + problem.num_entries) * row <= MEMORY:
        return True
    row = VECTOR * int(_layout(sizes).first[-1])
    if (problem.num_options + problem.num_items) * row > MEMORY:
        return False
    return (problem.num_options + len(_kinds(problem)[1])) * row <= MEMORY


def start(problem: Problem, given: tuple[int, ...]) -> State | None:
    """Return the state before the first node; None if the givens are not compatible."""
    if not problem.compatible(given):
        return None
    sizes = _sizes(problem)
    layout = _layout(sizes)
    bits = _bits(problem, layout, sizes)
    word = np.dtype(f"u{layout.width // 8}")
    compatible = _aligned(problem.num_options * layout.size, word)
    bits_kernel.fill_compatible(
        problem.start,
        problem.item,
        *_kinds(problem),
        bits.start,
        bits.bit,
        bits.lane,
        compatible.view(np.uint8).reshape(problem.num_options, layout.size * layout.width // 8),
    )
    row = _first_row(layout, bits).view(word)
    for o in given:
        row &= compatible[o * layout.size : (o + 1) * layout.size]
    counts = _counts(layout, row)
    is_open = row.view(np.uint8)[: layout.blocks * layout.lanes // 8]
    open_lanes = np.flatnonzero(np.unpackbits(is_open, bitorder="little"))

    option_of = np.full(layout.size * layout.width, -1, np.int32)
    option_of[bits.bit] = bits.option
    lone = [o for o in given if bits.start[o] == bits.start[o + 1]]
    place, planes, lowest = _shown(problem, layout, bits, option_of, sizes)
    shortest = int(np.diff(bits.start)[bits.option].min(initial=max(1, problem.num_primary)))
    levels = len(open_lanes) // shortest + 2
    state = State(
        compatible=compatible,
        option_of=option_of,
        first=layout.first,
        rows=_aligned(levels * layout.size, word),
        branch=np.zeros(levels, np.int64),
        untried=np.zeros(levels, np.int64),
        share=np.ones(levels, np.float64),
        shown_place=place,
        shown_planes=planes,
        shown_lowest=lowest[: 0 if lone else None],
        given_secondary=np.array(lone, np.int32),
        counts=_aligned(layout.blocks * layout.lanes, word),
        single=np.zeros(layout.blocks, np.uint64),
        pending=np.zeros(problem.num_primary + 1, np.int64),
        forced_in=np.zeros(problem.num_options, np.int64),
        chosen=np.zeros(problem.num_options // 64 + 1, np.uint64),
        counters=np.zeros(LENGTH, np.int64),
    )
    state.rows[: layout.size] = row
    state.counters[NODES] = 1
    state.counters[DEPTH] = min(len(given) + len(open_lanes) // shortest, len(place) + len(lone))
    state.counters[ALL_PRIMARY] = len(bits.bit) == problem.num_entries
    if len(open_lanes):
        _branch_at_root(state, layout, open_lanes, counts)
    return state


def _branch_at_root(state: State, layout: _Layout, open_lanes: Int64s, counts: Int64s) -> None:
    """Choose the item for the first level; without options for it the search is exhausted."""
    best = open_lanes[np.argmin(counts[open_lanes])]
    state.branch[0] = layout.place(best)
    state.untried[0] = counts[best]
    state.share[0] = 1 / max(1, counts[best])
    if counts[best] == 0:
        state.counters[LEVEL] = -1
        state.counters[EXHAUSTED] = 1


def max_depth(state: State) -> int:
    """Return an upper bound on the number of options of a solution, givens included."""
    return int(state.counters[DEPTH])


def advance(state: State, budget: int, room: int, out: Int32s) -> int:
    """Continue the search; return the number of solutions found. See `kernel.Kernel.advance`."""
    return int(bits_kernel.advance(state, budget, room, out))


def open_branches(state: State, weight: float) -> list[Branch]:
    """Return what a search has left. See `kernel.Kernel.open_branches`."""
    from dlx.search import branch_kernel  # compiled only for searches that are parted

    found = np.empty(len(state.forced_in) + len(state.branch) * len(state.counts), np.int64)
    lone = state.given_secondary.tolist()
    branches = []
    for level in range(int(state.counters[LEVEL]), -1, -1):
        length = branch_kernel.chosen_in_row(state, level, found)
        chosen = tuple(sorted({*found[:length].tolist(), *lone}))
        options: tuple[int, ...] = ()
        if state.untried[level] != ROOT_IS_SOLUTION:
            length = branch_kernel.options_in_lane(state, level, int(state.branch[level]), found)
            options = tuple(found[:length].tolist())
        share = float(state.share[level]) * max(1, len(options)) * weight
        branches.append(Branch(chosen, options, share))
    return branches


def restart(problem: Problem, root: State, state: State | None, branch: Branch) -> State:
    """Return the state of a search of one branch. See `kernel.Kernel.restart`."""
    from dlx.search import branch_kernel

    state = _another(root) if state is None else state
    size = len(state.rows) // len(state.branch)
    lone = set(root.given_secondary.tolist())
    chosen = np.array([o for o in branch.chosen if o not in lone], np.int64)
    options = np.array(branch.options, np.int64)
    found = np.empty(problem.num_options, np.int64)
    first_row = root.rows[:size]
    if not branch_kernel.restart_bits(state, first_row, chosen, options, 1.0, found):
        raise KernelError("a branch does not belong to this problem")
    state.counters[NODES] = state.counters[UPDATES] = state.counters[SOLUTIONS] = 0
    return state


def _another(root: State) -> State:
    """Return a state that shares with `root` what no search changes."""
    own = {}
    for name in (*changing, "counts", "single", "pending", "forced_in", "chosen"):
        values = getattr(root, name)
        own[name] = _aligned(len(values), values.dtype)
        if name != "rows":
            own[name][:] = values
    return root._replace(**own)


def is_reachable(fresh: State, state: State) -> bool:
    """Return whether a search can come to a state.

    The row of a level follows from the options chosen, which are those of the covered lanes. All
    lanes are compared with what these options leave, but for the options of the branched lane
    that were tried.
    """
    counters, first = state.counters, fresh.counters
    level = int(counters[LEVEL])
    if not -1 <= level < len(state.branch) - 1 or counters[EXHAUSTED] != (level < 0):
        return False
    if counters[DEPTH] != first[DEPTH] or counters[ALL_PRIMARY] != first[ALL_PRIMARY]:
        return False
    if not 0 <= counters[ROUND] < 1 << 62:
        return False
    rows = _Rows(fresh)
    chosen: set[int] = set()
    tried = -1
    for depth in range(level + 1):
        share = state.share[depth]
        if not 0 < share <= 1:
            return False
        found = rows.check(state, depth)
        if found is None or not chosen <= found.chosen or (depth and tried not in found.chosen):
            return False
        if found.twin and (depth < level or not rows.is_solution(state, depth + 1)):
            return False
        chosen, tried = found.chosen, found.tried
        if depth < level and tried < 0:
            return False
    return True


class _Level(NamedTuple):
    """What the row of a level says.

    Attributes
    ----------
    chosen : set of int
        The options chosen.
    tried : int
        The option of the branched lane that was tried last, or -1.
    twin : bool
        Whether the next solution is the twin of one in the row of the next level.
    """

    chosen: set[int]
    tried: int
    twin: bool


class _Rows:
    """The rows of a state, bit by bit."""

    def __init__(self, fresh: State) -> None:
        self.width = fresh.rows.dtype.itemsize * 8
        self.lanes = 8 * VECTOR // self.width
        self.size = int(fresh.first[-1]) * self.lanes
        self.blocks = len(fresh.first) - 1
        self.compatible = fresh.compatible.reshape(-1, self.size)
        self.option_of = fresh.option_of
        self.row = fresh.rows[: self.size].copy()
        self.all_primary = bool(fresh.counters[ALL_PRIMARY])
        block = np.repeat(np.arange(self.blocks), np.diff(fresh.first) * self.lanes)
        word = np.arange(self.size - len(block), self.size)
        # the lane of each word after the open lanes
        self.lane = block * self.lanes + (word - fresh.first[block] * self.lanes) % self.lanes
        self.begin = self.size - len(block)
        self.open = self._open(self.row)

    def _open(self, row: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        bits = np.unpackbits(row.view(np.uint8)[: self.blocks * self.lanes // 8], bitorder="little")
        return bits.astype(np.bool_)

    def _ones(self, row: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return the bits of a row as bool[words, width], without the open lanes."""
        bits = np.unpackbits(row[self.begin :].view(np.uint8), bitorder="little")
        return bits.reshape(-1, self.width).astype(np.bool_)

    def _options(self, ones: npt.NDArray[np.bool_], lanes: npt.NDArray[np.bool_]) -> Int32s:
        """Return the options of the bits in some lanes, in the order of the bits."""
        of = self.option_of[self.begin * self.width :].reshape(-1, self.width)
        found: Int32s = of[ones & lanes[self.lane][:, None]]
        return found

    def _of(self, state: State, depth: int) -> npt.NDArray[Any]:
        row: npt.NDArray[Any] = state.rows[depth * self.size : (depth + 1) * self.size]
        return row

    def check(self, state: State, depth: int) -> _Level | None:
        """Return what a level says, or None if no search comes to it."""
        row = self._of(state, depth)
        if (row & ~self.row).any():
            return None
        is_open = self._open(row)
        ones = self._ones(row)
        chosen = {int(option) for option in self._options(ones, self.open & ~is_open)}
        if -1 in chosen:
            return None
        expected = self.row.copy()
        for option in chosen:
            expected &= self.compatible[option]
        left = np.bincount(self.lane, self._ones(expected).sum(axis=1), len(self.open))
        untried, at = int(state.untried[depth]), int(state.branch[depth])
        if untried == ROOT_IS_SOLUTION:
            solved = depth == 0 and not is_open.any() and np.array_equal(row, expected)
            return _Level(chosen, -1, False) if solved else None
        if not self.begin <= at < self.size or not is_open[self.lane[at - self.begin]]:
            return None
        if not (left >= 1).all() or (depth and not (left[is_open] >= 2).all()):
            return None
        return self._check_branch(row, expected, is_open, left, chosen, untried, at)

    def _check_branch(
        self,
        row: npt.NDArray[Any],
        expected: npt.NDArray[Any],
        is_open: npt.NDArray[np.bool_],
        left: npt.NDArray[Any],
        chosen: set[int],
        untried: int,
        at: int,
    ) -> _Level | None:
        """Check the branched lane, the only one that may have less than `expected`."""
        branched = np.zeros(len(self.open), np.bool_)
        branched[self.lane[at - self.begin]] = True
        differs = row[self.begin :] != expected[self.begin :]
        if (row[: self.begin] != expected[: self.begin]).any():
            return None
        if (differs & ~branched[self.lane]).any():
            return None
        rest = self._options(self._ones(row), branched)
        gone = self._options(self._ones(expected & ~row), branched)
        words = np.flatnonzero(branched[self.lane] & (row[self.begin :] != 0)) + self.begin
        if not len(rest) or words[0] < at or (len(gone) and gone.max() > rest.min()):
            return None
        tried = int(gone.max(initial=-1))
        if untried in (TWINS, TWIN_IS_SOLUTION):
            twin = untried == TWIN_IS_SOLUTION
            if not self.all_primary or (left[is_open] != 2).any() or len(rest) != 2 - twin:
                return None
            return _Level(chosen, tried, twin)
        return _Level(chosen, tried, False) if untried == len(rest) else None

    def is_solution(self, state: State, depth: int) -> bool:
        """Return whether the row of a level has one bit in every lane, all of a solution."""
        row = self._of(state, depth)
        if (row & ~self.row).any():
            return False
        ones = self._ones(row)
        left = np.bincount(self.lane, ones.sum(axis=1), len(self.open))
        options = self._options(ones, self.open)
        return bool((left == 1).all() and (options >= 0).all())


def done(state: State) -> float:
    """Return an estimate, from 0 to 1, of the fraction of the tree that has been searched.

    All options of an item are taken to be the same amount of work.
    """
    if state.counters[EXHAUSTED]:
        return 1.0
    levels = int(state.counters[LEVEL]) + 1
    untried = state.untried[:levels]
    untried = np.select([untried == TWINS, untried == TWIN_IS_SOLUTION], [2, 1], untried)
    behind = 1.0 - float((untried * state.share[:levels]).sum())
    behind = max(0.0, round(behind, 12))  # rounding errors of the sum must not make it decrease
    return min(behind, 1 - 1e-12)


def _sizes(problem: Problem) -> Int64s:
    """Return the number of options of each primary item."""
    primary = problem.item[problem.item < problem.num_primary]
    return np.bincount(primary, minlength=problem.num_primary)


def _kinds(problem: Problem) -> tuple[Int64s, Int64s]:
    """Number the pairs of item and colour.

    Returns
    -------
    kind : int64[num_entries]
        The kind of each entry: its item if it has no colour, else a number from num_items on.
    item_of : int64[kinds]
        The item of each kind.
    """
    kind = problem.item.astype(np.int64)
    if not problem.colours:
        return kind, np.arange(problem.num_items)
    (coloured,) = np.nonzero(problem.colour)
    key = kind[coloured] * (len(problem.colours) + 1) + problem.colour[coloured]
    distinct, place = np.unique(key, return_inverse=True)
    kind[coloured] = problem.num_items + place
    item_of = np.append(np.arange(problem.num_items), distinct // (len(problem.colours) + 1))
    return kind, item_of


def _layout(sizes: Int64s) -> _Layout:
    """Return the layout with the shortest rows, for items with these numbers of options.

    Items stand in ascending order of their number of options. So of several items with equally
    few options left, one with few options at the start is preferred (a tenth of the nodes on
    16 x 16 sudoku, half more on coloured squares), and items with equally many planes share
    blocks. Unused lanes stand before the items.
    """
    order = np.argsort(sizes, kind="stable")
    ascending = sizes[order]
    best: tuple[int, Int64s] | None = None
    for width in LANE_BITS:
        if width == 8 and sizes.max(initial=0) > 255:
            continue  # a count would not fit in its lane
        lanes = 8 * VECTOR // width
        # the last lane of a block has the item with the most options in it
        largest = ascending[::-1][::lanes][::-1]
        planes = np.maximum(1, -(-largest // width)) if len(largest) else np.ones(1, np.int64)
        first = np.cumsum([-(-len(planes) * lanes // (8 * VECTOR)), *planes])
        if best is None or first[-1] < best[1][-1]:
            best = width, first
    assert best is not None
    width, first = best
    lanes = 8 * VECTOR // width
    lane = np.empty(len(sizes), np.int64)
    lane[order] = np.arange((len(first) - 1) * lanes - len(sizes), (len(first) - 1) * lanes)
    return _Layout(width, lanes, lane, first, int(first[-1]) * lanes)


def _bits(problem: Problem, layout: _Layout, sizes: Int64s) -> _Bits:
    """Return the bits of a row."""
    primary = np.flatnonzero(problem.item < problem.num_primary)
    option = np.repeat(np.arange(problem.num_options), np.diff(problem.start))[primary]
    item = problem.item[primary]
    by_item = np.argsort(item, kind="stable")
    rank = np.empty(len(item), np.int64)  # of the option among those of the item
    rank[by_item] = np.arange(len(item)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    lane = layout.lane[item]
    width = layout.width
    bit = (layout.place(lane) + rank // width * layout.lanes) * width + rank % width
    start = np.zeros(problem.num_options + 1, np.int64)
    np.cumsum(np.bincount(option, minlength=problem.num_options), out=start[1:])
    return _Bits(start, option, item, lane, bit)


def _first_row(layout: _Layout, bits: _Bits) -> npt.NDArray[np.uint8]:
    """Return the bytes of a row: all bits, all lanes open, one bit in each unused lane."""
    ones = np.zeros(layout.size * layout.width, np.uint8)
    ones[bits.bit] = 1
    ones[layout.lane] = 1
    unused = np.arange(layout.blocks * layout.lanes - len(layout.lane))
    ones[layout.place(unused) * layout.width] = 1
    return np.packbits(ones, bitorder="little")


def _counts(layout: _Layout, row: npt.NDArray[Any]) -> Int64s:
    """Return the number of bits of each lane of a row."""
    lanes = layout.lanes
    counts = np.zeros(layout.blocks * lanes, np.int64)
    for b in range(layout.blocks):
        planes = row[layout.first[b] * lanes : layout.first[b + 1] * lanes]
        ones = np.unpackbits(planes.view(np.uint8).reshape(len(planes), -1), axis=1).sum(axis=1)
        counts[b * lanes : (b + 1) * lanes] = ones.reshape(-1, lanes).sum(axis=0)
    return counts


def _shown(
    problem: Problem, layout: _Layout, bits: _Bits, option_of: Int32s, sizes: Int64s
) -> tuple[Int64s, Int64s, Int32s]:
    """Return `shown_place`, `shown_planes` and `shown_lowest` of the state."""
    items = _items_of_all_options(bits.start, bits.item)
    lane = layout.lane[items]
    place, planes = layout.place(lane), layout.planes(lane)
    lowest = option_of[place * layout.width]
    highest = np.full(problem.num_primary, -1, np.int64)
    np.maximum.at(highest, bits.item, bits.option)
    if (
        (planes != 1).any()
        or (np.diff(place) != 1).any()
        or (np.diff(lowest) <= 0).any()
        # as options without a primary item are in no lane, this does not follow from the sizes
        or (highest[items] - lowest + 1 != sizes[items]).any()
        or (np.append(lowest[1:], problem.num_options) <= highest[items]).any()
    ):
        lowest = lowest[:0]
    return place, planes, lowest


def _items_of_all_options(start: Int64s, item: Int32s) -> Int64s:
    """Return items such that every option with primary items has one of them.

    Many problems have items of one kind (cells, pieces, rows) of which each option has exactly
    one. They are looked for at the same place in all options; without them all items are returned.
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


def _aligned(length: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return zeros that start at a multiple of VECTOR: no vector crosses a cache line."""
    raw = np.zeros(length * dtype.itemsize + VECTOR, np.uint8)
    skip = -raw.ctypes.data % VECTOR
    return raw[skip : skip + length * dtype.itemsize].view(dtype)
