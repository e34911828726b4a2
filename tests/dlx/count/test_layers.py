"""The sweep by layers: against the one with a table; threads, files, kills, a full disk, memory."""

import contextlib
import errno
import itertools
import json
import math
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import problems
from dlx import Count, OutputError, Problem, StateError, count_solutions
from dlx.count import layers, memory, orders, rounds, spill, sweep_kernel, table
from dlx.count.layers_kernel import PARTS
from dlx.count.memory import MemoryAccount
from dlx.count.remainder import masks, remainder_of
from dlx.count.sweep import Sweep
from dlx.parallel import folder
from tests import processes
from tests.dlx.problems import oracle, random_problem, small_problems
from tests.modes import compiled, examples, kernel

pytestmark = kernel


@pytest.fixture
def early(monkeypatch):
    """Sweeps go in batches from few states on, in small tasks, and write manifests often."""
    monkeypatch.setattr(table, "LEAST_BY_LAYERS", 4)
    monkeypatch.setattr(layers, "IN_ROUNDS", 0)
    monkeypatch.setattr(table, "LEAST_ARENA", 4)
    monkeypatch.setattr(layers, "LEAST_STATES", 256)
    monkeypatch.setattr(layers, "ROOT", 16)
    monkeypatch.setattr(layers, "SAVE_WORK", 1_000_000)


@pytest.fixture
def leaving(monkeypatch):
    """Tasks leave states of their own layer to the next group."""
    monkeypatch.setattr(layers, "MOST_WORK", 20_000)
    monkeypatch.setattr(layers, "MOST_STATE_WORK", 0)


def sweep_of(problem, memory_limit=1 << 30, jobs=1, folder=None, start=True):
    remainder = remainder_of(problem, ())
    made = masks(remainder, np.arange(remainder.num_primary), merge=True)
    account = MemoryAccount(memory_limit, jobs, None if folder is None else str(folder))
    found = Sweep(made, account)
    if start and found._layers is None and found._table.state.counters[sweep_kernel.OPEN]:
        found._go_by_layers()
    return found


def finish(running, budget=1 << 60):
    while not running.ended:
        running.advance(budget)
    return running.num_solutions


@settings(max_examples=examples(60), deadline=None)
@given(small_problems())
def test_small_problems_count_as_the_oracle_says(problem):
    assert finish(sweep_of(problem)) == len(oracle(problem))


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_figures_are_those_of_a_table_for_any_number_of_threads(jobs, early):
    for seed in range(examples(50)):
        problem = random_problem(seed)
        in_table = sweep_of(problem, start=False)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table, "LEAST_BY_LAYERS", 1 << 60)
            finish(in_table)
        own = sweep_of(problem, jobs=jobs)
        assert (finish(own, 1000), own.nodes) == (in_table.num_solutions, in_table.nodes)
        own.release()


@compiled
def test_wide_states_go_in_batches_sooner_and_in_smaller_tasks(monkeypatch):
    monkeypatch.setattr(layers, "IN_ROUNDS", 0)
    in_table = sweep_of(problems.dominoes(8, 8), start=False)
    finish(in_table)
    assert in_table._layers is None
    monkeypatch.setattr(table, "MOVED_NUMBERS", 100)
    monkeypatch.setattr(layers, "LEAST_STATES", 4)
    tasks = []
    for narrow in (1 << 10, 1 / (1 << 10)):
        monkeypatch.setattr(layers, "NARROW", narrow)
        running = sweep_of(problems.dominoes(8, 8), start=False)
        assert finish(running) == in_table.num_solutions == 12_988_816
        assert running.nodes == in_table.nodes
        assert running._layers is not None
        tasks.append(running._layers._most_merged)
    assert tasks[1] < tasks[0]


@compiled
def test_the_size_of_slices_changes_no_figure(early):
    whole = sweep_of(problems.latin(5), jobs=2)
    running = sweep_of(problems.latin(5))
    assert finish(whole) == 161_280
    progress = []
    while not running.ended:
        running.advance(1000)
        progress.append(running.done)
    assert (running.num_solutions, running.work, running.peak) == (
        whole.num_solutions,
        whole.work,
        whole.peak,
    )
    assert len(progress) > 10
    assert progress == sorted(progress)


