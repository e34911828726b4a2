"""Answers in every format, and in the format of the puzzle."""

import json
from pathlib import Path

import pytest

import sudoku
from sudoku.reading.convert import as_grid
from sudoku.symbols import Symbols
from tests.sudoku.commands import ANSWER, NONE, SEVERAL, UNIQUE

GRID = "\n".join(UNIQUE[i : i + 9] for i in range(0, 81, 9))


def test_a_grid_is_answered_in_its_own_form(run_dlx):
    rows = [
        "+--+--+",
        "| 1 .|. 4 |",
        "| . .|2 . |",
        "+--+--+",
        "|. 1 |. . |",
        "| 4 .|. .|",
        "+--+--+",
    ]
    text = "Grid 01\n" + "\n".join(rows) + "\n\n# more\nGrid 02\n1..4\n..2.\n.1..\n4...\n"
    result = run_dlx(text)
    assert result.lines == [
        "Grid 01",
        "+--+--+",
        "| 1 2|3 4 |",
        "| 3 4|2 1 |",
        "+--+--+",
        "|2 1 |4 3 |",
        "| 4 3|1 2|",
        "+--+--+",
        "",
        "Grid 02",
        "1234",
        "3421",
        "2143",
        "4312",
    ]
    assert run_dlx("\n".join(rows)).lines == result.lines[1:8]
    bad = run_dlx("Grid 01\n11..\n....\n....\n....\n")
    assert bad.lines == ["Grid 01", "no solution: 1 twice in row 1 (r1c1, r1c2)"]
    assert len(
        run_dlx("1...\n..2.\n....\n...3\n", "--all").out.split("\n\n")
    ) == sudoku.count_solutions("1...\n..2.\n....\n...3\n")


def test_reasons_that_need_no_search_are_given(run_dlx):
    texts = ["123....4........", "1...............", "2..1....4.....3."]
    nothing = "no solution: no digit fits r1c4"
    lines = run_dlx("\n".join(texts)).lines
    assert (lines[0], lines[2]) == (nothing, "no solution")
    assert run_dlx(texts[0], "--all").lines == [nothing]
    assert run_dlx("\n".join(texts[:1] * 3), "--format", "pretty").out.count(nothing) == 3


def test_distinct_puzzles_are_written_as_they_are_read(run_dlx):
    body = "12|..\n..|3.\n--+--\n..|..\n4.|..\n"
    last = "Grid 4\n1 2 3 .\n. . . .\n. . . .\n. . . .\n"
    bad = "Grid 2\n11..\n....\n....\n....\n"
    text = "\n".join([f"Grid 1\n{body}", bad, f"Grid 3\n{body}", last])
    assert run_dlx(text, "--distinct", "--skip-bad").out == f"Grid 1\n{body}\n{last}"
    assert run_dlx(body, "--distinct", "--format", "line").out == "12....3.....4...\n"
    csv = run_dlx(f"id,puzzle\na,{UNIQUE}\nb,{UNIQUE}\n", "--distinct")
    assert csv.lines == ["puzzle,givens", f"{UNIQUE},{81 - UNIQUE.count('0')}"]


def test_numbers_and_words_are_answered_in_their_own_form(run_dlx):
    words = "张三 . . 赵六\n. . 李四 .\n. 张三 . .\n赵六 . . .\n"
    result = run_dlx(words, "--symbols", "张三 李四 王五 赵六")
    assert result.lines[0] == "张三 李四 王五 赵六" and result.status == 0
    numbers = run_dlx("01,00,00,04\n00,00,02,00\n00,01,00,00\n04,00,00,00\n")
    assert numbers.lines[0].replace(" ", "") == "1,2,3,4"


@pytest.mark.parametrize("options", [[], ["--all"], ["--count", "--format", "csv"]])
def test_csv_that_was_written_is_read_again(run_dlx, options):
    text = f"puzzle\r\n{UNIQUE}\r\n".replace(UNIQUE, f'"{UNIQUE}"')
    written = run_dlx(text, *options)
    assert written.lines[0].startswith("puzzle,")
    assert run_dlx(written.out).lines == ["puzzle,solution", f"{UNIQUE},{ANSWER}"]
    column = "".join(line.partition(",")[0] + "\n" for line in written.lines)
    assert run_dlx(column).lines == [ANSWER]


def test_csv_is_answered_as_csv(run_dlx):
    result = run_dlx(f"puzzle,rating\n{UNIQUE},1.2\n{NONE},9\n")
    assert result.lines == ["puzzle,solution", f"{UNIQUE},{ANSWER}", f"{NONE},"]
    counted = run_dlx(f"puzzle\n{UNIQUE}\n", "--count", "--format", "csv")
    assert counted.lines == ["puzzle,count", f"{UNIQUE},1"]
    assert run_dlx(f"puzzle,rating\n{UNIQUE},1.2\n", "--check").lines == ["unique"]
    checked = run_dlx(UNIQUE, "--check", "--format", "csv")
    assert checked.lines == ["puzzle,check", f"{UNIQUE},unique"]


