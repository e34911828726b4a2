"""The arrays of a saved count, and what all files of saved counts have.

A file has the format of `dlx.container`. Its values are nested records, one for each method; the
arrays of a record are kept under its number. What follows from the problem is not saved but made
anew in the same way: components, numbers, orders, masks and cuts. The masks of a sweep are compared
by their digests, so a file whose numbers would mean something else is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.checks import AT_ONCE
from dlx.search.counters import UNLIMITED

Array = npt.NDArray[Any]
Record = dict[str, Any]

KIND = "count"
VERSION = 20  # of the records


class Store:
    """Arrays by the number of a record and a name."""

    def __init__(self, arrays: dict[str, Array] | None = None) -> None:
        self.arrays = {} if arrays is None else arrays
        self._records = 0
        self._seen: set[int] = set()

    def put(self, arrays: dict[str, Array]) -> int:
        """Keep copies of some arrays; return the number of their record."""
        number, self._records = self._records, self._records + 1
        self.arrays |= {f"{number}_{name}": array.copy() for name, array in arrays.items()}
        return number

    def get(self, number: Any) -> dict[str, Array]:
        """Return the arrays of a record."""
        prefix = f"{as_count(number)}_"
        names = [name for name in self.arrays if name.startswith(prefix)]
        return {name.removeprefix(prefix): self.arrays[name] for name in names}

    def is_new(self, component: object) -> bool:
        """Return whether a component, which terms may share, is met for the first time."""
        new = id(component) not in self._seen
        self._seen.add(id(component))
        return new


def as_count(number: Any) -> int:
    """Return a number of nodes or the like out of a file; raise ValueError for anything else."""
    if type(number) is not int or not 0 <= number < UNLIMITED:
        raise ValueError(f"{number!r} is not a whole number from 0 to 2**62 - 1")
    return number


def as_total(text: Any) -> int:
    """Return a number of solutions out of a file; raise ValueError for anything else."""
    if not isinstance(text, str) or not text.isascii() or not text.isdigit():
        raise ValueError(f"{text!r} is not a number of solutions")
    total = 0
    for k in range(0, len(text), AT_ONCE):
        piece = text[k : k + AT_ONCE]
        total = total * 10 ** len(piece) + int(piece)
    return total


def digest(arrays: Iterable[Array]) -> str:
    """Return a text that is the same for equal arrays on every machine."""
    hasher = hashlib.blake2b(digest_size=16)
    for array in arrays:
        hasher.update(f"{array.dtype.kind}{array.dtype.itemsize}{array.shape}".encode())
        stored = array.astype(array.dtype.newbyteorder("<"), copy=False)
        hasher.update(np.ascontiguousarray(stored).tobytes())
    return hasher.hexdigest()
