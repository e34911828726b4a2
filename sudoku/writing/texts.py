"""Grids of one layout as text: one, or many without Python code for each cell.

In all functions `grids` is uint8[k, N*N]: 0 for a blank, digits 1 to N.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from dlx.checks import brief
from sudoku.errors import SudokuError
from sudoku.layout import Layout
from sudoku.symbols import NOTHING, Symbols

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Span = tuple[int, int]
"""Place of a cell in its line: start and end."""

GridText = list[tuple[str, list[Span]]]
"""The lines that a grid was read from, rules among them: the text and the cells of each."""


def encoded(text: str) -> bytes:
    """Text as UTF-8; bytes that were not UTF-8 when they were read are restored."""
    return text.encode("utf-8", "surrogateescape")


FORMS = ("line", "grid", "pretty", "sdk", "ss")
"""The forms of `render`."""


def render(values: Sequence[int], layout: Layout, symbols: Symbols, form: str) -> str:
    """One grid as ``"line"``, ``"grid"`` or, with rules between the boxes, ``"pretty"``.

    ``"sdk"`` and ``"ss"`` are the files of SadMan and of Simple Sudoku. No newline ends the text.
    SudokuError if there is no such form.

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
    if form in ("grid", "sdk"):
        return "[Puzzle]\n" * (form == "sdk") + "\n".join(map(symbols.text, rows))
    if form not in FORMS:
        raise SudokuError(f"unknown format {brief(form)}: {', '.join(FORMS)}")
    names = symbols.names_and_blank
    width = max(map(_width, names))
    cells = [" " * (width - _width(name)) + name for name in names]
    gap = "" if form == "ss" and symbols.single else " "
    stacks = range(0, n, layout.box_columns)
    bar, cross = ("|", "+") if form == "ss" else (" | ", "-+-")
    box_width = layout.box_columns * (width + len(gap)) - len(gap)
    rule = cross.join(["-" * box_width] * len(stacks))
    boxes = [
        [gap.join([cells[v] for v in row[i : i + layout.box_columns]]) for i in stacks]
        for row in rows
    ]
    lines = _with_rules(list(map(bar.join, boxes)), rule, layout)
    if form == "ss":
        edge = f"*{'-' * len(rule)}*"
        lines = [edge, *(f"|{line}|" for line in lines), edge]
    return "\n".join(lines)


def render_candidates(
    masks: Sequence[int], layout: Layout, symbols: Symbols, form: str = "pretty"
) -> str:
    """The candidates of one grid; bit d - 1 of a mask stands for digit d.

    A ``"line"`` has N characters for each cell, a ``"grid"`` a word for each cell, and
    ``"pretty"`` rules between the boxes as well; a cell without any has ``!``, or a blank if ``!``
    is a symbol. No newline ends the text. SudokuError if there is no such form or a symbol has
    more than one character.

    >>> masks = [1, 14, 14, 14, *[15] * 12]
    >>> print(render_candidates(masks, Layout(2, 2), Symbols.default(4)))
    +-----------+-----------+
    | 1    234  | 234  234  |
    | 1234 1234 | 1234 1234 |
    +-----------+-----------+
    | 1234 1234 | 1234 1234 |
    | 1234 1234 | 1234 1234 |
    +-----------+-----------+
    >>> render_candidates(masks, Layout(2, 2), Symbols.default(4), "line")[:8]
    '1....234'
    """
    n = layout.size
    if not symbols.single:
        raise SudokuError("candidates are written with symbols of one character: give --symbols")
    if form not in ("line", "grid", "pretty"):
        raise SudokuError(f"unknown format {brief(form)}: line, grid or pretty")
    absent = symbols.blank if form == "line" else ""
    nothing = (symbols.blank if NOTHING in symbols.names else NOTHING) + absent * (n - 1)
    marks = [(1 << digit, name) for digit, name in enumerate(symbols.names)]
    words = [
        "".join(name if mask & bit else absent for bit, name in marks) if mask else nothing
        for mask in masks
    ]
    if form == "line":
        return "".join(words)
    widths = [max(_width(word) for word in words[column::n]) for column in range(n)]
    padded = [word + " " * (widths[k % n] - _width(word)) for k, word in enumerate(words)]
    rows = [padded[start : start + n] for start in range(0, n * n, n)]
    if form == "grid":
        return "\n".join(" ".join(row).rstrip() for row in rows)
    boxes = range(0, n, layout.box_columns)
    parts = [[" ".join(row[i : i + layout.box_columns]) for i in boxes] for row in rows]
    rule = "+" + "+".join("-" * (_width(part) + 2) for part in parts[0]) + "+"
    lines = [f"| {' | '.join(part)} |" for part in parts]
    return "\n".join([rule, *_with_rules(lines, rule, layout), rule])


def _with_rules(rows: Sequence[str], rule: str, layout: Layout) -> list[str]:
    """Rows of a grid with a rule between its bands."""
    height = layout.box_rows if layout.has_boxes else layout.size
    bands = ([rule, *rows[top : top + height]] for top in range(0, layout.size, height))
    return list(chain.from_iterable(bands))[1:]


