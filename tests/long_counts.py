"""Measure counts: ``python -m tests.long_counts TASK``; some minutes each.

    courses  each problem 20 times, its items and options shuffled: the slowest against the fastest
             (at most 1.5), and whether two runs of one numbering have the same nodes, kernel, peak
    races    all methods together against the better of plain search and sweep alone (at most 1.3
             times, or 3 ms more if the better one takes less than 10 ms)
    memory   the peak memory of a process of its own with limits of 200 MB, 1 GB and the default
             (at most 100 MB above the limit), for counts of some seconds that need more, with one
             thread and with two; `one NAME LIMIT JOBS` measures one of these

TASK is `courses` by default. The exit status is 1 if a bound is exceeded. Times are CPU seconds; on
a busy machine the bounds of the first two may be exceeded by chance.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product

from benchmarks import problems
from dlx import Count, Problem
from sudoku import cover
from sudoku.layout import Layout
from tests.dlx.problems import shuffled
from tests.dlx.unions import bridged, disjoint_union

FAMILIES: dict[str, Callable[[], Problem]] = {
    "queens 11": lambda: problems.queens(11),
    "langford 11": lambda: problems.langford(11),
    "dominoes 8 x 8": lambda: problems.dominoes(8, 8),
    "dominoes 16 x 16": lambda: problems.dominoes(16, 16),
    "latin 5": lambda: problems.latin(5),
    "latin 6": lambda: problems.latin(6),
    "reduced latin 7": lambda: problems.reduced_latin(7),
    "matchings 30": lambda: problems.matchings(30),
    "soma": problems.soma,
    "pentominoes 6 x 10": lambda: problems.pentominoes(problems.rectangle(6, 10)),
    "random sets": lambda: problems.random_sets(3, 60, 240),
}
LARGE: dict[str, Callable[[], Problem]] = {
    "latin 7": lambda: problems.latin(7),
    "latin 8": lambda: problems.latin(8),
    "sudoku 8 x 8": lambda: cover.problem(Layout(2, 4)),
    "matchings 30": lambda: problems.matchings(30),
    "random sets": lambda: problems.random_sets(3, 120, 900),
    "components": lambda: disjoint_union(
        problems.random_sets(3, 120, 900), problems.latin(8), problems.dominoes(18, 20)
    ),
    "cut": lambda: bridged(
        problems.random_sets(3, 76, 420, 1),
        problems.random_sets(3, 76, 420, 2),
        [(k, 3 * k) for k in range(1, 5)],
    ),
}
LIMITS = {"200 MB": 200_000_000, "1 GB": 1_000_000_000, "default": None}
SECONDS = 20.0  # of each count under a limit of memory


def timed(problem: Problem, method: str = "auto") -> tuple[float, Count]:
    """Processor seconds of a count, the less of two runs, and the second of these."""
    least = float("inf")
    for _ in range(2):
        count = Count(problem, method=method)
        began = time.process_time()
        count.count()
        least = min(least, time.process_time() - began)
    return least, count


def courses() -> bool:
    """Compare shuffles of each problem."""
    good = True
    for name, make in FAMILIES.items():
        problem = make()
        timed(problem)
        seconds, same = [], True
        for seed in range(20):
            own = shuffled(problem, seed)
            figures = []
            for _ in range(2):
                least, count = timed(own)
                seconds.append(least)
                figures.append((count.stats.nodes, count.stats.kernel, count.peak_states))
            same &= figures[0] == figures[1]
        ratio = max(seconds) / min(seconds)
        good &= same and (ratio <= 1.5 or max(seconds) - min(seconds) <= 0.003)
        print(f"{name:20} {min(seconds):.4f} to {max(seconds):.4f} s: {ratio:.2f}; same: {same}")
    return good


def races() -> bool:
    """Compare the race with each of its methods."""
    good = True
    for name, make in FAMILIES.items():
        problem = make()
        alone = {}
        for method in ("auto", "search", "sweep"):
            if method == "search" and name in ("dominoes 16 x 16", "latin 6", "matchings 30"):
                continue  # takes days
            alone[method] = timed(problem, method)[0]
        together = alone.pop("auto")
        least = min(alone.values())
        good &= together <= 1.3 * least or (least < 0.01 and together <= least + 0.003)
        print(f"{name:20} {together:.4f} s, alone {alone}: {together / least:.2f}")
    return good


def memory() -> bool:
    """Run each count in a process of its own."""
    good = True
    for name in LARGE:
        for limit, jobs in product(LIMITS, ("1", "2")):
            command = [sys.executable, "-m", "tests.long_counts", "one", name, limit, jobs]
            good &= subprocess.run(command, check=False).returncode == 0
    return good


def one(name: str, limit: str, jobs: str = "1") -> bool:
    """Count for a while; print the peak of this process."""
    import resource

    problem, most = LARGE[name](), LIMITS[limit]
    count = Count(problem, memory_limit=most, time_limit=SECONDS, jobs=int(jobs))
    count.count()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # KiB on Linux
    fits = peak <= count.memory_limit + 100_000_000
    stats = count.stats
    print(
        f"{name:14} {jobs} {count.memory_limit / 1e6:5.0f} MB: peak {peak / 1e6:5.0f} MB, "
        f"{count.peak_states} states, {stats.kernel}, {count.status}",
        flush=True,
    )
    return fits


def main() -> bool:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.long_counts",
        description=(__doc__ or "").replace("`", ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    tasks = parser.add_subparsers(dest="task", metavar="TASK")
    for name in ("courses", "races", "memory"):
        tasks.add_parser(name)
    single = tasks.add_parser("one")
    single.add_argument("name", choices=LARGE, metavar="NAME")
    single.add_argument("limit", choices=LIMITS, metavar="LIMIT")
    single.add_argument("jobs", nargs="?", default="1", metavar="JOBS")
    args = parser.parse_args()
    if args.task == "one":
        return one(args.name, args.limit, args.jobs)
    return {"courses": courses, "races": races, "memory": memory}[args.task or "courses"]()


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
