"""Wall seconds that the commands take to start, with and without compiled kernels."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.runs import ROOT

BARE = "bare `import numba`"
COLD = ", nothing compiled"


def wall(argv: Sequence[str], cache: str) -> float:
    """Return the wall seconds of one run of a command, its kernels cached in a folder."""
    begin = time.perf_counter()
    subprocess.run(
        argv,
        cwd=ROOT,
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - begin


def cold_wall(argv: Sequence[str]) -> float:
    """Return the wall seconds of one run of a command with an empty cache of its own."""
    with tempfile.TemporaryDirectory() as cache:
        return wall(argv, cache)


def starts(puzzle: Path, problem: Path, large: Path, repeats: int) -> dict[str, float]:
    """Measure each kind of start, all in turn, `repeats` times.

    Parameters
    ----------
    puzzle, problem, large : Path
        A file of one puzzle, one of a small problem, one of many puzzles.
    repeats : int
        Number of rounds.

    Returns
    -------
    dict of str to float
        Median wall seconds of each start. Each run with nothing compiled has an empty cache of its
        own; all others share a cache that a run before has filled.
    """
    with tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder) / "cache")
        out = str(Path(folder) / "out.txt")
        solve, engine = [sys.executable, "-m", "sudoku.dlx"], [sys.executable, "-m", "dlx"]
        compiling = {
            "python -m sudoku.dlx, one puzzle": [*solve, str(puzzle)],
            "python -m sudoku.dlx --format json, one puzzle": [
                *(*solve, "--format", "json", str(puzzle))  # has nodes, so the kernel is loaded
            ],
            "python -m dlx, one small problem": [*engine, str(problem)],
            f"python -m sudoku.dlx, {large.name} to a file": [
                *(*solve, "--quiet", str(large), "-o", out)
            ],
        }
        commands = {
            BARE: [sys.executable, "-c", "import numba"],
            "python -m sudoku.dlx --help": [*solve, "--help"],
            **compiling,
        }
        for argv in commands.values():
            wall(argv, cache)
        rounds = [
            {name + COLD: cold_wall(argv) for name, argv in compiling.items()}
            | {name: wall(argv, cache) for name, argv in commands.items()}
            for _ in range(repeats)
        ]
    return {name: statistics.median(times[name] for times in rounds) for name in rounds[0]}
