"""Multiplicities and the kernel "bounds": known counts, the naive oracle, wrong arguments."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
from benchmarks import problems
from dlx import Coloured, KernelError, Problem, ProblemError, Search, models
from dlx.logic import Deducer
from dlx.parallel.estimate import estimate
from dlx.parallel.pieces import pieces
from dlx.search import bounds
from dlx.search.counters import EXHAUSTED
from tests.dlx.problems import bounded_problems, oracle, random_problem, with_multiplicities
from tests.modes import examples, kernel, long

pytestmark = kernel

each_form = pytest.mark.parametrize("width", [0, 3, bounds.ENDGAME])


def domination(n, men, man):
    return models.domination(n, men, man).problem


def queen(a, b):
    return a[0] == b[0] or a[1] == b[1] or abs(a[0] - b[0]) == abs(a[1] - b[1])


def knight(a, b):
    return {abs(a[0] - b[0]), abs(a[1] - b[1])} == {1, 2}


@pytest.mark.parametrize(
    ("problem", "count"),
    [
        # labelled 2-regular graphs, OEIS A001205; cubic ones, A002829
        (problems.matchings(5, 2), 12),
        (problems.matchings(6, 2), 70),
        pytest.param(problems.matchings(8, 2), 3_507, marks=long),
        (problems.matchings(6, 3), 70),
        pytest.param(problems.matchings(8, 3), 19_355, marks=long),
        # 0/1 matrices with all sums 2, A001499; 3, A001501
        (problems.binary_matrices(4, 2), 90),
        pytest.param(problems.binary_matrices(6, 2), 67_950, marks=long),
        pytest.param(problems.binary_matrices(5, 3), 2_040, marks=long),
        # monomer-dimer tilings of a square, A028420
        (problems.packings(2, 2), 7),
        (problems.packings(3, 3), 131),
        pytest.param(problems.packings(4, 4), 10_012, marks=long),
        # five queens dominate a chessboard in 4860 ways (Knuth, TAOCP 4B, 7.2.2.1, MCC problems)
        (domination(5, 3, "queen"), 186),
        pytest.param(domination(8, 5, "queen"), 4_860, marks=long),
    ],
)
def test_known_counts(problem, count):
    assert dlx.count_solutions(problem) == count


@pytest.mark.parametrize(("n", "pieces", "attacks"), [(4, 4, knight), (4, 2, queen), (5, 3, queen)])
def test_dominations_are_those_that_all_sets_of_cells_contain(n, pieces, attacks):
    cells = list(product(range(n), repeat=2))
    dominating = [
        chosen
        for chosen in combinations(range(n * n), pieces)
        if all(any(c == cells[p] or attacks(cells[p], c) for p in chosen) for c in cells)
    ]
    assert sorted(dlx.solutions(domination(n, pieces, attacks.__name__))) == dominating


@settings(max_examples=examples(80), deadline=None)
@given(problem=bounded_problems(), data=st.data())
def test_same_solutions_as_the_naive_oracle(problem, data):
    chosen = ()
    if problem.num_options:
        chosen = tuple(data.draw(st.sets(st.integers(0, problem.num_options - 1), max_size=2)))
    expected = oracle(problem, chosen)
    found = list(Search(problem, given=chosen))
    assert sorted(found) == expected
    assert dlx.count_solutions(problem, given=chosen) == len(expected)
    for limit in range(min(4, len(expected) + 1)):
        assert list(Search(problem, given=chosen, limit=limit)) == found[:limit]


@pytest.mark.parametrize("number", [64, 65, 130])
def test_an_item_may_have_more_options_than_a_word_has_bits(number):
    options = [["a", Coloured("s", k % 2)] for k in range(number)]
    problem = Problem(options, secondary=["s"], multiplicities={"a": 2})
    pairs = [(k, m) for k, m in combinations(range(number), 2) if k % 2 == m % 2]
    assert list(Search(problem)) == pairs


@each_form
@pytest.mark.parametrize("seed", [6, *(pytest.param(seed, marks=long) for seed in (1, 8))])
def test_last_options_are_searched_alike_in_either_form(monkeypatch, width, seed):
    problem = with_multiplicities(random_problem(seed), seed)
    whole = Search(problem)
    expected = list(whole)
    monkeypatch.setattr(bounds, "ENDGAME", width)
    search = Search(problem)
    assert list(search) == expected
    assert search.stats.nodes == whole.stats.nodes
    for budget in (1, 60):  # three calls, then the branches that they leave
        state = bounds.start(problem, ())
        found = [solution for _ in range(3) for solution in advanced(state, budget)]
        for branch in bounds.open_branches(state, 1.0):
            own = bounds.restart(problem, state, None, branch)
            while not own.counters[EXHAUSTED]:
                found += advanced(own, 1 << 40)
        assert found == expected


def advanced(state, budget):
    """The solutions of one call, at most 50."""
    out = np.empty((50, bounds.max_depth(state)), np.int32)
    found = bounds.advance(state, budget, len(out), out)
    return [tuple(row[row >= 0].tolist()) for row in out[:found]]


@settings(max_examples=examples(25), deadline=None)
@given(problem=bounded_problems(), data=st.data())
def test_stopping_saving_and_loading_change_nothing(tmp_path_factory, problem, data):
    whole = list(Search(problem))
    search = Search(problem)
    seen = []
    for _ in range(data.draw(st.integers(1, 4))):
        for _ in range(data.draw(st.integers(0, 5))):
            seen += [solution for solution in [next(search, None)] if solution is not None]
        path = tmp_path_factory.mktemp("saved") / "search"
        before = search.stats
        search.save(path)
        search = Search.load(path, problem)
        assert search.stats == before
    assert seen + list(search) == whole


@settings(max_examples=examples(60), deadline=None)
@given(problem=bounded_problems(), data=st.data())
def test_masks_hold_exactly_the_options_that_may_still_be_included(problem, data):
    state = bounds.start(problem, ())
    out = np.empty((0, bounds.max_depth(state)), np.int32)
    while not state.counters[EXHAUSTED]:
        path = state.path[: state.lengths[0]].tolist()
        chosen = [option for option in path if option >= 0]
        decided = {option if option >= 0 else ~option for option in path}
        for x in range(problem.num_items):
            expected = [
                o
                for o in range(problem.num_options)
                if x in items_of(problem, o)
                and min(items_of(problem, o)) < problem.num_primary
                and o not in decided
                and problem.compatible([*chosen, o])
            ]
            assert options_of(state, x) == expected
            assert state.size[x] == len(expected)
        bounds.advance(state, data.draw(st.integers(1, 4)), 1, out)


def items_of(problem, option):
    return problem.item[problem.start[option] : problem.start[option + 1]].tolist()


def options_of(state, x):
    """The options in the mask of an item."""
    words = range(int(state.word[x]), int(state.word[x + 1]))
    bits = [64 * w + b for w in words for b in range(64) if int(state.mask[w]) >> b & 1]
    return [int(state.owner[state.base[x] + bit]) for bit in bits]


def test_equal_options_may_both_be_chosen():
    problem = Problem([["a"], ["a"], ["a"]], multiplicities={"a": 2})
    assert list(dlx.solutions(problem)) == [(0, 1), (0, 2), (1, 2)]


def test_colours_agree_beside_multiplicities():
    options = [["a", Coloured("x", 1)], ["a", Coloured("x", 2)], ["a", Coloured("x", 1)], ["a"]]
    problem = Problem(options, secondary=["x"], multiplicities={"a": (2, 3)})
    assert sorted(dlx.solutions(problem)) == [(0, 2), (0, 2, 3), (0, 3), (1, 3), (2, 3)]


def test_the_example_of_knuths_dlx3_has_one_solution():
    text = "A B 2:3|C | X Y\nA B X:0 Y:0\nA C X:1 Y:1\nC X:0\nB X:1\nC Y:1\n"
    assert list(dlx.solutions(dlx.loads(text))) == [(1, 3, 4)]


def test_an_item_covered_at_most_0_times_excludes_its_options():
    problem = Problem([["a", "b"], ["a"], ["b"]], multiplicities={"b": (0, 0)})
    assert list(dlx.solutions(problem)) == [(1,)]
    assert list(dlx.solutions(problem, given=[2])) == []


def test_multiplicities_of_1_are_dropped():
    assert Problem([["a"]], multiplicities={"a": (1, 1)}) == Problem([["a"]])
    assert Problem([], primary=["a"], multiplicities={"a": 1}).bounds is None
    problem = Problem([["a"], ["a"]], multiplicities={"a": 2})
    assert problem != Problem([["a"], ["a"]])
    assert problem.digest != Problem([["a"], ["a"]]).digest
    assert repr(problem).startswith("Problem(1 primary items, 1 with multiplicities,")


def test_arrays_and_matrices_take_multiplicities():
    arrays = Problem.from_arrays([0, 1, 2], [0, 0], num_primary=1, multiplicities={0: 2})
    matrix = Problem.from_matrix([[1], [1]], multiplicities={0: 2})
    assert arrays == matrix == Problem(np.array([[1], [1]]), multiplicities={0: 2})
    assert list(dlx.solutions(arrays)) == [(0, 1)]


def test_an_upper_bound_above_the_number_of_options_is_that_number():
    problem, bounded = (
        Problem([["a"], ["a"], ["b"]], multiplicities={"a": (1, high)}) for high in (2**70, 3)
    )
    assert problem == bounded and problem.multiplicities == {"a": (1, 3)}
    assert (
        list(dlx.solutions(problem)) == list(dlx.solutions(bounded)) == [(0, 1, 2), (0, 2), (1, 2)]
    )
    none = Problem([], primary=["a"], multiplicities={"a": (0, 9)})
    assert dlx.count_solutions(none) == 1


@pytest.mark.parametrize(
    ("multiplicities", "message"),
    [
        ({"a": -1}, "the multiplicity of item 'a' is -1; it must not be negative"),
        ({"a": (-1, 1)}, "is -1; it must not be negative"),
        ({"a": (2, 1)}, "the multiplicity of item 'a' is from 2 to 1; low is above high"),
        ({"a": 3}, "is 3; it must not be above the number of options, 2"),
        ({"a": (3, 2**70)}, "must not be above the number of options, 2"),
        ({"x": 1}, "item 'x' has a multiplicity, but is secondary; only primary items may"),
        ({"q": 1}, "item 'q' has a multiplicity, but is not an item"),
        ({"a": 1.5}, "the multiplicity of item 'a' is 1.5; it must be a whole number"),
        ({"a": (1, 2, 3)}, "is (1, 2, 3); it must be a number or (low, high)"),
        (5, "multiplicities are 5; they must map items to numbers"),
    ],
)
def test_wrong_multiplicities_are_refused_in_one_line(multiplicities, message):
    with pytest.raises(ProblemError) as error:
        Problem([["a", "b"], ["a", "x"]], secondary=["x"], multiplicities=multiplicities)
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (lambda p: dlx.solution_set(p), "a solution set takes no problem with multiplicities"),
        (lambda p: dlx.count_solutions(p, method="sweep"), "a sweep takes no problem with"),
        (lambda p: pieces(p, 2), "pieces takes no problem with multiplicities"),
        (lambda p: estimate(p, 2), "an estimate takes no problem with multiplicities"),
        (lambda p: Deducer(p), "a deduction takes no problem with multiplicities"),
    ],
)
def test_functions_without_multiplicities_refuse_them(task, message):
    with pytest.raises(ProblemError, match=message):
        task(Problem([["a"], ["a"]], multiplicities={"a": 2}))


@pytest.mark.parametrize("name", ["bits", "links"])
def test_other_kernels_refuse_multiplicities(name):
    problem = Problem([["a"], ["a"]], multiplicities={"a": 2})
    with pytest.raises(KernelError, match=f"kernel '{name}' cannot take this problem: it has mult"):
        Search(problem, kernel=name)
    assert Search(problem).stats.kernel == "bounds"


def test_the_fraction_done_may_be_read_while_another_thread_searches():
    """It then belongs to counters of before and to decisions that have changed since."""
    problem = problems.packings(3, 4)
    state = bounds.start(problem, ())
    while not state.counters[EXHAUSTED]:
        before = state.counters.copy()
        bounds.advance(state, 50, 1 << 40, np.empty((0, 0), np.int32))
        after = state.counters.copy()
        state.counters[:] = before
        assert 0 <= bounds.fraction_done(state) < 1
        state.counters[:] = after
