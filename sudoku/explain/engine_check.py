"""What the engine says of a puzzle that logic cannot finish."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudoku.grid import Grid

if TYPE_CHECKING:
    from sudoku.explain.easiest import Ladder

UNIQUE, SEVERAL, NONE = "unique", "several solutions", "no solution"


def guess(ladder: Ladder, puzzle: Grid) -> tuple[str, int]:
    """Whether the puzzle has one solution, and if so the option to go on with.

    It puts the right digit into the first of the blank cells with the fewest candidates.
    Returns UNIQUE, SEVERAL or NONE, and the option, -1 if there is nothing to guess.
    """
    from sudoku.solving.batch_search import BatchSearch, as_cells

    search = BatchSearch(puzzle.layout, as_cells(puzzle.values, puzzle.layout.cells), 2)
    with ladder.while_compiling("engine"):
        search.run()
    if search.counts[0] != 1:
        return (SEVERAL if search.counts[0] else NONE), -1
    left = ladder.alive().sum(axis=1)
    cell = int(np.argmin(np.where(left > 1, left, ladder.layout.size + 1)))
    return UNIQUE, cell * ladder.layout.size + int(search.solutions[0, cell]) - 1