def _width(text: str) -> int:
    """Columns of a text on a terminal: East Asian wide characters take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def texts(
    grids: NDArray[np.uint8], symbols: Symbols, names: Sequence[str] | None = None
) -> list[str]:
    """Each grid as `Symbols.text` writes it; `names` replaces the names of 0, 1, ..., N."""
    import numpy as np

    names = names or symbols.names_and_blank
    if symbols.single and all(len(name) == 1 and name > "\0" for name in names):
        codes = np.array([ord(name) for name in names], dtype=np.uint32)[grids]
        packed: list[str] = codes.view(f"U{grids.shape[1]}").reshape(-1).tolist()
        return packed
    separator = "" if symbols.single else " "
    return [separator.join([names[value] for value in values]) for values in grids.tolist()]


def quoted(grids: NDArray[np.uint8], symbols: Symbols) -> list[str]:
    """`texts` as JSON strings."""
    import json

    names = [json.dumps(name, ensure_ascii=False)[1:-1] for name in symbols.names_and_blank]
    return [f'"{text}"' for text in texts(grids, symbols, names)]


def lines(grids: NDArray[np.uint8], symbols: Symbols) -> bytes:
    """All grids, one a line; each line ends with a newline."""
    cells = grids.shape[1]
    copies = _copies(" " * cells + "\n", slice(0, cells), grids, symbols)
    return copies or encoded("".join([text + "\n" for text in texts(grids, symbols)]))


def render_all(
    grids: NDArray[np.uint8], layout: Layout, symbols: Symbols, form: str
) -> list[bytes]:
    """`render` of each grid in a form of several lines, with a newline at its end."""
    if not symbols.single or not all(map(str.isascii, symbols.names_and_blank)):
        rendered = (render(values, layout, symbols, form) for values in grids.tolist())
        return [encoded(text + "\n") for text in rendered]
    marked = Symbols(symbols.names, blank="\0")
    rows = render([0] * layout.cells, layout, marked, form).split("\n")
    text = [(row, [(i, i + 1) for i, mark in enumerate(row) if mark == "\0"]) for row in rows]
    return substitute_all(text, grids, symbols)


def substitute(text: GridText, values: Sequence[int], symbols: Symbols) -> str:
    r"""The lines of a grid with other values in its cells, each line with a newline at its end.

    If a name is longer than the text it replaces, blanks before the cell are removed.

    >>> substitute([("+--+--+", []), ("|. 1| 2 .|", [(1, 2), (3, 4), (6, 7), (8, 9)])],
    ...            [4, 1, 2, 3], Symbols.default(4))
    '+--+--+\n|4 1| 2 3|\n'
    """
    names = symbols.names_and_blank
    digits = iter(values)
    out = []
    for line, spans in text:
        parts, position = [], 0
        for start, end in spans:
            name = names[next(digits)]
            gap = line[position:start]
            wider = len(name) - (end - start)
            if wider > 0:  # keep at least one blank between two cells
                room = re.search(r"(?<= ) +$|^ +$" if not position else r"(?<= ) +$", gap)
                gap = gap[: len(gap) - min(wider, len(room[0]) if room else 0)]
            elif wider < 0:
                gap += " " * -wider
            parts += [gap, name]
            position = end
        out.append("".join(parts) + line[position:])
    return "\n".join(out) + "\n"


def substitute_all(text: GridText, grids: NDArray[np.uint8], symbols: Symbols) -> list[bytes]:
    """`substitute` for each grid."""
    template = "".join(line + "\n" for line, _ in text)
    places: list[int] = []
    length = 0
    for line, spans in text:
        places += [length + start for start, end in spans if end - start == 1]
        length += len(line) + 1
    copies = b""
    if len(places) == grids.shape[1]:
        copies = _copies(template, places, grids, symbols)
    if not copies:
        return [encoded(substitute(text, values, symbols)) for values in grids.tolist()]
    return [copies[start : start + length] for start in range(0, len(copies), length)]


def _copies(
    text: str, places: slice | list[int], grids: NDArray[np.uint8], symbols: Symbols
) -> bytes:
    """A copy of the text for each grid, with its values at the places; b"" if not all is ASCII."""
    import numpy as np

    names = "".join(symbols.names_and_blank)
    if not symbols.single or len(names) != symbols.size + 1 or not (text + names).isascii():
        return b""
    copies = np.tile(np.frombuffer(text.encode(), dtype=np.uint8), (len(grids), 1))
    copies[:, places] = np.frombuffer(names.encode(), dtype=np.uint8)[grids]
    return copies.tobytes()


def grids_as_text(
    grids: NDArray[np.uint8],
    layout: Layout,
    symbols: Symbols,
    form: str,
    first: bool = True,
    solutions: NDArray[np.uint8] | None = None,
) -> bytes:
    """All grids as text; unless they are the `first` ones, after a blank line or without headings.

    Between two grids of several lines stands a blank line. Forms ``"line"``, ``"json"`` (an object)
    and ``"csv"`` (a row) have a line for each grid, the last two with the number of givens and with
    the solution, if `solutions` are given; it is null or empty where that is all zeros.
    """
    if form == "line":
        return lines(grids, symbols)
    if form in FORMS:
        return (b"" if first else b"\n") + b"\n".join(render_all(grids, layout, symbols, form))
    as_json = form == "json"
    write = quoted if as_json else texts
    columns: dict[str, list[Any]] = {"puzzle": write(grids, symbols)}
    columns["givens"] = (grids > 0).sum(axis=1).tolist()
    if solutions is not None:
        solved: Any = solutions.any(axis=1)
        pairs = zip(write(solutions, symbols), solved, strict=True)
        columns["solution"] = [text if is_solved else "null" * as_json for text, is_solved in pairs]
    row = ",".join(["{}"] * len(columns)) + "\n"
    if as_json:
        row = "{{" + ", ".join(f'"{name}": {{}}' for name in columns) + "}}\n"
    head = ",".join(columns) + "\n" if first and not as_json else ""
    return (head + "".join(map(row.format, *columns.values()))).encode()
