"""Top-level functions: solve, solutions, count_solutions."""

from functools import partial

import numpy as np
import pytest

import dlx
from benchmarks import problems
from dlx import ProblemError, Search
from dlx.parallel.driver import ParallelSearch

QUEENS = problems.queens(8)
ENDLESS = problems.latin(7)


def test_solve_returns_the_first_solution_or_none():
    first = next(Search(QUEENS))
    assert dlx.solve(QUEENS) == first
    assert first == tuple(sorted(first))
    assert dlx.solve([["a"], ["b", "a"]], given=[0]) is None
    assert dlx.solve([]) == ()


def test_matrices_are_taken_for_problems():
    assert dlx.count_solutions(np.array([[1, 1, 0], [0, 0, 1], [1, 1, 1]])) == 2


def test_counting_is_exact_up_to_a_limit():
    assert dlx.count_solutions(QUEENS) == 92
    assert dlx.count_solutions(QUEENS, limit=10) == 10
    assert dlx.count_solutions(QUEENS, limit=1000) == 92
    assert type(dlx.count_solutions(QUEENS)) is int


def test_given_options_are_in_every_solution():
    through = [solution for solution in dlx.solutions(QUEENS) if 0 in solution]
    assert list(dlx.solutions(QUEENS, given=[0])) == through
    assert dlx.count_solutions(QUEENS, given=np.array([0])) == len(through) == 4


@pytest.mark.parametrize(
    "use",
    [
        lambda **limit: dlx.solve(ENDLESS, **limit),
        lambda **limit: list(dlx.solutions(ENDLESS, **limit)),
        lambda **limit: next(dlx.solutions(ENDLESS, **limit)),
        lambda **limit: list(dlx.solutions(ENDLESS, **limit).arrays()),
        lambda **limit: dlx.solutions(ENDLESS, **limit).count(),
        lambda **limit: dlx.count_solutions(ENDLESS, **limit),
        lambda **limit: dlx.solution_set(ENDLESS, **limit),
    ],
)
def test_all_functions_treat_time_limits_alike(use):
    with pytest.raises(TimeoutError, match="within 0"):
        use(time_limit=0)
    for wrong in ("a", -1, float("nan")):
        with pytest.raises(ProblemError, match="time_limit is"):
            use(time_limit=wrong)


def test_solutions_continue_after_a_time_limit(monkeypatch):
    monkeypatch.setattr(Search, "clock", staticmethod(iter(range(1000)).__next__))
    search = dlx.solutions(QUEENS, time_limit=1)
    seen = []
    while search.status != "exhausted":
        try:
            seen += [next(search)]
        except TimeoutError:
            assert search.status == "time limit"
        except StopIteration:
            pass
    assert seen == list(Search(QUEENS))


@pytest.mark.parametrize("method", ["search", "sweep", "auto"])
def test_a_limit_beyond_any_number_of_solutions(method):
    for limit in (2**63 - 1, 2**63, 10**30):
        assert dlx.count_solutions(QUEENS, limit=limit, method=method) == 92


def test_a_loop_may_be_left_at_any_time():
    search = dlx.solutions(ENDLESS)
    for solution in search:
        assert len(solution) == 49
        break
    assert search.stats.solutions == 1
    assert search.stats.nodes < 1000


@pytest.mark.parametrize("settings", [{}, {"jobs": 2}, {"executor": list}])
def test_progress_must_be_a_function(settings):
    with pytest.raises(ProblemError, match="progress is 1; it must be a function"):
        dlx.count_solutions([[0]], progress=1, **settings)
    with pytest.raises(ProblemError, match="progress is 1; it must be a function"):
        dlx.solutions([[0]], progress=1, **settings)


@pytest.mark.parametrize("settings", [{}, {"jobs": 2}])
def test_an_unknown_setting_is_refused(settings):
    for function in dlx.count_solutions, dlx.solutions:
        message = rf"^{function.__name__}\(\) got an unexpected keyword argument 'limits'"
        with pytest.raises(TypeError, match=message):
            function([[0]], limits=1, **settings)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("Count", partial(dlx.Count, [[0]])),
        ("ParallelSearch", partial(ParallelSearch, [[0]])),
        ("Problem.from_arrays", partial(dlx.Problem.from_arrays, [0, 1], [0], num_primary=1)),
    ],
)
def test_the_message_of_an_unknown_argument_names_the_public_function(name, make):
    with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword"):
        make(limits=1)
