"""The command ``sudoku.dlx``: its questions, exit statuses, and faults of input and usage."""

import gzip
import os
from pathlib import Path

import pytest

from sudoku.solving.batch_search import BatchSearch
from tests.sudoku.commands import ANSWER, DATA, NONE, SEVERAL, UNIQUE, imported_by

GRID = "\n".join(UNIQUE[i : i + 9] for i in range(0, 81, 9))


def test_each_line_is_solved(run_dlx):
    result = run_dlx(f"{UNIQUE}\n{UNIQUE}\n")
    assert (result.status, result.out) == (0, f"{ANSWER}\n{ANSWER}\n")
    assert result.err.startswith("puzzles 2, unique 2, several 0, none 0, time ")


def test_a_check_says_unique_several_or_none(run_dlx):
    text = f"{UNIQUE}\n{SEVERAL}\n{NONE}\n"
    result = run_dlx(text)
    assert result.status == 1
    assert result.lines[0] == ANSWER and len(result.lines[1]) == 81
    assert result.lines[2] == "no solution: 5 twice in row 1 (r1c1, r1c2)"
    assert result.err.startswith("puzzles 3, unique 1, several 1, none 1")
    assert run_dlx(text, "--check").lines == ["unique", "several", "none"]
    assert run_dlx(text, "--count").lines == ["1", "4", "0"]
    assert run_dlx(text, "--quiet").err == ""


@pytest.mark.parametrize(
    ("text", "options", "status"),
    [
        (UNIQUE, [], 0),
        (SEVERAL, [], 0),
        (NONE, [], 1),
        (UNIQUE, ["--check"], 0),
        (SEVERAL, ["--check"], 1),
        (NONE, ["--check"], 1),
        (SEVERAL, ["--count"], 0),
        (NONE, ["--count"], 1),
        (f"{UNIQUE}\n{NONE}", ["--all"], 1),
        (UNIQUE, ["--limit", "1"], 0),
    ],
)
def test_the_exit_status_says_whether_all_puzzles_have_a_solution(run_dlx, text, options, status):
    assert run_dlx(text, *options).status == status


def test_all_solutions_are_listed_up_to_a_limit(run_dlx):
    result = run_dlx("." * 16, "--all")
    assert len(result.lines) == len(set(result.lines)) == 288 and result.status == 0
    assert run_dlx("." * 16, "--limit", "5").lines == result.lines[:5]
    for task in ([], ["--all"], ["--count"]):
        one = run_dlx("." * 16, *task, "--limit", "1")
        assert len(one.lines) == 1 and one.err.startswith("puzzles 1, solved 1, none 0,")
    assert run_dlx("." * 16, "--count", "--limit", "100").lines == ["100"]
    assert run_dlx("." * 16, "--count", "--diagonal").lines == ["48"]
    assert run_dlx("." * 36, "--count", "--diagonal").lines == ["8640"]
    assert run_dlx(f"{'.' * 36}\n{NONE}\n{UNIQUE}\n", "--count", "--diagonal").lines[:2] == [
        "8640",
        "0",
    ]
    assert run_dlx("." * 36 + "\n" + "1" + "." * 35, "--count", "--diagonal").lines == [
        "8640",
        "1440",
    ]


