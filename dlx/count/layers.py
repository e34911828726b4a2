"""LayerSweep: a sweep by layers, whose states are split by hash: for threads, and for files.

All states of a layer are expanded before those of the next one. The layer is split by a hash of
the keys, and some parts of it are a task (`layers_kernel`). A task merges equal states, expands
them, and leaves batches of children, sorted by part, for later layers. So the same tasks can be
run by several threads, and the batches can lie in files. Then other processes can run them, too
(`Remote`): they read the states, and this one appends the children to the files.

Tasks are run in groups, whose tasks, batches and figures depend on the states alone: they are
the same for any number of workers. When all tasks of a group have ended, a separate thread adds
their results, so that no KeyboardInterrupt can come between two changes. Few states are expanded in
rounds (`rounds`) in place of tasks, without that thread.

If half of the memory is used, the states of all layers are merged before their layer is expanded.
If that does not free enough, and there is no folder for files, the last layers are expanded first,
a group at a time: this merges less, but the states that a group leads to are few.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.checks import digits
from dlx.count import rounds, rounds_kernel
from dlx.count.expander import Expander, Parts, Remote, Result, Source
from dlx.count.layers_kernel import PARTS
from dlx.count.memory import LEAST_FOR_STATES, MemoryAccount
from dlx.count.rounds import Rounds, nbytes
from dlx.count.saved import as_count, as_total, digest
from dlx.count.spill import Spill, StateBatch
from dlx.count.spinning import SpinningThreads
from dlx.count.states import as_int, as_limbs, check_states, layers_done
from dlx.count.sweep_kernel import LIMB_BITS, Masks
from dlx.errors import OutputError, StateError

Array = npt.NDArray[Any]
PartRange = tuple[int, int, int]
"""Of a task: its first part, the one after the last, and the number of its states."""

LARGE_GROUP = 8  # most tasks of a group, hence most threads in use
SMALL_GROUP = 2  # the same where the last layers are expanded first, for lack of memory
LEAST_STATES, ROOT = 1 << 10, 32
"""A task has about ROOT times the square root of the number of states of its layer, and at least
LEAST_STATES, unless `Layer.most` is less. For it reads a slice of each batch, and a layer has as
many batches as the one before had tasks."""
MOST_LIMBS = 1 << 16
NARROW = 4  # numbers of a state, up to which TASK_STATES and TASK_CHILDREN hold; states that are
# wider are fewer in proportion, or the groups of tasks would take seconds
TASK_STATES = 1 << 18  # states of a task, unless a single part has more
TASK_CHILDREN = 1 << 19
"""A task has at most TASK_CHILDREN / degree + 1 states, if its layer has `degree` options, or as
many as are expected to take TASK_WORK if these are more."""
TASK_WORK = 1 << 25
"""Units of work of a task that has as many states as usually take that long, by all states before.
Limits of time and interrupts are noticed between two groups of tasks."""
MOST_WORK, MOST_STATE_WORK = 4 * TASK_WORK, 1 << 12
"""A task ends after max(MOST_WORK, MOST_STATE_WORK x its states) units; states that it has not
expanded by then go to the next group."""
MERGED_FROM = 0.5  # part of the memory limit above which the states of all layers are merged
IN_MEMORY = 0.75
"""Part of the memory limit above which states go to files, or, without a folder, the last layers
are expanded first. Tasks use the rest."""
MERGED_AGAIN = 0.1  # of the memory limit: the least that is added before states are merged again
OWN_PAGES = 0.25
"""Part of what the memory limit exceeds LEAST_FOR_STATES by, from which batches have pages of their
own (`zeros`).

