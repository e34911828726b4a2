"""What the tests of the commands share: runs in this process and in others, a fake clock."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sudoku
from tests import processes

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"

UNIQUE = "000000002004200601600000900960804100000903000008706049005000008107008300400000000"
ANSWER = str(sudoku.solve(UNIQUE))
SEVERAL = ANSWER.replace("8", "0").replace("1", "0")
NONE = "55" + "0" * 79

posix = pytest.mark.skipif(os.name != "posix", reason="signals and descriptors as POSIX has them")


class Result:
    """What a command did: its exit status and what it wrote."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err
        self.lines = out.splitlines()


class FakeClock:
    """A clock that advances by `step` seconds whenever it is read."""

    def __init__(self, step=0.01):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


def imported_by(module, *calls):
    """Run the main function of a command with each of several lists of arguments.

    All in one process. Return the status of each, and whether numba has been loaded by then.
    """
    code = (
        f"import json, sys\nfrom {module} import main\n"
        "for arguments in json.loads(sys.argv[1]):\n"
        "    try: status = main(arguments)\n"
        "    except SystemExit as end: status = end.code\n"
        "    print('status', status, 'numba' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps([[*map(str, call)] for call in calls])],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=ROOT,
        check=True,
    )
    found = re.findall(r"^status (\d+) (True|False)$", done.stderr, re.M)
    return [(int(status), loaded == "True") for status, loaded in found]


def start(module, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, close=()):
    """Start a command as a process; descriptors in `close` are closed in it."""
    return processes.start(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        text=True,
        close=close,
    )


def interrupt_in_progress(module, *arguments, unit):
    """Interrupt a command when it shows 1,000 or more of `unit`; its status and standard error."""
    terminal, stderr = os.openpty()
    process = start(module, *arguments, stdout=subprocess.DEVNULL, stderr=stderr)
    os.close(stderr)
    process.stdin.close()
    reported = b""
    while not re.search(rf"\d,\d{{3}} {unit}, ".encode(), reported):
        reported += os.read(terminal, 1000)
    process.send_signal(signal.SIGINT)
    while piece := _read_to_end(terminal):
        reported += piece
    os.close(terminal)
    return process.wait(), reported.decode().replace("\r\n", "\n")


def _read_to_end(terminal):
    try:
        return os.read(terminal, 1000)
    except OSError:  # Linux: the other end of the terminal is closed
        return b""
