"""Ledger: the tasks of a search in an SQLite database, so that a later process can continue.

Each task that ends is one transaction: its result, and the tasks that it leaves. So the ledger is
consistent at any moment at which the process may end; the tasks that were being run are then
open again. Totals are kept as one row, so the ledger of a count stays small.

    meta(key, value)                         format, version, digest, question, totals, sums
    task(place, branches, state, sum)        place: a byte for each number; state: 0 open, 1 ended
    solutions(place, number, depth, data, sum)    of ended tasks, if they are listed: int32, zlib

`branches` of an open task is a list: see `_rows`. A whole path is written once, since a task of a
deep search has thousands of branches with the same one.

SQLite has no checksums. Here each row has one, `meta` has the checksum of the totals, and the
totals include the sum of the checksums of all tasks, so that a missing task is noticed, too.
`branches` of an ended task is the number of its rows of solutions. All values are checked before a
kernel reads them, because a file made by hand may have valid checksums.

One process at a time uses a ledger: it holds an exclusive transaction on FILE.lock, which ends with
the process in any case. A symbolic link has the lock of its file. If two processes open a ledger
through hard links, the one that finds totals which it has not written gets an error.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import pathlib
import socket
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np

from dlx.checks import as_path, duration, solutions_text
from dlx.container import MAGIC
from dlx.errors import OutputError, StateError
from dlx.files import expect_file, take_lock
from dlx.parallel.task import Branches, Place, Question, Task, Totals, fraction_done
from dlx.problem import Int32s, Problem
from dlx.search.branch import Branch
from dlx.search.saved import VERSION

FORMAT = 3
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE task (place BLOB PRIMARY KEY, branches TEXT, state INTEGER, sum BLOB) WITHOUT ROWID;
CREATE TABLE solutions (place BLOB, number INTEGER, depth INTEGER, data BLOB, sum BLOB,
                        PRIMARY KEY (place, number)) WITHOUT ROWID;
"""
SUM = 16  # bytes of a checksum
MODULUS = 1 << 8 * SUM
Path = str | os.PathLike[str]


