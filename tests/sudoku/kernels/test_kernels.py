"""The kernels on the puzzles they share: against an oracle, each other and the engine.

`SUDOKU_RANDOM_PUZZLES=1000000 python -m pytest tests/sudoku/kernels/test_kernels.py` compares the
kernels on a million random puzzles, and with the exact cover engine on a tenth as many.
"""

import os
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from numba import config

from dlx import Search
from sudoku import cover
from sudoku.kernels import classic, houses, lanes, masks
from sudoku.kernels.kernel import UNDECIDED, KernelBatch
from sudoku.layout import House, Layout
from sudoku.reading.convert import as_grid
from tests import modes, naive
from tests.modes import examples, long

pytestmark = modes.kernel
KERNELS = (classic, houses, masks)


def each_of(*kernels):
    return pytest.mark.parametrize(
        "kernel", kernels, ids=lambda kernel: kernel.__name__.rpartition(".")[2]
    )


all_kernels = each_of(*KERNELS)
# the kernel of houses advances 32 lanes at once, and without the JIT one after another
quick_kernels = each_of(classic, pytest.param(houses, marks=long), masks)

RANDOM_PUZZLES = int(os.environ.get("SUDOKU_RANDOM_PUZZLES", 20 if config.DISABLE_JIT else 2000))
BATCH = min(RANDOM_PUZZLES, 1000)
NINE = Layout(3, 3)
HOUSES = NINE.houses
JIGSAW_SIX = "aabbbb aabbcc aaddcc eeddcc eeddff eeffff"
JIGSAW = """
aaaabbbbb aaccccbbb daacccccb ddaeeffff ddgeeeeff ddgeehfff gdgehhhhh gdghhiihi gggiiiiii
"""
LAYOUTS = [
    Layout(2, 2, diagonal=True),
    Layout.of(4, "antiknight"),
    Layout.of(5, "latin+antiking"),
    Layout(2, 3, extra=[House("diagonal of three", (0, 8, 16))]),
    Layout.of(regions=JIGSAW_SIX),
    Layout.of(9, "windoku"),
    Layout.of(9, "asterisk"),
    Layout.of(regions=JIGSAW),
    pytest.param(Layout(3, 4), marks=long),
]

SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
HARD = "800000000003600000070090200050007000000045700000100030001000068008500010090000400"
RECTANGLE = "023456789456789123789123456234567891567891234891234567345678912678912345912345678"


def new_batch(puzzles, limit, cells=81, only_counts=False):
    puzzles = np.array(puzzles, np.uint8).reshape(-1, cells)
    counts, nodes = np.full((2, len(puzzles)), UNDECIDED)
    solutions = np.full_like(puzzles[:0] if only_counts else puzzles, 255)
    return KernelBatch(puzzles, limit, counts, solutions, nodes)


def run(kernel, puzzles, limit, budget=1 << 40, layout=NINE, **options):
    """Counts, first solutions and nodes, from calls with this budget; and the number of calls."""
    batch = new_batch(puzzles, limit, layout.cells)
    state = kernel.start(kernel.tables(layout.houses, layout.pairs), **options)
    calls = 1
    while not kernel.advance(state, budget, batch):
        calls += 1
    return batch.counts, batch.solutions, batch.nodes, calls


def digits(text):
    return [int(character) for character in text]


def random_grids(rng, number):
    """Complete grids: three boxes on the diagonal at random, the rest by a kernel, shuffled."""
    starts = np.zeros((number, 9, 9), np.uint8)
    for start in starts:
        for corner in (0, 3, 6):
            box = 1 + rng.permutation(9).reshape(3, 3)
            start[corner : corner + 3, corner : corner + 3] = box
    grids = run(classic, starts, 1)[1].reshape(number, 9, 9)
    for values in grids:
        lines = [(3 * rng.permutation(3)[:, None] + rng.permutation(3)).ravel() for _ in range(2)]
        values[:] = values[np.ix_(*lines)]
        if rng.integers(2):
            values[:] = values.T.copy()
    return grids.reshape(number, 81)


