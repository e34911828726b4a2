"""Puzzles to print: an HTML page of sheets with R x C puzzles, their solutions on the back of each.

A browser makes the PDF. A sheet is of size A4, and wide if it has more columns than rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from sudoku.layout import Layout
from sudoku.symbols import Symbols
from sudoku.writing.picture import Marks, svg

STYLE = """\
body{margin:0;font:12pt system-ui,sans-serif;color:#000;background:#fff}
section{box-sizing:border-box;display:grid;gap:5mm;padding:10mm;margin:0 auto;break-after:page;
grid-template:repeat(var(--rows),minmax(0,1fr))/repeat(var(--columns),minmax(0,1fr));
width:var(--wide);height:var(--high);overflow:hidden}
figure{margin:0;min-height:0;display:flex;flex-direction:column;align-items:center}
figure svg{flex:1;min-height:0;width:100%}
section .sudoku{--paper:#fff;--ink:#000;--found:#000;--faint:#444;--line:#666;--shade:#e4e4e4}
@media screen{section{border:1px solid #999;margin:5mm auto}}
"""


class Sheets:
    r"""Makes the page; the texts that `add` and `end` return are its parts, in order.

    >>> sheets = Sheets(2, 3)
    >>> sheets.add([1, 0, 0, 0] * 4, [1, 2, 3, 4] * 4, 1, Layout(2, 2), Symbols.default(4))[:15]
    '<!DOCTYPE html>'
    >>> sheets.end().count("<section>"), sheets.end()
    (2, '</body></html>\n')
    """

    def __init__(self, rows: int, columns: int) -> None:
        self._room = rows * columns
        self._count = 0  # puzzles added
        self._sides: tuple[list[str], list[str]] = [], []  # of the sheet that is not complete
        width, height = (297, 210) if columns > rows else (210, 297)
        self._head = (  # until it is returned
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Sudoku</title>'
            f"<style>@page{{size:{width}mm {height}mm;margin:0}}\n{STYLE}"
            f"body{{--rows:{rows};--columns:{columns};--wide:{width}mm;"
            # a sheet as high as the paper would be followed by an empty page
            f"--high:{height - 1}mm}}</style></head><body>\n"
        )

    def add(
        self,
        givens: Sequence[int],
        found: Sequence[int],
        count: int,
        layout: Layout,
        symbols: Symbols,
        marks: Marks | None = None,
    ) -> str:
        """Add a puzzle with `count` solutions, of which `found` is the first."""
        head, self._head = self._head, ""
        self._count += 1
        notes = {0: ": no solution", 1: ""}
        pictures = (
            ("", svg(givens, layout, symbols, marks=marks)),
            (notes.get(count, ": one of several"), svg(givens, layout, symbols, found=found)),
        )
        for side, (note, picture) in zip(self._sides, pictures, strict=True):
            caption = f"<figcaption>{self._count}{note}</figcaption>"
            side.append(f"<figure>{caption}{picture.strip()}</figure>")
        return head + (self._sheet() if self._count % self._room == 0 else "")

    def end(self) -> str:
        """Return the rest of the page."""
        return self._head + self._sheet() + "</body></html>\n"

    def _sheet(self) -> str:
        text = "".join(f"<section>{''.join(side)}</section>\n" for side in self._sides if side)
        self._sides = [], []
        return text
