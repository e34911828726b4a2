"""Canonical forms: the least of all images, found by trying them all, and one for all images."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
import sudoku
from sudoku import cover
from sudoku import dlx as command
from sudoku.kernels import canonical as kernel
from sudoku.layout import Layout
from sudoku.solving.equivalence import Symmetry
from tests.modes import examples, long
from tests.modes import kernel as compiled
from tests.sudoku.commands import FakeClock

pytestmark = compiled


def orders(thick, bands):
    """All orders of lines that permute the bands and the lines of each."""
    inside = list(permutations(range(thick)))
    for band, lines in product(permutations(range(bands)), product(inside, repeat=bands)):
        yield [b * thick + line for b, within in zip(band, lines, strict=True) for line in within]


def least(values, layout):
    """The least image of a puzzle: digits are named in the order in which they come."""
    rows, columns = layout.box_rows, layout.box_columns
    square = rows == columns or not layout.has_boxes
    best = None
    for grid in (values, values.T) if square else (values,):
        for order, other in product(orders(rows, columns), list(orders(columns, rows))):
            names = {0: 0}
            image = grid[np.ix_(order, other)].reshape(-1).tolist()
            image = [names.setdefault(digit, len(names)) for digit in image]
            best = image if best is None else min(best, image)
    return best


@st.composite
def puzzles(draw, layouts):
    """A layout and digits, none of them twice in a row or a column."""
    layout = draw(st.sampled_from(layouts))
    random = draw(st.randoms(use_true_random=False))
    n = layout.size
    values = np.zeros((n, n), np.uint8)
    for cell in random.sample(range(n * n), random.randint(0, n * n)):
        row, column = divmod(cell, n)
        left = set(range(1, n + 1)) - {*values[row].tolist(), *values[:, column].tolist()}
        if left:
            values[row, column] = random.choice(sorted(left))
    return layout, values


def form_of(layout, values):
    square = layout.box_rows == layout.box_columns or not layout.has_boxes
    sides = layout.box_rows, layout.box_columns
    form, numbers = (
        np.zeros((1, values.size), np.uint8),
        np.zeros((1, 1 + 3 * len(values)), np.uint8),
    )
    puzzle = values.reshape(1, -1)
    assert kernel.canonical(puzzle, *sides, square, form, numbers, 0, 1) == -1
    return form[0].tolist(), numbers[0].tolist()


@settings(deadline=None, max_examples=examples(60))
@given(puzzles([Layout(2, 2), Layout(1, 3), Layout(1, 4), Layout(1, 2), Layout(1, 1)]))
def test_the_form_is_the_least_image(case):
    layout, values = case
    assert form_of(layout, values)[0] == least(values, layout)


@settings(deadline=None, max_examples=examples(5))
@given(puzzles([Layout(2, 3), Layout(3, 2)]))
def test_the_form_is_the_least_image_where_boxes_are_no_squares(case):
    layout, values = case
    assert form_of(layout, values)[0] == least(values, layout)


def image(values, layout, random):
    """A random equivalent puzzle."""

    def lines(thick, bands):
        order = random.sample(range(bands), bands)
        return [b * thick + line for b in order for line in random.sample(range(thick), thick)]

    rows, columns, n = layout.box_rows, layout.box_columns, layout.size
    names = np.array([0, *random.sample(range(1, n + 1), n)], np.uint8)
    turned = values.T if rows == columns and random.random() < 0.5 else values
    return names[turned[np.ix_(lines(rows, columns), lines(columns, rows))]]


@settings(deadline=None, max_examples=examples(40))
@given(puzzles([Layout(3, 3), Layout(2, 3), Layout(3, 4)]), st.randoms(use_true_random=False))
def test_all_images_have_one_form(case, random):
    layout, values = case
    form, (transposed, *numbers) = form_of(layout, values)
    n = layout.size
    assert form_of(layout, image(values, layout, random))[0] == form
    rows, columns, digits = numbers[:n], numbers[n : 2 * n], numbers[2 * n :]
    symmetry = Symmetry(bool(transposed), rows, columns, digits)
    assert symmetry(values).reshape(-1).tolist() == form
    assert sorted(digits) == [*range(1, n + 1)]


@pytest.mark.parametrize(
    "values", ["1..4..2..1..4...", [1, 2, 3, 4], [[0] * 9] * 9, [[0.5] * 4] * 4, [[-1] * 4] * 4]
)
def test_a_symmetry_maps_grids_of_its_size(values):
    symmetry = sudoku.canonical("1..4 ..2. .1.. 4...").symmetry
    with pytest.raises(sudoku.PuzzleError, match="4 rows of 4 numbers from 0 to 4 are needed"):
        symmetry(values)
    with pytest.raises(sudoku.PuzzleError, match="rows of different lengths"):
        symmetry([[0] * 4] * 3 + [[0]])


def test_exchanging_two_rows_of_different_bands_is_no_symmetry():
    puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    values = np.array([0 if c == "." else int(c) for c in puzzle], np.uint8).reshape(9, 9)
    other = values[[0, 1, 3, 2, 4, 5, 6, 7, 8]]
    assert form_of(Layout(3, 3), values)[0] != form_of(Layout(3, 3), other)[0]


@long
def test_grids_of_four_by_four_are_of_two_classes():
    layout = Layout(2, 2)
    solutions = dlx.solutions(cover.problem(layout))
    grids = [cover.cover_to_values(options, layout) for options in solutions]
    assert len(grids) == 288
    forms = sudoku.canonical_batch(np.array(grids)).reshape(288, -1)
    assert set(map(tuple, forms.tolist())) == {
        (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1),
        (1, 2, 3, 4, 3, 4, 1, 2, 2, 3, 4, 1, 4, 1, 2, 3),
    }


def test_the_command_leaves_out_equivalent_puzzles(tmp_path, capfdbinary):
    path = tmp_path / "puzzles.txt"
    puzzles = ["1..4..2..1..4...", "1...............", "...3............", "4..1..2..4..1..."]
    path.write_text("\n".join(puzzles) + "\n")
    assert command.main([str(path), "--distinct"]) == 0
    out, err = capfdbinary.readouterr()
    assert out.decode().split() == puzzles[:2]
    assert err.decode().startswith("puzzles 4, distinct 2, time")
    path.write_text("11" + "." * 14 + "\n")
    assert command.main([str(path), "--distinct", "--quiet"]) == 2
    out, err = capfdbinary.readouterr()
    assert (out, err.decode()) == (b"", f"{path}:1: 1 twice in row 1 (r1c1, r1c2)\n")
    path.write_text("1....1..........\n11..............\n")  # a box does not matter
    assert command.main([str(path), "--distinct", "--quiet"]) == 2
    assert capfdbinary.readouterr().err.decode().startswith(f"{path}:2: 1 twice in row 1")
    grids = sudoku.random_grids(2, seed=1, box=(4, 4))
    text = sudoku.Symbols.default(16).text
    path.write_text("." * 256 + "\n" + text(grids[0]) + "\n")
    assert command.main([str(path), "--distinct", "--quiet"]) == 2
    reported = f"{path}:2: more than 4194304 arrangements of its first rows agree\n"
    assert capfdbinary.readouterr().err.decode() == reported
    with pytest.raises(SystemExit):
        command.main([str(path), "--distinct", "--limit", "2"])
    assert b"--limit has no effect" in capfdbinary.readouterr().err


def test_bad_puzzles_are_refused():
    with pytest.raises(sudoku.PuzzleError, match=r"^1 twice in row 1 \(r1c1, r1c2\)$"):
        sudoku.canonical("11" + "." * 14)
    with pytest.raises(sudoku.PuzzleError, match="puzzle 1 has a digit twice in a row"):
        sudoku.canonical_batch([[1] + [0] * 15, [1, 0, 0, 0, 1] + [0] * 11])
    with pytest.raises(sudoku.LayoutError, match="boxes alone"):
        sudoku.canonical(sudoku.as_grid("." * 16, diagonal=True))


def test_puzzles_that_take_long_are_done_in_short_slices(monkeypatch):
    """Ctrl-C comes between two slices; here each seems to take a second."""
    own, pieces = kernel.canonical, []

    def measured(cells, *arguments):
        pieces.append(arguments[-2:])
        return own(cells, *arguments)

    monkeypatch.setattr("sudoku.kernels.canonical.canonical", measured)
    monkeypatch.setattr("sudoku.solving.driver.time.perf_counter", FakeClock(1.0))
    grids = sudoku.random_grids(20, seed=1, box=(2, 2))
    forms = sudoku.canonical_batch(grids)
    assert pieces == [(0, 16), (16, 1), (17, 1), (18, 1), (19, 1)]
    assert (forms[-1:] == sudoku.canonical_batch(grids[-1:])).all()
