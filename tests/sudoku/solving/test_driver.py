"""Slices, time limits and stops, with a fake clock and a fake kernel."""

from threading import Event

import pytest

from sudoku.layout import Layout
from sudoku.solving.driver import SLICE_SECONDS, Driver, fitted, is_classic, kernel_of


class FakeKernel:
    """Work of so many units, each of which takes a number of seconds of its own clock."""

    def __init__(self, work, seconds):
        self.left, self.seconds, self.now = work, seconds, 0.0
        self.budgets = []

    def first_budget(self, state):
        return 10

    def clock(self):
        return self.now

    def advance(self, state, budget, batch):
        self.budgets.append(budget)
        done = min(budget, self.left)
        self.now += done * self.seconds
        self.left -= done
        return self.left == 0


@pytest.mark.parametrize("seconds", [1e-7, 1e-4, 3.0])
def test_slices_grow_or_shrink_to_a_hundredth_of_a_second(seconds, monkeypatch):
    kernel = FakeKernel(int(200 / seconds), seconds)
    monkeypatch.setattr("time.perf_counter", kernel.clock)
    reports = []
    driver = Driver()
    assert driver.finish(kernel, None, None, lambda: reports.append(kernel.left))
    assert driver.seconds == pytest.approx(kernel.now)
    assert reports[-1] == 0
    assert len(reports) == len(kernel.budgets)
    fitting = max(1, round(SLICE_SECONDS / seconds))
    assert kernel.budgets[-1] in (fitting - 1, fitting)
    for budget, following in zip(kernel.budgets, kernel.budgets[1:], strict=False):
        assert following <= 4 * budget


def test_work_ends_at_the_first_slice_after_the_time_limit(monkeypatch):
    kernel = FakeKernel(10**9, 1e-4)
    monkeypatch.setattr("time.perf_counter", kernel.clock)
    driver = Driver(time_limit=0.1)
    assert not driver.finish(kernel, None, None)
    assert driver.out_of_time
    assert 0.1 <= kernel.now < 0.1 + 1.1 * SLICE_SECONDS
    assert not driver.finish(kernel, None, None)
    assert kernel.now < 0.1 + 1.1 * SLICE_SECONDS


def test_work_ends_when_it_is_asked_to_stop(monkeypatch):
    kernel, stop = FakeKernel(10**9, 1e-4), Event()
    monkeypatch.setattr("time.perf_counter", kernel.clock)
    driver = Driver(stop=stop)
    assert not driver.finish(kernel, None, None, stop.set)
    assert len(kernel.budgets) == 1
    assert not driver.out_of_time


def test_a_budget_is_neither_zero_nor_too_large():
    assert fitted(1, 100.0) == 1
    assert fitted(1 << 60, 0.0) == 1 << 40


def test_each_layout_has_its_kernel():
    layouts = [Layout(3, 3), Layout(3, 3, diagonal=True), Layout(3, 4), Layout(4, 4)]
    assert [is_classic(layout) for layout in layouts] == [True, False, False, False]
    names = [kernel_of(layout).__name__ for layout in layouts]
    assert [name.rpartition(".")[2] for name in names] == ["classic", "houses", "houses", "masks"]
    assert kernel_of(Layout(3, 3), candidates=True).__name__ == "sudoku.kernels.houses"
