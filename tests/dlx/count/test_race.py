"""The race: its decisions, which depend on work only, and its totals."""

import itertools
import json
import math
import sys
import threading
from itertools import product

import numpy as np
import pytest

from benchmarks import problems
from dlx import Count, Problem, models
from dlx.count import driver, orders, quick, race, saved
from dlx.count.foresight import Foresight
from dlx.count.memory import MemoryAccount
from dlx.count.methods import LONGER, Figures, Finished, PlainSearch
from dlx.count.numbering import canonical
from dlx.count.race import (
    FIRST_SLICE,
    SHORT,
    SLICE,
    UNCERTAIN_WORK,
    ComponentCount,
    choose,
    continues_alone,
    is_short,
    least_left,
    part_left,
    promising,
    short_search,
    slice_of,
    turn,
)
from dlx.count.remainder import remainder_of
from dlx.count.sweep import Expected, Sweep
from tests.dlx.problems import shuffled
from tests.dlx.unions import disjoint_union
from tests.modes import compiled


class Runner:
    """A method with fixed figures."""

    name, peak, num_solutions, ended, is_slow, is_close = "runner", 0, 0, False, False, True
    masks = expected = None

    def __init__(self, work, projected, smallest_step=0, done=0.5, **others):
        self.work, self.projected, self.smallest_step = work, projected, smallest_step
        self.done = done
        self.nodes, self.updates = 2 * work, 3 * work
        self.released, self.budgets = 0, []
        vars(self).update(others)

    @property
    def figures(self):
        return Figures(self.work, self.nodes, self.updates, self.peak)

    def advance(self, work):
        self.budgets.append(work)

    def complete_some(self, work):
        self.budgets.append(work)

    def release(self):
        self.released += 1


@compiled
@pytest.mark.parametrize(
    ("problem", "kernel", "nodes", "peak"),
    [
        (problems.queens(8), "bits", 590, 0),
        (problems.dominoes(8, 8), "sweep", 37_703, 70),
        (problems.langford(11), "bits", 225_330, 0),
        (problems.reduced_latin(6), "bits", 18_743, 0),
        (problems.matchings(14), "sweep", 42_971, 296),
        (problems.dominoes(5, 10), "sweep", 36_950, 10),  # many solutions
        # expected: 52 million of work, of which 12 million are done
        (models.polyominoes(models.box(4, 15)).problem, "bits", 782_462, 0),
        (problems.dominoes(10, 12), "sweep", 39_864, 252),
        (problems.dominoes(16, 16), "sweep", 602_432, 19_771),
    ],
)
def test_nodes_kernel_and_peak_are_always_the_same(problem, kernel, nodes, peak):
    for jobs in (1, 2, 5):
        count = Count(problem, jobs=jobs)
        count.count()
        assert (count.stats.kernel, count.stats.nodes, count.peak_states) == (kernel, nodes, peak)


def test_a_sweep_with_less_work_left_continues():
    search = Runner(100, 1000)
    assert choose(search, [Runner(50, 500)]).projected == 500
    assert choose(search, [Runner(50, 500, done=0.1)]) is search
    assert choose(search, [Runner(50, 900)]) is search
    assert choose(search, [Runner(5, 900)]).work == 5  # a trial is a small part of the search
    assert choose(search, [Runner(10, 900, smallest_step=500)]) is search


def test_plain_search_keeps_its_share_for_the_lower_bound():
    search = Runner(1, 1000)
    assert choose(search, [Runner(50, 60)]) is search


def test_no_sweep_stays_far_behind_another():
    behind, ahead = Runner(1, 100), Runner(50, 60)
    assert choose(None, [ahead, behind]) is behind
    behind.work = 6
    assert choose(None, [ahead, behind]) is ahead


def test_a_method_that_catches_up_shares_its_turn_with_the_most_promising():
    first, second = Runner(50, 60), Runner(4, 100)
    assert turn(None, [first, second]) == [second, first]
    assert turn(Runner(2, 1000), [first, second])[1:] == [first]
    assert turn(Runner(100, 1000), [Runner(50, 60), second])[0] is second
    assert turn(None, [first, Runner(6, 100)]) == [first]
    assert turn(None, [Runner(50, 90), Runner(4, 80)])[0].work == 4
    assert len(turn(None, [Runner(50, 90), Runner(4, 80)])) == 1
    search = Runner(100, 200)
    assert turn(search, [Runner(50, 900)]) == [search]


def test_slices_grow_with_the_work_done():
    works = 0, 4 * FIRST_SLICE, 8 * FIRST_SLICE, 1 << 60
    slices = [slice_of(Runner(work, 0)) for work in works]
    assert slices == [FIRST_SLICE, FIRST_SLICE, 2 * FIRST_SLICE, SLICE]


def test_a_search_is_short_up_to_the_work_of_preparing_others():
    few = Problem([["a"], ["b"]])
    items = Problem([[item] for item in range(1000)])
    entries = Problem([range(20)] * 600)
    works = [short_search(problem) for problem in (few, items, entries)]
    assert works == [SHORT, 50_000_000, 120_000_000]
    assert is_short(Runner(FIRST_SLICE - 1, 10 * SHORT), few)
    for work, left in (
        (FIRST_SLICE, 4 * SHORT),
        (2 * FIRST_SLICE, 2 * SHORT),
        (UNCERTAIN_WORK, SHORT),
    ):
        assert is_short(Runner(work, work + left - 1), few)
        assert not is_short(Runner(work, work + left), few)
        slow = work + SHORT // 2
        assert is_short(Runner(work, slow - 1, is_slow=True), few)
        assert not is_short(Runner(work, slow, is_slow=True), few)
    assert is_short(Runner(2 * UNCERTAIN_WORK, 2 * UNCERTAIN_WORK + SHORT - 1), few)
    assert not is_short(Runner(2 * UNCERTAIN_WORK, 2 * UNCERTAIN_WORK + SHORT), few)


def test_a_quick_sweep_begins_where_a_search_has_much_work_left():
    few = Problem([["a"], ["b"]])
    for problem, least in (
        (few, quick.DUE_WORK + 2 * quick.DUE_ENTRY_WORK),
        (problems.queens(8), 2_126_000),
    ):
        assert quick.quick_is_due(Runner(FIRST_SLICE, FIRST_SLICE + least + 1), problem)
        assert not quick.quick_is_due(Runner(FIRST_SLICE, FIRST_SLICE + least), problem)
        assert not quick.quick_is_due(Runner(FIRST_SLICE - 1, FIRST_SLICE + least + 1), problem)
        # as much work as is done may be left, whatever is expected
        assert quick.quick_is_due(Runner(least + 1, least + 2), problem)
        assert not quick.quick_is_due(Runner(least, least + 1), problem)


