"""Unique rectangles, found among the options that are left."""

import numpy as np
import pytest

from sudoku.explain.rectangles import rectangle
from sudoku.layout import Layout


@pytest.mark.parametrize("side", [2, 3, 8])
def test_three_corners_of_a_rectangle_exclude_both_digits_from_the_fourth(side):
    n = side * side  # of 64 digits the last one is the highest bit of a mask
    alive = np.ones((n * n, n), bool)
    corners = [0, side, n, n + side]  # in rows 1 and 2, and in two boxes
    alive[corners] = False
    alive[corners, n - 2 :] = True
    alive[corners[3], 0] = True
    found = rectangle(Layout(side, side), alive.reshape(-1))
    assert found == ((), corners, [corners[3] * n + n - 2, corners[3] * n + n - 1])
