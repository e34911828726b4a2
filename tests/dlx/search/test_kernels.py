"""What every kernel must do: known totals, the naive oracle, stopping and going on at will."""

import copy
import pickle
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import problems
from dlx import Coloured, Problem, Search
from dlx.search.driver import EXHAUSTED, KERNELS, NODES, SOLUTIONS, UPDATES
from tests.dlx.problems import oracle, small_problems
from tests.modes import examples, kernel, long

pytestmark = kernel

each_kernel = pytest.mark.parametrize("kernel", KERNELS)


def finish(kernel, state, budget=1 << 40, rows=0):
    """Runs a state to its end; the covers, if rows > 0."""
    out = np.empty((rows, kernel.max_depth(state)), np.int32)
    covers = []
    for _ in range(100_000):
        found = kernel.advance(state, budget, rows or 1 << 40, out)
        covers += [tuple(row[row >= 0].tolist()) for row in out[:found]] if rows else []
        if state.counters[EXHAUSTED]:
            return covers
    raise AssertionError("the search does not end")


@each_kernel
@pytest.mark.parametrize(
    ("make", "total"),
    [
        (lambda: problems.queens(6), 4),
        (lambda: problems.queens(8), 92),
        pytest.param(lambda: problems.queens(10), 724, marks=long),
        pytest.param(lambda: problems.queens(12), 14_200, marks=long),
        (lambda: problems.langford(6), 0),
        (lambda: problems.langford(8), 300),
        pytest.param(lambda: problems.langford(11), 35_584, marks=long),
        pytest.param(lambda: problems.pentominoes(problems.rectangle(3, 20)), 8, marks=long),
        pytest.param(problems.holed_chessboard, 520, marks=long),
        pytest.param(problems.soma, 11_520, marks=long),
        (lambda: problems.latin(4), 576),
        pytest.param(lambda: problems.latin(5), 161_280, marks=long),
        pytest.param(lambda: problems.dominoes(6, 6), 6_728, marks=long),
        (lambda: problems.dominoes(1, 300), 1),
        (lambda: problems.dominoes(1, 301), 0),
        (lambda: problems.matchings(10), 945),
        (lambda: problems.set_partitions(8), 4_140),
        (lambda: problems.de_bruijn(3), 16),
        (lambda: problems.de_bruijn(4), 256),
    ],
)
def test_totals_known_from_the_literature(kernel, make, total):
    assert Search(make(), kernel=kernel).count() == total


@each_kernel
@settings(max_examples=examples(150), deadline=None)
@given(problem=small_problems(), data=st.data())
def test_same_covers_as_the_naive_oracle(kernel, problem, data):
    chosen = ()
    if problem.num_options:
        chosen = tuple(data.draw(st.sets(st.integers(0, problem.num_options - 1), max_size=2)))
    expected = oracle(problem, chosen)
    covers = list(Search(problem, given=chosen, kernel=kernel))
    assert sorted(covers) == expected
    assert Search(problem, given=chosen, kernel=kernel).count() == len(expected)
    for limit in range(len(expected) + 2):
        search = Search(problem, given=chosen, limit=limit, kernel=kernel)
        assert list(search) == covers[:limit]
        assert Search(problem, given=chosen, limit=limit, kernel=kernel).count() == len(
            covers[:limit]
        )


@each_kernel
@settings(max_examples=examples(100), deadline=None)
@given(problem=small_problems(), data=st.data())
def test_stopping_anywhere_changes_nothing(kernel, problem, data):
    module = import_module(f"dlx.search.{kernel}")
    state = module.start(problem, ())
    whole = module.start(problem, ())
    expected = finish(module, whole, rows=7)
    depth = module.max_depth(state)
    covers = []
    while not state.counters[EXHAUSTED]:
        budget = data.draw(st.integers(1, 20))
        rows = data.draw(st.integers(1, 3))
        out = np.empty((rows, depth), np.int32)
        found = module.advance(state, budget, rows, out)
        assert 0 <= found <= rows
        covers += [tuple(row[row >= 0].tolist()) for row in out[:found]]
        if data.draw(st.booleans()):
            state = pickle.loads(pickle.dumps(state))
    assert covers == expected
    assert state.counters[[NODES, UPDATES, SOLUTIONS]].tolist() == (
        whole.counters[[NODES, UPDATES, SOLUTIONS]].tolist()
    )


