"""Solving step by step, as a person does: pencil marks and deductions.

Every step is sound: it deletes no candidate of any solution. Only a unique rectangle, which must be
requested, assumes that there is exactly one solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sudoku.errors import SudokuError
from sudoku.explain import NONE
from sudoku.explain.grid_deducer import GridDeducer
from sudoku.explain.steps import Candidates, Step, StepWriter, digits_left
from sudoku.explain.techniques import TECHNIQUES, Technique
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Box
from sudoku.reading.convert import as_grid
from sudoku.symbols import Names
from sudoku.writing.picture import Marks, svg


class Steps(Iterator[Step]):
    """The steps of a puzzle, found when they are requested; made by `solve_steps`.

    A deducer serves one Steps at a time. After an exception in `next`, such as KeyboardInterrupt,
    there are no further steps: it raises SudokuError then.

    Attributes
    ----------
    puzzle : Grid
        The puzzle that the steps start from.
    outcome : str or None
        None while there may be more steps; then UNIQUE (solved: the only solution), SEVERAL (no
        technique finds anything more, and there are several solutions) or NONE (the last step is
        the contradiction).
    """

    def __init__(self, puzzle: Grid, deducer: GridDeducer) -> None:
        self.puzzle = puzzle
        self.outcome: str | None = None
        self._deducer = deducer
        self._writer = StepWriter(puzzle)
        deducer.start(puzzle)
        self._alive = deducer.alive().reshape(puzzle.layout.cells, -1)
        self._values = puzzle.values.reshape(-1).copy()
        self._steps = self._run()

    @property
    def grid(self) -> Grid:
        """The grid with the digits found so far."""
        return Grid(self.puzzle.layout, self._values, self.puzzle.symbols)

    @property
    def candidates(self) -> Candidates:
        """The pencil marks: of each cell the digits that are left."""
        return digits_left(self._alive)

    def __next__(self) -> Step:
        for step in self._steps:
            return step
        if self.outcome is None:
            raise SudokuError("these steps were interrupted; begin anew with solve_steps")
        raise StopIteration

    def __repr__(self) -> str:
        return f"<Steps of {self.puzzle}: {self.outcome or 'not at the end'}, now {self.grid}>"

    def _repr_svg_(self) -> str:
        puzzle, marks = self.puzzle, Marks(candidates=self.candidates)
        description = puzzle.digits, puzzle.layout, puzzle.symbols
        return svg(*description, found=self.grid.digits, marks=marks)

    def _run(self) -> Iterator[Step]:
        deducer = self._deducer
        while deducer.outcome is None:
            deducer.make_steps()
            for deduction in deducer.found():
                technique = deducer.techniques[deduction.number]
                step = self._writer.step(technique, deduction, self._alive, self.grid)
                for cell, digit in step.deleted:
                    self._alive[cell, digit - 1] = False
                for cell, digit in step.placed:
                    self._values[cell] = digit
                yield step
        self.outcome = deducer.outcome
        if self.outcome == NONE:
            item = deducer.empty_item
            yield self._writer.contradiction(item, self._alive, self.grid)


def solve_steps(
    puzzle: Puzzle,
    diagonal: bool | None = None,
    box: Box = None,
    *,
    symbols: Names = None,
    uniqueness: bool = False,
    hardest: str | None = None,
    techniques: Sequence[Technique] = TECHNIQUES,
) -> Steps:
    """The steps that solve a puzzle, easiest first, in a fixed order.

    For each step the techniques are tried from the easiest one on. The steps of a puzzle with
    several solutions are valid for all of them. If a puzzle has one solution and no technique
    finds anything more, a step "guess" takes a digit from the solution that a search finds.

    Parameters
    ----------
    puzzle
        Anything that `sudoku.solve` takes.
    diagonal, box, symbols
        As for `sudoku.solve`.
    uniqueness : bool
        Whether steps may assume that there is exactly one solution. They do so only if a search
        finds exactly one.
    hardest : str, optional
        Name of the last technique to use (`sudoku.explain.techniques.TECHNIQUES`); then guess.
    techniques : sequence of Technique
        In the order in which they are tried, weights ascending, the guess last:
        `sudoku.explain.techniques.parse_techniques` reads them from a text. Unique rectangles among
        them, or as `hardest`, need `uniqueness`.

    Returns
    -------
    Steps

    Raises
    ------
    PuzzleError
        Not a puzzle, no technique is called `hardest`, or unique rectangles are named without
        `uniqueness`. A puzzle that breaks a rule is no error: its only step is the contradiction.
    LayoutError
        No such layout, or one above 63 x 63.

    Examples
    --------
    >>> steps = solve_steps("1..4 ..2. .1.. 4...")
    >>> print(next(steps).text)
    Hidden single: 2 has no other place in box 1 than r1c2.
    >>> len(list(steps)), steps.outcome, str(steps.grid)
    (10, 'unique', '1234342121434312')
    """
    question = as_grid(puzzle, box, diagonal, symbols)
    deducer = GridDeducer(question.layout, uniqueness, hardest, techniques=techniques)
    return Steps(question, deducer)
