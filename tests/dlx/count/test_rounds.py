"""Rounds of a sweep: against the one with a table; threads, limbs, and what ends them."""

import ast
import inspect
import itertools
import threading
from itertools import pairwise

import numpy as np
import pytest

from benchmarks import problems
from dlx import Problem
from dlx.count import expander, layers, memory, orders, rounds, rounds_kernel, table
from dlx.count.memory import MemoryAccount
from dlx.count.remainder import masks, remainder_of
from dlx.count.sweep import Sweep
from tests.dlx.problems import random_problem
from tests.modes import compiled, examples, kernel

pytestmark = kernel


@pytest.fixture(autouse=True)
def early(monkeypatch):
    """Sweeps go in rounds from few states on."""
    monkeypatch.setattr(table, "LEAST_IN_ROUNDS", 4)
    monkeypatch.setattr(table, "LEAST_ARENA", 4)


def sweep_of(problem, jobs=1, memory_limit=1 << 30):
    remainder = remainder_of(problem, ())
    made = masks(remainder, np.arange(remainder.num_primary), merge=True)
    return Sweep(made, MemoryAccount(memory_limit, jobs))


def finish(running, budget=1 << 60):
    """The figures at the end, and whether there were rounds, and batches."""
    in_rounds = in_batches = False
    done = [running.done]
    while not running.ended:
        running.advance(budget)
        done.append(running.done)
        if running._layers is not None:
            in_rounds |= running._layers._rounds is not None
            in_batches |= bool(running._layers._layers)
    assert done == sorted(done)
    figures = running.num_solutions, running.nodes, running.work, running.peak
    running.release()
    assert running._account.used == 0
    return figures, in_rounds, in_batches


def table_of(problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "LEAST_BY_LAYERS", 1 << 60)
        patch.setattr(table, "LEAST_IN_ROUNDS", 1 << 60)
        return finish(sweep_of(problem))[0]


def test_figures_are_those_of_a_table_for_any_number_of_threads():
    used, number = 0, examples(50)
    for seed in range(number):
        problem = random_problem(seed)
        figures, in_rounds, _ = finish(sweep_of(problem), 1000)
        assert figures[:2] == table_of(problem)[:2]
        assert all(finish(sweep_of(problem, jobs), 1000)[0] == figures for jobs in (2, 5))
        used += in_rounds
    assert used > number // 10


@compiled
@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_the_size_of_slices_changes_no_figure(jobs):
    figures, in_rounds, in_batches = finish(sweep_of(problems.latin(5), jobs), 100_000)
    assert (in_rounds, in_batches) == (True, False)
    assert figures == finish(sweep_of(problems.latin(5)))[0]
    assert figures[:2] == table_of(problems.latin(5))[:2] == (161_280, 68_491)


@compiled
@pytest.mark.parametrize("jobs", [1, 2])
def test_counts_of_many_limbs(jobs):
    masks = orders.best(remainder_of(problems.dominoes(16, 16), ())).masks
    running = Sweep(masks, MemoryAccount(1 << 30, jobs))
    figures, in_rounds, in_batches = finish(running, 1_000_000)
    assert (in_rounds, in_batches) == (True, False)
    assert figures[0] == 2_444_888_770_250_892_795_802_079_170_816
    assert (figures[1], figures[3]) == (655_016, 19_793)


@compiled
@pytest.mark.parametrize(("name", "least"), [("MOST_OPEN_STATES", 3000), ("MOST_CHILDREN", 4000)])
def test_with_many_states_or_children_the_sweep_continues_in_batches(name, least, monkeypatch):
    whole = table_of(problems.latin(5))
    monkeypatch.setattr(rounds, name, least)
    for jobs in (1, 2, 5):
        figures, in_rounds, in_batches = finish(sweep_of(problems.latin(5), jobs), 100_000)
        assert (in_rounds, in_batches) == (True, True)
        assert figures[:2] == whole[:2]
        assert figures == finish(sweep_of(problems.latin(5)))[0]


