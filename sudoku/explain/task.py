"""Explain or rate the puzzles of a command's files."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from sudoku.explain import NONE, SEVERAL, UNIQUE
from sudoku.explain.report import LevelTable, conclusion, rating_json, steps_json, steps_text
from sudoku.explain.techniques import select
from sudoku.shell.task import Task
from sudoku.writing.texts import encoded

if TYPE_CHECKING:
    import argparse

    from sudoku.batch import Batch
    from sudoku.explain.grid_deducer import GridDeducer
    from sudoku.explain.solve_steps import Steps
    from sudoku.explain.steps import Step
    from sudoku.grid import Grid
    from sudoku.layout import Layout


class ExplainTask(Task):
    """A run of the command ``sudoku.explain``; also counts the puzzles that took a guess."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        select(options.uniqueness, False, options.hardest)
        self.guessed = 0
        self._levels = LevelTable()
        self._parts: list[str] = []
        self._deducer = cache(self._make_deducer)
        self.start_clock()

    def succeeded(self) -> bool:
        """Whether every puzzle has exactly one solution."""
        return not (self.several or self.none)

    def tally(self) -> list[str]:
        """Return the counts, puzzles with a guess among them."""
        return [*super().tally(), f"with a guess {self.guessed}"]

    def answer(self, batch: Batch) -> bool:
        """Explain or rate the puzzles of a batch."""
        with self.output.exit_on_interrupt():
            from sudoku.reading.convert import grids_of

            deducer = self._deducer(batch.layout)
        for index, grid in enumerate(grids_of(batch)):
            if self.options.rate or self.options.summary:
                self._rate(deducer, batch, grid)
            else:
                self._explain(deducer, batch, index, grid)
            self.puzzles += 1
            self.show_progress(self.puzzles)
            if len(self._parts) > 200 or not self.options.rate:
                self.flush()
        self.flush()
        return True

    def flush(self) -> None:
        """Write the answers that are ready."""
        if self._parts:
            self.output.write(encoded("".join(self._parts)))
            self._parts = []

    def finish(self) -> None:
        """Write the table of levels for ``--summary``."""
        if self.options.summary:
            self._parts.append(str(self._levels))
        self.flush()

    def _make_deducer(self, layout: Layout) -> GridDeducer:
        from sudoku.explain.grid_deducer import GridDeducer

        options = self.options
        return GridDeducer(
            layout, options.uniqueness, options.hardest, self.output.exit_on_interrupt
        )

    def _count(self, outcome: str | None, guessed: bool) -> None:
        self.unique += outcome == UNIQUE
        self.several += outcome == SEVERAL
        self.none += outcome == NONE
        self.guessed += guessed

    def _rate(self, deducer: GridDeducer, batch: Batch, grid: Grid) -> None:
        from sudoku.explain.rating import rate_grid

        rating = rate_grid(grid, deducer)
        self._count(rating.outcome, "guess" in rating.counts)
        if self.options.summary:
            self._levels.add(batch.source, rating)
        elif self.options.format == "json":
            self._parts.append(rating_json(grid, rating))
        else:
            self._parts.append(f"{rating}\n")

    def _explain(self, deducer: GridDeducer, batch: Batch, index: int, grid: Grid) -> None:
        from sudoku.explain.solve_steps import Steps

        steps = Steps(grid, deducer)
        found = list(islice(steps, 1))
        if not self.options.hint:
            found += steps
        elif steps.outcome is None:
            # the other steps are not shown, but the exit status depends on the outcome
            for _ in steps:
                pass
        self._count(steps.outcome, any(step.technique == "guess" for step in found))
        if self.options.format == "json":
            self._parts += steps_json(steps, found, self.puzzles + 1)
        elif self.options.format in ("html", "svg"):
            self._draw(steps, found)
        else:
            if self.puzzles:
                self._parts.append("\n")
            if len(batch) > 1 or self.puzzles:
                self._parts.append(f"{batch.place(index)}\n")
            if self.options.hint:
                self._parts.append(f"{found[0].text if found else conclusion(steps, found)}\n")
            else:
                self._parts += steps_text(steps, found)

    def _draw(self, steps: Steps, found: list[Step]) -> None:
        """Add a page with all steps, or a picture of the first one."""
        from sudoku.writing.page import page
        from sudoku.writing.picture import Marks, svg

        puzzle = steps.puzzle
        about = (puzzle.values.reshape(-1).tolist(), puzzle.layout, puzzle.symbols)
        if self.options.format == "html":
            shown = [(step.text, step.marks) for step in found]
            self.output.add_picture(page(*about, shown, conclusion(steps, found)))
        elif found:
            self.output.add_picture(svg(*about, marks=found[0].marks))
        else:
            self.output.add_picture(svg(*about, marks=Marks(candidates=steps.candidates)))
