"""Grids as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sudoku.errors import SudokuError

if TYPE_CHECKING:
    from sudoku.layout import Layout
    from sudoku.symbols import Symbols

__all__ = ["render"]


def render(values: Sequence[int], layout: Layout, symbols: Symbols, form: str) -> str:
    """One grid as text, without a newline at its end.

    Args:
        values: N*N ints, 0 blank, row by row.
        form: ``"line"`` (one line), ``"grid"`` (N lines) or ``"pretty"`` (boxes ruled).

    >>> from sudoku.layout import Layout, Symbols
    >>> print(render([1, 2, 3, 4, *[0] * 12], Layout(2, 2), Symbols.default(4), "pretty"))
    1 2 | 3 4
    . . | . .
    ----+----
    . . | . .
    . . | . .
    """
    n = layout.size
    rows = [values[start : start + n] for start in range(0, n * n, n)]
    if form == "line":
        return symbols.text(values)
    if form == "grid":
        return "\n".join(map(symbols.text, rows))
    if form != "pretty":
        raise SudokuError(f"unknown format {form!r}: line, grid or pretty")
    table = symbols.names_and_blank
    width = max(map(_width, table))
    cells = [name + " " * (width - _width(name)) for name in table]
    if not symbols.single:
        cells = [" " * (width - _width(name)) + name for name in table]
    stacks = range(0, n, layout.box_columns)
    rule = "+".join(["-" * (layout.box_columns * (width + 1) + 1)] * len(stacks))[1:-1]
    lines = []
    for number, row in enumerate(rows):
        if number and number % layout.box_rows == 0:
            lines.append(rule)
        boxes = [" ".join([cells[v] for v in row[i : i + layout.box_columns]]) for i in stacks]
        lines.append(" | ".join(boxes).rstrip())
    return "\n".join(lines)


def _width(text: str) -> int:
    """Columns on a terminal: East Asian wide characters take two."""
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
