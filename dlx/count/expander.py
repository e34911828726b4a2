"""Expander: runs the tasks of a sweep by layers, in any thread or process.

A task merges and expands some parts of a layer (`layers_kernel`). It is plain data: where the
states are, in memory or in the file of the layer, and how many. Its result is batches of children.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from dlx.count import layers_kernel as kernel
from dlx.count.layers_kernel import PARTS
from dlx.count.memory import zeros
from dlx.count.spill import StateBatch, read_states
from dlx.count.states import as_int
from dlx.count.sweep_kernel import Masks

Array = npt.NDArray[Any]
LayerStates = tuple[int, Array, Array]  # see `Result.batches`

NO_END = 1 << 62  # units of work
ADDRESS, PLACE, NUMBER, WIDTH = range(4)  # columns of `Parts.runs`


class Parts(NamedTuple):
    """Some parts of a layer.

    Attributes
    ----------
    layer : int
    number : int
        How many states there are.
    runs : int64[runs, 4]
        Where they are: the ADDRESS in memory, 0 if in a file only; the PLACE in the file; the
        NUMBER of states; the WIDTH, numbers in a state.
    path : str or None
        The file of the layer, if it has one.
    """

    layer: int
    number: int
    runs: Array
    path: str | None


class Result(NamedTuple):
    """What a task has done.

    Attributes
    ----------
    total : int
        Solutions.
    nodes : int
        States expanded.
    work : int
        Units of work.
    batches : list of (int, uint64[states, words + limbs], int32[PARTS + 1])
        Their layers and states, and where each part begins. Those of the task's own layer are the
        states that it has not expanded.
    """

    total: int
    nodes: int
    work: int
    batches: list[LayerStates]


class Source:
    """Where the states of a layer are, for its tasks.

    Attributes
    ----------
    layer : int
    path : str or None
        The file of the layer.
    address, place, width : int64[batches]
        Where the states of each batch are in memory, 0 if in a file only; where in the file;
        numbers in a state.
    bounds : int32[batches, PARTS + 1]
        Where each part begins; those that have been expanded are empty.
    """

    def __init__(self, layer: int, batches: list[StateBatch], path: str | None) -> None:
        self.layer, self.path = layer, path
        places = [0 if batch.rows is None else batch.rows.ctypes.data for batch in batches]
        self.address = np.array(places, np.int64)
        self.place = np.array([batch.place for batch in batches], np.int64)
        self.width = np.array([batch.width for batch in batches], np.int64)
        self.bounds = np.array([batch.bounds for batch in batches])
        for i, batch in enumerate(batches):
            if batch.first:
                self.bounds[i, : batch.first] = batch.bounds[batch.first]

    def parts(self, begin: int, end: int, number: int) -> Parts:
        """The parts from `begin` to before `end`, which have `number` states."""
        low = self.bounds[:, begin].astype(np.int64)
        states = self.bounds[:, end] - low
        offset = 8 * self.width * low
        address = np.where(self.address == 0, 0, self.address + offset)
        runs = np.stack([address, self.place + offset, states, self.width], axis=1)
        return Parts(self.layer, number, runs[states > 0], self.path)


class Remote(Protocol):
    """Other processes that run the tasks of a sweep, out of files."""

    def results(
        self,
        source: Source,
        groups: Sequence[Sequence[tuple[int, int, int]]],
        most: int,
        halted: Callable[[], bool],
    ) -> list[Result] | None:
        """Have tasks run.

        Parameters
        ----------
        source : Source
        groups : sequence of sequences of tuples
            The first part, the one after the last, and the number of states, of each task that is
            left of the layer.
        most : int
            The number of tasks whose results fit into memory, at least those of a group.
        halted : callable
            Whether to wait no longer.

        Returns
        -------
        list of Result, or None
            Those of the first group; None if halted before: then the tasks continue.
        """

    def stop(self) -> None:
        """Give up all tasks."""


class Expander:
    """Runs tasks of one sweep, in several threads.

    Parameters
    ----------
    masks : Masks

    Attributes
    ----------
    idle : deque
        Arrays that no task uses.
    own_pages : bool
        Whether the states of batches go back to the system as soon as they are free (`zeros`).
    """

    def __init__(self, masks: Masks) -> None:
        # arrays received from another process may be read-only; kernels are not compiled for these
        self._masks = Masks(*(np.require(array, requirements="W") for array in masks))
        self._words = len(masks.primary)
        self._degree = int(np.diff(masks.lowest).max(initial=0))
        self.idle: deque[kernel.Scratch] = deque()
        self.own_pages = True

    def another(self) -> Expander:
        """Return this one, which works in any thread."""
        return self

    def run(self, parts: Parts, most: int = NO_END) -> Result:
        """Merge the states of some parts; expand them for about `most` units of work."""
        return self._result(parts, partial(self._expand, most=most))

    def merge(self, parts: Parts) -> Result:
        """Merge the states of some parts."""
        return self._result(parts, self._merge)

    def _result(
        self, parts: Parts, work: Callable[[kernel.Scratch, Parts], list[LayerStates]]
    ) -> Result:
        """Work on the states of some parts; again with a limb more while a count is too wide."""
        limbs = int(parts.runs[:, WIDTH].max()) - self._words
        while True:
            scratch = self._loaded(parts, limbs)
            batches = work(scratch, parts)
            if not scratch.counters[kernel.WIDE]:
                break
            limbs += 1
        total = as_int(scratch.total[0, 1 + self._words :])
        nodes, units = scratch.counters[[kernel.EXPANDED, kernel.WORK]].tolist()
        self.idle.append(scratch)
        return Result(total, nodes, units, batches)

    def _expand(self, scratch: kernel.Scratch, parts: Parts, most: int) -> list[LayerStates]:
        """The children, and the states that are not expanded after `most` units of work."""
        room, state, batches = self._room(parts.number), 0, []
        while True:
            state, number = kernel.expand_states(
                scratch, parts.number, room, parts.layer, state, most
            )
            batches += [self._batch(scratch, i) for i in range(number)]
            if scratch.counters[kernel.WIDE] or state == scratch.counters[kernel.MERGED]:
                return batches
            if scratch.counters[kernel.WORK] >= most:
                return [*batches, self._left(scratch, parts.layer, state)]

    def _merge(self, scratch: kernel.Scratch, parts: Parts) -> list[LayerStates]:
        kernel.merge(scratch, parts.number, parts.layer)
        return [self._batch(scratch, 0)]

    def sort(self, states: Array, layer: int) -> tuple[Array, Array]:
        """Return states of a layer in the order of their parts, and where each part begins."""
        scratch = self._arrays(len(states), states.shape[1] - self._words)
        scratch.child[: len(states), 1:] = states
        kernel.sort(scratch, len(states), layer)
        self.idle.append(scratch)
        rows = zeros(states.shape, np.uint64)
        rows[:] = scratch.out[: len(states)]
        return rows, scratch.bounds[0].astype(np.int32)

    def _loaded(self, parts: Parts, limbs: int) -> kernel.Scratch:
        """Scratch arrays whose rows are the states of some parts."""
        scratch = self._arrays(parts.number, limbs)
        address = parts.runs[:, ADDRESS].copy()
        in_file = np.flatnonzero(address == 0)
        read = []  # stays in memory until `load` has copied it
        if len(in_file):
            assert parts.path is not None
            read = read_states(parts.path, parts.runs[in_file, PLACE:].tolist())
            address[in_file] = [states.ctypes.data for states in read]
        kernel.load(scratch.rows, np.column_stack([address, parts.runs[:, NUMBER:]]))
        del read
        scratch.counters[:] = 0
        scratch.total[:] = 0
        return scratch

    def _arrays(self, states: int, limbs: int) -> kernel.Scratch:
        """Arrays for a task of `states` states."""
        words, num_primary = self._words, len(self._masks.lowest) - 1
        try:
            scratch = self.idle.pop()
        except IndexError:
            scratch = None
        if scratch and len(scratch.rows) >= states and scratch.out.shape[1] == words + limbs:
            return scratch
        states = 1 << (states - 1).bit_length()
        room = self._room(states)
        return kernel.Scratch(
            masks=self._masks,
            rows=zeros((states, 1 + words + limbs), np.uint64),
            slot=zeros((max(4, 2 * states),), np.uint64),
            child=zeros((room, 1 + words + limbs), np.uint64),
            target=np.zeros(room, np.int32),
            chosen=np.zeros(room, np.int32),
            out=zeros((room, words + limbs), np.uint64),
            places=np.zeros(num_primary + 1, np.int64),
            layers=np.zeros(num_primary + 1, np.int64),
            bounds=np.zeros((num_primary + 1, PARTS + 1), np.int64),
            total=np.zeros((1, 1 + words + limbs), np.uint64),
            counters=np.zeros(kernel.NUM_COUNTERS, np.int64),
        )

    def _room(self, states: int) -> int:
        """The room for the children of a task."""
        return self._degree + 2 * states

    def _left(self, scratch: kernel.Scratch, layer: int, first: int) -> LayerStates:
        """The batch of the states that have not been expanded, from `first` on."""
        number = int(scratch.counters[kernel.MERGED]) - first
        scratch.child[:number, 1:] = scratch.rows[first : first + number, 1:]
        kernel.sort(scratch, number, layer)
        return self._batch(scratch, 0)

    def _batch(self, scratch: kernel.Scratch, i: int) -> LayerStates:
        """Layer, states and bounds of a batch that a task has made, in memory of its own."""
        bounds = (scratch.bounds[i] - scratch.bounds[i, 0]).astype(np.int32)
        source = scratch.out[scratch.bounds[i, 0] : scratch.bounds[i, -1]]
        rows = zeros(source.shape, np.uint64) if self.own_pages else np.empty_like(source)
        rows[:] = source
        return int(scratch.layers[i]), rows, bounds
