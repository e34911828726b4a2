"""Candidates: the digits that each cell of a puzzle may still have, or has in some solution."""

from __future__ import annotations

from itertools import islice

from sudoku.checks import as_flag
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Box
from sudoku.reading.convert import as_grid
from sudoku.solving.batch_search import search_of
from sudoku.solving.contradiction import candidate_masks
from sudoku.symbols import Names, digits_of


def candidates(
    puzzle: Puzzle,
    diagonal: bool | None = None,
    box: Box = None,
    *,
    symbols: Names = None,
    true: bool = False,
) -> list[list[tuple[int, ...]]]:
    """The pencil marks: of each blank cell the digits that no other cell of its houses has.

    Parameters
    ----------
    puzzle, diagonal, box, symbols
        As for `sudoku.solve`. If the puzzle has candidates, the digits are among them.
    true : bool
        Whether to return only digits that the cell has in some solution.

    Returns
    -------
    list of list of tuple of int
        By row and column; of a filled cell, its digit.

    Raises
    ------
    PuzzleError, LayoutError
        As `sudoku.solve`.

    Examples
    --------
    >>> candidates("1..4 ..2. .1.. 4...")[0]
    [(1,), (2, 3), (3,), (4,)]
    >>> candidates("1..4 ..2. .1.. 4...", true=True)[0]
    [(1,), (2,), (3,), (4,)]
    """
    grid = as_grid(puzzle, box, diagonal, symbols)
    n = grid.layout.size
    marks = digits_of(true_masks(grid) if as_flag(true, "true") else candidate_masks(grid))
    return [marks[start : start + n] for start in range(0, n * n, n)]


def true_masks(grid: Grid) -> list[int]:
    """Return of each cell the digits that it has in some solution, as a mask.

    For each candidate that is in no solution found so far, a solution is searched for. While these
    searches find none, their number doubles each time: most puzzles have one solution.

    >>> from sudoku.layout import Layout
    >>> true_masks(Grid(Layout(2, 2), [1, 2, 3, 4, *[0] * 12]))[4:8]
    [12, 12, 3, 3]
    """
    true = [0] * grid.layout.cells

    def add_solutions(placed: list[tuple[int, int]]) -> bool:
        """Add a solution with each of some digits in its cell; return whether there was any."""
        search = search_of(grid, 1, len(placed))
        for puzzle, (cell, digit) in zip(search.puzzles, placed, strict=True):
            puzzle[cell] = digit
        search.run()
        for solution in search.solutions[search.counts > 0].tolist():
            for place, value in enumerate(solution):
                true[place] |= 1 << (value - 1)
        return any(search.counts)

    if add_solutions([(0, int(grid.values[0, 0]))]):
        unseen = (
            (cell, digit)
            for cell, digits in enumerate(digits_of(candidate_masks(grid)))
            for digit in digits
            if not true[cell] >> (digit - 1) & 1
        )
        size = 1
        while placed := list(islice(unseen, size)):
            size = 1 if add_solutions(placed) else 2 * size
    return true
