"""Formats of puzzles and where a puzzle ends."""

import pytest

from tests.sudoku.reading.samples import DOTTED, FORMATS, NINE, ROWS, read


@pytest.mark.parametrize("name", FORMATS)
def test_format_is_detected(name):
    found, faults = read(FORMATS[name])
    assert not faults
    assert [
        (size, line.replace(".", "0").translate({ord(c): "0" for c in "*_-"}))
        for _, size, line in found
    ] == [(9, NINE)]


@pytest.mark.parametrize("name", FORMATS)
def test_several_puzzles_of_a_format(name):
    text = FORMATS[name]
    if "csv" in name.lower():
        head, row = text.split("\n")
        text = "\n".join([head, row, row, row])
    elif name in ("comments", "CR"):
        text = "\n".join([text, "", text, "", text])
    else:
        text = "\n\n".join([text] * 3)
    found, faults = read(text.replace("\ufeff", ""))
    assert not faults and len(found) == 3 and len(set(found)) == 1


def test_headers_separate_puzzles():
    grids = "\n".join(f"Grid {k:02}\n" + "\n".join(ROWS) for k in range(1, 4))
    assert read(grids)[0] == [("grid", 9, NINE)] * 3
    assert read("\n".join(ROWS * 4))[0] == [("grid", 9, NINE)] * 4


def test_line_of_dashes_is_a_row_if_dashes_are_blanks():
    rows = [row.replace("0", "-") for row in ROWS]
    rows[4] = "---------"
    found, faults = read("\n".join(rows))
    assert not faults and found[0][2] == "".join(rows)
    assert read("----\n" * 4)[0] == [("grid", 4, "-" * 16)]


def test_sixteen_cells_are_a_puzzle_or_a_row():
    line = "1..4..2..1..4..."
    assert read("\n".join([line] * 16))[0] == [("line", 4, line)] * 16
    assert read("\n".join([line] * 3))[0] == [("line", 4, line)] * 3
    row = "G..4..2..1..4..."
    assert [shape[:2] for shape in read("\n".join([row] * 16))[0]] == [("grid", 16)]
    assert [shape[:2] for shape in read("\n".join([line] * 16), box="4x4")[0]] == [("grid", 16)]


LIBRARY = f":0702:9:{DOTTED[:8]}+{DOTTED[8:]}::917::"


def test_a_line_of_the_library_of_hodoku():
    found, faults = read(f"{LIBRARY}\n{LIBRARY} a comment")
    assert (found, faults) == ([("line", 9, DOTTED)] * 2, [])


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (LIBRARY.replace("::917", ":917 018:917"), "t:1:96: library of HoDoKu: '018' is no digit"),
        (LIBRARY.replace("..", ".", 1), "t:1:9: library of HoDoKu: 80 cells; a puzzle of 9x9"),
    ],
)
def test_a_line_of_the_library_of_hodoku_that_is_wrong(line, fault):
    found, (told,) = read(line)
    assert found == []
    assert told.startswith(fault)
