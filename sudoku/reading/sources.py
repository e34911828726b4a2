"""Files as chunks of whole lines: plain or .gz, any newline, with or without byte-order mark."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any, cast

from sudoku.errors import FileError, FormatError

CHUNK = 1 << 20
"""Bytes read at once: some 13,000 lines of 81 characters."""

MAX_LINE_BYTES = 1 << 18
"""Most bytes of a line: `LONGEST_LINE` characters of 4 bytes."""

_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a"))
_REASONS = (
    (IsADirectoryError, "is a folder; a file is needed"),
    (FileNotFoundError, "no such file"),
    (PermissionError, "no permission to read it"),
)

Chunk = tuple[bytes, int]
"""Whole lines, each ended by ``\\n``, and the number of the first one."""


class Sources:
    """Input files by name, read one after the other; ``-`` is standard input."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names) or ["-"]
        self.position = 0  # bytes of all files that were read
        try:
            sizes = [os.stat(name).st_size if name != "-" else 0 for name in self.names]
        except OSError:
            sizes = [0]
        self.size = sum(sizes) if all(sizes) else 0  # bytes on disk, 0 if that is not known

    def chunks(self, name: str) -> Iterator[Chunk]:
        """The lines of one file.

        FileError if the file cannot be read; FormatError if it is binary, a damaged .gz, or has an
        endless line.
        """
        label = "<stdin>" if name == "-" else name
        done = self.position
        try:
            with _open(name) as raw:
                for chunk in _lines(_decoded(raw), label):
                    self.position = done + _tell(raw)
                    yield chunk
                self.position = done + _tell(raw)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            what = "truncated" if isinstance(error, EOFError) else "damaged"
            raise FormatError(f"{what} .gz file: it cannot be unpacked to its end", label) from None
        except UnicodeError:
            reason = "not a text file: it begins with a UTF-16 mark but is not UTF-16"
            raise FormatError(reason, label) from None
        except OSError as error:
            if isinstance(error, FileError):
                raise
            reason = next((text for kind, text in _REASONS if isinstance(error, kind)), "")
            raise FileError(f"{label}: {reason or error.strerror or error}") from None


def _open(name: str) -> IO[bytes]:
    if name != "-":
        return open(name, "rb")
    if sys.stdin is None:
        raise FileError("<stdin>: standard input is closed")
    stdin: IO[bytes] | None = getattr(sys.stdin, "buffer", None)
    if stdin is None:  # replaced by a text stream
        return io.BytesIO(sys.stdin.read().encode())
    return open(stdin.fileno(), "rb", closefd=False)


def _tell(raw: IO[bytes]) -> int:
    try:
        return raw.tell()
    except (OSError, ValueError):  # a pipe, or closed
        return 0


def _decoded(raw: IO[bytes]) -> IO[bytes]:
    """The stream, unpacked, in UTF-8 or another superset of ASCII."""
    stream: Any = raw if hasattr(raw, "peek") else io.BufferedReader(cast(Any, raw))
    if stream.peek(2)[:2] == b"\x1f\x8b":
        stream = io.BufferedReader(gzip.GzipFile(fileobj=stream))
    head = stream.peek(3)[:3]
    if head == codecs.BOM_UTF8:
        stream.read(3)
    elif head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return io.BytesIO(stream.read().decode("utf-16").encode())
    return cast(IO[bytes], stream)


def _lines(stream: IO[bytes], label: str) -> Iterator[Chunk]:
    rest, number, ended = b"", 1, False
    while not ended:
        block = stream.read(CHUNK)
        ended = not block
        block = rest + block
        if ended and block and block[-1:] not in b"\r\n":
            block += b"\n"
        if b"\r" in block:
            keep = b"\r" if not ended and block.endswith(b"\r") else b""
            block = block[: len(block) - len(keep)]
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") + keep
        cut = block.rfind(b"\n") + 1
        block, rest = block[:cut], block[cut:]
        if len(rest) > MAX_LINE_BYTES:
            line = number + block.count(b"\n")
            reason = f"not a file of puzzles: the line is longer than {MAX_LINE_BYTES} bytes"
            raise FormatError(reason, label, line)
        _refuse_binary(block or rest, number, label)
        if block:
            yield block, number
            number += block.count(b"\n")


def _refuse_binary(block: bytes, number: int, label: str) -> None:
    if len(block.translate(None, _CONTROL)) < len(block):
        at = next(at for at, byte in enumerate(block) if byte in _CONTROL)
        line, column = number + block.count(b"\n", 0, at), at - block.rfind(b"\n", 0, at)
        raise FormatError(f"not a text file: byte 0x{block[at]:02x}", label, line, column)
