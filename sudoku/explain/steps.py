"""Steps with their texts: what deductions on the exact cover problem say about cells and digits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np
from numpy.typing import NDArray

from dlx.logic.deduction import Deduction
from dlx.logic.rules import Chain, Fork, Refutation, Single, Subset
from sudoku.explain.techniques import GUESS, RECTANGLE, Technique
from sudoku.grid import Grid
from sudoku.writing.picture import Marks, svg

Candidate = tuple[int, int]  # cell, digit 1..N
Candidates = tuple[tuple[int, ...], ...]  # of each cell the digits that it may hold
Part = tuple[list[tuple[int, int, str]], Sequence[int], str]  # pattern, items, text


@dataclass(frozen=True, repr=False)
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
    cells: tuple[int, ...]
    digits: tuple[int, ...]
    houses: tuple[str, ...]
    placed: tuple[Candidate, ...]
    deleted: tuple[Candidate, ...]
    text: str
    assumes_uniqueness: bool = False
    pattern: tuple[tuple[int, int, str], ...] = ()
    puzzle: Grid | None = field(default=None, compare=False)
    grid: Grid | None = field(default=None, compare=False)
    candidates: Candidates = field(default=(), compare=False)

    def to_dict(self) -> dict[str, object]:
        """The step with names in place of numbers, ready for json.

        Returns
        -------
        dict
        """
        assert self.grid is not None
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
        return Marks(
            candidates=self.candidates,
            placed=self.placed,
            deleted=self.deleted,
            pattern=self.pattern,
            cells=self.cells,
            houses=self.houses,
        )

    def __repr__(self) -> str:
        return f"<Step: {self.text}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.text)}</p>{self._repr_svg_()}"

    def _repr_svg_(self) -> str:
        assert self.puzzle is not None and self.grid is not None
        layout, symbols = self.puzzle.layout, self.puzzle.symbols
        givens, found = (grid.values.reshape(-1).tolist() for grid in (self.puzzle, self.grid))
        return svg(givens, layout, symbols, found=found, marks=self.marks)


def digits_left(alive: NDArray[np.bool_]) -> Candidates:
    """Turn bool[cells, N], whether each digit may be in each cell, into the digits of each cell.

    Parameters
    ----------
    alive : bool[cells, N]

    Returns
    -------
    tuple of tuple of int
    """
    return tuple(tuple((np.flatnonzero(row) + 1).tolist()) for row in alive)


class StepWriter:
    """Turns deductions about a puzzle into steps.

    Parameters
    ----------
    puzzle : Grid
    """

    def __init__(self, puzzle: Grid) -> None:
        self.puzzle = puzzle
        self.layout = layout = puzzle.layout
        self.size = layout.size
        self.names = puzzle.symbols.names
        self.houses = layout.houses.tolist()

    def step(
        self, technique: Technique, deduction: Deduction, alive: NDArray[np.bool_], grid: Grid
    ) -> Step:
        """The step of a deduction.

        Parameters
        ----------
        technique : Technique
        deduction : Deduction
        alive : bool[cells, N]
            The candidates before the step.
        grid : Grid
            The digits before the step.

        Returns
        -------
        Step
        """
        candidates = [self._candidate(option) for option in deduction.deleted]
        pattern, items, text = self._part(technique, deduction, alive)
        names, cells = self.layout.house_names, self.layout.cells
        houses = dict.fromkeys(names[(i - cells) // self.size] for i in items if i >= cells)
        placed: tuple[Candidate, ...] = ()
        if deduction.chosen >= 0:
            placed = (self._candidate(deduction.chosen),)
        else:
            text += f" So {self._no_more(candidates)}."
        return Step(
            technique=technique.name,
            weight=technique.weigh(deduction.length),
            cells=tuple(sorted({cell for cell, _, _ in pattern})),
            digits=tuple(sorted({digit for _, digit, _ in pattern})),
            houses=tuple(houses),
            placed=placed,
            deleted=tuple(sorted(candidates)),
            text=text,
            assumes_uniqueness=technique is RECTANGLE,
            pattern=tuple(pattern),
            puzzle=self.puzzle,
            grid=grid,
            candidates=digits_left(alive),
        )

    def nothing_left(self, item: int) -> str:
        """``nothing is left for r3c5`` or ``7 has no place in row 2``.

        Parameters
        ----------
        item : int
            The item that no candidate is left for.

        Returns
        -------
        str
        """
        if item < self.layout.cells:
            return f"nothing is left for {self._cell(item)}"
        return f"{self._digit(self._item_digit(item))} has no place in {self._house(item)}"

    # names

    def _candidate(self, option: int) -> Candidate:
        return option // self.size, option % self.size + 1

    def _cell(self, cell: int) -> str:
        return self.layout.cell_name(cell)

    def _cells(self, cells: Iterable[int]) -> str:
        return _list([self._cell(cell) for cell in sorted(set(cells))])

    def _digit(self, digit: int) -> str:
        return self.names[digit - 1]

    def _digits(self, digits: Iterable[int]) -> str:
        return _list([self._digit(digit) for digit in sorted(set(digits))])

    def _house(self, item: int) -> str:
        name = self.layout.house_names[(item - self.layout.cells) // self.size]
        return name if " " in name else f"the {name}"

    def _item_digit(self, item: int) -> int:
        return (item - self.layout.cells) % self.size + 1

    def _houses(self, items: Iterable[int]) -> str:
        """``rows 2 and 7``, or a list of names if the houses are not of one kind."""
        names = [self._house(item) for item in sorted(items)]
        kinds = {name.rpartition(" ")[0] for name in names}
        if len(names) == 1 or len(kinds) > 1:
            return _list(names)
        return f"{kinds.pop()}s {_list([name.rpartition(' ')[2] for name in names])}"

    def _no_more(self, candidates: Sequence[Candidate]) -> str:
        """``r1c2 and r1c3 are not 4, r5c5 is not 7``."""
        parts = []
        for digit in sorted({digit for _, digit in candidates}):
            cells = [cell for cell, d in candidates if d == digit]
            verb = "is" if len(cells) == 1 else "are"
            parts.append(f"{self._cells(cells)} {verb} not {self._digit(digit)}")
        return ", ".join(parts)

    # one method for each rule: the pattern, the items it uses, the text without the deletions

    def _part(self, technique: Technique, deduction: Deduction, alive: NDArray[np.bool_]) -> Part:
        title = technique.name[0].upper() + technique.name[1:]
        match deduction.rule:
            case Single():
                return self._single(deduction)
            case Subset():
                return self._subset(title, deduction, alive)
            case Chain():
                return self._chain(title, deduction)
            case Fork():
                return self._fork(title, deduction)
            case Refutation():
                return self._net(title, deduction)
        return self._guess(deduction) if technique is GUESS else self._rectangle(deduction, alive)

    def _options(self, items: Iterable[int], alive: NDArray[np.bool_]) -> list[Candidate]:
        """Candidates left of the items."""
        found = []
        for item in items:
            if item < self.layout.cells:
                found += [(item, d + 1) for d in np.flatnonzero(alive[item]).tolist()]
            else:
                digit = self._item_digit(item)
                house = self.houses[(item - self.layout.cells) // self.size]
                found += [(cell, digit) for cell in house if alive[cell, digit - 1]]
        return found

    def _single(self, deduction: Deduction) -> Part:
        cell, digit = self._candidate(deduction.chosen)
        item = deduction.item
        if item < self.layout.cells:
            text = f"Naked single: nothing but {self._digit(digit)} is left for {self._cell(cell)}."
        else:
            text = (
                f"Hidden single: {self._digit(digit)} has no other place in {self._house(item)} "
                f"than {self._cell(cell)}."
            )
        return [(cell, digit, "one")], [item], text

    def _subset(self, title: str, deduction: Deduction, alive: NDArray[np.bool_]) -> Part:
        size = len(deduction.items) // 2
        base, cover = deduction.items[:size], deduction.items[size:]
        fins = [self._candidate(option) for option in deduction.options]
        found = self._options(base, alive)
        pattern = [(c, d, "fin" if (c, d) in fins else "one") for c, d in found]
        if base[0] < self.layout.cells:
            digits = [self._item_digit(item) for item in cover]
            text = (
                f"{title}: {self._cells(base)} of {self._house(cover[0])} hold only "
                f"{self._digits(digits)}, so these are used up in the house."
            )
        elif cover[0] < self.layout.cells:
            digits = [self._item_digit(item) for item in base]
            text = (
                f"{title}: {self._digits(digits)} of {self._house(base[0])} fit only into "
                f"{self._cells(cover)}, so nothing else does."
            )
        else:
            digit = self._digit(self._item_digit(base[0]))
            text = f"{title}: in {self._houses(base)}, {digit} is only in {self._houses(cover)}"
            if fins:
                cells = self._cells(cell for cell, _ in fins)
                one = "this fin" if len(fins) == 1 else "one of these fins"
                text += f", or in {cells}. What sees the {'fin' if len(fins) == 1 else 'fins'} "
                text += f"cannot be {digit} in either case: {one} is right, or the fish is."
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
                if item < self.layout.cells:
                    said = f"it is {self._digit(digit)}"
                else:
                    said = f"{self._digit(digit)} of {self._house(item)} is in {self._cell(cell)}"
            words.append(said if k == 0 else ("so " if out else "") + said)
        return ", ".join(words)

    def _chain(self, title: str, deduction: Deduction) -> Part:
        options = deduction.options
        closing, *items = deduction.items
        ends = self._candidate(options[0]), self._candidate(options[-1])
        pattern = [
            (*self._candidate(option), "other" if k % 2 else "one")
            for k, option in enumerate(options)
        ]
        text = f"{title}: if {self._links(options, deduction.items, True)}."
        if ends[0] == ends[1]:
            text += f" Either way {self._cell(ends[0][0])} is {self._digit(ends[0][1])}."
        elif closing >= 0:
            text += " That closes a loop: one of each two neighbours in it is right."
        else:
            first, last = (f"{self._cell(c)} is {self._digit(d)}" for c, d in ends)
            text += f" Either {first} or {last}."
        return pattern, [*items, closing], text

    def _fork(self, title: str, deduction: Deduction) -> Part:
        item = deduction.item
        pattern: dict[Candidate, str] = {}
        branches = deduction.branches()
        told = []
        for options, items in branches:
            for k, option in enumerate(options):
                pattern.setdefault(self._candidate(option), "other" if k % 2 else "one")
            links = self._links(options, items, False)
            told.append(f"if {links}{', at once' * (len(options) == 1)}")
        if item < self.layout.cells:
            start = f"every candidate of {self._cell(item)}"
        else:
            start = f"every place for {self._digit(self._item_digit(item))} in {self._house(item)}"
        if len(branches) == len(deduction.options):
            places = self._cells(cell for cell, _ in pattern)
            text = f"{title}: {start} ({places}) sees the same candidates."
        else:
            text = f"{title}: {start} has the same consequence: {'; '.join(told)}."
        return [(*c, role) for c, role in pattern.items()], [item, *deduction.items], text

    def _net(self, title: str, deduction: Deduction) -> Part:
        pattern: list[tuple[int, int, str]] = []
        told = []
        for option, item in zip(deduction.options, deduction.items, strict=True):
            cell, digit = self._candidate(option)
            pattern.append((cell, digit, "other" if pattern else "one"))
            said = f"{self._cell(cell)} = {self._digit(digit)}"
            if item >= self.layout.cells:
                said += f" (the place left in {self._house(item)})"
            told.append(said)
        last = self.nothing_left(deduction.item)
        text = f"{title}: suppose {', then '.join(told)}; then {last}."
        return pattern, [*deduction.items, deduction.item], text

    def _rectangle(self, deduction: Deduction, alive: NDArray[np.bool_]) -> Part:
        cells = deduction.items
        held = self._options(cells, alive)
        digits = set.intersection(*({d for c, d in held if c == cell} for cell in cells))
        pattern = [(cell, d, "one" if d in digits else "other") for cell, d in held]
        text = (
            f"Unique rectangle: with nothing but {self._digits(digits)} in "
            f"{self._cells(cells)} there would be two solutions (this assumes that there is "
            "only one)."
        )
        return pattern, [], text

    def _guess(self, deduction: Deduction) -> Part:
        cell, digit = self._candidate(deduction.chosen)
        text = (
            f"Guess: no technique finds anything more; the search engine says that "
            f"{self._cell(cell)} is {self._digit(digit)}."
        )
        return [(cell, digit, "one")], [], text


def _list(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(names) < 3:
        return " and ".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]
