"""Steps as people read them: what the records of a deduction say about cells, digits and houses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sudoku.explain.techniques import RUNGS
from sudoku.grid import Grid

Candidate = tuple[int, int]  # cell, digit 1..N
Marks = tuple[tuple[int, ...], ...]  # of each cell, the digits that it may hold
Record = tuple[int, int, int, list[list[int]]]


@dataclass(frozen=True)
class Step:
    """One step on the way to the solution.

    Cells are numbered row by row from 0 and digits from 1; names (r3c5, symbols) are in `text`.

    Attributes:
        technique: its name, as in `sudoku.explain.techniques.RUNGS`, or "contradiction".
        weight: how hard it is.
        cells, digits: what its pattern consists of, ascending.
        houses: names of the houses that the pattern uses.
        placed: (cell, digit) of the digit found, if any.
        deleted: (cell, digit) of each candidate that goes, ascending.
        text: one or two sentences.
        assumes_uniqueness: whether it only holds if there is exactly one solution.
        pattern: the candidates to look at, as (cell, digit, role). Roles: "one" and "other" (of
            two such candidates next to each other in a chain, at most or at least one is right;
            in a subset all are "one"), "fin".
        puzzle: what the steps started from.
        grid: the grid before the step, with the digits found so far.
        candidates: the pencil marks before the step; of a filled cell, its digit.
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
    pattern: tuple[tuple[int, int, str], ...] = field(default=(), repr=False)
    puzzle: Grid | None = field(default=None, repr=False, compare=False)
    grid: Grid | None = field(default=None, repr=False, compare=False)
    candidates: Marks = field(default=(), repr=False, compare=False)

    def to_dict(self) -> dict[str, object]:
        """The step with names in place of numbers, ready for json."""
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

    def _repr_svg_(self) -> str:
        from sudoku.writing.picture import svg

        assert self.puzzle is not None
        return svg(self.puzzle, step=self)


def marks_of(alive: NDArray[np.bool_]) -> Marks:
    """bool[cells, N] as the digits of each cell."""
    return tuple(tuple((np.flatnonzero(row) + 1).tolist()) for row in alive)


