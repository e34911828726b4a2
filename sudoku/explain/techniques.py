"""Names, rules and weights of the techniques.

A candidate (a digit in a cell) is an option of the exact cover problem `sudoku.cover.problem`; a
cell, or a digit of a house, is an item. A technique is a rule of `dlx.logic` that is limited to
some kinds of items: the base and the cover of a subset, the start of a fork, the strong and weak
links of a chain. `TECHNIQUES` has them, easiest first.

Weights follow the scale of Nicolas Juillerat's Sudoku Explainer, as extended by its successors
(hidden single 1.2 to nested nets above 9.5), for techniques that both have; the other weights are
those of puzzles whose hardest step is the technique.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dlx.checks import brief, is_one_of
from dlx.logic.rules import Chain, Fork, Frame, Refutation, Rule, Single, Subset
from sudoku.checks import as_flag, at_least
from sudoku.errors import FormatError, LayoutError, PuzzleError
from sudoku.layout import House, Layout

# kinds of items
CELL, ROW, COLUMN, BOX, OTHER, INCOMPLETE = 1, 2, 4, 8, 16, 32
LINE = ROW | COLUMN | OTHER
HOUSE = LINE | BOX | INCOMPLETE
ANY = CELL | HOUSE

# kinds of frames, by the items of base and cover
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


class Technique(NamedTuple):
    """A technique; several may have one name.

    Attributes
    ----------
    name : str
    level : int
        Index into `LEVELS`.
    weight : float
        How hard a step is; of a chain with at most `links` links.
    rule : Rule or None
        None for the unique rectangle, whose rule depends on the layout, and the guess.
    slope, links, cap : float, int, float
        A chain weighs `slope` more for each strong link (a net: each candidate placed) above
        `links`, but at most `cap`.
    note : str
        Shown in the table of techniques.
    """

    name: str
    level: int
    weight: float
    rule: Rule | None
    slope: float = 0.0
    links: int = 0
    cap: float = 0.0
    note: str = ""

    def weigh(self, links: int) -> float:
        """Weight of a step whose chain has `links` strong links (a net: candidates placed).

        >>> next(technique for technique in TECHNIQUES if technique.name == "XY-chain").weigh(5)
        6.1
        """
        if not self.slope:
            return self.weight
        above = max(0, at_least(links, 0, "links") - self.links)
        return round(min(self.cap, self.weight + self.slope * above), 2)


# for layouts with more houses: a cell may conflict with all places of a digit in a house without
# being in a second house with all of them
LOCKED = Technique("locked candidates", 1, 2.8, Fork(start=HOUSE, widest=99, weak=HOUSE))
RECTANGLE = Technique(
    "unique rectangle", 3, 4.5, None, note="assumes that there is one solution; only if asked for"
)
GUESS = Technique("guess", 6, 11.0, None)

TECHNIQUES = (
    Technique("hidden single", 0, 1.2, Single(BOX), note="in a box"),
    Technique("hidden single", 0, 1.5, Single(LINE), note="in a line"),
    Technique("naked single", 0, 2.3, Single(CELL)),
    Technique("pointing", 1, 2.6, Subset(1, frames=POINTING)),
    Technique("claiming", 1, 2.8, Subset(1, frames=CLAIMING)),
    LOCKED,
    Technique("naked pair", 2, 3.0, Subset(2, frames=NAKED)),
    Technique("X-wing", 2, 3.2, Subset(2, frames=FISH)),
    Technique("hidden pair", 2, 3.4, Subset(2, frames=HIDDEN)),
    Technique("naked triple", 2, 3.6, Subset(3, frames=NAKED)),
    Technique("swordfish", 2, 3.8, Subset(3, frames=FISH)),
    Technique("hidden triple", 2, 4.0, Subset(3, frames=HIDDEN)),
    Technique("simple colouring", 3, 4.0, Chain((HOUSE,) * 8, HOUSE, True), 0.1, 2, 4.3),
    Technique("turbot fish", 3, 4.1, Chain((HOUSE,) * 2, HOUSE)),
    Technique("XY-wing", 3, 4.2, Chain((CELL,) * 3, HOUSE)),
    # the third candidate of the cell that has three is the one deleted: it needs no link
    Technique("XYZ-wing", 3, 4.4, Fork(CELL, 3, CELL, HOUSE, links=1, total=2)),
    RECTANGLE,
    Technique("finned X-wing", 3, 4.6, Subset(2, 2, FISH)),
    Technique("naked quad", 2, 5.0, Subset(4, frames=NAKED)),
    Technique("jellyfish", 2, 5.2, Subset(4, frames=FISH)),
    Technique("hidden quad", 2, 5.4, Subset(4, frames=HIDDEN)),
    Technique("W-wing", 3, 5.5, Chain((CELL, HOUSE, CELL), HOUSE)),
    Technique("finned swordfish", 3, 5.6, Subset(3, 2, FISH)),
    Technique("finned jellyfish", 3, 5.8, Subset(4, 2, FISH)),
    Technique("X-chain", 4, 5.9, Chain((HOUSE,) * 12, HOUSE), 0.1, 3, 6.6),
    Technique("XY-chain", 4, 6.0, Chain((CELL,) * 20, HOUSE), 0.1, 4, 6.9),
    Technique("alternating inference chain", 4, 6.3, Chain((ANY,) * 30, ANY), 0.35, 3, 7.5),
    Technique("forcing chains", 5, 7.7, Fork(ANY, 64, ANY, ANY, links=8), 0.12, 2, 8.7),
    Technique("forcing net", 5, 8.5, Refutation(), 0.09, 3, 9.5),
    GUESS,
)
"""All techniques, easiest first; the last is the guess."""


def technique_name(text: Any) -> Any:
    """The name of a technique, as `_key` reads it; anything else as it is.

    >>> technique_name("x Wing"), technique_name("magic")
    ('X-wing', 'magic')
    """
    if not isinstance(text, str):
        return text
    names = {_key(technique.name): technique.name for technique in TECHNIQUES}
    return names.get(_key(text), text)


def _key(name: str) -> str:
    """A name in small letters, with one blank for each hyphen, underscore or white space."""
    return " ".join(name.lower().replace("-", " ").replace("_", " ").split())


def select(
    uniqueness: bool,
    more_houses: bool,
    hardest: str | None,
    techniques: Sequence[Technique] = TECHNIQUES,
) -> list[Technique]:
    """The techniques to use, in order, without the guess; `hardest` is the last, in any case.

    A unique rectangle that `hardest` or a table of one's own names needs `uniqueness`.

    >>> [technique.name for technique in select(False, False, "pointing")]
    ['hidden single', 'hidden single', 'naked single', 'pointing']
    """
    unchecked: Any = techniques
    is_table = isinstance(unchecked, Sequence) and len(unchecked) > 0
    # a name that is an array would be compared with others
    if not is_table or not all(
        isinstance(each, Technique) and isinstance(each.name, str) for each in unchecked
    ):
        raise PuzzleError(f"techniques is {brief(techniques)}; a table of them is needed")
    names = [technique.name for technique in techniques]
    if names[-1] != GUESS.name:
        raise PuzzleError(f"techniques end with {names[-1]!r}; the last one is the guess")
    hardest = technique_name(hardest)
    if hardest is not None and not is_one_of(hardest, names):
        choices = ", ".join(dict.fromkeys(names))
        raise PuzzleError(f"no technique is called {brief(hardest)}: one of {choices}")
    last = len(names) if hardest is None else len(names) - names[::-1].index(hardest)
    unique = as_flag(uniqueness, "uniqueness")
    in_own_table = RECTANGLE.name in names and tuple(techniques) != TECHNIQUES
    if not unique and (in_own_table or hardest == RECTANGLE.name):
        raise PuzzleError(
            f"{RECTANGLE.name!r} is used only if uniqueness is assumed: give --uniqueness (in "
            "Python uniqueness=True) or leave it out"
        )
    used = {LOCKED.name: more_houses, RECTANGLE.name: unique, GUESS.name: False}
    return [technique for technique in techniques[:last] if used.get(technique.name, True)]


def up_to(weight: float) -> tuple[Technique, ...]:
    """The easiest technique, others of at most this weight but unique rectangles, and the guess.

    >>> [technique.name for technique in up_to(2.3)]
    ['hidden single', 'hidden single', 'naked single', 'guess']
    """
    first, *others, guess = TECHNIQUES
    return (first, *(t for t in others if t.weight <= weight and t is not RECTANGLE), guess)


def parse_techniques(text: str, source: str = "<text>") -> tuple[Technique, ...]:
    """Return the techniques that a text names, in its order and with its weights.

    Each line has a weight and a technique, in any case and with blanks, hyphens or underscores
    between its words, weights ascending; ``hidden single`` may be followed by ``in a box`` or ``in
    a line``. Blank lines, and what follows ``#``, are ignored. The weights of chains grow with
    their length as in `TECHNIQUES`. The guess is the last, even if the text does not name it.

    Parameters
    ----------
    text : str
    source : str
        Name of the file, for error messages.

    Raises
    ------
    sudoku.FormatError
        A line is not a weight and a technique, or in the wrong place; or there is no such line.
    sudoku.PuzzleError
        `text` is not a str.

    Examples
    --------
    >>> text = "1.0 naked single" + chr(10) + "1.5 hidden single  # in any house"
    >>> [technique.name for technique in parse_techniques(text)]
    ['naked single', 'hidden single', 'hidden single', 'guess']
    """
    if not isinstance(text, str):
        raise PuzzleError(f"techniques are {brief(text)}; a text is needed")
    parsed: list[Technique] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        name = " ".join(words[1:])
        key = _key(name)
        meant = [t for t in TECHNIQUES if key in (_key(t.name), _key(f"{t.name} {t.note}"))]
        try:
            weight = float(words[0])
        except ValueError:
            weight = -1.0
        fault = ""
        if not meant or not 0 <= weight < float("inf"):
            fault = f"{brief(line)} is not a weight and a technique, such as '3.0 naked pair'"
        elif any((t.name, t.note) == (m.name, m.note) for t in parsed for m in meant):
            fault = f"{name} is there twice"
        elif parsed and weight < parsed[-1].weight:
            fault = f"weight {weight:g} after {parsed[-1].weight:g}: weights ascend"
        elif parsed and parsed[-1].name == GUESS.name:
            fault = f"{name} after the guess, which comes last"
        if fault:
            raise FormatError(fault, source, number)
        for technique in meant:
            cap = weight + technique.cap - technique.weight if technique.slope else 0.0
            parsed.append(technique._replace(weight=weight, cap=cap))
    if not parsed:  # more likely a wrong file than the wish to guess each digit
        raise FormatError("no weight and technique, such as '3.0 naked pair'", source)
    if parsed[-1].name != GUESS.name:
        parsed.append(GUESS._replace(weight=max(GUESS.weight, parsed[-1].weight)))
    return tuple(parsed)


def table(techniques: Sequence[Technique] = TECHNIQUES) -> str:
    """The techniques as text, easiest first: weight, name, level, note."""
    lines = ["weight  technique                    level\n"]
    for name, level, weight, rule, slope, links, cap, note in techniques:
        if slope:
            unit = "candidate placed" if isinstance(rule, Refutation) else "strong link"
            note = f"{slope:.2f} more for each {unit} above {links}, up to {cap:g}"
        line = f"{weight:6.1f}  {name:<29}{LEVELS[level]:<22}{note}"
        lines.append(line.rstrip() + "\n")
    return "".join(lines)


def item_kinds(layout: Layout) -> list[int]:
    """The kind of each item of `sudoku.cover.problem(layout)`."""
    of_houses = [_kind(layout, house) for house in layout.all_houses]
    return [CELL] * layout.cells + [kind for kind in of_houses for _ in range(layout.size)]


def frames(layout: Layout) -> list[Frame]:
    """Where subsets may lie: cells and digits of a house, one digit in lines and boxes."""
    if layout.size > 63:  # a family of a frame has at most 63 items
        raise LayoutError(f"steps of a {layout.name} grid: they are found up to 63x63")
    n, kinds = layout.size, item_kinds(layout)

    def items(kind: int, digit: int) -> list[int]:
        return [i for i in range(layout.cells + digit, len(kinds), n) if kinds[i] == kind]

    result = []
    for digit in range(n):
        rows, columns, boxes = (items(kind, digit) for kind in (ROW, COLUMN, BOX))
        for lines in (rows, columns, *([item] for item in items(OTHER, digit))):
            if boxes:
                result += [Frame(POINTING, boxes, lines), Frame(CLAIMING, lines, boxes)]
        result += [Frame(FISH, rows, columns), Frame(FISH, columns, rows)]
    for number, house in enumerate(layout.all_houses):
        digits = [layout.cells + number * n + digit for digit in range(n)]
        if len(house.cells) > 2:  # a naked pair of a house of two cells deletes nothing
            result.append(Frame(NAKED, house.cells, digits))
        if kinds[digits[0]] != INCOMPLETE:
            result.append(Frame(HIDDEN, digits, house.cells))
    return result


def _kind(layout: Layout, house: House) -> int:
    """The kind of the items of a house."""
    if len(house.cells) < layout.size:
        return INCOMPLETE
    if house in layout.extra:
        return BOX if house.is_region else OTHER
    return {"row": ROW, "column": COLUMN, "box": BOX}[house.name.split()[0]]
