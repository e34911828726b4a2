"""Output of the commands: one stream, or numbered files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from types import TracebackType
from typing import TypeVar

import dlx.shell.output
from dlx.shell.interrupt import interruptible
from sudoku.errors import FileError

__all__ = ["NumberedFiles", "Output", "with_first"]

T = TypeVar("T")


class Output(dlx.shell.output.Output):
    """The output of a command: a file, or standard output for None or ``-``.

    It raises FileError. If its block ends with an error, the numbered files are removed, too.

    Attributes
    ----------
    numbered : list of str
        Names of the files that `NumberedFiles` has written.
    """

    fault = FileError

    def __init__(self, name: str | None) -> None:
        self.numbered: list[str] = []
        super().__init__(None if name == "-" else name)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None and not issubclass(kind, KeyboardInterrupt):
            self.remove_numbered()
        super().__exit__(kind, error, trace)

    def remove_numbered(self) -> None:
        """Remove the numbered files."""
        for name in self.numbered:
            with suppress(OSError):
                os.unlink(name)
        self.numbered = []

    @contextmanager
    def exit_on_interrupt(self) -> Iterator[None]:
        """Within the block Ctrl-C ends the process at once and leaves no output.

        It is for blocks that import modules and compile kernels before anything is found: an
        exception raised during an import or in the compiler may be swallowed or replaced.
        """

        def leave() -> None:
            self.discard()
            os.write(2, b"interrupted\n")

        with interruptible(lambda: None, leave, patience=0.0):
            yield


def with_first(pieces: Iterator[T], output: Output) -> Iterator[T]:
    """Return the same pieces after the first, which compiles kernels, is made.

    Meanwhile Ctrl-C works as in `Output.exit_on_interrupt`.
    """
    with output.exit_on_interrupt():
        first = list(islice(pieces, 1))
    return chain(first, pieces)


class NumberedFiles:
    """Pictures or pages, of which a file holds one.

    A single one goes to the output itself. With several, ``NAME.svg`` becomes ``NAME-1.svg``,
    ``NAME-2.svg`` and so on, each written when it is added.

    Parameters
    ----------
    output : Output
        The output of the command.

    Attributes
    ----------
    count : int
        Number of pictures or pages added.
    """

    def __init__(self, output: Output) -> None:
        self.count = 0
        self._output = output
        self._first = b""

    def add(self, text: str) -> None:
        """Add a picture or page.

        Raises
        ------
        FileError
            It is the second one for standard output, or its file cannot be written.
        """
        self.count += 1
        if self.count == 1:
            self._first = text.encode()
            return
        self.expect(self.count)
        if self.count == 2:
            self._write(1, self._first)
        self._write(self.count, text.encode())

    def expect(self, count: int) -> None:
        """Raise FileError if `count` pictures or pages cannot be written."""
        if count > 1 and self._output.name is None:
            raise FileError(
                "<stdout>: there is more than one puzzle or solution, and a picture or page shows "
                "one; with -o NAME each goes to a numbered file"
            )

    def finish(self) -> None:
        """Write a single picture or page; after several, leave no file without a number."""
        if self.count == 1:
            self._output.write(self._first)
        elif self.count > 1:
            self._output.discard()

    def _write(self, number: int, text: bytes) -> None:
        assert self._output.name is not None
        base, suffix = os.path.splitext(self._output.name)
        name = f"{base}-{number}{suffix}"
        with Output(name) as output:
            output.write(text)
        self._output.numbered.append(name)
