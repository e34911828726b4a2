"""Dancing links: the invariants of the node arrays, the nodes visited, the memory used."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
from benchmarks import problems
from dlx import Problem, Search
from dlx.search import links
from dlx.search import links_kernel as nodes
from dlx.search.counters import EXHAUSTED, LEVEL, NODES
from tests.dlx.problems import small_problems
from tests.modes import compiled, examples, kernel, long

pytestmark = kernel


def options_in_list(state, item):
    """The options in an item's list from top to bottom; checks the links upwards."""
    first_of = {}
    header = nodes.NODE * item
    places, p = [], header
    while (below := int(state.nodes[p + nodes.DOWN])) != header:
        assert state.nodes[below + nodes.UP] == p
        assert state.nodes[below] == item
        places.append(below)
        p = below
    assert state.nodes[header + nodes.UP] == p
    for place in places:
        q = place
        while state.nodes[q] < nodes.SPACER:
            q += nodes.NODE
        first_of[place] = int(state.nodes[q]) - nodes.SPACER
    return list(first_of.values())


@settings(max_examples=examples(80), deadline=None)
@given(problem=small_problems(), data=st.data())
def test_lists_hold_exactly_the_options_that_are_compatible_with_those_chosen(problem, data):
    givens = ()
    if problem.num_options:
        givens = tuple(data.draw(st.sets(st.integers(0, problem.num_options - 1), max_size=1)))
    state = links.start(problem, givens)
    out = np.empty((0, links.max_depth(state)), np.int32)
    while not state.counters[EXHAUSTED]:
        if state.counters[nodes.ENTERING]:
            chosen = [*givens, *state.option[: state.counters[LEVEL]].tolist()]
            covered = {int(i) for o in chosen for i in items_of(problem, o)}
            uncovered = [i for i in range(problem.num_primary) if i not in covered]
            assert state.counters[nodes.REMAINING] == len(uncovered)
            for item in uncovered:
                expected = [
                    o
                    for o in range(problem.num_options)
                    if item in items_of(problem, o) and problem.compatible([*chosen, o])
                ]
                assert options_in_list(state, item) == expected
                assert state.size[item] == len(expected) * nodes.ONE_OPTION + item
            for item in covered:
                assert state.size[item] >= nodes.COVERED
        links.advance(state, data.draw(st.integers(1, 4)), 1, out)


def items_of(problem, option):
    return problem.item[problem.start[option] : problem.start[option + 1]].tolist()


@compiled
@pytest.mark.parametrize(
    ("problem", "count"),
    [
        (problems.queens(12), 332_940),
        (problems.pentominoes(problems.rectangle(3, 20)), 32_978),
        (problems.latin(5), 1_701_926),
    ],
)
def test_the_nodes_are_those_that_knuths_program_dlx2_reports(problem, count):
    search = Search(problem, kernel="links")
    search.count()
    assert search.stats.nodes == count


@long
def test_an_entry_of_a_large_sparse_problem_takes_at_most_40_bytes():
    item = np.arange(100_000) % 7_000
    start = np.arange(0, len(item) + 1, 5)
    problem = Problem.from_arrays(start, item, num_primary=7_000)
    state = links.start(problem, ())
    held = (problem.start, problem.item, problem.colour, *state)
    assert sum(array.nbytes for array in held) <= 40 * problem.num_entries


@pytest.mark.parametrize("length", [0, 1, 2, 5, 60])
def test_solutions_of_any_length_are_written_ascending(length):
    options = [[k] for k in range(length)]
    shuffled = np.random.default_rng(3).permutation(length).tolist()
    problem = Problem([options[k] for k in shuffled], primary=range(length))
    assert list(Search(problem, kernel="links")) == [tuple(range(length))]


@settings(max_examples=examples(60), deadline=None)
@given(problem=small_problems(), data=st.data())
def test_the_interpreter_and_the_kernel_come_to_the_same_states(problem, data):
    def arrays(interpreter, ascending):
        interpreter.left = 1 << 30 if interpreter is first else 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(links, "_interpreter", interpreter)
            state = links.start(problem, (), ascending)
            out = np.full((10**4, links.max_depth(state)), -2, np.int32)
            found = [links.advance(state, budget, 10**4, out) for budget in budgets]
        return found, out.tobytes(), [array.tobytes() for array in state]

    first, exhausted = links._Interpreter(), links._Interpreter()
    budgets = data.draw(st.lists(st.integers(1, 30), max_size=5))
    ascending = data.draw(st.booleans())
    assert arrays(first, ascending) == arrays(exhausted, ascending)


@pytest.mark.parametrize("first_steps", [100, 300, 1000])
def test_the_kernel_continues_after_the_first_steps_of_a_process(first_steps, monkeypatch):
    problem = problems.queens(8)
    expected = Search(problem, kernel="links")
    listed = list(expected)
    for name in ("FIRST_STEPS", "FIRST_STEPS_IF_STORED"):
        monkeypatch.setattr(links, name, first_steps)
    monkeypatch.setattr(links, "_interpreter", links._Interpreter())
    links.begin_first_steps()
    state = links.start(problem, ())
    out = np.empty((100, links.max_depth(state)), np.int32)
    interpreted = links._interpreter.left > 0
    found = links.advance(state, 1 << 40, 100, out)
    assert interpreted == (first_steps > 100) and links._interpreter.left <= 0
    assert [tuple(row) for row in out[:found].tolist()] == listed
    assert state.counters[NODES] == expected.stats.nodes


def test_a_search_of_few_steps_needs_no_compiled_code(monkeypatch):
    def fail(*_):
        raise AssertionError("compiled code was called")

    monkeypatch.setattr(links, "_interpreter", links._Interpreter())
    links.begin_first_steps()
    monkeypatch.setattr(nodes, "link", fail)
    monkeypatch.setattr(nodes, "advance", fail)
    problem = Problem([[2, 4, 5], [0, 3, 6], [1, 2, 5], [0, 3], [1, 6], [3, 4, 6]])
    assert dlx.solve(problem) == (0, 3, 4) == dlx.solve(problem, jobs=2)
    assert dlx.count_solutions(problem) == dlx.count_solutions(problem, jobs=2) == 1


def test_an_estimate_while_another_thread_covers_items():
    search = Search(problems.queens(8), kernel="links")
    next(search)
    state = search._state
    assert 0 < links.fraction_done(state) < 1
    header = nodes.NODE * int(state.nodes[int(state.choice[0])])
    state.nodes[header + nodes.DOWN] = header  # the list of the first item is empty at this moment
    assert 0 <= links.fraction_done(state) < 1
