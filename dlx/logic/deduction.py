"""A deduction as a plain record, and its reason as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dlx.errors import ProblemError
from dlx.logic.rules import Chain, Custom, Fork, Refutation, Rule, Single, Subset
from dlx.problem import Problem, as_problem


class Deduction(NamedTuple):
    """Options that are in no solution, or one that is in every solution, and the reason.

    Attributes
    ----------
    number : int
        Position of the rule in the deducer's rules; for an option that `Deducer.choose` chose, the
        number of these rules.
    rule : Rule or None
        The rule; None for `Deducer.choose`.
    item : int
        Single: the item that has one option left. Fork: the item whose options the chains start
        from. Refutation: the item that would have no option left. Otherwise -1.
    chosen : int
        Single and `Deducer.choose`: the option that is chosen. Otherwise -1.
    options : tuple of int
        Subset: the fins. Chain: the options along the chain; the first is supposed out, the second
        is therefore in, the third therefore out, and so on. Fork: the options along each chain in
        turn; the first of a chain is supposed in. Refutation: the options that are chosen, the
        refuted one first. Custom: as the rule returned them.
    items : tuple of int
        Single: the item. Subset: the base items, then as many cover items. Chain and Fork: for
        each option the item that links it to the option before; -1 for the first option of a chain.
        The first item of a chain whose ends conflict is an item by which they do. Refutation: for
        each option the item whose last option it is, -1 for the first. Custom: as the rule returned
        them.
    deleted : tuple of int
        The options that are in no solution.
    """

    number: int
    rule: Rule | None
    item: int
    chosen: int
    options: tuple[int, ...]
    items: tuple[int, ...]
    deleted: tuple[int, ...]

    @property
    def length(self) -> int:
        """Strong links of a chain or fork, options chosen in a refutation, otherwise 0."""
        match self.rule:
            case Chain() | Fork():
                return (len(self.options) - self.items[1:].count(-1)) // 2
            case Refutation():
                return len(self.options)
        return 0

    def branches(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The chains of a fork: options and items of each.

        Returns
        -------
        list of (tuple of int, tuple of int)
        """
        starts = [k for k, item in enumerate(self.items) if item < 0]
        ends = [*starts[1:], len(self.items)]
        return [
            (self.options[start:end], self.items[start:end])
            for start, end in zip(starts, ends, strict=True)
        ]

    def why(self, problem: Problem) -> str:
        """The reason as a sentence, with items by name and options by number.

        Parameters
        ----------
        problem : Problem
            The problem that the deduction is about.

        Returns
        -------
        str

        Raises
        ------
        ProblemError
            The problem has fewer items than the deduction is about.
        """
        problem = as_problem(problem)
        if max(self.item, *self.items, -1) >= problem.num_items:
            raise ProblemError(f"{problem!r} is not the problem of this deduction")
        names = [repr(problem.items[i]) if i >= 0 else "" for i in self.items]
        match self.rule:
            case Single():
                return f"{names[0]} has only option {self.chosen} left"
            case Subset(size=size):
                return self._subset(names[:size], names[size:])
            case Chain():
                return self._chain(names)
            case Fork():
                return self._fork(problem)
            case Refutation():
                steps = [f"option {self.options[0]} is supposed chosen"]
                for option, name in zip(self.options[1:], names[1:], strict=True):
                    steps.append(f"{name} has only option {option} left")
                return f"{', then '.join(steps)}, then {problem.items[self.item]!r} has none"
            case Custom(name=name):
                return name
        return f"option {self.chosen} was chosen by the caller"

    def _subset(self, base: Sequence[str], cover: Sequence[str]) -> str:
        verb = "has" if len(base) == 1 else "have"
        text = f"{', '.join(base)} {verb} options only with {', '.join(cover)}"
        if self.options:
            fins = ", ".join(map(str, self.options))
            verb = "conflicts" if len(self.options) == 1 else "conflict"
            text += f", but for {fins}, which {verb} with what is deleted"
        return text

    def _chain(self, names: Sequence[str]) -> str:
        first, last = self.options[0], self.options[-1]
        text = f"without option {first}, {_links(self.options[1:], names[1:])}"
        if first == last:
            return f"{text}: so option {first} is in every solution"
        if names[0]:
            return f"{text}, which conflicts with {first} in {names[0]}: a loop"
        return f"{text}: so {first} or {last} is in every solution"

    def _fork(self, problem: Problem) -> str:
        item = repr(problem.items[self.item])
        branches = self.branches()
        if len(branches) == len(self.options):
            options = ", ".join(map(str, self.options))
            return f"every option of {item} ({options}) conflicts with what is deleted"
        parts = []
        for (first, *others), items in branches:
            names = [repr(problem.items[i]) for i in items[1:]]
            more = _links(others, names, strong=False) if names else "conflicts itself"
            parts.append(f"option {first} {more}")
        steps = "; ".join(parts)
        return f"every option of {item} leads to a conflict with what is deleted: {steps}"


def _links(options: Sequence[int], names: Sequence[str], strong: bool = True) -> str:
    """``'a' needs 3, which excludes 5 in 'b', so 'c' needs 7``, along a chain."""
    parts = []
    for option, name in zip(options, names, strict=True):
        parts.append(f"{name} needs {option}" if strong else f"excludes {option} in {name}")
        strong = not strong
    text = parts[0]
    for part in parts[1:]:
        text += f", which {part}" if part.startswith("excludes") else f", so {part}"
    return text
