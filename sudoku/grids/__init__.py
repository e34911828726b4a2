"""Complete grids: how many there are, their numbers, random ones, distinct ones.

``python -m sudoku.grids N`` writes N distinct grids.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import factorial
from typing import TYPE_CHECKING

from dlx.checks import as_index, brief
from sudoku.checks import at_least, chosen_seed
from sudoku.errors import LayoutError, PuzzleError, SudokuError
from sudoku.layout import Box, Layout, size_of
from sudoku.solving.contradiction import clash

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sudoku.grid import Grid, Puzzle
    from sudoku.grids.grid_numbers import GridNumbers, Grids
    from sudoku.random_numbers import Uint64s

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


LARGEST_DRAWN = 36
"""Grids are drawn up to this N; search finds none of 49 x 49 in minutes."""

MADE_AT_ONCE = 20_000
"""Grids of 81 cells that are made at once."""

MOST_REPEATS = 10_000
"""Repeated grids in a row after which the search for distinct grids without numbers ends."""


def count_grids(box_rows: int, box_columns: int, diagonal: bool = False) -> int:
    """Return how many complete grids there are, counted anew at each call.

    Parameters
    ----------
    box_rows, box_columns : int
        2 x 2 to 2 x 5, 3 x 3, and the same with rows and columns exchanged; 1 x N, no boxes, for N
        up to 6. 2 x 5 takes some 15 seconds, 1 x 6 some 3, all others less than one.
    diagonal : bool
        Whether both diagonals hold every digit; only for N up to 6.

    Raises
    ------
    LayoutError
        There is no such box, or no way to count these grids here.

    Examples
    --------
    >>> count_grids(2, 2), count_grids(2, 2, diagonal=True)
    (288, 48)
    >>> count_grids(3, 3)
    6670903752021072936960
    """
    return count_grids_of(Layout(box_rows, box_columns, diagonal))


def count_grids_of(layout: Layout) -> int:
    """Return how many complete grids of a layout there are; LayoutError as `count_grids`."""
    if layout.extra or not layout.has_boxes:
        from sudoku.grids.grid_numbers import grid_numbers

        numbers = grid_numbers(layout)
        if numbers is None:
            way = "this package has no shorter way"
            if not layout.extra:
                command = f"python -m dlx.models latin --n {layout.size} --count"
                way = f"{command} merges states: up to a minute for 7x7, far longer above"
            raise LayoutError(
                f"{layout.description} grids cannot be counted here: only up to 6x6 are they few "
                f"enough to be listed; {way}"
            )
        return numbers.num_relabellings * numbers.num_patterns
    box_rows, box_columns = layout.box_rows, layout.box_columns
    small, large = sorted((box_rows, box_columns))
    if large > (3 if small == 3 else 5) or small > 3:
        raise LayoutError(
            f"{layout.name} grids with {box_rows}x{box_columns} boxes cannot be counted here: "
            "their bands fall into too many classes to go through; 2x2 to 2x5 and 3x3 can be"
        )
    if small == 3:
        from sudoku.grids.band_classes import band_tables

        band_tables.cache_clear()
        return factorial(9) * int(band_tables().pattern_start[-1])
    from sudoku.grids.two_bands import count_two_bands

    return count_two_bands(large)


def grid_at(index: int, box: Box = (3, 3), diagonal: bool = False) -> Grid:
    """Return the grid with a number.

    Parameters
    ----------
    index : int
        0 to ``count_grids(...) - 1``.
    box : str, tuple of int or Layout
        Boxes, rows first; see `Layout.of`. Grids up to 6 x 6 have numbers, and 9 x 9 grids with
        boxes alone.
    diagonal : bool
        Whether both diagonals hold every digit; only for N up to 6.

    Raises
    ------
    SudokuError
        The index is out of range or not an integer.
    LayoutError
        These grids have no numbers.

    Examples
    --------
    >>> str(grid_at(0, box=(2, 2)))
    '1234341221434321'
    >>> str(grid_at(6670903752021072936959))[:27]
    '987123456654897312321645897'
    """
    from sudoku.grid import Grid

    return Grid(layout_of(box, diagonal), grids_at([index], box, diagonal)[0])


def index_of(grid: Puzzle, box: Box = None, diagonal: bool | None = None) -> int:
    """Return the number of a complete grid, the inverse of `grid_at`.

    Parameters
    ----------
    grid : Grid, str, list or array of int
        The grid.
    box : str, tuple of int or Layout, optional
        By default the usual boxes for the size.
    diagonal : bool
        As for `grid_at`.

    Raises
    ------
    PuzzleError
        It is not a complete grid: the message names a cell or house.
    LayoutError
        These grids have no numbers.

    Examples
    --------
    >>> index_of("1234341221434321")
    0
    """
    from sudoku.reading.convert import as_grid

    one = as_grid(grid, box, diagonal)
    check_complete(one)
    return indices_of(one.values[None], one.layout)[0]


def grids_at(indices: Sequence[int], box: Box = (3, 3), diagonal: bool = False) -> Grids:
    """Return the grids with many numbers.

    Parameters
    ----------
    indices : iterable of int
        Numbers from 0 to ``count_grids(...) - 1``.
    box, diagonal
        As for `grid_at`.

    Returns
    -------
    uint8[n, N*N]
        The digits, 1 to N, row by row.

    Raises
    ------
    SudokuError
        `indices` is not an iterable of integers, one of them is out of range, or `diagonal` is
        neither true nor false.
    LayoutError
        There is no such box, or these grids have no numbers.

    Examples
    --------
    >>> grids_at([0, 287], box=(2, 2))[:, :4].tolist()
    [[1, 2, 3, 4], [4, 3, 2, 1]]
    """
    import numpy as np

    from sudoku.grids.grid_numbers import existing_grid_numbers

    layout = layout_of(box, diagonal)
    numbers = existing_grid_numbers(layout)
    total = numbers.num_relabellings * numbers.num_patterns
    try:
        values = list(indices)
    except TypeError:
        raise SudokuError(f"indices is {brief(indices)}; a list of integers is needed") from None
    parts = []
    for value in values:
        try:
            index = as_index(value)
        except TypeError:
            reason = "the number of a grid is an integer"
            raise SudokuError(f"index {brief(value)}: {reason}") from None
        if not 0 <= index < total:
            raise SudokuError(
                f"index {brief(index)} is out of range: "
                f"{layout.description} grids are 0 to {total - 1}"
            )
        parts.append(divmod(index, numbers.num_patterns))
    return numbers.grids_of(*np.array(parts, np.int64).reshape(-1, 2).T)


def indices_of(grids: ArrayLike, box: Box = None, diagonal: bool | None = None) -> list[int]:
    """Return the numbers of many complete grids.

    Parameters
    ----------
    grids : array of int, (n, N*N) or (n, N, N), or sequence of Grid
        The grids.
    box, diagonal
        As for `index_of`; by default 3x3 for an array.

    Raises
    ------
    PuzzleError
        One of them is not a complete grid.
    LayoutError
        These grids have no numbers, or layouts of Grids differ.

    Examples
    --------
    >>> indices_of(grids_at([5, 77], box=(2, 2)), box=(2, 2))
    [5, 77]
    """
    import numpy as np

    from sudoku.grid import Grid
    from sudoku.grids.grid_numbers import existing_grid_numbers
    from sudoku.reading.convert import batch_of, named_grid

    array, box = batch_of(grids, box, diagonal)
    layout = layout_of(box, diagonal)
    numbers = existing_grid_numbers(layout)
    shapes = (layout.cells,), (layout.size, layout.size)
    if array.dtype.kind not in "iu" or array.shape[1:] not in shapes:
        raise PuzzleError(
            f"an array of {array.dtype} of shape {array.shape}; "
            f"{layout.name} grids are integers (n, {layout.size}, {layout.size}) or "
            f"(n, {layout.cells})"
        )
    flat = array.reshape(-1, layout.cells)
    if flat.size and (flat.min() < 1 or flat.max() > layout.size):
        wrong = int(((flat < 1) | (flat > layout.size)).any(axis=1).argmax())
        blanks = named_grid(f"grid {wrong}", flat[wrong], layout, None)
        check_complete(blanks, f"grid {wrong}: ")
    relabelling, pattern, valid = numbers.numbers_of(np.ascontiguousarray(flat, dtype=np.uint8))
    if valid < len(flat):
        check_complete(Grid(layout, flat[valid]), f"grid {valid}: ")
        raise AssertionError("the kernel and the rules disagree on what a grid is")
    pairs = zip(relabelling.tolist(), pattern.tolist(), strict=True)
    return [high * numbers.num_patterns + low for high, low in pairs]


def random_grids(
    n: int,
    seed: int | None = None,
    *,
    box: Box = (3, 3),
    diagonal: bool = False,
    first: int | None = None,
    start: int = 0,
) -> Grids:
    """Return random grids, independent of each other.

    Where grids have numbers (see `grid_at`), all have the same probability. The probabilities of
    others (8 x 8, 16 x 16, 9 x 9 with diagonals...), which come from random search, differ.

    Parameters
    ----------
    n : int
        How many grids, at least 0.
    seed : int, optional
        From 0 on; by default a new one is used.
    box : str, tuple of int or Layout
        Boxes, rows first, for grids up to 36 x 36; see `Layout.of`.
    diagonal : bool
        Whether both diagonals hold every digit.
    first : int, optional
        The digit in the first cell of all grids; by default any digit.
    start : int
        Number of the first grid. Grid k of a seed does not depend on `n` and `start`.

    Returns
    -------
    uint8[n, N*N]
        The digits, 1 to N, row by row.

    Raises
    ------
    SudokuError
        An argument is wrong; or search proves that there are no grids, or 500 attempts find none.
    LayoutError
        There is no such box, the grids are too large, or, up to 6x6, there are none.
    MemoryError
        The array of n grids does not fit into memory.

    Examples
    --------
    >>> random_grids(2, seed=1, box=(2, 2)).shape
    (2, 16)
    """
    from sudoku.grids.grid_numbers import grid_numbers

    layout = layout_of(box, diagonal)
    check_size(layout)
    counters, first = _checked(number_of_grids(n, layout), start, layout, first)
    numbers = grid_numbers(layout)
    if numbers is None:
        draw = partial(_found_by_search, layout, chosen_seed(seed), first)
    else:
        draw = partial(_drawn_by_number, numbers, _relabellings(layout, first), chosen_seed(seed))
    return _joined(map(draw, _chunks(counters, MADE_AT_ONCE)), len(counters), layout)


def distinct_grids(
    n: int,
    seed: int | None = None,
    *,
    box: Box = (3, 3),
    diagonal: bool = False,
    first: int | None = None,
    start: int = 0,
) -> Grids:
    """Return random grids that all differ.

    Grids with numbers come in the order of a permutation of their numbers, which the seed
    determines: `n` and `start` may be any numbers up to that of all grids, and below 2^63. Others
    are compared with all earlier ones.

    Parameters
    ----------
    n, seed, box, diagonal, first, start
        As for `random_grids`.

    Returns
    -------
    uint8[n, N*N]
        The digits, 1 to N, row by row.

    Raises
    ------
    SudokuError
        As `random_grids`; or there are fewer grids. Without numbers: or 10,001 grids in a row were
        repetitions.
    LayoutError, MemoryError
        As `random_grids`.

    Examples
    --------
    >>> len({grid.tobytes() for grid in distinct_grids(288, seed=1, box=(2, 2))})
    288
    """
    pieces = stream_distinct(n, seed, box=box, diagonal=diagonal, first=first, start=start)
    layout = layout_of(box, diagonal)
    return _joined(pieces, number_of_grids(n, layout), layout)


def stream_distinct(
    n: int,
    seed: int | None = None,
    *,
    box: Box = (3, 3),
    diagonal: bool = False,
    first: int | None = None,
    start: int = 0,
    chunk: int = MADE_AT_ONCE,
) -> Iterator[Grids]:
    """Return the grids of `distinct_grids` in arrays of at most `chunk` grids.

    Parameters
    ----------
    n, seed, box, diagonal, first, start
        As for `random_grids`.
    chunk : int
        The most grids of an array, at least 1.

    Returns
    -------
    iterator of uint8[k, N*N]

    Raises
    ------
    SudokuError, LayoutError
        As `distinct_grids`; or `chunk` is not a whole number from 1 on. The call raises them,
        except that of a search that finds no more grids, which the loop raises.

    Examples
    --------
    >>> [len(piece) for piece in stream_distinct(25, seed=1, box=(2, 2), chunk=10)]
    [10, 10, 5]
    """
    from sudoku.grids.grid_numbers import grid_numbers

    layout = layout_of(box, diagonal)
    check_size(layout)
    counters, first = _checked(n, start, layout, first)
    seed, chunk = chosen_seed(seed), at_least(chunk, 1, "chunk")
    if grid_numbers(layout) is None:
        return _distinct_by_search(counters, seed, layout, first, chunk)
    return _distinct_by_number(counters, seed, layout, first, chunk)


def layout_of(box: Box, diagonal: bool | None) -> Layout:
    """Return the layout with these boxes, 9x9 if they leave that open."""
    return Layout.of(size_of(box) or 9, box, diagonal)


def check_size(layout: Layout) -> None:
    """Raise LayoutError if grids of this layout are too large to be drawn."""
    if layout.size > LARGEST_DRAWN:
        largest = f"{LARGEST_DRAWN}x{LARGEST_DRAWN}"
        raise LayoutError(f"{layout.name} grids cannot be drawn here: {largest} is the largest")


def check_complete(grid: Grid, where: str = "") -> None:
    """Raise PuzzleError, its text after `where`, if a cell is blank or a house repeats a digit."""
    values = grid.digits
    if 0 in values:
        raise PuzzleError(
            f"{where}{grid.layout.cell_name(values.index(0))} is blank: only a complete grid has "
            "a number"
        )
    reason = clash(values, grid.layout, grid.symbols)
    if reason:
        raise PuzzleError(f"{where}not a grid: {reason}")


def _joined(pieces: Iterable[Grids], n: int, layout: Layout) -> Grids:
    """Return n grids in one array; pieces are short, so that Ctrl-C is noticed between them."""
    import numpy as np

    grids = np.empty((n, layout.cells), np.uint8)
    row = 0
    for piece in pieces:
        grids[row : row + len(piece)] = piece
        row += len(piece)
    return grids


def _chunks(counters: range, length: int) -> Iterator[Uint64s]:
    """Yield consecutive numbers in arrays of at most this length."""
    import numpy as np

    for begin in counters[::length]:
        yield np.arange(begin, min(begin + length, counters.stop), dtype=np.uint64)


def number_of_grids(n: int, layout: Layout) -> int:
    """Return a number of grids as int; raise SudokuError if no array can have that many.

    Raise MemoryError if such an array does not fit into memory.
    """
    from dlx.count.memory import require_memory_for

    n, most = at_least(n, 0, "n"), sys.maxsize // layout.cells
    if n > most:
        raise SudokuError(f"n is {brief(n)}; an array has at most {most} {layout.name} grids")
    require_memory_for(n, layout.cells, "grids")
    return n


def _relabellings(layout: Layout, first: int | None) -> range:
    """Return the relabellings whose first digit is `first`, all if that is None."""
    from sudoku.grids.grid_numbers import existing_grid_numbers

    total = existing_grid_numbers(layout).num_relabellings
    if first is None:
        return range(total)
    each = total // layout.size
    return range(each * (first - 1), each * first)


def _distinct_by_number(
    counters: range, seed: int, layout: Layout, first: int | None, chunk: int
) -> Iterator[Grids]:
    """Return the pieces of `stream_distinct` for grids that have numbers."""
    import numpy as np

    from sudoku.grids.grid_numbers import existing_grid_numbers
    from sudoku.random_numbers import derive_key, keyed_permutation

    numbers, allowed = existing_grid_numbers(layout), _relabellings(layout, first)
    total = len(allowed) * numbers.num_patterns
    if counters.stop > total:
        condition = f" with {first} in the first cell" if first else ""
        are = f"is only 1 {layout.description} grid"
        if total > 1:
            are = f"are only {total} {layout.description} grids"
        raise SudokuError(f"there {are}{condition}, not {brief(counters.stop)}")
    key = derive_key(seed, 3)

    def piece(some: Uint64s) -> Grids:
        pairs = keyed_permutation(key, len(allowed), numbers.num_patterns, some)
        relabelling, pattern = (side.astype(np.int64) for side in pairs)
        return numbers.grids_of(allowed.start + relabelling, pattern)

    return map(piece, _chunks(counters, chunk))


def _distinct_by_search(
    wanted: range, seed: int, layout: Layout, first: int | None, chunk: int
) -> Iterator[Grids]:
    """Yield the pieces of `stream_distinct` for grids without numbers."""
    import numpy as np

    seen: set[bytes] = set()
    counter = repeats = 0
    while len(seen) < wanted.stop:
        size = min(chunk, wanted.stop - len(seen), max(1, 10_000 // layout.cells))
        counters = np.arange(counter, counter + size, dtype=np.uint64)
        counter += size
        fresh = []
        for grid in _found_by_search(layout, seed, first, counters):
            before = len(seen)
            seen.add(grid.tobytes())
            repeats = 0 if len(seen) > before else repeats + 1
            if before >= wanted.start and len(seen) > before:
                fresh.append(grid)
        if fresh:
            yield np.array(fresh)
        if repeats > MOST_REPEATS:
            raise SudokuError(
                f"only {len(seen)} {layout.description} grids found, not {brief(wanted.stop)}: "
                f"{repeats} more were all repetitions"
            )


def _drawn_by_number(numbers: GridNumbers, allowed: range, seed: int, counters: Uint64s) -> Grids:
    """Return grids of random numbers, with relabellings that are allowed."""
    import numpy as np

    from sudoku.random_numbers import derive_key, random_below

    relabelling = random_below(len(allowed), derive_key(seed, 1), counters).astype(np.int64)
    pattern = random_below(numbers.num_patterns, derive_key(seed, 2), counters).astype(np.int64)
    return numbers.grids_of(allowed.start + relabelling, pattern)


def _found_by_search(layout: Layout, seed: int, first: int | None, counters: Uint64s) -> Grids:
    """Return grids from search; `first` and the digit in the first cell are exchanged."""
    import numpy as np

    from sudoku.grids.random_fill import random_fill

    grids = random_fill(layout, seed, counters)
    if first:
        corner = grids[:, :1].copy()
        grids = np.where(grids == corner, first, np.where(grids == first, corner, grids))
    return grids.astype(np.uint8)


def _checked(n: int, start: int, layout: Layout, first: int | None) -> tuple[range, int | None]:
    """Check these arguments of `random_grids`; return the numbers of the grids, and `first`."""
    n, start = at_least(n, 0, "n"), at_least(start, 0, "start")
    if first is not None:
        first = at_least(first, 1, "first")
        if first > layout.size:
            raise SudokuError(f"first is {brief(first)}; a digit is 1 to {layout.size}")
    if start + n >= 1 << 63:
        raise SudokuError(f"grid {brief(start + n)}: only 2^63 can be drawn from one seed")
    return range(start, start + n), first
