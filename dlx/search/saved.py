"""The file of a saved search: what it holds, how it is written, read and checked.

The file has the format of `dlx.container`, with these values and arrays:

    kernel : str, the name of the kernel, or "auto" for a trial by "links"
    version : int, the version of the kernel's state
    given : list of int, the given options
    seconds : float, time spent searching so far
    pending : int32[solutions, depth], solutions found and not yet returned
    state_NAME : array, for each field NAME in `changing` of the kernel

Files of versions 1 and 2 are numpy archives (npz) of the same, version 1 with all fields of the
state, some under older names. They are still read.

Whatever the file, the kernel checks that its state is one that a search can reach. So a file made
by hand cannot make compiled code access memory outside of its arrays.
"""

from __future__ import annotations

import os
import warnings
from typing import Any, NamedTuple

import numpy as np

from dlx import container
from dlx.checks import as_path
from dlx.errors import StateError
from dlx.problem import Int32s, Problem
from dlx.search.counters import EXHAUSTED, NODES, SOLUTIONS, UNLIMITED, UPDATES
from dlx.search.kernel import Kernel, State

KIND = "search"
VERSION = 3  # of the states of the kernels
NAMES_SINCE_FORMAT_1 = {"state_masks": "state_rows", "state_left": "state_untried"}


class SavedSearch(NamedTuple):
    """A search as a file holds it."""

    kernel: str
    given: list[int]
    seconds: float
    pending: Int32s  # [solutions, depth] rows as those of `Kernel.advance`
    state: dict[str, Any]  # fields of the state by name; empty for givens that are not compatible

    def restore(self, kernel: Kernel[Any], state: State, path: str | os.PathLike[str]) -> None:
        """Copy the saved fields into a state that the kernel has just made for the problem.

        Raises
        ------
        StateError
            A field is missing or has another shape or type than this version of the kernel uses,
            or no search reaches this state.
        """
        fields = state._asdict()
        fresh = type(state)(**{name: values.copy() for name, values in fields.items()})
        for copied, source in zip(_arrays_of(fresh), _arrays_of(state), strict=True):
            copied.flags.writeable = source.flags.writeable  # or kernels compile once more
        if not container.fill({name: fields[name] for name in kernel.changing}, self.state):
            raise StateError(f"{path}: saved by another version of the kernel")
        counters = state.counters
        sound = all(0 <= int(counters[place]) < UNLIMITED for place in (NODES, UPDATES, SOLUTIONS))
        sound &= int(counters[EXHAUSTED]) in (0, 1)
        if not sound or not kernel.is_reachable(fresh, state):
            raise StateError(f"{path}: no search of this problem reaches the saved state")


def _arrays_of(state: State) -> list[Any]:
    """Return the arrays of a state, those of a tuple within it included."""
    fields = state._asdict().values()
    return [array for field in fields for array in (field if isinstance(field, tuple) else [field])]


def write(path: str | os.PathLike[str], problem: Problem, search: SavedSearch) -> None:
    """Write a search to a file.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    values = {
        "kernel": search.kernel,
        "version": VERSION,
        "given": search.given,
        "seconds": search.seconds,
    }
    arrays = {f"state_{name}": array for name, array in search.state.items()}
    container.write(path, KIND, problem, values, {"pending": search.pending, **arrays})


def read(path: str | os.PathLike[str], problem: Problem) -> SavedSearch:
    """Read a search of this problem from a file.

    Raises
    ------
    OSError
        The file cannot be read.
    StateError
        The file holds no saved search, a search of another problem, or another format, or it is
        damaged.
    """
    path = as_path(path, "path")
    if _is_archive(path):
        return _checked(_read_archive(path, problem), problem, path)
    contents = container.read(path, KIND, problem)
    if contents.values.get("version") != VERSION:
        raise StateError(f"{path}: saved by another version of the kernel")
    return _checked(contents, problem, path)


def _is_archive(path: str | os.PathLike[str]) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"PK"


def _read_archive(path: str | os.PathLike[str], problem: Problem) -> container.Contents:
    """Read a file of format 1 or 2."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
                # what is no array is read as bytes
                stored = {name: np.asarray(archive[name]) for name in archive}
        arrays = {NAMES_SINCE_FORMAT_1.get(name, name): array for name, array in stored.items()}
        version = int(arrays["format"])
        digest = arrays["problem"].tobytes()
        values = {name: arrays[name].tolist() for name in ("kernel", "given", "seconds")}
    except MemoryError:
        raise
    except Exception:  # what zipfile and numpy raise on damaged files is of a dozen classes
        raise StateError(f"{path}: this is not a saved search") from None
    if version not in (1, 2):
        raise StateError(f"{path}: saved in format {version}; 1 to 3 can be read")
    if digest != problem.digest:
        raise StateError(f"{path}: this is a search of another problem than {problem!r}")
    return container.Contents(values, arrays)


def _checked(
    contents: container.Contents, problem: Problem, path: str | os.PathLike[str]
) -> SavedSearch:
    """Return the search if its values are of the right types and in range, but for the state."""
    damaged = StateError(f"{path}: this saved search is damaged")
    values, arrays = contents
    kernel, given, seconds = map(values.get, ("kernel", "given", "seconds"))
    pending = arrays.get("pending")
    if not isinstance(kernel, str) or not container.are_options(given, problem.num_options):
        raise damaged
    if not container.is_seconds(seconds):
        raise damaged
    if pending is None or pending.dtype != np.int32 or pending.ndim != 2:
        raise damaged
    if pending.size and not -1 <= pending.min() <= pending.max() < problem.num_options:
        raise damaged
    prefix = "state_"
    state = {n.removeprefix(prefix): v for n, v in arrays.items() if n.startswith(prefix)}
    return SavedSearch(kernel, sorted(set(given)), float(seconds), pending, state)
