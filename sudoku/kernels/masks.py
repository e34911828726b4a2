"""Kernel for any layout: depth-first search over bit masks; N x N cells, N up to 64.

The exact cover problem of a layout has one item for each cell ("which digit?") and one for each
digit in each house ("which place?"). An option is a candidate: a digit in a cell; it covers its
cell's item and one item in each house of the cell. Here an item is a bit mask of the options it
has left: the digits of a cell, or the places of a digit in a house. Removing a candidate clears
one bit in each of its items; an item with one bit left forces that candidate (a naked or a
hidden single), an item with none left is a contradiction.

Item numbers: cell c is item c; digit d (0..N-1) of house h is item `cells + h * N + d`. A covered
item (its candidate is chosen) has the mask 0. Cells of a house that has fewer than N cells only
differ in pairs: choosing a candidate removes its digit from the other cell. To branch, a row of
the stack is copied, so nothing is ever undone. Branching is binary: choose a candidate; after
backtracking remove it and continue at the same level. The item to branch on is the one with the
largest weight / size^3, where an item's weight grows each time it runs out of options ("dom/wdeg":
Boussemart, Hemery, Lecoutre, Sais, Boosting systematic search by weighting constraints, ECAI
2004); ties go to the lowest item number.

After many contradictions in a row the search does three things. It restarts and keeps the weights,
until a first solution is found (candidates removed at level 0 stay removed). After the first
restart it probes: it tries the first option of each item, and removes it if that leads to a
contradiction. From then on it also removes candidates that are in no complete assignment of a house
(the all-different constraint). On easy puzzles all this takes longer; on near-minimal 25 x 25 ones
it saves most of the nodes, and without it some searches do not end.

Nothing is random, and nothing depends on how a search is cut into calls: the same puzzle gives
the same solutions in the same order on every machine.

Tried without gain: masks of 16 or 32 bits; locked candidates; all-different over the places of a
digit in the rows; the last digit of a cell first; weights for all cells of a failed house;
`_remove` in place of the loop over a peer's houses in `_propagate` (12 to 30 % slower).

Between two calls of `find`, unless counters[EXHAUSTED] is 1, with L = counters[LEVEL]:

    Row L of the stack is propagated without contradiction, and QUEUED is 0; before the first call
    L is 0, and QUEUED is the number of items in `queue`.
    The solutions that are not found yet are those of row L, and those of each row l < L without the
    first option of item choice[l] (if its digit is free there, without any free digit in the cell).
    While counters[PROBE] is not NEVER, they are those of row 0: row 1 is a probe.
    If counters[PENDING] is not 0, row L is a solution, and that many of its orbit are still to be
    returned.
    Only `find` and `begin` write these arrays; `tables` and `allowed` are only read. Rows above L
    and `scratch` are arbitrary.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlx.compiled import helper, kernel
from dlx.compiled.instructions import count_bits, lowest_bit
from sudoku.kernels.kernel import NO_PAIRS, SETUP, UNDECIDED, Array, KernelBatch

NEVER = 1 << 62
PATIENCE = NEVER  # nodes

# State.counters
NODES = 0  # branches taken so far
LEVEL = 1  # row of the stack for the present node
EXHAUSTED = 2  # 1 when nothing is left to search
QUEUED = 3  # items in the queue; none once the givens are propagated
FAILURES = 4  # contradictions since the last solution
RESTART = 5  # number of failures at which the search restarts; NEVER after the first solution
WINDOW = 6  # failures between that restart and the previous one
ORBIT = 7  # solutions that come out of one by renaming the digits in free[0]: factorial of those
PENDING = 8  # at a solution: how many of its orbit have not been returned yet
PROBE = 9  # next item to probe at level 0; NEVER when there is nothing to probe
PROBED = 10  # contradictions found since probing went through all items
NUM_COUNTERS = 11

# State.batch
PUZZLE = 0  # number of the puzzle that is searched
FOUND = 1  # solutions found of it; UNDECIDED before its search
MOST_NODES = 2  # nodes after which it is given up

GROWTH = 1.01  # each contradiction weighs this much more than the one before it
RESCALE = 1e100  # weights are divided by this when a step of growth has passed it

ALL_DIFFERENT_FROM = 200  # failures before all-different is enforced
FIRST_WINDOW = 200  # failures before the first restart; each next window is a fifth longer
MOST_FREE = 12  # digits to be renamed in an orbit; 12! solutions at a time are enough
SOLVED = -NEVER  # in place of a queue: backtrack without raising any weight


class Tables(NamedTuple):
    """The tables of a layout: H houses, K the most houses that share a cell; int64."""

    houses: Array  # int64[H, N]: cells of each house
    member: Array  # int64[H * N]: the same in one row
    num_houses: Array  # int64[cells]: number of houses of each cell
    number: Array  # int64[cells, K]: number of each house of a cell, num_houses[cell] of them count
    first: Array  # int64[cells, K]: first item of that house
    bit: Array  # int64[cells, K]: the cell's place in that house as a bit
    pair_start: Array  # int64[cells + 1]: where in `pair` the cells that differ from a cell begin
    pair: Array  # int64[2 P]: cells that differ from a cell though they share no house


class State(NamedTuple):
    """A search of one puzzle, or of the puzzles of a batch one after the other."""

    tables: Tables
    stack: Array  # int64[cells + 1, items]: options left of every item, a row for each level
    choice: Array  # int64[cells + 1]: the item whose first option was chosen at each level
    free: Array  # int64[cells + 1]: mask of digits that are interchangeable at each level
    value: Array  # uint8[cells]: digits 1..N; valid for each cell that is covered at this level
    used: Array  # int64[H]: digits that are given in each house
    queue: Array  # int64[items]: items with one option left that are still to be covered
    weight: Array  # float64[items + 1]: conflicts of each item; last: weight of the next conflict
    share: Array  # float64[N + 1]: 1 / size^3 for each size
    scratch: Array  # int64[7, N]: working memory for the matching of a house
    counters: Array  # int64[NUM_COUNTERS]: of the search of the present puzzle
    batch: Array  # int64[3]: position in the batch, see PUZZLE and the next constants
    allowed: Array  # int64[k, cells]: digits that cells may have, as masks; k = 1: of all puzzles


def tables(houses: Array, pairs: Array = NO_PAIRS) -> Tables:
    """Number the items of a layout, N at most 64; see `sudoku.kernels.kernel.Kernel`.

    >>> from sudoku.layout import Layout
    >>> tables(Layout(2, 3, diagonal=True).houses).houses.shape
    (20, 6)
    """
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
    one, other = np.concatenate([pairs, pairs[:, ::-1]]).T
    pair = np.array(other[np.argsort(one, kind="stable")], np.int64)
    pair_start = np.searchsorted(np.sort(one), np.arange(cells + 1)).astype(np.int64)
    return Tables(houses, members, num_houses, number, first, bit, pair_start, pair)


def start(tables: Tables, patience: int = PATIENCE, candidates: Array | None = None) -> State:
    """Return a state before the first puzzle of a batch; `begin` makes it one of a single puzzle.

    See `sudoku.kernels.kernel.Kernel`.
    """
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
        batch=np.array([0, UNDECIDED, patience], dtype=np.int64),
        allowed=np.full((1, cells), -1, np.int64) if candidates is None else candidates,
    )


def first_budget(state: State) -> int:
    """Return a budget in nodes of some milliseconds; a node takes longer on a larger grid."""
    return max(16, (1 << 16) // state.value.size)


# In the functions below `options` is a row of the stack; the sign of a mask is its 64th bit.
# Functions that may meet a contradiction return the number of queued items, or -1 - item for the
# item that has no option left.


@helper
def _clear(options: Array, item: Any, bit: Any, queue: Array, queued: Any) -> Any:
    """Remove an option from one item; do nothing if the item is covered or has lost it before."""
    old = options[item]
    new = old & ~bit
    options[item] = new
    if new & (new - 1) == 0 and new != old:
        if new == 0:
            return -1 - item
        queue[queued] = item
        queued += 1
    return queued


@helper
def _remove(
    tables: Tables, options: Array, cell: Any, digit: Any, queue: Array, queued: Any
) -> Any:
    """Remove a candidate from all its items."""
    queued = _clear(options, cell, np.int64(1) << digit, queue, queued)
    for k in range(tables.num_houses[cell]):
        if queued >= 0:
            item = tables.first[cell, k] + digit
            queued = _clear(options, item, tables.bit[cell, k], queue, queued)
    return queued


@helper
def _first_option(tables: Tables, options: Array, item: Any) -> Any:
    """Return cell and digit of the first candidate that an item has left."""
    cells = tables.num_houses.size
    place = lowest_bit(options[item])
    if item < cells:
        return item, place
    digit = (item - cells) % tables.houses.shape[1]
    return tables.member[item - cells - digit + place], digit


@helper
def _propagate(tables: Tables, options: Array, value: Array, queue: Array, queued: Any) -> Any:
    """Cover each queued item by its last option; items that are queued meanwhile, too."""
    member, num_houses, first, bit = tables.member, tables.num_houses, tables.first, tables.bit
    cells = num_houses.size
    head = 0
    while head < queued:
        item = queue[head]
        head += 1
        if options[item] == 0:
            continue
        cell, digit = _first_option(tables, options, item)
        digit_bit = np.int64(1) << digit
        value[cell] = digit + 1
        others = options[cell] & ~digit_bit
        options[cell] = 0
        while others:
            other = lowest_bit(others)
            others &= others - 1
            for k in range(num_houses[cell]):
                item = first[cell, k] + other
                queued = _clear(options, item, bit[cell, k], queue, queued)
                if queued < 0:
                    return queued
        for k in range(num_houses[cell]):
            start = first[cell, k]
            others = options[start + digit] & ~bit[cell, k]
            options[start + digit] = 0
            while others:
                peer = member[start - cells + lowest_bit(others)]
                others &= others - 1
                queued = _clear(options, peer, digit_bit, queue, queued)
                if queued < 0:
                    return queued
                for j in range(num_houses[peer]):
                    item = first[peer, j] + digit
                    queued = _clear(options, item, bit[peer, j], queue, queued)
                    if queued < 0:
                        return queued
        for k in range(tables.pair_start[cell], tables.pair_start[cell + 1]):
            if options[tables.pair[k]] & digit_bit:
                queued = _remove(tables, options, tables.pair[k], digit, queue, queued)
                if queued < 0:
                    return queued
    return queued


@helper
def _match(
    mask: Array, n: Any, owner: Array, mate: Array, via: Array, line: Array, hint: Array
) -> bool:
    """Assign different digits to n cells; return False if that is impossible.

    Sets mate[cell] and owner[digit]. Augmenting paths, breadth first.
    """
    used = np.int64(0)
    for i in range(n):
        free = mask[i] & ~used
        mate[i] = -1
        if free:
            digit = lowest_bit(free)
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
                end = lowest_bit(new & ~used)
                via[end] = cell
            else:
                while new:
                    digit = lowest_bit(new)
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


@helper
def _all_different(
    tables: Tables, options: Array, value: Array, scratch: Array, queue: Array
) -> Any:
    """Remove candidates that are in no complete assignment of digits to the cells of a house.

    Regin, A filtering algorithm for constraints of difference in CSPs, AAAI 1994: given one
    perfect matching, let digit u point to the other digits of the cell that has u; a cell can
    take only the digits in the strongly connected component of its own. (This finds all naked
    and hidden pairs, triples, ... of the house.)
    """
    houses = tables.houses
    size = houses.shape[1]
    place, mask, owner, mate, via, line, hint = scratch
    queued = np.int64(0)
    for house in range(houses.shape[0]):
        n = np.int64(0)
        todo = np.int64(0)
        for p in range(size):
            cell = houses[house, p]
            if options[cell]:
                place[n] = cell
                mask[n] = options[cell]
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
                digit = lowest_bit(front)
                new = mask[owner[digit]] & ~ahead
                ahead |= new
                front = (front & (front - 1)) | new
            component = todo & -todo
            grows = True
            while grows:
                grows = False
                digits = ahead & ~component
                while digits:
                    digit = lowest_bit(digits)
                    digits &= digits - 1
                    if mask[owner[digit]] & component:
                        component |= np.int64(1) << digit
                        grows = True
            todo &= ~component
            digits = component
            while digits:
                i = owner[lowest_bit(digits)]
                digits &= digits - 1
                dead = mask[i] & ~component
                mask[i] &= component
                while dead:
                    queued = _remove(tables, options, place[i], lowest_bit(dead), queue, queued)
                    dead &= dead - 1
                    if queued < 0:
                        return queued
    return queued


@helper
def _raise_weight(weight: Array, item: Any) -> None:
    """Raise the weight of an item that has run out of options."""
    step = weight[-1]
    weight[item] += step
    weight[-1] = step * GROWTH
    if step > RESCALE:
        for i in range(weight.size):
            weight[i] /= RESCALE


@helper
def _branching_item(options: Array, weight: Array, share: Array) -> Any:
    """Return the item of largest weight / size^3 that is not covered, or -1."""
    best = -1
    most = -1.0
    for item in range(options.size):
        mask = options[item]
        if mask:
            score = weight[item] * share[count_bits(mask)]
            if score > most:
                most = score
                best = item
    return best


@kernel
def begin(state: State, puzzle: Array) -> None:
    """Make the state a search for the solutions of one puzzle, uint8[cells], 0 for a blank.

    In row 0 of the stack items that the givens cover are covered, the others hold the candidates
    that are left; items with only one are queued. Givens that contradict each other leave the
    search exhausted, now or at the first `find`.

    >>> from sudoku.layout import Layout
    >>> state = start(tables(Layout(2, 2).houses))
    >>> begin(state, np.array([1, 2, 3, 4] + [0] * 12, np.uint8))
    >>> grids = np.zeros((5, 16), np.uint8)
    >>> find(state, 1000, 5, grids), find(state, 1000, 100, grids[:0])
    (5, 7)
    >>> bool(state.counters[EXHAUSTED])
    True
    """
    tables, options, used, counters = state.tables, state.stack[0], state.used, state.counters
    num_houses, first, bit = tables.num_houses, tables.first, tables.bit
    cells = num_houses.size
    size = tables.houses.shape[1]
    for i in range(counters.size):
        counters[i] = 0
    counters[WINDOW] = FIRST_WINDOW
    counters[RESTART] = FIRST_WINDOW
    counters[PROBE] = NEVER
    counters[EXHAUSTED] = 1  # until each item is known to have an option left
    all_digits = unused = ~(np.int64(-2) << (size - 1))
    allowed = state.allowed[min(state.batch[PUZZLE], len(state.allowed) - 1)]
    for item in range(options.size):
        options[item] = all_digits & allowed[item] if item < cells else 0
        state.weight[item] = 1.0
    state.weight[options.size] = 1.0
    for h in range(used.size):
        used[h] = 0
    for cell in range(cells):
        state.value[cell] = puzzle[cell]
        if puzzle[cell] == 0:
            unused &= allowed[cell]
            continue
        digit_bit = np.int64(1) << (np.int64(puzzle[cell]) - 1)
        unused &= ~digit_bit
        if not options[cell] & digit_bit:
            return
        for k in range(num_houses[cell]):
            h = tables.number[cell, k]
            if used[h] & digit_bit:
                return
            used[h] |= digit_bit
        for k in range(tables.pair_start[cell], tables.pair_start[cell + 1]):
            options[tables.pair[k]] &= ~digit_bit
    queued = 0
    for cell in range(cells):
        if puzzle[cell]:
            options[cell] = 0
            continue
        for k in range(num_houses[cell]):
            options[cell] &= ~used[tables.number[cell, k]]
        mask = options[cell]
        if mask == 0:
            return
        if mask & (mask - 1) == 0:
            state.queue[queued] = cell
            queued += 1
        while mask:
            digit = lowest_bit(mask)
            mask &= mask - 1
            for k in range(num_houses[cell]):
                options[first[cell, k] + digit] |= bit[cell, k]
    for h in range(used.size):
        for digit in range(size):
            item = (size + h) * size + digit
            mask = options[item]
            if mask == 0 and (used[h] >> digit) & 1 == 0:
                return
            if mask and mask & (mask - 1) == 0:
                state.queue[queued] = item
                queued += 1
    while count_bits(unused) > MOST_FREE:
        unused &= unused - 1
    state.free[0] = unused
    counters[ORBIT] = 1
    for k in range(count_bits(unused)):
        counters[ORBIT] *= k + 1
    counters[QUEUED] = queued
    counters[EXHAUSTED] = 0


@helper
def _rename(value: Array, free: Any, rank: Any, scratch: Array, out: Array) -> None:
    """Write the solution with the free digits in permutation number `rank` to `out`."""
    name, before = scratch[:2]
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


@kernel
def find(state: State, budget: Any, room: Any, out: Array) -> Any:
    """Continue until `room` solutions are found, `budget` nodes are spent, or all is searched.

    Return how many solutions this call found. The first of them are written to `out`,
    uint8[rows, cells], as many as there are rows; without rows they are only counted. On return
    the row of the current level is propagated without contradiction, or
    `state.counters[EXHAUSTED]` is 1.

    Digits that no given and no chosen candidate mentions, and that each cell may have, are
    interchangeable ("free"): renaming them maps solutions to solutions. So a free digit in a cell
    represents all of them: after backtracking, all free digits are removed from that cell. The
    search finds solutions up to renaming, and each counts for as many as there are permutations.
    (Value symmetry: Freuder, Eliminating interchangeable values in constraint satisfaction
    problems, AAAI 1991.)
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
            if queued >= 0 and failures > ALL_DIFFERENT_FROM and not probing:
                queued = _all_different(tables, stack[level], value, state.scratch, queue)
                if queued > 0:
                    continue
            if queued >= 0:
                queued = np.int64(0)
                break
            if probing:
                counters[PROBED] += 1
            elif queued != SOLVED:
                _raise_weight(weight, -1 - queued)
                failures += 1
            level -= 1
            if level < 0:
                counters[EXHAUSTED] = 1
                break
            options = stack[level]
            cell, digit = _first_option(tables, options, choice[level])
            digits = np.int64(1) << digit
            if digits & free[level]:
                digits = options[cell] & free[level]
            queued = np.int64(0)
            while digits and queued >= 0:
                queued = _remove(tables, options, cell, lowest_bit(digits), queue, queued)
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
            item = counters[PROBE]
            while item < stack.shape[1] and stack[0, item] == 0:
                item += 1
            counters[PROBE] = item + 1
            if item == stack.shape[1]:
                counters[PROBE] = 0 if counters[PROBED] else NEVER
                counters[PROBED] = 0
                continue
        else:
            item = _branching_item(stack[level], weight, state.share)
        options = stack[level]
        if item >= 0:
            nodes += 1
            digit = _first_option(tables, options, item)[1]
            choice[level] = item
            free[level + 1] = free[level] & ~(np.int64(1) << digit)
            level += 1
            for i in range(options.size):  # a slice assignment takes half a second to compile
                stack[level, i] = options[i]
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


