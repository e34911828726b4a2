"""Layouts: boxes and houses."""

import re

import numpy as np
import pytest

from sudoku.errors import LayoutError
from sudoku.layout import NAMES, House, Layout, default_box
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
        ("0x9", "at least 1"),
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


def jigsaw():
    return Layout.of(regions="aabbbb aabbcc aaddcc eeddcc eeddff eeffff")


def test_regions_of_a_jigsaw():
    layout = jigsaw()
    named = dict(zip(layout.house_names, layout.houses.tolist(), strict=True))
    assert named["region 1"] == [0, 1, 6, 7, 12, 13]
    assert named["region 6"] == [28, 29, 32, 33, 34, 35]
    assert len(named) == 18 and not layout.has_boxes
    assert layout.regions[:6] == (0, 0, 1, 1, 1, 1)
    assert Layout(2, 3).regions[:8] == (0, 0, 0, 1, 1, 1, 0, 0)
    assert set(Layout(1, 7).regions) == {0}
    assert Layout.of(regions=np.array(layout.regions).reshape(6, 6)) == layout


@pytest.mark.parametrize("names", ["aabb aabb ccdd ccdd", "aaab abbb ccdd ccdd", "ab ab"])
def test_regions_as_a_list_of_rows(names):
    """The rows themselves were names: of the first example, of a grid of 2x2 with two regions."""
    layout = Layout.of(regions=names)
    assert Layout.of(regions=names.split()) == layout
    assert Layout.of(regions=np.array(names.split())) == layout


def test_regions_as_names_of_several_characters():
    assert Layout.of(regions=["up", "up", "down", "down"]) == Layout.of(regions="uudd")


@pytest.mark.parametrize("size", [4, 6, 9])
@pytest.mark.parametrize("name", sorted(NAMES))
def test_houses_of_a_name(size, name):
    try:
        layout = Layout.of(size, name)
    except LayoutError as error:
        assert (name, size) in {
            ("asterisk", 4),
            ("asterisk", 6),
            ("centredot", 4),
            ("centredot", 6),
        }
        assert name in str(error)
        return
    assert layout.extra
    assert all(sorted(set(cells)) == list(cells) for _, cells in layout.extra)
    assert layout == Layout(layout.box_rows, layout.box_columns, extra=reversed(layout.extra))
    assert repr(layout) == f"Layout({layout.box_rows}x{layout.box_columns}, {name})"


def test_windows_centres_and_groups():
    windoku = Layout.of(9, "windoku")
    assert windoku.extra[1] == House("window 2", (14, 15, 16, 23, 24, 25, 32, 33, 34))
    assert Layout.of(9, "centredot").extra[0].cells == (10, 13, 16, 37, 40, 43, 64, 67, 70)
    assert Layout.of(4, "disjoint").extra[3] == House("group 4", (5, 7, 13, 15))
    asterisk = Layout.of(9, "asterisk").extra[0]
    assert [Layout(3, 3).cell_name(c) for c in asterisk.cells] == (
        ["r2c5", "r3c3", "r3c7", "r5c2", "r5c5", "r5c8", "r7c3", "r7c7", "r8c5"]
    )


def test_moves_are_those_of_the_pieces():
    for name, move in [("antiknight", {1, 2}), ("antiking", {1})]:
        layout = Layout.of(6, name)
        at = [divmod(cell, 6) for cell in range(36)]
        expected = [
            (a, b)
            for a in range(36)
            for b in range(a + 1, 36)
            if {abs(at[a][0] - at[b][0]), abs(at[a][1] - at[b][1])} == move
        ]
        assert sorted(house.cells for house in layout.incomplete) == expected
        together = {(a, b) for cells in layout.houses.tolist() for a in cells for b in cells}
        assert layout.pairs.tolist() == [list(p) for p in expected if p not in together]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"size": 9, "box": "windku"},
            "box or layout 'windku': neither written RxC, as 2x3, nor one of latin",
        ),
        ({"size": 9, "box": "windoku+"}, "no name before or after a +"),
        (
            {"size": 9, "box": "latin+3x3"},
            "latin and '3x3': Latin squares have no boxes; of this size they are 1x9",
        ),
        ({"size": 7}, "7 is a prime"),
        ({"size": 65, "box": "latin"}, "at most 64"),
        ({"box": "latin"}, "needs its size"),
        ({"size": 9, "regions": "aaab abbb ccdd ccdd"}, "the regions make a 4x4 grid, not 9x9"),
        ({"regions": "aaab abbb ccdd ccd"}, "15 names of regions"),
        ({"regions": "aaab abbb ccdd cccd"}, "region 'c' has 5 cells: in a 4x4 grid each has 4"),
        ({"size": 7, "box": "latin+windoku"}, "windoku: a 7x7 grid has no windows"),
    ],
)
def test_layouts_that_contradict_themselves_are_refused(arguments, message):
    with pytest.raises(LayoutError, match=re.escape(message)):
        Layout.of(**arguments)


