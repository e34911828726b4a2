"""Text format of exact cover problems, as Knuth's programs read it.

    | a line that starts with | is a comment
    a b 2:3|c | x y
    a b x:red
    c y |5

The first line that is not a comment names the items: primary ones, then, after a `|`, secondary
ones. A primary item may have a multiplicity, `low:high|item`, or `n|item` for exactly n (DLX3).
Each further line is an option: its items, a secondary one optionally with `:colour`, and
optionally `|n`, the cost of the option (DLX5; several costs are added). If any option has a cost,
one without it costs 0; `Problem(costs=...)` takes one for each option. Blank lines are ignored.
"""

from __future__ import annotations

import gzip
import io
import lzma
import math
import os
import re
import zlib
from array import array
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from dlx.checks import as_path, as_text, brief
from dlx.errors import FormatError, ProblemError
from dlx.files import GZIP, XZ, open_to_read, read_bytes, write_file
from dlx.problem import Problem, as_problem

UNREADABLE = re.compile("[\0\ufeff\ud800-\udfff]")  # what a text file in UTF-8 does not give back
# in a name: white space, signs of the format, and the same
UNWRITABLE = re.compile("[\\s:|\0\ufeff\ud800-\udfff]")
UNWRITABLE_COLOUR = re.compile("[\\s\0\ufeff\ud800-\udfff]")
MULTIPLICITY = re.compile(r"(?:([0-9]{1,9}):)?([0-9]{1,9})\|([^:|]+)")
LONGEST_COST = 1000  # digits; int() takes 4300


def read(path: str | os.PathLike[str]) -> Problem:
    """Return the problem in a text file.

    Parameters
    ----------
    path : str or path
        The file, in UTF-8, optionally compressed by gzip or xz.

    Raises
    ------
    OSError
        The file cannot be read.
    FormatError
        The file is not the text of a problem.
    """
    name = as_path(path, "path")
    with open_to_read(name) as file:
        data = read_bytes(file, name)
    return loads(decode(data, name), source=name)


def loads(text: str, source: str | os.PathLike[str] = "text") -> Problem:
    r"""Return the problem that a text describes.

    Parameters
    ----------
    text : str
    source : str or path
        What messages call the text, such as the name of its file.

    Raises
    ------
    FormatError
        Says where, by line and column, and what is wrong.

    Examples
    --------
    >>> loads("a b | x\na x:1\nb x:1\n")
    Problem(2 primary + 1 secondary items, 2 options, 4 entries)
    """
    return parse(text, str(source)).problem


def write(problem: Problem | Iterable[Iterable[Any]], path: str | os.PathLike[str]) -> None:
    """Write a problem to a text file, completely or not at all.

    Parameters
    ----------
    problem : Problem, or iterable of options
    path : str or path
        The file, which is replaced if it exists; compressed if its name ends with .gz or .xz.

    Raises
    ------
    ProblemError
        As for `dumps`.
    OutputError
        The file cannot be written, or has a name of another compressed format; it is an OSError.
    """
    write_file(path, dumps(problem).encode(), is_text=True)


def dumps(problem: Problem | Iterable[Iterable[Any]]) -> str:
    """Return the text of a problem, each item written as `str` does.

    Raises
    ------
    ProblemError
        The format cannot hold a name (it is empty, contains white space, `:` or `|`, is written
        like another name, or is no text for a file), or a cost of more than 1000 digits, or the
        problem has no primary items.

    Examples
    --------
    >>> print(dumps(Problem([["a", "b"], ["c"]], costs=[2, 0])), end="")
    a b c
    a b |2
    c |0
    """
    problem = as_problem(problem)
    if not problem.num_primary:
        raise ProblemError("a problem without primary items has no text form")
    names = _item_texts(problem)
    colours = ["", *_colour_texts(problem)]
    primary, secondary = names[: problem.num_primary], names[problem.num_primary :]
    if problem.bounds is not None:
        pairs = zip(primary, problem.bounds.tolist(), strict=True)
        primary = [_bounded(name, low, high) for name, (low, high) in pairs]
    lines = [" ".join(primary + (["|", *secondary] if secondary else []))]
    entries = [
        f"{names[i]}:{colours[k]}" if k else names[i]
        for i, k in zip(problem.item.tolist(), problem.colour.tolist(), strict=True)
    ]
    lines += [" ".join(entries[a:b]) for a, b in pairwise(problem.start.tolist())]
    if problem.costs is not None:
        if max(map(abs, problem.costs)) >= 10**LONGEST_COST:
            raise ProblemError(f"a cost in the text format has at most {LONGEST_COST} digits")
        costs = [f" |{cost}" for cost in problem.costs]
        lines[1:] = [line + cost for line, cost in zip(lines[1:], costs, strict=True)]
    return "\n".join(lines) + "\n"


