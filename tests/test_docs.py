"""The examples in docs/ run; the pictures are up to date; the reference names everything."""

import re
from pathlib import Path

import pytest

import dlx
import sudoku
from docs.pictures import HERE, PICTURES
from tests.documents import PAGES, ROOT, commands, matches, run, statements

TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}


@pytest.mark.parametrize("page", [name for name, text in TEXTS.items() if ">>>" in text])
def test_the_python_examples_of_a_page_run(page: str) -> None:
    wrong = [
        f"line {example.lineno + 1}: {example.source}{got}"
        for example, got in statements(TEXTS[page], page)
    ]
    assert wrong == []


@pytest.mark.parametrize("page", [name for name, text in TEXTS.items() if "```console" in text])
def test_the_commands_of_a_page_print_what_it_shows(page: str, tmp_path: Path) -> None:
    for example in commands(TEXTS[page]):
        output = run(example.command, tmp_path)
        assert matches(example.output, output), f"$ {example.command}\n{output}"


@pytest.mark.parametrize("page", TEXTS)
def test_every_block_is_an_example_or_plain_text(page: str) -> None:
    """A block of Python without ``>>>`` or a shell block would not be run."""
    for kind, body in re.findall(r"^```(\S+)[^\n]*\n(.*?)^```$", TEXTS[page], re.S | re.M):
        assert kind in ("python", "console", "text") or kind.startswith("{"), kind
        assert kind != "python" or body.startswith(">>> ")
        assert kind != "console" or body.startswith("$ ")


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_up_to_date(name: str) -> None:
    """If not, run ``python -m docs.pictures``."""
    assert (HERE / name).read_text(encoding="utf-8") == PICTURES[name]()


def test_every_picture_is_drawn_and_shown() -> None:
    texts = "".join(TEXTS.values()) + (ROOT / "README.md").read_text(encoding="utf-8")
    files = {path.name for path in HERE.iterdir()}
    assert files == set(PICTURES)
    assert [name for name in files if name not in texts] == []


@pytest.mark.parametrize("package", [dlx, sudoku])
def test_the_reference_names_every_public_name(package: object) -> None:
    name = package.__name__
    text = TEXTS[str(Path(f"docs/reference/{name}.md"))]
    named = set(re.findall(rf"auto(?:function|class|exception|data):: {name}\.(\w+)$", text, re.M))
    assert set(package.__all__) - named == set()


def test_every_page_is_listed() -> None:
    listed = set()
    for page, text in zip(PAGES, TEXTS.values(), strict=True):
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```$", text, re.S | re.M):
            entries = [line for line in tree.splitlines() if line and not line.startswith(":")]
            listed |= {(page.parent / f"{entry}.md").resolve() for entry in entries}
    assert set(PAGES) - listed == {ROOT / "docs/index.md"}
