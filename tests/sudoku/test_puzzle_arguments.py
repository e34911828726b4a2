"""The arguments that all functions of one puzzle have: its diagonals, its box, its symbols."""

from functools import partial

import pytest

import sudoku
from tests.modes import kernel, long

pytestmark = kernel

SYMBOLS = "abcdef"
VALUES = [int(digit) for digit in "000060000500000000500320000400000000"]
GRID = sudoku.Grid(sudoku.Layout(3, 2, diagonal=True), VALUES, SYMBOLS)
FUNCTIONS = {
    "solve": sudoku.solve,
    "solutions": lambda *puzzle, **options: list(sudoku.solutions(*puzzle, **options, limit=2)),
    "count_solutions": partial(sudoku.count_solutions, limit=100),
    "is_unique": sudoku.is_unique,
    "why": sudoku.why,
    "sample": lambda *puzzle, **options: sudoku.sample(*puzzle, 2, seed=1, **options),
    "candidates": sudoku.candidates,
    "reduce": sudoku.reduce,
    "difficulty": sudoku.difficulty,
    "rate": sudoku.rate,
    "solve_steps": lambda *puzzle, **options: list(sudoku.solve_steps(*puzzle, **options)),
    "svg": sudoku.svg,
}


LONG = ("reduce", "difficulty")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=long if name in LONG else ()) for name in FUNCTIONS]
)
def test_a_text_with_its_arguments_is_the_grid(name):
    function, text = FUNCTIONS[name], str(GRID)
    expected = function(GRID)
    assert function(text, diagonal=True, box="3x2", symbols=SYMBOLS) == expected
    assert function(text, diagonal=True, box=(3, 2), symbols=list(SYMBOLS)) == expected
