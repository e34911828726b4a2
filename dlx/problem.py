"""Exact cover problems: items and options, checked once, held as flat arrays.

Choose options such that every primary item is in exactly one of them and every secondary item
in at most one; options that give a secondary item the same colour may share it (Knuth, The Art
of Computer Programming, volume 4B, section 7.2.2.1: XC and XCC problems).
"""

from __future__ import annotations

import hashlib
import operator
from array import array
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.errors import ProblemError

Int32s: TypeAlias = npt.NDArray[np.int32]

MAX_ENTRIES = 2**28  # 16 bytes a node: what a kernel can address with 32-bit numbers
CHUNK = 1 << 18  # entries that are sorted at once in search of duplicates: bounds the memory


@dataclass(frozen=True, slots=True)
class Coloured:
    """A secondary item with its colour, as it stands in an option; both any hashable value."""

    item: Hashable
    colour: Hashable


class Problem:
    """An immutable exact cover problem.

    Parameters
    ----------
    options : iterable of iterables of items
        An item is any hashable value; a coloured one stands as `Coloured(item, colour)`. A
        two-dimensional numpy array is taken as a 0/1 matrix, see `from_matrix`.
    primary : iterable of items, optional
        If given, every item must be declared here or as secondary. Otherwise every item that
        is not secondary is primary, in order of first appearance.
    secondary : iterable of items
        Items that at most one option covers, or several that agree on the colour.
    costs : iterable of int, optional
        One whole number an option.

    Attributes
    ----------
    items : tuple
        The names, primary items first; an item's place here is its number.
    colours : tuple
        The names of the colours; colour number k > 0 is `colours[k - 1]`.
    num_primary, num_secondary, num_items, num_options, num_entries : int
    start : int32[num_options + 1], read-only
        Option i has the entries `start[i]` to `start[i + 1] - 1`.
    item, colour : int32[num_entries], read-only
        Each entry's item number, and its colour number (0: none).
    costs : tuple of int, or None
        None, too, if there are no options.

    Raises
    ------
    ProblemError
        Naming the option (numbered from 0) and the item: an item twice in an option, a colour
        on a primary item, an undeclared item where primary items were declared, an item
        declared twice, an empty option.

    Two options are compatible if they share no primary item, and give each secondary item that
    they share the same colour. Equal options are different options. An option of secondary
    items alone keeps its number, and no search chooses it; it is in a cover only if it is given.

    >>> problem = Problem([["a", "b"], ["c"], ["a", Coloured("x", 1)]], secondary=["x"])
    >>> problem
    Problem(3 primary + 1 secondary items, 3 options, 5 entries)
    >>> problem.option(2)
    ('a', Coloured(item='x', colour=1))
    >>> problem.items
    ('a', 'b', 'c', 'x')
    """

    __slots__ = ("_digest", "colour", "colours", "costs", "item", "items", "num_primary", "start")

    items: tuple[Hashable, ...]
    colours: tuple[Hashable, ...]
    num_primary: int
    start: Int32s
    item: Int32s
    colour: Int32s
    costs: tuple[int, ...] | None

    def __init__(
        self,
        options: Iterable[Iterable[Hashable]] | npt.NDArray[Any],
        *,
        primary: Iterable[Hashable] | None = None,
        secondary: Iterable[Hashable] = (),
        costs: Iterable[int] | None = None,
    ) -> None:
        if isinstance(options, str | bytes):
            raise ProblemError(
                "options are a string where an iterable of options is needed"
                " (dlx.read takes a file, dlx.loads a text)"
            )
        if isinstance(options, np.ndarray) and options.ndim == 2:
            if primary is not None:
                raise ProblemError("a matrix declares its items by its columns; leave out primary")
            self._fill(*_from_matrix(options, secondary), costs)
        else:
            self._fill(*_from_options(options, primary, secondary), costs)

    @classmethod
    def from_matrix(
        cls,
        matrix: npt.ArrayLike,
        *,
        secondary: Iterable[int] = (),
        costs: Iterable[int] | None = None,
    ) -> Problem:
        """The problem of a 0/1 or boolean matrix: rows are options, columns 0 to n-1 are items.

        `secondary` lists the columns that are secondary items. Raises ProblemError if the
        matrix is ragged, not two-dimensional, holds anything but 0 and 1, or has a row of zeros.

        >>> Problem.from_matrix([[1, 0, 1], [0, 1, 0]])
        Problem(3 primary items, 2 options, 3 entries)
        """
        problem = cls.__new__(cls)
        problem._fill(*_from_matrix(matrix, secondary), costs)
        return problem

    @classmethod
    def from_arrays(
        cls,
        start: npt.ArrayLike,
        item: npt.ArrayLike,
        colour: npt.ArrayLike | None = None,
        *,
        num_primary: int,
        num_secondary: int = 0,
        items: Iterable[Hashable] | None = None,
        colours: Iterable[Hashable] | None = None,
        costs: Iterable[int] | None = None,
    ) -> Problem:
        """The problem held by flat integer arrays, without Python work for each option.

        start : int[num_options + 1], option i has the entries start[i] to start[i + 1] - 1
        item : int[num_entries], below num_primary a primary item, then the secondary ones
        colour : int[num_entries], 0 for none
        items, colours : their names; where left out, their numbers

        Raises ProblemError as the class does.

        >>> Problem.from_arrays([0, 2, 3], [0, 1, 2], num_primary=3).option(0)
        (0, 1)
        """
        problem = cls.__new__(cls)
        num_items = _whole(num_primary, "num_primary") + _whole(num_secondary, "num_secondary")
        if num_primary < 0 or num_secondary < 0:
            raise ProblemError("num_primary and num_secondary must not be negative")
        names = tuple(range(num_items)) if items is None else tuple(items)
        numbers: dict[Hashable, int] = {}
        for name in () if items is None else names:
            _declare(numbers, name, len(numbers))
        if len(names) != num_items:
            raise ProblemError(f"{len(names)} names for {num_items} items; each item needs one")
        own = _from_arrays(start, item, num_items)
        own_colours, own_colour = _colours(colour, *own, colours)
        problem._fill(names, int(num_primary), own_colours, *own, own_colour, costs)
        return problem

    def _fill(
        self,
        items: tuple[Hashable, ...],
        num_primary: int,
        colours: tuple[Hashable, ...],
        start: Int32s,
        item: Int32s,
        colour: Int32s,
        costs: Iterable[int] | None,
    ) -> None:
        fields = (items, num_primary, colours, start, item, colour, _costs(costs, len(start) - 1))
        self.__setstate__(fields)
        self._check()

    def _check(self) -> None:
        empty = np.flatnonzero(self.start[1:] == self.start[:-1])
        if len(empty):
            raise ProblemError(
                f"option {empty[0]} is empty; an option needs at least one item",
                option=int(empty[0]),
            )
        wrong = np.flatnonzero((self.colour > 0) & (self.item < self.num_primary))
        if len(wrong):
            self._refuse(int(wrong[0]), "has a colour, but is primary; only secondary items may")
        for first, last in _chunks(self.start):
            entry = _duplicate(self.start, self.item, self.num_items, first, last)
            if entry is not None:
                self._refuse(entry, "is in it twice; an option is a set of items")

    def _refuse(self, entry: int, fault: str) -> None:
        option = _option_of(self.start, entry)
        item = int(self.item[entry])
        raise ProblemError(
            f"option {option} {_brief(self.option(option))}: item {self.items[item]!r} {fault}",
            option=option,
            item=item,
        )

    @property
    def num_items(self) -> int:
        """How many items there are, primary and secondary."""
        return len(self.items)

    @property
    def num_secondary(self) -> int:
        """How many secondary items there are."""
        return len(self.items) - self.num_primary

    @property
    def num_options(self) -> int:
        """How many options there are."""
        return len(self.start) - 1

    @property
    def num_entries(self) -> int:
        """How many items all options have together."""
        return len(self.item)

    def option(self, number: int) -> tuple[Hashable, ...]:
        """The items of an option, coloured ones as `Coloured`; IndexError beyond the last."""
        if not 0 <= number < self.num_options:
            raise IndexError(f"option {number} of {self.num_options}, which count from 0")
        entries = slice(int(self.start[number]), int(self.start[number + 1]))
        return tuple(
            Coloured(self.items[i], self.colours[k - 1]) if k else self.items[i]
            for i, k in zip(self.item[entries].tolist(), self.colour[entries].tolist(), strict=True)
        )

    def compatible(self, options: Iterable[int]) -> bool:
        """Return whether these (different) options may all stand in one solution.

        Raises
        ------
        ProblemError
            A number is not that of an option.

        Examples
        --------
        >>> problem = Problem([[0, 1], [2], [1]])
        >>> problem.compatible([0, 1]), problem.compatible([0, 2])
        (True, False)
        """
        seen: dict[int, int] = {}
        for number in options:
            option = _whole(number, "an option")
            if not 0 <= option < self.num_options:
                raise ProblemError(
                    f"option {option} is not one of 0 to {self.num_options - 1}", option=option
                )
            entries = slice(int(self.start[option]), int(self.start[option + 1]))
            colours = self.colour[entries].tolist()
            for i, k in zip(self.item[entries].tolist(), colours, strict=True):
                if i in seen and (k == 0 or seen[i] != k):
                    return False
                seen[i] = k
        return True

    @property
    def digest(self) -> bytes:
        """32 bytes that tell this problem's arrays from any other's; names play no part."""
        if self._digest is None:
            sizes = (self.num_primary, self.num_secondary, self.num_options, self.num_entries)
            hasher = hashlib.blake2b(repr(sizes).encode(), digest_size=32)
            for values in (self.start, self.item, self.colour):
                hasher.update(values.astype("<i4", copy=False).tobytes())
            object.__setattr__(self, "_digest", hasher.digest())
        assert self._digest is not None
        return self._digest

    _digest: bytes | None

    def __repr__(self) -> str:
        secondary = f" + {self.num_secondary} secondary" if self.num_secondary else ""
        return (
            f"Problem({self.num_primary} primary{secondary} items,"
            f" {self.num_options} options, {self.num_entries} entries)"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return self.__getstate__()[:3] == other.__getstate__()[:3] and (
            self.costs == other.costs and self.digest == other.digest
        )

    def __hash__(self) -> int:
        return hash((self.digest, self.costs))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Problem is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Problem is immutable: {name} cannot be deleted")

    def __getstate__(self) -> tuple[Any, ...]:
        return (
            self.items,
            self.num_primary,
            self.colours,
            self.start,
            self.item,
            self.colour,
            self.costs,
        )

    def __setstate__(self, fields: tuple[Any, ...]) -> None:
        names = ("items", "num_primary", "colours", "start", "item", "colour", "costs")
        for name, value in zip(names, fields, strict=True):
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
                value = value.view()  # of what owns the data, so it cannot be made writeable
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_digest", None)


def as_problem(problem: Problem | Iterable[Iterable[Any]]) -> Problem:
    """Return the problem itself, or the problem of an iterable of options or a matrix."""
    return problem if isinstance(problem, Problem) else Problem(problem)


Fields: TypeAlias = tuple[
    tuple[Hashable, ...], int, tuple[Hashable, ...], Int32s, Int32s, Int32s
]  # items, num_primary, colours, start, item, colour


def _from_options(
    options: Iterable[Iterable[Hashable]],
    primary: Iterable[Hashable] | None,
    secondary: Iterable[Hashable],
) -> Fields:
    codes = _Codes(primary, secondary)
    start, code = [0], array("q")
    for number, option in enumerate(options):
        try:
            entries = tuple(option)
        except TypeError:
            raise ProblemError(
                f"option {number} is {_brief(option)}; an option is an iterable of items",
                option=number,
            ) from None
        try:
            code.extend(map(codes.__getitem__, entries))
        except _Undeclared as error:
            raise ProblemError(
                f"option {number} {_brief(entries)}: item {error.args[0]!r} is not declared,"
                " neither primary nor secondary",
                option=number,
            ) from None
        except TypeError:
            raise ProblemError(
                f"option {number} {_brief(entries)}: items and colours must be hashable",
                option=number,
            ) from None
        start.append(len(code))
    _check_size(len(code), len(start), len(codes))
    own_code = np.array(code, np.int64)
    number_of = np.array(codes.number, np.int32)
    np.subtract(codes.num_primary - 1, number_of, out=number_of, where=number_of < 0)
    return (
        tuple(codes.primary + codes.secondary),
        codes.num_primary,
        tuple(codes.colours),
        np.array(start, np.int32),
        number_of[own_code],
        np.array(codes.colour, np.int32)[own_code],
    )


class _Undeclared(Exception):
    pass


class _Codes(dict[Hashable, int]):
    """From an entry of an option to its code; a code's item and colour stand in two lists.

    Until all primary items are known, secondary item s goes by the number -1 - s.
    """

    def __init__(self, primary: Iterable[Hashable] | None, secondary: Iterable[Hashable]) -> None:
        super().__init__()
        self.primary = [] if primary is None else list(primary)
        self.secondary = list(secondary)
        self.declared = primary is not None
        self.number = list(range(len(self.primary))) + [-1 - s for s in range(len(self.secondary))]
        self.colour = [0] * len(self.number)
        self.colours: dict[Hashable, int] = {}
        for name in self.primary + self.secondary:
            _declare(self, name, len(self))

    @property
    def num_primary(self) -> int:
        return len(self.primary)

    def __missing__(self, entry: Hashable) -> int:
        if isinstance(entry, Coloured):
            number = self.number[self[entry.item]]
            colour = self.colours.setdefault(entry.colour, len(self.colours) + 1)
        elif self.declared:
            raise _Undeclared(entry)
        else:
            number, colour = len(self.primary), 0
            self.primary.append(entry)
        code = self[entry] = len(self.number)
        self.number.append(number)
        self.colour.append(colour)
        return code


def _declare(numbers: dict[Hashable, int], name: Hashable, number: int) -> None:
    if isinstance(name, Coloured):
        raise ProblemError(f"item {name.item!r} is declared with a colour; colours are for options")
    try:
        if name in numbers:
            raise ProblemError(f"item {name!r} is declared twice; each item is declared once")
        numbers[name] = number
    except TypeError:
        raise ProblemError(f"{_brief(name)} cannot be an item; items must be hashable") from None


def _from_matrix(matrix: npt.ArrayLike, secondary: Iterable[Any]) -> Fields:
    if not isinstance(matrix, np.ndarray):
        matrix = _rectangle(matrix)
    if matrix.ndim != 2:
        raise ProblemError(f"the matrix has {matrix.ndim} dimensions; it needs rows and columns")
    if matrix.dtype.kind not in "biufO":
        raise ProblemError(f"the matrix holds {matrix.dtype} values; it needs 0 and 1, or booleans")
    if matrix.dtype.kind != "b":
        wrong = np.argwhere((matrix != 0) & (matrix != 1))
        if len(wrong):
            row, column = wrong[0].tolist()
            raise ProblemError(
                f"option {row} has {matrix[row, column]} in column {column}; a matrix holds 0 and 1"
                " (options of item numbers are given as lists)",
                option=row,
                item=column,
            )
    num_options, num_items = matrix.shape
    number = np.full(num_items, -1, np.int32)
    columns = []
    for given in secondary:
        column = _whole(given, "a secondary column")
        if not 0 <= column < num_items:
            raise ProblemError(f"secondary column {column} is not one of 0 to {num_items - 1}")
        if number[column] >= 0:
            raise ProblemError(f"column {column} is declared secondary twice")
        number[column] = num_items
        columns.append(column)
    num_primary = num_items - len(columns)
    primary = np.flatnonzero(number < 0)
    number[primary] = np.arange(num_primary, dtype=np.int32)
    number[columns] = np.arange(num_primary, num_items, dtype=np.int32)
    rows, entries = np.nonzero(matrix)
    _check_size(len(rows), num_options + 1, num_items)
    start = np.zeros(num_options + 1, np.int32)
    np.cumsum(np.bincount(rows, minlength=num_options), out=start[1:])
    names = tuple(primary.tolist() + columns)
    return names, num_primary, (), start, number[entries], np.zeros(len(rows), np.int32)


def _rectangle(matrix: Any) -> npt.NDArray[Any]:
    try:
        rows = [np.asarray(row) for row in matrix]
    except (TypeError, ValueError):
        raise ProblemError("a matrix is a list of rows, each a list of 0 and 1") from None
    for number, row in enumerate(rows):
        if row.ndim != 1:
            raise ProblemError(f"option {number} is {_brief(matrix[number])}, not a row of numbers")
        if len(row) != len(rows[0]):
            raise ProblemError(
                f"option {number} has {len(row)} columns where option 0 has {len(rows[0])};"
                " all rows of a matrix have the same length",
                option=number,
            )
    return np.array(rows) if rows else np.zeros((0, 0), np.int8)


def _from_arrays(
    start: npt.ArrayLike, item: npt.ArrayLike, num_items: int
) -> tuple[Int32s, Int32s]:
    first = _integers(start, "start")
    numbers = _integers(item, "item")
    _check_size(len(numbers), len(first), num_items)
    if not len(first) or first[0] != 0 or first[-1] != len(numbers):
        raise ProblemError(f"start must begin with 0 and end with the {len(numbers)} entries")
    falls = np.flatnonzero(first[1:] < first[:-1])
    if len(falls):
        raise ProblemError(f"option {falls[0]} ends before it starts", option=int(falls[0]))
    own_start = first.astype(np.int32)
    outside = np.flatnonzero((numbers < 0) | (numbers >= num_items))
    if len(outside):
        option = _option_of(own_start, outside[0])
        raise ProblemError(
            f"option {option}: item {numbers[outside[0]]} is not one of 0 to {num_items - 1}",
            option=option,
        )
    return own_start, numbers.astype(np.int32)


def _colours(
    colour: npt.ArrayLike | None,
    start: Int32s,
    item: Int32s,
    names: Iterable[Hashable] | None,
) -> tuple[tuple[Hashable, ...], Int32s]:
    own = np.zeros(len(item), np.int32)
    if colour is None:
        return (), own
    given = _integers(colour, "colour")
    if len(given) != len(item):
        raise ProblemError(f"colour has {len(given)} entries where item has {len(item)}")
    # Without names the colours used are numbered anew, so that they may be any numbers.
    (coloured,) = np.nonzero(given)
    distinct, place = np.unique(given[coloured], return_inverse=True)
    own_names = tuple(distinct.tolist()) if names is None else tuple(names)
    most = int(np.iinfo(np.int64).max) if names is None else len(own_names)
    if len(distinct) and (distinct[0] < 0 or distinct[-1] > most):
        entry = np.flatnonzero((given < 0) | (given > most))[0]
        option = _option_of(start, entry)
        raise ProblemError(
            f"option {option}: item {item[entry]} has colour {given[entry]};"
            f" colours are 1 {'or more' if names is None else f'to {most}'}, and 0 for none",
            option=option,
            item=int(item[entry]),
        )
    own[coloured] = place + 1 if names is None else given[coloured]
    return own_names, own


def _option_of(start: Int32s, entry: Any) -> int:
    return int(np.searchsorted(start, entry, side="right")) - 1


def _integers(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
        raise ProblemError(f"{name} must be a one-dimensional array of integers")
    return array


def _whole(value: object, name: str) -> int:
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ProblemError(f"{name} is {_brief(value)}; it must be a whole number") from None


def _costs(costs: Iterable[int] | None, num_options: int) -> tuple[int, ...] | None:
    if costs is None:
        return None
    whole = tuple(_whole(cost, f"the cost of option {i}") for i, cost in enumerate(costs))
    if len(whole) != num_options:
        raise ProblemError(f"{len(whole)} costs for {num_options} options; each option needs one")
    return whole or None


def _check_size(num_entries: int, num_starts: int, num_items: int) -> None:
    if num_entries + num_starts + num_items > MAX_ENTRIES:
        raise ProblemError(
            f"{num_entries} entries, {num_starts - 1} options and {num_items} items are too many;"
            f" together they may be {MAX_ENTRIES - 1}"
        )


def _chunks(start: Int32s) -> Iterable[tuple[int, int]]:
    first, num_options = 0, len(start) - 1
    while first < num_options:
        beyond = int(np.searchsorted(start, int(start[first]) + CHUNK, side="right")) - 1
        last = max(first + 1, beyond)
        yield first, last
        first = last


def _duplicate(start: Int32s, item: Int32s, num_items: int, first: int, last: int) -> int | None:
    """The entry that repeats an item in the lowest option of [first, last) with one, or None."""
    entries = item[start[first] : start[last]]
    option = np.repeat(np.arange(last - first, dtype=np.int64), np.diff(start[first : last + 1]))
    key = option * num_items + entries
    ordered = np.sort(key)
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    if not len(same):
        return None
    return int(start[first]) + int(np.flatnonzero(key == ordered[same[0]])[1])


def _brief(value: object) -> str:
    if isinstance(value, list | tuple):
        text = f"({', '.join(_entry(entry) for entry in value)})"
    else:
        text = repr(value)
    return text if len(text) <= 100 else text[:97] + "..."


def _entry(entry: object) -> str:
    return f"{entry.item!r}:{entry.colour!r}" if isinstance(entry, Coloured) else repr(entry)
