"""Processes that run a command and begin at once: forks of one that has imported numba.

A new Python needs some 0.7 s of CPU time before a command begins, most of it for numba. Tests that
are not about the start use `start`: on Linux the process is a fork of a server, which has imported
both packages; its arguments, streams, folder, variables and signals are those of a new process.
Elsewhere it is a new process.
"""

import atexit
import ctypes
import inspect
import os
import pickle
import re
import shlex
import signal
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PR_SET_CHILD_SUBREAPER = 36  # prctl(2)
LARGEST = 1 << 17  # bytes of a request: arguments and variables
SHELL = re.compile(r"[|<>&;$`*?~(]")  # what only a shell understands
TARGETS = (0, 1, 2)  # descriptors of standard input, output and error


def start(line, *, close=(), env=None, **options):
    """Start ``python -m MODULE ...`` or ``python -c CODE ...``.

    Parameters
    ----------
    line : sequence of str
        Its arguments, `sys.executable` first.
    close : iterable of int
        Descriptors that it does not have.
    env : mapping, optional
        Its variables. Those that numba reads when it is imported have no effect.
    **options
        Those of `subprocess.Popen` for streams and folder.

    Returns
    -------
    subprocess.Popen
    """
    if sys.platform == "linux":
        return Fork([[*map(os.fspath, line)], list(close)], env=env, **options)
    variables = os.environ if env is None else env
    variables = {**variables, "PYTHONPATH": str(ROOT)}

    def prepare():
        for descriptor in close:
            os.close(descriptor)

    return subprocess.Popen(line, preexec_fn=prepare if close else None, env=variables, **options)


def run(line, data=None, timeout=None, **options):
    """Run such a process to its end, as `subprocess.run` with ``capture_output``."""
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start(line, **(streams | options)) as process:
        out, err = process.communicate(data, timeout)
    return subprocess.CompletedProcess(line, process.returncode, out, err)


AT_CALL = """
import os, runpy, sys
left, module = int(sys.argv[1]), sys.argv[2]
del sys.argv[1:3]
def count(*event):
    global left
    left -= 1
    if left == 0 or (left < 0 and left % 1000 == 0):
        os.write(1, b".")
sys.setprofile(count)
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


def at_call(line, number):
    """The arguments of a process that reports how far it is.

    Parameters
    ----------
    line : sequence of str
        Those of a process that does not write to its standard output, ``python -m MODULE ...``.
    number : int
        Of calls and returns of functions in its main thread, after which it writes a byte; then
        one after each 1000 more. With 0, one after each 1000 from the beginning.
    """
    python, kind, module, *arguments = line
    assert kind == "-m"
    return [python, "-c", AT_CALL, str(number), module, *arguments]


def shell(command, *, env=None, **options):
    """Run a line of a shell, in which ``python`` stands for this Python; its output is text."""
    before, pipe, last = command.strip().rpartition("| python -m ")
    if (pipe or last.startswith("python -m ")) and not SHELL.search(last):
        first = shell(before, env=env, **options) if pipe else None
        if first is None or first.returncode == 0:
            words = shlex.split(last.removeprefix("python -m "))
            data = None if first is None else first.stdout
            line = [sys.executable, "-m", *words]
            return run(line, data, env=env, text=True, encoding="utf-8", **options)
    python = shlex.quote(sys.executable)
    return subprocess.run(
        ["bash", "-c", "set -o pipefail; " + re.sub(r"\bpython (?=-)", f"{python} ", command)],
        env=(os.environ if env is None else env) | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        **options,
    )


class Fork(subprocess.Popen):
    """A process forked by the server; all but its start is as for any other process."""

    def _execute_child(self, *arguments):
        given = inspect.signature(super()._execute_child).bind(*arguments).arguments
        pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        ends = [given[name] for name in pipes]
        folder, variables = given["cwd"] or os.getcwd(), given["env"] or os.environ
        request = pickle.dumps([*given["args"], os.fspath(folder), dict(variables)])
        streams = [end if end >= 0 else own for own, end in enumerate(ends[i] for i in (0, 3, 5))]
        channel, _ = server()
        socket.send_fds(channel, [request], streams)
        self.pid = int(channel.recv(100))
        self._child_created = True
        self._close_pipe_fds(*ends)


@cache
def server():
    """Return a socket for requests, and the server, which lives as long as this process."""
    # what the server's forks start is adopted by the nearest ancestor that says so
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    code = f"from tests.processes import serve; serve({other.fileno()})"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        pass_fds=[other.fileno()],
        start_new_session=True,  # Ctrl-C in a terminal is not for the server
    )
    other.close()

    def end():
        own.close()  # which ends the server
        process.wait()

    atexit.register(end)
    return own, process


def serve(descriptor):
    """Fork for each request; returns in the forks only, when they have run."""
    import gc
    from importlib import import_module
    from pkgutil import walk_packages

    import numba

    import dlx
    import sudoku

    for package in (dlx, sudoku):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    numba.njit(lambda: 0)()  # numba prepares what all kernels need
    gc.freeze()  # the forks share memory with the server as long as nobody writes to it
    channel = socket.socket(fileno=descriptor)
    while True:
        request, streams, _, _ = socket.recv_fds(channel, LARGEST, len(TARGETS))
        if not request:
            os._exit(0)
        reading, writing = os.pipe()
        if first := os.fork():
            os.close(writing)
            os.waitpid(first, 0)  # now the process that runs has another parent
            channel.send(os.read(reading, 100))
            for used in (reading, *streams):
                os.close(used)
        elif second := os.fork():
            os.write(writing, str(second).encode())
            os._exit(0)
        else:
            break
    _become(streams, *pickle.loads(request))


def _become(streams, line, close, folder, variables):
    """Run what a new process with this command line would run."""
    import runpy

    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream, target in zip(streams, TARGETS, strict=True):
        os.dup2(stream, target)
    os.closerange(len(TARGETS), max(streams) + 1)
    for target in close:
        os.close(target)
    sys.stdin, sys.stdout, sys.stderr = map(_open, TARGETS, ("<stdin>", "<stdout>", "<stderr>"))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    _, kind, code, *arguments = line
    sys.argv = [kind, *arguments]
    status = None
    try:
        if kind == "-m":
            sys.modules.pop(code, None)
            runpy.run_module(code, run_name="__main__", alter_sys=True)
        else:
            assert kind == "-c"
            exec(code, sys.modules["__main__"].__dict__)
    except SystemExit as ending:
        status = ending.code
        if not isinstance(status, int | None):
            raise
    _end(status or 0)


def _end(status):
    """End as Python does, but free no objects: those of the server are there, too."""
    import threading

    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):
        sys.exit(status)  # the streams are flushed once more, and Python reports it
    os._exit(status)


def _open(target, name):
    """Return the text stream of a descriptor, or None if it is closed, as Python does."""
    import io

    try:
        raw = io.FileIO(target, "w" if target else "r", closefd=False)
    except OSError:
        return None
    raw.name = name
    buffered = io.BufferedWriter(raw) if target else io.BufferedReader(raw)
    errors = "backslashreplace" if target == 2 else None
    return io.TextIOWrapper(buffered, errors=errors, line_buffering=target == 2 or raw.isatty())
