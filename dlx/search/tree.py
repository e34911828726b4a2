"""Positions in the search tree of a problem, for pieces and estimates."""

from __future__ import annotations

import hashlib
import os

import numpy as np
import numpy.typing as npt

from dlx.checks import digits
from dlx.problem import Problem, option_of_entries
from dlx.search import descent_kernel
from dlx.search.descent_kernel import BLOCK_ITEMS, Incidence

CALLED_DESCENTS_WORK = 1 << 20
"""Work of the descents of a call of the kernel: some hundredths of a second."""


class Tree:
    """The search tree of a problem in the order of a kernel.

    Parameters
    ----------
    problem : Problem
    kernel : str
        "bits" prefers items with few options at the start, "links" the first items.
    """

    def __init__(self, problem: Problem, kernel: str) -> None:
        items = problem.item
        num_primary = problem.num_primary
        self._free = 0
        if kernel == "bits":
            sizes = np.bincount(items, minlength=problem.num_items)[:num_primary]
            number = np.arange(problem.num_items, dtype=np.int32)
            number[np.argsort(sizes, kind="stable")] = np.arange(num_primary)
            items = number[items]
            items.flags.writeable = False  # as in the problem, or the kernels compile once more
            self._free = 2 if problem.num_entries == sizes.sum() else 1
        entry = np.argsort(items, kind="stable").astype(np.int32)
        sizes = np.bincount(items, minlength=problem.num_items)
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        option_of = option_of_entries(problem)[entry]
        self.problem = problem
        self._arrays = Incidence(
            problem.start, items, problem.colour, first, entry, option_of, num_primary
        )
        self._alive = np.empty(problem.num_options, np.uint8)
        self._size = np.empty(problem.num_items, np.int64)
        self._least = np.empty(-(-num_primary // BLOCK_ITEMS), np.int64)
        self._found = np.empty(problem.num_options, np.int64)

    @property
    def work(self) -> int:
        """Entries and blocks of items that a descent looks at, at most."""
        return self.problem.num_entries + self.problem.num_primary * len(self._least) + 1

    def go_to(self, given: tuple[int, ...]) -> None:
        """Go to the position at which these options, compatible with each other, are chosen."""
        chosen = np.array(given, np.int64)
        descent_kernel.begin(self._arrays, chosen, self._alive, self._size, self._least)

    def choose(self, option: int) -> None:
        """Go to the position at which one of `branches()` is chosen, too."""
        descent_kernel.choose(self._arrays, option, self._alive, self._size, self._least)

    def branches(self) -> list[int] | None:
        """Return the options to choose from at this position; None if it is a solution."""
        item = descent_kernel.fewest(self._size, self._least)
        if item < 0:
            return None
        length = descent_kernel.options_of(self._arrays, item, self._alive, self._found)
        options: list[int] = self._found[:length].tolist()
        return options

    def descend(
        self, samples: int, random: npt.NDArray[np.uint64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return estimates of the nodes and solutions below this position, one for each descent."""
        nodes, solutions = np.empty(samples), np.empty(samples)
        most = max(1, CALLED_DESCENTS_WORK // self.work)
        for first in range(0, samples, most):
            part = slice(first, first + most)
            descent_kernel.descend(
                self._arrays,
                self._alive,
                self._size,
                self._least,
                self._free,
                random,
                nodes[part],
                solutions[part],
            )
        return nodes, solutions


def generator(seed: int | None) -> npt.NDArray[np.uint64]:
    """Return a state of the random generator, from a seed or from the operating system."""
    text = os.urandom(16) if seed is None else digits(seed).encode()
    digest = hashlib.blake2b(text, digest_size=8).digest()
    return np.array([int.from_bytes(digest, "little") | 1], np.uint64)
