"""How long the commands take from nothing: cold cache, warm cache, help, and a whole file."""

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


def wall(argv: Sequence[str], env: dict[str, str]) -> float:
    """Wall seconds of one run of a command whose output nobody reads."""
    begin = time.perf_counter()
    subprocess.run(
        argv, cwd=ROOT, env=env, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - begin


def starts(puzzle: Path, problem: Path, large: Path, repeats: int) -> dict[str, float]:
    """Median wall seconds of each kind of start, all in turn; a cache folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"NUMBA_CACHE_DIR": folder}
        out = str(Path(folder) / "out.txt")
        python = [sys.executable]
        commands = {
            BARE: [*python, "-c", "import numba"],
            "python -m sudoku.dlx --help": [*python, "-m", "sudoku.dlx", "--help"],
            "python -m sudoku.dlx, one puzzle": [*python, "-m", "sudoku.dlx", str(puzzle)],
            "python -m dlx, one small problem": [*python, "-m", "dlx", str(problem)],
            f"python -m sudoku.dlx, {large.name} to a file": [
                *(*python, "-m", "sudoku.dlx", "--quiet", str(large), "-o", out)
            ],
        }
        result = {
            f"{name}, nothing compiled": wall(argv, env)
            for name, argv in commands.items()
            if "puzzle" in name or "problem" in name
        }
        for argv in commands.values():
            wall(argv, env)
        rounds = [
            {name: wall(argv, env) for name, argv in commands.items()} for _ in range(repeats)
        ]
    for name in commands:
        result[name] = statistics.median(times[name] for times in rounds)
    return result
