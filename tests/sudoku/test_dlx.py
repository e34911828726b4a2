"""The command ``python -m sudoku.dlx``: what it prints, where, and with which status."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sudoku
from sudoku.dlx import main
from sudoku.errors import FileError
from sudoku.reading.convert import as_grid
from sudoku.shell import command
from sudoku.symbols import Symbols

DATA = Path(__file__).parents[2] / "data"
UNIQUE = "000000002004200601600000900960804100000903000008706049005000008107008300400000000"
ANSWER = str(sudoku.solve(UNIQUE))
SEVERAL = ANSWER.replace("8", "0").replace("1", "0")
NONE = "55" + "0" * 79
GRID = "\n".join(UNIQUE[i : i + 9] for i in range(0, 81, 9))


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err
        self.lines = out.splitlines()


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in a folder of its own, with a text in the file ``in.txt``."""
    monkeypatch.chdir(tmp_path)

    def go(text, *arguments):
        if text is not None:
            data = text if isinstance(text, bytes) else text.encode()
            Path("in.txt").write_bytes(data)
        names = [] if text is None else ["in.txt"]
        try:
            status = main([*names, *map(str, arguments)])
        except SystemExit as end:
            status = end.code
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return go


def test_solves_line_by_line(run):
    result = run(f"{UNIQUE}\n{UNIQUE}\n")
    assert (result.status, result.out) == (0, f"{ANSWER}\n{ANSWER}\n")
    assert result.err.startswith("puzzles 2, unique 2, several 0, none 0, time ")


def test_tells_unique_several_and_none(run):
    text = f"{UNIQUE}\n{SEVERAL}\n{NONE}\n"
    result = run(text)
    assert result.status == 1
    assert result.lines[0] == ANSWER and len(result.lines[1]) == 81
    assert result.lines[2] == "no solution: 5 twice in row 1 (r1c1, r1c2)"
    assert result.err.startswith("puzzles 3, unique 1, several 1, none 1")
    assert run(text, "--check").lines == ["unique", "several", "none"]
    assert run(text, "--count").lines == ["1", "4", "0"]
    assert run(text, "--quiet").err == ""


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
def test_status(run, text, options, status):
    assert run(text, *options).status == status


def test_all_and_limit(run):
    result = run("." * 16, "--all")
    assert len(result.lines) == len(set(result.lines)) == 288 and result.status == 0
    assert run("." * 16, "--limit", "5").lines == result.lines[:5]
    assert len(run("." * 16, "--limit", "1").lines) == 1
    assert run("." * 16, "--count", "--limit", "100").lines == ["100"]
    assert run("." * 16, "--count", "--diagonal").lines == ["48"]
    assert run("." * 36, "--count", "--diagonal").lines == ["8640"]
    assert run(f"{'.' * 36}\n{NONE}\n{UNIQUE}\n", "--count", "--diagonal").lines[:2] == [
        "8640",
        "0",
    ]
    assert run("." * 36 + "\n" + "1" + "." * 35, "--count", "--diagonal").lines == ["8640", "1440"]


def test_a_grid_comes_back_as_it_came(run):
    rows = [
        "+--+--+",
        "| 1 .|. 4 |",
        "| . .|2 . |",
        "+--+--+",
        "|. 1 |. . |",
        "| 4 .|. .|",
        "+--+--+",
    ]
    text = "Grid 01\n" + "\n".join(rows) + "\n\n# more\nGrid 02\n1..4\n..2.\n.1..\n4...\n"
    result = run(text)
    assert result.lines == [
        "Grid 01",
        "+--+--+",
        "| 1 2|3 4 |",
        "| 3 4|2 1 |",
        "+--+--+",
        "|2 1 |4 3 |",
        "| 4 3|1 2|",
        "+--+--+",
        "",
        "Grid 02",
        "1234",
        "3421",
        "2143",
        "4312",
    ]
    assert run("\n".join(rows)).lines == result.lines[1:8]
    bad = run("Grid 01\n11..\n....\n....\n....\n")
    assert bad.lines == ["Grid 01", "no solution: 1 twice in row 1 (r1c1, r1c2)"]
    assert len(
        run("1...\n..2.\n....\n...3\n", "--all").out.split("\n\n")
    ) == sudoku.count_solutions("1...\n..2.\n....\n...3\n")


