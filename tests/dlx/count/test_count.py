"""Counting: totals by every method, limits, interrupts, lower bounds."""

import random
import signal
import threading

import pytest
from numba.core import event

import dlx
from benchmarks import problems
from dlx import Count, Problem, ProblemError, count_solutions, models
from dlx.count import driver, methods
from dlx.count.methods import PlainSearch
from dlx.count.race import ComponentCount
from tests.dlx.problems import random_problem, shuffled_items
from tests.modes import COMPILED, compiled, kernel

pytestmark = kernel

TOTALS = [
    (problems.dominoes(4, 6), 281),
    (problems.dominoes(5, 5), 0),
    (problems.matchings(8), 105),
    (problems.set_partitions(5), 52),
    (problems.latin(3), 12),
    (problems.queens(6), 4),
    (problems.langford(3), 2),
    (problems.de_bruijn(3), 16),
]
LARGE_TOTALS = [
    (problems.dominoes(8, 8), 12_988_816),
    (problems.dominoes(10, 12), 65_743_732_590_821),
    (problems.dominoes(12, 12), 53_060_477_521_960_000),
    (problems.dominoes(16, 16), 2_444_888_770_250_892_795_802_079_170_816),
    (problems.dominoes(7, 9), 0),
    (problems.matchings(20), 654_729_075),
    (problems.set_partitions(10), 115_975),
    (problems.latin(5), 161_280),
    (problems.soma(), 11_520),
    (problems.queens(8), 92),
    (problems.langford(8), 300),
    (problems.de_bruijn(4), 256),
]


def endless():
    """Far too large for every method."""
    return problems.latin(9)


@pytest.mark.parametrize(("problem", "total"), TOTALS + LARGE_TOTALS * COMPILED)
def test_known_totals(problem, total):
    assert dlx.count_solutions(problem) == total
    assert dlx.count_solutions(problem, method="sweep") == total


def test_random_problems_count_as_by_plain_search_beside_given_options():
    for seed in range(100 if COMPILED else 10):
        problem = random_problem(seed)
        draw = random.Random(seed)
        chosen = draw.sample(range(problem.num_options), draw.randint(1, 2))
        total = dlx.count_solutions(problem, given=chosen, method="search")
        assert dlx.count_solutions(problem, given=chosen, method="sweep") == total


def test_problems_without_options_items_or_solutions_are_counted():
    for method in ("auto", "search", "sweep"):
        assert dlx.count_solutions([], method=method) == 1
        assert dlx.count_solutions(Problem([], primary=["a"]), method=method) == 0
        assert dlx.count_solutions(Problem([["x"]], secondary=["x"]), method=method) == 1
        assert dlx.count_solutions([["a"], ["a"], ["a", "b"]], method=method) == 1
        assert dlx.count_solutions([["a"], ["a"]], given=[0, 1], method=method) == 0


@compiled
def test_memory_limit_of_the_question():
    total = dlx.count_solutions(problems.dominoes(8, 8), method="sweep", memory_limit=50_000)
    assert total == 12_988_816
    for wrong in (0, -1):
        with pytest.raises(ProblemError, match="memory_limit"):
            dlx.count_solutions([], memory_limit=wrong)


@compiled
def test_a_long_path_in_any_order_is_counted_at_once():
    chain = Problem([[i, i + 1] for i in range(4999)] + [[i] for i in range(5000)])
    before, total = 1, 1  # Fibonacci's numbers: the last item is alone, or with the one before
    for _ in range(4999):
        before, total = total, before + total
    assert Count(shuffled_items(chain, 1)).count() == total


@compiled
def test_components_are_counted_one_by_one():
    tiles = problems.dominoes(4, 4)
    options = [
        [(part, item) for item in tiles.option(i)]
        for i in range(tiles.num_options)
        for part in range(20)
    ]
    draw = random.Random(5)
    names = [(part, item) for part in range(20) for item in tiles.items]
    draw.shuffle(names)
    assert dlx.count_solutions(Problem(options, primary=names)) == 36**20


