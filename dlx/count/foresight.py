"""The nodes of a search, estimated by random descents.

Early in a search the fraction done is a poor predictor: the first branches may be tens of times
larger or smaller than the rest, depending on how items are named. Random descents (Knuth, Math.
Comp. 29, 1975, 122-136) look at all branches alike. Where their standard error was
below a quarter, the estimate was within a factor of 1.3 on most of 20 problems, but too low by up
to four where few descents reached the large branches. So the fraction done is used again as soon as
the search has done more work than was foreseen. Where the error is larger, the estimate by the
fraction done is used, between two limits: the mean, which is more often too low, and the mean plus
ERRORS standard errors.
"""

from __future__ import annotations

import math

import numpy as np

from dlx.count.saved import as_count
from dlx.problem import Problem
from dlx.search.tree import Tree, generator

FEWEST = 128  # descents, at first
SMALL_ERROR = 0.25  # the standard error, as a part of the mean, up to which the mean alone is used
ERRORS = 4  # standard errors from the mean to the upper limit, where the error is larger
ENTRY_WORK = 3  # units of work for an entry of an option that is removed, or a look at an item
SEED = 1
LARGEST_ESTIMATE = 1e150  # of a descent: the sum of some squares is finite


class Foresight:
    """Random descents of a search, twice as many after each call of `descend`.

    Parameters
    ----------
    problem : Problem
    given : tuple of int
        Options compatible with each other.
    """

    def __init__(self, problem: Problem, given: tuple[int, ...]) -> None:
        self._problem, self._given = problem, given
        self._descents = 0
        self._total = self._squares = 0.0  # of their nodes
        self._random = generator(SEED)

    @property
    def work(self) -> float:
        """The units of work of the next call of `descend`, about."""
        problem = self._problem
        depth = problem.num_primary * problem.num_options / max(1, problem.num_entries)
        descent = ENTRY_WORK * (problem.num_entries + problem.num_primary * depth)
        return max(FEWEST, self._descents) * descent

    def descend(self, kernel: str) -> tuple[float, float]:
        """Return a lower and an upper limit of the nodes of the search by "bits" or "links".

        Both are the mean of all descents where its standard error is small.
        """
        tree = Tree(self._problem, kernel)
        tree.go_to(self._given)
        more = max(FEWEST, self._descents)
        nodes = np.minimum(tree.descend(more, self._random)[0], LARGEST_ESTIMATE)
        self._descents += more
        self._total += float(nodes.sum())
        self._squares += float((nodes * nodes).sum())
        mean = self._total / self._descents
        variance = max(0.0, self._squares / self._descents - mean * mean)
        error = math.sqrt(variance / self._descents)
        return mean, mean if error <= SMALL_ERROR * mean else mean + ERRORS * error

    def pack(self) -> list[float]:
        """What a file keeps."""
        low, high = int(self._random[0]) & 0xFFFFFFFF, int(self._random[0]) >> 32
        return [self._descents, self._total, self._squares, low, high]

    def unpack(self, numbers: list[float]) -> None:
        """Continue from what `pack` returned; raise ValueError if it cannot be that."""
        descents, total, squares, *random = numbers
        self._descents = as_count(descents)
        self._total, self._squares = float(total), float(squares)
        low, high = map(as_count, random)
        if max(low, high) >> 32 or not low | high:
            raise ValueError("no state of the random generator")
        self._random[0] = low | high << 32
        if not (0 <= self._total < math.inf and 0 <= self._squares < math.inf):
            raise ValueError("sums out of range")
