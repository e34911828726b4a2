"""What people call the deductions on the exact cover of a sudoku, and how hard they find them.

A candidate is an option; a cell, or a digit in a house, is an item. `RUNGS` says what to look for,
easiest first: which kinds of items may be the base and the cover of a subset, the start of a fork,
the strong and weak links of a chain. A technique is nothing else but such a choice of kinds.

Weights follow the scale of Nicolas Juillerat's Sudoku Explainer, as extended by its successors
(hidden single 1.2 to nested nets above 9.5), for what both know; the others stand where puzzles
whose hardest step they are have been rated. A chain gets `slope` more for each strong link above
`links`, at most up to `cap`.
"""

from __future__ import annotations

from typing import NamedTuple

from dlx.logic.state import CONJUGATE, SINGLE, SUBSET, Frame
from sudoku.errors import LayoutError, PuzzleError
from sudoku.layout import Layout

CELL, ROW, COLUMN, BOX, DIAGONAL = 1, 2, 4, 8, 16
LINE = ROW | COLUMN | DIAGONAL
HOUSE = LINE | BOX
ANY = CELL | HOUSE

# kinds of frames, by what is base and what is cover
POINTING, CLAIMING, NAKED, HIDDEN, FISH = 1, 2, 4, 8, 16

LEVELS = (
    "singles",
    "locked candidates",
    "pairs to quads, fish",
    "wings, finned fish",
    "chains",
    "forcing chains",
    "guess",
)


class Rung(NamedTuple):
    """One kind of step to look for."""

    name: str
    level: int  # into LEVELS
    weight: float
    search: str  # single, subset, chain, fork, net, rectangle or guess
    first: int = 0  # single: kinds of items; subset: kinds of frames; fork: kinds of items
    size: int = 0  # subset: k; fork: most options of the item
    spare: int = 0  # subset: cover items that fins may reach beyond k
    strong: tuple[int, ...] = ()  # kinds of each strong link; fork: of each in one of its chains
    weak: int = 0  # kinds of weak links
    links: int = 0
    slope: float = 0.0
    cap: float = 0.0
    total: int = 1 << 16  # fork: strong links of all its chains

    def weigh(self, links: int) -> float:
        """Weight of a step whose chain has so many strong links (a net: candidates placed).

        >>> next(rung for rung in RUNGS if rung.name == "XY-chain").weigh(5)
        6.1
        """
        if not self.slope:
            return self.weight
        return round(min(self.cap, self.weight + self.slope * max(0, links - self.links)), 2)


def _subset(name: str, level: int, weight: float, frame: int, k: int, spare: int = 0) -> Rung:
    return Rung(name, level, weight, "subset", frame, k, spare)


def _chain(
    name: str,
    level: int,
    weight: float,
    strong: tuple[int, ...],
    weak: int,
    links: int = 0,
    slope: float = 0.0,
    cap: float = 0.0,
) -> Rung:
    return Rung(name, level, weight, "chain", 0, 0, 0, strong, weak, links, slope, cap)


RUNGS = (
    Rung("hidden single", 0, 1.2, "single", BOX),
    Rung("hidden single", 0, 1.5, "single", LINE),
    Rung("naked single", 0, 2.3, "single", CELL),
    _subset("pointing", 1, 2.6, POINTING, 1),
    _subset("claiming", 1, 2.8, CLAIMING, 1),
    # on diagonals candidates of a house may be seen from elsewhere than from one other house
    Rung("locked candidates", 1, 2.8, "fork", HOUSE, 99, weak=HOUSE),
    _subset("naked pair", 2, 3.0, NAKED, 2),
    _subset("X-wing", 2, 3.2, FISH, 2),
    _subset("hidden pair", 2, 3.4, HIDDEN, 2),
    _subset("naked triple", 2, 3.6, NAKED, 3),
    _subset("swordfish", 2, 3.8, FISH, 3),
    _subset("hidden triple", 2, 4.0, HIDDEN, 3),
    _chain("simple colouring", 3, 4.0, (HOUSE,) * 8, HOUSE | CONJUGATE, 2, 0.1, 4.3),
    _chain("turbot fish", 3, 4.1, (HOUSE,) * 2, HOUSE),
    _chain("XY-wing", 3, 4.2, (CELL,) * 3, HOUSE),
    # the third candidate of the hinge is the one that goes: it needs no link
    Rung("XYZ-wing", 3, 4.4, "fork", CELL, 3, strong=(CELL,), weak=HOUSE, total=2),
    Rung("unique rectangle", 3, 4.5, "rectangle"),
    _subset("finned X-wing", 3, 4.6, FISH, 2, 2),
    _subset("naked quad", 2, 5.0, NAKED, 4),
    _subset("jellyfish", 2, 5.2, FISH, 4),
    _subset("hidden quad", 2, 5.4, HIDDEN, 4),
    _chain("W-wing", 3, 5.5, (CELL, HOUSE, CELL), HOUSE),
    _subset("finned swordfish", 3, 5.6, FISH, 3, 2),
    _subset("finned jellyfish", 3, 5.8, FISH, 4, 2),
    _chain("X-chain", 4, 5.9, (HOUSE,) * 12, HOUSE, 3, 0.1, 6.6),
    _chain("XY-chain", 4, 6.0, (CELL,) * 20, HOUSE, 4, 0.1, 6.9),
    _chain("alternating inference chain", 4, 6.3, (ANY,) * 30, ANY, 3, 0.35, 7.5),
    Rung("forcing chains", 5, 7.7, "fork", ANY, 64, 0, (ANY,) * 8, ANY, 2, 0.12, 8.7),
    Rung("forcing net", 5, 8.5, "net", 0, 0, 0, (), 0, 3, 0.09, 9.5),
    Rung("guess", 6, 11.0, "guess"),
)
"""Everything that is looked for, easiest first."""


