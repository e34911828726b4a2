"""Fixtures of the tests of the commands."""

from pathlib import Path

import pytest

import sudoku.dlx
from tests.sudoku.commands import FakeClock, Result


@pytest.fixture
def run_main(tmp_path, monkeypatch, capsys):
    """Call the main function of a command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(main, *arguments):
        try:
            status = main([*map(str, arguments)])
        except SystemExit as end:
            status = end.code
        return Result(status, *capsys.readouterr())

    return run


@pytest.fixture
def run_dlx(run_main):
    """Run ``sudoku.dlx`` on a text, which is in the file ``in.txt``, or without one for None."""

    def run(text, *arguments):
        if text is None:
            return run_main(sudoku.dlx.main, *arguments)
        Path("in.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
        return run_main(sudoku.dlx.main, "in.txt", *arguments)

    return run


@pytest.fixture
def fake_clock(monkeypatch):
    """Make both clocks of the commands fake ones."""
    clock = FakeClock()
    monkeypatch.setattr("time.monotonic", clock)
    monkeypatch.setattr("time.perf_counter", clock)
    return clock