@compiled
def test_the_method_is_checked_and_used():
    with pytest.raises(ProblemError, match="no method 'magic'; there are auto, search, sweep"):
        dlx.count_solutions([], method="magic")
    with pytest.raises(ProblemError, match="kernel is 'bits', but method=\"sweep\" has no kernel"):
        dlx.count_solutions([], method="sweep", kernel="bits")
    for text, settings in (
        ('method="search"', {"method": "search"}),
        ("kernel 'bits'", {"kernel": "bits"}),
    ):
        for jobs in (None, 2):
            with pytest.raises(ProblemError, match=f"spill is 'states', but {text} merges no"):
                dlx.count_solutions([], spill="states", jobs=jobs, **settings)
        with pytest.raises(ProblemError, match="leave one of them out"):
            Count([], spill="states", **settings)
    twice = Problem([[0], [0]], multiplicities={0: 2})
    for jobs in (None, 2):
        with pytest.raises(ProblemError, match=r"other than 0:1 merges no states; leave spill out"):
            dlx.count_solutions(twice, spill="states", jobs=jobs)
    tiles = problems.dominoes(8, 8)
    count = Count(tiles, method="sweep")
    assert count.count() == 12_988_816
    assert count.stats.kernel == "sweep"
    assert Count(problems.queens(6), method="search").stats.kernel in ("links", "bits")


@compiled
def test_an_exception_of_a_progress_callback_is_passed_on():
    def fail(stats):
        raise ZeroDivisionError

    count = Count(endless(), progress=fail)
    with pytest.raises(ZeroDivisionError):
        count.count()
    assert count.status == "stopped"
    count.progress, count.limit = None, 1000
    assert (count.count(), count.status) == (1000, "limit")


@compiled
@pytest.mark.usefixtures("small_steps")
def test_a_higher_limit_reaches_the_search_of_a_component():
    count = Count(problems.queens(9), limit=300)
    assert (count.count(), count.status) == (300, "limit")
    assert isinstance(count._components, ComponentCount)
    assert count.stats.kernel == "bits"
    for limit, found, status in ((320, 320, "limit"), (None, 352, "exhausted")):
        count.limit = limit
        assert (count.count(), count.status) == (found, status)


@compiled
def test_a_limit_ends_a_count_which_continues_with_a_higher_one():
    tiles = problems.dominoes(8, 8)
    for method in ("auto", "search", "sweep"):
        count = Count(tiles, limit=1000, method=method)
        assert (count.count(), count.status) == (1000, "limit")
        count.limit = 100_000
        assert (count.count(), count.status) == (100_000, "limit")
        if method != "search":
            count.limit = None
            assert (count.count(), count.status) == (12_988_816, "exhausted")
        assert dlx.count_solutions(tiles, limit=13_000_000, method="sweep") == 12_988_816


@compiled
def test_the_time_for_which_numba_compiles_is_left_out(clock, monkeypatch):
    problem = problems.langford(11)
    own = driver.slice_of

    def compiling(method):
        if not clock.compiled:
            clock.compiled = True
            with event.trigger_event("numba:compiler_lock"):  # as numba does
                clock.now += 100
        return own(method)

    monkeypatch.setattr(driver, "slice_of", compiling)
    clock.compiled = False
    count = Count(problem, time_limit=50)
    assert count.count() == 35_584 and count.status == "exhausted"
    assert clock.compiled and count.stats.seconds < 50


