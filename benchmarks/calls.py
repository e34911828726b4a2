"""Single calls: many calls of one kind in a loop in one process.

``python -m benchmarks.calls NAME`` prints microseconds of CPU time for one call as JSON. The unit
beside it is a sum of 81 bytes with numpy in the same process.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks import problems
from benchmarks.runs import COMPILING, ROOT, Cell, run_process

Call = Callable[[], object]

PUZZLE = "...........4.6...55.6.8.....18.5.9...45...6..9.....8.....2.71.....53..9.73.....8."
KNUTH = [[2, 4, 5], [0, 3, 6], [1, 2, 5], [0, 3], [1, 6], [3, 4, 6]]
"""The example of Knuth, Dancing links (2000): one solution, the options 0, 3 and 4."""

SECONDS, ROUNDS = 0.02, 7
"""CPU time of a round of calls, at least, and the number of rounds, of which the least counts."""


# --- this package ---------------------------------------------------------------------------------


def _array() -> Any:
    import numpy as np

    return np.array([int(c) for c in PUZZLE.replace(".", "0")], np.uint8)


def ours_puzzle(name: str, puzzle: str = PUZZLE, *more: object) -> Call:
    """Call a function of `sudoku` with a puzzle as text.

    >>> ours_puzzle("is_unique")()
    True
    """
    import sudoku

    function = getattr(sudoku, name)
    return lambda: function(puzzle, *more)


def _hexadecimal() -> str:
    """Return a 16x16 puzzle of the package on one line."""
    import sudoku

    return str(next(sudoku.read(str(ROOT / "data" / "grid16.txt"))))


def ours_generate() -> Call:
    """Generate one minimal 9x9 puzzle."""
    from sudoku.generate import generate

    return lambda: generate(1, seed=1)


def ours_array(name: str) -> Call:
    """Call a function of `sudoku` with the puzzle as array; those of batches get a batch of one."""
    import sudoku

    function, puzzle = getattr(sudoku, name), _array()
    if name.endswith("_batch"):
        puzzle = puzzle.reshape(1, 81)
    return lambda: function(puzzle)


def ours_options(name: str) -> Call:
    """Call a function of `dlx` with a list of options.

    >>> ours_options("solve")()
    (0, 3, 4)
    """
    import dlx

    function = getattr(dlx, name)
    return lambda: function(KNUTH)


def ours_problem(name: str, make: Callable[[], Any] | None = None) -> Call:
    """Call a function of `dlx` with a problem."""
    import dlx

    function, problem = getattr(dlx, name), make() if make else dlx.Problem(KNUTH)
    if name == "solutions":
        return lambda: list(function(problem))
    return lambda: function(problem)


# --- peers from the package registry --------------------------------------------------------------


def _matrix() -> Any:
    import numpy as np

    matrix = np.zeros((len(KNUTH), 7), np.int32)
    for number, option in enumerate(KNUTH):
        matrix[number, option] = 1
    return matrix


def exact_cover() -> Call:
    """First solution by the C extension of exact-cover."""
    from exact_cover import get_exact_cover

    matrix = _matrix()
    return lambda: get_exact_cover(matrix)


def sage() -> Call:
    """First solution by the C++ dancing links of passagemath, solver built in the call."""
    from sage.combinat.matrices.dancing_links import dlx_solver

    return lambda: dlx_solver(KNUTH).search()


def xcover() -> Call:
    """First solution by xcover."""
    from xcover import covers

    return lambda: next(covers(KNUTH))


def py_sudoku() -> Call:
    """Solve the puzzle by py-sudoku, whose module has the name of ours."""
    sys.path = [folder for folder in sys.path if folder not in ("", str(ROOT))]
    from sudoku import Sudoku

    rows = [[int(c) for c in PUZZLE.replace(".", "0")[9 * r : 9 * r + 9]] for r in range(9)]
    return lambda: Sudoku(3, 3, board=rows).solve()


def dlxsudoku() -> Call:
    """Solve the puzzle by dlxsudoku."""
    from dlxsudoku import Sudoku

    text = PUZZLE.replace(".", "0")
    return lambda: Sudoku(text).solve()


def dokusan() -> Call:
    """Solve the puzzle by dokusan."""
    from dokusan import solvers
    from dokusan.boards import BoxSize, Sudoku

    text = PUZZLE.replace(".", "0")
    return lambda: solvers.backtrack(Sudoku.from_string(text, box_size=BoxSize(3, 3)))


def sudokutools() -> Call:
    """Solve the puzzle by sudokutools, as an exact cover problem."""
    from sudokutools.solve import dlx
    from sudokutools.sudoku import Sudoku

    puzzle = Sudoku.decode(PUZZLE.replace(".", "0"))
    return lambda: next(iter(dlx(puzzle)))


def sudokum() -> Call:
    """Solve the puzzle by sudokum, which searches at random."""
    from sudokum import solve

    text = PUZZLE.replace(".", "0")
    rows = [[int(c) for c in text[9 * r : 9 * r + 9]] for r in range(9)]
    return lambda: solve(rows)


CALLS: dict[str, Callable[[], Call]] = {
    "sudoku.is_unique(str)": lambda: ours_puzzle("is_unique"),
    "sudoku.solve(str)": lambda: ours_puzzle("solve"),
    "sudoku.is_unique(array)": lambda: ours_array("is_unique"),
    "sudoku.count_batch(array of one)": lambda: ours_array("count_batch"),
    "sudoku.is_unique(str of 16x16)": lambda: ours_puzzle("is_unique", _hexadecimal()),
    "sudoku.why(str)": lambda: ours_puzzle("why"),
    "sudoku.sample(str, 1)": lambda: ours_puzzle("sample", PUZZLE, 1),
    "sudoku.rate(str)": lambda: ours_puzzle("rate"),
    "sudoku.generate.generate(1)": ours_generate,
    "dlx.Problem(6 options)": lambda: ours_options("Problem"),
    "dlx.solve(6 options)": lambda: ours_options("solve"),
    "dlx.solve(problem)": lambda: ours_problem("solve"),
    "dlx.count_solutions(problem)": lambda: ours_problem("count_solutions"),
    "list(dlx.solutions(problem))": lambda: ours_problem("solutions"),
    "dlx.count_solutions(8 queens)": lambda: ours_problem(
        "count_solutions", problems.NAMED["queens8"]
    ),
    "dlx.count_solutions(sudoku as exact cover)": lambda: ours_problem(
        "count_solutions", problems.NAMED["sudoku9x9"]
    ),
    "exact-cover: get_exact_cover(6 options)": exact_cover,
    "sage: dlx_solver(6 options).search()": sage,
    "xcover: next(covers(6 options))": xcover,
    "py-sudoku: Sudoku(...).solve()": py_sudoku,
    "dokusan: backtrack(puzzle)": dokusan,
    "dlxsudoku: Sudoku(puzzle).solve()": dlxsudoku,
    "sudokutools: dlx(puzzle)": sudokutools,
    "sudokum: solve(rows)": sudokum,
}
"""A function for each row of the table, which prepares the call; ours first."""

PEERS = tuple(name for name in CALLS if ": " in name)


def microseconds(call: Call) -> float:
    """Return the CPU time of one call, the least of several rounds."""
    number, best = 1, float("inf")
    rounds = 0
    while rounds < ROUNDS:
        begin = time.process_time()
        for _ in range(number):
            call()
        seconds = time.process_time() - begin
        if seconds < SECONDS:
            number *= 2
        else:
            rounds += 1
            best = min(best, seconds / number)
    return best * 1e6


def measured(name: str, repeats: int, bound: float, env: dict[str, str] | None) -> Cell:
    """Measure a kind of call, each time in a process of its own.

    Returns
    -------
    Cell
        The seconds of a call; ``details["sums"]`` is its least multiple of the unit.
    """
    cell = Cell()
    for _ in range(repeats):
        argv = [sys.executable, "-m", "benchmarks.calls", name]
        _, _, text, status = run_process(argv, None, bound + COMPILING, env)
        try:
            result = json.loads(text[text.rindex("{") :])
        except ValueError:
            result = {"unfit": "failed" if status is not None else f"> {bound:.0f} s"}
        if "unfit" in result:
            cell.unfit = result["unfit"]
            break
        sums = result["us"] / result["unit_us"]
        cell.seconds.append(result["us"] / 1e6)
        cell.details["sums"] = min(sums, cell.details.get("sums", sums))
    return cell


def main() -> None:
    """Measure one kind of call."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.calls", description=(__doc__ or "").replace("`", "")
    )
    parser.add_argument("name", choices=CALLS)
    args = parser.parse_args()
    import numpy as np

    values = np.ones(81, np.uint8)
    try:
        call = CALLS[args.name]()
        call()
        result: dict[str, Any] = {"us": microseconds(call), "unit_us": microseconds(values.sum)}
    except ImportError as missing:
        result = {"unfit": f"not installed: {missing.name}"}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
