"""Folder: the progress of the sweeps whose states are in the files of a folder."""

from __future__ import annotations

import math
import os
from typing import NamedTuple

from dlx.count.saved import as_count, as_total
from dlx.count.spill import MANIFEST, read_manifest
from dlx.errors import StateError
from dlx.parallel.ledger import is_in_use, status_text


class SweepStatus(NamedTuple):
    """The progress of a sweep when its folder was last brought up to date.

    Attributes
    ----------
    sweep : str
        The beginning of the names of its files.
    solutions, nodes : int
        Counted, and states expanded, so far.
    done : float
        The part of the layers that is done, from 0 to 1.
    states, bytes : int
        States that are still to be expanded, and the size of their files.
    elapsed : float
        Seconds of the processes that worked on it.
    nodes_per_second : float
    seconds_left : float or None
        As if all layers took the same time; None as long as nothing is done.
    owner : str or None
        The process that works on it, if there is one.
    """

    sweep: str
    solutions: int
    nodes: int
    done: float
    states: int
    bytes: int
    elapsed: float
    nodes_per_second: float
    seconds_left: float | None
    owner: str | None

    def text(self) -> str:
        """Return this in words, over several lines."""
        states = f"states:    {self.states:,} open, in {self.bytes:,} bytes"
        return status_text(self, f"sweep {self.sweep}", "of the layers", states)


def status(folder: str) -> list[SweepStatus]:
    """Return the progress of the sweeps of a folder; processes may be working on them.

    Raises
    ------
    StateError
        There is none, or a manifest is damaged.
    OSError
        The folder cannot be read.
    """
    names = sorted(name for name in os.listdir(folder) if name.endswith(MANIFEST))
    found = [_status(os.path.join(folder, name.removesuffix(MANIFEST))) for name in names]
    known = [one for one in found if one is not None]
    if not known:
        raise StateError(f"{folder}: no sweep has saved its progress in this folder")
    return known


def _status(base: str) -> SweepStatus | None:
    values = read_manifest(base)
    if values is None:  # the sweep has ended since the folder was listed
        return None
    try:
        nodes, done = as_count(values["numbers"][0]), float(values["done"])
        elapsed = float(values["seconds"])
        if not 0 <= done <= 1 or not 0 <= elapsed < math.inf:
            raise ValueError
        return SweepStatus(
            sweep=os.path.basename(base),
            solutions=as_total(values["total"]),
            nodes=nodes,
            done=done,
            states=as_count(values["states"]),
            bytes=sum(map(as_count, values["lengths"].values())),
            elapsed=elapsed,
            nodes_per_second=nodes / elapsed if elapsed else 0.0,
            seconds_left=elapsed * (1 / done - 1) if done else None,
            owner=str(values["owner"]) if is_in_use(base) else None,
        )
    except (KeyError, ValueError, TypeError, IndexError, OverflowError):
        raise StateError(f"{base}{MANIFEST}: by another version") from None
