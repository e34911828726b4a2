"""Exact cover problems of any size, which tests and benchmarks solve."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from itertools import product
from math import isqrt
from pathlib import Path

from dlx import Coloured, Problem, dumps, models
from dlx.models.sets import splitmix

Cell = tuple[int, ...]
DATA = Path(__file__).resolve().parent.parent / "data"


def queens(n: int) -> Problem:
    """Return `dlx.models.queens`."""
    return models.queens(n).problem


def langford(n: int) -> Problem:
    """Return `dlx.models.langford`."""
    return models.langford(n).problem


def pentominoes(board: Iterable[Cell]) -> Problem:
    """Return the twelve pentominoes, each once, rotated and reflected freely, on a board.

    >>> pentominoes(rectangle(3, 20))
    Problem(72 primary items, 1236 options, 7416 entries)
    """
    return models.polyominoes(board).problem


def rectangle(rows: int, columns: int, hole: Iterable[Cell] = ()) -> list[Cell]:
    """Return the cells of a board without those of a hole."""
    return models.box(rows, columns, holes=hole)


def holed_chessboard() -> Problem:
    """Pentominoes on a chessboard without its four central cells."""
    return pentominoes(rectangle(8, 8, hole=product((3, 4), repeat=2)))


def soma() -> Problem:
    """Return `dlx.models.soma`.

    >>> soma()
    Problem(34 primary items, 688 options, 3296 entries)
    """
    return models.soma().problem


def latin(n: int) -> Problem:
    """Return `dlx.models.latin`.

    >>> latin(5)
    Problem(75 primary items, 125 options, 375 entries)
    """
    return models.latin(n).problem


def dominoes(rows: int, columns: int) -> Problem:
    """Return `dlx.models.dominoes`.

    >>> dominoes(2, 3)
    Problem(6 primary items, 7 options, 14 entries)
    """
    return models.dominoes(rows, columns).problem


def packings(rows: int, columns: int) -> Problem:
    """Any number of dominoes on a board: each cell at most once.

    >>> packings(2, 2)
    Problem(4 primary items, 4 with multiplicities, 4 options, 8 entries)
    """
    whole = dominoes(rows, columns)
    options = map(whole.option, range(whole.num_options))
    return Problem(options, primary=whole.items, multiplicities=dict.fromkeys(whole.items, (0, 1)))


def binary_matrices(n: int, total: int) -> Problem:
    """N x n matrices of 0 and 1 in which each row and each column has this total.

    >>> binary_matrices(4, 2)
    Problem(8 primary items, 8 with multiplicities, 16 options, 32 entries)
    """
    rows, columns = [[(kind, k) for k in range(n)] for kind in ("row", "column")]
    lines: list[Hashable] = [*rows, *columns]
    return Problem(product(rows, columns), multiplicities=dict.fromkeys(lines, total))


def several_pentominoes() -> Problem:
    """Five pentominoes, each up to two or three times, on a board of 5 x 8.

    >>> several_pentominoes()
    Problem(45 primary items, 5 with multiplicities, 624 options, 3744 entries)
    """
    copies = {"F": (0, 2), "I": (0, 2), "L": (0, 3), "N": (0, 2), "P": (0, 3)}
    pieces = {name: models.PIECES["pentominoes"][name] for name in copies}
    return models.polyominoes(rectangle(5, 8), pieces, copies=copies).problem


def packed_pentominoes() -> Problem:
    """Five pentominoes on a board of 6 x 6, eleven cells of which stay empty.

    >>> packed_pentominoes()
    Problem(41 primary items, 36 with multiplicities, 448 options, 2688 entries)
    """
    board, names = rectangle(6, 6), "FILPX"
    pieces = {name: models.PIECES["pentominoes"][name] for name in names}
    whole = models.polyominoes(board, pieces).problem
    options = map(whole.option, range(whole.num_options))
    return Problem(options, primary=whole.items, multiplicities=dict.fromkeys(board, (0, 1)))


def matchings(n: int, partners: int = 1) -> Problem:
    """Return `dlx.models.matchings`."""
    return models.matchings(n, partners).problem


def set_partitions(n: int) -> Problem:
    """Return `dlx.models.set_partitions`."""
    return models.set_partitions(n).problem


def de_bruijn(n: int, places: Sequence[int] = ()) -> Problem:
    """Cyclic sequences of 2^n bits that contain each word of n bits once; rotations are distinct.

    The bits are secondary items, their values the colours (de Bruijn, 1946). The bits of a word lie
    at `places`, by default side by side; Knuth's exercise 7.2.2.1-94 has (0, 1, 3, 4).

    >>> de_bruijn(3)
    Problem(16 primary + 8 secondary items, 64 options, 320 entries)
    """
    words = list(product((0, 1), repeat=n))
    own = places or range(n)
    options = [
        [("word", word), ("place", k)]
        + [Coloured(("bit", (k + i) % 2**n), bit) for i, bit in zip(own, word, strict=True)]
        for word in words
        for k in range(2**n)
    ]
    primary = [("word", word) for word in words] + [("place", k) for k in range(2**n)]
    return Problem(options, primary=primary, secondary=[("bit", k) for k in range(2**n)])


def coloured_squares(rows: int, columns: int, colours: int) -> Problem:
    """Return `dlx.models.macmahon`."""
    return models.macmahon(rows, columns, colours).problem


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
    below = splitmix(seed)
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
    numbers = {item: number for number, item in enumerate(problem.items)}
    return dumps(
        Problem.from_arrays(
            problem.start,
            problem.item,
            problem.colour,
            num_primary=problem.num_primary,
            num_secondary=problem.num_secondary,
            multiplicities={numbers[item]: n for item, n in problem.multiplicities.items()},
            costs=problem.costs,
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
    "domination8": lambda: models.domination(8, 5).problem,
    "packing5x5": partial(packings, 5, 5),
    "matrices7": partial(binary_matrices, 7, 2),
    "graphs11": partial(matchings, 11, 2),
    "pent5x8": several_pentominoes,
    "pent6x6": packed_pentominoes,
    "partridge6": lambda: models.partridge(6).problem,
}
"""The problems that are measured, by their names in the tables."""
