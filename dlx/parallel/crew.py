"""Crews: threads of this process, or workers of an executor, that run the tasks of a search.

`Threads` and `SearchWorkers` have the same methods and properties:

- `submit` begins a task that ends after `most` solutions, and returns a future.
- `result` turns the value of the future into a `TaskResult`, or into None if the task has to be
  submitted again with the search (`dlx.parallel.remote`).
- `cancelled` is called when a task has ended without a result.
- `failed` is called when a task has ended with an error. It raises an error if the task must not be
  submitted again.
- `stop` ends the tasks if that takes only milliseconds, and returns whether it does.
- `room` is the number of tasks that should be running.
- `works_ahead` is whether a worker without a task begins one of a later round. With `Threads` it is
  False, because `stop` would end such a task in the middle of its work.

`Workers` has what all tasks of an executor need, also those of a sweep (`dlx.parallel.sweeps`).
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ThreadPoolExecutor,
)
from itertools import count
from typing import Any

from dlx.checks import brief, solutions_text
from dlx.errors import DlxError, ProblemError, WorkerError
from dlx.parallel import remote
from dlx.parallel.task import Place, Question, Task, TaskResult, Worker
from dlx.problem import Problem, without_names

# Units of work (about a nanosecond) of a task of the first generation. Each further generation has
# twice the budget, up to DOUBLED times: short at first, so that all workers soon have a task.
THREAD_BUDGET, THREAD_DOUBLED = 10_000_000, 4
REMOTE_BUDGET, REMOTE_DOUBLED = 100_000_000, 5
TRIES = 3  # times that a task is submitted whose worker dies
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

    works_ahead = False

    def __init__(self, worker: Worker, jobs: int) -> None:
        self._workers, self._jobs = remote.Copies(worker), jobs
        self._pool: ThreadPoolExecutor | None = None
        self._stopped = False

    @property
    def room(self) -> int:
        """Enough tasks that no thread waits while results are collected."""
        return 2 * self._jobs

    def submit(self, task: Task, most: int) -> Future[Any]:
        """Begin a task."""
        self._stopped = False
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._jobs, "dlx")
        return self._pool.submit(self._work, task, most)

    def _work(self, task: Task, most: int) -> TaskResult:
        began = time.perf_counter()
        allowance = budget(task, THREAD_BUDGET, THREAD_DOUBLED)
        result: TaskResult = self._workers.run(
            task.branches, allowance, most, lambda: self._stopped
        )
        return result._replace(seconds=time.perf_counter() - began)

    def result(self, task: Task, reply: TaskResult) -> TaskResult:
        """Return what the future returned."""
        return reply

    def cancelled(self, task: Task) -> None:
        """Do nothing."""

    def failed(self, task: Task, error: BaseException, found: int) -> None:
        """Raise the error: a thread does not die as a process may."""
        raise error

    def stop(self) -> bool:
        """Make all tasks end after their present slice."""
        self._stopped = True
        return True


class Workers:
    """The workers of an executor, which are sent a subject once a process, and tasks of it.

    Parameters
    ----------
    name : str
        Of the subject: the same for equal ones only.
    subject : tuple
        A class and the arguments of what runs its tasks; see `dlx.parallel.remote`.
    executor : Executor, or a function without arguments that returns one
        With a function, an executor that breaks is replaced.
    jobs : int, optional
        Number of its workers; by default as many as answer.
    """

    def __init__(
        self,
        name: str,
        subject: remote.Subject,
        executor: Executor | Callable[[], Executor],
        jobs: int | None,
    ) -> None:
        self._name = hashlib.blake2b(name.encode(), digest_size=16).digest()
        self._subject = subject
        at_hand = _is_executor(executor)
        self._make: Any = None if at_hand else executor
        self._executor: Any = executor if at_hand else None
        self._jobs = jobs
        self._numbers = count(secrets.randbits(62))  # other processes may use the same workers
        self._seen: set[str] = set()  # processes and threads that have replied
        self._lacking: set[str] = set()  # processes that replied that they do not have the subject
        self._sending: set[Place] = set()  # tasks that carry the subject and have no reply yet
        self._last_sent = 0  # the number of the last task that carried the subject
        self._missed = False  # a process replied that it lacks the subject to a later task
        self._tries: dict[Place, int] = {}  # of tasks that failed
        self._calls: dict[Place, tuple[int, Any]] = {}  # number and executor of those under way

    @property
    def room(self) -> int:
        """More tasks than workers. Without `jobs`, the workers are those that have replied."""
        return 2 * (self._jobs or len(self._seen)) + (2 if self._jobs else 6)

    def begin(self, place: Place, *task: Any) -> Future[Any]:
        """Begin a task, known by its place."""
        if self._executor is None:
            self._executor = self._made()
        number = next(self._numbers)
        self._calls[place] = number, self._executor
        # the executor chooses the process; the reply says whether this process has the subject
        is_sent = self._missed or len(self._sending) < len(self._lacking)
        subject = self._subject if is_sent else None
        future: Any = self._executor.submit(remote.run, (self._name, number), subject, *task)
        if not isinstance(future, Future):
            raise TypeError(f"submit returned {brief(future)}, not a Future")
        if is_sent:
            self._sending.add(place)
            self._last_sent, self._missed = number, False
        return future

    def _made(self) -> Any:
        """Return the executor that the caller's function makes, or raise an error for `fail`."""
        try:
            executor = self._make()
        except BrokenExecutor:  # as if the executor had been made
            raise
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            raise WorkerError(f"executor: the function failed with {text}") from error
        if not _is_executor(executor):
            text = f"executor: the function returned {brief(executor)}; an Executor is needed"
            raise ProblemError(text)
        return executor

    def take(self, place: Place, reply: remote.Reply) -> Any:
        """Return the result of a task, or None if the worker did not have the subject."""
        self._seen.add(reply.worker)
        self._sending.discard(place)
        number, _ = self._calls.pop(place)
        process = reply.worker.rpartition(":")[0]
        if reply.result is None:
            self._lacking.add(process)
            self._missed |= number > self._last_sent
        else:
            self._lacking.discard(process)
            self._tries.pop(place, None)
        return reply.result

    def forget(self, place: Place) -> None:
        """Note that a task has ended without a reply."""
        self._sending.discard(place)
        self._lacking.clear()  # one may have died; the others will reply again that they lack it

    def fail(self, place: Place, task: object, error: BaseException, kept: str) -> None:
        """Note that a task ended with an error, and is to be submitted again.

        Raises
        ------
        WorkerError
            It did so for the last time, or the executor is broken and cannot be replaced. The
            error names the task and says what is kept.
        ProblemError
            There is no executor.
        """
        if self._executor is None and isinstance(error, DlxError):
            raise error
        self.forget(place)
        if isinstance(error, KeyboardInterrupt):
            return
        tries = self._tries[place] = self._tries.get(place, 0) + 1
        text = " ".join(str(error).split()).rstrip(".")
        reason = f"{type(error).__name__}{': ' if text else ''}{text}"
        if tries >= TRIES:
            del self._tries[place]
            text = f"{task} failed {TRIES} times, last with {reason}; {kept}"
            raise WorkerError(text) from error
        if isinstance(error, BrokenExecutor):
            if self._make is None:
                raise WorkerError(f"the executor is broken: {reason}; {kept}") from error
            # other tasks of a broken one may fail when it has been replaced
            if self._calls.get(place, (0, None))[1] is self._executor:
                self._executor = None
                self._seen.clear()
                self._lacking.clear()


