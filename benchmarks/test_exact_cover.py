"""Named exact cover problems to the end: our kernels and the registry's peers (pytest-benchmark).

Run with ``python -m pytest benchmarks``; `python -m benchmarks` prints the same as one table.
"""

from importlib.util import find_spec
from typing import Any

import pytest

import dlx
from benchmarks.problems import NAMED, text
from benchmarks.subjects import PROBLEM_SUBJECTS, TINY

QUICK = (
    *("queens8", "queens10", "queens12", "langford8", "langford11", "pent3x20", "pent8x8h"),
    *("soma", "latin5", "sudoku4x4", "sudoku9x9", "sudoku16x16"),
)
"""Problems that every subject ends in seconds."""

MODULES = {"xcover": "xcover", "exact_cover": "exact_cover", "sage": "sage", "cp-sat": "ortools"}
INSTALLED = [name for name, module in MODULES.items() if find_spec(module) is not None]
SHORT = ("queens8", "queens10", "langford8", "pent3x20", "sudoku4x4", "sudoku9x9", "sudoku16x16")
"""Problems that CP-SAT, too, lists in seconds."""

PAIRS = [
    (name, subject)
    for name in QUICK
    for subject in ("links", "search", "listed", "count", *INSTALLED)
    if subject != "cp-sat" or name in SHORT
]


@pytest.mark.parametrize(("name", "subject"), PAIRS)
def test_all_solutions(benchmark: Any, name: str, subject: str) -> None:
    """Time one subject on one problem and compare its number of solutions with ours."""
    benchmark.group = name
    prepare = PROBLEM_SUBJECTS[subject]
    problem = NAMED[name]()
    expected = dlx.count_solutions(problem)
    prepare(TINY)()
    work = prepare(text(problem))
    result = benchmark.pedantic(work, rounds=3, warmup_rounds=1)
    benchmark.extra_info["nodes"] = result.get("nodes")
    assert result["answer"] == expected
