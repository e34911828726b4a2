"""The protocol that the kernels of the search share, and the choice of a kernel for a problem.

A kernel is a module. It translates a problem into a state of flat arrays, and its compiled
function `advance` searches that state. Nothing but the state is needed to continue, so a search
can be stopped after any node, copied, saved and resumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from dlx.checks import brief, is_one_of
from dlx.errors import KernelError
from dlx.problem import Int32s, Problem
from dlx.search import row_sizes
from dlx.search.branch import Branch
from dlx.search.counters import UNLIMITED
from dlx.search.first_steps import process_steps

KERNELS = ("bits", "links", "bounds")
"""Names of the kernels."""

SHORTEST_TRIAL, LARGEST_TRIAL = 1 << 8, 1 << 12
"""Least and largest number of updates of a trial by "links", which prepares its state five times as
fast as "bits". In between, a trial has as many updates as the problem has entries, which is about
what one solution takes. A trial for a first solution has the largest number. Problems with more
entries have no trial, except for a first solution if the rows of "bits" have at least LONG_ROWS
bits: then it has an update for each TRIAL_BITS of them, about a tenth of the time to compute them.
"""
LONG_ROWS, TRIAL_BITS = 1 << 25, 1 << 10

NODE_WORK = {"bits": 35.0, "bounds": 28.0, "links": 28.0}
UPDATE_WORK = {"bits": 1.2, "bounds": 2.0, "links": 4.2}
"""Units of work, of about a nanosecond, of a node and of an update: means over 13 problems for
"bits" (off by a factor of 1.5 at most), over 3 for "links"."""


class State(Protocol):
    """A named tuple of numpy arrays, among them `counters`, or of such tuples with `copy`."""

    @property
    def counters(self) -> npt.NDArray[np.int64]:
        """See `dlx.search.counters`."""

    def _asdict(self) -> dict[str, Any]: ...


S = TypeVar("S", bound=State)


class Kernel(Protocol[S]):
    """The functions of a kernel module.

    Besides the functions a module has the attributes `name`, `changing` and `takes_options`. Its
    compiled code takes a state as a plain tuple: numba takes twice as long to see the types of a
    named one.
    """

    @property
    def name(self) -> str:
        """What the argument `kernel` of the public functions calls it."""

    @property
    def changing(self) -> tuple[str, ...]:
        """The fields of the state that `advance` changes and needs when it is called again.

        The other fields follow from the problem and the givens, or are scratch space.
        """

    @property
    def takes_options(self) -> bool:
        """Whether `restart` takes branches with options; if not, see `Branch.apart`."""

    def suits(self, problem: Problem, /) -> bool:
        """Return whether the kernel can take this problem."""

    def start(self, problem: Problem, given: tuple[int, ...], /) -> S | None:
        """Return the state before the first node.

        Parameters
        ----------
        problem : Problem
        given : tuple of int
            Options that are part of every solution, ascending.

        Returns
        -------
        State or None
            None if two of the given options are not compatible.
        """

    def max_depth(self, state: S, /) -> int:
        """Return an upper bound on the number of options of a solution, givens included."""

    def advance(self, state: S, budget: int, room: int, out: Int32s, /) -> int:
        """Continue the search.

        Parameters
        ----------
        state : State
            Changed in place.
        budget : int
            Return after about this many updates.
        room : int
            Return when this call has found this many solutions; at least 1, unless the budget is 0.
        out : int32[rows, max_depth]
            Row k receives the options of solution k of this call, ascending, padded with -1.
            Without rows solutions are only counted; otherwise `room` is at most the rows.

        Returns
        -------
        int
            Number of solutions found by this call. The search is over once
            `state.counters[EXHAUSTED]` is 1.
        """

    def open_branches(self, state: S, weight: float, /) -> list[Branch]:
        """Return what a search has left, in its order; nothing once it is exhausted.

        `weight` is that of the whole search.
        """

    def restart(self, problem: Problem, root: S, state: S | None, branch: Branch, /) -> S:
        """Return the state of a search of one branch, before its first node.

        Parameters
        ----------
        problem : Problem
        root : State
            What `start` returned for the problem and the givens; not changed. Several threads
            may call this function with the same one.
        state : State or None
            What `restart` returned, if it is no longer needed: its arrays may be reused.
        branch : Branch
            Some of what `open_branches` returned, perhaps with fewer `options`; with none unless
            the kernel takes them.
        """

    def fraction_done(self, state: S, /) -> float:
        """Return an estimate, from 0 to 1, of the fraction of the tree that has been searched.

        It is 1.0 once the search is exhausted, and less before.
        """

    def is_reachable(self, fresh: S, state: S, /) -> bool:
        """Return whether a search can reach a state, apart from how much work it counts.

        The state may come from anywhere: `advance` must not be called before this is known.

        Parameters
        ----------
        fresh : State
            What `start` returns; may be changed.
        state : State
            The same, with the fields in `changing` from elsewhere, of the right types and shapes.
        """


def has_trial(problem: Problem, name: str, *, first: bool = False) -> bool:
    """Return whether the search by this kernel begins with a trial: "auto", on a small problem.

    In a trial the kernel "links", whose state takes least time to prepare, makes some hundred to
    thousand updates. Most small problems end there. If not, "bits" begins from the root. With items
    numbered as "bits" prefers them (`links.start`), "links" finds the same solutions in the same
    order, so "bits" skips as many as have been found. With `first`, for a search for one solution,
    large problems have a trial, too.
    """
    fits = len(problem.item) <= LARGEST_TRIAL or (first and _row_bits(problem) >= LONG_ROWS)
    return fits and problem.bounds is None and is_one_of(name, ("auto",)) and _suits_bits(problem)


def _suits_bits(problem: Problem, largest: int = row_sizes.LARGEST) -> bool:
    """Return whether "auto" takes "bits", without multiplicities; avoid loading the kernel."""
    num_options, num_items = len(problem.start) - 1, len(problem.items)  # faster than properties
    sizes = num_options, num_items, problem.num_primary, len(problem.item)
    if row_sizes.surely_fit(*sizes):
        return True
    bits: Any = load_first_steps("bits") or load_kernel("bits")
    return bool(bits.rows_fit(problem, largest))


def start_trial(problem: Problem, given: tuple[int, ...]) -> tuple[Kernel[Any], Any]:
    """Return the kernel of a trial and its state; None if two givens are not compatible."""
    links: Any = load_kernel("links")
    return links, links.start(problem, given, ascending=True)


def trial_updates(problem: Problem, *, first: bool = False) -> int:
    """Return the updates of a trial; with `first`, of one for a first solution."""
    if first:
        return max(LARGEST_TRIAL, _row_bits(problem) // TRIAL_BITS)
    return max(SHORTEST_TRIAL, min(len(problem.item), LARGEST_TRIAL))


def work_of(kernel: str, nodes: int, updates: int) -> int:
    """Return the units of work that a search with these figures has done."""
    return int(NODE_WORK[kernel] * nodes + UPDATE_WORK[kernel] * updates)


def _row_bits(problem: Problem) -> int:
    """Return about how many bits all rows have: each of them one for each entry."""
    return (len(problem.start) - 1) * len(problem.item)


def choose_kernel(problem: Problem, name: str, *, largest: int = row_sizes.LARGEST) -> Kernel[Any]:
    """Return the kernel of this name, or for "auto" the one that searches after a trial.

    Parameters
    ----------
    problem : Problem
    name : str
    largest : int
        Bytes that the rows of "bits" may take if the name is "auto".

    Raises
    ------
    KernelError
        There is no such kernel, or it cannot take the problem.
    """
    return load_kernel(kernel_name(problem, name, largest=largest))


def kernel_name(problem: Problem, name: str, *, largest: int = row_sizes.LARGEST) -> str:
    """Return the name of the kernel that `choose_kernel` returns; for "auto" avoid loading one.

    Raises
    ------
    KernelError
        There is no such kernel, or it cannot take the problem.
    """
    if not is_one_of(name, ("auto", *KERNELS)):
        raise KernelError(f"there is no kernel {brief(name)}; there are auto, {', '.join(KERNELS)}")
    if name == "auto":
        if problem.bounds is not None:
            return "bounds"
        return "bits" if _suits_bits(problem, largest) else "links"
    if not load_kernel(name).suits(problem):
        if problem.bounds is not None:
            reason = "it has multiplicities; kernel 'bounds' takes it"
        else:
            reason = "its rows would take too much memory; kernel 'links' takes it"
        raise KernelError(f"kernel {name!r} cannot take this problem: {reason}")
    return name


@contextmanager
def interpreted_first_steps() -> Iterator[None]:
    """Within the block the interpreter takes the first steps: for a process with one search.

    To compile a kernel takes seconds, to load the first one a quarter of a second; many searches
    need less.
    """
    from dlx.search import links

    process_steps.left = UNLIMITED  # `first_bits` sets a limit
    links.begin_first_steps()
    try:
        yield
    finally:
        process_steps.left = 0
        links.end_first_steps()


def load_first_steps(name: str) -> Any:
    """Return the module that takes the first steps of this kernel; None if none does."""
    if process_steps.left <= 0 or name != "bits":
        return None
    from dlx.search import first_bits

    return first_bits


@cache
def load_kernel(name: str) -> Kernel[Any]:
    """Import a kernel, and numba with it, when it is first used."""
    if name == "bits":
        from dlx.search import bits

        return bits
    if name == "bounds":
        from dlx.search import bounds

        return bounds
    from dlx.search import links

    return links
