"""MacMahon's squares: squares with coloured edges that agree where they meet.

P. A. MacMahon, New Mathematical Pastimes, 1921; Knuth, TAOCP 4B, section 7.2.2.1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

from dlx.checks import at_least
from dlx.errors import ProblemError
from dlx.models.model import (
    GOLDEN,
    SQUARE,
    Model,
    Options,
    Square,
    Squares,
    check_entries,
    frame,
)
from dlx.models.shapes import box
from dlx.problem import Coloured, Problem


def macmahon(rows: int, columns: int, colours: int = 3) -> Model:
    """Squares with coloured edges on a board, each pattern at most once.

    Each inner edge is a secondary item: the two squares that meet there agree on its colour. The
    outer edges have the first colour. With 3 colours there are 24 patterns up to rotation, which
    fill a board of 4 x 6.

    Parameters
    ----------
    rows, columns, colours : int
        There are at most as many squares as patterns.

    Raises
    ------
    ProblemError
        A number is below 1 or not whole, there are fewer patterns than squares, or the problem
        would be too large.

    Examples
    --------
    >>> from dlx import models
    >>> models.macmahon(4, 6).problem
    Problem(48 primary + 38 secondary items, 1008 options, 5652 entries)
    """
    rows, columns = at_least(rows, 1, "rows"), at_least(columns, 1, "columns")
    check_entries(rows * columns, "rows times columns", rows * columns)
    colours = at_least(colours, 1, "colours")
    check_entries(colours**4 * rows * columns, "colours", colours)
    patterns = sorted(
        {min(e[k:] + e[:k] for k in range(4)) for e in product(range(colours), repeat=4)}
    )
    if len(patterns) < rows * columns:
        raise ProblemError(
            f"a board of {rows * columns} squares: with {colours} colours there are "
            f"{len(patterns)} patterns, each used at most once"
        )
    cells = box(rows, columns)
    inner = {
        edge
        for r, c in cells
        for edge, inside in ((("h", r, c), r > 0), (("v", r, c), c > 0))
        if inside
    }
    options: list[list[Hashable]] = []
    for pattern in patterns:
        turned = sorted({pattern[k:] + pattern[:k] for k in range(4)})
        for (r, c), tops in product(cells, turned):
            edges = _around(r, c)
            if all(edge in inner or k == 0 for edge, k in zip(edges, tops, strict=True)):
                coloured = [Coloured(e, k) for e, k in zip(edges, tops, strict=True) if e in inner]
                options.append([pattern, (r, c), *coloured])
    primary: list[Hashable] = [*patterns, *cells] if len(patterns) == len(cells) else [*cells]
    spare = [] if len(patterns) == len(cells) else list(patterns)
    problem = Problem(options, primary=primary, secondary=[*spare, *sorted(inner)])
    return ColouredSquares(problem, _squares)


def _around(r: int, c: int) -> list[tuple[str, int, int]]:
    """Return the edges of a cell, horizontal or vertical: top, right, bottom, left."""
    return [("h", r, c), ("v", r, c + 1), ("h", r + 1, c), ("v", r, c)]


def _edges(option: tuple[Any, ...]) -> tuple[tuple[int, int], list[int]]:
    """Return the cell of an option, and the colours of its edges, as `_around` has them."""
    cell: tuple[int, int] = option[1]
    colours = {e.item: e.colour for e in option if isinstance(e, Coloured)}
    return cell, [colours.get(edge, 0) for edge in _around(*cell)]  # type: ignore[misc]


def _squares(chosen: Options) -> Squares:
    """Return the colours of the four edges of each square as its label."""
    edges = map(_edges, chosen)
    return {cell: Square(None, "".join(map(str, colours))) for cell, colours in edges}


@dataclass(frozen=True, repr=False)
class ColouredSquares(Model):
    """The model of squares in four triangles."""

    def svg(self, solution: Iterable[int]) -> str:
        """Return a picture: each edge is a triangle in its colour."""
        parts = []
        half = SQUARE / 2
        rows = columns = 0
        for (row, column), colours in map(_edges, self.options(solution)):
            x, y = SQUARE * column, SQUARE * row
            rows, columns = max(rows, row + 1), max(columns, column + 1)
            corners = [
                (x, y),
                (x + SQUARE, y),
                (x + SQUARE, y + SQUARE),
                (x, y + SQUARE),
            ]
            for k, colour in enumerate(colours):
                (x1, y1), (x2, y2) = corners[k], corners[(k + 1) % 4]
                parts.append(
                    f'<polygon points="{x1},{y1} {x2},{y2} {x + half:g},{y + half:g}"'
                    f' fill="hsl({colour * GOLDEN % 360:.0f} 70% 65%)" stroke-width="1"/>'
                )
        return frame(SQUARE * columns, SQUARE * rows, parts)
