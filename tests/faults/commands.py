"""Run the commands as processes, to bring about faults on purpose."""

import os
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from tests import processes

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
LONG = 60  # seconds after which a process counts as one that hangs


@dataclass(frozen=True)
class Command:
    """A command whose output is the same at every run.

    Attributes
    ----------
    module : str
        As in ``python -m MODULE``.
    arguments : tuple of str
        ``{problem}`` stands for a file in Knuth's format, ``{priced}`` for one with costs,
        ``{data}`` for the folder of puzzles, ``{few}`` for a file with the first of one of them,
        ``{spill}`` for a new folder.
    counts : bool
        After an interrupt the last line may be a lower bound.
    ranks : bool
        After an interrupt the output is the best so far.
    separator : bytes
        What ends a complete piece of the output.
    status : int
        Exit status of a complete run.
    """

    module: str
    arguments: tuple[str, ...]
    counts: bool = False
    ranks: bool = False
    separator: bytes = b"\n"
    status: int = 0

    def __str__(self):
        return " ".join([self.module, *self.arguments])

    def line(self, folder, *more):
        """Return the arguments of the process."""
        files = {
            "problem": (folder / "problem.dlx", lambda: latin_squares(5)),
            "priced": (folder / "priced.dlx", lambda: latin_squares(6, costs=True)),
            "few": (
                folder / "few.txt",
                lambda: (DATA / "symmetry-full.txt").read_text()[: 82 * 60],
            ),
        }
        for name, (path, text) in files.items():
            if f"{{{name}}}" in self.arguments and not path.exists():
                path.write_text(text())
        paths = {name: path for name, (path, _) in files.items()}
        paths |= {"data": DATA, "spill": folder.with_name(f"{folder.name}-spill")}
        names = [argument.format(**paths) for argument in self.arguments]
        return [sys.executable, "-m", self.module, *names, *map(str, more)]


# each runs for some tenths of a second after it has started
COMMANDS = [
    Command("sudoku.dlx", ("{data}/minimal-9x9.txt", "--jobs", "1")),
    Command("sudoku.dlx", ("{data}/several-solutions.txt", "--all", "--limit", "20")),
    Command("sudoku.dlx", ("{data}/minimal-16x16.txt", "--count"), counts=True),
    Command("sudoku.dlx", ("{data}/empty6.txt", "--count", "--diagonal"), counts=True),
    Command("sudoku.grids", ("20000", "--seed", "1")),
    Command("sudoku.generate", ("40", "--seed", "1", "--quiet")),
    Command("sudoku.explain", ("{data}/documents.txt", "--format", "json")),
    Command("sudoku.explain", ("{few}", "--rate")),
    Command("dlx", ("{problem}", "--limit", "20000"), separator=b"\n\n"),
    Command("dlx", ("{problem}", "--limit", "20000", "--jobs", "2"), separator=b"\n\n"),
    Command("dlx", ("{problem}", "--count", "--method", "search"), counts=True),
    Command("dlx", ("{problem}", "--sample", "2000", "--seed", "1"), separator=b"\n\n"),
    Command("dlx", ("{priced}", "--best", "20"), ranks=True),
    Command(
        "dlx", ("{problem}", "--count", "--method", "sweep", "--spill", "{spill}"), counts=True
    ),
    Command("dlx.models", ("queens", "--n", "11", "--count")),
    Command("sudoku.dlx", ("{few}", "--sheet", "4x3")),
    Command("sudoku.dlx", ("{few}", "--format", "fpuzzles")),
]


def latin_squares(n, *, costs=False):
    """Return the problem of all latin squares of this order in Knuth's format."""
    cells = product(range(n), repeat=3)
    options = [f"p{r}{c} r{r}{s} c{c}{s}" for r, c, s in cells]
    items = sorted({item for option in options for item in option.split()})
    if costs:
        options = [f"{option} |{k * k % 97}" for k, option in enumerate(options)]
    return "\n".join([" ".join(items), *options]) + "\n"


def start(line, *, memory=None, close=(), environment=(), new=False, **options):
    """Start a process whose signals are those of a terminal, perhaps with limited memory.

    Without a limit or variables of its own it is a fork (`tests.processes`), unless `new`.

    Parameters
    ----------
    line : sequence of str
        Its arguments.
    memory : int, optional
        Bytes of its address space.
    close : iterable of int
        Descriptors that it does not have.
    environment : mapping, optional
        Variables beside those of this process; None removes one.
    new : bool
        Whether Python itself is started.
    """
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if not (new or memory or environment):
        return processes.start(line, close=close, **(streams | options))
    variables = os.environ | {"PYTHONPATH": str(ROOT)}
    for name, value in dict(environment).items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = str(value)

    def prepare():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for descriptor in close:
            os.close(descriptor)
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    return subprocess.Popen(line, env=variables, preexec_fn=prepare, **(streams | options))


def run(line, *, data=None, timeout=LONG, **options):
    """Run a process to its end: its exit status, standard output and standard error."""
    if data is not None:
        options["stdin"] = subprocess.PIPE
    process = start(line, **options)
    try:
        out, err = process.communicate(data, timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"{line} hangs") from None
    return process.returncode, out, err.decode()


def is_one_line(err):
    """Whether this is one line of text, and no part of a traceback."""
    return err.count("\n") == 1 and err.endswith("\n") and "Traceback" not in err


def is_part(kept, whole, command):
    """Whether this is the beginning of an output, or what a count says when it is interrupted."""
    if command.counts:
        head, _, last = kept.rstrip(b"\n").rpartition(b"\n")
        for mark in (b">= ", b"at least "):
            if last.startswith(mark):
                complete = whole.splitlines()
                done = len(head.splitlines())
                bound = int(last.removeprefix(mark))
                return is_start(head, whole) and bound <= int(complete[done].split()[-1])
    end = command.separator
    if command.ranks:
        return kept.endswith(end)
    return is_start(kept, whole) and (
        kept.endswith(end) or whole[len(kept) :].startswith(end[1:]) or kept == whole
    )


def is_start(kept, whole):
    """Whether an output begins with these bytes."""
    return whole.startswith(kept)
