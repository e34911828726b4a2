"""The arrays of a deduction; no kernels and no constants here.

The state of a deduction is the set of options that may still be in a solution. The kernels in
`dlx.logic.subsets` and `dlx.logic.chains` find options that cannot. Arrays of records have named
fields; their types belong to the signatures of the kernels, so numba's cache notices an edit of
them. Invariants:

    `live.items[i]["size"]` is the number of options of item i that are alive; "met" is 1 if one of
    them was chosen, otherwise 0; "changed" is the clock of the last deletion from i. The clock is
    the number of deletions so far.
    `live.option[first : first + size]` are the options of an item that are alive, ascending, where
    first is `net.items[i]["first"]`. Only `dlx.logic.chains` reads them, and gathers them anew at
    each call.
    A chosen option is alive, and no option that is alive conflicts with it.
    `live.totals[0]` has the clock, and "broken": a primary item that has no option left, or -1.
    `tried[f]` has the clock and the rule of the last search of frame f that found nothing, or -1.

The log
-------
Kernels write what they find to a log, a flat int32 array. `log[END]` is the index of its first
free element; the first record begins at `FIRST`. A record is: the rule's number, an item or -1, the
chosen option or -1, then three lists, each preceded by its length: options, items, deleted options.
`dlx.logic.deduction` says what the lists hold. The deleted options of a `Subset` or
`Single` are already deleted from the state; those of the other rules are not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Records = NDArray[Any]


def record(*fields: str) -> np.dtype[Any]:
    """The type of a record of int32 fields."""
    return np.dtype([(field, np.int32) for field in fields])


OPTION = record("start", "stop", "conflict_start", "conflict_stop")
ITEM = record("first", "stop", "kind")
FRAME = record("kind", "base", "base_stop", "cover", "cover_stop")
BASE = record("item", "reach")
LIVE_ITEM = record("size", "met", "changed")
TOTALS = record("clock", "broken")
TRIED = record("clock", "rule")


class Net(NamedTuple):
    """Options and items; fixed.

    Without colours an option conflicts with all other options of its items, and both of its ranges
    in `item` are the same. A secondary item with colours stands for several items here: one with
    all its options, which conflict with an option that gives it no colour; and for each colour one
    with the options that do not give it this colour, which conflict with an option that does.
    """

    options: Records  # OPTION[options]: item[start:stop] are the items that have the option,
    # item[conflict_start:conflict_stop] those whose options, but for itself, conflict with it
    item: Ints  # each range ascending
    items: Records  # ITEM[items]: option[first:stop] are its options; kind is a power of two
    option: Ints  # each range ascending
    num_primary: int  # items below are primary


class Frames(NamedTuple):
    """Where subsets are looked for (`dlx.logic.rules.Frame`); fixed."""

    frames: Records  # FRAME[frames]: base[base:base_stop] and cover_item[cover:cover_stop]
    base: Records  # BASE[base items]: reach[reach:] and conflicting[reach:] belong to its options
    reach: NDArray[np.int8]  # for each option of a base item the cover item that has it, or -1
    # for each option of a base item the cover items (a mask) that have options which conflict with
    # it by an item that is neither base nor cover
    conflicting: NDArray[np.int64]
    cover_item: Ints


class Live(NamedTuple):
    """What a deduction changes."""

    alive: NDArray[np.uint8]  # [options]
    option: Ints  # as Net.option; of each item the options that are alive come first
    items: Records  # LIVE_ITEM[items]
    totals: Records  # TOTALS[1]


class State(NamedTuple):
    """A deduction under way: arrays, and nothing else."""

    net: Net
    frames: Frames
    live: Live
    tried: Records  # TRIED[frames]
