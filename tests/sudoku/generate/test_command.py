"""The command ``sudoku.generate``: formats, demands, faults."""

import json
import os
from functools import partial

import pytest

import sudoku
from sudoku.errors import SudokuError
from sudoku.generate import generate
from sudoku.generate.__main__ import main
from tests.sudoku.commands import imported_by, interrupt_in_progress, posix


@pytest.fixture
def run(run_main):
    return partial(run_main, main)


def test_urls_of_f_puzzles(run):
    urls = run(2, "--seed", 7, "--layout", "antiknight", "--format", "fpuzzles").lines
    puzzles = run(2, "--seed", 7, "--layout", "antiknight").lines
    grids = [sudoku.as_grid(url) for url in urls]
    assert [str(grid) for grid in grids] == puzzles
    assert {grid.layout for grid in grids} == {sudoku.Layout.of(9, "antiknight")}
    result = run(1, "--box", "1x6", "--format", "fpuzzles")
    assert (result.status, result.out) == (2, "")
    assert "f-puzzles has no grids without boxes" in result.err


def test_puzzles_are_written_in_every_format(run, tmp_path):
    puzzles = ["".join(map(str, p)).replace("0", ".") for p in generate(5, seed=7).tolist()]
    assert run(5, "--seed", 7, "-o", "lines").status == 0
    assert (tmp_path / "lines").read_text().splitlines() == puzzles
    form = {
        name: run(5, "--seed", 7, "--format", name, "--jobs", 1)
        for name in ("line", "grid", "pretty", "json", "csv")
    }
    assert form["line"].lines == puzzles
    assert [block.replace("\n", "") for block in form["grid"].out.split("\n\n")] == puzzles
    drawn = "".join(character for character in form["pretty"].out if character in ".123456789")
    assert drawn == "".join(puzzles)
    givens = [81 - puzzle.count(".") for puzzle in puzzles]
    solutions = [str(sudoku.solve(puzzle)) for puzzle in puzzles]
    rows = list(zip(puzzles, givens, solutions, strict=True))
    assert [tuple(json.loads(line).values()) for line in form["json"].lines] == rows
    assert form["csv"].lines == [
        "puzzle,givens,solution",
        *(f"{puzzle},{count},{solution}" for puzzle, count, solution in rows),
    ]


def test_a_pattern_from_a_file(run, tmp_path):
    text = "1..1 .1.1 .... 1..."
    (tmp_path / "pattern.txt").write_text(text)
    lines = run(2, "--seed", 1, "--box", "2x2", "--pattern", "pattern.txt").lines
    assert lines == run(2, "--seed", 1, "--box", "2x2", "--pattern", text).lines
    marks = text.replace(" ", "")
    assert all(
        [(a == ".") == (b == ".") for a, b in zip(line, marks, strict=True)] for line in lines
    )
    message = "pattern.txt: a pattern of 16 cells: a 9x9 grid has 81\n"
    assert run(2, "--pattern", "pattern.txt").err == message


def test_puzzles_found_before_the_time_limit_are_kept(run, tmp_path):
    result = run(10**9, "--seed", 1, "--time-limit", 0, "-o", "out")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("stopped at the time limit of 0 s; ")
    lines = (tmp_path / "out").read_text().splitlines()
    assert f"; {len(lines)} of 1000000000 found" in result.err


@pytest.mark.parametrize("solutions", ["none", "several"])
def test_a_puzzle_without_one_solution_stands_alone(run, solutions):
    arguments = (2, "--seed", 1, "--box", "2x2", "--solutions", solutions)
    objects = map(json.loads, run(*arguments, "--format", "json").lines)
    assert [puzzle["solution"] for puzzle in objects] == [None, None]
    assert all(row.endswith(",") for row in run(*arguments, "--format", "csv").lines[1:])


def test_puzzles_are_written_as_a_sheet(run):
    page = run(5, "--seed", 7, "--box", "2x2", "--sheet", "2x2").out
    assert page.count("<section>") == 4 and page.count("<svg") == 10
    assert page.endswith("</html>\n")
    assert run(5, "--sheet", "2x2", "--format", "svg").status == 2


@pytest.mark.parametrize(
    ("arguments", "demand"),
    [
        (
            ("--givens", "30-35", "--minimal", "no"),
            {"givens": (30, 35), "minimal": "no"},
        ),
        (
            ("--symmetry", "rotate180", "--minimal", "group"),
            {"symmetry": "rotate180", "minimal": "group"},
        ),
        (("--difficulty", "1-9"), {"difficulty": (1, 9)}),
        (("--rating", "2.4"), {"rating": (2.4, float("inf"))}),
        (
            ("--box", "2x3", "--diagonal", "--method", "grow"),
            {"box": (2, 3), "diagonal": True, "method": "grow"},
        ),
        (("--solutions", "none", "--jobs", 2), {"solutions": "none"}),
        (("--hardest", "Pointing"), {"hardest": "pointing"}),
    ],
)
def test_every_option_is_passed_on(run, arguments, demand):
    puzzles = ["".join(map(str, p)).replace("0", ".") for p in generate(3, seed=1, **demand)]
    assert run(3, "--seed", 1, *arguments).lines == puzzles


