"""Steps: each technique on a puzzle of its own, and soundness against all solutions."""

import gc
import warnings
from itertools import islice, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import config

from sudoku.errors import FormatError, LayoutError, PuzzleError, SudokuError
from sudoku.explain import NONE, SEVERAL, UNIQUE
from sudoku.explain.grid_deducer import GridDeducer
from sudoku.explain.rating import columns, rate, rate_batch, rate_grid, rate_up_to
from sudoku.explain.rectangles import rectangle
from sudoku.explain.solve_steps import solve_steps
from sudoku.explain.steps import StepWriter
from sudoku.explain.techniques import TECHNIQUES, parse_techniques, up_to
from sudoku.grid import Grid
from sudoku.layout import House, Layout
from sudoku.reading.convert import as_grid
from sudoku.solving.candidates import candidates
from tests import naive
from tests.modes import examples

# made by digging holes in random grids; the technique is one of the few that the puzzle needs
EXAMPLES = dict(
    line.replace("AIC", "alternating inference chain").split(": ")
    for line in """
hidden single: ..8..9.3....3...413..4..78.4..1.3.......6...57.58....9.7..2..............34....7.
naked single: 5.62..3.7....58...29.....4......3..81....572..45..7....2..7.....8.......6.3..2..4
pointing: ..........73....8.9..6.54.2....8.9.7.412..35.7.............2.95...73.....6...4.7.
claiming: 875...2...2.5..7....4....8.....9.358..6..8.9...2...4......71...........6...25..4.
naked pair: ..7.8...4........3.1.7.6.....91...2......3....8.657.9....9...6.........553......7
X-wing: 3..2.9.4.9.6...2.1.7...43.....84.9.....7.....6......38..2.3......3.8.1.28..9.1...
hidden pair: 5.....3...89.47..1.2..8.5....2....7.1...6.......1...5....8....6.4....9....5.76...
naked triple: .7..3.5..6.9..1.......25..82.....4.7.9...46.........53..321..7.9.......6....5....
swordfish: ..7.4..9.2.53.91..3....2....28.....64.1.........52.....8..14.6.....8.47......7..8
hidden triple: .8..451....96..42...7......1..7...63..84..........9.....2..17.69.6...5..4........
simple colouring: ..9..7.357....2..........865..16...3...3....136....97.89..2.....7...6...2...9.5.7
turbot fish: ..6..92..2......8..93..6.........45..4.67......9.3.1.8..2...9...7....824...4.7...
XY-wing: ...1..42.8.5..7.3..3.9...7..6..8....37...1...1.........49.....7....6...8.....56..
XYZ-wing: ..1.....6..6...4.9.......28.38.....4.5.6.7.3..6...2....75.....2....2...39...458..
unique rectangle: 39.......72...34...5.....1.........1.7.8...26...9.7....184.........3.95...3.8....
finned X-wing: ....9...7....5.4...2...4.18...6.....7......91..6421...8..91.......8.6....675..8..
naked quad: ...52.......8.649.6....1......2.46....8....4..5.7..8.3.......3.74.......92..15...
jellyfish: ..6..3...5..9..7.14....1.....1.3542......4........69..9..4...7.8.3............59.
hidden quad: .........9.5.2..7.....4815..2.8....7.8..6..1......74..5.19....2....7..6.7.24....3
W-wing: 8.4............5.13...8.2..9...64....7...9.1....1...3..2...8.7.....47..8.5....4..
finned swordfish: .5.23..1.1..5......74.6..2......7...5.......7.8.1..95.6....9..5..7...19.......3..
finned jellyfish: ...3....87.....95....4......5..7.......8.....1..9.5.2...8.4......4...79..93...5..
X-chain: ....7.29.2....3..75.1........67..3........5.4.9.3.4.....4..1.7.....894.3....3..1.
XY-chain: .453.6..1.932..5..8.........3...49..7.2.8.........5.6...........7.4...93.....3..8
AIC: .2..97......2...1.1.3..........8....6....42...19...4..39..78.4..6...27.....6..82.
forcing chains: 36....4.8....8..5....4...13.....4..5...82.7..5.7..9...1........4.8.32...7.29..8..
forcing net: 7......4..1...6....58..3.7.5.4.....3...43..6.........22..5.7......98......1...2.5
""".strip().splitlines()
)
SENTENCES = Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8").splitlines()
MINIMAL = (Path(__file__).parents[3] / "data/minimal-9x9.txt").read_text().split()
LAYOUTS = [Layout(2, 2), Layout(2, 2, True), Layout(2, 3), Layout(3, 2), Layout(2, 3, True)]


