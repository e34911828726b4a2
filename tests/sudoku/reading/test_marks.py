"""Candidates as they are written."""

import random

import numpy as np
import pytest

import sudoku
from sudoku.grid import Grid
from sudoku.layout import Layout
from sudoku.reading.convert import grids_of
from sudoku.reading.reader import Reader
from sudoku.symbols import Symbols
from sudoku.writing.texts import render_candidates
from tests.sudoku.reading.samples import DOTTED, NINE, read

BOXED = format(sudoku.as_grid(NINE), "pretty")  # without candidates, for the size of a line
FULL = [["".join(map(str, cell)) for cell in row] for row in sudoku.candidates(NINE)]
ROWS = [" ".join(row) for row in FULL]
WIDE = [
    " | ".join(" ".join(f"{word:9}" for word in row[k : k + 3]) for k in (0, 3, 6)) for row in FULL
]


def bordered(rule, bar="|"):
    rows = [f"{bar} {row} {bar}" for row in WIDE]
    bands = ["\n".join(rows[k : k + 3]) for k in (0, 3, 6)]
    return "\n".join([rule, f"\n{rule}\n".join(bands), rule])


def grids(text, **ask):
    faults = []
    reader = Reader(on_error=lambda fault: faults.append(str(fault)), **ask)
    return [grid for batch in reader.text(text, "t") for grid in grids_of(batch)], faults


def some(layout, seed=1):
    """A grid with random candidates; single ones are its digits."""
    generator, n = random.Random(seed), layout.size
    masks = [
        generator.choice([generator.randrange(1, 1 << n), 1 << generator.randrange(n)])
        for _ in range(layout.cells)
    ]
    values = [mask.bit_length() if mask & (mask - 1) == 0 else 0 for mask in masks]
    return Grid(layout, values, candidates=masks)


FORMATS = {
    ".sdx": "\n".join(ROWS).replace(" 4 ", " u4 ") + "\n",
    "pencilmarks": "\n".join(WIDE),
    "one line": " ".join(ROWS),
    "729 characters": "".join(
        d if d in word else "." for row in FULL for word in row for d in "123456789"
    ),
    "boxed": bordered("+" + "+".join(["-" * 31] * 3) + "+"),
    "boxed by stars": bordered("*" + "-" * 95 + "*"),
    "boxed by points": bordered("." + ".".join(["-" * 31] * 3) + "."),
    "boxed by apostrophes": bordered("'" + "'".join(["-" * 31] * 3) + "'"),
    "boxed by lines": bordered("├" + "┼".join(["─" * 31] * 3) + "┤", "│"),
    "headed": "Candidates: 123\n" + "\n".join(ROWS),
    "CSV": "puzzle,n\n" + " ".join(ROWS) + ",1",
}
FORMATS["CSV of characters"] = f"puzzle,n\n{FORMATS['729 characters']},1"


@pytest.mark.parametrize("name", FORMATS)
def test_candidates_are_recognised(name):
    text = FORMATS[name]
    (found,), faults = grids(text)
    assert faults == []
    assert found.values.reshape(-1).tolist() == [int(digit) for digit in NINE]
    assert [list(row) for row in sudoku.candidates(found)] == sudoku.candidates(NINE)
    assert (found.candidates is not None) and sudoku.solve(text) == sudoku.solve(NINE)
    if "CSV" not in name:
        assert [grid == found for grid in grids(f"{text}\n\n{text}\n{DOTTED}")[0]] == [True] * 2 + [
            False
        ]


@pytest.mark.parametrize("form", ["line", "grid", "pretty"])
@pytest.mark.parametrize(
    "layout", [Layout(2, 2), Layout(2, 4), Layout(3, 3), Layout(4, 4), Layout(6, 6)], ids=str
)
def test_candidates_are_read_as_they_are_written(layout, form):
    grid = some(layout)
    text = format(grid, form)
    assert grids(text) == ([grid], [])
    assert grids(f"Grid 1\n{text}\n\n{text}") == ([grid] * 2, [])


