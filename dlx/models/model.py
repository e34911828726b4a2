"""Model: a problem, and what its solutions look like as a text and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple, TypeAlias

from dlx.build import MAX_ENTRIES
from dlx.checks import as_function, as_text, brief, option_numbers
from dlx.errors import ProblemError
from dlx.problem import Problem, as_problem

Options: TypeAlias = list[tuple[Any, ...]]
"""The options of a solution, each a tuple of items."""

SQUARE = 32  # of a square, in pixels
THICK, THIN = 3, 0.5  # lines between two groups, and within one
GOLDEN = 137.508  # degrees: hues this far apart are distinct, however many there are
NOT_XML = dict.fromkeys([*range(32), 0xFFFE, 0xFFFF], "\ufffd")  # what XML does not allow


class Square(NamedTuple):
    """What a square of a board shows.

    Attributes
    ----------
    group : hashable
        Squares of one group have one colour and no thick line between them; None is white.
    label : str
    """

    group: Hashable
    label: str


Squares: TypeAlias = dict[tuple[int, int], Square]
"""The squares of a board by row and column."""


class Shown(NamedTuple):
    """The display of a solution: its `repr` is the text; a notebook shows the picture."""

    text: str
    picture: str

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_svg_(self) -> str:
        return self.picture


@dataclass(frozen=True, repr=False)
class Model:
    """A problem with meaningful names, and methods that show its solutions.

    Attributes
    ----------
    problem : Problem
    squares : callable
        Takes the options of a solution, and returns the squares of a board.
    impossible : str
        Why there is no solution, if that can be seen from the arguments alone; else "".

    Examples
    --------
    >>> from dlx import models, solve
    >>> model = models.queens(4)
    >>> print(model.text(solve(model.problem)), end="")
    . Q . .
    . . . Q
    Q . . .
    . . Q .
    """

    problem: Problem
    squares: Callable[[Options], Squares]
    impossible: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "problem", as_problem(self.problem))
        as_function(self.squares, "squares", "a function of the options of a solution")
        as_text(self.impossible, "impossible")

    def __repr__(self) -> str:
        return f"<Model of {self.problem!r}>"

    def show(self, solution: Iterable[int]) -> Shown:
        """Return an object that displays a solution: as a picture in a notebook, else as a text.

        >>> from dlx import models, solve
        >>> model = models.queens(4)
        >>> model.show(solve(model.problem))
        . Q . .
        . . . Q
        Q . . .
        . . Q .
        """
        chosen = self._numbers(solution)
        return Shown(self.text(chosen), self.svg(chosen))

    def options(self, solution: Iterable[int]) -> Options:
        """Return the options of a solution, each a tuple of items.

        Raises
        ------
        ProblemError
            The solution is None, as of a problem without one, or not of this problem.
        """
        return [self.problem.option(number) for number in self._numbers(solution)]

    def text(self, solution: Iterable[int]) -> str:
        """Return the labels of the squares of a solution, in lines."""
        squares = self.squares(self.options(solution))
        if not squares:
            return "\n"
        rows, columns = _extent(squares)
        width = max(len(square.label) for square in squares.values())
        lines = []
        for row in rows:
            labels = (squares.get((row, c), Square(None, "")).label.ljust(width) for c in columns)
            lines.append(" ".join(labels).rstrip() + "\n")
        return "".join(lines)

    def svg(self, solution: Iterable[int]) -> str:
        """Return a picture of a solution as the text of an SVG file."""
        return draw(self.squares(self.options(solution)))

    def _numbers(self, solution: Iterable[int]) -> list[int]:
        return option_numbers(solution, self.problem.num_options, "solution")


def check_entries(number: int, name: str, value: int | str) -> None:
    """Raise ProblemError if `number` entries are too many, naming the argument at fault."""
    if number > MAX_ENTRIES:
        shown = value if isinstance(value, str) else brief(value)
        raise ProblemError(
            f"{name} is {shown}: the model would have more than {MAX_ENTRIES} entries, the most of"
            " a problem"
        )


def draw(squares: Squares) -> str:
    """Return the picture of a board as the text of an SVG file.

    Examples
    --------
    >>> picture = draw({(0, 0): Square("a", "1"), (0, 1): Square("b", "2")})
    >>> picture.count("<rect"), picture.count("<text"), picture.count("<line")
    (2, 2, 8)
    """
    rows, columns = _extent(squares)
    parts, lines = ['<g stroke="none">'], []
    hues: dict[Hashable, float] = {}
    for (row, column), square in sorted(squares.items()):
        x, y = SQUARE * (column - columns.start), SQUARE * (row - rows.start)
        fill = "white"
        if square.group is not None:
            hue = hues.setdefault(square.group, len(hues) * GOLDEN % 360)
            fill = f"hsl({hue:.0f} 60% 78%)"
        parts.append(f'<rect x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}" fill="{fill}"/>')
        if square.label:
            label = square.label.translate(NOT_XML)
            parts.append(
                f'<text x="{x + SQUARE / 2:g}" y="{y + SQUARE / 2:g}">{escape(label)}</text>'
            )
        edges = {
            (row - 1, column): (x, y, x + SQUARE, y),
            (row, column - 1): (x, y, x, y + SQUARE),
            (row + 1, column): (x, y + SQUARE, x + SQUARE, y + SQUARE),
            (row, column + 1): (x + SQUARE, y, x + SQUARE, y + SQUARE),
        }
        for place, (x1, y1, x2, y2) in edges.items():
            neighbour = squares.get(place)
            same = neighbour is not None and neighbour.group == square.group
            lines.append(
                f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"'
                f' stroke-width="{THIN if same else THICK}"/>'
            )
    return frame(SQUARE * len(columns), SQUARE * len(rows), [*parts, "</g>", *lines])


def frame(width: int, height: int, parts: Iterable[str]) -> str:
    """Return an SVG file of these parts, with a margin around them."""
    whole = f"{-THICK} {-THICK} {width + 2 * THICK} {height + 2 * THICK}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{whole}" width="{width + 2 * THICK}"'
        f' stroke="black" stroke-linecap="round">\n'
        '<g font-family="sans-serif" font-size="16" text-anchor="middle"'
        ' dominant-baseline="central">\n' + "\n".join(parts) + "\n</g>\n</svg>\n"
    )


def _extent(squares: Squares) -> tuple[range, range]:
    """Return the rows and the columns that the squares take."""
    rows = [row for row, _ in squares] or [0]
    columns = [column for _, column in squares] or [0]
    return range(min(rows), max(rows) + 1), range(min(columns), max(columns) + 1)