def follow(steps, solutions=()):
    """Go through the steps by plain rules; what they delete must be in no solution."""
    layout, marks = steps.puzzle.layout, [set(cell) for cell in steps.candidates]
    done = []
    for step in steps:
        assert step.candidates == tuple(tuple(sorted(cell)) for cell in marks)
        assert step.deleted or step.placed or step.technique == "contradiction"
        for cell, digit in step.deleted:
            assert all(solution[cell] != digit for solution in solutions), step
            marks[cell].remove(digit)
        for cell, digit in step.placed:
            assert all(solution[cell] == digit for solution in solutions), step
            assert marks[cell] == {digit}
            for house in layout.houses.tolist():
                if cell in house:
                    assert not any(digit in marks[other] for other in house if other != cell)
        done.append(step)
    return done


def test_steps_that_were_interrupted_do_not_seem_to_be_at_their_end(monkeypatch):
    steps = solve_steps(EXAMPLES["naked pair"])

    def interrupt(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as interrupted:
        interrupted.setattr(GridDeducer, "make_steps", interrupt)
        with pytest.raises(KeyboardInterrupt):
            next(steps)
    for _ in range(2):
        with pytest.raises(SudokuError, match="these steps were interrupted; begin anew with"):
            next(steps)
    steps = solve_steps(EXAMPLES["naked pair"])
    assert list(steps) and next(steps, None) is None


def test_an_xyz_wing_is_three_cells_of_three_digits():
    wings, number = 0, examples(80)
    for puzzle in MINIMAL[:number]:
        for step in solve_steps(puzzle):
            if step.technique == "XYZ-wing":
                wings += 1
                [digit] = {digit for _, digit in step.deleted}
                marks = sorted((set(step.candidates[cell]) for cell in step.cells), key=len)
                assert list(map(len, marks)) == [2, 2, 3]
                assert marks[0] | marks[1] == marks[2] and marks[0] & marks[1] == {digit}
    assert wings > number // 16


def test_a_chain_that_ends_where_it_begins():
    """A W-wing of two strong links leads back; easier techniques would find the same."""
    wing = next(technique for technique in TECHNIQUES if technique.name == "W-wing")
    steps = solve_steps("....32..4..2..1.", techniques=(wing, TECHNIQUES[-1]))
    step = next(islice(steps, 2, None))
    assert step.deleted == ((7, 4),)
    assert step.text == (
        "W-wing: if r2c4 is not 1, it is 4, so r2c3 is not 4, 4 of column 3 is in r1c3, so r2c4 is "
        "not 4, it is 1. Either way r2c4 is 1. So r2c4 is not 4."
    )


@pytest.mark.parametrize("technique", EXAMPLES)
def test_the_first_step_of_each_technique_has_its_sentence(technique):
    steps = solve_steps(EXAMPLES[technique], uniqueness=technique == "unique rectangle")
    assert next(step.text for step in steps if step.technique == technique) in SENTENCES


@pytest.mark.parametrize("technique", EXAMPLES)
def test_each_technique_is_used_in_its_example_and_is_sound(technique):
    puzzle = EXAMPLES[technique]
    assumes = technique == "unique rectangle"
    first = solve_steps(puzzle, uniqueness=assumes)
    assert list(first)
    solution = first.grid.values.reshape(-1).tolist()
    assert all(given in (".", str(value)) for given, value in zip(puzzle, solution, strict=True))
    assert all({solution[c] for c in h} == set(range(1, 10)) for h in naive.sudoku_houses(3, 3))
    steps = solve_steps(puzzle, uniqueness=assumes)
    done = follow(steps, [solution])
    assert steps.outcome == UNIQUE
    assert technique in {step.technique for step in done}
    assert all(step.assumes_uniqueness == (step.technique == "unique rectangle") for step in done)
    rating = rate(puzzle, uniqueness=assumes)
    assert sum(rating.counts.values()) == len(done)
    assert rating.hardest == max(done, key=lambda step: step.weight).technique
    assert rating.outcome == UNIQUE and rating.hardest in str(rating)
    assert rating.score == pytest.approx(max(step.weight for step in done), abs=1)


def logic_solutions(puzzle):
    from sudoku.solving.solve import solutions

    return [g.values.reshape(-1).tolist() for g in solutions(puzzle, limit=3)]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(LAYOUTS), st.randoms(use_true_random=False), st.integers(0, 30))
