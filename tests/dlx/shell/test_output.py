"""Output of commands: complete files, partial ones after Ctrl-C, pipes and devices."""

import errno
import gzip
import lzma
import os
import stat
import threading
from types import SimpleNamespace

import pytest

from dlx.errors import DlxError, OutputError
from dlx.files import write_file
from dlx.shell.output import Output, print_message

posix = pytest.mark.skipif(os.name != "posix", reason="files as POSIX has them")


def write(name, *pieces):
    with Output(str(name)) as output:
        for piece in pieces:
            output.write(piece, 1)
    return output


def test_a_file_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "out"
    with Output(str(path)) as output:
        output.write(b"one")
        output.write(b"two", 5)
        assert not path.exists() and len(list(tmp_path.iterdir())) == 1
    assert path.read_bytes() == b"onetwo"
    assert (output.written, output.count) == (6, 5)
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_keeps_the_old_file(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"before")
    with pytest.raises(ZeroDivisionError), Output(str(path)) as output:
        output.write(b"half")
        _ = 1 / 0
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_keeps_the_data_in_a_partial_file(tmp_path, capsys):
    for pieces, names in ([], set()), ([b"half"], {"out.partial"}):
        with pytest.raises(KeyboardInterrupt), Output(str(tmp_path / "out")) as output:
            for piece in pieces:
                output.write(piece)
            raise KeyboardInterrupt
        assert set(os.listdir(tmp_path)) == names
        assert capsys.readouterr().err.count("\n") == len(names)


@pytest.mark.parametrize(
    ("ending", "unpacked"),
    [(".gz", gzip.open), (".xz", lzma.open), (".GZ", gzip.open), (".Xz", lzma.open)],
)
def test_a_file_is_compressed_as_its_name_says(tmp_path, ending, unpacked):
    path = tmp_path / f"out{ending}"
    output = write(path, b"one\n" * 5000, b"two\n" * 5000)
    assert (output.written, output.count) == (40_000, 2)
    with unpacked(path) as file:
        assert file.read() == b"one\n" * 5000 + b"two\n" * 5000
    assert path.stat().st_size < 1000
    with pytest.raises(KeyboardInterrupt), Output(str(path)) as output:
        output.write(b"half")
        raise KeyboardInterrupt
    with unpacked(f"{path}.partial") as file:
        assert file.read() == b"half"
    path.unlink()
    with pytest.raises(ZeroDivisionError), Output(str(path)) as output:
        output.write(b"half")
        _ = 1 / 0
    assert [each.name for each in tmp_path.iterdir()] == [f"out{ending}.partial"]


@pytest.mark.parametrize("ending", [".bz2", ".zip", ".zst", ".ZIP"])
def test_a_file_of_another_compressed_format_is_refused(tmp_path, ending):
    name = str(tmp_path / f"out{ending}")
    with pytest.raises(OutputError) as error:
        Output(name)
    assert str(error.value) == f"{name}: cannot be written: files are compressed as .gz or .xz"
    assert list(tmp_path.iterdir()) == []


@posix
def test_the_mode_is_kept_and_links_are_followed(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"before")
    target.chmod(0o640)
    link.symlink_to(target)
    write(link, b"after")
    assert link.is_symlink() and target.read_bytes() == b"after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    target.unlink()
    write(link, b"anew")
    assert link.is_symlink() and target.read_bytes() == b"anew"


@posix
def test_a_pipe_is_written_to_without_delay(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    seen = []
    reader = threading.Thread(target=lambda: seen.append(path.read_bytes()))
    reader.start()
    write(path, b"one", b"two")
    reader.join(10)
    assert seen == [b"onetwo"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("system", "fault"), [("nt", BrokenPipeError), ("posix", OutputError)])
def test_a_pipe_without_a_reader_is_that_on_windows_too(monkeypatch, system, fault):
    def write(data):
        raise OSError(errno.EINVAL, "Invalid argument")

    stdout = SimpleNamespace(flush=lambda: None, buffer=SimpleNamespace(write=write))
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", stdout)
        patch.setattr("os.name", system)
        with pytest.raises(fault), Output(None) as output:
            output.write(b"text")


@pytest.mark.skipif(not os.path.exists("/dev/fd/0"), reason="descriptors have no names")
def test_a_path_that_names_a_descriptor_is_written_to_it(tmp_path):
    path = tmp_path / "file"
    with path.open("wb", buffering=0) as file:
        file.write(b"before ")
        write(f"/dev/fd/{file.fileno()}", b"amid ")
        (tmp_path / "link").symlink_to(f"/dev/fd/{file.fileno()}")
        write(tmp_path / "link", b"amid ")
        file.write(b"after")
    assert path.read_bytes() == b"before amid amid after"
    reading, writing = os.pipe()
    write(f"/dev/fd/{writing}", b"text")
    assert os.read(reading, 10) == b"text"
    os.close(reading)
    os.close(writing)
    with pytest.raises(OutputError, match=f"/dev/fd/{writing}: cannot be written: Bad file"):
        Output(f"/dev/fd/{writing}")


def test_names_that_cannot_be_written_are_reported(tmp_path, monkeypatch):
    with pytest.raises(OutputError, match="is a folder; a file is needed"):
        Output(str(tmp_path))
    missing = tmp_path / "none" / "out"
    with pytest.raises(OutputError) as error:
        write_file(missing, b"")
    assert str(error.value) == f"{missing}: cannot be written: No such file or directory"
    assert isinstance(error.value, DlxError) and isinstance(error.value, OSError)
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(OutputError, match="<stdout>: cannot be written: it is closed"):
        Output(None)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
def test_a_full_disk_is_reported(tmp_path):
    with pytest.raises(OutputError, match="/dev/full: cannot be written: No space left"):
        write("/dev/full", b"text")
    (tmp_path / "full.gz").symlink_to("/dev/full")  # compressed: when the file is closed
    with pytest.raises(OutputError, match=r"full.gz: cannot be written: No space left"):
        write(tmp_path / "full.gz", b"text")


def test_a_message_that_cannot_be_written_is_ignored(monkeypatch):
    with open(os.devnull) as read_only:  # writing to it fails
        monkeypatch.setattr("sys.stderr", read_only)
        print_message("message")
