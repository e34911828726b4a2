"""From options, a matrix or arrays to the flat arrays of a problem, with all checks.

`Problem` holds these arrays; this module builds them.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import accumulate, chain, count
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from dlx.checks import brief, whole
from dlx.errors import ProblemError

Int32s: TypeAlias = npt.NDArray[np.int32]
V = TypeVar("V")
Multiplicities: TypeAlias = Mapping[Any, int | tuple[int, int]]

LOW, HIGH = 0, 1  # columns of `Problem.bounds`
MAX_ENTRIES = 2**28  # a node of kernel "links" takes four places, whose numbers are int32
USUAL_OPTIONS = frozenset({list, tuple})  # the usual types of options
USUAL_ITEMS = frozenset({int, str, tuple})  # the usual types of items
SORTED_AT_ONCE = 1 << 18  # entries sorted at once in search of duplicates: bounds the memory


@dataclass(frozen=True, slots=True)
class Coloured:
    """A secondary item with its colour, as an entry of an option; both any hashable value."""

    item: Hashable
    colour: Hashable


class Arrays(NamedTuple):
    """The parts of a problem; `Problem` describes them."""

    items: tuple[Hashable, ...]
    num_primary: int
    colours: tuple[Hashable, ...]
    start: Int32s
    item: Int32s
    colour: Int32s

    def option(self, number: int) -> tuple[Hashable, ...]:
        """Return the items of an option, coloured ones as `Coloured`."""
        entries = slice(int(self.start[number]), int(self.start[number + 1]))
        return tuple(
            Coloured(self.items[i], self.colours[k - 1]) if k else self.items[i]
            for i, k in zip(self.item[entries].tolist(), self.colour[entries].tolist(), strict=True)
        )


def as_costs(costs: Iterable[int] | None, num_options: int) -> tuple[int, ...] | None:
    """Return one whole number for each option; None without costs or without options."""
    if costs is None:
        return None
    if not _is_iterable(costs) or isinstance(costs, Mapping | Set):
        raise ProblemError(f"costs are {_brief(costs)}; they must be whole numbers, one an option")
    numbers = tuple(whole(cost, f"the cost of option {i}") for i, cost in enumerate(costs))
    if len(numbers) != num_options:
        raise ProblemError(f"{len(numbers)} costs for {num_options} options; each option needs one")
    return numbers or None


def as_bounds(multiplicities: Multiplicities, arrays: Arrays) -> Int32s | None:
    """Return int32[num_primary, 2], the bounds of each primary item; None if all are 1."""
    try:
        values = dict(multiplicities)
    except (TypeError, ValueError):
        raise ProblemError(
            f"multiplicities are {_brief(multiplicities)}; they must map items to numbers"
        ) from None
    bounds = np.ones((arrays.num_primary, 2), np.int32)
    numbers = {name: number for number, name in enumerate(arrays.items)} if values else {}
    for name, value in values.items():
        if name not in numbers:
            raise ProblemError(f"item {brief(name)} has a multiplicity, but is not an item")
        number = numbers[name]
        if number >= arrays.num_primary:
            raise ProblemError(
                f"item {brief(name)} has a multiplicity, but is secondary; only primary items may",
                item=number,
            )
        bounds[number] = _as_pair(name, number, value, len(arrays.start) - 1)
    return None if (bounds == 1).all() else bounds


def _as_pair(name: Hashable, number: int, value: object, num_options: int) -> tuple[int, int]:
    """Return the bounds of one item, checked."""
    subject = f"the multiplicity of item {brief(name)}"
    pair = list(value) if isinstance(value, tuple | list) else [value, value]
    if len(pair) != 2:
        fault = f"{subject} is {_brief(value)}; it must be a number or (low, high)"
        raise ProblemError(fault, item=number)
    low, high = (whole(bound, subject) for bound in pair)
    if low < 0:
        raise ProblemError(f"{subject} is {brief(low)}; it must not be negative", item=number)
    text = brief(high) if low == high else f"from {brief(low)} to {brief(high)}"
    if low > high:
        raise ProblemError(f"{subject} is {text}; low is above high", item=number)
    most = max(1, num_options)
    if low > most:
        fault = f"{subject} is {text}; it must not be above the number of options, {num_options}"
        raise ProblemError(fault, item=number)
    return low, min(high, most)


# from options


def _check_options(options: Any) -> None:
    """Refuse iterables whose values are not the options, or in no order."""
    if isinstance(options, Mapping):
        raise ProblemError(
            "options are a dict, of which only the keys would be read; pass its values()"
        )
    if hasattr(options, "columns"):  # of pandas, polars and the like
        raise ProblemError(
            "options are a table, of which only the columns would be read; pass a list of options,"
            " or a 0/1 matrix as to_numpy() returns it"
        )
    if isinstance(options, set | frozenset):  # the keys of a dict have an order
        raise ProblemError("options are a set, which numbers none of them; pass a list")


def from_options(
    options: Iterable[Iterable[Hashable]],
    primary: Iterable[Hashable] | None,
    secondary: Iterable[Hashable],
) -> Arrays:
    """Return the arrays of these options, which are iterables of items."""
    if primary is None and type(secondary) is tuple and not secondary:
        arrays = _from_plain_options(options)
        if arrays is not None:
            return arrays
    declared = [] if primary is None else [("primary", primary)]
    for name, values in (("options", options), *declared, ("secondary", secondary)):
        if type(values) not in USUAL_OPTIONS and not _is_iterable(values):
            is_model = name == "options" and hasattr(values, "problem")
            needed = "its attribute problem is needed" if is_model else "it must be an iterable"
            raise ProblemError(f"{name} is {_brief(values)}; {needed}")
    _check_options(options)
    name_or_names, secondary = secondary, tuple(in_order(secondary))  # it may be an array
    codes = _Codes(primary, secondary)
    start, code = [0], array("q")
    for number, option in enumerate(options):
        try:
            ordered = option if type(option) in USUAL_OPTIONS else in_order(option)
            entries = tuple(ordered) if type(option) is not dict else None
        except TypeError:
            entries = None
        if entries is None:
            raise ProblemError(
                f"option {number} is {_brief(option)}; an option is an iterable of items",
                option=number,
            )
        try:
            code.extend(map(codes.__getitem__, entries))
        except _EntryError as error:
            raise ProblemError(
                f"option {number} {_brief(entries)}: {error}", option=number
            ) from None
        except TypeError:
            raise ProblemError(
                f"option {number} {_brief(entries)}: items and colours must be hashable",
                option=number,
            ) from None
        start.append(len(code))
    if type(name_or_names) is str and name_or_names in codes and len(name_or_names) > 1:
        raise ProblemError(
            f"secondary is {brief(name_or_names)}, the name of an item; it must be a list of names"
        )
    _check_size(len(code), len(start), len(codes))
    entry_codes = np.array(code, np.int64)
    item_of = np.array(codes.item_of, np.int32)
    np.subtract(len(codes.primary) - 1, item_of, out=item_of, where=item_of < 0)
    arrays = Arrays(
        tuple(codes.primary + codes.secondary),
        len(codes.primary),
        tuple(codes.colours),
        np.array(start, np.int32),
        item_of[entry_codes],
        np.array(codes.colour_of, np.int32)[entry_codes],
    )
    return _checked(arrays)


def _from_plain_options(options: Iterable[Iterable[Hashable]]) -> Arrays | None:
    """Return the arrays of options without colours that have no fault; None for all others.

    No Python code runs for each entry, so this is several times as fast as the general path, which
    reports the faults. Ctrl-C takes effect between two chunks.
    """
    if type(options) not in USUAL_OPTIONS or not USUAL_OPTIONS.issuperset(map(type, options)):
        return None
    lengths = list(map(len, options))  # type: ignore[arg-type]
    if 0 in lengths:
        return None
    start = [*accumulate(lengths, initial=0)]
    chunks: Iterable[Any] = [options]
    if start[-1] > SORTED_AT_ONCE:
        chunks = (options[first:last] for first, last in _chunks(np.array(start)))  # type: ignore[index]
    item_of: dict[Hashable, int] = defaultdict(count().__next__)
    numbers = []
    for chunk in chunks:
        entries = list(chain.from_iterable(chunk))
        try:
            # hashes each entry once
            numbers.append(np.array([*map(item_of.__getitem__, entries)], np.int32))
        except TypeError:  # not hashable
            return None
        if sum(map(len, map(set, chunk))) < len(entries):
            return None
    usual = USUAL_ITEMS.issuperset(map(type, item_of))
    if not usual and any(issubclass(kind, Coloured) for kind in set(map(type, item_of))):
        return None
    _check_size(start[-1], len(start), len(item_of))
    return Arrays(
        tuple(item_of),
        len(item_of),
        (),
        np.array(start, np.int32),
        np.concatenate(numbers) if len(numbers) > 1 else numbers[0],
        np.zeros(start[-1], np.int32),
    )


class _EntryError(Exception):
    """What is wrong with an entry of an option, as a text."""


class _Codes(dict[Hashable, int]):
    """Maps an entry of an option to its code, an index into `item_of` and `colour_of`.

    While items are read, secondary item s has the number -1 - s: the number of primary items,
    which precede it, is not yet known.
    """

    def __init__(self, primary: Iterable[Hashable] | None, secondary: Iterable[Hashable]) -> None:
        super().__init__()
        self.primary = [] if primary is None else list(in_order(primary))
        self.secondary = list(secondary)
        self.all_declared = primary is not None
        self.item_of = [*range(len(self.primary)), *(-1 - s for s in range(len(self.secondary)))]
        self.colour_of = [0] * len(self.item_of)
        self.colours: dict[Hashable, int] = {}
        for name in self.primary + self.secondary:
            _declare(self, name, len(self))

    def __missing__(self, entry: Hashable) -> int:
        if isinstance(entry, Coloured):
            if isinstance(entry.item, Coloured):
                name = brief(entry.item.item)
                raise _EntryError(f"item {name} is coloured twice; an item has one colour")
            item = self.item_of[self[entry.item]]
            colour = self.colours.setdefault(entry.colour, len(self.colours) + 1)
        elif self.all_declared:
            raise _EntryError(f"item {brief(entry)} is not declared, neither primary nor secondary")
        else:
            item, colour = len(self.primary), 0
            self.primary.append(entry)
        code = self[entry] = len(self.item_of)
        self.item_of.append(item)
        self.colour_of.append(colour)
        return code


def _declare(numbers: dict[Hashable, int], name: Hashable, number: int) -> None:
    if isinstance(name, Coloured):
        raise ProblemError(
            f"item {brief(name.item)} is declared with a colour; colours are for options"
        )
    try:
        if name in numbers:
            raise ProblemError(f"item {brief(name)} is declared twice; each item is declared once")
        numbers[name] = number
    except TypeError:
        raise ProblemError(f"{_brief(name)} cannot be an item; items must be hashable") from None


# from a matrix


def from_matrix(matrix: npt.ArrayLike, secondary: Iterable[Any]) -> Arrays:
    """Return the arrays of a 0/1 or boolean matrix: rows are options, columns are items."""
    cells = _as_cells(matrix)
    num_options, num_items = cells.shape
    number = np.full(num_items, -1, np.int32)
    columns = []
    if not _is_iterable(secondary):
        raise ProblemError(f"secondary is {_brief(secondary)}; it must be column numbers")
    for value in secondary:
        column = whole(value, "a secondary column")
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
    rows, entries = np.nonzero(cells)
    _check_size(len(rows), num_options + 1, num_items)
    start = np.zeros(num_options + 1, np.int32)
    np.cumsum(np.bincount(rows, minlength=num_options), out=start[1:])
    names = tuple(primary.tolist() + columns)
    no_colours = np.zeros(len(rows), np.int32)
    return _checked(Arrays(names, num_primary, (), start, number[entries], no_colours))


def _as_cells(matrix: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the matrix as a two-dimensional array whose values equal 0 or 1."""
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
    return matrix


