"""What a line of a puzzle file is: cells, a rule between rows, or a header.

Nothing here knows a whole puzzle; ``reader`` puts lines together.
"""

from __future__ import annotations

import re
from math import isqrt

from sudoku.batch import Span
from sudoku.layout import MAX_SIZE
from sudoku.symbols import BLANKS, Symbols

__all__ = [
    "MAX_ROW",
    "cell_spans",
    "is_header",
    "is_rule",
    "is_tabbed",
    "may_be_rule",
    "word_spans",
]

MAX_ROW = 36
"""Cells of a row, at most, where N is not said: a longer line is a puzzle on one line."""

SIZES = frozenset(
    n for n in range(4, MAX_SIZE + 1) if any(n % side == 0 for side in range(2, isqrt(n) + 1))
)
"""The N that have boxes."""
SQUARES = frozenset(n * n for n in SIZES)

_BARS = "|¦│┃║"
_WORD = re.compile(rf"[^\s\"{_BARS}]+")
_SURE_RULE = re.compile(rf"^(?=.*[+=─━═┼╋╬])[\s+=:*'.\-{_BARS}─━═┄┅┈┉\u2500-\u257f]+$")
_MAYBE_RULE = re.compile(rf"^(?=.*---)[\s*:'.\-{_BARS}]+$")
_HEADER = re.compile(
    r"^\W*(grid|puzzles?|sudokus?|games?|boards?|problems?|quiz(zes)?|questions?|examples?"
    r"|numbers?|levels?|title|author|source|state|solutions?|id|n[or]\.?)"
    r"(?=[\s:,;_#\]]|\d+\W*$|$)",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^[#(]?\d{1,3}[.:)]?$")
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def is_rule(text: str) -> bool:
    """A line that only separates bands, as ``---+---`` or ``+===+``."""
    return _SURE_RULE.match(text) is not None


def may_be_rule(text: str) -> bool:
    """Dashes that are a rule, or a row of blanks where ``-`` is a blank."""
    return _MAYBE_RULE.match(text) is not None


def is_header(text: str, inside: bool) -> bool:
    """Words, or a number alone, as ``Grid 01``, ``[Puzzle]``, ``12.``: no cells.

    Args:
        inside: whether puzzles or rows stand right above; then only customary words count,
            for a line that is spoilt should be told as such.

    >>> is_header("Grid 01", True), is_header("12.", False), is_header("123.", False)
    (True, True, False)
    """
    if _HEADER.match(text):
        return True
    if inside:
        return False
    if len(text) < 4 and _NUMBERING.match(text):
        return True
    if not _LETTERS.search(text):
        return False
    marks = sum(character in "123456789" + BLANKS for character in text)
    return marks * 2 < len(text) and (len(text) not in SQUARES or " " in text)


def cell_spans(text: str, size: int | None = None, symbols: Symbols | None = None) -> list[Span]:
    """Where the cells of a line stand.

    Words are apart by white space, bars and quotation marks, or by commas, semicolons or tabs,
    between which nothing means a blank. A word is a cell where the words are numbers or single
    characters (or of ``symbols``); else each character is one.

    Args:
        size: N where it is known; decides between words and characters.
        symbols: the names where they are known.

    >>> [len(cell_spans(line)) for line in ("53. .7. ...", "5,3,,,7,,,,", "10 0 3 | 0 5 16")]
    [9, 9, 6]
    """
    words = word_spans(text)
    if symbols is not None:
        return [span for word in words for span in _named(text, word, symbols)]
    lengths = {end - start for start, end in words}
    if max(lengths, default=0) <= 1:
        return words
    if _are_numbers([text[start:end] for start, end in words], lengths, size):
        return words
    return [(place, place + 1) for start, end in words for place in range(start, end)]


def word_spans(text: str) -> list[Span]:
    comma = next((mark for mark in ",;" if mark in text), "\t" if is_tabbed(text) else "")
    if not comma:
        return [match.span() for match in _WORD.finditer(text)]
    words, start = [], 0
    for field in text.split(comma):
        inner = field.strip(" \t\"'" + _BARS)
        left = start + (field.index(inner) if inner else field.find('"') + 1)
        words.append((left, left + len(inner)))
        start += len(field) + 1
    inside = [span for start, end in words for span in _gaps(text, start, end)]
    return inside if len(inside) > len(words) else words


def is_tabbed(text: str) -> bool:
    """Whether tabs stand between single cells, some perhaps empty, as spreadsheets give them."""
    return text.count("\t") >= 3 and all(len(field.strip()) <= 2 for field in text.split("\t"))


def _gaps(text: str, start: int, end: int) -> list[Span]:
    """The words of a field; an empty field is one empty word."""
    found = [match.span() for match in _WORD.finditer(text, start, end)]
    return found or [(start, end)]


def _are_numbers(words: list[str], lengths: set[int], size: int | None) -> bool:
    if not all(word.isdecimal() or word in BLANKS for word in words):
        return False
    count = len(words)
    if not _fits(count, size):
        return False
    if len(lengths - {0}) > 1 and 1 in lengths:  # characters would stand in even groups
        return True
    if max(lengths) > 2:
        return False
    n = count if count in SIZES else isqrt(count)
    largest = max((int(word) for word in words if word.isdecimal()), default=0)
    return largest <= (size or n) or not _fits(sum(map(len, words)), size)


def _fits(count: int, size: int | None) -> bool:
    return count in (size, size * size) if size else count in SIZES or count in SQUARES


def _named(text: str, word: Span, symbols: Symbols) -> list[Span]:
    """A word as one cell, or as names written side by side, longest first."""
    start, end = word
    if start == end or text[start:end] in symbols.digit:
        return [word]
    if symbols.single:
        return [(place, place + 1) for place in range(start, end)]
    parts = [match.span() for match in symbols.pattern.finditer(text, start, end)]
    return parts if sum(right - left for left, right in parts) == end - start else [word]
