"""Spill: the states of a sweep in files, which may outgrow the memory and survive a kill.

A folder has one file for each layer that has states, and a manifest. States are only appended.
Between two groups of tasks a new manifest may replace the old one: a checksum, the lengths of the
files, and the other values of the sweep. Data beyond these lengths is overwritten. So the folder
always describes a sweep between two groups, however the process ended.

A file is a sequence of batches: HEAD (states, numbers in a state, CRC-32 of the rest), where each
part begins (int32), and the states, sorted by part (uint64), all little-endian.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import struct
import zlib
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from dlx.count.layers_kernel import PARTS
from dlx.errors import OutputError, StateError
from dlx.files import PIECE, cannot_write, take_lock, write_file

Array = npt.NDArray[Any]

FORMAT = 2
MANIFEST = ".manifest"
HEAD = struct.Struct("<QQQ")
LOCK_TRIES = 3


class StateBatch:
    """States of one layer, sorted by part, in memory or in a file.

    Attributes
    ----------
    rows : uint64[states, words + limbs], or None if they are in a file only
    bounds : int32[PARTS + 1]
        Where each part begins.
    width : int
        words + limbs
    place : int
        Offset of the states in the file, in bytes; -1 if they are in memory only.
    first : int
        First part not yet expanded.
    """

    __slots__ = ("bounds", "first", "place", "rows", "width")

    def __init__(self, rows: Array | None, bounds: Array, width: int, place: int = -1) -> None:
        self.rows = rows
        self.bounds = bounds
        self.width = width
        self.place = place
        self.first = 0

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.bounds.nbytes + (0 if self.rows is None else self.rows.nbytes)


class Spill:
    """The files of one sweep, used by this process alone.

    Parameters
    ----------
    folder : str
        It is made if there is none. Several sweeps can share it.
    name : str
        The digest of the sweep's masks: file names begin with it.

    Attributes
    ----------
    values : dict or None
        What the manifest holds; None if there is none.

    Raises
    ------
    OutputError
        The folder cannot be written.
    StateError
        Another process uses the files, or they are damaged.

    Notes
    -----
    Files that no manifest names are removed: the process that wrote them was killed.
    """

    def __init__(self, folder: str, name: str) -> None:
        self.folder = folder
        self._base = os.path.join(folder, name)
        self._is_saved = False
        self._lengths: dict[int, int] = {}  # of the files, as far as they are in use
        self._unsaved: set[int] = set()  # layers whose files changed since the last manifest
        self._done: list[int] = []  # layers whose files the present manifest still names
        try:
            self._made_folder = not os.path.isdir(folder)
            os.makedirs(folder, exist_ok=True)
            self._lock = self._locked()
            try:
                self.values = read_manifest(self._base)
                if self.values is not None:
                    self._lengths, self._is_saved = self.values["lengths"], True
                self._remove_others()
            except BaseException:
                self.close()
                raise
        except (OSError, sqlite3.Error) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise OutputError(f"{folder}: cannot be written: {reason}") from None

    def _locked(self) -> sqlite3.Connection:
        for _ in range(LOCK_TRIES - 1):
            with suppress(sqlite3.OperationalError):  # another process has removed the file
                return self._locked_now()
        return self._locked_now()

    def _locked_now(self) -> sqlite3.Connection:
        try:
            return take_lock(f"{self._base}.lock")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            raise StateError(f"{self.folder}: in use; one process at a time") from None

    def _remove_others(self) -> None:
        named = {self._base + MANIFEST, *map(self.path, self._lengths)}
        for path in _paths(self.folder, os.path.basename(self._base)):
            if path not in named and not _is_lock(path):
                self._remove(path)

    def damaged(self) -> StateError:
        """The error for a manifest that is not as it was written."""
        return _damaged(self._base + MANIFEST)

    @staticmethod
    def exists(folder: str, name: str) -> bool:
        """Whether there are files of a sweep."""
        return not all(map(_is_lock, _paths(folder, name)))

    def path(self, layer: int) -> str:
        """The file of a layer."""
        return f"{self._base}.{layer}"

    def batches(self) -> list[tuple[int, int, int, Array]]:
        """Layer, place in its file, numbers in a state, and bounds, of each batch there is."""
        result = []
        for layer, length in self._lengths.items():
            try:
                with open(self.path(layer), "rb") as file:
                    while file.tell() < length:
                        result.append((layer, *_read_batch(file, length)))
            except (OSError, ValueError):
                raise _damaged(self.path(layer)) from None
        return result

    def append(self, batches: dict[int, list[StateBatch]]) -> dict[int, list[int]]:
        """Write batches to the ends of the files of their layers; the places of their states.

        Raises
        ------
        OutputError
            The disk is full, or the like. Nothing has been appended.
        """
        lengths, places = self._lengths.copy(), {}
        for layer, group in batches.items():
            place = lengths.get(layer, 0)
            try:
                with open(self.path(layer), "r+b" if place else "wb") as file:
                    places[layer] = [_write_batch(file, place, batch) for batch in group]
                    lengths[layer] = file.tell()
            except OSError as error:
                self._cut_off(batches)
                raise self._full(self.path(layer), error) from None
            self._unsaved.add(layer)
        self._lengths = lengths
        return places

    def _cut_off(self, layers: Iterable[int]) -> None:
        """Truncate some files to their lengths."""
        for layer in layers:
            with suppress(OSError):
                os.truncate(self.path(layer), self._lengths.get(layer, 0))

    def _full(self, path: str, error: OSError) -> OutputError:
        kept = "the same count continues from here" if self._is_saved else "no states are kept"
        return OutputError(f"{cannot_write(path, error)}; {kept}")

    def drop(self, layer: int) -> None:
        """Note that a layer is done: its file is removed once no manifest names it."""
        if layer in self._lengths:
            del self._lengths[layer]
            self._unsaved.discard(layer)
            self._done.append(layer)

    def save(self, values: dict[str, Any]) -> None:
        """Flush the files, and write a manifest of them as they are.

        Raises
        ------
        OutputError
            The disk is full, or the like. The manifest is that of before.
        """
        try:
            for layer in self._unsaved:
                with open(self.path(layer), "r+b") as file:  # Windows flushes no other
                    os.fsync(file.fileno())
        except OSError as error:
            raise self._full(self._base, error) from None
        lengths = {str(layer): length for layer, length in self._lengths.items()}
        text = json.dumps({"format": FORMAT, "lengths": lengths, **values}).encode()
        write_file(self._base + MANIFEST, _checksum(text) + b"\n" + text)
        self._is_saved = True
        self._unsaved.clear()
        while self._done:
            self._remove(self.path(self._done.pop()))

    def close(self) -> None:
        """Let other processes use the files."""
        self._lock.close()

    def __del__(self) -> None:
        if hasattr(self, "_lock"):
            self.close()  # otherwise the next garbage collection would

    def clear(self) -> None:
        """Remove all files, and the folder if it was made for them."""
        paths = _paths(self.folder, os.path.basename(self._base))
        for path in sorted(paths, key=_is_lock):  # the lock comes last
            self._remove(path)
        self.close()
        if os.name == "nt":  # which removes no open file; of another process neither
            for path in filter(_is_lock, paths):
                self._remove(path)
        if self._made_folder:
            with suppress(OSError):  # it has other files
                os.rmdir(self.folder)

    def _remove(self, path: str) -> None:
        with suppress(OSError):
            os.unlink(path)


def _paths(folder: str, name: str) -> list[str]:
    """The files of a sweep, with those of a write that a kill has ended; without a name, all."""
    try:
        names = os.listdir(folder)
    except OSError:  # to write there, if that is necessary, has a clear error
        return []
    start = f"{name}." if name else ""
    return [os.path.join(folder, other) for other in names if other.startswith(start)]


def _is_lock(path: str) -> bool:
    return ".lock" in os.path.basename(path)


def clear_unfinished(folder: str, count: str) -> None:
    """Remove the files of unfinished sweeps that a count left behind, once it has ended.

    A process that was killed may have left a sweep in another order.

    Parameters
    ----------
    folder : str
    count : str
        Name of the count, as stored in manifests.
    """
    for path in _paths(folder, ""):
        base = path.removesuffix(MANIFEST)
        if base == path:
            continue
        with suppress(StateError, OutputError):  # damaged, or in use
            values = read_manifest(base)
            if values is not None and values.get("count") == count and values.get("states"):
                Spill(folder, os.path.basename(base)).clear()


def read_manifest(base: str) -> dict[str, Any] | None:
    """Return what a manifest holds; None if there is none.

    Parameters
    ----------
    base : str
        Path prefix of the sweep's files.

    Raises
    ------
    StateError
        It is damaged, or cannot be read.
    """
    path = base + MANIFEST
    try:
        with open(path, "rb") as file:
            checksum, _, text = file.read().partition(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StateError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        if checksum != _checksum(text):
            raise ValueError
        values: dict[str, Any] = json.loads(text)
        version = values["format"]
        lengths = values["lengths"].items()
        values["lengths"] = {int(layer): int(size) for layer, size in lengths}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _damaged(path) from None
    if version != FORMAT:
        raise StateError(f"{path}: format {version} is not {FORMAT}")
    return values


def read_states(path: str, runs: Iterable[tuple[int, int, int]]) -> list[Array]:
    """Read states from the file of a layer, in any process.

    Parameters
    ----------
    path : str
    runs : iterable of tuples
        Where they begin, how many there are, and how many numbers a state has.

    Raises
    ------
    StateError
        The file is damaged, or cannot be read.
    """
    arrays = []
    try:
        with open(path, "rb", buffering=0) as file:
            for place, number, width in runs:
                states = np.empty((number, width), "<u8")
                file.seek(place)
                rest = states.view(np.uint8).reshape(-1)
                while len(rest):  # a read may return fewer bytes than requested
                    read = file.readinto(rest.data)
                    if not read:
                        raise _damaged(path)
                    rest = rest[read:]
                arrays.append(states.astype(np.uint64, copy=False))
    except OSError as error:
        raise StateError(f"{path}: cannot be read: {error.strerror}") from None
    return arrays


def _damaged(path: str) -> StateError:
    files = f"{path.rpartition('.')[0]}.*"
    return StateError(f"{path}: damaged; delete the files {files}")


def _checksum(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=16).hexdigest().encode()


def _write_batch(file: IO[bytes], place: int, batch: StateBatch) -> int:
    """Write a batch after the batch before, or at `place`; the place of its states."""
    file.seek(max(place, file.tell()))
    assert batch.rows is not None
    data = batch.bounds.astype("<i4").tobytes()
    states = np.ascontiguousarray(batch.rows.astype("<u8", copy=False)).view(np.uint8).data
    file.write(HEAD.pack(len(states), batch.width, zlib.crc32(states, zlib.crc32(data))))
    file.write(data)
    begin = file.tell()
    file.write(states)
    return begin


def _read_batch(file: IO[bytes], length: int) -> tuple[int, int, Array]:
    """Read over a batch; raise ValueError if it is damaged."""
    head = file.read(HEAD.size)
    if len(head) < HEAD.size:
        raise ValueError
    number, width, checksum = HEAD.unpack(head)
    place = file.tell()
    size = 4 * (PARTS + 1)
    unread = 8 * number * width
    if place + size + unread > length:
        raise ValueError
    data = file.read(size)
    bounds = np.frombuffer(data, "<i4").astype(np.int32)
    actual = zlib.crc32(data)
    while unread:
        piece = file.read(min(unread, PIECE))
        if not piece:
            raise ValueError
        actual = zlib.crc32(piece, actual)
        unread -= len(piece)
    sound = bounds[0] == 0 and bounds[-1] == number and (np.diff(bounds) >= 0).all()
    if actual != checksum or not sound:
        raise ValueError
    return place + size, width, bounds
