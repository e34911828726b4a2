"""Files of other programs, and what is written here: how each begins, and where it is wrong."""

import numpy as np
import pytest

import sudoku
from sudoku.layout import Layout
from sudoku.reading.reader import Reader
from sudoku.symbols import Symbols
from sudoku.writing.fpuzzles import url
from sudoku.writing.texts import FORMS, grids_as_text
from tests.sudoku.reading.samples import DOTTED, DOTTED_ROWS, NINE, banded, read, ruled

HEAD = "#ASome author\n#DA puzzle\n#B2026-01-31\n"
SS = banded([ruled(row) for row in DOTTED_ROWS], "|---+---+---|", top=False)
BOXES = "".join(str(cell // 27 * 3 + cell % 9 // 3) for cell in range(81))
MARKS = "\n".join(
    " ".join("".join(map(str, cell)) for cell in row) for row in sudoku.candidates(NINE)
)
FILES = {
    ".sdk": HEAD + "\n".join(DOTTED_ROWS) + "\n",
    ".sdk with a section": HEAD + "[Puzzle]\n" + "\n".join(DOTTED_ROWS) + "\n",
    ".sdm": f"# a collection\n{NINE}\n{NINE}\n{DOTTED}\n",
    ".ss": f"*-----------*\n{SS}\n*-----------*\n",
    ".sdx": MARKS + "\n",
    "library of HoDoKu": f":0000:x:{DOTTED}:::\n",
    "jigsaw": f"{DOTTED}{BOXES}\n",
    "f-puzzles": url([int(digit) for digit in NINE], Layout(3, 3)) + "\n",
}
WRONG = {  # what is replaced, by what, and the fault
    ".sdk": (".42", "x42", "t:5:2: unknown symbol 'x'"),
    ".sdm": ("200601", "2x0601", "t:2:14: unknown symbol 'x'"),
    ".ss": ("|..4|2", "|..4|x", "t:3:6: unknown symbol 'x'"),
    ".sdx": ("135789", "157893", "t:1:6: candidates '157893'"),
    "library of HoDoKu": ("42..", "x2..", "t:1:20: unknown symbol 'x'"),
    "jigsaw": ("42..", "x2..", "t:1:12: unknown symbol 'x'"),
    "f-puzzles": ("\n", "!\n", "t:1:33: URL: character '!'"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_program_is_read(name):
    found, faults = read(FILES[name])
    assert not faults
    assert {line.replace(".", "0") for _, _, line in found} == {NINE}
    assert len(found) == (3 if name == ".sdm" else 1)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_smallest_grids_are_read_as_they_were_written(n):
    layout, symbols = Layout(1, n), Symbols.default(n)
    grids = np.array([[0] * n * n, [*range(1, n + 1), *[0] * (n - 1) * n]], np.uint8)
    for form in (*FORMS, "json", "csv"):
        text = grids_as_text(grids, layout, symbols, form).decode()
        batches = list(Reader(box=layout).text(text))
        assert b"".join(batch.values for batch in batches) == grids.tobytes(), form


@pytest.mark.parametrize("name", WRONG)
def test_a_fault_is_reported_with_line_and_column(name):
    right, wrong, fault = WRONG[name]
    text = FILES[name].replace(right, wrong, 1)
    assert text != FILES[name]
    faults = read(text)[1]
    assert [reported.startswith(fault) for reported in faults] == [True]


DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NAMES = {
    "numbers": lambda n: Symbols.numbers(n),
    "capitals": lambda n: Symbols(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:n])),
    "small letters": lambda n: Symbols(tuple("abcdefghijklmnopqrstuvwxyz"[:n])),
    "from 0": lambda n: Symbols(tuple(DIGITS[:n])),
    "words": lambda n: Symbols(tuple(f"w{k}x" for k in range(n))),
}


@pytest.mark.parametrize("form", [*FORMS, "json", "csv"])
@pytest.mark.parametrize("box", [(2, 2), (2, 3), (1, 5), (1, 7), (2, 5), (1, 11), (4, 4)])
def test_what_is_written_is_read(box, form):
    layout = Layout(*box)
    n = layout.size
    row = np.arange(n)
    band, height = divmod(row, layout.box_rows)
    complete = (height * layout.box_columns + band)[:, None] + row
    complete = (complete % n + 1).astype(np.uint8).reshape(1, -1)
    dotted = complete * (np.arange(n * n) % 3 > 0)
    for name, symbols_of in NAMES.items():
        symbols = symbols_of(n)
        for grids in (np.concatenate((dotted, complete)), complete, dotted):
            text = grids_as_text(grids.astype(np.uint8), layout, symbols, form).decode()
            for given in (symbols, None):
                if given is None and (name == "words" or (name == "from 0" and n < 10)):
                    continue
                batches = list(Reader(box=layout, symbols=given).text(text))
                assert b"".join(batch.values for batch in batches) == grids.tobytes(), (name, given)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", [40, 63, 64])
def test_large_grids_say_their_size(n, form):
    layout, row = Layout.of(n), np.arange(n)
    grid = ((row[:, None] * layout.box_columns + row) % n + 1).astype(np.uint8).reshape(1, -1)
    grids = np.concatenate((grid, grid * (np.arange(n * n) % 3 > 0)))
    batches = list(Reader().text(grids_as_text(grids, layout, Symbols.numbers(n), form).decode()))
    assert {batch.layout for batch in batches} == {layout}
    assert b"".join(batch.values for batch in batches) == grids.tobytes()


def test_a_complete_grid_with_digits_from_0_is_solved_as_it_is():
    text = "".join(DIGITS[(4 * r + r // 4 + c) % 16] for r in range(16) for c in range(16))
    assert str(sudoku.solve(text)) == text
    assert str(sudoku.solve(text.replace("0", ".", 1))) == text


def test_rows_of_pairs_are_no_numbers_where_symbols_are_characters():
    text = "01|20\n20|01\n--+--\n10|02\n02|10\n"
    assert str(sudoku.as_grid(text, symbols="1234")) == ".12.2..11..2.21."
