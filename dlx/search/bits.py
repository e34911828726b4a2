"""Kernel "bits": sets of options as bit masks, for dense problems of moderate size.

This module translates a problem into the rows of masks that `bits_kernel` describes and searches.
An option costs one row, so rows must not be too large (`row_sizes`). The search has no undo and few
jumps, so a node takes ten to a hundred nanoseconds. Where an option touches only a small part of a
large problem, dancing links do less work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.errors import KernelError
from dlx.problem import Int32s, Problem
from dlx.search import bits_kernel, row_sizes
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
from dlx.search.row_sizes import LANE_BITS, VECTOR

name = "bits"
takes_options = True
changing = ("rows", "branch", "untried", "share", "counters")

WORD_TYPES = {bits: np.dtype(f"u{bits // 8}") for bits in LANE_BITS}

FIRST_STEPS = 250_000
"""Steps, of some 200 ns, that the interpreter takes in a process to lay out and fill rows, if
numba's cache has no code that does. To compile it takes more than a second, a fifth of what a first
count compiles."""

Int64s = npt.NDArray[np.int64]


def suits(problem: Problem) -> bool:
    """Return whether the rows fit in LARGEST bytes; False for problems with multiplicities."""
    if problem.bounds is not None:
        return False
    num_options, num_items = problem.num_options, problem.num_items
    sizes = num_options, num_items, problem.num_primary, problem.num_entries
    return row_sizes.surely_fit(*sizes) or rows_fit(problem, row_sizes.LARGEST)


def rows_fit(problem: Problem, largest: int, layout: RowLayout | None = None) -> bool:
    """Return whether the rows of a problem fit in `largest` and in `row_sizes.most_bytes`."""
    num_options, num_items = problem.num_options, problem.num_items
    row = VECTOR * int((layout or lay_out(problem)).first[-1])
    sizes = num_options, problem.num_primary, problem.num_entries, row
    most = min(largest, row_sizes.most_bytes(*sizes))
    if (num_options + num_items) * row > most:
        return False
    return (num_options + len(kinds(problem)[1])) * row <= most


class RowLayout(NamedTuple):
    """Where the primary items stand in a row."""

    width: int  # bits of a lane
    shortest: int  # the fewest primary items of an option that has any
    sizes: Int64s  # [primary items] the number of options of each
    lane: Int64s  # [primary items] the lane of each, numbered through all blocks
    first: Int64s  # [blocks + 1] first vector of each block; then the number of those of a row


def lay_out(problem: Problem, kernel: Callable[..., Any] = bits_kernel.lay_out) -> RowLayout:
    """Return the layout with the shortest rows, by the kernel or its interpreted form."""
    sizes, lane, ascending = np.zeros((3, problem.num_primary), np.int64)
    below = np.zeros(problem.num_options + 2, np.int64)
    first = np.zeros(problem.num_primary * LANE_BITS[-1] // (8 * VECTOR) + 2, np.int64)
    width, blocks, shortest = kernel(
        problem.start, problem.item, sizes, lane, first, below, ascending
    )
    return RowLayout(width, shortest, sizes, lane, first[: blocks + 1])


def lay_out_interpreted(problem: Problem) -> RowLayout:
    """As `lay_out`, by the interpreter."""
    return lay_out(problem, lambda *arrays: bits_kernel.lay_out_interpreted(*map(_views, arrays)))


def _views(argument: Any) -> Any:
    """Memoryviews in place of arrays, of which several may be a tuple."""
    if isinstance(argument, tuple):
        return tuple(map(_views, argument))
    return argument.data if isinstance(argument, np.ndarray) else argument


class _Interpreter:
    """Lays out and fills rows in place of the kernels, as long as steps are left to it."""

    left = FIRST_STEPS

    def lay_out(self, problem: Problem) -> RowLayout:
        """See `lay_out`."""
        if self.left == FIRST_STEPS and bits_kernel.has_stored_rows():
            self.left = 0
        if self._takes(4 * problem.num_entries):
            return lay_out_interpreted(problem)
        return lay_out(problem)

    def may_fill(self, problem: Problem, num_kinds: int, layout: RowLayout) -> bool:
        """Take the steps to fill the rows; return whether they were left."""
        lengths = np.diff(problem.start).astype(np.int64)
        words = VECTOR // 8 * int(layout.first[-1])
        passes = -(-int(lengths.max(initial=0)) // 3)
        rows = problem.num_options * passes + 2 * (num_kinds - problem.num_items)
        return self._takes(int((lengths**2).sum()) + words * rows + 8 * problem.num_entries)

    def fill(self, *arguments: Any) -> tuple[int, bool]:
        """See `bits_kernel.fill`."""
        num_shown, in_sequence = bits_kernel.fill_interpreted(*map(_views, arguments))
        return num_shown, in_sequence

    def _takes(self, steps: int) -> bool:
        """Take steps; return whether so many were left. If not, all that were left are taken."""
        left = self.left
        self.left = max(0, left - steps)
        return steps <= left


_interpreter = _Interpreter()


def _layout_and_filler(
    problem: Problem, num_kinds: int
) -> tuple[RowLayout, Callable[..., tuple[int, bool]]]:
    """The layout, and what fills the rows: the interpreter as long as it may, or the kernel."""
    if not _interpreter.left:
        return lay_out(problem), bits_kernel.fill
    layout = _interpreter.lay_out(problem)
    is_used = _interpreter.may_fill(problem, num_kinds, layout)
    return layout, _interpreter.fill if is_used else bits_kernel.fill


def start(problem: Problem, given: tuple[int, ...]) -> State | None:
    """Return the state before the first node; None if the givens are not compatible."""
    if given and not problem.compatible(given):
        return None
    kind, item_of = kinds(problem)
    layout, fill = _layout_and_filler(problem, len(item_of))
    width, shortest, _, _, first = layout
    num_primary, num_options = problem.num_primary, problem.num_options
    num_open, lone = _left_by(problem, given)
    levels = num_open // shortest + 2
    lanes, vectors = 8 * VECTOR // width, int(first[-1])
    size = vectors * lanes
    word = WORD_TYPES[width]
    # one array serves three uses: aligning an allocation costs 3 us
    block = _aligned((num_options + levels) * size + (len(first) - 1) * lanes, word)
    compatible, zeroed = block[: num_options * size], block[num_options * size :]
    zeroed.fill(0)
    rows, counts = zeroed[: levels * size], zeroed[levels * size :]
    option_of = np.empty(size * width, np.int32)
    option_of.fill(-1)
    place, planes = np.empty((2, num_primary), np.int64)
    lowest = np.empty(num_primary, np.int32)
    branch, untried = np.zeros((2, levels), np.int64)
    counters = np.zeros(LENGTH, np.int64)
    forbidden = np.zeros(len(item_of) * (VECTOR // 8) * vectors, np.uint64)
    num_shown, in_sequence = fill(
        (problem.start, problem.item, kind, item_of, np.array(given, np.int32)),
        tuple(layout),
        (compatible.view(np.uint64), compatible.view(np.uint8)),
        rows.view(np.uint8)[: VECTOR * vectors],
        option_of,
        (place, planes, lowest),
        (branch, untried, counters),
        (
            forbidden,
            forbidden.view(np.uint8),
            np.zeros(problem.num_entries, np.int64),
            tuple(np.zeros((4, num_primary), np.int64)),
        ),
    )
    counters[DEPTH] = min(len(given) + num_open // shortest, num_shown + len(lone))
    return State(
        compatible=compatible,
        option_of=option_of,
        first=first,
        rows=rows,
        branch=branch,
        untried=untried,
        share=_shares(levels, untried.item(0)),
        shown_place=place[:num_shown],
        shown_planes=planes[:num_shown],
        shown_lowest=lowest[: num_shown if in_sequence and not lone else 0],
        given_secondary=np.array(lone, np.int32),
        counts=counts,
        single=np.zeros(len(first) - 1, np.uint64),
        pending=np.zeros(num_primary + 1, np.int64),
        forced_in=np.zeros(num_options, np.int64),
        chosen=np.zeros(num_options // 64 + 1, np.uint64),
        counters=counters,
    )


def _shares(levels: int, num_branches: int) -> npt.NDArray[np.float64]:
    """Return for each level the fraction of the search that a branch there is, at the start."""
    share = np.empty(levels, np.float64)
    share.fill(1)
    share[0] = 1 / max(1, num_branches)
    return share


def _left_by(problem: Problem, given: tuple[int, ...]) -> tuple[int, list[int]]:
    """Return how many primary items the givens leave open, and the givens without one."""
    entries = [problem.item[problem.start[o] : problem.start[o + 1]] for o in given]
    covered = [int(np.count_nonzero(items < problem.num_primary)) for items in entries]
    lone = [o for o, number in zip(given, covered, strict=True) if not number]
    return problem.num_primary - sum(covered), lone


def max_depth(state: State) -> int:
    """Return an upper bound on the number of options of a solution, givens included."""
    return int(state.counters[DEPTH])


def advance(state: State, budget: int, room: int, out: Int32s) -> int:
    """Continue the search; return the number of solutions found. See `kernel.Kernel.advance`."""
    return int(bits_kernel.advance(tuple(state), budget, room, out))


def open_branches(state: State, weight: float) -> list[Branch]:
    """Return what a search has left. See `kernel.Kernel.open_branches`."""
    from dlx.search import branch_kernel  # compiled only for searches that are split

    num_options, lanes = len(state.forced_in), len(state.counts)
    found, seen = np.empty(num_options + lanes, np.int64), np.zeros(num_options, np.bool_)
    chosen = state.given_secondary.tolist()
    seen[chosen] = True
    lengths = []  # of the part of the path that each level has
    for level in range(int(state.counters[LEVEL]) + 1):
        length = branch_kernel.chosen_in_row(state, level, found)
        row = found[:length]
        further = np.unique(row[~seen[row]])
        seen[further] = True
        chosen += further.tolist()
        lengths.append(len(chosen))
    path = tuple(chosen)
    branches = []
    for level, depth in reversed(list(enumerate(lengths))):
        options: tuple[int, ...] = ()
        if state.untried[level] != ROOT_IS_SOLUTION:
            length = branch_kernel.options_in_lane(state, level, int(state.branch[level]), found)
            options = tuple(found[:length].tolist())
        share = float(state.share[level]) * max(1, len(options)) * weight
        branches.append(Branch(path, options, share, depth))
    return branches


def restart(problem: Problem, root: State, state: State | None, branch: Branch) -> State:
    """Return the state of a search of one branch. See `kernel.Kernel.restart`."""
    from dlx.search import branch_kernel

    state = _another(root) if state is None else state
    size = len(state.rows) // len(state.branch)
    lone = set(root.given_secondary.tolist())
    chosen = np.array([o for o in branch.chosen if o not in lone], np.int64)
    options = np.array(branch.options, np.int64)
    buffer = np.empty(problem.num_options, np.int64)
    first_row = root.rows[:size]
    if not branch_kernel.restart_bits(state, first_row, chosen, options, buffer):
        raise KernelError("a branch does not belong to this problem")
    state.counters[NODES] = state.counters[UPDATES] = state.counters[SOLUTIONS] = 0
    return state


def _another(root: State) -> State:
    """Return a state that shares with `root` the arrays that no search changes."""
    arrays = {}
    for name in (*changing, "counts", "single", "pending", "forced_in", "chosen"):
        values = getattr(root, name)
        arrays[name] = _aligned(len(values), values.dtype)
        arrays[name][:] = 0 if name == "rows" else values
    return root._replace(**arrays)


def is_reachable(fresh: State, state: State) -> bool:
    """Return whether a search can reach a state.

    The row of a level follows from the options chosen, which are those of the covered lanes. All
    lanes are compared with what these options leave; only the branched lane may lack options, those
    already tried.
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
        if not 0 <= share <= 1:  # 0 by underflow, at hundreds of levels
            return False
        decoded = rows.check(state, depth)
        if (
            decoded is None
            or not chosen <= decoded.chosen
            or (depth and tried not in decoded.chosen)
        ):
            return False
        if decoded.twin and (depth < level or not rows.is_solution(state, depth + 1)):
            return False
        chosen, tried = decoded.chosen, decoded.tried
        if depth < level and tried < 0:
            return False
    return True


