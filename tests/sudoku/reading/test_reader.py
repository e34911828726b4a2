"""Every format that puzzle files have, what is wrong with bad ones, and where."""

import codecs
import gzip
import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sudoku
from sudoku.errors import FileError, FormatError, LayoutError
from sudoku.layout import Layout
from sudoku.reading import sources
from sudoku.reading.convert import parse
from sudoku.reading.lines import LineSyntax
from sudoku.reading.reader import Reader
from sudoku.render import render
from sudoku.symbols import Symbols
from sudoku.writing.texts import substitute

NINE = "000000002004200601600000900960804100000903000008706049005000008107008300400000000"
ROWS = [NINE[i : i + 9] for i in range(0, 81, 9)]
DOTTED = NINE.replace("0", ".")
SPACED = "\n".join(" ".join(row) for row in ROWS)


SIXTEEN = " ".join(map(str, range(1, 16)))
PADDED = " ".join(f"{k:02}" for k in range(1, 16))
BLANK_ROW = " ".join("0" * 16) + "\n"
WORDS = "Ann . . Bob\n. Eve .  .\n. . . .\nSue . . Ann\n"


def ruled(row, bar="|"):
    return f"{bar}{row[:3]}{bar}{row[3:6]}{bar}{row[6:]}{bar}"


def banded(rows, rule, top=True):
    bands = ["\n".join(rows[i : i + 3]) for i in (0, 3, 6)]
    inner = f"\n{rule}\n".join(bands)
    return f"{rule}\n{inner}\n{rule}" if top else inner


def read(text, **ask):
    """All puzzles as (shape, size, line), and all faults, of a text."""
    faults = []
    reader = Reader(on_error=lambda fault: faults.append(str(fault)), **ask)
    found = []
    for batch in reader.text(text, "t"):
        cells = batch.layout.cells
        for start in range(0, len(batch.values), cells):
            line = batch.symbols.text(batch.values[start : start + cells])
            found.append((batch.shape, batch.layout.size, line))
    return found, faults


