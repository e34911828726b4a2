"""Text in which every puzzle looks like the one before, read without a look at each line.

A scanner that has just come to the end of a grid knows nothing of what was before. So where the
lines since the last such moment, the *record* of a grid, stand again and again, but for the
cells and what headers and comments say, it would find a grid each time; these can be cut out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sudoku.batch import GridText, Span
from sudoku.reading.lines import is_rule, may_be_rule
from sudoku.render import encoded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudoku.reading.columns import Columns
    from sudoku.reading.raw import Raw
    from sudoku.reading.scanner import Scanner
    from sudoku.symbols import Symbols

__all__ = ["Record", "Repeats", "puzzle_lines"]

BAD = 255
"""In a table from bytes to digits: no cell."""

_DIGITS_AS_ZEROS = bytes(48 if 48 <= byte < 58 else byte for byte in range(256))


def byte_table(symbols: Symbols) -> bytes | None:
    """bytes.translate table from an ASCII character to a digit; None if names are longer."""
    if not symbols.single or not all(map(str.isascii, symbols.names)):
        return None
    table = bytearray([BAD]) * 256
    for name, digit in symbols.digit.items():
        if len(name) == 1:
            table[ord(name)] = digit
    return bytes(table)


class Line(NamedTuple):
    """A line of a record.

    Attributes:
        kind: ``"fixed"``, ``"header"`` or ``"comment"``; the last two may say anything.
        text: what it says, if it is fixed.
        cells: where in it cells stand.
    """

    kind: str
    text: bytes = b""
    cells: tuple[int, ...] = ()


@dataclass(frozen=True)
class Record:
    """The lines of a grid and those above it, from the end of the last grid on.

    Attributes:
        lines: in their order.
        lead: what stands above the grid before its header.
        closing: rules among the lines that close the last grid.
    """

    lines: tuple[Line, ...]
    lead: str
    closing: GridText

    @classmethod
    def of(cls, lines: list[str], raw: Raw, scanner: Scanner) -> Record | None:
        """The record whose last line ended a grid; None if it is not a plain one."""
        record: list[Line] = []
        left = list(raw.template)
        header = ""
        closing: GridText = []
        for line in reversed(lines):
            bare = scanner.bare(line)
            if bare is None:
                record.append(Line("comment"))
            elif left and left[-1][0] == bare:
                cells = _places(line, left.pop()[1])
                if cells is None:
                    return None
                record.append(Line("fixed", encoded(line), cells))
            elif left:
                return None
            elif not bare.strip() or is_rule(bare) or may_be_rule(bare):
                record.append(Line("fixed", encoded(line)))
                closing += [(bare, [])] if bare else []
            elif scanner.header(line) is not None:
                header = header or bare + "\n"
                record.append(Line("header"))
            else:
                return None
        if left or not raw.lead.endswith(header):
            return None
        lead = raw.lead[: len(raw.lead) - len(header)]
        return cls(tuple(reversed(record)), lead, closing[::-1])

    def repeated(self, block: bytes, at: int, scanner: Scanner) -> Repeats:
        """How this record repeats in a text from ``at`` on."""
        import numpy as np

        text, starts, ends = _lines(block, at, len(self.lines))
        fixed = [k for k, line in enumerate(self.lines) if line.kind == "fixed"]
        widths = np.array([len(self.lines[k].text) for k in fixed])
        count = _first_bad((ends - starts)[:, fixed] == widths)
        cells = []
        for k in fixed:
            line = self.lines[k]
            found = _cut(text, starts[:count, k], len(line.text))
            places = list(line.cells)
            rest = np.ones(len(line.text), dtype=bool)
            rest[places] = False
            count = _first_bad(found[:, rest] == np.frombuffer(line.text, np.uint8)[rest])
            cells.append(found[:, places])
        leads = [self.lead] * count
        for k, line in enumerate(self.lines):
            if line.kind != "fixed":
                bounds = zip(starts[:count, k].tolist(), ends[:count, k].tolist(), strict=True)
                texts = [block[at + start : at + end] for start, end in bounds]
                count = _alike(texts, line.kind, scanner)
                if line.kind == "header":
                    headers = (one.decode("utf-8", "surrogateescape") for one in texts[:count])
                    leads = [f"{self.lead}{scanner.bare(header)}\n" for header in headers]
        written = np.concatenate([part[:count] for part in cells], axis=1)
        return Repeats(written, (ends[:count, -1] + 1).tolist(), len(self.lines), leads[:count])


@dataclass
class Repeats:
    """k puzzles that look like the one before.

    Attributes:
        written: uint8[k, cells], the characters of the cells.
        ends: where in the text each ends, from its begin on.
        period: lines of each.
        leads: what stands above each, of grids.
    """

    written: NDArray[np.uint8]
    ends: list[int]
    period: int
    leads: list[str] = field(default_factory=list)

    @property
    def symbols(self) -> set[str]:
        """All that stands in some cell."""
        import numpy as np

        return {chr(byte) for byte in np.flatnonzero(np.bincount(self.written.reshape(-1)))}

    def digits(self, symbols: Symbols, marks: str) -> NDArray[np.uint8]:
        """The cells as digits, uint8[k, cells], up to the first puzzle with one that is none.

        Args:
            marks: characters that, unless they are symbols, are left for a scanner to judge.
        """
        import numpy as np

        table = byte_table(symbols)
        if table is None:
            return np.empty((0, self.written.shape[1]), np.uint8)
        for mark in marks:
            if mark not in symbols.names:
                table = table[: ord(mark)] + bytes([BAD]) + table[ord(mark) + 1 :]
        digits = np.frombuffer(table, np.uint8)[self.written]
        return digits[: _first_bad(digits != BAD)]


def puzzle_lines(block: bytes, at: int, cells: int, columns: Columns | None) -> Repeats:
    """The lines that begin with a puzzle, from ``at`` on.

    Args:
        cells: N * N.
        columns: of a CSV file; None if the puzzle is the first word of a line.
    """
    import numpy as np

    text, starts, ends = _lines(block, at, 1)
    starts, ends = starts[:, 0], ends[:, 0]
    first, good = starts, np.ones(len(starts), dtype=bool)
    if columns is not None and columns.column:
        marks, quotes = (np.flatnonzero(text == ord(mark)) for mark in (columns.delimiter, '"'))
        marks = np.append(marks, len(text) - 1)
        before, open_quotes = np.searchsorted(marks, starts), np.searchsorted(quotes, starts)
        for _ in range(columns.column):
            mark = marks[np.minimum(before, len(marks) - 1)]
            good &= (np.searchsorted(quotes, mark) - open_quotes) % 2 == 0  # else it is in a field
            first, before = mark + 1, before + 1
    apart = np.zeros(256, dtype=bool)
    apart[[ord(mark) for mark in "\n" + (columns.delimiter if columns else " ,;\t#")]] = True
    quoted = text[np.minimum(first, len(text) - 1)] == ord('"')
    first = first + quoted
    good &= (first + cells <= ends) & (first >= starts)
    after = text[np.minimum(first + cells, len(text) - 1)]
    good &= np.where(quoted, after == ord('"'), apart[after])
    count = _first_bad(good[:, None])
    return Repeats(_cut(text, first[:count], cells), (ends[:count] + 1).tolist(), 1)


def _lines(
    block: bytes, at: int, period: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """The text from ``at`` on, and where its lines start and end: int64[k, period] each."""
    import numpy as np

    text = np.frombuffer(block, np.uint8)[at:]
    ends = np.flatnonzero(text == ord("\n"))
    ends = ends[: len(ends) // period * period]
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    return text, starts.reshape(-1, period), ends.reshape(-1, period)


def _cut(text: NDArray[np.uint8], starts: NDArray[np.int64], width: int) -> NDArray[np.uint8]:
    """uint8[k, width] from each start on; a view, if they are evenly spaced."""
    import numpy as np

    steps = np.diff(starts)
    if len(steps) and (steps == steps[0]).all():
        return np.lib.stride_tricks.as_strided(
            text[starts[0] :], (len(starts), width), (int(steps[0]), 1), writeable=False
        )
    found: NDArray[np.uint8] = text[starts[:, None] + np.arange(width)]
    return found


def _places(line: str, spans: list[Span]) -> tuple[int, ...] | None:
    """Where a line has its cells, in bytes; None if a cell is not one byte."""
    if any(end - start != 1 or not line[start:end].isascii() for start, end in spans):
        return None
    if line.isascii():
        return tuple(start for start, _ in spans)
    return tuple(len(encoded(line[:start])) for start, _ in spans)


def _first_bad(good: NDArray[np.bool_]) -> int:
    """The first row that is not good in all its columns."""
    import numpy as np

    rows = np.asarray(good.all(axis=1))
    return len(rows) if rows.all() else int(np.argmin(rows))


def _alike(lines: list[bytes], kind: str, scanner: Scanner) -> int:
    """How many of the lines, until the first that is not, are headers or comments.

    What holds with 0 for all digits holds with any digits: a line is a header for its words, and
    if no set of symbols has those beside 0, which may be a blank, then none has.
    """
    shapes = [line.translate(_DIGITS_AS_ZEROS) for line in lines]
    wrong = set()
    for shape in set(shapes):
        text = shape.decode("utf-8", "surrogateescape")
        is_header = scanner.header(text) is not None
        if not (is_header if kind == "header" else scanner.bare(text) is None):
            wrong.add(shape)
    return next((k for k, shape in enumerate(shapes) if shape in wrong), len(lines))
