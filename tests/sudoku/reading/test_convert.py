"""Any puzzle as a Grid."""

import random
from array import array

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudoku.errors import PuzzleError
from sudoku.grid import Grid
from sudoku.layout import Layout
from sudoku.reading import convert
from sudoku.reading.convert import as_grid, parse
from sudoku.symbols import Symbols
from sudoku.writing.texts import render


def test_all_types_of_arguments_make_the_same_grid():
    rows = [[1, 0, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]]
    one = as_grid(rows)
    assert one == as_grid(np.array(rows, dtype=np.uint8)) == as_grid(np.array(rows).reshape(-1))
    assert one == as_grid("1.....2..3.....4") == as_grid("1000\n0020\n0300\n0004") == as_grid(one)
    assert one == as_grid(b"1.....2..3.....4") == as_grid(bytearray(b"1.....2..3.....4"))
    assert one == as_grid(memoryview(b"1.....2..3.....4 easy")[:16])
    digits = bytes(one.digits)
    assert one == as_grid(array("B", digits)) == as_grid(memoryview(array("B", digits)))
    assert len({one, as_grid(rows)}) == 1
    assert one.tolist() == rows and one[1, 2] == 2 and one.num_givens == 4
    assert np.asarray(one).shape == (4, 4) and not one.is_complete
    assert one.values.dtype == np.int16 and not one.values.flags.writeable
    assert as_grid(one, diagonal=True).layout.diagonal
    assert one != as_grid(one, diagonal=True)
    assert str(as_grid(one, symbols="abcd")) == "a.....b..c.....d"


def test_none_is_a_blank():
    rows = [[1, None, None, None], [None, 0, 2, None], [None, 3, None, None], [None] * 3 + [4]]
    one = as_grid("1.....2..3.....4")
    assert as_grid(rows) == as_grid(np.array(rows)) == as_grid(np.array(rows).reshape(-1)) == one
    assert as_grid(np.array(one.tolist(), dtype=object)) == Grid(Layout(2, 2), rows) == one
    letters = [[None if cell in (0, None) else "abcd"[cell - 1] for cell in row] for row in rows]
    assert str(as_grid(letters, symbols="abcd")) == "a.....b..c.....d"


@pytest.mark.parametrize(
    ("puzzle", "message"),
    [
        ([[1, 2], [2]], "different lengths"),
        ([[1.5] * 4] * 4, "holds integers"),
        (np.zeros((4, 5), dtype=int), "shape"),
        (np.full((4, 4), 5), "value 5 in r1c1"),
        (np.full((4, 4), -1), "value -1 in r1c1"),
        ([[None] * 4, [None, None, 2.5, None], *[[None] * 4] * 2], "value 2.5 in r2c3: a digit"),
        (np.array([0] * 15 + [object], dtype=object), "value <class 'object'> in r4c4"),
        ([[None] * 4] * 3 + [[5, 1, 1, 1]], "value 5 in r4c1: a digit is 1 to 4"),
        ([[None] * 4] * 3 + [[1, True, 1, 1]], "value True in r4c2"),
        ([[0] * 4] * 3 + [[1, True, 1, 1]], "value True in r4c2"),
        ((np.False_, *[0] * 15), "value .*False_? in r1c1"),
        ([np.ma.masked_equal([1, 2, 3, 4], 2)] * 4, "a masked array"),
        ([[10**30, 0, 0, 0]] * 4, "value 1000000000000000000000000000000 in r1c1"),
        ([["x", None, None, None]] * 4, "1:1: unknown symbol 'x'"),
        (None, "^None is no grid: text, lists, an array or a Grid is needed$"),
        ((row for row in "1234"), "^<generator .* is no grid: text, lists"),
        ("1234", "4 cells"),
        ("", "no puzzle"),
        ("." * 16 + "\n" + "." * 16, "2 puzzles"),
    ],
)
def test_other_arguments_are_refused(puzzle, message):
    with pytest.raises(PuzzleError, match=message):
        as_grid(puzzle)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([(2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (5, 5)]),
    st.integers(0, 10**9),
    st.sampled_from(["line", "grid", "pretty"]),
    st.booleans(),
)
def test_written_grids_are_read_again(box, seed, form, numbers):
    layout = Layout(*box)
    n = layout.size
    generator = random.Random(seed)
    values = [generator.randrange(n + 1) for _ in range(n * n - n)] + list(range(1, n + 1))
    symbols = Symbols.numbers(n) if numbers else Symbols.default(n)
    text = render(values, layout, symbols, form)
    doubtful = n in (4, 16) and form != "line"
    read_again = parse(text, box=box if doubtful else None)
    assert read_again.values.reshape(-1).tolist() == values


def taken(puzzles, box, diagonal):
    """What `batch_of` returns or raises."""
    try:
        array, layout = convert.batch_of(puzzles, box, diagonal)
    except Exception as error:
        return type(error), str(error)
    return array.dtype, array.tolist(), layout


def test_batches_of_plain_texts_are_those_of_the_general_way(monkeypatch):
    draw = random.Random(5)
    batches = []
    for _ in range(1500):
        n, top = draw.choice([4, 6, 8, 9, 16]), draw.choice([3, 4, 6, 9])
        symbols = "123456789"[:top] + draw.choice(["", ".", "0", ".0", "_", "A", "\n"])
        length = n * n - draw.choice([0] * 9 + [1])
        ends = draw.choice([[""], [""], ["\n"], ["\r\n"], ["\n", ""]])
        texts = [
            "".join(draw.choices(symbols, k=length)) + draw.choice(ends)
            for _ in range(draw.randint(1, 3))
        ]
        box = draw.choice([None] * 4 + ["2x2", "2x3", "3x3", "latin", "diagonal", (3, 3), "x"])
        batches.append((texts, box, draw.choice([None, None, True, False, 5])))
    fast = [taken(*batch) for batch in batches]
    assert sum(convert._plain_digits(texts) is not None for texts, _, _ in batches) > 200
    monkeypatch.setattr(convert, "_plain_digits", lambda texts: None)
    for batch, answer in zip(batches, fast, strict=True):
        assert taken(*batch) == answer
