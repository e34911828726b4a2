"""Puzzles with exactly one solution, as many and of what kind one likes; and the command.

``python -m sudoku.generate N`` writes N puzzles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index
from typing import TYPE_CHECKING, NoReturn

from sudoku.errors import SudokuError
from sudoku.layout import Layout, parse_box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudoku.guesses import Difficulty as Difficulty
    from sudoku.guesses import difficulty as difficulty

    Cells = NDArray[np.uint8]

__all__ = ["Difficulty", "difficulty", "generate", "stream_puzzles"]

SYMMETRIES = ("none", "rotate180", "rotate90", "mirror", "diagonal", "full")
METHODS = ("dig", "grow")
SOLUTIONS = ("one", "several", "none")
MINIMAL = {"given": "given", "group": "group", "no": "no", True: "given", False: "no"}

Range = int | tuple[int, int] | None


def __getattr__(name: str) -> object:
    if name in ("Difficulty", "difficulty"):
        from sudoku import guesses

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
        givens: how many, or (least, most). Minimal puzzles are chosen by it. Others stop there,
            by default with half of the cells; in a range each number is as likely.
        symmetry: what the pattern of givens looks the same under: ``"none"``, ``"rotate180"``,
            ``"rotate90"``, ``"mirror"`` (left and right), ``"diagonal"`` (rows and columns
            exchanged) or ``"full"`` (all of these).
        box: boxes, rows first; fixes N.
        diagonal: whether both diagonals hold every digit.
        seed: any int; None for one that nobody has used. The same seed gives the same puzzles,
            also as the first ones of a larger n.
        difficulty: (least, most) score by ``sudoku.difficulty``.
        method: ``"dig"`` takes givens out of a random grid; ``"grow"`` adds random digits to an
            empty one until there is one solution, then takes away what is not needed. The
            first is faster and starts from uniformly distributed grids where those have numbers.
        solutions: ``"one"``; ``"several"`` takes one to three more givens away; ``"none"`` adds
            one that is wrong although no house forbids it. The other demands then hold for the
            puzzle before that.
        jobs: threads; the puzzles are the same for any number.

    Raises:
        SudokuError: the demand is impossible, or so rare that it was given up after 200,000
            candidates in a row without a puzzle (fewer for grids larger than 9 x 9).
        LayoutError: no such box.

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
    method: str = "dig",
    solutions: str = "one",
    jobs: int = 1,
) -> Iterator[Cells]:
    """The same in pieces, as they are made. Wrong arguments are told at once.

    >>> sum(len(piece) for piece in stream_puzzles(100, seed=1, box=(2, 2)))
    100
    """
    layout = Layout(*parse_box(box), diagonal)
    if n < 0 or jobs < 1:
        raise SudokuError(f"{n} puzzles by {jobs} jobs: at least 0 puzzles, at least 1 job")
    for name, value, known in (
        ("symmetry", symmetry, SYMMETRIES),
        ("method", method, METHODS),
        ("solutions", solutions, SOLUTIONS),
        ("minimal", minimal, MINIMAL),
    ):
        if value not in known:
            choices = ", ".join(str(choice) for choice in known)
            raise SudokuError(f"{name} {value!r}; there are {choices}")
    kind = MINIMAL[minimal]
    least, most = _givens(givens, layout, kind, symmetry)
    if difficulty is not None:
        try:
            low, high = map(float, difficulty)
        except (TypeError, ValueError):
            raise SudokuError(f"difficulty {difficulty!r}: two scores for a range") from None
        if not 0 <= low <= high:
            raise SudokuError(f"difficulty {low} to {high}: two scores from 0 on, in order")
    from sudoku.draws import fresh_seed
    from sudoku.making import Demand, puzzles

    demand = Demand(layout, kind, least, most, symmetry, difficulty, method, solutions)
    return puzzles(demand, n, fresh_seed() if seed is None else seed, jobs)


def _givens(givens: Range, layout: Layout, minimal: str, symmetry: str) -> tuple[int, int]:
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
    if layout == Layout(3, 3) and most < 17:
        # McGuire, Tugemann, Civario, "There is no 16-clue sudoku", 2012
        raise SudokuError(f"{wanted}: no 9x9 puzzle with fewer than 17 has one solution")
    if most < size - 1:
        raise SudokuError(
            f"{wanted}: with fewer than {size - 1} two digits are missing, and can be exchanged"
        )
    from sudoku.dig import pattern

    sums = 1
    for group in pattern(layout, symmetry).size.tolist():
        sums |= sums << group
    if not any(sums >> number & 1 for number in range(least, most + 1)):
        raise SudokuError(f"{wanted}: no pattern of symmetry {symmetry} has so many cells")
    return least, most


def _slack(symmetry: str) -> int:
    return {"none": 0, "rotate90": 3, "full": 7}.get(symmetry, 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command, see ``sudoku.generate_command``; returns its exit status."""
    try:
        from sudoku.generate_command import main as command

        return command(arguments)
    except KeyboardInterrupt:  # before anything was begun
        return 130


def script() -> NoReturn:
    """``main`` as a process."""
    status = main()
    from sudoku.command import end

    end(status)


if __name__ == "__main__":
    script()
