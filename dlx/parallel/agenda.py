"""Agenda: the tasks of a search in the order of the search, and what has come of them.

The place of a task is a tuple of small numbers: what task p leaves are the tasks p + (0,),
p + (1,), and so on. Its own solutions come before theirs. So the order of places is the order of
the solutions of a search that is not parted, whatever is worked first.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

from dlx.parallel.task import Branches, Outcome
from dlx.problem import Int32s

Place = tuple[int, ...]


class Task(NamedTuple):
    """A task and its place."""

    place: Place
    branches: Branches

    @property
    def weight(self) -> float:
        """The fraction of the whole search that the task is, by estimate."""
        return sum(branch.weight for branch in self.branches)

    def __str__(self) -> str:
        chosen = " ".join(map(str, self.branches[0].chosen)) or "none"
        more = f" and {len(self.branches) - 1} more branches" if len(self.branches) > 1 else ""
        return f"task {'.'.join(map(str, self.place)) or 'root'} (options {chosen}{more})"


class Agenda:
    """Tasks of a search.

    Attributes
    ----------
    count, nodes, updates : int
        Sums over the tasks that have ended.
    waiting : int
        Tasks that have ended and whose solutions have not been taken.
    """

    def __init__(self, listing: bool) -> None:
        self._listing = listing
        self.count = self.nodes = self.updates = 0
        self._open: list[tuple[Place, Task]] = []  # a heap
        self._running: dict[Place, Task] = {}
        self._order: list[Place] = []  # a heap of all tasks whose solutions were not taken
        self._batches: dict[Place, list[Int32s]] = {}
        self._weight = 0.0

    def add(self, task: Task) -> None:
        """Add an open task."""
        heapq.heappush(self._open, (task.place, task))
        self._weight += task.weight
        if self._listing:
            heapq.heappush(self._order, task.place)

    @property
    def num_open(self) -> int:
        """Number of tasks that nobody works."""
        return len(self._open)

    @property
    def is_empty(self) -> bool:
        """Whether all tasks have ended."""
        return not self._open and not self._running

    @property
    def done(self) -> float:
        """An estimate of the fraction that is done; 1.0 if and only if all tasks have ended."""
        return 1.0 if self.is_empty else max(0.0, min(1 - 1e-12, 1 - self._weight))

    @property
    def waiting(self) -> int:
        """Tasks that have ended and whose solutions have not been taken."""
        return len(self._batches)

    def take(self) -> Task:
        """Return the first open task, which somebody works from now on."""
        place, task = heapq.heappop(self._open)
        self._running[place] = task
        return task

    def give_back(self, task: Task) -> None:
        """Make a task open again that ended without an outcome."""
        del self._running[task.place]
        heapq.heappush(self._open, (task.place, task))

    def give_all_back(self) -> None:
        """Make all tasks open that somebody works."""
        for task in list(self._running.values()):
            self.give_back(task)

    def end(self, task: Task, outcome: Outcome) -> list[Task]:
        """Take over what a task did; return the tasks that it leaves."""
        left = [Task((*task.place, k), own) for k, own in enumerate(outcome.left)]
        del self._running[task.place]
        if self._listing:
            self._batches[task.place] = outcome.batches
        self.count += outcome.found
        self.nodes += outcome.nodes
        self.updates += outcome.updates
        self._weight -= task.weight
        for further in left:
            self.add(further)
        return left

    def next_batches(self) -> list[Int32s] | None:
        """Return the solutions of the first task whose were not taken; None if it has not ended."""
        if not self._order or self._order[0] not in self._batches:
            return None
        return self._batches.pop(heapq.heappop(self._order))

    def set_listing(self, listing: bool) -> None:
        """Keep the solutions of tasks from now on, or not; nobody works one at this time."""
        self._listing = listing
        self._batches = {}
        self._order = [place for place, _ in self._open] if listing else []
        heapq.heapify(self._order)