class Teller:
    """Turns records into steps of a puzzle."""

    def __init__(self, puzzle: Grid) -> None:
        self.puzzle = puzzle
        self.layout = layout = puzzle.layout
        self.size = layout.size
        self.names = puzzle.symbols.names
        self.houses = layout.houses.tolist()

    def step(self, record: Record, alive: NDArray[np.bool_], grid: Grid) -> Step:
        """The step of a record, found where the candidates `alive` (bool[cells, N]) were left."""
        number, where, chosen, lists = record
        rung = RUNGS[number]
        tell = getattr(self, "_" + rung.search)
        paths = len(lists[0])
        links = {"chain": where, "net": paths, "fork": max(1, (paths - len(lists[2])) // 2)}
        candidates = [self._candidate(option) for option in lists[3]]
        pattern, items, text = tell(rung.name, where, chosen, lists, alive)
        names, cells = self.layout.house_names, self.layout.cells
        houses = dict.fromkeys(names[(i - cells) // self.size] for i in items if i >= cells)
        if not chosen >= 0 or rung.search in ("chain", "fork", "net"):
            text += f" So {self._no_more(candidates)}."
        placed = (self._candidate(chosen),) if rung.search in ("single", "guess") else ()
        return Step(
            technique=rung.name,
            weight=rung.weigh(links.get(rung.search, 0)),
            cells=tuple(sorted({cell for cell, _, _ in pattern})),
            digits=tuple(sorted({digit for _, digit, _ in pattern})),
            houses=tuple(houses),
            placed=placed,
            deleted=tuple(sorted(candidates)),
            text=text,
            assumes_uniqueness=rung.search == "rectangle",
            pattern=tuple(pattern),
            puzzle=self.puzzle,
            grid=grid,
            candidates=marks_of(alive),
        )

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
        """``rows 2 and 7``, or one after the other where they are not of one kind."""
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

    # one method a search: the pattern, the items it uses, and the text but for the deletions

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

    def _single(
        self, name: str, item: int, chosen: int, lists: list[list[int]], alive: NDArray[np.bool_]
    ) -> tuple[list[tuple[int, int, str]], list[int], str]:
        cell, digit = self._candidate(chosen)
        if item < self.layout.cells:
            text = f"Naked single: nothing but {self._digit(digit)} is left for {self._cell(cell)}."
        else:
            text = (
                f"Hidden single: {self._digit(digit)} has no other place in {self._house(item)} "
                f"than {self._cell(cell)}."
            )
        return [(cell, digit, "one")], [item], text

    def _subset(
        self, name: str, frame: int, chosen: int, lists: list[list[int]], alive: NDArray[np.bool_]
    ) -> tuple[list[tuple[int, int, str]], list[int], str]:
        base, cover, fins, _ = lists
        fin = [self._candidate(option) for option in fins]
        found = self._options(base, alive)
        pattern = [(c, d, "fin" if (c, d) in fin else "one") for c, d in found]
        title = name[0].upper() + name[1:]
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
                cells = self._cells(cell for cell, _ in fin)
                one = "this fin" if len(fins) == 1 else "one of these fins"
                text += f", or in {cells}. What sees the {'fin' if len(fins) == 1 else 'fins'} "
                text += f"cannot be {digit} in either case: {one} is right, or the fish is."
            else:
                text += ", so it is used up there."
        return pattern, [*base, *cover], text

    def _walk(self, options: Sequence[int], items: Sequence[int], out_first: bool) -> str:
        """``if r1c1 is not 3, it is 5, so r1c7 is not 5, ...`` along a chain."""
        words = []
        for k, option in enumerate(options):
            cell, digit = self._candidate(option)
            out = (k % 2 == 0) == out_first
            said = f"{self._cell(cell)} is {'not ' * out}{self._digit(digit)}"
            if k and not out:
                item = items[k - 1]
                if item < self.layout.cells:
                    said = f"it is {self._digit(digit)}"
                else:
                    said = f"{self._digit(digit)} of {self._house(item)} is in {self._cell(cell)}"
            words.append(said if k == 0 else ("so " if out else "") + said)
        return ", ".join(words)

    def _chain(
        self, name: str, links: int, chosen: int, lists: list[list[int]], alive: NDArray[np.bool_]
    ) -> tuple[list[tuple[int, int, str]], list[int], str]:
        options, items = lists[0], lists[1]
        ends = self._candidate(options[0]), self._candidate(options[-1])
        pattern = [
            (*self._candidate(option), "other" if k % 2 else "one")
            for k, option in enumerate(options)
        ]
        title = name[0].upper() + name[1:]
        text = f"{title}: if {self._walk(options, items, True)}."
        if ends[0] == ends[1]:
            text += f" Either way {self._cell(ends[0][0])} is {self._digit(ends[0][1])}."
        elif len(items) == len(options):
            text += " That closes a loop: one of each two neighbours in it is right."
        else:
            first, last = (f"{self._cell(c)} is {self._digit(d)}" for c, d in ends)
            text += f" Either {first} or {last}."
        return pattern, items, text

    def _fork(
        self, name: str, item: int, chosen: int, lists: list[list[int]], alive: NDArray[np.bool_]
    ) -> tuple[list[tuple[int, int, str]], list[int], str]:
        options, items, lengths, _ = lists
        pattern: dict[Candidate, str] = {}
        told = []
        for length in lengths:
            path, links = options[:length], items[: length - 1]
            options, items = options[length:], items[length - 1 :]
            for k, option in enumerate(path):
                pattern.setdefault(self._candidate(option), "other" if k % 2 else "one")
            told.append(f"if {self._walk(path, links, False)}{', at once' * (length == 1)}")
        title = name[0].upper() + name[1:]
        if item < self.layout.cells:
            start = f"every candidate of {self._cell(item)}"
        else:
            start = f"every place for {self._digit(self._item_digit(item))} in {self._house(item)}"
        if max(lengths) == 1:
            places = self._cells(cell for cell, _ in pattern)
            text = f"{title}: {start} ({places}) sees the same candidates."
        else:
            text = f"{title}: {start} has the same consequence: {'; '.join(told)}."
        return [(*c, role) for c, role in pattern.items()], [item, *lists[1]], text

    def _net(
        self, name: str, item: int, chosen: int, lists: list[list[int]], alive: NDArray[np.bool_]
    ) -> tuple[list[tuple[int, int, str]], list[int], str]:
        options, items = lists[0], lists[1]
        pattern = []
        told = []
        for option, via in zip(options, [-1, *items], strict=True):
            cell, digit = self._candidate(option)
            pattern.append((cell, digit, "one" if option == options[0] else "other"))
            said = f"{self._cell(cell)} = {self._digit(digit)}"
            if via >= self.layout.cells:
                said += f" (the place left in {self._house(via)})"
            told.append(said)
        text = f"Forcing net: suppose {', then '.join(told)}; then {self.nothing_left(item)}."
        return pattern, [*items, item], text

    def nothing_left(self, item: int) -> str:
        """``nothing is left for r3c5`` or ``7 has no place in row 2``."""
        if item < self.layout.cells:
            return f"nothing is left for {self._cell(item)}"
        return f"{self._digit(self._item_digit(item))} has no place in {self._house(item)}"

    def _rectangle(
        self, name: str, where: int, chosen: int, lists: list[list[int]], alive: NDArray[np.bool_]
    ) -> tuple[list[tuple[int, int, str]], list[int], str]:
        digits = set.intersection(*({d for _, d in self._options([c], alive)} for c in lists[0]))
        held = self._options(lists[0], alive)
        pattern = [(cell, d, "one" if d in digits else "other") for cell, d in held]
        text = (
            f"Unique rectangle: with nothing but {self._digits(digits)} in "
            f"{self._cells(lists[0])} there would be two solutions (this assumes that there is "
            "only one)."
        )
        return pattern, [], text

    def _guess(
        self, name: str, item: int, chosen: int, lists: list[list[int]], alive: NDArray[np.bool_]
    ) -> tuple[list[tuple[int, int, str]], list[int], str]:
        cell, digit = self._candidate(chosen)
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
