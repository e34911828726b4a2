"""Puzzle files of every customary format, detected line by line, read as a stream.

A puzzle stands on one line of N*N cells (what follows is left alone), in the first column of a
CSV file (or the one headed ``puzzle``), or in N lines of N cells with or without rules between
the bands. Puzzles in lines are apart by blank lines, by headers, or by being complete. ``#``
begins a comment. N follows from the length. Which symbols are meant is found from all puzzles
that are read together, so that 0-9A-F and 1-9A-G are told apart.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isqrt
from typing import TYPE_CHECKING

from sudoku.errors import FileError, FormatError, LayoutError, PuzzleError, SudokuError
from sudoku.layout import Layout, parse_box
from sudoku.lines import (
    MAX_ROW,
    SIZES,
    SQUARES,
    Span,
    cell_spans,
    is_header,
    is_rule,
    is_tabbed,
    may_be_rule,
)
from sudoku.sources import Chunk, Sources
from sudoku.symbols import Symbols
from sudoku.uniform import BAD, byte_table, repeated

if TYPE_CHECKING:
    from sudoku.grid import Grid

__all__ = ["Batch", "Reader", "Template", "parse", "read"]

Template = list[tuple[str, list[Span]]]
"""The lines a grid came in, and where each has its cells."""

EITHER = (16, 36)
"""Lengths of a line that may be a puzzle (4x4, 6x6) or a row (16x16, 36x36)."""

PIECE = 1 << 16
"""Bytes that are looked at line by line before the next attempt."""

LONG = 1 << 14
"""Bytes from which on it is worth while to see whether grids are all alike."""


@dataclass
class Batch:
    """Puzzles that share layout, symbols and shape.

    Attributes:
        values: k * N * N bytes, 0 blank, 1..N digits.
        shape: ``"line"``, ``"csv"`` or ``"grid"``.
        templates: one a puzzle if the shape is ``"grid"``, else empty.
        source: name of the file.
        lines: number of the first line of each puzzle.
    """

    layout: Layout
    symbols: Symbols
    shape: str
    values: bytes
    source: str = "<text>"
    lines: Sequence[int] = ()
    templates: list[Template] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.values) // self.layout.cells

    def place(self, index: int) -> str:
        """``file:line`` of a puzzle."""
        return f"{self.source}:{self.lines[index]}"


@dataclass
class _Raw:
    """A puzzle found in the text: its cells as they are written, not yet understood."""

    size: int
    shape: str
    cells: str | list[str]
    line: int
    template: Template
    first: int = 0  # column of the first cell, for puzzles on one line


@dataclass
class _Row:
    number: int
    text: str
    spans: list[Span]
    doubtful: bool = False  # a row of dashes or a rule

    @property
    def cells(self) -> list[str]:
        return [self.text[start:end] for start, end in self.spans]


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
        self.diagonal, self.symbols, self.on_error = diagonal, symbols, on_error
        self.box = None if box is None else parse_box(box)
        self.size: int | None = None
        if self.box is not None:
            self.size = Layout(*self.box).size
        if symbols is not None:
            Layout.of(symbols.size, self.box)
            self.size = symbols.size
        self._layouts: dict[int, Layout] = {}
        self._known: dict[int, Symbols] = {}
        self._faults: list[FormatError] = []

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

    def _fault(self, error: FormatError) -> None:
        self._faults.append(error)

    def _tell(self) -> None:
        """Tell the faults found since, in the order of their lines."""
        faults, self._faults = sorted(self._faults, key=lambda fault: fault.line), []
        for fault in faults:
            self._report(fault)

    def _report(self, error: SudokuError) -> None:
        if self.on_error is None:
            raise error
        self.on_error(error)

    def _batches(self, chunks: Iterable[Chunk], label: str) -> Iterator[Batch]:
        scanner = _Scanner(label, self.size, self.symbols, self._fault)
        for block, number in chunks:
            at = 0
            while at < len(block):
                end = block.find(b"\n", at + PIECE) + 1 or len(block)
                if scanner.pending:  # to the end of this grid; the next may be as many others
                    gap = block.find(b"\n\n", at, end)
                    end = gap + 2 if gap >= 0 else end
                elif scanner.columns is None:
                    quick = self._lines(block, number, label) if at == 0 else None
                    quick = quick or self._grids(block[at:], number, label, scanner)
                    if quick is not None:
                        yield from self._held(scanner, label)
                        scanner.found = True
                        yield quick[0]
                        at += quick[1]
                        number += block.count(b"\n", at - quick[1], at)
                        continue
                for line in block[at:end].decode("utf-8", "surrogateescape").split("\n")[:-1]:
                    scanner.feed(number, line)
                    number += 1
                at = end
                yield from self._held(scanner, label, ended=False)
        scanner.end()
        yield from self._held(scanner, label)
        if not scanner.found:
            self._report(FormatError("no puzzle in it", label))

    def _held(self, scanner: _Scanner, label: str, ended: bool = True) -> list[Batch]:
        """What the scanner has found; faults are told first."""
        batches = self._understood(scanner.take(ended), label)
        self._tell()
        return batches

    def layout(self, size: int) -> Layout:
        """The layout of N; LayoutError if there is none."""
        if size not in self._layouts:
            self._layouts[size] = Layout.of(size, self.box, self.diagonal)
        return self._layouts[size]

    def _lines(self, block: bytes, number: int, label: str) -> tuple[Batch, int] | None:
        """A chunk of nothing but puzzles on lines of one length, and the bytes used."""
        width = block.find(b"\n") + 1
        cells, count = width - 1, len(block) // width
        size = isqrt(cells)
        if size * size != cells or size not in SIZES or self.size not in (None, size):
            return None
        if (self.size is None and cells in EITHER) or len(block) != count * width:
            return None
        if block[cells::width] != b"\n" * count or block.count(b"\n") != count:
            return None
        symbols = self.symbols or self._known.get(size)
        if symbols is None:
            seen = set(block.decode("ascii", "replace")) - {"\n"}
            try:
                symbols = Symbols.guess(size, seen)
            except LayoutError:
                return None
        table = byte_table(symbols)
        if table is None:
            return None
        values = block.translate(table, b"\n")
        if BAD in values:
            return None
        self._known.setdefault(size, symbols)
        try:
            layout = self.layout(size)
        except LayoutError:
            return None
        lines = range(number, number + count)
        return Batch(layout, symbols, "line", values, label, lines), len(block)

    def _grids(
        self, block: bytes, number: int, label: str, scanner: _Scanner
    ) -> tuple[Batch, int] | None:
        """Grids at the begin of a text that all look like the first, and the bytes used."""
        if len(block) < LONG:
            return None
        head = block[: LONG // 4].decode("utf-8", "surrogateescape").split("\n")[:-1]
        probe = _Scanner(label, self.size, self.symbols, lambda fault: None)
        taken = 0
        while taken < len(head) and not probe.raws:
            probe.feed(number, head[taken])
            taken += 1
        if not probe.raws or probe.raws[0].shape != "grid":
            return None
        raw = probe.raws[0]
        symbols = self.symbols or self._known.get(raw.size) or self._symbols(raw.size, [raw])
        table = None if symbols is None else byte_table(symbols)
        if table is None or symbols is None or len(raw.template) != taken:
            return None
        if "-" not in symbols.names:  # may be a rule, for the scanner to find out
            table = table[:45] + bytes([BAD]) + table[46:]
        blanks = 0
        record = list(raw.template)
        for line in head[taken:]:  # what stands behind a grid: rules, and a blank line
            if line and (blanks or not (is_rule(line) or may_be_rule(line)) or line == head[0]):
                break
            blanks += not line
            record += [(line, [])] if line else []
        values, length = repeated(block, 0, record, blanks, table)
        if not values:
            return None
        try:
            layout = self.layout(raw.size)
        except LayoutError:
            return None
        count = len(values) // layout.cells
        self._known.setdefault(raw.size, symbols)
        first: Template = [(line, []) for line in scanner.lead] + record
        other: Template = [("", [])] * bool(blanks) + record
        scanner.lead = [""] * bool(blanks)
        scanner.one_line = 0
        above = next(place for place, (_, spans) in enumerate(record) if spans)
        lines = range(
            number + above, number + above + count * (len(record) + blanks), len(record) + blanks
        )
        templates = [first] + [other] * (count - 1)
        return Batch(layout, symbols, "grid", values, label, lines, templates), count * length

    def _understood(self, raws: list[_Raw], label: str) -> list[Batch]:
        """Cells as digits: symbols chosen for all puzzles of a size, faults told."""
        chosen = {size: self._symbols(size, raws) for size in {raw.size for raw in raws}}
        batches: list[Batch] = []
        values: list[list[bytes]] = []
        for raw in raws:
            try:
                layout = self.layout(raw.size)
                symbols, digits = _digits(raw, chosen[raw.size])
            except LayoutError as error:
                self._fault(FormatError(str(error), label, raw.line))
                continue
            except _UnknownCell as unknown:
                line, column = _place(raw, unknown.cell)
                self._fault(FormatError(str(unknown), label, line, column))
                continue
            last = batches[-1] if batches else None
            if last is None or (last.layout, last.symbols, last.shape) != (
                layout,
                symbols,
                raw.shape,
            ):
                last = Batch(layout, symbols, raw.shape, b"", label, [])
                batches.append(last)
                values.append([])
            values[-1].append(digits)
            last.lines.append(raw.line)  # type: ignore[attr-defined]
            if raw.shape == "grid":
                last.templates.append(raw.template)
        for batch, digits_of in zip(batches, values, strict=True):
            batch.values = b"".join(digits_of)
        return batches

    def _symbols(self, size: int, raws: list[_Raw]) -> Symbols | None:
        """One set for all puzzles of a size that can be understood at all."""
        if self.symbols is not None:
            return self.symbols
        seen: list[set[str]] = [set(raw.cells) for raw in raws if raw.size == size]
        known = self._known.get(size)
        if known is not None and all(cells <= known.digit.keys() for cells in seen):
            return known
        for union in (set().union(*seen), set().union(*filter(_is_guessable(size), seen))):
            try:
                symbols = Symbols.guess(size, union)
            except LayoutError:
                continue
            self._known.setdefault(size, symbols)
            return symbols
        return None


class _UnknownCell(PuzzleError):
    def __init__(self, cell: int, reason: str) -> None:
        self.cell = cell
        super().__init__(reason)


def _is_guessable(size: int) -> Callable[[set[str]], bool]:
    def fits(cells: set[str]) -> bool:
        try:
            Symbols.guess(size, cells)
        except LayoutError:
            return False
        return True

    return fits


def _digits(raw: _Raw, symbols: Symbols | None) -> tuple[Symbols, bytes]:
    """The symbols that hold for a puzzle, and its cells as digits."""
    if symbols is None or not symbols.digit.keys() >= set(raw.cells):
        try:
            own = Symbols.guess(raw.size, raw.cells)
        except LayoutError:
            own = symbols or Symbols.default(raw.size)
            if any(len(cell) > 1 for cell in raw.cells) and symbols is None:
                own = Symbols.numbers(raw.size)
        symbols = own if symbols is None or own.digit.keys() >= set(raw.cells) else symbols
    digit = symbols.digit
    try:
        return symbols, bytes([digit[cell] for cell in raw.cells])
    except KeyError:
        place, cell = next((p, c) for p, c in enumerate(raw.cells) if c not in digit)
        raise _UnknownCell(place, symbols.complaint(cell)) from None


def _place(raw: _Raw, cell: int) -> tuple[int, int]:
    """Line and column of a cell."""
    if not raw.template:
        return raw.line, raw.first + cell + 1
    rows = [(number, spans) for number, (_, spans) in enumerate(raw.template) if spans]
    per_row = len(rows[0][1])
    offset, spans = rows[cell // per_row]
    return raw.line + offset - rows[0][0], spans[cell % per_row][0] + 1


class _Scanner:
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
        self.pending: list[_Row] = []
        self.breaks: list[int] = []  # sure rows at each blank line inside a grid
        self.lead: list[str] = []  # header, or a blank line, that goes before the next grid
        self.columns: int | None = None  # which column of a CSV file has the puzzle
        self.maybe_csv: list[str] | None = None
        self.one_line = 0  # cells of the last puzzle on one line in this block
        self.found = False  # anything that is a puzzle, right or wrong
        self.raws: list[_Raw] = []

    def take(self, ended: bool = True) -> list[_Raw]:
        """What was found; not ended, the last grid is kept back, for a rule may close it."""
        closed = ended or any(row.spans and not row.doubtful for row in self.pending)
        count = len(self.raws)
        if not closed and self.raws and self.raws[-1].shape == "grid":
            count -= 1
        raws, self.raws = self.raws[:count], self.raws[count:]
        return raws

    def feed(self, number: int, line: str) -> None:
        cells = self.one_line
        if cells and len(line) >= cells and not self.pending and self.columns is None:
            head = line[:cells]
            if (len(line) == cells or line[cells] in " ,;\t#") and _is_plain(head):
                self._emit_line(number, cells, head, 0)
                return
        if "#" in line and "#" not in self.names:
            line = line[: line.index("#")]
            if not line.strip():
                return
        line = line.rstrip(" \f\v\x1a")
        text = line.strip()
        if not text and not is_tabbed(line):
            self._blank()
        elif self.columns is not None or self._begins_csv(text):
            self._csv(number, line)
        elif is_rule(text) and "+" not in self.names:
            self._rule(number, line)
        elif not is_tabbed(line) and self._is_header(text):
            self._header(line)
        else:
            self._cells(number, line)

    def end(self) -> None:
        """The end of the file."""
        self._flush()

    # -- what a line may be

    def _blank(self) -> None:
        rows = [row for row in self.pending if row.spans]
        if rows and self._is_band(len(rows) - (self.breaks[-1] if self.breaks else 0), rows):
            self.breaks.append(len(rows))
            self.pending.append(_Row(0, "", []))
            return
        self._flush()
        self.one_line = 0
        if self.found and not self.lead:
            self.lead = [""]

    def _is_band(self, count: int, rows: list[_Row]) -> bool:
        n = len(rows[0].spans)
        if n not in SIZES or len(rows) >= n or any(len(row.spans) != n for row in rows):
            return False
        if self.size is None and n in EITHER and not self._beyond(rows):
            return False
        side = max(rows for rows in range(1, isqrt(n) + 1) if n % rows == 0)
        return count == side

    def _is_header(self, text: str) -> bool:
        if self.symbols is not None:
            spans = cell_spans(text, self.size, self.symbols)
            return not any(text[start:end] in self.symbols.digit for start, end in spans)
        if not is_header(text, bool(self.one_line or any(row.spans for row in self.pending))):
            return False
        spans = cell_spans(text, self.size)
        cells = [text[start:end] for start, end in spans]
        n = len(cells) if len(cells) in SIZES else isqrt(len(cells))
        return not (n in SIZES and len(cells) in (n, n * n) and _is_guessable(n)(set(cells)))

    def _header(self, text: str) -> None:
        self._flush()
        if not self.found and "," in text and self.maybe_csv is None:
            self.maybe_csv = next(csv.reader([text]))
        self.lead = [*self.lead[:1], text] if self.lead == [""] else [text]

    def _begins_csv(self, text: str) -> bool:
        """Whether this line under a header with commas has a puzzle in the right column."""
        if self.maybe_csv is None:
            return False
        names = [name.strip().lower() for name in self.maybe_csv]
        wanted = ("puzzle", "puzzles", "quiz", "quizzes", "sudoku", "grid", "givens", "question")
        column = next((names.index(name) for name in wanted if name in names), 0)
        fields = next(csv.reader([text]))
        self.maybe_csv = None
        if column < len(fields):
            length = len(cell_spans(fields[column], self.size, self.symbols))
            if length > MAX_ROW or isqrt(length) ** 2 == length:
                self.columns, self.lead = column, []
        return self.columns is not None

    def _csv(self, number: int, line: str) -> None:
        self.found = True
        fields = next(csv.reader([line]))
        text = fields[self.columns] if self.columns < len(fields) else ""  # type: ignore
        spans = cell_spans(text, self.size, self.symbols)
        if not self._is_square(len(spans)):
            self._wrong_length(number, len(spans))
            return
        cells = [text[start:end] or "." for start, end in spans]
        first = max(line.find(text), 0)
        self.raws.append(_Raw(isqrt(len(cells)), "csv", cells, number, [], first))

    def _cells(self, number: int, line: str) -> None:
        text, indent = line.lstrip(), len(line) - len(line.lstrip())
        head = _first_word(text)
        if self.symbols is None and self._is_square(len(head)) and not self._is_row_of(head, text):
            self._one_line(number, list(head), indent)
            return
        spans = cell_spans(line, self.size, self.symbols)
        count = len(spans)
        doubtful = may_be_rule(text)
        if not count or (doubtful and not self._is_square(count) and not self._may_be_row(count)):
            self._rule(number, line)
        elif self._is_square(count) and not (self.size is None and count in EITHER):
            self._one_line(number, [line[a:b] or "." for a, b in spans], spans[0][0])
        elif self.one_line:
            if count in EITHER:
                self._one_line(number, [line[a:b] or "." for a, b in spans], spans[0][0])
            else:
                self._wrong_length(number, count, self.one_line)
        elif count <= (self.size or MAX_ROW) + 2 or self.pending:
            self.found = True
            self.pending.append(_Row(number, line, spans, doubtful))
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
            self.pending.append(_Row(number, line, []))

    def _one_line(self, number: int, cells: str | list[str], first: int) -> None:
        self._flush()
        self.lead = []
        self._emit_line(number, len(cells), cells, first)

    def _emit_line(self, number: int, length: int, cells: str | list[str], first: int) -> None:
        self.found = True
        self.one_line = length
        self.raws.append(_Raw(isqrt(length), "line", cells, number, [], first))

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

    def _split(self, row: _Row) -> None:
        """What stood before the last blank line was a grid of its own, and too short."""
        cut = self.pending.index(row)
        rest = self.pending[cut:]
        self.pending = self.pending[:cut]
        self._flush()
        self.pending = rest

    def _rows(self) -> list[_Row]:
        """The pending rows; lines of dashes among them if dashes are blanks elsewhere."""
        rows = [row for row in self.pending if row.spans]
        sure = [row for row in rows if not row.doubtful]
        if not sure or len(sure) == len(rows):
            return rows
        n = self._majority(sure)
        dashes = any("-" in row.cells for row in sure)
        return [row for row in rows if not row.doubtful or (dashes and len(row.spans) == n)]

    def _majority(self, rows: list[_Row]) -> int:
        return self.size or Counter(len(row.spans) for row in rows).most_common(1)[0][0]

    def _beyond(self, rows: list[_Row]) -> bool:
        """Whether 16 (36) cells a row are a 16x16 (36x36): they do not fit a 4x4 (6x6)."""
        union = {cell for row in rows for cell in row.cells}
        return not _is_guessable(isqrt(len(rows[0].spans)))(union)

    def _are_lines(self, rows: list[_Row]) -> bool:
        """Whether half of 16 (36) cells are 4x4 (6x6) puzzles, or there is but one row."""
        return len(rows) == 1 or 2 * sum(not self._beyond([row]) for row in rows) >= len(rows)

    def _complete(self, rows: list[_Row]) -> None:
        n = self._majority(rows)
        odd = next((row for row in rows if len(row.spans) != n), None)
        if self.size is None and n in EITHER and odd is None and not self._beyond(rows):
            self._as_lines(rows)
        elif odd is not None:
            self.fault(
                FormatError(
                    f"ragged grid: {len(odd.spans)} cells in a row of a {n}x{n} grid; "
                    f"{n} are needed",
                    self.label,
                    odd.number,
                )
            )
        else:
            cells = [cell or "." for row in rows for cell in row.cells]
            chosen = {id(row) for row in rows}
            body: Template = [
                (row.text, row.spans if id(row) in chosen else []) for row in self.pending
            ]
            lead: Template = [(line, []) for line in self.lead]
            self.raws.append(_Raw(n, "grid", cells, rows[0].number, lead + body))
        self._forget()

    def _as_lines(self, rows: list[_Row]) -> None:
        for row in rows:
            cells = [cell or "." for cell in row.cells]
            self._emit_line(row.number, len(cells), cells, row.spans[0][0])

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
            self.fault(
                FormatError(
                    f"{len(rows)} rows of {n} cells; a {n}x{n} grid has {n} rows",
                    self.label,
                    rows[0].number,
                )
            )
        self._forget()

    def _wrong_length(self, number: int, count: int, wanted: int = 0) -> None:
        self.found = True
        n = self.size or (isqrt(wanted) if wanted else min(SIZES, key=lambda n: abs(n * n - count)))
        right = f"a puzzle of {n}x{n} has {n * n}"
        if self.size:
            right = f"a puzzle of {n}x{n}, as box or symbols want it, has {n * n}"
        elif count in SIZES and count <= MAX_ROW and not wanted:
            right = f"a {count}x{count} grid has {count} rows of them"
        side = isqrt(count)
        if not (self.size or wanted) and side**2 == count and side > 1 and side not in SIZES:
            right = f"{side}x{side} has no boxes: {side} is a prime; {right}"
        self.fault(FormatError(f"{count} cells; {right}", self.label, number))


def _first_word(text: str) -> str:
    for place, character in enumerate(text):
        if character in " ,;\t|":
            return text[:place]
    return text


def _is_plain(head: str) -> bool:
    return not any(mark in head for mark in " ,;\t|#")


def parse(
    text: str,
    *,
    box: str | tuple[int, int] | None = None,
    diagonal: bool = False,
    symbols: Symbols | None = None,
) -> Grid:
    """The one puzzle of a text, in any format that files may have.

    Raises:
        FormatError: no puzzle, several, or not one; with line and column.
        LayoutError: box and symbols do not fit each other.

    >>> str(parse("12|34\\n34|12\\n--+--\\n21|43\\n43|2."))
    '123434122143432.'
    """
    from sudoku.grid import Grid

    reader = Reader(box=box, diagonal=diagonal, symbols=symbols)
    batches = list(reader.text(text))
    count = sum(map(len, batches))
    if count != 1:
        raise FormatError(f"{count} puzzles where one is expected")
    batch = batches[0]
    return Grid(batch.layout, list(batch.values), batch.symbols)  # type: ignore[arg-type]


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
