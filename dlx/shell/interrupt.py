"""Ctrl-C and SIGTERM for commands: they take effect in time, also during imports and compilation.

Python raises KeyboardInterrupt between two bytecode instructions, one of which may be a call of
LLVM that takes a second. During an import or in numba's compiler the exception may also be ignored,
become another error, or leave a kernel incomplete. So Ctrl-C raises nothing here: the signal wakes
a thread, which calls a function to stop the command, and ends the process if it does not stop.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

INTERRUPTED, TERMINATED = 130, 143  # exit statuses, as a shell has them: 128 + signal
LEAVE_SECONDS = 0.12  # in which a count completes some solutions
EXIT_STATUS = {int(signal.SIGINT): INTERRUPTED, int(signal.SIGTERM): TERMINATED}


class Terminated(KeyboardInterrupt):
    """SIGTERM: what was found is kept as after Ctrl-C, and the exit status is 143."""


@contextmanager
def terminable() -> Iterator[None]:
    """Within the block SIGTERM raises Terminated, unless the process ignores the signal."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(number: int, frame: object) -> None:
    raise Terminated


@contextmanager
def _caught() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM in a list instead of handling them."""
    caught: list[int] = []
    before = {number: signal.getsignal(number) for number in EXIT_STATUS}
    for number in EXIT_STATUS:
        signal.signal(number, lambda number, frame: caught.append(number))
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def interruptible(
    stop: Callable[[], object], leave: Callable[[], object], patience: float = LEAVE_SECONDS
) -> Iterator[Callable[[], None]]:
    """Within the block a signal calls `stop`; the block's end raises KeyboardInterrupt.

    The signal is Ctrl-C or SIGTERM; after SIGTERM the exception is Terminated. If the end does not
    come within `patience` seconds, `leave` is called, and the process ends with status 130 or 143.
    Both functions are called by another thread. The block gets a function that raises the exception
    before its end, if there was a signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    over = threading.Event()
    turn = threading.Lock()  # the thread that acquires it first decides how the process continues
    reading, writing = os.pipe()
    if hasattr(os, "set_blocking"):  # not on Windows before Python 3.12, where it is not needed
        os.set_blocking(writing, False)

    def watch() -> None:
        while (woken := os.read(reading, 1)[0]) not in EXIT_STATUS:
            if woken == 0:
                return
        stop()
        over.wait(patience)
        if turn.acquire(blocking=False):
            try:
                leave()
            finally:
                os._exit(EXIT_STATUS[woken])

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    with _caught() as caught:

        def check() -> None:
            if caught:
                raise Terminated if caught[0] == signal.SIGTERM else KeyboardInterrupt

        try:
            yield check
        finally:
            turn.acquire()  # for ever, if the process is about to end
            over.set()
            signal.set_wakeup_fd(wakeup)
            os.write(writing, b"\0")
            thread.join()
            os.close(reading)
            os.close(writing)
    check()


@contextmanager
def held() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the end of the block, which should be short."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    try:
        with _caught() as waiting:
            yield
    finally:
        if waiting:
            signal.raise_signal(waiting[0])
