import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sudoku
from sudoku.errors import RegionWarning
from sudoku.grid import Grid
from sudoku.layout import House, Layout
from sudoku.reading.fpuzzles import _TEXT_OR_COMMENT, _TEXT_OR_REST, _URL, decompressed
from sudoku.reading.lines import PUZZLE_NAMES, REGION_NAMES, Columns
from sudoku.reading.reader import Reader
from sudoku.writing.fpuzzles import compressed, url
from tests.sudoku.reading.samples import DOTTED, NINE, read

GIVEN = {"value": 3, "given": True}


def puzzle(n=4, **more):
    return {"size": n, "grid": [[{} for _ in range(n)] for _ in range(n)], **more}


def one(text):
    (batch,) = Reader().text(text)
    return batch


def fault(text):
    found, (reported,) = read(text)
    assert not found
    return reported


@given(st.text(st.characters(max_codepoint=0xFFFF), max_size=200))
def test_lz_string_gives_back_its_text(text):
    assert decompressed(compressed(text)) == text


@pytest.mark.parametrize(
    ("text", "data"),
    [("hello", "BYUwNmD2Q==="), ("", "Q==="), ("aaaaaaaaaa", "IY1o"), ("\u4e2d", "rRyQ")],
)
def test_lz_string_of_known_texts(text, data):
    assert compressed(text) == data
    assert decompressed(data) == text


@pytest.mark.parametrize(
    "layout",
    [
        Layout(2, 2),
        Layout(3, 3, diagonal=True),
        Layout.of(9, "antiknight+maindiagonal+disjoint"),
        Layout.of(9, "antiking+antidiagonal+windoku"),
        Layout.of(regions="aaababbbccddccdd"),
        Layout.of(regions="aaaaabbbbbcccddccdddeeeee"),
        Layout(3, 2),
        Layout(2, 2, extra=[House("pair", (0, 15))]),
        Layout(4, 4),
    ],
    ids=str,
)
def test_a_url_is_read_as_it_was_written(layout):
    values = [1, *[0] * (layout.cells - 2), layout.size]
    batch = one(url(values, layout))
    assert list(batch.values) == values
    houses = {frozenset(house.cells) for house in batch.layout.all_houses}
    assert houses == {frozenset(house.cells) for house in layout.all_houses}


def test_a_url_has_candidates_and_digits_of_a_player():
    masks = [1, *[6] * 3, *[15] * 12]
    puzzle = Grid(Layout(2, 2), [1, *[0] * 15], candidates=masks)
    written = url([1, *[0] * 15], Layout(2, 2), [1, 2, 3, 4, *[0] * 12], masks)
    assert sudoku.as_grid(written) == puzzle


def test_a_url_among_other_puzzles():
    text = f"{NINE}\n{url([0] * 81, Layout.of(9, 'antiknight'))} a comment\n{NINE}"
    assert [(size, line) for _, size, line in read(text)[0]] == [
        (9, NINE),
        (9, DOTTED.translate({ord(c): "." for c in "123456789"})),
        (9, NINE),
    ]
    assert sudoku.count_solutions(url([0] * 16, Layout(2, 2, diagonal=True))) == 48


@pytest.mark.parametrize("indent", [None, 1])
def test_an_object_on_one_line_and_on_many(indent):
    off = {"antiknight": False, "disjointgroups": None, "negative": []}
    written = puzzle(antiking=True, **off, title="#1 {", ruleset="} {")
    written["grid"][3][3] = GIVEN | {"cornerPencilMarks": [1], "givenPencilMarks": []}
    written["grid"][0][0] = {"value": 4}  # a player's digit
    batch = one(json.dumps(written, indent=indent) + "\n\n")
    assert batch.layout == Layout.of(4, "2x2+antiking")
    assert list(batch.values) == [0] * 15 + [3]


@pytest.mark.parametrize("title", ["{", "]}", 'a "[', "# 1"])
@pytest.mark.parametrize("indent", [None, 1])
def test_brackets_in_a_title_and_a_comment_do_not_count(title, indent):
    text = json.dumps(puzzle(title=title), indent=indent)
    found, faults = read(f"{text} # [a comment\n{NINE}\n")
    assert [size for _, size, _ in found] == [4, 9] and not faults


