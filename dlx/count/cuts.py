"""Cuts: a few options without which a problem falls into components.

If few options have items of both sides of a problem, then each choice among them, with the
others left out, leaves independent components. Their numbers of solutions multiply, and the
products for all choices add up. Choices that leave the same on one side share that component.

Sides are sought along the eigenvectors of the problem's graph that vary least: these are almost
constant where the graph is densely connected, and change where few options connect it
(spectral partitioning: Fiedler 1973; Pothen, Simon and Liou 1990; for hypergraphs Zhou, Huang and
Schölkopf 2006).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count.components import components, labels
from dlx.count.remainder import Remainder, remainder_of
from dlx.problem import Problem

Array = npt.NDArray[Any]

MOST_ITEMS = 10_000
MOST_CHOICES = 128
VECTORS, PLACES = 3, 8  # eigenvectors, and places along each of them, that are examined
POWER_STEPS = 200  # of power iteration
DOUBLING = 4  # a rule of thumb: a search takes twice as long for this many items more


def split(problem: Problem, remainder: Remainder) -> list[list[Problem]]:
    """The components that each choice among the options of a cut leaves.

    Parameters
    ----------
    problem : Problem
        All in one component.
    remainder : Remainder
        That of the problem without given options.

    Returns
    -------
    list of lists of Problem
        Empty if there is no cut, or none that is expected to save work.
    """
    cut, choices = _cut(problem, remainder)
    terms = []
    for choice in choices:
        reduced = remainder_of(problem, choice)
        stays = ~np.isin(reduced.options[reduced.option], cut)
        terms.append(
            components(reduced._replace(option=reduced.option[stays], bit=reduced.bit[stays]))
        )
    return terms


def sides(problem: Problem, remainder: Remainder) -> Array | None:
    """int64[primary items]: the component of each one without the options of a cut, if any."""
    cut, _ = _cut(problem, remainder)
    if not cut:
        return None
    stays = ~np.isin(remainder.options[remainder.option], cut)
    item = remainder.item
    linked = remainder.option[stays], item[remainder.bit[stays]]
    return labels(*linked, len(remainder.options), int(item.max()) + 1)[: remainder.num_primary]


def _cut(problem: Problem, remainder: Remainder) -> tuple[list[int], list[tuple[int, ...]]]:
    """Options of a cut of the problem, and the choices among them; none if none saves work."""
    best: tuple[list[int], list[tuple[int, ...]]] = [], []
    item = remainder.item
    num_items, num_options = int(item.max(initial=-1)) + 1, len(remainder.options)
    if not 2 < num_items <= MOST_ITEMS:
        return best
    option, item = remainder.option, item[remainder.bit]
    # a cut must save half of the work, by the rule of thumb
    work = _work(1, max(0, num_items - DOUBLING))
    before = np.arange(1, num_items)
    larger = np.maximum(before, num_items - before).tolist()
    for order in _orders(option, item, num_options, num_items):
        place = np.empty(num_items, np.int64)
        place[order] = np.arange(num_items)
        first = np.full(num_options, num_items)
        np.minimum.at(first, option, place[item])
        last = np.zeros(num_options, np.int64)
        np.maximum.at(last, option, place[item])
        change = np.bincount(first, minlength=num_items) - np.bincount(last, minlength=num_items)
        across = np.cumsum(change)[:-1]  # options that have items both before and after a place
        around = np.pad(across, 1, constant_values=num_options)
        narrow = across <= np.minimum(np.minimum(around[:-2], around[2:]), MOST_CHOICES)
        choices_at = (across + 1).tolist()
        places = np.flatnonzero(narrow).tolist()
        for at in sorted(places, key=lambda at: _work(choices_at[at], larger[at]))[:PLACES]:
            cut = remainder.options[(first <= at) & (last > at)].tolist()
            if choices := _choices(problem, cut, _most_choices(work, larger[at])):
                best = cut, choices
                work = _work(len(choices), larger[at])
    return best


def _work(choices: int, items: int) -> int:
    """The work for so many choices that leave so many items, to the power of `DOUBLING`.

    An integer: logarithms have other last digits on other machines, and would choose other cuts.
    """
    work: int = choices**DOUBLING << items
    return work


def _most_choices(work: int, items: int) -> int:
    """How many choices take at most this work; from 1 to MOST_CHOICES."""
    numbers = range(1, MOST_CHOICES + 1)
    return max(1, bisect_right(numbers, work, key=lambda number: _work(number, items)))


def _orders(option: Array, item: Array, num_options: int, num_items: int) -> list[Array]:
    """The items along each of the eigenvectors that vary least, but for the constant one.

    Approximated by some rounds of power iteration. numpy's own function starts threads, which may
    take much longer where other processes use the cores.
    """
    degree = np.maximum(1, np.bincount(item, minlength=num_items))
    weight = 1 / np.sqrt(degree)[item]
    share = weight / np.bincount(option, minlength=num_options)[option]
    vectors = [np.sqrt(degree / degree.sum())]
    for seed in range(VECTORS):
        vector: Array = _drawn(seed, num_items)
        for _ in range(POWER_STEPS):
            for other in vectors:
                vector = vector - (vector * other).sum() * other
            mean = np.bincount(option, vector[item] * share, num_options)
            vector = np.bincount(item, mean[option] * weight, num_items)
            vector = vector / max(np.sqrt((vector * vector).sum()), 1e-300)
        vectors.append(vector)
    return [np.argsort(vector / np.sqrt(degree), kind="stable") for vector in vectors[1:]]


def _drawn(seed: int, number: int) -> Array:
    """Normally distributed numbers, the same on every machine.

    numpy takes the largest ones from `log1p` of the C library, so their last digits depend on it:
    they are rounded.
    """
    drawn = np.random.default_rng(seed).standard_normal(number)
    return drawn.astype(np.float32).astype(np.float64)


def _choices(problem: Problem, cut: list[int], most: int) -> list[tuple[int, ...]]:
    """All sets of compatible options of a cut; none if there are more than `most`."""
    choices: list[tuple[int, ...]] = [()]
    if len(cut) >= most:  # no option, and each option alone, are choices
        return []
    for option, conflicts in zip(cut, _conflicts(problem, cut), strict=True):
        choices += [(*choice, option) for choice in choices if conflicts.isdisjoint(choice)]
        if len(choices) > most:
            return []
    return choices


def _conflicts(problem: Problem, cut: list[int]) -> Iterator[set[int]]:
    """For each option of a cut, those before it that are not compatible with it.

    The problem has no multiplicities: options are compatible if each two of them are.
    """
    before: dict[int, list[tuple[int, int]]] = {}  # the options with each item, and its colour
    for option in cut:
        conflicts: set[int] = set()
        entries = slice(int(problem.start[option]), int(problem.start[option + 1]))
        colours = problem.colour[entries].tolist()
        for item, colour in zip(problem.item[entries].tolist(), colours, strict=True):
            others = before.setdefault(item, [])
            conflicts.update(other for other, its in others if colour == 0 or its != colour)
            others.append((option, colour))
        yield conflicts
