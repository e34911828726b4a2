"""Puzzles as `Grid` objects: any puzzle, the puzzle of a text, the puzzles of files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dlx.checks import brief
from sudoku.batch import Batch
from sudoku.checks import as_array, as_flag
from sudoku.errors import FormatError, LayoutError, PuzzleError
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Box, Layout, default_box
from sudoku.reading.lines import EITHER
from sudoku.reading.plain import plain_text
from sudoku.reading.reader import Reader
from sudoku.symbols import DIGIT_OF, PLAIN, Names, Symbols

PLAIN_SIDES = {16: 4, 36: 6, 81: 9}  # of texts that are read without a reader of files


def as_grid(
    puzzle: Puzzle,
    box: Box = None,
    diagonal: bool | None = None,
    symbols: Names = None,
) -> Grid:
    """Any puzzle as a Grid.

    Parameters
    ----------
    puzzle : Puzzle
        Text of one puzzle, str, bytes, bytearray or a memoryview of these, in any format of files;
        N lists of N integers or an array (N, N) or (N*N,) of them, 0 or None for a blank; N texts,
        N lists of N symbols or N*N symbols; or a Grid, whose layout and symbols stay unless others
        are given.
    box : str, tuple of int or Layout, optional
        As ``"2x3"``, ``(2, 3)`` or ``"windoku"``, or a layout; see `Layout.of`.
    diagonal : bool, optional
        Whether both diagonals are houses; by default as a Grid has it, and not for others.
    symbols : Symbols, str or sequence of str, optional
        Names of the digits; by default found from a text, else `Symbols.default`.

    Raises
    ------
    PuzzleError
        If `puzzle` is not a grid; if it is a text, a FormatError.
    LayoutError
        If box or symbols do not fit.

    Examples
    --------
    >>> as_grid([[1, 0, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]])
    Grid(Layout(2x2), '1.....2..3.....4')
    """
    diagonals = None if diagonal is None else as_flag(diagonal, "diagonal")
    names = Symbols.of(symbols)
    if isinstance(puzzle, memoryview) and isinstance(puzzle.obj, bytes | bytearray):
        puzzle = puzzle.tobytes()  # of anything else, as array.array, a view is an array
    if isinstance(puzzle, bytes | bytearray):
        puzzle = puzzle.decode("utf-8", "surrogateescape")
    if isinstance(puzzle, str):
        return parse(puzzle, box=box, diagonal=bool(diagonals), symbols=names)
    if isinstance(puzzle, Grid):
        return _changed(puzzle, box, diagonals, names)
    values = as_array(puzzle)
    if not values.shape:
        raise PuzzleError(f"{brief(puzzle)} is no grid: text, lists, an array or a Grid is needed")
    if values.dtype.kind == "O" and any(isinstance(value, str) for value in values.flat):
        values = np.array(["" if v is None else str(v) for v in values.flat]).reshape(values.shape)
    if values.dtype.kind == "U" and values.ndim in (1, 2):
        n = len(values)
        if box is None and n in EITHER and {*map(len, values.tolist())} == {n}:
            box = default_box(n)  # otherwise the rows may be N puzzles
        return parse(_text_of(values), box=box, diagonal=bool(diagonals), symbols=names)
    if values.size and values.dtype.kind not in "iuO":
        raise PuzzleError(f"values of type {values.dtype}; a grid holds integers, 0 for a blank")
    n = isqrt(values.size)
    if n * n != values.size or values.shape not in ((n, n), (n * n,)):
        raise PuzzleError(f"an array of shape {values.shape}; a grid is (N, N) or (N*N,)")
    return Grid(Layout.of(n, box, bool(diagonals)), values, names or Symbols.default(n))


def _changed(grid: Grid, box: Box, diagonal: bool | None, symbols: Symbols | None) -> Grid:
    """Return a Grid with another box, diagonals or symbols, if they are given."""
    layout = grid.layout
    if box is not None:
        layout = Layout.of(layout.size, box, layout.diagonal)
    if diagonal is not None and diagonal != layout.diagonal:
        layout = layout.with_diagonals(diagonal)
    if layout == grid.layout and symbols is None:
        return grid
    return Grid(layout, grid.values, symbols or grid.symbols, grid.candidates)


def _text_of(symbols: NDArray[np.str_]) -> str:
    """Return the text of a puzzle from the lines of a text, or from the symbols of its cells."""
    n = isqrt(len(symbols))  # if these are N*N symbols; the longest line of a text is longer
    if symbols.ndim == 1 and max(map(len, symbols.tolist()), default=0) < n:
        if n * n != len(symbols):
            raise PuzzleError(f"{len(symbols)} symbols; a grid has N*N, or N rows of N")
        symbols = symbols.reshape(n, n)
    if symbols.ndim == 1:
        return "\n".join(symbols.tolist())
    return "\n".join(" ".join(cell.strip() or "." for cell in row) for row in symbols.tolist())


def batch_of(puzzles: ArrayLike, box: Box, diagonal: bool | None) -> tuple[NDArray[Any], Box]:
    """Many puzzles as an array, and their box: their layout, if Grids or texts are among them.

    An empty list is an array of no puzzles, by default 9x9 ones.

    Raises
    ------
    PuzzleError
        Rows of different lengths, a Grid with candidates, or one Grid instead of many.
    LayoutError
        The layouts differ.
    """
    if isinstance(puzzles, Grid):  # as an array it may be N puzzles of N cells
        raise PuzzleError("one Grid where many puzzles are expected; give a list of Grids")
    is_sequence = isinstance(puzzles, Sequence) and not isinstance(puzzles, str | memoryview)
    each: Sequence[Any] = puzzles if is_sequence else ()  # type: ignore[assignment]
    array = None if is_sequence else as_array(puzzles)
    if array is not None and array.ndim == 1 and array.dtype.kind in "USO":  # a column of a table
        each = array.tolist()
    kinds = Grid | str | bytes | bytearray | memoryview
    if not any(isinstance(puzzle, kinds) for puzzle in each):
        array = as_array(puzzles) if array is None else array
        if array.shape == (0,):
            usual = (3, 3) if box is None else box
            array = np.zeros((0, Layout.of(None, usual, diagonal).cells), np.uint8)
        return array, box
    if (digits := _plain_digits(each)) is not None:
        with suppress(LayoutError):  # the general path has the better message
            return digits, Layout.of(digits.shape[1], box, as_flag(diagonal, "diagonal"))
    grids: list[Grid] = []
    for number, puzzle in enumerate(each):
        name = f"puzzle {number}"
        grid = without_candidates(named_grid(name, puzzle, box, diagonal), name)
        if grids and grid.layout != grids[0].layout:
            raise LayoutError(
                f"{name} has {grid.layout!r}, puzzle 0 has {grids[0].layout!r}: the"
                " puzzles of a batch have one layout"
            )
        grids.append(grid)
    return np.stack([grid.values for grid in grids]), grids[0].layout


def _plain_digits(puzzles: Sequence[Any]) -> NDArray[np.int16] | None:
    """int16[puzzles, N, N]: the digits of texts of 1 to N and one kind of blank, N = 4, 6 or 9.

    None of anything else, which the reader of files takes, some 100 us for each puzzle.
    """
    if set(map(type, puzzles)) != {str}:
        return None
    lengths = set(map(len, puzzles))
    if not lengths <= PLAIN_SIDES.keys():  # perhaps lines of a file, with their ends
        puzzles = [puzzle.rstrip("\r\n") for puzzle in puzzles]
        lengths = set(map(len, puzzles))
    n = PLAIN_SIDES.get(lengths.pop()) if len(lengths) == 1 else None
    text = "".join(puzzles)
    if n is None or not text.isascii():
        return None
    written = text.encode() if "." in text else text.replace("0", ".").encode()
    if written.translate(None, PLAIN[: n + 1]):
        return None
    digits = np.frombuffer(written.translate(DIGIT_OF), np.uint8)
    return digits.reshape(len(puzzles), n, n).astype(np.int16)  # as the values of a Grid


def named_grid(
    name: str, puzzle: Puzzle, box: Box, diagonal: bool | None, symbols: Names = None
) -> Grid:
    """Any puzzle as a Grid, as `as_grid` returns it; its errors begin with a name of the puzzle."""
    try:
        return as_grid(puzzle, box, diagonal, symbols)
    except FormatError as error:
        raise FormatError(error.reason, name, error.line, error.column) from None
    except (PuzzleError, LayoutError) as error:
        raise type(error)(f"{name}: {error}") from None


def parse(
    text: str,
    *,
    box: Box = None,
    diagonal: bool = False,
    symbols: Symbols | None = None,
) -> Grid:
    r"""The one puzzle of a text; parameters as of `Reader`. FormatError if there is not just one.

    >>> str(parse("12|34\n34|12\n--+--\n21|43\n43|2."))
    '123434122143432.'
    """
    if symbols is None and (plain := plain_text(text)) is not None:
        n, digits, names = plain
        with suppress(LayoutError):  # of which the reader has the better message
            return Grid.trusted(Layout.of(n, box, diagonal), digits, names or Symbols.default(n))
    reader = Reader(box=box, diagonal=diagonal, symbols=symbols)
    try:
        batches = list(reader.text(text))
    except UnicodeEncodeError as error:
        reason = f"{text[error.start]!r} is half a surrogate pair, not a character"
        raise FormatError(reason) from None
    count = sum(map(len, batches))
    if count != 1:
        raise FormatError(f"{count} puzzles where one is expected")
    return grid_of(batches[0], 0)


def read(
    *names: str | os.PathLike[str],
    box: Box = None,
    diagonal: bool = False,
    symbols: Names = None,
) -> Iterator[Grid]:
    """Return an iterator over the puzzles of files; wrong arguments raise errors at once.

    Parameters
    ----------
    *names : str or path
        Files; ``-``, and no name at all, stand for standard input.
    box, diagonal, symbols
        As for `as_grid`.

    Returns
    -------
    iterator of Grid
        One puzzle after the other.

    Raises
    ------
    SudokuError, LayoutError
        An argument is wrong.
    FileError, FormatError
        While it iterates, at the first fault.
    """
    diagonal = as_flag(diagonal, "diagonal")
    reader = Reader(names, box=box, diagonal=diagonal, symbols=Symbols.of(symbols))
    return (grid for batch in reader for grid in grids_of(batch))


def grid_of(batch: Batch, index: int) -> Grid:
    """One puzzle of a batch."""
    cells = batch.layout.cells
    start, end = index * cells, (index + 1) * cells
    masks = batch.candidates[8 * start : 8 * end]
    return Grid.trusted(batch.layout, batch.values[start:end], batch.symbols, masks)


def grids_of(batch: Batch) -> Iterator[Grid]:
    """The puzzles of a batch."""
    return (grid_of(batch, index) for index in range(len(batch)))


def without_candidates(grid: Grid, task: str) -> Grid:
    """The grid; PuzzleError if it has candidates, which this task does not take."""
    if grid.candidates is not None:
        raise PuzzleError(f"{task}: candidates are not supported; the puzzle must not have any")
    return grid
