"""Wrong answers of former versions, each with what is right."""

import numpy as np
import pytest

import sudoku
from sudoku.explain.difficulty import difficulties
from sudoku.generate.__main__ import main as generate
from sudoku.grid import Grid
from sudoku.kernels.kernel import UNDECIDED
from sudoku.layout import Layout


def test_diagonals_of_a_grid_can_be_switched_off():
    grid = Grid(Layout(2, 2, True), [0] * 16)
    assert sudoku.count_solutions(grid) == sudoku.count_solutions(grid, diagonal=True) == 48
    assert sudoku.count_solutions(grid, diagonal=False) == 288
    plain = Grid(Layout(2, 2), [0] * 16)
    assert sudoku.count_solutions(plain) == sudoku.count_solutions(plain, diagonal=False) == 288
    assert sudoku.count_solutions(plain, diagonal=True) == 48
    several = Grid(Layout(2, 2, True), [1, 2, 3, 4, *[0] * 12])
    assert len(list(sudoku.solutions(several, diagonal=False))) == 12
    assert len(list(sudoku.solutions(several))) == 2


def hard_puzzle():
    """Return a 25x25 puzzle of which a search takes more than 1,000 nodes."""
    grid = np.asarray(sudoku.random_grids(1, 2, box=(5, 5))).reshape(1, -1).astype(np.uint8)
    draw = np.random.Generator(np.random.PCG64(1))
    grid[0, draw.permutation(625)[:395]] = 0
    return grid


def test_a_difficulty_that_is_not_known_is_not_given():
    puzzle = hard_puzzle()
    scores, solutions = difficulties(puzzle, Layout(5, 5))
    assert np.isnan(scores[0]) and solutions[0] == UNDECIDED
    with pytest.raises(sudoku.SudokuError, match="not known: a search takes more than 1000 nodes"):
        sudoku.difficulty(puzzle[0])


@pytest.mark.parametrize("given", ["24-", "-24", "-", "", "x", "2-x"])
def test_ranges_without_an_end_are_refused(given, capsys):
    with pytest.raises(SystemExit) as end:
        generate(["1", f"--givens={given}"])
    assert end.value.code == 2 and capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("given", ["1.5-", "nan", "-1", "inf", "1-nan", "x"])
def test_ranges_of_scores_that_make_no_sense_are_refused(given, capsys):
    with pytest.raises(SystemExit) as end:
        generate(["1", f"--rating={given}"])
    assert end.value.code == 2 and capsys.readouterr().err.count("\n") == 1


def test_modules_are_attributes_of_the_package():
    assert sudoku.grids and sudoku.generate and sudoku.explain