def test_no_step_deletes_a_candidate_of_a_solution(layout, random, holes):
    n = layout.size
    houses = naive.sudoku_houses(layout.box_rows, layout.box_columns, layout.diagonal)
    first = list(range(1, n + 1))
    random.shuffle(first)
    full = next(naive.sudoku_solutions(houses, first + [0] * (n * n - n)), None)
    if full is None:
        return
    puzzle = list(full)
    for cell in random.sample(range(n * n), min(holes, n * n)):
        puzzle[cell] = 0
    if random.random() < 0.2:
        puzzle[random.randrange(n * n)] = random.randrange(n + 1)
    solutions = list(naive.sudoku_solutions(houses, puzzle))
    steps = solve_steps(Grid(layout, np.array(puzzle), None))
    done = follow(steps, solutions)
    if len(solutions) == 1:
        assert steps.outcome == UNIQUE
        assert steps.grid.values.reshape(-1).tolist() == list(solutions[0])
    elif solutions:
        assert steps.outcome == SEVERAL
        assert all(
            value in (0, *{s[cell] for s in solutions})
            for cell, value in enumerate(steps.grid.values.reshape(-1).tolist())
        )
    else:
        assert steps.outcome == NONE
        assert done[-1].technique == "contradiction" and "no solution" in done[-1].text
    again = solve_steps(Grid(layout, np.array(puzzle), None))
    assert [step.text for step in again] == [step.text for step in done]
    assert rate(Grid(layout, np.array(puzzle), None)).outcome == steps.outcome


@settings(max_examples=3 if config.DISABLE_JIT else 25, deadline=None)
@given(st.sampled_from(sorted(EXAMPLES.values())), st.randoms(use_true_random=False))
def test_nine_by_nine_with_several_solutions(puzzle, random):
    givens = [k for k, c in enumerate(puzzle) if c != "."]
    gone = set(random.sample(givens, 2))
    puzzle = "".join("." if k in gone else c for k, c in enumerate(puzzle))
    from sudoku.solving.solve import solutions

    found = [
        g.values.reshape(-1).tolist()
        for g in solutions(puzzle, limit=50 if config.DISABLE_JIT else 500)
    ]
    steps = solve_steps(puzzle)
    follow(steps, found)
    assert steps.outcome == (SEVERAL if len(found) > 1 else UNIQUE)


def test_two_places_on_crossing_diagonals_lock_a_digit():
    # r3c3 is on the diagonal of r4c4, r3c6 on the other one, so both see r4c4
    puzzle = ".............5..2.....4..3....1....."
    steps = list(solve_steps(puzzle, diagonal=True))
    locked = [step for step in steps if step.technique == "locked candidates"]
    assert "row 3 (r3c3 and r3c6)" in locked[0].text and locked[0].deleted == ((21, 1),)
    assert all(len(step.cells) > 2 for step in steps if step.technique == "simple colouring")


def test_a_guess_is_a_step_called_guess():
    steps = solve_steps(EXAMPLES["X-wing"], hardest="naked single")
    done = follow(steps, logic_solutions(EXAMPLES["X-wing"]))
    assert steps.outcome == UNIQUE
    assert {step.technique for step in done} <= {"hidden single", "naked single", "guess"}
    assert done[-1].technique != "guess" and any(step.technique == "guess" for step in done)
    assert all("by a search" in step.text for step in done if step.technique == "guess")
    with pytest.raises(PuzzleError, match="hidden single, naked single"):
        solve_steps(EXAMPLES["X-wing"], hardest="luck")


def test_ratings_in_a_batch_and_their_order():
    names = ["hidden single", "naked pair", "XY-wing", "XY-chain"]
    ratings = list(rate_batch([EXAMPLES[name] for name in names]))
    assert ratings == [rate(EXAMPLES[name]) for name in names]
    scores = [rating.score for rating in ratings]
    assert scores == sorted(scores) and [rating.hardest for rating in ratings][1:] == names[1:]
    assert rate(EXAMPLES["XY-wing"], uniqueness=True).outcome == UNIQUE


