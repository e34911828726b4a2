"""Pictures of grids: a puzzle, a solution, or a step, as SVG.

Everything is drawn once and told apart by classes: the style sheet in the picture says what they
look like, in light and in dark. Lengths are in units of which a cell is CELL wide.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from sudoku.layout import Layout

if TYPE_CHECKING:
    from sudoku.explain.steps import Step
    from sudoku.grid import Grid, Puzzle
    from sudoku.symbols import Symbols

__all__ = ["STYLE", "fits", "svg"]

CELL = 60
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
marks: one, other, fin (see `sudoku.explain.steps.Step`) and gone."""


def svg(
    puzzle: Puzzle,
    diagonal: bool | None = None,
    box: str | tuple[int, int] | None = None,
    *,
    symbols: Symbols | str | Sequence[str] | None = None,
    solution: Puzzle | None = None,
    marks: bool = False,
    houses: Collection[str] = (),
    step: Step | None = None,
    whole: bool = False,
) -> str:
    """A picture of a grid as one <svg> element, which is also a complete SVG file.

    Args:
        puzzle: anything `sudoku.as_grid` takes; its digits are drawn as givens.
        diagonal, box, symbols: as there, of puzzle and solution.
        solution: its digits are drawn as found where the puzzle is blank.
        marks: draw the pencil marks of blank cells: what no cell of their houses has.
        houses: names of houses to highlight.
        step: draw the grid and the pencil marks before the step, its pattern and houses, and what
            it deletes; a digit that it places is drawn as found.
        whole: keep what is not seen as class "none", for a page that changes the classes.

    Raises:
        PuzzleError, LayoutError: not a puzzle.
        ValueError: a house that the layout has not, or a solution of another size.

    >>> picture = svg("1..4 ..2. .1.. 4...", marks=True)
    >>> picture.startswith('<svg xmlns="http://www.w3.org/2000/svg"'), picture.count("given")
    (True, 6)
    """
    from sudoku.reading.convert import as_grid

    question = as_grid(puzzle, box, diagonal, symbols)
    layout, names = question.layout, question.symbols.names
    n = layout.size
    unknown = [name for name in houses if name not in layout.house_names]
    if unknown:
        known = f"{layout.house_names[0]} ... {layout.house_names[-1]}"
        raise ValueError(f"house {unknown[0]!r}: a {layout.name} grid has {known}")
    givens = question.values.reshape(-1).tolist()
    found = [0] * layout.cells
    if solution is not None:
        found = as_grid(solution, box, diagonal, symbols).values.reshape(-1).tolist()
        if len(found) != layout.cells:
            raise ValueError(f"a solution of {len(found)} cells; {layout.name} has {layout.cells}")
    pencil: Sequence[Sequence[int]] = [()] * layout.cells
    if step is not None:
        assert step.grid is not None
        found = step.grid.values.reshape(-1).tolist()
        pencil = step.candidates
    elif marks:
        pencil = _pencil_marks(question)
    roles = {} if step is None else {(c, d): role for c, d, role in step.pattern}
    gone = set() if step is None else set(step.deleted)
    placed = {} if step is None else dict(step.placed)

    cells, texts = [], []
    classes = _cell_classes(layout, {*houses, *(step.houses if step else ())}, step)
    fit = [_attributes(f) for f in fits(names)]
    small = [
        _attributes(f) for f in fits(names, INNER / max(layout.box_rows, layout.box_columns), 0.86)
    ]
    for cell in range(layout.cells):
        x, y = cell % n * CELL, cell // n * CELL
        if classes[cell] or whole:
            kind = " ".join(["cell", *classes[cell]])
            cells.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{CELL}" height="{CELL}"/>')
        value = givens[cell] or found[cell] or placed.get(cell, 0)
        if value or whole:
            kind = "given" if givens[cell] else "found" if value else "found none"
            name = names[value - 1] if value else ""
            texts.append(
                f'<text class="{kind}" x="{x + CELL / 2:g}" y="{y + CELL / 2:g}"'
                f"{fit[value - 1]}>{escape(name)}</text>"
            )
        for digit in range(1, n + 1) if whole else pencil[cell]:
            seen = digit in pencil[cell] and not value
            if not seen and not whole:
                continue
            kinds = ["mark", roles.get((cell, digit), ""), "gone" * ((cell, digit) in gone)]
            kinds += [] if seen else ["none"]
            texts.append(_mark(layout, x, y, digit, names[digit - 1], small[digit - 1], kinds))
    size = n * CELL + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sudoku" role="img" '
        f'viewBox="{-MARGIN} {-MARGIN} {size} {size}" width="{size}" height="{size}">'
        f"<title>{layout.name} sudoku</title><style>{STYLE}</style>"
        f'<rect class="paper" x="{-MARGIN}" y="{-MARGIN}" width="{size}" height="{size}"/>'
        f"<g>{''.join(cells)}</g>{_lines(layout)}<g>{''.join(texts)}</g></svg>\n"
    )


