"""Generated puzzles, each checked again by a naive solver."""

import inspect
from dataclasses import fields
from itertools import islice
from threading import Event

import numpy as np
import pytest

import sudoku
from sudoku.errors import LayoutError, SudokuError
from sudoku.explain.difficulty import difficulties, difficulty
from sudoku.explain.rating import rate
from sudoku.explain.techniques import TECHNIQUES
from sudoku.generate import generate, stream, stream_puzzles
from sudoku.generate.attempts import EFFORT, Attempts, stop_after
from sudoku.generate.pattern import SYMMETRIES, groups_of, orbits
from sudoku.generate.removal import FEW_PUZZLES, INTERPRETED_PUZZLES, remove_givens
from sudoku.generate.requirements import RequirementArguments, Requirements
from sudoku.grids import random_grids, stream_distinct
from sudoku.layout import Layout
from sudoku.random_numbers import random_maps, random_permutations
from sudoku.solving.batch_search import Stopped, UniquenessCheck
from sudoku.solving.interpreted import InterpretedCheck
from tests import naive

TURNS = {
    "none": [],
    "rotate180": [lambda grid: grid[::-1, ::-1]],
    "rotate90": [np.rot90],
    "mirror": [lambda grid: grid[:, ::-1]],
    "diagonal": [np.transpose],
    "full": [np.rot90, np.transpose],
}


def assert_unique_and_minimal(puzzles, layout):
    houses = naive.sudoku_houses(layout.box_rows, layout.box_columns, layout.diagonal)
    for puzzle in puzzles.tolist():
        assert naive.sudoku_count(houses, puzzle, 2) == 1
        for cell in range(layout.cells):
            if puzzle[cell]:
                without = [*puzzle[:cell], 0, *puzzle[cell + 1 :]]
                assert naive.sudoku_count(houses, without, 2) == 2


def assert_symmetrical(puzzles, size, symmetry):
    for puzzle in puzzles.reshape(-1, size, size) > 0:
        for turn in TURNS[symmetry]:
            assert (turn(puzzle) == puzzle).all()


@pytest.mark.parametrize("method", ["dig", "grow"])
@pytest.mark.parametrize(
    "layout", [Layout(2, 2), Layout(2, 2, True), Layout(2, 3), Layout(3, 3), Layout(3, 3, True)]
)
def test_puzzles_are_unique_and_minimal(layout, method):
    number = 1 if layout.diagonal and layout.size == 9 else 3
    puzzles = generate(
        number, box=(layout.box_rows, layout.box_columns), diagonal=layout.diagonal, seed=5,
        method=method,
    )  # fmt: skip
    assert puzzles.shape == (number, layout.cells)
    assert_unique_and_minimal(puzzles, layout)


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_symmetrical_puzzles_are_unique_and_minimal(symmetry):
    puzzles = generate(1, symmetry=symmetry, seed=1)
    assert_symmetrical(puzzles, 9, symmetry)
    assert_unique_and_minimal(puzzles, Layout(3, 3))


@pytest.mark.parametrize("method", ["dig", "grow"])
@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_no_group_can_be_removed_where_groups_are_minimal(symmetry, method):
    puzzles = generate(1, symmetry=symmetry, seed=2, minimal="group", method=method)
    assert_symmetrical(puzzles, 9, symmetry)
    houses = naive.sudoku_houses(3, 3)
    for puzzle in puzzles.tolist():
        assert naive.sudoku_count(houses, puzzle, 2) == 1
        for group in orbits(9, symmetry):
            if puzzle[group[0]]:
                without = [0 if cell in group else value for cell, value in enumerate(puzzle)]
                assert naive.sudoku_count(houses, without, 2) == 2


