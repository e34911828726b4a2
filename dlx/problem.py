"""Problem: an exact cover problem, checked once, held as flat arrays.

Choose options such that every primary item is in exactly one of them and every secondary item
in at most one; options that give a secondary item the same colour may share it. A primary item
with a multiplicity is in as many chosen options as its bounds allow (Knuth, The Art of Computer
Programming, volume 4B, section 7.2.2.1: XC, XCC and MCC problems).
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from dlx import build
from dlx.build import HIGH as HIGH
from dlx.build import LOW as LOW
from dlx.build import Coloured as Coloured
from dlx.build import Int32s as Int32s
from dlx.build import Multiplicities as Multiplicities
from dlx.checks import as_list, brief, no_option, refuse_unknown, whole
from dlx.deprecated import alias
from dlx.errors import ProblemError


class Details(TypedDict, total=False):
    """The keyword arguments of `Problem.from_arrays` that may be left out."""

    items: Iterable[Hashable] | None
    colours: Iterable[Hashable] | None
    costs: Iterable[int] | None
    multiplicities: Multiplicities | None


class Problem:
    """An immutable exact cover problem.

    Parameters
    ----------
    options : iterable of iterables of items
        An item is any hashable value. A coloured one is written `Coloured(item, colour)`. Items
        in a set, here or below, are sorted, so that they have the same order in every process. A
        two-dimensional numpy array is taken as a 0/1 matrix, see `from_matrix`.
    primary : iterable of items, optional
        If given, every item must be declared here or as secondary. Otherwise every item that
        is not secondary is primary, in order of first appearance.
    secondary : iterable of items
        Items that at most one option of a solution has, or several that agree on the colour.
    costs : iterable of int, optional
        One whole number for each option.
    multiplicities : mapping, optional
        For a primary item the number of chosen options that have it, exactly ``n`` or
        ``(low, high)``; 1 for an item that is not mentioned. A `high` above the number of options
        is replaced by that number.

    Attributes
    ----------
    items : tuple
        The names, primary items first; the position of an item here is its number.
    colours : tuple
        The names of the colours; colour number k > 0 is `colours[k - 1]`.
    num_primary, num_secondary, num_items, num_options, num_entries : int
        An entry is an item in an option.
    start : int32[num_options + 1], read-only
        Option i has the entries `start[i]` to `start[i + 1] - 1`.
    item, colour : int32[num_entries], read-only
        The item number of each entry, and its colour number (0: none).
    costs : tuple of int, or None
        None, too, if there are no options.
    bounds : int32[num_primary, 2], read-only, or None
        The least and the largest number of chosen options that have each primary item, in the
        columns LOW and HIGH of this module; None if each is in exactly one.

    Raises
    ------
    ProblemError
        Names the option (numbered from 0) and the item: an item twice in an option, a colour on a
        primary item, an undeclared item where primary items were declared, an item declared twice,
        an empty option; a multiplicity that is negative, with low above high or above the number
        of options, or of an item that is not primary. Also for costs that are not one whole number
        for each option, and for 2**28 or more options, items and entries together.

    Notes
    -----
    Two options are compatible if they share no primary item that at most one chosen option may
    have, and give each secondary item that they share the same colour. Options with equal items are
    distinct options: where multiplicities allow, a solution may have both. An option without a
    primary item is in a solution only if it is given.

    Examples
    --------
    >>> problem = Problem([["a", "b"], ["c"], ["a", Coloured("x", 1)]], secondary=["x"])
    >>> problem
    Problem(3 primary + 1 secondary items, 3 options, 5 entries)
    >>> problem.option(2)
    ('a', Coloured(item='x', colour=1))
    >>> problem.items
    ('a', 'b', 'c', 'x')
    >>> Problem([["a", "b"], ["a"], ["b"]], multiplicities={"a": 2, "b": (0, 1)}).multiplicities
    {'a': (2, 2), 'b': (0, 1)}
    """

    __slots__ = (
        "_digest",
        "bounds",
        "colour",
        "colours",
        "costs",
        "item",
        "items",
        "num_primary",
        "start",
    )

    items: tuple[Any, ...]
    colours: tuple[Any, ...]
    num_primary: int
    start: Int32s
    item: Int32s
    colour: Int32s
    costs: tuple[int, ...] | None
    bounds: Int32s | None
    _digest: bytes | None

    def __init__(
        self,
        options: Iterable[Iterable[Hashable]] | npt.NDArray[Any],
        *,
        primary: Iterable[Hashable] | None = None,
        secondary: Iterable[Hashable] = (),
        costs: Iterable[int] | None = None,
        multiplicities: Multiplicities | None = None,
    ) -> None:
        if isinstance(options, (str, bytes)):
            raise ProblemError(
                "options are a string where an iterable of options is needed"
                " (dlx.read takes a file, dlx.loads a text)"
            )
        if isinstance(options, np.ndarray) and options.ndim == 2:
            if primary is not None:
                raise ProblemError("a matrix declares its items by its columns; leave out primary")
            self._set(build.from_matrix(options, secondary), costs, multiplicities)
        else:
            self._set(build.from_options(options, primary, secondary), costs, multiplicities)

    @classmethod
    def from_matrix(
        cls,
        matrix: npt.ArrayLike,
        *,
        secondary: Iterable[int] = (),
        costs: Iterable[int] | None = None,
        multiplicities: Multiplicities | None = None,
    ) -> Problem:
        """Return the problem of a matrix: rows are options, columns 0 to n-1 are items.

        Parameters
        ----------
        matrix : array_like of 0 and 1, or of bool
        secondary : iterable of int
            The columns that are secondary items.
        costs : iterable of int, optional
            One whole number for each row.
        multiplicities : mapping, optional
            As for the class.

        Raises
        ------
        ProblemError
            The matrix is ragged, not two-dimensional, holds other values, or has a row of zeros;
            a secondary item is not one of its columns. Otherwise as for the class.

        Examples
        --------
        >>> Problem.from_matrix([[1, 0, 1], [0, 1, 0]])
        Problem(3 primary items, 2 options, 3 entries)
        """
        problem = cls.__new__(cls)
        problem._set(build.from_matrix(matrix, secondary), costs, multiplicities)
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
        **details: Unpack[Details],
    ) -> Problem:
        """Return the problem held by flat integer arrays, without Python work for each option.

        Parameters
        ----------
        start : int[num_options + 1]
            Option i has the entries `start[i]` to `start[i + 1] - 1`.
        item : int[num_entries]
            The item of each entry: below `num_primary` a primary item, then the secondary ones.
        colour : int[num_entries], optional
            The colour of each entry, 0 for none.
        num_primary, num_secondary : int
        items, colours : iterable, optional
            The names of all items and of all colours; by default their numbers.
        costs : iterable of int, optional
            One whole number for each option.
        multiplicities : mapping, optional
            As for the class, by the names of the items.

        Raises
        ------
        ProblemError
            As for the class; an array is not one-dimensional or not of integers, or has a number
            that is out of range.

        Examples
        --------
        >>> Problem.from_arrays([0, 2, 3], [0, 1, 2], num_primary=3).option(0)
        (0, 1)
        """
        refuse_unknown(details, Details.__optional_keys__, "Problem.from_arrays")
        names = details.get("items"), details.get("colours")
        arrays = build.from_arrays(start, item, colour, num_primary, num_secondary, *names)
        problem = cls.__new__(cls)
        problem._set(arrays, details.get("costs"), details.get("multiplicities"))
        return problem

    def _set(
        self,
        arrays: build.Arrays,
        costs: Iterable[int] | None,
        multiplicities: Multiplicities | None,
    ) -> None:
        checked = build.as_costs(costs, len(arrays.start) - 1)
        bounds = None if multiplicities is None else build.as_bounds(multiplicities, arrays)
        self.__setstate__((*arrays, checked, bounds))

    @property
    def num_items(self) -> int:
        """The number of items, primary and secondary."""
        return len(self.items)

    @property
    def num_secondary(self) -> int:
        """The number of secondary items."""
        return len(self.items) - self.num_primary

    @property
    def num_options(self) -> int:
        """The number of options."""
        return len(self.start) - 1

    @property
    def num_entries(self) -> int:
        """The number of items of all options together."""
        return len(self.item)

    @property
    def multiplicities(self) -> dict[Any, tuple[int, int]]:
        """The least and the largest multiplicity of each item for which they are not both 1."""
        if self.bounds is None:
            return {}
        pairs = zip(self.items, self.bounds.tolist(), strict=False)
        return {item: (low, high) for item, (low, high) in pairs if (low, high) != (1, 1)}

    def option(self, number: int) -> tuple[Any, ...]:
        """Return the items of an option, coloured ones as `Coloured`.

        Raises
        ------
        IndexError
            There is no such option.
        ProblemError
            The number is not whole.

        Examples
        --------
        >>> Problem([["a", "b"], ["c"]]).option(0)
        ('a', 'b')
        """
        number = whole(number, "an option")
        if not 0 <= number < self.num_options:
            raise IndexError(f"option {brief(number)} of {self.num_options}, which count from 0")
        return self._arrays().option(number)

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
        seen: dict[int, int] = {}  # the colour of each item, or how many options have it
        for number in as_list(options, "options", "option numbers"):
            option = whole(number, "an option")
            if not 0 <= option < self.num_options:
                raise no_option(option, self.num_options)
            entries = slice(int(self.start[option]), int(self.start[option + 1]))
            colours = self.colour[entries].tolist()
            for i, k in zip(self.item[entries].tolist(), colours, strict=True):
                if self.bounds is not None and i < self.num_primary:
                    seen[i] = seen.get(i, 0) + 1
                    if seen[i] > self.bounds[i, HIGH]:
                        return False
                    continue
                if i in seen and (k == 0 or seen[i] != k):
                    return False
                seen[i] = k
        return True

    @property
    def digest(self) -> bytes:
        """32 bytes that identify the arrays of this problem; names and costs do not count."""
        if self._digest is None:
            sizes = (self.num_primary, self.num_secondary, self.num_options, self.num_entries)
            hasher = hashlib.blake2b(repr(sizes).encode(), digest_size=32)
            for values in (self.start, self.item, self.colour):
                hasher.update(values.astype("<i4", copy=False).tobytes())
            if self.bounds is not None:
                hasher.update(self.bounds.astype("<i4", copy=False).tobytes())
            object.__setattr__(self, "_digest", hasher.digest())
        assert self._digest is not None
        return self._digest

    def __repr__(self) -> str:
        bounded = len(self.multiplicities)
        suffix = f", {bounded} with multiplicities" if bounded else ""
        secondary = f" + {self.num_secondary} secondary" if self.num_secondary else ""
        return (
            f"Problem({self.num_primary} primary{secondary} items{suffix},"
            f" {self.num_options} options, {self.num_entries} entries)"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return (
            (self.items, self.num_primary, self.colours, self.costs)
            == (other.items, other.num_primary, other.colours, other.costs)
        ) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash((self.digest, self.costs))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Problem is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Problem is immutable: {name} cannot be deleted")

    def _arrays(self) -> build.Arrays:
        return build.Arrays(
            self.items, self.num_primary, self.colours, self.start, self.item, self.colour
        )

    def __getstate__(self) -> tuple[Any, ...]:
        return (*self._arrays(), self.costs, self.bounds)

    def __setstate__(self, fields: tuple[Any, ...]) -> None:
        for set_field, value in zip(_SETTERS, (*fields, None), strict=True):
            if type(value) is np.ndarray:
                value.setflags(write=False)
                value = value[:]  # a view of a read-only array cannot be made writeable
            set_field(self, value)


_FIELDS = *build.Arrays._fields, "costs", "bounds", "_digest"
_SETTERS = [getattr(Problem, name).__set__ for name in _FIELDS]


class Costed(NamedTuple):
    """A solution and the sum of the costs of its options."""

    cost: Any
    solution: tuple[int, ...]

    @alias("solution")
    def cover(self) -> None:
        """Deprecated spelling of `solution`."""


def as_problem(problem: Problem | Iterable[Iterable[Any]]) -> Problem:
    """Return the problem itself, or the problem of an iterable of options or a matrix."""
    return problem if isinstance(problem, Problem) else Problem(problem)


def replaced(problem: Problem, **fields: Any) -> Problem:
    """Return the problem with other values of some of its attributes, which are not checked.

    >>> replaced(Problem([["a"], ["b"]]), items=(1, 2)).option(1)
    (2,)
    """
    result = Problem.__new__(Problem)
    own = {name: getattr(problem, name) for name in _FIELDS[:-1]}
    result.__setstate__(tuple({**own, **fields}.values()))
    return result


def option_of_entries(problem: Problem) -> Int32s:
    """Return the option of each entry: int32[num_entries]."""
    return np.repeat(np.arange(problem.num_options, dtype=np.int32), np.diff(problem.start))


def idle_options(problem: Problem) -> Int32s:
    """Return the options without primary items, ascending: only givens can be among them."""
    is_idle = np.ones(problem.num_options, bool)
    is_idle[option_of_entries(problem)[problem.item < problem.num_primary]] = False
    return np.flatnonzero(is_idle).astype(np.int32)


def without_names(problem: Problem) -> Problem:
    """Return the problem with numbers for the names of items and colours, and without costs."""
    items, colours = tuple(range(problem.num_items)), tuple(range(len(problem.colours)))
    return replaced(problem, items=items, colours=colours, costs=None)


def is_solution(problem: Problem, options: Sequence[int]) -> bool:
    """Return whether these options are compatible and cover each primary item often enough."""
    covered = np.zeros(problem.num_items, np.int64)
    for option in options:
        covered[problem.item[problem.start[option] : problem.start[option + 1]]] += 1
    low = 1 if problem.bounds is None else problem.bounds[:, LOW]
    return problem.compatible(options) and bool((covered[: problem.num_primary] >= low).all())


def as_exact(
    problem: Problem | Iterable[Iterable[Any]], task: str, refused: str = "multiplicities"
) -> Problem:
    """Return the problem; raise ProblemError if it has multiplicities, which a task cannot take."""
    checked = as_problem(problem)
    if checked.bounds is not None:
        raise ProblemError(
            f"{task} takes no problem with {refused};"
            " a search for one solution, all or their number does"
        )
    return checked