FORMATS = {
    "line": NINE,
    "dots": DOTTED,
    "stars": NINE.replace("0", "*"),
    "underscores": NINE.replace("0", "_"),
    "dashes": NINE.replace("0", "-"),
    "groups on a line": " ".join(ROWS),
    "spaced cells on a line": " ".join(NINE),
    "commas on a line": ",".join(NINE),
    "rows": "\n".join(ROWS),
    "rows of dashes": "\n".join(ROWS).replace("0", "-"),
    "spaced": SPACED,
    "wide": SPACED.replace(" ", "   "),
    "tabs": SPACED.replace(" ", "\t"),
    "commas": SPACED.replace(" ", ","),
    "comma and blank": SPACED.replace(" ", ", "),
    "semicolons": SPACED.replace(" ", ";"),
    "empty fields": SPACED.replace(" ", ",").replace("0", ""),
    "empty tabbed fields": SPACED.replace(" ", "\t").replace("0", ""),
    "groups": "\n".join(f"{r[:3]} {r[3:6]} {r[6:]}" for r in ROWS),
    ".ss": banded([ruled(r) for r in DOTTED_ROWS], "*-----------*")
    if (DOTTED_ROWS := [DOTTED[i : i + 9] for i in range(0, 81, 9)])
    else "",
    "ruled": banded([ruled(r) for r in ROWS], "+---+---+---+"),
    "ruled inside": banded([ruled(r) for r in ROWS], "---+---+---", top=False),
    "dashes as rules": banded([ruled(r) for r in DOTTED_ROWS], "-----------"),
    "dashes as rules and blanks": banded(
        [ruled(r).replace(".", "-") for r in DOTTED_ROWS], "-----------"
    ),
    "bars in rules": banded([ruled(r, "")[:11] for r in DOTTED_ROWS], "---|---|---", top=False),
    "boxes drawn": banded([ruled(r, "│") for r in ROWS], "├───┼───┼───┤"),
    "spaced and ruled": banded(
        [" ".join(ruled(r)) for r in DOTTED_ROWS], "-------------------------"
    ),
    "bands apart by blank lines": "\n\n".join("\n".join(ROWS[i : i + 3]) for i in (0, 3, 6)),
    "header": "Grid 01\n" + "\n".join(ROWS),
    "section": "#A me\n#D a puzzle\n[Puzzle]\n" + "\n".join(ROWS),
    "number": "12.\n" + "\n".join(ROWS),
    "comments": "# one\n" + "\n# two\n".join(ROWS) + " # three",
    "indented": "\n".join("    " + row for row in ROWS),
    "padded numbers": "\n".join(" ".join("0" + c for c in row) for row in ROWS),
    "CSV": f"puzzle,solution\n{NINE},{NINE}",
    "quoted CSV": f'"puzzle","rating"\n"{NINE}","1.2"',
    "CSV with the puzzle elsewhere": f"id,puzzle,solution\n7,{NINE},{NINE}",
    "CSV of one column": f"puzzle\n{NINE}",
    "quoted CSV of one column": f'"puzzle"\r\n"{NINE}"',
    "quoted CSV of one column and a mark": f'\ufeff"puzzle"\n"{NINE}"',
    "CSV of one column, quoted below": f'puzzle\n"{" ".join(ROWS)}"',
    "CSV with semicolons": f'puzzle;n\n"{NINE}";1',
    "CSV with semicolons, elsewhere": f"n;puzzle\n1;{NINE}",
    "CSV with tabs": f'"n"\t"puzzle"\n"1"\t"{NINE}"',
    "CSV with blanks after commas": f'"n", "puzzle"\n"1, one", "{NINE}"',
    "quoted fields": f'"{NINE}","1"',
    "one quoted field": f'"{NINE}"',
    "quoted field with blanks": f'"{" ".join(NINE)}";1',
    "quoted rows": "\n".join(f'"{row}"' for row in ROWS),
    "quoted cells": "\n".join(",".join(f'"{c}"' for c in row) for row in ROWS),
    "quoted cells, none for a blank": "\n".join(
        ",".join(f'"{c}"' for c in row) for row in ROWS
    ).replace("0", ""),
    "rated": f"{NINE} 2.5",
    "with its solution": f"{NINE},{NINE.replace('0', '1')}",
    "named": f"{NINE} ; a fine one",
    "CRLF": "\r\n".join(ROWS) + "\r\n",
    "CR": "\r".join(ROWS) + "\r",
    "mark": "\ufeff" + NINE,
    "DOS end": NINE + "\r\n\x1a",
}


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_found_out(name):
    found, faults = read(FORMATS[name])
    assert not faults
    assert [
        (size, line.replace(".", "0").translate({ord(c): "0" for c in "*_-"}))
        for _, size, line in found
    ] == [(9, NINE)]


@pytest.mark.parametrize("name", FORMATS)
def test_several_puzzles_of_each_format(name):
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


def test_headers_alone_keep_puzzles_apart():
    grids = "\n".join(f"Grid {k:02}\n" + "\n".join(ROWS) for k in range(1, 4))
    assert read(grids)[0] == [("grid", 9, NINE)] * 3
    assert read("\n".join(ROWS * 4))[0] == [("grid", 9, NINE)] * 4


def test_sizes_may_be_mixed():
    text = f"{NINE}\n1234123412341234\n\n" + "\n".join(["123456"] * 6) + "\n\n" + SPACED
    assert [(shape, size) for shape, size, _ in read(text)[0]] == [
        ("line", 9),
        ("line", 4),
        ("grid", 6),
        ("grid", 9),
    ]


