"""Branch: a part of a search, as plain data."""

from __future__ import annotations

from typing import NamedTuple


class Branch(NamedTuple):
    """A part of a search: the solutions that contain certain options."""

    # options; the branches that a search leaves share one path: a path for each would take the
    # square of its length
    path: tuple[int, ...]
    # unless empty: options of one item, ascending, of which a solution contains one
    options: tuple[int, ...]
    weight: float  # estimate of the fraction of the whole search that the branch is
    length: int | None = None  # how many options of the path every solution has; None: all

    @property
    def chosen(self) -> tuple[int, ...]:
        """Options that are in every solution of the branch."""
        return self.path[: self.length]

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
            parts.append(self._replace(options=tuple(others), weight=share * len(others)))
        return parts