@pytest.mark.parametrize(
    "puzzles",
    [None, 5, np.array(5), EXAMPLES["XY-wing"], memoryview(b"..."), Grid(Layout(2, 2), [0] * 16)],
)
def test_a_batch_to_rate_is_many_puzzles(puzzles):
    with pytest.raises(PuzzleError, match="where many puzzles are expected; give a list of them"):
        rate_batch(puzzles)


def test_a_fault_among_many_puzzles_is_placed():
    text = "1..4..2..1..4..."
    with pytest.raises(FormatError, match=r"^puzzle 1:1:16: unknown symbol 'x'"):
        list(rate_batch([text, text[:-1] + "x"]))
    with pytest.raises(PuzzleError, match=r"^puzzle 2: value -1 in r1c1: a digit is 1 to 4"):
        list(rate_batch([text, text, [-1] * 16]))
    with pytest.raises(LayoutError, match=r"^puzzle 1: a 3x3 grid has no boxes"):
        list(rate_batch([text, [[1, 2, 3]] * 3]))


@pytest.mark.parametrize("ratings", [None, 5, np.array(5), "1.2", rate("1..4 ..2. .1.. 4...")])
def test_columns_of_what_is_not_many_ratings(ratings):
    with pytest.raises(PuzzleError, match="where many ratings are expected; give a list of them"):
        columns(ratings)


def test_columns_of_many_values_that_are_no_ratings():
    rating = rate("1..4 ..2. .1.. 4...")
    with pytest.raises(PuzzleError, match=r"^rating 1 is 1\.2; a Rating is needed"):
        columns([rating, rating.score])


def test_two_puzzles_at_once_do_not_disturb_each_other():
    alone = [step.text for step in solve_steps(EXAMPLES["XY-wing"])]
    one, other = solve_steps(EXAMPLES["XY-wing"]), solve_steps(EXAMPLES["X-wing"])
    turns = [(next(one).text, next(other).text) for _ in range(20)]
    assert [text for text, _ in turns] == alone[:20]


def test_the_largest_grids_are_refused():
    with pytest.raises(LayoutError, match="63x63"):
        rate(np.zeros((64, 64), int))


def test_techniques_go_from_easy_to_hard():
    weights = [technique.weight for technique in TECHNIQUES]
    assert weights == sorted(weights)
    assert all(t.cap >= t.weight for t in TECHNIQUES if t.slope)


def test_candidates_are_those_that_houses_leave():
    marks = candidates("1..4 ..2. .1.. 4...", diagonal=True)
    assert marks[0] == [(1,), (2, 3), (3,), (4,)]
    assert marks[3][3] == (2, 3)


@pytest.mark.parametrize(
    ("puzzle", "where", "said"),
    [
        ("55" + "." * 79, (0, 1), "5 twice in row 1"),
        ("1... 1... .... 22..", (12, 13), "2 twice in row 4 (r4c1, r4c2)"),
        ("12345678........9" + "." * 64, (8,), "nothing is left for r1c9"),
        (f":0:x:{'1' + '.' * 80}:111::", (0,), "1 is not among the candidates of r1c1"),
    ],
)
def test_contradiction_says_where(puzzle, where, said):
    steps = solve_steps(puzzle)
    *_, last = steps
    assert steps.outcome == NONE == rate(puzzle).outcome
    assert last.technique == "contradiction" and last.cells == where and said in last.text


def test_step_names_cells_and_symbols():
    steps = solve_steps("a..d ..b. .a.. d...", symbols="abcd")
    found = next(steps).to_dict()
    assert found["placed"] == [["r1c2", "b"]] and ["r1c2", "c"] in found["deleted"]
    assert found["text"] == "Hidden single: b has no other place in box 1 than r1c2."


