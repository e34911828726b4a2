"""Many puzzles at once, in lock-step: dig givens out of grids, or grow puzzles from nothing.

A given that cannot go cannot go later either, when fewer are left: so one pass over the cells in
any order ends with a minimal puzzle. Early in the pass nearly all givens can go, so a run of them
is tried at once; if the puzzle is no longer unique, halving finds the first that has to
stay, which is what the pass one by one would have found. All puzzles of a batch ask one question
each per round, and a batch kernel answers all of them.
"""

from __future__ import annotations

from threading import Event
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudoku.grids.random_numbers import Words, below, words
from sudoku.grids.symmetry import orbits, shuffled
from sudoku.layout import Layout
from sudoku.solving.batch_search import has_kernel_of_its_own

Cells = NDArray[np.uint8]
Counts = NDArray[np.int64]

EXACT_CELLS = 256
"""On larger grids it may take years to tell whether a given can go: then it stays."""
UNDECIDED = -1

_SETUP = 64
_NINE = 20
"""The kernel for 9 x 9 takes a twentieth of the time of the other, as does a search there."""
_NODES = 1_000
_UNKNOWN = 1 << 30
_AT_ONCE = 1_000_000
"""Puzzles times cells squared that a kernel for any layout gets before Ctrl-C has its turn."""


class Stopped(Exception):
    """A counter was told to stop."""


class Counter:
    """Counts solutions of batches up to two; knows its layout.

    Attributes:
        effort: what was spent so far, in search nodes of ``masks``; the same on every
            machine. Measured there on one core, 5,000,000 take 5 to 25 s for any layout.
        stopped: set by another thread to end whatever counts.

    >>> Counter(Layout(2, 2))(np.zeros((1, 16), np.uint8))[0].tolist()
    [2]
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.effort = 0.0
        self.stopped = Event()
        if not has_kernel_of_its_own(layout):
            from sudoku.kernels import masks

            self.tables = masks.tables(layout)

    def __call__(self, puzzles: Cells, limit: int = 2) -> tuple[Counts, Cells, Counts]:
        """Counts up to ``limit``, first solutions found, and nodes, of uint8[k, cells].

        Above 16 x 16 a count is UNDECIDED if the search takes too many nodes.
        """
        puzzles = np.ascontiguousarray(puzzles)
        counts, nodes = np.zeros(len(puzzles), np.int64), np.zeros(len(puzzles), np.int64)
        solutions = np.zeros_like(puzzles)
        self._run(puzzles, limit, counts, solutions, nodes)
        self.spend(len(puzzles), int(nodes.sum()))
        return counts, solutions, nodes

    def spend(self, searches: int, nodes: int) -> None:
        """Add to the effort; setting a search up and filling a grid takes time beside nodes."""
        spent = nodes + searches * self.layout.size**3 / _SETUP
        self.effort += spent / (_NINE if has_kernel_of_its_own(self.layout) else 1)

    def _run(
        self, puzzles: Cells, limit: int, counts: Counts, solutions: Cells, nodes: Counts
    ) -> None:
        if self.stopped.is_set():
            raise Stopped
        if has_kernel_of_its_own(self.layout):
            from sudoku.kernels.nine_by_nine import run

            run(puzzles, limit, counts, solutions, nodes)
            return
        from sudoku.kernels import masks

        if self.layout.cells > EXACT_CELLS:
            for k, puzzle in enumerate(puzzles):
                if self.stopped.is_set():
                    raise Stopped
                state = masks.start(self.tables, puzzle)
                counts[k] = masks.advance(state, _NODES, limit, solutions[k : k + 1])
                nodes[k] = state.counters[masks.NODES]
                if counts[k] < limit and not state.counters[masks.EXHAUSTED]:
                    counts[k] = UNDECIDED
            return
        size = max(1, _AT_ONCE // self.layout.cells**2)
        for i in range(0, len(puzzles), size):
            if self.stopped.is_set():
                raise Stopped
            part = slice(i, i + size)
            masks.run(self.tables, puzzles[part], limit, counts[part], solutions[part], nodes[part])


class Pattern(NamedTuple):
    """Groups of cells that hold givens together or not at all."""

    group_of: NDArray[np.int64]
    """[cells] number of each cell's group"""
    size: NDArray[np.int64]
    """[groups] cells of each"""


