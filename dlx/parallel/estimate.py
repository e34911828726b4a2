"""Estimate: the size of a search, by random descents."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.checks import as_options, at_least, is_one_of, number_of_values
from dlx.count.memory import require_memory_for
from dlx.count.methods import PlainSearch
from dlx.count.slack import without_multiplicities
from dlx.errors import KernelError
from dlx.problem import Problem, as_exact, as_problem
from dlx.search.kernel import choose_kernel, has_trial
from dlx.search.tree import Tree, generator

SAMPLE_BYTES = 56  # two floats of arrays; then one more and an object in a list, for the mean


class Estimate(NamedTuple):
    """The size of a search, estimated by random descents.

    Attributes
    ----------
    nodes, nodes_error : float
        Nodes that a search visits (`stats.nodes`), and the standard error. With ``kernel="auto"``
        it is the kernel for large problems; small ones `dlx.Search` may finish by "links".
    solutions, solutions_error : float
        Number of solutions, and the standard error. An estimate and its error are infinite if that
        of a single descent is beyond 10**308, the largest float.
    samples : int
        Number of descents.
    """

    nodes: float
    nodes_error: float
    solutions: float
    solutions_error: float
    samples: int


def estimate(
    problem: Problem | Iterable[Iterable[Any]],
    samples: int = 1000,
    seed: int | None = None,
    *,
    given: Iterable[int] = (),
    kernel: str = "auto",
) -> Estimate:
    """Estimate how many nodes a search has, and how many solutions, by random descents.

    Both estimates are unbiased: their mean over all seeds is exact. In a tree whose branches
    differ greatly in size, most of it can lie where few descents come: then the estimate and the
    standard error are both likely to be too low.

    Parameters
    ----------
    problem, given, kernel
        As for `Search`; multiplicities other than 0:1 are refused.
    samples : int
        Number of descents, at least 1. One takes about as long as reading the problem.
    seed : int, optional
        The same seed gives the same estimate on every machine. By default a random seed.

    Returns
    -------
    Estimate

    Raises
    ------
    ProblemError
        An argument is of the wrong type or out of range.
    KernelError, MemoryError
        As for `Search`, and for the kernel "bounds"; or the samples do not fit into memory.

    References
    ----------
    D. E. Knuth, Estimating the efficiency of backtrack programs, Math. Comp. 29 (1975), 122-136.

    Examples
    --------
    >>> estimate([[0, 1], [0, 2], [0, 3], [2, 3], [1, 3], [1, 2]], seed=1)
    Estimate(nodes=7.0, nodes_error=0.0, solutions=3.0, solutions_error=0.0, samples=1000)
    """
    problem = as_problem(problem)
    chosen = as_options(given, problem.num_options, "given")
    samples = _number_of_samples(samples)
    start = None if seed is None else at_least(seed, 0, "seed")
    as_searched = without_multiplicities if is_one_of(kernel, ("auto",)) else as_exact
    problem = as_searched(problem, "an estimate")
    name = choose_kernel(problem, kernel).name
    if name == "bounds":
        raise KernelError('estimate takes the kernels "bits" and "links"')
    if not problem.compatible(chosen):
        return Estimate(0.0, 0.0, 0.0, 0.0, samples)
    if has_trial(problem, kernel):
        name = PlainSearch(problem, chosen, kernel).name  # by "links" if the trial is enough
    tree = Tree(problem, name)
    tree.go_to(chosen)
    nodes, solutions = tree.descend(samples, generator(start))
    return Estimate(*_mean(nodes), *_mean(solutions), samples)


def _number_of_samples(samples: int) -> int:
    """Return the argument `samples` as an int, if the memory holds as many."""
    number = number_of_values(samples, 1, "samples")
    require_memory_for(number, SAMPLE_BYTES, "samples")
    return number


def _mean(values: npt.NDArray[Any]) -> tuple[float, float]:
    """Return the mean and its standard error.

    The error is infinite for one value that may vary, and both are if a value has overflowed.
    """
    count = len(values)
    if not np.isfinite(values).all():
        return math.inf, math.inf
    _, exponent = math.frexp(values.max())
    scaled = np.ldexp(values, -exponent).tolist()  # from 0 to 1: the sum of squares is finite
    mean = math.fsum(scaled) / count
    if count == 1:
        return math.ldexp(mean, exponent), math.inf
    variance = math.fsum((value - mean) ** 2 for value in scaled) / (count - 1)
    return math.ldexp(mean, exponent), math.ldexp(math.sqrt(variance / count), exponent)
