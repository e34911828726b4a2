"""The command ``sudoku.grids``: grids, their number, their indices; faults."""

import io
import os
from functools import partial

import pytest

from sudoku import grids
from sudoku.grids.__main__ import main
from sudoku.layout import Layout
from tests.sudoku.commands import DATA, imported_by, interrupt_in_progress, posix

ALL_9X9 = 6_670_903_752_021_072_936_960


@pytest.fixture
def run(run_main):
    return partial(run_main, main)


def test_grids_are_written_as_lines_and_as_grids(run, tmp_path):
    assert run(50, "--seed", 1, "-o", "lines").status == 0
    lines = (tmp_path / "lines").read_text().splitlines()
    assert lines == ["".join(map(str, grid)) for grid in grids.distinct_grids(50, 1).tolist()]
    blocks = run(50, "--seed", 1, "--format", "grid").out.split("\n\n")
    assert [block.replace("\n", "") for block in blocks] == lines
    first = run(3, "--seed", 1, "--first", 4, "--quiet")
    assert [line[0] for line in first.lines] == ["4"] * 3 and first.err == ""


def test_a_seed_is_reported_if_none_was_given(run):
    chosen = run(2, "--box", "2x2")
    name, seed = chosen.err.split()
    assert name == "seed" and run(2, "--box", "2x2", "--seed", seed).out == chosen.out
    assert run(2, "--box", "2x2", "--quiet").err == ""


def test_the_command_writes_numbers_of_grids_and_grids_of_numbers(run, tmp_path):
    expected = grids.distinct_grids(50, 1)
    run(50, "--seed", 1, "-o", "lines")
    indices = [int(line) for line in run("--index-of", "lines").lines]
    assert indices == grids.indices_of(expected)
    assert run("--index", indices[7]).lines == ["".join(map(str, expected[7].tolist()))]
    (tmp_path / "small").write_text("1234341221434321\n4321123421433412\n")
    assert run("--index-of", "small").lines == ["0", "287"]
    run(2, "--box", "2x3", "--seed", 1, "-o", "six")
    six = run("--index-of", "six")
    assert [int(line) for line in six.lines] == grids.indices_of(
        grids.distinct_grids(2, 1, box=(2, 3)), (2, 3)
    )
    assert run("--index-of", "six", "--box", "2x3").out == six.out


@pytest.mark.filterwarnings("ignore:region")
def test_regions_of_indices_are_read_once(run, tmp_path, monkeypatch):
    regions, grid = "abab abab ccdd ccdd", "1243342123144132"  # warned of: a and b are in pieces
    (tmp_path / "regions.txt").write_text(regions)
    (tmp_path / "grid").write_text(grid)
    number = grids.index_of(grid, Layout.of(regions=regions))
    read = run("--index-of", "grid", "--regions", "regions.txt")
    assert (read.lines, read.err.count("\n")) == ([str(number)], 2)
    monkeypatch.setattr("sys.stdin", io.StringIO(regions))
    assert run("--index-of", "grid", "--regions", "-").lines == [str(number)]


def test_the_command_counts_grids(run):
    assert run("--count").lines == [str(ALL_9X9)]
    assert run("--count", "--box", "2x2", "--diagonal").lines == ["48"]


def test_pictures_are_numbered(run, tmp_path):
    assert run(2, "--seed", 1, "--format", "svg", "-o", "g.svg").status == 0
    assert sorted(os.listdir(tmp_path)) == ["g-1.svg", "g-2.svg"]
    picture = run(1, "--seed", 1, "--format", "svg").out
    assert picture == (tmp_path / "g-1.svg").read_text() and picture.startswith("<svg ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((289, "--box", "2x2"), "there are only 288 4x4 grids, not 289"),
        ((2, "--box", "1x1"), "there is only 1 1x1 grid, not 2"),
        (
            (73, "--box", "2x2", "--first", 4),
            "there are only 72 4x4 grids with 4 in the first cell, not 73",
        ),
        (("--index", ALL_9X9), f"index {ALL_9X9} is out of range: 9x9 grids are 0 to"),
        (("--index", -1), "index -1 is out of range"),
        (("--index", 1, "--box", "4x4"), "16x16 grids have no numbers"),
        ((5, "-o", "none/file"), "none/file: cannot be written: No such file"),
        ((5, "--first", "x"), "--first x: a digit of 9x9 grids is 1 to 9"),
        ((5, "--first", ""), "--first '': a digit of 9x9 grids is 1 to 9"),
        ((5, "--box", "7x7"), "49x49 grids cannot be drawn here: 36x36 is the largest"),
        ((5, "--format", "svg"), "<stdout>: there is more than one puzzle or solution"),
        (("--index-of", "bad"), "bad:2: not a grid: 2 twice in row 4 (r4c3, r4c4)"),
        (("--index-of", "bad", "--box", "2x2"), "bad:2: not a grid"),
        (("--index-of", "blank"), "blank:1: r1c1 is blank"),
        ((5, "--box", "0x7"), "box 0x7: each side of a box is at least 1"),
        (("--index-of", "missing"), "missing: no such file"),
        (("--count", "--box", "4x4"), "16x16 grids with 4x4 boxes cannot be counted here"),
        ((0,), "python -m sudoku.grids: argument N: '0' is not a whole number of at least 1"),
        (("many",), "python -m sudoku.grids: argument N: 'many'"),
        ((), "python -m sudoku.grids: give either N, or --count, --index or --index-of"),
        ((5, "--count"), "python -m sudoku.grids: give either N, or --count"),
        ((5, "--seed", "x"), "python -m sudoku.grids: argument --seed: 'x' is not a whole number"),
        (
            (5, "--seed", "-1"),
            "python -m sudoku.grids: argument --seed: '-1' is not a whole number",
        ),
        (("--count", "--seed", 1), "python -m sudoku.grids: --seed has no effect with --count"),
        (("--count", "--format", "line"), "python -m sudoku.grids: --format has no effect with"),
        (("--index", 3, "--first", 1), "python -m sudoku.grids: --first has no effect with --ind"),
        (("--index-of", "bad", "--seed", 3), "python -m sudoku.grids: --seed has no effect with"),
        (("--index-of", "bad", "--format", "svg"), "python -m sudoku.grids: --format has no effe"),
    ],
)
def test_faults_are_one_line(run, tmp_path, arguments, message):
    (tmp_path / "bad").write_text("1234341221434321\n1234341221434322\n")
    (tmp_path / "blank").write_text(".234341221434321\n")
    result = run(*arguments)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(message) and result.err.count("\n") == 1
    assert sorted(os.listdir(tmp_path)) == ["bad", "blank"]


def test_help_and_faults_do_not_import_numba():
    calls = ["--help"], ["--count", "--box", "1x7"], ["--index-of", DATA / "none"], ["--index", 3]
    found = imported_by("sudoku.grids.__main__", *calls)
    assert found == [(0, False), (2, False), (2, False), (0, True)]


@posix
def test_ctrl_c_keeps_what_was_found(tmp_path):
    status, err = interrupt_in_progress(
        "sudoku.grids", 10**8, "--seed", 1, "-o", tmp_path / "out", unit="grids"
    )
    assert status == 130
    assert os.listdir(tmp_path) == ["out.partial"]
    lines = (tmp_path / "out.partial").read_text().splitlines()
    assert {len(line) for line in lines} == {81}
    assert f"interrupted after {len(lines)} grids\n" in err
