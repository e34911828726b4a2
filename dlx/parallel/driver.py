"""ParallelSearch: a search whose tasks are run by several threads or by an executor.

A run begins in the caller's thread: a search of a few milliseconds ends there, without starting
threads. The rest is split into tasks. A thread, the manager, submits them and collects their
results; the caller's thread only waits. So Ctrl-C, which Python raises in the main thread, cannot
interrupt a change of the agenda. The manager thread ends when the run ends or the solution buffer
is full; in the second case the caller restarts it.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import chain
from operator import length_hint
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict, Unpack
from weakref import ref

import numpy as np

from dlx.checks import (
    as_executor,
    as_flag,
    as_jobs,
    as_limit,
    as_options,
    as_path,
    at_least,
    num_cores,
    refuse_unknown,
    solutions_text,
    timeout_error,
)
from dlx.errors import ProblemError, is_interrupt
from dlx.parallel.agenda import Agenda
from dlx.parallel.crew import LISTED, SearchWorkers, Threads
from dlx.parallel.task import (
    BATCH_NUMBERS,
    SHARES,
    TASK_NUMBERS,
    Question,
    Task,
    TaskResult,
    Totals,
    Worker,
    split,
)
from dlx.problem import Int32s, Problem, as_problem
from dlx.search.batches import padded, stream, tuples
from dlx.search.branch import Branch
from dlx.search.counters import EXHAUSTED, NODES, UNLIMITED, UPDATES
from dlx.search.driver import (
    FIRST_NUMBERS,
    NO_ROWS,
    REPORT_SECONDS,
    SolutionIterator,
    Stats,
)
from dlx.search.kernel import (
    has_trial,
    kernel_name,
    load_first_steps,
    load_kernel,
    start_trial,
    trial_updates,
    work_of,
)

if TYPE_CHECKING:
    from dlx.count.methods import PlainSearch
    from dlx.parallel.ledger import Ledger

FIRST_WORK = 4_000_000  # units of work (about nanoseconds) that the caller's thread does alone
PAUSE = 0.02  # seconds between two checks of limits
STOP_SECONDS = 0.1  # seconds that a stopped run waits for tasks that are being run
READY = 256  # batches, each of up to 256 KiB, that are kept in memory for the caller


class WorkerSettings(TypedDict, total=False):
    """The keyword arguments that workers add to those of a search; see `ParallelSearch`."""

    jobs: int | str | None
    executor: Executor | Callable[[], Executor] | None
    ledger: str | os.PathLike[str] | None
    raises: bool


class ParallelSearch(SolutionIterator):
    """A search for the solutions of a problem by several workers.

    Parameters
    ----------
    problem, given, limit, time_limit, progress, kernel
        As for `dlx.Search`.
    jobs : int or "all", optional
        Number of threads, "all" for as many as the process may use cores; with an executor, the
        number of its workers, by default as many as answer.
    executor : concurrent.futures.Executor, or a function that returns one, optional
        An executor used instead of threads. If it is a function without arguments, it is called
        again when an executor breaks.
    ledger : str or path, optional
        An SQLite database in which every task that ends is recorded. If the process ends for any
        reason, the same search with the same ledger continues where it stopped.
    raises : bool
        Whether a run that `time_limit` ends raises TimeoutError.

    Raises
    ------
    ProblemError, KernelError
        As for `dlx.Search`.
    StateError, OutputError
        The ledger is that of another problem, version or question, or in use, or cannot be
        written; raised when the search begins.
    WorkerError
        While it runs: a task failed three times, or the executor is broken. What was found is
        kept, and another run continues, with another `executor` if this attribute is changed.

    Notes
    -----
    The solutions and their order are those of `dlx.Search`, for any number of workers.

    Examples
    --------
    >>> search = ParallelSearch([[0, 1], [2], [0], [1, 2]], jobs=2)
    >>> list(search), search.status
    ([(0, 1), (2, 3)], 'exhausted')
    """

    def __init__(
        self,
        problem: Problem | Iterable[Iterable[Any]],
        *,
        given: Iterable[int] = (),
        limit: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[Stats], object] | None = None,
        kernel: str = "auto",
        **workers: Unpack[WorkerSettings],
    ) -> None:
        self._crew: Threads | SearchWorkers | None = None  # these two first: `__del__` reads them
        self._futures: dict[Future[Any], Task] = {}
        super().__init__()
        refuse_unknown(workers, WorkerSettings.__optional_keys__, "ParallelSearch")
        self.problem = as_problem(problem)
        self.given = as_options(given, self.problem.num_options, "given")
        self.limit = limit
        self.time_limit = time_limit
        self.progress = progress
        self._jobs = as_jobs(workers.get("jobs"))
        self.executor = as_executor(workers.get("executor"))
        ledger = workers.get("ledger")
        self.ledger = None if ledger is None else as_path(ledger, "ledger")
        self._raises = as_flag(workers.get("raises"), "raises")
        self._before_tasks: TaskResult | None = None  # of a search that this one continues
        self._round: int | None = None  # the number of tasks of a round of `count_round`
        self._begins = False  # the manager is to begin a round, or to end the rounds
        self._has_trial = has_trial(self.problem, kernel, first=self._limit == 1)
        self._kernel_name = kernel_name(self.problem, kernel)
        self._name = self._kernel_name  # of the kernel that did the work
        self._lock = threading.RLock()  # of a run
        self._change = threading.Condition()  # of the agenda, `_ready` and `_error`
        self._agenda: Agenda | None = None
        self._listing = True
        self._manager: threading.Thread | None = None
        self._halt = False  # the manager is to end
        self._error: BaseException | None = None
        self._ready: deque[Int32s] = deque()  # the solutions of the first tasks, in order
        self._current = NO_ROWS  # those being returned
        self._rows: Iterator[tuple[int, ...]] = iter(())  # what is left of them
        self._before = 0  # solutions returned or counted before `_current`
        self._is_open = False
        self._seconds = 0.0

    @classmethod
    def after(cls, search: PlainSearch, problem: Problem, **settings: Any) -> ParallelSearch:
        """Return the search that continues to count where another one stopped.

        Parameters
        ----------
        search : PlainSearch
            Of the same problem, with the same givens.
        problem, settings
            As for the constructor, without `kernel`.
        """
        continued = cls(problem, kernel=search.name, **settings)
        continued._listing = False
        tasks = split(search.open_branches(), SHARES)
        continued._before_tasks = TaskResult(
            search.num_solutions, search.nodes, search.updates, [], tasks
        )
        return continued

    # properties

    @property
    def limit(self) -> int | None:
        """The number of solutions after which the search stops; None for no limit."""
        return self._limit

    @limit.setter
    def limit(self, limit: int | None) -> None:
        self._limit = as_limit(limit)
        self._leave_batch()

    @property
    def num_solutions(self) -> int:
        """The number of solutions returned or counted so far; any thread may read it."""
        if not self._listing and self._agenda is not None:
            found = self._agenda.totals.found
            return found if self._limit is None else min(found, self._limit)
        return self._before + len(self._current) - length_hint(self._rows)

    @property
    def stats(self) -> Stats:
        """Solutions, nodes, updates, seconds, kernel and fraction done, over all runs."""
        agenda = self._agenda
        totals, done = (Totals(), 0.0) if agenda is None else (agenda.totals, agenda.done)
        nodes, updates = totals.nodes, totals.updates
        return Stats(self.num_solutions, nodes, updates, self._seconds, self._name, done)

    def __repr__(self) -> str:
        found = solutions_text(self.num_solutions)
        return f"<ParallelSearch of {self.problem!r}: {self.status}, {found}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a ParallelSearch cannot be pickled or copied; a ledger keeps it in a file")

    @property
    def _present_agenda(self) -> Agenda:
        """The agenda; there is one once the search has begun."""
        assert self._agenda is not None
        return self._agenda

    @property
    def _present_crew(self) -> Threads | SearchWorkers:
        """The crew; there is one as long as there is a manager."""
        assert self._crew is not None
        return self._crew

    # runs

    def _next_batch(self) -> tuple[int, ...]:
        """Return the next solution; without a limit let `next` take the others of its batch."""
        solution = None
        try:
            with self._lock:
                if self._status == "running" or self._stopped:
                    self._leave_batch()
                else:
                    self._begin_run()
                    self._is_begun_by_next = True
                while True:
                    if self._stopped:
                        self._end_run("stopped")
                    elif self._limit is not None and self.num_solutions >= self._limit:
                        self._end_run("limit")
                    else:
                        for solution in self._rows:
                            if self._limit is None:
                                self._next = chain(self._rows, self._next_batch_iterator).__next__
                            if self._stopped:  # by another thread, just now
                                self._leave_batch()  # type: ignore[unreachable]
                            return solution
                        if self._fill():
                            continue
                    raise StopIteration
        except KeyboardInterrupt:
            if solution is not None:
                self._rows = iter([solution, *self._rows])
            raise

    def arrays(self) -> Iterator[Int32s]:
        """Continue the search and return the solutions in batches, as `dlx.Search.arrays`.

        Yields
        ------
        int32[k, depth]
            A row holds the options of a solution, ascending, padded with -1.
        """
        with self._lock:
            self._begin_run()
        while (batch := self._take_batch()) is not None:
            yield batch

    def _take_batch(self) -> Int32s | None:
        """Continue to the next solutions; return them, or None if the run is over."""
        taken = None
        try:
            with self._lock:
                self._leave_batch()
                room = UNLIMITED if self._limit is None else self._limit - self.num_solutions
                if room <= 0:
                    self._end_run("limit")
                    return None
                while not length_hint(self._rows):
                    if not self._fill():
                        return None
                unread = self._current[len(self._current) - length_hint(self._rows) :]
                batch = unread[:room]
                rows = stream(unread[len(batch) :])
                # there is no call between these two assignments, so no interrupt can come there
                self._rows, taken = rows, batch
                return taken
        except KeyboardInterrupt:
            if taken is not None:
                self._rows = iter([*tuples(taken), *self._rows])
            raise

    def count(self) -> int:
        """Continue to the end of the search or to a limit, without listing.

        At a limit the workers may have counted some solutions more, which a later loop does not
        return.

        Returns
        -------
        int
            Number of solutions, those listed before included. After an interrupt
            `num_solutions` has the number found so far.

        Examples
        --------
        >>> ParallelSearch([[0, 1], [2], [0], [1, 2]], jobs=2).count()
        2
        """
        with self._lock:
            self._begin_run()
            self._set_listing(False)
            self._wait(self._is_counted)
            if self._status == "running":
                at_limit = self._limit is not None and self.num_solutions >= self._limit
                if at_limit or self._present_agenda.is_empty:
                    self._end_run("limit" if at_limit else "exhausted")
                else:  # the end of a round: the workers continue
                    self._end_run("stopped", halt=False)
            return self.num_solutions

    def count_round(self, number: int) -> bool:
        """Continue to the end of the first open tasks; without listing.

        Parameters
        ----------
        number : int
            Tasks at most, at least 1. A round that a limit has ended is continued as it was begun.

        Returns
        -------
        bool
            Whether these tasks have ended, and others are open.

        Raises
        ------
        ProblemError
            `number` is not a whole number from 1 on.

        Examples
        --------
        >>> search = ParallelSearch([[0, 1], [2], [0], [1, 2]], jobs=2)
        >>> while search.count_round(16):
        ...     print(search.stats)
        >>> search.num_solutions, search.status
        (2, 'exhausted')
        """
        checked = at_least(number, 1, "number")
        with self._lock:
            self._round = checked
            try:
                self.count()
            finally:
                self._round = None
            agenda = self._agenda
            rests = self._status == "stopped"  # not by a limit
            return rests and agenda is not None and agenda.is_round_over and not agenda.is_empty

    def close(self) -> None:
        """End the present run as `stop` does, and close the ledger.

        With a ledger, another list begins with the first solution. A run that `next` has begun is
        not stopped: the next call begins it anew or, without a ledger, continues it.
        """
        if self._status == "running" and not self._is_begun_by_next:
            self.stop()
        self._halt_manager(seconds=None)  # it may be writing to the ledger
        if self.ledger is None:
            return
        self._is_open = False
        if self._agenda is not None:
            with self._change:
                self._forget_futures()  # the next run has another agenda
            self._agenda.close()
        if self._listing:
            self._leave_batch()
            self._set_ready(deque(), self.num_solutions)  # what waits would be returned twice
            if self._status == "running":
                self._status = "stopped"

    def __del__(self) -> None:
        # no caller is left to take the results
        if self._crew is not None:
            self._crew.stop()
        for future in self._futures:
            future.cancel()

    def _is_counted(self) -> bool:
        agenda = self._present_agenda
        is_over = agenda.is_empty or (agenda.is_round_over and not self._begins)
        return is_over or (self._limit is not None and agenda.totals.found >= self._limit)

    def _set_up_run(self) -> None:
        if self._listing and not self._is_open:  # it begins with the first solution
            self._before = 0
        self._error = None
        self._is_begun_by_next = False
        in_rounds = self._agenda is not None and self._agenda.in_rounds
        self._begins = self._round is not None or in_rounds
        self._run_began = self._seconds
        self._reported = self.clock()

    def _end_run(self, status: str, *, halt: bool = True) -> None:
        """Set the status; halt the manager unless it has ended."""
        if halt:
            self._halt_manager()
        if status == "exhausted" and self._agenda is not None:
            self._agenda.close()
        self._status = status
        self._stopped = False
        if self.progress is not None:
            self.progress(self.stats)
        if status == "time limit" and self._raises:
            raise timeout_error(self.time_limit, self.num_solutions)

    # the caller's side

    def _fill(self) -> bool:
        """Take the next solutions as `_current`; return False if the run is over."""
        self._set_listing(True)
        if not self._wait(self._has_batch):
            return False
        before = self._before + len(self._current)
        if not self._ready:
            self._end_run("exhausted")
            return False
        if self._stopped:
            self._end_run("stopped")
            return False
        batch = self._ready[0]
        rows = stream(batch)
        # there is no call between these assignments, so no interrupt can come there
        self._rows, self._current, self._before = rows, batch, before
        return True

    def _has_batch(self) -> bool:
        """Whether there are solutions ready, or no further ones."""
        agenda = self._present_agenda
        if self._ready and self._ready[0] is self._current:
            self._ready.popleft()
        return bool(self._ready) or agenda.is_taken

    def _wait(self, reached: Callable[[], bool]) -> bool:
        """Work until a condition holds; return False if the run ends before."""
        if self.time_limit == 0:  # as for `Search`, nothing begins
            self._end_run("time limit")
            return False
        if self._stopped and not self._is_open:  # the body of a loop has closed the ledger
            self._end_run("stopped")
            return False
        self._timed_to = self.clock()
        try:
            if not self._is_open:
                self._start()
            while True:
                with self._change:
                    if self._error is not None:
                        error, self._error = self._error, None
                        self._status = "stopped"
                        raise error
                    if not (self._stopped or self._is_late()):
                        self._start_manager()  # which may have to compile the kernel
                    if reached():
                        return True
                    self._change.wait(PAUSE)
                now = self._time()
                if self._stopped:
                    self._end_run("stopped")
                    return False
                if self._is_late():
                    self._halt_manager()  # the last tasks may end meanwhile
                    with self._change:
                        if reached():
                            return True
                    self._end_run("time limit", halt=False)
                    return False
                if self.progress is not None and now - self._reported >= REPORT_SECONDS:
                    self._reported = now
                    self.progress(self.stats)
        except BaseException as error:
            self._halt_manager()
            if not is_interrupt(error):
                if self._status == "running":  # such as an error of `progress`
                    self._status = "stopped"
                raise
            self._status = "interrupted"
            raise KeyboardInterrupt from None
        finally:
            self._time()

    def _time(self) -> float:
        """Add the time since the last such call to that of the search; return the present one."""
        now = self.clock()
        self._seconds, self._timed_to = self._seconds + now - self._timed_to, now
        return now

    def _is_late(self) -> bool:
        """Whether the present run has taken all its time."""
        limit = self.time_limit
        return limit is not None and self._seconds - self._run_began >= limit

    def _exclude_time(self) -> None:
        """Exclude the time since the last call of `_time`, which compiling took."""
        self._timed_to = self.clock()

    def _start(self) -> None:
        """Search for some milliseconds in this thread; make tasks of what is left."""
        ledger: Ledger | None = None
        ready: deque[Int32s] = deque()
        try:
            if self.ledger is not None:
                from dlx.parallel.ledger import Ledger

                ledger = Ledger(self.ledger, self.problem, self._question)
            agenda = Agenda(self._listing, ledger)
            if agenda.has_record:
                agenda.load()
            else:
                root = Task((), (Branch(self.given, (), 1.0),))
                agenda.add(root)
                agenda.take()
                agenda.end(root, self._result_of_root(root))
                ready.extend(agenda.next_batches() or ())
            # an interrupt before the last assignment has the next run start anew
            self._set_ready(ready, 0)
            self._is_open, self._agenda = True, agenda
        except BaseException:
            if ledger is not None:
                ledger.close()  # or the next run would find it in use
            raise

    def _result_of_root(self, root: Task) -> TaskResult:
        """Run the first task, unless a search that this one continues has run it.

        The time of a search excludes that of compiling a kernel or loading it from the cache, so a
        kernel is called without a budget first. Most trials need no compiled code: their time,
        some milliseconds, is excluded instead.
        """
        if self._before_tasks is not None:
            return self._before_tasks
        if not self.problem.compatible(self.given):
            return TaskResult(0, 0, 0, [], [])
        if self._has_trial:
            kernel, state = start_trial(self.problem, self.given)
            out = np.empty((1 + FIRST_NUMBERS, kernel.max_depth(state)), np.int32)
            updates = trial_updates(self.problem, first=self._limit == 1)
            found = kernel.advance(state, updates, min(self._most(), len(out)), out)
            self._exclude_time()
            if (is_over := state.counters[EXHAUSTED]) or found >= self._most():
                self._name = kernel.name
                tasks = [] if is_over else split(kernel.open_branches(state, 1.0), SHARES)
                self._exclude_time()  # `open_branches` is compiled, too
                nodes, updates = int(state.counters[NODES]), int(state.counters[UPDATES])
                return TaskResult(found, nodes, updates, [out[:found]], tasks)
        if (result := self._interpreted()) is not None:
            return result
        worker = self._compiled_worker()
        if self.executor is None:
            self._crew = Threads(worker, self._jobs or num_cores())
        budget = max(1, int(FIRST_WORK * worker.shorter))
        result = worker.run(root.branches, budget, self._most())
        return result._replace(nodes=result.nodes + worker.nodes_of_root)

    def _interpreted(self) -> TaskResult | None:
        """Search by the interpreter; None if it may not, or would take too many steps."""
        first_steps = load_first_steps(self._kernel_name)
        if first_steps is None:
            return None
        search = first_steps.begin(self._searched, self.given, listing=self._listing)
        if search is None:
            return None
        self._exclude_time()  # the numbering of a count may have been compiled
        solutions: list[tuple[int, ...]] | None = [] if self._listing else None
        counters, most, began = search.counters, self._most(), self._seconds
        found = 0
        while not (counters[EXHAUSTED] or found >= most or self._stopped or self._is_late()):
            work = work_of("bits", counters[NODES], counters[UPDATES])
            is_too_long = search.is_spent or (self._limit is None and search.is_too_long)
            if is_too_long or work > FIRST_WORK:
                self._exclude_time()
                self._seconds = began  # the kernel begins anew
                return None
            found += search.advance(search.slice, most - found, solutions)
            self._time()
        batches = [] if solutions is None else [padded(solutions, search.depth)]
        tasks = split(search.open_branches(), SHARES)
        return TaskResult(found, counters[NODES], counters[UPDATES], batches, tasks)

    @property
    def _searched(self) -> Problem:
        """The problem as workers search it; the order of a count does not matter."""
        if self._listing or self._kernel_name != "bits":
            return self.problem
        from dlx.count.numbering import for_counting

        return for_counting(self.problem)

    @property
    def _question(self) -> Question:
        return Question(self.given, self._kernel_name, self._listing)

    def _compiled_worker(self) -> Worker:
        """Return a worker whose kernel is compiled, which is no part of the time of the search."""
        worker = Worker(self._searched, self._question, load_kernel(self._kernel_name))
        worker.compile(Branch(self.given, (), 1.0))
        self._exclude_time()
        return worker

    def _most(self) -> int:
        """The number of solutions after which a task may end."""
        if self._limit is None:
            return UNLIMITED
        return max(1, min(UNLIMITED, self._limit - self.num_solutions))

    def _set_listing(self, listing: bool) -> None:
        """List solutions from now on, or count them only."""
        if listing == self._listing:
            return
        if self._agenda is not None and self.ledger is not None:
            raise ProblemError("a search with a ledger lists all its solutions, or counts all")
        if self._agenda is not None:
            self._halt_manager(seconds=None)  # or both threads would take over the same results
            while self._futures:  # of an executor
                self._wait_for_some()
            with self._change:
                self._crew = None
                self._agenda.set_listing(listing)
        self._set_ready(deque(), 0 if self._agenda is None else self._agenda.totals.found)
        self._listing = listing

    def _set_ready(self, ready: deque[Int32s], before: int) -> None:
        """Replace all solutions that wait for the caller; `before` were returned or counted."""
        self._ready = ready
        self._rows, self._current, self._before = iter(()), NO_ROWS, before

    def _halt_manager(self, seconds: float | None = STOP_SECONDS) -> None:
        """End the manager, and its tasks if they end within milliseconds.

        Wait until it has ended, for at most these seconds; None for no limit.
        """
        manager = self._manager
        self._halt = True  # of one that is about to start, too
        if manager is not None and manager.is_alive():
            if self._crew is not None:
                self._crew.stop()
            manager.join(seconds)

    # the manager's side; all of this holds `_change`

    def _start_manager(self) -> None:
        """Start the manager if there is something to do for it."""
        agenda = self._present_agenda
        if agenda.is_taken or self._has_enough():
            return
        if self._manager is not None and self._manager.is_alive():
            return
        self._halt = False
        if self._crew is None and self.executor is None:
            self._time()
            self._crew = Threads(self._compiled_worker(), self._jobs or num_cores())
        elif self._crew is None:
            self._crew = SearchWorkers(self._searched, self._question, self.executor, self._jobs)
        has_work = self._begins or self._may_submit() or (agenda.has_batches and not self._ready)
        if self._futures or has_work:
            owner = ref(self)
            self._manager = threading.Thread(target=_manage, args=[owner], name="dlx", daemon=True)
            self._manager.start()

    def _has_enough(self) -> bool:
        """Whether as many solutions as the limit allows have been found."""
        if self._limit is None:
            return False
        if not self._listing:
            return self._present_agenda.totals.found >= self._limit
        ready = self._ready
        is_current = bool(ready) and ready[0] is self._current
        found = self._before + sum(map(len, ready)) + (0 if is_current else len(self._current))
        return found >= self._limit

    def _is_managed_here(self) -> bool:
        with self._change:
            return self._manager is threading.current_thread()

    def _may_submit(self) -> bool:
        """Whether there is a task and room for it, and not too much waits for the caller."""
        agenda, crew = self._present_agenda, self._present_crew
        room = crew.room
        if self._listing and self.ledger is None:
            # `waiting` counts tasks whose solutions wait for the caller. If there are none, the
            # first task, for which all others wait, has to continue.
            waiting = agenda.waiting + len(self._ready) // (TASK_NUMBERS // BATCH_NUMBERS)
            room = max(min(room, LISTED) - waiting, 0 if self._ready else 1)
        is_ahead = crew.works_ahead and agenda.can_work_ahead
        return not self._halt and (agenda.num_open > 0 or is_ahead) and len(self._futures) < room

    def _continue(self) -> bool:
        """Submit tasks and add the results of those that ended; return False at the end."""
        try:
            if self._halt:
                self._stop_tasks()
                return False
            with self._change:
                if self._begins:
                    self._present_agenda.begin_round(self._round)
                    self._begins = False
                while self._may_submit():
                    self._submit()
                self._make_ready()
                self._change.notify_all()
                if not self._futures:
                    return False
            self._wait_for_some()
        except BaseException as error:
            with self._change:
                self._error = error
                self._forget_futures()
                self._change.notify_all()
            return False
        return True

    def _wait_for_some(self) -> None:
        wait(self._futures, PAUSE, FIRST_COMPLETED)
        with self._change:
            # `wait` does not return those that an executor cancels as it is shut down
            self._take_over({future for future in self._futures if future.done()})
            self._change.notify_all()

    def _stop_tasks(self) -> None:
        """Cancel tasks; those that an executor is working on stay in `_futures`."""
        can_stop = self._present_crew.stop()
        with self._change:
            self._take_over({future for future in self._futures if future.cancel()})
            self._change.notify_all()
        while can_stop and self._futures:
            self._wait_for_some()

    def _submit(self) -> None:
        agenda, crew = self._present_agenda, self._present_crew
        task = agenda.take() if agenda.num_open else agenda.take_ahead()
        try:
            self._futures[crew.submit(task, self._most())] = task
        except BaseException as error:
            self._fail(task, error)

    def _take_over(self, ended: set[Future[Any]]) -> None:
        agenda, crew = self._present_agenda, self._present_crew
        for future in ended:
            task = self._futures.pop(future)
            if future.cancelled() and self._halt:
                crew.cancelled(task)
                agenda.give_back(task)
                continue
            try:
                result = crew.result(task, future.result())
            except BaseException as error:
                self._fail(task, error)
                continue
            if result is None:
                agenda.give_back(task)
            else:
                agenda.end(task, result)
        self._make_ready()

    def _make_ready(self) -> None:
        """Put the solutions of the first tasks in order where the caller finds them."""
        agenda = self._present_agenda
        while len(self._ready) < READY and (batches := agenda.next_batches()) is not None:
            self._ready.extend(batch for batch in batches if len(batch))

    def _fail(self, task: Task, error: BaseException) -> None:
        """Make the task of a dead worker open again; the crew raises an error that ends the run."""
        agenda, crew = self._present_agenda, self._present_crew
        agenda.give_back(task)
        crew.failed(task, error, agenda.totals.found)

    def _forget_futures(self) -> None:
        """After an error, or to close the ledger: all tasks that were begun are open again."""
        for future in self._futures:
            future.cancel()
        self._futures = {}
        self._present_agenda.give_all_back()
        self._crew = None


def _manage(owner: ref[ParallelSearch]) -> None:
    """Do the manager's work until there is none, or no reference to the search is left.

    If an interrupt came when this thread was being started, there may be another manager.
    """
    while (search := owner()) is not None and search._is_managed_here() and search._continue():
        del search
