"""The mask kernel: other layouts than the classic one, and lists of solutions."""

import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudoku.kernels import masks
from sudoku.kernels.kernel import UNDECIDED, KernelBatch
from sudoku.layout import Layout
from tests import naive
from tests.modes import examples, kernel, long

pytestmark = kernel

FOUR = masks.tables(naive.sudoku_houses(2, 2))
FOUR_DIAGONAL = masks.tables(naive.sudoku_houses(2, 2, diagonal=True))
SIX = masks.tables(naive.sudoku_houses(2, 3))
SIX_DIAGONAL = masks.tables(naive.sudoku_houses(2, 3, diagonal=True))
NINE = masks.tables(naive.sudoku_houses(3, 3))
NINE_DIAGONAL = masks.tables(naive.sudoku_houses(3, 3, diagonal=True))
JIGSAW = "aabbbb aabbcc aaddcc eeddcc eeddff eeffff"


def tables_of(layout):
    return masks.tables(layout.houses, layout.pairs)


LAYOUTS = [
    FOUR,
    FOUR_DIAGONAL,
    SIX,
    SIX_DIAGONAL,
    tables_of(Layout.of(4, "antiknight")),
    tables_of(Layout.of(6, "antiking+maindiagonal")),
    tables_of(Layout.of(regions=JIGSAW)),
    tables_of(Layout.of(5, "latin+antiking")),
]


def houses_of(tables):
    """Houses for the oracles: the complete ones, then the pairs as houses of two cells."""
    start = tables.pair_start.tolist()
    pairs = [
        [cell, other] for cell, (a, b) in enumerate(pairwise(start)) for other in tables.pair[a:b]
    ]
    return tables.houses.tolist() + pairs


def search(tables, puzzle, limit=1 << 40, rows=0, budgets=(1 << 40,), stubborn=False):
    """Count and list, with the budgets in turn.

    If `stubborn`, the counters say that the search has failed many times.
    """
    state = masks.start(tables)
    masks.begin(state, np.array(puzzle, dtype=np.uint8))
    found, solutions, turn = 0, [], 0
    while not state.counters[masks.EXHAUSTED] and found < limit:
        room = min(limit - found, rows) if rows else limit - found
        out = np.zeros((rows, len(puzzle)), dtype=np.uint8)
        if stubborn and state.counters[masks.FAILURES] <= masks.ALL_DIFFERENT_FROM:
            state.counters[masks.FAILURES] = masks.ALL_DIFFERENT_FROM + 1
            if found == 0:
                state.counters[masks.RESTART] = masks.ALL_DIFFERENT_FROM + 1
                state.counters[masks.WINDOW] = 5
                state.counters[masks.PROBE] = 0
        new = masks.find(state, budgets[turn % len(budgets)], room, out)
        assert 0 <= new <= room
        found += new
        solutions += [tuple(map(int, row)) for row in out[:new]]
        turn += 1
    return found, solutions


def batch(tables, puzzles, limit):
    puzzles = np.array(puzzles, dtype=np.uint8)
    counts, nodes = np.full((2, len(puzzles)), UNDECIDED)
    search = KernelBatch(puzzles, limit, counts, np.full_like(puzzles, 255), nodes)
    assert masks.advance(masks.start(tables), 1 << 40, search)
    return counts.tolist(), search.solutions, nodes


def is_solution(tables, values, puzzle=None):
    size = tables.houses.shape[1]
    values = np.asarray(values)
    fits = puzzle is None or all(p in (0, v) for p, v in zip(puzzle, values, strict=True))
    return fits and (np.sort(values[tables.houses], axis=1) == np.arange(1, size + 1)).all()


