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

    def apart(self) -> list[Branch]:
        """Return the branch of its first option, which is chosen, and that of the others, if any.

        >>> for branch in Branch((4,), (1, 2, 3), 0.75).apart():
        ...     print(branch.chosen, branch.options, branch.weight)
        (4, 1) () 0.25
        (4,) (2, 3) 0.5
        """
        first, *others = self.options
        share = self.weight / len(self.options)
        parts = [Branch((*self.chosen, first), (), share)]
        if others:
            parts.append(Branch(self.chosen, tuple(others), share * len(others)))
        return parts
