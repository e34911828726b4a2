"""Solution sets against lists of all solutions, made by plain search."""

import random
import sys
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
from benchmarks import problems
from dlx import (
    Problem,
    ProblemError,
    Search,
    SolutionSet,
    StateError,
    container,
    models,
    solution_set,
)
from dlx.__main__ import main
from dlx.diagram import build
from tests.dlx.problems import loose_problems, oracle, random_problem, small_problems
from tests.dlx.unions import bridged, disjoint_union
from tests.modes import COMPILED, compiled

TILES = problems.dominoes(4, 6)


@given(st.one_of(small_problems(), loose_problems()), st.data())
@settings(max_examples=160 if COMPILED else 30, deadline=None)
def test_sets_of_small_problems_agree_with_the_oracle(problem, data):
    numbers = st.integers(0, max(0, problem.num_options - 1))
    some = st.lists(numbers, max_size=2) if problem.num_options else st.just([])
    chosen = data.draw(some)
    listed = oracle(problem, sorted(set(chosen)))
    found = solution_set(problem, given=chosen)
    assert found.count == len(found) == len(listed)
    assert sorted(found) == listed
    assert [found[i] for i in range(len(listed))] == list(found)
    assert [found[i - len(listed)] for i in range(len(listed))] == list(found)
    assert [found.index(cover) for cover in found] == list(range(len(listed)))
    by_hand = [sum(o in cover for cover in listed) for o in range(problem.num_options)]
    assert found.option_counts() == by_hand

    required, forbidden = data.draw(some), data.draw(some)
    rest = found.restrict(required, forbidden)
    kept = [c for c in listed if set(required) <= set(c) and not set(forbidden) & set(c)]
    assert sorted(rest) == kept
    assert [rest.index(cover) for cover in rest] == list(range(len(kept)))

    scale = data.draw(st.sampled_from([1, 10**30]))
    costs = [scale * data.draw(st.integers(-4, 4)) for _ in range(problem.num_options)]
    ranked = sorted((sum(costs[o] for o in c), i, c) for i, c in enumerate(found))
    assert found.k_best(costs, 4) == [(cost, cover) for cost, _, cover in ranked[:4]]
    best = found.best(costs)
    assert best == (ranked[0][0], ranked[0][2]) if ranked else best is None


def test_random_sets_with_many_solutions():
    compared = 0
    for seed in range(100 if COMPILED else 5):
        problem = random_problem(seed)
        search = Search(problem, limit=5000)
        listed = sorted(search)
        if search.status == "limit":
            continue
        found = solution_set(problem)
        assert sorted(found) == listed
        counted = Counter(option for cover in listed for option in cover)
        assert found.option_counts() == [counted[o] for o in range(problem.num_options)]
        compared += len(listed) > 0
    assert compared > (50 if COMPILED else 1), compared


@compiled
@pytest.mark.parametrize(
    ("problem", "total"),
    [
        (problems.soma(), 11_520),
        (problems.dominoes(12, 12), 53_060_477_521_960_000),
        (problems.latin(5), 161_280),
        (problems.queens(8), 92),
    ],
)
def test_sets_too_large_to_list(problem, total):
    found = solution_set(problem)
    assert found.count == total
    draw = random.Random(7)
    for _ in range(50):
        place = draw.randrange(total)
        cover = found[place]
        assert problem.compatible(cover)
        assert found.index(cover) == place
    assert sum(found.option_counts()) == total * len(found[0])
    assert found.nodes < found.edges < 1_000_000


@compiled
def test_counts_beyond_the_largest_length_of_python():
    found = solution_set(problems.dominoes(16, 16))
    assert found.count == 2_444_888_770_250_892_795_802_079_170_816
    assert found[found.count - 1] == found[-1]
    with pytest.raises(OverflowError):
        len(found)


def test_option_counts_by_hand():
    # the five tilings of a 2 x 4 board: its first cell lies upright in three of them
    tiles = problems.dominoes(2, 4)
    found = solution_set(tiles)
    upright = next(i for i in range(tiles.num_options) if set(tiles.option(i)) == {(0, 0), (1, 0)})
    assert found.count == 5
    assert found.option_counts()[upright] == 3


def test_the_order_is_always_the_same():
    assert list(solution_set(TILES)) == list(solution_set(TILES))
    assert list(solution_set(TILES))[:2] == [solution_set(TILES)[0], solution_set(TILES)[1]]


