"""Layouts of all kinds, from the command line to the kernels."""

import io
import json

import numpy as np
import pytest

import sudoku
from sudoku import dlx as command
from sudoku.explain import __main__ as explain
from sudoku.generate import __main__ as generate
from sudoku.generate import generate as puzzles
from sudoku.grids import __main__ as grids
from sudoku.layout import House, Layout
from tests import naive

JIGSAW = "aabbbb aabbcc aaddcc eeddcc eeddff eeffff"
SMALL = [
    ("--box", "1x5"),
    ("--regions", JIGSAW),
    ("--box", "2x3", "--layout", "windoku"),
    ("--box", "2x3", "--layout", "disjoint"),
    ("--box", "2x3", "--layout", "maindiagonal"),
    ("--box", "1x5", "--layout", "antiking"),
]
LARGE = [("--layout", name) for name in ("asterisk", "centredot", "latin", "windoku+antiknight")]


def run(module, capfdbinary, *arguments):
    status = module.main([*map(str, arguments), "--quiet"])
    output = capfdbinary.readouterr()
    return status, output.out.decode(), output.err.decode()


def layout_of(arguments):
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    box = "+".join(options[name] for name in ("--box", "--layout") if name in options)
    regions = options.get("--regions")
    return Layout.of(None if box[:1].isdigit() or regions else 9, box or None, regions=regions)


@pytest.mark.parametrize("arguments", [*SMALL, *LARGE], ids=" ".join)
def test_a_puzzle_is_generated_solved_explained_and_drawn(arguments, tmp_path, capfdbinary):
    path = tmp_path / "puzzle.txt"
    assert generate.main(["1", "--seed", "5", *arguments, "-o", str(path), "--quiet"]) == 0
    layout = layout_of(arguments)
    puzzle = sudoku.as_grid(path.read_text(), box=layout)
    status, out, _ = run(command, capfdbinary, path, *arguments)
    assert status == 0
    solution = sudoku.as_grid(out, box=layout)
    for _, cells in layout.all_houses:
        assert len(set(solution.values.reshape(-1)[list(cells)].tolist())) == len(cells)
    given = puzzle.values > 0
    assert (solution.values == puzzle.values)[given].all()
    assert sudoku.count_solutions(puzzle, engine="dlx") == 1
    status, out, _ = run(explain, capfdbinary, path, *arguments, "--format", "json")
    *steps, end = map(json.loads, out.splitlines())
    placed = {cell: int(digit) for step in steps for cell, digit in step["placed"]}
    names = [layout.cell_name(cell) for cell in range(layout.cells)]
    found = {name: int(solution.values.flat[cell]) for cell, name in enumerate(names)}
    assert status == 0 and end["outcome"] == "unique" and placed.items() <= found.items()
    others = [house for house in layout.extra if "region" not in house.name]
    shaded = {cell for house in others if len(house.cells) > 2 for cell in house.cells}
    assert sudoku.svg(puzzle).count('class="cell shade"') == len(shaded)


@pytest.mark.parametrize("arguments", SMALL, ids=" ".join)
def test_empty_grids_are_counted_alike(arguments, capfdbinary):
    layout = layout_of(arguments)
    total = sudoku.count_solutions(sudoku.as_grid([0] * layout.cells, box=layout))
    assert sudoku.count_solutions(sudoku.as_grid([0] * layout.cells, box=layout), engine="dlx") == (
        total
    )
    assert run(grids, capfdbinary, "--count", *arguments)[1] == f"{total}\n"


def test_counts_of_small_layouts():
    def count(box):
        layout = Layout.of(4, box)
        houses = [list(house.cells) for house in layout.all_houses]
        expected = len(list(naive.sudoku_solutions(houses, [0] * 16)))
        assert sudoku.count_solutions("." * 16, box=box) == expected
        return expected

    assert [count(box) for box in ("2x2", "latin", "diagonal", "antiking")] == [288, 576, 48, 0]


def test_box_and_layout_may_name_the_same_box(tmp_path, capfdbinary):
    path = tmp_path / "puzzle.txt"
    path.write_text("." * 16 + "\n")
    arguments = ("--count", "--box", "2x2", "--layout", "diagonal+2X2")
    assert run(command, capfdbinary, path, *arguments)[:2] == (0, "48\n")


