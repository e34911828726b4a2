"""Layouts, symbols, grids, and their exact cover problem."""

import subprocess
import sys

import numpy as np
import pytest

import dlx
from sudoku import cover
from sudoku.errors import LayoutError, PuzzleError, SudokuError
from sudoku.grid import Grid
from sudoku.layout import Layout, default_box
from sudoku.reading.convert import as_grid
from sudoku.symbols import Symbols
from tests import naive


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("box", [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5), (3, 4)])
def test_houses_are_those_that_the_rules_name(box, diagonal):
    layout = Layout(*box, diagonal)
    expected = naive.sudoku_houses(*box, diagonal)
    assert sorted(map(sorted, layout.houses.tolist())) == sorted(map(sorted, expected))
    assert len(layout.house_names) == len(layout.houses)
    assert not layout.houses.flags.writeable


def test_house_names_belong_to_their_cells():
    layout = Layout(2, 3, True)
    named = dict(zip(layout.house_names, layout.houses.tolist(), strict=True))
    assert named["row 2"] == [6, 7, 8, 9, 10, 11]
    assert named["column 6"] == [5, 11, 17, 23, 29, 35]
    assert named["box 4"] == [15, 16, 17, 21, 22, 23]
    assert named["diagonal"] == [0, 7, 14, 21, 28, 35]
    assert named["antidiagonal"] == [5, 10, 15, 20, 25, 30]


def test_default_boxes():
    boxes = {4: (2, 2), 6: (2, 3), 8: (2, 4), 9: (3, 3), 10: (2, 5), 12: (3, 4), 15: (3, 5)}
    boxes |= {16: (4, 4), 18: (3, 6), 20: (4, 5), 25: (5, 5), 36: (6, 6)}
    assert {size: default_box(size) for size in boxes} == boxes


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 7, 11, 13, 23, 31, 65, 100])
def test_sizes_without_boxes_are_refused(size):
    with pytest.raises(LayoutError, match=f"{size}x{size}"):
        default_box(size)


@pytest.mark.parametrize(
    ("box", "message"),
    [
        ("2x3", "makes a 6x6 grid, not 9x9"),
        ("3", "written RxC"),
        ("axb", "written RxC"),
        ("1x9", "at least 2"),
        ("9x9", "at most 64"),
        ((2, 4), "not 9x9"),
        ((3,), r"box \(3,\): a box is 'RxC' or two integers"),
        (3, "box 3: a box is 'RxC' or two integers"),
        ((3, 3, 3), "two integers"),
        ((3.0, 3), "two integers"),
        ((None, 3), "two integers"),
    ],
)
def test_boxes_that_do_not_fit_are_refused(box, message):
    with pytest.raises(LayoutError, match=message):
        Layout.of(9, box)


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        ("0123", "123456789"),
        (".12A", None),
        ("ABI.", "ABCDEFGHI"),
    ],
)
def test_symbols_of_nine(cells, names):
    if names is None:
        with pytest.raises(LayoutError, match="unknown symbol 'A'"):
            Symbols.guess(9, cells)
    else:
        assert "".join(Symbols.guess(9, cells).names) == names


