"""The search of kernel "bits" in integers of Python, for the first steps of a command.

To compile the kernel takes numba seconds, to load it a quarter of a second, and many searches are
over before. Here a row is one integer: the bits of the options of each item, one item after the
other in the order of their lanes, then one bit for each open lane. What an option leaves possible
is computed when it is first chosen. All else is as `bits_kernel` describes it: nodes, updates and
solutions are the same, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

import numpy as np

from dlx.problem import Problem
from dlx.search import bits
from dlx.search.bits_kernel import (
    ROOT_IS_SOLUTION,
    TWIN_IS_SOLUTION,
    TWINS,
    has_stored_code,
    lay_out_interpreted,
    mark_items_interpreted,
)
from dlx.search.branch import Branch
from dlx.search.counters import EXHAUSTED, LENGTH, NODES, SOLUTIONS, UPDATES

STEPS, STEPS_TO_LIST, STEPS_TO_COUNT = 10_000_000, 350_000, 150_000
"""Steps, of about 150 ns, that the interpreter takes if the kernel would have to be compiled; and
if it only has to be loaded, to list solutions, and to count them, as most counts take longer."""
WORDS = 200  # words of 64 bits of a row that an operation visits in a step
MOST_ENTRIES = 100_000  # of a problem whose rows the interpreter lays out, in some 50 ms
SLICE = 50_000  # steps between two checks of limits


def rows_fit(problem: Problem, limit: int) -> bool:
    """As `bits.rows_fit`."""
    return bits.rows_fit(problem, limit, _laid_out(problem))


def _laid_out(problem: Problem) -> bits.Layout:
    if problem.num_entries > MOST_ENTRIES:
        return bits.lay_out(problem)
    return bits.lay_out(
        problem, lambda *arrays: lay_out_interpreted(*(array.data for array in arrays))
    )


def begin(problem: Problem, given: tuple[int, ...], *, listing: bool) -> FirstSearch | None:
    """Return a search, unless to begin it takes as many steps as the interpreter may take."""
    steps = STEPS
    if has_stored_code():
        steps = STEPS_TO_LIST if listing else STEPS_TO_COUNT
    steps -= problem.num_entries * (8 + 8 * (problem.num_entries // 64) // WORDS)
    return FirstSearch(problem, given, steps) if steps > 0 else None


class _Level:
    """A level of the search; see `bits_kernel.State`, and for `solution` `TWIN_IS_SOLUTION`."""

    __slots__ = ("lane", "row", "share", "solution", "untried")

    def __init__(self, row: int, lane: int, untried: int, share: float) -> None:
        self.row, self.lane, self.untried, self.share = row, lane, untried, share
        self.solution = 0


class FirstSearch:
    """A search from the root.

    Parameters
    ----------
    problem : Problem
        Its rows fit, as `bits.suits` says.
    given : tuple of int
        Compatible with each other.
    steps : int
        How many the interpreter may take.

    Attributes
    ----------
    counters : list of int
        As of a state of the kernel; see `dlx.search.counters`.
    slice : int
        Updates that take some milliseconds.
    depth : int
        An upper bound on the number of options of a solution, that of the kernel.
    """

    def __init__(self, problem: Problem, given: tuple[int, ...], steps: int) -> None:
        layout = _laid_out(problem)
        sizes = layout.sizes.tolist()
        self._fields: list[tuple[int, int]] = []  # of each lane: its first bit and its mask
        self._num_bits = sum(sizes)
        bit, opened = [0] * len(sizes), [0] * len(sizes)  # of each item
        first = 0
        for lane, x in enumerate(np.argsort(layout.lane).tolist()):
            self._fields.append((first, (1 << sizes[x]) - 1))
            bit[x], opened[x] = first, 1 << (self._num_bits + lane)
            first += sizes[x]
        self._every = (1 << (self._num_bits + len(sizes))) - 1
        self._vectors = int(layout.first[-1])
        kind, item_of = bits.kinds(problem)
        starts, items, kinds = problem.start.tolist(), problem.item.tolist(), kind.tolist()
        self._option_of = [0] * self._num_bits
        self._kinds: list[list[int]] = []  # of each option; its bits; the lanes that it covers
        self._own: list[int] = []
        self._covered: list[int] = []
        for option in range(problem.num_options):
            own = covered = 0
            for x in items[starts[option] : starts[option + 1]]:
                if x < len(sizes):
                    self._option_of[bit[x]] = option
                    own |= 1 << bit[x]
                    covered |= opened[x]
                    bit[x] += 1
            self._kinds.append(kinds[starts[option] : starts[option + 1]])
            self._own.append(own)
            self._covered.append(covered)
        self._forbidden = self._forbidden_by_kinds(item_of.tolist())
        self._left: dict[int, int] = {}  # what the options chosen so far leave possible
        self._all_primary = self._num_bits == len(items)
        self._lone = [option for option in given if not self._own[option]]
        words = self._num_bits // 64
        self._steps_left = steps
        self._count_steps = 1 + len(sizes) * (2 + words // WORDS)
        self._choose_steps = 4 + 8 * words // WORDS
        marked = [0] * len(sizes)
        mark_items_interpreted(starts, items, marked)
        row = self._every
        for option in given:
            row &= self._left_by(option)
        counts, lanes = self._counts(row), self._open_lanes(row)
        self.depth = min(len(given) + len(lanes) // layout.shortest, sum(marked) + len(self._lone))
        self.slice = max(1, SLICE // self._count_steps) * self._vectors
        self.counters = [0] * LENGTH
        self.counters[NODES] = 1
        self._levels = [_Level(row, 0, ROOT_IS_SOLUTION, 1.0)]
        if lanes:
            best = min(lanes, key=counts.__getitem__)
            self._levels = [_Level(row, best, counts[best], 1 / max(1, counts[best]))]
            if not counts[best]:
                self._levels.clear()
                self.counters[EXHAUSTED] = 1

    @property
    def is_spent(self) -> bool:
        """Whether the interpreter has taken as many steps as it may."""
        return self._steps_left <= 0

    @property
    def fraction_done(self) -> float:
        """An estimate of the fraction of the tree that has been searched, that of the kernel."""
        untried = np.array([level.untried for level in self._levels], np.int64)
        return bits.fraction_behind(untried, np.array([level.share for level in self._levels]))

    def advance(
        self, budget: int, room: int, solutions: list[tuple[int, ...]] | None = None
    ) -> int:
        """Continue until so many updates are made, or solutions found, or the steps are spent.

        Parameters
        ----------
        budget, room : int
            As for `kernel.Kernel.advance`.
        solutions : list, optional
            Receives the solutions.

        Returns
        -------
        int
            The number of solutions found.
        """
        found = 0
        counters, levels = self.counters, self._levels
        end = counters[UPDATES] + budget
        while levels and found < room and counters[UPDATES] < end and not self.is_spent:
            level = levels[-1]
            row, twin = level.row, 0
            twins = level.untried == TWINS
            if level.untried != ROOT_IS_SOLUTION:
                counters[NODES] += 1
            if level.untried == TWIN_IS_SOLUTION:
                twin = level.solution
            if level.untried in (ROOT_IS_SOLUTION, TWIN_IS_SOLUTION):
                levels.pop()
            else:
                first, mask = self._fields[level.lane]
                tried = row & mask << first
                tried &= -tried
                level.row ^= tried
                level.untried = 1 if twins else level.untried - 1
                if not level.untried:
                    levels.pop()
                row, counts = self._choose(row, self._option_of[tried.bit_length() - 1])
                if 0 in counts:
                    if twins:
                        levels.pop()
                    continue
                if fewest := min((count for count in counts if count > 1), default=0):
                    as_twins = self._all_primary and max(counts) == 2
                    untried = TWINS if as_twins else fewest
                    levels.append(_Level(row, counts.index(fewest), untried, level.share / fewest))
                    continue
                if twins:
                    level.untried, level.solution = TWIN_IS_SOLUTION, row
            found += 1
            if solutions is not None:
                solutions.append(self._solution(row, twin))
        counters[SOLUTIONS] += found
        counters[EXHAUSTED] = int(not levels)
        return found

    def open_branches(self) -> list[Branch]:
        """Return what is left, as `bits.open_branches`."""
        path = self._lone[:]
        lengths = []  # of the part of the path that each level has
        for level in self._levels:
            covered = set(range(len(self._fields))).difference(self._open_lanes(level.row))
            chosen = {option for lane in covered for option in self._options(level.row, lane)}
            path += sorted(chosen.difference(path))
            lengths.append(len(path))
        branches = []
        for level, length in zip(self._levels[::-1], lengths[::-1], strict=True):
            is_solution = level.untried == ROOT_IS_SOLUTION
            options = () if is_solution else tuple(self._options(level.row, level.lane))
            weight = level.share * max(1, len(options))
            branches.append(Branch(tuple(path), options, weight, length))
        return branches

    def _choose(self, row: int, option: int) -> tuple[int, list[int]]:
        """Choose an option and all that is forced; return the row and its `_counts`."""
        pending = {option}
        while True:
            self._steps_left -= self._count_steps + self._choose_steps * len(pending)
            self.counters[UPDATES] += len(pending) * self._vectors
            for one in pending:
                row &= self._left_by(one)
            counts = self._counts(row)
            if 0 in counts or (self._all_primary and max(counts) == 1):
                return row, counts
            opened = row >> self._num_bits
            single = [k for k, count in enumerate(counts) if count == 1 and opened >> k & 1]
            if not single:
                return row, counts
            pending = {option for lane in single for option in self._options(row, lane)}

    def _forbidden_by_kinds(self, item_of: list[int]) -> list[int]:
        """The bits of the options that cannot stand beside an entry of each kind, and its own."""
        forbidden = [0] * len(item_of)
        for own, kinds in zip(self._own, self._kinds, strict=True):
            for kind in kinds:
                forbidden[kind] |= own
        coloured = [(kind, x) for kind, x in enumerate(item_of) if kind != x]
        for kind, x in coloured:
            forbidden[x] |= forbidden[kind]
        for kind, x in coloured:
            forbidden[kind] ^= forbidden[x]
        return forbidden

    def _left_by(self, option: int) -> int:
        """The bits that stay when an option is chosen."""
        if option not in self._left:
            forbidden = map(self._forbidden.__getitem__, self._kinds[option])
            removed = reduce(or_, forbidden, self._covered[option])
            self._left[option] = self._every & ~removed | self._own[option]
        return self._left[option]

    def _counts(self, row: int) -> list[int]:
        """The number of options of each lane."""
        return [(row >> first & mask).bit_count() for first, mask in self._fields]

    def _open_lanes(self, row: int) -> list[int]:
        return list(_places(row >> self._num_bits))

    def _options(self, row: int, lane: int) -> list[int]:
        """The options of a lane, ascending."""
        first, mask = self._fields[lane]
        return [self._option_of[first + k] for k in _places(row >> first & mask)]

    def _solution(self, row: int, twin: int = 0) -> tuple[int, ...]:
        """The options of a row with one bit for each lane, or of the twin of such a row."""
        self._steps_left -= self._count_steps
        lanes = range(len(self._fields))
        other = row & ~twin
        options = [self._options(other, k) or self._options(row, k) for k in lanes]
        return tuple(sorted({option for (option,) in options}.union(self._lone)))


def _places(bits: int) -> Iterator[int]:
    """The places of the bits that are set, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
