"""Models: known counts, naive oracles, texts and pictures of solutions."""

import pickle
from itertools import permutations, product
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import problems
from dlx import (
    Coloured,
    Problem,
    ProblemError,
    cheapest,
    count_solutions,
    models,
    solutions,
    solve,
)
from dlx.models.shapes import at_origin, moves

TETRASKEWS = {"I": 1, "O": 1, "S": 2, "T": 2, "L": 4}  # without their skew
L_TETROMINO = {"L": models.cells_of("XXX X..")}


@pytest.mark.parametrize(
    ("model", "count"),
    [
        # Knuth, TAOCP 4B, 7.2.2.1; OEIS A099390 (dominoes), A145269 (T-tetrominoes), A000110;
        # 6 x 10 pentominoes: exercise 271
        (lambda: models.polyominoes(models.box(3, 20)), 8),
        (lambda: models.polyominoes(models.box(6, 10), distinct=True), 2_339),
        (lambda: models.polyominoes(models.box(3, 3, 3), models.SOMA, reflect=False), 11_520),
        (
            lambda: models.polyominoes(
                models.box(3, 3, 3), models.SOMA, reflect=False, distinct=True
            ),
            480,
        ),
        (lambda: models.polyominoes(models.box(4, 4), L_TETROMINO, copies="any"), 10),
        (lambda: models.polyominoes(models.box(4, 4), L_TETROMINO, copies={"L": 4}), 10),
        (lambda: models.polyominoes(models.box(4, 4), L_TETROMINO, copies={"L": (0, 3)}), 0),
        (lambda: models.polyominoes(models.box(1, 3), "domino", slack=True), 2),
        # boards of dominoes and empty squares, A028420
        (lambda: models.polyominoes(models.box(2, 2), "domino", copies="any", slack=True), 7),
        (lambda: models.polyominoes(models.box(4, 4), "domino", copies="any", slack=True), 10_012),
        (lambda: models.polyominoes(models.box(1, 3), {"a": [(0, 0)]}, distinct=False), 0),
        (lambda: models.polyominoes(models.box(2, 2), "domino", copies="any", rotate=False), 1),
        # arrangements that become the 486 ways of exercise 323 to pack the ten tetraskews
        (lambda: models.polyominoes(models.box(4, 10), "tetrominoes", copies=TETRASKEWS), 5_164),
        (lambda: models.dominoes(4, 4), 36),
        (lambda: models.queens(8), 92),
        (lambda: models.langford(8), 300),
        (lambda: models.latin(4), 576),
        (lambda: models.matchings(8), 105),
        # labelled 2-regular graphs, A001205; cubic ones, A002829
        (lambda: models.matchings(6, 2), 70),
        (lambda: models.matchings(6, 3), 70),
        # triples with each pair once (A001201), and twice: the designs 2-(6,3,2) and 2-(7,3,2)
        # without equal blocks have groups of orders 60 and 42
        (lambda: models.block_designs(9), 840),
        (lambda: models.block_designs(6, fold=2), 720 // 60),
        (lambda: models.block_designs(7, fold=2), 5040 // 42),
        (lambda: models.block_designs(7, 4, fold=2), 30),  # complements of the planes of order 2
        # five queens: 4860 ways on a chessboard in TAOCP's text; three on a board of 5 x 5
        (lambda: models.domination(5, 3), 186),
        (lambda: models.partridge(4), 0),
        # solid pentominoes (C. J. Bouwkamp, 1969): 12 in a box of 2 x 3 x 10, and their symmetries
        (lambda: models.polyominoes(models.box(2, 3, 10)), 12 * 8),
        (lambda: models.set_partitions(6), 203),
        # mates of the two groups of order 4: none, and 2 by 4! names
        (lambda: models.orthogonal_mates([[r + c & 3 for c in range(4)] for r in range(4)]), 0),
        (lambda: models.orthogonal_mates([[r ^ c for c in range(4)] for r in range(4)]), 48),
        (lambda: models.macmahon(1, 1, 1), 1),
    ],
)
def test_known_counts(model, count):
    assert count_solutions(model().problem) == count


def test_a_cycle_that_is_unique_but_for_its_symmetries():
    # TAOCP 4B, exercise 7.2.2.1-94: rotations, reflections and complements of one cycle
    assert count_solutions(problems.de_bruijn(4, (0, 1, 3, 4))) == 16 * 2 * 2


def test_magic_squares_have_lines_of_equal_sums():
    # each line is an option; a number is in a row and a column, perhaps in diagonals (A006052)
    cells = list(product(range(3), repeat=2))
    lines = {("row", k): [(k, i) for i in range(3)] for k in range(3)}
    lines |= {("column", k): [(i, k) for i in range(3)] for k in range(3)}
    lines |= {("diagonal", 0): [(i, i) for i in range(3)]}
    lines |= {("diagonal", 1): [(i, 2 - i) for i in range(3)]}
    options = [
        [line, *numbers, *map(Coloured, places, numbers)]
        for line, places in lines.items()
        for numbers in permutations(range(1, 10), 3)
        if sum(numbers) == 15
    ]
    times = dict.fromkeys(range(1, 10), (2, 4))
    problem = Problem(options, primary=[*lines, *times], secondary=cells, multiplicities=times)
    assert count_solutions(problem) == 8


def test_pieces_that_keep_their_side_or_direction():
    board, piece = models.box(2, 3), {"L": models.cells_of("XX X.")}
    both = {turn for move in moves(2) for turn in [at_origin(map(move, piece["L"]))]}
    assert len(both) == 4
    free = models.polyominoes(board, piece, copies="any")
    assert count_solutions(free.problem) == 2
    fixed = models.polyominoes(board, piece, copies="any", rotate=False, reflect=False)
    assert fixed.problem.num_options == 2 and count_solutions(fixed.problem) == 0
    flipped = models.polyominoes(board, piece, copies="any", rotate=False)
    assert flipped.problem.num_options == 4


def test_distinct_solutions_are_one_of_each_class():
    board = models.box(3, 7)
    pieces = {name: models.PIECES["tetrominoes"][name] for name in "ILOST"}
    whole = models.polyominoes(board, pieces, slack=True)
    part = models.polyominoes(board, pieces, slack=True, distinct=True)
    assert count_solutions(whole.problem) == 4 * count_solutions(part.problem) > 0


def test_a_text_is_no_list_of_words():
    with pytest.raises(ProblemError, match="words is 'to on'; it must be a list of texts"):
        models.word_rectangle(2, 2, "to on")


def test_pictures_of_names_with_control_characters_are_xml():
    model = models.schedule({"a\0<": 1}, {"b": ["a\0<"]}, 1)
    assert "".join(ElementTree.fromstring(model.svg([0])).itertext()).strip() == "a\ufffd<"


def test_words_in_a_set_have_the_same_order_in_every_process():
    words = ["to", "on", "no", "ton", "oan", "non", "too", "ono"]
    for rows in (1, 2):
        ordered = models.word_rectangle(rows, 3, sorted(words))
        assert models.word_rectangle(rows, 3, set(words)).problem == ordered.problem
    as_keys = models.word_rectangle(2, 3, dict.fromkeys(words).keys())  # these have an order
    assert as_keys.problem == models.word_rectangle(2, 3, words).problem


def test_the_repr_of_a_model_is_that_of_its_problem():
    model = models.macmahon(1, 1, 1)
    assert repr(model) == f"<Model of {model.problem!r}>"


def test_word_rectangles_are_those_that_all_choices_contain():
    words = ["to", "on", "no", "ton", "oan", "non", "too", "ono"]
    for repeats in (False, True):
        expected = set()
        for rows in product([w for w in words if len(w) == 3], repeat=2):
            columns = ["".join(letters) for letters in zip(*rows, strict=True)]
            used = [*rows, *columns]
            if set(columns) <= set(words) and (repeats or len(set(used)) == len(used)):
                expected.add("\n".join(map(" ".join, rows)) + "\n")
        model = models.word_rectangle(2, 3, words, repeats=repeats)
        assert {model.text(found) for found in solutions(model.problem)} == expected
        assert expected


def test_schedules_are_those_that_all_assignments_contain():
    tasks = {"a": 2, "b": 1, "c": 1}
    people = {"x": ["a", "b"], "y": ["b", "c", "a"]}
    expected = 0
    for who in product("xy", repeat=3):
        for begin in product(range(3), repeat=3):
            taken = [
                (person, slot)
                for (_, length), person, first in zip(tasks.items(), who, begin, strict=True)
                for slot in range(first, first + length)
            ]
            able = all(task in people[person] for task, person in zip(tasks, who, strict=True))
            inside = all(slot < 3 for _, slot in taken)
            expected += able and inside and len(set(taken)) == len(taken)
    assert count_solutions(models.schedule(tasks, people, 3).problem) == expected > 0


def test_rosters_are_the_same_everywhere_and_cheap_ones_are_found():
    model = models.crew_rosters(30, 500, seed=4)
    assert model.problem.digest.hex()[:16] == "c7c54c0567d40aaa"
    assert sum(model.problem.costs) == 204819
    assert [cost for cost, _ in cheapest(model.problem, 3)] == [18078, 18081, 18140]


EVERY = [
    models.polyominoes(models.box(3, 20)),
    models.soma(),
    models.dominoes(2, 3),
    models.queens(5),
    models.langford(4),
    models.latin(3),
    models.orthogonal_mates([[0, 1, 2], [1, 2, 0], [2, 0, 1]]),
    models.word_rectangle(2, 2, ["to", "on", "no"], repeats=True),
    models.macmahon(4, 6),
    models.matchings(4),
    models.set_partitions(3),
    models.block_designs(7),
    models.domination(4, 2),
    models.schedule({"cut & sew": 1}, {"<Ann>": ["cut & sew"]}, 2),
    models.crew_rosters(5, 10),
]


@pytest.mark.parametrize("model", EVERY)
def test_each_solution_has_a_text_and_a_picture(model):
    solution = solve(model.problem)
    if solution is None:
        pytest.fail("no solution")
    text = model.text(solution)
    assert text.endswith("\n") and len(text) > 2
    root = ElementTree.fromstring(model.svg(solution))
    shapes = [part.tag.partition("}")[2] for part in root.iter()]
    assert root.tag.endswith("svg") and shapes.count("rect") + shapes.count("polygon") > 1


def test_the_picture_of_a_tiling_parts_the_pieces_by_thick_lines():
    model = models.dominoes(1, 4)
    root = ElementTree.fromstring(model.svg(solve(model.problem)))
    widths = [part.get("stroke-width") for part in root.iter() if part.tag.endswith("line")]
    assert sorted(widths) == ["0.5"] * 4 + ["3"] * 12
    fills = {part.get("fill") for part in root.iter() if part.tag.endswith("rect")}
    assert len(fills) == 2


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (models.queens, (70,)),
        (models.langford, (100,)),
        (models.domination, (12, 7)),
        (models.block_designs, (24, 4, 3)),
        (models.crew_rosters, (40, 100, 7)),
        (models.macmahon, (2, 3, 5)),
    ],
)
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_numbers_of_numpy_are_whole_numbers(make, arguments, kind):
    problem = make(*map(kind, arguments)).problem
    assert problem == make(*arguments).problem
    assert repr(problem.items) == repr(make(*arguments).problem.items)


