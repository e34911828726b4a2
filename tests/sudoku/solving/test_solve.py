"""Top-level functions: known totals, a naive oracle, and one engine against the other."""

import itertools
import re
from collections import Counter, deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sudoku
from sudoku.errors import LayoutError, PuzzleError, SudokuError
from sudoku.layout import Layout
from sudoku.reading.convert import as_grid
from tests import naive

NINE = (
    "912007050003059021005412009080045902000070500504060010000506000250700800030000095",
    "002300609000000075100060000504100008060050040800007102000030001250000000907004200",
    "010000000000294000008300709180002040050000080030800096401003800000471000000000020",
    "100200905000080000400600023010005060000060000050400030840001007000070000507002001",
    "300500090400000500002310000053080010000090000060050370000021800001000004080007006",
    "010500000090073000804020000400000100780060029002000005000030207000480060000006090",
    "000000002004200601600000900960804100000903000008706049005000008107008300400000000",
)


def is_solution(answer, puzzle, layout):
    values, given = np.asarray(answer).reshape(-1), np.asarray(puzzle).reshape(-1)
    full = list(range(1, layout.size + 1))
    return all(sorted(values[house]) == full for house in layout.houses) and bool(
        ((given == 0) | (given == values)).all()
    )


@pytest.mark.parametrize("engine", ["auto", "dlx"])
@pytest.mark.parametrize("puzzle", NINE)
def test_the_puzzles_of_the_documents_are_unique(puzzle, engine):
    assert sudoku.count_solutions(puzzle, engine=engine) == 1
    assert sudoku.is_unique(puzzle, engine=engine)
    answer = sudoku.solve(puzzle, engine=engine)
    assert is_solution(answer, as_grid(puzzle), Layout(3, 3))
    assert [answer] == list(sudoku.solutions(puzzle, engine=engine))


def test_first_row_of_a_known_solution():
    assert sudoku.solve(NINE[6])[0].tolist() == [8, 1, 9, 4, 6, 5, 7, 3, 2]


@pytest.mark.parametrize("engine", ["auto", "dlx"])
@pytest.mark.parametrize(
    ("cells", "diagonal", "total"), [(16, False, 288), (16, True, 48), (36, True, 8640)]
)
def test_empty_grids_have_the_known_totals(cells, diagonal, total, engine):
    assert sudoku.count_solutions("." * cells, diagonal=diagonal, engine=engine) == total


@pytest.mark.parametrize("engine", ["auto", "dlx"])
def test_all_grids_of_order_four_are_listed_once(engine):
    grids = list(sudoku.solutions("." * 16, engine=engine))
    assert len(grids) == len({str(g) for g in grids}) == 288
    assert all(is_solution(g, np.zeros(16), Layout(2, 2)) for g in grids)


@st.composite
def puzzles(draw):
    """A layout with up to 6 x 6 cells and a puzzle that may have any number of solutions."""
    box = draw(st.sampled_from([(2, 2), (2, 3), (3, 2)]))
    diagonal = draw(st.booleans())
    n = box[0] * box[1]
    seed = draw(st.integers(0, 10**6))
    generator = np.random.default_rng(seed)
    start = np.zeros((n, n), dtype=int)
    start[0] = generator.permutation(n) + 1
    full = sudoku.solve(start, diagonal, box)
    values = np.zeros(n * n, dtype=int) if full is None else full.values.reshape(-1).astype(int)
    values[generator.random(n * n) < draw(st.floats(0.2, 0.7 if n == 6 else 1.0))] = 0
    if draw(st.booleans()):
        values[draw(st.integers(0, n * n - 1))] = draw(st.integers(0, n))
    return box, diagonal, values


