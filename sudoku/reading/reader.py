"""Puzzle files of every customary format, detected line by line, read as a stream.

What a line is says ``scanner``, which digits are meant ``decoder``; where puzzles look alike,
as they mostly do, ``uniform`` takes them by the thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from sudoku.batch import Batch, joined
from sudoku.errors import FileError, FormatError, SudokuError
from sudoku.reading.decoder import Decoder
from sudoku.reading.repetition import Repetition
from sudoku.reading.scanner import Scanner
from sudoku.reading.sources import Chunk, Sources
from sudoku.symbols import Symbols

if TYPE_CHECKING:
    from sudoku.grid import Grid

__all__ = ["Reader", "read"]

PIECE = 1 << 16
"""Bytes of which the puzzles are understood together."""


class Reader:
    """The puzzles of some files.

    Args:
        names: files, ``-`` for standard input.
        box: ``"2x3"``; fixes N.
        diagonal: whether the diagonals are houses.
        symbols: names of the digits; fixes N.
        on_error: is called with each fault, and reading goes on; by default the first one is
            raised.

    Raises:
        LayoutError: box and symbols do not fit each other.

    Iterate over it for Batches, in the order of the files.
    """

    def __init__(
        self,
        names: Iterable[str] = (),
        *,
        box: str | tuple[int, int] | None = None,
        diagonal: bool = False,
        symbols: Symbols | None = None,
        on_error: Callable[[SudokuError], None] | None = None,
    ) -> None:
        self.sources = Sources(names)
        self.on_error = on_error
        self._faults: list[FormatError] = []
        self._decoder = Decoder(box, diagonal, symbols, self._faults.append)

    def __iter__(self) -> Iterator[Batch]:
        for name in self.sources.names:
            try:
                yield from self._file(name)
            except (FileError, FormatError) as error:
                if self.on_error is None:
                    raise
                self._tell()
                self._report(error)

    def text(self, text: str, label: str = "<text>") -> Iterator[Batch]:
        """The puzzles of a text."""
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        return self._batches([((text + "\n").encode("utf-8", "surrogateescape"), 1)], label)

    def _file(self, name: str) -> Iterator[Batch]:
        return self._batches(self.sources.chunks(name), "<stdin>" if name == "-" else name)

    def _tell(self) -> None:
        """Tell the faults found since, in the order of their lines."""
        faults = sorted(self._faults, key=lambda fault: fault.line)
        self._faults.clear()
        for fault in faults:
            self._report(fault)

    def _report(self, error: SudokuError) -> None:
        if self.on_error is None:
            raise error
        self.on_error(error)

    def _batches(self, chunks: Iterable[Chunk], label: str) -> Iterator[Batch]:
        decoder = self._decoder
        scanner = Scanner(label, decoder.size, decoder.given, self._faults.append)
        repetition = Repetition(scanner, decoder)
        for block, number in chunks:
            batches: list[Batch] = []
            at = 0
            while at < len(block):
                end = block.find(b"\n", at + PIECE) + 1 or len(block)
                leap = None
                for line in block[at:end].split(b"\n")[:-1]:
                    text = line.decode("utf-8", "surrogateescape")
                    scanner.feed(number, text)
                    number += 1
                    at += len(line) + 1
                    leap = repetition.after(text, number, block, at)
                    if leap is not None:
                        break
                batches += decoder.batches(scanner.take(ended=leap is not None), label)
                if leap is not None:
                    batches.append(leap.batch)
                    at += leap.bytes
                    number += leap.lines
            self._tell()
            yield from joined(batches)
        scanner.end()
        batches = decoder.batches(scanner.take(), label)
        self._tell()
        yield from batches
        if not scanner.found:
            self._report(FormatError("no puzzle in it", label))


def read(
    *names: str,
    box: str | tuple[int, int] | None = None,
    diagonal: bool = False,
    symbols: Symbols | None = None,
) -> Iterator[Grid]:
    """The puzzles of files, one Grid after the other.

    Raises:
        FileError, FormatError: at the first thing that is wrong.
    """
    from sudoku.grid import Grid

    for batch in Reader(names, box=box, diagonal=diagonal, symbols=symbols):
        cells = batch.layout.cells
        for start in range(0, len(batch.values), cells):
            values = list(batch.values[start : start + cells])
            yield Grid(batch.layout, values, batch.symbols)  # type: ignore[arg-type]