def _is_executor(value: object) -> bool:
    """Return whether this is an executor, and not a function or a class that makes one."""
    return hasattr(value, "submit") and not isinstance(value, type)


class SearchWorkers(Workers):
    """The workers of an executor, for a search.

    Parameters
    ----------
    problem : Problem
    question : Question
    executor, jobs
        As for `Workers`.
    """

    works_ahead = True

    def __init__(
        self,
        problem: Problem,
        question: Question,
        executor: Executor | Callable[[], Executor],
        jobs: int | None,
    ) -> None:
        name = repr((problem.digest, question, REMOTE_BUDGET))
        super().__init__(name, (Worker, without_names(problem), question), executor, jobs)

    def submit(self, task: Task, most: int) -> Future[Any]:
        """Begin a task."""
        allowance = budget(task, REMOTE_BUDGET, REMOTE_DOUBLED)
        return self.begin(task.place, task.branches, allowance, most)

    def result(self, task: Task, reply: Any) -> TaskResult | None:
        """Return the result, or None if the worker did not have the search."""
        read = remote.read(reply)
        result: TaskResult | None = self.take(task.place, read)
        return None if result is None else result._replace(seconds=read.seconds)

    def cancelled(self, task: Task) -> None:
        """Note that a task has ended without a reply."""
        self.forget(task.place)

    def failed(self, task: Task, error: BaseException, found: int) -> None:
        """Note that a task ended with an error; raise WorkerError if that was the last time."""
        self.fail(task.place, task, error, f"{solutions_text(found)} found so far")

    def stop(self) -> bool:
        """Return False: a task that has begun elsewhere continues."""
        return False
