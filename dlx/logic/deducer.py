"""Deductions on a problem: the state, the rules in their order, and the records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import groupby
from math import comb
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dlx.checks import as_index, as_sequence, brief, number_of_values, option_numbers
from dlx.errors import ProblemError
from dlx.logic import chains, subsets
from dlx.logic.deduction import Deduction
from dlx.logic.rules import RULES, Chain, Custom, Fork, Refutation, Rule, Single, Subset
from dlx.logic.structure import Structure
from dlx.problem import Problem

Guard: TypeAlias = Callable[[], AbstractContextManager[None]]

OPEN, SOLVED, STUCK, CONTRADICTION = "open", "solved", "stuck", "contradiction"
"""What `Deducer.status` may be."""

ENTRY_WORK, COMBINATION_WORK, FIN_WORK = 3, 4, 5
"""Work of the interpreter; its unit is a look of `subsets.advance` at an item. ENTRY_WORK: a look
of `begin` or `delete` at an entry or a frame. COMBINATION_WORK: a combination of base items, and
FIN_WORK times as much more for each cover item that fins may reach."""

CALL_WORK = 1 << 23
"""Work of one call of a search for a chain, a fork or a refutation, in the units of
`dlx.logic.chains`: some hundredths of a second."""

UNBOUNDED = 1 << 30
MOST_LINKS = int(chains.FAR) - 2  # `chains.fork` takes more for a fork that does not exist
KINDS = (1 << 31) - 1  # the mask of all kinds that an item may have


class Deducer(Iterator[Deduction]):
    """Makes deductions on a problem, always by the first rule that finds something.

    Iterate to make them one by one. Every deduction is sound: a deleted option is in no solution
    that contains the given options and those that `choose` chose. The order is fixed.

    Parameters
    ----------
    problem : Problem or Structure
        A `Structure` also has kinds of items and frames for subsets; many deducers can share it.
    rules : sequence of Rule
        Easiest first.
    given : iterable of int
        Options that are already chosen.
    compiling : callable
        Makes a context manager that is entered whenever a kernel may be compiled.

    Attributes
    ----------
    structure : Structure
    rules : tuple of Rule
    status : str
        OPEN while there may be more deductions; SOLVED if every primary item has its option; STUCK
        if no rule finds anything; CONTRADICTION if given options conflict or a primary item has no
        option left, so that there is no solution.
    counts : int32[rules + 1]
        How often each rule was used since `begin`, and at the end how often `choose` was.

    Raises
    ------
    ProblemError
        A given option does not exist.

    Examples
    --------
    Option 5 is the only one of item 3, so option 4, which also has item "c", is in no solution:

    >>> problem = Problem([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 2), ("c", 3)])
    >>> deducer = Deducer(problem)
    >>> for deduction in deducer:
    ...     print(deduction.deleted, deduction.why(problem))
    (4,) 3 has only option 5 left
    >>> deducer.status, deducer.options()
    ('stuck', [0, 1, 2, 3, 5])
    """

    def __init__(
        self,
        problem: Problem | Structure,
        rules: Sequence[Rule] = RULES,
        *,
        given: Iterable[int] = (),
        compiling: Guard = nullcontext,
    ) -> None:
        self.structure = problem if isinstance(problem, Structure) else Structure(problem)
        self.rules = tuple(as_sequence(rules, "rules", "rules of dlx.logic"))
        self.counts = np.zeros(len(self.rules) + 1, np.int32)
        self.status = OPEN
        self._guard, self._compiled = compiling, set[Callable[..., Any]]()
        self._state = self.structure.new_state()
        options, items = len(self._state.live.alive), len(self._state.live.items)
        self._work = subsets.new_work(items)
        self._stages = _stages(self.rules, self.structure.primary_kinds, options)
        longest = _longest_path(self.rules, self.structure)
        self._scratch = chains.new_scratch(options, items, longest)
        self._place = np.zeros(6, np.int64)
        self._log = np.zeros(2 * longest + 4 * options + 2 * items + 200, np.int32)
        self._others: list[Deduction] = []  # those that no kernel logged
        self.begin(given)

    def begin(self, given: Iterable[int] = ()) -> int:
        """Start again with these options chosen.

        Parameters
        ----------
        given : iterable of int

        Returns
        -------
        int
            -1, or the position in `given` of the first option that conflicts with one before it;
            the status is then CONTRADICTION.
        """
        chosen = self._as_options(given, "given")
        self.counts[:] = 0
        work = len(self.structure.net.item) + len(self._state.tried)
        wrong = int(self._call_small(subsets.begin, work, self._state, chosen, self._log))
        self._clear()
        self.status = OPEN if wrong < 0 else CONTRADICTION
        if len(self.structure.idle):
            self.delete(np.setdiff1d(self.structure.idle, chosen))
        return wrong

    def __repr__(self) -> str:
        count = np.count_nonzero(self._state.live.alive)
        return f"<{type(self).__name__} of {self.structure.problem!r}: {self.status}, {count} left>"

    def options(self) -> list[int]:
        """The options left, ascending: those of the solution if the status is SOLVED."""
        numbers: list[int] = np.flatnonzero(self._state.live.alive).tolist()
        return numbers

    def alive(self) -> NDArray[np.bool_]:
        """For each option whether it is left: bool[num_options], a copy."""
        return self._state.live.alive.astype(bool)

    @property
    def empty_item(self) -> int:
        """A primary item that has no option left, or -1."""
        return int(self._state.live.totals["broken"][0])

    def __next__(self) -> Deduction:
        if self.status == OPEN:
            self.advance(1)
            for deduction in self.found():
                return deduction
        raise StopIteration

    def advance(self, most: int = UNBOUNDED) -> tuple[int, int]:
        """Make deductions; `found` returns them.

        Parameters
        ----------
        most : int
            How many at most, where they are found by the first rules and these are `Single` or
            `Subset`. A deduction by a later rule is made alone.

        Returns
        -------
        number : int
            Highest number of a rule that was used, -1 if none found anything.
        length : int
            Strong links of the chain or fork, options chosen in a refutation, otherwise 0.

        Raises
        ------
        ProblemError
            `most` is not a whole number from 0 on, or is larger than any list.
        """
        most = number_of_values(most, 0, "most")
        self._clear()
        for place, stage in enumerate(self._stages):
            if stage.kernel is subsets.advance:
                before = self.counts.copy()
                [rules] = stage.tables
                code = self._deduce(rules, most if place == 0 else 1)
                used = np.flatnonzero(self.counts != before)
                if code != subsets.STUCK:
                    self.status = STATUS.get(code, OPEN)
                    return (int(used[-1]) if len(used) else -1), 0
                if len(used):
                    return int(used[-1]), 0
                continue
            length = self._look(stage)
            if length:
                [deduction] = self.found()
                self.counts[deduction.number] += 1
                self.delete(deduction.deleted)
                return deduction.number, length
        met = self._state.live.items["met"][: self._state.net.num_primary]
        self.status = CONTRADICTION if self.empty_item >= 0 else SOLVED if met.all() else STUCK
        return -1, 0

    def found(self) -> list[Deduction]:
        """The deductions of the last `advance` or `choose`, in order."""
        return [*self._others, *map(self._deduction, _records(self._log))]

    def delete(self, options: Iterable[int]) -> None:
        """Delete options for a reason that the caller has.

        Parameters
        ----------
        options : iterable of int
            Those that are not left are ignored.

        Raises
        ------
        ProblemError
            There is no such option.
        """
        deleted = self._as_options(options, "deleted")
        self._call_small(subsets.delete, len(deleted), self._state, deleted)

    def choose(self, option: int) -> None:
        """Choose an option for a reason that the caller has; `found` returns the deduction.

        Parameters
        ----------
        option : int
            One of the options left.

        Raises
        ------
        ProblemError
            It is not left.
        """
        [option] = self._as_options([option], "chosen").tolist()
        if not self._state.live.alive[option]:
            raise ProblemError(f"chosen option {option} is not left", option=option)
        net, live = self._state.net, self._state.live
        bounds = net.options[option]
        items = net.item[bounds["conflict_start"] : bounds["conflict_stop"]]
        gone = np.unique(np.concatenate([self.structure.options_of(i) for i in items]))
        gone = gone[(live.alive[gone] == 1) & (gone != option)]
        self.delete(gone)
        live.items["met"][items] = 1
        number = len(self.rules)
        self.counts[number] += 1
        self._clear()
        self._others = [Deduction(number, None, -1, option, (), (), tuple(gone.tolist()))]
        if self.status != CONTRADICTION:
            self.status = OPEN

    def _as_options(self, options: Iterable[int], name: str) -> NDArray[np.int32]:
        """Return option numbers in their order, checked: kernels do not look at bounds."""
        num_options = self.structure.problem.num_options
        return np.array(option_numbers(options, num_options, name), np.int32)

    def _clear(self) -> None:
        self._log[subsets.END] = subsets.FIRST
        self._others = []

    def _call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        """Call a kernel; the first time under the guard, since it may be compiled."""
        if kernel in self._compiled:
            return kernel(*arguments)
        with self._guard():
            result = kernel(*arguments)
        self._compiled.add(kernel)
        return result

    def _interprets(self, work: int) -> bool:
        """Whether the interpreter takes on this much more work."""
        return work <= self.structure.interpreter_work

    def _call_small(self, kernel: Callable[..., Any], entries: int, *arguments: Any) -> Any:
        """Call a kernel that visits `entries` entries; the first calls are interpreted."""
        work = ENTRY_WORK * entries
        if not self._interprets(work):
            return self._call(kernel, *arguments)
        self.structure.interpreter_work -= work
        with self._undone_if_interrupted():
            return subsets.INTERPRETED[kernel](*arguments)

    def _deduce(self, rules: NDArray[Any], steps: int) -> int:
        """Make deductions by singles and subsets; the first ones are interpreted."""
        kernel, state, items = subsets.advance, self._state, len(self._state.live.items)
        if self._interprets(items):
            work = _subset_work(rules, self.structure)
            singles = rules[np.maximum.accumulate(rules["size"]) == 0]  # before the first subset
        while self._interprets(items):
            all_rules = self._interprets(items + int(work.sum()))
            before, tried = self.counts.sum(), state.tried.copy()
            arguments = self._work, rules if all_rules else singles, min(steps, 1)
            with self._undone_if_interrupted():
                code = int(subsets.INTERPRETED[kernel](state, *arguments, self.counts, self._log))
            made = int(self.counts.sum() - before)
            steps -= made
            looked = int(work[state.tried != tried].sum())
            self.structure.interpreter_work -= items + looked
            if code == subsets.STUCK and not all_rules:
                break
            if code != subsets.FULL or steps == 0 or made == 0:
                return code
        self.structure.interpreter_work = 0  # the kernel is loaded from here on
        return int(self._call(kernel, state, self._work, rules, steps, self.counts, self._log))

    @contextmanager
    def _undone_if_interrupted(self) -> Iterator[None]:
        """Make what the body does to the state undone if an interrupt ends it."""
        live, log = self._state.live, self._log
        arrays: list[NDArray[Any]] = [live.alive, live.items, live.totals, self._state.tried]
        arrays += self.counts, log[: subsets.FIRST]
        before = [array.copy() for array in arrays]
        try:
            yield
        except BaseException:
            for array, values in zip(arrays, before, strict=True):
                array[:] = values
            self._work.marks[:] = 0
            raise

    def _look(self, stage: Stage) -> int:
        """Search by rules that are neither singles nor subsets; the length of what is found."""
        if stage.kernel is not None:
            net, live = self._state.net, self._state.live
            scratch = () if stage.kernel is chains.refute else (self._scratch,)
            place, length = self._place, chains.UNFINISHED
            place.fill(0)
            arguments = net, live, *scratch, *stage.tables, self._log, place
            while length == chains.UNFINISHED:
                length = self._seek(stage.kernel, *arguments)
            return length
        assert isinstance(stage.rule, Custom)
        alive = self.alive()
        result = stage.rule.find(alive)
        if result is None:
            return 0
        options, items, deleted = self._found_by_caller(stage.rule.name, result)
        if not alive[self._as_options(deleted, "deleted")].any():
            raise ProblemError(
                f"rule {brief(stage.rule.name)} deletes no option that is left: it must return None"
            )
        self._others = [Deduction(stage.number, stage.rule, -1, -1, options, items, deleted)]
        return 1

    def _seek(self, kernel: Callable[..., Any], *arguments: Any) -> int:
        """Continue a search at its place; the first ones are interpreted."""
        structure, place = self.structure, self._place
        if structure.chains_work <= 0:
            place[chains.BUDGET] = CALL_WORK
            return int(self._call(kernel, *arguments))
        place[chains.BUDGET] = structure.chains_work
        with self._undone_if_interrupted():
            length = int(chains.INTERPRETED[kernel](*arguments))
        structure.chains_work = int(place[chains.BUDGET])
        return length

    def _found_by_caller(self, name: str, result: Any) -> tuple[tuple[int, ...], ...]:
        """Return what a rule of the caller has found, checked: options, items, what to delete."""
        try:
            options, items, deleted = (tuple(map(as_index, numbers)) for numbers in result)
        except (TypeError, ValueError):
            raise ProblemError(
                f"rule {brief(name)} returned {brief(result)}; it must be None, or three lists of"
                " numbers: of options and items to show, of options to delete"
            ) from None
        if max(items, default=-1) >= self.structure.problem.num_items:
            raise ProblemError(f"rule {brief(name)} shows item {max(items)}, which is not there")
        return options, items, deleted

    def _deduction(self, record: _Record) -> Deduction:
        """A record of the log, with items of the problem."""
        number, item, chosen, (options, items, deleted) = record
        if self.structure.problem.colours:
            origin = [*self.structure.origin.tolist(), -1]
            item, items = origin[item], [origin[i] for i in items]
        rule = self.rules[number]
        return Deduction(number, rule, item, chosen, tuple(options), tuple(items), tuple(deleted))


STATUS = {subsets.SOLVED: SOLVED, subsets.BROKEN: CONTRADICTION}

KERNELS: dict[type, Callable[..., Any] | None] = {
    Single: subsets.advance,
    Subset: subsets.advance,
    Chain: chains.chain,
    Fork: chains.fork,
    Refutation: chains.refute,
    Custom: None,
}


class Stage(NamedTuple):
    """One rule, or successive rules that one call of their kernel takes together."""

    number: int
    rule: Rule
    kernel: Callable[..., Any] | None
    tables: tuple[Any, ...]


def _subset_work(rules: NDArray[Any], structure: Structure) -> NDArray[np.int64]:
    """For each frame the work to search it by these rules, at most."""
    frames = structure.frames.frames
    number, width = frames["base_stop"] - frames["base"], frames["cover_stop"] - frames["cover"]
    work = np.zeros(len(frames), np.int64)
    for rule in rules[rules["size"] > 0]:
        of_each = COMBINATION_WORK * (1 + FIN_WORK * int(rule["fins"]))
        here = frames["kind"] & rule["kinds"] != 0
        for n in np.unique(number[here]).tolist():
            work[here & (number == n)] += min(UNBOUNDED, of_each * comb(n, int(rule["size"])))
    work[width > subsets.WIDEST] = UNBOUNDED
    return work


def _longest_path(rules: Sequence[Rule], structure: Structure) -> int:
    """The most options that the chains of one deduction have together.

    An option is at most once in a chain, but may be in each chain of a fork.
    """
    options = structure.problem.num_options
    items = structure.net.items
    widest = int((items["stop"] - items["first"]).max(initial=0))
    longest = 2 * options
    for rule in rules:
        if isinstance(rule, Fork):
            size = min(widest, rule.widest)
            links = min(size * min(rule.links, options), rule.total)
            longest = max(longest, size + 2 * links)
    return longest


def _stages(rules: Sequence[Rule], primary: int, options: int) -> list[Stage]:
    """The calls for these rules; `primary` has the kinds of primary items (a mask)."""
    for rule in rules:
        if type(rule) not in KERNELS:
            raise ProblemError(f"{brief(rule)} is no rule; dlx.logic has the classes of rules")

    def together(numbered: tuple[int, Rule]) -> object:
        number, rule = numbered
        kernel = KERNELS[type(rule)]
        return kernel if kernel in (subsets.advance, chains.chain) else number

    stages = []
    for _, group in groupby(enumerate(rules), together):
        members = list(group)
        number, rule = members[0]
        stages.append(Stage(number, rule, KERNELS[type(rule)], _tables(members, primary, options)))
    return stages


def _tables(members: Sequence[tuple[int, Rule]], primary: int, options: int) -> tuple[Any, ...]:
    """Rules as their kernel takes them; only primary items have singles and strong links."""
    rows: list[tuple[int, ...]] = []
    strong: list[tuple[int, ...]] = []
    dtype = subsets.RULE
    for number, rule in members:
        match rule:
            case Single(items):
                rows.append((number, items & primary, 0, 0))
            case Subset(size, fins, frames):
                rows.append((number, frames & KINDS, size, fins))
            case Chain(links, weak, conjugate):
                dtype = chains.CHAIN
                weak &= primary if conjugate else KINDS
                rows.append((number, len(links), weak, conjugate))
                strong.append(tuple(kind & primary for kind in links))
            case Fork():
                dtype = chains.FORK
                most = min(rule.links, options)  # no chain has more
                widest, total = max(0, min(rule.widest, UNBOUNDED)), min(rule.total, MOST_LINKS)
                rows.append((number, rule.start & primary, widest, rule.weak & KINDS, most, total))
                strong.append((rule.strong & primary,) * most + (0,))
            case Refutation():
                return (number,)
            case Custom():
                return ()
    table = np.array(rows, dtype)
    if not strong:
        return (table,)
    longest = max(map(len, strong))
    return table, np.array([row + (0,) * (longest - len(row)) for row in strong], np.int32)


_Record: TypeAlias = tuple[int, int, int, list[list[int]]]


def _records(log: NDArray[np.int32]) -> Iterator[_Record]:
    """The records of a log (`dlx.logic.state`): rule, item, chosen option, three lists."""
    flat: list[int] = log[: log[subsets.END]].tolist()
    at = subsets.FIRST
    while at < len(flat):
        number, item, chosen = flat[at : at + 3]
        at += 3
        lists = []
        for _ in range(3):
            end = at + 1 + flat[at]
            lists.append(flat[at + 1 : end])
            at = end
        yield number, item, chosen, lists
