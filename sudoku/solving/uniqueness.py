"""Counts of solutions up to two, with a record of the effort, to generate and grade puzzles."""

from __future__ import annotations

from threading import Event

import numpy as np
from numpy.typing import NDArray

from sudoku.layout import Layout
from sudoku.solving.batch_search import BatchSearch
from sudoku.solving.driver import is_classic, kernel_of

LARGEST_EXACT = 16
"""Largest N of which every count is exact; on larger grids that may take years."""
PATIENCE = 1000
"""Nodes after which the count of a larger puzzle is left UNDECIDED."""

CLASSIC_SPEED = 20
"""The kernel for classic puzzles searches one, or a node, in a twentieth of the others' time."""
SETUP = 64
"""To set up and fill a grid takes as long as N^3 / 64 nodes."""


class Stopped(Exception):
    """A check was stopped by its event."""


class UniquenessCheck:
    """Counts the solutions of puzzles up to two; once `stop` is set, a check raises Stopped.

    `effort` is the work so far in search nodes of `masks`, the same on every machine. 5,000,000
    were measured to take 5 to 25 s on one core, depending on the layout.

    >>> check = UniquenessCheck(Layout(2, 2))
    >>> check(np.zeros((1, 16), np.uint8))[0].tolist()
    [2]
    """

    def __init__(self, layout: Layout, stop: Event | None = None) -> None:
        self.layout, self.stop = layout, stop or Event()
        self.effort = 0.0

    def __call__(
        self, puzzles: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
        """Return counts, first solutions found, and nodes of k puzzles, uint8[k, cells].

        Where a kernel loses patience, the count is UNDECIDED.
        """
        large = self.layout.size > LARGEST_EXACT
        patience = PATIENCE if large else kernel_of(self.layout).PATIENCE
        search = BatchSearch(self.layout, np.ascontiguousarray(puzzles), 2, patience)
        if not search.run(stop=self.stop):
            raise Stopped
        self.add_effort(len(puzzles), int(search.nodes.sum()))
        return search.counts, search.solutions, search.nodes

    def add_effort(self, searches: int, nodes: int) -> None:
        """Add searches with so many nodes together to the effort."""
        spent = nodes + searches * self.layout.size**3 / SETUP
        self.effort += spent / (CLASSIC_SPEED if is_classic(self.layout) else 1)
