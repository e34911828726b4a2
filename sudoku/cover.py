"""A layout as an exact cover problem, and solutions of the problem as grids.

Option ``cell * N + (digit - 1)`` puts a digit into a cell. Its items are the cell, and that digit
in every house of the cell; these are secondary where the house has fewer than N cells. A puzzle
gives some options of this problem; if it has candidates, all others are left out. (Knuth, TAOCP 4B,
section 7.2.2.1, exercise 66 and text.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dlx.problem import Problem
from sudoku.checks import as_masks
from sudoku.layout import as_layout

if TYPE_CHECKING:
    from sudoku.grid import Grid
    from sudoku.layout import Layout


def problem(layout: Layout, candidates: ArrayLike | None = None) -> Problem:
    """All grids of the layout as an exact cover problem; with `candidates` as of `Grid`, if given.

    Items are the cells (``r1c1`` first), then the digits of each house in the order of
    ``layout.houses`` (``row1=1``, ...), all primary; then, secondary, those of
    ``layout.incomplete``.

    >>> from sudoku.layout import Layout
    >>> p = problem(Layout(2, 2))
    >>> p.num_options, p.num_items, p.option(0)
    (64, 64, ('r1c1', 'row1=1', 'column1=1', 'box1=1'))
    """
    n, cells = as_layout(layout).size, layout.cells
    houses_of = [sorted(houses) for houses in layout.houses_of]
    names = [house.name.replace(" ", "") for house in layout.all_houses]
    digit_in = [[f"{name}={digit}" for digit in range(1, n + 1)] for name in names]
    places = [layout.cell_name(cell) for cell in range(cells)]
    options = [
        (places[cell], *(digit_in[house][digit] for house in houses_of[cell]))
        for cell, digit in (divmod(option, n) for option in _options(layout, candidates))
    ]
    complete = len(layout.houses)
    return Problem(
        options,
        primary=places + [item for house in digit_in[:complete] for item in house],
        secondary=[item for house in digit_in[complete:] for item in house],
    )


def question(grid: Grid) -> tuple[Problem, tuple[int, ...]]:
    """The problem of a puzzle, and its options that are chosen from the start.

    >>> from sudoku import Grid, Layout
    >>> p, given = question(Grid(Layout(2, 2), [1] + [0] * 15, candidates=[1] + [14] * 15))
    >>> p.num_options, given
    (46, ())
    """
    given = givens(grid) if grid.candidates is None else ()
    return problem(grid.layout, grid.candidates), given


def left_out(grid: Grid) -> NDArray[np.int64]:
    """The options of the layout's problem that the candidates of a puzzle exclude, ascending."""
    numbers = np.arange(grid.layout.cells * grid.layout.size)
    return np.delete(numbers, np.array(_options(grid.layout, grid.candidates), np.int64))


def givens(grid: Grid) -> tuple[int, ...]:
    """The options of the givens of a puzzle, ascending.

    >>> from sudoku import as_grid
    >>> givens(as_grid([1, *[0] * 14, 4]))
    (0, 63)
    """
    values = grid.values.reshape(-1)
    cells = np.flatnonzero(values)
    return tuple((cells * grid.layout.size + values[cells] - 1).tolist())


def cover_to_values(
    cover: Sequence[int], layout: Layout, candidates: ArrayLike | None = None
) -> NDArray[np.int16]:
    """The grid of a solution, int16[N, N]; 0 where no option is chosen."""
    n = layout.size
    values = np.zeros(layout.cells, dtype=np.int16)
    chosen = np.asarray(cover, dtype=np.int64)
    if candidates is not None:
        chosen = np.array(_options(layout, candidates))[chosen]
    values[chosen // n] = chosen % n + 1
    return values.reshape(n, n)


def _options(layout: Layout, candidates: ArrayLike | None) -> Sequence[int]:
    """The numbers of the options of a problem among those of its layout."""
    if candidates is None:
        return range(layout.cells * layout.size)
    digits = np.arange(layout.size, dtype=np.uint64)
    masks = as_masks(candidates, np.zeros((layout.size, layout.size), np.int16))
    allowed = masks.reshape(-1, 1) >> digits & np.uint64(1)
    numbers: list[int] = np.flatnonzero(allowed).tolist()
    return numbers
