"""The 9 x 9 kernel against an oracle, the general kernels and known puzzles.

`SUDOKU_RANDOM_PUZZLES=1000000 python -m pytest tests/test_sudoku_nine.py` compares a million
random puzzles with the kernel for any layout, and a tenth as many with the exact cover engine.
"""

import os
from itertools import islice

import numpy as np
import pytest
from numba import config

from dlx import Search
from sudoku import cover
from sudoku.kernels import masks
from sudoku.kernels import nine_by_nine as nine
from sudoku.layout import Layout
from sudoku.reading.convert import as_grid
from tests import naive
from tests.modes import kernel, long

pytestmark = kernel

RANDOM_PUZZLES = int(os.environ.get("SUDOKU_RANDOM_PUZZLES", 20 if config.DISABLE_JIT else 2000))
BATCH = min(RANDOM_PUZZLES, 1000)

SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
HARD = "800000000003600000070090200050007000000045700000100030001000068008500010090000400"
RECTANGLE = "023456789456789123789123456234567891567891234891234567345678912678912345912345678"


def run(puzzles, limit):
    """What the kernel writes for these puzzles: counts, first solutions, guesses."""
    puzzles = np.array(puzzles, np.uint8).reshape(-1, 81)
    counts = np.full(len(puzzles), -1, np.int64)
    solutions = np.full((len(puzzles), 81), 255, np.uint8)
    nodes = np.full(len(puzzles), -1, np.int64)
    nine.run(puzzles, limit, counts, solutions, nodes)
    return counts, solutions, nodes


def digits(text):
    return [int(character) for character in text]


def random_grids(rng, number):
    """Complete grids: three boxes on the diagonal at random, the rest by the kernel, shuffled."""
    starts = np.zeros((number, 9, 9), np.uint8)
    for start in starts:
        for corner in (0, 3, 6):
            box = 1 + rng.permutation(9).reshape(3, 3)
            start[corner : corner + 3, corner : corner + 3] = box
    grids = run(starts, 1)[1].reshape(number, 9, 9)
    for values in grids:
        lines = [(3 * rng.permutation(3)[:, None] + rng.permutation(3)).ravel() for _ in range(2)]
        values[:] = values[np.ix_(*lines)]
        if rng.integers(2):
            values[:] = values.T.copy()
    return grids.reshape(number, 81)


def random_puzzles(rng, number, altered=True):
    """Puzzles with 0 to 81 givens; if `altered`, a given or two are changed in every third one."""
    puzzles = random_grids(rng, number)
    for puzzle in puzzles:
        givens = rng.integers(0, 82) if rng.integers(4) == 0 else rng.integers(18, 40)
        puzzle[rng.permutation(81)[givens:]] = 0
        if altered and rng.integers(3) == 0:
            for cell in rng.integers(0, 81, 1 + rng.integers(2)):
                puzzle[cell] = 1 + rng.integers(9)
    return puzzles


def is_grid(solution):
    """Does every row, column and box hold the nine digits?"""
    rows = solution.reshape(9, 9)
    boxes = rows.reshape(3, 3, 3, 3).swapaxes(1, 2).reshape(9, 9)
    return all(
        (np.sort(lines, axis=1) == np.arange(1, 10)).all() for lines in (rows, rows.T, boxes)
    )


def check_solutions(puzzles, counts, solutions):
    """Every solution is a grid that holds the givens, and there is one where the count says so."""
    for puzzle, count, solution in zip(puzzles, counts, solutions, strict=True):
        if count == 0:
            assert not solution.any()
        else:
            assert is_grid(solution)
            assert (solution[puzzle > 0] == puzzle[puzzle > 0]).all()


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_counts_agree_with_the_oracle(limit):
    puzzles = random_puzzles(np.random.default_rng(limit), 200)
    puzzles = puzzles[(puzzles > 0).sum(axis=1) > 29]  # with fewer givens the oracle takes long
    counts, solutions, _ = run(puzzles, limit)
    check_solutions(puzzles, counts, solutions)
    houses = naive.sudoku_houses(3, 3)
    found = [list(islice(naive.sudoku_solutions(houses, p), limit)) for p in puzzles.tolist()]
    assert counts.tolist() == [len(grids) for grids in found]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_counts_agree_with_the_kernel_for_any_layout(limit):
    rng = np.random.default_rng(10 + limit)
    tables = masks.tables(Layout(3, 3))
    for _ in range(0, RANDOM_PUZZLES, BATCH):
        puzzles = random_puzzles(rng, BATCH)
        counts, solutions, _ = run(puzzles, limit)
        check_solutions(puzzles, counts, solutions)
        expected, nodes = np.empty_like(counts), np.empty_like(counts)
        masks.run(tables, puzzles, limit, expected, np.empty_like(puzzles), nodes)
        assert counts.tolist() == expected.tolist()


