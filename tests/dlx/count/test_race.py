"""The race: the same course on every machine, whatever else it does."""

import pytest

from benchmarks import problems
from dlx import Count
from dlx.count.race import choose
from tests.modes import compiled


class Runner:
    """A contestant of given figures."""

    def __init__(self, work, projected, smallest_step=0, done=0.5):
        self.work, self.projected, self.smallest_step = work, projected, smallest_step
        self.done = done


@compiled
@pytest.mark.parametrize(
    ("problem", "kernel", "nodes", "peak"),
    [
        (problems.queens(8), "bits", 590, 0),
        (problems.dominoes(8, 8), "sweep", 38_818, 77),
        (problems.langford(11), "bits", 225_330, 0),
        (problems.reduced_latin(6), "bits", 18_743, 0),
        (problems.matchings(14), "bits", 190_633, 0),
        (problems.dominoes(10, 12), "sweep", 76_971, 754),
    ],
)
def test_nodes_kernel_and_peak_are_always_the_same(problem, kernel, nodes, peak):
    count = Count(problem)
    count.count()
    assert (count.stats.kernel, count.stats.nodes, count.peak_states) == (kernel, nodes, peak)


def test_a_sweep_that_promises_less_goes_on():
    search = Runner(100, 1000)
    assert choose(search, [Runner(50, 500)]).projected == 500
    assert choose(search, [Runner(50, 500, done=0.1)]) is search
    assert choose(search, [Runner(50, 900)]) is search
    assert choose(search, [Runner(5, 900)]).work == 5  # a trial is a small part of the search
    assert choose(search, [Runner(10, 900, smallest_step=500)]) is search


def test_plain_search_keeps_its_share_for_the_lower_bound():
    search = Runner(1, 1000)
    assert choose(search, [Runner(50, 60)]) is search


def test_no_sweep_stays_far_behind_another():
    behind, ahead = Runner(1, 100), Runner(50, 60)
    assert choose(None, [ahead, behind]) is behind
    behind.work = 6
    assert choose(None, [ahead, behind]) is ahead
