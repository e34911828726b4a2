"""Complete grids: how many, their numbers, random ones. Significance levels: chi-square tests."""

import sys
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudoku import grids
from sudoku.errors import LayoutError, PuzzleError, SudokuError
from sudoku.generate import generate
from sudoku.grid import Grid
from sudoku.grids.band_classes import band_tables
from sudoku.grids.grid_numbers import ListedGridNumbers, grid_numbers
from sudoku.grids.random_fill import random_fill
from sudoku.grids.two_bands import count_two_bands
from sudoku.layout import Layout
from tests import naive

ALL_9X9 = 6_670_903_752_021_072_936_960


def chi_square_limit(degrees, p_one_in_a_million=4.7534):
    """Wilson and Hilferty: what a chi-square variable exceeds once in a million times."""
    part = 2 / (9 * degrees)
    return degrees * (1 - part + p_one_in_a_million * part**0.5) ** 3


def assert_valid(found, layout):
    digits = np.arange(1, layout.size + 1)
    for house in layout.houses:
        assert (np.sort(found[:, house], axis=1) == digits).all()


@pytest.mark.parametrize(
    ("box", "total"),
    [
        ((2, 2), 288),
        ((2, 3), 28_200_960),
        ((3, 2), 28_200_960),
        ((2, 4), 29_136_487_207_403_520),
        ((4, 2), 29_136_487_207_403_520),
        ((3, 3), ALL_9X9),
    ],
)
def test_published_numbers_of_grids(box, total):
    assert grids.count_grids(*box) == total


def test_numbers_of_grids_with_diagonals():
    assert grids.count_grids(2, 2, diagonal=True) == 48
    assert grids.count_grids(2, 3, diagonal=True) == 8_640


@pytest.mark.parametrize("diagonal", [False, True])
def test_4x4_total_is_that_of_a_naive_count(diagonal):
    houses = naive.sudoku_houses(2, 2, diagonal)
    assert grids.count_grids(2, 2, diagonal) == len(list(naive.sudoku_solutions(houses, [0] * 16)))


def test_6x6_total_is_that_of_a_naive_count():
    # the first row has 6! orders; below 1 in the first column 4, 5 and 6 are alike
    houses = naive.sudoku_houses(2, 3)
    puzzle = [1, 2, 3, 4, 5, 6, 4] + [0] * 29
    total = 3 * sum(1 for _ in naive.sudoku_solutions(houses, puzzle))
    assert grids.count_grids(2, 3) == factorial(6) * total


def test_grids_that_cannot_be_counted_are_refused():
    for box in ((3, 4), (4, 4), (2, 6)):
        with pytest.raises(LayoutError, match="classes"):
            grids.count_grids(*box)
    with pytest.raises(LayoutError, match="9x9 diagonal grids cannot be counted"):
        grids.count_grids(3, 3, diagonal=True)
    with pytest.raises(LayoutError, match=r"; this package has no shorter way$"):
        grids.count_grids(1, 7, diagonal=True)
    with pytest.raises(LayoutError, match=r"; python -m dlx\.models latin --n 7 --count merges"):
        grids.count_grids(1, 7)


def test_arrangements_of_bands_are_counted_as_exact_covers():
    """Arrangements of column sets in three rows, counted by the engine."""
    import dlx

    tables = band_tables()
    lengths = np.diff(tables.arrangement_start)
    rng = np.random.default_rng(1)
    for band_class in rng.choice(len(lengths), 12, replace=False):
        columns = tables.sets[tables.representative[band_class]].ravel()
        options = [
            [("cell", j, r), ("column", j, d), ("row", r, d)]
            for j in range(9)
            for r in range(3)
            for d in range(9)
            if columns[j] >> d & 1
        ]
        assert dlx.count_solutions(dlx.Problem(options)) == lengths[band_class]


def test_all_first_bands_have_a_class():
    tables = band_tables()
    assert len(np.unique(tables.first_bands)) == 56 * 36 * 36
    assert (tables.first_band_place[tables.first_bands] == np.arange(len(tables.first_bands))).all()
    assert int(tables.pattern_start[-1]) * factorial(9) == ALL_9X9


def test_two_band_classes_make_the_total_of_2x4():
    assert count_two_bands(4) == 29_136_487_207_403_520


