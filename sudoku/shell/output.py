"""Output of the commands: one stream or numbered files, grids as they are made, progress."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

import dlx.shell.output
from dlx.files import PACKED
from dlx.shell.interrupt import held, interruptible
from dlx.shell.output import print_message, show_compilation
from sudoku.checks import chosen_seed
from sudoku.errors import FileError, SudokuError
from sudoku.layout import Layout
from sudoku.symbols import Symbols
from sudoku.writing.texts import grids_as_text

if TYPE_CHECKING:
    import argparse

    from sudoku.solving.batch_search import BatchSearch, Cells
    from sudoku.writing.sheet import Sheets

T = TypeVar("T")


class Output(dlx.shell.output.Output):
    """The output of a command: a file, or standard output for None or ``-``; raises FileError.

    Of pictures and pages a file holds one. A single one goes to the output itself. With several,
    ``NAME.svg`` becomes ``NAME-1.svg``, ``NAME-2.svg`` and so on, each written when it is added.
    """

    fault = FileError

    def __init__(self, name: str | None) -> None:
        self._first: bytes | None = None  # the first picture
        self._numbered: list[str] = []  # names of files with a picture
        super().__init__(name)

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        try:
            if kind is None or issubclass(kind, KeyboardInterrupt):
                self._finish_pictures()
        except OSError:
            self.discard()
            raise
        super().__exit__(kind, *error)

    def discard(self) -> None:
        """Leave no file behind."""
        for name in self._numbered:
            with suppress(OSError):
                os.unlink(name)
        self._numbered, self._first = [], None
        super().discard()

    def write_all(self, parts: list[bytes]) -> None:
        """Write the parts and clear the list: after Ctrl-C each is in the file or in the list."""
        data = b"".join(parts)
        with held() if self._is_new_file else nullcontext():
            parts.clear()
            if data:
                self.write(data)

    def add_picture(self, text: str) -> None:
        """Write a picture or page; FileError if it is the second one for standard output."""
        with held():
            if self._first is None:
                self._first = text.encode()
            else:
                self.expect_pictures(2)
                if not self._numbered:
                    self._write_numbered(self._first)
                self._write_numbered(text.encode())
            self.count += 1

    def expect_pictures(self, count: int) -> None:
        """Raise FileError if `count` pictures or pages cannot be written."""
        if count > 1 and self.name is None:
            raise FileError(
                "<stdout>: there is more than one puzzle or solution, and a picture or page shows "
                "one; with -o NAME each goes to a numbered file"
            )

    def _write_numbered(self, text: bytes) -> None:
        assert self.name is not None
        base, suffix = os.path.splitext(self.name)
        if suffix.lower() in PACKED:
            base, inner = os.path.splitext(base)
            suffix = inner + suffix
        name = f"{base}-{len(self._numbered) + 1}{suffix}"
        with Output(name) as output:
            output.write(text)
        self._numbered.append(name)

    def _finish_pictures(self) -> None:
        """Write a single picture; after several, leave no file without a number."""
        if self._numbered:
            super().discard()
            self._numbered = []
        elif self._first is not None:
            self.write(self._first)

    @contextmanager
    def exit_on_interrupt(self, flush: Callable[[], object] = lambda: None) -> Iterator[None]:
        """Within the block Ctrl-C ends the process at once, after a call of `flush`.

        It is for blocks that import modules and compile kernels, and write nothing: an exception
        raised during an import or in the compiler may be ignored or replaced. Data written before
        the block, or by `flush`, is kept as after any Ctrl-C.
        """

        def leave() -> None:
            try:
                flush()
                self.__exit__(KeyboardInterrupt)
            finally:
                os.write(2, b"interrupted\n")

        with interruptible(lambda: None, leave, patience=0.0):
            yield


def with_first(pieces: Iterator[T], output: Output) -> Iterator[T]:
    """Return the same pieces after the first, which compiles kernels, is made.

    Meanwhile Ctrl-C works as in `Output.exit_on_interrupt`.
    """
    with output.exit_on_interrupt():
        first = list(islice(pieces, 1))
    return chain(first, pieces)


class Progress:
    """One line on standard error, if that is a terminal; it is first shown after a second."""

    WIDTH = 30
    """Characters of the bar."""

    def __init__(self, quiet: bool = False, unit: str = "puzzles") -> None:
        self.unit = unit
        self._began = time.monotonic()
        self._next = self._began + 1.0
        self._shown = 0
        self._on = not quiet and sys.stderr is not None and sys.stderr.isatty()
        if self._on:
            show_compilation()

    def update(self, count: int, fraction: float = 0.0, unit: str = "") -> None:
        """Show how many of a unit are done, unless that was shown less than 0.1 s ago.

        `fraction` is the part of all work that is done, from 0 to 1; 0 if it is unknown.
        """
        if not self._on:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + 0.1
        spent = now - self._began
        text = f"{count:,} {unit or self.unit}, {_clock(spent)}"
        if fraction > 0:
            full = int(self.WIDTH * min(fraction, 1.0))
            remaining = spent * (1 - fraction) / fraction
            bar = "#" * full + "." * (self.WIDTH - full)
            text = f"[{bar}] {fraction:4.0%} {text}, {_clock(max(remaining, 0.0))} left"
        print("\r" + text.ljust(self._shown), end="", file=sys.stderr, flush=True)
        self._shown = len(text)

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            print("\r" + " " * self._shown, end="\r", file=sys.stderr, flush=True)
            self._shown = 0


def _clock(seconds: float) -> str:
    """Return seconds as ``m:ss`` or ``h:mm:ss``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def write_grids(output: Output, grids: Cells, layout: Layout, form: str) -> None:
    """Write grids, uint8[k, N*N], in a form of `grids_as_text`, as ``"svg"`` or ``"fpuzzles"``.

    In JSON and CSV a puzzle stands beside its solution if it has exactly one.
    """
    symbols = Symbols.default(layout.size)
    if form == "svg":
        from sudoku.writing.picture import svg

        for values in grids.tolist():
            output.add_picture(svg(values, layout, symbols))
    elif form == "fpuzzles":
        from sudoku.writing.fpuzzles import url

        urls = [f"{url(values, layout)}\n" for values in grids.tolist()]
        output.write("".join(urls).encode(), len(grids))
    else:
        solutions = None
        if form in ("json", "csv"):
            search = _solved(grids, layout)
            solutions = search.solutions * (search.counts == 1)[:, None]
        first = output.count == 0
        output.write(grids_as_text(grids, layout, symbols, form, first, solutions), len(grids))


