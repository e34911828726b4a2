"""Candidates as constraints: every function honours them or refuses the puzzle."""

import json
import random

import numpy as np
import pytest

import sudoku
from sudoku import Grid, Layout, PuzzleError
from sudoku import dlx as command
from sudoku.explain import NONE, SEVERAL, UNIQUE
from sudoku.solving.batch_search import BatchSearch
from tests.sudoku.reading.samples import NINE

FOUR = Layout(2, 2)


@pytest.fixture(scope="module")
def every_grid():
    return list(map(cells, sudoku.solutions("." * 16)))


def cells(grid):
    return grid.values.reshape(-1).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_functions_agree_with_a_list_of_all_grids(every_grid, seed):
    generator = random.Random(seed)
    masks = [generator.choice([15, 15, 14, 7, 3, 12, 11]) for _ in range(16)]
    values = [0] * 16
    values[generator.randrange(16)] = generator.randrange(5)
    puzzle = Grid(FOUR, values, candidates=masks)
    expected = [
        grid
        for grid in every_grid
        if all(
            masks[cell] >> (digit - 1) & 1 and values[cell] in (0, digit)
            for cell, digit in enumerate(grid)
        )
    ]
    for engine in ("auto", "dlx"):
        found = sudoku.solutions(puzzle, engine=engine)
        assert sorted(map(cells, found)) == sorted(expected)
        assert sudoku.count_solutions(puzzle, engine=engine) == len(expected)
        solved = sudoku.solve(puzzle, engine=engine)
        assert (solved is None) == (not expected)
        assert solved is None or cells(solved) in expected
    assert sudoku.is_unique(puzzle) == (len(expected) == 1)
    assert (sudoku.why(puzzle) is None) == bool(expected)
    drawn = sudoku.sample(puzzle, 2 * bool(expected), seed=1)
    assert all(cells(grid) in expected for grid in drawn)
    true = [set(cell) for row in sudoku.candidates(puzzle, true=True) for cell in row]
    assert true == [{grid[cell] for grid in expected} for cell in range(16)]
    steps = sudoku.solve_steps(puzzle)
    for step in steps:
        assert not {(cell, digit) for cell, digit in step.deleted} & {
            (cell, grid[cell]) for grid in expected for cell in range(16)
        }
    outcomes = [NONE, UNIQUE, SEVERAL]
    assert steps.outcome == outcomes[min(len(expected), 2)]


def test_a_batch_with_candidates_in_threads():
    masks = np.random.default_rng(1).choice([15, 14, 7, 11], (150, 16)).astype(np.uint64)
    search = BatchSearch(FOUR, np.zeros((150, 16), np.uint8), 300, candidates=masks)
    assert search.run(jobs=2)
    for count, own in zip(search.counts[::10].tolist(), masks[::10], strict=True):
        assert count == sudoku.count_solutions(Grid(FOUR, [0] * 16, candidates=own))


def test_many_solutions_with_candidates():
    six = Grid(Layout(2, 3), [0] * 36, candidates=[0b111110] + [63] * 35)
    assert sudoku.count_solutions(six) == 28200960 // 6 * 5


def test_a_grid_with_candidates():
    puzzle = Grid(FOUR, [1, *[0] * 15], candidates=[15, *[14] * 15])
    assert puzzle.candidates.tolist()[0] == [1, 14, 14, 14]
    assert puzzle == Grid(FOUR, [1, *[0] * 15], candidates=[1, *[14] * 15])
    assert puzzle != Grid(FOUR, [1, *[0] * 15])
    assert sudoku.as_grid(str(puzzle)) == sudoku.as_grid(format(puzzle, "pretty")) == puzzle
    assert 'class="mark"' in sudoku.svg(puzzle)
    assert puzzle._repr_svg_().count('class="mark"') == 15 * 3


@pytest.mark.parametrize("masks", [[1] * 15, [16] * 16, [-1] * 16, [0.5] * 16], ids=str)
def test_wrong_candidates_are_refused(masks):
    with pytest.raises(PuzzleError, match="candidates"):
        Grid(FOUR, [0] * 16, candidates=masks)


def test_contradictions_are_reported_by_cell():
    one = Grid(FOUR, [1, *[0] * 15], candidates=[14, *[15] * 15])
    assert sudoku.why(one) == "1 in r1c1 is not among the candidates of the cell"
    assert sudoku.count_solutions(one) == sudoku.count_solutions(one, engine="dlx") == 0
    assert sudoku.why(Grid(FOUR, [0] * 16, candidates=[15] * 15 + [0])) == "no digit fits r4c4"


@pytest.mark.parametrize("function", [sudoku.canonical, sudoku.difficulty])
def test_functions_without_candidates_refuse_them(function):
    with pytest.raises(PuzzleError, match="candidates are not supported"):
        function(Grid(FOUR, [0] * 16, candidates=[15] * 16))


def run(capfdbinary, *arguments):
    status = command.main([*map(str, arguments), "--quiet"])
    output = capfdbinary.readouterr()
    return status, output.out.decode(), output.err.decode()