def test_numbers_and_words_come_back_as_they_came(run):
    words = "张三 . . 赵六\n. . 李四 .\n. 张三 . .\n赵六 . . .\n"
    result = run(words, "--symbols", "张三 李四 王五 赵六")
    assert result.lines[0] == "张三 李四 王五 赵六" and result.status == 0
    numbers = run("01,00,00,04\n00,00,02,00\n00,01,00,00\n04,00,00,00\n")
    assert numbers.lines[0].replace(" ", "") == "1,2,3,4"


@pytest.mark.parametrize("options", [[], ["--all"], ["--count", "--format", "csv"]])
def test_csv_that_was_written_is_read_again(run, options):
    text = f"puzzle\r\n{UNIQUE}\r\n".replace(UNIQUE, f'"{UNIQUE}"')
    written = run(text, *options)
    assert written.lines[0].startswith("puzzle,")
    assert run(written.out).lines == ["puzzle,solution", f"{UNIQUE},{ANSWER}"]
    column = "".join(line.partition(",")[0] + "\n" for line in written.lines)
    assert run(column).lines == [ANSWER]


def test_csv_comes_back_as_csv(run):
    result = run(f"puzzle,rating\n{UNIQUE},1.2\n{NONE},9\n")
    assert result.lines == ["puzzle,solution", f"{UNIQUE},{ANSWER}", f"{NONE},"]
    counted = run(f"puzzle\n{UNIQUE}\n", "--count", "--format", "csv")
    assert counted.lines == ["puzzle,count", f"{UNIQUE},1"]
    assert run(f"puzzle,rating\n{UNIQUE},1.2\n", "--check").lines == ["unique"]
    checked = run(UNIQUE, "--check", "--format", "csv")
    assert checked.lines == ["puzzle,check", f"{UNIQUE},unique"]


def test_json_has_one_object_a_line(run):
    result = run(f"{UNIQUE}\n{SEVERAL}\n{NONE}\n", "--format", "json")
    one, several, none = map(json.loads, result.lines)
    assert one["puzzle"] == UNIQUE and one["solutions"] == [ANSWER]
    assert (one["count"], one["unique"], one["exact"]) == (1, True, True)
    assert (several["count"], several["unique"], several["exact"]) == (2, False, False)
    assert (none["count"], none["unique"], none["solutions"]) == (0, False, [])
    assert all(isinstance(found["nodes"], int) for found in (one, several, none))
    every = json.loads(run("." * 16, "--all", "--format", "json").out)
    assert every["count"] == len(set(every["solutions"])) == 288 and every["exact"]
    counted = json.loads(run("." * 16, "--count", "--format", "json").out)
    assert (counted["count"], counted["solutions"], counted["unique"]) == (288, [], False)
    some = json.loads(run("." * 16, "--count", "--limit", "9", "--format", "json").out)
    assert (some["count"], some["exact"]) == (9, False)
    first = json.loads(run(UNIQUE, "--limit", "1", "--format", "json").out)
    assert first["unique"] is None and first["exact"] is False


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (f"{UNIQUE}\n{SEVERAL}\n{NONE}\n" * 3, []),
        ("1..4..2..1..4...\n11..............\n", []),
        ("\\..z..x..\\..z...\n\\\\..............\n", ["--symbols", "\\xyz"]),
        ("♠..♣..♥..♠..♣...\n♠♠..............\n", ["--symbols", "♠♥♦♣"]),
        ("Ann . . Sue\n. . Bob .\n. Ann . .\nSue . . .\n", ["--symbols", "Ann Bob Eve Sue"]),
    ],
)
def test_json_and_csv_agree_with_each_puzzle_alone(run, text, options):
    names = options[-1] if options else "auto"
    symbols = Symbols.parse(names) if options else None
    found = [json.loads(line) for line in run(text, "--format", "json", *options).lines]
    fields = [line.split(",") for line in run(text, "--format", "csv", *options).lines[1:]]
    checked = [line.split(",") for line in run(text, "--format", "csv", "--check", *options).lines]
    listed = [json.loads(line) for line in run(text, "--format", "json", "--all", *options).lines]
    assert len(found) == len(fields) == len(listed) == len(checked) - 1
    words = {0: "none", 1: "unique", 2: "several"}
    for one, (puzzle, solution), (_, word), every in zip(
        found, fields, checked[1:], listed, strict=True
    ):
        assert one["puzzle"] == puzzle == every["puzzle"]
        assert one["solutions"] == ([solution] if solution else [])
        question = as_grid(puzzle, symbols=symbols)
        assert one["count"] == sudoku.count_solutions(question, limit=2)
        assert words[one["count"]] == word
        assert set(one["solutions"]) <= set(every["solutions"])
        assert sorted(every["solutions"]) == sorted(
            str(solution) for solution in sudoku.solutions(question)
        )
        assert (every["count"], every["exact"]) == (len(every["solutions"]), True)


