"""The file format of everything that is saved: checked from the first byte to the last.

A file holds

    8 bytes    MAGIC
    4 bytes    FORMAT, the version of this format
    4 bytes    length of the head
    8 bytes    length of the body
    32 bytes   BLAKE2b of all that precedes and follows it
    head       JSON: kind, digest of the problem, values, and of each array name, type and shape
    body       the arrays, one after the other, in row-major order

Numbers are little-endian. The checksum detects damage, not manipulation: the caller of `read` must
check that values and arrays are valid before compiled code reads them.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
import sys
from typing import IO, Any, NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

from dlx.checks import as_path
from dlx.errors import StateError
from dlx.files import PIECE, write_file
from dlx.problem import Problem

MAGIC = b"\x89dlx\r\n\x1a\n"
FORMAT = 3
TYPES = ("<i4", "<i8", "<u4", "<u8", "|u1", "<f8")  # of arrays
LENGTHS = struct.Struct("<8sIIQ")
CHECKSUM = 32  # bytes


class Contents(NamedTuple):
    """What a file holds."""

    values: dict[str, Any]  # numbers, texts and lists of them, as JSON has them
    arrays: dict[str, npt.NDArray[Any]]


def write(
    path: str | os.PathLike[str],
    kind: str,
    problem: Problem,
    values: dict[str, Any],
    arrays: dict[str, npt.NDArray[Any]],
) -> None:
    """Write a file completely, or leave what was there.

    Parameters
    ----------
    path : str or path
    kind : str
        What is saved, such as ``"search"``.
    problem : Problem
        A file is read for this problem only.
    values, arrays : dict
        See `Contents`; the types of the arrays are among `TYPES`.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    stored = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    stored = {name: a.astype(a.dtype.newbyteorder("<"), copy=False) for name, a in stored.items()}
    described = [[name, a.dtype.str, list(a.shape)] for name, a in stored.items()]
    head = json.dumps(
        {"kind": kind, "problem": problem.digest.hex(), "values": values, "arrays": described}
    ).encode()
    body = b"".join(array.tobytes() for array in stored.values())
    start = LENGTHS.pack(MAGIC, FORMAT, len(head), len(body))
    write_file(path, start + _checksum(start, head, body) + head + body)


def read(path: str | os.PathLike[str], kind: str, problem: Problem) -> Contents:
    """Read a file of this kind for this problem.

    Raises
    ------
    OSError
        The file cannot be read.
    StateError
        The file is not of this kind, is damaged, or belongs to another problem.
    """
    with open(as_path(path, "path"), "rb") as file:
        start = file.read(LENGTHS.size)
        if len(start) < LENGTHS.size or not start.startswith(MAGIC):
            raise StateError(f"{path}: this is not a saved {kind}")
        _, version, head_length, body_length = LENGTHS.unpack(start)
        if version != FORMAT:
            raise StateError(f"{path}: saved in format {version}; this version reads {FORMAT}")
        checksum = file.read(CHECKSUM)
        content = _read_up_to(file, head_length + body_length + 1)
    damaged = StateError(f"{path}: this saved {kind} is damaged")
    if len(content) != head_length + body_length:
        raise damaged
    head, body = content[:head_length], memoryview(content)[head_length:]
    if _checksum(start, head, body) != checksum:
        raise damaged
    try:
        description = json.loads(head)
        own_kind, digest = str(description["kind"]), str(description["problem"])
        values = dict(description["values"])
        arrays = _arrays(description["arrays"], body)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged from None
    if own_kind != kind:
        raise StateError(f"{path}: this is a saved {own_kind[:40]!r}, not a saved {kind}")
    if digest != problem.digest.hex():
        raise StateError(f"{path}: this is a {kind} of another problem than {problem!r}")
    return Contents(values, arrays)


def are_options(values: object, num_options: int) -> TypeGuard[list[int]]:
    """Return whether a value of a file is a list of option numbers."""
    return isinstance(values, list) and all(
        type(option) is int and 0 <= option < num_options for option in values
    )


def is_seconds(value: object) -> TypeGuard[float]:
    """Return whether a value of a file is a number of seconds from 0 on."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= sys.float_info.max


def fill(fields: dict[str, npt.NDArray[Any]], arrays: dict[str, npt.NDArray[Any]]) -> bool:
    """Copy the arrays of a file into fields of the same names.

    Return False if one is missing, or has another shape or type than its field.
    """
    for name, field in fields.items():
        array = arrays.get(name)
        if array is None or array.dtype != field.dtype or array.shape != field.shape:
            return False
        np.copyto(field, array)  # keeps the alignment of the field
    return True


def _read_up_to(file: IO[bytes], length: int) -> bytes:
    """Return all bytes of a file, but at most `length`, for which no memory is reserved."""
    pieces, remaining = [], length
    while remaining and (piece := file.read(min(remaining, PIECE))):
        pieces.append(piece)
        remaining -= len(piece)
    return b"".join(pieces)


def _checksum(start: bytes, head: bytes, body: bytes | memoryview) -> bytes:
    hasher = hashlib.blake2b(start, digest_size=CHECKSUM)
    hasher.update(head)
    hasher.update(body)
    return hasher.digest()


def _arrays(described: Any, body: memoryview) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of the body; raise ValueError or TypeError if they do not fit it."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    at = 0
    for name, kind, shape in described:
        if kind not in TYPES or not isinstance(name, str):
            raise ValueError
        dtype = np.dtype(kind)
        if not all(type(side) is int and side >= 0 for side in shape):
            raise ValueError
        size = math.prod(shape) * dtype.itemsize
        if size > len(body) - at:
            raise ValueError
        array = np.frombuffer(body[at : at + size], dtype).reshape(shape)
        arrays[name] = array.astype(dtype.newbyteorder("="))
        at += size
    if at != len(body):
        raise ValueError
    return arrays