def test_a_quick_sweep_is_sought_again_when_the_search_has_twice_as_much_left():
    problem, before = Problem([["a"], ["b"]]), 10_000_000
    assert quick.quick_is_due(Runner(before, 3 * before + 1), problem, before)
    assert not quick.quick_is_due(Runner(before, 3 * before), problem, before)
    # with more left than SHORT, the limit is SHORT both times
    assert not quick.quick_is_due(Runner(SHORT, 10 * SHORT), problem, SHORT)


def test_random_descents_keep_a_search_alone():
    class Foreseen(Runner):
        is_close, foresight_work = False, 1_000

        def foresee(self):
            self.is_close = True
            self.projected = self.work + self.left

    problem = Problem([["a"], ["b"]])
    for left, alone in ((SHORT - 1, True), (SHORT, False)):
        search = Foreseen(2 * UNCERTAIN_WORK, 3 * SHORT)
        search.left = left
        assert continues_alone(search, problem) is alone and search.is_close
    short = Foreseen(2 * UNCERTAIN_WORK, SHORT)
    assert continues_alone(short, problem) and not short.is_close
    long = Foreseen(2 * UNCERTAIN_WORK, 3 * SHORT, foresight_work=UNCERTAIN_WORK + 1)
    assert not continues_alone(long, problem) and not long.is_close


@pytest.mark.parametrize("copies", [1, 2])
def test_a_slow_search_ends_if_there_are_several_components(copies, monkeypatch):
    several = disjoint_union(*[problems.queens(8)] * copies, seed=1)
    monkeypatch.setattr("dlx.count.driver.continues_alone", lambda *_: True)
    count = Count(several)
    search = count._search = Runner(driver.LABELS_WORK * several.num_entries - 1, math.inf)
    search.is_slow = True
    assert count._is_whole()  # as it is too early to look
    search.work += 1
    assert count._is_whole() is (copies == 1)
    search.is_slow = False
    assert count._is_whole() is (copies == 1)
    count._connected = None
    assert count._is_whole()  # as it has not looked
    count._seek_quick(SHORT)
    count._quick = None
    assert count._is_whole() is (copies == 1)


def test_a_quick_sweep_of_several_components_is_given_up_sooner(monkeypatch):
    remainder, account = remainder_of(problems.dominoes(8, 8), ()), MemoryAccount(1 << 25)
    _, expected = quick.quick_plan(remainder, math.inf)
    for prepared in (expected, 3 * expected):
        monkeypatch.setattr(quick, "preparation", lambda *_, prepared=prepared: prepared)
        sweep, _ = quick.quick_sweep(remainder, account, math.inf, connected=False)
        assert (sweep._most, sweep._most_near_end) == (prepared, pytest.approx(2 * expected))
    sweep.advance(1)
    search = Runner(1, math.inf)
    sweep.compare(search)
    assert sweep.is_worthwhile
    sweep._most = sweep._most_near_end = sweep.work  # then it is given up, however little is left
    sweep.compare(search)
    assert not sweep.is_worthwhile


def test_a_quick_sweep_is_made_if_its_expected_work_is_below_both_limits(monkeypatch):
    monkeypatch.setattr(quick, "EXPECTED_FACTOR", math.inf)  # walks promise nothing
    problem, account = problems.dominoes(8, 8), MemoryAccount(1 << 25)
    plan, expected = quick.quick_plan(race.remainder_of(problem, ()), math.inf)
    assert 300_000 < expected < 3_000_000  # by its frontier; 107,000 of work
    assert quick.quick_sweep(remainder_of(problem, ()), account, expected - 1) == (None, 1)
    sweep, _ = quick.quick_sweep(remainder_of(problem, ()), account, expected + 1)
    assert saved.digest(sweep.masks) == saved.digest(plan.masks)
    assert sweep._most == quick.GIVEN_UP * expected
    assert sweep.projected == 0 and not plan.expected.total  # unknown before a layer is done
    monkeypatch.setattr(race, "SHORT", expected - 1)
    assert quick.quick_sweep(remainder_of(problem, ()), account, math.inf) == (None, 1)
    monkeypatch.setattr(race, "SHORT", expected + 1)
    assert quick.quick_sweep(remainder_of(problem, ()), account, math.inf)[0]
    assert quick.quick_sweep(remainder_of(problem, ()), MemoryAccount(1 << 12), math.inf) == (
        None,
        1,
    )
    monkeypatch.setattr(quick, "MOST_BITS_ANYWHERE", 63)
    assert quick.quick_sweep(remainder_of(problem, ()), account, math.inf) == (None, 1)


@compiled
def test_a_quick_sweep_is_the_same_for_all_names():
    square = list(product(range(2), range(2)))
    trominoes = Problem(
        [
            [(row + i, column + j) for i, j in square if (i, j) != corner]
            for row, column, corner in product(range(9), range(11), square)
        ]
    )
    for problem in (trominoes, problems.random_sets(3, 21, 120)):
        seen = set()
        for seed in range(6):
            own = shuffled(problem, seed)
            sweep, _ = quick.quick_sweep(remainder_of(own, ()), MemoryAccount(1 << 25), math.inf)
            while not sweep.ended:
                sweep.advance(1 << 24)
            seen.add((sweep.work, sweep.nodes, sweep.num_solutions, sweep.expected.total))
        assert len(seen) == 1


def planned(masks, total, sure):
    return orders.Plan(masks, Expected(np.array([total]), sure))


def test_the_narrowest_orders_of_a_long_quick_sweep_are_compared(monkeypatch):
    remainder = race.remainder_of(problems.dominoes(4, 4), ())
    for estimates, compared, expected in (
        ([(7.5e6, True)], 1, 19.75e6),  # short enough
        ([(8e6, True), (7e6, True), (9e6, True), (7.1e6, True)], 4, 18.5e6),
        ([(8e6, True), (9e6, True), (9e6, True), (9e6, True)], 4, 21e6),
        ([(8e6, True), (1e6, False), (9e6, True), (5e6, True)], 4, 13.5e6),  # few walks met
        ([(17e6, True)], 1, None),
    ):
        results, seen = iter(estimates), []
        monkeypatch.setattr(
            quick, "masks", lambda _, one, merge, seen=seen: seen.append(one) or one
        )
        monkeypatch.setattr(quick, "plan", lambda masks, _, r=results: planned(masks, *next(r)))
        numbers = iter([4e6, 1e6, 9e6, 9e6, 3e6, 2e6, 9e6, 9e6, 9e6, 9e6])
        monkeypatch.setattr(quick, "frontier_bound", lambda *_, numbers=numbers: next(numbers))
        plan, found = quick.quick_plan(remainder, 40e6)
        assert (None if plan is None else found) == expected
        assert len(seen) == compared
        if compared == 4:
            assert seen[1].tolist() == seen[2][::-1].tolist()  # of one rule: 2e6 and 3e6


