"""Agenda: the tasks of a search in the order of the search, and their results.

The place of a task is a tuple of small numbers: the tasks that task p leaves have the places
p + (0,), p + (1,), and so on. Its own solutions come before theirs. So the order of places is the
order of the solutions in a search by one worker, whichever tasks end first.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from dlx.parallel.task import Place, Task, TaskResult, Totals, fraction_done
from dlx.problem import Int32s

if TYPE_CHECKING:
    from dlx.parallel.ledger import Ledger


class Agenda:
    """Tasks of a search.

    Attributes
    ----------
    totals : Totals
        Of the tasks that have ended.
    in_rounds : bool
        Whether new tasks wait for the end of a round.
    """

    def __init__(self, listing: bool, ledger: Ledger | None) -> None:
        self._listing = listing
        self._ledger = ledger
        self.totals = Totals()
        self._open: list[tuple[Place, Task]] = []  # a heap
        self._later: list[tuple[Place, Task]] = []  # that wait for the end of a round; a heap
        self.in_rounds = False
        self._running: dict[Place, Task] = {}
        # those of a later round that were begun, and their results, which wait for that round
        self._ahead: dict[Place, TaskResult | None] = {}
        self._order: list[Place] = []  # a heap of all tasks whose solutions were not taken
        # of tasks whose solutions were not taken; None if the ledger has them
        self._batches: dict[Place, list[Int32s] | None] = {}
        self._weight = 0.0

    def add(self, task: Task) -> None:
        """Add an open task; in rounds, for the next one."""
        heapq.heappush(self._later if self.in_rounds else self._open, (task.place, task))
        self._weight += task.weight
        if self._listing:
            heapq.heappush(self._order, task.place)

    @property
    def num_open(self) -> int:
        """Number of tasks of this round that wait for a worker."""
        return len(self._open)

    @property
    def is_empty(self) -> bool:
        """Whether all tasks have ended."""
        return self.is_round_over and not self._later

    @property
    def is_round_over(self) -> bool:
        """Whether all tasks of this round have ended; without rounds, all tasks."""
        return not self._open and not self._running

    def begin_round(self, number: int | None) -> None:
        """Leave all tasks but the first ones for a later round, unless a round is under way.

        The tasks that have ended at the end of a round are the same for any number of workers.
        None ends the rounds: no task is left for a later one.
        """
        if number is not None and self.in_rounds and not self.is_round_over:
            return
        tasks = sorted(self._open + self._later)
        first = tasks[:number]
        begun = [task for place, task in first if place in self._ahead]
        self._running.update((task.place, task) for task in begun)  # first: see `end`
        self._open = [one for one in first if one[0] not in self._ahead]
        self._later, self.in_rounds = tasks[len(first) :], number is not None
        for task in begun:
            if (result := self._ahead.pop(task.place)) is not None:
                self.end(task, result)

    @property
    def done(self) -> float:
        """An estimate of the fraction that is done; 1.0 if and only if all tasks have ended."""
        return 1.0 if self.is_empty else fraction_done(self._weight)

    @property
    def waiting(self) -> int:
        """Tasks that have ended and whose solutions are in memory and have not been taken."""
        return 0 if self._ledger is not None else len(self._batches)

    @property
    def has_batches(self) -> bool:
        """Whether `next_batches` has some to return."""
        return bool(self._order) and self._order[0] in self._batches

    @property
    def is_taken(self) -> bool:
        """Whether all tasks have ended and all their solutions have been taken."""
        return self.is_empty and not self._order

    def take(self) -> Task:
        """Return the first open task, which is running from now on."""
        place, task = heapq.heappop(self._open)
        self._running[place] = task
        return task

    @property
    def can_work_ahead(self) -> bool:
        """Whether there is a task of a later round that has not begun."""
        return len(self._ahead) < len(self._later)

    def take_ahead(self) -> Task:
        """Return the first task of a later round that has not begun.

        It begins now, and its result waits for its round.
        """
        place, task = min(one for one in self._later if one[0] not in self._ahead)
        self._ahead[place] = None
        return task

    def give_back(self, task: Task) -> None:
        """Make a task open again that ended without a result."""
        if task.place in self._ahead:
            del self._ahead[task.place]
            return
        del self._running[task.place]
        heapq.heappush(self._open, (task.place, task))

    def give_all_back(self) -> None:
        """Make all running tasks open again."""
        for task in list(self._running.values()):
            self.give_back(task)
        self._ahead = {place: result for place, result in self._ahead.items() if result is not None}

    def end(self, task: Task, result: TaskResult) -> None:
        """Add the result of a task and the tasks that it leaves; write them to the ledger first.

        The result of a task of a later round is kept until that round begins.
        """
        if task.place in self._ahead:
            self._ahead[task.place] = result
            return
        tasks = [Task((*task.place, k), branches) for k, branches in enumerate(result.left)]
        before = self.totals
        totals = Totals(
            before.found + result.found,
            before.nodes + result.nodes,
            before.updates + result.updates,
            before.ended + 1,
            before.working + result.seconds,
        )
        if self._ledger is not None:
            self._ledger.record(task, result.batches, tasks, totals)
        if self._listing:
            self._batches[task.place] = None if self._ledger is not None else result.batches
        self.totals = totals
        for further in tasks:
            self.add(further)
        # last: a thread that reads `done` meanwhile must not get more than is done
        self._weight -= task.weight
        del self._running[task.place]

    @property
    def has_record(self) -> bool:
        """Whether the ledger holds a search to continue."""
        return self._ledger is not None and not self._ledger.is_new

    def load(self) -> None:
        """Continue the search that the ledger holds."""
        assert self._ledger is not None
        self.totals = self._ledger.totals
        for task in self._ledger.open_tasks():
            self.add(task)
        if self._listing:
            for place in self._ledger.ended_places():
                self._batches[place] = None
                heapq.heappush(self._order, place)

    def next_batches(self) -> list[Int32s] | None:
        """Return the solutions of the next task in order; None if that has not ended."""
        if not self.has_batches:
            return None
        place = self._order[0]
        batches = self._batches[place]
        if batches is None:
            assert self._ledger is not None
            # an error leaves the place: without it the list would seem to be complete
            batches = self._ledger.solutions(place)
        heapq.heappop(self._order)
        del self._batches[place]
        return batches

    def set_listing(self, listing: bool) -> None:
        """Keep the solutions of tasks from now on, or not; no task may be running."""
        self._listing = listing
        self._batches = {}
        self._ahead = {}  # their results lack the solutions; these tasks will be run again
        self._order = [place for place, _ in self._open + self._later] if listing else []
        heapq.heapify(self._order)

    def close(self) -> None:
        """Close the ledger."""
        if self._ledger is not None:
            self._ledger.close()
