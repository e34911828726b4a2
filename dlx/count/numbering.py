"""Numbers for items and options that depend on the structure of a problem, not on names or order.

The time of a search or a sweep depends on the order of items and options, by factors of tens. So
the items of a component are renumbered before it is counted: two problems that differ only in the
order of their items and options become equal arrays. Items are distinguished by colour refinement;
if some are left alike, one is singled out and the others are refined again. Among several
candidates the one whose refinement has the least invariant is chosen. So the choice does not depend
on names, except where candidates with equal invariants are not symmetric to each other (strongly
regular structures), or the problem is so large that ties are left. Then the numbering, but not the
count, may depend on the names.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count import order_kernel as kernel
from dlx.count.mask_kernel import sorted_places
from dlx.count.remainder import Remainder, problem_of, remainder_of, sorted_rows
from dlx.problem import Problem, replaced, without_names

Array = npt.NDArray[Any]

FEW_OPTIONS = 96  # with so few, numbering the items mostly takes longer than the search
ROUNDS = 8  # of refinement of the items among which a search has to choose
PADDED = 64  # a table with a row for each option has at most PADDED numbers for each entry
MOST_STEPS = 10_000_000  # entries visited by all refinements; then ties are left as they are
QUICK_SINGLED, QUICK_ROUNDS = 16, 64  # items singled out, of some 20 us each, and rounds of all
# refinements, of some 5 ns for each entry; Latin squares of order 6 take 14 and 42


def for_counting(problem: Problem) -> Problem:
    """Return the problem numbered for a search that counts: `for_search`, unless it is small."""
    return for_search(problem) if problem.num_options > FEW_OPTIONS else problem


def for_search(problem: Problem) -> Problem:
    """Return the problem with primary items numbered by structure; options keep their numbers.

    A search branches on an item with the fewest options, and on the lowest of several such items.
    The order of the items changes its time by factors of up to seven. So the first items are those
    whose options conflict with most others, as in colouring graphs (Brélaz 1979); on 12 queens
    these are the middle rows. Items alike in this and in a few rounds of colour refinement keep
    their order.
    """
    from dlx.search.bits import kinds  # imported here, as small problems do not need this kernel

    num_primary, item = problem.num_primary, problem.item
    option = np.repeat(np.arange(problem.num_options), np.diff(problem.start))
    size = np.bincount(item, minlength=problem.num_items)
    others = np.bincount(option, size[item], problem.num_options)
    conflicts = np.bincount(item, others[option], problem.num_items)
    kind, field = kinds(problem)
    colours = np.arange(len(field)) < num_primary
    colours = np.where(colours, 1, np.where(np.arange(len(field)) == field, 2, 3)).astype(np.uint64)
    arrays = kind.astype(np.int64), field.astype(np.int64)
    kernel.refine(option, *arrays, problem.num_options, colours, ROUNDS)
    number = np.arange(problem.num_items, dtype=np.int32)
    number[np.lexsort((colours[:num_primary], -conflicts[:num_primary]))] = np.arange(num_primary)
    return replaced(without_names(problem), item=number[problem.item])


def by_structure(remainder: Remainder, *, quick: bool = False) -> Remainder:
    """The remainder with its bits numbered by structure; its options keep their order.

    Parameters
    ----------
    remainder : Remainder
    quick : bool
        As for `ranks`.
    """
    rank = ranks(remainder, quick=quick)
    bits = np.argsort(rank)
    _, lowest, item = np.unique(remainder.field[bits], return_index=True, return_inverse=True)
    return remainder._replace(
        bit=rank[remainder.bit], field=lowest[item], alone=remainder.alone[bits]
    )


def canonical(problem: Problem) -> Problem:
    """The problem with items, colours and options numbered by structure."""
    remainder = by_structure(remainder_of(problem, ()))
    item, num_items = remainder.item[remainder.bit], 1 + int(remainder.item.max(initial=-1))
    colour = np.where(remainder.alone[remainder.bit], 0, remainder.bit + 1)
    shades = len(remainder.field) + 2
    # the entries of an option by item, then the options by their entries
    order = sorted_places(colour, shades)
    order = order[sorted_places(item[order], num_items)]
    order = order[sorted_places(remainder.option[order], len(remainder.options))]
    key = item * shades + colour
    sequence = _sequence(remainder.option[order], key[order], num_items * shades)
    number = np.empty_like(sequence)
    number[sequence] = np.arange(len(sequence))
    option = number[remainder.option[order]]
    entries = sorted_places(option, len(sequence))
    return problem_of(remainder._replace(option=option[entries], bit=remainder.bit[order[entries]]))


def _sequence(option: Array, key: Array, below: int) -> Array:
    """int64[options]: the options sorted by the keys of their entries; equal ones stay.

    Parameters
    ----------
    option, key : int64[entries]
        By option; the keys are below `below`.
    """
    lengths = np.bincount(option)
    start = np.concatenate([[0], np.cumsum(lengths)])
    number, longest = len(lengths), int(lengths.max(initial=1))
    if number * longest > PADDED * len(key):  # a table would be mostly empty, and may be huge
        text = (1 + key).astype(">i8").tobytes()
        ends = (8 * start).tolist()
        return np.array(sorted(range(number), key=lambda o: text[ends[o] : ends[o + 1]]))
    table = np.zeros((number, longest), np.int64)
    table[option, np.arange(len(option)) - start[option]] = 1 + key
    return sorted_rows(table, 1 + below)


def ranks(remainder: Remainder, *, quick: bool = False) -> Array:
    """int64[bits]: a number for each bit, by structure; primary items come first.

    Parameters
    ----------
    remainder : Remainder
    quick : bool
        Whether of items that are alike the first one is singled out, without trying the others, and
        the work is limited by QUICK_SINGLED and QUICK_ROUNDS. Then the numbers may depend on names
        if these items are not symmetric to each other, or if more are left alike.
    """
    num_bits = len(remainder.field)
    arrays = remainder.option, remainder.bit, remainder.item, len(remainder.options)
    is_primary = np.arange(num_bits) < remainder.num_primary
    colours = np.where(is_primary, 1, np.where(remainder.alone, 2, 3)).astype(np.uint64)
    steps = singled = 0
    most_steps = min(MOST_STEPS, QUICK_ROUNDS * len(remainder.option)) if quick else MOST_STEPS

    def refined(colours: Array) -> tuple[Array, int]:
        nonlocal steps
        most = (most_steps - steps) // max(1, len(remainder.option)) + 1
        classes, rounds = kernel.refine(*arrays, colours, most)
        steps += rounds * len(remainder.option)
        return colours, classes

    colours, classes = refined(colours)
    while classes < num_bits and steps < most_steps and not (quick and singled == QUICK_SINGLED):
        singled += 1
        values, sizes = np.unique(colours, return_counts=True)
        alike = np.flatnonzero(sizes > 1)
        cell = alike[np.lexsort((values[alike], sizes[alike]))[0]]
        members = np.flatnonzero(colours == values[cell])[: 1 if quick else None]
        best: tuple[int, int, Array] | None = None
        for member in members.tolist():
            if best is not None and steps > most_steps:
                break
            single = colours.copy()
            single[member] = np.uint64(4)
            single, num_classes = refined(single)
            key = (-num_classes, int(kernel.invariant(single)))
            if best is None or key < best[:2]:
                best = (*key, single)
        assert best is not None
        negated, _, colours = best
        classes = -negated
    order = np.lexsort((colours, ~is_primary))
    rank = np.empty(num_bits, np.int64)
    rank[order] = np.arange(num_bits)
    return rank
