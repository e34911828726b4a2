"""A search by several threads finds what a search by one does, in the same order."""

import importlib
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from weakref import ref

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dlx
from benchmarks import problems
from dlx import Count, KernelError, Problem, ProblemError, Search
from dlx.checks import num_cores
from dlx.count.race import ComponentCount
from dlx.parallel.agenda import Agenda
from dlx.parallel.count import ParallelCount
from dlx.parallel.driver import ParallelSearch
from dlx.parallel.task import Question, Worker
from dlx.search.batches import tuples
from dlx.search.branch import Branch
from dlx.search.kernel import KERNELS, load_kernel
from tests.dlx.problems import bounded_problems, random_problem, small_problems
from tests.modes import compiled, examples, kernel, long

pytestmark = [kernel, pytest.mark.usefixtures("tiny_tasks")]

each_kernel = pytest.mark.parametrize("name", KERNELS)

NAMED = {
    "queens7": lambda: problems.queens(7),
    "langford8": lambda: problems.langford(8),
    "no solution": lambda: problems.langford(6),
    "colours": lambda: problems.de_bruijn(3),
    "one branch": lambda: problems.dominoes(1, 30),
    "dominoes": lambda: problems.dominoes(4, 5),
    "dense": lambda: problems.matchings(8),
    "random": lambda: random_problem(2),
}


@each_kernel
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(problem=small_problems() | bounded_problems(), jobs=st.integers(1, 4), data=st.data())
def test_small_problems_have_the_solutions_of_a_search_in_its_order(name, problem, jobs, data):
    options = st.integers(0, max(0, problem.num_options - 1))
    chosen = data.draw(st.sets(options, max_size=2)) if problem.num_options else set()
    try:
        whole = list(Search(problem, given=chosen, kernel=name))
    except KernelError:
        return
    search = ParallelSearch(problem, given=chosen, kernel=name, jobs=jobs)
    assert list(search) == whole
    if name == "auto" and problem.bounds is None and problem.compatible(chosen):
        assert search.stats.kernel == "links"  # whose trial was all of the search
    assert ParallelSearch(problem, given=chosen, kernel=name, jobs=jobs).count() == len(whole)


@pytest.mark.usefixtures("tiny_tasks")
def test_another_thread_never_reads_more_than_is_done(monkeypatch):
    """The tasks that a task leaves are entered before that task is removed."""
    before, amid = [], []
    end, add = Agenda.end, Agenda.add

    def noted_end(agenda, *arguments):
        before.append(agenda.done)
        end(agenda, *arguments)

    def noted_add(agenda, task):
        add(agenda, task)
        amid.append((agenda.done, before[-1:]))

    monkeypatch.setattr(Agenda, "end", noted_end)
    monkeypatch.setattr(Agenda, "add", noted_add)
    assert ParallelSearch(problems.langford(8), jobs=2).count() == 300
    assert len(amid) > 20
    assert all(done < 1 and (not last or done <= last[0] + 1e-9) for done, last in amid)