@compiled
@pytest.mark.parametrize("jobs", [1, 2])
def test_states_that_tasks_leave_are_expanded_later(jobs, early, request):
    whole = sweep_of(problems.latin(5))
    finish(whole)
    request.getfixturevalue("leaving")
    running = sweep_of(problems.latin(5), jobs=jobs)
    left, progress, steps = 0, [], []
    while not running.ended:
        before = running.work
        running.advance(1)
        steps.append(running.work - before)
        progress.append(running.done)
        left += any(not layer.has_all_parts for layer in running._layers._layers.values())
    assert (running.num_solutions, running.nodes) == (whole.num_solutions, whole.nodes)
    assert progress == sorted(progress)
    assert left > 10
    assert max(steps[1:]) < layers.LARGE_GROUP * 2 * layers.MOST_WORK


@compiled
def test_the_smallest_step_is_about_the_work_of_the_next_group(early):
    running = sweep_of(problems.latin(5))
    steps = []
    while not running.ended:
        promised, before = running.smallest_step, running.work
        running.advance(1)
        steps.append((promised, running.work - before))
    assert steps[0][0] == 0  # nothing is known yet
    usual = [done / promised for promised, done in steps[5:] if done > 100_000]
    assert len(usual) > 10
    assert 0.1 < min(usual) <= max(usual) < 10
    assert running.smallest_step == 0


@compiled
def test_counts_of_many_limbs(early):
    problem = problems.dominoes(16, 16)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "LEAST_STATES", 1 << 10)
        patch.setattr(layers, "ROOT", 32)
        best = Sweep(orders.best(remainder_of(problem, ())).masks, MemoryAccount(1 << 30, 2))
        assert finish(best) == 2_444_888_770_250_892_795_802_079_170_816
    assert best._layers is not None


def seen(problem, memory_limit, jobs, budget):
    """What a sweep in slices of work reports in the end, and whether it went in portions."""
    running = sweep_of(problem, memory_limit, jobs)
    portions, progress = False, []
    while not running.ended:
        running.advance(budget)
        portions |= running.in_portions
        progress.append(running.num_solutions)
    assert progress == sorted(progress)
    figures = running.num_solutions, running.nodes, running.work, running.peak
    running.release()
    return figures, portions


@compiled
def test_states_of_all_layers_are_merged_where_memory_is_short(early):
    plenty, _ = seen(problems.latin(5), 1 << 30, 1, 100_000)
    for jobs in (1, 2, 5):
        short, portions = seen(problems.latin(5), 800_000, jobs, 100_000)
        assert short[:2] == plenty[:2] == (161_280, 68_491)
        assert not portions
        assert short[2] > plenty[2]  # the work of merging
        assert short[3] < 0.6 * plenty[3]
        assert short == seen(problems.latin(5), 800_000, 1, 10_000)[0]


def test_tasks_have_more_states_where_few_options_are_compatible(monkeypatch):
    remainder = remainder_of(problems.latin(4), ())
    running = layers.LayerSweep(orders.best(remainder).masks, MemoryAccount(1 << 30))
    running.nodes, running.work = 1000, 1_000_000  # a thousand units each
    degree = int(np.diff(running.masks.lowest)[0])
    monkeypatch.setattr(layers, "TASK_CHILDREN", 10 * degree)
    for task_work, most in ((0, 11), (50_000, 50), (1 << 60, running._most_merged)):
        monkeypatch.setattr(layers, "TASK_WORK", task_work)
        running._layers = {0: layers.Layer()}
        assert running._most(0) == most
    running._layers[0].most = 7  # it has begun
    assert running._most(0) == 7