def _rectangle(matrix: Any) -> npt.NDArray[Any]:
    try:
        rows = [np.asarray(row) for row in matrix]
    except (TypeError, ValueError):
        raise ProblemError("a matrix is a list of rows, each a list of 0 and 1") from None
    for number, row in enumerate(rows):
        if row.ndim != 1:
            raise ProblemError(f"option {number} is {_brief(row.tolist())}, not a row of numbers")
        if len(row) != len(rows[0]):
            raise ProblemError(
                f"option {number} has {len(row)} columns where option 0 has {len(rows[0])};"
                " all rows of a matrix have the same length",
                option=number,
            )
    return np.array(rows) if rows else np.zeros((0, 0), np.int8)


# from arrays


def from_arrays(
    start: npt.ArrayLike,
    item: npt.ArrayLike,
    colour: npt.ArrayLike | None,
    num_primary: int,
    num_secondary: int,
    items: Iterable[Hashable] | None,
    colours: Iterable[Hashable] | None,
) -> Arrays:
    """Return the arrays copied, with checked numbers and with names."""
    num_primary = whole(num_primary, "num_primary")
    num_secondary = whole(num_secondary, "num_secondary")
    if num_primary < 0 or num_secondary < 0:
        raise ProblemError("num_primary and num_secondary must not be negative")
    num_items = num_primary + num_secondary
    _check_size(0, 1, num_items)
    for kind, given in (("items", items), ("colours", colours)):
        if given is not None and not _is_iterable(given):
            raise ProblemError(f"{kind} is {_brief(given)}; it must be an iterable of names")
        if isinstance(given, set | frozenset):  # each process would give the numbers other names
            raise ProblemError(f"{kind} is a set, which has no order; pass a list of names")
    names = tuple(range(num_items) if items is None else items)
    numbers: dict[Hashable, int] = {}
    for name in () if items is None else names:
        _declare(numbers, name, len(numbers))
    if len(names) != num_items:
        raise ProblemError(f"{len(names)} names for {num_items} items; each item needs one")
    starts, entries = _as_entries(start, item, num_items)
    colour_names, entry_colours = _as_colours(colour, starts, entries, colours)
    return _checked(Arrays(names, num_primary, colour_names, starts, entries, entry_colours))


