"""From lines to puzzles as they are written: which format this is, and where a puzzle ends.

A puzzle stands on one line of N*N cells (what follows is left alone), in the first column of a
CSV file (or the one headed ``puzzle``), or in N lines of N cells with or without rules between
the bands. Columns are apart by commas, semicolons or tabs, and may be quoted. Puzzles in lines are
apart by blank lines, by headers, or by being complete. ``#`` begins a comment. N follows from the
length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import isqrt

from sudoku.batch import GridText
from sudoku.errors import FormatError
from sudoku.reading.columns import Columns, unquoted
from sudoku.reading.faults import ragged, too_few, wrong_length
from sudoku.reading.lines import (
    MAX_ROW,
    SIZES,
    SQUARES,
    cell_spans,
    is_header,
    is_rule,
    is_tabbed,
    may_be_rule,
)
from sudoku.reading.raw import Raw, Row
from sudoku.reading.unnamed_words import UnnamedWords
from sudoku.symbols import Symbols

__all__ = ["Scanner"]

EITHER = (16, 36)
"""Lengths of a line that may be a puzzle (4x4, 6x6) or a row (16x16, 36x36)."""


class Scanner:
    """Lines in, raw puzzles out. ``pending`` are the rows of a grid that is not complete."""

    def __init__(
        self,
        label: str,
        size: int | None,
        symbols: Symbols | None,
        fault: Callable[[FormatError], None],
    ) -> None:
        self.label, self.size, self.symbols, self.fault = label, size, symbols, fault
        self.names = "".join(symbols.names) if symbols else ""
        self.pending: list[Row] = []
        self.breaks: list[int] = []  # sure rows at each blank line inside a grid
        self.lead: list[str] = []  # header, or a blank line, that goes before the next grid
        self.columns: Columns | None = None  # of a CSV file
        self.headings = ""  # a header that may be the first line of a CSV file
        self.one_line = 0  # cells of the last puzzle on one line in this block
        self.found = False  # anything that is a puzzle, right or wrong
        self.words = UnnamedWords(label, symbols, self._unnamed)
        self.raws: list[Raw] = []
        self.grids = 0  # that came to their end

    def take(self, ended: bool = True) -> list[Raw]:
        """What was found; not ended, the last grid is kept back, for a rule may close it."""
        closed = ended or any(row.spans and not row.doubtful for row in self.pending)
        count = len(self.raws)
        if not closed and self.raws and self.raws[-1].shape == "grid":
            count -= 1
        raws, self.raws = self.raws[:count], self.raws[count:]
        return raws

    def feed(self, number: int, line: str) -> None:
        """The next line, without its newline."""
        cells = self.one_line
        if cells and len(line) >= cells and not self.pending and self.columns is None:
            head = line[:cells]
            if (len(line) == cells or line[cells] in " ,;\t#") and _is_plain(head):
                self._emit_line(number, head, range(cells))
                return
        bare = self.bare(line)
        if bare is None:
            return
        line, text = bare, bare.strip()
        if not text and not is_tabbed(line):
            self._blank()
        elif self.columns or self._begins_csv(line):
            self._csv(number, line)
        elif self._is_rule(text):
            self._rule(number, line)
        elif self._is_header(line) or self.words.goes_on(line):
            self._header(line)
            self.words.header(number, line)
        else:
            self.words.end()
            self._cells(number, self._alone(line))

    def bare(self, line: str) -> str | None:
        """The line without a comment and blanks at its end; None if it is nothing but a comment."""
        if "#" in line and "#" not in self.names:
            line = line[: line.index("#")]
            if not line.strip():
                return None
        return line.rstrip(" \f\v\x1a")

    def header(self, line: str) -> str | None:
        """The line as a header, if ``feed`` would take it for one above a grid, or None."""
        bare = self.bare(line)
        text = (bare or "").strip()
        return bare if text and not self._is_rule(text) and self._is_header(bare or "") else None

    def end(self) -> None:
        """The end of the file."""
        self.words.end()
        self._flush()

    # -- what a line may be

    def _is_rule(self, text: str) -> bool:
        return is_rule(text) and "+" not in self.names

    def _blank(self) -> None:
        rows = [row for row in self.pending if row.spans]
        if rows and self._is_band(len(rows) - (self.breaks[-1] if self.breaks else 0), rows):
            self.breaks.append(len(rows))
            self.pending.append(Row(0, "", []))
            return
        self._flush()
        self.one_line = 0
        if self.found and not self.lead:
            self.lead = [""]

    def _is_band(self, count: int, rows: list[Row]) -> bool:
        n = len(rows[0].spans)
        if n not in SIZES or len(rows) >= n or any(len(row.spans) != n for row in rows):
            return False
        if self.size is None and n in EITHER and not self._beyond(rows):
            return False
        side = max(rows for rows in range(1, isqrt(n) + 1) if n % rows == 0)
        return count == side

    def _is_header(self, line: str) -> bool:
        if is_tabbed(line):
            return False
        text = line.strip()
        if self.symbols is not None:
            spans = cell_spans(text, self.size, self.symbols)
            return not any(text[start:end] in self.symbols.digit for start, end in spans)
        if not is_header(text, bool(self.one_line or any(row.spans for row in self.pending))):
            return False
        spans = cell_spans(text, self.size)
        cells = [text[start:end] for start, end in spans]
        n = len(cells) if len(cells) in SIZES else isqrt(len(cells))
        return not (n in SIZES and len(cells) in (n, n * n) and Symbols.is_customary(n, cells))

    def _header(self, text: str) -> None:
        self._flush()
        if not self.found:
            self.headings = text
        self.lead = [*self.lead[:1], text] if self.lead == [""] else [text]

    def _unnamed(self, fault: FormatError) -> None:
        """What passed for headers is a grid of words that have no names."""
        self.found, self.lead = True, []
        self.fault(fault)

    def _begins_csv(self, line: str) -> bool:
        """Whether this line under a header has columns, and a puzzle in the right one."""
        headings, self.headings = self.headings, ""
        if not headings:
            return False
        columns = Columns(headings)
        if columns.are_in(line):
            length = len(cell_spans(columns.puzzle(line)[0], self.size, self.symbols))
            if length > MAX_ROW or length in SQUARES:
                self.columns, self.lead = columns, []
        return self.columns is not None

    def _csv(self, number: int, line: str) -> None:
        assert self.columns is not None
        self.found = True
        text, first = self.columns.puzzle(line)
        spans = cell_spans(text, self.size, self.symbols)
        if not self._is_square(len(spans)):
            self._wrong_length(number, len(spans))
            return
        cells = [text[start:end] or "." for start, end in spans]
        starts = [first + start for start, _ in spans]
        self.raws.append(Raw(isqrt(len(cells)), "csv", cells, number, [], "", starts))

    def _alone(self, line: str) -> str:
        """The puzzle of a line that begins with a quoted one: what follows are other columns."""
        field = unquoted(line)
        if field is line or not self._is_square(len(cell_spans(field, self.size, self.symbols))):
            return line
        return field

    def _cells(self, number: int, line: str) -> None:
        text, indent = line.lstrip(), len(line) - len(line.lstrip())
        head = _first_word(text)
        if self.symbols is None and self._is_square(len(head)) and not self._is_row_of(head, text):
            self._one_line(number, head, range(indent, indent + len(head)))
            return
        spans = cell_spans(line, self.size, self.symbols)
        count = len(spans)
        doubtful = may_be_rule(text)
        if not count or (doubtful and not self._is_square(count) and not self._may_be_row(count)):
            self._rule(number, line)
        elif self._is_square(count) and (self.size or self.one_line or count not in EITHER):
            cells = [line[start:end] or "." for start, end in spans]
            self._one_line(number, cells, [start for start, _ in spans])
        elif self.one_line:
            self._wrong_length(number, count, self.one_line)
        elif count <= (self.size or MAX_ROW) + 2 or self.pending:
            self.found = True
            self.pending.append(Row(number, line, spans, doubtful))
            self._settle()
        else:
            self._wrong_length(number, count)

    def _is_square(self, count: int) -> bool:
        return count == self.size**2 if self.size else count in SQUARES

    def _is_row_of(self, head: str, text: str) -> bool:
        """Whether a first word that could be a puzzle may as well be a row."""
        return self.size is None and len(head) in EITHER and head == text

    def _may_be_row(self, count: int) -> bool:
        sure = [len(row.spans) for row in self.pending if row.spans and not row.doubtful]
        if self.one_line:
            return False
        return count == self.size if self.size else count in (sure or SIZES)

    def _rule(self, number: int, line: str) -> None:
        if not self.one_line:
            self.pending.append(Row(number, line, []))

    def _one_line(self, number: int, cells: str | list[str], starts: Sequence[int]) -> None:
        self._flush()
        self.lead = []
        self._emit_line(number, cells, starts)

    def _emit_line(self, number: int, cells: str | list[str], starts: Sequence[int]) -> None:
        self.found = True
        self.one_line = len(cells)
        self.raws.append(Raw(isqrt(len(cells)), "line", cells, number, [], "", starts))

    # -- rows that become a grid

    def _settle(self) -> None:
        """Emit the pending grid as soon as it is complete."""
        if self.breaks:
            rows = [row for row in self.pending if row.spans]
            if len(rows) - self.breaks[-1] > self.breaks[0]:
                self._split(rows[self.breaks[-1]])
        rows = self._rows()
        if rows and len(rows) >= self._majority(rows):
            self._complete(rows)

    def _split(self, row: Row) -> None:
        """What stood before the last blank line was a grid of its own, and too short."""
        cut = self.pending.index(row)
        rest = self.pending[cut:]
        self.pending = self.pending[:cut]
        self._flush()
        self.pending = rest

    def _rows(self) -> list[Row]:
        """The pending rows; lines of dashes among them if dashes are blanks elsewhere."""
        rows = [row for row in self.pending if row.spans]
        sure = [row for row in rows if not row.doubtful]
        if not sure or len(sure) == len(rows):
            return rows
        n = self._majority(sure)
        dashes = any("-" in row.cells for row in sure)
        return [row for row in rows if not row.doubtful or (dashes and len(row.spans) == n)]

    def _majority(self, rows: list[Row]) -> int:
        return self.size or Counter(len(row.spans) for row in rows).most_common(1)[0][0]

    def _beyond(self, rows: list[Row]) -> bool:
        """Whether 16 (36) cells a row are a 16x16 (36x36): they do not fit a 4x4 (6x6)."""
        union = {cell for row in rows for cell in row.cells}
        return not Symbols.is_customary(isqrt(len(rows[0].spans)), union)

    def _are_lines(self, rows: list[Row]) -> bool:
        """Whether half of 16 (36) cells are 4x4 (6x6) puzzles, or there is but one row."""
        return len(rows) == 1 or 2 * sum(not self._beyond([row]) for row in rows) >= len(rows)

    def _complete(self, rows: list[Row]) -> None:
        n = self._majority(rows)
        odd = next((row for row in rows if len(row.spans) != n), None)
        if self.size is None and n in EITHER and odd is None and not self._beyond(rows):
            self._as_lines(rows)
        elif odd is not None:
            reason, column = ragged(odd, n, self.symbols)
            self._tell(reason, odd.number, column)
        else:
            cells = [cell or "." for row in rows for cell in row.cells]
            chosen = {id(row) for row in rows}
            body: GridText = [
                (row.text, row.spans if id(row) in chosen else []) for row in self.pending
            ]
            lead = "".join(line + "\n" for line in self.lead)
            self.raws.append(Raw(n, "grid", cells, rows[0].number, body, lead))
            self.grids += 1
        self._forget()

    def _as_lines(self, rows: list[Row]) -> None:
        for row in rows:
            cells = [cell or "." for cell in row.cells]
            self._emit_line(row.number, cells, [start for start, _ in row.spans])

    def _forget(self) -> None:
        self.pending, self.breaks, self.lead = [], [], []

    def _flush(self) -> None:
        """The block is at its end: what is pending is one-line puzzles, or not complete."""
        rows = self._rows()
        if all(row.doubtful for row in rows):
            if self.pending and self.raws and self.raws[-1].template:  # a rule under a grid
                self.raws[-1].template += [(row.text, []) for row in self.pending if row.text]
            lead = self.lead
            self._forget()
            self.lead = lead
            return
        n = self._majority(rows)
        if self.size is None and n in EITHER and self._are_lines(rows):
            for row in rows:
                if len(row.spans) == n:
                    self._as_lines([row])
                else:
                    self._wrong_length(row.number, len(row.spans), n)
        elif len(rows) == 1:
            self._wrong_length(rows[0].number, n if self.size is None else len(rows[0].spans))
        else:
            self._tell(too_few(len(rows), n), rows[0].number)
        self._forget()

    def _wrong_length(self, number: int, count: int, wanted: int = 0) -> None:
        self.found = True
        self._tell(wrong_length(count, self.size, wanted), number)

    def _tell(self, reason: str, number: int, column: int = 0) -> None:
        self.fault(FormatError(reason, self.label, number, column))


def _first_word(text: str) -> str:
    for place, character in enumerate(text):
        if character in ' ,;\t|"':
            return text[:place]
    return text


def _is_plain(head: str) -> bool:
    return not any(mark in head for mark in ' ,;\t|#"')
