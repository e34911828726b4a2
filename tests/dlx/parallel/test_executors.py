"""Executors: processes, Dask; workers that die, executors that break."""

import multiprocessing
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from typing import ClassVar

import pytest

import dlx
from benchmarks import problems
from dlx import ProblemError, Search, WorkerError
from dlx.__main__ import main
from dlx.parallel import remote
from dlx.parallel.cluster import dask_executor
from dlx.parallel.count import parallel_count
from dlx.parallel.crew import Workers
from dlx.parallel.driver import ParallelSearch
from dlx.parallel.task import Task
from dlx.search.branch import Branch
from tests.dlx.problems import random_problem, with_multiplicities
from tests.modes import compiled


class Inline(Executor):
    """Works a task when it is submitted; some fail, as if their worker had died."""

    def __init__(self, fails=lambda number, branches: None):
        self.fails = fails
        self.number = 0
        self.with_problem = 0

    def submit(self, function, /, *arguments):
        self.number += 1
        self.with_problem += arguments[1] is not None
        future = Future()
        try:
            if (error := self.fails(self.number, arguments[2])) is not None:
                raise error
            future.set_result(function(*arguments))
        except BaseException as error:
            future.set_exception(error)
        return future


class OneAnswer(Inline):
    """Has one answer to equal calls, as Dask has while it remembers the first one."""

    def __init__(self, fails):
        super().__init__(fails)
        self.answers = {}

    def submit(self, function, /, *arguments):
        call = repr(arguments)
        if call not in self.answers:
            self.answers[call] = super().submit(function, *arguments)
        return self.answers[call]


@pytest.fixture(autouse=True)
def forget():
    """No search is known at the start of a test."""
    remote._kept.clear()


@pytest.mark.usefixtures("tiny_tasks")
def test_a_task_that_is_tried_again_is_another_call():
    problem = random_problem(1)
    expected = dlx.count_solutions(problem)
    executor = OneAnswer(lambda number, _: OSError("lost") if number % 3 == 2 else None)
    for _ in range(2):  # also in a second count
        before = executor.number
        assert ParallelSearch(problem, executor=executor).count() == expected
        assert len(executor.answers) == executor.number > before


@pytest.mark.usefixtures("tiny_tasks")
@pytest.mark.parametrize("seed", range(4))
def test_any_executor_and_the_problem_is_sent_once(seed):
    problem = random_problem(seed)
    pool = Inline()
    search = ParallelSearch(problem, executor=pool)
    assert list(search) == list(Search(problem))
    assert pool.with_problem == 1 or pool.number == 0
    assert ParallelSearch(problem, executor=Inline()).count() == search.num_solutions


def test_the_problem_is_sent_again_if_a_process_still_does_not_know_it():
    """Dask may give two tasks with the problem to one process, and short replies to the other."""
    sent = []

    class Recorder(Executor):
        def submit(self, function, /, name, subject, *task):
            sent.append(subject is not None)
            return Future()

    workers = Workers("name", (object,), Recorder(), 2)
    for place in range(4):
        workers.begin((place,))
    for process, place in enumerate([0, 1, 2, 3, 2, 3, 2]):
        reply = remote.Reply(f"host:{min(process, 1)}:thread", None, 0.0)
        assert workers.take((place,), reply) is None
        workers.begin((place,))
    # one for each process; then the tasks that were begun before; again after a later one
    assert sent == 4 * [False] + [True, True, False, False, True, False, False]


@pytest.mark.usefixtures("tiny_tasks")
def test_workers_receive_multiplicities():
    problem = with_multiplicities(random_problem(1), 5)
    pool = Inline()
    assert list(ParallelSearch(problem, executor=pool, limit=500)) == list(
        Search(problem, limit=500)
    )
    assert pool.number > 1


@pytest.mark.usefixtures("tiny_tasks")
def test_a_task_that_fails_twice_is_tried_again():
    problem = problems.langford(8)
    failed = {}

    def fails(number, branches):
        failed[branches] = failed.get(branches, 0) + 1
        return OSError("the worker has gone") if failed[branches] <= 2 else None

    assert dlx.count_solutions(problem, executor=Inline(fails), method="search") == 300
    assert len(failed) > 5


@pytest.mark.usefixtures("tiny_tasks")
def test_a_task_that_fails_three_times_is_named_and_the_search_continues():
    problem = problems.langford(8)

    def fails(number, branches):
        return OSError("the worker\nhas gone") if number > 7 else None

    search = ParallelSearch(problem, executor=Inline(fails))
    with pytest.raises(
        WorkerError, match=r"^task [\d.]+ \([a-z]+ [a-z\d ]+.* failed 3 times, last"
    ) as e:
        search.count()
    assert "OSError: the worker has gone; " in str(e.value)
    assert "\n" not in str(e.value)
    assert search.status == "stopped"
    before = search.num_solutions
    assert str(e.value).endswith(f"; {before} solutions found so far")
    search.executor = Inline()
    assert search.count() == 300


