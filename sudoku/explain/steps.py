"""Steps with their texts: deductions on the exact cover problem in terms of cells and digits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlx.logic.deduction import Deduction
from dlx.logic.rules import Chain, Custom, Fork, Refutation, Single, Subset
from sudoku.explain.techniques import RECTANGLE, Technique
from sudoku.grid import Grid
from sudoku.solving.contradiction import clash, repetition
from sudoku.writing.picture import Marks, svg

Candidate = tuple[int, int]  # cell, digit 1..N
Candidates = tuple[tuple[int, ...], ...]  # of each cell the digits that it may hold
Part = tuple[list[tuple[int, int, str]], Sequence[int], str]  # pattern, items, text


@dataclass(frozen=True, kw_only=True, repr=False)
class Step:
    """One step on the way to the solution.

    Cells are numbered row by row from 0, digits from 1; `text` has their names (r3c5, symbols).

    Attributes
    ----------
    technique : str
        Its name, as in `sudoku.explain.techniques.TECHNIQUES`, or "contradiction".
    weight : float
        How hard it is.
    cells, digits : tuple of int
        The cells and the digits of the pattern, ascending.
    houses : tuple of str
        Names of the houses that the pattern uses.
    placed : tuple of (int, int)
        Cell and digit of the digit found, if any.
    deleted : tuple of (int, int)
        Cell and digit of each candidate that is deleted, ascending.
    text : str
        One or two sentences.
    assumes_uniqueness : bool
        Whether the step is only valid if there is exactly one solution.
    pattern : tuple of (int, int, str)
        Cell, digit and role of the candidates to look at. Roles: "one" and "other" (of two such
        candidates next to each other in a chain, at most or at least one is right; in a subset
        all are "one"), "fin".
    puzzle : Grid
        The puzzle that the steps started from.
    grid : Grid
        The grid before the step, with the digits found so far.
    candidates : tuple of tuple of int
        The pencil marks before the step; of a filled cell, its digit.
    """

    technique: str
    weight: float
    cells: tuple[int, ...] = ()
    digits: tuple[int, ...] = ()
    houses: tuple[str, ...] = ()
    placed: tuple[Candidate, ...] = ()
    deleted: tuple[Candidate, ...] = ()
    text: str
    assumes_uniqueness: bool = False
    pattern: tuple[tuple[int, int, str], ...] = ()
    puzzle: Grid = field(compare=False)
    grid: Grid = field(compare=False)
    candidates: Candidates = field(default=(), compare=False)

    def to_dict(self) -> dict[str, object]:
        """The step with names in place of numbers, ready for json."""
        place, names = self.grid.layout.cell_name, self.grid.symbols.names
        return {
            "technique": self.technique,
            "weight": self.weight,
            "cells": [place(cell) for cell in self.cells],
            "digits": [names[digit - 1] for digit in self.digits],
            "houses": list(self.houses),
            "placed": [[place(cell), names[digit - 1]] for cell, digit in self.placed],
            "deleted": [[place(cell), names[digit - 1]] for cell, digit in self.deleted],
            "assumes_uniqueness": self.assumes_uniqueness,
            "text": self.text,
        }

    @property
    def marks(self) -> Marks:
        """What a picture of the step shows beside digits."""
        shown = self.candidates, self.placed, self.deleted, self.pattern
        return Marks(*shown, self.cells, self.houses)

    def __repr__(self) -> str:
        return f"<Step: {self.text}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.text)}</p>{self._repr_svg_()}"

    def _repr_svg_(self) -> str:
        layout, symbols = self.puzzle.layout, self.puzzle.symbols
        found = self.grid.digits
        return svg(self.puzzle.digits, layout, symbols, found=found, marks=self.marks)


def digits_left(alive: NDArray[np.bool_]) -> Candidates:
    """Turn bool[cells, N], whether each digit may be in each cell, into the digits of each cell."""
    digits = (np.nonzero(alive)[1] + 1).tolist()
    ends = np.cumsum(np.count_nonzero(alive, axis=1)).tolist()
    return tuple(tuple(digits[begin:end]) for begin, end in pairwise([0, *ends]))


class StepWriter:
    """Turns deductions about a puzzle into steps.

    An item below `cells` is a cell; item ``cells + house * N + digit - 1`` is a digit in a house.
    """

    def __init__(self, puzzle: Grid) -> None:
        self.puzzle, self.layout = puzzle, puzzle.layout
        self.cells, self.size = self.layout.cells, self.layout.size
        self.houses = self.layout.all_houses
        self._cell = self.layout.cell_name
        self._digit = ("", *puzzle.symbols.names).__getitem__

    def step(
        self, technique: Technique, deduction: Deduction, alive: NDArray[np.bool_], grid: Grid
    ) -> Step:
        """The step of a deduction; `alive`, bool[cells, N], and the grid are those before it."""
        pattern, items, text = _PARTS[type(deduction.rule)](self, deduction, alive)
        text = f"{technique.name[0].upper()}{technique.name[1:]}: {text}"
        deleted = tuple(sorted(map(self._candidate, deduction.deleted)))
        placed: tuple[Candidate, ...] = ()
        if deduction.chosen >= 0:
            placed = (self._candidate(deduction.chosen),)
        else:
            text += f" So {self._no_more(deleted)}."
        return Step(
            technique=technique.name,
            weight=technique.weigh(deduction.length),
            cells=tuple(sorted({cell for cell, _, _ in pattern})),
            digits=tuple(sorted({digit for _, digit, _ in pattern})),
            houses=tuple(dict.fromkeys(self._house_name(i) for i in items if i >= self.cells)),
            placed=placed,
            deleted=deleted,
            text=text,
            assumes_uniqueness=technique.name == RECTANGLE.name,
            pattern=tuple(pattern),
            puzzle=self.puzzle,
            grid=grid,
            candidates=digits_left(alive),
        )

    def contradiction(self, item: int, alive: NDArray[np.bool_], grid: Grid) -> Step:
        """The last step of a puzzle without a solution; `item` has no option left, or is -1."""
        shown: dict[str, Any] = {}
        values = self.puzzle.digits
        repeated = repetition(values, self.layout)
        if repeated is not None:
            text = clash(values, self.layout, self.puzzle.symbols)
            digit, name, cells = repeated
            shown = {"cells": cells, "digits": (digit,), "houses": (name,)}
        elif item < 0:
            text = "no technique finds anything more, and a search has tried every way to continue"
        elif item < self.cells:
            text = self._nothing_left(item)
            shown = {"cells": (item,)}
        else:
            text = self._nothing_left(item)
            house, digit = self._place(item)
            name, cells = self.houses[house]
            shown = {"cells": cells, "digits": (digit,), "houses": (name,)}
        return Step(
            technique="contradiction",
            weight=0.0,
            **shown,
            text=f"Contradiction: {text}. There is no solution.",
            puzzle=self.puzzle,
            grid=grid,
            candidates=digits_left(alive),
        )

    # names

    def _candidate(self, option: int) -> Candidate:
        return option // self.size, option % self.size + 1

    def _place(self, item: int) -> tuple[int, int]:
        """House and digit of an item that is no cell."""
        house, digit = divmod(item - self.cells, self.size)
        return house, digit + 1

    def _cells(self, cells: Iterable[int]) -> str:
        return _list([self._cell(cell) for cell in sorted(set(cells))])

    def _digits(self, digits: Iterable[int], last: str = "and") -> str:
        return _list([self._digit(digit) for digit in sorted(set(digits))], last)

    def _digits_of(self, items: Iterable[int]) -> str:
        return self._digits(self._place(item)[1] for item in items)

    def _house_name(self, item: int) -> str:
        return self.houses[self._place(item)[0]].name

    def _house(self, item: int) -> str:
        return _with_article(self._house_name(item))

    def _houses(self, items: Iterable[int]) -> str:
        """``rows 2 and 7``, or a list of names if the houses are not of one kind."""
        names = [self._house(item) for item in sorted(items)]
        kinds = {name.rpartition(" ")[0] for name in names}
        if len(names) == 1 or len(kinds) > 1:
            return _list(names)
        return f"{kinds.pop()}s {_list([name.rpartition(' ')[2] for name in names])}"

    def _no_more(self, candidates: Sequence[Candidate]) -> str:
        """``r1c2 and r1c3 are not 4 or 5, and r5c5 is not 7``."""
        by_cell = _merged(candidates)
        by_digit = [(cells, digits) for digits, cells in _merged((d, c) for c, d in candidates)]
        parts = []
        for cells, digits in min(by_digit, by_cell, key=len):
            verb = "is" if len(cells) == 1 else "are"
            parts.append(f"{self._cells(cells)} {verb} not {self._digits(digits, 'or')}")
        return ", ".join([*parts[:-2], ", and ".join(parts[-2:])])

    def _nothing_left(self, item: int) -> str:
        """``nothing is left for r3c5`` or ``7 has no place in row 2``."""
        if item < self.cells:
            given = int(self.puzzle.values.reshape(-1)[item])
            if given:
                return f"{self._digit(given)} is not among the candidates of {self._cell(item)}"
            return f"nothing is left for {self._cell(item)}"
        return f"{self._digits_of([item])} has no place in {self._house(item)}"

    # one method for each rule: the pattern, the items it uses, the text without the deletions

    def _options(self, items: Iterable[int], alive: NDArray[np.bool_]) -> list[Candidate]:
        """Candidates left of the items."""
        candidates: list[Candidate] = []
        for item in items:
            if item < self.cells:
                candidates += [(item, d + 1) for d in np.flatnonzero(alive[item]).tolist()]
            else:
                house, digit = self._place(item)
                candidates += [
                    (cell, digit) for cell in self.houses[house].cells if alive[cell, digit - 1]
                ]
        return candidates

    def _single(self, deduction: Deduction, alive: NDArray[np.bool_]) -> Part:
        (cell, digit), item = self._candidate(deduction.chosen), deduction.item
        if item < self.cells:
            text = f"nothing but {self._digit(digit)} is left for {self._cell(cell)}."
        else:
            where = f"in {self._house(item)} than {self._cell(cell)}"
            text = f"{self._digit(digit)} has no other place {where}."
        return [(cell, digit, "one")], [item], text

    def _subset(self, deduction: Deduction, alive: NDArray[np.bool_]) -> Part:
        size = len(deduction.items) // 2
        base, cover = deduction.items[:size], deduction.items[size:]
        fins = [self._candidate(option) for option in deduction.options]
        candidates = self._options(base, alive)
        pattern = [(c, d, "fin" if (c, d) in fins else "one") for c, d in candidates]
        if base[0] < self.cells:
            text = (
                f"{self._cells(base)} of {self._house(cover[0])} hold only "
                f"{self._digits_of(cover)}, so these are used up in the house."
            )
        elif cover[0] < self.cells:
            text = (
                f"{self._digits_of(base)} of {self._house(base[0])} fit only into "
                f"{self._cells(cover)}, so no other digit fits there."
            )
        else:
            digit = self._digits_of(base)
            text = f"in {self._houses(base)}, {digit} is only in {self._houses(cover)}"
            if fins:
                cells = self._cells(cell for cell, _ in fins)
                noun, one = ("fins", "one of these fins") if fins[1:] else ("fin", "this fin")
                text += f", or in {cells}. What sees the {noun} cannot be {digit} in either "
                text += f"case: {one} is right, or the fish is."
            else:
                text += ", so it is used up there."
        return pattern, deduction.items, text

    def _links(self, options: Sequence[int], items: Sequence[int], out_first: bool) -> str:
        """``if r1c1 is not 3, it is 5, so r1c7 is not 5, ...`` along a chain."""
        words = []
        for k, (option, item) in enumerate(zip(options, items, strict=True)):
            cell, digit = self._candidate(option)
            out = (k % 2 == 0) == out_first
            said = f"{self._cell(cell)} is {'not ' * out}{self._digit(digit)}"
            if k and not out:
                if item < self.cells:
                    said = f"it is {self._digit(digit)}"
                else:
                    said = f"{self._digit(digit)} of {self._house(item)} is in {self._cell(cell)}"
            words.append("so " * (k > 1 and out) + said)
        return ", ".join(words)

    def _chain(self, deduction: Deduction, alive: NDArray[np.bool_]) -> Part:
        closing, *items = deduction.items
        pattern = [
            (*self._candidate(option), "other" if k % 2 else "one")
            for k, option in enumerate(deduction.options)
        ]
        ends = [f"{self._cell(c)} is {self._digit(d)}" for c, d, _ in (pattern[0], pattern[-1])]
        text = f"if {self._links(deduction.options, deduction.items, True)}."
        if ends[0] == ends[1]:
            text += f" Either way {ends[0]}."
        elif closing >= 0:
            text += " That closes a loop: one of each two neighbours in it is right."
        else:
            text += f" Either {ends[0]} or {ends[1]}."
        return pattern, [*items, closing], text

    def _fork(self, deduction: Deduction, alive: NDArray[np.bool_]) -> Part:
        item, branches = deduction.item, deduction.branches()
        pattern: dict[Candidate, str] = {}
        parts = []
        for options, items in branches:
            for k, option in enumerate(options):
                pattern.setdefault(self._candidate(option), "other" if k % 2 else "one")
            links = self._links(options, items, False)
            parts.append(f"if {links}{', at once' * (len(options) == 1)}")
        if item < self.cells:
            start = f"every candidate of {self._cell(item)}"
        else:
            start = f"every place for {self._digits_of([item])} in {self._house(item)}"
        if len(branches) == len(deduction.options):
            places = self._cells(cell for cell, _ in pattern)
            text = f"{start} ({places}) sees the same candidates."
        else:
            text = f"{start} has the same consequence: {'; '.join(parts)}."
        return [(*c, role) for c, role in pattern.items()], [item, *deduction.items], text

    def _net(self, deduction: Deduction, alive: NDArray[np.bool_]) -> Part:
        pattern: list[tuple[int, int, str]] = []
        parts = []
        for option, item in zip(deduction.options, deduction.items, strict=True):
            cell, digit = self._candidate(option)
            pattern.append((cell, digit, "other" if pattern else "one"))
            said = f"{self._cell(cell)} = {self._digit(digit)}"
            if item >= self.cells:
                said += f" (the place left in {self._house(item)})"
            parts.append(said)
        text = f"suppose {', then '.join(parts)}; then {self._nothing_left(deduction.item)}."
        return pattern, [*deduction.items, deduction.item], text

    def _rectangle(self, deduction: Deduction, alive: NDArray[np.bool_]) -> Part:
        cells = deduction.items
        candidates = self._options(cells, alive)
        digits = set.intersection(*({d for c, d in candidates if c == cell} for cell in cells))
        pattern = [(cell, d, "one" if d in digits else "other") for cell, d in candidates]
        text = (
            f"with nothing but {self._digits(digits)} in {self._cells(cells)} there would be two "
            "solutions (this assumes that there is only one)."
        )
        roof = sorted({cell for cell, _, role in pattern if role == "other"})
        gone = {option % self.size + 1 for option in deduction.deleted}
        if not gone <= digits:  # type 2
            text += f" One of {self._cells(roof)} is {self._digits(gone)}."
        elif len(roof) == 2:  # type 4
            [digit] = digits - gone
            house = next(
                house
                for house in self.houses[: len(self.layout.houses)]
                if [cell for cell in house.cells if alive[cell, digit - 1]] == roof
            )
            places = _list([self._cell(cell) for cell in roof], "or")
            text += f" {self._digit(digit)} of {_with_article(house.name)} is in {places}."
        return pattern, [], text

    def _guess(self, deduction: Deduction, alive: NDArray[np.bool_]) -> Part:
        cell, digit = self._candidate(deduction.chosen)
        text = (
            "no technique finds anything more; in the solution, found by a search, "
            f"{self._cell(cell)} is {self._digit(digit)}."
        )
        return [(cell, digit, "one")], [], text


_PARTS = {
    Single: StepWriter._single,
    Subset: StepWriter._subset,
    Chain: StepWriter._chain,
    Fork: StepWriter._fork,
    Refutation: StepWriter._net,
    Custom: StepWriter._rectangle,
    NoneType: StepWriter._guess,
}


def _with_article(house: str) -> str:
    """``row 3`` or ``the cage``."""
    return house if " " in house else f"the {house}"


def _list(names: Sequence[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(names) < 3:
        return f" {last} ".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def _merged(pairs: Iterable[tuple[int, int]]) -> list[tuple[list[int], list[int]]]:
    """Pairs (a, b) as groups of all a that have the same b, in order.

    >>> _merged([(1, 7), (1, 8), (2, 7), (2, 8), (3, 8)])
    [([1, 2], [7, 8]), ([3], [8])]
    """
    partners: dict[int, list[int]] = {}
    for a, b in pairs:
        partners.setdefault(a, []).append(b)
    groups: dict[tuple[int, ...], list[int]] = {}
    for a, shared in partners.items():
        groups.setdefault(tuple(shared), []).append(a)
    return sorted((group, list(shared)) for shared, group in groups.items())
