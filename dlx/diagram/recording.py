"""Recording: a sweep that keeps its edges, for a diagram."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count.memory import MemoryAccount
from dlx.count.remainder import Remainder, bit_rows, masks, masks_size
from dlx.count.sweep import Expected, projected_work
from dlx.count.sweep_kernel import Fewest, Masks
from dlx.count.table import TableSweep

Array = npt.NDArray[Any]


class Recording(TableSweep):
    """A sweep that keeps its edges in place of counting; a `Contender` in a race.

    Parameters
    ----------
    masks : Masks
    account : MemoryAccount
        States and edges are taken from it.
    expected : Expected, optional
        What it is expected to take.
    fewest : Fewest, optional
        Selects the rule "fewest".
    """

    def __init__(
        self,
        masks: Masks,
        account: MemoryAccount,
        *,
        expected: Expected | None = None,
        fewest: Fewest | None = None,
    ) -> None:
        super().__init__(masks, account, record=True, fewest=fewest)
        self._expected = expected

    @property
    def done(self) -> float:
        """The fraction of the layers that is done, from 0 to 1."""
        if self._fewest is None or self.ended:
            return super().done
        return self.layer / len(self.state.head)

    @property
    def projected(self) -> float:
        """The units of work that all of it is likely to take; 0 before anything is known.

        By the rule "fewest" most of the work is in the middle layers, so the cube of the fraction
        done is used, and the growth so far where that gives more.
        """
        if self._fewest is None:
            return projected_work(self, self._expected)
        by_cube = self.work * max(1.0, 0.75 / self.done**3) if self.done else 0.0
        return max(by_cube, self._by_growth)

    @property
    def _by_growth(self) -> float:
        """The work of all layers, if it continues to grow as in the last half of those done.

        The rate of growth is taken to fall with the square of the part ahead, down to 0 at the end.
        """
        begun, layer = self.state.begun, self.layer
        half = layer // 2
        half += int(np.searchsorted(begun[half:layer], begun[half], side="right")) - 1
        if not 0 < begun[half] < begun[layer]:
            return 0.0
        ahead, ahead_then = (1 - at / len(begun) for at in (layer, half))
        growth = math.log(int(begun[layer]) / int(begun[half]))
        exponent = growth * ahead**3 / (ahead_then**3 - ahead**3)
        return int(begun[layer]) * math.exp(min(exponent, 100.0))


def by_fewest(remainder: Remainder, account: MemoryAccount) -> Recording:
    """A recording by the rule "fewest"."""
    made = masks(remainder, np.arange(remainder.num_primary))
    num_options, words = made.need.shape
    sets = max(1, -(-num_options // 64))
    place = np.empty(num_options, np.int64)  # of each option in the order of the masks
    place[np.searchsorted(remainder.options, made.option)] = np.arange(num_options)
    bit = remainder.ranks(np.arange(remainder.num_primary))[remainder.bit]
    fewest = Fewest(
        member=bit_rows(len(remainder.field), sets, bit, place[remainder.option]),
        active=np.zeros(sets, np.uint64),
        after=np.zeros(sets, np.uint64),
        bits=np.zeros(words, np.uint64),
    )
    return Recording(made, account, fewest=fewest)


def size_by_fewest(remainder: Remainder) -> int:
    """The bytes that `by_fewest` takes at first, or somewhat less."""
    return masks_size(remainder) + len(remainder.field) * len(remainder.options) // 8
