"""Sudoku and all other N x N grids: solve, count, generate, rate, explain, number, draw.

Modules are imported when one of their names is first used: ``import sudoku`` imports neither numpy
nor numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sudoku import explain as explain
    from sudoku import generate as generate
    from sudoku import grids as grids
    from sudoku.cover import problem as problem
    from sudoku.errors import FileError as FileError
    from sudoku.errors import FormatError as FormatError
    from sudoku.errors import LayoutError as LayoutError
    from sudoku.errors import PuzzleError as PuzzleError
    from sudoku.errors import SudokuError as SudokuError
    from sudoku.explain.difficulty import Difficulty as Difficulty
    from sudoku.explain.difficulty import difficulty as difficulty
    from sudoku.explain.drawing import svg as svg
    from sudoku.explain.rating import rate as rate
    from sudoku.explain.solve_steps import solve_steps as solve_steps
    from sudoku.generate.reduction import reduce as reduce
    from sudoku.grid import Grid as Grid
    from sudoku.grids import count_grids as count_grids
    from sudoku.grids import distinct_grids as distinct_grids
    from sudoku.grids import grid_at as grid_at
    from sudoku.grids import grids_at as grids_at
    from sudoku.grids import index_of as index_of
    from sudoku.grids import indices_of as indices_of
    from sudoku.grids import random_grids as random_grids
    from sudoku.layout import House as House
    from sudoku.layout import Layout as Layout
    from sudoku.reading.convert import as_grid as as_grid
    from sudoku.reading.convert import read as read
    from sudoku.solving.candidates import candidates as candidates
    from sudoku.solving.equivalence import canonical as canonical
    from sudoku.solving.equivalence import canonical_batch as canonical_batch
    from sudoku.solving.solve import *  # noqa: F403  the names of its `__all__`
    from sudoku.symbols import Symbols as Symbols

_NAMES_OF = {
    "cover": "problem",
    "errors": "FileError FormatError LayoutError PuzzleError SudokuError",
    "explain.difficulty": "Difficulty difficulty",
    "explain.drawing": "svg",
    "explain.rating": "rate",
    "explain.solve_steps": "solve_steps",
    "generate.reduction": "reduce",
    "grid": "Grid",
    "grids": "count_grids distinct_grids grid_at grids_at index_of indices_of random_grids",
    "solving.candidates": "candidates",
    "solving.equivalence": "canonical canonical_batch",
    "layout": "House Layout",
    "reading.convert": "as_grid read",
    "solving.solve": "count_batch count_solutions is_unique sample "
    "solutions solve solve_batch warm why",
    "symbols": "Symbols",
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}
_PACKAGES = ("explain", "generate", "grids")

__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"sudoku.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'sudoku' has no attribute {name!r}")
    value = getattr(import_module(f"sudoku.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF, *_PACKAGES})
