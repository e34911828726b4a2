"""Ledgers: a search that was killed continues; another problem, question or process is refused."""

import gc
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

import pytest

import dlx
from benchmarks import problems
from dlx import OutputError, ProblemError, Search, StateError, models
from dlx.__main__ import main
from dlx.parallel.agenda import Agenda
from dlx.parallel.driver import ParallelSearch
from dlx.parallel.ledger import MODULUS, Ledger, _sum, is_in_use, status
from dlx.parallel.task import Question, Task, Totals
from tests import processes
from tests.modes import COMPILED

KILLS = int(os.environ.get("FAULTS_KILLS", "0"))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.sqlite"


class Killed(BaseException):
    """Stands for the end of the process."""


def stopped(problem, path, tasks, listing=False):
    """Count or list until so many tasks have been recorded, then end at once."""
    left = iter(range(tasks))

    def record(self, *arguments):
        if next(left, None) is None:
            raise Killed
        return whole(self, *arguments)

    whole = Ledger.record
    search = ParallelSearch(problem, ledger=path, jobs=2)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Ledger, "record", record)
        list(search) if listing else search.count()
    search.close()


@pytest.mark.usefixtures("tiny_tasks")
def test_a_count_continues_where_it_stopped(path):
    problem = problems.langford(8)
    whole = ParallelSearch(problem, jobs=2)
    whole.count()
    ended = []
    for tasks in (1, 5, 10):
        stopped(problem, path, tasks)
        found = status(path)
        ended.append(found.tasks_ended)
        assert found.tasks_open > 0
        assert 0 <= found.done < 1
        assert found.owner is None
    assert ended == [1, 6, 16]
    assert dlx.count_solutions(problem, ledger=path) == 300
    assert status(path)[1:3] == (300, whole.stats.nodes)
    assert (status(path).done, status(path).tasks_open) == (1.0, 0)
    assert dlx.count_solutions(problem, ledger=path) == 300


@pytest.mark.usefixtures("tiny_tasks")
def test_a_ledger_that_was_being_enlarged_when_its_process_was_killed(path, monkeypatch):
    """SQLite had copied some pages of the file FILE-wal; the file is shorter than it says."""
    problem = problems.langford(8)
    log = path.with_name(path.name + "-wal")
    copies = []

    def record(self, *arguments):
        whole(self, *arguments)
        copies[:] = path.read_bytes(), log.read_bytes()

    whole = Ledger.record
    monkeypatch.setattr(Ledger, "record", record)
    assert dlx.count_solutions(problem, ledger=path, jobs=1, method="search") == 300
    monkeypatch.undo()
    before, pages = copies
    path.write_bytes(before)
    log.write_bytes(pages)
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = base.execute("PRAGMA page_size").fetchone()
    after = path.read_bytes()
    assert len(after) > max(len(before), 2 * page)
    for length in (page, len(after) // page // 2 * page, len(after) - page):
        path.write_bytes(after[:length] + before[length:])
        log.write_bytes(pages)
        assert status(path).solutions == 300
        log.write_bytes(pages)
        assert dlx.count_solutions(problem, ledger=path) == 300


@pytest.mark.usefixtures("tiny_tasks")
def test_a_count_with_multiplicities_continues_where_it_stopped(path):
    problem = models.domination(4, 4).problem
    total = dlx.count_solutions(problem)
    stopped(problem, path, 3)
    assert status(path).tasks_open > 0
    assert dlx.count_solutions(problem, ledger=path) == total


@pytest.mark.parametrize("name", ["what?.sqlite", "no #1.sqlite", "100%41.sqlite"])
def test_names_with_special_characters_of_addresses_are_ledgers(tmp_path, name):
    path = tmp_path / name
    search = ParallelSearch(problems.queens(6), ledger=path, jobs=1, limit=1)
    search.count()
    assert f"process {os.getpid()} on " in status(path).owner
    # `status` of another process takes the lock for a moment
    assert search._agenda._ledger._lock.execute("PRAGMA busy_timeout").fetchone() == (200,)
    search.close()
    assert status(path).owner is None
    assert dlx.count_solutions(problems.queens(6), ledger=path) == 4


def test_a_ledger_that_another_process_begins_at_this_moment(path):
    with closing(sqlite3.connect(f"{path}.lock", isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StateError, match="in use by another process; one process at a time"):
            dlx.count_solutions(problems.queens(6), ledger=path)


def test_an_interrupt_at_the_start_releases_the_ledger(path, monkeypatch):
    search = ParallelSearch(problems.queens(6), ledger=path, jobs=1)

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt) as kept:
        patch.setattr(ParallelSearch, "_result_of_root", interrupt)
        search.count()
    assert kept.tb is not None  # and with it all local variables
    assert search.count() == 4


@pytest.mark.usefixtures("tiny_tasks")
def test_a_ledger_is_closed_while_no_thread_writes_to_it(path, monkeypatch):
    monkeypatch.setattr("dlx.parallel.driver.STOP_SECONDS", 0)
    search = ParallelSearch(problems.queens(9), ledger=path, kernel="links", jobs=2)
    close, writing = Ledger.close, []

    def watched(ledger):
        if ledger is search._agenda._ledger:  # no other one that is just deleted
            writing.append(search._manager.is_alive())
        close(ledger)

    next(search)
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "close", watched)
        search.close()
    assert writing == [False]


