"""Solve, list, count or check the puzzles of a command's files."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from dlx.checks import num_cores
from dlx.shell.interrupt import held
from dlx.shell.output import print_message
from sudoku.shell.printer import Printer
from sudoku.shell.puzzle_command import PuzzleCommand
from sudoku.writing import fpuzzles

if TYPE_CHECKING:
    import argparse

    from dlx import Count
    from sudoku.batch import Batch
    from sudoku.solving.batch_search import BatchSearch
    from sudoku.solving.interpreted import FirstSearches
    from sudoku.solving.solution_search import SolutionSearch


SLOW_TOGETHER = 256  # puzzles whose answers take some 0.4 ms each to write
LARGEST_TOGETHER = 9  # N of grids of which each takes milliseconds at most


class SolveCommand(PuzzleCommand):
    """A run of the command ``sudoku.dlx``.

    `question` is ``"solve"``, ``"all"`` (list all solutions), ``"count"`` or ``"check"``.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.question = "count" if options.count else "check" if options.check else "solve"
        if options.all or (self.question == "solve" and (options.limit or 0) > 1):
            self.question = "all"
        if options.sheet or options.format == "fpuzzles":
            self.together = SLOW_TOGETHER
        self._first_searches: FirstSearches | None = None

    def succeeded(self) -> bool:
        """Whether every puzzle is solved, or unique if that is the question."""
        return super().succeeded() and not (self.question == "check" and self.several)

    def tally(self) -> list[str]:
        """Return the counts; ``--limit 1`` does not distinguish unique puzzles from others."""
        if self.question != "check" and self.options.limit == 1:
            return [f"solved {self.unique}", f"none {self.none}"]
        return super().tally()

    def summary(self) -> str:
        """Return the tally, the time and the rate as one line."""
        seconds = self.seconds
        rate = self.puzzles / seconds if seconds else 0.0  # a clock may have coarse steps
        return f"{super().summary()}, {rate:.0f} puzzles/s"

    def check(self, batch: Batch) -> None:
        """Raise SudokuError if the format has no such layouts."""
        if self.options.format == "fpuzzles":
            fpuzzles.url([0] * batch.layout.cells, batch.layout)

    def answer(self, batch: Batch) -> None:
        """Answer a batch, until the time limit.

        At Ctrl-C the answers found so far are printed, a count as ``>= n``.
        """
        with self.exit_on_interrupt():
            search = self._batch_search(batch)
        self.start_clock()
        self._printer.start(batch)
        if self._decides_at_once(search):
            self._print_decided(search)
        else:
            began = time.monotonic()
            with self.exit_on_interrupt():
                self._compile(batch)
            self.leave_out(time.monotonic() - began)
            if self._lists_singly(batch):
                self._search_singly(range(len(batch)))
            else:
                self._search_together(search)
        self.progress.clear()
        self.flush()

    def flush(self) -> None:
        """Write the answers that are ready."""
        self._printer.flush()

    def finish(self) -> None:
        """Write the end of a page to print."""
        self._printer.finish()

    @cached_property
    def _printer(self) -> Printer:
        return Printer(self.question, self.options.format, self.output, self.options.sheet)

    def _compile(self, batch: Batch) -> None:
        """Import and compile what a batch needs, and no more."""
        if self._lists_singly(batch):
            from sudoku.reading.convert import grid_of
            from sudoku.solving.solution_search import SolutionSearch

            SolutionSearch(grid_of(batch, 0)).compile()
        else:
            from sudoku.solving.batch_search import compile_kernels

            compile_kernels(batch.layout, candidates=bool(batch.candidates))

    def _batch_search(self, batch: Batch) -> BatchSearch:
        import numpy as np

        from sudoku.solving.batch_search import BatchSearch, as_cells, batch_limit

        puzzles = as_cells(np.frombuffer(batch.values, dtype=np.uint8), batch.layout.cells)
        masks = np.frombuffer(batch.candidates, np.uint64) if batch.candidates else None
        requested = self.options.limit
        limit = {"check": 2, "solve": requested or 2, "count": batch_limit(requested), "all": 2}
        return BatchSearch(batch.layout, puzzles, limit[self.question], candidates=masks)

    def _lists_singly(self, batch: Batch) -> bool:
        """Whether all solutions are listed puzzle by puzzle, not first those of unique puzzles.

        That is so where one puzzle may take long, for its solutions are written as they are found,
        and for JSON, which has the nodes of these searches.
        """
        if self.question != "all":
            return False
        is_long = len(batch) == 1 or batch.layout.size > LARGEST_TOGETHER
        return is_long or self.options.format == "json" or self.options.limit == 1

    def _decides_at_once(self, search: BatchSearch) -> bool:
        """Decide puzzles without numba if they take little work.

        Not if numba is loaded, nodes are wanted (JSON), or earlier batches took as much.
        """
        options = self.options
        if self.question == "all" or options.format == "json" or options.time_limit is not None:
            return False
        if "numba" in sys.modules:
            return False
        from sudoku.solving.interpreted import FirstSearches

        self._first_searches = self._first_searches or FirstSearches()
        return self._first_searches.decide(search, any_first=self.question in ("check", "count"))

    def _search_together(self, search: BatchSearch) -> None:
        """Search the puzzles of a batch by threads, and those with more solutions singly."""
        jobs = self.options.jobs or num_cores()
        try:
            self.out_of_time = not search.run(
                jobs, self.time_left(), lambda done: self.show_progress(self.puzzles + done)
            )
        except KeyboardInterrupt:
            self._print(search, 0, next(iter(self._at_limit(search)), search.num_decided))
            raise
        self._print_decided(search)

    def _print_decided(self, search: BatchSearch) -> None:
        """Print the answers; search the puzzles with more solutions singly."""
        start = 0
        for index in self._at_limit(search):
            self._print(search, start, index)
            self._search_singly([index])
            start = index + 1
            if self.out_of_time:
                return
        self._print(search, start, search.num_decided)

    def _at_limit(self, search: BatchSearch) -> list[int]:
        """The puzzles of which only the first solutions have been counted or listed."""
        is_counted = self.question == "count" and self.options.limit != search.limit
        if not is_counted and self.question != "all":
            return []
        decided = search.counts[: search.num_decided]
        indices: list[int] = (decided == search.limit).nonzero()[0].tolist()
        return indices

    def _print(self, search: BatchSearch, start: int, end: int) -> None:
        self._printer.batch_answers(search, start, end)
        counts = search.counts[start:end]
        self.puzzles += len(counts)
        self.none += int((counts == 0).sum())
        self.unique += int((counts == 1).sum())
        self.several += int((counts > 1).sum())

    def _search_singly(self, indices: Iterable[int]) -> None:
        """List or count the solutions of some puzzles of a batch, one puzzle after the other."""
        for index in indices:
            if self._time_is_up():
                return
            with self.exit_on_interrupt():
                search = self._search_of(index)
            self._printer.begin(index)
            try:
                self._run(search, index)
            except KeyboardInterrupt:
                self._close(search, index)
                raise
            self._close(search, index)
            self.out_of_time |= search.status == "time limit"

    def _search_of(self, index: int) -> Count | SolutionSearch:
        """Return a compiled search of one puzzle of the batch."""
        from dlx.compiled.timer import CompileTimer
        from sudoku.reading.convert import grid_of
        from sudoku.solving.solution_search import SolutionSearch, compile_search, solution_counter

        kind = SolutionSearch if self.question == "all" else solution_counter
        with CompileTimer() as compiled:
            search = kind(
                grid_of(self._printer.batch, index),
                self.options.limit,
                self.time_left(),
                lambda found: self.progress.update(found, unit="solutions"),
            )
            compile_search(search)
        self.leave_out(compiled())
        return search

    def _run(self, search: Count | SolutionSearch, index: int) -> None:
        """Count the solutions, or print them as they are found.

        The time limit includes the time for printing.
        """
        from sudoku.solving.solution_search import SolutionSearch

        if not isinstance(search, SolutionSearch) or self.question != "all":
            search.count()
            return
        batches = search.batches()
        while True:
            with held():  # solutions that are counted are written
                found = next(batches, None)
                if found is None:
                    return
                self._printer.solutions(index, found)
            self._printer.flush()
            if self._time_is_up():
                return

    def _time_is_up(self) -> bool:
        seconds = self.time_left()
        self.out_of_time |= seconds is not None and seconds <= 0
        return self.out_of_time

    def _close(self, search: Count | SolutionSearch, index: int) -> None:
        """Print and count the answer to a puzzle whose search has ended, perhaps by a limit."""
        exact = search.status == "exhausted"
        cut = not exact and search.status != "limit"
        self._printer.end(index, search.num_solutions, exact, search.stats.nodes, cut)
        if cut:
            print_message(
                f"{self._printer.batch.place(index)}: at least {search.num_solutions} solutions"
            )
        self.puzzles += 1
        self.none += exact and search.num_solutions == 0
        self.unique += (exact or self.options.limit == 1) and search.num_solutions == 1
        self.several += search.num_solutions > 1
