"""Rules for functions that no linter checks."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILED = {"kernel", "helper", "inlined", "copied", "allocating"}


def test_functions_of_plain_python_have_at_most_sixty_lines():
    """Docstrings count; those that `dlx.compiled` compiles may be longer."""
    long = []
    for path in [*ROOT.glob("dlx/**/*.py"), *ROOT.glob("sudoku/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                lines = node.end_lineno - node.lineno + 1
                names = {ast.unparse(decorator) for decorator in node.decorator_list}
                if lines > 60 and not names & COMPILED:
                    long.append(f"{path.relative_to(ROOT)}: {node.name} has {lines} lines")
    assert long == []
