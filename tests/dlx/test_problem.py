"""Problems: accepted and refused input, immutability, equality."""

import copy
import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlx import Coloured, Problem, ProblemError, Search
from dlx.problem import as_exact
from tests.dlx.problems import bounded_problems, small_problems


def test_items_are_in_order_of_appearance_secondary_ones_last():
    problem = Problem([["x", "b"], ["a", "b"]], secondary=["x", "y"])
    assert problem.items == ("b", "a", "x", "y")
    assert (problem.num_primary, problem.num_secondary, problem.num_items) == (2, 2, 4)
    assert problem.start.tolist() == [0, 2, 4]
    assert problem.item.tolist() == [2, 0, 1, 0]
    assert problem.option(0) == ("x", "b")


def test_colours_are_numbered_from_one():
    options = [["a", Coloured("x", "red")], ["b", Coloured("x", "blue"), "y"]]
    problem = Problem(options, secondary="xy")
    assert problem.colours == ("red", "blue")
    assert problem.colour.tolist() == [0, 1, 0, 2, 0]
    assert [problem.option(i) for i in range(2)] == [tuple(option) for option in options]


def test_items_may_be_any_hashable_values():
    problem = Problem([[(0, 1), None, frozenset({3})], [1.5, "a", b"b"]])
    assert problem.items == ((0, 1), None, frozenset({3}), 1.5, "a", b"b")


def test_secondary_items_may_be_an_array():
    assert Problem([[0, 1], [2]], secondary=np.array([1])).num_secondary == 1
    assert Problem([[0, 1], [2]], secondary=np.array([], int)).num_secondary == 0


def test_options_may_be_generators():
    assert Problem(iter(["ab", "c"])).num_entries == 3


def test_the_keys_of_a_dict_are_options_in_their_order():
    options = {("c", "d"): 5, ("a",): 2, ("b", "c"): 1}
    assert Problem(options.keys()) == Problem(list(options))


def test_items_in_a_set_have_the_same_order_in_every_process():
    names = [f"item {k}" for k in range(10)]
    assert Problem([set(names)]).items == tuple(names)
    assert Problem([names], primary=set(names)).items == tuple(names)
    assert Problem([names], primary=[], secondary=frozenset(names)).items == tuple(names)
    numbers = [5, 8, 16, 32, 1024]
    assert Problem([set(numbers)]).items == tuple(numbers)
    pairs = [frozenset((a, b)) for a, b in combinations("abcde", 2)]
    assert Problem([set(pairs)]).items == tuple(pairs)
    coloured = [Coloured((0, "a"), "x"), Coloured((0, "b"), frozenset("xyz")), "others", None]
    problem = Problem([set(coloured)], primary=["others", None], secondary=[(0, "b"), (0, "a")])
    assert problem.option(0) == ("others", *coloured[:2], None)
    for number in range(5):  # a colour, and a tuple that is like it
        pair = ((number, "a"), "x")
        problem = Problem([{pair, Coloured(*pair)}], primary=[pair], secondary=[pair[0]])
        assert problem.option(0) == (pair, Coloured(*pair))


class Table:
    """Like a data frame, whose iterator returns the names of the columns."""

    columns = ("ab", "c")

    def __iter__(self):
        return iter(self.columns)


