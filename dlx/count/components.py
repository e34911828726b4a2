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
    of_bit = label[item]
    of_entry = of_bit[remainder.bit]
    of_option = np.full(len(remainder.options), -1)
    of_option[remainder.option] = of_entry
    names = np.unique(label[: remainder.num_primary])
    parts = [_by_label(of_any, names) for of_any in (of_bit, of_option, of_entry)]
    return [
        Remainder(
            options=remainder.options[options],
            option=np.searchsorted(options, remainder.option[entries]),
            bit=np.searchsorted(bits, remainder.bit[entries]),
            field=np.unique(item[bits], return_inverse=True)[1],
            alone=remainder.alone[bits],
            num_primary=int(np.searchsorted(bits, remainder.num_primary)),
        )
        for bits, options, entries in zip(*parts, strict=True)
    ]


def is_connected(remainder: Remainder) -> bool:
    """Whether there is one component at most."""
    return not remainder.num_primary or not _labelled(remainder)[1][: remainder.num_primary].any()


def _labelled(remainder: Remainder) -> tuple[Array, Array]:
    """The item of each bit, and of each item the lowest one of its component."""
    # primary items keep their numbers
    field, item = np.unique(remainder.field, return_inverse=True)
    return item, labels(remainder.option, item[remainder.bit], len(remainder.options), len(field))


def _by_label(label: Array, names: Array) -> list[Array]:
    """The places of each of these labels, ascending."""
    order = np.argsort(label, kind="stable")
    begins, ends = (np.searchsorted(label[order], names, side) for side in ("left", "right"))
    return [order[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]


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
