"""Candidates as they are written: a word of digits for each cell, or N characters for each cell.

A cell without candidates is written as ``!``, alone or before N - 1 blanks; or as a blank if ``!``
is a symbol.
A mask has bit d - 1 for digit d; WRONG stands for a text that is no set of digits.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from sudoku.errors import LayoutError
from sudoku.symbols import BLANKS, NOTHING, Symbols

LARGEST_MARKED = 36
"""Largest N whose digits are written as one character each."""

WRONG = -1

_BLANKS = frozenset(("", *BLANKS))  # candidates such as "0_" are a part of the text BLANKS

_PLACED = re.compile("u[1-9]")  # by the user of SudoCue


class CellCandidates(NamedTuple):
    """The candidates of some cells."""

    symbols: Symbols
    masks: list[int]
    words: list[str]  # of each cell, as it is written

    @property
    def cells(self) -> list[str]:
        """The symbol of each cell that has one candidate, the mark of a blank for the others."""
        single = {1 << digit: name for digit, name in enumerate(self.symbols.names)}
        return [single.get(mask, self.symbols.blank) for mask in self.masks]

    @property
    def wrong(self) -> int:
        """The first cell whose text is no set of digits, or -1."""
        return self.masks.index(WRONG) if WRONG in self.masks else -1


def word_marks(words: list[str], n: int, symbols: Symbols | None) -> CellCandidates | None:
    """The candidates of cells of an N x N grid; None if the words are rather cells of a puzzle.

    A set of candidates has ascending digits. Most words of several characters must be such sets.
    Numbers up to N are none, unless some word has a letter; and where there are blanks, or as many
    zeros as sets, the puzzle is a plain one. ``!`` stands among sets only.

    >>> word_marks("1 234 24 u3".split(), 4, None).masks
    [1, 14, 10, 4]
    >>> word_marks("12 3 4 5 6 7 8 9 A B C 12".split(), 12, None).masks[::11]
    [3, 3]
    >>> word_marks("1 234 . .".split(), 4, None), word_marks("9 10 12 7".split(), 12, None)
    (None, None)
    """
    long = [word for word in words if len(word) > 1]
    is_symbol = symbols is not None and NOTHING in symbols.names
    empty = NOTHING in words and not is_symbol
    if n > LARGEST_MARKED or (symbols and not symbols.single):
        return None
    from_zero = symbols is not None and "0" in symbols.names
    if len(long) <= words.count("0") and not (empty or from_zero):
        return None
    written = words
    if symbols is None or "u" not in symbols.names:
        words = [word[1:] if _PLACED.fullmatch(word) else word for word in words]
    if symbols is None:
        try:
            seen = {*"".join(words), "."} - {NOTHING}  # 0 is a digit, if it is there
            symbols = Symbols.guess(n, seen)
        except LayoutError:
            symbols = Symbols.default(n)
    counts = Counter(words)
    nothing = symbols.blank if is_symbol else NOTHING
    if any(word in _BLANKS and word not in (*symbols.names, nothing) for word in counts):
        return None
    masks = {word: 0 if word == nothing else _mask(word, symbols.digit) for word in counts}
    numbers = sum(
        count
        for word, count in counts.items()
        if len(word) == 2 and word.isdecimal() and int(word) <= n
    )
    if from_zero or (numbers and any(map(str.isalpha, "".join(counts)))):
        numbers = 0
    sets = sum(count for word, count in counts.items() if len(word) > 1 and masks[word] != WRONG)
    most = 2 * max(numbers, len(long) - sets) < len(long)
    if most or (empty and WRONG not in masks.values()):
        return CellCandidates(symbols, [masks[word] for word in words], written)
    return None


def _mask(word: str, digit: dict[str, int]) -> int:
    digits = [digit.get(character, 0) for character in word]
    ascending = all(a < b for a, b in zip([0, *digits], digits, strict=False))
    return sum(1 << (d - 1) for d in digits) if ascending else WRONG


def character_marks(text: str, n: int, symbols: Symbols | None) -> CellCandidates | None:
    """The candidates of N*N*N characters: digit d, or a blank, at place d of each cell; else None.

    At least every other cell has one, and nine digits of ten are at their places.

    >>> character_marks("1..." + "1234" * 15, 4, None).masks[:2]
    [1, 15]
    """
    symbols = symbols or Symbols.default(n)
    if not symbols.single:
        return None
    cells = [text[start : start + n] for start in range(0, len(text), n)]
    names, blank = symbols.names, [mark for mark in BLANKS if mark not in symbols.names]
    nothing = "" if NOTHING in names else NOTHING
    in_place = sum(c == name for cell in cells for c, name in zip(cell, names, strict=True))
    in_place += sum(cell[0] == nothing for cell in cells)
    misplaced = len(text) - in_place - sum(text.count(mark) for mark in blank)
    if 2 * in_place < n * n or 9 * misplaced > in_place:
        return None
    masks = []
    for cell in cells:
        places = [k for k, c in enumerate(cell) if c not in blank]
        placed = all(cell[k] == names[k] for k in places)
        empty = places == [0] and cell[0] == nothing
        masks.append(sum(1 << k for k in places) if placed else 0 if empty else WRONG)
    return CellCandidates(symbols, masks, cells)
