"""Exported problems, solved by a SAT solver and by HiGHS: the same solutions as our own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
from benchmarks import problems
from dlx import Problem, ProblemError, export
from dlx.__main__ import main
from tests.dlx.problems import bounded_problems, oracle, small_problems

solvers = pytest.importorskip("pysat.solvers")
highspy = pytest.importorskip("highspy")


def clauses_of(text):
    """The numbers of variables and the clauses of a DIMACS text, whose head must be true."""
    lines = [line.split() for line in text.splitlines() if not line.startswith("c ")]
    head, body = lines[0], [list(map(int, line)) for line in lines[1:]]
    assert head[:2] == ["p", "cnf"] and int(head[3]) == len(body)
    assert all(line[-1] == 0 for line in body)
    assert max([abs(n) for line in body for n in line], default=0) <= int(head[2])
    return [line[:-1] for line in body]


def solutions_by_sat(problem, method="auto"):
    """All solutions, each read back from the model that gives it."""
    clauses = clauses_of(export.cnf(problem, method))
    if [] in clauses:
        return []
    found = []
    with solvers.Solver("g3", bootstrap_with=clauses) as solver:
        while solver.solve():
            model = solver.get_model() or []
            found.append(export.read_solution(problem, f"v {' '.join(map(str, model))} 0"))
            chosen = set(found[-1])
            solver.add_clause(
                [-k - 1 if k in chosen else k + 1 for k in range(problem.num_options)] or [1]
            )
            if not problem.num_options:
                break
    return sorted(found)


def by_highs(problem, folder):
    """The solution that HiGHS finds for the exported program, and its objective."""
    path, answer = folder / "problem.lp", folder / "answer"
    path.write_text(export.lp(problem))
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    highs.run()
    found = set()
    for style in (0, 1):
        highs.writeSolution(str(answer), style)
        found.add(export.read_solution(problem, answer.read_text()))
    (solution,) = found
    if highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        assert solution is None
        return None, None
    assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return solution, highs.getInfo().objective_function_value


@settings(max_examples=60, deadline=None)
@given(
    problem=st.one_of(small_problems(), bounded_problems()),
    method=st.sampled_from(["auto", "pairwise", "sequential"]),
)
def test_a_sat_solver_finds_the_same_solutions(problem, method):
    assert solutions_by_sat(problem, method) == oracle(problem)


@settings(max_examples=60, deadline=None)
@given(problem=st.one_of(small_problems(), bounded_problems()), data=st.data())
def test_highs_finds_a_cheapest_solution(tmp_path_factory, problem, data):
    n = problem.num_options
    costs = data.draw(st.lists(st.integers(-9, 99), min_size=n, max_size=n))
    problem = Problem(
        [problem.option(i) for i in range(n)],
        primary=problem.items[: problem.num_primary],
        secondary=problem.items[problem.num_primary :],
        costs=costs,
        multiplicities=problem.multiplicities,
    )
    found, cost = by_highs(problem, tmp_path_factory.mktemp("lp"))
    best = dlx.cheapest(problem)
    if not best:
        assert found is None
    else:
        assert found in oracle(problem)
        assert cost == pytest.approx(best[0].cost)


def test_known_problems_have_as_many_models_as_solutions(tmp_path):
    assert len(solutions_by_sat(problems.queens(6))) == 4
    assert len(solutions_by_sat(problems.langford(7))) == 52
    assert len(solutions_by_sat(problems.de_bruijn(3))) == 16
    assert solutions_by_sat(problems.langford(5)) == []
    found, _ = by_highs(problems.queens(8), tmp_path)
    assert found in list(dlx.solutions(problems.queens(8)))
    assert by_highs(problems.langford(5), tmp_path)[0] is None


def test_lines_of_a_program_are_short():
    text = export.lp(Problem([[0]] * 3000, costs=[10**30] * 3000))
    assert max(map(len, text.splitlines())) < 200
    assert np.array([line.startswith(" ") for line in text.splitlines()]).mean() > 0.9


def test_a_cost_may_have_any_number_of_digits():
    text = export.lp(Problem([[0]], costs=[-(10**5000)]))
    assert f" - 1{'0' * 5000} x0\n" in text


def test_the_command_writes_both(tmp_path, capsys):
    path = tmp_path / "problem.dlx"
    path.write_text("a b 2|c | x\na c x:1\nb c x:1 |3\nc\n")
    problem = dlx.read(path)
    assert main([str(path), "--to", "cnf"]) == 0
    assert capsys.readouterr().out == export.cnf(problem)
    assert main([str(path), "--to", "lp", "-o", str(tmp_path / "lp")]) == 0
    assert (tmp_path / "lp").read_text() == export.lp(problem)
    for arguments in (["--to", "smt"], ["--to", "lp", "--limit", "1"], ["--to", "lp", "--count"]):
        with pytest.raises(SystemExit) as error:
            main([str(path), *arguments])
        assert error.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this text holds no solution"),
        (
            "Index Primal Name\n    0      0   x0\n    1      1   x1\n",
            "this text holds no solution",
        ),
        ("v 1 x 0", "'x' is no literal"),
        ("SAT\n1 x 0", "'x' is no literal"),
        ("INDET\n", "this text holds no solution"),
        ("v 1 2 0", r"options \(0, 1\) are no solution of this problem"),
        ("v -1 -2 0", r"options \(\) are no solution"),
        ("x0 1e", "the value of a variable is no number"),
    ],
)
def test_texts_that_are_no_solution_are_refused(text, message):
    with pytest.raises(ProblemError, match=message):
        export.read_solution([["a"], ["a"]], text)


def test_an_option_without_primary_items_is_in_no_solution_that_is_read():
    problem = Problem([["a"], ["x"]], secondary=["x"])
    assert export.read_solution(problem, "v 1 -2 0") == (0,)
    with pytest.raises(ProblemError, match=r"options \(0, 1\) are no solution of this problem"):
        export.read_solution(problem, "v 1 2 0")


def test_answers_of_several_solvers_are_read():
    problem = Problem([["a"], ["b"], ["a", "b"]])
    assert export.read_solution(problem, "c\ns SATISFIABLE\nv 1 2\nv -3 0\n") == (0, 1)
    assert export.read_solution(problem, "x2 1\nx0 0\nx1 -0\n") == (2,)
    cbc = "Optimal - objective value 0\n      0 x0   1   0\n      1 x1   1.0000  0\n"
    assert export.read_solution(problem, cbc) == (0, 1)
    highs = "    0          0    1    1           Integer     x0\n 1 0 1 1 Integer x1\n"
    assert export.read_solution(problem, highs) == (0, 1)
    glpk = "  1 x0           *              1             0             1 \n  2 x1 * 1 0 1\n"
    assert export.read_solution(problem, glpk) == (0, 1)
    assert export.read_solution(problem, "Status:     INTEGER EMPTY\n 1 x0 * 0 0 1\n") is None
    assert export.read_solution(problem, "SAT\n1 2 -3 0\n") == (0, 1)  # MiniSat's result file
    assert export.read_solution(problem, "UNSAT\n") is None
    assert export.read_solution(Problem([]), "SAT\n0\n") == ()
    assert export.read_solution(problem, "s UNSATISFIABLE\n") is None
    assert export.read_solution(problem, "Model status\nInfeasible\n") is None


def test_an_unknown_method_is_refused():
    with pytest.raises(ProblemError, match="there is no encoding 'ladder'"):
        export.cnf([["a"]], "ladder")
