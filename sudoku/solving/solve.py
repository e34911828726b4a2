"""The questions one asks about puzzles, one at a time or in batches.

9x9 puzzles without diagonals go to a kernel of their own, others to one for any layout; with
``engine="dlx"`` the generic exact cover engine answers instead. Counts are the same whichever
runs. Which of several solutions comes first is fixed for a version, but not specified.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dlx.deprecated import by_keyword
from sudoku.checks import whole
from sudoku.errors import LayoutError, PuzzleError, SudokuError
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Layout
from sudoku.reading.convert import as_grid
from sudoku.solving.batch_search import BatchSearch, as_cells, warm_up
from sudoku.solving.contradiction import clash, dead_end
from sudoku.solving.grid_search import CoverSearch, GridSearch, counting
from sudoku.symbols import Symbols

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

Box = str | tuple[int, int] | None
Names = Symbols | str | Sequence[str] | None

FEW = 1000
"""Up to so many solutions are counted by a batch kernel, more by a search of its own."""


def solve(
    puzzle: Puzzle,
    diagonal: bool = False,
    box: Box = None,
    *,
    symbols: Names = None,
    engine: str = "auto",
) -> Grid | None:
    """A solution, or None if there is none.

    Args:
        puzzle: text in any format that files may have, N lists of N ints, an integer array
            (N, N) or (N*N,) with 0 for a blank, or a Grid.
        diagonal: whether both diagonals hold every digit as well.
        box: ``"2x3"`` or ``(2, 3)``, rows first; see ``Layout.of`` for the default.
        symbols: names of the digits; by default found from a text.
        engine: ``"auto"`` or ``"dlx"``.

    Raises:
        PuzzleError: not a puzzle. One that breaks a rule is a puzzle, without a solution.
        LayoutError: box or symbols do not fit.

    >>> print(solve("1..4 ..2. .1.. 4..."))
    1234342121434312
    >>> solve("1..1 .... .... ....") is None
    True
    """
    question = as_grid(puzzle, box, diagonal, symbols)
    if _is_generic(engine):
        values = next(iter(CoverSearch(question, limit=1)), None)
        return None if values is None else _answer(question, values)
    search = _batch_of_one(question, 1)
    return _answer(question, search.solutions[0]) if search.counts[0] else None


@by_keyword("limit", "diagonal", "box")
def solutions(
    puzzle: Puzzle,
    *,
    limit: int | None = None,
    diagonal: bool = False,
    box: Box = None,
    time_limit: float | None = None,
    symbols: Names = None,
    engine: str = "auto",
) -> Iterator[Grid]:
    """All solutions one after the other, without holding those given out.

    Args:
        limit: at most so many.
        time_limit: stop after so many seconds of searching.

    Others, and errors (raised at once), as ``solve``. Ctrl-C and leaving the loop are free.

    >>> len({str(g) for g in solutions("................")})
    288
    """
    question = as_grid(puzzle, box, diagonal, symbols)
    if limit is not None:
        whole("limit", limit, 0)
    generic = _is_generic(engine)
    search: CoverSearch | GridSearch
    search = (CoverSearch if generic else GridSearch)(question, limit, time_limit)
    return (_answer(question, values) for values in search)


@by_keyword("limit", "diagonal", "box")
def count_solutions(
    puzzle: Puzzle,
    *,
    limit: int | None = None,
    diagonal: bool = False,
    box: Box = None,
    symbols: Names = None,
    engine: str = "auto",
) -> int:
    """How many solutions there are, exactly, or ``limit`` if there are at least as many.

    Arguments and errors as ``solve``.

    >>> count_solutions("." * 16), count_solutions("." * 16, diagonal=True)
    (288, 48)
    >>> count_solutions("." * 81, limit=10)
    10
    """
    question = as_grid(puzzle, box, diagonal, symbols)
    if limit is not None:
        whole("limit", limit, 0)
    if limit == 0:
        return 0
    if _is_generic(engine):
        return CoverSearch(question, limit).count()
    few = FEW if limit is None else min(limit, FEW)
    count = int(_batch_of_one(question, few).counts[0])
    return count if count < few or limit == few else counting(question, limit).count()


def sample(
    puzzle: Puzzle,
    n: int,
    seed: int | None = None,
    diagonal: bool = False,
    box: Box = None,
    *,
    symbols: Names = None,
) -> list[Grid]:
    """n solutions, each drawn from all with equal probability, independent of the others.

    The solutions are held as a diagram (``dlx.solution_set``), not listed: those of the empty 6x6
    take some seconds. Complete 9x9 grids are drawn by ``random_grids``.

    Args:
        seed: the same seed, the same solutions; None for one that nobody has used.

    Others as ``solve``.

    Raises:
        SudokuError: n is negative, or there is no solution to draw.
        MemoryError: the diagram does not fit into a quarter of the machine's memory.

    >>> [str(grid)[:4] for grid in sample("1... .... .... ....", 3, seed=1)]
    ['1432', '1324', '1423']
    """
    from dlx import solution_set
    from sudoku import cover

    question = as_grid(puzzle, box, diagonal, symbols)
    wanted = whole("n", n, 0)
    found = solution_set(cover.problem(question.layout), given=cover.givens(question))
    if wanted and not found.count:
        raise SudokuError("the puzzle has no solution to draw")
    drawn = found.sample(wanted, seed)
    return [_answer(question, cover.cover_to_values(one, question.layout)) for one in drawn]


def is_unique(
    puzzle: Puzzle,
    diagonal: bool = False,
    box: Box = None,
    *,
    symbols: Names = None,
    engine: str = "auto",
) -> bool:
    """Whether there is exactly one solution. Arguments and errors as ``solve``.

    >>> is_unique("1..4 ..2. .1.. 4..."), is_unique("1... .... .... ....")
    (True, False)
    """
    return (
        count_solutions(puzzle, limit=2, diagonal=diagonal, box=box, symbols=symbols, engine=engine)
        == 1
    )


def why(
    puzzle: Puzzle, diagonal: bool = False, box: Box = None, *, symbols: Names = None
) -> str | None:
    """Why a puzzle has no solution, in one line; None if it has one.

    A digit twice in a house, with the cells; else a cell that no digit fits, or a digit
    without a place in a house; else that search found none. Arguments and errors as ``solve``.

    >>> why("55.......|" + "." * 72)
    '5 twice in row 1 (r1c1, r1c2)'
    """
    question = as_grid(puzzle, box, diagonal, symbols)
    values = question.values.reshape(-1).tolist()
    reason = clash(values, question.layout, question.symbols) or dead_end(
        values, question.layout, question.symbols
    )
    if not reason and solve(question) is None:
        reason = "every way to fill the blanks breaks a rule"
    return reason or None


def solve_batch(
    puzzles: ArrayLike, diagonal: bool = False, box: Box = None, *, jobs: int = 1
) -> NDArray[Any]:
    """A solution of each of k puzzles; zeros where there is none.

    Args:
        puzzles: integers (k, N, N) or (k, N*N), 0 blank.
        diagonal, box: of all puzzles, as for ``solve``.
        jobs: threads; the result is the same for any number.

    Returns:
        An array of the shape and dtype of ``puzzles``.

    Raises:
        PuzzleError: not such an array, or a value out of range: says which puzzle and cell.

    >>> solve_batch([[1, 0, 0, 4, 0, 0, 2, 0, 0, 1, 0, 0, 4, 0, 0, 0]])[0, :4].tolist()
    [1, 2, 3, 4]
    """
    given = np.asarray(puzzles)
    search = _batch(given, diagonal, box, 1, jobs)
    return search.solutions.reshape(given.shape).astype(given.dtype)


@by_keyword("limit", "diagonal", "box")
def count_batch(
    puzzles: ArrayLike,
    *,
    limit: int = 2,
    diagonal: bool = False,
    box: Box = None,
    jobs: int = 1,
) -> NDArray[np.int64]:
    """How many solutions each of k puzzles has, counted up to ``limit`` >= 1.

    Arguments and errors as ``solve_batch``.

    Returns:
        int64[k].

    >>> count_batch([[1, 0, 0, 4] + [0] * 12, [1, 1] + [0] * 14]).tolist()
    [2, 0]
    """
    whole("limit", limit, 1)
    return _batch(np.asarray(puzzles), diagonal, box, limit, jobs).counts


def warm() -> None:
    """Compile the kernels of the solver, once, into numba's cache on disk.

    For building an image: ``python -c "import sudoku; sudoku.warm()"``. Where the package's
    folder cannot be written, numba caches in the user's own cache folder; the environment
    variable ``NUMBA_CACHE_DIR`` names another.
    """
    from dlx import count_solutions as count_exact_covers
    from sudoku.cover import problem

    warm_up(Layout(2, 2), Layout(3, 3), Layout(4, 4))
    GridSearch(Grid(Layout(2, 2), np.zeros(16, dtype=np.int16)), limit=1).count()
    for method in ("search", "memo"):
        count_exact_covers(problem(Layout(2, 2)), method=method)


def _answer(question: Grid, values: NDArray[Any]) -> Grid:
    return Grid(question.layout, values, question.symbols)


def _batch_of_one(question: Grid, limit: int) -> BatchSearch:
    layout = question.layout
    search = BatchSearch(layout, as_cells(question.values, layout.cells), limit)
    search.run()
    return search


def _batch(given: NDArray[Any], diagonal: bool, box: Box, limit: int, jobs: int) -> BatchSearch:
    layout = _batch_layout(given, diagonal, box)
    n, cells = layout.size, layout.cells
    if given.dtype.kind not in "iu":
        raise PuzzleError(f"values of type {given.dtype}; puzzles hold integers, 0 for a blank")
    flat = given.reshape(-1, cells)
    if flat.size and (flat.min() < 0 or flat.max() > n):
        puzzle, cell = (int(i[0]) for i in np.nonzero((flat < 0) | (flat > n)))
        raise PuzzleError(
            f"value {flat[puzzle, cell]} in puzzle {puzzle}, {layout.cell_name(cell)}: "
            f"a digit is 1 to {n}, or 0 for a blank"
        )
    search = BatchSearch(layout, as_cells(flat, cells), limit)
    search.run(whole("jobs", jobs, 1))
    return search


def _batch_layout(given: NDArray[Any], diagonal: bool, box: Box) -> Layout:
    shape = given.shape
    n = shape[2] if len(shape) == 3 else isqrt(shape[1]) if len(shape) == 2 else 0
    if not n or shape[1:] not in ((n, n), (n * n,)):
        raise PuzzleError(f"an array of shape {shape}; puzzles are (k, N, N) or (k, N*N)")
    try:
        return Layout.of(n, box, diagonal)
    except LayoutError as error:
        raise LayoutError(f"an array of shape {shape} as (k, N, N) or (k, N*N): {error}") from None


def _is_generic(engine: str) -> bool:
    if engine not in ("auto", "dlx"):
        raise SudokuError(f"engine {engine!r}; there are auto and dlx")
    return engine == "dlx"
