"""Output of commands: a file that appears when it is complete, or standard output."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import nullcontext, suppress
from typing import ClassVar, Self

from dlx.errors import OutputError
from dlx.files import NewFile, cannot_write
from dlx.shell.interrupt import held


def one_line(text: str) -> str:
    r"""Return a message with control characters as `repr` writes them: file names may have some.

    >>> print(one_line("a\nb"))
    a\nb
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def print_message(line: str) -> None:
    """Print one line on standard error; do nothing if it cannot be written."""
    if sys.stderr is not None:
        with suppress(OSError):  # it is full
            print(one_line(line), file=sys.stderr, flush=True)


def show_compilation() -> None:
    """From now on print a line when numba begins to compile; once in a process."""
    import logging

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            print_message(record.getMessage())

    log = logging.getLogger("dlx.compiled")
    log.handlers = [Lines()]
    log.setLevel(logging.INFO)


class Output:
    """Standard output, or a file that appears when all is written.

    A file is a `NewFile` of text, renamed at the end of the `with` block. If the block ends with an
    error, no file is left. After Ctrl-C the data written so far is kept as `NAME.partial`.

    Parameters
    ----------
    name : str or None
        Path of the file; None or ``-`` for standard output.

    Attributes
    ----------
    fault : exception class
        The exception that is raised: a subclass of OSError whose only argument is the message.
    written : int
        Bytes written so far.
    count : int
        Sum of the `count` arguments of `write`.

    Raises
    ------
    OutputError
        The output cannot be written, as far as that is known before data is written.
    """

    fault: ClassVar[type[OSError]] = OutputError

    def __init__(self, name: str | None) -> None:
        self.name = name = None if name == "-" else name
        self.written = self.count = 0
        self._file: NewFile | None = None
        if name is None:
            if sys.stdout is None:
                raise self.fault("<stdout>: cannot be written: it is closed")
            return
        try:
            self._file = NewFile(name, is_text=True)
        except OSError as error:
            raise self._own_fault(error) from None

    @property
    def _is_new_file(self) -> bool:
        return self._file is not None and not self._file.is_direct

    def _own_fault(self, error: OSError) -> OSError:
        if isinstance(error, OutputError | self.fault):
            return self.fault(str(error))
        return self.fault(cannot_write("<stdout>" if self.name is None else self.name, error))

    def write(self, data: bytes, count: int = 0) -> None:
        """Write data.

        Standard output, pipes and devices are flushed at once. While a file is written, Ctrl-C is
        delayed, so `written` and `count` always agree with the file.
        """
        try:
            if self._file is None:
                sys.stdout.flush()
                stream = sys.stdout.buffer
            else:
                stream = self._file.stream
            with held() if self._is_new_file else nullcontext():
                stream.write(data)
                if not self._is_new_file:
                    stream.flush()
                self.written += len(data)
                self.count += count
        except BrokenPipeError:
            raise
        except OSError as error:
            if self._file is None and os.name == "nt" and error.errno == errno.EINVAL:
                raise BrokenPipeError from None  # what Windows reports for a pipe without a reader
            raise self._own_fault(error) from None

    def discard(self) -> None:
        """Leave no file behind."""
        if self._file is not None:
            try:
                self._file.discard()
            except OSError as error:
                raise self._own_fault(error) from None

    def keep(self) -> None:
        """Keep the data written so far, if any, as `NAME.partial`."""
        if self._file is not None and self._is_new_file and self.written:
            self._file.commit(".partial")
            print_message(f"what was done so far is in {self.name}.partial")
        else:
            self.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        # a second Ctrl-C is delayed: between two of these steps it would leave a temporary file
        with held() if self._is_new_file else nullcontext():
            self._settle(kind)

    def _settle(self, kind: type[BaseException] | None) -> None:
        """Rename, keep or remove what was written, after an exception of this class or None."""
        try:
            if kind is not None and issubclass(kind, KeyboardInterrupt):
                self.keep()
            elif kind is None and self._file is not None:
                self._file.commit()
            else:
                self.discard()
        except OSError as fault:
            self.discard()
            if kind is None:
                raise self._own_fault(fault) from None
