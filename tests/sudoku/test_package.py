"""What the package offers after import."""

import subprocess
import sys

import pytest

import sudoku


def test_packages_are_attributes():
    code = "import sudoku; sudoku.grids.grid_at, sudoku.generate.generate, sudoku.explain"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_all_public_names():
    names = {name: getattr(sudoku, name) for name in sudoku.__all__}
    assert names["as_grid"]("." * 16) == names["Grid"](names["Layout"](2, 2), [0] * 16)
    assert {"explain", "generate", "grids", *names} <= set(dir(sudoku))
    with pytest.raises(AttributeError, match="no attribute 'x'"):
        sudoku.x  # noqa: B018
