"""Change puzzles with one solution into puzzles with several or none, with the same symmetry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudoku.generate.addition import padded_peers
from sudoku.generate.pattern import Groups
from sudoku.generate.requirements import Requirements
from sudoku.random_numbers import Uint64s, derive_key, random_between, random_permutations
from sudoku.solving.batch_search import Cells

TURN_KEY, NUMBER_KEY = 25, 26
"""Purposes that random keys are derived for."""


@dataclass
class Alteration:
    """Alters puzzles with one solution, if several solutions or none are required.

    For several solutions, one to three givens are removed with the rest of their groups; of
    puzzles that need not be minimal, the groups that come last in the order of removal, until
    there are as few givens as required. For none, a blank cell gets a digit that is wrong although
    no given in its houses forbids it, and the other cells of its group get the digits of the
    solution; in puzzles that need not be minimal, the first group in the order of removal with a
    suitable cell.
    """

    required: Requirements
    groups: Groups
    seed: int
    counters: Uint64s
    order: NDArray[np.int64]  # [k, groups]: the order of removal
    least: NDArray[np.int64]  # [k]: givens required of puzzles that need not be minimal

    def givens_before(self) -> NDArray[np.int64]:
        """Return how many givens, int64[k], leave the required number after the alteration."""
        required, size = self.required, self.groups.size[self.order]
        if required.minimal != "no" or required.solutions == "one":
            return self.least
        if required.solutions == "none":
            return self.least - size[:, 0]
        last_sums = size[:, :-4:-1].cumsum(axis=1)
        index = (last_sums >= self._number()[:, None]).argmax(axis=1)
        removed: NDArray[np.int64] = np.take_along_axis(last_sums, index[:, None], axis=1)[:, 0]
        return self.least + removed

    def _number(self) -> NDArray[np.int64]:
        return random_between(1, 3, derive_key(self.seed, NUMBER_KEY), self.counters)

    def _random_turn(self, size: int) -> NDArray[np.int64]:
        return random_permutations(size, derive_key(self.seed, TURN_KEY), self.counters)

    def apply(self, puzzles: Cells, solutions: Cells) -> Cells:
        """Return the altered puzzles, uint8[k, cells]; zeros where no digit can be added."""
        if self.required.solutions == "one":
            return puzzles
        if self.required.solutions == "several":
            return self._with_some_removed(puzzles)
        return self._with_one_wrong(puzzles, solutions)

    def _with_some_removed(self, puzzles: Cells) -> Cells:
        groups, is_minimal = self.groups, self.required.minimal != "no"
        turn = self._random_turn(len(groups.size)) if is_minimal else self.order[:, ::-1]
        in_turn = np.argsort(turn, axis=1)[:, groups.group_of]
        given = np.zeros(turn.shape, np.int64)
        np.put_along_axis(given, in_turn, (puzzles > 0).astype(np.int64), axis=1)
        size = given * groups.size[turn]
        removed = size.cumsum(axis=1)
        if is_minimal:
            goes = removed - size < self._number()[:, None]
        else:
            goes = removed <= ((puzzles > 0).sum(axis=1) - self.least)[:, None]
        return np.where(np.take_along_axis(goes, in_turn, axis=1), np.uint8(0), puzzles)

    def _with_one_wrong(self, puzzles: Cells, solutions: Cells) -> Cells:
        layout, group_of = self.required.layout, self.groups.group_of
        one, peer = np.uint64(1), padded_peers(layout)
        # the other cells of the group get the digits of the solution; no cell may get its own digit
        is_mate = group_of[peer] == group_of[:, None]
        seen = np.where(is_mate, solutions[:, peer], puzzles[:, peer]).astype(np.uint64)
        forbidden = np.bitwise_or.reduce(one << seen, axis=2)
        digits = np.arange(1, layout.size + 1, dtype=np.uint64)
        all_digits = np.bitwise_or.reduce(one << digits)
        room = (puzzles == 0) & (all_digits & ~forbidden > 0)
        row = np.arange(len(puzzles))
        if self.required.minimal == "no":
            place = np.argsort(self.order, axis=1)[:, group_of]
        else:
            place = np.argsort(self._random_turn(layout.cells), axis=1)
        cell = np.where(room, place, layout.cells).argmin(axis=1)
        free = (forbidden[row, cell, None] >> digits & one) == 0
        choice = self.counters.astype(np.int64) % np.maximum(free.sum(axis=1), 1)
        wrong = (free.cumsum(axis=1) > choice[:, None]).argmax(axis=1) + 1
        result = np.where(group_of[cell, None] == group_of, solutions, puzzles)
        result[row, cell] = wrong
        result[~room.any(axis=1)] = 0
        return result
