"""Run the body of a command and end its process, with the same exit statuses for all commands.

This module imports nothing heavy. A command that imports everything else inside its body handles
Ctrl-C during these imports, too.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from dlx.errors import cache_fault
from dlx.shell.interrupt import INTERRUPTED, TERMINATED, Terminated, terminable
from dlx.shell.memory import require_memory
from dlx.shell.output import print_message

FOUND, NONE, BAD_INPUT = 0, 1, 2  # exit statuses: a solution was found, there is none
PIPE_CLOSED = 141  # as a shell reports a process that SIGPIPE ended: 128 + 13


def run_command(body: Callable[[], int], faults: type[Exception], prefix: str = "") -> int:
    """Call the body of a command; turn its exceptions into a message and an exit status.

    Parameters
    ----------
    body : callable
        Parse the arguments, do the work and return the exit status.
    faults : exception class
        Errors of input, usage and output. Their text goes to standard error as one line.
    prefix : str
        Written before each message.

    Returns
    -------
    int
        The status that `body` returns; 2 after a fault, or if memory, numba or numpy is missing, or
        the folder for compiled code is damaged; 130 after Ctrl-C; 143 after SIGTERM; 141 if the
        reader of the output has closed it.
    """
    try:
        with terminable(), rare_collections(), warnings_as_messages():
            require_memory()
            return body()
    except faults as error:
        message = str(error)
    except MemoryError as error:
        message = str(error) or "there is not enough memory"
    except BrokenPipeError:
        # Python flushes standard output once more when it ends, which would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return PIPE_CLOSED
    except Terminated:
        return TERMINATED
    except KeyboardInterrupt:
        return INTERRUPTED
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "numpy"):
            raise
        python = sys.executable or "python"  # empty where the path is not known
        message = f"{error.name} is not installed: {python} -m pip install numba numpy"
    except Exception as error:
        no_thread = "can't start new thread" in str(error)
        message = "there is not enough memory" if no_thread else cache_fault(error)
    print_message(prefix + message)
    return BAD_INPUT


@contextmanager
def warnings_as_messages() -> Iterator[None]:
    """Within the block a warning for the user is one line on standard error."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, UserWarning):
                print_message(f"warning: {message}")
            else:
                others(message, category, *place, **more)

        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage after 100,000 new objects instead of 700.

    The import of numba makes several hundred thousand objects that stay, which each collection
    would visit.
    """
    before = gc.get_threshold()
    gc.set_threshold(100_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def end_process(status: int) -> NoReturn:
    """Flush the standard streams and end the process without the cleanup of numba and LLVM.

    That cleanup takes a tenth of a second.
    """
    for stream in (sys.stdout, sys.stderr):
        # either may be closed by this process or by its reader
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)
