"""Commands that are killed or interrupted at any moment leave an old file or a whole one.

``FAULTS_KILLS=100 python -m pytest tests/faults/test_kill.py`` sends each signal to each command at
100 instants, others at every run. An instant is a number of calls of functions, after which the
process says so and goes on, until the signal comes. Every fifth process starts as a user starts it;
the others are forks (`tests.processes`), which spend their time in the command and not in imports.
"""

import os
import random
import re
import signal
import subprocess

import pytest

from tests import processes
from tests.faults import commands
from tests.faults.commands import COMMANDS, LONG, ROOT
from tests.modes import CHECKED

if os.name != "posix":
    pytest.skip("these tests send signals, which Windows does not have", allow_module_level=True)

KILLS = int(os.environ.get("FAULTS_KILLS", "0"))
OLD = b"this was here before\n"
INPUTS = (".dlx", ".txt")
OWN_MAIN = re.compile(rf'"{re.escape(str(ROOT))}/.*", line \d+, in main\n')  # Python's site has one
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}
SIGNALS = [signal.SIGKILL, signal.SIGINT, signal.SIGTERM]
# with bounds checks, which matter to no signal, each command is sent one of them in turn
CASES = [
    (command, number)
    for turn, command in enumerate(COMMANDS)
    for kind, number in enumerate(SIGNALS)
    if not CHECKED or kind == turn % len(SIGNALS)
]


def is_new(command, turn):
    """Whether this process starts as a user starts it, not as a fork."""
    return turn % 5 == 0 if KILLS else command is COMMANDS[0]


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """Return what a command writes when nothing disturbs it, and how many calls it takes, about."""
    known = {}

    def ask(command, new):
        if (command, new) not in known:
            folder = tmp_path_factory.mktemp("complete")
            out = folder / "out"
            line = processes.at_call(command.line(folder, "-o", out), 0)
            for own in [False, new] if KILLS or new else [new]:  # the first run may compile
                status, dots, err = commands.run(line, new=own)
                assert status == command.status, err
            known[command, new] = out.read_bytes(), 1000 * len(dots) + 1000
        return known[command, new]

    return ask


@pytest.mark.parametrize(("command", "number"), CASES, ids=str)
def test_a_signal_leaves_the_old_file_or_the_whole_one(command, number, complete, tmp_path):
    draw = random.Random(None if KILLS else f"{command} {number}")
    for turn in range(KILLS or 1):
        new = is_new(command, turn)
        whole, calls = complete(command, new)
        instant = draw.randint(1, calls)
        folder = tmp_path / str(turn)
        folder.mkdir()
        out = folder / "out"
        out.write_bytes(OLD)
        line = processes.at_call(command.line(folder, "-o", out), instant)
        process = commands.start(line, new=new)
        process.stdout.read(1)  # at its end there is nothing to read
        process.send_signal(number)
        try:
            _, reported = process.communicate(timeout=LONG)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise AssertionError(f"{command} does not end after {instant} calls") from None
        err = reported.decode()
        where = f"{command} after {instant} calls: status {process.returncode}, {err}"
        names = sorted(path.name for path in folder.iterdir() if path.suffix not in INPUTS)
        found = out.read_bytes()
        if process.returncode == command.status:
            assert (names, found) == (["out"], whole), where
        elif number == signal.SIGKILL:
            assert process.returncode == -number, where
            assert found in (OLD, whole), where
        elif process.returncode in (-number, 1):
            # while Python itself started or ended, before or after the call of the command
            assert names == ["out"] and found in (OLD, whole), where
            assert not OWN_MAIN.search(err), where
        else:
            assert process.returncode == STATUS[number], where
            assert "Traceback" not in err, where
            if found == whole:  # a signal after the last word, before the process ended
                assert names == ["out"] and "out.partial" not in err, where
                continue
            assert found == OLD, where
            assert names in (["out"], ["out", "out.partial"]), where
            if "out.partial" in names:
                kept = (folder / "out.partial").read_bytes()
                assert kept and commands.is_part(kept, whole, command), where
                assert "out.partial" in err, where