@compiled
def test_a_stopped_count_is_a_lower_bound_and_continues(clock):
    for method in ("search", "sweep", "auto"):
        count = Count(endless(), method=method, time_limit=0.05)
        found = count.count()
        assert count.status == "time limit"
        assert found == count.stats.solutions > 0
        assert count.count() >= found
    with pytest.raises(TimeoutError, match="solutions found so far"):
        dlx.count_solutions(endless(), time_limit=0.05)
    calls = []
    count = Count(endless(), progress=lambda stats: (calls.append(stats), count.stop()))
    count.count()
    assert count.status == "stopped"
    assert calls
    count = Count(problems.dominoes(12, 12), method="sweep", time_limit=0)
    assert count.count() < 53_060_477_521_960_000
    count.time_limit = None
    assert count.count() == 53_060_477_521_960_000


@compiled
def test_progress_and_lower_bound_never_fall(clock):
    seen = []
    clock.tick = 0.1
    count = Count(problems.latin(5), progress=seen.append)
    assert count.count() == 161_280
    assert len(seen) > 3
    assert [stats.done for stats in seen] == sorted(stats.done for stats in seen)
    assert [stats.solutions for stats in seen] == sorted(stats.solutions for stats in seen)
    assert seen[-1].done == 1


@compiled
@pytest.mark.parametrize("method", ["auto", "sweep"])
def test_another_thread_reads_a_lower_bound_that_never_falls(method, monkeypatch):
    monkeypatch.setattr(driver, "SLICE", 1_000_000)  # many moments to read
    total = 53_060_477_521_960_000
    count = Count(problems.dominoes(12, 12), method=method, memory_limit=1 << 19)
    seen, begun, over = [], threading.Event(), threading.Event()

    def read():
        while not over.is_set():
            figures = count.num_solutions, count.stats.done
            if not seen or seen[-1] != figures:
                seen.append(figures)
            begun.set()

    reader = threading.Thread(target=read)
    reader.start()
    begun.wait()
    try:
        assert count.count() == total
    finally:
        over.set()
        reader.join()
    found, done = zip(*seen, strict=True)
    assert list(found) == sorted(found)
    assert list(done) == sorted(done)
    assert found[-1] <= total


@compiled
def test_an_interrupt_leaves_a_lower_bound_and_the_count_continues(clock):
    calls = []

    def interrupt(stats):
        calls.append(stats)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)

    for method in ("sweep", "auto"):
        calls.clear()
        tiles = problems.dominoes(12, 12)
        clock.tick = 0.1
        count = Count(tiles, method=method, memory_limit=1 << 19, progress=interrupt)
        with pytest.raises(KeyboardInterrupt):
            count.count()
        assert count.status == "interrupted"
        assert 0 < count.stats.solutions < 53_060_477_521_960_000
        assert count.count() == 53_060_477_521_960_000


def test_the_old_name_of_the_method_warns():
    with pytest.warns(DeprecationWarning, match='method="memo" is deprecated.*method="sweep"'):
        count = Count([["a"], ["a"]], method="memo")
    assert (count.method, count.count()) == ("sweep", 2)


@compiled
@pytest.mark.parametrize("kernel", ["links", "bounds"])
def test_a_search_in_pieces_ends_at_the_same_nodes(kernel, monkeypatch):
    """Where a node looks at thousands of items, Ctrl-C and limits are noticed between pieces."""
    problem = problems.queens(9)
    whole = PlainSearch(problem, (), kernel)
    parted = PlainSearch(problem, (), kernel)
    kernel_calls = []
    advance = parted._kernel.advance

    def noted(*arguments):
        kernel_calls.append(arguments[1])
        return advance(*arguments)

    for work in (1_000, 5_000, 20_000):
        whole.advance(work)
        with monkeypatch.context() as patch:
            patch.setattr(methods, "MANY_ITEMS", 0)
            patch.setattr(methods, "MOST_LOOKS", 50 * problem.num_primary)
            patch.setattr(parted._kernel, "advance", noted)
            parted.advance(work)
        assert (parted.nodes, parted.updates) == (whole.nodes, whole.updates)
        assert parted.num_solutions == whole.num_solutions
    assert len(kernel_calls) > 20 and max(kernel_calls) <= 50
    before = parted.nodes
    with monkeypatch.context() as patch:
        patch.setattr(methods, "MANY_ITEMS", 0)
        patch.setattr(methods, "MOST_LOOKS", 50 * problem.num_primary)
        parted.is_over = lambda: True
        parted.advance(1_000_000)
    assert 0 < parted.nodes - before <= 60 and not parted.ended