@compiled
def test_no_step_is_long_where_an_item_has_many_options(early, monkeypatch):
    # each of four picks two of sixteen: 120 options each
    pairs = list(itertools.combinations(range(16), 2))
    options = [[f"r{i}", f"c{a}", f"c{b}"] for i in range(4) for a, b in pairs]
    problem = Problem(
        options, primary=["r0", "r1", "r2", "r3"], secondary=map("c{}".format, range(16))
    )
    whole = sweep_of(problem)
    assert finish(whole) == math.factorial(16) // (math.factorial(8) * 2**4)
    monkeypatch.setattr(layers, "LEAST_STATES", 4)
    monkeypatch.setattr(layers, "TASK_CHILDREN", 480)
    monkeypatch.setattr(layers, "TASK_WORK", 1)
    nodes, merges = [], []
    for limit in (1 << 30, 2_000_000):
        running = sweep_of(problem, limit)
        while not running.ended:
            before = running.nodes, running.work
            running.advance(1)
            nodes.append(running.nodes - before[0])
            merges.append((limit, running.nodes == before[0], running.work - before[1]))
        assert running.num_solutions == whole.num_solutions
    assert sum(nodes) >= 2 * whole.nodes
    assert max(nodes) < 100
    of_merges = [work for limit, merge, work in merges if merge]
    assert {limit for limit, merge, _ in merges if merge} == {2_000_000}
    assert len(of_merges) > 5
    assert max(of_merges) < sum(of_merges) / 5


@settings(max_examples=examples(30), deadline=None)
@given(
    problem=small_problems(),
    memory_limit=st.integers(1, 200_000),
    jobs=st.integers(2, 5),
    budget=st.integers(1, 10_000),
    most_work=st.integers(1, 10_000),
)
def test_any_memory_limit_threads_and_slices(problem, memory_limit, jobs, budget, most_work):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "MOST_WORK", most_work)
        patch.setattr(layers, "MOST_STATE_WORK", 0)
        patch.setattr(layers, "LEAST_STATES", 2)
        patch.setattr(layers, "ROOT", 1)
        patch.setattr(memory, "LEAST_MAPPED", 8)
        one, _ = seen(problem, memory_limit, 1, budget)
        assert seen(problem, memory_limit, jobs, budget)[0] == one
    assert one[0] == len(oracle(problem))


@compiled
@pytest.mark.parametrize("method", ["sweep", "auto"])
def test_a_count_reports_the_same_for_any_number_of_threads(method, early):
    problem, seen = problems.dominoes(10, 12), set()
    for jobs in (1, 2, 5):
        count = Count(problem, method=method, jobs=jobs)
        assert count.count() == count_solutions(problem, method=method, jobs=jobs)
        stats = count.stats
        seen.add((stats.solutions, stats.nodes, stats.updates, stats.kernel, count.peak_states))
    assert len(seen) == 1


@compiled
def test_counts_grow_wider_while_states_are_merged(early):
    least = problems.dominoes(12, 12)
    remainder = remainder_of(least, ())
    running = Sweep(orders.best(remainder).masks, MemoryAccount(60_000, 2))
    assert finish(running, 100_000) == 53_060_477_521_960_000
    assert running._layers is not None


@compiled
def test_without_a_folder_little_memory_merges_less(early):
    running = sweep_of(problems.latin(5), memory_limit=600_000)
    portions = False
    while not running.ended:
        running.advance(10_000)
        portions |= running.in_portions
    assert portions
    assert running.num_solutions == 161_280
    assert running.nodes > 68_491


@compiled
def test_a_sweep_holds_little_while_others_hold_all_memory():
    running = sweep_of(problems.latin(5), memory_limit=1 << 26, start=False)
    running._account.take(1 << 26)
    running._go_by_layers()
    most = 0
    while not running.ended:
        running.advance(1)
        most = max(most, running.held)
    assert running.num_solutions == 161_280
    assert most < 600_000


@pytest.mark.parametrize(
    ("memory_limit", "expected"), [(memory.LEAST_FOR_STATES, True), (1 << 30, False)]
)
def test_batches_of_a_tight_limit_have_pages_of_their_own(memory_limit, expected):
    running = sweep_of(problems.latin(4), memory_limit, start=False)
    lengths, rows = (running._table.pack()[name] for name in ("lengths", "states"))
    by_layers = layers.LayerSweep(running.masks, running._account)
    by_layers._start_batches(lengths, rows)
    by_layers._work_group(early=False)
    assert by_layers._expander.own_pages is expected


@compiled
def test_some_solutions_are_completed_early(early):
    running = sweep_of(problems.latin(5))
    running.advance(100_000)
    assert running.num_solutions == 0
    running.complete_some(3_000_000)
    assert 0 < running.num_solutions < 161_280
    assert finish(running) == 161_280


