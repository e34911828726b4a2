"""How much memory there is; the account of the memory and the threads of a count."""

from __future__ import annotations

import contextlib
import mmap
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dlx.count.spinning import SpinningThreads

A = TypeVar("A")
R = TypeVar("R")

UNKNOWN_MEMORY = 1 << 32  # bytes, if the system does not report them
MANY_RESULTS = 1 << 20  # results of a call, from which on their size is compared with the memory
INTERPRETER = 176 << 20  # bytes of a limit that are left to the interpreter and to freed arrays
ADDRESSES = 400 << 20  # bytes of the address space for the code of numba and LLVM, and its data
LEAST_FOR_STATES = 32 << 20  # bytes of a limit that are for states in any case
LEAST_MAPPED, MOST_MAPPED = 1 << 16, 1 << 25  # bytes of an array that has pages of its own;
# with fewer, the rest of a page is too much; larger ones have them anyway
PRIVATE: dict[str, int] = {}  # how such an array is mapped; Windows has one way only
if hasattr(mmap, "MAP_PRIVATE"):
    # shared pages cost a third more, and Linux allows a process 65,530 pieces of them
    PRIVATE["flags"] = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
THREADS = 8  # of a count, at most
CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


def machine_memory() -> int:
    """Bytes of main memory that this process may use.

    The least of what the machine has, the limits of its control groups (versions 1 and 2) and the
    limit of its address space (``ulimit -v``); 4 GiB if the system reports no limit.
    """
    return min([_physical_memory(), *_cgroup_limits(), *_address_space()])


def require_memory_for(number: int, size: int, things: str) -> None:
    """Raise MemoryError if so many things of `size` bytes each do not fit into memory."""
    if number > MANY_RESULTS and number * size > machine_memory():
        raise MemoryError(f"{number} {things} do not fit into memory")


def _physical_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN_MEMORY


def _cgroup_limits() -> list[int]:
    """The limits of the groups that this process is in, and of the groups above them."""
    limits = []
    try:
        lines = OWN_CGROUP.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    for line in lines:
        _, _, tail = line.partition(":")
        controllers, _, path = tail.partition(":")
        if controllers == "":
            root, name = CGROUPS, "memory.max"
        elif "memory" in controllers.split(","):
            root, name = CGROUPS / "memory", "memory.limit_in_bytes"
        else:
            continue
        # inside a container the path may be that of the host; its group is then the root
        top, folder = str(root), f"{root}{path}".rstrip("/")
        while folder.startswith(top):
            # there may be no such file, or it says "max"
            with contextlib.suppress(OSError, ValueError), open(f"{folder}/{name}", "rb") as file:
                limits.append(int(file.read()))
            folder = os.path.dirname(folder)
    return limits


def _address_space() -> list[int]:
    try:
        import resource
    except ImportError:  # Windows
        return []
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return [] if limit == resource.RLIM_INFINITY else [limit]


