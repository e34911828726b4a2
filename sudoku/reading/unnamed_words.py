"""Grids of words whose names were not given: they would pass for headers."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from sudoku.batch import Span
from sudoku.errors import FormatError
from sudoku.reading.faults import too_few, unknown
from sudoku.reading.lines import SIZES, SQUARES, word_spans
from sudoku.reading.raw import Row
from sudoku.symbols import BLANKS, Symbols

__all__ = ["UnnamedWords"]


class UnnamedWords:
    """Header lines that together are a grid: N lines of N words that stand there several times.

    Args:
        label: name of the file.
        symbols: the names, where others are given.
        fault: is called with what is wrong.
    """

    def __init__(
        self, label: str, symbols: Symbols | None, fault: Callable[[FormatError], None]
    ) -> None:
        self.label, self.symbols, self.fault = label, symbols, fault
        self._rows: list[Row] = []
        self._has_blank_rows = False

    def header(self, number: int, line: str) -> None:
        """A line that passes for a header."""
        row = Row(number, line, _spans(line))
        n = len(row.spans)
        if n in SQUARES and self._is_told([row], isqrt(n)):
            return
        if self._rows and len(self._rows[0].spans) != n:
            self.end()
        if n in SIZES:
            self._rows.append(row)
        if len(self._rows) == n and self._is_told(self._rows, n):
            self._has_blank_rows = False
            self.end()

    def goes_on(self, line: str) -> bool:
        """Whether a line of nothing but blanks is the next row of a grid of words."""
        if not self._rows:
            return False
        cells = [line[start:end] for start, end in _spans(line)]
        words = {cell for row in self._rows for cell in row.cells}
        blank = len(cells) == len(self._rows[0].spans) and set(cells) <= set(BLANKS) & words
        self._has_blank_rows |= blank
        return blank

    def end(self) -> None:
        """Something else begins."""
        rows, self._rows = self._rows, []
        if self._has_blank_rows:
            n = len(rows[0].spans)
            reason = too_few(len(rows), n, "words")
            self.fault(FormatError(reason, self.label, rows[0].number))
        self._has_blank_rows = False

    def _is_told(self, rows: list[Row], n: int) -> bool:
        """Whether these are the rows of a grid; then what is wrong with it has been told."""
        places = [(row, span) for row in rows for span in row.spans]
        cells = [row.text[start:end] for row, (start, end) in places]
        words = list(dict.fromkeys(cell for cell in cells if cell not in BLANKS))
        if not words or len(words) > n + 1:  # prose has other words every time
            return False
        known = (self.symbols or Symbols.default(n)).digit
        first = next((k for k, cell in enumerate(cells) if cell not in known), 0)
        row, (start, _) = places[first]
        reason = unknown(cells[first], n, self.symbols, words)
        self.fault(FormatError(reason, self.label, row.number, start + 1))
        return True


def _spans(line: str) -> list[Span]:
    """Words, or the characters of the only word."""
    spans = word_spans(line)
    if len(spans) != 1:
        return spans
    ((start, end),) = spans
    return [(place, place + 1) for place in range(start, end)]
