"""Many grids of one layout as text at once, without work per grid where symbols allow it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudoku.layout import Layout
from sudoku.symbols import Symbols
from sudoku.writer import render


def as_text(
    grids: NDArray[np.uint8], layout: Layout, symbols: Symbols, form: str, first: bool = True
) -> bytes:
    """Grids, uint8[k, cells], each on a line, or in N lines with a blank line in between.

    Args:
        form: ``"line"``, ``"grid"`` or ``"pretty"``.
        first: no grid was written before these, so that no blank line leads.

    >>> as_text(np.arange(1, 5, dtype=np.uint8).repeat(4)[None], Layout(2, 2),
    ...         Symbols.default(4), "line")
    b'1111222233334444\\n'
    """
    n = layout.size
    table = [symbols.blank, *symbols.names]
    if form == "pretty" or any(len(name.encode()) != 1 for name in table):
        apart = "\n" if form == "line" else "\n\n"
        body = apart.join(render(grid.tolist(), layout, symbols, form) for grid in grids) + "\n"
        return (("" if first or form == "line" or not len(grids) else "\n") + body).encode()
    names = np.frombuffer("".join(table).encode(), np.uint8)
    width = layout.cells if form == "line" else n
    lines = layout.cells // width
    lead = int(form == "grid")
    text = np.full((len(grids), lead + lines * (width + 1)), ord("\n"), np.uint8)
    body_view = text[:, lead:].reshape(len(grids), lines, width + 1)
    body_view[:, :, :width] = names[grids].reshape(len(grids), lines, width)
    return text.tobytes()[lead if first else 0 :]
