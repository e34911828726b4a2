"""Ctrl-C between any two lines of a sweep or a search: it continues and loses nothing."""

import linecache
import sys
import threading

import pytest

import dlx
from benchmarks import problems
from dlx.count import driver, table
from dlx.parallel.driver import ParallelSearch
from tests.modes import CHECKED

FILES = "dlx/count/sweep.py", "dlx/count/table.py", "dlx/count/layers.py", "dlx/count/rounds.py"
SEARCH_FILES = "dlx/search/driver.py", "dlx/search/batches.py", "dlx/parallel/driver.py"
STRIDE = 3 if CHECKED else 1  # bounds checks matter to no interrupt


def interrupt_at(function, number, files=FILES):
    """Call a function; raise KeyboardInterrupt before line `number` of the files is executed.

    A line that yields what the line before has returned is left out: no interrupt can come there.
    """
    seen = 0

    def trace(frame, event, argument):
        nonlocal seen
        name = frame.f_code.co_filename
        if not name.replace("\\", "/").endswith(files):
            return None
        if event == "line" and linecache.getline(name, frame.f_lineno).strip() != "yield batch":
            seen += 1
            if seen == number:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        function()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


@pytest.mark.parametrize("first", range(4))
def test_an_interrupt_between_two_lines_of_a_sweep_loses_nothing(first):
    problem = problems.dominoes(6, 6)
    interrupted = 0
    for number in range(1 + first, 4000, 41 * STRIDE):
        count = dlx.Count(problem, method="sweep")
        if not interrupt_at(count.count, number):
            break
        interrupted += 1
        assert count.num_solutions <= 6728
        assert count.count() == 6728 and count.status == "exhausted"
    assert interrupted > 2


@pytest.mark.parametrize("first", range(2))
@pytest.mark.parametrize("least", ["LEAST_BY_LAYERS", "LEAST_IN_ROUNDS"])
def test_an_interrupt_in_a_sweep_by_layers_loses_nothing(least, first, monkeypatch):
    monkeypatch.setattr(table, least, 4)
    monkeypatch.setattr(table, "LEAST_ARENA", 4)
    monkeypatch.setattr(driver, "SLICE", 20_000)
    problem = problems.dominoes(6, 6)
    interrupted = 0
    for number in range(1 + first, 4000, 37 * STRIDE):
        count = dlx.Count(problem, method="sweep", jobs=2)
        if not interrupt_at(count.count, number):
            break
        interrupted += 1
        assert count.num_solutions <= 6728
        assert count.count() == 6728 and count.status == "exhausted"
    assert interrupted > 2


def test_an_interrupt_while_a_thread_starts_loses_nothing(monkeypatch):
    monkeypatch.setattr(table, "LEAST_BY_LAYERS", 4)
    monkeypatch.setattr(table, "LEAST_ARENA", 4)
    monkeypatch.setattr(driver, "SLICE", 20_000)
    started = []
    start = threading.Thread.start

    def interrupted(thread):
        start(thread)
        started.append(thread)
        if len(started) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    for _ in range(3):
        count = dlx.Count(problems.dominoes(8, 8), method="sweep", jobs=2)
        with pytest.raises(KeyboardInterrupt):
            count.count()
        assert count.count() == 12_988_816
        started.clear()


@pytest.mark.parametrize("jobs", [None, 1])
def test_an_interrupt_between_two_lines_of_a_search_loses_no_solution(jobs, tmp_path):
    problem = problems.queens(6)
    whole = list(dlx.solutions(problem))

    def use():
        found.append(next(search))
        search.limit = 3
        for solution in search:
            found.append(solution)
            break
        if jobs is None:
            search.save(tmp_path / "search")
        search.limit = None
        for batch in search.arrays():
            found.extend(map(tuple, batch.tolist()))

    for number in range(1, 4000, STRIDE):
        found = []
        search = dlx.solutions(problem, jobs=jobs)
        if not interrupt_at(use, number, SEARCH_FILES):
            break
        search.limit = None
        assert found + list(search) == whole, number
    assert 100 < number < 4000


def test_an_interrupt_while_a_limit_is_set_leaves_the_old_limit_or_the_new_one():
    problem = problems.dominoes(2, 5)  # a trial finds all its solutions
    whole = list(dlx.Search(problem))
    for number in range(1, 100):
        search = dlx.Search(problem, limit=2)

        def use(search=search):
            search.limit = 3

        if not interrupt_at(use, number, SEARCH_FILES):
            break
        assert search.limit in (2, 3)
        assert list(search) == whole[: search.limit], number
    assert 5 < number < 100


def test_an_interrupt_between_two_lines_leaves_no_ledger_in_use(tmp_path):
    files = (*SEARCH_FILES, "dlx/parallel/agenda.py", "dlx/parallel/ledger.py")
    problem = problems.queens(6)
    kept = []  # as the prompt of Python keeps the last exception
    for number in range(1, 400, STRIDE):
        path = tmp_path / f"{number}.sqlite"
        search = ParallelSearch(problem, jobs=1, ledger=path)

        def use(search=search):
            try:
                search.count()
            except KeyboardInterrupt as error:
                kept.append(error)
                raise

        if not interrupt_at(use, number, files):
            break
        assert search.count() == 4, number
        search.close()
    assert 50 < number < 400
