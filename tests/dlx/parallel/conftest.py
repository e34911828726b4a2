"""Settings with which small problems are split into many tasks."""

import pytest


@pytest.fixture
def tiny_tasks(monkeypatch):
    """Tasks of some hundred units of work: small problems have hundreds of them."""
    monkeypatch.setattr("dlx.parallel.driver.FIRST_WORK", 200)
    monkeypatch.setattr("dlx.parallel.crew.THREAD_BUDGET", 1_000)
    monkeypatch.setattr("dlx.parallel.crew.REMOTE_BUDGET", 1_000)
    monkeypatch.setattr("dlx.parallel.task.LONGEST_SLICE", 60)
    monkeypatch.setattr("dlx.parallel.task.SHORTEST_SLICE", 10)
    monkeypatch.setattr("dlx.parallel.task.RESTART_WORK", 20)
    monkeypatch.setattr("dlx.parallel.task.BATCH_NUMBERS", 30)
    monkeypatch.setattr("dlx.parallel.task.TASK_NUMBERS", 100)
    monkeypatch.setattr("dlx.parallel.task.RESTART_WORK_OF_ENTRY", 0)
