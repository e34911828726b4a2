"""How hard a puzzle is for a person: the steps that it takes, weighed.

The score is the weight of the hardest step (see `techniques.RUNGS`; a chain's grows with
its length), plus a tenth of ln(1 + s), where s sums, over all steps, by how much their techniques
weigh more than the easiest: of two puzzles with the same hardest step, the one with more to do is
the harder one. So singles are 1.2 to 2.8, newspaper puzzles up to 4, wings and chains 4 to 8,
forcing chains and nets 8 to 10, and what needs guesses is above 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from math import log1p
from typing import NamedTuple

from sudoku.explain.easiest import BROKEN, GOING, STUCK, Guard, Ladder
from sudoku.explain.engine_check import NONE, UNIQUE, guess
from sudoku.explain.techniques import RUNGS
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Layout
from sudoku.reading.convert import as_grid
from sudoku.symbols import Symbols


class Rating(NamedTuple):
    """How hard a puzzle is.

    Attributes:
        score: see above; of a puzzle without exactly one solution, for the steps made.
        hardest: the technique of the greatest weight, "" if there was no step.
        level: the highest of all steps, into `techniques.LEVELS`; -1 if there was none.
        counts: how often each technique was used, easiest first.
        outcome: "unique", "several solutions" or "no solution".
    """

    score: float
    hardest: str
    level: int
    counts: dict[str, int]
    outcome: str

    def __str__(self) -> str:
        """One line.

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


def rate(
    puzzle: Puzzle,
    diagonal: bool | None = None,
    box: str | tuple[int, int] | None = None,
    *,
    symbols: Symbols | str | Sequence[str] | None = None,
    uniqueness: bool = False,
    hardest: str | None = None,
) -> Rating:
    """Rate one puzzle.

    Arguments and errors as `sudoku.explain.solve_steps.solve_steps`.

    >>> rate("1... .... ..2. ...3").outcome
    'several solutions'
    """
    return Rater(uniqueness, hardest).rate(as_grid(puzzle, box, diagonal, symbols))


def rate_batch(
    puzzles: Iterable[Puzzle],
    diagonal: bool | None = None,
    box: str | tuple[int, int] | None = None,
    *,
    symbols: Symbols | str | Sequence[str] | None = None,
    uniqueness: bool = False,
    hardest: str | None = None,
) -> Iterator[Rating]:
    """Rate many puzzles, one after the other as they are asked for; Grids may differ in layout.

    Arguments and errors as `rate`.

    >>> [rating.hardest for rating in rate_batch(["1..4 ..2. .1.. 4..."])]
    ['hidden single']
    """
    rater = Rater(uniqueness, hardest)
    return (rater.rate(as_grid(puzzle, box, diagonal, symbols)) for puzzle in puzzles)


class Rater:
    """Rates one Grid after the other; what a layout needs is made once.

    Args: as `sudoku.explain.easiest.Ladder`.
    """

    def __init__(
        self, uniqueness: bool = False, hardest: str | None = None, guard: Guard = nullcontext
    ) -> None:
        self._uniqueness, self._hardest, self._guard = uniqueness, hardest, guard
        self._ladders: dict[Layout, Ladder] = {}

    def ladder(self, layout: Layout) -> Ladder:
        """The ladder of a layout."""
        if layout not in self._ladders:
            self._ladders[layout] = Ladder(layout, self._uniqueness, self._hardest, self._guard)
        return self._ladders[layout]

    def rate(self, puzzle: Grid) -> Rating:
        """Rate one puzzle."""
        return _rate(self.ladder(puzzle.layout), puzzle)


def _rate(ladder: Ladder, puzzle: Grid) -> Rating:
    outcome = UNIQUE
    hardest, weight = -1, 0.0
    ladder.begin(puzzle.values)
    while ladder.status == GOING:
        rung, links = ladder.climb()
        if ladder.status == STUCK:
            outcome, option = guess(ladder, puzzle)
            if outcome == UNIQUE:
                ladder.choose(option)
                rung, links = len(RUNGS) - 1, 0
        if rung >= 0 and RUNGS[rung].weigh(links) > weight:
            hardest, weight = rung, RUNGS[rung].weigh(links)
    if ladder.status == BROKEN:
        outcome = NONE
    counts: dict[str, int] = {}
    rest = 0.0
    used = ladder.counts.tolist()
    for technique, count in zip(RUNGS, used, strict=True):
        if count:
            counts[technique.name] = counts.get(technique.name, 0) + count
            rest += count * (technique.weight - RUNGS[0].weight)
    return Rating(
        round(weight + 0.1 * log1p(rest), 2),
        RUNGS[hardest].name if hardest >= 0 else "",
        max((r.level for r, n in zip(RUNGS, used, strict=True) if n), default=-1),
        counts,
        outcome,
    )
