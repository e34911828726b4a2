"""Orders for sweeps: greedy ones, the bound by the frontier, sampled states."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import problems
from dlx import Coloured, Count, Problem
from dlx.count import order_kernel, orders
from dlx.count.memory import MemoryAccount
from dlx.count.numbering import canonical
from dlx.count.orders import Orders
from dlx.count.quick import quick_plan
from dlx.count.remainder import remainder_of
from dlx.count.sweep import Sweep
from tests.dlx.problems import random_problem, shuffled, small_problems
from tests.modes import compiled, examples, kernel

pytestmark = kernel

RULES = {
    "first reached": order_kernel.FIRST_REACHED,
    "most advanced": order_kernel.MOST_ADVANCED,
    "anywhere": order_kernel.ANYWHERE,
    "apart": order_kernel.APART,
}


def naive_greedy(remainder, ranked, start, rule):
    """As `greedy`, by sets."""
    bits, items = range(len(remainder.field)), range(remainder.num_primary)
    options = [
        set(remainder.bit[remainder.option == k].tolist()) for k in range(len(remainder.options))
    ]
    near = [set().union(*(own for own in options if b in own)) for b in bits]
    users = [near[b] & set(items) for b in bits]
    order = []

    def reached(item):
        return [step for step, taken in enumerate(order) if is_joined(taken, item)]

    def is_joined(taken, item):
        return item in near[taken] or any(
            item in users[b] for b in near[taken] if b >= remainder.num_primary
        )

    def widens(item):
        frontier = set().union(*(near[taken] for taken in order))
        closed = [
            b for b in near[item] if b >= remainder.num_primary and users[b] <= {*order, item}
        ]
        return len(near[item] - frontier) - len(closed)

    def tie(item):
        if rule == "first reached":
            return min(reached(item), default=remainder.num_primary)
        behind = [
            len(users[b] & set(order)) / len(users[b]) for b in sorted(near[item] - set(order))
        ]
        return -sum(behind)

    for step in items:
        left = [item for item in ranked if item not in order]
        front = [item for item in left if reached(item)]
        if rule == "apart":
            left = [item for item in left if item not in front] or left
        elif rule != "anywhere":
            left = front or left
        order.append(min(left, key=lambda i: (widens(i), round(tie(i), 9))) if step else start)
    return order


@settings(max_examples=examples(200))
@given(st.one_of(small_problems(), st.integers(0, 10**6).map(random_problem)), st.data())
def test_a_greedy_order_is_that_of_the_naive_algorithm(problem, data):
    remainder = remainder_of(problem, ())
    if not remainder.num_primary:
        return
    near = orders.neighbours(remainder)
    ranked = np.array(data.draw(st.permutations(range(remainder.num_primary))))
    start = data.draw(st.integers(0, remainder.num_primary - 1))
    for name, rule in RULES.items():
        order = order_kernel.greedy(near, ranked, start, rule)
        assert order.tolist() == naive_greedy(remainder, ranked, start, name)


def coloured_board(rows, columns):
    """Cells in three colours, neighbours in different ones: no option has two primary items."""
    cells = list(product(range(rows), range(columns)))
    steps = [((r, c), (r + x, c + 1 - x)) for (r, c), x in product(cells, (0, 1))]
    pairs = [pair for pair in steps if pair[1] in cells]
    options = [
        [cell, *((pair, colour) for pair in pairs if cell in pair)]
        for cell, colour in product(cells, range(3))
    ]
    return Problem(options, primary=cells, secondary=list(product(pairs, range(3))))


@compiled
@pytest.mark.parametrize("problem", [coloured_board(7, 7), problems.dominoes(8, 8)])
def test_a_quick_sweep_takes_about_as_much_work_for_all_names(problem):
    work = []
    for seed in range(8):
        plan, _ = quick_plan(remainder_of(shuffled(problem, seed), ()), 40_000_000)
        sweep = Sweep(plan.masks, MemoryAccount(1 << 25))
        sweep.advance(20_000_000)
        assert sweep.ended
        work.append(sweep.work)
    assert max(work) < 1.3 * min(work)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30)), max_size=200))
def test_states_are_estimated_by_chao_and_lee(visits):
    tags = np.array(sorted(layer << 44 | state for layer, state in visits), np.uint64)
    found = np.full(3, np.nan)
    order_kernel.estimate(tags, len(visits), found)
    for layer in range(3):
        times = Counter(state for at, state in visits if at == layer).values()
        number = sum(times)
        if number < 2:
            assert found[layer] == number
            continue
        coverage = max(1, number - list(times).count(1)) / number
        pairs = sum(n * (n - 1) for n in times)
        alike = len(times) / coverage
        variation = max(0, alike * pairs / (number * (number - 1)) - 1)
        assert found[layer] == pytest.approx(alike + number * (1 - coverage) / coverage * variation)


def test_an_estimate_is_sure_if_pairs_of_walks_met_in_each_layer_of_most_walks():
    states = np.zeros(2)
    for pairs, last, enough in ((4, 1, True), (3, 1, False), (4, 2, False)):
        # states 0, 0, 1, 1, ... of the first layer; some of the second, met by no pair
        tags = [k // 2 for k in range(2 * pairs)] + [(1 << 44) + k for k in range(last)]
        assert order_kernel.estimate(np.array(tags, np.uint64), 2 * pairs, states) == enough


@compiled
def test_sampled_states_are_near_the_true_ones():
    problem = canonical(problems.dominoes(8, 8))
    remainder = remainder_of(problem, ())
    expected = orders.plan(orders.best(remainder).masks, 1 << 12).expected
    count = Count(problem, method="sweep")
    count.count()
    assert expected.sure
    assert 0.2 < expected.total / count._components._first.work < 5


def met_by(masks, walks, budget, most=1 << 40):
    """The visits of walks to each layer, and how many walks there were."""
    tags = np.zeros(walks * (len(masks.lowest) - 1), np.uint64)
    following = orders.walks_of(masks)
    while not order_kernel.walk(masks, walks, budget, following, tags, most):
        pass
    met, begun = following.counters[[order_kernel.MET, order_kernel.WALKED]].tolist()
    layers = (tags[:met] >> np.uint64(44)).astype(np.int64)
    return np.bincount(layers, minlength=len(masks.lowest) - 1), begun


def test_walks_with_a_budget_step_back_at_dead_ends():
    masks = orders.best(remainder_of(problems.dominoes(8, 8), ())).masks
    plain, _ = met_by(masks, 64, 0)
    back, begun = met_by(masks, 64, 1 << 40)
    assert begun == 64
    assert back.max() <= 64  # a walk visits a layer once at most
    assert 10 * plain[20:].sum() < back[20:].sum() > 400
    few, begun = met_by(masks, 64, 20_000)
    assert begun < 64
    assert (few <= back).all()
    _, begun = met_by(masks, 64, 1)
    assert begun == 1
    for budget in (0, 20_000):
        whole, number = met_by(masks, 64, budget)
        in_calls, same = met_by(masks, 64, budget, most=1)  # a step in each call
        assert (whole == in_calls).all()
        assert number == same


def test_walks_without_dead_ends_are_the_same_with_a_budget():
    masks = orders.best(remainder_of(problems.set_partitions(6), ())).masks
    plain, back = met_by(masks, 100, 0), met_by(masks, 100, 1 << 40)
    assert plain[0].tolist() == back[0].tolist() and plain[0].any()


def test_a_walk_ends_where_there_is_no_way_to_the_end():
    never = Problem([[0, 1], [0, 2], [1, 3], [2, 3], [3, 4, 5], [2, 4]], primary=range(6))
    masks = orders.best(remainder_of(never, ())).masks
    _, begun = met_by(masks, 50, 1 << 40)
    assert begun == 50


@compiled
@pytest.mark.parametrize(
    ("problem", "factor"),
    [
        (problems.dominoes(8, 8), 3),
        (problems.latin(5), 3),
        (problems.pentominoes(problems.rectangle(3, 20)), 3),
        (problems.langford(8), 4),
    ],
)
def test_a_sweep_is_expected_to_take_about_what_it_takes(problem, factor):
    """From a twentieth of the work on; the cube of the layers was wrong by up to ten."""
    remainder = remainder_of(canonical(problem), ())
    plan = orders.plan(orders.best(remainder).masks, orders.WALKS[1], 20_000_000)
    sweep = Sweep(plan.masks, MemoryAccount(1 << 28), expected=plan.expected)
    assert sweep.projected == pytest.approx(plan.expected.total)
    found = []
    while not sweep.ended:
        sweep.advance(2000)
        found.append((sweep.work, sweep.projected))
    total = sweep.work
    assert found[-1] == (total, total)
    late = [projected / total for work, projected in found if work > total / 20]
    assert len(late) > 10 and 1 / factor < min(late) and max(late) < factor


def test_the_bound_by_the_frontier_by_hand():
    path = remainder_of(Problem([[0, 1], [1, 2], [2, 3], [0], [1], [2], [3]]), ())
    assert orders.frontier_bound(path, np.arange(4)) == 1 + 2 + 2 + 2 + 1
    assert orders.frontier_bound(path, np.array([0, 2, 1, 3])) == 1 + 2 + 4 + 2 + 1
    coloured = [[item, Coloured("s", colour)] for item in range(3) for colour in "abcd"[: 2 + item]]
    remainder = remainder_of(
        Problem(coloured, secondary=["s"]), ()
    )  # s: open, or of 2 colours; of 3
    assert orders.frontier_bound(remainder, np.arange(3)) == 1 + 4 + 4 + 1
    assert orders.frontier_bound(remainder, np.array([2, 1, 0])) == 1 + 8 + 8 + 1


@given(small_problems(), st.randoms(use_true_random=False))
@settings(max_examples=examples(100))
def test_a_sweep_has_no_more_states_than_the_bound_by_the_frontier(problem, draw):
    remainder = remainder_of(problem, ())
    order = np.array(draw.sample(range(remainder.num_primary), remainder.num_primary), np.int64)
    sweep = Sweep(orders.masks(remainder, order, merge=True), MemoryAccount(1 << 28))
    sweep.advance(1_000_000_000)
    assert sweep.ended and sweep.nodes <= orders.frontier_bound(remainder, order)


@compiled
def test_latin_squares_are_swept_cell_by_cell():
    remainder = remainder_of(canonical(problems.latin(5)), ())
    best = Orders(remainder)
    user = orders.frontier_bound(remainder_of(problems.latin(5), ()), np.arange(75))
    assert orders.frontier_bound(remainder, best._orders[0]) <= user


@compiled
def test_a_good_order_is_found_for_a_system_of_triples():
    """With the walks in parts that have random numbers of their own, another order seems better.

    Its sweep takes 263,130 states.
    """
    # of the points 0 to e
    kept = ["012", "046", "157", "18d", "24d", "345", "48a", "56b", "58c", "7bd", "89e"]
    met = {pair for triple in kept for pair in combinations(triple, 2)}
    pairs = [pair for pair in combinations("0123456789abcde", 2) if pair not in met]
    triples = [list(combinations(triple, 2)) for triple in combinations("0123456789abcde", 3)]
    problem = Problem([t for t in triples if met.isdisjoint(t)], primary=pairs)
    made = Orders(remainder_of(canonical(problem), ()))
    assert made._orders[0][:10].tolist() == [70, 46, 20, 39, 62, 67, 42, 30, 40, 50]
    list(made.compare(orders.CLOSEST, 1.0))
    sweep = Sweep(made.chosen.masks, MemoryAccount(1 << 28))
    sweep.advance(1_000_000_000)
    assert (sweep.num_solutions, sweep.nodes, sweep.peak) == (4552, 68_066, 11_524)


def test_fewer_walks_look_at_many_options():
    """Walks of one order take up to a quarter of a second, in which Ctrl-C waits.

    Of 50,000 options with a colour each, of one item, 128 walks took seconds.
    """
    few = [orders._fewer(128, items, options, words) for items, options, words in SIZES]
    assert few == [128, 33, 104, 8, 8]


SIZES = [(40, 2000, 1), (1, 10_000, 200), (500, 10_000, 20), (1, 65_536, 256), (1, 50_000, 782)]


def test_large_problems_have_fewer_orders(monkeypatch):
    """Masks of several hundred megabytes took seconds for each order, in which Ctrl-C waited."""
    remainder = remainder_of(problems.queens(6), ())
    made = []
    masks = orders.masks
    monkeypatch.setattr(orders, "masks", lambda *own, **kind: made.append(1) or masks(*own, **kind))
    monkeypatch.setattr(orders, "COMPARED", 1)
    assert len(Orders(remainder).comparisons) == 0 and len(made) == 1


@compiled
def test_an_order_that_takes_too_much_to_find_is_left_out():
    """Each item is near all others: each step looks at all that are left."""
    near = np.full((8192, 128), ~np.uint64(0))
    numbered = np.arange(8192)
    assert len(order_kernel.greedy(near, numbered, 0, order_kernel.FIRST_REACHED)) == 0
    few = order_kernel.greedy(near[:64, :1].copy(), numbered[:64], 0, order_kernel.FIRST_REACHED)
    assert sorted(few.tolist()) == list(range(64))
