"""Wrong answers of former versions, each with what is right."""

import numpy as np
import pytest

import dlx
import sudoku
from sudoku.explain.difficulty import difficulties
from sudoku.generate import generate as generate_puzzles
from sudoku.generate.__main__ import main as generate
from sudoku.grid import Grid
from sudoku.kernels.kernel import UNDECIDED
from sudoku.layout import Layout
from tests.faults.commands import DATA


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


@pytest.mark.parametrize("value", [np.array([True, False]), [True], "no", np.nan, 2])
def test_flags_that_are_no_bools_are_refused(value):
    cells = np.zeros((1, 16), np.uint8)
    for ask in (
        lambda: sudoku.solve("." * 16, diagonal=value),
        lambda: sudoku.solve(Grid(Layout(2, 2), [0] * 16), diagonal=value),
        lambda: sudoku.count_solutions(cells.reshape(4, 4), diagonal=value),
        lambda: sudoku.count_batch(cells, diagonal=value),
        lambda: sudoku.random_grids(1, box="2x2", diagonal=value),
        lambda: list(sudoku.read(str(DATA / "empty6.txt"), diagonal=value)),
        lambda: Layout.of(4, diagonal=value),
    ):
        with pytest.raises(sudoku.SudokuError, match=r"diagonal is .*; True or False is needed"):
            ask()
    assert sudoku.count_solutions("." * 16, diagonal=np.True_) == 48


@pytest.mark.parametrize("value", ["x", [], -1, np.nan, np.array([1, 2])])
def test_wrong_time_limits_are_refused(value):
    with pytest.raises(sudoku.SudokuError, match=r"time_limit is .* it must be seconds from 0 on"):
        sudoku.solutions("." * 16, time_limit=value)


def test_half_a_surrogate_pair_is_refused():
    for text in ("\ud800", "1..4..2..1..4..\udfff"):
        with pytest.raises(sudoku.FormatError, match="half a surrogate pair"):
            sudoku.solve(text)


@pytest.mark.parametrize("number", [0.5, None, "1", np.array([1, 2])])
def test_wrong_option_numbers_are_refused(number):
    problem = dlx.Problem([["a"], ["b"]])
    with pytest.raises(dlx.ProblemError, match=r"an option is .*; it must be a whole number"):
        problem.option(number)
    assert problem.option(np.int8(1)) == ("b",)


def test_numpy_integers_do_not_overflow():
    grids = sudoku.random_grids(2, 1, first=np.int8(9))
    assert (grids[:, 0] == 9).all()
    assert (sudoku.distinct_grids(2, 1, first=np.uint8(9))[:, 0] == 9).all()
    assert np.array_equal(grids, sudoku.random_grids(np.int8(2), np.int16(1), first=9))
    with pytest.raises(sudoku.LayoutError, match="at most 64 cells"):
        Layout(np.int8(16), np.int8(16))  # 0 in 8 bits
    assert Layout(np.int8(2), np.int64(3)) == Layout(2, 3)


@pytest.mark.parametrize("value", [np.array([1, 2]), "x", 2.5])
def test_sides_that_are_no_numbers_are_refused(value):
    with pytest.raises(sudoku.SudokuError, match="whole number"):
        Layout(value, 2)
    with pytest.raises(sudoku.SudokuError, match="whole number"):
        Layout.of(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("uniqueness", np.array([1, 2])),
        ("hardest", np.array([1, 2])),
        ("techniques", []),
        ("techniques", "pointing"),
        ("techniques", [1]),
    ],
)
def test_wrong_techniques_are_refused(name, value):
    with pytest.raises(sudoku.SudokuError):
        sudoku.rate("1234341221434.2.", **{name: value})


@pytest.mark.parametrize("seconds", [float("inf"), 2**63, 1e300])
def test_a_time_limit_beyond_any_clock_is_no_limit(seconds):
    faults = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("threading.excepthook", faults.append)
        assert len(generate_puzzles(1, seed=1, box="2x2", time_limit=seconds)) == 1
    assert not faults


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
