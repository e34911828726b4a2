"""Many grids of one layout as text at once, for the commands that make grids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudoku.layout import Layout
from sudoku.symbols import Symbols
from sudoku.writer import lines, quoted, render_all, texts


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
    if form in ("grid", "pretty"):
        return (b"" if first else b"\n") + b"\n".join(render_all(grids, layout, symbols, form))
    givens = (grids > 0).sum(axis=1).tolist()
    if form == "csv":
        rows = zip(texts(grids, symbols), givens, strict=True)
        head = "puzzle,givens\n" if first else ""
        return (head + "".join([f"{text},{number}\n" for text, number in rows])).encode()
    rows = zip(quoted(grids, symbols), givens, strict=True)
    return "".join(
        [f'{{"puzzle": {text}, "givens": {number}}}\n' for text, number in rows]
    ).encode()
