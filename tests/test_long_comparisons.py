"""Each of the long comparisons, once."""

import random

import pytest

from tests.long_comparisons import COMPARISONS


@pytest.mark.parametrize("kind", COMPARISONS)
def test_one_case_of_each_kind_has_no_difference(kind):
    trials, same = COMPARISONS[kind](random.Random(3))
    assert trials > 0 and same
