"""The time for which numba compiles, or loads what it has compiled: no part of a count."""

from __future__ import annotations

from threading import Lock, get_ident

from numba.core import event
from numba.core.event import Event, Listener, register, unregister


class CompileTimer(Listener):  # type: ignore[misc]
    """Within a block, a function that returns the seconds for which numba has compiled or loaded.

    Numba holds one lock for both; the events are those of the threads that wait for it or have it.
    The end of an event that began before the block is no event of the block: numba's own timer
    takes it for one. Entering and leaving the block take a microsecond; with a context manager
    made of numba's they would take three.
    """

    _lock = Lock()  # one for all

    def __init__(self) -> None:
        self._depths: dict[int, int] = {}  # of each thread, events that have not ended
        # the seconds of what has ended, and when the present events began: replaced together
        self._state: tuple[float, float | None] = (0.0, None)

    def __enter__(self) -> CompileTimer:
        register("numba:compiler_lock", self)
        return self

    def __exit__(self, *error: object) -> None:
        unregister("numba:compiler_lock", self)

    def __call__(self) -> float:
        """Return the seconds so far, those of what is being compiled among them."""
        seconds, began = self._state
        return seconds if began is None else seconds + event.timer() - began

    def on_start(self, _: Event) -> None:
        """Note that this thread waits for the lock."""
        thread = get_ident()
        with self._lock:
            if not self._depths:
                self._state = self._state[0], event.timer()
            self._depths[thread] = self._depths.get(thread, 0) + 1

    def on_end(self, _: Event) -> None:
        """Note that this thread has released the lock."""
        thread = get_ident()
        with self._lock:
            if thread not in self._depths:
                return
            self._depths[thread] -= 1
            if not self._depths[thread]:
                del self._depths[thread]
            if not self._depths:
                self._state = self(), None
