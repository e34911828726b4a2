"""A problem as a formula in conjunctive normal form, in DIMACS form.

"At most k of these literals" is encoded by a sequential counter (C. Sinz, Towards an optimal CNF
encoding of Boolean cardinality constraints, 2005); "at most one" of a few literals by pairs.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from dlx.checks import one_of
from dlx.export.demands import demands
from dlx.problem import Problem, as_problem, idle_options

METHODS = ("auto", "pairwise", "sequential")
FEW_LITERALS = 6
"""Literals of which "auto" excludes two at a time: no more clauses than in sequence."""


def cnf(problem: Problem | Iterable[Iterable[Any]], at_most_one: str = "auto") -> str:
    """Return a formula that is satisfied by the solutions of a problem, as a DIMACS text.

    Parameters
    ----------
    problem : Problem, or what Problem takes
        With colours and multiplicities. Costs are left out.
    at_most_one : {"auto", "pairwise", "sequential"}
        How two options of an item are excluded: each pair by a clause, without further variables,
        or in sequence, with fewer clauses. "auto" takes pairs for up to six options.

    Returns
    -------
    str
        Variable k is option k - 1; further variables follow. Each solution is the true variables
        among the options of some model, and each model gives a solution.

    Raises
    ------
    ProblemError
        There is no such method.

    Examples
    --------
    >>> print(cnf([["a"], ["a"]]), end="")
    c variable k is option k - 1
    p cnf 2 2
    1 2 0
    -1 -2 0
    """
    checked = as_problem(problem)
    one_of(at_most_one, METHODS, "encoding")
    limits = {
        "auto": FEW_LITERALS,
        "pairwise": checked.num_options + len(checked.colours),
        "sequential": 1,
    }
    formula = _Formula(checked.num_options, limits[at_most_one])
    for option in idle_options(checked).tolist():
        formula.add(-(option + 1))
    for demand in demands(checked):
        literals = [option + 1 for option in demand.options]
        for options in demand.colours:
            colour = formula.variable()
            literals.append(colour)
            for option in options:
                formula.add(-(option + 1), colour)
        formula.at_least(literals, demand.low)
        formula.at_most(literals, demand.high)
    lines = ["c variable k is option k - 1"]
    if checked.costs is not None:
        lines.append("c costs are left out")
    lines.append(f"p cnf {formula.num_variables} {len(formula.clauses)}")
    return "\n".join([*lines, *formula.clauses]) + "\n"


class _Formula:
    """Clauses as lines of a DIMACS text.

    Parameters
    ----------
    num_variables : int
    few : int
        Of up to `few` literals "at most one" is encoded by pairs.
    """

    def __init__(self, num_variables: int, few: int) -> None:
        self.num_variables = num_variables
        self.clauses: list[str] = []
        self._few = few

    def variable(self) -> int:
        """Return a new variable."""
        self.num_variables += 1
        return self.num_variables

    def add(self, *literals: int) -> None:
        """Add a clause."""
        self.clauses.append(" ".join(map(str, (*literals, 0))))

    def at_least(self, literals: list[int], low: int) -> None:
        """At least `low` of the literals are true."""
        if low <= 0:
            return
        if low == 1 or low > len(literals):
            self.add(*(literals if low == 1 else ()))
            return
        before: list[int] = []  # before[j] implies that more than j of the literals so far are true
        for literal in literals:
            now = [self.variable() for _ in range(low)]
            for j, claim in enumerate(now):
                earlier = before[j : j + 1]
                self.add(-claim, literal, *earlier)
                if j:
                    self.add(-claim, *before[j - 1 : j], *earlier)
            before = now
        self.add(before[-1])

    def at_most(self, literals: list[int], high: int) -> None:
        """At most `high` of the literals are true."""
        if high >= len(literals):
            return
        if high == 0:
            for literal in literals:
                self.add(-literal)
        elif high == 1 and len(literals) <= self._few:
            for pair in combinations(literals, 2):
                self.add(*(-literal for literal in pair))
        else:
            self._count(literals, high)

    def _count(self, literals: list[int], high: int) -> None:
        before: list[int] = []  # before[j] is true if more than j of the literals so far are
        for place, literal in enumerate(literals):
            if len(before) == high:
                self.add(-literal, -before[-1])
            if place == len(literals) - 1:
                break
            now = [self.variable() for _ in range(min(high, place + 1))]
            self.add(-literal, now[0])
            for j, more in enumerate(before):
                self.add(-more, now[j])
                if j + 1 < len(now):
                    self.add(-literal, -more, now[j + 1])
            before = now
