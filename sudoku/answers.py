"""From batches of puzzles to what the command prints.

``Task`` asks the searches and keeps the tally; ``Printer`` knows the formats.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from sudoku.command import Output, Progress, Sheets, starting, tell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudoku.batch import BatchSearch
    from sudoku.layout import Layout
    from sudoku.reader import Batch
    from sudoku.search import CoverCount, GridSearch
    from sudoku.sources import Sources

__all__ = ["FORMATS", "Printer", "Task"]

FORMATS = ("line", "grid", "pretty", "json", "csv", "svg")

FEW = 1000
"""Up to so many solutions are counted in batches, before a search that can be watched."""

NONE = "no solution"


class Task:
    """What is asked of each puzzle, and what came out so far.

    Args:
        ask: ``"solve"``, ``"all"``, ``"count"`` or ``"check"``.
        limit: at most so many solutions a puzzle.
        form: one of FORMATS, or None for the shape a puzzle came in.
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
        self._printed_grid = False

    def work(self, batch: Batch) -> bool:
        """Answer a batch; False if the time is over.

        After Ctrl-C (KeyboardInterrupt) what was found is printed, a count as ``>= n``.
        """
        with starting(self.output):
            import numpy as np

            from sudoku.batch import as_cells

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

        from sudoku.batch import warm_up
        from sudoku.grid import Grid

        if layout not in self._warm:
            if self.ask == "all":
                from sudoku.search import GridSearch

                GridSearch(Grid(layout, np.zeros(layout.cells, dtype=np.int16))).compile()
            else:
                warm_up(layout)
            self._warm.add(layout)
        if not self._began:
            self._began = time.monotonic()
            if self.seconds is not None:
                self._deadline = self._began + self.seconds

    def _together(self, puzzles: NDArray[np.uint8], printer: Printer) -> None:
        from sudoku.batch import BatchSearch

        limit = {"check": 2, "solve": self.limit or 2, "count": min(self.limit or FEW, FEW)}
        search = BatchSearch(printer.batch.layout, puzzles, limit[self.ask])
        try:
            self.out_of_time = not search.run(self.jobs, self._deadline, self._show)
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
        from sudoku.search import GridSearch, counting

        batch = printer.batch
        for index in indices:
            left = None
            if self._deadline is not None:
                left = self._deadline - time.monotonic()
                if left <= 0:
                    self.out_of_time = True
                    return
            with starting(self.output):
                grid = Grid(batch.layout, puzzles[index], batch.symbols)
                listed = GridSearch(grid, self.limit, left) if self.ask == "all" else None
                search = listed or counting(grid, self.limit, left)
            search.progress = lambda search=search: self.progress.update(
                search.found, unit="solutions"
            )
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

    def _close(self, printer: Printer, index: int, search: CoverCount | GridSearch) -> None:
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