@settings(max_examples=60, deadline=None)
@given(puzzles(), st.integers(1, 5))
def test_answers_equal_the_naive_ones(drawn, limit):
    box, diagonal, values = drawn
    layout = Layout(*box, diagonal)
    houses = naive.sudoku_houses(*box, diagonal)
    expected = list(itertools.islice(naive.sudoku_solutions(houses, values.tolist()), 3000))
    if len(expected) == 3000:
        return
    puzzle = values.reshape(layout.size, -1)
    found = {
        tuple(g.values.reshape(-1).tolist())
        for g in sudoku.solutions(puzzle, diagonal=diagonal, box=box)
    }
    assert found == set(expected)
    for engine in ("auto", "dlx"):
        ask = {"diagonal": diagonal, "box": box, "engine": engine}
        assert sudoku.count_solutions(puzzle, **ask) == len(expected)
        assert sudoku.count_solutions(puzzle, limit=limit, **ask) == min(limit, len(expected))
        assert len(list(sudoku.solutions(puzzle, limit=limit, **ask))) == min(limit, len(expected))
        answer = sudoku.solve(puzzle, **ask)
        assert (answer is None) == (not expected)
        assert answer is None or tuple(answer.values.reshape(-1).tolist()) in found
    assert (sudoku.why(puzzle, diagonal, box) is None) == bool(expected)
    counts = sudoku.count_batch(puzzle[None], limit=limit, diagonal=diagonal, box=box)
    assert counts.tolist() == [min(limit, len(expected))]


@pytest.mark.parametrize("engine", ["auto", "dlx"])
def test_at_the_time_limit_a_loop_over_solutions_raises_an_error(engine, monkeypatch):
    readings = itertools.count(0.0, 1 / 64)  # every slice and every grid seems to take 1/64 s
    monkeypatch.setattr("time.perf_counter", lambda: next(readings))
    found = []
    with pytest.raises(TimeoutError, match="not done within") as caught:
        found.extend(sudoku.solutions("." * 81, time_limit=0.5, engine=engine))
    assert str(caught.value) == f"not done within 0.5 s; {len(found)} solutions found so far"
    assert 10 < len(found) <= 32  # those of 22 to 32 slices and grids


@pytest.mark.parametrize("engine", ["auto", "dlx"])
@pytest.mark.parametrize("puzzle", ["." * 81, "12345678" + "." * 73])  # by masks, by the engine
def test_at_the_time_limit_a_count_raises_an_error(puzzle, engine, monkeypatch):
    readings = itertools.count(0.0, 1 / 64)
    monkeypatch.setattr("time.perf_counter", lambda: next(readings))
    with pytest.raises(TimeoutError, match=r"not done within 0.5 s; [0-9]+ solutions found so far"):
        sudoku.count_solutions(puzzle, time_limit=0.5, engine=engine)
    assert sudoku.count_solutions(puzzle, limit=3, time_limit=3600, engine=engine) == 3
    with pytest.raises(sudoku.SudokuError, match="time_limit is -1; it must be seconds from 0 on"):
        sudoku.count_solutions(puzzle, time_limit=-1)


@pytest.mark.parametrize("engine", ["auto", "dlx"])
def test_a_time_limit_that_is_not_reached_changes_nothing(engine):
    assert sudoku.count_solutions("." * 16, time_limit=3600, engine=engine) == 288
    grids = list(sudoku.solutions("." * 16, time_limit=3600, engine=engine))
    assert grids == list(sudoku.solutions("." * 16, engine=engine))
    with pytest.raises(TimeoutError, match="not done within 0 s; 0 solutions"):
        next(sudoku.solutions("." * 16, time_limit=0, engine=engine))


def altered_puzzles(count, seed=3):
    """9x9 puzzles with one, several and no solution."""
    generator = np.random.default_rng(seed)
    out = np.array([[int(c) for c in NINE[k % 7]] for k in range(count)])
    for row in out[1::3]:
        row[generator.choice(np.flatnonzero(row), 2)] = 0
    for row in out[2::3]:
        row[generator.integers(81)] = generator.integers(1, 10)
    return out


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_batches_equal_single_answers_for_any_number_of_jobs(jobs):
    batch = altered_puzzles(300)
    counts = sudoku.count_batch(batch, jobs=jobs)
    assert counts.dtype == np.int64 and set(counts.tolist()) == {0, 1, 2}
    assert counts.tolist() == sudoku.count_batch(batch).tolist()
    answers = sudoku.solve_batch(batch, jobs=jobs)
    assert answers.shape == batch.shape and answers.dtype == batch.dtype
    assert (answers == sudoku.solve_batch(batch)).all()
    for puzzle, count, answer in zip(batch[:40], counts, answers, strict=False):
        assert sudoku.count_solutions(puzzle.reshape(9, 9), limit=2, engine="dlx") == count
        assert is_solution(answer, puzzle, Layout(3, 3)) if count else not answer.any()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64, np.uint64])
