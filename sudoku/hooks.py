"""Public names for modules that are too low to import them.

A `Grid` draws itself in a notebook, and `sudoku.grid` has a deprecated name for `as_grid`. Both
functions stand above `sudoku.grid`, which therefore asks for them by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["load"]

load: Callable[[str], Any]
"""Return the public object of this name. The package sets the function when it is imported."""