class Ledger:
    """The ledger of one search, opened by this process alone.

    Parameters
    ----------
    path : str or path
        A ledger of this search, or a file that does not exist.
    problem : Problem
    question : Question

    Attributes
    ----------
    totals : Totals
    is_new : bool
        Whether nothing has been recorded.

    Raises
    ------
    StateError
        The file is not a ledger, or is that of another problem, version or question, or another
        process has it.
    OutputError
        The file cannot be written.
    """

    def __init__(self, path: Path, problem: Problem, question: Question) -> None:
        self.path = as_path(path, "ledger")
        if not self.path:
            raise OutputError("a ledger without a name cannot be written")
        self._problem, self._question = problem, question
        self.totals = Totals()
        self._written: str | None = None  # the totals as the ledger has them
        self._sums = 0  # the checksums of all rows of `task`, added up
        began = time.monotonic()
        try:
            with _own_errors(self.path):
                name = os.path.realpath(self.path)  # to SQLite :memory: alone is no file
                _refuse_other(name, self.path)
                self._lock = _locked(self.path)
                self._base = sqlite3.connect(name, isolation_level=None, check_same_thread=False)
                self._base.execute("PRAGMA journal_mode=WAL")
                self._base.execute("PRAGMA synchronous=NORMAL")
                self._expect(_described(problem, question))
            self._began = began - self.totals.elapsed  # as if one process had had it all the time
        except BaseException:
            self.close()
            raise

    def _expect(self, described: dict[str, str]) -> None:
        """Make the tables, or check that they are those of this search; note who has them."""
        with self._transaction():
            if not self._base.execute(TABLES).fetchall():
                for statement in SCHEMA.split(";")[:-1]:
                    self._base.execute(statement)
                self._set(described)
            recorded = dict(self._base.execute("SELECT key, value FROM meta"))
            for key, value in described.items():
                if key not in recorded:
                    raise StateError(f"{self.path}: this ledger is damaged: it has no {key}")
                if recorded[key] != value:
                    text = " ".join(str(recorded[key]).split())
                    raise StateError(f"{self.path}: {OTHER[key].format(text, value)}")
            self._written = recorded.get("totals")
            self.is_new = self._written is None
            self._check(recorded)
            self._set({"owner": f"process {os.getpid()} on {socket.gethostname()}"})

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._base.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._base.execute("ROLLBACK")
            raise

    def _set(self, values: dict[str, str]) -> None:
        self._base.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())

    # what the search reads and writes

    def _check(self, recorded: dict[str, str]) -> None:
        """Read the totals, and check all tasks; raise StateError if anything is damaged."""
        with _readable(self.path):
            if not self.is_new:
                self.totals, self._sums = _totals(recorded)
            sums = 0
            for place, text, state, checksum in self._base.execute("SELECT * FROM task"):
                _expect_equal(checksum, _sum(place, text, state))
                sums += int.from_bytes(checksum)
            _expect_equal(sums % MODULUS, self._sums)
            query = "SELECT place, branches FROM task WHERE state = ?"
            self._ended = {place: int(n) for place, n in self._base.execute(query, (1,))}
            self._open = [
                Task(tuple(place), tuple(self._branches(text)))
                for place, text in self._base.execute(query, (0,))
            ]

    def _branches(self, text: str) -> Iterator[Branch]:
        """Return branches that a kernel can take; raise ValueError or TypeError for others."""
        path: tuple[int, ...] = ()
        for first, options, weight in json.loads(text):
            length = first if type(first) is int else None
            if length is None:
                path = tuple(first)
                self._expect_options(path)
                if not self._problem.compatible([o for o in path if o >= 0]):
                    raise ValueError("options that are not compatible")
            elif not 0 <= length <= len(path):
                raise ValueError("an invalid part of a path")
            self._expect_options(options)
            if not 0 <= weight <= 1:
                raise ValueError("an invalid weight")
            yield Branch(path, tuple(options), float(weight), length)

    def _expect_options(self, options: Iterable[int]) -> None:
        """Raise ValueError unless these are numbers of options; "bounds" writes ~o to exclude o."""
        lowest = -self._problem.num_options if self._question.kernel == "bounds" else 0
        numbers = range(lowest, self._problem.num_options)
        if not all(type(o) is int and o in numbers for o in options):
            raise ValueError("an invalid option")

    def open_tasks(self) -> Iterator[Task]:
        """Return the tasks that are to be run."""
        return iter(self._open)

    def ended_places(self) -> list[Place]:
        """Return the places of the ended tasks that have solutions."""
        return [tuple(place) for place in self._ended]

    def solutions(self, place: Place) -> list[Int32s]:
        """Return the solutions of an ended task; raise StateError if they are damaged."""
        query = "SELECT number, depth, data, sum FROM solutions WHERE place = ? ORDER BY number"
        key = bytes(place)
        with _readable(self.path):
            rows = self._base.execute(query, (key,)).fetchall()
            batches: list[Int32s] = []
            for number, depth, data, checksum in rows:
                _expect_equal((checksum, number), (_sum(key, number, depth, data), len(batches)))
                batch = np.frombuffer(zlib.decompress(data), "<i4").astype(np.int32)
                if batch.size and not -1 <= batch.min() <= batch.max() < self._problem.num_options:
                    raise ValueError("an invalid option")
                batches.append(batch.reshape(-1, depth) if depth else batch.reshape(1, 0))
            _expect_equal(len(batches), self._ended.get(key, 0))
            return batches

    def record(
        self, task: Task, batches: Iterable[Int32s], left: Iterable[Task], totals: Totals
    ) -> None:
        """Write what a task did and what it leaves, or nothing of it.

        Raises
        ------
        OutputError
            The file cannot be written.
        StateError
            Another process has written to it.
        """
        totals = totals._replace(elapsed=time.monotonic() - self._began)
        place = bytes(task.place)
        kept = [batch for batch in batches if len(batch)]
        with _own_errors(self.path), self._transaction():
            self._expect_own_totals()
            sums = self._sums
            old = self._base.execute("SELECT sum FROM task WHERE place = ?", (place,))
            for (checksum,) in old.fetchall():
                sums -= int.from_bytes(checksum)
            self._base.execute("DELETE FROM task WHERE place = ?", (place,))
            tasks = [(bytes(child.place), json.dumps(_rows(child.branches)), 0) for child in left]
            tasks += [(place, str(len(kept)), 1)] if kept else []
            for row in tasks:
                sums += int.from_bytes(_sum(*row))
                self._base.execute("INSERT INTO task VALUES (?, ?, ?, ?)", (*row, _sum(*row)))
            for number, batch in enumerate(kept):
                data = zlib.compress(np.ascontiguousarray(batch).astype("<i4").tobytes(), 1)
                values = (place, number, batch.shape[1], data)
                self._base.execute(
                    "INSERT INTO solutions VALUES (?, ?, ?, ?, ?)", (*values, _sum(*values))
                )
            text = json.dumps([*totals, f"{sums % MODULUS:x}"])
            self._set({"totals": text, "sum": _sum(text).hex()})
        self._written, self._sums = text, sums % MODULUS
        if kept:
            self._ended[place] = len(kept)
        self.totals = totals

    def _expect_own_totals(self) -> None:
        row = self._base.execute("SELECT value FROM meta WHERE key = 'totals'").fetchone()
        if (row and row[0]) != self._written:
            raise StateError(
                f"{self.path}: another process has written to this ledger, by another name;"
                " one process at a time"
            )

    def close(self) -> None:
        """Close the database, which removes the files beside it, and release the lock."""
        for name in ("_base", "_lock"):
            if hasattr(self, name):
                with suppress(sqlite3.Error):
                    getattr(self, name).close()

    def __del__(self) -> None:
        # A connection refers to itself, so it would be closed only by the garbage collection; until
        # then this process could not open the ledger again.
        self.close()


