"""Puzzle files of every customary format, read as a stream.

`scanner` finds the puzzles, `decoder` their digits; `runs` reads successive puzzles of the same
format without these two.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from sudoku.batch import Batch, joined
from sudoku.errors import FileError, FormatError, SudokuError
from sudoku.layout import Box, is_latin
from sudoku.reading.decoder import MOST_OPEN, Decoder
from sudoku.reading.lines import LineSyntax
from sudoku.reading.rows import WrittenPuzzle
from sudoku.reading.runs import RunFinder
from sudoku.reading.scanner import Scanner
from sudoku.reading.sources import Chunk, Sources, label_of
from sudoku.symbols import Symbols
from sudoku.writing.texts import encoded


class Reader:
    """Reads the puzzles of some files; iterate over it for Batches in the order of the files.

    File ``-`` is standard input. Box, diagonal and symbols are as of `as_grid`; box and symbols set
    N. Each fault goes to `on_error`, after which reading continues; by default the first is raised.
    """

    def __init__(
        self,
        names: Iterable[str | os.PathLike[str]] = (),
        *,
        box: Box = None,
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
            yield from self._batches(self.sources.chunks(name), label_of(name))

    def text(self, text: str, label: str = "<text>") -> Iterator[Batch]:
        """Read the puzzles of a text."""
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        return self._batches([(encoded(text + "\n"), 1)], label)

    def _report_all(self, waiting: Sequence[WrittenPuzzle] = ()) -> None:
        """Report the faults above puzzles that are not decoded, in the order of their lines."""
        faults = sorted(self._faults, key=lambda fault: fault.line)
        count = sum(fault.line < waiting[0].line for fault in faults) if waiting else len(faults)
        self._faults[:] = faults[count:]
        for fault in faults[:count]:
            self._report(fault)

    def _report(self, error: SudokuError) -> None:
        if self.on_error is None:
            raise error
        self.on_error(error)

    def _batches(self, chunks: Iterable[Chunk], label: str) -> Iterator[Batch]:
        decoder = self._decoder
        decoder.forget()  # a text means the same below others as alone
        syntax = LineSyntax(decoder.size, decoder.given, is_latin(decoder.box))
        scanner = Scanner(label, syntax, self._faults.append)
        end: FileError | FormatError | None = None  # where the rest cannot be read
        pieces = iter(chunks)
        while end is None:
            try:
                block, number = next(pieces)
            except StopIteration:
                break
            except (FileError, FormatError) as error:
                end = error
            else:
                yield from self._block(block, number, scanner)
        known = len(self._faults)
        scanner.end()
        if end is not None:
            del self._faults[known:]  # what is not complete has the fault of the file
        batches = decoder.batches(scanner.take(), label)
        self._report_all()
        yield from batches
        if end is not None:
            self._report(end)
        elif not scanner.found:
            self._report(FormatError("no puzzle found", label))

    def _block(self, block: bytes, number: int, scanner: Scanner) -> list[Batch]:
        """The puzzles of whole lines, of which `number` is the number of the first."""
        runs = RunFinder(block, scanner, self._decoder)
        batches: list[Batch] = []
        at = 0
        while at < len(block):
            end = block.index(b"\n", at)
            scanner.feed(number, block[at:end].decode("utf-8", "surrogateescape"))
            at, number = end + 1, number + 1
            run = runs.after(at)
            if run or at == len(block) or len(scanner.puzzles) >= MOST_OPEN:
                ready = None if run else self._decoder.ready(scanner.puzzles)
                batches += self._decoder.batches(scanner.take(ready), scanner.label)
                if run:
                    batches.append(run.batch)
                    at, number = at + run.bytes, number + run.lines
        self._report_all(scanner.puzzles)
        return joined(batches)