@compiled
def test_completing_some_states_takes_few_groups(early, monkeypatch):
    groups, work_group = [], layers.LayerSweep._work_group

    def noted(self, is_early):
        groups.append(is_early)
        work_group(self, is_early)

    monkeypatch.setattr(layers.LayerSweep, "_work_group", noted)
    running = sweep_of(problems.dominoes(16, 16))
    running.advance(2_000_000)
    running.complete_some(10 * layers.EARLY_GROUP)
    assert 0 < sum(groups) <= 10


@compiled
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("tasks", [[], ["leaving"]])
def test_files_merge_as_memory_does(jobs, tasks, early, tmp_path, request):
    for name in tasks:
        request.getfixturevalue(name)
    plenty = sweep_of(problems.latin(5))
    finish(plenty)
    running = sweep_of(problems.latin(5), 300_000, jobs, tmp_path)
    largest = 0
    while not running.ended:
        running.advance(100_000)
        if running._layers._files is not None:
            running.complete_some(100_000)  # would merge less, so it has no effect
        sizes = [file.stat().st_size for file in tmp_path.iterdir()]
        largest = max(largest, sum(sizes))
        assert running._account.used < 700_000
    assert largest > 1_000_000
    assert (running.num_solutions, running.nodes) == (161_280, plenty.nodes)
    assert {file.suffix for file in tmp_path.iterdir()} == {".manifest", ".lock"}
    running.release()
    again = sweep_of(problems.latin(5), folder=tmp_path)
    assert again.ended
    assert (again.num_solutions, again.nodes, again.work) == (161_280, plenty.nodes, running.work)


@compiled
@pytest.mark.parametrize("tasks", [[], ["leaving"]])
def test_a_sweep_continues_from_its_folder_as_it_is_at_any_moment(tasks, early, tmp_path, request):
    for name in tasks:
        request.getfixturevalue(name)
    running = sweep_of(problems.latin(5), 300_000, folder=tmp_path / "own")
    draw = random.Random(1)
    resumed = 0
    while not running.ended:
        running.advance(50_000)
        if resumed < 2 and draw.random() < 0.1 and (tmp_path / "own").exists():
            copy = shutil.copytree(tmp_path / "own", tmp_path / str(draw.random()))
            again = sweep_of(problems.latin(5), 300_000, folder=copy)
            resumed += again.nodes > 1000
            assert finish(again) == 161_280
            again.release()
    assert resumed == 2
    assert running.num_solutions == 161_280


KILLED = """
import os, signal, sys
from concurrent.futures import ThreadPoolExecutor
from benchmarks import problems
from dlx import count_solutions
from dlx.count import layers, spill
layers.SAVE_WORK = layers.REMOTE_STATES = 0
left, write = int(sys.argv[2]), spill._write_batch
def dying(file, *rest):
    global left
    left -= 1
    place = write(file, *rest)
    if left == 0:
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    return place
spill._write_batch = dying
problem = problems.matchings(18)
executor = ThreadPoolExecutor(2) if sys.argv[3:] else None  # which reads the files as well
settings = {"memory_limit": 1 << 18, "spill": sys.argv[1], "executor": executor}
print(count_solutions(problem, method="sweep", **settings))
"""


@compiled
@pytest.mark.parametrize("elsewhere", [[], ["elsewhere"]])
def test_a_sweep_that_is_killed_many_times(elsewhere, tmp_path):
    kills = 0
    while True:
        line = [sys.executable, "-c", KILLED, str(tmp_path), str(30 * 3**kills), *elsewhere]
        done = processes.run(line, text=True)
        if done.returncode >= 0:
            break
        kills += 1
    assert kills > 1
    assert done.stdout == "34459425\n", done.stderr


