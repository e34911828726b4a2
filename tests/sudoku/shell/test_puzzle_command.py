"""Runs over files of puzzles: bad puzzles, many puzzles, time limits, Ctrl-C."""

import os
import pkgutil
import re
import signal
from contextlib import nullcontext
from pathlib import Path

import pytest

import sudoku.dlx
import sudoku.explain.__main__
from sudoku.shell.output import Output
from sudoku.shell.solve_command import SolveCommand
from sudoku.solving.solution_search import SolutionSearch
from tests.sudoku.commands import ANSWER, NONE, SEVERAL, UNIQUE, interrupt_in_progress, posix


def test_all_bad_puzzles_are_reported(run_dlx):
    text = f"{UNIQUE}\n{UNIQUE[1:]}\n{UNIQUE}\n?{UNIQUE[1:]}\n"
    strict = run_dlx(text, "-o", "out.txt")
    assert strict.status == 2 and not Path("out.txt").exists()
    assert [line.split()[0] for line in strict.err.splitlines()] == ["in.txt:2:", "in.txt:4:1:"]
    assert run_dlx(text).out == ""
    lenient = run_dlx(text, "--skip-bad")
    assert lenient.status == 1 and lenient.lines == [ANSWER] * 2
    assert lenient.err.splitlines()[:2] == strict.err.splitlines()
    assert "bad 2" in lenient.err


def test_a_grid_below_a_bad_one_is_written_without_a_blank_line_above(run_dlx):
    grid = "1...\n....\n..2.\n...3\n"
    result = run_dlx(grid.replace("2", "x") + f"\n{grid}\n{grid}", "--skip-bad")
    solved = run_dlx(grid).out
    assert result.out == f"{solved}\n{solved}"


def test_a_missing_file_does_not_hide_the_faults_of_others(run_dlx):
    Path("short.txt").write_text(UNIQUE[1:])
    result = run_dlx(UNIQUE, "none.txt", "short.txt")
    assert result.status == 2 and len(result.err.splitlines()) == 2


def test_large_files_are_answered_in_chunks(run_dlx, monkeypatch):
    monkeypatch.setattr("sudoku.reading.sources.READ_AT_ONCE", 10_000)
    text = f"{UNIQUE}\n{SEVERAL}\n{NONE}\n" * 400
    one = run_dlx(text, "--jobs", "1")
    for jobs in ("3", "all"):
        assert run_dlx(text, "--jobs", jobs).out == one.out
    assert len(one.lines) == 1200
    assert one.lines[::3] == [ANSWER] * 400
    assert one.err.startswith("puzzles 1200, unique 400, several 400, none 400")


@pytest.mark.parametrize("form", [None, "line", "grid", "pretty", "csv"])
@pytest.mark.parametrize("limits", [("--all",), ("--limit", "2"), ("--all", "--limit", "1")])
def test_unique_puzzles_are_listed_together_as_one_by_one(form, limits, run_dlx, monkeypatch):
    text = f"{UNIQUE}\n{NONE}\n{SEVERAL}\n{UNIQUE}\n{UNIQUE}\n{SEVERAL}\n{NONE}\n"
    options = limits if form is None else (*limits, "--format", form)
    together = run_dlx(text, *options)
    monkeypatch.setattr("sudoku.shell.solve_command.LARGEST_TOGETHER", 0)
    singly = run_dlx(text, *options)
    assert (together.out, together.status) == (singly.out, singly.status)
    tallies = [result.err.partition(", time")[0] for result in (together, singly)]
    assert tallies[0] == tallies[1]
    assert len(together.out) > 400


def test_puzzles_with_one_solution_need_no_search_of_their_own(run_dlx, monkeypatch):
    searched = []
    search = SolveCommand._search_singly

    def noted(self, indices):
        searched.extend(indices)
        search(self, searched[-1:])

    monkeypatch.setattr(SolveCommand, "_search_singly", noted)
    result = run_dlx(f"{UNIQUE}\n{NONE}\n{SEVERAL}\n{UNIQUE}\n", "--all")
    assert searched == [2]
    assert result.lines[0] == result.lines[-1] == ANSWER


