"""SpinningThreads: the threads of a count beside the one that counts.

A system may wake a thread on the core of the thread that wakes it, although another core is idle,
and move it only at its next tick, milliseconds later. On two cores of Linux that took a fifth of
the time of a sweep, which submits many short calls. So a thread whose call has ended spins for a
while before it sleeps, as the threads of OpenMP do.

The executors and events of the standard library lock and unlock in Python code: a KeyboardInterrupt
in it can leave a lock locked, and the next call waits for ever. Here a lock is taken by a `with`
statement itself, which no interrupt separates from its block.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import finalize, ref

import numba
import numpy as np

from dlx.checks import num_cores
from dlx.compiled.atomics import wait_for_change

P = ParamSpec("P")
R = TypeVar("R")

LOOKS = 1 << 22  # looks for the next call, some milliseconds
WAITING, RUNNING, CANCELLED, ENDED = range(4)  # states of a call


class Call(Generic[R]):
    """A call that another thread is to make.

    Parameters
    ----------
    function : callable
        Called without arguments, once at most.
    """

    def __init__(self, function: Callable[[], R]) -> None:
        self._function = function
        self._state = WAITING
        self._lock = threading.Lock()  # of the state
        self._end = threading.Lock()  # unlocked when the call ends
        self._end.acquire()
        self._error: BaseException | None = None
        self._result: R

    def make(self) -> None:
        """Make the call, unless it is cancelled."""
        with self._lock:
            if self._state == CANCELLED:
                return
            self._state = RUNNING
        try:
            self._result = self._function()
        except BaseException as error:
            self._error = error
        self._state = ENDED
        self._end.release()
        del self  # the error refers to this frame

    def cancel(self) -> bool:
        """Cancel the call unless it has begun; return whether it is cancelled."""
        with self._lock:
            if self._state == WAITING:
                self._state = CANCELLED
        return self._state == CANCELLED

    def wait(self, seconds: float = -1) -> bool:
        """Wait for the end, at most for some seconds if any are given; return whether it came."""
        if self._state < CANCELLED and self._end.acquire(timeout=seconds):
            self._end.release()
        return self._state >= CANCELLED

    def result(self) -> R:
        """Wait for the end; return what the function returned, or raise what it raised."""
        self.wait()
        if self._error is None:
            return self._result
        try:
            raise self._error
        finally:
            del self  # as in `make`


class SpinningThreads:
    """A fixed number of threads, which make calls; they end with this object.

    Parameters
    ----------
    number : int
    spin : bool
        Whether a thread spins before it sleeps, if there are cores for all.

    Raises
    ------
    RuntimeError
        The system has no more threads.
    """

    def __init__(self, number: int, *, spin: bool = True) -> None:
        spin = spin and num_cores() > number and not numba.config.DISABLE_JIT
        self._looks = LOOKS if spin else 0  # others need the core, or the interpreter
        self._calls: deque[Call[Any]] = deque()
        self._waiting = np.zeros(8, np.int64)  # the number of calls, in a cache line of its own
        self._spinning = 0  # threads that will find the next call: none needs to be woken
        self._lock = threading.Lock()  # of these three
        self._tokens: SimpleQueue[bool] = SimpleQueue()  # True wakes a thread, False ends all
        threads: list[threading.Thread] = []
        self._at_exit = finalize(self, _join, threads, self._tokens)
        if spin:
            wait_for_change(self._waiting, 0, 0)  # compiled before the threads call it
        for _ in range(number):
            serve = partial(_serve, ref(self), self._tokens)
            threads.append(threading.Thread(target=serve, name="dlx count", daemon=True))
            threads[-1].start()

    def __del__(self) -> None:
        """Have the threads end; do not wait, as a Ctrl-C would be lost here."""
        if self._at_exit.detach():
            self._tokens.put(False)

    def submit(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Call[R]:
        """Have the first idle thread call a function."""
        call = Call(partial(function, *args, **kwargs))
        with self._lock:
            self._calls.append(call)
            self._waiting[0] = len(self._calls)
            is_found = len(self._calls) <= self._spinning
        if not is_found:
            self._tokens.put(True)
        return call

    def make_calls(self) -> None:
        """Make calls in this thread; spin between them."""
        spins = False
        while True:
            call = self._next()
            if call is not None:
                call.make()
                spins = self._looks > 0
            elif not spins:
                return
            else:
                with self._lock:
                    self._spinning += 1
                spins = wait_for_change(self._waiting, 0, self._looks)
                with self._lock:
                    self._spinning -= 1
            del call  # and what its result refers to

    def _next(self) -> Call[Any] | None:
        with self._lock:
            call = self._calls.popleft() if self._calls else None
            self._waiting[0] = len(self._calls)
        return call


def _serve(owner: ref[SpinningThreads], tokens: SimpleQueue[bool]) -> None:
    """Make the calls of the owner, to which a thread that sleeps does not refer."""
    while tokens.get() and (threads := owner()) is not None:
        threads.make_calls()
        del threads
    tokens.put(False)  # for the other threads


def _join(threads: list[threading.Thread], tokens: SimpleQueue[bool]) -> None:
    """Wait for the threads: compiled code must not run while the process ends."""
    tokens.put(False)
    for thread in threads:
        if thread.is_alive():
            thread.join()
