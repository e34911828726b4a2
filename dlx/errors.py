"""Exceptions raised by dlx.

    DlxError
     ├── ProblemError (ValueError)    a problem, or an argument of a function, is malformed
     │    └── FormatError             the text of a problem is malformed, at a line and column
     ├── KernelError (ValueError)     the kernel is unknown or cannot take the problem
     ├── StateError (ValueError)      a file is no saved search or solution set of the problem
     ├── OutputError (OSError)        a file cannot be written
     └── WorkerError (RuntimeError)   workers of a parallel search failed repeatedly

Every message is one line: what is wrong, where, and what would be right.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class DlxError(Exception):
    """Base class of all errors that this package raises on purpose."""


class ProblemError(DlxError, ValueError):
    """A malformed problem, or an argument of the wrong type or out of range.

    Parameters
    ----------
    message : str
    option, item : int, optional
        The numbers (from 0) of the option and the item at fault; also attributes.
    """

    def __init__(self, message: str, *, option: int | None = None, item: int | None = None) -> None:
        super().__init__(message)
        self.option = option
        self.item = item


class FormatError(ProblemError):
    """A text that is not an exact cover problem.

    Parameters
    ----------
    message : str
    source : str
        The name of the text.
    line, column : int
        From 1; 0 if the error has no place. All three are also attributes.
    """

    def __init__(self, message: str, *, source: str, line: int = 0, column: int = 0) -> None:
        where = ":".join([source, *(str(n) for n in (line, column) if n)])
        super().__init__(f"{where}: {message}")
        self.source = source
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), *self.args), vars(self)


class KernelError(DlxError, ValueError):
    """A kernel that is unknown or cannot take the problem."""


class StateError(DlxError, ValueError):
    """A file that is damaged, of another format, or of another problem."""


class OutputError(DlxError, OSError):
    """A file that cannot be written; says which and why."""


class WorkerError(DlxError, RuntimeError):
    """Workers of a parallel search died, or their executor is broken; says at which task."""


def _restored(kind: type[FormatError], text: str) -> FormatError:
    """Return a pickled error, whose text has the place already."""
    return kind.__new__(kind, text)


def is_interrupt(error: BaseException) -> bool:
    """Return whether an error is Ctrl-C, or what Ctrl-C has made of a wait.

    In `Condition.wait` it may come when the lock is not held: then it ends as a RuntimeError. In
    Python code that a kernel calls it ends as a SystemError, or as one that another one has caused:
    kernels that return arrays call such code of numba, others do not.
    """
    while isinstance(error, SystemError) and error.__context__ is not None:
        error = error.__context__
    return any(isinstance(e, KeyboardInterrupt) for e in (error, error.__context__))


@contextmanager
def interrupts() -> Iterator[None]:
    """Within the block, raise KeyboardInterrupt in place of what has become of it."""
    try:
        yield
    except BaseException as error:
        if is_interrupt(error) and not isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise  # SIGTERM has an error of its own


def cache_fault(error: Exception) -> str:
    """Return what to print when compiled code cannot be read or written; raise any other error.

    Parameters
    ----------
    error : Exception
        Raised by a call of a compiled function.

    Examples
    --------
    >>> cache_fault(ValueError("of another kind"))
    Traceback (most recent call last):
    ValueError: of another kind
    """
    trace = error.__traceback__
    while trace is not None:
        place = trace.tb_frame
        if place.f_globals.get("__name__") == "numba.core.caching":
            folder = getattr(place.f_locals.get("self"), "_cache_path", "its folder")
            reason = ": ".join([type(error).__name__, *str(error).splitlines()[:1]])
            return (
                f"compiled code in {folder} cannot be read or written ({reason}): delete"
                " this folder, or set NUMBA_CACHE_DIR to another"
            )
        trace = trace.tb_next
    raise error