def _bounded(name: str, low: int, high: int) -> str:
    """Return the name of an item with its multiplicity."""
    if low == high:
        return name if low == 1 else f"{low}|{name}"
    return f"{low}:{high}|{name}"


def _text(name: object) -> str:
    """Return the text of an item or a colour; no text for an integer that Python does not write."""
    try:
        return str(name)
    except ValueError:
        return ""


def _item_texts(problem: Problem) -> list[str]:
    texts = [_text(item) for item in problem.items]
    seen: set[str] = set()
    for item, text in zip(problem.items, texts, strict=True):
        if not text or UNWRITABLE.search(text):
            raise ProblemError(
                f"item {brief(item)} cannot be written: a name in the text format has at least one"
                " character, no white space, ':' or '|', at most 4300 digits, and only what UTF-8"
                " text can hold"
            )
        if text in seen:
            name = brief(item)
            raise ProblemError(f"item {name} is written like another item; names must differ")
        seen.add(text)
    return texts


def _colour_texts(problem: Problem) -> list[str]:
    texts = [_text(colour) for colour in problem.colours]
    for colour, text in zip(problem.colours, texts, strict=True):
        if not text or UNWRITABLE_COLOUR.search(text):
            raise ProblemError(
                f"colour {brief(colour)} cannot be written: it is empty, has a space or more"
                " than 4300 digits, or is not what UTF-8 text can hold"
            )
    if len(set(texts)) < len(texts):
        raise ProblemError("two colours are written alike; colours need distinct texts")
    return texts


def decode(data: bytes, source: str, most: float = math.inf) -> str:
    """Return the text that the bytes of a file encode, as UTF-8, perhaps compressed by gzip or xz.

    Raises
    ------
    FormatError
        The bytes are not such a text, or expand to more than `most` bytes.
    """
    if data.startswith((GZIP, XZ)):
        kind, unpack = ("gzip", gzip.open) if data.startswith(GZIP) else ("xz", lzma.open)
        try:
            with unpack(io.BytesIO(data)) as file:
                data = read_bytes(file, source, most)
        except (EOFError, OSError, zlib.error, lzma.LZMAError):
            raise FormatError(f"the {kind} data is broken or cut short", source=source) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError("this is not UTF-8 text", source=source, line=line) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError("this is a binary file, not a text", source=source, line=line)
    return text


class Parsed(NamedTuple):
    """A problem, and the line of text of each option."""

    problem: Problem
    lines: list[str]


def parse(text: str, source: str) -> Parsed:
    """Return the problem that a text describes, and how it wrote the options; see `loads`."""
    text = as_text(text, "text").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if "\0" in text or not text.isascii():
        _refuse_unreadable(lines, source)
    numbered = ((n, line) for n, line in enumerate(lines, 1) if line.lstrip()[:1] not in ("", "|"))
    number, line = next(numbered, (0, ""))
    if not number:
        raise FormatError(
            "there are no items; the first line that is no comment names them", source=source
        )
    options = _Options(_read_items(line, number, source))
    options.read(numbered, source)
    try:
        problem = options.problem()
    except ProblemError as error:
        if error.item is None:
            raise
        name = options.names[error.item]
        if error.option is None:
            columns = _columns(line, lambda word: word.rpartition("|")[2] == name)
        else:
            number = options.line_numbers[error.option]
            columns = _columns(lines[number - 1], lambda word: word.partition(":")[0] == name)
        column = columns[:2][-1]  # the second, if the item is there twice
        raise FormatError(str(error), source=source, line=number, column=column) from None
    return Parsed(problem, [lines[number - 1].strip() for number in options.line_numbers])


def _refuse_unreadable(lines: list[str], source: str) -> None:
    for number, line in enumerate(lines, 1):
        if match := UNREADABLE.search(line):
            fault = f"character {match[0]!a} cannot be in a text"
            raise FormatError(fault, source=source, line=number, column=match.start() + 1)


class _WordError(Exception):
    """A word of an option that cannot be read."""

    def __init__(self, word: str, fault: str) -> None:
        self.word = word
        self.fault = fault


