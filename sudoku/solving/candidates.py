"""Candidates: the digits that each cell of a puzzle may still have, or has in some solution."""

from __future__ import annotations

from sudoku.checks import flag
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
    marks = digits_of(true_masks(grid) if flag("true", true) else candidate_masks(grid))
    return [marks[start : start + n] for start in range(0, n * n, n)]


def true_masks(grid: Grid) -> list[int]:
    """Return of each cell the digits that it has in some solution, as a mask.

    For each candidate that no solution found so far has, a solution is searched for.

    >>> from sudoku.layout import Layout
    >>> true_masks(Grid(Layout(2, 2), [1, 2, 3, 4, *[0] * 12]))[4:8]
    [12, 12, 3, 3]
    """
    true = [0] * grid.layout.cells

    def add_solution(cell: int = 0, digit: int = 0) -> bool:
        search = search_of(grid, 1)
        if digit:
            search.puzzles[0, cell] = digit
        search.run()
        for place, value in enumerate(search.solutions[0].tolist()):
            true[place] |= 1 << value >> 1
        return bool(search.counts[0])

    if add_solution():
        for cell, mask in enumerate(candidate_masks(grid)):
            for digit in range(1, grid.layout.size + 1):
                if (mask & ~true[cell]) >> (digit - 1) & 1:
                    add_solution(cell, digit)
    return true
