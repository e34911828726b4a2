"""Random comparisons for a given time: ``python -m tests.long_comparisons --seconds N``.

It compares two ways to compute the same result, on random cases: puzzles by the kernels for grids
with the engine or a naive solver, exact cover problems by all kernels with brute force, counts by
every method, solution sets, saved searches, and grids with their numbers. The seed of a case that
differs is printed; ``--seed S --only NAME --cases 1`` repeats it. At the end, also after Ctrl-C or
SIGTERM, it prints a table of trials and differences; the exit status is 1 if there is a difference.
"""

import argparse
import random
import signal
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from itertools import islice
from math import prod
from pathlib import Path
from unittest.mock import patch

import numpy as np

import dlx
import sudoku
from dlx.search import bounds
from sudoku.grids import distinct_grids, grids_at, indices_of
from sudoku.layout import Layout
from tests import naive
from tests.dlx.problems import oracle, random_problem, with_multiplicities
from tests.dlx.unions import disjoint_union

METHODS = ("auto", "search", "sweep")


def small_problem(draw):
    """Return a problem small enough for brute force, perhaps with givens."""
    items = [f"p{k}" for k in range(draw.randint(1, 7))]
    secondary = [f"s{k}" for k in range(draw.randint(0, 4))]
    options = []
    for _ in range(draw.randint(0, 16)):
        names = draw.sample(items + secondary, min(draw.randint(1, 4), len(items + secondary)))
        options.append(
            [
                dlx.Coloured(name, draw.randint(1, 3))
                if name in secondary and draw.random() < 0.7
                else name
                for name in names
            ]
        )
    return dlx.Problem(options, primary=items, secondary=secondary)


def compare_covers(draw):
    """A small problem, perhaps with givens: brute force, both kernels, one more way to count."""
    problem = small_problem(draw)
    given = ()
    if problem.num_options and draw.random() < 0.3:
        given = tuple(draw.sample(range(problem.num_options), 1))
    expected = oracle(problem, given)
    answers = [
        sorted(dlx.Search(problem, kernel=kernel, given=given)) for kernel in ("bits", "links")
    ]
    same = all(answer == expected for answer in answers)
    if draw.random() < 0.5:
        own = {draw.choice(["method", "kernel"]): draw.choice(["auto", "search", "sweep"])}
        if "kernel" in own:
            own = {"kernel": draw.choice(["auto", "bits", "links"])}
        number = dlx.count_solutions(problem, given=given, memory_limit=1 << 24, **own)
        return 1, same and number == len(expected)
    if draw.random() < 0.5:
        search = dlx.Search(problem, kernel=draw.choice(["bits", "links"]), given=given)
        return 1, same and search.count() == len(expected)
    found = dlx.solution_set(problem, given=given, memory_limit=1 << 24)
    numbered = all(found.index(found[k]) == k for k in range(min(found.count, 5)))
    return 1, same and numbered and sorted(found) == expected and found.count == len(expected)


def compare_multiplicities(draw):
    """A small problem with multiplicities, perhaps with givens: brute force, texts, slices."""
    problem = small_problem(draw)
    while problem.num_options > 9:
        problem = small_problem(draw)
    problem = with_multiplicities(problem, draw.randrange(1 << 40))
    given = ()
    if problem.num_options and draw.random() < 0.3:
        given = tuple(draw.sample(range(problem.num_options), 1))
    expected = oracle(problem, given)
    with patch.object(bounds, "ENDGAME", draw.choice([0, 3, bounds.ENDGAME])):
        found = sorted(dlx.Search(problem, given=given, kernel="bounds"))
    text = dlx.loads(dlx.dumps(problem))
    same = found == expected and dlx.count_solutions(text, given=given) == len(expected)
    limit = draw.randint(0, 5)
    same &= dlx.count_solutions(problem, given=given, limit=limit) == min(limit, len(expected))
    return 1, same


