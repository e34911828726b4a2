"""Fast path: runs of puzzles that are written alike are matched by one regular expression.

After a puzzle the state of the scanner depends on the format only. If further puzzles differ from
that puzzle in their cells, headers and comments only, the scanner would find exactly these puzzles;
they can be read without it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sudoku.batch import Batch, GridText
from sudoku.reading.decoder import Decoder
from sudoku.reading.lines import SIZES, is_rule, may_be_rule
from sudoku.reading.rows import WrittenPuzzle
from sudoku.reading.scanner import Scanner
from sudoku.render import encoded
from sudoku.symbols import Symbols

__all__ = ["Run", "RunFinder"]

MIN_BYTES = 1 << 14
"""Least length of the rest of a block in which a run is looked for."""

MIN_PUZZLES = 16
"""Least length of a run."""

MAX_LINES = 500
"""Most lines of a grid and the headers and comments above it."""

MAX_PAUSE = 100
"""Most puzzles that are passed by after a failure."""

NO_DIGIT = 255
_SEPARATORS = b' ,;\t|#"\n'
_REST = rb"|(?s:.+)"
_DIGITS_AS_ZEROS = bytes(48 if 48 <= byte < 58 else byte for byte in range(256))


class Run(NamedTuple):
    """Puzzles in a text, and how many bytes and lines of the text they take."""

    batch: Batch
    bytes: int
    lines: int


class _Pattern(NamedTuple):
    """How a run is written.

    Attributes
    ----------
    regex : bytes
        Matches one puzzle. The last group has its cells, each other group a header.
    lines : int
        Lines of one puzzle.
    separators : bytes
        Characters in the last group that are not cells.
    closing : GridText
        Rules that end the grid before.
    header : str
        What precedes the last header in the text above a grid.
    """

    regex: bytes
    lines: int = 1
    separators: bytes = b""
    closing: GridText = []  # noqa: RUF012
    header: str = ""


class RunFinder:
    """Looks for runs in one block of text while a scanner reads it."""

    def __init__(self, block: bytes, scanner: Scanner, decoder: Decoder) -> None:
        self._block, self._scanner, self._decoder = block, scanner, decoder
        self._start = -1  # end of the last puzzle, -1 if it is in an earlier block
        self._pause = self._passed = self._not_before = 0

    def after(self, at: int, number: int) -> Run | None:
        """Return the run that begins at a line, if the line before it completes a puzzle.

        Parameters
        ----------
        at : int
            Where the line begins in the block.
        number : int
            Number of the line.
        """
        puzzle = self._scanner.completed
        if puzzle is None:
            return None
        start, self._start = self._start, at
        self._passed += 1
        enough = self._passed > self._pause and at >= self._not_before
        if not enough or len(self._block) - at <= MIN_BYTES:
            return None
        if puzzle.shape == "grid":
            pattern = self._grid_pattern(puzzle, start, at)
        else:
            pattern = self._line_pattern(puzzle, at)
        run = pattern and self._match(puzzle, pattern, at, number)
        self._passed = 0
        if run:
            self._pause, self._start = 0, at + run.bytes
            self._not_before = 0
        else:
            self._pause = min(2 * self._pause + 1, MAX_PAUSE)
        return run

    def _line_pattern(self, puzzle: WrittenPuzzle, at: int) -> _Pattern | None:
        """Lines that have a puzzle where the line before `at` has it."""
        columns = self._scanner.columns
        if columns is None and self._scanner.one_line != len(puzzle.cells):
            return None
        first = self._block.rfind(b"\n", 0, at - 1) + 1
        line = self._block[first:at].decode("utf-8", "surrogateescape")
        quote = b'"' if line[: puzzle.starts[0]].endswith('"') else b""
        cells = rb"%b([^%b\x80-\xff]{%d})%b" % (quote, _SEPARATORS, len(puzzle.cells), quote)
        if columns is None:
            after = rb"[^\n]*" if quote else rb"(?:[ ,;\t#][^\n]*)?"
            return _Pattern(cells + after + rb"\n")
        mark = columns.delimiter.encode()
        field = rb'(?:[^%b"#\n]*|"(?:[^"#\n]|"")*")%b' % (mark, mark)
        return _Pattern(field * columns.column + cells + rb"(?:%b[^\n]*)?\n" % mark)

    def _grid_pattern(self, puzzle: WrittenPuzzle, start: int, at: int) -> _Pattern | None:
        """Grids as the one before `at`, with what stands above it from `start` on."""
        syntax = self._scanner.syntax
        lines = self._block[max(start, 0) : at].decode("utf-8", "surrogateescape").split("\n")[:-1]
        above = len(lines) - len(puzzle.grid_text)
        if start < 0 or above < 0 or len(lines) > MAX_LINES:
            return None
        regex, header = b"", ""
        closing: GridText = []
        for line in lines[:above]:
            bare = syntax.bare(line)
            if bare is None:
                regex += rb"[ \t]*#[^\n]*\n"
            elif not bare.strip() or is_rule(bare) or may_be_rule(bare):
                regex += re.escape(encoded(line)) + rb"\n"
                closing += [(bare, [])] if bare.strip() else []
            elif syntax.is_header(bare, False):
                regex += rb"([^\n]*)\n"
                header = bare + "\n"
            else:
                return None
        marked = ""  # the lines of the grid, with NUL in place of each cell
        for line, (text, spans) in zip(lines[above:], puzzle.grid_text, strict=True):
            if syntax.bare(line) != text or any(end - start != 1 for start, end in spans):
                return None
            characters = list(line)
            for place, _ in spans:
                characters[place] = "\0"
            marked += "".join(characters) + "\n"
        if marked.count("\0") != len(puzzle.cells) or not puzzle.header.endswith(header):
            return None
        body = encoded(marked)
        separators = body.replace(b"\0", b"")
        # dashes may be blanks or a rule
        cell = rb"[^%b\x80-\xff]" % re.escape(bytes({*separators, *_SEPARATORS, *b"-"}))
        several = re.sub(rb"\0{2,}", lambda m: b"\0{%d}" % len(m[0]), re.escape(body))
        regex += b"(%b)" % several.replace(b"\0", cell)
        lead = puzzle.header.removesuffix(header)
        return _Pattern(regex, len(lines), separators, closing, lead)

    def _match(self, puzzle: WrittenPuzzle, pattern: _Pattern, at: int, number: int) -> Run | None:
        regex = re.compile(pattern.regex + _REST)
        if puzzle.size not in SIZES:
            return None
        found = regex.findall(self._block, at)
        *headers, bodies = zip(*found, strict=True) if regex.groups > 1 else [found]
        text = b"".join(bodies).translate(None, pattern.separators)
        self._not_before = at + len(text) // 8  # failures take at most 8 passes over the block
        symbols = self._symbols(puzzle.size, text)
        if symbols is None:
            return None
        table = _byte_table(symbols)
        if table is None:
            return None
        values = text.translate(table)
        cells = puzzle.size**2
        bad = values.find(NO_DIGIT)
        count = (len(values) if bad < 0 else bad) // cells
        count = min([count, *(self._count_headers(texts) for texts in headers)])
        if puzzle.shape == "grid":
            count -= 1  # rules that follow the last grid belong to it
        if count < MIN_PUZZLES:
            return None
        lines = count * pattern.lines
        first = puzzle.line + pattern.lines if puzzle.shape == "grid" else number
        batch = Batch(
            self._decoder.layout(puzzle.size),
            symbols,
            puzzle.shape,
            values[: count * cells],
            self._scanner.label,
            list(range(first, first + lines, pattern.lines)),
        )
        if puzzle.shape == "grid":
            puzzle.grid_text += pattern.closing
            batch.grid_texts = [puzzle.grid_text] * count
            batch.headers = [pattern.header] * count
            if headers:
                last = (text.decode("utf-8", "surrogateescape") for text in headers[-1][:count])
                bare = self._scanner.syntax.bare
                batch.headers = [f"{pattern.header}{bare(header)}\n" for header in last]
        rest = self._block[at:].split(b"\n", lines)[-1]
        return Run(batch, len(self._block) - at - len(rest), lines)

    def _symbols(self, size: int, text: bytes) -> Symbols | None:
        """The symbols of a run and of the puzzles that were found since the last one."""
        seen = [set(puzzle.cells) for puzzle in self._scanner.puzzles if puzzle.size == size]
        usual = encoded("".join(set().union(*seen)))
        found = {byte for byte in usual if byte in text} | {*text.translate(None, usual)}
        return self._decoder.symbols(size, [*seen, {chr(byte) for byte in found}])

    def _count_headers(self, texts: Sequence[bytes]) -> int:
        """How many of the texts are headers, until the first that is not.

        Digits do not matter: a line is a header for its words, and no set of symbols that has
        the words and a blank 0 exists if none has the words and other digits.
        """
        shapes = [text.translate(_DIGITS_AS_ZEROS) for text in texts]
        wrong = {shape for shape in set(shapes) if not self._is_header(shape)}
        return next((k for k, shape in enumerate(shapes) if shape in wrong), len(shapes))

    def _is_header(self, text: bytes) -> bool:
        syntax = self._scanner.syntax
        bare = (syntax.bare(text.decode("utf-8", "surrogateescape")) or "").strip()
        return bool(bare) and not syntax.is_rule(bare) and syntax.is_header(bare, False)


def _byte_table(symbols: Symbols) -> bytes | None:
    """Table for `bytes.translate` from ASCII characters to digits; None if a name is longer."""
    if not symbols.single or not all(map(str.isascii, symbols.names)):
        return None
    table = bytearray([NO_DIGIT]) * 256
    for name, digit in symbols.digit.items():
        if len(name) == 1 and name.isascii():
            table[ord(name)] = digit
    return bytes(table)
