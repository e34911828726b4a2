"""Counting: methods, memory, limits, lower bounds; and the two rules against each other."""

import random
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings

import dlx
from benchmarks import problems
from dlx import Count, Problem, ProblemError
from dlx.count import orders
from dlx.count import remainder as masks
from dlx.count.sweep import Memo
from dlx.count.sweep_kernel import OPEN
from tests.dlx.problems import oracle, random_problem, small_problems
from tests.modes import COMPILED, compiled, kernel, long

pytestmark = kernel

TOTALS = [
    (problems.dominoes(4, 6), 281),
    (problems.dominoes(5, 5), 0),
    (problems.matchings(8), 105),
    (problems.set_partitions(5), 52),
    (problems.latin(3), 12),
    (problems.queens(6), 4),
    (problems.langford(3), 2),
    (problems.de_bruijn(3), 16),
]
LARGE_TOTALS = [
    (problems.dominoes(8, 8), 12_988_816),
    (problems.dominoes(10, 12), 65_743_732_590_821),
    (problems.dominoes(12, 12), 53_060_477_521_960_000),
    (problems.dominoes(16, 16), 2_444_888_770_250_892_795_802_079_170_816),
    (problems.dominoes(7, 9), 0),
    (problems.matchings(20), 654_729_075),
    (problems.set_partitions(10), 115_975),
    (problems.latin(5), 161_280),
    (problems.soma(), 11_520),
    (problems.queens(8), 92),
    (problems.langford(8), 300),
    (problems.de_bruijn(4), 256),
]


def sweep(problem, *, fewest=False, memory_limit=1 << 30, order=None, given=()):
    rest = masks.rest(problem, given)
    order = np.arange(rest.num_primary) if order is None else order
    return Memo(masks.masks(rest, order, fewest=fewest), memory_limit)


def finish(memo, budget=1 << 60):
    while not memo.done:
        memo.advance(budget)
    return memo.total


def endless():
    """Far too large for every method."""
    return problems.latin(9)


def scattered(problem, seed):
    """The same problem, its items in another order."""
    names = list(problem.items[: problem.num_primary])
    random.Random(seed).shuffle(names)
    options = [problem.option(i) for i in range(problem.num_options)]
    return Problem(options, primary=names, secondary=problem.items[problem.num_primary :])


@pytest.mark.parametrize(("problem", "total"), TOTALS + LARGE_TOTALS * COMPILED)
def test_known_totals(problem, total):
    assert dlx.count_solutions(problem) == total
    assert dlx.count_solutions(problem, method="memo") == total


@given(small_problems())
@settings(max_examples=200 if COMPILED else 30, deadline=None)
def test_both_rules_count_what_the_oracle_lists(problem):
    total = len(oracle(problem))
    assert finish(sweep(problem)) == finish(sweep(problem, fewest=True)) == total
    backwards = np.arange(problem.num_primary)[::-1]
    assert finish(sweep(problem, order=backwards)) == total


def test_random_problems_count_as_by_plain_search():
    some = 0
    for seed in range(1000 if COMPILED else 30):
        problem = random_problem(seed)
        total = dlx.count_solutions(problem, method="search")
        assert finish(sweep(problem)) == finish(sweep(problem, fewest=True)) == total
        some += total > 100
    assert some > (300 if COMPILED else 5)  # or the comparison would say little


def test_random_problems_count_as_by_plain_search_beside_given_options():
    for seed in range(100 if COMPILED else 10):
        problem = random_problem(seed)
        draw = random.Random(seed)
        chosen = draw.sample(range(problem.num_options), draw.randint(1, 2))
        total = dlx.count_solutions(problem, given=chosen, method="search")
        assert dlx.count_solutions(problem, given=chosen, method="memo") == total
        if problem.compatible(chosen):
            assert finish(sweep(problem, fewest=True, given=chosen)) == total


def test_edge_cases():
    for method in ("auto", "search", "memo"):
        assert dlx.count_solutions([], method=method) == 1
        assert dlx.count_solutions(Problem([], primary=["a"]), method=method) == 0
        assert dlx.count_solutions(Problem([["x"]], secondary=["x"]), method=method) == 1
        assert dlx.count_solutions([["a"], ["a"], ["a", "b"]], method=method) == 1
        assert dlx.count_solutions([["a"], ["a"]], given=[0, 1], method=method) == 0


@compiled
def test_a_sweep_in_slices_counts_the_same():
    whole = finish(sweep(problems.dominoes(8, 8)))
    memo = sweep(problems.dominoes(8, 8))
    progress = []
    while not memo.done:
        memo.advance(5000)
        progress.append(memo.progress)
    assert memo.total == whole
    assert len(progress) > 20
    assert progress == sorted(progress)
    assert progress[-1] == 1


@compiled
@pytest.mark.parametrize("fewest", [False, True])
def test_little_memory_merges_less_but_counts_the_same(fewest):
    plenty = sweep(problems.latin(5), fewest=fewest)
    assert finish(plenty) == 161_280
    assert not plenty.by_parts
    little = sweep(problems.latin(5), fewest=fewest, memory_limit=1 << 20)
    parts = False
    while not little.done:
        little.advance(100_000)
        parts |= little.by_parts
    assert parts
    assert little.total == 161_280
    assert little.nodes > plenty.nodes