@pytest.mark.parametrize("layout", [Layout(3, 4), Layout(4, 4), Layout(3, 3, True)])
def test_steps_solve_larger_layouts(layout):
    n = layout.size
    if layout.diagonal:
        from sudoku.solving.solve import solve

        full = solve("123456789" + "." * 72, diagonal=True).values.reshape(-1)
    else:
        rows, columns = layout.box_rows, layout.box_columns
        full = np.array(
            [(r % rows * columns + r // rows + c) % n + 1 for r in range(n) for c in range(n)]
        )
    puzzle = full.copy()
    puzzle[np.random.default_rng(7).permutation(n * n)[: n * n // 2]] = 0
    steps = solve_steps(Grid(layout, puzzle, None))
    solutions = [full.tolist()] if steps.outcome == UNIQUE else []
    assert follow(steps, solutions)
    for house in layout.houses[: 0 if steps.outcome == SEVERAL else None]:
        assert len(set(steps.grid.values.reshape(-1)[house].tolist())) == n


@pytest.mark.parametrize("name", sorted({technique.name for technique in TECHNIQUES}))
def test_each_technique_alone_ends_with_the_right_outcome(name):
    """Without singles a cell may have one candidate and no digit: it is guessed, too."""
    puzzle = EXAMPLES["hidden single"]
    alone = [technique for technique in TECHNIQUES if technique.name in (name, "guess")]
    ways = {"techniques": alone, "uniqueness": True}
    assert rate(puzzle, **ways).outcome == UNIQUE
    steps = solve_steps(puzzle, **ways)
    assert list(steps) and steps.grid.is_complete
    assert steps.outcome == UNIQUE
    assert rate("1..1" + "." * 12, **ways).outcome == NONE
    assert rate("." * 16, **ways).outcome == SEVERAL


def test_ratings_of_many_layouts_keep_the_deducers_of_a_few():
    rows, layouts = ("1122", "1122", "3344", "3344"), set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # regions that are not connected
        for turns in permutations(range(4)):
            shifted = (row[k:] + row[:k] for row, k in zip(rows, turns, strict=True))
            layouts.add(Layout.of(4, regions="".join(shifted)))
    assert len(layouts) == 10

    ratings = rate_batch(Grid(layout, [0] * 16) for layout in layouts)
    assert {rating.outcome for rating in islice(ratings, 10)} <= {SEVERAL, NONE}
    gc.collect()
    assert sum(type(each) is GridDeducer for each in gc.get_objects()) <= 8
    assert next(ratings, None) is None


def test_techniques_without_the_guess_at_the_end_are_refused():
    with pytest.raises(PuzzleError, match="techniques end with 'pointing'; the last one is the gu"):
        rate("1..4" + "." * 12, techniques=TECHNIQUES[:4])


@pytest.mark.parametrize("number", [0, -1])
def test_a_technique_whose_name_is_no_text_is_refused(number):
    table = list(TECHNIQUES)
    table[number] = table[number]._replace(name=np.arange(2))
    with pytest.raises(PuzzleError, match="a table of them is needed"):
        rate("1..4" + "." * 12, techniques=table)


@pytest.mark.parametrize("links", ["a", -1, None])
def test_a_wrong_number_of_links_is_named(links):
    chain = next(technique for technique in TECHNIQUES if technique.name == "XY-chain")
    with pytest.raises(SudokuError, match=r"^links is .*; a whole number from 0 on is needed"):
        chain.weigh(links)


@pytest.mark.parametrize("puzzle", ["...2.2.3......21", ".3.112.......1..", "...3.3..3.4...3."])
def test_uniqueness_is_not_assumed_of_a_puzzle_with_several_solutions(puzzle):
    found = logic_solutions(puzzle)
    assert len(found) == 3
    steps = solve_steps(puzzle, uniqueness=True)
    assert not any(step.assumes_uniqueness for step in follow(steps, found))
    assert steps.outcome == rate(puzzle, uniqueness=True).outcome == SEVERAL


def test_a_unique_rectangle_with_another_weight_assumes_uniqueness():
    table = parse_techniques("1 hidden single\n2 Naked Single\n3 pointing\n5 unique rectangle")
    steps = solve_steps(EXAMPLES["unique rectangle"], techniques=table, uniqueness=True)
    assumed = {step.technique for step in steps if step.assumes_uniqueness}
    assert assumed == {"unique rectangle"}


@pytest.mark.parametrize(
    "named",
    [
        {"hardest": "Unique Rectangle"},
        {"techniques": parse_techniques("1 hidden single\n4.5 unique rectangle")},
        {"techniques": [t for t in TECHNIQUES if t.level in (0, 3, 6)]},
    ],
)
def test_a_unique_rectangle_that_is_named_needs_uniqueness(named):
    """It was never used, and nothing said so."""
    for function in (rate, solve_steps):
        with pytest.raises(PuzzleError, match="'unique rectangle' is used only if uniqueness is"):
            function("1..4" + "." * 12, **named)
    assert rate("1..4 ..2. .1.. 4...", uniqueness=True, **named).outcome == UNIQUE
    assert rate("1..4 ..2. .1.. 4...", techniques=list(TECHNIQUES)).outcome == UNIQUE


def corners(**digits):
    """4x4 candidates, bool[64]: all digits but for these cells."""
    alive = np.ones((4, 4, 4), bool)
    for name, wanted in digits.items():
        alive[int(name[1]) - 1, int(name[3]) - 1] = [str(digit) in wanted for digit in range(1, 5)]
    return alive.reshape(-1)


def test_an_incomplete_house_need_not_have_a_digit_of_a_unique_rectangle():
    """Neither row 1 nor the cage says that 1 is in one of the two corners with more digits."""
    alive = corners(r2c1="12", r2c3="12", r1c1="123", r1c3="124", r3c2="34")
    layout = Layout(2, 2, extra=[House("cage", (0, 2, 9))])
    assert rectangle(layout, alive) is None
    alive = corners(r2c1="12", r2c3="12", r1c1="123", r1c3="124", r3c2="34", r1c2="34", r1c4="3")
    assert rectangle(layout, alive) == ((), [0, 2, 4, 6], [1, 9])  # type 4, by row 1


@pytest.mark.parametrize("name", ["row of mine", "box of chocolates", "falling"])
def test_a_house_of_any_name_is_none_of_the_rows_or_boxes(name):
    layout = Layout(2, 2, extra=[House(name, (0, 5, 10, 15))])
    steps = solve_steps("1... .3.. .... ...2", box=layout)
    texts = [step.text for step in steps]
    assert steps.outcome == SEVERAL and any(name in text for text in texts)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (41, "One of r7c6 and r8c6 is 5. So r1c6, r7c4 and r9c4 are not 5."),
        (3, "1 of row 7 is in r7c1 or r7c4. So r7c1 and r7c4 are not 9."),
    ],
)
def test_the_reason_of_a_unique_rectangle(name, reason):
    texts = [step.text for step in solve_steps(MINIMAL[name], uniqueness=True)]
    assert any(text.endswith(f"only one). {reason}") for text in texts)


def test_a_naked_pair_in_a_house_of_five_cells():
    layout = Layout(3, 3, extra=[House("cage", (0, 12, 24, 44, 70))])
    masks = [0b11 if cell in (0, 12) else 0x1FF for cell in range(81)]
    step = next(solve_steps(Grid(layout, [0] * 81, candidates=masks)))
    assert step.technique == "naked pair" and step.houses == ("cage",)
    assert step.text.endswith(" So r3c7, r5c9 and r8c8 are not 1 or 2.")
    alone = [technique for technique in TECHNIQUES if technique.name in ("naked pair", "guess")]
    assert next(solve_steps(step.grid, techniques=alone), None) is None


def test_deleted_candidates_are_listed_by_cells_or_by_digits():
    no_more = StepWriter(Grid(Layout(2, 2), [0] * 16))._no_more
    by_digits = "r1c1 and r1c2 are not 1, and r1c2 and r2c2 are not 2"
    assert no_more([(0, 1), (1, 1), (1, 2), (5, 2)]) == by_digits
    assert no_more([(0, 1), (0, 3), (1, 1), (1, 4)]) == "r1c1 is not 1 or 3, and r1c2 is not 1 or 4"


@pytest.mark.parametrize("most", [1.0, 2.3, 2.8, 4.2, 6.0, 8.0, 11.0])
def test_scores_up_to_a_weight_need_no_harder_techniques(most):
    """A guess stands for harder techniques, and ends the rating: the score is above this weight."""
    layout = Layout(3, 3)
    every, few = GridDeducer(layout), GridDeducer(layout, techniques=up_to(most))
    for line in list(EXAMPLES.values())[::2]:
        expected = rate_grid(as_grid(line), every)
        rated = rate_up_to(most, as_grid(line), few)
        assert rated == expected if rated is not None else expected.score > most
