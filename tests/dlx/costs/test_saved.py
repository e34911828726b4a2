"""Saved searches for the cheapest solutions: they continue as if nothing had happened."""

import os
import signal
import sys
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
from dlx import Problem, StateError, container
from dlx.__main__ import main
from dlx.costs import saved
from dlx.costs.cheapest_kernel import INFINITE, LIMIT
from dlx.costs.driver import CheapestSearch
from dlx.parallel.ledger import lock
from dlx.search.counters import EXHAUSTED, LEVEL
from tests import processes
from tests.dlx.conftest import Clock
from tests.dlx.problems import bounded_problems, small_problems
from tests.modes import examples, kernel, long

pytestmark = kernel


def priced(problem, costs):
    return Problem.from_arrays(
        problem.start,
        problem.item,
        problem.colour,
        num_primary=problem.num_primary,
        num_secondary=problem.num_secondary,
        items=problem.items,
        colours=problem.colours,
        costs=costs,
        multiplicities=problem.multiplicities or None,
    )


def pairs(n=12):
    costs = np.random.default_rng(2).integers(1, 1000, n * (n - 1) // 2).tolist()
    return Problem([(a, b) for a in range(n) for b in range(a)], costs=costs)


def advance(search, slices):
    """Continue for so many slices."""
    for _ in range(slices):
        search.progress = lambda stats: search.stop()
        search.run()
    search.progress = None


@settings(max_examples=examples(40), deadline=None)
@given(problem=st.one_of(small_problems(), bounded_problems()), data=st.data())
def test_saving_and_loading_change_nothing(tmp_path_factory, problem, data):
    n = problem.num_options
    costs = data.draw(st.lists(st.integers(-3, 20), min_size=n, max_size=n))
    problem = priced(problem, costs)
    k = data.draw(st.integers(1, 4))
    path = tmp_path_factory.mktemp("saved") / "search"
    whole = CheapestSearch(problem, k)
    expected = list(whole)
    search = CheapestSearch(problem, k)
    seen = []
    for _ in range(data.draw(st.integers(1, 4))):
        seen += [found for found in [next(search, None)] if found is not None]
        search.save(path)
        search = CheapestSearch.load(path, problem)
    assert seen + list(search) == expected
    assert search.best == whole.best and search.stats.nodes == whole.stats.nodes


def test_a_search_saved_after_each_slice_takes_the_same_nodes(tmp_path, monkeypatch):
    monkeypatch.setattr("dlx.costs.driver.SLICE_UPDATES", 400)
    monkeypatch.setattr("dlx.costs.driver.REPORT_SECONDS", 0.0)
    problem = pairs()
    whole = CheapestSearch(problem)
    whole.run()
    search = CheapestSearch(problem)
    times = 0
    while not search._state.counters[EXHAUSTED]:
        advance(search, 3)
        search.save(tmp_path / "search")
        search = CheapestSearch.load(tmp_path / "search", problem)
        times += 1
    assert times > 5
    assert search.best == whole.best and search.stats[:3] == whole.stats[:3]
    assert search.lower_bound == whole.lower_bound == search.best[0].cost


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Values and arrays of a search that has been stopped in its midst."""
    problem = pairs(10)
    path = tmp_path_factory.mktemp("saved") / "search"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dlx.costs.driver.SLICE_UPDATES", 100)
        patch.setattr("dlx.costs.driver.REPORT_SECONDS", 0.0)
        search = CheapestSearch(problem, 2)
        next(search)
        while search._state.counters[LEVEL] < 2:
            advance(search, 1)
            assert search.status == "stopped"
    search.save(path)
    return problem, *container.read(path, saved.KIND, problem)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 1},
        {"k": 0},
        {"given": [999]},
        {"given": 5},
        {"seconds": -1.0},
        {"best": [[0]]},
        {"best": [[1, 0]]},
        {"best": "x"},
        {"order": lambda order: order[::-1]},
        {"order": lambda order: order[:-1]},
        {"order": lambda order: np.zeros_like(order)},
        {"price": lambda price: price + (1 << 62)},
        {"price": lambda price: np.full_like(price, -(2**63))},
        {"direction": lambda direction: direction * np.nan},
        {"best_price": lambda price: price + (1 << 61)},
        {"alive": lambda alive: alive - 500},
        {"alive": lambda alive: alive + 500},
        {"lower": lambda lower: lower * 0 + (1 << 62)},
        {"lower": lambda lower: lower + (1 << 40)},
        {"chosen": lambda chosen: chosen[::-1]},
        {"chosen": lambda chosen: chosen + 1000},
        {"walk": lambda walk: walk - 10**6},
        {"pace": lambda pace: pace * np.inf},
        {"counters": lambda counters: counters + 50},
        {"counters": lambda counters: counters - 50},
        {"counters": lambda counters: np.where(np.arange(8) == LIMIT, INFINITE + 1, counters)},
        {"counters": None},
    ],
    ids=str,
)
def test_files_by_hand_are_refused_in_one_line(parts, change, tmp_path):
    problem, values, arrays = parts[0], dict(parts[1]), dict(parts[2])
    for name, new in change.items():
        if name in values:
            values[name] = new
        elif new is None:
            del arrays[name]
        else:
            arrays[name] = np.ascontiguousarray(new(arrays[name]))
    container.write(tmp_path / "search", saved.KIND, problem, values, arrays)
    with pytest.raises(StateError) as error:
        CheapestSearch.load(tmp_path / "search", problem)
    assert "\n" not in str(error.value)


def test_files_of_other_problems_and_kinds_are_refused(tmp_path):
    CheapestSearch(pairs(8)).save(tmp_path / "search")
    with pytest.raises(StateError, match="of another problem"):
        CheapestSearch.load(tmp_path / "search", pairs(10))
    cheaper = pairs(8)
    cheaper = priced(cheaper, [cost - 1 for cost in cheaper.costs])
    with pytest.raises(StateError, match="this search is for other costs"):
        CheapestSearch.load(tmp_path / "search", cheaper)
    with pytest.raises(StateError, match="not a saved search"):
        dlx.Search.load(tmp_path / "search", pairs(8))
    dlx.Search(pairs(8)).save(tmp_path / "other")
    with pytest.raises(StateError, match="not a saved search for the cheapest"):
        CheapestSearch.load(tmp_path / "other", pairs(8))


def test_the_command_continues_from_its_ledger(tmp_path, capsys, monkeypatch):
    path, ledger = tmp_path / "problem", str(tmp_path / "ledger")
    path.write_text(dlx.dumps(pairs()))
    assert main([str(path), "--best", "2", "--quiet"]) == 0
    expected = capsys.readouterr().out
    monkeypatch.setattr("dlx.costs.driver.SLICE_UPDATES", 2000)
    command = [str(path), "--best", "2", "--ledger", ledger]
    (tmp_path / "ledger").touch()  # an empty file is a new ledger
    assert main([*command, "--time-limit", "0"]) == 1
    assert capsys.readouterr().err.startswith("no solution found")
    assert main([*command, "--time-limit", "1e-6", "--quiet"]) == 1
    capsys.readouterr()
    assert main([*command, "--quiet"]) == 0
    assert capsys.readouterr().out == expected

    def advance(state, budget):
        assert budget == 0  # nothing is left to search

    monkeypatch.setattr("dlx.costs.cheapest_kernel.advance", advance)
    assert main([*command, "--quiet"]) == 0
    assert capsys.readouterr().out == expected
    assert main([str(path), "--best", "3", "--ledger", ledger]) == 2
    assert capsys.readouterr().err == f"dlx: {ledger}: this search is for --best 2\n"
    assert main([str(path), "--best", "2", "--ledger", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"dlx: {tmp_path}: is a folder; a file is needed\n"
    for task in ("--count", "--status"):
        others = [str(path), task, "--ledger", ledger] if task == "--count" else [task, ledger]
        assert main(others) == 2
        assert capsys.readouterr().err.count("\n") == 1


KILLED = """
import os, signal, sys
from dlx import __main__ as command, files
from dlx.costs import driver
driver.SLICE_UPDATES, driver.REPORT_SECONDS, command.RECORD_SECONDS = 500, 0.0, 0.0
left, moment, commit = int(sys.argv.pop(1)), sys.argv.pop(1), files.NewFile.commit
def dying(file):
    global left
    left -= 1
    if left == 0 and moment != "after":
        file.stream.flush()
        if moment == "amid":
            os.truncate(file.stream.name, os.path.getsize(file.stream.name) // 2)
        os.kill(os.getpid(), signal.SIGKILL)
    commit(file)
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
files.NewFile.commit = dying
sys.exit(command.main(sys.argv[1:]))
"""
"""The command; it is killed when the ledger is saved for this time, at this moment of it."""


@long
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.parametrize("moment", ["amid", "before", "after"])
def test_a_command_that_is_killed_while_it_saves_continues(moment, tmp_path):
    """Killed in every save, the second or a later one, so that it makes progress."""
    path, ledger = tmp_path / "problem", tmp_path / "ledger"
    path.write_text(dlx.dumps(pairs()))
    rest = [str(path), "--best", "2", "--quiet"]
    expected = processes.run([sys.executable, "-m", "dlx", *rest]).stdout
    problem, work, kills = dlx.read(path), 0, 0
    while True:
        line = [sys.executable, "-c", KILLED, str(2 + 2 * kills), moment, *rest]
        done = processes.run([*line, "--ledger", str(ledger)])
        if done.returncode != -signal.SIGKILL:
            break
        kills += 1
        before, work = work, CheapestSearch.load(ledger, problem).stats.updates
        assert work > before
    assert kills > 2
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")


def test_a_search_that_ends_early_reports_its_bounds(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("dlx.costs.driver.SLICE_UPDATES", 100)
    monkeypatch.setattr(CheapestSearch, "clock", staticmethod(Clock().perf_counter))
    path = tmp_path / "problem"
    path.write_text(dlx.dumps(pairs()))
    search = CheapestSearch(dlx.read(path), 3)
    cost = next(search).cost
    limit = f"{search.stats.seconds - 0.005:.3f}"  # the slice that finds it is begun, and no other
    assert main([str(path), "--best", "3", "--time-limit", limit]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"| cost {cost}\n") and out.count("|") == 1 + 6
    known, summary = err.splitlines()
    lower, gap = search.lower_bound, search.gap
    assert lower + gap == cost
    assert known == f"cheapest solution found costs {cost}, none less than {lower}, gap {gap}"
    assert summary.endswith(", stopped: time limit")


def test_one_process_at_a_time_has_the_ledger_of_the_command(tmp_path, capsys):
    path, ledger = tmp_path / "problem", str(tmp_path / "ledger")
    path.write_text(dlx.dumps(pairs()))
    command = [str(path), "--best", "1", "--ledger", ledger, "--quiet"]
    with closing(lock(ledger)):
        assert main(command) == 2
    fault = f"dlx: {ledger}: in use by another process; one process at a time\n"
    assert capsys.readouterr() == ("", fault)
    assert main(command) == 0
