"""Layouts: boxes and houses."""

import pytest

from sudoku.errors import LayoutError
from sudoku.layout import Layout, default_box
from tests import naive


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("box", [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5), (3, 4)])
def test_houses_agree_with_the_rules(box, diagonal):
    layout = Layout(*box, diagonal)
    expected = naive.sudoku_houses(*box, diagonal)
    assert sorted(map(sorted, layout.houses.tolist())) == sorted(map(sorted, expected))
    assert len(layout.house_names) == len(layout.houses)
    assert not layout.houses.flags.writeable


def test_house_names_belong_to_their_cells():
    layout = Layout(2, 3, True)
    named = dict(zip(layout.house_names, layout.houses.tolist(), strict=True))
    assert named["row 2"] == [6, 7, 8, 9, 10, 11]
    assert named["column 6"] == [5, 11, 17, 23, 29, 35]
    assert named["box 4"] == [15, 16, 17, 21, 22, 23]
    assert named["diagonal"] == [0, 7, 14, 21, 28, 35]
    assert named["antidiagonal"] == [5, 10, 15, 20, 25, 30]


def test_default_boxes():
    boxes = {4: (2, 2), 6: (2, 3), 8: (2, 4), 9: (3, 3), 10: (2, 5), 12: (3, 4), 15: (3, 5)}
    boxes |= {16: (4, 4), 18: (3, 6), 20: (4, 5), 25: (5, 5), 36: (6, 6)}
    assert {size: default_box(size) for size in boxes} == boxes


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 7, 11, 13, 23, 31, 65, 100])
def test_sizes_without_boxes_are_refused(size):
    with pytest.raises(LayoutError, match=f"{size}x{size}"):
        default_box(size)


@pytest.mark.parametrize(
    ("box", "message"),
    [
        ("2x3", "makes a 6x6 grid, not 9x9"),
        ("3", "written RxC"),
        ("axb", "written RxC"),
        ("1x9", "at least 2"),
        ("9x9", "at most 64"),
        ((2, 4), "not 9x9"),
        ((3,), r"box \(3,\): a box is 'RxC' or two integers"),
        (3, "box 3: a box is 'RxC' or two integers"),
        ((3, 3, 3), "two integers"),
        ((3.0, 3), "two integers"),
        ((None, 3), "two integers"),
    ],
)
def test_boxes_that_do_not_fit_are_refused(box, message):
    with pytest.raises(LayoutError, match=message):
        Layout.of(9, box)
