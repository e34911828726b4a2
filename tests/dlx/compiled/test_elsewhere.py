"""Compilation by another process: `dlx.compiled.elsewhere`."""

import importlib
import sys

import numba
import numpy as np
import pytest
from numba.core.event import RecordingListener, install_listener

import dlx
from dlx.compiled import elsewhere
from dlx.compiled.elsewhere import CompilingElsewhere, present_compiler
from dlx.count import driver
from dlx.diagram import build

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="there is nothing to compile without the JIT"
)

KERNEL = """
from dlx.compiled import kernel

@kernel
def sum_to(number):
    total = 0
    for k in range(number):
        total += k
    return total
"""
MESSAGE = "numba compiles, which takes seconds; if it can, it keeps the code for later runs"


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A kernel that is neither compiled nor stored."""
    name = f"kernel_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(KERNEL)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path, tmp_path])  # which Python skips
    yield importlib.import_module(name).sum_to
    del sys.modules[name]


def compiled_here(kernel):
    """Call a kernel; return whether this process has compiled it."""
    recorded = RecordingListener()
    with install_listener("numba:compile", recorded):
        assert kernel(5) == 10
    return bool(recorded.buffer)


def test_a_kernel_is_compiled_by_another_process_and_loaded_here(kernel, monkeypatch, caplog):
    monkeypatch.setattr("dlx.compiled._first.is_logged", False)
    with CompilingElsewhere(True) as compiler:
        assert present_compiler() is compiler
        assert not compiled_here(kernel)
        process = compiler._process
        assert process.poll() is None
    assert present_compiler() is None
    assert process.poll() is not None
    assert caplog.messages == [MESSAGE]
    assert kernel(3) == 3
    assert sum(kernel.stats.cache_hits.values()) == 1


def test_a_process_compiles_what_no_other_one_can(kernel, monkeypatch):
    with CompilingElsewhere(False):
        assert present_compiler() is None
    monkeypatch.setattr(sys, "executable", "/usr/bin/program")  # with an interpreter inside
    with CompilingElsewhere(True):
        assert present_compiler() is None
    monkeypatch.setattr(sys, "executable", "/no/folder/python")
    with CompilingElsewhere(True):
        assert compiled_here(kernel)


def test_a_process_that_ends_leaves_the_rest_to_this_one(kernel, monkeypatch):
    monkeypatch.setattr(elsewhere, "CODE", "")
    with CompilingElsewhere(True):
        assert compiled_here(kernel)
        assert kernel(np.int8(5)) == 10


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")
def test_an_interrupt_ends_the_process(kernel, monkeypatch):
    interrupt = "import os, signal, sys; os.kill(os.getppid(), signal.SIGINT); sys.stdin.read()"
    monkeypatch.setattr(elsewhere, "CODE", interrupt)
    with CompilingElsewhere(True) as compiler:
        with pytest.raises(KeyboardInterrupt):
            kernel(5)
        assert compiler._process is None
        monkeypatch.setattr(elsewhere, "CODE", "")
        assert compiled_here(kernel)


def test_a_block_that_another_thread_has_ended_leaves_no_process(kernel, monkeypatch):
    start = elsewhere._start
    with CompilingElsewhere(True) as compiler:

        def start_late():
            compiler.__exit__()
            return start()

        monkeypatch.setattr(elsewhere, "_start", start_late)
        assert compiled_here(kernel)
        assert compiler._process is None


def test_small_limits_of_memory_have_kernels_compiled_elsewhere(monkeypatch):
    wanted = []

    class Recorded(CompilingElsewhere):
        def __init__(self, is_wanted):
            wanted.append(is_wanted)
            super().__init__(False)

    monkeypatch.setattr(driver, "CompilingElsewhere", Recorded)
    monkeypatch.setattr(build, "CompilingElsewhere", Recorded)
    options = [[k % 6, 6 + k // 6] for k in range(36)]
    for limit in (None, 1 << 30, 252_000_000, 251_000_000, 1 << 20):
        count = dlx.count_solutions(options, method="sweep", memory_limit=limit)
        assert dlx.solution_set(options, memory_limit=limit).count == count == 720
    assert wanted == 3 * [False] + 3 * [False] + 3 * [False] + 3 * [True] + 3 * [True]
