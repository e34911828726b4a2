"""Leave out the puzzles of a command's files that are equivalent to an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudoku.errors import PuzzleError
from sudoku.shell.task import Task

if TYPE_CHECKING:
    import argparse

    from sudoku.batch import Batch


class DistinctTask(Task):
    """A run of the command ``sudoku.dlx`` with ``--distinct``."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._seen: set[tuple[str, bytes]] = set()

    def answer(self, batch: Batch) -> bool:
        """Write those puzzles of a batch that are not equivalent to an earlier one."""
        with self.output.exit_on_interrupt():
            import numpy as np

            from sudoku.solving.contradiction import clash
            from sudoku.solving.equivalence import canonical_batch
            from sudoku.writing.texts import as_text
        if batch.candidates:
            raise PuzzleError(f"{batch.place(0)}: --distinct: candidates are not supported")
        self.start_clock()
        puzzles = np.frombuffer(batch.values, np.uint8).reshape(-1, batch.layout.cells)
        try:
            forms = canonical_batch(puzzles, batch.layout)
        except PuzzleError as error:
            clashes = (clash(each.tolist(), batch.layout, batch.symbols) for each in puzzles)
            index, reason = next((k, text) for k, text in enumerate(clashes) if text)
            raise PuzzleError(f"{batch.place(index)}: {reason}") from error
        kept = []
        for index, form in enumerate(forms):
            key = repr(batch.layout), form.tobytes()
            if key not in self._seen:
                self._seen.add(key)
                kept.append(index)
        form = self.options.format or "line"
        first = self.output.count == 0
        text = as_text(puzzles[kept], batch.layout, batch.symbols, form, first) if kept else b""
        self.output.write(text, len(kept))
        self.puzzles += len(puzzles)
        self.show_progress(self.puzzles)
        return True

    def tally(self) -> list[str]:
        """Return how many puzzles are left."""
        return [f"distinct {len(self._seen)}"]
