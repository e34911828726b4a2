"""Files as chunks of whole lines: plain, .gz or .xz, any newline, with or without a mark."""

from __future__ import annotations

import codecs
import gzip
import io
import lzma
import os
import select
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any, cast

from dlx.files import GZIP, XZ, open_to_read
from sudoku.checks import as_path
from sudoku.errors import FileError, FormatError

READ_AT_ONCE = 1 << 20
"""Bytes read at once: some 13,000 lines of 81 characters."""

ARRIVAL_SECONDS = 0.1
"""Time without new bytes after which those that arrived are read."""

MAX_LINE_BYTES = 1 << 18
"""Most bytes of a line: `LONGEST_LINE` characters of 4 bytes."""

MAX_JSON_BYTES = 1 << 24
"""Most bytes of a line that begins as JSON, which may have all puzzles of a file."""

LONGEST_TEXT = 100_000
"""Most characters of a file that is no file of puzzles; a device may have no end."""

_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a"))
_REASONS = (
    (IsADirectoryError, "is a folder; a file is needed"),
    (FileNotFoundError, "no such file"),
    (PermissionError, "no permission to read it"),
)

Chunk = tuple[bytes, int]
"""Whole lines, each ended by ``\\n``, and the number of the first one."""


class Sources:
    """Input files by name, read one after the other; ``-`` is standard input.

    `are_puzzles` says whether a name may be meant as a puzzle.
    """

    def __init__(self, names: Iterable[str | os.PathLike[str]], are_puzzles: bool = True) -> None:
        self._are_puzzles = are_puzzles
        self.names = [as_path(name, "file") for name in names] or ["-"]
        self.position = 0  # bytes of all files that were read
        try:
            sizes = [os.stat(name).st_size if name != "-" else 0 for name in self.names]
        except OSError:
            sizes = [0]
        self.size = sum(sizes) if all(sizes) else 0  # bytes on disk, 0 if that is not known

    def chunks(self, name: str) -> Iterator[Chunk]:
        """The lines of one file.

        FileError if the file cannot be read; FormatError if it is binary, a damaged .gz or .xz, or
        has an endless line.
        """
        label = label_of(name)
        offset = self.position
        try:
            with _open(name) as raw:
                stream = _decoded(raw)
                arrives = raw if stream is raw and not _is_regular(raw) else None
                for chunk in _lines(stream, label, arrives):
                    self.position = offset + _position(raw)
                    yield chunk
                self.position = offset + _position(raw)
        except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
            damage = "truncated" if isinstance(error, EOFError) else "damaged"
            reason = f"{damage} .gz or .xz file: it cannot be unpacked to its end"
            raise FormatError(reason, label) from None
        except UnicodeError:
            reason = "not a text file: it begins with a UTF-16 mark but is not UTF-16"
            raise FormatError(reason, label) from None
        except OSError as error:
            if isinstance(error, FileError):
                raise
            reason = next((text for kind, text in _REASONS if isinstance(error, kind)), "")
            reason = reason or error.strerror or str(error)
            is_puzzle = self._are_puzzles and len(name) >= 16 and not name.strip("0123456789._*")
            if is_puzzle:
                reason += "; a puzzle that is no file is piped to standard input"
            raise FileError(f"{label}: {reason}") from None


def label_of(name: str) -> str:
    """The name of a file in messages."""
    return "<stdin>" if name == "-" else name or "''"


def whole_text(name: str) -> str:
    """The text of a short file, such as regions or weights; errors as of `Sources.chunks`."""
    text = ""
    for block, _ in Sources([name], are_puzzles=False).chunks(name):
        text += block.decode("utf-8", "replace")
        if len(text) > LONGEST_TEXT:
            raise FileError(f"{label_of(name)}: more than {LONGEST_TEXT} characters")
    return text


def _open(name: str) -> IO[bytes]:
    if name != "-":
        return open_to_read(name)
    if sys.stdin is None:
        raise FileError("<stdin>: standard input is closed")
    stdin: IO[bytes] | None = getattr(sys.stdin, "buffer", None)
    if stdin is None:  # replaced by a text stream
        return io.BytesIO(sys.stdin.read().encode())
    return open(stdin.fileno(), "rb", closefd=False)


