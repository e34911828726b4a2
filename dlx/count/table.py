"""TableSweep: a sweep whose states are in one table; gives the kernel `sweep_kernel` memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count import sweep_kernel as kernel
from dlx.count.memory import MemoryAccount, zeros
from dlx.count.states import as_int, check_states, fill_last_limb, layers_done
from dlx.count.sweep_kernel import (
    ACTIVE,
    BITS,
    EDGES_USED,
    EXPANDED,
    LAYER,
    OPEN,
    USED,
    WIDE,
    Masks,
)

Array = npt.NDArray[Any]

LONGEST_CALL = 1 << 24  # units of work, about a nanosecond each, that one call of the kernel does
MOVED_AT_ONCE, MOVED_NUMBERS = 1 << 17, 1 << 22  # states, and numbers in them, that one call of the
# kernel moves to a new arena, or copies
ALL = 1 << 40
PORTION_EARLY = 32  # states swept at a time by `complete_some`, or if there is no room for more
WORK_EARLY = 1 << 14  # units of work after which the newest states are chosen anew
LEAST_STATES = 1 << 10  # that an arena holds
LEAST_BYTES = 1 << 26  # that a saved arena may take, however low the limit
MOST_STATES = 1 << 30  # that an arena holds: their numbers have 32 bits
LEAST_BY_LAYERS, LEAST_IN_ROUNDS = 1 << 17, 1 << 9
"""Open states from which a sweep is to continue as a `LayerSweep`: in batches, in rounds.

