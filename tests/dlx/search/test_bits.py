"""The kernel "bits": several blocks, several planes, both widths of a lane; twins."""

from itertools import product

import numpy as np
import pytest

from benchmarks import problems
from dlx import Coloured, Count, Problem, Search
from dlx.errors import KernelError
from dlx.parallel.count import parallel_count
from dlx.search import bits, links, row_sizes
from dlx.search.counters import EXHAUSTED
from dlx.search.kernel import choose_kernel
from tests.dlx.problems import random_problem
from tests.modes import COMPILED, kernel, long

pytestmark = kernel

EVERY_SECOND = "1.3.5.7.94.6.8.1.37.9.2.4.62.4.6.8.15.7.9.2.48.1.3.5.73.5.7.9.26.8.1.3.59.2.4.6.8"


def solutions(kernel, problem, rows=50, given=()):
    state = kernel.start(problem, given)
    out = np.empty((rows, kernel.max_depth(state)), np.int32)
    found = []
    while not state.counters[EXHAUSTED]:
        count = kernel.advance(state, 1 << 40, rows, out)
        found += [tuple(row[row >= 0].tolist()) for row in out[:count]]
    return found


def shape(problem):
    """Bits of a lane, blocks, planes of all blocks."""
    state = bits.start(problem, ())
    return 8 * state.rows.itemsize, len(state.first) - 1, int(state.first[-1] - state.first[0])


def many_colours():
    """A path of 5 cells; neighbours agree on the colour of the edge between them."""
    colours = [0, 60, 120, 299]
    options = [["cell0", Coloured("edge0", k)] for k in colours]
    for cell in range(1, 5):
        for k, other in product(colours, range(5)):
            edges = Coloured(f"edge{cell - 1}", k), Coloured(f"edge{cell}", (k + 60 * other) % 300)
            options.append([f"cell{cell}", *edges])
    return Problem(options, secondary=[f"edge{k}" for k in range(5)])


def many_options():
    """An item with 600 options, two of which leave something to choose for the others."""
    options = [["a", f"x{k}"] for k in range(598)] + [["a", "b"], ["a", "c"], ["b"], ["c"], ["d"]]
    return Problem([*options, ["c", "d"]], secondary=[f"x{k}" for k in range(598)])


def many_items(number):
    """More items than a vector has bits, and an item with `number` options, one of them left."""
    options = [[k] for k in range(520)] + [[0, 1], [1, 518], [300, 519]]
    options += [["a", "x"]] * (number - 1) + [["a"], ["b", "x"]]
    return Problem(options, secondary=["x"])


@pytest.mark.parametrize(
    ("make", "form"),
    [
        (lambda: problems.reduced_latin(5), (8, 1, 1)),
        (lambda: problems.sudoku_puzzle(EVERY_SECOND), (8, 3, 3)),
        (lambda: problems.langford(7), (8, 1, 2)),
        pytest.param(lambda: problems.random_sets(3, 45, 130), (8, 1, 2), marks=long),
        (lambda: problems.set_partitions(6), (32, 1, 1)),
        (many_options, (32, 1, 19)),
        (many_colours, (32, 1, 1)),
        # the most options that a lane of 8 bits counts, and one more
        pytest.param(lambda: many_items(255), (8, 9, 40), marks=long),
        pytest.param(lambda: many_items(256), (32, 33, 40), marks=long),
    ],
)
def test_same_solutions_as_links_for_rows_of_any_shape(make, form):
    problem = make()
    assert shape(problem) == form
    expected = sorted(solutions(links, problem))
    assert sorted(solutions(bits, problem)) == expected
    assert Search(problem, kernel="bits").count() == len(expected)
    assert all(list(solution) == sorted(solution) for solution in expected)


@pytest.mark.parametrize(
    "make", [lambda: problems.reduced_latin(5), lambda: problems.dominoes(4, 5)]
)
def test_twins_are_found_in_the_same_order_wherever_the_search_stops(make):
    problem = make()
    whole = solutions(bits, problem, rows=5000)
    assert len(set(whole)) == len(whole)
    for rows in (1, 2, 7):
        assert solutions(bits, problem, rows) == whole
    listed, counted = bits.start(problem, ()), bits.start(problem, ())
    out = np.empty((3, bits.max_depth(listed)), np.int32)
    while not listed.counters[EXHAUSTED]:
        bits.advance(listed, 50, 3, out)
    bits.advance(counted, 1 << 40, 1 << 40, out[:0])
    assert listed.counters.tolist() == counted.counters.tolist()


def test_twins_are_not_used_where_secondary_items_may_forbid_one():
    """Four cells in a ring and dominoes on it; one of the two tilings is forbidden."""
    ring = [["a", "b", "x"], ["c", "d", "x"], ["b", "c"], ["d", "a"]]
    assert solutions(bits, Problem(ring, secondary=["x"])) == [(2, 3)]
    assert solutions(bits, Problem([option[:2] for option in ring])) == [(0, 1), (2, 3)]


