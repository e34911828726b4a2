"""Explain or rate the puzzles of a command's files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import lru_cache
from itertools import chain, islice
from threading import Event, local
from typing import TYPE_CHECKING, NamedTuple

from dlx.checks import num_cores
from dlx.shell.interrupt import held
from sudoku.checks import threads
from sudoku.explain import NONE, SEVERAL, UNIQUE
from sudoku.explain.report import conclusion, level_table, rating_json, steps_json, steps_text
from sudoku.explain.techniques import Technique, select
from sudoku.shell.puzzle_command import PuzzleCommand
from sudoku.writing.texts import encoded

if TYPE_CHECKING:
    import argparse

    from dlx.logic.deducer import Guard
    from sudoku.batch import Batch
    from sudoku.explain.grid_deducer import GridDeducer
    from sudoku.explain.solve_steps import Steps
    from sudoku.explain.steps import Step
    from sudoku.grid import Grid
    from sudoku.layout import Layout

PUZZLES_AT_ONCE, WAITING_PIECES = 8, 64
"""Puzzles that a thread takes at once; such pieces for each thread whose answers may wait."""


class Answer(NamedTuple):
    """What is to be written about a puzzle."""

    outcome: str | None
    guessed: bool
    text: str = ""
    level: int = -1  # for ``--summary``: of the hardest step of a unique puzzle


class ExplainCommand(PuzzleCommand):
    """A run of the command ``sudoku.explain``; also counts the puzzles that took a guess."""

    def __init__(self, options: argparse.Namespace, techniques: tuple[Technique, ...]) -> None:
        super().__init__(options)
        self._techniques = techniques
        select(options.uniqueness, False, options.hardest, techniques)
        self.guessed = 0
        self._levels: dict[str, Counter[int]] = defaultdict(Counter)  # of each file
        self._parts: list[bytes] = []
        # sentences are made by Python code, which further threads do not speed up
        rates = options.rate or options.summary
        self._jobs = threads(options.jobs or (num_cores() if rates else 1))
        self._deducer = lru_cache(maxsize=8)(self._make_deducer)
        self.start_clock()

    def succeeded(self) -> bool:
        """Whether every puzzle has exactly one solution."""
        return super().succeeded() and not self.several

    def tally(self) -> list[str]:
        """Return the counts, puzzles with a guess among them."""
        return [*super().tally(), f"with a guess {self.guessed}"]

    def check(self, batch: Batch) -> None:
        """Raise LayoutError if there are no steps of such grids."""
        with self.exit_on_interrupt():
            self._deducer(batch.layout)

    def answer(self, batch: Batch) -> None:
        """Explain or rate the puzzles of a batch, until the time limit."""
        from dlx.compiled.timer import CompileTimer

        answers = self._answers(batch)
        with CompileTimer() as compiled:
            for index in range(len(batch)):
                left = self.time_left()
                if left is not None and self.puzzles and left + compiled() <= 0:
                    self.out_of_time = True
                    break
                answer = next(answers)
                with held():  # the tally and the lines agree after Ctrl-C, too
                    self._take(batch, index, answer)
                self.show_progress(self.puzzles)
                if len(self._parts) > 200 or not self.options.rate:
                    self.flush()
        self.leave_out(compiled())
        self.flush()

    def flush(self) -> None:
        """Write the answers that are ready."""
        self.output.write_all(self._parts)

    def finish(self) -> None:
        """Write the table of levels for ``--summary``."""
        if self.options.summary:
            self.output.write(encoded(level_table(self._levels)))

    def _answers(self, batch: Batch) -> Iterator[Answer]:
        """Yield the answers to the puzzles of a batch in their order."""
        from sudoku.reading.convert import grids_of

        deducer = self._deducer(batch.layout)
        numbered = iter(enumerate(grids_of(batch), self.puzzles + 1))
        # the first puzzle is answered by this thread alone, which compiles the kernels
        alone = int(self.puzzles == 0)
        if self._jobs == 1 or len(batch) < alone + PUZZLES_AT_ONCE:
            yield from (self._answer(deducer, *one) for one in numbered)
            return
        yield from (self._answer(deducer, *one) for one in islice(numbered, alone))
        own, stop = local(), Event()

        def answer_some(piece: list[tuple[int, Grid]]) -> list[Answer]:
            if not hasattr(own, "deducer"):
                # only the main thread can delay Ctrl-C while kernels are compiled
                own.deducer = self._make_deducer(batch.layout, nullcontext)
            return [self._answer(own.deducer, *one) for one in piece if not stop.is_set()]

        pieces = iter(lambda: list(islice(numbered, PUZZLES_AT_ONCE)), [])
        pool = ThreadPoolExecutor(self._jobs)
        try:
            while ready := list(islice(pieces, WAITING_PIECES * self._jobs)):
                yield from chain.from_iterable(pool.map(answer_some, ready))
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)

    def _make_deducer(self, layout: Layout, guard: Guard | None = None) -> GridDeducer:
        from sudoku.explain.grid_deducer import GridDeducer

        options, guard = self.options, guard or self.exit_on_interrupt
        return GridDeducer(layout, options.uniqueness, options.hardest, guard, self._techniques)

    def _answer(self, deducer: GridDeducer, number: int, grid: Grid) -> Answer:
        if self.options.rate or self.options.summary:
            return self._rate(deducer, grid)
        return self._explain(deducer, grid, number)

    def _rate(self, deducer: GridDeducer, grid: Grid) -> Answer:
        from sudoku.explain.rating import rate_grid

        rating = rate_grid(grid, deducer)
        text = rating_json(grid, rating) if self.options.format == "json" else f"{rating}\n"
        level = max(rating.level, 0) if rating.outcome == UNIQUE else -1
        return Answer(rating.outcome, "guess" in rating.counts, text, level)

    def _explain(self, deducer: GridDeducer, grid: Grid, number: int) -> Answer:
        from sudoku.explain.solve_steps import Steps

        steps = Steps(grid, deducer)
        found = list(steps)  # all, for the outcome, on which the exit status depends
        if self.options.hint:
            del found[1:]
        if self.options.format == "json":
            text = "".join(steps_json(steps, found, number))
        elif self.options.format in ("html", "svg"):
            text = self._drawn(steps, found)
        elif self.options.hint:
            text = f"{found[0].text if found else conclusion(steps, found)}\n"
        else:
            text = "".join(steps_text(steps, found))
        return Answer(steps.outcome, any(step.technique == "guess" for step in found), text)

    def _drawn(self, steps: Steps, found: list[Step]) -> str:
        """Return a page with all steps, or a picture of the first one."""
        from sudoku.writing.page import page
        from sudoku.writing.picture import Marks, svg

        puzzle = steps.puzzle
        description = (puzzle.digits, puzzle.layout, puzzle.symbols)
        if self.options.format == "html":
            shown = [(step.text, step.marks) for step in found]
            return page(*description, shown, conclusion(steps, found))
        marks = found[0].marks if found else Marks(candidates=steps.candidates)
        return svg(*description, marks=marks)

    def _take(self, batch: Batch, index: int, answer: Answer) -> None:
        """Count an answer and write it, or note it for the summary."""
        self.unique += answer.outcome == UNIQUE
        self.several += answer.outcome == SEVERAL
        self.none += answer.outcome == NONE
        self.guessed += answer.guessed
        if self.options.summary:
            self._levels[batch.source][answer.level] += 1
        elif self.options.format in ("html", "svg"):
            self.output.add_picture(answer.text)
        else:
            above = ""
            if not self.options.rate and self.options.format != "json":
                above = "\n" * (self.puzzles > 0)
                if len(batch) > 1 or self.puzzles:
                    above += f"{batch.place(index)}\n"
            self._parts.append(encoded(above + answer.text))
        self.puzzles += 1
