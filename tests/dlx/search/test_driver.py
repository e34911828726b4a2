"""Search: limits, runs, interrupts, progress, wrong arguments."""

import copy
import gc
import pickle
import signal
import threading
import tracemalloc
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

import dlx
from benchmarks import problems
from dlx import Count, KernelError, Problem, ProblemError, Search
from dlx.costs.driver import CheapestSearch
from dlx.parallel.driver import ParallelSearch
from dlx.search import bits, driver
from dlx.search.kernel import KERNELS, LARGEST_TRIAL
from tests.dlx.problems import random_problem

QUEENS = problems.queens(8)
ENDLESS = problems.latin(7)
TICK = 1 / 64  # seconds: a slice of this length leaves the budget of the next one as it is


@pytest.fixture
def slices(monkeypatch):
    """A clock by which every slice takes TICK seconds; the list grows by one at each reading."""
    readings = []

    def clock():
        readings.append(None)
        return len(readings) * TICK

    monkeypatch.setattr(Search, "clock", staticmethod(clock))
    return readings


def test_a_time_limit_ends_a_run_after_the_slice_that_reaches_it(slices):
    search = Search(ENDLESS, time_limit=4 * TICK)
    found = search.count()
    assert (search.status, search.stats.seconds, len(slices)) == ("time limit", 4 * TICK, 8)
    assert found == search.stats.solutions > 0
    assert search.stats.updates < 5 * driver.FIRST_BUDGET
    assert search.count() > found
    assert (search.status, search.stats.seconds) == ("time limit", 8 * TICK)
    search.time_limit = 0
    assert list(search) == [] and search.status == "time limit"


@pytest.mark.parametrize(
    ("seconds", "factor"),
    [
        (driver.SLICE_SECONDS / 3, 2),
        (driver.SLICE_SECONDS / 2, 1),
        (2 * driver.SLICE_SECONDS, 1),
        (3.0, 0.5),
    ],
)
def test_the_budget_follows_the_time_that_slices_take(monkeypatch, seconds, factor):
    times = iter([0.0, seconds, 0.0, seconds])
    monkeypatch.setattr(Search, "clock", staticmethod(times.__next__))
    search = Search(ENDLESS, time_limit=seconds, kernel="bits")
    search.count()
    first = search.stats.updates
    search.count()
    second = search.stats.updates - first
    assert first == pytest.approx(driver.FIRST_BUDGET, rel=0.02)
    assert second == pytest.approx(factor * driver.FIRST_BUDGET, rel=0.02)


class Recorded:
    """A kernel that lists the budgets with which it is called."""

    def __init__(self, kernel, events):
        self.kernel, self.events = kernel, events

    def __getattr__(self, name):
        return getattr(self.kernel, name)

    def advance(self, state, budget, *rest):
        self.events.append(budget)
        return self.kernel.advance(state, budget, *rest)


def test_the_time_to_compile_is_no_part_of_the_search(monkeypatch):
    """The first call in a process, which compiles, has no budget and is not timed."""
    events = []
    monkeypatch.setattr(driver, "_compiled", set())
    monkeypatch.setattr(Search, "clock", staticmethod(lambda: events.append("clock") or 0.0))
    for first in ([0], []):
        search = Search(QUEENS, limit=1, kernel="bits")
        search._kernel = Recorded(search._kernel, events)
        assert search.count() == 1
        assert events == [*first, "clock", driver.FIRST_BUDGET, "clock"]
        events.clear()


def test_status_says_why_a_search_has_ended_or_paused():
    search = Search(QUEENS, limit=5)
    assert search.status == "ready"
    assert len(list(search)) == 5
    assert search.status == "limit"
    search.limit = None
    assert len(list(search)) == 87
    assert search.status == "exhausted"
    assert list(search) == []
    assert Search(QUEENS, limit=0).count() == 0


def test_a_search_is_its_own_iterator():
    search = Search(QUEENS)
    assert isinstance(search, Iterator)
    assert iter(search) is search
    assert next(search) == next(iter(Search(QUEENS)))
    with pytest.raises(StopIteration):
        next(Search([["a"]], limit=0))
    assert list(Search([])) == [()]


def test_next_of_a_search_that_was_freed_says_so():
    step = dlx.solutions(QUEENS).__next__
    with pytest.raises(ReferenceError, match="no longer exists"):
        step()


