"""What is reported about texts that are not puzzles, and where."""

import copy
import pickle

import pytest

from sudoku import as_grid
from sudoku.errors import FormatError
from sudoku.symbols import Symbols
from tests.sudoku.reading.samples import NINE, ROWS, SPACED, WORDS, read

SIXTEEN = " ".join(map(str, range(1, 16)))
PADDED = " ".join(f"{k:02}" for k in range(1, 16))
BLANK_ROW = " ".join("0" * 16) + "\n"
EMPTY_ROW = ",,,,,,,,\n"
FIELDS = "".join(",".join(row).replace("0", "") + "\n" for row in ROWS)


PRIME = "3x3 has no boxes: 3 is a prime (Latin squares have boxes 1x3)"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "t: no puzzle found"),
        ("# nothing\n\n", "t: no puzzle found"),
        ("some words\n", "t: no puzzle found"),
        (f"{NINE}\n.", "t:2: 1 cell; a puzzle of 9x9 has 81"),
        (NINE[:80], "t:1: 80 cells; a puzzle of 9x9 has 81"),
        (NINE + "1", "t:1: 82 cells; a puzzle of 9x9 has 81"),
        (f"{NINE}\n{NINE[:12]}\n", "t:2: 12 cells; a puzzle of 9x9 has 81"),
        (f"{NINE}\ngarbage\n", "t:2: 7 cells; a puzzle of 9x9 has 81"),
        ("." * 49, "t:1: 49 cells; 7x7 has no boxes: 7 is a prime"),
        ("." * 9, f"t:1: 9 cells; {PRIME}; a 9x9 grid has 9 rows of 9 cells"),
        ("\n".join([*ROWS, ROWS[0]]), f"t:10: 9 cells; {PRIME}; a 9x9 grid"),
        ("55.." + "." * 12, "t:1:1: number above N: '5'; a cell is 1 to 4"),
        ("1..............7\n" + "." * 16, "t:1:16: number above N: '7'; a cell is 1 to 4"),
        ("." * 35 + "8", "t:1:36: number above N: '8'; a cell is 1 to 6"),
        (f"{'1'.ljust(16, '.')}\n{'.2'.ljust(15, '.')}\n", "t:2: 15 cells; a puzzle of 4x4 has 16"),
        ("1......\n" * 7, "t:1: a 7x7 grid has no boxes: 7 is a prime"),
        ("\n".join(ROWS[:8]), "t:1: 8 rows of 9 cells; a 9x9 grid has 9 rows"),
        (
            "1234\n----\n2143\n4321\n",
            "t:1: 3 rows of 4 cells; a 4x4 grid has 4 rows; a line of dash",
        ),
        ("\n".join([*ROWS[:4], ROWS[4][:8], *ROWS[5:]]), "t:5: ragged grid: 8 cells in a row"),
        ("\n".join([ROWS[0][:8], *ROWS[1:]]), "t:1: ragged grid: 8 cells in a row"),
        (NINE[:40] + "x" + NINE[41:], "t:1:41: unknown symbol 'x'"),
        (" " + NINE[:40] + "?" + NINE[41:], "t:1:42: unknown symbol '?'"),
        (SPACED.replace("7", "x", 1), "t:6:7: unknown symbol 'x'"),
        (SPACED.replace("4", "10", 1), "t:2:5: number above N: '10'"),
        ("1 2 3 4\n0 0 5 0\n" + "0 0 0 0\n" * 2, "t:2:5: number above N: '5'"),
        (f"puzzle,x\n{NINE},1\n{NINE[:80]},1", "t:3: 80 cells; a puzzle of 9x9"),
        ("\n".join(ROWS[:3]) + "\n\n" + "\n".join(ROWS), "t:1: 3 rows of 9 cells"),
        ("Grid 01\n" + "\n".join(ROWS[:5]) + "\nGrid 02\n" + "\n".join(ROWS), "t:2: 5 rows"),
        ("1 2 3 4\n3 foo 1 2\n" + ". . . .\n" * 2, "t:2:3: unknown symbol 'foo'; a cell is 1-4"),
        (
            WORDS,
            "t:1:1: unknown symbol 'Ann'; a cell is 1-4, or . 0 _ * - for a blank; others are ",
        ),
        (f"{NINE}\n\n{WORDS}", "t:3:1: unknown symbol 'Ann'; a cell is 1-4"),
        (WORDS.replace("\n", " "), "t:1:1: unknown symbol 'Ann'; a cell is 1-4"),
        (f"{SIXTEEN} 17\n" + BLANK_ROW * 15, "t:1:37: number above N: '17'; a cell is 1 to 16,"),
        (f"{SIXTEEN},17\n".replace(" ", ",") + BLANK_ROW * 15, "t:1:37: number above N: '17'"),
        (BLANK_ROW * 15 + f"{PADDED} 17\n", "t:16:46: number above N: '17'; a cell is 1 to 16,"),
        (BLANK_ROW * 15 + f"{SIXTEEN} x\n", "t:16:37: unknown symbol 'x'; a cell is 1 to 16,"),
        ("0 " * 255 + "17", "t:1:511: number above N: '17'; a cell is 1 to 16,"),
        ("0 " * 624 + "26", "t:1:1249: number above N: '26'; a cell is 1 to 25,"),
        (f'puzzle\n"{NINE}0"', "t:2: 82 cells; a puzzle of 9x9 has 81"),
        (f'"{NINE[:79]}"', "t:1: 79 cells; a puzzle of 9x9 has 81"),
        (f'"{NINE}","1"\n"x{NINE[1:]}","2"', "t:2:2: unknown symbol 'x'; a cell is 1-9"),
        ("puzzle,n\n" + "1" * 140_000, "t:2: no puzzle has a line of 140000 characters"),
        ("Hello\n\n" + WORDS[:-12] + "\n1...\n" + "....\n" * 3, "t:3: 3 rows of 4 words"),
        ("1.....2..3.....4\udcff", "t:1:17: byte 0xff: the text is not UTF-8"),
        ("1.....2.\0.3.....4\n" + "." * 16, "t:1:9: byte 0x00: a control character is no cell"),
        ("1.....2.\udcff.3.....4\n" * 3, "t:1:9: byte 0xff: the text is not UTF-8"),
        ("12..\n34\udcff..\n....\n....", "t:2:3: byte 0xff: the text is not UTF-8"),
        (NINE[:9] + "\udce9" + NINE[9:] + " 2.5", "t:1:10: byte 0xe9: the text is not UTF-8"),
        (f"{NINE}\n{NINE}\udce9", "t:2:82: byte 0xe9: the text is not UTF-8"),
        (f"puzzle,x\n{NINE}\udce9,1", "t:2:82: byte 0xe9: the text is not UTF-8"),
        ("wx.z\n.zwx\nzwx.\nx.zw\n", "t:1:1: unknown symbol 'w'; a cell is 1-4"),
        ("puzzle\n1.00201E+80\n4.5E+80\n", "t:2:1: '1.00201E+80' is rounded: a spreadsheet"),
        ("id;puzzle\n1;1,00201E+80", "t:2:3: '1,00201E+80' is rounded: a spreadsheet"),
        (
            FIELDS + EMPTY_ROW + EMPTY_ROW + FIELDS,
            "t:19: 2 rows of 9 cells; a 9x9 grid has 9 rows; the grid above begins with a line of "
            "empty fields",
        ),
    ],
)
def test_fault_is_reported_once_with_its_place(text, fault):
    faults = read(text)[1]
    assert len(faults) == 1 and faults[0].startswith(fault)


