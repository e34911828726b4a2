"""Crews: threads of this process, or workers of an executor, that work the tasks of a search.

Both classes have the same methods. `submit` begins a task that ends after `most` solutions, and
returns a future; `outcome` turns its result into an `Outcome`, or into None if the task has to be
submitted again with the search (`dlx.parallel.remote`). `failed` notes that a task has ended
without a result. `stop` ends the tasks if that takes milliseconds, and returns whether it does.
`room` is the number of tasks that should be under way.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from dlx.parallel import remote
from dlx.parallel.task import Outcome, Place, Question, Task, Worker
from dlx.problem import Problem

# Units of work (about a nanosecond) of a task of the first generation. Each further generation has
# twice the budget, up to DOUBLED times: short at first, so that everybody soon has something to do.
THREAD_BUDGET, THREAD_DOUBLED = 10_000_000, 4
REMOTE_BUDGET, REMOTE_DOUBLED = 100_000_000, 5
LISTED = 32  # tasks at most whose solutions wait to be taken: each holds some megabytes


def budget(task: Task, first: int, doubled: int) -> int:
    """The budget of a task: that of its generation."""
    return first << min(doubled, max(0, len(task.place) - 1))


class Threads:
    """Threads of this process; the kernels run without the interpreter's lock.

    Parameters
    ----------
    worker : Worker
        One of the search; each thread has another.
    jobs : int
    """

    def __init__(self, worker: Worker, jobs: int) -> None:
        self._first, self._jobs = worker, jobs
        self._idle = [worker]
        self._pool: ThreadPoolExecutor | None = None
        self._stopped = False

    @property
    def room(self) -> int:
        """So many that no thread waits while results are taken over."""
        return 2 * self._jobs

    def submit(self, task: Task, most: int) -> Future[Any]:
        """Begin a task."""
        self._stopped = False
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._jobs, "dlx")
        return self._pool.submit(self._work, task, most)

    def _work(self, task: Task, most: int) -> Outcome:
        began = time.perf_counter()
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = self._first.another()
        own = budget(task, THREAD_BUDGET, THREAD_DOUBLED)
        outcome = worker.work(task.branches, own, most, self._is_stopped)
        self._idle.append(worker)
        return outcome._replace(seconds=time.perf_counter() - began)

    def _is_stopped(self) -> bool:
        return self._stopped

    def outcome(self, task: Task, answer: Any) -> Outcome | None:
        """Return the answer."""
        own: Outcome = answer
        return own

    def failed(self, task: Task) -> None:
        """Do nothing."""

    def stop(self) -> bool:
        """Make all tasks end after their present slice."""
        self._stopped = True
        return True


class Workers:
    """The workers of an executor.

    Parameters
    ----------
    problem : Problem
    question : Question
    executor : Executor, or a function without arguments that returns one
        With a function, an executor that breaks is replaced.
    jobs : int, optional
        Number of its workers; by default as many as answer.

    Attributes
    ----------
    sent : int
        How often the problem was sent.
    """

    def __init__(
        self,
        problem: Problem,
        question: Question,
        executor: Executor | Callable[[], Executor],
        jobs: int | None,
    ) -> None:
        self._search = remote.bare(problem), question
        text = repr((problem.digest, question, REMOTE_BUDGET))
        self._name = hashlib.blake2b(text.encode(), digest_size=16).digest()
        at_hand = hasattr(executor, "submit") and not isinstance(executor, type)
        self._make: Any = None if at_hand else executor
        self._executor: Any = executor if at_hand else None
        self._jobs = jobs
        self._seen: set[str] = set()
        self._ignorant: set[str] = set()  # processes that did not know the search
        self._sending: set[Place] = set()  # tasks on their way with the search
        self.sent = 0

    @property
    def room(self) -> int:
        """More than there are workers, whose number no executor tells: it grows with those seen."""
        return 2 * (self._jobs or len(self._seen)) + (2 if self._jobs else 6)

    def submit(self, task: Task, most: int) -> Future[Any]:
        """Begin a task."""
        if self._executor is None:
            assert self._make is not None
            self._executor = self._make()
        # nobody can choose the process that gets the task: one that is still ignorant says so again
        search = self._search if len(self._sending) < len(self._ignorant) else None
        own = budget(task, REMOTE_BUDGET, REMOTE_DOUBLED)
        future: Future[Any] = self._executor.submit(
            remote.work, self._name, search, task.branches, own, most
        )
        if search is not None:
            self._sending.add(task.place)
            self.sent += 1
        return future

    def outcome(self, task: Task, answer: Any) -> Outcome | None:
        """Return the outcome, or None if the worker did not know the search."""
        own: remote.Answer = answer
        self._seen.add(own.worker)
        self._sending.discard(task.place)
        process = own.worker.rpartition(":")[0]
        if own.outcome is None:
            self._ignorant.add(process)
        else:
            self._ignorant.discard(process)
        return own.outcome

    def failed(self, task: Task) -> None:
        """Note that a task has ended without an answer."""
        self._sending.discard(task.place)
        self._ignorant.clear()  # one of them may have died; the others say so again

    def replace(self) -> bool:
        """Give a broken executor up; return whether there can be another."""
        if self._make is None:
            return False
        self._executor = None
        self._seen.clear()
        self._ignorant.clear()
        return True

    def stop(self) -> bool:
        """Return False: a task that has begun elsewhere goes on."""
        return False
