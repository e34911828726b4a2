"""A problem as an integer program, in the LP form that CPLEX introduced and most solvers read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dlx.checks import digits
from dlx.export.demands import demands
from dlx.problem import Problem, as_problem, idle_options

LINE_WIDTH = 100  # characters in a line, about; some solvers read no more than 255


def lp(problem: Problem | Iterable[Iterable[Any]]) -> str:
    """Return an integer program whose feasible points are the solutions of a problem.

    Parameters
    ----------
    problem : Problem, or what Problem takes
        With costs, colours and multiplicities.

    Returns
    -------
    str
        Variable xk is option k, yk a colour of an item. The objective is the cost, or 0.

    Examples
    --------
    >>> print(lp(Problem([["a", "b"], ["b"], ["a"]], costs=[3, 1, -1])), end="")
    Minimize
     obj: 3 x0 + 1 x1 - 1 x2
    Subject To
     i0: x0 + x2 = 1
     i1: x0 + x1 = 1
    Binary
     x0 x1 x2
    End
    """
    checked = as_problem(problem)
    names = [f"x{option}" for option in range(checked.num_options)]
    rows: list[str] = [f" none{option}: x{option} = 0" for option in idle_options(checked)]
    for number, demand in enumerate(demands(checked)):
        terms = [f"x{option}" for option in demand.options]
        for options in demand.colours:
            colour = f"y{len(names) - checked.num_options}"
            names.append(colour)
            terms.append(colour)
            rows += [f" {colour}x{option}: x{option} - {colour} <= 0" for option in options]
        if not terms:
            if demand.low:  # no option has the item: the program is made infeasible
                names = names or ["x0"]
                rows.append(f" i{number}: 0 {names[0]} >= {demand.low}")
            continue
        row = _wrapped(f" i{number}:", [*terms[:1], *(f"+ {term}" for term in terms[1:])])
        if demand.low == demand.high:
            rows.append(f"{row} = {demand.low}")
            continue
        if demand.low > 0:
            rows.append(f"{row} >= {demand.low}")
        if demand.high < len(terms):
            rows.append(f"{row.replace(':', 'm:', 1)} <= {demand.high}")
    costs = checked.costs or (0,) * checked.num_options
    terms = [f"{'-' if cost < 0 else '+'} {digits(abs(cost))} x{k}" for k, cost in enumerate(costs)]
    names = names or ["x0"]
    objective = [terms[0].removeprefix("+ "), *terms[1:]] if terms else ["0 x0"]
    parts = ["Minimize", _wrapped(" obj:", objective), "Subject To", *rows]
    return "\n".join([*parts, "Binary", _wrapped("", names), "End"]) + "\n"


def _wrapped(head: str, words: list[str]) -> str:
    """Return the head and the words in lines of about LINE_WIDTH characters, indented by one."""
    lines, line = [], head
    for word in words:
        if len(line) + len(word) >= LINE_WIDTH:
            lines.append(line)
            line = ""
        line += f" {word}"
    return "\n".join([*lines, line])
