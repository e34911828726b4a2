"""Draw every picture of the documents: ``python -m docs.pictures`` writes docs/pictures.

Each picture is computed: the solutions, steps and states in it are those that the package finds.
"""

import re
from collections.abc import Callable, Hashable
from itertools import pairwise
from pathlib import Path

import dlx
import sudoku
from benchmarks import report
from benchmarks.problems import dominoes, holed_chessboard, pentominoes, rectangle
from benchmarks.svg import Cell, bits, box, drawing, line, text, tiling
from dlx import models
from sudoku.explain.report import conclusion
from sudoku.writing.page import page

HERE = Path(__file__).resolve().parent / "pictures"
PUZZLE = "3..2.9.4.9.6...2.1.7...43.....84.9.....7.....6......38..2.3......3.8.1.28..9.1..."
CHAIN = "5..3..4....39..72.....42..98..7....4.94......1...28.......6.2.7.5...3..8.1.....6."
REGIONS = """
aaaaabbbb aaccccbbb aadcdcbbe
ffdddccce ffffdeeee fgfhddiee
fgghhdiie gggghhiii gghhhhiii
"""
OPTIONS = ("c e", "a d g", "b c f", "a d f", "b g", "d e g")
"""Knuth's example of an exact cover problem."""

PICTURES: dict[str, Callable[[], str]] = {}
"""The function that draws each file."""


def picture(name: str) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Register the function that draws a file."""

    def register(draw: Callable[[], str]) -> Callable[[], str]:
        PICTURES[name] = draw
        return draw

    return register


# puzzles


def panel(svg: str, x: float, y: float, side: float) -> str:
    """Return a picture of a grid as a part of a larger one."""
    place = f'x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}"'
    return re.sub(r'width="\d+" height="\d+"', place, svg, count=1).strip()


@picture("steps.svg")
def puzzle_step_solution() -> str:
    """A puzzle, the first step that is no single, and the solution."""
    steps = sudoku.solve_steps(PUZZLE)
    step = next(step for step in steps if len(step.cells) > 1 and step.technique.endswith("wing"))
    solution = sudoku.solve(PUZZLE)
    shown = [
        ("The puzzle", sudoku.svg(PUZZLE)),
        (f"One of its steps: {step.technique}", sudoku.svg(PUZZLE, step=step)),
        ("The solution", sudoku.svg(PUZZLE, solution=solution)),
    ]
    parts = []
    for number, (title, svg) in enumerate(shown):
        parts += [panel(svg, 10 + 310 * number, 10, 290), text((155 + 310 * number, 320), title)]
    return drawing(930, 342, "A sudoku puzzle, a step, and the solution", parts)


@picture("layouts.svg")
def layouts() -> str:
    """A minimal puzzle of each of five layouts."""
    shown = [
        ("Jigsaw: --regions", sudoku.Layout.of(regions=REGIONS)),
        *(
            (f"--layout {name}", sudoku.Layout.of(9, name))
            for name in ("diagonal", "windoku", "centredot", "asterisk")
        ),
    ]
    parts = []
    for number, (title, layout) in enumerate(shown):
        (puzzle,) = sudoku.generate.generate(1, seed=1, box=layout)
        x, y = 10 + 310 * (number % 3), 340 * (number // 3)
        parts += [
            panel(sudoku.svg(sudoku.as_grid(puzzle, box=layout)), x, y + 10, 290),
            text((x + 145, y + 320), title),
        ]
    return drawing(930, 682, "Puzzles of five layouts", parts)


@picture("puzzle.svg")
def solved_puzzle() -> str:
    """A solved puzzle."""
    return sudoku.svg(PUZZLE, solution=sudoku.solve(PUZZLE))


@picture("chain.svg")
def chain_step() -> str:
    """A step by a chain."""
    steps = sudoku.solve_steps(CHAIN)
    return sudoku.svg(CHAIN, step=next(step for step in steps if step.technique == "XY-chain"))


@picture("steps.html")
def stepping_page() -> str:
    """The page that goes through all steps of a puzzle."""
    steps = sudoku.solve_steps(PUZZLE)
    found = list(steps)
    grid = steps.puzzle
    shown = [(step.text, step.marks) for step in found]
    values = grid.values.reshape(-1).tolist()
    return page(values, grid.layout, grid.symbols, shown, conclusion(steps, found))


# exact cover problems


def placed(problem: dlx.Problem) -> dict[str, list[Cell]]:
    """Return the cells of each piece in the first solution of a packing problem."""
    options = [problem.option(number) for number in dlx.solve(problem) or ()]
    return {str(name): list(cells) for name, *cells in options}


@picture("tiling.svg")
def pentomino_tilings() -> str:
    """The twelve pentominoes in a rectangle, and around a hole."""
    boards = (
        (pentominoes(rectangle(6, 10)), 20, "6 x 10: one of 9,356"),
        (holed_chessboard(), 420, "8 x 8 with a hole: one of 520"),
    )
    parts = []
    for problem, x, title in boards:
        pieces = placed(problem)
        rows = 1 + max(row for cells in pieces.values() for row, _ in cells)
        columns = 1 + max(column for cells in pieces.values() for _, column in cells)
        parts.append(tiling((x, 20 + 36 * (8 - rows) / 2), pieces))
        parts.append(text((x + 18 * columns, 330), title))
    return drawing(728, 350, "Pentominoes", parts)


@picture("exact_cover.svg")
def matrix() -> str:
    """Knuth's example as a matrix; the options of the solution are highlighted."""
    problem = dlx.Problem([option.split() for option in OPTIONS])
    chosen = set(dlx.solve(problem) or ())
    names = sorted(set("".join(OPTIONS)) - {" "})
    parts = [text((150 + 40 * k, 24), name, "", 17) for k, name in enumerate(names)]
    for row, option in enumerate(OPTIONS):
        y = 44 + 34 * row
        parts.append(text((20, y + 15), f"option {row}", "left"))
        for k, name in enumerate(names):
            kind = "off" if name not in option else "hot" if row in chosen else "on"
            parts.append(box((134 + 40 * k, y), 32, 28, kind))
    parts.append(text((20, 262), "Options 0, 3 and 4 cover each item once.", "left soft"))
    return drawing(430, 284, "An exact cover problem as a matrix", parts)


