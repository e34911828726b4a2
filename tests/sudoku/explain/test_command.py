"""The command ``sudoku.explain``: steps, ratings, pages, exit statuses, faults."""

import json
import os
import re
import signal
from pathlib import Path

import pytest

from dlx.compiled.timer import CompileTimer
from sudoku.errors import PuzzleError
from sudoku.explain import command
from sudoku.explain.__main__ import main
from sudoku.explain.solve_steps import solve_steps
from sudoku.explain.techniques import parse_techniques, table
from sudoku.solving.solve import solve
from tests.sudoku.commands import imported_by, interrupt_in_progress, posix

EASY = "..8..9.3....3...413..4..78.4..1.3.......6...57.58....9.7..2..............34....7."
WING = "3..2.9.4.9.6...2.1.7...43.....84.9.....7.....6......38..2.3......3.8.1.28..9.1..."
SEVERAL = "1.........2....3"
NONE = "55" + "." * 79


@pytest.fixture
def run(run_main, tmp_path):
    """Run the command on a file of these lines."""

    def call(lines, *options):
        (tmp_path / "puzzles.txt").write_text("\n".join(lines) + "\n")
        return run_main(main, "puzzles.txt", *options)

    return call


def test_text_has_numbered_steps_and_the_grid(run):
    result = run([WING])
    lines = result.lines
    numbers = [int(line.split(".")[0]) for line in lines if re.match(r" *\d+\. ", line)]
    assert result.status == 0 and numbers == list(range(1, len(numbers) + 1))
    assert sum("X-wing: in" in line for line in lines) == 1
    assert re.search(r"r\dc\d", lines[0])
    assert f"Solved in {len(list(solve_steps(WING)))} steps" in result.out
    assert result.out.replace("\n", "").endswith(f"{solve(WING):pretty}".replace("\n", ""))
    assert result.err.startswith("puzzles 1, unique 1, several 0, none 0, with a guess 0, time ")


def test_json_has_one_object_for_each_step(run):
    result = run([WING], "--format", "json", "--quiet")
    steps = [json.loads(line) for line in result.lines]
    assert result.status == 0
    assert [step["step"] for step in steps] == list(range(1, len(steps) + 1))
    assert [step["text"] for step in steps] == [step.text for step in solve_steps(WING)]
    assert [step["outcome"] for step in steps[-2:]] == [None, "unique"]
    solution = solve(WING)
    for step in steps:
        for cell, digit in step["placed"]:
            row, column = map(int, re.fullmatch(r"r(\d)c(\d)", cell).groups())
            assert solution.values[row - 1, column - 1] == int(digit)
        assert not [mark for mark in step["deleted"] if mark in step["placed"]]


@pytest.mark.parametrize("options", [(), ("--hint",)])
def test_json_of_a_puzzle_without_steps_is_step_0_with_the_outcome(run, options):
    full = "1234341221434321"
    result = run(["1" + "." * 15, full, full[:-1] + "."], "--format", "json", *options)
    reported = [json.loads(line) for line in result.lines]
    assert result.status == 1
    assert [(line["puzzle"], line["step"]) for line in reported] == [(1, 0), (2, 0), (3, 1)]
    assert [line["outcome"] for line in reported] == ["several solutions", "unique", "unique"]
    assert reported[0].keys() == reported[2].keys() and reported[0]["technique"] == ""
    assert "15 cells are still open" in reported[0]["text"] and "complete" in reported[1]["text"]


def test_hint_is_the_first_step(run):
    result = run([EASY, WING], "--hint", "--quiet")
    assert result.status == 0
    assert [line for line in result.lines if line and ":" in line and "single" in line] == [
        next(solve_steps(puzzle)).text for puzzle in (EASY, WING)
    ]


def test_a_rating_is_one_line(run):
    result = run([EASY, WING, SEVERAL + "#"], "--rate")
    assert result.status == 1
    lines = result.lines
    assert re.fullmatch(r"1\.\d hidden single \(hidden single \d+.*\)", lines[0])
    assert re.fullmatch(r"3\.\d hidden pair \(.*X-wing 1, hidden pair 1\)", lines[1])
    assert lines[2] == "several solutions"
    result = run([WING], "--rate", "--format", "json")
    rating = json.loads(result.out)
    assert rating["hardest"] == "hidden pair" and rating["counts"]["X-wing"] == 1


