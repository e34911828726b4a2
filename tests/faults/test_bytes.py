"""Readers of files take any bytes: their own errors, linear time, bounded memory.

``FAULTS_EXAMPLES=10000 python -m pytest tests/faults/test_bytes.py`` tries so many mutations of
each kind.
"""

import gzip
import io
import os
import random
import sys
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
import sudoku
from sudoku.reading.lines import LONGEST_LINE
from sudoku.reading.reader import Reader
from tests.faults.commands import DATA, latin_squares
from tests.modes import unchecked

EXAMPLES = int(os.environ.get("FAULTS_EXAMPLES", "0"))
LARGEST = 100  # bytes of memory for a byte of input
CHUNK = 1 << 10  # bytes that are read at once, in place of a megabyte
MEMORY = 3 << 18  # bytes that a reader may hold whatever it reads: a grid and its rules

LINE = (DATA / "documents.txt").read_text().splitlines()[0]
ROWS = "\n".join(LINE[i : i + 9] for i in range(0, 81, 9)) + "\n"
RULED = "\n".join(
    ["+---+---+"]
    + [
        row if row[0] == "-" else f"|{row[:2]}|{row[2:]}|"
        for row in ("1..4", "..2.", "----", ".1..", "4...")
    ]
)
PUZZLES = [
    (LINE + "\n").encode(),
    ROWS.encode(),
    f"Grid 01\n{ROWS}\nGrid 02\n{ROWS}".encode(),
    RULED.encode(),
    f'puzzle,rating\r\n"{LINE}",1.2\r\n{LINE},9\r\n'.encode(),
    f"id;puzzle\n1;{LINE}\n2;{LINE}\n".encode(),
    (DATA / "spaced.txt").read_bytes(),
    (DATA / "grid16.txt").read_bytes(),
    (DATA / "grid25.txt").read_bytes(),
    (DATA / "words4.txt").read_bytes(),
    "\t".join("1003020030004000").encode() + b"\n",
    b"01,00,00,04\n00,00,02,00\n00,01,00,00\n04,00,00,00\n",
    b"# a comment\n1..4..2..1..4...  # another\n\n12 .. .. 34\n",
    f"{LINE}\n".encode("utf-16"),
    b"\xef\xbb\xbf" + LINE.encode(),
    gzip.compress((LINE + "\n").encode() * 3, mtime=0),
]
NUM_PUZZLES = [1, 1, 2, 1, 2, 2, 1, 1, 1, None, 1, 1, None, 1, 1, 3]
PROBLEMS = [
    b"a b c | x y\na b x:1\nc y\n| comment\na x:2\nb c |5\n",
    latin_squares(2).encode(),
    b"a b\r\na\r\nb |-7 |2\r\n",
    gzip.compress(b"a b c\na\nb c\n", mtime=0),
]
NUM_OPTIONS = [4, 8, 2, 2]
TOKENS = [
    *(b"\n", b"\r", b" ", b"\t", b",", b";", b'"', b"|", b"#", b":", b"-", b"+", b".", b"0"),
    *(b"\x00", b"\x1a", b"\xff", b"\xfe\xff", b"\xc3", b"\xe2\x80\xa8", b"\x1f\x8b", b"\xcc\x81"),
    *(b"puzzle", b"Grid 1", b"---", b"9" * 5000, b"a:", b":a", b"|9", b"|", b"\xef\xbb\xbf"),
    *("\u0663".encode(), "\u00b2".encode(), "\U0001f600".encode(), b"=" * 40, b"1 " * 81),
]


def mutated(data, draw):
    """Return the bytes with some changes drawn by a ``random.Random``."""
    for _ in range(draw.choice([1, 1, 2, 3, 10])):
        at = draw.randrange(len(data) + 1)
        end = min(len(data), at + draw.choice([0, 1, 1, 2, 10, 100]))
        piece = data[at:end]
        data = (
            data[:at]
            + draw.choice(
                [
                    b"",
                    bytes([draw.randrange(256)]),
                    draw.choice(TOKENS),
                    draw.choice(TOKENS) * draw.randrange(1, 50),
                    piece * draw.randrange(2, 5),
                    bytes(byte ^ 1 << draw.randrange(8) for byte in piece),
                    piece + draw.choice(PUZZLES + PROBLEMS),
                ]
            )
            + data[end:]
        )
    return data


def read_puzzles(data, folder, **options):
    """Return how many puzzles a file with these bytes holds, or None if it is refused."""
    path = folder / "file"
    path.write_bytes(data)
    try:
        return sum(1 for _ in sudoku.read(str(path), **options))
    except sudoku.SudokuError as error:
        assert "\n" not in str(error)
        return None


def read_problem(data, folder):
    """Return how many options a file with these bytes holds, or None if it is refused."""
    path = folder / "file"
    path.write_bytes(data)
    try:
        return dlx.read(path).num_options
    except dlx.DlxError as error:
        assert "\n" not in str(error)
        return None