def test_large_puzzles_are_unique_and_minimal():
    """The 16 x 16 ones are checked by the generic engine; the naive solver would take hours."""
    import sudoku

    for puzzle in generate(1, box=(4, 4), seed=1):
        assert sudoku.count_solutions(puzzle, limit=2, engine="dlx") == 1
        trials = np.repeat(puzzle[None], (puzzle > 0).sum(), axis=0)
        trials[np.arange(len(trials)), np.flatnonzero(puzzle)] = 0
        assert (sudoku.count_batch(trials, limit=2) == 2).all()


@pytest.mark.parametrize("symmetry", ["none", "diagonal"])
@pytest.mark.parametrize("method", ["dig", "grow"])
def test_givens_in_a_range(symmetry, method):
    puzzles = generate(40, givens=(28, 45), minimal=False, symmetry=symmetry, seed=1, method=method)
    numbers = (puzzles > 0).sum(axis=1)
    assert numbers.min() >= 28
    assert numbers.max() <= 45
    assert len(set(numbers.tolist())) > 5
    assert_symmetrical(puzzles, 9, symmetry)
    houses = naive.sudoku_houses(3, 3)
    assert all(naive.sudoku_count(houses, puzzle, 2) == 1 for puzzle in puzzles[:8].tolist())


def test_puzzles_have_exactly_the_number_of_givens():
    assert ((generate(30, givens=33, minimal=False, seed=3) > 0).sum(axis=1) == 33).all()
    assert ((generate(5, givens=81, minimal=False, seed=3) > 0).sum(axis=1) == 81).all()
    minimal = generate(3, givens=np.int64(23), seed=np.int64(3))
    assert ((minimal > 0).sum(axis=1) == 23).all()
    assert_unique_and_minimal(minimal, Layout(3, 3))


def test_bisection_removes_what_a_pass_one_by_one_removes():
    layout, counters = Layout(2, 3), np.arange(40, dtype=np.uint64)
    grids = random_grids(40, 1, box=(2, 3))
    groups = groups_of(layout, "none")
    order = random_permutations(36, 4, counters)
    check = UniquenessCheck(layout)
    results = remove_givens(grids, grids, groups, order, check, np.zeros(40, np.int64))
    for grid, turn, result in zip(grids, order, results, strict=True):
        puzzle = grid.copy()
        for cell in turn:
            trial = puzzle.copy()
            trial[cell] = 0
            if check(trial[None])[0][0] == 1:
                puzzle = trial
        assert (puzzle == result).all()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"symmetry": "rotate180"},
        {"method": "grow"},
        {"difficulty": (1, 8)},
        {"minimal": False, "givens": (26, 40)},
        {"diagonal": True},
        {"solutions": "several"},
        {"solutions": "none", "symmetry": "rotate90", "minimal": "group"},
        {"rating": (3, 8)},
        {"box": (2, 4)},
    ],
)
def test_same_seed_same_puzzles_for_any_number_of_threads(options, monkeypatch):
    monkeypatch.setattr("sudoku.generate.attempts.FEW_PUZZLES", 0)  # threads begin at once
    puzzles = generate(30, seed=9, **options)
    assert (generate(30, seed=9, jobs=3, **options) == puzzles).all()
    assert (generate(9, seed=9, **options) == puzzles[:9]).all()
    assert (generate(30, seed=10, **options) != puzzles).any()


@pytest.mark.parametrize(
    ("givens", "box"), [(None, (3, 3)), (17, (3, 3)), (None, (2, 3)), (None, "1x5"), (4, (2, 2))]
)
def test_the_interpreter_and_the_kernels_make_the_same_puzzles(givens, box, monkeypatch):
    runs, answers = [], []
    run = InterpretedCheck._run
    monkeypatch.setattr(InterpretedCheck, "_run", lambda *a: runs.append(1) or run(*a))
    for begun in (0, INTERPRETED_PUZZLES, FEW_PUZZLES):
        monkeypatch.setattr("sudoku.generate.removal._begun", begun)
        runs.clear()
        piece, effort = Attempts(Requirements(givens=givens, box=box), 4)(0, 4)
        # effort counts where no puzzle is found
        answers.append((piece.tolist(), None if len(piece) else effort))
        assert bool(runs) == (begun == 0 and (givens, box) != (4, (2, 2)))
    assert len(answers[0][0]) == 4 or givens is not None
    assert answers[0] == answers[1] == answers[2]


