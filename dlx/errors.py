"""What can be wrong with an exact cover problem, and with what is asked about one.

    DlxError
     ├── ProblemError (ValueError)    the problem, or a question about it, is malformed
     │    └── FormatError             so is its text: carries source, line and column
     ├── KernelError (ValueError)     the kernel asked for cannot take this problem
     ├── StateError (ValueError)      a saved search cannot be read, or is another problem's
     └── OutputError (OSError)        a file cannot be written

Every message is one line: what is wrong, where, and what would be right.
"""

from __future__ import annotations


class DlxError(Exception):
    """Any error that this package raises on purpose."""


class ProblemError(DlxError, ValueError):
    """A malformed problem, or a question that does not fit it.

    `option` and `item` are the numbers (from 0) of the option and the item at fault, or None.
    """

    def __init__(self, message: str, *, option: int | None = None, item: int | None = None) -> None:
        super().__init__(message)
        self.option = option
        self.item = item


class FormatError(ProblemError):
    """A text that is not an exact cover problem; `line` and `column` count from 1, or are 0."""

    def __init__(self, message: str, *, source: str, line: int = 0, column: int = 0) -> None:
        where = ":".join([source, *(str(n) for n in (line, column) if n)])
        super().__init__(f"{where}: {message}")
        self.source = source
        self.line = line
        self.column = column


class KernelError(DlxError, ValueError):
    """The kernel asked for is unknown, or cannot take this problem."""


class StateError(DlxError, ValueError):
    """A saved search that cannot be read, or that belongs to another problem."""


class OutputError(DlxError, OSError):
    """A file that cannot be written; says which and why."""


def cache_fault(error: RuntimeError) -> str:
    """What to tell when numba finds no folder for compiled code; any other error is raised.

    >>> cache_fault(RuntimeError("cannot cache function 'run': no locator available"))
    'no folder for compiled code can be written: set NUMBA_CACHE_DIR to one that can'
    """
    if "cannot cache function" not in str(error):
        raise error
    return "no folder for compiled code can be written: set NUMBA_CACHE_DIR to one that can"
