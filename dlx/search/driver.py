"""Search: drives a kernel in slices; limits, time, progress, interrupts, saving and resuming.

A kernel is a module with

    name : str
    suits(problem) -> bool
    start(problem, given: tuple[int, ...]) -> State | None
        `given`: options, ascending, that are part of every cover; None: they contradict each
        other. A State is a named tuple of numpy arrays and nothing else, with a field
        `counters`: int64, of which the first five are the nodes, the updates, whether the
        search is exhausted, the level, and the covers found, since the start.
    max_depth(state) -> int
        An upper bound on the length of a cover, givens included.
    advance(state, budget, room, out) -> int
        Goes on until `room` covers were found in this call, or about `budget` updates were
        spent, or the search is exhausted; returns the number of covers found in this call.
        out : int32[rows, max_depth]; if rows > 0 (then room <= rows) row k gets the options of
        the k-th cover, ascending, padded with -1; if rows == 0 covers are only counted.
    done(state) -> float
        An estimate of the part of the search that is behind, from 0 to 1.

The compiled code alone changes the counters, so they are right whenever an interrupt comes.
"""

from __future__ import annotations

import io
import os
import struct
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from operator import length_hint
from typing import Any, NamedTuple, NoReturn

import numpy as np

from dlx.checks import as_limit, as_options, as_time_limit
from dlx.deprecated import alias
from dlx.errors import KernelError, StateError
from dlx.files import write_file
from dlx.problem import Int32s, Problem, as_problem

KERNELS = ("bits", "links")  # in the order in which "auto" tries them

NODES, UPDATES, EXHAUSTED, LEVEL, SOLUTIONS = range(5)

SLICE = 0.02  # seconds that a kernel runs at a time: how soon Ctrl-C and limits are noticed
FIRST_BUDGET = 1 << 14  # updates, before a slice has been timed
BATCH = 1 << 16  # numbers that a batch of covers holds at most
REPORT = 0.1  # seconds between two calls of `progress`
UNLIMITED = 1 << 62
RESTLESS = ("ready", "running")
FORMAT = 1  # of saved searches


class Stats(NamedTuple):
    """What a search has done so far, over all its runs."""

    solutions: int  # given out or counted
    nodes: int  # of the search tree, covers and the root among them
    updates: int  # removals of an option from an item's list (links), or what is akin to it
    seconds: float  # spent searching, without compiling
    kernel: str
    done: float  # estimate of the part of the search that is behind, from 0 to 1

    @alias("solutions")
    def covers(self) -> None:
        """Deprecated spelling of `solutions`."""