def test_a_time_limit_of_no_time_also_ends_the_interpreter(monkeypatch):
    monkeypatch.setattr("sudoku.generate.removal._begun", 0)
    demand = Attempts(Requirements(), 1)
    demand.stop.set()
    with pytest.raises(Stopped):
        demand(0, 4)


def test_the_time_for_which_numba_compiles_is_no_part_of_the_limit(monkeypatch):
    now = 0.0

    class Stop(Event):
        def wait(self, seconds):
            nonlocal now
            now += seconds
            return self.is_set()

    monkeypatch.setattr("sudoku.generate.attempts.perf_counter", lambda: now)
    stop = Stop()
    stop_after(5.0, stop, lambda: min(now, 100.0))
    assert stop.is_set() and 105 <= now < 106


def test_puzzles_with_several_solutions_and_with_none():
    houses = naive.sudoku_houses(3, 3)
    several = generate(15, solutions="several", seed=1)
    assert all(naive.sudoku_count(houses, puzzle, 2) == 2 for puzzle in several.tolist())
    none = generate(15, solutions="none", seed=1)
    assert all(naive.sudoku_count(houses, puzzle, 2) == 0 for puzzle in none.tolist())
    for puzzle in none:  # but no house has a digit twice
        for house in Layout(3, 3).houses:
            values = puzzle[house][puzzle[house] > 0]
            assert len(set(values.tolist())) == len(values)


@pytest.mark.parametrize("solutions", ["several", "none"])
@pytest.mark.parametrize(
    ("symmetry", "options"),
    [
        ("rotate180", {"minimal": "group"}),
        ("full", {"minimal": "group"}),
        ("none", {"givens": (24, 25)}),
        ("none", {"minimal": False, "givens": 33}),
        ("diagonal", {"minimal": False, "givens": (30, 38)}),
        ("full", {"minimal": False, "givens": 44, "method": "grow"}),
    ],
)
def test_altered_puzzles_meet_the_other_requirements(solutions, symmetry, options):
    puzzles = generate(12, solutions=solutions, symmetry=symmetry, seed=1, **options)
    assert_symmetrical(puzzles, 9, symmetry)
    if "givens" in options:
        numbers = (puzzles > 0).sum(axis=1)
        least, most = np.broadcast_to(options["givens"], 2)
        assert least <= numbers.min() <= numbers.max() <= most
    houses = naive.sudoku_houses(3, 3)
    wanted = {"several": 2, "none": 0}[solutions]
    assert all(naive.sudoku_count(houses, puzzle, 2) == wanted for puzzle in puzzles.tolist())
    for house in houses:
        for values in puzzles[:, house].tolist():
            givens = [value for value in values if value]
            assert len(set(givens)) == len(givens)


def test_few_givens_leave_several_solutions():
    puzzles = generate(3, solutions="several", minimal=False, givens=10, seed=1)
    assert ((puzzles > 0).sum(axis=1) == 10).all()


def test_puzzles_have_ratings_in_the_range():
    scores = [rate(puzzle).score for puzzle in generate(6, rating=(4, 7.5), seed=2)]
    assert min(scores) >= 4
    assert max(scores) <= 7.5
    scores = [rate(puzzle).score for puzzle in generate(6, rating=(1, 1.6), box=(2, 3), seed=2)]
    assert max(scores) <= 1.6


def test_puzzles_have_difficulties_in_the_range():
    puzzles = generate(20, difficulty=(3, 6), seed=2)
    scores, solutions = difficulties(puzzles, Layout(3, 3))
    assert scores.min() >= 3
    assert scores.max() <= 6
    assert (solutions == 1).all()