@each_kernel
def test_a_copied_state_goes_its_own_way(kernel):
    module = import_module(f"dlx.search.{kernel}")
    state = module.start(problems.queens(8), ())
    out = np.empty((40, module.max_depth(state)), np.int32)
    assert module.advance(state, 1 << 40, 40, out) == 40
    other = copy.deepcopy(state)
    assert len(finish(module, state, rows=5)) == 52
    assert len(finish(module, other, rows=5)) == 52


@each_kernel
def test_an_exhausted_search_stays_so(kernel):
    module = import_module(f"dlx.search.{kernel}")
    state = module.start(problems.queens(6), ())
    finish(module, state)
    before = state.counters.tolist()
    assert module.advance(state, 1 << 40, 10, np.empty((0, 0), np.int32)) == 0
    assert state.counters.tolist() == before


@each_kernel
def test_no_primary_item_means_one_cover_the_empty_one(kernel):
    assert list(Search([], kernel=kernel)) == [()]
    assert list(Search(Problem([["x"]], secondary=["x"]), kernel=kernel)) == [()]


@each_kernel
def test_a_primary_item_that_no_option_covers_leaves_no_cover(kernel):
    assert list(Search(Problem([["a"]], primary=["a", "b"]), kernel=kernel)) == []


@each_kernel
def test_options_of_secondary_items_alone_keep_their_number(kernel):
    problem = Problem([["x"], ["a"], ["x"], ["b", "x"]], secondary=["x"])
    assert list(Search(problem, kernel=kernel)) == [(1, 3)]


@each_kernel
def test_equal_options_are_different_ones(kernel):
    assert list(Search([["a"], ["a"], ["b"]], kernel=kernel)) == [(0, 2), (1, 2)]


@each_kernel
def test_colours_that_agree_may_meet(kernel):
    def options(*colours):
        return [[name, Coloured("x", k)] for name, k in zip("abc", colours, strict=True)]

    assert list(Search(Problem(options(1, 1, 1), secondary="x"), kernel=kernel)) == [(0, 1, 2)]
    assert list(Search(Problem(options(1, 1, 2), secondary="x"), kernel=kernel)) == []
    mixed = [*options(1, 1, 1)[:2], ["c", "x"]]
    assert list(Search(Problem(mixed, secondary="x"), kernel=kernel)) == []


@each_kernel
def test_givens_are_part_of_every_cover_and_may_contradict(kernel):
    problem = Problem([["a", "b"], ["a"], ["b"], ["x"], ["c", "x"]], secondary="x")
    assert list(Search(problem, given=[2], kernel=kernel)) == [(1, 2, 4)]
    assert list(Search(problem, given=[2, 2, 1], kernel=kernel)) == [(1, 2, 4)]
    assert list(Search(problem, given=[0, 4], kernel=kernel)) == [(0, 4)]
    assert list(Search(problem, given=[0, 1], kernel=kernel)) == []
    beside = Problem([["a"], ["x"]], secondary=["x"])
    assert list(Search(beside, kernel=kernel)) == [(0,)]
    assert list(Search(beside, given=[1], kernel=kernel)) == [(0, 1)]
    assert list(Search(problem, given=[3], kernel=kernel)) == []


@each_kernel
@settings(max_examples=examples(50), deadline=None)
@given(problem=small_problems())
def test_the_done_part_grows_to_one(kernel, problem):
    module = import_module(f"dlx.search.{kernel}")
    state = module.start(problem, ())
    last = 0.0
    while not state.counters[EXHAUSTED]:
        module.advance(state, 3, 1, np.empty((0, 0), np.int32))
        part = module.done(state)
        assert last <= part <= 1 or state.counters[EXHAUSTED]
        last = part


@each_kernel
def test_the_numbers_of_nodes_and_updates_do_not_change(kernel):
    first, second = (Search(problems.langford(8), kernel=kernel) for _ in range(2))
    assert first.count() == second.count()
    assert first.stats[:3] == second.stats[:3]
    assert first.stats.nodes > first.stats.solutions
