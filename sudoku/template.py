"""The lines a grid came in, and the same lines with other values in its cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sudoku.reading.lines import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudoku.symbols import Symbols

__all__ = ["Template", "encoded", "fill", "fill_all"]

Template = list[tuple[str, list[Span]]]
"""The lines of a grid, rules among them, and where each has its cells."""


def encoded(text: str) -> bytes:
    """Text as bytes; what was no UTF-8 when it was read is as it was."""
    return text.encode("utf-8", "surrogateescape")


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


def fill_all(template: Template, grids: NDArray[np.uint8], symbols: Symbols) -> list[bytes]:
    """``fill`` for each of k grids, uint8[k, N*N].

    >>> import numpy as np
    >>> from sudoku.symbols import Symbols
    >>> fill_all([("1|2", [(0, 1), (2, 3)])], np.array([[3, 4], [2, 1]]), Symbols.default(4))
    [b'3|4\\n', b'2|1\\n']
    """
    import numpy as np

    names = symbols.names_and_blank
    text = "".join(line + "\n" for line, _ in template)
    narrow = all(end - start == 1 for _, spans in template for start, end in spans)
    if not (narrow and symbols.single and all(map(str.isascii, (text, *names)))):
        return [encoded(fill(template, values, symbols)) for values in grids.tolist()]
    cells: list[int] = []
    length = 0
    for line, spans in template:
        cells += [length + start for start, _ in spans]
        length += len(line) + 1
    out = np.tile(np.frombuffer(text.encode(), dtype=np.uint8), (len(grids), 1))
    out[:, cells] = np.frombuffer("".join(names).encode(), dtype=np.uint8)[grids]
    filled = out.tobytes()
    return [filled[start : start + length] for start in range(0, len(filled), length)]
