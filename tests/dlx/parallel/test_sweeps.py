"""Sweeps whose states are in files, by workers of an executor that die, fail, or answer late."""

import errno
import json
import math
import multiprocessing
import os
import signal
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor

import pytest

from benchmarks import problems
from dlx import OutputError, ProblemError, StateError, WorkerError, count_solutions
from dlx.__main__ import main
from dlx.count import layers, spill, table
from dlx.parallel import remote
from dlx.parallel.count import ParallelCount


@pytest.fixture(autouse=True)
def early(monkeypatch):
    """Small tasks, of which other processes work each; manifests often; nothing is known yet."""
    monkeypatch.setattr(table, "LEAST_BY_LAYERS", 4)
    monkeypatch.setattr(table, "LEAST_ARENA", 4)
    monkeypatch.setattr(layers, "LEAST_STATES", 256)
    monkeypatch.setattr(layers, "ROOT", 16)
    monkeypatch.setattr(layers, "SAVE_WORK", 1_000_000)
    monkeypatch.setattr(layers, "REMOTE_STATES", 0)
    remote._kept.clear()


class Inline(Executor):
    """Works a task when it is submitted, or fails as `change` does; counts the tasks."""

    def __init__(self, change=lambda number, parts: parts):
        self.number = self.with_masks = 0
        self.change = change

    def submit(self, function, name, subject, parts):
        self.number += 1
        self.with_masks += subject is not None
        future = Future()
        try:
            future.set_result(function(name, subject, self.change(self.number, parts)))
        except BaseException as error:
            future.set_exception(error)
        return future


def sweep_of(folder, **settings):
    return ParallelCount(
        problems.latin(5), method="sweep", memory_limit=300_000, spill=folder, **settings
    )


def figures(count):
    total = count.count()
    return total, count.stats.nodes, count._active.peak_states


class Mortal(ProcessPoolExecutor):
    """Processes, of which one is killed when so many tasks were submitted.

    Where that is possible they are forks of one that has imported numba.
    """

    def __init__(self, jobs, left=-1):
        is_forked = "forkserver" in multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if is_forked else "spawn")
        if is_forked:
            context.set_forkserver_preload(["dlx.parallel.preload"])
        super().__init__(jobs, context)
        self.left = left

    def submit(self, *task):
        self.left -= 1
        if self.left == 0:
            os.kill(next(iter(self._processes)), signal.SIGKILL)
        return super().submit(*task)


def test_figures_are_the_same_for_any_workers_also_if_one_is_killed(tmp_path):
    expected = figures(sweep_of(tmp_path / "threads", jobs=2))
    assert expected[0] == 161_280
    inline, pools = Inline(), []
    assert figures(sweep_of(tmp_path / "inline", executor=inline)) == expected
    assert inline.number > 100
    assert inline.with_masks == 1
    with Mortal(1) as pool:
        assert figures(sweep_of(tmp_path / "one", executor=pool)) == expected

    def make():
        pools.append(Mortal(2, 40 if not pools else -1))
        return pools[-1]

    assert figures(sweep_of(tmp_path / "two", executor=make)) == expected
    assert len(pools) > 1
    for pool in pools:
        pool.shutdown()


def test_a_task_that_fails_is_tried_again_three_times(tmp_path):
    failed = []

    def twice(number, parts):
        if number > 20 and len(failed) < 2:
            failed.append(parts)
            raise OSError("the worker has gone")
        return parts

    assert sweep_of(tmp_path, executor=Inline(twice)).count() == 161_280
    assert len(failed) == 2


def test_a_folder_that_a_worker_does_not_see_and_damaged_files_are_one_line(tmp_path):
    pool = Inline(lambda number, parts: parts._replace(path=f"/nowhere/{number}.1"))
    count = sweep_of(tmp_path, executor=pool)
    unseen = r"^task .* which all workers must see\) failed 3 .*/nowhere/\d+\.1: cannot be read: No"
    with pytest.raises(WorkerError, match=unseen):
        count.count()

    def cut(number, parts):
        if number > 50:
            os.truncate(parts.path, 8)
        return parts

    pool.change = cut
    with pytest.raises(WorkerError, match=r"StateError: .*: damaged; delete the files .*\.\*; the"):
        count.count()


