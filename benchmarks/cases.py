"""The cases of the benchmarks: problems, puzzle sets, counts. Tables and regressions share them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.problems import NAMED, Cell, dominoes, latin, rectangle, text
from benchmarks.runs import ROOT
from dlx import Problem, models

START_PUZZLES = 49_151

PROBLEMS = (
    *("queens10", "queens12", "langford11", "langford12", "pent6x10", "pent8x8h", "pent3x20"),
    *("soma", "latin5", "latin7red", "sudoku9x9", "sudoku16x16", "rand3_60"),
    *("rand4_80", "rand5_100", "macmahon4x6", "debruijn4", "domino8x8"),
)
"""The problems of `benchmarks.problems.NAMED` whose solutions are visited."""

BOUNDED = (
    *("domination8", "packing5x5", "matrices7", "graphs11", "pent5x8", "pent6x6", "partridge6"),
)
"""Those with multiplicities, which other kernels and most peers do not take."""

NODES = {
    "queens10": {"search": 8_226, "links": 16_536},
    "langford11": {"search": 223_033, "links": 439_747},
    "pent3x20": {"search": 30_355, "links": 32_978},
    "soma": {"search": 198_099, "links": 254_676},
    "latin5": {"search": 316_526, "links": 1_701_926},
    "sudoku16x16": {"search": 28_996, "links": 110_403},
    "debruijn4": {"search": 757, "links": 2_946},
}
"""Nodes of the problems that the regressions time: the kernel chosen, and dancing links."""

SETS = {
    "easy-9x9": 100_000,
    "minimal-9x9": 100_000,
    "few-givens-9x9": 50_000,
    "hard-9x9": 10_000,
    "several-solutions": 50_000,
    "no-solution": 50_000,
    "diagonals-9x9": 10_000,
    "minimal-16x16": 400,
}
"""The sets of data/ that are solved, and how many puzzles: a set is repeated until it has as many,
so that the time is one of solving, not of a start. A set of the user is repeated to 20,000."""


class Counted(NamedTuple):
    """A problem whose solutions are counted, not visited, or whose least cost is sought.

    Attributes
    ----------
    make : callable
    total : int
    """

    make: Callable[[], Problem]
    total: int


TROMINOES: dict[str, list[Cell]] = {"I": [(0, 0), (0, 1), (0, 2)], "V": [(0, 0), (0, 1), (1, 0)]}


def polyominoes(pieces: Mapping[str, Sequence[Cell]] | str, n: int) -> Problem:
    """Tile an n x n board by polyominoes, each as often as wanted.

    >>> polyominoes(TROMINOES, 9)
    Problem(81 primary items, 382 options, 1146 entries)
    """
    whole = models.polyominoes(rectangle(n, n), pieces, copies="any").problem
    return Problem(sorted(map(whole.option, range(whole.num_options))), primary=whole.items)


COUNTS = {
    "domino12x12": Counted(partial(dominoes, 12, 12), 53_060_477_521_960_000),
    "domino16x16": Counted(partial(dominoes, 16, 16), 2_444_888_770_250_892_795_802_079_170_816),
    "tromino9x9": Counted(partial(polyominoes, TROMINOES, 9), 928_789_262_080),
    "tetromino8x8": Counted(partial(polyominoes, "tetrominoes", 8), 19_077_209_438),
    "latin6": Counted(partial(latin, 6), 812_851_200),
    "latin7red": Counted(NAMED["latin7red"], 16_942_080),
    "sudoku6x6": Counted(NAMED["sudoku6x6"], 28_200_960),
    "pent6x10": Counted(NAMED["pent6x10"], 9_356),
    "soma": Counted(NAMED["soma"], 11_520),
    "langford12": Counted(NAMED["langford12"], 216_288),
}
"""The problems that are counted, and their totals."""


def roster(flights: int, pairings: int, cities: int | None = None) -> Problem:
    """Crews for flights at least cost, from up to this many pairings.

    >>> roster(20, 1000)
    Problem(20 primary items, 118 options, 424 entries)
    """
    return models.crew_rosters(flights, pairings, cities=cities).problem


COSTS = {
    "roster40-3k": Counted(partial(roster, 40, 4_000), 22_821),
    "roster60-3k": Counted(partial(roster, 60, 10_000), 42_190),
    "roster100-5k": Counted(partial(roster, 100, 30_000), 71_493),
    "roster40-12k": Counted(partial(roster, 40, 100_000, 2), 18_173),
    "roster60-33k": Counted(partial(roster, 60, 100_000, 3), 30_955),
    "roster80-100k": Counted(partial(roster, 80, 100_000, 3), 40_139),
}
"""The problems whose cheapest solution is sought, and its cost; named by flights and pairings."""

NOT_SHIPPED = " (not shipped)"  # ends the names of files that are given by the user

PUBLISHED = {
    "sppnw07": (10_763_642_666, 10_763_644_724),
    "sppnw11": (21_343_665_286, 21_343_664_608),
    "sppnw29": (16_937_938, 16_937_657),
    "exotic_fives": (31_520, 31_533),
    "tetromino8x8": (19_077_209_438, 19_077_280_974),
}
"""Totals, and wrong ones that have been published (likely by a memo keyed by a hash alone).