def test_json_has_one_object_on_each_line(run_dlx):
    result = run_dlx(f"{UNIQUE}\n{SEVERAL}\n{NONE}\n", "--format", "json")
    one, several, none = map(json.loads, result.lines)
    assert one["puzzle"] == UNIQUE and one["solutions"] == [ANSWER]
    assert (one["count"], one["unique"], one["exact"]) == (1, True, True)
    assert (several["count"], several["unique"], several["exact"]) == (2, False, False)
    assert (none["count"], none["unique"], none["solutions"]) == (0, False, [])
    assert all(isinstance(found["nodes"], int) for found in (one, several, none))
    every = json.loads(run_dlx("." * 16, "--all", "--format", "json").out)
    assert every["count"] == len(set(every["solutions"])) == 288 and every["exact"]
    counted = json.loads(run_dlx("." * 16, "--count", "--format", "json").out)
    assert (counted["count"], counted["solutions"], counted["unique"]) == (288, [], False)
    some = json.loads(run_dlx("." * 16, "--count", "--limit", "9", "--format", "json").out)
    assert (some["count"], some["exact"]) == (9, False)
    first = json.loads(run_dlx(UNIQUE, "--limit", "1", "--format", "json").out)
    assert first["unique"] is None and first["exact"] is False


@pytest.mark.parametrize("task", [[], ["--all"]])
def test_json_of_a_puzzle_without_a_solution_has_the_reason(run_dlx, task):
    full = "12345678........9" + "." * 64
    searched = "2..1....4.....3."  # no reason is seen without a search
    text = f"{NONE}\n{UNIQUE}\n{SEVERAL}\n{full}\n\n{searched}\n"
    found = [json.loads(line) for line in run_dlx(text, "--format", "json", *task).lines]
    missing = object()
    reasons = [one.get("reason", missing) for one in found]
    assert reasons[0] == "5 twice in row 1 (r1c1, r1c2)"
    assert reasons == [sudoku.why(NONE), missing, missing, "no digit fits r1c9", None]
    named = json.loads(run_dlx("\\\\" + "." * 14, "--symbols", "\\xyz", "--format", "json").out)
    assert named["reason"] == "\\ twice in row 1 (r1c1, r1c2)"
    for question in ("--count", "--check"):  # whose lines have no reason, either
        assert "reason" not in json.loads(run_dlx(NONE, question, "--format", "json").out)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (f"{UNIQUE}\n{SEVERAL}\n{NONE}\n" * 3, []),
        ("1..4..2..1..4...\n11..............\n", []),
        ("\\..z..x..\\..z...\n\\\\..............\n", ["--symbols", "\\xyz"]),
        ("♠..♣..♥..♠..♣...\n♠♠..............\n", ["--symbols", "♠♥♦♣"]),
        ("Ann . . Sue\n. . Bob .\n. Ann . .\nSue . . .\n", ["--symbols", "Ann Bob Eve Sue"]),
    ],
)
def test_json_and_csv_agree_with_each_puzzle_alone(run_dlx, text, options):
    names = options[-1] if options else "auto"
    symbols = Symbols.parse(names) if options else None
    found = [json.loads(line) for line in run_dlx(text, "--format", "json", *options).lines]
    fields = [line.split(",") for line in run_dlx(text, "--format", "csv", *options).lines[1:]]
    checked = [
        line.split(",") for line in run_dlx(text, "--format", "csv", "--check", *options).lines
    ]
    listed = [
        json.loads(line) for line in run_dlx(text, "--format", "json", "--all", *options).lines
    ]
    assert len(found) == len(fields) == len(listed) == len(checked) - 1
    words = {0: "none", 1: "unique", 2: "several"}
    for one, (puzzle, solution), (_, word), every in zip(
        found, fields, checked[1:], listed, strict=True
    ):
        assert one["puzzle"] == puzzle == every["puzzle"]
        assert one["solutions"] == ([solution] if solution else [])
        question = as_grid(puzzle, symbols=symbols)
        assert one["count"] == sudoku.count_solutions(question, limit=2)
        assert words[one["count"]] == word
        assert set(one["solutions"]) <= set(every["solutions"])
        assert sorted(every["solutions"]) == sorted(
            str(solution) for solution in sudoku.solutions(question)
        )
        assert (every["count"], every["exact"]) == (len(every["solutions"]), True)


def test_headers_keep_their_encoding(run_dlx):
    run_dlx(b"Gitter \xe4\n1...\n....\n..2.\n....\n", "-o", "out.txt")
    assert Path("out.txt").read_bytes().startswith(b"Gitter \xe4\n1")


def test_every_puzzle_can_be_answered_in_every_form(run_dlx):
    assert run_dlx(GRID, "--format", "line").out == ANSWER + "\n"
    rows = [ANSWER[i : i + 9] for i in range(0, 81, 9)]
    assert run_dlx(UNIQUE, "--format", "grid").lines == rows
    two = run_dlx(f"{UNIQUE}\n{UNIQUE}\n", "--format", "grid")
    assert two.lines == [*rows, "", *rows]
    pretty = run_dlx(UNIQUE, "--format", "pretty").lines
    assert pretty[0] == "8 1 9 | 4 6 5 | 7 3 2" and pretty[3] == "------+-------+------"
    again = run_dlx("\n".join(pretty), "--format", "line")
    assert again.out == ANSWER + "\n"
    assert run_dlx(f"{NONE}\n{UNIQUE}", "--format", "pretty").lines[1:3] == ["", pretty[0]]


def test_files_of_other_programs(run_dlx):
    text = f"{UNIQUE}\n{NONE}\n"
    assert run_dlx(text, "--format", "sdk").out.startswith(f"[Puzzle]\n{ANSWER[:9]}\n")
    assert "\n\nno solution: 5 twice" in run_dlx(text, "--format", "sdk").out
    edge, row = run_dlx(text, "--format", "ss").lines[:2]
    assert (edge, row.replace("|", "")) == ("*-----------*", ANSWER[:9])
    url, none = run_dlx(text, "--format", "fpuzzles").lines
    assert str(as_grid(url)) == UNIQUE.replace("0", ".") and none.startswith("no solution: ")
    assert run_dlx(UNIQUE, "--count", "--format", "sdk").status == 2