def lock(path: str) -> sqlite3.Connection:
    """Lock a file; return the connection that holds the lock until it is closed.

    Raises
    ------
    StateError
        Another process holds it.
    OutputError
        FILE.lock cannot be written.
    """
    with _own_errors(path):
        return _locked(path)


def _locked(path: str) -> sqlite3.Connection:
    try:
        return take_lock(os.path.realpath(path) + ".lock")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise
        owner = "another process"
        with suppress(sqlite3.Error):  # the other process has not written anything yet
            owner = _meta(path).get("owner", owner)
        raise StateError(f"{path}: in use by {owner}; one process at a time") from None
    except sqlite3.DatabaseError:
        raise StateError(
            f"{path}.lock: this file is not a lock of a ledger; choose another name"
        ) from None


TABLES = "SELECT name FROM sqlite_master"

OTHER = {
    "format": "this ledger has format {}; this version writes format {}",
    "states": "this ledger has states of version {}; this version has states of version {}",
    "problem": "this ledger belongs to another problem",
    "question": "this ledger has a {}; this is a {}",
}


def _described(problem: Problem, question: Question) -> dict[str, str]:
    given = ", ".join(map(str, question.given))
    with_given = f", given options {given}" if given else ""
    return {
        "format": str(FORMAT),
        "states": str(VERSION),  # on which branches depend
        "problem": problem.digest.hex()[:32],
        "question": f"{'list' if question.listing else 'count'} of all solutions by kernel"
        f" {question.kernel}{with_given}",
    }


def _refuse_other(name: str, shown: str) -> None:
    """Raise an error for what is not a ledger, before anything is written beside it.

    sqlite3 raises an error for a file that is no database.
    """
    expect_file(shown)
    if not os.path.exists(name) or not os.path.getsize(name):
        return
    with suppress(OSError):  # of which sqlite3 says more
        if _is_saved_search(name):
            raise StateError(f"{shown}: this is a ledger of --best, or a saved search")
    tables = {table for (table,) in _read(name, TABLES)}
    if tables and not {"meta", "task", "solutions"} <= tables:
        raise StateError(f"{shown}: this is a database, but not a ledger")


