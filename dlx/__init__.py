"""Exact cover: dancing links and bit masks over numba-compiled arrays.

>>> import dlx
>>> problem = dlx.Problem([["a", "b"], ["c"], ["a"], ["b", "c"]])
>>> dlx.solve(problem)
(0, 1)
>>> list(dlx.solutions(problem))
[(0, 1), (2, 3)]
>>> dlx.count_solutions(problem)
2

Importing the package imports neither numba nor numpy: the module of a name is imported when the
name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dlx.deprecated import RENAMED, warn

if TYPE_CHECKING:
    from dlx import export as export
    from dlx import logic as logic
    from dlx import models as models
    from dlx.costs.driver import cheapest as cheapest
    from dlx.costs.driver import improving as improving
    from dlx.count.driver import Count as Count
    from dlx.diagram.build import solution_set as solution_set
    from dlx.diagram.solution_set import SolutionSet as SolutionSet
    from dlx.errors import DlxError as DlxError
    from dlx.errors import FormatError as FormatError
    from dlx.errors import KernelError as KernelError
    from dlx.errors import OutputError as OutputError
    from dlx.errors import ProblemError as ProblemError
    from dlx.errors import StateError as StateError
    from dlx.errors import WorkerError as WorkerError
    from dlx.formats import dumps as dumps
    from dlx.formats import loads as loads
    from dlx.formats import read as read
    from dlx.formats import write as write
    from dlx.parallel.estimate import Estimate as Estimate
    from dlx.parallel.estimate import estimate as estimate
    from dlx.parallel.pieces import pieces as pieces
    from dlx.problem import Coloured as Coloured
    from dlx.problem import Problem as Problem
    from dlx.search.driver import Search as Search
    from dlx.search.driver import Stats as Stats
    from dlx.solver import count_solutions as count_solutions
    from dlx.solver import solutions as solutions
    from dlx.solver import solve as solve

_NAMES_OF = {
    "costs.driver": "cheapest improving",
    "count.driver": "Count",
    "diagram.build": "solution_set",
    "diagram.solution_set": "SolutionSet",
    "errors": "DlxError FormatError KernelError OutputError ProblemError StateError WorkerError",
    "formats": "dumps loads read write",
    "parallel.estimate": "Estimate estimate",
    "parallel.pieces": "pieces",
    "problem": "Coloured Problem",
    "search.driver": "Search Stats",
    "solver": "count_solutions solutions solve",
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}
_PACKAGES = ("export", "logic", "models")

__all__ = sorted(_MODULE_OF)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in RENAMED:
        warn(f"dlx.{name}", f"dlx.{RENAMED[name]}")
        return getattr(import_module("dlx"), RENAMED[name])
    if name in _PACKAGES:
        return import_module(f"dlx.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'dlx' has no attribute {name!r}")
    value = getattr(import_module(f"dlx.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF, *_PACKAGES})