def test_difficulty_says_givens_and_solutions():
    easy = generate(1, difficulty=(0, 0), minimal=False, seed=1)[0]
    assert difficulty(easy) == (0.0, 40, 1)
    assert difficulty("." * 81).solutions == 2
    assert difficulty("." * 81).score > 0
    assert difficulty("a..d" + "." * 12, symbols="abcd") == difficulty("1..4" + "." * 12)
    assert difficulty("11" + "." * 79)[1:] == (2, 0)
    assert sudoku.generate.Difficulty is sudoku.Difficulty is type(difficulty(easy))
    assert sudoku.generate.difficulty is sudoku.difficulty is difficulty
    assert sudoku.Difficulty._fields == ("score", "givens", "solutions")
    assert list(map(type, difficulty(easy))) == [float, int, int]
    with pytest.raises(AttributeError, match="no attribute 'difficulties'"):
        _ = sudoku.generate.difficulties
    harder = generate(1, difficulty=(5, 50), seed=1)[0]
    assert difficulty(harder).score >= 5


def test_equivalent_puzzles_are_about_as_difficult():
    puzzle = generate(1, difficulty=(8, 50), seed=6)
    maps = random_maps(Layout(3, 3), 5, np.arange(30, dtype=np.uint64))
    scores, _ = difficulties(puzzle[0][maps], Layout(3, 3))
    assert scores.std() < 0.5 * scores.mean()


def test_more_puzzles_than_an_array_can_have():
    with pytest.raises(SudokuError, match=r"^n is 10+; an array has at most .* 9x9 grids$"):
        generate(10**30)