class Search:
    """A search for the covers of a problem, which can be stopped and gone on with at any time.

    Parameters
    ----------
    problem : Problem, or what Problem takes
    given : iterable of int
        Options that are part of every cover, also one of secondary items alone, which no search
        chooses. If they contradict each other there is no cover.
    limit : int, optional
        Stop after so many covers.
    time_limit : float, optional
        Stop a run (a loop over the search, a `count`) after so many seconds of searching.
    progress : callable, optional
        Called with the `stats` some ten times a second, and at the end of a run.
    kernel : "auto", "links" or "bits"

    Iterating gives each cover as a tuple of option numbers, ascending. The order depends on
    problem and kernel alone. A loop that is left can be gone on with by another, or by
    `count`; what was given out is not held. `limit` and `time_limit` may be changed between.

    Ctrl-C (KeyboardInterrupt) comes through within a slice of 0.02 seconds; nothing is lost,
    `stats.solutions` is then a lower bound, and the search can be gone on with. While numba
    compiles or loads a kernel, once in a process, Ctrl-C may be delayed or raise another error.
    `dlx.shell.interrupt` has what the commands do about it.

    Raises ProblemError for givens or limits that make no sense, KernelError for a kernel that
    is unknown or cannot take the problem.

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
        problem = as_problem(problem)
        self.problem = problem
        self.given = as_options(given, problem.num_options, "given")
        self._limit = as_limit(limit)
        self.time_limit = as_time_limit(time_limit)
        self.progress = progress
        self._kernel = choose_kernel(problem, kernel)
        self._state = self._kernel.start(problem, self.given)
        self._prepare(())

    def _prepare(self, listed: Iterable[tuple[int, ...]]) -> None:
        self._rows: Iterator[tuple[int, ...]]  # found, listed, and not given out yet
        self._rows = iter(list(listed))
        self._held: list[tuple[int, ...]] = []  # likewise, but beyond the limit
        self._out: Int32s = np.zeros((0, 0), np.int32)  # found after `_before` covers
        self._before = self._found()  # covers before those in `_out`
        self._status = "ready"
        self._stopped = False
        self._seconds = 0.0
        self._budget = FIRST_BUDGET
        self._warm = False

    # what can be asked

    @property
    def limit(self) -> int | None:
        """The search rests when it has given out or counted so many covers; None: no limit."""
        return self._limit

    @limit.setter
    def limit(self, limit: int | None) -> None:
        self._limit = as_limit(limit)
        rows = self._pending_covers()
        allowed = len(rows) if limit is None else max(0, limit - self.num_solutions)
        self._rows = iter(rows[:allowed])
        self._held = rows[allowed:]

    @property
    def status(self) -> str:
        """Why the search rests.

        "ready" before the first run, then "running", "exhausted", "limit", "time limit",
        "stopped" or "interrupted".
        """
        return "stopped" if self._stopped and self._status in RESTLESS else self._status

    @property
    def num_solutions(self) -> int:
        """How many covers were given out or counted so far; any thread may ask, at any time."""
        return self._found() - self._pending()

    @alias("num_solutions")
    def covers(self) -> None:
        """Deprecated spelling of `num_solutions`."""

    @property
    def stats(self) -> Stats:
        """Covers, nodes, updates, seconds, kernel and part done, over all runs."""
        counters = [0] * 5 if self._state is None else self._state.counters.tolist()
        done = 1.0 if self._exhausted() else float(self._kernel.done(self._state))
        name: str = self._kernel.name
        return Stats(
            self.num_solutions,
            counters[NODES],
            counters[UPDATES],
            self._seconds,
            name,
            done,
        )

    def __repr__(self) -> str:
        number = self.num_solutions
        found = "1 solution" if number == 1 else f"{number} solutions"
        return f"<Search of {self.problem!r}: {self.status}, {found}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Search cannot be pickled; save() and load() keep it in a file")

    def _found(self) -> int:
        return 0 if self._state is None else int(self._state.counters[SOLUTIONS])

    def _exhausted(self) -> bool:
        return self._state is None or bool(self._state.counters[EXHAUSTED])

    def _pending(self) -> int:
        return len(self._listed()) + length_hint(self._rows) + len(self._held)

    # what can be done

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        self._begin()
        return self._covers()

    def _covers(self) -> Iterator[tuple[int, ...]]:
        while self._fill():
            for cover in self._rows:
                yield cover
                if self._stopped:
                    break

    def __next__(self) -> tuple[int, ...]:
        cover = None if self._stopped else next(self._rows, None)
        if cover is None:
            if not self._stopped:
                self._begin()
            if not self._fill():
                raise StopIteration
            cover = next(self._rows)
        return cover

    def arrays(self) -> Iterator[Int32s]:
        """Goes on, and gives the covers in batches int32[k, depth], the fast way to list them.

        A row holds the options of a cover, ascending, padded with -1 at its end.

        >>> for batch in Search([[0, 1], [2], [0], [1, 2]]).arrays():
        ...     print(batch.tolist())
        [[0, 1, -1], [2, 3, -1]]
        """
        self._begin()
        rows = list(self._rows)
        if rows:
            yield _padded(rows, self._depth())
        while len(self._listed()) or self._slice(BATCH):
            batch = self._listed()
            if 2 * len(batch) < len(self._out):
                batch = batch.copy()  # for a batch that is kept would keep all of `_out`
            found = self._before + len(batch)
            if len(batch):
                self._before = found
                yield batch

    def count(self) -> int:
        """Goes on to the end without listing; the number of all covers, those listed included.

        What was found before an interrupt is in `stats.solutions`.

        >>> Search([[0, 1], [2], [0], [1, 2]]).count()
        2
        """
        self._begin()
        self._rows = iter(())
        self._before = self._found()
        while self._slice(0):
            pass
        return self.num_solutions

    def stop(self) -> None:
        """Ends the present run: a loop at its next step, a count at its next slice.

        May be called from within a loop, by a progress callback, or by another thread. At rest it
        ends a loop that was left, and makes `next` raise StopIteration once. What was found and
        not given out stays for the next run (a new loop, `count`), which starts as ever.

        >>> search = Search([[0, 1], [2], [0], [1, 2]])
        >>> for cover in search:
        ...     search.stop()
        >>> search.status, search.stats.solutions, search.count()
        ('stopped', 1, 2)
        """
        self._stopped = True

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the search to a file, beside it first, then renamed; `load` goes on with it.

        Raises OutputError, an OSError, where the file cannot be written.
        """
        fields = {} if self._state is None else self._state._asdict()
        data = {
            "format": np.array(FORMAT),
            "kernel": np.array(self._kernel.name),
            "problem": np.frombuffer(self.problem.digest, np.uint8),
            "given": np.array(self.given, np.int64),
            "seconds": np.array(self._seconds),
            "pending": _padded(self._pending_covers(), self._depth()),
        }
        buffer = io.BytesIO()
        np.savez(buffer, **data, **{f"state_{name}": a for name, a in fields.items()})  # type: ignore[arg-type]
        write_file(path, buffer.getvalue())

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
        """The search saved in a file, to go on with; kernel and givens are those it had.

        Raises OSError where the file cannot be read, StateError where it holds no saved search,
        or that of another problem.
        """
        problem = as_problem(problem)
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
                data = dict(archive)
            if data["format"] != FORMAT:
                raise StateError(f"{path}: saved in format {data['format']}; this reads {FORMAT}")
        except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            if isinstance(error, StateError):
                raise
            raise StateError(f"{path}: this is no saved search") from None
        if data["problem"].tobytes() != problem.digest:
            raise StateError(f"{path}: this is a search of another problem than {problem!r}")
        given = data["given"].tolist()
        search = cls(
            problem,
            given=given,
            limit=limit,
            time_limit=time_limit,
            progress=progress,
            kernel=str(data["kernel"]),
        )
        if search._state is not None:
            for name, fresh in search._state._asdict().items():
                saved = data.get(f"state_{name}")
                if saved is None or saved.dtype != fresh.dtype or saved.shape != fresh.shape:
                    raise StateError(f"{path}: saved by another version of the kernel")
                # into the array at hand, which lies in memory as the kernel likes it
                np.copyto(fresh, saved)
        search._prepare(_tuples(data["pending"]))
        search._seconds = float(data["seconds"])
        search.limit = limit
        return search

    # slices

    def _begin(self) -> None:
        self._stopped = False
        self._status = "running"
        self._run_end = None if self.time_limit is None else self._seconds + self.time_limit
        self._reported = self._seconds

    def _fill(self) -> bool:
        """Sees to it that `_rows` holds something; False if the run is over."""
        while self._pending() == len(self._held):
            # batches grow, so that the first cover does not wait for many others
            if not self._slice(min(BATCH, max(1, 2 * self._out.size))):
                return False
        if self._stopped:
            return self._end("stopped")
        if length_hint(self._rows) == 0:
            batch = self._listed()
            rows, before = _stream(batch), self._before + len(batch)
            # no call in between: no interrupt can part these
            self._rows, self._before = rows, before
        return True

    def _listed(self) -> Int32s:
        return self._out[: self._found() - self._before]

    def _pending_covers(self) -> list[tuple[int, ...]]:
        rows = [*self._rows, *_tuples(self._listed()), *self._held]
        self._rows = iter(rows)
        self._held = []
        self._before = self._found()
        return rows

    def _depth(self) -> int:
        return 0 if self._state is None else int(self._kernel.max_depth(self._state))

    def _slice(self, numbers: int) -> bool:
        """Lets the kernel run for a slice; False if the run is over.

        Covers are only counted if `numbers` is 0; else a batch of about so many is listed.
        """
        room = UNLIMITED if self._limit is None else min(UNLIMITED, self._limit - self._found())
        if self._exhausted() and not self._held:
            return self._end("exhausted")
        if room <= 0:
            return self._end("limit")
        if self._stopped:
            return self._end("stopped")
        if self._run_end is not None and self._seconds >= self._run_end:
            return self._end("time limit")
        try:
            depth = self._depth()
            rows = min(room, max(1, numbers // max(1, depth))) if numbers else 0
            out = np.empty((rows, depth), np.int32)
            if not self._warm:
                self._kernel.advance(self._state, 0, 0, out)  # compiles: not to be timed
                self._warm = True
            self._before = self._found()
            self._out = out
            began = time.perf_counter()
            self._kernel.advance(self._state, self._budget, rows or room, out)
            seconds = time.perf_counter() - began
            self._seconds += seconds
            if seconds > 2 * SLICE:
                self._budget = max(1, self._budget // 2)
            elif seconds < SLICE / 2:
                self._budget = min(2 * self._budget, UNLIMITED)
            if self.progress is not None and self._seconds >= self._reported + REPORT:
                self._reported = self._seconds
                self.progress(self.stats)
        except KeyboardInterrupt:
            self._status = "interrupted"
            raise
        return True

    def _end(self, status: str) -> bool:
        self._status = status
        self._stopped = False
        if self.progress is not None:
            self.progress(self.stats)
        return False


def choose_kernel(problem: Problem, name: str) -> Any:
    """The kernel of this name, a module; for "auto" the first of `KERNELS` that suits.

    Raises
    ------
    KernelError
        There is no such kernel, or it cannot take the problem.
    """
    if name == "auto":
        for candidate in KERNELS:
            kernel = import_module(f"dlx.search.{candidate}")
            if kernel.suits(problem):
                return kernel
    if name not in KERNELS:
        raise KernelError(f"there is no kernel {name!r}; there are auto, {', '.join(KERNELS)}")
    kernel = import_module(f"dlx.search.{name}")
    if not kernel.suits(problem):
        raise KernelError(f"kernel {name!r} cannot take this problem: {problem!r}")
    return kernel


def _stream(batch: Int32s) -> Iterator[tuple[int, ...]]:
    """The covers of a batch, each made when it is asked for; `length_hint` tells how many are left.

    Made all at once, they would keep the garbage collector busy: five times as slow.
    """
    length = int(np.count_nonzero(batch[:1] >= 0))
    if length and (batch[:, length - 1] >= 0).all() and (batch[:, length:] < 0).all():
        return struct.iter_unpack(f"{length}i", np.ascontiguousarray(batch[:, :length]).data)
    lengths = np.count_nonzero(batch >= 0, axis=1)
    return iter([tuple(row[:k]) for row, k in zip(batch.tolist(), lengths.tolist(), strict=True)])


def _tuples(batch: Int32s) -> list[tuple[int, ...]]:
    return list(_stream(batch))


def _padded(covers: list[tuple[int, ...]], depth: int) -> Int32s:
    batch = np.full((len(covers), depth), -1, np.int32)
    for row, cover in zip(batch, covers, strict=True):
        row[: len(cover)] = cover
    return batch
