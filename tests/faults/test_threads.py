"""Eight threads at once, on their own objects and on shared ones; fork and spawn.

What is shared while it runs is right, or refused with a clear error.
"""

import multiprocessing
import os
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dlx
import sudoku
from benchmarks import problems
from dlx.costs.driver import CheapestSearch
from tests.faults.commands import DATA, ROOT

THREADS = 8
QUEENS = problems.queens(8)
PUZZLES = (DATA / "minimal-9x9.txt").read_text().split()[:400]
LARGE = (DATA / "minimal-16x16.txt").read_text().split("\n")[:6]
BATCH = np.array([[int(c) for c in p.replace(".", "0")] for p in PUZZLES], dtype=np.uint8)


def at_once(*work):
    """Call each function in a thread of its own, all at the same time; return their results."""
    ready = threading.Barrier(len(work))

    def begin(function):
        ready.wait()
        return function()

    with ThreadPoolExecutor(len(work)) as pool:
        return [future.result() for future in [pool.submit(begin, f) for f in work]]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (lambda: dlx.count_solutions(QUEENS), 92),
        (lambda: dlx.count_solutions(QUEENS, method="search", kernel="links"), 92),
        (lambda: dlx.count_solutions(QUEENS, kernel="bits"), 92),
        (lambda: len(list(dlx.Search(QUEENS))), 92),
        (lambda: dlx.solution_set(QUEENS).count, 92),
        (lambda: sudoku.count_batch(BATCH, limit=2).sum(), len(BATCH)),
        (lambda: sudoku.count_solutions("." * 16), 288),
        (lambda: [sudoku.is_unique(puzzle) for puzzle in LARGE[:2]], [True] * 2),
        (lambda: sudoku.index_of(sudoku.grid_at(10**20)), 10**20),
    ],
)
def test_each_thread_with_objects_of_its_own_is_right(question, answer):
    assert at_once(*[question] * THREADS) == [answer] * THREADS


def test_a_shared_problem_is_translated_once_for_all():
    problem = dlx.Problem([QUEENS.option(i) for i in range(QUEENS.num_options)])
    asked = at_once(*[lambda: (problem.digest, dlx.count_solutions(problem))] * THREADS)
    assert len(set(asked)) == 1


def outcome(function):
    """Return what a function returns, or the error that refuses it."""
    try:
        return function()
    except (RuntimeError, ValueError) as error:  # "generator already executing" is a ValueError
        return error


@pytest.mark.parametrize("kernel", ["bits", "links"])
@pytest.mark.parametrize("turn", range(10))
def test_a_shared_search_gives_each_solution_once_or_refuses(kernel, turn):
    whole = list(dlx.Search(QUEENS, kernel=kernel))
    search = dlx.Search(QUEENS, kernel=kernel)

    def take():
        seen = []
        while True:
            try:
                seen.append(next(search))
            except StopIteration:
                return seen, None
            except RuntimeError as error:
                if "another thread" not in str(error):
                    raise
                continue

    found = at_once(*[take] * THREADS)
    assert sorted(s for seen, _ in found for s in seen) == sorted(whole)
    assert search.stats.solutions == len(whole)


def test_shared_arrays_give_each_solution_once():
    problem = problems.queens(9)
    whole = sorted(dlx.Search(problem))
    for _ in range(10):
        search = dlx.Search(problem)

        def take(search=search):
            return [tuple(row) for batch in search.arrays() for row in batch.tolist()]

        found = [s for seen in at_once(*[take] * THREADS) for s in seen]
        assert sorted(found) == whole and search.stats.solutions == len(whole)


def test_a_search_is_saved_while_another_thread_counts(tmp_path):
    problem = problems.latin(7)
    search = dlx.Search(problem, limit=5_000_000)
    counting = threading.Thread(target=search.count)
    counting.start()
    for turn in range(5):
        search.save(tmp_path / str(turn))
    search.stop()
    counting.join()
    for turn in range(5):
        saved = dlx.Search.load(tmp_path / str(turn), problem)
        limit = saved.stats.solutions + 1000
        saved.limit = limit
        assert saved.count() == limit


@pytest.mark.parametrize("make", [dlx.Search, dlx.Count])
def test_a_shared_count_is_right_or_refused(make):
    for _ in range(10):
        shared = make(QUEENS)
        for answer in at_once(*[lambda shared=shared: outcome(shared.count)] * THREADS):
            assert answer == 92 or "another thread" in str(answer)
        assert shared.count() == 92


def test_a_shared_search_for_the_cheapest_is_right():
    pairs = [(a, b) for a in range(10) for b in range(a)]
    problem = dlx.Problem(pairs, costs=[k * k % 97 for k in range(len(pairs))])
    best = dlx.cheapest(problem, 5)
    for work in (CheapestSearch.run, list):
        shared = CheapestSearch(problem, 5)
        at_once(*[lambda work=work, shared=shared: work(shared)] * THREADS)
        assert shared.best == best and shared.status == "exhausted"


def test_a_shared_solution_set_is_right():
    found = dlx.solution_set(QUEENS)
    whole = list(found)

    def ask():
        assert list(found) == whole and found[50] == whole[50]
        assert found.index(whole[7]) == 7 and found.best([1] * 64).cost == 8
        return found.sample(20, seed=5)

    drawn = at_once(*[ask] * THREADS)
    assert all(sample == drawn[0] for sample in drawn)


def test_a_shared_layout_and_shared_arrays_are_right():
    grids = at_once(*[lambda: sudoku.solve_batch(BATCH)] * THREADS)
    assert all(np.array_equal(np.asarray(g), np.asarray(grids[0])) for g in grids)


SCRIPT = """
import threading
def work():
    import sudoku, dlx
    assert sudoku.count_solutions("." * 16) == 288
    assert dlx.count_solutions([[0, 1], [2], [0], [1, 2]]) == 2
    assert sudoku.generate is not None
faults = []
threading.excepthook = faults.append
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(faults), [str(f.exc_value) for f in faults])
"""


def test_import_from_eight_threads():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert (done.stdout, done.stderr) == ("0 []\n", "")


def ask_all():
    """Return answers of each kernel, for another process."""
    return (
        dlx.count_solutions(QUEENS),
        int(sudoku.count_batch(BATCH[:20], limit=2).sum()),
        sudoku.count_solutions("." * 16),
        len(list(dlx.Search(QUEENS, kernel="links"))),
    )


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_forked_after_use(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot start processes by {method}")
    expected = ask_all()
    context = multiprocessing.get_context(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork of a process with threads
        with context.Pool(2) as pool:
            answers = [pool.apply_async(ask_all) for _ in range(4)]
            assert [answer.get(timeout=60) for answer in answers] == [expected] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_after_a_fork_the_search_continues_in_both_processes():
    search = dlx.Search(QUEENS)
    first = [next(search) for _ in range(10)]
    rest = list(dlx.Search(QUEENS))[10:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os._exit(0 if list(search) == rest else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(first) == 10 and list(search) == rest
