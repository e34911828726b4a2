"""The arrays of a decision diagram: removal of useless nodes, and levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def reduced(nodes: int, parent: Array, option: Array, child: Array) -> tuple[Array, Array, Array]:
    """Leave out nodes that the root does not lead to, or that do not lead to the end.

    Parameters
    ----------
    nodes : int
        Node 0 is the root; number `nodes` is the end.
    parent, option, child : int[edges]
        Sorted by parent; parent < child <= nodes.

    Returns
    -------
    first, option, child : int64[nodes + 1], int32[edges], int32[edges]
        What is left: node i has the edges first[i] to first[i + 1] - 1.
    """
    first = np.searchsorted(parent, np.arange(nodes + 1))
    ranges = levels(first, child)
    useful = np.zeros(nodes + 1, np.bool_)
    useful[nodes] = True
    for start, stop in reversed(ranges):
        edges = slice(first[start], first[stop])
        useful[parent[edges][useful[child[edges]]]] = True
    reached = np.zeros(nodes + 1, np.bool_)
    reached[0] = True
    for start, stop in ranges:
        edges = slice(first[start], first[stop])
        reached[child[edges][reached[parent[edges]]]] = True
    stays = useful & reached
    stays[[0, nodes]] = True
    number = np.cumsum(stays) - 1
    keep = stays[parent] & useful[child]
    parent, option, child = number[parent[keep]], option[keep], number[child[keep]]
    order = np.lexsort((option, parent))
    first = np.searchsorted(parent, np.arange(number[nodes] + 1))
    return first, option[order].astype(np.int32), child[order].astype(np.int32)


def levels(first: Array, child: Array) -> list[tuple[int, int]]:
    """Ranges of nodes, in order, none of which has a child in its own range."""
    nodes = len(first) - 1
    lowest = np.full(nodes, nodes, np.int64)  # child
    np.minimum.at(lowest, np.repeat(np.arange(nodes), np.diff(first)), child)
    ranges, start, width = [], 0, 64
    while start < nodes:
        window = np.minimum.accumulate(lowest[start : start + width])
        beyond = np.flatnonzero(window <= np.arange(start + 1, start + 1 + len(window)))
        if not len(beyond) and start + width < nodes:
            width *= 2
            continue
        stop = start + 1 + int(beyond[0]) if len(beyond) else nodes
        ranges.append((start, stop))
        start = stop
    return ranges


def is_diagram(first: Array, option: Array, child: Array, num_options: int) -> bool:
    """Return whether these arrays of any origin are a diagram, as `reduced` returns it.

    Each node has at least one edge, except for the root of an empty diagram; the options of its
    edges ascend, and a child comes after its parents.
    """
    if not all(a.ndim == 1 and a.dtype.kind == "i" for a in (first, option, child)):
        return False
    if not len(first) or first[0] != 0 or first[-1] != len(option) or len(option) != len(child):
        return False
    if first.min() < 0 or first.max() > len(option):  # then differences cannot overflow
        return False
    nodes, widths = len(first) - 1, np.diff(first)
    if (widths < 1).any() and not (nodes == 1 and widths[0] == 0):
        return False
    if not len(option):
        return True
    parent = np.repeat(np.arange(nodes), widths)
    ascending = (np.diff(option) > 0) | (np.diff(parent) > 0)
    return bool(
        option.min() >= 0
        and option.max() < num_options
        and ascending.all()
        and (child > parent).all()
        and child.max() <= nodes
    )
