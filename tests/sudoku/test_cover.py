"""Layouts as exact cover problems: the engine counts and samples complete grids."""

import numpy as np
import pytest

from dlx import solution_set
from sudoku import cover
from sudoku.layout import Layout


@pytest.mark.parametrize(
    ("size", "diagonal", "total"), [(4, False, 288), (4, True, 48), (6, True, 8640)]
)
def test_complete_grids(size, diagonal, total):
    layout = Layout.of(size, diagonal=diagonal)
    found = solution_set(cover.problem(layout))
    assert found.count == total
    symbols = np.arange(size) + 1
    for options in found.sample(20, seed=4):
        values = cover.cover_to_values(options, layout).ravel()
        assert all((np.sort(values[house]) == symbols).all() for house in layout.houses)
