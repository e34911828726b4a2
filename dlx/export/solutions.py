"""What another solver found, as option numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from dlx.checks import as_text, brief
from dlx.errors import ProblemError
from dlx.problem import Problem, as_problem, idle_options, is_solution

NO_SOLUTION = re.compile(
    r"\A\s*UNSAT\s*\Z|^s\s+UNSATISFIABLE\s*$|\binfeasible\b|\bINTEGER EMPTY\b", re.M | re.I
)
# name and value are on one line; what follows a name at the end of a row is not its value. GLPK
# writes a star for a whole variable between them.
VALUE = re.compile(r"(?<!\S)x([0-9]+)[ \t]+(?:\*[ \t]+)?([-+0-9.eE]+)(?!\S)")
# the table of HiGHS (write_solution_style 1): bounds, value, type and name
TABLE_VALUE = re.compile(r"(?<!\S)([-+0-9.eE]+)[ \t]+Integer[ \t]+x([0-9]+)(?!\S)")


def read_solution(problem: Problem | Iterable[Iterable[Any]], text: str) -> tuple[int, ...] | None:
    r"""Return the solution that a solver of `cnf` or `lp` has printed.

    Parameters
    ----------
    problem : Problem, or what Problem takes
    text : str
        Lines of literals that begin with v, as SAT solvers print them; SAT and literals without v,
        as MiniSat writes them to its result file; or lines with the names and values of variables,
        as HiGHS, CBC, GLPK and others write them.

    Returns
    -------
    tuple of int, or None
        Option numbers, ascending; None if the text says that there is no solution.

    Raises
    ------
    ProblemError
        `text` is not a str, holds no values, or its values are not a solution of this problem.

    Examples
    --------
    >>> read_solution([["a"], ["b"]], "x0 1\nx1 1\n")
    (0, 1)
    """
    checked, text = as_problem(problem), as_text(text, "text")
    lines = [line[1:].split() for line in text.splitlines() if line[:2] in ("v ", "v\t")]
    if text.split(maxsplit=1)[:1] == ["SAT"]:
        lines = [text.split()[1:]]
    if lines:
        literals = [word for line in lines for word in line]
        wrong = [word for word in literals if not re.fullmatch(r"-?[0-9]{1,18}", word)]
        if wrong:
            raise ProblemError(f"{brief(wrong[0])} is no literal; literals are whole numbers")
        chosen = {int(word) - 1 for word in literals if int(word) > 0}
    elif NO_SOLUTION.search(text):
        return None
    elif values := VALUE.findall(text) or [pair[::-1] for pair in TABLE_VALUE.findall(text)]:
        try:
            chosen = {int(name) for name, value in values if float(value) > 0.5}
        except ValueError:
            raise ProblemError("the value of a variable is no number") from None
    else:
        raise ProblemError("this text holds no solution: neither lines v nor values of x0, x1, ...")
    solution = tuple(sorted(option for option in chosen if option < checked.num_options))
    has_idle = not chosen.isdisjoint(idle_options(checked).tolist())
    if has_idle or not is_solution(checked, solution):
        raise ProblemError(f"options {brief(solution)} are no solution of this problem")
    return solution
