"""Readers: faults, sizes, any text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sudoku
from sudoku.errors import FormatError, LayoutError
from sudoku.reading import sources
from sudoku.reading.reader import Reader
from sudoku.symbols import Symbols
from tests.sudoku.reading.samples import NINE, ROWS, SPACED, files, read


def test_faults_are_reported_in_order_and_good_puzzles_are_read():
    text = "\n".join([NINE, NINE[:80], "x" + NINE[1:], NINE, NINE + "9", NINE])
    found, faults = read(text)
    assert [fault.split(":")[1] for fault in faults] == ["2", "3", "5"]
    assert found == [("line", 9, NINE)] * 3


def test_first_fault_is_raised_by_default():
    with pytest.raises(FormatError, match="80 cells") as caught:
        list(Reader().text(f"{NINE}\n{NINE[:80]}\n", "f.txt"))
    assert (caught.value.source, caught.value.line) == ("f.txt", 2)


def test_first_fault_of_a_file_is_raised_though_another_follows_a_grid(tmp_path):
    text = "\n".join([NINE[:80], "", *ROWS, "", NINE[:79], ""])
    with pytest.raises(FormatError, match=r"p\.txt:1: 80 cells"):
        list(sudoku.read(files(tmp_path, text.encode())))


def test_box_or_symbols_set_the_size():
    assert "the size that box, regions or symbols set, has 36" in read(NINE, box="2x3")[1][0]
    assert read("1" + "." * 35, box="3x2")[0][0][1] == 6
    with pytest.raises(LayoutError, match="makes a 6x6 grid"):
        Reader(box="2x3", symbols=Symbols.parse("123456789"))
    with pytest.raises(LayoutError, match="prime"):
        Reader(symbols=Symbols.parse("1234567"))


def test_latin_squares_of_a_prime():
    for text in ("1234" + "." * 21, "1234.\n" + ".....\n" * 4, ". . 3 4 5\n" + ". . . . .\n" * 4):
        ((_, size, _),), faults = read(text, box="latin+antiking")
        assert (size, faults) == (5, [])
    rows = ["." * 24 + name for name in "123456789ABCDEFGHIJKLMNOP"]
    assert read("\n".join(rows), box="latin") == ([("grid", 25, "".join(rows))], [])
    assert read("1" + "." * 24)[1] == [
        "t:1: 25 cells; 5x5 has no boxes: 5 is a prime (Latin squares have boxes 1x5); a 25x25 "
        "grid has 25 rows of 25 cells"
    ]


@pytest.mark.parametrize("text", ["." * 9, "123\n231\n3..", "." * 4])
def test_texts_of_small_latin_squares_need_their_box(text):
    n = 3 if len(text) > 4 else 2
    assert read(text, box=f"1x{n}+latin")[0][0][1] == n
    puzzles, (fault,) = read(text, box="latin")
    assert not puzzles and fault.endswith(f"texts of {n}x{n} Latin squares need the box 1x{n}")


def test_one_file_has_several_sizes():
    text = f"{NINE}\n1234123412341234\n\n" + "\n".join(["123456"] * 6) + "\n\n" + SPACED
    assert [(shape, size) for shape, size, _ in read(text)[0]] == [
        ("line", 9),
        ("line", 4),
        ("grid", 6),
        ("grid", 9),
    ]


@pytest.mark.parametrize("size", [7, 82, 100, 163, 1000])
def test_chunks_of_any_size_give_the_same_puzzles(tmp_path, monkeypatch, size):
    text = f"{NINE}\n" * 20 + "# note\r\n" + f"{NINE} 1.5\r\n" * 5 + "\n" + SPACED + "\n\n" + NINE
    whole, faults = read(text)
    assert len(whole) == 27 and not faults
    monkeypatch.setattr(sources, "READ_AT_ONCE", size)
    path = files(tmp_path, text.encode())
    parts = [str(grid) for grid in sudoku.read(path)]
    assert parts == [line for _, _, line in whole]
    reader = Reader([path])
    assert [batch.place(k) for batch in reader for k in range(len(batch))][20] == f"{path}:22"
    assert reader.sources.position == reader.sources.size == len(text.encode())


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="0123456789.-+|,;# \t\nABx*_\"'[]", max_size=400))
def test_any_text_gives_puzzles_or_faults(text):
    found, faults = read(text)
    assert found or faults


@pytest.mark.parametrize("size", [100, 1000, 70_000])
def test_pauses_do_not_decide_how_symbols_are_read(tmp_path, monkeypatch, size):
    ordinary, hexadecimal = "1..F" + "." * 252, "0..F" + "." * 252
    small = [NINE, NINE.replace("0", "."), NINE.replace("2", "x")]
    lines = [*small, ordinary, NINE, hexadecimal, *[ordinary] * 300, "g" * 256]
    lines += [hexadecimal[:-1] + "G", *["AB" + "." * 254] * 20]
    grids = "\n".join(hexadecimal[k : k + 16] for k in range(0, 256, 16))
    path = files(tmp_path, "\n".join([*lines, "", grids, "", *lines[::-1]]).encode())

    def contents():
        faults = []
        reader = Reader([path], on_error=lambda fault: faults.append(str(fault)))
        return [
            (batch.place(k), batch.symbols, batch.values[k * cells : (k + 1) * cells])
            for batch in reader
            for cells in [batch.layout.cells]
            for k in range(len(batch))
        ], faults

    whole = contents()
    assert len(whole[0]) > 500 and whole[0][2][1].names[0] == "0" and len(whole[1]) == 2
    monkeypatch.setattr(sources, "READ_AT_ONCE", size)
    assert contents() == whole
    monkeypatch.setattr("sudoku.reading.runs.MIN_BYTES", 1 << 40)
    assert contents() == whole


def events(names):
    """Return the places of puzzles and faults in the order in which they are read or reported."""
    seen = []
    reader = Reader(names, on_error=lambda fault: seen.append(str(fault)))
    for batch in reader:
        seen += [batch.place(k) for k in range(len(batch))]
    return seen


def test_a_file_has_the_same_digits_below_another_as_alone(tmp_path):
    digits = [(4 * r + r // 4 + c) % 16 for r in range(16) for c in range(16)]
    paths = [tmp_path / "from 1", tmp_path / "from 0"]
    for path, symbols in zip(paths, ("123456789ABCDEFG", "0123456789ABCDEF"), strict=True):
        path.write_text("." + "".join([symbols[digit] for digit in digits[1:]]))
    values = [[batch.values for batch in Reader(order)] for order in (paths, paths[::-1])]
    assert values == [[bytes([0] + [digit + 1 for digit in digits[1:]])] * 2] * 2


def test_a_file_that_cannot_be_read_is_reported_and_the_next_one_read(tmp_path):
    path, none = files(tmp_path, f"{NINE}\n".encode()), str(tmp_path / "none")
    assert events([path, none, path]) == [f"{path}:1", f"{none}: no such file", f"{path}:1"]


def test_faults_above_the_end_of_a_damaged_file_are_reported_first(tmp_path, monkeypatch):
    text = "\n".join([*ROWS, NINE[:80]]) + "\n"  # a rule below the grid may follow
    monkeypatch.setattr(sources, "READ_AT_ONCE", len(text))
    path = files(tmp_path, text.encode() + b"\0" * 200)
    faults = [event for event in events([path, path]) if event != f"{path}:1"]
    assert [fault.split(":")[1] for fault in faults] == ["10", "11"] * 2
    with pytest.raises(FormatError, match=":10: 80 cells"):
        list(Reader([path]))


def test_a_fault_is_reported_before_puzzles_far_below(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "READ_AT_ONCE", 100)
    path = files(tmp_path, "\n".join([NINE, NINE[:80], *[NINE] * 50]).encode())
    seen = events([path])
    assert len(seen) == 52
    assert seen[1].startswith(f"{path}:2: 80 cells")
