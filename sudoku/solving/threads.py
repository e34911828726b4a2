"""The number of threads to start."""

from __future__ import annotations

import os

__all__ = ["default_jobs", "threads"]

MANY = 64
"""More threads than this are of use only on a machine with more cores."""


def default_jobs() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads(jobs: int, pieces: int | None = None) -> int:
    """Return `jobs`, or fewer if more would be of no use for so many pieces of work.

    Examples
    --------
    >>> threads(4), threads(100_000, 3), threads(100_000) < 10_000
    (4, 3, True)
    """
    most = max(MANY, default_jobs())
    return min(jobs, most if pieces is None else min(most, pieces))