def test_samples_are_uniform():
    found = solution_set(TILES)
    draws, cells = 281 * 100, found.count
    assert cells == 281
    seen = Counter(found.sample(draws, seed=2026))
    expected = draws / cells
    chi_square = sum((seen[cover] - expected) ** 2 / expected for cover in found)
    # 280 degrees of freedom: beyond these bounds with probability 0.001 on either side
    assert 210.4 < chi_square < 359.4
    assert found.sample(5, seed=1) == found.sample(5, seed=1)
    assert found.sample(0) == []
    with pytest.raises(ValueError, match="no solution to draw"):
        solution_set([["a"], ["a", "b"]], given=[0]).sample(1)


def test_values_that_are_no_solutions_are_not_in_the_set():
    found = solution_set(TILES)
    cover = found[0]
    for wrong in (cover[:-1], [*cover, 37], [*cover, cover[0]], [], [99], None, 5):
        assert wrong not in found
    with pytest.raises(ValueError, match="is not one of these 281 solutions"):
        found.index(cover[:-1])
    for beyond in (281, -282):
        with pytest.raises(IndexError, match="out of range: there are 281 solutions"):
            found[beyond]
    some = solution_set(TILES, given=cover[:1])
    assert cover in some
    other = next(c for c in found if cover[0] not in c)
    with pytest.raises(ValueError, match=r"is not one of|does not contain"):
        some.index(other)


def test_slices_are_those_of_the_list_of_solutions():
    found = solution_set(problems.dominoes(4, 4))
    listed = list(found)
    for part in (slice(3), slice(-3, None), slice(30, 99), slice(None, None, -7), slice(9, 2)):
        assert found[part] == listed[part]
    many = solution_set(problems.dominoes(16, 16))
    assert many[: -many.count - 5 : -(many.count - 1)] == [many[-1], many[0]]


def test_arguments_out_of_range_are_refused():
    found = solution_set(TILES)
    with pytest.raises(ProblemError, match=r"^solution is \['a', 1\]; it must be option numbers"):
        found.index(["a", 1])
    with pytest.raises(ProblemError, match=r"^solution is \[0\.0, 1\.0\]; it must be option"):
        found.index([0.0, 1.0])
    for index in (True, "0", 1.5):
        with pytest.raises(ProblemError, match=r"^an index is .*; it must be a whole number$"):
            found[index]
    with pytest.raises(ProblemError, match="n is -1; it must be a whole number from 0 on"):
        found.sample(-1)
    for seed in ([1], "x", 1.5, -1):
        with pytest.raises(ProblemError, match=r"^seed is .*; it must be"):
            found.sample(1, seed=seed)
    for costs in ({0: 1}, set(range(TILES.num_options))):
        with pytest.raises(ProblemError, match=r"^costs is .* it must be numbers, one for each"):
            found.best(costs)
    with pytest.raises(ProblemError, match=r"^n is 'x'; it must be a whole number from 0 on$"):
        found.sample("x")
    with pytest.raises(ProblemError, match=r"^k is 2\.5; it must be a whole number from 0 on$"):
        found.k_best([0] * TILES.num_options, 2.5)
    with pytest.raises(ProblemError, match="k is -2"):
        found.k_best([0] * TILES.num_options, -2)
    with pytest.raises(ProblemError, match="1 costs for"):
        found.k_best([0], 0)
    with pytest.raises(ProblemError, match="cost of option 0 is 1j"):
        found.best([1j] * TILES.num_options)
    with pytest.raises(OSError, match="none/tilings: cannot be written"):
        found.save("none/tilings")


def test_sets_without_solutions_or_of_the_empty_solution():
    none = solution_set([["a"], ["a", "b"], ["b", "c"]], given=[0, 1])
    assert (none.count, list(none), none.option_counts(), bool(none)) == (0, [], [0, 0, 0], False)
    assert none.best([1, 2, 3]) is None
    with pytest.raises(ProblemError, match="the problem has no costs"):
        none.best()
    assert none.restrict(required=[2]).count == 0
    one = solution_set(Problem([["x"]], secondary=["x"]))
    assert (one.count, list(one), one[0], one.index([])) == (1, [()], (), 0)
    assert one.best([3]) == (0, ())
    assert list(one.restrict(forbidden=[0])) == [()]
    assert list(one.restrict(required=[0])) == []


