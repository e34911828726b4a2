"""The fast path of single puzzles against the general path."""

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from math import isqrt
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase

import numpy as np
import pytest

import sudoku
from sudoku import Grid, Layout, SudokuError, Symbols
from sudoku.kernels import classic, lanes
from sudoku.layout import House
from sudoku.reading import convert
from sudoku.solving import direct
from tests.modes import COMPILED, compiled, examples, kernel, long

pytestmark = kernel

DATA = Path(__file__).parents[3] / "data"
LINES = (DATA / "minimal-9x9.txt").read_text().split()
SEVERAL = (DATA / "several-solutions.txt").read_text().split()
NONE = (DATA / "no-solution.txt").read_text().split()


LAYOUTS = [
    (4, {}),
    (4, {"diagonal": True}),
    (6, {}),
    (6, {"box": "3x2"}),
    (6, {"box": (2, 3)}),
    (8, {}),
    (8, {"box": "latin"}),
    (9, {"box": "3x3"}),
    (9, {"box": "1x9"}),
    (9, {"box": "3x3+windoku", "diagonal": False}),
    (9, {"box": Layout(3, 3, True)}),
    (9, {"diagonal": True}),
    (12, {"box": "4x3"}),
    (16, {}),
    (16, {"box": "2x8"}),
    (25, {}),
    (5, {}),
    (7, {"box": "latin"}),
    (7, {"box": "1x7"}),
    (28, {}),
    (36, {}),
    (49, {"box": "7x7"}),
    (9, {"box": "2x3"}),
    (9, {"box": (3.0, 3.0)}),
    (9, {"box": (True, 9)}),
    (9, {"box": "hexagons"}),
    (9, {"diagonal": 1}),
    (9, {"diagonal": "yes"}),
    (9, {"symbols": "123456789"}),
    (9, {"engine": "guess"}),
]
"""N, and the other arguments, good and bad."""

BATCHES = [row for row in LAYOUTS if row[1].keys() <= {"box", "diagonal"}]

ALPHABETS = [ascii_uppercase, "0123456789" + ascii_uppercase, "0123456789" + ascii_lowercase]


