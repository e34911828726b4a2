"""One grid as text, and text as bytes."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import east_asian_width

from sudoku.errors import SudokuError
from sudoku.layout import Layout
from sudoku.symbols import Symbols

__all__ = ["encoded", "render"]


def render(values: Sequence[int], layout: Layout, symbols: Symbols, form: str) -> str:
    """One grid as text, without a newline at its end.

    Parameters
    ----------
    values : sequence of int
        The N*N cells row by row: 0 for a blank, digits 1 to N.
    layout : Layout
        Shape of the grid.
    symbols : Symbols
        Names of the digits.
    form : {"line", "grid", "pretty"}
        One line, N lines, or N lines with rules between the boxes.

    Raises
    ------
    SudokuError
        If `form` is another one.

    Examples
    --------
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
    names = symbols.names_and_blank
    width = max(map(_width, names))
    cells = [" " * (width - _width(name)) + name for name in names]
    stacks = range(0, n, layout.box_columns)
    rule = "+".join(["-" * (layout.box_columns * (width + 1) + 1)] * len(stacks))[1:-1]
    lines = []
    for number, row in enumerate(rows):
        if number and number % layout.box_rows == 0:
            lines.append(rule)
        boxes = [" ".join([cells[v] for v in row[i : i + layout.box_columns]]) for i in stacks]
        lines.append(" | ".join(boxes))
    return "\n".join(lines)


def encoded(text: str) -> bytes:
    """Text as UTF-8; bytes that were not UTF-8 when they were read are restored."""
    return text.encode("utf-8", "surrogateescape")


def _width(text: str) -> int:
    """Columns of a text on a terminal: East Asian wide characters take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