@pytest.mark.usefixtures("tiny_tasks")
def test_a_broken_executor_is_replaced_if_a_function_makes_it():
    problem = problems.langford(8)

    made = []

    def fails(number, branches):
        return BrokenProcessPool("a process died") if number == 5 and len(made) < 3 else None

    with pytest.raises(WorkerError, match="the executor is broken: BrokenProcessPool: a process"):
        ParallelSearch(problem, executor=Inline(fails)).count()

    def make():
        made.append(Inline(fails))
        return made[-1]

    assert dlx.count_solutions(problem, executor=make, method="search") == 300
    assert len(made) == 3


@pytest.mark.usefixtures("tiny_tasks")
def test_a_function_that_fails_to_make_an_executor_is_called_again():
    problem = problems.langford(8)
    made = []

    def make():
        made.append(Inline())
        if len(made) < least:
            raise BrokenProcessPool("a process died")
        return made[-1]

    least = 3
    assert dlx.count_solutions(problem, executor=make, method="search") == 300
    made.clear()
    least = 4
    with pytest.raises(WorkerError, match="failed 3 times, last with BrokenProcessPool: a proc"):
        dlx.count_solutions(problem, executor=make, method="search")


@pytest.mark.usefixtures("tiny_tasks")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: 5, "executor: the function returned 5; an Executor is needed"),
        (int, "executor: the function returned 0; an Executor is needed"),
        (lambda: Inline, "executor: the function returned <class .*Inline'>; an Executor is"),
        (lambda: 1 / 0, "executor: the function failed with ZeroDivisionError: division by zero"),
    ],
)
def test_a_function_that_returns_no_executor_is_refused(make, message):
    error = WorkerError if "failed" in message else ProblemError
    with pytest.raises(error, match=message):
        dlx.count_solutions(problems.langford(8), executor=make, method="search")


@pytest.mark.usefixtures("tiny_tasks")
def test_an_executor_whose_submit_returns_no_future_raises():
    class Silent(Executor):
        def submit(self, function, /, *arguments):
            return None

    with pytest.raises(WorkerError, match=r"last with TypeError: submit returned None, not a F"):
        dlx.count_solutions(problems.langford(8), executor=Silent(), method="search", jobs=2)


class Deaf(Inline):
    """Returns something else than its task for some of them."""

    def submit(self, function, /, *arguments):
        future = super().submit(function, *arguments)
        if self.number in {3, 4, 5} or self.number > 20:
            future = Future()
            future.set_result(7)
        return future


@pytest.mark.usefixtures("tiny_tasks")
def test_an_executor_whose_futures_have_other_results_raises():
    search = ParallelSearch(problems.langford(8), executor=Deaf(), jobs=2)
    with pytest.raises(WorkerError, match="3 times, last with TypeError: the executor returned 7"):
        search.count()
    search.executor = Inline()
    assert search.count() == 300


class OtherVersion(Inline):
    """Its workers have another name for the class of replies; it does not end what it cannot read.

    So does Dask.
    """

    def submit(self, function, /, *arguments):
        reply = pickle.dumps(super().submit(function, *arguments).result())
        future = Future()
        with suppress(AttributeError):
            future.set_result(pickle.loads(reply.replace(b"Reply", b"Other")))
        return future


@pytest.mark.usefixtures("tiny_tasks")
def test_replies_of_workers_with_another_version_raise():
    search = ParallelSearch(problems.langford(8), executor=OtherVersion(), jobs=2, time_limit=20)
    with pytest.raises(WorkerError, match=r"3 times, last with AttributeError: .*'Other'"):
        search.count()
    search.executor = Inline()
    assert search.count() == 300


class Late(Inline):
    """Breaks at its sixth task: then all futures fail."""

    made: ClassVar[list[Executor]] = []

    def __init__(self):
        super().__init__()
        self.made.append(self)
        self.futures = []

    def submit(self, function, /, *arguments):
        if self is self.made[0]:
            self.futures.append(Future())
            if len(self.futures) == 6:
                self.futures[0].set_exception(BrokenExecutor("a process died"))
            return self.futures[-1]
        if self.made[0].futures:
            del self.made[0].futures[0]
        for future in self.made[0].futures[:1]:
            future.set_exception(BrokenExecutor("a process died"))
        return super().submit(function, *arguments)


@pytest.mark.usefixtures("tiny_tasks")
def test_an_executor_whose_tasks_fail_late_is_replaced_once():
    assert dlx.count_solutions(problems.langford(8), executor=Late, method="search") == 300
    assert len(Late.made) == 2


