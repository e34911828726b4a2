"""Files of the library: complete or not there."""

import errno
import os
import threading

import pytest

import dlx
from dlx.errors import OutputError
from dlx.files import RENAME_PAUSES, NewFile, folder_to_write, open_to_read, write_file


def test_a_file_is_written_completely(tmp_path):
    path = tmp_path / "file"
    write_file(path, b"first")
    write_file(path, b"second")
    assert path.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt]
)
def test_an_error_keeps_the_old_file(tmp_path, monkeypatch, error):
    def replace(source, target):
        raise error

    path = tmp_path / "file"
    write_file(path, b"before")
    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises((OutputError, KeyboardInterrupt)) as caught:
        write_file(path, b"after")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
    if isinstance(error, OSError):
        assert str(caught.value) == f"{path}: cannot be written: No space left on device"


def test_threads_may_write_a_file_at_the_same_time(tmp_path):
    path = tmp_path / "file"
    first = NewFile(str(path))
    first.stream.write(b"1")
    thread = threading.Thread(target=write_file, args=(path, b"22"))
    thread.start()
    thread.join()
    assert path.read_bytes() == b"22"
    first.commit()
    assert [(name, (tmp_path / name).read_bytes()) for name in os.listdir(tmp_path)] == [
        ("file", b"1")
    ]


def test_paths_that_cannot_be_written_are_named(tmp_path):
    with pytest.raises(OutputError, match="is a folder; a file is needed"):
        write_file(tmp_path, b"")
    with pytest.raises(OutputError, match="a file without a name cannot be written"):
        write_file("", b"")
    (tmp_path / "file").touch()
    for name in ("new/", "file/", "new/.", "new/.."):
        with pytest.raises(OutputError, match="is a folder; a file is needed"):
            write_file(f"{tmp_path}/{name}", b"data")
    for name in ("file", "file/folder"):
        with pytest.raises(OutputError, match="file is not a folder"):
            dlx.Count([[0]], spill=tmp_path / name)
    with pytest.raises(OutputError, match="a folder without a name cannot be written"):
        dlx.Count([[0]], spill="")
    for name in ("x" * 300, "new/" + "x" * 300):
        with pytest.raises(OutputError, match="x: cannot be written: File name too long"):
            dlx.Count([[0]], spill=tmp_path / name)
    dlx.Count([[0]], spill=tmp_path / "new" / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    missing = tmp_path / "none" / "file"
    with pytest.raises(OutputError, match=r"none.file: cannot be written: No such file"):
        write_file(missing, b"")


def test_a_file_that_was_discarded_is_not_committed(tmp_path):
    file = NewFile(str(tmp_path / "file"))
    file.stream.write(b"data")
    file.discard()
    file.commit()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("refusals", [0, 2, len(RENAME_PAUSES), len(RENAME_PAUSES) + 1])
def test_on_windows_a_file_that_another_program_reads_is_replaced_later(
    tmp_path, monkeypatch, refusals
):
    def replace(source, target, own=os.replace):
        left.append(source)
        if len(left) <= refusals:
            raise PermissionError(errno.EACCES, "Access is denied")
        own(source, target)

    path = tmp_path / "file"
    write_file(path, b"before")
    left, pauses = [], []
    with monkeypatch.context() as patch:
        patch.setattr("dlx.files.os.name", "nt")
        patch.setattr("dlx.files.os.replace", replace)
        patch.setattr("dlx.files.time.sleep", pauses.append)
        if refusals > len(RENAME_PAUSES):
            with pytest.raises(OutputError, match="file: cannot be written: Access is denied"):
                write_file(str(path), b"after")
        else:
            write_file(str(path), b"after")
    assert path.read_bytes() == (b"before" if refusals > len(RENAME_PAUSES) else b"after")
    assert tuple(pauses) == RENAME_PAUSES[:refusals]
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_on_a_drive_that_is_missing_is_an_error(monkeypatch):
    # Windows has several roots, some of which may not exist
    monkeypatch.setattr(os.path, "lexists", lambda path: False)
    monkeypatch.setattr(os.path, "isdir", lambda path: False)
    with pytest.raises(OutputError, match="none: cannot be written: "):
        folder_to_write("none")


def test_a_folder_that_is_read_is_named_as_one(tmp_path):
    # Windows reports that there is no permission
    for read in (dlx.read, open_to_read):
        with pytest.raises(IsADirectoryError) as caught:
            read(str(tmp_path))
        assert caught.value.filename == str(tmp_path)