def test_shares_of_the_levels(run):
    result = run([EASY, WING], "--summary")
    assert result.status == 0
    assert re.findall(r"[\d.]+ %", result.out) == ["50.0 %"] * 2 + ["100.0 %"] * 5 + ["0.0 %"]


def test_several_solutions_and_none(run):
    result = run([SEVERAL])
    assert result.status == 1 and "the puzzle has several solutions, and " in result.out
    assert "several 1, none 0" in result.err
    result = run([NONE])
    assert result.status == 1 and "Contradiction: 5 twice in row 1 (r1c1, r1c2)" in result.out


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        ([EASY, "123"], (), "puzzles.txt:2: 3 cells"),
        ([EASY], ("--hardest", "luck"), "no technique is called 'luck': one of hidden single, "),
        ([EASY], ("--hardest", "unique rectangle"), "'unique rectangle' is used only if uniquene"),
        ([EASY], ("-o", "none/x.txt"), "none/x.txt: cannot be written: No such file"),
        ([EASY, WING], ("--format", "html"), "<stdout>: there is more than one puzzle"),
        ([EASY], ("--format", "svg"), "python -m sudoku.explain: --format svg draws one step"),
        ([EASY], ("--rate", "--format", "html"), "python -m sudoku.explain: --rate has no --form"),
        ([EASY], ("--rate", "--hint"), "python -m sudoku.explain: argument --hint: not allowed"),
        ([EASY], ("--summary", "--format", "json"), "python -m sudoku.explain: --summary has no"),
        ([EASY], ("--techniques",), "python -m sudoku.explain: FILE has no effect with --techni"),
    ],
)
def test_faults_are_one_line(run, tmp_path, lines, options, message):
    result = run(lines, *options)
    assert result.status == 2 and result.out == ""
    assert result.err.startswith(message) and result.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["puzzles.txt"]


@pytest.mark.parametrize(
    "options",
    [
        ("--format", "text"),
        ("--uniqueness",),
        ("--hardest", "X-wing"),
        ("--box", "2x3"),
        ("--diagonal",),
        ("--symbols", "1234"),
        ("--skip-bad",),
    ],
)
def test_the_table_of_techniques_takes_no_options_but_output(run_main, options):
    result = run_main(main, "--techniques", *options)
    assert (result.status, result.out) == (2, "")
    assert f"{options[0]} has no effect with --techniques" in result.err
    run_main(main, "--techniques", "-o", "table", "--quiet")
    assert Path("table").read_text() == table()


def test_pages_are_numbered(run, tmp_path):
    assert run([EASY, WING], "--format", "html", "-o", "page.html").status == 0
    assert sorted(path.name for path in tmp_path.glob("*.html")) == ["page-1.html", "page-2.html"]
    for path in tmp_path.glob("*.html"):
        path.unlink()
    assert run([EASY, WING, "12"], "--format", "html", "-o", "page.html").status == 2
    assert not list(tmp_path.glob("*.html"))


def test_help_and_faults_do_not_import_numba():
    calls = ["--help"], ["no such file"], ["--hardest", "x"]
    found = imported_by("sudoku.explain.__main__", *calls)
    assert found == [(0, False), (2, False), (2, False)]


def test_a_complete_grid_has_no_steps(run):
    complete = str(solve(WING))
    assert run([complete, WING], "--rate").lines[0] == "0.0 nothing to do"
    assert len(run([complete], "--rate", "--format", "json").lines) == 1
    (line,) = run([complete], "--format", "json").lines
    step = json.loads(line)
    assert (step["step"], step["outcome"]) == (0, "unique")