@pytest.mark.parametrize("stream", [stream_puzzles, stream_distinct])
@pytest.mark.parametrize("seed", [1.5, -1, True, "1"])
def test_a_wrong_seed_is_an_error_at_once(stream, seed):
    with pytest.raises(SudokuError, match=r"^seed is .*; a whole number from 0 on is needed$"):
        stream(1, seed=seed, box="2x4")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"givens": 16}, "fewer than 17"),
        ({"givens": 82}, "81 cells"),
        ({"givens": (30, 20)}, "in order"),
        ({"givens": -1}, "from 0 on"),
        ({"givens": 24.5}, "a whole number, or two"),
        ({"givens": "24"}, "a whole number, or two"),
        ({"difficulty": 3}, "two scores"),
        ({"seed": "one"}, "seed is 'one'; a whole number from 0 on"),
        ({"givens": 2, "box": (2, 2)}, "fewer than 3"),
        ({"givens": 22, "symmetry": "rotate90"}, "symmetry rotate90"),
        ({"symmetry": "round"}, "there are none, rotate180"),
        ({"method": "dug"}, "dig, grow"),
        ({"solutions": "two"}, "one, several, none"),
        ({"minimal": "yes"}, "given, group, no"),
        ({"difficulty": (5, 2)}, "in order"),
        ({"difficulty": "12"}, "two scores"),
        ({"difficulty": ("1", "2")}, "two scores"),
        ({"rating": (True, 4)}, "two scores"),
        ({"difficulty": (0, np.True_)}, "two scores"),
        ({"rating": (5, 2)}, "rating 5.0 to 2.0: .* in order"),
        ({"rating": 7.5}, "rating 7.5: two scores"),
        ({"rating": (0, 10**400)}, "rating .0, 10.*: two scores"),
        ({"hardest": "xy-wing", "rating": (1, 3)}, "'XY-wing' and rating 1 to 3: .* at least 4.2"),
        ({"box": (9, 9)}, "at most 64 cells, as many as a row of the grid; boxes of 3x3"),
        ({"givens": 73}, "no full row, so at most 72"),
        ({"givens": 78, "solutions": "several"}, "at most 77"),
        ({"givens": 80, "solutions": "none"}, "at most 79"),
        ({"box": (1, 1), "solutions": "several"}, "a 1x1 grid always has one"),
        ({"jobs": 0}, 'jobs is 0; a whole number from 1 on, or "all", is needed'),
        ({"jobs": None}, 'jobs is None; a whole number from 1 on, or "all", is needed'),
        ({"jobs": 1.5}, "jobs is 1.5; a whole number from 1 on"),
        ({"jobs": "2"}, "jobs is '2'; a whole number from 1 on"),
        ({"n": -1}, "n is -1; a whole number from 0 on"),
        ({"n": 1.5}, "n is 1.5; a whole number from 0 on"),
        ({"n": "3"}, "n is '3'; a whole number from 0 on"),
        ({"minimal": []}, "given, group, no"),
        ({"pattern": "1"}, "a pattern of 1 cell: a 9x9 grid has 81"),
        ({"pattern": "1" * 80}, "a pattern of 80 cells: a 9x9 grid has 81"),
        ({"pattern": [[1]]}, r"pattern: an array of shape \(1, 1\)"),
        ({"pattern": np.ones((3, 27))}, r"pattern: an array of shape \(3, 27\)"),
        ({"pattern": np.full(81, np.nan)}, "text or an array"),
        ({"pattern": np.ma.ones(81)}, "pattern: a masked array"),
        ({"pattern": list("1" * 40 + "." * 41)}, "text or an array"),
        ({"pattern": [[1], [1, 2]]}, "pattern: rows of different lengths"),
        ({"n": None}, "n is None; a whole number from 0 on"),
        ({"givens": True}, "givens True: a whole number"),
        ({"box": (True, 4)}, r"box \(True, 4\): a box is"),
        ({"pattern": "1" * 16 + "." * 65}, "16 givens: no 9x9 puzzle with fewer than 17"),
        ({"pattern": "." * 18 + "1" * 63}, "rows 1 and 2 are blank, and can be exchanged"),
        ({"pattern": "1111111.." * 9}, "columns 8 and 9 are blank, and can be exchanged"),
        ({"pattern": ".1111." * 6, "box": "1x6"}, "columns 1 and 6 are blank"),
        ({"pattern": "1" * 81, "givens": 30}, "a pattern and givens"),
        ({"pattern": "1" * 81, "givens": np.array([30, 31])}, "a pattern and givens"),
        ({"pattern": "1" * 81, "symmetry": "full"}, "a pattern and symmetry"),
        ({"pattern": "1" * 81, "method": "grow"}, "a pattern and method"),
        ({"pattern": "1" * 81, "solutions": "none"}, "a pattern and solutions"),
        ({"hardest": "magic"}, "no technique is called 'magic'"),
        ({"hardest": "locked candidates"}, "no step of 9x9 grids"),
        ({"hardest": "X-wing", "solutions": "several"}, "only a puzzle with one solution"),
        ({"time_limit": -1}, "time_limit is -1; it must be seconds"),
        ({"time_limit": "soon"}, "time_limit is 'soon'; it must be seconds"),
        ({"box": 3}, "box 3: a box is"),
        ({"box": (3, 3.0)}, "a box is"),
        ({"box": (7, 7)}, "49x49 grids cannot be drawn here: 36x36 is the largest"),
    ],
)
def test_impossible_requirements_raise_an_error_at_once(options, reason):
    with pytest.raises(SudokuError, match=reason):
        generate(**{"n": 1, "seed": 1, **options})


def test_requirements_may_be_of_numpy_and_iterators():
    """An iterator was read twice, the second time empty."""
    expected = generate(3, seed=1, box=(2, 2), minimal=False, difficulty=(0, 9), rating=(0, 9))
    for flag in (np.False_, "no"):
        ranges = {name: iter((np.float64(0), np.int64(9))) for name in ("difficulty", "rating")}
        found = generate(3, seed=1, box=(2, 2), minimal=flag, **ranges)
        assert np.array_equal(found, expected)
    assert str(next(stream(seed=1, box=(2, 2), rating=iter((0, 9)), minimal=False))) == "".join(
        ".1234"[digit] for digit in expected[0]
    )


