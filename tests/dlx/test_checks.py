"""All functions raise the same error for the same wrong argument."""

import sys
from functools import partial

import numpy as np
import pytest

import dlx
import dlx.models
from dlx import ProblemError, models
from dlx.__main__ import main
from dlx.checks import as_flag, digits
from dlx.export import read_solution
from dlx.logic import Chain, Deducer, Fork, Structure, Subset, natural_frames

PROBLEM = [["a", "b"], ["a"], ["b"]]
TAKES_LIMIT = [dlx.Search, dlx.Count, dlx.solutions, dlx.count_solutions]
TAKES_MEMORY = [dlx.Count, dlx.count_solutions, dlx.solution_set]
TAKES_TIME = [*TAKES_LIMIT, dlx.solve, dlx.solution_set]


def refused(functions, name, values):
    return [(function, {name: value}) for function in functions for value in values]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        *refused(TAKES_LIMIT, "limit", [-1, 1.5, "2", [1], True]),
        *refused(TAKES_MEMORY, "memory_limit", [0, -1, "lots", float("nan"), float("inf"), [1]]),
        *refused(TAKES_TIME, "time_limit", [-1, "a", float("nan"), [1]]),
        *refused([dlx.count_solutions], "memory_limit", ["5", True, np.True_, b"5"]),
        *refused([dlx.count_solutions], "time_limit", ["5", True, np.True_, b"5"]),
        *refused(TAKES_TIME, "given", [[3], [-1], [0.5], 1, "ab", [[0]]]),
        *refused([dlx.solve, dlx.solutions, dlx.count_solutions], "executor", [3, "a"]),
        *refused(TAKES_LIMIT, "limit", [-(10**5000)]),
        *refused([dlx.count_solutions, dlx.solutions], "ledger", [3, ["a"], "\0", "\ud800"]),
        *refused([dlx.Count, dlx.count_solutions], "spill", [3, ["a"], "\0", "\ud800"]),
    ],
)
def test_wrong_arguments_are_refused(function, arguments):
    (name,) = arguments
    with pytest.raises(ProblemError, match=f"^{name}"):
        function(PROBLEM, **arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dlx.solve(None), "options is None; it must be an iterable"),
        (
            lambda: dlx.solve(dlx.models.queens(4)),
            r"options is <Model of Problem\(.*\)>; its attribute problem is needed",
        ),
        (lambda: dlx.Problem([["a"]], primary=5), "primary is 5; it must be an iterable"),
        (lambda: dlx.Problem([["a"]], secondary=5), "secondary is 5; it must be an iterable"),
        (lambda: dlx.Problem.from_matrix([[1]], secondary=5), "secondary is 5; it must be column"),
        (lambda: dlx.Problem.from_matrix(iter([[1, 0], 5])), "option 1 is 5, not a row of numbers"),
        (
            lambda: dlx.Problem.from_arrays([0, [1]], [0], num_primary=1),
            "start must be a one-dimensional array of integers",
        ),
        (
            lambda: dlx.Problem.from_arrays([0, 1], [0], num_primary=1, items=5),
            "items is 5; it must be an iterable of names",
        ),
        (lambda: dlx.Problem.from_arrays([0], [], num_primary=2**60), "items are too many"),
        (lambda: dlx.Problem.from_arrays([0], [], num_primary=10**5000), "0000... items are too"),
        (lambda: dlx.Problem({("a", "b"), ("a",)}), "options are a set, which numbers none of"),
        (lambda: dlx.dumps(dlx.Problem([[10**5000]])), "item 1000.* cannot be written: .* digits"),
        (lambda: dlx.count_solutions(PROBLEM, given=5, jobs=2), "given is 5; it must be option"),
        (lambda: dlx.solve([], given=[0]), "given option 0 is not there: the problem has none"),
        (lambda: dlx.Problem(np.array(5)), r"options is array\(5\); it must be an iterable"),
        (lambda: dlx.Problem([["a"]], costs=np.array(5)), r"costs are array\(5\); they must be"),
        (
            lambda: dlx.cheapest(dlx.Problem(["a", "a"], costs=[10**5000, 1])),
            "the costs are too large: their absolute values add up to 10000",
        ),
        (lambda: dlx.count_solutions(PROBLEM, limit=-(10**5000)), "limit is -10000"),
        (
            lambda: dlx.Problem.from_arrays(
                [0, 1], [0], [1], num_primary=0, num_secondary=1, colours=["red", "red"]
            ),
            "two colours have the same name",
        ),
        (
            lambda: dlx.models.polyominoes([(0, 0)], "domino", copies="two"),
            "there is no number of copies 'two'; there are one, any",
        ),
    ],
)
def test_values_that_are_not_iterable_or_too_large_are_refused(make, message):
    with pytest.raises(ProblemError, match=message):
        make()


