"""The command: what it prints, its exit status, its faults."""

import os
import signal
import subprocess
import sys
import time
from itertools import product

import pytest

import dlx
from dlx.__main__ import main

TEXT = """\
| two solutions
a b c | x
a  b
c x:1
| between
a x:1
b c
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "problem.dlx"
    path.write_text(TEXT)
    return str(path)


def test_one_cover_as_the_file_wrote_it(file, capsys):
    assert main([file]) == 0
    out, err = capsys.readouterr()
    assert out == "a  b\nc x:1\n"
    assert err.startswith("1 solution, ")
    assert err.endswith("stopped: limit\n")


def test_all_covers_with_a_blank_line_between(file, capsys):
    assert main([file, "--all"]) == 0
    out, err = capsys.readouterr()
    assert out == "a  b\nc x:1\n\na x:1\nb c\n"
    assert "2 solutions" in err
    assert main([file, "--limit", "1", "--quiet"]) == 0
    assert capsys.readouterr() == ("a  b\nc x:1\n", "")


def test_counting(file, capsys):
    assert main([file, "--count"]) == 0
    assert capsys.readouterr().out == "2\n"
    assert main([file, "--count", "--limit", "1"]) == 0
    assert capsys.readouterr().out == "1\n"
    assert main([file, "--count", "--time-limit", "0"]) == 1
    assert capsys.readouterr().out == "at least 0\n"


def test_no_cover(tmp_path, capsys):
    path = tmp_path / "problem.dlx"
    path.write_text("a b\na\n")
    assert main([str(path)]) == 1
    assert capsys.readouterr().out == ""
    assert main([str(path), "--count"]) == 1
    assert capsys.readouterr().out == "0\n"


def test_output_to_a_file(file, tmp_path, capsys):
    path = tmp_path / "out"
    assert main([file, "--count", "-o", str(path)]) == 0
    assert path.read_text() == "2\n"
    assert capsys.readouterr().out == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "problem.dlx"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none", None, "none: No such file or directory"),
        ("folder", ..., "folder: Is a directory"),
        ("empty", b"", "empty: there are no items"),
        ("binary", b"\x00\x01", "binary:1: this is a binary file"),
        ("bad", b"a b\na c\n", "bad:2:3: item 'c' is not among"),
        ("twice", b"a b\na b a\n", "twice:2:5: option 0"),
    ],
)
def test_bad_input_is_one_line_and_status_2(name, content, message, tmp_path, capsys):
    path = tmp_path / name
    if content is ...:
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    assert main([str(path), "-o", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err
    assert not (tmp_path / "out").exists()


def test_output_that_cannot_be_written(file, tmp_path, capsys):
    for path in (tmp_path, tmp_path / "none" / "out"):
        assert main([file, "-o", str(path)]) == 2
        assert str(path) in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--limit", "-1"], ["--time-limit", "x"], ["--no"]])
def test_bad_usage_is_told_in_a_line_and_status_2(arguments, file, capsys):
    with pytest.raises(SystemExit) as error:
        main([*arguments, file] if arguments else [])
    assert error.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("dlx: ") and told.count("\n") == 1


def run(*arguments, environment=(), **options):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | dict(environment)
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_standard_input_and_help_come_without_numba():
    watch = "import sys, dlx.__main__ as m\ntry: m.main(sys.argv[1:])\nfinally:"
    for arguments, lazy in (["--help"], True), (["-"], True), (["-", "--count"], False):
        text = "a b\na c\n" if lazy else "a b\na\nb\n"
        process = run("-c", f"{watch} print('numba' in sys.modules)", *arguments)
        out, _ = process.communicate(text)
        assert out.splitlines()[-1] == str(not lazy)


def test_importing_the_package_imports_neither_numba_nor_numpy():
    process = run("-c", "import sys, dlx; print({'numba', 'numpy'} & set(sys.modules), dir(dlx))")
    out, _ = process.communicate()
    assert out.startswith("set() ")
    assert "count_solutions" in out
    with pytest.raises(AttributeError, match="no attribute 'cells'"):
        dlx.cells  # noqa: B018


def test_no_folder_for_compiled_code_is_told_in_a_line(file, monkeypatch, capsys):
    def fail(message):
        def run(self):
            raise RuntimeError(message)

        return run

    monkeypatch.setattr(
        "dlx.__main__._Command.run", fail("cannot cache function 'run': no locator")
    )
    assert main([file]) == 2
    caught = capsys.readouterr()
    assert caught.out == "" and caught.err.count("\n") == 1 and "NUMBA_CACHE_DIR" in caught.err
    monkeypatch.setattr("dlx.__main__._Command.run", fail("another"))
    with pytest.raises(RuntimeError, match="another"):
        main([file])


def test_the_time_limit_holds_for_what_is_written_too(tmp_path, capfd):
    path = tmp_path / "problem.dlx"
    path.write_text(latin_squares(7))
    out = tmp_path / "out"
    assert main([str(path), "--all", "--time-limit", "0.2", "-o", str(out)]) == 0
    caught = capfd.readouterr()
    assert caught.err.rstrip().endswith("stopped: time limit")
    solutions = out.read_text().split("\n\n")
    assert caught.err.split(" solutions")[0].replace(",", "") == str(len(solutions))
    assert all(solution.count("\n") >= 48 for solution in solutions)


@pytest.mark.parametrize("task", ["--count", "--all"])
def test_an_interrupt_keeps_what_was_found(task, tmp_path):
    path = tmp_path / "problem.dlx"
    path.write_text(latin_squares(7))
    # compiles what the command needs, so that the interrupt comes while it searches
    began = time.monotonic()
    enough = ["--time-limit", "0.5"] if task == "--count" else ["--limit", "100"]
    run("-m", "dlx", str(path), task, *enough).communicate()
    seconds = time.monotonic() - began
    process = run("-m", "dlx", str(path), task, "-o", str(tmp_path / "out"))
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("out.*.part")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1 + seconds)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in err
    assert "Traceback" not in err
    assert "out.partial" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.partial", "problem.dlx"]
    out = (tmp_path / "out.partial").read_text()
    if task == "--count":
        assert out.startswith("at least ")
        assert int(out.split()[2]) > 0
    else:
        solutions = out.split("\n\n")
        assert len(solutions) > 1
        assert all(len(solution.strip().split("\n")) == 49 for solution in solutions)


def test_an_interrupt_while_kernels_are_compiled_ends_the_command_at_once(tmp_path):
    path = tmp_path / "problem.dlx"
    path.write_text(latin_squares(8))
    folder = {"NUMBA_CACHE_DIR": str(tmp_path)}  # nothing is compiled yet, and that takes seconds
    for seconds in (0.3, 1.5, 2.5):
        process = run("-m", "dlx", str(path), "--count", environment=folder)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130
        assert out.startswith("at least ") and int(out.split()[2]) >= 0
        assert err.count("\n") == 1 and "interrupted" in err


def test_huge_limits_are_exact(file, capsys):
    for limit in (2**63 - 1, 2**63, 10**30):
        assert main([file, "--count", "--limit", str(limit)]) == 0
        assert main([file, "--limit", str(limit), "--quiet"]) == 0
        assert capsys.readouterr().out == "2\na  b\nc x:1\n\na x:1\nb c\n"


@pytest.mark.skipif(os.name != "posix", reason="descriptors as POSIX has them")
def test_a_closed_standard_output_is_told_in_a_line(file):
    process = run("-m", "dlx", file, preexec_fn=lambda: os.close(1))
    assert process.communicate()[1] == "dlx: <stdout>: cannot be written: it is closed\n"
    assert process.returncode == 2


def latin_squares(n):
    cells = product(range(n), repeat=3)
    options = [f"p{r}{c} r{r}{s} c{c}{s}" for r, c, s in cells]
    items = sorted({item for option in options for item in option.split()})
    return "\n".join([" ".join(items), *options])