def _pencil_marks(puzzle: Grid) -> list[list[int]]:
    """Of each blank cell the digits that no cell of its houses has."""
    layout = puzzle.layout
    values = puzzle.values.reshape(-1).tolist()
    marks = [set() if value else set(range(1, layout.size + 1)) for value in values]
    for house in layout.houses.tolist():
        there = {values[cell] for cell in house}
        for cell in house:
            marks[cell] -= there
    return [sorted(digits) for digits in marks]


def _cell_classes(layout: Layout, houses: set[str], step: Step | None) -> list[list[str]]:
    """Classes of each cell's background, the strongest last."""
    classes: list[list[str]] = [[] for _ in range(layout.cells)]
    for number, members in enumerate(layout.houses.tolist()):
        for cell in members:
            if number >= 3 * layout.size and "shade" not in classes[cell]:
                classes[cell].append("shade")
            if layout.house_names[number] in houses and "house" not in classes[cell]:
                classes[cell].append("house")
    for cell in step.cells if step else ():
        classes[cell].append("pattern")
    return classes


def _lines(layout: Layout) -> str:
    n = layout.size
    length = n * CELL
    thin: list[str] = []
    thick: list[str] = []
    for k in range(1, n):
        (thick if k % layout.box_columns == 0 else thin).append(f"M{k * CELL} 0V{length}")
        (thick if k % layout.box_rows == 0 else thin).append(f"M0 {k * CELL}H{length}")
    return (
        f'<path class="thin" d="{"".join(thin)}"/>'
        f'<path class="thick" d="{"".join(thick)}M0 0H{length}V{length}H0Z"/>'
    )


def _mark(
    layout: Layout, x: int, y: int, digit: int, name: str, fit: str, kinds: Sequence[str]
) -> str:
    """A pencil mark at its place in the cell, which is divided as a box is."""
    wide, high = INNER / layout.box_columns, INNER / layout.box_rows
    row, column = divmod(digit - 1, layout.box_columns)
    edge = (CELL - INNER) / 2
    cx, cy = x + edge + (column + 0.5) * wide, y + edge + (row + 0.5) * high
    r = 0.46 * min(wide, high)
    kind = " ".join(kind for kind in kinds if kind)
    return (
        f'<g class="{kind}"><circle cx="{cx:.4g}" cy="{cy:.4g}" r="{r:.3g}"/>'
        f'<text x="{cx:.4g}" y="{cy:.4g}"{fit}>{escape(name)}</text>'
        f'<path d="M{cx - r:.4g} {cy + r:.4g}L{cx + r:.4g} {cy - r:.4g}"/></g>'
    )


def fits(names: Sequence[str], room: float = CELL, share: float = 0.66) -> list[tuple[str, str]]:
    """Font size of each name that fits a square of side `room`, and the length to squeeze it to.

    The size is at most this share of the side; the length is empty where there is no need to.

    >>> fits(["7", "forty-two"])
    [('39.6', ''), ('9.68', '54')]
    """
    found = []
    for name in names:
        ems = sum(1.0 if east_asian_width(c) in "WF" else 0.62 for c in name)
        size = min(share * room, 0.9 * room / ems)
        # fonts differ: make sure of long words
        found.append((f"{size:.3g}", f"{0.9 * room:.3g}" if ems > 2.2 else ""))
    return found


def _attributes(fit: tuple[str, str]) -> str:
    size, length = fit
    squeeze = f' textLength="{length}" lengthAdjust="spacingAndGlyphs"' if length else ""
    return f' font-size="{size}"{squeeze}'