@long
@pytest.mark.parametrize("kernel", ["links", "bounds"])
def test_a_search_of_many_levels_whose_weights_underflow(kernel, monkeypatch):
    monkeypatch.setattr("dlx.parallel.driver.FIRST_WORK", 100_000)
    module, parted = load_kernel(kernel), []
    open_branches = module.open_branches

    def noted(*arguments):
        found = open_branches(*arguments)
        parted.extend(found)
        return found

    monkeypatch.setattr(module, "open_branches", noted)
    problem = dlx.Problem([[k // 3] for k in range(3 * 700)])
    search = ParallelSearch(problem, kernel=kernel, jobs=1)
    first = Search(problem, kernel=kernel, limit=50)
    assert [next(search) for _ in range(50)] == list(first)
    assert min(branch.weight for branch in parted) == 0


@pytest.mark.usefixtures("tiny_tasks")
def test_an_interrupt_while_the_caller_begins_to_wait(monkeypatch):
    search = ParallelSearch(problems.queens(8), kernel="bits", jobs=2)

    def wait(seconds):
        search._change.release()
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(search._change, "wait", wait)
        with pytest.raises(KeyboardInterrupt):
            search.count()
    assert search.status == "interrupted"
    assert search.count() == 92


@pytest.mark.usefixtures("tiny_tasks")
def test_an_interrupt_while_the_manager_starts(monkeypatch):
    problem = problems.queens(8)
    managers = []
    over = threading.Event()  # the second manager has started
    start = threading.Thread.start

    def interrupted(thread):
        if thread.name == "dlx":
            managers.append(thread)
            if len(managers) == 1:
                run = thread.run
                thread.run = lambda: (over.wait(), run())
        start(thread)
        if managers == [thread]:
            monkeypatch.setattr(thread, "is_alive", lambda: False)  # as long as it has not started
            raise KeyboardInterrupt
        if thread in managers:
            over.set()

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    search = ParallelSearch(problem, kernel="bits", jobs=2)
    with pytest.raises(KeyboardInterrupt):
        list(search)
    assert list(search) == list(Search(problem))
    assert len(managers) > 1


@long
@each_kernel
@pytest.mark.parametrize("make", NAMED.values(), ids=NAMED)
def test_named_problems_with_any_number_of_threads(name, make):
    problem = make()
    search = Search(problem, kernel=name)
    whole = list(search)
    seen = set()
    for jobs in (1, 2, 5):
        own = ParallelSearch(problem, kernel=name, jobs=jobs)
        assert list(own) == whole
        assert own.status == "exhausted"
        assert own.stats.solutions == len(whole)
        counted = ParallelSearch(problem, kernel=name, jobs=jobs)
        assert counted.count() == len(whole)
        assert counted.stats.done == 1.0
        seen |= {own.stats.nodes, counted.stats.nodes}
        listed = [
            row for b in ParallelSearch(problem, kernel=name, jobs=jobs).arrays() for row in b
        ]
        assert [tuple(row[row >= 0].tolist()) for row in listed] == whole
    # what is visited does not depend on the threads, and hardly on the tasks
    assert max(seen) <= 1.05 * search.stats.nodes + 5
    assert min(seen) >= search.stats.nodes - 5


@long
def test_tasks_are_the_same_for_any_number_of_threads():
    problem = problems.langford(8)
    stats = set()
    for jobs in (1, 2, 5):
        search = ParallelSearch(problem, jobs=jobs)
        search.count()
        stats.add((search.stats.nodes, search.stats.updates, search.stats.solutions))
    assert len(stats) == 1


@each_kernel
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_search_continues_after_limits(name, jobs):
    problem = problems.queens(7)
    whole = list(Search(problem, kernel=name))
    search = ParallelSearch(problem, kernel=name, jobs=jobs, limit=5)
    assert list(search) == whole[:5]
    assert (search.status, search.num_solutions) == ("limit", 5)
    search.limit = 9
    assert next(search) == whole[5]
    assert list(search) == whole[6:9]
    search.limit = 12
    listed = [row for batch in search.arrays() for row in batch.tolist()]
    assert [tuple(row) for row in listed] == whole[9:12]
    search.limit = None
    assert next(search) == whole[12]
    search.stop()
    assert next(search, None) is None
    assert search.status == "stopped"
    assert search.count() == len(whole)
    assert search.status == "exhausted"
    assert list(search) == []


@pytest.mark.parametrize("jobs", [1, 3])
def test_any_calls_in_any_order_return_each_solution_once(jobs):
    whole = list(Search(problems.queens(7)))
    draw = random.Random(jobs)
    for _ in range(examples(150)):
        search, found = ParallelSearch(problems.queens(7), jobs=jobs), []
        for _ in range(draw.randint(1, 9)):
            search.limit = draw.choice((None, None, len(found) + draw.randint(0, 5)))
            if draw.random() < 0.4:
                batches = search.arrays()
                found += [tuple(row) for row in next(batches, np.zeros((0, 7))).tolist()]
            for solution in islice(search, draw.randint(1, 9)):
                found.append(solution)
                if draw.random() < 0.1:
                    search.stop()
                if draw.random() < 0.1:
                    search.limit = len(found) + draw.randint(0, 3)
            assert search.num_solutions == len(found)
        search.limit = None
        assert found + list(search) == whole


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_a_count_continues_as_a_list(jobs):
    problem = problems.queens(7)
    search = ParallelSearch(problem, jobs=jobs, limit=6)
    assert search.count() == 6
    assert search.status == "limit"
    search.limit = None
    search.close()  # or tasks that take longer than a run waits for them are counted later
    before = search.num_solutions
    rest = list(search)
    assert before >= 6
    assert before + len(rest) == search.num_solutions == 40
    assert set(rest) < set(Search(problem))


@pytest.mark.usefixtures("tiny_tasks")
@pytest.mark.parametrize(
    "settings", [{"jobs": 1}, {"jobs": 3}, {"executor": lambda: ThreadPoolExecutor(2)}]
)
def test_a_count_and_a_list_after_a_round_go_to_the_end(settings):
    problem = problems.langford(8)
    search = ParallelSearch(problem, **settings)
    assert search.count_round(2) and search.count_round(3)
    assert (search.count(), search.status) == (300, "exhausted")
    search = ParallelSearch(problem, **settings)
    assert search.count_round(2) and search.count_round(3)
    counted = search.num_solutions
    rest = list(search)
    assert counted + len(rest) == search.num_solutions == 300
    assert set(rest) < set(Search(problem))
    assert search.status == "exhausted"


def test_a_count_that_is_complete_at_its_time_limit_is_exact(monkeypatch):
    def clock():
        if search._manager is None:
            return 0
        search._manager.join()  # it has no other way to end than the end of all tasks
        return 2

    problem = problems.langford(8)
    search = ParallelSearch(problem, jobs=2, time_limit=1)
    monkeypatch.setattr(ParallelSearch, "clock", staticmethod(clock))
    assert (search.count(), search.status) == (300, "exhausted")


def test_a_time_limit_ends_a_run(monkeypatch):
    now = iter(range(10**9))
    monkeypatch.setattr(ParallelSearch, "clock", staticmethod(lambda: next(now)))
    problem = problems.langford(8)
    search = ParallelSearch(problem, jobs=2, time_limit=3)
    runs = 0
    while search.count() < 300 or search.status != "exhausted":
        assert search.status == "time limit"
        runs += 1
        assert runs < 10_000
    assert search.num_solutions == 300
    with pytest.raises(TimeoutError, match="not done within 0"):
        dlx.count_solutions(problem, jobs=2, time_limit=0, method="search")
    with pytest.raises(TimeoutError, match="not done within 0"):
        list(dlx.solutions(problem, jobs=2, time_limit=0))
    with pytest.raises(TimeoutError, match="no solution found within 0"):
        dlx.solve(problems.langford(9), jobs=2, time_limit=0)


def test_the_time_limit_excludes_the_time_of_the_caller(monkeypatch):
    time = 0.0
    monkeypatch.setattr(ParallelSearch, "clock", staticmethod(lambda: time))
    search = dlx.solutions(problems.langford(7), jobs=2, time_limit=1)
    for _ in search:
        time += 60
    assert (search.num_solutions, search.status, search.stats.seconds) == (52, "exhausted", 0.0)


def test_a_stop_ends_a_list_of_batches_that_are_ready(monkeypatch):
    monkeypatch.setattr("dlx.parallel.driver.FIRST_WORK", 10**9)
    problem = problems.queens(8)
    search = ParallelSearch(problem, jobs=2, kernel="bits")
    found = [(batch.tolist(), search.stop()) for batch in search.arrays()]
    assert len(found) == 1
    first = [tuple(row) for row in found[0][0]]
    assert (search.status, search.num_solutions) == ("stopped", len(first))
    assert [*first, *search] == list(Search(problem, kernel="bits"))


@pytest.mark.parametrize("kernel", ["auto", *KERNELS])
def test_a_search_without_solutions_ends_as_exhausted(kernel):
    for problem in (Problem([], primary=["a"]), Problem([["a"]], primary=["a", "b"])):
        search = ParallelSearch(problem, jobs=2, kernel=kernel)
        assert list(search.arrays()) == []
        assert search.status == "exhausted"


@pytest.mark.parametrize("kernel", ["auto", *KERNELS])
def test_the_time_for_compiled_code_is_no_part_of_a_search(kernel, monkeypatch):
    time = 0.0

    def compiled(*arguments):  # compiling seems to take a minute
        nonlocal time
        if arguments[1] == 0 or kernel == "auto":  # a trial has one call
            time += 60
        return advance(*arguments)

    name = "links" if kernel == "auto" else kernel  # "links" searches small problems first
    module = importlib.import_module(f"dlx.search.{name}")
    advance = module.advance
    monkeypatch.setattr(module, "advance", compiled)
    monkeypatch.setattr(ParallelSearch, "clock", staticmethod(lambda: time))
    search = ParallelSearch(problems.langford(4), jobs=2, kernel=kernel, time_limit=1)
    assert search.count() == 2
    assert (search.status, search.stats.seconds, time) == ("exhausted", 0.0, 60.0)


def test_the_time_for_compiled_code_is_no_part_of_a_search_that_a_ledger_continues(
    monkeypatch, tmp_path
):
    problem, ledger, time = problems.langford(8), tmp_path / "run.db", 0.0
    monkeypatch.setattr("dlx.parallel.driver.FIRST_WORK", 1)
    search = ParallelSearch(problem, jobs=2, ledger=ledger, limit=1)
    assert len(list(search)) == 1
    search.close()

    def load(name):  # loading a kernel seems to take a minute
        nonlocal time
        time += 60
        return load_kernel(name)

    load_kernel = importlib.import_module("dlx.search.kernel").load_kernel
    monkeypatch.setattr("dlx.parallel.driver.load_kernel", load)
    monkeypatch.setattr(ParallelSearch, "clock", staticmethod(lambda: time))
    search = ParallelSearch(problem, jobs=2, ledger=ledger, time_limit=1)
    assert list(search) == list(Search(problem, kernel="bits"))
    assert (search.status, search.stats.seconds, time) == ("exhausted", 0.0, 60.0)


def test_a_search_continues_after_interrupts_in_progress(monkeypatch):
    monkeypatch.setattr("dlx.parallel.driver.REPORT_SECONDS", 0)
    seen = []

    def interrupt(stats):
        seen.append(stats)
        if len(seen) % 2 and stats.done < 1:
            raise KeyboardInterrupt

    problem = problems.langford(8)
    search = ParallelSearch(problem, jobs=2, progress=interrupt)
    total = None
    while total is None:
        try:
            total = search.count()
        except KeyboardInterrupt:
            assert search.status == "interrupted"
            assert search.num_solutions <= 300
    assert total == 300
    assert [s.solutions for s in seen] == sorted(s.solutions for s in seen)
    assert seen[-1].done == 1.0


@pytest.mark.usefixtures("tiny_tasks")
def test_an_error_of_progress_ends_the_run(monkeypatch):
    monkeypatch.setattr("dlx.parallel.driver.REPORT_SECONDS", 0)
    monkeypatch.setattr("dlx.parallel.driver.PAUSE", 0)

    def fails(stats):
        raise ValueError("of the caller")

    search = ParallelSearch(problems.langford(8), jobs=2, progress=fails)
    with pytest.raises(ValueError, match="of the caller"):
        search.count()
    if not search._agenda.is_empty:
        assert (search._halt, search.status) == (True, "stopped")
    search.progress = None
    assert search.count() == 300


@long
def test_an_abandoned_loop_leaves_no_thread():
    search = ParallelSearch(problems.matchings(12), jobs=2)
    for _ in range(100):
        next(search)
    search._manager.join(60)
    assert not search._manager.is_alive()
    assert 0 < sum(map(len, search._ready)) < 4000
    assert len([None for _ in search]) == 10_295


def test_threads_may_share_a_search():
    problem = problems.queens(7)
    search = ParallelSearch(problem, jobs=2)
    found = []

    def take():
        while (solution := next(search, None)) is not None:
            found.append(solution)

    threads = [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(Search(problem))


def test_public_functions_with_jobs_return_what_they_return_without():
    problem = problems.queens(6)
    whole = list(Search(problem))
    assert dlx.solve(problem, jobs=2) == whole[0]
    assert dlx.solve(problems.langford(6), jobs=2) is None
    assert list(dlx.solutions(problem, jobs="all")) == whole
    assert list(dlx.solutions(problem, jobs=2, limit=2)) == whole[:2]
    assert dlx.count_solutions(problem, jobs=2) == 4
    assert dlx.count_solutions(problem, jobs=2, given=whole[0][:1]) == 1
    assert dlx.count_solutions([[0], [0]], jobs=2, given=[0, 1]) == 0
    assert dlx.count_solutions(Problem([]), jobs=2) == 1
    with ThreadPoolExecutor(2) as pool:
        assert dlx.count_solutions(problem, executor=pool) == 4
        assert list(dlx.solutions(problem, executor=pool)) == whole
    assert num_cores() >= 1


@pytest.mark.parametrize("jobs", [0, -1, 1.5, "2", True])
def test_the_number_of_jobs_is_checked(jobs):
    with pytest.raises(ProblemError, match="jobs is "):
        dlx.count_solutions([[0]], jobs=jobs)


def test_what_only_a_parallel_search_takes_is_checked():
    with pytest.raises(ProblemError, match="raises is 'no'; True or False is needed"):
        ParallelSearch([[0]], raises="no")
    search = ParallelSearch([[0]], jobs=1)
    for number in (0, -1, 1.5, "2", None, True):
        with pytest.raises(ProblemError, match="must be a whole number from 1 on"):
            search.count_round(number)
    assert search.status == "ready"


def test_an_error_of_a_task_is_raised_and_the_search_continues(monkeypatch):
    whole = Worker.run
    calls = []

    def fail(self, *args):
        calls.append(args)
        if len(calls) == 5:
            raise MemoryError("too little")
        return whole(self, *args)

    monkeypatch.setattr(Worker, "run", fail)
    search = ParallelSearch(problems.langford(8), jobs=2)
    with pytest.raises(MemoryError, match="too little"):
        search.count()
    assert search.count() == 300


def test_a_task_stops_at_its_bounds():
    problem = problems.matchings(10)
    worker = Worker(problem, Question((), "links", True))
    result = worker.run((Branch((), (), 1.0),), 10**9, 7)
    assert result.found == 7 == sum(map(len, result.batches))
    result = worker.run((Branch((), (), 1.0),), 10**9)
    assert 100 <= sum(batch.size for batch in result.batches) <= 130
    assert all(batch.dtype == np.int32 for batch in result.batches)
    counting = Worker(problem, Question((), "links", False))
    assert counting.run((Branch((), (), 1.0),), 10**9, 7).found == 7
    result = counting.run((Branch((), (), 1.0),), 10**9, stopped=lambda: True)
    assert 0 < result.found < 945
    assert 0 < sum(branch.weight for task in result.left for branch in task) < 1


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"jobs": 1}, marks=long),
        pytest.param({"jobs": 3}, marks=long),
        {"executor": ThreadPoolExecutor},
    ],
)
def test_a_parallel_search_continues_where_other_methods_were_given_up(settings, monkeypatch):
    """No node is visited twice."""
    problem = problems.langford(8)
    whole = Count(problem, method="search")
    begun = property(lambda trial: trial.stats.nodes > 0)
    monkeypatch.setattr("dlx.parallel.count._Turns.search_leads", begun)
    monkeypatch.setattr("dlx.count.driver.slice_of", lambda _: 3000)  # units of work
    count = ParallelCount(problem, **settings)
    assert count.count() == whole.count() == 300
    assert isinstance(count._active, ParallelSearch)
    assert count._active._before_tasks.nodes < count.stats.nodes == whole.stats.nodes
    assert count.status == "exhausted"


