"""Pairings, partitions and designs on a set, tables of tasks, and crew rosters.

Sources: OEIS A001147 (pairings), A001205 and A002829 (two and three partners each), A000110
(partitions), A001201 (triples with each pair once).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

from dlx.checks import as_list, at_least, brief
from dlx.errors import ProblemError
from dlx.models.model import Model, Options, Square, Squares, check_entries
from dlx.problem import Problem


def _groups(chosen: Options) -> Squares:
    """Return a line for each option, with its items."""
    return {
        (row, column): Square(row, str(item))
        for row, option in enumerate(chosen)
        for column, item in enumerate(option)
    }


def matchings(n: int, partners: int = 1) -> Model:
    """Pairings of n people; with several partners each, the regular graphs on n labelled nodes.

    Parameters
    ----------
    n : int
    partners : int
        Of each person; fewer than n.

    Raises
    ------
    ProblemError
        A number is too small or not whole, there are too few people, or the problem would be too
        large.

    Examples
    --------
    >>> from dlx import count_solutions, models
    >>> [count_solutions(models.matchings(n).problem) for n in (2, 3, 4, 6, 8)]
    [1, 0, 3, 15, 105]
    >>> [count_solutions(models.matchings(n, 2).problem) for n in (3, 4, 5, 6)]
    [1, 3, 12, 70]
    """
    n, partners = at_least(n, 1, "n"), at_least(partners, 0, "partners")
    check_entries(n * (n - 1), "n", n)
    if partners > (most := max(1, n - 1)):
        text = f"partners is {brief(partners)}; it must be at most {most}, the other people"
        raise ProblemError(text)
    return Model(
        Problem(
            combinations(range(n), 2),
            primary=range(n),
            multiplicities=None if partners == 1 else dict.fromkeys(range(n), partners),
        ),
        _groups,
    )


def set_partitions(n: int) -> Model:
    """Partitions of n things into sets: each non-empty set is an option.

    Examples
    --------
    >>> from dlx import count_solutions, models
    >>> [count_solutions(models.set_partitions(n).problem) for n in range(1, 7)]
    [1, 2, 5, 15, 52, 203]
    """
    n = at_least(n, 1, "n")
    check_entries(n << min(n - 1, 64), "n", n)
    options = (chosen for k in range(1, n + 1) for chosen in combinations(range(n), k))
    return Model(Problem(options, primary=range(n)), _groups)


def block_designs(n: int, size: int = 3, fold: int = 1) -> Model:
    """Sets of `size` of n things such that each pair of things is in exactly `fold` of the sets.

    Parameters
    ----------
    n, size : int
    fold : int
        2 for exact 2-fold covers of the pairs. No set comes twice.

    Raises
    ------
    ProblemError
        A number is too small or not whole, `fold` is more than the number of sets, or the problem
        would be too large.

    Examples
    --------
    >>> from dlx import count_solutions, models
    >>> [count_solutions(models.block_designs(n).problem) for n in (3, 6, 7)]
    [1, 0, 30]
    >>> [count_solutions(models.block_designs(n, fold=2).problem) for n in (4, 6, 7)]
    [1, 12, 120]
    """
    n, size, fold = at_least(n, 1, "n"), at_least(size, 2, "size"), at_least(fold, 1, "fold")
    points = range(n)
    check_entries(n * (n - 1) // 2, "n", n)
    check_entries(comb(n, size) * size * (size - 1) // 2, "size", size)
    pairs = list(combinations(points, 2))
    blocks = [tuple(combinations(block, 2)) for block in combinations(points, min(size, n + 1))]
    if pairs and fold > (most := max(1, len(blocks))):
        text = f"fold is {brief(fold)}; it must be at most {most}, the number of sets"
        raise ProblemError(text)
    bounds = None if fold == 1 else dict.fromkeys(pairs, fold)
    return Model(Problem(blocks, primary=pairs, multiplicities=bounds), _blocks)


def _blocks(chosen: Options) -> Squares:
    """Return a line for each block, with its things."""
    return _groups([tuple(sorted({x for pair in block for x in pair})) for block in chosen])


def schedule(tasks: Mapping[str, int], people: Mapping[str, Iterable[str]], slots: int) -> Model:
    """Give each task to one person who can do it, in slots one after the other.

    Parameters
    ----------
    tasks : mapping of str to int
        The number of slots that each task takes.
    people : mapping of str to iterables of str
        The tasks that each person can do.
    slots : int
        How many slots each person has.

    Returns
    -------
    Model
        Its pictures have a line for each person and a column for each slot.

    Raises
    ------
    ProblemError
        `tasks` or `people` is not such a mapping, a person can do what is not a task, a number is
        below 1 or not whole, or the problem would be too large.

    Examples
    --------
    >>> from dlx import count_solutions, models, solve
    >>> model = models.schedule({"cut": 2, "paint": 1, "pack": 1}, {"Ann": ["cut", "pack"],
    ...     "Bob": ["paint", "pack"]}, slots=2)
    >>> count_solutions(model.problem)
    2
    >>> print(model.text(solve(model.problem)), end="")
    cut   cut
    paint pack
    """
    for name, mapping in (("tasks", tasks), ("people", people)):
        if not isinstance(mapping, Mapping):
            raise ProblemError(f"{name} is {brief(mapping)}; it must be a mapping")
    slots = at_least(slots, 1, "slots")
    check_entries(slots * len(people), "slots", slots)
    able = _able(tasks, people)
    free = {person: [(person, slot) for slot in range(slots)] for person in people}
    options: list[list[Hashable]] = []
    entries = 0
    for task, length in tasks.items():
        length = at_least(length, 1, f"the length of task {brief(task)}")
        entries += (
            sum(task in skills for skills in able.values()) * length * max(0, slots - length + 1)
        )
        check_entries(entries, "slots", slots)
        for person, skills in able.items():
            if task in skills:
                options += [
                    [task, *free[person][first : first + length]]
                    for first in range(slots - length + 1)
                ]
    squares = partial(_timetable, list(people), slots)
    return Model(Problem(options, primary=list(tasks), secondary=chain(*free.values())), squares)


def _able(tasks: Mapping[str, int], people: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    """Return the tasks of each person; ProblemError if one is no task."""
    try:
        able = {
            p: set(as_list(skills, f"people[{brief(p)}]", "tasks")) for p, skills in people.items()
        }
    except TypeError:  # unhashable
        text = f"people is {brief(people)}; each person needs names of tasks"
        raise ProblemError(text) from None
    for person, skills in able.items():
        for task in sorted(skills - tasks.keys(), key=repr):
            raise ProblemError(f"{brief(person)} can do {brief(task)}, which is no task")
    return able


def _timetable(people: Sequence[Hashable], slots: int, chosen: Options) -> Squares:
    """Return a line for each person, with the task of each slot."""
    line = {person: row for row, person in enumerate(people)}
    shown = {(row, slot): Square(None, ".") for row in line.values() for slot in range(slots)}
    for task, *cells in chosen:
        for person, slot in cells:
            shown[line[person], slot] = Square(task, str(task))
    return shown


class _Flight(NamedTuple):
    """A flight of `crew_rosters`: minutes from the start of the first day, and cities."""

    departure: int
    origin: int
    destination: int
    arrival: int


def crew_rosters(flights: int, pairings: int, seed: int = 1, cities: int | None = None) -> Model:
    """Random set partitioning problems of the kind that airlines solve: crews for flights.

    Flights lead from city to city within four days. A pairing is a sequence of up to seven flights
    for one crew, each from the city where the one before ended, half an hour to 16 hours later. Its
    cost is the minutes from its beginning to its end, and 600 for each end that is not at the home
    city. Each flight alone is a pairing, so there is a solution.

    Parameters
    ----------
    flights : int
        Items.
    pairings : int
        Options, but at least one for each flight, and fewer if 20 times as many random pairings
        have too few different ones among them.
    seed : int
        The same on every machine (splitmix64).
    cities : int, optional
        A twelfth of the flights by default, at least 3. The fewer, the more pairings there are:
        100 flights between 3 cities have 918,937 with seed 1.

    Raises
    ------
    ProblemError
        A number is too small or not whole, or the problem would be too large.

    Examples
    --------
    >>> from dlx import cheapest, models
    >>> model = models.crew_rosters(12, 60)
    >>> cheapest(model.problem)[0].cost
    10056
    """
    flights, pairings = at_least(flights, 1, "flights"), at_least(pairings, 1, "pairings")
    check_entries(flights**2, "flights", flights)  # pairs are compared
    check_entries(pairings, "pairings", pairings)
    below = splitmix(at_least(seed, 0, "seed"))
    cities = max(3, flights // 12) if cities is None else at_least(cities, 2, "cities")
    table = []
    for _ in range(flights):
        begin, start = below(4 * 24 * 60), below(cities)
        end = (start + 1 + below(cities - 1)) % cities
        table.append(_Flight(begin, start, end, begin + 60 + below(180)))
    table.sort()
    chosen = _pairings(table, pairings, below)
    costs = []
    for pairing in chosen:
        first, last = table[pairing[0]], table[pairing[-1]]
        away = (first.origin != 0) + (last.destination != 0)
        costs.append(last.arrival - first.departure + 600 * away)
    return Model(Problem(chosen, primary=range(flights), costs=costs), _groups)


def _pairings(
    table: Sequence[_Flight], number: int, below: Callable[[int], int]
) -> list[tuple[int, ...]]:
    """Return each flight alone and random pairings; fewer than `number` if few are found."""
    after = [
        [
            k
            for k, later in enumerate(table)
            if later.origin == flight.destination
            and 30 <= later.departure - flight.arrival <= 16 * 60
        ]
        for flight in table
    ]
    chosen: dict[tuple[int, ...], None] = {(flight,): None for flight in range(len(table))}
    for _ in range(20 * number):
        if len(chosen) >= number:
            break
        pairing = [below(len(table))]
        most = 2 + below(6)
        while len(pairing) < most and (following := after[pairing[-1]]):
            pairing.append(following[below(len(following))])
        chosen[tuple(pairing)] = None
    return list(chosen)


def splitmix(state: int) -> Callable[[int], int]:
    """Return a function below(bound) of random numbers, the same on every machine."""

    def below(bound: int) -> int:
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return (z ^ z >> 31) % bound

    return below