def _solved(grids: Cells, layout: Layout) -> BatchSearch:
    """Return a search that has found up to two solutions of each grid."""
    from sudoku.solving.batch_search import BatchSearch, as_cells

    search = BatchSearch(layout, as_cells(grids, layout.cells), 2)
    search.run()
    return search


def _write_sheets(output: Output, sheets: Sheets, grids: Cells, layout: Layout) -> None:
    search, symbols = _solved(grids, layout), Symbols.default(layout.size)
    rows = zip(grids.tolist(), search.solutions.tolist(), search.counts.tolist(), strict=True)
    text = "".join(sheets.add(*row, layout, symbols) for row in rows)
    output.write(text.encode(), len(grids))


def write_made(
    make: Callable[[int], Iterator[Cells]],
    layout: Layout,
    options: argparse.Namespace,
    unit: str,
) -> bool:
    """Write grids or puzzles as they are made; report a seed that the user did not choose.

    Return False if that ended early: at a time limit, or given up after some were found.

    `make` takes the seed and returns an iterator of arrays uint8[k, N*N]; `options` has their
    number `n` and the arguments of `add_generation`; `unit` is what is made, in the plural.
    """
    progress, form = Progress(options.quiet, unit), options.format or "line"
    seed = chosen_seed(options.seed)
    size = getattr(options, "sheet", None)
    sheets: Sheets | None = None
    if size:
        from sudoku.writing.sheet import Sheets

        sheets = Sheets(*size)
    if form == "fpuzzles":
        from sudoku.writing.fpuzzles import url

        url([0] * layout.cells, layout)  # refuses a layout before the work
    complete, reports_seed = True, options.seed is None and not options.quiet
    with Output(options.output) as output:
        with output.exit_on_interrupt():
            if form == "svg":
                output.expect_pictures(options.n)
            pieces = make(seed)
        try:
            for piece in with_first(pieces, output):
                if sheets:
                    _write_sheets(output, sheets, piece, layout)
                else:
                    write_grids(output, piece, layout, form)
                progress.update(output.count, output.count / options.n)
            if sheets:
                output.write(sheets.end().encode())
        except KeyboardInterrupt:
            progress.clear()
            print_message(f"interrupted after {output.count} {unit}")
            raise
        except (TimeoutError, SudokuError) as error:
            is_end = isinstance(error, TimeoutError) or output.count > 0
            if isinstance(error, FileError) or not is_end:
                reports_seed = False  # the error is one line
                raise
            progress.clear()
            print_message(str(error))
            complete = False
        finally:
            progress.clear()
            if reports_seed:
                print_message(f"seed {seed}")
    return complete
