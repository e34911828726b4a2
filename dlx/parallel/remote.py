"""Tasks in the workers of an executor; their subject is sent once to each process.

The subject is a class and its arguments: those of a `Worker` of a search, with its problem, or of
the `Expander` of a sweep, with its masks. An executor of `concurrent.futures` has no way to send
something to each of its workers, and these may join and leave. So a task first carries only the
name of its subject. A process that does not have it replies so, and the task is submitted again
with the subject, which the process then keeps.
"""

from __future__ import annotations

import os
import pickle
import socket
import threading
import time
from collections import OrderedDict
from typing import Any, NamedTuple

from dlx.checks import brief

SUBJECTS_KEPT = 4  # subjects that a process keeps: their arrays may take megabytes

Subject = tuple[Any, ...]  # what makes a worker, and its arguments

_kept: OrderedDict[bytes, Copies] = OrderedDict()
_lock = threading.Lock()


class Copies:
    """A worker and copies of it, one for each thread that runs its tasks.

    Parameters
    ----------
    worker : object
        With `run`, which runs a task, and `another`, which returns a copy.
    """

    def __init__(self, worker: Any) -> None:
        self._first, self._idle = worker, [worker]

    def run(self, *task: Any) -> Any:
        """Run a task by an idle copy or a new one; return the result."""
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = self._first.another()
        result = worker.run(*task)
        self._idle.append(worker)
        return result


class Reply(NamedTuple):
    """What a process replies."""

    worker: str  # which process and thread
    result: Any  # None if the process does not have the subject
    seconds: float  # time it took


def run(name: tuple[bytes, int], subject: Subject | None, *task: Any) -> bytes:
    """Run a task, and return a pickle of the `Reply`, for `read`.

    Dask never ends a future whose result it cannot unpickle, as may be that of a worker with
    another version of this package.

    Parameters
    ----------
    name : (bytes, int)
        Of the subject, and the number of the call: Dask takes equal calls for one, and returns the
        old reply again.
    subject : tuple, or None
        What it is, if the process is not expected to have it.
    task
        The arguments of the worker's function `run`.
    """
    began = time.perf_counter()
    worker_name = f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
    kept = _find(name[0], subject)
    result = None if kept is None else kept.run(*task)
    reply = Reply(worker_name, result, time.perf_counter() - began)
    return pickle.dumps(reply, pickle.HIGHEST_PROTOCOL)


def read(reply: object) -> Reply:
    """Return the reply of which `run` has returned a pickle."""
    value = pickle.loads(reply) if isinstance(reply, bytes) else reply
    if not isinstance(value, Reply):
        raise TypeError(f"the executor returned {brief(value)}, not what its task returns")
    return value


def _find(name: bytes, subject: Subject | None) -> Copies | None:
    """Return what a process keeps of a subject, or makes of it now; None if it does not have it."""
    with _lock:
        if name not in _kept and subject is not None:
            _kept[name] = Copies(subject[0](*subject[1:]))
            while len(_kept) > SUBJECTS_KEPT:
                _kept.popitem(last=False)
        kept = _kept.get(name)
        if kept is not None:
            _kept.move_to_end(name)
        return kept