@pytest.mark.parametrize("form", ["grid", "pretty"])
def test_candidates_that_look_like_numbers(form):
    # the only sets of rows 1 and 2 are 12, which is a number up to N; the letters say otherwise
    solved = [
        (row % 4 * 3 + row // 4 + column) % 12 + 1 for row in range(12) for column in range(12)
    ]
    masks = [3 if d < 3 and cell < 24 else 1 << (d - 1) for cell, d in enumerate(solved)]
    masks[24:72] = [0b111100000] * 48
    values = [mask.bit_length() if mask.bit_count() == 1 else 0 for mask in masks]
    grid = Grid(Layout(3, 4), values, candidates=masks)
    assert grids(format(grid, form)) == ([grid], [])


def test_symbols_of_candidates():
    names = Symbols.parse("abcd")
    grid = Grid(Layout(2, 2), [0] * 16, names, [3, 12] * 8)
    for form in ("line", "grid", "pretty"):
        assert grids(format(grid, form), symbols=names) == ([grid], [])
    user = Grid(Layout(2, 2), [0] * 16, "u123", [9, 5, *[15] * 14])  # u3 is u or 3
    for form in ("line", "grid", "pretty"):
        assert grids(format(user, form), symbols=user.symbols) == ([user], [])
    hexadecimal = Grid(Layout(4, 4), [0] * 256, Symbols.guess(16, "0.1F"), [517, 60000] * 128)
    assert grids(format(hexadecimal, "grid"))[0][0].symbols.names[0] == "0"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (BOXED, ""),
        ("\n".join(ROWS).replace("135789", "157893", 1), "t:1:6: candidates '157893'"),
        ("\n".join(ROWS).replace("13456", "13x56", 1), "t:1:17: candidates '13x56'"),
        (FORMATS["boxed"].replace("4578 ", "45788", 1), "t:2:67: candidates '45788'"),
        (
            FORMATS["729 characters"].replace(".2.......", "2........", 1),
            "t:1:73: candidates '2........'",
        ),
        ("\n".join(ROWS[:8]), "t:1: 8 rows of 9 cells"),
        ("\n".join([*ROWS[:4], ROWS[4][:-4], *ROWS[5:]]), "t:5: ragged grid: 8 cells in a row"),
    ],
)
def test_faults_of_candidates(text, fault):
    faults = grids(text)[1]
    assert [reported.startswith(fault) for reported in faults] == [True] * (fault != "")


@pytest.mark.parametrize("row", ["12 34", "1 234", "1 24 3", "1 2 | 34", "14 2 3 # 4"])
def test_a_row_of_candidates_has_n_words(row):
    # not a word for each digit, though there are four
    rows = ["12 34 134 2", row, "3 4 12 12", "1 2 34 34"]
    found, (fault,) = grids("\n".join(rows))
    assert not found
    count = len(row.split("#")[0].replace("|", "").split())
    assert fault == (
        f"t:2: ragged grid: {count} words in a row of a 4x4 grid of candidates; 4 are needed"
    )


def test_lines_of_other_sizes_are_no_candidates():
    line = "12" + "." * 727  # 27 x 27
    assert read(line)[0][0][1] == 27
    assert read("1" + "." * 63)[0][0][1] == 8
    assert read("12 34 56 78\n" * 8)[0][0][1] == 8


def test_candidates_that_hodoku_leaves_out():
    (grid,), faults = grids(f":0702:9:{DOTTED}:111 911:917::")
    assert faults == []
    assert sudoku.candidates(grid)[0][0] == tuple(
        digit for digit in sudoku.candidates(NINE)[0][0] if digit not in (1, 9)
    )
    assert grid.candidates[0, 0] == 0b011111110


@pytest.mark.parametrize("first", ["1", "a", "0"])
@pytest.mark.parametrize("form", ["line", "grid", "pretty"])
@pytest.mark.parametrize("box", [(1, 2), (1, 3), (2, 2), (1, 5), (1, 7), (3, 3), (2, 5)])
def test_candidates_that_are_written_are_read(box, form, first):
    layout = Layout(*box)
    n, random = layout.size, np.random.default_rng(1)
    order = "123456789A" if first == "1" else "abcdefghij" if first == "a" else "0123456789"
    symbols = Symbols(tuple(order[:n]))
    for share in (0.1, 0.3, 0.5, 0.9):
        there = random.random((n * n, n)) < share
        masks = (there << np.arange(n)).sum(axis=1).astype(np.uint64)
        text = render_candidates(masks.tolist(), layout, symbols, form)
        grid = sudoku.as_grid(text, box=layout, symbols=symbols)
        assert (grid.candidates.reshape(-1) == masks).all(), text


@pytest.mark.parametrize("form", ["line", "grid", "pretty"])
@pytest.mark.parametrize(
    "names", ["a#bc", "0_12", "*-ab", "ba.c", "21-3", "a=b:", "!abc", "31'!24"]
)
def test_candidates_of_unusual_symbols_are_read(names, form):
    symbols, n = Symbols.parse(names), len(names)
    layout, random = Layout.of(n), np.random.default_rng(1)
    for share in (0.3, 0.5, 0.9):
        there = random.random((n * n, n)) < share
        masks = (there << np.arange(n)).sum(axis=1).astype(np.uint64)
        text = render_candidates(masks.tolist(), layout, symbols, form)
        grid = sudoku.as_grid(text, box=layout, symbols=symbols)
        assert (grid.candidates.reshape(-1) == masks).all(), text