@pytest.mark.parametrize("before", ["# see ", NINE + "\n# "])
def test_a_url_in_a_comment_is_no_puzzle(before):
    found, faults = read(f"{before}{url([0] * 16, Layout(2, 2))}\n{NINE}\n")
    assert {size for _, size, _ in found} == {9} and not faults


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"thermometer": [{"lines": []}]}, "constraint 'thermometer' is not supported"),
        ({"nonconsecutive": True}, "constraint 'nonconsecutive' is not supported"),
        ({"extraregion": [{"cells": ["R1C9"]}]}, "an extra region needs cells as R1C1"),
        ({"extraregion": 1}, "extraregion is not a list"),
        ({"antiknight": "false"}, "'antiknight' is \"false\": true or false is needed"),
        ({"diagonal+": {}}, "'diagonal+' is {}: true or false is needed"),
        ({"size": 9}, "4 rows where size is 9"),
        ({"grid": [[{}] * 4] * 3 + [[{}]]}, "a row that is not a list of 4 cells"),
        ({"grid": [[{}] * 4] * 3 + [["x"] * 4]}, 'r4c1: "x" is no cell: a digit, 0, null or an'),
        ({"grid": [[{}] * 4] * 3 + [[{"arrow": 1}] * 4]}, "r4c1: 'arrow' of a cell"),
        ({"grid": [[{"givenPencilMarks": [5]}] * 4] * 4}, "value 5: a digit is 1 to 4"),
        ({"grid": [[{"givenPencilMarks": 5}] * 4] * 4}, "givenPencilMarks is not a list"),
        ({"grid": [[{}] * 4] * 3 + [[{"value": 5, "given": True}] * 4]}, "value 5: a digit is"),
        ({"grid": [[{"region": 1}] * 4] * 4}, "region 1 has 16 cells"),
        ({"grid": [[{"region": None}] * 4] * 4}, "a cell has no region"),
        ({"grid": 7}, "JSON that is no puzzle: it has no grid"),
    ],
    ids=str,
)
def test_a_wrong_object_is_reported_with_the_reason(more, reason):
    assert reason in fault(json.dumps(puzzle() | more))


def test_a_wrong_object_is_reported_with_line_and_column():
    text = json.dumps(puzzle(), indent=1)[:-2]
    assert fault('# a\n{"a": 1}').startswith("t:2:1: JSON that is no puzzle")
    assert fault(text + ',\n "arrow": [1]}').startswith(f"t:{text.count(chr(10)) + 2}:2: ")
    assert fault('{\n "a" 1}').startswith("t:2:6: JSON: Expecting ':' delimiter")
    assert fault('{\n "a": [').startswith("t:2:8: JSON: Expecting value")
    assert fault('{\n "a": ""}').startswith("t:1:1: JSON that is no puzzle")


def test_a_number_of_thousands_of_digits_is_a_fault():
    text = '{"size": 4, "grid": [' + "1" * 5000 + "]}"
    assert fault(text) == "t:1:1: JSON: a number with too many digits"


def test_a_wrong_object_is_reported_with_its_cell():
    written = puzzle()
    for row, digit in enumerate([3, 4, 5]):
        written["grid"][row][0] = {"value": digit, "given": True}
    text = json.dumps(written | {"title": "value"})
    column = text.rindex('"value"', 0, text.rindex('"title"')) + 1
    assert fault(text) == f"t:1:{column}: r3c1: value 5: a digit is 1 to 4"


def regions(names):
    rows = [[{"region": int(name)} for name in row] for row in names.split()]
    return json.dumps(puzzle() | {"grid": rows}, indent=1)