def test_files_may_have_any_name(run_main, tmp_path):
    path = tmp_path / os.fsdecode(b"\xe9.txt")
    path.write_text(f"{WING}\n{WING}\n")
    assert run_main(main, path, "--hint", "-o", "out.txt").status == 0
    assert b"\xe9.txt:2" in (tmp_path / "out.txt").read_bytes()


@pytest.mark.parametrize(
    "options",
    [(), ("--rate",), ("--rate", "--format", "json"), ("--format", "json"), ("--summary",)],
)
def test_the_output_does_not_depend_on_the_number_of_threads(run, options):
    lines = [EASY, WING, NONE, SEVERAL] * 6
    alone = run(lines, *options, "--jobs", 1)
    together = run(lines, *options, "--jobs", 3)
    assert (together.status, together.out) == (alone.status, alone.out)
    assert len(alone.lines) >= 2
    tally = "puzzles 24, unique 12, several 6, none 6, with a guess 0, time "
    assert alone.err.startswith(tally) and together.err.startswith(tally)


def test_at_the_time_limit_the_answers_so_far_are_written(run, fake_clock):
    """A fake clock advances whenever it is read: once at the start, then once for each puzzle."""
    lines = [EASY, WING] * 10
    whole = run(lines, "--rate", "--jobs", 1, "--quiet")
    cut = run(lines, "--rate", "--jobs", 1, "--quiet", "--time-limit", 0.085)
    assert (whole.status, cut.status) == (0, 1)
    assert cut.err == "stopped at the time limit of 0.085 s\n"
    assert 1 < len(cut.lines) < len(whole.lines)
    assert whole.lines[: len(cut.lines)] == cut.lines
    assert run([EASY], "--rate", "--quiet", "--time-limit", 0).status == 0


def test_the_time_of_compiling_is_no_part_of_the_limit(run, monkeypatch):
    class Compiled(CompileTimer):
        def __call__(self):
            return 1e6

    arguments = ([EASY] * 3, "--rate", "--jobs", 1, "--quiet", "--time-limit", 0)
    assert len(run(*arguments).lines) == 1
    monkeypatch.setattr("dlx.compiled.timer.CompileTimer", Compiled)
    assert (run(*arguments).status, len(run(*arguments).lines)) == (0, 3)


def test_weights_from_a_file(run, run_main, tmp_path):
    (tmp_path / "weights").write_text("# mine\n\n1 naked single\n2.5 hidden single in a line\n")
    assert run([EASY], "--rate", "--weights", "weights").out == (
        "2.8 hidden single (naked single 39, hidden single 18)\n"
    )
    shown = run_main(main, "--techniques", "--weights", "weights").lines
    assert [line.split()[0] for line in shown[1:]] == ["1.0", "2.5", "11.0"]


def test_steps_of_weight_0_are_steps(run, tmp_path):
    (tmp_path / "weights").write_text("0 naked single\n0 hidden single in a line\n")
    assert run([EASY], "--rate", "--weights", "weights").out == (
        "0.0 hidden single (naked single 39, hidden single 18)\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.2 hidden single\nX-wing\n", "weights:2: 'X-wing' is not a weight and a technique"),
        ("1 swordfisch\n", "weights:1: '1 swordfisch' is not a weight and a technique"),
        ("-1 X-wing\n", "weights:1: '-1 X-wing' is not a weight"),
        ("nan X-wing\n", "weights:1: 'nan X-wing' is not a weight"),
        ("1 X-wing\n\n2 X-wing\n", "weights:3: X-wing is there twice"),
        ("2 X-wing\n1 swordfish\n", "weights:2: weight 1 after 2: weights ascend"),
        ("2 guess\n2 swordfish\n", "weights:2: swordfish after the guess, which comes last"),
        (b"\xff\xfe\xff", "weights: not a text file: it begins with a UTF-16 mark"),
        (b"# a\n" * 25_001, "weights: more than 100000 characters"),
        ("", "weights: no weight and technique, such as '3.0 naked pair'"),
        ("# 1 naked single\n\n", "weights: no weight and technique, such as '3.0 naked pair'"),
        (None, "weights: no such file"),
    ],
)
def test_faults_of_weights_are_reported_by_line(run, tmp_path, text, message):
    if text is not None:
        (tmp_path / "weights").write_bytes(text if isinstance(text, bytes) else text.encode())
    result = run([EASY], "--weights", "weights", "-o", "never")
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(message) and result.err.count("\n") == 1
    assert not (tmp_path / "never").exists()


