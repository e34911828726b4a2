"""Mutants of a module that no test notices: ``python -m tests.mutants [MODULE ...]``.

A mutant is the module with one operator, number, condition or statement changed. The tests of the
module run for each mutant; it is killed if one of them fails. Prints the mutants that survive and
the share killed. ``--sample N`` takes N mutants of each module, drawn with ``--seed``. After Ctrl-C
the next module follows. Assertions and ``strict=`` hold in any case; they are not changed.

Existing tools (mutmut, cosmic-ray) write mutants into the source files or copies of them, so numba,
whose cache depends on the time of a file, would compile the kernels for each mutant. Here the tests
run once, and then for each mutant in a fork of that process, which imports the changed module
instead of the file, and imports again all modules that import it; the kernels stay compiled.
"""

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import os
import random
import resource
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
READING = [
    f"tests/sudoku/reading/test_{name}.py"
    for name in (
        *("formats", "scanner", "lines", "reader", "rows", "sources", "faults"),
        *("jigsaw", "marks", "decoder"),
    )
]
SAVED_COUNT = "tests/dlx/count/test_saved_count.py"
CONTINUES = f"{SAVED_COUNT}::test_a_saved_count_continues_as_if_it_had_not_been_saved"
TESTS = {
    "dlx.problem": ["tests/dlx/test_problem.py"],
    "dlx.build": ["tests/dlx/test_problem.py"],
    "dlx.formats": ["tests/dlx/test_formats.py"],
    "dlx.container": ["tests/faults/test_saved.py", "tests/dlx/search/test_saved.py"],
    "dlx.search.driver": ["tests/dlx/search/test_driver.py", "tests/dlx/search/test_saved.py"],
    "dlx.count.race": [
        *(f"tests/dlx/count/test_{name}.py" for name in ("race", "components")),
        f"{CONTINUES}[cut-auto]",
        f"{CONTINUES}[sweep-auto]",
    ],
    "sudoku.reading.reader": [*READING, "tests/sudoku/reading/test_runs.py"],
    "sudoku.reading.scanner": READING,
    "sudoku.reading.lines": READING,
    "sudoku.reading.rows": READING,
    "sudoku.generate.removal": [
        "tests/sudoku/generate/test_generate.py",
        "tests/sudoku/kernels/test_removal.py",
    ],
    "sudoku.grids.grid_numbers": ["tests/sudoku/grids/test_grids.py"],
}
PATIENCE = 100  # seconds of CPU time; a mutant whose tests take longer counts as killed,
FACTOR, MORE = 2, 5  # and one that takes FACTOR times what no change takes and MORE seconds,
MEMORY = 4 << 30  # and one that takes so many bytes

EMPTY = ("return", "return None", "return False")  # None is false, too; False itself is changed

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip


def changes(node):
    """Return the nodes that may stand in place of a node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        other = copy.deepcopy(node)
        other.ops[0] = COMPARISONS[type(node.ops[0])]()
        return [other]
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPERATORS:
        other = copy.deepcopy(node)
        other.op = OPERATORS[type(node.op)]()
        return [other]
    if isinstance(node, ast.BoolOp):
        other = copy.deepcopy(node)
        other.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return [other]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            return [ast.Constant(not node.value)]
        if isinstance(node.value, int):
            return [ast.Constant(node.value + 1)]
    if isinstance(node, ast.Return) and ast.unparse(node) not in EMPTY:
        return [ast.Return(ast.Constant(None))]
    if isinstance(node, ast.Raise):
        return [ast.Pass()]
    if isinstance(node, ast.Break):
        return [ast.Continue()]
    if isinstance(node, ast.Continue):
        return [ast.Break()]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return [ast.Pass()]
    return []


class Mutator(ast.NodeTransformer):
    """Makes the change of one number, counted from 0; with None counts only."""

    def __init__(self, number):
        self.number, self.count = number, 0
        self.line, self.before, self.after = 0, "", ""

    def visit(self, node):
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                node.value = self.visit(node.value)
            return node
        if isinstance(node, ast.arg):
            return node
        if isinstance(node, ast.Assert) or (isinstance(node, ast.keyword) and node.arg == "strict"):
            return node  # what always holds: the same without it
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return node
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        for other in changes(node):
            self.count += 1
            if self.count - 1 == self.number:
                self.line = node.lineno
                self.before, self.after = ast.unparse(node), ast.unparse(other)
                return ast.copy_location(other, node)
        return self.generic_visit(node)


def source_of(module):
    path = ROOT / Path(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def mutate(module, number):
    """Return a mutant of a module as a syntax tree, and its Mutator."""
    tree = ast.parse(source_of(module).read_text())
    mutator = Mutator(number)
    return ast.fix_missing_locations(mutator.visit(tree)), mutator


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the mutant in place of the module."""

    def __init__(self, module, tree):
        self.module, self.tree = module, tree

    def find_spec(self, name, path, target=None):
        if name != self.module:
            return None
        return importlib.util.spec_from_file_location(name, source_of(name), loader=self)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(self.tree, source_of(self.module), "exec"), module.__dict__)