@pytest.mark.parametrize(
    ("options", "declared", "message", "option", "item"),
    [
        (["ab", "aba"], {}, "option 1 ('a', 'b', 'a'): item 'a' is in it twice", 1, 0),
        (["a", ""], {}, "option 1 is empty", 1, None),
        ([["a", Coloured("b", 7)]], {}, "('a', 'b':7): item 'b' has a colour, but", 0, 1),
        ([["a", Coloured("x", 1), "x"]], {"secondary": "x"}, "item 'x' is in it twice", 0, 1),
        (["ab"], {"primary": "a"}, "option 0 ('a', 'b'): item 'b' is not declared", 0, None),
        ([], {"primary": "aba"}, "item 'a' is declared twice", None, None),
        ([], {"primary": "a", "secondary": "a"}, "item 'a' is declared twice", None, None),
        ([], {"primary": [[1]]}, "cannot be an item; items must be hashable", None, None),
        ([["a", "xy"]], {"secondary": "xy"}, "secondary is 'xy', the name of an item", None, None),
        ([], {"primary": [Coloured("a", 1)]}, "declared with a colour", None, None),
        (
            [["a"], ["a", Coloured(Coloured("x", 1), 2)]],
            {"secondary": "x"},
            "'x' is coloured twice",
            1,
            None,
        ),
        ([["a", ["b"]]], {}, "must be hashable", 0, None),
        ([3], {}, "option 0 is 3; an option is an iterable", 0, None),
        ("abc", {}, "options are a string", None, None),
        (["a"], {"costs": [1, 2]}, "2 costs for 1 options", None, None),
        (["a"], {"costs": 5}, "costs are 5; they must be whole numbers", None, None),
        ({"A": "ab"}, {}, "options are a dict, of which only the keys would be read", None, None),
        (
            Table(),
            {},
            "options are a table, of which only the columns would be read; pass a list of options",
            None,
            None,
        ),
        ([[1, 0, 1]], {}, "twice; an option is a set of items (Problem.from_matrix takes", 0, 0),
        (["ab", {"a": 1}], {}, "option 1 is {'a': 1}; an option is an iterable", 1, None),
        (["a"], {"costs": {0: 5}}, "costs are {0: 5}; they must be whole numbers", None, None),
        (["a"], {"costs": {5}}, "costs are {5}; they must be whole numbers", None, None),
        (["a"], {"costs": [1.5]}, "the cost of option 0 is 1.5", None, None),
    ],
)
def test_malformed_options_are_refused_by_name(options, declared, message, option, item):
    with pytest.raises(ProblemError) as error:
        Problem(options, **declared)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert (error.value.option, error.value.item) == (option, item)


def test_a_matrix_has_its_options_in_rows():
    matrix = np.array([[1, 0, 1], [0, 1, 0]])
    booleans = matrix.astype(bool)
    for given_matrix in (
        *(matrix, booleans, matrix.tolist(), booleans.tolist()),
        *(matrix.astype(float), matrix.astype(object), booleans.astype(object)),
    ):
        problem = Problem.from_matrix(given_matrix)
        assert [problem.option(i) for i in range(2)] == [(0, 2), (1,)]
    assert Problem(matrix) == Problem.from_matrix(matrix)


def test_secondary_columns_of_a_matrix():
    problem = Problem.from_matrix([[1, 0, 1], [0, 1, 1]], secondary=[0])
    assert problem.items == (1, 2, 0)
    assert problem.option(0) == (0, 2)
    assert Problem(np.eye(2, dtype=int), secondary=[1]).num_primary == 1


def test_matrices_without_rows():
    assert list(Search(Problem.from_matrix(np.zeros((0, 3))))) == []
    assert list(Search(Problem.from_matrix([]))) == [()]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 0], [1]], "option 1 has 1 columns where option 0 has 2"),
        ([[1, 0], [0, 2]], "option 1 has 2 in column 1"),
        ([[1, -1]], "option 0 has -1 in column 1"),
        ([[1, float("nan")]], "option 0 has nan in column 1"),
        ([[1, 0], [0, 0]], "option 1 is empty"),
        ([1, 0], "option 0 is 1, not a row"),
        (np.ones((2, 2, 2)), "3 dimensions"),
        ([["1", "0"]], "it needs 0 and 1"),
        (np.array([[1, None]], object), "option 0 has None in column 1"),
        ([[1, [0]]], "a matrix is a list of rows"),
        (1, "a matrix is a list of rows"),
    ],
)
def test_malformed_matrices_are_refused(matrix, message):
    with pytest.raises(ProblemError, match=message.replace("(", r"\(")):
        Problem.from_matrix(matrix)


@pytest.mark.parametrize("columns", [[3], [-1], [0, 0], ["a"], [0.5]])
def test_secondary_columns_must_be_different_columns(columns):
    with pytest.raises(ProblemError, match="column"):
        Problem.from_matrix([[1, 0, 1]], secondary=columns)


def test_a_problem_of_flat_arrays():
    problem = Problem.from_arrays([0, 2, 4], [0, 2, 1, 2], [0, 5, 0, 9], num_primary=2,
                                  num_secondary=1)  # fmt: skip
    assert problem.option(1) == (1, Coloured(2, 9))
    assert problem.colours == (5, 9)
    named = Problem.from_arrays([0, 2], [0, 1], [0, 2], num_primary=1, num_secondary=1,
                                items="ax", colours=["red", "blue"])  # fmt: skip
    assert named.option(0) == ("a", Coloured("x", "blue"))
    assert Problem.from_arrays([0], [], num_primary=0).num_options == 0