@pytest.mark.parametrize("between", ["Next,,,,,,,,\n", "Next\n", "\n", "Next\n,,,,,,,,\n\n"])
@pytest.mark.parametrize("empty", [EMPTY_ROW, "\t" * 8 + "\n", ";;;;;;;;\n;;;;;;;;\n"])
def test_lines_of_empty_fields_beside_headers_are_no_rows(between, empty):
    found, faults = read(FIELDS + empty + between + FIELDS + empty)
    assert [shape for shape, *_ in found] == ["grid", "grid"] and faults == []


def test_a_grid_may_begin_with_empty_fields():
    found, faults = read((EMPTY_ROW + FIELDS.split("\n", 1)[1]) * 2)
    assert [shape for shape, *_ in found] == ["grid", "grid"] and faults == []


def test_unknown_words_are_proposed_as_symbols():
    assert read(WORDS)[1][0].endswith("others are given by --symbols, as 'Ann Bob Eve Sue'")
    assert read("Puzzle by John Doe\n. . . .\n1 . . .\n. 2 . .\n. . . 3\n")[0][0][0] == "grid"
    assert "a cell is Al Bo" in read(WORDS, symbols=Symbols.parse("Al Bo Cy Di"))[1][0]


@pytest.mark.parametrize(
    "prose",
    [
        "Puzzle by John Doe\nwith six words in this line\n",
        "Four lines with words\nthat all differ much\nare not any grid\nbut only long prose\n",
    ],
)
def test_lines_of_prose_are_no_grid_of_words(prose):
    (found,), faults = read(prose + "\n1...\n..2.\n.3..\n...4\n")
    assert (found[0], faults) == ("grid", [])


def test_pickled_and_copied_errors_keep_their_place():
    with pytest.raises(FormatError) as caught:
        as_grid("1.....2..3.....5", box="2x2")
    error = caught.value
    assert str(error).startswith("<text>:1:16: number above N")
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is FormatError and str(other) == str(error)
        assert (other.reason, other.line, other.column) == (error.reason, 1, 16)
