"""All kernels: known totals, the naive oracle, pinned orders and counts, stopping anywhere."""

import hashlib
import pickle
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
from benchmarks import problems
from dlx import Coloured, Problem, Search
from dlx.search import bits, bounds, driver, links, row_sizes
from dlx.search import kernel as kernel_module
from dlx.search.counters import EXHAUSTED, NODES, SOLUTIONS, UPDATES
from dlx.search.kernel import KERNELS, LARGEST_TRIAL, choose_kernel
from tests.dlx.problems import oracle, random_problem, small_problems
from tests.modes import compiled, examples, kernel, long

pytestmark = kernel

MODULES = {"bits": bits, "links": links, "bounds": bounds}

each_kernel = pytest.mark.parametrize("kernel", KERNELS)


def finish(kernel, state, budget=1 << 40, rows=0):
    """Run a state to its end; return the solutions if rows > 0."""
    out = np.empty((rows, kernel.max_depth(state)), np.int32)
    solutions = []
    for _ in range(100_000):
        found = kernel.advance(state, budget, rows or 1 << 40, out)
        solutions += [tuple(row[row >= 0].tolist()) for row in out[:found]] if rows else []
        if state.counters[EXHAUSTED]:
            return solutions
    raise AssertionError("the search does not end")


@each_kernel
@pytest.mark.parametrize(
    ("make", "total"),
    [
        (lambda: problems.queens(6), 4),
        (lambda: problems.queens(8), 92),
        pytest.param(lambda: problems.queens(10), 724, marks=long),
        pytest.param(lambda: problems.queens(12), 14_200, marks=long),
        (lambda: problems.langford(6), 0),
        pytest.param(lambda: problems.langford(8), 300, marks=long),
        pytest.param(lambda: problems.langford(11), 35_584, marks=long),
        pytest.param(lambda: problems.pentominoes(problems.rectangle(3, 20)), 8, marks=long),
        pytest.param(problems.holed_chessboard, 520, marks=long),
        pytest.param(problems.soma, 11_520, marks=long),
        pytest.param(lambda: problems.latin(4), 576, marks=long),
        pytest.param(lambda: problems.latin(5), 161_280, marks=long),
        pytest.param(lambda: problems.dominoes(6, 6), 6_728, marks=long),
        (lambda: problems.dominoes(1, 300), 1),
        (lambda: problems.dominoes(1, 301), 0),
        (lambda: problems.matchings(10), 945),
        (lambda: problems.set_partitions(6), 203),
        pytest.param(lambda: problems.set_partitions(8), 4_140, marks=long),
        (lambda: problems.de_bruijn(3), 16),
        pytest.param(lambda: problems.de_bruijn(4), 256, marks=long),
    ],
)
def test_totals_known_from_the_literature(kernel, make, total):
    assert Search(make(), kernel=kernel).count() == total


@pytest.mark.parametrize(
    ("make", "kernel", "nodes", "updates", "order"),
    [
        (lambda: problems.queens(8), "bits", 590, 2_926, "a7acc1dad39de79b"),
        (lambda: problems.queens(8), "links", 1_223, 15_917, "a7acc1dad39de79b"),
        (lambda: problems.langford(8), "bits", 1_414, 9_138, "9b77432342a0916c"),
        pytest.param(
            lambda: problems.langford(8), "links", 2_789, 27_978, "65a68f293b60ab6c", marks=long
        ),
        (lambda: problems.latin(4), "bits", 1_121, 6_032, "af180d28e3c5d999"),
        pytest.param(
            lambda: problems.latin(4), "links", 4_745, 20_360, "af180d28e3c5d999", marks=long
        ),
        (lambda: problems.dominoes(4, 6), "bits", 561, 1_484, "5a8ea3cfed8a345c"),
        (lambda: problems.dominoes(4, 6), "links", 1_062, 2_078, "1952c957e9cffd16"),
        (lambda: problems.set_partitions(6), "bits", 285, 460, "ef05046a7dc7a61d"),
        (lambda: problems.set_partitions(6), "links", 406, 2_173, "ef05046a7dc7a61d"),
        (lambda: problems.random_sets(3, 45, 130), "bits", 1_321, 10_530, "3f7681441f91cc0d"),
        pytest.param(
            lambda: problems.random_sets(3, 45, 130),
            "links",
            2_777,
            37_038,
            "ca2dafbd7e9beba9",
            marks=long,
        ),
        (lambda: problems.de_bruijn(4), "bits", 757, 9_480, "0d0de91a4855f7e3"),
        pytest.param(
            lambda: problems.de_bruijn(4), "links", 2_946, 83_385, "0d0de91a4855f7e3", marks=long
        ),
        pytest.param(problems.soma, "bits", 198_099, 3_746_008, "5b902cb96683baf2", marks=long),
        pytest.param(problems.soma, "links", 254_676, 25_913_626, "8c492e3a367197fc", marks=long),
    ],
)
def test_order_nodes_and_updates_stay_as_they_are(make, kernel, nodes, updates, order):
    """`order` is a digest of all solutions in the order in which they are found."""
    search = Search(make(), kernel=kernel)
    digest = hashlib.sha256(repr(list(search)).encode()).hexdigest()
    assert (search.stats.nodes, search.stats.updates) == (nodes, updates)
    assert digest[:16] == order


