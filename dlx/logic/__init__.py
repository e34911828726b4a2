"""Deductions on any exact cover problem: find options that are in no solution, and say why.

A `Deducer` makes deductions on a problem one after the other, always by the first of its rules that
finds something: `Single`, `Subset`, `Chain`, `Fork`, `Refutation`, or a rule of the caller
(`Custom`). Each is a `Deduction`, a record of items, options and deleted options, whose reason is
returned by `Deduction.why`. Every deduction is sound. Secondary items and colours are allowed.

Rules can be limited to kinds of items, and subsets to frames (`Structure`); `sudoku.explain` is
made of such rules.

Examples
--------
Six queens on a board of six rows, no two in a row, column or diagonal. With a queen on row 0,
column 1 there is one solution, which is found without a search:

>>> from dlx import Problem
>>> from dlx.logic import Deducer
>>> squares = [(row, column) for row in range(6) for column in range(6)]
>>> queens = Problem(
...     [[f"row {r}", f"column {c}", f"up {r + c}", f"down {r - c}"] for r, c in squares],
...     secondary=[f"up {k}" for k in range(11)] + [f"down {k}" for k in range(-5, 6)],
... )
>>> deducer = Deducer(queens, given=[squares.index((0, 1))])
>>> for deduction in list(deducer)[-3:]:
...     print(deduction.why(queens))
'column 3' has only option 9 left
'column 2' has only option 26 left
'column 5' has only option 17 left
>>> deducer.status, [squares[option] for option in deducer.options()]
('solved', [(0, 1), (1, 3), (2, 5), (3, 0), (4, 2), (5, 4)])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dlx.logic.deducer import Deducer as Deducer
    from dlx.logic.deduction import Deduction as Deduction
    from dlx.logic.rules import ALL as ALL
    from dlx.logic.rules import RULES as RULES
    from dlx.logic.rules import Chain as Chain
    from dlx.logic.rules import Custom as Custom
    from dlx.logic.rules import Fork as Fork
    from dlx.logic.rules import Frame as Frame
    from dlx.logic.rules import Refutation as Refutation
    from dlx.logic.rules import Rule as Rule
    from dlx.logic.rules import Single as Single
    from dlx.logic.rules import Subset as Subset
    from dlx.logic.structure import Structure as Structure
    from dlx.logic.structure import natural_frames as natural_frames

_NAMES_OF = {
    "deducer": "Deducer",
    "deduction": "Deduction",
    "rules": "ALL RULES Chain Custom Fork Frame Refutation Rule Single Subset",
    "structure": "Structure natural_frames",
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'dlx.logic' has no attribute {name!r}")
    value = getattr(import_module(f"dlx.logic.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})
