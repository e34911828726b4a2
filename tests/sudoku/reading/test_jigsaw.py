import pytest

import sudoku
from sudoku.errors import RegionWarning
from sudoku.layout import Layout
from sudoku.reading.convert import grid_of
from sudoku.reading.jigsaw import jigsaw
from sudoku.reading.lines import LineSyntax
from sudoku.reading.reader import Reader
from sudoku.reading.scanner import Scanner
from tests.sudoku.reading.samples import NINE, ROWS, read

BOXES = "".join(str(cell // 27 * 3 + cell % 9 // 3) for cell in range(81))
LETTERS = "".join("abcdefghi"[int(name)] for name in BOXES)
SOLVED = str(sudoku.solve(NINE))
FOUR, REGIONS = "1..............4", "aaababbbccddccdd"
SEVEN = "".join(chr(ord("a") + row) * 7 for row in range(7))


def houses(layout):
    return {frozenset(house.cells) for house in layout.all_houses}


@pytest.mark.parametrize("apart", ["", " ", ",", ":", ";", "\t"])
@pytest.mark.parametrize("names", [BOXES, LETTERS, LETTERS.upper()])
def test_givens_and_regions_on_a_line(apart, names):
    (batch,) = Reader().text(f"{NINE}{apart}{names}\n" * 2)
    assert batch.symbols.text(batch.values) == NINE * 2
    assert batch.lines == [1, 2]
    assert houses(batch.layout) == houses(Layout(3, 3))


def test_jigsaws_of_4x4_and_7x7_are_read():
    (batch,) = Reader().text(f"{FOUR} {REGIONS}")
    assert batch.layout == Layout.of(regions=REGIONS)
    (batch,) = Reader().text("." * 49 + SEVEN + " and a comment")
    assert batch.layout == Layout.of(regions=SEVEN)


@pytest.mark.parametrize("apart", ["\n", "\n\n", "\nRegions:\n"])
@pytest.mark.parametrize("names", [BOXES, LETTERS])
@pytest.mark.parametrize("many", [1, 150])
def test_regions_below_a_puzzle(apart, names, many):
    rows = "\n".join(NINE[start : start + 9] for start in range(0, 81, 9))
    below = "\n".join(names[start : start + 9] for start in range(0, 81, 9))
    for text in (f"{NINE}{apart}{names}\n", f"{rows}{apart}{below}\n\n"):
        batches = list(Reader().text(text * many))
        assert sum(map(len, batches)) == many
        for batch in batches:
            assert not batch.layout.has_boxes
            assert houses(batch.layout) == houses(Layout(3, 3))


def test_regions_below_a_puzzle_that_was_answered():
    scanner = Scanner("t", LineSyntax(), lambda fault: faults.append(str(fault)))
    faults = []
    for number in (1, 3):
        scanner.feed(number, NINE)
        assert len(scanner.take(1)) == (number == 1)  # as at a pause of a pipe
        scanner.feed(number + 1, BOXES)
    (puzzle,) = scanner.take()
    assert puzzle.layout.houses[18:].tolist() == Layout(3, 3).houses[18:].tolist()
    assert faults == ["t:2: regions of a puzzle that was answered: write both on one line"]


def test_regions_below_a_puzzle_that_are_not_connected_are_warned_of():
    with pytest.warns(RegionWarning) as doubts:
        (batch,) = Reader().text("1...\n..2.\n.3..\n...4\n\naabb\naacc\nbddc\ndbdc\n", "t")
    assert not batch.layout.has_boxes
    assert [str(doubt.message) for doubt in doubts] == [
        "t:8:1: region 'b' is not connected: r1c3 and r3c1 are apart",
        "t:9:1: region 'd' is not connected: r3c2 and r4c1 are apart",
    ]


def test_text_after_a_puzzle_is_not_regions_because_of_its_length():
    shape = [("line", 9, NINE)] * 2
    assert read(f"{NINE} {SOLVED}\n{NINE},{NINE.replace('0', '1')}") == (shape, [])
    assert read(f"{NINE}\n{NINE} {BOXES}") == (shape, [])  # the first puzzle decides
    for comment in ("difficulty 1234", "a" * 81, "unquestionable", f"#{BOXES[1:]}", ROWS[0]):
        assert read(f"{NINE} {comment}\n{NINE} {comment}") == (shape, [])


@pytest.mark.parametrize(
    "text",
    [
        f"{FOUR} {REGIONS} 3.5 a comment",
        f"{FOUR},{REGIONS},3.5",
        f"puzzle,regions\n{FOUR},{REGIONS}",
        f"id;regions;puzzle\n7;{REGIONS};{FOUR}",
    ],
)
def test_columns_after_the_regions_are_ignored(text):
    assert [batch.layout for batch in Reader().text(text)] == [Layout.of(regions=REGIONS)]


def test_regions_of_a_column_that_do_not_fit():
    text = f"id,regions,puzzle\n7,{REGIONS[:-1]}c,{FOUR}"
    assert read(text)[1][0].startswith("t:2:18: region 'c' has 5 cells")


def test_more_than_n_region_names_are_reported():
    assert read(f"{NINE}{LETTERS}a")[1] == ["t:1: 163 cells; a puzzle of 12x12 has 144"]


def test_plain_puzzles_among_jigsaws():
    layouts = [batch.layout for batch in Reader().text(f"{NINE} {BOXES}\n{NINE}\n{NINE} {BOXES}")]
    assert [layout.has_boxes for layout in layouts] == [False, True, False]


@pytest.mark.parametrize("apart", ["", " "])
def test_regions_of_a_wrong_size(apart):
    found, faults = read(NINE + apart + BOXES[:-1] + "1")
    assert found == []
    place = 81 + len(apart) + 81  # that of the cell
    reason = "region '1' has 10 cells: in a 9x9 grid each has 9; its last is r9c9"
    assert faults == [f"t:1:{place}: {reason}"]


def test_a_wrong_number_of_regions_is_a_fault():
    regions = REGIONS[:5] + "x" + REGIONS[6:]
    reason = "region 'x' has 1 cell: in a 4x4 grid each has 4; its first is r2c2"
    assert read(f"{FOUR} {regions}")[1] == [f"t:1:23: {reason}; there are 5 regions, not 4"]


def test_a_cell_that_is_no_symbol():
    assert read(f"x{NINE[1:]} {BOXES}")[1][0].startswith("t:1:1: unknown symbol 'x'")


@pytest.mark.parametrize("heading", ["puzzle,regions", "id,puzzle,regions", "regions;puzzle"])
def test_a_column_of_regions_where_n_is_a_prime(heading):
    seven = "1100000111102012222223333333444444465555556666665"
    for names in ("0000101111222223333344444", seven):
        cells = "1" + "." * (len(names) - 1)
        row = {"id": "7", "puzzle": cells, "regions": names}
        mark = ";" if ";" in heading else ","
        line = mark.join(row[name] for name in heading.split(mark))
        expected = sudoku.as_grid(f"{cells} {names}")
        found = [grid_of(batch, 0) for batch in Reader().text(f"{heading}\n{line}\n")]
        assert found == [expected]


def test_regions_below_a_puzzle_whose_n_is_a_prime_are_a_fault():
    text = "." * 49 + "\n" + "".join(7 * name for name in "abcdefg") + "\n"
    message = "the puzzle says its layout: leave out box, latin and regions"
    assert read(text, box="latin")[1] == [
        f"t:1: {message}; the regions of a 7x7 puzzle stand beside it, not below"
    ]
    assert read(f"{FOUR}\n{REGIONS}\n", box="latin")[1] == [f"t:1: {message}"]


def test_regions_that_are_not_connected_are_warned_of():
    with pytest.warns(UserWarning, match="region '[ab]' is not connected"):
        sudoku.solve("." * 25 + "baaaa" + "abbbb" + "cccccdddddeeeee")


@pytest.mark.parametrize("line", ['"' * 50, "|" * 162, " " * 40, ":" * 72])
def test_a_line_without_words_is_no_jigsaw(line):
    assert jigsaw(line, True) is None


def test_a_command_warns_of_them_in_one_line(run_dlx):
    regions = "aaabbbbaccccdddd"
    result = run_dlx(f"{FOUR} {regions}\n{FOUR} {regions}\n")
    warnings = [line for line in result.err.splitlines() if "warning" in line]
    assert warnings == [  # once for puzzles in a row with the same regions
        "warning: in.txt:1:25: region 'a' is not connected: r1c1 and r2c4 are apart",
        "warning: in.txt:1:22: region 'b' is not connected: r1c4 and r2c1 are apart",
    ]
    assert len(result.lines) == 2 and "jigsaw.py" not in result.err


@pytest.mark.parametrize("names", [REGIONS[:-1], REGIONS + "d", "aaab abbb ccdd ccdd"])
def test_too_few_or_too_many_regions_in_a_column(names):
    found, faults = read(f"puzzle,regions\n{FOUR},{REGIONS}\n{FOUR},{names}\n{FOUR},\n")
    assert len(found) == 2
    assert faults == [f"t:3:18: {len(names)} names of regions for 16 cells; each cell has one"]


@pytest.mark.parametrize("above", ["", f"{FOUR} {REGIONS}\n"])
def test_names_of_regions_that_are_damaged(above):
    tails = [f" {REGIONS[1:]}", f" {REGIONS}dd 3.5", f" {SOLVED}", f":{REGIONS[:15]}."]
    text = "".join(f"{FOUR}{tail}\n" for tail in tails)
    count = above.count("\n")
    found, faults = read(above + text + above)
    assert len(found) == 2 * count + 1  # what is no name of a region is a comment
    reasons = [f"{number} names of regions for 16 cells; each cell has one" for number in (15, 18)]
    assert faults == [
        f"t:{count + 1}:18: {reasons[0]}",
        f"t:{count + 2}:18: {reasons[1]}",
        f"t:{count + 4}:33: '.' is no name of a region; a letter or a digit is needed",
    ]


def test_other_names_below_a_jigsaw_are_a_fault_and_elsewhere_a_comment():
    scattered = f"{FOUR} abcdbadccdabdcb\n"
    fault = "names of regions for 16 cells; each cell has one"
    assert read(f"{FOUR} {REGIONS}\n{scattered}")[1] == [f"t:2:18: 15 {fault}"]
    assert read(scattered)[1] == []
