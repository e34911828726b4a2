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
from sudoku.reading.lines import SIZES
from sudoku.reading.rows import WrittenPuzzle
from sudoku.reading.scanner import Scanner
from sudoku.symbols import Symbols
from sudoku.writing.texts import encoded

MIN_BYTES = 1 << 14
"""Least length of the rest of a block in which a run is looked for."""

MIN_PUZZLES = 16
"""Least length of a run."""

MAX_LINES = 500
"""Most lines of a grid and the headers and comments above it."""

MAX_SKIP = 1 << 14
"""Most bytes that are skipped after a failure."""

NO_DIGIT = 255
_MARKS = b' ,;\t|#"\n'
_DIGITS_AS_ZEROS = bytes(48 if 48 <= byte < 58 else byte for byte in range(256))


class Run(NamedTuple):
    """Puzzles in a text, and how many bytes and lines of the text they take."""

    batch: Batch
    bytes: int
    lines: int


class RunFinder:
    """Looks for runs in one block of text while a scanner reads it."""

    def __init__(self, block: bytes, scanner: Scanner, decoder: Decoder) -> None:
        self._block, self._scanner, self._decoder = block, scanner, decoder
        self._start = -1  # end of the last puzzle, -1 if it is in an earlier block
        self._skip = self._not_before = 0

    def after(self, at: int, number: int) -> Run | None:
        """Return the run that begins at a line, if the line before it completes a puzzle.

        The line begins at offset `at` of the block and has this number.
        """
        puzzle = self._scanner.completed
        if puzzle is None:
            return None
        start, self._start = self._start, at
        if at < self._not_before or len(self._block) - at <= MIN_BYTES:
            return None
        self._skip = min(2 * self._skip + 256, MAX_SKIP)
        if puzzle.shape == "grid":
            run = self._grids(puzzle, start, at)
        else:
            run = self._lines(puzzle, at, number)
        if run:
            self._skip, self._start = 0, at + run.bytes
        self._not_before = at + self._skip
        return run

    def _lines(self, puzzle: WrittenPuzzle, at: int, number: int) -> Run | None:
        """Lines from `at` on that have a puzzle where the line before has it."""
        columns = self._scanner.columns
        if columns is None and self._scanner.one_line != len(puzzle.cells):
            return None
        line = _text(self._block[self._block.rfind(b"\n", 0, at - 1) + 1 : at])
        quote = b'"' if line[: puzzle.starts[0]].endswith('"') else b""
        regex = rb"%b([^%b\x80-\xff]{%d})%b" % (quote, _MARKS, len(puzzle.cells), quote)
        width = 0
        if columns is not None:
            mark = columns.delimiter.encode()
            field = rb'(?:[^%b"#\n]*|"(?:[^"#\n]|"")*")%b' % (mark, mark)
            regex = field * columns.column + regex + rb"(?:%b[^\n]*)?" % mark
        elif len(line) == len(puzzle.cells) + 1:
            width = len(line)
        else:
            regex += rb"[^\n]*" if quote else rb"(?:[ ,;\t#][^\n]*)?"
        return self._run(puzzle, at, regex + b"\n", range(number, number + 1), b"\n", width)

    def _grids(self, puzzle: WrittenPuzzle, start: int, at: int) -> Run | None:
        """Grids from `at` on that are written as the lines from `start` to `at`."""
        syntax = self._scanner.syntax
        lines = _text(self._block[max(start, 0) : at]).split("\n")[:-1]
        above = len(lines) - len(puzzle.grid_text)
        if start < 0 or above < 0 or len(lines) > MAX_LINES:
            return None
        regex, header, above_text = b"", "", ""
        width = at - start
        closing: GridText = []
        for line in lines[:above]:
            bare = syntax.bare(line)
            if bare is None:
                regex += rb"[ \t]*#[^\n]*\n"
                width = 0
            elif not bare.strip() or syntax.is_rule(bare) or syntax.may_be_rule(bare):
                regex += re.escape(encoded(line + "\n"))
                above_text += line
                closing += [(bare, [])] if bare.strip() else []
            elif syntax.is_header(bare, False):
                regex += rb"([^\n]*)\n"
                header = bare + "\n"
                width = 0
            else:
                return None
        body = ""  # the lines of the grid, with NUL in place of each cell
        for line, (text, spans) in zip(lines[above:], puzzle.grid_text, strict=True):
            if syntax.bare(line) != text or any(end - start != 1 for start, end in spans):
                return None
            characters = list(line)
            for place, _ in spans:
                characters[place] = "\0"
            body += "".join(characters) + "\n"
        if body.count("\0") != len(puzzle.cells) or not puzzle.header.endswith(header):
            return None
        between = encoded(above_text + body).replace(b"\0", b"")
        # a dash is a blank or part of a rule
        cell = rb"[^%b\x80-\xff]" % re.escape(bytes({*between, *_MARKS, *b"-"}))
        several = re.sub(rb"\0{2,}", lambda m: b"\0{%d}" % len(m[0]), re.escape(encoded(body)))
        regex += b"(%b)" % several.replace(b"\0", cell)
        first = puzzle.line + len(lines)
        run = self._run(puzzle, at, regex, range(first, first + len(lines)), between, width)
        if run:
            puzzle.grid_text += closing
            run.batch.grid_texts = [puzzle.grid_text] * len(run.batch)
            lead = puzzle.header.removesuffix(header)
            headers = run.batch.headers or [""] * len(run.batch)
            run.batch.headers = [lead + header for header in headers]
        return run

    def _matches(
        self, at: int, regex: bytes, width: int
    ) -> tuple[Sequence[Sequence[bytes]], bytes]:
        """The headers and the other text of all puzzles from `at` on that match."""
        if width:
            match = re.compile(b"(?:%b)*+" % regex).match(self._block, at)
            return (), match[0] if match else b""
        pattern = re.compile(regex + rb"|(?s:.+)")  # the rest, where no puzzle matches
        found = pattern.findall(self._block, at)
        *headers, bodies = zip(*found, strict=True) if pattern.groups > 1 else [found]
        return headers, b"".join(bodies)

    def _run(
        self,
        puzzle: WrittenPuzzle,
        at: int,
        regex: bytes,
        lines: range,
        between: bytes,
        width: int,
    ) -> Run | None:
        """The puzzles from `at` on that match a regular expression; `puzzle` is the one before.

        The last group of `regex` has the cells of a puzzle and the characters `between`, any other
        group has a header. `lines` are the numbers of the lines of the first puzzle of the run.
        If all text but the cells is fixed, `width` is the number of bytes of a puzzle, else 0.
        """
        if puzzle.size not in SIZES:
            return None
        headers, text = self._matches(at, regex, width)
        text = text.translate(None, between)
        self._skip = max(self._skip, len(text) // 8)  # failures match a byte at most 8 times
        cells = puzzle.size**2
        enough = len(text) >= MIN_PUZZLES * cells
        symbols = self._symbols(puzzle.size, text) if enough else None
        if symbols is None:
            return None
        values = text.translate(_byte_table(symbols))
        bad = values.find(NO_DIGIT)
        count = (len(values) if bad < 0 else bad) // cells
        count = min([count, *(self._count_headers(texts) for texts in headers)])
        if puzzle.shape == "grid":
            count -= 1  # rules that follow the last grid belong to it
        if count < MIN_PUZZLES:
            return None
        batch = Batch(
            self._decoder.layout(puzzle.size),
            symbols,
            puzzle.shape,
            values[: count * cells],
            self._scanner.label,
            list(range(lines.start, lines.start + count * len(lines), len(lines))),
        )
        if headers:
            bare = self._scanner.syntax.bare
            batch.headers = [f"{bare(_text(header))}\n" for header in headers[-1][:count]]
        size = count * width
        if not width:
            rest = self._block[at:].split(b"\n", count * len(lines))[-1]
            size = len(self._block) - at - len(rest)
        return Run(batch, size, count * len(lines))

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
        bare = self._scanner.syntax.bare(_text(text))
        return bare is not None and self._scanner.syntax.is_header(bare, False)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _byte_table(symbols: Symbols) -> bytes:
    """Table for `bytes.translate` from the ASCII characters that are symbols to digits."""
    table = bytearray([NO_DIGIT]) * 256
    for name, digit in symbols.digit.items():
        if symbols.single and len(name) == 1 and name.isascii():
            table[ord(name)] = digit
    return bytes(table)
