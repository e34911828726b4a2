"""Subsets, chains, forks and refutations on any problem: nothing that a cover needs is deleted."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlx.logic import chains, subsets
from dlx.logic import state as deduction
from dlx.problem import Problem
from tests import naive
from tests.modes import examples, kernel

pytestmark = kernel

ITEMS = 8


@st.composite
def problems(draw):
    """Options over a few items, and frames of pairwise disjoint ones."""
    options = draw(
        st.lists(st.sets(st.integers(0, ITEMS - 1), min_size=1, max_size=4), min_size=1, max_size=9)
    )
    options = [sorted(option) for option in options]

    def family(order):
        chosen = []
        for item in order:
            if not any(item in o and other in o for o in options for other in chosen):
                chosen.append(item)
        return chosen

    orders = st.permutations(range(ITEMS))
    frames = []
    for _ in range(draw(st.integers(1, 4))):
        base = family(draw(orders))
        cover = [item for item in family(draw(orders)) if item not in base]
        if cover:
            frames.append(deduction.Frame(1, base, cover))
    return options, frames


def left_and_deleted(state, record):
    """The options still there, and those that the record says go."""
    return set(np.flatnonzero(state.live.alive).tolist()), set(record[3][3])


@settings(max_examples=examples(300), deadline=None)
@given(problems(), st.integers(1, 4), st.integers(0, 2), st.integers(0, 2))
def test_deductions_delete_no_option_of_a_cover(case, k, spare, kinds):
    options, frames = case
    problem = Problem(options, primary=range(ITEMS))
    entries = [[(item, None) for item in option] for option in options]
    needed = {o for cover in naive.exact_covers(entries, set(range(ITEMS))) for o in cover}
    state = subsets.new_state(problem, [1 << (item % 2) for item in range(ITEMS)], frames)
    log = np.zeros(1000, np.int32)
    rungs = np.array([[0, deduction.SINGLE, 3, 0, 0], [1, deduction.SUBSET, 1, k, spare]], np.int32)
    counts = np.zeros(2, np.int32)
    links = [3, 1 + kinds, 3, 3]
    weak = (3, 1 + kinds, 3 | deduction.CONJUGATE)
    tables = [np.array([[5, 4, kind, *links]], np.int32) for kind in weak]
    tables.append(np.array([[5, 1, 1, *links], [5, 2, 2, *links]], np.int32))
    while True:
        log[0] = 1
        status = subsets.advance(state, rungs, 1000, counts, log)
        assert not needed & {o for record in deduction.records(log) for o in record[3][3]}
        if status != deduction.STUCK:
            break
        for found in (
            *(partial(chains.chain, state, table, log) for table in tables),
            lambda: chains.fork(state, 3, 9, 1 + kinds, 4, 99, 3, 5, log),
            lambda: chains.fork(state, 3, 9, 3, 4, 99, 1 + kinds, 5, log),
            lambda: chains.refute(state, 5, log),
        ):
            if found():
                [record] = deduction.records(log)
                left, deleted = left_and_deleted(state, record)
                assert record[0] == 5 and deleted and deleted <= left
                assert not deleted & needed
                subsets.delete(state, np.array(sorted(deleted), np.int32))
                break
        else:
            break
    if status == deduction.SOLVED:
        assert set(np.flatnonzero(state.live.alive)) == needed
    if status == deduction.BROKEN:
        assert not needed


def test_pair_of_base_items_uses_up_two_cover_items():
    # a and b have only 1 and 2, so c cannot have them
    problem = Problem(
        [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1), ("c", 2), ("c", 3)],
        primary=["a", "b", "c", 1, 2, 3],
    )
    state = subsets.new_state(
        problem, [1, 1, 1, 2, 2, 2], [deduction.Frame(4, [0, 1, 2], [3, 4, 5])]
    )
    log, counts = np.zeros(200, np.int32), np.zeros(8, np.int32)
    log[0] = 1
    rung = np.array([[7, deduction.SUBSET, 4, 2, 0]], np.int32)
    assert subsets.advance(state, rung, 100, counts, log) == deduction.STUCK
    assert deduction.records(log) == [(7, 0, -1, [[0, 1], [3, 4], [], [4, 5]])]
    assert counts[7] == 1


def test_refutation_lists_what_it_chooses():
    # with "ab" in, e needs "ec" and d needs "cd", but these conflict
    problem = Problem(["ab", "a", "b", "cd", "da", "eb", "ec"], primary="abcde")
    state = subsets.new_state(problem, [1] * 5, [])
    log = np.zeros(200, np.int32)
    assert chains.refute(state, 2, log) == 2
    [(rung, empty, refuted, lists)] = deduction.records(log)
    assert (rung, refuted, lists[3]) == (2, 0, [0])
    assert (lists[0], lists[1], empty) in [([0, 3], [3], 4), ([0, 6], [4], 3)]


def test_begin_says_which_given_conflicts():
    problem = Problem([(0, 1), (1, 2), (2,), (0,)])
    state = subsets.new_state(problem, [1, 1, 1], [])
    assert subsets.begin(state, np.array([0, 2], np.int32)) == -1
    assert subsets.begin(state, np.array([0, 1, 2], np.int32)) == 1


def test_long_log_is_handed_out_in_parts():
    problem = Problem([(k,) for k in range(20)])
    state = subsets.new_state(problem, [1] * 20, [])
    counts, rungs = np.zeros(1, np.int32), np.array([[0, deduction.SINGLE, 1, 0, 0]], np.int32)
    log = np.zeros(20 + 40 + subsets.ROOM + 30, np.int32)
    chosen, codes = [], []
    while not codes or codes[-1] == deduction.FULL:
        log[0] = 1
        codes.append(subsets.advance(state, rungs, 1000, counts, log))
        chosen += [record[2] for record in deduction.records(log)]
    assert chosen == list(range(20)) and len(codes) > 1 and codes[-1] == deduction.SOLVED


def test_families_have_at_most_63_items():
    problem = Problem([(k,) for k in range(70)])
    with pytest.raises(ValueError, match="63"):
        subsets.new_state(problem, [1] * 70, [deduction.Frame(1, range(64), [65])])