@pytest.mark.parametrize(
    ("alphabet", "blanks", "names"),
    [
        ("123456789ABCDEFG", "0", "123456789ABCDEFG"),
        ("123456789ABCDEFG", ".", "123456789ABCDEFG"),
        ("0123456789ABCDEF", ".", "0123456789ABCDEF"),
        ("123456789abcdefg", ".", "123456789abcdefg"),
        ("ABCDEFGHIJKLMNOPQRSTUVWXY", ".", "ABCDEFGHIJKLMNOPQRSTUVWXY"),
        ("ABCDEFGHIJKLMNOPQRSTUVWXY", "0", "ABCDEFGHIJKLMNOPQRSTUVWXY"),
        ("123456789ABC", ".", "123456789ABC"),
        ("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", ".", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        ([str(k) for k in range(1, 17)], "0", [str(k) for k in range(1, 17)]),
        ([str(k) for k in range(1, 26)], "0", [str(k) for k in range(1, 26)]),
        ([str(k) for k in range(1, 37)], ".", [str(k) for k in range(1, 37)]),
    ],
)
def test_large_grids_in_their_customary_symbols(alphabet, blanks, names):
    n = len(alphabet)
    generator = random.Random(n)
    cells = [generator.choice([*alphabet, *blanks * 8]) for _ in range(n * n - 2 * n)]
    cells += list(alphabet) + [blanks] * n
    rows = [cells[i : i + n] for i in range(0, n * n, n)]
    packed = "" if isinstance(alphabet, str) else " "
    for text in (
        "\n".join(packed.join(row) for row in rows),
        "\n".join(" ".join(row) for row in rows),
        "\n".join(",".join(row) for row in rows),
        packed.join(cells),
    ):
        batches = list(Reader().text(text))
        assert [len(batch) for batch in batches] == [1]
        assert batches[0].symbols.names == tuple(names)
        digit = {name: k for k, name in enumerate(names, 1)}
        assert list(batches[0].values) == [digit.get(cell, 0) for cell in cells]


def test_symbols_are_chosen_for_the_whole_file():
    first = "0.F" + "." * 253  # 0 beside another blank: digits from 0
    second = "1..F" + "." * 252
    (batch,) = Reader().text(f"{first}\n{second}\n")
    assert batch.symbols.names[0] == "0" and batch.values[256] == 2


@pytest.mark.parametrize("apart", [" ", ",", " | ", "\t", ""])
def test_words_are_symbols(apart):
    names = Symbols.parse("张三 李四 王五 赵六")
    rows = [["张三", "0", "李四", "."], ["王五", "_", ".", "."], ["."] * 4, ["赵六"] + ["."] * 3]
    expected = [1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0]
    grid = "\n".join(apart.join(row) for row in rows)
    line = apart.join(cell for row in rows for cell in row)
    for text in (grid, line, "Grid 1\n" + grid):
        assert parse(text, symbols=names).values.reshape(-1).tolist() == expected


def test_any_characters_are_symbols():
    assert parse("0.23............"[:16], symbols=Symbols.parse("0.23")).values[0, 0] == 1
    found = parse("+#♠♥............", symbols=Symbols.parse("+#♠♥"))
    assert found.values[0].tolist() == [1, 2, 3, 4]


def test_blank_lines_of_dashes_are_rows_where_dashes_are_blanks():
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


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "t: no puzzle found"),
        ("# nothing\n\n", "t: no puzzle found"),
        ("some words\n", "t: no puzzle found"),
        (NINE[:80], "t:1: 80 cells; a puzzle of 9x9 has 81"),
        (NINE + "1", "t:1: 82 cells; a puzzle of 9x9 has 81"),
        (f"{NINE}\n{NINE[:12]}\n", "t:2: 12 cells; a puzzle of 9x9 has 81"),
        (f"{NINE}\ngarbage\n", "t:2: 7 cells; a puzzle of 9x9 has 81"),
        ("." * 49, "t:1: 49 cells; 7x7 has no boxes: 7 is a prime"),
        ("." * 9, "t:1: 9 cells; 3x3 has no boxes: 3 is a prime; a 9x9 grid has 9 rows of 9 cells"),
        ("\n".join([*ROWS, ROWS[0]]), "t:10: 9 cells; 3x3 has no boxes: 3 is a prime; a 9x9 grid"),
        ("55.." + "." * 12, "t:1:1: number above N: '5'; a cell is 1 to 4"),
        ("1..............7\n" + "." * 16, "t:1:16: number above N: '7'; a cell is 1 to 4"),
        ("." * 35 + "8", "t:1:36: number above N: '8'; a cell is 1 to 6"),
        ("1......\n" * 7, "t:1: a 7x7 grid has no boxes: 7 is a prime"),
        ("\n".join(ROWS[:8]), "t:1: 8 rows of 9 cells; a 9x9 grid has 9 rows"),
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
        ("wx.z\n.zwx\nzwx.\nx.zw\n", "t:1:1: unknown symbol 'w'; a cell is 1-4"),
    ],
)
def test_what_is_wrong_is_told_once_and_with_its_place(text, fault):
    faults = read(text)[1]
    assert len(faults) == 1 and faults[0].startswith(fault)


