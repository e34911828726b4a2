"""Complete grids: how many there are, the n-th, random ones, distinct ones.

``python -m sudoku.grids N`` writes N distinct grids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sudoku.checks import whole
from sudoku.errors import LayoutError, PuzzleError, SudokuError
from sudoku.layout import Layout, parse_box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from sudoku.grid import Grid, Puzzle
    from sudoku.grids.random_numbers import Uint64s

    Grids = NDArray[np.uint8]

__all__ = [
    "count_grids",
    "distinct_grids",
    "grid_at",
    "grids_at",
    "index_of",
    "indices_of",
    "random_grids",
    "stream_distinct",
]

Box = str | tuple[int, int]

LARGEST = 36
"""Grids are drawn up to this N; search finds none of 49 x 49 in minutes."""

CHUNK = 20_000
"""Grids of 81 cells that are made at once."""


def count_grids(box_rows: int, box_columns: int, diagonal: bool = False) -> int:
    """How many complete grids there are, counted afresh (what it takes is in the source).

    Args:
        box_rows, box_columns: 2 x 2 to 2 x 5, 3 x 3, and with the sides exchanged.
        diagonal: whether both diagonals hold every digit; only for 4 x 4 and 6 x 6 grids.

    Raises:
        LayoutError: no such box, or nobody can count these grids yet.

    >>> count_grids(2, 2), count_grids(2, 2, diagonal=True)
    (288, 48)
    >>> count_grids(3, 3)
    6670903752021072936960
    """
    layout = Layout(box_rows, box_columns, diagonal)
    small, large = sorted((box_rows, box_columns))
    if diagonal:
        if layout.size > 6:
            raise LayoutError(
                f"{layout.name} grids with diagonals cannot be counted here: only 4x4 and 6x6 "
                "are few enough to be listed, and no shorter way is known"
            )
        from sudoku.grids.numbering import required

        numbers = required(layout)
        return numbers.labels * numbers.rests
    if large > (3 if small == 3 else 5) or small > 3:
        raise LayoutError(
            f"{layout.name} grids with {box_rows}x{box_columns} boxes cannot be counted here: "
            "their bands fall into too many classes to go through; 2x2 to 2x5 and 3x3 can be"
        )
    from sudoku.grids.counting import count_three_bands, count_two_bands

    return count_three_bands() if small == 3 else count_two_bands(large)


def grid_at(index: int, box: Box = (3, 3), diagonal: bool = False) -> Grid:
    """The grid of a number.

    Args:
        index: 0 to ``count_grids(...) - 1``.
        box: boxes, rows first: 9 x 9, 6 x 6 and 4 x 4 grids are numbered.
        diagonal: whether both diagonals hold every digit; for 6 x 6 and 4 x 4.

    Raises:
        SudokuError: index out of range, or not an integer.
        LayoutError: these grids are not numbered.

    >>> str(grid_at(0, box=(2, 2)))
    '1234341221434321'
    >>> str(grid_at(6670903752021072936959))[:27]
    '987123456654897312321645897'
    """
    from sudoku.grid import Grid

    layout = layout_of(box, diagonal)
    return Grid(layout, grids_at([index], box, diagonal)[0])


def index_of(grid: Puzzle, box: Box | None = None, diagonal: bool = False) -> int:
    """The number of a complete grid, the inverse of ``grid_at``.

    Args:
        grid: a Grid, text, lists or an integer array.
        box: by default the usual one for the size.

    Raises:
        PuzzleError: not a complete grid: says which cell or house is wrong.
        LayoutError: these grids are not numbered.

    >>> index_of("1234341221434321")
    0
    """
    import numpy as np

    from sudoku.reading.convert import as_grid

    one = as_grid(grid, box, diagonal)
    check_complete(one)
    layout = one.layout
    cells = one.values.reshape(1, -1).astype(np.uint8)
    boxes = layout.box_rows, layout.box_columns
    return indices_of(cells, boxes, layout.diagonal)[0]


def grids_at(indices: Sequence[int], box: Box = (3, 3), diagonal: bool = False) -> Grids:
    """The grids of many numbers, uint8[n, N*N]; arguments and errors as ``grid_at``.

    >>> grids_at([0, 287], box=(2, 2))[:, :4].tolist()
    [[1, 2, 3, 4], [4, 3, 2, 1]]
    """
    from operator import index as integer

    import numpy as np

    from sudoku.grids.numbering import required

    layout = layout_of(box, diagonal)
    numbers = required(layout)
    total = numbers.labels * numbers.rests
    try:
        given = [integer(index) for index in indices]
    except TypeError as error:
        raise SudokuError(f"the number of a grid is an integer: {error}") from None
    for index in given:
        if not 0 <= index < total:
            raise SudokuError(
                f"index {index} is out of range: {_described(layout)} grids are 0 to {total - 1}"
            )
    label = np.array([index // numbers.rests for index in given], np.int64)
    rest = np.array([index % numbers.rests for index in given], np.int64)
    return numbers.at(label, rest)


def indices_of(grids: ArrayLike, box: Box = (3, 3), diagonal: bool = False) -> list[int]:
    """The numbers of many complete grids, integers (n, N*N) or (n, N, N).

    Raises:
        PuzzleError: one of them is not a complete grid.
        LayoutError: these grids are not numbered.

    >>> indices_of(grids_at([5, 77], box=(2, 2)), box=(2, 2))
    [5, 77]
    """
    import numpy as np

    from sudoku.grid import Grid
    from sudoku.grids.numbering import required

    layout = layout_of(box, diagonal)
    numbers = required(layout)
    given = np.asarray(grids)
    if given.dtype.kind not in "iu" or given.ndim < 2 or given[:1].size not in (0, layout.cells):
        raise PuzzleError(
            f"an array of {given.dtype} of shape {given.shape}; "
            f"{layout.name} grids are integers (n, {layout.size}, {layout.size})"
        )
    flat = given.reshape(-1, layout.cells)
    if flat.size and (flat.min() < 1 or flat.max() > layout.size):
        wrong = int(((flat < 1) | (flat > layout.size)).any(axis=1).argmax())
        check_complete(Grid(layout, flat[wrong]), f"grid {wrong}: ")
    label, rest, good = numbers.of(np.ascontiguousarray(flat, dtype=np.uint8))
    if good < len(flat):
        check_complete(Grid(layout, flat[good]), f"grid {good}: ")
        raise AssertionError("the kernel and the rules disagree on what a grid is")
    rests = numbers.rests
    return [a * rests + b for a, b in zip(label.tolist(), rest.tolist(), strict=True)]


def random_grids(
    n: int,
    seed: int | None = None,
    *,
    box: Box = (3, 3),
    diagonal: bool = False,
    first: int | None = None,
    start: int = 0,
) -> Grids:
    """Random grids, independent of each other, uint8[n, N*N].

    Where grids are numbered (see ``grid_at``) each is exactly uniform among all. Others (8 x 8,
    16 x 16, 9 x 9 with diagonals...) come from search with random branching and are not uniform.

    Args:
        n: how many, at least 0.
        seed: any int; None for one that nobody has used.
        first: the digit in the first cell of all; by default any.
        start: number of the first one: grid k of a seed is the same in whatever pieces.

    Raises:
        SudokuError: n or start is not a whole number from 0 on, first not a digit.
        LayoutError: no such box, or a grid larger than 36 x 36.

    >>> random_grids(2, seed=1, box=(2, 2)).shape
    (2, 16)
    """
    import numpy as np

    from sudoku.grids.numbering import numbering
    from sudoku.grids.random_numbers import derive_key, random_below

    layout = layout_of(box, diagonal)
    check_size(layout)
    counters = _counters(n, start, layout, first)
    numbers = numbering(layout)
    if numbers is None:
        return _filled(layout, seed, counters, first)
    labels = numbers.labels // (layout.size if first else 1)
    label = random_below(labels, derive_key(seed, 1), counters).astype(np.int64)
    rest = random_below(numbers.rests, derive_key(seed, 2), counters).astype(np.int64)
    return numbers.at(label + labels * ((first or 1) - 1), rest)


def distinct_grids(
    n: int,
    seed: int | None = None,
    *,
    box: Box = (3, 3),
    diagonal: bool = False,
    first: int | None = None,
    start: int = 0,
) -> Grids:
    """Random grids, no two the same, uint8[n, N*N].

    Numbered grids come in an order that the seed determines, a keyed permutation of their
    numbers: ``n`` and ``start`` may be anything as long as there are that many grids. Others
    are compared with all that came before. Arguments as ``random_grids``.

    Raises:
        SudokuError: there are not that many.

    >>> len({g.tobytes() for g in distinct_grids(288, seed=1, box=(2, 2))})
    288
    """
    import numpy as np

    parts = list(
        stream_distinct(n, seed, box=box, diagonal=diagonal, first=first, start=start, chunk=n or 1)
    )
    cells = layout_of(box, diagonal).cells
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, cells), np.uint8), *parts])


def stream_distinct(
    n: int,
    seed: int | None = None,
    *,
    box: Box = (3, 3),
    diagonal: bool = False,
    first: int | None = None,
    start: int = 0,
    chunk: int = CHUNK,
) -> Iterator[Grids]:
    """The same in pieces of at most ``chunk`` grids, for more than fit into memory.

    >>> [len(piece) for piece in stream_distinct(25, seed=1, box=(2, 2), chunk=10)]
    [10, 10, 5]
    """
    from sudoku.grids.numbering import numbering
    from sudoku.grids.random_numbers import fresh_seed

    layout = layout_of(box, diagonal)
    check_size(layout)
    n, chunk = whole("n", n, 0), whole("chunk", chunk, 1)
    _counters(0, start, layout, first)
    seed = fresh_seed() if seed is None else seed
    if numbering(layout) is None:
        return _stream_filled(n, seed, layout, first, start, chunk)
    return _stream_numbered(n, seed, layout, first, start, chunk)


def _stream_numbered(
    n: int, seed: int, layout: Layout, first: int | None, start: int, chunk: int
) -> Iterator[Grids]:
    import numpy as np

    from sudoku.grids.numbering import required
    from sudoku.grids.random_numbers import derive_key, keyed_permutation

    numbers = required(layout)
    labels = numbers.labels // (layout.size if first else 1)
    total = labels * numbers.rests
    if start + n > total:
        which = f" that begin with {first}" if first else ""
        raise SudokuError(
            f"there are only {total} {_described(layout)} grids{which}, not {start + n}"
        )
    key = derive_key(seed, 3)
    return (
        numbers.at(
            label.astype(np.int64) + labels * ((first or 1) - 1), rest.astype(np.int64)
        )
        for begin in range(start, start + n, chunk)
        for label, rest in [
            keyed_permutation(
                key, labels, numbers.rests,
                np.arange(begin, min(begin + chunk, start + n), dtype=np.uint64),
            )
        ]
    )  # fmt: skip


def _stream_filled(
    n: int, seed: int, layout: Layout, first: int | None, start: int, chunk: int
) -> Iterator[Grids]:
    """Grids without numbers; those that came before are kept to be compared with."""
    import numpy as np

    seen: set[bytes] = set()
    counter = repeats = 0
    while len(seen) < start + n:
        size = min(chunk, start + n - len(seen), max(1, 10_000 // layout.cells))
        counters = np.arange(counter, counter + size, dtype=np.uint64)
        counter += size
        fresh = []
        for grid in _filled(layout, seed, counters, first):
            known = len(seen)
            seen.add(grid.tobytes())
            repeats = 0 if len(seen) > known else repeats + 1
            if known >= start and len(seen) > known:
                fresh.append(grid)
        if fresh:
            yield np.array(fresh)
        if repeats > 10_000:
            raise SudokuError(
                f"only {len(seen)} {_described(layout)} grids found, not {start + n}: "
                f"{repeats} more were all repetitions"
            )


def _filled(layout: Layout, seed: int | None, counters: Uint64s, first: int | None) -> Grids:
    """Grids from search; the digit wanted in the first cell is exchanged for the one there."""
    import numpy as np

    from sudoku.grids.random_fill import random_fill
    from sudoku.grids.random_numbers import fresh_seed

    grids = random_fill(layout, fresh_seed() if seed is None else seed, counters)
    if first:
        there = grids[:, :1].copy()
        grids = np.where(grids == there, first, np.where(grids == first, there, grids))
    return grids.astype(np.uint8)


def layout_of(box: Box, diagonal: bool) -> Layout:
    return Layout(*parse_box(box), diagonal)


def check_size(layout: Layout) -> None:
    """Raise LayoutError if random grids of this layout are beyond reach."""
    if layout.size > LARGEST:
        raise LayoutError(
            f"{layout.name} grids cannot be drawn here: {LARGEST}x{LARGEST} is the largest"
        )


def _described(layout: Layout) -> str:
    return layout.name + (" diagonal" if layout.diagonal else "")


def _counters(n: int, start: int, layout: Layout, first: int | None) -> Uint64s:
    import numpy as np

    n, start = whole("n", n, 0), whole("start", start, 0)
    if first is not None and whole("first", first, 1) > layout.size:
        raise SudokuError(f"first is {first}; a digit is 1 to {layout.size}")
    if start + n >= 1 << 63:
        raise SudokuError(f"grid {start + n}: only 2^63 can be drawn from one seed")
    return np.arange(start, start + n, dtype=np.uint64)


def check_complete(grid: Grid, where: str = "") -> None:
    """Raise PuzzleError if a cell is blank or a digit stands twice in a house."""
    from sudoku.solving.contradiction import clash

    values = grid.values.reshape(-1).tolist()
    if 0 in values:
        raise PuzzleError(
            f"{where}{grid.layout.cell_name(values.index(0))} is blank: only a complete grid has "
            "a number"
        )
    reason = clash(values, grid.layout, grid.symbols)
    if reason:
        raise PuzzleError(f"{where}not a grid: {reason}")