class Behind(Inline):
    """Ends each of the first tasks only when the next one has been submitted."""

    def __init__(self):
        super().__init__()
        self.held = []

    def submit(self, function, /, *arguments):
        done, future = super().submit(function, *arguments), Future()
        for held, result in self.held:
            held.set_result(result)
        self.held = [(future, done.result())] if self.number < 12 else []
        return future if self.held else done


@pytest.mark.usefixtures("tiny_tasks")
def test_workers_without_a_task_begin_those_of_the_next_round():
    """Without them the first round would not end. The figures of each round are the same."""
    rounds = []
    for executor in (Inline(), Behind()):
        search = ParallelSearch(problems.langford(8), executor=executor, jobs=2, time_limit=60)
        figures = []
        while search.count_round(3):
            figures.append(search.stats[:3])
        assert (search.count(), search.status) == (300, "exhausted")
        rounds.append([*figures, search.stats[:3]])
    assert rounds[0] == rounds[1]
    assert len(rounds[0]) > 10


class Cancelling(Executor):
    """Cancels all tasks without notifying `wait`, as a pool does that is shut down."""

    def submit(self, function, /, *arguments):
        future = Future()
        future.cancel()
        return future


@pytest.mark.usefixtures("tiny_tasks")
def test_an_executor_that_cancels_all_tasks_raises_after_three_tries():
    search = ParallelSearch(problems.langford(8), executor=Cancelling())
    with pytest.raises(WorkerError, match="failed 3 times, last with CancelledError; "):
        next(search)
    search.executor = Inline()
    assert search.count() == 300


def test_the_text_of_a_task():
    branches = (Branch((7, ~3, 2), (4, 5), 0.5), Branch((1,), (), 0.5))
    assert str(Task((2, 0), branches)) == (
        "task 2.0 (options 7 2, without 3, one of 4 5, 1 more branch)"
    )
    assert str(Task((), (Branch((), (), 1.0),))) == "task root ()"


@pytest.mark.usefixtures("tiny_tasks")
def test_an_executor_that_was_shut_down_raises_after_three_tries():
    pool = ProcessPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(WorkerError, match="failed 3 times, last with RuntimeError"):
        ParallelSearch(problems.langford(8), executor=pool).count()


def spawned():
    return ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))


@compiled
def test_processes_one_of_which_is_killed(monkeypatch):
    """A pool breaks, with all that it was working on; a new one continues."""
    monkeypatch.setattr("dlx.parallel.crew.REMOTE_BUDGET", 2_000_000)
    monkeypatch.setattr("dlx.parallel.driver.FIRST_WORK", 100_000)
    monkeypatch.setattr("dlx.parallel.driver.REPORT_SECONDS", 0)
    problem = problems.langford(12)  # nine tenths are left when the process is killed
    pools = []

    def make():
        pools.append(spawned())
        return pools[-1]

    def kill(stats):
        if len(pools) == 1 and pools[0]._processes and stats.nodes > 50_000:
            os.kill(next(iter(pools[0]._processes)), signal.SIGKILL)
            pools.append(None)

    search = ParallelSearch(problem, executor=make, progress=kill)
    total = search.count()
    for pool in pools:
        if pool is not None:
            pool.shutdown()
    assert total == 216_288
    assert len(pools) >= 3
    alone = ParallelSearch(problem, jobs=1)
    assert alone.count() == total


def test_an_executor_of_loky_counts():
    loky = pytest.importorskip("loky")
    problem = problems.langford(8)
    assert dlx.count_solutions(problem, executor=lambda: loky.get_reusable_executor(1)) == 300
    loky.get_reusable_executor().shutdown()


@pytest.mark.filterwarnings("default")
def test_dask_of_whose_workers_one_is_killed_and_another_joins(monkeypatch, tmp_path, capsys):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("dlx.parallel.crew.REMOTE_BUDGET", 2_000_000)
    monkeypatch.setattr("dlx.parallel.driver.FIRST_WORK", 100_000)
    monkeypatch.setattr("dlx.parallel.driver.REPORT_SECONDS", 0)
    killed = []
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = client.run(os.getpid)

        def kill(stats):
            if not killed and stats.nodes > 50_000:
                address, pid = next(iter(workers.items()))
                killed.append(len(client.processing()[address]))
                os.kill(pid, signal.SIGKILL)
                cluster.scale(3)

        executor, sent = client.get_executor(), []
        submit = executor.submit

        def recorded(function, name, subject, *task):
            sent.append(subject is not None)
            return submit(function, name, subject, *task)

        monkeypatch.setattr(executor, "submit", recorded)
        search = ParallelSearch(problems.langford(11), executor=executor, progress=kill)
        assert search.count() == 35_584
        ended = search._agenda.totals.ended
        assert 0 < sum(sent) < ended  # once a worker, not once a task
        print(f"{killed[0]} of {ended} tasks were with the worker that was killed")
        print(f"the problem was sent {sum(sent)} times")
        # a sweep in files, by the same workers
        monkeypatch.setattr("dlx.count.layers.REMOTE_STATES", 0)
        file = tmp_path / "problem.dlx"
        file.write_text(problems.text(problems.dominoes(12, 12)))
        own = ["--method", "sweep", "--memory-limit", "70000", "--spill", str(tmp_path / "states")]
        assert main([str(file), "--count", "--dask", cluster.scheduler_address, *own]) == 0
        assert capsys.readouterr().out.endswith("\n53060477521960000\n")
        sent = client.run(lambda: len(remote._kept))
        assert max(sent.values()) == 2
    assert killed