def test_batches_of_any_integer_type_and_shape(dtype):
    batch = np.array([[1, 0, 0, 4] + [0] * 12, [1, 1] + [0] * 14], dtype=dtype)
    for shape in ((2, 16), (2, 4, 4)):
        answers = sudoku.solve_batch(batch.reshape(shape))
        assert answers.shape == shape and answers.dtype == dtype
        assert not answers[1].any() and answers[0].all()
    assert sudoku.count_batch(batch[::-1], limit=1).tolist() == [0, 1]
    assert sudoku.count_batch(batch[::-1], limit=10**30).tolist() == [0, 24]
    assert sudoku.count_batch(np.zeros((0, 81), dtype=dtype)).tolist() == []


def test_batches_of_texts_are_those_of_their_digits():
    text = "1..4..2..1..4..."
    puzzles = [text, text.replace("1", "."), "11" + "." * 14]
    grids = [sudoku.as_grid(puzzle) for puzzle in puzzles]
    counts = sudoku.count_batch(puzzles, limit=99, jobs="all")
    assert counts.tolist() == sudoku.count_batch(grids, limit=99).tolist()
    assert counts.tolist() == [sudoku.count_solutions(puzzle, limit=99) for puzzle in puzzles]
    assert (sudoku.solve_batch([*puzzles[:2], grids[2]]) == sudoku.solve_batch(grids)).all()
    encoded = [puzzle.encode() for puzzle in puzzles]
    for kind in (encoded, map(bytearray, encoded), map(memoryview, encoded)):
        assert counts.tolist() == sudoku.count_batch(list(kind), limit=99).tolist()
    digits = np.array([grid.digits for grid in grids], np.uint8)
    for view in (memoryview(digits), [memoryview(one) for one in digits]):
        assert counts.tolist() == sudoku.count_batch(view, limit=99).tolist()
    # columns of a table, as pandas.Series.to_numpy returns them
    for column in (np.array(puzzles), np.array(encoded), np.array(puzzles, object)):
        assert counts.tolist() == sudoku.count_batch(column, limit=99).tolist()
        assert (sudoku.solve_batch(column) == sudoku.solve_batch(grids)).all()
    with pytest.raises(sudoku.PuzzleError, match=r"^puzzle 1: value 5 in r1c2: a digit is 1 to 4"):
        sudoku.count_batch([text, [1, 5] + [0] * 14])
    with pytest.raises(sudoku.FormatError, match=r"^puzzle 1:1:16: unknown symbol 'x'"):
        sudoku.count_batch([text, text[:-1] + "x"])
    with pytest.raises(sudoku.FormatError, match=r"^puzzle 2:1: 15 cells"):
        sudoku.count_batch([text, text, text[:-1]])
    with pytest.raises(sudoku.LayoutError, match="the puzzles of a batch have one layout"):
        sudoku.count_batch([text, "." * 81])
    message = f"^puzzles '{re.escape(text)}': a list or an array of puzzles is needed$"
    with pytest.raises(sudoku.PuzzleError, match=message):
        sudoku.count_batch(text)


def test_batches_of_grids_keep_their_layout():
    diagonals = Layout(2, 2, diagonal=True)
    puzzles = [sudoku.Grid(diagonals, [digit] + [0] * 15) for digit in (1, 2)]
    counts = [sudoku.count_solutions(puzzle) for puzzle in puzzles]
    assert sudoku.count_batch(puzzles, limit=99).tolist() == counts == [12, 12]
    assert sudoku.count_batch(tuple(puzzles), limit=99, box="latin").tolist() == [12, 12]
    answers = sudoku.solve_batch(puzzles)
    assert answers.shape == (2, 4, 4)
    assert all(
        is_solution(answer, p, diagonals) for answer, p in zip(answers, puzzles, strict=True)
    )
    plain = [sudoku.Grid(Layout(2, 2), puzzle.values) for puzzle in puzzles]
    assert sudoku.count_batch(plain, limit=99).tolist() == [72, 72]
    assert sudoku.count_batch(puzzles, limit=99, diagonal=False).tolist() == [72, 72]
    assert sudoku.count_batch(deque(puzzles), limit=99).tolist() == [12, 12]
    assert sudoku.count_batch(plain, limit=99, diagonal=True).tolist() == [12, 12]
    assert sudoku.count_batch([plain[0], [0] * 16], limit=999).tolist() == [72, 288]
    assert sudoku.canonical_batch(plain).shape == (2, 4, 4)