def test_a_message_is_one_line_however_long_a_name_is():
    class Lines:
        __hash__ = None

        def __repr__(self):
            return "two\nlines"

    name = "x" * 10**6
    wrong = [
        lambda: dlx.Problem([[name, name]]),
        lambda: dlx.Problem([[name]], primary=[1]),
        lambda: dlx.Problem([["a"]], primary=[name, name]),
        lambda: dlx.Problem([["a"]], multiplicities={name: 1}),
        lambda: dlx.Problem([[name]], multiplicities={name: -1}),
        lambda: dlx.Problem([[Lines()]]),
        lambda: dlx.Problem(Lines()),
    ]
    for make in wrong:
        with pytest.raises(ProblemError) as error:
            make()
        assert len(str(error.value)) < 400 and "\n" not in str(error.value)


def test_a_number_of_workers_may_be_of_any_type():
    assert dlx.count_solutions(PROBLEM, jobs=np.int64(2)) == dlx.count_solutions(PROBLEM)


@pytest.mark.parametrize("name", ["kernel", "method", "jobs"])
@pytest.mark.parametrize("value", ["x", b"bits", 1.5, [1], np.array(["bits", "links"])], ids=str)
def test_wrong_names_are_refused(name, value):
    others = {"kernel": [dlx.solve, dlx.Search], "method": [], "jobs": [dlx.solve]}
    for function in [dlx.count_solutions, *others[name]]:
        with pytest.raises(dlx.DlxError, match=name):
            function(PROBLEM, **{name: value})


@pytest.mark.parametrize(
    "number",
    [
        lambda *args, **options: dlx.Count(*args, **options).count(),
        dlx.count_solutions,
        lambda *args, **options: dlx.solution_set(*args, **options).count,
    ],
)
def test_numbers_of_any_type_are_accepted(number):
    numbers = {"memory_limit": 1e9, "time_limit": np.float32(100), "given": np.array([1])}
    assert number(PROBLEM, **numbers) == number(PROBLEM, given=[1])
    numbers = {"memory_limit": np.int64(10**9), "time_limit": 100, "given": {1, 2}}
    assert number(PROBLEM, **numbers) == number(PROBLEM, given=[1, 2])


def test_numbers_of_more_digits_than_python_converts(tmp_path, capsys):
    names = [f"a{k}" for k in range(410)]
    text = "".join([" ".join(names) + "\n", *(40 * f"{name}\n" for name in names)])
    problem, path = dlx.loads(text), tmp_path / "problem.dlx"
    path.write_text(text)
    total = 40**410
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    expected = str(total)
    sys.set_int_max_str_digits(640)  # the least that can be set; 4300 digits by default
    try:
        count = dlx.Count(problem)
        assert count.count() == total
        assert f"{expected} solutions" in repr(count)
        assert main([str(path), "--count"]) == 0
        assert capsys.readouterr().out == f"{expected}\n"
        found = dlx.solution_set(problem)
        assert repr(found).startswith(f"SolutionSet({expected} solutions")
        found.save(tmp_path / "set")
        assert dlx.SolutionSet.load(tmp_path / "set", problem).count == total
        with pytest.raises(IndexError, match=r"there are [0-9]{657} solutions"):
            found[total]
    finally:
        sys.set_int_max_str_digits(before)
    long_ones = {10**600: "1" + 600 * "0", 10**600 - 1: 600 * "9"}
    assert all(digits(n) == text for n, text in ({0: "0", 7: "7"} | long_ones).items())


SEARCHES = [
    dlx.Search,
    dlx.Count,
    partial(dlx.solutions, jobs=2),
    dlx.improving,
]


@pytest.mark.parametrize("make", SEARCHES)
def test_limits_are_checked_when_they_are_changed(make):
    search = make(dlx.Problem(PROBLEM, costs=[1, 2, 3]), time_limit=5)
    for wrong in ("a", -1, float("nan"), True):
        with pytest.raises(ProblemError, match="time_limit is"):
            search.time_limit = wrong
    with pytest.raises(ProblemError, match="progress is 'x'"):
        search.progress = "x"
    assert (search.time_limit, search.progress) == (5.0, None)
    search.time_limit, search.progress = None, print
    assert (search.time_limit, search.progress) == (None, print)


@pytest.mark.parametrize("value", [1.0, 0.0, np.array([1]), "yes", 2])
def test_flags_are_true_or_false(value):
    with pytest.raises(ProblemError, match=r"flip is .*; True or False is needed"):
        as_flag(value, "flip")
    flags = True, np.True_, 1, False, 0, None
    assert [as_flag(flag, "flip") for flag in flags] == [True] * 3 + [False] * 3


@pytest.mark.parametrize("path", [3, None, ["a"], "\0", "\ud800"])
@pytest.mark.parametrize(
    "function",
    [
        dlx.read,
        dlx.Search(PROBLEM).save,
        dlx.Count(PROBLEM).save,
        partial(dlx.write, dlx.Problem(PROBLEM)),
        partial(dlx.Search.load, problem=PROBLEM),
        partial(dlx.SolutionSet.load, problem=PROBLEM),
    ],
)
def test_values_that_are_no_paths_are_refused(function, path):
    with pytest.raises(ProblemError, match=r"^path is .*; it must be the path of a file"):
        function(path)


