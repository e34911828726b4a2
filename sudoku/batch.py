"""Batches: puzzles that were read, with the same layout, symbols and format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

from sudoku.layout import Layout
from sudoku.symbols import Symbols
from sudoku.writing.texts import GridText


@dataclass
class Batch:
    """Puzzles that share layout, symbols and format.

    `values` has one byte for each of the N*N cells of each puzzle: 0 for a blank, digits 1 to N.
    """

    layout: Layout
    symbols: Symbols
    shape: str  # the format: "line", "csv" or "grid"
    values: bytes
    source: str = "<text>"  # name of the file
    lines: list[int] = field(default_factory=list)  # number of the first line of each puzzle
    grid_texts: list[GridText] = field(default_factory=list)  # of each grid
    headers: list[str] = field(default_factory=list)  # header or blank line above each grid
    candidates: bytes = b""  # masks of 8 bytes for all cells, as `Grid.trusted` takes them

    def __len__(self) -> int:
        return len(self.values) // self.layout.cells

    def parts(self, most: int) -> Iterator[Batch]:
        """The same puzzles in order, in batches of at most `most`.

        >>> batch = Batch(Layout(2, 2), Symbols.default(4), "line", bytes(48), lines=[1, 2, 4])
        >>> [part.lines for part in batch.parts(2)]
        [[1, 2], [4]]
        """
        cells = self.layout.cells
        for start in range(0, len(self), most):
            part = slice(start, start + most)
            yield replace(
                self,
                values=self.values[start * cells : (start + most) * cells],
                lines=self.lines[part],
                grid_texts=self.grid_texts[part],
                headers=self.headers[part],
                candidates=self.candidates[start * cells * 8 : (start + most) * cells * 8],
            )

    def place(self, index: int) -> str:
        """``file:line`` of a puzzle."""
        return f"{self.source}:{self.lines[index]}"


def joined(batches: Iterable[Batch]) -> list[Batch]:
    """The same puzzles; neighbours that share layout, symbols and format are in one batch.

    Puzzles with candidates and others are in different batches.
    """
    merged: list[Batch] = []
    for _, group in groupby(batches, lambda b: (b.layout, b.symbols, b.shape, bool(b.candidates))):
        first, *others = group
        first.values = b"".join([first.values, *(batch.values for batch in others)])
        first.candidates += b"".join([batch.candidates for batch in others])
        for batch in others:
            first.lines += batch.lines
            first.grid_texts += batch.grid_texts
            first.headers += batch.headers
        merged.append(first)
    return merged
