"""From lines to puzzles as they are written: which format this is, and where a puzzle ends.

A puzzle stands on one line of N*N cells, which other text may follow; in a column of a CSV file; or
in N lines of N cells with or without rules between the bands. Puzzles in lines are separated by
blank lines or headers, or each ends when it is complete. ``#`` begins a comment. N follows from the
number of cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt

from sudoku.errors import FormatError
from sudoku.reading.faults import WordRows, ragged, too_few, wrong_length
from sudoku.reading.lines import (
    LONGEST_LINE,
    MAX_ROW,
    SQUARES,
    Columns,
    LineSyntax,
    is_tabbed,
    may_be_rule,
)
from sudoku.reading.rows import (
    EITHER,
    MOST_LINES,
    PendingRows,
    Row,
    WrittenPuzzle,
    are_puzzles,
)

__all__ = ["Scanner"]


class Scanner:
    """Finds the puzzles of a text, of which it is fed one line at a time.

    Parameters
    ----------
    label : str
        Name of the file.
    syntax : LineSyntax
        How its lines are understood.
    fault : callable
        Called with a FormatError for each fault.

    Attributes
    ----------
    puzzles : list of WrittenPuzzle
        The puzzles found and not yet taken.
    completed : WrittenPuzzle or None
        The puzzle that the last line completed.
    one_line : int
        Number of cells of the last puzzle if it stood on one line, until a blank line.
    columns : Columns or None
        The columns if this is a CSV file.
    found : bool
        Whether the text has a puzzle, good or bad.
    """

    def __init__(
        self, label: str, syntax: LineSyntax, fault: Callable[[FormatError], None]
    ) -> None:
        self.label, self.syntax, self.size = label, syntax, syntax.size
        self.puzzles: list[WrittenPuzzle] = []
        self.completed: WrittenPuzzle | None = None
        self.one_line = 0
        self.columns: Columns | None = None
        self.found = False
        self._fault = fault
        self._pending = PendingRows(self.size)
        self._words = WordRows(syntax.symbols, self._report_words)
        self._header = ""  # header or blank line above the next grid
        self._headings = ""  # header that may be the first line of a CSV file

    def take(self, ended: bool = True) -> list[WrittenPuzzle]:
        """Remove and return the puzzles found.

        Unless the text has ended, a grid stays if a rule below it may follow.
        """
        count = len(self.puzzles)
        closed = ended or self._pending.sure()
        if not closed and self.puzzles and self.puzzles[-1].shape == "grid":
            count -= 1
        taken, self.puzzles = self.puzzles[:count], self.puzzles[count:]
        return taken

    def feed(self, number: int, line: str) -> None:
        """Take the next line, without its newline."""
        self.completed = None
        cells = self.one_line
        if cells and len(line) >= cells and not self._pending.lines and self.columns is None:
            head = line[:cells]  # most lines of a long file are like the one before
            if (len(line) == cells or line[cells] in " ,;\t#") and _is_plain(head):
                self._add_line(number, head, range(cells))
                return
        bare = self.syntax.bare(line)
        if bare is None:
            return
        text = bare.strip()
        if not text and not is_tabbed(bare):
            self._feed_blank()
        elif self.columns or self._begins_csv(bare):
            self._feed_csv(number, bare)
        elif len(bare) > LONGEST_LINE:
            self.found = True
            self._report(f"no puzzle has a line of {len(bare)} characters", number)
        elif self.syntax.is_rule(text):
            self._feed_rule(number, bare)
        elif self._is_header(bare) or self._words.continue_with(bare):
            self._feed_header(number, bare)
        else:
            self._words.end()
            self._feed_cells(number, self.syntax.without_columns(bare))

    def end(self) -> None:
        """Report what is not complete at the end of the text."""
        self._words.end()
        self._flush()

    def _is_header(self, line: str) -> bool:
        return self.syntax.is_header(line, bool(self.one_line or self._pending.filled()))

    def _begins_csv(self, line: str) -> bool:
        """Whether a line below a header has columns, and a puzzle in the right one."""
        headings, self._headings = self._headings, ""
        if not headings:
            return False
        columns = Columns(headings)
        if columns.are_in(line):
            count = len(self.syntax.spans(columns.puzzle(line)[0]))
            if count > MAX_ROW or count in SQUARES:
                self.columns, self._header = columns, ""
        return self.columns is not None

    def _feed_blank(self) -> None:
        if self._pending.add_blank_line():
            return
        self._flush()
        self.one_line = 0
        if self.found and not self._header:
            self._header = "\n"

    def _feed_rule(self, number: int, line: str) -> None:
        if self.one_line:
            return
        if len(self._pending.lines) >= MOST_LINES:
            self._flush()
        self._pending.lines.append(Row(number, line, []))

    def _feed_header(self, number: int, line: str) -> None:
        self._flush()
        if not self.found:
            self._headings = line
        self._header = ("\n" if self._header == "\n" else "") + line + "\n"
        self._words.add(number, line)

    def _report_words(self, reason: str, number: int, column: int) -> None:
        self.found, self._header = True, ""
        self._report(reason, number, column)

    def _feed_csv(self, number: int, line: str) -> None:
        assert self.columns is not None
        self.found = True
        text, first = self.columns.puzzle(line)
        spans = self.syntax.spans(text)
        if not self.syntax.is_puzzle(len(spans)):
            self._report_length(number, len(spans))
            return
        cells = [text[start:end] or "." for start, end in spans]
        self._add("csv", cells, number, [first + start for start, _ in spans])

    def _feed_cells(self, number: int, line: str) -> None:
        text, indent = line.lstrip(), len(line) - len(line.lstrip())
        head = _first_word(text)
        may_be_row = self.size is None and len(head) in EITHER and head == text
        if self.syntax.symbols is None and self.syntax.is_puzzle(len(head)) and not may_be_row:
            self._add_single(number, head, range(indent, indent + len(head)))
            return
        spans = self.syntax.spans(line)
        count = len(spans)
        doubtful = may_be_rule(text)
        if not count or (
            doubtful and not self.syntax.is_puzzle(count) and not self._may_be_row(count)
        ):
            self._feed_rule(number, line)
        elif self.syntax.is_puzzle(count) and (self.size or self.one_line or count not in EITHER):
            cells = [line[start:end] or "." for start, end in spans]
            self._add_single(number, cells, [start for start, _ in spans])
        elif self.one_line:
            self._report_length(number, count, self.one_line)
        elif count <= (self.size or MAX_ROW) + 2 or self._pending.lines:
            self.found = True
            self._pending.lines.append(Row(number, line, spans, doubtful))
            self._settle()
        else:
            self._report_length(number, count)

    def _may_be_row(self, count: int) -> bool:
        return not self.one_line and self._pending.may_be_row(count)

    def _add_single(self, number: int, cells: str | list[str], starts: Sequence[int]) -> None:
        self._flush()
        self._header = ""
        self._add_line(number, cells, starts)

    def _add_line(self, number: int, cells: str | list[str], starts: Sequence[int]) -> None:
        self.found = True
        self.one_line = len(cells)
        self._add("line", cells, number, starts)

    def _add_rows(self, rows: list[Row]) -> None:
        for row in rows:
            cells = [cell or "." for cell in row.cells]
            self._add_line(row.number, cells, [start for start, _ in row.spans])

    def _add(
        self, shape: str, cells: str | list[str], number: int, starts: Sequence[int] = ()
    ) -> WrittenPuzzle:
        self.completed = WrittenPuzzle(isqrt(len(cells)), shape, cells, number, starts)
        self.puzzles.append(self.completed)
        return self.completed

    # Rows that become a grid

    def _settle(self) -> None:
        """Add the pending grid as soon as it is complete."""
        rest = self._pending.split()
        if rest:
            self._flush()
            self._pending.lines = rest
        rows = self._pending.rows()
        if rows and len(rows) >= self._pending.row_length(rows):
            self._complete(rows)

    def _complete(self, rows: list[Row]) -> None:
        n = self._pending.row_length(rows)
        odd = next((row for row in rows if len(row.spans) != n), None)
        if odd is not None:
            reason, column = ragged(odd, n, self.syntax.symbols)
            self._report(reason, odd.number, column)
        elif self.size is None and n in EITHER and are_puzzles(rows):
            self._add_rows(rows)
        else:
            chosen = {id(row) for row in rows}
            grid = self._add(
                "grid", [cell or "." for row in rows for cell in row.cells], rows[0].number
            )
            grid.header = self._header
            grid.grid_text = [
                (row.text, row.spans if id(row) in chosen else []) for row in self._pending.lines
            ]
        self._forget()

    def _forget(self) -> None:
        self._pending.clear()
        self._header = ""

    def _flush(self) -> None:
        """The pending rows end here: they are puzzles on one line, or the grid is not complete."""
        rows = self._pending.rows()
        if all(row.doubtful for row in rows):  # rules, which belong to the grid above
            above = self.puzzles[-1].grid_text if self.puzzles else []
            if above and len(above) < MOST_LINES:
                above += [(row.text, []) for row in self._pending.lines if row.text]
            self._pending.clear()
            return
        n = self._pending.row_length(rows)
        if self.size is None and n in EITHER and _are_mostly_puzzles(rows):
            for row in rows:
                if len(row.spans) == n:
                    self._add_rows([row])
                else:
                    self._report_length(row.number, len(row.spans), n)
            self.completed = None  # these lines stood above the last one
        elif len(rows) == 1:
            self._report_length(rows[0].number, n if self.size is None else len(rows[0].spans))
        else:
            self._report(too_few(len(rows), n), rows[0].number)
        self._forget()

    def _report_length(self, number: int, count: int, wanted: int = 0) -> None:
        self.found = True
        self._report(wrong_length(count, self.size, wanted), number)

    def _report(self, reason: str, number: int, column: int = 0) -> None:
        self._fault(FormatError(reason, self.label, number, column))


def _are_mostly_puzzles(rows: list[Row]) -> bool:
    return len(rows) == 1 or 2 * sum(are_puzzles([row]) for row in rows) >= len(rows)


def _first_word(text: str) -> str:
    for place, character in enumerate(text):
        if character in ' ,;\t|"':
            return text[:place]
    return text


def _is_plain(head: str) -> bool:
    return not any(mark in head for mark in ' ,;\t|#"')
