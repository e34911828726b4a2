"""The tables (Markdown, JSON, CSV) and the plot (SVG) of a run."""

import csv
import json
import math
import os
import platform
import statistics
import subprocess
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import dlx
from benchmarks import svg
from benchmarks.cases import PUBLISHED, total_of
from benchmarks.runs import ROOT, Cell

Table = Mapping[str, Mapping[str, Cell]]

OURS = "search"
OWN = (OURS, "links", "listed", "tuples", "count", "count by sweeps", "count by search")
PUZZLE_COLUMNS = ("limit 2", "first", "diagonal")
RESULTS = ROOT / "benchmarks/results/processors"
SMALL = 0.005
"""CPU seconds of an external program below which its start is most of the time."""

PACKAGES = (
    "numba",
    "numpy",
    "llvmlite",
    "xcover",
    "exact-cover",
    "passagemath-categories",
    "ortools",
)


@dataclass
class Run:
    """Everything that a run has measured.

    Attributes
    ----------
    machine : dict of str to str
        Commit of the code, processor, system, versions; "kind" is the name of the files.
    peers : dict of str to dict
        Of each external program its command, start, source, compiler and flags.
    settings : dict of str to object
        Rounds and the bound of a run in seconds.
    problems, puzzles, counts, costs, rates, calls : dict of str to dict of str to Cell
        For each problem, set, rate or kind of call the cell of each subject.
    sizes : dict of str to int
        Number of puzzles of each set.
    starts : dict of str to float
        Wall seconds of each kind of start.
    """

    machine: dict[str, str] = field(default_factory=dict)
    peers: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    problems: dict[str, dict[str, Cell]] = field(default_factory=dict)
    puzzles: dict[str, dict[str, Cell]] = field(default_factory=dict)
    counts: dict[str, dict[str, Cell]] = field(default_factory=dict)
    costs: dict[str, dict[str, Cell]] = field(default_factory=dict)
    rates: dict[str, dict[str, Cell]] = field(default_factory=dict)
    calls: dict[str, dict[str, Cell]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    starts: dict[str, float] = field(default_factory=dict)

    TABLES = ("problems", "puzzles", "counts", "costs", "rates", "calls")

    @property
    def external(self) -> set[str]:
        """The names of the peers that are programs, not packages."""
        return set(self.peers)

    def subjects(self, table: str) -> list[str]:
        """Return the names of all subjects of a table, in order."""
        cells = getattr(self, table).values()
        return list(dict.fromkeys(name for row in cells for name in row))

    def save(self, path: Path) -> None:
        """Write the run as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    def added_to(self, other: "Run", what: str) -> "Run":
        """Return another run of this machine, with what was measured here in place of its own.

        Settings that differ are kept beside the other ones, named by `what`.
        """
        for name in (*self.TABLES, "sizes", "starts", "peers"):
            getattr(other, name).update(getattr(self, name))
        for name, value in self.settings.items():
            if other.settings.get(name) != value:
                other.settings[f"{name}, of {what}"] = value
        return other

    @classmethod
    def load(cls, path: Path) -> "Run":
        """Read a run."""
        data = json.loads(path.read_text(encoding="utf-8"))
        for table in cls.TABLES:
            data[table] = {
                name: {subject: Cell(**cell) for subject, cell in row.items()}
                for name, row in data.get(table, {}).items()
            }
        return cls(**data)


# numbers and tables


def seconds(value: float | None) -> str:
    """Return seconds with three significant digits; an empty text for None.

    >>> seconds(12.345), seconds(0.0012345), seconds(None)
    ('12.3', '0.00123', '')
    """
    if value is None:
        return ""
    if value <= 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(value)))
    return f"{value:.{digits}f}"


def rate(value: float) -> str:
    """Return a rate with three or more significant digits, in thousands from 1,000 on.

    >>> rate(1_234_567), rate(45_600), rate(321)
    ('1,235k', '45.6k', '321')
    """
    if value >= 100_000:
        return f"{value / 1000:,.0f}k"
    return f"{value / 1000:.1f}k" if value >= 1000 else f"{value:.0f}"


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table, formatted as mdformat does with compact tables.

    >>> print(markdown(["a", "b"], [["1", "2"]]))
    | a | b |
    | -- | -- |
    | 1 | 2 |
    """
    lines = [header, ["--"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def is_small(cell: Cell, external: bool) -> bool:
    """Whether the time of a cell is that of a start."""
    return external and cell.median is not None and cell.median < SMALL


def beside(cell: Cell, ours: Cell, external: bool) -> str:
    """Return a peer's median and, in brackets, its multiple of ours; a star for a start alone.

    >>> beside(Cell([0.5]), Cell([0.1]), True), beside(Cell([0.001]), Cell([0.0001]), True)
    ('0.500 (5.0x)', '0.00100 *')
    """
    if cell.unfit and not cell.seconds:
        return cell.unfit
    if cell.median is None or not ours.median:
        return ""
    if is_small(cell, external):
        return f"{seconds(cell.median)} *"
    return f"{seconds(cell.median)} ({cell.median / ours.median:.1f}x)"


def problem_table(run: Run) -> str:
    """Return a table of CPU seconds for all solutions; peers with their multiple of ours."""
    names = run.subjects("problems")
    others = [name for name in names if name not in OWN]
    rows = []
    for problem, cells in run.problems.items():
        ours = cells[OURS]
        nodes = ours.details.get("nodes")
        speed = rate(nodes / ours.median) if nodes and ours.median else ""
        rows.append(
            [
                problem,
                f"{ours.details['answer']:,}" if ours.median else ours.unfit,
                f"**{seconds(ours.median)}**",
                str(ours.details.get("kernel", "")),
                "" if nodes is None else f"{nodes:,}",
                speed,
                *(beside(cells.get(n, Cell()), ours, False) for n in OWN[1:] if n in names),
                *(beside(cells.get(n, Cell()), ours, n in run.external) for n in others),
            ]
        )
    shown = [name for name in OWN[1:] if name in names] + others
    return markdown(["problem", "solutions", OURS, "kernel", "nodes", "nodes/s", *shown], rows)


def ratio_line(run: Run) -> str:
    """Return a paragraph with the median and the least of each peer's multiples of ours."""
    parts = []
    for peer in (name for name in run.subjects("problems") if name not in OWN):
        ratios = [
            theirs.median / ours
            for cells in run.problems.values()
            if (theirs := cells.get(peer, Cell())).median
            and (ours := cells[OURS].median)
            and not is_small(theirs, peer in run.external)
        ]
        if ratios:
            parts.append(
                f"{peer} {statistics.median(ratios):.1f}x (least {min(ratios):.1f}x, "
                f"{len(ratios)} problems)"
            )
    return f"Ours is faster by, in the median: {'; '.join(parts)}." if parts else ""


def puzzle_table(run: Run) -> str:
    """Return a table of puzzles a second on each set; with a star where a time is a start."""
    names = [name for name in PUZZLE_COLUMNS if name in run.subjects("puzzles")]
    names += [name for name in run.subjects("puzzles") if name not in PUZZLE_COLUMNS]
    rows = []
    for name, cells in run.puzzles.items():
        row = [name, f"{run.sizes[name]:,}"]
        for subject in names:
            cell = cells.get(subject, Cell())
            mark = " *" * is_small(cell, subject in run.external)
            value = rate(run.sizes[name] / cell.median) + mark if cell.median else cell.unfit
            row.append(value)
        rows.append(row)
    return markdown(["set", "puzzles", *names], rows)


def count_table(run: Run) -> str:
    """Return a table of CPU seconds of counts, with what else confirms the total."""
    names = run.subjects("counts")
    rows = []
    for name, cells in run.counts.items():
        ours = cells["count"]
        answer = ours.details.get("answer")
        if total_of(name) is not None and answer == total_of(name):
            known = "yes"
        else:
            known = "" if total_of(name) is None else f"no: {total_of(name):,}"
        confirmed = [peer for peer in names[1:] if cells.get(peer, Cell()).median]
        rows.append(
            [
                name,
                "" if answer is None else f"{answer:,}",
                known,
                ", ".join(confirmed),
                f"**{seconds(ours.median)}**" if ours.median else ours.unfit,
                *(beside(cells.get(n, Cell()), ours, n in run.external) for n in names[1:]),
            ]
        )
    head = ["problem", "total", "as known", "also found by", "count", *names[1:]]
    return markdown(head, rows)


def cost_table(run: Run) -> str:
    """Return a table of CPU seconds for the cheapest solution and its proof."""
    others = [name for name in run.subjects("costs") if name != "cheapest"]
    rows = []
    for name, cells in run.costs.items():
        ours = cells["cheapest"]
        rows.append(
            [
                name,
                f"{ours.details['options']:,}" if ours.median else "",
                f"{total_of(name) or 0:,}",
                f"**{seconds(ours.median)}**" if ours.median else ours.unfit,
                *(beside(cells.get(n, Cell()), ours, n in run.external) for n in others),
            ]
        )
    return markdown(["problem", "options", "least cost", "cheapest", *others], rows)


def published_table() -> str:
    """Return a table of published totals that are wrong."""
    rows = [[name, f"{true:,}", f"{wrong:,}"] for name, (true, wrong) in PUBLISHED.items()]
    return markdown(["problem", "total", "published elsewhere, wrong"], rows)


def rate_table(run: Run) -> str:
    """Return a table of what is done a second."""
    rows = [
        [name, rate(cell.details["done"] / cell.median) if cell.median else cell.unfit]
        for name, cells in run.rates.items()
        for cell in cells.values()
    ]
    return markdown(["what", "a second"], rows)


def call_table(run: Run, names: Sequence[str] = ()) -> str:
    """Return a table of microseconds of single calls, of all or those whose name begins so."""
    rows = []
    for name, cells in run.calls.items():
        cell = cells["call"]
        if not names or name.startswith(tuple(names)):
            time, sums = cell.median, cell.details.get("sums", 0)
            figures = [f"{1e6 * time:,.1f}", f"{sums:,.1f}"] if time else [cell.unfit, ""]
            rows.append([f"`{name}`", *figures])
    return markdown(["one call", "microseconds", "sums of 81 bytes"], rows)


def start_table(run: Run) -> str:
    """Return a table of wall seconds of each start."""
    rows = [[name, seconds(value)] for name, value in run.starts.items()]
    return markdown(["start", "wall seconds"], rows)


def peer_table(run: Run) -> str:
    """Return a table of the external programs: start, source, compiler, flags, command."""
    keys = ("source", "compiler", "flags", "command")
    rows = [
        [name, f"{1000 * peer.get('start', 0):.1f}", *(str(peer.get(key, "")) for key in keys)]
        for name, peer in run.peers.items()
    ]
    return markdown(["program", "start, ms of CPU", *keys], rows)


def taken_with(run: Run) -> str:
    """Return lines that name the machine, the versions and the settings."""
    facts = [f"{what} {value}" for what, value in {**run.machine, **run.settings}.items()]
    return textwrap.fill("Taken with: " + ", ".join(facts) + ".", 100)


def tables(run: Run) -> str:
    """Return all tables of a run, with titles."""
    star = "A star: below 5 ms of CPU, so mostly the start of a process.\n\n" if run.peers else ""
    parts = {
        "Exact cover: all solutions, CPU seconds": run.problems
        and f"{star}{problem_table(run)}\n\n{ratio_line(run)}",
        "Sudoku: puzzles a second, one core": run.puzzles and star + puzzle_table(run),
        "Counts: CPU seconds": run.counts
        and f"{count_table(run)}\n\nPublished totals that are wrong:\n\n{published_table()}",
        "Costs: CPU seconds for the cheapest solution and its proof": run.costs and cost_table(run),
        "Rates, one core": run.rates and rate_table(run),
        "Single calls, one core": run.calls and call_table(run),
        "Starts": run.starts and start_table(run),
        "External programs": run.peers and peer_table(run),
    }
    shown = [f"### {title}\n\n{part}" for title, part in parts.items() if part]
    return "\n\n".join([taken_with(run), *shown]) + "\n"


# files


def machine(cpu: str | None) -> dict[str, str]:
    """Return the machine and the versions of a run.

    Parameters
    ----------
    cpu : str or None
        The processor that our kernels are compiled for, if it is not the one that there is.
    """
    model, flags = platform.processor() or platform.machine(), ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        about = dict(line.split(":", 1) for line in info.read_text().splitlines() if ":" in line)
        about = {name.strip(): value.strip() for name, value in about.items()}
        model, flags = about.get("model name", model), about.get("flags", "")
    width = "avx512" if "avx512vl" in flags else "avx2" if "avx2" in flags else ""
    kind = "-".join(filter(None, (platform.machine().replace("_", "-"), width)))
    found = {
        "kind": f"{kind}-as-{cpu}" if cpu else kind,
        "code": revision(),
        "processor": model,
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def revision() -> str:
    """Return the last commit that changed a package, "+" if files differ; else the version."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(ROOT), *words, "--", "dlx", "sudoku"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = "+" if git("status", "--porcelain") else ""
        return git("log", "-1", "--format=%h", "--abbrev=7") + changed
    except (OSError, subprocess.CalledProcessError):
        return dlx.__version__


def tidy(run: Run) -> Iterator[dict[str, Any]]:
    """Yield one row for each round of each subject: columns for a data frame."""
    for table in Run.TABLES:
        for name, cells in getattr(run, table).items():
            for subject, cell in cells.items():
                for number, value in enumerate(cell.seconds):
                    yield {
                        "kind": run.machine.get("kind", ""),
                        "table": table,
                        "case": name,
                        "subject": subject,
                        "round": number,
                        "seconds": f"{value:.6g}",
                        "puzzles": run.sizes.get(name, "") if table == "puzzles" else "",
                        "answer": cell.details.get("answer", cell.details.get("done", "")),
                        "nodes": cell.details.get("nodes", ""),
                    }


def write(run: Run, parts: str) -> None:
    """Write the run's JSON and CSV, RESULTS.md, the plot, and the table in README.md.

    `parts` says what was measured, if that is not all: the rest is kept as it is stored, if the
    machine and the versions are the same.
    """
    RESULTS.mkdir(parents=True, exist_ok=True)
    kind = run.machine["kind"]
    path = RESULTS / f"{kind}.json"
    if parts and path.exists() and (before := Run.load(path)).machine == run.machine:
        run = run.added_to(before, parts)
    run.save(path)
    rows = list(tidy(run))
    with (RESULTS / f"{kind}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0] if rows else (), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    write_documents()


def stored() -> list[Run]:
    """Return the runs that are stored, those with the widest vectors first."""
    files = [path for path in sorted(RESULTS.glob("*.json")) if path.stem != "workers"]
    runs = [Run.load(path) for path in files]
    # "avx512" before "avx2"; runs for another processor than there was come last
    return sorted(runs, key=lambda run: ("-as-" in (kind := run.machine["kind"]), -len(kind)))


def write_documents() -> None:
    """Write RESULTS.md, the plot and the table in README.md from the runs that are stored."""
    runs = stored()
    parts = [f"## {run.machine['kind']}\n\n{tables(run)}" for run in runs]
    (ROOT / "benchmarks/RESULTS.md").write_text(PREFACE + "\n".join(parts), encoding="utf-8")
    (ROOT / "docs/pictures/speed.svg").write_text(plot(runs[0]), encoding="utf-8", newline="\n")
    readme = ROOT / "README.md"
    before, mark, rest = readme.read_text(encoding="utf-8").partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if mark and end:
        shown = f"{short(runs)}\n\n{SENTENCE}\n\n{call_table(runs[0], SHORT_CALLS)}"
        readme.write_text(f"{before}{mark}\n\n{shown}\n\n{end}{after}", encoding="utf-8")


MARKS = ("<!-- figures -->", "<!-- end of figures -->")
PREFACE = """# The last runs, one for each kind of processor

Made by `python -m benchmarks --write`; raw figures are in `results/processors`, as JSON and as CSV
with a row for each round. Every subject runs in a process of its own, in turn with the others,
several rounds (once if it takes more than a second); the figures are medians of CPU seconds on
one core. In brackets: the multiple of our own time (`search`, with the kernel that `dlx` chooses).
`links` is the dancing links kernel, `listed` returns all solutions in arrays, `count` is
`dlx.Count`. This package and Python packages are measured with everything compiled and read; the
time of an external program is that of its process; the last table has its start, on a tiny input. A
cell without a number says why: the bound on seconds, a wrong answer, or no answer in the output.

"""

SHORT_PROBLEMS = ("queens12", "pent6x10", "soma", "latin7red", "rand4_80", "macmahon4x6")
SHORT_CALLS = (
    *("sudoku.is_unique(str)", "sudoku.solve(str)", "dlx.solve", "dlx.count_solutions(8"),
    *("exact-cover", "sage", "py-sudoku", "dokusan"),
)
SENTENCE = textwrap.fill(
    "Single calls, with kernels compiled. The unit is numpy's sum of 81 bytes, in the same process;"
    " the problem is Knuth's example of 6 options, the puzzle a minimal one.",
    100,
)
SHORT_COUNTS = ("domino16x16", "tetromino8x8")
SHORT_SETS = ("easy-9x9", "minimal-9x9", "few-givens-9x9", "hard-9x9", "several-solutions")


def best_peer(run: Run, cells: Mapping[str, Cell]) -> tuple[float, str]:
    """Return the least median of the peers, and whose it is; (inf, "") for none."""
    times = [
        (cell.median, name)
        for name, cell in cells.items()
        if name not in (*OWN, *PUZZLE_COLUMNS)
        and "first" not in name
        and cell.median
        and not is_small(cell, name in run.external)
    ]
    return min(times, default=(math.inf, ""))


def short(runs: Sequence[Run]) -> str:
    """Return the table of the README: ours on each kind of processor, and the best peer."""
    cases = [("problems", name, OURS, "all solutions of") for name in SHORT_PROBLEMS]
    cases += [("counts", name, "count", "number of solutions of") for name in SHORT_COUNTS]
    sets = [name for name in SHORT_SETS if name in runs[0].puzzles] or list(runs[0].puzzles)
    cases += [("puzzles", name, "limit 2", "one solution?") for name in sets]
    rows = [row for case in cases if (row := _short_row(runs, *case))]
    kinds = [run.machine["kind"] for run in runs]
    return markdown(["one core", f"ours, {kinds[0]}", "best peer there", *kinds[1:]], rows)


def _short_row(runs: Sequence[Run], table: str, name: str, own: str, what: str) -> list[str]:
    """Return a row of the README's table; an empty one if this case was not measured."""

    def figure(run: Run, time: float | None) -> str:
        if not time:
            return ""
        return f"{seconds(time)} s" if table != "puzzles" else f"{rate(run.sizes[name] / time)}/s"

    times = [getattr(run, table).get(name, {}).get(own, Cell()).median for run in runs]
    if not times[0]:
        return []
    best, peer = best_peer(runs[0], getattr(runs[0], table)[name])
    beaten = ""
    if peer:
        beaten = f"{figure(runs[0], best)} {peer.split(',')[0]} ({best / times[0]:.1f}x)"
    first, *others = (figure(run, time) for run, time in zip(runs, times, strict=True))
    return [f"{what} {name}", f"**{first}**", beaten, *others]


def plot(run: Run) -> str:
    """Return a picture of each peer's time over ours, one dot a problem, as SVG."""
    peers = [name for name in run.subjects("problems") if name not in OWN]
    names = list(run.problems)
    left, wide, step, in_row = 130, 520, 22, 6
    top = 28 + 18 * -(-len(peers) // in_row)  # below the rows of the legend
    high = 1000.0

    def x(ratio: float) -> float:
        return left + wide * (math.log10(min(max(ratio, 0.1), high)) + 1) / 4

    bottom = top + step * len(names)
    parts = []
    for tick in (0.1, 1, 10, 100, 1000):
        parts.append(
            svg.line((x(tick), top - 8), (x(tick), bottom), "wall" if tick == 1 else "link")
        )
        parts.append(svg.text((x(tick), bottom + 14), f"{tick:g}x", "soft", 13))
    for number, name in enumerate(names):
        y = top + step * (number + 0.5)
        parts.append(svg.text((8, y), name, "left", 13))
        ours = run.problems[name][OURS].median
        for place, peer in enumerate(peers):
            cell = run.problems[name].get(peer, Cell())
            if ours and cell.median and not is_small(cell, peer in run.external):
                at = (x(cell.median / ours) - 5, y - 5)
                parts.append(svg.box(at, 10, 10, "", svg.COLOURS[place % len(svg.COLOURS)]))
    for place, peer in enumerate(peers):
        row, column = divmod(place, in_row)
        at = (8 + (left + wide) / in_row * column, 8 + 18 * row)
        parts.append(svg.box(at, 10, 10, "", svg.COLOURS[place % len(svg.COLOURS)]))
        parts.append(svg.text((at[0] + 15, at[1] + 5), peer, "left", 12))
    note = "times our CPU seconds for all solutions; right of the thick line: slower than ours"
    parts.append(svg.text((8, bottom + 36), note, "left soft", 13))
    return svg.drawing(left + wide + 40, bottom + 54, "Peers' times over ours", parts)
