"""Deductions on any problem: nothing that a solution needs is deleted."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlx import Coloured, Problem, ProblemError
from dlx.compiled import is_stored
from dlx.logic import (
    ALL,
    RULES,
    Chain,
    Custom,
    Deducer,
    Fork,
    Frame,
    Refutation,
    Single,
    Structure,
    Subset,
    chains,
    deducer,
    natural_frames,
    subsets,
)
from tests import naive
from tests.dlx.problems import oracle, random_problem, small_problems
from tests.modes import examples, kernel

pytestmark = kernel

ITEMS = 8


@st.composite
def problems_with_frames(draw):
    """Options over a few primary items, and frames of pairwise disjoint ones."""
    options = draw(
        st.lists(st.sets(st.integers(0, ITEMS - 1), min_size=1, max_size=4), min_size=1, max_size=9)
    )
    options = [sorted(option) for option in options]

    def family(order):
        chosen = []
        for item in order:
            if not any(item in o and other in o for o in options for other in chosen):
                chosen.append(item)
        return chosen

    orders = st.permutations(range(ITEMS))
    frames = []
    for _ in range(draw(st.integers(1, 4))):
        base = family(draw(orders))
        cover = [item for item in family(draw(orders)) if item not in base]
        if cover:
            frames.append(Frame(1, base, cover))
    return options, frames


def check(deducer, needed):
    """Follow all deductions; `needed` holds the options of all solutions."""
    left = set(deducer.options())
    assert needed <= left
    for deduction in deducer:
        assert deduction.deleted or deduction.chosen >= 0
        assert set(deduction.deleted) <= left
        assert not needed & set(deduction.deleted), deduction
        assert deduction.why(deducer.structure.problem)
        left -= set(deduction.deleted)
        if deduction.chosen >= 0:
            assert deduction.chosen in left
    assert set(deducer.options()) <= left
    assert needed <= set(deducer.options())
    if deducer.status == "solved":
        assert set(deducer.options()) == needed
    if deducer.status == "contradiction":
        assert not needed


@settings(max_examples=examples(80), deadline=None)
@given(problems_with_frames(), st.integers(1, 4), st.integers(0, 2), st.integers(0, 2))
def test_rules_limited_to_kinds_and_frames_delete_no_option_of_a_solution(case, size, fins, kinds):
    options, frames = case
    problem = Problem(options, primary=range(ITEMS))
    entries = [[(item, None) for item in option] for option in options]
    needed = {o for cover in naive.exact_covers(entries, set(range(ITEMS))) for o in cover}
    structure = Structure(problem, [1 << (item % 2) for item in range(ITEMS)], frames)
    some = 1 + kinds
    rules = [
        Single(),
        Subset(size, fins),
        Chain((3, some, 3, 3), 3),
        Chain((3, some, 3, 3), some),
        Chain((3, some, 3, 3), 3, conjugate=True),
        Fork(3, 9, some, 3, 4, 99),
        Fork(3, 9, 3, some, 4, 99),
        Refutation(),
    ]
    check(Deducer(structure, rules), needed)


@settings(max_examples=examples(80), deadline=None)
@given(small_problems(), st.booleans())
def test_default_rules_delete_no_option_of_a_solution_with_colours(problem, interpreted):
    needed = {option for solution in oracle(problem) for option in solution}
    check(Deducer(Structure(problem, interpreter_first=interpreted)), needed)


def contents(deducer):
    """All that deductions change."""
    live, tried = deducer._state.live, deducer._state.tried
    arrays = live.alive, live.items, live.totals, tried, deducer.counts
    return deducer.status, [array.tolist() for array in arrays]


@settings(max_examples=examples(60), deadline=None)
@given(st.one_of(small_problems(), problems_with_frames()), st.data())
def test_the_interpreter_and_the_kernels_do_the_same(case, data):
    """With any amount of work left to the interpreter: all deductions and states are equal."""
    frames = None
    if not isinstance(case, Problem):
        options, frames = case
        case = Problem(options, primary=range(ITEMS))
    numbers = st.lists(st.integers(0, case.num_options - 1), unique=True, max_size=4)
    chosen, deleted = (data.draw(numbers if case.num_options else st.just([])) for _ in "ab")
    rules = [Single(), Subset(1), Subset(2), Subset(2, 1), Subset(3, 2)]
    most = data.draw(st.integers(1, 5))
    results = []
    for work in (0, data.draw(st.integers(0, 3000)), 1 << 30):
        structure = Structure(case, frames=frames)
        structure.interpreter_work = work
        deducer = Deducer(structure, rules)
        wrong = deducer.begin(chosen)
        deducer.delete(deleted)
        result = [wrong, contents(deducer)]
        while deducer.status == "open":
            result += [deducer.advance(most), deducer.found(), contents(deducer)]
        results.append(result)
    assert results[0] == results[1] == results[2]


def test_the_interpreter_finds_no_single_before_a_subset_that_comes_first():
    problem = Problem([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1), ("c", 3), ("d", 4)])
    for work in (0, problem.num_items, 1 << 30):
        deducer = Deducer(problem, [Subset(2), Single()])
        deducer.structure.interpreter_work = work
        assert deducer.advance(1) == (0, 0)
        assert [deduction.deleted for deduction in deducer.found()] == [(4,)]


def test_no_more_is_left_to_the_interpreter_than_asked_for(monkeypatch):
    problem = Problem([(r, ("c", c)) for r in range(6) for c in range(6)])
    calls = []
    for function, plain in list(subsets.INTERPRETED.items()):

        def called(*arguments, plain=plain):
            calls.append(plain)
            return plain(*arguments)

        monkeypatch.setitem(subsets.INTERPRETED, function, called)
    assert len(list(Deducer(problem, given=[0, 7, 14, 21]))) == 0
    assert calls == []
    structure = Structure(problem, interpreter_first=True)
    before = structure.interpreter_work
    list(Deducer(structure, given=[0, 7]))
    assert calls and 0 <= structure.interpreter_work < before
    structure.interpreter_work = 1
    calls.clear()
    list(Deducer(structure, given=[0, 7]))
    assert calls == [] and structure.interpreter_work == 0


def test_code_in_numbas_cache_is_seen(tmp_path):
    list(Deducer(Problem([(1, 2), (3,), (1, 3)])))  # calls the kernel, which is compiled then
    assert is_stored(subsets.advance)
    code = contents.__code__
    own = SimpleNamespace(py_func=contents, stats=SimpleNamespace(cache_path=tmp_path))
    assert not is_stored(own)
    name = f"{contents.__module__.rpartition('.')[2]}.contents-{code.co_firstlineno}"
    for other in ("0.py313.nbi", "x.py313.nbi"):
        (tmp_path / f"{name}{other}").touch()
    assert not is_stored(own)
    (tmp_path / f"{name}.py313.nbi").touch()
    assert is_stored(own)
    for missing in (None, tmp_path / "missing"):
        own.stats.cache_path = missing
        assert not is_stored(own)


def test_an_interrupt_of_the_interpreter_leaves_the_state_as_it_was(monkeypatch):
    problem = Problem([(r, ("c", c)) for r in range(4) for c in range(4) if r != 1 or c == 2])
    structure = Structure(problem, interpreter_first=True)
    deducer, expected = Deducer(structure), list(Deducer(problem))
    before = contents(deducer)
    own = subsets.INTERPRETED[subsets.advance]

    def interrupted(*arguments):
        own(*arguments)
        deducer._work.marks[:] = 1
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(subsets.INTERPRETED, subsets.advance, interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(deducer)
    assert contents(deducer) == before
    assert list(deducer) == expected != []


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_each_default_rule_alone_is_sound_on_five_queens(rule):
    squares = [(row, column) for row in range(5) for column in range(5)]
    queens = Problem(
        [[f"row {r}", f"column {c}", f"up {r + c}", f"down {r - c}"] for r, c in squares],
        secondary=[f"up {k}" for k in range(9)] + [f"down {k}" for k in range(-4, 5)],
    )
    first = squares.index((0, 1))
    needed = {o for solution in oracle(queens, chosen=[first]) for o in solution}
    check(Deducer(queens, [rule], given=[first]), needed)


def test_a_pair_of_base_items_uses_up_two_cover_items():
    # a and b have only 1 and 2, so c cannot have them
    problem = Problem(
        [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1), ("c", 2), ("c", 3)],
        primary=["a", "b", "c", 1, 2, 3],
    )
    structure = Structure(problem, frames=[Frame(4, [0, 1, 2], [3, 4, 5])])
    deducer = Deducer(structure, [Subset(2, frames=4)])
    [deduction] = deducer
    assert (deduction.items, deduction.options, deduction.deleted) == ((0, 1, 3, 4), (), (4, 5))
    assert deducer.status == "stuck" and deducer.counts.tolist() == [1, 0]


def test_subsets_may_have_as_many_items_as_a_mask_has_bits():
    # 62 rows have only the first 62 columns, so the last row cannot have the first of these
    pairs = [(row, column % 62) for row in range(62) for column in (row, row + 1)]
    pairs += [(62, 0), (62, 62)]
    problem = Problem([("row", row), ("column", column)] for row, column in sorted(pairs))
    columns = [problem.items.index(("column", column)) for column in range(63)]
    rows = [problem.items.index(("row", row)) for row in range(63)]
    deducer = Deducer(Structure(problem, frames=[Frame(1, rows, columns)]), [Subset(62)])
    [deduction] = deducer
    assert deduction.deleted == (124,) and len(deduction.items) == 124


def test_a_refutation_lists_its_choices():
    # with "ab" chosen, e needs "ec" and d needs "cd", but these conflict
    problem = Problem(["ab", "a", "b", "cd", "da", "eb", "ec"], primary="abcde")
    deduction = next(Deducer(problem, [Refutation()]))
    assert deduction.deleted == (0,) and deduction.length == 2
    assert (deduction.options, deduction.items[1], deduction.item) in [
        ((0, 3), 3, 4),
        ((0, 6), 4, 3),
    ]


def test_searches_in_many_calls_deduce_the_same(monkeypatch):
    searching = [Chain((ALL,) * 2), Chain((ALL,) * 8), Fork(), Fork(links=3), Refutation()]
    found = []
    for work in (deducer.CALL_WORK, 1):  # then each call looks at one option
        monkeypatch.setattr(deducer, "CALL_WORK", work)
        of_all = []
        for seed in (9, 35, *range(examples(60))):  # the first two have chains
            problem = random_problem(seed)
            for rule in searching:
                of_all.append(list(Deducer(problem, [rule])))
            of_all.append(list(Deducer(problem, [*searching, Single()])))
        found.append(of_all)
    assert found[0] == found[1]
    used = {type(deduction.rule) for steps in found[0] for deduction in steps}
    assert used >= {Chain, Fork, Refutation}


@pytest.mark.parametrize("work", [1, 2000, 1 << 40])
def test_the_interpreter_makes_the_same_searches(work):
    """It begins a search that a kernel ends, or makes all of them."""
    searching = [
        Chain((ALL,) * 2),
        Chain((ALL,) * 8),
        Fork(),
        Fork(links=3),
        Refutation(),
        Single(),
    ]
    used = set()
    for seed in (9, 35, *range(examples(6))):  # the first two have chains
        structure = Structure(random_problem(seed))
        for rules in (*([rule] for rule in searching[:-1]), searching):
            expected = list(Deducer(structure, rules))
            structure.chains_work = work
            assert list(Deducer(structure, rules)) == expected
            assert work < 1 << 40 or 0 < structure.chains_work < work
            structure.chains_work = 0
            used |= {type(deduction.rule) for deduction in expected}
    assert used >= {Chain, Fork, Refutation}


def test_an_interrupt_of_an_interpreted_search_leaves_the_state_as_it_was(monkeypatch):
    structure = Structure(random_problem(9))
    expected = list(Deducer(structure, [Chain((ALL,) * 8)]))
    structure.chains_work = 1 << 40
    deducer = Deducer(structure, [Chain((ALL,) * 8)])
    before = contents(deducer)
    own = chains.INTERPRETED[chains.chain]

    def interrupted(*arguments):
        own(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(chains.INTERPRETED, chains.chain, interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(deducer)
    assert contents(deducer) == before and deducer.found() == []
    assert list(deducer) == expected != []


def test_the_chains_of_a_fork_may_share_options():
    # of each "p" a chain of four strong links leads to the exclusion of "q", by one of two ways
    options = [["p", ("way", k % 2, 0)] for k in range(9)]
    for way in range(2):
        for step in range(4):
            options += [[(way, step), ("way", way, step + k)] for k in range(2)]
    options += [["q", ("way", 0, 4), ("way", 1, 4)], ["q"]]
    secondary = [("way", way, step) for way in range(2) for step in range(5)]
    deducer = Deducer(Problem(options, secondary=secondary), [Fork(links=4)])
    deduction = next(deducer)
    assert deduction.deleted == (25,) and deduction.length == 9 * 4
    assert deducer._scratch.path.size >= len(deduction.options) == 9 * 9 > 2 * len(options)


def test_numbers_of_rules_may_be_of_any_size():
    problem = Problem([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 2), ("c", 3)])
    for most in (2**30, 2**40):
        fork = Fork(widest=most, weak=2**40 - 1, links=most, total=most)
        check(Deducer(problem, [Single(), fork]), {0, 1, 2, 3, 5})
    for rule in (Subset(1, frames=2**40), Chain((2**40,), weak=2**40)):
        check(Deducer(problem, [rule]), {0, 1, 2, 3, 5})
    with pytest.raises(ProblemError, match="5 is no rule"):
        Deducer(problem, [5])
    with pytest.raises(ProblemError, match="no such item"):
        Structure(problem, frames=[Frame(1, [0], [-1])])
    assert Deducer([("a", 1), ("b", 2)]).structure.problem.num_options == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (partial(Subset, 0), r"the size is 1 to \d+, and fins reach 0 to 2 items"),
        (partial(Subset, 1, 3), r"the size is 1 to \d+, and fins reach 0 to 2 items"),
        (partial(Chain, ()), "a chain has at least one strong link"),
        (partial(Fork, links=-1), "numbers of links are not negative"),
        (partial(Fork, total=-1), "numbers of links are not negative"),
        (partial(Structure, ["a"], [1, 2]), "2 kinds for 1 items: each has one, a power of two"),
        (partial(Structure, ["a"], [3]), "1 kinds for 1 items: each has one, a power of two"),
        (
            partial(Structure, Problem(["ax"], secondary="x"), [1, 1]),
            "a kind has primary and secondary items: each has one sort only",
        ),
        (
            partial(Structure, ["ab"], {1, 2}),
            r"kinds is \{1, 2\}, without an order; it must be one for each item",
        ),
        (
            partial(Deducer, ["a"], {Single()}),
            r"rules is \{Single\(items=-1\)\}, without an order; it must be rules of dlx.logic",
        ),
        (partial(Single, "x"), "items of a Single is 'x'; it must be a whole number"),
        (
            partial(Chain, (1,), conjugate=float("nan")),
            "conjugate of a Chain is nan; True or False is needed",
        ),
        (
            partial(Custom, "mine", None),
            "find of a Custom is None; it must be a function of the options left",
        ),
        (
            partial(Structure, ["a"], frames=[Frame(2**31, [0], [])]),
            r"the kind of a frame is 2147483648; it must be below 2\*\*31",
        ),
        (partial(Structure, ["a"], frames=[5]), "5 is no frame; dlx.logic has the class Frame"),
        (
            partial(Structure, ["a"], frames=[Frame("x", [0], [])]),
            "the kind of a frame is 'x'; it must be a whole number",
        ),
        (
            partial(Structure, ["a"], frames=[Frame(1, [0.5], [])]),
            "an item of a base family is 0.5; it must be a whole number",
        ),
        (
            partial(Structure, ["a"], frames=[Frame(1, [0], 5)]),
            "a cover family is 5; it must be items",
        ),
        (
            partial(Structure, Problem(["ax"], secondary="x"), frames=[Frame(1, [1], [0])]),
            r"a base family \(1,\): its items must be primary",
        ),
        (
            partial(
                Structure,
                Problem([["a", Coloured("x", 1)]], secondary="x"),
                frames=[Frame(1, [0], [1])],
            ),
            r"a cover family \(1,\): its items must have no colour",
        ),
    ],
)
def test_rules_kinds_and_frames_that_cannot_be_are_refused(make, message):
    with pytest.raises(ProblemError, match=f"{message}$"):
        make()


def test_begin_returns_the_position_of_a_given_that_conflicts():
    deducer = Deducer(Problem([(0, 1), (1, 2), (2,), (0,)]))
    assert deducer.begin([0, 2]) == -1
    assert deducer.begin([0, 1, 2]) == 1
    assert deducer.status == "contradiction"
    with pytest.raises(ProblemError, match="given option 4 is not one of 0 to 3"):
        deducer.begin([4])


def test_options_that_do_not_exist_are_refused():
    deducer = Deducer(Problem([(0, 1), (1, 2), (2,), (0,)]))
    calls = (deducer.begin, deducer.delete, lambda options: deducer.choose(options[0]))
    for call in calls:
        for wrong in ([4], [-1], [50_000_000], [2**40], [1.5], ["a"]):
            with pytest.raises(ProblemError, match="option"):
                call(wrong)
        with pytest.raises(ProblemError, match="it must be option numbers"):
            call([True, 1])
    for call in calls[:2]:
        for wrong in (5, {0: 1}, [0, True]):
            with pytest.raises(ProblemError, match="it must be option numbers"):
                call(wrong)
    deducer.delete([1])
    with pytest.raises(ProblemError, match="chosen option 1 is not left"):
        deducer.choose(1)
    assert deducer.options() == [0, 2, 3]
    problem = Problem([("a", 1), ("a", 2)])
    with pytest.raises(ProblemError, match="deleted option 100000000 is not one of 0 to 1"):
        list(Deducer(problem, [Custom("wrong", lambda left: ([], [], [10**8]))]))


@pytest.mark.parametrize("most", [None, "x", [], 2**70, 2.5, True, -5], ids=str)
def test_a_number_of_deductions_is_checked(most):
    with pytest.raises(ProblemError, match=r"^most is "):
        Deducer(Problem([(0, 1), (1, 2), (2,), (0,)])).advance(most)


def test_many_singles_are_found_one_after_the_other():
    deducer = Deducer(Problem([(k,) for k in range(300)]), [Single()])
    assert [deduction.chosen for deduction in deducer] == list(range(300))
    assert deducer.status == "solved"


CHAIN = Chain((-1, -1), -1)


@pytest.mark.parametrize(
    ("options", "rule", "reason", "deleted"),
    [
        (["ab", "a", "c"], Single(), "'b' has only option 0 left", (1,)),
        (
            ["ax", "ay", "bx", "by", "cx", "cz"],
            Subset(2),
            "'a', 'b' have options only with 'x', 'y'",
            (4,),
        ),
        (
            ["ax", "ay", "bx", "by", "cx", "cyd", "dx", "d"],
            Subset(1, 1),
            "'c' has options only with 'x', but for 5, which conflicts with what is deleted",
            (6,),
        ),
        (
            ["aw", "ax", "bx", "bv", "cwv", "c"],
            CHAIN,
            "without option 0, 'a' needs 1, which excludes 2 in 'x', so 'b' needs 3: so 0 or 3 is "
            "in every solution",
            (4,),
        ),
        (
            ["ab", "aw", "bw"],
            CHAIN,
            "without option 0, 'a' needs 1, which conflicts with 0 in 'a': a loop",
            (2,),
        ),
        (
            ["ax", "ay", "bxy", "b"],
            Fork(),
            "every option of 'a' (0, 1) conflicts with what is deleted",
            (2,),
        ),
        (
            ["ax", "ay", "az", "bx", "bw", "cwyz", "c"],
            Fork(links=1),
            "every option of 'a' leads to a conflict with what is deleted: option 0 excludes 3 in "
            "'x', so 'b' needs 4; option 1 conflicts itself; option 2 conflicts itself",
            (5,),
        ),
        (
            ["ab", "a", "bc", "cd", "de", "be"],
            Refutation(),
            "option 0 is supposed chosen, then 'c' has only option 3 left, then 'e' has none",
            (0,),
        ),
    ],
)
def test_the_reason_of_a_deduction_is_a_sentence(options, rule, reason, deleted):
    problem = Problem(options, secondary=sorted({*"vwxyz"} & {*"".join(options)}))
    deduction = next(iter(Deducer(problem, [rule])))
    assert (deduction.why(problem), deduction.deleted) == (reason, deleted)


def test_a_chain_that_ends_where_it_begins_proves_an_option():
    problem = Problem(["aw", "wb", "bv", "ac", "vc"], secondary="vw")
    rule = Chain((1, 2, 4), 15)  # the chain from 2 to 3 is none from 3 to 2
    deduction = next(iter(Deducer(Structure(problem, kinds=[1, 2, 4, 8, 8]), [rule])))
    assert deduction.deleted == (0, 4)
    assert deduction.why(problem) == (
        "without option 3, 'a' needs 0, which excludes 1 in 'w', so 'b' needs 2, which excludes 4 "
        "in 'v', so 'c' needs 3: so option 3 is in every solution"
    )


def test_the_reason_of_an_option_that_the_caller_chose():
    problem = Problem(["ab", "a", "b"])
    deducer = Deducer(problem, [])
    deducer.choose(1)
    assert [deduction.why(problem) for deduction in deducer.found()] == [
        "option 1 was chosen by the caller"
    ]


def test_a_rule_of_the_caller_is_used_like_the_others():
    problem = Problem([("a", 1), ("a", 2), ("b", 1), ("b", 2)])
    rule = Custom("symmetry", lambda left: ([0], [0], [3]) if left[3] else None)
    deducer = Deducer(problem, [rule])
    [deduction] = deducer
    assert deduction.deleted == (3,) and deduction.why(problem) == "symmetry"


def test_a_rule_of_the_caller_that_deletes_nothing_is_refused():
    """It would be used without end."""
    problem = Problem([("a", 1), ("a", 2), ("b", 1), ("b", 2)])
    for deleted in ([], [3]):
        deducer = Deducer(
            problem, [Custom("idle", lambda left, deleted=deleted: ([], [], deleted))]
        )
        deducer.delete([3])
        with pytest.raises(ProblemError, match="rule 'idle' deletes no option that is left"):
            next(deducer)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (5, "rule 'mine' returned 5; it must be None, or three lists of numbers: of options"),
        ([[0], [0]], r"rule 'mine' returned \[\[0\], \[0\]\]; it must be None, or three"),
        (([0], [None], [3]), r"rule 'mine' returned \(\[0\], \[None\], \[3\]\); it must be"),
        (([0], [True], [3]), r"rule 'mine' returned \(\[0\], \[True\], \[3\]\); it must be"),
        (([0.5], [], [3]), "rule 'mine' returned .*; it must be None, or three lists"),
        (([0], [4], [3]), "rule 'mine' shows item 4, which is not there"),
    ],
)
def test_a_result_of_a_rule_of_the_caller_that_cannot_be_is_refused(result, message):
    problem = Problem([("a", 1), ("a", 2), ("b", 1), ("b", 2)])
    with pytest.raises(ProblemError, match=f"^{message}"):
        next(Deducer(problem, [Custom("mine", lambda left: result)]))


def test_the_reason_of_a_deduction_needs_its_problem():
    problem = Problem([("a", 1), ("a", 2), ("b", 1), ("b", 2)])
    for rules in ([Single()], [Custom("mine", lambda left: ([], [3], [0]) if left[0] else None)]):
        deduction = next(Deducer(problem, rules, given=[3]))
        for wrong in (None, "a", 5):
            with pytest.raises(ProblemError, match=r"^options .*iterable"):
                deduction.why(wrong)
        with pytest.raises(ProblemError, match=r"^Problem\(0 .*\) is not the problem of this"):
            deduction.why([])


def test_numbers_of_any_type_become_ints():
    rules = Subset(np.int64(2), np.uint8(1), np.int32(3)), Fork(np.int64(1)), Single(np.int64(1))
    assert str(rules[0]) == "Subset(size=2, fins=1, frames=3)"
    assert {type(number) for rule in rules for number in vars(rule).values()} == {int}
    deducer = Deducer(Problem(["ab", "a", "b"]))
    deducer.choose(np.int64(1))
    assert type(deducer.found()[0].chosen) is int


def test_a_contradiction_of_given_options_remains_when_another_is_chosen():
    deducer = Deducer(Problem(["ab", "ac", "b", "c"]), given=[0, 1])
    deducer.choose(3)
    assert list(deducer) == [] and deducer.status == "contradiction"


def test_an_option_of_many_items_makes_few_frames():
    frames = natural_frames(Problem([range(300)]))
    assert len(frames) == 64 * 63  # each of two families of one item


def test_families_of_frames_are_checked():
    problem = Problem([(k,) for k in range(70)])
    with pytest.raises(ProblemError, match="63"):
        Structure(problem, frames=[Frame(1, range(64), [65])])
    with pytest.raises(ProblemError, match="an option has two"):
        Structure(Problem([(0, 1), (2,)]), frames=[Frame(1, [0, 1], [2])])
    empty = Structure(Problem([["x"]], secondary=["x"]), frames=[Frame(1, [], [])])
    assert len(empty.frames.frames) == 1


def test_a_colour_of_one_option_needs_no_item_of_its_own():
    """With 1,000 such colours of an item, the lists of conflicts took a minute."""
    options = [["a", Coloured("s", colour)] for colour in range(100)]
    once = Problem(options, secondary=["s"])
    assert len(Structure(once).net.items) == 2
    assert len(Structure(once).net.item) <= 4 * len(options)
    twice = Problem([["b", Coloured("s", 0)], *options], secondary=["s"])
    assert len(Structure(twice).net.items) == 4
    deducer = Deducer(twice)
    deducer.choose(5)
    assert deducer.options() == [5]
    deducer.begin([1])
    assert deducer.options() == [0, 1]
