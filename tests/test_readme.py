"""What the README says is true: its Python examples, and every command of its tours."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = re.compile(r"venv|pip install|^#")
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, re.S)
    for line in block.splitlines()
    if line and not SET_UP.search(line)
]


def test_examples() -> None:
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert found.attempted > 10
    assert found.failed == 0


def test_every_format_is_named() -> None:
    from sudoku.shell.printer import FORMATS

    said = README.partition("`--format` says:")[2].partition("\n\n")[0]
    assert [name for name in FORMATS if f"`{name}`" not in said] == []


@pytest.mark.parametrize("line", COMMANDS)
def test_commands(line: str) -> None:
    command, _, comment = line.partition("#")
    python = shlex.quote(sys.executable)
    done = subprocess.run(
        ["bash", "-c", "set -o pipefail; " + command.replace("python ", f"{python} ")],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    # 1 says that a puzzle has several solutions, which is an answer
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    if comment.strip().isdigit():
        assert done.stdout.strip() == comment.strip()
