"""Turns written puzzles into digits: finds the symbols and reports unknown cells."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial

from sudoku.batch import Batch, joined
from sudoku.checks import counted
from sudoku.errors import FormatError, LayoutError
from sudoku.layout import Box, Layout, is_latin, parsed, size_of
from sudoku.reading.lines import SIZES
from sudoku.reading.rows import WrittenPuzzle
from sudoku.symbols import BLANKS, Symbols

MOST_OPEN = 256
"""Puzzles from which the symbols of a size are found, if they depend on more than one."""

ONE_DIGIT = 9
"""Largest N whose usual digits are 1 to N, independently of other puzzles."""


class Decoder:
    """Decodes puzzles; remembers their layouts and symbols.

    The symbols of a size are those of its first puzzle that is not blank. Above 9x9 they are found
    from several puzzles, which distinguishes 0-9A-F from 1-9A-G: from `MOST_OPEN` puzzles beginning
    with the first of the size, or up to the end of the text. The result does not depend on how the
    text is split into calls. `fault` is called with each fault; `size` is N if box or symbols set
    it.
    """

    def __init__(
        self,
        box: Box,
        diagonal: bool,
        symbols: Symbols | None,
        fault: Callable[[FormatError], None],
    ) -> None:
        self.given = symbols
        self.box, self._diagonal, self._fault = box, diagonal, fault
        self.size = size_of(box)
        if symbols is not None:
            try:
                self.size = Layout.of(symbols.size, box).size
            except LayoutError as error:
                raise LayoutError(f"{counted(symbols.size, 'symbol')}: {error}") from None
        # the layout of N; LayoutError if there is none
        self.layout = cache(partial(Layout.of, box=box, diagonal=diagonal))
        self._known: dict[int, Symbols] = {}

    def forget(self) -> None:
        """Forget the symbols found: another text begins."""
        self._known.clear()

    def _layout_of(self, puzzle: WrittenPuzzle) -> Layout:
        if puzzle.layout is None:
            return self.layout(puzzle.size)
        sides, names = parsed(self.box, 1)
        if sides is not None:
            n, advice = puzzle.size, "leave out box, latin and regions"
            if is_latin(self.box) and n not in SIZES:  # perhaps given because N is a prime
                advice += f"; the regions of a {n}x{n} puzzle stand beside it, not below"
            raise LayoutError(f"the puzzle says its layout: {advice}")
        if self.size not in (None, puzzle.size):
            raise LayoutError(
                f"a {puzzle.layout.name} puzzle; symbols are for {self.size}x{self.size}"
            )
        return puzzle.layout.with_houses([*names, *["diagonal"] * self._diagonal])

    def symbols(self, puzzles: list[WrittenPuzzle], size: int) -> Symbols | None:
        """The symbols of puzzles that follow these, which are not decoded; None if not known."""
        # remembered when they are decoded: a blank puzzle above has no symbols of puzzles below
        found = (self._symbols_of(puzzle) for puzzle in puzzles if puzzle.size == size)
        return self.given or self._known.get(size) or next(filter(None, found), None)

    def ready(self, puzzles: list[WrittenPuzzle]) -> int:
        """How many puzzles can be decoded: those before the first that depends on later ones."""
        first = next((k for k, each in enumerate(puzzles) if self._is_open(each)), len(puzzles))
        return first if len(puzzles) < first + MOST_OPEN else len(puzzles)

    def _is_open(self, puzzle: WrittenPuzzle) -> bool:
        return puzzle.size > ONE_DIGIT and not self._has_symbols(puzzle)

    def _has_symbols(self, puzzle: WrittenPuzzle) -> bool:
        return bool(puzzle.symbols or self.given or puzzle.size in self._known)

    def _symbols_of(self, puzzle: WrittenPuzzle) -> Symbols | None:
        """The symbols of a puzzle, if they hold for those that follow."""
        cells = set(puzzle.cells)
        if self._has_symbols(puzzle) or puzzle.size > ONE_DIGIT or cells <= set(BLANKS):
            return None
        with suppress(LayoutError):
            return Symbols.guess(puzzle.size, cells)
        return None

    def _learn_together(self, puzzles: list[WrittenPuzzle]) -> None:
        """Remember the symbols of large puzzles: of all of a size, or of the customary ones."""
        for size in {puzzle.size for puzzle in puzzles if self._is_open(puzzle)}:
            seen = [_seen(each) for each in puzzles if each.size == size and not each.symbols]
            with suppress(LayoutError):
                self._known[size] = Symbols.guess(size, set().union(*seen))
                continue
            good = (cells for cells in seen if Symbols.is_customary(size, cells))
            with suppress(LayoutError):
                self._known[size] = Symbols.guess(size, set().union(*good))

    def batches(self, puzzles: list[WrittenPuzzle], label: str) -> list[Batch]:
        """Decode the good puzzles, and report the faults of the others."""
        self._learn_together(puzzles)
        batches: list[Batch] = []
        for puzzle in puzzles:
            if (found := self._symbols_of(puzzle)) is not None:
                self._known[puzzle.size] = found
            try:
                layout = self._layout_of(puzzle)
            except LayoutError as error:
                fault = FormatError(str(error), label, puzzle.line)
                fault.__cause__ = error.with_traceback(None)  # its frames have the puzzle
                self._fault(fault)
                continue
            cells = set(puzzle.cells)
            symbols = puzzle.symbols or self.given
            symbols = symbols or _best(puzzle, cells, self._known.get(puzzle.size))
            digit = symbols.digit
            if not cells <= digit.keys():
                place, cell = next((k, c) for k, c in enumerate(puzzle.cells) if c not in digit)
                reason, (line, column) = symbols.complaint(cell), puzzle.place(place)
                if not column:
                    reason = f"{layout.cell_name(place)}: {reason}"
                self._fault(FormatError(reason, label, line, column))
                continue
            values = bytes([digit[cell] for cell in puzzle.cells])
            batch = Batch(layout, symbols, puzzle.shape, values, label, [puzzle.line])
            if puzzle.shape == "grid":
                batch.grid_texts, batch.headers = [puzzle.grid_text], [puzzle.header]
            if puzzle.masks:
                allowed = [1 << digit >> 1 or -1 for digit in values]
                masks = [mask & bit for mask, bit in zip(puzzle.masks, allowed, strict=True)]
                if masks != allowed:  # they exclude more than the digits do
                    batch.candidates = array("Q", masks).tobytes()
            batches.append(batch)
        return joined(batches)


def _seen(puzzle: WrittenPuzzle) -> set[str]:
    """The cells that occur; also a blank, if 0 is a digit since each symbol occurs N times."""
    seen = set(puzzle.cells)
    if puzzle.size > ONE_DIGIT and not seen.isdisjoint(("0", "00")):
        counts = Counter(puzzle.cells).values()
        if {*counts} == {puzzle.size} and len(counts) == puzzle.size:
            seen.add(".")
    return seen


def _best(puzzle: WrittenPuzzle, cells: set[str], known: Symbols | None) -> Symbols:
    """The known symbols if they have all cells of a puzzle, else others, the default at last."""
    if known is not None and known.digit.keys() >= cells:
        return known
    try:
        return Symbols.guess(puzzle.size, _seen(puzzle))
    except LayoutError:
        if any(len(cell) > 1 for cell in cells):
            return Symbols.numbers(puzzle.size)
        return known or Symbols.default(puzzle.size)
