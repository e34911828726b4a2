"""Symmetry: exchanges of bits that leave the options of a sweep's later layers as they are.

Two states that such an exchange makes equal have equally many completions. So a sweep that counts
may replace a state by another one that its exchanges lead to (`sweep_kernel`), and merges all
that become equal: of the states of a Latin square after some rows, those that differ in the order
of columns or symbols alone.

Exchanges are sought for each layer, among the options whose lowest item is that of the layer or of
a later one; they leave the layer's own item fixed (`symmetry_kernel`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count import symmetry_kernel as kernel
from dlx.count.mask_kernel import sorted_places
from dlx.count.remainder import Remainder, bit_rows, lowest_bits
from dlx.count.sweep_kernel import Masks

Array = npt.NDArray[Any]

MOST_STEPS = 30_000_000  # entries and bits visited by all refinements; layers beyond have no new
# exchanges
MOST_BIT_PAIRS = 1 << 21
"""Pairs of bits in the exchanges of all layers, 16 MB; layers beyond have no exchanges.

Nearly all problems have far fewer; colourings of a graph of 300 nodes have 8 million.
"""


def with_exchanges(masks: Masks, remainder: Remainder, order: Array) -> Masks:
    """Add the exchanges of each layer to the masks of an order of the primary items."""
    num_primary, num_options = remainder.num_primary, len(remainder.options)
    num_bits, rank = len(remainder.field), remainder.ranks(order)
    bit = rank[remainder.bit]
    lowest = lowest_bits(remainder.option, bit, num_options, num_primary)
    # with the options of the last layer first, those of a layer and later ones stand together
    number = np.empty(num_options, np.int64)
    number[sorted_places(num_primary - lowest, num_primary + 1)] = np.arange(num_options)
    option = number[remainder.option]
    by_option = sorted_places(option, num_options)
    option, bit = option[by_option], bit[by_option]
    field, kind = np.empty((2, num_bits), np.int64)
    field[rank] = remainder.item
    kind[rank] = np.where(np.arange(num_bits) < num_primary, 0, np.where(remainder.alone, 1, 2))
    sets = bit_rows(num_options, masks.need.shape[1], option, bit)
    table = sets, *kernel.numbered(sets)

    exchanges = np.zeros((num_primary + 1, 2), np.int32)
    ends: list[Array] = [np.zeros(1, np.int32)]
    pairs: list[Array] = []
    first = size = steps = 0
    lists: list[Array] = [np.zeros(1, np.int32), np.zeros((0, 2), np.int32)]
    layers, sizes = np.unique(lowest, return_counts=True)
    later = np.cumsum(sizes[::-1])[::-1]
    for layer, options in zip(layers.tolist(), later.tolist(), strict=True):
        entries = int(np.searchsorted(option, options))
        suffix = option[:entries], bit[:entries], options
        if size > MOST_BIT_PAIRS:
            break
        left = MOST_STEPS - steps
        *lists, rounds = kernel.exchanges(suffix, (field, kind), table, layer, tuple(lists), left)
        exchanges[layer] = first, first + len(lists[0]) - 1
        ends.append(size + lists[0][1:])
        pairs.append(lists[1].copy())  # without the room that the kernel made for more
        first, size, steps = first + len(lists[0]) - 1, size + len(lists[1]), steps + rounds
    pair = np.concatenate([np.zeros((0, 2), np.int32), *pairs])
    return masks._replace(exchanges=exchanges, pairs=np.concatenate(ends), pair=pair)
