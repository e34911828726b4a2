"""The fast path from plain options to arrays against the general path."""

import random

import pytest

from dlx import Coloured, Problem, ProblemError, build


def outcome(options):
    """Return the problem and its names, or the error."""
    try:
        problem = Problem(options)
    except ProblemError as error:
        return type(error), str(error), error.option, error.item
    return problem, problem.items, [problem.option(i) for i in range(problem.num_options)]


def random_options(rng):
    names = rng.choice([list(range(6)), list("abcdef"), [("cell", i) for i in range(6)]])
    names = names + rng.choice([[], [1.0, True], [Coloured("a", 1)], [[]], [None, ""]])
    kind = rng.choice([list, tuple, set, frozenset, iter])
    options = []
    for _ in range(rng.randrange(6)):
        option = rng.choices(names, k=rng.randrange(rng.choice([1, 4])))
        try:
            options.append(kind(option) if rng.random() < 0.3 else list(dict.fromkeys(option)))
        except TypeError:
            options.append(option)
    return options


@pytest.mark.parametrize("seed", range(400))
def test_plain_options_give_the_result_of_the_general_path(seed, monkeypatch):
    fast = outcome(random_options(random.Random(seed)))
    monkeypatch.setattr(build, "_from_plain_options", lambda options: None)
    assert outcome(random_options(random.Random(seed))) == fast