class Printer:
    """Writes the answers to the puzzles of one batch.

    Args:
        ask: as in Task.
        form: as in Task.
        printed_grid: whether a grid was printed before, from which the next is set apart.
        sheets: take pictures.
    """

    def __init__(
        self,
        ask: str,
        form: str | None,
        batch: Batch,
        output: Output,
        printed_grid: bool,
        sheets: Sheets,
    ) -> None:
        self.sheets = sheets
        self.ask, self.batch, self.output, self.printed_grid = ask, batch, output, printed_grid
        self.in_shape = form is None and ask in ("solve", "all")
        self.form = form or (batch.shape if self.in_shape else "line")
        if ask in ("count", "check") and self.form in ("grid", "pretty", "svg"):
            self.form = "line"
        self._parts: list[bytes] = []
        self._listed = 0  # solutions of the present puzzle that were written
        if self.form == "csv" and not output.written:
            column = {"count": "count", "check": "check"}.get(ask, "solution")
            self._parts.append(f"puzzle,{column}\n".encode())

    def flush(self) -> None:
        """Hand on what was gathered."""
        parts, self._parts = self._parts, []
        if parts:
            self.output.write(b"".join(parts))

    def batch_answers(self, search: BatchSearch, start: int, end: int) -> None:
        """The answers of a BatchSearch to the puzzles from ``start`` to before ``end``."""
        if start == end:
            return
        counts = search.counts[start:end].tolist()
        if self.form == "line" and self.ask == "check":
            words = ("none\n", "unique\n", "several\n")
            self._write("".join([words[count] for count in counts]))
        elif self.form == "line" and self.ask == "count":
            self._write("".join([f"{count}\n" for count in counts]))
        elif self.form == "line":
            from sudoku.writer import lines

            text = lines(search.solutions[start:end], self.batch.symbols)
            if 0 in counts:
                rows = text.split(b"\n")
                for offset, count in enumerate(counts):
                    if count == 0:
                        rows[offset] = self._none(start + offset).encode()
                text = b"\n".join(rows)
            self._parts.append(text)
        elif self.form == "grid" and self.in_shape:
            self._grids_in_shape(search, range(start, end))
        else:
            for index, count in enumerate(counts, start):
                self.begin(index)
                if self.ask == "solve" and count:
                    self.solutions(index, search.solutions[index : index + 1])
                self.end(index, count, count < search.limit, int(search.nodes[index]))

    def _grids_in_shape(self, search: BatchSearch, indices: range) -> None:
        from sudoku.writer import fill_all

        templates, solved = self.batch.templates, (search.counts > 0).tolist()
        alike = groupby(indices, lambda index: (id(templates[index]), solved[index]))
        for (_, is_solved), group in alike:
            run = list(group)
            if is_solved:
                grids = search.solutions[run[0] : run[-1] + 1]
                self._parts.append(fill_all(templates[run[0]], grids, self.batch.symbols))
            else:
                for index in run:
                    self.end(index, 0, True, 0)

    def begin(self, index: int) -> None:
        """Before the solutions of a puzzle."""
        self._listed = 0
        if self.form == "json":
            puzzle = json.dumps(self._puzzle(index), ensure_ascii=False)
            self._write(f'{{"puzzle": {puzzle}, "solutions": [')

    def solutions(self, index: int, found: NDArray[np.uint8]) -> None:
        """Some solutions, uint8[m, cells]."""
        from sudoku import writer

        symbols, layout = self.batch.symbols, self.batch.layout
        if self.form == "line":
            self._parts.append(writer.lines(found, symbols))
            self._listed += len(found)
            return
        for values in found.tolist():
            if self.form == "json":
                comma = ", " if self._listed else ""
                self._write(comma + json.dumps(symbols.text(values), ensure_ascii=False))
            elif self.form == "csv":
                self._write(f"{self._puzzle(index)},{symbols.text(values)}\n")
            elif self.form == "svg":
                self._draw(index, values)
            elif self.in_shape:
                template = self.batch.templates[index]
                apart = self._listed and not (template and not template[0][0])
                self._write("\n" * bool(apart) + writer.fill(template, values, symbols))
            else:
                self._write("\n" * self.printed_grid)
                self._write(writer.render(values, layout, symbols, self.form) + "\n")
                self.printed_grid = True
            self._listed += 1

    def end(self, index: int, count: int, exact: bool, nodes: int, cut: bool = False) -> None:
        """After the solutions of a puzzle: what is to be said on all of them.

        ``exact``: there are no more than ``count``; ``cut``: neither that nor a limit ended it.
        """
        word = ("none", "unique", "several")[min(count, 2)]
        if self.form == "json":
            unique = count == 1 if exact or count > 1 else None
            rest = {"count": count, "unique": unique, "nodes": nodes, "exact": exact}
            self._write("], " + json.dumps(rest)[1:] + "\n")
        elif self.ask == "check":
            self._write(f"{self._puzzle(index)},{word}\n")
        elif self.ask == "count":
            number = f">= {count}" if cut else f"{count}"
            self._write(
                f"{self._puzzle(index)},{number}\n" if self.form == "csv" else number + "\n"
            )
        elif count == 0 and exact:
            if self.form == "csv":
                self._write(f"{self._puzzle(index)},\n")
            elif self.form == "svg":
                self._draw(index, self._values(index))
            elif self.form == "line":
                self._write(self._none(index) + "\n")
            elif self.in_shape:
                from sudoku.writer import heading

                self._write(heading(self.batch.templates[index]) + self._none(index) + "\n")
            else:
                self._write("\n" * self.printed_grid + self._none(index) + "\n")
                self.printed_grid = True

    def _draw(self, index: int, values: Sequence[int]) -> None:
        from sudoku.grid import Grid
        from sudoku.picture import svg

        layout, symbols = self.batch.layout, self.batch.symbols
        puzzle, solution = (
            Grid(layout, list(cells), symbols)  # type: ignore[arg-type]
            for cells in (self._values(index), values)
        )
        self.sheets.add(svg(puzzle, solution=solution))

    def _none(self, index: int) -> str:
        from sudoku.contradiction import clash

        reason = clash(self._values(index), self.batch.layout, self.batch.symbols)
        return f"{NONE}: {reason}" if reason else NONE

    def _values(self, index: int) -> bytes:
        cells = self.batch.layout.cells
        return self.batch.values[index * cells : (index + 1) * cells]

    def _puzzle(self, index: int) -> str:
        return self.batch.symbols.text(self._values(index))

    def _write(self, text: str) -> None:
        self._parts.append(text.encode())
