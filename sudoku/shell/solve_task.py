"""What the command asks of batches of puzzles, and the tally of what came out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sudoku.shell.command import Output, Progress, Sheets, starting, tell
from sudoku.shell.printer import Printer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudoku.batch import Batch
    from sudoku.layout import Layout
    from sudoku.reading.sources import Sources
    from sudoku.solving.batch_search import BatchSearch
    from sudoku.solving.solution_search import EngineCount, SolutionSearch

__all__ = ["Task"]


class Task:
    """What is asked of each puzzle, and what came out so far.

    Args:
        ask: ``"solve"``, ``"all"``, ``"count"`` or ``"check"``.
        limit: at most so many solutions a puzzle.
        form: one of ``printer.FORMATS``, or None for the shape a puzzle came in.
        seconds: stop after so long.
    """

    def __init__(
        self,
        ask: str,
        limit: int | None,
        form: str | None,
        seconds: float | None,
        jobs: int,
        output: Output,
        progress: Progress,
        sources: Sources,
    ) -> None:
        self.ask, self.limit, self.form, self.seconds, self.jobs = ask, limit, form, seconds, jobs
        self.output, self.progress, self.sources = output, progress, sources
        self.sheets = Sheets(output)
        self.puzzles = self.unique = self.several = self.none = 0
        self.out_of_time = False
        self._began = 0.0
        self._deadline: float | None = None
        self._warm: set[Layout] = set()
        self._compiled: set[tuple[Layout, type]] = set()
        self._printed_grid = False

    def work(self, batch: Batch) -> bool:
        """Answer a batch; False if the time is over.

        After Ctrl-C (KeyboardInterrupt) what was found is printed, a count as ``>= n``.
        """
        with starting(self.output):
            import numpy as np

            from sudoku.solving.batch_search import as_cells

            puzzles = as_cells(np.frombuffer(batch.values, dtype=np.uint8), batch.layout.cells)
            self._start(batch.layout)
        printer = Printer(self.ask, self.form, batch, self.output, self._printed_grid, self.sheets)
        try:
            if self.ask == "all":
                self._one_by_one(puzzles, range(len(puzzles)), printer)
            else:
                self._together(puzzles, printer)
        finally:
            self.progress.clear()
            printer.flush()
            self._printed_grid = self._printed_grid or printer.printed_grid
        return not self.out_of_time

    def summary(self, bad: int = 0) -> str:
        """The tally in one line."""
        seconds = time.monotonic() - self._began if self._began else 0.0
        known = f"unique {self.unique}, several {self.several}"
        if self.ask == "solve" and self.limit == 1:
            known = f"solved {self.unique}"
        parts = [f"puzzles {self.puzzles}", known, f"none {self.none}"]
        if bad:
            parts.append(f"bad {bad}")
        rate = f"{self.puzzles / seconds:.0f}" if seconds and self.puzzles else "0"
        return ", ".join([*parts, f"time {seconds:.3f} s", f"{rate} puzzles/s"])

    def _start(self, layout: Layout) -> None:
        """Import and compile what this layout needs, before the clock runs."""
        import numpy as np

        from sudoku.grid import Grid
        from sudoku.solving.batch_search import compile_kernels

        if layout not in self._warm:
            if self.ask == "all":
                from sudoku.solving.solution_search import SolutionSearch

                SolutionSearch(Grid(layout, np.zeros(layout.cells, dtype=np.int16))).compile()
            else:
                compile_kernels(layout)
            self._warm.add(layout)
        if not self._began:
            self._began = time.monotonic()
            if self.seconds is not None:
                self._deadline = self._began + self.seconds

    def _together(self, puzzles: NDArray[np.uint8], printer: Printer) -> None:
        from sudoku.solving.batch_search import BatchSearch, batch_limit

        limit = {"check": 2, "solve": self.limit or 2, "count": batch_limit(self.limit)}
        search = BatchSearch(printer.batch.layout, puzzles, limit[self.ask])
        try:
            self.out_of_time = not search.run(self.jobs, self._time_left(), self._show)
        except KeyboardInterrupt:
            self._print(printer, search, 0, search.done)
            raise
        start, done = 0, search.done
        if self.ask == "count" and self.limit != search.limit:
            for index in (search.counts[:done] == search.limit).nonzero()[0].tolist():
                self._print(printer, search, start, index)
                self._one_by_one(puzzles, [index], printer)
                start = index + 1
                if self.out_of_time:
                    return
        self._print(printer, search, start, done)

    def _print(self, printer: Printer, search: BatchSearch, start: int, end: int) -> None:
        counts = search.counts[start:end]
        self.puzzles += len(counts)
        self.none += int((counts == 0).sum())
        self.unique += int((counts == 1).sum())
        self.several += int((counts > 1).sum())
        printer.batch_answers(search, start, end)

    def _one_by_one(
        self, puzzles: NDArray[np.uint8], indices: Iterable[int], printer: Printer
    ) -> None:
        from sudoku.grid import Grid
        from sudoku.solving.solution_search import SolutionSearch, solution_counter

        batch = printer.batch
        for index in indices:
            left = self._time_left()
            if left is not None and left <= 0:
                self.out_of_time = True
                return
            with starting(self.output):
                grid = Grid(batch.layout, puzzles[index], batch.symbols)
                limits = (self.limit, left, self._show_found)
                listed = SolutionSearch(grid, *limits) if self.ask == "all" else None
                search = listed or solution_counter(grid, *limits)
                if (batch.layout, type(search)) not in self._compiled:
                    search.compile()
                    self._compiled.add((batch.layout, type(search)))
            printer.begin(index)
            try:
                if listed is None:
                    search.count()
                else:
                    for found in listed.batches():
                        printer.solutions(index, found)
                        printer.flush()
                        if self._deadline is not None and time.monotonic() >= self._deadline:
                            self.out_of_time = True
                            break
            except KeyboardInterrupt:
                self._close(printer, index, search)
                raise
            self._close(printer, index, search)
            self.out_of_time = self.out_of_time or search.status == "time limit"

    def _close(self, printer: Printer, index: int, search: EngineCount | SolutionSearch) -> None:
        """The answer to a puzzle that was searched on its own, perhaps not to the end."""
        exact = search.status == "exhausted"
        cut = not exact and search.status != "limit"
        printer.end(index, search.found, exact, search.nodes, cut)
        if cut:
            tell(f"{printer.batch.place(index)}: at least {search.found} solutions")
        self.puzzles += 1
        self.none += exact and search.found == 0
        self.unique += exact and search.found == 1
        self.several += search.found > 1

    def _show(self, done: int) -> None:
        size = self.sources.size
        self.progress.update(self.puzzles + done, self.sources.position / size if size else 0.0)

    def _show_found(self, found: int) -> None:
        self.progress.update(found, unit="solutions")

    def _time_left(self) -> float | None:
        return None if self._deadline is None else self._deadline - time.monotonic()
