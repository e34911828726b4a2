"""Grids as text, one by one and many at once."""

import random

import numpy as np
import pytest

from sudoku.layout import Layout
from sudoku.symbols import Symbols
from sudoku.writing import texts
from sudoku.writing.texts import render


def test_longer_names_replace_blanks_before_the_cell():
    symbols = Symbols.numbers(16)
    line = " 0  3 |  0"
    spans = [(1, 2), (4, 5), (9, 10)]
    assert texts.substitute([(line, spans)], [16, 3, 12], symbols) == "16  3 | 12\n"
    assert texts.substitute([("0 0", [(0, 1), (2, 3)])], [16, 3], symbols) == "16 3\n"
    assert texts.substitute([("10 12", [(0, 2), (3, 5)])], [1, 3], symbols) == " 1  3\n"


@pytest.mark.parametrize("names", ["1234", "ab\u00e4\u4e00", "12 3 \u00e4 \u4e00\u4e8c"])
def test_many_grids_are_written_as_each_alone(names):
    layout, symbols = Layout(2, 2), Symbols.parse(names)
    generator = random.Random(3)
    grids = np.array([[generator.randrange(5) for _ in range(16)] for _ in range(9)], np.uint8)
    alone = [symbols.text(values) for values in grids.tolist()]
    assert texts.texts(grids, symbols) == alone
    assert texts.lines(grids, symbols).decode() == "".join(text + "\n" for text in alone)
    for form in ("grid", "pretty"):
        drawn = [render(values, layout, symbols, form) + "\n" for values in grids.tolist()]
        assert [text.decode() for text in texts.render_all(grids, layout, symbols, form)] == drawn
        assert texts.as_text(grids, layout, symbols, form).decode() == "\n".join(drawn)
