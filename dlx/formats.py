"""Text format of exact cover problems, as Knuth's programs read it.

    | a line that starts with | is a comment
    a b c | x y
    a b x:red
    c y |5

The first line that is no comment names the items, primary ones first, secondary ones after a
`|`. Each further line is an option: items, a secondary one perhaps with `:colour`, and perhaps
`|n`, the option's cost (DLX5; several are added up). Blank lines count for nothing.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from array import array
from itertools import pairwise
from pathlib import Path

import numpy as np

from dlx.errors import FormatError, ProblemError
from dlx.files import write_file
from dlx.problem import Problem

LONGEST_COST = 1002  # characters, with the bar and a sign; int() takes 4300 digits


def read(path: str | os.PathLike[str]) -> Problem:
    """The problem in a text file (UTF-8, perhaps compressed by gzip).

    Raises OSError where the file cannot be read, FormatError where it is no such problem.
    """
    return loads(decode(Path(path).read_bytes(), str(path)), source=str(path))


def loads(text: str, source: str = "text") -> Problem:
    r"""The problem that a text describes; `source` names the text in errors.

    Raises FormatError with line and column.

    >>> loads("a b | x\na x:1\nb x:1\n")
    Problem(2 primary + 1 secondary items, 2 options, 4 entries)
    """
    return parse(text, source)[0]


def write(problem: Problem, path: str | os.PathLike[str]) -> None:
    """Writes a problem to a text file: beside it first, then renamed.

    Raises as `dumps` does, and OutputError (an OSError) where the file cannot be written.
    """
    write_file(path, dumps(problem).encode())


def dumps(problem: Problem) -> str:
    """The text of a problem, each item written as `str` does.

    Raises ProblemError for a name that the format cannot hold (empty, with white space, `:` or
    `|`, or written like another's), and for a problem without primary items.

    >>> print(dumps(Problem([["a", "b"], ["c"]], costs=[2, 0])), end="")
    a b c
    a b |2
    c |0
    """
    if not problem.num_primary:
        raise ProblemError("a problem without primary items has no text form")
    names = _names(problem)
    colours = [str(colour) for colour in problem.colours]
    for number, colour in enumerate(colours):
        if not colour or re.search(r"\s", colour):
            raise ProblemError(
                f"colour {problem.colours[number]!r} cannot be written: it is empty or has a space"
            )
    if len(set(colours)) < len(colours):
        raise ProblemError("two colours are written alike; colours need distinct texts")
    primary, secondary = names[: problem.num_primary], names[problem.num_primary :]
    lines = [" ".join(primary + (["|", *secondary] if secondary else []))]
    colours.insert(0, "")
    entries = [
        f"{names[i]}:{colours[k]}" if k else names[i]
        for i, k in zip(problem.item.tolist(), problem.colour.tolist(), strict=True)
    ]
    start = problem.start.tolist()
    lines += [" ".join(entries[a:b]) for a, b in pairwise(start)]
    if problem.costs is not None:
        costs = [f" |{cost}" for cost in problem.costs]
        lines[1:] = [line + cost for line, cost in zip(lines[1:], costs, strict=True)]
    return "\n".join(lines) + "\n"


def _names(problem: Problem) -> list[str]:
    names = [str(item) for item in problem.items]
    seen: set[str] = set()
    for item, name in zip(problem.items, names, strict=True):
        if not name or re.search(r"[\s:|]", name):
            raise ProblemError(
                f"item {item!r} cannot be written: a name in the text format has at least one"
                " character, and no white space, ':' or '|'"
            )
        if name in seen:
            raise ProblemError(f"item {item!r} is written like another item; names must differ")
        seen.add(name)
    return names


def decode(data: bytes, source: str) -> str:
    """The text in a file's bytes; FormatError if they are none."""
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error):
            raise FormatError("the gzip data is broken or cut short", source=source) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError("this is not UTF-8 text", source=source, line=line) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError("this is a binary file, not a text", source=source, line=line)
    return text


