"""The direct way of single 9x9 puzzles against the general way."""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import sudoku
from sudoku import SudokuError
from sudoku.solving import direct
from tests.modes import COMPILED, examples, kernel, long

pytestmark = kernel

DATA = Path(__file__).parents[3] / "data"
LINES = (DATA / "minimal-9x9.txt").read_text().split()
SEVERAL = (DATA / "several-solutions.txt").read_text().split()
NONE = (DATA / "no-solution.txt").read_text().split()


def variants(text, rng):
    """Yield one puzzle in many shapes, and with faults."""
    digits = [int(c) if c.isdigit() else 0 for c in text]
    yield text
    yield text.encode()
    yield text.replace("0", ".").replace(".", "0", 3)
    yield digits
    yield [digits[i : i + 9] for i in range(0, 81, 9)]
    for dtype in (np.uint8, np.int64, np.float64, bool):
        yield np.array(digits, dtype)
        yield np.array(digits, dtype).reshape(9, 9)
    yield np.array(digits, np.uint8)[::-1]
    yield tuple(digits)
    yield np.array(digits, np.uint8).reshape(3, 27)
    cell = rng.randrange(81)
    for wrong in ("x", "A", "é", " ", "*", "-", "_", "|", ",", "\n", "", "12"):
        yield text[:cell] + wrong + text[cell + 1 :]
    for wrong in (-1, 10, 255, 256, None, True, 2.0, "3", np.int64(3), 10**30):
        yield [*digits[:cell], wrong, *digits[cell + 1 :]]
    yield [bool(digit) for digit in digits]
    wrong_array = np.array(digits, np.uint8)
    wrong_array[cell] = 10 + rng.randrange(246)
    yield wrong_array


def answers(puzzle):
    """Return what the public functions make of a puzzle: answers, or the error."""
    results = []
    for question in (
        sudoku.solve,
        sudoku.is_unique,
        lambda puzzle: sudoku.count_solutions(puzzle, limit=1),
        lambda puzzle: sudoku.count_solutions(puzzle, limit=2),
    ):
        try:
            answer = question(puzzle)
        except SudokuError as error:
            results.append((type(error), str(error)))
        else:
            if isinstance(answer, sudoku.Grid):
                assert answer.values.dtype == np.int16
                assert not answer.values.flags.writeable
                answer = (answer, answer.symbols, str(answer), hash(answer))
            results.append(answer)
    return results


def test_both_ways_give_the_same_answers_and_errors(monkeypatch):
    rng = random.Random(1)
    puzzles = rng.sample(LINES, examples(16)) + SEVERAL[: examples(8)] + NONE[: examples(8)]
    puzzles += ["." * 81, "0" * 81, "1" * 81, "." * 80 + "1", "123456789" * 9]
    inputs = [variant for text in puzzles for variant in variants(text, rng)]
    if not COMPILED:
        inputs = rng.sample(inputs, 30)
    shortcuts = []
    search = direct._search

    def noted(puzzle, limit):
        shortcuts.append(search(puzzle, limit))
        return shortcuts[-1]

    monkeypatch.setattr(direct, "_search", noted)
    directly = [answers(puzzle) for puzzle in inputs]
    taken = sum(found is not None for found in shortcuts)
    assert taken > len(shortcuts) // 8  # str, bytes, lists, uint8 arrays
    monkeypatch.setattr(direct, "_search", lambda puzzle, limit: None)
    for puzzle, found in zip(inputs, directly, strict=True):
        assert answers(puzzle) == found, repr(puzzle)


@pytest.mark.parametrize("limit", [1, 2, 5, pytest.param(1 << 70, marks=long)])
def test_few_puzzles_directly_and_in_the_general_way(monkeypatch, limit):
    few = examples(30)
    lines = LINES[:few] + SEVERAL[:few] + NONE[:few] + ["1" * 81]
    puzzles = np.array([[int(c) for c in line.replace(".", "0")] for line in lines], np.uint8)
    monkeypatch.setattr(direct, "_idle", [])
    inputs = [puzzles, puzzles[:1], puzzles.reshape(-1, 9, 9)[::3], np.asfortranarray(puzzles)]
    inputs[0].flags.writeable = False
    found = [(sudoku.count_batch(p, limit=limit), sudoku.solve_batch(p)) for p in inputs]
    assert len(direct._idle) == 1
    monkeypatch.setattr(direct, "batch", lambda puzzles, limit: None)
    for given, (counts, solved) in zip(inputs, found, strict=True):
        np.testing.assert_array_equal(counts, sudoku.count_batch(given, limit=limit), strict=True)
        np.testing.assert_array_equal(solved, sudoku.solve_batch(given), strict=True)


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
def test_what_is_no_batch_is_reported_in_the_general_way(puzzles, message):
    with pytest.raises(sudoku.PuzzleError, match=message):
        sudoku.count_batch(puzzles)
    assert sudoku.count_batch(np.zeros((0, 81), np.uint8)).tolist() == []
    with pytest.raises(sudoku.SudokuError, match="limit is 0"):
        sudoku.count_batch(np.zeros((1, 81), np.uint8), limit=0)


def test_batches_with_a_puzzle_that_the_kernel_gives_up(monkeypatch):
    puzzles = np.zeros((3, 81), np.uint8)
    workspace = direct._workspace()
    workspace.state.counters[direct.classic.MOST_VAIN] = 0
    monkeypatch.setattr(direct, "_idle", [workspace])
    assert direct.batch(puzzles, 2) is None
    assert sudoku.count_batch(puzzles).tolist() == [2, 2, 2]


def test_a_puzzle_that_the_kernel_gives_up_takes_the_general_way(monkeypatch):
    puzzle = SEVERAL[0]
    expected = answers(puzzle)
    workspace = direct._workspace()
    workspace.state.counters[direct.classic.MOST_VAIN] = 0
    monkeypatch.setattr(direct, "_idle", [workspace])
    assert direct.count(puzzle, 2) is None
    assert answers(puzzle) == expected
    assert direct._idle == [workspace]


def test_an_interrupted_search_leaves_no_workspace_behind(monkeypatch):
    monkeypatch.setattr(direct, "_idle", [])
    advance = direct.classic.advance

    def interrupted(*arguments):
        advance(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(direct.classic, "advance", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sudoku.is_unique(LINES[0])
    assert direct._idle == []
    assert sudoku.is_unique(LINES[0])


def test_threads_do_not_share_a_workspace():
    some = LINES[: examples(200)]
    with ThreadPoolExecutor(8) as pool:
        solved = list(pool.map(sudoku.solve, some * 8))
    assert [str(grid) for grid in solved] == [str(sudoku.solve(puzzle)) for puzzle in some] * 8