class _Level(NamedTuple):
    """The decoded row of a level."""

    chosen: set[int]  # the options chosen
    tried: int  # the option of the branched lane that was tried last, or -1
    twin: bool  # whether the next solution is the twin of one in the row of the next level


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
        options: Int32s = of[ones & lanes[self.lane][:, None]]
        return options

    def _of(self, state: State, depth: int) -> npt.NDArray[Any]:
        row: npt.NDArray[Any] = state.rows[depth * self.size : (depth + 1) * self.size]
        return row

    def check(self, state: State, depth: int) -> _Level | None:
        """Return the decoded row of a level, or None if no search reaches it."""
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
        sizes = np.bincount(self.lane, self._ones(expected).sum(axis=1), len(self.open))
        untried, at = int(state.untried[depth]), int(state.branch[depth])
        if untried == ROOT_IS_SOLUTION:
            solved = depth == 0 and not is_open.any() and np.array_equal(row, expected)
            return _Level(chosen, -1, False) if solved else None
        if not self.begin <= at < self.size or not is_open[self.lane[at - self.begin]]:
            return None
        if not (sizes >= 1).all() or (depth and not (sizes[is_open] >= 2).all()):
            return None
        return self._check_branch(row, expected, is_open, sizes, chosen, untried, at)

    def _check_branch(
        self,
        row: npt.NDArray[Any],
        expected: npt.NDArray[Any],
        is_open: npt.NDArray[np.bool_],
        sizes: npt.NDArray[Any],
        chosen: set[int],
        untried: int,
        at: int,
    ) -> _Level | None:
        """Check the branched lane, the only one that may have fewer bits than `expected`."""
        branched = np.zeros(len(self.open), np.bool_)
        branched[self.lane[at - self.begin]] = True
        differs = row[self.begin :] != expected[self.begin :]
        if (row[: self.begin] != expected[: self.begin]).any():
            return None
        if (differs & ~branched[self.lane]).any():
            return None
        kept = self._options(self._ones(row), branched)
        gone = self._options(self._ones(expected & ~row), branched)
        words = np.flatnonzero(branched[self.lane] & (row[self.begin :] != 0)) + self.begin
        if not len(kept) or words[0] < at or (len(gone) and gone.max() > kept.min()):
            return None
        tried = int(gone.max(initial=-1))
        if untried in (TWINS, TWIN_IS_SOLUTION):
            twin = untried == TWIN_IS_SOLUTION
            if not self.all_primary or (sizes[is_open] != 2).any() or len(kept) != 2 - twin:
                return None
            return _Level(chosen, tried, twin)
        return _Level(chosen, tried, False) if untried == len(kept) else None

    def is_solution(self, state: State, depth: int) -> bool:
        """Return whether the row of a level has one bit in every lane, all of a solution."""
        row = self._of(state, depth)
        if (row & ~self.row).any():
            return False
        ones = self._ones(row)
        sizes = np.bincount(self.lane, ones.sum(axis=1), len(self.open))
        options = self._options(ones, self.open)
        return bool((sizes == 1).all() and (options >= 0).all())


