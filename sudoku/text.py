"""Many grids of one layout as text at once, without work per grid where symbols allow it."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from sudoku.layout import Layout
from sudoku.symbols import Symbols
from sudoku.writer import lines, render


def as_text(
    grids: NDArray[np.uint8], layout: Layout, symbols: Symbols, form: str, first: bool = True
) -> bytes:
    """Grids, uint8[k, cells], as text.

    Args:
        form: ``"line"``; ``"grid"``, N lines each, or ``"pretty"``, boxes ruled, with a blank
            line in between; ``"json"``, an object a line, or ``"csv"``, both with the number
            of givens.
        first: no grid was written before these, so that no blank line leads (in ``"csv"``: the
            line of headings does).

    >>> as_text(np.arange(1, 5, dtype=np.uint8).repeat(4)[None], Layout(2, 2),
    ...         Symbols.default(4), "csv")
    b'puzzle,givens\\n1111222233334444,16\\n'
    """
    if form == "line":
        return lines(grids, symbols)
    if form == "grid" and len(grids):
        n = layout.size
        rows = lines(grids.reshape(-1, n), symbols)
        if len(rows) == len(grids) * n * (n + 1):  # one byte a cell
            text = np.full((len(grids), 1 + n * (n + 1)), ord("\n"), np.uint8)
            text[:, 1:] = np.frombuffer(rows, np.uint8).reshape(len(grids), -1)
            return text.tobytes()[1 if first else 0 :]
    if form in ("grid", "pretty"):
        lead = "" if first else "\n"
        return "".join(
            ("\n" if k else lead) + render(grid.tolist(), layout, symbols, form) + "\n"
            for k, grid in enumerate(grids)
        ).encode()
    named = [
        (symbols.text(grid.tolist()), int(number))
        for grid, number in zip(grids, (grids > 0).sum(axis=1), strict=True)
    ]
    if form == "csv":
        head = "puzzle,givens\n" if first else ""
        return (head + "".join(f"{text},{number}\n" for text, number in named)).encode()
    return "".join(
        json.dumps({"puzzle": text, "givens": number}, ensure_ascii=False) + "\n"
        for text, number in named
    ).encode()
