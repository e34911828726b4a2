"""Generate puzzles with exactly one solution, of the kind that is required.

`python -m sudoku.generate N` writes N puzzles.
"""

from __future__ import annotations

import re
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
    **options
        The fields of `Requirements`: which puzzles.

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
    LayoutError, MemoryError
        There is no such box, or the grid is larger than 36x36; or n puzzles exceed the memory.

    Examples
    --------
    >>> from sudoku import count_batch
    >>> puzzles = generate(3, seed=1, box=(2, 2), symmetry="rotate180", minimal="group")
    >>> count_batch(puzzles).tolist(), bool(((puzzles > 0) == (puzzles > 0)[:, ::-1]).all())
    ([1, 1, 1], True)
    """
    import numpy as np

    from sudoku.grids import number_of_grids

    required = _required(options, "generate")
    number = number_of_grids(n, required.layout)
    pieces = list(_stream(required, number, seed, jobs, time_limit))
    return np.concatenate([np.empty((0, required.layout.cells), np.uint8), *pieces])


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
    return _stream(_required(options, "stream_puzzles"), n, seed, jobs, time_limit)


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
    from sudoku.grid import Grid
    from sudoku.symbols import Symbols

    required = _required(options, "stream")
    layout, symbols = required.layout, Symbols.default(required.layout.size)
    pieces = _stream(required, None, seed, jobs, time_limit)
    return (Grid.trusted(layout, one.tobytes(), symbols) for piece in pieces for one in piece)


def _required(options: RequirementArguments, function: str) -> Requirements:
    refuse_unknown(options, RequirementArguments.__optional_keys__, function)
    return Requirements(**options)


def _stream(
    required: Requirements,
    n: int | None,
    seed: int | None,
    jobs: int | str,
    time_limit: float | None,
) -> Iterator[Cells]:
    """Return the iterator of `stream_puzzles` for requirements that are checked."""
    number, workers = float("inf") if n is None else at_least(n, 0, "n"), threads(jobs)
    time_limit = as_time_limit(time_limit)
    from sudoku.generate.attempts import first_puzzles

    return first_puzzles(required, number, chosen_seed(seed), workers, time_limit)


def _show_options(function: Callable[..., Any]) -> None:
    """Show the fields of `Requirements` in place of `options`: in the signature and docstring."""
    shown = signature(function)
    explicit = list(shown.parameters.values())[:-1]
    parameters = [*explicit, *signature(Requirements).parameters.values()]
    function.__signature__ = shown.replace(parameters=parameters)  # type: ignore[attr-defined]
    if function.__doc__ and Requirements.__doc__:  # None with `python -OO`
        fields = Requirements.__doc__.partition("----------\n")[2].partition("\n\n")[0]
        function.__doc__ = re.sub(r" *\*\*options\n.*", lambda _: fields, function.__doc__)


for _function in (generate, stream_puzzles, stream):
    _show_options(_function)