def test_the_best_solutions_by_exact_costs():
    problem = dlx.loads("a b c\na b |3\nc |4\na |1\nb c |-5\n")
    found = solution_set(problem)
    assert found.best() == (-4, (2, 3))
    assert found.k_best(None, 5) == [(-4, (2, 3)), (7, (0, 1))]
    assert found.k_best(k=1) == found.k_best() == [found.best()]
    assert found.best([0.5, 0.25, 1, 1]) == (0.75, (0, 1))
    with pytest.raises(ProblemError, match="3 costs for 4 options"):
        found.best([1, 2, 3])
    with pytest.raises(ProblemError, match="cost of option 1 is nan"):
        found.best([1, float("nan"), 3, 4])
    assert found.best([Fraction(1, 3), 10**50, Fraction(1, 2), 1]) == (Fraction(3, 2), (2, 3))
    assert found.best([np.float32(0.5), np.int8(1), 3, 2]) == (1.5, (0, 1))
    for wrong in (True, np.True_, np.array([1]), "1", 1j, None, Decimal("nan"), Decimal("inf")):
        with pytest.raises(ProblemError, match=r"^the cost of option 2 is .*, not a number$"):
            found.best([1, 2, wrong, 4])
    for mixed in (10**400, Decimal(1)):
        with pytest.raises(ProblemError, match=r"^costs of several types cannot be added up: "):
            found.best([0.5, mixed, 1, 1])
    with pytest.raises(ProblemError, match="no costs"):
        solution_set([["a"]]).best()
    with pytest.raises(ProblemError, match="required option 9 is not one of 0 to 3"):
        found.restrict(required=[9])


@pytest.mark.parametrize("cost", [0.1, Fraction(1, 3), Decimal("0.1"), 10**30, 3.0])
def test_equal_costs_of_any_type_expand_one_solution(cost):
    # sums of floats depend on their order: this took time exponential in the 32 dominoes
    found = solution_set(models.dominoes(8, 8).problem)
    costs = [cost] * found.problem.num_options
    least, *others = found.k_best(costs, 3)
    assert (least, type(least.cost)) == ((32 * cost, found[0]), type(cost))
    assert others == [(32 * cost, found[1]), (32 * cost, found[2])]


def test_costs_are_compared_exactly():
    found = solution_set([["a", "b"], ["a"], ["b"]])
    assert found.best([1e16 + 2, 1e16, 1.5]).solution == (1, 2)  # as floats both cost 1e16 + 2
    several = solution_set([[option] for option in range(9)])
    with pytest.raises(ProblemError, match="costs add up to more than a float can be"):
        several.best([sys.float_info.max, *[2.0**969] * 8])  # added as floats they give the first
    for wrong, message in (
        ([1e308] * 3, "costs add up to more than a float can be"),
        ([1, 2, Decimal("1e-20000")], "option 2 is .*; its exponent must be between -10000 and"),
    ):
        with pytest.raises(ProblemError, match=message):
            found.best(wrong)


