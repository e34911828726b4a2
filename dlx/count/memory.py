"""Memory: how much there is, and the one account from which all parts of a count draw."""

from __future__ import annotations

import os


def machine_memory() -> int:
    """Bytes of main memory that this machine has; 4 GiB where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 32


class MemoryAccount:
    """The bytes that all parts of a count hold, against one limit.

    Parameters
    ----------
    limit : int
        Bytes that may be held together.

    Attributes
    ----------
    limit, used : int
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0

    @property
    def free(self) -> int:
        """Bytes that may still be taken."""
        return max(0, self.limit - self.used)

    def take(self, number: int) -> None:
        """Enter bytes that are held from now on; negative: that are given back."""
        self.used += number