def test_headers_in_other_encodings_come_back(run):
    run(b"Gitter \xe4\n1...\n....\n..2.\n....\n", "-o", "out.txt")
    assert Path("out.txt").read_bytes().startswith(b"Gitter \xe4\n1")


def test_any_shape_can_be_asked_for(run):
    assert run(GRID, "--format", "line").out == ANSWER + "\n"
    rows = [ANSWER[i : i + 9] for i in range(0, 81, 9)]
    assert run(UNIQUE, "--format", "grid").lines == rows
    two = run(f"{UNIQUE}\n{UNIQUE}\n", "--format", "grid")
    assert two.lines == [*rows, "", *rows]
    pretty = run(UNIQUE, "--format", "pretty").lines
    assert pretty[0] == "8 1 9 | 4 6 5 | 7 3 2" and pretty[3] == "------+-------+------"
    again = run("\n".join(pretty), "--format", "line")
    assert again.out == ANSWER + "\n"
    assert run(f"{NONE}\n{UNIQUE}", "--format", "pretty").lines[1:3] == ["", pretty[0]]


def test_output_replaces_its_file_when_all_is_done(run, tmp_path):
    assert run(f"{UNIQUE}\n", "-o", "in.txt", "--quiet").out == ""
    assert Path("in.txt").read_text() == ANSWER + "\n"
    link = tmp_path / "link"
    link.symlink_to("in.txt")
    run(UNIQUE, "-o", "link", "--format", "grid")
    assert link.is_symlink() and len(Path("in.txt").read_text().splitlines()) == 9
    assert sorted(os.listdir(tmp_path)) == ["in.txt", "link"]


BAD = {
    "empty": (b"", "in.txt: no puzzle in it"),
    "binary": (b"\x00\x01\x02" * 99, "in.txt:1:1: not a text file: byte 0x00"),
    "wrong length": (UNIQUE[:80], "in.txt:1: 80 cells; a puzzle of 9x9 has 81"),
    "ragged": (GRID.replace("\n", "0\n", 1), "in.txt:1: ragged grid: 10 cells in a row"),
    "unknown symbol": (UNIQUE[:-1] + "z", "in.txt:1:81: unknown symbol 'z'"),
    "number above N": ("1 2 3 4\n" + "0 0 5 0\n" * 3, "in.txt:2:5: number above N: '5'"),
    "prime": ("1......\n" * 7, "in.txt:1: a 7x7 grid has no boxes: 7 is a prime"),
    "truncated": (gzip.compress(os.urandom(999))[:-9], "in.txt: truncated .gz"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_in_a_line_and_nothing_is_written(run, tmp_path, name):
    data, message = BAD[name]
    result = run(data, "-o", "out.txt")
    assert result.status == 2 and result.out == ""
    assert result.err.startswith(message) and result.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["in.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.txt"], "none.txt: no such file"),
        (["."], ".: is a folder"),
        (["in.txt", "--box", "2x3"], "in.txt:1: 81 cells; a puzzle of 6x6"),
        (["in.txt", "--box", "3"], "box '3': a box is written RxC"),
        (["in.txt", "--symbols", "112345678"], "symbol '1' stands twice"),
        (["in.txt", "--symbols", "1234567"], "a 7x7 grid has no boxes"),
        (["in.txt", "--symbols", "1234", "--box", "2x3"], "box 2x3 makes a 6x6 grid"),
        (["in.txt", "-o", "none/out.txt"], "none/out.txt: cannot be written: No such file"),
        (["in.txt", "-o", "."], ".: is a folder"),
        (
            ["in.txt", "--check", "--format", "svg"],
            "python -m sudoku.dlx: --check has no svg: the formats are line, json and csv; see",
        ),
        (["in.txt", "--count", "--format", "grid"], "python -m sudoku.dlx: --count has no grid"),
        (["in.txt", "--count", "--format", "pretty"], "python -m sudoku.dlx: --count has no pre"),
        (
            ["in.txt", "--check", "--limit", "1"],
            "python -m sudoku.dlx: --check has no --limit: it looks for a second solution",
        ),
        (["in.txt", "--jobs", "0"], "python -m sudoku.dlx: argument --jobs: '0'"),
        (["in.txt", "--limit", "two"], "python -m sudoku.dlx: argument --limit: 'two'"),
        (["in.txt", "--time-limit", "-1"], "python -m sudoku.dlx: argument --time-limit: '-1'"),
        (["in.txt", "--format", "pdf"], "python -m sudoku.dlx: argument --format"),
        (["in.txt", "--count", "--check"], "python -m sudoku.dlx: argument"),
        (["--no-such"], "python -m sudoku.dlx: unrecognized"),
    ],
)
def test_bad_usage_is_told_in_a_line(run, tmp_path, arguments, message):
    Path("in.txt").write_text(UNIQUE)
    result = run(None, *arguments)
    assert result.status == 2 and result.out == ""
    assert result.err.startswith(message) and result.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["in.txt"]


