"""The command that explains and rates, its page, and the pictures."""

import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from sudoku.explain import __main__ as explain
from sudoku.explain.solve_steps import rate, rate_batch, solve_steps
from sudoku.reading.convert import as_grid
from sudoku.solving.solve import solve
from sudoku.writing.page import page
from sudoku.writing.picture import svg

EASY = "..8..9.3....3...413..4..78.4..1.3.......6...57.58....9.7..2..............34....7."
WING = "3..2.9.4.9.6...2.1.7...43.....84.9.....7.....6......38..2.3......3.8.1.28..9.1..."
SEVERAL = "1... .... ..2. ...3"
NONE = "55" + "." * 79


@pytest.fixture
def run(tmp_path, capsys):
    """Run the command on a file of these lines; status, output, errors."""

    def call(lines, *options):
        path = tmp_path / "puzzles.txt"
        path.write_text("\n".join(lines) + "\n")
        status = explain.main([str(path), *options])
        out, err = capsys.readouterr()
        return status, out, err

    return call


def test_text_numbers_the_steps_and_ends_with_the_grid(run):
    status, out, err = run([WING])
    lines = out.splitlines()
    numbers = [int(line.split(".")[0]) for line in lines if re.match(r" *\d+\. ", line)]
    assert status == 0 and numbers == list(range(1, len(numbers) + 1))
    assert sum("X-wing: in" in line for line in lines) == 1
    assert re.search(r"r\dc\d", lines[0])
    assert f"Solved in {len(list(solve_steps(WING)))} steps" in out
    assert out.replace("\n", "").endswith(f"{solve(WING):pretty}".replace("\n", ""))
    assert "unique 1" in err


def test_json_is_one_object_a_step(run):
    status, out, _ = run([WING], "--format", "json", "--quiet")
    steps = [json.loads(line) for line in out.splitlines()]
    assert status == 0
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
    status, out, _ = run(["1" + "." * 15, full, full[:-1] + "."], "--format", "json", *options)
    told = [json.loads(line) for line in out.splitlines()]
    assert status == 1
    assert [(line["puzzle"], line["step"]) for line in told] == [(1, 0), (2, 0), (3, 1)]
    assert [line["outcome"] for line in told] == ["several solutions", "unique", "unique"]
    assert told[0].keys() == told[2].keys() and told[0]["technique"] == ""
    assert "15 cells are still open" in told[0]["text"] and "complete" in told[1]["text"]


def test_hint_is_the_first_step(run):
    status, out, _ = run([EASY, WING], "--hint", "--quiet")
    assert status == 0
    assert [line for line in out.splitlines() if line and ":" in line and "single" in line] == [
        next(solve_steps(puzzle)).text for puzzle in (EASY, WING)
    ]


def test_rate_is_one_line_a_puzzle(run):
    status, out, _ = run([EASY, WING, SEVERAL.replace(" ", "") + "#"], "--rate")
    assert status == 1
    lines = out.splitlines()
    assert re.fullmatch(r"1\.\d hidden single \(hidden single \d+.*\)", lines[0])
    assert re.fullmatch(r"3\.\d hidden pair \(.*X-wing 1, hidden pair 1\)", lines[1])
    assert lines[2] == "several solutions"
    _, out, _ = run([WING], "--rate", "--format", "json")
    rating = json.loads(out)
    assert rating["hardest"] == "hidden pair" and rating["counts"]["X-wing"] == 1


def test_summary_adds_up(run):
    status, out, _ = run([EASY, WING], "--summary")
    assert status == 0
    assert re.findall(r"[\d.]+ %", out) == ["50.0 %"] * 2 + ["100.0 %"] * 5 + ["0.0 %"]


def test_several_solutions_and_none(run):
    status, out, _ = run([SEVERAL.replace(" ", "")])
    assert status == 1 and "several solutions" in out and "cells are still open" in out
    status, out, _ = run([NONE])
    assert status == 1 and "Contradiction: 5 twice in row 1 (r1c1, r1c2)" in out


@pytest.mark.parametrize(
    ("lines", "options", "said"),
    [
        ([EASY, "123"], (), "puzzles.txt:2: 3 cells"),
        ([EASY], ("--hardest", "luck"), "'luck'"),
        ([EASY], ("-o", "/nonexistent/x.txt"), "/nonexistent/x.txt"),
        ([EASY, WING], ("--format", "html"), "-o NAME"),
    ],
)
def test_faults_are_one_line(run, lines, options, said):
    status, out, err = run(lines, *options)
    assert status == 2 and out == ""
    assert said in err and len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "options", [("--format", "svg"), ("--rate", "--format", "html"), ("--rate", "--hint")]
)
def test_what_does_not_go_together_is_refused(run, options):
    with pytest.raises(SystemExit, match="2"):
        run([EASY], *options)


def test_numbered_pages(run, tmp_path):
    target = tmp_path / "page.html"
    assert run([EASY, WING], "--format", "html", "-o", str(target))[0] == 0
    assert sorted(path.name for path in tmp_path.glob("*.html")) == ["page-1.html", "page-2.html"]
    for path in tmp_path.glob("*.html"):
        path.unlink()
    assert run([EASY, WING, "12"], "--format", "html", "-o", str(target))[0] == 2
    assert not list(tmp_path.glob("*.html"))


