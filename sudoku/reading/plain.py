"""Digits of puzzles as most programs have them, found without the reader of files.

That takes microseconds, the reader some hundred for each puzzle. Both give the same answers.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from types import NoneType
from typing import Any

import numpy as np

from sudoku.errors import LayoutError
from sudoku.grid import Grid
from sudoku.reading.decoder import ONE_DIGIT
from sudoku.reading.lines import CUBES, EITHER, SIDE, SIZES
from sudoku.reading.marks import character_marks
from sudoku.symbols import BLANKS, DIGIT_OF, PLAIN, Symbols

LONGEST = 1 << 14  # characters of a text of lines, several times those of 64x64 cells

_WORD = re.compile(r"[^ \n]+")

PlainPuzzle = tuple[int, bytes, Symbols | None]
"""N; the digit of each cell, 0 for a blank; the symbols, None for the default ones."""


def plain_puzzle(puzzle: Any) -> PlainPuzzle | None:
    """Read a puzzle as most programs have it; None of anything else, valid or not.

    That is a text that `plain_text` reads; N*N integers or texts of one character, or N rows of
    them, in lists or tuples; an array of integers; a `Grid` without candidates. Digits of lists and
    arrays may be above N.

    >>> plain_puzzle([[1, None, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]])[1].hex()
    '01000000000002000003000000000004'
    """
    kind = type(puzzle)
    if kind is str:
        return plain_text(puzzle)
    if kind is bytes or kind is bytearray:
        return plain_text(puzzle.decode()) if puzzle.isascii() else None
    if kind is list or kind is tuple:
        cells = puzzle
        if puzzle and type(puzzle[0]) in (list, tuple, str) and len(puzzle) in SIZES:
            if len(set(map(type, puzzle))) > 1 or set(map(len, puzzle)) != {len(puzzle)}:
                return None
            cells = list(chain.from_iterable(puzzle))
        kinds = set(map(type, cells))
        if kinds == {str}:
            return _of_cells("".join(cells)) if set(map(len, cells)) == {1} else None
        n = SIDE.get(len(cells))
        if n is None or not kinds <= {int, NoneType}:
            return None
        puzzle = [cell or 0 for cell in cells] if NoneType in kinds else cells
    elif kind is Grid and puzzle.candidates is None:
        n = SIDE.get(puzzle.layout.cells)
        return None if n is None else (n, puzzle.values.astype(np.uint8).tobytes(), puzzle.symbols)
    elif kind is np.ndarray and puzzle.dtype.kind in "iu":
        n = SIDE.get(puzzle.size)
        if n is None or puzzle.shape not in ((n, n), (n * n,)):
            return None
        if puzzle.dtype == np.uint8:
            return n, puzzle.tobytes(), None
        puzzle = puzzle.reshape(-1).tolist()
    else:
        return None
    try:
        return n, bytes(puzzle), None
    except ValueError:  # a number above 255 or below 0
        return None


def plain_text(text: str) -> PlainPuzzle | None:
    r"""Read N*N letters, digits and blanks, on one line or N lines; None of any other text.

    >>> plain_text("1...\n..2.\n.3..\n...4\n")[1].hex()
    '01000000000002000003000000000004'
    """
    return _of_cells(text if len(text) in SIDE else _joined(text))


def _joined(text: str) -> str:
    """The N*N cells of a text of one line, or of N lines of N characters or words; "" of others."""
    if len(text) > LONGEST:
        return ""
    text = text.replace("\r\n", "\n")
    words, lines = _WORD.findall(text), text.strip(" \n").split("\n")
    n = SIDE.get(sum(map(len, words)), 0)
    if len(lines) > 1 and n in EITHER:  # perhaps N puzzles
        return ""
    if len(words) == n * n:
        is_grid = len(lines) == 1 or {len(line.split()) for line in lines} == {n}
    elif len(words) == n:
        is_grid = len(lines) == n and set(map(len, words)) == {n}
    else:
        is_grid = len(words) == 1
    return "".join(words) if is_grid else ""


def _of_cells(text: str) -> PlainPuzzle | None:
    """Read N*N letters, digits and blanks."""
    n = SIDE.get(len(text))
    if n is None or not text.isascii():
        return None
    written = text.encode()
    may_be_marks = len(text) in CUBES  # 64 characters are 8x8 or 4x4x4
    if n <= 9 and not may_be_marks and not written.translate(None, PLAIN[: n + 1]):
        return n, written.translate(DIGIT_OF), None
    if may_be_marks and character_marks(text, CUBES[len(text)], None) is not None:
        return None
    if n > ONE_DIGIT and written.count(b"0") == n:  # perhaps a complete grid with digits from 0
        return None
    alphabet = _alphabet(n, frozenset(text))
    return None if alphabet is None else (n, written.translate(alphabet[1]), alphabet[0])


@lru_cache(maxsize=256)
def _alphabet(n: int, cells: frozenset[str]) -> tuple[Symbols, bytes] | None:
    """Return the symbols of a text of these characters, and its translation into digits."""
    if not all(cell in BLANKS or cell.isalnum() for cell in cells):
        return None
    if "-" in cells and not any(map(str.isalnum, cells)):  # perhaps a line between rows
        return None
    try:
        symbols = Symbols.guess(n, cells)
    except LayoutError:
        return None
    characters = "".join(cells)
    digits = bytes([symbols.digit[cell] for cell in characters])
    return symbols, bytes.maketrans(characters.encode(), digits)
