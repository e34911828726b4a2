"""Exact cover problems at random, and their solutions by the naive oracle: shared by tests."""

import random

from hypothesis import strategies as st

from dlx import Coloured, Problem
from tests import naive


@st.composite
def small_problems(draw, colours=3):
    """A few options over a few items, with everything that a problem may have."""
    primary = [f"p{k}" for k in range(draw(st.integers(0, 6)))]
    secondary = [f"s{k}" for k in range(draw(st.integers(0, 3)))]
    items = primary + secondary
    options = []
    for _ in range(draw(st.integers(0, 12)) if items else 0):
        names = draw(st.lists(st.sampled_from(items), min_size=1, max_size=4, unique=True))
        marks = [draw(st.integers(0, colours)) if n in secondary else 0 for n in names]
        options.append([Coloured(n, k) if k else n for n, k in zip(names, marks, strict=True)])
    return Problem(options, primary=primary, secondary=secondary)


@st.composite
def bounded_problems(draw):
    """A small problem with multiplicities."""
    return with_multiplicities(draw(small_problems()), draw(st.integers(0, 2**20)))


@st.composite
def loose_problems(draw):
    """A small problem some of whose primary items may stay uncovered."""
    problem = draw(small_problems())
    primary = problem.items[: problem.num_primary]
    loose = draw(st.lists(st.sampled_from(primary), unique=True)) if primary else []
    return bounded(problem, dict.fromkeys(loose, (0, 1)) if problem.num_options else {})


def with_multiplicities(problem, seed):
    """The same problem, most of its primary items with a multiplicity."""
    draw = random.Random(seed)
    most = max(1, min(3, problem.num_options))
    bounds = {}
    for item in problem.items[: problem.num_primary]:
        low, high = sorted((draw.randint(0, most), draw.randint(0, most)))
        if draw.random() < 0.8:
            bounds[item] = high if low == high else (low, high)
    return bounded(problem, bounds)


def bounded(problem, bounds):
    """The same problem with these multiplicities."""
    return Problem(
        [problem.option(i) for i in range(problem.num_options)],
        primary=problem.items[: problem.num_primary],
        secondary=problem.items[problem.num_primary :],
        multiplicities=bounds,
    )


def random_problem(seed):
    """Some tens of options, secondary items and colours; often with many solutions."""
    draw = random.Random(seed)
    primary, secondary = draw.randint(4, 12), draw.randint(0, 6)
    options = []
    for _ in range(draw.randint(20, 60)):
        names = draw.sample(range(primary), draw.randint(1, 3))
        marks = draw.sample(range(primary, primary + secondary), min(secondary, draw.randint(0, 2)))
        colour = [Coloured(s, draw.randint(1, 3)) if draw.random() < 0.8 else s for s in marks]
        options.append([*names, *colour])
    return Problem(options, primary=range(primary), secondary=range(primary, primary + secondary))


def oracle(problem, chosen=()):
    """All solutions that contain the chosen options, sorted, by the naive solvers."""
    options = [
        [(e.item, e.colour) if isinstance(e, Coloured) else (e, None) for e in problem.option(i)]
        for i in range(problem.num_options)
    ]
    if problem.bounds is not None:
        names = problem.items[: problem.num_primary]
        bounds = dict(zip(names, problem.bounds.tolist(), strict=True))
        return sorted(naive.bounded_covers(options, bounds, chosen))
    return sorted(naive.exact_covers(options, problem.items[: problem.num_primary], chosen))


def shuffled_items(problem, seed):
    """The same problem, its items in another order."""
    names = list(problem.items[: problem.num_primary])
    random.Random(seed).shuffle(names)
    options = [problem.option(i) for i in range(problem.num_options)]
    return Problem(options, primary=names, secondary=problem.items[problem.num_primary :])


def shuffled(problem, seed):
    """The same problem, its items, options and the entries of each option in another order."""
    draw = random.Random(seed)
    options = [list(problem.option(i)) for i in range(problem.num_options)]
    primary = list(problem.items[: problem.num_primary])
    secondary = list(problem.items[problem.num_primary :])
    for names in (*options, options, primary, secondary):
        draw.shuffle(names)
    return Problem(options, primary=primary, secondary=secondary)
