"""The requirements for generated puzzles, and the checks of these arguments."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import TypedDict

from dlx.checks import brief
from sudoku.errors import SudokuError
from sudoku.generate.pattern import SYMMETRIES, orbits
from sudoku.grids import check_size, layout_of
from sudoku.layout import Box, Layout

METHODS = ("dig", "grow")
SOLUTIONS = {"one": 1, "several": 2, "none": 0}
"""Numbers of solutions by name; 2 for two or more."""
MINIMAL = {"given": "given", "group": "group", "no": "no", True: "given", False: "no"}

Range = int | tuple[int, int] | None
Scores = tuple[float, float] | None


class Options(TypedDict, total=False):
    """The fields of `Requirements`, as keyword arguments."""

    minimal: bool | str
    givens: Range
    symmetry: str
    box: Box
    diagonal: bool
    difficulty: Scores
    rating: Scores
    method: str
    solutions: str


@dataclass(kw_only=True)
class Requirements:
    """The kind of puzzles to generate; the fields are arguments of `sudoku.generate.generate`.

    Raises
    ------
    SudokuError
        An argument is wrong, or no puzzle can be like that.
    LayoutError
        There is no such box, or the grid is larger than 36x36.
    """

    minimal: bool | str = True
    givens: Range = None
    symmetry: str = "none"
    box: Box = (3, 3)
    diagonal: bool = False
    difficulty: Scores = None
    rating: Scores = None
    method: str = "dig"
    solutions: str = "one"

    def __post_init__(self) -> None:
        self.layout = layout_of(self.box, self.diagonal)
        check_size(self.layout)
        for name, known in (
            ("symmetry", SYMMETRIES),
            ("method", METHODS),
            ("solutions", SOLUTIONS),
            ("minimal", MINIMAL),
        ):
            value = getattr(self, name)
            if not isinstance(value, str | bool) or value not in tuple(known):
                choices = ", ".join(str(choice) for choice in known)
                raise SudokuError(f"{name} {brief(value)}; there are {choices}")
        self.minimal = MINIMAL[self.minimal]
        self.least, self.most = self._givens(self.givens)
        self.difficulty = _checked_scores("difficulty", self.difficulty)
        self.rating = _checked_scores("rating", self.rating)

    def _givens(self, givens: Range) -> tuple[int, int]:
        """Return the least and the most number of givens."""
        cells, groups = self.layout.cells, orbits(self.layout.size, self.symmetry)
        if givens is None:
            half = cells // 2
            return (0, cells) if self.minimal != "no" else (half, half + max(map(len, groups)) - 1)
        try:
            least, most = map(index, givens if isinstance(givens, (tuple, list)) else [givens] * 2)
        except (TypeError, ValueError):
            raise SudokuError(f"givens {givens!r}: a whole number, or two for a range") from None
        fault = "two numbers from 0 on, in order"
        if 0 <= least <= most:
            fault = self._impossible(least, most)
            sums = 1  # bit n: some groups have n cells together
            for group in groups:
                sums |= sums << len(group)
            if not fault and not any(sums >> number & 1 for number in range(least, most + 1)):
                fault = f"no pattern of symmetry {self.symmetry} has so many cells"
        if fault:
            required = f"{least} givens" if least == most else f"{least} to {most} givens"
            raise SudokuError(f"{required}: {fault}")
        return least, most

    def _impossible(self, least: int, most: int) -> str:
        """Return why no puzzle has as many givens; empty if one may."""
        cells, size = self.layout.cells, self.layout.size
        if least > cells:
            return f"a {self.layout.name} grid has {cells} cells"
        if self.solutions == "one":
            if self.layout == Layout(3, 3) and most < 17:
                # McGuire, Tugemann, Civario, "There is no 16-clue sudoku", 2012
                return "no 9x9 puzzle with fewer than 17 has one solution"
            if most < size - 1:
                return f"with fewer than {size - 1} two digits are missing, and can be exchanged"
            if self.minimal == "given" and least > cells - size:
                return f"a minimal puzzle has no full row, so at most {cells - size}"
        elif self.solutions == "several" and least > cells - 4:
            return f"two solutions differ in 4 cells, so at most {cells - 4}"
        elif self.solutions == "none" and least > cells - 2:
            return f"a wrong one clashes unless 2 cells are blank, so at most {cells - 2}"
        return ""


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