def test_requirements_that_are_never_met_are_given_up(monkeypatch):
    monkeypatch.setattr("sudoku.generate.attempts.EFFORT", EFFORT / 10)
    with pytest.raises(SudokuError, match=r"given up after 7\d{4} attempts .* 0 of 1"):
        generate(1, givens=17, symmetry="full", seed=1, jobs=2)


@pytest.mark.parametrize(
    ("options", "effort"),
    [
        ({"givens": 3, "box": (2, 2)}, 20_000),  # no 4 x 4 puzzle has 3
        ({"givens": 60, "box": (4, 4)}, 60_000),
        ({"givens": 19, "difficulty": (20, 30)}, 20_000),
        ({"rating": (99, 100)}, 50_000),
    ],
)
def test_giving_up_does_not_depend_on_the_number_of_threads(options, effort, monkeypatch):
    monkeypatch.setattr("sudoku.generate.attempts.EFFORT", effort)
    reported = set()
    for jobs in (1, 3):
        with pytest.raises(SudokuError, match=r"given up after \d+ .* 0 of 1") as caught:
            generate(1, seed=1, jobs=jobs, **options)
        reported.add(str(caught.value))
    assert len(reported) == 1


def test_effort_grows_with_the_work():
    spent = []
    for box, diagonal in (((2, 2), False), ((3, 3), True), ((4, 4), False)):
        spent.append(Attempts(Requirements(box=box, diagonal=diagonal), 1)(0, 4)[1])
    assert spent == sorted(spent)
    assert 4 * 10 < spent[0] < EFFORT / 10_000 < EFFORT / 1_000 < spent[2] < EFFORT


def test_too_many_givens_to_be_minimal_are_reported(monkeypatch):
    monkeypatch.setattr("sudoku.generate.attempts.EFFORT", 100)
    with pytest.raises(SudokuError, match="need not be minimal"):
        generate(1, givens=40, seed=1)


def test_a_box_of_impossible_sides_is_refused():
    with pytest.raises(LayoutError):
        generate(1, box=(0, 7))


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_orbits_are_all_cells_once(symmetry):
    groups = orbits(6, symmetry)
    assert sorted(cell for group in groups for cell in group) == list(range(36))


PATTERN = """
    .1..1..1.  1..1.1..1  ..1...1..
    .1..1..1.  1.1...1.1  .1..1..1.
    ..1...1..  1..1.1..1  .1..1..1.
"""


def test_puzzles_on_a_pattern():
    given = [mark == "1" for mark in "".join(PATTERN.split())]
    puzzles = generate(5, pattern=PATTERN, seed=1)
    assert ((puzzles > 0) == given).all()
    houses = naive.sudoku_houses(3, 3)
    assert all(naive.sudoku_count(houses, puzzle, 2) == 1 for puzzle in puzzles.tolist())
    assert len({puzzle.tobytes() for puzzle in puzzles}) == 5
    array = np.array(given).reshape(9, 9)
    assert (generate(5, pattern=array, seed=1, jobs=2) == puzzles).all()
    mixed = [bool(cell) or 0 for cell in array.reshape(-1).tolist()]
    assert (generate(5, pattern=mixed, seed=1) == puzzles).all()
    assert generate(1, box=(1, 1), pattern=".").tolist() == [[0]]


