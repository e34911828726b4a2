"""Facts that pyproject.toml states twice agree."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_extra_for_tests_is_the_dependency_group_for_tests():
    extra = PYPROJECT["project"]["optional-dependencies"]["test"]
    assert extra == PYPROJECT["dependency-groups"]["test"]


def test_each_dependency_of_the_suite_names_its_oldest_version():
    """The gate installs just these versions once."""
    project = PYPROJECT["project"]
    for requirement in project["dependencies"] + project["optional-dependencies"]["test"]:
        name, least, version = requirement.partition(">=")
        assert name and least and version.replace(".", "").replace("dev", "").isdigit()
