"""The search of kernel "bits" in integers of Python, for the first steps of a command.

To compile the kernel takes numba seconds, to load it a quarter of a second, and many searches are
over before. Here a row is one integer: the bits of the options of each item, one item after the
other in the order of their lanes, then one bit for each open lane; there are no planes, blocks or
unused lanes. What an option leaves possible is computed when it is first chosen. All else is as
`bits_kernel` describes it: nodes, updates and solutions are the same, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dlx.problem import Int32s, Problem, option_of_entries
from dlx.search import bits
from dlx.search.bits_kernel import (
    MOST_PLACES,
    ROOT_IS_SOLUTION,
    TWIN_IS_SOLUTION,
    TWINS,
    has_stored_code,
)
from dlx.search.branch import Branch
from dlx.search.counters import EXHAUSTED, LENGTH, NODES, SOLUTIONS, UPDATES
from dlx.search.first_steps import StepsLeft, process_steps

INTERPRETED_STEPS = 10_000_000
"""Steps, of about 150 ns, that the interpreter takes in a process if numba's cache has no code of
the kernel."""
STEPS_TO_LIST, STEPS_TO_COUNT = 200_000, 120_000
"""The same if the cache has its code: to list solutions, and to count them, which mostly takes
longer."""
LARGEST_TABLE = 1 << 25  # bytes of the table in `_forbidden_by_kinds`
MOST_ENTRY_PAIRS = 1 << 22  # of entries of one option: that function makes arrays of as many
WORDS_IN_A_STEP = 200  # words of 64 bits that an operation on an integer visits in about a step
MOST_ENTRIES = 100_000  # of a problem whose rows the interpreter lays out, in some 50 ms
ESTIMATED_AFTER = 8  # 1 / the part of the steps after which their number is estimated
SLICE_STEPS = 50_000  # steps between two checks of limits


def rows_fit(problem: Problem, largest: int) -> bool:
    """As `bits.rows_fit`."""
    return bits.rows_fit(problem, largest, _laid_out(problem))


def _laid_out(problem: Problem) -> bits.RowLayout:
    if problem.num_entries > MOST_ENTRIES:
        return bits.lay_out(problem)
    return bits.lay_out_interpreted(problem)


def begin(problem: Problem, given: tuple[int, ...], *, listing: bool) -> FirstSearch | None:
    """Return a search; None if to begin it takes too much memory, or all steps that are left."""
    most = INTERPRETED_STEPS
    if has_stored_code():
        most = STEPS_TO_LIST if listing else STEPS_TO_COUNT
    process_steps.left = min(process_steps.left, most)
    pairs = int((np.diff(problem.start).astype(np.int64) ** 2).sum())
    size = problem.num_entries * len(bits.kinds(problem)[1])
    number = 15_000 + 4 * problem.num_entries + pairs // 16 + size // 256
    if number >= process_steps.left or size > LARGEST_TABLE or pairs > MOST_ENTRY_PAIRS:
        return None
    process_steps.left -= number
    return FirstSearch(problem, given, process_steps)


class _Level:
    """A level of the search, as of `bits_kernel.State`.

    `solution` is the row of the first of two twins, once that is found.
    """

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
    steps : StepsLeft
        Those that it takes are subtracted.

    Attributes
    ----------
    counters : list of int
        As of a state of the kernel; see `dlx.search.counters`.
    slice : int
        Updates that take some milliseconds.
    depth : int
        An upper bound on the number of options of a solution, that of the kernel.
    """

    def __init__(self, problem: Problem, given: tuple[int, ...], steps: StepsLeft) -> None:
        layout = _laid_out(problem)
        sizes = layout.sizes
        by_lane = np.argsort(layout.lane)
        ends = np.cumsum(sizes[by_lane])
        first = np.zeros(len(sizes), np.int64)  # the first bit of each item
        first[by_lane] = ends - sizes[by_lane]
        # of each lane: the first bit and the mask of its options
        self._fields = [(first.item(x), (1 << sizes.item(x)) - 1) for x in by_lane]
        self._num_bits = num_bits = int(sizes.sum())
        self._every = (1 << (num_bits + len(sizes))) - 1
        self._vectors = int(layout.first[-1])
        self._all_primary = num_bits == problem.num_entries
        # entries of primary items, by option: their bits, their items' lanes
        option = option_of_entries(problem)
        (primary,) = np.nonzero(problem.item < len(sizes))
        item = problem.item[primary]
        by_item = np.argsort(first[item], kind="stable")
        bit = np.empty(num_bits, np.int64)
        bit[by_item] = np.arange(num_bits)
        lane = np.empty(len(sizes), np.int64)
        lane[by_lane] = np.arange(len(sizes))
        self._option_of = option[primary][by_item].tolist()
        self._bits, self._lanes = bit.tolist(), lane[item].tolist()
        begins = np.searchsorted(primary, problem.start)
        self._begins = begins.tolist()
        kind, item_of = bits.kinds(problem)
        self._kinds, self._starts = kind.tolist(), problem.start.tolist()
        self._forbidden = self._forbidden_by_kinds(kind, item_of, option, bit)
        self._compatible: dict[int, int] = {}  # what the options chosen so far leave possible
        # givens without a primary item, which are in no row
        self._lone = [one for one in given if self._begins[one] == self._begins[one + 1]]
        words = num_bits // 64
        self._steps, self._steps_at_first = steps, steps.left
        self._count_steps = 1 + len(sizes) * (2 + words // WORDS_IN_A_STEP)
        self._choose_steps = 4 + 8 * words // WORDS_IN_A_STEP
        row = self._every
        for one in given:
            row &= self._left_by(one)
        counts, lanes = self._counts(row), self._open_lanes(row)
        shown = _num_shown(item, begins, len(sizes)) + len(self._lone)
        self.depth = min(len(given) + len(lanes) // layout.shortest, shown)
        self.slice = max(1, SLICE_STEPS // self._count_steps) * self._vectors
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
        """Whether the interpreter may take no more steps."""
        return self._steps.left <= 0

    @property
    def is_too_long(self) -> bool:
        """Whether all of the search is expected to take more steps than there are."""
        taken = self._steps_at_first - self._steps.left
        needed = taken / max(self.fraction_done, 1e-9)
        return taken * ESTIMATED_AFTER > self._steps_at_first and needed > self._steps_at_first

    @property
    def fraction_done(self) -> float:
        """An estimate of the fraction of the tree that has been searched, that of the kernel."""
        untried = np.array([level.untried for level in self._levels], np.int64)
        return bits.fraction_behind(untried, np.array([level.share for level in self._levels]))

    def advance(
        self, budget: int, room: int, solutions: list[tuple[int, ...]] | None = None
    ) -> int:
        """Continue until `budget` updates are made, `room` solutions found, or the steps are spent.

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
        lengths = []  # the number of options of the path at each level
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
            self._steps.left -= self._count_steps + self._choose_steps * len(pending)
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

    def _forbidden_by_kinds(
        self, kind: Int32s, item_of: Int32s, option: Int32s, bit: bits.Int64s
    ) -> list[int]:
        """The bits of the options that cannot stand beside an entry of each kind, and its own."""
        begins = np.array(self._begins)
        numbers = np.diff(begins)[option]  # of bits that belong to the option of each entry
        ends = np.cumsum(numbers)
        place = np.arange(numbers.sum()) + np.repeat(begins[option] - ends + numbers, numbers)
        sets = np.zeros((len(item_of), self._num_bits), np.bool_)
        sets[np.repeat(kind, numbers), bit[place]] = True
        packed = np.packbits(sets, axis=1, bitorder="little")
        forbidden = [int.from_bytes(row.tobytes(), "little") for row in packed]
        coloured = [(k, x) for k, x in enumerate(item_of.tolist()) if k != x]
        for k, x in coloured:
            forbidden[x] |= forbidden[k]
        for k, x in coloured:
            forbidden[k] ^= forbidden[x]
        return forbidden

    def _left_by(self, option: int) -> int:
        """The bits that stay when an option is chosen."""
        if option not in self._compatible:
            kinds = self._kinds[self._starts[option] : self._starts[option + 1]]
            part = slice(self._begins[option], self._begins[option + 1])
            removed = own = 0
            for kind in kinds:
                removed |= self._forbidden[kind]
            for lane, bit in zip(self._lanes[part], self._bits[part], strict=True):
                removed |= 1 << (self._num_bits + lane)
                own |= 1 << bit
            self._compatible[option] = self._every & ~removed | own
        return self._compatible[option]

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
        self._steps.left -= self._count_steps
        lanes = range(len(self._fields))
        other = row & ~twin
        options = [self._options(other, k) or self._options(row, k) for k in lanes]
        return tuple(sorted({option for (option,) in options}.union(self._lone)))


def _num_shown(item: Int32s, begins: bits.Int64s, num_primary: int) -> int:
    """Return the number of items to read a solution from, as `bits_kernel.fill` does.

    `item` holds the primary items of all options; those of option i begin at `begins[i]`.
    """
    lengths = np.diff(begins)
    first = begins[:-1][lengths > 0]
    for place in range(lengths[lengths > 0].min(initial=MOST_PLACES)):
        marked = np.zeros(num_primary, np.bool_)
        marked[item[first + place]] = True
        if np.count_nonzero(marked[item]) == len(first):
            return int(np.count_nonzero(marked))
    return num_primary


def _places(bits: int) -> Iterator[int]:
    """The places of the bits that are set, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