@pytest.mark.parametrize("box", ["2x3+diagonal", "1x5", "2x3"])
def test_minimal_puzzles_on_a_pattern_of_any_layout(box):
    layout = Layout.of(box=box)
    cells = generate(1, box=layout, seed=4)[0] > 0
    puzzles = generate(2, box=layout, pattern=cells, minimal=True, seed=5)
    assert ((puzzles > 0) == cells).all()
    houses = [house.cells for house in layout.all_houses]
    for puzzle in puzzles.tolist():
        assert naive.sudoku_count(houses, puzzle, 2) == 1
        for cell in np.flatnonzero(cells).tolist():
            assert naive.sudoku_count(houses, [*puzzle[:cell], 0, *puzzle[cell + 1 :]], 2) == 2


def test_an_impossible_pattern_is_given_up(monkeypatch):
    """No 4x4 puzzle has 3 givens."""
    monkeypatch.setattr("sudoku.generate.attempts.EFFORT", 2_000)
    with pytest.raises(SudokuError, match=r"given up after \d+ attempts .* 0 of 1 found"):
        generate(1, box=(2, 2), pattern="1... .1.. ..1. ....", seed=1)


@pytest.mark.parametrize("hardest", ["hidden single", "naked single", "XY-wing"])
def test_the_hardest_technique_is_needed_and_suffices(hardest):
    names = list(dict.fromkeys(technique.name for technique in TECHNIQUES))
    easier = names[: names.index(hardest)]
    box = (2, 3) if "single" in hardest else None
    puzzles = generate(2, hardest=hardest, seed=3, box=box)
    same = generate(2, hardest=hardest.upper(), seed=3, box=box, jobs="all")
    assert (same == puzzles).all()
    for puzzle in puzzles:
        assert hardest in rate(puzzle, hardest=hardest).counts
        assert rate(puzzle, hardest=hardest.lower()) == rate(puzzle, hardest=hardest)
        assert "guess" not in rate(puzzle, hardest=hardest).counts
        if easier:
            assert "guess" in rate(puzzle, hardest=easier[-1]).counts


def test_a_stream_has_no_end_and_gives_grids():
    grids = list(islice(stream(seed=9, box=(2, 2), jobs=2), 30))
    expected = generate(30, seed=9, box=(2, 2))
    assert [grid.values.reshape(-1).tolist() for grid in grids] == expected.tolist()
    assert grids[0].layout == Layout(2, 2)


def test_puzzles_found_before_the_time_limit_are_returned():
    found = []
    with pytest.raises(TimeoutError, match=r"time limit of 0 s; \d+ found"):
        found.extend(stream(seed=9, time_limit=0))
    expected = generate(len(found), seed=9)
    assert [grid.values.reshape(-1).tolist() for grid in found] == expected.tolist()


@pytest.mark.parametrize("function", [generate, stream_puzzles, stream])
def test_the_signature_shows_every_option_and_its_default(function):
    defaults = {field.name: field.default for field in fields(Requirements)}
    shown = inspect.signature(function).parameters
    own = (
        ["seed", "jobs", "time_limit"]
        if function is stream
        else ["n", "seed", "jobs", "time_limit"]
    )
    assert list(shown) == [*own, *defaults]
    assert {name: shown[name].default for name in defaults} == defaults
    assert all(shown[name].kind is inspect.Parameter.KEYWORD_ONLY for name in defaults)
    assert list(RequirementArguments.__annotations__) == list(defaults)
    documented = {line.partition(" : ")[0].strip() for line in generate.__doc__.splitlines()}
    assert set(shown) - documented == set()


def test_drawing_a_grid_ends_at_the_time_limit():
    attempts = Attempts(Requirements(box="5x5+disjoint+antiknight"), 1)
    attempts.stop.set()
    with pytest.raises(Stopped):
        attempts(0, 1)


@pytest.mark.parametrize("function", [generate, stream_puzzles, stream])
def test_an_unknown_argument_is_one_of_the_public_function(function):
    number = {} if function is stream else {"n": 1}
    message = rf"^{function.__name__}\(\) got an unexpected keyword argument 'size'"
    with pytest.raises(TypeError, match=message):
        function(**number, size=9)
