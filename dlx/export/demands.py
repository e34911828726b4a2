"""The constraints of a problem, item by item, which both exports encode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dlx.problem import Problem, option_of_entries


class Demand(NamedTuple):
    """From `low` to `high` of these options and colours are chosen."""

    low: int
    high: int
    options: list[int]  # those that have the item without a colour; all, for a primary item
    colours: list[list[int]]  # for each colour the options that give it; it counts once


def demands(problem: Problem) -> Iterator[Demand]:
    """Yield the constraint of each item, primary items first."""
    first = problem.num_primary
    option_of = option_of_entries(problem)
    order = np.argsort(problem.item, kind="stable")
    ends = np.searchsorted(problem.item[order], np.arange(problem.num_items + 1))
    for x in range(problem.num_items):
        entries = order[ends[x] : ends[x + 1]]
        plain: list[int] = []
        by_colour: dict[int, list[int]] = {}
        pairs = zip(option_of[entries].tolist(), problem.colour[entries].tolist(), strict=True)
        for option, colour in pairs:
            (by_colour.setdefault(colour, []) if colour else plain).append(option)
        low, high = (1, 1) if x < first else (0, 1)
        if x < first and problem.bounds is not None:
            low, high = problem.bounds[x].tolist()
        yield Demand(low, high, plain, list(by_colour.values()))
