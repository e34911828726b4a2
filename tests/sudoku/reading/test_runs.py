"""Runs of puzzles that are written alike: read as if line by line."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudoku.reading import sources
from sudoku.reading.reader import Reader
from sudoku.reading.scanner import Scanner
from sudoku.writing.texts import substitute
from tests.modes import CHECKED, examples
from tests.sudoku.reading.samples import NINE, ROWS, banded, files, ruled


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


CHUNKS = (30_000, 41_234, 1 << 20)  # several places where the text is cut, or none
if CHECKED:  # which matters to no text
    CHUNKS = CHUNKS[:1]


@pytest.mark.parametrize(
    "name",
    [
        *("packed", "no blank line", "spaced", "ruled", "ruled, no blank line", "inner rules"),
        *("dashes", "boxes drawn", "two blank lines", "headers", "numbers"),
        *("headers that differ", "titles", "comments", "headers and rules"),
        "numbers that are too long",
    ],
)
def test_run_of_grids_is_read_as_line_by_line(tmp_path, monkeypatch, name):
    grids = stacked(name)
    grids[200] = grids[200].replace("1", "x", 1)  # Grid 01 becomes another header
    grids[250] = "# a remark\n" + grids[250]
    path = files(tmp_path, "".join(grids).encode())
    with monkeypatch.context() as patch:
        patch.setattr("sudoku.reading.runs.MIN_BYTES", 1 << 40)
        slow = contents(path)
    for chunk in CHUNKS:
        monkeypatch.setattr(sources, "READ_AT_ONCE", chunk)
        quick = contents(path)
        assert [puzzle[:2] for puzzle in quick[0]] == [puzzle[:2] for puzzle in slow[0]], chunk
        assert quick[1] == slow[1]
        assert len(quick[0]) + len(quick[1]) >= 300
        assert "".join(p[2] for p in quick[0]) == "".join(p[2] for p in slow[0]), chunk


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
def test_run_of_lines_is_read_as_line_by_line(tmp_path, monkeypatch, head, line):
    lines = [line.format(NINE[k % 9 :] + "123456789"[: k % 9], k) for k in range(900)]
    lines[300] = line.format(NINE[1:], 300)
    lines[400] = line.format("?" + NINE[1:], 400)
    lines[500:500] = ["# a remark", ""]
    lines[600] = f"{NINE}\n{line.format(NINE, 600)}"
    path = files(tmp_path, "\n".join(["# all", head, *lines] if head else lines).encode())

    def puzzles():
        faults = []
        reader = Reader([path], on_error=lambda fault: faults.append(str(fault)))
        return [
            (batch.place(k), batch.shape, batch.values[81 * k : 81 * k + 81])
            for batch in reader
            for k in range(len(batch))
        ], faults

    with monkeypatch.context() as patch:
        patch.setattr("sudoku.reading.runs.MIN_BYTES", 1 << 40)
        slow = puzzles()
    assert len(slow[0]) >= 898 and len(slow[1]) >= 2
    for chunk in CHUNKS:
        monkeypatch.setattr(sources, "READ_AT_ONCE", chunk)
        assert puzzles() == slow, chunk


@settings(max_examples=examples(30), deadline=None)
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
def test_runs_of_any_lengths_are_read_as_line_by_line(runs, chunk):
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


@pytest.mark.parametrize("name", ["packed", "ruled", "headers", "titles", "comments"])
def test_most_lines_of_a_run_of_grids_skip_the_scanner(name, monkeypatch):
    text = "".join(stacked(name))
    assert fed_lines(text, monkeypatch) < text.count("\n") / 5


@pytest.mark.parametrize("line", ["{0}", "{0} 1.5 # {1}", '"{0}","{1}"'])
def test_most_lines_of_a_run_skip_the_scanner(line, monkeypatch):
    text = "".join(line.format(NINE, "x" * (k % 9)) + "\n" for k in range(900))
    assert fed_lines(text, monkeypatch) < 10


def fed_lines(text, monkeypatch):
    """How many lines of a text the scanner reads."""
    fed = []
    monkeypatch.setattr(Scanner, "feed", lambda *line, feed=Scanner.feed: fed.append(feed(*line)))
    assert sum(map(len, Reader().text(text))) == max(300, text.count(NINE))
    return len(fed)


@pytest.mark.parametrize("least", [0, 1 << 40])
def test_a_blank_puzzle_above_a_run_keeps_its_own_mark(least, monkeypatch):
    monkeypatch.setattr("sudoku.reading.runs.MIN_BYTES", least)
    text = "0" * 16 + "\n" + ("1" + "." * 15 + "\n") * 20
    batches = list(Reader().text(text))
    assert [batch.symbols.blank for batch in batches] == ["0", "."]
    assert [len(batch) for batch in batches] == [1, 20]


@pytest.mark.parametrize("shape", ["line", "grid"])
@pytest.mark.parametrize("least", [0, 1 << 40])
def test_regions_in_digits_below_a_puzzle_of_a_run_are_those_of_the_puzzle(
    shape, least, monkeypatch
):
    monkeypatch.setattr("sudoku.reading.runs.MIN_BYTES", least)
    cells = [NINE] * 300
    cells[201:201] = ["111222333" * 3 + "444555666" * 3 + "777888999" * 3]
    rows = ["\n".join(text[i : i + 9] for i in range(0, 81, 9)) + "\n" for text in cells]
    text = "\n".join(cells if shape == "line" else rows) + "\n"
    layouts = [batch.layout for batch in Reader().text(text) for _ in range(len(batch))]
    assert [k for k, layout in enumerate(layouts) if "regions" in layout.description] == [200]
    assert len(layouts) == 300