def test_counts_agree_with_the_exact_cover_engine():
    problem = cover.problem(Layout(3, 3))
    rng = np.random.default_rng(20)
    for _ in range(0, RANDOM_PUZZLES, BATCH):
        puzzles = random_puzzles(rng, BATCH // 10)
        counts = run(puzzles, 3)[0]
        givens = [cover.givens(as_grid(puzzle)) for puzzle in puzzles]
        assert counts.tolist() == [Search(problem, given=g, limit=3).count() for g in givens]


def test_known_puzzles():
    counts, solutions, nodes = run([digits(SEVENTEEN), digits(HARD), digits(RECTANGLE)], 2)
    assert counts.tolist() == [1, 1, 1]
    assert "".join(map(str, solutions[0])) == (
        "693784512487512936125963874932651487568247391741398625319475268856129743274836159"
    )
    assert "".join(map(str, solutions[2])) == "1" + RECTANGLE[1:]
    assert nodes[2] == 0


def test_the_puzzle_of_no_givens_has_as_many_solutions_as_are_asked_for():
    counts, solutions, _ = run(np.zeros((2, 81)), 300)
    assert counts.tolist() == [300, 300]
    assert is_grid(solutions[0])
    assert (solutions[0] == solutions[1]).all()


@pytest.mark.parametrize("other", [1, 9, 10])
def test_a_digit_twice_in_a_house_has_no_solution(other):
    puzzle = np.zeros(81)
    puzzle[[0, other]] = 5
    counts, solutions, nodes = run(puzzle, 2)
    assert counts.tolist() == [0]
    assert not solutions.any()
    assert nodes.tolist() == [0]


def test_a_full_grid_is_its_own_solution_unless_a_digit_is_wrong():
    right = random_grids(np.random.default_rng(3), 1)[0]
    wrong = np.repeat(right[None], 81, axis=0)
    wrong[np.arange(81), np.arange(81)] = wrong[np.arange(81), np.arange(81)] % 9 + 1
    counts, solutions, nodes = run(np.vstack([right[None], wrong]), 2)
    assert counts.tolist() == [1] + [0] * 81
    assert (solutions[0] == right).all()
    assert not nodes.any()


@long
def test_a_result_does_not_depend_on_the_batch():
    puzzles = random_puzzles(np.random.default_rng(4), 40)
    puzzles[::5] = digits(HARD)
    together = run(puzzles, 2)
    alone = [np.concatenate(column) for column in zip(*(run(p, 2) for p in puzzles), strict=True)]
    reversed_ = [column[::-1] for column in run(puzzles[::-1], 2)]
    for one, two, three in zip(together, alone, reversed_, strict=True):
        assert (one == two).all()
        assert (one == three).all()


@long
def test_relabelling_and_turning_keep_the_count():
    rng = np.random.default_rng(5)
    puzzles = random_puzzles(rng, 500)
    counts = run(puzzles, 3)[0]
    labels = np.concatenate([[0], 1 + rng.permutation(9)])
    turned = labels[puzzles.reshape(-1, 9, 9).swapaxes(1, 2)[:, ::-1]]
    assert (run(turned, 3)[0] == counts).all()


def test_a_puzzle_is_given_up_after_so_many_guesses_in_vain():
    puzzles = np.array([digits(HARD), digits(SEVENTEEN), [0] * 81], np.uint8)
    counts, solutions, nodes = np.zeros(3, np.int64), np.ones_like(puzzles), np.zeros(3, np.int64)
    assert nine.advance(nine.start(patience=20), 10**6, puzzles, 200, counts, solutions, nodes)
    assert counts.tolist() == [nine.UNKNOWN, 1, nine.UNKNOWN]
    assert nodes.tolist() == [20, 0, 20]
    assert solutions.any(axis=1).tolist() == [False, True, False]
    # an empty grid takes some 50 guesses to the first solution, then one for each, none in vain
    assert nine.advance(nine.start(patience=60), 10**6, puzzles, 200, counts, solutions, nodes)
    assert counts.tolist() == [1, 1, 200]
    assert nodes[2] > 200


def test_a_search_can_be_long():
    counts, solutions, nodes = run(np.zeros((1, 81)), 300 if config.DISABLE_JIT else 100_000)
    assert nodes[0] > counts[0] - 1 > 200
    assert is_grid(solutions[0])


def test_a_search_goes_on_where_it_stopped():
    puzzles = random_puzzles(np.random.default_rng(6), 50)
    puzzles[7] = 0
    counts, solutions, nodes = np.full(50, -1), np.zeros_like(puzzles), np.zeros(50, np.int64)
    state = nine.start()
    slices = 1
    while not nine.advance(state, 3, puzzles, 30, counts, solutions, nodes):
        slices += 1
    assert slices > 10
    for sliced, whole in zip((counts, solutions, nodes), run(puzzles, 30), strict=True):
        assert (sliced == whole).all()


def test_no_puzzles():
    counts, solutions, nodes = run(np.zeros((0, 81)), 2)
    assert len(counts) == len(solutions) == len(nodes) == 0
