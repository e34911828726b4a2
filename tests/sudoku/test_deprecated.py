"""Old ways to call the functions of sudoku: they work and warn."""

import numpy as np
import pytest

import sudoku

EMPTY = "." * 16


def test_arguments_by_position_warn():
    with pytest.warns(DeprecationWarning, match="use limit=$") as seen:
        assert sudoku.count_solutions(EMPTY, 10) == 10
    assert seen[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="use limit=, diagonal=, box=$"):
        assert sudoku.count_solutions(EMPTY, None, True, (2, 2)) == 48
    with pytest.warns(DeprecationWarning):
        assert len(list(sudoku.solutions(EMPTY, 3))) == 3
    with pytest.warns(DeprecationWarning):
        assert sudoku.count_batch(np.zeros((1, 16), int), 7).tolist() == [7]