def _position(raw: IO[bytes]) -> int:
    try:
        return raw.tell()
    except (OSError, ValueError):  # a pipe, or closed
        return 0


def _decoded(raw: IO[bytes]) -> IO[bytes]:
    """The stream, unpacked, in UTF-8 or another superset of ASCII."""
    stream: Any = raw if hasattr(raw, "peek") else io.BufferedReader(cast(Any, raw))
    head = stream.peek(6)[:6]
    if head.startswith(GZIP):
        stream = io.BufferedReader(gzip.GzipFile(fileobj=stream))
    elif head.startswith(XZ):
        stream = io.BufferedReader(lzma.LZMAFile(stream))  # noqa: SIM115 - closed with the file
    head = stream.peek(3)[:3]
    if head == codecs.BOM_UTF8:
        stream.read(3)
    elif head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return io.BytesIO(stream.read().decode("utf-16").encode())
    return cast(IO[bytes], stream)


def _is_regular(raw: IO[bytes]) -> bool:
    """Whether all bytes are there, as in a file on disk or in memory."""
    try:
        return stat.S_ISREG(os.fstat(raw.fileno()).st_mode)
    except (OSError, ValueError):
        return True


def _arrived(stream: Any) -> bytes:
    """Wait for bytes of a pipe or terminal, and return those that are there, b"" at the end."""
    block: bytes = stream.read1(READ_AT_ONCE)
    while block and len(block) < READ_AT_ONCE and _continues_soon(stream):
        piece = stream.read1(READ_AT_ONCE - len(block))
        if not piece:
            break
        block += piece
    return block


def _continues_soon(stream: IO[bytes]) -> bool:
    """Whether more bytes, or the end, arrive soon. Large chunks are faster than many small ones."""
    try:
        return bool(select.select([stream], [], [], ARRIVAL_SECONDS)[0])
    except (OSError, ValueError):  # Windows has no select for pipes
        return True


def _lines(stream: IO[bytes], label: str, arrives: IO[bytes] | None = None) -> Iterator[Chunk]:
    tail, number, ended = b"", 1, False
    while not ended:
        block = stream.read(READ_AT_ONCE) if arrives is None else _arrived(arrives)
        ended = not block
        block = tail + block
        if ended and block and block[-1:] not in b"\r\n":
            block += b"\n"
        if b"\r" in block:
            keep = b"\r" if not ended and block.endswith(b"\r") else b""
            block = block[: len(block) - len(keep)]
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") + keep
        fault = _fault(block, number, label)
        cut = block.rfind(b"\n", 0, None if fault is None else fault[0]) + 1
        block, tail = block[:cut], block[cut:]
        if block:
            yield block, number
            number += block.count(b"\n")
        if fault is not None:
            raise fault[1]


def _fault(text: bytes, number: int, label: str) -> tuple[int, FormatError] | None:
    """The first byte that is no text or ends a line that is too long, and what is wrong there.

    The text begins with line `number`.
    """
    start, most = _long_line(text)
    end = len(text) if start < 0 else start + most
    head = text[:end]
    if len(head.translate(None, _CONTROL)) < len(head):
        at = next(at for at, byte in enumerate(head) if byte in _CONTROL)
        line, column = number + text.count(b"\n", 0, at), at - text.rfind(b"\n", 0, at)
        reason = f"not a text file: byte 0x{text[at]:02x}; text is needed, perhaps as .gz or .xz"
        return at, FormatError(reason, label, line, column)
    if start < 0:
        return None
    reason = f"not a text file: the line is longer than {most} bytes"
    return start, FormatError(reason, label, number + text.count(b"\n", 0, start))


def _long_line(text: bytes) -> tuple[int, int]:
    """Where the first line that is too long begins, -1 if there is none; and its most bytes."""
    start = 0
    while len(text) - start > MAX_LINE_BYTES:
        end = text.rfind(b"\n", start, start + MAX_LINE_BYTES + 1)
        if end < 0:
            most = MAX_JSON_BYTES if text.startswith((b"[", b"{"), start) else MAX_LINE_BYTES
            end = text.find(b"\n", start, start + most + 1)
            if end < 0:
                return (start, most) if len(text) - start > most else (-1, most)
        start = end + 1
    return -1, MAX_LINE_BYTES
