"""From rung to rung: finds the easiest next deduction on a grid, and makes it.

This is the one loop behind steps and ratings. Singles and subsets are searched, made and logged by
one compiled call until they find nothing more; each other rung is a call, and its find is made
before the search goes back to the easiest.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlx.logic import chains, subsets
from dlx.logic import state as deduction
from dlx.logic.state import BROKEN_ITEM, State
from sudoku.cover import problem
from sudoku.explain.rectangles import rectangle
from sudoku.explain.techniques import ROWS, RUNGS, Rung, frames, item_kinds, numbered
from sudoku.layout import Layout

GOING, SOLVED, STUCK, BROKEN = "going", "solved", "stuck", "broken"
MANY = 1 << 30

Guard = Callable[[], AbstractContextManager[None]]


class _Stage(NamedTuple):
    """A compiled call: one rung, or neighbours that are all singles or subsets, or all chains."""

    number: int
    rung: Rung
    table: NDArray[np.int32]  # the rows of `advance` or `chain`


@lru_cache(maxsize=8)
def _blank(layout: Layout) -> State:
    """The state of an empty grid; making it takes longer than rating an easy puzzle."""
    return subsets.new_state(problem(layout), item_kinds(layout), frames(layout))


class Ladder:
    """The search for steps on grids of one layout; serves one puzzle after the other.

    Args:
        layout: the shape.
        uniqueness: whether steps may assume that there is exactly one solution.
        hardest: look for no technique harder than this one, by name.
        guard: makes a context to be in whenever kernels may be compiled.

    Raises:
        PuzzleError: `hardest` is no technique.

    Attributes:
        log: int32, what the last `climb` found, as `dlx.logic.state.records` reads it.
        counts: int32[len(RUNGS)], finds of each rung since `begin`.
        status: "going" while the next climb may find more; "solved", "stuck" or "broken" at the
            end: every cell has its digit, no rung finds anything, or an item has no option left.

    >>> ladder = Ladder(Layout(2, 2))
    >>> ladder.begin(np.array([1, 0, 0, 4, 0, 0, 2, 0, 0, 1, 0, 0, 4, 0, 0, 0]))
    -1
    >>> while ladder.climb() and ladder.status == "going": pass
    >>> ladder.status, int(ladder.counts.sum())
    ('solved', 11)
    """

    def __init__(
        self,
        layout: Layout,
        uniqueness: bool = False,
        hardest: str | None = None,
        guard: Guard = nullcontext,
    ) -> None:
        rungs = numbered(uniqueness, layout.diagonal, hardest)
        self._guard, self._compiled = guard, set[str]()
        self.layout = layout
        self.state = subsets.another(_blank(layout))
        self.counts = np.zeros(len(RUNGS), np.int32)
        options = layout.cells * layout.size
        self.log = np.zeros(9 * options + 4 * layout.cells + 200, np.int32)
        self.status = GOING
        self._stages = []
        for _, group in groupby(rungs, lambda pair: ROWS.get(pair[1].search) or pair[0]):
            members = list(group)
            row = ROWS.get(members[0][1].search)
            rows = [row(*member) for member in members] if row else []
            self._stages.append(_Stage(*members[0], np.array(rows, np.int32)))

    def begin(self, values: NDArray[Any]) -> int:
        """Take a puzzle: N*N values, 0 blank. The first given that breaks a rule, or -1."""
        values = values.reshape(-1)
        cells = np.flatnonzero(values)
        given = (cells * self.layout.size + values[cells] - 1).astype(np.int32)
        self.counts[:] = 0
        wrong = int(subsets.begin(self.state, given))
        self.status = GOING if wrong < 0 else BROKEN
        return wrong if wrong < 0 else int(cells[wrong])

    @property
    def broken_item(self) -> int:
        """An item that has no option left, or -1."""
        return int(self.state.live.scalar[BROKEN_ITEM])

    def alive(self) -> NDArray[np.bool_]:
        """bool[cells, N]: the candidates that are left."""
        return self.state.live.alive.reshape(-1, self.layout.size).astype(bool)

    def choose(self, option: int) -> None:
        """Put a digit into a cell on other grounds than a rung; log it as a guess."""
        number = len(RUNGS) - 1
        net, live = self.state.net, self.state.live
        items = net.item[net.start[option] : net.start[option + 1]]
        others = [net.option[net.first[i] : net.first[i + 1]] for i in items]
        gone = np.unique(np.concatenate(others)).astype(np.int32)
        gone = gone[(live.alive[gone] == 1) & (gone != option)]
        subsets.delete(self.state, gone)
        live.met[items] = 1
        head = [number, int(items[0]), option, 0, 0, 0, len(gone), *gone.tolist()]
        self.log[: len(head) + 1] = [len(head) + 1, *head]
        self.counts[number] += 1
        self.status = GOING

    def climb(self, most: int = MANY) -> tuple[int, int]:
        """Find the easiest steps and make them.

        Args:
            most: the number of steps, where singles and subsets would give more at once.

        Returns:
            The hardest rung that was used, and the length of its chain; (-1, 0) if none.
        """
        for place, stage in enumerate(self._stages):
            if stage.rung.search in ("single", "subset"):
                before = self.counts.copy()
                self.log[0] = 1
                steps = most if place == 0 else 1
                code = subsets.advance(self.state, stage.table, steps, self.counts, self.log)
                used = np.flatnonzero(self.counts != before)
                if code != deduction.STUCK:
                    self.status = {deduction.SOLVED: SOLVED, deduction.BROKEN: BROKEN}.get(
                        code, GOING
                    )
                    return (int(used[-1]) if len(used) else -1), 0
                if len(used):
                    return int(used[-1]), 0
                continue
            with self.while_compiling(stage.rung.search):
                links = self._look(stage)
            if links:
                [(number, _, _, lists)] = deduction.records(self.log)
                self.counts[number] += 1
                with self.while_compiling("delete"):
                    subsets.delete(self.state, np.array(lists[3], np.int32))
                return number, links
        self.status = STUCK
        return -1, 0

    def while_compiling(self, search: str) -> AbstractContextManager[None]:
        """The guard, if this search has not run yet; else nothing."""
        if search in self._compiled:
            return nullcontext()
        self._compiled.add(search)
        return self._guard()

    def _look(self, stage: _Stage) -> int:
        number, rung, table = stage
        if rung.search == "chain":
            return int(chains.chain(self.state, table, self.log))
        if rung.search == "fork":
            kinds, most = (rung.strong or (0,))[0], len(rung.strong)
            return int(
                chains.fork(
                    self.state,
                    *(rung.first, rung.size, kinds, most, rung.total, rung.weak),
                    *(number, self.log),
                )
            )
        if rung.search == "net":
            return int(chains.refute(self.state, number, self.log))
        return rectangle(self.layout, self.alive(), number, self.log)