@compiled
def test_memory_limit_of_the_question():
    total = dlx.count_solutions(problems.dominoes(8, 8), method="memo", memory_limit=50_000)
    assert total == 12_988_816
    for wrong in (0, -1):
        with pytest.raises(ProblemError, match="memory_limit"):
            dlx.count_solutions([], memory_limit=wrong)


@compiled
def test_a_dive_finds_covers_early():
    memo = sweep(problems.dominoes(16, 16))
    memo.advance(10_000_000)
    assert memo.total == 0
    memo.dive(20_000_000)
    assert not memo.done
    early = memo.total
    assert 0 < early < 2_444_888_770_250_892_795_802_079_170_816
    assert finish(memo) == 2_444_888_770_250_892_795_802_079_170_816


@compiled
def test_an_order_is_found_where_the_given_one_is_bad():
    problem = scattered(problems.dominoes(8, 8), 1)
    rest = masks.rest(problem, ())
    found = Memo(orders.best(rest), 1 << 30)
    assert finish(found) == 12_988_816
    own = sweep(problem)
    own.advance(20 * found.work)
    assert not own.done
    assert sorted(orders.greedy(rest)) == list(range(64))
    wide = [[i, 1000] for i in range(1000)]
    assert orders.greedy(masks.rest(Problem(wide), ())) is None


@compiled
def test_a_long_path_in_any_order_is_counted_at_once():
    chain = Problem([[i, i + 1] for i in range(4999)] + [[i] for i in range(5000)])
    before, total = 1, 1  # Fibonacci's numbers: the last item is alone, or with the one before
    for _ in range(4999):
        before, total = total, before + total
    assert Count(scattered(chain, 1)).count() == total


@compiled
def test_independent_parts_are_counted_part_by_part():
    tiles = problems.dominoes(4, 4)
    options = [
        [(part, item) for item in tiles.option(i)]
        for i in range(tiles.num_options)
        for part in range(20)
    ]
    draw = random.Random(5)
    names = [(part, item) for part in range(20) for item in tiles.items]
    draw.shuffle(names)
    assert dlx.count_solutions(Problem(options, primary=names)) == 36**20


@compiled
def test_methods():
    with pytest.raises(ProblemError, match="no method 'magic'; there are auto, search, memo"):
        dlx.count_solutions([], method="magic")
    tiles = problems.dominoes(8, 8)
    count = Count(tiles, method="memo")
    assert count.count() == 12_988_816
    assert count.stats.kernel == "memo"
    assert Count(problems.queens(6), method="search").stats.kernel in ("links", "bits")


@compiled
def test_what_a_progress_callback_raises_comes_through():
    def fail(stats):
        raise ZeroDivisionError

    count = Count(endless(), progress=fail)
    with pytest.raises(ZeroDivisionError):
        count.count()
    assert count.status == "stopped"
    count.progress, count.time_limit = None, 0.05
    assert count.count() > 0 and count.status == "time limit"


@compiled
def test_limits():
    tiles = problems.dominoes(8, 8)
    for method in ("auto", "search", "memo"):
        count = Count(tiles, limit=1000, method=method)
        assert (count.count(), count.status) == (1000, "limit")
        count.limit = 100_000
        assert (count.count(), count.status) == (100_000, "limit")
        if method != "search":
            count.limit = None
            assert (count.count(), count.status) == (12_988_816, "exhausted")
        assert dlx.count_solutions(tiles, limit=13_000_000, method="memo") == 12_988_816


@compiled
def test_a_stopped_count_is_a_lower_bound_and_goes_on():
    for method in ("search", "memo", "auto"):
        count = Count(endless(), method=method, time_limit=0.1)
        found = count.count()
        assert count.status == "time limit"
        assert found == count.stats.solutions > 0
        assert count.count() >= found
    with pytest.raises(TimeoutError, match="solutions found so far"):
        dlx.count_solutions(endless(), time_limit=0.05)
    calls = []
    count = Count(endless(), progress=lambda stats: (calls.append(stats), count.stop()))
    count.count()
    assert count.status == "stopped"
    assert calls
    count = Count(problems.dominoes(12, 12), method="memo", time_limit=0)
    assert count.count() < 53_060_477_521_960_000
    count.time_limit = None
    assert count.count() == 53_060_477_521_960_000


@long
@compiled
def test_plain_search_keeps_its_share_for_the_lower_bound():
    count = Count(endless(), time_limit=0.3)
    found = count.count()
    plain, sweeps = count._plain, count._sweeps
    assert found >= plain.num_solutions > 1000
    assert len(sweeps) == 2
    assert 60 * plain.seconds > sum(sweep.seconds for sweep in sweeps)


def test_a_dive_leaves_all_states_open_however_often():
    for part in (None, 3):
        memo = sweep(problems.dominoes(4, 6))
        memo.advance(1000)
        opened = memo._state.counters[OPEN]
        assert opened > 5
        for most in (1, 4, 10**6, 2):
            memo.sweep_by_parts(most)
            assert memo._state.counters[OPEN] == opened
        memo.sweep_by_parts(part)
        assert finish(memo) == 281


@long
@compiled
def test_an_interrupt_is_answered_at_once_and_leaves_a_lower_bound():
    count = Count(endless(), method="memo", memory_limit=1 << 26)
    Count(endless(), method="memo", time_limit=0).count()  # compiles
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        count.count()
    assert time.perf_counter() - sent[0] < 2  # 0.2 on a machine that has nothing else to do
    assert count.status == "interrupted"
    assert count.stats.solutions > 0
