"""Grids as text: one by one, in the shape they came in, or many lines at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sudoku.errors import SudokuError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudoku.layout import Layout
    from sudoku.reader import Template
    from sudoku.symbols import Symbols

__all__ = ["fill", "fill_all", "heading", "lines", "render"]


def render(values: Sequence[int], layout: Layout, symbols: Symbols, form: str) -> str:
    """One grid as text, without a newline at its end.

    Args:
        values: N*N ints, 0 blank, row by row.
        form: ``"line"`` (one line), ``"grid"`` (N lines) or ``"pretty"`` (boxes ruled).

    Raises:
        SudokuError: another form.

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
    cells = [" " * (width - _width(name)) + name for name in table]
    stacks = range(0, n, layout.box_columns)
    rule = "+".join(["-" * (layout.box_columns * (width + 1) + 1)] * len(stacks))[1:-1]
    ruled = []
    for number, row in enumerate(rows):
        if number and number % layout.box_rows == 0:
            ruled.append(rule)
        boxes = [" ".join([cells[v] for v in row[i : i + layout.box_columns]]) for i in stacks]
        ruled.append(" | ".join(boxes))
    return "\n".join(ruled)


def _width(text: str) -> int:
    """Columns on a terminal: East Asian wide characters take two."""
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def lines(grids: NDArray[np.uint8], symbols: Symbols) -> bytes:
    """k grids, uint8[k, N*N], one a line, each line ended.

    >>> import numpy as np
    >>> from sudoku.symbols import Symbols
    >>> lines(np.arange(5, dtype=np.uint8)[None], Symbols.default(4))
    b'.1234\\n'
    """
    import numpy as np

    names = symbols.names_and_blank
    if not symbols.single or not all(map(str.isascii, names)):
        return "".join([symbols.text(grid) + "\n" for grid in grids.tolist()]).encode()
    k, cells = grids.shape
    text = np.full((k, cells + 1), ord("\n"), dtype=np.uint8)
    text[:, :cells] = np.frombuffer("".join(names).encode(), dtype=np.uint8)[grids]
    return text.tobytes()


def fill(template: Template, values: Sequence[int], symbols: Symbols) -> str:
    """The lines a grid came in, with other values in its cells; ended by a newline.

    Where a value is wider than what stood there, blanks before it make room.

    >>> from sudoku.symbols import Symbols
    >>> fill([("+--+--+", []), ("|. 1| 2 .|", [(1, 2), (3, 4), (6, 7), (8, 9)])], [4, 1, 2, 3],
    ...      Symbols.default(4))
    '+--+--+\\n|4 1| 2 3|\\n'
    """
    names = symbols.names_and_blank
    cell = 0
    out = []
    for text, spans in template:
        parts, done = [], 0
        for start, end in spans:
            name = names[values[cell]]
            cell += 1
            gap = text[done:start]
            wider = len(name) - (end - start)
            if wider > 0:  # narrow the gap, but to one blank at least
                room = re.search(r"(?<= ) +$|^ +$" if not done else r"(?<= ) +$", gap)
                gap = gap[: len(gap) - min(wider, len(room[0]) if room else 0)]
            elif wider < 0:
                gap += " " * -wider
            parts += [gap, name]
            done = end
        out.append("".join(parts) + text[done:])
    return "\n".join(out) + "\n"


def fill_all(template: Template, grids: NDArray[np.uint8], symbols: Symbols) -> bytes:
    """``fill`` for k grids, uint8[k, N*N], one after the other.

    >>> import numpy as np
    >>> from sudoku.symbols import Symbols
    >>> fill_all([("1|2", [(0, 1), (2, 3)])], np.array([[3, 4], [2, 1]]), Symbols.default(4))
    b'3|4\\n2|1\\n'
    """
    import numpy as np

    names = symbols.names_and_blank
    text = "".join(line + "\n" for line, _ in template)
    narrow = all(end - start == 1 for _, spans in template for start, end in spans)
    if not (narrow and text.isascii() and symbols.single and all(map(str.isascii, names))):
        return "".join([fill(template, grid, symbols) for grid in grids.tolist()]).encode()
    cells: list[int] = []
    length = 0
    for line, spans in template:
        cells += [length + start for start, _ in spans]
        length += len(line) + 1
    out = np.tile(np.frombuffer(text.encode(), dtype=np.uint8), (len(grids), 1))
    out[:, cells] = np.frombuffer("".join(names).encode(), dtype=np.uint8)[grids]
    return out.tobytes()


def heading(template: Template) -> str:
    """The header and blank line above a grid, each line ended."""
    from sudoku.lines import is_rule, may_be_rule

    first = next((i for i, (_, spans) in enumerate(template) if spans), len(template))
    above = [text for text, _ in template[:first] if not is_rule(text) and not may_be_rule(text)]
    return "".join(text + "\n" for text in above)
