"""What the commands share: output that is whole or not there, progress, Ctrl-C.

A command is ``run(prog, body)``, where ``body`` parses arguments, finds faults before anything
heavy is imported, and writes to an ``Output``. Exit status: what ``body`` returns; 2 for a
fault of input or usage, told in one line; 130 after Ctrl-C; 141 when nobody reads the output.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from types import FrameType, TracebackType
from typing import IO, Any, NoReturn, TypeVar

from dlx.errors import cache_fault
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
    "write_pieces",
]

BAD_INPUT = 2
INTERRUPTED = 130
PIPE_CLOSED = 141

T = TypeVar("T")


def run(body: Callable[[], int]) -> int:
    """The exit status of a command, whatever happens in it."""
    try:
        return body()
    except SudokuError as error:
        tell(str(error))
        return BAD_INPUT
    except RuntimeError as error:
        tell(cache_fault(error))
        return BAD_INPUT
    except BrokenPipeError:
        # what is still buffered must not fail again when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED


def end(status: int) -> NoReturn:
    """End the process; at once, for numba takes a tenth of a second to clean up."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # closed, or nobody reads it
        pass
    os._exit(status)


def tell(line: str) -> None:
    """One line on standard error."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def starting(output: Output) -> Iterator[None]:
    """While modules are imported and kernels compiled, Ctrl-C ends the process at once.

    Nothing has been found yet, and an exception in the midst of an import or of the compiler
    may be swallowed, or come out as another.
    """

    def leave(number: int, frame: FrameType | None) -> None:
        output.discard()
        os.write(2, b"interrupted\n")
        os._exit(INTERRUPTED)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


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


def write_pieces(
    pieces: Iterator[Any],
    total: int,
    as_bytes: Callable[[Any, bool], bytes],
    output: Output,
    progress: Progress,
) -> None:
    """Write what is made piece by piece; after Ctrl-C, tell how much there is.

    Args:
        pieces: of some grids each; the first, for which kernels may be compiled, is made
            ``starting``.
        total: how many grids there will be.
        as_bytes: a piece as it is written, and whether it is the first.
    """
    try:
        for piece in begun(pieces, output):
            output.write(as_bytes(piece, output.count == 0), len(piece))
            progress.update(output.count, output.count / total)
    except KeyboardInterrupt:
        progress.clear()
        tell(f"interrupted after {output.count} {progress.unit}")
        raise
    finally:
        progress.clear()


def begun(pieces: Iterator[T], output: Output) -> Iterator[T]:
    """The same pieces; the first, for which kernels may be compiled, is made ``starting``."""
    with starting(output):
        head = list(islice(pieces, 1))
    return chain(head, pieces)


class Output:
    """Standard output, or a file that appears when all is written.

    A file is written beside its place and renamed at the end of the ``with`` block. If that
    ends with an error nothing is left; after Ctrl-C what there was is kept as ``NAME.partial``.
    Devices and pipes are written to directly.

    Attributes:
        written: bytes so far.
        count: of whatever the writer counts.

    Raises:
        FileError: the file cannot be written; at once, before any work is done.
    """

    def __init__(self, name: str | None) -> None:
        self.name = None if name in (None, "-") else name
        self.written = self.count = 0
        self._beside = ""
        self._stream: IO[bytes] | None = None
        if self.name is None:
            return
        try:
            self._path = os.path.realpath(self.name)
            if os.path.isdir(self._path):
                raise FileError(f"{self.name}: is a folder; a file is needed")
            if os.path.exists(self._path) and not os.path.isfile(self._path):
                self._stream = open(self._path, "wb")  # noqa: SIM115
                return
            if os.path.exists(self._path) and not os.access(self._path, os.W_OK):
                raise FileError(f"{self.name}: no permission to write it")
            beside = f"{self._path}.{os.getpid()}.part"
            self._stream = open(beside, "wb")  # noqa: SIM115
            self._beside = beside
        except FileError:
            raise
        except OSError as error:
            raise FileError(f"{self.name}: cannot be written: {error.strerror or error}") from None

    def write(self, data: bytes, count: int = 0) -> None:
        """Write: to standard output without delay, to a file as a whole whatever comes."""
        try:
            if self._stream is None:
                sys.stdout.flush()
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
                self._tally(data, count)
            else:
                with held():
                    self._stream.write(data)
                    self._tally(data, count)
        except BrokenPipeError:
            raise
        except OSError as error:
            label = self.name or "<stdout>"
            raise FileError(f"{label}: cannot be written: {error.strerror or error}") from None

    def _tally(self, data: bytes, count: int) -> None:
        self.written += len(data)
        self.count += count

    def discard(self) -> None:
        """Leave nothing behind."""
        if self._stream is not None:
            self._stream.close()
        if self._beside:
            os.unlink(self._beside)
            self._beside, self._stream = "", None

    def _rename(self, name: str) -> None:
        assert self._stream is not None
        self._stream.close()
        if os.path.exists(self._path):
            os.chmod(self._beside, os.stat(self._path).st_mode & 0o7777)
        os.replace(self._beside, name)
        self._beside = ""

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if not self._beside:
                self.discard()
            elif kind is None:
                self._rename(self._path)
            elif issubclass(kind, KeyboardInterrupt) and self.written:
                self._rename(f"{self._path}.partial")
                tell(f"what was done so far is in {self.name}.partial")
            else:
                self.discard()
        except OSError as fault:
            self._stream = None
            self.discard()
            if kind is None:
                raise FileError(f"{self.name}: cannot be written: {fault.strerror}") from None


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
        if self._output.name is None:
            raise FileError(
                "<stdout>: there is more than one puzzle or solution, and a picture or page shows "
                "one; with -o NAME each goes to a numbered file"
            )
        if self.count == 2:
            self._write(1, self._first)
        self._write(self.count, sheet.encode())

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
