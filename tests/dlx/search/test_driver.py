"""Search: limits, going on, interrupts, progress, saving; and the three questions."""

import pickle
import signal
import threading
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
from benchmarks import problems
from dlx import KernelError, ProblemError, Search, StateError
from dlx.search.driver import KERNELS
from tests.dlx.problems import small_problems

QUEENS = problems.queens(8)
ENDLESS = problems.latin(7)


def test_solve_gives_the_first_cover_or_none():
    first = next(Search(QUEENS))
    assert dlx.solve(QUEENS) == first
    assert first == tuple(sorted(first))
    assert dlx.solve([["a"], ["b", "a"]], given=[0]) is None
    assert dlx.solve([]) == ()


def test_questions_take_matrices_too():
    assert dlx.count_solutions(np.array([[1, 1, 0], [0, 0, 1], [1, 1, 1]])) == 2


def test_counting_is_exact_up_to_a_limit():
    assert dlx.count_solutions(QUEENS) == 92
    assert dlx.count_solutions(QUEENS, limit=10) == 10
    assert dlx.count_solutions(QUEENS, limit=1000) == 92
    assert type(dlx.count_solutions(QUEENS)) is int


def test_given_options_are_in_every_cover():
    through = [cover for cover in dlx.solutions(QUEENS) if 0 in cover]
    assert list(dlx.solutions(QUEENS, given=[0])) == through
    assert dlx.count_solutions(QUEENS, given=np.array([0])) == len(through) == 4


def test_time_limits():
    with pytest.raises(TimeoutError, match="solutions found so far"):
        dlx.count_solutions(ENDLESS, time_limit=0.05)
    with pytest.raises(TimeoutError, match="within 0 s"):
        dlx.solve(ENDLESS, time_limit=0)
    search = dlx.solutions(ENDLESS, time_limit=0.05)
    assert sum(1 for _ in search) == search.stats.solutions > 0
    assert search.status == "time limit"
    assert 0.05 <= search.stats.seconds < 1


def test_status_tells_why_a_search_rests():
    search = Search(QUEENS, limit=5)
    assert search.status == "ready"
    assert len(list(search)) == 5
    assert search.status == "limit"
    search.limit = None
    assert len(list(search)) == 87
    assert search.status == "exhausted"
    assert list(search) == []
    assert Search(QUEENS, limit=0).count() == 0


def test_a_loop_that_was_left_is_gone_on_with():
    whole = list(Search(QUEENS))
    search = Search(QUEENS)
    seen = [next(search)]
    for cover in search:
        seen.append(cover)
        if len(seen) == 40:
            break
    assert search.stats.solutions == 40
    seen += [tuple(row.tolist()) for row in next(search.arrays())]
    assert search.stats.solutions == len(seen)
    seen += list(search)
    assert seen == whole
    with pytest.raises(StopIteration):
        next(search)


def test_counting_goes_on_after_listing():
    search = Search(QUEENS)
    for _ in range(7):
        next(search)
    assert search.count() == 92
    assert search.stats.solutions == 92
    assert list(search) == []


def test_arrays_hold_the_same_covers():
    problem = problems.set_partitions(5)
    batches = list(Search(problem).arrays())
    assert all(batch.dtype == np.int32 for batch in batches)
    rows = np.concatenate(batches)
    assert [tuple(row[row >= 0].tolist()) for row in rows] == list(Search(problem))
    assert len(rows) == 52


@settings(max_examples=60, deadline=None)
@given(small_problems(), st.data())
def test_stopped_restarted_saved_and_loaded(tmp_path_factory, problem, data):
    whole = list(Search(problem))
    search = Search(problem)
    covers = []
    for _ in range(4):
        take = data.draw(st.integers(0, 3))
        covers += [cover for cover, _ in zip(search, range(take), strict=False)][:take]
        search.limit = data.draw(st.integers(0, 4)) + search.stats.solutions
        covers = whole[: search.stats.solutions]  # zip takes one more than it gives
        if data.draw(st.booleans()):
            path = tmp_path_factory.mktemp("saved") / "search"
            before = search.stats
            search.save(path)
            search = Search.load(path, problem)
            assert search.stats == before
    search.limit = None
    assert covers + list(search) == whole


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_saved_search_goes_on_where_it_was(kernel, tmp_path):
    path = tmp_path / "search.npz"
    whole = list(Search(QUEENS, given=[3], kernel=kernel))
    search = Search(QUEENS, given=[3], kernel=kernel)
    next(search)
    search.save(path)
    assert list(tmp_path.iterdir()) == [path]
    assert list(Search.load(path, QUEENS)) == whole[1:]
    assert Search.load(path, QUEENS).count() == len(whole)
    assert Search.load(path, QUEENS, limit=2).count() == 2