def test_a_full_disk_is_reported_by_the_owner_and_the_count_continues(tmp_path, monkeypatch):
    opened = []

    def full_at_times(path, mode="r", **settings):
        opened.append(mode)
        if mode in ("wb", "r+b") and len(opened) % 1000 < 10:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return open(path, mode, **settings)

    monkeypatch.setattr(spill, "open", full_at_times, raising=False)
    count, faults = sweep_of(tmp_path, executor=Inline()), 0
    while count.status != "exhausted":
        try:
            count.count()
        except OutputError as error:
            faults += 1
            assert "No space left on device" in str(error)
    assert faults > 1
    assert count.num_solutions == 161_280


class Late(Executor):
    """Works nothing until it is let."""

    def __init__(self, then):
        self.then = then
        self.waiting = []

    def submit(self, *task):
        future = Future()
        if self.waiting is None:
            future.set_result(task[0](*task[1:]))
        else:
            self.waiting.append((future, task))
            if len(self.waiting) == 1:
                self.then()
        return future

    def let(self):
        waiting, self.waiting = self.waiting, None
        for future, (function, *rest) in waiting:
            future.set_result(function(*rest))


def test_a_count_that_waits_for_workers_is_stopped_or_interrupted(tmp_path):
    count = sweep_of(tmp_path, executor=Late(lambda: count.stop()))
    assert count.count() < 161_280
    assert count.status == "stopped"
    pool = Late(lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    with pytest.raises(StateError, match="in use"):
        sweep_of(tmp_path, executor=pool).count()  # the first one has the folder
    del count
    count = sweep_of(tmp_path, executor=pool)
    with pytest.raises(KeyboardInterrupt):
        count.count()
    assert count.status == "interrupted"
    pool.let()
    assert count.count() == 161_280


def test_auto_runs_sweeps_in_other_processes_too_and_the_command_reports_their_progress(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("dlx.count.quick.DUE_WORK", math.inf)
    problem, pool, states = problems.dominoes(12, 12), Inline(), tmp_path / "states"
    found = count_solutions(problem, memory_limit=70_000, spill=states, executor=pool)
    assert found == count_solutions(problem)
    assert pool.number > 0
    assert main(["--status", str(states)]) == 0
    text = capsys.readouterr().out
    for line in ("done:      100.0000% of the layers", "states:    0 open", "now:       at rest"):
        assert f"\n{line}" in text
    assert main(["--status", str(states), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["solutions"] == found
    assert main(["--status", str(tmp_path)]) == 2
    text = "no sweep has saved its progress in this folder"
    assert capsys.readouterr().err == f"dlx: {tmp_path}: {text}\n"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("done", 10**400),
        ("done", 1.5),
        ("done", math.nan),
        ("seconds", 10**400),
        ("seconds", math.inf),
        ("states", 10**30),
        ("lengths", {"3": 10**30}),
        ("numbers", []),
    ],
)
def test_a_manifest_made_by_hand_is_refused_in_one_line(key, value, tmp_path, capsys):
    values = {"format": spill.FORMAT, "lengths": {"3": 100}, "numbers": [7], "total": "9" * 5000}
    values |= {"done": 0.5, "seconds": 2.0, "states": 4, "owner": "nobody"}

    def status():
        text = json.dumps(values).encode()
        (tmp_path / "a.manifest").write_bytes(spill._checksum(text) + b"\n" + text)
        return main(["--status", str(tmp_path)])

    assert status() == 0
    out = capsys.readouterr().out.splitlines()
    assert out[2:4] == ["states:    4 open, in 100 bytes", "solutions: at least " + "9" * 5000]
    values[key] = value
    assert status() == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line == f"dlx: {tmp_path}{os.sep}a.manifest: by another version"


def test_a_sweep_with_an_executor_needs_a_folder_and_takes_no_ledger(tmp_path):
    with pytest.raises(ProblemError, match="a folder that all workers see: spill="):
        count_solutions([[0]], method="sweep", executor=Inline())
    with pytest.raises(ProblemError, match="takes no ledger: it continues from the folder spill="):
        count_solutions([[0]], method="sweep", ledger=tmp_path / "ledger")
