"""Count: the number of solutions, by the method that takes the least work.

Plain search of the whole problem comes first; for most problems it is enough. If it is expected to
take long, a quick sweep is tried where one is expected to be short. Otherwise the problem is split
into its components, and each is counted by a race of methods (`race`).
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypedDict, Unpack
from weakref import WeakMethod

from dlx import container
from dlx.checks import (
    as_jobs,
    as_limit,
    as_memory_limit,
    as_options,
    as_time_limit,
    brief,
    digits,
    is_one_of,
    one_of,
    progress_property,
    refuse_unknown,
    solutions_text,
    time_limit_property,
)
from dlx.compiled.elsewhere import CompilingElsewhere
from dlx.compiled.timer import CompileTimer
from dlx.count.components import is_connected
from dlx.count.memory import MemoryAccount, as_available, is_tight, states_limit
from dlx.count.methods import Figures, Finished, Method, PlainSearch, SumOfProducts, together
from dlx.count.quick import QUICK_MEMORY, QuickSweep, quick_is_due, quick_sweep, work_left
from dlx.count.race import SLICE, ComponentCount, continues_alone, slice_of, whole_count
from dlx.count.remainder import remainder_of
from dlx.count.saved import KIND, VERSION, Store, as_total
from dlx.count.slack import without_multiplicities, without_slack
from dlx.deprecated import alias, current_method
from dlx.errors import DlxError, ProblemError, StateError, interrupts, is_interrupt
from dlx.files import folder_to_write
from dlx.problem import Problem, as_problem
from dlx.search.driver import REPORT_SECONDS, STOPPABLE, Settings, Stats

METHODS = ("auto", "search", "sweep")

LABELS_WORK = 300
"""A slow search that has done LABELS_WORK units for each entry is ended if there are several
components; to find them takes less than half of that."""

LAST_COMPLETION = 5_000_000
"""When a count is stopped, each of its sweeps spends this many units of work, some 20 ms, on a
better lower bound."""


class SweepSettings(TypedDict, total=False):
    """The keyword arguments that sweeps add to those of a search; see `Count`."""

    memory_limit: int | None
    jobs: int | str | None
    spill: str | os.PathLike[str] | None


class CountSettings(Settings, SweepSettings, total=False):
    """The keyword arguments of a count; see `Count`."""

    method: str


class Count:
    """A count of the solutions of a problem, which can be stopped and continued.

    Parameters
    ----------
    problem, given, limit, time_limit, progress, kernel
        As for `Search`; with a limit, the count stops there.
    method : "auto", "search" or "sweep"
        "search" visits each solution; "sweep" merges partial solutions that leave the same
        items; "auto" runs both in turns, and continues with the one that is expected to take
        less work. With a kernel chosen, or multiplicities other than 0:1, "auto" is "search";
        "sweep" has no kernel.
    memory_limit : int, optional
        Bytes that the states of sweeps may take, by default a quarter of what the process may
        use. When they are used up, sweeps merge less, or plain search takes over. The process
        exceeds the limit by some 100 MB, or takes some 250 MB if the limit is small. Below 252 MB,
        kernels are compiled by another process, as numba keeps 120 MB for that.
    jobs : int or "all", optional
        Threads of a sweep with many states, 1 by default, at most 8; "all" for one on each core
        that the process may use.
    spill : str or path, optional
        A folder for the states of a sweep that do not fit into the limit: it then
        merges as if they did. If the process ends for any reason, the same count with the same
        folder repeats at most about a second of work, and continues. A count that has ended
        leaves its result there, if states went to files, and no states. Refused where "auto" is
        "search", and with ``method="search"``: these merge no states.

    Raises
    ------
    ProblemError
        An argument is of the wrong type or out of range.
    KernelError
        There is no such kernel, or it cannot take the problem.
    MemoryError
        While it runs: with method="sweep", the options alone take more than the memory limit.
    StateError, OutputError
        While it runs: the files in `spill` are damaged or in use, or cannot be written. A path
        that is not a folder is refused before.

    Notes
    -----
    The method is chosen by work done and by sizes, so nodes, kernel and the peak of states are
    the same in every run, and for any number of threads. Time limits stop a count, but do not
    change which method is chosen. A count that continues from the files in `spill` has the nodes
    that it visits itself.

    Examples
    --------
    >>> count = Count([[0, 1], [2], [0], [1, 2]])
    >>> count.count(), count.status
    (2, 'exhausted')
    """

    time_limit: float | None = time_limit_property()
    progress: Callable[[Stats], object] | None = progress_property()

    def __init__(
        self,
        problem: Problem | Iterable[Iterable[Any]],
        *,
        given: Iterable[int] = (),
        limit: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[Stats], object] | None = None,
        kernel: str = "auto",
        method: str = "auto",
        **sweeping: Unpack[SweepSettings],
    ) -> None:
        refuse_unknown(sweeping, SweepSettings.__optional_keys__, "Count")
        self.problem = as_problem(problem)
        spill = sweeping.get("spill")
        self.method, self._counted = as_method(method, kernel, self.problem, spill)
        self.given = as_options(given, self.problem.num_options, "given")
        self.time_limit = time_limit
        self.progress = progress
        self._memory_limit = as_memory_limit(sweeping.get("memory_limit"))
        self._jobs = as_jobs(sweeping.get("jobs")) or 1
        self._spill = None if spill is None else folder_to_write(spill)
        # for method="sweep" without the trial of "auto", which could end the count
        plain = "links" if (self.method, kernel) == ("sweep", "auto") else kernel
        with CompilingElsewhere(self._is_tight):
            search = PlainSearch(self._counted, self.given, plain, as_limit(limit))
        self._search = self._watched(search)
        # runs during the first search; after the problem is split, only its figures are kept
        self._quick: QuickSweep | Finished | None = None
        self._quick_left = 0.0  # the search's remaining work when it was sought last; 0: not sought
        self._short_factor = 1.0  # scales what a short search is
        self._connected: bool | None = None  # None until it is needed
        # None until the problem is split
        self._components: ComponentCount | SumOfProducts | None = None
        self._lock = threading.RLock()
        self._found = 0
        self._done = 0.0
        self._seconds = 0.0
        self._status = "ready"
        self._stopped = False
        self._began = 0.0  # time of the present run
        self._compiled: Callable[[], float] = float  # seconds for which numba has compiled in it

    @property
    def limit(self) -> int | None:
        """The number of solutions at which the count stops; None: no limit."""
        return self._search.limit

    @limit.setter
    def limit(self, limit: int | None) -> None:
        self._search.limit = as_limit(limit)

    @property
    def memory_limit(self) -> int:
        """Bytes that the states of sweeps may take."""
        return as_available(self._memory_limit)

    @property
    def _is_tight(self) -> bool:
        """Whether the code that this process would compile takes too much of a limit."""
        return self._memory_limit is not None and is_tight(self._memory_limit)

    @property
    def status(self) -> str:
        """Why the count has ended or paused: as for `Search`."""
        return "stopped" if self._stopped and self._status in STOPPABLE else self._status

    @property
    def num_solutions(self) -> int:
        """A lower bound, exact once the status is "exhausted"; any thread may read it."""
        found = self._found
        return found if self.limit is None else min(found, self.limit)

    @alias("num_solutions")
    def covers(self) -> None:
        """Deprecated spelling of `num_solutions`."""

    @property
    def peak_states(self) -> int:
        """The most states of a sweep that were held at once."""
        return self._figures.peak

    @property
    def stats(self) -> Stats:
        """Solutions (a lower bound until the count is exhausted), nodes and seconds."""
        figures, components = self._figures, self._components
        return Stats(
            self.num_solutions,
            figures.nodes,
            figures.updates,
            self._seconds,
            self._leader.name,
            self._done,
            components is not None and components.figures.short_of_memory,
        )

    @property
    def search_leads(self) -> bool:
        """Whether of all methods only plain search of the whole problem is worth continuing."""
        return isinstance(self._components, ComponentCount) and self._components.search_leads

    @property
    def _methods(self) -> list[Method]:
        # the search continues as part of the only component, if there is one
        search = None if isinstance(self._components, ComponentCount) else self._search
        methods = search, self._quick, self._components
        return [method for method in methods if method is not None]

    @property
    def _figures(self) -> Figures:
        return together(method.figures for method in self._methods)

    @property
    def _leader(self) -> Method:
        search, quick = self._search, self._quick
        if self._components is not None:
            return self._components
        if isinstance(quick, QuickSweep) and not search.ended and quick.leads:
            return quick
        return search

    def __repr__(self) -> str:
        found = solutions_text(self.num_solutions)
        return f"<Count of {self.problem!r}: {self.status}, {found}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Count cannot be pickled or copied; save() and load() keep it in a file")

    def stop(self) -> None:
        """End the present run at its next slice; for a progress callback, or another thread.

        It has no effect while no run is active.
        """
        self._stopped = True

    def count(self) -> int:
        """Continue to the end, or a limit.

        Returns
        -------
        int
            The number of solutions, or of those found so far.
        """
        with self._lock:  # a second thread waits for the end of this run
            return self._run()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the count to a file, from which `load` continues it.

        The file is complete or not there: it is written under a temporary name, then renamed. It
        holds all states of the sweeps that are still needed.

        Raises
        ------
        OutputError
            The file cannot be written, or the states are in the folder `spill`.
        """
        store = Store()
        with self._lock:
            values = {
                "version": VERSION,
                "given": list(self.given),
                "method": self.method,
                "memory_limit": self.memory_limit,
                "seconds": self._seconds,
                "done": self._done,
                "found": digits(self._found),
                "search": self._search.pack(store),
                "quick": None if self._quick is None else self._quick.pack(store),
                "quick_left": self._quick_left,
                "components": None if self._components is None else self._components.pack(store),
            }
        container.write(path, KIND, self.problem, values, store.arrays)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        problem: Problem | Iterable[Iterable[Any]],
        *,
        limit: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[Stats], object] | None = None,
        jobs: int | str | None = None,
    ) -> Count:
        """Return the count saved in a file, with the givens, method and memory limit it had.

        It has no folder for states.

        Parameters
        ----------
        path : str or path
        problem : Problem, or what Problem takes
            The problem of the saved count.
        limit, time_limit, progress, jobs
            As for `Count`.

        Raises
        ------
        OSError
            The file cannot be read.
        StateError
            The file is damaged, holds no saved count, a count of another problem, or one by a
            version that numbers or sweeps in another way.
        """
        checked = as_problem(problem)
        values, arrays = container.read(path, KIND, checked)
        if values.get("version") != VERSION:
            raise StateError(f"{path}: saved by another version of the counting methods")
        limits, jobs = (as_limit(limit), as_time_limit(time_limit)), as_jobs(jobs)
        try:
            count = cls(
                checked,
                given=values["given"],
                method=values["method"],
                memory_limit=values["memory_limit"],
                jobs=jobs,
            )
            count._unpack(values, Store(arrays))
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError, DlxError):
            raise StateError(
                f"{path}: this saved count is damaged, or by another version of the methods"
            ) from None
        count.limit, count.time_limit = limits
        count.progress = progress
        return count

    def _unpack(self, values: dict[str, Any], store: Store) -> None:
        """Take over what was saved."""
        saved = values["search"]
        search = PlainSearch.unpack(self._counted, self.given, saved, store)
        self._search = self._watched(search)
        self._quick_left = float(values["quick_left"])
        if not self._quick_left >= 0:
            raise ValueError("less than no work")
        if values["components"] is not None:
            if not self._counted.compatible(self.given) or self._counted.bounds is not None:
                raise ValueError("components of no problem")
            self._split_problem()
            assert self._components is not None
            self._components.unpack(values["components"], store)
            if values["quick"] is not None:
                self._quick = Finished(values["quick"])
        elif self._quick_left:
            self._seek_quick(self._quick_left)
            if (self._quick is None) != (values["quick"] is None):
                raise ValueError("another choice of methods")
            if isinstance(self._quick, QuickSweep):
                self._quick.unpack(values["quick"], store)
        self._found = as_total(values["found"])
        self._done, self._seconds = float(values["done"]), float(values["seconds"])
        if not 0 <= self._done <= 1 or not 0 <= self._seconds < math.inf:
            raise ValueError("shares and seconds out of range")

    def _run(self) -> int:
        """Count to the end, or a limit."""
        self._stopped = False
        self._status = "running"
        if self._leader.ended:  # in its first slice: nothing is left to compile
            return self._run_slices()
        with interrupts(), CompilingElsewhere(self._is_tight), CompileTimer() as self._compiled:
            return self._run_slices()

    def _run_slices(self) -> int:
        self._began = reported = time.perf_counter()
        try:
            while True:
                now = time.perf_counter()
                if self._at_limit() or self._leader.ended:
                    return self._end("limit" if self._at_limit() else "exhausted")
                if self._stopped:
                    return self._end("stopped")
                if self._is_late(now):
                    return self._end("time limit")
                if self.progress is not None and now - reported >= REPORT_SECONDS:
                    reported = now
                    self.progress(self.stats)
                self._advance()
        except BaseException as error:
            if is_interrupt(error):
                self._end("interrupted")
            else:
                self._status = "stopped"  # out of `progress`, or of memory
            raise

    def _watched(self, search: PlainSearch) -> PlainSearch:
        """The search; within a slice that may take long, it checks whether the run is over."""
        if search.is_slow_to_return:
            search.is_over = self._over()
        return search

    def _over(self) -> Callable[[], bool]:
        """Return a function that tests whether the run is over, without a reference cycle.

        A cycle would keep threads and files open until the next garbage collection.
        """
        reference = WeakMethod(self._is_over)
        return lambda: (method := reference()) is None or method()

    def _is_over(self) -> bool:
        return self._stopped or self._is_late(time.perf_counter())

    def _is_late(self, now: float) -> bool:
        if self.time_limit is None:
            return False
        return now - self._began - self._compiled() >= self.time_limit

    def _advance(self) -> None:
        """Continue for a slice of work."""
        if self._components is None:
            with self._timed():
                self._prepare()
        leader = self._leader
        if leader is self._search:
            self._search.compile()
        with self._timed():
            leader.advance(SLICE if leader is self._components else slice_of(leader))
        self._update()

    def _prepare(self) -> None:
        """Prepare a quick sweep, or split the problem into components, if it is time for that."""
        search = self._search
        if isinstance(self._quick, QuickSweep):
            self._quick.compare(search)
        is_sought = self.method == "auto" and self._quick is None
        if is_sought and quick_is_due(search, self._counted, self._quick_left):
            self._seek_quick(work_left(search))
        if not self._is_whole():
            self._split_problem()

    def _seek_quick(self, search_left: float) -> None:
        """Prepare a quick sweep, if one is expected to be short."""
        account = MemoryAccount(min(QUICK_MEMORY, states_limit(self.memory_limit)))
        remainder = remainder_of(self._counted, self.given)
        self._connected = is_connected(remainder)
        sweep, factor = quick_sweep(remainder, account, search_left, connected=self._connected)
        # there is no call between these assignments, so no interrupt can come there
        self._quick, self._quick_left, self._short_factor = sweep, search_left, factor

    @contextmanager
    def _timed(self) -> Iterator[None]:
        """Add the seconds of a block to those of the count, without the time of compiling."""
        began = time.perf_counter() - self._compiled()
        try:
            yield
        finally:
            self._seconds += time.perf_counter() - self._compiled() - began

    def _is_whole(self) -> bool:
        """Whether the search, or the quick sweep, continues with the whole problem."""
        search = self._search
        if self.method == "sweep":
            return not self._counted.compatible(self.given)
        if self.method == "search" or search.ended:
            return True
        if isinstance(self._quick, QuickSweep) and self._quick.is_worthwhile:
            return True
        if not continues_alone(search, self._counted, self._short_factor):
            return False
        if self._connected is None and not search.is_slow:
            return True
        return self._is_connected()

    def _is_connected(self) -> bool:
        """Whether all is one component, or it is too early to see that.

        A search of several components goes through the solutions of one for each solution of the
        others, and its estimate depends on which comes first.
        """
        if self._connected is None and self._search.work >= LABELS_WORK * self._counted.num_entries:
            self._connected = is_connected(remainder_of(self._counted, self.given))
        return self._connected is not False

    def _split_problem(self) -> None:
        account = self._account()
        components = whole_count(self._counted, self.given, self.method, account, self._search)
        quick = self._quick
        figures = None if quick is None else Finished(Finished.pack_of(quick))
        # there is no call between these assignments, so no interrupt can come there
        self._components, self._quick = components, figures
        if quick is not None:
            quick.release()

    def _account(self) -> MemoryAccount:
        """The memory, threads and folder of the sweeps."""
        account = MemoryAccount(states_limit(self.memory_limit), self._jobs, self._spill)
        account.count_name = self._name
        account.is_over = self._over()
        return account

    @property
    def _name(self) -> str:
        """The name of this count in the manifests of the folder for states."""
        return " ".join([self.problem.digest.hex(), *map(str, self.given)])

    def _update(self) -> None:
        """Update the lower bound and the fraction done; neither ever falls.

        The total of a sweep has several words: it is read between two calls of its kernel only,
        never by another thread while the kernel adds to it.
        """
        self._found = max(self._found, *(method.num_solutions for method in self._methods))
        self._done = 1.0 if self._leader.ended else max(self._done, self._leader.done)

    def _end(self, status: str) -> int:
        self._status = status
        self._stopped = False
        if status not in ("exhausted", "limit"):
            self._complete_some()
            if self._leader.ended:
                self._status = status = "exhausted"
        self._update()
        if status == "exhausted" and self._spill is not None:
            from dlx.count.spill import clear_unfinished

            clear_unfinished(self._spill, self._name)
        if self.progress is not None and status != "interrupted":
            self.progress(self.stats)
        return self.num_solutions

    def _complete_some(self) -> None:
        """Spend some work on a better lower bound before the run ends."""
        if self._components is not None:
            self._components.complete_some(LAST_COMPLETION)

    def _at_limit(self) -> bool:
        return self.limit is not None and self._found >= self.limit


def as_method(
    method: str, kernel: str, problem: Problem, spill: str | os.PathLike[str] | None
) -> tuple[str, Problem]:
    """Return the method, and the problem that it counts.

    The method is "search" instead of "auto" where sweeps cannot count. There a folder for states
    is refused.
    """
    if not is_one_of(method, METHODS):
        method = one_of(current_method(method, 'method="{}"'), METHODS, "method")
    is_auto = is_one_of(kernel, ("auto",))
    if method != "search" and is_auto:
        problem = without_slack(problem)
    if method == "sweep":
        without_multiplicities(problem, "a sweep")
        if not is_auto:
            raise ProblemError(f'kernel is {brief(kernel)}, but method="sweep" has no kernel')
        return method, problem
    if method == "auto" and is_auto and problem.bounds is None:
        return method, problem
    if spill is not None:
        reason, advice = 'method="search"', "one of them"
        if method == "auto":
            reason = f"kernel {brief(kernel)}"
            if is_auto:
                reason, advice = "a search with multiplicities other than 0:1", "spill"
        raise ProblemError(
            f"spill is {brief(spill)}, but {reason} merges no states; leave {advice} out"
        )
    return "search", problem