def some_puzzle(n, options, rng):
    """Return digits of a puzzle with solutions, if the arguments make a layout."""
    try:
        layout = Layout.of(n, options.get("box"), bool(options.get("diagonal")))
        digits = np.array(sudoku.solve(Grid(layout, [0] * n * n))).reshape(-1)
    except (SudokuError, TypeError):
        digits = np.array([(row + column) % n + 1 for row in range(n) for column in range(n)])
    digits = np.array([0, *rng.sample(range(1, n + 1), n)])[digits]
    digits[rng.sample(range(n * n), n * n // 3)] = 0
    return digits.tolist()


def texts(digits, rng):
    """Yield a puzzle as texts with the customary and other symbols."""
    n = isqrt(len(digits))
    if n > 35:
        return
    for names in ["123456789" + ascii_uppercase, *ALPHABETS]:
        for blank in ".0-*_":
            if n <= len(names):
                yield "".join([(blank + names)[digit] for digit in digits])
    text = "".join([("." + "123456789" + ascii_uppercase)[digit] for digit in digits])
    yield text.replace(".", "0", 3)
    yield "\n".join(text[i : i + n] for i in range(0, n * n, n))
    yield f" {text} "
    yield text + text
    yield "".join([("." + ascii_lowercase)[digit] if digit < 27 else "?" for digit in digits])
    cell = rng.randrange(n * n)
    for wrong in ("x", "A", "Z", "é", "٣", " ", "*", "-", "_", "|", ",", "#", "\n", "", "12"):
        yield text[:cell] + wrong + text[cell + 1 :]


def texts_of_lines(text):
    """Yield a puzzle on several lines, of words, and with the end of its line."""
    n = isqrt(len(text))
    rows = [text[i : i + n] for i in range(0, n * n, n)]
    grid = "\n".join(rows)
    yield from (grid, f"\n{grid}\n", f"{text}\n", f"{text}\r\n", f"{text}\n\n{text}\n")
    yield "\n".join(row[: n // 2] + " " + row[n // 2 :] for row in rows)
    yield "\n".join([*rows[1:], rows[0] + "."])
    for mark in (*" |\t\n\r\x0c\x1c\xa0", "  ", "\n\n", "\r\n", "\r\r\n"):
        yield from (mark.join(text), mark.join(rows), "\n".join(map(mark.join, rows)))
    for blank in ".0_*-":
        yield from (blank * (n * n) + "\n", "\n".join([blank * n] * n))
    yield "\n".join([" ".join("." * n)] * n)


def variants(digits, rng):
    """Yield one puzzle in many shapes, and with faults."""
    n = isqrt(len(digits))
    for text in texts(digits, rng):
        yield text
        yield text.encode()
    yield digits
    rows = [digits[i : i + n] for i in range(0, n * n, n)]
    yield rows
    yield [tuple(row) for row in rows]
    yield [*rows[1:], rows[0][1:]]
    yield [[digit or None for digit in row] for row in rows]
    yield tuple(map(tuple, rows))
    yield [[str(digit) for digit in row] for row in rows]
    yield [[str(digit) if digit else "." for digit in row] for row in rows]
    yield [[str(digit) if digit else "" for digit in row] for row in rows]
    symbols = [str(digit) for digit in digits]
    yield from (symbols, [*symbols, "\n"], bytearray("".join(symbols).encode()))
    yield ["".join(map(str, row)) for row in rows]
    yield tuple("".join(map(str, row)) for row in rows)
    yield [rows[0], *map(tuple, rows[1:])]
    yield [rows[0], *digits[1:n]]
    for dtype in (np.uint8, np.int8, np.int64, ">i4", np.float64, bool, object):
        yield np.array(digits, dtype)
        yield np.array(digits, dtype).reshape(n, n)
    yield np.array(digits, np.uint8)[::-1]
    yield np.array(digits, np.uint8).reshape(n, n).T
    yield tuple(digits)
    yield np.array(digits, np.uint8).reshape(1, n * n)
    with suppress(SudokuError):
        grid = Grid(Layout.of(n), digits)
        yield grid
        yield Grid(grid.layout, digits, Symbols(tuple(f"s{k}" for k in range(n))))
        yield Grid(grid.layout, digits, candidates=[(1 << n) - 2] * n * n)
    with suppress(SudokuError):
        yield Grid(Layout(1, n, extra=[House("pair", (0, n + 1))]), digits)
    cell = rng.randrange(n * n)
    for wrong in (-1, n + 1, 255, 256, None, True, 2.0, "3", np.int64(3), 10**30):
        yield [*digits[:cell], wrong, *digits[cell + 1 :]]
    yield [bool(digit) for digit in digits]
    for dtype, wrong in ((np.uint8, n + 1), (np.uint8, 255), (np.int16, -1), (np.int16, 256)):
        wrong_array = np.array(digits, dtype)
        wrong_array[cell] = wrong
        yield wrong_array


def parts(puzzle, engine=None, **options):
    """Return the parts of a puzzle as a Grid."""
    grid = sudoku.as_grid(puzzle, **options)
    masks = None if grid.candidates is None else grid.candidates.tolist()
    return grid.layout, grid.symbols, grid.values.tolist(), masks


def answers(puzzle, **options):
    """Return what the public functions make of a puzzle: answers, or the error."""
    results = []
    for question in (
        sudoku.solve,
        sudoku.is_unique,
        partial(sudoku.count_solutions, limit=1),
        partial(sudoku.count_solutions, limit=2),
        parts,
    ):
        try:
            answer = question(puzzle, **options)
        except SudokuError as error:
            results.append((type(error), str(error)))
        else:
            if isinstance(answer, sudoku.Grid):
                assert answer.values.dtype == np.int16
                assert not answer.values.flags.writeable
                answer = (answer, answer.layout, answer.symbols, str(answer), hash(answer))
            results.append(answer)
    return results


def compare(monkeypatch, inputs, options):
    """Compare both paths; return the fraction of the searches that were done directly."""
    shortcuts = []
    search = direct._search

    def noted(*arguments):
        shortcuts.append(search(*arguments))
        return shortcuts[-1]

    with monkeypatch.context() as patch:
        patch.setattr(direct, "_search", noted)
        directly = [answers(puzzle, **options) for puzzle in inputs]
        patch.setattr(direct, "_search", lambda *arguments: None)
        patch.setattr(convert, "plain_text", lambda text: None)
        for puzzle, found in zip(inputs, directly, strict=True):
            assert answers(puzzle, **options) == found, repr(puzzle)
    return sum(found is not None for found in shortcuts) / max(1, len(shortcuts))


def test_both_paths_give_the_same_answers_and_errors(monkeypatch):
    rng = random.Random(1)
    puzzles = rng.sample(LINES, 2) + SEVERAL[:2] + NONE[:2]
    puzzles += ["." * 81, "1" * 81, "." * 80 + "1", "123456789" * 9]
    digits = [[int(c) if c.isdigit() else 0 for c in text] for text in puzzles]
    inputs = [variant for puzzle in digits for variant in variants(puzzle, rng)]
    if not COMPILED:
        inputs = rng.sample(inputs, 12)
    assert compare(monkeypatch, inputs, {}) > 1 / 8  # str, bytes, lists, arrays, grids


@compiled
@pytest.mark.parametrize(("n", "options"), LAYOUTS)
def test_both_paths_for_other_layouts_and_arguments(monkeypatch, n, options):
    rng = random.Random(n)
    compare(monkeypatch, list(variants(some_puzzle(n, options, rng), rng)), options)


@compiled
@pytest.mark.parametrize("n", [4, 6, 8, 9, 12, 16, 36])
def test_texts_of_several_lines_by_both_paths(monkeypatch, n):
    digits = some_puzzle(n, {}, random.Random(n))
    text = "".join([(".123456789" + ascii_uppercase + "0")[digit] for digit in digits])
    empty = [["." * n] * n, [["."] * n] * n, np.full((n, n), "."), np.full(n, "." * n)]
    assert compare(monkeypatch, [*texts_of_lines(text), *empty], {}) > 1 / 10
    assert [sudoku.count_solutions(puzzle, limit=2) for puzzle in empty] == [2] * 4


@compiled
@pytest.mark.parametrize("n", [4, 6, 8, 9, 10, 12, 16, 25])
def test_texts_and_numbers_of_all_sizes_go_directly(n):
    rng = random.Random(n)
    digits = some_puzzle(n, {}, rng)
    text = "".join([("." + "123456789" + ascii_uppercase)[digit] for digit in digits])
    array = np.array(digits)
    for puzzle in (
        text,
        f"{text}\n",
        text.encode(),
        digits,
        array,
        array.astype(np.uint8).reshape(n, n),
    ):
        assert direct.count(puzzle, 1, None, None) == 1
        (solution,) = direct.solve(puzzle, None, False)
        assert solution.is_complete and sudoku.why(solution) is None
        assert all(
            given in (0, digit) for given, digit in zip(digits, solution.digits, strict=True)
        )
        assert direct.count(puzzle, 1, f"1x{n}", True) in (0, 1)


@compiled
@pytest.mark.parametrize("n", [36, 64])
def test_the_workspace_of_a_large_grid_is_used_again_after_few_nodes(n):
    """After many nodes its pages would stay in memory."""
    side = isqrt(n)
    rows = range(n)
    grid = np.array([[(side * (r % side) + r // side + c) % n + 1 for c in rows] for r in rows])
    puzzle, wrong = grid.copy(), grid.copy()
    puzzle[puzzle == 1] = 0
    wrong[0, :2] = 1
    direct._known_searcher.cache_clear()
    for given, number in ((puzzle, 1), (wrong, 0), (puzzle.tolist(), 1)):
        assert direct.count(given, 2, None, None) == number
        assert len(direct._searcher(n, None, None).idle) == 1
    (solution,) = direct.solve(puzzle, None, None)
    np.testing.assert_array_equal(solution.values, grid)


@compiled
def test_the_workspace_of_a_large_grid_is_dropped_after_many_nodes():
    direct._known_searcher.cache_clear()
    empty = np.zeros((2, 36 * 36), np.uint8)
    assert direct.count(empty[0], 1, None, None) == 1
    assert direct.counts(empty, 2, None, None).tolist() == [2, 2]
    assert direct._searcher(36, None, None).idle == []


@pytest.mark.parametrize(
    "limit", [2, *(pytest.param(limit, marks=long) for limit in (1, 5, 1 << 70))]
)
def test_few_puzzles_directly_and_by_the_general_path(monkeypatch, limit):
    few = examples(30)
    lines = LINES[:few] + SEVERAL[:few] + NONE[:few] + ["1" * 81]
    puzzles = np.array([[int(c) for c in line.replace(".", "0")] for line in lines], np.uint8)
    inputs = [puzzles, puzzles[:1], puzzles.reshape(-1, 9, 9)[::3], np.asfortranarray(puzzles)]
    inputs[0].flags.writeable = False
    direct._known_searcher.cache_clear()
    found = [(sudoku.count_batch(p, limit=limit), sudoku.solve_batch(p)) for p in inputs]
    assert len(direct._searcher(9, None, False).idle) == 1
    monkeypatch.setattr(direct, "_search_batch", lambda *arguments: None)
    for given, (counts, solved) in zip(inputs, found, strict=True):
        np.testing.assert_array_equal(counts, sudoku.count_batch(given, limit=limit), strict=True)
        np.testing.assert_array_equal(solved, sudoku.solve_batch(given), strict=True)


@compiled
@pytest.mark.parametrize(("n", "options"), BATCHES)
def test_batches_of_other_layouts_by_both_paths(monkeypatch, n, options):
    rng = random.Random(n)
    puzzles = np.array([some_puzzle(n, options, rng) for _ in range(examples(20))])
    puzzles[:2, 0] = puzzles[:2, 1] = 1
    inputs = [puzzles.astype(np.uint8), puzzles, puzzles.reshape(-1, n, n).astype(np.uint8)]
    inputs += [inputs[0] + 1, inputs[0][:0], inputs[0][0], inputs[0][:, 1:], inputs[0][None, None]]

    def results():
        for given in inputs:
            for function in (sudoku.count_batch, sudoku.solve_batch):
                try:
                    yield function(given, **options).tolist()
                except SudokuError as error:
                    yield type(error), str(error)

    found = list(results())
    monkeypatch.setattr(direct, "_search_batch", lambda *arguments: None)
    assert found == list(results())


@pytest.mark.parametrize(
    ("puzzles", "message"),
    [
        (np.full((1, 81), 10, np.uint8), "value 10 in puzzle 0, r1c1"),
        (np.zeros((2, 80), np.uint8), "shape"),
        (np.zeros(81, np.uint8), "shape"),
        (np.uint8(1), "shape"),
        (np.zeros((1, 81)), "float64"),
    ],
)
def test_arguments_that_are_no_batch_are_reported_by_the_general_path(puzzles, message):
    with pytest.raises(sudoku.PuzzleError, match=message):
        sudoku.count_batch(puzzles)
    assert sudoku.count_batch(np.zeros((0, 81), np.uint8)).tolist() == []
    with pytest.raises(sudoku.SudokuError, match="limit is 0"):
        sudoku.count_batch(np.zeros((1, 81), np.uint8), limit=0)


@pytest.fixture
def impatient():
    """The path of 9x9 puzzles, with a workspace that gives up at the first guess."""
    direct._known_searcher.cache_clear()
    searcher = direct._searcher(9, None, None)
    workspace = searcher.workspace()
    workspace.state.counters[lanes.MOST_SINCE_FOUND] = 0
    searcher.idle.append(workspace)
    yield searcher
    direct._known_searcher.cache_clear()


def test_batches_with_a_puzzle_that_the_kernel_gives_up(impatient):
    puzzles = np.zeros((3, 81), np.uint8)
    assert direct.counts(puzzles, 2, None, False) is None
    assert sudoku.count_batch(puzzles).tolist() == [2, 2, 2]


def test_a_puzzle_that_the_kernel_gives_up_takes_the_general_path(monkeypatch, impatient):
    puzzle = SEVERAL[0]
    (workspace,) = impatient.idle
    with monkeypatch.context() as patch:
        patch.setattr(direct, "_search", lambda *arguments: None)
        expected = answers(puzzle)
    assert direct.count(puzzle, 2, None, None) is None
    assert answers(puzzle) == expected
    assert impatient.idle == [workspace]


def test_an_interrupted_search_leaves_no_workspace_behind(monkeypatch):
    direct._known_searcher.cache_clear()
    advance = classic.advance

    def interrupted(*arguments):
        advance(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(classic, "advance", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sudoku.is_unique(LINES[0])
    assert direct._searcher(9, None, None).idle == []
    assert sudoku.is_unique(LINES[0])


def test_answers_are_read_before_the_workspace_is_idle(monkeypatch):
    """Another thread may take an idle workspace at once, and write other answers."""

    class Idle(list):
        def append(self, workspace):
            for values in (workspace.batches[0].counts, workspace.batches[0].solutions):
                values.fill(7)
            super().append(workspace)

    solved = sudoku.solve(LINES[0])
    own = direct._searcher(9, None, None)._replace(idle=Idle())
    monkeypatch.setattr(direct, "_known_searcher", lambda *arguments: own)
    puzzle = np.array([[int(c) for c in LINES[0].replace(".", "0")]], np.uint8)
    assert sudoku.is_unique(LINES[0]) and sudoku.solve(LINES[0]) == solved
    assert sudoku.count_batch(puzzle).tolist() == [1] and len(own.idle) == 1
    assert sudoku.solve_batch(puzzle).tolist() == [solved.values.reshape(-1).tolist()]


@long
def test_threads_do_not_share_a_workspace():
    some = LINES[: examples(60)]
    with ThreadPoolExecutor(8) as pool:
        solved = list(pool.map(sudoku.solve, some * 8))
    assert [str(grid) for grid in solved] == [str(sudoku.solve(puzzle)) for puzzle in some] * 8
