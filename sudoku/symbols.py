"""The names of the N digits, and the mark of a blank.

Inside the package a cell is 0 (blank) or a digit 1 to N. In texts digit d is written as
``names[d - 1]``: a character, a number or a word.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dlx.checks import brief
from sudoku.checks import MAX_SIZE, at_least
from sudoku.errors import LayoutError, PuzzleError, SudokuError

BLANKS = ".0_*-"
"""Characters that are blanks unless they are names of digits."""

DOUBLED = frozenset(("..", "__", "**", "--"))
"""Blanks among words of two characters; ``00`` is one where ``0`` is."""

PLAIN = b".123456789"
"""A blank and the digits of grids up to 9x9, which DIGIT_OF translates."""
DIGIT_OF = bytes.maketrans(PLAIN, bytes(range(10)))

NOTHING = "!"
"""A cell without candidates; a blank may be one whose candidates are not noted."""

_UPPER = string.ascii_uppercase
_ORDINARY = "123456789" + _UPPER
BARS = "|¦│┃║"
"""Characters that separate cells."""

# separators of cells in a file, and control characters, which XML (pictures) does not admit
_NOT_IN_NAMES = re.compile(rf"[\s,;{BARS}\"\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Symbols:
    """N distinct names, digit 1 first, and the mark of a blank.

    Parameters
    ----------
    names : tuple of str
        The names. None is empty or has white space, a comma, a semicolon, a bar, a quotation mark,
        a control character or bytes that are not UTF-8.
    blank : str, optional
        Mark of a blank cell when a grid is written; by default the first of ``. 0 _ * -`` that is
        not a name.

    Raises
    ------
    LayoutError
        If a name occurs twice or could not be recognised in a file, or the mark is no text.

    Examples
    --------
    >>> Symbols(tuple("1234")).text([1, 0, 4, 2])
    '1.42'
    >>> Symbols.parse("张三 李四 王五 赵六").text([2, 0, 1])
    '李四 . 张三'
    """

    names: tuple[str, ...]
    blank: str = ""

    def __post_init__(self) -> None:
        seen: dict[str, int] = {}
        names: tuple[object, ...] = tuple(_in_order(self.names))
        object.__setattr__(self, "names", names)
        for number, name in enumerate(names, 1):
            if not isinstance(name, str) or not name or _NOT_IN_NAMES.search(name):
                raise LayoutError(
                    f"symbol {number} is {brief(name)}: a symbol is a word without white space, "
                    "comma, semicolon, bar, quotation mark, control character or bytes that are "
                    "not UTF-8"
                )
            if name in seen:
                raise LayoutError(
                    f"symbol {name!r} occurs twice, as number {seen[name]} and {number}: "
                    "all symbols must differ"
                )
            seen[name] = number
        if not isinstance(self.blank, str | None):
            raise LayoutError(f"blank {brief(self.blank)}: a mark is text")
        if not self.blank:
            object.__setattr__(self, "blank", next((b for b in BLANKS if b not in seen), ""))
        if self.blank in seen:
            raise LayoutError(f"{self.blank!r} is a symbol; the mark of a blank must be none")
        if not self.blank:
            marks = " ".join(BLANKS)
            raise LayoutError(f"{marks} are symbols: none of them is left as the mark of a blank")

    @classmethod
    def parse(cls, text: str | Iterable[str]) -> Symbols:
        """Symbols from one text: words separated by white space or commas, else characters.

        >>> Symbols.parse("abcd").names, Symbols.parse("10,20,30,40").names
        (('a', 'b', 'c', 'd'), ('10', '20', '30', '40'))
        """
        if not isinstance(text, str):
            names = [name if name is None else str(name) for name in _in_order(text)]
            return cls(tuple(names))  # type: ignore[arg-type]  # None is no name
        words = re.split(r"\s*,\s*|\s+", text.strip())
        return cls(tuple(words if len(words) > 1 else text.strip()))

    @classmethod
    def of(cls, names: Names) -> Symbols | None:
        """The symbols that an argument `symbols` of a function stands for; None for None."""
        return names if names is None or isinstance(names, Symbols) else cls.parse(names)

    @classmethod
    def default(cls, size: int) -> Symbols:
        """The digits 1-9, then A-Z; 0-9A-Z if N is 36; numbers if N is larger, up to 64.

        >>> Symbols.default(16).text(range(17))
        '.123456789ABCDEFG'
        """
        size = _as_size(size)
        if size <= 35:
            return cls(tuple(_ORDINARY[:size]))
        return cls(tuple("0" + _ORDINARY)) if size == 36 else cls.numbers(size)

    @classmethod
    def numbers(cls, size: int, blank: str = "0") -> Symbols:
        """``1`` to ``size`` as decimal numbers."""
        return cls(tuple(str(number) for number in range(1, _as_size(size) + 1)), blank)

    @classmethod
    def guess(cls, size: int, seen: Iterable[str]) -> Symbols:
        """The customary set of `size` symbols that has the cells `seen`.

        The first set that has all cells: 1 to N if some cell has several characters; letters from
        A if there are letters and no digit but 0; 1-9 and then letters, with 0 as a blank; 0-9 and
        then letters. Above 9x9, if 0 and another blank occur and the highest symbol, N or a letter,
        does not, 0 is a digit: the last two change places, or numbers are 0 to N - 1. Letters are
        lower case if one cell is. LayoutError if no set has all cells.

        >>> Symbols.guess(16, "0.1F").names[0], Symbols.guess(16, "01FG").names[0]
        ('0', '1')
        >>> "".join(Symbols.guess(25, ".AGY").names)
        'ABCDEFGHIJKLMNOPQRSTUVWXY'
        >>> Symbols.guess(16, ["0", ".", "15"]).description
        '0 to 15'
        """
        size = _as_size(size)
        try:
            cells = set(seen)
            are_words = max(map(str.__len__, cells), default=0) > 1
        except TypeError:
            raise SudokuError(f"seen is {brief(seen)}; texts of cells are needed") from None
        blanks = [mark for mark in BLANKS if mark in cells or 2 * mark in DOUBLED & cells]
        blank, other = next(iter(blanks), ""), next((mark for mark in blanks if mark != "0"), "")
        if are_words:
            if size > 9 and other and cells & {"0", "00"} and str(size) not in cells:
                from_zero = cls(tuple(map(str, range(size))), other)
                if cells <= from_zero.digit.keys():
                    return from_zero
            return cls._checked(cls.numbers(size, blank or "0"), cells)
        lower = any("a" <= cell <= "z" for cell in cells)
        letters = {cell.upper() for cell in cells if cell.isalpha()}
        sets = [(_ORDINARY[:size], blank)] if size <= 35 else []
        if letters and not cells & set("123456789") and size <= 26:
            sets.insert(0, (_UPPER[:size], blank))
        if 9 < size <= 36:
            zero_counts = "0" in cells and other and _ORDINARY[size - 1 :][:1] not in letters
            sets.insert(0 if zero_counts else len(sets), ("0" + _ORDINARY[: size - 1], other))
        for names, mark in sets:
            if lower:
                names = names.lower()
            if all(cell in names or cell in BLANKS for cell in cells):
                return cls(tuple(names), mark)
        return cls._checked(cls.default(size), cells)

    @classmethod
    def is_customary(cls, size: int, seen: Iterable[str]) -> bool:
        """Whether a customary set of `size` symbols has the cells `seen`."""
        try:
            cls.guess(size, seen)
        except LayoutError:
            return False
        return True

    @classmethod
    def _checked(cls, symbols: Symbols, cells: set[str]) -> Symbols:
        unknown = sorted(cell for cell in cells if cell not in symbols.digit)
        if unknown:
            raise LayoutError(symbols.complaint(unknown[0]))
        return symbols

    @property
    def size(self) -> int:
        """N."""
        return len(self.names)

    @cached_property
    def single(self) -> bool:
        """Whether names and blank are one character each, so that cells need no separators."""
        return all(len(name) == 1 for name in self.names_and_blank)

    @cached_property
    def digit(self) -> dict[str, int]:
        """The digit of each name, 0 of each blank; numbers may have a leading zero (``07``).

        Beside such numbers, and names of several characters, a blank may be ``..`` or the like.
        """
        table = {**dict.fromkeys(BLANKS, 0), self.blank: 0}
        if self._are_numbers or not self.single:
            table |= dict.fromkeys(DOUBLED, 0)
        table |= {name: digit for digit, name in enumerate(self.names, 1)}
        if self._are_numbers:
            least = int(self.names[0])  # a 0 that is no digit is a blank
            numbers = range(min(10, self.size + least))
            table |= {f"{number:02}": number + 1 - least for number in numbers}
        return table

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches the longest name or blank, of one character where cells are not separated."""
        marks = self.digit.keys() - DOUBLED.difference(self.names_and_blank)
        return re.compile("|".join(map(re.escape, sorted(marks, key=len, reverse=True))))

    @cached_property
    def names_and_blank(self) -> tuple[str, ...]:
        """What is written for 0, 1, ..., N."""
        return (self.blank, *self.names)

    def text(self, values: Iterable[int]) -> str:
        """The cells as one line, with blanks between them unless all are one character.

        PuzzleError if one of them is no number from 0, a blank, to N.
        """
        try:
            return ("" if self.single else " ").join(map(self._name.__getitem__, values))
        except (TypeError, KeyError):
            raise PuzzleError(f"values {brief(values)}: numbers 0 to {self.size} needed") from None

    def complaint(self, cell: str) -> str:
        """Say that `cell` is none of these symbols, and what would be right."""
        if wrong := wrong_byte(cell):
            return wrong[0]
        kind, expected = "unknown symbol", self.description
        is_number = cell.isascii() and cell.isdecimal()
        has_numbers = self.names[:9] == tuple("123456789"[: self.size])
        if has_numbers and is_number and (len(cell) > 9 or int(cell) > self.size):
            kind = "number above N:"
            expected = f"1 to {self.size}" if self.size < 10 or not self.single else expected
        marks = " ".join(mark for mark in BLANKS if mark not in self.names)
        return f"{kind} {cell!r}; a cell is {expected}, or {marks} for a blank"

    @cached_property
    def description(self) -> str:
        """``1-9A-G``, ``1 to 25`` or the names themselves."""
        if not self.single:
            names = self.names
            return f"{names[0]} to {names[-1]}" if self._are_numbers else " ".join(names)
        packed = "".join(self.names)
        for letters in (_UPPER, _UPPER.lower()):
            for run in ("123456789", "0123456789"):
                if (run + letters).startswith(packed) and len(packed) > len(run):
                    return f"{run[0]}-9{letters[0]}-{packed[-1]}"
            if packed in letters or packed in "123456789":
                return f"{packed[0]}-{packed[-1]}"
        return packed

    @cached_property
    def _name(self) -> dict[int, str]:
        """`names_and_blank` by number; with a tuple, -1 would be N."""
        return dict(enumerate(self.names_and_blank))

    @cached_property
    def _are_numbers(self) -> bool:
        """Whether the names are 1 to N, or 0 to N - 1 with numbers of two digits."""
        least = int(self.single or self.names[0] != "0")
        return self.names == tuple(map(str, range(least, self.size + least)))


