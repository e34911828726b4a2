"""What a worker of an executor calls: tasks by name of their search, which is sent once a worker.

An executor of `concurrent.futures` has no way to send something to each of its workers, and these
may come and go. So a task first carries only the name of its search. A process that does not know
it answers so, and the task is submitted again with the problem, which the process then keeps.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import OrderedDict
from typing import NamedTuple

from dlx.parallel.task import Branches, Outcome, Question, Worker
from dlx.problem import Problem

KEPT = 4  # searches that a process keeps: their arrays may take megabytes

_searches: OrderedDict[bytes, Search] = OrderedDict()
_lock = threading.Lock()


class Search(NamedTuple):
    """A search as a process keeps it: a worker, and those that are idle, one for each thread."""

    first: Worker
    idle: list[Worker]


class Answer(NamedTuple):
    """What a process answers.

    Attributes
    ----------
    worker : str
        Which process and thread.
    outcome : Outcome or None
        None if the process does not know the search.
    """

    worker: str
    outcome: Outcome | None


def bare(problem: Problem) -> Problem:
    """Return the problem without the names of items and colours, which a process does not need."""
    bounds = {} if problem.bounds is None else dict(enumerate(problem.bounds.tolist()))
    return Problem.from_arrays(
        problem.start,
        problem.item,
        problem.colour,
        num_primary=problem.num_primary,
        num_secondary=problem.num_secondary,
        multiplicities={item: (low, high) for item, (low, high) in bounds.items()},
    )


def work(
    name: bytes,
    search: tuple[Problem, Question] | None,
    branches: Branches,
    budget: int,
    most: int,
) -> Answer:
    """Work a task; see `Worker.work`.

    Parameters
    ----------
    name : bytes
        Of the search.
    search : tuple of Problem and Question, or None
        What it is, if the process is not expected to know it.
    branches, budget, most
        The task.
    """
    began = time.perf_counter()
    own = f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
    known = _known(name, search)
    if known is None:
        return Answer(own, None)
    try:
        worker = known.idle.pop()
    except IndexError:
        worker = known.first.another()
    outcome = worker.work(branches, budget, most)
    known.idle.append(worker)
    return Answer(own, outcome._replace(seconds=time.perf_counter() - began))


def _known(name: bytes, search: tuple[Problem, Question] | None) -> Search | None:
    with _lock:
        if name not in _searches and search is not None:
            first = Worker(*search)
            _searches[name] = Search(first, [first])
            while len(_searches) > KEPT:
                _searches.popitem(last=False)
        known = _searches.get(name)
        if known is not None:
            _searches.move_to_end(name)
        return known
