"""Pieces and estimates against exact numbers."""

import math
import random
import sys
from collections import Counter
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import problems
from dlx import KernelError, Problem, ProblemError, Search, count_solutions, estimate, pieces
from dlx.search import descent_kernel, tree
from dlx.search.tree import Tree, generator
from tests.dlx.problems import oracle, random_problem, small_problems
from tests.modes import examples, kernel, long

pytestmark = kernel


@settings(max_examples=examples(80))
@given(small_problems(), st.integers(1, 9), st.data())
def test_every_solution_lies_in_exactly_one_piece(problem, wanted, data):
    options = st.integers(0, max(0, problem.num_options - 1))
    chosen = data.draw(st.sets(options, max_size=2)) if problem.num_options else set()
    found = pieces(problem, wanted, given=chosen)
    expected = oracle(problem, sorted(chosen))
    assert all(set(chosen) <= set(piece) for piece in found)
    for solution in expected:
        assert sum(set(piece) <= set(solution) for piece in found) == 1
    listed = [solution for piece in found for solution in oracle(problem, piece)]
    assert sorted(listed) == expected
    assert len(found) >= wanted or all(len(oracle(problem, piece)) == 1 for piece in found)


@pytest.mark.parametrize("wanted", [1, 2, 7, 40])
@pytest.mark.parametrize(
    "seed", [1, 2, *(pytest.param(seed, marks=long) for seed in (0, *range(3, 8)))]
)
def test_counts_of_pieces_add_up(seed, wanted):
    problem = random_problem(seed)
    found = pieces(problem, wanted)
    assert len(set(found)) == len(found)
    total = sum(count_solutions(problem, given=piece) for piece in found)
    assert total == count_solutions(problem)


@long
def test_pieces_of_a_search_whose_nodes_are_almost_too_many_for_a_float():
    problem = [[item] for item in range(308) for _ in range(10)]
    assert pieces(problem, 4) == [(first,) for first in range(10)]


@long
def test_pieces_are_about_even():
    problem = problems.langford(9)
    whole = Search(problem)
    whole.count()
    nodes = []
    for piece in pieces(problem, 50):
        search = Search(problem, given=piece)
        search.count()
        nodes.append(search.stats.nodes)
    assert 50 <= len(nodes) <= 400
    assert max(nodes) * 50 < 4 * whole.stats.nodes


def test_pieces_are_pinned():
    assert pieces(problems.queens(4), 3) == [(0,), (1,), (2,), (3,)]
    assert pieces(problems.dominoes(2, 3), 1) == [()]
    assert pieces(Problem([], primary=["a"]), 1) == [()]
    assert pieces(Problem([], primary=["a"]), 2) == []
    assert pieces(Problem([[0], [0]]), 1, given=[0, 1]) == []


@pytest.mark.parametrize("wanted", [0, -1, 1.5, "2", None])
def test_number_of_pieces_is_checked(wanted):
    with pytest.raises(ProblemError, match="at_least is "):
        pieces([[0]], wanted)


@pytest.mark.parametrize("name", ["bits", "links"])
@pytest.mark.parametrize(
    "make", [lambda: problems.matchings(8), lambda: problems.dominoes(1, 9), lambda: Problem([])]
)
def test_estimate_is_exact_where_all_branches_are_alike(name, make):
    search = Search(make(), kernel=name)
    total = search.count()
    found = estimate(make(), 20, 5, kernel=name)
    assert found == (search.stats.nodes, 0.0, total, 0.0, 20)


def mean_over_all_descents(tree, chosen=(), weight=1.0):
    """The exact mean of `descend`, by visiting every descent: one sample at each leaf's parent."""
    tree.go_to(chosen)
    branches = tree.branches()
    if branches is None:
        return 1.0
    return sum(mean_over_all_descents(tree, (*chosen, o)) for o in branches)


@pytest.mark.parametrize("seed", range(6))
def test_positions_are_those_of_the_search(seed):
    problem = random_problem(seed)
    assert mean_over_all_descents(Tree(problem, "links")) == Search(problem).count()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["bits", "links"])
def test_the_item_with_fewest_options_is_found_among_many(name, seed):
    choose = random.Random(seed)
    items = range(3 * descent_kernel.BLOCK_ITEMS + 5)
    options = [choose.sample(items, choose.randint(1, 3)) for _ in items for _ in range(5)]
    problem = Problem(options, primary=items)
    sizes = Counter(chain.from_iterable(options))
    order = sorted(items, key=sizes.__getitem__) if name == "bits" else items
    tree = Tree(problem, name)
    tree.go_to(())
    left = list(range(len(options)))
    covered = set()
    while branches := tree.branches():
        sizes = Counter(x for o in left for x in options[o])
        best = min((x for x in order if x not in covered), key=sizes.__getitem__)
        assert branches == [o for o in left if best in options[o]]
        chosen = choose.choice(branches)
        tree.choose(chosen)
        covered.update(options[chosen])
        left = [o for o in left if covered.isdisjoint(options[o])]
    assert len(covered) > descent_kernel.BLOCK_ITEMS


