"""Symmetry: exchanges that are found, totals with them, and what is no symmetry."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

import dlx
from benchmarks import problems
from dlx import Coloured, Problem
from dlx.count import symmetry
from dlx.count.memory import MemoryAccount
from dlx.count.remainder import masks, remainder_of
from dlx.count.sweep import Sweep
from dlx.count.symmetry import with_exchanges
from tests.dlx.problems import oracle, random_problem, small_problems
from tests.modes import compiled, examples, kernel, long

pytestmark = kernel


def swept(problem, *, merge=True):
    """A sweep with all exchanges, to its end."""
    remainder = remainder_of(problem, ())
    order = np.arange(remainder.num_primary)
    made = with_exchanges(masks(remainder, order, merge=merge), remainder, order)
    sweep = Sweep(made, MemoryAccount(1 << 30))
    while not sweep.ended:
        sweep.advance(1 << 60)
    return sweep


@given(small_problems(colours=2))
@settings(max_examples=examples(80), deadline=None)
def test_small_problems_count_what_the_oracle_lists(problem):
    assert swept(problem).num_solutions == len(oracle(problem))


def test_random_problems_with_repeated_options_count_as_by_plain_search():
    for seed in range(examples(80)):
        problem = random_problem(seed)
        options = [problem.option(i) for i in range(problem.num_options)]
        primary, secondary = (
            problem.items[: problem.num_primary],
            problem.items[problem.num_primary :],
        )
        problem = Problem(options + options[: seed % 7], primary=primary, secondary=secondary)
        assert swept(problem).num_solutions == dlx.count_solutions(problem, method="search")


def two_alike(problem, mark):
    """The problem twice, tied by one item in all options: many exchanges."""
    options = []
    for part in range(2):
        for i in range(problem.num_options):
            names = [
                Coloured((part, e.item), e.colour) if isinstance(e, Coloured) else (part, e)
                for e in problem.option(i)
            ]
            options.append([*names, Coloured("tie", 1 + part % mark)])
    primary = [(part, item) for part in range(2) for item in problem.items[: problem.num_primary]]
    secondary = [(part, item) for part in range(2) for item in problem.items[problem.num_primary :]]
    return Problem(options, primary=primary, secondary=[*secondary, "tie"])


@long
def test_problems_of_two_equal_parts_with_colours():
    for seed in range(examples(60)):
        problem = random_problem(seed)
        whole = two_alike(problem, 1)
        assert swept(whole).num_solutions == dlx.count_solutions(problem, method="search") ** 2
        assert swept(two_alike(problem, 2)).num_solutions == 0


def test_vertices_of_a_complete_graph_are_exchanged():
    sweep = swept(problems.matchings(12))
    assert sweep.num_solutions == 10_395
    assert sweep.peak <= 6


@compiled
def test_layers_beyond_the_most_pairs_have_no_exchanges(monkeypatch):
    all_pairs = swept(problems.matchings(12))
    most = 2 * len(all_pairs.masks.pair) // 3
    monkeypatch.setattr(symmetry, "MOST_BIT_PAIRS", most)
    some = swept(problems.matchings(12))
    begin, beyond = some.masks.exchanges.T
    has_exchanges = beyond > begin
    last = int(np.flatnonzero(has_exchanges)[-1])
    assert has_exchanges[:last].sum() > 1
    assert not has_exchanges[last + 1 :].any()
    before_last = some.masks.pairs[begin[last]]
    assert before_last <= most < len(some.masks.pair) < len(all_pairs.masks.pair)
    assert some.num_solutions == all_pairs.num_solutions == 10_395
    assert some.peak >= all_pairs.peak


@compiled
def test_latin_squares_of_order_6_have_few_states():
    count = dlx.Count(problems.latin(6))
    assert count.count() == 812_851_200
    assert count.peak_states < 1_000_000
    sweep = swept(problems.latin(6))
    assert sweep.num_solutions == 812_851_200
    assert sweep.peak < 20_000


@compiled
def test_totals_beyond_words():
    assert swept(problems.matchings(60)).num_solutions == math.prod(range(1, 60, 2)) > 2**128


def test_repeated_options_count_several_times():
    problem = Problem([["a", "b"]] * 5 + [["a"]] * 3 + [["b"]] * 2)
    assert swept(problem).num_solutions == swept(problem, merge=False).num_solutions == 5 + 3 * 2
    long = [f"i{k}" for k in range(40)]
    problem = Problem([long] * 3 + [long[:20]] * 2 + [long[20:]] * 2)
    assert swept(problem).num_solutions == 3 + 4


def assert_symmetries(problem):
    """Each exchange of a layer maps the options from there on, items and kinds to themselves."""
    remainder = remainder_of(problem, ())
    order = np.arange(remainder.num_primary)
    made = with_exchanges(masks(remainder, order), remainder, order)
    options = [set() for _ in remainder.options]
    for option, bit in zip(remainder.option.tolist(), remainder.bit.tolist(), strict=True):
        options[option].add(bit)
    alone, field = remainder.alone.tolist(), remainder.field.tolist()
    for layer in range(remainder.num_primary):
        suffix = [option for option in options if min(option) >= layer]
        bits = set().union(*suffix)
        for e in range(*made.exchanges[layer]):
            pairs = made.pair[made.pairs[e] : made.pairs[e + 1]].tolist()
            image = {bit: bit for bit in bits} | dict(pairs) | {b: a for a, b in pairs}
            assert image[layer] == layer
            moved = [{image[bit] for bit in option} for option in suffix]
            assert sorted(map(sorted, moved)) == sorted(map(sorted, suffix))
            for a in bits:
                assert (a < remainder.num_primary) == (image[a] < remainder.num_primary)
                assert alone[a] == alone[image[a]]
                for b in bits:
                    assert (field[a] == field[b]) == (field[image[a]] == field[image[b]])
    return len(made.pairs) - 1


@given(small_problems(colours=2))
@settings(max_examples=examples(80), deadline=None)
def test_exchanges_of_small_problems_map_options_to_options(problem):
    assert_symmetries(problem)


def test_exchanges_map_options_to_options():
    assert assert_symmetries(problems.matchings(8)) > 8
    assert sum(assert_symmetries(two_alike(random_problem(seed), 1)) for seed in range(8)) > 8
    problem = Problem([["a", "b"], ["a", "c"], ["a", "b"], ["b", "d"], ["c", "d"]])
    assert assert_symmetries(problem) == 0  # b and c: but one option stands twice


@pytest.mark.parametrize(
    "options",
    [
        [["a", "s"], ["b", "t"], ["a"], ["b"]],  # a and b only together with s and t
        [["a", "b"], ["b", "c"], ["c", "d"], ["d"], ["a"]],
    ],
)
def test_every_exchange_maps_the_options_to_themselves(options):
    items = sorted({item for option in options for item in option})
    primary = [item for item in items if item < "s"]
    problem = Problem(options, primary=primary, secondary=[i for i in items if i >= "s"])
    assert_symmetries(problem)