def test_a_search_is_freed_without_the_garbage_collector():
    gc.disable()
    try:
        for use in (next, list, Search.count, Search.stop):
            search = Search(QUEENS)
            use(search)
            gone = weakref.ref(search)
            del search
            assert gone() is None
    finally:
        gc.enable()


def test_a_loop_that_was_left_is_continued(monkeypatch):
    monkeypatch.setattr(driver, "FIRST_NUMBERS", 1)
    monkeypatch.setattr(driver, "BATCH_GROWTH", 2)
    whole = list(Search(QUEENS))
    search = Search(QUEENS)
    seen = [next(search)]
    for solution in search:
        seen.append(solution)
        if len(seen) == 40:
            break
    assert search.stats.solutions == 40
    seen += [tuple(row.tolist()) for row in next(search.arrays())]
    assert search.stats.solutions == len(seen)
    seen += [next(search) for _ in range(3)]
    seen += list(search)
    assert seen == whole
    with pytest.raises(StopIteration):
        next(search)


def test_a_loop_within_a_loop_shares_the_solutions():
    search = Search(QUEENS)
    pairs = [(solution, next(search)) for solution in search]
    assert [solution for pair in pairs for solution in pair] == list(Search(QUEENS))


def test_counting_continues_after_listing():
    search = Search(QUEENS)
    for _ in range(7):
        next(search)
    assert search.count() == 92
    assert search.stats.solutions == 92
    assert list(search) == []


def test_arrays_hold_the_same_solutions():
    problem = problems.set_partitions(5)
    batches = list(Search(problem).arrays())
    assert all(batch.dtype == np.int32 for batch in batches)
    rows = np.concatenate(batches)
    assert [tuple(row[row >= 0].tolist()) for row in rows] == list(Search(problem))
    assert len(rows) == 52


def test_the_number_of_solutions_may_be_read_while_another_thread_finds_some():
    class Interleaved(Search):
        found_meanwhile = False

        def _num_found(self):
            found = super()._num_found()
            if self.found_meanwhile:  # here the other thread makes a slice
                self.found_meanwhile = False
                assert self._run_slice(1000) and super()._num_found() > 1
            return found

    search = Interleaved(QUEENS, kernel="links")
    iter(search)
    search.found_meanwhile = True
    assert search.num_solutions == 0
    assert (next(search), search.num_solutions) == (next(Search(QUEENS)), 1)


def test_progress_is_reported_and_may_stop_the_search(slices):
    seen = []

    def progress(stats):
        seen.append(stats)
        if len(seen) == 3:
            search.stop()

    search = Search(ENDLESS, progress=progress)
    found = search.count()
    assert search.status == "stopped"
    assert len(seen) == 4  # the last one at the end of the run
    assert [stats.seconds for stats in seen] == [7 * TICK, 14 * TICK, 21 * TICK, 21 * TICK]
    assert [stats.solutions for stats in seen] == sorted(stats.solutions for stats in seen)
    assert seen[-1].solutions == found == search.stats.solutions
    assert all(0 <= stats.done < 1 for stats in seen)
    search.time_limit = TICK
    assert search.count() > found


@pytest.mark.parametrize("listing", [False, True])
@pytest.mark.parametrize("limit", [None, 60])
def test_progress_may_save_the_search_and_set_its_limit(tmp_path, monkeypatch, listing, limit):
    monkeypatch.setattr(driver, "REPORT_SECONDS", 0)
    monkeypatch.setattr(driver, "FIRST_BUDGET", 200)
    whole = list(Search(QUEENS, kernel="links"))

    def progress(_):
        search.save(tmp_path / "search")
        search.limit = limit

    search = Search(QUEENS, kernel="links", progress=progress)
    if listing:
        found = list(search)
    else:
        found = [tuple(row) for batch in search.arrays() for row in batch.tolist()]
    assert found == whole[:limit]
    assert search.status == ("limit" if limit else "exhausted")


