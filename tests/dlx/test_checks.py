"""The same error for the same wrong argument, whatever function it is passed to."""

import numpy as np
import pytest

import dlx
from dlx import ProblemError

PROBLEM = [["a", "b"], ["a"], ["b"]]
TAKES_LIMIT = [dlx.Search, dlx.Count, dlx.solutions, dlx.count_solutions]
TAKES_MEMORY = [dlx.Count, dlx.count_solutions, dlx.solution_set]
TAKES_TIME = [*TAKES_LIMIT, dlx.solve, dlx.solution_set]


def refused(functions, name, values):
    return [(function, {name: value}) for function in functions for value in values]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        *refused(TAKES_LIMIT, "limit", [-1, 1.5, "2", [1]]),
        *refused(TAKES_MEMORY, "memory_limit", [0, -1, "lots", float("nan"), float("inf"), [1]]),
        *refused(TAKES_TIME, "time_limit", [-1, "a", float("nan"), [1]]),
        *refused(TAKES_TIME, "given", [[3], [-1], [0.5], 1, "ab", [[0]]]),
    ],
)
def test_wrong_arguments(function, arguments):
    (name,) = arguments
    with pytest.raises(ProblemError, match=f"^{name}"):
        function(PROBLEM, **arguments)


@pytest.mark.parametrize("name", ["kernel", "method", "jobs"])
@pytest.mark.parametrize("value", ["x", b"bits", 1.5, [1], np.array(["bits", "links"])], ids=str)
def test_wrong_names(name, value):
    others = {"kernel": [dlx.solve, dlx.Search], "method": [], "jobs": [dlx.solve]}
    for function in [dlx.count_solutions, *others[name]]:
        with pytest.raises(dlx.DlxError, match=name):
            function(PROBLEM, **{name: value})


@pytest.mark.parametrize(
    "number",
    [
        lambda *args, **options: dlx.Count(*args, **options).count(),
        dlx.count_solutions,
        lambda *args, **options: dlx.solution_set(*args, **options).count,
    ],
)
def test_numbers_of_any_type_are_accepted(number):
    numbers = {"memory_limit": 1e9, "time_limit": np.float32(100), "given": np.array([1])}
    assert number(PROBLEM, **numbers) == number(PROBLEM, given=[1])
    numbers = {"memory_limit": np.int64(10**9), "time_limit": 100, "given": {1, 2}}
    assert number(PROBLEM, **numbers) == number(PROBLEM, given=[1, 2])