class _Codes(dict[str, int]):
    """Maps a word of an option to its code: item number + number of items * colour number."""

    def __init__(self, names: list[str]) -> None:
        super().__init__((name, number) for number, name in enumerate(names))
        self.num_items = len(names)
        self.colours: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        name, colon, colour = word.partition(":")
        if name not in self:
            raise _WordError(word, f"item {brief(name)} is not among the items of the first line")
        if not colour and colon:
            raise _WordError(word, f"{brief(word)} has no colour after the colon")
        number = self.colours.setdefault(colour, len(self.colours) + 1)
        code = self[name] + self.num_items * number
        self[word] = code
        return code


class _Options:
    """The options of a text."""

    def __init__(self, items: _Items) -> None:
        self.names, self.num_primary, self._multiplicities = items
        names = self.names
        self.line_numbers = array("q")
        self._codes = _Codes(names)
        self._start, self._code = array("q", [0]), array("q")
        self._costs: dict[int, int] = {}

    def read(self, lines: Iterable[tuple[int, str]], source: str) -> None:
        """Add the options of numbered lines."""
        code, start, code_of = self._code, self._start, self._codes.__getitem__
        for number, line in lines:
            try:
                words = line.split()
                if "|" in line:
                    words, costs = _read_costs(words)
                    if costs:
                        self._costs[len(self.line_numbers)] = sum(costs)
                code.extend(map(code_of, words))
            except _WordError as error:
                column = _columns(line, error.word.__eq__)[0]
                raise FormatError(error.fault, source=source, line=number, column=column) from None
            start.append(len(code))
            self.line_numbers.append(number)

    def problem(self) -> Problem:
        code = np.frombuffer(self._code, np.int64) if self._code else np.zeros(0, np.int64)
        costs = [self._costs.get(i, 0) for i in range(len(self.line_numbers))]
        return Problem.from_arrays(
            np.frombuffer(self._start, np.int64),
            code % len(self.names),
            code // len(self.names),
            num_primary=self.num_primary,
            num_secondary=len(self.names) - self.num_primary,
            items=self.names,
            colours=self._codes.colours,
            costs=costs if self._costs else None,
            multiplicities=self._multiplicities or None,
        )


def _columns(line: str, is_sought: Callable[[str], bool]) -> list[int]:
    """Return the columns, from 1, of the words that are sought."""
    return [m.start() + 1 for m in re.finditer(r"\S+", line) if is_sought(m[0])]


class _Items(NamedTuple):
    """The names of the items, how many of them are primary, the multiplicities by name."""

    names: list[str]
    num_primary: int
    multiplicities: dict[str, tuple[int, int]]


def _read_items(line: str, number: int, source: str) -> _Items:
    """Read the line that names the items."""
    items: dict[str, None] = {}
    multiplicities: dict[str, tuple[int, int]] = {}
    num_primary = -1
    for match in re.finditer(r"\S+", line):
        word = match[0]
        if bounded := MULTIPLICITY.fullmatch(word):
            low, high, word = bounded.groups()
            multiplicities.setdefault(word, (int(high if low is None else low), int(high)))
        if word == "|" and num_primary < 0:
            num_primary = len(items)
            continue
        if word == "|":
            fault = "a second '|'; one separates primary from secondary items"
        elif wrong := re.fullmatch(r"([^|]+)\|([^:|]+)", word):
            fault = (
                f"{brief(wrong[1])} is not a multiplicity for item {brief(wrong[2])}; it is a whole"
                " number from 0 to 999999999, or two of them, as 2|item or 0:2|item"
            )
        elif ":" in word or "|" in word:
            fault = (
                f"{brief(word)} cannot name an item; a name has no ':' and no '|'"
                " but for a multiplicity such as 1:2|item"
            )
        elif word in items:
            fault = f"item {brief(word)} is declared twice; each item is declared once"
        else:
            items[word] = None
            continue
        raise FormatError(fault, source=source, line=number, column=match.start() + 1)
    return _Items(list(items), num_primary if num_primary >= 0 else len(items), multiplicities)


def _read_costs(words: list[str]) -> tuple[list[str], list[int]]:
    """Return the words that are items, and the costs; a colour may have a bar, too."""
    items, costs = [], []
    for word in words:
        if not word.startswith("|"):
            items.append(word)
        elif match := re.fullmatch(r"\|-?([0-9]+)", word):
            if len(match[1]) > LONGEST_COST:
                raise _WordError(word, f"a cost has at most {LONGEST_COST} digits")
            costs.append(int(word[1:]))
        else:
            raise _WordError(word, f"{brief(word)} is not a cost such as '|5', a whole number")
    return items, costs
