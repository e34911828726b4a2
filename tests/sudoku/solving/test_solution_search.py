"""Searches for all solutions of one puzzle: status, limits, continuation."""

import itertools

import pytest

from dlx import Count
from sudoku.reading.convert import as_grid
from sudoku.solving.solution_search import SolutionSearch, compile_search, solution_counter


def test_the_status_says_why_a_search_has_paused():
    for limit, seconds, status in ((5, None, "limit"), (None, 0.0, "time limit")):
        search = SolutionSearch(as_grid("." * 36), limit, seconds)
        search.count()
        assert search.status == status
    search = SolutionSearch(as_grid("." * 16))
    assert search.status == "ready"
    assert len(list(search)) == search.num_solutions == 288
    assert search.status == "exhausted"


def test_a_count_ends_at_its_time_limit(monkeypatch):
    readings = itertools.count(0.0, 1 / 64)  # every slice seems to take 1/64 s
    monkeypatch.setattr("time.perf_counter", lambda: next(readings))
    reported = []
    search = SolutionSearch(as_grid("." * 81), time_limit=5 / 64, progress=reported.append)
    assert search.count() == search.num_solutions == reported[-1]
    assert search.status == "time limit"
    assert next(readings) == 10 / 64  # two readings for each of 5 slices
    assert len(reported) == 5


def test_many_solutions_are_listed_without_repetition():
    seen = {values.tobytes() for values in SolutionSearch(as_grid("." * 81), limit=100_000)}
    assert len(seen) == 100_000


def test_a_search_can_be_continued_after_its_loop_was_left():
    search = SolutionSearch(as_grid("." * 16))
    first = [len(batch) for batch in itertools.islice(search.batches(), 3)]
    assert first == [1, 2, 4]
    assert search.num_solutions == 7
    assert search.count() == 288


@pytest.mark.parametrize(
    ("puzzle", "kind"),
    [("1234" + "." * 12, Count), ("." * 16, SolutionSearch), ("." * 256, SolutionSearch)],
)
def test_which_search_counts_depends_on_the_digits_that_are_given(puzzle, kind):
    reported = []
    counter = solution_counter(as_grid(puzzle), 12, None, reported.append)
    assert type(counter) is kind
    compile_search(counter)
    assert counter.num_solutions == 0
    assert counter.count() == counter.num_solutions == 12
    assert counter.stats.nodes > 0
    assert reported[-1] == 12
