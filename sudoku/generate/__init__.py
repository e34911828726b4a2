"""Generate puzzles with exactly one solution, of the kind that is required.

`python -m sudoku.generate N` writes N puzzles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from typing import TYPE_CHECKING, Any, Unpack

from dlx.checks import refuse_unknown
from sudoku.checks import as_time_limit, at_least, chosen_seed, threads
from sudoku.generate.requirements import RequirementArguments, Requirements

if TYPE_CHECKING:
    from sudoku.explain.difficulty import Difficulty as Difficulty
    from sudoku.explain.difficulty import difficulty as difficulty
    from sudoku.grid import Grid
    from sudoku.layout import Layout
    from sudoku.solving.batch_search import Cells

__all__ = ["Difficulty", "difficulty", "generate", "stream", "stream_puzzles"]


def __getattr__(name: str) -> object:
    if name in ("Difficulty", "difficulty"):
        from sudoku.explain import difficulty

        return getattr(difficulty, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def generate(
    n: int,
    *,
    seed: int | None = None,
    jobs: int | str = 1,
    time_limit: float | None = None,
    **options: Unpack[RequirementArguments],
) -> Cells:
    """Return puzzles, each proved to have exactly one solution.

    Puzzles are drawn independently of each other: where there are few of a kind, as on 4x4
    grids, the same one may come more than once.

    Parameters
    ----------
    n : int
        How many, at least 0.
    seed : int, optional
        By default a new one is used. The same seed gives the same puzzles, also as the first ones
        of a larger n.
    jobs : int or "all", optional
        Threads, all: one on each core; the puzzles do not depend on their number.
    time_limit : float, optional
        Seconds, without those for which numba compiles, after which TimeoutError is raised.
    minimal : bool or {"given", "group", "no"}, optional
        True (the default without `pattern`) or "given": without any one of its givens a puzzle
        has several solutions. "group": so it has without any group of givens that the symmetry
        maps to each other, which is a weaker and more common requirement. False or "no": removal
        ends as soon as there are as few givens as required. On grids larger than 16x16, or
        than 12x12 with regions or other houses, a given also stays where a thousand nodes of
        search do not decide whether it can be removed; the solution is still unique.
    givens : int or (int, int), optional
        How many, or least and most, in the puzzles returned. Of minimal puzzles those with as
        many are selected. Others have this number, by default half of the cells; in a range each
        number is drawn with equal probability.
    symmetry : str, optional
        The symmetry of the pattern of givens: "none" (the default), "rotate180", "rotate90",
        "mirror" (left and right exchanged), "diagonal" (rows and columns exchanged) or "full" (all
        of these).
    pattern : str or array_like, optional
        Which cells are given: N*N characters, of which ``.``, ``0``, ``-`` and ``_`` are blanks
        and blank space is ignored, or N*N numbers, 0 for a blank. The puzzle need not be minimal
        unless `minimal` is given.
    box : str, (int, int) or Layout, optional
        Boxes, rows first; determines N. By default 3x3. Any layout is possible: see `Layout.of`.
    diagonal : bool, optional
        Whether both diagonals hold every digit.
    difficulty : (float, float), optional
        Least and most score by `sudoku.difficulty`: guesses that search needs.
    rating : (float, float), optional
        Least and most score by `sudoku.rate`: the steps that a person needs, from 1.2 (singles) to
        above 11 (guesses). Takes a millisecond a puzzle up to 9x9, but some tenths of a second
        from 12x12 on.
    hardest : str, optional
        A technique of `sudoku.explain.techniques.TECHNIQUES`. The techniques up to this one solve
        the puzzle, and those before it do not. Unique rectangles are among them only if this is
        "unique rectangle".
    method : {"dig", "grow"}, optional
        "dig" (the default) removes givens from a random grid; "grow" adds random digits to an
        empty one until there is one solution, then removes what is not needed. The first is
        faster and starts from uniformly distributed grids where grids are numbered.
    solutions : {"one", "several", "none"}, optional
        "several" removes one to three more givens; "none" adds one that is wrong although no
        house forbids it; both with the other cells that the symmetry maps them to. The puzzles
        returned meet all requirements but `minimal`, which applies before that change.

    Returns
    -------
    uint8[n, N*N]
        0 for a blank.

    Raises
    ------
    SudokuError
        An argument is wrong; or the requirements are impossible, or so rarely met that the
        search was given up: after 5,000,000 search nodes in a row without a puzzle (see
        `sudoku.generate.attempts.EFFORT`), the same on every machine. These are some 480,000
        attempts or more for 9x9, 5,000 with diagonals, 12,000 for 8x8, 130 for 16x16, 11 for 25x25,
        and take 5 to 25 seconds.
    TimeoutError
        The time limit is reached.
    LayoutError
        There is no such box, or the grid is larger than 36x36.

    Examples
    --------
    >>> from sudoku import count_batch
    >>> puzzles = generate(3, seed=1, box=(2, 2), symmetry="rotate180", minimal="group")
    >>> count_batch(puzzles).tolist(), bool(((puzzles > 0) == (puzzles > 0)[:, ::-1]).all())
    ([1, 1, 1], True)
    """
    import numpy as np

    from sudoku.grids import number_of_grids

    layout = _required(options, "generate").layout
    number = number_of_grids(n, layout)
    pieces = list(stream_puzzles(number, seed=seed, jobs=jobs, time_limit=time_limit, **options))
    return np.concatenate([np.empty((0, layout.cells), np.uint8), *pieces])


def stream_puzzles(
    n: int | None,
    *,
    seed: int | None = None,
    jobs: int | str = 1,
    time_limit: float | None = None,
    **options: Unpack[RequirementArguments],
) -> Iterator[Cells]:
    """Return an iterator over the puzzles of `generate`, in arrays uint8[k, N*N].

    Arguments and errors are those of `generate`; for None as `n` there is no end. Wrong arguments
    raise errors at once.

    Examples
    --------
    >>> sum(len(piece) for piece in stream_puzzles(100, seed=1, box=(2, 2)))
    100
    """
    required = _required(options, "stream_puzzles")
    number, workers = float("inf") if n is None else at_least(n, 0, "n"), threads(jobs)
    time_limit = as_time_limit(time_limit)
    from sudoku.generate.attempts import first_puzzles

    return first_puzzles(required, number, chosen_seed(seed), workers, time_limit)


def stream(
    *,
    seed: int | None = None,
    jobs: int | str = 1,
    time_limit: float | None = None,
    **options: Unpack[RequirementArguments],
) -> Iterator[Grid]:
    """Return an iterator without end over the puzzles of `generate`, as Grids.

    Arguments and errors are those of `generate`; wrong arguments raise errors at once. A few
    puzzles more than were taken may be made.

    Examples
    --------
    >>> from itertools import islice
    >>> [str(puzzle) for puzzle in islice(stream(seed=1, box=(2, 2)), 2)]
    ['.2.......32..13.', '2......33......1']
    """
    layout = _required(options, "stream").layout
    arrays = stream_puzzles(None, seed=seed, jobs=jobs, time_limit=time_limit, **options)
    return _grids(arrays, layout)


def _required(options: RequirementArguments, function: str) -> Requirements:
    refuse_unknown(options, RequirementArguments.__optional_keys__, function)
    return Requirements(**options)


def _grids(arrays: Iterator[Cells], layout: Layout) -> Iterator[Grid]:
    from sudoku.grid import Grid
    from sudoku.symbols import Symbols

    symbols = Symbols.default(layout.size)
    for puzzles in arrays:
        for puzzle in puzzles:
            yield Grid.trusted(layout, puzzle.tobytes(), symbols)


def _show_options(function: Callable[..., Any]) -> None:
    """Show the fields of `Requirements` as keyword parameters in the signature of a function."""
    shown = signature(function)
    explicit = list(shown.parameters.values())[:-1]
    parameters = [*explicit, *signature(Requirements).parameters.values()]
    function.__signature__ = shown.replace(parameters=parameters)  # type: ignore[attr-defined]


_show_options(generate)
_show_options(stream_puzzles)
_show_options(stream)
