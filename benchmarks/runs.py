"""Run subjects and external programs in turn, several rounds, each within a time limit."""

import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COMPILING = 60  # wall seconds that a subject of ours may take for compiling, beyond its bound
UNBOUNDED = ("count by search",)  # takes longer than any bound on some problems
ONCE = 1.0  # seconds from which a subject is run once


ANSWER = r"(?i)\b(?:altogether|total|solutions?)\b\D{0,9}(\d+)"
"""How a program states its answer, by default."""


@dataclass
class Peer:
    """An external program that reads a problem or a puzzle file.

    Attributes
    ----------
    name : str
        The column of the tables.
    command : str
        ``{dlx}`` or ``{puzzles}`` stands for the file; ``<{dlx}`` sends the file to standard
        input. A command with neither reads a problem on standard input.
    kind : str
        ``dlx`` (visits solutions), ``bounded`` (also with multiplicities), ``count`` (counts them),
        ``costs`` (finds the cheapest) or ``puzzles``.
    compare : str
        The subject of ours whose answer it must give; empty for the first one.
    answer : str
        A regular expression; its group is the answer.
    about : dict of str to str
        Source, compiler, flags.
    start : float
        CPU seconds that it takes on a tiny input.

    Examples
    --------
    >>> Peer.parse("dlx2=./dlx2").kind
    'dlx'
    >>> Peer.parse("tdoku=./solve {puzzles}").argv("top.txt")
    (['./solve', 'top.txt'], None)
    >>> Peer.parse("dlx2=./dlx2 m5").argv("q.dlx")
    (['./dlx2', 'm5'], 'q.dlx')
    """

    name: str
    command: str
    kind: str = "dlx"
    compare: str = ""
    answer: str = ANSWER
    about: dict[str, str] = field(default_factory=dict)
    start: float = 0.0

    @classmethod
    def parse(cls, text: str) -> "Peer":
        """Read ``name=command``; raise ValueError if the text has another form."""
        name, equals, command = text.partition("=")
        if not (name and equals and command.strip()):
            raise ValueError(f"--peer {text!r}: expected name=command")
        kind = "puzzles" if "{puzzles}" in command else "dlx"
        return cls(name, command, kind, "limit 2" if kind == "puzzles" else "")

    @classmethod
    def read(cls, file: Path) -> "list[Peer]":
        """Read the peers that `benchmarks.build_peers` has built."""
        peers = []
        for entry in json.loads(file.read_text(encoding="utf-8")):
            own = {key: entry.pop(key) for key in ("name", "command", "kind", "answer")}
            peers.append(cls(**own, compare=entry.pop("compare", ""), about=entry))
        return peers

    def stated(self, text: str) -> int | None:
        r"""Return the answer that an output states.

        >>> Peer("dlx1", "./dlx1").stated("9 options read\nAltogether 92 solutions, 7+8 mems")
        92
        >>> Peer("tdoku", "./tdoku").stated("took 92 ms")
        """
        found = re.search(self.answer, text)
        return int(found[1]) if found else None

    def argv(self, file: str) -> tuple[list[str], str | None]:
        """Return the words of the command for a file, and the file for standard input, if any."""
        words = shlex.split(self.command)
        if not any("{dlx}" in word or "{puzzles}" in word for word in words):
            words.append("<{dlx}")
        filled = [word.replace("{dlx}", file).replace("{puzzles}", file) for word in words]
        stdin = next((word[1:] for word in filled if word.startswith("<")), None)
        return [word for word in filled if not word.startswith("<")], stdin


@dataclass
class Cell:
    """The measurements of one subject on one problem.

    Attributes
    ----------
    seconds : list of float
        CPU seconds of each round.
    details : dict
        Answer, nodes, kernel, peak megabytes: what the last round reported.
    unfit : str
        Why the subject was not measured (further); empty if it was.
    """

    seconds: list[float] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)
    unfit: str = ""

    @property
    def median(self) -> float | None:
        """The median of the CPU seconds; None without a measurement."""
        return statistics.median(self.seconds) if self.seconds else None


def run_process(
    argv: Sequence[str], stdin: str | None, bound: float, env: dict[str, str] | None = None
) -> tuple[float, float, str, int | None]:
    """Run a command to its end, or until `bound` wall seconds have passed.

    Returns
    -------
    seconds, megabytes : float
        CPU time and peak memory.
    text : str
        The end of the output: a listing can be long, and totals follow it.
    status : int or None
        The exit status; None for a process that was stopped.
    """
    stopped = threading.Event()
    with (
        open(stdin or os.devnull, "rb") as source,
        tempfile.TemporaryFile() as output,
    ):
        process = subprocess.Popen(
            argv, stdin=source, stdout=output, stderr=subprocess.STDOUT, cwd=ROOT, env=env
        )

        def stop() -> None:
            stopped.set()
            process.kill()

        timer = threading.Timer(bound, stop)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - 65_536))
        text = output.read().decode(errors="replace")
    cpu = usage.ru_utime + usage.ru_stime
    return cpu, usage.ru_maxrss / 1024, text, None if stopped.is_set() else process.returncode


