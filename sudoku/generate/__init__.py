"""Puzzles with exactly one solution, as many and of what kind one likes.

``python -m sudoku.generate N`` writes N puzzles.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import TYPE_CHECKING

from sudoku.checks import whole
from sudoku.errors import SudokuError
from sudoku.grids import check_size
from sudoku.layout import Layout, parse_box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudoku.explain.difficulty import Difficulty as Difficulty
    from sudoku.explain.difficulty import difficulty as difficulty

    Cells = NDArray[np.uint8]

__all__ = ["Difficulty", "difficulty", "generate", "stream_puzzles"]

SYMMETRIES = ("none", "rotate180", "rotate90", "mirror", "diagonal", "full")
METHODS = ("dig", "grow")
SOLUTIONS = ("one", "several", "none")
MINIMAL = {"given": "given", "group": "group", "no": "no", True: "given", False: "no"}

Range = int | tuple[int, int] | None


def __getattr__(name: str) -> object:
    if name in ("Difficulty", "difficulty"):
        from sudoku.explain import difficulty as guesses

        return getattr(guesses, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def generate(
    n: int,
    *,
    minimal: bool | str = True,
    givens: Range = None,
    symmetry: str = "none",
    box: str | tuple[int, int] = (3, 3),
    diagonal: bool = False,
    seed: int | None = None,
    difficulty: tuple[float, float] | None = None,
    rating: tuple[float, float] | None = None,
    method: str = "dig",
    solutions: str = "one",
    jobs: int = 1,
) -> Cells:
    """Puzzles, uint8[n, N*N] with 0 for a blank, each proved to have exactly one solution.

    Args:
        n: how many, at least 0.
        minimal: True or ``"given"``: without any one of its givens a puzzle has several
            solutions. ``"group"``: so it has without any group of givens that the symmetry
            carries into each other, which is a weaker and more common demand. False or
            ``"no"``: givens are left as soon as there are as few as wanted. On grids larger than
            16 x 16 a given also stays where a thousand nodes of search do not tell whether it
            can go; the solution is the only one all the same.
        givens: how many, or (least, most), in the puzzles given out. Minimal puzzles are chosen
            by it. Others stop there, by default with half of the cells; in a range each number is
            drawn as often.
        symmetry: what the pattern of givens looks the same under: ``"none"``, ``"rotate180"``,
            ``"rotate90"``, ``"mirror"`` (left and right), ``"diagonal"`` (rows and columns
            exchanged) or ``"full"`` (all of these).
        box: boxes, rows first; fixes N.
        diagonal: whether both diagonals hold every digit.
        seed: any int; None for one that nobody has used. The same seed gives the same puzzles,
            also as the first ones of a larger n.
        difficulty: (least, most) score by ``sudoku.difficulty``: guesses that search needs.
        rating: (least, most) score by ``sudoku.rate``: the steps that a person needs, from 1.2
            (singles) to above 11 (guesses). Takes a millisecond a puzzle up to 9 x 9, but
            some tenths of a second from 12 x 12 on.
        method: ``"dig"`` takes givens out of a random grid; ``"grow"`` adds random digits to an
            empty one until there is one solution, then takes away what is not needed. The
            first is faster and starts from uniformly distributed grids where those have numbers.
        solutions: ``"one"``; ``"several"`` takes one to three more givens away; ``"none"`` adds
            one that is wrong although no house forbids it; both with the rest of the cells that
            the symmetry carries them into. All demands hold for the puzzles given out, but
            ``minimal``, which is meant of the puzzles before that.
        jobs: threads; the puzzles are the same for any number.

    Raises:
        SudokuError: an argument is wrong; or the demand is impossible, or so rare that it was
            given up: after an effort of 5,000,000 search nodes in a row without a puzzle (see
            ``sudoku.generate.candidates.EFFORT``), the same on every machine. That is about 140,000
            candidates for 9 x 9, 5,000 with diagonals, 12,000 for 8 x 8, 130 for 16 x 16
            and 11 for 25 x 25, and takes 5 to 25 seconds for any layout and demand.
        LayoutError: no such box, or a grid larger than 36 x 36.

    Puzzles are drawn independently of each other: where there are few of a kind, as on 4 x 4
    grids, the same one may come more than once.

    >>> from sudoku import count_batch
    >>> puzzles = generate(3, seed=1, box=(2, 2), symmetry="rotate180", minimal="group")
    >>> count_batch(puzzles).tolist(), bool(((puzzles > 0) == (puzzles > 0)[:, ::-1]).all())
    ([1, 1, 1], True)
    """
    import numpy as np

    parts = stream_puzzles(
        n,
        minimal=minimal,
        givens=givens,
        symmetry=symmetry,
        box=box,
        diagonal=diagonal,
        seed=seed,
        difficulty=difficulty,
        rating=rating,
        method=method,
        solutions=solutions,
        jobs=jobs,
    )
    cells = Layout(*parse_box(box)).cells
    return np.concatenate([np.empty((0, cells), np.uint8), *parts])


def stream_puzzles(
    n: int,
    *,
    minimal: bool | str = True,
    givens: Range = None,
    symmetry: str = "none",
    box: str | tuple[int, int] = (3, 3),
    diagonal: bool = False,
    seed: int | None = None,
    difficulty: tuple[float, float] | None = None,
    rating: tuple[float, float] | None = None,
    method: str = "dig",
    solutions: str = "one",
    jobs: int = 1,
) -> Iterator[Cells]:
    """The same in pieces, as they are made. Wrong arguments are told at once.

    >>> sum(len(piece) for piece in stream_puzzles(100, seed=1, box=(2, 2)))
    100
    """
    layout = Layout(*parse_box(box), diagonal)
    check_size(layout)
    n, jobs = whole("n", n, 0), whole("jobs", jobs, 1)
    for name, value, known in (
        ("symmetry", symmetry, SYMMETRIES),
        ("method", method, METHODS),
        ("solutions", solutions, SOLUTIONS),
        ("minimal", minimal, MINIMAL),
    ):
        if value not in tuple(known):
            choices = ", ".join(str(choice) for choice in known)
            raise SudokuError(f"{name} {value!r}; there are {choices}")
    kind = MINIMAL[minimal]
    least, most = _givens(givens, layout, kind, symmetry, solutions)
    scores = _scores("difficulty", difficulty), _scores("rating", rating)
    from sudoku.generate.candidates import Demand, puzzles
    from sudoku.grids.random_numbers import fresh_seed

    demand = Demand(layout, kind, least, most, symmetry, *scores, method, solutions)
    return puzzles(demand, n, fresh_seed() if seed is None else seed, jobs)


def _scores(name: str, wanted: tuple[float, float] | None) -> tuple[float, float] | None:
    if wanted is None:
        return None
    try:
        if isinstance(wanted, str):
            raise TypeError
        low, high = map(float, wanted)
    except (TypeError, ValueError):
        raise SudokuError(f"{name} {wanted!r}: two scores for a range") from None
    if not 0 <= low <= high:
        raise SudokuError(f"{name} {low} to {high}: two scores from 0 on, in order")
    return low, high


def _givens(
    givens: Range, layout: Layout, minimal: str, symmetry: str, solutions: str
) -> tuple[int, int]:
    """Least and most givens, as far as they are possible at all.

    Raises:
        SudokuError: they are not.
    """
    cells, size = layout.cells, layout.size
    if givens is None:
        return (0, cells) if minimal != "no" else (cells // 2, cells // 2 + _slack(symmetry))
    try:
        least, most = map(index, givens if isinstance(givens, (tuple, list)) else (givens, givens))
    except (TypeError, ValueError):
        raise SudokuError(f"givens {givens!r}: a whole number, or two for a range") from None
    wanted = f"{least} givens" if least == most else f"{least} to {most} givens"
    if not 0 <= least <= most:
        raise SudokuError(f"{wanted}: two numbers from 0 on, in order")
    if least > cells:
        raise SudokuError(f"{wanted}: a {layout.name} grid has {cells} cells")
    if solutions == "one":
        if layout == Layout(3, 3) and most < 17:
            # McGuire, Tugemann, Civario, "There is no 16-clue sudoku", 2012
            raise SudokuError(f"{wanted}: no 9x9 puzzle with fewer than 17 has one solution")
        if most < size - 1:
            raise SudokuError(
                f"{wanted}: with fewer than {size - 1} two digits are missing, and can be exchanged"
            )
        if minimal == "given" and least > cells - size:
            raise SudokuError(
                f"{wanted}: a minimal puzzle has no full row, so at most {cells - size}"
            )
    elif solutions == "several" and least > cells - 4:
        raise SudokuError(f"{wanted}: two solutions differ in 4 cells, so at most {cells - 4}")
    elif solutions == "none" and least > cells - 2:
        raise SudokuError(
            f"{wanted}: a wrong one clashes unless 2 cells are blank, so at most {cells - 2}"
        )
    from sudoku.generate.removal import pattern

    sums = 1
    for group in pattern(layout, symmetry).size.tolist():
        sums |= sums << group
    if not any(sums >> number & 1 for number in range(least, most + 1)):
        raise SudokuError(f"{wanted}: no pattern of symmetry {symmetry} has so many cells")
    return least, most


def _slack(symmetry: str) -> int:
    return {"none": 0, "rotate90": 3, "full": 7}.get(symmetry, 1)
