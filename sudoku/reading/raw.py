"""Puzzles and rows of puzzles as they are written, with their places in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sudoku.batch import GridText, Span

__all__ = ["Raw", "Row"]


@dataclass
class Raw:
    """A puzzle found in the text: its cells as they are written, not yet understood.

    Attributes:
        shape: ``"line"``, ``"csv"`` or ``"grid"``.
        line: number of its first line with cells.
        template: the lines of a grid, else empty.
        lead: what stands above a grid, a header or a blank line, each ended.
        starts: where on its line each cell of a puzzle on one line begins, from 0.
    """

    size: int
    shape: str
    cells: str | list[str]
    line: int
    template: GridText
    lead: str = ""
    starts: Sequence[int] = ()

    def place(self, cell: int) -> tuple[int, int]:
        """Line and column of a cell."""
        if not self.template:
            return self.line, self.starts[cell] + 1
        rows = [(number, spans) for number, (_, spans) in enumerate(self.template) if spans]
        per_row = len(rows[0][1])
        offset, spans = rows[cell // per_row]
        return self.line + offset - rows[0][0], spans[cell % per_row][0] + 1


@dataclass
class Row:
    """A line that may be a row of a grid; or a rule, without cells."""

    number: int
    text: str
    spans: list[Span]
    doubtful: bool = False  # a row of dashes or a rule

    @property
    def cells(self) -> list[str]:
        return [self.text[start:end] for start, end in self.spans]
