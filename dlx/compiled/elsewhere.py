"""Compilation by another process, where this one has little memory.

numba keeps what it makes while it compiles: 120 MB for the kernels of a count. What another process
has compiled, this one loads from numba's cache in a tenth of that.
"""

from __future__ import annotations

import os
import pickle
import sys
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subprocess import Popen

CODE = "import sys; sys.path[:] = sys.argv[1:]; from dlx.compiled.elsewhere import serve; serve()"


class CompilingElsewhere:
    """Within the block, what any thread calls is compiled by a process, one kernel at a time.

    It starts with the first kernel. A program with an interpreter inside cannot start another one;
    then nothing changes.

    Parameters
    ----------
    is_wanted : bool
        If false, nothing changes.
    """

    def __init__(self, is_wanted: bool) -> None:
        self._is_wanted = is_wanted
        self._process: Popen[bytes] | None = None

    def __enter__(self) -> CompilingElsewhere:
        if self._is_wanted and os.path.basename(sys.executable or "").startswith("python"):
            _active.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        if self in _active:
            _active.remove(self)
        self._end()

    def compile(self, kernel: Any, signature: Any) -> None:
        """Have a kernel compiled and stored, if that is possible.

        Parameters
        ----------
        kernel : function
            In plain Python.
        signature : tuple of numba types
        """
        try:
            if self._process is None:
                self._process = _start()
            process = self._process
            if self not in _active:  # the block has ended, in another thread
                self._end()
                return
            requests, answers = process.stdin, process.stdout
            assert requests is not None and answers is not None
            pickle.dump((kernel.__module__, kernel.__name__, signature), requests)
            requests.flush()
            answers.readline()  # empty at once if the process has ended
        except OSError:  # no process can start, or it has ended
            pass
        except BaseException:  # an interrupt; the answer would be read as that of the next kernel
            self._end()
            raise

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


_active: list[CompilingElsewhere] = []


def present_compiler() -> CompilingElsewhere | None:
    """What compiles for this process, if it does not do so itself."""
    return _active[-1] if _active else None


def _start() -> Popen[bytes]:
    from subprocess import DEVNULL, PIPE, Popen

    arguments = [sys.executable, "-c", CODE, *map(os.fspath, sys.path)]
    return Popen(arguments, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)


def serve() -> None:
    """Compile what each line of the standard input names; answer each with a line."""
    requests: IO[bytes] = sys.stdin.buffer
    while True:
        try:
            module, name, signature = pickle.load(requests)
        except EOFError:
            return
        getattr(import_module(module), name).compile(signature)
        print(flush=True)
