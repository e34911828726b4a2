"""Pictures of any puzzle, with its pencil marks, its solution or a step."""

from __future__ import annotations

from dlx.checks import brief
from sudoku.checks import as_flag
from sudoku.errors import PuzzleError
from sudoku.explain.steps import Step
from sudoku.grid import Puzzle
from sudoku.layout import Box
from sudoku.reading.convert import as_grid, named_grid
from sudoku.solving.contradiction import candidate_masks
from sudoku.symbols import Names, digits_of
from sudoku.writing import picture


def svg(
    puzzle: Puzzle,
    diagonal: bool | None = None,
    box: Box = None,
    *,
    symbols: Names = None,
    solution: Puzzle | None = None,
    marks: bool = False,
    step: Step | None = None,
) -> str:
    """Return a picture of a puzzle as one <svg> element, which is also a complete SVG file.

    Parameters
    ----------
    puzzle, diagonal, box, symbols
        As for `sudoku.solve`; the digits are drawn as givens.
    solution : Puzzle, optional
        Its digits are drawn as found where the puzzle is blank.
    marks : bool
        Whether to draw the pencil marks of blank cells, see `sudoku.candidates`; they are always
        drawn if the puzzle has candidates.
    step : Step, optional
        The grid and the pencil marks before this step, its pattern and houses, and what it
        deletes and places.

    Raises
    ------
    PuzzleError, LayoutError
        As for `sudoku.solve`; or the solution is of another size or of another puzzle, or the step
        of another layout or none at all.

    Examples
    --------
    >>> picture = svg("1..4 ..2. .1.. 4...", marks=True)
    >>> picture.startswith('<svg xmlns="http://www.w3.org/2000/svg"'), picture.count("given")
    (True, 6)
    """
    grid = as_grid(puzzle, box, diagonal, symbols)
    marks = as_flag(marks, "marks")
    found: list[int] = []
    if solution is not None:
        found = named_grid("solution", solution, box, diagonal, symbols).digits
        pairs = enumerate(zip(grid.digits, found, strict=False))
        wrong = [cell for cell, (given, digit) in pairs if given and digit and given != digit]
        if wrong and len(found) == grid.layout.cells:
            place = grid.layout.cell_name(wrong[0])
            raise PuzzleError(f"the solution differs from the puzzle in {place}")
    shown = picture.Marks()
    if step is not None:
        if not isinstance(step, Step):
            raise PuzzleError(f"step is {brief(step)}; one of those of solve_steps is needed")
        if step.puzzle.layout != grid.layout:
            layouts = f"one of {step.puzzle.layout!r}, the puzzle of {grid.layout!r}"
            raise PuzzleError(f"the step is {layouts}")
        shown = step.marks
        if solution is None:
            found = step.grid.digits
    elif marks or grid.candidates is not None:
        shown = picture.Marks(digits_of(candidate_masks(grid)))
    return picture.svg(grid.digits, grid.layout, grid.symbols, found=found, marks=shown)
