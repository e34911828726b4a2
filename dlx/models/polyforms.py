"""Polyominoes and polycubes: pieces of squares or cubes that fill a region.

An item for each piece and for each cell; an option for each place of a piece. Source: Knuth, The
Art of Computer Programming, volume 4B, section 7.2.2.1; S. W. Golomb, Polyominoes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain

from dlx.checks import as_flag, at_least, brief, is_one_of, one_of
from dlx.errors import ProblemError
from dlx.models.model import Model, Options, Square, Squares, check_entries
from dlx.models.shapes import (
    PIECES,
    SOMA,
    Cell,
    Move,
    as_cells,
    at_origin,
    box,
    moves,
    places,
    symmetries,
)
from dlx.problem import Multiplicities, Problem


def polyominoes(
    region: Iterable[Cell],
    pieces: Mapping[str, Sequence[Cell]] | str = "pentominoes",
    *,
    copies: Multiplicities | str = "one",
    rotate: bool = True,
    reflect: bool = True,
    slack: bool = False,
    distinct: bool = False,
) -> Model:
    """Fill a region with polyominoes, or a three-dimensional one with polycubes.

    The items are the names of the pieces and the cells.

    Parameters
    ----------
    region : iterable of cells
        Pairs (row, column), or triples; see `dlx.models.box`.
    pieces : mapping of names to cells, or str
        A string names a set of `dlx.models.PIECES`. In a region of triples, pieces of pairs are
        one cube thick.
    copies : mapping, "one" or "any"
        How often each piece is used: as the `multiplicities` of a Problem, once, or any number.
    rotate, reflect : bool
        Whether pieces may be turned, and turned over (in space: mirrored).
    slack : bool
        Whether cells may stay empty.
    distinct : bool
        Leave out solutions that are another one turned or reflected: a piece without symmetry,
        used once, keeps one of the places that the symmetries of the region map to each other.

    Raises
    ------
    ProblemError
        An argument is wrong, or `distinct` finds no piece without symmetry that is used once.

    Examples
    --------
    >>> from dlx import count_solutions, models, solve
    >>> model = models.polyominoes(models.box(3, 20), distinct=True)
    >>> count_solutions(model.problem)
    2
    >>> print(model.text(solve(model.problem)), end="")
    V Z Y Y Y Y W T F N N N I I I I I X U U
    V Z Z Z Y W W T F F F N N L P P X X X U
    V V V Z W W T T T F L L L L P P P X U U
    """
    if not isinstance(copies, Mapping):
        one_of(copies, ("one", "any"), "number of copies")
    slack, distinct = as_flag(slack, "slack"), as_flag(distinct, "distinct")
    named = _pieces(pieces, copies)
    cells = sorted(set(as_cells(region, "region")))
    solid = _of_one_dimension(cells, named)
    allowed = moves(len(cells[0]), rotate=rotate, reflect=reflect)
    breaker = _breaker(solid, allowed, copies) if distinct else None
    options = _options(solid, cells, allowed, breaker)
    problem = _problem(options, list(solid), cells, copies, slack)
    impossible = "" if copies == "any" else _impossible(problem, solid, cells, slack)
    return Model(problem, partial(_squares, cells), impossible)


def _pieces(
    pieces: Mapping[str, Sequence[Cell]] | str, copies: Multiplicities | str
) -> Mapping[str, Sequence[Cell]]:
    """Return the cells of each piece; ProblemError if `copies` has another one."""
    if isinstance(pieces, Mapping):
        named = {name: as_cells(cells, f"piece {name!r}") for name, cells in pieces.items()}
    elif is_one_of(pieces, PIECES):
        named = PIECES[pieces]
    else:
        raise ProblemError(f"there are no pieces {brief(pieces)}; there are {', '.join(PIECES)}")
    for name in copies if isinstance(copies, Mapping) else ():
        if name not in named:
            known = ", ".join(map(str, named))
            raise ProblemError(f"copies: there is no piece {brief(name)}; there are {known}")
    return named


def _of_one_dimension(
    cells: Sequence[Cell], pieces: Mapping[str, Sequence[Cell]]
) -> Mapping[str, Sequence[Cell]]:
    """Return the pieces with as many coordinates as the cells of a region.

    ProblemError if those cannot be made equal, or if the region or a piece is empty.
    """
    if not cells or not all(pieces.values()):
        raise ProblemError("the region and each piece need at least one cell")
    flat: Cell = (0,) * (len(cells[0]) - 2)
    solid = {n: [flat + c if len(c) == 2 else c for c in piece] for n, piece in pieces.items()}
    if {len(cell) for cell in chain(cells, *solid.values())} != {len(cells[0])}:
        raise ProblemError(
            "the cells of the region and of the pieces need equally many coordinates"
        )
    return solid


def _options(
    pieces: Mapping[str, Sequence[Cell]],
    cells: list[Cell],
    allowed: list[Move],
    breaker: str | None,
) -> list[list[Hashable]]:
    """Return an option for each place of each piece; of the breaker, for each representative."""
    options: list[list[Hashable]] = []
    for name, piece in pieces.items():
        placed = places(piece, cells, allowed)
        if name == breaker:
            placed = _representatives(placed, symmetries(cells, allowed))
        options += [[name, *place] for place in placed]
    return options


def _impossible(
    problem: Problem, pieces: Mapping[str, Sequence[Cell]], cells: list[Cell], slack: bool
) -> str:
    """Return why the pieces have too few cells for the region, or too many; else an empty text."""
    bounds = problem.multiplicities
    used = [(bounds.get(name, (1, 1)), len(piece)) for name, piece in pieces.items()]
    least, most = (sum(each[k] * size for each, size in used) for k in (0, 1))
    if least <= len(cells) and (slack or most >= len(cells)):
        return ""
    number = str(least) if least == most else f"{least} to {most}"
    return (
        f"the pieces have {number} cells, the region {len(cells)}; copies says how often each piece"
        " is used"
    )


def _breaker(
    pieces: Mapping[str, Sequence[Cell]], allowed: list[Move], copies: Multiplicities | str
) -> str:
    """Return the name of a piece used once that no move maps onto itself."""
    for name, piece in pieces.items():
        once = copies == "one" or (
            not isinstance(copies, str) and copies.get(name, 1) in (1, (1, 1))
        )
        if once and len({at_origin(map(move, piece)) for move in allowed}) == len(allowed):
            return name
    raise ProblemError("distinct needs a piece without symmetry that is used once; there is none")


def _problem(
    options: list[list[Hashable]],
    names: list[str],
    cells: list[Cell],
    copies: Multiplicities | str,
    slack: bool,
) -> Problem:
    """Return the problem of options that consist of the name of a piece and of cells."""
    if copies == "any":
        # without names, all items are cells: a search chooses no option without a primary item
        empty = dict.fromkeys(cells, (0, 1)) if slack else None
        return Problem([option[1:] for option in options], primary=cells, multiplicities=empty)
    return Problem(
        options,
        primary=names if slack else [*names, *cells],
        secondary=cells if slack else (),
        multiplicities=None if isinstance(copies, str) else copies,
    )


def _representatives(placed: list[list[Cell]], same: list[Move]) -> list[list[Cell]]:
    """Return the places that are the first of those that the symmetries map them to."""
    return [place for place in placed if all(place <= sorted(map(move, place)) for move in same)]


def _squares(cells: Sequence[Cell], chosen: Options) -> Squares:
    """Return the squares of a solution; the layers of a solid stand side by side."""
    width = 0
    if len(cells[0]) > 2:
        columns = [cell[-1] for cell in cells]
        width = max(columns) - min(columns) + 2
    squares: Squares = {}
    for cell in cells:
        squares[_place(cell, width)] = Square(None, ".")
    for number, option in enumerate(chosen):
        name = next((item for item in option if isinstance(item, str)), None)
        label = chr(ord("a") + number % 26) if name is None else name[:1]
        for item in option:
            if isinstance(item, tuple):
                squares[_place(item, width)] = Square((number, label), label)
    return squares


def _place(cell: Cell, width: int) -> tuple[int, int]:
    """Return the row and column of a cell; a line of cells is row 0."""
    *layers, row, column = (0,) * (2 - len(cell)) + cell
    layer = 0
    for x in layers:
        layer = layer * 100 + x
    return row, layer * width + column


def dominoes(rows: int, columns: int) -> Model:
    """Fill a board with dominoes.

    Parameters
    ----------
    rows, columns : int

    Examples
    --------
    >>> from dlx import count_solutions, models
    >>> [count_solutions(models.dominoes(2 * n, 2 * n).problem) for n in (1, 2, 3, 4)]
    [2, 36, 6728, 12988816]
    """
    rows, columns = at_least(rows, 1, "rows"), at_least(columns, 1, "columns")
    check_entries(4 * rows * columns, "rows times columns", rows * columns)
    board = box(rows, columns)
    return polyominoes(board, "domino", copies="any")


def soma() -> Model:
    """Fill a cube of 3 x 3 x 3 with the seven pieces of the Soma cube (Piet Hein).

    Examples
    --------
    >>> from dlx import count_solutions, models
    >>> count_solutions(models.soma().problem)
    11520
    """
    return polyominoes(box(3, 3, 3), SOMA, reflect=False)


def partridge(n: int) -> Model:
    """Fill a square with 1 square of side 1, 2 of side 2, ..., n of side n (R. Wainwright, 1981).

    The areas are those of a square of side 1 + 2 + ... + n. There are no solutions from n = 2 to 7,
    and 18656 for n = 8, which are 2332 with their rotations and reflections (P. Hamlyn, B. Cutler).

    Examples
    --------
    >>> from dlx import count_solutions, models
    >>> models.partridge(8).problem
    Problem(1304 primary items, 7 with multiplicities, 8492 options, 200636 entries)
    >>> [count_solutions(models.partridge(n).problem) for n in (1, 2, 3)]
    [1, 0, 0]
    """
    n = at_least(n, 1, "n")
    side = n * (n + 1) // 2
    check_entries(side**2, "n", n)
    check_entries(sum((side - k + 1) ** 2 * (k * k + 1) for k in range(1, n + 1)), "n", n)
    pieces = {str(k): box(k, k) for k in range(n, 0, -1)}
    copies = {str(k): k for k in range(1, n + 1)}
    return polyominoes(box(side, side), pieces, copies=copies, rotate=False, reflect=False)
