"""From a problem to the arrays that deductions share, and the default frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlx.checks import as_list, as_sequence, brief, whole
from dlx.errors import ProblemError
from dlx.logic import chains, subsets
from dlx.logic.rules import MOST_FAMILY, PRIMARY, SECONDARY, Frame
from dlx.logic.state import (
    BASE,
    FRAME,
    ITEM,
    LIVE_ITEM,
    OPTION,
    TOTALS,
    TRIED,
    Frames,
    Ints,
    Live,
    Net,
    Records,
    State,
)
from dlx.problem import Problem, as_exact, idle_options, option_of_entries

MOST_FAMILIES = 64  # of default frames: each pair of families costs a look at all options


class Structure:
    """A problem with kinds of items and frames: what no deduction changes.

    Parameters
    ----------
    problem : Problem
    kinds : sequence of int, optional
        For each item its kind, a power of two below 2**31. No kind has both primary and secondary
        items. By default PRIMARY and SECONDARY.
    frames : sequence of Frame, optional
        Where `Subset` looks. By default `natural_frames(problem)`.
    interpreter_first : bool, optional
        Whether the interpreter makes the first deductions: for a program that may need no others,
        as to load the kernels takes some tenths of a second, and to compile them seconds.

    Attributes
    ----------
    problem : Problem
    primary_kinds : int
        The kinds of all primary items (a mask).
    idle : int32[...]
        Options without primary items: no solution contains them unless they are given.
    origin : int32[items]
        For each item of the arrays the item of the problem that it stands for.
    net : Net
    frames : Frames
    interpreter_work, chains_work : int
        Work that is left to the interpreter: for singles and subsets; for chains, forks and
        refutations.

    Raises
    ------
    ProblemError
        A wrong number of kinds, a kind of primary and secondary items, or a family of a frame that
        has more than MOST_FAMILY items, overlapping items or items of the wrong sort.

    Examples
    --------
    >>> problem = Problem([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1), ("c", 3)])
    >>> structure = Structure(problem)
    >>> [structure.options_of(item).tolist() for item in range(3)]
    [[0, 1], [0, 2, 4], [1, 3]]
    """

    def __init__(
        self,
        problem: Problem,
        kinds: Sequence[int] | None = None,
        frames: Sequence[Frame] | None = None,
        *,
        interpreter_first: bool = False,
    ) -> None:
        self.problem = problem = as_exact(problem, "a deduction")
        if kinds is None:
            kinds = [PRIMARY] * problem.num_primary + [SECONDARY] * problem.num_secondary
        kinds = [whole(kind, "a kind") for kind in as_sequence(kinds, "kinds", "one for each item")]
        if len(kinds) != problem.num_items or any(k < 1 or k & (k - 1) or k >> 31 for k in kinds):
            raise ProblemError(
                f"{len(kinds)} kinds for {problem.num_items} items: each has one, a power of two"
            )
        self.primary_kinds = int(np.bitwise_or.reduce(np.array([0, *kinds[: problem.num_primary]])))
        if any(kind & self.primary_kinds for kind in kinds[problem.num_primary :]):
            raise ProblemError("a kind has primary and secondary items: each has one sort only")
        self.origin, self.net = _net(problem, np.array(kinds, np.int32))
        self.idle = idle_options(problem)
        if frames is None:
            frames = natural_frames(problem)
        frames = as_list(frames, "frames", "frames of dlx.logic")
        self.frames = _frames(self, [self._checked(frame) for frame in frames])
        self.interpreter_work = subsets.interpreter_work() if interpreter_first else 0
        self.chains_work = chains.interpreter_work() if interpreter_first else 0

    def options_of(self, item: int) -> Ints:
        """The options of an item of the arrays, ascending."""
        return self.net.option[self.net.items["first"][item] : self.net.items["stop"][item]]

    def new_state(self) -> State:
        """State of a deduction; `dlx.logic.subsets.begin` fills it."""
        live = Live(
            alive=np.ones(len(self.net.options), np.uint8),
            option=np.empty(len(self.net.option), np.int32),
            items=np.zeros(len(self.net.items), LIVE_ITEM),
            totals=np.zeros(1, TOTALS),
        )
        return State(self.net, self.frames, live, np.zeros(len(self.frames.frames), TRIED))

    def _checked(self, frame: Frame) -> Frame:
        """Return a frame with lists of items; refuse one whose items the rule cannot use."""
        if not isinstance(frame, Frame):
            raise ProblemError(f"{brief(frame)} is no frame; dlx.logic has the class Frame")
        problem = self.problem
        kind = whole(frame.kind, "the kind of a frame")
        if kind >> 31 not in (0, -1):
            raise ProblemError(f"the kind of a frame is {brief(kind)}; it must be below 2**31")
        base = self._family(frame.base, "a base family")
        cover = self._family(frame.cover, "a cover family")
        if max(base, default=-1) >= problem.num_primary:
            raise ProblemError(f"a base family {tuple(base)}: its items must be primary")
        coloured = problem.item[problem.colour > 0]
        if np.isin(cover, coloured).any():
            raise ProblemError(f"a cover family {tuple(cover)}: its items must have no colour")
        return Frame(kind, base, cover)

    def _family(self, items: Iterable[int], name: str) -> list[int]:
        """Return the items of a family; refuse too many, or items that are not disjoint."""
        family = [whole(item, f"an item of {name}") for item in as_list(items, name, "items")]
        if len(family) > MOST_FAMILY:
            raise ProblemError(f"{name} of {len(family)} items: at most {MOST_FAMILY} fit")
        if any(not 0 <= item < self.problem.num_items for item in family):
            raise ProblemError(f"{name} {tuple(family)}: there is no such item")
        options = [self.options_of(item) for item in family]
        if options and len(np.unique(np.concatenate(options))) != sum(map(len, options)):
            raise ProblemError(f"{name} {tuple(family)}: an option has two of its items")
        return family


def _lists(rows: Iterable[Iterable[int]]) -> tuple[Ints, Ints]:
    """Flatten lists: the start of each, and all of them in a row."""
    start, flat = [0], list[int]()
    for row in rows:
        flat.extend(row)
        start.append(len(flat))
    return np.array(start, np.int32), np.array(flat, np.int32)


def _grouped(key: Ints, value: Ints, number: int) -> tuple[Ints, Ints]:
    """Values by key, ascending: the start of each key's values, and the values."""
    order = np.lexsort((value, key))
    start = np.searchsorted(key[order], np.arange(number + 1)).astype(np.int32)
    return start, np.ascontiguousarray(value[order])


