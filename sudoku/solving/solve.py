"""Top-level functions on puzzles: solve, solutions, count_solutions, is_unique, why, batches.

Classic 9x9 puzzles go to a kernel of their own, others to kernels for any layout; with
`engine="dlx"` the generic exact cover engine searches instead. Counts do not depend on that. Which
of several solutions comes first is fixed for a version, but not specified.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import isqrt
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dlx.checks import MOST_VALUES, brief, is_one_of, timeout_error
from dlx.deprecated import by_keyword
from sudoku import cover
from sudoku.checks import as_time_limit, at_least, chosen_seed, threads
from sudoku.errors import LayoutError, PuzzleError, SudokuError
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Box, Layout
from sudoku.reading.convert import as_grid, batch_of
from sudoku.solving import direct
from sudoku.solving.batch_search import (
    BatchSearch,
    as_cells,
    batch_limit,
    compile_kernels,
    search_of,
)
from sudoku.solving.contradiction import clash, dead_end
from sudoku.solving.solution_search import SolutionSearch, compile_search, solution_counter
from sudoku.symbols import Names

if TYPE_CHECKING:
    from dlx import Count, Search

__all__ = [
    "count_batch",
    "count_solutions",
    "is_unique",
    "sample",
    "solutions",
    "solve",
    "solve_batch",
    "warm",
    "why",
]

MOST_LISTED = 1000
"""Solutions that `sample` lists, which takes some milliseconds; for more it builds a diagram."""

GRID_BYTES = 400
"""Size of a Grid without its digits."""


def solve(
    puzzle: Puzzle,
    diagonal: bool | None = None,
    box: Box = None,
    *,
    symbols: Names = None,
    engine: str = "auto",
) -> Grid | None:
    """Return a solution of a puzzle, or None if there is none.

    Parameters
    ----------
    puzzle : str, array_like or Grid
        Text in any format that files may have, N lists of N ints, an integer array (N, N) or
        (N*N,) with 0 for a blank, or a Grid.
    diagonal : bool, optional
        Whether both diagonals hold every digit as well; by default as a Grid has it.
    box : str, (int, int) or Layout, optional
        Boxes as "2x3" or (2, 3), rows first, other houses as "windoku", or a layout; see
        `Layout.of`, also for the default.
    symbols : Symbols, str or sequence of str, optional
        Names of the digits; by default found from a text.
    engine : {"auto", "dlx"}, optional
        "dlx": search by the exact cover engine, not by a kernel for grids.

    Raises
    ------
    PuzzleError
        It is not a puzzle. One that breaks a rule is a puzzle, without a solution.
    LayoutError
        Box or symbols do not fit.
    SudokuError
        `diagonal` is neither true nor false, or there is no such engine.

    Examples
    --------
    >>> print(solve("1..4 ..2. .1.. 4..."))
    1234342121434312
    >>> solve("1..1 .... .... ....") is None
    True
    """
    if _is_plain(symbols, engine):
        solved = direct.solve(puzzle, box, diagonal)
        if solved is not None:
            return solved[0]
    grid = as_grid(puzzle, box, diagonal, symbols)
    if _is_generic(engine):
        return next(solutions(grid, limit=1, engine=engine), None)
    search = _batch_of_one(grid, 1)
    return _solved(grid, search.solutions[0]) if search.counts[0] else None


@by_keyword("limit", "diagonal", "box")
def solutions(
    puzzle: Puzzle,
    *,
    limit: int | None = None,
    diagonal: bool | None = None,
    box: Box = None,
    time_limit: float | None = None,
    symbols: Names = None,
    engine: str = "auto",
) -> Iterator[Grid]:
    """Return an iterator over all solutions of a puzzle.

    Solutions that were returned are not held. The loop may be left at any time.

    Parameters
    ----------
    limit : int, optional
        Most solutions to return.
    time_limit : float, optional
        Seconds for searching and for making grids; what the loop does with them does not count.
    puzzle, diagonal, box, symbols, engine
        As for `solve`.

    Raises
    ------
    PuzzleError, LayoutError
        As `solve`; raised by the call itself, like the next.
    SudokuError
        As `solve`; or `limit` is not a whole number from 0 on, or `time_limit` is negative or not a
        number.
    TimeoutError
        In the loop, when the time limit ends the search.

    Examples
    --------
    >>> len({str(g) for g in solutions("................")})
    288
    """
    grid = as_grid(puzzle, box, diagonal, symbols)
    if limit is not None:
        limit = at_least(limit, 0, "limit")
    time_limit = as_time_limit(time_limit)
    if _is_generic(engine):
        search = _engine_search(grid, limit, time_limit)
        return _grids(search, partial(_from_cover, grid), time_limit)
    return _grids(SolutionSearch(grid, limit, time_limit), partial(_solved, grid), time_limit)


@by_keyword("limit", "diagonal", "box")
def count_solutions(
    puzzle: Puzzle,
    *,
    limit: int | None = None,
    diagonal: bool | None = None,
    box: Box = None,
    time_limit: float | None = None,
    symbols: Names = None,
    engine: str = "auto",
) -> int:
    """Return the number of solutions of a puzzle, or `limit` if there are at least as many.

    Parameters
    ----------
    limit : int, optional
        Solutions to count up to, from 0 on.
    time_limit : float, optional
        Seconds for the search.
    puzzle, diagonal, box, symbols, engine
        As for `solve`.

    Raises
    ------
    PuzzleError, LayoutError, SudokuError
        As `solutions`.
    TimeoutError
        The time limit came first; says how many were found.

    Examples
    --------
    >>> count_solutions("." * 16), count_solutions("." * 16, diagonal=True)
    (288, 48)
    >>> count_solutions("." * 81, limit=10)
    10
    """
    time_limit = as_time_limit(time_limit)
    if time_limit is None and _is_plain(symbols, engine):
        counted = direct.count(puzzle, limit, box, diagonal)
        if counted is not None:
            return counted
    grid = as_grid(puzzle, box, diagonal, symbols)
    if limit is not None:
        limit = at_least(limit, 0, "limit")
    is_generic = _is_generic(engine)
    if limit == 0:
        return 0
    if is_generic:
        return _counted(_engine_search(grid, limit, time_limit), time_limit)
    if time_limit is None:
        first_limit = batch_limit(limit)
        count = int(_batch_of_one(grid, first_limit).counts[0])
        if count < first_limit or limit == first_limit:
            return count
    return _counted(solution_counter(grid, limit, time_limit), time_limit)


def _counted(search: Count | Search | SolutionSearch, time_limit: float | None) -> int:
    """Return how many solutions a search counts; TimeoutError if its time limit ends it."""
    found = search.count()
    if search.status == "time limit":
        raise timeout_error(time_limit, found)
    return found


def sample(
    puzzle: Puzzle,
    n: int,
    seed: int | None = None,
    diagonal: bool | None = None,
    box: Box = None,
    *,
    symbols: Names = None,
) -> list[Grid]:
    """Return n random solutions, each drawn from all with equal probability.

    They are independent of each other, so one may be drawn again. Where there are many solutions,
    they are held as a diagram (`dlx.solution_set`), not listed: those of the empty 6x6 take some
    seconds. To draw complete 9x9 grids, use `random_grids`.

    Parameters
    ----------
    n : int
        How many, at least 0.
    seed : int, optional
        The same seed gives the same solutions; by default a new one is used.
    puzzle, diagonal, box, symbols
        As for `solve`.

    Raises
    ------
    PuzzleError, LayoutError
        As `solve`.
    SudokuError
        n or the seed is negative or not a whole number, n is more than a list can have, `diagonal`
        is neither true nor false, there is no solution to draw, or the grid is empty, 9x9 or
        larger, with boxes alone or none.
    MemoryError
        The diagram does not fit into a quarter of the memory that the process may use, or so many
        grids do not fit into all of it.

    Examples
    --------
    >>> [str(grid)[:4] for grid in sample("1... .... .... ....", 3, seed=1)]
    ['1423', '1432', '1432']
    """
    from dlx import solution_set

    grid = as_grid(puzzle, box, diagonal, symbols)
    number, seed = _number_of_grids(n, grid.layout), chosen_seed(seed)
    listed = list(SolutionSearch(grid, MOST_LISTED + 1))
    if number and not listed:
        raise SudokuError("the puzzle has no solution to draw")
    if len(listed) <= MOST_LISTED:
        draw = Random(seed)
        return [_solved(grid, listed[draw.randrange(len(listed))]) for _ in range(number)]
    is_empty = not grid.num_givens and grid.candidates is None
    if is_empty and grid.layout.size >= 9 and not grid.layout.extra:
        raise SudokuError(
            f"the diagram of an empty {grid.layout.name} grid is too large; use random_grids"
        )
    problem, options = cover.question(grid)
    diagram = solution_set(problem, given=options)
    return [_from_cover(grid, one) for one in diagram.sample(number, seed)]


def _number_of_grids(n: int, layout: Layout) -> int:
    """Return the argument `n` of `sample` as an int, if a list and the memory hold as many."""
    from dlx.count.memory import require_memory_for

    number = at_least(n, 0, "n")
    if number > MOST_VALUES:
        raise SudokuError(f"n is too large: a list has at most {MOST_VALUES} grids")
    require_memory_for(number, GRID_BYTES + 2 * layout.cells, "grids")
    return number


def is_unique(
    puzzle: Puzzle,
    diagonal: bool | None = None,
    box: Box = None,
    *,
    symbols: Names = None,
    engine: str = "auto",
) -> bool:
    """Return whether a puzzle has exactly one solution.

    Parameters
    ----------
    puzzle, diagonal, box, symbols, engine
        As for `solve`.

    Raises
    ------
    PuzzleError, LayoutError, SudokuError
        As `solve`.

    Examples
    --------
    >>> is_unique("1..4 ..2. .1.. 4..."), is_unique("1... .... .... ....")
    (True, False)
    """
    if _is_plain(symbols, engine):
        counted = direct.count(puzzle, 2, box, diagonal)
        if counted is not None:
            return counted == 1
    options: dict[str, Any] = {"diagonal": diagonal, "box": box, "symbols": symbols}
    return count_solutions(puzzle, limit=2, engine=engine, **options) == 1


def why(
    puzzle: Puzzle, diagonal: bool | None = None, box: Box = None, *, symbols: Names = None
) -> str | None:
    """Return in one line why a puzzle has no solution; None if it has one.

    The reason is a digit twice in a house, with the cells; else a cell that no digit fits, or a
    digit without a place in a house; else that a search found none.

    Parameters
    ----------
    puzzle, diagonal, box, symbols
        As for `solve`.

    Raises
    ------
    PuzzleError, LayoutError
        As `solve`.
    SudokuError
        `diagonal` is neither true nor false.

    Examples
    --------
    >>> why("55.......|" + "." * 72)
    '5 twice in row 1 (r1c1, r1c2)'
    """
    grid = as_grid(puzzle, box, diagonal, symbols)
    reason = clash(grid.digits, grid.layout, grid.symbols) or dead_end(grid)
    if not reason and solve(grid) is None:
        reason = "every way to fill the blanks breaks a rule"
    return reason or None


def solve_batch(
    puzzles: ArrayLike, diagonal: bool | None = None, box: Box = None, *, jobs: int | str = 1
) -> NDArray[Any]:
    """Return a solution of each of k puzzles; zeros where there is none.

    Parameters
    ----------
    puzzles : array_like of int, (k, N, N) or (k, N*N), or sequence or array of Grid or str
        Digits, 0 for a blank. Grids and texts have one layout, and no candidates.
    diagonal, box
        Of all puzzles, as for `solve`.
    jobs : int or "all", optional
        Threads, "all" for one on each core; the result does not depend on their number.

    Returns
    -------
    ndarray
        Of the shape and dtype of `puzzles`; int16[k, N, N] for texts and Grids.

    Raises
    ------
    PuzzleError
        It is not such an array, or a value is out of range: says which puzzle and cell.
    LayoutError
        There is no such layout, the box does not fit, or layouts of grids differ.
    SudokuError
        `diagonal` is neither true nor false, or `jobs` is neither a whole number from 1 on nor
        "all".

    Examples
    --------
    >>> solve_batch([[1, 0, 0, 4, 0, 0, 2, 0, 0, 1, 0, 0, 4, 0, 0, 0]])[0, :4].tolist()
    [1, 2, 3, 4]
    """
    if type(jobs) is int and jobs == 1:
        solved = direct.solutions(puzzles, box, diagonal)
        if solved is not None:
            return solved.reshape(np.shape(puzzles))
    array, search = _batch(puzzles, diagonal, box, 1, jobs)
    return search.solutions.reshape(array.shape).astype(array.dtype)


@by_keyword("limit", "diagonal", "box")
def count_batch(
    puzzles: ArrayLike,
    *,
    limit: int = 2,
    diagonal: bool | None = None,
    box: Box = None,
    jobs: int | str = 1,
) -> NDArray[np.int64]:
    """Return how many solutions each of k puzzles has, counted up to a limit.

    Parameters
    ----------
    limit : int, optional
        Solutions of a puzzle to count up to, at least 1.
    puzzles, diagonal, box, jobs
        As for `solve_batch`.

    Returns
    -------
    int64[k]

    Raises
    ------
    PuzzleError, LayoutError
        As `solve_batch`.
    SudokuError
        As `solve_batch`; or `limit` is not a whole number from 1 on.

    Examples
    --------
    >>> count_batch([[1, 0, 0, 4] + [0] * 12, [1, 1] + [0] * 14]).tolist()
    [2, 0]
    """
    if type(jobs) is int and jobs == 1:
        counts = direct.counts(puzzles, limit, box, diagonal)
        if counts is not None:
            return counts
    limit = at_least(limit, 1, "limit")
    return _batch(puzzles, diagonal, box, limit, jobs)[1].counts


def warm() -> None:
    """Compile the kernels of the solver, once, into numba's cache on disk.

    For building an image: `python -c "import sudoku; sudoku.warm()"`. Where the package's
    folder cannot be written, numba caches in the user's own cache folder; the environment
    variable `NUMBA_CACHE_DIR` names another.
    """
    compile_kernels(Layout(3, 3), Layout(2, 2), Layout(4, 4))
    for puzzle in ("." * 16, "1234" + "." * 12):  # counted by the mask kernel and by the engine
        compile_search(solution_counter(as_grid(puzzle)))


def _grids(
    search: Search | SolutionSearch, grid_of: Callable[[Any], Grid], time_limit: float | None
) -> Iterator[Grid]:
    seconds, found = 0.0, 0
    for solution in search:
        if time_limit is not None and search.stats.seconds + seconds > time_limit:
            break
        began = time.perf_counter()
        grid = grid_of(solution)
        seconds += time.perf_counter() - began
        found += 1
        yield grid
    else:
        if search.status != "time limit":
            return
    raise timeout_error(time_limit, found)


def _solved(grid: Grid, values: NDArray[np.uint8]) -> Grid:
    return Grid.trusted(grid.layout, values.tobytes(), grid.symbols)


def _from_cover(grid: Grid, options: Sequence[int]) -> Grid:
    values = cover.cover_to_values(options, grid.layout, grid.candidates)
    return _solved(grid, values.astype(np.uint8))


def _engine_search(grid: Grid, limit: int | None, time_limit: float | None) -> Search:
    from dlx import Search

    problem, givens = cover.question(grid)
    return Search(problem, given=givens, limit=limit, time_limit=time_limit)


def _batch_of_one(grid: Grid, limit: int) -> BatchSearch:
    search = search_of(grid, limit)
    search.run()
    return search


def _batch(
    puzzles: ArrayLike, diagonal: bool | None, box: Box, limit: int, jobs: int | str
) -> tuple[NDArray[Any], BatchSearch]:
    array, layout, cells = batch_cells(puzzles, diagonal, box)
    search = BatchSearch(layout, cells, limit)
    search.run(threads(jobs))
    return array, search


def batch_cells(
    puzzles: ArrayLike, diagonal: bool | None, box: Box
) -> tuple[NDArray[Any], Layout, NDArray[np.uint8]]:
    """Return k puzzles as an array, their layout, and their cells, uint8[k, cells]."""
    array, box = batch_of(puzzles, box, diagonal)
    layout = _batch_layout(array, diagonal, box)
    n, cells = layout.size, layout.cells
    if array.dtype.kind not in "iu":
        raise PuzzleError(f"values of type {array.dtype}; puzzles hold integers, 0 for a blank")
    flat = array.reshape(-1, cells)
    if flat.size and (flat.min() < 0 or flat.max() > n):
        puzzle, cell = (int(i[0]) for i in np.nonzero((flat < 0) | (flat > n)))
        raise PuzzleError(
            f"value {flat[puzzle, cell]} in puzzle {puzzle}, {layout.cell_name(cell)}: "
            f"a digit is 1 to {n}, or 0 for a blank"
        )
    return array, layout, as_cells(flat, cells)


def _batch_layout(array: NDArray[Any], diagonal: bool | None, box: Box) -> Layout:
    shape = array.shape
    n = shape[2] if len(shape) == 3 else isqrt(shape[1]) if len(shape) == 2 else 0
    if not shape:
        is_text = array.dtype.kind in "SU"
        given = f"puzzles {brief(array.item())}" if is_text else "an array of shape ()"
        raise PuzzleError(f"{given}: a list or an array of puzzles is needed")
    if not n or shape[1:] not in ((n, n), (n * n,)):
        raise PuzzleError(f"an array of shape {shape}; puzzles are (k, N, N) or (k, N*N)")
    try:
        return Layout.of(n, box, diagonal)
    except LayoutError as error:
        raise LayoutError(f"an array of shape {shape} as (k, N, N) or (k, N*N): {error}") from None


def _is_plain(symbols: Names, engine: str) -> bool:
    """Return whether the puzzle may take the fast path."""
    return symbols is None and is_one_of(engine, ("auto",))


def _is_generic(engine: str) -> bool:
    if not is_one_of(engine, ("auto", "dlx")):
        raise SudokuError(f"engine {brief(engine)}; there are auto and dlx")
    return engine == "dlx"
