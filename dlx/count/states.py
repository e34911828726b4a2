"""States of a sweep as rows of numbers: checks of saved ones, counts of several limbs.

The key of a state is followed by the limbs of its count (`sweep_kernel`), the lowest first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count.sweep_kernel import LIMB_BITS, Masks, are_states

Array = npt.NDArray[Any]

MASK = (1 << LIMB_BITS) - 1


def as_int(limbs: Array) -> int:
    """Return the number that has these limbs."""
    return sum(limb << (LIMB_BITS * i) for i, limb in enumerate(limbs.tolist()))


def as_limbs(number: int) -> Array:
    """Return the limbs of a number, at least one."""
    length = max(1, -(-number.bit_length() // LIMB_BITS))
    return np.array([number >> LIMB_BITS * i & MASK for i in range(length)], np.uint64)


def fill_last_limb(rows: Array) -> None:
    """Move the bits of the last limb but one beyond LIMB_BITS to the last limb, which was 0."""
    rows[:, -1] = rows[:, -2] >> np.uint64(LIMB_BITS)
    rows[:, -2] &= np.uint64(MASK)


def layers_done(masks: Masks, layer: int, part: float = 0.0) -> float:
    """The fraction of the layers that is done: those before this one, and a part of this one."""
    layers = np.flatnonzero(np.diff(masks.lowest))  # those that have options
    number = len(layers) + 1
    return int(np.searchsorted(layers, layer)) / number + part / number


def check_states(masks: Masks, lengths: Array, rows: Array) -> None:
    """Raise ValueError unless these are states of a sweep with these masks.

    Parameters
    ----------
    masks : Masks
    lengths : int64[..., primary + 1]
        How many states of each layer there are, of one list or several.
    rows : uint64[states, words + limbs]
        The states, list by list and layer by layer.
    """
    if lengths.min() < 0 or lengths.max() > len(rows) or lengths.sum() != len(rows):
        raise ValueError("states of no layer")
    at = 0
    for place in np.flatnonzero(lengths).tolist():
        end = at + int(lengths.flat[place])
        layer = place % lengths.shape[-1]
        if not are_states(masks, layer, np.ascontiguousarray(rows[at:end])):
            raise ValueError("a state of another layer")
        at = end
