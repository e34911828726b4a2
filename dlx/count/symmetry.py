"""Symmetry: exchanges of bits that leave the options of a sweep's later layers as they are.

Two states that such an exchange makes equal have equally many completions. So a sweep that counts
may replace a state by another one that its exchanges lead to (`sweep_kernel`), and merges all
that become equal: of the states of a Latin square after some rows, those that differ in the order
of columns or symbols alone.

Exchanges are sought for each layer, among the options whose lowest item is in that layer or a later
one, with the layer's own item in its place. Colour refinement proposes them (`symmetry_kernel`);
each is used only if it maps the set of these options to itself, which is compared in full.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.count import symmetry_kernel as kernel
from dlx.count.mask_kernel import set_bits
from dlx.count.order_kernel import refine
from dlx.count.remainder import Remainder
from dlx.count.sweep_kernel import Masks

Array = npt.NDArray[Any]

MOST_STEPS = 30_000_000  # entries visited by all refinements; layers beyond have no new exchanges
MOST_FAILURES = 20  # in a layer, before no more exchanges are sought there


class _Suffix(NamedTuple):
    """The options of some layer and later ones.

    Attributes
    ----------
    option, bit : int64[entries]
    field : int64[bits]
    number : int
        Of options.
    kind : int64[bits]
        0 for primary items, 1 for bits that take a whole secondary item, 2 for colours.
    """

    option: Array
    bit: Array
    field: Array
    number: int
    kind: Array


def with_exchanges(masks: Masks, rest: Remainder, order: Array) -> Masks:
    """Add the exchanges of each layer to the masks of an order of the primary items."""
    num_bits, num_primary = len(rest.field), rest.num_primary
    rank = np.arange(num_bits)
    rank[order] = np.arange(num_primary)
    bit = rank[rest.bit]
    lowest = np.full(len(rest.options), num_primary)
    np.minimum.at(lowest, rest.option, bit)
    field = np.empty(num_bits, np.int64)
    field[rank] = np.unique(rest.field, return_inverse=True)[1]
    kind = np.empty(num_bits, np.int64)
    kind[rank] = np.where(np.arange(num_bits) < num_primary, 0, np.where(rest.alone, 1, 2))
    ranges = np.zeros((num_primary + 1, 2), np.int32)
    found: list[Array] = []
    own: list[Array] = []  # of the layer before
    steps = 0
    for layer in np.unique(lowest).tolist():
        later = lowest >= layer
        stays = later[rest.option]
        number = np.cumsum(later)
        suffix = _Suffix(number[rest.option[stays]] - 1, bit[stays], field, int(number[-1]), kind)
        own, taken = _exchanges(suffix, layer, own, MOST_STEPS - steps)
        steps += taken
        ranges[layer] = len(found), len(found) + len(own)
        found += own
    pairs = np.cumsum([0, *(len(pair) for pair in found)], dtype=np.int32)
    pair = np.concatenate([np.zeros((0, 2), np.int32), *found])
    return masks._replace(exchanges=ranges, pairs=pairs, pair=pair)


def _exchanges(
    suffix: _Suffix, fixed: int, known: list[Array], most: int
) -> tuple[list[Array], int]:
    """The pairs of each exchange that is found, and the steps taken.

    An exchange that is known from the layer before leaves the item of that layer in its place. So
    it maps the options of this layer and later ones to themselves, too.
    """
    num_bits, entries = len(suffix.field), len(suffix.option)
    arrays = suffix.option, suffix.bit, suffix.field, suffix.number
    idle = np.ones(num_bits, np.bool_)
    idle[suffix.bit] = False
    found = [pair[~idle[pair[:, 0]]] for pair in known if not (pair == fixed).any()]
    found = [pair for pair in found if len(pair)]
    if most <= 0:
        return found, 0
    colours = 2 + suffix.kind.astype(np.uint64)
    colours[idle] = np.arange(1 << 32, (1 << 32) + np.count_nonzero(idle))
    colours[fixed] = 1
    _, rounds = refine(*arrays, colours, most // entries + 1)
    steps = rounds * entries
    parent = list(range(num_bits))  # trees of the bits that the exchanges found lead to
    for pair in found:
        _join(parent, pair)
    image = np.zeros(num_bits, np.int64)
    used = np.flatnonzero(~idle)
    sets: Array | None = None
    failures = 0
    for members in _cells(colours):
        if len({_root(parent, bit) for bit in members}) == 1:
            continue
        for k, one in enumerate(members):
            root = _root(parent, one)
            for other in members[k + 1 :]:
                if _root(parent, other) == root:
                    continue
                if steps > most or failures > MOST_FAILURES:
                    return found, steps
                good, rounds = kernel.exchange(*arrays, colours, one, other, image)
                steps += rounds * entries
                sets = _sets(suffix, suffix.bit) if good and sets is None else sets
                if sets is not None and good and _is_symmetry(suffix, used, sets, image):
                    moved = np.flatnonzero(image > np.arange(num_bits))
                    found.append(np.stack([moved, image[moved]], axis=1).astype(np.int32))
                    _join(parent, found[-1])
                    break
                failures += 1
    return found, steps


def _cells(colours: Array) -> list[list[int]]:
    """The bits of each colour that several have, ascending; the smallest of these sets first."""
    order = np.argsort(colours, kind="stable")
    ordered = colours[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(begins, append=len(colours))
    several = np.flatnonzero(sizes > 1)
    several = several[np.argsort(sizes[several], kind="stable")]
    ranges = zip(begins[several].tolist(), sizes[several].tolist(), strict=True)
    return [order[begin : begin + size].tolist() for begin, size in ranges]


def _root(parent: list[int], bit: int) -> int:
    while parent[bit] != bit:
        parent[bit] = bit = parent[parent[bit]]
    return bit


def _join(parent: list[int], pair: Array) -> None:
    for a, b in pair.tolist():
        parent[_root(parent, b)] = _root(parent, a)


def _is_symmetry(suffix: _Suffix, used: Array, sets: Array, image: Array) -> bool:
    """Whether a permutation of the bits maps the options to themselves, and items to items.

    Parameters
    ----------
    suffix : _Suffix
    used : int64[n]
        The bits of its options.
    sets : uint64[number, words]
        Its options, as of `_sets`.
    image : int64[bits]
    """
    if (suffix.kind[image[used]] != suffix.kind[used]).any():
        return False
    fields = suffix.field[used], suffix.field[image[used]]
    for one, other in (fields, fields[::-1]):
        partner = np.empty(len(image), np.int64)
        partner[one] = other
        if (partner[one] != other).any():
            return False
    return bool(np.array_equal(sets, _sets(suffix, image[suffix.bit])))


def _sets(suffix: _Suffix, bit: Array) -> Array:
    """The options as sets of bits, sorted."""
    words = -(-len(suffix.field) // 64)
    sets = np.zeros((suffix.number, words), np.uint64)
    set_bits(sets, suffix.option, bit)
    return sets[np.lexsort(sets.T)]
