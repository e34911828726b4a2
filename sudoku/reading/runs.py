"""Fast path: runs of puzzles in the same format are read without examining each line.

After a puzzle the state of the scanner depends on the format only. If further puzzles differ from
that puzzle in their cells, headers and comments only, the scanner would find exactly these puzzles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from sudoku.batch import Batch
from sudoku.reading.decoder import Decoder
from sudoku.reading.jigsaw import are_all_regions
from sudoku.reading.lines import SIZES
from sudoku.reading.rows import WrittenPuzzle
from sudoku.reading.scanner import Scanner
from sudoku.symbols import Symbols
from sudoku.writing.texts import GridText, Span, encoded

MIN_BYTES = 1 << 14
"""Least length of the rest of a block in which a run is looked for."""

MIN_PUZZLES = 16
"""Least length of a run."""

MAX_LINES = 500
"""Most lines of a grid and the headers and comments above it."""

RETRY_BYTES = 1 << 14
"""Bytes that are read at least after a failure, and skipped at most after several."""

_MARKS = b' ,;\t|#"\n'
_DIGITS_AS_ZEROS = bytes(48 if 48 <= byte < 58 else byte for byte in range(256))
_HEADER = rb"([^#\n]*[^# \f\v\x1a\n])"
_COMMENT = rb"([ \t\f\v\x1a]*#[^\n]*)"


class Run(NamedTuple):
    """Puzzles in a text, and how many bytes and lines of the text they take."""

    batch: Batch
    bytes: int
    lines: int


class _Form(NamedTuple):
    """How a puzzle is written: the template, perhaps between texts that vary."""

    template: bytes  # fixed text with NUL in place of each cell
    before: bytes = b""  # regular expression with a group for each header and each comment
    after: bytes = b""  # regular expression for the rest of a line
    lines: int = 1
    lead: str = ""  # fixed text above the header of a grid, as in Batch.headers
    closing: Sequence[tuple[str, list[Span]]] = ()  # rules that belong to the grid above


class RunFinder:
    """Looks for runs in one block of text while a scanner reads it."""

    def __init__(self, block: bytes, scanner: Scanner, decoder: Decoder) -> None:
        self._block, self._scanner, self._decoder = block, scanner, decoder
        self._start = -1  # end of the last puzzle, -1 if it is in an earlier block
        self._skip = self._not_before = 0
        self._reach = len(block)  # bytes to read at most
        self._tails = False  # whether a line had more than a puzzle

    def after(self, at: int) -> Run | None:
        """Return the run from offset `at` of the block on, if a puzzle ends there."""
        puzzle = self._scanner.completed
        if puzzle is None:
            return None
        start, self._start = self._start, at
        if start < 0 or at < self._not_before or len(self._block) - at <= MIN_BYTES:
            return None
        waiting = self._scanner.puzzles
        if puzzle.size not in SIZES or self._decoder.ready(waiting) < len(waiting):
            return None
        if puzzle.shape == "grid":
            form = self._grid_form(puzzle, self._block[start:at])
        else:
            line = self._block.rfind(b"\n", 0, at - 1) + 1
            form = self._line_form(puzzle, self._block[line:at])
        run = self._run(puzzle, self._block[at : at + self._reach], form) if form else None
        self._skip = 0 if run else min(2 * self._skip + 256, RETRY_BYTES)
        self._reach = max(4 * run.bytes if run else 0, RETRY_BYTES)
        self._start = at + (run.bytes if run else 0)
        self._not_before = self._start + self._skip
        return run

    def _line_form(self, puzzle: WrittenPuzzle, written: bytes) -> _Form | None:
        """The form of lines that have a puzzle where this line has one."""
        columns, cells = self._scanner.columns, len(puzzle.cells)
        if columns is None and self._scanner.one_line != cells:
            return None
        line = _text(written)
        quote = b'"' if line[: puzzle.starts[0]].endswith('"') else b""
        template = quote + bytes(cells) + quote
        self._tails |= len(line) > len(template) + 1
        if not self._tails:
            return _Form(template + b"\n")
        if columns is None:
            return _Form(template, after=rb".*\n" if quote else rb"(?:[ ,;\t#].*)?+\n")
        mark = columns.delimiter.encode()
        field = rb'(?:"[^"#\n]*(?:""[^"#\n]*)*"|[^%b"#\n]*)%b' % (mark, mark)
        return _Form(template, field * columns.column, rb"(?:%b.*)?+\n" % mark)

    def _grid_form(self, puzzle: WrittenPuzzle, written: bytes) -> _Form | None:
        """The form of these lines, from the end of the puzzle before to the end of this grid."""
        syntax = self._scanner.syntax
        lines = _text(written).split("\n")[:-1]
        above = len(lines) - len(puzzle.grid_text)
        if above < 0 or len(lines) > MAX_LINES or not syntax.has_comments:
            return None
        before, fixed, header = b"", "", ""  # `fixed`: the lines since the last one that varies
        closing: GridText = []
        for line in lines[:above]:
            bare = syntax.bare(line)
            if bare is None:
                before += re.escape(encoded(fixed)) + _COMMENT + b"\n"
                fixed = ""
            elif not bare.strip() or syntax.is_rule(bare) or syntax.may_be_rule(bare):
                fixed += line + "\n"
                closing += [(bare, [])] if bare.strip() else []
            elif syntax.is_header(bare, False):
                tail = line[len(bare) :]
                end = _COMMENT if "#" in tail else re.escape(encoded(tail))
                before += re.escape(encoded(fixed)) + _HEADER + end + b"\n"
                fixed, header = "", bare + "\n"
            else:
                return None
        for line, (text, spans) in zip(lines[above:], puzzle.grid_text, strict=True):
            if syntax.bare(line) != text or any(end - start != 1 for start, end in spans):
                return None
            characters = list(line)
            for place, _ in spans:
                characters[place] = "\0"
            fixed += "".join(characters) + "\n"
        if not puzzle.header.endswith(header):
            return None
        lead = puzzle.header.removesuffix(header)
        return _Form(encoded(fixed), before, b"", len(lines), lead, closing)

    def _run(self, puzzle: WrittenPuzzle, text: bytes, form: _Form) -> Run | None:
        """The puzzles that a text begins with and that have the form of `puzzle`, above it."""
        symbols = self._decoder.symbols(self._scanner.puzzles, puzzle.size)
        if symbols is None or not symbols.single:
            return None
        is_grid, width = puzzle.shape == "grid", len(form.template)
        groups, bodies = _parts(text, form)
        headers = [texts for texts in groups if b"#" not in texts[0]]
        between = form.template.replace(b"\0", b"")
        # in a grid, a dash is a blank or part of a rule
        shape_of, digit_of = _tables(symbols, between + _MARKS + b"-" * is_grid)
        count = _count_alike(bodies.translate(shape_of), form.template)
        count = min([count, *map(self._count_headers, headers)])
        count -= is_grid  # rules that follow the last grid belong to it
        if count < MIN_PUZZLES:
            return None
        values = bodies[: count * width].translate(digit_of, between)
        for k in _like_regions(values, puzzle.size):
            body = bodies[k * width : (k + 1) * width]
            if are_all_regions(_text(body.translate(None, between)), puzzle.size):
                count = k - 1  # the scanner adds them to the puzzle above
                break
        if count < MIN_PUZZLES:
            return None
        first, layout = puzzle.line + form.lines, self._decoder.layout(puzzle.size)
        numbers = list(range(first, first + count * form.lines, form.lines))
        values = values[: count * layout.cells]
        batch = Batch(layout, symbols, puzzle.shape, values, self._scanner.label, numbers)
        if is_grid:
            puzzle.grid_text += form.closing
            batch.grid_texts = [puzzle.grid_text] * count
            batch.headers = [form.lead] * count
        if headers:
            names = _text(b"\n".join(headers[-1][:count])).split("\n")
            batch.headers = [f"{form.lead}{name}\n" for name in names]
        return Run(batch, _size(text, form, groups, count), count * form.lines)

    def _count_headers(self, texts: Sequence[bytes]) -> int:
        """How many of the texts are headers, until the first that is not.

        Digits do not matter: a line is a header for its words, and no set of symbols that has
        the words and a blank 0 exists if none has the words and other digits.
        """
        shapes = b"\n".join(texts).translate(_DIGITS_AS_ZEROS).split(b"\n")
        is_header = self._scanner.syntax.is_header
        good = {shape for shape in set(shapes) if is_header(_text(shape), False)}
        # a section in brackets other than [Puzzle] has no puzzle
        good -= {each for each in good if each[:1] == b"[" and each.strip().lower() != b"[puzzle]"}
        return next((k for k, shape in enumerate(shapes) if shape not in good), len(shapes))


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _parts(text: bytes, form: _Form) -> tuple[list[Sequence[bytes]], bytes]:
    """The texts of each group, puzzle by puzzle; and those at the place of the template, joined."""
    if not form.before and not form.after:
        return [], text
    regex = rb"%b((?s:.{%d}))%b" % (form.before, len(form.template), form.after)
    pattern = re.compile(regex + rb"|(?s:.+)")  # the rest, where no puzzle matches
    rows: list[Any] = pattern.findall(text)
    parts: list[Sequence[bytes]] = [*zip(*rows, strict=True)] if pattern.groups > 1 else [rows]
    return parts[:-1], b"".join(parts[-1])


def _size(text: bytes, form: _Form, groups: list[Sequence[bytes]], count: int) -> int:
    """Bytes that the first puzzles of a text take."""
    if form.after:  # a line each
        lines_left = text.count(b"\n") - count
        return len(text.rsplit(b"\n", lines_left + 1)[0]) + 1
    before = re.match(form.before, text)
    assert before is not None
    fixed = len(before[0]) - sum(map(len, before.groups())) + len(form.template)
    return count * fixed + sum(len(part) for parts in groups for part in parts[:count])


def _tables(symbols: Symbols, others: bytes) -> tuple[bytes, bytes]:
    """For `bytes.translate`: from the ASCII symbols that are none of `others` to NUL; to digits."""
    shape_of, digit_of = bytearray(range(256)), bytearray(256)
    shape_of[0] = 255
    for name, digit in symbols.digit.items():
        if len(name) == 1 and name.isascii() and ord(name) not in others:
            shape_of[ord(name)], digit_of[ord(name)] = 0, digit
    return bytes(shape_of), bytes(digit_of)


def _like_regions(values: bytes, n: int) -> list[int]:
    """The puzzles whose first cell has the digit of a neighbour, as connected regions have."""
    import numpy as np

    cells = np.frombuffer(values, np.uint8).reshape(-1, n * n)
    corner, right, below = cells[:, 0], cells[:, 1], cells[:, n]
    found: list[int] = np.flatnonzero(
        (corner > 0) & ((corner == right) | (corner == below))
    ).tolist()
    return found


def _count_alike(shapes: bytes, template: bytes) -> int:
    """How many shapes of the length of a template equal it, until the first that does not."""
    width = len(template)
    count = len(shapes) // width
    if shapes[: count * width] == template * count:
        return count
    starts = range(0, count * width, width)
    return next(k for k, at in enumerate(starts) if shapes[at : at + width] != template)
