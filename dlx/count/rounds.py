"""Rounds: a sweep by layers in memory, by several threads; drives the kernel `rounds_kernel`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from dlx.count import rounds_kernel as kernel
from dlx.count.memory import THREADS, zeros
from dlx.count.rounds_kernel import BLOCK_STATES, MOST_KEPT, PARTS, SOME
from dlx.count.spinning import SpinningThreads
from dlx.count.states import as_int, fill_last_limb
from dlx.count.sweep_kernel import Masks

Array = npt.NDArray[Any]

MOST_OPEN_STATES = 1 << 20  # open states: with more, tasks of batches fit better into the caches
MOST_CHILDREN = 1 << 19  # children of one round, at most
PADDING = 32  # more places in small arrays: no two threads write to one cache line
YIELD = getattr(os, "sched_yield", partial(time.sleep, 0))  # a thread that waits for others does
# not sleep: a system with as many threads as cores wakes both on one core, and moves one of them
# milliseconds later


class Rounds:
    """The states of a `LayerSweep`, while they are few.

    An interrupt may come at any line: then `settle` is to be called before anything else.

    Parameters
    ----------
    masks : Masks
    jobs : int
        Threads.
    lengths : int64[primary + 1]
        How many states there are of each layer.
    states : uint64[states, words + limbs]
        Layer by layer.
    """

    def __init__(self, masks: Masks, jobs: int, lengths: Array, states: Array) -> None:
        threads = 1 if numba.config.DISABLE_JIT else min(jobs, THREADS)
        num_primary, width = len(masks.lowest) - 1, states.shape[1]
        limbs = width - len(masks.primary)
        room = int(np.diff(masks.lowest).max()) + PADDING
        blocks = _blocks(masks, threads)
        self._masks = masks
        self._pool = pool = kernel.Pool(
            rows=zeros((blocks * BLOCK_STATES, 1 + width), np.uint64),
            after=zeros((blocks,), np.int32),
            free=zeros((blocks,), np.int32),
            kept=zeros((threads, blocks), np.int32),
            head=np.zeros((threads, num_primary, PARTS), np.int32),
            length=np.zeros((threads, num_primary, PARTS), np.int32),
            filled=np.zeros((threads, num_primary), np.int64),
            sizes=np.zeros(PARTS, np.int64),
            total=np.zeros((threads, limbs + 1), np.uint64),
            figures=np.zeros((threads, kernel.NUM_FIGURES), np.int64),
            shared=np.zeros(kernel.NUM_SHARED, np.int64),
            in_use=np.zeros(threads, np.int64),
            now=np.zeros(kernel.NUM_NOW, np.int64),
        )
        self._threads = [
            kernel.Thread(
                masks=masks,
                rows=zeros((MOST_OPEN_STATES, 1 + width), np.uint64),
                slot=zeros((2 * MOST_OPEN_STATES,), np.uint64),
                child=np.zeros((room, 1 + width), np.uint64),
                target=np.zeros(room, np.int32),
                chosen=np.zeros(room, np.int32),
            )
            for _ in range(threads)
        ]
        pool.shared[[kernel.FREE, kernel.ROUND]] = blocks, kernel.OVER
        first = np.flatnonzero(lengths)[0]
        limits = [kernel.OPEN_LIMIT, kernel.CHILDREN_LIMIT, kernel.LOWEST, kernel.STATUS]
        pool.now[limits] = MOST_OPEN_STATES, MOST_CHILDREN, first, kernel.PAUSED
        kernel.fill(pool, self._threads[0], lengths, states)

    @property
    def status(self) -> int:
        """PAUSED if `advance` may continue; else why it cannot, as `rounds_kernel` has it."""
        return int(self._pool.now[kernel.STATUS])

    @property
    def total(self) -> int:
        """The solutions counted so far."""
        return sum(as_int(limbs) for limbs in self._pool.total)

    @property
    def nodes(self) -> int:
        """The states expanded so far."""
        return int(self._pool.now[kernel.EXPANDED])

    @property
    def work(self) -> int:
        """The units of work done so far."""
        return int(self._pool.now[kernel.WORK])

    @property
    def opened(self) -> int:
        """The open states."""
        return int(self._pool.now[kernel.OPEN])

    @property
    def peak(self) -> int:
        """The most open states so far, before they are merged."""
        return int(self._pool.now[kernel.PEAK])

    @property
    def layer(self) -> int:
        """No layer before this one has states."""
        return int(self._pool.now[kernel.LOWEST])

    @property
    def ahead(self) -> int:
        """The states of the next round, about."""
        layer, lowest = self.layer, self._masks.lowest
        degree = int(lowest[layer + 1] - lowest[layer])
        return min(int(self._pool.length[:, layer].sum()), MOST_CHILDREN // max(1, degree))

    @property
    def begun(self) -> int:
        """The work when this layer was reached; 0 for the first one."""
        return int(self._pool.now[kernel.BEGUN])

    def advance(self, budget: int, workers: Callable[[], SpinningThreads], *, early: bool) -> None:
        """Continue for about `budget` units of work.

        Parameters
        ----------
        budget : int
        workers : callable
            Returns the other threads, which join when they are idle.
        early : bool
            Whether to expand the last layers first, in this thread.
        """
        self.settle()
        kernel.begin(self._pool, self._masks.lowest, budget, early)
        for k in range(1, 1 if early else len(self._threads)):
            workers().submit(self._take_part, k)
        self.settle()

    def settle(self) -> None:
        """Continue to the end of a run, before which no figure is exact."""
        self._take_part(0)

    def _take_part(self, k: int) -> None:
        while not kernel.take_part(self._pool, self._threads[k], k):
            YIELD()

    def leave_out(self, work: int) -> None:
        """Take these units of work from those done."""
        now = self._pool.now
        now[kernel.WORK] -= work
        now[kernel.BEGUN] = min(now[kernel.BEGUN], now[kernel.WORK])

    def collect(self) -> tuple[Array, Array]:
        """All states as they were at the beginning, with a limb more if a count needs it."""
        wider = self.status == kernel.NEEDS_LIMB
        lengths = np.zeros(len(self._masks.lowest), np.int64)
        states = zeros((self.opened, self._pool.rows.shape[1] - 1 + wider), np.uint64)
        kernel.collect(self._pool, lengths, states)
        if wider:
            fill_last_limb(states)
        return lengths, states


def nbytes(masks: Masks, width: int) -> int:
    """What states of `width` numbers may take, with any number of threads.

    Of the scratch of a thread only the pages of one part are used, and of its table.
    """
    part = THREADS * MOST_OPEN_STATES // PARTS
    return 8 * ((1 + width) * (BLOCK_STATES * _blocks(masks, THREADS) + part) + 4 * part)


def _blocks(masks: Masks, threads: int) -> int:
    """Enough for all states and children; each list may have a block that is not full."""
    lists = threads * (len(masks.lowest) - 1) * PARTS
    return (MOST_OPEN_STATES + MOST_CHILDREN) // BLOCK_STATES + lists + threads * (MOST_KEPT + SOME)
