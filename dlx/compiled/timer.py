"""The time for which numba compiles, or loads what it has compiled: no part of a count."""

from __future__ import annotations

from numba.core import event
from numba.core.event import TimingListener, register, unregister


class CompileTimer(TimingListener):  # type: ignore[misc]
    """Within a block, a function that returns the seconds for which numba has compiled or loaded.

    Numba holds one lock for both. As a class it costs a call a microsecond; as a context manager
    made of numba's, three.
    """

    def __enter__(self) -> CompileTimer:
        register("numba:compiler_lock", self)
        return self

    def __exit__(self, *error: object) -> None:
        unregister("numba:compiler_lock", self)

    def __call__(self) -> float:
        """Return the seconds so far, those of what is being compiled among them."""
        seconds: float = self.duration if self.done else 0.0
        return seconds + (event.timer() - self._ts if self._depth else 0.0)
