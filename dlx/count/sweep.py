"""Memo: drives the counting kernel `sweep_kernel` in slices, and gives it the room it needs."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count import sweep_kernel as sweep
from dlx.count.remainder import Masks
from dlx.count.sweep_kernel import ACTIVE, BITS, EDGE, LAYER, OPEN, TRIED, WIDE, Sweep

Array = npt.NDArray[Any]

SLICE = 1 << 24  # units of work, some nanoseconds each, between two looks at signals
MOVES = 1 << 17  # states that are moved between two looks at signals
ALL = 1 << 40
FEW, STEP = 32, 1 << 14  # in a dive: states at a time, and work, before the last ones are taken
LEAST = 1 << 10  # states that an arena holds at least
MOST = 1 << 30  # and at most: their numbers are 32 bits


def machine_memory() -> int:
    """Bytes of main memory that this machine has; 4 GiB where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 32


class Memo:
    """A sweep over the states of a problem; see `dlx.count.sweep_kernel` for the method.

    masks : what `dlx.count.remainder.masks` made of the problem
    memory_limit : bytes that states, and edges, may take together
    record : whether to keep the edges, for a diagram, in place of counting

    When the states come up against the limit, a count goes on by parts, in the same memory; a
    recording raises MemoryError.
    """

    def __init__(self, masks: Masks, memory_limit: int, *, record: bool = False) -> None:
        words, sets = masks.need.shape[1], masks.member.shape[1]
        num_primary = len(masks.lowest) - 1
        sizes = np.bitwise_count(masks.member).sum(axis=1) if sets else np.diff(masks.lowest)
        room = int(sizes.max(initial=1)) + sweep.GROUP
        self.masks = masks
        self.memory_limit = memory_limit
        self._part: int | None = None  # how many states are swept to the end at a time
        self._next: Sweep | None = None  # the arena that the states are moving to
        self._state = Sweep(
            *masks[1:],
            **_arena(LEAST + room, 2 + words, record),
            head=np.full((2, num_primary + 1), sweep.END, np.int64),
            total=np.zeros((1, 2 + words), np.uint64),
            edges=np.zeros((4 * (LEAST + room) if record else 0, 3), np.int32),
            child=np.zeros((room, 1 + words), np.uint64),
            target=np.zeros(room, np.int32),
            chosen=np.zeros(room, np.int32),
            parent=np.zeros(room, np.int32),
            active=np.zeros(sets, np.uint64),
            after=np.zeros(sets, np.uint64),
            bits=np.zeros(words, np.uint64),
            counters=np.zeros(sweep.NUM_COUNTERS, np.int64),
        )
        if num_primary == 0:
            self._state.total[0, -1] = 1  # the empty cover
        elif not (masks.primary & ~masks.relevant[0]).any():  # else an item without options
            self._state.rows[0] = [sweep.END, *masks.relevant[0], 1]
            self._state.head[ACTIVE, 0] = sweep.FIRST
            self._state.counters[[sweep.OPEN, sweep.USED]] = 1

    @property
    def done(self) -> bool:
        """Whether no state is left to be expanded."""
        return not self._state.counters[OPEN]

    @property
    def by_parts(self) -> bool:
        """Whether some states wait until others are swept to the end."""
        return self._part is not None

    @property
    def step(self) -> int:
        """The units of work that one state may take, at most."""
        degree, words = len(self._state.child) - sweep.GROUP, len(self._state.primary)
        bits, sets = map(int, self._state.member.shape)
        return degree * (bits * sets // 4 if sets else 10 * words)

    @property
    def moving(self) -> bool:
        """Whether an interrupt came between two arenas; the next `advance` moves on."""
        return self._next is not None

    @property
    def total(self) -> int:
        """The covers counted so far."""
        return sum(int(limb) << (BITS * i) for i, limb in enumerate(self._limbs()))

    def _limbs(self) -> list[int]:
        return list(map(int, self._state.total[0, 1 + len(self._state.primary) :]))

    @property
    def nodes(self) -> int:
        """The states expanded so far."""
        return int(self._state.counters[TRIED])

    @property
    def work(self) -> int:
        """The units of work done so far."""
        return int(self._state.counters[sweep.WORK])

    @property
    def progress(self) -> float:
        """The part of the layers that is behind, from 0 to 1."""
        if self.done:
            return 1.0
        state = self._state
        if state.member.shape[1]:
            return int(state.counters[LAYER]) / int(state.head.shape[1])
        layers = np.flatnonzero(np.diff(state.lowest))
        return int(np.searchsorted(layers, state.counters[LAYER])) / (len(layers) + 1)

    @property
    def scale(self) -> float:
        """How many times the work so far all of it is likely to be; 0 before anything is known.

        Most of the work is in the layers about the middle. The cube is a rule of thumb: right
        within a factor of two from there on, and seldom off by more than ten before.
        """
        slope = 0.75 if self._state.member.shape[1] else 0.25
        return max(1.0, slope / self.progress**3) if self.progress else 0.0

    @property
    def edges(self) -> Array:
        """int32[n, 3]: parent, option and child of each edge; the root is 0.

        The edges of one parent stand together, after all edges that lead to that parent.
        """
        return self._state.edges[: int(self._state.counters[EDGE])]

    def advance(self, budget: int) -> None:
        """Go on for about `budget` units of work, at most to the end."""
        counters = self._state.counters
        stop = int(counters[sweep.WORK]) + budget
        while True:
            self._move()
            left = max(0, stop - int(counters[sweep.WORK]))
            status = sweep.advance(self._state, min(left, SLICE))
            if status == sweep.ROOM:
                self._make_room()
            elif status == sweep.EDGES:
                self._more_edges()
            elif status == sweep.WIDEN:
                self._widen()
            elif status == sweep.DONE and not self.done:
                assert self._part is not None
                self.sweep_by_parts(2 * self._part)
            elif left <= SLICE or self.done:
                return

    def sweep_by_parts(self, part: int | None) -> None:
        """Sweep so many states to the end before others, at first; None: all together."""
        self._part = part if part is not None and part < self._state.counters[OPEN] else None
        if not self.done:
            sweep.wake(self._state, ALL if self._part is None else part)

    def dive(self, budget: int) -> None:
        """Go on with the last layers first, to have some covers early; then as before."""
        part, stop = self._part, self.work + budget
        try:
            while self.work < stop and not self.done:
                state, counters = self._state, self._state.counters
                room = len(state.rows) - int(counters[sweep.USED]) - len(state.child)
                if room < STEP // 32 and counters[OPEN] > MOVES:
                    break  # to move so many states would take too long
                self.sweep_by_parts(FEW)
                self.advance(STEP)
        finally:
            if not self.moving:
                self.sweep_by_parts(part)

    def _make_room(self) -> None:
        """Move the open states to an arena of three times their number, as far as that fits."""
        state, counters = self._state, self._state.counters
        width, record = state.rows.shape[1], len(state.edges) > 0
        opened = int(counters[OPEN]) + len(state.child)
        # There are two arenas during the move; a state takes 4 bytes more than its row, and up to
        # four slots in the table.
        space = (self.memory_limit - state.edges.nbytes) // 2
        most = min(space // (8 * (width + 5)), MOST)
        if 4 * opened > 3 * most:
            if record:
                raise self._too_large()
            if not self.by_parts or 8 * opened > 7 * most:
                self.sweep_by_parts(max(1, (self._part or opened) // 8))
        capacity = max(LEAST, min(3 * opened, most), opened + opened // 8)
        head = np.full_like(state.head, sweep.END)
        self._next = state._replace(**_arena(capacity, width, record), head=head)
        counters[sweep.USED] = 0

    def _move(self) -> None:
        # An interrupt may come between any two of these lines.
        if self._next is not None:
            while not sweep.move(self._state, self._next, MOVES):
                pass
            self._state, self._next = self._next, None

    def _more_edges(self) -> None:
        state = self._state
        edges = np.zeros((2 * len(state.edges), 3), np.int32)
        if state.edges.nbytes + edges.nbytes + state.rows.nbytes > self.memory_limit:
            raise self._too_large()
        edges[: len(state.edges)] = state.edges
        self._state = state._replace(edges=edges)

    def _too_large(self) -> MemoryError:
        return MemoryError(
            f"the diagram does not fit into {self.memory_limit} bytes of memory"
            f" ({len(self.edges)} edges so far); memory_limit= can allow more"
        )

    def _widen(self) -> None:
        """Give the counts one limb more."""
        state = self._state
        self._state = state._replace(rows=_wider(state.rows), total=_wider(state.total))
        state.counters[WIDE] = 0


def _arena(capacity: int, width: int, record: bool) -> dict[str, Array]:
    slots = 1 << (2 * capacity - 1).bit_length()
    return {
        "rows": np.zeros((capacity, width), np.uint64),
        "number": np.zeros(capacity if record else 0, np.int32),
        "slot": np.zeros(slots, np.uint64),
    }


def _wider(rows: Array) -> Array:
    wider = np.zeros((len(rows), rows.shape[1] + 1), np.uint64)
    wider[:, :-1] = rows
    wider[:, -1] = rows[:, -1] >> np.uint64(BITS)
    wider[:, -2] &= np.uint64((1 << BITS) - 1)
    return wider
