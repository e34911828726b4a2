"""Runs the examples of the documents. ``python -m tests.documents FILE`` writes their outputs.

An example is a statement after ``>>>`` with its output, or, in a block of kind ``console``, a
command after ``$`` with its standard output. A line ``...`` matches any lines. The command above
writes the outputs into the files, except outputs that match.
"""

import argparse
import doctest
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests import processes

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.S | re.M)


class Example(NamedTuple):
    """A command of a page, the output the page shows, and where this stands in the text."""

    command: str
    output: str
    start: int
    end: int


def commands(text: str) -> list[Example]:
    """Return the commands of a page."""
    found = []
    for block in BLOCK.finditer(text):
        for part in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block[1], re.M):
            start, end = (block.start(1) + place for place in part.span(2))
            found.append(Example(part[1], part[2], start, end))
    return found


def run(command: str, folder: Path) -> str:
    """Run a command in a folder with the data files, and return its standard output."""
    if not (folder / "data").exists():
        try:
            (folder / "data").symlink_to(ROOT / "data", target_is_directory=True)
        except OSError:
            shutil.copytree(ROOT / "data", folder / "data")
    done = processes.shell(command, cwd=folder, env=os.environ | {"COLUMNS": "80"})
    # 1: not every puzzle has exactly one solution
    assert done.returncode in (0, 1), f"{command}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout


def matches(expected: str, output: str) -> bool:
    """Whether an output is as a page shows it."""
    return doctest.OutputChecker().check_output(expected, output, doctest.ELLIPSIS)


def statements(text: str, name: str) -> list[tuple[doctest.Example, str]]:
    """Run the statements of a page; return those with another output than the page shows."""
    wrong = []

    class Runner(doctest.DocTestRunner):
        def report_failure(self, out, test, example, got):  # type: ignore[no-untyped-def]
            wrong.append((example, got))

        def report_unexpected_exception(self, out, test, example, exc_info):  # type: ignore[no-untyped-def]
            raise exc_info[1]

    text = re.sub(r"^```.*$", "", text, flags=re.M)  # the end of a block is no output
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, name, name, 0)
    Runner(optionflags=OPTIONS, verbose=False).run(test, out=lambda _: None)
    return wrong


def rewritten(page: Path, folder: Path) -> str:
    """Return the text of a page with the outputs that its examples have."""
    text = page.read_text(encoding="utf-8")
    examples = commands(text)
    outputs = [run(example.command, folder) for example in examples]  # later ones may need files
    for example, output in reversed([*zip(examples, outputs, strict=True)]):
        if not matches(example.output, output):
            text = text[: example.start] + output + text[example.end :]
    lines = text.splitlines(keepends=True)
    for example, got in reversed(statements(text, page.name)):
        first = example.lineno + example.source.count("\n")
        last = first + example.want.count("\n")
        lines[first:last] = [got]
    return "".join(lines)


def main() -> None:
    """Write the outputs of the examples into the pages named."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.documents", description=(__doc__ or "").replace("`", "")
    )
    parser.add_argument("pages", nargs="+", type=Path)
    for page in parser.parse_args().pages:
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(rewritten(page, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
