"""Saved files: every state is restored, damaged files are refused, crafted files do no harm.

``FAULTS_EXAMPLES=10000 python -m pytest tests/faults/test_saved.py`` tries so many of each.
"""

import os
import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import dlx
from benchmarks import problems
from dlx import Count, StateError, container
from dlx.costs import saved as saved_costs
from dlx.costs.cheapest_kernel import LIMIT
from dlx.costs.driver import CheapestSearch
from dlx.count import saved as saved_counts
from dlx.search.counters import EXHAUSTED
from dlx.search.kernel import KERNELS
from tests.dlx.problems import random_problem, with_multiplicities

EXAMPLES = int(os.environ.get("FAULTS_EXAMPLES", "0"))
OLD_FILES = Path(__file__).parents[1] / "dlx" / "search" / "data"
QUEENS = problems.queens(6)
BOARD = problems.dominoes(6, 6)


def draws(number):
    """Return a random generator for each example; without FAULTS_EXAMPLES always the same."""
    if EXAMPLES:
        return [random.Random() for _ in range(EXAMPLES)]
    return [random.Random(seed) for seed in range(number)]


KINDS = [
    None,
    *(lambda n=n: problems.queens(n) for n in range(4, 8)),
    lambda: problems.latin(3),
    lambda: problems.set_partitions(4),
    lambda: dlx.Problem([["a"], ["b"], ["a", "b"]], primary=["a", "b"]),
]


def random_case(draw):
    """Return a problem of some kind; only random ones are made anew."""
    kind = draw.randrange(len(KINDS))
    return random_problem(draw.randrange(10**6)) if kind == 0 else of_kind(kind)


@cache
def of_kind(kind):
    return KINDS[kind]()


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_state_of_a_search_is_saved_and_loaded(kernel, tmp_path):
    for draw in draws(25):
        problem = random_case(draw)
        whole = list(dlx.Search(problem, kernel=kernel))
        with pytest.MonkeyPatch.context() as patch:  # slices stay as short as can be
            patch.setattr("dlx.search.driver.FIRST_BUDGET", 1)
            patch.setattr("dlx.search.driver.SLICE_SECONDS", -1)
            search = dlx.Search(problem, kernel=kernel)
            seen = []
            for _ in range(draw.randint(1, 8)):
                if draw.random() < 0.3:
                    search.time_limit = 1e-9  # one slice
                    seen += list(search)
                    search.time_limit = None
                else:
                    seen += [s for s in [next(search, None)] if s is not None]
                before = search.stats
                search.save(tmp_path / "saved")
                search = dlx.Search.load(tmp_path / "saved", problem)
                assert search.stats == before
        assert seen + list(search) == whole


def priced(problem, draw):
    """Return the problem with costs."""
    options = [problem.option(i) for i in range(problem.num_options)]
    names = problem.items[: problem.num_primary], problem.items[problem.num_primary :]
    costs = [draw.randint(-2, 30) for _ in options]
    return dlx.Problem(options, primary=names[0], secondary=names[1], costs=costs)


PRICED = priced(problems.matchings(8), random.Random(3))


def begun_count(problem, steps):
    """Return a count by sweep after some steps, which are small."""
    count = Count(problem, method="sweep", memory_limit=1 << 24)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("race", "driver"):
            patch.setattr(f"dlx.count.{module}.SLICE", 3000)
        patch.setattr("dlx.count.race.FIRST_SLICE", 3000)
        for _ in range(steps):
            count._advance()
    return count


