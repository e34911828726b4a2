"""Commands with little memory give the answer, or one line and status 2.

``FAULTS_MEMORY=20 python -m pytest tests/faults/test_memory.py`` runs every command with 20 limits.
"""

import os
import sys

import pytest

from tests.faults import commands
from tests.faults.commands import Command

if sys.platform != "linux":
    pytest.skip(
        "these tests limit the address space, which only Linux enforces", allow_module_level=True
    )

VALUES = int(os.environ.get("FAULTS_MEMORY", "0"))
MIB = 1 << 20
ENOUGH = 1600 * MIB
# the third needs more than the command demands to start
GREEDY = [
    Command("dlx", ("{problem}", "--sample", "1", "--seed", "1"), separator=b"\n\n"),
    Command("sudoku.dlx", ("{data}/empty6.txt", "--count", "--diagonal"), counts=True),
    Command("sudoku.generate", ("2000", "--box", "2x2", "--seed", "1")),
]
ALL = [*GREEDY, *commands.COMMANDS]
# what the commands import before they can report anything
MODULES = "argparse, contextlib, dataclasses, importlib.util, math, re, resource, signal, threading"


@pytest.fixture(scope="module")
def least():
    """Return bytes of memory with which Python starts and imports modules of its own."""
    low, high = 4, 200  # MiB: too little, enough
    while high - low > 1:
        middle = (low + high) // 2
        line = [sys.executable, "-c", f"import {MODULES}"]
        status, _, _ = commands.run(line, memory=middle * MIB)
        low, high = (low, middle) if status == 0 else (middle, high)
    return (high + 12) * MIB  # the modules of the package itself take some as well


@pytest.mark.parametrize("command", ALL if VALUES else GREEDY, ids=str)
def test_with_little_memory_a_command_answers_or_ends_with_one_line(command, least, tmp_path):
    line = command.line(tmp_path)
    status, whole, err = commands.run(line)
    assert status == command.status, err
    number = VALUES or 6
    limits = [int(least * (ENOUGH / least) ** (k / (number - 1))) for k in range(number)]
    statuses = []
    for limit in limits:
        status, out, err = commands.run(line, memory=limit)
        statuses.append(status)
        where = f"{command} with {limit // MIB} MiB: status {status}, {err}"
        if status == command.status:
            assert out == whole, where
        else:
            assert status == 2, where
            assert commands.is_one_line(err), where
            assert "memory" in err or "address space" in err or "allocate" in err, where
    print(command, list(zip([limit // MIB for limit in limits], statuses, strict=True)))
    assert statuses[0] == 2 and statuses[-1] == command.status


def test_a_limit_that_is_too_low_is_reported_with_the_least_possible_one(tmp_path):
    command = GREEDY[0]
    status, _, err = commands.run(command.line(tmp_path), memory=100 * MIB)
    assert status == 2
    assert err == (
        "dlx: the address space is limited to 100 MiB (ulimit -v); at least 600 MiB are needed\n"
    )
