"""The cheapest solutions: held to all solutions, to solution sets, to limits and interrupts."""

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
from dlx import Problem, ProblemError
from dlx.costs import cheapest_kernel
from dlx.costs.driver import CheapestSearch
from tests.dlx.conftest import Clock
from tests.dlx.problems import bounded_problems, oracle, random_problem, small_problems
from tests.modes import COMPILED, examples, kernel, long

pytestmark = kernel


def with_costs(problem, costs):
    return Problem(
        [problem.option(i) for i in range(problem.num_options)],
        primary=problem.items[: problem.num_primary],
        secondary=problem.items[problem.num_primary :],
        costs=costs,
        multiplicities=problem.multiplicities,
    )


def cost_of(problem, solution):
    return sum(problem.costs[option] for option in solution)


@settings(max_examples=examples(80), deadline=None)
@given(problem=st.one_of(small_problems(), bounded_problems()), data=st.data())
def test_the_k_cheapest_of_all_solutions(problem, data):
    n = problem.num_options
    spread = data.draw(st.sampled_from([1, 5, 10**6, 10**15]))
    costs = data.draw(st.lists(st.integers(-spread // 5, spread), min_size=n, max_size=n))
    problem = with_costs(problem, costs)
    chosen = tuple(data.draw(st.sets(st.integers(0, n - 1), max_size=1))) if n else ()
    k = data.draw(st.integers(1, 5))
    every = oracle(problem, chosen)
    found = dlx.cheapest(problem, k, given=chosen)
    assert [cost for cost, _ in found] == sorted(cost_of(problem, s) for s in every)[:k]
    assert len(set(found)) == len(found)
    for cost, solution in found:
        assert solution in every and cost == cost_of(problem, solution)


@pytest.mark.parametrize(
    "seed", [1, 2, *(pytest.param(seed, marks=long) for seed in (0, *range(3, 12)))]
)
def test_the_same_costs_as_the_diagram_of_all_solutions(seed):
    problem = random_problem(seed)
    costs = np.random.default_rng(seed).integers(-30, 100, problem.num_options).tolist()
    problem = with_costs(problem, costs)
    expected = [cost for cost, _ in dlx.solution_set(problem).k_best(None, 4)]
    assert [cost for cost, _ in dlx.cheapest(problem, 4)] == expected


@pytest.mark.parametrize("factor", [10, 10**12, 10**40])
def test_costs_with_a_common_divisor_take_no_more_nodes(factor):
    problem = hard(10)
    plain = CheapestSearch(problem, 3)
    times = CheapestSearch(with_costs(problem, [factor * cost for cost in problem.costs]), 3)
    for (cost, solution), found in zip(plain, times, strict=True):
        assert found == (factor * cost, solution)
        assert times.lower_bound == factor * plain.lower_bound
        assert times.gap == factor * plain.gap
    assert times.best == [(factor * cost, solution) for cost, solution in plain.best]
    assert times.stats.nodes == plain.stats.nodes


def test_a_solution_that_costs_as_little_as_is_proven_lowers_no_bound(tmp_path):
    r = random.Random(30)
    n = r.randint(6, 14)
    options = [r.sample(range(n), r.randint(1, 4)) for _ in range(r.randint(20, 60))]
    costs = [1000 * r.randint(0, 50) for _ in options]
    search = CheapestSearch(Problem(options, primary=range(n), costs=costs))
    bounds = [(found.cost, search.lower_bound, search.gap) for found in search]
    assert bounds[-2:] == [(120_000, 102_000, 18_000), (102_000, 102_000, 0)]
    search.save(tmp_path / "search")
    assert CheapestSearch.load(tmp_path / "search", search.problem).gap == 0


@long
def test_improving_yields_cheaper_and_cheaper_solutions_down_to_the_cheapest():
    problem = with_costs(random_problem(3), None)
    costs = np.random.default_rng(5).integers(0, 50, problem.num_options).tolist()
    problem = with_costs(problem, costs)
    search = dlx.improving(problem)
    found = [cost for cost, _ in search]
    assert found == sorted(set(found), reverse=True)
    assert found[-1:] == [cost for cost, _ in dlx.cheapest(problem)]
    assert (search.status, search.gap, search.lower_bound) == ("exhausted", 0, found[-1])


def test_functions_pass_their_arguments_to_the_search():
    problem = dlx.Problem([[0, 1], [2], [0], [1, 2]], costs=[5, 1, 1, 4])
    reports = []
    assert dlx.cheapest(problem, 2, given=[0], progress=reports.append) == [(6, (0, 1))]
    assert reports[-1].solutions == 1
    search = dlx.improving(problem, given=[0], time_limit=9, progress=reports.append)
    assert (search.time_limit, search.progress) == (9.0, reports.append)
    assert list(search) == [(6, (0, 1))]


def hard(size=20 if COMPILED else 12):
    """A problem whose search takes many slices of one update."""
    edges = [(a, b) for a in range(size) for b in range(a)]
    costs = np.random.default_rng(1).integers(1, 1000, len(edges)).tolist()
    return Problem(edges, costs=costs)


@pytest.mark.parametrize("small", [0, 1 << 15])
def test_a_search_stopped_anywhere_continues_to_the_same_end(monkeypatch, small):
    monkeypatch.setattr("dlx.costs.driver.SMALL", small)
    problem = hard()
    whole = CheapestSearch(problem, 3)
    assert whole.run() == "exhausted"
    monkeypatch.setattr("dlx.costs.driver.SLICE_UPDATES", 1)
    search = CheapestSearch(problem, 3)
    search.clock = Clock().perf_counter
    bounds = []
    for _ in range(100_000):
        search.time_limit = 0.02
        status = search.run()
        if search.lower_bound is not None:
            bounds.append(search.lower_bound)
            assert search.lower_bound <= whole.best[0].cost
        if status == "exhausted":
            break
        assert status == "time limit"
    assert search.best == whole.best and search.stats.nodes == whole.stats.nodes
    assert bounds == sorted(bounds) and len(bounds) > 5


def test_other_steps_of_large_problems_lead_to_the_same_solutions():
    problem = hard(8)
    options = [problem.option(o) for o in range(problem.num_options)]
    others = [["x", "y"]] * (cheapest_kernel.SMALL // 2)  # in no solution
    costs = [*problem.costs, *(0 for _ in others)]
    large = Problem([*options, *others], secondary=["x", "y"], costs=costs)
    assert large.num_entries > cheapest_kernel.SMALL
    assert dlx.cheapest(large, 5) == dlx.cheapest(problem, 5)


def test_a_bound_that_was_proven_once_does_not_fall(monkeypatch):
    monkeypatch.setattr("dlx.costs.driver.SLICE_UPDATES", 20)
    for seed in range(examples(40)):
        rng = random.Random(seed)
        items = range(rng.randint(4, 12))
        options = [rng.sample(items, rng.randint(1, 4)) for _ in range(30)]
        options += [[item] for item in items]
        costs = [rng.randint(-100, 10) for _ in options]
        search = CheapestSearch(Problem(options, costs=costs), k=rng.choice([1, 2, 3, 10]))
        search.clock = Clock().perf_counter
        search.time_limit, bounds = 0.02, []
        while search.run() != "exhausted":
            bounds.append(search.lower_bound if search.lower_bound is not None else -(10**9))
        bounds.append(search.best[0].cost)
        assert bounds == sorted(bounds), seed


def test_ctrl_c_keeps_the_best_with_its_bound(monkeypatch):
    problem = hard()
    search = CheapestSearch(problem)
    next(search)
    before = search.best

    def interrupt(state, budget):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("dlx.costs.cheapest_kernel.advance", interrupt)
        with pytest.raises(KeyboardInterrupt):
            search.run()
    assert search.status == "interrupted" and search.best == before
    assert search.lower_bound <= before[0].cost and search.gap >= 0
    assert search.run() == "exhausted"
    assert search.best[0].cost == dlx.solution_set(problem).best().cost


def test_ctrl_c_in_the_slice_that_finds_a_solution_loses_no_solution(monkeypatch, tmp_path):
    problem = hard(12)
    expected = dlx.cheapest(problem, 3)
    advance = cheapest_kernel.advance
    interrupts = []

    def interrupted(state, budget):
        if advance(state, budget):
            interrupts.append(1)
            raise KeyboardInterrupt

    monkeypatch.setattr("dlx.costs.cheapest_kernel.advance", interrupted)
    search = CheapestSearch(problem, 3)
    while search.status != "exhausted":
        try:
            search.run()
        except KeyboardInterrupt:
            if len(interrupts) % 2:
                search.save(tmp_path / "search")
                search = CheapestSearch.load(tmp_path / "search", problem)
    assert len(interrupts) >= 3 and search.best == expected


def test_a_stop_ends_a_run_and_the_next_one_continues():
    search = CheapestSearch(hard(), progress=lambda stats: search.stop())
    search.clock = Clock(1).perf_counter
    assert search.run() == "stopped"
    search.progress = None
    assert search.run() == "exhausted" and len(search.best) == 1


def test_an_error_of_progress_ends_the_run():
    search = CheapestSearch(hard(8), time_limit=1, progress=lambda stats: 1 / 0)
    search.clock = Clock(1).perf_counter
    with pytest.raises(ZeroDivisionError):
        next(search)
    assert search.status == "stopped"
    search.progress = search.time_limit = None
    assert search.run() == "exhausted" and len(search.best) == 1


def test_after_a_loop_that_was_left_a_run_has_its_own_limit_and_stop():
    search = CheapestSearch(hard(8))
    next(search)
    search.time_limit = 60
    assert search.run() == "exhausted"
    search = CheapestSearch(hard(8), time_limit=1)
    search.clock = Clock(1).perf_counter
    next(search)
    search.time_limit = None
    list(search)
    assert search.status == "exhausted"
    search = CheapestSearch(hard(8))
    for _ in search:
        search.stop()
        break
    assert search.run() == "exhausted"
    search = CheapestSearch(hard(8))
    for _ in search:
        search.stop()
    assert search.status == "stopped" and search.run() == "exhausted"


def test_the_error_of_a_time_limit_reports_the_best_solution():
    with pytest.raises(TimeoutError, match="not done within 0 s; no solution found"):
        dlx.cheapest(hard(), time_limit=0)
    with pytest.raises(TimeoutError, match="not done within 0 s; no solution found"):
        dlx.cheapest(hard(), time_limit=Fraction(0))


def test_problems_without_solutions_or_options():
    assert dlx.cheapest(Problem([["a", "b"], ["b"]], primary="abc", costs=[1, 2])) == []
    assert dlx.cheapest(Problem([], costs=[])) == [(0, ())]
    assert dlx.cheapest(Problem([["a"], ["a", "b"]], costs=[1, 2]), given=[0, 1]) == []


def test_costs_up_to_59_bits_are_exact_and_larger_ones_refused():
    most = 2**59 - 1
    problem = Problem([["a"], ["b"], ["a", "b"]], costs=[1, 2, most - 3])
    assert dlx.cheapest(problem, 2) == [(3, (0, 1)), (most - 3, (2,))]
    negative = Problem([["a"], ["b"], ["a", "b"]], costs=[-1, 2, 3 - most + 3])
    assert dlx.cheapest(negative)[0].solution == (2,)
    with pytest.raises(ProblemError, match="the costs are too large"):
        dlx.cheapest(Problem([["a"], ["a"]], costs=[1, 2**59]))
    assert dlx.solution_set(Problem([["a"], ["a"]], costs=[2**80, 2**70])).best().cost == 2**70


@pytest.mark.parametrize(
    ("problem", "k", "message"),
    [
        (Problem([["a"]]), 1, "the problem has no costs"),
        (Problem([["a"]], costs=[1]), 0, "k is 0; it must be a whole number from 1 on"),
        (Problem([["a"]], costs=[1]), 1.5, "k is 1.5; it must be a whole number from 1 on"),
    ],
)
def test_wrong_arguments_are_refused(problem, k, message):
    with pytest.raises(ProblemError, match=message):
        dlx.cheapest(problem, k)


@long
def test_matchings_of_least_cost_are_those_of_the_diagram():
    rng = np.random.default_rng(7)
    for _ in range(3):
        edges = [(a, b) for a in range(14) for b in range(a)]
        problem = Problem(edges, costs=rng.integers(0, 30, len(edges)).tolist())
        assert dlx.cheapest(problem)[0].cost == dlx.solution_set(problem).best().cost


def test_compiling_is_no_part_of_the_search(monkeypatch):
    budgets = []
    advance = cheapest_kernel.advance
    monkeypatch.setattr(
        cheapest_kernel,
        "advance",
        lambda state, budget: budgets.append(budget) or advance(state, budget),
    )
    search = dlx.improving(dlx.Problem([["a"], ["b"], ["a", "b"]], costs=[3, 4, 6]))
    assert [cost for cost, _ in search][-1] == 6
    assert budgets[0] == 0 and 0 not in budgets[1:]
