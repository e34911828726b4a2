"""Grids as text: one by one, or many of one layout at once without work per cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sudoku.errors import SudokuError
from sudoku.symbols import Symbols
from sudoku.template import encoded, fill_all

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudoku.layout import Layout

__all__ = ["lines", "quoted", "render", "render_all", "texts"]


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


def texts(
    grids: NDArray[np.uint8], symbols: Symbols, names: Sequence[str] | None = None
) -> list[str]:
    """k grids, uint8[k, N*N], one line each, as ``Symbols.text`` has it.

    Args:
        names: what to write for 0, 1, ..., N in place of the symbols.

    >>> import numpy as np
    >>> from sudoku.symbols import Symbols
    >>> texts(np.arange(5, dtype=np.uint8)[None], Symbols.default(4))
    ['.1234']
    """
    import numpy as np

    names = names or symbols.names_and_blank
    if symbols.single and all(len(name) == 1 and name > "\0" for name in names):
        codes = np.array([ord(name) for name in names], dtype=np.uint32)[grids]
        packed: list[str] = codes.view(f"U{grids.shape[1]}").reshape(-1).tolist()
        return packed
    apart = "" if symbols.single else " "
    return [apart.join([names[value] for value in values]) for values in grids.tolist()]


def quoted(grids: NDArray[np.uint8], symbols: Symbols) -> list[str]:
    """``texts`` as JSON strings.

    >>> import numpy as np
    >>> from sudoku.symbols import Symbols
    >>> print(*quoted(np.array([[1, 2]], dtype=np.uint8), Symbols(("\\\\", "2"))))
    "\\\\2"
    """
    import json

    names = [json.dumps(name, ensure_ascii=False)[1:-1] for name in symbols.names_and_blank]
    return [f'"{text}"' for text in texts(grids, symbols, names)]


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
        return encoded("".join([text + "\n" for text in texts(grids, symbols)]))
    k, cells = grids.shape
    text = np.full((k, cells + 1), ord("\n"), dtype=np.uint8)
    text[:, :cells] = np.frombuffer("".join(names).encode(), dtype=np.uint8)[grids]
    return text.tobytes()


def render_all(
    grids: NDArray[np.uint8], layout: Layout, symbols: Symbols, form: str
) -> list[bytes]:
    """``render`` of k grids, uint8[k, N*N], in form ``"grid"`` or ``"pretty"``, each ended.

    >>> import numpy as np
    >>> from sudoku.layout import Layout, Symbols
    >>> render_all(np.ones((1, 16), dtype=np.uint8), Layout(2, 2), Symbols.default(4), "grid")
    [b'1111\\n1111\\n1111\\n1111\\n']
    """
    if not symbols.single or not all(map(str.isascii, symbols.names_and_blank)):
        drawn = (render(values, layout, symbols, form) for values in grids.tolist())
        return [encoded(text + "\n") for text in drawn]
    marked = Symbols(symbols.names, blank="\0")
    rows = render([0] * layout.cells, layout, marked, form).split("\n")
    template = [(row, [(i, i + 1) for i, mark in enumerate(row) if mark == "\0"]) for row in rows]
    return fill_all(template, grids, symbols)