# nodes and updates of `bits`, then of `links`
COUNTERS = {
    0: (330, 750, 379, 1_629),
    3: (683, 1_476, 726, 2_743),
    6: (70, 162, 82, 657),
    8: (296, 644, 320, 988),
    9: (189, 434, 222, 455),
    12: (85, 240, 123, 1_309),
    15: (1_878, 3_582, 1_903, 2_372),
    17: (80, 270, 126, 951),
    20: (2_357, 4_738, 2_368, 6_018),
    34: (234, 720, 339, 1_415),
    42: (474, 930, 474, 332),
    57: (331, 990, 331, 1_559),
}


@pytest.mark.parametrize("seed", COUNTERS)
def test_nodes_and_updates_of_random_problems_stay_as_they_are(seed):
    searches = [Search(random_problem(seed), kernel=kernel) for kernel in ("bits", "links")]
    assert searches[0].count() == searches[1].count()
    found = [(search.stats.nodes, search.stats.updates) for search in searches]
    assert (*found[0], *found[1]) == COUNTERS[seed]


@pytest.mark.parametrize(
    ("kernel", "order"),
    [
        (
            "bits",
            "0-5-6-9-12 0-4-8-9-11 0-5-7-8-9 1-2-6-10-12"
            " 1-3-5-6-12 1-2-7-8-10 1-3-4-8-11 1-3-5-7-8",
        ),
        (
            "links",
            "0-4-8-9-11 0-5-6-9-12 0-5-7-8-9 1-2-6-10-12"
            " 1-2-7-8-10 1-3-4-8-11 1-3-5-6-12 1-3-5-7-8",
        ),
    ],
)
def test_the_order_of_a_small_problem(kernel, order):
    found = Search(problems.dominoes(2, 5), kernel=kernel)
    assert " ".join("-".join(map(str, solution)) for solution in found) == order


def copied(state):
    """Return a copy with arrays of the same types: read-only ones stay so."""
    other = pickle.loads(pickle.dumps(state))
    for own, array in zip(other, state, strict=True):
        if isinstance(array, np.ndarray) and not array.flags.writeable:
            own.flags.writeable = False
    return other


@pytest.mark.parametrize("kernel", [*KERNELS, "auto"])
@settings(max_examples=examples(80), deadline=None)
@given(problem=small_problems(), data=st.data())
def test_same_solutions_as_the_naive_oracle(kernel, problem, data):
    chosen = ()
    if problem.num_options:
        chosen = tuple(data.draw(st.sets(st.integers(0, problem.num_options - 1), max_size=2)))
    expected = oracle(problem, chosen)
    solutions = list(Search(problem, given=chosen, kernel=kernel))
    assert sorted(solutions) == expected
    assert Search(problem, given=chosen, kernel=kernel).count() == len(expected)
    for limit in range(len(expected) + 2):
        search = Search(problem, given=chosen, limit=limit, kernel=kernel)
        assert list(search) == solutions[:limit]
        assert Search(problem, given=chosen, limit=limit, kernel=kernel).count() == len(
            solutions[:limit]
        )


@each_kernel
@settings(max_examples=examples(60), deadline=None)
@given(problem=small_problems(), data=st.data())
def test_stopping_anywhere_changes_nothing(kernel, problem, data):
    module = MODULES[kernel]
    state = module.start(problem, ())
    whole = module.start(problem, ())
    expected = finish(module, whole, rows=7)
    depth = module.max_depth(state)
    solutions = []
    while not state.counters[EXHAUSTED]:
        budget = data.draw(st.integers(1, 20))
        rows = data.draw(st.integers(1, 3))
        out = np.empty((rows, depth), np.int32)
        found = module.advance(state, budget, rows, out)
        assert 0 <= found <= rows
        solutions += [tuple(row[row >= 0].tolist()) for row in out[:found]]
        if data.draw(st.booleans()):
            state = copied(state)
    assert solutions == expected
    assert state.counters[[NODES, UPDATES, SOLUTIONS]].tolist() == (
        whole.counters[[NODES, UPDATES, SOLUTIONS]].tolist()
    )


