"""The first steps of a command: the kernel "bits" in integers of Python, against the kernel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import problems
from dlx import Count, Problem
from dlx.parallel.driver import ParallelSearch
from dlx.search import bits, bits_kernel, first_bits, links
from dlx.search.counters import EXHAUSTED, SOLUTIONS, UNLIMITED, UPDATES
from dlx.search.first_bits import FirstSearch
from dlx.search.first_steps import StepsLeft, process_steps
from dlx.search.kernel import interpreted_first_steps
from tests.dlx.problems import small_problems
from tests.modes import examples, kernel, long

pytestmark = kernel

PROBLEMS = {
    "soma": lambda: problems.soma(),
    "queens": lambda: problems.queens(7),
    "twins": lambda: problems.dominoes(4, 5),
    "colours": lambda: problems.coloured_squares(4, 6, 3),
    "planes": lambda: problems.pentominoes(problems.rectangle(3, 20)),
    "squares": lambda: problems.latin(4),
}


def first_search(problem, chosen=()):
    """Return a search of any number of steps."""
    steps = StepsLeft()
    steps.left = UNLIMITED
    return FirstSearch(problem, chosen, steps)


def compare(problem, chosen, calls):
    """Make the same calls of both; compare what they find and where they stand."""
    search, state = first_search(problem, chosen), bits.start(problem, chosen)
    assert search.depth == bits.max_depth(state)
    out = np.empty((1000, search.depth), np.int32)
    for budget, room in calls:
        solutions = []
        found = search.advance(budget, room, solutions)
        assert found == bits.advance(state, budget, room, out) == len(solutions)
        assert solutions == [tuple(row[row >= 0].tolist()) for row in out[:found]]
        # the first counters are common to all kernels, the level has no meaning here
        assert search.counters[:3] == state.counters[:3].tolist()
        assert search.counters[SOLUTIONS] == state.counters[SOLUTIONS]
        assert search.fraction_done == bits.fraction_done(state)
        assert search.open_branches() == bits.open_branches(state, 1.0)
    return search


@settings(max_examples=examples(150), deadline=None)
@given(problem=small_problems(), data=st.data())
def test_both_forms_search_alike(problem, data):
    numbers = st.integers(0, max(0, problem.num_options - 1))
    chosen = data.draw(st.sets(numbers, max_size=2)) if problem.num_options else ()
    calls = st.tuples(st.sampled_from([0, 1, 3, 20, UNLIMITED]), st.sampled_from([1, 2, 1000]))
    if problem.compatible(chosen):
        compare(problem, tuple(sorted(chosen)), data.draw(st.lists(calls, max_size=6)))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=long) if name == "planes" else name for name in PROBLEMS]
)
def test_both_forms_search_larger_problems_alike(name):
    problem = PROBLEMS[name]()
    chosen = (83,) if name == "planes" else ()
    search = compare(problem, chosen, [(1, 1000), (50, 3), (2000, 1), (2000, 1000)])
    assert search.counters[UPDATES] > 0


def test_a_search_of_few_steps_needs_no_compiled_code(monkeypatch):
    def fail(*_):
        raise AssertionError("compiled code was called")

    problem = problems.pentominoes(problems.rectangle(3, 20))
    first = ParallelSearch(problem, limit=1)
    expected = list(first), first.stats[:3], first.stats.kernel
    counted = Count(problems.queens(6))
    counted.count()
    for module, name in [
        (bits_kernel, "advance"),
        (bits_kernel, "fill"),
        (links.links_kernel, "advance"),
        (links.links_kernel, "link"),
    ]:
        monkeypatch.setattr(module, name, fail)
    monkeypatch.setattr(bits.lay_out, "__defaults__", (fail,))
    monkeypatch.setattr(first_bits, "STEPS_TO_LIST", first_bits.INTERPRETED_STEPS)
    with interpreted_first_steps():
        search = ParallelSearch(problem, limit=1)
        assert (list(search), search.stats[:3], search.stats.kernel) == expected
        assert search.stats.done == pytest.approx(first.stats.done)
        count = Count(problems.queens(6))
        assert count.count() == 4
        assert (count.stats[:3], count.stats.kernel) == (counted.stats[:3], "bits")


@pytest.mark.parametrize("steps", [1, 18_000, 22_000, 40_000])
@pytest.mark.parametrize("limit", [None, 5])
def test_the_kernel_searches_when_the_steps_are_spent(steps, limit, monkeypatch):
    problem = problems.queens(8)
    search = ParallelSearch(problem, limit=limit, kernel="bits")
    expected = list(search), search.stats[:3], search.status
    for name in ("INTERPRETED_STEPS", "STEPS_TO_LIST"):
        monkeypatch.setattr(first_bits, name, steps)
    with interpreted_first_steps():
        search = ParallelSearch(problem, limit=limit, kernel="bits")
        assert (list(search), search.stats[:3], search.status) == expected


@pytest.mark.parametrize("steps", [1, 18_000, 22_000, 40_000, 10**7])
@pytest.mark.parametrize("limit", [None, 5])
def test_a_count_is_continued_by_the_kernel_when_the_steps_are_spent(steps, limit, monkeypatch):
    problem = problems.queens(8)
    count = Count(problem, limit=limit)
    expected = count.count(), count.stats[:3], count.stats.kernel, count.status
    for name in ("INTERPRETED_STEPS", "STEPS_TO_COUNT"):
        monkeypatch.setattr(first_bits, name, steps)
    with interpreted_first_steps():
        count = Count(problem, limit=limit)
        assert (count.count(), count.stats[:3], count.stats.kernel, count.status) == expected


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 36, 95])
@pytest.mark.parametrize("name", ["queens", "twins"])
def test_a_count_may_be_saved_among_the_first_steps(name, limit, tmp_path):
    """Every second solution of dominoes is a twin, which takes no updates."""
    problem = PROBLEMS[name]()
    expected = Count(problem, kernel="bits")
    expected.count()
    with interpreted_first_steps():
        count = Count(problem, kernel="bits", limit=limit)
        assert count.count() == min(limit, expected.num_solutions)
        before = count.stats
        count.save(tmp_path / "saved")
        assert count.stats == before
        loaded = Count.load(tmp_path / "saved", problem)
    assert loaded.stats[:2] == before[:2]
    assert loaded.count() == expected.num_solutions
    assert loaded.stats[:3] == expected.stats[:3]


def test_a_saved_count_whose_givens_cover_all_items(tmp_path):
    problem = problems.queens(4)
    (solution, _) = ParallelSearch(problem)
    with interpreted_first_steps():
        count = Count(problem, given=solution, kernel="bits")
        assert (count.count(), count.status) == (1, "exhausted")
        count.save(tmp_path / "saved")
    assert Count.load(tmp_path / "saved", problem).count() == 1


@pytest.mark.parametrize("limited", [False, True])
def test_a_count_stops_among_the_first_steps(limited, monkeypatch):
    problem = problems.queens(8)
    monkeypatch.setattr(first_bits, "SLICE_STEPS", 1)
    monkeypatch.setattr(first_bits, "STEPS_TO_COUNT", first_bits.INTERPRETED_STEPS)
    seen = 0

    def is_over():
        nonlocal seen
        seen += 1
        return seen > 10

    with interpreted_first_steps():
        count = Count(problem, kernel="bits")
        assert count._search.is_slow_to_return
        count._search.is_over = is_over
        count._search.advance(10**9)
        assert 0 < count._search.nodes < 20
        if limited:
            count.limit = 5
        assert count.count() == (5 if limited else 92)


@pytest.mark.parametrize("stops", ["time limit", "stopped"])
def test_a_search_stops_among_the_first_steps(stops, monkeypatch):
    problem = problems.queens(8)
    whole = list(ParallelSearch(problem, kernel="bits"))
    monkeypatch.setattr(first_bits, "SLICE_STEPS", 1)
    monkeypatch.setattr(first_bits, "STEPS_TO_LIST", first_bits.INTERPRETED_STEPS)
    seconds = 0.0

    def clock():
        nonlocal seconds
        seconds += 1
        if stops == "stopped" and seconds == 20:
            search.stop()
        return seconds

    with interpreted_first_steps():
        search = ParallelSearch(problem, kernel="bits")
        search.clock = clock
        search.time_limit = 20 if stops == "time limit" else None
        found = list(search)
        assert search.status == stops
        assert len(found) < len(whole)
        search.time_limit = None
        assert found + list(search) == whole


def test_a_search_that_takes_too_much_to_begin(monkeypatch):
    problem = problems.queens(8)

    def begins():
        with interpreted_first_steps():
            return first_bits.begin(problem, (), listing=True) is not None

    assert begins()
    assert not first_bits.begin(problem, (), listing=True)  # outside the block
    for names in ["LARGEST_TABLE"], ["MOST_ENTRY_PAIRS"], ["INTERPRETED_STEPS", "STEPS_TO_LIST"]:
        with monkeypatch.context() as patch:
            for name in names:
                patch.setattr(first_bits, name, 100)
            assert not begins()


def test_a_search_that_takes_too_long_ends_early(monkeypatch):
    """Not if a solution is enough: it may come soon."""
    monkeypatch.setattr(first_bits, "STEPS_TO_LIST", first_bits.INTERPRETED_STEPS)
    problem = problems.latin(6)
    with interpreted_first_steps():
        search = first_bits.begin(problem, (), listing=True)
        before = process_steps.left
        assert not search.is_too_long
        while not search.is_too_long:
            search.advance(search.slice, UNLIMITED)
        assert not search.is_spent
        assert before / 8 < before - process_steps.left < before / 4


def test_all_searches_of_a_process_share_the_steps(monkeypatch):
    monkeypatch.setattr(first_bits, "STEPS_TO_COUNT", first_bits.INTERPRETED_STEPS)
    problem = problems.queens(6)
    with interpreted_first_steps():
        left = []
        for _ in range(3):
            search = first_bits.begin(problem, (), listing=False)
            search.advance(UNLIMITED, UNLIMITED)
            left.append(process_steps.left)
    assert left[0] - left[1] == left[1] - left[2] > 15_000


def test_an_item_without_options_ends_the_search_before_its_first_node():
    search = first_search(Problem([["a"], ["b"]], primary=["a", "b", "c"]))
    assert search.counters[EXHAUSTED] == 1
    assert search.advance(UNLIMITED, UNLIMITED) == 0
    assert search.fraction_done == 1
    assert search.open_branches() == []