def test_regions_of_an_object_that_do_not_fit():
    text = regions("0001 0111 2233 2223")
    line = 1 + text.count("\n", 0, [m.start() for m in re.finditer("region", text)][14])
    reason = "region 2 has 5 cells: in a 4x4 grid each has 4; its last is r4c3"
    assert fault(text) == f"t:{line}:5: {reason}"
    assert fault(text.replace("1", "null")).startswith("t:15:5: r1c4: a cell has no region, but")


def test_regions_of_an_object_that_are_not_connected():
    text = regions("0010 1110 2233 2233")
    line = 1 + text.count("\n", 0, [m.start() for m in re.finditer("region", text)][3])
    reason = "region 0 is not connected: r1c1 and r1c4 are apart"
    with pytest.warns(RegionWarning, match=f"^<text>:{line}:5: {reason}$"):
        layout = one(text).layout
    written = url([0] * 16, layout)
    with pytest.warns(RegionWarning, match=f"^<text>:1:{written.index('=') + 2}: region 0 is not"):
        one(written)


@pytest.mark.parametrize("around", ["[a puzzle]({})", "<{}>", "{}#note", "{}&x=1", '"{}"'])
def test_a_url_ends_where_its_data_do(around):
    assert one(around.format(url([1, *[0] * 15], Layout(2, 2)))).layout == Layout(2, 2)


@pytest.mark.parametrize("rows", [0, 65])
def test_an_object_of_a_size_that_no_grid_has(rows):
    grid = [[{}] * rows] * rows
    assert fault(json.dumps({"grid": grid})) == f"t:1:2: a grid of {rows} rows: N is from 1 to 64"


def test_a_wrong_url_is_reported_with_the_reason():
    good = url([0] * 81, Layout(3, 3))
    start = good.index("=") + 2  # column of the data
    assert fault(good[:-30]) == f"t:1:{start}: URL: the data are cut off"
    assert "is not of base 64" in fault(good[:60] + "!" + good[60:])
    assert "URL: JSON in it" in fault(good[: start - 1] + compressed("{"))
    assert "URL: JSON that is no puzzle" in fault(good[: start - 1] + compressed("[1]"))
    arrows = compressed(json.dumps(puzzle(arrow=[1])))
    assert "URL: constraint 'arrow' is not supported" in fault(good[: start - 1] + arrows)


def test_damaged_and_endless_data_are_refused(monkeypatch):
    with pytest.raises(ValueError, match=r"^the data are damaged$"):
        decompressed("w")  # the first word is one that no character precedes
    monkeypatch.setattr("sudoku.reading.fpuzzles.MOST_CHARACTERS", 4)
    assert decompressed(compressed("four")) == "four"
    with pytest.raises(ValueError, match=r"^it has more than 4 characters$"):
        decompressed(compressed("fives"))


def test_houses_that_do_not_fit_are_refused():
    short = puzzle(extraregion=[{"cells": ["R1C1"]}])
    assert fault(json.dumps(short)) == (
        "t:1:1: house 'extra region 1' of 1 cell: a 4x4 grid has houses of 2 to 4 different cells"
    )
    reason = "t:1:1: disjoint: a layout without boxes has none"
    assert fault(json.dumps(puzzle(7, disjointgroups=True))) == reason


def test_a_puzzle_that_says_its_layout_takes_no_other():
    written = url([0] * 16, Layout(2, 2))
    nine = sudoku.Symbols.default(9)
    assert read(written, symbols=nine)[1] == ["t:1: a 4x4 puzzle; symbols are for 9x9"]
    assert read(written, box="2x2")[1] == [
        "t:1: the puzzle says its layout: leave out box, latin and regions"
    ]
    (batch,) = Reader(diagonal=True, box="antiking").text(written)
    assert batch.layout == Layout.of(4, "2x2+diagonal+antiking")


def test_json_of_rows_and_of_the_command():
    rows = [[1, 2, 3, 4], [0] * 4, [None] * 4, [0, 0, 0, 1]]
    for text in (json.dumps(rows), json.dumps(rows, indent=1), str(rows).replace("None", "0")):
        (batch,) = Reader().text(text)
        assert list(batch.values) == [1, 2, 3, 4] + [0] * 11 + [1]
    texts = ("1234...........1", "..............12", ". . . . 1 2 3 4 . . . . 3 4 1 2")
    written = "".join(json.dumps({"puzzle": text, "count": 1}) + "\n" for text in texts)
    (batch,) = Reader().text(written)
    assert (batch.lines, list(batch.values)[:16]) == ([1, 2, 3], [1, 2, 3, 4] + [0] * 11 + [1])


