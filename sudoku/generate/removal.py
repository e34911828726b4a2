"""Remove givens from many puzzles together, as long as their solutions stay unique.

A given that cannot be removed cannot be removed later either, when fewer are left: so one pass
over the cells in any order ends with a minimal puzzle. Early in the pass nearly all givens can be
removed, so several are tried at once; if the puzzle is no longer unique, bisection finds the first
that has to stay, as a pass one by one would have found it. Each round checks one trial of every
puzzle in one batch. Classic puzzles have a kernel for the pass, `sudoku.kernels.removal`, which
removes the same givens in a fraction of the time, but takes 3 s to compile, once on a machine; so
it is not used for the first few puzzles of a process.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudoku.generate.pattern import Groups
from sudoku.layout import Layout
from sudoku.solving.batch_search import Cells, Stopped, UniquenessCheck
from sudoku.solving.driver import Driver, is_classic

Counts = NDArray[np.int64]

UNKNOWN = 1 << 30
INTERPRETED_PUZZLES, FEW_PUZZLES = 4, 100
"""Puzzles of a process that may be made without any kernel, and classic ones without that kernel.
To make four takes the interpreter as long as to load the kernel of the checks."""
LARGEST_INTERPRETED = 6  # N of other layouts; the grids of larger ones are drawn by a kernel

_begun = 0
"""Puzzles of this process so far. The number only decides which code runs: the results do
not depend on it. The effort lacks the nodes of those made without kernels, a millionth of the
effort after which generation gives up."""


def may_interpret(layout: Layout, number: int) -> bool:
    """Return whether the next `number` puzzles of a layout may be made without a kernel."""
    is_possible = is_classic(layout) or layout.size <= LARGEST_INTERPRETED
    return is_possible and _begun + number <= INTERPRETED_PUZZLES


def remove_givens(
    puzzles: Cells,
    solutions: Cells,
    groups: Groups,
    order: Counts,
    check: UniquenessCheck,
    least: Counts,
) -> Cells:
    """Remove givens, group by group, as long as the solution stays the only one.

    `puzzles` and `solutions` are uint8[k, cells]; `order`, int64[k, groups], is a permutation of
    the groups for each puzzle, in which they are tried; `least`, int64[k], the givens to stop at,
    0 to continue until no group can be removed. Returns new puzzles.
    """
    global _begun
    _begun += len(puzzles)
    if not is_classic(check.layout):
        return _by_checks(puzzles, solutions, groups, order, check, least)
    check.add_effort(0, order.size)  # about what the kernel takes
    if _begun <= FEW_PUZZLES:
        check = type(check)(check.layout, check.stop)
        return _by_checks(puzzles, solutions, groups, order, check, least)
    from sudoku.kernels import removal

    row = np.flatnonzero(solutions.all(axis=1))  # the others are blank: no puzzle was found
    removals = removal.Removals(
        puzzles=puzzles[row],
        solutions=solutions[row],
        start=np.concatenate(([0], groups.size.cumsum())),
        cell=np.argsort(groups.group_of, kind="stable"),
        order=order[row],
        spare=((puzzles > 0).sum(axis=1) - least)[row],
        work=np.zeros(len(row), np.int64),
    )
    if not Driver(stop=check.stop).finish(removal, removal.start(), removals):
        raise Stopped
    puzzles = puzzles.copy()
    puzzles[row] = removals.puzzles
    return puzzles


def _by_checks(
    puzzles: Cells,
    solutions: Cells,
    groups: Groups,
    order: Counts,
    check: UniquenessCheck,
    least: Counts,
) -> Cells:
    """Do the work of `remove_givens` for any layout, one check of all puzzles at a time."""
    # Invariants between rounds, `place` being a group's place in the order: groups before `low`
    # are removed or must stay, groups from `low` on are given, and removing those from `low` to
    # `high - 1` leaves several solutions (if `high` is known).
    puzzles = puzzles.copy()
    place = np.argsort(order, axis=1).astype(np.int16)[:, groups.group_of]
    given = np.zeros(order.shape, bool)
    np.put_along_axis(given, place.astype(np.int64), puzzles > 0, axis=1)
    weight = groups.size[order] * given
    reach = np.concatenate((np.zeros((len(puzzles), 1), np.int64), weight.cumsum(axis=1)), axis=1)
    spare = reach[:, -1] - least
    last = np.where(given, np.arange(1, order.shape[1] + 1), 0).max(axis=1)
    low = np.zeros(len(puzzles), np.int64)
    high = np.full(len(puzzles), UNKNOWN)
    stride = _strides(order.shape[1])
    while True:
        # the only group from `low` to `high - 1` has to stay
        kept = (high - low == 1) & (low < last)
        low[kept] += 1
        high[kept] = UNKNOWN
        row = np.flatnonzero((low < last) & (spare > 0))
        if not len(row):
            return puzzles
        begin, stop = low[row], high[row]
        end = np.where(stop < UNKNOWN, (begin + stop) // 2, begin + stride[begin])
        end = np.minimum(end, last[row])
        if least.any():
            # no more givens than there are to spare; a group too large for that stays
            limit = reach[row, begin] + spare[row]
            fitting = (reach[row] <= limit[:, None]).sum(axis=1) - 1
            end = np.minimum(end, fitting)
            stuck = end <= begin
            low[row[stuck]] += 1
            high[row[stuck]] = UNKNOWN
            row, begin, end = row[~stuck], begin[~stuck], end[~stuck]
        at = place[row]
        trial = puzzles[row]
        tried = (at >= begin[:, None].astype(np.int16)) & (at < end[:, None].astype(np.int16))
        tried &= trial > 0
        trial[tried] = 0
        number, found, _ = check(trial)
        unique = number == 1
        puzzles[row[unique]] = trial[unique]
        spare[row[unique]] -= (reach[row, end] - reach[row, begin])[unique]
        low[row[unique]] = end[unique]
        # where another solution was found, the last group in which it differs is enough
        failed = row[~unique]
        differs = tried[~unique] & (found[~unique] != solutions[failed])
        last_differing = np.where(differs, at[~unique], np.int16(-1)).max(axis=1).astype(np.int64)
        high[failed] = np.where(last_differing >= 0, last_differing + 1, end[~unique])


def _strides(groups: int) -> Counts:
    """Return how many groups to try at once from each place in the order on, without a `high`.

    About ln 2 / p, where p is the measured share of groups that stay at this place: near 0 in the
    first 0.4 of the order, then growing to 0.75.
    """
    fraction = np.arange(groups) / groups
    stay = np.clip((fraction - 0.35) * 1.4, 0.001, 1)
    # up to where 0.9 groups that stay are met on average; 0.5 to 1.1 takes at most 7 % more checks
    ahead = np.searchsorted(stay.cumsum(), np.concatenate(([0], stay.cumsum()[:-1])) + 0.9)
    strides: Counts = np.maximum(ahead - np.arange(groups), 1)
    return strides


def is_minimal(puzzles: Cells, check: UniquenessCheck) -> NDArray[np.bool_]:
    """Return whether each puzzle, known to be unique, has several solutions without any given."""
    minimal = np.ones(len(puzzles), bool)
    for cell in range(puzzles.shape[1]):
        row = np.flatnonzero(minimal & (puzzles[:, cell] > 0))
        if len(row):
            trial = puzzles[row]
            trial[:, cell] = 0
            minimal[row] = check(trial)[0] > 1
    return minimal