@picture("roster.svg")
def roster() -> str:
    """The roster of docs/exact_cover.md."""
    days, shifts, people = ("Mon", "Tue", "Wed"), ("early", "late"), ("Ann", "Bo", "Cy")
    options: list[list[Hashable]] = []
    labels = []
    for day in days:
        for shift in shifts:
            for person in people:
                if (person, shift) != ("Bo", "late"):
                    options.append([f"{day} {shift}", f"{person} {day}"])
                    labels.append((day, shift, person))
    problem = dlx.Problem(
        options,
        primary=[f"{day} {shift}" for day in days for shift in shifts],
        secondary=[f"{person} {day}" for person in people for day in days],
    )
    parts = [text((130 + 90 * k, 24), day, "soft") for k, day in enumerate(days)]
    parts += [text((20, 62 + 44 * k), shift, "left soft") for k, shift in enumerate(shifts)]
    for number in dlx.solve(problem) or ():
        day, shift, person = labels[number]
        x, y = 90 + 90 * days.index(day), 42 + 44 * shifts.index(shift)
        parts.append(box((x, y), 80, 38, "hot"))
        parts.append(text((x + 40, y + 19), person))
    return drawing(370, 136, "A roster", parts)


# kernels


@picture("links.svg")
def links() -> str:
    """The lists of dancing links for Knuth's example."""
    names = sorted(set("".join(OPTIONS)) - {" "})
    x = {name: 60 + 70 * k for k, name in enumerate(names)}
    y = {row: 110 + 50 * row for row in range(len(OPTIONS))}
    parts = [text((20, 20), "item: number of options", "left soft", 13)]
    for name in names:
        rows = [row for row, option in enumerate(OPTIONS) if name in option]
        stops = [52, *(y[row] for row in rows)]
        for above, below in pairwise(stops):
            parts.append(line((x[name] - 5, above), (x[name] - 5, below)))
            parts.append(line((x[name] + 5, above), (x[name] + 5, below)))
        parts.append(box((x[name] - 26, 36), 52, 30, "hot"))
        parts.append(text((x[name], 51), f"{name}: {len(rows)}"))
        for row in rows:
            parts.append(box((x[name] - 16, y[row] - 14), 32, 28))
            parts.append(text((x[name], y[row]), name))
    parts += [text((530, y[row]), f"option {row}", "left soft", 13) for row in y]
    return drawing(600, 390, "Dancing links: one list for each item", parts)


