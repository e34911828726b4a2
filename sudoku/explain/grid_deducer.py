"""The deductions of `dlx.logic` on a sudoku grid: techniques in order, then guesses."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import lru_cache, partial

import numpy as np

from dlx.logic.deducer import CONTRADICTION, SOLVED, STUCK, Deducer, Guard, Stage
from dlx.logic.rules import Custom
from dlx.logic.structure import Structure
from sudoku.cover import givens, left_out, problem
from sudoku.explain import NONE, SEVERAL, UNIQUE
from sudoku.explain.rectangles import rectangle
from sudoku.explain.techniques import TECHNIQUES, Technique, frames, item_kinds, select
from sudoku.grid import Grid
from sudoku.layout import Layout
from sudoku.solving.batch_search import BatchSearch, search_of
from sudoku.solving.interpreted import FirstSearches


@lru_cache(maxsize=8)
def _structure(layout: Layout) -> Structure:
    """The problem of a layout for deductions; making it takes longer than rating a puzzle."""
    return Structure(problem(layout), item_kinds(layout), frames(layout), interpreter_first=True)


@lru_cache(maxsize=8)
def _first_searches(layout: Layout) -> FirstSearches:
    """What counts the solutions of the first puzzles of a layout without a kernel."""
    return FirstSearches()


class GridDeducer(Deducer):
    """Solves one puzzle of a layout after the other, always by the easiest technique.

    `techniques` has one for each rule, then the guess: the number of a deduction is an index.
    `outcome` is None while there may be more steps; then it is UNIQUE (solved), SEVERAL (no
    technique finds anything, and there are several solutions) or NONE.

    PuzzleError if no technique is called `hardest`, LayoutError if N is above 63.
    """

    def __init__(
        self,
        layout: Layout,
        uniqueness: bool = False,
        hardest: str | None = None,
        compiling: Guard = nullcontext,
        techniques: Sequence[Technique] = TECHNIQUES,
    ) -> None:
        used = select(uniqueness, bool(layout.extra), hardest, techniques)
        unique_rectangle = Custom("unique rectangle", partial(rectangle, layout))
        rules = [technique.rule or unique_rectangle for technique in used]
        self.layout = layout
        self.techniques = (*used, techniques[-1])
        self.outcome: str | None = None
        super().__init__(_structure(layout), rules, compiling=compiling)

    def start(self, puzzle: Grid) -> None:
        """Start with a puzzle; if its givens break a rule, the outcome is NONE."""
        self._search = search_of(puzzle, 2)
        wrong = self.begin(givens(puzzle))
        self.delete(left_out(puzzle))
        self.outcome = None if wrong < 0 else NONE

    def make_steps(self) -> tuple[Technique | None, int]:
        """Make the next steps; guess if no technique finds anything.

        Return the hardest technique used, None if no step was possible, and its chain's length.
        """
        number, length = self.advance()
        if self.status == STUCK:
            number = self._guess()
        if self.outcome is None:
            self.outcome = {SOLVED: UNIQUE, CONTRADICTION: NONE}.get(self.status)
        return (self.techniques[number] if number >= 0 else None), length

    def _guess(self) -> int:
        """Choose the right digit of the first cell without a digit that has the fewest candidates.

        It may have one, if the techniques have no singles.

        Returns the number of the guess; -1 if there is not exactly one solution, which is then
        the outcome.
        """
        cells, size = self.layout.cells, self.layout.size
        count = self._count_solutions()
        if count != 1:
            self.outcome = SEVERAL if count else NONE
            return -1
        sizes = self.alive().reshape(cells, size).sum(axis=1)
        met = self._state.live.items["met"][:cells]
        cell = int(np.argmin(np.where(met, size + 1, sizes)))
        self.choose(cell * size + int(self._search.solutions[0, cell]) - 1)
        return len(self.rules)

    def _look(self, stage: Stage) -> int:
        """Search by a rule; unique rectangles count only if there is exactly one solution."""
        length = super()._look(stage)
        if length and isinstance(stage.rule, Custom) and self._count_solutions() != 1:
            self._clear()
            return 0
        return length

    def _count_solutions(self) -> int:
        """How many solutions the puzzle has, up to 2; one search for each puzzle."""
        search, first = self._search, _first_searches(self.layout)
        if not search.num_decided and not first.decide(search, any_first=True):
            self._call(BatchSearch.run, search)
        return int(search.counts[0])