def fraction_done(state: State) -> float:
    """Return an estimate, from 0 to 1, of the fraction of the tree that has been searched.

    All options of an item are taken to be the same amount of work.
    """
    levels = int(state.counters[LEVEL]) + 1
    return fraction_behind(state.untried[:levels].copy(), state.share[:levels])


def fraction_behind(untried: Int64s, share: npt.NDArray[np.float64]) -> float:
    """Return the same estimate for levels with these fields of a `State`; `untried` is changed."""
    if not len(untried):
        return 1.0
    untried[untried == TWINS] = 2  # `np.select` takes ten times as long
    untried[untried == TWIN_IS_SOLUTION] = 1
    behind = 1.0 - float((untried * share).sum())
    behind = max(0.0, round(behind, 12))  # rounding errors of the sum must not make it decrease
    return min(behind, 1 - 1e-12)


def kinds(problem: Problem) -> tuple[Int32s, Int32s]:
    """Number the pairs of item and colour.

    Returns
    -------
    kind : int32[num_entries]
        The kind of each entry: its item if it has no colour, else a number from num_items on.
    item_of : int32[kinds]
        The item of each kind.
    """
    kind = problem.item.copy()
    if not problem.colours:
        return kind, np.arange(problem.num_items, dtype=np.int32)
    (coloured,) = np.nonzero(problem.colour)
    num_colours = len(problem.colours) + 1
    key = kind[coloured].astype(np.int64) * num_colours + problem.colour[coloured]
    distinct, place = np.unique(key, return_inverse=True)
    kind[coloured] = problem.num_items + place
    item_of = np.append(np.arange(problem.num_items), distinct // num_colours)
    return kind, item_of.astype(np.int32)


def _aligned(length: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return an array that starts at a multiple of VECTOR: no vector crosses a cache line."""
    block = np.empty(length * dtype.itemsize + VECTOR, np.uint8)
    skip = -block.ctypes.data % VECTOR
    return block[skip : skip + length * dtype.itemsize].view(dtype)