@compiled
@pytest.mark.parametrize("least", [1 << 20, 3000])
def test_a_sweep_that_leaves_rounds_never_seems_to_have_ended(least, monkeypatch):
    """It does so in another thread; after an interrupt the first one reads its figures."""
    monkeypatch.setattr(rounds, "MOST_OPEN_STATES", least)
    running = Sweep(
        orders.best(remainder_of(problems.dominoes(16, 16), ())).masks, MemoryAccount(1 << 30)
    )
    seen = []

    def noted(own):
        def call(*arguments):
            before = running._layers
            result = own(*arguments)
            if before is not None:
                seen.append((running.ended, running.done < 1))
            return result

        return call

    monkeypatch.setattr(layers, "Rounds", noted(rounds.Rounds))
    monkeypatch.setattr(layers.LayerSweep, "_enter", noted(layers.LayerSweep._enter))
    while not running.nodes > 400_000:
        running.advance(1_000_000)
    assert len(seen) > 2 and set(seen) == {(False, True)}
    running.release()


@compiled
def test_where_memory_is_short_there_are_no_rounds():
    size = rounds.nbytes(sweep_of(problems.latin(5)).masks, 4)
    running = sweep_of(problems.latin(5), memory_limit=size)
    figures, in_rounds, _ = finish(running, 100_000)
    assert (figures[0], in_rounds) == (161_280, False)
    enough = size / layers.IN_ROUNDS + 1_000_000
    assert finish(sweep_of(problems.latin(5), memory_limit=int(enough)), 100_000)[1]
    running = sweep_of(problems.latin(5), memory_limit=int(enough))
    running._account.take(int(enough) - size // 2)  # by another sweep
    running.advance(3_000_000)
    assert running._layers is None
    running._account.take(size // 2 - int(enough))
    assert finish(running, 100_000)[0][0] == 161_280


@compiled
def test_memory_of_states_left_to_batches_is_returned_to_the_system():
    # an allocator would keep up to 64 MB for each thread
    running = sweep_of(problems.latin(5))
    running.advance(3_000_000)
    lengths, states = running._layers._rounds.collect()
    rows, _ = running._layers._expander.sort(states, int(np.flatnonzero(lengths)[0]))
    assert states.nbytes >= memory.LEAST_MAPPED
    assert not states.flags.owndata
    assert not rows.flags.owndata
    running.release()


@compiled
def test_layers_begin_at_the_same_work_for_any_number_of_threads():
    def course(jobs, most=None):
        with pytest.MonkeyPatch.context() as patch:
            if most is not None:
                patch.setattr(rounds, "MOST_OPEN_STATES", most)  # then batches follow
            running = sweep_of(problems.dominoes(8, 8), jobs)
            found = []
            while not running.ended:
                running.advance(20_000)
                if running._layers is not None and not running.ended:
                    found.append((running._layers.layer, running._layers.begun, running.work))
            running.release()
            return found

    one = course(1)
    assert len({layer for layer, _, _ in one}) > 5
    for (layer, begun, work), (after, begun_after, work_after) in pairwise(one):
        assert 0 < begun <= work and layer <= after
        assert begun_after == begun if after == layer else work <= begun_after <= work_after
    assert course(2) == one
    in_batches = course(1, 16)
    layers_seen = [layer for layer, _, _ in in_batches]
    assert layers_seen == sorted(layers_seen) and len(set(layers_seen)) > 5
    for (layer, begun, _), (after, begun_after, _) in pairwise(in_batches):
        assert begun_after == begun if after == layer else begun_after > begun


@compiled
@pytest.mark.parametrize("jobs", [1, 2])
def test_some_solutions_are_completed_early(jobs):
    running = sweep_of(problems.latin(5), jobs)
    running.advance(3_000_000)
    assert running._layers._rounds is not None
    assert running.num_solutions == 0
    before = running.work, running.projected
    running.complete_some(3_000_000)
    assert 0 < running.num_solutions < 161_280
    assert (running.work, running.projected) == before
    assert finish(running)[0][0] == 161_280


@compiled
def test_rounds_are_saved_and_continue():
    running = sweep_of(problems.latin(5), 2)
    running.advance(3_000_000)
    again = sweep_of(problems.latin(5))
    again._unpack({name: array.copy() for name, array in running._states.pack().items()})
    assert again._layers._rounds is not None
    assert (again.nodes, again.work, again.done) == (running.nodes, running.work, running.done)
    assert finish(again, 100_000)[0] == finish(running)[0]


@compiled
def test_rounds_are_saved_while_a_count_needs_a_limb_more():
    problem = Problem([[item] for item in range(8)] * 100)
    running, seen = sweep_of(problem), []
    running._go_by_layers()
    while not running.ended:
        running.advance(1)
        seen.append(running._layers._rounds.status)
        again = sweep_of(problem)
        again._unpack(running._states.pack())
        running = again
    assert rounds_kernel.NEEDS_LIMB in seen
    assert running.num_solutions == 100**8


@compiled
@pytest.mark.parametrize("least", [1 << 20, 20])
def test_a_sweep_without_memory_to_leave_rounds_continues_later(least, monkeypatch):
    monkeypatch.setattr(rounds, "MOST_OPEN_STATES", least)
    board = problems.dominoes(4, 6)
    problem = Problem([board.option(o) for o in range(board.num_options)] * 50)
    own, allowed = memory.zeros, itertools.count(1 << 20, -1)

    def zeros(*arguments):
        if next(allowed) == 0:
            raise MemoryError
        return own(*arguments)

    for module in (expander, rounds):
        monkeypatch.setattr(module, "zeros", zeros)
    whole = table_of(problem)[:2]
    for number in range(7):
        running = sweep_of(problem)
        running._go_by_layers()
        allowed = itertools.count(number, -1)
        with pytest.raises(MemoryError):
            running.advance(1 << 60)
        assert finish(running)[0][:2] == whole


def test_the_number_of_a_round_changes_by_atomic_operations_only():
    # a plain store may be seen before earlier ones: not on x86, where no run would show it
    tree = ast.parse(inspect.getsource(rounds_kernel))
    stored = [node for node in ast.walk(tree) if isinstance(getattr(node, "ctx", None), ast.Store)]
    targets = [ast.unparse(node) for node in stored if isinstance(node, ast.Subscript)]
    assert "shared[NEXT]" in targets
    assert [target for target in targets if "ROUND]" in target or "in_use" in target] == []


@compiled
def test_a_thread_joins_as_soon_as_it_is_idle(monkeypatch):
    figures = finish(sweep_of(problems.latin(5)))[0]
    for late in range(5):
        running = sweep_of(problems.latin(5), 2)
        workers, own, taken = running._account.workers(), rounds.Rounds._take_part, []
        busy = threading.Event()
        workers.submit(busy.wait)

        def take_part(some, k, own=own, taken=taken, busy=busy, late=late):
            """The first `late` runs end without thread 1."""
            if not some._pool.shared[rounds_kernel.ROUND] & rounds_kernel.OVER:
                taken.append(k)
            if taken.count(0) > late:
                busy.set()
            own(some, k)

        monkeypatch.setattr(rounds.Rounds, "_take_part", take_part)
        assert finish(running, 1_000_000)[0] == figures
        busy.set()
        assert taken.count(0) > late
        assert taken[: late + 1] == [0] * (late + 1)
        monkeypatch.setattr(rounds.Rounds, "_take_part", own)


@compiled
def test_if_a_thread_cannot_be_started_the_count_continues(monkeypatch):
    def start(thread):
        if len(started) == 1:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        own(thread)

    running = sweep_of(problems.latin(5), 3)
    own, started = threading.Thread.start, []
    running.advance(3_000_000)
    running._account._workers = None
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        for _ in range(3):
            started.clear()
            with pytest.raises(RuntimeError, match="thread"):
                running.advance(1_000_000)
            started[0].join()
            assert len(running._states.pack()["states"]) == running._layers._rounds.opened
    assert finish(running)[0] == finish(sweep_of(problems.latin(5)))[0]