def test_bad_puzzles_are_all_told_or_skipped(run):
    text = f"{UNIQUE}\n{UNIQUE[1:]}\n{UNIQUE}\n?{UNIQUE[1:]}\n"
    strict = run(text, "-o", "out.txt")
    assert strict.status == 2 and not Path("out.txt").exists()
    assert [line.split()[0] for line in strict.err.splitlines()] == ["in.txt:2:", "in.txt:4:1:"]
    assert run(text).out == ""
    lenient = run(text, "--skip-bad")
    assert lenient.status == 1 and lenient.lines == [ANSWER] * 2
    assert lenient.err.splitlines()[:2] == strict.err.splitlines()
    assert "bad 2" in lenient.err


def test_a_missing_file_does_not_hide_the_faults_of_others(run):
    Path("short.txt").write_text(UNIQUE[1:])
    result = run(UNIQUE, "none.txt", "short.txt")
    assert result.status == 2 and len(result.err.splitlines()) == 2


def test_large_files_go_through_in_chunks(run, monkeypatch):
    monkeypatch.setattr("sudoku.reading.sources.CHUNK", 10_000)
    text = f"{UNIQUE}\n{SEVERAL}\n{NONE}\n" * 400
    one = run(text, "--jobs", "1")
    two = run(text, "--jobs", "3")
    assert one.out == two.out and len(one.lines) == 1200
    assert one.lines[::3] == [ANSWER] * 400
    assert one.err.startswith("puzzles 1200, unique 400, several 400, none 400")


def test_a_time_limit_ends_a_count_with_a_lower_bound(run):
    result = run("." * 81, "--count", "--time-limit", "0.2")
    assert result.status == 1
    assert result.lines[0].startswith(">= ") and int(result.lines[0][3:]) > 1000
    assert "time limit of 0.2 s" in result.err
    assert run(f"{UNIQUE}\n" * 3, "--time-limit", "0").lines == []
    listed = run("." * 81, "--all", "--time-limit", "0.1")
    assert listed.status == 1 and 100 < len(set(listed.lines)) == len(listed.lines) < 10**6
    assert f"at least {len(listed.lines)} solutions" in listed.err


def test_help_and_faults_do_not_import_numba(tmp_path):
    (tmp_path / "bad.txt").write_text(UNIQUE[1:])
    code = (
        "import sys, sudoku.dlx\n"
        "try: sudoku.dlx.main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print('numba' in sys.modules, 'numpy' in sys.modules, file=sys.stderr)"
    )
    for arguments in (["--help"], ["--foo"], [str(tmp_path / "bad.txt")]):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
            cwd=DATA.parent,
            check=True,
        )
        assert done.stderr.splitlines()[-1] == "False False"


