"""Pictures of grids as SVG: a puzzle, a solution, or the marks of a step.

Elements have classes; the style sheet in the picture defines how they look, in light and in dark.
Lengths are in units of which a cell is SQUARE wide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from math import ceil, sqrt
from unicodedata import east_asian_width

from sudoku.errors import LayoutError, PuzzleError
from sudoku.layout import Layout
from sudoku.symbols import Symbols

SQUARE = 60
INNER = 57  # of a cell, for its pencil marks
MARGIN = 4

STYLE = """\
.sudoku{--paper:#fff;--ink:#16181d;--found:#0b57b0;--faint:#5b6270;--line:#8a909c;--shade:#dfe4f0;
--house:#fff2bf;--cell:#ffe07a;--one:#a9dfb0;--other:#ffc78a;--fin:#d9b8f2;--gone:#b3261e;
font-family:system-ui,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif}
@media (prefers-color-scheme:dark){.sudoku{--paper:#15171c;--ink:#f0f1f4;--found:#8ab8ff;
--faint:#a9b0bd;--line:#6d7482;--shade:#272b35;--house:#3f3a1f;--cell:#5f541c;--one:#1f5e35;
--other:#7a4a12;--fin:#563a75;--gone:#ff9d94}}
.sudoku .paper{fill:var(--paper)}
.sudoku .cell{fill:none}.sudoku .shade{fill:var(--shade)}
.sudoku .house{fill:var(--house)}.sudoku .pattern{fill:var(--cell)}
.sudoku .thin{stroke:var(--line);stroke-width:1}
.sudoku .thick{stroke:var(--ink);stroke-width:3;stroke-linecap:square;fill:none}
.sudoku text{text-anchor:middle;dominant-baseline:central;fill:var(--ink)}
.sudoku .given{font-weight:700}.sudoku .found{fill:var(--found)}
.sudoku .mark text{fill:var(--faint)}
.sudoku .mark circle,.sudoku .mark path{display:none}
.sudoku .one circle,.sudoku .other circle,.sudoku .fin circle{display:inline}
.sudoku .one circle{fill:var(--one)}.sudoku .other circle{fill:var(--other)}
.sudoku .fin circle{fill:var(--fin)}
.sudoku .one text,.sudoku .other text,.sudoku .fin text{fill:var(--ink);font-weight:700}
.sudoku .gone text{fill:var(--gone)}
.sudoku .gone path{display:inline;stroke:var(--gone);stroke-width:1.6}
.sudoku .none{display:none}
"""
"""The style sheet. Classes of cells: shade, house, pattern; of digits: given, found; of pencil
marks: one, other, fin (the roles of `Marks.pattern`) and gone."""


@dataclass(frozen=True)
class Marks:
    """What a picture shows beside digits. Cells are numbered from 0, digits from 1."""

    candidates: Sequence[Sequence[int]] = ()  # of each cell the pencil marks to show if it is blank
    placed: Sequence[tuple[int, int]] = ()  # cell and digit of digits to draw as found
    deleted: Sequence[tuple[int, int]] = ()  # cell and digit of pencil marks to strike through
    pattern: Sequence[tuple[int, int, str]] = ()
    """Cell, digit and role ("one", "other" or "fin") of pencil marks to highlight."""
    cells: Sequence[int] = ()  # to highlight
    houses: Sequence[str] = ()  # names of houses to highlight


def svg(
    givens: Sequence[int],
    layout: Layout,
    symbols: Symbols,
    *,
    found: Sequence[int] = (),
    marks: Marks | None = None,
    whole: bool = False,
) -> str:
    """A picture of a grid as one <svg> element, which is also a complete SVG file.

    `givens` are the digits of the puzzle cell by cell, 0 for a blank, and `found` the digits to
    draw where it is blank. With `whole`, invisible elements are kept as class "none", for a page
    that changes the classes. PuzzleError if the number of cells is wrong, LayoutError if there is
    no house of such a name.
    """
    marks = marks or Marks()
    _check(givens, found, layout, marks.houses)
    placed = dict(marks.placed)
    values = [
        given or (found[cell] if found else 0) or placed.get(cell, 0)
        for cell, given in enumerate(givens)
    ]
    cells = []
    for cell, kinds in enumerate(_cell_classes(layout, marks)):
        if kinds or whole:
            x, y = _corner(cell, layout)
            kind = " ".join(["cell", *kinds])
            square = f'width="{SQUARE}" height="{SQUARE}"'
            cells.append(f'<rect class="{kind}" x="{x}" y="{y}" {square}/>')
    texts = _texts(givens, values, layout, symbols.names, marks, whole)
    size = layout.size * SQUARE + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sudoku" role="img" '
        f'viewBox="{-MARGIN} {-MARGIN} {size} {size}" width="{size}" height="{size}">'
        f"<title>{layout.name} sudoku</title><style>{STYLE}</style>"
        f'<rect class="paper" x="{-MARGIN}" y="{-MARGIN}" width="{size}" height="{size}"/>'
        f"<g>{''.join(cells)}</g>{_lines(layout)}<g>{''.join(texts)}</g></svg>\n"
    )


def _check(
    givens: Sequence[int], found: Sequence[int], layout: Layout, houses: Sequence[str]
) -> None:
    for name, values in (("puzzle", givens), ("solution", found or givens)):
        if len(values) != layout.cells:
            raise PuzzleError(f"a {name} of {len(values)} cells; {layout.name} has {layout.cells}")
    for name in houses:
        if name not in {house.name for house in layout.all_houses}:
            choices = f"{layout.house_names[0]} ... {layout.house_names[-1]}"
            raise LayoutError(f"house {name!r}: a {layout.name} grid has {choices}")


def _corner(cell: int, layout: Layout) -> tuple[int, int]:
    row, column = divmod(cell, layout.size)
    return column * SQUARE, row * SQUARE


def _texts(
    givens: Sequence[int],
    values: Sequence[int],
    layout: Layout,
    names: Sequence[str],
    marks: Marks,
    whole: bool,
) -> list[str]:
    """The digit of each cell, and its pencil marks at their places in it."""
    roles = {(cell, digit): role for cell, digit, role in marks.pattern}
    deleted = set(marks.deleted)
    rows, columns = _divided(layout)
    width, height = INNER / columns, INNER / rows
    edge, room = (SQUARE - INNER) / 2, min(width, height)
    r = 0.46 * room
    large = [_attributes(fit) for fit in fits(names)]
    small = [_attributes(fit) for fit in fits(names, room, 0.86)]
    texts = []
    for cell, value in enumerate(values):
        x, y = _corner(cell, layout)
        if value or whole:
            kind = "given" if givens[cell] else "found" if value else "found none"
            name = names[value - 1] if value else ""
            texts.append(
                f'<text class="{kind}" x="{x + SQUARE / 2:g}" y="{y + SQUARE / 2:g}"'
                f"{large[value - 1]}>{escape(name)}</text>"
            )
        pencil = marks.candidates[cell] if marks.candidates and not value else ()
        for digit in range(1, layout.size + 1) if whole else pencil:
            kinds = ["mark", roles.get((cell, digit), ""), "gone" * ((cell, digit) in deleted)]
            kinds += [] if digit in pencil else ["none"]
            row, column = divmod(digit - 1, columns)
            cx, cy = x + edge + (column + 0.5) * width, y + edge + (row + 0.5) * height
            fit, name = small[digit - 1], escape(names[digit - 1])
            texts.append(
                f'<g class="{" ".join(filter(None, kinds))}">'
                f'<circle cx="{cx:.4g}" cy="{cy:.4g}" r="{r:.3g}"/>'
                f'<text x="{cx:.4g}" y="{cy:.4g}"{fit}>{name}</text>'
                f'<path d="M{cx - r:.4g} {cy + r:.4g}L{cx + r:.4g} {cy - r:.4g}"/></g>'
            )
    return texts


def _cell_classes(layout: Layout, marks: Marks) -> list[list[str]]:
    """Classes of each cell's background, the strongest last."""
    cells_of = {
        "shade": {
            cell
            for house in layout.extra
            for cell in house.cells
            if len(house.cells) > 2 and not house.is_region
        },
        "house": {
            cell for name, cells in layout.all_houses for cell in cells if name in marks.houses
        },
        "pattern": set(marks.cells),
    }
    return [
        [kind for kind, cells in cells_of.items() if cell in cells] for cell in range(layout.cells)
    ]


def _lines(layout: Layout) -> str:
    """Thick lines between boxes or regions and around the grid, thin lines elsewhere."""
    n, regions = layout.size, layout.regions
    length = n * SQUARE
    paths: dict[bool, list[str]] = {False: [], True: []}
    for k in range(1, n):
        right = [regions[j * n + k] != regions[j * n + k - 1] for j in range(n)]
        below = [regions[k * n + j] != regions[k * n + j - n] for j in range(n)]
        for start, end, thick in _runs(right):
            paths[thick].append(f"M{k * SQUARE} {start * SQUARE}V{end * SQUARE}")
        for start, end, thick in _runs(below):
            paths[thick].append(f"M{start * SQUARE} {k * SQUARE}H{end * SQUARE}")
    return (
        f'<path class="thin" d="{"".join(paths[False])}"/>'
        f'<path class="thick" d="{"".join(paths[True])}M0 0H{length}V{length}H0Z"/>'
    )


def _runs(marks: Sequence[bool]) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each run of equal marks, and the mark."""
    start = 0
    for mark, run in groupby(marks):
        end = start + len(list(run))
        yield start, end, mark
        start = end


def _divided(layout: Layout) -> tuple[int, int]:
    """Rows and columns of the pencil marks of a cell: as a box has, or nearly as many."""
    if layout.has_boxes:
        return layout.box_rows, layout.box_columns
    columns = ceil(sqrt(layout.size))
    return -(-layout.size // columns), columns


def fits(names: Sequence[str], room: float = SQUARE, share: float = 0.66) -> list[tuple[str, str]]:
    """Font size of each name so that it fits a square, and the length to squeeze it to.

    The side of the square is `room`; the font size is at most `share` of it. The length is empty
    for a name that need not be squeezed.
    """
    fitted = []
    for name in names:
        ems = sum(1.0 if east_asian_width(c) in "WF" else 0.62 for c in name)
        size = min(share * room, 0.9 * room / ems)
        # fonts differ in width: long words get an explicit length
        fitted.append((f"{size:.3g}", f"{0.9 * room:.3g}" if ems > 2.2 else ""))
    return fitted


def _attributes(fit: tuple[str, str]) -> str:
    size, length = fit
    squeeze = f' textLength="{length}" lengthAdjust="spacingAndGlyphs"' if length else ""
    return f' font-size="{size}"{squeeze}'