@pytest.mark.parametrize(
    "house", [House("one", (3,)), House("six", (0, 1, 2, 3, 4)), House("out", (15, 16))]
)
def test_houses_that_do_not_fit_are_refused(house):
    with pytest.raises(LayoutError, match=f"house '{house.name}'"):
        Layout(2, 2, extra=[house])


@pytest.mark.parametrize("name", [None, 1, b"a", "", " ", "a\nb"])
def test_names_of_houses_are_text(name):
    with pytest.raises(LayoutError, match="a name and its cells are needed"):
        Layout(2, 2, extra=[(name, (0, 1))])


@pytest.mark.parametrize("names", [("pair", "pair"), ("a", "row 1"), ("box4", "a"), ("a b", "ab")])
def test_each_house_has_its_own_name(names):
    houses = [House(name, (cell, cell + 5)) for cell, name in enumerate(names)]
    with pytest.raises(LayoutError, match="another house of the layout has this name"):
        Layout(2, 2, extra=houses)


@pytest.mark.parametrize("sides", [(2, 2), (1, 4)])
def test_regions_do_not_overlap_boxes_or_regions(sides):
    houses = [House("region 1", (0, 1, 4, 9)), House("region 2", (1, 2, 6, 10))]
    with pytest.raises(LayoutError, match="they do not overlap"):
        Layout(*sides, extra=houses)


def test_a_region_in_two_pieces_is_reported():
    with pytest.warns(UserWarning, match="region 'a' is not connected"):
        layout = Layout.of(regions="aaba bbba ccdd ccdd")
    assert layout.extra[0].cells == (0, 1, 3, 7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"box": np.zeros((4, 4), int)}, "a box is 'RxC' or two integers"),
        ({"regions": [[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4], [3, 3, 4]]}, "different lengths"),
    ],
)
def test_arrays_that_are_no_layout_are_refused_in_one_line(arguments, message):
    with pytest.raises(LayoutError, match=message) as error:
        Layout.of(**arguments)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("names", [None, 0, 5, "diagonal", ["x"], [None], [["diagonal"]]])
def test_names_that_add_no_houses_are_refused(names):
    with pytest.raises(LayoutError, match=r"^house .*: a list of names is needed, of diagonal, "):
        Layout(3, 3).with_houses(names)
    assert Layout(3, 3).with_houses(iter(["diagonal"])) == Layout(3, 3, diagonal=True)


@pytest.mark.parametrize("cell", [None, -1, 81, 1.5, True, "1", [1], 10**30])
def test_a_cell_that_is_not_there_has_no_name(cell):
    with pytest.raises(LayoutError, match=r"^cell is .*; those of a 9x9 grid are 0 to 80$"):
        Layout(3, 3).cell_name(cell)


@pytest.mark.parametrize("name", [{}, {"a"}])
def test_names_of_regions_that_are_no_texts_are_refused(name):
    with pytest.raises(LayoutError, match=r"^regions: a name that is a list, dict or set"):
        Layout.of(regions=["aabb", "aabb", "ccdd", ["c", "c", "d", name]][3:] * 4)


def test_calls_with_the_same_arguments_share_a_layout():
    assert Layout.of(9) is Layout.of(9, "3x3") is not Layout.of(9, diagonal=True)
    assert Layout.of(9, diagonal=True) is Layout.of(9, "3x3", True)
    regions = "aaab abbb ccdd ccdd"
    assert Layout.of(regions=regions) is Layout.of(regions=regions)
