"""Rows of a grid that is not complete yet: blank lines between bands, and lines of dashes."""

import pytest

from sudoku.reading.reader import Reader
from sudoku.reading.rows import PendingRows, Row


def row(number, cells, doubtful=False):
    """Return a row of cells of one character."""
    return Row(number, cells, [(i, i + 1) for i in range(len(cells))], doubtful)


def pending(*texts, size=None):
    rows = PendingRows(size)
    rows.lines += [row(number, text) for number, text in enumerate(texts, 1)]
    return rows


def test_a_line_of_dashes_may_be_a_row_of_the_length_of_others():
    assert pending(size=4).may_be_row(4) is True
    assert pending(size=4).may_be_row(9) is False
    assert pending("1234").may_be_row(4) and not pending("1234").may_be_row(6)
    assert pending().may_be_row(9) and not pending().may_be_row(5)


def test_a_blank_line_separates_bands_of_one_height():
    four = pending("1234", "3412")
    assert four.add_blank_line() is True
    assert len(four.lines) == 3 and four.lines[2].spans == []
    four.lines.append(row(4, "2143"))
    assert four.add_blank_line() is False  # in the midst of a band
    four.lines.append(row(5, "4321"))
    assert four.add_blank_line() is False  # the grid is complete
    assert pending().add_blank_line() is False
    assert pending("1234").add_blank_line() is False
    assert pending("12345", "12345").add_blank_line() is False
    assert pending("1234", "123456").add_blank_line() is False
    assert pending("123456", "456123").add_blank_line() is True  # 2x3


def test_a_blank_line_among_short_puzzles_separates_no_bands():
    puzzles = ["1234341221434321"] * 4
    assert pending(*puzzles).add_blank_line() is False
    assert pending(*puzzles, size=16).add_blank_line() is True
    rows = ["123456789ABCDEFG"] * 4
    assert pending(*rows).add_blank_line() is True


@pytest.mark.parametrize("rows", range(1, 8))
def test_no_more_than_n_rows_of_double_blanks_become_a_grid(rows):
    text = ".. .. .. ..\n" * rows + "1 . . .\n"
    faults = []
    for batch in Reader(on_error=faults.append).text(text):
        assert len(batch.values) == 16 * len(batch.lines)
    assert bool(faults) == (rows != 3)


def test_double_blanks_are_no_grid_of_one_cell():
    faults = []
    assert list(Reader(box="latin", on_error=faults.append).text("..\n0")) == []
    assert len(faults) == 1
