"""The deductions of `dlx.logic` on a sudoku grid: techniques in order, then guesses."""

from __future__ import annotations

from contextlib import nullcontext
from functools import lru_cache, partial

import numpy as np

from dlx.logic.deducer import CONTRADICTION, SOLVED, STUCK, Deducer, Guard
from dlx.logic.rules import Custom
from dlx.logic.structure import Structure
from sudoku.cover import problem
from sudoku.explain.rectangles import rectangle
from sudoku.explain.techniques import GUESS, Technique, frames, item_kinds, select
from sudoku.grid import Grid
from sudoku.layout import Layout
from sudoku.solving.batch_search import BatchSearch, as_cells

UNIQUE, SEVERAL, NONE = "unique", "several solutions", "no solution"
"""What the outcome of a puzzle may be."""


@lru_cache(maxsize=8)
def _structure(layout: Layout) -> Structure:
    """The problem of a layout for deductions; making it takes longer than rating a puzzle."""
    return Structure(problem(layout), item_kinds(layout), frames(layout))


class GridDeducer(Deducer):
    """Solves one puzzle of a layout after the other, always by the easiest technique.

    Parameters
    ----------
    layout : Layout
    uniqueness : bool
        Whether steps may assume that there is exactly one solution.
    hardest : str, optional
        Name of the last technique to use.
    compiling : callable
        Makes a context manager that is entered whenever a kernel may be compiled.

    Attributes
    ----------
    techniques : tuple of Technique
        One for each rule, then the guess; the number of a deduction is an index.
    outcome : str or None
        None while there may be more steps; then UNIQUE (solved), SEVERAL (no technique finds
        anything, and there are several solutions) or NONE.

    Raises
    ------
    PuzzleError
        No technique is called `hardest`.
    LayoutError
        N is above 63.

    Examples
    --------
    >>> from sudoku.grid import Grid
    >>> deducer = GridDeducer(Layout(2, 2))
    >>> deducer.start(Grid(Layout(2, 2), [1, 0, 0, 4, 0, 0, 2, 0, 0, 1, 0, 0, 4, 0, 0, 0]))
    -1
    >>> while deducer.outcome is None:
    ...     technique, length = deducer.make_steps()
    >>> deducer.outcome, int(deducer.counts.sum()), technique.name
    ('unique', 11, 'hidden single')
    """

    def __init__(
        self,
        layout: Layout,
        uniqueness: bool = False,
        hardest: str | None = None,
        compiling: Guard = nullcontext,
    ) -> None:
        used = select(uniqueness, layout.diagonal, hardest)
        unique_rectangle = Custom("unique rectangle", partial(rectangle, layout))
        rules = [technique.rule or unique_rectangle for technique in used]
        self.layout = layout
        self.techniques = (*used, GUESS)
        self.outcome: str | None = None
        super().__init__(_structure(layout), rules, compiling=compiling)

    def start(self, puzzle: Grid) -> int:
        """Start with a puzzle of the layout.

        Parameters
        ----------
        puzzle : Grid

        Returns
        -------
        int
            The first cell whose given breaks a rule, or -1.
        """
        self._values = values = puzzle.values.reshape(-1)
        cells = np.flatnonzero(values)
        wrong = self.begin(cells * self.layout.size + values[cells] - 1)
        self.outcome = None if wrong < 0 else NONE
        return wrong if wrong < 0 else int(cells[wrong])

    def make_steps(self) -> tuple[Technique | None, int]:
        """Make the next steps, at least one; guess if no technique finds anything.

        Returns
        -------
        technique : Technique or None
            The hardest that was used, None if no step was possible.
        length : int
            The length of its chain.
        """
        number, length = self.advance()
        if self.status == STUCK:
            number = self._guess()
        if self.outcome is None:
            self.outcome = {SOLVED: UNIQUE, CONTRADICTION: NONE}.get(self.status)
        return (self.techniques[number] if number >= 0 else None), length

    def _guess(self) -> int:
        """Choose the right digit of the first blank cell with the fewest candidates.

        Returns the number of the guess; -1 if there is not exactly one solution, which is then
        the outcome.
        """
        cells, size = self.layout.cells, self.layout.size
        search = BatchSearch(self.layout, as_cells(self._values, cells), 2)
        self._call(BatchSearch.run, search)
        if search.counts[0] != 1:
            self.outcome = SEVERAL if search.counts[0] else NONE
            return -1
        left = self.alive().reshape(cells, size).sum(axis=1)
        cell = int(np.argmin(np.where(left > 1, left, size + 1)))
        self.choose(cell * size + int(search.solutions[0, cell]) - 1)
        return len(self.rules)