def test_a_long_number_that_is_no_file_of_weights_is_no_puzzle(run):
    assert run([EASY], "--weights", "9" * 20).err == f"{'9' * 20}: no such file\n"


@pytest.mark.parametrize("name", ["x wing", "X_WING", "x-Wing"])
def test_names_of_techniques_may_have_blanks_hyphens_or_underscores(run, tmp_path, name):
    (tmp_path / "weights").write_text(f"1 Hidden-single_in a-box\n2 naked_single\n3 {name}\n")
    rated = run([WING], "--rate", "--weights", "weights", "--hardest", name)
    assert rated.status == 0 and "X-wing" in rated.out
    assert "X-wing" in run([WING], "--rate", "--hardest", name).out


def test_weights_of_unique_rectangles_need_uniqueness(run, tmp_path):
    (tmp_path / "weights").write_text("1 hidden single\n2 unique rectangle\n")
    result = run([EASY], "--rate", "--weights", "weights")
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("'unique rectangle' is used only if uniqueness is assumed: give")
    assert run([EASY], "--rate", "--weights", "weights", "--uniqueness").status == 0


@pytest.mark.parametrize("table", ["11 guess\n", "1 naked pair\n2 naked single\n"])
def test_weights_without_singles_up_to_the_hardest_end_in_guesses(run, tmp_path, table):
    (tmp_path / "weights").write_text(table)
    hardest = ["--hardest", "naked pair"] if "naked" in table else []
    result = run([EASY], "--rate", "--weights", "weights", *hardest)
    assert result.status == 0 and " guess (" in result.out


def test_chains_grow_heavier_by_length_from_their_own_weight():
    chain = parse_techniques("8.0 X-chain")[0]
    with pytest.raises(PuzzleError, match="techniques are None; a text is needed"):
        parse_techniques(None)
    assert (chain.weigh(3), chain.weigh(5), chain.weigh(99)) == (8.0, 8.2, 8.7)


@posix
def test_ctrl_c_keeps_what_was_found(tmp_path):
    (tmp_path / "in").write_text("1..4..2..1..4...\n" * 200_000)
    status, err = interrupt_in_progress(
        "sudoku.explain", tmp_path / "in", "--rate", "--jobs", 2, "-o", tmp_path / "out",
        unit="puzzles",
    )  # fmt: skip
    assert status == 130
    lines = (tmp_path / "out.partial").read_text().splitlines()
    assert set(lines) == {"1.2 hidden single (hidden single 11)"}
    assert f"interrupted: puzzles {len(lines)}, unique {len(lines)}, " in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out.partial"]


def test_ctrl_c_within_the_tally_of_a_puzzle_waits_for_its_end(run, monkeypatch):
    encoded, calls = command.encoded, []

    def interrupted_at_the_third(text):
        calls.append(text)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return encoded(text)

    monkeypatch.setattr(command, "encoded", interrupted_at_the_third)
    result = run([EASY] * 5, "--rate", "-o", "out")
    assert result.status == 130
    assert len(Path("out.partial").read_text().splitlines()) == 3
    assert "interrupted: puzzles 3, unique 3, " in result.err


def test_ctrl_c_keeps_the_table_of_the_puzzles_rated(run, monkeypatch):
    take, calls = command.ExplainCommand._take, []

    def interrupted_at_the_third(self, *about):
        calls.append(about)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        take(self, *about)

    monkeypatch.setattr(command.ExplainCommand, "_take", interrupted_at_the_third)
    result = run([EASY] * 5, "--summary", "-o", "out")
    assert result.status == 130 and "interrupted: puzzles 3, " in result.err
    assert re.search(r"^puzzles\.txt +3 ", Path("out.partial").read_text(), re.MULTILINE)