def test_arrays_given_are_copied():
    start, item = np.array([0, 1], np.int32), np.array([0], np.int32)
    problem = Problem.from_arrays(start, item, num_primary=1)
    item[0] = start[1] = 7
    assert problem.item.tolist() == [0]
    assert problem.start.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("start", "item", "colour", "message"),
    [
        ([0, 2], [0, 0], None, "option 0 (0, 0): item 0 is in it twice"),
        ([0, 1, 1, 2], [0, 1], None, "option 1 is empty"),
        ([0, 2, 1, 2], [0, 1], None, "option 1 ends before it starts"),
        ([0, 1], [0, 1], None, "start must begin with 0 and end with the 2 entries"),
        ([1, 2], [0, 1], None, "start must begin with 0"),
        ([], [], None, "start must begin with 0"),
        ([0, 1, 2], [0, 3], None, "option 1: item 3 is not one of 0 to 2"),
        ([0, 1, 2], [0, -1], None, "option 1: item -1 is not one of 0 to 2"),
        ([0, 1, 2], [0, 1], [0, 1], "option 1 (1:1): item 1 has a colour, but is primary"),
        ([0, 2], [0, 2], [0, -1], "option 0: item 2 has colour -1"),
        ([0, 2], [0, 2], [0], "colour has 1 entries where item has 2"),
        ([0, 1.5], [0], None, "start must be a one-dimensional array of integers"),
        ([0, 1], [[0]], None, "item must be a one-dimensional array of integers"),
    ],
)
def test_malformed_arrays_are_refused_by_name(start, item, colour, message):
    with pytest.raises(ProblemError) as error:
        Problem.from_arrays(start, item, colour, num_primary=2, num_secondary=1)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_primary": -1}, "num_primary and num_secondary must not be negative"),
        ({"num_secondary": -1}, "num_primary and num_secondary must not be negative"),
        ({"items": "a"}, "1 names for 2 items; each item needs one"),
        ({"items": 5}, "items is 5; it must be an iterable of names"),
        ({"items": {"a", "b"}}, "items is a set, which has no order; pass a list of names"),
        ({"colours": ["red", ["blue"]]}, "names of colours must be hashable"),
    ],
)
def test_numbers_and_names_that_do_not_fit_the_arrays(settings, message):
    settings = {"num_primary": 1, "num_secondary": 1, **settings}
    with pytest.raises(ProblemError) as error:
        Problem.from_arrays([0, 2], [0, 1], [0, 2], **settings)
    assert str(error.value) == message


def test_duplicates_are_found_beyond_the_first_chunk(monkeypatch):
    monkeypatch.setattr("dlx.build.SORTED_AT_ONCE", 10)
    item = np.tile([0, 1, 2], 50)
    start = np.arange(0, 151, 3)
    assert Problem.from_arrays(start, item, num_primary=3).num_options == 50
    item[100] = item[101]
    with pytest.raises(ProblemError, match=r"option 33 \(0, 2, 2\): item 2 is in it twice"):
        Problem.from_arrays(start, item, num_primary=3)


@given(
    st.lists(
        st.lists(st.integers(0, 9), min_size=1, max_size=5, unique=True), min_size=1, max_size=20
    )
)
def test_options_matrix_and_arrays_make_equal_problems(options):
    options = [sorted(option) for option in options]
    listed = Problem(options, primary=range(10))
    matrix = np.array([[k in option for k in range(10)] for option in options])
    start = np.cumsum([0, *map(len, options)])
    flat = Problem.from_arrays(start, [k for option in options for k in option], num_primary=10)
    assert listed == Problem.from_matrix(matrix) == flat
    assert len({listed, Problem.from_matrix(matrix), flat}) == 1


def test_repr_has_the_sizes():
    assert repr(Problem(["ab", "bx"], secondary="x")) == (
        "Problem(2 primary + 1 secondary items, 2 options, 4 entries)"
    )


def test_a_problem_is_immutable():
    problem = Problem(["ab"])
    for array in (problem.start, problem.item, problem.colour):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
    with pytest.raises(AttributeError, match="immutable"):
        problem.items = ()
    with pytest.raises(AttributeError, match="immutable"):
        del problem.items


def test_equal_problems_have_equal_hashes_also_after_pickling():
    problem = Problem(["ab", "bx"], secondary="x", costs=[1, 2])
    for twin in (
        Problem(["ab", "bx"], secondary="x", costs=[1, 2]),
        pickle.loads(pickle.dumps(problem)),
        copy.deepcopy(problem),
    ):
        assert twin == problem
        assert hash(twin) == hash(problem)
        assert not twin.item.flags.writeable
    for other in (
        Problem(["ab", "bx"], secondary="x"),
        Problem(["ab", "bx"], costs=[1, 2]),
        Problem(["ac", "cx"], secondary="x", costs=[1, 2]),
        Problem(["ab", "ax"], secondary="x", costs=[1, 2]),
    ):
        assert other != problem
    assert problem != "ab"
    assert problem.__eq__("ab") is NotImplemented