def test_saved_searches_of_other_problems_are_refused(tmp_path):
    path = tmp_path / "search"
    Search(QUEENS).save(path)
    with pytest.raises(StateError, match="of another problem"):
        Search.load(path, problems.queens(9))
    whole = path.read_bytes()
    for data in (b"", b"nonsense", whole[: len(whole) // 2]):
        path.write_bytes(data)
        with pytest.raises(StateError, match="no saved search"):
            Search.load(path, QUEENS)
    with pytest.raises(FileNotFoundError):
        Search.load(tmp_path / "none", QUEENS)
    with pytest.raises(OSError, match="none/search: cannot be written: No such"):
        Search(QUEENS).save(tmp_path / "none" / "search")


def test_progress_is_reported_and_may_stop_the_search():
    seen = []

    def progress(stats):
        seen.append(stats)
        if len(seen) == 3:
            search.stop()

    search = Search(ENDLESS, progress=progress)
    covers = search.count()
    assert search.status == "stopped"
    assert len(seen) == 4  # the last at the end of the run
    assert [s.solutions for s in seen] == sorted(s.solutions for s in seen)
    assert seen[-1].solutions == covers == search.stats.solutions
    assert all(0 <= s.done < 1 for s in seen)
    search.time_limit = 0.01
    assert search.count() > covers


def test_a_stop_ends_a_loop_at_its_next_step():
    whole = list(Search(QUEENS))
    search = Search(QUEENS)
    seen = []
    for cover in search:
        seen.append(cover)
        if len(seen) % 5 == 0:
            search.stop()
    assert seen == whole[:5]
    assert (search.status, search.stats.solutions) == ("stopped", 5)
    seen += [cover for cover, _ in zip(search, range(5), strict=False)][:5]
    search.stop()
    assert search.status == "stopped"
    assert seen + list(search) == [*whole[:10], *whole[11:]]  # zip takes one more than it gives
    assert search.status == "exhausted"
    search.stop()
    assert search.status == "exhausted"


def test_a_stop_at_rest_ends_what_was_left():
    whole = list(Search(QUEENS))
    search = Search(QUEENS)
    search.stop()
    assert search.status == "stopped"
    assert next(search, None) is None
    assert next(search) == whole[0]
    search.stop()
    assert next(search, None) is None
    left = iter(search)
    assert next(left) == whole[1]
    search.stop()
    assert list(left) == [] and search.status == "stopped"
    search.stop()
    assert search.count() == len(whole)
    counting = dlx.Count(QUEENS)
    counting.stop()
    assert counting.status == "stopped"
    assert (counting.count(), counting.status) == (len(whole), "exhausted")


def test_a_stop_from_another_thread_ends_a_loop():
    search = Search(ENDLESS)
    timer = threading.Timer(0.1, search.stop)
    timer.start()
    seen = sum(1 for _ in search)
    timer.join()
    assert (search.status, search.stats.solutions) == ("stopped", seen)


def test_a_search_says_what_it_is_and_is_not_pickled():
    search = Search(QUEENS, limit=1)
    assert repr(search) == f"<Search of {QUEENS!r}: ready, 0 solutions>"
    list(search)
    assert repr(search) == f"<Search of {QUEENS!r}: limit, 1 solution>"
    with pytest.raises(TypeError, match="save"):
        pickle.dumps(search)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_limit_beyond_any_number_of_covers(kernel):
    for limit in (2**63 - 1, 2**63, 10**30):
        assert len(list(Search(QUEENS, limit=limit, kernel=kernel))) == 92
        assert Search(QUEENS, limit=limit, kernel=kernel).count() == 92
        for method in ("search", "sweep", "auto"):
            assert dlx.count_solutions(QUEENS, limit=limit, method=method) == 92


@pytest.mark.parametrize("listing", [False, True])
def test_an_interrupt_comes_through_and_nothing_is_lost(listing):
    search = Search(ENDLESS)
    next(search)
    timer = threading.Timer(0.15, signal.raise_signal, [signal.SIGINT])
    timer.start()
    seen = 1
    with pytest.raises(KeyboardInterrupt):
        if listing:
            for _ in search:
                seen += 1
        else:
            search.count()
    timer.join()
    assert search.status in ("interrupted", "running")
    assert search.stats.solutions >= seen - 1
    limit = search.stats.solutions + 5
    search.limit = limit
    assert search.count() == limit


def test_leaving_a_loop_costs_nothing():
    began = time.perf_counter()
    for cover in dlx.solutions(ENDLESS):
        assert len(cover) == 49
        break
    assert time.perf_counter() - began < 5


def test_contradicting_givens_leave_an_exhausted_search(tmp_path):
    search = Search(QUEENS, given=[0, 1])
    assert search.count() == 0
    assert (search.status, search.stats.nodes, search.stats.done) == ("exhausted", 0, 1.0)
    search.save(tmp_path / "search")
    assert list(Search.load(tmp_path / "search", QUEENS)) == []


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"given": [64]}, ProblemError, "given option 64 is not one of 0 to 63"),
        ({"given": [-1]}, ProblemError, "given option -1"),
        ({"given": 1}, ProblemError, "given is 1; it must be option numbers"),
        ({"given": [0.5]}, ProblemError, "given must be option numbers"),
        ({"limit": -1}, ProblemError, "limit is -1; it must be a whole number"),
        ({"limit": 1.5}, ProblemError, "limit is 1.5; it must be a whole number"),
        ({"limit": "2"}, ProblemError, "limit is '2'; it must be a whole number"),
        ({"time_limit": "soon"}, ProblemError, "time_limit is 'soon'; it must be seconds"),
        ({"time_limit": -0.1}, ProblemError, "time_limit is -0.1"),
        ({"time_limit": float("nan")}, ProblemError, "time_limit is nan"),
        ({"kernel": "cells"}, KernelError, "there is no kernel 'cells'"),
    ],
)
def test_arguments_that_make_no_sense(arguments, error, message):
    with pytest.raises(error, match=message):
        Search(QUEENS, **arguments)


def test_what_was_given_out_is_not_held():
    search = dlx.solutions(problems.latin(5), limit=60_000)
    tracemalloc.start()
    try:
        assert sum(1 for _ in search) == 60_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000  # all of them would take some 15 million bytes