def random_puzzles(rng, number):
    """Puzzles with 0 to 81 givens; a given or two are changed in every third one."""
    puzzles = random_grids(rng, number)
    for puzzle in puzzles:
        givens = rng.integers(0, 82) if rng.integers(4) == 0 else rng.integers(18, 40)
        puzzle[rng.permutation(81)[givens:]] = 0
        if rng.integers(3) == 0:
            for cell in rng.integers(0, 81, 1 + rng.integers(2)):
                puzzle[cell] = 1 + rng.integers(9)
    return puzzles


def is_grid(solution):
    """Does every row, column and box hold the nine digits?"""
    return (np.sort(solution[HOUSES], axis=1) == np.arange(1, 10)).all()


def of_layout(layout, rng, number):
    """Puzzles of a layout: a grid with digits exchanged and blanks; up to two cells changed."""
    first = np.zeros(layout.cells, np.uint8)
    first[: layout.size] = 1 + np.arange(layout.size)
    grid = run(masks, first, 1, layout=layout)[1][0]
    puzzles = np.array([(1 + rng.permutation(layout.size))[grid - 1] for _ in range(number)])
    for puzzle in puzzles:
        puzzle[rng.random(layout.cells) < rng.uniform(0.3, 0.6)] = 0
        for cell in rng.integers(0, layout.cells, rng.integers(3)):
            puzzle[cell] = rng.integers(1 + layout.size)
    return puzzles


def check_solutions(puzzles, counts, solutions):
    """Every solution is a grid that holds the givens, and there is one where the count says so."""
    for puzzle, count, solution in zip(puzzles, counts, solutions, strict=True):
        if count == 0:
            assert not solution.any()
        else:
            assert is_grid(solution)
            assert (solution[puzzle > 0] == puzzle[puzzle > 0]).all()


def hard_puzzles(rng, number):
    """Puzzles that take many guesses, with no solution, one or more."""
    puzzles = np.array([digits(rng.choice([SEVENTEEN, HARD])) for _ in range(number)], np.uint8)
    for puzzle in puzzles:
        puzzle[rng.choice(np.flatnonzero(puzzle), rng.integers(3), replace=False)] = 0
        if rng.integers(3) == 0:
            puzzle[rng.choice(np.flatnonzero(puzzle == 0))] = 1 + rng.integers(9)
    return puzzles


def in_parts(kernel, batch, refuted, budget=1 << 30, layout=NINE, patience=1 << 12):
    """Search puzzles in parts after so many branches without a solution; the number of calls."""
    state = kernel.start(kernel.tables(layout.houses, layout.pairs), patience)
    state.counters[lanes.REFUTED] = refuted
    calls = 1
    while not kernel.advance(state, budget, batch):
        calls += 1
    return calls


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_counts_agree_with_the_oracle(limit):
    puzzles = random_puzzles(np.random.default_rng(limit), examples(200))
    puzzles = puzzles[(puzzles > 0).sum(axis=1) > 29]  # with fewer givens the oracle takes long
    houses = naive.sudoku_houses(3, 3)
    found = [list(islice(naive.sudoku_solutions(houses, p), limit)) for p in puzzles.tolist()]
    for kernel in KERNELS:
        counts, solutions, _, _ = run(kernel, puzzles, limit)
        check_solutions(puzzles, counts, solutions)
        assert counts.tolist() == [len(grids) for grids in found]


@pytest.mark.parametrize("limit", [pytest.param(1, marks=long), 2, pytest.param(5, marks=long)])
def test_the_kernels_agree_with_each_other(limit):
    rng = np.random.default_rng(10 + limit)
    for _ in range(0, RANDOM_PUZZLES, BATCH):
        puzzles = random_puzzles(rng, BATCH)
        results = [run(kernel, puzzles, limit) for kernel in KERNELS]
        for counts, solutions, _, _ in results:
            check_solutions(puzzles, counts, solutions)
            assert counts.tolist() == results[0][0].tolist()