def _net(problem: Problem, kinds: Ints) -> tuple[Ints, Net]:
    """The origin of each item of the net, and the net."""
    options, items = problem.num_options, problem.num_items
    owner = option_of_entries(problem)
    item = problem.item.astype(np.int32)
    conflict = item.copy()
    origin = list(range(items))
    extra: list[tuple[Ints, int]] = []
    pairs = Counter(zip(item.tolist(), problem.colour.tolist(), strict=True))
    # with a colour of its own, an option conflicts with all others of the item
    for i, colour in sorted(pair for pair, number in pairs.items() if pair[1] and number > 1):
        has_item = item == i
        has_colour = has_item & (problem.colour == colour)
        conflict[has_colour] = len(origin)
        extra.append((owner[has_item & ~has_colour], len(origin)))
        origin.append(i)
    members = np.concatenate([item, *(np.full(len(part), i, np.int32) for part, i in extra)])
    owners = np.concatenate([owner, *(part for part, _ in extra)])
    start, member = _grouped(owners, members, options)
    conflict_start = start
    if extra:
        conflict_start, conflict_item = _grouped(owner, conflict, options)
        conflict_start += len(member)
        member = np.concatenate((member, conflict_item))
    first, option = _grouped(members, owners, len(origin))
    net = Net(
        options=_records(OPTION, *_ranges(start), *_ranges(conflict_start)),
        item=member,
        items=_records(ITEM, *_ranges(first), kinds[origin]),
        option=option,
        num_primary=problem.num_primary,
    )
    return np.array(origin, np.int32), net


def _ranges(bounds: Ints) -> tuple[Ints, Ints]:
    """The first index of each range, and the first beyond it."""
    return bounds[:-1], bounds[1:]


def _records(dtype: np.dtype[Any], *columns: Ints) -> Records:
    records = np.empty(len(columns[0]), dtype)
    for name, column in zip(dtype.names or (), columns, strict=True):
        records[name] = column
    return records


