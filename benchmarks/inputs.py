"""The problem and puzzle files that are measured."""

from pathlib import Path

from benchmarks.problems import NAMED, text
from benchmarks.runs import ROOT

START_PUZZLES = 49_151


def problem_files(given: Path | None, scratch: Path) -> list[Path]:
    """Return the problems to measure, as files in Knuth's format.

    Parameters
    ----------
    given : Path or None
        A file or a folder of ``.dlx`` files; None for the named problems.
    scratch : Path
        The folder into which the named problems are written.
    """
    if given is not None:
        return [given] if given.is_file() else sorted(given.glob("*.dlx"))
    files = []
    for name, make in NAMED.items():
        files.append(scratch / f"{name}.dlx")
        files[-1].write_text(text(make()))
    return files


def puzzle_files(given: Path | None) -> list[Path]:
    """Return the puzzle files to measure: those of a given folder, or those of data/.

    A file of data/ is measured if it holds 100 puzzles or more.
    """
    folder = given or ROOT / "data"
    files = [folder] if folder.is_file() else sorted(folder.glob("*.txt"))
    return [file for file in files if given is not None or len(puzzle_lines(file)) >= 100]


def puzzle_lines(file: Path) -> list[str]:
    """Return the puzzles of a file with one puzzle a line."""
    lines = file.read_text().splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def one_size(file: Path) -> bool:
    """Whether all puzzles of a file have the same size."""
    return len({len(line) for line in puzzle_lines(file)}) == 1


def start_files(given: Path | None, scratch: Path) -> tuple[Path, Path, Path]:
    """Write what the start-up times are measured on.

    Returns
    -------
    tuple of Path
        A file of one puzzle, one of a small problem, and one of 49,151 puzzles (the largest file
        of 17-clue puzzles, or else the largest file of 9 x 9 puzzles, repeated).
    """
    one, small = scratch / "one.txt", scratch / "small.dlx"
    large = scratch / f"{START_PUZZLES:,} puzzles.txt"
    sets = [file for file in puzzle_files(given) if one_size(file)]
    sets = [file for file in sets if len(puzzle_lines(file)[0]) == 81]
    named = [file for file in sets if "17" in file.stem] or sets
    lines = puzzle_lines(max(named, key=lambda file: len(puzzle_lines(file))))
    one.write_text(lines[0] + "\n")
    small.write_text("a b c\na\nb c\n")
    repeated = (lines * (START_PUZZLES // len(lines) + 1))[:START_PUZZLES]
    large.write_text("\n".join(repeated) + "\n")
    return one, small, large
