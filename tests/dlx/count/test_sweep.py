"""The sweep against plain search and the oracle; slices, memory, early lower bounds."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings

import dlx
from benchmarks import problems
from dlx import Problem
from dlx.count import orders, table
from dlx.count.memory import MemoryAccount
from dlx.count.remainder import masks, remainder_of
from dlx.count.saved import Store
from dlx.count.sweep import Expected, Sweep
from dlx.count.sweep_kernel import DEPTHS, LAYER, WORK
from dlx.count.table import TableSweep
from tests.dlx.problems import oracle, random_problem, shuffled_items, small_problems
from tests.dlx.unions import disjoint_union
from tests.modes import COMPILED, compiled, examples, kernel

pytestmark = kernel


def sweep(problem, *, memory_limit=1 << 30, order=None, given=(), merge=False):
    remainder = remainder_of(problem, given)
    order = np.arange(remainder.num_primary) if order is None else order
    return Sweep(masks(remainder, order, merge=merge), MemoryAccount(memory_limit))


def finish(running, budget=1 << 60):
    while not running.ended:
        running.advance(budget)
    return running.num_solutions


@given(small_problems())
@settings(max_examples=80 if COMPILED else 20, deadline=None)
def test_sweeps_count_what_the_oracle_lists(problem):
    total = len(oracle(problem))
    assert finish(sweep(problem)) == total
    backwards = np.arange(problem.num_primary)[::-1]
    assert finish(sweep(problem, order=backwards)) == total


def test_random_problems_count_as_by_plain_search():
    some = 0
    for seed in range(300 if COMPILED else 8):
        problem = random_problem(seed)
        total = dlx.count_solutions(problem, method="search")
        assert finish(sweep(problem)) == total
        some += total > 100
    assert some > (90 if COMPILED else 2)  # or the comparison would say little


def test_states_of_several_words_count_as_the_parts_of_the_problem():
    """Random problems alone fit into one word."""
    words = set()
    for seed in range(0, examples(60), 6):
        parts = [random_problem(seed + k) for k in range(6)]
        totals = [dlx.count_solutions(part, method="search") for part in parts]
        parts = [part for part, total in zip(parts, totals, strict=True) if total]
        whole = disjoint_union(*parts, seed=None)  # the parts one after the other
        running = sweep(whole, merge=seed % 12 == 0)
        assert finish(running) == math.prod(filter(None, totals))
        order = np.arange(whole.num_primary)[::-1]
        backwards = sweep(whole, order=order, merge=seed % 12 == 0)
        assert finish(backwards) == running.num_solutions
        words.add(len(running.masks.primary))
    assert max(words) > 1


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("number", range(DEPTHS - 2, DEPTHS + 3))
def test_options_that_differ_after_many_equal_items(number, merge):
    same = tuple(range(number))
    options = [("z", "x"), ("z", "y"), (*same, "x"), (*same, "y")]
    problem = Problem(options, primary=["z", *same, "x", "y"])
    assert finish(sweep(problem, merge=merge)) == len(oracle(problem)) == 2
    options = [same, (*same, "x"), same, ("z",), ("z", "x")]
    problem = Problem(options, primary=[*same, "z"], secondary=["x"])
    assert finish(sweep(problem, merge=merge)) == len(oracle(problem)) == 5


def test_random_problems_beside_given_options():
    for seed in range(100 if COMPILED else 10):
        problem = random_problem(seed)
        draw = random.Random(seed)
        chosen = draw.sample(range(problem.num_options), draw.randint(1, 2))
        if problem.compatible(chosen):
            total = dlx.count_solutions(problem, given=chosen, method="search")
            assert finish(sweep(problem, given=chosen)) == total


@compiled
def test_a_sweep_in_slices_counts_the_same():
    whole = finish(sweep(problems.dominoes(8, 8)))
    running = sweep(problems.dominoes(8, 8))
    progress = []
    while not running.ended:
        running.advance(5000)
        progress.append(running.done)
    assert running.num_solutions == whole
    assert len(progress) > 20
    assert progress == sorted(progress)
    assert progress[-1] == 1


@compiled
def test_a_move_of_many_states_ends_with_the_run(monkeypatch):
    monkeypatch.setattr(table, "MOVED_AT_ONCE", 1000)
    monkeypatch.setattr(TableSweep, "_goes_by_layers", False)
    whole, stopped = (sweep(problems.latin(5)) for _ in range(2))
    stopped._account.is_over = lambda: True
    moving = []
    while not stopped.ended:
        stopped.advance(1 << 40)
        moving.append(stopped._table.moving)
        found = stopped.num_solutions
        stopped.complete_some(100_000)  # it leaves a move that is under way alone
        assert not moving[-1] or stopped.num_solutions == found
    assert sum(moving) > 20
    assert stopped.num_solutions == finish(whole) == 161_280


@compiled
def test_a_move_that_ended_with_the_run_is_completed_by_a_save(monkeypatch):
    monkeypatch.setattr(table, "MOVED_AT_ONCE", 1000)
    monkeypatch.setattr(TableSweep, "_goes_by_layers", False)
    running = sweep(problems.latin(5))
    running._account.is_over = lambda: True
    while not running._table.moving:
        running.advance(1 << 40)
    store = Store()
    record = running.pack(store)
    assert not running._table.moving
    loaded = sweep(problems.latin(5))
    loaded.unpack(record, store)
    whole = sweep(problems.latin(5))
    assert finish(loaded) == finish(whole) == 161_280
    assert (loaded.nodes, loaded.peak) == (whole.nodes, whole.peak)


@compiled
def test_wide_states_are_moved_and_saved_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr(TableSweep, "_goes_by_layers", False)
    whole = sweep(problems.latin(5))
    assert finish(whole) == 161_280
    monkeypatch.setattr(table, "MOVED_NUMBERS", 100)
    running = sweep(problems.latin(5))
    running.advance(whole.work // 2)
    store = Store()
    record = running.pack(store)
    loaded = sweep(problems.latin(5))
    loaded.unpack(record, store)
    for one in (running, loaded):
        assert finish(one) == 161_280
        assert (one.nodes, one.peak, one.work) == (whole.nodes, whole.peak, whole.work)


@compiled
def test_little_memory_merges_less_but_counts_the_same():
    plenty = sweep(problems.latin(5))
    assert finish(plenty) == 161_280
    assert not plenty.in_portions and not plenty.short_of_memory
    little = sweep(problems.latin(5), memory_limit=1 << 18)
    portions = False
    while not little.ended:
        little.advance(100_000)
        portions |= little.in_portions
    assert portions and little.short_of_memory
    assert little.num_solutions == 161_280
    assert little.nodes > plenty.nodes


@compiled
def test_a_table_without_room_is_left_for_layers(monkeypatch):
    monkeypatch.setattr(TableSweep, "_goes_by_layers", False)
    whole = sweep(problems.latin(5))
    running = sweep(problems.latin(5), memory_limit=1 << 21)
    assert finish(running) == finish(whole) == 161_280
    assert whole._layers is None and running._layers is not None
    assert not running.short_of_memory


@compiled
@pytest.mark.parametrize("limit", [1 << 20, 1 << 25])
def test_layers_that_grow_wide_stay_near_the_limit(limit):
    """A process may exceed its limit by 100 MB; the interpreter and numba take 40 of them."""
    rows = [[("row", row), ("column", column)] for row in range(30) for column in range(64)]
    columns = [("column", column) for column in range(64)]
    problem = dlx.Problem(rows, primary=[("row", row) for row in range(30)], secondary=columns)
    held = 0
    running = sweep(problem, memory_limit=limit)
    while running.work < 300_000_000:
        running.advance(2_000_000)
        held = max(held, running.held)
    assert held < limit + 60_000_000


@compiled
@pytest.mark.parametrize("work", [100_000, 10_000_000])  # in a table, and in rounds
def test_completing_some_states_finds_solutions_early(work):
    running = sweep(problems.dominoes(16, 16))
    running.advance(work)
    assert running.num_solutions == 0
    assert (running._layers is None) == (work == 100_000)
    running.complete_some(20_000_000)
    assert not running.ended
    early = running.num_solutions
    assert 0 < early < 2_444_888_770_250_892_795_802_079_170_816
    assert finish(running) == 2_444_888_770_250_892_795_802_079_170_816


@compiled
def test_completing_some_states_does_not_change_what_is_expected():
    running = sweep(problems.latin(5))
    running.advance(2_000_000)
    before = running.work, running.done, running.projected
    nodes = running.nodes
    running.complete_some(2_000_000)
    assert not running.ended
    assert running.nodes > nodes
    assert (running.work, running.done, running.projected) == before
    arrays = running._states.pack()
    running = sweep(problems.latin(5))
    running._unpack(arrays)
    assert finish(running) == 161_280


@pytest.mark.parametrize(
    "problem", [problems.dominoes(4, 6), problems.latin(4), problems.langford(7)]
)
def test_completing_states_of_a_table_changes_nothing_in_it(problem):
    total = finish(sweep(problem))
    bounds = []
    for work in (0, 500, 2000, 8000):
        same, running = sweep(problem), sweep(problem)
        for one in (same, running):
            one.advance(work)
        if running.ended:
            break
        held = running.held
        for budget in (1, 100_000, 300_000, 1 << 40):
            running.complete_some(budget)
            assert running.num_solutions <= total
            bounds.append(running.num_solutions)
        assert running.num_solutions == total  # all of them were completed
        assert running.held == held
        assert finish(running, 300) == finish(same, 300) == total
        assert (running.nodes, running.peak, running.work) == (same.nodes, same.peak, same.work)
    assert len(set(bounds)) > 1


def test_an_early_lower_bound_is_saved():
    """Else a loaded sweep would complete states again, and by layers expand more of them."""
    problem = problems.dominoes(4, 6)
    running, loaded = sweep(problem), sweep(problem)
    running.advance(1000)
    running.complete_some(100_000)
    store = Store()
    loaded.unpack(running.pack(store), store)
    assert not loaded.ended
    assert 0 < loaded.num_solutions == running.num_solutions <= 281
    assert finish(loaded) == 281


@compiled
def test_an_order_is_found_where_the_given_one_is_bad():
    problem = shuffled_items(problems.dominoes(8, 8), 1)
    remainder = remainder_of(problem, ())
    found = Sweep(orders.best(remainder).masks, MemoryAccount(1 << 30))
    assert finish(found) == 12_988_816
    own = sweep(problem)
    own.advance(20 * found.work)
    assert not own.ended
    for order in orders.candidate_orders(remainder):
        assert sorted(order) == list(range(64))


def test_the_expected_work_in_proportion_to_that_of_the_layers():
    problem = dlx.Problem([[k] for k in range(20)])
    remainder = remainder_of(problem, ())
    expected = np.full(20, 50.0)
    made = masks(remainder, np.arange(20))
    running = Sweep(made, MemoryAccount(1 << 30), expected=Expected(expected, True))
    begun, counters = running._table.state.begun, running._table.state.counters
    assert running.projected == 1000  # what was expected
    begun[10] = 5000
    counters[[LAYER, WORK]] = 10, 5000
    assert running.projected == 10_000  # the layers behind have taken ten times that
    counters[WORK] = 5400
    assert running.projected == 10_000
    counters[WORK] = 11_000  # so has the present one, and more
    assert running.projected == 20_000
    running.expected = Expected(expected, False)  # a lower bound
    by_cube = 11_000 * 0.25 / (10 / 21) ** 3
    assert running.projected == pytest.approx(by_cube)  # of which there is more already
    expected *= 20
    assert running.projected == pytest.approx(math.sqrt(20_000 * by_cube))
    expected /= 20
    counters[[LAYER, WORK]] = 18, 19_000  # where the cube gives less
    begun[18] = 18_000
    assert running.projected == pytest.approx(20_000)
    counters[[LAYER, WORK]] = 10, 11_000
    running.expected = Expected(expected, True)
    expected[10:] = 0  # of which nothing was expected
    counters[WORK] = 5000
    assert running.projected == pytest.approx(5000 / (1.5 * 10 / 21))
    expected[:] = 0
    assert running.projected == pytest.approx(5000 / (1.5 * 10 / 21))
    running.expected = None
    assert running.projected == 0  # nothing is known


def test_a_sweep_is_saved_before_its_counts_have_another_limb(monkeypatch):
    """As after Ctrl-C in the midst of a call of the kernel."""
    problem = dlx.Problem([[k] for k in range(25) for _ in range(8)])
    running = sweep(problem)
    with monkeypatch.context() as patch:
        patch.setattr(TableSweep, "_add_limb", lambda sweep: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            running.advance(1 << 30)
    again = sweep(problem)
    again._unpack({name: array.copy() for name, array in running._states.pack().items()})
    for one in (running, again):
        one.advance(1 << 30)
        assert one.ended and one.num_solutions == 8**25


@compiled
def test_few_states_with_long_counts_stay_within_the_limit(monkeypatch):
    """They stand in an arena that was made for many states with short ones."""
    monkeypatch.setattr(table, "LEAST_ARENA", 4)
    monkeypatch.setattr(table, "LEAST_BYTES", 0)
    monkeypatch.setattr(TableSweep, "_goes_by_layers", False)
    pairs, chain = range(10), range(300)
    options = [[(x, i), *tie] for x in "ab" for i in pairs for tie in ([], [("tie", i)])]
    options += [[("c", j)] for j in chain for _ in range(50)]
    primary = [(x, i) for x in "ab" for i in pairs] + [("c", j) for j in chain]
    problem = Problem(options, primary=primary, secondary=[("tie", i) for i in pairs])
    limit, held, saves = 500_000, 0, 0
    running = sweep(problem, memory_limit=limit, merge=True)
    while not running.ended:
        running.advance(5000)
        held = max(held, running.held)
        if not running.ended and running._states.layer > 200:
            store = Store()
            record = running.pack(store)
            running = sweep(problem, memory_limit=limit, merge=True)
            running.unpack(record, store)
            saves += 1
    assert running.num_solutions == 3 ** len(pairs) * 50 ** len(chain)
    assert running.peak == 2 ** len(pairs)
    assert held < limit
    assert saves > 2 and running._layers is None


def test_problems_whose_sums_might_overflow_are_not_swept(monkeypatch):
    problem = problems.queens(6)
    monkeypatch.setattr("dlx.count.remainder.MOST_OPTIONS", problem.num_options)
    assert dlx.count_solutions(problem, method="sweep") == 4
    monkeypatch.setattr("dlx.count.remainder.MOST_OPTIONS", problem.num_options - 1)
    assert dlx.count_solutions(problem) == 4
    with pytest.raises(MemoryError, match="the memory limit must be at least"):
        dlx.count_solutions(problem, method="sweep")
