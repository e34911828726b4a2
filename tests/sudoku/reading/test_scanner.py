"""Formats of puzzles and where a puzzle ends."""

import pytest

from sudoku.layout import Layout
from sudoku.reading.lines import LineSyntax
from sudoku.reading.reader import Reader
from sudoku.reading.rows import MOST_LINES
from sudoku.reading.scanner import Scanner
from sudoku.symbols import Symbols
from sudoku.writing.fpuzzles import url
from tests.sudoku.reading.samples import DOTTED, FORMATS, NINE, ROWS, read, ruled


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
        (LIBRARY.replace("::917", ":917 1x8:917"), "t:1:96: library of HoDoKu: '1x8' is no digit"),
        (LIBRARY.replace("::917", ":917,118:917"), "t:1:92: library of HoDoKu: '917,118' is no"),
        (LIBRARY.replace("..", ".", 1), "t:1:9: library of HoDoKu: 80 cells; a puzzle of 9x9"),
    ],
)
def test_a_line_of_the_library_of_hodoku_that_is_wrong(line, fault):
    found, (reported,) = read(line)
    assert found == []
    assert reported.startswith(fault)


def test_candidates_that_the_library_of_hodoku_leaves_out():
    (puzzle,) = scanned(LIBRARY.replace("::917", ":925 317 817 388:917"))
    left_out = {cell: 511 - mask for cell, mask in enumerate(puzzle.masks) if mask != 511}
    assert left_out == {6: 0b010000100, 13: 0b100000000, 70: 0b000000100}


def test_candidates_that_the_library_of_hodoku_leaves_out_are_symbols():
    line = LIBRARY.replace("::917", ":125:917")
    (puzzle,) = scanned(line, Symbols.parse("234567891"))
    assert puzzle.masks[13] == 0b011111111
    (fault,) = read(line.replace(":125", ":x25"), symbols=Symbols.parse("234567891"))[1]
    assert fault.endswith("'x25' is no symbol, 234567891, with row and column, each 1 to 9")


def test_a_line_of_the_library_is_9x9():
    for text, box in ((LIBRARY, "2x2"), (LIBRARY, "2x3")):
        found, faults = read(text, box=box)
        assert not found and len(faults) == 1 and "cells; a puzzle of" in faults[0]


@pytest.mark.parametrize("line", [LIBRARY, NINE, " ".join(NINE), "123456789" * 81], ids=len)
def test_a_puzzle_on_one_line_ends_the_grid_above(line):
    found, faults = read("\n".join([*ROWS[:4], line, *ROWS[4:]]))
    assert [(shape, size) for shape, size, _ in found] == [("line", 9)]
    assert faults[0] == "t:1: 4 rows of 9 cells; a 9x9 grid has 9 rows"
    assert all(int(fault.split(":")[1]) >= 6 for fault in faults[1:])


def test_a_fault_in_a_line_of_the_library_ends_the_grid_above():
    wrong = LIBRARY.replace("..", ".", 1)
    faults = read("\n".join([*ROWS[:4], wrong, *ROWS[4:]]))[1]
    assert [fault.split(":")[1] for fault in faults] == ["1", "5", "6"]


def test_rows_of_words_end_above_a_puzzle_and_with_the_text():
    words = "Ann . . Bob\n. . . .\n"
    reported = "t:1: 2 rows of 4 words; a 4x4 grid has 4 rows"
    assert read(f"{words}{NINE}") == ([("line", 9, NINE)], [reported])
    assert read(f"{NINE}\n\n{words}") == ([("line", 9, NINE)], [reported.replace("t:1", "t:3")])
    below = "\n".join(["Ann . . Bob"] * 3)
    assert read(f"Ann . . Bob\n{NINE}\n\n{below}") == ([("line", 9, NINE)], [])


@pytest.mark.parametrize("number", ["1,", "12;", '"7"\t'])
@pytest.mark.parametrize(("cells", "box"), [(16, None), (36, None), (36, (3, 2)), (25, "latin")])
def test_small_puzzles_after_a_column_of_numbers(number, cells, box):
    lines = ["1" + "." * (cells - 1), "." * (cells - 1) + "2"]
    mark = number[-1]
    text = "".join(f"{number}{line}{mark}easy\n" for line in lines)
    found, faults = read(text, box=box)
    assert [(shape, line) for shape, _, line in found] == [("csv", line) for line in lines]
    assert not faults


@pytest.mark.parametrize("size", [4, 5, 6, 7, 9])
def test_a_first_row_of_dashes(size):
    rows = ["-" * size, *("1" + "-" * (size - 1) for _ in range(size - 1))]
    found, faults = read("\n".join(rows), box="latin")
    assert ([(shape, n) for shape, n, _ in found], faults) == ([("grid", size)], [])


@pytest.mark.parametrize(
    "headings",
    [
        "id,solution,puzzle",
        "number; rating; puzzle",
        "n\t\tQuiz",
        "id,solution,board",
        "id;answer;Problem",
        "id,solved,unsolved",
        "id,difficulty,puzzle,solution",  # 26 letters, as a row of 26 x 26
        '"id","difficulty","puzzle","solution"',
    ],
)
def test_headings_name_the_column_below_numbers(headings):
    mark = next(mark for mark in ",;\t" if mark in headings)
    for puzzle in (NINE, NINE[:16].translate({ord(digit): "." for digit in "056789"})):
        other = puzzle.replace("0", "1").replace(".", "1")
        assert read(f"{headings}\n7{mark}{other}{mark}{puzzle}")[0] == [
            ("csv", 9 if puzzle == NINE else 4, puzzle)
        ]


