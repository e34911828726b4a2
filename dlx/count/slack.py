"""Slack: options in place of multiplicities from 0 to 1, which no sweep takes."""

from __future__ import annotations

import numpy as np

from dlx.problem import Problem, as_exact


def without_slack(problem: Problem) -> Problem:
    """Return a problem with as many solutions and no multiplicities, if all are 1 or from 0 to 1.

    An item of multiplicity 0:1 gets an option of its own, which covers it in the solutions that
    have no other option of it: so the solutions of both problems correspond. Options keep their
    numbers. Of other multiplicities, or none, the problem itself is returned.
    """
    if problem.bounds is None:
        return problem
    low, high = problem.bounds.T
    if (high != 1).any():
        return problem
    slack = np.flatnonzero(low == 0)
    return Problem.from_arrays(
        np.append(problem.start, problem.num_entries + 1 + np.arange(len(slack))),
        np.append(problem.item, slack),
        np.append(problem.colour, np.zeros_like(slack)),
        num_primary=problem.num_primary,
        num_secondary=problem.num_items - problem.num_primary,
    )


def without_multiplicities(problem: Problem, task: str) -> Problem:
    """Return the problem `without_slack`; raise ProblemError if it has other multiplicities."""
    return as_exact(without_slack(problem), task, "multiplicities other than 0:1")
