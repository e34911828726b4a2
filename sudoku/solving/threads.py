"""How many threads to start."""

from __future__ import annotations

import os

__all__ = ["default_jobs", "threads"]

MANY = 64
"""Threads, beyond which only as many cores could make use of more."""


def default_jobs() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads(jobs: int, pieces: int | None = None) -> int:
    """As many as were asked for, unless that is more than could be of use.

    Args:
        pieces: of work, each for one thread; None where there are any number.

    >>> threads(4), threads(100_000, 3), threads(100_000) < 10_000
    (4, 3, True)
    """
    most = max(MANY, default_jobs())
    return min(jobs, most if pieces is None else min(most, pieces))
