"""What generated puzzles have to be like; arguments are checked here."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import TypedDict

from sudoku.errors import SudokuError
from sudoku.generate.pattern import SYMMETRIES, orbits
from sudoku.grids import check_size
from sudoku.layout import Layout, parse_box

__all__ = ["METHODS", "SOLUTIONS", "Options", "Requirements", "requirements"]

METHODS = ("dig", "grow")
SOLUTIONS = {"one": 1, "several": 2, "none": 0}
"""Numbers of solutions by name; 2 for two or more."""
MINIMAL = {"given": "given", "group": "group", "no": "no", True: "given", False: "no"}

Range = int | tuple[int, int] | None
Scores = tuple[float, float] | None


class Options(TypedDict, total=False):
    """Keyword arguments of `sudoku.generate.generate` on the kind of puzzles."""

    minimal: bool | str
    givens: Range
    symmetry: str
    box: str | tuple[int, int]
    diagonal: bool
    difficulty: Scores
    rating: Scores
    method: str
    solutions: str


@dataclass(frozen=True)
class Requirements:
    """The kind of puzzles to generate; attributes as the arguments of `requirements`.

    Attributes
    ----------
    minimal : str
        "given", "group" or "no".
    least, most : int
        Numbers of givens.
    """

    layout: Layout
    minimal: str
    least: int
    most: int
    symmetry: str
    difficulty: Scores
    rating: Scores
    method: str
    solutions: str


def requirements(
    *,
    minimal: bool | str = True,
    givens: Range = None,
    symmetry: str = "none",
    box: str | tuple[int, int] = (3, 3),
    diagonal: bool = False,
    difficulty: Scores = None,
    rating: Scores = None,
    method: str = "dig",
    solutions: str = "one",
) -> Requirements:
    """Return the requirements that the arguments of `sudoku.generate.generate` describe.

    Raises
    ------
    SudokuError
        An argument is wrong, or no puzzle can be like that.
    LayoutError
        There is no such box, or the grid is larger than 36x36.
    """
    layout = Layout(*parse_box(box), diagonal)
    check_size(layout)
    for name, value, known in (
        ("symmetry", symmetry, SYMMETRIES),
        ("method", method, METHODS),
        ("solutions", solutions, SOLUTIONS),
        ("minimal", minimal, MINIMAL),
    ):
        if value not in tuple(known):
            choices = ", ".join(str(choice) for choice in known)
            raise SudokuError(f"{name} {value!r}; there are {choices}")
    kind = MINIMAL[minimal]
    if givens is not None:
        least, most = _checked_givens(givens, layout, kind, symmetry, solutions)
    elif kind != "no":
        least, most = 0, layout.cells
    else:
        least = layout.cells // 2
        most = least + max(map(len, orbits(layout.size, symmetry))) - 1
    scores = _checked_scores("difficulty", difficulty), _checked_scores("rating", rating)
    return Requirements(layout, kind, least, most, symmetry, *scores, method, solutions)


def _checked_scores(name: str, scores: Scores) -> Scores:
    if scores is None:
        return None
    try:
        if isinstance(scores, str):
            raise TypeError
        low, high = map(float, scores)
    except (TypeError, ValueError):
        raise SudokuError(f"{name} {scores!r}: two scores for a range") from None
    if not 0 <= low <= high:
        raise SudokuError(f"{name} {low} to {high}: two scores from 0 on, in order")
    return low, high


def _checked_givens(
    givens: int | tuple[int, int], layout: Layout, minimal: str, symmetry: str, solutions: str
) -> tuple[int, int]:
    try:
        least, most = map(index, givens if isinstance(givens, (tuple, list)) else (givens, givens))
    except (TypeError, ValueError):
        raise SudokuError(f"givens {givens!r}: a whole number, or two for a range") from None
    required = f"{least} givens" if least == most else f"{least} to {most} givens"
    if not 0 <= least <= most:
        raise SudokuError(f"{required}: two numbers from 0 on, in order")
    fault = _impossible(least, most, layout, minimal, solutions)
    if fault:
        raise SudokuError(f"{required}: {fault}")
    sums = 1  # bit n: some groups have n cells together
    for group in orbits(layout.size, symmetry):
        sums |= sums << len(group)
    if not any(sums >> number & 1 for number in range(least, most + 1)):
        raise SudokuError(f"{required}: no pattern of symmetry {symmetry} has so many cells")
    return least, most


def _impossible(least: int, most: int, layout: Layout, minimal: str, solutions: str) -> str:
    """Return why no puzzle has as many givens; empty if one may."""
    cells, size = layout.cells, layout.size
    if least > cells:
        return f"a {layout.name} grid has {cells} cells"
    if solutions == "one":
        if layout == Layout(3, 3) and most < 17:
            # McGuire, Tugemann, Civario, "There is no 16-clue sudoku", 2012
            return "no 9x9 puzzle with fewer than 17 has one solution"
        if most < size - 1:
            return f"with fewer than {size - 1} two digits are missing, and can be exchanged"
        if minimal == "given" and least > cells - size:
            return f"a minimal puzzle has no full row, so at most {cells - size}"
    elif solutions == "several" and least > cells - 4:
        return f"two solutions differ in 4 cells, so at most {cells - 4}"
    elif solutions == "none" and least > cells - 2:
        return f"a wrong one clashes unless 2 cells are blank, so at most {cells - 2}"
    return ""