def test_a_sweep_continues_with_what_a_comparison_expects_of_its_layers():
    count = ComponentCount(canonical(problems.latin(4)), "sweep", MemoryAccount(1 << 28), {})
    count._others = count._prepare()
    sweep = count._first
    assert sweep.expected is count._orders.chosen.expected
    plan = count._orders.chosen
    count._orders.chosen = orders.Plan(plan.masks, Expected(2 * plan.expected.layers, True))
    count._follow_orders()
    assert count._first is sweep and sweep.projected == 2 * plan.expected.total
    count._orders.chosen = orders.Plan(
        orders.masks(count._orders._remainder, np.arange(48)), Expected(np.ones(48), True)
    )
    count._follow_orders()
    assert count._first is not sweep and count._first.projected == 48


def test_a_quick_sweep_is_refused_by_its_frontier_alone(monkeypatch):
    monkeypatch.setattr(quick, "plan", None)  # no walk is made
    problem, account = problems.latin(5), MemoryAccount(1 << 25)
    plan, expected = quick.quick_plan(race.remainder_of(problem, ()), 40_000)
    assert plan is None and expected > quick.HOPELESS * 40_000
    # so the search is short for longer
    assert quick.quick_sweep(remainder_of(problem, ()), account, 40_000) == (
        None,
        quick.HOPELESS_FACTOR,
    )
    search = Runner(UNCERTAIN_WORK, UNCERTAIN_WORK + quick.HOPELESS_FACTOR * SHORT - 1)
    assert is_short(search, problem, quick.HOPELESS_FACTOR) and not is_short(search, problem)


FEW_STATES, MANY_STATES = 200_000, 100_000_000_000  # bounds: some are expected, or none


@pytest.mark.parametrize(
    ("bound", "estimates", "followed", "expected"),
    [
        (FEW_STATES, [(2e6, True)], [128], 6e6),
        (FEW_STATES, [(2e6, False), (3e6, True)], [128, 512], 8.5e6),
        (FEW_STATES, [(2e6, False), (3e6, False), (4e6, True)], [128, 512, 2048], 11e6),
        (FEW_STATES, [(2e6, False), (3e6, False), (4e6, False)], [128, 512, 2048], None),
        (FEW_STATES, [(2e6, False), (8e6, True)], [128, 512], None),
        (FEW_STATES, [(8e6, False)], [128], None),
        (MANY_STATES, [(2e6, True)], [128], 6e6),
        (MANY_STATES, [(2e6, False)], [128], None),
    ],
)
def test_walks_estimate_a_quick_sweep_and_are_more_if_few_of_them_met(
    monkeypatch, bound, estimates, followed, expected
):
    numbers, results = [], iter(estimates)

    def follow(masks, walks):
        numbers.append(walks)
        return planned(masks, *next(results))

    monkeypatch.setattr(quick, "plan", follow)
    remainder = race.remainder_of(problems.dominoes(4, 4), ())
    monkeypatch.setattr(quick, "frontier_bound", lambda *_: bound)
    plan, found = quick.quick_plan(remainder, 20e6)
    assert numbers == followed
    assert (None if plan is None else found) == expected


@compiled
def test_a_quick_sweep_that_does_too_much_is_given_up_and_its_figures_stay(monkeypatch):
    problem = problems.dominoes(12, 12)
    count = Count(problem)
    while count._quick is None:
        count._advance()
    count._quick._most = count._quick._most_near_end = 1_500_000
    while count._components is None:
        sweep = count._quick
        count._advance()
    assert sweep.work >= 1_500_000 and not sweep.is_worthwhile
    _, nodes, _, peak, _ = count._quick.figures
    assert nodes > 1000 and isinstance(count._quick, Finished)
    assert count.count() == 53_060_477_521_960_000
    assert count._search.nodes > 1000  # the search has continued in the race
    assert count.stats.nodes == nodes + count._components.figures.nodes
    assert count.peak_states == max(peak, count._components.figures.peak)


@pytest.mark.parametrize(
    ("runner", "search", "leads", "is_worthwhile"),
    [
        (Runner(0, 90, done=0.0), Runner(10, 50), True, True),  # its first slice
        (Runner(79, 80, done=0.5), Runner(10, 90), True, True),  # left: 1 and 80
        (Runner(50, 90, done=0.5), Runner(10, 90), True, True),  # 40 and 80
        (Runner(50, 101, done=0.5), Runner(10, 90), False, False),  # 51 and 80
        (Runner(50, 101, done=0.9), Runner(10, 90), True, True),  # its estimate is better
        (Runner(80, 97, done=0.9), Runner(10, 90), False, True),  # the search has the next turn
        (Runner(80, 95, done=0.9), Runner(10, 90), True, True),  # 15 and 80: it needs none
        (Runner(100, 199, done=0.9), Runner(13, 213), True, True),  # late, but half of it is done
        (Runner(100, 201, done=0.9), Runner(13, 213), False, False),
    ],
)
def test_a_quick_sweep_leads_while_it_promises_to_end_before_the_search(
    runner, search, leads, is_worthwhile
):
    sweep = quick_sweep_like(runner)
    for _ in range(2):  # nothing else has happened
        sweep.compare(search)
        assert (sweep.leads, sweep.is_worthwhile) == (leads, is_worthwhile)


@pytest.mark.parametrize(
    ("runner", "is_worthwhile"),
    [
        (Runner(99, 900, done=0.9), True),  # not late
        (Runner(100, 201, done=0.9), False),  # late: less than half is done
        (Runner(100, 199, done=0.9), True),
        (Runner(149, 297, done=0.9), True),
        (Runner(150, 151, done=0.9), False),  # later than even then
    ],
)
def test_a_quick_sweep_of_several_components_ends_soon_even_near_its_end(runner, is_worthwhile):
    sweep = quick_sweep_like(runner, 150)
    sweep.compare(Runner(200, 2000))
    assert sweep.is_worthwhile == is_worthwhile