def test_words_that_have_no_names_are_proposed():
    assert read(WORDS)[1][0].endswith("others are given by --symbols, as 'Ann Bob Eve Sue'")
    assert read("Puzzle by John Doe\n. . . .\n1 . . .\n. 2 . .\n. . . 3\n")[0][0][0] == "grid"
    assert "a cell is Al Bo" in read(WORDS, symbols=Symbols.parse("Al Bo Cy Di"))[1][0]


def test_every_bad_puzzle_is_told_in_order_and_the_others_are_read():
    text = "\n".join([NINE, NINE[:80], "x" + NINE[1:], NINE, NINE + "9", NINE])
    found, faults = read(text)
    assert [fault.split(":")[1] for fault in faults] == ["2", "3", "5"]
    assert found == [("line", 9, NINE)] * 3


def test_without_a_listener_the_first_fault_is_raised():
    with pytest.raises(FormatError, match="80 cells") as caught:
        list(Reader().text(f"{NINE}\n{NINE[:80]}\n", "f.txt"))
    assert (caught.value.source, caught.value.line) == ("f.txt", 2)


def test_a_box_or_symbols_fix_the_size():
    assert "the size that box or symbols set, has 36" in read(NINE, box="2x3")[1][0]
    assert read("1" + "." * 35, box="3x2")[0][0][1] == 6
    with pytest.raises(LayoutError, match="makes a 6x6 grid"):
        Reader(box="2x3", symbols=Symbols.parse("123456789"))
    with pytest.raises(LayoutError, match="prime"):
        Reader(symbols=Symbols.parse("1234567"))


def files(tmp_path, data):
    path = tmp_path / "p.txt"
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize(
    "data",
    [
        NINE.encode(),
        gzip.compress(NINE.encode()),
        gzip.compress(codecs.BOM_UTF8 + NINE.encode()),
        codecs.BOM_UTF8 + NINE.encode() + b"\r\n",
        NINE.encode("utf-16"),
        b"# r\xe4tsel in latin-1\n" + NINE.encode(),
    ],
)
def test_files_of_any_encoding(tmp_path, data):
    (found,) = sudoku.read(files(tmp_path, data))
    assert str(found) == NINE


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not a text file: byte 0x00"),
        (NINE.encode() + b"\n\x01\x02", r":2:1: not a text file: byte 0x01"),
        (gzip.compress(random.Random(1).randbytes(9999))[:-40], "truncated .gz"),
        (gzip.compress(NINE.encode())[:20] + b"\xff" * 40, "damaged .gz"),
        (b"1" * (1 << 21), "line is longer than 262144"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8\x00", "UTF-16"),
    ],
)
def test_files_that_are_no_text(tmp_path, data, message):
    with pytest.raises(FormatError, match=message):
        list(sudoku.read(files(tmp_path, data)))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        list(sudoku.read(str(tmp_path / "none")))
    with pytest.raises(FileError, match="is a folder"):
        list(sudoku.read(str(tmp_path)))


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(NINE))
    assert [str(g) for g in sudoku.read("-")] == [NINE]
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(FileError, match="closed"):
        list(sudoku.read())


@pytest.mark.parametrize("size", [7, 82, 100, 163, 1000])
def test_the_seams_of_chunks_do_not_show(tmp_path, monkeypatch, size):
    text = f"{NINE}\n" * 20 + "# note\r\n" + f"{NINE} 1.5\r\n" * 5 + "\n" + SPACED + "\n\n" + NINE
    whole, faults = read(text)
    assert len(whole) == 27 and not faults
    monkeypatch.setattr(sources, "CHUNK", size)
    path = files(tmp_path, text.encode())
    parts = [str(grid) for grid in sudoku.read(path)]
    assert parts == [line for _, _, line in whole]
    reader = Reader([path])
    assert [batch.place(k) for batch in reader for k in range(len(batch))][20] == f"{path}:22"
    assert reader.sources.position == reader.sources.size == len(text.encode())


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="0123456789.-+|,;# \t\nABx*_\"'[]", max_size=400))
def test_no_text_makes_it_stumble(text):
    found, faults = read(text)
    assert found or faults


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([(2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (5, 5)]),
    st.integers(0, 10**9),
    st.sampled_from(["line", "grid", "pretty"]),
    st.booleans(),
)
def test_what_is_written_is_read_again(box, seed, form, numbers):
    layout = Layout(*box)
    n = layout.size
    generator = random.Random(seed)
    values = [generator.randrange(n + 1) for _ in range(n * n - n)] + list(range(1, n + 1))
    symbols = Symbols.numbers(n) if numbers else Symbols.default(n)
    text = render(values, layout, symbols, form)
    doubtful = n in (4, 16) and form != "line"
    read_again = parse(text, box=box if doubtful else None)
    assert read_again.values.reshape(-1).tolist() == values