@picture("bits.svg")
def masks_of_options() -> str:
    """How the kernel "bits" chooses an option: a row, and what is compatible with the option."""
    names = sorted(set("".join(OPTIONS)) - {" "})
    of = {name: [k for k, option in enumerate(OPTIONS) if name in option] for name in names}

    def compatible(option: int, other: int) -> bool:
        return option == other or not set(OPTIONS[option]) & set(OPTIONS[other]) - {" "}

    titles = ("the row at the root", "compatible[3]  (option a d f)", "their conjunction")
    parts = []
    for k, name in enumerate(names):
        parts.append(text((270 + 64 * k, 20), f"{name}: {' '.join(map(str, of[name]))}", "", 13))
    for number, title in enumerate(titles):
        parts.append(text((20, 50 + 44 * number), title, "left"))
        for k, name in enumerate(names):
            keep = "".join("01"[compatible(3, other)] for other in of[name])
            at = (248 + 64 * k, 43 + 44 * number)
            parts.append(bits(at, keep if number else "1" * len(of[name])))
    parts.append(text((20, 166), "Items a, d and f have the bit of option 3 alone;", "left soft"))
    parts.append(text((20, 188), "of b, c, e and g one option each is left: forced.", "left soft"))
    return drawing(720, 208, "Options as bits of lanes", parts)


@picture("bounds.svg")
def bounds() -> str:
    """Masks of an item that is covered twice, while its options are decided."""
    rows = (
        ("at the start: needs 2 of 4", "1111"),
        ("option 0 included: needs 1 of 3", " 111"),
        ("option 1 excluded: needs 1 of 2", "  11"),
        ("option 2 included: full, 3 is removed", "   0"),
    )
    parts = []
    for number, (title, mask) in enumerate(rows):
        parts.append(text((20, 30 + 36 * number), title, "left"))
        parts.append(bits((330, 19 + 36 * number), mask, 24))
    note = "Excluding option 2 would leave one option, which the item needs."
    parts.append(text((20, 186), note, "left soft", 13))
    return drawing(450, 220, "An item with a multiplicity", parts)


@picture("costs.svg")
def costs() -> str:
    """Prices of two items, reduced costs of three options, and the bound that follows."""
    prices = {"a": 3, "b": 3}
    options = (("a", 3), ("b", 4), ("ab", 6))
    parts = [text((150 + 90 * k, 24), f"{i}: price {p}") for k, (i, p) in enumerate(prices.items())]
    parts += [text((335, 24), "cost", "soft"), text((430, 24), "reduced cost", "soft")]
    for row, (items, cost) in enumerate(options):
        y = 44 + 34 * row
        reduced = cost - sum(prices[item] for item in items)
        parts.append(text((20, y + 14), f"option {row}", "left"))
        for k, item in enumerate(prices):
            parts.append(box((110 + 90 * k, y), 80, 28, "on" if item in items else "off"))
        parts += [text((335, y + 14), cost), text((430, y + 14), reduced)]
    note = f"No reduced cost is negative: no solution costs less than {sum(prices.values())}."
    parts.append(text((20, 166), note, "left soft", 13))
    return drawing(500, 186, "Prices and reduced costs", parts)


Edge = tuple[int, int, int, int, int]  # layer, state, next layer, next state, option


