"""Helpers for drawings: text, boxes, lines, and one style sheet for light and dark."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

Point = tuple[float, float]
Cell = tuple[int, int]

STYLE = """\
.d{--paper:#fff;--ink:#16181d;--soft:#5b6270;--line:#8a909c;--on:#0b57b0;--off:#e6e9f0;--hot:#ffe07a;
font-family:system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif}
@media (prefers-color-scheme:dark){.d{--paper:#15171c;--ink:#f0f1f4;--soft:#a9b0bd;--line:#6d7482;
--on:#8ab8ff;--off:#272b35;--hot:#5f541c}}
.d .paper{fill:var(--paper)}.d text{fill:var(--ink);dominant-baseline:central;text-anchor:middle}
.d .soft{fill:var(--soft)}.d .left{text-anchor:start}.d .box{fill:var(--paper);stroke:var(--line)}
.d .on{fill:var(--on)}.d .off{fill:var(--off)}.d .hot{fill:var(--hot);stroke:var(--line)}
.d .link{fill:none;stroke:var(--line);stroke-width:1.4}
.d .wall{stroke:var(--ink);stroke-width:3;stroke-linecap:round}
.d .inverse{fill:var(--paper)}.d .piece{fill:#16181d}
"""
COLOURS = (
    *("#8ecae6", "#ffb703", "#b7e4c7", "#f4a6a6", "#cdb4db", "#ffd6a5"),
    *("#a0c4ff", "#d9ed92", "#f2c6de", "#bde0d6", "#e6ccb2", "#c9cba3"),
)
"""Backgrounds of pieces, whose letters are dark in both modes."""


def drawing(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Return a complete SVG file."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="d" role="img" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
        f'<rect class="paper" width="{width:g}" height="{height:g}"/>{"".join(parts)}</svg>\n'
    )


def text(at: Point, words: object, kind: str = "", size: float = 15) -> str:
    """Return a text centred at a point; with kind "left" it begins there."""
    return (
        f'<text class="{kind}" x="{at[0]:g}" y="{at[1]:g}" font-size="{size:g}">'
        f"{escape(str(words))}</text>"
    )


def box(at: Point, width: float, height: float, kind: str = "box", colour: str = "") -> str:
    """Return a rectangle by its upper left corner."""
    fill = f' style="fill:{colour}"' if colour else ""
    corner = "" if colour else ' rx="2"'
    return (
        f'<rect class="{kind}" x="{at[0]:g}" y="{at[1]:g}" '
        f'width="{width:g}" height="{height:g}"{corner}{fill}/>'
    )


def line(a: Point, b: Point, kind: str = "link") -> str:
    """Return a straight line."""
    return f'<path class="{kind}" d="M{a[0]:g} {a[1]:g}L{b[0]:g} {b[1]:g}"/>'


def bits(at: Point, pattern: str, size: float = 14) -> str:
    """Return a row of squares, one for each character: filled for 1, not for 0."""
    kinds = {"1": "on", "0": "off"}
    return "".join(
        box((at[0] + size * k, at[1]), size - 2, size - 2, kinds[bit])
        for k, bit in enumerate(pattern)
        if bit in kinds
    )


def tiling(at: Point, pieces: Mapping[str, Sequence[Cell]], side: float = 36) -> str:
    """Return a board with its pieces coloured and outlined; each has its name on its first cell."""
    owner = {cell: name for name, cells in pieces.items() for cell in cells}
    parts = []
    for number, (name, cells) in enumerate(sorted(pieces.items())):
        colour = COLOURS[number % len(COLOURS)]
        for row, column in cells:
            corner = (at[0] + side * column, at[1] + side * row)
            parts.append(box(corner, side + 0.5, side + 0.5, "", colour))
        row, column = min(cells)
        middle = (at[0] + side * (column + 0.5), at[1] + side * (row + 0.5))
        parts.append(text(middle, name, "piece", side / 2))
    for (row, column), name in owner.items():
        x, y = at[0] + side * column, at[1] + side * row
        walls = {
            (row - 1, column): ((x, y), (x + side, y)),
            (row + 1, column): ((x, y + side), (x + side, y + side)),
            (row, column - 1): ((x, y), (x, y + side)),
            (row, column + 1): ((x + side, y), (x + side, y + side)),
        }
        parts += [line(*w, "wall") for other, w in walls.items() if owner.get(other) != name]
    return "".join(parts)