def test_a_search_is_stopped_by_an_error_of_progress(slices):
    """As other searches and counts are: the next call of `next` begins a run."""
    search = Search(ENDLESS, progress=lambda stats: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        search.count()
    assert search.status == "stopped"
    search.progress = None
    assert next(search) and search.status == "running"


def test_a_stop_ends_a_loop_at_its_next_step():
    whole = list(Search(QUEENS))
    search = Search(QUEENS)
    seen = []
    for solution in search:
        seen.append(solution)
        if len(seen) % 5 == 0:
            search.stop()
    assert seen == whole[:5]
    assert (search.status, search.stats.solutions) == ("stopped", 5)
    seen += [next(search) for _ in range(5)]
    search.stop()
    assert search.status == "stopped"
    assert seen + list(search) == whole
    assert search.status == "exhausted"
    search.stop()
    assert search.status == "exhausted"


def test_a_stop_between_runs_ends_the_next_call_of_next():
    whole = list(Search(QUEENS))
    search = Search(QUEENS)
    search.stop()
    assert search.status == "stopped"
    assert next(search, None) is None
    assert next(search) == whole[0]
    search.stop()
    assert next(search, None) is None and search.status == "stopped"
    assert next(search) == whole[1]
    search.stop()
    assert list(search) == whole[2:]  # a loop starts a new run
    search = Search(QUEENS)
    search.stop()
    assert search.count() == len(whole)


@pytest.mark.parametrize("listing", [False, True])
def test_a_stop_from_another_thread_ends_a_run(slices, listing):
    reported = threading.Event()
    search = Search(ENDLESS, progress=lambda stats: reported.set())

    def stop():
        reported.wait()
        search.stop()

    thread = threading.Thread(target=stop)
    thread.start()
    seen = sum(1 for _ in search) if listing else search.count()
    thread.join()
    assert (search.status, search.stats.solutions) == ("stopped", seen)


def test_a_search_has_a_repr_and_is_neither_pickled_nor_copied():
    search = Search(QUEENS, limit=1)
    assert repr(search) == f"<Search of {QUEENS!r}: ready, 0 solutions>"
    list(search)
    assert repr(search) == f"<Search of {QUEENS!r}: limit, 1 solution>"
    costs = Problem([["a"]], costs=[1])
    searches = search, Count(QUEENS), ParallelSearch(QUEENS, jobs=2), CheapestSearch(costs, 1)
    for one in searches:
        for duplicate in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=f"^a {type(one).__name__} cannot be pickled or"):
                duplicate(one)


def test_figures_of_any_length_are_shown():
    stats = Count([[0], [1]]).stats
    assert repr(stats).startswith("Stats(solutions=0, nodes=")
    long = repr(stats._replace(solutions=10**5000))
    assert long.startswith(f"Stats(solutions=1{'0' * 5000}, nodes=")
    assert eval(repr(stats), {"Stats": type(stats)}) == stats


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_limit_beyond_any_number_of_solutions(kernel):
    for limit in (2**63 - 1, 2**63, 10**30):
        assert len(list(Search(QUEENS, limit=limit, kernel=kernel))) == 92
        assert Search(QUEENS, limit=limit, kernel=kernel).count() == 92


@pytest.mark.parametrize("call", range(1, 5))
def test_an_interrupt_of_arrays_loses_nothing(monkeypatch, call):
    calls = iter(range(1, 1000))

    def clock():
        if next(calls) == call:
            signal.raise_signal(signal.SIGINT)
        return 0.0

    whole = [row.tolist() for row in next(Search(QUEENS).arrays())]
    assert len(whole) == 92
    search = Search(QUEENS)
    monkeypatch.setattr(Search, "clock", staticmethod(clock))
    monkeypatch.setattr(driver, "BATCH_NUMBERS", 8 * 30)
    search._budget = 100
    seen = []
    with pytest.raises(KeyboardInterrupt):
        for batch in search.arrays():
            seen += batch.tolist()
    assert search.status == "interrupted" and len(seen) < 92
    assert search.stats.solutions == len(seen)
    seen += [row for batch in search.arrays() for row in batch.tolist()]
    assert seen == whole and search.status == "exhausted"


@pytest.mark.parametrize("name", ["load_kernel", "padded"])
def test_an_interrupt_of_arrays_outside_a_slice_is_one(monkeypatch, name):
    """While the kernel "bits" starts, or while solutions are made arrays again."""

    def interrupt(*_):
        raise KeyboardInterrupt

    whole = list(Search(QUEENS))
    search = Search(QUEENS)
    seen = [next(search)] if name == "padded" else []
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(driver, name, interrupt)
        next(search.arrays())
    assert search.status == "interrupted"
    assert seen + list(search) == whole


