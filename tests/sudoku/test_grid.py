"""Grids as text."""

import numpy as np
import pytest

from sudoku.errors import SudokuError
from sudoku.grid import Grid
from sudoku.layout import Layout


def test_formats():
    g = Grid(Layout(2, 3), np.arange(36) % 7)
    assert format(g, "grid").splitlines()[0] == ".12345"
    assert format(g, "pretty").splitlines()[2] == "------+------"
    with pytest.raises(SudokuError, match="unknown format"):
        format(g, "html")