def _is_saved_search(name: str) -> bool:
    with open(name, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


@contextmanager
def _own_errors(path: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        # a plain SQLITE_ERROR, or none, is of what was read
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code == sqlite3.SQLITE_ERROR:
            reason = " ".join(str(error).split())  # it may quote what is damaged
            raise StateError(f"{path}: this ledger is damaged: {reason}") from None
        raise OutputError(f"{path}: cannot be written: {error}") from None
    except (sqlite3.DatabaseError, UnicodeError) as error:
        reason = " ".join(str(error).split())  # it may quote lines of a damaged file
        raise StateError(f"{path}: this is not a ledger: {reason}") from None


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Turn the errors that damaged contents of a ledger raise into StateError."""
    try:
        yield
    except KeyError as error:
        raise StateError(f"{path}: this ledger is damaged: it has no {error.args[0]}") from None
    except (sqlite3.Error, zlib.error, ValueError, TypeError, RecursionError) as error:
        reason = str(error).partition("\n")[0][:80]
        raise StateError(f"{path}: this ledger is damaged: {reason}") from None
    except OverflowError:
        raise StateError(f"{path}: this ledger is damaged: a number is too large") from None


def _rows(branches: Branches) -> list[tuple[object, ...]]:
    """Return the branches of a task, as its row has them: path or length, options, weight.

    A branch with the path of the one before has the number of options of that path that it shares.
    """
    rows: list[tuple[object, ...]] = []
    path, written = None, 0
    for branch in branches:
        length = len(branch.path) if branch.length is None else branch.length
        if branch.path is path and length <= written:
            rows.append((length, branch.options, branch.weight))
        else:
            path, written = branch.path, length
            rows.append((branch.chosen, branch.options, branch.weight))
    return rows


def _sum(*values: object) -> bytes:
    """Return the checksum of the values of a row."""
    return hashlib.blake2b(repr(values).encode(), digest_size=SUM).digest()


def _totals(meta: dict[str, str]) -> tuple[Totals, int]:
    """Return the totals of a ledger, and the checksums of its tasks added up.

    What is raised for damaged ones, `_readable` turns into StateError.
    """
    _expect_equal(meta["sum"], _sum(meta["totals"]).hex())
    *values, last = json.loads(meta["totals"])
    kinds = [type(value) for value in Totals()]
    if [*map(type, values)] != kinds or not all(0 <= value < math.inf for value in values):
        raise ValueError("invalid totals")
    return Totals(*values), int(last, 16)


def _expect_equal(actual: object, expected: object) -> None:
    if actual != expected:
        raise ValueError("a checksum is wrong")


def _opened(path: str, mode: str, timeout: float = 5.0) -> sqlite3.Connection:
    """Return a connection to a database that exists, in a mode of SQLite's URIs."""
    uri = f"{pathlib.Path(path).absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, timeout=timeout, isolation_level=None, uri=True)


def _read(path: str, query: str) -> list[tuple[str, ...]]:
    """Return rows of a ledger, which another process may be writing.

    A ledger at rest has no file FILE-wal, and SQLite must make none beside it: the folder may be
    read-only. A ledger whose process was killed needs that file: without it, it may look damaged.
    """
    resolved = os.path.realpath(path)
    at_rest = not os.path.isfile(resolved + "-wal")
    with closing(_opened(resolved, "ro&immutable=1" if at_rest else "ro")) as base:
        return base.execute(query).fetchall()


def _meta(path: str) -> dict[str, str]:
    """Return the keys and values of the table `meta`."""
    return dict(_read(path, "SELECT key, value FROM meta"))  # type: ignore[arg-type]


class Status(NamedTuple):
    """The progress of the search of a ledger.

    Attributes
    ----------
    question : str
    solutions, nodes : int
        Found and visited so far.
    done : float
        Estimate, from 0 to 1, of the fraction of the search that is done; 1 if and only if all is.
    tasks_ended, tasks_open : int
    elapsed : float
        Seconds that processes had the ledger.
    working : float
        Seconds that workers ran tasks.
    nodes_per_second : float
        Nodes in `elapsed`.
    seconds_left : float or None
        Estimate from `done` and `elapsed`; None as long as nothing is done.
    owner : str or None
        The process that has the ledger, if there is one.
    """

    question: str
    solutions: int
    nodes: int
    done: float
    tasks_ended: int
    tasks_open: int
    elapsed: float
    working: float
    nodes_per_second: float
    seconds_left: float | None
    owner: str | None

    def text(self) -> str:
        """Return this in words, over several lines."""
        tasks = f"tasks:     {self.tasks_ended:,} ended, {self.tasks_open:,} open"
        return status_text(self, self.question, "by estimate", tasks)


def status_text(status: Any, title: str, measure: str, work: str) -> str:
    """Return the text of a `Status`, or of another tuple that has these of its fields.

    Parameters
    ----------
    status : NamedTuple
        With solutions, nodes, done, elapsed, nodes_per_second, seconds_left and owner.
    title : str
        The first line.
    measure : str
        The text after the percentage.
    work : str
        A line on the remaining work.
    """
    left = "unknown" if status.seconds_left is None else f"about {duration(status.seconds_left)}"
    solutions = solutions_text(status.solutions, ",").split()[0]
    lines = [
        title,
        f"done:      {status.done:.4%} {measure}",
        work,
        f"solutions: {'' if status.done == 1 else 'at least '}{solutions}",
        f"nodes:     {status.nodes:,}, {status.nodes_per_second:,.0f} a second",
        f"time:      {duration(status.elapsed)} so far, left {left if status.done < 1 else '0 s'}",
        f"now:       {'at rest' if status.owner is None else f'worked on by {status.owner}'}",
    ]
    return "\n".join(lines)


def status(path: Path) -> Status:
    """Return the progress of the search of a ledger; a process may be working on it.

    Raises
    ------
    StateError
        The file is not a ledger.
    OutputError
        This is a folder, a pipe or a device.
    OSError
        The file cannot be read.
    """
    name = as_path(path, "ledger")
    expect_file(name)
    if _is_saved_search(name):
        raise StateError(f"{name}: this is a ledger of --best, or a saved search: no status")
    try:
        meta = _meta(name)
        texts = [text for (text,) in _read(name, "SELECT branches FROM task WHERE state = 0")]
    except sqlite3.OperationalError as error:
        reason = "" if "no such table" in str(error) else f", or cannot be read here: {error}"
        raise StateError(f"{name}: this is not a ledger of a count or of a list{reason}") from None
    except sqlite3.Error:
        raise StateError(f"{name}: this is not a ledger of a count or of a list") from None
    used = is_in_use(name)
    with _readable(name):
        begun = "totals" in meta
        totals = _totals(meta)[0] if begun else Totals()
        ahead = sum(float(weight) for text in texts for _, _, weight in json.loads(text))
        done = fraction_done(ahead) if texts else 1.0
        done = done if begun else 0.0
        return Status(
            question=str(meta["question"]),
            solutions=totals.found,
            nodes=totals.nodes,
            done=done,
            tasks_ended=totals.ended,
            tasks_open=len(texts),
            elapsed=totals.elapsed,
            working=totals.working,
            nodes_per_second=totals.nodes / totals.elapsed if totals.elapsed else 0.0,
            seconds_left=totals.elapsed * (1 - done) / done if done else None,
            owner=meta.get("owner") if used else None,
        )


def is_in_use(path: str) -> bool:
    """Return whether a process has a ledger, or the files of a sweep.

    Raises
    ------
    StateError
        The file with the name of their lock is not a lock.
    """
    name = os.path.realpath(path) + ".lock"
    if not os.path.exists(name):
        return False
    try:
        with closing(_opened(name, "rw", timeout=0)) as lock:
            lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if "locked" in str(error):
            return True
        raise StateError(f"{name}: this file is not a lock of a ledger") from None
    return False
