"""How hard a puzzle is for search: guesses, averaged over equivalent puzzles.

The rating by steps (`sudoku.rate`) measures how hard a puzzle is for a person. This measure
is rougher and some hundred times as fast. A puzzle is turned into 24 equivalents (rows, columns,
bands, stacks and digits exchanged, see `sudoku.random_numbers`), so that the search meets its
cells in many orders; the score is the mean number of guesses that the batch kernel makes for each
until it has found two solutions or proved that there are no two. 0 means that singles and locked
candidates suffice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudoku.errors import SudokuError
from sudoku.grid import Puzzle
from sudoku.kernels.kernel import UNDECIDED
from sudoku.layout import Box, Layout
from sudoku.random_numbers import derive_key, random_maps, random_permutations
from sudoku.reading.convert import as_grid, without_candidates
from sudoku.solving.batch_search import LARGE_PATIENCE, UniquenessCheck
from sudoku.symbols import Names

EQUIVALENTS = 24


class Difficulty(NamedTuple):
    """What `difficulty` finds; also `sudoku.generate.Difficulty`.

    Attributes
    ----------
    score : float
        Mean number of guesses, 0 or more.
    givens : int
        How many cells are not blank.
    solutions : int
        0, 1, or 2 for two or more.

    Examples
    --------
    >>> found = difficulty("1..4 ..2. .... ....")
    >>> found.givens, found.solutions, found.score > 0
    (3, 2, True)
    """

    score: float
    givens: int
    solutions: int


def difficulty(
    puzzle: Puzzle, diagonal: bool | None = None, box: Box = None, *, symbols: Names = None
) -> Difficulty:
    """Return how hard a puzzle is for search, with its number of givens and solutions.

    The same puzzle has the same score on every machine.

    Parameters
    ----------
    puzzle, diagonal, box, symbols
        As for `sudoku.solve`.

    Raises
    ------
    PuzzleError
        It is not a puzzle, or it has candidates (pencil marks).
    LayoutError
        Box or symbols do not fit.
    SudokuError
        `diagonal` is neither true nor false; or N is above 16, or above 12 with houses beside
        boxes, and a search takes more than 1,000 nodes.

    Examples
    --------
    >>> difficulty("1..4 ..2. .1.. 4...")
    Difficulty(score=0.0, givens=5, solutions=1)
    """
    question = without_candidates(as_grid(puzzle, box, diagonal, symbols), "difficulty")
    values = question.values.reshape(1, -1).astype(np.uint8)
    scores, solutions = difficulties(values, question.layout)
    if solutions[0] == UNDECIDED:
        raise SudokuError(
            "the difficulty of this puzzle is not known: a search takes more than "
            f"{LARGE_PATIENCE} nodes"
        )
    return Difficulty(float(scores[0]), question.num_givens, int(solutions[0]))


def difficulties(
    puzzles: NDArray[np.uint8], layout: Layout, check: UniquenessCheck | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Scores and numbers of solutions (up to 2) of many puzzles, uint8[k, cells].

    Where a search of an equivalent puzzle is given up, the score is NaN and the number UNDECIDED.

    >>> difficulties(np.zeros((1, 16), np.uint8), Layout(2, 2))[1].tolist()
    [2]
    """
    check = UniquenessCheck(layout) if check is None else check
    counters = np.arange(EQUIVALENTS, dtype=np.uint64)
    maps = random_maps(layout, derive_key(0, 31), counters)
    digits = random_permutations(layout.size, derive_key(0, 32), counters) + 1
    names = np.pad(digits, ((0, 0), (1, 0))).astype(np.uint8)  # a blank stays a blank
    nodes = np.zeros(len(puzzles), np.int64)
    solutions = np.zeros(len(puzzles), np.int64)
    given_up = np.zeros(len(puzzles), np.bool_)
    for move, name in zip(maps, names, strict=True):
        solutions, _, spent = check(name[puzzles[:, move]])
        nodes += spent
        given_up |= solutions == UNDECIDED
    solutions[given_up] = UNDECIDED
    return np.where(given_up, np.nan, nodes / EQUIVALENTS), solutions
