"""Where output goes: files, numbered files, standard output, descriptors."""

import gzip
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sudoku.errors import FileError
from sudoku.shell.output import Output
from tests.sudoku.commands import ANSWER, ROOT, UNIQUE, posix, start


def test_a_file_is_replaced_at_the_end(run_dlx, tmp_path):
    assert run_dlx(f"{UNIQUE}\n", "-o", "in.txt", "--quiet").out == ""
    assert Path("in.txt").read_text() == ANSWER + "\n"
    link = tmp_path / "link"
    link.symlink_to("in.txt")
    run_dlx(UNIQUE, "-o", "link", "--format", "grid")
    assert link.is_symlink() and len(Path("in.txt").read_text().splitlines()) == 9
    assert sorted(os.listdir(tmp_path)) == ["in.txt", "link"]


@posix
def test_a_closed_pipe_ends_the_command_without_a_message():
    process = start("sudoku.dlx", "-", "--all", "--quiet")
    process.stdin.write("." * 81)
    process.stdin.close()
    assert len(process.stdout.readline()) == 82
    process.stdout.close()
    assert process.wait() == 141 and process.stderr.read() == ""
    process.stderr.close()


@posix
def test_a_closed_standard_output_is_reported_in_a_line():
    process = start("sudoku.dlx", "-", "--quiet", close=[1])
    _, err = process.communicate("1..4 ..2. .1.. 4...\n")
    assert err == "<stdout>: cannot be written: it is closed\n" and process.returncode == 2


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="descriptors have no names")
def test_a_descriptor_is_written_to_directly(tmp_path):
    process = start("sudoku.dlx", "-", "-o", "/dev/stdout", "--quiet")
    assert process.communicate("1..4..2..1..4...\n")[0] == "1234342121434312\n"
    path = tmp_path / "out"
    with path.open("w") as file:
        file.write("before\n")
        file.flush()
        process = start("sudoku.dlx", "-", "-o", "/dev/stdout", "--quiet", stdout=file)
        process.communicate("1..4..2..1..4...\n")
        file.write("after\n")
    assert path.read_text() == "before\n1234342121434312\nafter\n"


def test_faults_are_file_errors(tmp_path):
    with pytest.raises(FileError, match="cannot be written: No such file"):
        Output(str(tmp_path / "none" / "out"))
    with pytest.raises(FileError, match="is a folder"):
        Output(str(tmp_path))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_disk_is_reported():
    with pytest.raises(FileError, match="No space left"), Output("/dev/full") as output:
        output.write(b"text")


def write_sheets(name, *sheets):
    with Output(str(name)) as output:
        for sheet in sheets:
            output.add_picture(sheet)
    return output


def test_a_single_picture_goes_to_the_file_itself(tmp_path):
    assert write_sheets(tmp_path / "p.svg", "one").count == 1
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("p.svg", "one")]


def test_several_pictures_go_to_numbered_files(tmp_path):
    write_sheets(tmp_path / "p.svg", "one", "two", "three")
    found = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert found == {"p-1.svg": "one", "p-2.svg": "two", "p-3.svg": "three"}


@pytest.mark.parametrize("ending", [".gz", ".GZ"])
def test_numbered_files_are_compressed_as_their_name_says(tmp_path, ending):
    with Output(str(tmp_path / f"p.svg{ending}")) as output:
        output.add_picture("one")
        output.add_picture("two")
    found = {path.name: gzip.decompress(path.read_bytes()) for path in tmp_path.iterdir()}
    assert found == {f"p-1.svg{ending}": b"one", f"p-2.svg{ending}": b"two"}


def test_numbered_files_are_removed_after_an_error(tmp_path):
    with pytest.raises(ZeroDivisionError), Output(str(tmp_path / "p.svg")) as output:
        for text in ("one", "two"):
            output.add_picture(text)
        assert len(os.listdir(tmp_path)) == 3  # with the temporary file
        _ = 1 / 0
    assert os.listdir(tmp_path) == []


def test_several_pictures_cannot_go_to_standard_output():
    output = Output("-")
    output.expect_pictures(1)
    output.add_picture("one")
    for refused in (lambda: output.expect_pictures(2), lambda: output.add_picture("two")):
        with pytest.raises(FileError, match="with -o NAME each goes to a numbered file"):
            refused()


@posix
@pytest.mark.parametrize(
    ("written", "ready"), [("one ", "two"), ("", "two"), ("one", ""), ("", "")]
)
def test_ctrl_c_during_a_later_compilation_keeps_what_was_found(tmp_path, written, ready):
    """The process ends within the block, which stands for one that compiles a kernel."""
    code = (
        "import signal, sys, threading\n"
        "from sudoku.shell.output import Output\n"
        "name, written, ready = sys.argv[1:]\n"
        "output = Output(name)\n"
        "output.write(written.encode())\n"
        "with output.exit_on_interrupt(lambda: output.write(ready.encode())):\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    threading.Event().wait()"
    )
    name = tmp_path / "out.txt"
    command = [sys.executable, "-c", code, str(name), written, ready]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    reported = f"what was done so far is in {name}.partial\n" if written + ready else ""
    assert (done.returncode, done.stderr) == (130, f"{reported}interrupted\n")
    assert [file.read_text() for file in tmp_path.iterdir()] == [written + ready] * bool(reported)


@posix
def test_ctrl_c_during_a_write_neither_loses_nor_repeats_parts(tmp_path, monkeypatch):
    output, parts = Output(str(tmp_path / "out")), [b"one ", b"two"]
    write = type(output).write

    def interrupted(self, data, count=0):
        signal.raise_signal(signal.SIGINT)
        write(self, data, count)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Output, "write", interrupted)
    with pytest.raises(KeyboardInterrupt), output:
        try:
            output.write_all(parts)
        except KeyboardInterrupt:
            output.write_all(parts)
            raise
    assert (tmp_path / "out.partial").read_text() == "one two" and parts == []