def test_rules_and_rows():
    syntax = LineSyntax()
    assert all(map(syntax.is_rule, ["---+---+---", "+===+", "├───┼───┤"]))
    assert not any(map(syntax.is_rule, ["1--+", "---------"]))
    assert syntax.may_be_rule("---------") and not syntax.may_be_rule("- - - -")


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("1 2 3 4", 4),
        ("12 34", 4),
        ("12 34 56 78", 8),
        ("10 0 0 4", 4),
        ("01 02 03 04", 4),
        ("1,2,3,4", 4),
        (",,,", 4),
        ("1234 1234 1234 1234", 16),
        ("| 1 2 | 3 4 |", 4),
        ("100 0 0 4", 4),
    ],
)
def test_cells_of_a_line(line, count):
    assert len(LineSyntax().spans(line)) == count


def stacked(name, count=300):
    """Many different grids in one of the formats."""
    generator = random.Random(5)
    grids = []
    for _ in range(count):
        order = "".join(generator.sample("123456789", 9))
        cells = NINE.translate(str.maketrans("123456789", order))
        rows = [cells[i : i + 9] for i in range(0, 81, 9)]
        grids.append(
            {
                "packed": "\n".join(rows) + "\n\n",
                "no blank line": "\n".join(rows) + "\n",
                "spaced": "\n".join(" ".join(row) for row in rows) + "\n\n",
                "ruled": banded([ruled(row) for row in rows], "+---+---+---+") + "\n\n",
                "ruled, no blank line": banded([ruled(row) for row in rows], "*-----------*")
                + "\n",
                "inner rules": banded([ruled(row) for row in rows], "---+---+---", False) + "\n\n",
                "dashes": "\n".join(rows).replace("0", "-") + "\n\n",
                "boxes drawn": banded([ruled(row, "│") for row in rows], "├───┼───┼───┤") + "\n\n",
                "two blank lines": "\n".join(rows) + "\n\n\n",
                "headers": "Grid 01\n" + "\n".join(rows) + "\n",
                "headers that differ": f"Grid {len(grids)}\n" + "\n".join(rows) + "\n",
                "titles": f"\n{'An' * (len(grids) % 9)} Easy: one\n\n" + "\n".join(rows) + "\n",
                "comments": f"# {'x' * (len(grids) % 5)}\n" + "\n".join(rows) + "\n",
                "headers and rules": f"[Puzzle {len(grids)}] # ä\n"
                + banded([ruled(row) for row in rows], "+---+---+---+")
                + "\n",
                "numbers that are too long": f"{len(grids) + 800}.\n" + "\n".join(rows) + "\n",
                "numbers": "\n".join(" ".join("0" + c for c in row) for row in rows) + "\n\n",
            }[name]
        )
    return grids


def contents(path):
    faults = []
    reader = Reader([path], on_error=lambda fault: faults.append(str(fault)))
    puzzles = []
    for batch in reader:
        for k in range(len(batch)):
            values = batch.values[81 * k : 81 * k + 81]
            complete = [value or 1 for value in values]
            filled = substitute(batch.grid_texts[k], complete, batch.symbols)
            puzzles.append((batch.place(k), values, batch.headers[k] + filled))
    return puzzles, faults