def test_json_as_other_programs_write_it():
    digits = [int(digit) for digit in NINE.replace(".", "0")]
    rows = [digits[start : start + 9] for start in range(0, 81, 9)]
    texts = [[str(digit or ".") for digit in row] for row in rows]  # as on LeetCode
    written = (
        *({key: cells, "solution": rows} for key in ("puzzle", "board") for cells in (rows, texts)),
        *(digits, [digit or None for digit in digits]),  # cell by cell, as `Grid.digits`
        *(texts, [[str(digit or "") for digit in row] for row in rows]),
        [[digit or "" for digit in row] for row in rows],
    )
    for value in written:
        for indent in (None, 1):
            (batch,) = Reader().text(json.dumps(value, indent=indent))
            assert list(batch.values) == digits
    assert read(json.dumps(digits[1:]))[1] == ["t:1:1: 80 cells; a puzzle of 9x9 has 81"]
    texts[0][1] = "x"
    assert read(json.dumps(texts))[1][0].startswith("t:1: r1c2: unknown symbol 'x'")
    both = puzzle() | {"board": rows}
    assert "constraint 'board' is not supported" in fault(json.dumps(both))


@pytest.mark.parametrize("n", [4, 9])
def test_candidates_in_json_are_read_as_they_were_written(n):
    masks = [(1 << n) - 2, *[(1 << n) - 1] * (n * n - 1)]
    grid = Grid(Layout.of(n), [0] * (n * n), candidates=masks)
    for text in (str(grid), f"{grid:grid}"):
        assert sudoku.as_grid(json.dumps({"puzzle": text})) == grid
    wrong = json.dumps({"puzzle": f"{grid:grid}".replace("234", "243", 1)})
    assert read(wrong)[1][0].startswith("t:1:2: candidates '243")


@pytest.mark.parametrize("apart", [" ", "\n"])
def test_rows_in_the_text_of_json(apart):
    text = apart.join(["1...", "..2.", ".3..", "...4"])
    assert sudoku.as_grid(json.dumps({"puzzle": text})).digits == sudoku.as_grid(text).digits


@pytest.mark.parametrize("box", ["2x2", "latin", Layout.of(4, regions="1122112233443344")])
def test_rows_of_numbers_say_no_layout(box):
    (batch,) = Reader(box=box, diagonal=True).text(json.dumps([[1, 2, 3, 4]] + [[0] * 4] * 3))
    assert batch.layout == Layout.of(4, box, True)


def test_small_latin_squares_are_read_as_json():
    for n in (1, 2, 3):
        text = json.dumps({"puzzle": "." * n * n})
        (batch,) = Reader(box="latin").text(text)
        assert batch.layout == Layout(1, n)
        assert read(text)[1][0].startswith(f"t:1: a {n}x{n} grid has no boxes; Latin")