def _as_size(size: int) -> int:
    """N as an int; LayoutError if no grid is as large."""
    size = at_least(size, 0, "size")
    if not 1 <= size <= MAX_SIZE:
        raise LayoutError(f"symbols of size {brief(size)}: N is from 1 to {MAX_SIZE}")
    return size


def _in_order(names: Iterable[Any]) -> list[Any]:
    """Names as a list; LayoutError if they are none, or have no order."""
    # a set has no order, the keys of a dict have one, and bytes would be numbers
    if not isinstance(names, set | frozenset | bytes):
        with suppress(TypeError):
            return list(names)
    raise LayoutError(f"symbols {brief(names)}: a text or a list of names is needed")


def wrong_byte(text: str) -> tuple[str, int] | None:
    """Describe the first byte of a text that is not UTF-8 or a control character; its column."""
    # the error handler surrogateescape has changed bytes to these surrogates
    wrong = re.search("[\udc80-\udcff\0-\x08\x0e-\x19\x1b-\x1f]", text)
    if wrong is None:
        return None
    code = ord(wrong[0])
    reason = "the text is not UTF-8" if code > 31 else "a control character is no cell"
    return f"byte 0x{code & 0xFF:02x}: {reason}", wrong.start() + 1


def digits_of(masks: Iterable[int]) -> list[tuple[int, ...]]:
    """The digits of each mask, which has bit d - 1 for digit d.

    >>> digits_of([0, 9])
    [(), (1, 4)]
    """
    return [
        tuple(digit for digit in range(1, mask.bit_length() + 1) if mask >> (digit - 1) & 1)
        for mask in masks
    ]


Names = Symbols | str | Sequence[str] | None
"""Names of the digits as an argument of functions; None: found from a text, else usual ones."""