def test_candidates_between_commas_are_no_column_of_numbers():
    full = "123456789ABCDEFG"
    text = "\n".join(",".join([full[row], *[full] * 15]) for row in range(16))
    [(shape, size, line)], faults = read(text)
    assert (shape, size, line[::16], faults) == ("grid", 16, full, [])


def test_a_row_of_csv_without_the_column_of_puzzles():
    found, faults = read(f"id,puzzle\n7,{NINE}\n7\n8,{NINE}\n")
    assert found == [("csv", 9, NINE)] * 2
    assert len(faults) == 1 and faults[0].startswith("t:3: 0 cells; a puzzle of ")


@pytest.mark.parametrize(("cells", "box"), [("12345", "3x3"), ("1234", "2x3")])
def test_a_single_row_is_reported_with_its_cells(cells, box):
    faults = read(cells, box=box)[1]
    assert len(faults) == 1 and faults[0].startswith(f"t:1: {len(cells)} cells; a puzzle of ")


@pytest.mark.parametrize("row", ["123.", "12.3", "(12)"])
def test_a_row_of_four_characters_is_no_number_of_a_puzzle(row):
    found, faults = read(f"{row}\n....\n....\n....")
    if row == "(12)":
        assert faults[0].startswith("t:1:1: unknown symbol '('")
    else:
        assert found == [("grid", 4, row + "." * 12)] and not faults


def test_a_grid_begins_with_a_rule_and_a_row_of_blanks():
    text = "+----+\n|----|\n|1--4|\n|--2-|\n|3---|\n+----+\n"
    assert read(text) == ([("grid", 4, "----1--4--2-3---")], [])


def scanned(text, symbols=None):
    """Return the puzzles of a text as they are written; it has no faults."""
    faults = []
    scanner = Scanner("t", LineSyntax(symbols and 9, symbols), faults.append)
    for number, line in enumerate(text.split("\n"), 1):
        scanner.feed(number, line)
    scanner.end()
    assert not faults
    return scanner.take()


def test_rules_below_a_grid_belong_to_it():
    rule = "---+---+---"
    grid = "\n".join(ROWS)
    for between in (f"\n{rule}\n\n", f"\n\n{rule}\n\n"):
        first, second = scanned(f"{grid}{between}{grid}\n")
        assert [line for line, _ in first.grid_text] == [*ROWS, rule]
        assert [line for line, _ in second.grid_text] == ROWS


def test_rules_without_end_are_not_stored():
    (grid,) = scanned("\n".join(ROWS) + "\n\n---+---+---" * (2 * MOST_LINES) + "\n")
    assert len(grid.grid_text) == MOST_LINES


@pytest.mark.parametrize("words", ["by somebody, 2021", "unique, and hard for people " * 4])
@pytest.mark.parametrize("puzzle", ["1..............4", NINE])
def test_words_after_a_puzzle_that_are_longer_than_it(puzzle, words):
    one = ("line", 4 if len(puzzle) == 16 else 9, puzzle)
    assert read(f"{puzzle} {words}\n\n{puzzle} {words}\n{puzzle},{words}") == ([one] * 3, [])


def test_a_grid_below_a_puzzle_that_says_its_layout():
    text = "\n".join([NINE, url([0] * 16, Layout(2, 2)), *ROWS, NINE])
    assert [size for _, size, _ in read(text)[0]] == [9, 4, 9, 9]


@pytest.mark.parametrize(("box", "rows"), [("1x2", "12\n21"), ("1x3", "123\n231\n312")])
def test_rows_of_the_smallest_grids_are_no_numbering(box, rows):
    assert read(rows, box=box) == ([("grid", len(rows.split()), "".join(rows.split()))], [])


def test_digits_of_other_scripts_are_unknown():
    assert read(NINE.replace("0", "\uff10"))[1][0].startswith("t:1:1: unknown symbol '\uff10'")


def test_a_line_of_hodoku_of_a_wrong_length():
    assert read(f":0702:9:{NINE[1:]}::")[1] == [
        "t:1:9: library of HoDoKu: 80 cells; a puzzle of 9x9 has 81"
    ]


@pytest.mark.parametrize("count", [78, 79, 80])
@pytest.mark.parametrize("separator", [" ", "\t", ",", ";"])
def test_a_rating_is_no_cell_of_a_puzzle_with_too_few(count, separator):
    text = f"{NINE[:count]}{separator}{'2.5'[: 81 - count]}"
    for above in ([], [f"{NINE}{separator}2.5"]):
        found, (fault,) = read("\n".join([*above, text]))
        assert found == [("line", 9, NINE)] * len(above)
        assert fault == f"t:{1 + len(above)}: {count} cells; a puzzle of 9x9 has 81"
    assert read(f"1..............{separator}4") == ([], ["t:1: 15 cells; a puzzle of 4x4 has 16"])
    assert read(f"{NINE[:30]} {NINE[31:]} 4") == ([], ["t:1: 80 cells; a puzzle of 9x9 has 81"])
    for groups in (
        f"{NINE[:40]} {NINE[40:]}",
        " ".join(NINE[at : at + 12] for at in range(0, 81, 12)),
    ):
        assert read(groups) == ([("line", 9, NINE)], [])


def test_rules_below_a_fault_belong_to_no_grid():
    rule, rows = "*-----------*", [ruled(row) for row in ROWS]
    bad = [*rows[:4], rows[4][1:-2], *rows[5:]]
    text = "\n".join(line for each in (rows, bad) for line in (rule, *each, rule, ""))
    faults = []
    (batch,) = Reader(on_error=faults.append).text(text)
    assert len(faults) == 1
    assert [line for line, _ in batch.grid_texts[0]] == [rule, *rows, rule]
