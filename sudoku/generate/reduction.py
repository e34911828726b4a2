"""Redundant givens of a puzzle, and a minimal puzzle made from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudoku.checks import chosen_seed
from sudoku.errors import PuzzleError
from sudoku.generate.pattern import groups_of
from sudoku.generate.removal import remove_givens
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Box
from sudoku.random_numbers import derive_key, random_permutations
from sudoku.reading.convert import as_grid, without_candidates
from sudoku.solving.batch_search import UniquenessCheck, search_of
from sudoku.symbols import Names


class Reduction(NamedTuple):
    """What `reduce` finds.

    Attributes
    ----------
    redundant : tuple of int
        The cells, ``row * N + column`` from 0, whose given alone can be removed.
    minimal : Grid
        A puzzle with some of the givens, every one of them necessary.
    """

    redundant: tuple[int, ...]
    minimal: Grid


def reduce(
    puzzle: Puzzle,
    diagonal: bool | None = None,
    box: Box = None,
    *,
    symbols: Names = None,
    seed: int | None = None,
) -> Reduction:
    """Find the givens that are not needed, and remove givens until every one is.

    Parameters
    ----------
    puzzle, diagonal, box, symbols
        As for `sudoku.solve`; a puzzle with one solution.
    seed : int, optional
        Removes the givens in a random order, which often leads to another minimal puzzle; by
        default row by row.

    Returns
    -------
    Reduction
        On grids larger than 16x16, or than 12x12 with regions or other houses, a given counts as
        necessary if a thousand nodes of search do not prove that it is not.

    Raises
    ------
    PuzzleError
        The puzzle has several solutions or none, or it has candidates.
    SudokuError
        The seed is negative or not a whole number.

    Examples
    --------
    >>> redundant, minimal = reduce("123. ..1. ...3 4...")
    >>> redundant, str(minimal)
    ((0, 2), '.2....1....34...')
    """
    grid = without_candidates(as_grid(puzzle, box, diagonal, symbols), "reduce")
    layout = grid.layout
    search = search_of(grid, 2)
    search.run()
    if search.counts[0] != 1:
        number = "several solutions" if search.counts[0] else "no solution"
        raise PuzzleError(f"the puzzle has {number}; reduce needs a puzzle with exactly one")
    check = UniquenessCheck(layout)
    givens = np.flatnonzero(search.puzzles[0])
    trials = np.repeat(search.puzzles, len(givens), axis=0)
    trials[np.arange(len(givens)), givens] = 0
    redundant = tuple(givens[check(trials)[0] == 1].tolist())
    order = np.arange(layout.cells)[None]
    if seed is not None:
        key = derive_key(chosen_seed(seed))
        order = random_permutations(layout.cells, key, np.zeros(1, np.uint64))
    groups, least = groups_of(layout, "none"), np.zeros(1, np.int64)
    minimal = remove_givens(search.puzzles, search.solutions, groups, order, check, least)
    return Reduction(redundant, Grid.trusted(layout, minimal.tobytes(), grid.symbols))