@compiled
def test_a_count_whose_last_states_are_swept_at_its_time_limit_is_done(clock, monkeypatch):
    monkeypatch.setattr("dlx.count.driver.LAST_COMPLETION", 10**12)
    count = Count(problems.reduced_latin(6), method="sweep")
    while count._components is None:
        count._advance()
    assert not count._leader.ended
    count.time_limit = 1e-3
    assert count.count() == 9_408
    assert (count.status, count.stats.done) == ("exhausted", 1.0)


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_interrupt_within_a_wait_is_an_interrupt(monkeypatch, wrapped):
    class Terminated(KeyboardInterrupt):
        pass

    def interrupted():
        try:
            raise Terminated
        finally:
            if wrapped:  # as in `Condition.wait`
                raise RuntimeError("cannot release un-acquired lock")

    count = Count(endless())
    monkeypatch.setattr(count, "_advance", interrupted)
    with pytest.raises(KeyboardInterrupt) as error:
        count.count()
    assert error.type is (KeyboardInterrupt if wrapped else Terminated)
    assert count.status == "interrupted"


def test_an_interrupt_in_python_code_that_a_kernel_calls_is_an_interrupt(monkeypatch):
    def interrupted():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            try:  # as the code of numba, and then Python, which calls that
                raise SystemError("_numba_unpickle") from error
            except SystemError as second:
                raise SystemError("CPUDispatcher") from second

    count = Count(endless())
    monkeypatch.setattr(count, "_advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        count.count()
    assert count.status == "interrupted"

    def failed():
        raise SystemError

    monkeypatch.setattr(count, "_advance", failed)
    with pytest.raises(SystemError):
        count.count()
    assert count.status == "stopped"


def test_multiplicities_from_0_to_1_are_no_obstacle_to_sweeps():
    """Against the kernel that takes multiplicities, with secondary items, colours and givens."""
    counted = 0
    for seed in range(150 if COMPILED else 8):
        draw = random.Random(seed)
        problem = random_problem(seed)
        primary = problem.items[: problem.num_primary]
        optional = Problem(
            [problem.option(i) for i in range(min(problem.num_options, 25))],
            primary=primary,
            secondary=problem.items[problem.num_primary :],
            multiplicities={item: (0, 1) for item in primary if draw.random() < 0.5},
        )
        given = draw.sample(range(optional.num_options), draw.randint(0, 1))
        total = count_solutions(optional, given=given, method="search")
        for method in ("auto", "sweep"):
            assert count_solutions(optional, given=given, method=method) == total
            assert count_solutions(optional, given=given, method=method, jobs=2) == total
        counted += total > 100
    assert counted > (20 if COMPILED else 0)


@compiled
def test_a_count_of_tilings_with_empty_cells_is_saved_and_recorded(tmp_path):
    box = models.box(6, 6)
    problem = models.polyominoes(box, "tetrominoes", copies="any", slack=True).problem
    count = Count(problem, time_limit=0)
    count.count()
    count.save(tmp_path / "count")
    count = Count.load(tmp_path / "count", problem)
    assert (count.count(), count.stats.kernel) == (2_890_426_730, "sweep")
    small = models.polyominoes(models.box(3, 4), "tetrominoes", copies="any", slack=True).problem
    settings = {"ledger": tmp_path / "ledger", "spill": tmp_path / "states"}
    totals = {count_solutions(small, **settings) for _ in range(2)}
    assert totals == {count_solutions(small, method="search")}
    with pytest.raises(ProblemError, match="a sweep takes no problem with multiplicities"):
        count_solutions(Problem([[0], [0]], multiplicities={0: (0, 2)}), method="sweep")