@pytest.fixture
def puzzle_file(tmp_path):
    """A file with candidates that leave some solutions."""
    path = tmp_path / "puzzle.txt"
    masks = np.full(16, 15)
    masks[[0, 5, 10, 15]] = [1, 3, 4, 9]
    path.write_text(format(Grid(FOUR, [0] * 16, candidates=masks), "pretty") + "\n")
    return path


def test_commands_take_candidates(puzzle_file, capfdbinary):
    count = sudoku.count_solutions(puzzle_file.read_text())
    assert 2 <= count < 12
    assert run(capfdbinary, puzzle_file, "--count")[1] == f"{count}\n"
    assert run(capfdbinary, puzzle_file, "--check")[1] == "several\n"
    listed = run(capfdbinary, puzzle_file, "--all", "--format", "line")[1].split()
    assert sorted(listed) == sorted(map(str, sudoku.solutions(puzzle_file.read_text())))
    answer = json.loads(run(capfdbinary, puzzle_file, "--format", "json")[1])
    assert sudoku.as_grid(answer["puzzle"]) == sudoku.as_grid(puzzle_file.read_text())
    row = run(capfdbinary, puzzle_file, "--format", "csv", "--count")[1].split("\n")[1]
    assert row == f"{answer['puzzle']},{count}"
    assert run(capfdbinary, puzzle_file)[1].replace("\n", " ").startswith("1 3 | 4 2 ")
    assert "--distinct: candidates are not" in run(capfdbinary, puzzle_file, "--distinct")[2]
    text = puzzle_file.read_text().replace("1234", "1   ")
    puzzle_file.write_text(text)
    assert run(capfdbinary, puzzle_file)[1].startswith("no solution: 1 in 4 cells of row 1")


@pytest.mark.parametrize("options", [["--format", "json"], ["--check", "--format", "csv"]])
def test_candidates_that_have_no_text_are_not_left_out(options, tmp_path, capfdbinary):
    cells = [[{} for _ in range(49)] for _ in range(49)]
    cells[0][0] = {"givenPencilMarks": [1, 2]}
    (tmp_path / "large.json").write_text(json.dumps({"grid": cells}))
    status, out, err = run(capfdbinary, tmp_path / "large.json", *options)
    assert (status, out) == (2, "")
    assert err == "candidates are written with symbols of one character: give --symbols\n"


@pytest.mark.parametrize("form", ["pretty", "grid", "line"])
@pytest.mark.parametrize("true", ["all", "true"])
def test_cells_without_candidates_are_read_as_they_were_written(form, true, tmp_path, capfdbinary):
    path = tmp_path / "puzzle.txt"
    path.write_text("123........4....\n")
    written = run(capfdbinary, path, "--candidates", true, "--format", form)[1]
    assert "!" in written
    path.write_text(written)
    assert run(capfdbinary, path, "--candidates", "--format", form)[1] == written
    assert run(capfdbinary, path, "--count")[1] == "0\n"


def test_an_exclamation_mark_may_be_a_symbol(tmp_path, capfdbinary):
    path = tmp_path / "puzzles"
    ask = ("--candidates", path, "--symbols", "!@&$", "--format")
    path.write_text("!@..\n...&\n...$\n....\n")  # none is left for r1c4
    found = json.loads(run(capfdbinary, *ask, "json")[1])["candidates"]
    assert found[:4] == ["!", "@", "$", ""]
    path.write_text(run(capfdbinary, *ask, "line")[1])
    found = json.loads(run(capfdbinary, *ask, "json")[1])["candidates"]
    assert found[:4] == ["!", "@", "$", ""]


def test_command_prints_candidates(tmp_path, capfdbinary):
    path = tmp_path / "puzzle.txt"
    path.write_text(f"{NINE}\n{NINE.replace('5', '0')}\n")
    out = run(capfdbinary, "--candidates", path)[1]
    assert out.startswith("+---") and out.count("| 3578 ") == 4
    grids = tmp_path / "grids.txt"
    grids.write_text(out)
    assert run(capfdbinary, "--candidates", grids)[1] == out
    true = run(capfdbinary, "--candidates", "true", grids, "--format", "line")[1].split()
    assert sudoku.as_grid(true[0]) == sudoku.solve(NINE)
    marks = sudoku.candidates(NINE.replace("5", "0"), true=True)
    assert sudoku.candidates(true[1]) == marks
    first, _ = run(capfdbinary, "--candidates", path, "--format", "json")[1].splitlines()
    words = ["".join(map(str, cell)) for row in sudoku.candidates(NINE) for cell in row]
    assert json.loads(first) == {"puzzle": NINE, "candidates": words}
    rows = run(capfdbinary, "--candidates", path, "--format", "csv")[1].splitlines()
    assert rows[0] == "puzzle,candidates" and len(rows[1]) == 81 + 1 + 729
    status = run(capfdbinary, "--candidates", path, "--format", "svg", "-o", tmp_path / "p.svg")[0]
    assert status == 0 and 'class="mark"' in (tmp_path / "p-1.svg").read_text()
