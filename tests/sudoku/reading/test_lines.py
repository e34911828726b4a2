"""What a line is: a rule, and the cells of a row."""

import pytest

from sudoku.reading.lines import LineSyntax


def test_rules_and_rows():
    syntax = LineSyntax()
    assert all(map(syntax.is_rule, ["---+---+---", "+===+", "├───┼───┤"]))
    assert not any(map(syntax.is_rule, ["1--+", "---------"]))
    assert syntax.may_be_rule("---------") and not syntax.may_be_rule("- - - -")


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("1 2 3 4", 4),
        ("12 34", 4),
        ("12 34 56 78", 8),
        ("10 0 0 4", 4),
        ("01 02 03 04", 4),
        ("1,2,3,4", 4),
        (",,,", 4),
        ("1234 1234 1234 1234", 16),
        ("| 1 2 | 3 4 |", 4),
        ("100 0 0 4", 4),
    ],
)
def test_number_of_cells_of_a_line(line, count):
    assert len(LineSyntax().spans(line)) == count
