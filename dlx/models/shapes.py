"""Shapes of squares and cubes: pictures of them, sets with names, moves, regions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, permutations, product
from math import prod
from typing import TypeAlias

from dlx.build import MAX_ENTRIES
from dlx.checks import as_flag, as_index, as_list, as_text, at_least, brief
from dlx.errors import ProblemError

Cell: TypeAlias = tuple[int, ...]
Move: TypeAlias = Callable[[Cell], Cell]

TETROMINOES = {"I": "XXXX", "L": "XXX X..", "O": "XX XX", "S": ".XX XX.", "T": "XXX .X."}

PENTOMINOES = {
    "F": ".XX XX. .X.",
    "I": "XXXXX",
    "L": "XXXX X...",
    "N": "XXX. ..XX",
    "P": "XXX XX.",
    "T": "XXX .X. .X.",
    "U": "X.X XXX",
    "V": "XXX X.. X..",
    "W": "XX. .XX ..X",
    "X": ".X. XXX .X.",
    "Y": "XXXX .X..",
    "Z": "XX. .X. .XX",
}
"""The twelve pentominoes by their usual letters."""

SOMA: dict[str, list[Cell]] = {
    "bent": [(0, 0, 0), (0, 0, 1), (0, 1, 0)],
    "ell": [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0)],
    "tee": [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 1)],
    "skew": [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 2)],
    "left": [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 1)],
    "right": [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 1, 0)],
    "claw": [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)],
}
"""The pieces of the Soma cube: six of four unit cubes, and the bent tricube."""


def cells_of(picture: str) -> list[Cell]:
    """Return the cells of a picture: rows separated by white space or ``/``, an X for each cell.

    Raises
    ------
    ProblemError
        It is not a text of X and ``.``, or it has no X.

    Examples
    --------
    >>> cells_of(".X XX"), cells_of("XX/X.")
    ([(0, 1), (1, 0), (1, 1)], [(0, 0), (0, 1), (1, 0)])
    """
    rows = as_text(picture, "picture").replace("/", " ").split()
    marks = [(r, c, mark) for r, row in enumerate(rows) for c, mark in enumerate(row)]
    wrong = [mark for *_, mark in marks if mark not in "X."]
    if wrong or not any(mark == "X" for *_, mark in marks):
        raise ProblemError(f"{brief(picture)} is no shape; draw it with X and ., rows by /")
    return [(r, c) for r, c, mark in marks if mark == "X"]


PIECES: dict[str, dict[str, list[Cell]]] = {
    "domino": {"domino": cells_of("XX")},
    "tetrominoes": {name: cells_of(picture) for name, picture in TETROMINOES.items()},
    "pentominoes": {name: cells_of(picture) for name, picture in PENTOMINOES.items()},
    "soma": SOMA,
}
"""Sets of pieces with a name."""


def as_cells(values: Iterable[Cell] | str, name: str) -> list[Cell]:
    """Return cells as tuples of `int`; raise ProblemError, which calls them `name`, for others."""
    if isinstance(values, str):
        raise ProblemError(f"{name} is {brief(values)}, a text; cells_of makes cells of a picture")
    cells = as_list(values, name, "cells")
    try:
        return [tuple(map(as_index, cell)) for cell in cells]
    except TypeError:
        raise ProblemError(
            f"{name} is {brief(cells)}; it must be cells, each of whole numbers"
        ) from None


def box(*sides: int, holes: Iterable[Cell] = ()) -> list[Cell]:
    """Return the cells of a rectangle or a box, without those of the holes.

    Raises
    ------
    ProblemError
        A side is negative or not a whole number, a hole is not a cell of the box, or the box has
        more cells than a problem can have entries.

    Examples
    --------
    >>> box(2, 2, holes=[(0, 1)])
    [(0, 0), (1, 0), (1, 1)]
    """
    missing = set(as_cells(holes, "holes"))
    lengths = [at_least(side, 0, "side") for side in sides]
    if prod(lengths) > MAX_ENTRIES:
        raise ProblemError(f"a box of {brief(prod(lengths))} cells is larger than any problem")
    # `product` lists the numbers of each side, also if there is no cell
    cells = list(product(*map(range, lengths))) if prod(lengths) else []
    if outside := missing.difference(cells):
        raise ProblemError(f"holes: cell {brief(min(outside))} is not in the box")
    return [cell for cell in cells if cell not in missing]


def moves(dimensions: int, *, rotate: bool = True, reflect: bool = True) -> list[Move]:
    """Return the symmetries of a square or cube about the origin, with their products.

    Parameters
    ----------
    dimensions : int
    rotate, reflect : bool
        Which ones; neither leaves the identity alone. Reflections without rotations are those in
        the first axis.

    Examples
    --------
    >>> [len(moves(d, reflect=r)) for d in (2, 3) for r in (False, True)]
    [4, 8, 24, 48]
    """
    rotate, reflect = as_flag(rotate, "rotate"), as_flag(reflect, "reflect")
    same = tuple(range(dimensions))
    if not rotate:
        ahead = [1] * (dimensions - 1)
        return [_move(same, (sign, *ahead)) for sign in ((1, -1) if reflect else (1,))]
    return [
        _move(order, signs)
        for order in permutations(same)
        for signs in product((1, -1), repeat=dimensions)
        if reflect or _orientation(order, signs) == 1
    ]


def _move(order: tuple[int, ...], signs: tuple[int, ...]) -> Move:
    return lambda cell: tuple(s * cell[k] for s, k in zip(signs, order, strict=True))


def _orientation(order: tuple[int, ...], signs: tuple[int, ...]) -> int:
    inversions = sum(a > b for a, b in combinations(order, 2))
    return -1 if (inversions + sum(s < 0 for s in signs)) % 2 else 1


def _corner(cells: Iterable[Cell]) -> list[int]:
    """Return the least value of each coordinate."""
    return [min(values) for values in zip(*cells, strict=True)]


def at_origin(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Return the cells sorted and shifted so that the least of each coordinate is 0."""
    listed = list(cells)
    least = _corner(listed)
    return tuple(sorted(tuple(x - m for x, m in zip(c, least, strict=True)) for c in listed))


def places(
    piece: Sequence[Cell], region: Sequence[Cell], allowed: Iterable[Move]
) -> list[list[Cell]]:
    """Return the places of a piece in a region, each sorted, in order."""
    inside = set(region)
    placed = set()
    for move in allowed:
        moved = sorted(move(cell) for cell in piece)
        for target in region:
            shift = [t - m for t, m in zip(target, moved[0], strict=True)]
            place = tuple(tuple(x + d for x, d in zip(c, shift, strict=True)) for c in moved)
            if inside.issuperset(place):
                placed.add(place)
    return [list(place) for place in sorted(placed)]


def symmetries(region: Sequence[Cell], allowed: Iterable[Move]) -> list[Move]:
    """Return the moves, each followed by a shift, that map a region onto itself."""
    goal, least = at_origin(region), _corner(region)
    result: list[Move] = []
    for move in allowed:
        moved = [move(cell) for cell in region]
        if at_origin(moved) == goal:
            shift = [a - b for a, b in zip(least, _corner(moved), strict=True)]
            result.append(_then_shift(move, shift))
    return result


def _then_shift(move: Move, shift: list[int]) -> Move:
    return lambda cell: tuple(x + d for x, d in zip(move(cell), shift, strict=True))
