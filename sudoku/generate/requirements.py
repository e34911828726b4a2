"""The requirements for generated puzzles, and the checks of these arguments."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypedDict

from dlx.checks import as_index, brief, is_bool
from sudoku.checks import as_array, counted
from sudoku.errors import PuzzleError, SudokuError
from sudoku.generate.pattern import SYMMETRIES, orbits
from sudoku.grids import check_size, layout_of
from sudoku.layout import Box, Layout

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

METHODS = ("dig", "grow")
SOLUTIONS = {"one": 1, "several": 2, "none": 0}
"""Numbers of solutions by name; 2 for two or more."""
MINIMAL = {"given": "given", "group": "group", "no": "no", True: "given", False: "no"}
NOT_GIVEN = ".0-_"
"""Characters that stand for a blank cell in the text of a pattern; any other is a given."""

Range = int | tuple[int, int] | None
Scores = tuple[float, float] | None


class RequirementArguments(TypedDict, total=False):
    """The fields of `Requirements`, as keyword arguments."""

    minimal: bool | str | None
    givens: Range
    symmetry: str
    pattern: str | ArrayLike | None
    box: Box
    diagonal: bool
    difficulty: Scores
    rating: Scores
    hardest: str | None
    method: str
    solutions: str


@dataclass(kw_only=True)
class Requirements:
    """Which puzzles to generate; the fields are arguments of `sudoku.generate.generate`.

    Parameters
    ----------
    minimal : bool or {"given", "group", "no"}, optional
        True (the default without `pattern`) or "given": without any one of its givens a puzzle
        has several solutions. "group": the same for each group of givens that the symmetry maps
        to each other, which is a weaker and more common requirement. False or "no": removal
        ends as soon as there are as few givens as required. On grids larger than 16x16, or
        than 12x12 with regions or other houses, a given also stays where a thousand nodes of
        search do not decide whether it can be removed; the solution is still unique.
    givens : int or (int, int), optional
        How many, or least and most, in the puzzles returned. Minimal puzzles are made and those
        with as many are selected. Others are made with this number, by default half of the cells;
        in a range each number is drawn with equal probability.
    symmetry : str, optional
        The symmetry of the pattern of givens: "none" (the default), "rotate180", "rotate90",
        "mirror" (left and right exchanged), "diagonal" (rows and columns exchanged) or "full" (all
        of these).
    pattern : str or array_like, optional
        Which cells are given: N*N characters, of which ``.``, ``0``, ``-`` and ``_`` are blanks
        and blank space is ignored, or N*N numbers, 0 for a blank. The puzzle need not be minimal
        unless `minimal` is given.
    box : str, (int, int) or Layout, optional
        Boxes, rows first; determines N. By default 3x3. Any layout is possible: see `Layout.of`.
    diagonal : bool, optional
        Whether both diagonals hold every digit.
    difficulty : (float, float), optional
        Least and most score by `sudoku.difficulty`: guesses that search needs.
    rating : (float, float), optional
        Least and most score by `sudoku.rate`: the steps that a person needs, from 1.2 (singles) to
        above 11 (guesses). Takes a millisecond a puzzle up to 9x9, but some tenths of a second
        from 12x12 on.
    hardest : str, optional
        A technique of `sudoku.explain.techniques.TECHNIQUES`. The techniques up to this one solve
        the puzzle, and those before it do not. Unique rectangles are among them only if this is
        "unique rectangle".
    method : {"dig", "grow"}, optional
        "dig" (the default) removes givens from a random grid; "grow" adds random digits to an
        empty one until there is one solution, then removes what is not needed. The first is
        faster and starts from uniformly distributed grids where grids are numbered.
    solutions : {"one", "several", "none"}, optional
        "several" removes one to three more givens; "none" adds one that is wrong although no
        house forbids it; both with the other cells that the symmetry maps them to. The puzzles
        returned meet all requirements but `minimal`, which applies before that change.

    Raises
    ------
    SudokuError
        An argument is wrong, or no puzzle can meet all of them.
    LayoutError
        There is no such box, or the grid is larger than 36x36.
    """

    minimal: bool | str | None = None
    givens: Range = None
    symmetry: str = "none"
    pattern: str | ArrayLike | None = None
    box: Box = (3, 3)
    diagonal: bool = False
    difficulty: Scores = None
    rating: Scores = None
    hardest: str | None = None
    method: str = "dig"
    solutions: str = "one"

    def __post_init__(self) -> None:
        self.layout = layout_of(self.box, self.diagonal)
        check_size(self.layout)
        if self.minimal is None:
            self.minimal = self.pattern is None
        if is_bool(self.minimal):
            self.minimal = bool(self.minimal)  # of numpy
        for name, allowed in (
            ("symmetry", SYMMETRIES),
            ("method", METHODS),
            ("solutions", SOLUTIONS),
            ("minimal", MINIMAL),
        ):
            value = getattr(self, name)
            if not isinstance(value, str | bool) or value not in tuple(allowed):
                choices = ", ".join(str(choice) for choice in allowed)
                raise SudokuError(f"{name} {brief(value)}; there are {choices}")
        if self.solutions != "one" and self.layout.cells == 1:
            raise SudokuError(f"solutions {self.solutions}: a 1x1 grid always has one")
        self.minimal = MINIMAL[self.minimal]
        self.cells = None if self.pattern is None else self._pattern(self.pattern)
        if self.cells is None:
            self.least, self.most = self._givens(self.givens)
        else:
            self.least = self.most = len(self.cells)
        self.difficulty = _checked_scores("difficulty", self.difficulty)
        self.rating = _checked_scores("rating", self.rating)
        if self.hardest is not None:
            self.hardest = self._technique(self.hardest)

    def _pattern(self, pattern: str | ArrayLike) -> list[int]:
        """Return the cells of a pattern, in order."""
        for name, is_usual in (
            ("givens", self.givens is None),
            ("symmetry", self.symmetry == "none"),
            ("method", self.method == "dig"),
        ):
            if not is_usual:
                raise SudokuError(f"a pattern and {name}: the pattern says which cells are given")
        if self.solutions != "one":
            raise SudokuError("a pattern and solutions: puzzles on a pattern have one solution")
        if isinstance(pattern, str):
            marks = [mark not in NOT_GIVEN for mark in "".join(pattern.split())]
        else:
            n = self.layout.size
            try:
                array = as_array(pattern, bools=True)
            except PuzzleError as error:
                raise SudokuError(f"pattern: {error}") from None
            # numpy would take the text "." for true, and the number NaN
            if array.dtype.kind not in "biuf" or (array != array).any():
                raise SudokuError("pattern: a text or an array of N*N numbers is needed")
            if array.shape not in ((n, n), (n * n,)):
                raise SudokuError(
                    f"pattern: an array of shape {array.shape}; (N, N) or (N*N,) is needed"
                )
            marks = array.astype(bool).reshape(-1).tolist()
        layout = self.layout
        if len(marks) != layout.cells:
            number = counted(len(marks), "cell")
            raise SudokuError(f"a pattern of {number}: a {layout.name} grid has {layout.cells}")
        cells = [cell for cell, mark in enumerate(marks) if mark]
        fault = self._impossible(len(cells), len(cells)) or _exchange(layout, marks)
        if fault:
            raise SudokuError(f"a pattern of {counted(len(cells), 'given')}: {fault}")
        return cells

    def _technique(self, hardest: str) -> str:
        """Return the name of a technique that may be the hardest of these puzzles."""
        from sudoku.explain.techniques import GUESS, RECTANGLE, select, technique_name

        name: str = technique_name(hardest)
        used = [*select(name == RECTANGLE.name, bool(self.layout.extra), name), GUESS]
        weights = [technique.weight for technique in used if technique.name == name]
        if not weights:
            raise SudokuError(f"hardest {name!r}: no step of {self.layout.description} grids")
        if self.solutions != "one":
            raise SudokuError("hardest and solutions: only a puzzle with one solution is solved")
        if self.rating is not None and min(weights) > self.rating[1]:  # it is in the score
            low, high = self.rating
            raise SudokuError(
                f"hardest {name!r} and rating {low:g} to {high:g}: such a puzzle scores at least"
                f" {min(weights):g}"
            )
        return name

    def _givens(self, givens: Range) -> tuple[int, int]:
        """Return the least and the most number of givens."""
        cells, groups = self.layout.cells, orbits(self.layout.size, self.symmetry)
        if givens is None:
            half = cells // 2
            return (0, cells) if self.minimal != "no" else (half, half + max(map(len, groups)) - 1)
        try:
            least, most = map(
                as_index, givens if isinstance(givens, (tuple, list)) else [givens] * 2
            )
        except (TypeError, ValueError):
            raise SudokuError(
                f"givens {brief(givens)}: a whole number, or two for a range"
            ) from None
        fault = "two numbers from 0 on, in order"
        if 0 <= least <= most:
            fault = self._impossible(least, most)
            sums = 1  # bit n: some groups have n cells together
            for group in groups:
                sums |= sums << len(group)
            if not fault and not any(sums >> number & 1 for number in range(least, most + 1)):
                fault = f"no pattern of symmetry {self.symmetry} has so many cells"
        if fault:
            required = brief(least) if least == most else f"{brief(least)} to {brief(most)}"
            raise SudokuError(f"{required} givens: {fault}")
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


def _exchange(layout: Layout, marks: list[bool]) -> str:
    """Return which two rows or columns can be exchanged in every puzzle; empty if none can."""
    n, boxes = layout.size, layout.has_boxes
    if layout.extra:
        return ""
    tall, wide = (layout.box_rows, layout.box_columns) if boxes else (n, n)
    grid = [marks[start : start + n] for start in range(0, n * n, n)]
    for kind, side, lines in (("rows", tall, grid), ("columns", wide, zip(*grid, strict=True))):
        blank = [number for number, line in enumerate(lines) if not any(line)]
        for one, other in pairwise(blank):
            if one // side == other // side:
                return f"{kind} {one + 1} and {other + 1} are blank, and can be exchanged"
    return ""


def _checked_scores(name: str, scores: Scores) -> Scores:
    if scores is None:
        return None
    try:
        given: list[Any] = list(scores)
        if any(isinstance(score, str | bytes) or is_bool(score) for score in given):
            raise TypeError
        low, high = map(float, given)
    except (TypeError, ValueError, OverflowError):
        raise SudokuError(
            f"{name} {brief(scores)}: two scores for a range, such as (4, 8)"
        ) from None
    if not 0 <= low <= high:
        raise SudokuError(f"{name} {low} to {high}: two scores from 0 on, in order")
    return low, high
