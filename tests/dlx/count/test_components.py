"""Components: found, at once or after a choice, counted in turns, multiplied, added."""

import math
import random
from weakref import WeakValueDictionary

import numpy as np
import pytest

import dlx
from benchmarks import problems
from dlx import Coloured, Count, Problem
from dlx.count import cuts
from dlx.count.components import component_remainders, components
from dlx.count.memory import MemoryAccount
from dlx.count.numbering import canonical
from dlx.count.race import sum_of_products
from dlx.count.remainder import remainder_of
from tests.dlx.problems import random_problem
from tests.dlx.unions import bridged, disjoint_union, tied_blocks
from tests.modes import COMPILED, compiled, examples


def split(problem, given=()):
    return components(remainder_of(problem, given))


def test_components_are_what_options_link():
    tiles = problems.dominoes(3, 4)
    assert len(split(tiles)) == 1
    found = split(disjoint_union(tiles, problems.queens(4), tiles))
    assert sorted(part.num_primary for part in found) == [8, 12, 12]
    assert split(Problem([])) == []
    chain = [[i, i + 1] for i in range(4000)]
    random.Random(1).shuffle(chain)
    assert [part.num_primary for part in split(Problem(chain))] == [4001]
    cut = [option for option in chain if option != [1000, 1001]]
    assert sorted(part.num_primary for part in split(Problem(cut))) == [1001, 3000]


def test_secondary_items_link_where_they_matter():
    def number(first, second):
        options = [["a", first], ["b", second]]
        return len(split(Problem(options, primary=["a", "b"], secondary=["s", "t"])))

    assert number("s", "s") == 1
    assert number("s", "t") == 2
    assert number(Coloured("s", 1), Coloured("s", 2)) == 1
    assert number(Coloured("s", 1), Coloured("s", 1)) == 2  # they can never disagree


def test_given_options_separate_components():
    row = Problem([[i, i + 1] for i in range(5)] + [[i] for i in range(6)])
    assert len(split(row)) == 1
    assert len(split(row, (2,))) == 2
    assert dlx.count_solutions(row, given=[2], method="sweep") == 4


def test_components_of_random_problems_have_the_solutions_of_the_whole():
    several, number = 0, examples(60)
    for seed in range(0, 2 * number, 2):
        problem = disjoint_union(random_problem(seed), random_problem(seed + 1), seed=seed)
        total = 1
        for part in (found := split(problem)):
            total *= dlx.count_solutions(part, method="search")
        assert dlx.count_solutions(problem, method="sweep") == total
        if total < 10**6 * COMPILED + 1000:
            assert dlx.count_solutions(problem, method="search") == total
        several += len(found) > 1 and total > 0
    assert several > number // 2


@compiled
def test_a_product_that_no_other_method_counts_soon():
    board = problems.pentominoes(problems.rectangle(5, 12))
    one = dlx.count_solutions(board)
    assert one == 4 * 1010
    count = Count(disjoint_union(board, board, board))
    assert count.count() == one**3
    assert count.status == "exhausted"
    assert dlx.count_solutions(disjoint_union(problems.latin(5), problems.latin(5))) == 161_280**2


def test_a_shared_component_is_released_by_the_last_sum_that_has_it():
    board = problems.dominoes(6, 6)
    account, known = MemoryAccount(1 << 30), WeakValueDictionary()
    one, other = (sum_of_products([[board]], "sweep", account, known) for _ in range(2))
    assert one.components == other.components
    one.advance(1)
    one.release()
    while not other.ended:
        other.advance(100_000)
    assert other.num_solutions == 6728
    assert account.used == 0  # all of it has ended
    other.release()
    assert account.used == 0


@compiled
@pytest.mark.parametrize("method", ["auto", "sweep"])
def test_a_component_that_was_released_is_begun_anew(method):
    matchings, none = problems.matchings(12), Problem([[0, 1], [0, 2], [0, 3]])
    known, account = WeakValueDictionary(), MemoryAccount(1 << 28)
    first = sum_of_products([[matchings, none]], method, account, known)
    while not first.ended:
        first.advance(1)
    assert first.num_solutions == 0 and not first.components[0].ended
    first.release()
    second = sum_of_products([[matchings]], method, account, known)
    while not second.ended:
        second.advance(1000)
    assert second.num_solutions == 10395


def test_equal_components_are_numbered_once(monkeypatch):
    numbered = []

    def watched(problem):
        numbered.append(problem)
        return canonical(problem)

    monkeypatch.setattr("dlx.count.race.canonical", watched)
    kinds = [problems.dominoes(2, 3), problems.queens(6)]
    whole = disjoint_union(*kinds * 50, seed=None)
    assert dlx.count_solutions(whole, method="sweep") == 3**50 * 4**50
    assert len(numbered) == 2


def test_arrays_are_sorted_once_for_all_components(monkeypatch):
    calls, unique = [], np.unique
    monkeypatch.setattr(
        np, "unique", lambda *args, **kwargs: calls.append(1) or unique(*args, **kwargs)
    )
    parts = component_remainders(remainder_of(disjoint_union(*[problems.dominoes(2, 2)] * 50), ()))
    assert len(parts) == 50 and len(calls) <= 3
    assert {part.num_primary for part in parts} == {4}
    assert sorted(np.concatenate([part.options for part in parts]).tolist()) == list(range(200))


def test_hundreds_of_components():
    assert dlx.count_solutions(disjoint_union(*[problems.dominoes(4, 4)] * 300)) == 36**300


