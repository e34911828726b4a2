"""The folder of compiled code: shared by processes, read-only, full, damaged, or nowhere."""

import ast
import importlib
import os
import shutil
import sys

import pytest

from tests.faults import commands
from tests.faults.commands import Command
from tests.modes import COMPILED

if sys.platform != "linux":
    pytest.skip(
        "these tests take permissions and capabilities away, as only Linux can",
        allow_module_level=True,
    )

# compiles only the kernel that is asked for
QUICK = Command("dlx", ("{problem}", "--kernel", "links", "--quiet"), separator=b"\n\n")
# Start a process for which the modes of files hold, even if its user is root: prctl(2) takes away
# the capabilities to ignore them. It imports next to nothing before.
AS_USER = """
import ctypes, os, sys
DROP, OVERRIDE, SEARCH = 24, 1, 2
for capability in (OVERRIDE, SEARCH):
    ctypes.CDLL(None).prctl(DROP, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
# A process that compiles does so as users' processes do: bounds checks double the time, and the
# tests that count their answers have them.
UNCHECKED = {"NUMBA_BOUNDSCHECK": None}


@pytest.fixture
def answer(tmp_path):
    status, out, err = commands.run(QUICK.line(tmp_path))
    assert status == 0, err
    return out


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Let two processes fill an empty cache folder at once; return it, and what they answer."""
    tmp_path = tmp_path_factory.mktemp("compiled")
    folder = tmp_path / "filled"
    environment = UNCHECKED | {"NUMBA_CACHE_DIR": folder}
    both = [commands.start(QUICK.line(tmp_path), environment=environment) for _ in range(2)]
    answers = [process.communicate(timeout=commands.LONG) for process in both]
    return folder, [(p.returncode, *own) for p, own in zip(both, answers, strict=True)]


@pytest.fixture
def filled(tmp_path, compiled):
    """Return a copy of that folder."""
    return shutil.copytree(compiled[0], tmp_path / "filled")


def test_processes_that_fill_an_empty_cache_at_once_agree(tmp_path, answer, compiled):
    folder, answers = compiled
    assert answers == [(0, answer, b"")] * 2
    environment = UNCHECKED | {"NUMBA_CACHE_DIR": folder}
    again = commands.run(QUICK.line(tmp_path), environment=environment)
    assert again == (0, answer, "")


def test_a_read_only_cache_is_used_or_its_fault_is_reported(tmp_path, answer, filled):
    empty = tmp_path / "empty"
    empty.mkdir()
    other = shutil.copytree(filled, tmp_path / "other")  # what it holds is of other kernels
    for path in other.rglob("*.nb?"):
        path.rename(path.with_name(path.name.replace("kernel", "other")))
    paths = [path for cache in (empty, filled, other) for path in (cache, *cache.rglob("*"))]
    folders = [path for path in paths if path.is_dir()]
    for folder in folders:
        folder.chmod(0o500)
    line = QUICK.line(tmp_path)
    try:
        assert confined(line, filled) == (0, answer, "")
        for folder in (empty, other):
            status, out, err = confined(line, folder)
            # numba may find another folder that it can write
            reported = status == 2 and commands.is_one_line(err) and "NUMBA_CACHE_DIR" in err
            assert (out == b"" and reported) or (status == 0 and len(out) == len(answer))
    finally:
        for folder in folders:
            folder.chmod(0o700)


def confined(line, cache):
    """Run a process for which the modes of files hold."""
    return commands.run(
        [sys.executable, "-c", AS_USER, *line[1:]],
        environment=UNCHECKED | {"NUMBA_CACHE_DIR": cache},
    )


def test_no_home_folder_is_needed(tmp_path, answer):
    for home in (None, "/dev/null"):
        done = commands.run(QUICK.line(tmp_path), environment={"HOME": home})
        assert done == (0, answer, "")


def test_without_any_folder_the_answer_comes_with_one_warning(tmp_path, answer):
    code = (
        "from numba.core.caching import CompileResultCacheImpl as kept; kept._locator_classes = []"
        "; import runpy; runpy.run_module('dlx', run_name='__main__', alter_sys=True)"
    )
    _, _, _, *arguments = QUICK.line(tmp_path)
    line = [sys.executable, "-c", code, *arguments]
    status, out, err = commands.run(line, environment=UNCHECKED)
    assert (status, out) == (0, answer)
    assert commands.is_one_line(err) and err.startswith("warning: no folder for compiled code")


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [0, 100])
def test_a_damaged_cache_is_reported_or_repaired(kind, left, tmp_path, answer, filled):
    for path in filled.rglob(f"*.{kind}"):
        os.truncate(path, left)
    environment = UNCHECKED | {"NUMBA_CACHE_DIR": filled}
    status, out, err = commands.run(QUICK.line(tmp_path), environment=environment)
    if status == 0:
        assert (out, err) == (answer, "")
    else:
        assert (status, out) == (2, b"") and commands.is_one_line(err), err
        assert str(filled) in err