def run_tests(module):
    """Run the tests of a module in this process, without output; return pytest's exit status."""
    import pytest

    null = os.open(os.devnull, os.O_WRONLY)
    kept = os.dup(1), os.dup(2)
    try:
        for stream in (1, 2):
            os.dup2(null, stream)
        options = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "-W", "ignore"]
        return pytest.main([*options, *TESTS[module]])
    finally:
        sys.stdout.flush()
        for stream, own in zip((1, 2), kept, strict=True):
            os.dup2(own, stream)


def forget(module):
    """Remove from `sys.modules` what imports a module, and all tests; return what stays."""
    imports = {}
    for name, loaded in list(sys.modules.items()):
        file = getattr(loaded, "__file__", None)
        if file and Path(file).is_relative_to(ROOT) and file.endswith(".py"):
            imports[name] = set()
            for node in ast.walk(ast.parse(Path(file).read_text())):
                if isinstance(node, ast.ImportFrom) and node.module:
                    imports[name] |= {node.module, *(f"{node.module}.{a.name}" for a in node.names)}
                elif isinstance(node, ast.Import):
                    imports[name] |= {alias.name for alias in node.names}
    gone = {module}
    while more := {name for name, used in imports.items() if used & gone} - gone:
        gone |= more
    gone |= {name for name in imports if not name.startswith(("dlx", "sudoku"))}
    for name in gone & sys.modules.keys():
        del sys.modules[name]
    for name in gone:  # else `from package import module` finds the module that was removed
        package, _, last = name.rpartition(".")
        if package in sys.modules:
            vars(sys.modules[package]).pop(last, None)
    return sorted(imports.keys() - gone)


def run_mutant(module, tree, stay):
    """Run the tests of a mutant in this process; return whether one fails."""
    sys.meta_path.insert(0, Finder(module, tree))
    for name in stay:  # a package that is imported anew does not have them as attributes
        package, _, last = name.rpartition(".")
        if package:
            setattr(importlib.import_module(package), last, sys.modules[name])
    return run_tests(module) != 0


def is_killed(module, number, stay, patience=PATIENCE):
    """Run the tests of a mutant in a process of its own.

    Returns
    -------
    bool, float
        Whether one fails; CPU time in seconds.
    """
    tree, _ = mutate(module, number)
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (patience, patience))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(10 * patience)  # for one that waits
        killed = True
        try:
            killed = run_mutant(module, tree, stay)
        finally:
            os._exit(int(killed))
    _, status, usage = os.wait4(child, 0)
    return status != 0, usage.ru_utime + usage.ru_stime


def survivors(module, sample, seed):
    """Print the mutants of a module that survive; return the numbers killed and tried."""
    stay = forget(module)
    numbers = list(range(mutate(module, None)[1].count))
    if sample is not None:
        numbers = sorted(random.Random(seed).sample(numbers, min(sample, len(numbers))))
    fails, seconds = is_killed(module, None, stay)
    assert not fails, "the tests of the module fail in a fork"
    patience = min(PATIENCE, int(FACTOR * seconds) + MORE)
    killed = 0
    for tried, number in enumerate(numbers):
        try:
            is_found, _ = is_killed(module, number, stay, patience)
        except KeyboardInterrupt:
            return killed, tried
        if is_found:
            killed += 1
            continue
        _, mutant = mutate(module, number)
        change = f"{mutant.before} -> {mutant.after}"
        print(f"  {module}:{mutant.line} #{number}: {change}", flush=True)
    return killed, len(numbers)


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=(__doc__ or "").replace("`", "")
    )
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="default: all of the table")
    parser.add_argument("--sample", type=int, metavar="N", help="mutants of each module")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    args = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # in the forks tests/conftest.py sets a handler
    for module in args.modules or TESTS:
        if child := os.fork():  # what one module leaves in memory would disturb the next
            os.waitpid(child, 0)
            continue
        if run_tests(module) == 0:  # compiles all kernels; they stay in memory for the mutants
            killed, number = survivors(module, args.sample, args.seed)
            print(f"{module}: {killed} of {number} killed", flush=True)
        else:
            print(f"{module}: its tests fail without any change", flush=True)
        os._exit(0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
