"""Saved searches: continued where they were, old files, refused files."""

from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import problems
from dlx import Problem, Search, StateError, container
from dlx.search.kernel import KERNELS
from tests.dlx.problems import small_problems

DATA = Path(__file__).parent / "data"
QUEENS = problems.queens(8)

each_kernel = pytest.mark.parametrize("kernel", KERNELS)


@settings(max_examples=60, deadline=None)
@given(small_problems(), st.data())
def test_stopped_restarted_saved_and_loaded(tmp_path_factory, problem, data):
    whole = list(Search(problem))
    search = Search(problem)
    seen = []
    for _ in range(4):
        for _ in range(data.draw(st.integers(0, 3))):
            seen += [solution for solution in [next(search, None)] if solution is not None]
        assert seen == whole[: search.stats.solutions]
        search.limit = data.draw(st.integers(0, 4)) + search.stats.solutions
        if data.draw(st.booleans()):
            path = tmp_path_factory.mktemp("saved") / "search"
            before = search.stats
            search.save(path)
            search = Search.load(path, problem)
            assert search.stats == before
    search.limit = None
    assert seen + list(search) == whole


@each_kernel
def test_a_saved_search_continues_where_it_was(kernel, tmp_path):
    path = tmp_path / "search.npz"
    whole = list(Search(QUEENS, given=[3], kernel=kernel))
    search = Search(QUEENS, given=[3], kernel=kernel)
    next(search)
    search.save(path)
    assert list(tmp_path.iterdir()) == [path]
    assert list(Search.load(path, QUEENS)) == whole[1:]
    assert Search.load(path, QUEENS).count() == len(whole)
    assert Search.load(path, QUEENS, limit=2).count() == 2
    assert next(search) == whole[1]  # to save a search does not change it


def test_a_search_of_many_levels_is_saved_and_loaded(tmp_path):
    problem = Problem([[k // 3] for k in range(3 * 700)])
    search = Search(problem, kernel="bits")
    next(search)
    search.save(tmp_path / "search")
    assert next(Search.load(tmp_path / "search", problem)) == next(search)


def test_givens_that_contradict_each_other_are_saved_too(tmp_path):
    search = Search(QUEENS, given=[0, 1])
    search.save(tmp_path / "search")
    assert list(Search.load(tmp_path / "search", QUEENS)) == []


@pytest.mark.parametrize("kernel", ["bits", "links"])
def test_files_of_format_1_are_read(kernel):
    """The files hold searches for 5 queens, saved by version 0.1.0 after three solutions."""
    search = Search.load(DATA / f"format-1-{kernel}.npz", problems.queens(5))
    nodes, updates = {"bits": (7, 38), "links": (17, 177)}[kernel]
    assert search.stats[:3] == (3, nodes, updates) and search.stats.kernel == kernel
    whole = Search(problems.queens(5), kernel=kernel)
    assert list(search) == list(whole)[3:]
    assert search.stats[:3] == whole.stats[:3]


def test_a_file_holds_only_what_the_search_changes(tmp_path):
    Search(QUEENS, kernel="bits").save(tmp_path / "search")
    _, arrays = container.read(tmp_path / "search", "search", QUEENS)
    assert set(arrays) == {
        "pending",
        "state_rows",
        "state_branch",
        "state_untried",
        "state_share",
        "state_counters",
    }


@pytest.mark.parametrize(
    ("values", "arrays", "message"),
    [
        ({"version": 2}, {}, "another version of the kernel"),
        ({"kernel": "cells"}, {}, "no kernel 'cells' for this problem"),
        ({"kernel": None}, {}, "damaged"),
        ({"given": [64]}, {}, "damaged"),
        ({"seconds": -1}, {}, "damaged"),
        ({"seconds": 10**400}, {}, "damaged"),
        ({"pending": 3}, {}, "damaged"),
        ({"state_size": 5}, {}, "another version of the kernel"),
        ({}, {"pending": np.full((1, 8), 64, np.int32)}, "damaged"),
        ({}, {"pending": np.zeros((0, 9), np.int32)}, "damaged"),
        ({}, {"state_size": np.zeros(3, np.int64)}, "another version of the kernel"),
        ({}, {"state_size": np.zeros(46, np.int32)}, "another version of the kernel"),
        (
            {},
            {"state_counters": np.full(8, 1 << 62)},
            "no search of this problem reaches the saved state",
        ),
    ],
)
def test_files_that_do_not_fit_are_refused(values, arrays, message, tmp_path):
    path = tmp_path / "search"
    Search(QUEENS, kernel="links").save(path)
    own_values, own_arrays = container.read(path, "search", QUEENS)
    own_arrays = {name: array for name, array in own_arrays.items() if name not in values}
    container.write(path, "search", QUEENS, own_values | values, own_arrays | arrays)
    with pytest.raises(StateError, match=f"search: .*{message}"):
        Search.load(path, QUEENS)


def test_givens_that_conflict_have_found_no_solutions(tmp_path):
    path, problem = tmp_path / "search", Problem([["a"], ["a"]])
    Search(problem, given=[0, 1]).save(path)
    values, arrays = container.read(path, "search", problem)
    container.write(path, "search", problem, values, arrays | {"pending": np.zeros((5, 0), "i4")})
    with pytest.raises(StateError, match="damaged"):
        Search.load(path, problem)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": np.array(3)}, "saved in format 3; 1 to 3 can be read"),
        ({"format": np.array("x")}, "not a saved search"),
        ({"problem": np.zeros(32, np.uint8)}, "of another problem"),
        ({"state_size": np.zeros(3, np.int64)}, "another version of the kernel"),
    ],
)
def test_archives_that_do_not_fit_are_refused(changes, message, tmp_path):
    path = tmp_path / "search"
    with np.load(DATA / "format-1-links.npz") as archive:
        data = {name: changes.get(name, archive[name]) for name in archive.files}
    with path.open("wb") as file:
        np.savez(file, **data)
    with pytest.raises(StateError, match=f"search: .*{message}"):
        Search.load(path, problems.queens(5))


def test_an_archive_with_a_field_that_is_no_array_is_refused(tmp_path):
    path = tmp_path / "search"
    with ZipFile(DATA / "format-1-links.npz") as source, ZipFile(path, "w") as copy:
        for name in source.namelist():
            copy.writestr(name, b"size" if name == "state_size.npy" else source.read(name))
    with pytest.raises(StateError, match="another version of the kernel"):
        Search.load(path, problems.queens(5))


def test_files_that_are_no_saved_search_are_refused(tmp_path):
    path = tmp_path / "search"
    Search(QUEENS).save(path)
    with pytest.raises(StateError, match="of another problem"):
        Search.load(path, problems.queens(9))
    whole = path.read_bytes()
    for data in (b"", b"nonsense", whole[: len(whole) // 2]):
        path.write_bytes(data)
        with pytest.raises(StateError, match=r"not a saved search|damaged"):
            Search.load(path, QUEENS)
    with pytest.raises(FileNotFoundError):
        Search.load(tmp_path / "none", QUEENS)
    with pytest.raises(OSError, match="none/search: cannot be written: No such"):
        Search(QUEENS).save(tmp_path / "none" / "search")
