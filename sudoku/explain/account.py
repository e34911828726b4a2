"""From batches of puzzles to what ``python -m sudoku.explain`` prints.

``Account`` keeps the tally and knows the formats; steps and ratings come from `solve_steps`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING

from sudoku.explain.techniques import LEVELS, numbered
from sudoku.render import encoded
from sudoku.shell.command import Output, Progress, Sheets, starting

if TYPE_CHECKING:
    from sudoku.batch import Batch
    from sudoku.explain.rating import Rater
    from sudoku.explain.solve_steps import Steps
    from sudoku.explain.steps import Step
    from sudoku.grid import Grid
    from sudoku.reading.sources import Sources

__all__ = ["Account"]


class Account(ExitStack):
    """What is said of each puzzle, and what came out so far.

    Args:
        options: of the command: hint, rate, summary, format, uniqueness, hardest, output.
        progress: is told how far it is.
        sources: what is read.

    Raises:
        PuzzleError: an unknown technique. FileError: the output cannot be written.
    """

    def __init__(self, options: argparse.Namespace, progress: Progress, sources: Sources) -> None:
        super().__init__()
        self.options, self.progress, self.sources = options, progress, sources
        numbered(options.uniqueness, False, options.hardest)
        self.puzzles = self.unique = self.several = self.none = self.guessed = 0
        self._levels: dict[str, list[int]] = {}
        self._parts: list[str] = []
        self._rater: Rater | None = None
        self._output = Output(options.output)
        self._sheets = Sheets(self._output)
        self.push(self._output)
        self._began = time.monotonic()

    def work(self, batch: Batch) -> None:
        """Explain or rate the puzzles of a batch."""
        with starting(self._output):
            from sudoku.explain.rating import Rater

            if self._rater is None:
                options = self.options
                self._rater = Rater(
                    options.uniqueness, options.hardest, lambda: starting(self._output)
                )
            self._rater.ladder(batch.layout)
        size = self.sources.size
        for index, grid in enumerate(_grids(batch)):
            if self.options.rate or self.options.summary:
                self._rate(batch, index, grid)
            else:
                self._explain(batch, index, grid)
            self.puzzles += 1
            self.progress.update(self.puzzles, self.sources.position / size if size else 0.0)
            if len(self._parts) > 200 or not self.options.rate:
                self.flush()
        self.flush()

    def flush(self) -> None:
        """Hand on what was gathered."""
        if self._parts:
            self._output.write(encoded("".join(self._parts)))
            self._parts = []

    def discard(self) -> None:
        """Leave nothing behind."""
        self._sheets.discard()
        self._output.discard()

    def finish(self) -> None:
        """What can only be written when all puzzles are known."""
        if self.options.summary:
            self._parts.append(self._table())
        self.flush()
        self._sheets.finish()

    def summary(self, bad: int = 0) -> str:
        """The tally in one line."""
        parts = [f"puzzles {self.puzzles}", f"unique {self.unique}", f"several {self.several}"]
        parts += [f"none {self.none}", f"with a guess {self.guessed}"]
        if bad:
            parts.append(f"bad {bad}")
        return ", ".join([*parts, f"time {time.monotonic() - self._began:.3f} s"])

    def _count(self, outcome: str | None, guessed: bool) -> None:
        from sudoku.explain.engine_check import NONE, SEVERAL, UNIQUE

        self.unique += outcome == UNIQUE
        self.several += outcome == SEVERAL
        self.none += outcome == NONE
        self.guessed += guessed

    def _rate(self, batch: Batch, index: int, grid: Grid) -> None:
        from sudoku.explain.engine_check import UNIQUE

        assert self._rater is not None
        rating = self._rater.rate(grid)
        self._count(rating.outcome, "guess" in rating.counts)
        if self.options.summary:
            row = self._levels.setdefault(batch.source, [0] * (len(LEVELS) + 1))
            row[max(rating.level, 0) if rating.outcome == UNIQUE else -1] += 1
        elif self.options.format == "json":
            told = {"puzzle": str(grid), **rating._asdict()}
            self._parts.append(json.dumps(told, ensure_ascii=False) + "\n")
        else:
            self._parts.append(f"{rating}\n")

    def _table(self) -> str:
        """Of each file, the share of puzzles that techniques up to each level solve."""
        heads = ["file", "puzzles", *LEVELS[:-1], "with guesses", "not unique"]
        rows = []
        for name, counts in self._levels.items():
            total, done = sum(counts), 0
            row = [name, f"{total}"]
            for count in counts[: len(LEVELS)]:
                done += count
                row.append(f"{100 * done / total:.1f} %")
            rows.append([*row, f"{100 * counts[-1] / total:.1f} %"])
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if k == 0 else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in [heads, *rows]
        ]
        return "".join(line.rstrip() + "\n" for line in lines)

    def _explain(self, batch: Batch, index: int, grid: Grid) -> None:
        from sudoku.explain.solve_steps import Steps

        assert self._rater is not None
        steps = Steps(grid, self._rater.ladder(batch.layout))
        told = list(islice(steps, 1))
        if not self.options.hint:
            told += steps
        elif steps.outcome is None:
            # a hint says nothing on the rest, but the exit status does
            for _ in steps:
                pass
        self._count(steps.outcome, any(step.technique == "guess" for step in told))
        form = self.options.format
        if form == "json":
            self._parts += self._lines(steps, told)
        elif form == "text":
            self._parts += self._text(batch, index, steps, told)
        else:
            self._page(steps, told)

    def _lines(self, steps: Steps, told: list[Step]) -> Iterator[str]:
        """An object a step; of a puzzle without any, one that is step 0."""
        from sudoku.explain.solve_steps import Step

        none = Step("", 0.0, (), (), (), (), (), _end(steps, told), grid=steps.grid)
        for number, step in list(enumerate(told, 1)) or [(0, none)]:
            line = {"puzzle": self.puzzles + 1, "step": number, **step.to_dict()}
            line["outcome"] = steps.outcome if number == len(told) else None
            yield json.dumps(line, ensure_ascii=False) + "\n"

    def _text(self, batch: Batch, index: int, steps: Steps, told: list[Step]) -> Iterator[str]:
        if self.puzzles:
            yield "\n"
        if len(batch) > 1 or self.puzzles:
            yield f"{batch.place(index)}\n"
        if self.options.hint:
            yield f"{told[0].text if told else _end(steps, told)}\n"
            return
        width = len(str(len(told)))
        for number, step in enumerate(told, 1):
            yield f"{number:{width}}. {step.text}\n"
        if not told or told[-1].technique != "contradiction":
            yield f"{_end(steps, told)}\n"
            yield f"{steps.grid:pretty}\n"

    def _page(self, steps: Steps, told: list[Step]) -> None:
        from sudoku.writing.page import page
        from sudoku.writing.picture import svg

        if self.options.format == "html":
            self._sheets.add(page(steps.puzzle, told, _end(steps, told)))
        else:
            self._sheets.add(svg(steps.puzzle, step=told[0] if told else None, marks=True))


def _grids(batch: Batch) -> Iterator[Grid]:
    import numpy as np

    from sudoku.grid import Grid

    values = np.frombuffer(batch.values, dtype=np.uint8).reshape(-1, batch.layout.cells)
    for row in values.astype(np.int16):
        yield Grid(batch.layout, row, batch.symbols)


def _end(steps: Steps, told: list[Step]) -> str:
    """How it ended, in a sentence."""
    from sudoku.explain.engine_check import NONE, UNIQUE

    if steps.outcome == UNIQUE and not told:
        return "Nothing to do: the grid is complete."
    if steps.outcome == UNIQUE:
        hardest = max(told, key=lambda step: step.weight)
        guesses = sum(step.technique == "guess" for step in told)
        said = f" ({guesses} of them guesses)" if guesses else ""
        count = "one step" if len(told) == 1 else f"{len(told)} steps"
        return f"Solved in {count}{said}; the hardest: {hardest.technique}."
    if steps.outcome == NONE:
        return "There is no solution."
    blank = steps.puzzle.layout.cells - steps.grid.num_givens
    return f"Logic ends here: the puzzle has several solutions, and {blank} cells are still open."