@st.composite
def puzzles(draw):
    """A layout and some givens: from one solution, up to two of them changed."""
    tables = draw(st.sampled_from(LAYOUTS))
    size = tables.houses.shape[1]
    cells = size * size
    random = draw(st.randoms(use_true_random=False))
    seed = [0] * cells
    for cell, digit in zip(range(size), random.sample(range(1, size + 1), size), strict=True):
        seed[cell] = digit
    counts, solutions, _ = batch(tables, [seed], 1)
    values = solutions[0].tolist() if counts[0] else seed
    kept = draw(st.integers(cells // 3 if size > 4 else 0, cells))
    puzzle = [0] * cells
    for cell in random.sample(range(cells), kept):
        puzzle[cell] = values[cell]
    for _ in range(draw(st.integers(0, 2))):
        puzzle[draw(st.integers(0, cells - 1))] = draw(st.integers(0, size))
    return tables, puzzle


@settings(deadline=None, max_examples=examples(60))
@given(puzzles(), st.integers(1, 5), st.lists(st.integers(1, 9), min_size=1), st.integers(1, 4))
def test_finds_what_the_oracle_finds(case, limit, budgets, rows):
    tables, puzzle = case
    expected = set(naive.sudoku_solutions(houses_of(tables), puzzle))
    assert search(tables, puzzle)[0] == len(expected)
    found, listed = search(tables, puzzle, rows=rows, budgets=budgets)
    assert found == len(listed) == len(expected)
    assert set(listed) == expected
    assert search(tables, puzzle, rows=rows)[1] == listed
    found, listed = search(tables, puzzle, rows=rows, budgets=budgets, stubborn=True)
    assert found == len(listed) == len(expected)
    assert set(listed) == expected
    counts, solutions, _ = batch(tables, [puzzle], limit)
    assert counts == [min(limit, len(expected))]
    assert tuple(solutions[0].tolist()) in (expected or {(0,) * len(puzzle)})


@pytest.mark.parametrize(("tables", "total"), [(FOUR, 288), (FOUR_DIAGONAL, 48)])
def test_lists_every_grid_once(tables, total):
    found, solutions = search(tables, [0] * 16, rows=7, budgets=[1, 5, 2])
    assert found == total
    assert len(set(solutions)) == total
    assert all(is_solution(tables, values) for values in solutions)


def test_counts_the_six_by_six_grids_with_diagonals():
    assert search(SIX_DIAGONAL, [0] * 36)[0] == 8640


def pandiagonal(size):
    """Tables of the Latin squares of which each broken diagonal has all digits, too."""
    row, column = np.divmod(np.arange(size * size), size)
    lines = (row, column, (row + column) % size, (row - column) % size)
    return masks.tables([np.flatnonzero(line == k) for line in lines for k in range(size)])


@pytest.mark.parametrize(("size", "total"), [(5, 2), (6, 0), (7, 4), (8, 0)])
def test_pandiagonal_latin_squares(size, total):
    """Known as Knut Vik designs: with the first row fixed, 2 of order 5, 4 of order 7, and none
    where 2 or 3 divides the order, which takes hundreds of failures to prove."""
    first_row = [*range(1, size + 1)] + [0] * (size * size - size)
    assert search(pandiagonal(size), first_row)[0] == total


def test_a_copied_state_can_be_continued():
    state = masks.start(FOUR)
    masks.begin(state, np.zeros(16, dtype=np.uint8))
    none = np.zeros((0, 16), dtype=np.uint8)
    first = masks.find(state, 1 << 40, 100, none)
    copy = pickle.loads(pickle.dumps(state))
    assert (first, masks.find(state, 1 << 40, 1000, none)) == (100, 188)
    assert masks.find(copy, 1 << 40, 1000, none) == 188


def test_givens_that_contradict_each_other():
    puzzle = [0] * 36
    puzzle[0] = puzzle[5] = 3
    assert search(SIX, puzzle) == (0, [])
    counts, solutions, nodes = batch(SIX, [puzzle, [0] * 36], 2)
    assert counts == [0, 2]
    assert not solutions[0].any()
    assert is_solution(SIX, solutions[1])
    assert nodes[0] == 0


def test_a_full_grid_is_its_own_solution():
    values = batch(NINE, [[0] * 81], 1)[1][0]
    counts, solutions, nodes = batch(NINE, [values], 2)
    assert counts == [1]
    assert (solutions[0] == values).all()
    assert nodes[0] == 0


def test_known_classic_puzzles():
    lines = (
        "912007050003059021005412009080045902000070500504060010000506000250700800030000095",
        "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
        ".....6....59.....82....8....45........3........6..3.54...325..6..................",
    )
    puzzle = [[0 if ch == "." else int(ch) for ch in line] for line in lines]
    counts, solutions, _ = batch(NINE, puzzle, 2)
    assert counts == [1, 1, 2]
    assert all(is_solution(NINE, s, p) for s, p in zip(solutions, puzzle, strict=True))


@long
def test_a_hard_puzzle_of_25_by_25_is_proved_unique():
    lines = (Path(__file__).parents[3] / "data" / "grid25.txt").read_text().split()
    puzzle = [0 if character == "." else ord(character) - 64 for character in "".join(lines)]
    tables = masks.tables(Layout(5, 5).houses)
    counts, solutions, nodes = batch(tables, [puzzle], 2)
    assert counts == [1]
    assert is_solution(tables, solutions[0], puzzle)
    assert nodes[0] < 100_000


@pytest.mark.parametrize(
    "box",
    [(2, 4), (3, 4), (4, 4), pytest.param((5, 5), marks=long), pytest.param((6, 6), marks=long)],
)
def test_empty_grids_of_every_mask_width(box):
    tables = masks.tables(naive.sudoku_houses(*box))
    cells = tables.num_houses.size
    counts, solutions, _ = batch(tables, [[0] * cells], 1)
    assert counts == [1]
    assert is_solution(tables, solutions[0])
    puzzle = solutions[0].copy()
    puzzle[::3] = 0
    counts, again, _ = batch(tables, [puzzle], 2)
    assert counts[0] >= 1
    assert is_solution(tables, again[0], puzzle)
