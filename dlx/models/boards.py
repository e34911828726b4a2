"""Chessmen, Langford pairs, Latin squares and their mates: marks in a table.

Sources: Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1; OEIS A000170 (queens),
A014552 (Langford pairs, twice), A002860 (Latin squares).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from itertools import product

import numpy as np

from dlx.checks import as_list, at_least, brief, one_of
from dlx.errors import ProblemError
from dlx.models.model import Model, Options, Square, Squares, check_entries
from dlx.models.shapes import Cell, box
from dlx.problem import Problem

CHESSMEN: dict[str, Callable[[int, int], bool]] = {
    "queen": lambda down, across: down == 0 or across == 0 or down == across,
    "rook": lambda down, across: down == 0 or across == 0,
    "bishop": lambda down, across: down == across,
    "knight": lambda down, across: {down, across} == {1, 2},
    "king": lambda down, across: max(down, across) == 1,
}
"""Whether a chessman attacks a square this many rows and columns away, if nothing is between."""


def queens(n: int) -> Model:
    """Place n queens on an n x n board, none attacking another; option n * row + column.

    Examples
    --------
    >>> from dlx import count_solutions, models
    >>> models.queens(8).problem
    Problem(16 primary + 26 secondary items, 64 options, 252 entries)
    >>> [count_solutions(models.queens(n).problem) for n in range(1, 9)]
    [1, 0, 0, 2, 10, 4, 40, 92]
    """
    n = at_least(n, 1, "n")
    check_entries(4 * n**2, "n", n)
    # a diagonal of one cell constrains nothing
    rising = [("rising", k) for k in range(1, 2 * n - 2)]
    falling = [("falling", k) for k in range(2 - n, n - 1)]
    secondary = set(rising + falling)
    options = []
    for row, column in box(n, n):
        diagonals = [("rising", row + column), ("falling", row - column)]
        lines: list[Hashable] = [("row", row), ("column", column)]
        options.append(lines + [d for d in diagonals if d in secondary])
    primary = [item for k in range(n) for item in (("row", k), ("column", k))]
    return Model(Problem(options, primary=primary, secondary=rising + falling), partial(_queens, n))


def _queens(n: int, chosen: Options) -> Squares:
    """Return the board with its queens."""
    lines = [option[:2] for option in chosen]  # ("row", row), ("column", column)
    return _board(n, "Q", [(row, column) for (_, row), (_, column) in lines])


def _board(n: int, mark: str, places: Iterable[Cell]) -> Squares:
    """Return a board with a mark at these places."""
    taken = set(places)
    return {
        (r, c): Square("dark" if (r + c) % 2 else None, mark if (r, c) in taken else ".")
        for r, c in box(n, n)
    }


def domination(n: int, men: int, man: str = "queen") -> Model:
    """Place chessmen on an n x n board so that each square has one or is attacked by one.

    The item of a square is covered once or more often. Option n * row + column.

    Parameters
    ----------
    n, men : int
        Rows and columns; number of chessmen.
    man : str
        A name of `CHESSMEN`.

    Raises
    ------
    ProblemError
        A number is too small or not whole, there is no such chessman, there are more of them than
        squares, or the problem would be too large.

    Examples
    --------
    >>> from dlx import count_solutions, models, solve
    >>> [count_solutions(models.domination(5, men).problem) for men in (2, 3)]
    [0, 186]
    >>> model = models.domination(5, 3)
    >>> print(model.text(solve(model.problem)), end="")
    Q . . . Q
    . . . . .
    . . . . .
    . . Q . .
    . . . . .
    """
    one_of(man, CHESSMEN, "chessman")
    n, men = at_least(n, 1, "n"), at_least(men, 0, "men")
    check_entries(n**4, "n", n)  # pairs of squares, all of which are compared
    board = box(n, n)
    if men > n * n:
        raise ProblemError(
            f"men is {brief(men)}; it must be at most {n * n}, the squares of the board"
        )

    def attacks(a: Cell, b: Cell) -> bool:
        return CHESSMEN[man](abs(a[0] - b[0]), abs(a[1] - b[1]))

    options = [["men", a, *(b for b in board if a != b and attacks(a, b))] for a in board]
    bounds: dict[Hashable, tuple[int, int]] = {square: (1, len(board)) for square in board}
    mark = man[0].upper() if man != "knight" else "N"
    problem = Problem(options, primary=["men", *board], multiplicities={"men": men, **bounds})
    return Model(problem, partial(_chessmen, n, mark))


def _chessmen(n: int, mark: str, chosen: Options) -> Squares:
    """Return the board with a mark for each chessman."""
    return _board(n, mark, [option[1] for option in chosen])


def langford(n: int) -> Model:
    r"""Langford pairs: 1, 1, 2, 2, ..., n, n in a line, with k numbers between the two k.

    Examples
    --------
    >>> from dlx import count_solutions, models, solve
    >>> [count_solutions(models.langford(n).problem) for n in range(3, 9)]
    [2, 2, 0, 0, 52, 300]
    >>> model = models.langford(3)
    >>> model.text(solve(model.problem))
    '3 1 2 1 3 2\n'
    """
    n = at_least(n, 1, "n")
    check_entries(4 * n**2, "n", n)
    options: list[tuple[Hashable, ...]] = [
        (("number", k), ("place", a), ("place", a + k + 1))
        for k in range(1, n + 1)
        for a in range(2 * n - k - 1)
    ]
    primary = [("number", k) for k in range(1, n + 1)] + [("place", a) for a in range(2 * n)]
    return Model(Problem(options, primary=primary), _line)


def _line(chosen: Options) -> Squares:
    """Return the numbers in a line."""
    shown = {}
    for option in chosen:
        (_, number), *ends = option
        for _, place in ends:
            shown[0, place] = Square(number, str(number))
    return shown


def latin(n: int) -> Model:
    """Latin squares of order n; option n * n * row + n * column + symbol.

    Examples
    --------
    >>> from dlx import count_solutions, models
    >>> [count_solutions(models.latin(n).problem) for n in range(1, 6)]
    [1, 2, 12, 576, 161280]
    """
    n = at_least(n, 1, "n")
    check_entries(3 * n**3, "n", n)
    items = [
        (kind, a, b) for kind in ("cell", "row", "column") for a, b in product(range(n), repeat=2)
    ]
    row, column, symbol = np.indices((n, n, n)).reshape(3, n**3)
    item = np.stack([n * row + column, n * (n + row) + symbol, n * (2 * n + column) + symbol], 1)
    start = np.arange(0, 3 * n**3 + 1, 3)  # arrays, since there may be millions of options
    problem = Problem.from_arrays(start, item.ravel(), num_primary=len(items), items=items)
    return Model(problem, _symbols)


def orthogonal_mates(square: Sequence[Sequence[int]]) -> Model:
    """Latin squares orthogonal to a given one: no pair of symbols comes twice.

    Parameters
    ----------
    square : n rows of n whole numbers from 0 to n - 1
        A Latin square.

    Raises
    ------
    ProblemError
        The square is not Latin.

    Examples
    --------
    >>> from dlx import count_solutions, models
    >>> cyclic = [[(row + column) % 5 for column in range(5)] for row in range(5)]
    >>> count_solutions(models.orthogonal_mates(cyclic).problem)  # 3, times 5! names
    360
    """
    lines = [as_list(row, "a row", "numbers") for row in as_list(square, "square", "rows")]
    n = len(lines)
    try:
        is_latin = n > 0 and all(
            sorted(line) == list(range(n)) for line in [*lines, *zip(*lines, strict=False)]
        )
    except (TypeError, ValueError):  # values that are no numbers
        is_latin = False
    if not is_latin:
        raise ProblemError("this is no Latin square: each row and column has each of 0 to n - 1")
    options: list[tuple[Hashable, ...]] = [
        (("cell", r, c), ("row", r, s), ("column", c, s), ("pair", lines[r][c], s))
        for r, c, s in product(range(n), repeat=3)
    ]
    kinds = ("cell", "row", "column", "pair")
    primary = [(kind, a, b) for kind in kinds for a, b in product(range(n), repeat=2)]
    return Model(Problem(options, primary=primary), _symbols)


def _symbols(chosen: Options) -> Squares:
    shown = {}
    for option in chosen:
        (_, row, column), (_, _, symbol) = option[:2]
        shown[row, column] = Square(symbol, str(symbol))
    return shown
