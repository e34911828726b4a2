"""What given options leave of a problem, and its bit masks for the kernel `sweep_kernel`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.count.mask_kernel import fill_skips, set_bits, sorted_places, unite
from dlx.count.sweep_kernel import DEPTHS, Masks
from dlx.problem import Problem
from dlx.search.counters import UNLIMITED

Array = npt.NDArray[Any]

MOST_OPTIONS = 1 << 26  # of a sweep; with more, additions might overflow (`sweep_kernel.add_count`)
FILLED_AT_ONCE = 1 << 21  # numbers that one call fills, 16 MB: Ctrl-C takes effect between two


class Remainder(NamedTuple):
    """The options that are compatible with the given ones, and the items that matter to them.

    Attributes
    ----------
    options : int64[n]
        Their numbers in the problem.
    option, bit : int64[entries]
        Each entry's option (0 to n - 1) and bit. The uncovered primary items are bits 0 to
        num_primary - 1; then come the kinds of secondary items: one for each colour, one for the
        uncoloured options.
    field : int64[num_bits]
        Bits of one item have the same field; that of a primary item is its bit.
    alone : bool[num_bits]
        Whether an option with that bit takes the whole item (primary, or without colour).
    num_primary : int
    """

    options: Array
    option: Array
    bit: Array
    field: Array
    alone: Array
    num_primary: int

    @property
    def item(self) -> Array:
        """int64[num_bits]: a number for each bit's item, from 0 on; a primary one's is its bit."""
        return np.unique(self.field, return_inverse=True)[1]

    def ranks(self, order: Array) -> Array:
        """int64[num_bits]: a new number for each bit; that of a primary one is its place in order.

        Parameters
        ----------
        order : int64[num_primary]
            The primary items.
        """
        rank = np.arange(len(self.field))
        rank[order] = np.arange(self.num_primary)
        return rank

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for remainders that differ in the numbers of their options only."""
        arrays = self.option, self.bit, self.field, self.alone
        return self.num_primary, *(array.tobytes() for array in arrays)


def remainder_of(problem: Problem, given: tuple[int, ...]) -> Remainder:
    """Leave out what the given options have settled.

    Left out are options without a primary item or in conflict with a given one, primary items
    that are covered, and secondary items over which no two of these options can disagree.

    Parameters
    ----------
    problem : Problem
    given : tuple of int
        Options that are compatible with each other.

    Returns
    -------
    Remainder
    """
    start, num_primary = problem.start, problem.num_primary
    item = problem.item.astype(np.int64)
    colour = problem.colour.astype(np.int64)
    option = np.repeat(np.arange(problem.num_options), np.diff(start))
    fixed = np.full(problem.num_items, -1, np.int64)
    for number in given:
        entries = slice(int(start[number]), int(start[number + 1]))
        fixed[item[entries]] = colour[entries]
    agrees = (fixed[item] < 0) | ((fixed[item] > 0) & (fixed[item] == colour))
    stays = np.zeros(problem.num_options, np.bool_)
    stays[option[item < num_primary]] = True
    stays[option[~agrees]] = False
    keep = stays[option] & (fixed[item] < 0)

    sizes = problem.num_items, len(problem.colours) + 1
    owner, shade, where, uses = _kinds(item[keep], colour[keep], *sizes)
    is_primary = owner < num_primary
    uncovered = np.flatnonzero(fixed[:num_primary] < 0)
    # A secondary item of which one option is left, or one colour, is no constraint.
    several = np.bincount(owner, minlength=problem.num_items)[owner] > 1
    secondary = ~is_primary & (several | ((shade == 0) & (uses > 1)))
    matters = (is_primary | secondary)[where]
    num_bits = len(uncovered) + np.count_nonzero(secondary)
    bit = np.zeros(len(owner), np.int64)
    bit[is_primary] = np.searchsorted(uncovered, owner[is_primary])
    bit[secondary] = np.arange(len(uncovered), num_bits)
    field = np.arange(num_bits)
    field[bit[secondary]] = owner[secondary] + num_bits
    alone = np.ones(num_bits, np.bool_)
    alone[bit[secondary]] = shade[secondary] == 0
    return Remainder(
        options=np.flatnonzero(stays),
        option=(np.cumsum(stays) - 1)[option[keep]][matters],
        bit=bit[where][matters],
        field=field,
        alone=alone,
        num_primary=len(uncovered),
    )