@pytest.mark.parametrize("function", [dlx.loads, partial(read_solution, PROBLEM)])
def test_values_that_are_no_texts_are_refused(function):
    for text in (None, 3, b"a", ["a"]):
        with pytest.raises(ProblemError, match=r"^text is .*; it must be a text"):
            function(text)


@pytest.mark.parametrize(
    "arguments",
    [
        {"costs": [1, True, 3]},
        {"multiplicities": {"a": True}},
        {"multiplicities": {"a": (False, 1)}},
    ],
)
def test_a_bool_is_no_number(arguments):
    with pytest.raises(ProblemError, match="it must be a whole number"):
        dlx.Problem(PROBLEM, **arguments)


def test_more_solutions_than_a_list_can_have_are_not_drawn():
    with pytest.raises(ProblemError, match="n is 1180591620717411303424; it must be at most"):
        dlx.solution_set(PROBLEM).sample(2**70)
    with pytest.raises(MemoryError, match="1000000000000 solutions do not fit into memory"):
        dlx.solution_set(PROBLEM).sample(10**12)


def test_solutions_drawn_are_written_as_they_are_drawn(tmp_path, monkeypatch):
    path = tmp_path / "problem.dlx"
    path.write_text(dlx.dumps(dlx.Problem(PROBLEM)))
    sizes = []

    def write(self, data, count=0):
        sizes.append(count)
        if len(sizes) == 3:
            raise BrokenPipeError

    monkeypatch.setattr("dlx.shell.output.Output.write", write)
    monkeypatch.setattr("os.dup2", lambda *descriptors: None)
    assert main([str(path), "--sample", str(10**12)]) == 141
    assert sizes == [1000] * 3


@pytest.mark.parametrize("wrong", [5, None, 1.5, object()])
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("options", dlx.Problem(PROBLEM).compatible),
        ("solution", dlx.solution_set(PROBLEM).index),
        ("costs", lambda wrong: dlx.solution_set(PROBLEM).k_best(wrong or 7, 1)),
        ("rules", partial(Deducer, dlx.Problem(PROBLEM))),
        ("kinds", lambda wrong: Structure(dlx.Problem(PROBLEM), wrong or 7)),
        ("frames", lambda wrong: Structure(dlx.Problem(PROBLEM), None, wrong or 7)),
        ("options", natural_frames),
        ("size of a Subset", lambda wrong: Subset(wrong if wrong != 5 else "5")),
        ("fins of a Subset", lambda wrong: Subset(2, wrong if wrong != 5 else "0")),
        ("strong", Chain),
        ("a kind of items", lambda wrong: Chain((wrong if wrong != 5 else True,))),
        ("weak of a Chain", lambda wrong: Chain((1,), wrong if wrong != 5 else "1")),
        ("start of a Fork", lambda wrong: Fork(wrong if wrong != 5 else "5")),
        ("region", models.polyominoes),
        ("there are no pieces", partial(models.polyominoes, models.box(2, 2))),
        ("there is no chessman", partial(models.domination, 3, 1)),
        ("square", models.orthogonal_mates),
        ("words", partial(models.word_rectangle, 2, 2)),
        ("a word", lambda wrong: models.word_rectangle(2, 2, [wrong])),
        ("tasks", lambda wrong: models.schedule(wrong, {}, 2)),
        ("people", lambda wrong: models.schedule({}, wrong, 2)),
        (r"people\['A'\]", lambda wrong: models.schedule({}, {"A": wrong}, 2)),
        ("side", lambda wrong: models.box(2, wrong if wrong != 5 else -1)),
        ("picture", models.cells_of),
    ],
)
def test_a_wrong_argument_of_other_functions_is_named(name, function, wrong):
    with pytest.raises(ProblemError, match=f"^{name} "):
        function(wrong)


@pytest.mark.parametrize("sign", [1, -1])
def test_messages_take_numbers_of_more_digits_than_python_converts(sign):
    long = sign * 10**5000
    for wrong in (
        lambda: dlx.Problem([["a"]], multiplicities={"a": long}),
        lambda: dlx.Problem([["a"]], multiplicities={"a": (long, 0)}),
        lambda: dlx.Problem([["a"]], multiplicities={"a": (long, long + 1)}),
        lambda: models.domination(3, long),
        lambda: Subset(long),
        lambda: Fork(links=-(10**5000)),
    ):
        with pytest.raises(ProblemError, match=r"0000|object"):
            wrong()
    with pytest.raises(IndexError, match="0000"):
        dlx.Problem(PROBLEM).option(long)


def test_sizes_that_no_memory_holds_are_refused():
    with pytest.raises(ProblemError, match="cells is larger than any problem"):
        models.box(10**10, 10**10)
    with pytest.raises(ProblemError, match=r"at_least is .* must be at most"):
        dlx.pieces(PROBLEM, 10**400)
