"""Search: runs a kernel in short slices, with limits, progress, interrupts and saving.

A *run* of a search is one loop over it, or one call of `count`, or one use of `arrays`. Between two
slices of a run the search checks its limits, calls `progress`, and Python handles Ctrl-C.
"""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import length_hint
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self, TypedDict
from weakref import ref

import numpy as np

from dlx.checks import (
    as_limit,
    as_options,
    digits,
    progress_property,
    solutions_text,
    time_limit_property,
)
from dlx.deprecated import alias
from dlx.errors import KernelError, StateError
from dlx.problem import Int32s, Problem, as_problem
from dlx.search import saved
from dlx.search.batches import padded, stream, tuples
from dlx.search.counters import EXHAUSTED, LENGTH, NODES, SOLUTIONS, UNLIMITED, UPDATES
from dlx.search.kernel import (
    choose_kernel,
    has_trial,
    load_kernel,
    start_trial,
    trial_updates,
)

SLICE_SECONDS = 0.02  # a slice takes about so long: how soon Ctrl-C and limits are noticed
FIRST_BUDGET = 1 << 14  # updates of a slice, until slices have been timed
FIRST_LOOKS = 1 << 28  # FIRST_BUDGET is reduced so that a slice looks at no more items than this
FIRST_NUMBERS, BATCH_NUMBERS = 1 << 8, 1 << 16  # option numbers in the first batch, and at most
BATCH_GROWTH = 16  # from batch to batch
REPORT_SECONDS = 0.1  # between two calls of `progress`
STOPPABLE = ("ready", "running")  # statuses that a call of `stop` changes

NO_ROWS: Int32s = np.empty((0, 0), np.int32)

_compiled: set[tuple[str, np.dtype[Any]]] = set()
"""The kernels that this process has compiled or loaded, and for which type of masks or nodes."""


class Stats(NamedTuple):
    """What a search has done so far, over all its runs.

    Attributes
    ----------
    solutions : int
        Solutions returned or counted.
    nodes : int
        Nodes of the search tree, as the kernel counts them.
    updates : int
        Work in the unit of the kernel: see `dlx.search.counters`.
    seconds : float
        Time spent searching; compiling excluded.
    kernel : str
        Name of the kernel.
    done : float
        Estimate, from 0 to 1, of the fraction of the search tree that has been searched; 1 if
        and only if all of it has.
    short_of_memory : bool
        Whether a count merges fewer states, or does without a sweep, as the memory limit leaves no
        room for more. It is as exact, and may be much slower.
    """

    solutions: int
    nodes: int
    updates: int
    seconds: float
    kernel: str
    done: float
    short_of_memory: bool = False

    def __repr__(self) -> str:
        values = digits(self.solutions), *map(repr, self[1:])  # `repr` takes 4300 digits
        return f"Stats({', '.join(map('='.join, zip(self._fields, values, strict=True)))})"

    @alias("solutions")
    def covers(self) -> None:
        """Deprecated spelling of `solutions`."""


class Settings(TypedDict, total=False):
    """The keyword arguments of a search; see `Search`."""

    given: Iterable[int]
    limit: int | None
    time_limit: float | None
    progress: Callable[[Stats], object] | None
    kernel: str


class NextBatch:
    """Iterator that continues a search and returns the first solution of the next batch.

    It refers to the search weakly. A reference cycle would keep the arrays of a search alive
    until the next garbage collection.
    """

    __slots__ = ("_search",)

    def __init__(self, search: SolutionIterator) -> None:
        self._search = ref(search)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[int, ...]:
        search = self._search()
        if search is None:  # `__next__` was kept, and the search was not
            raise ReferenceError("this search no longer exists; keep it, and call next(search)")
        return search._next_batch()


class NextCall:
    """The slot that `next(search)` calls.

    Python looks up `__next__` in the class and finds this slot. Its value is mostly the `__next__`
    of a `chain` over the solutions of a batch, so that returning a solution calls no Python
    function. (A method would take 30 ns more for each solution, a tenth of the time where most
    nodes are solutions.)
    """

    __slots__ = ("_next",)
    _next: Callable[[], tuple[int, ...]]


