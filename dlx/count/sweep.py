"""Sweep: counts by a sweep over merged states, in a table and by layers; how much work is left."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt

from dlx.checks import digits
from dlx.count.memory import MemoryAccount
from dlx.count.methods import Figures
from dlx.count.saved import Record, Store, as_count, as_total, digest
from dlx.count.sweep_kernel import Masks
from dlx.count.table import TableSweep

if TYPE_CHECKING:
    from dlx.count.layers import LayerSweep

Array = npt.NDArray[Any]

FIRST_COMPLETION, COMPLETION = 1_000_000_000, 20_000_000
"""After the first number of units of work a sweep spends the second one on completing solutions,
and again whenever its work has doubled, until there is one."""

MOST_DONE = 1.5  # the part of the work done is taken to be at most this times that of the layers


class Expected(NamedTuple):
    """What a sweep is expected to take.

    Attributes
    ----------
    layers : float64[primary]
        The units of work of each layer.
    sure : bool
        Whether that is more than a lower bound.
    """

    layers: Array
    sure: bool

    @property
    def total(self) -> float:
        """The units of work of all layers."""
        return float(self.layers.sum())


def projected_work(states: TableSweep | LayerSweep, expected: Expected | None) -> float:
    """The projected work of all layers; 0 if `expected` is None.

    It is the expected work of all layers, scaled up if the layers before the present one took more
    work than was expected of them, or if the work so far exceeds what was expected of these and
    the present layer together.

    If `expected` is only a lower bound, there is a second estimate: the work so far divided by
    four times the cube of the fraction done. Then the projected work is the geometric mean of both
    estimates, or the second one once the work exceeds all expected work; but never less than the
    first one.
    """
    work = states.work
    if states.ended:
        return float(work)
    if expected is None:
        return 0.0
    layer, begun, done = states.layer, states.begun, states.layers_done
    total, before = expected.total, float(expected.layers[:layer].sum())
    parts = (begun, before), (work, before + float(expected.layers[layer]))
    projected = max([total, *(spent * total / part for spent, part in parts if part)])
    if done:
        projected = max(projected, work / min(1.0, MOST_DONE * done))
    if expected.sure:
        return projected
    cube = work * max(1.0, 0.25 / done**3) if done else 0.0
    return max(projected, cube if work > total else math.sqrt(projected * cube))


class Sweep:
    """A sweep over merged states; a `Method`.

    Its states are in a table. It continues by layers once there are many, or at once if a folder
    for files has its states.

    Parameters
    ----------
    masks : Masks
        What `dlx.count.remainder.masks` made of the problem.
    account : MemoryAccount
        States are taken from it.
    expected : Expected, optional
        For `projected`.

    Attributes
    ----------
    masks : Masks
    expected : Expected or None
    """

    name = "sweep"

    def __init__(
        self,
        masks: Masks,
        account: MemoryAccount,
        *,
        expected: Expected | None = None,
    ) -> None:
        self.masks = masks
        self.expected = expected
        self._account = account
        self._complete_at = FIRST_COMPLETION
        self._early = 0  # a lower bound, by `complete_some`
        self._table = TableSweep(masks, account)
        self._layers: LayerSweep | None = None  # has the states, once there are many
        if account.spill is not None:
            from dlx.count.layers import LayerSweep

            self._layers = LayerSweep.from_files(masks, account)

    @property
    def _states(self) -> TableSweep | LayerSweep:
        """What has the states."""
        return self._table if self._layers is None else self._layers

    @property
    def work(self) -> int:
        """Units of work done."""
        return self._states.work

    @property
    def smallest_step(self) -> int:
        """The units of work that one state may take, at most, or a group of states by layers."""
        return self._states.smallest_step

    @property
    def nodes(self) -> int:
        """States expanded."""
        return self._states.nodes

    @property
    def peak(self) -> int:
        """The most states that were open at once."""
        return self._states.peak

    @property
    def held(self) -> int:
        """Bytes that it has taken from the account."""
        return self._states.held

    @property
    def ended(self) -> bool:
        """Whether no state is left to be expanded."""
        return self._states.ended

    @property
    def num_solutions(self) -> int:
        """A lower bound, exact at the end; valid only between two calls of `advance`."""
        return max(self._early, self._states.total)

    @property
    def done(self) -> float:
        """The fraction of the layers that is done, from 0 to 1."""
        return self._states.done

    @property
    def in_portions(self) -> bool:
        """Whether the last layers are expanded first, for lack of memory."""
        return self._layers is not None and self._layers.in_portions

    @property
    def short_of_memory(self) -> bool:
        """Whether they ever were, so that fewer states are merged."""
        return self._layers is not None and self._layers.short_of_memory

    @property
    def figures(self) -> Figures:
        """Its work, the states that it has expanded, its peak, and whether it was short."""
        return Figures(self.work, self.nodes, 0, self.peak, self.short_of_memory)

    @property
    def projected(self) -> float:
        """The units of work that all of it is likely to take; 0 before anything is known.

        In portions there is no estimate.
        """
        return math.inf if self.in_portions else projected_work(self._states, self.expected)

    def advance(self, work: int) -> None:
        """Continue for about `work` units, at most to the end."""
        if self.work > self._complete_at and not self.num_solutions:
            self._complete_at = 2 * self.work
            self.complete_some(COMPLETION)
        stop = self.work + work
        if self._layers is None and self._table.advance(work):
            self._go_by_layers()
        if self._layers is not None:
            self._layers.advance(stop - self.work)

    def _go_by_layers(self) -> None:
        """Leave the states of the table to a `LayerSweep`."""
        from dlx.count.layers import LayerSweep  # most counts need no time for this import

        table = self._table
        arrays = table.pack()
        layers = LayerSweep(self.masks, self._account)
        try:
            layers.total, layers.nodes, layers.work = table.total, table.nodes, table.work
            layers.begun, layers.peak = table.begun, table.peak
            layers.start(arrays["lengths"], arrays["states"])
        except BaseException:  # an interrupt: the states are still in the table
            layers.release()
            raise
        self._layers = layers
        table.release()

    def complete_some(self, work: int) -> None:
        """Sweep the last layers first for a while, to count some solutions early."""
        if self._layers is not None:
            self._layers.complete_some(work)
        else:
            self._early = max(self._early, self._table.total + self._table.completions(work))

    def release(self) -> None:
        """Free all memory.

        The total and the counters can still be read, also by other threads.
        """
        if self._layers is not None:
            self._layers.release()
        self._table.release()

    def pack(self, store: Store) -> Record:
        """Return the record of the sweep."""
        arrays = store.put(self._states.pack())
        return {
            "arrays": arrays,
            "masks": digest(self.masks),
            "complete_at": self._complete_at,
            "early": digits(self._early),
            "short_of_memory": self.short_of_memory,
        }

    def unpack(self, record: Record, store: Store) -> None:
        """Continue from a record; raise ValueError if it belongs to other masks, or to none."""
        if record["masks"] != digest(self.masks):
            raise ValueError("a sweep of other masks")
        self._unpack(store.get(record["arrays"]))
        self._complete_at = as_count(record["complete_at"])
        self._early = as_total(record["early"])
        if self._layers is not None:
            self._layers.short_of_memory = record.get("short_of_memory") is True

    def _unpack(self, arrays: dict[str, Array]) -> None:
        if "counters" in arrays:
            self._table.unpack(arrays)
            return
        from dlx.count.layers import LayerSweep

        layers = LayerSweep(self.masks, self._account)
        layers.unpack(arrays)
        self._layers = layers
        self._table.release()
