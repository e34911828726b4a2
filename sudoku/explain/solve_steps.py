"""The steps that a person would take: pencil marks, deductions, and how hard they are.

A candidate is an option of the exact cover problem; a cell, or a digit in a house, is an item. All
techniques are searches over these (`subsets`, `chains`); `techniques` says which
search is called what. Every step is sound: it deletes no candidate of any solution. Only a unique
rectangle, which has to be asked for, takes it for granted that there is one solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dlx.logic.state import records
from sudoku.explain.easiest import BROKEN, GOING, SOLVED, STUCK, Ladder
from sudoku.explain.engine_check import NONE, SEVERAL, UNIQUE, guess
from sudoku.explain.rating import Rating, rate, rate_batch
from sudoku.explain.steps import Marks, Step, Teller, marks_of
from sudoku.grid import Grid, Puzzle
from sudoku.reading.convert import as_grid
from sudoku.solving.contradiction import clash
from sudoku.symbols import Symbols

__all__ = [
    "NONE",
    "SEVERAL",
    "UNIQUE",
    "Rating",
    "Step",
    "Steps",
    "candidates",
    "rate",
    "rate_batch",
    "solve_steps",
]

Box = str | tuple[int, int] | None
Names = Symbols | str | Sequence[str] | None


class Steps(Iterator[Step]):
    """The steps of a puzzle, found as they are asked for; made by `solve_steps`.

    A ladder serves one Steps at a time.

    Attributes:
        puzzle: the Grid that it started from.
        outcome: None while there may be more steps; then UNIQUE (solved: the only solution),
            SEVERAL (logic reached as far as it can: there are several solutions) or NONE (the last
            step is the contradiction).
        grid: the digits found so far.
        candidates: the pencil marks now.
    """

    def __init__(self, puzzle: Grid, ladder: Ladder) -> None:
        self.puzzle = puzzle
        self.outcome: str | None = None
        self._ladder = ladder
        self._teller = Teller(puzzle)
        self._wrong = self._ladder.begin(puzzle.values)
        self._alive = self._ladder.alive()
        self._values = puzzle.values.reshape(-1).copy()
        self._steps = self._run()

    @property
    def grid(self) -> Grid:
        return Grid(self.puzzle.layout, self._values, self.puzzle.symbols)

    @property
    def candidates(self) -> Marks:
        return marks_of(self._alive)

    def __next__(self) -> Step:
        return next(self._steps)

    def _run(self) -> Iterator[Step]:
        ladder = self._ladder
        while ladder.status == GOING:
            ladder.climb()
            if ladder.status == STUCK:
                outcome, option = guess(ladder, self.puzzle)
                if outcome == UNIQUE:
                    ladder.choose(option)
                else:
                    self.outcome = outcome
                    break
            for record in records(ladder.log):
                step = self._teller.step(record, self._alive, self.grid)
                for cell, digit in step.deleted:
                    self._alive[cell, digit - 1] = False
                for cell, digit in step.placed:
                    self._values[cell] = digit
                yield step
        if ladder.status == SOLVED:
            self.outcome = UNIQUE
        if ladder.status == BROKEN or self.outcome == NONE:
            self.outcome = NONE
            yield self._contradiction()

    def _contradiction(self) -> Step:
        """The last step of a puzzle without a solution: where it breaks."""
        item = self._ladder.broken_item
        layout = self.puzzle.layout
        cells: tuple[int, ...] = ()
        digits: tuple[int, ...] = ()
        houses: tuple[str, ...] = ()
        if self._wrong >= 0:
            text = clash(self._values.tolist(), layout, self.puzzle.symbols)
            digit = int(self._values[self._wrong])
            digits = (digit,)
            together = {
                name: tuple(c for c in house if self._values[c] == digit)
                for name, house in zip(layout.house_names, layout.houses.tolist(), strict=True)
                if self._wrong in house
            }
            houses = tuple(name for name, same in together.items() if len(same) > 1)
            cells = tuple(sorted({c for name in houses for c in together[name]}))
        elif item < 0:
            text = "every way to go on leads to a contradiction, says the search engine"
        else:
            text = self._teller.nothing_left(item)
            if item < layout.cells:
                cells = (item,)
            else:
                house, d = divmod(item - layout.cells, layout.size)
                cells = tuple(layout.houses[house].tolist())
                digits, houses = (d + 1,), (layout.house_names[house],)
        return Step(
            technique="contradiction",
            weight=0.0,
            cells=cells,
            digits=digits,
            houses=houses,
            placed=(),
            deleted=(),
            text=f"Contradiction: {text}. There is no solution.",
            puzzle=self.puzzle,
            grid=self.grid,
            candidates=self.candidates,
        )


def solve_steps(
    puzzle: Puzzle,
    diagonal: bool | None = None,
    box: Box = None,
    *,
    symbols: Names = None,
    uniqueness: bool = False,
    hardest: str | None = None,
) -> Steps:
    """The steps that solve a puzzle, easiest first, in a fixed order.

    Before each step the easiest technique is looked for again. A puzzle with several solutions gets
    the steps that hold for all of them. The last resort, where a puzzle has one solution but no
    technique finds more, is a step "guess" that asks the search engine.

    Args:
        puzzle: anything `sudoku.grid.grid` takes.
        diagonal, box, symbols: as there.
        uniqueness: whether steps may assume that there is exactly one solution.
        hardest: use no technique harder than this one, by its name in
            `sudoku.explain.techniques.RUNGS`; then guess.

    Raises:
        PuzzleError, LayoutError: not a puzzle, or `hardest` is no technique. A puzzle that breaks
            a rule is one: its only step is the contradiction.

    >>> steps = solve_steps("1..4 ..2. .1.. 4...")
    >>> print(next(steps).text)
    Hidden single: 2 has no other place in box 1 than r1c2.
    >>> len(list(steps)), steps.outcome, str(steps.grid)
    (10, 'unique', '1234342121434312')
    """
    question = as_grid(puzzle, box, diagonal, symbols)
    return Steps(question, Ladder(question.layout, uniqueness, hardest))


def candidates(
    puzzle: Puzzle, diagonal: bool | None = None, box: Box = None, *, symbols: Names = None
) -> list[list[tuple[int, ...]]]:
    """The pencil marks: of each cell the digits that no other cell of its houses has.

    Of a filled cell, its digit. Arguments and errors as `solve_steps`.

    >>> candidates("1..4 ..2. .1.. 4...")[0]
    [(1,), (2, 3), (3,), (4,)]
    """
    question = as_grid(puzzle, box, diagonal, symbols)
    n = question.layout.size
    values = question.values.reshape(-1)
    alive = np.ones((question.layout.cells, n), bool)
    houses = question.layout.houses
    for house in houses:
        for digit in values[house][values[house] > 0].tolist():
            alive[house, digit - 1] = False
    filled = np.flatnonzero(values)
    alive[filled] = False
    alive[filled, values[filled] - 1] = True
    marks = marks_of(alive)
    return [list(marks[row * n : row * n + n]) for row in range(n)]
