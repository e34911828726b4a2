"""Lines of empty fields between grids, told from rows without givens."""

import random

import pytest

from sudoku.reading.rows import Row, Separators
from tests.sudoku.reading.samples import read


def grids(number, empty_rows, seed=0, n=9):
    """Rows of texts; in grid k the rows `empty_rows[k]` have no givens, all others have some."""
    draw = random.Random(seed)
    made = []
    for k in range(number):
        rows = []
        for r in range(n):
            row = [draw.choice(["", "", str(draw.randint(1, n))]) for _ in range(n)]
            row[draw.randrange(n)] = str(draw.randint(1, n))
            rows.append([""] * n if r in empty_rows.get(k, ()) else row)
        made.append(rows)
    return made


def cells(made):
    return ["".join(cell or "." for row in rows for cell in row) for rows in made]


def lines(made, between="", end=""):
    texts = ["".join(",".join(row) + "\n" for row in rows) for rows in made]
    return between.join(texts) + end


EMPTY = ",,,,,,,,\n"


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 9, 10, 11, 20])
@pytest.mark.parametrize(
    "empty_rows",
    [{}, {1: [0]}, {1: [0, 1], 2: [0, 8], 3: [0]}, {0: [8]}, {k: [0] for k in range(3, 20)}],
)
@pytest.mark.parametrize("end", ["", EMPTY, "\n", EMPTY + "\n"])
def test_lines_of_empty_fields_separate_grids(number, empty_rows, end):
    made = grids(number, empty_rows)
    found, faults = read(lines(made, EMPTY, end))
    assert not faults
    assert [puzzle.replace("0", ".") for _, _, puzzle in found] == cells(made)


@pytest.mark.parametrize("number", [2, 3, 4, 5, 9, 10, 20])
@pytest.mark.parametrize("empty_rows", [{1: [0]}, {1: [0], 2: [1], 3: [2]}, {3: [0], 6: [0]}])
def test_rows_without_givens_do_not_separate_grids(number, empty_rows):
    made = grids(number, empty_rows)
    found, faults = read(lines(made))
    assert not faults
    assert [puzzle.replace("0", ".") for _, _, puzzle in found] == cells(made)


def test_runs_between_blank_lines_are_told_one_by_one():
    some, others = grids(3, {1: [0]}), grids(2, {1: [0]}, seed=1)
    text = lines(some, EMPTY) + "\n" + lines(others) + "\nname\n" + lines(some, EMPTY)
    found, faults = read(text)
    assert not faults
    assert [puzzle.replace("0", ".") for _, _, puzzle in found] == cells(some + others + some)


def test_a_row_without_givens_below_a_header_is_a_row():
    some = grids(4, {k: [0] for k in range(4)})
    for between in ("", EMPTY):
        text = "".join(f"grid {k},,,,,,,,\n{lines([one])}{between}" for k, one in enumerate(some))
        found, faults = read(text)
        assert not faults
        assert [puzzle.replace("0", ".") for _, _, puzzle in found] == cells(some)


def test_where_both_are_possible_a_line_of_empty_fields_is_a_row():
    made = grids(2, {1: [0]})
    found, faults = read(lines(made) + EMPTY)
    assert not faults
    assert [puzzle.replace("0", ".") for _, _, puzzle in found] == cells(made)


def test_rows_are_held_until_it_is_known_what_they_are():
    def row(number, text):
        return Row(number, text, [(k, k + (text[k] != ",")) for k in range(4)])

    empty, filled = ",,,,", "1111"
    told = Separators()
    assert told.take(row(0, filled)) == [row(0, filled)]
    assert told.take(row(1, empty)) == [row(1, empty)]  # within a grid
    told.above = 4
    assert told.take(row(2, empty)) == []
    for number in range(3, 7):
        assert told.take(row(number, filled)) == []
    dense = told.take(row(7, filled))  # where a separator would be
    assert [one.number for one in dense] == [2, 3, 4, 5, 6, 7]
    told.above = 4
    assert told.take(row(8, empty)) == [row(8, empty)]  # so this run has none
    assert told.end() == []
    told.above = 4
    for number in range(15):
        assert told.take(row(number, filled if number % 5 else empty)) == []
    apart = told.take(row(15, empty))  # the fourth
    assert [one.number for one in apart] == [k for k in range(15) if k % 5]
    told.above = 4
    assert told.take(row(16, empty)) == []
    assert told.take(row(17, empty)) == [row(17, empty)]