@pytest.mark.parametrize("chunk", [30_000, 41_234, 1 << 20])
@pytest.mark.parametrize(
    "name",
    [
        *("packed", "no blank line", "spaced", "ruled", "ruled, no blank line", "inner rules"),
        *("dashes", "boxes drawn", "two blank lines", "headers", "numbers"),
        *("headers that differ", "titles", "comments", "headers and rules"),
        "numbers that are too long",
    ],
)
def test_many_grids_alike_are_read_as_if_line_by_line(tmp_path, monkeypatch, name, chunk):
    grids = stacked(name)
    grids[200] = grids[200].replace("1", "x", 1)  # Grid 01 becomes another header
    grids[250] = "# a remark\n" + grids[250]
    path = files(tmp_path, "".join(grids).encode())
    monkeypatch.setattr(sources, "CHUNK", chunk)
    quick = contents(path)
    monkeypatch.setattr("sudoku.reading.runs.MIN_BYTES", 1 << 40)
    slow = contents(path)
    assert [puzzle[:2] for puzzle in quick[0]] == [puzzle[:2] for puzzle in slow[0]]
    assert quick[1] == slow[1]
    assert len(quick[0]) + len(quick[1]) >= 300
    assert "".join(p[2] for p in quick[0]) == "".join(p[2] for p in slow[0])


@pytest.mark.parametrize("chunk", [30_000, 41_234, 1 << 20])
@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("", "{0}"),
        ("", "{0} {1}.5 # and so on"),
        ("puzzle,solution", "{0},{0}"),
        ("id,puzzle,solution", "{1},{0},{0}"),
        ("id,puzzle,solution", '{1},"{0}",x'),
        ("id,name,puzzle", '{1},"a, b",{0}'),
        ("id,name,puzzle", "{1},b,{0}"),
        ('"puzzle"', '"{0}"'),
        ('"puzzle","n"', '"{0}","{1}"'),
        ("", '"{0}"'),
        ("", '"{0}","{1}"'),
        ("id;puzzle", '"{1}";"{0}"'),
        ("id\tpuzzle\tname", '{1}\t{0}\t"a\tb"'),
        ("id,name,puzzle", '{1},"a, ""b""",{0}'),
    ],
)
def test_many_lines_alike_are_read_as_if_one_by_one(tmp_path, monkeypatch, head, line, chunk):
    lines = [line.format(NINE[k % 9 :] + "123456789"[: k % 9], k) for k in range(900)]
    lines[300] = line.format(NINE[1:], 300)
    lines[400] = line.format("?" + NINE[1:], 400)
    lines[500:500] = ["# a remark", ""]
    lines[600] = f"{NINE}\n{line.format(NINE, 600)}"
    path = files(tmp_path, "\n".join(["# all", head, *lines] if head else lines).encode())
    monkeypatch.setattr(sources, "CHUNK", chunk)

    def puzzles():
        faults = []
        reader = Reader([path], on_error=lambda fault: faults.append(str(fault)))
        return [
            (batch.place(k), batch.shape, batch.values[81 * k : 81 * k + 81])
            for batch in reader
            for k in range(len(batch))
        ], faults

    quick = puzzles()
    monkeypatch.setattr("sudoku.reading.runs.MIN_BYTES", 1 << 40)
    assert quick == puzzles() and len(quick[0]) >= 898 and len(quick[1]) >= 2


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "\n", "Grid {}\n", "{}.\n", "# {}\n", "Anna's {}\n\n"]),
            st.sampled_from(["\n", "\n\n", " \n"]),
            st.integers(1, 40),
        ),
        min_size=1,
        max_size=6,
    ),
    st.integers(50, 3000),
)
def test_leaps_do_not_show_in_files_of_any_runs(runs, chunk):
    text, number = "", 0
    for lead, end, count in runs:
        for _ in range(count):
            rows = [ROWS[(number + k) % 9] for k in range(9)]
            text += lead.format(number) + "\n".join(rows) + end
            number += 1

    def puzzles(monkeypatch, long):
        monkeypatch.setattr("sudoku.reading.runs.MIN_BYTES", long)
        reader = Reader(on_error=lambda fault: faults.append(str(fault)))
        blocks = text.encode().splitlines(keepends=True)
        chunks = []
        line = 1
        while blocks:
            part, blocks = b"".join(blocks[:chunk]), blocks[chunk:]
            chunks.append((part, line))
            line += part.count(b"\n")
        faults = []
        return [
            (batch.lines[k], batch.values[81 * k : 81 * k + 81], batch.headers[k])
            for batch in reader._batches(chunks, "t")
            for k in range(len(batch))
        ], faults

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sudoku.reading.runs.MIN_PUZZLES", 1)
        assert puzzles(patch, 0) == puzzles(patch, 1 << 40)
