"""TableSweep: a sweep whose states are in one table; gives the kernel `sweep_kernel` memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.count import sweep_kernel as kernel
from dlx.count.memory import MemoryAccount, zeros
from dlx.count.states import as_int, check_states, fill_last_limb, layers_done
from dlx.count.sweep_kernel import (
    EDGES_USED,
    EXPANDED,
    LAYER,
    LIMB_BITS,
    OPEN,
    USED,
    WIDE,
    Masks,
)

Array = npt.NDArray[Any]

LONGEST_CALL = 1 << 24  # units of work, about a nanosecond each, that one call of the kernel does
MOVED_AT_ONCE, MOVED_NUMBERS = 1 << 17, 1 << 22  # states, and numbers in them, that one call of the
# kernel moves to a new arena, or copies
EARLY_STATES, EARLY_WORK = 32, 1 << 14  # for an early lower bound: states that are swept together,
# and units of work after which the last ones of these are chosen anew
EARLY_TABLE = 50_000  # units of work for each table of such states, beside those that it counts
LEAST_ARENA = 1 << 10  # states that an arena has room for, at least
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
MOST_NUMBERED = (1 << 31) - LEAST_ARENA  # states of a diagram, about: their numbers are int32


class TableSweep:
    """A sweep over the states of a problem; `dlx.count.sweep_kernel` explains the method.

    When the states reach the memory limit, a count is to continue as a `LayerSweep`; a recording
    raises MemoryError.

    Parameters
    ----------
    masks : Masks
        What `dlx.count.remainder.masks` made of the problem.
    account : MemoryAccount
        States and edges are taken from it.
    record : bool
        Whether to keep the edges, for a diagram, in place of counting.
    fewest : Fewest, optional
        Selects the rule "fewest".

    Attributes
    ----------
    masks : Masks
    state : State
        That of the kernel.
    held : int
        Bytes entered in the account.
    """

    def __init__(
        self,
        masks: Masks,
        account: MemoryAccount,
        *,
        record: bool = False,
        fewest: kernel.Fewest | None = None,
    ) -> None:
        words, num_primary = masks.need.shape[1], len(masks.lowest) - 1
        by_item = np.bitwise_count(fewest.member).sum(axis=1) if fewest else np.diff(masks.lowest)
        room = int(by_item.max(initial=1)) + kernel.LOOKED_UP
        self.masks = masks
        self._fewest = fewest
        self._account = account
        self._next: kernel.State | None = None  # the arena that the states are moving to
        self.held = 0
        self.state = kernel.State(
            masks=masks,
            **_arena(LEAST_ARENA + room, 2 + words, record),
            head=np.full(num_primary + 1, kernel.END, np.int64),
            begun=np.zeros(num_primary + 1, np.int64),
            total=np.zeros((1, 2 + words), np.uint64),
            edges=np.zeros((4 * (LEAST_ARENA + room) if record else 0, 3), np.int32),
            child=np.zeros((room, 1 + words), np.uint64),
            target=np.zeros(room, np.int32),
            chosen=np.zeros(room, np.int32),
            parent=np.zeros(room, np.int32),
            counters=np.zeros(kernel.NUM_COUNTERS, np.int64),
        )
        if num_primary == 0:
            self.state.total[0, -1] = 1  # the empty solution
        elif not (masks.primary & ~masks.relevant[0]).any():  # else an item without options
            self.state.rows[0] = [kernel.END, *masks.relevant[0], 1]
            self.state.head[0] = kernel.FIRST
            self.state.counters[[OPEN, USED]] = 1
        self._enter()

    @property
    def ended(self) -> bool:
        """Whether no state is left to be expanded."""
        return not self.state.counters[OPEN]

    @property
    def smallest_step(self) -> int:
        """The units of work that one state may take, at most."""
        degree = len(self.state.child) - kernel.LOOKED_UP
        return 10 * degree * len(self.masks.primary)

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
        stop, is_over = self.work + budget, self._account.is_over
        while self._move(is_over):
            remaining = max(0, stop - self.work)
            status = kernel.advance(self.state, self._fewest, min(remaining, LONGEST_CALL))
            if status == kernel.NEEDS_ROWS:
                if self._goes_by_layers or not self._make_room():
                    return True
            elif status == kernel.NEEDS_EDGES:
                self._add_edges()
            elif status == kernel.NEEDS_LIMB:
                if not (self._has_idle_rows and self._make_room()):
                    self._add_limb()
            elif remaining <= LONGEST_CALL or self.ended or is_over():
                return False
        return False

    @property
    def _goes_by_layers(self) -> bool:
        """Whether there is a folder for the states, or they are many."""
        state, opened = self.state, int(self.state.counters[OPEN])
        if len(state.edges):
            return False
        most = min(LEAST_BY_LAYERS, MOVED_NUMBERS // self._width)
        if opened >= most or self._account.spill is not None:
            return True
        if opened < LEAST_IN_ROUNDS:
            return False
        from dlx.count.layers import fits_in_rounds  # most counts need no time for this import

        return fits_in_rounds(self.masks, state.rows.shape[1] - 1, self._account)

    def completions(self, budget: int) -> int:
        """A lower bound of the solutions that the open states lead to.

        For about `budget` units of work, states of the last layers are swept in tables of their
        own; nothing changes here.
        """
        found = 0
        left = [] if self.moving else [self._states()]
        while left and budget > 0:
            lengths, rows = left.pop()
            if not len(rows):
                continue
            last = min(len(rows), EARLY_STATES)
            ends = np.minimum(np.cumsum(lengths), len(rows) - last)
            before = np.diff(ends, prepend=0)
            left.append((before, rows[:-last]))
            # an account of its own: after an interrupt nothing is to be given back
            table = TableSweep(self.masks, MemoryAccount(self._account.limit))
            table._take_over(lengths - before, rows[-last:], len(table.state.rows))
            table.advance(EARLY_WORK)
            found += table.total
            budget -= EARLY_TABLE + table.work
            left.append(table._states())
        return found

    def _states(self) -> tuple[Array, Array]:
        """All open states as rows, layer by layer, with the number of each layer."""
        self._move(bool)
        if self.state.counters[WIDE]:  # an interrupt came before `advance` did so
            self._add_limb()
        state = self.state
        lengths = np.zeros_like(state.head)
        rows = np.zeros((int(state.counters[OPEN]), state.rows.shape[1] - 1), np.uint64)
        place = np.array([-1, kernel.END])
        for begin in range(0, len(rows), self._at_once):
            kernel.collect(state, place, lengths, rows[begin : begin + self._at_once])
        return lengths, rows

    def _take_over(self, lengths: Array, rows: Array, capacity: int) -> None:
        """Have these open states, as `_states` returns them, in a new arena."""
        head, state = np.full_like(self.state.head, kernel.END), self.state
        arena = _arena(capacity, 1 + rows.shape[1], record=False)
        total = np.zeros((1, 1 + rows.shape[1]), np.uint64)
        self.state = state._replace(head=head, total=total, **arena)  # type: ignore[arg-type]
        kernel.fill(self.state, lengths, np.ascontiguousarray(rows))
        self.state.counters[[OPEN, USED]] = len(rows)
        self._enter()

    def pack(self) -> dict[str, Array]:
        """Everything that a sweep with the same masks needs to continue from here; see `unpack`."""
        lengths, rows = self._states()
        state = self.state
        capacity = np.array([len(state.rows)], np.int64)
        arrays = {"lengths": lengths, "states": rows, "capacity": capacity, "begun": state.begun}
        return {**arrays, "total": state.total, "counters": state.counters}

    def unpack(self, arrays: dict[str, Array]) -> None:
        """Continue from what `pack` returned; for a sweep that has just been made.

        Raises
        ------
        ValueError
            No sweep reaches these states.
        """
        lengths, rows, total = arrays["lengths"], arrays["states"], arrays["total"]
        counters, size, begun = arrays["counters"], arrays["capacity"], arrays["begun"]
        state, words = self.state, len(self.masks.primary)
        limbs = total.shape[-1] - 1 - words
        same = [(lengths, state.head), (counters, state.counters), (begun, state.begun)]
        same.append((size, np.zeros(1, np.int64)))
        if not all(a.shape == b.shape and a.dtype == b.dtype for a, b in same):
            raise ValueError("arrays of another shape")
        if total.shape != (1, 1 + words + limbs) or limbs < 1 or rows.ndim != 2:
            raise ValueError("arrays of another shape")
        if rows.dtype != np.uint64 or total.dtype != np.uint64:
            raise ValueError("arrays of another type")
        number = len(rows)
        if rows.shape[1] != words + limbs or int(total.max()) >> LIMB_BITS or counters[WIDE]:
            raise ValueError("counts of another width")
        sound = (counters >= 0).all() and (counters < 1 << 62).all()
        sound = sound and begun.min() >= 0 and begun.max() <= counters[kernel.WORK]
        if not sound or counters[OPEN] != number or counters[LAYER] >= len(state.head):
            raise ValueError("counters out of range")
        # As large and as full as the saved arena, this one is replaced at the same state.
        (capacity,) = size.tolist()
        fits = 8 * capacity * (rows.shape[1] + 5) <= 2 * self._account.limit + LEAST_BYTES
        if not fits or not number <= counters[USED] <= capacity:
            raise ValueError("an arena that is too large or too small")
        check_states(self.masks, lengths, rows)
        self._take_over(lengths, rows, capacity)
        self.state = self.state._replace(
            begun=begun.copy(), counters=counters.copy(), total=total.copy()
        )
        if lengths[: int(counters[LAYER])].any():
            raise ValueError("states behind the layer that is expanded")
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
        arrays = (*self.masks, *(self._fewest or ()), *self.state[1:])
        held = sum(array.nbytes for array in arrays)
        if self._next is not None:
            held += sum(array.nbytes for array in _arrays(self._next))
        self._account.take(held - self.held)
        self.held = held

    @property
    def _has_idle_rows(self) -> bool:
        """Whether a limb more for all rows does not fit, and the open states need fewer rows."""
        rows = self.state.rows
        needed = max(LEAST_ARENA, 3 * self._most_open)
        return rows.nbytes > self._account.free and len(rows) > needed

    @property
    def _most_open(self) -> int:
        """How many states are open, at most, once one more is expanded."""
        return int(self.state.counters[OPEN]) + len(self.state.child)

    def _make_room(self) -> bool:
        """Begin to move the open states to an arena of three times their number, if that fits.

        Return whether it fits, or somewhat less.
        """
        state, counters = self.state, self.state.counters
        width, record = state.rows.shape[1], len(state.edges) > 0
        opened = self._most_open
        # each row may become a state, and the states of a diagram are numbered
        numbers = MOST_NUMBERED - int(counters[kernel.STATES]) if record else MOST_STATES
        if record and 4 * opened > 3 * numbers:
            raise MemoryError(f"the diagram needs more than {counters[kernel.STATES]} nodes")
        # There are two arenas during the move. A state takes 4 bytes more than its row, and up to
        # four slots in the table.
        space = (self._account.free + sum(array.nbytes for array in _arrays(state))) // 2
        most = min(space // (8 * (width + 5)), MOST_STATES, numbers)
        if 4 * opened > 3 * most:
            if record:
                raise self._too_large()
            return False
        capacity = max(LEAST_ARENA, min(3 * opened, most))
        head = np.full_like(state.head, kernel.END)
        # The next state has counters of its own, complete before the one assignment that begins the
        # move: after an interrupt anywhere, either state is right.
        moved = counters.copy()
        moved[USED] = 0
        arena = _arena(capacity, width, record)
        self._next = state._replace(head=head, counters=moved, **arena)  # type: ignore[arg-type]
        self._enter()
        return True

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
