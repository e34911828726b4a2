"""Print the candidates of a command's puzzles."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sudoku.shell.task import Task
from sudoku.writing.texts import encoded, render_candidates

if TYPE_CHECKING:
    from sudoku.batch import Batch
    from sudoku.grid import Grid

FORMATS = ("pretty", "grid", "line", "json", "csv", "svg")


class CandidatesTask(Task):
    """A run of the command ``sudoku.dlx`` with ``--candidates``."""

    def answer(self, batch: Batch) -> bool:
        """Write the candidates of the puzzles of a batch."""
        with self.output.exit_on_interrupt():
            from sudoku.grid import Grid
            from sudoku.reading.convert import grids_of
            from sudoku.solving.batch_search import compile_kernels
            from sudoku.solving.candidates import true_masks
            from sudoku.solving.contradiction import candidate_masks
            from sudoku.symbols import Symbols

            true = self.options.candidates == "true"
            if true:
                compile_kernels(batch.layout)
        self.start_clock()
        symbols = batch.symbols
        if not symbols.single:
            symbols = Symbols.default(batch.layout.size)
        for grid in grids_of(batch):
            masks = true_masks(grid) if true else candidate_masks(grid)
            self._write(Grid(batch.layout, grid.values, symbols, grid.candidates), masks)
            self.none += not all(masks)
            self.puzzles += 1
            self.show_progress(self.puzzles)
        return True

    def tally(self) -> list[str]:
        """Return how many puzzles have a cell without a candidate."""
        return [f"with a cell without candidates {self.none}"]

    def _write(self, grid: Grid, masks: list[int]) -> None:
        layout, symbols = grid.layout, grid.symbols
        form = self.options.format or "pretty"
        if form == "svg":
            from sudoku.writing.picture import Marks, svg

            marks = [[d + 1 for d in range(layout.size) if mask >> d & 1] for mask in masks]
            givens = grid.values.reshape(-1).tolist()
            self.output.add_picture(svg(givens, layout, symbols, marks=Marks(candidates=marks)))
            return
        if form in ("json", "csv"):
            text = render_candidates(masks, layout, symbols, "line")
            if form == "json":
                words = render_candidates(masks, layout, symbols, "grid").split()
                written = {"puzzle": str(grid), "candidates": words}
                text = json.dumps(written, ensure_ascii=False)
            else:
                text = "puzzle,candidates\n" * (self.output.count == 0) + f"{grid},{text}"
        else:
            apart = "\n" * (form != "line" and self.output.count > 0)
            text = apart + render_candidates(masks, layout, symbols, form)
        self.output.write(encoded(text + "\n"), 1)