An allocator may keep as much freed memory as is in use, where sizes and threads differ; but with
little memory in use it is faster by a sixth.
"""
IN_ROUNDS = 0.25  # of the memory limit: what states in rounds may take
LONGEST_ROUNDS = 1 << 25  # units of work that some rounds take together, at most
EARLY_GROUP = 50_000
"""For an early lower bound, for which Ctrl-C waits, each group is charged this many units of work
beside those that it counts: a group of few states takes longer."""
EARLY_ROUNDS = 4  # rounds of few states take longer than they count, by about this factor
REMOTE_STATES = 1 << 17  # states of a layer, at least, whose tasks go to other processes: sending
# the children takes a few percent of their time
PAUSE = 0.02  # seconds between two checks of limits
SAVE_WORK, SAVE_SECONDS = 100_000_000, 1.0
"""A manifest follows the first group of tasks that ends SAVE_WORK units of work or SAVE_SECONDS
after the last manifest: with a small memory limit the work takes longer."""


class Layer:
    """The batches of a layer.

    Attributes
    ----------
    batches : list of StateBatch
    sizes : int64[PARTS]
        The states of each part that are still to be expanded.
    states : int
        All that came from other layers.
    most : int
        The states of a task, at most; 0 until the first of its tasks is made.
    expanded : int
        The parts before this one have been expanded, but for the states that tasks have left.
    """

    def __init__(self) -> None:
        self.batches: list[StateBatch] = []
        self.sizes = np.zeros(PARTS, np.int64)
        self.states = self.most = self.expanded = 0

    @property
    def has_all_parts(self) -> bool:
        """Whether each part is expanded whole or not at all: no task has left states of it."""
        return not self.sizes[: self.expanded].any()

    def add(self, batch: StateBatch) -> None:
        """Add a batch."""
        self.batches.append(batch)
        self.sizes += np.diff(batch.bounds)
        self.states += int(batch.bounds[-1])

    def groups(self, most: int, number: int) -> Iterator[list[PartRange]]:
        """Groups of at most `number` tasks, one after the other, to the end of the layer."""
        unassigned = Layer()
        unassigned.sizes, unassigned.expanded = self.sizes.copy(), self.expanded
        while tasks := unassigned.tasks(most, number):
            yield tasks
            unassigned.sizes[: tasks[-1][1]] = 0

    def tasks(self, most: int, number: int) -> list[PartRange]:
        """Return at most `number` tasks; while earlier tasks have left states, only of these."""
        ends = np.cumsum(self.sizes if self.has_all_parts else self.sizes[: self.expanded])
        size = min(max(LEAST_STATES, ROOT * isqrt(int(ends[-1]))), most)
        ranges: list[PartRange] = []
        assigned = 0
        while assigned < ends[-1] and len(ranges) < number:
            if len(ranges) >= SMALL_GROUP and assigned >= number * most:  # the parts are large
                break
            begin = int(np.searchsorted(ends, assigned, "right"))
            end = max(begin + 1, int(np.searchsorted(ends, assigned + size, "right")))
            ranges.append((begin, end, int(ends[end - 1]) - assigned))
            assigned = int(ends[end - 1])
        return ranges

    def take(self, end: int, number: int) -> list[StateBatch]:
        """Note that tasks have expanded the parts before `end`. Return the batches that are empty.

        Parameters
        ----------
        end : int
        number : int
            How many batches there were before these tasks. The later ones are the states that the
            tasks have left; these are still to be expanded.
        """
        self.expanded = max(self.expanded, end)
        self.sizes[:end] = 0
        for batch in self.batches[:number]:
            batch.first = max(batch.first, end)
        for batch in self.batches[number:]:
            self.sizes[:end] += np.diff(batch.bounds)[:end]
            self.states -= int(batch.bounds[-1])
        empty = [batch for batch in self.batches if batch.bounds[batch.first] == batch.bounds[-1]]
        if empty:
            empty_ids = set(map(id, empty))
            self.batches = [batch for batch in self.batches if id(batch) not in empty_ids]
        return empty


class LayerSweep:
    """A sweep by layers, as `dlx.count.sweep.Sweep` has it.

    Parameters
    ----------
    masks : Masks
    account : MemoryAccount
        It also has the number of threads, and the folder for files.

    Attributes
    ----------
    total, nodes, peak, work : int
        As of `Sweep`. The peak counts states before they are merged.
    begun : int
        The work when the present layer was reached.
    in_portions : bool
        Whether the last layers are expanded first, for lack of memory.
    short_of_memory : bool
        Whether they ever were.
    held : int
        Bytes entered in the account.
    """

    def __init__(self, masks: Masks, account: MemoryAccount) -> None:
        self.masks = masks
        self.total = self.nodes = self.peak = self.work = self.begun = 0
        self.in_portions = self.short_of_memory = False
        self._opened = 0
        self._account = account
        self.held = 0
        self._layers: dict[int, Layer] = {}
        self._rounds: Rounds | None = None  # has all states, while they are few
        self._before = 0, 0, 0, 0  # solutions, nodes, work, and `begun`, before these rounds
        width = len(masks.primary) + 2
        state = 8 * (3 * width + 6)  # bytes that it takes in a task, about
        most = account.limit // (4 * LARGE_GROUP * state)
        self._wide = max(1, width / NARROW)
        self._most_merged = max(LEAST_STATES, min(int(TASK_STATES / self._wide), most))
        # tasks whose results may wait: with this number they take a quarter of the limit, about
        self._ahead = max(LARGE_GROUP, account.limit // (2 * self._most_merged * state))
        self._expander = Expander(masks)
        self._remote: Remote | None = None
        self._own_thread: SpinningThreads | None = None  # one thread, for `_in_own_thread`
        self._in_call = False  # unless no call in that thread is left
        self._halt = False  # whether that call is to end
        self._merge_at = MERGED_FROM * account.limit
        self._merging: Generator[None, None, None] | None = None  # of `_merge`, until it is done
        self._files: Spill | None = None
        self._saved_at = 0  # the work at the last manifest
        self._saved_time = time.monotonic()  # of that manifest
        self._began = time.monotonic()  # less the time of processes before

    @property
    def ended(self) -> bool:
        """Whether no state is left to be expanded."""
        return not self._layers and self._rounds is None

    @property
    def done(self) -> float:
        """The fraction of the layers that is done, from 0 to 1, with that of the present one."""
        if self.ended or self._rounds is not None:
            return self.layers_done
        part = int(np.argmax(self._layers[self.layer].sizes > 0)) / PARTS
        return layers_done(self.masks, self.layer, part)

    @property
    def layers_done(self) -> float:
        """The fraction of the layers that is done, from 0 to 1, in whole layers."""
        if self.ended:
            return 1.0
        return layers_done(self.masks, self.layer)

    @property
    def layer(self) -> int:
        """No layer before this one has states, unless all have been expanded."""
        return min(self._layers) if self._rounds is None else self._rounds.layer

    @property
    def smallest_step(self) -> int:
        """The units of work of the next group or round, if its states are like those before."""
        if self.ended or not self.nodes:
            return 0
        if self._rounds is not None:
            return self._rounds.ahead * self.work // self.nodes
        number = min(self._layers)
        tasks = next(self._layers[number].groups(self._most(number), LARGE_GROUP))
        return sum(
            min(states * self.work // self.nodes, _most_work(states)) for _, _, states in tasks
        )

    def start(self, lengths: Array, rows: Array) -> None:
        """Take over states; only before the first `advance`.

        Parameters
        ----------
        lengths : int64[primary + 1]
            How many there are of each layer.
        rows : uint64[states, words + limbs]
            Layer by layer.
        """
        width, account = rows.shape[1], self._account
        in_rounds = 0 < len(rows) < rounds.MOST_OPEN_STATES and fits_in_rounds(
            self.masks, width, account
        )
        if not in_rounds or account.spill is not None:
            self._start_batches(lengths, rows)
            return
        self._before = self.total, self.nodes, self.work, self.begun
        self._rounds = Rounds(self.masks, self._account.jobs, lengths, rows)
        self._opened = len(rows)
        self.peak = max(self.peak, len(rows))
        self._enter(nbytes(self.masks, width))

    def _start_batches(self, lengths: Array, rows: Array) -> None:
        at = 0
        for number in np.flatnonzero(lengths).tolist():
            end = at + int(lengths[number])
            while at < end:
                batch = rows[at : min(end, at + self._most_merged)]
                states, bounds = self._expander.sort(batch, number)
                self._keep({number: [StateBatch(states, bounds, rows.shape[1])]})
                at += len(batch)

    def advance(self, budget: int) -> None:
        """Continue for about `budget` units of work, at most to the end."""
        self._settle()
        self._continue_to(self.work + budget, early=False)

    def complete_some(self, budget: int) -> None:
        """Expand some states of the last layers first for a while, to count solutions early.

        This does not count as work. With a folder for files, whose states are expanded in the order
        of the layers, save a manifest instead.
        """
        self._settle()
        if self._account.spill is None:
            work, begun = self.work, self.begun
            allowance = budget if self._rounds is None else budget // EARLY_ROUNDS
            try:
                self._continue_to(work + allowance, early=True)
            finally:
                self._settle()
                if self._rounds is not None:
                    self._rounds.leave_out(self.work - work)
                self.work, self.begun = work, begun
        elif self._files is not None and self.work > self._saved_at:
            self._in_own_thread(self._save)

    def _settle(self) -> None:
        """Wait for what an interrupt has left running, in any thread."""
        if self._in_call:
            assert self._own_thread is not None
            self._halt = True
            self._own_thread.submit(int).result()
            self._in_call = False
        if self._rounds is not None:
            self._rounds.settle()
            self._add_up(self._rounds)

    def _continue_to(self, stop: int, *, early: bool) -> None:
        self._account.lend(self._expander.idle)
        is_over = bool if early else self._account.is_over
        while not self.ended and self.work < stop:
            if self._rounds is None:
                self._in_own_thread(lambda: self._run(stop, early), is_over)
                return
            if self._rounds.status == rounds_kernel.PAUSED:
                budget = min(stop - self.work, LONGEST_ROUNDS)
                self._rounds.advance(budget, self._account.workers, early=early)
                self._add_up(self._rounds)
            else:
                self._in_own_thread(self._leave_rounds)
            if is_over():
                return

    def _add_up(self, active: Rounds) -> None:
        """Add the figures of the rounds to those before; to repeat this changes nothing."""
        total, nodes, work, begun = self._before
        self.total = total + active.total
        self.nodes = nodes + active.nodes
        self.work = work + active.work
        self.begun = work + active.begun if active.begun else begun
        self.peak = max(self.peak, active.peak)
        self._opened = active.opened

    def _leave_rounds(self) -> None:
        """Continue in other rounds, or with batches if there are too many states for that.

        At no time are there neither: after an interrupt the sweep must not seem to have ended.
        """
        active, before, held = self._rounds, self._before, self.held
        assert active is not None
        states = active.collect()
        self._enter(-held)
        self._opened = 0
        try:
            if active.status == rounds_kernel.CROWDED:
                self._start_batches(*states)
            else:
                self.start(*states)
        except MemoryError:  # all states are still in the rounds
            self._layers, self._before = {}, before
            self._enter(held - self.held)
            raise
        if self._rounds is active:
            self._rounds = None

    def _in_own_thread(self, call: Callable[[], None], is_over: Callable[[], bool] = bool) -> None:
        """Make a call in the sweep's own thread, which no interrupt reaches.

        It is to end early if `is_over`, or after an interrupt.
        """
        # An interrupt may come anywhere here.
        if self._own_thread is None:
            self._own_thread = SpinningThreads(1, spin=False)
        self._halt, self._in_call = False, True
        running = self._own_thread.submit(call)
        try:
            while not running.wait(PAUSE):
                if is_over():
                    self._halt = True
        except BaseException:
            self._halt = True
            raise
        running.result()
        self._in_call = False

    def _run(self, stop: int, early: bool) -> None:
        """Continue with batches."""
        while not self.ended and self.work < stop and not self._halt:
            if self._merging is not None and not early:
                if next(self._merging, self) is self:
                    self._merging = None
                continue
            self._stop_merging()  # the layers change
            self._work_group(early)
            stop -= EARLY_GROUP if early else 0
            if self._files is None:
                self._make_room()

    def _most(self, number: int) -> int:
        """The states of a task of a layer, at most: the same for all of its tasks."""
        if most := self._layers[number].most:
            return most
        degree = int(self.masks.lowest[number + 1] - self.masks.lowest[number])
        usual = TASK_WORK * self.nodes // max(1, self.work)
        children = int(TASK_CHILDREN / self._wide)
        return min(self._most_merged, max(1 + children // max(1, degree), usual))

    def _group_size(self, most: int, early: bool) -> tuple[int, int]:
        """The states of a task and the tasks of a group, at most."""
        # each of many layers keeps what a group leaves, and other sweeps may hold the memory
        if early or (self.in_portions and not self._account.free):
            return min(LEAST_STATES, most), 1
        return most, SMALL_GROUP if self.in_portions else LARGE_GROUP

    def _work_group(self, early: bool) -> None:
        """Run a group of tasks of a layer, and add their results."""
        number = max(self._layers) if early or self.in_portions else min(self._layers)
        layer = self._layers[number]
        layer.most = self._most(number)
        groups = layer.groups(*self._group_size(layer.most, early))
        tasks = next(groups)
        is_remote = self._files is not None and self._account.remote is not None
        if is_remote and layer.states >= REMOTE_STATES:
            results = self._elsewhere(number, layer, [tasks, *groups])
            if results is None:
                return
        else:
            results = self._each(self._expand, number, layer.batches, tasks)
        num_batches = len(layer.batches)
        by_layer: dict[int, list[StateBatch]] = {}
        for result in results:
            for goal, rows, bounds in result.batches:
                by_layer.setdefault(goal, []).append(StateBatch(rows, bounds, rows.shape[1]))
        try:
            self._keep(by_layer)
        except OutputError:
            if self._files is not None:
                with suppress(OutputError):
                    self._save()
            raise
        for result in results:
            self.total += result.total
            self.nodes += result.nodes
            self.work += result.work
        self._opened -= sum(states for _, _, states in tasks)
        self._enter(-sum(batch.nbytes for batch in layer.take(tasks[-1][1], num_batches)))
        if not layer.batches:
            if number == self.layer:
                self.begun = self.work
            del self._layers[number]
            if self._files is not None:
                self._files.drop(number)
        is_late = time.monotonic() >= self._saved_time + SAVE_SECONDS
        is_due = self.ended or is_late or self.work >= self._saved_at + SAVE_WORK
        if self._files is not None and is_due:
            self._save()

    def _expand(self, parts: Parts) -> Result:
        return self._expander.run(parts, _most_work(parts.number))

    def _source(self, number: int, batches: list[StateBatch]) -> Source:
        path = None if self._files is None else os.path.abspath(self._files.path(number))
        return Source(number, batches, path)

    def _each(
        self,
        work: Callable[[Parts], Result],
        number: int,
        batches: list[StateBatch],
        tasks: list[PartRange],
    ) -> list[Result]:
        """The results of the tasks, run by all threads."""
        source = self._source(number, batches)
        account = self._account
        self._expander.own_pages = account.used >= OWN_PAGES * (account.limit - LEAST_FOR_STATES)
        return account.each(work, [source.parts(*task) for task in tasks])

    def _elsewhere(
        self, number: int, layer: Layer, groups: list[list[PartRange]]
    ) -> list[Result] | None:
        """The results of the first group, run by other processes; None if halted before."""
        if self._remote is None:
            assert self._account.remote is not None
            self._remote = self._account.remote(self.masks)
        source = self._source(number, layer.batches)
        return self._remote.results(source, groups, self._ahead, lambda: self._halt)

    def _make_room(self) -> None:
        """For lack of memory merge the states of all layers, or expand the last layers first."""
        account = self._account
        if account.used < MERGED_FROM * account.limit:
            self.in_portions = False
            self._merge_at = MERGED_FROM * account.limit
        elif account.used > self._merge_at:
            self._merging = self._merge()

    def _merge(self) -> Generator[None, None, None]:
        """Merge the states of all layers, a group of tasks at a time."""
        account = self._account
        for number in sorted(self._layers):
            old, merged = self._layers[number], Layer()
            dropped = merged
            try:
                for tasks in old.groups(self._most_merged, LARGE_GROUP):
                    for result in self._each(self._expander.merge, number, old.batches, tasks):
                        self.work += result.work
                        for _, rows, bounds in result.batches:
                            batch = StateBatch(rows, bounds, rows.shape[1])
                            merged.add(batch)
                            self._enter(batch.nbytes)
                    yield
                self._layers[number], dropped = merged, old
                self._opened += int(merged.sizes.sum() - old.sizes.sum())
            finally:
                self._enter(-sum(batch.nbytes for batch in dropped.batches))
        most = IN_MEMORY * account.limit
        room = max(MERGED_AGAIN * account.limit, (most - account.used) / 2)
        self._merge_at = account.used + room
        self.in_portions = self._merge_at > most and account.spill is None
        self.short_of_memory |= self.in_portions

    def _stop_merging(self) -> None:
        """Leave the layers that have not been merged as they are."""
        if self._merging is not None:
            self._merging.close()
            self._merging = None

    def _keep(self, by_layer: dict[int, list[StateBatch]]) -> None:
        """Add batches to their layers, in memory or in files."""
        added = [batch for batches in by_layer.values() for batch in batches]
        size = sum(batch.nbytes for batch in added)
        full = self._account.used + size > IN_MEMORY * self._account.limit
        if full and self._files is None and self._account.spill is not None:
            files = Spill(self._account.spill, digest(self.masks))
            if files.values is not None:
                files.close()
                raise StateError(
                    f"{files.folder}: another process has swept this problem here meanwhile;"
                    " repeat the count, which continues from there"
                )
            try:
                _write(files, {number: layer.batches for number, layer in self._layers.items()})
            except BaseException:
                files.clear()
                raise
            self._files = files
            self._saved_at = -SAVE_WORK  # the first manifest is due
        if self._files is not None:
            _write(self._files, by_layer)
            if full:
                for batch in added:
                    batch.rows = None
                size = sum(batch.nbytes for batch in added)
        self._enter(size)
        for number, batches in by_layer.items():
            layer = self._layers.setdefault(number, Layer())
            for batch in batches:
                layer.add(batch)
        self._opened += sum(int(batch.bounds[-1]) for batch in added)
        self.peak = max(self.peak, self._opened)

    def _save(self) -> None:
        assert self._files is not None
        if not (self.ended or self._layers[self.layer].has_all_parts):
            return  # the manifest has no place for it
        values = {
            "total": digits(self.total),
            "numbers": [self.nodes, self.work, self.peak],
            # of the first layer, the parts before this one have been expanded
            "part": 0 if self.ended else int(np.argmax(self._layers[self.layer].sizes > 0)),
            # for `clear_unfinished`
            "count": self._account.count_name,
            "states": self._opened,
            # the rest is for a report
            "done": self.layers_done,
            "seconds": time.monotonic() - self._began,
            "owner": f"process {os.getpid()} on {socket.gethostname()}",
        }
        self._files.save(values)
        self._saved_at, self._saved_time = self.work, time.monotonic()
        if self.ended:
            self._files.close()

    @classmethod
    def from_files(cls, masks: Masks, account: MemoryAccount) -> LayerSweep | None:
        """The sweep that continues from files, if there is a manifest for these masks.

        Raises
        ------
        StateError
            The files are damaged, or another process uses them.
        """
        name = digest(masks)
        if account.spill is None or not Spill.exists(account.spill, name):
            return None
        sweep = cls(masks, account)
        sweep._files = files = Spill(account.spill, name)
        if files.values is None:  # a process was killed before it wrote one
            files.clear()
            return None
        words = len(masks.primary)
        try:
            sweep.total = as_total(files.values["total"])
            sweep.nodes, sweep.work, sweep.peak = map(as_count, files.values["numbers"])
            sweep._saved_at = sweep.begun = sweep.work
            sweep._began -= float(files.values.get("seconds", 0.0))
            for number, place, width, bounds in files.batches():
                if not (0 <= number < len(masks.lowest) - 1 and words < width < words + MOST_LIMBS):
                    raise ValueError
                layer = sweep._layers.setdefault(number, Layer())
                layer.add(StateBatch(None, bounds, width, place))
                sweep._enter(bounds.nbytes)
                sweep._opened += int(bounds[-1])
            sweep._expanded_before(as_count(files.values["part"]))
            if sweep.ended:
                files.close()
        except BaseException as error:  # an interrupt, too: the next run would find them in use
            files.close()
            ours = isinstance(error, StateError)
            if isinstance(error, KeyError | ValueError | TypeError | OverflowError) and not ours:
                raise files.damaged() from None
            raise
        return sweep

    def _expanded_before(self, part: int) -> None:
        """Note that the parts of the first layer before this one are expanded, if there is one."""
        if part >= PARTS or (part and not self._layers):
            raise ValueError
        if part:
            layer = self._layers[self.layer]
            self._opened -= int(layer.sizes[:part].sum())
            self._enter(-sum(batch.nbytes for batch in layer.take(part, len(layer.batches))))

    def pack(self) -> dict[str, Array]:
        """Everything that a sweep with the same masks needs to continue from here; see `unpack`.

        Raises
        ------
        OutputError
            The states are in files.
        """
        if self._files is not None:
            raise OutputError(f"{self._files.folder}: has the states of this count")
        self._settle()
        in_rounds = self._rounds is not None
        numbers = [self.nodes, self.work, self.peak, self.in_portions, self.begun, in_rounds]
        lengths, rows = self._states()
        most = np.zeros_like(lengths)
        for number, layer in self._layers.items():
            most[number] = layer.most
        return {
            "lengths": lengths,
            "states": rows,
            "most": most,
            "total": as_limbs(self.total),
            "numbers": np.array(numbers, np.int64),
        }

    def _states(self) -> tuple[Array, Array]:
        """All states, as `start` takes them."""
        if self._rounds is not None:
            return self._rounds.collect()
        words = len(self.masks.primary)
        batches = [(n, b) for n, layer in sorted(self._layers.items()) for b in layer.batches]
        lengths = np.zeros(len(self.masks.lowest), np.int64)
        width = max((batch.width for _, batch in batches), default=words + 1)
        rows = np.zeros((self._opened, width), np.uint64)
        at = 0
        for number, batch in batches:
            assert batch.rows is not None
            states = batch.rows[batch.bounds[batch.first] :]
            rows[at : at + len(states), : batch.width] = states
            lengths[number] += len(states)
            at += len(states)
        return lengths, rows

    def unpack(self, arrays: dict[str, Array]) -> None:
        """Continue from what `pack` returned; for a sweep that has just been made.

        Raises
        ------
        ValueError
            No sweep reaches these states.
        """
        lengths, rows, total = arrays["lengths"], arrays["states"], arrays["total"]
        numbers, words = arrays["numbers"], len(self.masks.primary)
        most = arrays["most"]
        kinds = [(lengths, np.int64, 1), (numbers, np.int64, 1), (rows, np.uint64, 2)]
        kinds += [(total, np.uint64, 1), (most, np.int64, 1)]
        if any(array.dtype != dtype or array.ndim != ndim for array, dtype, ndim in kinds):
            raise ValueError("arrays of another type")
        if not lengths.shape == most.shape == self.masks.lowest.shape or numbers.shape != (6,):
            raise ValueError("arrays of another shape")
        if not words < rows.shape[1] < words + MOST_LIMBS or int(total.max(initial=0)) >> LIMB_BITS:
            raise ValueError("counts of another width")
        nodes, work, peak, in_portions, begun, in_rounds = numbers.tolist()
        if min(numbers.min(), most.min()) < 0 or numbers.max() >= 1 << 62 or begun > work:
            raise ValueError("numbers out of range")
        check_states(self.masks, lengths, rows)
        self.total = as_int(total)
        self.nodes, self.work, self.peak, self.begun = nodes, work, peak, begun
        if in_rounds:
            self.start(lengths, rows)
        else:  # few states as well: it has had more, or too little memory for rounds
            self._start_batches(lengths, rows)
        for number, layer in self._layers.items():
            layer.most = min(int(most[number]), self._most_merged)
        self.in_portions = bool(in_portions)

    def release(self) -> None:
        """Free all memory, and remove files that are no longer needed."""
        self._settle()
        self._own_thread = None
        if self._remote is not None:
            self._remote.stop()
        if self._files is not None and not self.ended:
            self._files.clear()
        self._stop_merging()
        self._enter(-self.held)
        self._layers = {}
        self._rounds = None
        self._expander.idle.clear()

    def _enter(self, number: int) -> None:
        self._account.take(number)
        self.held += number


def _most_work(states: int) -> int:
    """The units of work after which a task leaves its other states to the next group."""
    return max(MOST_WORK, MOST_STATE_WORK * states)


def fits_in_rounds(masks: Masks, width: int, account: MemoryAccount) -> bool:
    """Whether there is enough memory for rounds with states of `width` numbers each."""
    return nbytes(masks, width) <= min(IN_ROUNDS * account.limit, account.free)


def _write(files: Spill, by_layer: dict[int, list[StateBatch]]) -> None:
    """Write the states that are still to be expanded, and note where they are."""
    for batches in by_layer.values():
        for batch in batches:
            if batch.first:
                assert batch.rows is not None
                begin = batch.bounds[batch.first]
                batch.rows = batch.rows[begin:]
                batch.bounds = np.maximum(batch.bounds - begin, 0)
    places = files.append(by_layer)
    for number, batches in by_layer.items():
        for batch, place in zip(batches, places[number], strict=True):
            batch.place = place
