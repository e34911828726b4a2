"""Which file may import which: read from the source, imports for types alone included."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = sorted((ROOT / "tests").rglob("*.py"))


def imported(path):
    """The modules that a file of the repository imports, wherever in it; names count as modules."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


def test_no_test_imports_another_test():
    tests = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in TESTS}
    tests = {name for name in tests if name.rpartition(".")[2].startswith("test_")}
    assert [(path, name) for path in TESTS for name in imported(path) & tests] == []


def test_tests_of_dlx_do_not_import_sudoku():
    files = [path for path in TESTS if (ROOT / "tests/dlx") in path.parents]
    files += [ROOT / "benchmarks/problems.py", ROOT / "tests/naive.py", ROOT / "tests/modes.py"]
    guilty = [path for path in files for name in imported(path) if name.split(".")[0] == "sudoku"]
    assert len(files) > 10
    assert guilty == []
