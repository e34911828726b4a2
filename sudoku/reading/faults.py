"""Messages of one line on texts that are no puzzles: the fault, and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from sudoku.checks import counted
from sudoku.reading.lines import MAX_ROW, MOST_CELLS, SIDE, SIZES, word_spans
from sudoku.reading.marks import CellCandidates
from sudoku.reading.rows import Row
from sudoku.symbols import BLANKS, Symbols, wrong_byte
from sudoku.writing.texts import Span


def wrong_length(count: int, size: int | None, expected: int = 0, *, is_latin: bool = False) -> str:
    """Describe a line of `count` cells; `expected` is N*N if puzzles on a line were read before.

    `is_latin`: the layout is ``latin`` without N.
    """
    if is_latin and not size and count in (1, 2, 3, 4, 9):
        n = count if count < 4 else isqrt(count)
        return f"{_cells(count)}; texts of {n}x{n} Latin squares need the box 1x{n}"
    n = size or (isqrt(expected) if expected else min(SIZES, key=lambda n: abs(n * n - count)))
    rule = f"a puzzle of {n}x{n} has {n * n}"
    if size:
        rule = f"a puzzle of {n}x{n}, the size that box, regions or symbols set, has {n * n}"
    elif count in SIZES and count <= MAX_ROW and not expected:
        rule = f"a {count}x{count} grid has {count} rows of {count} cells"
    side = isqrt(count)
    if not (size or expected) and side**2 == count and side > 1 and side not in SIZES:
        latin = f"Latin squares have boxes 1x{side}"
        rule = f"{side}x{side} has no boxes: {side} is a prime ({latin}); {rule}"
    return f"{_cells(count)}; {rule}"


def _cells(count: int) -> str:
    """Return how many cells there are, as far as they are counted."""
    return counted(count, "cell") if count <= MOST_CELLS else f"more than {MOST_CELLS} cells"


def too_few(rows: int, n: int, cells: str = "cells") -> str:
    """Describe a grid with fewer than N rows."""
    return f"{counted(rows, 'row')} of {n} {cells}; a {n}x{n} grid has {n} rows"


def ragged(row: Row, n: int, symbols: Symbols | None) -> tuple[str, int]:
    """Describe a row that does not have N cells, or a part of it that is no symbol; its column."""
    if wrong := wrong_byte(row.text):
        return wrong
    spans = word_spans(row.text)
    words = [row.text[start:end] for start, end in spans]
    if n in SIZES and len(words) == n:
        if symbols is None and any(len(word) > 1 and word.isdecimal() for word in words):
            symbols = Symbols.numbers(n)
        known = (symbols or Symbols.default(n)).digit
        for (start, _), word in zip(spans, words, strict=True):
            if word not in known and any(map(str.isalnum, word)):
                return unknown(word, n, symbols, [word]), start + 1
    count = len(row.spans)
    return f"ragged grid: {_cells(count)} in a row of a {n}x{n} grid; {n} are needed", 0


def too_few_words(words: int, n: int) -> str:
    """Describe a row of candidates that are fewer than N words."""
    row = f"{counted(words, 'word')} in a row of a {n}x{n} grid of candidates"
    return f"ragged grid: {row}; {n} are needed"


def wrong_marks(marks: CellCandidates) -> str:
    """Describe the first word that is no set of candidates."""
    word, expected = marks.words[marks.wrong], marks.symbols.description
    return f"candidates {word!r}: each of {expected} stands once at most, in ascending order"


def unknown(cell: str, n: int, symbols: Symbols | None, words: list[str]) -> str:
    """Describe a word that is no symbol; N different `words` of the grid are proposed."""
    if symbols is not None:
        return symbols.complaint(cell)
    separator = " " if any(len(word) > 1 for word in words) else ""
    advice = f"as {separator.join(words)!r}" if len(words) == n else f"all {n} of them"
    return f"{Symbols.default(n).complaint(cell)}; others are given by --symbols, {advice}"


class WordRows:
    """Consecutive header lines, which may be a grid of words whose names were not given.

    They are such a grid if they are N lines of N words and at most N + 1 words differ. Then
    `fault` is called with a description of the first unknown word, its line and its column.
    """

    def __init__(self, symbols: Symbols | None, fault: Callable[[str, int, int], None]) -> None:
        self._symbols, self._fault = symbols, fault
        self._rows: list[Row] = []
        self._has_blank_rows = False

    def add(self, number: int, line: str) -> None:
        """Take a header line."""
        row = Row(number, line, _spans(line))
        n = len(row.spans)
        if n in SIDE and self._is_reported([row], SIDE[n]):
            return
        if self._rows and len(self._rows[0].spans) != n:
            self.end()
        if n in SIZES:
            self._rows.append(row)
        if len(self._rows) == n and self._is_reported(self._rows, n):
            self._has_blank_rows = False
            self.end()

    def continue_with(self, line: str) -> bool:
        """Whether a line of blanks is the next row of a grid of words."""
        if not self._rows:
            return False
        cells = [line[start:end] for start, end in _spans(line)]
        words = {cell for row in self._rows for cell in row.cells}
        is_row = len(cells) == len(self._rows[0].spans) and set(cells) <= set(BLANKS) & words
        self._has_blank_rows |= is_row
        return is_row

    def end(self) -> None:
        """No further header line follows: report a grid that is not complete."""
        rows, self._rows = self._rows, []
        if self._has_blank_rows:
            self._fault(too_few(len(rows), len(rows[0].spans), "words"), rows[0].number, 0)
        self._has_blank_rows = False

    def _is_reported(self, rows: list[Row], n: int) -> bool:
        """Report the first unknown word if these are the rows of a grid; whether they are."""
        places = [(row, span) for row in rows for span in row.spans]
        cells = [row.text[start:end] for row, (start, end) in places]
        words = list(dict.fromkeys(cell for cell in cells if cell not in BLANKS))
        if not words or len(words) > n + 1:  # prose has more different words
            return False
        known = (self._symbols or Symbols.default(n)).digit
        first = next((k for k, cell in enumerate(cells) if cell not in known), 0)
        row, (start, _) = places[first]
        self._fault(unknown(cells[first], n, self._symbols, words), row.number, start + 1)
        return True


def _spans(line: str) -> list[Span]:
    """The words of a line, or the characters of its only word."""
    spans = word_spans(line)
    if len(spans) != 1:
        return spans
    ((start, end),) = spans
    return [(place, place + 1) for place in range(start, end)]
