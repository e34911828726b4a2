"""The protocol that the kernels of the search share, and the choice of a kernel for a problem.

A kernel is a module. It translates a problem into a state of flat arrays, and its compiled
function `advance` searches that state. Nothing but the state is needed to continue, so a search
can be stopped after any node, copied, saved and resumed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from dlx.checks import brief, is_one_of
from dlx.errors import KernelError
from dlx.problem import Int32s, Problem
from dlx.search.branch import Branch
from dlx.search.counters import EXHAUSTED

KERNELS = ("bits", "links", "bounds")
"""Names of the kernels."""

SHORTEST_TRIAL, LARGEST_TRIAL = 1 << 8, 1 << 12
"""A trial has as many updates as the problem has entries, which is about what one solution takes,
and at least the first number; problems with more entries than the second have none. "bits" takes
five times as long to prepare itself."""
MOST_FOUND = 1 << 13
"""Option numbers that the solutions found in a trial may have together."""
NONE = np.empty((0, 0), np.int32)


class State(Protocol):
    """A named tuple of numpy arrays, among them `counters`, or of such tuples with `copy`."""

    @property
    def counters(self) -> npt.NDArray[np.int64]:
        """See `dlx.search.counters`."""

    def _asdict(self) -> dict[str, Any]: ...


S = TypeVar("S", bound=State)


class Kernel(Protocol[S]):
    """The functions of a kernel module.

    Besides the functions a module has the attributes `name` and `changing`.
    """

    @property
    def name(self) -> str:
        """What the argument `kernel` of the public functions calls it."""

    @property
    def changing(self) -> tuple[str, ...]:
        """The fields of the state that `advance` changes and needs when it is called again.

        The other fields follow from the problem and the givens, or are scratch space.
        """

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
            Return when this call has found so many solutions; at least 1.
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
            What `restart` returned, if it is no longer of use: its arrays may be used again.
        branch : Branch
            Some of what `open_branches` returned, perhaps with fewer `options`.
        """

    def done(self, state: S, /) -> float:
        """Return an estimate, from 0 to 1, of the fraction of the tree that has been searched.

        It is 1.0 once the search is exhausted, and less before.
        """

    def is_reachable(self, fresh: S, state: S, /) -> bool:
        """Return whether a search can come to a state, apart from how much work it counts.

        The state may come from anywhere: `advance` must not be called before this is known.

        Parameters
        ----------
        fresh : State
            What `start` returns; may be changed.
        state : State
            The same, with the fields in `changing` from elsewhere, of the right types and shapes.
        """


class Beginning(NamedTuple):
    """A kernel with its state, and what it has found already.

    Attributes
    ----------
    kernel : Kernel
    state : State or None
        None if two of the given options are not compatible.
    found : int32[solutions, depth]
        The solutions found so far, as `Kernel.advance` lists them.
    """

    kernel: Kernel[Any]
    state: Any
    found: Int32s


def begin(
    problem: Problem,
    given: tuple[int, ...],
    name: str,
    numbered: Callable[[Problem], Problem] | None = None,
) -> Beginning:
    """Return the beginning of a search by the kernel of this name.

    For "auto" the kernel "links", which takes the least to prepare, begins with a trial of some
    hundred updates, where most small problems end. If not, "bits" begins anew, if it suits; else
    "links" continues. So the choice depends on the problem and the givens alone.

    If the solutions are only to be counted, `numbered` may number the items in another way; "bits"
    takes what it returns.

    Raises
    ------
    KernelError
        There is no such kernel, or it cannot take the problem.
    """
    if not is_one_of(name, ("auto", *KERNELS)):
        raise _unknown(name)
    if name == "auto" and problem.bounds is not None:
        name = "bounds"
    if name != "auto":
        return _begin(choose_kernel(problem, name), problem, given, numbered)
    links = _load("links")
    if problem.num_entries > LARGEST_TRIAL and (bits := _load("bits")).suits(problem):
        return _begin(bits, problem, given, numbered)
    state = links.start(problem, given)
    if state is None:
        return Beginning(links, None, NONE)
    depth = links.max_depth(state)
    out = np.empty((1 + MOST_FOUND // (depth + 1), depth), np.int32)
    number = links.advance(state, max(SHORTEST_TRIAL, problem.num_entries), len(out), out)
    if not state.counters[EXHAUSTED] and (bits := _load("bits")).suits(problem):
        return _begin(bits, problem, given, numbered)
    return Beginning(links, state, out[:number])


def _begin(
    kernel: Kernel[Any],
    problem: Problem,
    given: tuple[int, ...],
    numbered: Callable[[Problem], Problem] | None,
) -> Beginning:
    """The beginning of a search without a trial."""
    own = numbered(problem) if numbered is not None and kernel.name == "bits" else problem
    return Beginning(kernel, kernel.start(own, given), NONE)


def choose_kernel(problem: Problem, name: str, given: tuple[int, ...] = ()) -> Kernel[Any]:
    """Return the kernel of this name, or for "auto" the one that a search begins with.

    Raises
    ------
    KernelError
        There is no such kernel, or it cannot take the problem.
    """
    if not is_one_of(name, ("auto", *KERNELS)):
        raise _unknown(name)
    if name == "auto":
        return begin(problem, given, name).kernel
    kernel = _load(name)
    if not kernel.suits(problem):
        raise KernelError(f"kernel {name!r} cannot take this problem: {problem!r}")
    return kernel


def _unknown(name: object) -> KernelError:
    return KernelError(f"there is no kernel {brief(name)}; there are auto, {', '.join(KERNELS)}")


@cache
def _load(name: str) -> Kernel[Any]:
    """Import a kernel, and numba with it, when it is first used."""
    if name == "bits":
        from dlx.search import bits

        return bits
    if name == "bounds":
        from dlx.search import bounds

        return bounds
    from dlx.search import links

    return links
