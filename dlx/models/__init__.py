"""Ready models of well-known problems, with pictures of their solutions.

Each function returns a `Model`: its `problem` is solved like any other, and `text` and `svg` show a
solution. ``python -m dlx.models --list`` names the models and their parameters.

The module of a name is imported when the name is first used: importing the package does not import
numpy, so that the command can first check that there is enough memory.

Examples
--------
>>> from dlx import count_solutions, models, solve
>>> model = models.polyominoes(models.box(6, 10), distinct=True)
>>> print(model.text(solve(model.problem)), end="")
L L X F F T T T W W
L X X X F F T W W N
L U X U F Z T W N N
L U U U Y Z Z Z N V
P P P Y Y Y Y Z N V
P P I I I I I V V V
>>> count_solutions(model.problem)
2339
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dlx.models.boards import CHESSMEN as CHESSMEN
    from dlx.models.boards import domination as domination
    from dlx.models.boards import langford as langford
    from dlx.models.boards import latin as latin
    from dlx.models.boards import orthogonal_mates as orthogonal_mates
    from dlx.models.boards import queens as queens
    from dlx.models.model import Model as Model
    from dlx.models.model import Square as Square
    from dlx.models.polyforms import dominoes as dominoes
    from dlx.models.polyforms import partridge as partridge
    from dlx.models.polyforms import polyominoes as polyominoes
    from dlx.models.polyforms import soma as soma
    from dlx.models.sets import block_designs as block_designs
    from dlx.models.sets import crew_rosters as crew_rosters
    from dlx.models.sets import matchings as matchings
    from dlx.models.sets import schedule as schedule
    from dlx.models.sets import set_partitions as set_partitions
    from dlx.models.shapes import PIECES as PIECES
    from dlx.models.shapes import SOMA as SOMA
    from dlx.models.shapes import box as box
    from dlx.models.shapes import cells_of as cells_of
    from dlx.models.tiles import macmahon as macmahon
    from dlx.models.words import word_rectangle as word_rectangle

_NAMES_OF = {
    "boards": "CHESSMEN domination langford latin orthogonal_mates queens",
    "model": "Model Square",
    "polyforms": "dominoes partridge polyominoes soma",
    "sets": "block_designs crew_rosters matchings schedule set_partitions",
    "shapes": "PIECES SOMA box cells_of",
    "tiles": "macmahon",
    "words": "word_rectangle",
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})