Measured on one core: fewer states take up to 1.8 times as long in batches as in one table, a
million half as long, for its tasks fit into the caches. Rounds take 0.7 to 1 times as long as the
table; with fewer states it is not worth loading them. With a folder for files a sweep continues in
batches at once. States of more than 32 numbers do so when there are MOVED_NUMBERS in all: Ctrl-C
and time limits wait for the change.
"""
MOST_NUMBERED = (1 << 31) - (1 << 26)  # states of a diagram: int32, with a margin for one round


class TableSweep:
    """A sweep over the states of a problem; `dlx.count.sweep_kernel` explains the method.

    When the states reach the memory limit, a count continues in portions, in the same memory. A
    recording raises MemoryError.

    Parameters
    ----------
    masks : Masks
        What `dlx.count.remainder.masks` made of the problem.
    account : MemoryAccount
        States and edges are taken from it.
    record : bool
        Whether to keep the edges, for a diagram, in place of counting.

    Attributes
    ----------
    masks : Masks
    state : State
        That of the kernel.
    held : int
        Bytes entered in the account.
    short_of_memory : bool
        Whether it went on in portions for lack of memory.
    """

    def __init__(self, masks: Masks, account: MemoryAccount, *, record: bool = False) -> None:
        words, sets = masks.need.shape[1], masks.member.shape[1]
        num_primary = len(masks.lowest) - 1
        sizes = np.bitwise_count(masks.member).sum(axis=1) if sets else np.diff(masks.lowest)
        room = int(sizes.max(initial=1)) + kernel.GROUP
        self.masks = masks
        self._account = account
        self._portion: int | None = None  # how many states are swept to the end at a time
        # If portions do not stop the growth: how many states were open then. Until only half of
        # them are left, a few states of the last layers are expanded at a time. Otherwise 0.
        self._crowded = 0
        self._next: kernel.State | None = None  # the arena that the states are moving to
        self.short_of_memory = False
        self.held = 0
        self.state = kernel.State(
            masks=masks,
            **_arena(LEAST_STATES + room, 2 + words, record),
            head=np.full((2, num_primary + 1), kernel.END, np.int64),
            begun=np.zeros(num_primary + 1, np.int64),
            total=np.zeros((1, 2 + words), np.uint64),
            edges=np.zeros((4 * (LEAST_STATES + room) if record else 0, 3), np.int32),
            child=np.zeros((room, 1 + words), np.uint64),
            target=np.zeros(room, np.int32),
            chosen=np.zeros(room, np.int32),
            parent=np.zeros(room, np.int32),
            active=np.zeros(sets, np.uint64),
            after=np.zeros(sets, np.uint64),
            bits=np.zeros(words, np.uint64),
            counters=np.zeros(kernel.NUM_COUNTERS, np.int64),
        )
        if num_primary == 0:
            self.state.total[0, -1] = 1  # the empty solution
        elif not (masks.primary & ~masks.relevant[0]).any():  # else an item without options
            self.state.rows[0] = [kernel.END, *masks.relevant[0], 1]
            self.state.head[ACTIVE, 0] = kernel.FIRST
            self.state.counters[[OPEN, USED]] = 1
        self._enter()

    @property
    def ended(self) -> bool:
        """Whether no state is left to be expanded."""
        return not self.state.counters[OPEN]

    @property
    def in_portions(self) -> bool:
        """Whether some states wait until others are swept to the end."""
        return self._portion is not None

    @property
    def smallest_step(self) -> int:
        """The units of work that one state may take, at most."""
        degree, words = len(self.state.child) - kernel.GROUP, len(self.masks.primary)
        bits, sets = self.masks.member.shape
        return degree * (bits * sets // 4 if sets else 10 * words)

    @property
    def _width(self) -> int:
        """The numbers of a state."""
        return int(self.state.rows.shape[1])

    @property
    def _at_once(self) -> int:
        """The states that one call of the kernel moves or copies."""
        return max(1, min(MOVED_AT_ONCE, MOVED_NUMBERS // self._width))

    @property
    def moving(self) -> bool:
        """Whether a move to another arena was stopped before its end; `advance` completes it."""
        return self._next is not None

    @property
    def total(self) -> int:
        """The solutions counted so far."""
        return as_int(self.state.total[0, 1 + len(self.masks.primary) :])

    @property
    def nodes(self) -> int:
        """The states expanded so far."""
        return int(self.state.counters[EXPANDED])

    @property
    def peak(self) -> int:
        """The most states that were open at once."""
        return int(self.state.counters[kernel.PEAK])

    @property
    def work(self) -> int:
        """The units of work done so far."""
        return int(self.state.counters[kernel.WORK])

    @property
    def done(self) -> float:
        """The fraction of the layers that is done, from 0 to 1."""
        if self.ended:
            return 1.0
        if self.masks.member.shape[1]:
            return self.layer / int(self.state.head.shape[1])
        return layers_done(self.masks, self.layer)

    layers_done = done

    @property
    def layer(self) -> int:
        """No layer before this one has states, unless all have been expanded."""
        return int(self.state.counters[LAYER])

    @property
    def begun(self) -> int:
        """The work when this layer was reached."""
        return int(self.state.begun[self.layer])

    @property
    def by_growth(self) -> float:
        """The work of all layers, if it continues to grow as in the last half of those done.

        The rate of growth is taken to fall with the square of the part ahead, down to 0 at the end.
        """
        begun, layer = self.state.begun, self.layer
        half = layer // 2
        half += int(np.searchsorted(begun[half:layer], begun[half], side="right")) - 1
        if not 0 < begun[half] < begun[layer]:
            return 0.0
        ahead, ahead_then = (1 - at / len(begun) for at in (layer, half))
        growth = math.log(int(begun[layer]) / int(begun[half]))
        exponent = growth * ahead**3 / (ahead_then**3 - ahead**3)
        return int(begun[layer]) * math.exp(min(exponent, 100.0))

    @property
    def edges(self) -> Array:
        """int32[n, 3], recorded: columns PARENT, OPTION and CHILD of `sweep_kernel`.

        The root is 0. A parent's edges stand together, after all those that lead to it.
        """
        return self.state.edges[: int(self.state.counters[EDGES_USED])]

    def advance(self, budget: int) -> bool:
        """Continue for about `budget` units of work, at most to the end.

        It ends early if the run is over (`MemoryAccount.is_over`): a move to another arena is not
        part of the budget, and moving tens of millions of states takes seconds.

        Returns
        -------
        bool
            Whether it has stopped because the sweep is to continue as a `LayerSweep`.
        """
        return self._advance(budget, self._account.is_over)

    def _advance(self, budget: int, is_over: Callable[[], bool]) -> bool:
        stop = self.work + budget
        while self._move(is_over):
            remaining = max(0, stop - self.work)
            longest = WORK_EARLY if self._crowded else LONGEST_CALL
            status = kernel.advance(self.state, min(remaining, longest))
            if status == kernel.NEEDS_ROWS:
                if self._goes_by_layers:
                    return True
                self._make_room()
            elif status == kernel.NEEDS_EDGES:
                self._add_edges()
            elif status == kernel.NEEDS_LIMB:
                self._add_limb()
            elif status == kernel.DONE and not self.ended:
                assert self._portion is not None
                self.sweep_in_portions(2 * self._portion)
            elif remaining <= longest or self.ended or is_over():
                return False
            elif 2 * self.state.counters[OPEN] < self._crowded:
                self._crowded = 0
            elif self._crowded:
                self.sweep_in_portions(PORTION_EARLY)
        return False

    @property
    def _goes_by_layers(self) -> bool:
        """Whether there is a folder for the states, or they are many."""
        state, opened = self.state, int(self.state.counters[OPEN])
        if self.masks.member.shape[1] or len(state.edges) or self._portion is not None:
            return False
        most = min(LEAST_BY_LAYERS, MOVED_NUMBERS // self._width)
        if opened >= most or self._account.spill is not None:
            return True
        if opened < LEAST_IN_ROUNDS:
            return False
        from dlx.count.layers import fits_in_rounds  # most counts need no time for this import

        return fits_in_rounds(self.masks, state.rows.shape[1] - 1, self._account)

    def sweep_in_portions(self, portion: int | None) -> None:
        """Sweep `portion` states to the end before others, at first; None: all together."""
        everything = portion is None or portion >= self.state.counters[OPEN]
        size = None if everything else portion
        # an interrupt may come at any line: without a portion no state may wait
        if size is not None:
            self._portion = size
        if not self.ended:
            kernel.wake(self.state, ALL if size is None else size)
        self._portion = size

    def complete_some(self, budget: int) -> None:
        """Sweep the last layers first for a while, to count some solutions early.

        It does not count as work, because it would distort the estimate of the remaining work.
        """
        work = self.work
        try:
            self._complete_some(work + budget)
        finally:
            self.state.counters[kernel.WORK] = work
            np.minimum(self.state.begun, work, out=self.state.begun)

    def _complete_some(self, stop: int) -> None:
        portion, is_large = self._portion, False
        try:
            while self.work < stop and not self.ended and not self.moving and not is_large:
                state, counters = self.state, self.state.counters
                room = len(state.rows) - int(counters[USED]) - len(state.child)
                if room < WORK_EARLY // 32 and counters[OPEN] > self._at_once:
                    break  # to move so many states would take too long
                self.sweep_in_portions(PORTION_EARLY)
                is_large = self._advance(WORK_EARLY, bool)
        finally:
            if not self.moving:
                self.sweep_in_portions(portion)

    def pack(self) -> dict[str, Array]:
        """Everything that a sweep with the same masks needs to continue from here; see `unpack`."""
        self._move(bool)
        if self.state.counters[WIDE]:  # an interrupt came before `advance` did so
            self._add_limb()
        state = self.state
        lengths = np.zeros_like(state.head)
        rows = np.zeros((int(state.counters[OPEN]), state.rows.shape[1] - 1), np.uint64)
        place = np.array([-1, kernel.END])
        for begin in range(0, len(rows), self._at_once):
            kernel.collect(state, place, lengths, rows[begin : begin + self._at_once])
        sizes = np.array([self._portion or 0, len(state.rows)], np.int64)
        arrays = {"lengths": lengths, "states": rows, "own": sizes, "begun": state.begun}
        return {**arrays, "total": state.total, "counters": state.counters}

    def unpack(self, arrays: dict[str, Array]) -> None:
        """Continue from what `pack` returned; for a sweep that has just been made.

        Raises
        ------
        ValueError
            No sweep reaches these states.
        """
        lengths, rows, total = arrays["lengths"], arrays["states"], arrays["total"]
        counters, sizes, begun = arrays["counters"], arrays["own"], arrays["begun"]
        state, words = self.state, len(self.masks.primary)
        limbs = total.shape[-1] - 1 - words
        same = [(lengths, state.head), (counters, state.counters), (begun, state.begun)]
        same.append((sizes, np.zeros(2, np.int64)))
        if not all(a.shape == b.shape and a.dtype == b.dtype for a, b in same):
            raise ValueError("arrays of another shape")
        if total.shape != (1, 1 + words + limbs) or limbs < 1 or rows.ndim != 2:
            raise ValueError("arrays of another shape")
        if rows.dtype != np.uint64 or total.dtype != np.uint64:
            raise ValueError("arrays of another type")
        number = len(rows)
        if rows.shape[1] != words + limbs or int(total.max()) >> BITS or counters[WIDE]:
            raise ValueError("counts of another width")
        sound = (counters >= 0).all() and (counters < 1 << 62).all() and sizes.min() >= 0
        sound = sound and begun.min() >= 0 and begun.max() <= counters[kernel.WORK]
        if not sound or counters[OPEN] != number or counters[LAYER] >= state.head.shape[1]:
            raise ValueError("counters out of range")
        # As large and as full as the saved arena, this one is replaced at the same state.
        portion, capacity = sizes.tolist()
        fits = 8 * capacity * (rows.shape[1] + 5) <= 2 * self._account.limit + LEAST_BYTES
        if not fits or not number <= counters[USED] <= capacity:
            raise ValueError("an arena that is too large or too small")
        check_states(self.masks, lengths, rows)
        arena = _arena(capacity, 1 + words + limbs, record=False)
        head = np.full_like(state.head, kernel.END)
        kept = {"begun": begun, "counters": counters, "total": total}
        changed = {**arena, "head": head, **{name: array.copy() for name, array in kept.items()}}
        self.state = state._replace(**changed)  # type: ignore[arg-type]
        kernel.fill(self.state, lengths, np.ascontiguousarray(rows))
        if lengths[ACTIVE, : int(counters[LAYER])].any():
            raise ValueError("states behind the layer that is expanded")
        self._portion = portion or None
        if self._portion is None and lengths[1].any():
            raise ValueError("states that wait for nothing")
        self._enter()

    def release(self) -> None:
        """Free all memory.

        The total and the counters can still be read, also by other threads.
        """
        self._account.take(-self.held)
        self.held = 0
        self._next = None
        gone = {
            name: np.empty((0,) * array.ndim, array.dtype)
            for name, array in self.state._asdict().items()
            if name not in ("masks", "total", "counters")
        }
        self.state = self.state._replace(**gone)  # type: ignore[arg-type]

    def _enter(self) -> None:
        """Enter what the arrays take now in the account."""
        arrays = (*self.masks, *self.state[1:])
        held = sum(array.nbytes for array in arrays)
        if self._next is not None:
            held += sum(array.nbytes for array in _arrays(self._next))
        self._account.take(held - self.held)
        self.held = held

    def _make_room(self) -> None:
        """Move the open states to an arena of three times their number, as far as that fits."""
        state, counters = self.state, self.state.counters
        width, record = state.rows.shape[1], len(state.edges) > 0
        if record and counters[kernel.STATES] > MOST_NUMBERED:
            raise MemoryError(f"the diagram needs more than {MOST_NUMBERED} nodes")
        opened = int(counters[OPEN]) + len(state.child)
        # There are two arenas during the move. A state takes 4 bytes more than its row, and up to
        # four slots in the table.
        space = (self._account.free + sum(array.nbytes for array in _arrays(state))) // 2
        most = min(space // (8 * (width + 5)), MOST_STATES)
        if 4 * opened > 3 * most:
            if record:
                raise self._too_large()
            self.short_of_memory = True
            if self.in_portions and 2 * opened > 3 * most:  # portions have not stopped the growth
                self._crowded = opened
                self.sweep_in_portions(PORTION_EARLY)
            elif not self.in_portions or 8 * opened > 7 * most:
                self.sweep_in_portions(max(1, (self._portion or opened) // 8))
        capacity = max(LEAST_STATES, min(3 * opened, most), opened + opened // 8)
        head = np.full_like(state.head, kernel.END)
        # The next state has counters of its own, complete before the one assignment that begins the
        # move: after an interrupt anywhere, either state is right.
        moved = counters.copy()
        moved[USED] = 0
        arena = _arena(capacity, width, record)
        self._next = state._replace(head=head, counters=moved, **arena)  # type: ignore[arg-type]
        self._enter()

    def _move(self, is_over: Callable[[], bool]) -> bool:
        """Complete the move to another arena; return False if the run is over before."""
        # An interrupt may come between any two of these lines.
        if self._next is not None:
            while not kernel.move(self.state, self._next, self._at_once):
                if is_over():
                    return False
            self.state, self._next = self._next, None
            self._enter()
        return True

    def _add_edges(self) -> None:
        state = self.state
        if 3 * state.edges.nbytes // 2 > self._account.free:
            raise self._too_large()
        edges = np.zeros((2 * len(state.edges), 3), np.int32)
        edges[: len(state.edges)] = state.edges
        self.state = state._replace(edges=edges)
        self._enter()

    def _too_large(self) -> MemoryError:
        return MemoryError(
            f"the diagram does not fit into {self._account.limit} bytes, which the memory limit"
            f" leaves for it; it has {len(self.edges)} edges so far"
        )

    def _add_limb(self) -> None:
        """Give the counts one limb more."""
        state = self.state
        self.state = state._replace(rows=_wider(state.rows), total=_wider(state.total))
        state.counters[WIDE] = 0
        self._enter()


def _arena(capacity: int, width: int, record: bool) -> dict[str, Array]:
    slots = 1 << (2 * capacity - 1).bit_length()
    return {
        "rows": zeros((capacity, width), np.uint64),
        "number": np.zeros(capacity if record else 0, np.int32),
        "slot": zeros((slots,), np.uint64),
    }


def _arrays(state: kernel.State) -> tuple[Array, Array, Array]:
    """The arrays of a state's arena."""
    return state.rows, state.number, state.slot


def _wider(rows: Array) -> Array:
    wider = np.zeros((len(rows), rows.shape[1] + 1), np.uint64)
    wider[:, :-1] = rows
    fill_last_limb(wider)
    return wider
