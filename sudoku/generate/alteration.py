"""Puzzles with several solutions or none, made from such with one; as symmetrical as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sudoku.generate.removal import Pattern, drawn_between, pattern, random_order
from sudoku.grids.random_numbers import Words, key_of

if TYPE_CHECKING:
    from sudoku.generate.candidates import Demand

Cells = NDArray[np.uint8]


class Spoiler:
    """Makes puzzles with one solution into ones with several or none; or leaves them alone.

    Args:
        order: int64[k, groups], in which groups are dug.
        least: int64[k], givens wanted of puzzles that need not be minimal.

    A group is what the symmetry carries into each other. For several solutions one to three givens
    go, and the rest of their groups; of puzzles that need not be minimal, the groups that are
    dug last, until there are as few givens as wanted. For none, a blank cell gets a digit
    that is wrong although no given in its houses forbids it, and the rest of its group the digits
    of the solution; of puzzles that need not be minimal, in the group dug first that has room.
    """

    def __init__(
        self,
        demand: Demand,
        groups: Pattern,
        seed: int,
        counters: Words,
        order: NDArray[np.int64],
        least: NDArray[np.int64],
    ) -> None:
        self.demand, self.groups, self.counters, self.least = demand, groups, counters, least
        self.minimal = demand.minimal != "no"
        key = key_of(seed, 25)
        if demand.solutions == "several":
            self.number = drawn_between(1, 3, key_of(seed, 26), counters)
            self.turn = random_order(groups, key, counters) if self.minimal else order[:, ::-1]
        elif demand.solutions == "none":
            self.turn = random_order(pattern(demand.layout, "none"), key, counters)
            if not self.minimal:
                place = np.argsort(order, axis=1)[:, groups.group_of]
                self.turn = np.argsort(place, axis=1, kind="stable")
        self.size = groups.size[order]

    def unspoilt(self) -> NDArray[np.int64]:
        """int64[k]: givens to dig to, so that there are as many as wanted afterwards."""
        if self.minimal or self.demand.solutions == "one":
            return self.least
        if self.demand.solutions == "none":
            return self.least - self.size[:, 0]
        last_sums = self.size[:, :-4:-1].cumsum(axis=1)
        enough = (last_sums >= self.number[:, None]).argmax(axis=1)
        taken: NDArray[np.int64] = np.take_along_axis(last_sums, enough[:, None], axis=1)[:, 0]
        return self.least + taken

    def spoilt(self, puzzles: Cells, solutions: Cells) -> Cells:
        """What becomes of the puzzles, uint8[k, cells]; zeros if there is no room for a digit."""
        if self.demand.solutions == "one":
            return puzzles
        if self.demand.solutions == "several":
            return self._some_taken(puzzles)
        return self._one_wrong(puzzles, solutions)

    def _some_taken(self, puzzles: Cells) -> Cells:
        in_turn = np.argsort(self.turn, axis=1)[:, self.groups.group_of]
        there = np.zeros(self.turn.shape, np.int64)
        np.put_along_axis(there, in_turn, (puzzles > 0).astype(np.int64), axis=1)
        size = there * self.groups.size[self.turn]
        taken = size.cumsum(axis=1)
        if self.minimal:
            goes = taken - size < self.number[:, None]
        else:
            goes = taken <= ((puzzles > 0).sum(axis=1) - self.least)[:, None]
        return np.where(np.take_along_axis(goes, in_turn, axis=1), np.uint8(0), puzzles)

    def _one_wrong(self, puzzles: Cells, solutions: Cells) -> Cells:
        layout, group_of = self.demand.layout, self.groups.group_of
        one = np.uint64(1)
        used = one << puzzles.astype(np.uint64)
        right = one << solutions.astype(np.uint64)
        # given afterwards: the right digits of other cells of the group; no cell may get its own
        together = group_of[:, None] == group_of
        forbidden = right.copy()
        for house in layout.houses:
            forbidden[:, house] |= np.bitwise_or.reduce(used[:, house], axis=1)[:, None]
            for cell in house:
                mates = house[together[cell, house]]
                forbidden[:, cell] |= np.bitwise_or.reduce(right[:, mates], axis=1)
        digits = np.arange(1, layout.size + 1, dtype=np.uint64)
        every = np.bitwise_or.reduce(one << digits)
        room = (puzzles == 0) & (every & ~forbidden > 0)
        row = np.arange(len(puzzles))
        cell = self.turn[row, np.take_along_axis(room, self.turn, axis=1).argmax(axis=1)]
        free = (forbidden[row, cell, None] >> digits & one) == 0
        which = self.counters.astype(np.int64) % np.maximum(free.sum(axis=1), 1)
        wrong = (free.cumsum(axis=1) > which[:, None]).argmax(axis=1) + 1
        result = np.where(together[cell], solutions, puzzles)
        result[row, cell] = wrong
        result[~room.any(axis=1)] = 0
        return result
