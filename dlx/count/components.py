"""Components: parts of a problem such that no option has items of two of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count.remainder import Remainder, problem_of
from dlx.problem import Problem

Array = npt.NDArray[Any]


def components(remainder: Remainder) -> list[Problem]:
    """The components of what is left, each a problem of its own, by their first item.

    A choice of one solution of each component is a solution of the whole, so their numbers
    multiply. An item without options is a component without options, which has no solution.
    Components of equal arrays are one object.
    """
    problems: dict[tuple[object, ...], Problem] = {}
    result = []
    for part in component_remainders(remainder):
        key = part.key
        if key not in problems:
            problems[key] = problem_of(part)
        result.append(problems[key])
    return result


def component_remainders(remainder: Remainder) -> list[Remainder]:
    """The components as remainders, which keep the numbers of the options."""
    item, label = _labelled(remainder)
    names, sizes = np.unique(label[: remainder.num_primary], return_counts=True)
    if len(names) == 1:
        return [remainder._replace(field=item)]
    of_bit = label[item]
    of_entry = of_bit[remainder.bit]
    of_option = np.full(len(remainder.options), -1)
    of_option[remainder.option] = of_entry
    bits, bit_place, bit_slices = _by_label(of_bit, names)
    options, option_place, option_slices = _by_label(of_option, names)
    entries, _, entry_slices = _by_label(of_entry, names)
    item_place = _by_label(label, names)[1]
    # of all components, one after the other
    numbers, alone = remainder.options[options], remainder.alone[bits]
    option, bit = option_place[remainder.option[entries]], bit_place[remainder.bit[entries]]
    field = item_place[item[bits]]
    return [
        Remainder(numbers[o], option[e], bit[e], field[b], alone[b], size)
        for o, e, b, size in zip(
            option_slices, entry_slices, bit_slices, sizes.tolist(), strict=True
        )
    ]


def is_connected(remainder: Remainder) -> bool:
    """Whether there is one component at most."""
    return not remainder.num_primary or not _labelled(remainder)[1][: remainder.num_primary].any()


def _labelled(remainder: Remainder) -> tuple[Array, Array]:
    """The item of each bit, and of each item the lowest one of its component."""
    # primary items keep their numbers
    field, item = np.unique(remainder.field, return_inverse=True)
    return item, labels(remainder.option, item[remainder.bit], len(remainder.options), len(field))


def _by_label(label: Array, names: Array) -> tuple[Array, Array, list[slice]]:
    """The indices sorted by label, the place of each among those of its label, and their slices.

    The slices are those of the first array, one for each of `names`.
    """
    order = np.argsort(label, kind="stable")
    label = label[order]
    place = np.empty_like(order)
    place[order] = np.arange(len(order)) - np.searchsorted(label, label)
    begins, ends = (np.searchsorted(label, names, side).tolist() for side in ("left", "right"))
    return order, place, list(map(slice, begins, ends))


def labels(option: Array, item: Array, num_options: int, num_items: int) -> Array:
    """int64[num_items]: the lowest item to which options link each one."""
    label = np.arange(num_items)
    while True:
        lowest = np.full(num_options, num_items)
        np.minimum.at(lowest, option, label[item])
        hooked = label.copy()
        np.minimum.at(hooked, label[item], lowest[option])  # the root of each tree
        while not np.array_equal(further := hooked[hooked], hooked):
            hooked = further
        if np.array_equal(hooked := hooked[label], label):
            return label
        label = hooked