@each_kernel
def test_a_copied_state_is_independent(kernel):
    module = MODULES[kernel]
    state = module.start(problems.queens(8), ())
    out = np.empty((40, module.max_depth(state)), np.int32)
    assert module.advance(state, 1 << 40, 40, out) == 40
    other = copied(state)
    assert len(finish(module, state, rows=5)) == 52
    assert len(finish(module, other, rows=5)) == 52


@each_kernel
def test_an_exhausted_search_stays_so(kernel):
    module = MODULES[kernel]
    state = module.start(problems.queens(6), ())
    finish(module, state)
    before = state.counters.tolist()
    assert module.advance(state, 1 << 40, 10, np.empty((0, 0), np.int32)) == 0
    assert state.counters.tolist() == before


@each_kernel
def test_without_primary_items_the_empty_solution_is_the_only_one(kernel):
    assert list(Search([], kernel=kernel)) == [()]
    assert list(Search(Problem([["x"]], secondary=["x"]), kernel=kernel)) == [()]


@each_kernel
def test_a_primary_item_that_no_option_covers_leaves_no_solution(kernel):
    assert list(Search(Problem([["a"]], primary=["a", "b"]), kernel=kernel)) == []


@each_kernel
@pytest.mark.parametrize("size", [(3_000, 0), (1, 300_000)])
def test_a_problem_of_many_items_may_have_no_option(kernel, size):
    primary, secondary = size
    problem = Problem([], primary=range(primary), secondary=range(primary, primary + secondary))
    name = "auto" if kernel == "bits" else kernel
    assert list(Search(problem, kernel=name)) == []


@each_kernel
def test_options_of_secondary_items_alone_keep_their_number(kernel):
    problem = Problem([["x"], ["a"], ["x"], ["b", "x"]], secondary=["x"])
    assert list(Search(problem, kernel=kernel)) == [(1, 3)]


@each_kernel
def test_equal_options_are_different_ones(kernel):
    assert list(Search([["a"], ["a"], ["b"]], kernel=kernel)) == [(0, 2), (1, 2)]


@each_kernel
def test_options_may_share_an_item_with_equal_colours(kernel):
    def options(*colours):
        return [[name, Coloured("x", k)] for name, k in zip("abc", colours, strict=True)]

    assert list(Search(Problem(options(1, 1, 1), secondary="x"), kernel=kernel)) == [(0, 1, 2)]
    assert list(Search(Problem(options(1, 1, 2), secondary="x"), kernel=kernel)) == []
    mixed = [*options(1, 1, 1)[:2], ["c", "x"]]
    assert list(Search(Problem(mixed, secondary="x"), kernel=kernel)) == []


@each_kernel
def test_givens_are_part_of_every_solution_and_may_contradict(kernel):
    problem = Problem([["a", "b"], ["a"], ["b"], ["x"], ["c", "x"]], secondary="x")
    assert list(Search(problem, given=[2], kernel=kernel)) == [(1, 2, 4)]
    assert list(Search(problem, given=[2, 2, 1], kernel=kernel)) == [(1, 2, 4)]
    assert list(Search(problem, given=[0, 4], kernel=kernel)) == [(0, 4)]
    assert list(Search(problem, given=[0, 1], kernel=kernel)) == []
    beside = Problem([["a"], ["x"]], secondary=["x"])
    assert list(Search(beside, kernel=kernel)) == [(0,)]
    assert list(Search(beside, given=[1], kernel=kernel)) == [(0, 1)]
    assert list(Search(problem, given=[3], kernel=kernel)) == []


@each_kernel
@settings(max_examples=examples(50), deadline=None)
@given(problem=small_problems())
def test_the_fraction_done_grows_and_is_one_at_the_end(kernel, problem):
    module = MODULES[kernel]
    state = module.start(problem, ())
    last = 0.0
    while not state.counters[EXHAUSTED]:
        module.advance(state, 3, 1, np.empty((0, 0), np.int32))
        part = module.fraction_done(state)
        assert last <= part
        assert (part == 1.0) == bool(state.counters[EXHAUSTED])
        last = part
    assert module.fraction_done(state) == 1.0


@each_kernel
def test_counting_visits_the_nodes_that_listing_visits(kernel):
    counted, listed = (Search(problems.langford(7), kernel=kernel) for _ in range(2))
    assert counted.count() == len(list(listed))
    assert counted.stats[:3] == listed.stats[:3]


@each_kernel
def test_the_changing_fields_are_enough_to_continue(kernel):
    module = MODULES[kernel]
    problem = problems.queens(6)
    state, fresh = module.start(problem, ()), module.start(problem, ())
    module.advance(state, 1 << 40, 1, np.empty((0, 0), np.int32))
    for name in module.changing:
        np.copyto(getattr(fresh, name), getattr(state, name))
    assert finish(module, fresh, rows=5) == finish(module, state, rows=5)
    assert fresh.counters.tolist() == state.counters.tolist()