@kernel
def advance(state: State, budget: Any, batch: KernelBatch) -> Any:
    """Continue with a batch for about `budget` nodes; return whether it is done.

    See `sudoku.kernels.kernel.Kernel`. The puzzles are searched in their order.

    >>> from sudoku.layout import Layout
    >>> puzzles = np.zeros((2, 16), np.uint8)
    >>> puzzles[1, :2] = 3
    >>> counts, nodes = np.zeros((2, 2), np.int64)
    >>> batch = KernelBatch(puzzles, 1000, counts, np.zeros_like(puzzles), nodes)
    >>> state = start(tables(Layout(2, 2).houses))
    >>> advance(state, 1000, batch), counts.tolist()
    (True, [288, 0])
    """
    puzzles, limit, counts, solutions, nodes = batch
    position, counters = state.batch, state.counters
    size = state.tables.houses.shape[1]
    while position[PUZZLE] < len(puzzles):
        if budget <= 0:
            return False
        k = position[PUZZLE]
        if position[FOUND] == UNDECIDED:
            solutions[k : k + 1] = 0
            begin(state, puzzles[k])
            position[FOUND] = 0
            budget -= 1 + size * size * size // SETUP
        before = counters[NODES]
        nodes_left = min(max(budget, 1), position[MOST_NODES] - before)
        out = solutions[k : k + (position[FOUND] == 0)]
        position[FOUND] += find(state, nodes_left, limit - position[FOUND], out)
        budget -= counters[NODES] - before
        if counters[EXHAUSTED] or position[FOUND] >= limit:
            counts[k] = position[FOUND]
        elif counters[NODES] >= position[MOST_NODES]:
            counts[k] = UNDECIDED
        else:
            continue
        nodes[k] = counters[NODES]
        position[PUZZLE] += 1
        position[FOUND] = UNDECIDED
    position[PUZZLE] = 0
    return True