@pytest.mark.usefixtures("tiny_tasks")
def test_a_list_without_references_releases_its_ledger(path):
    first = dlx.solve(problems.queens(7))
    gc.disable()  # or the test could pass by a collection in between
    try:
        for end in ({"limit": 3}, {}):
            for _ in range(2):
                assert next(dlx.solutions(problems.queens(7), ledger=path, jobs=1, **end)) == first
                for thread in threading.enumerate():  # one may still hold the search
                    if thread.name == "dlx":
                        thread.join()
    finally:
        gc.enable()


@pytest.mark.usefixtures("tiny_tasks")
def test_a_list_begins_with_the_first_solution_once_the_ledger_was_given_back(path):
    problem = problems.queens(7)
    whole = list(Search(problem))
    search = ParallelSearch(problem, ledger=path, jobs=2)
    assert [next(search), next(search)] == whole[:2]
    search.close()
    assert list(search) == whole
    assert search.num_solutions == len(whole)


@pytest.mark.parametrize("number", [1, 39, 40])
@pytest.mark.parametrize("loop", [True, False])
def test_a_list_that_was_closed_within_a_batch_begins_with_the_first_solution(path, number, loop):
    problem = problems.queens(7)  # whose solutions are one batch
    whole = list(Search(problem))
    search = ParallelSearch(problem, ledger=path, jobs=1)
    assert [next(search) for _ in range(number)] == whole[:number]
    search.close()
    assert search.num_solutions == number
    assert list(search if loop else iter(partial(next, search, None), None)) == whole
    assert search.num_solutions == len(whole)


@pytest.mark.parametrize("is_over", [True, False])
@pytest.mark.parametrize("loop", [True, False])
def test_a_list_closed_at_its_limit_begins_with_the_first_solution(path, is_over, loop):
    problem = problems.queens(7)
    first = list(Search(problem, limit=5))
    search = ParallelSearch(problem, limit=5, ledger=path, jobs=1)
    assert list(search) == first if is_over else [next(search) for _ in range(5)] == first
    search.close()
    assert (search.num_solutions, search.status) == (5, "limit" if is_over else "stopped")
    assert list(search if loop else iter(partial(next, search, None), None)) == first
    assert (search.num_solutions, search.status) == (5, "limit")


@pytest.mark.parametrize(
    ("has_ledger", "use", "rest"),
    [(True, iter, 52), (True, ParallelSearch.arrays, 52), (False, iter, 51)],
)
def test_a_loop_whose_body_closes_the_search_ends(path, has_ledger, use, rest):
    ledger = path if has_ledger else None
    search = ParallelSearch(problems.langford(7), ledger=ledger, jobs=1)
    for step, _ in enumerate(use(search)):
        assert step == 0
        search.close()
    assert search.status == "stopped"
    assert len(list(search)) == rest


