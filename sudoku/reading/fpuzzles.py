"""JSON on one or more lines: objects of f-puzzles or ``--format json``, rows of cells, or texts.

A URL of f-puzzles has the object compressed as lz-string does it, in base 64. A constraint that
`Layout` does not know is a fault, so that no puzzle is read as another one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from math import isqrt
from types import UnionType
from typing import Any
from urllib.parse import unquote

from sudoku.checks import MAX_SIZE
from sudoku.errors import LayoutError, RegionWarning
from sudoku.layout import House, Layout, cell_name, default_box, regions_of
from sudoku.reading.faults import wrong_length, wrong_marks
from sudoku.reading.jigsaw import region_layout, wrong_number
from sudoku.reading.lines import PUZZLE_NAMES, REGION_NAMES, LineSyntax
from sudoku.reading.marks import word_marks
from sudoku.reading.rows import WrittenPuzzle
from sudoku.symbols import Symbols
from sudoku.writing.fpuzzles import BASE64, KEYS

_OPENING = re.compile(r'[\[{"]')
# a word that is no such URL is matched as well, so that it is not searched from each https:// in it
_URL = re.compile(r"https?://(?:\S*?(?:[?&]load=|[/=]fpuzzles)([^\s&#<>)\]\"]*)|\S*)")
_JSON = re.compile(r'\s*(\{\s*(["}]|$)|\[\s*([\[{"\]]|$|(\d+|null)\s*,))')
_TEXT = r'"[^"\\]*(?:\\.[^"\\]*)*"'
# a text without an end is matched to the end of the line, not searched from each quote in it
_TEXT_OR_REST = re.compile(rf'{_TEXT}|(".*)')
_TEXT_OR_COMMENT = re.compile(rf'({_TEXT}|".*)|#.*')
_CELL = re.compile(r"[Rr](\d{1,2})[Cc](\d{1,2})")
MOST_CHARACTERS = 1 << 24
"""Most characters of an object or a list."""

_NO_PUZZLE = (
    "JSON that is no puzzle: it has no grid, and no puzzle as a text or rows under a name such as "
    "puzzle, quiz or board"
)
_HOUSES = {key: name for name, key in KEYS.items()}
_NO_CONSTRAINTS = {
    *("size", "grid", "extraregion", "title", "author", "ruleset", "solution", "successMessage"),
    *("highlightConflicts", "disabledlogic", "truecandidatesoptions"),
    *("line", "rectangle", "circle", "text", "cage"),  # drawings
}
_CELL_KEYS = {
    *("value", "given", "region", "givenPencilMarks"),
    *("centerPencilMarks", "cornerPencilMarks", "c", "cArray", "highlight"),  # a player's notes
}


class _Fault(ValueError):
    """What is wrong with an object.

    `key` is the name in its text where it is wrong, which `cell` has if it is not None.
    """

    def __init__(self, reason: str, key: str = "", cell: int | None = None) -> None:
        super().__init__(reason)
        self.key, self.cell = key, cell


class PuzzleObjects:
    """Takes the lines of objects and URLs; calls `add` with puzzles, `fault` with what is wrong.

    `syntax` says how the text of a puzzle is understood, and whether there are comments. `fault`
    takes a reason, and `warn` a warning, with line and column, from 1.
    """

    def __init__(
        self,
        syntax: LineSyntax,
        add: Callable[[WrittenPuzzle], object],
        fault: Callable[[str, int, int], object],
        warn: Callable[[RegionWarning, int, int], object],
    ) -> None:
        self._syntax, self._add, self._fault, self._warn = syntax, add, fault, warn
        self._warned_of: Layout | None = None  # of the last puzzle whose regions gave warnings
        self._lines: list[str] = []  # of an object that is not complete
        self._first = self._depth = self._length = 0

    @property
    def open(self) -> bool:
        """Whether an object is not complete."""
        return bool(self._lines)

    def feed(self, number: int, line: str) -> bool:
        """Take a line if it is part of an object or has a URL; whether it was taken."""
        if self._is_cut_above(line):
            self.end()
        if not self._lines:
            urls = _URL.finditer(line) if "://" in line else ()
            url = next((match for match in urls if match[1] is not None), None)
            if url is not None and self._syntax.has_comments and "#" in line[: url.start()]:
                return False
            if url is not None:
                self._take_url(url, number)
                return True
            # brackets may be symbols
            if _JSON.match(line) is None or self._syntax.are_cells(line):
                return False
            self._first = number
        if "#" in line:
            line = _TEXT_OR_COMMENT.sub(lambda match: match[1] or "", line)
        self._lines.append(line)
        brackets = _TEXT_OR_REST.sub(r"\1", line)
        self._depth += sum(map(brackets.count, "{[")) - sum(map(brackets.count, "]}"))
        self._length += len(line)
        if self._depth <= 0 or self._length > MOST_CHARACTERS:
            self.end()
        return True

    def _is_cut_above(self, line: str) -> bool:
        """Whether an object begins where none can, as the one on the line above is cut."""
        if len(self._lines) != 1 or line[:1] != "{":
            return False
        above = self._lines[0].strip()
        return above[:1] == "{" and above[-1:] not in (":", ",", "[")

    def end(self) -> None:
        """The object is complete, or the text ends."""
        if not self._lines:
            return
        text, first = "\n".join(self._lines), self._first
        self._lines, self._depth, self._length = [], 0, 0
        try:
            loaded = _loaded(text)
        except json.JSONDecodeError as error:
            self._fault(f"JSON: {error.msg}", first + error.lineno - 1, error.colno)
        except _Fault as error:
            self._fault(str(error), first, 1)
        else:
            start = 0
            if isinstance(loaded, dict):
                loaded, start = _list_in(loaded, text)
            if isinstance(loaded, dict):
                self._take(loaded, text, first)
            else:
                for each in islice(_elements(text, first, start), len(loaded)):
                    self._take(*each)

    def _take(self, loaded: Any, text: str, line: int, indent: int = 0) -> None:
        """Take a puzzle: an object, a list or a text.

        Its text begins in this line, below `indent` characters.
        """
        try:
            loaded = _of_list(loaded) if isinstance(loaded, list) else loaded
            puzzle = written_puzzle(loaded, line, self._syntax)
        except _Fault as error:
            self._fault(str(error), *_place(text, line, indent, loaded, error.key, error.cell))
        except LayoutError as error:
            self._fault(str(error), line, 1 + indent)
        else:
            is_new = puzzle.layout is not self._warned_of  # many may have the same regions
            for doubt in puzzle.doubts if is_new else ():
                key = _key(loaded, REGION_NAMES)
                where = (key, None) if key else ("region", doubt.cell)
                self._warn(doubt, *_place(text, line, indent, loaded, *where))
            self._warned_of = puzzle.layout
            self._add(puzzle)

    def _take_url(self, url: re.Match[str], number: int) -> None:
        try:
            loaded = _loaded(decompressed(unquote(url[1])))
            if isinstance(loaded, list):
                raise _Fault("it has several puzzles")
            puzzle = written_puzzle(loaded, number, self._syntax)
        except json.JSONDecodeError as error:
            self._fault(f"URL: JSON in it: {error.msg}", number, url.start(1) + 1)
        except (ValueError, LayoutError) as error:
            self._fault(f"URL: {error}", number, url.start(1) + 1)
        else:
            for doubt in puzzle.doubts:
                self._warn(doubt, number, url.start(1) + 1)
            self._add(puzzle)


def _elements(text: str, line: int, start: int) -> Iterator[tuple[Any, str, int, int]]:
    """The elements of a list: each with its text, its line and the characters before it.

    The list begins at `start` of the text or after it, and the text in this line.
    """
    decoder, end = json.JSONDecoder(), text.index("[", start) + 1
    before, newline = 0, -1  # the last element, and the last newline before it
    while (match := _OPENING.search(text, end)) is not None:
        start = match.start()
        line += text.count("\n", before, start)
        newline = max(newline, text.rfind("\n", before, start))
        loaded, end = decoder.raw_decode(text, start)
        yield loaded, text[start:end], line, start - newline - 1
        before = start


def _list_in(loaded: dict[str, Any], text: str) -> tuple[Any, int]:
    """The list of puzzles that an object has, and where it begins in the text; else the object."""
    key = _key(loaded, PUZZLE_NAMES, str | list)
    has_layout = isinstance(loaded.get("grid"), list) or _key(loaded, REGION_NAMES)
    if key and not has_layout and _are_puzzles(loaded[key]):
        decoder = json.JSONDecoder()
        for match in re.finditer(rf'"{re.escape(key)}"\s*:\s*(?=\[)', text):
            # another object inside this one may have the same key
            if decoder.raw_decode(text, match.end())[0] == loaded[key]:
                return loaded[key], match.end()
    return loaded, 0


def _place(
    text: str, first: int, indent: int, loaded: Any, key: str, cell: int | None
) -> tuple[int, int]:
    """Line and column of a name of an object or of a cell.

    The text begins in line `first`, below `indent` characters.
    """
    above = start = 0
    if cell is not None:
        cells = [one for row in loaded["grid"] for one in row][:cell]
        above = sum(isinstance(one, dict) and key in one for one in cells)
        start = text.find('"grid"')
    at = 0
    for _ in range(above + 1 if key else 0):
        at = text.find(f'"{key}"', start)
        start = at + 1
    at = max(at, 0)
    lines = text.count("\n", 0, at)
    return first + lines, at - text.rfind("\n", 0, at) + (0 if lines else indent)


def decompressed(text: str) -> str:
    """Text that lz-string compressed to base 64; ValueError if it is damaged or cut off.

    The code is LZW with code words that grow by a bit. Words 0 and 1 are followed by a new
    character of 8 or 16 bits, and 2 ends the text.

    >>> decompressed("BYUwNmD2Q===")
    'hello'
    """
    bits = []
    for place, character in enumerate(text.rstrip("="), 1):
        sextet = BASE64.find(character)
        if sextet < 0:
            raise ValueError(f"character {character!r} ({place} of the data) is not of base 64")
        bits += [sextet >> shift & 1 for shift in range(5, -1, -1)]
    at, phrases, before = 0, ["", "", ""], ""
    out: list[str] = []
    length = 0
    while True:
        code, at = _number(bits, at, len(phrases).bit_length())
        if code == 2:
            return "".join(out)
        if code < 2:
            new, at = _number(bits, at, 8 << code)
            code = len(phrases)
            phrases.append(chr(new))
        if code > len(phrases) or (code == len(phrases) and not before):
            raise ValueError("the data are damaged")
        phrase = phrases[code] if code < len(phrases) else before + before[0]
        out.append(phrase)
        length += len(phrase)
        if length > MOST_CHARACTERS:
            raise ValueError(f"it has more than {MOST_CHARACTERS} characters")
        if before:
            phrases.append(before + phrase[0])
        before = phrase


def _number(bits: list[int], at: int, width: int) -> tuple[int, int]:
    """A number of `width` bits, the lowest first, and where the next one begins."""
    if at + width > len(bits):
        raise ValueError("the data are cut off")
    return sum(bit << place for place, bit in enumerate(bits[at : at + width])), at + width


def _loaded(text: str) -> Any:
    """The object of one puzzle, or a list of texts, lists or objects, of which some are puzzles."""
    try:
        loaded = json.loads(text)
    except RecursionError:
        raise _Fault("JSON: too many brackets inside each other") from None
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError):
            raise
        raise _Fault("JSON: a number with too many digits") from None
    return loaded if isinstance(loaded, dict) or _are_puzzles(loaded) else _of_list(loaded)


def _are_puzzles(loaded: Any) -> bool:
    """Whether a value is a list of puzzles: texts, lists, or objects of which some are puzzles."""
    if not isinstance(loaded, list) or not loaded:
        return False
    if all(isinstance(each, dict) for each in loaded):
        return any(_key(each, PUZZLE_NAMES, str | list) for each in loaded)
    if all(isinstance(each, str) for each in loaded):
        return max(map(len, loaded)) > MAX_SIZE  # shorter ones may be rows
    return all(map(_is_whole, loaded))


def _is_whole(puzzle: Any) -> bool:
    """Whether a list is a puzzle, as rows or as more cells than a row has."""
    is_list = isinstance(puzzle, list) and len(puzzle) > 0
    return is_list and (len(puzzle) > MAX_SIZE or all(isinstance(row, list) for row in puzzle))


def _of_list(cells: Any) -> dict[str, Any]:
    """The object of a puzzle as a list of all cells or of rows."""
    are_cells = isinstance(cells, list) and all(isinstance(cell, int | None) for cell in cells)
    if are_cells and len(cells) > MAX_SIZE:
        n = isqrt(len(cells))  # cell by cell; fewer of them may be a row
        if n * n != len(cells):
            raise _Fault(wrong_length(len(cells), None))
        cells = [cells[start : start + n] for start in range(0, len(cells), n)]
    if not (isinstance(cells, list) and cells and all(isinstance(row, list) for row in cells)):
        raise _Fault(_NO_PUZZLE)
    flat = [cell for row in cells for cell in row]
    if flat and all(isinstance(cell, str) for cell in flat):
        return {"puzzle": " ".join(cell.strip() or "." for cell in flat)}
    return {"grid": cells}


def _key(puzzle: dict[str, Any], names: tuple[str, ...], kinds: type | UnionType = object) -> str:
    """The key, in any case, that is the first of `names` with a value of such a kind; else ""."""
    keys = {
        key.strip().lower(): key
        for key, value in puzzle.items()
        if value and isinstance(value, kinds)
    }
    return next((keys[name] for name in names if name in keys), "")


def _of_text(text: str, line: int, syntax: LineSyntax) -> WrittenPuzzle:
    """The puzzle of a text: cells or candidates, as they stand on one line of a file or in rows."""
    marks = syntax.character_marks(text)
    cells: list[str] = []
    if marks is None:
        words = text.split()
        cells = list("".join(words))
        if len(words) > 1:
            spans = syntax.spans(text)
            # a Latin square may be of words though their number is no puzzle's
            is_puzzle = syntax.is_puzzle(len(spans))
            cells = [text[start:end] or "." for start, end in spans] if is_puzzle else words
        n = isqrt(len(cells))
        if n * n != len(cells) or not 1 <= n <= MAX_SIZE:
            raise _Fault(wrong_length(len(cells), None), "puzzle")
        marks = word_marks(cells, n, syntax.symbols) if len(words) > 1 else None
    if marks is None:
        return WrittenPuzzle("line", cells, line)
    if marks.wrong >= 0:
        raise _Fault(wrong_marks(marks), "puzzle")
    return WrittenPuzzle("line", marks.cells, line, symbols=marks.symbols, masks=marks.masks)


def written_puzzle(puzzle: dict[str, Any] | str, line: int, syntax: LineSyntax) -> WrittenPuzzle:
    """The puzzle of an object or a text; ValueError or LayoutError if it is none."""
    if isinstance(puzzle, str):
        return _of_text(puzzle, line, syntax)
    if isinstance(puzzle.get("grid"), list):
        return _of_grid(puzzle, line)
    key = _key(puzzle, PUZZLE_NAMES, str | list)
    if not key:
        raise _Fault(_NO_PUZZLE)
    value = puzzle[key]
    try:
        value = _of_list(value) if isinstance(value, list) else value
        written = written_puzzle(value, line, syntax)
    except _Fault as fault:
        raise _Fault(str(fault), key) from None
    region_key = _key(puzzle, REGION_NAMES)
    if region_key:
        _add_regions(written, puzzle[region_key], region_key)
    return written


def _add_regions(puzzle: WrittenPuzzle, names: Any, key: str) -> None:
    """Make a puzzle a jigsaw with the regions that stand under this key."""
    if not isinstance(names, str):
        reason = f"{key!r} is {json.dumps(names)[:20]}: a text with the name of each cell's region"
        raise _Fault(f"{reason} is needed", key)
    names = "".join(names.split())
    if len(names) != len(puzzle.cells):
        raise _Fault(wrong_number(len(names), len(puzzle.cells)), key)
    try:
        puzzle.layout, puzzle.doubts = region_layout(names)
    except LayoutError as error:
        raise _Fault(str(error), key) from None


def _of_grid(puzzle: dict[str, Any], line: int) -> WrittenPuzzle:
    """The puzzle of an object with a grid, of f-puzzles or of rows."""
    for key, value in puzzle.items():
        if value and key not in _NO_CONSTRAINTS and key not in _HOUSES:
            raise _Fault(f"constraint {key!r} is not supported", key)
        if key in _HOUSES and not isinstance(value, bool | None):
            raise _Fault(f"{key!r} is {json.dumps(value)[:20]}: true or false is needed", key)
    rows = puzzle["grid"]
    n = len(rows)
    if not 1 <= n <= MAX_SIZE:
        raise _Fault(f"a grid of {n} rows: N is from 1 to {MAX_SIZE}", "grid")
    if puzzle.get("size", n) != n:
        raise _Fault(f"{n} rows where size is {puzzle['size']!r}", "size")
    if not all(isinstance(row, list) and len(row) == n for row in rows):
        raise _Fault(f"a grid of {n} rows has a row that is not a list of {n} cells", "grid")
    cells: list[dict[str, Any]] = []
    given, masks = [0] * n * n, [(1 << n) - 1] * n * n
    for place, written_cell in enumerate(cell for row in rows for cell in row):
        try:
            cell = _cell(written_cell)
            if cell.get("given"):
                given[place] = _digit(cell.get("value"), n)
            if cell.get("givenPencilMarks"):
                masks[place] = _mask(cell["givenPencilMarks"], n)
        except _Fault as fault:
            raise _Fault(f"{cell_name(place, n)}: {fault}", fault.key, place) from None
        cells.append(cell)
    layout, doubts = _layout(puzzle, cells, n)
    if not any(cell.get("givenPencilMarks") for cell in cells):
        masks = []
    symbols = Symbols.default(n)
    written = [symbols.names_and_blank[digit] for digit in given]
    return WrittenPuzzle(
        "line", written, line, layout=layout, symbols=symbols, masks=masks, doubts=doubts
    )


def _cell(cell: Any) -> dict[str, Any]:
    """The object of a cell, which may be a number; 0, null or an empty text for a blank."""
    if cell is None or cell in (0, ""):
        return {}
    if type(cell) is int:
        return {"given": True, "value": cell}
    if not isinstance(cell, dict):
        raise _Fault(f"{json.dumps(cell)[:20]} is no cell: a digit, 0, null or an object is needed")
    unknown = {key for key in cell if cell[key]} - _CELL_KEYS
    if unknown:
        raise _Fault(f"{min(unknown)!r} of a cell is not supported", min(unknown))
    return cell


def _mask(digits: Any, n: int) -> int:
    if not isinstance(digits, list):
        raise _Fault("givenPencilMarks is not a list", "givenPencilMarks")
    return sum({1 << (_digit(digit, n, "givenPencilMarks") - 1) for digit in digits})


def _digit(value: Any, n: int, key: str = "value") -> int:
    if type(value) is not int or not 1 <= value <= n:
        raise _Fault(f"value {json.dumps(value)[:20]}: a digit is 1 to {n}", key)
    return value


def _layout(
    puzzle: dict[str, Any], cells: list[dict[str, Any]], n: int
) -> tuple[Layout | None, list[RegionWarning]]:
    """The layout, None if nothing but rows is written, and what is doubtful of its regions."""
    has_regions = any("region" in cell for cell in cells)
    if len(puzzle) == 1 and not has_regions:
        return None, []
    names = [name for key, name in _HOUSES.items() if puzzle.get(key)]
    try:
        rows, columns = default_box(n)
    except LayoutError:
        rows, columns = 1, n
    plain = layout = Layout(rows, columns)
    doubts: list[RegionWarning] = []
    if has_regions:
        regions = [
            cell.get("region", place // n // rows * rows + place % n // columns)
            for place, cell in enumerate(cells)
        ]
        for place, region in enumerate(regions):
            if type(region) is not int:
                text = json.dumps(region)[:20]
                reason = (
                    f"{cell_name(place, n)}: a cell has no region, but {text}; a number is needed"
                )
                raise _Fault(reason, "region", place)
        try:
            region_houses, doubts = regions_of(regions)
        except LayoutError as error:
            raise _Fault(str(error), "region", error.cell) from None
        jigsaw = Layout(1, n, extra=region_houses)
        if not plain.has_boxes or jigsaw.regions != plain.regions:
            layout = jigsaw
    extra = puzzle.get("extraregion") or []
    if not isinstance(extra, list):
        raise _Fault("extraregion is not a list", "extraregion")
    houses = [House(f"extra region {k}", _cells(one, n)) for k, one in enumerate(extra, 1)]
    all_houses = [*layout.extra, *plain.with_houses(names).extra, *houses]
    return Layout(layout.box_rows, layout.box_columns, extra=all_houses), doubts


def _cells(region: Any, n: int) -> tuple[int, ...]:
    names = region.get("cells") if isinstance(region, dict) else None
    places = [_CELL.fullmatch(str(name)) for name in names] if isinstance(names, list) else []
    cells = [(int(place[1]), int(place[2])) for place in places if place]
    are_in_grid = all(1 <= side <= n for cell in cells for side in cell)
    if not cells or len(cells) != len(places) or not are_in_grid:
        raise _Fault("an extra region needs cells as R1C1, of the grid", "extraregion")
    return tuple((row - 1) * n + column - 1 for row, column in cells)
