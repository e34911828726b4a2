"""``python -m benchmarks``: ours beside every peer, in one run.

Exact cover problems to the end, puzzle sets, starts. Everything is alternated and repeated;
the tables hold medians of CPU seconds, one core, steady state (compiled, input read).
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import report
from benchmarks.runs import ROOT, Cell, Peer, alternate
from benchmarks.starts import BARE, starts

OURS = "search"
KERNELS = ("links", "listed", "tuples", "count")
PUZZLE_COLUMNS = ("limit 2", "first", "diagonal")
REGISTRY = ("xcover", "exact_cover", "sage", "cp-sat")
MARKS = ("<!-- figures -->", "<!-- end of figures -->")


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
        help="a folder of puzzle files, one puzzle a line (default: those in data/)",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help="only problems and sets whose name holds one of these",
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
    parser.add_argument("--no-registry", action="store_true", help="leave out the registry's peers")
    parser.add_argument("--no-starts", action="store_true", help="leave out the start-up times")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write RESULTS.md, results.json, results.svg and the README's table",
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
    return args


def problem_files(given: Path | None, scratch: Path) -> list[Path]:
    """The problems to measure, as files in Knuth's format."""
    if given is not None:
        return [given] if given.is_file() else sorted(given.glob("*.dlx"))
    from benchmarks.problems import NAMED, text

    files = []
    for name, make in NAMED.items():
        files.append(scratch / f"{name}.dlx")
        files[-1].write_text(text(make()))
    return files


def puzzle_files(given: Path | None) -> list[Path]:
    """Files of one puzzle a line that hold at least 100 puzzles, or lie in a given folder."""
    folder = given or ROOT / "data"
    files = [folder] if folder.is_file() else sorted(folder.glob("*.txt"))
    return [file for file in files if given is not None or len(puzzle_lines(file)) >= 100]


def puzzle_lines(file: Path) -> list[str]:
    """The puzzles of a file of lines."""
    lines = file.read_text().splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def one_size(file: Path) -> bool:
    """Whether every line is a puzzle of one and the same size."""
    return len({len(line) for line in puzzle_lines(file)}) == 1


def say(text: str) -> None:
    """Tell how far the run has come, apart from its tables."""
    print(text, file=sys.stderr, flush=True)


@dataclass
class Run:
    """What a run has measured so far."""

    problems: dict[str, dict[str, Cell]] = field(default_factory=dict)
    puzzles: dict[str, dict[str, Cell]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    starts: dict[str, float] = field(default_factory=dict)


def measure(args: argparse.Namespace, run: Run, scratch: Path) -> None:
    """Measure all that was asked for, what takes long last."""

    def wanted(name: str) -> bool:
        return args.only is None or any(part in name for part in args.only)

    if not args.no_starts:
        say("starts")
        run.starts = starts(*start_files(args.puzzles, scratch), args.repeats)
    for file in puzzle_files(args.puzzles):
        if not wanted(file.stem) or not one_size(file):
            continue
        say(file.stem)
        subjects = ["diagonal"] if "diagonal" in file.stem else ["limit 2", "first"]
        # the programs that one sets beside ours take plain 9 x 9 alone
        plain = len(puzzle_lines(file)[0]) == 81 and "diagonal" not in file.stem
        asked = args.peers["puzzles"] if plain else []
        cells = alternate(file, subjects, asked, args.repeats, args.bound)
        run.sizes[file.stem], run.puzzles[file.stem] = len(puzzle_lines(file)), cells
    for file in problem_files(args.problems, scratch):
        if wanted(file.stem):
            say(file.stem)
            run.problems[file.stem] = alternate(
                *(file, [OURS, *KERNELS, *args.registry], args.peers["dlx"]),
                *(args.repeats, args.bound),
            )


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and write them where asked; Ctrl-C keeps what was measured."""
    args = arguments(argv)
    args.registry = () if args.no_registry else REGISTRY
    args.peers = {
        kind: [peer for peer in args.peer if peer.kind == kind] for kind in ("dlx", "puzzles")
    }
    run, status = Run(), 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            measure(args, run, Path(folder))
    except KeyboardInterrupt:
        say("interrupted: what was measured so far follows")
        status = 130
    if args.only and not status and not (run.problems or run.puzzles):
        say(f"--only {' '.join(args.only)}: no problem or set has that in its name")
        return 2
    programs = [peer.name for peer in args.peers["dlx"]]
    solvers = [peer.name for peer in args.peers["puzzles"]]
    columns = [*programs, *args.registry]
    about = report.taken_with(report.machine())
    problem_table = report.problem_table(run.problems, OURS, KERNELS, columns)
    puzzle_table = report.puzzle_table(run.puzzles, run.sizes, PUZZLE_COLUMNS, solvers)
    start_table = report.start_table(run.starts, BARE)
    parts = {
        "## Exact cover: all solutions, CPU seconds": run.problems
        and f"{problem_table}\n\n{report.ratio_line(run.problems, OURS, columns)}",
        "## Sudoku: puzzles a second, one core": run.puzzles and puzzle_table,
        "## Starts: wall seconds": run.starts and start_table,
    }
    text = "\n\n".join(f"{title}\n\n{part}" for title, part in parts.items() if part)
    text += f"\n\n{about}\n"
    print(text)
    if args.write:
        here = ROOT / "benchmarks"
        report.write_json(
            here / "results.json",
            machine=report.machine(),
            problems=report.plain(run.problems),
            puzzles=report.plain(run.puzzles),
            starts=run.starts,
        )
        drawn = run.problems and report.plot(run.problems, OURS, columns, here / "results.svg")
        picture = "\n![Every peer's time over ours](results.svg)\n" if drawn else ""
        (here / "RESULTS.md").write_text(PREFACE + text + picture, encoding="utf-8")
        short = report.short_problem_table(run.problems, OURS, programs, args.registry)
        write_readme(short, puzzle_table, start_table, about)
    return status


PREFACE = f"""# The last full run

Made by `python -m benchmarks --write`; the raw figures are in `results.json`. Every subject runs in
a process of its own, in turn with the others, several rounds, medians. In brackets: how many
times our own time (`{OURS}`, the kernel chosen by itself). `links` is the dancing links kernel,
`listed` hands out every solution in arrays, `tuples` as tuples, `count` is `dlx.count_solutions`.
An external program's time is its whole CPU time, reading included; ours is the work alone.

"""


def start_files(given: Path | None, scratch: Path) -> tuple[Path, Path, Path]:
    """One puzzle, one small problem, and a file of 49,151 puzzles (a set over and over)."""
    one, small, large = scratch / "one.txt", scratch / "small.dlx", scratch / "49,151 puzzles.txt"
    sets = [file for file in puzzle_files(given) if one_size(file)]
    sets = [file for file in sets if len(puzzle_lines(file)[0]) == 81]
    named = [file for file in sets if "17" in file.stem] or sets
    lines = puzzle_lines(max(named, key=lambda file: len(puzzle_lines(file))))
    one.write_text(lines[0] + "\n")
    small.write_text("a b c\na\nb c\n")
    large.write_text("\n".join((lines * (49_151 // len(lines) + 1))[:49_151]) + "\n")
    return one, small, large


def write_readme(*parts: str) -> None:
    """Put these tables between their marks in README.md."""
    readme = ROOT / "README.md"
    before, mark, rest = readme.read_text(encoding="utf-8").partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if mark and end:
        tables = "\n\n".join(part for part in parts if part)
        readme.write_text(f"{before}{mark}\n\n{tables}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
