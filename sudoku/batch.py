"""Puzzles as they are read: many that share layout, symbols and format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from sudoku.layout import Layout
from sudoku.symbols import Symbols

__all__ = ["Batch", "GridText", "Span", "joined"]

Span = tuple[int, int]
"""Place of a cell in its line: start and end."""

GridText = list[tuple[str, list[Span]]]
"""The lines that a grid was read from, rules among them: the text and the cells of each."""


@dataclass
class Batch:
    """Puzzles that share layout, symbols and format.

    Attributes
    ----------
    layout : Layout
        Their shape.
    symbols : Symbols
        Names of their digits.
    shape : {"line", "csv", "grid"}
        Format that they were read from.
    values : bytes
        The N*N cells of each puzzle, one byte a cell: 0 for a blank, digits 1 to N.
    source : str
        Name of the file.
    lines : list of int
        Number of the first line of each puzzle.
    grid_texts : list of GridText
        The lines of each puzzle if the shape is ``"grid"``, else empty.
    headers : list of str
        Text above each puzzle, a header or a blank line; as long as `grid_texts`.
    """

    layout: Layout
    symbols: Symbols
    shape: str
    values: bytes
    source: str = "<text>"
    lines: list[int] = field(default_factory=list)
    grid_texts: list[GridText] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.values) // self.layout.cells

    def place(self, index: int) -> str:
        """``file:line`` of a puzzle."""
        return f"{self.source}:{self.lines[index]}"


def joined(batches: Iterable[Batch]) -> list[Batch]:
    """The same puzzles; neighbours that share layout, symbols and format are in one batch."""
    groups = groupby(batches, lambda batch: (batch.layout, batch.symbols, batch.shape))
    return [_one(list(group)) for _, group in groups]


def _one(batches: list[Batch]) -> Batch:
    first = batches[0]
    return Batch(
        first.layout,
        first.symbols,
        first.shape,
        b"".join([batch.values for batch in batches]),
        first.source,
        [line for batch in batches for line in batch.lines],
        [text for batch in batches for text in batch.grid_texts],
        [header for batch in batches for header in batch.headers],
    )
