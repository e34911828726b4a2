r"""Problems for other solvers: as a CNF in DIMACS form, or as an integer program in LP form.

Examples
--------
>>> from dlx import Problem, export
>>> problem = Problem([["a", "b"], ["b"], ["a"]])
>>> print(export.cnf(problem), end="")
c variable k is option k - 1
p cnf 3 4
1 3 0
-1 -3 0
1 2 0
-1 -2 0
>>> export.read_solution(problem, "s SATISFIABLE\nv -1 2 3 0\n")
(1, 2)
"""

from __future__ import annotations

from dlx.export.cnf import cnf
from dlx.export.lp import lp
from dlx.export.solutions import read_solution

__all__ = ["cnf", "lp", "read_solution"]
