"""Measure one subject once: ``python -m benchmarks.subjects NAME FILE``.

A subject reads a problem (``.dlx``) or a puzzle file (one puzzle a line), solves something tiny so
that it is imported and compiled, then solves the file to the end. The process prints one JSON
object: the answer, CPU seconds of the work alone, nodes if the subject counts them, and the peak
memory in megabytes. Each measurement has a process of its own, so that memory and compilation are
separate, and so that it can be stopped.
"""

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.rates import RATES, Work

TINY = "a b c\na\nb c\nb\nc\n"
LOADING = 0.5  # seconds of a count before it is measured
TINY_COSTS = "a b\na |1\nb |1\na b |3\n"


class Unfit(Exception):
    """Raised by a subject that cannot take the problem."""


# --- this package -------------------------------------------------------------------------------


def read(text: str) -> Any:
    """Return the problem; whatever kernel or method its work chooses is loaded then."""
    import dlx

    # a tiny problem ends in the first of them
    for kernel in ("links", "bits"):
        dlx.Search([[0]], kernel=kernel).count()
    dlx.count_solutions([[0]], method="sweep")
    return dlx.loads(text)


def ours_search(kernel: str) -> Callable[[str], Work]:
    """Count all solutions one by one with a kernel; ``auto`` lets `dlx` choose it."""

    def prepare(text: str) -> Work:
        import dlx

        problem = read(text)

        def work() -> dict[str, Any]:
            search = dlx.Search(problem, kernel=kernel)
            solutions = search.count()
            return {"answer": solutions, "nodes": search.stats.nodes, "kernel": search.stats.kernel}

        return work

    return prepare


def ours_listed(text: str) -> Work:
    """List all solutions as arrays of option numbers."""
    import dlx

    problem = read(text)

    def work() -> dict[str, Any]:
        search = dlx.Search(problem)
        solutions = sum(len(block) for block in search.arrays())
        return {"answer": solutions, "nodes": search.stats.nodes, "kernel": search.stats.kernel}

    return work


def ours_counted(method: str) -> Callable[[str], Work]:
    """Count solutions by `dlx.Count` with a method; ``auto`` chooses it."""

    def prepare(text: str) -> Work:
        import dlx

        problem = read(text)
        # loads the kernels of all methods that this problem comes to
        dlx.Count(problem, method=method, time_limit=LOADING).count()

        def work() -> dict[str, Any]:
            count = dlx.Count(problem, method=method)
            return {"answer": count.count(), "states": count.peak_states}

        return work

    return prepare


def ours_batch(limit: int) -> Callable[[str], Work]:
    """Count the solutions of puzzles up to `limit`; with 1 only the first solution is found."""

    def prepare(text: str) -> Work:
        import sudoku

        puzzles = puzzle_array(text)

        def work() -> dict[str, Any]:
            if limit == 1:
                grids = sudoku.solve_batch(puzzles, jobs=1)
                return {"answer": int(grids[:, 0].astype(bool).sum()), "puzzles": True}
            found = int(sudoku.count_batch(puzzles, limit=limit, jobs=1).sum())
            return {"answer": found, "puzzles": True}

        return work

    return prepare


def ours_batch_diagonal(text: str) -> Work:
    """Count up to two solutions of puzzles whose diagonals are houses, too."""
    import sudoku

    puzzles = puzzle_array(text)
    return lambda: {
        "answer": int(sudoku.count_batch(puzzles, limit=2, diagonal=True, jobs=1).sum())
    }


# --- peers from the package registry --------------------------------------------------------------


def parse(text: str) -> tuple[list[str], list[str], list[list[str]]]:
    """Return primary items, secondary items and options of a problem in Knuth's format."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("|")]
    primary, _, secondary = lines[0].partition("|")
    return primary.split(), secondary.split(), [line.split() for line in lines[1:]]


def uncoloured_rows(text: str) -> tuple[int, list[list[int]]]:
    """Return the number of columns and the rows of a problem without secondary items.

    Each secondary item becomes a column, with a row that covers it alone.
    """
    primary, secondary, options = parse(text)
    if any(":" in item for option in options for item in option):
        raise Unfit("no colours")
    column = {item: number for number, item in enumerate(primary + secondary)}
    rows = [[column[item] for item in option] for option in options]
    return len(column), rows + [[column[item]] for item in secondary]


def xcover(text: str) -> Work:
    """Dancing cells, as in the package xcover."""
    from xcover import covers

    primary, secondary, options = parse(text)
    coloured = any(":" in item for option in options for item in option)

    def work() -> dict[str, Any]:
        found = covers(options, primary=primary, secondary=secondary, colored=coloured)
        return {"answer": sum(1 for _ in found)}

    return work


def exact_cover(text: str) -> Work:
    """exact-cover's C extension over a matrix."""
    import numpy as np
    from exact_cover import get_solution_count

    columns, rows = uncoloured_rows(text)
    matrix = np.zeros((len(rows), columns), dtype=np.int32)
    for number, row in enumerate(rows):
        matrix[number, row] = 1
    return lambda: {"answer": int(get_solution_count(matrix))}