@pytest.mark.parametrize(
    "settings",
    [pytest.param({"jobs": 1}, marks=long), {"jobs": 3}, {"executor": ThreadPoolExecutor}],
)
@pytest.mark.parametrize("limit", [None, pytest.param(100, marks=long)])
def test_other_methods_continue_if_a_round_shows_a_long_search(settings, limit, monkeypatch):
    """The round, and so what is learnt from it, is the same for any number of workers."""
    learnt = []

    def leads(trial):
        return trial._components is not None and not learnt

    def learn(own, *numbers):
        learnt.append(numbers)
        method(own, *numbers)

    method = ComponentCount.learn
    monkeypatch.setattr(ComponentCount, "learn", learn)
    monkeypatch.setattr("dlx.parallel.count._Turns.search_leads", property(leads))
    monkeypatch.setattr("dlx.count.driver.slice_of", lambda _: 3000)  # units of work
    monkeypatch.setattr("dlx.count.driver.continues_alone", lambda search, *_: not search.work)
    monkeypatch.setattr("dlx.count.table.LEAST_IN_ROUNDS", 1 << 60)  # a round does more work
    monkeypatch.setattr("dlx.count.race.FIRST_SLICE", 100_000)  # ends no sweep
    monkeypatch.setattr("dlx.parallel.count.FIRST_ROUND", 3)
    for name in ("THREAD_BUDGET", "REMOTE_BUDGET"):
        monkeypatch.setattr(f"dlx.parallel.crew.{name}", 10_000)
    monkeypatch.setattr("dlx.parallel.task.SHORTEST_SLICE", 1 << 10)
    seen = []
    count = ParallelCount(problems.langford(8), limit=limit, progress=seen.append, **settings)
    assert count.count() == count.num_solutions == (limit or 300)
    assert count.status == ("limit" if limit else "exhausted")
    if limit is None:  # else a round may end by the limit
        assert len(learnt) == 1
        assert count._round == 3  # the next round would be short again
        work, expected = learnt[0]
        assert work == 26_108 < expected
        assert not isinstance(count._active, ParallelSearch)
        assert count.stats.seconds > count._search.stats.seconds > 0
    shown = [(stats.solutions, stats.done) for stats in seen]
    assert shown == sorted(shown)
    own = ref(count)
    del count
    assert own() is None  # threads and files go at once


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(problem=small_problems(), jobs=st.integers(1, 3), data=st.data())
def test_a_search_continues_after_a_limit_within_the_trial(problem, jobs, data):
    whole = list(Search(problem))
    first = data.draw(st.integers(1, max(1, len(whole))))
    search = ParallelSearch(problem, jobs=jobs, limit=first)
    assert [row for batch in search.arrays() for row in tuples(batch)] == whole[:first]
    assert search.stats.kernel == "links"
    assert search._crew is None  # no kernel but that of the trial was loaded
    search.limit = None
    assert list(search) == whole[first:]
    assert search.num_solutions == len(whole)


