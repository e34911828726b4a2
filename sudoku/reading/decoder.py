"""From puzzles as they are written to digits: which symbols are meant, and which cells are none.

The symbols are found from all puzzles of a size that are read together, so that 0-9A-F and
1-9A-G are told apart.
"""

from __future__ import annotations

from collections.abc import Callable

from sudoku.batch import Batch, joined
from sudoku.errors import FormatError, LayoutError, PuzzleError
from sudoku.layout import Layout, parse_box
from sudoku.reading.raw import Raw
from sudoku.symbols import Symbols

__all__ = ["Decoder"]


class Decoder:
    """Knows box and diagonals of all puzzles, and the symbols that were met so far.

    Args:
        box, diagonal, symbols: as of ``Reader``.
        fault: is called with what is wrong with a puzzle.

    Attributes:
        size: N, where box or symbols fix it.

    Raises:
        LayoutError: box and symbols do not fit each other.
    """

    def __init__(
        self,
        box: str | tuple[int, int] | None,
        diagonal: bool,
        symbols: Symbols | None,
        fault: Callable[[FormatError], None],
    ) -> None:
        self.diagonal, self.given, self.fault = diagonal, symbols, fault
        self.box = None if box is None else parse_box(box)
        self.size: int | None = None
        if self.box is not None:
            self.size = Layout(*self.box).size
        if symbols is not None:
            Layout.of(symbols.size, self.box)
            self.size = symbols.size
        self._layouts: dict[int, Layout] = {}
        self._known: dict[int, Symbols] = {}

    def layout(self, size: int) -> Layout:
        """The layout of N; LayoutError if there is none."""
        if size not in self._layouts:
            self._layouts[size] = Layout.of(size, self.box, self.diagonal)
        return self._layouts[size]

    def symbols(self, size: int, seen: list[set[str]]) -> Symbols | None:
        """One set for all puzzles of a size that can be understood at all.

        Args:
            seen: the cells of each puzzle, or of several.
        """
        if self.given is not None:
            return self.given
        known = self._known.get(size)
        if known is not None and all(cells <= known.digit.keys() for cells in seen):
            return known
        sound = [cells for cells in seen if Symbols.is_customary(size, cells)]
        for union in (set().union(*seen), set().union(*sound)):
            try:
                symbols = Symbols.guess(size, union)
            except LayoutError:
                continue
            self._known.setdefault(size, symbols)
            return symbols
        return None

    def batches(self, raws: list[Raw], label: str) -> list[Batch]:
        """The puzzles that are understood; of the others the faults are told."""
        chosen = {
            size: self.symbols(size, [set(raw.cells) for raw in raws if raw.size == size])
            for size in {raw.size for raw in raws}
        }
        batches: list[Batch] = []
        for raw in raws:
            try:
                layout = self.layout(raw.size)
                symbols = self.given or _symbols(raw, chosen[raw.size])
                digits = _digits(raw, symbols)
            except LayoutError as error:
                self.fault(FormatError(str(error), label, raw.line))
            except _UnknownCell as unknown:
                line, column = raw.place(unknown.cell)
                self.fault(FormatError(str(unknown), label, line, column))
            else:
                batch = Batch(layout, symbols, raw.shape, digits, label, [raw.line])
                if raw.shape == "grid":
                    batch.grid_texts, batch.headers = [raw.template], [raw.lead]
                batches.append(batch)
        return joined(batches)


class _UnknownCell(PuzzleError):
    def __init__(self, cell: int, reason: str) -> None:
        self.cell = cell
        super().__init__(reason)


def _symbols(raw: Raw, common: Symbols | None) -> Symbols:
    """The symbols of a puzzle, or, where none hold all its cells, those that it should have.

    Args:
        common: to the puzzles of its size.
    """
    cells = set(raw.cells)
    if common is not None and common.digit.keys() >= cells:
        return common
    try:
        return Symbols.guess(raw.size, cells)
    except LayoutError:
        if any(len(cell) > 1 for cell in cells):
            return Symbols.numbers(raw.size)
        return common or Symbols.default(raw.size)


def _digits(raw: Raw, symbols: Symbols) -> bytes:
    """The cells of a puzzle as digits."""
    digit = symbols.digit
    try:
        return bytes([digit[cell] for cell in raw.cells])
    except KeyError:
        place, cell = next((p, c) for p, c in enumerate(raw.cells) if c not in digit)
        raise _UnknownCell(place, symbols.complaint(cell)) from None
