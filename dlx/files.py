"""Files that are written completely or not at all, files that are read as a whole, and locks."""

from __future__ import annotations

import errno
import math
import os
import stat
import time
from contextlib import suppress
from threading import Lock, get_native_id
from typing import IO, TYPE_CHECKING, cast

from dlx.checks import as_path
from dlx.errors import FormatError, OutputError

if TYPE_CHECKING:
    import sqlite3
    from gzip import GzipFile
    from lzma import LZMAFile

GZIP, XZ = b"\x1f\x8b", b"\xfd7zXZ\0"  # the first bytes of a compressed file
PACKED = (".gz", ".xz")  # endings of names, in any case, of texts that are compressed
PACKED_OTHERWISE = (".bz2", ".zip", ".zst")  # the same of names that are refused
PIECE = 1 << 20  # bytes read at once
LOCK_SECONDS = 0.2  # to wait for a lock, which `--status` takes for a moment
RENAME_PAUSES = (0.01, 0.03, 0.1, 0.3, 0.6)  # seconds between the tries to rename a file


class NewFile:
    """A file that appears under its name only when it is complete.

    The data goes to a temporary file in the same folder, which `commit` renames; without it the
    file is removed by `discard`, or with the object. The mode of an existing file is kept, and
    symbolic links are followed. Devices, pipes and open descriptors
    (`/dev/stdout`, `/dev/fd/3`) are written to directly.

    Parameters
    ----------
    name : str
        Path of the file.
    is_text : bool
        Whether the file is compressed if its name ends with .gz or .xz.

    Attributes
    ----------
    stream : binary file
        What the data is written to.
    is_direct : bool
        Whether `stream` is the file itself: there is nothing to commit or discard.

    Raises
    ------
    OSError
        The file cannot be written, as far as that is known before data is written; an
        OutputError if it is a folder or lacks the permission to write, or if a text has a name of
        another compressed format.
    """

    stream: IO[bytes]
    is_direct = True
    _temporary = ""  # its name, once there may be such a file, until it is renamed or removed

    def __init__(self, name: str, *, is_text: bool = False) -> None:
        if not name:
            raise OutputError("a file without a name cannot be written")
        if os.path.basename(name) in ("", os.curdir, os.pardir):  # there may be no such folder
            raise OutputError(f"{name}: is a folder; a file is needed")
        ending = name[-4:].lower()
        if is_text and ending.endswith(PACKED_OTHERWISE):
            raise OutputError(f"{name}: cannot be written: files are compressed as .gz or .xz")
        self._open(name)
        if is_text and ending.endswith(PACKED):
            self.stream = cast(IO[bytes], Packed(self.stream, name))

    def _open(self, name: str) -> None:
        self.path = os.path.realpath(name)
        descriptor = _descriptor(name)
        if descriptor is not None:
            self.stream = os.fdopen(os.dup(descriptor), "wb")
            return
        mode = os.stat(name).st_mode if os.path.exists(name) else 0
        if stat.S_ISDIR(mode):
            raise OutputError(f"{name}: is a folder; a file is needed")
        if mode and not stat.S_ISREG(mode):
            self.stream = open(name, "wb")  # noqa: SIM115
            return
        if mode and not os.access(self.path, os.W_OK):
            raise OutputError(f"{name}: no permission to write it")
        self.is_direct = False
        # on Linux the number of the first thread is that of the process
        self._temporary = f"{self.path}.{get_native_id()}.part"
        try:
            self.stream = open(self._temporary, "wb")  # noqa: SIM115
            if mode:
                os.chmod(self._temporary, stat.S_IMODE(mode))
        except BaseException:
            self.discard()
            raise

    def __del__(self) -> None:
        # Ctrl-C came before the caller had a reference to this object, or during a discard
        if self._temporary:
            with suppress(OSError):
                self.discard()

    def commit(self, suffix: str = "") -> None:
        """Close the stream and rename the temporary file to the path with this suffix.

        After a `discard` there is nothing to rename.
        """
        self.stream.close()
        if self._temporary:
            _replace(self._temporary, self.path + suffix)
            self._temporary = ""

    def discard(self) -> None:
        """Close the stream and remove the temporary file, if it is still there."""
        with suppress(OSError):  # a full disk: the rest of the data cannot be written either
            if hasattr(self, "stream"):
                self.stream.close()
        if self._temporary and os.path.exists(self._temporary):
            os.unlink(self._temporary)
        self._temporary = ""


