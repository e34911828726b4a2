"""The time for which numba compiles: no part of a search or a count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core.event import TimingListener, install_listener


@contextmanager
def compile_timer() -> Iterator[Callable[[], float]]:
    """Give a function that returns the seconds for which numba has compiled within the block."""
    with install_listener("numba:compile", TimingListener()) as timer:
        yield lambda: timer.duration if timer.done else 0.0