def test_a_time_limit_ends_a_count_with_a_lower_bound(run_dlx, fake_clock):
    result = run_dlx("." * 81, "--count", "--time-limit", "1")
    assert result.status == 1
    (line,) = result.lines
    assert line.startswith(">= ") and int(line[3:]) > 1000
    assert result.err.startswith(
        f"in.txt:1: at least {line[3:]} solutions\nstopped at the time limit of 1 s\n"
        "puzzles 1, unique 0, several 1, none 0, time "
    )


def test_a_time_limit_ends_a_list(run_dlx, fake_clock):
    result = run_dlx("." * 81, "--all", "--time-limit", "1")
    assert result.status == 1
    assert 100 < len(set(result.lines)) == len(result.lines)
    assert f"in.txt:1: at least {len(result.lines)} solutions\n" in result.err


def test_a_time_limit_of_0_answers_nothing(run_dlx, fake_clock):
    result = run_dlx(f"{UNIQUE}\n" * 3, "--time-limit", "0")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("stopped at the time limit of 0 s\npuzzles 0, ")


def test_compilation_does_not_count_for_the_time_limit(run_dlx, fake_clock, monkeypatch):
    """The kernel that lists solutions is compiled after a first search of all puzzles."""

    class Timer(nullcontext):
        def __enter__(self):
            self.began = fake_clock.now
            return lambda: fake_clock.now - self.began

    class SlowSearch(SolutionSearch):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            fake_clock.now += 1000

    monkeypatch.setattr("dlx.compiled.timer.CompileTimer", Timer)
    monkeypatch.setattr("sudoku.solving.solution_search.SolutionSearch", SlowSearch)
    result = run_dlx(f"{'.' * 16}\n" * 2, "--all", "--time-limit", "500")
    assert result.status == 0 and len(result.lines) == 2 * 288


def test_a_clock_with_coarse_steps_gives_no_rate(run_dlx, monkeypatch):
    monkeypatch.setattr("time.monotonic", lambda: 1.0)
    assert run_dlx(UNIQUE).err.endswith("time 0.000 s, 0 puzzles/s\n")


def test_puzzles_of_one_cell(run_dlx):
    result = run_dlx("1\n.\n1\n", "--box", "1x1")
    assert (result.status, result.lines) == (0, ["1", "1", "1"])
    result = run_dlx("║ 1 ║\n║ 2 ║\n", "--skip-bad")
    assert result.status == 1 and result.err.startswith("in.txt:1: a 1x1 grid has no boxes; Latin")


def test_a_layout_that_does_not_fit_is_one_line(run_dlx):
    result = run_dlx(f"1{'.' * 15}\n" * 3, "--layout", "centredot")
    assert result.status == 2 and result.out == ""
    assert (
        result.err == "in.txt:1: centredot: boxes of 2x2 have no centre, their sides must be odd\n"
    )
    text = f"1{'.' * 15}\n{UNIQUE}\n" * 2
    result = run_dlx(text, "--layout", "centredot", "--skip-bad", "--count")
    first, summary = result.err.splitlines()
    assert first.startswith("in.txt:1: centredot: boxes of 2x2")
    assert "puzzles 2," in summary and "bad 2" in summary  # all are counted


def test_the_summary_has_time_and_rate(run_dlx, fake_clock):
    fake_clock.step = 0.25
    rate = r"puzzles 1, unique 1, several 0, none 0, time (\d+\.\d{3}) s, (\d+) puzzles/s\n"
    seconds, puzzles = re.fullmatch(rate, run_dlx(UNIQUE).err).groups()
    assert float(seconds) % 0.25 == 0 and int(puzzles) in (0, 1, 2)


@posix
@pytest.mark.parametrize("task", ["--count", "--all"])
def test_ctrl_c_keeps_what_was_found(tmp_path, task):
    (tmp_path / "empty.txt").write_text("." * 81)
    out = tmp_path / "out.txt"
    status, err = interrupt_in_progress(
        "sudoku.dlx", tmp_path / "empty.txt", task, "-o", out, unit="solutions"
    )
    assert status == 130 and "interrupted: puzzles 1, " in err and "Traceback" not in err
    assert sorted(os.listdir(tmp_path)) == ["empty.txt", "out.txt.partial"]
    (found,) = re.findall(r"empty.txt:1: at least (\d+) solutions", err)
    text = (tmp_path / "out.txt.partial").read_text()
    if task == "--count":
        assert text == f">= {found}\n"
    else:  # the last solutions found may not be written
        lines = text.splitlines()
        assert 100 < len(set(lines)) == len(lines) <= int(found)
        assert {len(line) for line in lines} == {81}


