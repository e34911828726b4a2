"""What several tests of counts need."""

import math

import pytest

from dlx.count import cuts, driver, orders, quick, race


@pytest.fixture
def small_steps(monkeypatch):
    """A count takes each of its decisions after little work."""
    monkeypatch.setattr(race, "SHORT", 0)
    monkeypatch.setattr(race, "ITEM_WORK", 0)
    monkeypatch.setattr(race, "ENTRY_WORK", 0)
    monkeypatch.setattr(race, "FIRST_SLICE", 20_000)
    monkeypatch.setattr(quick, "DUE_WORK", math.inf)  # that would count everything
    for module in (race, driver):
        monkeypatch.setattr(module, "SLICE", 100_000)
    monkeypatch.setattr(race, "SECOND_WORK", 100_000)
    monkeypatch.setattr(race, "SECOND_TIMES", 0)
    monkeypatch.setattr(race, "SECOND_MEMORY", 0)
    monkeypatch.setattr(race, "CUT_WORK", 300_000)
    monkeypatch.setattr(race, "CUT_ENTRY_WORK", 0)
    monkeypatch.setattr(orders, "LAYER_WORK", 2_000)
    monkeypatch.setattr(orders, "LAYER_ENTRY_WORK", 0)
    monkeypatch.setattr(race, "FORESIGHT_EXPECTED", 1)
    monkeypatch.setattr(race, "FORESIGHT_SHARE", 1)
    monkeypatch.setattr(driver, "LAST_COMPLETION", 30_000)
    monkeypatch.setattr(cuts, "DOUBLING", 1)