def _frames(structure: Structure, frames: Sequence[Frame]) -> Frames:
    net = structure.net
    base, base_item = _lists(frame.base for frame in frames)
    cover, cover_item = _lists(frame.cover for frame in frames)
    # the items, and the items with conflicts, of the options of each item
    bounds = net.options["start"], net.options["stop"]
    around, around_at = _gathered(*bounds, net.item, net.option)
    bounds = net.options["conflict_start"], net.options["conflict_stop"]
    against, against_at = _gathered(*bounds, net.item, net.option)
    reach_start, reach, conflicting = [0], [np.empty(0, np.int8)], [np.empty(0, np.int64)]
    place = np.full(len(net.options), -1, np.int8)
    places = np.zeros(len(net.items), np.int64)
    for frame in frames:
        place[:] = -1
        places[:] = 0
        for c, i in enumerate(frame.cover):
            place[structure.options_of(i)] = c
            first, stop = net.items["first"][i], net.items["stop"][i]
            places[around[around_at[first] : around_at[stop]]] |= 1 << c
        places[[*frame.base, *frame.cover]] = 0
        for i in frame.base:
            reach.append(place[structure.options_of(i)])
            first, stop = net.items["first"][i], net.items["stop"][i]
            near = places[against[against_at[first] : against_at[stop]]]
            start = against_at[first:stop] - against_at[first]
            conflicting.append(np.bitwise_or.reduceat(near, start) if len(near) else conflicting[0])
            reach_start.append(reach_start[-1] + len(reach[-1]))
    kinds = np.array([frame.kind for frame in frames], np.int32)
    return Frames(
        frames=_records(FRAME, kinds, *_ranges(base), *_ranges(cover)),
        base=_records(BASE, base_item, np.array(reach_start[:-1], np.int32)),
        reach=np.concatenate(reach),
        conflicting=np.concatenate(conflicting),
        cover_item=cover_item,
    )


def _gathered(start: Ints, stop: Ints, item: Ints, option: Ints) -> tuple[Ints, NDArray[np.int64]]:
    """The items item[start:stop] of each of these options in a row, and where those of each are."""
    width = (stop - start)[option]
    at = np.concatenate(([0], np.cumsum(width)))
    return item[np.repeat(start[option] - at[:-1], width) + np.arange(at[-1])], at


def natural_frames(problem: Problem) -> list[Frame]:
    """Frames of any problem: families of disjoint items, divided where no option connects them.

    Items are put into families in order, each into the first family with no item that shares an
    option with it; items with colours are left out, and items that would need more than 64
    families. Every ordered pair of families gives frames, one for each connected component of the
    options that contain an item of both. On a sudoku these are the digits of a house and its cells,
    one digit's rows and columns, and so on.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    list of Frame
        Of kind 1.

    Examples
    --------
    >>> natural_frames(Problem([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 3)]))
    ... # doctest: +NORMALIZE_WHITESPACE
    [Frame(kind=1, base=[0, 3], cover=[1, 2]), Frame(kind=1, base=[4], cover=[5]),
     Frame(kind=1, base=[1, 2], cover=[0, 3]), Frame(kind=1, base=[5], cover=[4])]
    """
    problem = as_exact(problem, "a deduction")
    families = _families(problem)
    owner = option_of_entries(problem)
    # of each option the item that it has of each family, or -1
    item_of = np.full((len(families), problem.num_options), -1, np.int64)
    for number, family in enumerate(families):
        in_family = np.isin(problem.item, family)
        item_of[number, owner[in_family]] = problem.item[in_family]
    frames = []
    for base, cover in permutations(item_of, 2):
        both = (base >= 0) & (base < problem.num_primary) & (cover >= 0)
        if both.any():
            edges = np.unique(np.stack((base[both], cover[both]), axis=1), axis=0)
            frames += _components(edges.tolist())
    return frames


def _families(problem: Problem) -> list[list[int]]:
    """Parts of the items without colours, families, by first fit; at most MOST_FAMILIES."""
    coloured = set(problem.item[problem.colour > 0].tolist())
    first, option = _grouped(problem.item, option_of_entries(problem), problem.num_items)
    families: list[list[int]] = []
    family_of = np.full(problem.num_items, -1)
    for i in range(problem.num_items):
        options = option[first[i] : first[i + 1]]
        if i in coloured or not len(options):
            continue
        around, _ = _gathered(*_ranges(problem.start), problem.item, options)
        excluded = set(family_of[around].tolist())
        number = next(n for n in range(len(families) + 1) if n not in excluded)
        if number == MOST_FAMILIES:
            continue
        if number == len(families):
            families.append([])
        families[number].append(i)
        family_of[i] = number
    return families


def _components(edges: list[list[int]]) -> list[Frame]:
    """Frames of the connected components, by lowest base item; large families are cut."""
    covers: dict[int, set[int]] = {}
    bases: dict[int, set[int]] = {}
    for base, cover in edges:
        covers.setdefault(base, set()).add(cover)
        bases.setdefault(cover, set()).add(base)
    frames, seen = [], set[int]()
    for start in sorted(covers):
        if start in seen:
            continue
        seen.add(start)
        family, reached, queue = [start], set[int](), [start]
        while queue:
            for cover in covers[queue.pop()] - reached:
                reached.add(cover)
                fresh = bases[cover] - seen
                seen |= fresh
                family += fresh
                queue += fresh
        family.sort()
        for k in range(0, len(family), MOST_FAMILY):
            part = family[k : k + MOST_FAMILY]
            near = sorted(set().union(*(covers[base] for base in part)))
            frames.append(Frame(1, part, near[:MOST_FAMILY]))
    return frames
