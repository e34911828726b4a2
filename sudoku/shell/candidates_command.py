"""Print the candidates of a command's puzzles."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dlx.shell.interrupt import held
from sudoku.shell.puzzle_command import PuzzleCommand
from sudoku.solving.contradiction import candidate_masks
from sudoku.symbols import Symbols
from sudoku.writing.texts import encoded, render_candidates

if TYPE_CHECKING:
    from sudoku.batch import Batch
    from sudoku.grid import Grid

FORMATS = ("pretty", "grid", "line", "json", "csv", "svg")


class CandidatesCommand(PuzzleCommand):
    """A run of the command ``sudoku.dlx`` with ``--candidates``."""

    def check(self, batch: Batch) -> None:
        """Raise SudokuError if the candidates have no symbols of one character."""
        if self.options.format != "svg":
            render_candidates([], batch.layout, _symbols(batch), "line")

    def answer(self, batch: Batch) -> None:
        """Write the candidates of the puzzles of a batch."""
        with self.exit_on_interrupt():
            import numpy as np

            from sudoku.grid import Grid
            from sudoku.reading.convert import grids_of
            from sudoku.solving.batch_search import compile_kernels
            from sudoku.solving.candidates import true_masks

            true = self.options.candidates == "true"
            if true:
                compile_kernels(batch.layout, candidates=bool(batch.candidates))
        self.start_clock()
        symbols = _symbols(batch)
        for grid in grids_of(batch):
            masks = true_masks(grid) if true else candidate_masks(grid)
            puzzle = Grid(batch.layout, grid.values, symbols, grid.candidates)
            marked = Grid(batch.layout, grid.values, symbols, np.array(masks, np.uint64))
            with held():  # the tally and the lines agree after Ctrl-C, too
                self._write(str(puzzle), masks, marked)
                self.none += not all(masks)
                self.puzzles += 1
            self.show_progress(self.puzzles)

    def tally(self) -> list[str]:
        """Return how many puzzles have a cell without a candidate."""
        return [f"with a cell without candidates {self.none}"]

    def _write(self, puzzle: str, masks: list[int], marked: Grid) -> None:
        """Write a puzzle and its candidates, which are `masks`."""
        form = self.options.format or "pretty"
        if form == "svg":
            self.output.add_picture(marked._repr_svg_())
            return
        if form == "json":
            pairs = zip(format(marked, "grid").split(), masks, strict=True)
            words = [word if mask else "" for word, mask in pairs]
            written = {"puzzle": puzzle, "candidates": words}
            text = json.dumps(written, ensure_ascii=False)
        elif form == "csv":
            text = "puzzle,candidates\n" * (self.output.count == 0) + f"{puzzle},{marked}"
        else:
            text = "\n" * (form != "line" and self.output.count > 0) + format(marked, form)
        self.output.write(encoded(text + "\n"), 1)


def _symbols(batch: Batch) -> Symbols:
    return batch.symbols if batch.symbols.single else Symbols.default(batch.layout.size)