def sage(text: str) -> Work:
    """The C++ dancing links of passagemath-categories."""
    from sage.combinat.matrices.dancing_links import dlx_solver

    _, rows = uncoloured_rows(text)

    def work() -> dict[str, Any]:
        solver = dlx_solver(rows)
        solutions = 0
        while solver.search() == 1:
            solutions += 1
        return {"answer": solutions}

    return work


def ours_cheapest(text: str) -> Work:
    """Find the cheapest solution, and prove that it is."""
    import dlx

    problem = dlx.loads(text)
    return lambda: {"answer": dlx.cheapest(problem)[0].cost, "options": problem.num_options}


def cp_sat(text: str) -> Work:
    """CP-SAT of OR-Tools, with one worker."""
    from ortools.sat.python import cp_model

    import dlx

    problem = dlx.loads(text)
    options = range(problem.num_options)

    def work() -> dict[str, Any]:
        model = cp_model.CpModel()
        chosen = [model.new_bool_var("") for _ in options]
        covering: dict[Any, list[Any]] = {item: [] for item in problem.items}
        for number in options:
            for item in problem.option(number):
                covering[item].append(chosen[number])
        for each in covering.values():
            model.add_exactly_one(each)
        costs = problem.costs or ()
        model.minimize(sum(cost * each for cost, each in zip(costs, chosen, strict=True)))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        if solver.solve(model) != cp_model.OPTIMAL:
            raise Unfit("not proven")
        return {"answer": round(solver.objective_value)}

    return work


# --- one measurement ------------------------------------------------------------------------------

PROBLEM_SUBJECTS: dict[str, Callable[[str], Work]] = {
    "search": ours_search("auto"),
    "links": ours_search("links"),
    "bits": ours_search("bits"),
    "listed": ours_listed,
    "count": ours_counted("auto"),
    "count by sweeps": ours_counted("sweep"),
    "count by search": ours_counted("search"),
    "xcover": xcover,
    "exact_cover": exact_cover,
    "sage": sage,
}
COST_SUBJECTS: dict[str, Callable[[str], Work]] = {"cheapest": ours_cheapest, "CP-SAT": cp_sat}
PUZZLE_SUBJECTS: dict[str, Callable[[str], Work]] = {
    "limit 2": ours_batch(2),
    "first": ours_batch(1),
    "diagonal": ours_batch_diagonal,
}

SUBJECTS = (*PROBLEM_SUBJECTS, *COST_SUBJECTS, *PUZZLE_SUBJECTS)


def puzzle_array(text: str) -> Any:
    """Return puzzles of one size, one a line, as uint8[number, cells]; 0 is a blank."""
    import numpy as np

    rows = [line.split()[0] for line in text.splitlines() if line.strip() and line[0] != "#"]
    digits = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if len(rows[0]) > 256:
        digits = digits[9:]
    value = {ord(digit): number for number, digit in enumerate(digits, 1)}
    table = np.array([value.get(code, 0) for code in range(256)], dtype=np.uint8)
    packed = np.frombuffer("".join(rows).encode(), dtype=np.uint8)
    return table[packed].reshape(len(rows), -1)


@contextmanager
def compilations() -> Iterator[list[object]]:
    """Yield a list that receives an entry for each compiled function; empty for other packages."""
    if "numba" not in sys.modules:
        yield []
        return
    from numba.core.event import RecordingListener, install_listener

    listener = RecordingListener()
    with install_listener("numba:compile", listener):
        yield listener.buffer


def measure(prepare: Callable[[str], Work], text: str, tiny: str) -> dict[str, Any]:
    """Work on `tiny` so that all is compiled, then measure the work on `text`.

    Work that takes less than 0.2 s is repeated, at most 64 times.

    Returns
    -------
    dict of str to object
        What the work returned, and ``seconds`` (CPU, without reading) and ``peak_mb``.
    """
    prepare(tiny)()
    work = prepare(text)
    with compilations() as compiled:
        begin = time.process_time()
        result = work()
        seconds = time.process_time() - begin
    if compiled:
        return result | {"seconds": seconds, "compiled": True}
    repeats = 1
    while seconds < 0.2 and repeats < 64:
        begin = time.process_time()
        for _ in range(2 * repeats):
            work()
        repeats *= 2
        seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return result | {"seconds": seconds / repeats, "peak_mb": peak}


def main() -> None:
    """Measure one subject on one file."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.subjects", description=(__doc__ or "").replace("`", "")
    )
    parser.add_argument("subject", choices=[*SUBJECTS, *RATES])
    parser.add_argument("file", type=Path)
    args = parser.parse_args()
    text = args.file.read_text()
    try:
        if args.subject in RATES:
            result = measure(RATES[args.subject], text, text)
        elif args.subject in COST_SUBJECTS:
            result = measure(COST_SUBJECTS[args.subject], text, TINY_COSTS)
        elif args.subject in PUZZLE_SUBJECTS:
            tiny = text.partition("\n")[0] + "\n"
            result = measure(PUZZLE_SUBJECTS[args.subject], text, tiny)
        else:
            result = measure(PROBLEM_SUBJECTS[args.subject], text, TINY)
    except Unfit as reason:
        result = {"unfit": str(reason)}
    except ImportError as missing:
        result = {"unfit": f"not installed: {missing.name}"}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