def as_available(memory_limit: int | None) -> int:
    """Return a memory limit, by default a quarter of what this process may use.

    It is at most what the address space has beside numba and LLVM, or a quarter: an allocation of
    LLVM that fails ends the process.
    """
    limit = machine_memory() // 4 if memory_limit is None else memory_limit
    return min([limit, *(max(space // 4, space - ADDRESSES) for space in _address_space())])


def zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return zeros in pages of their own, which go back to the system as soon as they are free.

    The C allocator keeps freed arrays of up to 32 MB for later arrays of such sizes.
    """
    size = prod(shape) * np.dtype(dtype).itemsize
    if not LEAST_MAPPED <= size < MOST_MAPPED:
        return np.zeros(shape, dtype)
    try:
        pages = mmap.mmap(-1, size, **PRIVATE)
    except OSError:  # there is no memory, or there are too many pieces of it
        return np.zeros(shape, dtype)
    return np.frombuffer(pages, dtype).reshape(shape)


def states_limit(limit: int) -> int:
    """Bytes of a memory limit that states may take.

    The interpreter with numba takes 160 to 220 MB. A process should exceed the limit by at most
    100 MB, so a part of larger limits is reserved for the interpreter, and half of the rest for
    children that are not merged yet and for freed memory that the allocator keeps (measured). Small
    limits are for the states alone.
    """
    rest = limit - min(INTERPRETER, max(0, limit - LEAST_FOR_STATES))
    return min(limit, max(LEAST_FOR_STATES, rest // 2))


def is_tight(limit: int) -> bool:
    """Whether a memory limit is too small for the code that this process would compile."""
    return limit < INTERPRETER + 2 * LEAST_FOR_STATES


def limit_for(states: int) -> int:
    """The least memory limit of which states may take `states` bytes; see `states_limit`."""
    return states if states <= LEAST_FOR_STATES else INTERPRETER + 2 * states


class MemoryAccount:
    """The memory, threads and folder that all parts of a count share.

    Parameters
    ----------
    limit : int
        Bytes that may be held together.
    jobs : int
        Threads.
    spill : str, optional
        Folder for states that do not fit into the limit.

    Attributes
    ----------
    limit, used, jobs, spill
    remote : callable or None
        Takes the masks of a sweep and returns a `dlx.count.expander.Remote`, which passes its tasks
        to other processes, all of which see the folder; None without other processes.
    is_over : callable
        Returns whether a sweep must end its present run before its work is done.
    count_name : str
        The name of the count in the manifests of its sweeps, the same for all orders.
    """

    _lent: deque[Any] | None = None

    def __init__(self, limit: int, jobs: int = 1, spill: str | None = None) -> None:
        self.limit = limit
        self.used = 0
        self.jobs = jobs
        self.spill = spill
        self.remote: Callable[[Any], Any] | None = None
        self.is_over: Callable[[], bool] = bool
        self.count_name = ""
        self._lock = threading.Lock()
        self._workers: SpinningThreads | None = None

    @property
    def free(self) -> int:
        """Bytes that may still be taken."""
        return max(0, self.limit - self.used)

    def lend(self, idle: deque[Any]) -> None:
        """Free the idle arrays of the previous sweep, and remember those of the one about to run.

        `used` does not include them.

        Parameters
        ----------
        idle : deque
            Those of the sweep that is about to run.
        """
        if self._lent is not None and self._lent is not idle:
            self._lent.clear()
        self._lent = idle

    def take(self, number: int) -> None:
        """Add bytes that are in use from now on; a negative number for released bytes."""
        with self._lock:
            self.used += number

    def workers(self) -> SpinningThreads:
        """Return the threads other than the one that counts.

        Raises
        ------
        RuntimeError
            The system has no more threads.
        """
        if self._workers is None:
            # one thread needs no compiled code for it
            from dlx.count.spinning import SpinningThreads

            self._workers = SpinningThreads(min(self.jobs, THREADS) - 1)
        return self._workers

    def in_background(self, call: Callable[[], R]) -> Callable[[], R]:
        """Start a call in another thread, if there is one; return a function for its result."""
        if self.jobs == 1:
            return cache(call)
        submitted = self.workers().submit(call)
        return cache(lambda: call() if submitted.cancel() else submitted.result())

    def each(self, call: Callable[[A], R], arguments: Sequence[A]) -> list[R]:
        """The results of some calls, by all threads; if one of them fails, the others end first."""
        if len(arguments) == 1 or self.jobs == 1:
            return [call(one) for one in arguments]
        workers, number = self.workers(), len(arguments)
        calls, results = [], []
        try:
            for one in arguments:
                calls.append(workers.submit(call, one))
            while number and calls[number - 1].cancel():  # this thread takes part, too
                number -= 1
                results.append(call(arguments[number]))
        finally:
            for submitted in calls[:number]:
                submitted.wait()
        return [submitted.result() for submitted in calls[:number]] + results[::-1]
