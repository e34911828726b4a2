"""The grids or puzzles that a command makes, written as they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dlx.shell.interrupt import held
from dlx.shell.output import tell
from sudoku.layout import Layout
from sudoku.shell.output import NumberedFiles, Output, with_first
from sudoku.shell.progress import Progress
from sudoku.symbols import Symbols
from sudoku.writing.texts import as_text

if TYPE_CHECKING:
    import argparse

    import numpy as np
    from numpy.typing import NDArray

    Grids = NDArray[np.uint8]

__all__ = ["GridWriter", "write_made"]


class GridWriter:
    """Writes grids of one layout to the output of a command.

    Parameters
    ----------
    output : Output
        Receives the text, or a single picture.
    layout : Layout
        Layout of the grids.
    form : str
        As in `as_text`, or ``"svg"``.
    expected : int
        How many grids will be written.

    Raises
    ------
    FileError
        Several pictures are expected for standard output.
    """

    def __init__(self, output: Output, layout: Layout, form: str, expected: int) -> None:
        self._output, self._layout, self._form = output, layout, form
        self._symbols = Symbols.default(layout.size)
        self._files = NumberedFiles(output)
        if form == "svg":
            self._files.expect(expected)

    @property
    def count(self) -> int:
        """Grids written so far."""
        return self._files.count or self._output.count

    def put(self, grids: Grids) -> None:
        """Write grids, uint8[k, N*N]."""
        if self._form != "svg":
            first = self._output.count == 0
            text = as_text(grids, self._layout, self._symbols, self._form, first)
            self._output.write(text, len(grids))
            return
        from sudoku.writing.picture import svg

        for values in grids:
            with held():
                self._files.add(svg(values.tolist(), self._layout, self._symbols))

    def finish(self) -> None:
        """Write what is left after the last grid."""
        self._files.finish()


def write_made(
    make: Callable[[], tuple[int, Iterator[Grids]]],
    layout: Layout,
    options: argparse.Namespace,
    unit: str,
) -> None:
    """Write grids or puzzles as they are made; report a seed that the user did not choose.

    Parameters
    ----------
    make : callable
        Returns the seed and an iterator of arrays uint8[k, N*N].
    layout : Layout
        Layout of all grids.
    options : argparse.Namespace
        The number `n` of grids and the arguments of `add_making`.
    unit : str
        What is made, in the plural.
    """
    progress = Progress(options.quiet, unit)
    with Output(options.output) as output:
        with output.exit_on_interrupt():
            writer = GridWriter(output, layout, options.format or "line", options.n)
            seed, pieces = make()
        try:
            for piece in with_first(pieces, output):
                writer.put(piece)
                progress.update(writer.count, writer.count / options.n)
            writer.finish()
        except KeyboardInterrupt:
            progress.clear()
            writer.finish()
            tell(f"interrupted after {writer.count} {unit}")
            raise
        finally:
            progress.clear()
    if options.seed is None and not options.quiet:
        tell(f"seed {seed}")
