"""Measure this package and its peers in one run: ``python -m benchmarks``.

Exact cover problems to the end, puzzle sets, starts. Subjects take turns, several rounds. The
tables hold medians of CPU seconds on one core, with kernels compiled and input read.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import report
from benchmarks.inputs import one_size, problem_files, puzzle_files, puzzle_lines, start_files
from benchmarks.runs import ROOT, Cell, Peer, alternate
from benchmarks.starts import BARE, starts

OURS = "search"
KERNELS = ("links", "listed", "tuples", "count")
PUZZLE_COLUMNS = ("limit 2", "first", "diagonal")
REGISTRY = ("xcover", "exact_cover", "sage", "cp-sat")
MARKS = ("<!-- figures -->", "<!-- end of figures -->")

PREFACE = f"""# The last full run

Made by `python -m benchmarks --write`; the raw figures are in `results.json`. Every subject runs in
a process of its own, in turn with the others, several rounds; the figures are medians. In brackets:
the multiple of our own time (`{OURS}`, with the kernel that `dlx` chooses). `links` is the dancing
links kernel, `listed` returns all solutions in arrays, `tuples` as tuples, `count` is
`dlx.count_solutions`. An external program's time is its whole CPU time, reading included; ours is
the search alone.

"""


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--problems",
        type=Path,
        metavar="PATH",
        help="a .dlx file or a folder of them (default: the named problems)",
    )
    parser.add_argument(
        "--puzzles",
        type=Path,
        metavar="FOLDER",
        help="a folder of puzzle files, one puzzle a line (default: data/)",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help="only problems and sets whose name contains one of these",
    )
    parser.add_argument(
        "--peer",
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        help="an external program; {dlx} or {puzzles} in COMMAND stands for the file, "
        "<{dlx} for standard input (the default)",
    )
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="rounds (default: 3)")
    parser.add_argument(
        "--bound", type=float, default=60, metavar="S", help="seconds for one run (default: 60)"
    )
    parser.add_argument("--no-registry", action="store_true", help="omit the registry's packages")
    parser.add_argument("--no-starts", action="store_true", help="omit the start-up times")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write RESULTS.md, results.json, results.svg and the tables in README.md",
    )
    args = parser.parse_args(argv)
    for given in (args.problems, args.puzzles):
        if given is not None and not given.exists():
            parser.error(f"{given}: no such file or folder")
    if args.repeats < 1:
        parser.error(f"--repeats {args.repeats}: expected 1 or more")
    try:
        args.peer = [Peer.parse(text) for text in args.peer]
    except ValueError as fault:
        parser.error(str(fault))
    args.registry = () if args.no_registry else REGISTRY
    args.peers = {
        kind: [peer for peer in args.peer if peer.kind == kind] for kind in ("dlx", "puzzles")
    }
    return args


@dataclass
class Run:
    """Everything that a run has measured.

    Attributes
    ----------
    problems, puzzles : dict of str to dict of str to Cell
        For each problem or puzzle set the cell of each subject.
    sizes : dict of str to int
        Number of puzzles of each set.
    starts : dict of str to float
        Wall seconds of each kind of start.
    """

    problems: dict[str, dict[str, Cell]] = field(default_factory=dict)
    puzzles: dict[str, dict[str, Cell]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    starts: dict[str, float] = field(default_factory=dict)


def progress(text: str) -> None:
    """Print a line on standard error."""
    print(text, file=sys.stderr, flush=True)


def measure(args: argparse.Namespace, run: Run, scratch: Path) -> None:
    """Measure starts, puzzle sets and problems, as the arguments say, into `run`."""

    def wanted(file: Path) -> bool:
        return args.only is None or any(part in file.stem for part in args.only)

    if not args.no_starts:
        progress("starts")
        run.starts = starts(*start_files(args.puzzles, scratch), args.repeats)
    for file in filter(wanted, puzzle_files(args.puzzles)):
        if one_size(file):
            progress(file.stem)
            lines, diagonal = puzzle_lines(file), "diagonal" in file.stem
            subjects = ["diagonal"] if diagonal else ["limit 2", "first"]
            # external programs solve 9 x 9 puzzles without diagonals only
            peers = args.peers["puzzles"] if len(lines[0]) == 81 and not diagonal else []
            run.sizes[file.stem] = len(lines)
            run.puzzles[file.stem] = alternate(file, subjects, peers, args.repeats, args.bound)
    for file in filter(wanted, problem_files(args.problems, scratch)):
        progress(file.stem)
        subjects = [OURS, *KERNELS, *args.registry]
        run.problems[file.stem] = alternate(
            file, subjects, args.peers["dlx"], args.repeats, args.bound
        )


def results(args: argparse.Namespace, run: Run) -> str:
    """Return the tables of a run, with titles."""
    peers = [*(peer.name for peer in args.peers["dlx"]), *args.registry]
    solvers = [peer.name for peer in args.peers["puzzles"]]
    parts = {
        "## Exact cover: all solutions, CPU seconds": run.problems
        and report.problem_table(run.problems, OURS, KERNELS, peers)
        + report.ratio_line(run.problems, OURS, peers),
        "## Sudoku: puzzles a second, one core": run.puzzles
        and report.puzzle_table(run.puzzles, run.sizes, PUZZLE_COLUMNS, solvers),
        "## Starts: wall seconds": run.starts and report.start_table(run.starts, BARE),
    }
    tables = [f"{title}\n\n{part}" for title, part in parts.items() if part]
    return "\n\n".join([*tables, report.taken_with(report.machine())]) + "\n"


def write(args: argparse.Namespace, run: Run) -> None:
    """Write RESULTS.md, results.json, results.svg, and the tables in README.md."""
    here = ROOT / "benchmarks"
    programs = [peer.name for peer in args.peers["dlx"]]
    solvers = [peer.name for peer in args.peers["puzzles"]]
    report.write_json(
        here / "results.json",
        machine=report.machine(),
        problems=report.plain(run.problems),
        puzzles=report.plain(run.puzzles),
        starts=run.starts,
    )
    drawn = run.problems and report.plot(
        run.problems, OURS, [*programs, *args.registry], here / "results.svg"
    )
    picture = "\n![Every peer's time over ours](results.svg)\n" if drawn else ""
    (here / "RESULTS.md").write_text(PREFACE + results(args, run) + picture, encoding="utf-8")
    write_readme(
        report.short_problem_table(run.problems, OURS, programs, args.registry),
        report.puzzle_table(run.puzzles, run.sizes, PUZZLE_COLUMNS, solvers),
        report.start_table(run.starts, BARE),
        report.taken_with(report.machine()),
    )


def write_readme(*parts: str) -> None:
    """Put these parts between the two marks in README.md."""
    readme = ROOT / "README.md"
    before, mark, rest = readme.read_text(encoding="utf-8").partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if mark and end:
        tables = "\n\n".join(part for part in parts if part)
        readme.write_text(f"{before}{mark}\n\n{tables}\n\n{end}{after}", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and write them if asked; Ctrl-C prints what was measured.

    Returns
    -------
    int
        The exit status: 0, 2 if nothing fits ``--only``, 130 after Ctrl-C.
    """
    args = arguments(argv)
    run, status = Run(), 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            measure(args, run, Path(folder))
    except KeyboardInterrupt:
        progress("interrupted: what was measured so far follows")
        status = 130
    if args.only and not status and not (run.problems or run.puzzles):
        progress(f"--only {' '.join(args.only)}: no problem or set has that in its name")
        return 2
    print(results(args, run))
    if args.write:
        write(args, run)
    return status


if __name__ == "__main__":
    sys.exit(main())
