"""Symbols: customary sets, numbers, and names that are refused."""

from functools import partial

import numpy as np
import pytest

import sudoku
from sudoku.errors import FormatError, LayoutError, PuzzleError, SudokuError
from sudoku.symbols import Symbols


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
        (16, "0_F", "0123456789ABCDEF"),
        (16, "0-F", "0123456789ABCDEF"),
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


def test_numbers_from_0_are_symbols_if_0_is_no_blank():
    symbols = Symbols.guess(16, ["00", "07", "15", "."])
    assert symbols.digit["00"] == symbols.digit["0"] == 1 and symbols.digit["07"] == 8
    assert symbols.text([0, 1, 16]) == ". 0 15" and symbols.description == "0 to 15"
    for cells in (["0", "15", ".", "16"], ["0", "15"], ["15", "."]):
        assert Symbols.guess(16, cells).names[0] == "1"
    assert Symbols.guess(9, ["0", "08", "."]).names[0] == "1"
    with pytest.raises(LayoutError, match="number above N: '17'; a cell is 1 to 16"):
        Symbols.guess(16, ["0", ".", "17"])


@pytest.mark.parametrize(
    "names",
    [
        *("1223", "a,b,a,c", "a;bc", "12│4", "a b║ c", "0._*-1"),
        *(["a\x07", *"bcd"], "a\x9fcd", "\udce9bcd", "a\ufffecd"),
    ],
)
def test_ambiguous_symbols_are_refused(names):
    with pytest.raises(LayoutError):
        Symbols.parse(names)


def test_the_keys_of_a_dict_are_symbols():
    assert Symbols.parse(dict.fromkeys("dacb").keys()) == Symbols.parse("dacb")


@pytest.mark.parametrize("names", [{"a", "b", "c", "d"}, frozenset("abcd"), b"abcd"])
def test_symbols_without_an_order_are_refused(names):
    for make in (Symbols.parse, Symbols):
        with pytest.raises(LayoutError, match="a text or a list of names is needed"):
            make(names)


def test_blank_is_not_a_symbol():
    symbols = Symbols.parse("0.23")
    assert symbols.digit["0"] == 1 and symbols.digit["."] == 2 and symbols.digit["_"] == 0


def test_a_number_is_above_n_where_the_symbols_are_the_usual_ones():
    for names in ("123X", "1235"):
        with pytest.raises(FormatError, match=f"unknown symbol '4'; a cell is {names}, or "):
            sudoku.as_grid("1.....2..3.....4", symbols=names)
    with pytest.raises(FormatError, match="number above N: '5'; a cell is 1 to 4, or "):
        sudoku.as_grid("1.....2..3.....5")
    with pytest.raises(LayoutError, match=r"^symbol 4 is None: a symbol is a word"):
        sudoku.as_grid("1.....2..3.....3", symbols=["1", "2", "3", None])


@pytest.mark.parametrize(
    ("names", "blank", "message"),
    [
        ("0._*-1", "", r"^\. 0 _ \* - are symbols: none of them is left as the mark of a blank$"),
        ("1234", "1", r"^'1' is a symbol; the mark of a blank must be none$"),
    ],
)
def test_a_mark_of_blanks_is_no_symbol(names, blank, message):
    with pytest.raises(LayoutError, match=message):
        Symbols(tuple(names), blank)


@pytest.mark.parametrize("blank", [5, b".", ["."]])
def test_the_mark_of_a_blank_is_text(blank):
    with pytest.raises(LayoutError, match=r"^blank .*: a mark is text$"):
        Symbols(tuple("1234"), blank)


def test_default_symbols_of_a_size_that_is_no_int():
    assert Symbols.default(np.array(4)) == Symbols.default(np.int8(4)) == Symbols.default(4)


@pytest.mark.parametrize("size", [0, 65, 10**30])
@pytest.mark.parametrize(
    "make", [Symbols.default, Symbols.numbers, partial(Symbols.guess, seen="")]
)
def test_symbols_of_sizes_that_no_grid_has(make, size):
    with pytest.raises(LayoutError, match=r"^symbols of size 1?0*(65)?: N is from 1 to 64$"):
        make(size)


@pytest.mark.parametrize("size", [None, True, -1, 1.5, "4", [4]])
@pytest.mark.parametrize(
    "make", [Symbols.default, Symbols.numbers, partial(Symbols.guess, seen="")]
)
def test_a_size_of_symbols_is_a_whole_number(make, size):
    with pytest.raises(SudokuError, match=r"^size is .*; a whole number from 0 on is needed$"):
        make(size)


@pytest.mark.parametrize("seen", [None, 5, [5], [["1"]], [("1", "2")], ["10", ("1", "2")]])
@pytest.mark.parametrize("ask", [Symbols.guess, Symbols.is_customary])
def test_cells_that_are_no_texts_are_refused(ask, seen):
    with pytest.raises(SudokuError, match=r"^seen is .*; texts of cells are needed$"):
        ask(9, seen)


@pytest.mark.parametrize("values", [None, 5, [5], [-1], [1.5], ["1"], [None], [[1]]])
def test_values_without_a_symbol_have_no_text(values):
    with pytest.raises(PuzzleError, match=r"^values .*: numbers 0 to 4 needed$"):
        Symbols.default(4).text(values)
