"""The README's examples and commands run; files and modules that documents name exist."""

import doctest
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import processes

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = re.compile(r"venv|pip install|^#")
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, re.S)
    for line in block.splitlines()
    if line and not SET_UP.search(line)
]
SHOWN = {
    "unique, several or none": r"(unique\n){6}",
    "five minimal puzzles": r"([.1-9]{81}\n){5}",
    "the next step, and why": r"(\n?data/documents\.txt:\d\n[A-Z][a-z ]+: .+\.\n){6}",
}
"""The output of a command, by the comment that describes it; other comments are the output."""
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_and_modules_that_a_document_names_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    paths = set(re.findall(r"\b(?:benchmarks|data|dlx|docs|sudoku|tests)/[\w/.-]*\w", text))
    modules = set(re.findall(r"python -m ([\w.]+)", text))
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [module for module in modules if find_spec(module) is None] == []


def test_the_python_examples_of_the_readme_run() -> None:
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert found.attempted > 8
    assert found.failed == 0


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_every_format_is_named() -> None:
    from sudoku.shell.printer import FORMATS

    page = (ROOT / "docs/solving_files.md").read_text(encoding="utf-8")
    named = page.partition("Formats:")[2].partition("\n\n")[0]
    assert [name for name in FORMATS if f"`{name}`" not in named] == []


@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_of_the_readme_print_what_it_shows(line: str) -> None:
    command, _, comment = line.partition("#")
    done = processes.shell(command, cwd=ROOT)
    # 1: a puzzle has several solutions
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    shown = comment.strip()
    pattern = SHOWN.get(shown, shown)
    assert re.fullmatch(rf"(?:{pattern})\s*", done.stdout), done.stdout
