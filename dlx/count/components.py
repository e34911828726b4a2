"""Components: parts of a problem such that no option has items of two of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.count.remainder import Remainder
from dlx.problem import Problem

Array = npt.NDArray[Any]


class ByComponent(NamedTuple):
    """Numbers sorted by the component they belong to; those of none come last.

    Attributes
    ----------
    order : int64[n]
        The numbers, by component, then ascending.
    place : int64[n]
        The place of each one among those of its component.
    begin : int64[components + 1]
        Where in `order` each component begins, and where the last one ends.
    """

    order: Array
    place: Array
    begin: Array


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
            problems[key] = _as_problem(part)
        result.append(problems[key])
    return result


def component_remainders(remainder: Remainder) -> list[Remainder]:
    """The components as remainders, which keep the numbers of the options."""
    if not remainder.num_primary:
        return []
    item, label = _labelled(remainder)
    names = np.unique(label[: remainder.num_primary])
    number = np.where(np.isin(label, names), np.searchsorted(names, label), len(names))
    of_bit = number[item]
    of_entry = of_bit[remainder.bit]
    of_option = np.full(len(remainder.options), len(names))
    of_option[remainder.option] = of_entry
    numberings = number, of_bit, of_option, of_entry
    items, bits, options, entries = (_by_component(numbers, len(names)) for numbers in numberings)
    sorted_entries = entries.order[: entries.begin[-1]]
    arrays = (  # by component, as in a remainder
        (remainder.options[options.order], options.begin),
        (options.place[remainder.option[sorted_entries]], entries.begin),
        (bits.place[remainder.bit[sorted_entries]], entries.begin),
        (items.place[item[bits.order]], bits.begin),
        (remainder.alone[bits.order], bits.begin),
    )
    slices = [map(array.__getitem__, _slices(begin)) for array, begin in arrays]
    num_primary = np.bincount(number[: remainder.num_primary], minlength=len(names)).tolist()
    return [Remainder(*fields) for fields in zip(*slices, num_primary, strict=True)]


def is_connected(remainder: Remainder) -> bool:
    """Whether there is one component at most."""
    return not remainder.num_primary or not _labelled(remainder)[1][: remainder.num_primary].any()


def _labelled(remainder: Remainder) -> tuple[Array, Array]:
    """The item of each bit, and of each item the lowest one of its component."""
    field, item = np.unique(
        remainder.field, return_inverse=True
    )  # primary items keep their numbers
    return item, labels(remainder.option, item[remainder.bit], len(remainder.options), len(field))


def _by_component(component_of: Array, number: int) -> ByComponent:
    """Sort the numbers from 0 on by their components, of which there are `number`."""
    order = np.argsort(component_of, kind="stable")
    begin = np.searchsorted(component_of[order], np.arange(number + 1))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - begin[component_of[order]]
    return ByComponent(order, place, begin)


def _slices(begin: Array) -> Iterator[slice]:
    return map(slice, begin[:-1].tolist(), begin[1:].tolist())


def _as_problem(remainder: Remainder) -> Problem:
    """The problem of which a remainder without given options is left; options keep their order."""
    lengths = np.bincount(remainder.option, minlength=len(remainder.options))
    field, item = np.unique(remainder.field, return_inverse=True)
    return Problem.from_arrays(
        np.concatenate([[0], np.cumsum(lengths)]),
        item[remainder.bit],
        np.where(remainder.alone[remainder.bit], 0, remainder.bit + 1),
        num_primary=remainder.num_primary,
        num_secondary=len(field) - remainder.num_primary,
    )


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
