"""Components: parts of a problem such that no option has items of two of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count.remainder import Remainder
from dlx.problem import Problem

Array = npt.NDArray[Any]


def components(rest: Remainder) -> list[Problem]:
    """The components of what is left, each a problem of its own, by their first item.

    A choice of one solution of each component is a solution of the whole, so their numbers
    multiply. An item without options is a component without options, which has no solution.
    """
    return [_as_problem(part) for part in component_remainders(rest)]


def component_remainders(rest: Remainder) -> list[Remainder]:
    """The components as remainders, which keep the numbers of the options."""
    if not rest.num_primary:
        return []
    field, item = np.unique(rest.field, return_inverse=True)  # primary items keep their numbers
    component_of = labels(rest.option, item[rest.bit], len(rest.options), len(field))
    of_bit = component_of[item]
    names = np.unique(component_of[: rest.num_primary])
    found = []
    for bits, entries in zip(_groups(of_bit, names), _groups(of_bit[rest.bit], names), strict=True):
        bits = np.sort(bits)
        options, option = np.unique(rest.option[entries], return_inverse=True)
        _, own_field = np.unique(item[bits], return_inverse=True)
        found.append(
            Remainder(
                options=rest.options[options],
                option=option,
                bit=np.searchsorted(bits, rest.bit[entries]),
                field=own_field,
                alone=rest.alone[bits],
                num_primary=int(np.searchsorted(bits, rest.num_primary)),
            )
        )
    return found


def _as_problem(rest: Remainder) -> Problem:
    """The problem of which a remainder without given options is left; options keep their order."""
    lengths = np.bincount(rest.option, minlength=len(rest.options))
    field, item = np.unique(rest.field, return_inverse=True)
    return Problem.from_arrays(
        np.concatenate([[0], np.cumsum(lengths)]),
        item[rest.bit],
        np.where(rest.alone[rest.bit], 0, rest.bit + 1),
        num_primary=rest.num_primary,
        num_secondary=len(field) - rest.num_primary,
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


def _groups(label: Array, names: Array) -> list[Array]:
    """The places in `label` of each of these names, ascending."""
    order = np.argsort(label, kind="stable")
    begin = np.searchsorted(label[order], names)
    end = np.searchsorted(label[order], names, side="right")
    return [order[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
