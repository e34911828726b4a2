"""Searches of many puzzles: limits, threads, and puzzles that a kernel gives up."""

import gc
import itertools
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from dlx.checks import num_cores
from sudoku.checks import MANY_THREADS
from sudoku.kernels import classic, houses, masks
from sudoku.kernels.kernel import UNDECIDED
from sudoku.layout import Layout
from sudoku.solving.batch_search import BatchSearch, Stopped, UniquenessCheck
from tests import naive

DATA = Path(__file__).parents[3] / "data"


def puzzles(name, number):
    lines = (DATA / name).read_text().split()[:number]
    return np.array([[int(c) for c in line.replace(".", "0")] for line in lines], np.uint8)


def test_a_batch_stops_at_its_time_limit_and_can_be_continued():
    batch = puzzles("several-solutions.txt", 500)
    search = BatchSearch(Layout(3, 3), batch, 2)
    assert not search.run(2, time_limit=0)
    assert search.num_decided == 0
    assert search.run(2)
    assert search.num_decided == 500
    whole = BatchSearch(Layout(3, 3), batch, 2)
    assert whole.run()
    assert search.counts.tolist() == whole.counts.tolist()
    assert (search.solutions == whole.solutions).all()
    assert (search.nodes == whole.nodes).all()


@pytest.mark.parametrize("layout", [Layout(3, 3), Layout(2, 4), Layout(3, 4), Layout(5, 5)])
def test_a_search_of_one_puzzle_ends_at_the_time_limit(layout, monkeypatch):
    readings = itertools.count(0.0, 1 / 64)  # every slice seems to take 1/64 s
    puzzle = np.zeros((1, layout.cells), np.uint8)
    puzzle[0, : layout.size] = np.arange(layout.size) + 1  # leaves no digits to exchange
    monkeypatch.setattr("time.perf_counter", lambda: next(readings))
    search = BatchSearch(layout, puzzle, 10**9)
    assert not search.run(time_limit=5 / 64)
    assert search.counts.tolist() == [UNDECIDED]
    assert next(readings) == 10 / 64  # two readings for each of 5 slices
    assert search.nodes.tolist() == [0]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_batch_stops_in_the_middle_of_a_puzzle(jobs):
    batch, stop = np.zeros((200, 144), np.uint8), Event()
    batch[:, :12] = np.arange(12) + 1
    search = BatchSearch(Layout(3, 4), batch, 10**15)
    assert not search.run(jobs, progress=lambda decided: stop.set(), stop=stop)
    assert search.num_decided == 0


def test_progress_is_the_number_of_puzzles_decided():
    reported = []
    search = BatchSearch(Layout(2, 3), np.zeros((300, 36), np.uint8), 100)
    assert search.run(progress=reported.append)
    assert reported == sorted(reported)
    assert reported[-1] == 300


def test_an_error_of_a_thread_reaches_the_caller(monkeypatch):
    def fail(*_):
        raise MemoryError("no memory")

    search = BatchSearch(Layout(2, 3), np.zeros((300, 36), np.uint8), 100)
    search.run(time_limit=0)
    monkeypatch.setattr(houses, "start", fail)
    monkeypatch.setattr("sudoku.solving.batch_search.compile_kernels", lambda *_, **__: None)
    with pytest.raises(MemoryError, match="no memory"):
        search.run(3)


def test_a_thread_that_cannot_start_stops_the_others(monkeypatch):
    calls, stop = itertools.count(), Event()

    class Pool(ThreadPoolExecutor):
        def submit(self, *call):
            if next(calls):
                raise RuntimeError("can't start new thread")
            return super().submit(*call)

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", Pool)
    search = BatchSearch(Layout(3, 3), np.zeros((600, 81), np.uint8), 2)
    with pytest.raises(RuntimeError, match="new thread"):
        search.run(2, stop=stop)
    assert stop.is_set()


