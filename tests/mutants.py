"""Mutants of a module that no test notices: ``python -m tests.mutants [MODULE ...]``.

A mutant is the module with one operator, number, condition or statement changed. The tests of the
module run for each mutant; it is killed if one of them fails. Prints the mutants that survive and
the share killed. ``--sample N`` takes N mutants of each module, drawn with ``--seed``.

Why no ready-made tool: mutmut and cosmic-ray write mutants into the source files or copies of
them, and numba's cache, which goes by the time of a file, would compile kernels for each. Here
a process imports the changed module in place of the file, which stays as it is.
"""

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = {
    "dlx.problem": ["tests/dlx/test_problem.py"],
    "dlx.build": ["tests/dlx/test_problem.py"],
    "dlx.formats": ["tests/dlx/test_formats.py"],
    "dlx.container": ["tests/faults/test_saved.py", "tests/dlx/search/test_saved.py"],
    "dlx.search.driver": ["tests/dlx/search/test_driver.py", "tests/dlx/search/test_saved.py"],
    "dlx.count.race": ["tests/dlx/count"],
    "sudoku.reading.reader": ["tests/sudoku/reading"],
    "sudoku.reading.scanner": ["tests/sudoku/reading"],
    "sudoku.reading.rows": ["tests/sudoku/reading"],
    "sudoku.grids.numbering": ["tests/sudoku/grids"],
}
PATIENCE = 300  # seconds: a mutant whose tests take longer is killed

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
    if isinstance(node, ast.Return) and ast.unparse(node) not in ("return", "return None"):
        return [ast.Return(ast.Constant(None))]
    if isinstance(node, ast.Raise | ast.Assert):
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


def run_tests(module, number):
    """Run the tests of a mutant in this process; return pytest's exit status."""
    import pytest

    tree, _ = mutate(module, number)
    sys.meta_path.insert(0, Finder(module, tree))
    return pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--no-header", *TESTS[module]])


def is_killed(module, number):
    line = [sys.executable, "-m", "tests.mutants", "--run", str(number), module]
    try:
        done = subprocess.run(line, cwd=ROOT, capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="default: all of the table")
    parser.add_argument("--sample", type=int, metavar="N", help="mutants of each module")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--run", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run is not None:
        return run_tests(args.modules[0], args.run)
    for module in args.modules or TESTS:
        if not source_of(module).exists():
            continue
        if not is_killed(module, -1):
            numbers = list(range(mutate(module, None)[1].count))
            if args.sample is not None:
                draw = random.Random(args.seed)
                numbers = sorted(draw.sample(numbers, min(args.sample, len(numbers))))
            killed = 0
            for number in numbers:
                if is_killed(module, number):
                    killed += 1
                    continue
                _, mutant = mutate(module, number)
                change = f"{mutant.before} -> {mutant.after}"
                print(f"  {module}:{mutant.line} #{number}: {change}", flush=True)
            print(f"{module}: {killed} of {len(numbers)} killed", flush=True)
        else:
            print(f"{module}: its tests fail without any change")
    return 0


if __name__ == "__main__":
    sys.exit(main())