@pytest.mark.usefixtures("tiny_tasks")
@pytest.mark.parametrize("listing", [True, False])
def test_progress_may_close_a_search(path, listing, monkeypatch):
    monkeypatch.setattr("dlx.parallel.driver.REPORT_SECONDS", 0)
    monkeypatch.setattr("dlx.parallel.driver.PAUSE", 0)
    problem = problems.langford(8)
    search = ParallelSearch(problem, ledger=path, jobs=2, progress=lambda stats: search.close())
    while search.status != "exhausted":
        found = len(list(search)) if listing else search.count()
        search.progress = None
    assert found == 300


@pytest.mark.usefixtures("tiny_tasks")
@pytest.mark.parametrize("listing", [True, False])
def test_a_search_that_was_closed_begins_the_tasks_of_its_executor_again(path, listing):
    class Held(ThreadPoolExecutor):
        def submit(self, function, /, *arguments):
            return super().submit(self.hold, function, *arguments)

        def hold(self, function, *arguments):
            if not released.is_set():
                search.stop()
                released.wait()
            return function(*arguments)

    released = threading.Event()
    with Held(1) as pool:
        search = ParallelSearch(problems.langford(8), ledger=path, executor=pool)
        found = len(list(search)) if listing else search.count()
        assert (found < 300, search.status) == (True, "stopped")
        search.close()
        released.set()
        assert (len(list(search)) if listing else search.count()) == 300


@pytest.mark.usefixtures("tiny_tasks")
@pytest.mark.parametrize("make", [lambda: problems.queens(7), lambda: problems.de_bruijn(3)])
def test_a_list_is_complete_and_in_order_after_every_stop(path, make):
    problem = make()
    whole = list(Search(problem))
    search = dlx.solutions(problem, ledger=path, jobs=2)
    assert [next(search), next(search)] == whole[:2]
    search.close()
    search = dlx.solutions(problem, ledger=path, limit=7)
    assert list(search) == whole[:7]
    search.close()
    assert list(dlx.solutions(problem, ledger=path, jobs=3)) == whole
    listed = [r for b in dlx.solutions(problem, ledger=path).arrays() for r in b]
    assert [tuple(row[row >= 0].tolist()) for row in listed] == whole


@pytest.mark.usefixtures("tiny_tasks")
@pytest.mark.parametrize("problem", [problems.queens(8), problems.langford(6)])
def test_a_list_with_tasks_that_find_no_solution(path, problem):
    for _ in range(2):
        search = dlx.solutions(problem, ledger=path, kernel="links", jobs=2)
        assert list(search) == list(Search(problem, kernel="links"))
        search.close()


def test_a_search_with_givens_that_are_not_compatible_is_recorded(path):
    for listing in (False, True):
        ledger = f"{path}{listing}"
        for _ in range(2):
            search = ParallelSearch([[0], [0]], given=[0, 1], ledger=ledger, jobs=1)
            assert (list(search) if listing else search.count()) == ([] if listing else 0)
            assert (search.status, search.stats.nodes, search.stats.done) == ("exhausted", 0, 1)
        found = status(ledger)
        assert (found.done, found.seconds_left, found.tasks_open) == (1.0, 0.0, 0)


@pytest.mark.parametrize(
    ("problem", "total"),
    [
        (dlx.Problem([[0], [0]], primary=[0, 1]), 0),
        (dlx.Problem([]), 1),
        (dlx.Problem([[0], [1]], secondary=[0, 1]), 1),
        (problems.queens(6), 4),
    ],
)
def test_a_search_that_ends_in_the_first_task_is_recorded(path, problem, total):
    for _ in range(2):
        assert dlx.count_solutions(problem, ledger=path) == total
        found = list(dlx.solutions(problem, ledger=f"{path}2"))
        assert found == list(dlx.solutions(problem))
        assert len(found) == total
    assert status(path).done == 1.0
    assert status(path).solutions == total