@pytest.mark.parametrize("call", range(1, 7))
@pytest.mark.parametrize("listing", [False, True])
def test_an_interrupt_at_the_clock_loses_nothing(monkeypatch, call, listing):
    """SIGINT arrives at one reading of the clock, before or after the kernel has run."""
    calls = iter(range(1, 1000))

    def clock():
        if next(calls) == call:
            signal.raise_signal(signal.SIGINT)
        return 0.0

    whole = list(Search(QUEENS))
    search = Search(QUEENS, limit=80)
    monkeypatch.setattr(Search, "clock", staticmethod(clock))
    monkeypatch.setattr(driver, "FIRST_BUDGET", 1)
    search._budget = 100
    seen = []
    with pytest.raises(KeyboardInterrupt):
        if listing:
            for solution in search:
                seen.append(solution)
        else:
            search.count()
            search.limit = None
            search.count()
    assert search.status == "interrupted"
    if listing:
        assert search.stats.solutions == len(seen)
        search.limit = None
        assert seen + list(search) == whole
    else:
        search.limit = None
        assert search.count() == len(whole)


def test_the_first_slice_is_shorter_where_a_node_looks_at_many_items(monkeypatch):
    assert Search(QUEENS)._budget == driver.FIRST_BUDGET
    monkeypatch.setattr(driver, "FIRST_LOOKS", 100 * QUEENS.num_primary)
    search = Search(QUEENS, kernel="links")
    assert search._budget == 100
    assert search.count() == 92


def test_a_time_limit_includes_the_time_to_make_solutions(monkeypatch):
    """Solutions of 5,000 options took five times as long as the search."""
    now = [0.0]

    def slow(batch):
        now[0] += 1.0
        return stream(batch)

    stream = driver.stream
    monkeypatch.setattr(Search, "clock", staticmethod(lambda: now[0]))
    monkeypatch.setattr(driver, "stream", slow)
    search = Search(QUEENS, kernel="bits", time_limit=0.5)
    assert 0 < len(list(search)) < 92 and search.status == "time limit"
    assert search.stats.seconds == 1.0


def test_an_interrupt_in_a_loop_loses_nothing():
    search = Search(QUEENS)
    seen = []
    with pytest.raises(KeyboardInterrupt):
        for solution in search:
            seen.append(solution)
            if len(seen) == 7:
                signal.raise_signal(signal.SIGINT)
    assert (search.status, search.stats.solutions) == ("running", 7)
    assert seen + list(search) == list(Search(QUEENS))


SMALL = problems.dominoes(2, 5)
"""A trial ends the search: its 8 solutions are found before the first run."""


def test_solutions_found_in_a_trial_are_returned_as_others_are(tmp_path):
    whole = list(Search(SMALL, kernel="bits"))
    search = Search(SMALL)
    assert (search.status, search.stats.solutions, search.num_solutions) == ("ready", 0, 0)
    assert [next(search), next(search)] == whole[:2]
    assert (search.status, search.stats.solutions) == ("running", 2)
    search.save(tmp_path / "search")
    loaded = Search.load(tmp_path / "search", SMALL)
    assert (loaded.stats.solutions, list(loaded), loaded.status) == (2, whole[2:], "exhausted")
    assert search.count() == len(whole) == 8
    assert (search.status, list(search)) == ("exhausted", [])
    linked = Search(SMALL, kernel="links")
    linked.count()
    assert search.stats[:3] == linked.stats[:3]
    (rows,) = Search(SMALL).arrays()
    assert [tuple(row.tolist()) for row in rows] == whole


@pytest.mark.parametrize("trial", [LARGEST_TRIAL, 0])
def test_a_search_that_a_trial_ended_is_saved_and_loaded(tmp_path, monkeypatch, trial):
    """With 0, `load` begins without a trial; the search for one solution began with one."""
    for seed in range(20):
        problem = random_problem(seed)
        monkeypatch.setattr("dlx.search.kernel.LARGEST_TRIAL", trial)
        monkeypatch.setattr("dlx.search.kernel.LONG_ROWS", 0)
        search = Search(problem, limit=None if trial else 1)
        search.limit = None
        found = sum(len(batch) for batch in search.arrays())
        search.save(tmp_path / "search")
        loaded = Search.load(tmp_path / "search", problem)
        assert loaded.num_solutions == loaded.count() == found == dlx.count_solutions(problem)