def test_a_set_of_more_things_than_there_are():
    assert models.block_designs(4, 10**30).problem.num_options == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: models.polyominoes([]), "the region and each piece need at least one cell"),
        (lambda: models.polyominoes(models.box(2, 2), "hexominoes"), "there are no pieces"),
        (
            lambda: models.polyominoes([(0.5, 0), (1.5, 0)], "domino"),
            r"region is \[\(0.5, 0\), .* it must be cells, each of whole numbers",
        ),
        (lambda: models.polyominoes(models.box(1, 2), {"a": [(0, True)]}), "piece 'a' is .* whole"),
        (lambda: models.polyominoes(models.box(2, 2), "soma"), "equally many coordinates"),
        (
            lambda: models.polyominoes(models.box(2, 2), "domino", distinct=True),
            "distinct needs a piece without symmetry",
        ),
        (lambda: models.cells_of("XY"), "'XY' is no shape"),
        (
            lambda: models.polyominoes("XX/XX", "domino"),
            "region is 'XX/XX', a text; cells_of makes cells of a picture",
        ),
        (
            lambda: models.polyominoes(models.box(1, 2), {"d": "XX"}),
            "piece 'd' is 'XX', a text; cells_of makes cells of a picture",
        ),
        (lambda: models.queens(0), "n is 0; it must be a whole number from 1 on"),
        (lambda: models.dominoes(2, -1), "columns is -1"),
        (lambda: models.orthogonal_mates([[0, 1], [0, 1]]), "this is no Latin square"),
        (lambda: models.orthogonal_mates([[0, "a"], [1, 0]]), "this is no Latin square"),
        (lambda: models.schedule({"a": 0}, {}, 1), "the length of task 'a' is 0"),
        (lambda: models.schedule({"a": 1}, {"x": ["b"]}, 1), "'x' can do 'b', which is no task"),
        (
            lambda: models.schedule({"a": 1}, {"x": ["b", 1]}, 1),
            "'x' can do 'b', which is no task",
        ),
        (lambda: models.schedule({"a": 1}, {"x": [["a"]]}, 1), "each person needs names of tasks"),
        (
            lambda: models.polyominoes(models.box(2, 2), "domino", copies=[2], distinct=True),
            r"there is no number of copies \[2\]; there are one, any",
        ),
        (
            lambda: models.polyominoes(models.box(2, 2), "domino", copies={(0, 0): 2}),
            r"copies: there is no piece \(0, 0\); there are ",
        ),
        (lambda: models.domination(4, 2, "pawn"), "there is no chessman 'pawn'; there are queen"),
        (lambda: models.domination(2, 5), "men is 5; it must be at most 4, the squares of"),
        (lambda: models.matchings(3, 4), "partners is 4; it must be at most 2, the other people"),
        (lambda: models.block_designs(3, 3, 2), "fold is 2; it must be at most 1, the number of"),
        (
            lambda: models.polyominoes(models.box(2, 2), rotate="no"),
            "rotate is 'no'; True or False",
        ),
        (
            lambda: models.polyominoes(models.box(2, 2), reflect=0.5),
            "reflect is 0.5; True or False",
        ),
        (lambda: models.polyominoes(models.box(2, 2), slack=[1, 2]), "slack is .1, 2.; True or"),
        (lambda: models.polyominoes(models.box(2, 2), distinct="x"), "distinct is 'x'; True or"),
        (lambda: models.word_rectangle(1, 1, ["a"], repeats="x"), "repeats is 'x'; True or False"),
        (lambda: models.box(2, 2, holes=[(1, 1), (2, 0)]), "cell .2, 0. is not in the box"),
        (lambda: models.box(2, 2, holes=5), "holes is 5; it must be cells"),
        (lambda: models.box(2, 2, holes=[[0, 0.5]]), "holes is .* each of whole numbers"),
        (lambda: models.block_designs(4, 1), "size is 1"),
        (lambda: models.partridge(0), "n is 0"),
        (lambda: models.macmahon(5, 5), "25 squares: with 3 colours there are 24 patterns, each"),
        (lambda: models.queens(2).svg(None), "solution is None; it must be option numbers"),
        (lambda: models.queens(2).show(None), "solution is None"),
        (lambda: models.queens(4).text([16]), "solution option 16 is not one of 0 to 15"),
        (lambda: models.queens(4).options(b"a"), "solution is b'a'; it must be option numbers"),
        (lambda: models.queens(4).svg([True]), "solution is .True.; it must be option numbers"),
        (lambda: models.Model(None, dict), "options is None; it must be an iterable"),
        (lambda: models.Model([["a"]], {}), "squares is {}; it must be a function of the options"),
        (lambda: models.Model([["a"]], dict, None), "impossible is None; it must be a text"),
        (lambda: models.orthogonal_mates([[0, 1], [1, np.zeros(2)]]), "this is no Latin square"),
        # integers with more digits than `str` takes
        (lambda: models.queens(10**5000), "n is 10*[.]{3}: the model would have more than"),
        (lambda: models.matchings(4, 10**5000), "partners is 10*[.]{3}; it must be at most 3"),
        (lambda: models.block_designs(4, fold=10**5000), "fold is 10*[.]{3}; it must be at most 4"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(make, message):
    with pytest.raises(ProblemError, match=message) as error:
        make()
    assert "\n" not in str(error.value)


def test_a_line_of_cells_and_a_piece_without_a_name_are_shown():
    line = models.polyominoes(models.box(4), {"I": [(0,), (1,)]}, copies="any")
    assert line.text(solve(line.problem)) == "a a b b\n"
    square = models.polyominoes(models.box(2, 2), {"": [(0, 0), (0, 1)], "b": [(0, 0), (0, 1)]})
    assert square.text(solve(square.problem)) == "\nb b\n"


def test_layers_with_columns_below_zero_are_shown_side_by_side():
    region = [(layer, 0, column) for layer in (0, 1) for column in (-2, -1)]
    domino = [(0, 0, 0), (0, 0, 1)]
    model = models.polyominoes(region, {"a": domino, "b": domino}, rotate=False, reflect=False)
    assert model.text(solve(model.problem)) == "a a   b b\n"


def test_a_box_without_cells_may_have_a_side_of_any_length():
    assert models.box(0, 10**30) == []


def test_moves_are_a_group():
    corner = (1, 2, 3)
    for dimensions, rotate, reflect in product((2, 3), (False, True), (False, True)):
        own = moves(dimensions, rotate=rotate, reflect=reflect)
        images = {move(corner[:dimensions]) for move in own}
        assert len(images) == len(own)
        assert {a(b(corner[:dimensions])) for a, b in permutations(own, 2)} <= images


@pytest.mark.parametrize(
    "model",
    [
        models.polyominoes(models.box(1, 4), {"I": models.cells_of("XX")}, copies="any"),
        models.queens(4),
        models.domination(3, 1),
        models.langford(3),
        models.latin(2),
        models.word_rectangle(2, 3, ["ton", "are", "ta", "or", "ne"]),
        models.macmahon(1, 1, 1),
        models.matchings(4),
        models.block_designs(3),
        models.schedule({"cut": 1}, {"Ann": ["cut"], "Bob": []}, 2),
    ],
    ids=str,
)
def test_a_model_can_be_pickled(model):
    solution = solve(model.problem)
    again = pickle.loads(pickle.dumps(model))
    assert again.problem == model.problem
    assert again.text(solution) == model.text(solution)
    assert again.svg(solution) == model.svg(solution)
