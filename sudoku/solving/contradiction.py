"""Contradictions in a puzzle that are found without a search; candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

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
    masks: list[int] = _masks(grid).tolist()
    return masks


def _masks(grid: Grid) -> NDArray[np.uint64]:
    """Return `candidate_masks` as an array."""
    import numpy as np

    layout, values = grid.layout, grid.values.reshape(-1).astype(np.uint64)
    filled, used = values > 0, np.zeros(len(values), np.uint64)
    own = filled << (values - np.uint64(1))
    for houses in (layout.houses, layout.pairs) if layout.incomplete else (layout.houses,):
        np.bitwise_or.at(used, houses, np.bitwise_or.reduce(own[houses], axis=1, keepdims=True))
    masks = np.where(filled, own, np.uint64((1 << layout.size) - 1) & ~used)
    return masks if grid.candidates is None else masks & grid.candidates.reshape(-1)


def dead_end(grid: Grid) -> str:
    """Describe a cell without a candidate or a digit without a place in a house; "" for none."""
    import numpy as np

    layout, names, masks = grid.layout, grid.symbols.names, _masks(grid)
    if not masks.all():
        cell = int(masks.argmin())
        value, place = grid.digits[cell], layout.cell_name(cell)
        if value:
            return f"{names[value - 1]} in {place} is not among the candidates of the cell"
        return f"no digit fits {place}"
    all_digits = (1 << layout.size) - 1
    # incomplete houses need not have each digit
    for house, digits in enumerate(np.bitwise_or.reduce(masks[layout.houses], axis=1).tolist()):
        if digits != all_digits:
            missing = all_digits & ~digits
            digit = (missing & -missing).bit_length()
            return f"no place for {names[digit - 1]} in {layout.house_names[house]}"
    return ""
