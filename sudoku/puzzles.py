"""Puzzles as they are read: many that share layout, symbols and shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from sudoku.layout import Layout
from sudoku.symbols import Symbols
from sudoku.template import Template

__all__ = ["Batch", "joined"]


@dataclass
class Batch:
    """Puzzles that share layout, symbols and shape.

    Attributes:
        values: k * N * N bytes, 0 blank, 1..N digits.
        shape: ``"line"``, ``"csv"`` or ``"grid"``.
        source: name of the file.
        lines: number of the first line of each puzzle.
        templates: the lines of each puzzle if the shape is ``"grid"``, else empty.
        leads: what stands above each, a header or a blank line; beside ``templates``.
    """

    layout: Layout
    symbols: Symbols
    shape: str
    values: bytes
    source: str = "<text>"
    lines: list[int] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.values) // self.layout.cells

    def place(self, index: int) -> str:
        """``file:line`` of a puzzle."""
        return f"{self.source}:{self.lines[index]}"


def joined(batches: Iterable[Batch]) -> list[Batch]:
    """The same puzzles; those of the same kind that stand side by side in one batch."""
    parts = groupby(batches, lambda batch: (batch.layout, batch.symbols, batch.shape))
    return [_one(list(group)) for _, group in parts]


def _one(batches: list[Batch]) -> Batch:
    first = batches[0]
    return Batch(
        first.layout,
        first.symbols,
        first.shape,
        b"".join([batch.values for batch in batches]),
        first.source,
        [line for batch in batches for line in batch.lines],
        [template for batch in batches for template in batch.templates],
        [lead for batch in batches for lead in batch.leads],
    )
