"""Layouts as exact cover problems: the engine counts and samples complete grids."""

import numpy as np
import pytest

import dlx
from dlx import solution_set
from sudoku import cover
from sudoku.errors import PuzzleError
from sudoku.kernels import masks
from sudoku.layout import NAMES, Layout
from sudoku.reading.convert import as_grid
from tests import naive


@pytest.mark.parametrize("layout", [Layout(2, 2), Layout(2, 2, True), Layout(2, 3, True)])
def test_solutions_of_the_problem_are_the_grids(layout):
    n = layout.size
    puzzle = np.zeros(layout.cells, dtype=int)
    puzzle[: n // 2] = np.arange(n // 2) + 1
    question = as_grid(puzzle.reshape(n, n), (layout.box_rows, layout.box_columns), layout.diagonal)
    houses = naive.sudoku_houses(layout.box_rows, layout.box_columns, layout.diagonal)
    expected = set(naive.sudoku_solutions(houses, puzzle.tolist()))
    found = dlx.solutions(cover.problem(layout), given=cover.givens(question))
    grids = [tuple(cover.cover_to_values(c, layout).reshape(-1).tolist()) for c in found]
    assert len(grids) == len(expected) and set(grids) == expected


@pytest.mark.parametrize("names", ["latin", *sorted(NAMES.keys() - {"asterisk", "centredot"})])
@pytest.mark.parametrize("size", [4, 6])
def test_the_engine_and_the_kernel_count_the_grids_of_a_layout(size, names):
    layout = Layout.of(size, names)
    total = dlx.count_solutions(cover.problem(layout))
    state = masks.start(masks.tables(layout.houses, layout.pairs))
    masks.begin(state, np.zeros(layout.cells, np.uint8))
    assert masks.find(state, 1 << 40, 1 << 40, np.zeros((0, layout.cells), np.uint8)) == total


def test_the_problem_of_36x36_has_the_right_size():
    problem = cover.problem(Layout(6, 6))
    assert problem.num_options == 36**3 and problem.num_items == 4 * 36**2


@pytest.mark.parametrize(
    ("size", "diagonal", "total"), [(4, False, 288), (4, True, 48), (6, True, 8640)]
)
def test_the_solution_set_of_a_layout_has_all_its_grids(size, diagonal, total):
    layout = Layout.of(size, diagonal=diagonal)
    found = solution_set(cover.problem(layout))
    assert found.count == total
    symbols = np.arange(size) + 1
    for options in found.sample(20, seed=4):
        values = cover.cover_to_values(options, layout).ravel()
        assert all((np.sort(values[house]) == symbols).all() for house in layout.houses)


@pytest.mark.parametrize("names", sorted(NAMES))
def test_solutions_of_nine_by_nine_layouts_keep_every_house(names):
    layout = Layout.of(9, names)
    state = masks.start(masks.tables(layout.houses, layout.pairs))
    masks.begin(state, np.array([1, 2, 3] + [0] * 78, np.uint8))
    grids = np.zeros((3, 81), np.uint8)
    found = masks.find(state, 1 << 30, 3, grids)
    assert found == 3
    for values in grids:
        for cells in [*layout.houses.tolist(), *(house.cells for house in layout.incomplete)]:
            assert len(set(values[list(cells)])) == len(cells)
        options = [cell * 9 + int(values[cell]) - 1 for cell in range(81)]
        assert dlx.count_solutions(cover.problem(layout), given=options) == 1


@pytest.mark.parametrize("kind", [list, np.int64, np.uint8, np.uint64])
@pytest.mark.parametrize("shape", [16, (4, 4)])
def test_candidates_of_the_problem_are_as_those_of_a_grid(kind, shape):
    masks = np.array([1] + [14] * 15).reshape(shape)
    given = masks.tolist() if kind is list else masks.astype(kind)
    assert cover.problem(Layout(2, 2), given).num_options == 46


@pytest.mark.parametrize("masks", [[1] * 15, [[1] * 8] * 2, [16] * 16, [-1] * 16, [1.5] * 16, "x"])
def test_wrong_candidates_of_a_problem_are_refused(masks):
    with pytest.raises(PuzzleError, match=r"^candidates "):
        cover.problem(Layout(2, 2), masks)
