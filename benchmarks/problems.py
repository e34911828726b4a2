"""Exact cover problems of any size, which tests and benchmarks solve."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations, permutations, product
from math import isqrt
from pathlib import Path

from dlx import Coloured, Problem, dumps

Cell = tuple[int, ...]
DATA = Path(__file__).resolve().parent.parent / "data"

# the twelve pentominoes as cells of a grid, by their usual letters
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
    """Place n queens on an n x n board, none attacking another; option n * row + column.

    >>> queens(8)
    Problem(16 primary + 26 secondary items, 64 options, 252 entries)
    """
    # a diagonal of one cell constrains nothing
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
    """Langford pairs: 1, 1, 2, 2, ..., n, n in a line, with k numbers between the two k.

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
    """The twelve pentominoes, each once, rotated and reflected freely, on a board of 60 cells.

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
    """Return the cells of a board without those of a hole.

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
    """Partitions of n things into sets: each non-empty set is an option.

    >>> set_partitions(3)
    Problem(3 primary items, 7 options, 12 entries)
    """
    options = (chosen for k in range(1, n + 1) for chosen in combinations(range(n), k))
    return Problem(options, primary=range(n))


def de_bruijn(n: int) -> Problem:
    """Cyclic sequences of 2^n bits that contain each word of n bits once; rotations are distinct.

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
    """Squares with coloured edges on a board, each pattern at most once (MacMahon's puzzle).

    Each inner edge is a secondary item: the two squares that meet there agree on its colour. The
    outer edges have the first colour. The number of patterns up to rotation is the number of cells.

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


def reduced_latin(n: int) -> Problem:
    """Latin squares of order n whose first row and first column are in order.

    >>> reduced_latin(5)
    Problem(48 primary items, 52 options, 156 entries)
    """
    whole = latin(n)
    given = {n * n * r + n * c + r + c for r, c in product(range(n), repeat=2) if r == 0 or c == 0}
    settled = {item for option in given for item in whole.option(option)}
    options = map(whole.option, range(whole.num_options))
    return Problem(
        [option for option in options if settled.isdisjoint(option)],
        primary=[item for item in whole.items if item not in settled],
    )


def random_sets(size: int, items: int, options: int, seed: int = 1) -> Problem:
    """Random options of `size` items each; the same on every machine (splitmix64).

    >>> random_sets(3, 60, 240)
    Problem(60 primary items, 240 options, 720 entries)
    """
    state = seed

    def below(bound: int) -> int:
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return (z ^ z >> 31) % bound

    chosen = []
    for _ in range(options):
        option: dict[int, None] = {}
        while len(option) < size:
            option[below(items)] = None
        chosen.append(sorted(option))
    return Problem(chosen, primary=range(items))


def sudoku_puzzle(text: str) -> Problem:
    """A sudoku puzzle as an exact cover problem, without the items that its givens cover.

    The symbols are 1 to 9, then A, B, ...; every other character is a blank.

    >>> sudoku_puzzle("." * 16)
    Problem(64 primary items, 64 options, 256 entries)
    """
    size = isqrt(len(text))
    box_rows = max(rows for rows in range(1, isqrt(size) + 1) if size % rows == 0)
    box_columns = size // box_rows

    def items_of(row: int, column: int, digit: int) -> list[Hashable]:
        box = row // box_rows * box_rows + column // box_columns
        houses = {"row": row, "column": column, "box": box}
        return [("cell", row, column), *((kind, h, digit) for kind, h in houses.items())]

    numbers = range(size)
    values = ["123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".find(symbol) for symbol in text]
    cells = list(product(numbers, repeat=2))
    givens = [items_of(r, c, v) for (r, c), v in zip(cells, values, strict=True) if v >= 0]
    settled = {item for given in givens for item in given}
    options = [items_of(row, column, digit) for row, column in cells for digit in numbers]
    items = [(kind, a, b) for kind in ("cell", "row", "column", "box") for a, b in cells]
    return Problem(
        [option for option in options if settled.isdisjoint(option)],
        primary=[item for item in items if item not in settled],
    )


def sudoku_16x16() -> Problem:
    """The first minimal 16 x 16 puzzle of data/.

    >>> sudoku_16x16()
    Problem(652 primary items, 835 options, 3340 entries)
    """
    lines = (DATA / "minimal-16x16.txt").read_text(encoding="utf-8").splitlines()
    return sudoku_puzzle(next(line for line in lines if len(line) == 256))


def text(problem: Problem) -> str:
    """Return a problem in Knuth's format; items are named by their numbers, which are valid names.

    >>> print(text(dominoes(1, 2)), end="")
    0 1
    0 1
    """
    return dumps(
        Problem.from_arrays(
            problem.start,
            problem.item,
            problem.colour,
            num_primary=problem.num_primary,
            num_secondary=problem.num_secondary,
        )
    )


NAMED: dict[str, Callable[[], Problem]] = {
    **{f"queens{n}": partial(queens, n) for n in (8, 9, 10, 11, 12)},
    **{f"langford{n}": partial(langford, n) for n in (8, 11, 12)},
    "pent6x10": lambda: pentominoes(rectangle(6, 10)),
    "pent8x8h": holed_chessboard,
    "pent3x20": lambda: pentominoes(rectangle(3, 20)),
    "soma": soma,
    "latin5": partial(latin, 5),
    "latin7red": partial(reduced_latin, 7),
    "sudoku4x4": lambda: sudoku_puzzle("." * 16),
    "sudoku6x6": lambda: sudoku_puzzle("." * 36),
    "sudoku9x9": lambda: sudoku_puzzle(
        "100200905000080000400600023010005060000060000050400030840001007000070000507002001"
    ),
    "sudoku16x16": sudoku_16x16,
    "rand3_60": partial(random_sets, 3, 60, 240),
    "rand4_80": partial(random_sets, 4, 80, 380),
    "rand5_100": partial(random_sets, 5, 100, 520),
    "macmahon4x6": partial(coloured_squares, 4, 6, 3),
    "debruijn4": partial(de_bruijn, 4),
    "domino8x8": partial(dominoes, 8, 8),
}
"""The problems that are measured, by their names in the tables."""


def _packing(
    pieces: Mapping[str, Sequence[Cell]],
    board: Iterable[Cell],
    moves: list[Callable[[Cell], Cell]],
) -> Problem:
    """Place each piece once, moved freely, on the board; options by piece, then by place."""
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
    """Return the rotations of a square or cube about the origin, perhaps with reflections."""

    def move(order: tuple[int, ...], signs: tuple[int, ...]) -> Callable[[Cell], Cell]:
        return lambda cell: tuple(s * cell[k] for s, k in zip(signs, order, strict=True))

    def orientation(order: tuple[int, ...], signs: tuple[int, ...]) -> int:
        inversions = sum(a > b for a, b in combinations(order, 2))
        return -1 if (inversions + sum(s < 0 for s in signs)) % 2 else 1

    return [
        move(order, signs)
        for order in permutations(range(dimensions))
        for signs in product((1, -1), repeat=dimensions)
        if reflect or orientation(order, signs) == 1
    ]
