"""Regressions: our kernels on cases of `benchmarks.cases`, with fixed nodes (pytest-benchmark).

Run with ``python -m pytest benchmarks``, and compare with a stored run by ``--benchmark-autosave``
and ``--benchmark-compare``. A change of the nodes fails; a change of the times is shown.
"""

from typing import Any

import pytest

from benchmarks.cases import COUNTS, NODES, SETS, puzzle_lines
from benchmarks.problems import NAMED, text
from benchmarks.runs import ROOT
from benchmarks.subjects import PROBLEM_SUBJECTS, PUZZLE_SUBJECTS, TINY

SOLVED = [(name, kernel) for name, nodes in NODES.items() for kernel in nodes]
COUNTED = ("domino12x12", "tromino9x9", "soma", "langford12")


@pytest.mark.parametrize(("name", "kernel"), SOLVED)
def test_all_solutions(benchmark: Any, name: str, kernel: str) -> None:
    """Time a kernel on a problem; its nodes are fixed."""
    benchmark.group = name
    prepare = PROBLEM_SUBJECTS[kernel]
    prepare(TINY)()
    work = prepare(text(NAMED[name]()))
    result = benchmark.pedantic(work, rounds=3, warmup_rounds=1)
    benchmark.extra_info["nodes"] = result["nodes"]
    assert result["nodes"] == NODES[name][kernel]


@pytest.mark.parametrize("name", COUNTED)
def test_counts(benchmark: Any, name: str) -> None:
    """Time a count."""
    benchmark.group = "counts"
    prepare = PROBLEM_SUBJECTS["count"]
    prepare(TINY)()
    work = prepare(text(COUNTS[name].make()))
    result = benchmark.pedantic(work, rounds=3, warmup_rounds=1)
    benchmark.extra_info["states"] = result["states"]
    assert result["answer"] == COUNTS[name].total


@pytest.mark.parametrize("subject", ["limit 2", "first"])
@pytest.mark.parametrize("name", [name for name in SETS if "diagonal" not in name])
def test_puzzles(benchmark: Any, name: str, subject: str) -> None:
    """Time one batch search on one set; as many solutions as the name says."""
    benchmark.group = name
    lines = puzzle_lines(ROOT / f"data/{name}.txt")
    work = PUZZLE_SUBJECTS[subject]("\n".join(lines))
    result = benchmark.pedantic(work, rounds=3, warmup_rounds=1)
    most = {"several-solutions": 2 if subject == "limit 2" else 1, "no-solution": 0}.get(name, 1)
    assert result["answer"] == most * len(lines)
