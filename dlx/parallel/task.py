"""Tasks: parts of a search that are searched for a budget of work, and leave further tasks.

A task is a list of branches (`dlx.search.branch.Branch`) in the order of the search. It ends when
it has done its budget of work, found as many solutions as it may, or searched all its branches. The
branches that are left become further tasks. This depends on work alone, not on time, so the tasks
of a problem are the same for any workers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dlx.problem import Int32s, Problem
from dlx.search.branch import Branch
from dlx.search.counters import EXHAUSTED, NODES, UNLIMITED, UPDATES
from dlx.search.kernel import UPDATE_WORK, Kernel, State, choose_kernel, work_of

SHORTEST_SLICE, LONGEST_SLICE = 1 << 18, 1 << 22
"""Updates. The longest takes some milliseconds: so soon a thread notices that it is to stop."""
RESTART_WORK, RESTART_WORK_OF_ENTRY = 20_000, 2
"""Units of work, of about a nanosecond, to begin a branch: in any case, and for each entry."""
FEW_ITEMS, LOOK_WORK = 500, {"bits": 0.0, "bounds": 1.0, "links": 0.17}
"""Units of work of a kernel to look at an item. A node looks at all of them to find the one to
branch on; slices are made shorter for those beyond the first FEW_ITEMS. (Updates of "bits" include
this work.)"""
BATCH_NUMBERS = 1 << 16  # option numbers of a batch of solutions
TASK_NUMBERS = 1 << 21  # option numbers of all solutions that a task lists, about
SHARES = 8  # most tasks that a task leaves

Branches = tuple[Branch, ...]
Place = tuple[int, ...]


class Totals(NamedTuple):
    """What all ended tasks did."""

    found: int = 0
    nodes: int = 0
    updates: int = 0
    ended: int = 0  # tasks
    working: float = 0.0  # seconds that workers ran tasks
    elapsed: float = 0.0  # seconds that a process had the ledger


class Task(NamedTuple):
    """A task and its place."""

    place: Place
    branches: Branches

    @property
    def weight(self) -> float:
        """The fraction of the whole search that the task is, by estimate."""
        return sum(branch.weight for branch in self.branches)

    def __str__(self) -> str:
        chosen, options = self.branches[0].chosen, self.branches[0].options
        if options and options[0] < 0:
            chosen, options = (*chosen, *options), ()
        lists = {
            "options": [option for option in chosen if option >= 0],
            "without": [~option for option in chosen if option < 0],  # by the kernel "bounds"
            "one of": options,
        }
        texts = [
            f"{name} {' '.join(map(str, numbers))}" for name, numbers in lists.items() if numbers
        ]
        more = len(self.branches) - 1
        texts += [f"{more} more branch{'' if more == 1 else 'es'}"] if more else []
        return f"task {'.'.join(map(str, self.place)) or 'root'} ({', '.join(texts)})"


class Question(NamedTuple):
    """What is searched for."""

    given: tuple[int, ...]  # options that are part of every solution, ascending
    kernel: str  # its name
    listing: bool  # whether the solutions are listed or counted only


class TaskResult(NamedTuple):
    """What a task did."""

    found: int  # solutions
    nodes: int
    updates: int
    batches: list[Int32s]  # [k, depth] each: the solutions in order, if they are listed
    left: list[Branches]  # further tasks, in the order of the search
    seconds: float = 0.0  # time it took, once the crew has added it


class Worker:
    """Runs tasks of one question, one at a time.

    Parameters
    ----------
    problem : Problem
    question : Question
        Its givens are compatible with each other.
    kernel : Kernel, optional
        That of the question; loaded by default.
    root : State, optional
        What its function `start` returns for the question; made by default.

    Attributes
    ----------
    shorter : float
        The factor, at most 1, by which slices are made shorter for many items; see `LOOK_WORK`.
    """

    def __init__(
        self,
        problem: Problem,
        question: Question,
        kernel: Kernel[Any] | None = None,
        root: State | None = None,
    ) -> None:
        self._problem, self._question = problem, question
        self.kernel = choose_kernel(problem, question.kernel) if kernel is None else kernel
        self._root = self.kernel.start(problem, question.given) if root is None else root
        self._state: Any = None
        self.depth = 0 if self._root is None else self.kernel.max_depth(self._root)
        self.nodes_of_root = 0 if self._root is None else int(self._root.counters[NODES])
        self._restart = RESTART_WORK + RESTART_WORK_OF_ENTRY * problem.num_entries
        per_update = UPDATE_WORK[self.kernel.name]
        looking = LOOK_WORK[self.kernel.name] * max(0, problem.num_primary - FEW_ITEMS)
        self.shorter = per_update / (per_update + looking)

    def another(self) -> Worker:
        """Return a worker for another thread; threads may call this at the same time."""
        return Worker(self._problem, self._question, self.kernel, self._root)

    def compile(self, branch: Branch) -> None:
        """Compile the kernel, or load it from the cache; search nothing."""
        state = self.kernel.restart(self._problem, self._root, None, branch)
        self._advance(state, 0, 1)
        self.kernel.open_branches(state, branch.weight)

    def run(
        self,
        branches: Branches,
        budget: int,
        most: int = UNLIMITED,
        stopped: Callable[[], bool] = lambda: False,
    ) -> TaskResult:
        """Run a task.

        Parameters
        ----------
        branches : tuple of Branch
        budget : int
            Units of work after which the task ends, about.
        most : int
            Solutions after which it ends, at least 1.
        stopped : callable
            Whether it is to end at once; called every few milliseconds.
        """
        batches: list[Int32s] = []
        count = nodes = updates = spent = numbers = 0
        rest: list[Branch] = []
        ahead = deque(branches)
        while ahead:
            branch = ahead.popleft()
            if branch.options and not self.kernel.takes_options:
                branch, *others = branch.apart()
                ahead.extendleft(others)
            state = self.kernel.restart(self._problem, self._root, self._state, branch)
            self._state = state
            over = False
            while not over and not state.counters[EXHAUSTED]:
                allowed = (budget - spent - self._work_of(state)) / 4
                length = int(allowed / UPDATE_WORK[self.kernel.name])
                length = max(1, int(min(LONGEST_SLICE, max(SHORTEST_SLICE, length)) * self.shorter))
                found, batch = self._advance(state, length, most - count)
                count += found
                if len(batch):
                    batches.append(batch)
                    numbers += batch.size
                over = (
                    spent + self._work_of(state) >= budget
                    or count >= most
                    or numbers >= TASK_NUMBERS
                    or stopped()
                )
            nodes += int(state.counters[NODES])
            updates += int(state.counters[UPDATES])
            spent += self._work_of(state) + self._restart
            if over or spent >= budget:
                rest = [*self.kernel.open_branches(state, branch.weight), *ahead]
                break
        tasks = split(rest, shares(branches, rest, spent / budget))
        return TaskResult(count, nodes, updates, batches, tasks)

    def _work_of(self, state: State) -> int:
        """The work done since `restart`."""
        return work_of(self.kernel.name, int(state.counters[NODES]), int(state.counters[UPDATES]))

    def _advance(self, state: object, updates: int, room: int) -> tuple[int, Int32s]:
        """Run the kernel for a slice; return the number of solutions, and those listed."""
        rows = (
            min(room, max(1, BATCH_NUMBERS // max(1, self.depth))) if self._question.listing else 0
        )
        out = np.empty((rows, self.depth), np.int32)
        found = self.kernel.advance(state, updates, rows or room, out)
        if 2 * found < rows:
            return found, out[:found].copy()  # a view would keep all of `out` alive
        return found, out[:found]


def fraction_done(ahead: float) -> float:
    """Return the fraction that is done of a search with open tasks of this weight, by estimate."""
    return max(0.0, min(1 - 1e-12, 1 - ahead))


def shares(branches: Branches, rest: list[Branch], budgets: float) -> int:
    """Return the number of tasks to make of the branches left: about one for each budget.

    `budgets` is how many the branches before those have taken.
    """
    ahead = sum(branch.weight for branch in rest)
    behind = sum(branch.weight for branch in branches) - ahead
    return max(1, min(SHARES, int(budgets * ahead / behind))) if behind > 0 else SHARES


def split(branches: list[Branch], number: int) -> list[Branches]:
    """Split branches into at most `number` tasks of about equal weight, in the same order.

    >>> for task in split([Branch((0,), (1, 2, 3), 0.75), Branch((4,), (), 0.25)], 2):
    ...     print([(branch.chosen, branch.options, branch.weight) for branch in task])
    [((0,), (1, 2), 0.5)]
    [((0,), (3,), 0.25), ((4,), (), 0.25)]
    """
    share = sum(branch.weight for branch in branches) / number * (1 + 1e-9)
    tasks: list[Branches] = []
    group: list[Branch] = []
    weight = 0.0
    for branch in branches:
        options, whole = branch.options, branch.weight
        each = whole / max(1, len(options))
        while True:
            if group and weight + each > share and len(tasks) < number - 1:
                tasks.append(tuple(group))
                group, weight = [], 0.0
            length = len(options)
            if len(tasks) < number - 1 and each > 0:
                length = max(1, int(min(length, (share - weight) / each)))
            group.append(branch._replace(options=options[:length], weight=each * max(1, length)))
            weight += group[-1].weight
            options = options[length:]
            if not options:
                break
    return [*tasks, tuple(group)] if group else tasks