BAD = {
    "empty": (b"", "in.txt: no puzzle found"),
    "binary": (b"\x00\x01\x02" * 99, "in.txt:1:1: not a text file: byte 0x00"),
    "wrong length": (UNIQUE[:80], "in.txt:1: 80 cells; a puzzle of 9x9 has 81"),
    "ragged": (GRID.replace("\n", "0\n", 1), "in.txt:1: ragged grid: 10 cells in a row"),
    "unknown symbol": (UNIQUE[:-1] + "z", "in.txt:1:81: unknown symbol 'z'"),
    "not UTF-8": (
        b"1 2 3 4\n3 4 1 \xe9\n" + b". . . .\n" * 2,
        "in.txt:2:7: byte 0xe9: the text is",
    ),
    "number above N": ("1 2 3 4\n" + "0 0 5 0\n" * 3, "in.txt:2:5: number above N: '5'"),
    "prime": ("1......\n" * 7, "in.txt:1: a 7x7 grid has no boxes: 7 is a prime"),
    "truncated": (gzip.compress(os.urandom(999))[:-9], "in.txt: truncated .gz"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_reported_in_a_line_and_nothing_is_written(run_dlx, tmp_path, name):
    data, message = BAD[name]
    result = run_dlx(data, "-o", "out.txt")
    assert result.status == 2 and result.out == ""
    assert result.err.startswith(message) and result.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["in.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.txt"], "none.txt: no such file"),
        ([""], "'': no such file"),
        (["12..34..21..43.."], "12..34..21..43..: no such file; a puzzle that is no file is piped"),
        (["."], ".: is a folder"),
        (["in.txt", "--box", "2x3"], "in.txt:1: 81 cells; a puzzle of 6x6"),
        (["in.txt", "--box", "3"], "box or layout '3': neither written RxC"),
        (["in.txt", "--box", ""], "box or layout '': neither written RxC"),
        (["in.txt", "--layout", "", "--box", "3x3"], "box '3x3+': there is no name"),
        (
            ["in.txt", "--candidates", "True"],
            "python -m sudoku.dlx: --candidates True: write true in small letters; see --help",
        ),
        (["in.txt", "--symbols", "112345678"], "symbol '1' occurs twice"),
        (["in.txt", "--symbols", "1234567"], "7 symbols: a 7x7 grid has no boxes"),
        (["in.txt", "--symbols", "1234", "--box", "2x3"], "4 symbols: box 2x3 makes a 6x6 grid"),
        (["in.txt", "-o", "none/out.txt"], "none/out.txt: cannot be written: No such file"),
        (["in.txt", "-o", "."], ".: is a folder"),
        (
            ["in.txt", "--check", "--format", "svg"],
            "python -m sudoku.dlx: --check has no --format svg: use line, json or csv; see --help",
        ),
        (
            ["in.txt", "--count", "--format", "grid"],
            "python -m sudoku.dlx: --count has no --for",
        ),
        (
            ["in.txt", "--count", "--format", "pretty"],
            "python -m sudoku.dlx: --count has no --for",
        ),
        (
            ["in.txt", "--check", "--limit", "1"],
            "python -m sudoku.dlx: --limit has no effect with --check, which looks for two",
        ),
        (
            ["in.txt", "--all", "--jobs", "2"],
            "python -m sudoku.dlx: --jobs has no effect with --all",
        ),
        (["in.txt", "--limit", "2", "--jobs", "2"], "python -m sudoku.dlx: --jobs has no effect"),
        (["in.txt", "--jobs", "0"], "python -m sudoku.dlx: argument --jobs: '0'"),
        (["in.txt", "--limit", "two"], "python -m sudoku.dlx: argument --limit: 'two'"),
        (["in.txt", "--time-limit", "-1"], "python -m sudoku.dlx: argument --time-limit: '-1'"),
        (["in.txt", "--format", "pdf"], "python -m sudoku.dlx: argument --format"),
        (["in.txt", "--count", "--check"], "python -m sudoku.dlx: argument"),
        (["--no-such"], "python -m sudoku.dlx: unrecognized"),
        (
            ["in.txt", "--all", "b.txt", "--no"],
            "python -m sudoku.dlx: unrecognized arguments: b.txt --no;",
        ),
    ],
)
def test_bad_usage_is_reported_in_a_line(run_dlx, tmp_path, arguments, message):
    Path("in.txt").write_text(UNIQUE)
    result = run_dlx(None, *arguments)
    assert result.status == 2 and result.out == ""
    assert result.err.startswith(message) and result.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["in.txt"]


def test_help_and_faults_do_not_import_numba(tmp_path):
    (tmp_path / "bad.txt").write_text(UNIQUE[1:])
    calls = ["--help"], ["--foo"], [tmp_path / "bad.txt"], [DATA / "empty4.txt"]
    found = imported_by("sudoku.dlx", *calls)
    assert found == [(0, False), (2, False), (2, False), (0, True)]


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*.txt")))
def test_every_set_in_data_is_described(name):
    assert f"`{name}`" in (DATA / "README.md").read_text()


def test_the_puzzles_in_data_are_solved(run_dlx):
    result = run_dlx(None, DATA / "documents.txt", DATA / "spaced.txt", "--check")
    assert result.lines == ["unique"] * 7
    assert run_dlx(None, DATA / "empty4.txt", "--count").lines == ["288"]
    assert run_dlx(None, DATA / "empty4.txt", "--count", "--diagonal").lines == ["48"]
    assert run_dlx(None, DATA / "empty6.txt", "--count", "--diagonal").lines == ["8640"]
    assert run_dlx(None, DATA / "grid16.txt", "--check").lines == ["unique"]
    words = ["--symbols", "张三 李四 王五 赵六"]
    assert run_dlx(None, DATA / "words4.txt", "--check", *words).lines == ["unique"]


def test_an_interrupt_before_many_solutions_are_counted_prints_no_part(run_dlx, monkeypatch):
    run = BatchSearch.run

    def interrupted(search, *arguments):
        run(search, *arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(BatchSearch, "run", interrupted)
    monkeypatch.setattr("sudoku.solving.batch_search.MANY_SOLUTIONS", 20)
    few, many = "1234" + "." * 12, "." * 16
    result = run_dlx(f"{few}\n{many}\n{few}\n", "--count")
    assert (result.status, result.out) == (130, "12\n")
    result = run_dlx(f"{few}\n{many}\n", "--count", "--limit", "15")
    assert (result.status, result.out) == (130, "12\n15\n")


def test_files_may_stand_before_and_after_options(run_dlx, tmp_path):
    (tmp_path / "b.txt").write_text("1.....2..3.....4\n")
    run = run_dlx("1" + "." * 15, "--count", "--limit", "2", "b.txt", "in.txt", "--quiet", "b.txt")
    assert (run.status, run.lines) == (0, ["2", "1", "2", "1"])