def problem_of(remainder: Remainder) -> Problem:
    """The problem of which the remainder without given options is this one.

    Its entries must stand by option. Options keep their order.
    """
    lengths = np.bincount(remainder.option, minlength=len(remainder.options))
    item = remainder.item
    return Problem.from_arrays(
        np.concatenate([[0], np.cumsum(lengths)]),
        item[remainder.bit],
        np.where(remainder.alone[remainder.bit], 0, remainder.bit + 1),
        num_primary=remainder.num_primary,
        num_secondary=int(item.max(initial=-1)) + 1 - remainder.num_primary,
    )


def _kinds(
    item: Array, colour: Array, num_items: int, num_colours: int
) -> tuple[Array, Array, Array, Array]:
    """The distinct pairs of an item and a colour, sorted.

    Returns
    -------
    owner, shade : int64[kinds]
        The item and the colour of each.
    where : int64[entries]
        The number of each entry's pair.
    uses : int64[kinds]
    """
    order = sorted_places(colour, num_colours)
    order = order[sorted_places(item[order], num_items)]
    item, colour = item[order], colour[order]
    first = np.flatnonzero(np.diff(item, prepend=-1) | np.diff(colour, prepend=-1))
    uses = np.diff(first, append=len(order))
    where = np.empty_like(order)
    where[order] = np.repeat(np.arange(len(first)), uses)
    return item[first], colour[first], where, uses


