"""Memory: limits of control groups and of the address space; what is given back; threads."""

import resource
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import dlx
from benchmarks import problems
from dlx import Count
from dlx.count import memory
from dlx.count.memory import MemoryAccount
from dlx.count.numbering import canonical
from dlx.count.race import whole_count
from tests.dlx.unions import disjoint_union
from tests.modes import compiled


@pytest.fixture
def cgroups(tmp_path, monkeypatch):
    """An empty tree of control groups; the process is in none."""
    monkeypatch.setattr(memory, "CGROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "OWN_CGROUP", tmp_path / "own")
    (tmp_path / "own").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("own", "file"),
    [
        ("0::/user/job\n", "user/job/memory.max"),
        ("0::/user/job\n", "user/memory.max"),
        ("0::/of/the/host\n", "memory.max"),
        ("5:cpu,memory:/job\n0::/\n", "memory/job/memory.limit_in_bytes"),
    ],
)
def test_limits_of_control_groups(cgroups, own, file):
    (cgroups / "own").write_text(own)
    before = memory.machine_memory()
    (cgroups / "cgroup" / file).parent.mkdir(parents=True)
    (cgroups / "cgroup" / file).write_text("max\n")
    assert memory.machine_memory() == before
    (cgroups / "cgroup" / file).write_text("12345678\n")
    assert memory.machine_memory() == 12345678


def test_the_limit_of_the_address_space(cgroups, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda which: (7_000_000, 9_000_000))
    assert memory.machine_memory() == 7_000_000


def test_a_limit_beyond_the_address_space_is_lowered(cgroups, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda which: (700 << 20, 900 << 20))
    assert memory.as_available(1 << 30) == 300 << 20
    assert memory.as_available(1 << 20) == 1 << 20
    assert memory.as_available(None) == 175 << 20
    monkeypatch.setattr(resource, "getrlimit", lambda which: (500 << 20, 900 << 20))
    assert memory.as_available(1 << 30) == 125 << 20


def test_the_memory_of_a_system_that_reports_none(cgroups, monkeypatch):
    monkeypatch.delattr(memory.os, "sysconf")
    assert memory.machine_memory() <= memory.UNKNOWN_MEMORY


@compiled
def test_components_share_one_account_and_give_back():
    problem = disjoint_union(problems.latin(5), problems.dominoes(8, 8), problems.matchings(12))
    account = MemoryAccount(1 << 22)
    count = whole_count(problem, (), "sweep", account, Count([["a"]])._search)
    most = 0
    while not count.ended:
        count.advance(1_000_000)
        most = max(most, account.used)
    assert count.num_solutions == 161_280 * 12_988_816 * 10_395
    assert most < 1.25 * account.limit
    count.release()
    assert account.used == 0


@compiled
def test_little_memory_for_many_components():
    problem = disjoint_union(*[problems.latin(4)] * 3, problems.dominoes(6, 6))
    assert dlx.count_solutions(problem, method="sweep", memory_limit=400_000) == 576**3 * 6728
    assert canonical(problem).num_options == problem.num_options


@compiled
def test_a_count_that_is_short_of_memory_says_so(tmp_path):
    in_portions = Count(problems.latin(5), method="sweep", memory_limit=300_000)
    assert in_portions.count() == 161_280
    in_portions.save(tmp_path / "count")
    without_sweep = Count(problems.dominoes(8, 8), memory_limit=2000)
    assert without_sweep.count() == 12_988_816
    loaded = Count.load(tmp_path / "count", problems.latin(5))
    short = in_portions.stats, without_sweep.stats, loaded.stats
    assert [stats.kernel for stats in short] == ["sweep", "bits", "sweep"]
    assert all(stats.short_of_memory for stats in short)
    plenty = Count(problems.latin(5), method="sweep")
    assert plenty.count() == 161_280 and not plenty.stats.short_of_memory


@pytest.mark.parametrize("states", [1, 1000, 32 << 20, (32 << 20) + 1, 1 << 30, 10**10 + 1])
def test_the_limit_for_some_states_is_the_least_one(states):
    limit = memory.limit_for(states)
    assert memory.states_limit(limit) >= states > memory.states_limit(limit - 1)


def test_a_part_of_large_limits_is_left_to_the_interpreter():
    assert [memory.states_limit(n << 20) for n in (1, 32, 128, 192, 476, 1076)] == [
        n << 20 for n in (1, 32, 32, 32, 150, 450)
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="the pieces of memory are in /proc on Linux")
def test_many_arrays_with_pages_of_their_own_are_few_pieces_of_memory():
    # beyond 65,530 pieces Linux refuses any further memory
    maps = Path("/proc/self/maps")
    before = len(maps.read_text().splitlines())
    arrays = [memory.zeros((1 << 13,), np.uint64) for _ in range(200)]
    assert len(maps.read_text().splitlines()) - before < 100
    assert not any(array.any() for array in arrays)


def test_calls_by_all_threads():
    for jobs in (1, 2, 5, 50):
        account = MemoryAccount(0, jobs)
        assert account.each(str, []) == []
        assert account.each(str, [5]) == ["5"]
        assert account.each(str, range(100)) == [str(number) for number in range(100)]


@pytest.mark.parametrize("bad", [0, 2])
def test_if_a_call_fails_the_others_end_before_the_error_is_raised(bad):
    def call(number):
        if number == bad:
            failed.set()
            raise ValueError(number)
        assert failed.wait(60)
        ended.append(number)

    failed, ended = threading.Event(), []
    with pytest.raises(ValueError, match=str(bad)):
        MemoryAccount(0, 2).each(call, range(3))
    assert len(ended) == 2


def test_threads_are_at_most_eight():
    account, before = MemoryAccount(0, 100), set(threading.enumerate())
    assert account.workers() is account.workers()
    assert len(set(threading.enumerate()) - before) == 7


def test_a_name_of_a_control_group_that_is_no_text_is_no_fault(cgroups):
    (cgroups / "own").write_bytes(b"0::/\xff\n")
    assert memory.machine_memory() == min([memory._physical_memory(), *memory._address_space()])
