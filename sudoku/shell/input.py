"""The puzzles that a command is given, the bad ones told and counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sudoku.reading.reader import Reader
from sudoku.shell.command import tell
from sudoku.symbols import Symbols

if TYPE_CHECKING:
    import argparse

    from sudoku.batch import Batch
    from sudoku.errors import SudokuError

__all__ = ["Puzzles"]


class Puzzles:
    """Batches from the files of a command, as long as there is something to do with them.

    After a fault the rest is read only to tell what else is bad, unless ``--skip-bad`` is given.

    Args:
        options: of ``arguments.add_puzzles`` and ``arguments.add_handling``.

    Attributes:
        sources: of the Reader.
        bad: faults so far.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.bad = 0
        self._skip_bad = bool(options.skip_bad)
        self._reader = Reader(
            options.files,
            box=options.box,
            diagonal=options.diagonal,
            symbols=None if options.symbols is None else Symbols.parse(options.symbols),
            on_error=self._tell,
        )
        self.sources = self._reader.sources

    @property
    def refused(self) -> bool:
        """Whether there is a fault for which nothing is to be written."""
        return self.bad > 0 and not self._skip_bad

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._reader:
            if not self.refused:
                yield batch

    def _tell(self, error: SudokuError) -> None:
        self.bad += 1
        tell(str(error))
