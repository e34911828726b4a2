"""Saved counts: continued as if never saved; damage and made-up files are refused."""

import itertools
import random

import numpy as np
import pytest

import dlx
from benchmarks import problems
from dlx import Count, StateError, container
from dlx.checks import digits
from dlx.count import quick
from dlx.count.saved import KIND, as_total
from tests.dlx.unions import disjoint_union, tied_blocks
from tests.modes import compiled, examples

CASES = {
    "search": lambda: problems.queens(9),
    "sweep": lambda: problems.dominoes(8, 8),
    "exchanges": lambda: problems.latin(5),
    "components": lambda: disjoint_union(
        problems.latin(4), problems.dominoes(6, 6), problems.latin(4)
    ),
    "cut": lambda: tied_blocks(25, 75)[0],
    "none": lambda: disjoint_union(problems.dominoes(5, 5), problems.latin(4)),
}


@compiled
@pytest.mark.parametrize("method", ["auto", "sweep"])
@pytest.mark.parametrize("name", CASES)
def test_a_saved_count_continues_as_if_it_had_not_been_saved(name, method, tmp_path, small_steps):
    problem = CASES[name]()
    total = dlx.count_solutions(problem)
    memory = 1 << 27
    count = Count(problem, method=method, memory_limit=memory)
    again = Count(problem, method=method, memory_limit=memory)
    draw = random.Random(7)
    for step in itertools.count():
        if again._leader.ended:
            break
        for one in (count, again):
            one._advance()
        if draw.random() < (0.3 if step < 20 else 0.06):  # most is decided in the first steps
            again.save(tmp_path / "count")
            again = Count.load(tmp_path / "count", problem)
        figures = [
            (c.stats._replace(seconds=0), c.peak_states, c._leader.work) for c in (count, again)
        ]
        assert figures[0] == figures[1]
        assert again.num_solutions <= total
    again.save(tmp_path / "count")
    ended = Count.load(tmp_path / "count", problem)
    assert ended.count() == again.count() == count.count() == total


@compiled
def test_a_quick_sweep_is_saved_and_loaded(tmp_path):
    problem = problems.dominoes(12, 12)
    count, again = Count(problem), Count(problem)
    saves = []
    while not again._leader.ended:
        for one in (count, again):
            one._advance()
        again.save(tmp_path / "count")
        again = Count.load(tmp_path / "count", problem)
        saves.append(again._quick is not None and not again._quick.ended)
        assert again.stats._replace(seconds=0) == count.stats._replace(seconds=0)
        assert again.peak_states == count.peak_states
    assert sum(saves) > 1
    assert again._components is None
    assert again.count() == count.count() == 53_060_477_521_960_000
    values, arrays = container.read(tmp_path / "count", KIND, problem)
    container.write(tmp_path / "count", KIND, problem, {**values, "quick": None}, arrays)
    with pytest.raises(StateError, match="damaged"):
        Count.load(tmp_path / "count", problem)


@compiled
def test_a_quick_sweep_that_waits_for_the_search_is_saved_and_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr(quick, "AHEAD_FACTOR", 0)
    monkeypatch.setattr(quick, "CLOSE_SHARE", -1)
    problem = problems.dominoes(12, 12)
    count = Count(problem)
    for _ in range(3):
        count._advance()
    assert count._quick.work > 0 and not count._quick.leads
    count.save(tmp_path / "count")
    assert Count.load(tmp_path / "count", problem).stats == count.stats


@compiled
def test_a_sweep_in_portions_is_saved_and_loaded(tmp_path):
    problem = problems.latin(5)
    count = Count(problem, method="sweep", memory_limit=1 << 19, time_limit=0)
    assert count.count() < 161_280
    for _ in range(5):
        count.save(tmp_path / "count")
        count = Count.load(tmp_path / "count", problem, time_limit=0.01)
        before = count.num_solutions
        assert count.count() >= before
    count.time_limit = None
    assert count.count() == 161_280
    assert count.stats.short_of_memory