def numbered(uniqueness: bool, diagonal: bool, hardest: str | None) -> list[tuple[int, Rung]]:
    """The rungs to use, with their numbers; all searches, the guess left out.

    Raises:
        PuzzleError: `hardest` is no technique.
    """
    names = [rung.name for rung in RUNGS]
    if hardest is not None and hardest not in names:
        known = ", ".join(dict.fromkeys(names))
        raise PuzzleError(f"no technique is called {hardest!r}: one of {known}")
    last = len(names) if hardest is None else len(names) - names[::-1].index(hardest)
    return [
        (number, rung)
        for number, rung in enumerate(RUNGS[:last])
        if rung.search != "guess"
        and (rung.search != "rectangle" or uniqueness)
        and (rung.name != "locked candidates" or diagonal)
    ]


def table() -> str:
    """The rungs as text, easiest first: weight, name, level, and more for the length of a chain.

    >>> print(table().splitlines()[1])
       1.2  hidden single                singles               in a box
    """
    lines = ["weight  technique                    level\n"]
    for rung in RUNGS:
        note = ""
        if rung.search == "single" and rung.first != CELL:
            note = "in a box" if rung.first == BOX else "in a line"
        elif rung.slope:
            unit = "candidate placed" if rung.search == "net" else "strong link"
            note = f"{rung.slope:.2f} more for each {unit} above {rung.links}, up to {rung.cap}"
        elif rung.search == "rectangle":
            note = "assumes that there is one solution; only if asked for"
        line = f"{rung.weight:6.1f}  {rung.name:<29}{LEVELS[rung.level]:<22}{note}"
        lines.append(line.rstrip() + "\n")
    return "".join(lines)


def _subset_row(number: int, rung: Rung) -> list[int]:
    form = SUBSET if rung.search == "subset" else SINGLE
    return [number, form, rung.first, rung.size, rung.spare]


def _chain_row(number: int, rung: Rung) -> list[int]:
    spare = [0] * (MOST_LINKS - len(rung.strong))
    return [number, len(rung.strong), rung.weak, *rung.strong, *spare]


MOST_LINKS = max(len(rung.strong) for rung in RUNGS)
ROWS = {"single": _subset_row, "subset": _subset_row, "chain": _chain_row}
"""By search: a rung as the row that `subsets.advance` or `chains.chain` takes."""


def item_kinds(layout: Layout) -> list[int]:
    """The kind of each item of `sudoku.cover.problem(layout)`.

    >>> kinds = item_kinds(Layout(2, 2))
    >>> kinds.count(CELL), kinds.count(BOX)
    (16, 16)
    """
    n = layout.size
    kinds = [CELL] * layout.cells
    for house in range(len(layout.houses)):
        kinds += [(ROW, COLUMN, BOX, DIAGONAL)[min(house // n, 3)]] * n
    return kinds


def frames(layout: Layout) -> list[Frame]:
    """Where subsets may lie: cells and digits of a house, one digit in lines and boxes.

    Raises:
        LayoutError: N is above 63, and a set of cells no longer fits a mask with a sign.
    """
    if layout.size > 63:
        raise LayoutError(f"steps of a {layout.name} grid: they are found up to 63x63")
    n = layout.size
    houses = layout.houses.tolist()

    def items(first: int, digit: int) -> list[int]:
        return [layout.cells + house * n + digit for house in range(first, first + n)]

    found = []
    for digit in range(n):
        rows, columns, boxes = items(0, digit), items(n, digit), items(2 * n, digit)
        for lines in (rows, columns):
            found += [Frame(POINTING, boxes, lines), Frame(CLAIMING, lines, boxes)]
        for house in range(3 * n, len(houses)):
            diagonal = [layout.cells + house * n + digit]
            found += [Frame(POINTING, boxes, diagonal), Frame(CLAIMING, diagonal, boxes)]
        found += [Frame(FISH, rows, columns), Frame(FISH, columns, rows)]
    for house, cells in enumerate(houses):
        digits = [layout.cells + house * n + digit for digit in range(n)]
        found += [Frame(NAKED, cells, digits), Frame(HIDDEN, digits, cells)]
    return found