def test_faults_and_help_do_not_import_numba():
    code = (
        "import sys\nfrom sudoku.explain import __main__ as explain\n"
        "try:\n    status = explain.main(sys.argv[1:])\n"
        "except SystemExit as end:\n    status = end.code\n"
        "assert 'numba' not in sys.modules\nsys.exit(status)"
    )
    for options, status in ((["--help"], 0), (["no such file"], 2), (["--hardest", "x"], 2)):
        done = subprocess.run(
            [sys.executable, "-c", code, *options], capture_output=True, stdin=subprocess.DEVNULL
        )
        assert done.returncode == status, done.stderr


# pictures


def elements(picture, kind):
    """Elements with a class, anywhere in the picture."""
    root = ElementTree.fromstring(picture)
    return [e for e in root.iter() if kind in e.get("class", "").split()]


def texts(found):
    return ["".join(e.itertext()) for e in found]


def test_picture_tells_givens_and_found_apart():
    puzzle = as_grid(EASY)
    picture = svg(puzzle, solution=solve(EASY))
    assert texts(elements(picture, "given")) == [c for c in EASY if c != "."]
    assert len(elements(picture, "found")) == EASY.count(".")
    assert not elements(picture, "mark") and not elements(picture, "shade")
    assert puzzle._repr_svg_() == svg(puzzle)


def test_picture_of_pencil_marks_diagonals_and_houses():
    puzzle = as_grid("1..4 ..2. .1.. ....", diagonal=True)
    picture = svg(puzzle, marks=True, houses=["row 3", "diagonal"])
    assert len(elements(picture, "shade")) == 8
    assert len(elements(picture, "house")) == 7
    marks = sum(len(cell) for row in puzzle_marks(puzzle) for cell in row if len(cell) != 0)
    assert len(elements(picture, "mark")) == marks
    with pytest.raises(ValueError, match="row 5"):
        svg(puzzle, houses=["row 5"])


def puzzle_marks(puzzle):
    from sudoku.explain.solve_steps import candidates

    blank = puzzle.values == 0
    return [
        [cell if blank[r, c] else () for c, cell in enumerate(row)]
        for r, row in enumerate(candidates(puzzle))
    ]


def test_picture_of_a_step():
    step = next(step for step in solve_steps(WING) if step.technique == "X-wing")
    picture = svg(as_grid(WING), step=step)
    assert len(elements(picture, "gone")) == len(step.deleted) > 0
    assert len(elements(picture, "pattern")) == 4
    assert texts(elements(picture, "one")) == [str(step.digits[0])] * len(step.pattern)


def test_puzzle_and_step_show_themselves():
    first, *_ = solve_steps(WING)
    assert svg(WING) == as_grid(WING)._repr_svg_()
    assert first._repr_svg_() == svg(WING, step=first)
    assert len(elements(svg(WING, solution=str(solve(WING))), "found")) == WING.count(".")
    with pytest.raises(ValueError, match="16 cells; 9x9 has 81"):
        svg(WING, solution="1234341221434321")


def test_a_complete_grid_has_nothing_to_do(run):
    complete = str(solve(WING))
    assert run([complete, WING], "--rate")[1].splitlines()[0] == "0.0 nothing to do"
    assert run([complete], "--rate", "--format", "json")[1].count("\n") == 1
    (told,) = map(json.loads, run([complete], "--format", "json")[1].splitlines())
    assert (told["step"], told["outcome"]) == (0, "unique")


def test_files_may_have_any_name(tmp_path):
    path, out = tmp_path / os.fsdecode(b"\xe9.txt"), tmp_path / "out.txt"
    path.write_text(f"{WING}\n{WING}\n")
    assert explain.main([str(path), "--hint", "-o", str(out)]) == 0
    assert b"\xe9.txt:2" in out.read_bytes()


def test_pictures_and_ratings_take_what_solving_takes():
    ask = {"diagonal": True, "box": "3x2", "symbols": "abcdef"}
    complete = str(solve("." * 36, **ask))
    text = "".join(cell if k % 3 else "." for k, cell in enumerate(complete))
    puzzle = as_grid(text, **ask)
    assert svg(text, **ask) == svg(puzzle)
    assert len(elements(svg(text, **ask, solution=complete), "found")) == 12
    assert rate(text, **ask) == rate(puzzle) == next(rate_batch([text], **ask))
    assert rate(text, **ask, hardest="hidden single").counts.keys() <= {"guess", "hidden single"}
    assert next(solve_steps(text, **ask)).to_dict() == next(solve_steps(puzzle)).to_dict()


def test_symbols_are_escaped_and_long_words_are_squeezed():
    puzzle = as_grid("<& . . . . unimaginably . . . . c . . . . d", symbols="<& unimaginably c d")
    picture = svg(puzzle, marks=True)
    assert texts(elements(picture, "given")) == ["<&", "unimaginably", "c", "d"]
    assert 'textLength="54"' in picture


def test_page_is_whole_and_alone():
    steps = solve_steps(WING)
    told = list(steps)
    text = page(steps.puzzle, told, "Solved.")
    assert not re.search(r"(src|href|url)\s*[=(]", text) and "@import" not in text
    data = json.loads(re.search(r'<script id="steps"[^>]*>(.*?)</script>', text, re.S)[1])
    assert len(data["steps"]) == len(told) and data["end"] == "Solved."
    drawing = re.search(r"<svg.*?</svg>", text, re.S)[0]
    # the script finds cells and marks by their place
    backs, texts_ = [g for g in ElementTree.fromstring(drawing) if g.tag.endswith("}g")]
    assert len(backs) == 81 and len(texts_) == 81 * 10
    assert text.count("<li>") == len(told)
