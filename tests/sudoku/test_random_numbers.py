"""Random numbers by counter: permutations, numbers below a bound, maps of cells."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sudoku.layout import House, Layout
from sudoku.random_numbers import derive_key, keyed_permutation, random_below, random_maps


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 30), st.integers(1, 40), st.integers(-(10**30), 10**30))
def test_the_keyed_permutation_is_a_permutation(high, low, seed):
    counters = np.arange(high * low, dtype=np.uint64)
    a, b = keyed_permutation(derive_key(seed), high, low, counters)
    assert sorted(zip(a.tolist(), b.tolist(), strict=True)) == [
        (x, y) for x in range(high) for y in range(low)
    ]


def test_random_numbers_below_a_bound_that_rejects_often():
    bound = (1 << 62) + 1
    drawn = random_below(bound, derive_key(1), np.arange(10_000, dtype=np.uint64))
    assert drawn.max() < bound
    assert abs(drawn.astype(float).mean() / bound - 0.5) < 0.015  # 5 standard deviations


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(
        [
            *[Layout(2, 2), Layout(2, 3), Layout(3, 2), Layout(3, 3), Layout(3, 3, True)],
            Layout(3, 3, extra=[House("pair", (0, 1))]),
            Layout.of(regions="aaab abbb ccdd ccdd"),
        ]
    ),
    st.integers(0, 1 << 60),
)
def test_random_maps_keep_the_houses(layout, key):
    move = random_maps(layout, key, np.arange(1, dtype=np.uint64))[0].tolist()
    houses = {frozenset(house.cells) for house in layout.all_houses}
    assert {frozenset(move[cell] for cell in house) for house in houses} == houses