class SolutionIterator(NextCall, ABC):
    """What `Search` and `dlx.parallel.driver.ParallelSearch` have in common: runs, and `next`."""

    if TYPE_CHECKING:

        def __next__(self) -> tuple[int, ...]: ...
    else:
        __next__ = NextCall._next

    clock = staticmethod(time.perf_counter)
    """The only clock of a search, in seconds; tests replace it."""

    time_limit: float | None = time_limit_property()
    progress: Callable[[Stats], object] | None = progress_property()

    def __init__(self) -> None:
        self._next_batch_iterator = NextBatch(self)
        self._next = self._next_batch_iterator.__next__
        self._status = "ready"
        self._stopped = False

    @property
    def status(self) -> str:
        """Why the search has ended or paused.

        "ready" before the first run, "running" during a run and after a loop that was left, then
        "exhausted", "limit", "time limit", "stopped" or "interrupted".
        """
        return "stopped" if self._stopped and self._status in STOPPABLE else self._status

    def __iter__(self) -> Self:
        self._begin_run()
        return self

    def stop(self) -> None:
        """End the present run: a loop at its next step, a count after its present slice.

        A loop body, a progress callback or another thread may call this. If no run is active,
        the next call of `next` raises StopIteration, once; a new run starts as usual. Solutions
        that were found and not yet returned stay for the next run.

        Examples
        --------
        >>> search = Search([[0, 1], [2], [0], [1, 2]])
        >>> for solution in search:
        ...     search.stop()
        >>> search.status, search.stats.solutions, search.count()
        ('stopped', 1, 2)
        """
        self._stopped = True
        self._leave_batch()

    def _leave_batch(self) -> None:
        """Have `next` call `_next_batch`."""
        self._next = self._next_batch_iterator.__next__

    def _begin_run(self) -> None:
        self._next = self._next_batch_iterator.__next__
        self._stopped = False
        self._status = "running"
        self._set_up_run()

    @abstractmethod
    def _set_up_run(self) -> None:
        """Note when a run begins."""

    @abstractmethod
    def _next_batch(self) -> tuple[int, ...]:
        """Return the next solution; let `next` take the following ones from the same batch."""


