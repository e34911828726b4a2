"""Contradictions in a puzzle that are found without a search; candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudoku.grid import Grid
    from sudoku.layout import Layout
    from sudoku.symbols import Symbols


class Repetition(NamedTuple):
    """A digit that is in several cells of a house."""

    digit: int
    house: str
    cells: tuple[int, ...]


def repetition(values: Sequence[int], layout: Layout) -> Repetition | None:
    """Return the least digit that is repeated in the first house where one is.

    `values` are the N*N digits of the puzzle, 0 for a blank.
    """
    peers, cells_of = layout.peer_masks, [0] * (layout.size + 1)
    for cell, value in enumerate(values):  # a fifth of the time of the loop below
        if value:
            if cells_of[value] & peers[cell]:
                break
            cells_of[value] |= 1 << cell
    else:
        return None
    for name, house in layout.all_houses:
        digits = [values[cell] for cell in house if values[cell]]
        if len(set(digits)) < len(digits):
            digit = min(digit for digit in digits if digits.count(digit) > 1)
            return Repetition(digit, name, tuple(cell for cell in house if values[cell] == digit))
    return None


def clash(values: Sequence[int], layout: Layout, symbols: Symbols) -> str:
    """Return `repetition` as text, "" for none."""
    repeated = repetition(values, layout)
    if repeated is None:
        return ""
    number = len(repeated.cells)
    times = "twice in" if number == 2 else f"in {number} cells of"
    cells = ", ".join(map(layout.cell_name, repeated.cells))
    return f"{symbols.names[repeated.digit - 1]} {times} {repeated.house} ({cells})"


def candidate_masks(grid: Grid) -> list[int]:
    """Return the candidates of each cell as a mask, bit d - 1 for digit d.

    They are the digits that no other cell of its houses has, among those of `Grid.candidates`; of a
    filled cell, its own.
    """
    values = grid.digits
    all_digits = (1 << grid.layout.size) - 1
    masks = [all_digits] * len(values)
    if grid.candidates is not None:
        masks = grid.candidates.reshape(-1).tolist()
    for _, house in grid.layout.all_houses:
        used = sum({1 << (values[cell] - 1) for cell in house if values[cell]})
        for cell in house:
            if not values[cell]:
                masks[cell] &= ~used
    return [
        mask & (1 << (value - 1)) if value else mask
        for mask, value in zip(masks, values, strict=True)
    ]


def dead_end(grid: Grid) -> str:
    """Describe a cell without a candidate or a digit without a place in a house; "" for none."""
    layout, names, places = grid.layout, grid.symbols.names, _places(grid)
    empty = (1 << layout.cells) - 1
    for cells in places:
        empty &= ~cells
    if empty:
        cell = (empty & -empty).bit_length() - 1
        value, place = grid.digits[cell], layout.cell_name(cell)
        if value:
            return f"{names[value - 1]} in {place} is not among the candidates of the cell"
        return f"no digit fits {place}"
    # incomplete houses come last, and need not have each digit
    for name, house in zip(layout.house_names, layout.house_masks, strict=False):
        for digit, cells in enumerate(places):
            if not cells & house:
                return f"no place for {names[digit]} in {name}"
    return ""


def _places(grid: Grid) -> list[int]:
    """Return for each digit the cells that have it as a candidate: bit k for cell k.

    These are `candidate_masks` by digits: for 9x9 some ten times as fast, slower for large grids.
    """
    digits, peers = range(1, grid.layout.size + 1), grid.layout.peer_masks
    cells_of, seen = [0] * (len(digits) + 1), [0] * (len(digits) + 1)
    for cell, value in enumerate(grid.digits):
        cells_of[value] |= 1 << cell
        if value:
            seen[value] |= peers[cell]
    places = [cells_of[0] & ~seen[digit] | cells_of[digit] for digit in digits]
    if grid.candidates is not None:
        masks = grid.candidates.reshape(-1).tolist()
        for digit in digits:
            excluded = sum(1 << k for k, mask in enumerate(masks) if not mask >> digit - 1 & 1)
            places[digit - 1] &= ~excluded
    return places
