"""From puzzles as they are written to digits: finds the symbols and reports unknown cells."""

from __future__ import annotations

from collections.abc import Callable

from sudoku.batch import Batch, joined
from sudoku.errors import FormatError, LayoutError
from sudoku.layout import Box, Layout, size_of
from sudoku.reading.rows import WrittenPuzzle
from sudoku.symbols import Symbols


class Decoder:
    """Decodes puzzles; remembers their layouts and symbols.

    The symbols are found from all puzzles of a size that are decoded together, which distinguishes
    0-9A-F from 1-9A-G. `fault` is called with each fault; `size` is N if box or symbols set it.
    """

    def __init__(
        self,
        box: Box,
        diagonal: bool,
        symbols: Symbols | None,
        fault: Callable[[FormatError], None],
    ) -> None:
        self.given = symbols
        self._box, self._diagonal, self._fault = box, diagonal, fault
        self.size = size_of(box)
        if symbols is not None:
            self.size = Layout.of(symbols.size, box).size
        self._layouts: dict[int, Layout] = {}
        self._known: dict[int, Symbols] = {}

    def layout(self, size: int) -> Layout:
        """The layout of N; LayoutError if there is none."""
        if size not in self._layouts:
            self._layouts[size] = Layout.of(size, self._box, self._diagonal)
        return self._layouts[size]

    def _layout_of(self, puzzle: WrittenPuzzle) -> Layout:
        if puzzle.layout is None:
            return self.layout(puzzle.size)
        if self._box is not None:
            raise LayoutError("the puzzle says its layout: leave out box, layout and regions")
        if self.size not in (None, puzzle.size):
            raise LayoutError(
                f"a {puzzle.layout.name} puzzle; symbols are for {self.size}x{self.size}"
            )
        return puzzle.layout.with_diagonals(True) if self._diagonal else puzzle.layout

    def symbols(self, size: int, seen: list[set[str]]) -> Symbols | None:
        """The symbols of all puzzles of a size, or of the good ones if some are bad.

        `seen` has the different cells of each puzzle, or of several puzzles together.
        """
        if self.given is not None:
            return self.given
        known = self._known.get(size)
        if known is not None and all(cells <= known.digit.keys() for cells in seen):
            return known
        good = [cells for cells in seen if Symbols.is_customary(size, cells)]
        for union in (set().union(*seen), set().union(*good)):
            try:
                symbols = Symbols.guess(size, union)
            except LayoutError:
                continue
            self._known.setdefault(size, symbols)
            return symbols
        return None

    def batches(self, puzzles: list[WrittenPuzzle], label: str) -> list[Batch]:
        """Decode the good puzzles, and report the faults of the others."""
        common = {
            size: self.symbols(
                size, [set(p.cells) for p in puzzles if p.size == size and not p.symbols]
            )
            for size in {puzzle.size for puzzle in puzzles if not puzzle.symbols}
        }
        batches: list[Batch] = []
        for puzzle in puzzles:
            try:
                layout = self._layout_of(puzzle)
            except LayoutError as error:
                self._fault(FormatError(str(error), label, puzzle.line))
                continue
            cells = set(puzzle.cells)
            symbols = puzzle.symbols or self.given
            symbols = symbols or _best(puzzle.size, cells, common[puzzle.size])
            digit = symbols.digit
            if not cells <= digit.keys():
                place, cell = next((k, c) for k, c in enumerate(puzzle.cells) if c not in digit)
                reason = symbols.complaint(cell)
                self._fault(FormatError(reason, label, *puzzle.place(place)))
                continue
            values = bytes([digit[cell] for cell in puzzle.cells])
            batch = Batch(layout, symbols, puzzle.shape, values, label, [puzzle.line])
            if puzzle.shape == "grid":
                batch.grid_texts, batch.headers = [puzzle.grid_text], [puzzle.header]
            batches.append(batch)
        return joined(batches)


def _best(size: int, cells: set[str], common: Symbols | None) -> Symbols:
    """The common symbols if they have all cells of a puzzle, else others, the default at last."""
    if common is not None and common.digit.keys() >= cells:
        return common
    try:
        return Symbols.guess(size, cells)
    except LayoutError:
        if any(len(cell) > 1 for cell in cells):
            return Symbols.numbers(size)
        return common or Symbols.default(size)
