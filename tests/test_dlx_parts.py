"""Independent parts: found, counted in turns, multiplied."""

import random

import numba
import pytest

import dlx
from benchmarks import problems
from dlx import Coloured, Count, Problem, masks
from dlx.parts import parts
from tests.test_dlx_memo import random_problem

COMPILED = not numba.config.DISABLE_JIT
compiled = pytest.mark.skipif(not COMPILED, reason="takes minutes where kernels are not compiled")


def beside(*several, seed=0):
    """One problem of several, their items and options shuffled."""

    def rename(part, item):
        if isinstance(item, Coloured):
            return Coloured((part, item.item), item.colour)
        return (part, item)

    options, primary, secondary = [], [], []
    for part, problem in enumerate(several):
        names = [(part, item) for item in problem.items]
        primary += names[: problem.num_primary]
        secondary += names[problem.num_primary :]
        options += [
            [rename(part, item) for item in problem.option(i)] for i in range(problem.num_options)
        ]
    draw = random.Random(seed)
    for names in (options, primary, secondary):
        draw.shuffle(names)
    return Problem(options, primary=primary, secondary=secondary)


def split(problem, given=()):
    return parts(masks.rest(problem, given))


def test_what_hangs_together():
    tiles = problems.dominoes(3, 4)
    assert len(split(tiles)) == 1
    found = split(beside(tiles, problems.queens(4), tiles))
    assert sorted(part.num_primary for part in found) == [8, 12, 12]
    assert split(Problem([])) == []
    chain = [[i, i + 1] for i in range(4000)]
    random.Random(1).shuffle(chain)
    assert [part.num_primary for part in split(Problem(chain))] == [4001]
    cut = [option for option in chain if option != [1000, 1001]]
    assert sorted(part.num_primary for part in split(Problem(cut))) == [1001, 3000]


def test_secondary_items_hold_together_where_they_matter():
    def number(first, second):
        options = [["a", first], ["b", second]]
        return len(split(Problem(options, primary=["a", "b"], secondary=["s", "t"])))

    assert number("s", "s") == 1
    assert number("s", "t") == 2
    assert number(Coloured("s", 1), Coloured("s", 2)) == 1
    assert number(Coloured("s", 1), Coloured("s", 1)) == 2  # they can never disagree


def test_given_options_cut():
    row = Problem([[i, i + 1] for i in range(5)] + [[i] for i in range(6)])
    assert len(split(row)) == 1
    assert len(split(row, (2,))) == 2
    assert dlx.count_solutions(row, given=[2], method="memo") == 4


def test_parts_of_random_problems_have_the_covers_of_the_whole():
    several = 0
    for seed in range(0, 200 if COMPILED else 12, 2):
        problem = beside(random_problem(seed), random_problem(seed + 1), seed=seed)
        total = 1
        for part in (found := split(problem)):
            total *= dlx.count_solutions(part, method="search")
        assert dlx.count_solutions(problem, method="memo") == total
        if total < 10**6 * COMPILED + 1000:
            assert dlx.count_solutions(problem, method="search") == total
        several += len(found) > 1 and total > 0
    assert several > (50 if COMPILED else 1)


@compiled
def test_a_product_that_no_other_way_counts_soon():
    board = problems.pentominoes(problems.rectangle(5, 12))
    one = dlx.count_solutions(board)
    assert one == 4 * 1010
    count = Count(beside(board, board, board))
    assert count.count() == one**3
    assert count.status == "exhausted"
    assert dlx.count_solutions(beside(problems.latin(5), problems.latin(5))) == 161_280**2


@compiled
def test_hundreds_of_parts():
    assert dlx.count_solutions(beside(*[problems.dominoes(4, 4)] * 300)) == 36**300


def test_a_part_without_covers():
    none = problems.dominoes(3, 3)
    for method in ("auto", "memo"):
        assert dlx.count_solutions(beside(problems.dominoes(4, 4), none), method=method) == 0
    lonely = Problem([["a"], ["b"]], primary=["a", "b", "c"])
    assert dlx.count_solutions(lonely, method="memo") == 0


@compiled
def test_a_part_without_end():
    problem = beside(problems.latin(9), problems.queens(10), problems.dominoes(5, 5))
    assert dlx.count_solutions(problem) == 0
    problem = beside(problems.latin(9), problems.queens(10))
    count = Count(problem, time_limit=0.3)
    found = count.count()
    assert count.status == "time limit"
    assert found == count.stats.covers > 724
    assert count.count() >= found
    count = Count(problem, limit=10**6)
    assert (count.count(), count.status) == (10**6, "limit")
    calls = []
    count = Count(problem, progress=lambda stats: (calls.append(stats), count.stop()))
    count.count()
    assert count.status == "stopped"
    assert 0 < calls[0].done < 1