def quick_sweep_like(runner, most_near_end=math.inf):
    """A quick sweep with fixed figures."""
    remainder = race.remainder_of(problems.dominoes(4, 4), ())
    own = orders.plan(orders.masks(remainder, np.arange(16)), 8)

    class Compared(quick.QuickSweep):
        work, projected, done = runner.work, runner.projected, runner.done

    return Compared(own, MemoryAccount(1 << 25), 100, most_near_end)


def test_descents_decide_whether_a_search_takes_longer_than_a_quick_sweep_that_waits():
    class Foreseen(Runner):
        is_close, foresight_work = False, 1

        def foresee(self):
            self.projected, self.is_close = 300, True

    for projected, foreseen in (
        (89, False),  # 39 left, and 80 of the search: it need not wait
        (101, True),  # 51
        (131, False),  # 81: more than the search
    ):
        search = Foreseen(10, 90)
        sweep = quick_sweep_like(Runner(50, projected, done=0.5))
        sweep.compare(search)
        assert search.is_close is foreseen
        assert sweep.leads is (projected < 131)


def test_methods_whose_expected_work_is_below_that_of_plain_search():
    search = Runner(100, 1100)
    assert promising(search, [Runner(10, 9999)])
    assert not promising(search, [Runner(11, 9999)])
    assert promising(search, [Runner(10, 9999, smallest_step=0)])
    assert not promising(search, [Runner(10, 9999, smallest_step=1)])
    for done, most in ((0, 300), (0.5, 600), (1, 900)):  # of the 1000 that are left of the search
        assert promising(search, [Runner(100, 100 + most - 1, done=done)])
        assert not promising(search, [Runner(100, 100 + most + 1, done=done)])


def test_shares_of_the_work_are_kept_exactly():
    sweep = Runner(100, 150)
    assert choose(Runner(4, 10_000), [sweep]).work == 4
    assert choose(Runner(5, 10_000), [sweep]) is sweep
    ahead = Runner(50, 60)
    assert choose(None, [ahead, Runner(4, 100)]).work == 4
    assert choose(None, [ahead, Runner(5, 100)]) is ahead
    assert choose(None, [Runner(50, 70), Runner(40, 60)]).projected == 60


def component(search, *others, method="auto"):
    """Return the count of a component whose methods are these."""
    count = ComponentCount(problems.queens(4), method, MemoryAccount(1 << 20), {})
    count._search = search
    count._others = list(others) or None
    count._leader = search
    return count


def test_the_work_of_a_component_is_the_sum_of_its_methods():
    search, sweep = Runner(10, 100, num_solutions=3), Runner(20, 50, num_solutions=5, peak=7)
    count = component(search, sweep)
    assert count.figures == (count.work, 60, 90, 7, False) and count.work == 30
    assert (count.num_solutions, count.ended) == (5, False)
    assert count.projected == 30 + 30
    assert component(search).projected == 10 + 90
    assert component(Runner(10, 5)).projected == 10  # more than was expected
    assert count.name == "runner" and count.done == 0.5
    fresh = component(None, method="sweep")
    assert (fresh.name, fresh.done, fresh.num_solutions) == ("sweep", 0.0, 0)
    assert fresh.figures == Figures()
    assert not fresh.ended and not fresh.search_leads


def test_plain_search_leads_when_no_other_method_has_less_work_left():
    assert component(Runner(10, 100), Runner(20, 120)).search_leads
    assert not component(Runner(10, 100), Runner(20, 50)).search_leads
    assert not component(Runner(10, 100)).search_leads  # the others are not prepared


def test_a_slice_does_at_most_the_work_requested():
    search = Runner(FIRST_SLICE, 10 * SHORT)
    sweep = Runner(FIRST_SLICE, 2 * FIRST_SLICE)
    count = component(search, sweep)
    count.advance(10 * FIRST_SLICE)
    count.advance(5)
    assert sweep.budgets == [FIRST_SLICE, 5] and not search.budgets
    assert count.name == "runner" and count._leader is sweep
    count.complete_some(9)
    assert search.budgets == [9] and sweep.budgets[2:] == [9]


def test_all_methods_are_released_at_the_end_and_their_work_stays():
    search, other = Runner(100, 10_000), Runner(60, 9000, peak=8)
    sweep = Runner(80, 90, peak=7, num_solutions=4)
    count = component(search, sweep, other)
    sweep.advance = lambda work: setattr(sweep, "ended", True)
    count.advance(100)
    assert (search.released, other.released, sweep.released) == (1, 1, 1)
    assert count.figures == (count.work, 480, 720, 8, False) and count.work == 240
    assert (count.num_solutions, count.ended) == (4, True)
    assert count.projected == 240
    sweep.budgets.clear()
    count.complete_some(5)
    count.advance(5)
    assert not sweep.budgets and count.work == 240
    count.release()
    assert sweep.released == 1


class FixedSearch(PlainSearch):
    """A plain search with fixed figures, which may run in another thread."""

    work = projected = nodes = updates = num_solutions = 0
    done, ended = 0.5, False

    def __init__(self, work, projected, act=None, release=None):
        self.work, self.projected, self.act, self.budgets = work, projected, act, []
        self.release = release or (lambda: None)

    def advance(self, work):
        self.budgets.append((threading.current_thread() is threading.main_thread(), work))
        self.work += work
        if self.act:
            self.act(self)


def together(behind, best, jobs):
    count = component(None, best, behind, method="sweep")
    count._account = MemoryAccount(1 << 30, jobs)
    return count


def test_a_method_that_catches_up_runs_in_another_thread():
    for jobs, alone in ((1, True), (2, False)):
        behind, best = FixedSearch(4, 100), FixedSearch(50, 60)
        count = together(behind, best, jobs)
        met = threading.Barrier(2, timeout=60)
        if jobs == 2:
            behind.act = best.act = lambda method, met=met: met.wait()
        count.advance(7)
        assert behind.budgets == [(alone, 7)] and best.budgets == [(True, 7)]
        assert count._leader is best
        assert count._methods == [best, behind]


