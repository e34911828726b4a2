"""The tables (Markdown, JSON) and the plot (SVG) of a run."""

import json
import math
import os
import platform
import statistics
import textwrap
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.runs import Cell

Table = Mapping[str, Mapping[str, Cell]]


def machine() -> dict[str, str]:
    """Return the machine and the versions of a run."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    found = {
        "processor": model,
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    for package in ("numba", "numpy", "llvmlite", "xcover", "exact-cover", "ortools"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


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


def beside(cell: Cell, ours: Cell) -> str:
    """Return a peer's median and, in brackets, its multiple of ours."""
    if cell.unfit:
        return cell.unfit
    if cell.median is None or not ours.median:
        return ""
    return f"{seconds(cell.median)} ({cell.median / ours.median:.1f}x)"


def problem_table(table: Table, ours: str, kernels: Sequence[str], peers: Sequence[str]) -> str:
    """Return a table of CPU seconds for all solutions; peers with their multiple of `ours`."""
    rows = []
    for problem, cells in table.items():
        own = cells[ours]
        nodes = own.details.get("nodes")
        speed = rate(nodes / own.median) if nodes and own.median else ""
        rows.append(
            [
                problem,
                f"{own.details.get('answer', own.unfit):,}" if own.median else own.unfit,
                f"**{seconds(own.median)}**",
                str(own.details.get("kernel", "")),
                "" if nodes is None else f"{nodes:,}",
                speed,
                f"{own.details.get('peak_mb', 0):.0f}",
                *(beside(cells[name], own) for name in kernels),
                *(beside(cells[name], own) for name in peers),
            ]
        )
    header = ["problem", "solutions", ours, "kernel", "nodes", "nodes/s", "MB", *kernels, *peers]
    return markdown(header, rows)


def fastest(cells: Mapping[str, Cell], names: Sequence[str], ours: Cell) -> str:
    """Return the median and name of the fastest peer, and its multiple of ours."""
    times = [(median, name) for name in names if (median := cells[name].median) is not None]
    if not times or not ours.median:
        return ""
    median, name = min(times)
    return f"{seconds(median)} {name} ({median / ours.median:.1f}x)"


def short_problem_table(
    table: Table, ours: str, programs: Sequence[str], registry: Sequence[str]
) -> str:
    """Return a table of our CPU seconds, the fastest external program's and package's."""
    rows = []
    for problem, cells in table.items():
        own = cells[ours]
        rows.append(
            [
                problem,
                f"{own.details.get('answer', 0):,}",
                f"**{seconds(own.median)}**",
                fastest(cells, programs, own),
                fastest(cells, registry, own),
            ]
        )
    header = ["all solutions of", "solutions", "ours, s", "fastest C program", "fastest package"]
    return markdown(header, rows)


def taken_with(about: Mapping[str, str]) -> str:
    """Return lines that name the machine and the versions."""
    line = "Taken with: " + ", ".join(f"{what} {value}" for what, value in about.items()) + "."
    return textwrap.fill(line, 100)


def ratio_line(table: Table, ours: str, peers: Sequence[str]) -> str:
    """Return a paragraph with the median and the least of each peer's multiples of ours."""
    parts = []
    for peer in peers:
        ratios = [
            theirs / own
            for cells in table.values()
            if (theirs := cells[peer].median) and (own := cells[ours].median)
        ]
        if ratios:
            parts.append(
                f"{peer} {statistics.median(ratios):.1f}x (least {min(ratios):.1f}x, "
                f"{len(ratios)} problems)"
            )
    return f"\n\nOurs is faster by, in the median: {'; '.join(parts)}." if parts else ""


def puzzle_table(
    table: Table, sizes: Mapping[str, int], ours: Sequence[str], peers: Sequence[str]
) -> str:
    """Return a table of puzzles a second on each set."""
    rows = []
    for name, cells in table.items():
        row = [name, f"{sizes[name]:,}"]
        for subject in [*ours, *peers]:
            cell = cells.get(subject, Cell())
            row.append(rate(sizes[name] / cell.median) if cell.median else cell.unfit)
        rows.append(row)
    return markdown(["set", "puzzles", *ours, *peers], rows)


def start_table(starts: Mapping[str, float], bare: str) -> str:
    """Return a table of wall seconds of each start, and of their difference to `bare`."""
    rows = [
        [name, seconds(value), "" if name == bare else f"{value - starts[bare]:+.2f}"]
        for name, value in starts.items()
    ]
    return markdown(["start", "seconds", "above the bare one"], rows)


def plain(table: Table) -> dict[str, Any]:
    """Return a table as plain dictionaries, for JSON."""
    return {
        name: {
            subject: {"seconds": cell.seconds, **cell.details, "unfit": cell.unfit}
            for subject, cell in cells.items()
        }
        for name, cells in table.items()
    }


def write_json(path: Path, **parts: Any) -> None:
    """Write the raw figures of a run."""
    path.write_text(json.dumps(parts, indent=1, sort_keys=True) + "\n")


def plot(table: Table, ours: str, peers: Sequence[str], path: Path) -> bool:
    """Draw each peer's time over ours, one dot a problem; return False without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("svg")
    # equal runs write equal files
    matplotlib.rcParams["svg.hashsalt"] = "dlx"
    from matplotlib import pyplot

    problems = list(table)
    figure, axes = pyplot.subplots(figsize=(8, 0.32 * len(problems) + 1.5))
    for peer in peers:
        points = [
            (theirs / own, row)
            for row, name in enumerate(problems)
            if (theirs := table[name][peer].median) and (own := table[name][ours].median)
        ]
        if points:
            axes.scatter(*zip(*points, strict=True), label=peer, s=28)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(problems)), problems)
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("times our CPU seconds, all solutions (right of the line: slower than ours)")
    axes.legend(loc="best", fontsize="small")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return True
