"""The kernel that removes givens: against a pass one by one; and its sets of cells."""

import numpy as np
import pytest

from sudoku.generate.pattern import groups_of
from sudoku.generate.removal import FEW_PUZZLES, remove_givens
from sudoku.grids import random_grids
from sudoku.kernels import removal
from sudoku.layout import Layout
from sudoku.random_numbers import random_permutations
from sudoku.solving.batch_search import CLASSIC_SPEED, UniquenessCheck
from tests import modes
from tests.modes import COMPILED, long

pytestmark = modes.kernel
CLASSIC = Layout(3, 3)
NUMBER = 60 if COMPILED else 1


def pass_by_groups(puzzle, order, groups, least, check):
    """Remove group after group as long as there is one solution."""
    puzzle = puzzle.copy()
    for group in order:
        trial = np.where(groups.group_of == group, 0, puzzle)
        spare = (puzzle > 0).sum() - least
        if (puzzle > 0).sum() - (trial > 0).sum() <= spare and check(trial[None])[0][0] == 1:
            puzzle = trial
    return puzzle


@pytest.mark.parametrize(
    ("symmetry", "least", "blanks"),
    [
        ("full", 0, 0),
        pytest.param("none", 0, 0, marks=long),
        pytest.param("rotate180", 0, 0, marks=long),
        pytest.param("rotate90", 33, 0, marks=long),
        pytest.param("none", 0, 9, marks=long),
    ],
)
def test_a_pass_one_by_one_removes_the_same(symmetry, least, blanks, monkeypatch):
    grids = random_grids(NUMBER, seed=3)
    groups, counters = groups_of(CLASSIC, symmetry), np.arange(NUMBER, dtype=np.uint64)
    order = random_permutations(len(groups.size), 4, counters)
    check = UniquenessCheck(CLASSIC)
    puzzles = grids.copy()
    puzzles[:, ::10] *= not blanks  # blanks on a diagonal leave one solution
    pairs = zip(puzzles, order, strict=True)
    expected = [pass_by_groups(puzzle, turn, groups, least, check) for puzzle, turn in pairs]
    for begun in (0, FEW_PUZZLES):  # without the kernel, and with it
        monkeypatch.setattr("sudoku.generate.removal._begun", begun)
        own = UniquenessCheck(CLASSIC)
        results = remove_givens(puzzles, grids, groups, order, own, np.full(NUMBER, least))
        assert results.tolist() == [puzzle.tolist() for puzzle in expected]
        assert own.effort == order.size / CLASSIC_SPEED


def test_budgets_and_neighbours_change_nothing():
    grids = random_grids(NUMBER, seed=5)
    cells = np.arange(81)
    order = random_permutations(81, 6, np.arange(NUMBER, dtype=np.uint64))

    def removed(part, budget):
        number = len(grids[part])
        batch = removal.Removals(
            grids[part].copy(), grids[part], np.arange(82), cells, order[part],
            np.full(number, 81), np.zeros(number, np.int64),
        )  # fmt: skip
        state = removal.start()
        while not removal.advance(state, budget, batch):
            pass
        return batch.puzzles.tolist(), batch.work.tolist()

    together = removed(slice(None), 1 << 20)
    assert removed(slice(None), 3) == together
    last = removed(slice(NUMBER - 1, None), 1 << 20)
    assert last == tuple(part[-1:] for part in together)
    # a puzzle has 81 trials; what is seen without a search spares more than a third
    assert max(together[1]) < 250
    assert len(together[1]) == NUMBER > 0 < min(together[1])


def test_every_set_can_be_filled_in_another_way():
    grids = random_grids(3, seed=7)
    order = np.tile(np.arange(81), (3, 1))
    spare, work = np.full(3, 81), np.zeros(3, np.int64)
    batch = removal.Removals(
        grids.copy(), grids, np.arange(82), np.arange(81), order, spare, work
    )  # fmt: skip
    state = removal.start()
    assert not removal.advance(state, 0, batch)  # each puzzle is in a lane, and no round was done
    for member, grid in zip(state.member, grids, strict=False):
        assert 54 <= member.max() < removal.MOST_SETS
        seen = set()
        for which in range(member.max() + 1):
            cells = np.flatnonzero((member == which).any(axis=1))
            other = other_filling(grid, cells)
            assert len(cells) >= 4 and (other[cells] != grid[cells]).all()
            assert all(len(set(other[house].tolist())) == 9 for house in CLASSIC.houses)
            seen.update(cells.tolist())
        assert seen == set(range(81))


def other_filling(grid, cells):
    """Exchange the two digits of the cells, or the two rows, or the two columns, that they fill."""
    other = grid.copy()
    digits = sorted(set(grid[cells].tolist()))
    if len(digits) == 2:
        other[cells] = sum(digits) - grid[cells]
        return other
    rows = sorted({cell // 9 for cell in cells.tolist()})
    across = len(rows) == 2
    lines = rows if across else sorted({cell % 9 for cell in cells.tolist()})
    step = 9 if across else 1
    for cell in cells.tolist():
        line = cell // 9 if across else cell % 9
        other[cell] = grid[cell + step * (sum(lines) - 2 * line)]
    return other
