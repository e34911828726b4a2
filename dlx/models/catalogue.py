"""The models by name, and how a command reads their parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any, NamedTuple

from dlx import models
from dlx.checks import AT_ONCE, brief
from dlx.errors import ProblemError
from dlx.files import open_to_read, read_bytes
from dlx.formats import decode
from dlx.models.model import check_entries
from dlx.models.shapes import PIECES, Cell, box, cells_of


class Parameter(NamedTuple):
    """A parameter of a model: of the function, and as an option of the command."""

    name: str
    # turns a text into the value; raises ValueError. `bool` for an option without a value
    read: Callable[[str], Any]
    default: str | None  # None: the parameter must be given
    help: str


class Entry(NamedTuple):
    """A model: the function that makes it, a description of one line, and its parameters."""

    make: Callable[..., models.Model]
    help: str
    parameters: tuple[Parameter, ...]


def read_region(text: str) -> list[Cell]:
    """Return the cells of a region: 6x10, 3x3x3, or rows of X and . separated by /.

    Examples
    --------
    >>> read_region("1x2"), read_region("XX/.X")
    ([(0, 0), (0, 1)], [(0, 0), (0, 1), (1, 1)])
    """
    sides = text.split("x")
    if len(sides) > 1 and all(re.fullmatch("[0-9]*[1-9][0-9]*", side) for side in sides):
        is_short = max(map(len, sides)) <= AT_ONCE
        if len(sides) in (2, 3) and is_short and max(map(int, sides)) <= 10_000:
            check_entries(prod(map(int, sides)), "the region", text)
            return box(*map(int, sides))
        raise ProblemError(f"{brief(text)} is no region: 2 or 3 sides of at most 10,000")
    return cells_of(text)


def _parts(
    text: str, value: str, kind: str, right: str, *, alone: bool = False
) -> Iterator[tuple[Any, ...]]:
    """Yield the name and the groups of the value of each name=value, separated by commas.

    Parameters
    ----------
    text : str
    value : str
        A regular expression with groups.
    kind, right : str
        What messages call what is named, and what would be right.
    alone : bool
        Whether a name without a value is right, too.
    """
    names = set()
    for part in text.split(","):
        match = re.fullmatch(f"([^=]+)(?:={value}){'?' if alone else ''}", part, re.DOTALL)
        if match is None:
            raise ProblemError(f"{brief(part)} is no {right}")
        if match[1] in names:
            raise ProblemError(f"{kind} {brief(match[1])} is given twice")
        names.add(match[1])
        yield match.groups()


def read_pieces(text: str) -> Mapping[str, list[Cell]]:
    """Return pieces: the name of a set, or name=picture, separated by commas, rows by /.

    Examples
    --------
    >>> read_pieces("I=XX,L=XX/X.")
    {'I': [(0, 0), (0, 1)], 'L': [(0, 0), (0, 1), (1, 0)]}
    """
    if text in PIECES:
        return PIECES[text]
    right = f"piece such as I=XXXX, and no set; there are {', '.join(PIECES)}"
    return {name: cells_of(picture) for name, picture in _parts(text, "(.*)", "piece", right)}


def read_copies(text: str) -> Any:
    """Return one, any, or a mapping: name=2 or name=0:3, separated by commas.

    Examples
    --------
    >>> read_copies("I=2,L=0:3")
    {'I': 2, 'L': (0, 3)}
    """
    if text in ("one", "any"):
        return text
    right = "number of copies such as I=2 or I=0:3"
    return {
        name: int(high) if low is None else (int(low), int(high))
        for name, low, high in _parts(text, "(?:([0-9]{1,9}):)?([0-9]{1,9})", "piece", right)
    }


def read_words(path: str) -> list[str]:
    """Return the words of a file, one or several a line."""
    with open_to_read(path) as file:
        return decode(read_bytes(file, path), path).split()


def read_tasks(text: str) -> dict[str, int]:
    """Return tasks and how long each takes: name or name=slots, separated by commas.

    Examples
    --------
    >>> read_tasks("cut=2,pack")
    {'cut': 2, 'pack': 1}
    """
    parts = _parts(text, "([0-9]{1,6})", "task", "task such as cut=2", alone=True)
    return {name: int(length or 1) for name, length in parts}


def read_people(text: str) -> dict[str, list[str]]:
    """Return people and the tasks that each can do: name=task+task, separated by commas.

    Examples
    --------
    >>> read_people("Ann=cut+pack,Bob=cut")
    {'Ann': ['cut', 'pack'], 'Bob': ['cut']}
    """
    right = "person with tasks such as Ann=cut+pack"
    return {name: able.split("+") for name, able in _parts(text, "(.*)", "person", right)}


def read_square(text: str) -> list[list[int]]:
    """Return the rows of a square: numbers separated by commas, rows by /.

    Examples
    --------
    >>> read_square("0,1/1,0")
    [[0, 1], [1, 0]]
    """
    try:
        return [
            [read_number(symbol.strip()) for symbol in row.split(",")] for row in text.split("/")
        ]
    except ValueError:
        raise ProblemError(f"{brief(text)} is no square such as 0,1/1,0") from None


def read_number(text: str) -> int:
    """Return a whole number of at most a million, more than models of a sensible size have.

    Models refuse what is too small for them.
    """
    is_number = text.isascii() and text.removeprefix("-").isdigit()
    if is_number and len(text) < 10 and int(text) <= 1_000_000:
        return int(text)
    raise ProblemError(f"{brief(text)} is not a whole number up to 1,000,000")


def read_seed(text: str) -> int:
    """Return a whole number from 0 on: seeds of all commands may have more digits than sizes."""
    if text.isascii() and text.isdigit() and len(text) <= AT_ONCE:
        return int(text)
    raise ProblemError(f"{brief(text)} is not a whole number of at least 0")


def read_cities(text: str) -> int | None:
    """Return a number of cities, or None for what the model chooses."""
    return None if text == "auto" else read_number(text)


def _number(name: str, default: str | None, text: str) -> Parameter:
    return Parameter(name, read_number, default, text)


def _flag(name: str, text: str) -> Parameter:
    return Parameter(name, bool, None, text)


def _polyominoes(no_rotations: bool, no_reflections: bool, **others: Any) -> models.Model:
    return models.polyominoes(rotate=not no_rotations, reflect=not no_reflections, **others)


MODELS = {
    "polyominoes": Entry(
        _polyominoes,
        "fill a region with polyominoes or polycubes",
        (
            Parameter(
                "region", read_region, "6x10", "6x10, 3x3x3, or rows of X and . such as XX/.X"
            ),
            Parameter(
                "pieces", read_pieces, "pentominoes", f"{', '.join(PIECES)}, or name=picture,..."
            ),
            Parameter("copies", read_copies, "one", "one, any, or name=2,name=0:3,..."),
            _flag("no-rotations", "pieces keep their direction"),
            _flag("no-reflections", "pieces are not turned over"),
            _flag("slack", "cells may stay empty"),
            _flag("distinct", "leave out solutions that are another one turned or reflected"),
        ),
    ),
    "soma": Entry(models.soma, "fill a cube with the seven Soma pieces", ()),
    "partridge": Entry(
        models.partridge,
        "fill a square with k squares of each side k",
        (_number("n", "8", "the largest side"),),
    ),
    "dominoes": Entry(
        models.dominoes,
        "fill a board with dominoes",
        (_number("rows", "8", "of the board"), _number("columns", "8", "of the board")),
    ),
    "queens": Entry(
        models.queens, "n queens, none attacking another", (_number("n", "8", "rows and columns"),)
    ),
    "domination": Entry(
        models.domination,
        "chessmen that attack all squares",
        (
            _number("n", "8", "rows and columns"),
            _number("men", "5", "how many chessmen"),
            Parameter("man", str, "queen", ", ".join(models.CHESSMEN)),
        ),
    ),
    "langford": Entry(
        models.langford, "Langford pairs of 1 to n", (_number("n", "7", "the largest number"),)
    ),
    "latin": Entry(models.latin, "Latin squares", (_number("n", "5", "the order"),)),
    "mates": Entry(
        models.orthogonal_mates,
        "Latin squares orthogonal to a given one",
        (Parameter("square", read_square, "0,1,2/1,2,0/2,0,1", "rows by /, symbols by commas"),),
    ),
    "words": Entry(
        models.word_rectangle,
        "words across and down",
        (
            _number("rows", "4", "of the rectangle"),
            _number("columns", "4", "of the rectangle"),
            Parameter("words", read_words, None, "a file of words"),
            _flag("repeats", "a word may come several times"),
        ),
    ),
    "macmahon": Entry(
        models.macmahon,
        "MacMahon's squares with coloured edges",
        (
            _number("rows", "4", "of the board"),
            _number("columns", "6", "of the board"),
            _number("colours", "3", "of the edges"),
        ),
    ),
    "matchings": Entry(
        models.matchings,
        "pairings of n people",
        (_number("n", "6", "how many people"), _number("partners", "1", "of each person")),
    ),
    "designs": Entry(
        models.block_designs,
        "sets of n things that contain each pair equally often",
        (
            _number("n", "7", "how many things"),
            _number("size", "3", "of each set"),
            _number("fold", "1", "how often each pair comes"),
        ),
    ),
    "schedule": Entry(
        models.schedule,
        "tasks for people, one after the other",
        (
            Parameter("tasks", read_tasks, "cut=2,paint,pack", "name or name=slots, by commas"),
            Parameter(
                "people",
                read_people,
                "Ann=cut+pack,Bob=paint+pack",
                "name=task+task, by commas",
            ),
            _number("slots", "2", "of each person"),
        ),
    ),
    "partitions": Entry(
        models.set_partitions, "partitions of a set", (_number("n", "5", "how many things"),)
    ),
    "rosters": Entry(
        models.crew_rosters,
        "random flights, and crews for them at least cost",
        (
            _number("flights", "40", "items"),
            _number("pairings", "2000", "options, about"),
            Parameter("seed", read_seed, "1", "of the random numbers"),
            Parameter("cities", read_cities, "auto", "fewer cities have more pairings"),
        ),
    ),
}
"""The models that the command makes, by name."""
