"""The protocol of the kernels for grids, and their batches."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

UNDECIDED = -1
"""Count of a puzzle whose search has not ended, or was given up after too many nodes."""

SETUP = 64
"""To set up a search takes about as long as N^3 / SETUP nodes of `masks`."""

NO_PAIRS = np.zeros((0, 2), np.int32)


class KernelBatch(NamedTuple):
    """Puzzles of one layout as kernels see them, and the arrays to write the answers to."""

    puzzles: Array  # uint8[k, cells]: digits by rows, 0 for a blank
    limit: int  # solutions of a puzzle after which its search ends; at least 1
    counts: Array  # int64[k]: solutions found, written when a search ends; UNDECIDED before
    # uint8[k, cells] or uint8[0, cells]: the first solution found, zeros where there is
    # none; without rows, only counts are wanted
    solutions: Array
    # int64[k]: branches taken, written together with the count; if only counts are wanted, those of
    # a puzzle with `limit` solutions may depend on the rest of the batch
    nodes: Array


class Advancing(Protocol):
    """A module that does the work of a batch in calls of some milliseconds each.

    Each puzzle is handled on its own: no result depends on what else is in the batch, nor on the
    budgets of the calls. A call holds no lock of the interpreter while it runs.
    """

    def first_budget(self, state: Any) -> int:
        """Return a budget that takes some milliseconds at most."""

    def advance(self, state: Any, budget: int, batch: Any) -> bool:
        """Continue with a batch for about `budget` units of work; return whether it is done.

        Every call with a state takes the same batch.
        """


class Kernel(Advancing, Protocol):
    """A module that searches batches of puzzles: `advance` takes a `KernelBatch`.

    After a batch the state can be used for another one.
    """

    PATIENCE: int
    """Nodes after which a puzzle is given up by default, as the kernel counts them."""

    def __hash__(self) -> int: ...

    def tables(self, houses: Array, pairs: Array = ...) -> Any:
        """Return the tables of a layout that the kernel reads.

        Its houses are int[H, N]; `pairs`, int[P, 2], has cells of no common house that differ.
        """

    def start(self, tables: Any, patience: int = ...) -> Any:
        """Return a state, a NamedTuple of arrays, before the first puzzle of any batch.

        A puzzle that takes more nodes than `patience` is given up, its count UNDECIDED. All but
        `classic` take `candidates` as well, if puzzles have them: int64[k, cells], masks of the
        digits that the cells of each puzzle may have.
        """