def test_a_file_in_the_place_of_the_cache_folder_is_reported(tmp_path, answer):
    (tmp_path / "file").write_text("no folder")
    folder = {"NUMBA_CACHE_DIR": tmp_path / "file" / "cache"}
    status, out, err = commands.run(QUICK.line(tmp_path), environment=folder)
    reported = status == 2 and commands.is_one_line(err)
    assert (out == b"" and reported) or (status, out, err) == (0, answer, "")


CALL = """
import numpy as np
from dlx.count.order_kernel import invariant

print(invariant(np.arange(5, dtype=np.uint64)), len(invariant.stats.cache_hits))
"""


def test_an_edited_constant_of_a_kernel_is_noticed(tmp_path):
    """In a copy of the package: what is compiled is loaded again, but not after an edit."""
    copy = tmp_path / "dlx"
    shutil.copytree(commands.ROOT / "dlx", copy, ignore=shutil.ignore_patterns("__pycache__"))
    own = UNCHECKED | {"NUMBA_CACHE_DIR": tmp_path / "cache", "PYTHONPATH": tmp_path}

    def ask():
        line = [sys.executable, "-c", CALL]
        status, out, err = commands.run(line, environment=own, cwd=tmp_path)
        assert (status, err) == (0, "")
        return out.split()

    before, compiled = ask()
    assert compiled == b"0" and ask() == [before, b"1"]
    path = copy / "count" / "order_kernel.py"
    text = path.read_text()
    path.write_text(text.replace("SUMMED = (1 << 40) - 1", "SUMMED = (1 << 41) - 1"))
    assert path.read_text() != text
    after, compiled = ask()
    assert compiled == b"0" and after != before


# numba's cache does not notice an edit of these files in the kernels that import from them
# (CONTRIBUTING.md); all other kernels freeze names of their own file only
IMPORTED = {
    "dlx.costs.cheapest_kernel": {"dlx.search.counters"},
    "dlx.count.layers_kernel": {"dlx.compiled.instructions", "dlx.count.sweep_kernel"},
    "dlx.count.order_kernel": {
        *("dlx.compiled.instructions", "dlx.count.mask_kernel", "dlx.count.sweep_kernel"),
    },
    "dlx.count.rounds_kernel": {
        *("dlx.compiled.atomics", "dlx.compiled.instructions", "dlx.count.sweep_kernel"),
    },
    "dlx.count.sweep_kernel": {"dlx.compiled.instructions"},
    "dlx.count.symmetry_kernel": {"dlx.count.order_kernel"},
    "dlx.search.bits_kernel": {
        *("dlx.compiled.instructions", "dlx.search.counters", "dlx.search.vectors"),
    },
    "dlx.search.bounds_kernel": {
        *("dlx.compiled.instructions", "dlx.search.counters", "dlx.search.endgame_kernel"),
    },
    "dlx.search.branch_kernel": {
        *("dlx.search.bits_kernel", "dlx.search.links_kernel"),
        *("dlx.compiled.instructions", "dlx.search.counters", "dlx.search.vectors"),
    },
    "dlx.search.endgame_kernel": {"dlx.compiled.instructions"},
    "dlx.search.links_kernel": {"dlx.search.counters"},
    "sudoku.kernels.classic": {
        *("sudoku.kernels.bit_planes", "dlx.compiled.instructions"),
        *("sudoku.kernels.lanes", "sudoku.kernels.vectors"),
    },
    "sudoku.kernels.houses": {
        *("dlx.compiled.instructions", "sudoku.kernels.lanes", "sudoku.kernels.vectors"),
    },
    "sudoku.kernels.lanes": {"dlx.compiled.instructions", "sudoku.kernels.kernel"},
    "sudoku.kernels.masks": {"dlx.compiled.instructions", "sudoku.kernels.kernel"},
    "sudoku.kernels.removal": {
        *("sudoku.kernels.bit_planes", "sudoku.kernels.classic", "sudoku.kernels.lanes"),
        *("dlx.compiled.instructions", "sudoku.kernels.vectors"),
    },
}


def imported_names(path):
    """Return which module of the project each imported name of a file comes from."""
    return {
        alias.asname or alias.name: node.module
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("dlx", "sudoku"))
        for alias in node.names
    }


def names_in(code):
    """Return the global names that a function uses, those of functions within it included."""
    inner = [const for const in code.co_consts if hasattr(const, "co_names")]
    return set(code.co_names).union(*map(names_in, inner))


def frozen(module, path):
    """Return the other modules from which compiled functions of a module freeze names."""
    imported = imported_names(path)
    functions = [
        value.py_func
        for value in vars(module).values()
        if hasattr(value, "py_func") and value.py_func.__module__ == module.__name__
    ]
    used = set().union(*(names_in(function.__code__) for function in functions))
    return {imported[name] for name in used & imported.keys()}


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_kernels_freeze_constants_of_their_own_file():
    found = {}
    for path in [*commands.ROOT.glob("dlx/**/*.py"), *commands.ROOT.glob("sudoku/**/*.py")]:
        if "from dlx.compiled import" in path.read_text():
            name = ".".join(path.relative_to(commands.ROOT).with_suffix("").parts)
            found[name] = frozen(importlib.import_module(name), path)
    assert {"dlx.logic.chains", "dlx.logic.subsets"} <= found.keys()
    for name, modules in found.items():
        assert modules <= IMPORTED.get(name, set()), name