def start(*arguments, stdout=subprocess.PIPE, close=(), **options):
    return subprocess.Popen(
        [sys.executable, "-m", "sudoku.dlx", *map(str, arguments)],
        cwd=DATA.parent,
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        # a background process of a shell ignores the signal, and so would its children
        preexec_fn=lambda: (
            signal.signal(signal.SIGINT, signal.default_int_handler),
            [os.close(descriptor) for descriptor in close],
        ),
        **options,
    )


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_ctrl_c_prints_the_count_so_far(tmp_path):
    (tmp_path / "empty.txt").write_text("." * 81)
    out = tmp_path / "out.txt"
    process = start(tmp_path / "empty.txt", "--count", "-o", out)
    beside = None
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not beside:  # it has begun to compile or to count
        beside = list(tmp_path.glob("out.txt.*"))
        time.sleep(0.01)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130 and "interrupted" in err and "Traceback" not in err
    assert not out.exists() and not list(tmp_path.glob("*.part"))
    partial = tmp_path / "out.txt.partial"
    if partial.exists():  # else it was still compiling
        assert partial.read_text().startswith(">= ") and "at least" in err


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_a_closed_pipe_is_quiet():
    process = start("-", "--all", "--quiet")
    process.stdin.write("." * 81)
    process.stdin.close()
    assert len(process.stdout.readline()) == 82
    process.stdout.close()
    assert process.wait(30) == 141 and process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.skipif(os.name != "posix", reason="descriptors as POSIX has them")
def test_a_closed_standard_output_is_told_in_a_line():
    process = start("-", "--quiet", close=[1])
    _, err = process.communicate("1..4 ..2. .1.. 4...\n")
    assert err == "<stdout>: cannot be written: it is closed\n" and process.returncode == 2


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="descriptors have no names")
def test_output_to_a_descriptor_is_written_through(tmp_path):
    process = start("-", "-o", "/dev/stdout", "--quiet")
    assert process.communicate("1..4..2..1..4...\n")[0] == "1234342121434312\n"
    path = tmp_path / "out"
    with path.open("w") as file:
        file.write("before\n")
        file.flush()
        process = start("-", "-o", "/dev/stdout", "--quiet", stdout=file)
        process.communicate("1..4..2..1..4...\n")
        file.write("after\n")
    assert path.read_text() == "before\n1234342121434312\nafter\n"


def test_output_leaves_nothing_behind_an_error(tmp_path, capsys):
    name = str(tmp_path / "out")
    with pytest.raises(ZeroDivisionError), command.Output(name) as output:
        output.write(b"half")
        _ = 1 / 0
    assert os.listdir(tmp_path) == []
    with pytest.raises(KeyboardInterrupt), command.Output(name) as output:
        output.write(b"half")
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == ["out.partial"]
    assert "out.partial" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_disk_is_told():
    with pytest.raises(FileError, match="No space left"), command.Output("/dev/full") as output:
        output.write(b"text")


def test_status_of_each_way_to_end(capsys):
    def fail(error):
        def body():
            raise error

        return body

    assert command.run(lambda: 0) == 0
    assert command.run(fail(KeyboardInterrupt())) == 130
    assert command.run(fail(FileError("x: no such file"))) == 2
    assert capsys.readouterr().err == "x: no such file\n"
    assert command.run(fail(RuntimeError("cannot cache function 'run': no locator"))) == 2
    assert "NUMBA_CACHE_DIR" in capsys.readouterr().err
    with pytest.raises(RuntimeError):
        command.run(fail(RuntimeError("a fault of our own")))


def test_progress_is_shown_on_a_terminal_alone(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    clock = iter([0.0, 0.5, 2.0, 2.05, 3.0, 4.0])
    monkeypatch.setattr("sudoku.shell.command.time.monotonic", lambda: next(clock))
    progress = command.Progress()
    progress.update(1, 0.1)
    progress.update(1000, 0.5)
    progress.update(1001, 0.5)
    progress.update(2000)
    progress.clear()
    err = capsys.readouterr().err
    assert "50% 1,000 puzzles, 0:02, 0:02 left" in err and "1,001" not in err
    assert "2,000 puzzles, 0:03" in err and err.endswith("\r")
    assert not command.Progress(quiet=True)._on


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*.txt")))
def test_every_set_in_data_is_described(name):
    assert f"`{name}`" in (DATA / "README.md").read_text()


def test_the_puzzles_in_data_are_solved(run):
    result = run(None, DATA / "documents.txt", DATA / "spaced.txt", "--check")
    assert result.lines == ["unique"] * 7
    assert run(None, DATA / "empty4.txt", "--count").lines == ["288"]
    assert run(None, DATA / "empty4.txt", "--count", "--diagonal").lines == ["48"]
    assert run(None, DATA / "empty6.txt", "--count", "--diagonal").lines == ["8640"]
    assert run(None, DATA / "grid16.txt", "--check").lines == ["unique"]
    words = ["--symbols", "张三 李四 王五 赵六"]
    assert run(None, DATA / "words4.txt", "--check", *words).lines == ["unique"]
