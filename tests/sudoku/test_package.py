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


def test_commands_are_imported_without_numpy():
    """Their help and their bad arguments do not wait for it, nor need memory for it."""
    names = ["dlx", "explain.__main__", "generate.__main__", "grids.__main__"]
    code = "import sys, " + ", ".join(f"sudoku.{name}" for name in names)
    code += "\nprint({'numba', 'numpy'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert shown.stdout.split() == [b"set()"]
