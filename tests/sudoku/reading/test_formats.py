"""Files of other programs: how each begins, and where it is said to be wrong."""

import pytest

import sudoku
from sudoku.layout import Layout
from sudoku.writing.fpuzzles import url
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


@pytest.mark.parametrize("name", WRONG)
def test_a_fault_is_told_by_line_and_column(name):
    right, wrong, fault = WRONG[name]
    text = FILES[name].replace(right, wrong, 1)
    assert text != FILES[name]
    faults = read(text)[1]
    assert [told.startswith(fault) for told in faults] == [True]