def _as_entries(start: npt.ArrayLike, item: npt.ArrayLike, num_items: int) -> tuple[Int32s, Int32s]:
    first = _integers(start, "start")
    numbers = _integers(item, "item")
    _check_size(len(numbers), len(first), num_items)
    if not len(first) or first[0] != 0 or first[-1] != len(numbers):
        raise ProblemError(f"start must begin with 0 and end with the {len(numbers)} entries")
    falls = np.flatnonzero(first[1:] < first[:-1])
    if len(falls):
        raise ProblemError(f"option {falls[0]} ends before it starts", option=int(falls[0]))
    starts = first.astype(np.int32)
    outside = np.flatnonzero((numbers < 0) | (numbers >= num_items))
    if len(outside):
        option = _option_of(starts, outside[0])
        raise ProblemError(
            f"option {option}: item {numbers[outside[0]]} is not one of 0 to {num_items - 1}",
            option=option,
        )
    return starts, numbers.astype(np.int32)


def _as_colours(
    colour: npt.ArrayLike | None,
    start: Int32s,
    item: Int32s,
    names: Iterable[Hashable] | None,
) -> tuple[tuple[Hashable, ...], Int32s]:
    """Return the names of the colours, and the colour number of each entry.

    Without names, the given numbers are the names; they may have gaps, and are renumbered.
    """
    entry_colours = np.zeros(len(item), np.int32)
    if colour is None:
        return (), entry_colours
    numbers = _integers(colour, "colour")
    if len(numbers) != len(item):
        raise ProblemError(f"colour has {len(numbers)} entries where item has {len(item)}")
    (coloured,) = np.nonzero(numbers)
    distinct, place = np.unique(numbers[coloured], return_inverse=True)
    colours = tuple(distinct.tolist()) if names is None else _as_names(names)
    most = int(np.iinfo(np.int64).max) if names is None else len(colours)
    if len(distinct) and (distinct[0] < 0 or distinct[-1] > most):
        entry = np.flatnonzero((numbers < 0) | (numbers > most))[0]
        option = _option_of(start, entry)
        raise ProblemError(
            f"option {option}: item {item[entry]} has colour {numbers[entry]};"
            f" colours are 1 {'or more' if names is None else f'to {most}'}, and 0 for none",
            option=option,
            item=int(item[entry]),
        )
    entry_colours[coloured] = place + 1 if names is None else numbers[coloured]
    return colours, entry_colours


