"""Change puzzles with one solution into puzzles with several or none, with the same symmetry."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudoku.generate.pattern import Groups
from sudoku.generate.requirements import Requirements
from sudoku.random_numbers import Uint64s, derive_key, random_between, random_permutations
from sudoku.solving.batch_search import Cells

TURN_KEY, NUMBER_KEY = 25, 26
"""Purposes that random keys are derived for."""


class Alteration:
    """Alters puzzles with one solution, if several solutions or none are required.

    For several solutions, one to three givens are removed with the rest of their groups; of
    puzzles that need not be minimal, the groups that come last in the order of removal, until
    there are as few givens as required. For none, a blank cell gets a digit that is wrong although
    no given in its houses forbids it, and the other cells of its group get the digits of the
    solution; in puzzles that need not be minimal, the first group in the order of removal with a
    suitable cell.

    `order` is the order of removal, int64[k, groups]; `least` the number of givens, int64[k], that
    is required of puzzles that need not be minimal.
    """

    def __init__(
        self,
        required: Requirements,
        groups: Groups,
        seed: int,
        counters: Uint64s,
        order: NDArray[np.int64],
        least: NDArray[np.int64],
    ) -> None:
        self.required, self.groups, self.counters, self.least = required, groups, counters, least
        self.minimal = required.minimal != "no"
        key = derive_key(seed, TURN_KEY)
        if required.solutions == "several":
            self.number = random_between(1, 3, derive_key(seed, NUMBER_KEY), counters)
            self.turn = order[:, ::-1]
            if self.minimal:
                self.turn = random_permutations(len(groups.size), key, counters)
        elif required.solutions == "none":
            if self.minimal:
                self.turn = random_permutations(required.layout.cells, key, counters)
            else:
                place = np.argsort(order, axis=1)[:, groups.group_of]
                self.turn = np.argsort(place, axis=1, kind="stable")
        self.size = groups.size[order]

    def givens_before(self) -> NDArray[np.int64]:
        """Return how many givens, int64[k], leave the required number after the alteration."""
        if self.minimal or self.required.solutions == "one":
            return self.least
        if self.required.solutions == "none":
            return self.least - self.size[:, 0]
        last_sums = self.size[:, :-4:-1].cumsum(axis=1)
        index = (last_sums >= self.number[:, None]).argmax(axis=1)
        removed: NDArray[np.int64] = np.take_along_axis(last_sums, index[:, None], axis=1)[:, 0]
        return self.least + removed

    def apply(self, puzzles: Cells, solutions: Cells) -> Cells:
        """Return the altered puzzles, uint8[k, cells]; zeros where no digit can be added."""
        if self.required.solutions == "one":
            return puzzles
        if self.required.solutions == "several":
            return self._with_some_removed(puzzles)
        return self._with_one_wrong(puzzles, solutions)

    def _with_some_removed(self, puzzles: Cells) -> Cells:
        in_turn = np.argsort(self.turn, axis=1)[:, self.groups.group_of]
        given = np.zeros(self.turn.shape, np.int64)
        np.put_along_axis(given, in_turn, (puzzles > 0).astype(np.int64), axis=1)
        size = given * self.groups.size[self.turn]
        removed = size.cumsum(axis=1)
        if self.minimal:
            goes = removed - size < self.number[:, None]
        else:
            goes = removed <= ((puzzles > 0).sum(axis=1) - self.least)[:, None]
        return np.where(np.take_along_axis(goes, in_turn, axis=1), np.uint8(0), puzzles)

    def _with_one_wrong(self, puzzles: Cells, solutions: Cells) -> Cells:
        layout, group_of = self.required.layout, self.groups.group_of
        one = np.uint64(1)
        used = one << puzzles.astype(np.uint64)
        correct = one << solutions.astype(np.uint64)
        # the other cells of the group get the digits of the solution; no cell may get its own digit
        same_group = group_of[:, None] == group_of
        forbidden = correct.copy()
        for house in (np.array(cells) for _, cells in layout.all_houses):
            forbidden[:, house] |= np.bitwise_or.reduce(used[:, house], axis=1)[:, None]
            for cell in house:
                mates = house[same_group[cell, house]]
                forbidden[:, cell] |= np.bitwise_or.reduce(correct[:, mates], axis=1)
        digits = np.arange(1, layout.size + 1, dtype=np.uint64)
        all_digits = np.bitwise_or.reduce(one << digits)
        room = (puzzles == 0) & (all_digits & ~forbidden > 0)
        row = np.arange(len(puzzles))
        cell = self.turn[row, np.take_along_axis(room, self.turn, axis=1).argmax(axis=1)]
        free = (forbidden[row, cell, None] >> digits & one) == 0
        choice = self.counters.astype(np.int64) % np.maximum(free.sum(axis=1), 1)
        wrong = (free.cumsum(axis=1) > choice[:, None]).argmax(axis=1) + 1
        result = np.where(same_group[cell], solutions, puzzles)
        result[row, cell] = wrong
        result[~room.any(axis=1)] = 0
        return result