def test_a_small_search_starts_no_worker_and_no_thread():
    search, alone = ParallelSearch(problems.langford(4), jobs=2), Search(problems.langford(4))
    assert list(search) == list(alone) != []
    assert search.stats[:3] == alone.stats[:3]
    assert search._crew is None


def test_the_threads_end_when_the_search_is_no_longer_referenced():
    hard = problems.langford(9)  # has no solution; one option is instead of all of its options
    options = [hard.option(k) for k in range(hard.num_options)]
    search = ParallelSearch([("way", *hard.items), ("way",), *options], jobs=2)
    assert next(search) == (0,)
    while search._manager is None:
        search._wait(lambda: True)
    manager, agenda = search._manager, search._agenda
    del search
    manager.join()
    assert not agenda.is_empty


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_time_limit_of_0_ends_a_search_before_it_begins(jobs):
    search = ParallelSearch(problems.queens(8), jobs=jobs, time_limit=0)
    assert (next(search, None), search.status, search.num_solutions) == (None, "time limit", 0)
    search.time_limit = None
    assert sum(1 for _ in search) == 92


@compiled
def test_plain_search_continues_if_it_soon_reaches_the_limit():
    # all of the search is expected to take longer than a sweep
    count = ParallelCount(problems.langford(15), limit=100_000, jobs=2)
    assert count.count() == 100_000
    assert (count.status, count.stats.kernel) == ("limit", "bits")


@compiled
@pytest.mark.parametrize("kernel", ["links", "bits", "bounds"])
def test_slices_are_shorter_where_a_node_looks_at_many_items(kernel, monkeypatch):
    """A slice of 80,000 items took seconds, in which no thread stopped."""
    lengths = []
    module = load_kernel(kernel)
    advance = module.advance

    def noted(state, budget, *others):
        lengths.append(budget)
        return advance(state, budget, *others)

    monkeypatch.setattr("dlx.parallel.task.LONGEST_SLICE", 1 << 22)
    longest = []
    for items in (500, 2_000):
        problem = dlx.Problem([[k // 2] for k in range(2 * items)])
        worker = Worker(problem, Question((), kernel, False))
        with monkeypatch.context() as patch:
            patch.setattr(module, "advance", noted)
            worker.run((Branch((), (), 1.0),), 10_000_000, 1000)
        longest.append(max(lengths))
        lengths.clear()
    shorter = {"links": 60, "bits": 1, "bounds": 750}[kernel]
    assert longest[0] // longest[1] == pytest.approx(shorter, abs=2)