The totals are those of the sweeps of `dlx.Count`, which compare whole keys, and of dlx6; of sppnw29
and exotic_fives also those of plain search and of ssxcc. All but the last are public files that are
not shipped: ``--counts FOLDER`` counts them."""


def problem_files(given: Path | None, scratch: Path) -> list[Path]:
    """Return the problems to visit, as files in Knuth's format.

    Parameters
    ----------
    given : Path or None
        A file or a folder of ``.dlx`` files; None for the named problems.
    scratch : Path
        The folder into which the named problems are written.
    """
    if given is not None:
        return [given] if given.is_file() else sorted(given.glob("*.dlx"))
    return [write_problem(name, NAMED[name](), scratch) for name in (*PROBLEMS, *BOUNDED)]


def count_files(given: Path | None, scratch: Path) -> dict[str, Path]:
    """Return the problems to count: those of this project, then those of a given folder."""
    files = {name: write_problem(name, case.make(), scratch) for name, case in COUNTS.items()}
    others = [] if given is None else sorted(given.glob("*.dlx"))
    return files | {file.stem + NOT_SHIPPED: file for file in others}


def cost_files(scratch: Path) -> list[Path]:
    """Return the problems whose cheapest solution is sought."""
    return [write_problem(name, case.make(), scratch) for name, case in COSTS.items()]


def total_of(name: str) -> int | None:
    """Return the total of a problem that is counted, or the least cost, if it is known."""
    for cases in (COUNTS, COSTS):
        if name in cases:
            return cases[name].total
    name = name.removesuffix(NOT_SHIPPED)
    return PUBLISHED[name][0] if name in PUBLISHED else None


def write_problem(name: str, problem: Problem, folder: Path) -> Path:
    """Write a problem to a file of its name."""
    file = folder / f"{name}.dlx"
    file.write_text(text(problem))
    return file


def puzzle_lines(file: Path) -> list[str]:
    """Return the puzzles of a file with one puzzle a line."""
    lines = file.read_text().splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def puzzle_files(given: Path | None, scratch: Path) -> dict[str, Path]:
    """Return the sets to solve by name, repeated to their number of puzzles.

    Those of a given folder follow, with "(not shipped)" in their names.
    """
    found = {}
    sources = [(name, ROOT / "data" / f"{name}.txt", most) for name, most in SETS.items()]
    if given is not None:
        files = [given] if given.is_file() else sorted(given.glob("*.txt"))
        sources += [(file.stem + NOT_SHIPPED, file, 20_000) for file in files]
    for name, file, most in sources:
        lines = puzzle_lines(file)
        if len({len(line) for line in lines}) == 1:
            if len(lines[0]) > 256:
                most = len(lines)  # a puzzle of this size takes long
            repeated = (lines * (most // len(lines) + 1))[: max(most, len(lines))]
            found[name] = scratch / f"{name}.txt"
            found[name].write_text("\n".join(repeated) + "\n")
    return found


def start_files(scratch: Path) -> tuple[Path, Path, Path]:
    """Write a file of one puzzle, one of a small problem, and one of 49,151 puzzles."""
    one, small = scratch / "one.txt", scratch / "small.dlx"
    large = scratch / f"{START_PUZZLES:,} puzzles.txt"
    lines = puzzle_lines(ROOT / "data/minimal-9x9.txt")
    one.write_text(lines[0] + "\n")
    small.write_text("a b c\na\nb c\n")
    large.write_text("\n".join((lines * 5)[:START_PUZZLES]) + "\n")
    return one, small, large
