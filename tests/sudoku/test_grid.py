"""Grids as text."""

import copy
import pickle

import numpy as np
import pytest

import sudoku
from sudoku.errors import LayoutError, SudokuError
from sudoku.grid import Grid
from sudoku.layout import Layout
from sudoku.reading.convert import as_grid
from sudoku.symbols import Symbols
from sudoku.writing.texts import FORMS


def test_a_grid_is_written_in_each_format():
    g = Grid(Layout(2, 3), np.arange(36) % 7)
    assert format(g, "grid").splitlines()[0] == ".12345"
    assert format(g, "pretty").splitlines()[2] == "------+------"
    for grid in (g, Grid(Layout(2, 2), [0] * 16, candidates=[7] * 16)):
        with pytest.raises(SudokuError, match="unknown format 'html'"):
            format(grid, "html")


@pytest.mark.parametrize("form", FORMS)
def test_a_blank_of_several_characters_is_set_apart(form):
    symbols = Symbols(tuple("1234"), "??")
    grid = Grid(Layout(2, 2), [1, 0, 4, 0] + [0] * 12, symbols)
    assert as_grid(format(grid, form), symbols=symbols) == grid


def test_candidates_whose_symbols_have_several_characters_have_a_text():
    """`str` and `repr` raised an error, as the form "line" does, which keeps the candidates."""
    large = Grid(Layout(7, 7), [1] + [0] * 2400, candidates=[1] * 2401)
    assert str(large) == f"{large}" == "1 " + "0 " * 2400 + "with candidates"
    assert repr(large).startswith("Grid(Layout(7x7), '1 0 0")
    named = Grid(Layout(2, 2), [2] + [0] * 15, "one two three four", [2] + [9] * 15)
    assert str(named) == "two " + ". " * 15 + "with candidates"
    assert repr(sudoku.solve_steps(named)).startswith(f"<Steps of {named}: ")
    for grid in (large, named):
        with pytest.raises(SudokuError, match="candidates are written with symbols of one charact"):
            format(grid, "line")


@pytest.mark.parametrize("wrong", [5, 3.5, object()])
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("symbols", lambda wrong: Grid(Layout(2, 2), [0] * 16, symbols=wrong)),
        ("symbols", lambda wrong: sudoku.read(__file__, symbols=wrong)),
        ("symbols", sudoku.Symbols),
        ("layout", lambda wrong: Grid(wrong, [0] * 16)),
        ("layout", sudoku.problem),
        ("extra", lambda wrong: Layout(2, 2, extra=wrong)),
        ("file", sudoku.read),
        ("diagonal", lambda wrong: sudoku.read(diagonal=wrong)),
        ("marks", lambda wrong: sudoku.svg("." * 16, marks=wrong)),
        ("uniqueness", lambda wrong: sudoku.rate("." * 16, uniqueness=wrong)),
        ("true", lambda wrong: sudoku.candidates("." * 16, true=wrong)),
    ],
)
def test_a_wrong_argument_is_named_in_one_line(name, function, wrong):
    with pytest.raises(SudokuError, match=rf"^{name} .*(needed|must be)"):
        function(wrong)


@pytest.mark.parametrize("puzzle", [Grid(Layout(2, 2), [0] * 16), [0] * 16])
def test_a_wrong_number_of_symbols_is_a_fault_of_the_layout(puzzle):
    with pytest.raises(LayoutError, match="5 symbols for a 4x4 grid, which needs 4"):
        sudoku.as_grid(puzzle, symbols="abcde")
    with pytest.raises(LayoutError, match="1 symbol for a 4x4 grid, which needs 4"):
        Grid(Layout(2, 2), [0] * 16, symbols="a")


def test_symbols_may_be_a_text_everywhere(tmp_path):
    path = tmp_path / "puzzle.txt"
    path.write_text("a..d..b..a..d...")
    [puzzle] = sudoku.read(path, symbols="abcd")
    assert puzzle == Grid(Layout(2, 2), puzzle.values, symbols=["a", "b", "c", "d"])
    assert puzzle.symbols == sudoku.Symbols(tuple("abcd")) == sudoku.Symbols("abcd")


def test_pickled_and_copied_grids_are_read_only():
    plain = Grid(Layout(2, 2), [1, *[0] * 15])
    marked = Grid(Layout(2, 2), [1, *[0] * 15], candidates=[15] * 16)
    for grid in (plain, marked):
        for other in (pickle.loads(pickle.dumps(grid)), copy.deepcopy(grid), copy.copy(grid)):
            assert other == grid and {other: 1}[grid] == 1
            arrays = [a for a in (other.values, other.candidates) if a is not None]
            assert not any(array.flags.writeable for array in arrays)


def test_arrays_of_a_grid_follow_the_protocol():
    grid = sudoku.as_grid("1234 3412 2143 4321")
    assert grid.__array__(copy=False) is grid.values
    assert np.asarray(grid).flags.writeable
    assert np.asarray(grid, dtype=float).dtype == float
    with pytest.raises(ValueError, match="the values as float64 are a copy"):
        grid.__array__(dtype=float, copy=False)