@pytest.mark.filterwarnings("default")
def test_local_workers_are_forked_with_all_they_need_and_may_be_killed(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("dlx.parallel.crew.REMOTE_BUDGET", 2_000_000)
    monkeypatch.setattr("dlx.parallel.driver.FIRST_WORK", 100_000)
    monkeypatch.setattr("dlx.parallel.driver.REPORT_SECONDS", 0)
    killed = []
    with dask_executor("local", 2) as executor:
        client = executor._client
        if "forkserver" in multiprocessing.get_all_start_methods():
            assert all(client.run(lambda: "dlx.parallel.preload" in sys.modules).values())
        workers = client.run(os.getpid)

        def kill(stats):
            if not killed and stats.nodes > 50_000:
                killed.append(next(iter(workers.values())))
                os.kill(killed[0], signal.SIGKILL)

        search = ParallelSearch(problems.langford(11), executor=executor, progress=kill)
        assert search.count() == 35_584
        assert killed
        found = set()
        while len(found) < 2:  # the scheduler may not know yet that it has ended
            client.wait_for_workers(2, timeout=60)  # another one has taken its place
            with suppress(OSError):
                found = set(client.run(os.getpid).values())
        assert not found & set(killed)


def test_a_process_that_ends_at_once_leaves_no_warning_of_local_workers():
    pytest.importorskip("distributed")
    code = """
import os
from dlx.parallel.cluster import dask_executor
from dlx.parallel.count import parallel_count
from dlx.parallel.crew import Workers
with dask_executor("local", 1) as executor:
    print(executor.submit(int, 5).result(), flush=True)
    os._exit(3)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (3, "5\n", "")


@contextmanager
def other_server():
    """The address of a server that answers each connection with text."""

    def answer():
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                with connection:
                    connection.sendall(b"HTTP/1.1 400 Bad Request" * 9)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_the_command_counts_with_dask(tmp_path, capsys, monkeypatch):
    distributed = pytest.importorskip("distributed")
    file = tmp_path / "problem.dlx"
    file.write_text(problems.text(problems.queens(6)))
    assert main([str(file), "--count", "--dask", "nowhere"]) == 2
    assert "nowhere: no Dask scheduler answers there" in capsys.readouterr().err
    with other_server() as address:
        assert main([str(file), "--count", "--dask", address]) == 2
    assert f"{address}: no Dask scheduler answers there, but another" in capsys.readouterr().err
    monkeypatch.setattr("dlx.parallel.cluster.JOIN_SECONDS", 0.1)
    with distributed.LocalCluster(
        n_workers=0, processes=False, dashboard_address="127.0.0.1:0"
    ) as cluster:
        assert main([str(file), "--count", "--dask", cluster.scheduler_address]) == 2
    assert "no worker has joined this cluster in 0.1 s" in capsys.readouterr().err
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    assert main([str(file), "--count", "--dask", "local"]) == 2
    assert "Dask is not installed: pip install" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "threads"),
    [(["local"], 2), (["local", "--jobs", "3"], 3), (["tcp://far:8786"], None)],
)
def test_only_local_dask_leaves_its_cores_to_what_runs_before(
    arguments, threads, tmp_path, monkeypatch
):
    file = tmp_path / "problem.dlx"
    file.write_text(problems.text(problems.queens(6)))
    counted = []

    def counting(problem, **settings):
        counted.append(settings)
        return parallel_count(problem, **settings)

    monkeypatch.setattr("dlx.__main__.num_cores", lambda: 2)
    monkeypatch.setattr(
        "dlx.parallel.cluster.dask_executor", lambda address, jobs: ThreadPoolExecutor(1)
    )
    monkeypatch.setattr("dlx.parallel.count.parallel_count", counting)
    assert main([str(file), "--count", "--dask", *arguments]) == 0
    assert counted[0]["jobs"] == threads
    assert isinstance(counted[0]["executor"], ThreadPoolExecutor)