def test_no_more_threads_are_started_than_there_is_work_for(monkeypatch):
    pools = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, workers):
            pools.append(workers)
            super().__init__(workers)

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", Pool)
    for layout, number in ((Layout(3, 3), 600), (Layout(2, 2), 7000)):
        search = BatchSearch(layout, np.zeros((number, layout.cells), np.uint8), 2)
        assert search.run(100_000)
        assert (search.counts == 2).all()
    assert pools == [3, min(max(MANY_THREADS, num_cores()), 110)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_puzzles_that_the_classic_kernel_gives_up_go_to_the_mask_kernel(jobs, monkeypatch):
    batch = np.concatenate((puzzles("documents.txt", 5), puzzles("no-solution.txt", 15)))
    hard = "800000000003600000070090200050007000000045700000100030001000068008500010090000400"
    batch = np.concatenate((batch, [[int(c) for c in hard]], np.zeros((1, 81)))).astype(np.uint8)
    batch = np.tile(batch, (20, 1))
    given_up = BatchSearch(Layout(3, 3), batch, 2, patience=0)
    given_up.run()
    left = np.flatnonzero(given_up.counts == UNDECIDED)
    assert 40 <= len(left) < len(batch)
    by_masks = []
    start = masks.start

    def counted_start(*arguments):
        by_masks.append(arguments)
        return start(*arguments)

    monkeypatch.setattr(classic, "PATIENCE", 0)
    monkeypatch.setattr(masks, "start", counted_start)
    search = BatchSearch(Layout(3, 3), batch, 2)
    assert search.run(jobs)
    assert len(by_masks) == len(left)
    houses = naive.sudoku_houses(3, 3)
    expected = [naive.sudoku_count(houses, puzzle, 2) for puzzle in batch[:22].tolist()]
    assert search.counts.tolist() == expected * 20
    for puzzle, count, solution in zip(batch, search.counts, search.solutions, strict=True):
        if count:
            assert (solution[puzzle > 0] == puzzle[puzzle > 0]).all()
            assert (np.sort(solution[Layout(3, 3).houses], axis=1) == np.arange(1, 10)).all()
        else:
            assert not solution.any()


def test_a_check_is_stopped_between_two_slices(monkeypatch):
    check = UniquenessCheck(Layout(4, 4))
    budgets = []
    advance = masks.advance

    def advance_and_stop(state, budget, batch):
        budgets.append(budget)
        check.stop.set()
        return advance(state, budget, batch)

    monkeypatch.setattr(masks, "advance", advance_and_stop)
    with pytest.raises(Stopped):
        check(np.zeros((50, 256), np.uint8))
    assert len(budgets) == 1


def test_a_check_leaves_a_large_puzzle_undecided_after_a_thousand_nodes():
    check = UniquenessCheck(Layout(5, 5))
    lines = (DATA / "grid25.txt").read_text().split()
    puzzle = [0 if character == "." else ord(character) - 64 for character in "".join(lines)]
    counts, _, nodes = check(np.array([puzzle], np.uint8))
    assert counts.tolist() == [UNDECIDED]
    assert nodes.tolist() == [1000]
    assert check.effort == 1000 + 25**3 / 64


@pytest.mark.parametrize(
    ("box", "count"),
    [("4x4", 20_000), ("latin", 20_000), ("windoku", UNDECIDED), ("3x4+windoku", 20_000)],
)
def test_a_check_is_exact_up_to_a_size_that_depends_on_the_houses(box, count):
    check = UniquenessCheck(Layout.of(12 if box[0] == "3" else 16, box))
    assert check(np.zeros((1, check.layout.cells), np.uint8), limit=20_000)[0].tolist() == [count]


@pytest.mark.parametrize("layout", [Layout(3, 3), Layout(2, 2), Layout(4, 4)])
def test_a_batch_is_freed_with_its_last_use(layout):
    search = BatchSearch(layout, np.ones((2, layout.cells), dtype=np.uint8), 1)
    search.run()
    gone = weakref.ref(search)
    gc.disable()
    try:
        del search
        assert gone() is None  # a reference cycle would keep it until the next collection
    finally:
        gc.enable()