def test_wrong_ledgers_and_arguments_are_refused(path, tmp_path, capsys):
    problem = problems.queens(6)
    search = dlx.solutions(problem, ledger=path, given=[3])
    list(search)
    with pytest.raises(ProblemError, match="lists all its solutions"):
        search.limit = 99
        search.count()
    with pytest.raises(StateError, match="this ledger belongs to another problem"):
        list(dlx.solutions(problems.queens(5), ledger=path, given=[3]))
    with pytest.raises(
        StateError, match="a count of all solutions by kernel bits, given options 3"
    ):
        dlx.count_solutions(problem, ledger=path, given=[3])
    with pytest.raises(StateError, match=r"a list of all .* given options 3; this is a list .* 4"):
        list(dlx.solutions(problem, ledger=path, given=[4]))
    with pytest.raises(StateError, match="this is a list of all solutions by kernel links"):
        list(dlx.solutions(problem, ledger=path, given=[3], kernel="links"))
    base = sqlite3.connect(path)
    base.execute("UPDATE meta SET value = '0' WHERE key = 'format'")
    base.commit()
    base.close()
    with pytest.raises(StateError, match="this ledger has format 0; this version writes format 3"):
        list(dlx.solutions(problem, ledger=path, given=[3]))
    other = tmp_path / "other"
    other.write_text("no database at all, but long enough to look like one\n" * 30)
    for damaged in (other, tmp_path / "empty.db"):
        if damaged != other:
            sqlite3.connect(damaged).execute("CREATE TABLE t (a)").connection.close()
        before = damaged.read_bytes()
        with pytest.raises(StateError, match="not a ledger"):
            dlx.count_solutions(problem, ledger=damaged)
        assert damaged.read_bytes() == before
        assert [file.name for file in tmp_path.glob(f"{damaged.name}*")] == [damaged.name]
        with pytest.raises(StateError, match="not a ledger"):
            status(damaged)
    saved = tmp_path / "saved"
    dlx.Search(problem).save(saved)
    with pytest.raises(StateError, match="saved: this is a ledger of --best, or a saved search"):
        dlx.count_solutions(problem, ledger=saved)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="folder: is a folder; a file is needed"):
        dlx.count_solutions(problem, ledger=tmp_path / "folder")
    assert not (tmp_path / "folder.lock").exists()
    (tmp_path / "poetry.lock").write_text("a file of something else, which is no database\n" * 20)
    with pytest.raises(StateError, match=r"poetry\.lock: this file is not a lock of a ledger"):
        dlx.count_solutions(problem, ledger=tmp_path / "poetry")
    dlx.count_solutions(problem, ledger=tmp_path / "sound")
    (tmp_path / "sound.lock").unlink()
    (tmp_path / "sound.lock").mkdir()
    for name in ("sound", "poetry"):
        with pytest.raises(StateError, match=rf"{name}\.lock: this file is not a lock of a ledger"):
            is_in_use(tmp_path / name)
    with pytest.raises(StateError, match=r"sound\.lock: this file is not a lock"):
        status(tmp_path / "sound")
    with pytest.raises(OutputError, match="cannot be written"):
        dlx.count_solutions(problem, ledger=tmp_path / "no" / "folder.db")
    assert main(["--status", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err == f"dlx: {tmp_path / 'none'}: No such file or directory\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_pipes_and_devices_are_no_ledgers(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    problem = tmp_path / "problem"
    problem.write_text("a b\na |3\nb |1\n")
    for name in (str(tmp_path / "pipe"), "/dev/null"):
        for command in (
            ["--status", name],
            *(
                [str(problem), *task.split(), "--ledger", name]
                for task in ("--count", "--all", "--best 1")
            ),
        ):
            assert main(command) == 2
            assert (
                capsys.readouterr().err == f"dlx: {name}: is a pipe or a device; a file is needed\n"
            )
    assert sorted(os.listdir(tmp_path)) == ["pipe", "problem"]


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_a_ledger_by_another_name_is_in_use_as_well(path, tmp_path):
    problem, question = problems.queens(7), Question((), "bits", False)
    own = Ledger(path, problem, question)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(StateError, match=f"link: in use by process {os.getpid()} on .*; one"):
        Ledger(tmp_path / "link", problem, question)
    assert not (tmp_path / "link.lock").exists()
    assert is_in_use(str(tmp_path / "link"))
    own.close()
    assert not is_in_use(str(tmp_path / "link"))
    assert dlx.count_solutions(problem, ledger=tmp_path / "link") == 40
    assert status(path).solutions == 40
    names = {file.name for file in tmp_path.iterdir()}
    assert names <= {path.name, f"{path.name}.lock", "link"}  # none of SQLite's


def test_a_ledger_that_another_process_has_written_to_is_left_as_it_is(path):
    """The lock forbids that, unless the file has a second name that is no symbolic link."""
    problem, question = problems.queens(7), Question((), "bits", False)
    own, first, second = Ledger(path, problem, question), Task((), ()), Task((0,), ())
    own.record(first, [], [second], Totals(1))
    with closing(sqlite3.connect(path)) as base, base:
        (before,) = base.execute("SELECT value FROM meta WHERE key = 'totals'").fetchone()
        base.execute("UPDATE meta SET value = 'others' WHERE key = 'totals'")
    with pytest.raises(StateError, match="another process has written to this ledger, by another"):
        own.record(second, [], [], Totals(2))
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("UPDATE meta SET value = ? WHERE key = 'totals'", (before,))
    assert own.totals.found == 1
    own.record(second, [], [], Totals(3))
    own.close()
    assert status(path).solutions == 3


def right_or_refused(problem, path, ask):
    """Whether a search with a damaged ledger gives the answer, or is refused in one line."""
    try:
        return ask(problem, ledger=path, jobs=1)
    except dlx.DlxError as error:
        assert "\n" not in str(error)
        return None
    finally:
        for end in ("", "-wal", "-shm", ".lock"):
            path.with_name(path.name + end).unlink(missing_ok=True)


def listed(problem, **options):
    """Return all solutions."""
    return list(dlx.solutions(problem, **options))


@pytest.mark.usefixtures("tiny_tasks")
@pytest.mark.parametrize("ask", [dlx.count_solutions, listed])
def test_a_ledger_with_a_byte_changed_is_refused_or_right(path, tmp_path, ask):
    problem = problems.queens(7)
    expected = ask(problem)
    stopped(problem, path, 6, listing=ask is listed)
    whole = path.read_bytes()
    draw = random.Random(None if KILLS else 1)
    places = [place for place, byte in enumerate(whole) if byte]
    refused = 0
    for turn in range(30 * KILLS or 40):
        data = bytearray(whole)
        data[draw.choice(places)] ^= 1 << draw.randrange(8)
        damaged = tmp_path / f"damaged{turn}"
        damaged.write_bytes(data)
        found = right_or_refused(problem, damaged, ask)
        assert found in (None, expected), turn
        refused += found is None
    assert refused > 10


@pytest.mark.usefixtures("tiny_tasks")
def test_a_place_that_is_a_number_is_refused(path):
    problem = problems.queens(7)
    stopped(problem, path, 6, listing=True)
    with closing(sqlite3.connect(path)) as base, base:
        assert base.execute("UPDATE task SET place = 0 WHERE place = x''").rowcount == 1
    with pytest.raises(StateError, match="damaged: a checksum is wrong"):
        listed(problem, ledger=path)


def test_solutions_that_cannot_be_read_do_not_end_a_list():
    """The caller may look between the fault and the moment when the fault is reported."""

    class Damaged:
        is_new = False
        totals = Totals()

        def open_tasks(self):
            return iter(())

        def ended_places(self):
            return [(0,)]

        def solutions(self, place):
            raise StateError(f"damaged: {place}")

    agenda = Agenda(True, Damaged())
    agenda.load()
    for _ in range(2):
        with pytest.raises(StateError, match="damaged"):
            agenda.next_batches()
        assert not agenda.is_taken


@pytest.mark.parametrize("kernel", ["links", "bits", "bounds"])
def test_a_ledger_of_a_deep_search_is_short(path, kernel, monkeypatch):
    """A path is written once for all branches that it leaves: not the square of the levels."""
    monkeypatch.setattr("dlx.parallel.driver.FIRST_WORK", 100_000)
    levels = 300
    problem = dlx.Problem([[k // 2] for k in range(2 * levels)])
    settings = {"kernel": kernel, "ledger": path, "jobs": 1}
    expected = list(Search(problem, kernel=kernel, limit=60))
    search = ParallelSearch(problem, limit=50, **settings)
    assert list(search) == expected[:50]
    search.close()
    with closing(sqlite3.connect(path)) as base:
        rows = base.execute("SELECT branches FROM task WHERE state = 0").fetchall()
    tasks = [json.loads(text) for (text,) in rows]
    assert sum(map(len, tasks)) > levels // 2
    numbers = [first for task in tasks for first, *_ in task]
    assert sum(len(first) for first in numbers if isinstance(first, list)) <= 16 * levels
    again = ParallelSearch(problem, limit=60, **settings)
    assert list(again) == expected
    again.close()


@pytest.mark.usefixtures("tiny_tasks")
@pytest.mark.parametrize(
    "branches",
    [
        [[[10**6], [], 0.1]],
        [[0, [], 0.1], [1, [], 0.1]],
        [[[0], [], 0.1], [-1, [], 0.1]],
        [[[0], [-1], 0.1]],
        [[[0], [2**70], 0.1]],
        [[[0, 1], [], 0.1]],
        [[[0], [], float("nan")]],
        [[["0"], [], 0.1]],
        [[0]],
        "x",
        5,
        None,
    ],
)
def test_a_crafted_ledger_is_refused(path, branches):
    """All checksums are right, but a branch is none."""
    problem = problems.queens(7)
    stopped(problem, path, 6)
    base = sqlite3.connect(path, isolation_level=None)
    rows = base.execute("SELECT place, branches, state FROM task").fetchall()
    rows[0] = (rows[0][0], json.dumps(branches), 0)
    base.execute("DELETE FROM task")
    base.executemany("INSERT INTO task VALUES (?, ?, ?, ?)", [(*row, _sum(*row)) for row in rows])
    (totals,) = base.execute("SELECT value FROM meta WHERE key = 'totals'").fetchone()
    every = sum(int.from_bytes(_sum(*row)) for row in rows) % MODULUS
    totals = json.dumps([*json.loads(totals)[:-1], f"{every:x}"])
    values = {"totals": totals, "sum": _sum(totals).hex()}
    base.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())
    base.close()
    with pytest.raises(StateError, match="this ledger is damaged"):
        dlx.count_solutions(problem, ledger=path)


@pytest.mark.usefixtures("tiny_tasks")
@pytest.mark.parametrize(
    "totals",
    [
        '["x", 1, 1, 1, 1.0, 1.0, "0"]',
        '[1.0, 1, 1, 1, 1.0, 1.0, "0"]',
        '[1, 1, 1, 1, "a", "b", "0"]',
        '[1, 1, 1, 1, 1.0, NaN, "0"]',
        '[1, 1, 1, 1, 1.0, Infinity, "0"]',
        f'[1, {10**400}, 1, 1, 1.0, 1.0, "0"]',
        '[1, 1, "0"]',
        "[" * 10**5,
        "5",
    ],
)
def test_crafted_totals_are_refused(totals, path, tmp_path, capsys):
    problem = problems.queens(7)
    stopped(problem, path, 6)
    values = {"totals": totals, "sum": _sum(totals).hex(), "question": "two\nlines"}
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())
    for arguments in (["--status", str(path)], ["--status", str(path), "--json"]):
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.startswith(f"dlx: {path}: this ledger is damaged: ")
        assert err.count("\n") == 1
    with pytest.raises(StateError, match="this ledger has a two lines; this is a count"):
        dlx.count_solutions(problem, ledger=path)
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("UPDATE meta SET value = '[[[], [], 1e400]]' WHERE key = 'totals'")
    with pytest.raises(StateError, match="damaged: a checksum is wrong"):
        status(path)


def test_a_task_of_any_shape_has_no_status(path):
    dlx.count_solutions(problems.queens(6), ledger=path)
    for branches in ("[" * 10**5, f"[[[], [], {10**400}]]", "[[1]]", None):
        with closing(sqlite3.connect(path)) as base, base:
            base.execute("INSERT OR REPLACE INTO task VALUES (x'00', ?, 0, x'')", [branches])
        with pytest.raises(StateError, match="this ledger is damaged"):
            status(path)


def test_a_ledger_is_a_file_whatever_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    problem = problems.queens(6)
    with pytest.raises(OutputError, match="a ledger without a name"):
        dlx.count_solutions(problem, ledger="")
    assert list(tmp_path.iterdir()) == []
    assert dlx.count_solutions(problem, ledger=":memory:") == 4
    assert status(":memory:").solutions == status(b":memory:").solutions == 4


@pytest.mark.usefixtures("tiny_tasks")
def test_one_process_at_a_time(path):
    problem = problems.langford(8)
    search = ParallelSearch(problem, ledger=path, jobs=1, limit=1)
    assert search.count() == 1
    assert f"process {os.getpid()} on " in status(path).owner
    file = path.with_suffix(".dlx")
    file.write_text(problems.text(problem))
    line = [sys.executable, "-m", "dlx", file, "--count", "--ledger", path]
    done = processes.run(line, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"dlx: {path}: in use by process {os.getpid()} on ")
    assert done.stderr.count("\n") == 1
    with pytest.raises(StateError, match="one process at a time"):
        dlx.count_solutions(problem, ledger=path)
    search.close()
    assert status(path).owner is None
    assert dlx.count_solutions(problem, ledger=path) == 300


@pytest.mark.usefixtures("tiny_tasks")
def test_a_copy_of_a_ledger_continues_elsewhere(path, tmp_path):
    problem = problems.langford(8)
    stopped(problem, path, 10)
    copy = tmp_path / "copy"
    shutil.copy(path, copy)
    assert dlx.count_solutions(problem, ledger=copy, jobs=3) == 300
    assert status(path).tasks_open > 0


@pytest.mark.usefixtures("tiny_tasks")
def test_a_full_disk_is_one_error_and_nothing_is_lost(path, monkeypatch):
    problem = problems.langford(8)
    stopped(problem, path, 5)
    before = status(path)
    search = ParallelSearch(problem, ledger=path, jobs=2)
    search.limit = 0
    search.count()
    search.limit = None
    search._agenda._ledger._base.execute("PRAGMA max_page_count = 1")
    search._agenda._ledger._base.execute("PRAGMA query_only = 1")
    with pytest.raises(OutputError, match=r"ledger\.sqlite: cannot be written"):
        search.count()
    search.close()
    assert status(path)[1:6] == before[1:6]
    assert dlx.count_solutions(problem, ledger=path) == 300


def test_the_command_records_and_reports_its_progress(path, tmp_path, capsys):
    file = tmp_path / "problem.dlx"
    file.write_text(problems.text(problems.queens(6)))
    for _ in range(2):
        assert main([str(file), "--count", "--ledger", str(path), "--jobs", "2"]) == 0
        assert capsys.readouterr().out == "4\n"
    assert main(["--status", str(path)]) == 0
    words = capsys.readouterr().out
    assert "done:      100.0000% by estimate\n" in words
    assert "solutions: 4\n" in words
    assert main(["--status", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["solutions"] == 4
    assert main([str(file), "--all"]) == 0
    whole = capsys.readouterr().out
    other = str(path) + "2"
    for _ in range(2):
        assert main([str(file), "--all", "--ledger", other]) == 0
        assert capsys.readouterr().out == whole
    assert main([str(file), "--all", "--ledger", str(path)]) == 2
    assert "this is a list of all solutions" in capsys.readouterr().err
    # SQLite cannot write this file, as in a folder that is read-only
    path.with_name(path.name + "-wal").unlink(missing_ok=True)
    path.with_name(path.name + "-wal").mkdir()
    assert main(["--status", str(path)]) == 0
    assert "solutions: 4\n" in capsys.readouterr().out
    for wrong in (
        [str(file), "--ledger", str(path)],
        [str(file), "--count", "--jobs", "0"],
        [str(file), "--best", "--jobs", "2"],
        [str(file), "--json"],
        [str(file), "--status", str(path)],
        ["--count"],
    ):
        with pytest.raises(SystemExit) as error:
            main(wrong)
        assert error.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1


COMMAND = """
import os, signal, sys
from dlx.parallel import crew, driver, ledger
driver.FIRST_WORK, crew.THREAD_BUDGET, crew.THREAD_DOUBLED = 100_000, 500_000, 1
tasks, last, calls, record = int(sys.argv.pop(1)), int(sys.argv.pop(1)), 0, ledger.Ledger.record
def count(*event):
    global calls
    calls += 1
    if calls == last:
        os.kill(os.getpid(), signal.SIGKILL)
def count_after(*arguments):
    global tasks
    record(*arguments)
    tasks -= 1
    if tasks == 0:
        sys.setprofile(count)
ledger.Ledger.record = count_after
from dlx.__main__ import main
if tasks == 0:
    sys.setprofile(count)
status = main(sys.argv[1:])
sys.setprofile(None)
print(calls, file=sys.stderr)
sys.exit(status)
"""
"""The command; it is killed at some call or return of a function, counted from a task on."""


@pytest.mark.skipif(not COMPILED or os.name != "posix", reason="needs kernels that are fast")
@pytest.mark.parametrize("task", ["--count", "--all"])
def test_a_command_killed_at_random_moments_continues(path, tmp_path, task):
    """``FAULTS_KILLS=50`` kills the command 50 times before it may end."""
    file = tmp_path / "problem.dlx"
    file.write_text(problems.text(problems.langford(11)))
    rest = [str(file), task, "--ledger", str(path), "--quiet"]
    line = [sys.executable, "-c", COMMAND, "0", "0", *rest]
    draw = random.Random(None if KILLS else task)
    runs = [processes.run([*line, "--ledger", f"{path}.{number}"]) for number in range(3)]
    calls = min(int(run.stderr) for run in runs)  # one that compiles kernels has by far more
    ended = killed = 0
    for number in range(KILLS or 2):
        # while it starts, or after some tasks
        tasks = draw.randint(1, 5) if number % 2 else 0
        last = draw.randint(1, 1000 if tasks else calls)
        process = processes.run([sys.executable, "-c", COMMAND, str(tasks), str(last), *rest])
        killed += process.returncode == -signal.SIGKILL
        now = status(path).tasks_ended if path.exists() and path.stat().st_size else 0
        assert now >= ended
        ended = now
    assert ended > 0
    assert killed > 0
    done = processes.run(line)
    assert all(run.stdout == done.stdout for run in runs)
    assert task != "--count" or done.stdout == b"35584\n"


@pytest.mark.parametrize("ledger", [5, 1.5, [], b"\0", True])
def test_a_wrong_ledger_beside_a_folder_for_states_is_refused(ledger, tmp_path):
    with pytest.raises(ProblemError, match="it must be the path of a file"):
        dlx.count_solutions([[0]], ledger=ledger, spill=tmp_path / "states")


def test_a_ledger_and_a_folder_for_states(path, tmp_path, capsys):
    """Whichever method wins is recorded, and the same command continues."""
    searched, swept = tmp_path / "searched.dlx", tmp_path / "swept.dlx"
    searched.write_text(problems.text(problems.langford(8)))
    swept.write_text(problems.text(problems.matchings(18)))
    for file, total, is_begun in ((swept, 34459425, False), (searched, 300, True)):
        for _ in range(2):
            own = ["--ledger", str(path), "--spill", str(tmp_path / "states")]
            method = ["--method", "search"] if is_begun else []
            assert main([str(file), "--count", *(own[:2] if is_begun else own), *method]) == 0
            assert capsys.readouterr().out == f"{total}\n"
            assert path.exists() == is_begun
    assert main([str(searched), "--count", *own]) == 0
    assert capsys.readouterr().out == "300\n"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("UPDATE meta SET value = CAST(x'ff' AS TEXT)", "Could not decode to UTF-8"),
        ("DELETE FROM meta WHERE key = 'question'", "it has no question"),
        ("DELETE FROM meta WHERE key = 'sum'", "it has no sum"),
        ("ALTER TABLE meta RENAME COLUMN key TO lost", "no such column"),
    ],
)
def test_unreadable_ledgers_are_reported_as_damaged(change, fault, tmp_path):
    path, problem = tmp_path / "ledger", problems.langford(7)
    search = ParallelSearch(problem, ledger=path, jobs=1)
    assert search.count() == 52
    search.close()
    with closing(sqlite3.connect(path)) as base:
        base.execute(change)
        base.commit()
    with pytest.raises(StateError, match=f"^{path}: this ledger is damaged: {fault}"):
        dlx.count_solutions(problem, ledger=path)


def test_a_ledger_of_the_cheapest_has_no_status(path, tmp_path, capsys):
    file = tmp_path / "problem.dlx"
    file.write_text("a b\na |2\nb |3\na b |4\n")
    assert main([str(file), "--best", "--ledger", str(path)]) == 0
    capsys.readouterr()
    assert main(["--status", str(path)]) == 2
    text = f"dlx: {path}: this is a ledger of --best, or a saved search: no status\n"
    assert capsys.readouterr() == ("", text)
