"""Measure this package and its peers in one run: ``python -m benchmarks``.

It measures complete searches of exact cover problems, counts, cheapest solutions, puzzle sets,
rates, single calls and starts. Subjects take turns for several rounds. The tables hold medians of
CPU seconds on one core, with kernels compiled and input read.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import calls, report
from benchmarks.cases import (
    BOUNDED,
    cost_files,
    count_files,
    problem_files,
    puzzle_files,
    puzzle_lines,
    start_files,
    total_of,
)
from benchmarks.rates import RATES
from benchmarks.report import Run
from benchmarks.runs import ROOT, Cell, Peer, alternate, measure_start
from benchmarks.starts import starts

SUBJECTS = ("search", "links", "listed", "count")
COUNTS = ("count", "count by sweeps", "count by search")
REGISTRY = ("xcover", "exact_cover", "sage")
PARTS = ("starts", "calls", "rates", "puzzles", "counts", "costs", "problems")
CPUS = {
    "x86-64-v3": "+avx2,+bmi,+bmi2,+fma,+f16c,+lzcnt,+movbe,+popcnt",
    "x86-64-v2": "+sse4.2,+popcnt,+ssse3,+cx16",
}
"""Processors for which our kernels can be compiled, and their features."""


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=(__doc__ or "").replace("`", "")
    )
    add = parser.add_argument
    add(
        "--problems",
        type=Path,
        metavar="PATH",
        help="search the .dlx file, or those of a folder, in place of the named problems",
    )
    add("--puzzles", type=Path, metavar="FOLDER", help="a folder of further puzzle files")
    add("--counts", type=Path, metavar="FOLDER", help="a folder of further .dlx files to count")
    add("--only", nargs="+", metavar="NAME", help="only cases whose name contains one of these")
    add("--parts", nargs="+", choices=PARTS, default=PARTS, help="default: all of them")
    add("--peers", type=Path, metavar="FILE", help="peers.json of benchmarks.build_peers")
    add(
        "--peer",
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        help="an external program that prints 'total N'; {dlx} or {puzzles} in COMMAND stands for "
        "the file, <{dlx} for standard input (the default)",
    )
    add("--repeats", type=int, default=3, metavar="N", help="rounds (default: 3)")
    add("--bound", type=float, default=10, metavar="S", help="seconds for one run (default: 10)")
    add("--cpu", choices=CPUS, help="compile our kernels for this processor")
    add("--no-registry", action="store_true", help="omit the registry's packages")
    add("--write", action="store_true", help="write what is measured, and the table in README.md")
    add("--documents", action="store_true", help="only write the documents from stored results")
    args = parser.parse_args(argv)
    for given in (args.problems, args.puzzles, args.counts, args.peers):
        if given is not None and not given.exists():
            parser.error(f"{given}: no such file or folder")
    if args.repeats < 1:
        parser.error(f"--repeats {args.repeats}: expected 1 or more")
    try:
        args.peer = [Peer.parse(text) for text in args.peer]
        args.peer += Peer.read(args.peers) if args.peers else []
    except (KeyError, ValueError) as fault:
        parser.error(str(fault))
    args.env = None
    if args.cpu:
        own = {"NUMBA_CPU_NAME": args.cpu, "NUMBA_CPU_FEATURES": CPUS[args.cpu]}
        args.env = os.environ | own
    return args


def progress(text: str) -> None:
    """Print a line on standard error."""
    print(text, file=sys.stderr, flush=True)


class Measurement:
    """Measures the parts of a run.

    Parameters
    ----------
    args : Namespace
        Of the command line.
    run : Run
        Receives the figures.
    scratch : Path
        A folder for files.
    """

    def __init__(self, args: argparse.Namespace, run: Run, scratch: Path) -> None:
        self.args, self.run, self.scratch = args, run, scratch
        self.one, self.small, self.large = start_files(scratch)
        for peer in args.peer:
            measure_start(peer, self.one if peer.kind == "puzzles" else self.small)
            folder = str(args.peers.resolve().parent) if args.peers else "\n"
            command = peer.command.replace(folder, "PEERS")
            run.peers[peer.name] = {"command": command, "start": peer.start, **peer.about}

    def wanted(self, name: str) -> bool:
        """Whether a case is to be measured."""
        return self.args.only is None or any(part in name for part in self.args.only)

    def peers(self, kind: str) -> list[Peer]:
        """Return the external programs of a kind."""
        return [peer for peer in self.args.peer if peer.kind == kind]

    def starts(self) -> None:
        """Measure the start of the commands."""
        if self.args.only is None:
            progress("starts")
            self.run.starts = starts(self.one, self.small, self.large, self.args.repeats)

    def calls(self) -> None:
        """Measure single calls."""
        args = self.args
        for name in filter(self.wanted, calls.CALLS):
            if not (args.no_registry and name.startswith(calls.PEERS)):
                progress(name)
                cell = calls.measured(name, args.repeats, args.bound, args.env)
                self.run.calls[name] = {"call": cell}

    def rates(self) -> None:
        """Measure how much is generated, rated, read and written in a second."""
        file = ROOT / "data/minimal-9x9.txt"
        for name in filter(self.wanted, RATES):
            progress(name)
            self.run.rates[name] = self._alternate(file, [name], [])

    def puzzles(self) -> None:
        """Measure the puzzle sets."""
        for name, file in puzzle_files(self.args.puzzles, self.scratch).items():
            if self.wanted(name):
                progress(name)
                lines, diagonal = puzzle_lines(file), "diagonal" in name
                subjects = ["diagonal"] if diagonal else ["limit 2", "first"]
                # external programs solve 9 x 9 puzzles without diagonals only
                peers = self.peers("puzzles") if len(lines[0]) == 81 and not diagonal else []
                self.run.sizes[name] = len(lines)
                self.run.puzzles[name] = self._alternate(file, subjects, peers)

    def counts(self) -> None:
        """Measure the counts."""
        for name, file in count_files(self.args.counts, self.scratch).items():
            if self.wanted(name):
                progress(f"{name}, counted")
                cells = self._alternate(file, COUNTS, self.peers("count"), total_of(name))
                self.run.counts[name] = cells

    def costs(self) -> None:
        """Measure searches for the cheapest solution."""
        subjects = ["cheapest"] if self.args.no_registry else ["cheapest", "CP-SAT"]
        for file in cost_files(self.scratch):
            if self.wanted(file.stem):
                progress(file.stem)
                cells = self._alternate(file, subjects, self.peers("costs"), total_of(file.stem))
                self.run.costs[file.stem] = cells

    def problems(self) -> None:
        """Measure the problems whose solutions are visited."""
        registry = () if self.args.no_registry else REGISTRY
        for file in problem_files(self.args.problems, self.scratch):
            if self.wanted(file.stem):
                progress(file.stem)
                if file.stem in BOUNDED:
                    cells = self._alternate(file, SUBJECTS[:1], self.peers("bounded"))
                else:
                    cells = self._alternate(file, [*SUBJECTS, *registry], self.peers("dlx"))
                self.run.problems[file.stem] = cells

    def _alternate(
        self, file: Path, subjects: Sequence[str], peers: Sequence[Peer], total: int | None = None
    ) -> dict[str, Cell]:
        args = self.args
        return alternate(file, subjects, peers, args.repeats, args.bound, args.env, total)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and write them if asked; Ctrl-C prints what was measured.

    Returns
    -------
    int
        The exit status: 0, 2 if nothing fits ``--only``, 130 after Ctrl-C.
    """
    args = arguments(argv)
    if args.documents:
        report.write_documents()
        return 0
    run, status = Run(machine=report.machine(args.cpu)), 0
    run.settings = {"rounds": args.repeats, "bound of a run, s": args.bound}
    try:
        with tempfile.TemporaryDirectory() as folder:
            measurement = Measurement(args, run, Path(folder))
            for part in args.parts:
                getattr(measurement, part)()
    except KeyboardInterrupt:
        progress("interrupted: what was measured so far follows")
        status = 130
    measured = run.starts or any(getattr(run, table) for table in Run.TABLES)
    if not measured and not status:
        progress(f"--only {' '.join(args.only or ())}: no case has that in its name")
        return 2
    print(report.tables(run))
    if args.write and not status:
        parts = [] if args.parts == PARTS else args.parts
        report.write(run, " ".join([*parts, *(args.only or ())]))
    return status


if __name__ == "__main__":
    sys.exit(main())