def test_counts_agree_with_the_exact_cover_engine():
    problem = cover.problem(Layout(3, 3))
    rng = np.random.default_rng(20)
    for _ in range(0, RANDOM_PUZZLES, BATCH):
        puzzles = random_puzzles(rng, BATCH // 10)
        counts = run(classic, puzzles, 3)[0]
        givens = [cover.givens(as_grid(puzzle)) for puzzle in puzzles]
        assert counts.tolist() == [Search(problem, given=g, limit=3).count() for g in givens]


@quick_kernels
def test_the_solutions_of_known_puzzles(kernel):
    puzzles = [digits(SEVENTEEN), digits(HARD), digits(RECTANGLE)]
    counts, solutions, nodes, _ = run(kernel, puzzles, 2)
    assert counts.tolist() == [1, 1, 1]
    assert "".join(map(str, solutions[0])) == (
        "693784512487512936125963874932651487568247391741398625319475268856129743274836159"
    )
    assert "".join(map(str, solutions[2])) == "1" + RECTANGLE[1:]
    assert nodes[2] == 0


@quick_kernels
def test_the_empty_grid_has_as_many_solutions_as_the_limit_allows(kernel):
    limit = examples(100)
    counts, solutions, _, _ = run(kernel, np.zeros((2, 81)), limit)
    assert counts.tolist() == [limit, limit]
    assert is_grid(solutions[0])
    assert (solutions[0] == solutions[1]).all()


@all_kernels
@pytest.mark.parametrize("other", [1, 9, 10])
def test_a_digit_twice_in_a_house_has_no_solution(kernel, other):
    puzzle = np.zeros(81)
    puzzle[[0, other]] = 5
    counts, solutions, nodes, _ = run(kernel, puzzle, 2)
    assert counts.tolist() == [0]
    assert not solutions.any()
    assert nodes.tolist() == [0]


@all_kernels
def test_a_full_grid_is_its_own_solution_unless_a_digit_is_wrong(kernel):
    right = random_grids(np.random.default_rng(3), 1)[0]
    wrong = np.repeat(right[None], 81, axis=0)
    wrong[np.arange(81), np.arange(81)] = wrong[np.arange(81), np.arange(81)] % 9 + 1
    counts, solutions, nodes, _ = run(kernel, np.vstack([right[None], wrong]), 2)
    assert counts.tolist() == [1] + [0] * 81
    assert (solutions[0] == right).all()
    assert not nodes.any()


@long
@all_kernels
def test_a_result_does_not_depend_on_the_batch(kernel):
    puzzles = random_puzzles(np.random.default_rng(4), 40)
    puzzles[::5] = digits(HARD)
    together = run(kernel, puzzles, 2)[:3]
    each = zip(*(run(kernel, puzzle, 2)[:3] for puzzle in puzzles), strict=True)
    alone = [np.concatenate(column) for column in each]
    reversed_ = [column[::-1] for column in run(kernel, puzzles[::-1], 2)[:3]]
    for one, two, three in zip(together, alone, reversed_, strict=True):
        assert (one == two).all()
        assert (one == three).all()


@quick_kernels
def test_a_result_does_not_depend_on_the_budgets(kernel):
    puzzles = random_puzzles(np.random.default_rng(6), examples(50))
    puzzles[2] = 0
    whole = run(kernel, puzzles, examples(30))
    for budget in (1, 3, 20):
        sliced = run(kernel, puzzles, examples(30), budget)
        assert sliced[3] > whole[3] == 1
        for one, other in zip(sliced[:3], whole[:3], strict=True):
            assert (one == other).all()


@long
@all_kernels
def test_relabelling_and_turning_keep_the_count(kernel):
    rng = np.random.default_rng(5)
    puzzles = random_puzzles(rng, 500)
    counts = run(kernel, puzzles, 3)[0]
    labels = np.concatenate([[0], 1 + rng.permutation(9)])
    turned = labels[puzzles.reshape(-1, 9, 9).swapaxes(1, 2)[:, ::-1]]
    assert (run(kernel, turned, 3)[0] == counts).all()


@quick_kernels
def test_a_puzzle_that_takes_more_than_the_patience_stays_undecided(kernel):
    puzzles = [digits(HARD), digits(SEVENTEEN), digits(RECTANGLE)]
    for budget in (1, 1 << 40):
        counts, solutions, nodes, _ = run(kernel, puzzles, 2, budget, patience=20)
        assert counts.tolist() == [UNDECIDED, 1, 1]
        assert nodes[0] == 20
        assert nodes[1] < 20
        check_solutions(puzzles[1:] * np.ones((2, 81)), counts[1:], solutions[1:])


@quick_kernels
def test_many_solutions_are_counted_up_to_the_limit(kernel):
    limit = 90 if config.DISABLE_JIT else 100_000
    if kernel is houses:
        limit //= 30  # one lane of 32 is searched, and no digits are exchanged
    counts, solutions, _, _ = run(kernel, np.zeros((1, 81)), limit)
    assert counts[0] == limit
    assert is_grid(solutions[0])


@all_kernels
def test_a_batch_without_puzzles(kernel):
    assert [len(column) for column in run(kernel, np.zeros((0, 81)), 2)[:3]] == [0, 0, 0]


@long
def test_the_patience_of_the_classic_kernel_counts_guesses_since_the_last_solution():
    # the empty grid takes some 50 guesses to the first solution, then one for each, none in vain
    assert run(classic, np.zeros(81), 200, patience=20)[0].tolist() == [UNDECIDED]
    counts, _, nodes, _ = run(classic, np.zeros(81), 200, patience=60)
    assert counts.tolist() == [200]
    assert nodes[0] > 200


@pytest.mark.parametrize(
    ("name", "rounds", "guesses"),
    [("several-solutions", 104, 556), pytest.param("hard-9x9", 156, 320, marks=long)],
)
def test_rounds_and_guesses_of_the_classic_kernel(name, rounds, guesses):
    text = (Path(__file__).parents[3] / "data" / f"{name}.txt").read_text().replace(".", "0")
    _, _, nodes, calls = run(classic, [digits(line) for line in text.split()[:64]], 2, 1)
    assert (calls, nodes.sum()) == (rounds, guesses)


def test_a_call_of_the_mask_kernel_takes_no_more_nodes_than_its_budget():
    for puzzle in (np.zeros(81), digits(HARD)):
        batch, state = new_batch(puzzle, 1000), masks.start(masks.tables(HOUSES))
        done, before = False, 0
        while not done:
            done = masks.advance(state, 5, batch)
            assert state.counters[masks.NODES] - before <= 5
            before = int(state.counters[masks.NODES])
        assert before == batch.nodes[0] > 20


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_other_layouts_agree_with_the_mask_kernel_and_the_engine(layout):
    rng = np.random.default_rng(layout.cells)
    puzzles = of_layout(layout, rng, examples(100))
    every = [*layout.houses.tolist(), *layout.pairs.tolist()]
    for limit in (1, 3):
        counts, solutions, _, _ = run(houses, puzzles, limit, layout=layout)
        assert counts.tolist() == run(masks, puzzles, limit, layout=layout)[0].tolist()
        for puzzle, count, solution in zip(puzzles, counts, solutions, strict=True):
            assert solution.all() == (count > 0)
            if count:
                assert (solution[puzzle > 0] == puzzle[puzzle > 0]).all()
                assert all(len(set(solution[house].tolist())) == len(house) for house in every)
    problem = cover.problem(layout)
    for puzzle, count in zip(puzzles[:10], counts[:10], strict=True):
        given = cover.givens(as_grid(puzzle, box=layout))
        assert count == Search(problem, given=given, limit=3).count()


@pytest.mark.parametrize(
    "layout",
    [*LAYOUTS[:2], *(pytest.param(layout, marks=long) for layout in LAYOUTS[2:4])],
    ids=repr,
)
def test_empty_grids_of_other_layouts_are_counted(layout):
    limit = examples(400)
    total = Search(cover.problem(layout), limit=limit).count()
    empty = np.zeros((1, layout.cells), np.uint8)
    assert run(houses, empty, limit, layout=layout)[0].tolist() == [total]


def test_candidates_are_constraints():
    rng = np.random.default_rng(8)
    layout = Layout(2, 2)
    puzzles = np.zeros((examples(100), 16), np.uint8)
    puzzles[::2, 3] = 1
    own = rng.choice([15, 15, 15, 14, 7, 11, 13], puzzles.shape)
    counts = run(houses, puzzles, 20, layout=layout, candidates=own)[0]
    assert counts.tolist() == run(masks, puzzles, 20, layout=layout, candidates=own)[0].tolist()
    assert np.count_nonzero((counts > 0) & (counts < 20)) > 0


@pytest.mark.parametrize("layout", [*LAYOUTS[:-1], NINE, Layout.of(7, "latin")], ids=repr)
def test_equal_sets_hold_the_same_digits(layout):
    tables = houses.tables(layout.houses, layout.pairs)
    grid = run(masks, np.zeros(layout.cells), 1, layout=layout)[1][0]
    for sets, size in zip(tables.equal, tables.sizes.tolist(), strict=True):
        one, other = grid[sets[:, :size]].tolist()
        assert 0 < size <= 2 * layout.size // 3
        assert sorted(one) == sorted(other)


def test_equal_sets_of_a_jigsaw_follow_from_rows_and_regions():
    # rows 1 and 2 and the regions a and b have ten of twelve cells in common
    tables = houses.tables(LAYOUTS[4].houses)
    sets = [both[:, :size].tolist() for both, size in zip(tables.equal, tables.sizes, strict=True)]
    assert [[10, 11], [12, 13]] in sets
    # in each band and stack of boxes three lines cross three boxes
    assert houses.tables(HOUSES).sizes.tolist() == [6] * 54


WHOLE = 1 << 40


@pytest.mark.parametrize("kernel", [classic, houses])
def test_a_puzzle_in_parts_has_the_answers_of_the_whole(kernel):
    rng = np.random.default_rng(40)
    for _ in range(examples(100)):
        layout = NINE if kernel is classic else rng.choice([NINE, Layout(2, 3), Layout(2, 2)])
        number = rng.integers(1, 1 + examples(40))
        if layout is NINE:
            puzzles = hard_puzzles(rng, number)
        else:
            puzzles = of_layout(layout, rng, number) * (rng.random((number, layout.cells)) < 0.6)
        limit, patience = rng.integers(1, 4), rng.choice([0, 1, 5, 30, 1 << 12])
        budget = rng.choice([1, 3, 50, 1 << 30])
        few = rng.choice([0, lanes.FEW_REFUTED])
        whole, parts = (new_batch(puzzles, limit, layout.cells) for _ in range(2))
        counted = new_batch(puzzles, limit, layout.cells, only_counts=True)
        in_parts(kernel, whole, WHOLE, layout=layout, patience=patience)
        in_parts(kernel, parts, few, budget, layout, patience)
        in_parts(kernel, counted, few, budget, layout, patience)
        for answers, expected in zip(parts[2:], whole[2:], strict=True):
            np.testing.assert_array_equal(answers, expected)
        # parts may find as many as are asked for before a search in one lane would give up
        found = (whole.counts == UNDECIDED) & (counted.counts == limit)
        assert (found | (counted.counts == whole.counts)).all()


@long
def test_idle_lanes_take_parts_of_the_last_puzzles():
    puzzle = [digits(HARD)]
    whole = in_parts(classic, new_batch(puzzle, 2), WHOLE, 1)
    assert in_parts(classic, new_batch(puzzle, 2), lanes.FEW_REFUTED, 1) < whole / 2
    assert in_parts(classic, new_batch(puzzle, 2, only_counts=True), WHOLE, 1) < whole / 2
