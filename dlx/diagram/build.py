"""Build the diagram of all solutions of a problem by a recording sweep."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dlx.checks import as_memory_limit, as_options, as_time_limit
from dlx.count import orders
from dlx.count.memory import MemoryAccount, machine_memory
from dlx.count.race import choose, slice_of
from dlx.count.remainder import Remainder, masks, remainder
from dlx.count.sweep import Sweep, compile_kernels
from dlx.count.sweep_kernel import CHILD, OPTION, PARENT
from dlx.diagram.arrays import reduced
from dlx.diagram.solution_set import SolutionSet
from dlx.problem import Problem, as_exact
from dlx.search.driver import Stats

REPORT = 0.1  # seconds between two calls of `progress`


def solution_set(
    problem: Problem | Iterable[Iterable[Any]],
    *,
    given: Iterable[int] = (),
    time_limit: float | None = None,
    progress: Callable[[Stats], object] | None = None,
    memory_limit: int | None = None,
) -> SolutionSet:
    """All solutions of a problem that contain the given options, as a `SolutionSet`.

    The diagram is recorded by sweeps of both rules of `dlx.count.sweep_kernel`, in turns, until
    one has ended; `dlx.count.race` decides whose turn it is.

    Parameters
    ----------
    problem, given, time_limit
        As for `Search`.
    progress : callable, optional
        Called with `Stats` some ten times a second; solutions are known at the end only.
    memory_limit : int, optional
        Bytes that the diagram may take while it is built, by default a quarter of the machine's
        memory.

    Returns
    -------
    SolutionSet

    Raises
    ------
    ProblemError
        An argument makes no sense, or the problem has multiplicities.
    MemoryError, TimeoutError
        A limit was too low.

    Examples
    --------
    >>> solution_set([[0, 1], [2], [0], [1, 2]])
    SolutionSet(2 solutions, 3 nodes, 4 edges)
    """
    problem = as_exact(problem, "solution_set")
    limit = as_memory_limit(memory_limit) or machine_memory() // 4
    time_limit = as_time_limit(time_limit)
    chosen = as_options(given, problem.num_options, "given")
    if not problem.compatible(chosen):
        none = np.zeros(0, np.int64)
        return SolutionSet(problem, chosen, *reduced(1, none, none, none))
    sweep = _recorded(remainder(problem, chosen), limit, time_limit, progress)
    edges = sweep.edges
    number, child = edges[:, PARENT], edges[:, CHILD]
    # Nodes are numbered anew in the order of their edges; a node without edges is a dead end.
    begins = np.flatnonzero(np.diff(number, prepend=-1))
    nodes = len(begins)
    new = np.full(int(child.max(initial=0)) + 2, -1, np.int64)
    new[number[begins]] = np.arange(nodes)
    new[-1] = nodes  # to which TERMINAL points
    keep = new[child] >= 0
    parent, option = new[number[keep]], sweep.masks.option[edges[keep, OPTION]]
    if not nodes and not sweep.total:
        nodes = 1  # the root, without edges
    return SolutionSet(problem, chosen, *reduced(nodes, parent, option, new[child[keep]]))


def _recorded(
    rest: Remainder,
    memory_limit: int,
    time_limit: float | None,
    progress: Callable[[Stats], object] | None,
) -> Sweep:
    """The sweep that ends first, as the race decides whose turn it is."""
    compile_kernels()
    began = reported = time.perf_counter()
    account = MemoryAccount(memory_limit)
    own = np.arange(rest.num_primary)
    made = (orders.best(rest, merge=False), masks(rest, own, fewest=True))
    sweeps = [Sweep(each, account, record=True) for each in made]
    while not any(sweep.ended for sweep in sweeps):
        sweep = choose(None, sweeps)
        try:
            sweep.advance(slice_of(sweep))
        except MemoryError:
            sweeps.remove(sweep)
            sweep.release()
            if not sweeps:
                raise
            continue
        now = time.perf_counter()
        if time_limit is not None and now - began >= time_limit and not sweep.ended:
            raise TimeoutError(f"the diagram was not done within {time_limit} s")
        if progress is not None and now - reported >= REPORT:
            reported = now
            work = sum(each.work for each in sweeps)
            nodes = sum(each.nodes for each in sweeps)
            progress(Stats(0, nodes, work, now - began, "sweep", sweep.done))
    return next(sweep for sweep in sweeps if sweep.ended)
