"""Recordings by both rules: the paths along their edges against the oracle; the work expected."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

import dlx
from benchmarks import problems
from dlx.count import table
from dlx.count.memory import MemoryAccount
from dlx.count.remainder import masks, remainder_of
from dlx.count.sweep import Expected
from dlx.count.sweep_kernel import LAYER, STATES, TERMINAL, WORK
from dlx.diagram.recording import Recording, by_fewest, size_by_fewest
from tests.dlx.problems import oracle, random_problem, small_problems
from tests.modes import COMPILED, compiled, kernel

pytestmark = kernel

CENTRE = [(3, 3), (3, 4), (4, 3), (4, 4)]


def recordings(problem):
    """A recording by each rule, of a problem with primary items."""
    remainder = remainder_of(problem, ())
    made = masks(remainder, np.arange(remainder.num_primary))
    account = MemoryAccount(1 << 30)
    return Recording(made, account), by_fewest(remainder, account)


def paths(recording, budget=1 << 60):
    """The options along all paths from the root to the end."""
    while not recording.ended:
        recording.advance(budget)
    edges = {}
    for parent, option, child in recording.edges.tolist():
        edges.setdefault(parent, []).append((int(recording.masks.option[option]), child))
    found, begun = [], [((), 0)]
    while begun:
        options, node = begun.pop()
        for option, child in edges.get(node, ()):
            more = (*options, option)
            if child == TERMINAL:
                found.append(tuple(sorted(more)))
            else:
                begun.append((more, child))
    return sorted(found)


def expected_paths(problem):
    return sorted(tuple(sorted(options)) for options in oracle(problem))


@given(small_problems())
@settings(max_examples=80 if COMPILED else 20, deadline=None)
def test_both_rules_record_what_the_oracle_lists(problem):
    if problem.num_primary:
        for recording in recordings(problem):
            assert paths(recording) == expected_paths(problem)


def test_random_problems_are_recorded_by_both_rules_in_slices():
    some = 0
    for seed in range(60 if COMPILED else 4):
        problem = random_problem(seed)
        expected = expected_paths(problem)
        for recording in recordings(problem):
            assert paths(recording, 2000) == expected
        some += len(expected) > 20
    assert some > (10 if COMPILED else 0)


def test_no_state_has_a_number_beyond_the_largest(monkeypatch):
    whole, _ = recordings(problems.latin(4))
    whole.advance(1 << 60)
    number = int(whole.state.counters[STATES])
    monkeypatch.setattr(table, "LEAST_ARENA", 4)
    monkeypatch.setattr(table, "MOST_NUMBERED", number // 2)
    running, _ = recordings(problems.latin(4))
    with pytest.raises(MemoryError, match=r"^the diagram needs more than \d+ nodes$"):
        running.advance(1 << 60)
    assert number // 4 < running.state.counters[STATES] <= number // 2
    monkeypatch.setattr(table, "MOST_NUMBERED", 2 * number)
    running, _ = recordings(problems.latin(4))
    assert len(paths(running)) == 576


def test_the_size_by_fewest_is_about_what_it_takes():
    remainder = remainder_of(problems.queens(8), ())
    _, fewest = recordings(problems.queens(8))
    size = sum(array.nbytes for array in (*fewest.masks[2:4], fewest._fewest.member))
    assert 0.8 * size < size_by_fewest(remainder) <= 1.1 * size


def test_the_expected_growth_by_the_rule_fewest():
    _, running = recordings(dlx.Problem([[k] for k in range(20)]))
    begun, counters = running.state.begun, running.state.counters
    for layer in range(1, 21):  # a rate that falls with the square of the part ahead
        begun[layer] = 1e15 * math.exp(-20 * (1 - layer / 21) ** 3)
    for layer in range(4, 12):
        counters[[LAYER, WORK]] = layer, begun[layer]
        assert running.projected == pytest.approx(1e15, rel=1e-3)
    begun[5:8] = begun[8]  # layers that have no states are passed at once
    counters[[LAYER, WORK]] = 10, begun[10]
    assert running.projected == pytest.approx(1e15, rel=1e-3)
    counters[WORK] = 10**18  # the present layer takes far more than was expected
    assert running.projected == pytest.approx(1e18 * 0.75 / (10 / 21) ** 3)
    begun[:] = 0
    assert running.projected == pytest.approx(1e18 * 0.75 / (10 / 21) ** 3)


def test_what_is_expected_of_the_layers_is_used_by_the_other_rule():
    remainder = remainder_of(dlx.Problem([[k] for k in range(20)]), ())
    expected = Expected(np.full(20, 50.0), True)
    running = Recording(masks(remainder, np.arange(20)), MemoryAccount(1 << 30), expected=expected)
    assert running.projected == 1000
    running.advance(1 << 40)
    assert running.ended and running.projected == running.work and running.done == 1


@compiled
def test_layers_are_begun_when_their_work_begins():
    board = problems.pentominoes(problems.rectangle(8, 8, hole=CENTRE))
    _, running = recordings(board)
    layers = running.state.begun
    assert not layers.any()
    seen = {0: 0}
    while not running.ended:
        before = running.work
        running.advance(1)
        layer = int(running.state.counters[LAYER])
        seen.setdefault(layer, before)
        if layer:
            assert 0 < layers[layer] <= running.work
    begun = [int(layers[layer]) for layer in sorted(seen)]
    assert begun == sorted(begun)
    assert len(begun) == 13  # one for each piece, and one for the last hole
