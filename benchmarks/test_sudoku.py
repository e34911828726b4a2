"""The puzzle sets of data/ in batches, one core (pytest-benchmark)."""

from typing import Any

import pytest

from benchmarks.inputs import one_size, puzzle_files, puzzle_lines
from benchmarks.subjects import PUZZLE_SUBJECTS, puzzle_array

FILES = {file.stem: file for file in puzzle_files(None) if one_size(file)}


@pytest.mark.parametrize("subject", ["limit 2", "first"])
@pytest.mark.parametrize("name", FILES)
def test_puzzles(benchmark: Any, name: str, subject: str) -> None:
    """Time one batch search on one puzzle file."""
    benchmark.group = name
    if "diagonal" in name:
        subject = "diagonal"
    work = PUZZLE_SUBJECTS[subject](FILES[name].read_text())
    result = benchmark.pedantic(work, rounds=3, warmup_rounds=1)
    benchmark.extra_info["puzzles"] = len(puzzle_array(FILES[name].read_text()))
    assert result.get("answer", result.get("solved")) <= 2 * len(puzzle_lines(FILES[name]))
