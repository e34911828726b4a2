"""The nodes of a search, estimated by random descents.

The fraction done tells little about a search that has just begun: its first branches may be larger
than the others by factors of tens, or smaller, and which they are depends on names. Random descents
(Knuth, Math. Comp. 29, 1975, 122-136) look at all branches alike. Where their standard error was
below a quarter, the estimate was within a factor of 1.3 on most of 20 problems, but too low by up
to four where few descents came to the large branches. So the fraction done is used again as soon as
the search has done more work than was foreseen. Where the error is larger, the mean and some
standard errors more bound the estimate by the fraction done.
"""

from __future__ import annotations

import math

from dlx.problem import Problem
from dlx.search.tree import Tree, generator

FEWEST = 128  # descents, at first
CLOSE = 0.25  # the standard error, as a part of the mean, up to which the mean is used
ERRORS = 4  # standard errors above the mean: a bound where the error is larger
ENTRY_WORK = 3  # units of work for an entry of an option that is removed, or a look at an item
SEED = 1


def descent_work(problem: Problem) -> float:
    """The units of work of a descent, about."""
    depth = problem.num_primary * problem.num_options / max(1, problem.num_entries)
    return ENTRY_WORK * (problem.num_entries + problem.num_primary * depth)


def estimated_nodes(
    problem: Problem, given: tuple[int, ...], kernel: str, descents: int
) -> tuple[float, bool]:
    """The nodes of a search, about, or a bound of them where the standard error is large.

    Parameters
    ----------
    problem : Problem
    given : tuple of int
        Options compatible with each other.
    kernel : "bits" or "links"
    descents : int

    Returns
    -------
    nodes : float
        May be infinite.
    is_close : bool
        Whether it is no bound.
    """
    tree = Tree(problem, kernel)
    tree.go_to(given)
    nodes, _ = tree.descend(descents, generator(SEED))
    mean = float(nodes.mean())
    if not math.isfinite(mean):
        return mean, True
    error = float(nodes.std()) / math.sqrt(descents)
    return (mean, True) if error <= CLOSE * mean else (mean + ERRORS * error, False)
