"""Puzzles as they are read: many that share layout, symbols and format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from sudoku.layout import Layout
from sudoku.symbols import Symbols

Span = tuple[int, int]
"""Place of a cell in its line: start and end."""

GridText = list[tuple[str, list[Span]]]
"""The lines that a grid was read from, rules among them: the text and the cells of each."""


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

    def place(self, index: int) -> str:
        """``file:line`` of a puzzle."""
        return f"{self.source}:{self.lines[index]}"


def joined(batches: Iterable[Batch]) -> list[Batch]:
    """The same puzzles; neighbours that share layout, symbols and format are in one batch.

    Puzzles with candidates and others are in different batches.
    """
    found: list[Batch] = []
    for _, group in groupby(batches, _kind):
        first, *others = group
        first.values = b"".join([first.values, *(batch.values for batch in others)])
        first.candidates += b"".join([batch.candidates for batch in others])
        for batch in others:
            first.lines += batch.lines
            first.grid_texts += batch.grid_texts
            first.headers += batch.headers
        found.append(first)
    return found


def _kind(batch: Batch) -> tuple[Layout, Symbols, str, bool]:
    return batch.layout, batch.symbols, batch.shape, bool(batch.candidates)