def test_diagonals_can_be_switched_off():
    with_diagonals = sudoku.as_grid("." * 16, diagonal=True)
    assert sudoku.count_solutions(with_diagonals) == 48
    assert sudoku.count_solutions(with_diagonals, diagonal=False) == 288


def test_a_layout_without_grids_is_reported(capfdbinary):
    arguments = ("--box", "2x2", "--layout", "antiking")
    assert run(grids, capfdbinary, "--count", *arguments)[1] == "0\n"
    status, _, err = run(generate, capfdbinary, 1, *arguments)
    assert (status, err) == (2, "there are no 4x4 antiking grids\n")


def test_regions_are_read_from_a_file(tmp_path, capfdbinary):
    path = tmp_path / "regions.txt"
    path.write_text(JIGSAW.replace(" ", "\n"))
    first = run(generate, capfdbinary, 2, "--seed", 1, "--regions", path)
    assert first == run(generate, capfdbinary, 2, "--seed", 1, "--regions", JIGSAW)
    assert first[0] == 0
    for encoding in ("utf-8-sig", "utf-16"):
        path.write_text(JIGSAW, encoding=encoding)
        assert run(generate, capfdbinary, 2, "--seed", 1, "--regions", path) == first
    path.write_text("# a jigsaw\n" + JIGSAW.replace(" ", "  # a row\n"))
    assert run(generate, capfdbinary, 2, "--seed", 1, "--regions", path) == first
    path.write_text("# a jigsaw\naaab  # b\nabbb\nccdd\nccdc\n")
    status, _, err = run(generate, capfdbinary, 1, "--regions", path)
    assert status == 2 and err.startswith(f"{path}:5:4: region 'c' has 5 cells")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--layout", "windku"), "box or layout 'windku': neither written RxC, as 2x3, nor"),
        (("--layout", "asterisk"), "asterisk: it is defined for 9x9 grids, not 4x4"),
        (("--regions", "a"), "1 name of regions: a jigsaw needs N*N of them, with N from 2 to 64"),
        (("--regions", "abc"), "3 names of regions: a jigsaw needs N*N of them"),
        (
            ("--regions", "no-file"),
            "7 names of regions: a jigsaw needs N*N of them, with N from 2 to 64; there is no file "
            "of this name either\n",
        ),
        (("--regions", "no/such/file"), "no/such/file: no such file"),
        (("--regions", "no.reg"), "no.reg: no such file; as a text: 6 names of regions: a jigsaw"),
        (("--regions", "aaab abbb ccdd ccdc"), "region 'c' has 5 cells: in a 4x4 grid each has 4"),
        (("--regions", JIGSAW, "--box", "2x3"), "box 2x3 and regions: a layout has one of them"),
        (
            ("--regions", "no-file", "--box", "2x3"),  # nothing is said about the text
            "box 2x3 and regions: a layout has one of them; leave one out\n",
        ),
        (("--regions", "no-file", "--layout", "windku"), "antiknight, antiking\n"),
        (
            ("--layout", "2x3+diagonal", "--box", "3x2"),
            "'3x2' and '2x3': a layout has one box",
        ),
        (
            ("--layout", "latin", "--box", "3x3"),
            "Latin squares have no boxes; of this size they are 1x9",
        ),
        (("--regions", "aaab abbb ccdd ccdd", "--layout", "windoku"), "no windows without boxes"),
    ],
)
def test_bad_layouts_are_refused_in_one_line(arguments, message, tmp_path, capfdbinary):
    path = tmp_path / "puzzle.txt"
    path.write_text("1" + "." * 15 + "\n")
    status, out, err = run(command, capfdbinary, path, *arguments)
    assert status == 2 and not out
    assert message in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("main", "option", "text", "message"),
    [
        (generate, "--regions", "aaab abbb\nccdd ccdc", "<stdin>:2:9: region 'c' has 5 cells"),
        (generate, "--pattern", "1..", "<stdin>: a pattern of 3 cells"),
        (explain, "--weights", "1.2 hidden single\nX-wing\n", "<stdin>:2: 'X-wing' is not"),
    ],
)
def test_short_files_from_standard_input(main, option, text, message, capfdbinary, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    arguments = (1,) if main is generate else ("--techniques",)
    status, _, err = run(main, capfdbinary, *arguments, option, "-")
    assert status == 2 and err.startswith(message)


@pytest.mark.parametrize(
    ("regions", "message"),
    [
        (
            "aaab\nabbb\n\nccdd\ncxdd\n",
            "5:2: region 'x' has 1 cell: in a 4x4 grid each has 4; its first is r4c2; "
            "there are 5 regions, not 4",
        ),
        (
            "aaab\n abb\nccdd\nccdd\n",
            "2:2: 15 names of regions: a jigsaw needs N*N of them, with N from 2 to 64; "
            "row 2 has 3, others have 4",
        ),
        ("aaab\n" * 3, " 12 names of regions: a jigsaw needs N*N of them, with N from 2 to 64"),
        ("", " 0 names of regions: a jigsaw needs N*N of them, with N from 2 to 64"),
        ("aaba\r\nbbba\r\nccdd\r\nccdd\r\n", "1:4: region 'a' is not connected: "),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_faults_of_a_file_of_regions_are_reported_with_their_place(
    regions, message, encoding, tmp_path, capfdbinary
):
    path, names = tmp_path / "puzzle.txt", tmp_path / "regions.txt"
    path.write_text("." * 16 + "\n")
    names.write_bytes(regions.encode(encoding))
    _, _, err = run(command, capfdbinary, path, "--regions", names, "--check", "--quiet")
    assert err.removeprefix("warning: ").startswith(f"{names}:{message}") and err.count("\n") == 1


def test_a_puzzle_of_another_size_than_the_regions_is_reported(tmp_path, capfdbinary):
    path = tmp_path / "puzzle.txt"
    path.write_text("." * 81 + "\n")
    status, _, err = run(command, capfdbinary, path, "--regions", "aaab abbb ccdd ccdd")
    reason = "81 cells; a puzzle of 4x4, the size that box, regions or symbols set, has 16"
    assert (status, err) == (2, f"{path}:1: {reason}\n")


def test_a_region_in_two_pieces_is_reported_but_not_refused(tmp_path, capfdbinary):
    path = tmp_path / "puzzle.txt"
    path.write_text("." * 16 + "\n")
    regions = "aaba bbba ccdd ccdd"
    status, out, err = run(command, capfdbinary, path, "--regions", regions, "--count")
    warning = "warning: region 'a' is not connected: r1c1 and r1c4 are apart\n"
    assert (out, err) == ("0\n", warning) and status == 1


def test_a_clash_in_an_incomplete_house_is_reported():
    knight = sudoku.as_grid("..1..." + "....1." + "." * 24, box="2x3+antiknight")
    assert sudoku.why(knight) == "1 twice in knight's move r1c3 r2c5 (r1c3, r2c5)"


def test_grids_of_a_layout_without_grids_have_no_numbers():
    with pytest.raises(sudoku.LayoutError, match="there are no 4x4 antiking grids"):
        sudoku.indices_of([[1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1]], box="2x2+antiking")
    with pytest.raises(sudoku.LayoutError, match="there are no 4x4 antiking grids"):
        sudoku.grid_at(0, box="2x2+antiking")


@pytest.mark.parametrize("layout", ["3x3+antiking", "3x3+antiknight"])
@pytest.mark.parametrize("options", [{}, {"minimal": False, "givens": 30}])
def test_a_wrong_digit_clashes_with_no_given(layout, options):
    made = puzzles(20, seed=1, box=layout, solutions="none", **options)
    reasons = {sudoku.why(puzzle, box=layout) for puzzle in made}
    assert not any("twice" in reason for reason in reasons)


def test_boxes_of_one_column_mean_no_boxes():
    assert Layout(4, 1) == Layout(1, 4) == Layout.of(4, "latin")
    assert f"{sudoku.as_grid([0] * 16, box='4x1'):pretty}".split("\n") == [". . . ."] * 4


def test_the_diagonals_of_a_layout_may_have_other_names():
    assert Layout(1, 1, diagonal=True).diagonal
    falling = [House("falling", (0, 5, 10, 15)), House("rising", (3, 6, 9, 12))]
    assert Layout(2, 2, extra=falling).diagonal


def test_batches_take_layouts():
    empty = np.zeros((2, 36), np.uint8)
    layout = Layout.of(regions=JIGSAW)
    assert sudoku.count_batch(empty, limit=5, box=layout).tolist() == [5, 5]
    assert sudoku.solve_batch(empty, box=layout).min() == 1
