"""Rates a second on one core: generating, rating, explaining, grids, reading and writing.

Each rate works on the puzzles of a file, as the subjects of `benchmarks.subjects` do, and returns
the number of things done.
"""

from collections.abc import Callable
from typing import Any

Work = Callable[[], dict[str, Any]]

MADE, RATED, EXPLAINED, GRIDS, READ = 10_000, 200, 20, 50_000, 50_000
"""How many puzzles are made, rated and explained, grids drawn, puzzles read and written."""


def generating(**options: Any) -> Callable[[str], Work]:
    """Make puzzles."""

    def prepare(text: str) -> Work:
        from sudoku.generate import generate

        return lambda: {"done": len(generate(MADE, seed=1, jobs=1, **options))}

    return prepare


def rating(text: str) -> Work:
    """Rate puzzles by the steps that a person needs."""
    from sudoku.explain.rating import rate_batch

    puzzles = text.split()[:RATED]
    return lambda: {"done": sum(1 for _ in rate_batch(puzzles))}


def explaining(text: str) -> Work:
    """Find all steps of puzzles with their sentences."""
    from sudoku.explain.solve_steps import solve_steps

    puzzles = text.split()[:EXPLAINED]

    def work() -> dict[str, Any]:
        for puzzle in puzzles:
            for _ in solve_steps(puzzle):
                pass
        return {"done": len(puzzles)}

    return work


def grids(kind: str) -> Callable[[str], Work]:
    """Draw complete grids, distinct ones, or find the numbers of grids."""

    def prepare(text: str) -> Work:
        import sudoku

        if kind == "random":
            return lambda: {"done": len(sudoku.random_grids(GRIDS, seed=1))}
        if kind == "distinct":
            return lambda: {"done": len(sudoku.distinct_grids(GRIDS, seed=1))}
        drawn = sudoku.random_grids(GRIDS, seed=1)
        return lambda: {"done": len(sudoku.indices_of(drawn))}

    return prepare


def reading(form: str) -> Callable[[str], Work]:
    """Read puzzles that are written as lines, as grids or as CSV."""

    def prepare(text: str) -> Work:
        from sudoku.reading.reader import Reader

        puzzles = (text.split() * (READ // len(text.split()) + 1))[:READ]
        if form == "grid":
            rows = range(0, 81, 9)
            puzzles = ["\n".join(puzzle[k : k + 9] for k in rows) + "\n" for puzzle in puzzles]
        if form == "csv":
            puzzles = ["number,puzzle", *(f"{k},{puzzle}" for k, puzzle in enumerate(puzzles))]
        whole = "\n".join(puzzles) + "\n"
        return lambda: {"done": sum(map(len, Reader().text(whole)))}

    return prepare


def writing(form: str) -> Callable[[str], Work]:
    """Write complete grids."""

    def prepare(text: str) -> Work:
        import sudoku
        from sudoku.writing.texts import lines, render_all

        drawn = sudoku.random_grids(READ, seed=1)
        layout, symbols = sudoku.Layout.of(9), sudoku.Symbols.default(9)
        if form == "line":
            return lambda: {"done": lines(drawn, symbols).count(b"\n")}
        return lambda: {"done": len(render_all(drawn, layout, symbols, form))}

    return prepare


RATES: dict[str, Callable[[str], Work]] = {
    "generate: minimal puzzles": generating(),
    "generate: minimal, half-turn symmetry": generating(symmetry="rotate180", minimal="group"),
    "generate: 30 givens": generating(givens=30, minimal=False),
    "rate puzzles": rating,
    "explain puzzles, all steps with sentences": explaining,
    "draw grids, uniformly": grids("random"),
    "draw distinct grids": grids("distinct"),
    "number grids": grids("numbers"),
    "read puzzles, lines": reading("line"),
    "read puzzles, grids": reading("grid"),
    "read puzzles, CSV": reading("csv"),
    "write grids, lines": writing("line"),
    "write grids, with rules": writing("pretty"),
}
"""Each rate by its name in the table."""
