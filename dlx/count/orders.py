"""Orders of the primary items for a sweep by first item: a narrow frontier means few states.

When the items before some place are covered, two partial covers differ only in the later items
that their options have reached into: the frontier there. A frontier of f bits has at most 2**f
states.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count.remainder import Masks, Remainder, masks

Array = npt.NDArray[Any]

WIDEST = 512  # items reached and not yet covered, beyond which no order is worth its time


def best(rest: Remainder) -> Masks:
    """The order as given, or a greedy one if its frontier is narrower."""
    own = masks(rest, np.arange(rest.num_primary))
    order = greedy(rest)
    return own if order is None else min(own, masks(rest, order), key=_states)


def greedy(rest: Remainder) -> Array | None:
    """Each next item the one that widens the frontier least; ties to the one reached first.

    None if the frontier gets too wide.
    """
    num_items, words = rest.num_primary, -(-len(rest.field) // 64)
    sets = np.zeros((len(rest.options), words), np.uint64)
    ones = np.left_shift(np.uint64(1), (rest.bit & 63).astype(np.uint64))
    np.bitwise_or.at(sets, (rest.option, rest.bit >> 6), ones)
    near = np.zeros((len(rest.field), words), np.uint64)  # the items that share an option
    np.bitwise_or.at(near, rest.bit, sets[rest.option])
    near = near[:num_items]
    bits = np.arange(num_items)
    mask = np.left_shift(np.uint64(1), (bits & 63).astype(np.uint64))

    order = np.empty(num_items, np.int64)
    reached = np.zeros(words, np.uint64)
    step_reached = np.full(num_items, num_items)
    left = np.ones(num_items, np.bool_)
    degree = np.bitwise_count(near).sum(axis=1, dtype=np.int64)
    for step in range(num_items):
        (front,) = np.nonzero(left & (step_reached < num_items))
        if len(front) > WIDEST:
            return None
        if len(front):
            gain = np.bitwise_count(near[front] & ~reached).sum(axis=1, dtype=np.int64)
            item = front[np.lexsort((front, step_reached[front], gain))[0]]
        else:  # the next part of the problem
            item = np.flatnonzero(left)[np.argmin(degree[left])]
        order[step] = item
        left[item] = False
        reached |= near[item]
        fresh = left & (step_reached == num_items) & (reached[bits >> 6] & mask != 0)
        step_reached[fresh] = step
    return order


def _states(masks: Masks) -> float:
    """A bound on the states of a sweep by first item."""
    before = np.zeros_like(masks.relevant)
    num_items = len(masks.lowest) - 1
    lowest = np.repeat(np.arange(num_items), np.diff(masks.lowest))
    np.bitwise_or.at(before, lowest + 1, masks.need)
    front = np.bitwise_or.accumulate(before) & masks.relevant
    width = np.bitwise_count(front).sum(axis=1, dtype=np.int64)
    return float(np.exp2(np.minimum(width, 1000).astype(np.float64)).sum())
