"""Many grids of one layout as text at once, for the commands that make grids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sudoku.layout import Layout
from sudoku.shell.command import Output, Progress, Sheets, begun, held, tell
from sudoku.symbols import Symbols
from sudoku.writing.texts import as_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Writer", "write_pieces"]


class Writer:
    """Writes grids of one layout to the output of a command, piece by piece.

    Args:
        form: as in ``as_text``, or ``"svg"``.
        expected: how many grids there will be.

    Raises:
        FileError: several pictures are expected for standard output.
    """

    def __init__(self, output: Output, layout: Layout, form: str, expected: int) -> None:
        self._output, self._layout, self._form = output, layout, form
        self._symbols = Symbols.default(layout.size)
        self._sheets = Sheets(output)
        if form == "svg":
            self._sheets.expect(expected)

    @property
    def count(self) -> int:
        """Grids written so far."""
        return self._sheets.count or self._output.count

    def put(self, grids: NDArray[np.uint8]) -> None:
        """Write grids, uint8[k, cells]."""
        if self._form != "svg":
            first = self._output.count == 0
            text = as_text(grids, self._layout, self._symbols, self._form, first)
            self._output.write(text, len(grids))
            return
        from sudoku.grid import Grid
        from sudoku.writing.picture import svg

        for values in grids:
            with held():
                self._sheets.add(svg(Grid(self._layout, values, self._symbols)))

    def finish(self) -> None:
        """After the last grid, or after those that there were until Ctrl-C."""
        self._sheets.finish()

    def discard(self) -> None:
        """Leave no pictures behind; text is left by the output itself."""
        self._sheets.discard()


def write_pieces(
    pieces: Iterator[NDArray[np.uint8]],
    total: int,
    writer: Writer,
    output: Output,
    progress: Progress,
) -> None:
    """Write what is made piece by piece; after Ctrl-C, tell how much there is.

    Args:
        pieces: of some grids each; the first, for which kernels may be compiled, is made
            ``starting``.
        total: how many grids there will be.
        writer: takes the pieces.
    """
    try:
        for piece in begun(pieces, output):
            writer.put(piece)
            progress.update(writer.count, writer.count / total)
        writer.finish()
    except KeyboardInterrupt:
        progress.clear()
        writer.finish()
        tell(f"interrupted after {writer.count} {progress.unit}")
        raise
    except BaseException:
        writer.discard()
        raise
    finally:
        progress.clear()