@long
def test_pieces_of_a_large_problem_take_fewer_descents(monkeypatch):
    problem = Problem([[k // 3] for k in range(3 * 50)])
    samples = []
    descend = Tree.descend

    def counted(tree, number, random):
        samples.append(number)
        return descend(tree, number, random)

    monkeypatch.setattr(Tree, "descend", counted)
    assert len(pieces(problem, 10)) >= 10 and set(samples) == {64}
    samples.clear()
    monkeypatch.setattr("dlx.parallel.pieces.DESCENTS_WORK", 5 * Tree(problem, "links").work)
    assert len(pieces(problem, 10)) >= 10 and set(samples) == {5}


@long
@pytest.mark.parametrize("name", ["bits", "links"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: problems.queens(8),
        lambda: problems.langford(8),
        lambda: problems.set_partitions(6),
        lambda: problems.de_bruijn(3),
        lambda: problems.latin(4),
        lambda: random_problem(3),
        lambda: random_problem(11),
    ],
)
def test_estimate_is_unbiased(name, make):
    """The exact numbers are within four standard errors for this seed, and the errors small."""
    problem = make()
    search = Search(problem, kernel=name)
    total = search.count()
    found = estimate(problem, 40_000, 1, kernel=name)
    assert abs(found.nodes - search.stats.nodes) <= 4 * found.nodes_error + 1e-9
    assert abs(found.solutions - total) <= 4 * found.solutions_error + 1e-9
    assert found.nodes_error < 0.05 * found.nodes


def test_descents_are_made_in_pieces(monkeypatch):
    """Ctrl-C is noticed between two calls of the kernel."""
    problem = problems.queens(6)
    expected = estimate(problem, 50, 3)
    sizes = []

    def descend(*arguments):
        sizes.append(len(arguments[-1]))
        descent_kernel.descend(*arguments)

    monkeypatch.setattr(tree, "CALLED_DESCENTS_WORK", 20 * Tree(problem, "bits").work)
    monkeypatch.setattr(
        tree, "descent_kernel", SimpleNamespace(**{**vars(descent_kernel), "descend": descend})
    )
    assert estimate(problem, 50, 3) == expected
    assert sizes == [20, 20, 10]


def test_estimate_is_reproducible_and_checks_its_arguments():
    problem = problems.queens(6)
    assert estimate(problem, 50, 3) == estimate(problem, 50, 3) != estimate(problem, 50, 4)
    with pytest.raises(MemoryError, match=r"^1000000000000 samples do not fit into memory$"):
        estimate(problem, 10**12)
    assert estimate(problem, 50) != estimate(problem, 50)
    assert estimate(problem, 50, 3).solutions == pytest.approx(3.6, abs=4)
    assert estimate(problem, 1, 3).nodes_error == math.inf
    assert estimate([[0], [0]], given=[0, 1]) == (0.0, 0.0, 0.0, 0.0, 1000)
    with pytest.raises(KernelError, match="bits"):
        estimate(problem, kernel="bounds")
    for arguments in ((0, 1), (1.5, 1), (10, -1), (10, "a")):
        with pytest.raises(ProblemError):
            estimate(problem, *arguments)
    for samples in (sys.maxsize // 8 + 1, 2**63, 10**30):
        with pytest.raises(ProblemError, match=f"^samples is {samples}; it must be at most"):
            estimate(problem, samples)


@long
@pytest.mark.parametrize(("number", "overflows"), [(160, False), (700, True)])
def test_estimates_of_huge_numbers(number, overflows):
    """Each part has some twenty solutions; the squares of these estimates are beyond 10**308."""
    part = [[0], [0], [0], [0, 1], [1], [1, 2], [2], [2], [2]]
    options = [[(k, item) for item in option] for k in range(number) for option in part]
    found = estimate(options, 20, 1)
    assert (found.solutions == found.solutions_error == math.inf) == overflows
    if not overflows:
        assert 1e160 < found.solutions < 1e308 and 0 < found.solutions_error < 1e308


def test_generator_is_never_zero():
    assert all(int(generator(seed)[0]) & 1 for seed in range(100))
    assert generator(7).dtype == np.uint64
    assert generator(10**5000) != generator(10**5000 + 1)  # more digits than `str` takes


@pytest.mark.parametrize("name", ["auto", "bits", "links"])
def test_an_estimate_is_of_the_nodes_of_a_search(name):
    """Also of a small one, which "auto" ends by "links": where no branches differ, it is exact."""
    problem = Problem([[0, 1], [0, 1], [0, 1], [2, 3], [2, 3]])
    search = Search(problem, kernel=name)
    search.count()
    assert estimate(problem, 10, kernel=name).nodes == search.stats.nodes
    with_given = Search(problem, kernel=name, given=[0])
    with_given.count()
    assert estimate(problem, 10, given=[0], kernel=name).nodes == with_given.stats.nodes


def test_an_estimate_of_items_that_may_stay_empty():
    """Each has two options and may have none: all branches are alike."""
    slack = dict.fromkeys(range(3), (0, 1))
    problem = Problem([[item] for item in range(3) for _ in range(2)], multiplicities=slack)
    assert estimate(problem, 5).solutions == count_solutions(problem) == 27
    assert estimate(problem, 5, given=[0]).solutions == 9
    with pytest.raises(ProblemError, match="an estimate takes no problem with multiplicities"):
        estimate(problem, 5, kernel="bits")
    with pytest.raises(ProblemError, match="given"):
        estimate(problem, 5, given=[problem.num_options])


def test_where_nothing_is_parted_nothing_is_estimated(monkeypatch):
    monkeypatch.setattr(Tree, "descend", None)
    assert pieces([[item] for item in range(50)], 10) == [tuple(range(50))]
    assert pieces([["a"], ["b", "c"], ["b"]], 10) == [(0, 1)]
