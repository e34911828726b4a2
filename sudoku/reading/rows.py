"""Puzzles as they are written, and rows that may become one."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from math import isqrt
from typing import NamedTuple

from sudoku.errors import RegionWarning
from sudoku.layout import Layout, default_box
from sudoku.reading.lines import EITHER, SIZES, word_spans
from sudoku.symbols import DOUBLED, Symbols
from sudoku.writing.texts import GridText, Span

MOST_LINES = 300
"""Most lines of a grid: rows, rules and blank lines. More of them are no grid, and not stored."""


class Row(NamedTuple):
    """A line that may be a row of a grid; without cells: a rule or a blank line."""

    number: int
    text: str
    spans: list[Span]
    doubtful: bool = False
    """Whether the line may be a rule as well as a row of blanks."""

    @property
    def cells(self) -> list[str]:
        """The texts of the cells; empty for an empty field."""
        return [self.text[start:end] for start, end in self.spans]

    @property
    def is_empty(self) -> bool:
        """Whether all cells are empty fields."""
        return not any(start < end for start, end in self.spans)


@dataclass
class WrittenPuzzle:
    """A puzzle as it is written: its cells are texts, not yet digits."""

    shape: str  # "line", "csv" or "grid"
    cells: str | list[str]
    line: int  # number of the first line with cells
    starts: Sequence[int] = ()  # where on its one line each cell begins, from 0
    grid_text: GridText = field(default_factory=list)
    header: str = ""  # text above a grid, as in Batch.headers
    layout: Layout | None = None  # of the puzzle, if it is written
    symbols: Symbols | None = None  # of the puzzle, if they are known from how it is written
    masks: list[int] = field(default_factory=list)  # candidates of each cell, if they are written
    doubts: Sequence[RegionWarning] = ()

    def __post_init__(self) -> None:
        self.size = isqrt(len(self.cells))

    def place(self, cell: int) -> tuple[int, int]:
        """Line and column of a cell, from 1; column 0 if it is not known."""
        if not self.grid_text and not self.starts:
            return self.line, 0
        if not self.grid_text:
            return self.line, self.starts[cell] + 1
        rows = [(number, spans) for number, (_, spans) in enumerate(self.grid_text) if spans]
        number, spans = rows[cell // self.size]
        return self.line + number - rows[0][0], spans[cell % self.size][0] + 1


class Separators:
    """Finds lines of empty fields, which a spreadsheet writes between grids, among the rows.

    Directly below a grid of N rows such a line may also be a row without givens. It stands between
    grids if each line N + 1 further on is empty, too, for MOST_SEEN of them, or if the last grid is
    complete then. Until that is known, the rows are held. Where both are possible it is a row.
    """

    MOST_SEEN = 4

    def __init__(self) -> None:
        self.above = 0  # N if a grid of N rows was completed by the last row, else 0
        self._held: list[Row] = []
        self._size = 0  # of the grid above the held rows
        self._stand_between: bool | None = None  # if known

    def take(self, row: Row) -> list[Row]:
        """Take the next row; return those that now follow, without separators."""
        above, self.above = self.above, 0
        if self._held:
            self._held.append(row)
            seen, place = divmod(len(self._held) - 1, self._size + 1)
            if place or (row.is_empty and seen + 1 < self.MOST_SEEN):
                return []
            self._stand_between = row.is_empty
            return self._release()
        if above == len(row.spans):
            if self._stand_between is None and row.is_empty:
                self._held, self._size = [row], above
                return []
            if self._stand_between and row.is_empty:
                return []
            self._stand_between = False
        return [row]

    def end(self) -> list[Row]:
        """Return the rows that are held, as other text follows, and forget what was found."""
        if self._held:
            number, size = len(self._held), self._size + 1
            are_rows = number == size and self._held[-1].is_empty  # and the last is a separator
            self._stand_between = number % size <= 1 and not are_rows
        rows = self._release()
        self._stand_between = None
        return rows

    def _release(self) -> list[Row]:
        rows, self._held = self._held, []
        if not self._stand_between:
            return rows
        return [row for k, row in enumerate(rows) if k % (self._size + 1)]


class PendingRows:
    """The rows of a grid that is not complete yet, with the rules and blank lines among them."""

    def __init__(self, size: int | None, sizes: Set[int] = SIZES) -> None:
        self.size = size  # N if box or symbols set it
        self.sizes = sizes  # the N that are possible if they do not
        self.lines: list[Row] = []
        self._bands: list[int] = []  # number of rows above each blank line

    def clear(self) -> None:
        """Forget all lines."""
        self.lines, self._bands = [], []

    def add(self, row: Row) -> None:
        """Add a row. Blanks as ``..`` are one cell each where other rows have as many cells."""
        is_other = bool(self.lines) and len(row.spans) != len(self.lines[-1].spans)
        self.lines.append(row)
        if is_other:
            lengths = [len(each.spans) for each in self.filled()]
            n = min(lengths, default=0)
            if {*lengths} == {n, 2 * n} and len(lengths) <= n:
                self.lines = [_of_words(each, n) for each in self.lines]

    def filled(self) -> list[Row]:
        """The lines with cells."""
        return [row for row in self.lines if row.spans]

    def sure(self) -> list[Row]:
        """The lines that are rows and cannot be rules."""
        return [row for row in self.lines if row.spans and not row.doubtful]

    def rows(self) -> list[Row]:
        """The rows of the grid; lines of dashes are rows if dashes are blanks in other rows."""
        rows = self.filled()
        sure = self.sure()
        if not sure or len(sure) == len(rows):
            return rows
        n = self.row_length(sure)
        dashes = any("-" in row.cells for row in sure)
        return [row for row in rows if not row.doubtful or (dashes and len(row.spans) == n)]

    def row_length(self, rows: list[Row]) -> int:
        """N if it is set, else the most frequent number of cells of these rows."""
        if self.size:
            return self.size
        lengths = [len(row.spans) for row in rows]
        return max(dict.fromkeys(lengths), key=lengths.count)

    def may_be_row(self, count: int) -> bool:
        """Whether a doubtful line of `count` cells may be a row of this grid."""
        if self.size:
            return count == self.size
        return count in ([len(row.spans) for row in self.sure()] or self.sizes)

    def add_blank_line(self) -> bool:
        """Add a blank line if it may separate two bands of this grid; whether it may."""
        rows = self.filled()
        n = len(rows[0].spans) if rows else 0
        if n not in SIZES or len(rows) >= n or any(len(row.spans) != n for row in rows):
            return False
        if not self.size and n in EITHER and are_puzzles(rows):
            return False
        height, _ = default_box(n)
        if len(rows) - (self._bands[-1] if self._bands else 0) != height:
            return False
        self._bands.append(len(rows))
        self.lines.append(Row(0, "", []))
        return True

    def split(self) -> list[Row]:
        """Remove the lines of the last band if it is higher than the first: another grid began."""
        rows = self.filled()
        if not self._bands or len(rows) - self._bands[-1] <= self._bands[0]:
            return []
        cut = self.lines.index(rows[self._bands[-1]])
        removed = self.lines[cut:]
        del self.lines[cut:]
        return removed


def _of_words(row: Row, n: int) -> Row:
    """The row; with a cell for each word, if there are N and all are blanks as ``..``."""
    words = word_spans(row.text)
    are_blanks = len(words) == n and all(row.text[start:end] in DOUBLED for start, end in words)
    return row._replace(spans=words) if are_blanks else row


def are_puzzles(rows: list[Row]) -> bool:
    """Whether rows of 16 (36) cells have symbols of 4x4 (6x6) puzzles only."""
    return Symbols.is_customary(isqrt(len(rows[0].spans)), {c for row in rows for c in row.cells})