@pytest.mark.parametrize("diagonal", [False, True])
def test_every_4x4_grid_has_its_number(diagonal):
    layout = Layout(2, 2, diagonal)
    total = grids.count_grids(2, 2, diagonal)
    found = grids.grids_at(range(total), (2, 2), diagonal)
    assert_valid(found, layout)
    assert len(np.unique(found, axis=0)) == total
    assert grids.indices_of(found, (2, 2), diagonal) == list(range(total))


@pytest.mark.parametrize("diagonal", [False, True])
def test_6x6_numbers_of_grids_of_numbers(diagonal):
    total = grids.count_grids(2, 3, diagonal)
    indices = [0, total - 1, *range(0, total, total // 500)]
    found = grids.grids_at(indices, (2, 3), diagonal)
    assert_valid(found, Layout(2, 3, diagonal))
    assert grids.indices_of(found, (2, 3), diagonal) == indices


def test_9x9_numbers_of_grids_of_numbers():
    draws = np.random.default_rng(3).integers(0, 1 << 62, 5_000)
    indices = [0, 1, ALL_9X9 - 1, ALL_9X9 // 2, ALL_9X9 // 9, ALL_9X9 // 9 - 1]
    indices += [int(draw) * ALL_9X9 >> 62 for draw in draws]
    found = grids.grids_at(indices)
    assert_valid(found, Layout(3, 3))
    assert grids.indices_of(found) == indices


@settings(max_examples=50, deadline=None)
@given(st.integers(0, ALL_9X9 - 1))
def test_any_9x9_number_is_the_number_of_its_grid(index):
    assert grids.index_of(grids.grid_at(index)) == index


def test_the_interpreter_and_the_kernels_number_9x9_grids_alike(monkeypatch):
    draws = np.random.default_rng(4).integers(0, 1 << 62, 40)
    indices = [0, ALL_9X9 - 1, *(int(draw) * ALL_9X9 >> 62 for draw in draws)]
    numbers, answers = grid_numbers(Layout(3, 3)), []
    for few in (0, 1 << 20):
        monkeypatch.setattr("sudoku.grids.grid_numbers.FEW_GRIDS", few)
        monkeypatch.setattr(numbers, "_interpreted", 0)
        found = grids.grids_at(indices)
        assert grids.indices_of(found) == indices
        wrong = np.array(found)
        wrong[7, 80] = wrong[7, 79]
        answers.append((found.tolist(), numbers.numbers_of(wrong)[2]))
    assert answers[0] == answers[1]
    assert answers[0][1] == 7


def test_9x9_grids_that_have_no_number_yet_are_the_grids_of_their_numbers():
    """The grids are shuffled equivalents of one."""
    from sudoku.random_numbers import random_maps, random_permutations

    counters = np.arange(2_000, dtype=np.uint64)
    seed = grids.grids_at([123_456_789_012_345_678_901])
    found = np.take_along_axis(
        np.broadcast_to(seed, (2_000, 81)), random_maps(Layout(3, 3), 1, counters), axis=1
    )
    digits = random_permutations(9, 2, counters, 0) + 1
    found = np.take_along_axis(digits, found - np.uint8(1), axis=1).astype(np.uint8)
    assert_valid(found, Layout(3, 3))
    assert (grids.grids_at(grids.indices_of(found)) == found).all()


def test_numbers_are_in_the_order_of_the_first_box():
    found = grids.grids_at([k * (ALL_9X9 // 362_880) for k in range(0, 362_880, 7_919)])
    boxes = found.reshape(-1, 9, 9)[:, :3, :3].reshape(-1, 9).tolist()
    assert boxes == sorted(boxes)


def test_wrong_indices_and_invalid_grids_are_refused():
    for index in (-1, ALL_9X9, 10**5000):
        with pytest.raises(SudokuError, match="out of range"):
            grids.grid_at(index)
    for index in (1.5, "3", None, True):
        with pytest.raises(SudokuError, match=rf"^index {index!r}: the number of a grid is an int"):
            grids.grid_at(index)
    assert str(grids.grid_at(np.int64(7))) == str(grids.grid_at(7))
    one = grids.grid_at(7).values.copy()
    one[0, 0], one[0, 1] = one[0, 1], one[0, 0]
    with pytest.raises(PuzzleError, match="twice in column"):
        grids.index_of(one)
    with pytest.raises(PuzzleError, match="grid 1: not a grid"):
        grids.indices_of([grids.grid_at(7).values, one])
    one[0, 0] = 0
    with pytest.raises(PuzzleError, match="r1c1 is blank"):
        grids.index_of(one)
    shapes = r"integers \(n, 9, 9\) or \(n, 81\)"
    with pytest.raises(PuzzleError, match=rf"shape \(1, 3\); 9x9 grids are {shapes}"):
        grids.indices_of([[1, 2, 3]])
    with pytest.raises(PuzzleError, match=r"shape \(1, 3, 27\); 9x9 grids are integers"):
        grids.indices_of(np.ones((1, 3, 27), int))
    with pytest.raises(PuzzleError, match="grid 1: value 12 in r1c2: a digit is 1 to 9"):
        grids.indices_of([[1] * 81, [1, 12] + [1] * 79])
    with pytest.raises(LayoutError, match="no numbers"):
        grids.grid_at(1, (4, 4))


def test_lists_of_grids_have_numbers_of_their_layout():
    six = [grids.grid_at(index, (2, 2), True) for index in (5, 11)]
    assert grids.indices_of(six, (2, 2), True) == [5, 11]
    assert grids.indices_of(six) == grids.indices_of(six, (2, 2)) == [5, 11]
    plain = [Grid(Layout(2, 2), grid.values) for grid in six]
    assert grids.indices_of(plain, diagonal=True) == [5, 11]
    assert grids.indices_of(six, diagonal=False) == grids.indices_of(plain) != [5, 11]
    with pytest.raises(LayoutError, match=r"puzzle 1 has Layout\(2x2\), puzzle 0 has"):
        grids.indices_of([six[0], plain[0]])


@pytest.mark.parametrize("draw", [grids.random_grids, grids.distinct_grids])
@pytest.mark.parametrize(
    "wrong",
    [{"n": 2.5}, {"n": "3"}, {"n": -1}, {"first": "1"}, {"first": 0}, {"start": 1.5}, {"seed": -1}],
)
def test_arguments_must_be_whole_numbers(draw, wrong):
    (name,) = wrong
    with pytest.raises(SudokuError, match=f"^{name} is .*; a whole number from [01] on is needed"):
        draw(**{"n": 3, **wrong})


@pytest.mark.parametrize("box", [3, (3,), (3, 3, 1), (2.5, 2), ("2", "2"), "2-3"])
def test_boxes_must_be_two_whole_numbers(box):
    for function in (grids.grid_at, grids.random_grids):
        with pytest.raises(LayoutError, match=r"^box"):
            function(0, box=box)


def test_sides_of_a_box_are_whole_numbers():
    for sides in (("2", "2"), (2.0, 2), (None, 3)):
        with pytest.raises(LayoutError, match="whole numbers"):
            grids.count_grids(*sides)


def test_too_large_grids_are_refused():
    for draw in (grids.random_grids, grids.distinct_grids):
        with pytest.raises(LayoutError, match=r"49x49 .* 36x36 is the largest"):
            draw(1, box=(7, 7))


def test_random_4x4_grids_are_uniform():
    """288 cells, 287 degrees of freedom: fails once in a million seeds if they are."""
    drawn = grids.random_grids(57_600, seed=2026, box=(2, 2))
    counts = np.bincount(grids.indices_of(drawn, (2, 2)), minlength=288)
    assert len(counts) == 288
    assert ((counts - 200.0) ** 2 / 200).sum() < chi_square_limit(287)


def test_random_9x9_grids_are_uniform_over_classes_of_first_band_tables():
    """131 classes, expected from the exact counts: p = one in a million."""
    tables = band_tables()
    n = 200_000
    drawn = grids.random_grids(n, seed=5)
    rest = np.array([index % int(tables.pattern_start[-1]) for index in grids.indices_of(drawn)])
    seen = np.bincount(np.searchsorted(tables.pattern_start, rest, side="right") - 1, minlength=131)
    expected = n * np.diff(tables.pattern_start) / tables.pattern_start[-1]
    common = expected > 5
    seen = np.append(seen[common], seen[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    assert ((seen - expected) ** 2 / expected).sum() < chi_square_limit(len(seen) - 1)


def test_random_9x9_grids_are_uniform_in_the_last_box():
    """The last box's centre and corner: 81 cells, 80 degrees, 8 of them lost to corner = centre."""
    n = 72_000
    drawn = grids.random_grids(n, seed=8)
    seen = np.bincount(9 * drawn[:, 70].astype(int) + drawn[:, 80] - 10, minlength=81)
    expected = np.where(np.arange(81) % 10 == 0, 0, n / 72)
    assert (seen[expected == 0] == 0).all()
    used = expected > 0
    assert ((seen - expected)[used] ** 2 / (n / 72)).sum() < chi_square_limit(71)


def test_288_distinct_4x4_grids_are_all_grids():
    for seed in range(20):
        drawn = grids.distinct_grids(288, seed, box=(2, 2))
        assert sorted(grids.indices_of(drawn, (2, 2))) == list(range(288))
    first = [grids.distinct_grids(1, seed, box=(2, 2)).tobytes() for seed in range(2_000)]
    assert len(set(first)) > 280  # 288 (1 - e^-7) = 287.7 expected


def test_the_first_that_is_no_grid_is_found():
    numbers = grid_numbers(Layout(2, 2))
    good = grids.random_grids(3, seed=1, box=(2, 2))
    assert numbers.numbers_of(good)[2] == 3
    bad_row, bad_rest = good.copy(), good.copy()
    bad_row[1, :4] = 1
    bad_rest[1, 4:] = bad_rest[1, 4]
    assert numbers.numbers_of(bad_row)[2] == numbers.numbers_of(bad_rest)[2] == 1


@pytest.mark.parametrize("make", [grids.distinct_grids, grids.random_grids])
def test_many_grids_are_made_in_pieces(make, monkeypatch):
    """Ctrl-C is noticed between two pieces."""
    numbers = grid_numbers(Layout(2, 3))
    sizes = []

    def grids_of(relabelling, pattern):
        sizes.append(len(pattern))
        return ListedGridNumbers.grids_of(numbers, relabelling, pattern)

    monkeypatch.setattr(numbers, "grids_of", grids_of)
    several = make(2 * grids.MADE_AT_ONCE + 5, seed=1, box=(2, 3))
    assert sizes == [grids.MADE_AT_ONCE, grids.MADE_AT_ONCE, 5]
    assert np.array_equal(
        several[-3:], make(3, seed=1, box=(2, 3), start=2 * grids.MADE_AT_ONCE + 2)
    )


def test_grids_from_search_are_made_in_pieces(monkeypatch):
    whole = grids.random_grids(7, seed=1, box=(4, 4), first=2, start=3)
    sizes = []

    def fill(layout, seed, counters):
        sizes.append(len(counters))
        return random_fill(layout, seed, counters)

    monkeypatch.setattr(grids, "MADE_AT_ONCE", 3)
    monkeypatch.setattr("sudoku.grids.random_fill.random_fill", fill)
    assert np.array_equal(grids.random_grids(7, seed=1, box=(4, 4), first=2, start=3), whole)
    assert sizes == [3, 3, 1]


@pytest.mark.parametrize("make", [grids.distinct_grids, grids.random_grids])
@pytest.mark.parametrize("box", [(3, 3), (4, 4)])
@pytest.mark.parametrize("n", [sys.maxsize // 16, 2**61, 2**62])
def test_more_grids_than_an_array_has_are_refused(make, box, n):
    with pytest.raises(SudokuError, match=f"^n is {n}; an array has at most .* grids$"):
        make(n, seed=1, box=box)


@pytest.mark.parametrize("make", [grids.distinct_grids, grids.random_grids, generate])
def test_more_grids_than_the_memory_holds_are_refused(make):
    with pytest.raises(MemoryError, match=r"^1000000000000 grids do not fit into memory$"):
        make(10**12, seed=1)


def test_distinct_9x9_grids():
    drawn = grids.distinct_grids(20_000, seed=1)
    assert_valid(drawn, Layout(3, 3))
    assert len(np.unique(drawn, axis=0)) == 20_000
    assert (drawn[5_000:6_000] == grids.distinct_grids(1_000, seed=1, start=5_000)).all()
    pieces = grids.stream_distinct(20_000, seed=1, chunk=7_777)
    assert (np.concatenate(list(pieces)) == drawn).all()


@pytest.mark.parametrize("box", [(2, 2), (3, 3), (2, 4)])
def test_the_first_digit_can_be_chosen(box):
    for draw in (grids.distinct_grids, grids.random_grids):
        drawn = draw(60, 3, box=box, first=2)
        assert (drawn[:, 0] == 2).all()
        assert_valid(drawn, Layout(*box))
    with pytest.raises(SudokuError, match="a digit is 1 to"):
        grids.distinct_grids(1, 1, box=box, first=17)


def test_72_4x4_grids_have_the_same_first_digit():
    assert len({g.tobytes() for g in grids.distinct_grids(72, 1, box=(2, 2), first=3)}) == 72
    with pytest.raises(SudokuError, match="only 72"):
        grids.distinct_grids(73, 1, box=(2, 2), first=3)
    with pytest.raises(SudokuError, match="only 288"):
        grids.distinct_grids(289, 1, box=(2, 2))


@pytest.mark.parametrize("layout", [Layout(3, 3, True), Layout(4, 4), Layout(2, 5), Layout(5, 5)])
def test_grids_without_numbers(layout):
    box = layout.box_rows, layout.box_columns
    drawn = grids.distinct_grids(6, 4, box=box, diagonal=layout.diagonal)
    assert_valid(drawn, layout)
    assert len(np.unique(drawn, axis=0)) == 6
    again = grids.distinct_grids(2, 4, box=box, diagonal=layout.diagonal, start=3)
    assert (again == drawn[3:5]).all()
    assert len(next(grids.stream_distinct(10**6, 4, box=box, diagonal=layout.diagonal))) < 200
    other = grids.distinct_grids(6, 5, box=box, diagonal=layout.diagonal)
    assert (other != drawn).any()


def test_the_search_for_a_grid_ends_after_500_attempts(monkeypatch):
    monkeypatch.setattr("sudoku.grids.random_fill._NODES_A_CELL", 0)
    with pytest.raises(SudokuError, match="no 16x16 grid found in 500 attempts; there may be"):
        grids.distinct_grids(1, 1, box=(4, 4))


def test_a_layout_without_grids_is_reported_at_once():
    with pytest.raises(SudokuError, match="there are no 9x9 diagonal antiknight antiking grids"):
        grids.random_grids(1, seed=1, box="3x3+diagonal+antiknight+antiking")


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_with_more_digits_than_python_converts_are_reported(sign):
    long = sign * 10**5000
    for wrong in (
        lambda: grids.count_grids(long, 3),
        lambda: grids.count_grids(3, long),
        lambda: grids.distinct_grids(long, box=(2, 2)),
        lambda: grids.random_grids(1, first=long),
        lambda: grids.random_grids(1, start=long),
        lambda: generate(1, givens=long),
    ):
        with pytest.raises(SudokuError, match="0000"):
            wrong()


@pytest.mark.parametrize("draw", [grids.random_grids, grids.distinct_grids])
def test_numbers_of_grids_from_2_to_the_63_on_are_refused(draw):
    assert draw(2, seed=1, start=2**63 - 3).shape == (2, 81)
    with pytest.raises(SudokuError, match=f"^grid {2**63}: only 2\\^63 can be drawn"):
        draw(2, seed=1, start=2**63 - 2)


@pytest.mark.parametrize("draw", [grids.random_grids, grids.distinct_grids])
@pytest.mark.parametrize("box", [(2, 2), (2, 4)])
def test_arguments_may_be_integers_of_any_type(draw, box):
    class Integer:
        def __index__(self):
            return 3

    drawn = draw(2, seed=Integer(), box=box, start=Integer(), first=Integer())
    assert drawn.tolist() == draw(2, seed=3, box=box, start=3, first=3).tolist()


def test_latin_squares_are_called_so():
    with pytest.raises(LayoutError, match=r"^9x9 latin grids have no numbers"):
        grids.grid_at(0, box="latin")
    with pytest.raises(SudokuError, match="there are only 576 4x4 latin grids, not 577"):
        grids.distinct_grids(577, box="1x4")


def test_one_number_is_no_list_of_numbers():
    with pytest.raises(SudokuError, match=r"^indices is 5; a list of integers is needed"):
        grids.grids_at(5)