def masks(remainder: Remainder, order: Array, *, merge: bool = False) -> Masks:
    """Number the primary items by their place in `order`, the options by their items.

    Parameters
    ----------
    remainder : Remainder
    order : int64[num_primary]
        The primary items in the order of the sweep.
    merge : bool
        Whether equal options become one that counts several times.
    """
    num_bits, num_primary = len(remainder.field), remainder.num_primary
    words = max(1, -(-num_bits // 64))
    rank = remainder.ranks(order)
    sequence, times, option, bit, skip = _sorted(remainder, rank, merge)
    num_options = len(sequence)
    entry_bit = np.argsort(rank)[bit]  # as in the remainder

    need = bit_rows(num_options, words, option, bit)
    kill = np.empty_like(need)
    for rows in slices(num_options, words):
        kill[rows] = need[rows]
    item = remainder.item
    whole = bit_rows(num_bits, words, item, rank)  # of each item
    (entries,) = np.nonzero(bit >= num_primary)
    unite_rows(kill, option[entries], whole, item[entry_bit[entries]])
    entries = entries[~remainder.alone[entry_bit[entries]]]
    kept = np.uint64(1) << (bit[entries] & 63).astype(np.uint64)
    np.bitwise_and.at(kill, (option[entries], bit[entries] >> 6), ~kept)

    lowest = lowest_bits(option, bit, num_options, num_primary)
    relevant = np.zeros((num_primary + 1, words), np.uint64)
    unite_rows(relevant, lowest, need, np.arange(num_options))
    for rows in reversed(list(slices(num_primary, words))):
        later = relevant[rows.start : rows.stop + 1]
        later[:] = np.bitwise_or.accumulate(later[::-1])[::-1]
    primary = bit_rows(1, words, np.zeros(num_primary, np.int64), np.arange(num_primary))
    return Masks(
        option=remainder.options[sequence],
        times=times,
        need=need,
        kill=kill,
        skip=skip,
        lowest=np.searchsorted(lowest, np.arange(num_primary + 1)).astype(np.int32),
        relevant=relevant,
        primary=primary[0],
        exchanges=np.zeros((num_primary + 1, 2), np.int32),
        pairs=np.zeros(1, np.int32),
        pair=np.zeros((0, 2), np.int32),
    )


def lowest_bits(option: Array, bit: Array, num_options: int, num_primary: int) -> Array:
    """int64[options]: the lowest bit of each option; `num_primary` if it has no primary one."""
    lowest = np.full(num_options, num_primary)
    np.minimum.at(lowest, option, bit)
    return lowest


def slices(number: int, width: int) -> Iterator[slice]:
    """The slices of `number` rows of `width` numbers that are filled one after the other."""
    length = max(1, FILLED_AT_ONCE // width)
    return (slice(begin, begin + length) for begin in range(0, number, length))


def bit_rows(number: int, words: int, row: Array, bit: Array) -> Array:
    """uint64[number, words]: masks in which bit `bit[k]` of row `row[k]` is set, for each k."""
    filled = np.zeros((number, words), np.uint64)
    for some in slices(len(row), words):
        set_bits(filled, row[some], bit[some])
    return filled


def unite_rows(filled: Array, row: Array, sets: Array, which: Array) -> None:
    """Set all bits of row `which[k]` of `sets` in row `row[k]`, for each k."""
    for some in slices(len(row), sets.shape[1]):
        unite(filled, row[some], sets, which[some])


def _sorted(
    remainder: Remainder, rank: Array, merge: bool
) -> tuple[Array, Array, Array, Array, Array]:
    """The options in the order of their sorted bits, and what follows from that.

    Returns
    -------
    sequence : int64[options]
        Their numbers in the remainder.
    times : int32[options]
    option, bit : int64[entries]
        Their entries, by option.
    skip : int32[options, depths]
    """
    bit = rank[remainder.bit]
    lengths = np.bincount(remainder.option, minlength=len(remainder.options))
    entries = sorted_places(bit, len(rank))
    entries = entries[sorted_places(remainder.option[entries], len(lengths))]
    option, bit = remainder.option[entries], bit[entries]
    start = np.cumsum(lengths) - lengths
    place = np.arange(len(option)) - start[option]
    depths = min(DEPTHS + 1, int(lengths.max(initial=1)))
    table = np.full((len(lengths), depths), len(rank), np.int64)
    near = place < depths
    table[option[near], place[near]] = bit[near]
    sequence = sorted_rows(table, len(rank) + 1)
    table = table[sequence]
    # the first place where an option differs from the one before: `depths` if in none of these
    differs = np.ones((len(table), depths + 1), np.bool_)
    differs[1:, :depths] = table[1:] != table[:-1]
    first = differs.argmax(axis=1)
    stays = (first < depths) | (lengths[sequence] > DEPTHS) | (not merge)
    kept = np.flatnonzero(stays)
    times = np.diff(kept, append=len(table)).astype(np.int32)
    first, sequence = first[kept], sequence[kept]
    skip = np.empty((len(kept), depths), np.int32)
    fill_skips(np.minimum(first, DEPTHS), skip)  # beyond DEPTHS each option is taken to differ
    number = np.full(len(lengths), len(kept))
    number[sequence] = np.arange(len(kept))
    option = number[option]
    order = sorted_places(option, len(kept) + 1)[: lengths[sequence].sum()]
    return sequence, times, option[order], bit[order], skip


def sorted_rows(table: Array, below: int) -> Array:
    """int64[rows]: the rows of a table of numbers from 0 to `below` - 1, sorted; equal ones stay.

    Several columns make one key, as far as 63 bits go.
    """
    keys = []
    bits = below.bit_length()
    at_once = max(1, 63 // bits)
    for first in range(0, table.shape[1], at_once):
        key = np.zeros(len(table), np.int64)
        for column in table.T[first : first + at_once]:
            key = (key << bits) | column
        keys.append(key)
    return np.lexsort(keys[::-1])


def masks_size(remainder: Remainder) -> int:
    """The bytes that `masks` will take, or somewhat less; UNLIMITED beyond MOST_OPTIONS."""
    if len(remainder.options) > MOST_OPTIONS:
        return UNLIMITED
    words = 1 + len(remainder.field) // 64
    return 8 * words * (2 * len(remainder.options) + remainder.num_primary)
