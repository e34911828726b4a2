"""Old spellings of public names: they work and warn."""

import numpy as np
import pytest

import dlx
from dlx.__main__ import main

PROBLEM = [[0, 1], [2], [0], [1, 2]]


@pytest.mark.parametrize(("old", "new"), [("covers", "solution_set"), ("CoverSet", "SolutionSet")])
def test_old_names_of_the_package_warn_and_return_the_new_ones(old, new):
    with pytest.warns(DeprecationWarning, match=f"dlx.{old} is deprecated .* use dlx.{new}"):
        assert getattr(dlx, old) is getattr(dlx, new)
    assert old not in dlx.__all__ and new in dlx.__all__


@pytest.mark.parametrize(
    ("make", "old", "new"),
    [
        (lambda: dlx.Search(PROBLEM), "covers", "num_solutions"),
        (lambda: dlx.Search(PROBLEM).stats, "covers", "solutions"),
        (lambda: dlx.Count(PROBLEM), "covers", "num_solutions"),
        (lambda: dlx.solution_set(PROBLEM).best([1, 1, 1, 1]), "cover", "solution"),
    ],
)
def test_old_attributes_warn_and_return_the_new_ones(make, old, new):
    thing = make()
    with pytest.warns(
        DeprecationWarning, match=rf"\.{old} is deprecated .* use \w+\.{new}"
    ) as seen:
        assert getattr(thing, old) == getattr(thing, new)
    assert seen[0].filename == __file__


def test_a_limit_by_position_warns():
    with pytest.warns(DeprecationWarning, match=r"count_solutions\(limit\) by position") as seen:
        assert dlx.count_solutions(PROBLEM, 1) == 1
    assert seen[0].filename == __file__
    with pytest.raises(TypeError, match="positional"):
        dlx.count_solutions(PROBLEM, 1, limit=1)
    with pytest.raises(TypeError, match="positional"):
        dlx.count_solutions(PROBLEM, 1, 2)


def test_the_old_name_of_a_method_warns(tmp_path, capsys):
    with pytest.warns(DeprecationWarning, match='method="memo" is deprecated .*"sweep"') as seen:
        assert dlx.Count(PROBLEM, method="memo").count() == 2
        assert dlx.count_solutions(PROBLEM, method="memo") == 2
    assert [warning.filename for warning in seen] == [__file__] * 2
    path = tmp_path / "problem.dlx"
    path.write_text("a b\na\nb\n")
    with pytest.warns(DeprecationWarning, match="--method memo is deprecated .* --method sweep"):
        assert main([str(path), "--count", "--method", "memo"]) == 0
    assert capsys.readouterr().out == "1\n"


def test_no_warning_for_the_new_spellings():
    problem = dlx.Problem.from_matrix(np.eye(3, dtype=int))
    assert dlx.count_solutions(problem, limit=5) == 1
