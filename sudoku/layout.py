"""Shape of a grid: N, and the houses.

Cells are numbered ``row * N + column`` from 0. A house is a set of cells with different digits: the
rows, the columns, the boxes or the regions of a jigsaw, and those that a layout adds. A house of
N cells is complete, since it has every digit; one of fewer cells is incomplete.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from dlx.checks import as_index, brief, is_one_of
from sudoku.checks import MAX_SIZE, as_flag, at_least, counted
from sudoku.errors import LayoutError, RegionWarning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class House(NamedTuple):
    """Cells that hold different digits.

    Attributes
    ----------
    name : str
        As ``"region 3"``; each house of a layout has its own. Houses that are called regions divide
        the grid, in place of boxes.
    cells : tuple of int
        2 to N cells, ascending.
    """

    name: str
    cells: tuple[int, ...]

    @property
    def is_region(self) -> bool:
        """Whether it is one of those that divide the grid, in place of boxes."""
        return self.name.startswith("region ")


Box: TypeAlias = "str | tuple[int, int] | Layout | None"
"""How a grid is divided; see `Layout.of`."""


@dataclass(frozen=True, init=False, repr=False)
class Layout:
    """A square grid and its houses.

    Parameters
    ----------
    box_rows, box_columns : int
        Rows and columns of cells in a box; N, their product, is at most 64. Boxes of one row
        or one column are no boxes: the layout of Latin squares.
    diagonal : bool
        Whether both diagonals are houses.
    extra : iterable of House
        More houses.

    Raises
    ------
    LayoutError
        If a side of a box or a house does not fit.

    Examples
    --------
    >>> layout = Layout(2, 3)
    >>> layout.size, layout.cells, layout.houses.shape, layout.house_names[2]
    (6, 36, (18, 6), 'row 3')
    >>> Layout(2, 2, extra=[House("pair", (0, 5)), House("centre", (5, 6, 9, 10))])
    Layout(2x2, centre, pair)
    """

    box_rows: int
    box_columns: int
    extra: tuple[House, ...]

    def __init__(
        self,
        box_rows: int,
        box_columns: int,
        diagonal: bool | None = False,
        extra: Iterable[House] = (),
    ) -> None:
        box_rows, box_columns = _checked_sides(box_rows, box_columns)
        vars(self).update(box_rows=box_rows, box_columns=box_columns, extra=())
        try:
            unchecked = list(extra)
        except TypeError:
            raise LayoutError(f"extra is {brief(extra)}; a list of houses is needed") from None
        houses = [_checked(self, house) for house in unchecked]
        if as_flag(diagonal, "diagonal"):
            houses += NAMES["diagonal"](self)
        by_cells = {house.cells: house for house in reversed(houses)}
        # complete houses first; the order of the others must not depend on the caller
        in_order = sorted(by_cells.values(), key=lambda each: (-len(each.cells), each.cells))
        _check_names(self, in_order)
        vars(self).update(extra=tuple(in_order))

    @classmethod
    def of(
        cls,
        size: int | None = None,
        box: Box = None,
        diagonal: bool | None = False,
        *,
        regions: str | Sequence[Any] | NDArray[Any] | None = None,
    ) -> Layout:
        """The layout of a ``size`` x ``size`` grid.

        Parameters
        ----------
        size : int, optional
            N; by default that of the box or the regions.
        box : str, tuple of int or Layout, optional
            Rows and columns of a box, as ``"2x3"`` or ``(2, 3)``, by default `default_box`; and
            names of more houses, joined by ``+``, as in ``"3x3+diagonal"`` or ``"latin+antiking"``:
            the keys of `NAMES`, and ``latin`` for a grid without boxes. Or a layout.
        diagonal : bool
            Whether both diagonals are houses.
        regions : str or array_like, optional
            The regions of a jigsaw, in place of boxes: the name of the region of each cell,
            N*N characters (blanks and line breaks are ignored), N rows of N, or an array (N, N).

        Raises
        ------
        LayoutError
            If N is out of range, is a prime where boxes are needed, or does not fit the rest.

        Warns
        -----
        RegionWarning
            If a region is not connected.

        Examples
        --------
        >>> Layout.of(9), Layout.of(12, diagonal=True), Layout.of(6, "3x2")
        (Layout(3x3), Layout(3x4, diagonal), Layout(3x2))
        >>> Layout.of(7, "latin"), Layout.of(9, "windoku+diagonal")
        (Layout(1x7), Layout(3x3, diagonal, windoku))
        >>> Layout.of(regions="aaab abbb ccdd ccdd").houses[8:].tolist()
        [[0, 1, 2, 4], [3, 5, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
        """
        size = None if size is None else at_least(size, 0, "size")
        sides, names = parsed(box, size)
        houses = list(box.extra) if isinstance(box, Layout) else []
        if regions is not None:
            if sides is not None:
                one = f"box {sides[0]}x{sides[1]}"
                raise LayoutError(f"{one} and regions: a layout has one of them; leave one out")
            houses, doubts = regions_of(regions)
            for doubt in doubts:
                warnings.warn(doubt, stacklevel=2)
            sides = 1, len(houses)
        if sides is None and size is None:
            raise LayoutError("a layout needs its size, its box or its regions")
        plain = cls(*(sides or default_box(size or 0)))
        if size is not None and plain.size != size:
            raise _wrong_size(plain, size, regions is not None)
        return _shared(plain, as_flag(diagonal, "diagonal"), tuple(houses)).with_houses(names)

    def with_houses(self, names: Sequence[str]) -> Layout:
        """The same layout with the houses of these keys of `NAMES` as well.

        LayoutError if one is no key, or the layout has no such houses.
        """
        try:
            keys: list[Any] = list(names)
        except TypeError:
            keys = [names]
        for key in keys:
            if not is_one_of(key, NAMES):
                known = ", ".join(NAMES)
                raise LayoutError(f"house {brief(key)}: a list of names is needed, of {known}")
        if not keys:
            return self
        added = [house for key in keys for house in NAMES[key](self)]
        return Layout(self.box_rows, self.box_columns, extra=[*self.extra, *added])

    def with_diagonals(self, wanted: bool) -> Layout:
        """The same layout with both diagonals as houses, or without them."""
        others = set(self.extra) - set(NAMES["diagonal"](self))
        return Layout(self.box_rows, self.box_columns, wanted, others)

    @property
    def size(self) -> int:
        """N."""
        return self.box_rows * self.box_columns

    @property
    def cells(self) -> int:
        """N * N."""
        return self.size * self.size

    @property
    def name(self) -> str:
        """``9x9``."""
        return f"{self.size}x{self.size}"

    @property
    def has_boxes(self) -> bool:
        """Whether there are boxes that are neither rows nor columns."""
        return self.box_rows > 1 and self.box_columns > 1

    @property
    def diagonal(self) -> bool:
        """Whether both diagonals are houses."""
        cells = {house.cells for house in self.extra}
        return all(house.cells in cells for house in NAMES["diagonal"](self))

    @property
    def description(self) -> str:
        """``9x9 diagonal windoku``, ``9x9 latin``: N and what there is beside or without boxes."""
        latin = self.size > 1 and not self.has_boxes and not any(self.regions)
        return " ".join([self.name, *["latin"] * latin, *self._names()])

    def __repr__(self) -> str:
        return f"Layout({', '.join([f'{self.box_rows}x{self.box_columns}', *self._names()])})"

    def _names(self) -> list[str]:
        """Names for the houses beside boxes: those of `NAMES` that have these and no others."""
        unnamed = set(self.extra)
        words = []
        for name, houses_of in NAMES.items() if unnamed else ():
            try:
                houses = set(houses_of(self))
            except LayoutError:
                continue
            if houses and houses <= unnamed:
                words.append(name)
                unnamed -= houses
        regions = any(house.is_region for house in unnamed)
        others = [h.name for h in self.extra if h in unnamed and not h.is_region]
        return words + ["regions"] * regions + others

    @cached_property
    def all_houses(self) -> tuple[House, ...]:
        """All houses, the complete ones first: rows, columns, boxes row by row, then the others."""
        n = self.size
        lines = [House(f"row {k + 1}", tuple(range(k * n, k * n + n))) for k in range(n)]
        lines += [House(f"column {k + 1}", tuple(range(k, n * n, n))) for k in range(n)]
        boxes = _boxes(self, "box", gap=0) if self.has_boxes else []
        return (*lines, *boxes, *self.extra)

    @cached_property
    def houses(self) -> NDArray[np.int32]:
        """Cells of each complete one of `all_houses`, ascending: read-only int32[houses, N]."""
        import numpy as np

        complete = [house.cells for house in self.all_houses if len(house.cells) == self.size]
        houses = np.array(complete, np.int32)
        houses.flags.writeable = False
        return houses

    @cached_property
    def house_names(self) -> tuple[str, ...]:
        """The name of each complete house, counted from 1."""
        return tuple(house.name for house in self.all_houses if len(house.cells) == self.size)

    @cached_property
    def incomplete(self) -> tuple[House, ...]:
        """The houses of fewer than N cells."""
        return tuple(house for house in self.extra if len(house.cells) < self.size)

    @cached_property
    def houses_of(self) -> tuple[frozenset[int], ...]:
        """For each cell its houses, by their numbers in `all_houses`."""
        numbers: list[set[int]] = [set() for _ in range(self.cells)]
        for number, house in enumerate(self.all_houses):
            for cell in house.cells:
                numbers[cell].add(number)
        return tuple(map(frozenset, numbers))

    @cached_property
    def peers(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the other cells of its houses, ascending."""
        return tuple(
            tuple(sorted({other for h in houses for other in self.all_houses[h].cells} - {cell}))
            for cell, houses in enumerate(self.houses_of)
        )

    @cached_property
    def peer_masks(self) -> tuple[int, ...]:
        """`peers` as bits: bit k for cell k."""
        masks = [0] * self.cells
        for house in self.all_houses:
            mask = sum(1 << cell for cell in house.cells)
            for cell in house.cells:
                masks[cell] |= mask
        return tuple(mask & ~(1 << cell) for cell, mask in enumerate(masks))

    @cached_property
    def pairs(self) -> NDArray[np.int32]:
        """Pairs of cells that must differ and share no complete house: read-only int32[pairs, 2].

        Lower cell first, ascending.
        """
        import numpy as np

        complete = self.houses.tolist() if self.incomplete else []  # else there are no pairs
        together = {pair for cells in complete for pair in combinations(cells, 2)}
        apart = {pair for house in self.incomplete for pair in combinations(house.cells, 2)}
        pairs = np.array(sorted(apart - together), np.int32).reshape(-1, 2)
        pairs.flags.writeable = False
        return pairs

    @cached_property
    def regions(self) -> tuple[int, ...]:
        """The number of the box or region of each cell, from 0; all 0 without boxes."""
        regions = [house for house in self.extra if house.is_region]
        if self.has_boxes:
            regions = list(self.all_houses[2 * self.size : 3 * self.size])
        number = [0] * self.cells
        for region, house in enumerate(regions):
            for cell in house.cells:
                number[cell] = region
        return tuple(number)

    def cell_name(self, cell: int) -> str:
        """``r3c5`` for the cell in row 3, column 5; LayoutError if there is no such cell.

        >>> Layout(3, 3).cell_name(80)
        'r9c9'
        """
        try:
            number = as_index(cell)
        except TypeError:
            number = -1
        if not 0 <= number < self.cells:
            raise LayoutError(
                f"cell is {brief(cell)}; those of a {self.name} grid are 0 to {self.cells - 1}"
            )
        return cell_name(number, self.size)


@lru_cache(maxsize=32)
def _shared(plain: Layout, diagonal: bool, extra: tuple[House, ...]) -> Layout:
    """One layout for all calls with these arguments: it lists its houses and peers only once."""
    return Layout(plain.box_rows, plain.box_columns, diagonal, extra)


def cell_name(cell: int, n: int) -> str:
    """``r3c5`` for the cell in row 3, column 5 of an N x N grid."""
    row, column = divmod(cell, n)
    return f"r{row + 1}c{column + 1}"


def as_layout(layout: object) -> Layout:
    """A layout; LayoutError for anything else."""
    if not isinstance(layout, Layout):
        raise LayoutError(f"layout is {brief(layout)}; a Layout is needed, such as Layout.of(9)")
    return layout


def parse_box(box: str | tuple[int, int]) -> tuple[int, int]:
    """Rows and columns of a box ``"2x3"`` or ``(2, 3)``; LayoutError for anything else."""
    if isinstance(box, str):
        match = re.fullmatch(r"\s*(\d{1,4})\s*[xX×*]\s*(\d{1,4})\s*", box)
        if match is None:
            names = ", ".join(["latin", *NAMES])
            raise LayoutError(
                f"box or layout {brief(box)}: neither written RxC, as 2x3, nor one of {names}"
            )
        return int(match[1]), int(match[2])
    try:
        rows, columns = map(as_index, box)
    except (TypeError, ValueError):  # not iterable or not of integers, or not two
        raise LayoutError(f"box {brief(box)}: a box is 'RxC' or two integers, as (2, 3)") from None
    return rows, columns


def size_of(box: Box) -> int | None:
    """N, if a box determines it; LayoutError if it is none.

    >>> size_of("2x3+diagonal"), size_of((3, 3)), size_of("windoku"), size_of(None)
    (6, 9, None, None)
    """
    sides, _ = parsed(box)
    return None if sides is None else Layout(*sides).size


def default_box(size: int) -> tuple[int, int]:
    """Rows and columns of the box nearest to a square, with no more rows than columns.

    LayoutError if N is below 4, above 64 or a prime.

    >>> [default_box(size) for size in (4, 6, 8, 10, 12, 25)]
    [(2, 2), (2, 3), (2, 4), (2, 5), (3, 4), (5, 5)]
    """
    if not 4 <= size <= MAX_SIZE:
        n = brief(size)
        if 1 <= size < 4:
            raise LayoutError(f"a {n}x{n} grid has no boxes; Latin squares have boxes 1x{n}")
        raise LayoutError(f"a {n}x{n} grid: N is from 1 to {MAX_SIZE}")
    for rows in range(isqrt(size), 1, -1):
        if size % rows == 0:
            return rows, size // rows
    raise LayoutError(
        f"a {size}x{size} grid has no boxes: {size} is a prime; Latin squares have boxes 1x{size}"
    )


def _wrong_size(layout: Layout, size: int, by_regions: bool) -> LayoutError:
    """The error for a layout that is not of this size, by its regions or by its box."""
    grids = f"a {layout.name} grid, not {size}x{size}"
    if by_regions:
        return LayoutError(f"the regions make {grids}")
    advice = f"rows times columns of a box must be {size}"
    return LayoutError(f"box {layout.box_rows}x{layout.box_columns} makes {grids}: {advice}")


def _checked_sides(rows: int, columns: int) -> tuple[int, int]:
    """Return the sides of a box as ints: a numpy integer might overflow; 1xN for Nx1."""
    try:
        rows, columns = as_index(rows), as_index(columns)
    except TypeError:
        sides = f"{brief(rows)} and {brief(columns)}"
        raise LayoutError(f"box sides {sides}: whole numbers are needed") from None
    box = f"box {brief(rows)}x{brief(columns)}"
    if rows < 1 or columns < 1:
        raise LayoutError(f"{box}: each side of a box is at least 1")
    if rows * columns > MAX_SIZE:
        raise LayoutError(
            f"{box}: a box has at most {MAX_SIZE} cells, as many as a row of the grid; boxes of 3x3"
            " make a grid of 9x9"
        )
    return (1, rows) if columns == 1 else (rows, columns)


def parsed(box: Box, size: int | None = None) -> tuple[tuple[int, int] | None, list[str]]:
    """The sides of a box, if they are known, and the names of more houses.

    >>> parsed("windoku+2x3"), parsed("latin", 7), parsed("7x1+latin")
    (((2, 3), ['windoku']), ((1, 7), []), ((7, 1), []))
    """
    if isinstance(box, Layout):
        return (box.box_rows, box.box_columns), []
    if not isinstance(box, str):
        return (None if box is None else parse_box(box)), []
    words = [word.strip().lower() for word in box.split("+")]
    if len(words) > 1 and "" in words:
        raise LayoutError(f"box {box!r}: there is no name before or after a +")
    names = [word for word in words if word in NAMES]
    # each once: the command's --box and --layout may name the same
    boxes = list(dict.fromkeys(word for word in words if word not in NAMES and word != "latin"))
    sides = parse_box(boxes[0]) if boxes else None
    if "latin" in words:
        if sides is None:
            sides = None if size is None else (1, size)
        elif 1 not in sides:
            raise LayoutError(
                f"latin and {boxes[0]!r}: Latin squares have no boxes; of this size"
                f" they are 1x{sides[0] * sides[1]}"
            )
    if len(boxes) > 1:
        raise LayoutError(f"{boxes[0]!r} and {boxes[1]!r}: a layout has one box")
    return sides, names


def is_latin(box: Box) -> bool:
    """Whether a box is ``latin`` without N."""
    return isinstance(box, str) and parsed(box, 1)[0] == (1, 1) and parsed(box)[0] is None


def _checked(layout: Layout, house: House) -> House:
    try:
        name, cells = house
        if not str.strip(name) or not name.isprintable():
            raise TypeError
        ascending = tuple(sorted(map(as_index, cells)))
    except (TypeError, ValueError):
        raise LayoutError(f"house {brief(house)}: a name and its cells are needed") from None
    if not 2 <= len(set(ascending)) == len(ascending) <= layout.size:
        raise LayoutError(
            f"house {name!r} of {counted(len(ascending), 'cell')}: "
            f"a {layout.name} grid has houses of 2 to {layout.size} different cells"
        )
    if ascending[0] < 0 or ascending[-1] >= layout.cells:
        raise LayoutError(
            f"house {name!r}: cells {ascending[0]} to {ascending[-1]}; "
            f"those of a {layout.name} grid are 0 to {layout.cells - 1}"
        )
    return House(name, ascending)


def _check_names(layout: Layout, houses: Sequence[House]) -> None:
    """Raise LayoutError if two houses of a layout have one name, or if regions overlap."""
    numbers = range(1, layout.size + 1)
    seen = {f"{kind}{number}" for kind in ("row", "column", "box") for number in numbers}
    divided: set[int] = set()
    for house in houses:
        name, cells = house
        if name.replace(" ", "") in seen:
            raise LayoutError(f"house {name!r}: another house of the layout has this name")
        seen.add(name.replace(" ", ""))
        if house.is_region:
            if layout.has_boxes or not divided.isdisjoint(cells):
                raise LayoutError(
                    f"house {name!r}: regions divide a grid in place of boxes; they do not overlap"
                )
            divided.update(cells)


def regions_of(
    regions: str | Sequence[Any] | NDArray[Any],
) -> tuple[list[House], list[RegionWarning]]:
    """The regions of a jigsaw in the order of their first cells, and which are not connected.

    LayoutError if their number or size is wrong.
    """
    import numpy as np

    flat: list[Any]
    if isinstance(regions, str):
        flat = list("".join(regions.split()))
    else:
        try:
            array = np.asarray(regions)
            flat = array.reshape(-1).tolist()
        except ValueError:
            raise LayoutError("regions: rows of different lengths; N rows need N names") from None
        if not all(isinstance(name, Hashable) for name in flat):
            raise LayoutError("regions: a name that is a list, dict or set; a text is needed")
        is_line = array.dtype.kind == "U" and array.ndim == 1
        if is_line and set(map(len, flat)) == {len(flat)}:  # N rows of N characters
            flat = list("".join(flat))
    n = isqrt(len(flat))
    if n * n != len(flat) or not 2 <= n <= MAX_SIZE:
        odd, cell = _odd_row(regions.split() if isinstance(regions, str) else [])
        raise LayoutError(
            f"{counted(len(flat), 'name')} of regions: a jigsaw needs N*N of them, with N from 2 "
            f"to {MAX_SIZE}{odd}",
            cell,
        )
    cells_of: dict[Any, list[int]] = {}
    for cell, name in enumerate(flat):
        cells_of.setdefault(name, []).append(cell)
    name, cells = max(cells_of.items(), key=lambda item: abs(len(item[1]) - n))
    if len(cells) != n:
        ordinal, at = ("last", cells[-1]) if len(cells) > n else ("first", cells[0])
        count = len(cells_of)
        are = "is" if count == 1 else "are"
        others = "" if count == n else f"; there {are} {counted(count, 'region')}, not {n}"
        raise LayoutError(
            f"region {name!r} has {counted(len(cells), 'cell')}: in a {n}x{n} grid each has {n}; "
            f"its {ordinal} is {cell_name(at, n)}{others}",
            at,
        )
    doubts = []
    for name, cells in cells_of.items():
        apart = _apart(cells, n)
        if apart is not None:
            places = f"{cell_name(cells[0], n)} and {cell_name(apart, n)} are apart"
            doubts.append(RegionWarning(f"region {name!r} is not connected: {places}", apart))
    houses = [House(f"region {k}", tuple(cells)) for k, cells in enumerate(cells_of.values(), 1)]
    return houses, doubts


def _odd_row(rows: Sequence[str]) -> tuple[str, int | None]:
    """The first row of another length than most, as the end of a sentence, and its first cell."""
    lengths = [len(row) for row in rows]
    usual = max(lengths, key=lengths.count, default=0)
    odd = next((row for row, length in enumerate(lengths) if length != usual), None)
    if odd is None:
        return "", None
    return f"; row {odd + 1} has {lengths[odd]}, others have {usual}", sum(lengths[:odd])


def _apart(cells: Sequence[int], n: int) -> int | None:
    """The first cell that is not connected to the first of all, if there is one."""
    unreached = set(cells[1:])
    reached = [cells[0]]
    for cell in reached:
        neighbours = {cell - n, cell + n}
        neighbours |= {cell - 1} if cell % n else set()
        neighbours |= {cell + 1} if (cell + 1) % n else set()
        reached += neighbours & unreached
        unreached -= neighbours
    return min(unreached, default=None)


def _diagonals(layout: Layout) -> list[House]:
    n = layout.size
    main, other = range(0, n * n, n + 1), [k * n + n - 1 - k for k in range(n)]
    return [House("diagonal", tuple(main)), House("antidiagonal", tuple(other))]


def _boxes(layout: Layout, name: str, gap: int) -> list[House]:
    """Houses of the form of a box, so many cells apart from each other and from the sides."""
    n, rows, columns = layout.size, layout.box_rows, layout.box_columns
    corners = [
        top * n + left
        for top in range(gap, n - rows - gap + 1, rows + gap)
        for left in range(gap, n - columns - gap + 1, columns + gap)
    ]
    inside = [row * n + column for row in range(rows) for column in range(columns)]
    return [
        House(f"{name} {k}", tuple([corner + cell for cell in inside]))
        for k, corner in enumerate(corners, 1)
    ]


def _windows(layout: Layout) -> list[House]:
    windows = _boxes(layout, "window", gap=1)
    if not layout.has_boxes or not windows:
        raise LayoutError(f"windoku: a {layout.name} grid has no windows without boxes")
    return windows


def _disjoint_groups(layout: Layout) -> list[House]:
    """The cells at one place of all boxes."""
    _boxes_needed(layout, "disjoint")
    boxes = layout.houses[2 * layout.size : 3 * layout.size]
    return [House(f"group {k}", tuple(cells)) for k, cells in enumerate(boxes.T.tolist(), 1)]


def _centres(layout: Layout) -> list[House]:
    """The centres of the boxes."""
    _boxes_needed(layout, "centredot")
    if layout.box_rows % 2 == 0 or layout.box_columns % 2 == 0:
        box = f"{layout.box_rows}x{layout.box_columns}"
        raise LayoutError(f"centredot: boxes of {box} have no centre, their sides must be odd")
    return [House("centre dot", _disjoint_groups(layout)[layout.size // 2].cells)]


def _asterisk(layout: Layout) -> list[House]:
    if layout.size != 9:
        raise LayoutError(f"asterisk: it is defined for 9x9 grids, not {layout.name}")
    return [House("asterisk", (13, 20, 24, 37, 40, 43, 56, 60, 67))]


def _moves(piece: str, steps: Sequence[tuple[int, int]]) -> Callable[[Layout], list[House]]:
    """Houses of two cells that are one move of a chess piece apart."""

    def houses(layout: Layout) -> list[House]:
        n, name = layout.size, layout.cell_name
        return [
            House(f"{piece}'s move {name(cell)} {name(other)}", (cell, other))
            for cell in range(n * n)
            for down, right in steps
            if (other := cell + down * n + right) < n * n and 0 <= cell % n + right < n
        ]

    return houses


def _boxes_needed(layout: Layout, name: str) -> None:
    if not layout.has_boxes:
        raise LayoutError(f"{name}: a layout without boxes has none")


NAMES: dict[str, Callable[[Layout], list[House]]] = {
    "diagonal": _diagonals,
    "maindiagonal": lambda layout: _diagonals(layout)[:1],
    "antidiagonal": lambda layout: _diagonals(layout)[1:],
    "windoku": _windows,
    "disjoint": _disjoint_groups,
    "centredot": _centres,
    "asterisk": _asterisk,
    "antiknight": _moves("knight", ((1, -2), (1, 2), (2, -1), (2, 1))),
    "antiking": _moves("king", ((1, -1), (1, 1))),
}
"""The houses that a name adds to a layout with boxes."""
