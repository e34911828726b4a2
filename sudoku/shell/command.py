"""What the commands share: output that is whole or not there, progress, Ctrl-C.

A command is ``run(prog, body)``, where ``body`` parses arguments, finds faults before anything
heavy is imported, and writes to an ``Output``. Exit status: what ``body`` returns; 2 for a
fault of input or usage, told in one line; 130 after Ctrl-C; 141 when nobody reads the output.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import NoReturn, TypeVar

import dlx.shell.output
from dlx.errors import cache_fault
from dlx.shell.interrupt import (
    INTERRUPTED,
    TERMINATED,
    Terminated,
    held,
    interruptible,
    terminable,
)
from dlx.shell.memory import require_memory
from dlx.shell.output import tell
from sudoku.errors import FileError, SudokuError

__all__ = [
    "BAD_INPUT",
    "INTERRUPTED",
    "Output",
    "Progress",
    "Sheets",
    "begun",
    "end",
    "held",
    "run",
    "starting",
    "tell",
]

BAD_INPUT = 2
PIPE_CLOSED = 141

T = TypeVar("T")


def run(body: Callable[[], int]) -> int:
    """The exit status of a command, whatever happens in it."""
    try:
        with terminable():
            require_memory()
            return body()
    except SudokuError as error:
        tell(str(error))
        return BAD_INPUT
    except MemoryError as error:
        tell(str(error) or "there is not enough memory")
        return BAD_INPUT
    except BrokenPipeError:
        # what is still buffered must not fail again when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return PIPE_CLOSED
    except Terminated:
        return TERMINATED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        no_thread = "can't start new thread" in str(error)
        tell("there is not enough memory" if no_thread else cache_fault(error))
        return BAD_INPUT


def end(status: int) -> NoReturn:
    """End the process; at once, for numba takes a tenth of a second to clean up."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # closed, or nobody reads it
        pass
    os._exit(status)


@contextmanager
def starting(output: Output) -> Iterator[None]:
    """While modules are imported and kernels compiled, Ctrl-C ends the process at once.

    Nothing has been found yet, and an exception in the midst of an import or of the compiler
    may be swallowed, or come out as another.
    """

    def leave() -> None:
        output.discard()
        os.write(2, b"interrupted\n")

    with interruptible(lambda: None, leave, patience=0.0):
        yield


def begun(pieces: Iterator[T], output: Output) -> Iterator[T]:
    """The same pieces; the first, for which kernels may be compiled, is made ``starting``."""
    with starting(output):
        head = list(islice(pieces, 1))
    return chain(head, pieces)


class Output(dlx.shell.output.Output):
    """``output.Output`` for these commands: ``-`` is standard output, faults are FileErrors."""

    fault = FileError

    def __init__(self, name: str | None) -> None:
        super().__init__(None if name == "-" else name)


class Sheets:
    """Pictures or pages, of which a file holds one.

    A single one goes to the output. With several, ``NAME.svg`` becomes ``NAME-1.svg``,
    ``NAME-2.svg``, ...; each is written when it is there, and taken away by ``discard``.
    """

    def __init__(self, output: Output) -> None:
        self.count = 0
        self._output = output
        self._first = b""
        self._names: list[str] = []

    def add(self, sheet: str) -> None:
        """One more.

        Raises:
            FileError: a second one for standard output, or a file cannot be written.
        """
        self.count += 1
        if self.count == 1:
            self._first = sheet.encode()
            return
        self.expect(self.count)
        if self.count == 2:
            self._write(1, self._first)
        self._write(self.count, sheet.encode())

    def expect(self, count: int) -> None:
        """There will be so many; errors as ``add``."""
        if count > 1 and self._output.name is None:
            raise FileError(
                "<stdout>: there is more than one puzzle or solution, and a picture or page shows "
                "one; with -o NAME each goes to a numbered file"
            )

    def finish(self) -> None:
        """Write the only one; after several, nothing goes by the plain name."""
        if self.count == 1:
            self._output.write(self._first)
        elif self.count > 1:
            self._output.discard()

    def discard(self) -> None:
        """Leave nothing behind."""
        for name in self._names:
            os.unlink(name)
        self._names = []

    def _write(self, number: int, sheet: bytes) -> None:
        assert self._output.name is not None
        base, suffix = os.path.splitext(self._output.name)
        name = f"{base}-{number}{suffix}"
        with Output(name) as output:
            output.write(sheet)
        self._names.append(name)


class Progress:
    """One line on standard error that tells how far it is; only on a terminal, after a second.

    Args:
        quiet: never.
        unit: what is counted.
    """

    WIDTH = 30

    def __init__(self, quiet: bool = False, unit: str = "puzzles") -> None:
        self.unit = unit
        self._began = time.monotonic()
        self._next = self._began + 1.0
        self._shown = 0
        self._on = not quiet and sys.stderr is not None and sys.stderr.isatty()

    def update(self, done: int, fraction: float = 0.0, unit: str = "") -> None:
        """``done`` units so far, a ``fraction`` of all (0 if that is not known)."""
        now = time.monotonic()
        if not self._on or now < self._next:
            return
        self._next = now + 0.1
        spent = now - self._began
        text = f"{done:,} {unit or self.unit}, {_clock(spent)}"
        if fraction > 0:
            full = int(self.WIDTH * min(fraction, 1.0))
            left = spent * (1 - fraction) / fraction
            bar = "#" * full + "." * (self.WIDTH - full)
            text = f"[{bar}] {fraction:4.0%} {text}, {_clock(max(left, 0.0))} left"
        sys.stderr.write("\r" + text.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(text)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()
            self._shown = 0


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