def test_givens_may_be_a_whole_solution():
    problem = Problem([["a", "b"], ["c"], ["x"]], secondary=["x"])
    assert solutions(bits, problem, given=(0, 1)) == [(0, 1)]
    assert solutions(bits, problem, given=(0, 1, 2)) == [(0, 1, 2)]
    assert solutions(bits, problem, given=(0, 2)) == [(0, 1, 2)]


@long
def test_problems_with_too_large_rows_are_refused_and_left_to_links_by_auto():
    problem = problems.set_partitions(15)
    assert not bits.suits(problem)
    with pytest.raises(KernelError, match="bits"):
        Search(problem, kernel="bits")
    assert Search(problem).stats.kernel == "links"
    search = Search(problems.soma())
    assert len(next(search)) == 7 and search.stats.kernel == "bits"


def test_colours_count_against_the_memory(monkeypatch):
    problem = many_colours()
    state = bits.start(problem, ())
    row = len(state.compatible) // problem.num_options * state.compatible.itemsize
    for name in ("MEMORY", "LARGEST"):
        monkeypatch.setattr(row_sizes, name, (problem.num_options + problem.num_items) * row)
    assert not bits.suits(problem)


def test_rows_may_take_more_memory_where_items_have_many_options(monkeypatch):
    monkeypatch.setattr(row_sizes, "MEMORY", 1 << 10)
    dense, sparse = problems.set_partitions(7), problems.dominoes(4, 6)
    for problem, name in ((dense, "bits"), (sparse, "links")):
        assert choose_kernel(problem, "auto").name == name
        assert choose_kernel(problem, "auto", largest=1 << 10).name == "links"
        assert bits.suits(problem) == (name == "bits")
        searches = [Search(problem, kernel=one) for one in ("auto", "links")]
        assert searches[0].count() == searches[1].count()
        assert searches[0].stats.kernel == name
    # a count has a limit of memory
    for count in (
        Count(dense, method="search"),
        parallel_count(dense, method="search", jobs=2),
    ):
        assert (count.count(), count.stats.kernel) == (877, "links")


def test_options_without_a_primary_item_are_in_no_solution():
    """Their numbers lie between those of the options of an item, which are read as one range."""
    problem = Problem([["p"], ["s"], ["p", "q"], ["s", "q"]], primary="pq", secondary="s")
    assert sorted(Search(problem, kernel="bits")) == [(0, 3), (2,)]
    problem = Problem([["p", "s"], ["s"], ["q"], ["s"], ["q", "p"]], primary="pq", secondary="s")
    assert sorted(Search(problem, kernel="bits")) == [(0, 2), (4,)]


def starts(problem, chosen=()):
    """The state of a search, whose rows the interpreter or the kernels have filled."""
    state = bits.start(problem, chosen)
    scratch = ("counts", "single", "pending", "forced_in", "chosen")
    return {
        name: values.tolist() for name, values in state._asdict().items() if name not in scratch
    }


@pytest.fixture
def nothing_stored(monkeypatch):
    """The interpreter as at the start of a process whose cache has no code."""
    monkeypatch.setattr(bits.bits_kernel, "has_stored_rows", lambda: False)
    interpreter = bits._Interpreter()
    monkeypatch.setattr(bits, "_interpreter", interpreter)
    return interpreter


def test_the_interpreter_fills_the_same_rows_as_the_kernels(nothing_stored):
    made = [problems.queens(6), problems.latin(3), problems.langford(5), Problem([], primary=[0])]
    made += [random_problem(seed) for seed in range(60 if COMPILED else 5)]
    for problem in made:
        for chosen in ((), (0,), (2, problem.num_options - 1)):
            if chosen and not (problem.num_options and problem.compatible(chosen)):
                continue
            nothing_stored.left = bits.FIRST_STEPS
            interpreted = starts(problem, chosen)
            assert 0 < nothing_stored.left < bits.FIRST_STEPS or not problem.num_entries
            nothing_stored.left = 0
            assert interpreted == starts(problem, chosen)


def test_the_interpreter_fills_rows_for_some_steps_of_a_process(nothing_stored, monkeypatch):
    filled = []
    own = bits.bits_kernel.fill
    monkeypatch.setattr(bits.bits_kernel, "fill", lambda *one: filled.append(0) or own(*one))
    problem = problems.queens(8)
    left = [nothing_stored.left]
    while nothing_stored.left:
        bits.start(problem, ())
        left.append(nothing_stored.left)
    assert len(filled) == 1  # by the call for which too few steps were left
    assert len(left) > 20 and left == sorted(left, reverse=True)
    bits.start(problem, ())
    assert len(filled) == 2
    monkeypatch.setattr(bits.bits_kernel, "has_stored_rows", lambda: True)
    nothing_stored.left = bits.FIRST_STEPS
    bits.start(problem, ())
    assert len(filled) == 3 and nothing_stored.left == 0