def test_a_saved_set_is_loaded_and_a_damaged_file_refused(tmp_path):
    path = tmp_path / "tilings.solutions"
    found = solution_set(TILES, given=[3])
    found.save(path)
    again = SolutionSet.load(path, TILES)
    assert list(again) == list(found)
    assert (again.given, again.count) == ((3,), found.count)
    assert [p.name for p in tmp_path.iterdir()] == ["tilings.solutions"]

    with pytest.raises(StateError, match="solution set of another problem"):
        SolutionSet.load(path, problems.dominoes(4, 4))
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"given": [3]', b'"given": [0]'))
    with pytest.raises(StateError, match="damaged"):
        SolutionSet.load(path, TILES)
    draw = random.Random(3)
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(StateError, match=r"damaged|not a saved solution set|format"):
            SolutionSet.load(path, TILES)
    for length in (0, 5, 100, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(StateError):
            SolutionSet.load(path, TILES)
    with pytest.raises(FileNotFoundError):
        SolutionSet.load(tmp_path / "missing", TILES)


def test_a_crafted_file_whose_edges_overflow_is_refused(tmp_path):
    path = tmp_path / "crafted"
    problem = Problem([[0]])
    most = np.iinfo(np.int64).max
    first = np.array([0, most, -most - 1, -1, 5])  # modulo 2**64 each is above the one before
    edges = {"option": np.zeros(5, np.int32), "child": np.arange(5, dtype=np.int32)}
    container.write(path, "solution set", problem, {"given": []}, {"first": first, **edges})
    with pytest.raises(StateError, match="damaged"):
        SolutionSet.load(path, problem)


def test_tilings_with_empty_cells_are_listed_saved_and_drawn(tmp_path, capsys):
    model = models.polyominoes(models.box(2, 2), "domino", copies="any", slack=True)
    found = solution_set(model.problem)
    listed = [(0, 3), (0,), (1, 2), (1,), (2,), (3,), ()]
    assert (list(found), found.option_counts()) == (listed, [2, 2, 2, 2])
    assert found.k_best([2, -1, 3, -1], 3) == [(-1, (1,)), (-1, (3,)), (0, ())]
    found.save(tmp_path / "set")
    assert list(SolutionSet.load(tmp_path / "set", model.problem)) == listed
    file = tmp_path / "problem.dlx"
    file.write_text("0:1|a 0:1|b\na\na b\n")
    for index, text in enumerate(("a\n", "a b\n", "\n")):
        assert main([str(file), "--index", str(index), "--quiet"]) == 0
        assert capsys.readouterr().out == text
    file.write_text("0:2|a\na\na\n")
    assert main([str(file), "--sample", "3"]) == 2
    assert "a solution set takes no problem with multiplicities" in capsys.readouterr().err


def test_sets_of_several_components_are_those_of_a_plain_search():
    compared = 0
    for seed in range(0, 200 if COMPILED else 4, 2):
        problem = disjoint_union(random_problem(seed), random_problem(seed + 1), seed=seed)
        if dlx.count_solutions(problem, method="search", limit=2000) < 2000:
            found = solution_set(problem)
            assert sorted(found) == sorted(dlx.solutions(problem))
            assert [found.index(solution) for solution in found] == list(range(found.count))
            compared += found.count > 10
    assert compared > (8 if COMPILED else 0), compared


@compiled
def test_the_diagram_of_components_is_a_sum_of_theirs():
    board = problems.dominoes(6, 6)
    one, three = solution_set(board), solution_set(disjoint_union(board, board, board, seed=None))
    assert three.count == one.count**3
    assert three.nodes == 3 * one.nodes
    assert solution_set(disjoint_union(board, problems.dominoes(3, 3))).count == 0


@compiled
def test_a_cut_keeps_the_diagram_small(monkeypatch):
    blocks = [problems.random_sets(3, 31, 120, seed) for seed in (1, 2)]
    problem = bridged(*blocks, [(k, 5 * k) for k in range(1, 6)])
    plain = solution_set(problem)
    monkeypatch.setattr(build, "CUT_WORK", 0)
    cut = solution_set(problem)
    assert cut.count == plain.count == dlx.count_solutions(problem, method="search") > 100
    assert sorted(cut[:50]) == sorted(s for s in cut[:50] if s in plain)


@compiled
def test_progress_of_a_diagram_never_falls(clock):
    seen = []
    clock.tick = 0.2
    problem = disjoint_union(problems.dominoes(8, 8), problems.latin(4))
    solution_set(problem, progress=lambda stats: seen.append(stats.done))
    assert len(seen) > 1
    assert seen == sorted(seen)


@compiled
def test_the_time_of_compiling_is_no_part_of_the_limit(monkeypatch):
    class Compiled(build.CompileTimer):
        def __call__(self):
            return 1e6

    with pytest.raises(TimeoutError):
        solution_set(problems.latin(5), time_limit=0)
    monkeypatch.setattr(build, "CompileTimer", Compiled)
    assert solution_set(problems.latin(5), time_limit=0).count == 161280


def test_limits_of_memory_and_time_raise_errors(clock):
    with pytest.raises(MemoryError, match="does not fit into 300000 bytes, which"):
        solution_set(problems.latin(5), memory_limit=300_000)
    chain = [[k, k + 1] for k in range(2999)]
    with pytest.raises(
        MemoryError, match="3383248 bytes: the memory limit must be at least 6766496 bytes"
    ):
        solution_set(chain, memory_limit=6_000_000)  # before the masks are made
    with pytest.raises(TimeoutError, match=r"within 0\.05 s"):
        solution_set(problems.latin(7), time_limit=0.05)
    with pytest.raises(TimeoutError, match=r"was not done within 0 s"):
        solution_set([[0], [1]], time_limit=0)  # between two components
    assert solution_set([[0]], time_limit=0).count == 1
    with pytest.raises(ProblemError, match="time_limit"):
        solution_set(TILES, time_limit=-1)


def test_a_limit_that_is_too_low_for_one_component_names_one_for_the_largest():
    several = disjoint_union(problems.queens(5), problems.queens(6), problems.latin(4), seed=None)
    largest = build.masks_size(build.remainder_of(problems.latin(4), ()))
    with pytest.raises(MemoryError, match=f"{largest} bytes: .* at least {2 * largest} bytes"):
        solution_set(several, memory_limit=100)


def test_the_cheapest_of_a_deep_diagram_expands_no_other(monkeypatch):
    """A path for each edge beside it took the square of the levels."""
    found = solution_set([[k // 3] for k in range(3 * 200)])
    costs = [7 - k % 3 * (k % 2) for k in range(3 * 200)]
    expected = found.k_best(costs, 2)[0]
    monkeypatch.setattr("heapq.heappush", None)
    assert found.best(costs) == expected
    assert found.best([1] * 600) == (200, found[0])


def test_equal_components_are_recorded_once(monkeypatch):
    recorded = []

    def noted(rest, **settings):
        recorded.append(rest)
        return best(rest, **settings)

    best = build.orders.best
    monkeypatch.setattr(build.orders, "best", noted)
    kinds = [problems.dominoes(2, 3), problems.queens(4)]
    whole = disjoint_union(*kinds * 3, seed=None)
    found = solution_set(whole)
    assert len(recorded) == 2
    assert found.count == 3**3 * 2**3 and set(found) == set(Search(whole))


def test_a_time_limit_ends_before_the_sweeps_of_large_masks(monkeypatch):
    monkeypatch.setattr("dlx.diagram.build.LARGE_MASKS", 0)
    monkeypatch.setattr("dlx.diagram.build.Recording", None)
    with pytest.raises(TimeoutError, match=r"was not done within 0 s"):
        solution_set([[0]], time_limit=0)
    with pytest.raises(ProblemError, match="memory_limit"):
        solution_set(TILES, memory_limit=0)
    with pytest.raises(ProblemError, match="given option 99"):
        solution_set(TILES, given=np.array([99]))


TEXT = "a b c\na b |3\nc |4\na |1\nb c |-5\n"


def test_the_command_prints_solutions_by_index_at_random_and_by_cost(tmp_path, capsys):
    file = tmp_path / "problem.dlx"
    file.write_text(TEXT)
    printed = []
    for index in ("0", "1"):
        assert main([str(file), "--index", index, "--quiet"]) == 0
        printed.append(capsys.readouterr().out)
    assert sorted(printed) == ["a b |3\nc |4\n", "a |1\nb c |-5\n"]
    assert main([str(file), "--index", "2"]) == 2
    assert capsys.readouterr().err == (
        "dlx: --index 2: the problem has 2 solutions; numbers begin at 0\n"
    )
    assert main([str(file), "--sample", "3", "--seed", "1"]) == 0
    out, err = capsys.readouterr()
    assert len(out.split("\n\n")) == 3
    assert err == "2 solutions, 3 nodes, 4 edges\n"
    assert main([str(file), "--best", "--quiet"]) == 0
    assert capsys.readouterr().out == "| cost -4\na |1\nb c |-5\n"
    assert main([str(file), "--count", "--method", "sweep", "--memory-limit", "1T"]) == 0
    assert capsys.readouterr().out == "2\n"

    file.write_text("a b\na\nb\n")
    assert main([str(file), "--best"]) == 2
    assert "no option has a cost" in capsys.readouterr().err
    file.write_text("a b\na |1\n")
    assert main([str(file), "--best", "--quiet"]) == 1
    assert main([str(file), "--sample", "2", "--quiet"]) == 1
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit) as fault:
        main([str(file), "--count", "--memory-limit", "lots"])
    assert fault.value.code == 2
    assert "'lots' is not a size such as 500M (K, M, G or T)" in capsys.readouterr().err


def test_an_interrupt_in_python_code_that_a_kernel_calls_is_an_interrupt(monkeypatch):
    def interrupted(*_, **__):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("_numba_unpickle") from error

    monkeypatch.setattr(build, "remainder_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solution_set([[0]])
