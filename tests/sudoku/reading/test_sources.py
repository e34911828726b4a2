"""Files of any encoding, and files that cannot be read."""

import codecs
import gzip
import io
import json
import lzma
import os
import random
import sys

import pytest

import sudoku
from sudoku.errors import FileError, FormatError
from sudoku.reading.reader import Reader
from sudoku.reading.sources import MAX_LINE_BYTES, READ_AT_ONCE
from tests.sudoku.reading.samples import NINE, files


@pytest.mark.parametrize(
    "data",
    [
        NINE.encode(),
        gzip.compress(NINE.encode()),
        gzip.compress(codecs.BOM_UTF8 + NINE.encode()),
        lzma.compress(NINE.encode()),
        lzma.compress(NINE.encode("utf-16")),
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
        (lzma.compress(random.Random(1).randbytes(9999))[:-40], "truncated .gz or .xz"),
        (lzma.compress(NINE.encode())[:20] + b"\xff" * 40, "damaged .gz or .xz"),
        (b"1" * (1 << 21), "line is longer than 262144"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8\x00", "UTF-16"),
    ],
)
def test_files_that_are_not_text(tmp_path, data, message):
    with pytest.raises(FormatError, match=message):
        list(sudoku.read(files(tmp_path, data)))


def test_json_on_one_long_line(tmp_path, monkeypatch):
    text = json.dumps([NINE] * 20_000)
    assert len(text) > MAX_LINE_BYTES and len(text) > READ_AT_ONCE
    assert sum(map(len, Reader([files(tmp_path, text.encode())]))) == 20_000
    monkeypatch.setattr("sudoku.reading.sources.MAX_JSON_BYTES", 1 << 20)
    with pytest.raises(FormatError, match="not a text file: the line is longer than 1048576 bytes"):
        list(Reader([files(tmp_path, text.encode())]))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        list(sudoku.read(str(tmp_path / "none")))
    with pytest.raises(FileError, match="is a folder"):
        list(sudoku.read(str(tmp_path)))


def test_puzzles_are_read_from_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(NINE))
    assert [str(g) for g in sudoku.read("-")] == [NINE]
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(FileError, match="closed"):
        list(sudoku.read())


@pytest.mark.skipif(os.name != "posix", reason="select for pipes")
def test_a_puzzle_is_read_before_the_input_ends(monkeypatch):
    reading, writing = os.pipe()
    with open(reading) as stdin, open(writing, "wb", buffering=0) as pipe:
        monkeypatch.setattr(sys, "stdin", stdin)
        grids = sudoku.read("-")
        for line in (NINE, NINE.replace("1", "0")):
            pipe.write(f"{line}\n".encode())
            assert str(next(grids)) == line
        pipe.close()
        assert list(grids) == []


@pytest.mark.parametrize("chunk", [1, 50, 1 << 20])
@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (b"12\0" + b"3" * 300, ":20:3: not a text file: byte 0x00"),
        (b"3" * 300 + b"\0", ":20: not a text file: the line is longer than 299 bytes"),
        (b"[" * 400 + b"\0", ":20:401: not a text file: byte 0x00"),
        (b"[" * 501, ":20: not a text file: the line is longer than 500 bytes"),
    ],
)
def test_puzzles_above_a_line_that_is_no_text_are_read(tmp_path, monkeypatch, chunk, bad, fault):
    monkeypatch.setattr("sudoku.reading.sources.READ_AT_ONCE", chunk)
    monkeypatch.setattr("sudoku.reading.sources.MAX_LINE_BYTES", 299)
    monkeypatch.setattr("sudoku.reading.sources.MAX_JSON_BYTES", 500)
    sixteen = b"1..............G\n" * 16  # whose symbols depend on the puzzles below
    lines = [NINE.encode(), json.dumps([NINE] * 2 + ["." * 200]).encode(), sixteen[:-1]]
    path = files(tmp_path, b"\n".join([*lines, b"1..4", bad, NINE.encode()]))
    faults = []
    found = list(Reader([path], on_error=lambda error: faults.append(str(error))))
    assert [batch.layout.size for batch in found for _ in range(len(batch))] == [9, 9, 9, 16]
    assert faults[-1].startswith(path + fault)
