"""SweepWorkers: the workers of an executor, for the tasks of a sweep whose states are in files.

A task is some parts of a layer (`dlx.count.expander`): their places in the file of the layer. The
worker reads them, and returns the children; the owner of the folder appends these to the files in
the order of the tasks. Tasks of the next groups of a layer are submitted ahead, so that no worker
waits for the last task of a group, or for the owner. Workers write no files, so a worker may die at
any moment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any

from dlx.count.expander import ADDRESS, Expander, Result, Source
from dlx.count.saved import digest
from dlx.count.sweep_kernel import Masks
from dlx.parallel import remote
from dlx.parallel.crew import Workers

PAUSE = 0.02  # seconds between two checks whether to stop waiting

LayerRange = tuple[int, int, int, int]
"""Of a task: its layer, its first part, the one after the last, and the number of its states."""


class SweepWorkers:
    """Runs the tasks of one sweep; see `dlx.count.expander.Remote`.

    Parameters
    ----------
    masks : Masks
    executor, jobs
        As for `Workers`.
    """

    def __init__(
        self, masks: Masks, executor: Executor | Callable[[], Executor], jobs: int | None
    ) -> None:
        name = f"sweep of {digest(masks)}"
        self._workers = Workers(name, (Expander, masks), executor, jobs)
        self._futures: dict[Future[Any], LayerRange] = {}
        self._results: dict[LayerRange, Result] = {}

    def results(
        self,
        source: Source,
        groups: Sequence[Sequence[tuple[int, int, int]]],
        most: int,
        halted: Callable[[], bool],
    ) -> list[Result] | None:
        """Return the results of the first group, or None if halted before.

        Raises
        ------
        WorkerError
            A task failed three times, or the executor is broken.
        """
        tasks = [(source.layer, *task) for group in groups for task in group]
        first = tasks[: len(groups[0])]
        try:
            while any(task not in self._results for task in first):
                if halted():
                    return None
                self._begin(source, tasks, most)
                wait(self._futures, PAUSE, FIRST_COMPLETED)
                # `wait` does not return those that an executor cancels as it is shut down
                for future in [future for future in self._futures if future.done()]:
                    self._take(source, self._futures.pop(future), future)
        except BaseException:
            self.stop()
            raise
        return [self._results.pop(task) for task in first]

    def stop(self) -> None:
        """Cancel all tasks; the result of one that a worker has begun is discarded."""
        for future in self._futures:
            future.cancel()
        self._futures = {}

    def _begin(self, source: Source, tasks: list[LayerRange], most: int) -> None:
        """Submit the first tasks that are not running, as many as there is room for."""
        begun = {*self._futures.values(), *self._results}
        for task in tasks:
            if len(begun) >= most or len(self._futures) >= self._workers.room:
                return
            if task in begun:
                continue
            parts = source.parts(*task[1:])
            parts.runs[:, ADDRESS] = 0  # of this process
            try:
                self._futures[self._workers.begin(task, parts)] = task
                begun.add(task)
            except BaseException as error:
                self._failed(source, task, error)

    def _take(self, source: Source, task: LayerRange, future: Future[Any]) -> None:
        """Keep the result of a task, unless it is to be begun again."""
        try:
            result = self._workers.take(task, remote.read(future.result()))
        except BaseException as error:
            self._failed(source, task, error)
            return
        if result is not None:
            self._results[task] = result

    def _failed(self, source: Source, task: LayerRange, error: BaseException) -> None:
        layer, begin, *_ = task
        text = f"task {layer}.{begin} (states in {source.path}, which all workers must see)"
        self._workers.fail(task, text, error, "the folder keeps what was done")
