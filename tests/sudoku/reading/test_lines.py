"""What a line is: a rule, and the cells of a row."""

import pytest

import sudoku
from sudoku.errors import FormatError
from sudoku.reading.lines import MOST_CELLS, LineSyntax
from sudoku.symbols import Symbols


def test_lines_of_dashes_and_signs_are_rules():
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
        ("1234 3412 1234 3412", 16),
        ("1234 34 1234 12", 4),
        ("| 1 2 | 3 4 |", 4),
        ("100 0 0 4", 4),
        ("A,,,B", 4),
        ("1 10 5", 4),
        ("10\t\t\t4", 4),
    ],
)
def test_number_of_cells_of_a_line(line, count):
    assert len(LineSyntax().spans(line)) == count


@pytest.mark.parametrize("line", ["1" * 5000, "," * 5000, "1 " * 5000, "12;" * 5000, "1 2," * 3000])
def test_a_line_of_more_cells_than_the_largest_puzzle(line):
    assert len(LineSyntax().spans(line)) == MOST_CELLS + 1
    with pytest.raises(FormatError, match="<text>:1: more than 4096 cells; a puzzle of 64x64"):
        sudoku.as_grid(line)


@pytest.mark.parametrize("end", ["", " a word", ",,,"])
def test_the_largest_puzzle_on_a_line_is_read(end):
    assert len(LineSyntax().spans("1," * 4095 + "1")) == MOST_CELLS
    assert sudoku.as_grid("." * 4095 + "1" + end).layout.size == 64


def test_a_line_of_more_characters_than_any_puzzle():
    for length, message in (
        (1 << 16, "more than 4096 cells"),
        ((1 << 16) + 1, "65537 characters"),
    ):
        with pytest.raises(FormatError, match=message):
            sudoku.as_grid("1" * length)


@pytest.mark.parametrize("names", ["+abc", "-abc"])
def test_a_line_of_symbols_is_no_rule(names):
    syntax = LineSyntax(symbols=Symbols.parse(names))
    for line in ("+..+", "---+---+---", "-=..-"):
        assert LineSyntax().is_rule(line) and not syntax.is_rule(line)


@pytest.mark.parametrize("form", ["line", "grid", "pretty", "sdk", "ss"])
@pytest.mark.parametrize("names", ["+-×÷", "=+*:", "-=_'", "+*-=:'", "╋╬═─"])
def test_symbols_that_rules_are_made_of(names, form):
    symbols = Symbols.parse(names)
    layout = sudoku.Layout.of(symbols.size)
    for seed in range(5):
        (solved,) = sudoku.random_grids(1, seed, box=layout)
        for values in (solved, solved * (solved < 3), solved * (solved == 1)):
            grid = sudoku.Grid(layout, values, symbols)
            assert sudoku.as_grid(format(grid, form), symbols=names) == grid