def test_a_method_that_catches_up_runs_in_this_thread_if_no_other_is_idle():
    behind, best = FixedSearch(4, 100), FixedSearch(50, 60)
    count = together(behind, best, 2)
    busy = threading.Event()
    count._account.workers().submit(busy.wait)
    count.advance(7)
    busy.set()
    assert behind.budgets == best.budgets == [(True, 7)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_slice_run_in_parallel_does_not_count_if_the_other_method_ends(jobs):
    def end(method):
        method.ended, method.num_solutions = True, 3

    for first, second, work in ((end, None, 4 + 7 + 50), (None, end, 4 + 7 + 50 + 7)):
        behind, best = FixedSearch(4, 100, first), FixedSearch(50, 60, second)
        count = together(behind, best, jobs)
        count.advance(7)
        assert count.ended and count.num_solutions == 3
        assert count._leader is (behind if first else best)
        assert count.work == work
    behind, best = FixedSearch(4, 100, end), FixedSearch(50, 60, end)
    count = together(behind, best, jobs)
    count.advance(7)
    assert (count._leader, count.work) == (behind, 4 + 7 + 50)


@pytest.mark.parametrize("act", ["advance", "complete_some", "pack", "release"])
def test_after_an_interrupt_no_other_thread_works(act):
    """Each later operation waits for the slice in the other thread."""

    def interrupt(method):
        begun.wait()
        method.act = None
        raise KeyboardInterrupt

    def slow(method):
        begun.set()
        asked.wait()
        done.append(method.work)

    begun, asked, done = threading.Event(), threading.Event(), []
    behind, best = FixedSearch(4, 100, slow), FixedSearch(50, 60, interrupt)
    count = together(behind, best, 2)
    count.users = 1
    with pytest.raises(KeyboardInterrupt):
        count.advance(7)
    assert not done
    own, waited = count._settle, []

    def settle():
        asked.set()
        own()
        waited.append(len(done))

    count._settle = settle
    behind.act = None if act != "advance" else behind.act
    behind.pack = best.pack = lambda store: {}
    count._follow_orders = lambda: None
    getattr(count, act)(*{"advance": [7], "complete_some": [7], "pack": [None]}.get(act, []))
    assert waited[0] == 1


def test_a_slice_that_starts_too_late_does_nothing():
    behind, best = FixedSearch(4, 100), FixedSearch(50, 60, lambda method: 1 / 0)
    count = together(behind, best, 2)
    busy = threading.Event()
    workers = count._account.workers()
    workers.submit(busy.wait)
    with pytest.raises(ZeroDivisionError):
        count.advance(7)
    count.complete_some(7)
    busy.set()
    workers.submit(int).result()
    assert not behind.budgets


def test_methods_run_in_parallel_only_if_both_have_plenty_of_memory():
    limit = 1 << 31
    for held, used, parallel in ((0, 0, True), (1 << 25, 1 << 28, True), (1 << 25, 1 << 29, False)):
        count = together(None, None, 2)
        count._account = MemoryAccount(limit, 2)
        count._account.take(used)
        method = FixedSearch(4, 100)
        method.held = held
        assert count._may_run_in_parallel(method) == parallel
        most = (limit // 2 - used - race.LEAST_MARGIN) // race.MARGIN
        for more, may in ((most, True), (most + 1, False)):
            method.held = more
            assert count._may_run_in_parallel(method) == may
        count._account.spill = "folder"
        assert not count._may_run_in_parallel(method)
        count._account.spill = None
        assert not count._may_run_in_parallel(Runner(4, 100))
    masks = orders.best(race.remainder_of(problems.queens(6), ())).masks
    account = MemoryAccount(1 << 30)
    sweep = Sweep(masks, account)
    assert sweep.held == account.used > 0
    sweep.release()
    assert sweep.held == account.used == 0


def test_a_short_search_goes_first(monkeypatch):
    search = Runner(0, 10 * SHORT)
    count = component(search)
    count.advance(7)
    assert search.budgets == [7] and count._others is None
    count._begun = True
    monkeypatch.setattr(count, "_prepare", lambda: [Runner(0, 0)])
    count.advance(7)
    assert count._others


def test_methods_that_take_too_much_memory_are_not_prepared():
    problem = problems.queens(6)
    remainder = race.remainder_of(problem, ())
    size = race.masks_size(remainder)
    for limit, number in ((4 * size, 1), (4 * size - 1, 0)):
        count = ComponentCount(problem, "auto", MemoryAccount(limit), {})
        assert len(count._prepare()) == number, limit
    with pytest.raises(
        MemoryError, match=f"{size} bytes: the memory limit must be at least {4 * size} "
    ):
        ComponentCount(problem, "sweep", MemoryAccount(4 * size - 1), {})._prepare()


def test_the_memory_limit_that_is_named_is_enough_for_all_components():
    several = disjoint_union(problems.queens(4), problems.queens(6), problems.queens(5), seed=None)
    least = 4 * race.masks_size(race.remainder_of(problems.queens(6), ()))
    with pytest.raises(MemoryError, match=f"must be at least {least} bytes"):
        Count(several, method="sweep", memory_limit=100).count()
    assert Count(several, method="sweep", memory_limit=least).count() == 2 * 4 * 10


@pytest.mark.parametrize(("method", "search"), [("auto", None), ("sweep", {})])
def test_a_record_of_another_choice_of_methods_is_refused(method, search):
    count = ComponentCount(problems.queens(4), method, MemoryAccount(1 << 20), {})
    record = {"search": search, "others": None, "comparisons": [], "cut_sought": False}
    record |= {"leader": None, "released": (0, 0, 0, 0)}
    with pytest.raises(ValueError, match="another choice of methods"):
        count.unpack(record, None)


def test_a_comparison_that_is_not_due_after_a_load_is_left():
    """The completions at the end of a run change what the sweep is expected to have left."""
    problem = problems.queens(5)
    begun, loaded = (ComponentCount(problem, "sweep", MemoryAccount(1 << 30), {}) for _ in range(2))
    begun._others = begun._prepare()
    store = saved.Store()
    loaded.unpack({**begun.pack(store), "comparing": True}, store)
    while not loaded.ended:
        loaded.advance(SLICE)
    assert loaded.num_solutions == 10


def test_a_slow_sweep_is_joined_by_one_in_another_order(small_steps):
    problem = problems.dominoes(8, 10)
    for method in ("sweep", "auto"):
        begun = PlainSearch(problem, (), "bits")
        count = ComponentCount(problem, method, MemoryAccount(1 << 30), {}, search=begun)
        while count._second is None:
            assert not count.ended
            count.advance(SLICE)
        first = count._first
        assert first.work >= race.SECOND_WORK
        assert count._others[:2] == [first, count._second]
        digests = {saved.digest(sweep.masks) for sweep in count._others}
        assert len(digests) == len(count._others)
        while not count.ended:
            count.advance(SLICE)
        assert count.num_solutions == 1_031_151_241


def test_a_second_sweep_begins_after_much_work_if_memory_is_free():
    most = race.SECOND_WORK
    for work, projected, expected, spill, due in (
        (most, 5 * most, most // 4, None, True),
        (most, 5 * most - 1, most // 4, None, False),
        (most, 2 * most, most // 4 - 1, None, True),  # much less was expected
        (most, 2 * most - 1, most // 4 - 1, None, False),
        (most - 1, 9 * most, most, None, False),
        (most, math.inf, most, None, True),  # in portions
        (most, 5 * most, most, "folder", False),  # which is that of the first sweep
    ):
        count = component(None, Runner(0, 0))
        count._account = MemoryAccount(1 << 30)
        told = Expected(np.array([expected]), True)
        first = Runner(work, projected, masks=(np.zeros(0),), expected=told)
        count._first, count._account.spill = first, spill
        assert count._second_is_due() == due, (work, projected)
        count._account.take(1 << 29)
        assert count._second_is_due() == due
        count._account.take(1)
        assert not count._second_is_due()
        count._account.take(-(1 << 29) - 1)
        first.masks = (np.zeros(1 << 25),)  # the masks alone take a quarter
        assert count._second_is_due() == due
        first.masks = (np.zeros((1 << 25) + 1),)
        assert not count._second_is_due()
        first.masks, count._second = (np.zeros(0),), Runner(0, 0)
        assert not count._second_is_due()


@pytest.mark.parametrize("number", [0, 1, 3])
def test_orders_are_compared_after_a_share_of_the_work(number):
    asked, compared = [], []

    class Orders:
        chosen, cost = orders.Plan(None, None), 0

        def due(self, *figures):
            asked.append(figures)
            return number

        def compare(self, *figures):
            compared.append(figures)
            yield from pauses

    pauses = ()
    first = Runner(20, 50)
    for search, search_left in ((Runner(10, 100), 90), (None, math.inf)):
        asked.clear(), compared.clear()
        count = component(search, first, Runner(1, 21), method="auto" if search else "sweep")
        count._orders, count._first = Orders(), first
        work = count.work
        count.advance(1)
        assert asked == [(work, search_left, 20)]
        assert compared == [(number, 0.6)] * (number > 0)
    pauses = (None, None)
    first, second = Runner(20, 50), Runner(1, 21)
    count = component(None, first, second, method="sweep")
    count._orders, count._first = Orders(), first
    for _ in range(2):
        count.advance(1)
        assert bool(second.budgets) == (number == 0)  # a step takes the place of a slice
    count.advance(1)
    assert second.budgets


def test_a_comparison_that_is_interrupted_begins_anew(monkeypatch):
    steps = []

    class Orders:
        chosen, cost, comparisons = orders.Plan(None, None), 0, ()

        def due(self, *figures):
            return 2 - len(steps) // 5

        def compare(self, *figures):
            for step in range(2):
                steps.append(step)
                if len(steps) == 2:
                    raise KeyboardInterrupt
                yield
            steps.append("end")

    search, first = Runner(20, 70), Runner(20, 50)
    count = component(search, first)
    count._orders, count._first = Orders(), first
    foreseen = []
    monkeypatch.setattr(race, "foresee", lambda *figures: foreseen.append(figures))
    count.advance(1)
    with pytest.raises(KeyboardInterrupt):
        count.advance(1)
    for _ in range(3):
        assert not search.budgets and not first.budgets
        count.advance(1)
    assert steps == [0, 1, 0, 1, "end"] and first.budgets and len(foreseen) == 1


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=compiled)])
def test_steps_of_a_comparison_change_no_figure(jobs, monkeypatch, tmp_path):
    for name in ("SHORT", "ITEM_WORK", "ENTRY_WORK", "UNCERTAIN_WORK"):
        monkeypatch.setattr(race, name, 0)
    for name in ("GIVEN_UP", "NEAR_END"):
        monkeypatch.setattr(quick, name, 0)
    for name, value in (
        ("LAYER_WORK", 1),
        ("LAYER_ENTRY_WORK", 1),
        ("WALKS_WORK", 0),
        ("THREADED_STEPS", 0),
        ("SHARE_OF_SWEEP", math.inf),  # so all of them are compared
    ):
        monkeypatch.setattr(orders, name, value)
    for name in ("FIRST_SLICE", "SLICE"):
        monkeypatch.setattr(race, name, 4_000)
    monkeypatch.setattr(driver, "SLICE", 4_000)
    monkeypatch.setattr(driver, "LAST_COMPLETION", 0)  # which a stop would spend
    problem = problems.latin(5 if jobs > 1 else 4)
    own, found = ComponentCount._compare_orders, []
    continued, saved = [], []

    def compare(count):
        continued.append(own(count))
        if continued[-1]:
            whole.stop()
        return continued[-1]

    monkeypatch.setattr(ComponentCount, "_compare_orders", compare)
    for step in (orders.STEP_WORK, 1):
        monkeypatch.setattr(orders, "STEP_WORK", step)
        whole = Count(problem, method="sweep", jobs=jobs)
        while whole.status != "exhausted":
            whole.count()
            if whole.status == "stopped" and len(saved) < 3:
                whole.save(tmp_path / "count")
                saved.append(whole.num_solutions)
                again = Count.load(tmp_path / "count", problem)
                whole = again
        found.append((whole.num_solutions, whole.stats[1:3], whole.peak_states))
        assert any(continued) == (step == 1)
    assert found[0] == found[1] and len(saved) == 3


def test_the_work_that_methods_have_left():
    assert least_left([Runner(10, 30), Runner(1, 12), Runner(5, 0)]) == 11
    assert least_left([Runner(5, 0)]) == least_left([]) == math.inf
    assert part_left(Runner(10, 40)) == 0.75
    assert part_left(Runner(10, 0)) == part_left(Runner(10, math.inf)) == 1


def test_orders_are_compared_at_shares_of_the_work_left():
    remainder = race.remainder_of(problems.queens(6), ())
    made = orders.Orders(remainder)
    cost = made.cost
    layer = orders.LAYER_WORK + len(remainder.bit) * orders.LAYER_ENTRY_WORK
    assert cost == orders.WALKS_WORK + 10 * layer  # two items are in no option as its first one
    assert made.due(cost - 1, math.inf, math.inf) == 0
    assert made.due(cost, math.inf, math.inf) == 1  # its result tells how many more are worth it
    assert made.due(cost, 24 * cost, math.inf) == 0
    assert made.due(cost, 76 * cost, math.inf) == 1
    assert made.due(cost, math.inf, 3.9 * cost) == 0
    assert made.due(cost, 14 * cost, 4.1 * cost) == 1  # the first order: the sweep ends first
    assert made.due(cost, 14 * cost, 3.9 * cost) == 0
    assert made.due(cost, 13 * cost, 12 * cost) == 0
    assert made.due(cost, 14 * cost, 14 * cost) == 0  # plain search ends first
    list(made.compare(1, 1.0))
    assert made.due(cost, math.inf, math.inf) == orders.CLOSEST - 1
    assert made.due(cost, math.inf, 14 * cost) == 0
    assert made.due(cost, math.inf, 30 * cost) == 1
    assert made.due(cost, 76 * cost, 44 * cost) == 2
    assert made.comparisons == [(1, 1.0)]


@compiled
def test_an_interrupt_at_any_line_of_a_comparison_changes_nothing_or_ends_it():
    remainder = race.remainder_of(problems.queens(5), ())
    lines = itertools.count()

    def interrupt_at(line):
        def trace(frame, event, _):
            if frame.f_code is not orders.Orders.compare.__code__:
                return None
            if event == "line" and next(lines) == line:
                raise KeyboardInterrupt
            return trace

        return trace

    whole = orders.Orders(remainder)
    list(whole.compare(2, 1.0))
    for line in range(100):
        made, lines = orders.Orders(remainder), itertools.count()
        before = sys.gettrace()
        sys.settrace(interrupt_at(line))
        try:
            list(made.compare(2, 1.0))
            break
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        if not made.sought:
            list(made.compare(2, 1.0))
        assert made.comparisons == [(2, 1.0)]
        assert made.chosen.expected.total == whole.chosen.expected.total
    assert 10 < line < 99


def test_an_order_replaces_another_that_is_estimated_at_much_more(monkeypatch):
    made = orders.Orders(race.remainder_of(problems.queens(6), ()))
    first, estimates = made.chosen, {}

    def plan(masks, *_):
        return planned(masks, estimates[masks], True)

    monkeypatch.setattr(orders, "plan", plan)
    monkeypatch.setattr(made, "_with_exchanges", lambda order: next(names))

    def unsorted(walks):
        yield from ()
        return made._orders

    monkeypatch.setattr(made, "_sorted", unsorted)

    def compare(left, *own):
        nonlocal names
        made.comparisons, made.chosen = [(compare.sought, 1.0)], planned("chosen", 100, True)
        estimates.update({"chosen": 100, **{f"{k}": value for k, value in enumerate(own)}})
        names = iter([f"{k}" for k in range(len(own))])
        list(made.compare(len(own), left))
        assert made.chosen.expected.total == estimates[made.chosen.masks]
        return made.chosen.masks

    names = iter(())
    assert first is not None
    compare.sought = 0  # the first one has its own order: its exchanges are what makes it better
    assert compare(1.0, 91) == "chosen"
    assert compare(1.0, 89) == "0"
    assert compare(0.5, 46) == "chosen"
    assert compare(1.0, 59, 41) == "0"
    assert compare(1.0, 59, 39, 38) == "2"
    compare.sought = 1
    assert compare(1.0, 41) == "chosen"
    assert compare(1.0, 38, 39) == "0"


@compiled
def test_orders_are_compared_alike_by_any_number_of_threads(monkeypatch):
    """Another thread may seek exchanges and prepare the first comparison before it is due."""
    monkeypatch.setattr(orders, "THREADED_STEPS", 0)
    remainder = race.remainder_of(canonical(problems.latin(4)), ())

    class Early(orders.Orders):
        def _is_likely(self, work, *left):
            return work == 0 or super()._is_likely(work, *left)

    def course(jobs, foreseen):
        own = Early if foreseen else orders.Orders
        made = own(remainder, account=MemoryAccount(1 << 20, jobs))
        if foreseen:
            for work in (made.cost, 2 * made.cost):
                made.start_ahead(work, math.inf, math.inf)
                assert made._ahead is None
            made.start_ahead(made.cost - 1, math.inf, 0.0)  # it will not be due
            assert made._ahead is None
            made.start_ahead(made.cost // 8, math.inf, math.inf)
            assert made._ahead is not None
        chosen = [made.chosen]
        for number, left in ((1, 1.0), (2, 0.5)):
            list(made.compare(number, left))
            chosen.append(made.chosen)
        chosen.append(made.second())
        arrays = [[a.tolist() for a in (*plan.masks, plan.expected.layers)] for plan in chosen]
        return arrays, [order.tolist() for order in made._orders]

    assert len({repr(course(jobs, early)) for jobs in (1, 2, 5) for early in (False, True)}) == 1


def test_a_search_in_a_large_branch_is_expected_to_take_longer(monkeypatch):
    search = PlainSearch(problems.queens(8), (), "bits")
    figures = {"work": 0, "done": 0.0}
    for name in figures:
        monkeypatch.setattr(PlainSearch, name, property(lambda _, name=name: figures[name]))
    for work, done, projected in (
        (100, 0.1, 1000),
        (199, 0.1, 1990),  # the work has not doubled
        (200, 0.10, 200 + 4 * 1800),
        (300, 0.5, 300 + 4 * 300),  # at least four times what was done
        (350, 0.99, 350 + 4 * 350),
        (400, 0.5, 800),
        (800, 0.54, 800 + 4 * 800),
        (1600, 0.61, 1600 / 0.61),
    ):
        figures.update(work=work, done=done)
        search._look_back()
        assert search.projected == pytest.approx(projected)
    figures.update(work=1600, done=0.0)
    assert search.projected == math.inf
    figures.update(done=1.0)
    assert search.projected == 1600


def test_a_foreseen_search_is_expected_to_take_what_was_foreseen(monkeypatch):
    search = PlainSearch(problems.queens(8), (), "bits")
    figures = {"work": 0, "done": 0.0}
    for name in figures:
        monkeypatch.setattr(PlainSearch, name, property(lambda _, name=name: figures[name]))
    search.most_foreseen = 1000.0
    for foreseen, work, done, projected in (
        (1000.0, 0, 0.0, 1000),
        (1000.0, 100, 0.25, 100 + 750),
        (1000.0, 999, 0.5, 999 + 500),
        (1000.0, 1000, 0.5, 2000),  # as much as was foreseen: the fraction done tells more
        (300.0, 0, 0.0, 1000),
        (300.0, 100, 0.25, 400),
        (300.0, 100, 0.01, 100 + 990),  # a bound of what the fraction done tells
        (300.0, 100, 0.5, 100 + 150),  # the other one
        (300.0, 300, 0.75, 400),
        (300.0, 1000, 0.01, 100_000),
    ):
        search.foreseen = foreseen
        assert search.is_close is (foreseen == 1000)
        figures.update(work=work, done=done)
        assert search.projected == pytest.approx(projected)
    search.limit = 1000
    figures.update(work=100, done=0.25)
    assert search.projected == 400


def test_random_descents_follow_when_they_take_little():
    class Foreseen(Runner):
        is_close, calls, foresight_work = False, 0, 5

        def foresee(self):
            self.calls += 1
            self.foresight_work *= 2

    # 5 is 3 % of 167, the expected work, or half of 10, the work so far
    for projected, before, after in ((150, 16, 17), (10**6, -1, 0)):
        search, sweep = Foreseen(10, projected), Runner(before, 10**7)
        count = component(search, sweep)
        count.advance(1)
        assert search.calls == 0
        sweep.work = after
        count.advance(1)
        count.advance(1)
        assert search.calls == 1
    sweep.work, sweep.projected = 1 << 60, 1 << 61
    search.foresight_work = race.FORESIGHT_WORK + 1
    count.advance(1)
    assert search.calls == 1  # Ctrl-C would have to wait
    search.foresight_work = race.FORESIGHT_WORK
    count.advance(1)
    assert search.calls == 2
    search.is_close, search.foresight_work = True, 1
    count.advance(1)
    assert search.calls == 2


@pytest.mark.parametrize("kernel", ["bits", "links"])
def test_random_descents_estimate_the_nodes(kernel):
    problem = problems.queens(8)
    search = PlainSearch(problem, (), kernel)
    search.advance(2_000)
    assert not search.ended
    search.foresee()
    assert search.is_close
    while not search.ended:
        search.advance(1 << 20)
    assert search.work / 1.5 < search.foreseen < 1.5 * search.work


def test_branches_that_differ_much_take_more_descents():
    # one option of 64 leaves all perfect matchings of ten points, the others nothing
    pairs = [[a, b] for a in range(10) for b in range(a)]
    problem = Problem([*([["x", *range(10)]] * 63), ["x"], *pairs])
    search = PlainSearch(problem, (), "links")
    search.advance(1)
    work = search.foresight_work
    for times in (1, 2, 4):  # the descents before count as well
        search.foresee()
        assert search.foresight_work == times * work
    assert not search.is_close
    while not search.is_close:
        assert search.foreseen > 0
        search.foresee()
    assert search.foresight_work >= 8 * work
    whole = PlainSearch(problem, (), "links")
    whole.advance(1 << 20)
    assert whole.ended
    foreseen_nodes = search.foreseen * search.nodes / search.work
    assert whole.nodes / 2 < foreseen_nodes < 2 * whole.nodes


def test_a_bound_by_descents_holds_for_a_search_that_is_slow():
    search = PlainSearch(problems.queens(12), (), "bits")
    search.advance(race.FIRST_SLICE)
    by_fraction = search.projected
    search.foreseen, search.most_foreseen = by_fraction / 2, 3 * by_fraction
    assert search.projected == by_fraction
    search.is_slow = True
    left = (1 - search.done) * search.most_foreseen
    assert search.projected == search.work + left < LONGER * by_fraction
    search.foreseen = search.most_foreseen = 0.0
    slower = search.work + LONGER * (by_fraction - search.work)
    assert search.projected == pytest.approx(slower)


def test_descents_continue_where_they_ended():
    few, all_at_once = (Foresight(problems.queens(8), ()) for _ in range(2))
    for _ in range(3):
        found = few.descend("bits")
    all_at_once._descents = 512  # as many again
    all_at_once.descend("bits")
    assert few._total == pytest.approx(all_at_once._total)
    again = Foresight(problems.queens(8), ())
    again.unpack(json.loads(json.dumps(few.pack())))
    assert again.descend("bits") == few.descend("bits") != found


@pytest.mark.parametrize(
    "numbers",
    [
        *([128, 1.0, 1.0, 0, 0], [128, 1.0, 1.0, 1 << 32, 0], [128, 1.0, 1.0], []),
        *([-1, 1.0, 1.0, 1, 0], [1.5, 1.0, 1.0, 1, 0]),
        *([128, math.inf, 1.0, 1, 0], [128, 1.0, -1.0, 1, 0]),
    ],
)
def test_saved_numbers_that_no_descents_have_are_refused(numbers):
    with pytest.raises(ValueError):
        Foresight(problems.queens(8), ()).unpack(numbers)


def test_an_interrupt_when_orders_were_compared_loses_no_sweep(monkeypatch):
    first, after = Runner(20, 50), Runner(0, 0)
    count = component(Runner(10, 100), first)
    remainder = race.remainder_of(count.problem, ())
    count._orders, count._first, count._leader = orders.Orders(remainder), first, first
    monkeypatch.setattr(count._orders, "compare", lambda *figures: iter(()))
    monkeypatch.setattr(race, "Sweep", lambda *arguments, **options: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        count._repeat_comparison(1, 0.5)
    assert count._leader is count._first is count._others[0] is first
    monkeypatch.setattr(race, "Sweep", lambda *arguments, **options: after)
    monkeypatch.setattr(first, "release", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        count._follow_orders()  # a save does so
    assert count._leader is count._first is count._others[0] is after
    count._follow_orders()
    assert count._others == [after]


def test_a_count_interrupted_when_a_cut_was_found_can_be_saved(tmp_path, monkeypatch):
    for name in (
        "CUT_WORK",
        "CUT_ENTRY_WORK",
        "SHORT",
        "ITEM_WORK",
        "ENTRY_WORK",
        "UNCERTAIN_WORK",
    ):
        monkeypatch.setattr(race, name, 0)
    for module, name in ((race, "FIRST_SLICE"), (race, "SLICE"), (driver, "SLICE")):
        monkeypatch.setattr(module, name, 5000)
    own, calls = race.sum_of_products, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return own(*arguments)

    monkeypatch.setattr(race, "sum_of_products", interrupted)
    links = [[("a", 0, 0), ("b", 0, 0)]]
    for name in "ab":
        cells = [(name, r, c) for r in range(4) for c in range(6)]
        links += [[(n, r, c), (n, r, c + 1)] for n, r, c in cells if c < 5]
        links += [[(n, r, c), (n, r + 1, c)] for n, r, c in cells if r < 3]
    count = Count(Problem(links))
    with pytest.raises(KeyboardInterrupt):
        count.count()
    count.save(tmp_path / "count")
    assert Count.load(tmp_path / "count", Problem(links)).count() == count.count() == 281**2
