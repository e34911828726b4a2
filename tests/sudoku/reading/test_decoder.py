"""Symbols that are found from the cells, and symbols that are given."""

import json
import random
from math import isqrt

import pytest

from sudoku.layout import default_box
from sudoku.reading.convert import parse
from sudoku.reading.reader import Reader
from sudoku.symbols import Symbols


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
        ([str(k) for k in range(16)], ".", [str(k) for k in range(16)]),
        ([str(k) for k in range(25)], "_", [str(k) for k in range(25)]),
    ],
)
def test_large_grids_in_customary_symbols(alphabet, blanks, names):
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


def test_symbols_are_common_to_all_puzzles():
    first = "0.F" + "." * 253  # 0 beside another blank: digits from 0
    second = "1..F" + "." * 252
    (batch,) = Reader().text(f"{first}\n{second}\n")
    assert batch.symbols.names[0] == "0" and batch.values[256] == 2


def test_a_complete_grid_of_numbers_from_0_has_no_blank():
    names = [str(k) for k in range(12)]
    rows = [names[start:] + names[:start] for start in range(12)]
    (batch,) = Reader(box="latin").text("\n".join(map(" ".join, rows)))
    assert batch.symbols.names == tuple(names) and 0 not in batch.values


def test_0_is_a_blank_among_numbers_of_json():
    cells = [0, None, *range(1, 16)] + [0] * 239
    (batch,) = Reader().text(json.dumps(cells))
    assert list(batch.values) == [cell or 0 for cell in cells]


@pytest.mark.parametrize("apart", [" ", ",", " | ", "\t", ""])
def test_words_as_symbols(apart):
    names = Symbols.parse("张三 李四 王五 赵六")
    rows = [["张三", "0", "李四", "."], ["王五", "_", ".", "."], ["."] * 4, ["赵六"] + ["."] * 3]
    expected = [1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0]
    grid = "\n".join(apart.join(row) for row in rows)
    line = apart.join(cell for row in rows for cell in row)
    for text in (grid, line, "Grid 1\n" + grid):
        assert parse(text, symbols=names).values.reshape(-1).tolist() == expected


def test_words_of_as_many_letters_as_cells():
    symbols = Symbols.parse("eins zwei")
    (batch,) = Reader(box="1x2", symbols=symbols).text("eins . . .\nzwei . . eins\n")
    assert list(batch.values) == [1, 0, 0, 0, 2, 0, 0, 1]


def test_any_characters_as_symbols():
    assert parse("0.23............"[:16], symbols=Symbols.parse("0.23")).values[0, 0] == 1
    found = parse("+#♠♥............", symbols=Symbols.parse("+#♠♥"))
    assert found.values[0].tolist() == [1, 2, 3, 4]


def padded(values, blank, least=1):
    """Rows of words of two characters."""
    words = [f"{value - 1 + least:02}" if value else blank for value in values]
    n = isqrt(len(words))
    return "\n".join(" ".join(words[k : k + n]) for k in range(0, n * n, n)) + "\n"


@pytest.mark.parametrize("blank", ["..", "--", "__", "**", "00"])
@pytest.mark.parametrize("n", [4, 9, 12, 16, 25])
def test_a_blank_of_two_characters_among_words(n, blank):
    values = [(k * 7 + k // n) % (n + 1) for k in range(n * n)]
    values[n : 2 * n] = [0 if n > 18 else 1, *[0] * (n - 1)]  # a row of blanks
    text = padded(values, blank)
    names = " ".join(map(str, range(1, n + 1)))
    for written in (text, text.replace("\n", " ") + "\n", json.dumps({"puzzle": text})):
        for symbols in (None, Symbols.parse(names)):
            (batch,) = Reader(symbols=symbols).text(written)
            assert list(batch.values) == values
    if n > 9 and blank != "00":
        values = [value if value != n else 0 for value in values]  # whether 0 is a digit
        (batch,) = Reader().text(padded([*values[:-1], 1], blank, 0))
        assert list(batch.values) == [*values[:-1], 1] and batch.symbols.names[0] == "0"


@pytest.mark.parametrize("rule", ["", "\n", "---\n"])
@pytest.mark.parametrize("first", [0, 1, 3])
@pytest.mark.parametrize("n", [6, 9, 16])
def test_a_row_of_blanks_of_two_characters_has_as_many_cells_as_the_others(n, first, rule):
    values = [(k * 7 + k // n) % n + 1 for k in range(n * n)]
    values[first * n : (n - 1) * n] = [0] * ((n - 1 - first) * n)  # most rows
    height = default_box(n)[0]
    lines = padded(values, "..").splitlines(keepends=True)
    bands = ["".join(lines[k : k + height]) for k in range(0, n, height)]
    if rule == "\n" and first == 0:
        bands = ["".join(lines)]  # a band of blanks and a blank line may be of a larger grid
    for box in (None, "x".join(map(str, default_box(n)))):
        batches = Reader(box=box).text(2 * rule.join(bands))
        assert b"".join(batch.values for batch in batches) == 2 * bytes(values)


def test_two_blanks_in_a_group_of_characters_are_two_cells():
    rows = ["12 34 56 78", ".. .. .. ..", "34 .. .. ..", "5. .. .. .6", *["__ __ __ __"] * 4]
    (batch,) = Reader().text("\n".join(rows))
    assert batch.values == parse("".join(rows).replace(" ", "")).values.astype("u1").tobytes()
    names = Symbols.parse("aa bb cc dd")
    together = parse("aabb ..\n.. ..\n....\n..ccdd\n", symbols=names)
    apart = parse("aa bb .. ..\n.. .. .. ..\n-- -- -- --\n.. .. cc dd\n", symbols=names)
    assert together.digits == apart.digits == [1, 2, *[0] * 12, 3, 4]
    dots = Symbols.parse("a .. c d")
    assert parse("a .. - - " + "- " * 12, symbols=dots).digits[:3] == [1, 2, 0]
