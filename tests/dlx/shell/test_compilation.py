"""The line that says that numba compiles."""

import logging

import numba
import pytest

import dlx.compiled
from dlx.shell.output import show_compilation
from tests.modes import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled without the JIT")


@pytest.fixture
def log(monkeypatch):
    """The log as a process finds it that has compiled nothing, and runs no command."""
    monkeypatch.setattr(dlx.compiled._first, "is_logged", False)
    log = logging.getLogger("dlx.compiled")
    handlers, level = log.handlers, log.level
    log.handlers = []
    yield log
    log.handlers = handlers
    log.setLevel(level)


def test_the_first_compilation_is_shown_once(log, capsys):
    show_compilation()
    for _ in range(2):
        assert numba.njit(lambda number: number + 1)(1) == 2
    assert capsys.readouterr().err == f"{dlx.compiled.COMPILES}\n"


def test_nothing_is_shown_to_programs(log, capsys):
    assert numba.njit(lambda number: number + 1)(1) == 2
    assert capsys.readouterr().err == ""
