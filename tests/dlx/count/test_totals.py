"""All ways to count at once, in little memory, against products and sums of plain searches.

Other files force each way alone: tables in `test_sweep`, portions in `test_layers`, exchanges in
`test_symmetry`, cuts and components in `test_components`.
"""

import math
import random

import pytest

from dlx import Count, Problem
from dlx.count import race
from tests.dlx.problems import random_problem
from tests.dlx.unions import bridged, disjoint_union, without
from tests.modes import COMPILED, examples


def repeated(problem, seed):
    """The same problem, each option up to three times."""
    draw = random.Random(seed)
    numbers = [i for i in range(problem.num_options) for _ in range(draw.choice((1, 1, 2, 3)))]
    options = [problem.option(i) for i in numbers]
    primary = problem.items[: problem.num_primary]
    return Problem(options, primary=primary, secondary=problem.items[problem.num_primary :])


def plain(problem):
    return Count(problem, method="search").count()


def several(seed, parts):
    """Random problems side by side, the first two tied by a few options; and the solutions."""
    draw = random.Random(seed)
    own = [repeated(random_problem(100 * seed + k), k) for k in range(3 * parts)]
    own = [problem for problem in own if plain(problem) > 9][:parts]
    left, right = own[:2]
    ties = [tuple(draw.choice(p.items[: p.num_primary]) for p in (left, right)) for _ in range(4)]
    total = sum(plain(without(left, a)) * plain(without(right, b)) for a, b in ties)
    total *= math.prod(plain(problem) for problem in own[2:])
    return disjoint_union(bridged(left, right, ties, seed), *own[2:], seed=seed), total


@pytest.mark.parametrize("method", ["auto", "sweep"])
def test_components_cuts_colours_and_repeated_options(method, small_steps, monkeypatch):
    terms = []
    made = race.sum_of_products

    def spy(found, *settings):
        terms.append(len(found))
        return made(found, *settings)

    monkeypatch.setattr(race, "sum_of_products", spy)
    monkeypatch.setattr(race, "CUT_WORK", 0)
    monkeypatch.setattr(race, "FIRST_SLICE", 1000)
    largest = 0
    for seed in range(examples(2)):
        problem, total = several(seed, 16 if COMPILED else 4)
        count = Count(problem, method=method, memory_limit=200_000)
        assert (count.count(), count.status) == (total, "exhausted")
        largest = max(largest, total)
    if COMPILED:
        assert largest > 2**128
        assert max(terms) > 1  # a cut