OPTIONS = [{}, {}, {"box": "2x2"}, {"symbols": sudoku.Symbols.parse("1 22 +3 #")}]


@pytest.mark.parametrize("number", range(len(PUZZLES)))
def test_a_changed_file_of_puzzles_is_read_or_refused(number, tmp_path):
    draw = random.Random(None if EXAMPLES else number)
    assert read_puzzles(PUZZLES[number], tmp_path) == NUM_PUZZLES[number]
    for _ in range(EXAMPLES or 25):
        data = mutated(PUZZLES[number], draw)
        read_puzzles(data, tmp_path, **draw.choice(OPTIONS))


@pytest.mark.parametrize("number", range(len(PROBLEMS)))
def test_a_changed_file_of_a_problem_is_read_or_refused(number, tmp_path):
    draw = random.Random(None if EXAMPLES else number)
    assert read_problem(PROBLEMS[number], tmp_path) == NUM_OPTIONS[number]
    for _ in range(EXAMPLES or 50):
        read_problem(mutated(PROBLEMS[number], draw), tmp_path)


LINES = st.lists(st.sampled_from([t.decode("latin-1") for t in TOKENS]), max_size=30).map("".join)


@settings(max_examples=EXAMPLES or 100, deadline=None)
@given(st.one_of(st.text(max_size=200), LINES))
def test_any_text_is_a_problem_or_a_format_error(text):
    try:
        problem = dlx.loads(text)
    except dlx.FormatError as error:
        assert "\n" not in str(error)
    else:
        assert dlx.loads(dlx.dumps(problem)) == problem or not problem.num_primary


@settings(max_examples=EXAMPLES or 100, deadline=None)
@given(st.one_of(st.text(max_size=400), LINES))
def test_any_text_is_a_grid_or_a_puzzle_error(text):
    try:
        sudoku.why(text)
    except sudoku.SudokuError as error:
        assert "\n" not in str(error)


class Endless(io.RawIOBase):
    """A pattern repeated up to some bytes."""

    def __init__(self, pattern, size):
        super().__init__()
        self.pattern = pattern * (65_536 // len(pattern))
        self.left = size

    def readable(self):
        return True

    def readinto(self, buffer):
        size = min(len(buffer), self.left, len(self.pattern))
        buffer[:size] = self.pattern[:size]
        self.left -= size
        return size


STREAMS = {
    "blanks": b" ",
    "blank lines": b"\n",
    "tabs": b"\t",
    "returns": b"\r",
    "dashes": b"-",
    "digits and blanks": b"1 ",
    "bars": b"| ",
    "one line": b"1",
    "dots": b".",
    "comments": b"# nothing\n",
    "one comment": b"#",
    "rules": b"---+---+---\n",
    "short rules": b"---\n",
    "headers": b"Grid 1\n",
    "rows": b"123456789\n",
    "rows of words": b"aa bb cc dd\n",
    "puzzles": LINE.encode() + b"\n",
    "grids": ROWS.encode() + b"\n",
    "ruled grids": RULED.encode() + b"\n",
    "commas": b",",
    "quotation marks": b'"',
    "lines of commas": b",,,\n",
    "grid, then rules": b"-\n",
    "rows of different lengths": b"12\n123\n1234\n12345\n",
}


def outcome(pattern, size, monkeypatch, traced=False):
    """Read a stream as puzzles: the peak of memory, and the number of lines of Python executed."""
    lines = 0

    def count(frame, event, argument):
        nonlocal lines
        lines += 1
        return count

    standard_input = io.BufferedReader(Endless(pattern, size))
    monkeypatch.setattr("sudoku.reading.sources._open", lambda name: standard_input)
    reader = Reader(["-"], on_error=lambda error: None)
    if traced:
        sys.settrace(count)
    else:
        tracemalloc.start()
    try:
        for batch in reader:
            del batch
    finally:
        peak = 0
        if traced:
            sys.settrace(None)
        else:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    return peak, lines


@unchecked
@pytest.mark.parametrize("name", STREAMS)
def test_time_is_linear_and_memory_bounded(name, monkeypatch):
    """Memory is that of a chunk, of a grid, or of a line, however long the stream is."""
    monkeypatch.setattr("sudoku.reading.sources.READ_AT_ONCE", CHUNK)
    pattern = STREAMS[name]
    outcome(pattern, 1000, monkeypatch)  # imports what it needs
    _, few = outcome(pattern, 2 * CHUNK, monkeypatch, traced=True)
    _, many = outcome(pattern, 8 * CHUNK, monkeypatch, traced=True)
    peak, _ = outcome(pattern, 30 * CHUNK, monkeypatch)
    print(name, few, many, peak)
    assert many <= 4.5 * few + 10_000
    held = CHUNK if b"\n" in pattern else min(30 * CHUNK, LONGEST_LINE)
    assert peak <= MEMORY + LARGEST * held
