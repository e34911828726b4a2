"""The file of a saved search: what it holds, how it is written and read.

The file is a numpy archive (npz). Format 2 holds

    format : 2
    kernel : str, the name of the kernel
    problem : uint8[32], `Problem.digest`
    given : int64, the given options
    seconds : float, time spent searching so far
    pending : int32[solutions, depth], solutions found and not yet returned
    state_NAME : array, for each field NAME in `changing` of the kernel

Format 1 held all fields of the state, some under older names; it is still read. A file of any
other format is refused.
"""

from __future__ import annotations

import io
import os
import zipfile
from typing import Any, NamedTuple

import numpy as np

from dlx.errors import StateError
from dlx.files import write_file
from dlx.problem import Int32s, Problem
from dlx.search.kernel import State

FORMAT = 2
NAMES_IN_FORMAT_1 = {"rows": "masks", "untried": "left"}


class SavedSearch(NamedTuple):
    """A search as a file holds it.

    Attributes
    ----------
    kernel : str
    given : list of int
    seconds : float
    pending : int32[solutions, depth]
        Rows as those of `Kernel.advance`.
    state : dict of str to array
        Fields of the state by name; empty for givens that are not compatible.
    """

    kernel: str
    given: list[int]
    seconds: float
    pending: Int32s
    state: dict[str, Any]

    def restore(
        self, state: State, changing: tuple[str, ...], path: str | os.PathLike[str]
    ) -> None:
        """Copy the saved fields into a state that the kernel has just made for the problem.

        Raises
        ------
        StateError
            A field is missing or has another shape or type than this version of the kernel uses.
        """
        fields = state._asdict()
        for name in changing:
            fresh = fields[name]
            saved = self.state.get(name, self.state.get(NAMES_IN_FORMAT_1.get(name, name)))
            if saved is None or saved.dtype != fresh.dtype or saved.shape != fresh.shape:
                raise StateError(f"{path}: saved by another version of the kernel")
            np.copyto(fresh, saved)  # keeps the alignment of the fresh array


def write(path: str | os.PathLike[str], problem: Problem, search: SavedSearch) -> None:
    """Write a search to a file.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    data: dict[str, Any] = {
        "format": np.array(FORMAT),
        "kernel": np.array(search.kernel),
        "problem": np.frombuffer(problem.digest, np.uint8),
        "given": np.array(search.given, np.int64),
        "seconds": np.array(search.seconds),
        "pending": search.pending,
    }
    data |= {f"state_{name}": values for name, values in search.state.items()}
    buffer = io.BytesIO()
    np.savez(buffer, **data)
    write_file(path, buffer.getvalue())


def read(path: str | os.PathLike[str], problem: Problem) -> SavedSearch:
    """Read a search of this problem from a file.

    Raises
    ------
    OSError
        The file cannot be read.
    StateError
        The file holds no saved search, a search of another problem, or another format.
    """
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            data = dict(archive)
        version = int(data["format"])
        if version not in (1, FORMAT):
            raise StateError(f"{path}: saved in format {version}; 1 and {FORMAT} can be read")
        if data["problem"].tobytes() != problem.digest:
            raise StateError(f"{path}: this is a search of another problem than {problem!r}")
        prefix = "state_"
        state = {n[len(prefix) :]: data[n] for n in data if n.startswith(prefix)}
        return SavedSearch(
            kernel=str(data["kernel"]),
            given=data["given"].tolist(),
            seconds=float(data["seconds"]),
            pending=data["pending"],
            state=state,
        )
    except StateError:
        raise
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        raise StateError(f"{path}: this is not a saved search") from None
