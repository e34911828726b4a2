"""Sweep: counts by a sweep over merged states, in a table and by layers; how much work is left."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt

from dlx.count.memory import MemoryAccount
from dlx.count.methods import Figures
from dlx.count.saved import Record, Store, as_count, digest
from dlx.count.sweep_kernel import ACTIVE, Masks
from dlx.count.table import TableSweep

if TYPE_CHECKING:
    from dlx.count.layers import LayerSweep

Array = npt.NDArray[Any]

FIRST_COMPLETION, COMPLETION = 1_000_000_000, 20_000_000
"""After the first number of units of work a sweep spends the second one on completing solutions,
and again whenever its work has doubled, until there is one."""

MOST_DONE = 1.5  # the part of the work done is taken to be at most this times that of the layers


class Expected(NamedTuple):
    """What a sweep by the rule "first item" is expected to take.

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


class Sweep:
    """A sweep over merged states; a `Method`.

    Its states are in a table. By the rule "first item" it continues by layers once there are many,
    or at once if a folder for files has its states.

    Parameters
    ----------
    masks : Masks
        What `dlx.count.remainder.masks` made of the problem.
    account : MemoryAccount
        States and edges are taken from it.
    record : bool
        Whether to keep the edges, for a diagram, in place of counting.
    expected : Expected, optional
        For `projected`, by the rule "first item".

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
        record: bool = False,
        expected: Expected | None = None,
    ) -> None:
        self.masks = masks
        self.expected = expected
        self._account = account
        self._complete_at = math.inf if record else FIRST_COMPLETION
        self._table = TableSweep(masks, account, record=record)
        self._layers: LayerSweep | None = None  # has the states, once there are many
        if account.spill is not None and not record and not masks.member.shape[1]:
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
        """The solutions counted so far; valid only between two calls of `advance`."""
        return self._states.total

    @property
    def done(self) -> float:
        """The fraction of the layers that is done, from 0 to 1."""
        return self._states.done

    @property
    def in_portions(self) -> bool:
        """Whether some states wait until others are swept to the end."""
        return self._states.in_portions

    @property
    def short_of_memory(self) -> bool:
        """Whether some states ever waited for lack of memory, so that fewer are merged."""
        return self._table.short_of_memory or self._states.short_of_memory

    @property
    def figures(self) -> Figures:
        """Its work, the states that it has expanded, its peak, and whether it was short."""
        return Figures(self.work, self.nodes, 0, self.peak, self.short_of_memory)

    @property
    def edges(self) -> Array:
        """int32[n, 3], as of `TableSweep`: recorded."""
        return self._table.edges

    @property
    def projected(self) -> float:
        """The units of work that all of it is likely to take; 0 before anything is known.

        By the rule "first item", what is expected of the layers is scaled by what those so far have
        taken. By the rule "fewest" most of the work is in the middle layers, so the cube of the
        fraction done is used, and the growth so far where that gives more. In portions there is no
        estimate.
        """
        if self.in_portions:
            return math.inf
        if self.masks.member.shape[1]:
            return max(self._by_cube(0.75, self.done), self._table.by_growth)
        if self.ended:
            return float(self.work)
        return 0.0 if self.expected is None else self._by_layers(self.expected)

    def _by_cube(self, factor: float, done: float) -> float:
        """The work of all layers, if most of it is in the middle ones; 0 before one is done."""
        return self.work * max(1.0, factor / done**3) if done else 0.0

    def _by_layers(self, expected: Expected) -> float:
        """The work of all layers, in proportion to what was expected of them.

        The layers before the present one have taken some work, and it with them takes at least the
        work so far. If only a lower bound was expected, it is the geometric mean of that and of the
        estimate by the cube, where this is more; that estimate alone once the work exceeds all that
        was expected.
        """
        layer, begun, done = self._states.layer, self._states.begun, self._states.layers_done
        total, before = expected.total, float(expected.layers[:layer].sum())
        parts = (begun, before), (self.work, before + float(expected.layers[layer]))
        projected = max([total, *(work * total / part for work, part in parts if part)])
        if done:
            projected = max(projected, self.work / min(1.0, MOST_DONE * done))
        if expected.sure:
            return projected
        cube = self._by_cube(0.25, done)
        return max(projected, cube if self.work > total else math.sqrt(projected * cube))

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
            layers.start(arrays["lengths"][ACTIVE], arrays["states"])
        except BaseException:  # an interrupt: the states are still in the table
            layers.release()
            raise
        self._layers = layers
        table.release()

    def complete_some(self, work: int) -> None:
        """Sweep the last layers first for a while, to count some solutions early."""
        self._states.complete_some(work)

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
            "short_of_memory": self.short_of_memory,
        }

    def unpack(self, record: Record, store: Store) -> None:
        """Continue from a record; raise ValueError if it belongs to other masks, or to none."""
        if record["masks"] != digest(self.masks):
            raise ValueError("a sweep of other masks")
        self._unpack(store.get(record["arrays"]))
        self._complete_at = as_count(record["complete_at"])
        self._table.short_of_memory = record.get("short_of_memory") is True

    def _unpack(self, arrays: dict[str, Array]) -> None:
        if arrays["lengths"].ndim > 1:
            self._table.unpack(arrays)
            return
        if self.masks.member.shape[1]:
            raise ValueError("a sweep by another rule")
        from dlx.count.layers import LayerSweep

        layers = LayerSweep(self.masks, self._account)
        layers.unpack(arrays)
        self._layers = layers
        self._table.release()
