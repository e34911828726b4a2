"""Steps and ratings of puzzles as text, as JSON and as a table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from sudoku.explain import NONE, UNIQUE
from sudoku.explain.techniques import LEVELS

if TYPE_CHECKING:
    from sudoku.explain.rating import Rating
    from sudoku.explain.solve_steps import Steps
    from sudoku.explain.steps import Step
    from sudoku.grid import Grid


def conclusion(steps: Steps, found: Sequence[Step]) -> str:
    """Return one sentence on the result of the steps that were found."""
    if steps.outcome == UNIQUE and not found:
        return "Nothing to do: the grid is complete."
    if steps.outcome == UNIQUE:
        hardest = max(found, key=lambda step: step.weight)
        guesses = sum(step.technique == "guess" for step in found)
        guessed = f" ({guesses} of them guesses)" if guesses else ""
        count = "one step" if len(found) == 1 else f"{len(found)} steps"
        return f"Solved in {count}{guessed}; the hardest: {hardest.technique}."
    if steps.outcome == NONE:
        return "There is no solution."
    blank = steps.puzzle.layout.cells - steps.grid.num_givens
    return f"Logic ends here: the puzzle has several solutions, and {blank} cells are still open."


def steps_text(steps: Steps, found: Sequence[Step]) -> Iterator[str]:
    """Yield the steps as numbered lines, then the conclusion and the grid."""
    width = len(str(len(found)))
    for number, step in enumerate(found, 1):
        yield f"{number:{width}}. {step.text}\n"
    if not found or found[-1].technique != "contradiction":
        yield f"{conclusion(steps, found)}\n{steps.grid:pretty}\n"


def steps_json(steps: Steps, found: Sequence[Step], number: int) -> Iterator[str]:
    """Yield a JSON object as a line for each step; for a puzzle without steps, one for step 0.

    `number` is that of the puzzle, from 1.
    """
    from sudoku.explain.steps import Step

    end, puzzle = conclusion(steps, found), steps.puzzle
    empty = Step(technique="", weight=0.0, text=end, puzzle=puzzle, grid=steps.grid)
    for place, step in list(enumerate(found, 1)) or [(0, empty)]:
        outcome = steps.outcome if place == len(found) else None
        values = {"puzzle": number, "step": place, **step.to_dict(), "outcome": outcome}
        yield json.dumps(values, ensure_ascii=False) + "\n"


def rating_json(puzzle: Grid, rating: Rating) -> str:
    """Return a rating as a JSON object on one line."""
    return json.dumps({"puzzle": f"{puzzle:line}", **rating._asdict()}, ensure_ascii=False) + "\n"


def level_table(levels: Mapping[str, Counter[int]]) -> str:
    """Return for each file the shares of its puzzles that techniques up to each level solve.

    `levels` has how many puzzles of a file need each level; -1 stands for those not unique.
    """
    rows = [["file", "puzzles", *LEVELS[:-1], "with guesses", "not unique"]]
    for file, counts in levels.items():
        solved = accumulate(counts[level] for level in range(len(LEVELS)))
        shares = [f"{100 * count / counts.total():.1f} %" for count in (*solved, counts[-1])]
        rows.append([file, str(counts.total()), *shares])
    first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    return "".join(
        "  ".join([name.ljust(first), *map(str.rjust, cells, others)]).rstrip() + "\n"
        for name, *cells in rows
    )