def states(problem: dlx.Problem) -> tuple[list[dict[frozenset[int], int]], list[Edge]]:
    """Return the states of a sweep by layers, each with the number of ways to it, and its edges.

    The layer of a state is its lowest uncovered item, on which it branches.
    """
    options = [
        frozenset(problem.item[problem.start[k] : problem.start[k + 1]].tolist())
        for k in range(problem.num_options)
    ]
    size = problem.num_items
    layers: list[dict[frozenset[int], int]] = [{} for _ in range(size + 1)]
    layers[0][frozenset(range(size))] = 1
    edges = []
    for layer, found in enumerate(layers):
        for place, (left, ways) in enumerate(found.items()):
            for number, option in enumerate(options):
                if layer in option and option <= left:
                    rest = left - option
                    later = min(rest, default=size)
                    layers[later][rest] = layers[later].get(rest, 0) + ways
                    edges.append((layer, place, later, list(layers[later]).index(rest), number))
    return layers, edges


def board(at: tuple[float, float], left: frozenset[int], rows: int, columns: int) -> str:
    """Return a small board on which the cells left are light."""
    return "".join(
        box((at[0] + 9 * c, at[1] + 9 * r), 8, 8, "off" if columns * r + c in left else "on")
        for r in range(rows)
        for c in range(columns)
    )


@picture("sweep.svg")
def sweep() -> str:
    """The states of a sweep over the dominoes of a board, with the number of ways to each."""
    rows, columns = 4, 2
    layers, edges = states(dominoes(rows, columns))
    shown = [layer for layer, found in enumerate(layers) if found]

    def middle(layer: int, place: int) -> tuple[float, float]:
        # one state a layer: neighbours are set off, so that no line passes through a third state
        return 50 + 96 * shown.index(layer), 56 + 90 * (shown.index(layer) % 2) + 96 * place

    parts = [line(middle(a, s), middle(b, t)) for a, s, b, t, _ in edges]
    for layer in shown:
        for place, (left, ways) in enumerate(layers[layer].items()):
            x, y = middle(layer, place)
            parts.append(box((x - 26, y - 34), 52, 68))
            parts.append(board((x - 9, y - 28), left, rows, columns))
            parts.append(text((x, y + 21), ways))
    note = "dark: covered squares; the number: how many ways lead to this state"
    parts.append(text((20, 216), note, "left soft", 13))
    return drawing(100 + 96 * (len(shown) - 1), 236, "A sweep over domino tilings", parts)


@picture("diagram.svg")
def diagram() -> str:
    """All tilings of a 4 x 2 board as a decision diagram, with the completions of each node."""
    layers, edges = states(dominoes(4, 2))
    shown = [layer for layer, found in enumerate(layers) if found]
    below: dict[tuple[int, int], int] = {(shown[-1], 0): 1}
    for a, s, b, t, _ in reversed(edges):
        below[a, s] = below.get((a, s), 0) + below.get((b, t), 0)

    def middle(layer: int, place: int) -> tuple[float, float]:
        return 40 + 96 * shown.index(layer), 36 + 84 * (shown.index(layer) % 2) + 90 * place

    parts = []
    for a, s, b, t, option in edges:
        if below[b, t]:
            (x, y), (u, v) = middle(a, s), middle(b, t)
            parts.append(line((x, y), (u, v)))
            parts.append(text(((x + u) / 2, (y + v) / 2 - 11), option, "soft", 13))
    for (layer, place), ways in below.items():
        if ways:
            x, y = middle(layer, place)
            parts.append(f'<circle class="hot" cx="{x:g}" cy="{y:g}" r="17"/>')
            parts.append(text((x, y), ways))
    note = "a node: the number of its completions; an edge: an option"
    parts.append(text((20, 166), note, "left soft", 13))
    return drawing(80 + 96 * (len(shown) - 1), 186, "A decision diagram", parts)


Tree = tuple[tuple[int, ...], list["Tree"]]  # the options chosen so far, and the children


def tree(problem: dlx.Problem, chosen: tuple[int, ...] = ()) -> Tree:
    """Return the search tree that branches on the item with the fewest options."""
    items = [set(problem.option(number)) for number in range(problem.num_options)]
    gone = set().union(*(items[number] for number in chosen))
    left = [number for number, own in enumerate(items) if not own & gone]
    names = sorted(set().union(*items) - gone)
    if not names:
        return chosen, []
    options = min(([o for o in left if name in items[o]] for name in names), key=len)
    return chosen, [tree(problem, (*chosen, number)) for number in options]


