"""Open branches: a search that is stopped anywhere and parted finds the rest, in the same order."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import problems
from dlx import KernelError, Problem, Search
from dlx.search import bits, bounds, links
from dlx.search.branch import Branch
from dlx.search.counters import EXHAUSTED, LEVEL
from dlx.search.kernel import KERNELS
from tests.dlx.problems import random_problem, small_problems
from tests.modes import examples, kernel, long

pytestmark = kernel

MODULES = {"bits": bits, "links": links, "bounds": bounds}
each_kernel = pytest.mark.parametrize("name", KERNELS)


def listed(kernel, state, depth, budget=1 << 40):
    """Advance once; return the solutions."""
    out = np.empty((1 << 12, depth), np.int32)
    found = kernel.advance(state, budget, len(out), out)
    return [tuple(row[row >= 0].tolist()) for row in out[:found]]


def one_by_one(kernel, branches):
    """The branches as the kernel takes them."""
    for branch in branches:
        others = [branch]
        while others and others[0].options and not kernel.takes_options:
            first, *others = others[0].apart()
            yield first
        yield from others


def parted(kernel, problem, chosen, budget, levels=1):
    """All solutions: what `budget` finds, then what the open branches do, parted `levels` times."""
    root = kernel.start(problem, chosen)
    if root is None:
        return []
    depth = kernel.max_depth(root)

    def rest(state, levels, weight):
        branches = kernel.open_branches(state, weight)
        assert bool(branches) != bool(state.counters[EXHAUSTED])
        assert math.fsum(branch.weight for branch in branches) <= weight * (1 + 1e-9)
        solutions = []
        for branch in one_by_one(kernel, branches):
            own = kernel.restart(problem, root, None, branch)
            if levels > 1:
                solutions += listed(kernel, own, depth, budget)
                solutions += rest(own, levels - 1, branch.weight)
            else:
                solutions += listed(kernel, own, depth)
                assert own.counters[EXHAUSTED]
        return solutions

    state = kernel.start(problem, chosen)
    return listed(kernel, state, depth, budget) + rest(state, levels, 1.0)


@each_kernel
@settings(max_examples=examples(80))
@given(small_problems(), st.integers(0, 40), st.integers(1, 3), st.data())
def test_a_parted_search_finds_the_same_in_the_same_order(name, problem, budget, levels, data):
    options = st.integers(0, max(0, problem.num_options - 1))
    chosen = data.draw(st.sets(options, max_size=2)) if problem.num_options else set()
    chosen = tuple(sorted(chosen))
    whole = list(Search(problem, given=chosen, kernel=name))
    assert parted(MODULES[name], problem, chosen, budget, levels) == whole


@each_kernel
@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=long) for seed in (0, 3))])
def test_random_problems_parted_anywhere(name, seed):
    problem = random_problem(seed)
    whole = list(Search(problem, kernel=name))
    for budget in (0, 1, 7, 50, 200, 1000):
        assert parted(MODULES[name], problem, (), budget) == whole


@long
@each_kernel
@pytest.mark.parametrize(
    "make",
    [
        lambda: problems.queens(7),
        lambda: problems.latin(4),
        lambda: problems.matchings(8),
        lambda: problems.de_bruijn(3),
        lambda: problems.dominoes(4, 6),
        lambda: problems.langford(7),
        lambda: problems.dominoes(1, 30),
    ],
)
def test_named_problems_parted_anywhere(name, make):
    problem = make()
    whole = list(Search(problem, kernel=name))
    for budget in (0, 3, 10, 100, 333, 1000, 5000):
        for levels in (1, 2):
            assert parted(MODULES[name], problem, (), budget, levels) == whole


@each_kernel
def test_a_part_of_the_options_of_a_branch(name):
    problem = problems.queens(6)
    kernel = MODULES[name]
    root = kernel.start(problem, ())
    whole = list(Search(problem, kernel=name))
    for branch in kernel.open_branches(kernel.start(problem, ()), 1.0):
        parts = [branch._replace(options=(o,)) for o in branch.options] or [branch]
        solutions = []
        for part in one_by_one(kernel, parts):
            state = kernel.restart(problem, root, None, part)
            solutions += listed(kernel, state, kernel.max_depth(root))
        assert solutions == whole


@each_kernel
def test_branches_of_another_problem(name):
    problem = Problem([[0, 1], [0], [1], [0, 1]])
    kernel = MODULES[name]
    root = kernel.start(problem, ())
    with pytest.raises(KernelError):
        kernel.restart(problem, root, None, Branch((), (1, 2), 1.0))


def test_branches_by_compiled_code_and_without_are_the_same(monkeypatch):
    problem = problems.queens(6)
    out = np.zeros((100, 12), np.int32)
    seen = []
    for budget in range(0, 60, 7):
        state = links.start(problem, ())
        links.advance(state, budget, 100, out)
        assert len(state.nodes) <= links.SMALL_STATE
        seen.append(links.open_branches(state, 1.0))
        assert len(seen[-1]) <= state.counters[LEVEL] + 1
        with monkeypatch.context() as patch:
            patch.setattr(links, "SMALL_STATE", 0)
            assert links.open_branches(state, 1.0) == seen[-1]
    assert len({len(branches) for branches in seen}) >= 3
