"""Imports between files: no cycles, few files in roots, and the contracts of pyproject.toml.

Read from the source; imports for types alone and imports inside functions count.
"""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("benchmarks", "dlx", "sudoku")
TESTS = sorted((ROOT / "tests").rglob("*.py"))
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]

BREACHES = {
    "The engine never imports sudoku": ("dlx/errors.py", "import sudoku.errors"),
    "Sudoku never imports benchmarks": ("sudoku/errors.py", "import benchmarks.problems"),
    "Layers of dlx, highest first": ("dlx/problem.py", "import dlx.solver"),
    "Layers of sudoku, highest first": ("sudoku/layout.py", "import sudoku.batch"),
    "Only commands import the shell": ("sudoku/grids/__init__.py", "import sudoku.shell.output"),
    "Kernels import numpy, numba and kernels": ("sudoku/kernels/__init__.py", "import dlx.errors"),
}
"""For each contract a file, and a line that breaks the contract when it is added to that file."""


def module_name(path, root=ROOT):
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports_in(path):
    """The statements of a file that import something."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def imported(path, modules=()):
    """The modules that a file imports; a name imported from a package counts as its module."""
    found = set()
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        else:
            assert not node.level, f"{path}: relative import"
            names = {f"{node.module}.{name.name}" for name in node.names}
            found |= names & set(modules) or {node.module}
    return found


def graph_of_imports():
    """For each module of the packages the modules that it imports."""
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    modules = {module_name(path): path for path in paths}
    return {name: imported(path, modules) & modules.keys() for name, path in modules.items()}


def test_there_are_no_import_cycles():
    graph = graph_of_imports()
    assert len(graph) > 80
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("circle of imports: " + " <- ".join(error.args[1]))


def test_the_contract_for_kernels_names_every_file_with_compiled_functions():
    named = next(c["modules"] for c in CONTRACTS if c["type"] == "imports_only")
    modules = {module_name(path): path for p in PACKAGES for path in (ROOT / p).rglob("*.py")}
    compiled = [
        name
        for name, path in modules.items()
        if re.search(
            r"^(from dlx\.compiled import| *@(njit|intrinsic)\b)",
            path.read_text(encoding="utf-8"),
            re.M,
        )
    ]
    assert [name for name in named if name not in modules] == []
    assert len(compiled) > 5
    for name in compiled:
        assert name in named or name.rpartition(".")[0] in named


def test_the_subpackages_stand_on_at_most_eight_floors():
    floors = [len(contract["layers"]) for contract in CONTRACTS if contract["type"] == "layers"]
    assert len(floors) == 2
    assert max(floors) <= 8


@pytest.mark.parametrize("package", ["dlx", "sudoku"])
def test_at_most_a_dozen_files_in_the_root_of_a_package(package):
    assert len([path for path in (ROOT / package).iterdir() if path.is_file()]) <= 12


def test_no_test_imports_another_test():
    tests = {module_name(path) for path in TESTS if path.name.startswith("test_")}
    helpers = {module_name(path) for path in TESTS} - tests
    found = [(path, name) for path in TESTS for name in imported(path, tests | helpers) & tests]
    assert len(tests) > 20
    assert found == []


def test_tests_of_dlx_do_not_import_sudoku():
    files = [path for path in TESTS if (ROOT / "tests/dlx") in path.parents]
    files += [ROOT / "benchmarks/problems.py", ROOT / "tests/naive.py", ROOT / "tests/modes.py"]
    found = [path for path in files for name in imported(path) if name.split(".")[0] == "sudoku"]
    assert len(files) > 10
    assert found == []


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of all that import-linter reads."""
    pytest.importorskip("importlinter")
    folder = tmp_path_factory.mktemp("copy")
    for name in (*PACKAGES, "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def broken_contracts(folder):
    """The names of the contracts that import-linter finds broken in a copy of the packages."""
    command = (
        "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    results = dict(re.findall(r"^(.+) (KEPT|BROKEN)(?: \(.*\))?$", done.stdout, re.M))
    assert results.keys() == {contract["name"] for contract in CONTRACTS}, done.stdout + done.stderr
    assert done.returncode == ("BROKEN" in results.values())
    return {name for name, result in results.items() if result == "BROKEN"}


def test_contracts_are_kept(copy):
    assert broken_contracts(copy) == set()


@pytest.mark.parametrize("name", [contract["name"] for contract in CONTRACTS])
def test_each_contract_fails_on_a_breach(copy, name):
    file, line = BREACHES[name]
    path = copy / file
    source = path.read_bytes()
    try:
        path.write_bytes(source + f"\n{line}\n".encode())
        assert name in broken_contracts(copy)
    finally:
        path.write_bytes(source)
