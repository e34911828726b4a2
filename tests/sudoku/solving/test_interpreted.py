"""The search without kernels decides as the kernels do, or not at all."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudoku.explain import SEVERAL as SEVERAL_SOLUTIONS
from sudoku.explain import grid_deducer
from sudoku.explain.rating import rate
from sudoku.kernels.kernel import UNDECIDED
from sudoku.layout import Layout
from sudoku.solving import interpreted
from sudoku.solving.batch_search import BatchSearch
from sudoku.solving.interpreted import FirstSearches
from tests import naive
from tests.sudoku.commands import ANSWER, NONE, ROOT, SEVERAL, UNIQUE, imported_by

LAYOUTS = [
    Layout(1, 1),
    Layout(2, 2),
    Layout(2, 2, diagonal=True),
    Layout.of(4, "latin+antiking"),
    Layout(2, 3),
    Layout.of(regions="aaab abbb ccdd ccdd"),
    Layout.of(9, "windoku"),
    Layout(3, 3),
]


HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."


def work_of(search, most=interpreted.MOST_WORK, **options):
    """The work that it takes to decide all puzzles; 0 if they are not decided."""
    first = FirstSearches()
    first.left = most
    decided = first.decide(search, **options)
    assert decided or first.left == 0
    return most - first.left if decided else 0


def as_puzzles(*texts):
    return np.array([[int(c) for c in text.replace(".", "0")] for text in texts], np.uint8)


@given(st.data())
def test_counts_and_solutions_are_those_of_kernels(data):
    layout = data.draw(st.sampled_from(LAYOUTS))
    empty = BatchSearch(layout, np.zeros((1, layout.cells), np.uint8), 1)
    empty.run()
    puzzle = empty.solutions.copy()
    for cell in data.draw(st.lists(st.integers(0, layout.cells - 1), max_size=layout.cells)):
        puzzle[0, cell] = 0
    if data.draw(st.booleans()):  # another digit in some cell
        cell = data.draw(st.integers(0, layout.cells - 1))
        puzzle[0, cell] = data.draw(st.integers(1, layout.size))
    by_kernel, search = BatchSearch(layout, puzzle, 2), BatchSearch(layout, puzzle, 2)
    by_kernel.run()
    decided = FirstSearches().decide(search)
    assert not decided or by_kernel.counts[0] <= 1
    if layout.size < 9:
        assert decided == (by_kernel.counts[0] <= 1)
    if decided:
        assert search.counts.tolist() == by_kernel.counts.tolist()
        assert search.solutions.tolist() == by_kernel.solutions.tolist()
    else:
        assert search.counts.tolist() == [UNDECIDED] and not search.solutions.any()
    counts, solutions, _ = interpreted.InterpretedCheck(layout)(puzzle)
    assert counts.tolist() == by_kernel.counts.tolist()
    if counts[0]:
        assert ((puzzle == 0) | (puzzle == solutions)).all()
        assert interpreted.InterpretedCheck(layout)(solutions)[0].tolist() == [1]


@pytest.mark.parametrize("diagonal", [False, True])
def test_the_interpreted_search_finds_all_solutions(diagonal):
    """Against the naive oracle: with no limit on guesses two are found if there are several."""
    layout = Layout(2, 2, diagonal=diagonal)
    houses = naive.sudoku_houses(2, 2, diagonal)
    for first in range(5):
        for second in range(5):
            puzzle = [first, 0, 0, second] + [0] * 12
            found, _ = interpreted._solutions(puzzle, layout, 1 << 20)
            assert len(found) == naive.sudoku_count(houses, puzzle, 2)


@pytest.mark.parametrize("limit", [2, 10, 1000])
def test_it_counts_several_solutions_where_no_first_one_is_wanted(limit):
    layout = Layout(2, 2)
    search = BatchSearch(layout, as_puzzles("." * 16, "1" + "." * 15, "11" + "." * 14), limit)
    assert FirstSearches().decide(search, any_first=True)
    assert search.counts.tolist() == [min(288, limit), min(72, limit), 0]


def test_it_decides_all_puzzles_or_none():
    layout = Layout(3, 3)
    search = BatchSearch(layout, as_puzzles(UNIQUE, NONE, UNIQUE), 2)
    assert FirstSearches().decide(search)
    assert search.counts.tolist() == [1, 0, 1]
    assert "".join(map(str, search.solutions[2])) == ANSWER and not search.solutions[1].any()
    search = BatchSearch(layout, as_puzzles(UNIQUE, SEVERAL), 2)
    assert not FirstSearches().decide(search)
    assert search.counts.tolist() == [UNDECIDED, UNDECIDED]
    assert FirstSearches().decide(search, any_first=True) and search.counts.tolist() == [1, 2]


def test_work_is_bounded():
    """No more than is given, by the mean of the puzzles so far; the first ones may vary."""
    layout = Layout(3, 3)
    easy, long = (
        81 * interpreted._solutions(as_puzzles(text)[0].tolist(), layout, 1 << 20)[1]
        for text in (UNIQUE, HARD)
    )
    assert 0 < 20 * easy < long

    def work(most, *texts):
        search = BatchSearch(layout, as_puzzles(*texts), 2)
        done = work_of(search, most)
        assert (search.counts >= 0).all() if done else (search.counts == UNDECIDED).all()
        return done

    assert work(2 * long, HARD, HARD) == 2 * long
    assert work(2 * long - 1, HARD, HARD) == 0
    assert work(long, HARD) == long
    few = interpreted.SAMPLE
    assert work(few * long, *[HARD] * few) == few * long
    # the first puzzle alone takes more than the part of the first puzzles
    assert work((few + 1) * long, HARD, *[UNIQUE] * 8 * few) == 0
    assert work(9 * long, HARD, *[UNIQUE] * 8 * few) == long + 8 * few * easy
    # a puzzle takes a pass at least, so these are not tried
    assert work(81 * 100 - 1, *[UNIQUE] * 100) == 0


def test_the_first_puzzles_are_rated_without_kernels_as_with_them(monkeypatch):
    puzzles = [HARD, UNIQUE, HARD, "1" * 9 + "." * 72, SEVERAL]

    def ratings(left):
        first = FirstSearches()
        first.left = left
        monkeypatch.setattr(grid_deducer, "_first_searches", lambda layout: first)
        return [rate(puzzle, hardest="naked pair") for puzzle in puzzles], first.left

    by_kernel, _ = ratings(0)
    assert [rating.outcome for rating in by_kernel][-1] == SEVERAL_SOLUTIONS
    assert "guess" in by_kernel[0].counts
    least = 81 * interpreted._solutions(as_puzzles(HARD)[0].tolist(), Layout(3, 3), 1 << 20)[1]
    assert ratings(least - 1) == (by_kernel, 0)
    assert ratings(least) == (by_kernel, 0)
    with monkeypatch.context() as patch:
        patch.setattr(BatchSearch, "run", None)
        rated, left = ratings(1 << 30)
    assert rated == by_kernel and left <= (1 << 30) - 2 * least


def test_a_command_stops_trying_after_so_much_work(run_dlx, monkeypatch):
    own, limits = FirstSearches.decide, []

    def decide(first, search, **options):
        limits.append(first.left)
        return own(first, search, **options)

    monkeypatch.setattr(FirstSearches, "decide", decide)
    monkeypatch.delitem(sys.modules, "numba")
    assert run_dlx(f"{UNIQUE}\n1234............\n{UNIQUE}\n", "--check").status == 1
    assert limits[0] == interpreted.MOST_WORK and limits == sorted(set(limits), reverse=True)
    assert len(limits) > 1


@pytest.mark.parametrize(
    "options",
    [[], ["--count"], ["--check"], ["--format", "csv"], ["--limit", "1"], ["--format", "grid"]],
)
def test_a_command_writes_the_same_with_and_without_numba(run_dlx, monkeypatch, options):
    own = FirstSearches.decide
    text = f"{UNIQUE}\n{NONE}\n{ANSWER}\n"
    if options == ["--check"]:  # writes no solution
        text += f"{SEVERAL}\n"
    used = []

    def decide(*arguments, **options):
        used.append(own(*arguments, **options))
        return used[-1]

    monkeypatch.setattr(FirstSearches, "decide", decide)
    by_kernel = run_dlx(text, *options)
    assert used == [] and "numba" in sys.modules
    with monkeypatch.context() as patch:
        patch.delitem(sys.modules, "numba")
        by_interpreter = run_dlx(text, *options)
    assert used == [True]
    assert (by_interpreter.status, by_interpreter.out) == (by_kernel.status, by_kernel.out)
    tally = by_kernel.err.partition(", time")[0]
    assert by_interpreter.err.startswith(tally)


@pytest.mark.parametrize(
    ("text", "options", "loads"),
    [
        (UNIQUE, [], False),
        (NONE, ["--check"], False),
        (UNIQUE, ["--format", "svg", "-o", "out.svg"], False),
        (SEVERAL, [], True),
        (UNIQUE, ["--all"], True),
        (UNIQUE, ["--format", "json"], True),
        (UNIQUE, ["--time-limit", "60"], True),
    ],
)
def test_numba_is_loaded_only_where_it_is_needed(tmp_path, text, options, loads):
    path = tmp_path / "in.txt"
    path.write_text(text)
    own = [tmp_path / option if option == "out.svg" else option for option in options]
    assert imported_by("sudoku.dlx", [path, *own]) == [(text == NONE, loads)]


@pytest.mark.parametrize(
    ("options", "numbers"),
    [([], "1408 352 1"), (["--limit", "1200"], "1200 352 1"), (["--limit", "100"], "100 100 1")],
)
def test_the_command_counts_in_full(tmp_path, options, numbers):
    """It begins without numba, where it counts up to a number that the first puzzle exceeds."""
    path = tmp_path / "in.txt"
    grid = "123456456123231564564231312645645312"
    path.write_text("\n".join(grid[:givens].ljust(36, ".") for givens in (12, 13, 36)))
    done = subprocess.run(
        [sys.executable, "-m", "sudoku.dlx", path, "--count", *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert done.stdout.split() == numbers.split()
