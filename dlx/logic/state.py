"""The state of a deduction on options and items, and the log of what was found; no kernels here.

The state of a deduction is the set of options that may still be part of a cover; `subsets` and
`dlx.logic.chains` find out which cannot. Invariants:

    `size[i]` is the number of options of item i that are alive; `met[i]` says that one was chosen.
    `option[first[i] : first[i] + size[i]]` are these, ascending, where `net.option` has them all;
    only `dlx.logic.chains` needs them, and gathers them anew.
    A chosen option is alive, and no alive option conflicts with it.
    `changed[i]` is the clock (`scalar[CLOCK]`, deletions so far) of the last deletion from item i.
    `scalar[BROKEN_ITEM]` is an item that has no option left, or -1.
    `tried[f]` holds the clock and the rung of the last search of frame f in vain, or -1.

A log is a flat array of int32. `log[0]` is its length; each record is HEADER integers (rung, frame
or item or length of a chain, chosen option or -1, and the lengths of four lists), then the lists.
Of a subset these are base items, cover items, fins (options), and deleted options.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]
    Bytes = NDArray[np.uint8]

HEADER = 7
SINGLE, SUBSET = 0, 1
CLOCK, BROKEN_ITEM = 0, 1
SOLVED, STUCK, BROKEN, FULL = 0, 1, 2, 3
CONJUGATE = 1 << 30
"""Added to the kinds of weak links in `dlx.logic.chains`: only those that are strong as well."""


class Frame(NamedTuple):
    """Two families of pairwise disjoint items: some of `base` may be covered by some of `cover`."""

    kind: int
    base: Sequence[int]
    cover: Sequence[int]


class Net(NamedTuple):
    """Which options have which items; fixed."""

    start: Ints  # [options + 1] into item
    item: Ints  # items of each option
    first: Ints  # [items + 1] into option
    option: Ints  # options of each item, ascending
    kind: Ints  # [items] one bit: what kind of item


class Frames(NamedTuple):
    """Where subsets are looked for; fixed."""

    kind: Ints  # [frames]
    base: Ints  # [frames + 1] into base_item
    base_item: Ints
    cross: Ints  # [base items] into reach
    reach: NDArray[np.int8]  # per option of a base item: which cover item holds it, -1 none
    sight: NDArray[np.int64]  # per option of a base item: the cover items (a mask) that hold
    # options which conflict with it by an item that is neither base nor cover
    cover: Ints  # [frames + 1] into cover_item
    cover_item: Ints


class Live(NamedTuple):
    """What a deduction changes."""

    alive: Bytes  # [options]
    option: Ints  # like Net.option, but first those of an item that are alive
    size: Ints  # [items]
    met: Bytes  # [items]
    changed: Ints  # [items] clock of the last deletion from the item
    scalar: Ints  # [2] CLOCK: deletions so far; BROKEN_ITEM: an item without option, or -1


class State(NamedTuple):
    """A deduction under way: arrays, and nothing else."""

    net: Net
    frames: Frames
    live: Live
    tried: Ints  # [frames, 2] the clock and the highest rung of the last search in vain


def records(log: Ints) -> list[tuple[int, int, int, list[list[int]]]]:
    """What a log holds: (rung, frame or item, chosen option or -1, lists) a record."""
    flat: list[Any] = log[: log[0]].tolist()
    found, at = [], 1
    while at < len(flat):
        lists, end = [], at + HEADER
        for length in flat[at + 3 : at + HEADER]:
            lists.append(flat[end : end + length])
            end += length
        found.append((flat[at], flat[at + 1], flat[at + 2], lists))
        at = end
    return found