def begun_cheapest(problem, steps):
    """Return a search for the two cheapest solutions after some steps, which are small."""
    search = CheapestSearch(problem, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dlx.costs.driver.SLICE_UPDATES", 20)
        patch.setattr("dlx.costs.driver.REPORT_SECONDS", 0.0)
        search.progress = lambda stats: search.stop()
        for _ in range(steps):
            search.run()
    search.progress = None
    return search


def saved_files(folder):
    """Return functions that read a file, and its bytes, by name."""
    files = {}
    for kernel in KERNELS:
        search = dlx.Search(QUEENS, kernel=kernel, given=[3] if kernel == "bits" else [])
        next(search, None)
        search.save(folder / kernel)
        files[kernel] = lambda path: dlx.Search.load(path, QUEENS)
    dlx.solution_set(QUEENS).save(folder / "set")
    files["set"] = lambda path: dlx.SolutionSet.load(path, QUEENS)
    begun_count(BOARD, 3).save(folder / "count")
    files["count"] = lambda path: Count.load(path, BOARD)
    begun_cheapest(PRICED, 5).save(folder / "cheapest")
    files["cheapest"] = lambda path: CheapestSearch.load(path, PRICED)
    return {name: (load, (folder / name).read_bytes()) for name, load in files.items()}


@pytest.mark.parametrize("name", [*KERNELS, "set", "count", "cheapest"])
def test_a_file_with_any_byte_changed_is_refused(name, tmp_path):
    load, data = saved_files(tmp_path)[name]
    path = tmp_path / "damaged"
    places = range(len(data)) if EXAMPLES else [*range(120), *range(120, len(data), 29)]
    draw = random.Random(1)
    for place in places:
        changed = bytearray(data)
        changed[place] ^= 1 << draw.randrange(8)
        path.write_bytes(changed)
        refused(load, path)
    for left in [*range(60), *range(60, len(data), 37)]:
        path.write_bytes(data[:left])
        refused(load, path)
    for more in (b"\0", data, b"x" * 3_000_000):
        path.write_bytes(data + more)
        refused(load, path)
    path.write_bytes(b"\0" * 100)
    refused(load, path)


def refused(load, path):
    with pytest.raises(StateError) as error:
        load(path)
    assert str(error.value).startswith(str(path)) and "\n" not in str(error.value)


def test_a_saved_file_of_another_kind_is_refused(tmp_path):
    files = saved_files(tmp_path)
    (tmp_path / "x").write_bytes(files["set"][1])
    with pytest.raises(StateError, match="a saved 'solution set', not a saved search"):
        dlx.Search.load(tmp_path / "x", QUEENS)
    (tmp_path / "x").write_bytes(files["bits"][1])
    with pytest.raises(StateError, match="a saved 'search', not a saved solution set"):
        dlx.SolutionSet.load(tmp_path / "x", QUEENS)
    with pytest.raises(StateError, match="of another problem"):
        dlx.Search.load(tmp_path / "bits", problems.queens(5))
    with pytest.raises(StateError, match="saved in format 4; this version reads 3"):
        changed = bytearray(files["links"][1])
        changed[8] = 4
        (tmp_path / "x").write_bytes(changed)
        dlx.Search.load(tmp_path / "x", QUEENS)


def crafted(array, draw):
    """Return a copy of an array with some values changed, of the same shape and type."""
    array = array.copy()
    flat = array.reshape(-1)
    for _ in range(draw.choice([1, 1, 2, 5])):
        if not len(flat):
            break
        place = draw.randrange(len(flat))
        if array.dtype.kind == "f":
            flat[place] = draw.choice([0.5, -1.0, np.nan, np.inf, 1e300])
            continue
        info = np.iinfo(array.dtype)
        value = int(flat[place])
        others = [0, 1, -1, 2, 4, value + 1, value - 1, value ^ 1 << draw.randrange(62)]
        others += [int(flat[draw.randrange(len(flat))]), info.max, info.min, value + 4, len(flat)]
        flat[place] = min(info.max, max(info.min, draw.choice(others)))
    return array


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_crafted_search_is_refused_or_searched_to_its_end(kernel, tmp_path):
    path = tmp_path / "saved"
    accepted = 0
    for draw in draws(200):
        problem = random_case(draw)
        if kernel == "bounds" and problem.num_options < 30 and draw.random() < 0.5:
            problem = with_multiplicities(problem, draw.randrange(10**6))
        search = dlx.Search(problem, kernel=kernel)
        for _ in range(draw.randint(0, 5)):
            next(search, None)
        search.save(path)
        values, arrays = container.read(path, "search", problem)
        name = draw.choice(list(arrays))
        if draw.random() < 0.1:
            key, value = draw.choice(
                [
                    ("kernel", "none"),
                    ("kernel", 5),
                    ("given", [-1]),
                    ("given", "x"),
                    ("given", [0, 1]),
                    ("seconds", -1),
                    ("seconds", "x"),
                    ("version", 99),
                ]
            )
            values = {**values, key: value}
        else:
            arrays = {**arrays, name: crafted(arrays[name], draw)}
        container.write(path, "search", problem, values, arrays)
        try:
            loaded = dlx.Search.load(path, problem)
        except StateError as error:
            assert "\n" not in str(error)
            continue
        accepted += 1
        loaded.count()
    print(f"{kernel}: {accepted} accepted")


def test_a_crafted_solution_set_is_refused_or_read(tmp_path):
    path = tmp_path / "saved"
    for draw in draws(200):
        problem = random_case(draw)
        dlx.solution_set(problem).save(path)
        values, arrays = container.read(path, "solution set", problem)
        name = draw.choice(list(arrays))
        values["count"] = draw.choice([values["count"], "1", "-1", 7, None])
        arrays = {**arrays, name: crafted(arrays[name], draw)}
        container.write(path, "solution set", problem, values, arrays)
        try:
            loaded = dlx.SolutionSet.load(path, problem)
        except StateError as error:
            assert "\n" not in str(error)
            continue
        for solution, _ in zip(loaded, range(20), strict=False):
            assert all(0 <= option < problem.num_options for option in solution)


def test_a_crafted_count_is_refused_or_counted_to_its_end(tmp_path):
    path = tmp_path / "saved"
    begun_count(BOARD, 3).save(path)
    values, arrays = container.read(path, saved_counts.KIND, BOARD)
    assert any(array.size for array in arrays.values())
    accepted = 0
    for draw in draws(20):
        name = draw.choice([name for name, array in arrays.items() if array.size])
        changed = {**arrays, name: crafted(arrays[name], draw)}
        container.write(path, saved_counts.KIND, BOARD, values, changed)
        try:
            loaded = Count.load(path, BOARD)
        except StateError as error:
            assert "\n" not in str(error)
            continue
        accepted += 1
        assert loaded.count() >= 0
    print(f"count: {accepted} accepted")


def test_a_crafted_search_for_the_cheapest_is_refused_or_searched_to_its_end(tmp_path):
    path = tmp_path / "saved"
    accepted = 0
    for draw in draws(100):
        problem = priced(random_case(draw), draw)
        begun_cheapest(problem, draw.randint(0, 30)).save(path)
        values, arrays = container.read(path, saved_costs.KIND, problem)
        name = draw.choice(list(arrays))
        changed = {**arrays, name: crafted(arrays[name], draw)}
        container.write(path, saved_costs.KIND, problem, values, changed)
        try:
            loaded = CheapestSearch.load(path, problem)
        except StateError as error:
            assert "\n" not in str(error)
            continue
        accepted += 1
        before = {found.solution for found in loaded.best}
        for found in loaded:
            assert problem.compatible(found.solution), before
        assert loaded.best == sorted(loaded.best)
    print(f"cheapest: {accepted} accepted")


@pytest.mark.parametrize("exhausted", [0, 1])
def test_a_limit_of_costs_without_a_solution_is_refused(exhausted, tmp_path):
    path = tmp_path / "saved"
    CheapestSearch(PRICED, 2).save(path)
    values, arrays = container.read(path, saved_costs.KIND, PRICED)
    arrays["counters"][LIMIT] -= 1
    arrays["counters"][EXHAUSTED] = exhausted
    container.write(path, saved_costs.KIND, PRICED, values, arrays)
    with pytest.raises(StateError):
        CheapestSearch.load(path, PRICED).run()


@pytest.mark.parametrize("kernel", ["bits", "links"])
def test_files_of_format_1_with_a_byte_changed_are_refused_or_read(kernel, tmp_path):
    data = (OLD_FILES / f"format-1-{kernel}.npz").read_bytes()
    path = tmp_path / "damaged"
    rest = len(list(dlx.Search.load(OLD_FILES / f"format-1-{kernel}.npz", problems.queens(5))))
    for draw in draws(300):
        changed = bytearray(data)
        changed[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(changed)
        try:
            loaded = dlx.Search.load(path, problems.queens(5))
        except StateError as error:
            assert "\n" not in str(error)
        else:
            assert len(list(loaded)) == rest


def test_a_saved_file_without_end_is_refused_in_bounded_memory():
    if not os.path.exists("/dev/zero"):
        pytest.skip("this system has no /dev/zero to read without end")
    for load in (dlx.Search.load, dlx.SolutionSet.load):
        with pytest.raises(StateError, match="not a saved"):
            load("/dev/zero", QUEENS)
