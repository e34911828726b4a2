"""Finds the puzzles in the lines of a text: their format, and where each begins and ends.

A puzzle stands on one line of N*N cells, which other text may follow; in a column of a CSV file; or
in N lines of N cells with or without rules between the bands. Puzzles in lines are separated by
blank lines or headers, or each ends when it is complete. ``#`` begins a comment. N follows from the
number of cells.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence

from sudoku.checks import counted
from sudoku.errors import FormatError, LayoutError, RegionWarning
from sudoku.layout import Layout
from sudoku.reading.faults import (
    WordRows,
    ragged,
    too_few,
    too_few_words,
    wrong_length,
    wrong_marks,
)
from sudoku.reading.fpuzzles import PuzzleObjects
from sudoku.reading.jigsaw import (
    almost_jigsaw,
    are_all_regions,
    jigsaw,
    region_layout,
    wrong_number,
)
from sudoku.reading.lines import (
    LONGEST_LINE,
    MAX_ROW,
    SECTION,
    SIDE,
    Columns,
    LineSyntax,
    has_headings,
    is_tabbed,
    word_spans,
)
from sudoku.reading.marks import CellCandidates, word_marks
from sudoku.reading.rows import (
    MOST_LINES,
    PendingRows,
    Row,
    Separators,
    WrittenPuzzle,
    are_puzzles,
)
from sudoku.symbols import Symbols, wrong_byte
from sudoku.writing.texts import Span

_LIBRARY = re.compile(r":[^:\s]*:[^:]*:([^:\s]{20,}):([^:]*):")
_NUMBERED = re.compile(r'\s*"?\d{1,9}"?\s*([,;\t])\s*"?([^\s,;|"]{16,})')
_ROUNDED = re.compile(r"\d[.,]\d+E\+\d\d", re.IGNORECASE)
_FIRST_WORD = re.compile(r'[^ ,;\t|"#]*')
_FIRST_WORD_OF_SYMBOLS = re.compile(r'[^ ,;\t|"]*')  # if # is one


class Scanner:
    """Finds the puzzles of a text, of which it is fed one line at a time.

    `fault` is called with each fault; `label` is the name of the file.
    """

    def __init__(
        self, label: str, syntax: LineSyntax, fault: Callable[[FormatError], None]
    ) -> None:
        self.label, self.syntax, self.size = label, syntax, syntax.size
        self._is_packed = syntax.symbols is None or syntax.symbols.single  # cells need no blanks
        self.puzzles: list[WrittenPuzzle] = []  # found and not yet taken
        self.completed: WrittenPuzzle | None = None  # the puzzle that the last line completed
        self.one_line = 0  # cells of the last puzzle if it stood on one line, until a blank line
        self.columns: Columns | None = None  # of a CSV file
        self.found = False  # whether there was a puzzle, good or bad
        self._jigsaws = False  # whether a puzzle with regions was found
        self._last: WrittenPuzzle | None = None  # the last puzzle, if regions may follow it
        self._regions_follow = False  # whether the regions of a puzzle stood below it
        self._warned_of: Layout | None = None  # of the last puzzle with regions on its line
        self._fault = fault
        self._pending = PendingRows(self.size, syntax.sizes)
        self._separators = Separators()
        self._words = WordRows(syntax.symbols, self._report_words)
        self._objects = PuzzleObjects(syntax, self._add_own, self._report_own, self._warn)
        self._header = ""  # header or blank line above the next grid
        self._sections = self._left_out = False  # inside [Puzzle], inside [State] and the like
        self._headings = ""  # header that may be the first line of a CSV file
        self._is_below_fault = False  # whether a fault stands below the last puzzle

    def take(self, most: int | None = None) -> list[WrittenPuzzle]:
        """Remove and return the puzzles found, or `most` of them because text follows.

        If text follows, a grid stays if a rule below it may follow.
        """
        count = len(self.puzzles)
        if most is not None:
            last = self.puzzles[-1:]
            grid_is_open = last and last[0].shape == "grid" and not self._pending.sure()
            grid_is_open = grid_is_open or (self._regions_follow and last == [self._last])
            count = min(most, count - bool(grid_is_open))
        taken, self.puzzles = self.puzzles[:count], self.puzzles[count:]
        return taken

    def feed(self, number: int, line: str) -> None:
        """Take the next line, without its newline."""
        self.completed = None
        if line[:1] == "[":
            self._feed_section(line)
        if self._left_out:
            return
        is_usual = self.one_line and self._is_packed and not self._pending.lines
        if is_usual and self.columns is None:
            head = self._first_word(line)  # the usual line of a long file
            count = len(head)
            if count == self.one_line and line[count : count + 1] in " ,;\t#":
                self._add_line(number, head, range(count))
                return
        if self._objects.feed(number, line):
            return
        if line.startswith(":") and self._feed_library(number, line):
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
            self._report(f"no puzzle has a line of {len(bare)} characters", number)
        elif self.syntax.is_rule(text):
            self._feed_rule(number, bare)
        elif self.syntax.is_header(bare, self._is_inside()) or self._words.continue_with(bare):
            self._feed_header(number, bare)
        else:
            self._words.end()
            self._feed_cells(number, self.syntax.unquoted(bare))

    def _feed_section(self, line: str) -> None:
        """Of a file with sections, as those of SadMan, take the puzzles, not their states."""
        section = SECTION.match(line)
        if section is None or self._objects.open:
            return
        is_puzzle = section[1].lower() == "puzzle"
        self._left_out = self._sections and not is_puzzle
        self._sections |= is_puzzle
        if self._left_out:
            self._flush()

    def end(self) -> None:
        """Report what is not complete at the end of the text."""
        self._objects.end()
        self._words.end()
        self._flush()

    def _add_own(self, puzzle: WrittenPuzzle) -> None:
        """Add a puzzle that says its layout; no run begins with it."""
        self._end_grid()
        self.found, self.one_line = True, 0
        self.puzzles.append(puzzle)
        self.completed = self._last = None

    def _report_own(self, reason: str, number: int, column: int) -> None:
        self._end_grid()
        self._report(reason, number, column)

    def _warn(self, doubt: RegionWarning, number: int, column: int) -> None:
        place = FormatError(str(doubt), self.label, number, column)
        warnings.warn(RegionWarning(str(place), doubt.cell), stacklevel=2)

    def _is_inside(self) -> bool:
        if self.one_line > 0:
            return True
        rows = self._pending.filled()
        return bool(rows) and (self._last is None or not all(row.is_empty for row in rows))

    def _begins_csv(self, line: str) -> bool:
        """Whether a line below a header has columns, and a puzzle in the right one."""
        headings, self._headings = self._headings, ""
        is_known = self.found or has_headings(headings)
        numbered = None if is_known else _NUMBERED.match(line)
        count = len(numbered[2]) if numbered else 0
        # a short word may also be the candidates of the second cell of a row
        is_row = 0 < count <= MAX_ROW and self.syntax.are_marks(line)
        if numbered and self.syntax.is_puzzle(count) and not is_row:
            headings = f"number{numbered[1]}puzzle"
        if not headings:
            return False
        columns = Columns(headings)
        if columns.are_in(line):
            text = columns.puzzle(line)[0]
            count = len(self.syntax.spans(text))
            is_jigsaw = count > 0 and len(columns.regions(line)[0]) == len(text)
            if count > MAX_ROW or count in SIDE or self.syntax.is_puzzle(count) or is_jigsaw:
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
        self._header = ""
        self._report(reason, number, column)

    def _feed_csv(self, number: int, line: str) -> None:
        assert self.columns is not None
        text, first = self.columns.puzzle(line)
        if self._feed_characters(number, text, first, "csv"):
            return
        names, middle = self.columns.regions(line)
        if names and len(names) == len(text):
            self._add_jigsaw(number, text, first, names, middle)
            return
        if names:
            self._report_own(wrong_number(len(names), len(text)), number, middle + 1)
            return
        spans = self.syntax.spans(text)
        if not self.syntax.is_puzzle(len(spans)):
            self._report_length(number, line, len(spans))
            return
        cells = [text[start:end] or "." for start, end in spans]
        self._add(WrittenPuzzle("csv", cells, number, [first + start for start, _ in spans]))

    def _feed_cells(self, number: int, line: str) -> None:
        syntax, text = self.syntax, line.lstrip()
        head, indent = self._first_word(text), len(line) - len(text)
        if self._feed_characters(number, head, indent, "line"):
            return
        may_be_jigsaw = self._jigsaws or not self.found or head == text
        if may_be_jigsaw and self._feed_jigsaw(number, line):
            return
        may_be_row = self.size is None and len(head) in syntax.either
        may_be_row = may_be_row and (head == text or syntax.are_marks(line))
        if syntax.symbols is None and syntax.is_puzzle(len(head)) and not may_be_row:
            self._end_grid()
            self._add_line(number, head, range(indent, indent + len(head)))
            return
        row = Row(number, line, syntax.spans(line), syntax.may_be_rule(text))
        count = len(row.spans)
        is_puzzle = syntax.is_puzzle(count)
        rating = _rating(line, row.spans) if is_puzzle and self._is_packed else 0
        if rating:
            self._end_grid()
            self._report_length(number, line, count - rating, count)
            return
        if row.doubtful and not is_puzzle:
            is_rule = self.one_line > 0 or not self._pending.may_be_row(count)
        else:
            is_rule = not count
        if is_rule:
            self._feed_rule(number, line)
        elif not self.one_line and syntax.is_wide_row(line, row.cells):
            self._add_row(row)
        elif is_puzzle and (self.size or self.one_line or count not in syntax.either):
            self._end_grid()
            self._add_rows([row])
        elif self.one_line:
            self._report_length(number, line, count, self.one_line)
        elif count <= (self.size or MAX_ROW) + 2 or self._pending.lines:
            self._add_row(row)
        else:
            self._report_length(number, line, count)

    def _feed_library(self, number: int, line: str) -> bool:
        """Take a line of HoDoKu's library.

        It has digits, with + before those that a player placed, and candidates that are left out,
        as 917 for 9 in r1c7.
        """
        fields = _LIBRARY.match(line)
        if fields is None or self.size not in (None, 9):
            return False
        starts = [place for place in range(*fields.span(1)) if line[place] != "+"]
        if len(starts) != 81:
            reason = f"library of HoDoKu: {counted(len(starts), 'cell')}; a puzzle of 9x9 has 81"
            self._report_own(reason, number, fields.start(1) + 1)
            return True
        masks = [511] * 81 if fields[2] else []
        symbols = self.syntax.symbols or Symbols.default(9)
        for word in re.finditer(r"\S+", fields[2]):
            digit = symbols.digit.get(word[0][:-2], 0)
            if not digit or not re.fullmatch("[1-9]{2}", word[0][-2:]):
                fault = "is no digit, row and column, each 1 to 9"
                if self.syntax.symbols:
                    fault = f"is no symbol, {symbols.description}, with row and column, each 1 to 9"
                reason = f"library of HoDoKu: {word[0]!r} {fault}"
                self._report_own(reason, number, fields.start(2) + word.start() + 1)
                return True
            row, column = map(int, word[0][-2:])
            masks[9 * row + column - 10] &= ~(1 << (digit - 1))
        cells = "".join([line[place] for place in starts])
        self._add_own(WrittenPuzzle("line", cells, number, starts, masks=masks))
        return True

    def _feed_jigsaw(self, number: int, line: str) -> bool:
        """Take N*N givens and the names of N*N regions, in one word or in two.

        Two words are taken only if the first puzzle of the text is in two words, or almost: after
        other puzzles the second word may be any text.
        """
        apart = self._jigsaws or not self.found
        match = jigsaw(line, apart)
        if match is None and apart and (fault := almost_jigsaw(line, self._jigsaws)):
            self._jigsaws = True
            reason, column = fault
            self._report_own(reason, number, column)
            return True
        if match is None or (self.size or match[0]) != match[0]:
            return False
        n, start, middle = match
        cells, names = line[start : start + n * n], line[middle : middle + n * n]
        self._add_jigsaw(number, cells, start, names, middle)
        return True

    def _add_jigsaw(self, number: int, cells: str, start: int, names: str, middle: int) -> None:
        """Add a puzzle with the names of its regions, which begin in column `middle`, from 0."""
        try:
            layout, doubts = region_layout(names)
        except LayoutError as error:
            self._report_own(str(error), number, middle + 1 + (error.cell or 0))
            return
        if layout is not self._warned_of:  # many puzzles in a row may have the same regions
            for doubt in doubts:
                self._warn(doubt, number, middle + 1 + (doubt.cell or 0))
        self._warned_of = layout
        self._jigsaws = True
        starts = range(start, start + len(cells))
        self._add_own(WrittenPuzzle("line", cells, number, starts, layout=layout))

    def _end_grid(self) -> None:
        self._flush()
        self._header = ""

    def _add_line(self, number: int, cells: str | list[str], starts: Sequence[int]) -> None:
        self.one_line = 0 if self._jigsaws else len(cells)
        self._add(WrittenPuzzle("line", cells, number, starts))

    def _add_rows(self, rows: list[Row]) -> None:
        for row in rows:
            cells = [cell or "." for cell in row.cells]
            self._add_line(row.number, cells, [start for start, _ in row.spans])

    def _add(self, puzzle: WrittenPuzzle) -> None:
        """Add a puzzle; its cells may be words that are candidates."""
        if isinstance(puzzle.cells, list):
            marks = word_marks(puzzle.cells, puzzle.size, self.syntax.symbols)
            if marks is not None:
                self._add_marks(puzzle, marks)
                return
        if self._last is not None and self._add_regions(puzzle, self._last):
            return
        self.found, self.completed, self._last = True, puzzle, puzzle
        self.puzzles.append(puzzle)

    def _add_regions(self, names: WrittenPuzzle, puzzle: WrittenPuzzle) -> bool:
        """Make the last puzzle a jigsaw, if these cells are the names of its regions."""
        text = "".join(names.cells)
        if names.size != puzzle.size or not are_all_regions(text, names.size):
            return False
        self._last, self._jigsaws, self._regions_follow = None, True, True
        self.one_line = 0
        if self.puzzles[-1:] != [puzzle]:
            self._report(
                "regions of a puzzle that was answered: write both on one line", names.line
            )
            return True
        puzzle.layout, doubts = region_layout(text)
        for doubt in doubts:
            self._warn(doubt, *names.place(doubt.cell or 0))
        return True

    def _add_marks(self, puzzle: WrittenPuzzle, marks: CellCandidates) -> None:
        """Add a puzzle with these candidates; no run begins with it."""
        self.found = True
        if marks.wrong >= 0:
            self._report(wrong_marks(marks), *puzzle.place(marks.wrong))
            return
        counts = [len(word_spans(text)) for text, spans in puzzle.grid_text if spans]
        short = next((row for row, count in enumerate(counts) if count < puzzle.size), -1)
        if short >= 0:  # of which each digit was taken for a cell
            reason = too_few_words(counts[short], puzzle.size)
            self._report(reason, puzzle.place(short * puzzle.size)[0])
            return
        puzzle.cells, puzzle.symbols, puzzle.masks = marks.cells, marks.symbols, marks.masks
        self._last = puzzle
        self.puzzles.append(puzzle)

    def _feed_characters(self, number: int, text: str, first: int, shape: str) -> bool:
        """Take a line of N characters for each cell, which begins in column `first`, from 0."""
        marks = self.syntax.character_marks(text)
        if marks is None:
            return False
        starts = range(first, first + len(text), marks.symbols.size)
        self._end_grid()
        self._add_marks(WrittenPuzzle(shape, marks.words, number, starts), marks)
        return True

    # Rows that become a grid

    def _add_row(self, row: Row) -> None:
        self.found = True
        rows = self._separators.take(row)
        self._take_rows(rows)
        if rows[-1:] != [row]:  # a separator
            self._separators.above = 0

    def _take_rows(self, rows: list[Row]) -> None:
        for row in rows:
            self._pending.add(row)
            self._settle()

    def _settle(self) -> None:
        """Add the pending grid if it is complete."""
        pending, symbols = self._pending, self.syntax.symbols
        lines = pending.split()
        if lines:
            self._flush()
            pending.lines = lines
        rows = pending.rows()
        n = pending.row_length(rows) if rows else 1
        if len(rows) < n:
            return
        odd = next((row for row in rows if len(row.spans) != n), None)
        if odd is not None:
            reason, column = ragged(odd, n, symbols)
            self._report(reason, odd.number, column)
        elif self.size is None and n in self.syntax.either and are_puzzles(rows):
            self._add_rows(rows)
        else:
            cells = [cell or "." for row in rows for cell in row.cells]
            chosen = set(map(id, rows))
            text = [(row.text, row.spans if id(row) in chosen else []) for row in pending.lines]
            self._is_below_fault = False
            self._add(WrittenPuzzle("grid", cells, rows[0].number, (), text, self._header))
            self._separators.above = n
        self._forget()

    def _forget(self) -> None:
        self._pending.clear()
        self._header = ""

    def _flush(self) -> None:
        """The pending rows end here: they are puzzles on one line, or the grid is not complete."""
        self._take_rows(self._separators.end())
        self._separators.above = 0
        pending = self._pending
        rows = pending.rows()
        if all(row.doubtful for row in rows):  # rules, which belong to the grid above
            above = self.puzzles[-1].grid_text if self.puzzles and not self._is_below_fault else []
            if above and len(above) < MOST_LINES:
                above += [(row.text, []) for row in pending.lines if row.text]
            pending.clear()
            return
        if self._last is not None and all(row.is_empty for row in rows):
            pending.clear()  # lines of empty fields, which a spreadsheet writes between grids
            return
        n = pending.row_length(rows)
        if self.size is None and n in self.syntax.either and _are_mostly_puzzles(rows):
            for row in rows:
                if len(row.spans) == n:
                    self._add_rows([row])
                else:
                    self._report_length(row.number, row.text, len(row.spans), n)
            self.completed = None  # these lines stood above the last one
        elif len(rows) == 1 and not self._follows_empty_row(n):
            count = n if self.size is None else len(rows[0].spans)
            self._report_length(rows[0].number, rows[0].text, count)
        else:
            row = next((row for row in rows if wrong_byte(row.text)), rows[0])
            reason = too_few(len(rows), n)
            if n == sum(len(line.spans) == n for line in pending.lines) > len(rows):
                reason += "; a line of dashes alone is a rule, one of dots a row of blanks"
            elif self._follows_empty_row(n):
                reason += "; the grid above begins with a line of empty fields"
            self._report(*_cause(row.text, reason, row.number))
        self._forget()

    def _follows_empty_row(self, n: int) -> bool:
        """Whether the last puzzle was a grid of N rows, the first a line of empty fields."""
        above = self._last.grid_text if self._last is not None and self._last.size == n else []
        return bool(above) and not above[0][0].strip(",;\t ")

    def _first_word(self, text: str) -> str:
        word = _FIRST_WORD if self.syntax.has_comments else _FIRST_WORD_OF_SYMBOLS
        return word.match(text)[0]  # type: ignore[index]

    def _report_length(self, number: int, line: str, count: int, expected: int = 0) -> None:
        fault = wrong_length(count, self.size, expected, is_latin=self.syntax.is_latin)
        self._report(*_cause(line, fault, number))

    def _report(self, reason: str, number: int, column: int = 0) -> None:
        self.found = self._is_below_fault = True
        self._fault(FormatError(reason, self.label, number, column))


def _rating(line: str, cells: list[Span]) -> int:
    """Length of a last word that is none of the cells of a puzzle, as a rating; else 0.

    It has at most N characters and fewer than any other word: of these a single one, or several of
    different lengths, are the cells of a puzzle with too few.
    """
    first, last = cells[0], cells[-1]
    if not first[1] - first[0] == last[1] - last[0] == 1:  # words are cells
        return 0
    *lengths, rating = [end - start for start, end in word_spans(line)]
    is_rest = len(lengths) > 1 and len({*lengths}) == 1  # of groups of equal lengths
    is_short = rating**2 <= len(cells) and rating < min(lengths, default=0)
    return rating if is_short and not is_rest else 0


def _are_mostly_puzzles(rows: list[Row]) -> bool:
    return len(rows) == 1 or 2 * sum(are_puzzles([row]) for row in rows) >= len(rows)


def _cause(line: str, reason: str, number: int) -> tuple[str, int, int]:
    """A fault with its line and column: a byte or a number that is no puzzle, else `reason`."""
    rounded = _ROUNDED.search(line)
    if rounded:
        reason = f"{rounded[0]!r} is rounded: a spreadsheet needs puzzles as text, not as numbers"
    reason, column = wrong_byte(line) or (reason, rounded.start() + 1 if rounded else 0)
    return reason, number, column
