"""A clock for tests of limits of time: it depends on nothing but how often it is read."""

import pytest


class Clock:
    """Stands in for the module `time`: each reading is `tick` seconds after the one before."""

    def __init__(self, tick=0.01):
        self.tick = tick
        self.now = 0.0

    def perf_counter(self):
        self.now += self.tick
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The clock that counts and diagrams read."""
    clock = Clock()
    monkeypatch.setattr("dlx.count.driver.time", clock)
    monkeypatch.setattr("dlx.diagram.build.time", clock)
    monkeypatch.setattr("numba.core.event.timer", lambda: clock.now)  # of compiling
    return clock
