"""Branch: a part of a search, as plain data."""

from __future__ import annotations

from typing import NamedTuple


class Branch(NamedTuple):
    """A part of a search: the solutions that contain certain options."""

    # chosen options come first, `length` of them (None: all). All branches that a search leaves
    # share one tuple: with one for each, their memory would grow with the square of the depth
    path: tuple[int, ...]
    # options of one item, ascending, of which each solution contains one; empty: no restriction
    options: tuple[int, ...]
    weight: float  # estimate of the fraction of the whole search that the branch is
    length: int | None = None

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
