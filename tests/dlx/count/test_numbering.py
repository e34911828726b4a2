"""Numbers by structure: the same arrays whatever the order of items and options."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import problems
from dlx import Count, Problem, Search
from dlx.count import numbering
from dlx.count.mask_kernel import sorted_places
from dlx.count.numbering import canonical, for_search, ranks
from dlx.count.remainder import remainder_of
from dlx.problem import replaced
from tests.dlx.problems import random_problem, shuffled
from tests.dlx.unions import disjoint_union
from tests.modes import COMPILED, compiled, kernel, long

pytestmark = kernel

FAMILIES = [
    problems.dominoes(4, 6),
    pytest.param(problems.latin(4), marks=long),
    problems.queens(6),
    problems.langford(7),
    problems.matchings(8),
    problems.de_bruijn(3),
    problems.set_partitions(4),
]


@pytest.mark.parametrize("problem", FAMILIES)
def test_shuffled_problems_become_equal_arrays(problem):
    own = canonical(problem)
    for seed in range(10 if COMPILED else 1):
        assert canonical(shuffled(problem, seed)) == own


def test_random_problems_become_equal_arrays():
    for seed in range(100 if COMPILED else 5):
        problem = random_problem(seed)
        assert canonical(shuffled(problem, seed)) == canonical(problem)


def test_one_long_option_among_short_ones_takes_no_table_of_all(monkeypatch):
    chosen = [random_problem(seed) for seed in range(20)]
    before = [canonical(problem) for problem in chosen]
    monkeypatch.setattr(numbering, "PADDED", 0)
    assert [canonical(problem) for problem in chosen] == before
    monkeypatch.setattr(numbering, "PADDED", 8)
    monkeypatch.setattr(numbering, "sorted_rows", None)
    canonical(Problem([[item] for item in range(20)] + [list(range(20))]))


def test_the_numbered_problem_has_as_many_solutions():
    for seed in range(100 if COMPILED else 5):
        problem = random_problem(seed)
        assert Search(canonical(problem)).count() == Search(problem).count()


@compiled
def test_a_numbered_search_takes_the_same_course_for_all_names():
    for problem in (problems.queens(9), problems.langford(8), random_problem(3)):
        nodes = set()
        for seed in range(6):
            search = Search(for_search(shuffled(problem, seed)), kernel="bits")
            assert search.count() == Search(problem).count()
            nodes.add(search.stats.nodes)
        assert max(nodes) <= 1.02 * min(nodes)


@compiled
def test_a_plain_search_takes_the_same_course_for_all_names():
    for problem in (problems.queens(12), problems.langford(11)):
        nodes = set()
        for seed in range(6):
            count = Count(shuffled(problem, seed), method="search", kernel="bits")
            assert count.count() == Search(problem).count()
            nodes.add(count.stats.nodes)
        assert max(nodes) <= 1.02 * min(nodes)


def test_other_numbers_for_the_items_make_a_problem_that_holds_its_checks():
    for seed in range(30):
        problem = random_problem(seed)
        number = np.random.default_rng(seed).permutation(problem.num_primary)
        number = np.append(number, np.arange(problem.num_primary, problem.num_items))
        own = replaced(problem, item=number.astype(np.int32)[problem.item])
        sizes = {"num_primary": own.num_primary, "num_secondary": own.num_secondary}
        arrays = own.start, own.item, own.colour
        assert own == Problem.from_arrays(*arrays, **sizes, colours=own.colours)
        for option in range(problem.num_options):
            begin, end = problem.start[option : option + 2]
            assert own.item[begin:end].tolist() == number[problem.item[begin:end]].tolist()


def test_items_of_different_structure_have_different_numbers():
    path = Problem([["a", "b"], ["b", "c"], ["c", "d"], ["d"]])
    remainder = remainder_of(path, ())
    assert sorted(ranks(remainder)) == [0, 1, 2, 3]
    other = Problem([["a", "b"], ["b", "c"], ["c", "a"], ["d"]])
    assert canonical(path) != canonical(other)


@compiled
@pytest.mark.parametrize("problem", [problems.latin(5), problems.dominoes(8, 10)])
def test_the_course_of_the_race_does_not_depend_on_names(problem):
    def course(problem):
        count = Count(problem, method="sweep")
        return count.count(), count.stats.nodes, count.peak_states

    assert {course(shuffled(problem, seed)) for seed in range(5)} == {course(problem)}


@given(st.lists(st.integers(0, 9)))
def test_places_sorted_by_counting_are_those_of_a_stable_sort(numbers):
    places = sorted_places(np.array(numbers, np.int64), 10)
    assert places.tolist() == sorted(range(len(numbers)), key=numbers.__getitem__)


@pytest.mark.parametrize(
    ("problem", "refinements", "rounds"),
    [
        (disjoint_union(*[problems.dominoes(2, 3)] * 40), 17, 64),  # 39 components to single out
        (Problem([[k, (k + 1) % 300] for k in range(300)]), 2, 65),  # 150 rounds each
        (problems.latin(4), 13, 40),
    ],
)
def test_quick_numbers_take_little_work(problem, refinements, rounds, monkeypatch):
    calls = []

    def counted(*arguments):
        calls.append(refine(*arguments))
        return calls[-1]

    refine = numbering.kernel.refine
    monkeypatch.setattr(numbering.kernel, "refine", counted)
    remainder = remainder_of(problem, ())
    assert sorted(ranks(remainder, quick=True)) == list(range(len(remainder.field)))
    assert len(calls) <= refinements
    assert sum(number for _, number in calls) <= rounds