class Packed:
    """A binary file that compresses what is written to it, by gzip or xz as its name says.

    Parameters
    ----------
    file : binary file
    name : str
        Ends with .gz or .xz.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        import lzma
        import zlib

        self._file = file
        self._lock = Lock()  # after Ctrl-C another thread closes the file
        is_gzip = name.lower().endswith(".gz")
        self._packer = zlib.compressobj(wbits=31) if is_gzip else lzma.LZMACompressor()

    def write(self, data: bytes) -> None:
        """Compress data; a part of it may be written later."""
        with self._lock:
            self._file.write(self._packer.compress(data))

    def flush(self) -> None:
        """Write what is compressed."""
        self._file.flush()

    def close(self) -> None:
        """Write the rest, unless that is done, and close the file."""
        with self._lock:
            if not self._file.closed:
                try:
                    self._file.write(self._packer.flush())
                finally:
                    self._file.close()


def write_file(path: str | os.PathLike[str], data: bytes, *, is_text: bool = False) -> None:
    """Write a file completely, or leave what was there; `is_text` as of `NewFile`.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    name = as_path(path, "path")
    try:
        file = NewFile(name, is_text=is_text)
        try:
            file.stream.write(data)
            file.commit()
        finally:
            file.discard()
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(cannot_write(name, error)) from None


def folder_to_write(path: str | os.PathLike[str]) -> str:
    """Return the name of a folder that exists or can be made: a new one is made and removed.

    Raises
    ------
    OutputError
        There is a file in its place, no permission, or another reason; or the name is empty.
    """
    name = as_path(path, "spill")
    if not name:
        raise OutputError("a folder without a name cannot be written")
    above = os.path.abspath(name)
    while not os.path.lexists(above) and os.path.dirname(above) != above:  # a drive may be missing
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        raise OutputError(f"{name}: cannot be written: {above} is not a folder")
    if not os.access(above, os.W_OK | os.X_OK):
        raise OutputError(f"{name}: cannot be written: no permission to write in {above}")
    folder = os.path.abspath(name)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:  # a name that is too long, or a folder of the system
        raise OutputError(cannot_write(name, error)) from None
    finally:
        while folder != above:  # remove the new folders: the count may need no files
            with suppress(OSError):
                os.rmdir(folder)
            folder = os.path.dirname(folder)
    return name


def take_lock(path: str) -> sqlite3.Connection:
    """Return a connection that holds an exclusive lock on a file, made for it, until it is closed.

    Raises
    ------
    sqlite3.Error
        Another process holds it (the message has "locked"), or SQLite cannot take it.
    """
    import sqlite3  # takes time, and few commands lock a file

    lock = sqlite3.connect(
        path, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except BaseException:
        lock.close()
        raise
    return lock


def expect_file(name: str) -> None:
    """Raise OutputError for what exists and is no file: opening a pipe may block."""
    if os.path.exists(name) and not os.path.isfile(name):
        kind = "folder" if os.path.isdir(name) else "pipe or a device"
        raise OutputError(f"{name}: is a {kind}; a file is needed")


def cannot_write(name: str, error: OSError) -> str:
    """Return the message of an OutputError: which file cannot be written, and why."""
    return f"{name}: cannot be written: {error.strerror or error}"


def _replace(source: str, target: str) -> None:
    """Rename a file, also over another one.

    Windows refuses that while another program has one of them open: `--status`, or a virus scanner
    that looks at each new file. That takes a moment, and must not end a count of days.
    """
    for pause in RENAME_PAUSES if os.name == "nt" else ():
        try:
            os.replace(source, target)
            return
        except PermissionError:
            time.sleep(pause)
    os.replace(source, target)


def _descriptor(path: str) -> int | None:
    """Return the open descriptor of this process that a name such as /dev/stdout stands for."""
    opened = os.path.realpath("/dev/fd")
    for _ in range(40):  # the most links that Linux follows
        folder, last = os.path.split(os.path.abspath(path))
        if last.isdigit() and os.path.realpath(folder) == opened:
            return int(last)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


def open_to_read(name: str) -> IO[bytes]:
    """Open a file, with the same error for a folder on all systems.

    Raises
    ------
    OSError
        The file cannot be read; IsADirectoryError if it is a folder, for which Windows would report
        a lack of permission.
    """
    if os.path.isdir(name):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    return open(name, "rb")


def read_bytes(file: IO[bytes] | GzipFile | LZMAFile, source: str, most: float = math.inf) -> bytes:
    """Return the bytes of a file, up to the first piece that has a zero byte.

    A file with a zero byte is no text, and may be endless.

    Raises
    ------
    FormatError
        There are more than `most` bytes.
    """
    pieces, size = [], 0
    while piece := file.read(PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise FormatError(f"there is no memory for a text of {size:,} bytes", source=source)
        if b"\0" in piece and not pieces[0].startswith((GZIP, XZ)):
            break
    return b"".join(pieces)
