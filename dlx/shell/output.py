"""Output that is whole or not there: a file is written beside its place, then renamed."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import nullcontext
from types import TracebackType
from typing import IO, ClassVar, Self

from dlx.errors import OutputError
from dlx.shell.interrupt import held


def tell(line: str) -> None:
    """One line on standard error, if there is one."""
    if sys.stderr is not None:
        print(line, file=sys.stderr, flush=True)


class Output:
    """Standard output (None), or a file that appears when all is written.

    A file is written beside its place and renamed at the end of the `with` block; the mode of
    one that was there is kept, and symbolic links are followed. If the block ends with an error
    nothing is left; after Ctrl-C what there was is kept as `NAME.partial`. Devices, pipes and
    open descriptors (`/dev/stdout`, `/dev/fd/3`) are written to directly.

    Attributes
    ----------
    written : bytes so far
    count : of whatever the writer counts

    Raises OutputError where it cannot be written; where that can be seen, before any work is done.
    """

    fault: ClassVar[type[OSError]] = OutputError

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.written = self.count = 0
        self._beside = ""
        self._stream: IO[bytes] | None = None
        if name is None:
            if sys.stdout is None:
                raise self.fault("<stdout>: cannot be written: it is closed")
            return
        try:
            self._open(name)
        except OSError as error:
            raise self._refusal(error) from None

    def _open(self, name: str) -> None:
        number = _descriptor(name)
        if number is not None:
            self._stream = os.fdopen(os.dup(number), "wb")
            return
        self._path = os.path.realpath(name)
        mode = os.stat(name).st_mode if os.path.exists(name) else 0
        if mode and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            self._stream = open(name, "wb")  # noqa: SIM115
            return
        if stat.S_ISDIR(mode):
            raise self.fault(f"{name}: is a folder; a file is needed")
        if mode and not os.access(self._path, os.W_OK):
            raise self.fault(f"{name}: no permission to write it")
        beside = f"{self._path}.{os.getpid()}.part"
        self._stream = open(beside, "wb")  # noqa: SIM115
        self._beside = beside
        if mode:
            os.chmod(beside, stat.S_IMODE(mode))

    def _refusal(self, error: OSError) -> OSError:
        if isinstance(error, self.fault):
            return error
        label = "<stdout>" if self.name is None else self.name
        return self.fault(f"{label}: cannot be written: {error.strerror or error}")

    def write(self, data: bytes, count: int = 0) -> None:
        """Write: to standard output without delay, to a file as a whole whatever comes."""
        try:
            if self._stream is None:
                sys.stdout.flush()
            stream = self._stream or sys.stdout.buffer
            with held() if self._beside else nullcontext():
                stream.write(data)
                if not self._beside:
                    stream.flush()
                self.written += len(data)
                self.count += count
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._refusal(error) from None

    def discard(self) -> None:
        """Leave nothing behind."""
        if self._stream is not None:
            self._stream.close()
        if self._beside:
            os.unlink(self._beside)
            self._beside, self._stream = "", None

    def keep(self) -> None:
        """Leave what was written so far, if anything, as `NAME.partial`."""
        if self._beside and self.written:
            self._rename(f"{self._path}.partial")
            tell(f"what was done so far is in {self.name}.partial")
        else:
            self.discard()

    def _rename(self, name: str) -> None:
        assert self._stream is not None
        self._stream.close()
        os.replace(self._beside, name)
        self._beside = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is not None and issubclass(kind, KeyboardInterrupt):
                self.keep()
            elif kind is None and self._beside:
                self._rename(self._path)
            else:
                self.discard()
        except OSError as fault:
            self._stream = None
            self.discard()
            if kind is None:
                raise self._refusal(fault) from None


def _descriptor(path: str) -> int | None:
    """The open descriptor of this process that a name such as /dev/stdout stands for."""
    opened = os.path.realpath("/dev/fd")
    for _ in range(40):  # links that a system follows at most
        folder, last = os.path.split(os.path.abspath(path))
        if last.isdigit() and os.path.realpath(folder) == opened:
            return int(last)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file as a whole. Raises OutputError."""
    with Output(os.fspath(path)) as output:
        output.write(data)