SLOW = {
    ("--format", "fpuzzles"): ("sudoku.writing.fpuzzles.url", 700),
    ("--sheet", "1x2"): ("sudoku.writing.sheet.Sheets.add", 700),
    ("--distinct",): ("sudoku.solving.equivalence.canonical_batch", 6),
}
"""Options whose answers are slow to make: the function that makes them, and a call in the third
part of 256 puzzles."""


@pytest.mark.parametrize("options", SLOW, ids=" ".join)
def test_ctrl_c_keeps_what_was_found_before_slow_answers(options, run_dlx, monkeypatch):
    monkeypatch.setattr("sudoku.shell.distinct_command.DistinctCommand.together", 256)
    text = f"{UNIQUE}\n" * 1000
    whole = run_dlx(text, *options).out
    name, last = SLOW[options]
    target, attribute = name.rsplit(".", 1)
    target = pkgutil.resolve_name(target)
    original, calls = getattr(target, attribute), []

    def interrupted(*arguments):
        calls.append(None)
        if len(calls) == last:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(target, attribute, interrupted)
    result = run_dlx(text, *options, "-o", "out")
    assert result.status == 130 and "interrupted: puzzles 512, " in result.err
    kept = Path("out.partial").read_text()
    if options == ("--sheet", "1x2"):  # a sheet keeps all puzzles that were added to it
        assert kept.count("<svg") == 2 * 699 and kept.endswith("</html>\n")
    else:
        assert whole.startswith(kept) and kept.count("\n") == (512 if "--format" in options else 1)


@pytest.mark.parametrize("task", ["--candidates", "--distinct"])
def test_ctrl_c_right_after_an_answer_waits_for_the_tally(task, run_dlx, monkeypatch):
    write = Output.write

    def interrupted(self, data, count=0):
        write(self, data, count)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Output, "write", interrupted)
    result = run_dlx("1" + "." * 15 + "\n", task, "--format", "line", "-o", "out")
    assert result.status == 130 and "interrupted: puzzles 1, " in result.err
    assert len(Path("out.partial").read_text().splitlines()) == 1


UNSUITED = {
    "explain": (["--rate"], "." * 64**2, "steps of a 64x64 grid: they are found up to 63x63"),
    "fpuzzles": (["--format", "fpuzzles"], "." * 40**2, "f-puzzles has grids up to 16x16, not"),
    "candidates": (["--candidates"], "." * 40**2, "candidates are written with symbols of one"),
    "layout": (
        ["--distinct"],
        f"{'.' * 16} aaaabbbbccccdddd",
        "4x4 regions: canonical forms are of",
    ),
    "marks": (["--distinct"], "1 234 1234 1234 " * 4, "--distinct: candidates are not supported"),
    "digits": (["--distinct"], NONE, "5 twice in row 1"),
}
"""Options of ``explain`` or ``dlx``; a puzzle that their task does not suit, and why."""


@pytest.mark.parametrize("task", UNSUITED)
def test_puzzles_that_do_not_suit_the_task_are_bad_ones(task, run_main):
    options, puzzle, reason = UNSUITED[task]
    main = sudoku.explain.__main__.main if task == "explain" else sudoku.dlx.main
    for name, text in (("good", UNIQUE), ("bad", puzzle), ("other", ANSWER)):
        Path(name).write_text(text + "\n")
    alone = run_main(main, "good", "other", *options)
    result = run_main(main, "good", "bad", "other", *options, "--skip-bad")
    assert (result.status, result.out) == (1, alone.out)
    first, summary = result.err.splitlines()
    assert first.startswith(f"bad:1: {reason}") and "puzzles 2," in summary and "bad 1" in summary
    result = run_main(main, "good", "bad", "other", *options, "-o", "out")
    assert (result.status, result.out, result.err) == (2, "", f"{first}\n")
    assert not Path("out").exists()
