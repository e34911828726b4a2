"""Build the wheel and the sdist and check what a user gets: ``python -m tests.release FOLDER``.

Both pass `twine check`. The wheel holds the two packages and nothing else, with the markers of
types and the license. The first command of the README works in the unpacked sdist, whose folder is
printed last; the tests can be run there. The fresh environment that this command makes, without the
packages that it installs, is that of the wheel: installed alone, away from these files, it solves a
puzzle and a problem.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOLVE = "import dlx, sudoku; print(dlx.solve([[0, 1], [2]]), sudoku.count_solutions('.' * 16))"
PUZZLE = "1...\n..2.\n.3..\n...4\n"
SOLVED = "1243\n3421\n4312\n2134\n"


def run(*words: str | Path, cwd: Path, text: str | None = None) -> str:
    """Run a command and return its output; its failure ends this program."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        input=text,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\nstatus {done.returncode}: {' '.join(map(str, words))}")
    return done.stdout


def check(condition: bool, problem: str) -> None:
    """Raise SystemExit with this problem unless the condition holds."""
    if not condition:
        raise SystemExit(problem)


def build(folder: Path) -> tuple[Path, Path]:
    """Build both archives into an empty folder; return the wheel and the sdist."""
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist, cwd=ROOT)
    return wheel, sdist


def check_wheel(wheel: Path) -> None:
    """Check the names in the wheel and its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        about = HeaderParser().parsestr(archive.read(metadata).decode())
    top = {name.split("/")[0] for name in names}
    info = metadata.split("/")[0]
    check(top == {"dlx", "sudoku", info}, f"{wheel.name} installs {sorted(top)}")
    needed = {"dlx/py.typed", "sudoku/py.typed", f"{info}/licenses/LICENSE"}
    check(needed <= set(names), f"{wheel.name} lacks {sorted(needed - set(names))}")
    check(about["License-Expression"] == "MIT", "no license expression")
    check(bool(about.get_all("Project-URL")), "no URL")
    check(len(about.get_all("Classifier", [])) > 10, "few classifiers")


def unpack(sdist: Path) -> Path:
    """Unpack the sdist beside itself and check what it holds; return its folder."""
    with tarfile.open(sdist) as archive:
        archive.extractall(sdist.parent, filter="data")
    folder = sdist.parent / sdist.name.removesuffix(".tar.gz")
    for name in ("LICENSE", "README.md", "CHANGELOG.md", "data", "docs", "tests", "benchmarks"):
        check((folder / name).exists(), f"{sdist.name} lacks {name}")
    made = [path for path in folder.rglob("*") if path.suffix in (".pyc", ".nbi", ".nbc")]
    check(not made, f"{sdist.name} holds {made[:1]}")
    return folder


def check_readme(folder: Path) -> Path:
    """Run the first command of the README in the unpacked sdist; return its environment."""
    readme = (folder / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^python3 -m venv .*$", readme, re.M)
    check(len(commands) == 2, "the README does not have its two commands")
    first = commands[0].replace("python3", sys.executable, 1)
    printed = run("bash", "-c", first, cwd=folder)
    puzzles = (folder / "data/documents.txt").read_text(encoding="utf-8").split()
    solved = printed.split()
    check(len(solved) == len(puzzles), f"{first}\nprints {printed}")
    for puzzle, grid in zip(puzzles, solved, strict=True):
        fits = all(given in ("0", digit) for given, digit in zip(puzzle, grid, strict=True))
        check(fits and "0" not in grid, f"{first}\nprints {grid} for {puzzle}")
    return folder / ".venv"


def check_installed(wheel: Path, environment: Path) -> None:
    """Install the wheel in place of its project and use it in an empty folder."""
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    project = wheel.name.split("-")[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "pip", "uninstall", "--quiet", "--yes", project, cwd=folder)
        run(python, "-m", "pip", "install", "--quiet", wheel.resolve(), cwd=folder)
        run(python, "-m", "pip", "check", cwd=folder)
        printed = run(python, "-c", SOLVE, cwd=folder)
        check(printed.split() == ["(0,", "1)", "288"], f"the installed packages print {printed}")
        printed = run(scripts / "sudoku", "-", cwd=folder, text=PUZZLE)
        check(printed == SOLVED, f"the installed command prints {printed}")
        for absent in ("benchmarks", "data", "docs", "tests"):
            found = f"from importlib.util import find_spec; print(find_spec({absent!r}))"
            check(
                run(python, "-c", found, cwd=folder).strip() == "None",
                f"the wheel installs {absent}",
            )


def main() -> None:
    """Build, check, and print the folder of the unpacked sdist."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.release", description=(__doc__ or "").replace("`", "")
    )
    parser.add_argument("folder", type=Path, help="for the archives; what it holds is deleted")
    folder = parser.parse_args().folder.resolve()
    wheel, sdist = build(folder)
    check_wheel(wheel)
    unpacked = unpack(sdist)
    if os.name == "posix":
        environment = check_readme(unpacked)
    else:  # the command is one of a POSIX shell
        environment = unpacked / ".venv"
        venv.create(environment, with_pip=True)
    check_installed(wheel, environment)
    shutil.rmtree(environment)
    print(unpacked)


if __name__ == "__main__":
    main()