def _as_names(colours: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Return the names of the colours, which are hashable and distinct."""
    names = tuple(colours)
    try:
        number = len(set(names))
    except TypeError:
        raise ProblemError("names of colours must be hashable") from None
    if number < len(names):
        raise ProblemError("two colours have the same name; each needs its own")
    return names


def _integers(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    try:
        numbers = np.asarray(values)
    except ValueError:  # lists of different lengths
        numbers = np.zeros((0, 0))
    if numbers.ndim != 1 or (numbers.dtype.kind not in "iu" and len(numbers)):
        raise ProblemError(f"{name} must be a one-dimensional array of integers")
    return numbers


# all of these


def in_order(values: Iterable[V]) -> Iterable[V]:
    """Return the values; those of a set in an order that is the same in every process.

    Python gives a text another hash in each process, and the order of a set depends on these. Whole
    numbers and texts are sorted by value, others by their texts.
    """
    if not isinstance(values, set | frozenset):
        return values
    kinds = set(map(type, values))
    return sorted(values, key=None if kinds in ({int}, {str}) else _text)


def _text(value: object) -> str:
    """Return a text of a value that does not depend on hashes."""
    if isinstance(value, Coloured):
        return f"Coloured{_text((value.item, value.colour))}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))})"
    return f"{{{', '.join(sorted(map(_text, value)))}}}" if isinstance(value, Set) else repr(value)


def _is_iterable(values: object) -> bool:
    """Return whether the values can be iterated over; an array without dimensions cannot."""
    return isinstance(values, Iterable) and getattr(values, "shape", None) != ()


def _check_size(num_entries: int, num_starts: int, num_items: int) -> None:
    if num_entries + num_starts + num_items > MAX_ENTRIES:
        raise ProblemError(
            f"{num_entries} entries, {num_starts - 1} options and {brief(num_items)} items are too"
            f" many; together they may be {MAX_ENTRIES - 1}"
        )


def _checked(arrays: Arrays) -> Arrays:
    """Return the arrays; raise ProblemError where they are no exact cover problem."""
    start, item = arrays.start, arrays.item
    empty = np.flatnonzero(start[1:] == start[:-1])
    if len(empty):
        raise ProblemError(
            f"option {empty[0]} is empty; an option needs at least one item", option=int(empty[0])
        )
    wrong = np.flatnonzero((arrays.colour > 0) & (item < arrays.num_primary))
    if len(wrong):
        fault = "has a colour, but is primary; only secondary items may"
        raise _entry_error(arrays, int(wrong[0]), fault)
    for first, last in _chunks(start):
        entry = _duplicate(start, item, len(arrays.items), first, last)
        if entry is not None:
            fault = "is in it twice; an option is a set of items"
            if {0, 1}.issuperset(arrays.items):
                fault += " (Problem.from_matrix takes a 0/1 matrix)"
            raise _entry_error(arrays, entry, fault)
    return arrays


def _chunks(start: Int32s) -> Iterator[tuple[int, int]]:
    """Yield ranges of options with about SORTED_AT_ONCE entries each."""
    first, num_options = 0, len(start) - 1
    while first < num_options:
        beyond = int(np.searchsorted(start, int(start[first]) + SORTED_AT_ONCE, side="right")) - 1
        last = max(first + 1, beyond)
        yield first, last
        first = last


def _duplicate(start: Int32s, item: Int32s, num_items: int, first: int, last: int) -> int | None:
    """Return the entry that repeats an item in the lowest option of [first, last), or None."""
    entries = item[start[first] : start[last]]
    option = np.repeat(np.arange(last - first, dtype=np.int64), np.diff(start[first : last + 1]))
    key = option * num_items + entries
    ordered = np.sort(key)
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    if not len(same):
        return None
    return int(start[first]) + int(np.flatnonzero(key == ordered[same[0]])[1])


def _option_of(start: Int32s, entry: Any) -> int:
    """Return the option that an entry belongs to."""
    return int(np.searchsorted(start, entry, side="right")) - 1


def _entry_error(arrays: Arrays, entry: int, fault: str) -> ProblemError:
    option = _option_of(arrays.start, entry)
    item = int(arrays.item[entry])
    name = brief(arrays.items[item])
    return ProblemError(
        f"option {option} {_brief(arrays.option(option))}: item {name} {fault}",
        option=option,
        item=item,
    )


def _brief(value: object) -> str:
    """Return a text for an error message, at most 100 characters; coloured items as item:colour."""
    if not isinstance(value, list | tuple):
        return brief(value)
    text = f"({', '.join(map(_entry_text, value[:100]))})"
    return text if len(text) <= 100 else text[:97] + "..."


def _entry_text(entry: object) -> str:
    if isinstance(entry, Coloured):
        return f"{brief(entry.item)}:{brief(entry.colour)}"
    return brief(entry)
