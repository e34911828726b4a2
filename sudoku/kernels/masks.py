"""Search over bit masks for any layout: N x N cells, N up to 64, diagonals or not.

The exact cover problem of a layout has one item for each cell ("which digit?") and one for each
digit in each house ("which place?"). An option is a candidate: a digit in a cell; it covers its
cell's item and one item in each house of the cell. Here an item *is* a bit mask of the options it
has left: the digits of a cell, or the places of a digit in a house. Taking a candidate away
clears one bit in each of its items; an item with one bit left forces that candidate (a naked or a
hidden single), an item with none left is a contradiction.

Item numbers: cell c is item c; digit d (0..N-1) of house h is item `cells + h * N + d`. A covered
item (its candidate is chosen) has the mask 0. Rows of the stack are copied to branch, so nothing
is ever undone. Branching is binary: choose a candidate, later take it away and go on at the same
level. The item to branch on is the one with the largest weight / size^3, where an item's weight
grows each time it runs out of options ("dom/wdeg": Boussemart, Hemery, Lecoutre, Sais, Boosting
systematic search by weighting constraints, ECAI 2004); ties go to the lowest item number.

A search that goes on failing gets more help. It restarts with the weights it has learnt, until a
first solution is found (what was refuted at level 0 stays refuted). The first restart probes:
the first option of each item is tried, and refuted if that leads to a contradiction. From then
on each house is kept all-different: candidates in no complete assignment of the house go. On easy
puzzles none of this pays; on near-minimal 25 x 25 ones it takes most of the nodes away, and
without it some never end.

Nothing is random, and nothing depends on how a search is cut into calls: the same puzzle gives
the same solutions in the same order on every machine.

Tried without gain: masks of 16 or 32 bits; locked candidates; all-different over the places of a
digit in the rows; the last digit of a cell first; weights for all cells of a failed house.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import config, njit, types
from numba.extending import intrinsic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sudoku.layout import Layout

    Array = NDArray[Any]

NODES = 0  # branches taken so far
LEVEL = 1  # row of the stack that the search stands on
EXHAUSTED = 2  # 1 when nothing is left to search
QUEUED = 3  # items in the queue; none once the givens are propagated
FAILURES = 4  # contradictions since the last solution
RESTART = 5  # number of failures at which the search restarts; none after the first solution
WINDOW = 6  # failures between that restart and the one before it
ORBIT = 7  # solutions that come out of one by renaming the digits in free[0]: factorial of those
PENDING = 8  # those of them that were not given out yet, at a solution
PROBE = 9  # next item to probe at level 0; NEVER when there is nothing to probe
PROBED = 10  # contradictions found since probing went through all items
NUM_COUNTERS = 11

GROWTH = 1.01  # each contradiction weighs this much more than the one before it
RESCALE = 1e100  # weights are divided by this when a step of growth has passed it

PATIENCE = 200  # failures before all-different is enforced
FIRST_WINDOW = 200  # failures before the first restart; each next window is a fifth longer
MOST_FREE = 12  # digits to be renamed in an orbit; 12! solutions at a time are enough
NEVER = 1 << 62
SOLVED = -NEVER  # in place of a queue: backs up, and is nobody's fault


class Tables(NamedTuple):
    """What a kernel knows of a layout; H houses, K the most houses that share a cell; int64."""

    houses: Array  # [H, N]: cells of each house
    member: Array  # [H * N]: the same in one row
    num_houses: Array  # [cells]: houses of each cell
    number: Array  # [cells, K]: number of each house of a cell, num_houses[cell] of them count
    first: Array  # [cells, K]: first item of that house
    bit: Array  # [cells, K]: the cell's place in that house as a bit


class State(NamedTuple):
    """A search of one puzzle (or, in a batch, of one after the other): flat arrays, copyable."""

    tables: Tables
    stack: Array  # int64[cells + 1, items]: options left of every item, a row per level
    choice: Array  # int64[cells + 1]: the item whose first option was chosen at each level
    free: Array  # int64[cells + 1]: mask of digits that are interchangeable at each level
    value: Array  # uint8[cells]: digits 1..N; true for each cell that is covered at this level
    used: Array  # int64[H]: digits that are given in each house
    queue: Array  # int64[items]: items with one option left, on their way to be covered
    weight: Array  # float64[items + 1]: conflicts of each item; last: what the next one weighs
    share: Array  # float64[N + 1]: 1 / size^3
    scratch: Array  # int64[7, N]: for the matching of a house
    counters: Array  # int64[NUM_COUNTERS]


def tables(layout: Layout) -> Tables:
    """The items of a layout's cells, computed once and shared by all its puzzles.

    >>> from sudoku.layout import Layout
    >>> tables(Layout(2, 3, diagonal=True)).houses.shape
    (20, 6)
    """
    return tables_of(layout.houses)


def tables_of(houses: Array) -> Tables:
    """`tables` from the houses alone, int[H, N]: H houses of N <= 64 cells each, 0..N*N-1."""
    houses = np.array(houses, dtype=np.int64, order="C")
    size = houses.shape[1]
    cells = size * size
    bits = np.int64(1) << np.arange(size)
    members = houses.ravel()
    order = np.argsort(members, kind="stable")  # by cell, then by house
    num_houses = np.bincount(members, minlength=cells)
    before = np.cumsum(num_houses) - num_houses
    ordinal = np.arange(members.size) - before[members[order]]
    number = np.zeros((cells, num_houses.max()), dtype=np.int64)
    bit = np.zeros_like(number)
    number[members[order], ordinal] = order // size
    bit[members[order], ordinal] = bits[order % size]
    first = (size + number) * size
    return Tables(houses, members, num_houses, number, first, bit)


def start(tables: Tables, puzzle: Array) -> State:
    """A search for the solutions of one puzzle, uint8[cells] with digits 1..N and 0 for blank.

    Givens that contradict each other leave it exhausted, now or at the first `advance`.

    >>> from sudoku.layout import Layout
    >>> state = start(tables(Layout(2, 2)), np.array([1, 2, 3, 4] + [0] * 12, np.uint8))
    >>> grids = np.zeros((5, 16), np.uint8)
    >>> advance(state, 1000, 5, grids), advance(state, 1000, 100, grids[:0])
    (5, 7)
    >>> bool(state.counters[EXHAUSTED])
    True
    """
    state = _allocate(tables)
    restart(state, puzzle)
    return state


def restart(state: State, puzzle: Array) -> None:
    """Make a state that is no longer needed the search of another puzzle of the same layout."""
    _begin(state, np.ascontiguousarray(puzzle, dtype=np.uint8).reshape(-1))


def advance(state: State, budget: int, room: int, out: Array) -> int:
    """Go on until `room` solutions were found, about `budget` nodes spent, or all is searched.

    Returns how many solutions this call found. The first of them are written to the rows of `out`,
    uint8[rows, cells], digits 1..N, as many as there are rows; `rows == 0` only counts.
    `state.counters[EXHAUSTED]` says whether anything is left.
    """
    return int(_advance(state, budget, room, out))


def run(
    tables: Tables, puzzles: Array, limit: int, counts: Array, solutions: Array, nodes: Array
) -> None:
    """Search k puzzles, uint8[k, cells], each up to `limit` >= 1 solutions.

    Fills `counts` int64[k], `nodes` int64[k] and `solutions` uint8[k, cells]: the first solution
    found, zeros where there is none. Each puzzle is searched on its own: no result depends on
    what else is in the batch. Holds no lock while it runs.

    >>> from sudoku.layout import Layout
    >>> puzzles = np.zeros((2, 16), np.uint8)
    >>> puzzles[1, :2] = 3
    >>> counts, nodes = np.zeros((2, 2), np.int64)
    >>> run(tables(Layout(2, 2)), puzzles, 1000, counts, np.zeros_like(puzzles), nodes)
    >>> counts.tolist()
    [288, 0]
    """
    _run(_allocate(tables), puzzles, limit, counts, solutions, nodes)


def _allocate(tables: Tables) -> State:
    num_houses, size = tables.houses.shape
    cells = size * size
    items = cells + num_houses * size
    share = np.zeros(size + 1)
    share[1:] = 1.0 / np.arange(1, size + 1) ** 3
    return State(
        tables=tables,
        stack=np.empty((cells + 1, items), dtype=np.int64),
        choice=np.zeros(cells + 1, dtype=np.int64),
        free=np.zeros(cells + 1, dtype=np.int64),
        value=np.zeros(cells, dtype=np.uint8),
        used=np.zeros(num_houses, dtype=np.int64),
        queue=np.zeros(items, dtype=np.int64),
        weight=np.ones(items + 1),
        share=share,
        scratch=np.zeros((7, size), dtype=np.int64),
        counters=np.zeros(NUM_COUNTERS, dtype=np.int64),
    )


if config.DISABLE_JIT:

    def lowest(mask: Any) -> Any:
        return (int(mask) & -int(mask)).bit_length() - 1

    def popcount(mask: Any) -> Any:
        return int(mask).bit_count()

else:

    @intrinsic
    def lowest(typing_context: Any, mask: Any) -> Any:
        """Number of the lowest bit that is set; the mask is not 0."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], context.get_constant(types.boolean, True))

        return types.int64(types.int64), generate

    @intrinsic
    def popcount(typing_context: Any, mask: Any) -> Any:
        """Number of bits that are set."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), generate


# Only three kernels are entered from Python; to leave out the wrappers of the others saves a
# quarter of the time to compile.
_inner = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


# In the kernels below `left` is a row of the stack, and the sign of a mask is its 64th bit. What
# may run into a contradiction returns the number of queued items, or -1 - item for the item that
# has no option left.


@_inner
def _copy(source: Array, target: Array) -> None:
    # a slice assignment does the same, and takes half a second to compile
    for i in range(target.size):
        target[i] = source[i]


@_inner
def _clear(left: Array, item: Any, bit: Any, queue: Array, queued: Any) -> Any:
    """Take one option away from one item. An item that is covered, or has lost it, stays."""
    old = left[item]
    new = old & ~bit
    left[item] = new
    if new & (new - 1) == 0 and new != old:
        if new == 0:
            return -1 - item
        queue[queued] = item
        queued += 1
    return queued


@_inner
def _remove(tables: Tables, left: Array, cell: Any, digit: Any, queue: Array, queued: Any) -> Any:
    """Take a candidate away from all its items."""
    queued = _clear(left, cell, np.int64(1) << digit, queue, queued)
    for k in range(tables.num_houses[cell]):
        if queued >= 0:
            item = tables.first[cell, k] + digit
            queued = _clear(left, item, tables.bit[cell, k], queue, queued)
    return queued


@_inner
def _first_option(tables: Tables, left: Array, item: Any) -> Any:
    """Cell and digit of the first candidate that an item has left."""
    cells = tables.num_houses.size
    place = lowest(left[item])
    if item < cells:
        return item, place
    digit = (item - cells) % tables.houses.shape[1]
    return tables.member[item - cells - digit + place], digit


@_inner
def _propagate(tables: Tables, left: Array, value: Array, queue: Array, queued: Any) -> Any:
    """Cover queued items, and those that come to the queue meanwhile, by the option they have."""
    member, num_houses, first, bit = tables.member, tables.num_houses, tables.first, tables.bit
    cells = num_houses.size
    head = 0
    while head < queued:
        item = queue[head]
        head += 1
        if left[item] == 0:
            continue
        cell, digit = _first_option(tables, left, item)
        digit_bit = np.int64(1) << digit
        value[cell] = digit + 1
        others = left[cell] & ~digit_bit
        left[cell] = 0
        while others:
            other = lowest(others)
            others &= others - 1
            for k in range(num_houses[cell]):
                item = first[cell, k] + other
                queued = _clear(left, item, bit[cell, k], queue, queued)
                if queued < 0:
                    return queued
        for k in range(num_houses[cell]):
            start = first[cell, k]
            others = left[start + digit] & ~bit[cell, k]
            left[start + digit] = 0
            while others:
                peer = member[start - cells + lowest(others)]
                others &= others - 1
                queued = _clear(left, peer, digit_bit, queue, queued)
                if queued < 0:
                    return queued
                for j in range(num_houses[peer]):
                    item = first[peer, j] + digit
                    queued = _clear(left, item, bit[peer, j], queue, queued)
                    if queued < 0:
                        return queued
    return queued


@_inner
def _match(
    mask: Array, n: Any, owner: Array, mate: Array, via: Array, line: Array, hint: Array
) -> bool:
    """Give n cells different digits out of their masks; False if there is no way.

    Sets mate[cell] and owner[digit]. Augmenting paths, breadth first.
    """
    used = np.int64(0)
    for i in range(n):
        free = mask[i] & ~used
        mate[i] = -1
        if free:
            digit = lowest(free)
            if (free >> hint[i]) & 1:
                digit = hint[i]
            owner[digit] = i
            mate[i] = digit
            used |= np.int64(1) << digit
    for i in range(n):
        if mate[i] >= 0:
            continue
        line[0] = i
        head, tail, end = 0, 1, np.int64(-1)
        seen = np.int64(0)
        while head < tail and end < 0:
            cell = line[head]
            head += 1
            new = mask[cell] & ~seen
            seen |= new
            if new & ~used:
                end = lowest(new & ~used)
                via[end] = cell
            else:
                while new:
                    digit = lowest(new)
                    new &= new - 1
                    via[digit] = cell
                    line[tail] = owner[digit]
                    tail += 1
        if end < 0:
            return False
        used |= np.int64(1) << end
        cell = np.int64(-1)
        while cell != i:
            cell = via[end]
            before = mate[cell]
            mate[cell] = end
            owner[end] = cell
            end = before
    return True


@_inner
def _all_different(tables: Tables, left: Array, value: Array, scratch: Array, queue: Array) -> Any:
    """Take candidates away that are in no complete assignment of digits to the cells of a house.

    Regin, A filtering algorithm for constraints of difference in CSPs, AAAI 1994: given one
    perfect matching, digit u leads to the other digits of the cell that has u; a cell can take
    just the digits in the strongly connected component of the one it has. (This finds all naked
    and hidden pairs, triples, ... of the house.)
    """
    houses = tables.houses
    size = houses.shape[1]
    place, mask, owner, mate, via = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    line, hint = scratch[5], scratch[6]
    queued = np.int64(0)
    for house in range(houses.shape[0]):
        n = np.int64(0)
        todo = np.int64(0)
        for p in range(size):
            cell = houses[house, p]
            if left[cell]:
                place[n] = cell
                mask[n] = left[cell]
                hint[n] = np.int64(value[cell]) - 1 if value[cell] else 0
                todo |= mask[n]
                n += 1
        if n < 4:
            continue
        if not _match(mask, n, owner, mate, via, line, hint):
            return -1 - place[0]
        while todo:
            ahead = todo & -todo
            front = ahead
            while front:
                digit = lowest(front)
                new = mask[owner[digit]] & ~ahead
                ahead |= new
                front = (front & (front - 1)) | new
            component = todo & -todo
            grows = True
            while grows:
                grows = False
                rest = ahead & ~component
                while rest:
                    digit = lowest(rest)
                    rest &= rest - 1
                    if mask[owner[digit]] & component:
                        component |= np.int64(1) << digit
                        grows = True
            todo &= ~component
            rest = component
            while rest:
                i = owner[lowest(rest)]
                rest &= rest - 1
                dead = mask[i] & ~component
                mask[i] &= component
                while dead:
                    queued = _remove(tables, left, place[i], lowest(dead), queue, queued)
                    dead &= dead - 1
                    if queued < 0:
                        return queued
    return queued


@_inner
def _blame(weight: Array, item: Any) -> None:
    """An item ran out of options: it weighs more from now on."""
    step = weight[-1]
    weight[item] += step
    weight[-1] = step * GROWTH
    if step > RESCALE:
        for i in range(weight.size):
            weight[i] /= RESCALE


@_inner
def _branching_item(left: Array, weight: Array, share: Array) -> Any:
    """The item of largest weight / size^3 among those with two options or more, or -1."""
    best = -1
    most = -1.0
    for item in range(left.size):
        mask = left[item]
        if mask:
            score = weight[item] * share[popcount(mask)]
            if score > most:
                most = score
                best = item
    return best


@_inner
def _open_item(left: Array, item: Any) -> Any:
    """The first item from this one on that is not covered, or -1."""
    while item < left.size:
        if left[item]:
            return item
        item += 1
    return np.int64(-1)


@njit(cache=True, nogil=True)
def _begin(state: State, puzzle: Array) -> None:
    """Cover what the givens cover in row 0 of the stack, list the candidates that they leave to
    all other items, and queue the items that have only one."""
    tables, left, used, counters = state.tables, state.stack[0], state.used, state.counters
    num_houses, first, bit = tables.num_houses, tables.first, tables.bit
    cells = num_houses.size
    size = tables.houses.shape[1]
    for i in range(counters.size):
        counters[i] = 0
    counters[WINDOW] = FIRST_WINDOW
    counters[RESTART] = FIRST_WINDOW
    counters[PROBE] = NEVER
    counters[EXHAUSTED] = 1  # until the givens have turned out to leave each item an option
    for item in range(left.size):
        left[item] = 0
        state.weight[item] = 1.0
    state.weight[left.size] = 1.0
    for h in range(used.size):
        used[h] = 0
    unused = ~(np.int64(-2) << (size - 1))
    every = unused
    for cell in range(cells):
        state.value[cell] = puzzle[cell]
        if puzzle[cell]:
            digit_bit = np.int64(1) << (np.int64(puzzle[cell]) - 1)
            unused &= ~digit_bit
            for k in range(num_houses[cell]):
                h = tables.number[cell, k]
                if used[h] & digit_bit:
                    return
                used[h] |= digit_bit
    queued = 0
    for cell in range(cells):
        if puzzle[cell]:
            continue
        mask = every
        for k in range(num_houses[cell]):
            mask &= ~used[tables.number[cell, k]]
        left[cell] = mask
        if mask == 0:
            return
        if mask & (mask - 1) == 0:
            state.queue[queued] = cell
            queued += 1
        while mask:
            digit = lowest(mask)
            mask &= mask - 1
            for k in range(num_houses[cell]):
                left[first[cell, k] + digit] |= bit[cell, k]
    for h in range(used.size):
        for digit in range(size):
            item = (size + h) * size + digit
            mask = left[item]
            if mask == 0 and (used[h] >> digit) & 1 == 0:
                return
            if mask and mask & (mask - 1) == 0:
                state.queue[queued] = item
                queued += 1
    while popcount(unused) > MOST_FREE:
        unused &= unused - 1
    state.free[0] = unused
    counters[ORBIT] = 1
    for k in range(popcount(unused)):
        counters[ORBIT] *= k + 1
    counters[QUEUED] = queued
    counters[EXHAUSTED] = 0


@_inner
def _rename(value: Array, free: Any, rank: Any, scratch: Array, out: Array) -> None:
    """The solution with the free digits permuted; rank, below their factorial, says how."""
    name, before = scratch[0], scratch[1]
    for digit in range(name.size):
        name[digit] = digit
    n = 0
    for digit in range(name.size):
        if (free >> digit) & 1:
            before[n] = digit
            n += 1
    for k in range(n):
        other = k + rank % (n - k)
        rank //= n - k
        a, b = before[k], before[other]
        name[a], name[b] = name[b], name[a]
    for cell in range(value.size):
        out[cell] = name[value[cell] - 1] + 1


@njit(cache=True, nogil=True)
def _advance(state: State, budget: Any, room: Any, out: Array) -> Any:
    """See `advance`. When it returns, the row of the current level is propagated without
    contradiction, or the search is exhausted.

    Digits that no given and no chosen candidate mentions are interchangeable ("free"): renaming
    them makes solutions of solutions. So a free digit in a cell stands for all of them: when it
    is done, all free digits are taken away from that cell. What is found are solutions up to
    renaming, and each counts for as many as there are permutations. (Value symmetry: Freuder,
    Eliminating interchangeable values in constraint satisfaction problems, AAAI 1991.)
    """
    tables, stack, choice, free = state.tables, state.stack, state.choice, state.free
    value, queue, weight, counters = state.value, state.queue, state.weight, state.counters
    level = counters[LEVEL]
    queued = counters[QUEUED]
    nodes = counters[NODES]
    stop = nodes + budget
    failures = counters[FAILURES]
    found = np.int64(0)
    while True:
        while queued != 0:
            queued = _propagate(tables, stack[level], value, queue, queued)
            probing = counters[PROBE] < NEVER
            if queued >= 0 and failures > PATIENCE and not probing:
                queued = _all_different(tables, stack[level], value, state.scratch, queue)
                if queued > 0:
                    continue
            if queued >= 0:
                queued = np.int64(0)
                break
            if probing:
                counters[PROBED] += 1
            elif queued != SOLVED:
                _blame(weight, -1 - queued)
                failures += 1
            level -= 1
            if level < 0:
                counters[EXHAUSTED] = 1
                break
            left = stack[level]
            cell, digit = _first_option(tables, left, choice[level])
            digits = np.int64(1) << digit
            if digits & free[level]:
                digits = left[cell] & free[level]
            queued = np.int64(0)
            while digits and queued >= 0:
                queued = _remove(tables, left, cell, lowest(digits), queue, queued)
                digits &= digits - 1
        if counters[EXHAUSTED] or found >= room or nodes >= stop:
            break
        if failures >= counters[RESTART]:
            if counters[WINDOW] == FIRST_WINDOW:
                counters[PROBE] = 0
            counters[WINDOW] += counters[WINDOW] // 5
            counters[RESTART] = failures + counters[WINDOW]
            level = np.int64(0)
        if counters[PROBE] < NEVER:
            level = np.int64(0)
            item = _open_item(stack[0], counters[PROBE])
            counters[PROBE] = item + 1
            if item < 0:
                counters[PROBE] = 0 if counters[PROBED] else NEVER
                counters[PROBED] = 0
                continue
        else:
            item = _branching_item(stack[level], weight, state.share)
        left = stack[level]
        if item >= 0:
            nodes += 1
            digit = _first_option(tables, left, item)[1]
            choice[level] = item
            free[level + 1] = free[level] & ~(np.int64(1) << digit)
            _copy(left, stack[level + 1])
            level += 1
            queue[0] = item
            queued = np.int64(1)
        else:
            failures = np.int64(0)
            counters[RESTART] = NEVER
            if counters[PENDING] == 0:
                counters[PENDING] = counters[ORBIT]
            new = min(room - found, counters[PENDING])
            for k in range(found, min(found + new, out.shape[0])):
                rank = counters[ORBIT] - counters[PENDING] + k - found
                _rename(value, free[0], rank, state.scratch, out[k])
            found += new
            counters[PENDING] -= new
            if counters[PENDING] == 0:
                queued = np.int64(SOLVED)
    counters[LEVEL] = level
    counters[QUEUED] = queued
    counters[NODES] = nodes
    counters[FAILURES] = failures
    return found


@njit(cache=True, nogil=True)
def _run(
    state: State, puzzles: Array, limit: int, counts: Array, solutions: Array, nodes: Array
) -> None:
    """See `run`."""
    for k in range(len(puzzles)):
        for cell in range(solutions.shape[1]):
            solutions[k, cell] = 0
        _begin(state, puzzles[k])
        counts[k] = _advance(state, np.int64(1) << 62, limit, solutions[k : k + 1])
        nodes[k] = state.counters[NODES]