class Search(SolutionIterator):
    """A search for the solutions of a problem that can be stopped and continued at any time.

    Parameters
    ----------
    problem : Problem, or what Problem takes
    given : iterable of int
        Options that are part of every solution; these may be options without a primary item,
        which a search never chooses. If two of them are not compatible, there is no solution.
    limit : int, optional
        Stop after this many solutions.
    time_limit : float, optional
        Stop each run after this many seconds of searching.
    progress : callable, optional
        Called with the `stats` about ten times a second, and at the end of a run.
    kernel : {"auto", "bits", "links", "bounds"}

    Raises
    ------
    ProblemError
        An argument is of the wrong type or out of range.
    KernelError
        The kernel is unknown or cannot take the problem.

    See Also
    --------
    dlx.solutions : The same search; raises TimeoutError when its time limit ends a run.

    Notes
    -----
    A search is its own iterator. A solution is a tuple of option numbers, ascending. The order of
    the solutions depends on the problem and the kernel alone. Solutions that were returned are
    not stored. A loop may be left at any time; another loop, `next`, `arrays` or `count` continues
    where it ended. `limit` and `time_limit` may be changed in between. Threads may share a search:
    each solution is returned to one of them, and `save` waits for the end of a slice.

    `iter`, which a `for` loop calls, starts a new run; so does `next` if the last run has ended.
    When a run ends without a further solution, `status` says why.

    Ctrl-C raises KeyboardInterrupt within about 0.02 seconds. Nothing is lost: `stats` counts all
    that was found, and the search can be continued. While numba compiles or loads a kernel, once
    in a process, Ctrl-C may be delayed or raise another error. (`dlx.shell.interrupt` shows how
    the commands handle this.)

    Examples
    --------
    >>> search = Search([[0, 1], [2], [0], [1, 2]])
    >>> next(search)
    (0, 1)
    >>> list(search), search.status
    ([(2, 3)], 'exhausted')
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
    ) -> None:
        super().__init__()
        self.problem = as_problem(problem)
        self.given = as_options(given, self.problem.num_options, "given")
        self._lock = threading.RLock()  # of what is found and not yet returned, and of the state
        self._limit = as_limit(limit)
        self.time_limit = time_limit
        self.progress = progress
        self._is_trial = has_trial(self.problem, kernel, first=self._limit == 1)
        if self._is_trial:
            self._kernel, self._state = start_trial(self.problem, self.given)
        else:
            self._kernel = choose_kernel(self.problem, kernel)
            self._state = self._kernel.start(self.problem, self.given)
        self._rows: Iterator[tuple[int, ...]] = iter(())  # found and not yet returned
        self._beyond_limit: list[tuple[int, ...]] = []  # likewise, to be returned after `_rows`
        self._out = NO_ROWS  # the last batch
        self._before_out = 0  # how many solutions were found before it
        self._seconds = 0.0
        self._budget = FIRST_BUDGET
        if FIRST_BUDGET * self.problem.num_primary > FIRST_LOOKS:
            self._budget = max(1, FIRST_LOOKS // self.problem.num_primary)
        self._compiled = False
        if self._is_trial and self._state is not None and limit != 0 and time_limit != 0:
            self._begin_trial()

    def _begin_trial(self) -> None:
        """Run the first slice of a trial, without the overhead of other slices."""
        depth = self._kernel.max_depth(self._state)
        first = self._limit == 1
        rows = 1 if first else 1 + FIRST_NUMBERS // (depth + 1)
        updates = trial_updates(self.problem, first=first)
        self._out = np.empty((rows, depth), np.int32)
        found = self._kernel.advance(self._state, updates, rows, self._out)
        self._compiled = True
        if self._limit is not None and found > self._limit:
            self._split_pending(self._limit)

    # properties

    @property
    def limit(self) -> int | None:
        """The number of solutions after which the search stops; None for no limit."""
        return self._limit

    @limit.setter
    def limit(self, limit: int | None) -> None:
        checked = as_limit(limit)
        with self._lock:
            self._split_pending(checked)

    @property
    def num_solutions(self) -> int:
        """The number of solutions returned or counted so far; any thread may read it."""
        out, before, rows, beyond = self._out, self._before_out, self._rows, self._beyond_limit
        found = self._num_found()  # read last: another thread may find more at any time
        return found - len(out[: found - before]) - length_hint(rows) - len(beyond)

    @alias("num_solutions")
    def covers(self) -> None:
        """Deprecated spelling of `num_solutions`."""

    @property
    def stats(self) -> Stats:
        """Solutions, nodes, updates, seconds, kernel and fraction done, over all runs."""
        counters = [0] * LENGTH if self._state is None else self._state.counters.tolist()
        return Stats(
            self.num_solutions,
            counters[NODES],
            counters[UPDATES],
            self._seconds,
            self._kernel.name,
            1.0 if self._state is None else self._kernel.fraction_done(self._state),
        )

    def __repr__(self) -> str:
        found = solutions_text(self.num_solutions)
        return f"<Search of {self.problem!r}: {self.status}, {found}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Search cannot be pickled or copied; save() and load() keep it in a file")

    # runs

    def _next_batch(self) -> tuple[int, ...]:
        """Return the next solution; let `next` take the following ones from the same batch."""
        solution = None
        try:
            with self._lock:
                if self._status == "running" or self._stopped:
                    self._leave_batch()
                else:
                    self._begin_run()
                while self._fill():
                    for solution in self._rows:  # unless another thread has taken all of them
                        self._next = chain(self._rows, self._next_batch_iterator).__next__
                        if self._stopped:  # by another thread, after `_fill`
                            self._leave_batch()
                        return solution
                raise StopIteration
        except KeyboardInterrupt:
            if solution is None:
                self._status = "interrupted"
            else:
                self._rows = iter([solution, *self._rows])
            raise

    def arrays(self) -> Iterator[Int32s]:
        """Continue the search and return the solutions in batches, the fastest way to list them.

        Yields
        ------
        int32[k, depth]
            A row holds the options of a solution, ascending, padded with -1.

        Examples
        --------
        >>> for batch in Search([[0, 1], [2], [0], [1, 2]]).arrays():
        ...     print(batch.tolist())
        [[0, 1, -1], [2, 3, -1]]
        """
        try:
            with self._lock:
                self._begin_run()
                if self._limit is None or self._num_found() < self._limit:
                    self._end_trial()  # so that all batches are of one depth
            while (batch := self._take_batch()) is not None:
                yield batch
        except KeyboardInterrupt:
            self._status = "interrupted"
            raise

    def _take_batch(self) -> Int32s | None:
        """Continue to the next solutions; return them, or None if the run is over."""
        rows: list[tuple[int, ...]] = []
        taken = None
        try:
            with self._lock:
                rows += self._rows
                while not rows and not len(self._unread()):
                    if not self._run_slice(BATCH_NUMBERS):
                        return None
                    rows += self._rows  # if `progress` saved the search or set its limit
                if rows:
                    return padded(rows, self._depth())
                batch = self._unread()
                if 2 * len(batch) < len(self._out):
                    batch = batch.copy()  # a view would keep all of `_out` alive
                found = self._before_out + len(batch)
                # there is no call between these two assignments, so no interrupt can come there
                self._before_out, taken = found, batch
                return taken
        except KeyboardInterrupt:
            if taken is not None:
                rows = tuples(taken)
            self._rows = iter([*rows, *self._rows])
            raise

    def count(self) -> int:
        """Continue to the end of the search or to a limit, without listing.

        Returns
        -------
        int
            Number of solutions, those listed before included. After an interrupt
            `stats.solutions` has the number found so far.

        Examples
        --------
        >>> Search([[0, 1], [2], [0], [1, 2]]).count()
        2
        """
        with self._lock:
            self._begin_run()
            self._rows = iter(())
            self._before_out = self._num_found()
        while self._run_slice(0):
            pass
        return self.num_solutions

    # files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the search to a file, from which `load` continues it.

        The file is complete or not there: it is written under a temporary name, then renamed.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        with self._lock:
            if self._is_trial and not has_trial(self.problem, "auto"):
                self._end_trial(whole=True)  # `load` does not know that one solution was sought
            fields = {} if self._state is None else self._state._asdict()
            search = saved.SavedSearch(
                kernel="auto" if self._is_trial else self._kernel.name,
                given=list(self.given),
                seconds=self._seconds,
                pending=padded(self._split_pending(self._limit), self._depth()),
                state={name: fields[name].copy() for name in self._kernel.changing if fields},
            )
        saved.write(path, self.problem, search)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        problem: Problem | Iterable[Iterable[Any]],
        *,
        limit: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[Stats], object] | None = None,
    ) -> Search:
        """Return the search saved in a file, with the kernel and the givens it had.

        Parameters
        ----------
        path : str or path
        problem : Problem, or what Problem takes
            The problem of the saved search.
        limit, time_limit, progress
            As for `Search`.

        Raises
        ------
        ProblemError
            An argument is of the wrong type or out of range.
        OSError
            The file cannot be read.
        StateError
            The file holds no saved search, a search of another problem, or a format that this
            version does not read (see `dlx.search.saved`).
        """
        problem = as_problem(problem)
        data = saved.read(path, problem)
        try:
            search = cls(
                problem,
                given=data.given,
                limit=0,  # so that a trial does not begin before its state is read
                time_limit=time_limit,
                progress=progress,
                kernel=data.kernel,
            )
        except KernelError:
            raise StateError(f"{path}: no kernel {data.kernel[:40]!r} for this problem") from None
        if search._state is not None:
            data.restore(search._kernel, search._state, path)
        found = search._num_found()
        if data.pending.shape[1] > search._depth() or len(data.pending) > found:
            raise StateError(f"{path}: this saved search is damaged")
        search._rows, search._before_out = iter(tuples(data.pending)), found
        search._seconds = data.seconds
        search.limit = limit
        return search

    # solutions found and not yet returned: in `_rows`, in `_out`, in `_beyond_limit`

    def _num_found(self) -> int:
        return 0 if self._state is None else self._state.counters.item(SOLUTIONS)

    def _unread(self) -> Int32s:
        """The rows of `_out` that hold solutions, unless `_rows` has taken them over."""
        return self._out[: self._num_found() - self._before_out]

    def _split_pending(self, limit: int | None) -> list[tuple[int, ...]]:
        """Set the limit, and split the pending solutions at it; return all of them."""
        taken: list[tuple[int, ...]] = []
        try:
            taken += self._rows
            rows = [*taken, *tuples(self._unread()), *self._beyond_limit]
            found = self._num_found()
            allowed = len(rows) if limit is None else max(0, limit - found + len(rows))
            parts = limit, iter(rows[:allowed]), rows[allowed:], found
            # there is no call between these assignments, so no interrupt can come there
            self._limit, self._rows, self._beyond_limit, self._before_out = parts
        except KeyboardInterrupt:
            self._rows = iter([*taken, *self._rows])
            raise
        return rows

    def _fill(self) -> bool:
        """Search until `_rows` holds a solution; return False if the run is over."""
        while not length_hint(self._rows):
            found = self._num_found()
            if found > self._before_out:
                began = self.clock()
                rows, before = stream(self._unread()), found
                self._seconds += self.clock() - began  # long solutions take longer than the search
                # there is no call between these two assignments, so no interrupt can come there
                self._rows, self._before_out = rows, before
            elif self._is_at_end():  # without the calls of a slice
                return self._end_run("exhausted")
            else:
                # batches grow, so that the first solution does not wait for many others
                numbers = max(FIRST_NUMBERS, BATCH_GROWTH * self._out.size)
                if not self._run_slice(min(BATCH_NUMBERS, numbers)):
                    return False
        return not self._stopped or self._end_run("stopped")

    # slices

    def _set_up_run(self) -> None:
        self._run_end = None if self.time_limit is None else self._seconds + self.time_limit
        self._reported = self._seconds

    def _end_run(self, status: str) -> bool:
        self._status = status
        self._stopped = False
        if self.progress is not None:
            self.progress(self.stats)
        return False

    def _is_at_end(self) -> bool:
        """Whether all is searched and nothing waits for a higher limit."""
        state = self._state
        return (state is None or state.counters.item(EXHAUSTED) == 1) and not self._beyond_limit

    def _reason_to_end(self, room: int) -> str | None:
        """The status with which the run ends here; None if it continues."""
        if self._is_at_end():
            return "exhausted"
        if room <= 0:
            return "limit"
        if self._stopped:
            return "stopped"
        if self._run_end is not None and self._seconds >= self._run_end:
            return "time limit"
        return None

    def _run_slice(self, numbers: int) -> bool:
        """Run the kernel for one slice.

        Parameters
        ----------
        numbers : int
            Option numbers that the solutions listed in `_out` may have together, at least one
            solution; 0 to count only.

        Returns
        -------
        bool
            False if the run is over.
        """
        with self._lock:
            limit = self._limit
            room = UNLIMITED if limit is None else min(UNLIMITED, limit - self._num_found())
            if reason := self._reason_to_end(room):
                return self._end_run(reason)
            try:
                budget = self._budget
                if self._is_trial:
                    budget = self._rest_of_trial()
                depth = self._depth()
                rows = min(room, max(1, numbers // max(1, depth))) if numbers else 0
                out = np.empty((rows, depth), np.int32)
                if not self._compiled:
                    self._compile(out)
                self._before_out = self._num_found()
                self._out = out
                began = self.clock()
                self._kernel.advance(self._state, budget, rows or room, out)
                self._timed(self.clock() - began)
            except BaseException as error:
                is_interrupt = isinstance(error, KeyboardInterrupt)  # else an error of `progress`
                self._status = "interrupted" if is_interrupt else "stopped"
                raise
            return True

    def _rest_of_trial(self) -> int:
        """Return the budget of the next slice of a trial, or of "bits" if the trial is over."""
        nodes, updates, *_ = self._state.counters.tolist()
        remaining = trial_updates(self.problem) - nodes - updates
        if remaining > 0:
            return int(remaining)
        self._end_trial()
        return self._budget

    def _end_trial(self, *, whole: bool = False) -> None:
        """Continue with the kernel "bits"; after a trial that ended the search, only if `whole`."""
        if not self._is_trial or self._state is None:
            return
        exhausted = self._state.counters[EXHAUSTED] == 1
        if exhausted and not whole:
            return
        kernel = load_kernel("bits")
        state = kernel.start(self.problem, self.given)
        found = self._num_found()
        if found:
            kernel.advance(state, UNLIMITED, found, NO_ROWS)
        if exhausted:
            kernel.advance(state, UNLIMITED, UNLIMITED, NO_ROWS)
        if found:
            self._split_pending(self._limit)  # moves what was found to `_rows`
        # there is no call between these assignments, so no interrupt can come there
        self._kernel, self._state, self._compiled, self._is_trial = kernel, state, False, False

    def _compile(self, out: Int32s) -> None:
        """Call the kernel without a budget, unless this process has called it on such arrays.

        numba compiles or loads a kernel at the first call for each type of its arguments. That
        time is not part of the search.
        """
        assert self._state is not None
        key = self._kernel.name, self._state[0].dtype  # which decides the types of all arrays
        if key not in _compiled:
            self._kernel.advance(self._state, 0, 0, out)
            _compiled.add(key)
        self._compiled = True

    def _timed(self, seconds: float) -> None:
        """Add the time of a slice, adapt the budget of the next one, report progress."""
        self._seconds += seconds
        if seconds > 2 * SLICE_SECONDS:
            self._budget = max(1, self._budget // 2)
        elif seconds < SLICE_SECONDS / 2:
            self._budget = min(2 * self._budget, UNLIMITED)
        if self.progress is not None and self._seconds >= self._reported + REPORT_SECONDS:
            self._reported = self._seconds
            self.progress(self.stats)

    def _depth(self) -> int:
        return 0 if self._state is None else self._kernel.max_depth(self._state)
