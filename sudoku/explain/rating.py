"""How hard a puzzle is for a person, by the weights of its steps.

The score is the weight of the hardest step (see `sudoku.explain.techniques`; that of a chain grows
with its length) plus a tenth of ln(1 + s), where s is the sum, over all steps, of the difference
between the weight of the technique and that of the easiest one. So of two puzzles with the same
hardest step, the one with more and harder steps has the higher score. Singles score 1.2 to 2.8,
newspaper puzzles up to 4, wings and chains 4 to 8, forcing chains and nets 8 to 10, and puzzles
that need guesses above 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from math import log1p
from typing import Any, NamedTuple, TypeVar

from dlx.checks import brief
from sudoku.errors import PuzzleError
from sudoku.explain import UNIQUE
from sudoku.explain.grid_deducer import GridDeducer
from sudoku.explain.techniques import TECHNIQUES, Technique
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Box
from sudoku.reading.convert import as_grid, named_grid
from sudoku.symbols import Names

T = TypeVar("T")


class Rating(NamedTuple):
    """How hard a puzzle is.

    Attributes
    ----------
    score : float
        See `sudoku.explain.rating`; of a puzzle without exactly one solution, for the steps made.
    hardest : str
        The technique of the greatest weight, "" if there was no step.
    level : int
        The highest of all steps, an index into `sudoku.explain.techniques.LEVELS`; -1 if there was
        no step.
    counts : dict of str to int
        How often each technique was used, easiest first.
    outcome : str
        "unique", "several solutions" or "no solution".
    """

    score: float
    hardest: str
    level: int
    counts: dict[str, int]
    outcome: str

    def __str__(self) -> str:
        """One line.

        Examples
        --------
        >>> print(rate("1..4 ..2. .1.. 4..."))
        1.2 hidden single (hidden single 11)
        >>> print(rate("1234 3412 2143 4321"))
        0.0 nothing to do
        """
        if self.outcome != UNIQUE:
            return self.outcome
        if not self.counts:
            return f"{self.score:.1f} nothing to do"
        used = ", ".join(f"{name} {count}" for name, count in self.counts.items())
        return f"{self.score:.1f} {self.hardest} ({used})"

    def _repr_html_(self) -> str:
        rows = {"score": f"{self.score:.1f}", "outcome": self.outcome, **self.counts}
        cells = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
        return f"<table>{cells}</table>"


def rate(
    puzzle: Puzzle,
    diagonal: bool | None = None,
    box: Box = None,
    *,
    symbols: Names = None,
    uniqueness: bool = False,
    hardest: str | None = None,
    techniques: Sequence[Technique] = TECHNIQUES,
) -> Rating:
    """Rate one puzzle.

    Parameters
    ----------
    puzzle, diagonal, box, symbols, uniqueness, hardest, techniques
        As for `sudoku.solve_steps`.

    Returns
    -------
    Rating

    Raises
    ------
    PuzzleError, LayoutError
        As `sudoku.solve_steps`.

    Examples
    --------
    >>> rate("1... .... ..2. ...3").outcome
    'several solutions'
    """
    question = as_grid(puzzle, box, diagonal, symbols)
    return rate_grid(
        question, GridDeducer(question.layout, uniqueness, hardest, techniques=techniques)
    )


def rate_batch(
    puzzles: Iterable[Puzzle],
    diagonal: bool | None = None,
    box: Box = None,
    *,
    symbols: Names = None,
    uniqueness: bool = False,
    hardest: str | None = None,
    techniques: Sequence[Technique] = TECHNIQUES,
) -> Iterator[Rating]:
    """Rate many puzzles, each when its rating is requested.

    Parameters
    ----------
    puzzles : iterable
        Each as for `rate`; Grids may differ in layout.
    diagonal, box, symbols, uniqueness, hardest, techniques
        As for `rate`.

    Returns
    -------
    iterator of Rating

    Raises
    ------
    PuzzleError, LayoutError
        As `rate`.

    Examples
    --------
    >>> [rating.hardest for rating in rate_batch(["1..4 ..2. .1.. 4..."])]
    ['hidden single']
    """
    each = _each(puzzles, "puzzles")
    factory = partial(GridDeducer, uniqueness=uniqueness, hardest=hardest, techniques=techniques)
    deducer = lru_cache(maxsize=8)(factory)  # there may be as many layouts as puzzles
    questions = (
        named_grid(f"puzzle {number}", puzzle, box, diagonal, symbols)
        for number, puzzle in enumerate(each)
    )
    return (rate_grid(question, deducer(question.layout)) for question in questions)


def columns(ratings: Iterable[Rating]) -> dict[str, list[Any]]:
    """Return ratings as columns, which data frames of any kind take as they are.

    Parameters
    ----------
    ratings : iterable of Rating

    Returns
    -------
    dict of str to list
        "score", "hardest", "level", "steps" (how many) and "outcome", each with a value for each
        rating.

    Raises
    ------
    PuzzleError
        These are not ratings.

    Examples
    --------
    >>> table = columns(rate_batch(["1..4 ..2. .1.. 4..."]))
    >>> table["score"], table["hardest"], table["steps"]
    ([1.2], ['hidden single'], [11])
    """
    each = list(_each(ratings, "ratings"))
    for number, rating in enumerate(each):
        if not isinstance(rating, Rating):
            raise PuzzleError(f"rating {number} is {brief(rating)}; a Rating is needed")
    rows = [(r.score, r.hardest, r.level, sum(r.counts.values()), r.outcome) for r in each]
    names = ("score", "hardest", "level", "steps", "outcome")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _each(values: Iterable[T], kind: str) -> Iterator[T]:
    """Return an iterator over many values; PuzzleError for one value."""
    one: Any = values
    if not isinstance(one, Grid | Rating | str | bytes | bytearray | memoryview):
        with suppress(TypeError):  # among what has `__iter__` an array may be of no dimension
            return iter(values)
    raise PuzzleError(f"{brief(values)} where many {kind} are expected; give a list of them")


def rate_grid(puzzle: Grid, deducer: GridDeducer) -> Rating:
    """Rate one puzzle by the deducer of its layout."""
    rating = rate_up_to(float("inf"), puzzle, deducer)
    assert rating is not None
    return rating


def rate_up_to(most: float, puzzle: Grid, deducer: GridDeducer) -> Rating | None:
    """Rate one puzzle; return None at the first step that weighs more than `most`."""
    hardest, weight = "", 0.0
    deducer.start(puzzle)
    while deducer.outcome is None:
        technique, length = deducer.make_steps()
        if technique is not None and (not hardest or technique.weigh(length) > weight):
            hardest, weight = technique.name, technique.weigh(length)
            if weight > most:
                return None
    counts: dict[str, int] = {}
    level, above = -1, 0.0
    least = deducer.techniques[0].weight
    for technique, count in zip(deducer.techniques, deducer.counts.tolist(), strict=True):
        if count:
            counts[technique.name] = counts.get(technique.name, 0) + count
            level = max(level, technique.level)
            above += count * (technique.weight - least)
    score = round(weight + 0.1 * log1p(above), 2)
    return Rating(score, hardest, level, counts, deducer.outcome)
