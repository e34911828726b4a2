"""When to look whether puzzles repeat the shape of the one before, and what comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sudoku.batch import Batch
from sudoku.errors import LayoutError
from sudoku.reading.uniform import Record, puzzle_lines

if TYPE_CHECKING:
    from sudoku.reading.decoder import Decoder
    from sudoku.reading.scanner import Scanner
    from sudoku.reading.uniform import Repeats

__all__ = ["Leap", "Repetition"]

LONG = 1 << 14
"""Bytes from which on it is worth while to look for what repeats."""

FEW = 16
"""Puzzles, below which it is not worth while."""

MAX_RECORD = 500
"""Lines of a grid and what stands above it, at most."""


class Leap(NamedTuple):
    """Puzzles that a scanner need not look at: they are there, so many bytes and lines on."""

    batch: Batch
    bytes: int
    lines: int


class Repetition:
    """Watches a scanner, and leaps where the next puzzles look like the last.

    What ``after`` returns is as if the scanner had been fed with the lines.
    """

    def __init__(self, scanner: Scanner, decoder: Decoder) -> None:
        self.scanner, self.decoder = scanner, decoder
        self._lines: list[str] = []  # since the last grid ended
        self._last = (0, 0)  # lines of the last record, and length of the last of these
        self._grids = 0
        self._wait = self._waited = 0  # puzzles to pass by after leaps that failed

    def after(self, line: str, number: int, block: bytes, at: int) -> Leap | None:
        """A leap from ``at`` on, if there is one.

        Args:
            line: the one that was fed last.
            number: of the next one.
            block: a text in whose midst, at ``at``, the next one begins.
        """
        scanner = self.scanner
        if scanner.grids != self._grids:
            lines, self._lines, self._grids = [*self._lines, line], [], scanner.grids
            last, self._last = self._last, (len(lines), len(line))
            if self._last != last or len(lines) >= MAX_RECORD or not self._due(block, at):
                return None
            record = Record.of(lines, scanner.raws[-1], scanner)
            if record is None:
                self._failed(100)
                return None
            return self._leap(record.repeated(block, at, scanner), number, record)
        if len(self._lines) < MAX_RECORD:
            self._lines.append(line)
        if not scanner.raws or scanner.pending or scanner.raws[-1].shape == "grid":
            return None
        cells = scanner.raws[-1].size ** 2
        if (scanner.columns is None and scanner.one_line != cells) or not self._due(block, at):
            return None
        found = puzzle_lines(block, at, cells, scanner.columns)
        return self._leap(found, number, None)

    def _due(self, block: bytes, at: int) -> bool:
        """Whether to try; after each failure twice as many puzzles are passed by."""
        self._waited += 1
        return self._waited > self._wait and len(block) - at >= LONG

    def _failed(self, most: int) -> None:
        """Pass by twice as many puzzles as after the last failure, ``most`` at the most."""
        self._wait, self._waited = min(2 * self._wait + 1, most), 0

    def _leap(self, found: Repeats, number: int, record: Record | None) -> Leap | None:
        decoder, model = self.decoder, self.scanner.raws[-1]
        seen = [set(raw.cells) for raw in self.scanner.raws if raw.size == model.size]
        symbols = decoder.symbols(model.size, [*seen, found.symbols])
        count = 0
        if symbols is not None:
            # dashes may be a rule, and what is no symbol may part cells
            digits = found.digits(symbols, "-" if record else " ,;\t|#")
            count = len(digits) - (record is not None)  # what closes the last grid is not known
        try:
            layout = decoder.layout(model.size)
        except LayoutError:
            count = 0
        if count < FEW or symbols is None:
            self._failed(1000 if record is None else 100)
            return None
        self._wait = self._waited = 0
        first = number if record is None else model.line + found.period
        lines = list(range(first, first + count * found.period, found.period))
        batch = Batch(
            layout, symbols, model.shape, digits[:count].tobytes(), self.scanner.label, lines
        )
        if record is not None:
            model.template += record.closing
            batch.grid_texts = [model.template] * count
            batch.headers = found.leads[:count]
        return Leap(batch, found.ends[count - 1], count * found.period)
