"""Classifies a line of a puzzle file: cells, a rule between rows, a header, or columns of CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import islice
from math import isqrt

from sudoku.checks import MAX_SIZE
from sudoku.reading.marks import LARGEST_MARKED, CellCandidates, character_marks, word_marks
from sudoku.symbols import BARS, BLANKS, DOUBLED, Symbols
from sudoku.writing.texts import Span

SIZES = frozenset(
    n for n in range(4, MAX_SIZE + 1) if any(n % side == 0 for side in range(2, isqrt(n) + 1))
)
"""The N that have boxes."""

SIDE = {n * n: n for n in SIZES}
"""The N of a number of cells of a puzzle."""

EITHER = (16, 36)
"""Numbers of cells of a line that may be a puzzle (4x4, 6x6) or a row (of 16x16, 36x36)."""

CUBES = {n**3: n for n in range(2, LARGEST_MARKED + 1)}
"""The N of a line of N*N*N characters."""

MAX_ROW = 36
"""Most cells of a row if N is not given; a line with more cells is a puzzle on one line."""

LONGEST_WORD = 64
"""Most characters of a word alone that may be a header."""

LONGEST_LINE = 1 << 16
"""Most characters of a line with cells."""

MOST_CELLS = MAX_SIZE**2
"""Cells of the largest puzzle."""

_WORD = re.compile(rf"[^\s\"{BARS}]+")
_RULE = re.compile(rf"^(?=.*[+=─━═┼╋╬])[\s+=:*'.\-{BARS}─━═┄┅┈┉\u2500-\u257f]+$")
_RULE_MARKS = frozenset("+=:*'.-").union(map(chr, range(0x2500, 0x2580)))
_WRITTEN_RULE = re.compile(r"[*+|]?--+(\+--+)*[*+|]?")
_BORDER = re.compile(r"^[.:*'+](-{3,}[.:*'+])+$")
_DASHES = re.compile(rf"^(?=.*---)[\s*:'.\-{BARS}]+$")
_HEADER = re.compile(
    r"^\W*(grid|puzzles?|sudokus?|games?|boards?|problems?|quiz(zes)?|questions?|examples?"
    r"|numbers?|regions?|levels?|title|author|source|state|solutions?|id|n[or]\.?)"
    r"(?=[\s:,;_#\]]|\d+\W*$|$)",
    re.IGNORECASE,
)
SECTION = re.compile(r"\[([A-Za-z ]+)\]\s*$")
_NUMBERING = re.compile(r"^[#(]?\d{1,3}[.:)]?$")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_QUOTED = re.compile(r'\s*"([^"]*)"')
PUZZLE_NAMES = (
    *("puzzle", "puzzles", "quiz", "quizzes", "sudoku", "grid", "givens", "question"),
    *("board", "boards", "problem", "problems", "game", "games", "unsolved"),
)
"""Headings of the column of CSV, and names of the value of a JSON object, that is the puzzle."""

REGION_NAMES = ("regions", "region", "jigsaw")
"""As `PUZZLE_NAMES`, of the names of the regions of a jigsaw."""


class Columns:
    """The columns of a CSV file, found from its line of headings."""

    def __init__(self, headings: str) -> None:
        self.delimiter = next((mark for mark in ",;\t" if mark in headings), ",")
        names = [name.strip().lower() for name in self._fields(headings)]
        # the column headed "puzzle" or the like, else the first
        self.column = next((names.index(name) for name in PUZZLE_NAMES if name in names), 0)
        self._regions = next((names.index(name) for name in REGION_NAMES if name in names), -1)

    def are_in(self, line: str) -> bool:
        """Whether a line has several columns or begins with a quoted one."""
        return len(self._fields(line)) > 1 or line.lstrip().startswith('"')

    def puzzle(self, line: str) -> tuple[str, int]:
        """The field of the puzzle without quotes, and where the field begins."""
        return self._field(line, self.column)

    def regions(self, line: str) -> tuple[str, int]:
        """The field of the names of regions, and where it begins; empty if there is none."""
        return ("", 0) if self._regions < 0 else self._field(line, self._regions)

    def _field(self, line: str, column: int) -> tuple[str, int]:
        fields = self._fields(line)
        text = fields[column] if column < len(fields) else ""
        return text, max(line.find(text), 0)

    def _fields(self, line: str) -> list[str]:
        try:
            return next(csv.reader([line], delimiter=self.delimiter, skipinitialspace=True))
        except csv.Error:  # a field is longer than the csv module allows, and than any puzzle
            return [line]


def has_headings(line: str) -> bool:
    """Whether a column of a line is headed as that of a puzzle."""
    names = re.split("[,;\t]", line.lower())
    return any(name.strip(' "') in PUZZLE_NAMES for name in names)


class LineSyntax:
    """Classifies lines, given N or the symbols or neither; `latin`: N may be a prime.

    >>> lines = ("53. .7. ...", "5,3,,,7,,,,", "10 0 3 | 0 5 16")
    >>> [len(LineSyntax().spans(line)) for line in lines]
    [9, 9, 6]
    """

    def __init__(
        self, size: int | None = None, symbols: Symbols | None = None, latin: bool = False
    ) -> None:
        self.size, self.symbols, self.is_latin = size, symbols, latin
        self.sizes = frozenset(range(4, MAX_SIZE + 1)) if latin else SIZES | {size or 4}
        self.either = (*EITHER, 25) if latin else EITHER
        self._names = "".join(symbols.names) if symbols else ""
        self.has_comments = "#" not in self._names

    def bare(self, line: str) -> str | None:
        """The line without a comment and blanks at its end; None for a line of comment only."""
        if "#" in line and self.has_comments:
            line = line[: line.index("#")]
            if not line.strip():
                return None
        return line.rstrip(" \f\v\x1a")

    def is_rule(self, text: str) -> bool:
        """Whether a line only separates bands, as ``---+---``, ``+===+`` or ``.---.---.``.

        If symbols are among such characters, only rules as this package writes them count, and
        lines that are no row: of another number of cells, or with a mark that is none.
        """
        if self.size in (1, 2) and text == f"*{'-' * self.size}*":  # too short for a border
            return True
        if not _RULE_MARKS.isdisjoint(self._names):
            is_written = self.size is not None and _WRITTEN_RULE.fullmatch(text) is not None
            digit = self.symbols.digit if self.symbols else {}
            are_cells = all(mark in digit for mark in text)
            return is_written and not (are_cells and self._fits(len(self.spans(text))))
        return _RULE.match(text) is not None or _BORDER.match(text) is not None

    def may_be_rule(self, text: str) -> bool:
        """Whether a line of dashes is a rule, or a row of blanks if ``-`` is a blank."""
        return _DASHES.match(text) is not None

    def is_header(self, line: str, inside: bool) -> bool:
        """Whether a line is words or a number alone, as ``Grid 01``, ``[Puzzle]`` or ``12.``.

        If `inside`, a puzzle or a row precedes the line. Then only customary words count: other
        words are more likely a bad row, which is to be reported.
        """
        text = line.strip()
        if not text or is_tabbed(line) or self.is_rule(text):
            return False
        if not inside and has_headings(text):  # even if it has as many letters as a row
            return True
        if self.symbols is None and not _is_header(text, inside):
            return False
        if self.size and self.size <= 3 and text.isdecimal():  # as long as a numbering
            return False
        if self.are_marks(text):
            return False
        cells = [text[start:end] for start, end in self.spans(text)]
        if self.symbols is not None:
            if SECTION.match(text):
                return True
            return not any(cell in self.symbols.digit for cell in cells)
        n = self._side(len(cells))
        return not (n in self.sizes and len(cells) in (n, n * n) and Symbols.is_customary(n, cells))

    def is_puzzle(self, count: int) -> bool:
        """Whether `count` cells are a whole puzzle."""
        n = isqrt(count)
        return n * n == count and (n == self.size if self.size else n in self.sizes)

    def character_marks(self, text: str) -> CellCandidates | None:
        """The candidates of N*N*N characters, None if they are none; N below 4 must be set."""
        n = CUBES.get(len(text), 0)
        is_cube = n == self.size or (n >= 4 and not self.size)
        return character_marks(text, n, self.symbols) if is_cube else None

    def is_wide_row(self, text: str, cells: list[str]) -> bool:
        """Whether a line is a row of more than `MAX_ROW` words, and no puzzle on one line."""
        count = len(cells)
        if self.size or not MAX_ROW < count <= MAX_SIZE or count not in self.sizes:
            return False
        if len(word_spans(text)) != count:
            return False
        has_numbers = any(len(cell.lstrip("0")) > 1 for cell in cells)
        return not self.is_puzzle(count) or (
            has_numbers and word_marks(cells, isqrt(count), self.symbols) is None
        )

    def unquoted(self, line: str) -> str:
        """The quoted puzzle that a line begins with, blanks for its quotes; else the line."""
        quoted = _QUOTED.match(line)
        if quoted is None:
            return line
        field = line[: quoted.end(1)].replace('"', " ")
        return field if self.is_puzzle(len(self.spans(field))) else line

    def spans(self, text: str) -> list[Span]:
        """The places of the cells of a line.

        A word is one cell if the words are numbers, single characters, names of symbols or
        candidates; else each of its characters is one. At most `MOST_CELLS` + 1 places are
        returned: more cells are no puzzle, and their places take a hundred times the memory of the
        line.
        """
        words = word_spans(text)
        if self.are_marks(text, words):
            return words
        if self.symbols is not None:
            fits = self._fits(len(words))
            cells = (span for word in words for span in _named(text, word, self.symbols, fits))
        elif all(end - start <= 1 for start, end in words) or self._are_numbers(
            [text[start:end] for start, end in words]
        ):
            return words
        else:
            cells = ((place, place + 1) for start, end in words for place in range(start, end))
        return list(islice(cells, MOST_CELLS + 1))

    def _are_numbers(self, words: list[str]) -> bool:
        """Whether each word, rather than each character, is a cell."""
        count, lengths = len(words), {*map(len, words)}
        if not self._fits(count):
            return False
        # without a number, pairs of blanks may be a row of twice as many characters
        are_words = 2 * count > MAX_ROW or not self._fits(2 * count)
        marks = DOUBLED if are_words or any(map(str.isdecimal, words)) else ()
        if not all(word.isdecimal() or word in BLANKS or word in marks for word in words):
            return False
        if len(lengths - {0}) > 1 and 1 in lengths:  # groups of characters have equal lengths
            return True
        if max(lengths) > 2:
            return False
        n = self._side(count)
        largest = max((int(word) for word in words if word.isdecimal()), default=0)
        return largest <= n or not self._fits(sum(map(len, words)))

    def are_marks(self, text: str, spans: Sequence[Span] = ()) -> bool:
        """Whether the words of a line, at `spans`, are candidates of a row or of a puzzle."""
        spans = spans or word_spans(text)
        count = len(spans)
        if not self._fits(count):
            return False
        n = self._side(count)
        return word_marks([text[start:end] for start, end in spans], n, self.symbols) is not None

    def _side(self, count: int) -> int:
        """N, if it is set, else that of `count` cells as a row or as a puzzle."""
        return self.size or (count if count in self.sizes else isqrt(count))

    def are_cells(self, line: str) -> bool:
        """Whether a line is a row or a puzzle of the given symbols and of blanks alone."""
        digit = self.symbols.digit if self.symbols else {}
        spans = self.spans(line) if digit else []
        return self._fits(len(spans)) and all(line[start:end] in digit for start, end in spans)

    def _fits(self, count: int) -> bool:
        """Whether `count` cells are a row or a puzzle."""
        return self.is_puzzle(count) or (count == self.size if self.size else count in self.sizes)


def is_tabbed(text: str) -> bool:
    """Whether tabs separate single cells, some perhaps empty, as in a table from a spreadsheet."""
    return text.count("\t") >= 3 and all(len(field.strip()) <= 2 for field in text.split("\t"))


def word_spans(text: str) -> list[Span]:
    """The places of the words of a line.

    Words are separated by white space, bars and quotation marks; or by commas, semicolons or tabs,
    between which an empty field is an empty word. At most `MOST_CELLS` + 1 are returned.
    """
    comma = next((mark for mark in ",;" if mark in text), "\t" if is_tabbed(text) else "")
    if not comma:
        return [match.span() for match in islice(_WORD.finditer(text), MOST_CELLS + 1)]
    fields, start = [], 0
    for field in text.split(comma, MOST_CELLS + 1)[: MOST_CELLS + 1]:
        inner = field.strip(" \t\"'" + BARS)
        left = start + (field.index(inner) if inner else field.find('"') + 1)
        fields.append((left, left + len(inner)))
        start += len(field) + 1
    words: list[Span] = []
    for start, end in fields:
        if len(words) > MOST_CELLS:
            break
        room = MOST_CELLS + 1 - len(words)
        inside = [match.span() for match in islice(_WORD.finditer(text, start, end), room)]
        words += inside or [(start, end)]
    return words if len(words) > len(fields) else fields


def _is_header(text: str, inside: bool) -> bool:
    if _HEADER.match(text):
        return True
    if inside:
        return False
    if len(text) < 4 and _NUMBERING.match(text):
        return True
    head = re.split(r'[\s,;:|"]', text, maxsplit=1)[0]
    if isqrt(len(head)) ** 2 != len(head) or len(head) < 16:  # no puzzle that words may follow
        head = text
    return (
        not LONGEST_WORD < len(head) == len(text)
        and (len(text) not in SIDE or " " in text)
        and _LETTERS.search(text) is not None
        and 2 * sum(map(head.count, "123456789" + BLANKS)) < len(head)
    )


def _named(text: str, word: Span, symbols: Symbols, fits: bool) -> list[Span]:
    """A word as one cell, if it is a name, or divided into names, the longest first.

    If symbols are characters, or if it is a blank as ``..``, it is one cell where the words fit.
    """
    start, end = word
    name = text[start:end]
    is_one = fits or not (
        symbols.single or (name in DOUBLED and name not in symbols.names_and_blank)
    )
    if start == end or (is_one and name in symbols.digit):
        return [word]
    if symbols.single:
        return [(place, place + 1) for place in range(start, end)]
    parts = [match.span() for match in symbols.pattern.finditer(text, start, end)]
    return parts if sum(right - left for left, right in parts) == end - start else [word]