def parse(text: str, source: str) -> tuple[Problem, list[str]]:
    """The problem, and the line that each option was written as."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    rest = ((n, line) for n, line in enumerate(lines, 1) if line.lstrip()[:1] not in ("", "|"))
    number, line = next(rest, (0, ""))
    if not number:
        raise FormatError(
            "there are no items; the first line that is no comment names them", source=source
        )
    reader = _Reader(*_item_line(line, number, source))
    start, codes, line_numbers = array("q", [0]), array("q"), array("q")
    costs: dict[int, int] = {}
    for number, line in rest:
        try:
            words = line.split()
            if "|" in line:
                words, costs[len(line_numbers)] = _costs(words)
            codes.extend(map(reader.__getitem__, words))
        except _WordError as error:
            column = next(m.start() for m in re.finditer(r"\S+", line) if m[0] == error.word) + 1
            raise FormatError(error.fault, source=source, line=number, column=column) from None
        start.append(len(codes))
        line_numbers.append(number)
    items, num_primary = reader.names, reader.num_primary
    code = np.frombuffer(codes, np.int64) if codes else np.zeros(0, np.int64)
    try:
        problem = Problem.from_arrays(
            np.frombuffer(start, np.int64),
            code % len(items),
            code // len(items),
            num_primary=num_primary,
            num_secondary=len(items) - num_primary,
            items=items,
            colours=reader.colours,
            costs=[costs.get(i, 0) for i in range(len(line_numbers))] if costs else None,
        )
    except ProblemError as error:
        if error.option is None or error.item is None:
            raise
        number = line_numbers[error.option]
        name = items[error.item]
        places = [
            m.start()
            for m in re.finditer(r"\S+", lines[number - 1])
            if m[0].partition(":")[0] == name
        ]
        column = places[min(1, len(places) - 1)] + 1
        raise FormatError(str(error), source=source, line=number, column=column) from None
    return problem, [lines[number - 1].strip() for number in line_numbers]


class _WordError(Exception):
    def __init__(self, word: str, fault: str) -> None:
        self.word = word
        self.fault = fault


class _Reader(dict[str, int]):
    """From a word of an option to its code: item number + number of items * colour number."""

    def __init__(self, names: list[str], num_primary: int) -> None:
        super().__init__((name, number) for number, name in enumerate(names))
        self.names = names
        self.num_primary = num_primary
        self.colours: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        name, colon, colour = word.partition(":")
        if name not in self:
            raise _WordError(word, f"item {name!r} is not among the items of the first line")
        if not colour and colon:
            raise _WordError(word, f"{word!r} has no colour after the colon")
        number = self.colours.setdefault(colour, len(self.colours) + 1)
        code = self[name] + len(self.names) * number
        self[word] = code
        return code


def _item_line(line: str, number: int, source: str) -> tuple[list[str], int]:
    items: dict[str, None] = {}
    num_primary = -1
    for match in re.finditer(r"\S+", line):
        word = match[0]
        if word == "|" and num_primary < 0:
            num_primary = len(items)
            continue
        if word == "|":
            fault = "a second '|'; one separates primary from secondary items"
        elif ":" in word or "|" in word:
            fault = f"{word!r} cannot name an item; a name has no ':' and no '|'"
        elif word in items:
            fault = f"item {word!r} is declared twice; each item is declared once"
        else:
            items[word] = None
            continue
        raise FormatError(fault, source=source, line=number, column=match.start() + 1)
    return list(items), num_primary if num_primary >= 0 else len(items)


def _costs(words: list[str]) -> tuple[list[str], int]:
    items, cost = [], 0
    for word in words:
        if not word.startswith("|"):
            items.append(word)
        elif re.fullmatch(r"\|-?[0-9]+", word):
            if len(word) > LONGEST_COST:
                raise _WordError(word, f"a cost has at most {LONGEST_COST - 2} digits")
            cost += int(word[1:])
        else:
            raise _WordError(word, f"{word!r} is not a cost such as '|5', a whole number")
    return items, cost
