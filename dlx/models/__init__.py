"""Ready models: problems that people have, with pictures of their solutions.

A function makes a `Model`: its `problem` is solved as any other, and `text` and `svg` show a
solution. ``python -m dlx.models --list`` names the models and their parameters.

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

from dlx.models.boards import CHESSMEN as CHESSMEN
from dlx.models.boards import domination as domination
from dlx.models.boards import langford as langford
from dlx.models.boards import latin as latin
from dlx.models.boards import orthogonal_mates as orthogonal_mates
from dlx.models.boards import queens as queens
from dlx.models.macmahon import macmahon as macmahon
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
from dlx.models.words import word_rectangle as word_rectangle
