"""The grids or puzzles that a command makes, written as they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dlx.shell.output import tell
from sudoku.layout import Layout
from sudoku.shell.output import Output, Progress, with_first
from sudoku.symbols import Symbols
from sudoku.writing.texts import as_text

if TYPE_CHECKING:
    import argparse

    import numpy as np
    from numpy.typing import NDArray

    Grids = NDArray[np.uint8]


def write_grids(output: Output, grids: Grids, layout: Layout, form: str) -> None:
    """Write grids, uint8[k, N*N], in a form of `as_text` or as pictures, ``"svg"``."""
    symbols = Symbols.default(layout.size)
    if form != "svg":
        output.write(as_text(grids, layout, symbols, form, output.count == 0), len(grids))
        return
    from sudoku.writing.picture import svg

    for values in grids:
        output.add_picture(svg(values.tolist(), layout, symbols))


def write_made(
    make: Callable[[], tuple[int, Iterator[Grids]]],
    layout: Layout,
    options: argparse.Namespace,
    unit: str,
) -> None:
    """Write grids or puzzles as they are made; report a seed that the user did not choose.

    `make` returns the seed and an iterator of arrays uint8[k, N*N]; `options` has their number `n`
    and the arguments of `add_making`; `unit` is what is made, in the plural.
    """
    progress, form = Progress(options.quiet, unit), options.format or "line"
    with Output(options.output) as output:
        with output.exit_on_interrupt():
            if form == "svg":
                output.expect_pictures(options.n)
            seed, pieces = make()
        try:
            for piece in with_first(pieces, output):
                write_grids(output, piece, layout, form)
                progress.update(output.count, output.count / options.n)
        except KeyboardInterrupt:
            progress.clear()
            tell(f"interrupted after {output.count} {unit}")
            raise
        finally:
            progress.clear()
    if options.seed is None and not options.quiet:
        tell(f"seed {seed}")