@pytest.mark.parametrize("text", ["{}", "[]", "[1, 2]", '["a"]', '[\n {\n  "a": 1\n }\n]', "[{}]"])
def test_json_that_is_no_puzzle_is_one_fault(text):
    reason = "t:1:1: JSON that is no puzzle: it has no grid, and no puzzle as a text"
    assert read(text)[1] == [f"{reason} or rows under a name such as puzzle, quiz or board"]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_json_list_of_puzzles(indent):
    texts = [NINE, "123", f"{NINE[:9]}\n{NINE[9:]}"]
    found, faults = read(json.dumps(texts, indent=indent))
    assert found == [("line", 9, NINE)] * 2
    place = "t:3:2" if indent else "t:1:87"
    assert faults == [f"{place}: 3 cells; a puzzle of 4x4 has 16"]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_json_list_of_grids_as_lists(indent):
    """As `tolist` of an array (k, N, N) or (k, N*N) gives it."""
    small = np.arange(16).reshape(4, 4) % 5
    nine = np.array([int(digit) for digit in NINE.replace(".", "0")])
    for written in ([nine.reshape(9, 9).tolist()] * 9, [nine.tolist()] * 3):
        found, faults = read(json.dumps(written, indent=indent))
        assert found == [("line", 9, NINE.replace("0", "."))] * len(written) and not faults
    wrong, odd = small.tolist(), small.tolist()
    wrong[1][2], odd[3] = 5, [1]
    written = [small.tolist(), wrong, nine.reshape(9, 9).tolist(), odd]
    found, faults = read(json.dumps(written, indent=indent))
    assert [size for _, size, _ in found] == [4, 9]
    text = json.dumps(written)
    columns = [text.index(json.dumps(each)) + 1 for each in (wrong, odd)]
    places = ("t:28:2", "t:155:2") if indent else [f"t:1:{column}" for column in columns]
    assert faults == [
        f"{places[0]}: r2c3: value 5: a digit is 1 to 4",
        f"{places[1]}: a grid of 4 rows has a row that is not a list of 4 cells",
    ]
    assert len(read(json.dumps(small.tolist(), indent=indent))[0]) == 1


@pytest.mark.parametrize("name", [*PUZZLE_NAMES, "Quiz"])
def test_names_of_the_puzzle_in_json_are_the_headings_of_csv(name):
    rows = [[int(digit) for digit in NINE[at : at + 9].replace(".", "0")] for at in range(0, 81, 9)]
    for written in ({"id": 1, name: NINE}, {name: rows}):
        assert one(json.dumps(written)).values == one(NINE).values
    assert [*Columns(f"id,{name}").puzzle(f"1,{NINE}")] == [NINE, 2]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_json_list_of_objects(indent):
    objects = [{"puzzle": NINE}, {"id": 2}, {"quiz": "123"}, puzzle(antiking=True), {"grid": NINE}]
    text = json.dumps(objects, indent=indent)
    found, faults = read(f"{text}\n{NINE}\n")
    assert [size for _, size, _ in found] == [9, 4, 9, 9]
    places = "t:1:99: ", "t:1:111: "
    if indent:
        places = "t:5:2: ", "t:9:3: "
    assert faults[0].startswith(places[0] + "JSON that is no puzzle: it has no grid")
    assert faults[1:] == [places[1] + "3 cells; a puzzle of 4x4 has 16"]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("kind", ["grid", "cells", "text", "object"])
def test_a_json_object_of_several_puzzles(kind, indent):
    dotted = NINE.replace("0", ".")
    nine = np.array([int(digit) for digit in NINE.replace(".", "0")])
    lists = {"grid": nine.reshape(9, 9).tolist(), "cells": nine.tolist(), "text": dotted}
    right = lists.get(kind, {"quiz": dotted})
    others = {"info": {"puzzles": [1, [2]]}, "title": "puzzles", "size": [1]}
    for count in (1, 3):
        written = {**others, "puzzles": [right] * count, "more": [right]}
        assert read(json.dumps(written, indent=indent)) == ([("line", 9, dotted)] * count, [])
    wrong = dotted[1:] if kind == "text" else {"quiz": dotted[1:]}
    if kind in ("text", "object"):
        text = json.dumps({**others, "puzzles": [right, wrong]}, indent=indent)
        _, (reported,) = read(text)
        at = text.index(dotted[1:] + '"', text.index(dotted) + 81) - 1
        if kind == "object":
            at = text.index('"quiz"', text.index('"quiz"') + 1)
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        assert reported == f"t:{line}:{column}: 80 cells; a puzzle of 9x9 has 81"


