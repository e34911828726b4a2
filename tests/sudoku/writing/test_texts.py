"""Grids as text, one by one and many at once."""

import random

import numpy as np
import pytest

from sudoku.grid import Grid
from sudoku.layout import Layout
from sudoku.reading.convert import as_grid
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
    for form in ("grid", "pretty", "sdk", "ss"):
        drawn = [render(values, layout, symbols, form) + "\n" for values in grids.tolist()]
        assert [text.decode() for text in texts.render_all(grids, layout, symbols, form)] == drawn
        assert texts.grids_as_text(grids, layout, symbols, form).decode() == "\n".join(drawn)


def test_files_of_other_programs():
    values = [1, 0, 0, 0, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 4]
    layout, symbols = Layout(2, 2), Symbols.default(4)
    assert render(values, layout, symbols, "sdk") == "[Puzzle]\n1...\n..2.\n.3..\n...4"
    lines = ["*-----*", "|1.|..|", "|..|2.|", "|--+--|", "|.3|..|", "|..|.4|", "*-----*"]
    assert render(values, layout, symbols, "ss").split("\n") == lines
    words = render(values, layout, Symbols.parse("10,20,30,40"), "ss").split("\n")
    assert words[:4] == ["*-----------*", "|10  .| .  .|", "| .  .|20  .|", "|-----+-----|"]
    assert render(values, Layout(1, 4), symbols, "ss").split("\n")[1:3] == ["|1...|", "|..2.|"]


@pytest.mark.parametrize("form", [form for form in texts.FORMS if form != "line"])
@pytest.mark.parametrize(
    "layout", [Layout(2, 2), Layout(3, 3), Layout(3, 4), Layout(6, 6)], ids=str
)
def test_what_is_written_is_read(form, layout):
    generator = random.Random(3)
    values = [generator.choice([0, layout.size, 1]) for _ in range(layout.cells)]
    text = render(values, layout, Symbols.default(layout.size), form)
    assert as_grid(text) == Grid(layout, values)