def run_subject(
    subject: str, file: Path, bound: float, env: dict[str, str] | None = None
) -> dict[str, Any]:
    """Measure one of `benchmarks.subjects` once, in a process of its own."""
    argv = [sys.executable, "-m", "benchmarks.subjects", subject, str(file.resolve())]
    _, _, text, status = run_process(argv, None, bound, env)
    if status is None:
        return {"unfit": f"> {bound:.0f} s"}
    try:
        result: dict[str, Any] = json.loads(text[text.rindex("\n{") + 1 if "\n{" in text else 0 :])
    except ValueError:
        return {"unfit": f"failed: {text.strip().splitlines()[-1:]}"}
    return result


def run_compiled(
    subject: str, file: Path, bound: float, env: dict[str, str] | None
) -> dict[str, Any]:
    """Measure a subject with its kernels compiled: runs that compile one are repeated."""
    for _ in range(4):
        extra = 0 if subject in UNBOUNDED else COMPILING
        result = run_subject(subject, file, bound + extra, env)
        if not result.pop("compiled", False):
            break
    if result.get("seconds", 0) > bound:
        return {"unfit": f"> {bound:.0f} s"}
    return result


def run_peer(peer: Peer, file: Path, bound: float) -> dict[str, Any]:
    """Run an external program once; its CPU time includes its start and reading the input."""
    argv, stdin = peer.argv(str(file.resolve()))
    try:
        cpu, peak, text, status = run_process(argv, stdin, bound)
    except OSError as fault:
        return {"unfit": f"not started: {fault.strerror}"}
    if status is None:
        return {"unfit": f"> {bound:.0f} s"}
    answer = peer.stated(text)
    if answer is None:
        return {"unfit": "states no answer"}
    result: dict[str, Any] = {"seconds": cpu, "peak_mb": peak, "answer": answer}
    if nodes := re.search(r"(\d+) (?:search )?nodes", text):
        result["nodes"] = int(nodes[1])
    return result


def measure_start(peer: Peer, file: Path) -> None:
    """Set the start of a peer: the median of five runs on a tiny file."""
    argv, stdin = peer.argv(str(file.resolve()))
    try:
        peer.start = statistics.median(run_process(argv, stdin, 10)[0] for _ in range(5))
    except OSError:
        peer.start = 0.0  # its runs report the reason


def alternate(
    file: Path,
    subjects: Sequence[str],
    peers: Sequence[Peer],
    repeats: int,
    bound: float,
    env: dict[str, str] | None = None,
    total: int | None = None,
) -> dict[str, Cell]:
    """Run each subject and peer in turn, the whole round `repeats` times.

    The answer of a peer that names a subject is compared with that subject's; all others with the
    total, if it is known, else with the first one. What was unfit once is not run again, nor is
    what took more than a second.

    Returns
    -------
    dict of str to Cell
        The measurements of each subject and peer.
    """
    cells = {name: Cell() for name in [*subjects, *(peer.name for peer in peers)]}
    answers: dict[str, int] = {} if total is None else {"": total}

    def again(cell: Cell) -> bool:
        return not cell.unfit and (cell.median or 0) < ONCE

    for _ in range(repeats):
        for subject in subjects:
            if again(cells[subject]):
                result = run_compiled(subject, file, bound, env)
                key = subject if result.pop("puzzles", False) else ""
                answer = take(cells[subject], result, answers, key)
                if answer is not None:
                    answers.setdefault(key, answer)
        for peer in peers:
            if again(cells[peer.name]):
                take(cells[peer.name], run_peer(peer, file, bound), answers, peer.compare)
    return cells


def take(cell: Cell, result: dict[str, Any], answers: dict[str, int], compare: str) -> int | None:
    """Add one result to its cell unless its answer is wrong; return its answer."""
    if "unfit" in result:
        cell.unfit = result["unfit"]
        return None
    answer: int | None = result.get("answer")
    expected = answers.get(compare)
    if answer is not None and expected is not None and answer != expected:
        cell.unfit = f"wrong: {answer}"
        return None
    cell.seconds.append(result.pop("seconds"))
    cell.details |= result
    return answer