def test_an_empty_list_is_a_batch_of_no_puzzles():
    assert (
        sudoku.count_batch([]).tolist() == sudoku.count_batch([], jobs=2, box="2x2").tolist() == []
    )
    assert sudoku.solve_batch([]).shape == (0, 81) and sudoku.grids.indices_of([]) == []
    assert sudoku.solve_batch([], box=np.array([2, 3])).shape == (0, 36)
    with pytest.raises(LayoutError, match=r"^box \(\): a box is"):
        sudoku.solve_batch([], box=())


def test_lists_of_grids_that_are_no_batch_are_refused():
    one, other = (sudoku.Grid(Layout(2, 2, diagonal=d), [0] * 16) for d in (False, True))
    limited = sudoku.Grid(Layout(2, 2), [0] * 16, candidates=[3] * 16)
    for call in (sudoku.count_batch, sudoku.solve_batch, sudoku.canonical_batch):
        with pytest.raises(
            LayoutError, match=r"puzzle 1 has Layout\(2x2, diagonal\), puzzle 0 has"
        ):
            call([one, other])
        with pytest.raises(PuzzleError, match="puzzle 1: candidates are not supported"):
            call([one, limited])
        with pytest.raises(PuzzleError, match="one Grid where many puzzles are expected"):
            call(sudoku.Grid(Layout(4, 4), [0] * 256))
        with pytest.raises(PuzzleError, match="a masked array; fill it"):
            call(np.ma.array([[1] + [0] * 15], mask=[[1] + [0] * 15]))
    with pytest.raises(LayoutError, match="canonical forms are of layouts with boxes alone"):
        sudoku.canonical_batch([other])


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        (np.full((1, 81), 10), PuzzleError, "value 10 in puzzle 0, r1c1"),
        (np.array([[0] * 16, [0] * 15 + [-3]]), PuzzleError, "value -3 in puzzle 1, r4c4"),
        (np.zeros((1, 81)), PuzzleError, "float64"),
        ([[0] * 15 + [True]], PuzzleError, "values of type object; puzzles hold integers"),
        ([np.ma.zeros(16, int)] * 2, PuzzleError, "a masked array"),
        (np.zeros(81, dtype=int), PuzzleError, "shape"),
        ((puzzle for puzzle in [[0] * 16]), PuzzleError, "a list or an array of puzzles is needed"),
        (np.zeros((9, 9), dtype=int), LayoutError, "3x3"),
        (np.zeros((1, 7, 7), dtype=int), LayoutError, "prime"),
        (np.zeros((2, 80), dtype=int), PuzzleError, "shape"),
    ],
)
def test_arrays_that_are_no_batch_of_puzzles_raise_an_error(batch, error, message):
    with pytest.raises(error, match=message):
        sudoku.count_batch(batch)


def test_rows_and_cells_may_be_texts():
    rows = ["1..4", "..2.", ".1..", "4..."]
    answer = sudoku.solve("".join(rows))
    assert sudoku.solve(rows) == sudoku.solve(np.array(list(map(list, rows)))) == answer
    assert sudoku.solve(list("".join(rows))) == answer
    assert sudoku.solve(["Grid 01", *rows[:2], "", *rows[2:], ""]) == answer
    names = ["张三", "李四", "王五", "赵六"]
    cells = [["张三", "", "", 0], [".", "", "李四", ""], ["", "王五", "", ""], ["", "", "", "赵六"]]
    assert str(sudoku.solve(cells, symbols=names)).split()[:4] == ["张三", "李四", "赵六", "王五"]
    with pytest.raises(PuzzleError, match="1:3: number above N: '5'"):
        sudoku.solve([["1", "5", "", ""]] * 4)
    with pytest.raises(PuzzleError, match=r"15 symbols; a grid has N\*N, or N rows of N"):
        sudoku.solve(["1"] * 15)


