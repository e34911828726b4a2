"""Outputs and inputs that are not plain files, or not as large as they seem."""

import os
import sys
from pathlib import Path

import pytest

from tests.faults import commands
from tests.faults.commands import COMMANDS, DATA, is_one_line

if os.name != "posix":
    pytest.skip(
        "these tests use devices, links and permissions, which Windows does not have",
        allow_module_level=True,
    )

# one of each module, that with the most output
ONE_OF_EACH = [COMMANDS[0], COMMANDS[4], COMMANDS[5], COMMANDS[6], COMMANDS[8]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("command", ONE_OF_EACH, ids=str)
def test_a_full_disk_is_reported_in_one_line(command, tmp_path):
    status, _, err = commands.run(command.line(tmp_path, "-o", "/dev/full"))
    assert status == 2 and is_one_line(err) and "No space left on device" in err
    with open("/dev/full", "wb") as full:
        process = commands.start(command.line(tmp_path), stdout=full)
        _, reported = process.communicate(timeout=commands.LONG)
    assert process.returncode == 2 and is_one_line(reported.decode())
    assert "<stdout>: cannot be written: No space left" in reported.decode()


@pytest.mark.parametrize("command", ONE_OF_EACH, ids=str)
def test_a_closed_pipe_ends_a_command_quietly(command, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)  # before the command starts: it may be fast
    process = commands.start(command.line(tmp_path, "--quiet"), stdout=writing)
    os.close(writing)
    _, reported = process.communicate(timeout=commands.LONG)
    assert (process.returncode, reported) == (141, b"")


@pytest.mark.parametrize("command", ONE_OF_EACH, ids=str)
def test_a_closed_standard_output_is_reported_in_one_line(command, tmp_path):
    status, _, err = commands.run(command.line(tmp_path), close=[1])
    assert status == 2 and is_one_line(err)
    assert err.endswith("<stdout>: cannot be written: it is closed\n")


def test_closed_standard_input_and_error_do_not_matter(tmp_path):
    for command in ONE_OF_EACH[:1]:
        status, out, _ = commands.run(command.line(tmp_path), close=[0, 2])
        assert status == 0 and len(out) == 820_000


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("sudoku.dlx", "<stdin>: no puzzle found"),
        ("sudoku.explain", "<stdin>: no puzzle found"),
        ("dlx", "dlx: standard input: there are no items"),
    ],
)
@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf"])
def test_an_empty_input_is_reported_in_one_line(module, message, data):
    status, out, err = commands.run([sys.executable, "-m", module, "-"], data=data)
    assert (status, out) == (2, b"")
    assert is_one_line(err) and message in err


def test_a_closed_standard_input_is_reported_in_one_line():
    for module in ("sudoku.dlx", "sudoku.explain", "dlx"):
        status, out, err = commands.run([sys.executable, "-m", module, "-"], close=[0])
        assert (status, out) == (2, b"") and is_one_line(err), module


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless device")
@pytest.mark.parametrize("module", ["sudoku.dlx", "sudoku.explain", "dlx"])
def test_an_endless_input_is_reported_in_one_line(module):
    line = [sys.executable, "-m", module]
    assert commands.run([*line, "/dev/zero"])[0] == 2
    with open("/dev/zero", "rb") as zeros:
        status, out, err = commands.run([*line, "-"], stdin=zeros)
    assert (status, out) == (2, b"") and is_one_line(err)


def test_the_output_may_replace_the_input(tmp_path):
    puzzles = tmp_path / "puzzles.txt"
    lines = (DATA / "minimal-9x9.txt").read_text().splitlines()[:50]
    puzzles.write_text("\n".join(lines))
    line = [sys.executable, "-m", "sudoku.dlx", str(puzzles), "-o", str(puzzles), "--quiet"]
    assert commands.run(line) == (0, b"", "")
    solved = puzzles.read_text().splitlines()
    assert len(solved) == 50 and "." not in "".join(solved)
    problem = tmp_path / "problem.dlx"
    problem.write_text("a b\na\nb\n")
    line = [sys.executable, "-m", "dlx", str(problem), "-o", str(problem), "--quiet"]
    assert commands.run(line) == (0, b"", "")
    assert problem.read_text() == "a\nb\n"
    assert sorted(os.listdir(tmp_path)) == ["problem.dlx", "puzzles.txt"]


def test_links_stay_and_permissions_are_kept(tmp_path):
    target = tmp_path / "folder" / "target"
    target.parent.mkdir()
    target.write_text("old")
    target.chmod(0o640)
    link, second = tmp_path / "link", tmp_path / "second"
    link.symlink_to(target)
    second.symlink_to("link")
    new = tmp_path / "new"
    dangling = tmp_path / "dangling"
    dangling.symlink_to(new)
    umask = os.umask(0o027)
    os.umask(umask)
    for name in (second, dangling):
        command = commands.Command("sudoku.grids", ("--count", "--box", "2x2"))
        assert commands.run(command.line(tmp_path, "-o", name, "--quiet"))[0] == 0
    assert (link.is_symlink(), second.is_symlink(), dangling.is_symlink()) == (True,) * 3
    assert target.read_text() == new.read_text() == "288\n"
    assert target.stat().st_mode & 0o7777 == 0o640
    assert new.stat().st_mode & 0o7777 == 0o666 & ~umask
    assert sorted(os.listdir(target.parent)) == ["target"]


@pytest.mark.parametrize("module", ["sudoku.dlx", "sudoku.explain", "dlx"])
@pytest.mark.parametrize("character", [b"1", b" ", b",", b"#", b"a ", b"\0"])
def test_a_line_of_ten_megabytes_is_reported_in_one_line(module, character, tmp_path):
    path = tmp_path / "long"
    path.write_bytes(character * (10_000_000 // len(character)))
    line = [sys.executable, "-m", module, str(path)]
    status, out, err = commands.run(line)
    # one item with a long name makes a problem, without options
    assert status in ((1, 2) if module == "dlx" else (2,)) and out == b""
    assert is_one_line(err) and len(err) < 1000
