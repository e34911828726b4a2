"""SpinningThreads: the threads of a count beside the one that counts.

A system may wake a thread on the core of the thread that wakes it, although another core is idle,
and move it only at its next tick, milliseconds later. On two cores of Linux that took a fifth of
the time of a sweep, which submits many short calls. So a thread whose call has ended spins for a
while before it sleeps, as the threads of OpenMP do.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np

from dlx.checks import num_cores
from dlx.compiled.atomics import wait_for_change

P = ParamSpec("P")
R = TypeVar("R")
Call = tuple[Future[Any], Callable[[], Any]]

LOOKS = 1 << 22  # looks for the next call, some milliseconds


class SpinningThreads(Executor):
    """An executor with a fixed number of threads, all of which have been started.

    Parameters
    ----------
    number : int

    Raises
    ------
    RuntimeError
        The system has no more threads.
    """

    def __init__(self, number: int) -> None:
        stays = num_cores() > number and not numba.config.DISABLE_JIT
        self._looks = LOOKS if stays else 0  # others need the core, or the interpreter
        self._calls: deque[Call] = deque()
        self._waiting = np.zeros(8, np.int64)  # the number of calls, in a cache line of its own
        self._spinning = 0  # threads that will find the next call: none needs to be woken
        self._lock = threading.Lock()
        wait_for_change(self._waiting, 0, 0)  # compiled before the threads call it
        pool, started = ThreadPoolExecutor(number, "dlx count"), threading.Event()
        try:
            for _ in range(number):  # none is idle before all have been started
                pool.submit(started.wait)
        except BaseException:
            pool.shutdown(wait=False)
            raise
        finally:
            started.set()
        self._pool = pool

    def submit(self, call: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Submit a call to the first idle thread."""
        future: Future[R] = Future()
        with self._lock:
            self._calls.append((future, lambda: call(*args, **kwargs)))
            self._waiting[0] = len(self._calls)
            is_found = len(self._calls) <= self._spinning
        if not is_found:
            self._pool.submit(self._work)
        return future

    def _work(self) -> None:
        """Make calls; spin between them."""
        spins = False
        while True:
            next_call = self._next()
            if next_call is not None:
                _make(*next_call)
                spins = True
            elif not spins:
                return
            else:
                with self._lock:
                    self._spinning += 1
                spins = wait_for_change(self._waiting, 0, self._looks)
                with self._lock:
                    self._spinning -= 1
            del next_call  # and what its result refers to

    def _next(self) -> Call | None:
        with self._lock:
            call = self._calls.popleft() if self._calls else None
            self._waiting[0] = len(self._calls)
        return call


def _make(future: Future[Any], call: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