class Full:
    """Stands for `open`: a disk that is full at times."""

    def __init__(self, monkeypatch):
        self.full = False
        monkeypatch.setattr(spill, "open", self, raising=False)

    def __call__(self, path, mode="r", **settings):
        if self.full and mode in ("wb", "r+b"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return open(path, mode, **settings)


@compiled
def test_pages_that_the_system_refuses_are_taken_from_the_heap(early, monkeypatch):
    def refuse(*_, **__):
        refused.append(errno.ENOMEM)
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    refused = []
    monkeypatch.setattr(layers, "OWN_PAGES", 0)
    monkeypatch.setattr(memory, "LEAST_MAPPED", 8)
    monkeypatch.setattr(memory.mmap, "mmap", refuse)
    running = sweep_of(problems.latin(5), 300_000)
    while not running.ended:
        running.advance(100_000)
    assert running.num_solutions == 161_280 and refused


@compiled
def test_a_full_disk_is_one_line_and_nothing_is_lost(early, tmp_path, monkeypatch):
    disk = Full(monkeypatch)
    running = sweep_of(problems.latin(5), 300_000, folder=tmp_path)
    draw = random.Random(3)
    faults = 0
    while not running.ended:
        disk.full = draw.random() < 0.3
        try:
            running.advance(100_000)
        except OutputError as error:
            faults += 1
            assert "No space left on device" in str(error)
            assert "\n" not in str(error)
    assert faults > 5
    assert running.num_solutions == 161_280


@compiled
def test_a_disk_that_is_full_at_once_keeps_no_files(early, tmp_path, monkeypatch):
    disk = Full(monkeypatch)
    running = sweep_of(problems.latin(5), 300_000, folder=tmp_path)
    disk.full = True
    with pytest.raises(OutputError, match="No space left on device; no states are kept"):
        finish(running, 100_000)
    assert list(tmp_path.iterdir()) == []
    disk.full = False
    assert finish(running) == 161_280


@compiled
def test_a_batch_that_a_full_disk_cut_off_is_truncated(tmp_path):
    files = spill.Spill(str(tmp_path), "name")
    rows, bounds = np.arange(6, dtype=np.uint64).reshape(2, 3), np.zeros(PARTS + 1, np.int32)
    bounds[1:] = 2
    files.append({0: [spill.StateBatch(rows, bounds, 3)]})
    sizes = [(path.name, path.stat().st_size) for path in tmp_path.iterdir()]
    wrong = spill.StateBatch(rows, bounds, 3)
    wrong.rows = Unwritable()
    with pytest.raises(OutputError, match="No space"):
        files.append({0: [spill.StateBatch(rows, bounds, 3), wrong]})
    assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == sizes
    files.clear()
    assert list(tmp_path.iterdir()) == []


class Unwritable:
    """States for which there is no room."""

    def astype(self, *_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@compiled
def test_the_folder_is_brought_up_to_date_after_some_time(early, tmp_path, monkeypatch):
    """With a small limit a unit of work may take ten times as long as usual."""
    monkeypatch.setattr(layers, "SAVE_WORK", 1 << 60)
    monkeypatch.setattr(layers, "SAVE_SECONDS", 0.0)
    saved, save = [], layers.LayerSweep._save
    monkeypatch.setattr(layers.LayerSweep, "_save", lambda own: saved.append(save(own)))
    running = sweep_of(problems.latin(5), 300_000, folder=tmp_path)
    while not running.ended:
        running.advance(1 << 40)
    assert len(saved) > 10


@compiled
def test_a_pause_is_noted_in_the_folder(early, tmp_path, monkeypatch):
    """Also in the midst of a layer: another process continues from there."""
    monkeypatch.setattr(layers, "SAVE_WORK", 1 << 60)
    running = sweep_of(problems.latin(5), 300_000, folder=tmp_path / "own")
    in_midst = resumed = 0
    while not running.ended:
        running.advance(50_000)
        if running._layers._files is None:
            continue
        running.complete_some(1)
        own = running._layers
        in_midst += bool(own._layers) and not own._layers[own.layer].sizes[0]
        if resumed < 3 and running.nodes > 4000 * (resumed + 1):
            copy = shutil.copytree(tmp_path / "own", tmp_path / f"{resumed}")
            again = sweep_of(problems.latin(5), 300_000, folder=copy)
            assert (again.nodes, again.work) == (running.nodes, running.work)
            assert again._layers._opened == own._opened
            assert finish(again) == 161_280
            again.release()
            resumed += 1
    assert resumed == 3 and in_midst > 3


@compiled
@pytest.mark.parametrize("limit", [200_000, 300_000, 400_000])
def test_stops_before_states_go_to_files_lose_none_of_them(limit, early, tmp_path, monkeypatch):
    monkeypatch.setattr(layers, "SAVE_WORK", 0)
    running = sweep_of(problems.latin(5), limit, folder=tmp_path / "own")
    resumed = 0
    while not running.ended:
        running.advance(30_000)
        running.complete_some(30_000)
        if resumed < 2 and (tmp_path / "own").exists():
            copy = shutil.copytree(tmp_path / "own", tmp_path / f"{resumed}")
            again = sweep_of(problems.latin(5), limit, folder=copy)
            assert finish(again) == 161_280
            again.release()
            resumed += 1
    assert running.num_solutions == 161_280 and resumed == 2


@compiled
def test_two_processes_that_begin_in_one_folder_count_no_state_twice(early, tmp_path):
    """Neither has written anything when the other one begins."""
    first, second = (sweep_of(problems.latin(5), 300_000, folder=tmp_path) for _ in range(2))
    while first._layers._files is None or not first._layers._files._is_saved:
        first.advance(50_000)
    with pytest.raises(StateError, match="in use; one process at a time"):
        finish(second)
    first._layers._files.close()  # it is killed
    with pytest.raises(StateError, match="another process has swept this problem here meanwhile"):
        finish(second)
    third = sweep_of(problems.latin(5), folder=tmp_path)
    assert third.nodes > 0
    assert finish(third) == 161_280


@compiled
def test_files_of_a_process_that_was_killed_are_removed(early, tmp_path):
    """Before it wrote a manifest, and after one that does not name them."""
    running = sweep_of(problems.latin(5), 300_000, folder=tmp_path)
    while running._layers._files is None:
        running.advance(50_000)
    (manifest,) = tmp_path.glob("*.manifest")
    name = running._layers._files._base
    running._layers._files.close()
    manifest.unlink()
    other = tmp_path / "other.5"
    other.write_bytes(b"")
    again = sweep_of(problems.latin(5), folder=tmp_path)
    assert again._layers._files is None and list(tmp_path.iterdir()) == [other]
    running = sweep_of(problems.latin(5), 300_000, folder=tmp_path)
    assert finish(running) == 161_280
    running.release()
    Path(f"{name}.7").write_bytes(b"some states")
    Path(f"{name}.manifest.123.part").write_bytes(b"some of a manifest")
    assert sweep_of(problems.latin(5), folder=tmp_path).num_solutions == 161_280
    assert {path.suffix for path in tmp_path.iterdir()} == {".manifest", ".lock", ".5"}


def test_the_lock_is_removed_where_open_files_cannot_be(tmp_path, monkeypatch):
    def unlink(path, own=os.unlink):
        if ".lock" in path:
            with contextlib.suppress(sqlite3.ProgrammingError):  # it is closed
                files._lock.execute("SELECT 1")
                raise PermissionError(errno.EACCES, "in use")
        own(path)

    files = spill.Spill(str(tmp_path), "name")
    with monkeypatch.context() as patch:
        patch.setattr("os.name", "nt")
        patch.setattr("os.unlink", unlink)
        files.clear()
    assert os.listdir(tmp_path) == []


def test_a_folder_that_was_made_for_files_is_removed_with_them(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "other").touch()
    for name in ("made", "own", "shared"):
        spill.Spill(str(tmp_path / name), "sweep").clear()
    assert sorted(os.listdir(tmp_path)) == ["own", "shared"]
    assert os.listdir(tmp_path / "shared") == ["other"]


@compiled
def test_a_count_that_has_ended_leaves_no_states_of_another_order(early, tmp_path):
    problem = problems.latin(5)
    count = Count(problem, method="sweep", memory_limit=200_000, spill=tmp_path, given=[3])
    names = []
    for name in (count._name, "of another count"):
        remainder = remainder_of(problem, (3,) if names else ())  # two sweeps by other masks
        account = MemoryAccount(300_000, 1, str(tmp_path))
        account.count_name = name
        running = Sweep(masks(remainder, np.arange(remainder.num_primary), merge=True), account)
        while running._layers is None or running._layers._files is None:
            running.advance(50_000)
        names.append(running._layers._files._base)
        running._layers._files.close()
    unreadable = tmp_path / "unreadable.manifest"
    unreadable.mkdir()
    assert count.count() == 161_280 // 5
    with pytest.raises(StateError, match=r"unreadable\.manifest: cannot be read: "):
        folder.status(tmp_path)
    unreadable.rmdir()
    files = {path.name.partition(".")[0] for path in tmp_path.iterdir()}
    assert Path(names[0]).name not in files and Path(names[1]).name in files
    if hasattr(os, "symlink"):  # as a sweep that ends after the folder was listed
        (tmp_path / "ended.manifest").symlink_to(tmp_path / "no_file")
    (other,) = (one for one in folder.status(tmp_path) if one.states)
    assert other.sweep == Path(names[1]).name


@pytest.mark.parametrize("part", [-1, PARTS, 1 << 40, 1.5, "1", None])
def test_a_manifest_with_a_part_beyond_the_last_is_refused(part, early, tmp_path):
    running = sweep_of(problems.matchings(8), 0, folder=tmp_path)
    while running._layers._files is None or not running._layers._files._is_saved:
        running.advance(1)
    running._layers._files.close()
    (manifest,) = tmp_path.glob("*.manifest")
    values = json.loads(manifest.read_bytes().partition(b"\n")[2])
    text = json.dumps(values | {"part": part}).encode()
    manifest.write_bytes(spill._checksum(text) + b"\n" + text)
    with pytest.raises(StateError, match="damaged; delete the files"):
        sweep_of(problems.matchings(8), folder=tmp_path)


@compiled
def test_a_folder_that_vanishes_is_one_line(early, tmp_path):
    running = sweep_of(problems.latin(5), 300_000, folder=tmp_path)
    while running._layers._saved_at < 5_000_000:
        running.advance(100_000)
    for file in tmp_path.iterdir():
        file.unlink()
    with pytest.raises((StateError, OutputError), match=r"\.\d+: cannot be .*: No such file"):
        finish(running)


@pytest.mark.parametrize("limit", [1 << 20, 1 << 12])
def test_a_file_in_place_of_the_folder_is_one_line_if_files_are_necessary(limit, early, tmp_path):
    own = tmp_path / "own"
    count = Count(problems.matchings(8), method="sweep", memory_limit=limit, spill=own)
    own.touch()
    if limit > 1 << 12:
        assert count.count() == 105
    else:
        with pytest.raises(OutputError, match="own: cannot be written: "):
            count.count()


def test_the_result_in_a_folder_is_read_by_several_at_the_same_time(early, tmp_path):
    several = []
    for _ in range(3):
        several.append(sweep_of(problems.matchings(8), 0, folder=tmp_path))
        assert finish(several[-1]) == 105
    assert several[1].nodes == several[0].nodes > 0


@compiled
def test_damaged_files_and_files_in_use_are_refused(early, tmp_path, monkeypatch):
    running = sweep_of(problems.latin(5), 300_000, folder=tmp_path)
    while running._layers._saved_at < 5_000_000:
        running.advance(100_000)
    with pytest.raises(StateError, match="in use; one process at a time"):
        sweep_of(problems.latin(5), folder=tmp_path)
    (reported,) = folder.status(tmp_path)
    assert 0 < reported.nodes <= running.nodes
    assert 0 < reported.done <= running.done
    assert reported.states > 0 and reported.bytes > 24 * reported.states
    assert reported.owner.startswith(f"process {os.getpid()} on ")
    running._layers._files.close()
    assert folder.status(tmp_path)[0].owner is None
    draw = random.Random(5)
    manifest = next(tmp_path.glob("*.manifest"))
    lengths = json.loads(manifest.read_bytes().partition(b"\n")[2])["lengths"]
    sizes = {manifest.with_suffix(f".{layer}"): size for layer, size in lengths.items()}
    files = sizes | {manifest: manifest.stat().st_size}
    for file, size in files.items():
        whole = file.read_bytes()
        for _ in range(5):
            changed = bytearray(whole)
            changed[draw.randrange(size)] ^= 1 << draw.randrange(8)
            file.write_bytes(changed)
            with pytest.raises(StateError, match="damaged; delete the files"):
                sweep_of(problems.latin(5), folder=tmp_path)
            if file == manifest:
                with pytest.raises(StateError, match="damaged; delete the files"):
                    folder.status(tmp_path)
        file.write_bytes(whole)
    with monkeypatch.context() as patch:

        def interrupted(*_):
            raise KeyboardInterrupt

        patch.setattr(spill, "_read_batch", interrupted)
        with pytest.raises(KeyboardInterrupt) as kept:  # as the prompt of Python keeps it
            sweep_of(problems.latin(5), folder=tmp_path)
    assert finish(sweep_of(problems.latin(5), folder=tmp_path)) == 161_280
    assert kept.tb


@compiled
def test_a_count_with_files_is_not_saved_elsewhere(early, tmp_path):
    count = Count(
        problems.latin(5), method="sweep", memory_limit=300_000, spill=tmp_path, time_limit=0
    )
    while not any(file.suffix == ".manifest" for file in tmp_path.iterdir()):
        count._advance()
    with pytest.raises(OutputError, match="has the states"):
        count.save(tmp_path / "saved")


@compiled
def test_a_sweep_by_layers_is_saved_and_continues(early, tmp_path):
    running = sweep_of(problems.latin(5))
    running.advance(3_000_000)
    again = sweep_of(problems.latin(5), start=False)
    again._unpack({name: array.copy() for name, array in running._states.pack().items()})
    assert (again.nodes, again.work, again.done) == (running.nodes, running.work, running.done)
    assert finish(again) == finish(running) == 161_280
    assert (again.nodes, again.work, again.peak) == (running.nodes, running.work, running.peak)
    arrays = sweep_of(problems.latin(5))._states.pack()
    arrays["states"][0, 0] ^= np.uint64(1)
    with pytest.raises(ValueError, match="a state of another layer"):
        sweep_of(problems.latin(5), start=False)._unpack(arrays)
    arrays = running._states.pack()
    arrays["most"][-1] = -1
    with pytest.raises(ValueError, match="numbers out of range"):
        sweep_of(problems.latin(5), start=False)._unpack(arrays)


@compiled
def test_a_saved_sweep_stays_in_batches_and_its_tasks_as_large(monkeypatch):
    monkeypatch.setattr(rounds, "MOST_OPEN_STATES", 3000)
    monkeypatch.setattr(layers, "TASK_WORK", 20_000)
    monkeypatch.setattr(layers, "LARGE_GROUP", 1)
    monkeypatch.setattr(layers, "LEAST_STATES", 256)
    running, again = sweep_of(problems.latin(5)), sweep_of(problems.latin(5))
    few = tasks = 0
    while not running.ended:
        for one in (running, again):
            one.advance(50_000)
        assert (again.nodes, again.work, again.peak) == (running.nodes, running.work, running.peak)
        if running._layers is not None:
            few += (
                running._layers._rounds is None
                and running._layers._opened < rounds.MOST_OPEN_STATES
            )
            packed = again._layers.pack()
            again = sweep_of(problems.latin(5), start=False)
            again._unpack(packed)
            kept, most = (
                {number: layer.most for number, layer in one._layers._layers.items() if layer.most}
                for one in (again, running)
            )
            assert kept == most
            tasks += len(most)
    assert again.num_solutions == running.num_solutions == 161_280
    assert few and tasks > 10


MEASURED = """
import resource, sys
from benchmarks import problems
from dlx.count import orders, spill
from dlx.count.layers_kernel import PARTS
from dlx.count.memory import MemoryAccount
from dlx.count.remainder import remainder_of
from dlx.count.sweep import Sweep
written, write = 0, spill._write_batch
def counting(file, place, batch):
    global written
    written += batch.rows.nbytes
    return write(file, place, batch)
spill._write_batch = counting
masks = orders.best(remainder_of(problems.latin(6), ())).masks
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
Sweep(masks, MemoryAccount(1 << 26)).advance(30_000_000)  # loads the kernels
before = peak()
sweep = Sweep(masks, MemoryAccount(16_000_000, 2, sys.argv[1]))
sweep.advance(700_000_000)
print(sweep._layers.peak * 8 * 3, written, peak() - before)
"""


@compiled
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak has another unit")
def test_the_process_stays_near_the_limit(tmp_path):
    command = [sys.executable, "-c", MEASURED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    needed, written, growth = map(int, done.stdout.split())
    assert needed > 3 * 16_000_000
    assert written > 16_000_000
    assert growth < 16_000_000 + 40_000_000
