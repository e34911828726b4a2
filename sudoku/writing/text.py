"""Many grids of one layout as text at once, for the commands that make grids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudoku.grid import Grid
from sudoku.layout import Layout
from sudoku.shell.command import Output, Sheets, held
from sudoku.symbols import Symbols
from sudoku.writing.writer import lines, quoted, render_all, texts


class Writer:
    """Writes grids of one layout to the output of a command, piece by piece.

    Args:
        form: as in ``as_text``, or ``"svg"``.
        expected: how many grids there will be.

    Raises:
        FileError: several pictures are expected for standard output.
    """

    def __init__(self, output: Output, layout: Layout, form: str, expected: int) -> None:
        self._output, self._layout, self._form = output, layout, form
        self._symbols = Symbols.default(layout.size)
        self._sheets = Sheets(output)
        if form == "svg":
            self._sheets.expect(expected)

    @property
    def count(self) -> int:
        """Grids written so far."""
        return self._sheets.count or self._output.count

    def put(self, grids: NDArray[np.uint8]) -> None:
        """Write grids, uint8[k, cells]."""
        if self._form != "svg":
            first = self._output.count == 0
            text = as_text(grids, self._layout, self._symbols, self._form, first)
            self._output.write(text, len(grids))
            return
        from sudoku.writing.picture import svg

        for values in grids:
            with held():
                self._sheets.add(svg(Grid(self._layout, values, self._symbols)))

    def finish(self) -> None:
        """After the last grid, or after those that there were until Ctrl-C."""
        self._sheets.finish()

    def discard(self) -> None:
        """Leave no pictures behind; text is left by the output itself."""
        self._sheets.discard()


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
