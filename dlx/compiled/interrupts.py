"""Ctrl-C while numba loads compiled code takes effect when it is loaded, milliseconds later.

A KeyboardInterrupt there can end the process by a fault, in a callback of llvmlite that then
returns nothing, or leave a lock of numba or llvmlite locked, so that another thread waits for ever.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interrupts_later() -> Iterator[Callable[[], None] | None]:
    """Within the block, note a Ctrl-C; handle it at the end as it would have been handled.

    Yields
    ------
    callable or None
        Ends this before the block ends, if the main thread calls it; None in another thread, which
        no interrupt reaches, and where Ctrl-C has no handler in Python.
    """

    def note(*arguments: Any) -> None:
        noted.append(arguments)

    def end() -> None:
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGINT) is note:  # a handler set since stays
                signal.signal(signal.SIGINT, handler)
            if noted:
                arguments = noted[0]
                noted.clear()
                handler(*arguments)

    handler: Any = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield None
        return
    noted: list[tuple[Any, ...]] = []
    signal.signal(signal.SIGINT, note)
    try:
        yield end
    finally:
        end()