@picture("descent.svg")
def descent() -> str:
    """The search tree of four dominoes, one random descent, and the pieces at one level."""
    root = tree(dominoes(2, 4))
    parts, marks = [], []
    width = 92

    def leaves(node: Tree) -> int:
        return sum(map(leaves, node[1])) or 1

    def draw(node: Tree, left: float, depth: int, on_path: bool) -> tuple[float, float]:
        at = left + width * leaves(node) / 2, 34 + 62 * depth
        for number, child in enumerate(node[1]):
            taken = on_path and number == len(node[1]) - 1
            below = draw(child, left, depth + 1, taken)
            parts.append(line(at, below))
            left += width * leaves(child)
        name = str(node[0][-1]) if node[0] else "root"
        marks.append(box((at[0] - 19, at[1] - 13), 38, 26, "hot" if on_path else "box"))
        marks.append(text(at, name, "", 13))
        return at

    draw(root, 30, 0, True)
    degrees, node = [], root
    while node[1]:
        degrees.append(len(node[1]))
        node = node[1][-1]
    products = [1]
    for degree in degrees:
        products.append(products[-1] * degree)
    nodes = " + ".join(map(str, products[1:]))
    bottom = 34 + 62 * len(degrees) + 40
    parts.extend(marks)
    note = f"This descent meets {', '.join(map(str, degrees))} options: it estimates"
    parts.append(text((20, bottom), note, "left soft", 13))
    note = f"{nodes} = {sum(products[1:])} nodes and {products[-1]} solutions."
    parts.append(text((20, bottom + 22), note, "left soft", 13))
    return drawing(60 + width * leaves(root), bottom + 42, "A random descent", parts)


def widths(problem: dlx.Problem, order: list[Hashable]) -> list[int]:
    """Return how many states the layers of a sweep have, with the items in this order."""
    options = [problem.option(number) for number in range(problem.num_options)]
    layers, _ = states(dlx.Problem(options, primary=order))
    return [len(found) for found in layers]


@picture("orders.svg")
def orders() -> str:
    """States of each layer for two orders of the squares of a board."""
    rows, columns = 3, 6
    problem = dominoes(rows, columns)
    by_rows: list[Hashable] = [(r, c) for r in range(rows) for c in range(columns)]
    by_columns: list[Hashable] = [(r, c) for c in range(columns) for r in range(rows)]
    parts = []
    for number, (title, order) in enumerate((("by rows", by_rows), ("by columns", by_columns))):
        bottom = 90 + 70 * number
        found = widths(problem, order)
        for k, width in enumerate(found):
            parts.append(box((190 + 24 * k, bottom - 6 * width), 20, 6 * width, "hot"))
        parts.append(text((20, bottom - 30), title, "left"))
        note = f"{sum(found)} states, at most {max(found)}"
        parts.append(text((20, bottom - 8), note, "left soft", 13))
    note = "a bar: the states of a layer, one layer for each square of a 3 x 6 board"
    parts.append(text((20, 190), note, "left soft", 13))
    return drawing(650, 210, "The order of the items decides how many states there are", parts)


@picture("canonical.svg")
def canonical_form() -> str:
    """Two equivalent puzzles and the form that both have."""
    draw = [3, 0, 6, 1, 8, 4, 7, 2, 5]
    values = sudoku.as_grid(PUZZLE).values
    rows = [4, 3, 5, 0, 2, 1, 7, 8, 6]
    columns = [6, 8, 7, 1, 0, 2, 3, 5, 4]
    moved = [[values[r][c] for r in rows] for c in columns]
    other = "".join(str(draw[v - 1] + 1) if v else "." for row in moved for v in row)
    form = sudoku.canonical(PUZZLE).grid
    same = sudoku.canonical(other).grid
    assert str(form) == str(same)
    shown = (("A puzzle", PUZZLE), ("An equivalent one", other), ("The form of both", str(form)))
    parts = []
    for number, (title, puzzle) in enumerate(shown):
        parts.append(panel(sudoku.svg(puzzle), 10 + 310 * number, 10, 290))
        parts.append(text((155 + 310 * number, 320), title))
    return drawing(930, 342, "Equivalent puzzles have one form", parts)