def compare_costs(draw):
    """A small problem with costs, perhaps with multiplicities: the k cheapest of all solutions."""
    problem = small_problem(draw)
    while problem.num_options > 9:
        problem = small_problem(draw)
    if draw.random() < 0.5:
        problem = with_multiplicities(problem, draw.randrange(1 << 40))
    spread = draw.choice([3, 100, 10**9, 10**16])
    costs = [draw.randint(-spread // 4, spread) for _ in range(problem.num_options)]
    priced = dlx.Problem.from_arrays(
        problem.start,
        problem.item,
        problem.colour,
        num_primary=problem.num_primary,
        num_secondary=problem.num_secondary,
        items=problem.items,
        colours=problem.colours,
        costs=costs,
        multiplicities=problem.multiplicities or None,
    )
    expected = oracle(problem)
    k = draw.randint(1, 6)
    found = dlx.cheapest(priced, k)
    same = [cost for cost, _ in found] == sorted(sum(costs[o] for o in s) for s in expected)[:k]
    same &= all(s in expected and cost == sum(costs[o] for o in s) for cost, s in found)
    return 1, same and len(set(found)) == len(found)


def compare_counts(draw):
    """A problem with many solutions: the counts of both kernels, all methods, the diagram."""
    problem = random_problem(draw.randrange(1 << 40))
    counts = {dlx.count_solutions(problem, method=method) for method in METHODS}
    counts |= {dlx.Search(problem, kernel=kernel).count() for kernel in ("bits", "links")}
    counts.add(dlx.solution_set(problem).count)
    text = dlx.loads(dlx.dumps(problem))
    return 1, len(counts) == 1 and dlx.count_solutions(text) in counts


def random_puzzles(draw, layout, number):
    """Return puzzles with some cells of a grid, some of them with a digit that may be wrong."""
    box = layout.box_rows, layout.box_columns
    grids = sudoku.random_grids(number, draw.randrange(1 << 60), box=box, diagonal=layout.diagonal)
    puzzles = np.asarray(grids).reshape(number, -1).astype(np.uint8)
    random_cells = np.random.default_rng(draw.randrange(1 << 60))
    share = random_cells.uniform(0.3, 0.75, (number, 1))
    puzzles[random_cells.random(puzzles.shape) < share] = 0
    wrong = np.flatnonzero(random_cells.random(number) < 0.2)
    places = random_cells.integers(layout.cells, size=len(wrong))
    puzzles[wrong, places] = random_cells.integers(1, layout.size + 1, size=len(wrong))
    return puzzles


def variants(draw, puzzles, number):
    """Return so many puzzles for each, with about four givens less at most."""
    puzzles = puzzles.repeat(number, axis=0)
    random_cells = np.random.default_rng(draw.randrange(1 << 60))
    share = random_cells.uniform(0, 0.15, (len(puzzles), 1))
    puzzles[random_cells.random(puzzles.shape) < share] = 0
    return puzzles


LAYOUTS = [(2, 2), (2, 3), (3, 3), (3, 3), (3, 3), (2, 5), (3, 4)]


def compare_small_puzzles(draw):
    """4x4 and 6x6 puzzles with the naive solver."""
    box = draw.choice([(2, 2), (2, 3)])
    layout = Layout(*box, draw.random() < 0.4)
    puzzles = random_puzzles(draw, layout, 20)
    counts = sudoku.count_batch(puzzles, limit=10, box=box, diagonal=layout.diagonal)
    solved = sudoku.solve_batch(puzzles, box=box, diagonal=layout.diagonal)
    houses = naive.sudoku_houses(*box, layout.diagonal)
    same = True
    for puzzle, count, solution in zip(puzzles, counts, solved, strict=True):
        expected = []
        for grid in naive.sudoku_solutions(houses, puzzle.tolist()):
            expected.append(grid)
            if len(expected) == 10:
                break
        same &= count == len(expected)
        own = is_solution(houses, puzzle.tolist(), solution.tolist())
        same &= own if expected else not solution.any()
    return len(puzzles), bool(same)


def is_solution(houses, puzzle, grid):
    """Return whether a grid is complete and keeps the givens of a puzzle."""
    full = all(len({grid[cell] for cell in house} - {0}) == len(house) for house in houses)
    return full and all(given in (0, digit) for given, digit in zip(puzzle, grid, strict=True))


def compare_puzzles(draw):
    """Many puzzles: the kernel of the layout, that for any layout, and samples of the engine."""
    from sudoku.kernels import masks
    from sudoku.kernels.kernel import UNDECIDED, KernelBatch
    from sudoku.solving.driver import tables_of

    box = draw.choice(LAYOUTS)
    layout = Layout(*box, draw.random() < 0.2 and box[0] * box[1] < 10)
    number = 20_000 if box == (3, 3) else 100
    puzzles = variants(draw, random_puzzles(draw, layout, number // 10), 10)
    limit = draw.choice([1, 2, 2, 30])
    counts = sudoku.count_batch(puzzles, limit=limit, box=box, diagonal=layout.diagonal)
    others = np.full(len(puzzles), UNDECIDED, np.int64)
    batch = KernelBatch(
        puzzles, limit, others, np.zeros_like(puzzles), np.zeros(len(puzzles), np.int64)
    )
    state = masks.start(tables_of(masks, layout))
    while not masks.advance(state, 1 << 20, batch):
        pass
    decided = others != UNDECIDED
    same = np.array_equal(counts[decided], others[decided])
    for k in draw.sample(range(len(puzzles)), 3):
        kernel = "links" if layout.size > 6 or draw.random() < 0.5 else "auto"
        same &= engine(puzzles[k], layout, limit, kernel) == counts[k]
    return len(puzzles), bool(same)


def engine(puzzle, layout, limit, kernel):
    """Return the number of solutions by the exact cover engine, up to a limit."""
    problem = _problem(layout)
    n = layout.size
    given = [cell * n + int(digit) - 1 for cell, digit in enumerate(puzzle) if digit]
    return dlx.Search(problem, given=given, limit=limit, kernel=kernel).count()


@cache
def _problem(layout):
    return sudoku.problem(layout)


def compare_grids(draw):
    """Grids: distinct, valid, and each has its number."""
    box, diagonal = draw.choice([((2, 2), False), ((2, 3), False), ((3, 3), False), ((2, 2), True)])
    number = 40 if diagonal or box == (2, 2) else 500
    grids = distinct_grids(number, box=box, diagonal=diagonal, seed=draw.randrange(1 << 60))
    layout = Layout(*box, diagonal)
    digits = np.arange(1, layout.size + 1)
    valid = all((np.sort(grids[:, house], axis=1) == digits).all() for house in layout.houses)
    numbers = indices_of(grids, box, diagonal)
    back = np.array_equal(grids_at(numbers, box, diagonal), grids)
    return len(grids), valid and back and len(set(numbers)) == len(grids)


def compare_saved(draw):
    """A search that is saved and loaded now and then: the solutions of one that is not."""
    problem = random_problem(draw.randrange(1 << 40))
    kernel = draw.choice(["bits", "links"])
    whole = list(islice(dlx.Search(problem, kernel=kernel), 300))
    search = dlx.Search(problem, kernel=kernel, limit=300)
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved"
        for _ in range(draw.randint(1, 4)):
            seen += list(islice(search, draw.choice([0, 1, 5, 100])))
            search.save(path)
            search = dlx.Search.load(path, problem, limit=300)
    return 1, seen + list(search) == whole


def compare_runs(draw):
    """Several components in several runs, with rising limits, saved or listed: brute force."""
    parts = [small_problem(draw) for _ in range(draw.randint(1, 3))]
    problem, total = disjoint_union(*parts), prod(len(oracle(part, ())) for part in parts)
    limits = sorted(draw.randint(0, total + 2) for _ in range(draw.randint(1, 3)))
    kind = draw.choice(["count", "search", "threads"])
    if kind == "count":
        search = dlx.Count(problem, method=draw.choice(METHODS), memory_limit=1 << 24)
    elif kind == "search":
        search = dlx.Search(problem, kernel=draw.choice(["auto", "bits", "links"]))
    else:
        search = dlx.solutions(problem, jobs=2)
    seen, same = [], True
    with tempfile.TemporaryDirectory() as folder:
        for limit in (*limits, None):
            search.limit = limit
            if kind == "count" or draw.random() < 0.3:
                search.count()
            else:
                seen += search
            same = same and search.num_solutions == (total if limit is None else min(limit, total))
            if kind != "threads" and draw.random() < 0.5:
                search.save(Path(folder) / "saved")
                search = type(search).load(Path(folder) / "saved", problem)
    return 1, same and len(set(seen)) == len(seen) and is_exact(problem, seen)


def is_exact(problem, solutions):
    """Return whether these options cover each primary item once, and agree on the others."""
    for solution in solutions:
        names = [name for o in solution for name in problem.option(o)]
        plain = [name for name in names if not isinstance(name, dlx.Coloured)]
        colours = {(name.item, name.colour) for name in names if isinstance(name, dlx.Coloured)}
        coloured = [item for item, _ in colours]
        if len({*plain, *coloured}) != len(plain) + len(coloured):
            return False
        if not {*problem.items[: problem.num_primary]} <= {*plain}:
            return False
    return True


COMPARISONS = {
    "covers": compare_covers,
    "counts": compare_counts,
    "multiplicities": compare_multiplicities,
    "costs": compare_costs,
    "saved": compare_saved,
    "runs": compare_runs,
    "small puzzles": compare_small_puzzles,
    "puzzles": compare_puzzles,
    "grids": compare_grids,
}
# of the CPU time
SHARES = dict.fromkeys(COMPARISONS, 1) | {"covers": 8, "puzzles": 5}


def compare(kinds, args, first, trials, differences):
    """Run the comparisons until the time is over; add up trials and differences."""
    spent, cases = dict.fromkeys(kinds, 0.0), dict.fromkeys(kinds, 0)
    end = time.monotonic() + args.seconds
    while time.monotonic() < end and min(cases.values()) < args.cases:
        kind = min(kinds, key=lambda kind: spent[kind] / SHARES[kind])
        seed = first + cases[kind]
        cases[kind] += 1
        began = time.process_time()
        number, same = COMPARISONS[kind](random.Random(seed))
        spent[kind] += time.process_time() - began
        trials[kind] += number
        if not same:
            differences[kind] += 1
            print(f"difference: --only '{kind}' --seed {seed} --cases 1", flush=True)


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.long_comparisons", description=(__doc__ or "").replace("`", "")
    )
    parser.add_argument("--seconds", type=float, default=60, help="default: %(default)s")
    parser.add_argument("--seed", type=int, help="of the first case; default: a random one")
    parser.add_argument("--cases", type=int, default=1 << 62, help="at most so many of each kind")
    parser.add_argument("--only", choices=COMPARISONS, help="one kind of comparison")
    args = parser.parse_args()
    first = random.SystemRandom().getrandbits(40) if args.seed is None else args.seed
    kinds = [args.only] if args.only else list(COMPARISONS)
    trials, differences = dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        compare(kinds, args, first, trials, differences)
    print(f"seeds from {first}; {time.process_time():.0f} s of CPU time")
    for kind in kinds:
        print(f"{kind:14} {trials[kind]:>12,} trials {differences[kind]:>3} differences")
    return 1 if any(differences.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
