"""Ctrl-C for commands: answered in time, also while modules are imported and kernels compiled.

Python raises KeyboardInterrupt between two steps of its own, and LLVM may take a second over one
of them. In the midst of an import or of numba's compiler the exception may also be swallowed, come
out as another error, or leave a kernel half made. So Ctrl-C raises nothing here: the signal itself
wakes a thread, which asks the command to stop, and ends the process if it does not.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

INTERRUPTED = 130  # exit status
PATIENCE = 0.08  # seconds


@contextmanager
def interruptible(
    stop: Callable[[], object], leave: Callable[[], object], patience: float = PATIENCE
) -> Iterator[None]:
    """Within the block Ctrl-C calls `stop`; KeyboardInterrupt is raised at the block's end.

    If the end does not come within `patience` seconds, `leave` is called, and the process ends
    with status 130. Both are called by another thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    over, turn = threading.Event(), threading.Lock()  # who takes the turn says how it ends
    caught: list[int] = []
    reading, writing = os.pipe()
    if hasattr(os, "set_blocking"):  # Windows has it from Python 3.12 on, and does without
        os.set_blocking(writing, False)

    def watch() -> None:
        while (woken := os.read(reading, 1)) != bytes([signal.SIGINT]):
            if woken == b"\0":
                return
        stop()
        over.wait(patience)
        if turn.acquire(blocking=False):
            try:
                leave()
            finally:
                os._exit(INTERRUPTED)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    handler = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    try:
        yield
    finally:
        turn.acquire()  # for ever, if the process is about to end
        over.set()
        signal.signal(signal.SIGINT, handler)
        signal.set_wakeup_fd(wakeup)
        os.write(writing, b"\0")
        thread.join()
        os.close(reading)
        os.close(writing)
    if caught:
        raise KeyboardInterrupt


@contextmanager
def held() -> Iterator[None]:
    """Ctrl-C waits until the block, a short one, has been done as a whole."""
    waiting: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: waiting.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if waiting:
            signal.raise_signal(signal.SIGINT)
