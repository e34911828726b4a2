"""Reasons why a puzzle has no solution that can be seen without a search.

In all functions `values` are the N*N digits of the puzzle, 0 for a blank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudoku.layout import Layout
    from sudoku.symbols import Symbols


def clash(values: Sequence[int], layout: Layout, symbols: Symbols) -> str:
    """Return the first digit that is twice in a house, with house and cells, or ""."""
    for name, house in layout.all_houses:
        digits = [values[cell] for cell in house if values[cell]]
        if len(set(digits)) == len(digits):
            continue
        digit = min(digit for digit in digits if digits.count(digit) > 1)
        cells = [layout.cell_name(cell) for cell in house if values[cell] == digit]
        often = "twice" if len(cells) == 2 else f"{len(cells)} times"
        return f"{symbols.names[digit - 1]} {often} in {name} ({', '.join(cells)})"
    return ""


def dead_end(values: Sequence[int], layout: Layout, symbols: Symbols) -> str:
    """Return a cell without a candidate or a digit without a place in a house, or "".

    The candidates of a blank cell are the digits that no other cell of its houses has.
    """
    full = (1 << layout.size) - 1
    candidates = [0 if value else full for value in values]
    for _, house in layout.all_houses:
        used = sum({1 << (values[cell] - 1) for cell in house if values[cell]})
        for cell in house:
            candidates[cell] &= ~used
    for cell, value in enumerate(values):
        if not value and not candidates[cell]:
            return f"no digit fits {layout.cell_name(cell)}"
    for name, house in zip(layout.house_names, layout.houses.tolist(), strict=True):
        there = {values[cell] for cell in house}
        for digit in range(1, layout.size + 1):
            bit = 1 << (digit - 1)
            if digit not in there and not any(candidates[cell] & bit for cell in house):
                return f"no place for {symbols.names[digit - 1]} in {name}"
    return ""