@pytest.mark.parametrize("limit", range(10))
def test_a_limit_holds_for_solutions_found_in_a_trial(limit):
    whole = list(Search(SMALL))
    search = Search(SMALL, limit=limit)
    assert (list(search), search.stats.solutions) == (whole[:limit], min(limit, 8))
    assert search.status == ("limit" if limit < 8 else "exhausted")
    assert Search(SMALL, limit=limit).count() == dlx.count_solutions(SMALL, limit=limit)
    search.limit = None
    assert list(search) == whole[limit:]


def test_to_save_a_search_changes_no_limit(tmp_path):
    """The trial finds more solutions than the limit allows."""
    whole = list(Search(SMALL))
    search = Search(SMALL, limit=2)
    search.save(tmp_path / "search")
    assert (list(search), search.status) == (whole[:2], "limit")
    search.limit = 5
    search.save(tmp_path / "search")
    assert (list(search), search.status) == (whole[2:5], "limit")
    assert list(Search.load(tmp_path / "search", SMALL)) == whole[2:]


def test_a_search_that_a_trial_ended_can_be_stopped():
    search = Search(SMALL)
    search.stop()
    assert next(search, None) is None and search.status == "stopped"
    seen = []
    for solution in search:
        seen.append(solution)
        search.stop()
    assert (len(seen), search.status) == (1, "stopped")
    assert seen + list(search) == list(Search(SMALL))


def test_contradicting_givens_leave_an_exhausted_search():
    search = Search(QUEENS, given=[0, 1])
    assert search.count() == 0
    assert (search.status, search.stats.nodes, search.stats.done) == ("exhausted", 0, 1.0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"given": [64]}, ProblemError, "given option 64 is not one of 0 to 63"),
        ({"given": [-1]}, ProblemError, "given option -1"),
        ({"given": 1}, ProblemError, "given is 1; it must be option numbers"),
        ({"given": [0.5]}, ProblemError, r"given is \[0.5\]; it must be option numbers"),
        ({"given": [0, True]}, ProblemError, r"given is \[0, True\]; it must be option numbers"),
        ({"given": {0: 1}}, ProblemError, r"given is \{0: 1\}; it must be option numbers"),
        ({"given": b"\0"}, ProblemError, "given is b'.*'; it must be option numbers"),
        ({"limit": -1}, ProblemError, "limit is -1; it must be a whole number"),
        ({"limit": 1.5}, ProblemError, "limit is 1.5; it must be a whole number"),
        ({"limit": "2"}, ProblemError, "limit is '2'; it must be a whole number"),
        ({"time_limit": "soon"}, ProblemError, "time_limit is 'soon'; it must be seconds"),
        ({"time_limit": -0.1}, ProblemError, "time_limit is -0.1"),
        ({"time_limit": float("nan")}, ProblemError, "time_limit is nan"),
        ({"progress": "yes"}, ProblemError, "progress is 'yes'; it must be a function"),
        ({"kernel": "cells"}, KernelError, "there is no kernel 'cells'"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Search(QUEENS, **arguments)


def test_wrong_limits_are_refused_when_they_are_set():
    search = Search(QUEENS)
    with pytest.raises(ProblemError, match="limit is -1"):
        search.limit = -1
    with pytest.raises(ProblemError, match="time_limit is 'a'"):
        search.time_limit = "a"
    assert (search.limit, search.time_limit) == (None, None)


def test_solutions_that_were_returned_are_not_stored():
    search = dlx.solutions(problems.latin(5), limit=60_000)
    tracemalloc.start()
    try:
        assert sum(1 for _ in search) == 60_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000  # all of them would take some 15 million bytes


@pytest.mark.parametrize("run", [list, Search.count, lambda search: list(search.arrays())])
@pytest.mark.parametrize(
    ("make", "kernel", "number"),
    [
        (lambda: problems.queens(10), "auto", 1),
        (lambda: problems.dominoes(2, 3), "auto", 0),
        (lambda: problems.langford(8), "links", 0),
    ],
)
def test_bits_starts_once_after_a_trial_that_did_not_end_the_search(
    monkeypatch, make, kernel, number, run
):
    started = []

    def start(problem, given, bits_start=bits.start):
        started.append(problem)
        return bits_start(problem, given)

    monkeypatch.setattr(bits, "start", start)
    search = Search(make(), kernel=kernel)
    for limit in range(1, 30) if number else ():  # many runs after the trial
        search.limit = limit
        run(search)
    search.limit = None
    run(search)
    assert search.status == "exhausted"
    assert (len(started), search.stats.kernel) == (number, "bits" if number else "links")
