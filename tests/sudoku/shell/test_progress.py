"""The line of progress."""

from itertools import count

import pytest

from sudoku.shell.output import Progress


def fake(monkeypatch, clock, is_terminal=True):
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal, raising=False)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))


def test_progress_is_shown_after_a_second_and_every_tenth(monkeypatch, capsys):
    fake(monkeypatch, iter([0.0, 0.5, 2.0, 2.05, 3.0, 4.0]))
    progress = Progress()
    progress.update(1, 0.1)
    progress.update(1000, 0.5)
    progress.update(1001, 0.5)
    progress.update(2000)
    progress.clear()
    half = "[###############...............]  50% 1,000 puzzles, 0:02, 0:02 left"
    last = "2,000 puzzles, 0:03".ljust(len(half))
    blank = " " * len("2,000 puzzles, 0:03")
    assert capsys.readouterr().err == f"\r{half}\r{last}\r{blank}\r"


def test_hours_are_shown(monkeypatch, capsys):
    fake(monkeypatch, iter([0.0, 4000.0]))
    Progress(unit="grids").update(5, unit="solutions")
    assert capsys.readouterr().err == "\r5 solutions, 1:06:40"


@pytest.mark.parametrize(("quiet", "is_terminal"), [(True, True), (False, False)])
def test_nothing_is_shown_where_it_is_not_wanted(quiet, is_terminal, monkeypatch, capsys):
    fake(monkeypatch, count(step=10.0), is_terminal)
    progress = Progress(quiet)
    progress.update(1)
    progress.clear()
    assert capsys.readouterr().err == ""
