"""Pieces: a problem split into independent searches.

The piece that random descents estimate to be the largest is split repeatedly. So the pieces are
about as even as these estimates are accurate.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from dlx import checks
from dlx.problem import Problem, as_exact
from dlx.search.tree import Tree, generator

DESCENTS = 64  # random descents that estimate the size of a piece
DESCENTS_WORK = 1 << 22  # units of work of these descents; if they would take more, fewer are made
SEED = 0
TOO_LARGE = 3  # a piece is also split if it is estimated at more than TOO_LARGE times the mean
MOST_TIMES = 8  # none is split once there are MOST_TIMES times as many pieces as wanted


def pieces(
    problem: Problem | Iterable[Iterable[Any]],
    at_least: int,
    *,
    given: Iterable[int] = (),
) -> list[tuple[int, ...]]:
    """Split a problem into searches that can run anywhere, in any order.

    Every solution contains all options of exactly one piece. So the numbers of solutions with
    `given=piece` add up to the number of all, and the lists of solutions are disjoint.

    Parameters
    ----------
    problem : Problem, or what Problem takes
    at_least : int
        Number of pieces wanted, at least 1. There may be up to 8 times as many, to make them more
        even, and fewer if the problem has fewer solutions.
    given : iterable of int
        Options that are part of every solution, and of every piece.

    Returns
    -------
    list of tuple of int
        Option numbers, ascending, for the argument `given` of `dlx.solve`, `solutions` and
        `count_solutions`. The list depends on the arguments alone.

    Raises
    ------
    ProblemError
        An argument is of the wrong type or out of range.

    See Also
    --------
    dlx.count_solutions : Splits the work itself with ``jobs=`` and ``executor=``.

    Examples
    --------
    >>> pairs = [[0, 1], [2, 3], [0, 2], [1, 3], [0, 3], [1, 2]]
    >>> pieces(pairs, 3)
    [(0,), (2,), (4,)]
    """
    problem = as_exact(problem, "pieces")
    target = checks.number_of_values(at_least, 1, "at_least")
    givens = checks.as_options(given, problem.num_options, "given")
    if not problem.compatible(givens):
        return []
    found = _split(Tree(problem, "links"), givens, target)
    return [tuple(sorted(piece.chosen)) for piece in sorted(found, key=lambda piece: piece.path)]


class _Piece(NamedTuple):
    """A piece; the least of several is the largest one."""

    minus_nodes: float  # by estimate
    path: tuple[int, ...]  # the branches taken from the root, by number
    chosen: tuple[int, ...]  # options


def _split(tree: Tree, givens: tuple[int, ...], target: int) -> list[_Piece]:
    """Return the pieces in any order."""
    descents = max(1, min(DESCENTS, DESCENTS_WORK // tree.work))
    largest = [_Piece(0.0, (), givens)]  # a heap of those that can be split
    solved: list[_Piece] = []
    total = 0.0
    while largest:
        number = len(largest) + len(solved)
        too_large = (
            -largest[0].minus_nodes * target > TOO_LARGE * total and number < MOST_TIMES * target
        )
        if number >= target and not (too_large and target > 1):
            break
        size, path, chosen = heapq.heappop(largest)
        total += size
        tree.go_to(chosen)
        forced, branches = _branching(tree)
        path, chosen = (*path, *[0] * len(forced)), (*chosen, *forced)
        if branches is None:
            solved.append(_Piece(0.0, path, chosen))
            continue
        # none is split again then, so no estimates are needed
        enough = len(largest) + len(solved) + len(branches) >= MOST_TIMES * target
        for place, option in enumerate(branches):
            longer = *chosen, option
            nodes = 0.0 if enough else _nodes(tree, longer, descents)
            total += nodes
            heapq.heappush(largest, _Piece(-nodes, (*path, place), longer))
    return solved + largest


def _branching(tree: Tree) -> tuple[list[int], list[int] | None]:
    """Choose options while there is no choice; return them, and the branches at that position."""
    forced: list[int] = []
    while (branches := tree.branches()) is not None and len(branches) == 1:
        forced += branches
        tree.choose(forced[-1])
    return forced, branches


def _nodes(tree: Tree, chosen: tuple[int, ...], descents: int) -> float:
    """Return the estimated number of nodes below the position at which options are chosen."""
    tree.go_to(chosen)
    nodes, _ = tree.descend(descents, generator(SEED))
    return math.fsum(nodes / descents)  # their sum may be too large for a float
