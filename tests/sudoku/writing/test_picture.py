"""Pictures of grids, of steps and of what else a step shows."""

from xml.etree import ElementTree

import pytest

from sudoku.errors import PuzzleError
from sudoku.explain.drawing import svg
from sudoku.explain.rating import rate, rate_batch
from sudoku.explain.solve_steps import solve_steps
from sudoku.reading.convert import as_grid
from sudoku.solving.candidates import candidates
from sudoku.solving.solve import solve
from sudoku.writing import picture as pictures

EASY = "..8..9.3....3...413..4..78.4..1.3.......6...57.58....9.7..2..............34....7."
WING = "3..2.9.4.9.6...2.1.7...43.....84.9.....7.....6......38..2.3......3.8.1.28..9.1..."


def elements(picture, kind):
    """Elements with a class, anywhere in the picture."""
    root = ElementTree.fromstring(picture)
    return [e for e in root.iter() if kind in e.get("class", "").split()]


def texts(found):
    return ["".join(e.itertext()) for e in found]


def test_picture_distinguishes_givens_from_digits_found():
    puzzle = as_grid(EASY)
    picture = svg(puzzle, solution=solve(EASY))
    assert texts(elements(picture, "given")) == [c for c in EASY if c != "."]
    assert len(elements(picture, "found")) == EASY.count(".")
    assert not elements(picture, "mark") and not elements(picture, "shade")
    assert puzzle._repr_svg_() == svg(puzzle)


def test_picture_of_pencil_marks_diagonals_and_houses():
    puzzle = as_grid("1..4 ..2. .1.. ....", diagonal=True)
    about = puzzle.values.reshape(-1).tolist(), puzzle.layout, puzzle.symbols
    left = [digits for row in puzzle_marks(puzzle) for digits in row]
    shown = pictures.Marks(candidates=left, houses=["row 3", "diagonal"])
    picture = pictures.svg(*about, marks=shown)
    assert len(elements(picture, "shade")) == 8
    assert len(elements(picture, "house")) == 7
    marks = sum(len(cell) for row in puzzle_marks(puzzle) for cell in row if len(cell) != 0)
    assert len(elements(picture, "mark")) == marks
    with pytest.raises(ValueError, match="row 5"):
        pictures.svg(*about, marks=pictures.Marks(houses=["row 5"]))


def puzzle_marks(puzzle):
    blank = puzzle.values == 0
    return [
        [cell if blank[r, c] else () for c, cell in enumerate(row)]
        for r, row in enumerate(candidates(puzzle))
    ]


def test_picture_of_a_step():
    step = next(step for step in solve_steps(WING) if step.technique == "X-wing")
    picture = svg(as_grid(WING), step=step)
    assert len(elements(picture, "gone")) == len(step.deleted) > 0
    assert len(elements(picture, "pattern")) == 4
    assert texts(elements(picture, "one")) == [str(step.digits[0])] * len(step.pattern)


def test_puzzle_and_step_show_themselves():
    first, *others = solve_steps(WING)
    assert svg(WING) == as_grid(WING)._repr_svg_()
    assert first._repr_svg_() == svg(WING, step=first)
    assert others[-1]._repr_svg_() == svg(WING, step=others[-1])
    assert len(elements(svg(WING, solution=str(solve(WING))), "found")) == WING.count(".")
    with pytest.raises(ValueError, match="16 cells; 9x9 has 81"):
        svg(WING, solution="1234341221434321")
    with pytest.raises(PuzzleError, match=r"^the solution differs from the puzzle in r1c3$"):
        svg("1.3." + "." * 12, solution="12" * 8)
    with pytest.raises(PuzzleError, match=r"^solution: 5 is no grid: text, lists, an array"):
        svg(WING, solution=5)
    with pytest.raises(PuzzleError, match="step is 3; one of those of solve_steps is needed"):
        svg(WING, step=3)
    with pytest.raises(PuzzleError, match=r"one of Layout\(3x3\), the puzzle of Layout\(2x2\)"):
        svg("." * 16, step=first)


def test_pictures_and_ratings_accept_the_puzzles_that_solving_accepts():
    ask = {"diagonal": True, "box": "3x2", "symbols": "abcdef"}
    complete = str(solve("." * 36, **ask))
    text = "".join(cell if k % 3 else "." for k, cell in enumerate(complete))
    puzzle = as_grid(text, **ask)
    assert svg(text, **ask) == svg(puzzle)
    assert len(elements(svg(text, **ask, solution=complete), "found")) == 12
    assert rate(text, **ask) == rate(puzzle) == next(rate_batch([text], **ask))
    assert rate(text, **ask, hardest="hidden single").counts.keys() <= {"guess", "hidden single"}
    assert next(solve_steps(text, **ask)).to_dict() == next(solve_steps(puzzle)).to_dict()


def test_symbols_are_escaped_and_long_words_are_squeezed():
    puzzle = as_grid("<& . . . . unimaginably . . . . c . . . . d", symbols="<& unimaginably c d")
    picture = svg(puzzle, marks=True)
    assert texts(elements(picture, "given")) == ["<&", "unimaginably", "c", "d"]
    assert 'textLength="54"' in picture
