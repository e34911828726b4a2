"""Why a text is no puzzle, and what would be right: in one line, without the place."""

from __future__ import annotations

from math import isqrt

from sudoku.reading.lines import MAX_ROW, SIZES, word_spans
from sudoku.reading.raw import Row
from sudoku.symbols import Symbols

__all__ = ["ragged", "too_few", "unknown", "wrong_length"]


def wrong_length(count: int, size: int | None, wanted: int = 0) -> str:
    """Another number of cells than a puzzle on one line has.

    Args:
        size: N, where box or symbols fix it.
        wanted: N * N of the puzzles before.

    >>> wrong_length(80, None, 81)
    '80 cells; a puzzle of 9x9 has 81'
    """
    n = size or (isqrt(wanted) if wanted else min(SIZES, key=lambda n: abs(n * n - count)))
    right = f"a puzzle of {n}x{n} has {n * n}"
    if size:
        right = f"a puzzle of {n}x{n}, as box or symbols want it, has {n * n}"
    elif count in SIZES and count <= MAX_ROW and not wanted:
        right = f"a {count}x{count} grid has {count} rows of them"
    side = isqrt(count)
    if not (size or wanted) and side**2 == count and side > 1 and side not in SIZES:
        right = f"{side}x{side} has no boxes: {side} is a prime; {right}"
    return f"{count} cells; {right}"


def too_few(rows: int, n: int, cells: str = "cells") -> str:
    """Fewer than N rows.

    >>> too_few(5, 9)
    '5 rows of 9 cells; a 9x9 grid has 9 rows'
    """
    return f"{rows} rows of {n} {cells}; a {n}x{n} grid has {n} rows"


def ragged(row: Row, n: int, symbols: Symbols | None) -> tuple[str, int]:
    """Another number of cells than N; or one of N words, which is no cell, makes it look so.

    Returns:
        What is wrong, and the column of the word or 0.
    """
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
    return f"ragged grid: {count} cells in a row of a {n}x{n} grid; {n} are needed", 0


def unknown(cell: str, n: int, symbols: Symbols | None, words: list[str]) -> str:
    """What is wrong with a word that is none of the symbols, and what would be right.

    Args:
        words: all that stand in the grid; a proposal, if there are N.

    >>> unknown("Ann", 4, None, ["Ann", "Bob"]).partition("; others ")[2]
    'are named by --symbols, all 4 of them'
    >>> unknown("Ann", 4, None, ["Ann", "Bob", "Eve", "Sue"]).partition("; others ")[2]
    "are named by --symbols, as 'Ann Bob Eve Sue'"
    """
    if symbols is not None:
        return symbols.complaint(cell)
    apart = " " if any(len(word) > 1 for word in words) else ""
    how = f"as {apart.join(words)!r}" if len(words) == n else f"all {n} of them"
    return f"{Symbols.default(n).complaint(cell)}; others are named by --symbols, {how}"
