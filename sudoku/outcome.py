"""What the engine says of a puzzle that logic cannot finish."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudoku.grid import Grid

if TYPE_CHECKING:
    from sudoku.ladder import Ladder

UNIQUE, SEVERAL, NONE = "unique", "several solutions", "no solution"


def guess(ladder: Ladder, puzzle: Grid) -> tuple[str, int]:
    """Whether the puzzle has one solution, and if so the option to go on with.

    It puts the right digit into the first of the blank cells with the fewest candidates.
    Returns UNIQUE, SEVERAL or NONE, and the option, -1 if there is nothing to guess.
    """
    from sudoku.solver import solutions

    with ladder.while_compiling("engine"):
        found = list(solutions(puzzle, 2))
    if len(found) != 1:
        return (SEVERAL if found else NONE), -1
    [solution] = found
    left = ladder.alive().sum(axis=1)
    cell = int(np.argmin(np.where(left > 1, left, ladder.layout.size + 1)))
    return UNIQUE, cell * ladder.layout.size + int(solution.values.reshape(-1)[cell]) - 1
