"""The canonical form of puzzles: the least of all that are equivalent to a puzzle."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dlx.checks import brief
from sudoku.checks import as_array
from sudoku.errors import LayoutError, PuzzleError
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Box, Layout
from sudoku.reading.convert import as_grid, without_candidates
from sudoku.solving.contradiction import clash
from sudoku.solving.driver import Driver
from sudoku.solving.solve import batch_cells

FIRST_PIECE = 16  # puzzles of the first slice; a complete 9x9 grid takes a thousand times as long


class Symmetry(NamedTuple):
    """A map of puzzles to equivalent ones.

    Attributes
    ----------
    transposed : bool
        Whether rows and columns are exchanged first.
    rows, columns : tuple of int
        For each row and column of the image that of the puzzle, from 0.
    digits : tuple of int
        The images of the digits 1, 2, ...
    """

    transposed: bool
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    digits: tuple[int, ...]

    def __call__(self, values: ArrayLike) -> NDArray[np.int64]:
        """Return the image, int64[N, N], of a grid of digits of that shape, 0 for a blank.

        Raises
        ------
        PuzzleError
            The values are not N rows of N numbers from 0 to N.
        """
        n, grid = len(self.digits), as_array(values)
        fits = grid.shape == (n, n) and grid.dtype.kind in "iu"
        if not fits or not np.isin(grid, range(n + 1)).all():
            raise PuzzleError(f"{brief(values)}: {n} rows of {n} numbers from 0 to {n} are needed")
        grid = grid.T if self.transposed else grid
        labels = np.array((0, *self.digits), np.int64)
        image: NDArray[np.int64] = labels[grid[np.ix_(self.rows, self.columns)]]
        return image


class Canonical(NamedTuple):
    """The canonical form of a puzzle, and a symmetry that maps the puzzle to it."""

    grid: Grid
    symmetry: Symmetry


def canonical(puzzle: Puzzle, box: Box = None) -> Canonical:
    """Return the least puzzle that is equivalent to a puzzle or a grid, and a map to it.

    Puzzles are equivalent if they come from each other by permuting digits, bands, rows of a band,
    stacks, columns of a stack, and by transposition if the boxes are square or there are none. The
    least of them is the first in lexicographic order, cells by rows, 0 for a blank.

    Parameters
    ----------
    puzzle, box
        As for `as_grid`; a layout with boxes alone, or with none.

    Raises
    ------
    PuzzleError
        A digit is given twice in a row or a column, or the puzzle has candidates.
    LayoutError
        The layout has other houses.
    MemoryError
        Too many arrangements of rows agree, as in large complete grids: above 9x9.

    Examples
    --------
    >>> form, symmetry = canonical("1..4 ..2. .1.. 4...")
    >>> str(form)
    '...1..2..1.23...'
    >>> bool((symmetry(as_grid("1..4 ..2. .1.. 4...").values) == form.values).all())
    True
    """
    grid = without_candidates(as_grid(puzzle, box), "canonical")
    layout, cells = grid.layout, grid.values.reshape(-1)
    try:
        forms, [mapping] = _forms(cells.reshape(1, -1).astype(np.uint8), layout)
    except PuzzleError:
        raise PuzzleError(clash(cells.tolist(), layout, grid.symbols)) from None
    n = layout.size
    transposed, *numbers = mapping.tolist()
    rows, columns, digits = (tuple(numbers[k : k + n]) for k in range(0, 3 * n, n))
    return Canonical(
        Grid(layout, forms[0], grid.symbols),
        Symmetry(bool(transposed), rows, columns, digits),
    )


def canonical_batch(puzzles: ArrayLike, box: Box = None) -> NDArray[Any]:
    """Return the canonical forms of k puzzles.

    Parameters
    ----------
    puzzles : array_like of int, (k, N, N) or (k, N*N), or sequence of Grid
        As for `solve_batch`.
    box
        As for `canonical`.

    Returns
    -------
    ndarray
        Of the shape and dtype of `puzzles`; int16[k, N, N] for texts and Grids.

    Raises
    ------
    PuzzleError
        It is not such an array, a value is out of range, or a digit is given twice in a row or a
        column. The message gives the puzzle's number, from 0.
    LayoutError
        The box does not fit, layouts of Grids differ, or the layout has other houses.
    MemoryError
        As `canonical`; the message gives the puzzle's number.

    Examples
    --------
    >>> canonical_batch([[0, 0, 0, 3] + [0] * 12])[0].tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    """
    array, layout, cells = batch_cells(puzzles, None, box)
    return _forms(cells, layout)[0].reshape(array.shape).astype(array.dtype)


def _forms(cells: NDArray[np.uint8], layout: Layout) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the canonical forms, and the maps as the kernel writes them."""
    from sudoku.kernels import canonical as kernel

    if layout.extra:
        raise LayoutError(
            f"{layout.description}: canonical forms are of layouts with boxes alone, or none"
        )
    rows, columns = layout.box_rows, layout.box_columns
    transposing = rows == columns or not layout.has_boxes
    forms, maps = np.zeros_like(cells), np.zeros((len(cells), 1 + 3 * layout.size), np.uint8)
    driver, begin, number = Driver(), 0, FIRST_PIECE
    while begin < len(cells):
        write = partial(kernel.canonical, cells, rows, columns, transposing, forms, maps, begin)
        begin += number
        failed, number = driver.slice(write, number)
        if failed >= 0:
            fault = f"more than {kernel.MOST_MAPS} arrangements of its first rows agree"
            raise MemoryError(f"puzzle {failed}: {fault}")
        if failed < -1:
            raise PuzzleError(f"puzzle {-2 - failed} has a digit twice in a row or a column")
    return forms, maps
