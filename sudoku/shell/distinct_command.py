"""Leave out the puzzles of a command's files that are equivalent to an earlier one."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dlx.shell.interrupt import held
from sudoku.errors import PuzzleError
from sudoku.layout import Layout
from sudoku.shell.printer import Printer
from sudoku.shell.puzzle_command import PuzzleCommand
from sudoku.solving.contradiction import clash
from sudoku.writing.texts import grids_as_text

if TYPE_CHECKING:
    import argparse

    import numpy as np
    from numpy.typing import NDArray

    from sudoku.batch import Batch


class DistinctCommand(PuzzleCommand):
    """A run of the command ``sudoku.dlx`` with ``--distinct``."""

    together = 4096

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._seen: set[tuple[Layout, bytes]] = set()

    def check(self, batch: Batch) -> None:
        """Raise SudokuError if there are no canonical forms of such puzzles."""
        if batch.candidates:
            raise PuzzleError("--distinct: candidates are not supported")
        with self.exit_on_interrupt():
            import numpy as np

            from sudoku.solving.equivalence import canonical_batch

            canonical_batch(np.zeros((0, batch.layout.cells), np.uint8), batch.layout)

    def answer(self, batch: Batch) -> None:
        """Write those puzzles of a batch that are not equivalent to an earlier one."""
        import numpy as np

        from sudoku.solving.equivalence import canonical_batch

        self.start_clock()
        puzzles = np.frombuffer(batch.values, np.uint8).reshape(-1, batch.layout.cells)
        indices = list(range(len(puzzles)))
        try:
            forms = canonical_batch(puzzles, batch.layout)
        except (PuzzleError, MemoryError):
            reasons = [_reason(batch, puzzle) for puzzle in puzzles]
            for index, reason in enumerate(reasons):
                if reason:
                    self.report(PuzzleError(f"{batch.place(index)}: {reason}"))
            if not self.options.skip_bad:
                return
            indices = [index for index in indices if not reasons[index]]
            forms = canonical_batch(puzzles[indices], batch.layout)
        kept = []
        with held():  # the tally and the lines agree after Ctrl-C, too
            for index, form in zip(indices, forms, strict=True):
                key = batch.layout, form.tobytes()
                if key not in self._seen:
                    self._seen.add(key)
                    kept.append(index)
            self._write(batch, kept, puzzles[kept])
            self.puzzles += len(indices)
        self.show_progress(self.puzzles)

    def _write(self, batch: Batch, indices: list[int], puzzles: NDArray[np.uint8]) -> None:
        """Write the puzzles of a batch that have these indices."""
        if self.options.format is None and batch.shape == "grid":
            self._printer.start(batch)
            self._printer.puzzles(indices, puzzles)
            self._printer.flush()
        elif indices:
            form, first = self.options.format or batch.shape, self.output.count == 0
            text = grids_as_text(puzzles, batch.layout, batch.symbols, form, first)
            self.output.write(text, len(indices))

    @cached_property
    def _printer(self) -> Printer:
        return Printer("solve", None, self.output, None)

    def tally(self) -> list[str]:
        """Return how many puzzles are left."""
        return [f"distinct {len(self._seen)}"]


def _reason(batch: Batch, puzzle: NDArray[np.uint8]) -> str:
    """Return why a puzzle has no canonical form, "" if it has one."""
    from sudoku.solving.equivalence import canonical_batch

    try:
        canonical_batch(puzzle[None], batch.layout)
    except PuzzleError:
        # digits twice in a box do not matter
        return clash(puzzle.tolist(), Layout(1, batch.layout.size), batch.symbols)
    except MemoryError as error:
        return str(error).partition(": ")[2]
    return ""