@compiled
def test_a_loaded_count_has_the_threads_it_is_given(tmp_path):
    problem = problems.dominoes(16, 16)
    count = Count(problem, method="sweep")
    while count.stats.nodes < 1000:
        count._advance()
    count.save(tmp_path / "count")
    alone = Count.load(tmp_path / "count", problem)
    for jobs in (2, 3, "all"):
        again = Count.load(tmp_path / "count", problem, jobs=jobs)
        assert again.count() == alone.count() == 2_444_888_770_250_892_795_802_079_170_816
        assert (again.stats.nodes, again.peak_states) == (alone.stats.nodes, alone.peak_states)
    with pytest.raises(dlx.ProblemError, match="jobs is 0"):
        Count.load(tmp_path / "count", problem, jobs=0)


@compiled
def test_totals_of_any_length(tmp_path):
    assert [as_total(digits(n)) for n in (0, 7, 10**4000, 3**20_000)] == [0, 7, 10**4000, 3**20_000]
    for wrong in (3, None, "", "-1", "1e3", "²"):
        with pytest.raises(ValueError, match="is not a number of solutions"):
            as_total(wrong)


def saved_count(path):
    problem = problems.dominoes(8, 8)
    count = Count(problem, method="sweep")
    for _ in range(3):
        count._advance()
    assert not count._leader.ended
    count.save(path)
    return problem


@compiled
def test_damage_is_refused(tmp_path, small_steps):
    path = tmp_path / "count"
    problem = saved_count(path)
    whole = path.read_bytes()
    draw = random.Random(1)
    for _ in range(100):
        changed = bytearray(whole)
        changed[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        path.write_bytes(changed)
        with pytest.raises(StateError):
            Count.load(path, problem)
    path.write_bytes(whole[: draw.randrange(len(whole))])
    with pytest.raises(StateError):
        Count.load(path, problem)
    path.write_bytes(whole)
    with pytest.raises(StateError, match="another problem"):
        Count.load(path, problems.dominoes(6, 6))
    dlx.Search(problem).save(path)
    with pytest.raises(StateError, match="not a saved count"):
        Count.load(path, problem)


@compiled
def test_files_made_by_hand_are_refused_or_counted(tmp_path, small_steps):
    path = tmp_path / "count"
    problem = saved_count(path)
    values, arrays = container.read(path, KIND, problem)
    draw = random.Random(2)
    refused, number = 0, examples(60)
    for _ in range(number):
        changed = {name: array.copy() for name, array in arrays.items()}
        name = draw.choice(sorted(name for name, array in changed.items() if array.size))
        flat = changed[name].reshape(-1)
        place = draw.randrange(flat.size)
        flat[place] = np.int64(draw.choice([0, 1, 3, 1 << 20, 1 << 31])).astype(flat.dtype)
        container.write(path, KIND, problem, values, changed)
        try:
            count = Count.load(path, problem, time_limit=0.02)
        except StateError:
            refused += 1
            continue
        count.count()
    assert refused > number // 6
    for name in values:
        for wrong in (None, -1, [3], "x", {}, 10**400):
            if wrong == values[name] or (name == "memory_limit" and wrong in (None, 10**400)):
                continue
            container.write(path, KIND, problem, {**values, name: wrong}, arrays)
            try:
                Count.load(path, problem)
            except StateError:
                continue
            assert name in ("components", "seconds", "given"), (name, wrong)


@compiled
def test_states_of_another_layer_are_refused(tmp_path, small_steps):
    path = tmp_path / "count"
    problem = saved_count(path)
    values, arrays = container.read(path, KIND, problem)
    name = next(n for n in arrays if n.endswith("_lengths") and arrays[n].sum() > 1)
    layers = np.flatnonzero(arrays[name])
    arrays[name][layers[-1]] -= 1
    arrays[name][layers[0]] += 1
    container.write(path, KIND, problem, values, arrays)
    with pytest.raises(StateError, match="damaged"):
        Count.load(path, problem)