@pytest.mark.parametrize("number", [-1, 2])
def test_there_are_no_options_beyond_the_last(number):
    with pytest.raises(IndexError, match=f"option {number} of 2"):
        Problem(["ab", "c"]).option(number)


@pytest.mark.parametrize("option", [-1, 2, 10**20, 0.5, "0"])
def test_compatible_takes_option_numbers(option):
    with pytest.raises(ProblemError, match="option"):
        Problem([["a"], ["b"]]).compatible([0, option])


def agree(problem, chosen):
    """Whether options may stand together, as the definition says."""
    entries = [
        (e.item, e.colour) if isinstance(e, Coloured) else (e, None)
        for option in chosen
        for e in problem.option(option)
    ]
    primary = problem.items[: problem.num_primary]
    for item in problem.items:
        colours = [colour for name, colour in entries if name == item]
        most = problem.multiplicities.get(item, (1, 1))[1]
        if item not in primary and None not in colours and len(set(colours)) == 1:
            continue
        if len(colours) > most:
            return False
    return True


@given(st.one_of(small_problems(), bounded_problems()), st.data())
def test_a_problem_against_its_definition(problem, data):
    numbers = list(range(problem.num_options))
    chosen = (
        data.draw(st.lists(st.sampled_from(numbers), max_size=4, unique=True)) if numbers else []
    )
    assert problem.compatible(chosen) == agree(problem, chosen)
    assert (1, 1) not in problem.multiplicities.values()
    again = Problem(
        [problem.option(i) for i in numbers],
        primary=problem.items[: problem.num_primary],
        secondary=problem.items[problem.num_primary :],
        multiplicities=problem.multiplicities,
    )
    for twin in (again, pickle.loads(pickle.dumps(problem)), copy.copy(problem)):
        assert twin == problem and hash(twin) == hash(problem)
        assert (twin.multiplicities, twin.digest) == (problem.multiplicities, problem.digest)
        assert repr(twin) == repr(problem)
        assert not twin.start.flags.writeable
    sizes = problem.num_items, problem.num_secondary, problem.num_entries
    rest = len(problem.items) - problem.num_primary
    assert sizes == (len(problem.items), rest, sum(len(problem.option(i)) for i in numbers))


def test_secondary_items_beside_multiplicities_agree_in_colour():
    options = [["a", Coloured("x", 1)], ["a", Coloured("x", 1)], ["a", Coloured("x", 2)]]
    problem = Problem(options, secondary="x", multiplicities={"a": 2})
    assert problem.compatible([0, 1]) and not problem.compatible([0, 2])
    assert not Problem([*options[:2], ["a"]], secondary="x", multiplicities={"a": 2}).compatible(
        range(3)
    )


def test_digests_stay_as_they_are():
    """Files that were saved are for a problem of the same digest."""
    problem = Problem(["ab", "bx"], secondary="x")
    assert problem.digest.hex()[:16] == "6c96a9cc8c1e750a"
    bounded = Problem(["ab", "bx"], secondary="x", multiplicities={"b": (1, 2)})
    assert bounded.digest.hex()[:16] == "be77a91a0442bd15"
    assert len(problem.digest) == 32


def test_a_matrix_declares_its_items_itself():
    with pytest.raises(ProblemError, match="a matrix declares its items by its columns"):
        Problem(np.eye(2, dtype=int), primary=[0, 1])


def test_the_error_of_compatible_names_the_option():
    with pytest.raises(ProblemError, match="option 2 is not one of 0 to 1") as error:
        Problem([["a"], ["b"]]).compatible([2])
    assert error.value.option == 2


@pytest.mark.parametrize("options", ["ab", b"ab"])
def test_a_text_is_no_list_of_options(options):
    with pytest.raises(ProblemError, match="a string where an iterable"):
        Problem(options)


def test_a_task_without_multiplicities_refuses_them():
    options = [["a"], ["a", "b"]]
    with pytest.raises(ProblemError, match="multiplicit"):
        as_exact(Problem(options, multiplicities={"a": (1, 2)}), "a test")
    assert as_exact(Problem(options), "a test") == as_exact(options, "a test") == Problem(options)