def test_a_seed_is_reported_if_none_was_given(run):
    chosen = run(2, "--box", "2x2")
    name, seed = chosen.err.split()
    assert name == "seed" and run(2, "--box", "2x2", "--seed", seed).out == chosen.out
    assert all(sudoku.is_unique(line) for line in chosen.lines)
    assert run(2, "--box", "2x2", "--quiet").err == ""


def test_a_seed_is_reported_after_an_interrupt(run, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sudoku.shell.output.write_grids", interrupt)
    result = run(2, "--box", "2x2")
    message, seed, _ = result.err.split("\n")
    assert (message, seed[:5]) == ("interrupted after 0 puzzles", "seed ")
    assert run(2, "--box", "2x2", "--seed", 1).err == "interrupted after 0 puzzles\n"


def test_pictures_are_numbered(run, tmp_path):
    picture = run(1, "--seed", 7, "--format", "svg").out
    assert picture.startswith("<svg ")
    assert picture.count('class="given"') == (generate(1, seed=7) > 0).sum()
    assert run(3, "--seed", 7, "--format", "svg", "-o", "p.svg").status == 0
    assert sorted(os.listdir(tmp_path)) == ["p-1.svg", "p-2.svg", "p-3.svg"]
    assert (tmp_path / "p-1.svg").read_text() == picture


def test_what_was_found_is_kept_if_the_search_is_given_up(run, tmp_path, monkeypatch):
    two = generate(2, seed=7)

    def two_and_no_more(n, **demand):
        yield two
        raise SudokuError("given up")

    monkeypatch.setattr("sudoku.generate.stream_puzzles", two_and_no_more)
    result = run(5, "--seed", 7, "--format", "svg", "-o", "p.svg")
    assert (result.status, result.out, result.err) == (1, "", "given up\n")
    assert sorted(os.listdir(tmp_path)) == ["p-1.svg", "p-2.svg"]
    result = run(5, "-o", "p.txt")
    assert result.status == 1 and result.err.startswith("given up\nseed ")
    assert len((tmp_path / "p.txt").read_text().splitlines()) == 2


def test_nothing_is_left_if_the_search_is_given_up_without_a_puzzle(run, tmp_path, monkeypatch):
    monkeypatch.setattr("sudoku.generate.attempts.EFFORT", 2_000)
    pattern = "1... .1.. ..1. ...."  # no 4x4 puzzle has 3 givens
    result = run(1, "--box", "2x2", "--pattern", pattern, "-o", "p.txt")
    assert result.status == 2 and result.err.startswith("given up after ")
    assert result.err.count("\n") == 1 and os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, "-o", "none/file"), "none/file: cannot be written: No such file"),
        ((5, "--box", "0x7"), "box 0x7: each side of a box is at least 1"),
        ((5, "--givens", 16), "16 givens: no 9x9 puzzle with fewer than 17"),
        ((5, "--box", "8x8"), "64x64 grids cannot be drawn here"),
        ((5, "--format", "svg"), "<stdout>: there is more than one puzzle or solution"),
        ((1, "--rating", "5-2"), "rating 5.0 to 2.0: two scores from 0 on, in order"),
        ((1, "--box", "2x2", "--givens", 3, "-o", "never"), ""),
        ((1, "--pattern", "1..", "-o", "never"), "a pattern of 3 cells: a 9x9 grid has 81"),
        (
            (1, "--pattern", "cells"),
            "a pattern of 5 cells: a 9x9 grid has 81; there is no file of this name either",
        ),
        (
            (1, "--box", "2x2", "--pattern", f"{'xx':.<16}"),
            "a pattern of 2 givens: with fewer than 3 two digits are missing, and can be "
            "exchanged\n",
        ),
        ((1, "--hardest", "luck"), "no technique is called 'luck': one of hidden single"),
        ((1, "--time-limit", "-1"), "python -m sudoku.generate: argument --time-limit: '-1'"),
        ((0,), "python -m sudoku.generate: argument N: '0'"),
        (("many",), "python -m sudoku.generate: argument N: 'many'"),
        ((), "python -m sudoku.generate: the following arguments are required: N"),
        ((5, "--givens", "x"), "python -m sudoku.generate: argument --givens: 'x' is not a nu"),
        ((5, "--difficulty", "x-2"), "python -m sudoku.generate: argument --difficulty: 'x-2'"),
    ],
)
def test_faults_are_one_line(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.setattr("sudoku.generate.attempts.EFFORT", 20_000)
    result = run(*arguments)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(message) and result.err.count("\n") == 1
    assert os.listdir(tmp_path) == []


def test_help_and_faults_do_not_import_numba():
    calls = ["--help"], [5, "--box", "8x8"], [1, "--box", "2x2", "--quiet"]
    found = imported_by("sudoku.generate.__main__", *calls)
    assert found == [(0, False), (2, False), (0, True)]


@posix
def test_ctrl_c_keeps_what_was_found(tmp_path):
    status, err = interrupt_in_progress(
        "sudoku.generate", 10**8, "--seed", 1, "-o", tmp_path / "out", unit="puzzles"
    )
    assert status == 130
    assert os.listdir(tmp_path) == ["out.partial"]
    lines = (tmp_path / "out.partial").read_text().splitlines()
    assert {len(line) for line in lines} == {81}
    assert f"interrupted after {len(lines)} puzzles\n" in err