@picture("classic.svg")
def classic() -> str:
    """The order of the cells of a digit in the 9 x 9 kernel, and the square of a band."""
    kinds = ("off", "hot", "on")
    parts = []
    for row in range(9):
        for column in range(9):
            corner = (20 + 28 * column + 5 * (column // 3), 40 + 28 * row + 5 * (row // 3))
            number = 9 * row + column // 3
            parts.append(box(corner, 26, 26, kinds[column % 3]))
            shade = "inverse" if column % 3 == 2 else ""
            parts.append(text((corner[0] + 13, corner[1] + 13), number, shade, 11))
    parts.append(text((150, 20), "words 0, 1, 2 of a digit, and the bits", "soft", 13))
    squares = (("may be", "110 011 110"), ("on a permutation", "110 001 110"))
    for k, (title, pattern) in enumerate(squares):
        x = 350 + 150 * k
        parts.append(text((x + 40, 60), title, "soft", 13))
        for row, word in enumerate(pattern.split()):
            parts.append(bits((x, 76 + 28 * row), word, 28))
    parts.append(text((340, 190), "rows of a band (down) by boxes (across):", "left soft", 13))
    parts.append(text((340, 210), "rows 0 and 2 fill boxes 0 and 1, so row 1", "left soft", 13))
    parts.append(text((340, 230), "has box 2: its bit for box 1 goes.", "left soft", 13))
    return drawing(640, 316, "How the 9 x 9 kernel stores a digit", parts)


@picture("masks.svg")
def masks() -> str:
    """Items of the kernel for any layout: masks of digits, and masks of places."""
    grid = sudoku.as_grid("12.. .... ..1. ...3")
    allowed = sudoku.candidates(grid)
    parts = [
        panel(sudoku.svg(grid, marks=True), 16, 16, 200),
        text((240, 36), "cell r1c3: digits 1 2 3 4", "left"),
        bits((470, 29), "".join("01"[digit in allowed[0][2]] for digit in range(1, 5))),
        text((240, 76), "1 in row 2: columns 1 2 3 4", "left"),
        bits((470, 69), "".join("01"[1 in cell] for cell in allowed[1])),
        text((240, 116), "4 in column 4: rows 1 2 3 4", "left"),
        bits((470, 109), "".join("01"[4 in row[3]] for row in allowed)),
        text((240, 166), "A mask with one bit forces a candidate;", "left soft", 13),
        text((240, 188), "one without a bit is a contradiction.", "left soft", 13),
    ]
    return drawing(550, 232, "Items as bit masks", parts)


@picture("model.svg")
def model() -> str:
    """Return the picture of a tiling, as `dlx.models` draws it."""
    board = models.polyominoes(models.box(6, 10), distinct=True)
    solution = dlx.solve(board.problem)
    assert solution is not None
    return board.svg(solution)


@picture("bands.svg")
def bands() -> str:
    """A complete grid whose first band is highlighted."""
    grid = sudoku.grid_at(10**21)
    parts = [panel(sudoku.svg(grid), 16, 16, 290)]
    notes = (
        "6,670,903,752,021,072,936,960 grids:",
        "9! relabellings",
        "x the ways to fill the first band,",
        "in classes with equally many completions",
        "x the completions of each class",
    )
    parts += [
        text((330, 60 + 30 * k), note, "left" if not k else "left soft")
        for k, note in enumerate(notes)
    ]
    parts.append(text((330, 250), f"this one: number {10**21:,}", "left"))
    return drawing(730, 322, "How grids are numbered", parts)


@picture("speed.svg")
def speed() -> str:
    """Peers' times over ours in the last run that is stored."""
    return report.plot(report.stored()[0])


def write(folder: Path = HERE) -> None:
    """Draw all pictures into a folder."""
    folder.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (folder / name).write_text(draw(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()