def test_the_choice_of_a_kernel():
    names = {
        "links": [problems.dominoes(2, 3), problems.NAMED["sudoku9x9"](), Problem([])],
        "bits": [problems.queens(8), problems.dominoes(4, 6), problems.soma()],
    }
    for name, chosen in names.items():
        searches = [Search(problem) for problem in chosen]
        assert all(search.count() >= 0 for search in searches[:2])
        assert {search.stats.kernel for search in searches[:2]} == {name}
    soma, large = problems.soma(), problems.set_partitions(15)  # too large for "bits"
    assert choose_kernel(large, "auto").name == "links"
    assert [choose_kernel(soma, name).name for name in KERNELS] == list(KERNELS)


@settings(max_examples=examples(80), deadline=None)
@given(problem=small_problems(), data=st.data())
def test_a_trial_finds_solutions_in_the_order_of_bits(problem, data):
    chosen = ()
    if problem.num_options:
        chosen = tuple(
            sorted(data.draw(st.sets(st.integers(0, problem.num_options - 1), max_size=2)))
        )
    state, trial = bits.start(problem, chosen), links.start(problem, chosen, ascending=True)
    if state is None or trial is None:
        assert state is trial
    else:
        assert finish(links, trial, rows=7) == finish(bits, state, rows=7)


@pytest.mark.parametrize(
    "make",
    [
        lambda: problems.queens(6),
        pytest.param(lambda: problems.queens(8), marks=long),
        pytest.param(lambda: problems.langford(8), marks=long),
        lambda: problems.dominoes(4, 6),
        pytest.param(lambda: problems.random_sets(3, 45, 130), marks=long),
        pytest.param(lambda: problems.de_bruijn(4), marks=long),
        lambda: problems.coloured_squares(2, 3, 2),
        lambda: problems.NAMED["sudoku4x4"](),
    ],
)
@pytest.mark.parametrize(
    "updates", [1, pytest.param(100, marks=long), 1_000, pytest.param(4_000, marks=long)]
)
def test_solutions_do_not_depend_on_when_a_trial_ends(monkeypatch, make, updates):
    problem = make()
    whole = list(Search(problem, kernel="bits"))
    monkeypatch.setattr(driver, "trial_updates", lambda problem, first=False: updates)
    assert list(Search(problem)) == whole
    assert dlx.solve(problem) == (whole[0] if whole else None)
    search = Search(problem)
    first = list(islice(search, 1))
    rows = [tuple(row[row >= 0].tolist()) for batch in search.arrays() for row in batch]
    assert first + rows == whole
    assert list(Search(problem, limit=3)) == whole[:3]
    assert Search(problem).count() == len(whole)


def test_where_bits_does_not_suit_there_is_no_trial(monkeypatch):
    problem = problems.dominoes(4, 6)
    whole = Search(problem, kernel="links")
    solutions = list(whole)
    for name in ("MEMORY", "LARGEST"):
        monkeypatch.setattr(row_sizes, name, 1000)
    search = Search(problem)
    assert (list(search), search.stats[:3]) == (solutions, whole.stats[:3])
    assert search.stats.kernel == "links"


@compiled
def test_a_first_solution_of_a_large_problem_has_a_trial(monkeypatch, tmp_path):
    problem = problems.NAMED["pent3x20"]()
    assert problem.num_entries > LARGEST_TRIAL
    whole = list(islice(Search(problem, kernel="bits"), 3))
    assert list(Search(problem, limit=1)) == whole[:1]  # without a trial
    monkeypatch.setattr(kernel_module, "LONG_ROWS", problem.num_options * problem.num_entries)
    for bits_of_update, name in ((64, "links"), (1 << 10, "bits")):
        monkeypatch.setattr(kernel_module, "TRIAL_BITS", bits_of_update)
        search = Search(problem, limit=1)
        assert (dlx.solve(problem), list(search)) == (whole[0], whole[:1])
        assert search.stats.kernel == name
        search.save(tmp_path / "saved")
        for continued in (search, Search.load(tmp_path / "saved", problem)):
            continued.limit = 3
            assert list(continued) == whole[1:]
            assert continued.stats.kernel == "bits"


def test_a_trial_of_which_a_solution_has_many_options():
    """Each of 90 items alone, four of them twice: a solution takes few updates and many numbers."""
    problem = Problem([[k] for k in range(90)] + [[k] for k in range(4)])
    assert len(list(Search(problem))) == Search(problem).count() == 16


@compiled
def test_a_trial_has_room_for_a_solution_of_any_length():
    deep = Problem([[k] for k in range(LARGEST_TRIAL)])
    assert list(Search(deep)) == [tuple(range(LARGEST_TRIAL))]