def test_a_json_object_of_several_puzzles_has_no_regions():
    names = "".join("abc"[k % 27 // 9] * 3 for k in range(27))
    written = json.dumps({"puzzles": [[0] * 81, [0] * 81], "regions": names})
    assert "a grid of 2 rows has a row that is not a list of 2 cells" in fault(written)


SIX = "aaabbb aaabbb ccccdd ccdddd eeefff eeefff"


@pytest.mark.parametrize("name", REGION_NAMES)
def test_regions_of_a_json_object_are_those_of_csv(name):
    names = SIX.replace(" ", "")
    in_csv = one(f"puzzle,{name}\n{'.' * 36},{names}\n").layout
    rows = [[None] * 6] * 6
    for value, regions_ in (("." * 36, names), ("\n".join(["." * 6] * 6), SIX), (rows, names)):
        batch = one(json.dumps({"puzzle": value, name: regions_, "other": 1}))
        assert batch.layout == in_csv == Layout.of(regions=SIX) and list(batch.values) == [0] * 36
    assert one(json.dumps({"puzzle": "." * 36, name: None})).layout == Layout(2, 3)


def test_regions_of_a_json_object_that_do_not_fit():
    for names, reason in (
        (SIX[:-1], "35 names of regions for 36 cells; each cell has one"),
        (SIX[:-1] + "a", "region 'a' has 7 cells: in a 6x6 grid each has 6; its last is r6c6"),
        (6, "'regions' is 6: a text with the name of each cell's region is needed"),
    ):
        written = f'{{"puzzle": "{"." * 36}",\n "regions": {json.dumps(names)}}}'
        assert fault(written) == f"t:2:2: {reason}"


def test_regions_of_json_that_are_not_connected_give_one_warning():
    text = json.dumps({"puzzle": "." * 16, "regions": "aabaabbbccddccdd"})
    column = text.index('"regions"') + 1
    with pytest.warns(RegionWarning, match=f"^<text>:1:{column}: region 'a' is not conn") as seen:
        (batch,) = Reader().text(f"{text}\n{text}\n")
    assert (len(batch), len(seen)) == (2, 1)


def test_json_with_a_text_that_is_no_puzzle():
    assert read('{"puzzle": "123"}')[1] == ["t:1:2: 3 cells; a puzzle of 4x4 has 16"]
    assert read('{"puzzle": "1.....2..3.....x"}')[1][0].startswith("t:1: r4c4: unknown symbol 'x'")


@pytest.mark.parametrize("layout", [Layout(1, 9), Layout(3, 6)])
def test_layouts_that_f_puzzles_does_not_have_are_refused(layout):
    with pytest.raises(sudoku.SudokuError, match="f-puzzles has"):
        url([0] * layout.cells, layout)


@pytest.mark.parametrize("cut", [1, 4, 20])
def test_an_object_that_is_cut_does_not_take_the_lines_below(cut):
    line = json.dumps({"puzzle": NINE, "count": 1})
    found, (reported,) = read("\n".join([line, line[:-cut], line, line]))
    assert found == [("line", 9, NINE)] * 3
    assert reported.startswith("t:2:") and "JSON: " in reported


@pytest.mark.parametrize(
    ("row", "symbols"),
    [("[{ab", "[{ab"), ("[]{}", "[]{}"), ("{}ab", "{}ab"), ("[[.b", "[{ab"), ("[ { | a b", "[{ab")],
)
def test_a_row_of_brackets_is_no_json_where_these_are_symbols(row, symbols):
    found = sudoku.as_grid("\n".join([row, *[re.sub(r"[^ |]", ".", row)] * 3]), symbols=symbols)
    assert str(found) == re.sub("[ |]", "", row) + 12 * "."
    assert sudoku.as_grid(json.dumps({"puzzle": str(found)}), symbols=symbols) == found


def test_a_line_is_searched_once():
    # from each of its schemes or quotes anew, a long line takes the square of its length
    assert [match.span() for match in _URL.finditer("https://" * 9 + " a")] == [(0, 72)]
    assert [match.span() for match in _TEXT_OR_REST.finditer('{"' + r"\"" * 9)] == [(1, 20)]
    assert [match.span() for match in _TEXT_OR_COMMENT.finditer('{"' + r"\"" * 9)] == [(1, 20)]