def test_impossible_limits_and_engines_raise_an_error():
    for call in (
        lambda: sudoku.count_batch(np.zeros((1, 16), dtype=int), limit=0),
        lambda: sudoku.count_batch(np.zeros((1, 16), dtype=int), limit=None),
        lambda: sudoku.count_solutions("." * 16, limit=1.5),
        lambda: sudoku.solutions("." * 16, limit="2"),
        lambda: sudoku.count_batch(np.zeros((1, 16), dtype=int), jobs=0),
        lambda: sudoku.count_solutions("." * 16, limit=-1),
        lambda: sudoku.solutions("." * 16, limit=-1),
        lambda: sudoku.solve("." * 16, engine="magic"),
        lambda: sudoku.solve("." * 16, symbols=5),
        lambda: sudoku.sample("1234" + "." * 12, 1, seed="one"),
        lambda: sudoku.solve_batch([[0] * 16, [0] * 15]),
        lambda: sudoku.count_batch([[0] * 16, [0] * 15]),
        lambda: sudoku.canonical_batch([[0] * 16, [0] * 15]),
        lambda: sudoku.indices_of([[0] * 16, [0] * 15], box="2x2"),
        lambda: sudoku.Grid(sudoku.Layout(2, 2), [[0] * 4, [0] * 3]),
        lambda: sudoku.Layout(2, 2, extra=[("pair", (0, "1"))]),
        lambda: sudoku.rate("." * 16, techniques=5),
    ):
        with pytest.raises(SudokuError):
            call()
    assert sudoku.count_solutions("." * 16, limit=0) == 0
    assert list(sudoku.solutions("." * 16, limit=0)) == []


@pytest.mark.parametrize(
    ("puzzle", "reason"),
    [
        ("5...5...." + "." * 72, "5 twice in row 1 (r1c1, r1c5)"),
        (("5" + "." * 8) * 2 + "." * 63, "5 twice in column 1 (r1c1, r2c1)"),
        ("5........" + ".5......." + "." * 63, "5 twice in box 1 (r1c1, r2c2)"),
        ("12345678." + "." * 63 + "........9", "no digit fits r1c9"),
        (
            "123......" + "......456" + "........." + "..7......" + "." * 36 + "7........",
            None,
        ),
        ("." * 81, None),
    ],
)
def test_why_names_cells_and_house(puzzle, reason):
    assert sudoku.why(puzzle) == reason
    assert (sudoku.solve(puzzle) is None) == (reason is not None)


def test_why_a_digit_has_no_place():
    puzzle = "123456..8" + "." * 18 + "......7.." + "." * 18 + ".......7." + "." * 18
    assert sudoku.why(puzzle) == "no place for 7 in row 1"
    assert sudoku.solve(puzzle) is None


def test_why_gives_a_reason_that_only_a_search_finds():
    reason = sudoku.why("2..1....4.....3.")
    assert sudoku.count_solutions("2..1....4.....3.") == 0
    assert reason == "every way to fill the blanks breaks a rule"


def test_why_of_diagonals_and_words():
    words = "kot pies mysz lis"
    puzzle = "kot . . . . kot . . . . . . . . . ."
    assert sudoku.why(puzzle, diagonal=True, symbols=words).startswith("kot twice in box 1")
    far = "kot . . . . . . . . . . . . . . kot"
    assert sudoku.why(far, symbols=words) is None
    assert sudoku.why(far, diagonal=True, symbols=words) == "kot twice in diagonal (r1c1, r4c4)"


@pytest.mark.parametrize("givens", ["", "123456", "1", "12345"])
def test_large_counts_do_not_depend_on_the_engine(givens):
    puzzle = givens + "." * (36 - len(givens))
    choices = 1
    for k in range(len(givens)):
        choices *= 6 - k
    assert sudoku.count_solutions(puzzle) == 28_200_960 // choices


