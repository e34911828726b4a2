"""Contradictions that are found without a search."""

import numpy as np
import pytest

import sudoku
from sudoku.grid import Grid
from sudoku.layout import Layout
from sudoku.solving.contradiction import candidate_masks, dead_end, repetition

LAYOUTS = [Layout(2, 2), Layout(2, 3, diagonal=True), Layout.of(4, "2x2+antiknight")]


def naive_masks(grid):
    """Each digit that no other cell of a house has; of a filled cell its own."""
    layout, values = grid.layout, grid.digits
    masks = [(1 << layout.size) - 1] * layout.cells
    if grid.candidates is not None:
        masks = grid.candidates.reshape(-1).tolist()
    for cell, value in enumerate(values):
        others = {
            values[other]
            for house in layout.all_houses
            if cell in house.cells
            for other in house.cells
        }
        for digit in range(1, layout.size + 1):
            if digit != value if value else digit in others:
                masks[cell] &= ~(1 << digit - 1)
    return masks


def naive_dead_end(grid):
    """The message about the first cell, or else the first house and digit, by the masks."""
    layout, masks = grid.layout, naive_masks(grid)
    for cell, mask in enumerate(masks):
        if not mask:
            value, name = grid.digits[cell], layout.cell_name(cell)
            given = f"{value} in {name} is not among the candidates of the cell"
            return given if value else f"no digit fits {name}"
    for house in layout.all_houses:
        for digit in range(1, layout.size + 1):
            places = [cell for cell in house.cells if masks[cell] >> digit - 1 & 1]
            if len(house.cells) == layout.size and not places:
                return f"no place for {digit} in {house.name}"
    return ""


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("few", [False, True])
def test_dead_ends_and_repetitions_are_those_of_naive_loops(layout, few):
    rng = np.random.default_rng(1)
    said = set()
    for _ in range(300):
        values = rng.integers(1, layout.size + 1, layout.cells)
        values[rng.random(layout.cells) < rng.choice([0.5, 0.8, 0.95])] = 0
        masks = rng.integers(1, 1 << layout.size, layout.cells) if few else None
        grid = Grid(layout, values, candidates=masks)
        repeated = [
            (digit, house.name)
            for house in layout.all_houses
            for digit in range(1, layout.size + 1)
            if [values[cell] for cell in house.cells].count(digit) > 1
        ]
        found = repetition(grid.digits, layout)
        assert (found and found[:2]) == (repeated[0] if repeated else None)
        assert candidate_masks(grid) == naive_masks(grid)
        assert dead_end(grid) == naive_dead_end(grid)
        said.add(dead_end(grid).partition(" in ")[0].partition(" fits ")[0])
    assert len(said) > 2


def test_incomplete_houses_need_not_have_each_digit():
    layout = Layout.of(4, "2x2+antiknight")
    assert dead_end(sudoku.as_grid("." * 16, box=layout)) == ""