@pytest.mark.parametrize(
    ("size", "cells", "names"),
    [
        (16, "0F9", "123456789ABCDEFG"),
        (16, "0F.", "0123456789ABCDEF"),
        (16, ".F9", "123456789ABCDEFG"),
        (16, "0G.1", "123456789ABCDEFG"),
        (16, "0.af", "0123456789abcdef"),
        (16, ".PA", "ABCDEFGHIJKLMNOP"),
        (25, ".YA", "ABCDEFGHIJKLMNOPQRSTUVWXY"),
        (25, "0YA", "ABCDEFGHIJKLMNOPQRSTUVWXY"),
        (25, "1P.", "123456789ABCDEFGHIJKLMNOP"),
        (36, ".0Z", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        (4, "-_*2", "1234"),
    ],
)
def test_customary_symbols(size, cells, names):
    assert "".join(Symbols.guess(size, cells).names) == names


def test_numbers_are_symbols():
    symbols = Symbols.guess(25, ["0", "07", "25"])
    assert symbols.digit["07"] == symbols.digit["7"] == 7
    assert symbols.text([0, 25]) == "0 25"
    with pytest.raises(LayoutError, match="number above N: '26'"):
        Symbols.guess(25, ["0", "26"])


@pytest.mark.parametrize(
    "names", ["1223", "a,b,a,c", "0._*-1", ["a\x07", *"bcd"], "a\x9fcd", "\udce9bcd", "a\ufffecd"]
)
def test_symbols_that_cannot_be_told_apart_are_refused(names):
    with pytest.raises(LayoutError):
        Symbols.parse(names)


def test_a_blank_is_never_a_symbol():
    symbols = Symbols.parse("0.23")
    assert symbols.digit["0"] == 1 and symbols.digit["."] == 2 and symbols.digit["_"] == 0


def test_a_grid_takes_what_a_puzzle_may_be():
    rows = [[1, 0, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]]
    one = as_grid(rows)
    assert one == as_grid(np.array(rows, dtype=np.uint8)) == as_grid(np.array(rows).reshape(-1))
    assert one == as_grid("1.....2..3.....4") == as_grid("1000\n0020\n0300\n0004") == as_grid(one)
    assert len({one, as_grid(rows)}) == 1
    assert one.tolist() == rows and one[1, 2] == 2 and one.num_givens == 4
    assert np.asarray(one).shape == (4, 4) and not one.is_complete
    assert one.values.dtype == np.int16 and not one.values.flags.writeable
    assert as_grid(one, diagonal=True).layout.diagonal
    assert one != as_grid(one, diagonal=True)
    assert str(as_grid(one, symbols="abcd")) == "a.....b..c.....d"


def test_none_is_a_blank():
    rows = [[1, None, None, None], [None, 0, 2, None], [None, 3, None, None], [None] * 3 + [4]]
    one = as_grid("1.....2..3.....4")
    assert as_grid(rows) == as_grid(np.array(rows)) == as_grid(np.array(rows).reshape(-1)) == one
    assert as_grid(np.array(one.tolist(), dtype=object)) == Grid(Layout(2, 2), rows) == one
    letters = [[None if cell in (0, None) else "abcd"[cell - 1] for cell in row] for row in rows]
    assert str(as_grid(letters, symbols="abcd")) == "a.....b..c.....d"


@pytest.mark.parametrize(
    ("puzzle", "message"),
    [
        ([[1, 2], [2]], "different lengths"),
        ([[1.5] * 4] * 4, "holds integers"),
        (np.zeros((4, 5), dtype=int), "shape"),
        (np.full((4, 4), 5), "value 5 in r1c1"),
        (np.full((4, 4), -1), "value -1 in r1c1"),
        ([[None] * 4, [None, None, 2.5, None], *[[None] * 4] * 2], "value 2.5 in r2c3: a digit"),
        (np.array([0] * 15 + [object], dtype=object), "value <class 'object'> in r4c4"),
        ([[None] * 4] * 3 + [[5, 1, 1, 1]], "value 5 in r4c1: a digit is 1 to 4"),
        ([[None] * 4] * 3 + [[1, True, 1, 1]], "value True in r4c2"),
        ([[10**30, 0, 0, 0]] * 4, "value 1000000000000000000000000000000 in r1c1"),
        ([["x", None, None, None]] * 4, "1:1: unknown symbol 'x'"),
        ("1234", "4 cells"),
        ("", "no puzzle"),
        ("." * 16 + "\n" + "." * 16, "2 puzzles"),
    ],
)
def test_what_is_no_grid_is_refused(puzzle, message):
    with pytest.raises(PuzzleError, match=message):
        as_grid(puzzle)


def test_a_grid_has_formats():
    g = Grid(Layout(2, 3), np.arange(36) % 7)
    assert format(g, "grid").splitlines()[0] == ".12345"
    assert format(g, "pretty").splitlines()[2] == "------+------"
    with pytest.raises(SudokuError, match="unknown format"):
        format(g, "html")


@pytest.mark.parametrize("layout", [Layout(2, 2), Layout(2, 2, True), Layout(2, 3, True)])
def test_covers_of_the_problem_are_the_grids(layout):
    n = layout.size
    puzzle = np.zeros(layout.cells, dtype=int)
    puzzle[: n // 2] = np.arange(n // 2) + 1
    question = as_grid(puzzle.reshape(n, n), (layout.box_rows, layout.box_columns), layout.diagonal)
    houses = naive.sudoku_houses(layout.box_rows, layout.box_columns, layout.diagonal)
    expected = set(naive.sudoku_solutions(houses, puzzle.tolist()))
    found = dlx.solutions(cover.problem(layout), given=cover.givens(question))
    grids = [tuple(cover.cover_to_values(c, layout).reshape(-1).tolist()) for c in found]
    assert len(grids) == len(expected) and set(grids) == expected


def test_a_large_layout_translates():
    problem = cover.problem(Layout(6, 6))
    assert problem.num_options == 36**3 and problem.num_items == 4 * 36**2


def test_packages_are_attributes():
    code = "import sudoku; sudoku.grids.grid_at, sudoku.generate.generate, sudoku.explain"
    subprocess.run([sys.executable, "-c", code], check=True)
