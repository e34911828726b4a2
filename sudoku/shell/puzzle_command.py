"""Commands that answer the puzzles of their files: input, output, progress and tally."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from dlx.shell.command import BAD_INPUT
from dlx.shell.output import print_message
from sudoku.errors import LayoutError, SudokuError
from sudoku.reading.reader import Reader
from sudoku.shell.arguments import box_of
from sudoku.shell.output import Output, Progress
from sudoku.symbols import Symbols

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from sudoku.batch import Batch


class PuzzleCommand(ABC):
    """A command that answers the puzzles of its files; `options` has those of `add_puzzles`.

    A subclass answers batches of puzzles in `answer` and counts them: `puzzles` answered; of these
    `unique` ones with one solution, `several` with more, `none` without.
    """

    output: Output  # open during `run`
    together: int | None = None
    """Puzzles that are answered together, which Ctrl-C loses; by default those read together."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.puzzles = self.unique = self.several = self.none = self.bad = 0
        self.out_of_time = False
        self._unfit: set[str] = set()  # why a layout does not fit, as far as that has been said
        self._reader = Reader(
            options.files,
            box=box_of(options),
            diagonal=options.diagonal,
            symbols=Symbols.of(options.symbols),
            on_error=self.report,
        )
        self.progress = Progress(options.quiet)
        self._began: float | None = None

    def run(self) -> int:
        """Answer all puzzles and return the exit status.

        After a bad puzzle nothing more is answered, unless ``--skip-bad`` was given; the other
        files are still read, to report all bad puzzles.
        """
        with Output(self.options.output) as self.output:
            try:
                for batch in self._batches():
                    if not self._refused and self._suits(batch):
                        self.answer(batch)
                    if self.out_of_time:
                        break
                self.progress.clear()
                if self.out_of_time:
                    print_message(f"stopped at the time limit of {self.options.time_limit:g} s")
            except KeyboardInterrupt:
                self.progress.clear()
                self.keep()
                print_message(f"interrupted: {self.summary()}")
                raise
            if self._refused:
                self.output.discard()
                return BAD_INPUT
            self.finish()
        if not self.options.quiet:
            print_message(self.summary())
        return 0 if self.succeeded() and not self.bad else 1

    def _batches(self) -> Iterator[Batch]:
        for batch in self._reader:
            yield from batch.parts(self.together) if self.together else [batch]

    def _suits(self, batch: Batch) -> bool:
        """Return whether the task suits the puzzles of a batch; report them if not."""
        try:
            self.check(batch)
        except SudokuError as error:
            placed = type(error)(f"{batch.place(0)}: {error}")
            placed.__cause__ = error
            self.report(placed)
            self.bad += len(batch) - 1
            return False
        return True

    def check(self, batch: Batch) -> None:  # noqa: B027  most tasks suit all puzzles
        """Raise SudokuError if the task does not suit the layout or the kind of these puzzles."""

    @abstractmethod
    def answer(self, batch: Batch) -> None:
        """Answer the puzzles of a batch; set `out_of_time` to leave the others."""

    def flush(self) -> None:  # noqa: B027  a command that writes at once holds none
        """Write the answers that are ready."""

    def keep(self) -> None:
        """Write what a run that is interrupted leaves: its answers, and what follows answers."""
        self.flush()
        if self.puzzles:
            self.finish()

    def exit_on_interrupt(self) -> AbstractContextManager[None]:
        """Return a block in which Ctrl-C ends the process at once; the answers so far are kept."""
        return self.output.exit_on_interrupt(self.keep)

    def finish(self) -> None:  # noqa: B027  nothing, for most commands
        """Write what follows the answers to all puzzles."""

    def succeeded(self) -> bool:
        """Whether every puzzle has the answer that the command is for."""
        return not (self.out_of_time or self.none)

    def tally(self) -> list[str]:
        """Return the counts of answers, each as one text."""
        return [f"unique {self.unique}", f"several {self.several}", f"none {self.none}"]

    def summary(self) -> str:
        """Return the tally and the time as one line."""
        parts = [f"puzzles {self.puzzles}", *self.tally()]
        if self.bad:
            parts.append(f"bad {self.bad}")
        return ", ".join([*parts, f"time {self.seconds:.3f} s"])

    def start_clock(self) -> None:
        """Measure `seconds` from now on, unless that was done before."""
        if self._began is None:
            self._began = time.monotonic()

    def leave_out(self, seconds: float) -> None:
        """Do not count some of the seconds that have passed, in which kernels were compiled."""
        if self._began is not None:
            self._began += seconds

    @property
    def seconds(self) -> float:
        """Seconds since the first call of `start_clock`; 0 before it."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    def time_left(self) -> float | None:
        """Return the seconds until the time limit; None if there is none."""
        limit: float | None = self.options.time_limit
        return None if limit is None else limit - self.seconds

    def show_progress(self, puzzles: int) -> None:
        """Show the number of puzzles done and the part of the input that was read."""
        size, position = self._reader.sources.size, self._reader.sources.position
        self.progress.update(puzzles, position / size if size else 0.0)

    @property
    def _refused(self) -> bool:
        """Whether a bad puzzle forbids any output."""
        return self.bad > 0 and not self.options.skip_bad

    def report(self, error: SudokuError) -> None:
        """Count a bad puzzle and print what is wrong with it."""
        self.bad += 1
        if isinstance(error.__cause__, LayoutError):  # mostly for all puzzles of a size: once
            reason = str(error.__cause__)
            if reason in self._unfit:
                return
            self._unfit.add(reason)
        print_message(str(error))