def pattern(layout: Layout, symmetry: str) -> Pattern:
    """The groups of a symmetry; see ``sudoku.grids.symmetry.orbits``."""
    groups = orbits(layout.size, symmetry)
    group_of = np.empty(layout.cells, np.int64)
    for number, cells in enumerate(groups):
        group_of[cells] = number
    return Pattern(group_of, np.array([len(cells) for cells in groups]))


def dig(
    puzzles: Cells,
    solutions: Cells,
    groups: Pattern,
    order: NDArray[np.int64],
    count: Counter,
    least: NDArray[np.int64],
) -> Cells:
    """Take givens away, group by group, as long as the solution stays the only one.

    Args:
        puzzles: uint8[k, cells], each with one solution; left alone.
        solutions: uint8[k, cells].
        groups: what goes together.
        order: int64[k, groups], a permutation of the groups to go through, for each puzzle.
        least: int64[k], givens to stop at; 0 to go on until no group can go.

    Invariants between rounds, ``place`` being a group's place in the order: groups before
    ``low`` are gone or must stay, taking those from ``low`` to ``high - 1`` away leaves
    several solutions (if ``high`` is known), groups from ``low`` on are all there.
    """
    puzzles = puzzles.copy()
    place = np.argsort(order, axis=1).astype(np.int16)[:, groups.group_of]
    there = np.zeros(order.shape, bool)
    np.put_along_axis(there, place.astype(np.int64), puzzles > 0, axis=1)
    weight = groups.size[order] * there
    reach = np.concatenate((np.zeros((len(puzzles), 1), np.int64), weight.cumsum(axis=1)), axis=1)
    spare = reach[:, -1] - least
    last = np.where(there, np.arange(1, order.shape[1] + 1), 0).max(axis=1)
    low = np.zeros(len(puzzles), np.int64)
    high = np.full(len(puzzles), _UNKNOWN)
    stride = _strides(order.shape[1])
    while True:
        # a group that is the only suspect left has to stay
        kept = (high - low == 1) & (low < last)
        low[kept] += 1
        high[kept] = _UNKNOWN
        row = np.flatnonzero((low < last) & (spare > 0))
        if not len(row):
            return puzzles
        begin, stop = low[row], high[row]
        end = np.where(stop < _UNKNOWN, (begin + stop) // 2, begin + stride[begin])
        end = np.minimum(end, last[row])
        if least.any():
            # no more than there are givens to spare; a group too large for that stays
            limit = reach[row, begin] + spare[row]
            fitting = (reach[row] <= limit[:, None]).sum(axis=1) - 1
            end = np.minimum(end, fitting)
            stuck = end <= begin
            low[row[stuck]] += 1
            high[row[stuck]] = _UNKNOWN
            row, begin, end = row[~stuck], begin[~stuck], end[~stuck]
        at = place[row]
        trial = puzzles[row]
        tried = (at >= begin[:, None].astype(np.int16)) & (at < end[:, None].astype(np.int16))
        tried &= trial > 0
        trial[tried] = 0
        number, found, _ = count(trial)
        unique = number == 1
        puzzles[row[unique]] = trial[unique]
        spare[row[unique]] -= (reach[row, end] - reach[row, begin])[unique]
        low[row[unique]] = end[unique]
        # where another solution was found, the last group in which it differs is enough
        failed = row[~unique]
        differs = tried[~unique] & (found[~unique] != solutions[failed])
        last_differing = np.where(differs, at[~unique], np.int16(-1)).max(axis=1).astype(np.int64)
        high[failed] = np.where(last_differing >= 0, last_differing + 1, end[~unique])


def _strides(groups: int) -> NDArray[np.int64]:
    """How many groups to try at once from each place in the order on, if nothing is known.

    About ln 2 / p, where p is the measured share of groups that stay at this place: near 0 up
    to 0.4 of the way, then growing to 0.75.
    """
    way = np.arange(groups) / groups
    stay = np.clip((way - 0.35) * 1.4, 0.001, 1)
    # to where 0.9 groups that stay have been met on average; 0.5 to 1.1 asks 7 % more at most
    ahead = np.searchsorted(stay.cumsum(), np.concatenate(([0], stay.cumsum()[:-1])) + 0.9)
    strides: NDArray[np.int64] = np.maximum(ahead - np.arange(groups), 1)
    return strides


def grow(
    layout: Layout,
    groups: Pattern,
    order: NDArray[np.int64],
    key: int,
    counters: Words,
    count: Counter,
) -> tuple[Cells, Cells]:
    """Add random givens, group by group, until there is one solution.

    Each digit is drawn among those that the cell's houses leave; a group after which there is
    no solution is taken back and drawn again. Returns puzzles and their solutions; both are
    zeros where it came to nothing.
    """  # fmt: skip
    k, cells = len(order), layout.cells
    puzzles, solutions = np.zeros((k, cells), np.uint8), np.zeros((k, cells), np.uint8)
    members = [np.flatnonzero(groups.group_of == g) for g in range(len(groups.size))]
    member = np.full((len(members), max(map(len, members))), -1)
    for g, inside in enumerate(members):
        member[g, : len(inside)] = inside
    peers = np.zeros((cells, cells), bool)
    for house in layout.houses:
        peers[np.ix_(house, house)] = True
    others = [np.flatnonzero(peers[cell]) for cell in range(cells)]
    peer = np.array([np.resize(other, max(map(len, others))) for other in others])

    at = np.zeros(k, np.int64)
    row = np.arange(k)
    # below this no puzzle can be unique, and contradictions are rare
    untested = len(groups.size) // 8
    for attempt in range(4 * len(groups.size)):
        trial = puzzles[row]
        group = order[row, at[row]]
        fits = np.ones(len(row), bool)
        for i in range(member.shape[1]):
            cell = member[group, i]
            seen = np.take_along_axis(trial, peer[cell], axis=1)
            used = np.bitwise_or.reduce(np.uint64(1) << seen.astype(np.uint64), axis=1)
            digit = np.arange(1, layout.size + 1, dtype=np.uint64)
            free = (used[:, None] >> digit & np.uint64(1)) == 0
            drawn = words(key, counters[row], (attempt * member.shape[1] + i) * layout.size + 7)
            score = np.where(free, _scores(drawn, layout.size), np.uint64(0))
            wanted = cell >= 0
            fits &= free.any(axis=1) | ~wanted
            value = (score.argmax(axis=1) + 1).astype(np.uint8)
            trial[wanted, cell[wanted]] = value[wanted]
        number = np.where(fits, 2, 0)
        if attempt >= untested:
            ask = np.flatnonzero(fits)
            number[ask], found, _ = count(trial[ask])
            done = number[ask] == 1
            solutions[row[ask[done]]] = found[done]
        good = number > 0
        puzzles[row[good]] = trial[good]
        at[row[good]] += 1
        row = row[(number != 1) & (at[row] < len(groups.size))]
        if not len(row):
            break
    puzzles[(solutions == 0).all(axis=1)] = 0
    return puzzles, solutions


def _scores(drawn: Words, size: int) -> Words:
    """A random word, never 0, for each digit."""
    from sudoku.grids.random_numbers import mix

    steps = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return mix(drawn[:, None] + steps) | np.uint64(1)


def is_minimal(puzzles: Cells, count: Counter) -> NDArray[np.bool_]:
    """Whether each puzzle, known to be unique, has several solutions without any one given."""
    good = np.ones(len(puzzles), bool)
    for cell in range(puzzles.shape[1]):
        row = np.flatnonzero(good & (puzzles[:, cell] > 0))
        if len(row):
            trial = puzzles[row]
            trial[:, cell] = 0
            good[row] = count(trial)[0] > 1
    return good


def random_order(groups: Pattern, key: int, counters: Words) -> NDArray[np.int64]:
    """A random order of the groups for each counter, int64[k, groups]."""
    return shuffled(len(groups.size), key, counters, 0)


def drawn_between(low: int, high: int, key: int, counters: Words) -> NDArray[np.int64]:
    """A number from low to high for each counter."""
    return low + below(high - low + 1, key, counters).astype(np.int64)
