"""The rules that a deduction may use, and the kinds of items that they apply to.

Every item has a *kind*, a power of two that the caller chooses; a rule says by a mask to which
kinds it applies. Unless the caller chooses otherwise, primary items have the kind PRIMARY and
secondary items the kind SECONDARY.

Two options *conflict* (a weak link) if no solution contains both: they share a primary item, or a
secondary item without giving it the same colour. Two options are joined by a *strong link* if they
are the only options left of a primary item: a solution contains one of them.
(Terms: Bernhard Hobiger, hodoku.sourceforge.net, "Chains and loops".)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dlx.checks import as_flag, as_function, as_sequence, brief, whole
from dlx.errors import ProblemError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PRIMARY, SECONDARY = 1, 2
ALL = -1
"""The mask of all kinds."""

MOST_FAMILY = 63
"""Items of one family of a frame: a set of them is a mask in an int64."""


class Frame(NamedTuple):
    """Two families of items: where `Subset` looks for base items and for cover items.

    The items of a family are pairwise disjoint: no option contains two of them. The items of
    `base` are primary; no item of `cover` has a colour in any option. At most MOST_FAMILY each.
    """

    kind: int
    base: Sequence[int]
    cover: Sequence[int]


@dataclass(frozen=True)
class Single:
    """An item has one option left: the option is chosen.

    Attributes
    ----------
    items : int
        Kinds of the items (a mask).
    """

    items: int = ALL

    def __post_init__(self) -> None:
        _make_whole(self, "items")


@dataclass(frozen=True)
class Subset:
    """All options of `size` base items contain one of `size` cover items.

    The choices for the base items use up every cover item, so all other options of the cover items
    are deleted. (Counting argument of Hall's theorem; Allan Barker calls the pair a rank 0 set,
    sudokuone.com.)

    Attributes
    ----------
    size : int
        Number of base items, 1 to MOST_FAMILY.
    fins : int
        Number of cover items, 0 to 2, that options of the base items may contain beyond `size`.
        The options that contain them are the fins. A solution contains one of the fins, or the
        subset holds without them; so an option is deleted only if it also conflicts with every fin.
    frames : int
        Kinds of the frames (a mask).
    """

    size: int
    fins: int = 0
    frames: int = ALL

    def __post_init__(self) -> None:
        _make_whole(self, "size", "fins", "frames")
        if not (1 <= self.size <= MOST_FAMILY and 0 <= self.fins <= 2):
            raise ProblemError(
                f"{brief(self)}: the size is 1 to {MOST_FAMILY}, and fins reach 0 to 2 items"
            )


@dataclass(frozen=True)
class Chain:
    """An alternating chain: an option is supposed out, and strong and weak links alternate.

    A chain of strong, weak, ..., strong links shows that a solution contains one of its two ends,
    so every option that conflicts with both is deleted. The shortest chain is taken; if several are
    equally short, the one that starts with the lowest option.

    Attributes
    ----------
    strong : tuple of int
        For each strong link in turn the kinds of its item (masks); their number is the length of
        the longest chain.
    weak : int
        Kinds of the items of weak links (a mask).
    conjugate : bool
        Whether weak links only use primary items with two options, so that they are strong as well.
    """

    strong: tuple[int, ...]
    weak: int = ALL
    conjugate: bool = False

    def __post_init__(self) -> None:
        kinds = as_sequence(self.strong, "strong", "kinds of items")
        object.__setattr__(self, "strong", tuple(whole(kind, "a kind of items") for kind in kinds))
        _make_whole(self, "weak")
        object.__setattr__(self, "conjugate", as_flag(self.conjugate, "conjugate of a Chain"))
        if not self.strong:
            raise ProblemError(f"{self}: a chain has at least one strong link")


@dataclass(frozen=True)
class Fork:
    """From each option of one item, supposed chosen, a chain leads to the exclusion of an option.

    The chains alternate weak, strong, ..., strong links, then a weak link to the excluded option. A
    solution contains the end of one of the chains, so every option that conflicts with all ends
    is deleted. The fork with the fewest strong links is taken; if several have as few, the one of
    the lowest item.

    Attributes
    ----------
    start : int
        Kinds of the item (a mask).
    widest : int
        The item has at most this many options, and at least three (two if `links` is 0).
    strong, weak : int
        Kinds of the items of strong and of weak links (masks).
    links : int
        Most strong links of one chain; 0 if each option of the item itself is to exclude the same
        option.
    total : int
        Most strong links of all chains together.
    """

    start: int = ALL
    widest: int = 1 << 16
    strong: int = ALL
    weak: int = ALL
    links: int = 0
    total: int = 1 << 16

    def __post_init__(self) -> None:
        _make_whole(self, "start", "widest", "strong", "weak", "links", "total")
        if self.links < 0 or self.total < 0:
            raise ProblemError(f"{brief(self)}: numbers of links are not negative")


@dataclass(frozen=True)
class Refutation:
    """An option is supposed chosen, and singles leave some item without an option.

    The option is deleted. The option whose refutation chooses the fewest options is taken.
    """


@dataclass(frozen=True)
class Custom:
    """A rule of the caller.

    Attributes
    ----------
    name : str
        Used as the reason of its deductions.
    find : callable
        Takes bool[num_options], the options left, and returns None or options and items to show and
        options to delete (three sequences of int), of which one at least is left.
    """

    name: str
    find: Callable[[NDArray[np.bool_]], tuple[Sequence[int], Sequence[int], Sequence[int]] | None]

    def __post_init__(self) -> None:
        as_function(self.find, "find of a Custom", "a function of the options left")


def _make_whole(rule: Single | Subset | Chain | Fork, *names: str) -> None:
    """Make these attributes of a rule ints; ProblemError if one is not a whole number."""
    for name in names:
        number = whole(getattr(rule, name), f"{name} of a {type(rule).__name__}")
        object.__setattr__(rule, name, number)


Rule: TypeAlias = Single | Subset | Chain | Fork | Refutation | Custom

RULES: tuple[Rule, ...] = (
    Single(),
    Fork(),
    Subset(1),
    Subset(2),
    Subset(3),
    Chain((ALL,) * 2),
    Subset(4),
    Chain((ALL,) * 8),
    Fork(widest=8, links=4),
    Refutation(),
)
"""The default rules, easiest first."""
