"""Needless givens, against a naive solver."""

import numpy as np
import pytest

import sudoku
from sudoku.errors import PuzzleError
from sudoku.generate import generate
from tests import naive


@pytest.mark.parametrize("box", [(2, 3), (3, 3)])
def test_needless_givens_and_a_minimal_puzzle(box):
    puzzle = generate(1, box=box, minimal=False, seed=8)[0]
    houses = naive.sudoku_houses(*box)

    def without(cell, values):
        return [*values[:cell], 0, *values[cell + 1 :]]

    redundant, minimal = sudoku.reduce(puzzle, box=box)
    givens = np.flatnonzero(puzzle).tolist()
    alone = [c for c in givens if naive.sudoku_count(houses, without(c, puzzle.tolist()), 2) == 1]
    assert redundant == tuple(alone) != ()
    values = minimal.values.reshape(-1).tolist()
    assert all(value in (0, given) for value, given in zip(values, puzzle.tolist(), strict=True))
    assert naive.sudoku_count(houses, values, 2) == 1
    for cell in np.flatnonzero(values).tolist():
        assert naive.sudoku_count(houses, without(cell, values), 2) == 2
    assert sudoku.reduce(minimal) == ((), minimal)


def test_a_seed_leads_to_another_minimal_puzzle():
    grid = sudoku.random_grids(1, seed=1)[0]
    found = {str(sudoku.reduce(grid, seed=seed).minimal) for seed in (None, 1, 2)}
    assert len(found) == 3
    assert sudoku.reduce(grid, seed=1) == sudoku.reduce(grid, seed=1)
    with pytest.raises(sudoku.SudokuError, match=r"^seed is -1; a whole number from 0 on"):
        sudoku.reduce(grid, seed=-1)


@pytest.mark.parametrize(
    ("puzzle", "number"), [("." * 81, "several solutions"), ("11" + "." * 79, "no solution")]
)
def test_only_puzzles_with_one_solution(puzzle, number):
    with pytest.raises(PuzzleError, match=f"the puzzle has {number}; reduce needs a puzzle with"):
        sudoku.reduce(puzzle)