def test_a_36x36_puzzle_is_solved():
    n = 36
    base = [[(6 * (r % 6) + r // 6 + c) % n + 1 for c in range(n)] for r in range(n)]
    puzzle = np.array(base)
    puzzle[np.random.default_rng(1).random((n, n)) < 0.4] = 0
    answer = sudoku.solve(puzzle)
    assert answer is not None and is_solution(answer, puzzle, Layout(6, 6))


def test_warm_compiles_the_kernels():
    sudoku.warm()
    assert sudoku.count_solutions("." * 16) == 288


def test_the_command_module_has_the_functions_of_the_package():
    import sudoku.dlx

    for name in ("solve", "solutions", "count_solutions", "is_unique", "solve_batch", "why"):
        assert getattr(sudoku.dlx, name) is getattr(sudoku, name)
    with pytest.raises(AttributeError):
        _ = sudoku.dlx.no_such_name
    with pytest.raises(AttributeError):
        _ = sudoku.no_such_name
    assert "solve" in dir(sudoku)


@pytest.mark.parametrize(
    ("puzzle", "number", "diagonal"),
    [
        ("1...............", 72, False),
        ("." * 16, 48, True),
        ("12345." + "." * 24 + ".1.2..", 1568, False),
    ],
)
def test_solutions_are_drawn_uniformly(puzzle, number, diagonal):
    """Chi-square, twice: each end of its distribution is left by one seed in a million."""
    listed = {str(one) for one in sudoku.solutions(puzzle, diagonal=diagonal)}
    assert len(listed) == number
    drawn = Counter(
        str(one) for one in sudoku.sample(puzzle, 20 * len(listed), seed=1, diagonal=diagonal)
    )
    degrees = len(listed) - 1
    chi_square = sum((drawn[one] - 20) ** 2 / 20 for one in listed)
    assert set(drawn) <= listed
    # Wilson and Hilferty's approximation at 4.75 standard deviations
    low, high = (
        degrees * (1 - 2 / (9 * degrees) + z * (2 / (9 * degrees)) ** 0.5) ** 3
        for z in (-4.75, 4.75)
    )
    assert low < chi_square < high


def test_samples_of_impossible_numbers_are_refused():
    assert sudoku.sample("11..............", 0) == []
    with pytest.raises(SudokuError, match="no solution to draw"):
        sudoku.sample("11..............", 1)
    for n in (-1, 1.5, "2"):
        with pytest.raises(SudokuError, match="a whole number from 0 on"):
            sudoku.sample("." * 16, n)
        with pytest.raises(SudokuError, match=r"^seed is .* a whole number from 0 on"):
            sudoku.sample("." * 16, 1, seed=n)
    once, again = (sudoku.sample("." * 16, 5, seed=7) for _ in range(2))
    assert list(map(str, once)) == list(map(str, again))


@pytest.mark.parametrize("box", [(3, 3), (4, 4), (1, 9)])
def test_empty_grids_are_too_large_for_samples(box):
    with pytest.raises(SudokuError, match=r"of an empty .* too large; use random_grids"):
        sudoku.sample("." * Layout.of(None, box).cells, 1, seed=1, box=box)


def test_more_grids_than_a_list_can_have_are_not_drawn():
    with pytest.raises(SudokuError, match="n is too large: a list has at most"):
        sudoku.sample("1" + "." * 15, 2**70)
    with pytest.raises(MemoryError, match=r"^1000000000000 grids do not fit into memory$"):
        sudoku.sample("1" + "." * 15, 10**12)


def test_limits_may_be_any_type_with_index():
    class Two:
        def __index__(self):
            return 2

    assert sudoku.count_solutions("." * 16, limit=Two()) == 2
    assert len(list(sudoku.solutions("." * 16, limit=Two()))) == 2
    assert sudoku.count_batch([[0] * 16] * 2, limit=Two()).tolist() == [2, 2]


def test_an_unknown_engine_is_refused_where_nothing_is_counted():
    with pytest.raises(sudoku.SudokuError, match="engine 'x'; there are auto and dlx"):
        sudoku.count_solutions("." * 81, limit=0, engine="x")