def test_a_component_without_solutions():
    board, none = problems.dominoes(4, 4), problems.dominoes(3, 3)
    for method in ("auto", "sweep"):
        assert dlx.count_solutions(disjoint_union(board, none), method=method) == 0
    lonely = Problem([["a"], ["b"]], primary=["a", "b", "c"])
    assert dlx.count_solutions(lonely, method="sweep") == 0


@compiled
def test_a_component_without_end(clock):
    problem = disjoint_union(problems.latin(9), problems.queens(10), problems.dominoes(5, 5))
    assert dlx.count_solutions(problem) == 0
    problem = disjoint_union(problems.latin(9), problems.queens(10))
    count = Count(problem, time_limit=0.3)
    found = count.count()
    assert count.status == "time limit"
    assert found == count.stats.solutions > 724
    assert count.count() >= found
    count = Count(problem, limit=10**6)
    assert (count.count(), count.status) == (10**6, "limit")
    calls = []
    count = Count(
        problem, progress=lambda stats: (calls.append(stats), stats.done and count.stop())
    )
    count.count()
    assert count.status == "stopped"
    assert 0 < calls[-1].done < 1


def added(choices):
    """The solutions of components, multiplied, and added for all choices."""
    return sum(
        math.prod(dlx.count_solutions(component, method="search") for component in choice)
        for choice in choices
    )


def test_a_row_of_dominoes_is_cut_in_the_middle():
    row = problems.dominoes(2, 12)
    choices = cuts.split(row, remainder_of(row, ()))
    assert [sorted(c.num_primary for c in choice) for choice in choices] == [
        [12, 12], [11, 11], [11, 11], [10, 10]
    ]  # fmt: skip
    assert added(choices) == 233


def test_dense_problems_are_not_cut():
    for problem in (problems.dominoes(8, 8), problems.queens(8), problems.latin(4), Problem([])):
        assert cuts.split(problem, remainder_of(problem, ())) == []


def test_cuts_with_equal_work_are_equal_on_every_machine():
    # by logarithms, 5 choices were more than 5 for as many items, by a last digit
    numbers = range(1, cuts.MOST_CHOICES + 1)
    for items in (3, 100, cuts.MOST_ITEMS):
        assert [cuts._most_choices(cuts._work(k, items), items) for k in numbers] == [*numbers]
        fewer = items - cuts.DOUBLING  # half of the work for each choice
        if fewer > 0:
            most = [cuts._most_choices(cuts._work(k, items), fewer) for k in numbers]
            assert most == [min(2 * k, cuts.MOST_CHOICES) for k in numbers]


def test_the_draws_for_cuts_do_not_depend_on_the_c_library():
    for seed in range(cuts.VECTORS):
        drawn = np.random.default_rng(seed).standard_normal(cuts.MOST_ITEMS)
        by_logarithm = np.abs(drawn) > 3.654  # where numpy's method draws from the tail
        assert 1 < np.count_nonzero(by_logarithm) < 10
        for direction in (-np.inf, np.inf):
            other = np.nextafter(drawn[by_logarithm], direction).astype(np.float32)
            assert (other == cuts._drawn(seed, cuts.MOST_ITEMS)[by_logarithm]).all()


def test_choices_of_a_cut_have_the_solutions_of_the_whole(monkeypatch):
    monkeypatch.setattr(cuts, "DOUBLING", 1)  # take whatever cut there is
    cut, number = 0, examples(50)
    for seed in range(0, 2 * number, 2):
        left, right = random_problem(seed), random_problem(seed + 1)
        draw = random.Random(seed)
        ties = [[draw.choice(p.items[: p.num_primary]) for p in (left, right)] for _ in range(4)]
        problem = bridged(left, right, ties, seed)
        remainder = remainder_of(problem, ())
        if len(components(remainder)) == 1 and (choices := cuts.split(problem, remainder)):
            total = dlx.count_solutions(problem, method="search")
            assert added(choices) == total
            cut += total > 0
    assert cut > number // 4


@pytest.fixture(scope="module")
def tied():
    """Two blocks of random sets and their ties; how many solutions there are, block by block."""
    return tied_blocks(49, 190)


@compiled
def test_a_problem_that_falls_apart_after_a_choice(tied):
    problem, total = tied
    count = Count(problem)
    assert (count.count(), count.status) == (total, "exhausted")
    assert total > 10**7


@compiled
def test_a_count_by_choices_stops_and_continues(tied, clock):
    problem, total = tied
    count = Count(problem, limit=total // 2)
    assert (count.count(), count.status) == (total // 2, "limit")
    count = Count(problem, time_limit=0.3)
    seen = [0]
    while count.status != "exhausted":
        seen.append(count.count())
        assert seen[-2] <= seen[-1] <= total
    assert seen[-1] == total


def test_a_secondary_item_that_a_cut_leaves_without_options_is_in_no_component():
    problem = Problem(
        [["a", "s"], ["b", "t"], ["a", "c", "t"], ["b", "c", "s"], ["c"]],
        primary=["a", "b", "c"],
        secondary=["s", "t"],
    )
    remainder = remainder_of(problem, ())
    kept = np.isin(remainder.option, [0, 1, 4])
    cut = remainder._replace(option=remainder.option[kept], bit=remainder.bit[kept])
    assert [part.num_items for part in components(cut)] == [2, 2, 1]
    kept = np.isin(remainder.option, [4, 2]) & (remainder.bit < 4)
    cut = remainder._replace(option=remainder.option[kept], bit=remainder.bit[kept])
    assert [part.num_items for part in components(cut)] == [2, 1]
