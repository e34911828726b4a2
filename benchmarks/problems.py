"""Named exact cover problems, of any size, made anew: what tests and benchmarks run on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import combinations, permutations, product

from dlx import Coloured, Problem

Cell = tuple[int, ...]

# the twelve pentominoes, as cells of a grid, named by the letters that they look like
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

# the seven pieces of the Soma cube: six of four unit cubes, and the bent tricube
SOMA = {
    "bent": [(0, 0, 0), (0, 0, 1), (0, 1, 0)],
    "ell": [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0)],
    "tee": [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 1)],
    "skew": [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 2)],
    "left": [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 1)],
    "right": [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 1, 0)],
    "claw": [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)],
}


def queens(n: int) -> Problem:
    """n queens on an n x n board, none attacking another; option n * row + column.

    >>> queens(8)
    Problem(16 primary + 26 secondary items, 64 options, 252 entries)
    """
    # a diagonal of a single cell, in a corner, rules nothing out
    rising = [("rising", k) for k in range(1, 2 * n - 2)]
    falling = [("falling", k) for k in range(2 - n, n - 1)]
    secondary = set(rising + falling)
    options = []
    for row, column in product(range(n), repeat=2):
        diagonals = [("rising", row + column), ("falling", row - column)]
        lines: list[Hashable] = [("row", row), ("column", column)]
        options.append(lines + [d for d in diagonals if d in secondary])
    primary = [item for k in range(n) for item in (("row", k), ("column", k))]
    return Problem(options, primary=primary, secondary=rising + falling)


def langford(n: int) -> Problem:
    """Langford pairs: 1, 1, 2, 2, ..., n, n in a line, k numbers between the two k.

    >>> langford(3)
    Problem(9 primary items, 9 options, 27 entries)
    """
    options = [
        [("number", k), ("place", a), ("place", a + k + 1)]
        for k in range(1, n + 1)
        for a in range(2 * n - k - 1)
    ]
    primary = [("number", k) for k in range(1, n + 1)] + [("place", a) for a in range(2 * n)]
    return Problem(options, primary=primary)


def pentominoes(board: Iterable[Cell]) -> Problem:
    """The twelve pentominoes, each once, turned and reflected at will, on a board of 60 cells.

    >>> pentominoes(rectangle(3, 20))
    Problem(72 primary items, 1236 options, 7416 entries)
    """
    pieces = {
        name: [
            (row, column)
            for row, line in enumerate(picture.split())
            for column, mark in enumerate(line)
            if mark == "X"
        ]
        for name, picture in PENTOMINOES.items()
    }
    return _packing(pieces, board, _moves(2, reflect=True))


def rectangle(rows: int, columns: int, hole: Iterable[Cell] = ()) -> list[Cell]:
    """The cells of a board, those of a hole left out.

    >>> rectangle(2, 2, hole=[(0, 1)])
    [(0, 0), (1, 0), (1, 1)]
    """
    missing = set(hole)
    return [cell for cell in product(range(rows), range(columns)) if cell not in missing]


def holed_chessboard() -> Problem:
    """Pentominoes on a chessboard without its four central cells."""
    return pentominoes(rectangle(8, 8, hole=product((3, 4), repeat=2)))


def soma() -> Problem:
    """The seven pieces of the Soma cube in a cube of 3 x 3 x 3.

    >>> soma()
    Problem(34 primary items, 688 options, 3296 entries)
    """
    cube = list(product(range(3), repeat=3))
    return _packing(SOMA, cube, _moves(3, reflect=False))


def latin(n: int) -> Problem:
    """Latin squares of order n; option n * n * row + n * column + symbol.

    >>> latin(5)
    Problem(75 primary items, 125 options, 375 entries)
    """
    triples = list(product(range(n), repeat=3))
    pairs = list(product(range(n), repeat=2))
    options = [[("cell", r, c), ("row", r, s), ("column", c, s)] for r, c, s in triples]
    primary = [(kind, a, b) for kind in ("cell", "row", "column") for a, b in pairs]
    return Problem(options, primary=primary)


def dominoes(rows: int, columns: int) -> Problem:
    """Dominoes on a board of rows x columns cells.

    >>> dominoes(2, 3)
    Problem(6 primary items, 7 options, 14 entries)
    """
    board = rectangle(rows, columns)
    cells = set(board)
    options = [
        [(r, c), other] for r, c in board for other in ((r, c + 1), (r + 1, c)) if other in cells
    ]
    return Problem(options, primary=board)


def matchings(n: int) -> Problem:
    """Pairings of n people: the perfect matchings of the complete graph.

    >>> matchings(4)
    Problem(4 primary items, 6 options, 12 entries)
    """
    return Problem(combinations(range(n), 2), primary=range(n))


def set_partitions(n: int) -> Problem:
    """Partitions of n things into sets: every set of them is an option.

    >>> set_partitions(3)
    Problem(3 primary items, 7 options, 12 entries)
    """
    options = (chosen for k in range(1, n + 1) for chosen in combinations(range(n), k))
    return Problem(options, primary=range(n))


def de_bruijn(n: int) -> Problem:
    """Circles of 2^n bits in which every word of n bits stands once; every turn counts.

    The bits are secondary items, their values the colours (de Bruijn, 1946).

    >>> de_bruijn(3)
    Problem(16 primary + 8 secondary items, 64 options, 320 entries)
    """
    words = list(product((0, 1), repeat=n))
    options = [
        [("word", word), ("place", k)]
        + [Coloured(("bit", (k + i) % 2**n), bit) for i, bit in enumerate(word)]
        for word in words
        for k in range(2**n)
    ]
    primary = [("word", word) for word in words] + [("place", k) for k in range(2**n)]
    return Problem(options, primary=primary, secondary=[("bit", k) for k in range(2**n)])


def coloured_squares(rows: int, columns: int, colours: int) -> Problem:
    """Squares with coloured edges, each pattern at most once, on a board (MacMahon's puzzle).

    Edges that meet have one colour, which is a secondary item's; the outer edges have all the
    first colour. Needs as many patterns, turned at will, as there are cells.

    >>> coloured_squares(4, 6, 3)
    Problem(48 primary + 38 secondary items, 1008 options, 5652 entries)
    """
    patterns = sorted(
        {min(e[k:] + e[:k] for k in range(4)) for e in product(range(colours), repeat=4)}
    )
    cells = rectangle(rows, columns)
    inner = {
        edge
        for r, c in cells
        for edge, inside in ((("h", r, c), r > 0), (("v", r, c), c > 0))
        if inside
    }
    options = []
    for pattern in patterns:
        turned = sorted({pattern[k:] + pattern[:k] for k in range(4)})
        for (r, c), tops in product(cells, turned):
            edges = (("h", r, c), ("v", r, c + 1), ("h", r + 1, c), ("v", r, c))
            if all(edge in inner or k == 0 for edge, k in zip(edges, tops, strict=True)):
                coloured = [Coloured(e, k) for e, k in zip(edges, tops, strict=True) if e in inner]
                options.append([pattern, (r, c), *coloured])
    return Problem(options, primary=[*patterns, *cells], secondary=sorted(inner))


def _packing(
    pieces: dict[str, list[Cell]],
    board: Iterable[Cell],
    moves: list[Callable[[Cell], Cell]],
) -> Problem:
    """Each piece once, moved at will, on the board; options by piece, then by place."""
    cells = sorted(board)
    inside = set(cells)
    options: list[list[Hashable]] = []
    for name, piece in pieces.items():
        places = set()
        for move in moves:
            moved = [move(cell) for cell in piece]
            for target in cells:
                shift = [t - m for t, m in zip(target, min(moved), strict=True)]
                place = tuple(
                    sorted(tuple(x + d for x, d in zip(c, shift, strict=True)) for c in moved)
                )
                if inside.issuperset(place):
                    places.add(place)
        options += [[name, *place] for place in sorted(places)]
    return Problem(options, primary=[*pieces, *cells])


def _moves(dimensions: int, *, reflect: bool) -> list[Callable[[Cell], Cell]]:
    """The turns of a square or cube about the origin, with or without the reflections."""

    def move(order: tuple[int, ...], signs: tuple[int, ...]) -> Callable[[Cell], Cell]:
        return lambda cell: tuple(s * cell[k] for s, k in zip(signs, order, strict=True))

    def orientation(order: tuple[int, ...], signs: tuple[int, ...]) -> int:
        inversions = sum(a > b for a, b in combinations(order, 2))
        return (-1) ** (inversions + sum(s < 0 for s in signs))

    return [
        move(order, signs)
        for order in permutations(range(dimensions))
        for signs in product((1, -1), repeat=dimensions)
        if reflect or orientation(order, signs) == 1
    ]
