"""Branch: a part of a search, as plain data."""

from __future__ import annotations

from typing import NamedTuple


class Branch(NamedTuple):
    """A part of a search: the solutions that contain certain options.

    Attributes
    ----------
    chosen : tuple of int
        Options that are in every solution of the branch.
    options : tuple of int
        Unless empty: options of one item, ascending, of which a solution contains one.
    weight : float
        Estimate of the fraction of the whole search that the branch is.
    """

    chosen: tuple[int, ...]
    options: tuple[int, ...]
    weight: float
