"""``python -m dlx FILE --best [K]``."""

import io

import pytest

from dlx.__main__ import main

TEXT = """\
a b c
a b |5
c |1
a |1
b c |4
a b c |9
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "problem.dlx"
    path.write_text(TEXT)
    return str(path)


def test_the_cheapest_solution(file, capsys):
    assert main([file, "--best"]) == 0
    out, err = capsys.readouterr()
    assert out == "| cost 5\na |1\nb c |4\n"
    assert err.startswith("1 solution, ") and err.count("\n") == 1
    assert main(["--best", file]) == 0
    assert capsys.readouterr().out == out


def test_the_k_cheapest_solutions(file, capsys):
    assert main([file, "--best", "2", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("| cost 5\na |1\nb c |4\n\n| cost 6\na b |5\nc |1\n", "")
    assert main([file, "--best", "9"]) == 0
    assert capsys.readouterr().out.count("| cost") == 3


def test_without_a_solution_or_time_the_status_is_1(file, tmp_path, capsys):
    (tmp_path / "none").write_text("a b\na |1\n")
    assert main([str(tmp_path / "none"), "--best"]) == 1
    assert capsys.readouterr().out == ""
    (tmp_path / "empty").write_text("a b\n")
    assert main([str(tmp_path / "empty"), "--best"]) == 1
    assert capsys.readouterr().err.startswith("0 solutions, ")
    assert main([file, "--best", "--time-limit", "0"]) == 1
    assert capsys.readouterr().err.startswith("no solution found\n0 solutions, ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\na\n", "no option has a cost, written |n at the end of its line"),
        (f"a\na |{2**60}\na |1\n", ": the costs are too large"),
        ("a\na |x\n", "'|x' is not a cost such as '|5', a whole number"),
        ("a\na |\n", "'|' is not a cost such as '|5', a whole number"),
    ],
)
def test_wrong_costs_are_refused_in_one_line(text, message, tmp_path, capsys):
    path = tmp_path / "problem"
    path.write_text(text)
    assert main([str(path), "--best"]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1


def test_standard_input_has_a_name(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\na\n")))
    assert main(["-", "--best"]) == 2
    assert capsys.readouterr().err.startswith("dlx: standard input: no option has a cost")


@pytest.mark.parametrize("k", ["0", "-1", "x"])
def test_a_wrong_k_is_refused(k, file, capsys):
    with pytest.raises(SystemExit) as error:
        main([file, "--best", k])
    assert error.value.code == 2
    assert "--best" in capsys.readouterr().err
