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


@dataclass(frozen=True)
class Peer:
    """An external program that reads a problem or a puzzle file.

    Attributes
    ----------
    name : str
        The column of the tables.
    command : str
        ``{dlx}`` or ``{puzzles}`` stands for the file; ``<{dlx}`` sends the file to standard
        input. A command with neither reads a problem on standard input.

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

    @classmethod
    def parse(cls, text: str) -> "Peer":
        """Read ``name=command``; raise ValueError if the text has another form."""
        name, equals, command = text.partition("=")
        if not (name and equals and command.strip()):
            raise ValueError(f"--peer {text!r}: expected name=command")
        return cls(name, command)

    @property
    def kind(self) -> str:
        """What the program reads: ``dlx`` or ``puzzles``."""
        return "puzzles" if "{puzzles}" in self.command else "dlx"

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


def run_subject(subject: str, file: Path, bound: float) -> dict[str, Any]:
    """Measure one of `benchmarks.subjects` once, in a process of its own."""
    argv = [sys.executable, "-m", "benchmarks.subjects", subject, str(file.resolve())]
    _, _, text, status = run_process(argv, None, bound)
    if status is None:
        return {"unfit": f"> {bound:.0f} s"}
    try:
        result: dict[str, Any] = json.loads(text[text.rindex("\n{") + 1 if "\n{" in text else 0 :])
    except ValueError:
        return {"unfit": f"failed: {text.strip().splitlines()[-1:]}"}
    return result


def run_peer(peer: Peer, file: Path, bound: float, answer: int | None) -> dict[str, Any]:
    """Run an external program once; its CPU time includes reading the input."""
    argv, stdin = peer.argv(str(file.resolve()))
    try:
        cpu, peak, text, status = run_process(argv, stdin, bound)
    except OSError as fault:
        return {"unfit": f"not started: {fault.strerror}"}
    if status is None:
        return {"unfit": f"> {bound:.0f} s"}
    result: dict[str, Any] = {"seconds": cpu, "peak_mb": peak}
    numbers = {int(number) for number in re.findall(r"\d+", text.replace(",", ""))}
    if answer in numbers:
        result["answer"] = answer
    elif peer.kind == "dlx" and answer is not None:
        return {"unfit": "no such answer"}
    if nodes := re.search(r"(\d+) (?:search )?nodes", text):
        result["nodes"] = int(nodes[1])
    return result


def alternate(
    file: Path, subjects: Sequence[str], peers: Sequence[Peer], repeats: int, bound: float
) -> dict[str, Cell]:
    """Run each subject and peer in turn, the whole round `repeats` times.

    Every answer is compared with the first subject's. What was unfit or too slow once is not
    run again.

    Returns
    -------
    dict of str to Cell
        The measurements of each subject and peer.
    """
    cells = {name: Cell() for name in [*subjects, *(peer.name for peer in peers)]}
    answer: int | None = None
    for _ in range(repeats):
        for subject in subjects:
            if not cells[subject].unfit:
                answer = take(cells[subject], run_subject(subject, file, bound), answer)
        for peer in peers:
            if not cells[peer.name].unfit:
                take(cells[peer.name], run_peer(peer, file, bound, answer), answer)
    return cells


def take(cell: Cell, result: dict[str, Any], answer: int | None) -> int | None:
    """Add one result to its cell; return the answer that others are compared with."""
    if "unfit" in result:
        cell.unfit = result["unfit"]
        return answer
    given = result.get("answer")
    if answer is not None and given is not None and given != answer:
        cell.unfit = f"wrong: {given}"
        return answer
    cell.seconds.append(result.pop("seconds"))
    cell.details |= result
    return answer if given is None else given
